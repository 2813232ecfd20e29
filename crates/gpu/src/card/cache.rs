//! Compiled kernels in the user's folder for cached files.
//!
//! The name of a file is the SHA-256 of everything that its content depends on. It begins with the SHA-256 of the rest, so a damaged
//! file counts as none. Files appear by renaming, so several programs may use the folder. The oldest go when it grows too large. A cache
//! that does not work costs time and nothing else: no error leaves this module.

use sha2::{Digest, Sha256};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

/// How large the folder may grow.
const MOST_BYTES: u64 = 256 << 20;
/// The first bytes of every file; other versions of the program may have others.
const HEAD: &[u8] = b"lariat kernels 1\n";
const SUM_BYTES: usize = 32;
/// How names of files end.
const ENDING: &str = ".kernels";

/// A folder with compiled kernels.
#[derive(Debug)]
pub(crate) struct Cache {
    /// None: nothing is kept.
    folder: Option<PathBuf>,
    most_bytes: u64,
}

impl Cache {
    /// That of the user.
    pub(crate) fn of_user() -> Self {
        Self { folder: lariat_base::cache_folder().map(|cache| cache.join("gpu")), most_bytes: MOST_BYTES }
    }

    /// What was kept under this key.
    pub(crate) fn find(&self, key: &str) -> Option<Vec<u8>> {
        let path = self.path(key)?;
        let whole = fs::read(&path).ok()?;
        let rest = whole.strip_prefix(HEAD)?;
        let (sum, content) = rest.split_at_checked(SUM_BYTES)?;
        if sum != Sha256::digest(content).as_slice() {
            return None;
        }
        // What is used stays.
        let _ = File::options().append(true).open(&path).and_then(|file| file.set_modified(SystemTime::now()));
        Some(content.to_vec())
    }

    /// Keeps the content if it can.
    pub(crate) fn keep(&self, key: &str, content: &[u8]) {
        let Some(path) = self.path(key) else { return };
        let Some(folder) = path.parent() else { return };
        // Other threads and programs may write the same file.
        static WRITTEN: AtomicU64 = AtomicU64::new(0);
        let number = WRITTEN.fetch_add(1, Ordering::Relaxed);
        let unfinished = folder.join(format!("{key}.{}.{number}{ENDING}", std::process::id()));
        let whole = [HEAD, Sha256::digest(content).as_slice(), content].concat();
        let written = fs::create_dir_all(folder).and_then(|()| fs::write(&unfinished, whole));
        if written.and_then(|()| fs::rename(&unfinished, &path)).is_err() {
            let _ = fs::remove_file(&unfinished);
        }
        let _ = shrink(folder, self.most_bytes);
    }

    fn path(&self, key: &str) -> Option<PathBuf> {
        self.folder.as_ref().map(|folder| folder.join(format!("{key}{ENDING}")))
    }
}

