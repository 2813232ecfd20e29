//! The engine `cluster`: what it takes, and what it will do.

use crate::checkpoint::{Checkpoints, Sharing};
use crate::cycles::{ensure_cycles, search_cycles};
use crate::network::{Network, TaskHashes};
use crate::reports::{explore, report_lost};
use crate::search::is_pause;
use crate::session::Session;
use crate::trouble::Lost;
use crate::watch::watched_by_all;
use lariat_engine::{
    Disk, Engine, Feature, Options, Plan, Prepared, Refusal, Report, RunControl, RunError, StoreKind, Task, Verdict,
};
use lariat_runs::files::{Files, RealFiles};
use lariat_space::{AnySpace, StateSpace};
use lariat_subject::{
    Objective, OverSpace, bad_prefix, ensure_search_options, ensure_searchable, ensure_undirected, with_product,
    with_space,
};
use lariat_system::System;
use sha2::{Digest, Sha256};
use std::cell::LazyCell;
use std::sync::Arc;

/// The engine `cluster`: breadth-first search by workers that have a share of the states each.
#[derive(Clone, Default)]
pub struct Cluster {
    network: Option<&'static Network>,
    /// Where shares on disk are: without any, the file system of the machine.
    files: Option<Arc<dyn Files>>,
}

impl Cluster {
    /// All workers in this process.
    pub const LOCAL: Self = Self { network: None, files: None };

    /// Workers in several processes.
    pub const fn over(network: &'static Network) -> Self {
        Self { network: Some(network), files: None }
    }

    /// The same with shares on another file system.
    pub fn on(self, files: Arc<dyn Files>) -> Self {
        Self { files: Some(files), ..self }
    }
}

impl Engine for Cluster {
    fn name(&self) -> &'static str {
        "cluster"
    }
    fn about(&self) -> &'static str {
        "breadth-first search by workers that share the states (`--workers`): `safety`, and temporal properties with any \
         fairness; several machines with `lariat cluster`; with `--disk`, on the disk of each when memory is full"
    }
    fn most_threads(&self) -> usize {
        usize::MAX
    }
    fn has_workers(&self) -> bool {
        true
    }
    fn prepare<'t>(&self, task: &'t Task<'t>) -> Result<Box<dyn Prepared + 't>, Refusal> {
        ensure_undirected(task)?;
        ensure_searchable(task)?;
        ensure_search_options(task)?;
        let Options { store, profile, runs, ref disk, threads, .. } = task.options;
        match () {
            _ if store != StoreKind::Tree => {
                return Err(Refusal::because(Feature::Store(store), "each worker has a store of its own"));
            }
            _ if profile => return Err(Refusal::because(Feature::Profile, "its workers keep no profile")),
            _ if runs > 1 => return Err(Refusal::because(Feature::Runs, "it misses no state")),
            _ if disk.as_ref().is_some_and(|disk| disk.folders.len() > 1) => {
                return Err(Refusal::because(Feature::Disk, "each process keeps its states in one folder"));
            }
            _ if self.network.is_some() && task.system().is_none() => {
                return Err(Refusal::because(Feature::Space, "several processes must read the same model"));
            }
            () => {}
        }
        let objective = Objective::of(task, |temporal| ensure_cycles(task, temporal))?;
        let of_workers = match (threads, self.network.map(Network::processes)) {
            (1, None) => "by 1 worker".to_owned(),
            (threads, None) => format!("by {threads} workers"),
            (threads, Some(processes)) => format!("by {processes} processes with {threads} workers each"),
        };
        let then = match objective {
            Objective::Cycles(_) => "; then sets without cycles are dropped (OWCTY)",
            Objective::Safety { .. } | Objective::BadPrefix(_) => "",
        };
        let has_disk = task.options.disk.as_ref().is_some_and(Disk::is_given);
        let full = if has_disk { ", on disk when memory is full" } else { "" };
        let algorithm = format!("breadth first {of_workers}, states shared by hash{full}{then}");
        let mut plan = Plan::new(self.name(), task, algorithm);
        plan.search.store = None;
        plan.product = objective.product_plan(task);
        let files = self.files.clone().unwrap_or_else(|| Arc::new(RealFiles));
        Ok(Box::new(PreparedCluster { task, objective, plan, network: self.network, files }))
    }
}

struct PreparedCluster<'t> {
    task: &'t Task<'t>,
    objective: Objective<'t>,
    plan: Plan,
    network: Option<&'static Network>,
    files: Arc<dyn Files>,
}

