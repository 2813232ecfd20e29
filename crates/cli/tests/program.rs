//! The program as scripts see it: exit codes, JSON, messages, bad options, limits, closed pipes.

use serde_json::Value;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

fn lariat(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lariat"));
    command.args(arguments).current_dir(models()).stdin(Stdio::null());
    command
}

fn models() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/models")
}

fn run(arguments: &[&str]) -> Output {
    lariat(arguments).output().expect("the program starts")
}

fn code(output: &Output) -> i32 {
    output.status.code().expect("not killed")
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("text")
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("text")
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {}", stdout(output)))
}

/// Exit code 2, the words on standard error, nothing on standard output.
fn assert_refused(arguments: &[&str], words: &[&str]) {
    let output = run(arguments);
    assert_eq!(code(&output), 2, "{arguments:?}: {}", stderr(&output));
    assert_eq!(stdout(&output), "", "{arguments:?}");
    for word in words {
        assert!(stderr(&output).contains(word), "{arguments:?} does not say {word:?}: {}", stderr(&output));
    }
}

#[test]
fn what_holds_exits_0() {
    let output = run(&["check", "mutex.sys"]);
    assert_eq!((code(&output), stderr(&output).as_str()), (0, ""));
    assert!(
        stdout(&output).starts_with("safety: holds\n  26 states, 44 transitions, depth 7, "),
        "{}",
        stdout(&output)
    );
}

#[test]
fn what_fails_exits_1_with_a_trace() {
    let output = run(&["check", "broken.sys", "--shortest"]);
    assert_eq!((code(&output), stderr(&output).as_str()), (1, ""));
    let text = stdout(&output);
    for part in [
        "safety: fails, assertion violated (inside = 1)\n",
        "after 8 steps:\n",
        "  initially turn = 0, flag[0..1] = 0, inside = 0\n",
        "  1  P(1)  broken.sys:18  flag[me] = true  flag[1]: 0 → 1\n",
        "  8  P(1)  broken.sys:33  inside++         inside: 1 → 2\n",
        "assertion violated (inside = 1) at broken.sys:35\n    35 |     trap effect assertion if inside != 0 then goes_on\n",
    ] {
        assert!(text.contains(part), "{part:?} in\n{text}");
    }
}

#[test]
fn a_trace_shows_rendezvous_atomic_paths_output_and_names() {
    let output = run(&["check", "handshake.sys"]);
    assert_eq!(code(&output), 1);
    let text = stdout(&output);
    for part in [
        "  1  ┌ Sender(0) → Receiver(1)  handshake.sys:22  c!shade → c?seen (handshake.sys:29)  seen: red → blue\n",
        "     │ Receiver(1)              handshake.sys:31  counts[1]++                          counts[1]: 0 → 1\n",
        "     │ > saw blue, 100%\n",
        "     └ Receiver(1)              handshake.sys:38  run Sender()                         ",
        "Sender(2).shade = green, Sender(2) starts\n",
        "  invalid end state (deadlock: not every process may end here): nothing can happen\n",
        "    Sender(2) at handshake.sys:22: c!shade (waits for a receiver)\n",
    ] {
        assert!(text.contains(part), "{part:?} in\n{text}");
    }
    assert_eq!(code(&run(&["check", "handshake.sys", "--allow-deadlock"])), 0);
}

#[test]
fn warnings_are_told_and_change_nothing() {
    let output = run(&["check", "--quiet", "dubious.pml"]);
    assert_eq!(code(&output), 0);
    for part in
        ["warning[P0606]: 300 does not fit into `b`, a byte: it becomes 44\n", "dubious.pml:2:6", "it holds 0 to 255"]
    {
        assert!(stderr(&output).contains(part), "{part:?} in\n{}", stderr(&output));
    }
    assert!(stdout(&output).starts_with("safety: holds\n"), "{}", stdout(&output));
    let warnings = &json(&run(&["check", "--json", "dubious.pml"]))["warnings"];
    let shown = |number: usize| ["code", "line", "column", "file"].map(|key| warnings[number][key].clone());
    assert_eq!(shown(0), [Value::from("P0606"), 2.into(), 6.into(), "dubious.pml".into()]);
    assert_eq!(shown(1), [Value::from("P0607"), 3.into(), 14.into(), "dubious.pml".into()]);
    let errors = &json(&run(&["check", "--json", "mistaken.pml"]))["errors"];
    assert_eq!([&errors[0]["line"], &errors[0]["column"]], [3, 3]);
    assert_eq!(errors[0]["help"], "did you mean `counter`?");
}

