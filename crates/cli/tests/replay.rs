//! `lariat replay` and `lariat shorten`: what was saved is found again, SPIN's trails too, and what is no trace is refused.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Larger models take long in a debug build.
const MAX_STATES: u64 = 100_000;

/// What is changed in a document.
type Change = Box<dyn Fn(&mut Value)>;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn model(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/models").join(name);
    path.to_str().expect("a name").to_owned()
}

fn lariat(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_lariat")).args(arguments).current_dir(folder).output().expect("it starts")
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn document(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}{}", stdout(output), stderr(output)))
}

/// Whether there is SPIN, and a compiler for its verifiers.
fn has_spin() -> bool {
    let there = is_there("spin") && is_there(compiler());
    if !there {
        println!("skipped: no spin");
    }
    there
}

fn is_there(tool: &str) -> bool {
    Command::new(tool).arg("--version").output().is_ok()
}

/// A compiler of C; gcc takes two seconds for a verifier, tcc no time.
fn compiler() -> &'static str {
    if is_there("tcc") { "tcc" } else { "gcc" }
}

/// Saves a trace of the model's failure and reads it.
fn saved(folder: &Path, arguments: &[&str]) -> Value {
    let output = lariat(folder, &[&["check", "--quiet", "--trace", "trace.json"], arguments].concat());
    assert_eq!(output.status.code(), Some(1), "{arguments:?}: {}", stderr(&output));
    serde_json::from_str(&std::fs::read_to_string(folder.join("trace.json")).expect("it is there"))
        .expect("it is there")
}

/// Everything beside the models that looks like one.
fn models_in(folder: &Path, found: &mut Vec<PathBuf>) {
    for path in std::fs::read_dir(folder).expect("it is there").flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            models_in(&path, found);
        } else if path.extension().is_some_and(|end| end == "pml" || end == "sys") {
            found.push(path);
        }
    }
}

#[test]
fn the_traces_of_all_failing_models_replay() {
    let folder = tempfile::tempdir().expect("it is there");
    let mut models = Vec::new();
    models_in(&root().join("models"), &mut models);
    models_in(Path::new(&model("")), &mut models);
    // `.ci/run` gives it more time.
    let time = std::env::var("LARIAT_SHORTEN_TIME").unwrap_or_else(|_| "100ms".to_owned());
    let mut count = 0;
    // Models that state what holds, and no failure, have no trace; one has no failure and no end.
    let has_trace = |path: &&PathBuf| {
        let text = std::fs::read_to_string(path).expect("it is there");
        let mut expected = text.lines().filter(|line| line.contains("expect:")).peekable();
        expected.peek().is_none() && !path.ends_with("grower.sys") || expected.any(|line| line.contains("fails"))
    };
    for path in models.iter().filter(|path| !path.to_string_lossy().contains("bench")).filter(has_trace) {
        let name = path.to_str().expect("it is there");
        let output = lariat(
            folder.path(),
            &["check", "--json", "--code", "bytecode", "--time", "20s", "--trace", "trace.json", name],
        );
        if output.status.code() != Some(1) {
            continue;
        }
        let checked = document(&output);
        std::fs::write(folder.path().join("all.json"), &output.stdout).expect("it is there");
        for property in checked["properties"].as_array().expect("it is there") {
            let Some(trace) = property.get("trace") else { continue };
            let wanted = property["name"].as_str().expect("it is there");
            let output = lariat(folder.path(), &["replay", "--json", "--property", wanted, name, "all.json"]);
            assert_eq!(output.status.code(), Some(0), "{name}, {wanted}: {}{}", stdout(&output), stderr(&output));
            let replayed = document(&output);
            for key in ["kind", "message", "file", "line"] {
                assert_eq!(replayed.get(key), property.get(key), "{name}, {wanted}");
            }
            // Where a state repeats for ever, it may have been told more than once.
            let moving = |trace: &Value| -> Vec<Value> {
                let steps = trace["steps"].as_array().expect("it is there").iter();
                let mut steps: Vec<Value> = steps.filter(|step| step.get("stutter").is_none()).cloned().collect();
                // Replays say where processes stand, in control too, and what they begin with, for reports.
                for step in steps.iter_mut().filter_map(Value::as_object_mut) {
                    step.retain(|name, _| !["standing", "appeared", "control"].contains(&name.as_str()));
                }
                steps
            };
            assert_eq!(moving(&replayed["trace"]), moving(trace), "{name}, {wanted}");
            assert_eq!(replayed["replayed"], true);
            count += 1;
        }
        let output = lariat(folder.path(), &["replay", "--quiet", name, "trace.json"]);
        assert_eq!(output.status.code(), Some(0), "{name}: {}{}", stdout(&output), stderr(&output));
        let shorten = |time: &str| lariat(folder.path(), &["shorten", "--quiet", "--time", time, name, "trace.json"]);
        // On a busy machine that may not even be enough to replay it.
        let output =
            Some(shorten(&time)).filter(|output| output.status.code() != Some(3)).unwrap_or_else(|| shorten("60s"));
        assert_eq!(output.status.code(), Some(0), "{name}: {}{}", stdout(&output), stderr(&output));
    }
    println!("{count} traces replayed");
    assert!(count >= 10, "{count} traces");
}

