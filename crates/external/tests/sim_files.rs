//! A file system in memory that fails when it is told to, and forgets what was not made durable when it crashes.

use lariat_runs::files::{Files, InFile, OutFile};
use lariat_runs::room::Room;
use lariat_testkit::Rng;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};

/// What goes wrong at a call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fault {
    /// This call alone fails.
    Error,
    /// Half of what is to be written is written; then this call fails.
    ShortWrite,
    /// From this call on there is no room to write.
    Full,
    /// Power is cut at this call. What was not made durable is lost.
    Crash,
    /// The same, but of what was not made durable some is there, and its end is garbage.
    TornCrash,
}

impl Fault {
    pub(crate) const ALL: [Self; 5] = [Self::Error, Self::ShortWrite, Self::Full, Self::Crash, Self::TornCrash];
}

#[derive(Default)]
struct Inode {
    now: Vec<u8>,
    durable: Vec<u8>,
}

#[derive(Default)]
struct Disk {
    inodes: Vec<Inode>,
    names: BTreeMap<PathBuf, usize>,
    durable_names: BTreeMap<PathBuf, usize>,
    locked: Arc<Mutex<BTreeSet<PathBuf>>>,
    calls: u64,
    fault: Option<(u64, Fault)>,
    /// A call that reads a bit wrong, and the file that it was.
    flip: Option<u64>,
    flipped: Option<PathBuf>,
    /// Calls that read something, by the first word of the file's name.
    reads: Vec<(u64, String)>,
    /// What is said of it; nothing if that is not set.
    room: Option<Room>,
    /// Handles of an older one are of a machine that is off.
    boots: u64,
    is_down: bool,
}

/// See the top.
#[derive(Clone, Default)]
pub(crate) struct SimFiles {
    disk: Arc<Mutex<Disk>>,
}

impl SimFiles {
    fn disk(&self) -> MutexGuard<'_, Disk> {
        self.disk.lock().expect("nobody panics while holding it")
    }
    /// Counts calls from 0 on again, and fails at one of them.
    pub(crate) fn plan(&self, fault: Option<(u64, Fault)>) {
        let mut disk = self.disk();
        (disk.calls, disk.fault) = (0, fault);
    }
    /// Has a call, if it reads a segment, read one bit wrong.
    pub(crate) fn plan_flip(&self, at: u64) {
        self.disk().flip = Some(at);
    }
    /// Some calls that read something, of each kind of file.
    pub(crate) fn some_reads(&self, of_each_kind: usize) -> Vec<u64> {
        let mut kinds: BTreeMap<String, Vec<u64>> = BTreeMap::new();
        for (number, kind) in &self.disk().reads {
            kinds.entry(kind.clone()).or_default().push(*number);
        }
        let some = |calls: Vec<u64>| {
            let apart = 1 + calls.len() / of_each_kind;
            calls.into_iter().step_by(apart).collect::<Vec<_>>()
        };
        kinds.into_values().flat_map(some).collect()
    }
    /// The file whose bit was read wrong.
    pub(crate) fn flipped(&self) -> Option<PathBuf> {
        self.disk().flipped.clone()
    }
    /// Says from now on that the disk has this room.
    pub(crate) fn set_room(&self, room: Option<Room>) {
        self.disk().room = room;
    }
    pub(crate) fn calls(&self) -> u64 {
        self.disk().calls
    }
    /// The machine starts again: what was not durable is gone, or is torn.
    pub(crate) fn reboot(&self, torn: Option<&mut Rng>) {
        let mut disk = self.disk();
        disk.names = disk.durable_names.clone();
        let mut torn = torn;
        for inode in &mut disk.inodes {
            let mut kept = inode.durable.clone();
            if let Some(rng) = &mut torn
                && inode.now.len() > kept.len()
            {
                let more = rng.below(inode.now.len() - kept.len() + 1);
                kept = inode.now[..kept.len() + more].to_vec();
                if more > 0 {
                    *kept.last_mut().expect("there is more") ^= 0x5a;
                }
            }
            inode.now = kept.clone();
            inode.durable = kept;
        }
        (disk.is_down, disk.fault) = (false, None);
        disk.boots += 1;
        disk.locked = Arc::default();
    }
    /// The files that are there.
    pub(crate) fn list(&self) -> Vec<PathBuf> {
        self.disk().names.keys().cloned().collect()
    }
    /// Changes the bytes of a file.
    pub(crate) fn change(&self, path: &Path, change: impl FnOnce(&mut Vec<u8>)) {
        let mut disk = self.disk();
        let number = disk.names[path];
        change(&mut disk.inodes[number].now);
        disk.inodes[number].durable = disk.inodes[number].now.clone();
    }
    /// A file with these bytes.
    pub(crate) fn put(&self, path: &Path, bytes: &[u8]) {
        let mut disk = self.disk();
        let number = disk.inodes.len();
        disk.inodes.push(Inode { now: bytes.to_vec(), durable: bytes.to_vec() });
        disk.names.insert(path.to_owned(), number);
        disk.durable_names.insert(path.to_owned(), number);
    }
    pub(crate) fn contents(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let disk = self.disk();
        disk.names.iter().map(|(path, &number)| (path.clone(), disk.inodes[number].now.clone())).collect()
    }
    pub(crate) fn put_back(&self, contents: &BTreeMap<PathBuf, Vec<u8>>) {
        let mut disk = self.disk();
        disk.inodes.clear();
        disk.names.clear();
        disk.locked = Arc::default();
        for (path, bytes) in contents {
            let number = disk.inodes.len();
            disk.inodes.push(Inode { now: bytes.clone(), durable: bytes.clone() });
            disk.names.insert(path.clone(), number);
        }
        disk.durable_names = disk.names.clone();
    }
}

