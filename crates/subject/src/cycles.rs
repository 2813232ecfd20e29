//! What a search for accepting cycles finds in a product, and what it is in the subject.

use crate::{Lister, Memory, Stop};
use lariat_automata::MarkSet;
use lariat_base::Id;
use lariat_engine::{
    Evidence, FailureKind, PoolTooSmall, Report, RunControl, Shortfall, Stats, Task, Trace, Unproven, Verdict,
};
use lariat_space::{AnySpace, Outcome, Step};

/// A run that goes on for ever: the states of the stem, and those of the loop. The loop's first state follows the last of
/// the stem, and follows the loop's last state again.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lasso {
    /// The states before the loop; none if an initial state is on it.
    pub stem: Vec<Vec<u64>>,
    /// The loop, at least one state.
    pub cycle: Vec<Vec<u64>>,
    /// Of each step of the loop, the marks; those of the last lead back to the first state.
    pub marks: Vec<MarkSet>,
}

/// What a search for accepting cycles has found.
#[derive(Debug, Default)]
pub struct Cycles {
    /// An accepting run, if there is one.
    pub lasso: Option<Lasso>,
    /// How many components were found to have an accepting cycle. At most one, unless the search goes through everything.
    pub count: u64,
    /// Why not everything was looked at.
    pub unfinished: Option<Shortfall>,
    /// Edges of the part that was seen.
    pub transitions: u64,
    /// The length of the longest path that was followed.
    pub depth: u64,
    /// How often components were taken apart further, because of `Fin`.
    pub refinements: u64,
    /// Of all states that were seen, the sum of hashes.
    pub digest: u64,
    /// Where there are two searches, how many states the first one has searched, and how many the second.
    pub searched: [u64; 2],
}

impl Cycles {
    /// How a search that ends at the first accepting cycle has ended.
    pub fn end(&mut self, ended: Result<Option<Lasso>, Stop>) -> Result<(), PoolTooSmall> {
        match ended {
            Ok(lasso) => {
                self.count = u64::from(lasso.is_some());
                self.lasso = lasso;
            }
            Err(Stop::Short(shortfall)) => self.unfinished = Some(shortfall),
            Err(Stop::PoolTooSmall) => return Err(PoolTooSmall),
            Err(Stop::Failure) => unreachable!("a cycle is found, not failed"),
        }
        Ok(())
    }
}

/// What a run of a product is in the subject: states have further words in the product, and steps perhaps further labels.
#[derive(Clone, Copy, Debug)]
pub struct Lift {
    /// How many words a state of the subject has.
    pub words: usize,
    /// How many labels the subject has.
    pub labels: usize,
}

impl Lift {
    /// The run of the subject that a lasso of the product is.
    pub fn trace(self, product: AnySpace<'_>, lasso: &Lasso, control: &RunControl) -> Result<Trace, Shortfall> {
        let words = self.words;
        let mut lister = Lister::new(&product, control);
        let states: Vec<&Vec<u64>> = lasso.stem.iter().chain(&lasso.cycle).collect();
        let loop_start = lasso.stem.len();
        let mut steps = Vec::with_capacity(states.len());
        for (number, source) in states.iter().enumerate() {
            let target = states.get(number + 1).unwrap_or(&states[loop_start]);
            // On the loop marks count: of several steps to the same state it is the one that carries them.
            let wanted = number.checked_sub(loop_start).map(|number| &lasso.marks[number]);
            let fits = |step: &Step<'_>| {
                step.target == Outcome::State(target) && wanted.is_none_or(|marks| marks == step.marks)
            };
            let mut step = lister.first(source, fits)?;
            step.labels.iter_mut().for_each(|own| own.retain(|label| label.index() < self.labels));
            step.target.iter_mut().for_each(|state| state.truncate(words));
            steps.push(step);
        }
        Ok(Trace { initial: states[0][..words].to_vec(), steps, loop_start: Some(loop_start), decided: None })
    }
}

/// The report of a search for accepting cycles of a product.
pub fn report_cycles(
    product: AnySpace<'_>,
    cycles: Cycles,
    memory: Memory,
    lift: Lift,
    task: &Task<'_>,
    control: &RunControl,
) -> Report {
    let Cycles { lasso, unfinished, transitions, depth, refinements, count, digest, searched: _ } = cycles;
    let steps = lasso.as_ref().map(|lasso| (lasso.stem.len() + lasso.cycle.len()) as u64);
    let trace = lasso.map(|lasso| lift.trace(product, &lasso, control)).transpose();
    let (trace, unfinished, unproven) = match trace {
        Ok(trace) => (trace, unfinished, None),
        Err(shortfall) => (None, Some(shortfall), steps.map(|steps| Unproven { kind: FailureKind::Cycle, steps })),
    };
    let evidence = trace.map(|trace| Evidence { kind: FailureKind::Cycle, trace });
    let verdict = match (&evidence, unfinished) {
        (Some(evidence), _) => Verdict::Fails(evidence.clone()),
        (None, Some(shortfall)) => Verdict::Undecided(shortfall),
        (None, None) => Verdict::of_exhausted(memory.exactness),
    };
    let whole = verdict == Verdict::Holds || task.options.keep_going && unfinished.is_none();
    Report {
        verdict,
        exactness: memory.exactness,
        failure_count: count,
        failures: evidence.into_iter().collect(),
        unfinished,
        unproven,
        taken: None,
        cuts: Vec::new(),
        stats: Stats {
            states: memory.states,
            transitions,
            depth,
            bytes_per_state: memory.store_bytes as f64 / memory.states.max(1) as f64,
            peak_memory_bytes: control.budget.peak_bytes(),
            digest: (whole && memory.kept_all()).then_some(digest),
            is_written_out: false,
            is_reduced: false,
            audit: None,
            elapsed: control.started.elapsed(),
            refinements,
            store: task.options.store.name(),
            remembered: memory.remembered(transitions),
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
