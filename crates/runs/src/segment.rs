//! Segments: sequences of blocks, spread over the folders of a run.
//!
//! Block `n` of a segment is in the folder `n` modulo their number. A block is a header and encoded states (`codec`): how
//! many states, which block of which segment it is, how long, and a checksum of all of it. Blocks are appended and never
//! changed. Who reads a block says which one it wants, so a block that is missing, damaged, cut short, or in the wrong place is
//! an error that names the file and the offset.

use crate::codec;
use crate::error::DiskError;
use crate::files::{Files, InFile, OutFile};
use crate::room::Reserve;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use xxhash_rust::xxh3::{Xxh3Default, xxh3_64};

/// A block has about this many bytes of states before they are encoded. Larger ones take fewer bytes on disk, by a few per cent,
/// but fewer runs can be merged at once in the same memory.
pub const BLOCK_BYTES: usize = 16 << 10;
const HEADER_BYTES: usize = 32;
const MAGIC: u32 = u32::from_le_bytes(*b"LRB1");
/// What is written or read at once, at least.
const PIECE_BYTES: usize = 32 << 10;

/// How many states of so many words make a block.
fn states_per_block(words: usize) -> usize {
    (BLOCK_BYTES / (8 * words.max(1))).max(4)
}

/// What a reader or a writer of such states takes of memory, with so many folders.
pub fn buffer_bytes(words: usize, folders: usize) -> u64 {
    let states = states_per_block(words);
    let encoded = states * codec::most_bytes(words) + HEADER_BYTES;
    // The block, as it is and encoded; and a piece of the file in each folder.
    (8 * states * words + encoded + folders * PIECE_BYTES.max(encoded)) as u64
}

/// Bytes that went to and from the disk.
#[derive(Debug, Default)]
pub struct Moved {
    /// Read.
    pub read: AtomicU64,
    /// Written.
    pub written: AtomicU64,
}

/// What is done before the first file of a run is made: its folders, and what else has to be there before them.
pub trait Opening: Send + Sync {
    /// Does what was not done before.
    fn open(&self, folders: &Folders) -> Result<(), DiskError>;
}

/// The folders of a run, and how to reach them.
#[derive(Clone)]
pub struct Folders {
    /// The file system.
    pub files: Arc<dyn Files>,
    /// One run directory on each disk.
    pub paths: Vec<PathBuf>,
    /// What was moved.
    pub moved: Arc<Moved>,
    /// For tests: how many states a block has at most.
    pub most_per_block: Option<usize>,
    /// What is done before the first file is made.
    pub opening: Arc<dyn Opening>,
    /// Segments that were written and are not yet durable.
    pub unsynced: Arc<Mutex<Vec<Unsynced>>>,
    /// What stays free.
    pub reserve: Arc<Reserve>,
}

/// A segment that no manifest speaks of. Its files stay open until they are durable: a descriptor that did not write may not be
/// told that a write was lost.
pub struct Unsynced {
    name: String,
    /// With the folder that each is in; none if all are durable.
    files: Vec<(usize, Box<dyn OutFile>)>,
    /// After a sync that failed nobody knows what is durable, and no later one tells.
    is_lost: bool,
}

/// So many of these files are open at most.
const MOST_OPEN: usize = 96;

impl Unsynced {
    fn sync(&mut self, folders: &Folders) -> Result<(), DiskError> {
        for (stripe, file) in &mut self.files {
            let synced = if self.is_lost { Err(lost()) } else { file.sync() };
            self.is_lost = synced.is_err();
            synced.map_err(DiskError::io("write", &folders.path(&self.name, *stripe)))?;
        }
        self.files.clear();
        Ok(())
    }
}

fn lost() -> io::Error {
    io::Error::other("an earlier write was lost")
}

impl fmt::Debug for Folders {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Folders").field("paths", &self.paths).finish_non_exhaustive()
    }
}

