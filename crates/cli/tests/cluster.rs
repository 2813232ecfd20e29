//! `lariat cluster`, and `--engine cluster`: the same answers, whatever the number of workers and processes, and none when a process
//! is lost.

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

fn models() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models")
}

fn lariat(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_lariat")).args(arguments).current_dir(models()).output().expect("it runs")
}

/// What counts of a document: name, verdict, states, transitions, digest and the length of the trace, by property.
fn essence(output: &Output) -> Vec<String> {
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|error| {
        panic!("{error}: {} {}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
    });
    let properties = document["properties"].as_array().expect("a list");
    let of = |property: &serde_json::Value| {
        let steps = property["trace"]["steps"].as_array().map(Vec::len);
        // Of a loop, any will do.
        let steps = steps.filter(|_| property["kind"] != "cycle");
        let whole = property["verdict"] == "holds";
        let counts =
            whole.then(|| format!("{} {} {}", property["states"], property["transitions"], property["digest"]));
        format!("{} {} {steps:?} {counts:?}", property["name"], property["verdict"])
    };
    properties.iter().map(of).collect()
}

#[test]
fn workers_and_processes_answer_as_one_thread_does() {
    for model in ["dekker.pml", "counter_race.pml"] {
        let plain = lariat(&["check", model, "--json", "--threads", "1"]);
        let expected = essence(&plain);
        for arguments in [
            &["check", model, "--json", "--engine", "cluster", "--workers", "1"][..],
            &["check", model, "--json", "--engine", "cluster", "--workers", "3"],
            &["cluster", "--local", "1", model, "--json"],
            &["cluster", "--local", "2", model, "--json", "--workers", "2"],
            &["cluster", "--local", "3", model, "--json"],
        ] {
            let found = lariat(arguments);
            assert_eq!(essence(&found), expected, "{arguments:?}");
            assert_eq!(found.status.code(), plain.status.code(), "{arguments:?}");
        }
    }
    let text = lariat(&["cluster", "--local", "2", "dekker.pml", "--property", "safety"]);
    let text = String::from_utf8_lossy(&text.stdout).into_owned();
    assert!(text.contains("2 workers in 2 processes") && text.contains("worker 1: "), "{text}");
}

