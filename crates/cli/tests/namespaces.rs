//! A cluster over a network that is slow and loses packets: two network namespaces, joined by a virtual cable.
//!
//! That needs Linux, the rights of an administrator, `ip` and `tc` (Debian's package `iproute2`), and `netem` in the kernel or `nft` (package
//! `nftables`). Where something is missing, the test says so and does nothing.

use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// Two namespaces of this process; removed in the end.
struct Namespaces([String; 2]);

const ADDRESSES: [&str; 2] = ["10.213.77.1", "10.213.77.2"];

/// Runs a program; what it says if it fails.
fn done(line: &str) -> Result<(), String> {
    let mut words = line.split_whitespace();
    let output = Command::new(words.next().expect("a program")).args(words).stdin(Stdio::null()).output();
    let output = output.map_err(|error| format!("`{line}`: {error}"))?;
    let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    if output.status.success() { Ok(()) } else { Err(format!("`{line}`: {said}")) }
}

impl Namespaces {
    fn new() -> Result<Self, String> {
        let id = std::process::id();
        let made = Self([0, 1].map(|number| format!("lariat{id}-{number}")));
        let cables = [0, 1].map(|number| format!("lr{id}-{number}"));
        for name in &made.0 {
            done(&format!("ip netns add {name}"))?;
        }
        let [near, far] = &made.0;
        done(&format!("ip link add {} netns {near} type veth peer name {} netns {far}", cables[0], cables[1]))?;
        for ((name, cable), address) in made.0.iter().zip(&cables).zip(ADDRESSES) {
            done(&format!("ip -n {name} addr add {address}/24 dev {cable}"))?;
            done(&format!("ip -n {name} link set {cable} up"))?;
            done(&format!("ip -n {name} link set lo up"))?;
            // Each way: 10 ms more, and two packets of a hundred are lost.
            if done(&format!("tc -n {name} qdisc add dev {cable} root netem delay 10ms loss 2%")).is_err() {
                // Without `netem`: what waits behind 20 Mbit/s is late.
                done(&format!("tc -n {name} qdisc add dev {cable} root tbf rate 20mbit burst 20kb latency 40ms"))?;
                let inside = |rule: &str| done(&format!("ip netns exec {name} nft {rule}"));
                inside("add table inet lossy")?;
                inside("add chain inet lossy in { type filter hook input priority 0 ; }")?;
                inside("add rule inet lossy in numgen random mod 100 < 2 drop")?;
            }
        }
        Ok(made)
    }
}

impl Drop for Namespaces {
    fn drop(&mut self) {
        for name in &self.0 {
            let _ = done(&format!("ip netns del {name}"));
        }
    }
}

/// What counts of a document with one property.
fn essence(output: &Output) -> String {
    let document: serde_json::Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)));
    let property = &document["properties"][0];
    format!("{} {} {} {}", property["verdict"], property["states"], property["transitions"], property["digest"])
}

#[test]
fn a_slow_network_that_loses_packets_changes_no_answer() {
    let namespaces = match Namespaces::new() {
        Ok(namespaces) => namespaces,
        Err(why) => return println!("skipped: no network with delay and loss can be made here: {why}"),
    };
    let folder = tempfile::tempdir().expect("a folder");
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).expect("it is written");
        path
    };
    let hosts = file("hosts", &format!("{}:7001\n{}:7002\n", ADDRESSES[0], ADDRESSES[1]));
    let secret = file("secret", "known to both processes");
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let safe = ["bench/philosophers.pml", "-DN=8", "--property", "safety"];
    let fair = ["fairness/term_det.pml", "-DN=3", "--property", "detected", "--fairness", "strong"];
    // With the shares of the processes in memory, and on their disks.
    let disk = ["--buffer-states", "2000", "--disk", folder.path().to_str().expect("a name")];
    for (asked, disk) in [(&safe[..], &[][..]), (&fair, &[]), (&safe, &disk), (&fair, &disk)] {
        let plain = Command::new(env!("CARGO_BIN_EXE_lariat"))
            .args(["check", "--json"])
            .args(asked)
            .current_dir(&models)
            .output()
            .expect("it runs");
        let began = Instant::now();
        let start = |process: usize| {
            Command::new("ip")
                .args(["netns", "exec", &namespaces.0[process], env!("CARGO_BIN_EXE_lariat"), "cluster", "--json"])
                .args(["--process", &process.to_string(), "--bind", ADDRESSES[process], "--hosts"])
                .arg(&hosts)
                .arg("--secret")
                .arg(&secret)
                .args(asked)
                .args(disk)
                .current_dir(&models)
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()
                .expect("it starts")
        };
        let ended = [0, 1].map(start).map(|process| process.wait_with_output().expect("it ends"));
        assert_eq!(essence(&ended[0]), essence(&plain), "{asked:?}: {}", String::from_utf8_lossy(&ended[0].stderr));
        assert!(ended.iter().all(|output| output.status.code() == plain.status.code()), "{ended:?}");
        assert!(began.elapsed() < Duration::from_secs(120), "{:?}", began.elapsed());
        println!("{asked:?} {disk:?}: the same answer after {:?}", began.elapsed());
    }
}
