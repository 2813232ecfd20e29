//! Tells the program the commit it is built from, in release builds made in our own checkout. Builds from an archive, and
//! development builds, which would be made again after each commit, do without.

use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var("PROFILE").as_deref() != Ok("release") {
        return;
    }
    let Some(root) = git(&["rev-parse", "--show-toplevel"]) else { return };
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize();
    if Path::new(&root).canonicalize().ok() != own.ok() {
        // An archive that was unpacked inside another repository.
        return;
    }
    let Some(commit) = git(&["rev-parse", "--short=12", "HEAD"]) else { return };
    // The log of HEAD changes with every commit and checkout.
    if let Some(log) = git(&["rev-parse", "--git-path", "logs/HEAD"]).filter(|log| Path::new(log).exists()) {
        println!("cargo::rerun-if-changed={log}");
    }
    println!("cargo::rustc-env=LARIAT_COMMIT={commit}");
}

fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}