impl Folders {
    /// The file of a segment in one of the folders.
    pub fn path(&self, name: &str, stripe: usize) -> PathBuf {
        self.paths[stripe].join(format!("{name}.seg"))
    }
    /// How many states of so many words make a block.
    pub fn states_per_block(&self, words: usize) -> usize {
        states_per_block(words).min(self.most_per_block.unwrap_or(usize::MAX))
    }
    fn stripe(&self, sequence: u64) -> usize {
        (sequence % self.paths.len() as u64) as usize
    }
    /// Makes these segments durable, if they are not, before a manifest speaks of them. Others may never be needed.
    pub fn make_durable(&self, needed: &[&str]) -> Result<(), DiskError> {
        let mut unsynced = self.unsynced.lock().unwrap_or_else(PoisonError::into_inner);
        let mut is_any = false;
        for segment in unsynced.iter_mut().filter(|segment| needed.contains(&segment.name.as_str())) {
            is_any = true;
            segment.sync(self)?;
        }
        if is_any {
            for folder in &self.paths {
                self.files.sync_folder(folder).map_err(DiskError::io("write the folder", folder))?;
            }
        }
        unsynced.retain(|segment| !needed.contains(&segment.name.as_str()));
        Ok(())
    }
    /// Keeps a segment whose files were written, until a manifest is to speak of it.
    fn keep_unsynced(&self, segment: Unsynced) -> Result<(), DiskError> {
        let mut unsynced = self.unsynced.lock().unwrap_or_else(PoisonError::into_inner);
        unsynced.push(segment);
        let mut open: usize = unsynced.iter().map(|segment| segment.files.len()).sum();
        for segment in unsynced.iter_mut() {
            if open <= MOST_OPEN {
                break;
            }
            open -= segment.files.len();
            segment.sync(self)?;
        }
        Ok(())
    }
    /// Whether no manifest speaks of the segment.
    pub fn is_unsynced(&self, name: &str) -> bool {
        self.unsynced.lock().unwrap_or_else(PoisonError::into_inner).iter().any(|segment| segment.name == name)
    }
    /// Removes a segment.
    pub fn remove(&self, name: &str) -> Result<(), DiskError> {
        self.unsynced.lock().unwrap_or_else(PoisonError::into_inner).retain(|segment| segment.name != name);
        for stripe in 0..self.paths.len() {
            let path = self.path(name, stripe);
            if self.files.exists(&path) {
                self.files.remove(&path).map_err(DiskError::io("remove", &path))?;
            }
        }
        Ok(())
    }
}

/// Where a block begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BlockPlace {
    /// The number of the block.
    pub sequence: u64,
    /// Where it begins in its file.
    pub offset: u64,
}

/// A segment that is being written.
pub struct SegmentWriter {
    folders: Folders,
    name: String,
    words: usize,
    stripes: Vec<Stripe>,
    next: u64,
    encoded: Vec<u8>,
}

#[derive(Default)]
struct Stripe {
    file: Option<Box<dyn OutFile>>,
    /// Not yet given to the file.
    waiting: Vec<u8>,
    /// With what waits.
    len: u64,
    is_new: bool,
    is_dirty: bool,
    /// After an error nobody knows how much of the last piece was written: it is cut off before more is.
    is_torn: bool,
    /// After a sync that failed nobody knows what is durable, and no later one tells.
    is_lost: bool,
}

impl SegmentWriter {
    /// An empty segment. Nothing is done on the disk before there is something to write.
    pub fn new(folders: &Folders, name: &str, words: usize) -> Self {
        let stripes = folders.paths.iter().map(|_| Stripe::default()).collect();
        Self { folders: folders.clone(), name: name.to_owned(), words, stripes, next: 0, encoded: Vec::new() }
    }

    /// A segment that is written on behind its first `next` blocks, which have these lengths in the folders. What follows
    /// them is removed.
    pub fn reopen(folders: &Folders, name: &str, words: usize, next: u64, lens: &[u64]) -> Result<Self, DiskError> {
        let mut writer = Self::new(folders, name, words);
        writer.next = next;
        for (number, (stripe, &len)) in writer.stripes.iter_mut().zip(lens).enumerate() {
            let path = folders.path(name, number);
            stripe.len = len;
            if len > 0 {
                stripe.file = Some(folders.files.reopen(&path, len).map_err(DiskError::io("go on writing", &path))?);
            }
        }
        Ok(writer)
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }
    /// How many states make a block.
    pub fn states_per_block(&self) -> usize {
        self.folders.states_per_block(self.words)
    }
    /// The number of the next block.
    pub fn next(&self) -> u64 {
        self.next
    }
    /// How many bytes each folder has of it.
    pub fn lens(&self) -> Vec<u64> {
        self.stripes.iter().map(|stripe| stripe.len).collect()
    }
    /// How many bytes all folders have of it.
    pub fn bytes(&self) -> u64 {
        self.stripes.iter().map(|stripe| stripe.len).sum()
    }

    /// Appends a block of states: where it is.
    pub fn append(&mut self, states: &[u64]) -> Result<BlockPlace, DiskError> {
        let number = self.folders.stripe(self.next);
        self.encoded.clear();
        self.encoded.resize(HEADER_BYTES, 0);
        codec::encode(states, self.words, &mut self.encoded);
        let count = (states.len() / self.words) as u32;
        let header = Header { count, sequence: self.next, payload: (self.encoded.len() - HEADER_BYTES) as u32 };
        let (head, payload) = self.encoded.split_at_mut(HEADER_BYTES);
        head.copy_from_slice(&header.bytes(&self.name, payload));
        let stripe = &mut self.stripes[number];
        let place = BlockPlace { sequence: self.next, offset: stripe.len };
        stripe.waiting.extend_from_slice(&self.encoded);
        stripe.len += self.encoded.len() as u64;
        self.next += 1;
        if stripe.waiting.len() >= PIECE_BYTES {
            self.write_stripe(number)?;
        }
        Ok(place)
    }

