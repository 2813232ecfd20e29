//! Complete levels of a search on disk, so that workers that were stopped can go on.
//!
//! Each worker writes its states of the levels that *all* workers have finished, and what it has counted until then: a *part*. All workers
//! write at the end of the same level, because all decide by what all have said. A part is written beside its name, made durable and
//! renamed, so it is there as a whole or not at all. When the same search is begun again, the parts count that every worker has;
//! others are removed before anything else is done. States are read in the order in which they were stored, so everything goes on
//! as if it had not been stopped.
//!
//! A part is a sequence of words: what it is of, how the workers share the states, the ends of its levels, the tally, the states; and a
//! checksum of all of it.

use crate::disk::Place;
use crate::network::TaskHashes;
use crate::parcel::WorkerId;
use lariat_engine::{Disk, EngineError};
use lariat_runs::files::Files;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use xxhash_rust::xxh3::{Xxh3Default, xxh3_64};

const MAGIC: u64 = u64::from_le_bytes(*b"lariatP2");
/// Words at the beginning of a part: magic number, seal, worker, number, words of a state, first state.
const FIXED_WORDS: usize = 6;
/// How often parts are written where nothing else is said.
const EVERY: Duration = Duration::from_secs(10);
/// So many words are read at a time.
const PIECE_WORDS: usize = 1 << 13;

/// The folder in which the workers of this process keep the levels of one search.
pub(crate) struct Checkpoints {
    pub(crate) folder: PathBuf,
    /// Of the search and of the workers that share it.
    pub(crate) seal: u64,
    pub(crate) every: Duration,
    /// Where shares on disk are.
    pub(crate) files: Arc<dyn Files>,
    workers: usize,
    _lock: File,
}

/// Which workers share the states: parts of others do not fit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sharing {
    pub(crate) process: usize,
    pub(crate) processes: usize,
    pub(crate) workers: usize,
}

impl Checkpoints {
    /// Makes the folder of this search, or opens the one that is there.
    pub(crate) fn open(
        disk: &Disk,
        task: &TaskHashes,
        sharing: Sharing,
        files: Arc<dyn Files>,
    ) -> Result<Self, EngineError> {
        let Sharing { process, processes, workers } = sharing;
        let mut sealed = task.bytes(0);
        sealed.extend([processes, workers].iter().flat_map(|number| (*number as u64).to_le_bytes()));
        sealed.extend(env!("CARGO_PKG_VERSION").bytes());
        sealed.extend(MAGIC.to_le_bytes());
        let seal = xxh3_64(&sealed);
        let above = &disk.folders[0];
        let folder = above.join(format!("lariat-cluster-{seal:016x}-{process}-of-{processes}"));
        if !above.exists() {
            return Err(Disk::unusable(above, &io::ErrorKind::NotFound.into()));
        }
        let open = || {
            fs::create_dir_all(&folder)?;
            let lock = OpenOptions::new().create(true).truncate(false).write(true).open(folder.join("lock"))?;
            match lock.try_lock() {
                Ok(()) => Ok(lock),
                Err(fs::TryLockError::WouldBlock) => Err(io::ErrorKind::WouldBlock.into()),
                Err(fs::TryLockError::Error(error)) => Err(error),
            }
        };
        let lock = open().map_err(|error| match error.kind() {
            io::ErrorKind::WouldBlock => {
                EngineError { reason: format!("another process is at work on the search in `{}`", folder.display()) }
            }
            _ => Disk::unusable(&folder, &error),
        })?;
        let every = disk.checkpoint_ms.map_or(EVERY, Duration::from_millis);
        Ok(Self { folder, seal, every, files, workers: processes * workers, _lock: lock })
    }

    /// Whether there is something to go on from.
    pub(crate) fn has_parts(&self) -> bool {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().filter_map(Result::ok);
        entries.into_iter().any(|entry| entry.path().extension().is_some_and(|ending| ending == "levels"))
            || (0..self.workers).any(|worker| Place::new(self, None, worker).has_checkpoints())
    }

    /// The folder of a worker with its share on disk.
    pub(crate) fn share_of(&self, worker: WorkerId) -> PathBuf {
        self.folder.join(format!("share-{worker:04}"))
    }

