//! Searches on disk that are stopped, killed and resumed.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

const MODEL: &str = "models/contrary_philosopher.pml";

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("lariat-resume-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("it can be made");
        Self(path)
    }
    fn text(&self) -> &str {
        self.0.to_str().expect("a plain path")
    }
    /// Whether something can be resumed in it.
    fn has_run(&self) -> bool {
        let inside = std::fs::read_dir(&self.0).expect("it is there");
        inside.filter_map(Result::ok).any(|entry| entry.path().join("manifest.json").exists())
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn lariat(arguments: &[&str]) -> Command {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut command = Command::new(env!("CARGO_BIN_EXE_lariat"));
    command.args(arguments).current_dir(root).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn check(model: &str, property: &str, folder: &Folder) -> Command {
    search(model, property, folder, &["--engine", "external"])
}

/// A check with these further options.
fn search(model: &str, property: &str, folder: &Folder, further: &[&str]) -> Command {
    let folder = ["--disk", folder.text(), "--checkpoint-every", "0s", "--buffer-states", "300"];
    let asked = ["check", model, "--property", property, "--json", "--code", "bytecode"];
    lariat(&[&asked[..], further, &folder].concat())
}

fn resume(folder: &Folder) -> Command {
    lariat(&["resume", folder.text()])
}

fn essence(output: &Output) -> String {
    let document: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)));
    let property = &document["properties"][0];
    let of = |key: &str| property[key].to_string();
    let run = format!("{} {}", property["trace"]["stem"], property["trace"]["loop"]);
    format!("{} {} {} {} {} {run}", of("verdict"), of("states"), of("transitions"), of("depth"), of("digest"))
}

fn killed_after(mut child: Child, milliseconds: u64) -> Output {
    std::thread::sleep(Duration::from_millis(milliseconds));
    let _ = child.kill();
    child.wait_with_output().expect("it ended")
}

#[test]
fn a_search_that_is_killed_again_and_again_ends_as_if_it_was_not() {
    let (mut kills, mut resumed) = (0, 0);
    let searches: [(&str, &[&str], &[u64]); 6] = [
        ("safety", &["--engine", "external"], &[20, 90, 200]),
        ("fed", &["--engine", "external"], &[20, 90, 200]),
        ("fed", &["--engine", "external", "-DN=4", "--fairness", "strong"], &[150]),
        ("fed", &["--engine", "external", "-DN=4", "--shortest"], &[100]),
        ("safety", &["--engine", "astar", "-DN=4"], &[60]),
        ("fed", &["--engine", "astar", "-DN=4"], &[80]),
    ];
    for (number, (property, further, moments)) in searches.into_iter().enumerate() {
        let check = |folder: &Folder| search(MODEL, property, folder, further);
        let plain = Folder::new(&format!("{property}-{number}"));
        let whole = check(&plain).output().expect("it runs");
        let expected = essence(&whole);
        assert!(!plain.has_run(), "nothing stays");
        for &begin in moments {
            let folder = Folder::new(&format!("{property}-{number}-{begin}"));
            let mut output = killed_after(check(&folder).spawn().expect("it runs"), begin);
            kills += 1;
            for again in 0..4 {
                if output.status.code().is_some() {
                    break;
                }
                let mut next = if folder.has_run() { resume(&folder) } else { check(&folder) };
                resumed += u32::from(folder.has_run());
                output = match again {
                    3 => next.output().expect("it runs"),
                    _ => killed_after(next.spawn().expect("it runs"), begin + 40 * again),
                };
            }
            assert_eq!(essence(&output), expected, "{property} {further:?}, killed after {begin} ms");
        }
    }
    println!("{kills} searches killed, {resumed} resumed");
}

#[test]
fn an_interrupt_pauses_and_says_how_to_go_on() {
    let (plain, folder) = (Folder::new("plain"), Folder::new("interrupted"));
    let expected = essence(&check(MODEL, "safety", &plain).output().expect("it runs"));
    let child = check(MODEL, "safety", &folder).spawn().expect("it runs");
    while !folder.has_run() {
        std::thread::sleep(Duration::from_millis(5));
    }
    let pid = child.id().to_string();
    Command::new("kill").args(["-INT", &pid]).status().expect("there is `kill`");
    let output = child.wait_with_output().expect("it ended");
    let document: Value = serde_json::from_slice(&output.stdout).expect("a document");
    if output.status.code() == Some(3) {
        let disk = &document["properties"][0]["disk"];
        assert_eq!(disk["paused"], true, "{document}");
        let path = disk["folder"].as_str().expect("a path");
        let output = lariat(&["resume", path]).output().expect("it runs");
        assert_eq!(essence(&output), expected);
        assert!(!Path::new(path).exists(), "nothing stays");
        // What is gone cannot go on.
        assert_eq!(lariat(&["resume", path]).output().expect("it runs").status.code(), Some(2));
    }
}