#[test]
fn json_has_the_promised_shape() {
    let output = run(&["check", "mutex.sys", "--json"]);
    assert_eq!(code(&output), 0);
    let document = json(&output);
    assert_eq!(document["schema"], 1);
    assert_eq!(document["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(document["model"], "mutex.sys");
    let property = &document["properties"][0];
    assert_eq!(property["name"], "safety");
    assert_eq!(property["verdict"], "holds");
    assert_eq!(property["engine"], "bfs");
    assert_eq!(property["exact"], true);
    assert_eq!([&property["states"], &property["transitions"], &property["depth"]], [26, 44, 7]);
    assert!(property["bytes_per_state"].is_number() && property["seconds"].is_number());
    assert!(property["peak_memory_bytes"].as_u64().unwrap() > 0);
    assert_eq!(property["digest"].as_str().unwrap().len(), 16);

    let output = run(&["check", "broken.sys", "--json", "--keep-going"]);
    assert_eq!(code(&output), 1);
    let property = &json(&output)["properties"][0];
    assert_eq!([&property["verdict"], &property["kind"]], ["fails", "assertion"]);
    assert_eq!(property["replayed"], true);
    assert_eq!(property["line"], 35);
    assert!(property["failure_count"].as_u64().unwrap() > 1);
    assert_eq!(property["failures"].as_array().unwrap().len(), 1);
    let trace = &property["trace"];
    let steps = trace["steps"].as_array().unwrap();
    assert_eq!((trace["stem"].as_u64().unwrap() as usize, &trace["loop"]), (steps.len(), &Value::from(0)));
    let first = &steps[0];
    assert_eq!([&first["process"], &first["text"]], ["P", "flag[me] = true"]);
    assert_eq!([&first["pid"], &first["line"]], [1, 18]);
    assert_eq!(first["changes"]["flag[1]"], serde_json::json!([0, 1]));
}

#[test]
fn the_same_bytes_each_time_but_for_timings() {
    let text = || {
        let mut document = json(&run(&["check", "broken.sys", "--json", "--keep-going"]));
        for key in ["seconds", "peak_memory_bytes"] {
            document["properties"][0][key] = Value::Null;
        }
        document.to_string()
    };
    assert_eq!(text(), text());
}

#[test]
fn a_trace_is_saved_where_it_is_wanted() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("trace.json");
    let name = file.to_str().unwrap();
    let output = run(&["check", "mutex.sys", "--trace", name]);
    assert_eq!(code(&output), 0);
    assert!(!file.exists() && stderr(&output).contains("no trace"));
    assert_eq!(code(&run(&["check", "broken.sys", "--trace", name])), 1);
    let document: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    assert_eq!(document["property"], "safety");
    assert_eq!(document["trace"]["steps"].as_array().unwrap().len(), 8);

    let nowhere = folder.path().join("no/such/folder/t.json");
    let output = run(&["check", "broken.sys", "--trace", nowhere.to_str().unwrap()]);
    assert_eq!(code(&output), 2);
    assert_eq!(stdout(&output), "", "it is refused before anything is searched");
    assert!(stderr(&output).contains(&format!("cannot write `{}`", nowhere.display())), "{}", stderr(&output));
    let output = run(&["check", "broken.sys", "--json", "--trace", nowhere.to_str().unwrap()]);
    assert_eq!(code(&output), 2);
    assert_eq!(json(&output)["properties"], Value::Array(Vec::new()), "nothing is searched");
    assert!(json(&output)["errors"][0]["message"].as_str().unwrap().starts_with("cannot write"));
    assert_eq!(code(&run(&["check", "broken.sys", "--trace", folder.path().to_str().unwrap()])), 2, "a folder");
    let left: Vec<_> = std::fs::read_dir(folder.path()).unwrap().flatten().map(|entry| entry.file_name()).collect();
    assert_eq!(left, ["trace.json"], "nothing unfinished is left behind");
}

#[cfg(target_os = "linux")]
#[test]
fn what_cannot_be_written_is_said() {
    for arguments in [
        &["simulate", "broken.sys", "--seed", "1"][..],
        &["simulate", "broken.sys", "--json"],
        &["check", "broken.sys"],
    ] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let output = lariat(arguments).stdout(full).output().unwrap();
        assert_eq!(code(&output), 2, "{arguments:?}");
        assert!(stderr(&output).contains("cannot write to standard output: No space left"), "{}", stderr(&output));
    }
}

