//! Shortest lassos: temporal properties as a matter of reaching a state of pairs.
//!
//! "Shortest" means: of all runs of the model, fair ones where there is fairness, that consist of a stem and a loop and violate
//! the property, none has fewer steps in stem and loop together. It does not depend on the automaton that the property was
//! translated to ([`LassoReader`]). A property that some finite part of a run violates has a shortest such part instead
//! ([`bad_prefix`](crate::bad_prefix)).

use lariat_automata::LassoReader;
use lariat_base::Id;
use lariat_engine::{
    AcceptanceKind, Evidence, FailureKind, Feature, Refusal, Report, RunError, Task, Temporal, Trace, TraceStep,
    Verdict,
};
use lariat_space::{CanLoop, LassoObserver, Pairs, Product, StateSpace};
use lariat_system::Fairness;

/// What is said of a search for shortest lassos.
pub const NOTION: &str = "fewest steps in stem and loop together";

/// The machine that reads lassos of the task; a refusal if it would be too large, or if something is asked for that has no
/// meaning for shortest lassos.
pub fn ensure_shortest(task: &Task<'_>, temporal: &Temporal) -> Result<LassoReader, Refusal> {
    let options = &task.options;
    let marks: usize = task.subject.fairness().iter().map(|it| if Fairness::is_strong(it) { 2 } else { 1 }).sum();
    match () {
        _ if options.keep_going => {
            return Err(Refusal::because(Feature::KeepGoing, "it ends at the first bad run"));
        }
        _ if options.depth_limit.is_some() => {
            return Err(Refusal::because(Feature::DepthLimit, "what lies within a bound says nothing about cycles"));
        }
        _ if options.profile => return Err(Refusal::because(Feature::Profile, "it is for `safety`")),
        _ if options.acceptance == AcceptanceKind::Copies => {
            let why = "it closes loops of the model, not of a product with copies";
            return Err(Refusal::because(Feature::AcceptanceBy("copies"), why));
        }
        _ if marks > 64 => {
            return Err(Refusal::because(
                Feature::Fairness,
                "with `--shortest` it keeps track of 64 constraints at most",
            ));
        }
        () => {}
    }
    LassoReader::new(&temporal.bad).map_err(|error| Refusal::because(Feature::Shortest, error.to_string()))
}

/// Looks for a shortest lasso by `explore`, a breadth-first or better search for dead ends that are not proper ends. `can_loop` says
/// which states of the system a loop can go through, where that is known.
pub fn search<S: StateSpace>(
    space: &S,
    task: &Task<'_>,
    temporal: &Temporal,
    reader: &LassoReader,
    can_loop: Option<&CanLoop<'_>>,
    explore: impl FnOnce(&Pairs<'_, S>) -> Result<Report, RunError>,
) -> Result<Report, RunError> {
    let subject = task.subject;
    let observer = LassoObserver::new(reader, &temporal.labels, temporal.reads_steps(subject));
    let product = Product::new(space, &observer, 0, subject.fairness().to_vec(), subject.dead_ends())
        .with_growing_pool(task.options.pool_may_grow);
    let pairs = Pairs::new(&product, reader).expect("`ensure_shortest` has counted the marks");
    let pairs = pairs.looping_in(can_loop);
    let mut report = explore(&pairs)?;
    report.taken = None;
    let labels = subject.label_count();
    let failures = std::mem::take(&mut report.failures).into_iter();
    report.failures = failures
        .map(|found| Evidence { kind: FailureKind::Cycle, trace: lasso_of(&pairs, found.trace, labels) })
        .collect();
    if let Some(first) = report.failures.first() {
        report.verdict = Verdict::Fails(first.clone());
    }
    Ok(report)
}

/// How many words a pair of such states has, for a space whose states have this many.
pub fn pair_words(words: usize) -> usize {
    2 * words + 2
}

/// The run of the system that a run of pairs is.
fn lasso_of<S: StateSpace>(pairs: &Pairs<'_, S>, trace: Trace, labels: usize) -> Trace {
    let targets = trace.steps.iter().map(|step| step.target.as_deref().expect("a run of pairs meets no fault"));
    // The last primary state is the seed.
    let loop_start = targets.take_while(|pair| pairs.seed(pair).is_none()).count();
    let steps = trace.steps.into_iter().map(|step| TraceStep {
        target: step.target.as_deref().map(|pair| pairs.present(pair).to_vec()),
        labels: step.labels.map(|own| own.into_iter().filter(|label| label.index() < labels).collect()),
        ..step
    });
    Trace {
        initial: pairs.present(&trace.initial).to_vec(),
        steps: steps.collect(),
        loop_start: Some(loop_start),
        decided: None,
    }
}
