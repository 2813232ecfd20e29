//! What can go wrong with a disk.

use crate::room::{Room, gib};
use lariat_engine::Shortfall;
use lariat_store::Full;
use lariat_subject::Stop;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// Why something on the disk could not be done.
#[derive(Debug)]
pub enum DiskError {
    /// The system refused.
    Io {
        /// What was to be done, as in "cannot … `path`".
        doing: &'static str,
        /// To which file.
        path: PathBuf,
        /// Why not.
        error: io::Error,
    },
    /// A file is not what was written.
    Corrupt {
        /// The file.
        path: PathBuf,
        /// Where the damaged block begins.
        offset: u64,
        /// What is wrong with it.
        why: String,
    },
    /// The folder is none that the user named, and what stays free in such a one is reached.
    Reserve {
        /// The folder.
        path: PathBuf,
        /// What its file system has.
        room: Room,
    },
}

impl DiskError {
    /// An error of the system while something was done to a file.
    pub fn io(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |error| Self::Io { doing, path, error }
    }
    /// Whether there is no room left.
    pub fn is_full(&self) -> bool {
        let full = [io::ErrorKind::StorageFull, io::ErrorKind::QuotaExceeded, io::ErrorKind::FileTooLarge];
        matches!(self, Self::Io { error, .. } if full.contains(&error.kind()))
    }
}

impl fmt::Display for DiskError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io { doing, path, error } => {
                write!(f, "cannot {doing} `{}`: {error}", path.display())?;
                if self.is_full() { write!(f, "; make room there") } else { Ok(()) }
            }
            Self::Corrupt { path, offset, why } => {
                let way_out = "put back a copy of the file, or check anew";
                write!(f, "the file `{}` is damaged at offset {offset}: {why}; {way_out}", path.display())
            }
            Self::Reserve { path, room } => {
                let (free, reserve) = (gib(room.free_bytes), gib(room.reserve_bytes()));
                write!(
                    f,
                    "{free} are free where `{}` is, and {reserve} stay free in a folder that was not given with `--disk`; make \
                     room there, or move that folder to another disk",
                    path.display()
                )
            }
        }
    }
}

impl std::error::Error for DiskError {}

/// Why a search on disk ends before its end.
#[derive(Debug)]
pub enum Halt {
    /// As a search in memory would.
    Stop(Stop),
    /// The disk.
    Disk(DiskError),
}

impl From<DiskError> for Halt {
    fn from(error: DiskError) -> Self {
        Self::Disk(error)
    }
}
impl From<Stop> for Halt {
    fn from(stop: Stop) -> Self {
        Self::Stop(stop)
    }
}
impl From<Shortfall> for Halt {
    fn from(shortfall: Shortfall) -> Self {
        Self::Stop(Stop::Short(shortfall))
    }
}
impl From<Full> for Halt {
    fn from(full: Full) -> Self {
        Self::Stop(full.into())
    }
}
