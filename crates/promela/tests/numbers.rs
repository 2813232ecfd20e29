//! The numbers of statements are SPIN's: by its tables for the models of the corpus, by the program itself where it is
//! installed, and by what it once said of the models written here.

use lariat_base::SourceMap;
use lariat_promela::check::{Basic, Checked, check};
use lariat_promela::flow::{Element, ElementKind};
use lariat_promela::{Options, parse_model};
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Texts of statements by number, for each proctype.
type Table = BTreeMap<String, BTreeMap<u32, String>>;

fn read(path: &str, text: &str, defines: &[(String, String)]) -> Option<Checked> {
    let mut sources = SourceMap::default();
    let folder = Path::new(path).parent().map(Path::to_path_buf).unwrap_or_default();
    let options = Options { defines: defines.to_vec() };
    let parsed = parse_model(&mut sources, path, text, &options, &mut |include, _| {
        let text = std::fs::read_to_string(folder.join(include)).map_err(|error| error.to_string())?;
        Ok((include.to_string(), text))
    });
    if parsed.diagnostics.iter().any(lariat_base::Diagnostic::is_error) {
        return None;
    }
    check(path, &parsed.model).ok()
}

/// Whether SPIN's text can be that of the element.
fn fits(element: &Element, text: &str) -> bool {
    let squeezed = |text: &str| text.replace([' ', '(', ')'], "");
    match &element.kind {
        ElementKind::End => text == "-end-",
        ElementKind::Jump | ElementKind::Join => text.starts_with("goto ") || matches!(text, ".(goto)" | "break"),
        ElementKind::Branch(_) => match element.text.as_str() {
            "if" => text == "IF",
            "do" | "for" => text == "DO",
            "select" => matches!(text, "IF" | "DO"),
            "atomic" => matches!(text, "ATOMIC" | "sub-sequence"),
            "d_step" => text.starts_with("D_STEP"),
            _ => text == "sub-sequence",
        },
        ElementKind::Basic(basic) => match basic {
            Basic::Condition(_) => text.starts_with('(') || text.starts_with("goto "),
            Basic::Else => text == "else",
            Basic::Discard(_) => text.starts_with('_'),
            Basic::Assign(..) => {
                let target = |text: &str| squeezed(text.split(['=', '+', '-', '[']).next().unwrap_or_default());
                let hidden = element.text.contains("message") || element.text.contains(" in ");
                // Of a structure that is declared SPIN shows nothing.
                hidden || text.is_empty() || target(text) == target(&element.text)
            }
            Basic::Send { .. } => text.contains('!'),
            Basic::Receive { .. } => text.contains('?'),
            Basic::Assert(_) => text.starts_with("assert("),
            Basic::Print(..) => text.starts_with("print"),
            Basic::Run { .. } => text.contains("run "),
            Basic::SetPriority(..) => text.contains("priority"),
            Basic::Event { sent, .. } => text.contains(if *sent { '!' } else { '?' }),
            Basic::Watch { .. } => ["(", "goto ", "assert(", "print"].iter().any(|first| text.starts_with(first)),
        },
    }
}

/// Whether SPIN's text is that of a step.
fn is_step(text: &str) -> bool {
    let other = ["IF", "DO", "UNLESS", ".(goto)", "break", "sub-sequence", "ATOMIC"];
    !other.contains(&text) && !text.starts_with("goto ") && !text.starts_with("D_STEP")
}

/// Where our numbers differ from SPIN's.
fn differences(model: &Checked, spin: &Table) -> Vec<String> {
    let mut found = Vec::new();
    for proc in model.procs.iter() {
        let empty = BTreeMap::new();
        let name = if proc.name == "init" { ":init:" } else { &proc.name };
        let rows = spin.get(name).unwrap_or(&empty);
        let numbered = proc.flow.elements.iter().filter_map(|element| Some((element.number?, element)));
        let ours: BTreeMap<u32, &Element> = numbered.collect();
        for (number, text) in rows {
            match ours.get(number) {
                Some(element) if fits(element, text) => {}
                Some(element) => found.push(format!("{} {number}: {} / {text}", proc.name, element.text)),
                None if is_step(text) => found.push(format!("{} {number}: nothing / {text}", proc.name)),
                None => {}
            }
        }
        for (number, element) in &ours {
            let step = matches!(element.kind, ElementKind::Basic(_) | ElementKind::End);
            // Of what is inside a `d_step` SPIN shows nothing.
            if step && element.d_step.is_none() && !rows.contains_key(number) {
                found.push(format!("{} {number}: {} / nothing", proc.name, element.text));
            }
        }
    }
    found
}

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus/promela")
}