/// Sends an interrupt to a program.
fn interrupt(child: &Child) {
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("there is `kill`");
}

/// The folders of runs in a folder.
fn runs(folder: &Folder) -> Vec<PathBuf> {
    let inside = std::fs::read_dir(&folder.0).expect("it is there").filter_map(Result::ok).map(|entry| entry.path());
    inside.filter(|path| path.is_dir()).collect()
}

#[test]
fn quick_interrupts_leave_a_run_that_can_go_on_or_nothing() {
    let plain = Folder::new("quick-plain");
    let expected = essence(&check(MODEL, "safety", &plain).output().expect("it runs"));
    let mut paused = 0;
    for wait in [0, 10, 25, 40, 70, 120] {
        let folder = Folder::new(&format!("quick-{wait}"));
        let mut child = check(MODEL, "safety", &folder).spawn().expect("it runs");
        // From the moment on when something is there.
        while runs(&folder).is_empty() && child.try_wait().expect("it can be asked").is_none() {
            std::thread::sleep(Duration::from_millis(1));
        }
        std::thread::sleep(Duration::from_millis(wait));
        interrupt(&child);
        interrupt(&child);
        let output = child.wait_with_output().expect("it ended");
        for run in runs(&folder) {
            assert!(run.join("manifest.json").exists(), "interrupted after {wait} ms: {}", run.display());
            let resumed = lariat(&["resume", run.to_str().expect("a plain path")]).output().expect("it runs");
            assert_eq!(essence(&resumed), expected);
            paused += 1;
        }
        if output.status.code() == Some(0) {
            assert_eq!(essence(&output), expected);
        }
    }
    println!("{paused} runs went on");
}

/// The largest file is limited by the shell, which is to a program as if the disk was full.
#[cfg(unix)]
#[test]
fn a_disk_that_is_full_before_the_first_checkpoint_pauses_the_run() {
    let (plain, folder) = (Folder::new("full-plain"), Folder::new("full"));
    let expected = essence(&check(MODEL, "safety", &plain).output().expect("it runs"));
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    // Files of 16 KiB are large enough for a manifest. There is no checkpoint in a minute.
    let asked = format!(
        "ulimit -f 16; exec '{}' check {MODEL} --property safety --json --engine external --code bytecode --disk '{}' \
         --checkpoint-every 60s --buffer-states 300",
        env!("CARGO_BIN_EXE_lariat"),
        folder.text()
    );
    let output = Command::new("bash").args(["-c", &asked]).current_dir(root).output().expect("there is bash");
    let told: Value = serde_json::from_slice(&output.stdout).expect("a document");
    let disk = &told["properties"][0]["disk"];
    assert_eq!(output.status.code(), Some(3), "{told}");
    assert_eq!(disk["paused"], true, "{told}");
    let path = disk["folder"].as_str().expect("a path");
    let resumed = lariat(&["resume", path]).output().expect("it runs");
    assert_eq!(essence(&resumed), expected);
    assert!(!Path::new(path).exists(), "nothing stays");
}

#[test]
fn a_directed_search_goes_on_as_one() {
    let model = "models/directed/philosophers.pml";
    let (plain, folder) = (Folder::new("directed-plain"), Folder::new("directed"));
    let asked = |folder: &Folder, more: &[&str]| {
        let asked = ["check", model, "--property", "response", "-D", "N=5", "--json", "--engine", "astar"];
        let disk = ["--disk", folder.text(), "--checkpoint-every", "0s", "--buffer-states", "20"];
        lariat(&[&asked[..], &disk, more].concat())
    };
    let length = |output: &Output| {
        let told: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
        let trace = &told["properties"][0]["trace"];
        format!("{} {}", trace["stem"], trace["loop"])
    };
    let expected = length(&asked(&plain, &[]).output().expect("it runs"));
    assert!(!expected.contains("null"), "{expected}");
    let child = asked(&folder, &[]).spawn().expect("it runs");
    while !folder.has_run() {
        std::thread::sleep(Duration::from_millis(1));
    }
    let output = killed_after(child, 0);
    if output.status.code().is_none() {
        assert_eq!(length(&resume(&folder).output().expect("it runs")), expected);
    }
}