/// The SHA-256 of these texts, in their order, as hexadecimal digits.
pub(crate) fn key(parts: &[&str]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        // The length keeps "ab", "c" and "a", "bc" apart.
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Removes our oldest files until the rest has at most so many bytes.
fn shrink(folder: &Path, most_bytes: u64) -> std::io::Result<()> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let is_ours = entry.file_name().to_str().is_some_and(|name| name.ends_with(ENDING));
        if let (true, Ok(found)) = (is_ours, entry.metadata()) {
            files.push((found.modified()?, found.len(), entry.path()));
        }
    }
    files.sort();
    let mut bytes: u64 = files.iter().map(|(_, bytes, _)| bytes).sum();
    for (_, size, path) in files {
        if bytes <= most_bytes {
            break;
        }
        if fs::remove_file(path).is_ok() {
            bytes -= size;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder of a test, removed at its end.
    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Self {
            let path = std::env::temp_dir().join(format!("lariat-gpu-cache-{name}-{}", std::process::id()));
            let _ = fs::remove_dir_all(&path);
            Self(path)
        }
        fn cache(&self, most_bytes: u64) -> Cache {
            Cache { folder: Some(self.0.join("below")), most_bytes }
        }
        fn files(&self) -> Vec<PathBuf> {
            fs::read_dir(self.0.join("below")).expect("listed").map(|entry| entry.expect("an entry").path()).collect()
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn a_key_depends_on_every_part_and_where_it_ends() {
        let parts = ["source", "sm_90", "driver 580", "NVRTC 13.0", "-w"];
        let whole = key(&parts);
        assert!(whole.len() == 64 && whole.bytes().all(|byte| byte.is_ascii_hexdigit()), "{whole}");
        assert_eq!(whole, key(&parts));
        for place in 0..parts.len() {
            let mut others = parts;
            others[place] = "other";
            assert_ne!(whole, key(&others), "part {place}");
        }
        assert_ne!(key(&["ab", "c"]), key(&["a", "bc"]));
        assert_ne!(key(&["ab"]), key(&["ab", ""]));
    }

    #[test]
    fn what_was_kept_is_found_and_nothing_else() {
        let folder = Folder::new("kept");
        let cache = folder.cache(MOST_BYTES);
        let (one, other) = (key(&["one"]), key(&["other"]));
        assert_eq!(cache.find(&one), None);
        cache.keep(&one, b"machine code");
        cache.keep(&other, b"");
        assert_eq!(cache.find(&one).as_deref(), Some(&b"machine code"[..]));
        assert_eq!(cache.find(&other).as_deref(), Some(&b""[..]));
        cache.keep(&one, b"another");
        assert_eq!(cache.find(&one).as_deref(), Some(&b"another"[..]));
        assert_eq!(folder.files().len(), 2, "{:?}", folder.files());
    }

    #[test]
    fn a_damaged_file_counts_as_none() {
        let folder = Folder::new("damaged");
        let cache = folder.cache(MOST_BYTES);
        let key = key(&["source"]);
        cache.keep(&key, b"machine code");
        let path = cache.path(&key).expect("it has a folder");
        let whole = fs::read(&path).expect("read");
        for place in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[place] ^= 4;
            fs::write(&path, damaged).expect("written");
            assert_eq!(cache.find(&key), None, "byte {place}");
            fs::write(&path, &whole[..place]).expect("written");
            assert_eq!(cache.find(&key), None, "cut at {place}");
        }
        cache.keep(&key, b"machine code");
        assert_eq!(cache.find(&key).as_deref(), Some(&b"machine code"[..]));
    }

    #[test]
    fn the_oldest_files_go() {
        let folder = Folder::new("oldest");
        let cache = folder.cache(5000);
        let keys: Vec<String> = (0..5).map(|number| key(&[&number.to_string()])).collect();
        let age = |key: &str, seconds: u64| {
            let file = File::options().append(true).open(cache.path(key).expect("it has a folder")).expect("opened");
            file.set_modified(SystemTime::now() - std::time::Duration::from_secs(seconds)).expect("aged");
        };
        for (number, key) in keys[..4].iter().enumerate() {
            cache.keep(key, &[0; 1000]);
            age(key, 1000 - number as u64);
        }
        assert_eq!(folder.files().len(), 4);
        // Using it makes it young.
        assert!(cache.find(&keys[0]).is_some());
        cache.keep(&keys[4], &[0; 2000]);
        let there: Vec<bool> = keys.iter().map(|key| cache.find(key).is_some()).collect();
        assert_eq!(there, [true, false, false, true, true]);
    }

    #[test]
    fn a_folder_that_cannot_be_made_is_no_error() {
        let folder = Folder::new("blocked");
        fs::write(&folder.0, "a file").expect("written");
        let cache = folder.cache(MOST_BYTES);
        cache.keep(&key(&["source"]), b"machine code");
        assert_eq!(cache.find(&key(&["source"])), None);
        assert_eq!(fs::read(&folder.0).expect("read"), b"a file");
        fs::remove_file(&folder.0).expect("removed");
        let none = Cache { folder: None, most_bytes: MOST_BYTES };
        none.keep(&key(&["source"]), b"machine code");
        assert_eq!(none.find(&key(&["source"])), None);
    }
}