/// The models of the conformance folder, with their options, by the names of their tables.
fn conformance() -> HashMap<String, (PathBuf, Vec<(String, String)>)> {
    let folder = corpus().join("conformance");
    let table = std::fs::read_to_string(folder.join("expected.tsv")).unwrap_or_default();
    let mut models = HashMap::new();
    for row in table.lines().skip(1) {
        let columns: Vec<&str> = row.split('\t').collect();
        let first = columns[0].split('/').next().unwrap_or_default();
        let defines = columns[1].split_whitespace().filter_map(|option| option.strip_prefix("-D"));
        let define = |text: &str| {
            let (name, body) = text.split_once('=').unwrap_or((text, "1"));
            (name.to_string(), body.to_string())
        };
        let name = first.strip_suffix(".pml").unwrap_or(first).to_string();
        models.insert(name, (folder.join(columns[0]), defines.map(define).collect()));
    }
    models
}

#[test]
fn numbers_are_those_of_the_tables() {
    let Ok(tables) = std::fs::read_dir(corpus().join("trail-ids")) else {
        println!("skipped: no corpus");
        return;
    };
    let models = conformance();
    let (mut compared, mut complaints) = (0, Vec::new());
    for path in tables.flatten().map(|entry| entry.path()) {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let Some((model, defines)) = models.get(&name) else {
            complaints.push(format!("{name}: no such model"));
            continue;
        };
        let mut table = Table::new();
        for row in std::fs::read_to_string(&path).unwrap().lines().skip(1) {
            let columns: Vec<&str> = row.split('\t').collect();
            let number = columns[0].parse().unwrap();
            table.entry(columns[2].to_string()).or_default().insert(number, columns[4].to_string());
        }
        let text = String::from_utf8_lossy(&std::fs::read(model).unwrap()).into_owned();
        let Some(checked) = read(&model.display().to_string(), &text, defines) else {
            println!("{name}: not accepted");
            continue;
        };
        compared += 1;
        complaints.extend(differences(&checked, &table).into_iter().map(|difference| format!("{name} {difference}")));
    }
    println!("{compared} models compared");
    assert!(complaints.is_empty(), "{compared} models, {}:\n{}", complaints.len(), complaints.join("\n"));
}

fn has_spin() -> bool {
    Command::new("spin").arg("-V").output().is_ok()
}

/// What SPIN itself says of a model; `None` if it does not take the model.
fn spin_table(folder: &Path, file: &str, text: &str) -> Option<Table> {
    let work = folder.join("work.pml");
    std::fs::write(&work, text).expect("written");
    let arguments = ["-a", "-o1", "-o2", "-o3", "work.pml"];
    let output = Command::new("spin").args(arguments).current_dir(folder).output().ok()?;
    if !output.status.success() {
        println!("{file}: not taken by spin");
        return None;
    }
    let transitions = std::fs::read_to_string(folder.join("pan.t")).ok()?;
    let mut table = Table::new();
    let mut proctype = None;
    // Behind the proctypes comes SPIN's own claim about progress.
    for line in transitions.lines().take_while(|line| !line.contains("_NP_")) {
        if let Some((_, rest)) = line.split_once("/* proctype ") {
            proctype = rest.split_whitespace().nth(1).map(str::to_string);
        }
        let row = line.split_once("settr(").and_then(|(_, row)| {
            let (number, row) = row.split_once(',')?;
            let text = row.split_once('"')?.1.rsplit_once('"')?.0;
            Some((number.parse::<u32>().ok()?, text))
        });
        if let (Some(proctype), Some((number, text))) = (&proctype, row) {
            table.entry(proctype.clone()).or_default().insert(number, text.to_string());
        }
    }
    Some(table)
}

/// The steps of a model with their numbers, and the `d_step`s, which are steps for SPIN.
fn listing(model: &Checked) -> String {
    let mut text = String::new();
    for proc in model.procs.iter() {
        let shown = |element: &&Element| match &element.kind {
            ElementKind::Basic(_) | ElementKind::End => true,
            ElementKind::Branch(_) => element.text == "d_step",
            ElementKind::Jump | ElementKind::Join => false,
        };
        let steps = proc.flow.elements.iter().filter(shown);
        let steps: Vec<String> = steps.map(|e| format!("{} {}", e.number.expect("a number"), e.text)).collect();
        text += &format!("{}: {}\n", proc.name, steps.join("; "));
    }
    text
}

