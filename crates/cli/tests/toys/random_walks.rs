//! The engine `walks`: random walks, which can only say *fails*.

use lariat_engine::{
    Disk, Engine, Evidence, FailureKind, Feature, Options, Plan, Prepared, Property, Refusal, Report, RunControl,
    RunError, Shortfall, StoreKind, Task, Trace, TraceStep, Verdict,
};
use lariat_space::{Outcome, State, StateSpace, each};
use lariat_store::Exactness;
use lariat_subject::{OverSpace, ensure_searchable, with_space};
use lariat_system::Fault;
use std::ops::ControlFlow;

/// How many walks there are, and how long each is at most.
const WALKS: u64 = 64;
const LENGTH: usize = 1000;

pub(crate) struct RandomWalks;

impl Engine for RandomWalks {
    fn name(&self) -> &'static str {
        "walks"
    }
    fn about(&self) -> &'static str {
        "random walks: finds failures of `safety`, and cannot say that it holds"
    }
    fn can_show_that_it_holds(&self) -> bool {
        false
    }
    fn is_random(&self) -> bool {
        true
    }
    fn prepare<'t>(&self, task: &'t Task<'t>) -> Result<Box<dyn Prepared + 't>, Refusal> {
        let Property::Safety { invalid_ends } = task.property else {
            return Err(Refusal::because(Feature::of_property(&task.property), "it looks for failures of `safety`"));
        };
        // Every option is honoured or refused: one that is new is an error of the compiler here.
        let Options {
            store,
            keep_going,
            shortest,
            pool_may_grow: _, // a full pool is told
            depth_limit,
            threads,
            profile,
            reduce: _, // `with_space` does it, or `ensure_searchable` refuses
            scout: _,  // it sends none: there is nothing that they could find and a walk must not
            code: _,   // `with_space` chooses it
            seed: _,   // for the dice
            runs,
            ref disk,
            acceptance: _, // of cycles
            ref order,
            temporal_by: _, // of runs that go on for ever
            ref fair,
            heuristic,
            graph_limit,
            gpu_memory_bytes: _, // refused where no card is used
        } = task.options;
        let unsupported = match () {
            _ if store != StoreKind::Tree => Some(Feature::Store(store)),
            _ if keep_going => Some(Feature::KeepGoing),
            _ if shortest => Some(Feature::Shortest),
            _ if depth_limit.is_some() => Some(Feature::DepthLimit),
            _ if threads > 1 => Some(Feature::Threads),
            _ if profile => Some(Feature::Profile),
            _ if runs > 1 => Some(Feature::Runs),
            _ if disk.as_ref().is_some_and(Disk::is_given) => Some(Feature::Disk),
            () => None,
        };
        if order.is_some() {
            return Err(Refusal::of_order());
        }
        if let Some(option) = fair.given() {
            return Err(Refusal::of_fair_search(option));
        }
        if graph_limit.is_some() {
            return Err(Refusal::of_graph_limit());
        }
        if heuristic.is_some() {
            return Err(Refusal::of_heuristic());
        }
        if let Some(feature) = unsupported {
            return Err(Refusal::of(feature));
        }
        ensure_searchable(task)?;
        let plan = Plan::new(self.name(), task, format!("{WALKS} random walks of at most {LENGTH} steps"));
        Ok(Box::new(Ready { task, invalid_ends, plan }))
    }
}

struct Ready<'t> {
    task: &'t Task<'t>,
    invalid_ends: bool,
    plan: Plan,
}

impl Prepared for Ready<'_> {
    fn plan(&self) -> &Plan {
        &self.plan
    }
    fn run(self: Box<Self>, control: &RunControl) -> Result<Report, RunError> {
        with_space(self.task, Walks { options: &self.task.options, invalid_ends: self.invalid_ends, control })
    }
}

/// The walks through whatever space the task has.
struct Walks<'a> {
    options: &'a Options,
    invalid_ends: bool,
    control: &'a RunControl,
}

impl OverSpace for Walks<'_> {
    type Output = Report;

    fn over<S: StateSpace>(self, space: &S) -> Result<Report, RunError> {
        let gave_up = Shortfall::Lossy { coverage: 0.0 };
        let mut report = Report { exactness: Exactness::Lossy { coverage: 0.0 }, ..Report::at_once(gave_up) };
        for walk in 0..WALKS {
            if let Err(shortfall) = self.control.check() {
                (report.verdict, report.unfinished) = (Verdict::Undecided(shortfall), Some(shortfall));
                return Ok(report);
            }
            if let Some(found) =
                self.walk(space, self.options.seed.wrapping_add(walk), &mut report.stats.transitions)?
            {
                (report.verdict, report.unfinished) = (Verdict::Fails(found.clone()), None);
                (report.failures, report.failure_count) = (vec![found], 1);
                break;
            }
        }
        Ok(report)
    }
}

impl Walks<'_> {
    fn walk<S: StateSpace>(&self, space: &S, seed: u64, taken: &mut u64) -> Result<Option<Evidence>, RunError> {
        let (mut dice, mut scratch, mut begins) = (Dice(seed), space.scratch(), Vec::new());
        let _ = space.initial(&mut scratch, |state| {
            begins.push(state.to_vec());
            ControlFlow::<()>::Continue(())
        });
        let Some(initial) = dice.pick(begins) else { return Ok(None) };
        let mut trace = Trace { initial: initial.clone(), steps: Vec::new(), loop_start: None, decided: None };
        let mut at = initial;
        for _ in 0..LENGTH {
            let steps = listed(space, &at, &mut scratch);
            if let Some((step, fault)) = steps.iter().find_map(|(step, fault)| Some((step, (*fault)?))) {
                if self.options.pool_may_grow && matches!(fault, Fault::PoolFull(_)) {
                    return Err(RunError::PoolTooSmall);
                }
                trace.steps.push(step.clone());
                return Ok(Some(Evidence { kind: FailureKind::Fault(fault), trace }));
            }
            let Some((step, _)) = dice.pick(steps) else {
                let fails = self.invalid_ends && !space.is_proper_end(&at, &mut scratch);
                return Ok(fails.then_some(Evidence { kind: FailureKind::InvalidEnd, trace }));
            };
            *taken += 1;
            at = step.target.clone().expect("what is not a fault leads to a state");
            trace.steps.push(step);
        }
        Ok(None)
    }
}

/// The steps from a state, and the faults.
fn listed<S: StateSpace>(space: &S, source: &State, scratch: &mut S::Scratch) -> Vec<(TraceStep, Option<Fault>)> {
    let mut found = Vec::new();
    let sink = each(|step| {
        let (target, fault) = match step.target {
            Outcome::State(target) => (Some(target.to_vec()), None),
            Outcome::Fault(fault) => (None, Some(fault)),
        };
        found.push((TraceStep { via: step.via.to_vec(), choices: None, labels: None, target }, fault));
        ControlFlow::<()>::Continue(())
    });
    let _ = space.steps(source, scratch, sink);
    found
}

/// Random numbers (splitmix64).
struct Dice(u64);

impl Dice {
    fn pick<T>(&mut self, mut from: Vec<T>) -> Option<T> {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        let number = (mixed ^ (mixed >> 31)).checked_rem(from.len() as u64)?;
        Some(from.swap_remove(number as usize))
    }
}
