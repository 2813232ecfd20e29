//! Several processes, as threads of this one: what they find, and what becomes of strangers and of those that are missing.

use crate::limits::many_false_signs;
use crate::support::{MEMORY_BYTES, control, essence, replay, safety, settled, systems, temporal, temporal_essence};
use lariat_cluster::{Cluster, Network, NetworkOptions, Times};
use lariat_engine::{Engine, Options, Property, Report, RunControl, Shortfall, Task, Verdict};
use lariat_explicit::{Bfs, CycleSearch};
use lariat_system::{Fairness, Who};
use lariat_testkit::{Rng, TemporalCase};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

const SECRET: &[u8] = b"known to all processes";

pub(crate) fn free_hosts(processes: usize) -> Vec<String> {
    let held: Vec<TcpListener> = (0..processes).map(|_| TcpListener::bind("127.0.0.1:0").expect("a port")).collect();
    held.iter().map(|listener| listener.local_addr().expect("an address").to_string()).collect()
}

pub(crate) fn options(hosts: &[String], process: usize, workers: usize) -> NetworkOptions {
    let times = Times { connect: Duration::from_secs(20), silence: Duration::from_secs(20) };
    NetworkOptions { hosts: hosts.to_vec(), process, bind: None, secret: SECRET.to_vec(), workers, times }
}

pub(crate) fn network(options: NetworkOptions) -> &'static Network {
    Box::leak(Box::new(Network::listen(options).expect("the port is free")))
}

/// What each process says of the task.
pub(crate) fn by_processes(networks: &[&'static Network], task: &Task<'_>) -> Vec<Report> {
    thread::scope(|scope| {
        let settle = |network: &'static Network| {
            scope.spawn(move || Cluster::over(network).settle(task, &control()).expect("it runs"))
        };
        let started: Vec<_> = networks.iter().map(|network| settle(network)).collect();
        started.into_iter().map(|process| process.join().expect("no process panics")).collect()
    })
}

#[test]
fn processes_find_what_is_found_in_memory() {
    for (processes, workers) in [(2, 1), (3, 1), (2, 2)] {
        let hosts = free_hosts(processes);
        let networks: Vec<_> = (0..processes).map(|process| network(options(&hosts, process, workers))).collect();
        for system in systems(3, 50..=400) {
            let expected = essence(&settled(&Bfs, &safety(Options::default(), &system)));
            let task = safety(Options { threads: workers, ..Options::default() }, &system);
            for report in by_processes(&networks, &task) {
                assert_eq!(essence(&report), expected, "{processes} processes\n{system}");
                let cluster = report.stats.cluster.as_ref().expect("it has figures");
                assert_eq!((cluster.processes, cluster.workers.len()), (processes as u64, processes * workers));
                replay(&system, None, report).expect("its runs are runs");
            }
        }
        let mut took = 0;
        for seed in 0..40 {
            let case = TemporalCase::generate(seed);
            let Some(labels) = case.labels() else { continue };
            let Some(temporal) = temporal(&case.formula, &case.propositions, labels) else { continue };
            let property = Property::Temporal(Box::new(temporal.clone()));
            let task = Task::of_system(&case.system, property, Options { threads: workers, ..Options::default() });
            let Ok(prepared) = Cluster::over(networks[0]).prepare(&task) else { continue };
            if !prepared.plan().search.algorithm.contains("OWCTY") || took >= 8 {
                continue;
            }
            took += 1;
            let plain = Task { options: Options::default(), ..task.clone() };
            let expected = temporal_essence(&CycleSearch::SCC.settle(&plain, &control()).expect("it runs"));
            for report in by_processes(&networks, &task) {
                assert_eq!(temporal_essence(&report), expected, "{processes} processes, seed {seed}\n{case}");
                replay(&case.system, Some(&temporal), report).expect("its runs are runs");
            }
        }
        assert!(took > 4, "{took}");
    }
}

fn is_lost(report: &Report, words: &[&str]) {
    assert_eq!(report.verdict, Verdict::Undecided(Shortfall::Cluster));
    let trouble = report.stats.cluster.as_ref().and_then(|cluster| cluster.trouble.clone()).expect("it says why");
    for word in words {
        assert!(trouble.contains(word), "`{trouble}` does not say `{word}`");
    }
}

