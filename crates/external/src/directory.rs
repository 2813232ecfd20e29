//! The run directory, which is the checkpoint: where it is, what it is sealed with, and its manifest.
//!
//! The manifest is written beside the old one, made durable, and renamed: at any moment one whole manifest is there, and all
//! that it speaks of was durable before. It says for which model, property and options the run is, and by which version of the
//! program; going on with others is refused.

use crate::engine::{Astar, External};
use crate::filter::StateFilter;
use lariat_engine::{Disk, Engine, EngineError, HeuristicKind, Options, Property, Subject, Task};
use lariat_runs::error::DiskError;
use lariat_runs::files::Files;
use lariat_runs::room::{Reserve, default_folder};
use lariat_runs::segment::{Folders, Moved, Opening};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};
use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

const MANIFEST: &str = "manifest.json";
const SCHEMA: u32 = 6;

/// What a manifest says.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Manifest<P> {
    /// The version of this form.
    pub schema: u32,
    /// The version of the program that wrote it.
    pub version: String,
    /// How the run was asked for.
    pub command: Vec<String>,
    /// The folder that paths in it begin in.
    pub working_folder: PathBuf,
    /// The file of the model, and the values of macros as `NAME=VALUE`: of several models and of sweeps the command names more.
    pub model: String,
    /// The values of macros.
    pub defines: Vec<String>,
    /// The name of the property.
    pub property: String,
    /// The engine.
    pub engine: String,
    /// The search is given up where there are more states, and another one follows.
    pub most_states: Option<u64>,
    /// For how many processes there is room.
    pub pool_size: u16,
    /// The run directories, one on each disk.
    pub folders: Vec<PathBuf>,
    /// How many states a block has at most, if that is not left to the program.
    pub most_per_block: Option<usize>,
    /// Whether the search leaves some room free: nobody named its folder.
    pub keeps_reserve: bool,
    /// Of a search for pairs: which states loops can go through, where that is known.
    pub(crate) can_loop: Option<StateFilter>,
    /// Hashes of the model, the property and the options.
    pub seal: Seal,
    /// How far the search is; nothing if it is at its beginning.
    pub progress: P,
}

/// For what a run directory was made.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Seal {
    /// Of the model.
    pub model: String,
    /// Of the property.
    pub property: String,
    /// Of what else changes the search.
    pub options: String,
}

impl Seal {
    /// `heuristic` is that of a directed search, also where it was not given.
    fn of(task: &Task<'_>, words: usize, heuristic: Option<HeuristicKind>) -> Self {
        let hash = |text: &str| format!("{:032x}", xxh3_128(text.as_bytes()));
        let model = match task.subject {
            Subject::System(system) => hash(&system.to_string()),
            // The steps of a model written in Rust cannot be compared.
            Subject::Space(given) => hash(&format!("{:?} {:?} {}", given.labels, given.fairness, given.state_bits)),
        };
        let Options { store, keep_going, shortest, depth_limit, reduce, acceptance, .. } = &task.options;
        let options = format!(
            "{words} {} {keep_going} {shortest} {depth_limit:?} {reduce} {acceptance:?} {heuristic:?}",
            store.name()
        );
        let property = match &task.property {
            Property::Safety { invalid_ends } => format!("safety {invalid_ends}"),
            other => format!("{other:?}"),
        };
        Self { model, property: hash(&property), options: hash(&options) }
    }
}

/// The directory of one run.
pub(crate) struct Directory {
    pub(crate) folders: Folders,
    opening: Arc<Beginning>,
    manifest: Manifest<()>,
    /// Whether the manifest says more than that the search has begun.
    pub(crate) has_checkpoint: bool,
}

/// What is done before the first file of a run is made: its folders, a lock, and a manifest which says that the search is at its
/// beginning. So there is never a folder with states and without a manifest, and whatever stops the search, it can go on.
pub(crate) struct Beginning {
    opened: Mutex<Opened>,
    /// The manifest of the beginning.
    beginning: String,
    /// Directories of searches that this one follows on: nobody needs them when there is a manifest.
    earlier: Mutex<Vec<Directory>>,
}

#[derive(Default)]
struct Opened {
    lock: Option<Box<dyn Send + Sync>>,
    has_folders: bool,
    has_manifest: bool,
}

impl Opening for Beginning {
    fn open(&self, folders: &Folders) -> Result<(), DiskError> {
        let mut opened = self.opened();
        if !opened.has_manifest {
            opened.write(folders, &self.beginning)?;
            drop(opened);
            self.take_earlier().iter_mut().for_each(Directory::remove);
        }
        Ok(())
    }
}