/// Under a limit on its memory the system may give no thread. That is no bug of ours.
#[cfg(target_os = "linux")]
#[test]
fn a_system_that_gives_no_thread_is_told() {
    let program = env!("CARGO_BIN_EXE_lariat");
    let line = format!("ulimit -v 200000; exec '{program}' check broken.sys");
    let folder = lariat(&[]).get_current_dir().expect("they are started in a folder").to_owned();
    let output = Command::new("sh").args(["-c", &line]).current_dir(folder).output().unwrap();
    assert_eq!(code(&output), 2, "{}", stderr(&output));
    assert!(stderr(&output).contains("the system gave no thread"), "{}", stderr(&output));
}

/// Nobody waits for native code that there will not be: finding out what it would need to know takes long too.
#[test]
fn a_process_of_very_many_statements_is_checked() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("long.pml");
    std::fs::write(&path, format!("byte x; init {{ {} }}", ["x++"; 12_000].join(";"))).unwrap();
    let began = std::time::Instant::now();
    let output =
        lariat(&["check", path.to_str().unwrap(), "--code", "bytecode", "--property", "safety"]).output().unwrap();
    let bytecode = began.elapsed();
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let output = lariat(&["check", path.to_str().unwrap(), "--property", "safety"]).output().unwrap();
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let auto = began.elapsed() - bytecode;
    assert!(auto < bytecode * 4 + std::time::Duration::from_millis(500), "{auto:?} instead of {bytecode:?}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_trace_can_go_to_what_is_no_file() {
    use std::os::unix::fs::FileTypeExt;
    let folder = tempfile::tempdir().unwrap();
    let output = run(&["check", "broken.sys", "--trace", "/dev/full"]);
    assert_eq!(code(&output), 2);
    assert!(stdout(&output).starts_with("safety: fails"));
    assert!(stderr(&output).starts_with("error: cannot write `/dev/full`: No space left"), "{}", stderr(&output));

    let output = run(&["check", "broken.sys", "--trace", "/dev/null"]);
    assert_eq!((code(&output), stderr(&output).as_str()), (1, ""));
    for device in ["/dev/null", "/dev/full"] {
        assert!(std::fs::metadata(device).unwrap().file_type().is_char_device(), "{device} is still a device");
    }

    // A pipe, and a file, which the program and its caller then share.
    let file = folder.path().join("out");
    let redirected = std::fs::File::create(&file).unwrap();
    let status = lariat(&["check", "broken.sys", "--trace", "/dev/stdout"]).stdout(redirected).status().unwrap();
    assert_eq!(status.code(), Some(1));
    let piped = stdout(&run(&["check", "broken.sys", "--trace", "/dev/stdout"]));
    for text in [piped, std::fs::read_to_string(&file).unwrap()] {
        assert!(text.contains("\"property\": \"safety\"") && text.contains("safety: fails"), "{text}");
    }

    // A link stays a link.
    let (link, target) = (folder.path().join("link"), folder.path().join("target"));
    std::fs::write(&target, "old").unwrap();
    std::os::unix::fs::symlink(&target, &link).unwrap();
    assert_eq!(code(&run(&["check", "broken.sys", "--trace", link.to_str().unwrap()])), 1);
    assert!(link.is_symlink() && std::fs::read_to_string(&target).unwrap().starts_with('{'));
}

