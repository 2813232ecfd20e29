//! Where a worker keeps its share: a folder with segments, and checkpoints that say what of them is needed to go on.
//!
//! A checkpoint has the number of the layers that it has. All workers make one after the same round; until all have made it, which the next round
//! says, each keeps the one before it with all that it needs. So there is at any moment a checkpoint that all workers have. It is written
//! beside its name, made durable and renamed; a checksum is at its beginning.

use crate::checkpoint::Checkpoints;
use crate::parcel::WorkerId;
use lariat_engine::Disk;
use lariat_runs::error::DiskError;
use lariat_runs::layers::LayersAt;
use lariat_runs::room::Reserve;
use lariat_runs::run::RunInfo;
use lariat_runs::segment::{Folders, Moved, Opening};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use xxhash_rust::xxh3::xxh3_64;

/// The segment with all layers.
pub(crate) const LAYERS: &str = "layers";
const ENDING: &str = ".checkpoint";

/// The folder of a worker.
pub(crate) struct Place {
    pub(crate) folders: Folders,
    /// Numbers segments.
    pub(crate) names: AtomicU64,
    seal: u64,
    worker: WorkerId,
}

/// How far a worker is.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Progress {
    seal: u64,
    worker: usize,
    /// How the workers share the states.
    pub(crate) masks: Vec<u64>,
    pub(crate) layers: LayersAt,
    /// Visited states: all layers before the one of number `recent_from`.
    pub(crate) runs: Vec<RunInfo>,
    pub(crate) recent_from: u64,
    pub(crate) states: u64,
    /// What was counted before the last layer was expanded.
    pub(crate) tally: Vec<u64>,
    pub(crate) names: u64,
    pub(crate) read_bytes: u64,
    pub(crate) written_bytes: u64,
}

/// Makes the folder before the first file in it.
struct MakeFolder(AtomicBool);

impl Opening for MakeFolder {
    fn open(&self, folders: &Folders) -> Result<(), DiskError> {
        if !self.0.load(Ordering::Relaxed) {
            let path = &folders.paths[0];
            folders.files.make_folder(path).map_err(DiskError::io("make the folder", path))?;
            self.0.store(true, Ordering::Relaxed);
        }
        Ok(())
    }
}

impl Progress {
    /// The segments that it needs.
    fn segments(&self) -> Vec<&str> {
        [LAYERS, "layers-marks"].into_iter().chain(self.runs.iter().map(|run| run.segment.as_str())).collect()
    }
}

impl Place {
    pub(crate) fn new(checkpoints: &Checkpoints, disk: Option<&Disk>, worker: WorkerId) -> Self {
        let buffer_states = disk.and_then(|disk| disk.buffer_states);
        let folders = Folders {
            files: Arc::clone(&checkpoints.files),
            paths: vec![checkpoints.share_of(worker)],
            moved: Arc::new(Moved::default()),
            most_per_block: buffer_states.map(|states| (states / 2).max(1)),
            opening: Arc::new(MakeFolder(AtomicBool::new(false))),
            unsynced: Arc::default(),
            reserve: Arc::new(Reserve::kept(false)),
        };
        Self { folders, names: AtomicU64::new(0), seal: checkpoints.seal, worker }
    }

    pub(crate) fn path(&self) -> &PathBuf {
        &self.folders.paths[0]
    }
    fn checkpoint(&self, layers: u64) -> PathBuf {
        self.path().join(format!("{layers:012}{ENDING}"))
    }

    /// The numbers of the checkpoints that are there.
    fn checkpoints(&self) -> Vec<u64> {
        let names = self.folders.files.names(self.path()).unwrap_or_default();
        let number = |name: &String| name.strip_suffix(ENDING)?.parse().ok();
        let mut numbers: Vec<u64> = names.iter().filter_map(number).collect();
        numbers.sort_unstable();
        numbers
    }
    pub(crate) fn has_checkpoints(&self) -> bool {
        !self.checkpoints().is_empty()
    }

    /// The checkpoints that can be read and are of this search, in ascending order; and those that cannot.
    pub(crate) fn read(&self) -> (Vec<(u64, Progress)>, Vec<PathBuf>) {
        let (mut good, mut bad) = (Vec::new(), Vec::new());
        for number in self.checkpoints() {
            let path = self.checkpoint(number);
            let text = self.folders.files.read(&path).ok().and_then(|bytes| String::from_utf8(bytes).ok());
            let body = text.as_deref().and_then(|text| text.split_once('\n'));
            let body = body.filter(|(sum, body)| *sum == checksum(body)).map(|(_, body)| body);
            match body.and_then(|body| serde_json::from_str::<Progress>(body).ok()) {
                Some(progress) if progress.seal == self.seal && progress.worker == self.worker => {
                    good.push((number, progress));
                }
                _ => bad.push(path),
            }
        }
        (good, bad)
    }

    /// Keeps this checkpoint and what it needs, or nothing, and removes all else.
    pub(crate) fn keep_only(&self, kept: Option<(u64, &Progress)>) -> Result<(), DiskError> {
        let needed: Vec<String> = kept.map_or(Vec::new(), |(number, progress)| {
            let segments = progress.segments().into_iter().map(|segment| format!("{segment}.seg"));
            segments.chain([format!("{number:012}{ENDING}")]).collect()
        });
        let files = &self.folders.files;
        for name in files.names(self.path()).map_err(DiskError::io("read the folder", self.path()))? {
            if !needed.contains(&name) {
                let path = self.path().join(&name);
                files.remove(&path).map_err(DiskError::io("remove", &path))?;
            }
        }
        Ok(())
    }

    /// What is to be written of a checkpoint.
    pub(crate) fn progress(
        &self,
        masks: &[u64],
        layers: LayersAt,
        runs: Vec<RunInfo>,
        (recent_from, states): (u64, u64),
        tally: Vec<u64>,
        (read_bytes, written_bytes): (u64, u64),
    ) -> Progress {
        let names = self.names.load(Ordering::Relaxed);
        let (seal, worker, masks) = (self.seal, self.worker, masks.to_vec());
        Progress { seal, worker, masks, layers, runs, recent_from, states, tally, names, read_bytes, written_bytes }
    }

    /// Makes durable what a checkpoint needs, and writes it.
    pub(crate) fn write(&self, number: u64, progress: &Progress) -> Result<(), DiskError> {
        self.folders.opening.open(&self.folders)?;
        self.folders.make_durable(&progress.segments())?;
        let body = serde_json::to_string(progress).expect("a checkpoint is plain data");
        let (files, path) = (&*self.folders.files, self.checkpoint(number));
        let beside = path.with_extension("new");
        let write = || {
            let mut file = files.create(&beside)?;
            file.append(format!("{}\n{body}", checksum(&body)).as_bytes())?;
            file.sync()?;
            drop(file);
            files.rename(&beside, &path)?;
            files.sync_folder(self.path())?;
            self.path().parent().map_or(Ok(()), |above| files.sync_folder(above))
        };
        write().map_err(DiskError::io("write", &path))
    }

    /// Removes a checkpoint that is not needed any more.
    pub(crate) fn remove(&self, number: u64) {
        // What stays takes room and does no harm.
        let _ = self.folders.files.remove(&self.checkpoint(number));
    }
}

fn checksum(body: &str) -> String {
    format!("{:016x}", xxh3_64(body.as_bytes()))
}