    /// Removes them; what cannot be removed stays.
    pub(crate) fn remove(self) {
        for share in (0..self.workers).map(|worker| self.share_of(worker)).filter(|share| self.files.exists(share)) {
            let _ = self.files.remove_folder(&share);
        }
        let _ = fs::remove_dir_all(&self.folder);
    }

    /// Removes the parts of a worker; what cannot be removed stays, and is not used where there is a share on disk.
    pub(crate) fn remove_parts(&self, worker: WorkerId) {
        let _ = self.parts(worker, &[]).keep(0);
    }

    /// The parts of a worker that are there, of workers that share the states by the bits of these masks.
    pub(crate) fn parts(&self, worker: WorkerId, masks: &[u64]) -> Parts<'_> {
        Parts { checkpoints: self, masks: masks.to_vec(), worker, count: 0 }
    }
    /// How the workers share the states of so many words, if there is a first part of this worker that is whole.
    pub(crate) fn masks(&self, worker: WorkerId, words: usize) -> Option<Vec<u64>> {
        let path = self.parts(worker, &[]).path(0);
        if !is_whole(&path).ok()? {
            return None;
        }
        let mut file = File::open(path).ok()?;
        let mut bytes = vec![0; 8 * (FIXED_WORDS + words)];
        file.read_exact(&mut bytes).ok()?;
        let read = words_of(&bytes);
        (read[..2] == [MAGIC, self.seal] && read[4] == words as u64).then(|| read[FIXED_WORDS..].to_vec())
    }
}

/// The parts of one worker.
pub(crate) struct Parts<'c> {
    pub(crate) checkpoints: &'c Checkpoints,
    /// Says how the workers share the states.
    masks: Vec<u64>,
    worker: WorkerId,
    /// How many are there and count.
    count: u64,
}

/// What a part says beside its states.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Part {
    /// The number of its first state.
    pub(crate) first: u64,
    /// How many states the worker has up to the end of each of its levels.
    pub(crate) ends: Vec<u64>,
    /// What the worker had counted.
    pub(crate) tally: Vec<u64>,
}