#[test]
fn strangers_are_refused_and_the_run_goes_on() {
    let hosts = free_hosts(2);
    let first = network(options(&hosts, 0, 1));
    // Before the second process comes, and beside it.
    let junk: [&[u8]; 5] = [b"", b"GET / HTTP/1.1\r\n\r\n", b"lariat\r\n", &[0; 72], &[0xff; 4096]];
    let mut open = Vec::new();
    for bytes in junk {
        let mut stranger = TcpStream::connect(&hosts[0]).expect("it listens");
        stranger.write_all(bytes).expect("it is read");
        open.push(stranger);
    }
    // Who knows the protocol, but not the secret.
    let mut wrong = options(&hosts, 1, 1);
    wrong.secret = b"guessed by somebody".to_vec();
    wrong.times.connect = Duration::from_secs(3);
    let system = systems(1, 50..=400).remove(0);
    let task = safety(Options::default(), &system);
    let report = Cluster::over(network(wrong)).settle(&task, &control()).expect("it runs");
    is_lost(&report, &["process 0", "secret"]);
    let mut other = options(&free_hosts(1), 0, 1);
    other.hosts = vec![hosts[0].clone(), free_hosts(1).remove(0)];
    (other.process, other.workers) = (1, 2);
    let report = Cluster::over(network(other)).settle(&task, &control()).expect("it runs");
    is_lost(&report, &["process 0", "workers"]);
    // The right one, from another port.
    let mut right = options(&hosts, 1, 1);
    right.hosts[1] = free_hosts(1).remove(0);
    let second = network(right);
    let expected = essence(&settled(&Bfs, &safety(Options::default(), &system)));
    for report in by_processes(&[first, second], &task) {
        assert_eq!(essence(&report), expected);
    }
    // One who says that it is the second process, which is there.
    let mut again = options(&hosts, 1, 1);
    again.hosts[1] = free_hosts(1).remove(0);
    again.times.connect = Duration::from_secs(1);
    let report = Cluster::over(network(again)).settle(&task, &control()).expect("it runs");
    is_lost(&report, &["process 0"]);
    drop(open);
    let notices = first.take_notices();
    assert!(notices.iter().any(|notice| notice.contains("refused")), "{notices:?}");
    for report in by_processes(&[first, second], &task) {
        assert_eq!(essence(&report), expected);
    }
}

#[test]
fn a_process_that_never_comes_is_not_waited_for_longer_than_was_said() {
    let system = systems(1, 50..=400).remove(0);
    let task = safety(Options::default(), &system);
    for process in [0, 1] {
        let hosts = free_hosts(2);
        let mut alone = options(&hosts, process, 1);
        alone.times.connect = Duration::from_millis(500);
        let began = Instant::now();
        let report = Cluster::over(network(alone)).settle(&task, &control()).expect("it runs");
        is_lost(&report, &[&format!("process {} ", 1 - process), "did not come up within 0.5 s"]);
        assert!(began.elapsed() < Duration::from_secs(15), "{:?}", began.elapsed());
    }
}

#[test]
fn processes_with_different_tasks_give_up() {
    let system = systems(1, 50..=400).remove(0);
    let one = safety(Options::default(), &system);
    let mut larger = system.clone();
    larger.name.push_str(" of another kind");
    let mut fair = system.clone();
    fair.fairness.push(Fairness::weak(Who::Process(0)));
    let others = [
        (safety(Options { keep_going: true, ..Options::default() }, &system), "`--keep-going`"),
        (safety(Options { seed: 3, ..Options::default() }, &system), "other options"),
        (safety(Options::default(), &larger), "another model"),
        (safety(Options::default(), &fair), "`--fairness`"),
        (Task::of_system(&system, Property::Safety { invalid_ends: false }, Options::default()), "another property"),
    ];
    for (other, what) in others {
        let hosts = free_hosts(2);
        let networks = [network(options(&hosts, 0, 1)), network(options(&hosts, 1, 1))];
        thread::scope(|scope| {
            let first = scope.spawn(|| Cluster::over(networks[0]).settle(&one, &control()).expect("it runs"));
            let second = scope.spawn(|| Cluster::over(networks[1]).settle(&other, &control()).expect("it runs"));
            is_lost(&first.join().expect("it ends"), &["process 1", what]);
            is_lost(&second.join().expect("it ends"), &["process 0"]);
        });
    }
}

/// Stands between two processes: passes bytes on, up to so many from the second, then does what it is told.
fn proxy(to: String, bytes: usize, spoil: fn(&mut [u8]) -> bool) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address").to_string();
    thread::spawn(move || {
        let (mut near, _) = listener.accept().expect("the second process connects");
        let mut far = TcpStream::connect(to).expect("the first process listens");
        let (mut near_too, mut far_too) = (near.try_clone().expect("a handle"), far.try_clone().expect("a handle"));
        thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(count @ 1..) = far_too.read(&mut buffer) {
                if near_too.write_all(&buffer[..count]).is_err() {
                    break;
                }
            }
        });
        let (mut buffer, mut passed) = ([0; 512], 0);
        while let Ok(count @ 1..) = near.read(&mut buffer) {
            passed += count;
            if passed > bytes && !spoil(&mut buffer[..count]) {
                // Silent, but there.
                thread::sleep(Duration::from_secs(60));
                return;
            }
            if far.write_all(&buffer[..count]).is_err() {
                break;
            }
        }
    });
    address
}

/// What both processes say, with something between them.
fn with_proxy(bytes: usize, spoil: fn(&mut [u8]) -> bool, silence: Duration) -> Vec<Report> {
    let system = systems(1, 200..=600).remove(0);
    let task = safety(Options { keep_going: true, ..Options::default() }, &system);
    let hosts = free_hosts(2);
    let with_silence =
        |options: NetworkOptions| NetworkOptions { times: Times { silence, ..options.times }, ..options };
    let first = network(with_silence(options(&hosts, 0, 1)));
    let mut behind = options(&hosts, 1, 1);
    behind.hosts[0] = proxy(hosts[0].clone(), bytes, spoil);
    let second = network(with_silence(behind));
    by_processes(&[first, second], &task)
}

