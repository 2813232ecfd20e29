//! From a space and a property to the product that is searched.

use lariat_automata::{Automaton, follows_every_word};
use lariat_engine::{Report, RunError, Task, Temporal, Verdict, Watched};
use lariat_space::{AutomatonObserver, Product, StateSpace};

/// Searches the product of the task's space with an automaton over the propositions of its property, under its fairness.
/// What was seen by the way is added to a report that the property holds.
pub fn with_product<S: StateSpace>(
    space: &S,
    task: &Task<'_>,
    temporal: &Temporal,
    automaton: &Automaton,
    search: impl FnOnce(&Product<'_, S, AutomatonObserver<'_>>) -> Result<Report, RunError>,
) -> Result<Report, RunError> {
    let subject = task.subject;
    let observer = AutomatonObserver::new(automaton, &temporal.labels, temporal.reads_steps(subject));
    let fairness = subject.fairness().to_vec();
    let product = Product::new(space, &observer, automaton.mark_count(), fairness, subject.dead_ends())
        .with_growing_pool(task.options.pool_may_grow);
    let mut report = search(&product)?;
    // An automaton that does not go along with every run has seen a part of them.
    if report.verdict == Verdict::Holds && follows_every_word(automaton) {
        let (letters, idle_constraints) = (observer.letters_read(), product.idle_constraints());
        report.watched = Some(Watched { letters, idle_constraints });
    }
    Ok(report)
}
