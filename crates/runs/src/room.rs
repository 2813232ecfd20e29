//! Where a search on disk goes that was given no folder, and how much of that disk it may fill.
//!
//! Nobody named this folder, so a search may use it only if it is on a disk (some systems keep temporary files in memory) and has
//! room, and it leaves some room to everybody else: [`Room::reserve_bytes`]. With `--disk` a search fills what it was given.

use crate::error::DiskError;
use crate::files::Files;
use crate::segment::Folders;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// What a file system has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Room {
    /// What this user may still write.
    pub free_bytes: u64,
    /// All of it.
    pub total_bytes: u64,
    /// Whether it keeps its files in memory.
    pub is_in_memory: bool,
}

/// At least this much stays free.
const LEAST_RESERVE_BYTES: u64 = 1 << 30;
/// A search asks how much is free whenever it has written this much.
const ASK_EVERY_BYTES: u64 = 16 << 20;

impl Room {
    /// What a search leaves free in a folder that nobody named: a tenth of the disk, and 1 GiB at least.
    pub fn reserve_bytes(self) -> u64 {
        (self.total_bytes / 10).max(LEAST_RESERVE_BYTES)
    }
}

/// The folder for a search that was given none, which needs so many bytes; or why there is none, in a sentence. It is the system's
/// folder for temporary files, or the user's folder for cached files if that one will not do.
pub fn default_folder(needed_bytes: u64, files: &dyn Files) -> Result<PathBuf, String> {
    let mut why = String::new();
    for folder in candidates() {
        match unfit(&folder, needed_bytes, files) {
            None => return Ok(folder),
            Some(reason) => {
                let gap = if why.is_empty() { "" } else { ", and " };
                let _ = write!(why, "{gap}`{}` {reason}", folder.display());
            }
        }
    }
    Err(why)
}

/// What is tried, in this order.
fn candidates() -> impl Iterator<Item = PathBuf> {
    // Whoever says where temporary files go means it.
    let names_one = std::env::var_os("TMPDIR").is_some_and(|folder| Path::new(&folder).is_absolute());
    let cache = lariat_base::cache_folder().filter(|cache| !names_one && cache.to_str().is_some());
    std::iter::once(std::env::temp_dir()).chain(cache)
}

/// Why a search that needs so many bytes cannot go to this folder.
fn unfit(folder: &Path, needed_bytes: u64, files: &dyn Files) -> Option<String> {
    // It may have to be made.
    let Some(there) = folder.ancestors().find(|above| files.exists(above)) else {
        return Some("does not exist".to_owned());
    };
    let room = match files.room(there) {
        Ok(Some(room)) => room,
        Ok(None) => return Some("has unknown room: this system does not say how much is free".to_owned()),
        Err(error) => return Some(format!("cannot be used: {error}")),
    };
    let reserve = room.reserve_bytes();
    match () {
        () if room.is_in_memory => Some("is in memory".to_owned()),
        () if room.free_bytes < reserve.saturating_add(needed_bytes) => Some(format!(
            "has {} free, of which {} stay free, and {} are needed",
            gib(room.free_bytes),
            gib(reserve),
            gib(needed_bytes)
        )),
        () => None,
    }
}

/// As in `3.2 GiB`.
pub fn gib(bytes: u64) -> String {
    format!("{:.1} GiB", bytes as f64 / (1_u64 << 30) as f64)
}

/// Sees that a search leaves the reserve free.
#[derive(Debug, Default)]
pub struct Reserve {
    /// Where it is not the case, the user named the folder.
    pub is_kept: bool,
    /// What was written since somebody last asked.
    written_bytes: AtomicU64,
    /// What is in memory is being written, so that the search can go on another time.
    is_pausing: AtomicBool,
}

impl Reserve {
    /// A reserve that is kept, or none.
    pub fn kept(is_kept: bool) -> Self {
        // The first piece asks, too: a search may be resumed on a disk that filled up meanwhile.
        Self { is_kept, written_bytes: AtomicU64::new(ASK_EVERY_BYTES), is_pausing: AtomicBool::new(false) }
    }
    /// From now on only what a checkpoint needs is written.
    pub fn pause(&self) {
        self.is_pausing.store(true, Ordering::Relaxed);
    }
    /// An error if so many bytes cannot be written because what stays free is reached.
    pub fn ask(&self, bytes: usize, folder: &Path, folders: &Folders) -> Result<(), DiskError> {
        if !self.is_kept || self.is_pausing.load(Ordering::Relaxed) {
            return Ok(());
        }
        let written = self.written_bytes.fetch_add(bytes as u64, Ordering::Relaxed);
        if written < ASK_EVERY_BYTES {
            return Ok(());
        }
        self.written_bytes.store(0, Ordering::Relaxed);
        match folders.files.room(folder) {
            Ok(Some(room)) if room.free_bytes < room.reserve_bytes() => {
                self.written_bytes.store(ASK_EVERY_BYTES, Ordering::Relaxed);
                Err(DiskError::Reserve { path: folder.to_owned(), room })
            }
            // Where the system does not say, the disk says itself when it is full.
            _ => Ok(()),
        }
    }
}