impl Disk {
    /// A call, of something that writes or not: whether it fails, and how.
    fn call(&mut self, writes: bool) -> io::Result<Option<Fault>> {
        let number = self.calls;
        self.calls += 1;
        if self.is_down {
            return Err(io::Error::other("the machine is down"));
        }
        match self.fault {
            Some((at, Fault::Error)) if number == at => Err(io::Error::other("injected")),
            Some((at, Fault::ShortWrite)) if number == at => Ok(Some(Fault::ShortWrite)),
            Some((at, Fault::Full)) if number >= at && writes => Err(io::ErrorKind::StorageFull.into()),
            Some((at, Fault::Crash | Fault::TornCrash)) if number == at => {
                self.is_down = true;
                Err(io::Error::other("the machine went down"))
            }
            _ => Ok(None),
        }
    }
    /// The same where nothing can be done by half.
    fn plain_call(&mut self, writes: bool) -> io::Result<()> {
        match self.call(writes)? {
            Some(_) => Err(io::Error::other("injected")),
            None => Ok(()),
        }
    }
    fn number(&self, path: &Path) -> io::Result<usize> {
        self.names.get(path).copied().ok_or_else(|| io::ErrorKind::NotFound.into())
    }
}

struct Handle {
    files: SimFiles,
    number: usize,
    boots: u64,
}

impl Handle {
    fn new(files: &SimFiles, number: usize, boots: u64) -> Box<Self> {
        Box::new(Self { files: files.clone(), number, boots })
    }
}

