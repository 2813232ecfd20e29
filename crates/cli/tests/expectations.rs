//! `lariat test`: statements of model files, their comparison, the formats, and `--update`.

use std::path::Path;
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text).expect("written");
    }
    folder
}

fn test(folder: &Path, arguments: &[&str]) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lariat"));
    let output: Output = command
        .arg("test")
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::null())
        .output()
        .expect("the program starts");
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("text");
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

const GOOD: &str = "\
// with: -D N=1..3
// expect: holds safety
// expect N=2: states 7
byte x;
active proctype P() { do :: x < N -> x++ :: else -> break od }
";
const BAD: &str = "\
// expect: holds safety
// expect: states 9
byte x;
active proctype P() { x = 1; assert(x == 0) }
";
const SILENT: &str = "active proctype P() { skip }\n";
const REFUSED: &str = "-- expect: error V0212\nMODULE main\nINVARSPEC x\n";

#[test]
fn answers_are_compared_in_files_and_folders() {
    let folder =
        folder(&[("good.pml", GOOD), ("silent.pml", SILENT), ("refused.smv", REFUSED), ("notes.txt", "expect: no")]);
    let (code, text, errors) = test(folder.path(), &[]);
    assert_eq!(code, Some(0), "{text}{errors}");
    for part in ["good.pml (N=1)", "good.pml (N=2)", "7 states", "refused.smv", "4 runs, 0 failed"] {
        assert!(text.contains(part), "{part} in\n{text}");
    }
    assert!(!text.contains("silent"), "{text}");
    assert!(text.ends_with("4 runs, 0 failed; 1 file states no answer (no `expect:`)\n"), "{text}");
    std::fs::write(folder.path().join("bad.pml"), BAD).expect("written");
    let (code, text, _) = test(folder.path(), &["bad.pml", "good.pml"]);
    assert_eq!(code, Some(1), "{text}");
    for part in [
        "FAIL",
        "bad.pml:1: `safety` fails: assertion violated after 2 steps (expected: holds)",
        "bad.pml:2: expected states 9, got 4",
    ] {
        assert!(text.contains(part), "{part} in\n{text}");
    }
    let (code, text, _) = test(folder.path(), &["silent.pml"]);
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("the file states no answer"), "{text}");
}

#[test]
fn what_cannot_be_tested_is_said() {
    let folder = folder(&[
        ("options.pml", "// with: --unheard-of\n// expect: holds safety\nactive proctype P() { skip }\n"),
        ("old.pml", "// options: -DN=1\n// expect: holds safety\nactive proctype P() { skip }\n"),
        ("property.pml", "// expect: holds nothing\nactive proctype P() { skip }\n"),
    ]);
    let (code, text, _) = test(folder.path(), &["."]);
    assert_eq!(code, Some(1), "{text}");
    for part in ["--unheard-of", "options stand behind `with:`", "nothing"] {
        assert!(text.contains(part), "{part} in\n{text}");
    }
    for (name, text, part) in [
        (
            "json.pml",
            "// with: --json\n// expect: holds safety\nactive proctype P() { skip }\n",
            "`--json` has no effect in",
        ),
        ("typo.pml", "// expct: holds safety\nactive proctype P() { skip }\n", "`expct:` is not a statement"),
        ("odd.pml", "// expect: holds safety\nactive proctype P() { y = 1 }\n", "got P0429: line 2: `y`"),
    ] {
        std::fs::write(folder.path().join(name), text).expect("written");
        let (code, text, _) = test(folder.path(), &["."]);
        assert!(code == Some(1) && text.contains(part), "{part} in\n{text}");
    }
    for (arguments, part) in [(&["missing"][..], "neither a folder nor a model"), (&["missing.pml"], "cannot read")] {
        let (code, text, errors) = test(folder.path(), arguments);
        assert_eq!(code, Some(2), "{errors}");
        assert!((text + &errors).contains(part), "{errors}");
    }
}