impl Parts<'_> {
    fn path(&self, number: u64) -> PathBuf {
        self.checkpoints.folder.join(format!("part-{number:06}-worker-{:04}.levels", self.worker))
    }
    fn head(&self, number: u64, words: usize, part: &Part) -> Vec<u64> {
        let mut head = vec![MAGIC, self.checkpoints.seal, self.worker as u64, number, words as u64, part.first];
        head.extend(&self.masks);
        head.push(part.ends.len() as u64);
        head.extend(&part.ends);
        head.push(part.tally.len() as u64);
        head.extend(&part.tally);
        head
    }

    /// How many parts are there one after the other and whole; and which one is damaged, if that is why there are no more.
    pub(crate) fn whole(&self) -> (u64, Option<PathBuf>) {
        for number in 0.. {
            let path = self.path(number);
            match is_whole(&path) {
                Ok(true) => {}
                Ok(false) => return (number, Some(path)),
                Err(error) if error.kind() == io::ErrorKind::NotFound => return (number, None),
                Err(_) => return (number, Some(path)),
            }
        }
        unreachable!("a folder has an end")
    }

    /// Keeps the first so many parts, and removes all others of the worker.
    pub(crate) fn keep(&mut self, count: u64) -> io::Result<()> {
        self.count = count;
        let folder = &self.checkpoints.folder;
        let mine = format!("-worker-{:04}.", self.worker);
        let kept: Vec<PathBuf> = (0..count).map(|number| self.path(number)).collect();
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            let is_mine = path.file_name().is_some_and(|name| name.to_string_lossy().contains(&mine));
            if is_mine && !kept.contains(&path) {
                fs::remove_file(&path)?;
            }
        }
        sync_folder(folder)
    }

    /// Reads a part that is whole: its states go to `take`, some at a time. `None` if it is none of this search.
    pub(crate) fn read<E>(
        &self,
        number: u64,
        words: usize,
        mut take: impl FnMut(&[u64]) -> Result<(), E>,
    ) -> io::Result<Result<Option<Part>, E>> {
        let file = File::open(self.path(number))?;
        // The last word is the checksum.
        let mut left = (file.metadata()?.len() / 8).saturating_sub(1);
        let mut file = BufReader::with_capacity(8 * PIECE_WORDS, file);
        let mut piece = |count: u64, left: &mut u64| -> io::Result<Option<Vec<u64>>> {
            if count > *left {
                return Ok(None);
            }
            *left -= count;
            let mut bytes = vec![0; 8 * count as usize];
            file.read_exact(&mut bytes)?;
            Ok(Some(words_of(&bytes)))
        };
        let (Some(of), Some(ends), Some(tally)) = ({
            let of = piece((FIXED_WORDS + self.masks.len()) as u64, &mut left)?;
            let mut list = |left: &mut u64| -> io::Result<Option<Vec<u64>>> {
                let Some(count) = piece(1, left)? else { return Ok(None) };
                piece(count[0], left)
            };
            (of, list(&mut left)?, list(&mut left)?)
        }) else {
            return Ok(Ok(None));
        };
        let part = Part { first: of[5], ends, tally };
        let is_of_this = self.head(number, words, &part)[..of.len()] == of[..];
        let states = part.ends.last().and_then(|end| end.checked_sub(part.first));
        if !is_of_this || states.and_then(|states| states.checked_mul(words as u64)) != Some(left) {
            return Ok(Ok(None));
        }
        let at_a_time = (PIECE_WORDS / words).max(1) * words;
        while left > 0 {
            let states = piece(left.min(at_a_time as u64), &mut left)?.unwrap_or_default();
            if let Err(error) = take(&states) {
                return Ok(Err(error));
            }
        }
        Ok(Ok(Some(part)))
    }

    /// Writes the next part; `states` gives its states, some at a time, until there are no more.
    pub(crate) fn write(
        &mut self,
        words: usize,
        part: &Part,
        mut states: impl FnMut(&mut Vec<u64>) -> bool,
    ) -> io::Result<()> {
        let path = self.path(self.count);
        let beside = path.with_extension("new");
        let mut file = BufWriter::with_capacity(8 * PIECE_WORDS, File::create(&beside)?);
        let (mut checksum, mut bytes) = (Xxh3Default::new(), Vec::new());
        let mut put = |words: &[u64]| {
            bytes.clear();
            bytes.extend(words.iter().flat_map(|word| word.to_le_bytes()));
            checksum.update(&bytes);
            file.write_all(&bytes)
        };
        put(&self.head(self.count, words, part))?;
        let mut some = Vec::new();
        while states(&mut some) {
            put(&some)?;
        }
        let sum = checksum.digest();
        file.write_all(&sum.to_le_bytes())?;
        let file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.sync_data()?;
        drop(file);
        fs::rename(&beside, &path)?;
        sync_folder(&self.checkpoints.folder)?;
        self.count += 1;
        Ok(())
    }
}

fn words_of(bytes: &[u8]) -> Vec<u64> {
    bytes.chunks_exact(8).map(|word| u64::from_le_bytes(word.try_into().expect("eight"))).collect()
}

/// Whether the file ends with the checksum of what stands before.
fn is_whole(path: &Path) -> io::Result<bool> {
    let file = File::open(path)?;
    let len = file.metadata()?.len();
    let Some(mut left) = len.checked_sub(8).filter(|left| left.is_multiple_of(8)) else { return Ok(false) };
    let (mut file, mut checksum) = (BufReader::new(file), Xxh3Default::new());
    let mut piece = vec![0; 8 * PIECE_WORDS];
    while left > 0 {
        let some = left.min(piece.len() as u64) as usize;
        file.read_exact(&mut piece[..some])?;
        checksum.update(&piece[..some]);
        left -= some as u64;
    }
    let mut sum = [0; 8];
    file.read_exact(&mut sum)?;
    Ok(u64::from_le_bytes(sum) == checksum.digest())
}

/// Makes the names in a folder durable.
fn sync_folder(folder: &Path) -> io::Result<()> {
    // Not every system can open a folder; where it cannot, names are durable without it.
    match File::open(folder) {
        Ok(folder) => folder.sync_all(),
        Err(_) => Ok(()),
    }
}