#[test]
fn damaged_bytes_end_the_run_without_a_verdict() {
    // After the handshake of 104 bytes, and the frame of the task.
    for bytes in [300, 700, 1500] {
        let reports = with_proxy(
            bytes,
            |bytes| {
                bytes.iter_mut().for_each(|byte| *byte ^= 0x55);
                true
            },
            Duration::from_secs(20),
        );
        is_lost(&reports[0], &["process 1"]);
        assert_eq!(reports[1].verdict, Verdict::Undecided(Shortfall::Cluster));
    }
}

#[test]
fn a_partition_ends_the_run_without_a_verdict() {
    let began = Instant::now();
    let reports = with_proxy(600, |_| false, Duration::from_millis(1500));
    is_lost(&reports[0], &["process 1", "silent for 1.5 s"]);
    assert_eq!(reports[1].verdict, Verdict::Undecided(Shortfall::Cluster));
    assert!(began.elapsed() < Duration::from_secs(30), "{:?}", began.elapsed());
}

/// One of the processes is told to stop, or has less memory than the others, at any moment of a search with signs of cycles.
#[test]
fn limits_of_one_process_end_all_processes() {
    let (system, bad) = many_false_signs(6000);
    let task = Task::of_system(&system, Property::Temporal(Box::new(bad)), Options::default());
    let mut rng = Rng::new(11);
    let (mut stopped, mut held) = (0, 0);
    for processes in [2, 3] {
        let start = || {
            let hosts = free_hosts(processes);
            (0..processes).map(|process| network(options(&hosts, process, 1))).collect::<Vec<_>>()
        };
        let mut networks = start();
        let began = Instant::now();
        let expected = by_processes(&networks, &task);
        let took = began.elapsed();
        assert!(expected.iter().all(|report| report.verdict == Verdict::Holds));
        for round in 0..10 {
            let (which, after) = (rng.below(processes), took.mul_f64(rng.below(1200) as f64 / 1000.0));
            let few = if round % 2 == 0 { MEMORY_BYTES } else { (1 << 20) + rng.below(6 << 20) as u64 };
            let controls: Vec<RunControl> = (0..processes)
                .map(|process| RunControl::new(if process == which { few } else { MEMORY_BYTES }, None))
                .collect();
            let reports: Vec<Report> = thread::scope(|scope| {
                let settle = |(network, control): (&&'static Network, _)| {
                    let (network, task) = (*network, &task);
                    scope.spawn(move || Cluster::over(network).settle(task, control).expect("it runs"))
                };
                let started: Vec<_> = networks.iter().zip(&controls).map(settle).collect();
                if round % 2 == 0 {
                    thread::sleep(after);
                    controls[which].cancel();
                }
                started.into_iter().map(|process| process.join().expect("no process panics")).collect()
            });
            let verdicts: Vec<Verdict> = reports.iter().map(|report| report.verdict.clone()).collect();
            match verdicts[0] {
                Verdict::Holds => held += 1,
                Verdict::Undecided(Shortfall::Interrupted | Shortfall::Memory { .. }) => stopped += 1,
                // A process that is interrupted while it waits for the others to begin leaves them for good.
                Verdict::Undecided(Shortfall::Cluster) if round % 2 == 0 => {
                    stopped += 1;
                    networks = start();
                    continue;
                }
                ref other => panic!("{processes} processes, round {round}: {other:?}"),
            }
            assert!(verdicts.iter().all(|verdict| *verdict == verdicts[0]), "round {round}: {verdicts:?}");
            assert!(controls.iter().all(|control| control.budget.used_bytes() == 0));
            // It had the answer, and did not wait for what others had seen by the way.
            if networks.iter().any(|network| network.why_lost().is_some()) {
                networks = start();
            }
        }
    }
    println!("{stopped} stopped, {held} came to an end");
    assert!(stopped > 2, "{stopped} {held}");
}

/// A process that is there and busy with something else is waited for, but not beyond the limits of the run.
#[test]
fn a_process_that_does_not_begin_is_not_waited_for_beyond_the_time_limit() {
    let system = systems(1, 50..=400).remove(0);
    let task = safety(Options::default(), &system);
    let hosts = free_hosts(2);
    let networks: Vec<_> = (0..2).map(|process| network(options(&hosts, process, 1))).collect();
    by_processes(&networks, &task);
    let began = Instant::now();
    let limited = RunControl::new(MEMORY_BYTES, Some(Duration::from_secs(1)));
    let report = Cluster::over(networks[0]).settle(&task, &limited).expect("it runs");
    is_lost(&report, &["process 1", "has not begun this search"]);
    assert!(began.elapsed() < Duration::from_secs(15), "{:?}", began.elapsed());
    // The other one, which begins too late, hears why.
    let report = Cluster::over(networks[1]).settle(&task, &control()).expect("it runs");
    is_lost(&report, &["process 0", "gave up"]);
}