/// A file that cannot be read fails, and the others are tested; hidden files are none of the models.
#[cfg(unix)]
#[test]
fn one_unreadable_file_does_not_spoil_the_others() {
    let folder = folder(&[("good.pml", GOOD)]);
    std::os::unix::fs::symlink("nowhere", folder.path().join("gone.pml")).expect("a link");
    std::os::unix::fs::symlink("nowhere", folder.path().join(".#good.pml")).expect("a link");
    let made = Command::new("mkfifo").arg(folder.path().join("a.pml")).status().expect("mkfifo");
    assert!(made.success());
    let (code, text, errors) = test(folder.path(), &[]);
    assert_eq!(code, Some(2), "{text}{errors}");
    for part in
        ["5 runs, 2 failed", "ok    ./good.pml (N=3)", "FAIL  ./gone.pml", "`./a.pml` is not a file, but a pipe"]
    {
        assert!(text.contains(part), "{part} in\n{text}");
    }
    assert!(!text.contains(".#good"), "{text}");
    for link in ["gone.pml", "a.pml"] {
        std::fs::remove_file(folder.path().join(link)).expect("removed");
    }
    let mut command = Command::new(env!("CARGO_BIN_EXE_lariat"));
    let output = command.args(["check", ".", "-D", "N=1"]).current_dir(folder.path()).output().expect("it starts");
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Rows are printed as they are known, and what is known is not lost at an interrupt.
#[cfg(unix)]
#[test]
fn what_is_known_is_printed_at_once_and_when_interrupted() {
    use std::io::{BufRead, BufReader, Read};
    let endless = "// expect: holds safety\nint x, y, z, w;\nactive proctype P() { do :: x++ :: y++ :: z++ :: w++ :: x + y + z + w == -7 -> break od }\n";
    let folder = folder(&[("a.pml", GOOD), ("b.pml", endless), ("c.pml", GOOD)]);
    for (format, first, part) in [
        ("pretty", "ok    ./a.pml (N=1)", "3 runs, 0 failed"),
        ("tap", "TAP version 13", "Bail out! interrupted"),
        ("junit", "<?xml", "</testsuites>"),
        ("sarif", "{", "\"results\": []"),
        ("github", "3 runs, 0 failed", ""),
    ] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_lariat"));
        command.args(["test", "--format", format]).current_dir(folder.path()).stdin(Stdio::null());
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("it starts");
        let mut out = BufReader::new(child.stdout.take().expect("a pipe"));
        let mut line = String::new();
        if format == "pretty" {
            out.read_line(&mut line).expect("a row, while the next file is checked");
        } else {
            std::thread::sleep(std::time::Duration::from_secs(2));
        }
        let signal = if format == "tap" { "-TERM" } else { "-INT" };
        let killed = Command::new("kill").args([signal, &child.id().to_string()]).status().expect("kill");
        assert!(killed.success());
        out.read_to_string(&mut line).expect("the rest");
        assert!(line.starts_with(first) && line.contains(part), "{format}: {line}");
        assert_eq!(child.wait().expect("it ends").code(), Some(3), "{line}");
    }
}

#[test]
fn every_format_says_what_differs_and_where() {
    let folder = folder(&[("bad.pml", BAD), ("good.pml", GOOD)]);
    let formatted = |format: &str| {
        let (code, text, errors) = test(folder.path(), &["--format", format]);
        assert_eq!(code, Some(1), "{errors}");
        text
    };
    let junit = formatted("junit");
    for part in [
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"lariat\" tests=\"6\" failures=\"2\"",
        "<failure message=\"expected states 9, got 4\" type=\"expectation\">",
        "</testsuites>\n",
    ] {
        assert!(junit.contains(part), "{part} in\n{junit}");
    }
    assert_eq!(junit.matches("<testcase ").count(), 6, "{junit}");
    let sarif: serde_json::Value = serde_json::from_str(&formatted("sarif")).expect("JSON");
    let results = sarif["runs"][0]["results"].as_array().expect("a list");
    assert_eq!((sarif["version"].as_str(), results.len()), (Some("2.1.0"), 2));
    let place = &results[1]["locations"][0]["physicalLocation"];
    assert_eq!((&place["artifactLocation"]["uri"], &place["region"]["startLine"]), (&"bad.pml".into(), &2.into()));
    assert!(formatted("github").contains("::error file=bad.pml,line=2::expected states 9, got 4\n"));
    let tap = formatted("tap");
    assert!(
        tap.starts_with("TAP version 13\n")
            && tap.ends_with("1..6\n")
            && tap.contains("not ok 2 - ./bad.pml: states 9\n"),
        "{tap}"
    );
}

