//! What `--version` says.

/// The version alone.
pub(crate) const SHORT: &str = env!("CARGO_PKG_VERSION");

/// The version with the commit it was built from, if that is known, and the features it was built with.
pub(crate) fn long() -> String {
    let commit = option_env!("LARIAT_COMMIT").map_or(String::new(), |commit| format!(" (commit {commit})"));
    let code = if cfg!(feature = "native") { "native code" } else { "bytecode only" };
    format!("{SHORT}{commit}\nfeatures: {code}")
}