/// A trail that SPIN's verifier makes for the model, in a folder of its own, and what it says of the failure.
fn spin_trail(
    path: &Path,
    spin: &[&str],
    compile: &[&str],
    run: &[&str],
) -> Option<(tempfile::TempDir, String, String)> {
    let folder = tempfile::tempdir().expect("it is there");
    for sibling in std::fs::read_dir(path.parent()?).ok()?.flatten().map(|entry| entry.path()) {
        if sibling == path || sibling.extension() == Some("h".as_ref()) {
            std::fs::copy(&sibling, folder.path().join(sibling.file_name()?)).ok()?;
        }
    }
    let name = path.file_name()?.to_str()?.to_owned();
    let call = |program: &str, arguments: &[&str]| {
        Command::new(program).args(arguments).current_dir(folder.path()).output().ok()
    };
    call("spin", &[&["-a"], spin, &[&name]].concat())?;
    call(compiler(), &[&["-w", "-o", "pan"], compile, &["pan.c"]].concat())?;
    let pan = folder.path().join("pan");
    let said = call(pan.to_str()?, &[&["-m100000"], run].concat())?;
    let said = String::from_utf8_lossy(&said.stdout).into_owned();
    let error = said.lines().find(|line| line.starts_with("pan:1:"))?.to_owned();
    folder.path().join(format!("{name}.trail")).is_file().then_some((folder, name, error))
}

/// What our word for a failure of SPIN's is.
fn word(error: &str) -> Option<&'static str> {
    let words = [("invalid array index", "index"), ("cycle", "cycle"), ("invalid end state", "invalid_end")];
    words
        .into_iter()
        .chain([("assertion violated", "assertion")])
        .find(|(said, _)| error.contains(said))
        .map(|(_, word)| word)
}

/// Replays SPIN's trail; what is wrong with it.
fn trail_mistake(folder: &Path, name: &str, defines: &[&str], error: &str) -> Option<String> {
    let trail = format!("{name}.trail");
    let output = lariat(folder, &[&["replay", "--json", name, &trail], defines].concat());
    let replayed = document(&output);
    let same = word(error).is_none_or(|word| replayed["kind"] == word);
    let right = output.status.code() == Some(0) && same;
    (!right).then(|| format!("{name}: {error}, but {} {} {}", replayed["kind"], replayed["reason"], stderr(&output)))
}

#[test]
fn trails_of_spin_replay_to_the_failure() {
    if !has_spin() {
        return;
    }
    let safety = (&["-DSAFETY", "-DNOCLAIM"][..], &[][..]);
    let settles = (&[][..], &["-a", "-N", "settles"][..]);
    let moves = (&[][..], &["-a", "-N", "moves"][..]);
    let reached = (&[][..], &["-a", "-N", "reached"][..]);
    let (mut count, mut mistakes) = (0, Vec::new());
    for (name, defines, (compile, run)) in [
        ("replay/merge.pml", &[][..], safety),
        ("replay/index.pml", &[], safety),
        ("replay/cycle.pml", &[], settles),
        ("replay/cycle.pml", &[], moves),
        ("replay/ends.pml", &[], reached),
        ("replay/ends.pml", &["-DN"], safety),
        ("trails/births.pml", &[], safety),
        ("trails/claims.pml", &[], safety),
        ("trails/d_steps.pml", &[], safety),
        ("trails/meeting.pml", &[], safety),
        ("trails/ways.pml", &[], safety),
        ("../../../../models/counter_race.pml", &[], safety),
        ("../../../../models/philosophers.pml", &[], safety),
    ] {
        for merging in [&[][..], &["-o3"]] {
            let spin = [merging, defines].concat();
            let Some((folder, name, error)) = spin_trail(Path::new(&model(name)), &spin, compile, run) else {
                continue;
            };
            mistakes.extend(trail_mistake(folder.path(), &name, defines, &error));
            count += 1;
        }
    }
    println!("{count} trails replayed");
    assert!(mistakes.is_empty() && count >= 16, "{count} trails, mistakes:\n{}", mistakes.join("\n"));
}