#[test]
fn limits_leave_it_undecided_with_a_reason() {
    for memory in ["1", "1K", "100K", "1M", "24M"] {
        let output = run(&["check", "grower.sys", "--memory", memory, "--when-full", "stop", "--json"]);
        assert_eq!(code(&output), 3, "{}", stderr(&output));
        let property = &json(&output)["properties"][0];
        assert_eq!([&property["verdict"], &property["reason"]], ["undecided", "memory"]);
        assert!(property["limit_bytes"].is_number());
    }
    let started = Instant::now();
    for time in ["0s", "1ms", "300ms"] {
        let output = run(&["check", "grower.sys", "--time", time, "--json"]);
        assert_eq!(code(&output), 3);
        let document = json(&output);
        // The model may not even have been read.
        if document["errors"][0]["code"] == "C0103" {
            assert!(document["errors"][0]["message"].as_str().unwrap().contains("the time limit"), "{document}");
            continue;
        }
        let property = &document["properties"][0];
        assert!(["time", "not_started"].contains(&property["reason"].as_str().unwrap()), "{property}");
    }
    assert!(started.elapsed() < Duration::from_secs(10));
    // Also where the graph, of depth 7, ends before the bound.
    for (model, depth) in [("grower.sys", "2"), ("mutex.sys", "7"), ("mutex.sys", "1000")] {
        let output = run(&["check", model, "--depth", depth]);
        assert_eq!(code(&output), 3);
        let reason = format!("undecided, the search was bounded to depth {depth}\n");
        assert!(stdout(&output).contains(&reason), "{}", stdout(&output));
    }
}

#[test]
fn memory_stays_below_the_limit() {
    if !Path::new("/proc/self/status").exists() {
        return;
    }
    let property =
        &json(&run(&["check", "grower.sys", "--memory", "48M", "--when-full", "stop", "--json"]))["properties"][0];
    // Development builds were seen at 42 to 48 MiB and released ones at 32 to 38. That the larger program is the cause is a guess.
    let limit = if cfg!(debug_assertions) { 58 } else { 48 };
    assert!(property["peak_memory_bytes"].as_u64().unwrap() <= limit << 20, "{property}");
}

#[test]
fn files_that_are_no_models_exit_2() {
    assert_refused(&["check", "missing.sys"], &["cannot read `missing.sys`", "spelling"]);
    assert_refused(&["show", "."], &["cannot read `.`"]);
    assert_refused(&["show", "missing.sys"], &["cannot read"]);
    assert_refused(&["check", "model.smv"], &["cannot read"]);

    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| {
        let file = folder.path().join(name);
        std::fs::write(&file, bytes).unwrap();
        file.to_str().unwrap().to_owned()
    };
    let mut noise = 1_u64;
    let garbage: Vec<u8> = (0..5000)
        .map(|_| {
            noise = noise.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (noise >> 56) as u8
        })
        .collect();
    assert_refused(&["check", &write("garbage.sys", &garbage)], &["not UTF-8 text"]);
    assert_refused(&["check", &write("zeros.sys", &[0; 100])], &["error"]);
    assert_refused(&["check", &write("empty.sys", b"")], &["error"]);
    assert_refused(&["check", &write("typo.sys", b"system x\nslto y : bool = 0\n")], &["typo.sys:2"]);
    assert_refused(&["check", &write("m.smv", b"MODULE main\nVAR x : boolean\n")], &["m.smv:2", "expected `;`"]);
    assert_refused(&["check", "mutex.sys", "-DN=3"], &["Promela"]);

    let broken = write("broken.sys", b"system x\nslto y : bool = 0\n");
    let output = run(&["check", &broken, "--json"]);
    assert_eq!(code(&output), 2);
    let document = json(&output);
    assert_eq!(document["properties"], serde_json::json!([]));
    assert_eq!(document["errors"][0]["line"], 2);
}

