//! Tells the program its version with the commit it is built from, in release builds made in our own checkout. Builds from an
//! archive, and development builds, which would be made again after each commit, have the version alone.

use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let version = std::env::var("CARGO_PKG_VERSION").unwrap_or_default();
    let is_release = std::env::var("PROFILE").as_deref() == Ok("release");
    let commit = if is_release { commit() } else { None };
    let commit = commit.map_or(String::new(), |commit| format!(" (commit {commit})"));
    println!("cargo::rustc-env=LARIAT_VERSION={version}{commit}");
}

fn commit() -> Option<String> {
    let root = git(&["rev-parse", "--show-toplevel"])?;
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().ok()?;
    if Path::new(&root).canonicalize().ok()? != own {
        // An archive that was unpacked inside another repository.
        return None;
    }
    // The log of HEAD changes with every commit and checkout.
    if let Some(log) = git(&["rev-parse", "--git-path", "logs/HEAD"]).filter(|log| Path::new(log).exists()) {
        println!("cargo::rerun-if-changed={log}");
    }
    git(&["rev-parse", "--short=12", "HEAD"])
}

fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}
