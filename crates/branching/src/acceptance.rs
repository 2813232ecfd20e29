//! Acceptance conditions of automata as fairness.

use crate::fairness::Constraint;
use lariat_automata::{Acceptance, Mark};

/// The most cases that a condition is split up into.
pub(crate) const MOST_CASES: usize = 64;

/// The condition as cases, one of which must hold; in each, all constraints. `None` if there would be too many.
///
/// A disjunction of marks, one of which at most is to be seen finitely often, is one constraint: if that is seen infinitely
/// often, one of the others is. Any other disjunction makes cases.
pub(crate) fn cases(acceptance: &Acceptance) -> Option<Vec<Vec<Constraint<Mark>>>> {
    let cases = match acceptance {
        Acceptance::True => vec![Vec::new()],
        Acceptance::False => Vec::new(),
        Acceptance::Inf(mark) => vec![vec![Constraint::justice(*mark)]],
        Acceptance::Fin(mark) => vec![vec![Constraint { asked: Some(vec![*mark]), given: Vec::new() }]],
        Acceptance::And(parts) => {
            let mut joined: Vec<Vec<Constraint<Mark>>> = vec![Vec::new()];
            for part in parts {
                let of_part = cases(part)?;
                let both = |first: &Vec<Constraint<Mark>>| {
                    let first = first.clone();
                    of_part.iter().map(move |second| [first.as_slice(), second].concat()).collect::<Vec<_>>()
                };
                joined = joined.iter().flat_map(both).collect();
                if joined.len() > MOST_CASES {
                    return None;
                }
            }
            joined
        }
        Acceptance::Or(parts) => disjunction(parts)?,
    };
    (cases.len() <= MOST_CASES).then_some(cases)
}

fn disjunction(parts: &[Acceptance]) -> Option<Vec<Vec<Constraint<Mark>>>> {
    let (mut given, mut avoided, mut others) = (Vec::new(), Vec::new(), Vec::new());
    for part in parts {
        match part {
            Acceptance::Inf(mark) => given.push(*mark),
            Acceptance::Fin(mark) => avoided.push(*mark),
            other => others.extend(cases(other)?),
        }
    }
    let mut avoided = avoided.into_iter();
    let asked = avoided.next().map(|mark| vec![mark]);
    if asked.is_some() || !given.is_empty() {
        others.push(vec![Constraint { asked, given }]);
    }
    others.extend(avoided.map(|mark| vec![Constraint { asked: Some(vec![mark]), given: Vec::new() }]));
    Some(others)
}

#[cfg(test)]
mod tests {
    use super::*;
    use lariat_automata::MarkSet;

    /// Whether marks that are seen infinitely often meet the constraint.
    fn is_met(constraint: &Constraint<Mark>, seen: &MarkSet) -> bool {
        let any = |marks: &[Mark]| marks.iter().any(|mark| seen.contains(*mark));
        !constraint.asked.as_deref().is_none_or(any) || any(&constraint.given)
    }

    #[test]
    fn cases_say_what_the_condition_says() {
        use Acceptance::{And, False, Fin, Inf, Or, True};
        let (a, b, c) = (Mark(0), Mark(1), Mark(2));
        for condition in [
            True,
            False,
            Inf(a),
            Fin(a),
            And(vec![Inf(a), Inf(b)]),
            Or(vec![Inf(a), Inf(b)]),
            Or(vec![Fin(a), Inf(b), Inf(c)]),
            Or(vec![Fin(a), Fin(b)]),
            Or(vec![Fin(a), And(vec![Fin(b), Inf(c)])]),
            And(vec![Or(vec![Fin(a), Fin(b), Inf(c)]), Or(vec![Inf(a), And(vec![Inf(b), Fin(c)])])]),
            Or(vec![]),
            And(vec![]),
            Or(vec![True, Inf(a)]),
        ] {
            let cases = cases(&condition).expect("there are few");
            for bits in 0..8_u32 {
                let seen: MarkSet = (0..3).filter(|mark| bits >> mark & 1 == 1).map(Mark).collect();
                let found = cases.iter().any(|case| case.iter().all(|constraint| is_met(constraint, &seen)));
                assert_eq!(found, condition.accepts(&seen), "{condition} of {seen:?}: {cases:?}");
            }
        }
        let pairs = (0..7).map(|number| Or(vec![Fin(Mark(2 * number)), Fin(Mark(2 * number + 1))]));
        assert_eq!(super::cases(&And(pairs.collect())), None);
    }
}