#[test]
fn a_refusal_is_a_document_too() {
    for (arguments, word) in [
        (&["check", "mutex.sys", "--property", "safty"][..], "did you mean `safety`"),
        (&["check", "mutex.sys", "--ltl", "[] p"], "no label `p`"),
        (&["check", "mutex.sys", "--workers", "2"], "`--workers`"),
        (&["check", "mutex.sys", "-DN=3"], "Promela"),
        (&["check", "mutex.sys", "--lose-messages"], "Promela"),
        (&["check", "mutex.sys", "--trail"], "--trail"),
        (&["check", "mutex.pml", "--property", "aloen"], "`alone`"),
        (&["check", "missing.sys"], "cannot read"),
        (&["simulate", "missing.sys"], "cannot read"),
        (&["simulate", "mutex.sys", "-DN=3"], "Promela"),
    ] {
        let output = run(&[arguments, &["--json"]].concat());
        assert_eq!(code(&output), 2, "{arguments:?}: {}", stderr(&output));
        let document = json(&output);
        assert_eq!((&document["schema"], &document["version"]), (&1.into(), &env!("CARGO_PKG_VERSION").into()));
        assert_eq!((&document["model"], &document["properties"]), (&arguments[1].into(), &serde_json::json!([])));
        let error = &document["errors"][0];
        assert!(error["message"].as_str().unwrap().contains(word), "{arguments:?}: {document}");
        assert!(error["code"].as_str().is_some_and(|code| code.len() == 5), "{document}");
        assert!(stderr(&output).contains(word), "{arguments:?}: {}", stderr(&output));
    }
}

#[test]
fn what_is_not_there_yet_is_refused_by_name() {
    assert_refused(&["check", "mutex.sys", "--workers", "2"], &["--workers", "--engine cluster"]);
    for neutral in [["--por", "off"], ["--fairness", "none"], ["--threads", "1"], ["--store", "flat"]] {
        assert_eq!(code(&run(&["check", "mutex.sys", neutral[0], neutral[1]])), 0, "{neutral:?}");
    }
}

#[test]
fn nonsense_exits_2_with_help() {
    assert_refused(&["check"], &["MODEL"]);
    assert_refused(&["chekc", "x"], &["check"]);
    assert_refused(&["check", "mutex.sys", "--unheard-of"], &["--unheard-of"]);
    for memory in ["", "0", "-4G", "4X", "lots"] {
        assert_refused(&["check", "mutex.sys", &format!("--memory={memory}")], &["--memory"]);
    }
    for time in ["", "-1s", "4y", "soon"] {
        assert_refused(&["check", "mutex.sys", &format!("--time={time}")], &["--time"]);
    }
    assert_refused(&["check", "mutex.sys", "--depth=-1"], &["--depth"]);
    assert_refused(&["check", "mutex.sys", "--engine", "warp"], &["warp", "bfs"]);
    assert_refused(&["check", "mutex.sys", "--property", "safty"], &["did you mean `safety`"]);
    assert_refused(&["check", "mutex.sys", "--property", "np_"], &["no property `np_`"]);
    assert_eq!(code(&run(&["check", "mutex.sys", "--property", "safety"])), 0);
}

#[test]
fn help_version_and_completions() {
    for arguments in [&["help"][..], &["help", "check"], &["check", "--help"], &["--version"], &["completions", "bash"]]
    {
        let output = run(arguments);
        assert_eq!((code(&output), stderr(&output).as_str()), (0, ""), "{arguments:?}");
        assert!(stdout(&output).contains("lariat"));
    }
    assert_eq!(code(&run(&[])), 2);
}

/// A language is in the help of every command that reads models as soon as its front end is registered.
#[test]
fn the_help_lists_the_languages() {
    for command in ["check", "simulate", "show", "replay", "shorten"] {
        let help = stdout(&run(&[command, "--help"])).split_whitespace().collect::<Vec<_>>().join(" ");
        for front_end in lariat::front::front_ends().iter() {
            let endings = front_end.endings().iter().map(|ending| format!("`.{ending}`"));
            let words: Vec<String> = std::iter::once(front_end.language().to_owned()).chain(endings).collect();
            assert!(words.iter().all(|word| help.contains(word)), "{command}: {words:?} in {help}");
        }
    }
}

#[test]
fn show_prints_what_can_be_read_again() {
    let output = run(&["show", "handshake.sys"]);
    assert_eq!(code(&output), 0);
    let folder = tempfile::tempdir().unwrap();
    let again = folder.path().join("again.sys");
    std::fs::write(&again, &output.stdout).unwrap();
    let output_again = run(&["show", again.to_str().unwrap()]);
    assert_eq!(stdout(&output), stdout(&output_again));
    let stats = stdout(&run(&["show", "--stats", "handshake.sys"]));
    for part in ["slots", "bits", "actions    3", "processes  2 kinds", "pool       3"] {
        assert!(stats.contains(part), "{part} in {stats}");
    }
}

