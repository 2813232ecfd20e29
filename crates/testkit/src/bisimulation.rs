//! The law of simplified systems, checked by the reference evaluator: both systems go side by side, firing by firing.

use lariat_system::reference::{Evaluator, Valuation};
use lariat_system::{Position, Simplifications, Simplified, System};
use std::collections::HashSet;

/// What was compared.
#[derive(Clone, Copy, Debug, Default)]
pub struct Compared {
    /// Pairs of states, transient ones too.
    pub pairs: usize,
    /// Ordinary states of the system, and of its simplified form, among them.
    pub states: [usize; 2],
}

/// Compares the system with its simplified form, in as many pairs of states at most; an error if they differ. `None` if there is
/// nothing to simplify.
pub fn compare_simplified(
    system: &System,
    what: Simplifications,
    most_pairs: usize,
) -> Result<Option<(Simplified, Compared)>, String> {
    let Some(simplified) = system.simplified(what) else { return Ok(None) };
    if let Err(error) = simplified.system.validate() {
        return Err(format!("the simplified system is not valid: {error:?}\n{}", simplified.system));
    }
    let compared = walk(system, &simplified.system, most_pairs)
        .map_err(|error| format!("{error}\nsimplified:\n{}", simplified.system))?;
    Ok(Some((simplified, compared)))
}

fn walk(system: &System, simplified: &System, most_pairs: usize) -> Result<Compared, String> {
    let (whole, left) = (Evaluator::new(system), Evaluator::new(simplified));
    let begin = whole.initial();
    if begin != left.initial() {
        return Err("the initial states differ".to_owned());
    }
    let mut waiting: Vec<(Valuation, Valuation, Option<Position>)> =
        begin.into_iter().map(|state| (state.clone(), state, None)).collect();
    let mut seen: HashSet<_> = waiting.iter().cloned().collect();
    let mut states = [HashSet::new(), HashSet::new()];
    while let Some((state, image, holder)) = waiting.pop() {
        let differ = |what: &str| Err(format!("{what} differ, of\n{state:?}\nand\n{image:?}\nwith holder {holder:?}"));
        if holder.is_none() {
            states[0].insert(state.clone());
            states[1].insert(image.clone());
        }
        if whole.state_labels(&state) != left.state_labels(&image) {
            return differ("the labels");
        }
        if whole.is_proper_end(&state) != left.is_proper_end(&image) {
            return differ("the ends");
        }
        if whole.guard_faults(&state, holder) != left.guard_faults(&image, holder) {
            return differ("the run-time errors of guards");
        }
        let (firings, is_transient) = whole.firings(&state, holder);
        if (&firings, is_transient) != (&left.firings(&image, holder).0, left.firings(&image, holder).1) {
            return differ("the firings");
        }
        if holder.is_some() && !is_transient {
            // It does not go on: it is an ordinary state.
            let ordinary = (state, image, None);
            if seen.insert(ordinary.clone()) {
                waiting.push(ordinary);
            }
            continue;
        }
        for firing in &firings {
            let ((faults, after), (other_faults, other_after)) =
                (whole.fire(&state, firing), left.fire(&image, firing));
            let marks = whole.marks_with(&Default::default(), &state, firing);
            if marks.labels != left.marks_with(&Default::default(), &image, firing).labels {
                return differ("the labels of a firing");
            }
            if faults != other_faults || after.is_some() != other_after.is_some() {
                return differ("the effects of a firing");
            }
            let Some(next) = after.zip(other_after) else { continue };
            let next = (next.0, next.1, whole.holder_after(firing));
            if seen.len() < most_pairs && seen.insert(next.clone()) {
                waiting.push(next);
            }
        }
    }
    Ok(Compared { pairs: seen.len(), states: states.map(|states| states.len()) })
}