#[test]
fn trails_of_the_corpus_replay() {
    if !has_spin() {
        return;
    }
    let corpus = root().join("../shared/corpus/promela");
    let (mut count, mut mistakes) = (0, Vec::new());
    for part in ["semantics", "conformance"] {
        let Ok(table) = std::fs::read_to_string(corpus.join(part).join("expected.tsv")) else {
            println!("skipped: no corpus");
            return;
        };
        for row in table.lines().skip(1) {
            let columns: Vec<&str> = row.split('\t').collect();
            let small = columns[4].parse::<u64>().is_ok_and(|states| states <= MAX_STATES);
            if (columns[2], columns[3], small) != ("safety", "fails", true) {
                continue;
            }
            let defines: Vec<&str> = columns[1].split_whitespace().filter(|option| option.starts_with("-D")).collect();
            let path = corpus.join(part).join(columns[0]);
            let Some((folder, name, error)) = spin_trail(&path, &defines, &["-DSAFETY", "-DNOCLAIM"], &[]) else {
                continue;
            };
            // Promises about channels are not checked by us.
            if !error.contains("partial order reduction invalid") {
                mistakes.extend(trail_mistake(folder.path(), &name, &defines, &error));
                count += 1;
            }
        }
    }
    println!("{count} trails replayed");
    assert!(mistakes.is_empty(), "{count} trails, mistakes:\n{}", mistakes.join("\n"));
}

#[test]
fn our_own_trails_replay() {
    let folder = tempfile::tempdir().expect("it is there");
    for name in
        ["trails/births.pml", "trails/d_steps.pml", "trails/meeting.pml", "replay/merge.pml", "replay/index.pml"]
    {
        let path = model(name);
        let output = lariat(folder.path(), &["check", "--json", "--trail", &path]);
        let trail = document(&output)["trail"].as_str().expect("it is there").to_owned();
        let kind = document(&output)["properties"][0]["kind"].clone();
        let output = lariat(folder.path(), &["replay", "--json", &path, &trail]);
        assert_eq!((output.status.code(), &document(&output)["kind"]), (Some(0), &kind), "{name}");
    }
}

#[test]
fn a_trace_that_was_changed_does_not_replay_and_the_step_is_told() {
    let folder = tempfile::tempdir().expect("it is there");
    let path = root().join("models/counter_race.pml");
    let path = path.to_str().expect("it is there");
    let trace = saved(folder.path(), &[path]);
    let replay = |change: &dyn Fn(&mut Value)| {
        let mut changed = trace.clone();
        change(&mut changed);
        std::fs::write(folder.path().join("changed.json"), changed.to_string()).expect("it is there");
        lariat(folder.path(), &["replay", path, "changed.json"])
    };
    let step = |number: usize| format!("/trace/steps/{number}");
    let set = |place: String, value: Value| {
        move |trace: &mut Value| *trace.pointer_mut(&place).expect("it is there") = value.clone()
    };
    let cases: [(Change, &str); 6] = [
        (Box::new(set(step(3) + "/text", "counter--".into())), "does not replay at step 4: `counter--` of Worker"),
        (
            Box::new(set(step(2) + "/changes/counter/1", 7.into())),
            "at step 3: `counter = seen + 1` of Worker(1) on line 13 differs: it would change counter: 0 → 1, and the trace says counter: 0 → 7",
        ),
        (Box::new(set(step(0) + "/pid", 9.into())), "at step 1"),
        (
            Box::new(set("/kind".into(), "invalid_end".into())),
            "at its end: the run does not end as the trace says, but in: assertion violated",
        ),
        (Box::new(set("/trace/initial/counter".into(), 5.into())), "at its beginning: no initial state"),
        (
            Box::new(|trace: &mut Value| {
                trace["trace"]["steps"].as_array_mut().expect("it is there").remove(4);
                trace["trace"]["stem"] = 7.into();
            }),
            "at step 5",
        ),
    ];
    for (change, reason) in cases {
        let output = replay(&*change);
        assert_eq!(output.status.code(), Some(1), "{reason}: {}", stdout(&output));
        assert!(stdout(&output).contains(reason), "{reason}: {}", stdout(&output));
    }
    let told = stdout(&replay(&set(step(3) + "/text", "counter--".into())));
    assert!(told.contains("up to there:\n") && told.contains("what can happen there:\n"), "{told}");
    // Lines and numbers are hints: a model that was moved about still replays what it did.
    let output = replay(&|trace| {
        for step in trace["trace"]["steps"].as_array_mut().expect("it is there") {
            step["line"] = 900.into();
            for key in ["trail", "action", "file", "step", "process"] {
                step.as_object_mut().expect("it is there").remove(key);
            }
        }
    });
    assert_eq!(output.status.code(), Some(0), "{}", stdout(&output));
}

