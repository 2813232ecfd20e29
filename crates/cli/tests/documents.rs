//! What the documents say is so: the README's examples print what it says, apart from times and memory; the answers that
//! docs/differences.md gives are ours; links lead somewhere; and docs/profile.md shows a profile as it is printed.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(document: &Path) -> String {
    std::fs::read_to_string(document).unwrap_or_else(|error| panic!("{}: {error}", document.display()))
}

fn lariat<'a>(folder: &Path, arguments: impl IntoIterator<Item = &'a str>) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lariat"));
    command.args(arguments).current_dir(folder).output().expect("the program runs")
}

#[test]
fn the_readme_tells_the_truth() {
    let readme = read(&root().join("README.md"));
    let mut examples = 0;
    for block in readme.split("```sh\n").skip(1) {
        let (commands, rest) = block.split_once("```").expect("a block is closed");
        let Some(arguments) = commands.trim().strip_prefix("cargo run --bin lariat -- ") else { continue };
        let shown = rest.split_once("```text\n").and_then(|(_, text)| text.split_once("```")).expect("an output").0;
        let output = lariat(&root(), arguments.split_whitespace());
        assert_eq!(without_figures(&String::from_utf8_lossy(&output.stdout)), without_figures(shown));
        examples += 1;
    }
    assert!(examples > 0, "the README has no example");
}

/// The text without times and memory, which differ from run to run. On a line of figures they follow the depth.
fn without_figures(text: &str) -> String {
    let plain = |line: &str| {
        let after_depth = line.find(", depth ").map(|at| at + ", depth ".len());
        match after_depth.and_then(|at| line[at..].find(',').map(|length| at + length)) {
            Some(end) => line[..end].to_owned(),
            None => line.to_owned(),
        }
    };
    text.lines().map(plain).collect::<Vec<_>>().join("\n")
}

#[test]
fn figures_are_cut_behind_the_depth() {
    assert_eq!(without_figures("  1 state, depth 7, 8.4 bytes a state\nx, y"), "  1 state, depth 7\nx, y");
}

/// The page about channels that grow shows what is printed, times and memory aside.
#[test]
fn the_page_about_growth_tells_the_truth() {
    let page = read(&root().join("docs/unbounded.md"));
    let block = |begin: &str| page.split_once(begin).and_then(|(_, rest)| rest.split_once("```")).expect("a block").0;
    let output = lariat(&root(), block("```sh\nlariat ").split_whitespace());
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(without_figures(&printed), without_figures(block("```text\n")));
}

/// The page about profiles shows what is printed, times aside; and the model that follows its advice is as small as it says.
#[test]
fn the_page_about_profiles_tells_the_truth() {
    let page = read(&root().join("docs/profile.md"));
    let block = |begin: &str| page.split_once(begin).and_then(|(_, rest)| rest.split_once("```")).expect("a block").0;
    let arguments = block("```sh\nlariat ");
    let output = lariat(&root(), arguments.split_whitespace());
    let untimed = |text: &str| -> Vec<String> {
        let (before, times) = text.split_once("\n  time").expect("a table of times");
        let after = times.split_once("\n\n").expect("something follows it").1;
        [before, after].map(without_figures).to_vec()
    };
    assert_eq!(untimed(&String::from_utf8_lossy(&output.stdout)), untimed(block("```text\n")));

    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("joined.pml"), block("```promela\n")).expect("written");
    let text = lariat(folder.path(), ["check", "joined.pml"]).stdout;
    assert!(String::from_utf8_lossy(&text).starts_with("safety: holds\n  91 states"));
}

/// SPIN misses the failing assertion in the model of the page; we do not.
#[test]
fn the_example_of_hidden_variables_fails_as_the_page_says() {
    let page = read(&root().join("docs/differences.md"));
    let model = page.split('`').find(|part| part.starts_with("hidden byte")).expect("the page has the model");
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("hidden.pml"), model).expect("written");
    let output = lariat(folder.path(), ["check", "hidden.pml"]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{text}{}", String::from_utf8_lossy(&output.stderr));
    assert!(text.starts_with("safety: fails, assertion violated"), "{text}");
}

#[test]
fn links_lead_somewhere() {
    let docs = std::fs::read_dir(root().join("docs")).expect("the project has documents").flatten();
    let mut documents: Vec<PathBuf> =
        docs.map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|ending| ending == "md")).collect();
    documents.extend(["README.md", "ARCHITECTURE.md"].map(|name| root().join(name)));
    let (mut followed, mut broken) = (0, Vec::new());
    for document in documents {
        let text = read(&document);
        let targets = text.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(target, _)| target);
        for target in targets.filter(|target| !target.contains("://") && !target.starts_with('#')) {
            let file = target.split('#').next().expect("a split has a first part");
            followed += 1;
            if !document.parent().expect("it is in a folder").join(file).exists() {
                broken.push(format!("{}: {target}", document.display()));
            }
        }
    }
    assert!(broken.is_empty(), "links that lead nowhere:\n{}", broken.join("\n"));
    assert!(followed > 5, "only {followed} links were found");
}
