//! The searches that settle a property, each in its run directory, and how they follow on each other.

use crate::checkpoint::Progress;
use crate::cycles::search_cycles;
use crate::directory::{Directory, PairsAt, pairs_at};
use crate::filter::StateFilter;
use crate::guide::{Estimate, ToBadPrefix, ToFailure, ToLasso, uses};
use crate::reports::explore;
use crate::worker::Job;
use lariat_automata::LassoReader;
use lariat_engine::{DiskFigures, HeuristicKind, Report, RunControl, RunError, Shortfall, Task, Temporal, Verdict};
use lariat_runs::files::Files;
use lariat_space::{AnySpace, CanLoop, State, StateSpace};
use lariat_subject::{ControlDistances, OverSpace, bad_prefix, shortest, with_product};
use std::cell::RefCell;
use std::path::Path;
use std::sync::Arc;

/// So many pairs of states are looked at before it is decided whether there is a lasso at all.
const FIRST_PAIRS: u64 = 1 << 20;

/// What is to be reached or not.
pub(crate) enum Objective<'t> {
    /// No failure.
    Safety { invalid_ends: bool },
    /// A state after which every run is bad.
    BadPrefix(&'t Temporal),
    /// An accepting cycle.
    Cycles(&'t Temporal),
    /// A shortest lasso.
    Lasso(&'t Temporal, Box<LassoReader>),
}

impl<'t> Objective<'t> {
    pub(crate) fn temporal(&self) -> Option<&'t Temporal> {
        match self {
            Self::Safety { .. } => None,
            Self::BadPrefix(temporal) | Self::Cycles(temporal) | Self::Lasso(temporal, _) => Some(temporal),
        }
    }
}

/// All that is known before the space is.
pub(crate) struct Searches<'a> {
    task: &'a Task<'a>,
    objective: Objective<'a>,
    /// Of a directed search.
    heuristic: Option<HeuristicKind>,
    distances: Option<ControlDistances>,
    files: Arc<dyn Files>,
    control: &'a RunControl,
    /// Directories of searches that gave an answer: they are removed when it is out, or when a further search has one.
    finished: RefCell<Vec<Directory>>,
}

/// How a search for failures goes.
#[derive(Clone, Copy, Default)]
struct Way<'w> {
    /// The run directory of a search that is to go on.
    resume: Option<&'w Path>,
    most_states: Option<u64>,
    /// Of pairs: which states loops can go through.
    can_loop: Option<&'w StateFilter>,
}

impl<'a> Searches<'a> {
    pub(crate) fn new(
        task: &'a Task<'a>,
        objective: Objective<'a>,
        heuristic: Option<HeuristicKind>,
        files: Arc<dyn Files>,
        control: &'a RunControl,
    ) -> Self {
        let system = task.system().filter(|_| heuristic.is_some_and(|kind| uses(kind).0));
        let distances = system.and_then(ControlDistances::new).filter(|known| !known.is_blind());
        Self { task, objective, heuristic, distances, files, control, finished: RefCell::default() }
    }

    /// Searches for failures, in the run directory that is to go on or in a new one; guided, if the search is directed.
    fn failures<S: StateSpace>(
        &self,
        space: &S,
        invalid_ends: bool,
        guide: &dyn Estimate,
        way: Way<'_>,
    ) -> Result<Report, RunError> {
        let Self { task, control, .. } = *self;
        let guide = self.heuristic.map(|_| guide);
        let job = Job { invalid_ends, options: &task.options, control, guide, most_states: way.most_states };
        self.in_directory(space.words_per_state(), way, |directory, progress| {
            explore(space, task, job, directory, progress)
        })
    }

    /// Searches for accepting cycles.
    /// If there are some, `can_loop` gets the states that they can go through.
    fn cycles<S: StateSpace>(
        &self,
        space: &S,
        temporal: &Temporal,
        resume: Option<&Path>,
        can_loop: Option<&mut Option<StateFilter>>,
    ) -> Result<Report, RunError> {
        let Self { task, control, .. } = *self;
        let words = space.words_per_state();
        with_product(space, task, temporal, &temporal.bad, |product| {
            self.in_directory(product.words_per_state(), Way { resume, ..Way::default() }, |directory, progress| {
                search_cycles(product, words, task, temporal, control, directory, progress, can_loop)
            })
        })
    }