#[test]
fn a_reader_that_goes_away_changes_nothing() {
    for (arguments, expected) in [
        (&["check", "broken.sys"][..], 1),
        (&["check", "broken.sys", "--json"], 1),
        (&["help"], 0),
        (&["show", "mutex.sys"], 0),
    ] {
        let mut child = lariat(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let mut complaints = String::new();
        child.stderr.take().unwrap().read_to_string(&mut complaints).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(expected), "{arguments:?}: {complaints}");
        assert_eq!(complaints, "");
    }
}

#[test]
fn pipes_get_neither_colours_nor_progress() {
    let output = run(&["check", "grower.sys", "--time", "1500ms"]);
    assert_eq!(stderr(&output), "");
    assert!(!stdout(&output).contains('\x1b'));
}

#[cfg(unix)]
#[test]
fn an_interrupt_leaves_it_undecided_with_figures() {
    let child = lariat(&["check", "grower.sys", "--json"]).stdout(Stdio::piped()).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(700));
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(code(&output), 3);
    let property = &json(&output)["properties"][0];
    assert_eq!([&property["verdict"], &property["reason"]], ["undecided", "interrupted"]);
    assert!(property["states"].as_u64().unwrap() > 0);
}

#[test]
fn promela_models_are_checked() {
    let output = run(&["check", "mutex.pml"]);
    assert_eq!(code(&output), 1);
    assert_eq!(stderr(&output), "");
    let text = stdout(&output);
    let alone = &json(&run(&["check", "mutex.pml", "--json"]))["properties"][1];
    assert_eq!([&alone["name"], &alone["verdict"], &alone["kind"]], ["alone", "fails", "cycle"]);
    for part in [
        "after 3 steps:",
        "  3  P(0)  mutex.pml:8  assert(inside == 1)\n",
        "assertion violated (inside = 2) at mutex.pml:8\n",
    ] {
        assert!(text.contains(part), "{part:?} in\n{text}");
    }
    assert_eq!(stderr(&run(&["check", "mutex.pml", "--property", "safety"])), "");
}

#[test]
fn includes_are_found_beside_their_includer_and_names_can_be_defined() {
    assert_eq!(code(&run(&["check", "include.pml", "-DWANTED=3"])), 0);
    assert_eq!(code(&run(&["check", "include.pml", "-D", "WANTED=4"])), 1);
    let folder = tempfile::tempdir().expect("a folder");
    let model = folder.path().join("far.pml");
    std::fs::write(&model, "#include \"one.h\"\nactive proctype P() { assert(ONE) }\n").expect("written");
    let model = model.to_str().expect("text");
    assert_refused(&["check", model], &["cannot include `one.h`", "far.pml:1"]);
    assert_eq!(code(&run(&["check", model, "-I", "parts"])), 0);
}

#[test]
fn includes_may_lie_anywhere_unless_they_are_confined() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name).to_str().expect("text").to_owned();
    for sub in ["model", "common"] {
        std::fs::create_dir(at(sub)).expect("a folder");
    }
    std::fs::write(at("common/one.h"), "#define ONE 1\n").expect("written");
    let model = at("model/m.pml");
    std::fs::write(&model, "#include \"../common/one.h\"\nactive proctype P() { assert(ONE) }\n").expect("written");
    let root = folder.path().to_str().expect("text");
    for command in [&["check"][..], &["show"], &["simulate", "--seed", "1"], &["unbounded"]] {
        let with = |more: &[&str]| run(&[command, &[&model], more].concat());
        assert_eq!(code(&with(&[])), 0, "{command:?}: {}", stderr(&with(&[])));
        assert_eq!(code(&with(&["--include-root", root])), 0, "{command:?}");
        let refused = with(&["--include-root", &at("model")]);
        assert_eq!(code(&refused), 2, "{command:?}");
        let told = stderr(&refused);
        assert!(told.contains("m.pml:1:1") && told.contains("lies outside"), "{told}");
        assert!(told.contains("which `--include-root` confines it to"), "{told}");
    }
    assert_refused(&["check", &model, "--include-root", &at("nowhere")], &["--include-root", "nowhere"]);
}

