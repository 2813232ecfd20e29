//! The few things that a search asks of a file system, behind a trait: tests put one there that fails, tears or forgets.
//!
//! Files are written at their end only and read at any place. What was appended is durable after `sync`, a new name or a
//! renamed file after `sync_folder`.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::Mutex;

use crate::room::Room;

/// A file system.
pub trait Files: Send + Sync {
    /// Makes an empty file, in place of one that is there.
    fn create(&self, path: &Path) -> io::Result<Box<dyn OutFile>>;
    /// Opens a file to append behind its first `len` bytes: what follows them is cut off. An error if there are fewer.
    fn reopen(&self, path: &Path, len: u64) -> io::Result<Box<dyn OutFile>>;
    /// Opens a file to be read.
    fn open(&self, path: &Path) -> io::Result<Box<dyn InFile>>;
    /// The whole of a small file.
    fn read(&self, path: &Path) -> io::Result<Vec<u8>>;
    /// Gives a file another name, in place of the file that has it.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;
    /// Removes a file.
    fn remove(&self, path: &Path) -> io::Result<()>;
    /// Makes a folder and those above it.
    fn make_folder(&self, path: &Path) -> io::Result<()>;
    /// Removes a folder with all that is in it.
    fn remove_folder(&self, path: &Path) -> io::Result<()>;
    /// Makes the names in a folder durable.
    fn sync_folder(&self, path: &Path) -> io::Result<()>;
    /// The names in a folder; none if it is not there.
    fn names(&self, path: &Path) -> io::Result<Vec<String>>;
    /// Whether something has this name.
    fn exists(&self, path: &Path) -> bool;
    /// Takes a lock that no other process has, until it is dropped.
    fn lock(&self, path: &Path) -> io::Result<Box<dyn Send + Sync>>;
    /// What the file system of a folder has; `None` where the system does not say.
    fn room(&self, path: &Path) -> io::Result<Option<Room>>;
}

/// A file that is being written.
pub trait OutFile: Send {
    /// Writes all of it behind what was written. After an error nobody knows how much of it is there.
    fn append(&mut self, bytes: &[u8]) -> io::Result<()>;
    /// Makes what was appended durable.
    fn sync(&mut self) -> io::Result<()>;
    /// Cuts off what follows the first `len` bytes, and goes on appending there.
    fn cut(&mut self, len: u64) -> io::Result<()>;
}

/// A file that is being read.
pub trait InFile: Send + Sync {
    /// Reads from an offset until the buffer is full or the file ends: how many bytes that were.
    fn read_at(&self, offset: u64, bytes: &mut [u8]) -> io::Result<usize>;
}

/// The file system of the machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct RealFiles;

impl Files for RealFiles {
    fn create(&self, path: &Path) -> io::Result<Box<dyn OutFile>> {
        Ok(Box::new(File::create(path)?))
    }
    fn reopen(&self, path: &Path, len: u64) -> io::Result<Box<dyn OutFile>> {
        let mut file = OpenOptions::new().write(true).open(path)?;
        let found = file.metadata()?.len();
        if found < len {
            let why = format!("it has {found} bytes, and {len} were written");
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, why));
        }
        file.cut(len)?;
        Ok(Box::new(file))
    }
    fn open(&self, path: &Path) -> io::Result<Box<dyn InFile>> {
        Ok(Box::new(Mutex::new(File::open(path)?)))
    }
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        fs::read(path)
    }
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)
    }
    fn remove(&self, path: &Path) -> io::Result<()> {
        fs::remove_file(path)
    }
    fn make_folder(&self, path: &Path) -> io::Result<()> {
        fs::create_dir_all(path)
    }
    fn remove_folder(&self, path: &Path) -> io::Result<()> {
        fs::remove_dir_all(path)
    }
    fn sync_folder(&self, path: &Path) -> io::Result<()> {
        // Not every system can open a folder; where it cannot, names are durable without it.
        match File::open(path) {
            Ok(folder) => folder.sync_all(),
            Err(_) => Ok(()),
        }
    }
    fn names(&self, path: &Path) -> io::Result<Vec<String>> {
        let entries = match fs::read_dir(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries?,
        };
        entries.map(|entry| entry.map(|entry| entry.file_name().to_string_lossy().into_owned())).collect()
    }
    fn exists(&self, path: &Path) -> bool {
        path.exists()
    }
    fn lock(&self, path: &Path) -> io::Result<Box<dyn Send + Sync>> {
        let file = OpenOptions::new().create(true).truncate(false).write(true).open(path)?;
        file.try_lock()?;
        Ok(Box::new(file))
    }
    #[cfg(unix)]
    fn room(&self, path: &Path) -> io::Result<Option<Room>> {
        let found = rustix::fs::statvfs(path)?;
        Ok(Some(Room {
            free_bytes: found.f_bavail.saturating_mul(found.f_frsize),
            total_bytes: found.f_blocks.saturating_mul(found.f_frsize),
            is_in_memory: is_in_memory(path)?,
        }))
    }
    #[cfg(not(unix))]
    fn room(&self, _: &Path) -> io::Result<Option<Room>> {
        Ok(None)
    }
}

#[cfg(target_os = "linux")]
fn is_in_memory(path: &Path) -> io::Result<bool> {
    // The numbers of tmpfs and ramfs in the kernel's `magic.h`.
    Ok([0x0102_1994, 0x8584_58f6].contains(&(i128::from(rustix::fs::statfs(path)?.f_type) & 0xffff_ffff)))
}

#[cfg(all(unix, not(target_os = "linux")))]
fn is_in_memory(_: &Path) -> io::Result<bool> {
    Ok(false)
}

impl OutFile for File {
    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.write_all(bytes)
    }
    fn sync(&mut self) -> io::Result<()> {
        self.sync_data()
    }
    fn cut(&mut self, len: u64) -> io::Result<()> {
        self.set_len(len)?;
        self.seek(SeekFrom::Start(len)).map(|_| ())
    }
}

impl InFile for Mutex<File> {
    fn read_at(&self, offset: u64, bytes: &mut [u8]) -> io::Result<usize> {
        let mut file = self.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        file.seek(SeekFrom::Start(offset))?;
        let mut done = 0;
        while done < bytes.len() {
            match file.read(&mut bytes[done..]) {
                Ok(0) => break,
                Ok(more) => done += more,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(done)
    }
}