#[test]
fn what_is_no_trace_is_refused() {
    let folder = tempfile::tempdir().expect("it is there");
    let path = model("replay/merge.pml");
    let deep = "[".repeat(200_000);
    let broken = format!("{{\"trace\": {}", "{\"steps\": ".repeat(50_000));
    for (number, bytes) in [
        &b""[..],
        b"\n",
        b"\xff\xfe\x00\x01",
        b"{",
        b"{}",
        b"[]",
        b"null",
        b"hello",
        b"1:2",
        b"1:0:0\nx:y:z\n",
        b"1:99999999999999999999:0\n",
        b"1:300:0\n",
        b"{\"schema\": 2, \"trace\": {\"steps\": []}}",
        b"{\"trace\": {\"steps\": [{\"text\": 1}]}}",
        b"{\"trace\": {\"steps\": [{\"text\": \"x\", \"pid\": 1e300}]}}",
        b"{\"trace\": {\"steps\": [], \"stem\": 3}}",
        b"{\"kind\": \"nothing known\", \"trace\": {\"steps\": []}}",
        b"{\"properties\": [{\"name\": \"safety\", \"verdict\": \"holds\"}]}",
        b"{\"property\": \"nobody\", \"kind\": \"cycle\", \"trace\": {\"steps\": []}}",
        b"{\"origin\": {\"defines\": [\"x\"]}, \"trace\": {\"steps\": []}}",
        deep.as_bytes(),
        broken.as_bytes(),
    ]
    .into_iter()
    .enumerate()
    {
        std::fs::write(folder.path().join("trace"), bytes).expect("it is there");
        for command in ["replay", "shorten"] {
            let output = lariat(folder.path(), &[command, &path, "trace"]);
            assert_eq!(output.status.code(), Some(2), "{number}: {}{}", stdout(&output), stderr(&output));
            assert!(stderr(&output).starts_with("error") && output.stdout.is_empty(), "{number}: {}", stderr(&output));
        }
    }
    for trace in [".", "nowhere.json"] {
        let output = lariat(folder.path(), &["replay", "--json", &path, trace]);
        assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
        assert!(!document(&output)["errors"].as_array().expect("it is there").is_empty());
    }
    // A number that the model has not is a run that cannot be, but a trail all the same.
    std::fs::write(folder.path().join("trace"), "1:0:4000000000\n").expect("it is there");
    let output = lariat(folder.path(), &["replay", &path, "trace"]);
    assert_eq!(output.status.code(), Some(1), "{}", stdout(&output));
    let output = lariat(folder.path(), &["replay", &model("mutex.sys"), "trace"]);
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    assert!(stderr(&output).contains("Promela"), "{}", stderr(&output));
}