    fn write_stripe(&mut self, number: usize) -> Result<(), DiskError> {
        let Self { folders, name, stripes, .. } = self;
        let stripe = &mut stripes[number];
        if stripe.waiting.is_empty() {
            return Ok(());
        }
        let path = folders.path(name, number);
        if stripe.file.is_none() {
            folders.opening.open(folders)?;
        }
        folders.reserve.ask(stripe.waiting.len(), &folders.paths[number], folders)?;
        let file = match &mut stripe.file {
            Some(file) => file,
            None => {
                stripe.is_new = true;
                stripe.file.insert(folders.files.create(&path).map_err(DiskError::io("create", &path))?)
            }
        };
        if stripe.is_torn {
            file.cut(stripe.len - stripe.waiting.len() as u64).map_err(DiskError::io("go on writing", &path))?;
        }
        let appended = file.append(&stripe.waiting);
        stripe.is_torn = appended.is_err();
        appended.map_err(DiskError::io("write", &path))?;
        folders.moved.written.fetch_add(stripe.waiting.len() as u64, Ordering::Relaxed);
        stripe.waiting.clear();
        stripe.is_dirty = true;
        Ok(())
    }

    /// Gives everything to the files, so that it can be read.
    pub fn flush(&mut self) -> Result<(), DiskError> {
        (0..self.stripes.len()).try_for_each(|number| self.write_stripe(number))
    }

    /// Gives everything to the files, which will be made durable when a manifest is to speak of them.
    pub fn leave(mut self) -> Result<(), DiskError> {
        self.flush()?;
        let is_lost = self.stripes.iter().any(|stripe| stripe.is_lost);
        let files = self.stripes.into_iter().map(|stripe| stripe.file).enumerate();
        let files = files.filter_map(|(stripe, file)| Some((stripe, file?))).collect();
        self.folders.keep_unsynced(Unsynced { name: self.name, files, is_lost })
    }

    /// Makes everything durable.
    pub fn sync(&mut self) -> Result<(), DiskError> {
        self.flush()?;
        let Self { folders, name, stripes, .. } = self;
        for (number, stripe) in stripes.iter_mut().enumerate() {
            let path = folders.path(name, number);
            if let Some(file) = stripe.file.as_mut().filter(|_| stripe.is_dirty) {
                let synced = if stripe.is_lost { Err(lost()) } else { file.sync() };
                stripe.is_lost = synced.is_err();
                synced.map_err(DiskError::io("write", &path))?;
                stripe.is_dirty = false;
            }
            if stripe.is_new {
                let folder = &folders.paths[number];
                folders.files.sync_folder(folder).map_err(DiskError::io("write the folder", folder))?;
                stripe.is_new = false;
            }
        }
        Ok(())
    }
}

/// What stands before the states of a block.
struct Header {
    count: u32,
    sequence: u64,
    payload: u32,
}

impl Header {
    fn bytes(&self, name: &str, payload: &[u8]) -> [u8; HEADER_BYTES] {
        let mut bytes = [0; HEADER_BYTES];
        bytes[..4].copy_from_slice(&MAGIC.to_le_bytes());
        bytes[4..8].copy_from_slice(&self.count.to_le_bytes());
        bytes[8..16].copy_from_slice(&self.sequence.to_le_bytes());
        bytes[16..20].copy_from_slice(&self.payload.to_le_bytes());
        bytes[20..24].copy_from_slice(&(xxh3_64(name.as_bytes()) as u32).to_le_bytes());
        let mut sum = Xxh3Default::new();
        sum.update(&bytes[..24]);
        sum.update(payload);
        bytes[24..].copy_from_slice(&sum.digest().to_le_bytes());
        bytes
    }
    fn payload_len(bytes: &[u8]) -> usize {
        u32::from_le_bytes(bytes[16..20].try_into().expect("four bytes")) as usize
    }
}

/// Reads blocks of a segment.
pub struct SegmentReader {
    folders: Folders,
    name: String,
    words: usize,
    stripes: Vec<Option<Window>>,
}

/// A file, and a piece of it.
struct Window {
    file: Box<dyn InFile>,
    path: PathBuf,
    begin: u64,
    bytes: Vec<u8>,
}