#[test]
fn what_makes_no_sense_is_refused() {
    for (arguments, words) in [
        (&["cluster", "dekker.pml"][..], "--hosts"),
        (&["cluster", "--hosts", "missing", "--process", "0", "dekker.pml"], "cannot read `missing`"),
        (&["cluster", "--local", "2", "dekker.pml", "--engine", "bfs"], "`bfs` is for `lariat check`"),
        (&["cluster", "--local", "2", "dekker.pml", "--threads", "2"], "--workers"),
        (&["cluster", "--local", "2", "dekker.pml", "--plan"], "--plan"),
        (&["check", "dekker.pml", "--engine", "bfs", "--workers", "2"], "`--workers` needs `--engine cluster`"),
        (&["check", "dekker.pml", "--engine", "cluster", "--store", "compact"], "`--store compact`"),
        (
            &["check", "dekker.pml", "--engine", "cluster", "--disk", ".", "--when-full", "stop"],
            "leave out `--when-full stop` or `--disk`",
        ),
    ] {
        let output = lariat(arguments);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {said}");
        assert!(said.contains(words), "{arguments:?}: {said}");
    }
    let folder = tempfile::tempdir().expect("a folder");
    let hosts = folder.path().join("hosts");
    std::fs::write(&hosts, "192.0.2.1:7000\n192.0.2.2:7000\n").expect("written");
    let output = lariat(&["cluster", "--hosts", hosts.to_str().expect("a name"), "--process", "0", "dekker.pml"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.code() == Some(2) && said.contains("--bind"), "{said}");
}

struct Processes {
    _folder: TempDir,
    started: Vec<Child>,
}

impl Processes {
    fn start(count: usize, arguments: &[&str]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let held: Vec<_> = (0..count).map(|_| TcpListener::bind("127.0.0.1:0").expect("a port")).collect();
        let hosts: Vec<_> = held.iter().map(|listener| listener.local_addr().expect("there").to_string()).collect();
        drop(held);
        let file = folder.path().join("hosts");
        std::fs::write(&file, hosts.join("\n")).expect("written");
        let start = |process: usize| {
            let mut command = Command::new(env!("CARGO_BIN_EXE_lariat"));
            command.args(["cluster", "--hosts"]).arg(&file).args(["--process", &process.to_string()]).args(arguments);
            command.current_dir(models()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts")
        };
        Self { started: (0..count).map(start).collect(), _folder: folder }
    }

    /// How each process ends, and what it says.
    fn end(mut self, most: Duration) -> Vec<Output> {
        let deadline = Instant::now() + most;
        let mut started = std::mem::take(&mut self.started);
        for (number, process) in started.iter_mut().enumerate() {
            while process.try_wait().expect("it is ours").is_none() {
                assert!(Instant::now() < deadline, "process {number} hangs");
                std::thread::sleep(Duration::from_millis(5));
            }
        }
        started.into_iter().map(|process| process.wait_with_output().expect("it has ended")).collect()
    }
}

impl Drop for Processes {
    fn drop(&mut self) {
        for process in &mut self.started {
            let _ = process.kill();
            let _ = process.wait();
        }
    }
}

/// So often a process is killed: `LARIAT_CLUSTER_KILLS`, or a few times.
fn kills() -> u32 {
    std::env::var("LARIAT_CLUSTER_KILLS").ok().and_then(|text| text.parse().ok()).unwrap_or(3)
}

#[test]
fn a_process_that_is_killed_ends_the_others_without_a_verdict() {
    let model = ["bench/philosophers.pml", "-D", "N=9", "--property", "safety", "-q"];
    let began = Instant::now();
    let whole = Processes::start(3, &model).end(Duration::from_secs(300));
    let took = began.elapsed();
    let verdict = whole[0].status.code();
    assert!(whole.iter().all(|output| output.status.code() == verdict), "{whole:?}");
    assert!(whole[1].stdout.is_empty() && whole[2].stdout.is_empty() && !whole[0].stdout.is_empty());
    let (mut lost, mut random) = (0, 0x9e37_79b9_7f4a_7c15_u64);
    for round in 0..kills() {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        let victim = (random % 3) as usize;
        let mut processes = Processes::start(3, &model);
        std::thread::sleep(took.mul_f64((random >> 32) as f64 / f64::from(u32::MAX)));
        let _ = processes.started[victim].kill();
        let killed = Instant::now();
        // At most the time to come up, or that of silence; this machine may be busy.
        let ended = processes.end(Duration::from_secs(60));
        for (number, output) in ended.iter().enumerate().filter(|(number, _)| *number != victim) {
            let code = output.status.code();
            let text = String::from_utf8_lossy(&output.stdout).into_owned();
            assert!(code == Some(3) || code == verdict, "round {round}, process {number}: {code:?} {output:?}");
            if code == Some(3) && number == 0 {
                lost += 1;
                assert!(text.contains("undecided") && text.contains("process "), "{text}");
                assert!(!text.contains("holds") && !text.contains("fails"), "{text}");
            }
        }
        println!("round {round}: process {victim}, all ended after {:?}", killed.elapsed());
    }
    println!("{lost} of {} runs lost their verdict", kills());
}

/// Killed at any time and begun again with the same command, until there is an answer: that of an undisturbed run.
#[test]
fn a_cluster_that_was_killed_goes_on_from_its_levels() {
    killed_and_begun_again(&[]);
}

/// The same where the states are on the disks of the processes.
#[test]
fn a_cluster_on_disk_that_was_killed_goes_on_from_its_levels() {
    killed_and_begun_again(&["--buffer-states", "2000"]);
}

fn killed_and_begun_again(buffers: &[&str]) {
    let folder = tempfile::tempdir().expect("a folder");
    let disk = [&["--disk", folder.path().to_str().expect("a name"), "--checkpoint-every", "0s"], buffers].concat();
    let model = ["bench/philosophers.pml", "-D", "N=9", "--property", "safety", "--json"];
    let expected = essence(&Processes::start(2, &model).end(Duration::from_secs(300))[0]);
    let began = Instant::now();
    let undisturbed = Processes::start(2, &[&model[..], &disk].concat()).end(Duration::from_secs(300));
    assert_eq!(essence(&undisturbed[0]), expected);
    let took = began.elapsed();
    let (mut began_again, mut went_on, mut random) = (0, 0, 0x1234_5678_9abc_def1_u64);
    for round in 0..kills() {
        for attempt in 0.. {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            let mut processes = Processes::start(2, &[&model[..], &disk].concat());
            if attempt < 3 {
                std::thread::sleep(took.mul_f64((random >> 32) as f64 / f64::from(u32::MAX)));
                let _ = processes.started[(random % 2) as usize].kill();
            }
            let ended = processes.end(Duration::from_secs(120));
            let told = String::from_utf8_lossy(&ended[0].stderr).into_owned();
            went_on += u32::from(told.contains("goes on from level"));
            if ended[0].status.code() == Some(0) {
                assert_eq!(essence(&ended[0]), expected, "round {round}: {told}");
                break;
            }
            assert!(attempt < 3, "round {round}: {:?} {told}", ended[0].status);
            began_again += 1;
        }
        // One that was killed when the other had its answer may have left its levels.
        for entry in std::fs::read_dir(folder.path()).expect("it is there") {
            let _ = std::fs::remove_dir_all(entry.expect("it is there").path());
        }
    }
    println!("{} runs, begun again {began_again} times, {went_on} of these went on from levels", kills());
}

#[cfg(unix)]
#[test]
fn a_process_that_is_stopped_is_lost_after_a_while() {
    // Twelve million states: no machine is through with them when the process is stopped.
    let model = ["bench/philosophers.pml", "-D", "N=14", "--property", "safety", "-q", "--silence-time", "2s"];
    let mut processes = Processes::start(2, &model);
    std::thread::sleep(Duration::from_millis(1500));
    let victim = processes.started[1].id().to_string();
    assert!(Command::new("kill").args(["-STOP", &victim]).status().expect("it runs").success());
    let mut first = processes.started.remove(0);
    let deadline = Instant::now() + Duration::from_secs(120);
    while first.try_wait().expect("it is ours").is_none() {
        assert!(Instant::now() < deadline, "it waits for a process that is stopped");
        std::thread::sleep(Duration::from_millis(5));
    }
    let output = first.wait_with_output().expect("it has ended");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(3), "{text}");
    assert!(text.contains("process 1"), "{text}");
}