#[test]
fn the_options_of_the_trace_are_used() {
    let folder = tempfile::tempdir().expect("it is there");
    let path = model("replay/ends.pml");
    saved(folder.path(), &["--property", "safety", "-DN", &path]);
    let output = lariat(folder.path(), &["replay", "--quiet", &path, "trace.json"]);
    assert_eq!(stdout(&output), "safety: replayed, invalid end state after 5 steps\n", "{}", stderr(&output));
    // Others are used if they are given, and that is told.
    let output = lariat(folder.path(), &["replay", "--quiet", "-DM", &path, "trace.json"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("made with -DN=1; other definitions"), "{}", stderr(&output));
    // So is another text.
    let copy = folder.path().join("ends.pml");
    std::fs::write(&copy, std::fs::read_to_string(&path).expect("it is there") + "\n").expect("it is there");
    let output = lariat(folder.path(), &["replay", "--quiet", "ends.pml", "trace.json"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stderr(&output).contains("the model has changed since"), "{}", stderr(&output));
}

#[test]
fn runs_that_go_on_for_ever_are_judged_by_their_property() {
    let folder = tempfile::tempdir().expect("it is there");
    let path = model("replay/cycle.pml");
    let replay = |extra: &[&str]| lariat(folder.path(), &[&["replay", &path, "trace.json"], extra].concat());
    for arguments in [
        &["--property", "settles"][..],
        &["--property", "settles", "--fairness", "weak"],
        &["--ltl", "<>[] (g == 0)", "--fairness", "strong"],
        &["--property", "moves", "--justice", "g == 1"],
    ] {
        let trace = saved(folder.path(), &[arguments, &[&path]].concat());
        assert_eq!(trace["kind"], "cycle");
        let output = replay(&[]);
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}{}", stdout(&output), stderr(&output));
        assert!(stdout(&output).contains("for ever:"), "{}", stdout(&output));
        let before = trace["trace"]["transitions"].as_u64().expect("it is there");
        let output = lariat(folder.path(), &["shorten", "--json", "--trace", "short.json", &path, "trace.json"]);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        assert!(document(&output)["transitions"].as_u64().expect("it is there") <= before);
        let output = lariat(folder.path(), &["replay", "--quiet", &path, "short.json"]);
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}{}", stdout(&output), stderr(&output));
    }
    // The same run, but said to break what it does not.
    let mut trace = saved(folder.path(), &["--property", "moves", &path]);
    trace["property"] = "settles".into();
    trace["origin"]["fairness"] = serde_json::json!({ "fairness": ["weak"] });
    std::fs::write(folder.path().join("trace.json"), trace.to_string()).expect("it is there");
    let output = replay(&[]);
    assert_eq!(output.status.code(), Some(1), "{}", stdout(&output));
    assert!(stdout(&output).contains("at its end: "), "{}", stdout(&output));
}

#[test]
fn traces_are_shortened_as_far_as_can_be() {
    let folder = tempfile::tempdir().expect("it is there");
    let shortest = |path: &str| saved(folder.path(), &[path])["trace"]["transitions"].clone();
    let race = root().join("models/counter_race.pml");
    for path in [race.to_str().expect("it is there"), &model("replay/merge.pml"), &model("simulate/clog.pml")] {
        if lariat(folder.path(), &["check", "--quiet", path]).status.code() != Some(1) {
            continue;
        }
        let wanted = shortest(path);
        let deep = saved(folder.path(), &["--engine", "dfs", path]);
        let output = lariat(folder.path(), &["shorten", "--json", "--trace", "short.json", path, "trace.json"]);
        let short = document(&output);
        assert_eq!((&short["transitions"], &short["shortest"]), (&wanted, &Value::Bool(true)), "{path}");
        assert_eq!((&short["kind"], &short["transitions_before"]), (&deep["kind"], &deep["trace"]["transitions"]));
        let output = lariat(folder.path(), &["replay", "--quiet", path, "short.json"]);
        assert_eq!(output.status.code(), Some(0), "{}", stdout(&output));
        let output = lariat(folder.path(), &["shorten", "--quiet", path, "short.json"]);
        let told = "; no shorter run to this failure exists\n";
        assert!(stdout(&output).ends_with(told), "{}", stdout(&output));
    }
}

#[test]
fn a_trail_is_shortened_into_a_trail() {
    let folder = tempfile::tempdir().expect("it is there");
    let path = root().join("models/counter_race.pml");
    let path = path.to_str().expect("it is there");
    assert_eq!(lariat(folder.path(), &["check", "--trail", "--engine", "dfs", path]).status.code(), Some(1));
    std::fs::rename(folder.path().join("counter_race.pml.trail"), folder.path().join("deep")).expect("it is there");
    let output = lariat(folder.path(), &["shorten", "--trail", "--quiet", path, "deep"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stderr(&output).contains("the trail is in `counter_race.pml.trail`"), "{}", stderr(&output));
    let output = lariat(folder.path(), &["replay", "--quiet", path, "counter_race.pml.trail"]);
    assert_eq!(stdout(&output), "counter_race.pml.trail: replayed, assertion violated after 8 steps\n");
}