    /// Searches the pairs of states.
    fn pairs<S: StateSpace>(
        &self,
        space: &S,
        temporal: &Temporal,
        reader: &LassoReader,
        way: Way<'_>,
    ) -> Result<Report, RunError> {
        let automaton = self.heuristic.is_some_and(|kind| uses(kind).1);
        let filter = way.can_loop.map(|filter| |state: &State| filter.may_have(state));
        let can_loop = filter.as_ref().map(|filter| filter as &CanLoop<'_>);
        shortest::search(space, self.task, temporal, reader, can_loop, |pairs| {
            let guide = ToLasso { pairs, reader, control: self.distances.as_ref(), automaton };
            self.failures(&AnySpace::new(pairs), true, &guide, way)
        })
    }

    /// A shortest lasso. Where one is near, few pairs are seen before it is found, and the property may have far more states than
    /// can be seen. Where there is none, there are as many pairs as the square of the states: so after some pairs the property
    /// is decided by a search for cycles, and pairs are searched on only if there is a lasso.
    fn lasso<S: StateSpace>(
        &self,
        space: &S,
        temporal: &Temporal,
        reader: &LassoReader,
        resume: Option<&Path>,
    ) -> Result<Report, RunError> {
        let pair_words = shortest::pair_words(space.words_per_state());
        let of_pairs = match resume {
            Some(path) => pairs_at(path, self.task, pair_words, self.heuristic, &*self.files)?,
            None => {
                let buffer = self.task.options.disk.as_ref().and_then(|disk| disk.buffer_states);
                let most_states = Some(buffer.map_or(FIRST_PAIRS, |states| states as u64));
                Some(PairsAt { most_states, can_loop: None })
            }
        };
        let mut none_found = false;
        if let Some(PairsAt { most_states, can_loop }) = &of_pairs {
            let (most_states, can_loop) = (*most_states, can_loop.as_ref());
            let report = self.pairs(space, temporal, reader, Way { resume, most_states, can_loop })?;
            match report.verdict {
                Verdict::Holds if most_states.is_some() => none_found = true,
                Verdict::Undecided(Shortfall::GraphSize { .. }) => {}
                _ => return Ok(report),
            }
        }
        let mut can_loop = None;
        let resume = resume.filter(|_| of_pairs.is_none());
        let mut decided = self.cycles(space, temporal, resume, Some(&mut can_loop))?;
        if !matches!(decided.verdict, Verdict::Fails(_)) {
            return Ok(decided);
        }
        assert!(!none_found, "all pairs of states were searched, and a lasso was missed");
        let way = Way { can_loop: can_loop.as_ref(), ..Way::default() };
        let report = self.pairs(space, temporal, reader, way)?;
        let Verdict::Undecided(shortfall) = report.verdict else { return Ok(report) };
        // A lasso is known, though not a shortest one. The search for that can go on.
        decided.unfinished = Some(shortfall);
        decided.stats.disk = report.stats.disk.map(|figures| DiskFigures { may_be_longer: true, ..figures });
        Ok(decided)
    }

    /// Opens the run directory, searches, and removes the directory unless the search can go on from there: at once where there is no
    /// answer, and else when the answer is out. Where a search follows on another one and leaves nothing to go on from, the one
    /// before it does.
    fn in_directory(
        &self,
        words: usize,
        Way { resume, most_states, can_loop }: Way<'_>,
        search: impl FnOnce(&mut Directory, Option<Progress>) -> Result<Report, RunError>,
    ) -> Result<Report, RunError> {
        let Self { task, heuristic, .. } = *self;
        let files = Arc::clone(&self.files);
        let (mut directory, progress) = match resume {
            None => {
                let needed_bytes = self.control.budget.limit_bytes();
                let can_loop = can_loop.cloned();
                (Directory::new(task, words, heuristic, most_states, needed_bytes, can_loop, files), None)
            }
            Some(path) => {
                let (directory, progress) = Directory::reopen::<Progress>(path, task, words, heuristic, files)?;
                directory.remove_all_but(&progress.as_ref().map_or(Vec::new(), Progress::segments));
                (directory, progress)
            }
        };
        directory.follow(self.finished.take());
        let mut report = search(&mut directory, progress);
        let mut earlier = directory.take_earlier();
        let is_over = match &report {
            Ok(report) => report.stats.disk.as_ref().is_some_and(|figures| !figures.is_paused),
            Err(RunError::PoolTooSmall) => true,
            Err(RunError::Engine(_)) => false,
        };
        match &mut report {
            // There is an answer, whose run was not yet replayed.
            Ok(report) if is_over && !matches!(report.verdict, Verdict::Undecided(_)) => {
                earlier.push(directory);
                self.finished.replace(earlier);
            }
            Ok(report) if is_over => {
                directory.remove();
                let left = earlier.iter().find(|earlier| earlier.has_manifest());
                if let (Some(left), Some(figures)) = (left, &mut report.stats.disk) {
                    (figures.folder, figures.is_paused) = (left.path().to_owned(), true);
                }
            }
            Ok(_) | Err(RunError::Engine(_)) => {}
            Err(RunError::PoolTooSmall) => {
                directory.remove();
                earlier.iter_mut().for_each(Directory::remove);
            }
        }
        report
    }

    fn settle<S: StateSpace>(&self, space: &S) -> Result<Report, RunError> {
        let resume = self.task.options.disk.as_ref().and_then(|disk| disk.resume.as_deref());
        let way = Way { resume, ..Way::default() };
        match &self.objective {
            Objective::Safety { invalid_ends } => {
                let guide = ToFailure { control: self.distances.as_ref(), invalid_ends: *invalid_ends };
                self.failures(space, *invalid_ends, &guide, way)
            }
            Objective::BadPrefix(temporal) => {
                let kind = self.heuristic.unwrap_or_default();
                bad_prefix::search(space, self.task, temporal, self.control, |ending| {
                    let guide = ToBadPrefix::new(&temporal.bad, ending.bad_states(), kind);
                    self.failures(&AnySpace::new(ending), true, &guide, way)
                })
            }
            Objective::Cycles(temporal) => self.cycles(space, temporal, resume, None),
            Objective::Lasso(temporal, reader) => self.lasso(space, temporal, reader, resume),
        }
    }
}

impl OverSpace for Searches<'_> {
    type Output = Report;

    fn over<S: StateSpace>(self, space: &S) -> Result<Report, RunError> {
        // Searches are compiled once, for spaces behind a pointer (ADR 13): states are sorted and written, which costs more.
        let report = self.settle(&AnySpace::new(space));
        for mut directory in self.finished.take() {
            self.control.afterwards(move || directory.remove());
        }
        report
    }
}
