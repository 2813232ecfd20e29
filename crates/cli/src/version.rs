//! What `--version` says.

/// The version alone.
pub(crate) const SHORT: &str = env!("CARGO_PKG_VERSION");

/// The version with the commit it was built from, if the build script found one, and the features it was built with.
#[cfg(feature = "native")]
pub(crate) const LONG: &str = concat!(env!("LARIAT_VERSION"), "\nfeatures: native code");
/// The same without native code.
#[cfg(not(feature = "native"))]
pub(crate) const LONG: &str = concat!(env!("LARIAT_VERSION"), "\nfeatures: bytecode only");