impl Beginning {
    fn opened(&self) -> MutexGuard<'_, Opened> {
        self.opened.lock().unwrap_or_else(PoisonError::into_inner)
    }
    fn take_earlier(&self) -> Vec<Directory> {
        std::mem::take(&mut *self.earlier.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Opened {
    /// Writes a manifest beside the one that is there, and puts it in its place.
    fn write(&mut self, folders: &Folders, text: &str) -> Result<(), DiskError> {
        let (files, path) = (&*folders.files, &folders.paths[0]);
        if !self.has_folders {
            for folder in &folders.paths {
                files.make_folder(folder).map_err(DiskError::io("make the folder", folder))?;
            }
            self.has_folders = true;
        }
        if self.lock.is_none() {
            let lock = path.join("lock");
            self.lock = Some(files.lock(&lock).map_err(DiskError::io("lock", &lock))?);
        }
        let (beside, manifest) = (path.join("manifest.tmp"), path.join(MANIFEST));
        let write = || {
            let mut file = files.create(&beside)?;
            file.append(text.as_bytes())?;
            file.sync()?;
            drop(file);
            files.rename(&beside, &manifest)?;
            files.sync_folder(path)?;
            // The names of the directories themselves, too.
            folders.paths.iter().filter_map(|folder| folder.parent()).try_for_each(|above| files.sync_folder(above))
        };
        write().map_err(DiskError::io("write", &manifest))?;
        self.has_manifest = true;
        Ok(())
    }
}

/// Numbers run directories of this process.
static RUNS: AtomicU64 = AtomicU64::new(0);

/// Where a run goes that was given no folder. Whoever asks for a search on disk gets one, if need be in memory or with little room.
fn folder_of_none(needed_bytes: u64, files: &dyn Files) -> PathBuf {
    let found = default_folder(needed_bytes, files).or_else(|_| default_folder(0, files));
    found.unwrap_or_else(|_| std::env::temp_dir())
}

impl Directory {
    /// A new one. Nothing is made on the disk before there is something to write. With `needed_bytes` a folder is chosen where none was
    /// given.
    pub(crate) fn new(
        task: &Task<'_>,
        words: usize,
        heuristic: Option<HeuristicKind>,
        most_states: Option<u64>,
        needed_bytes: u64,
        can_loop: Option<StateFilter>,
        files: Arc<dyn Files>,
    ) -> Self {
        let disk = task.options.disk.clone().unwrap_or_default();
        let nanos = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_nanos() as u64);
        let number = RUNS.fetch_add(1, Ordering::Relaxed);
        let name = format!("lariat-run-{:x}-{}-{number}", nanos >> 20, std::process::id());
        let keeps_reserve = !disk.is_given();
        let given = if keeps_reserve { vec![folder_of_none(needed_bytes, &*files)] } else { disk.folders };
        let paths = given.iter().map(|folder| folder.join(&name)).collect();
        let most_per_block = disk.buffer_states.map(|states| (states / 2).max(1));
        let manifest = Manifest {
            schema: SCHEMA,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            command: disk.command,
            working_folder: disk.working_folder,
            model: disk.model,
            defines: disk.defines,
            property: disk.property,
            engine: if heuristic.is_some() { Astar::REAL.name() } else { External::REAL.name() }.to_owned(),
            most_states,
            pool_size: task.system().map_or(0, |system| system.pool_size),
            folders: paths,
            most_per_block,
            keeps_reserve,
            can_loop,
            seal: Seal::of(task, words, heuristic),
            progress: (),
        };
        Self::of(manifest, files, Opened::default(), false)
    }

    fn of(manifest: Manifest<()>, files: Arc<dyn Files>, opened: Opened, has_checkpoint: bool) -> Self {
        let beginning = manifest.sealed(&None::<()>);
        let opening = Arc::new(Beginning { opened: Mutex::new(opened), beginning, earlier: Mutex::default() });
        let folders = Folders {
            files,
            paths: manifest.folders.clone(),
            moved: Arc::new(Moved::default()),
            most_per_block: manifest.most_per_block,
            opening: Arc::clone(&opening) as Arc<dyn Opening>,
            unsynced: Arc::default(),
            reserve: Arc::new(Reserve::kept(manifest.keeps_reserve)),
        };
        Self { folders, opening, manifest, has_checkpoint }
    }

    /// One that is there, with how far its search is.
    pub(crate) fn reopen<P: DeserializeOwned>(
        path: &Path,
        task: &Task<'_>,
        words: usize,
        heuristic: Option<HeuristicKind>,
        files: Arc<dyn Files>,
    ) -> Result<(Self, Option<P>), EngineError> {
        let lock = files.lock(&path.join("lock")).map_err(|error| EngineError {
            reason: match error.kind() {
                io::ErrorKind::WouldBlock => format!("another process is at work on the run in `{}`", path.display()),
                _ => format!("the run in `{}` cannot go on: its folder cannot be written: {error}", path.display()),
            },
        })?;
        let manifest: Manifest<Option<P>> = read_manifest(path, &*files)?;
        let seal = Seal::of(task, words, heuristic);
        let differs = match () {
            _ if seal.model != manifest.seal.model => Some("the model"),
            _ if seal.property != manifest.seal.property => Some("the property"),
            _ if seal.options != manifest.seal.options => Some("the options"),
            () => None,
        };
        if let Some(what) = differs {
            let path = path.display();
            let reason = format!(
                "the run in `{path}` cannot go on: {what} changed since it began; take back the change, or delete that folder \
                 and check anew"
            );
            return Err(EngineError { reason });
        }
        let (mut manifest, progress) = manifest.with(());
        // The directory may have been moved; the others are where they were.
        manifest.folders[0] = path.to_owned();
        let opened = Opened { lock: Some(lock), has_folders: true, has_manifest: true };
        Ok((Self::of(manifest, files, opened, progress.is_some()), progress))
    }

    /// Directories of searches that this one follows on; they are removed when it has a manifest.
    pub(crate) fn follow(&self, earlier: Vec<Directory>) {
        *self.opening.earlier.lock().unwrap_or_else(PoisonError::into_inner) = earlier;
    }
    /// Those of them that were not removed.
    pub(crate) fn take_earlier(&self) -> Vec<Directory> {
        self.opening.take_earlier()
    }

    /// Removes all segments that are not named: what was written after the last checkpoint.
    pub(crate) fn remove_all_but(&self, needed: &[&str]) {
        for folder in &self.folders.paths {
            for name in self.folders.files.names(folder).unwrap_or_default() {
                let segment = name.strip_suffix(".seg");
                if segment.is_some_and(|segment| !needed.contains(&segment)) || name == "manifest.tmp" {
                    // What stays takes room and does no harm.
                    let _ = self.folders.files.remove(&folder.join(&name));
                }
            }
        }
    }

    /// The directory that is told to people.
    pub(crate) fn path(&self) -> &Path {
        &self.folders.paths[0]
    }

    /// Whether the search can go on from what is on the disk.
    pub(crate) fn has_manifest(&self) -> bool {
        let was_written = self.opening.opened().has_manifest;
        // Somebody may have removed the directory.
        was_written && self.folders.files.exists(&self.path().join(MANIFEST))
    }

    /// Writes the manifest. All that it speaks of must be durable.
    pub(crate) fn write_manifest<P: Serialize>(&mut self, progress: &P) -> Result<(), DiskError> {
        self.opening.opened().write(&self.folders, &self.manifest.sealed(progress))?;
        self.has_checkpoint = true;
        Ok(())
    }

    /// Removes the whole directory; what cannot be removed stays. Its manifest goes first: without the rest it would promise a
    /// run that can go on.
    pub(crate) fn remove(&mut self) {
        let mut opened = self.opening.opened();
        if opened.has_manifest {
            let _ = self.folders.files.remove(&self.folders.paths[0].join(MANIFEST));
        }
        *opened = Opened::default();
        for folder in &self.folders.paths {
            if self.folders.files.exists(folder) {
                let _ = self.folders.files.remove_folder(folder);
            }
        }
        self.has_checkpoint = false;
    }
}

impl<P> Manifest<P> {
    /// The same with another progress; and the one that it had.
    fn with<Q>(self, progress: Q) -> (Manifest<Q>, P) {
        let Self { schema, version, command, working_folder, model, defines, property, engine, most_states, .. } = self;
        let Self { pool_size, folders, most_per_block, keeps_reserve, can_loop, seal, progress: before, .. } = self;
        let with = Manifest {
            schema,
            version,
            command,
            working_folder,
            model,
            defines,
            property,
            engine,
            most_states,
            pool_size,
            folders,
            most_per_block,
            keeps_reserve,
            can_loop,
            seal,
            progress,
        };
        (with, before)
    }
}

impl Manifest<()> {
    /// As it is written, with this progress.
    fn sealed<P: Serialize>(&self, progress: &P) -> String {
        let (with, ()) = self.clone().with(progress);
        sealed(&serde_json::to_string(&with).expect("a manifest is plain data"))
    }
}

/// A manifest as it is written: the text that is hashed, and its hash before it.
fn sealed(body: &str) -> String {
    format!("{{\"checksum\": \"{:016x}\",\n\"manifest\": {body}}}\n", xxh3_64(body.as_bytes()))
}

/// Reads the manifest in a run directory.
pub fn read_manifest<P: DeserializeOwned>(path: &Path, files: &dyn Files) -> Result<Manifest<P>, EngineError> {
    let manifest = path.join(MANIFEST);
    let refuse = |why: &str| EngineError { reason: format!("`{}` {why}", manifest.display()) };
    let text = files.read(&manifest).map_err(|error| refuse(&format!("cannot be read: {error}")))?;
    let anew = "so the run cannot go on; delete its folder and check anew";
    let text = String::from_utf8(text).map_err(|_| refuse(&format!("is damaged (it is not text), {anew}")))?;
    let start = sealed("").len() - 2;
    let body = text.get(start..text.len().saturating_sub(2)).unwrap_or_default();
    if sealed(body) != text {
        return Err(refuse(&format!("is damaged (its checksum is wrong), {anew}")));
    }
    let value: serde_json::Value = serde_json::from_str(body).map_err(|error| refuse(&error.to_string()))?;
    if value.get("schema").and_then(serde_json::Value::as_u64) != Some(u64::from(SCHEMA)) {
        return Err(refuse("was written by another version of this program, which alone can go on with it"));
    }
    let manifest: Manifest<P> =
        serde_json::from_value(value).map_err(|error| refuse(&format!("cannot be understood: {error}")))?;
    // Another one may lay out states or reduce steps in another way.
    if manifest.version != env!("CARGO_PKG_VERSION") {
        let version = &manifest.version;
        return Err(refuse(&format!(
            "was written by version {version} of this program, which alone can go on with it"
        )));
    }
    Ok(manifest)
}

/// What the manifest of a search for pairs says beside how far it is.
pub(crate) struct PairsAt {
    /// After how many of them it is given up.
    pub(crate) most_states: Option<u64>,
    /// Which states loops can go through, where that was known.
    pub(crate) can_loop: Option<StateFilter>,
}

/// The same, if the run in a directory is a search of this task for states of so many words.
pub(crate) fn pairs_at(
    path: &Path,
    task: &Task<'_>,
    words: usize,
    heuristic: Option<HeuristicKind>,
    files: &dyn Files,
) -> Result<Option<PairsAt>, EngineError> {
    let manifest: Manifest<serde_json::Value> = read_manifest(path, files)?;
    let is_of = manifest.seal.options == Seal::of(task, words, heuristic).options;
    Ok(is_of.then_some(PairsAt { most_states: manifest.most_states, can_loop: manifest.can_loop }))
}

/// An error if nothing can be written to the folders of a run.
pub(crate) fn ensure_writable(disk: Option<&Disk>, files: &dyn Files) -> Result<(), EngineError> {
    let Some(disk) = disk else { return Ok(()) };
    let probe = |folder: &Path| {
        let probe =
            folder.join(format!("lariat-probe-{}-{}", std::process::id(), RUNS.fetch_add(1, Ordering::Relaxed)));
        let written = files.create(&probe).and_then(|mut file| file.append(b"probe"));
        let removed = files.remove(&probe);
        written.and(removed).map_err(|error| Disk::unusable(folder, &error))
    };
    // A run that goes on has its folders.
    if disk.resume.is_some() {
        return Ok(());
    }
    for (number, folder) in disk.folders.iter().enumerate() {
        if disk.folders[..number].contains(folder) {
            return Err(EngineError { reason: format!("the folder `{}` is given twice", folder.display()) });
        }
        probe(folder)?;
    }
    match disk.is_given() {
        true => Ok(()),
        false => {
            let folder = folder_of_none(0, files);
            // A folder for cached files is made; one for temporary files is there.
            if folder != std::env::temp_dir() {
                files.make_folder(&folder).map_err(|error| Disk::unusable(&folder, &error))?;
            }
            probe(&folder).map_err(|error| EngineError {
                reason: format!("{error} (the folder for temporary files; `--disk DIR` uses another)"),
            })
        }
    }
}