#[test]
fn a_model_that_changed_is_refused() {
    let folder = Folder::new("changed");
    let model = folder.0.join("model.pml");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let text = std::fs::read_to_string(root.join(MODEL)).expect("it is there");
    std::fs::write(&model, &text).expect("it can be written");
    let child = check(model.to_str().expect("a plain path"), "safety", &folder).spawn().expect("it runs");
    let output = killed_after(child, 300);
    if output.status.code().is_none() && folder.has_run() {
        std::fs::write(&model, text.replacen("byte", "short", 1).replacen("bit ", "byte ", 1))
            .expect("it can be written");
        let output = resume(&folder).output().expect("it runs");
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(2) && told.contains("the model changed"), "{told}");
    }
    let nothing = lariat(&["resume", "docs"]).output().expect("it runs");
    assert_eq!(nothing.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&nothing.stderr).contains("manifest.json"));
}

/// Waits until there is a manifest with this text, and kills the program: whether it was still going on.
fn killed_at(mut child: Child, folder: &Folder, text: &str) -> bool {
    loop {
        let found = runs(folder).iter().any(|run| {
            std::fs::read_to_string(run.join("manifest.json")).is_ok_and(|manifest| manifest.contains(text))
        });
        if found {
            let _ = child.kill();
        }
        if let Some(status) = child.try_wait().expect("it can be asked") {
            return status.code().is_none();
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

const PHILOSOPHERS: &str = "models/bench/philosophers.pml";
const SMALL: [&str; 6] = ["--checkpoint-every", "0s", "--buffer-states", "300", "--code", "bytecode"];

/// Of several models and of sweeps that one goes on whose run it is.
#[test]
fn one_of_several_goes_on() {
    let plain = Folder::new("several-plain");
    let asked = ["check", PHILOSOPHERS, "-DN=8", "--json", "--engine", "external", "--disk", plain.text()];
    let expected = essence(&lariat(&[&asked[..], &SMALL].concat()).output().expect("it runs"));
    let inside = Folder::new("several-inside");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    std::fs::copy(root.join(PHILOSOPHERS), inside.0.join("philosophers.pml")).expect("it can be copied");
    let mut resumed = 0;
    for (name, models, text) in [
        ("models", &["models/peterson.pml", PHILOSOPHERS, "-DN=8"][..], "\"model\":\"models/bench/philosophers.pml\""),
        ("sweep", &[PHILOSOPHERS, "-DN=4..8"], "\"N=8\""),
        ("folder", &[inside.text(), "-DN=8"], "philosophers.pml\""),
    ] {
        let folder = Folder::new(&format!("several-{name}"));
        let disk = ["--engine", "external", "--property", "safety", "--disk", folder.text()];
        let mut begun = lariat(&[&["check"], models, &disk, &SMALL].concat());
        if !killed_at(begun.spawn().expect("it runs"), &folder, text) {
            continue;
        }
        let of_this = runs(&folder).into_iter().find(|run| {
            std::fs::read_to_string(run.join("manifest.json")).is_ok_and(|manifest| manifest.contains(text))
        });
        let path = of_this.expect("it was there");
        let output = lariat(&["resume", path.to_str().expect("a plain path"), "--json"]).output().expect("it runs");
        assert_eq!(essence(&output), expected, "{name}");
        resumed += 1;
    }
    println!("{resumed} runs went on");
}

#[test]
fn a_search_that_was_guided_when_memory_was_full_goes_on_as_one() {
    let (plain, folder) = (Folder::new("then-plain"), Folder::new("then"));
    let asked = |folder: &Folder| {
        let asked = ["check", PHILOSOPHERS, "-DN=9", "--property", "safety", "--json", "--engine", "bfs"];
        let then = ["--memory", "3M", "--when-full", "astar", "--disk", folder.text()];
        lariat(&[&asked[..], &then, &SMALL].concat())
    };
    let whole = asked(&plain).output().expect("it runs");
    let expected = essence(&whole);
    assert!(expected.contains("holds"), "{expected} {}", String::from_utf8_lossy(&whole.stderr));
    if killed_at(asked(&folder).spawn().expect("it runs"), &folder, "\"engine\":\"astar\"") {
        let output = lariat(&["resume", folder.text(), "--json"]).output().expect("it runs");
        assert_eq!(essence(&output), expected);
    }
}

/// Where nobody named an engine or a folder, a search goes on in the folder for temporary files when memory is full.
#[test]
fn a_full_memory_goes_on_on_disk() {
    let folder = Folder::new("auto");
    let checked = |property: &str, further: &[&str]| {
        let asked = ["check", PHILOSOPHERS, "-DN=9", "--property", property, "--json", "--memory", "3M"];
        let small = ["--buffer-states", "300", "--code", "bytecode"];
        let mut command = lariat(&[&asked[..], further, &small].concat());
        command.env("TMPDIR", folder.text()).output().expect("it runs")
    };
    let verdict = |output: &Output| {
        let document: Value = serde_json::from_slice(&output.stdout).expect("a document");
        let property = &document["properties"][0];
        [&property["verdict"], &property["engine"]].map(|value| value.as_str().unwrap_or("none").to_owned())
    };
    let output = checked("safety", &[]);
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    if told.contains("could not continue on disk") {
        // Of this machine's disk less than the reserve is free.
        assert!(told.contains("C0008") && told.contains("`--disk DIR` names another"), "{told}");
        return;
    }
    assert_eq!(verdict(&output), ["holds", "external"], "{told}");
    assert!(told.contains("memory is full; the search begins anew on disk") && told.contains("C0008"), "{told}");
    assert!(!folder.has_run(), "it is removed");
    let whole = search(PHILOSOPHERS, "safety", &folder, &["-DN=9", "--engine", "external"]).output().expect("it runs");
    assert_eq!(essence(&output), essence(&whole));
    let planned =
        lariat(&["check", PHILOSOPHERS, "-DN=9", "--property", "safety", "--plan"]).output().expect("it runs");
    let planned = String::from_utf8_lossy(&planned.stdout).into_owned();
    assert!(planned.contains("if memory is full: engine `external`"), "{planned}");
    let stopped = lariat(&["check", PHILOSOPHERS, "-DN=9", "--property", "safety", "--json", "--memory", "3M"])
        .args(["--when-full", "stop"])
        .output()
        .expect("it runs");
    assert_eq!(verdict(&stopped)[0], "undecided");
}

/// Nothing is removed before it is printed.
#[cfg(target_os = "linux")]
#[test]
fn an_answer_that_cannot_be_printed_stays_on_disk() {
    let plain = Folder::new("unprinted-plain");
    let expected = essence(&check(MODEL, "safety", &plain).output().expect("it runs"));
    for form in ["--json", "--json-lines", "--quiet"] {
        let folder = Folder::new(&format!("unprinted{form}"));
        let full = std::fs::File::options().write(true).open("/dev/full").expect("Linux has it");
        let asked = ["check", MODEL, "--property", "safety", form, "--engine", "external", "--disk", folder.text()];
        let output = lariat(&[&asked[..], &SMALL].concat()).stdout(full).output().expect("it runs");
        assert_eq!(output.status.code(), Some(2), "{form}");
        assert!(folder.has_run(), "{form}");
        let output = lariat(&["resume", folder.text(), "--json"]).output().expect("it runs");
        assert_eq!(essence(&output), expected, "{form}");
        assert!(!folder.has_run(), "{form}: nothing stays");
    }
}

#[test]
fn what_could_not_go_on_is_not_begun() {
    let refused = |command: &mut Command, why: &str| {
        let output = command.stdin(Stdio::null()).output().expect("it runs");
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{told}");
        assert!(told.contains(why), "{told}");
    };
    refused(&mut lariat(&["check", "-", "--engine", "external"]), "needs a model file and not `-`");
    let nowhere = Folder::new("nowhere");
    let missing = nowhere.0.join("missing");
    let asked = ["check", MODEL, "--engine", "external", "--property", "safety"];
    refused(lariat(&asked).env("TMPDIR", &missing), "`--disk DIR` uses another");
}