#[test]
fn latin_1_is_read_with_a_note() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, bytes: &[u8]| {
        let file = folder.path().join(name);
        std::fs::write(&file, bytes).expect("written");
        file.to_str().expect("text").to_owned()
    };
    let fine = write("fine.pml", b"/* caf\xe9, na\xefve */\nactive proctype P() { printf(\"\xfcber\") }\n");
    let output = run(&["check", &fine]);
    assert_eq!(code(&output), 0);
    let told = stderr(&output);
    assert!(told.contains("fine.pml:1:7") && told.contains("Latin-1") && told.contains("0xe9"), "{told}");
    assert_eq!(told.matches("Latin-1").count(), 1, "{told}");
    let bad = write("bad.pml", b"active proctype P() {\n  skip; \xe9 }\n");
    assert_refused(&["check", &bad], &["bad.pml:2:9", "not a character of Promela", "Latin-1"]);
    write("part.h", b"// \xff\n#define N 1\n");
    let whole =
        write("whole.pml", b"\xef\xbb\xbf#include \"part.h\"\n#include \"part.h\"\nactive proctype P() { assert(N) }");
    let output = run(&["check", &whole]);
    let told = stderr(&output);
    assert_eq!((code(&output), told.matches("part.h:1:4").count()), (0, 1), "{told}");
}

#[test]
fn every_broken_formula_of_the_model_is_told_whatever_is_asked_for() {
    let folder = tempfile::tempdir().expect("a folder");
    let model = folder.path().join("m.pml");
    let text = "byte x, a[3];\nltl p { [] (x == 1 }\nltl q { [] (y == 1) }\nactive proctype P() { x = 1; a[0] = x }\nltl r { <> (x == 1) }\nltl s { <> (a[7] == 1) }\n";
    std::fs::write(&model, text).expect("written");
    let model = model.to_str().expect("text");
    for command in [&["check", model][..], &["check", model, "--property", "safety"], &["show", model]] {
        let told = stderr(&run(command));
        assert_eq!(code(&run(command)), 2, "{told}");
        let places: Vec<usize> =
            ["m.pml:2:", "m.pml:3:13", "m.pml:6:15"].iter().map(|place| told.find(place).expect(place)).collect();
        assert!(places.is_sorted() && told.contains("index 7 is outside `a[3]`"), "{told}");
    }
}

#[test]
fn a_pool_of_unknown_size_is_made_to_fit() {
    let output = run(&["check", "spawn.pml", "--json"]);
    assert_eq!(code(&output), 0, "{}", stdout(&output));
    assert_eq!(json(&output)["properties"][0]["verdict"], "holds");
    assert!(stdout(&run(&["show", "--stats", "spawn.pml"])).contains("gives no bound"));
}

/// All but what differs from run to run: the lines behind `time` are times, up to an empty one.
fn without_times(text: &str) -> String {
    let mut timed = false;
    let kept = text.lines().filter(|line| {
        timed = (timed || line.starts_with("  time")) && !line.is_empty();
        !timed && !line.contains(", depth ")
    });
    kept.collect::<Vec<_>>().join("\n")
}

#[test]
fn a_profile_says_where_states_come_from() {
    let model = ["check", "../../../../models/server_pool.pml"];
    let profiled = |more: &[&str]| run(&[&model[..], &["--profile"], more].concat());
    let one = profiled(&["--threads", "1"]);
    assert_eq!(code(&one), 0);
    let text = stdout(&one);
    for words in ["profile of safety: 189 states\n", "  process ", "  statement ", "  variable ", "  time ", "smaller"]
    {
        assert!(text.contains(words), "{words}: {text}");
    }
    for more in [&["--threads", "4"][..], &["--quiet"]] {
        assert_eq!(without_times(&stdout(&profiled(more))), without_times(&text));
    }
    // Nothing else changes.
    let plain = stdout(&run(&[&model[..], &["--threads", "1"]].concat()));
    assert!(text.lines().next() == plain.lines().next() && !plain.contains("profile"), "{plain}");

    let mut documents = ["1", "4"].map(|threads| json(&profiled(&["--json", "--threads", threads])));
    let profiles = documents.each_mut().map(|document| {
        let mut profile = document["properties"][0]["profile"].take();
        let phases = profile["phases"].take();
        assert!(phases.as_array().is_some_and(|phases| phases.len() > 5), "{phases}");
        profile["threads"].take();
        profile
    });
    assert_eq!(profiles[0], profiles[1]);
    assert_eq!(profiles[0]["states"], 189);
    assert!(profiles[0]["statements"].as_array().is_some_and(|rows| rows.iter().all(|row| row["line"] != 0)));
}