impl Files for SimFiles {
    fn create(&self, path: &Path) -> io::Result<Box<dyn OutFile>> {
        let mut disk = self.disk();
        disk.plain_call(true)?;
        let number = disk.inodes.len();
        disk.inodes.push(Inode::default());
        disk.names.insert(path.to_owned(), number);
        Ok(Handle::new(self, number, disk.boots))
    }
    fn reopen(&self, path: &Path, len: u64) -> io::Result<Box<dyn OutFile>> {
        let mut disk = self.disk();
        disk.plain_call(true)?;
        let number = disk.number(path)?;
        if (disk.inodes[number].now.len() as u64) < len {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        disk.inodes[number].now.truncate(len as usize);
        Ok(Handle::new(self, number, disk.boots))
    }
    fn open(&self, path: &Path) -> io::Result<Box<dyn InFile>> {
        let mut disk = self.disk();
        disk.plain_call(false)?;
        let number = disk.number(path)?;
        Ok(Handle::new(self, number, disk.boots))
    }
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        let mut disk = self.disk();
        disk.plain_call(false)?;
        let number = disk.number(path)?;
        Ok(disk.inodes[number].now.clone())
    }
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        let mut disk = self.disk();
        disk.plain_call(true)?;
        let number = disk.number(from)?;
        disk.names.remove(from);
        disk.names.insert(to.to_owned(), number);
        Ok(())
    }
    fn remove(&self, path: &Path) -> io::Result<()> {
        let mut disk = self.disk();
        disk.plain_call(false)?;
        disk.number(path)?;
        disk.names.remove(path);
        Ok(())
    }
    fn make_folder(&self, _: &Path) -> io::Result<()> {
        self.disk().plain_call(true)
    }
    fn remove_folder(&self, path: &Path) -> io::Result<()> {
        let mut disk = self.disk();
        disk.plain_call(false)?;
        disk.names.retain(|name, _| !name.starts_with(path));
        disk.durable_names.retain(|name, _| !name.starts_with(path));
        Ok(())
    }
    fn sync_folder(&self, path: &Path) -> io::Result<()> {
        let mut disk = self.disk();
        disk.plain_call(true)?;
        let is_in = |name: &Path| name.parent() == Some(path);
        let now: Vec<(PathBuf, usize)> =
            disk.names.iter().filter(|(name, _)| is_in(name)).map(|(name, &number)| (name.clone(), number)).collect();
        disk.durable_names.retain(|name, _| !is_in(name));
        disk.durable_names.extend(now);
        Ok(())
    }
    fn names(&self, path: &Path) -> io::Result<Vec<String>> {
        let mut disk = self.disk();
        disk.plain_call(false)?;
        let inside = disk.names.keys().filter(|name| name.parent() == Some(path));
        Ok(inside.filter_map(|name| name.file_name()).map(|name| name.to_string_lossy().into_owned()).collect())
    }
    fn exists(&self, path: &Path) -> bool {
        self.disk().names.keys().any(|name| name.starts_with(path))
    }
    fn lock(&self, path: &Path) -> io::Result<Box<dyn Send + Sync>> {
        let mut disk = self.disk();
        disk.plain_call(true)?;
        let locked = Arc::clone(&disk.locked);
        if !locked.lock().expect("nobody panics while holding it").insert(path.to_owned()) {
            return Err(io::ErrorKind::WouldBlock.into());
        }
        Ok(Box::new(Lock { locked, path: path.to_owned() }))
    }
    fn room(&self, _: &Path) -> io::Result<Option<Room>> {
        Ok(self.disk().room)
    }
}

struct Lock {
    locked: Arc<Mutex<BTreeSet<PathBuf>>>,
    path: PathBuf,
}

impl Drop for Lock {
    fn drop(&mut self) {
        self.locked.lock().expect("nobody panics while holding it").remove(&self.path);
    }
}

impl OutFile for Handle {
    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        let mut disk = self.files.disk();
        let fault = disk.call(true)?;
        assert_eq!(disk.boots, self.boots, "a handle does not outlive its machine");
        let written = if fault.is_some() { &bytes[..bytes.len() / 2] } else { bytes };
        disk.inodes[self.number].now.extend_from_slice(written);
        if fault.is_some() { Err(io::Error::other("injected")) } else { Ok(()) }
    }
    fn sync(&mut self) -> io::Result<()> {
        let mut disk = self.files.disk();
        disk.plain_call(true)?;
        let inode = &mut disk.inodes[self.number];
        inode.durable = inode.now.clone();
        Ok(())
    }
    fn cut(&mut self, len: u64) -> io::Result<()> {
        let mut disk = self.files.disk();
        disk.plain_call(true)?;
        disk.inodes[self.number].now.truncate(len as usize);
        Ok(())
    }
}

impl InFile for Handle {
    fn read_at(&self, offset: u64, bytes: &mut [u8]) -> io::Result<usize> {
        let mut disk = self.files.disk();
        let number = disk.calls;
        disk.plain_call(false)?;
        let all = &disk.inodes[self.number].now;
        let rest = all.get(offset as usize..).unwrap_or_default();
        let len = rest.len().min(bytes.len());
        bytes[..len].copy_from_slice(&rest[..len]);
        let path = disk.names.iter().find(|(_, inode)| **inode == self.number).map(|(path, _)| path.clone());
        if let Some(path) = path.filter(|_| len > 0) {
            let name = path.file_name().expect("a file has a name").to_string_lossy();
            let kind = name.split(['-', '.']).next().expect("there is one").to_owned();
            disk.reads.push((number, kind));
            if disk.flip == Some(number) {
                bytes[number as usize * 7 % len.min(64)] ^= 1 << (number % 8);
                disk.flipped = Some(path);
            }
        }
        Ok(len)
    }
}