impl Prepared for PreparedCluster<'_> {
    fn plan(&self) -> &Plan {
        &self.plan
    }
    fn run(self: Box<Self>, control: &RunControl) -> Result<Report, RunError> {
        let Self { task, objective, network, files, .. } = *self;
        let workers = task.options.threads.max(1);
        let of_task = LazyCell::new(|| hashes(task));
        let (process, processes) = network.map_or((0, 1), |network| (network.process(), network.processes()));
        let disk = task.options.disk.as_ref().filter(|disk| disk.is_given());
        let sharing = Sharing { process, processes, workers };
        let open = |disk| Checkpoints::open(disk, &of_task, sharing, Arc::clone(&files));
        let kept = disk.map(open).transpose()?;
        let checkpoints = kept.as_ref();
        let run = |session| with_space(task, Run { task, objective, control, session, checkpoints });
        let report =
            match network.map(|network| (network, Session::over(network, &of_task, &|| control.check().is_ok()))) {
                None => run(Session::local(workers)),
                Some((_, Ok(session))) => run(session),
                Some((network, Err(Lost))) => Ok(report_lost(network.trouble(), network.processes(), control)),
            };
        let mut report = leave(report, kept, control)?;
        let Some(network) = network else { return Ok(report) };
        network.take_notices().into_iter().for_each(|notice| control.notify(notice));
        if let Some(mine) = report.watched.take() {
            // All processes have the answer, so none is waited for in vain.
            let session = Session::over(network, &of_task, &|| control.check_interrupt(0).is_ok()).ok();
            report.watched = session.and_then(|session| watched_by_all(session, &mine));
            report.unwatched = report.watched.is_none();
        }
        Ok(report)
    }
}

/// What becomes of the levels on disk: they stay if the search can go on, and go when the answer is out.
fn leave(
    report: Result<Report, RunError>,
    kept: Option<Checkpoints>,
    control: &RunControl,
) -> Result<Report, RunError> {
    let Some(kept) = kept else { return report };
    let can_go_on = match &report {
        Ok(report) => {
            report.unfinished.is_some_and(is_pause)
                || matches!(report.verdict, Verdict::Undecided(short) if is_pause(short))
        }
        Err(RunError::Engine(_)) => true,
        Err(RunError::PoolTooSmall) => false,
    };
    match (can_go_on && kept.has_parts(), &report) {
        (true, _) => {
            let folder = kept.folder.display();
            control
                .notify(format!("the levels that are finished are in `{folder}`: the same command goes on from there"));
        }
        (false, Ok(report)) if !matches!(report.verdict, Verdict::Undecided(_)) => {
            control.afterwards(move || kept.remove());
        }
        (false, _) => kept.remove(),
    }
    report
}

struct Run<'a> {
    task: &'a Task<'a>,
    objective: Objective<'a>,
    control: &'a RunControl,
    session: Session,
    checkpoints: Option<&'a Checkpoints>,
}

/// What is searched, as hashes: all processes must search the same. Formulas and fairness stand in the system too, so its names are told
/// first: where they agree, it is the options that differ, or small things in the model.
fn hashes(task: &Task<'_>) -> TaskHashes {
    let of = |text: String| Sha256::digest(text.as_bytes()).into();
    let of_system = |told: &dyn Fn(&System) -> String| of(task.system().map_or_else(String::new, told));
    // What formulas and fairness add to a system is not among these names.
    let names = |system: &System| {
        let slots = system.slots.iter().map(|slot| slot.name.as_str());
        let frames = system.frames.iter().map(|frame| frame.name.as_str());
        let actions = system.actions.iter().map(|action| action.name.as_str());
        [system.name.as_str()].into_iter().chain(slots).chain(frames).chain(actions).collect::<Vec<_>>().join("\n")
    };
    let Options { keep_going, depth_limit, reduce, code, pool_may_grow, threads, .. } = &task.options;
    let has_disk = task.options.disk.as_ref().is_some_and(Disk::is_given);
    TaskHashes(vec![
        ("another model (or reads it with other options: `-D`, `--overflow`, `--lose-messages`)", of_system(&names)),
        ("another property (`--property`, `--ltl`, `--allow-deadlock`)", of(format!("{:?}", task.property))),
        (
            "with another fairness (`--fairness`, `--justice`, `--compassion` and the like)",
            of_system(&|system| format!("{:?}", system.fairness)),
        ),
        ("another model, or other formulas", of_system(&|system| system.to_string())),
        ("with another `--keep-going`", of(keep_going.to_string())),
        ("with another `--depth`", of(format!("{depth_limit:?}"))),
        ("with another `--por`", of(reduce.to_string())),
        ("with another `--code`", of(format!("{code:?}"))),
        ("with another number of `--workers`", of(threads.to_string())),
        ("with room for other processes of the model", of(pool_may_grow.to_string())),
        ("with another `--disk`: all processes keep checkpoints, or none", of(has_disk.to_string())),
        ("with other options", of(format!("{:?}", Options { disk: None, ..task.options.clone() }))),
    ])
}

impl OverSpace for Run<'_> {
    type Output = Report;

    fn over<S: StateSpace>(self, space: &S) -> Result<Report, RunError> {
        // Searches are compiled once, for spaces behind a pointer (ADR 13).
        let space = &AnySpace::new(space);
        let Self { task, objective, control, session, checkpoints } = self;
        match objective {
            Objective::Safety { invalid_ends } => explore(space, task, invalid_ends, control, session, checkpoints),
            Objective::BadPrefix(temporal) => bad_prefix::search(space, task, temporal, control, |ending| {
                explore(&AnySpace::new(ending), task, true, control, session, checkpoints)
            }),
            Objective::Cycles(temporal) => with_product(space, task, temporal, &temporal.bad, |product| {
                search_cycles(product, space.words_per_state(), task, temporal, control, session, checkpoints)
            }),
        }
    }
}
