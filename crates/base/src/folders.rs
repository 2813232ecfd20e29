//! Folders of the user.

use std::path::PathBuf;

/// The project's own folder among the user's cached files, as the system's conventions name it. It may have to be made.
pub fn cache_folder() -> Option<PathBuf> {
    let is_set = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let cache = match () {
        () if cfg!(windows) => is_set("LOCALAPPDATA"),
        () if cfg!(target_os = "macos") => is_set("HOME").map(|home| home.join("Library/Caches")),
        () => is_set("XDG_CACHE_HOME").or_else(|| is_set("HOME").map(|home| home.join(".cache"))),
    };
    cache.map(|cache| cache.join("lariat"))
}
