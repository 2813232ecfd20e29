//! The index of codes: there is an entry for every code of the sources and no other, its first example produces the code,
//! and the corrected ones do not.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

const FAMILIES: [&str; 6] = ["promela", "smv", "formulas", "automata", "systems", "checks"];

struct Entry {
    code: String,
    text: String,
}

struct Example {
    language: String,
    options: Vec<String>,
    text: String,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn lariat(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lariat"));
    command.args(arguments).stdin(Stdio::null());
    command
}

fn entries() -> Vec<Entry> {
    let mut entries = Vec::new();
    for family in FAMILIES {
        let path = root().join("docs/codes").join(family).with_extension("md");
        let text = std::fs::read_to_string(&path).expect("the index is there");
        for section in text.split("\n## ").skip(1) {
            let (heading, text) = section.split_once('\n').expect("more than a heading");
            let (code, title) = heading.split_once(": ").unwrap_or_else(|| panic!("{heading}: no title"));
            assert!(!title.is_empty() && !text.trim().is_empty(), "{heading}");
            entries.push(Entry { code: code.to_owned(), text: text.to_owned() });
        }
    }
    entries
}

impl Entry {
    /// The fenced texts.
    fn examples(&self) -> Vec<Example> {
        let mut examples = Vec::new();
        let mut open: Option<Example> = None;
        for line in self.text.lines() {
            match (line.strip_prefix("```"), open.take()) {
                (Some(_), Some(example)) => examples.push(example),
                (Some(info), None) => {
                    let mut words = words(info).into_iter();
                    let language = words.next().expect("a language");
                    open = Some(Example { language, options: words.collect(), text: String::new() });
                }
                (None, Some(mut example)) => {
                    example.text.push_str(line);
                    example.text.push('\n');
                    open = Some(example);
                }
                (None, None) => {}
            }
        }
        assert!(open.is_none(), "{}: a fence is not closed", self.code);
        examples
    }
}

/// Words, some of them in single quotes.
fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (number, part) in text.split('\'').enumerate() {
        if number % 2 == 1 {
            words.push(part.to_owned());
        } else {
            words.extend(part.split_whitespace().map(str::to_owned));
        }
    }
    words
}

impl Example {
    /// What the program says of it, in a folder of its own.
    fn run(&self) -> Output {
        let folder = tempfile::tempdir().expect("a folder");
        let ending = if self.language == "promela" { "pml" } else { &self.language };
        let file = format!("model.{ending}");
        std::fs::write(folder.path().join(&file), &self.text).expect("written");
        let mut command = match self.language.as_str() {
            "ltl" => lariat(&["ltl", self.text.trim()]),
            "hoa" => {
                let model = "byte x;\nactive proctype P() { x = 1 }\n";
                std::fs::write(folder.path().join("model.pml"), model).expect("written");
                lariat(&["check", "--json", "model.pml", "--automaton", &file])
            }
            "promela" | "smv" | "sys" => lariat(&["check", "--json", &file]),
            other => panic!("the language `{other}`"),
        };
        command.args(&self.options).current_dir(folder.path()).output().expect("the program starts")
    }
}

fn mentions(output: &Output, code: &str) -> bool {
    let text = [output.stdout.as_slice(), &output.stderr].concat();
    let text = String::from_utf8_lossy(&text);
    text.contains(&format!("\"{code}\"")) || text.contains(&format!("[{code}]"))
}

/// The codes that the sources mention, outside of tests.
fn codes_of_sources() -> BTreeSet<String> {
    fn walk(folder: &Path, found: &mut BTreeSet<String>) {
        for path in std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()) {
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            if path.is_dir() {
                walk(&path, found);
            } else if name.ends_with(".rs") && name != "tests.rs" {
                let text = std::fs::read_to_string(&path).expect("text");
                let text = text.split("#[cfg(test)]\nmod").next().unwrap_or_default();
                for quoted in text.split('"') {
                    let (family, number) = quoted.split_at_checked(1).unwrap_or_default();
                    let is_code = number.len() == 4 && number.bytes().all(|byte| byte.is_ascii_digit());
                    if is_code && number.starts_with('0') && "PVLSCA".contains(family) {
                        found.insert(quoted.to_owned());
                    }
                }
            }
        }
    }
    let mut found = BTreeSet::new();
    for name in ["automata", "cli", "engine", "lariat", "logic", "promela", "render", "smv", "system"] {
        walk(&root().join("crates").join(name).join("src"), &mut found);
    }
    found
}

#[test]
fn every_code_has_one_entry_and_every_entry_a_code() {
    let listed: Vec<String> = entries().into_iter().map(|entry| entry.code).collect();
    let known: BTreeSet<String> = listed.iter().cloned().collect();
    assert_eq!(listed.len(), known.len(), "a code has two entries");
    let used = codes_of_sources();
    assert!(used.len() > 150, "only {} codes were found in the sources", used.len());
    let missing: Vec<_> = used.difference(&known).collect();
    let stale: Vec<_> = known.difference(&used).collect();
    assert!(missing.is_empty() && stale.is_empty(), "without an entry: {missing:?}; without a code: {stale:?}");
}

#[test]
fn examples_produce_their_code_and_corrected_ones_do_not() {
    let mut wrong = Vec::new();
    for entry in entries() {
        let examples = entry.examples();
        if examples.is_empty() && !entry.text.contains("No short example:") {
            wrong.push(format!("{}: no example, and no reason for that", entry.code));
        }
        for (number, example) in examples.iter().enumerate() {
            let output = example.run();
            let is_wrong = number == 0;
            if mentions(&output, &entry.code) != is_wrong {
                let what = if is_wrong { "does not produce it" } else { "still produces it" };
                wrong.push(format!("{}: example {} {what}: {output:?}", entry.code, number + 1));
            }
            if output.status.code().is_none_or(|code| code == 70) && entry.code != "C0101" {
                wrong.push(format!("{}: example {}: {output:?}", entry.code, number + 1));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_program_explains_lists_and_suggests() {
    let text = |output: &Output| String::from_utf8(output.stdout.clone()).expect("text");
    let one = lariat(&["explain", "p0405"]).output().expect("the program starts");
    assert!(one.status.success() && text(&one).starts_with("P0405: "), "{one:?}");
    assert!(text(&one).contains("    typedef Node") && !text(&one).contains("```"), "{one:?}");
    let with_options = lariat(&["explain", "C0004"]).output().expect("the program starts");
    assert!(text(&with_options).contains("$ lariat check MODEL.pml --justice 'x == 7'"), "{with_options:?}");
    let all = lariat(&["explain"]).output().expect("the program starts");
    for entry in entries() {
        assert!(text(&all).contains(&format!("  {}  ", entry.code)), "{}", entry.code);
    }
    let unknown = lariat(&["explain", "P0599"]).output().expect("the program starts");
    assert_eq!(unknown.status.code(), Some(2));
    let message = String::from_utf8(unknown.stderr).expect("text");
    assert!(message.contains("there is no code `P0599`; did you mean `P0"), "{message}");
}