impl SegmentReader {
    /// Nothing is opened before it is read.
    pub fn new(folders: &Folders, name: &str, words: usize) -> Self {
        let stripes = folders.paths.iter().map(|_| None).collect();
        Self { folders: folders.clone(), name: name.to_owned(), words, stripes }
    }

    /// Reads the block at this place into `states`: where the block begins that follows it in the same folder.
    pub fn read(&mut self, place: BlockPlace, states: &mut Vec<u64>) -> Result<u64, DiskError> {
        let Self { folders, name, words, stripes } = self;
        let number = folders.stripe(place.sequence);
        let window = match &mut stripes[number] {
            Some(window) => window,
            slot => {
                let path = folders.path(name, number);
                let file = folders.files.open(&path).map_err(DiskError::io("read", &path))?;
                slot.insert(Window { file, path, begin: 0, bytes: Vec::new() })
            }
        };
        let corrupt = |path: &Path, why: &str| DiskError::Corrupt {
            path: path.to_owned(),
            offset: place.offset,
            why: why.to_owned(),
        };
        let header: [u8; HEADER_BYTES] = match window.piece(place.offset, HEADER_BYTES, &folders.moved)? {
            Some(bytes) => bytes.try_into().expect("as many as were asked for"),
            None => return Err(corrupt(&window.path, "it ends before the block does")),
        };
        let most = states_per_block(*words) * codec::most_bytes(*words);
        let payload = Header::payload_len(&header);
        if payload > most {
            return Err(corrupt(&window.path, "the block has an impossible length"));
        }
        let path = window.path.clone();
        let Some(bytes) = window.piece(place.offset, HEADER_BYTES + payload, &folders.moved)? else {
            return Err(corrupt(&path, "it ends before the block does"));
        };
        let count = u32::from_le_bytes(header[4..8].try_into().expect("four bytes"));
        let expected = Header { count, sequence: place.sequence, payload: payload as u32 };
        let body = &bytes[HEADER_BYTES..];
        if expected.bytes(name, body) != header {
            let found = u64::from_le_bytes(header[8..16].try_into().expect("eight bytes"));
            return Err(corrupt(
                &path,
                &match found == place.sequence {
                    true => format!("the checksum of block {found} is wrong"),
                    false => format!("block {} should be here", place.sequence),
                },
            ));
        }
        codec::decode(body, count as usize, *words, states)
            .ok_or_else(|| corrupt(&path, "the block cannot be decoded"))?;
        Ok(place.offset + (HEADER_BYTES + payload) as u64)
    }
}

impl Window {
    /// So many bytes from an offset; `None` if the file ends before.
    fn piece(&mut self, offset: u64, len: usize, moved: &Moved) -> Result<Option<&[u8]>, DiskError> {
        let has = |begin: u64, bytes: &[u8]| begin <= offset && offset + len as u64 <= begin + bytes.len() as u64;
        if !has(self.begin, &self.bytes) {
            self.bytes.resize(len.max(PIECE_BYTES), 0);
            let read = self.file.read_at(offset, &mut self.bytes).map_err(DiskError::io("read", &self.path))?;
            self.bytes.truncate(read);
            self.begin = offset;
            moved.read.fetch_add(read as u64, Ordering::Relaxed);
            if !has(self.begin, &self.bytes) {
                return Ok(None);
            }
        }
        let begin = (offset - self.begin) as usize;
        Ok(Some(&self.bytes[begin..begin + len]))
    }
}

/// Blocks of a segment one after the other.
pub struct BlockReader {
    reader: SegmentReader,
    next: u64,
    end: u64,
    offsets: Vec<u64>,
}

impl BlockReader {
    /// From block `first`, where the folders have these offsets, up to block `end`.
    pub fn new(reader: SegmentReader, first: u64, end: u64, offsets: Vec<u64>) -> Self {
        Self { reader, next: first, end, offsets }
    }
    /// Where each folder goes on.
    pub fn offsets(&self) -> &[u64] {
        &self.offsets
    }
    /// Goes on with another block, at which the folders have these offsets.
    pub fn jump(&mut self, next: u64, offsets: &[u64]) {
        self.next = next;
        self.offsets.copy_from_slice(offsets);
    }
    /// The next block: its number.
    pub fn read(&mut self, states: &mut Vec<u64>) -> Result<Option<BlockPlace>, DiskError> {
        if self.next == self.end {
            return Ok(None);
        }
        let stripe = self.reader.folders.stripe(self.next);
        let place = BlockPlace { sequence: self.next, offset: self.offsets[stripe] };
        self.offsets[stripe] = self.reader.read(place, states)?;
        self.next += 1;
        Ok(Some(place))
    }
}