#[test]
fn updating_writes_what_was_observed_and_nothing_else() {
    let folder = folder(&[("bad.pml", BAD), ("silent.pml", SILENT)]);
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).expect("text");
    let (code, text, errors) = test(folder.path(), &["bad.pml", "--update"]);
    assert_eq!(code, Some(0), "{text}{errors}");
    let expected = BAD.replace("holds safety", "fails safety, assertion, trace <= 2").replace("states 9", "states 4");
    assert_eq!(read("bad.pml"), expected);
    assert_eq!(test(folder.path(), &["silent.pml", "--update"]).0, Some(0));
    assert_eq!(
        read("silent.pml"),
        format!("// expect: holds safety\n// expect: states 3\n// expect: transitions 2\n{SILENT}")
    );
    let swept = "// with: -D N=1..2\n// expect: states 1\nbyte x;\nactive proctype P() { do :: x < N -> x++ :: else -> break od }\n";
    std::fs::write(folder.path().join("swept.pml"), swept).expect("written");
    let (code, _, errors) = test(folder.path(), &["swept.pml", "--update"]);
    assert_eq!(code, Some(2));
    assert!(errors.contains("swept.pml:2: the answer differs between the runs of the sweep"), "{errors}");
    assert_eq!(read("swept.pml"), swept);
}

#[test]
fn the_shipped_models_state_the_truth() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let (code, text, errors) = test(&root, &["models"]);
    assert_eq!(code, Some(0), "{text}{errors}");
}

#[test]
fn what_was_not_checked_is_not_met() {
    let refused = "// with: --nonsense\n// expect: holds safety\n// expect: states 1\nactive proctype P() { skip }\n";
    let cut = "// with: --depth 2\n// expect: states 3\nbyte x; active proctype P() { do :: x++ od }\n";
    let late = "// with: --time 0s\n// expect: holds safety\nint x, y, z;\nactive proctype P() { do :: x++ :: y++ :: z++ od }\n";
    let folder = folder(&[("refused.pml", refused), ("cut.pml", cut), ("late.pml", late)]);
    let (code, text, _) = test(folder.path(), &["refused.pml", "--format", "tap"]);
    assert_eq!(code, Some(1), "{text}");
    assert_eq!((text.matches("not ok ").count(), text.matches("\nok ").count()), (2, 0), "{text}");
    let (_, text, _) = test(folder.path(), &["refused.pml", "--format", "junit"]);
    assert!(text.contains("tests=\"2\" failures=\"2\""), "{text}");
    let (code, text, _) = test(folder.path(), &["cut.pml"]);
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("cut.pml:2: expected states 3, got not the whole graph"), "{text}");
    let (_, text, _) = test(folder.path(), &["late.pml"]);
    assert!(text.contains("is undecided: ") && text.contains("time limit") && !text.contains('{'), "{text}");
}

#[test]
fn statements_that_no_run_is_about_are_mistakes() {
    let model =
        |line: &str| format!("// with: -D N=2..3\n// expect: holds safety\n{line}\nactive proctype P() {{ skip }}\n");
    for (line, says) in [
        ("// expect N=9: states 5", "m.pml:3: no run has N=9"),
        ("// expect M=2: states 7", "m.pml:3: no run has M=2"),
        ("// expect states 3", "m.pml:3: a statement begins with `expect:`"),
        ("// expects: states 3", "m.pml:3: a statement begins with `expect:`"),
    ] {
        let folder = folder(&[("m.pml", &model(line))]);
        let (code, text, errors) = test(folder.path(), &["m.pml"]);
        assert_eq!(code, Some(1), "{line}: {text}{errors}");
        assert!(text.contains(says), "{line}: {text}");
    }
    let folder = folder(&[("m.pml", &model("// expect that the reader knows it"))]);
    assert_eq!(test(folder.path(), &["m.pml"]).0, Some(0));
}
