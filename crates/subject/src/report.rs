//! From what a search has met to its report.

use crate::{Sighting, Stop, Tally};
use lariat_base::Id;
use lariat_engine::{
    Evidence, FailureKind, Options, PoolTooSmall, Remembered, Report, RunControl, Shortfall, Stats, Taken, Trace,
    Unproven, Verdict,
};
use lariat_store::{Exactness, Figures, Recall};
use lariat_system::{ActionId, Fault};

/// What a search remembered of the states it saw.
#[derive(Debug)]
pub struct Memory {
    /// How many.
    pub states: u64,
    /// What they took.
    pub store_bytes: u64,
    /// Whether some may have been missed.
    pub exactness: Exactness,
    /// Of a memory that is no store.
    pub figures: Option<Figures>,
}

impl Memory {
    /// What a memory that has these figures tells about a search that saw so many steps.
    pub fn of(figures: Figures, steps: u64) -> Self {
        let exactness = figures.exactness(steps);
        Self { states: figures.insertions, store_bytes: figures.bytes, exactness, figures: Some(figures) }
    }
    /// What a store holds.
    pub fn of_store<T: Recall>(store: &T) -> Self {
        Self { states: store.len(), store_bytes: store.bytes(), exactness: store.exactness(), figures: None }
    }
    /// Whether every state was kept, so that each was counted once.
    pub fn kept_all(&self) -> bool {
        self.exactness == Exactness::Exact && self.figures.as_ref().is_none_or(|figures| figures.evictions == 0)
    }
    /// What is told of it.
    pub fn remembered(&self, steps: u64) -> Option<Remembered> {
        let figures = self.figures.as_ref()?;
        Some(Remembered {
            insertions: figures.insertions,
            evictions: figures.evictions,
            insertions_of_each: figures.insertions_of_each,
            hashes: figures.hashes,
            load: figures.load,
            folds: figures.folds,
            omission_probability: figures.losses.map(|losses| losses.probability()),
            missed_states: figures.losses.map(|losses| losses.missed(steps)),
            runs: 1,
            runs_compared: None,
        })
    }
}

/// How a search ended, while its store was still there to be asked.
#[derive(Debug)]
pub struct Ending {
    memory: Memory,
    depth: u64,
    complete: bool,
    unfinished: Option<Shortfall>,
}

impl Ending {
    /// Of a search with this store, which followed paths of this length.
    pub fn new<T: Recall>(store: &T, depth: u64, ended: Result<(), Stop>) -> Result<Self, PoolTooSmall> {
        Self::of(Memory::of_store(store), depth, ended)
    }

    /// The same for a memory that has these figures, of a search that saw so many steps.
    pub fn of_memory(figures: Figures, steps: u64, depth: u64, ended: Result<(), Stop>) -> Result<Self, PoolTooSmall> {
        Self::of(Memory::of(figures, steps), depth, ended)
    }

    /// The same for states that are elsewhere.
    pub fn of(memory: Memory, depth: u64, ended: Result<(), Stop>) -> Result<Self, PoolTooSmall> {
        let unfinished = match ended {
            Err(Stop::PoolTooSmall) => return Err(PoolTooSmall),
            Err(Stop::Short(shortfall)) => Some(shortfall),
            Ok(()) | Err(Stop::Failure) => None,
        };
        Ok(Self { memory, depth, complete: ended.is_ok(), unfinished })
    }
}

/// The runs to failures, the verdict's own first; if some could not be found, why.
#[derive(Debug, Default)]
pub struct Traces {
    /// Each with what it leads to.
    pub found: Vec<(FailureKind, Trace)>,
    /// Why the next one is missing.
    pub lost: Option<Shortfall>,
}

impl Traces {
    /// Looks for one after the other, up to the first that cannot be found. What was found is kept.
    pub fn of(looked_for: impl Iterator<Item = Result<(FailureKind, Trace), Shortfall>>) -> Self {
        let mut traces = Self::default();
        for trace in looked_for {
            match trace {
                Ok(trace) => traces.found.push(trace),
                Err(shortfall) => {
                    traces.lost = Some(shortfall);
                    break;
                }
            }
        }
        traces
    }
}

/// The report. Without a run to show there is no failure that anybody could believe.
pub fn report(tally: Tally, traces: Traces, ending: &Ending, options: &Options, control: &RunControl) -> Report {
    let Traces { found, lost } = traces;
    let failures: Vec<Evidence> = found.into_iter().map(|(kind, trace)| Evidence { kind, trace }).collect();
    debug_assert!(options.keep_going || failures.len() <= 1, "one failure ends a search");
    let unfinished = lost.or(ending.unfinished);
    let steps = |sighting: &Sighting| sighting.depth + u64::from(sighting.kind != FailureKind::InvalidEnd);
    let unproven =
        tally.failures.of_kind.iter().map(|sighting| Unproven { kind: sighting.kind, steps: steps(sighting) });
    let unproven = unproven.filter(|_| lost.is_some() && failures.is_empty()).min_by_key(|unproven| unproven.steps);
    let verdict = match (failures.first(), unfinished) {
        (Some(first), _) => Verdict::Fails(first.clone()),
        (None, Some(shortfall)) => Verdict::Undecided(shortfall),
        (None, None) => Verdict::of_exhausted(ending.memory.exactness),
    };
    let sees_all = ending.complete && ending.memory.exactness == Exactness::Exact;
    let taken = sees_all.then(|| {
        let led_on = tally.taken.iter().enumerate().filter(|&(_, &taken)| taken);
        let mut faults: Vec<Fault> = tally
            .failures
            .of_kind
            .iter()
            .filter_map(|sighting| match sighting.kind {
                FailureKind::Fault(fault) => Some(fault),
                _ => None,
            })
            .collect();
        faults.sort_unstable();
        Taken { actions: led_on.map(|(action, _)| ActionId::new(action)).collect(), faults }
    });
    Report {
        verdict,
        exactness: ending.memory.exactness,
        failures,
        failure_count: tally.failures.count,
        unfinished,
        unproven,
        taken,
        cuts: tally.cuts.into_iter().collect(),
        stats: Stats {
            states: ending.memory.states,
            transitions: tally.transitions,
            depth: ending.depth,
            bytes_per_state: ending.memory.store_bytes as f64 / ending.memory.states.max(1) as f64,
            peak_memory_bytes: control.budget.peak_bytes(),
            digest: (ending.complete && ending.memory.kept_all()).then_some(tally.digest),
            is_written_out: false,
            is_reduced: false,
            audit: None,
            elapsed: control.started.elapsed(),
            refinements: 0,
            store: options.store.name(),
            remembered: ending.memory.remembered(tally.transitions),
            packing: None,
            symbolic: None,
            disk: None,
            cluster: None,
            gpu: None,
        },
        profile: None,
        watched: None,
        scouted: false,
        witnesses: Vec::new(),
        dead_end: None,
        unwatched: false,
        is_vacuous: false,
        has_runs: false,
    }
}