#[test]
fn what_depth_first_search_cannot_do_is_refused() {
    for (arguments, word) in
        [(&["--depth", "3"][..], "bound"), (&["--threads", "2"], "several threads"), (&["--shortest"], "shortest")]
    {
        let all = [&["check", "mutex.sys", "--engine", "dfs"], arguments].concat();
        assert_refused(&all, &["`dfs`", word, "`bfs`"]);
    }
}

#[test]
fn engines_stores_code_and_threads_agree() {
    let figures = |arguments: &[&str]| {
        let output = run(&[&["check", "../../../../models/bench/philosophers.pml", "--json"], arguments].concat());
        assert_eq!(code(&output), 0, "{arguments:?}");
        let property = json(&output)["properties"][0].clone();
        ["verdict", "states", "transitions", "digest"].map(|name| property[name].clone())
    };
    let expected = figures(&[]);
    for arguments in [
        &["--engine", "dfs"][..],
        &["--threads", "7"],
        &["--store", "flat", "--threads", "3"],
        &["--store", "hybrid", "--threads", "2"],
        &["--code", "bytecode"],
        &["--code", "native", "--engine", "dfs", "--store", "flat"],
    ] {
        assert_eq!(figures(arguments), expected, "{arguments:?}");
    }
}

#[test]
fn a_hybrid_store_tells_its_packets() {
    const DEKKER: &str = "../../../../models/dekker.pml";
    let fair =
        ["check", DEKKER, "--property", "enters", "--fairness", "weak", "--engine", "magic", "--store", "hybrid"];
    let output = run(&[&fair[..], &["--json"]].concat());
    assert_eq!(code(&output), 0);
    let property = &json(&output)["properties"][0];
    let figure = |name: &str| property[name].as_u64().unwrap_or_else(|| panic!("{name} in {property}"));
    assert_eq!(figure("packets"), 101);
    let tail_bits = u64::from(figure("tails").next_power_of_two().ilog2());
    let classical_bytes = figure("classical_states") * (figure("head_bits") + tail_bits).div_ceil(8);
    let hybrid_bytes = figure("packets") * (figure("head_bits") + figure("tails")).div_ceil(8);
    assert_eq!((figure("classical_bytes"), figure("hybrid_bytes")), (classical_bytes, hybrid_bytes));
    assert!(property["matched"].as_f64() > property["break_even"].as_f64(), "{property}");
    let text = stdout(&run(&fair));
    assert!(text.contains("  101 packets for ") && text.contains(" % break even)"), "{text}");

    for (arguments, words) in [
        (&["--split", "demon"][..], &["`--split`", "`--store hybrid`"][..]),
        (&["--store", "hybrid", "--split", "head"], &["claim,demon"]),
        (&["--acceptance", "some"], &["generalised", "copies"]),
        (&["--ltl", "[] true", "--engine", "bfs", "--store", "hybrid"], &["`bfs`", "`scc`"]),
        (&["--property", "enters", "--engine", "kosaraju", "--fairness", "strong"], &["`kosaraju`", "`scc`"]),
    ] {
        assert_refused(&[&["check", DEKKER], arguments].concat(), words);
    }
}

#[test]
fn a_profile_of_a_part_says_so() {
    let failing = stdout(&run(&["check", "../../../../models/counter_race.pml", "--profile"]));
    assert!(failing.starts_with("safety: fails"), "{failing}");
    assert!(failing.contains("profile of safety: 70 states, the part that was seen; there may be more\n"), "{failing}");
    assert!(failing.contains("replaying the runs") && failing.contains("finding the runs again"), "{failing}");
    let shallow = run(&["check", "../../../../models/dekker.pml", "--property", "safety", "--profile", "--depth", "3"]);
    assert_eq!(code(&shallow), 3);
    assert!(stdout(&shallow).contains("the part that was seen"), "{}", stdout(&shallow));
}