/// Models with the numbers of their steps.
const MODELS: &[(&str, &str)] = &[
    ("byte x; init { x = 1 }", "init: 0 x = 1; 1 -end-\n"),
    (
        "byte x; proctype P() { do :: x == 1 -> x = 2 :: x == 2 -> break :: else -> atomic { x = 3; x = 4 } od }
         init { if :: true -> goto L :: { x = 5; x = 6 } fi; L: skip; d_step { x = 7; x = 8 }; run P() }",
        "P: 0 x == 1; 1 x = 2; 2 x == 2; 4 else; 5 x = 3; 6 x = 4; 11 -end-\n\
         init: 12 true; 14 x = 5; 15 x = 6; 19 skip; 22 d_step; 20 x = 7; 21 x = 8; 23 run P(); 24 -end-\n",
    ),
    (
        "byte x, y; inline f(a) { x = a; y = a }
         init {
            f(1); x = 1 unless y == 2;
            atomic { x = 2; y = 1 } unless { y == 2; skip };
            L2: atomic { x = 3; y = 3 } unless { y == 4 };
            L3: { x = 4; y = 4 } unless y == 5;
            if :: x == 6 :: else fi unless { x = 7 };
            do :: x == 8 -> break :: else -> x++ od unless f(9);
            f(10) unless atomic { y == 11; x = 11 };
            x = 12 unless { y == 13 unless y == 14 }
         }",
        "init: 0 x = 1; 1 y = 1; 4 x = 1; 3 y == 2; 7 x = 2; 8 y = 1; 9 y == 2; 10 skip; 14 x = 3; 15 y = 3; \
         16 y == 4; 20 x = 4; 21 y = 4; 22 y == 5; 26 x == 6; 27 else; 28 x = 7; 33 x == 8; 35 else; 36 x++; \
         37 x = 9; 38 y = 9; 44 x = 10; 45 y = 10; 46 y == 11; 47 x = 11; 55 x = 12; 52 y == 13; 51 y == 14; \
         58 -end-\n",
    ),
    (
        "byte x, y, arr[3]; typedef M { byte a }; chan s = [3] of { M };
         init {
            byte i; M m;
            for (i : 0 .. 2) { x = i; y = i } unless y == 9;
            for (i in arr) { arr[i] = 0 };
            for (m in s) { x = m.a };
            select (i : 1 .. 3) unless y == 8;
            select (i : 1 .. x) unless y == 7;
            select (i : 1 .. 40);
            byte z = 2; chan c; int k, l = 3; M n;
            { byte w; w = 2 };
            x = 1
         }",
        "init: 0 i = 0; 1 i <= 2; 2 x = i; 3 y = i; 4 i++; 5 else; 7 y == 9; 13 i = 0; 14 i <= 2; \
         15 arr[i] = 0; 16 i++; 17 else; 22 for (m in s); 23 more messages in s; 24 s?m; 25 s!m; 26 x = m.a; \
         27 next message; 28 else; 33 i = 1; 34 i = 2; 35 i = 3; 36 y == 8; 41 i = 1; 42 i < x; 43 i++; \
         44 break; 45 y == 7; 51 i = 1; 52 i < 40; 53 i++; 54 break; 58 z = …; 59 c = …; 60 k = …; 61 l = …; \
         62 n.a = …; 63 w = …; 64 w = 2; 66 x = 1; 67 -end-\n",
    ),
    (
        "byte x;
         proctype W() { end1: goto E; do :: skip; accept2: break od; E: goto F; F: skip }
         never { do :: W@E -> goto A :: W@F -> break :: else od; A: skip }
         active proctype Z() { x = W@E; byte t; t = W@F; end: x = 3 }
         ltl p0 { [] (x < 100) }
         init { run W() }",
        "W: 1 goto E; 2 skip; 4 break; 8 goto F; 9 skip; 10 -end-\n\
         Z: 22 x = W@E; 23 t = …; 24 t = W@F; 25 x = 3; 26 -end-\n\
         init: 27 run W(); 28 -end-\n",
    ),
    (
        "byte x;
         active proctype A() { do :: x < 3 -> x++; L: goto M; M: goto N; N: goto O; O: skip :: x == 3 -> break od }
         ltl p { [] !(A@L) && [] !(A[x - x]@N) }",
        "A: 0 x < 3; 1 x++; 2 goto M; 4 goto O; 5 skip; 6 x == 3; 11 -end-\n",
    ),
];

#[test]
fn numbers_are_as_written() {
    let folder = tempfile::tempdir().unwrap();
    for (text, expected) in MODELS {
        let model = read("model.pml", text, &[]).unwrap_or_else(|| panic!("not accepted: {text}"));
        if has_spin() {
            let table = spin_table(folder.path(), "model.pml", text).unwrap_or_else(|| panic!("spin refuses {text}"));
            assert_eq!(differences(&model, &table), Vec::<String>::new(), "{text}");
        }
        assert_eq!(&listing(&model), expected, "{text}");
    }
}

#[test]
fn numbers_are_those_of_spin() {
    if !has_spin() {
        println!("skipped: spin is not installed");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let mut complaints = Vec::new();
    for part in ["semantics", "known-bugs"] {
        let Ok(models) = std::fs::read_dir(corpus().join(part)) else {
            println!("skipped: no corpus");
            return;
        };
        for path in models.flatten().map(|entry| entry.path()).filter(|path| path.extension() == Some("pml".as_ref())) {
            let name = path.display().to_string();
            let text = String::from_utf8_lossy(&std::fs::read(&path).unwrap()).into_owned();
            let Some(model) = read(&name, &text, &[]) else { continue };
            let Some(table) = spin_table(folder.path(), &name, &text) else { continue };
            complaints.extend(differences(&model, &table).into_iter().map(|difference| format!("{name} {difference}")));
        }
    }
    assert!(complaints.is_empty(), "{}:\n{}", complaints.len(), complaints.join("\n"));
}
