//! Acceptance conditions of automata as fairness.

use crate::fairness::Constraint;
use lariat_automata::{Acceptance, Mark};
use lariat_engine::{Feature, Refusal};

/// More cases than this are refused: each is a search of its own.
const MOST_CASES: u64 = 64;

/// A refusal if the condition has too many cases.
pub(crate) fn ensure_few_cases(acceptance: &Acceptance) -> Result<(), Refusal> {
    if case_count(acceptance) <= MOST_CASES {
        return Ok(());
    }
    let why = format!("it would be split up into more than {MOST_CASES} cases");
    Err(Refusal::because(Feature::Acceptance, why))
}

/// The condition as cases, one of which must hold; in each, all constraints.
pub(crate) fn cases(acceptance: &Acceptance) -> impl Iterator<Item = Vec<Constraint<Mark>>> + '_ {
    (0..case_count(acceptance)).map(|number| case(acceptance, number))
}

/// How many cases there are; `u64::MAX` if there are more.
fn case_count(acceptance: &Acceptance) -> u64 {
    match acceptance {
        Acceptance::False => 0,
        Acceptance::True | Acceptance::Inf(_) | Acceptance::Fin(_) => 1,
        Acceptance::And(parts) => {
            let counts = parts.iter().map(case_count);
            // No part may have more cases than can be counted if another one has none.
            counts.clone().min().map_or(1, |least| if least == 0 { 0 } else { counts.fold(1, u64::saturating_mul) })
        }
        Acceptance::Or(parts) => alternatives(parts).iter().map(Alternative::case_count).fold(0, u64::saturating_add),
    }
}

/// The constraints of a case: numbers of the cases of a conjunction are in mixed radix.
fn case(acceptance: &Acceptance, mut number: u64) -> Vec<Constraint<Mark>> {
    match acceptance {
        Acceptance::True | Acceptance::False => Vec::new(),
        Acceptance::Inf(mark) => vec![Constraint::justice(*mark)],
        Acceptance::Fin(mark) => vec![finitely_often(*mark)],
        Acceptance::And(parts) => {
            let of_part = |part: &Acceptance| {
                let count = case_count(part).max(1);
                let constraints = case(part, number % count);
                number /= count;
                constraints
            };
            parts.iter().flat_map(of_part).collect()
        }
        Acceptance::Or(parts) => {
            for alternative in alternatives(parts) {
                match number.checked_sub(alternative.case_count()) {
                    Some(rest) => number = rest,
                    None => return alternative.case(number),
                }
            }
            Vec::new()
        }
    }
}

/// A way to satisfy a disjunction.
enum Alternative<'a> {
    Constraint(Constraint<Mark>),
    Condition(&'a Acceptance),
}

impl Alternative<'_> {
    fn case_count(&self) -> u64 {
        match self {
            Self::Constraint(_) => 1,
            Self::Condition(condition) => case_count(condition),
        }
    }
    fn case(&self, number: u64) -> Vec<Constraint<Mark>> {
        match self {
            Self::Constraint(constraint) => vec![constraint.clone()],
            Self::Condition(condition) => case(condition, number),
        }
    }
}

/// The ways to satisfy a disjunction. Marks, one of which at most is to be seen finitely often, are one constraint: if that is
/// seen infinitely often, one of the others is.
fn alternatives(parts: &[Acceptance]) -> Vec<Alternative<'_>> {
    let (mut given, mut avoided, mut found) = (Vec::new(), Vec::new(), Vec::new());
    for part in parts {
        match part {
            Acceptance::Inf(mark) => given.push(*mark),
            Acceptance::Fin(mark) => avoided.push(*mark),
            other => found.push(Alternative::Condition(other)),
        }
    }
    let mut avoided = avoided.into_iter();
    let asked = avoided.next().map(|mark| vec![mark]);
    if asked.is_some() || !given.is_empty() {
        found.push(Alternative::Constraint(Constraint { asked, given }));
    }
    found.extend(avoided.map(|mark| Alternative::Constraint(finitely_often(mark))));
    found
}

fn finitely_often(mark: Mark) -> Constraint<Mark> {
    Constraint { asked: Some(vec![mark]), given: Vec::new() }
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
            let cases: Vec<_> = cases(&condition).collect();
            for bits in 0..8_u32 {
                let seen: MarkSet = (0..3).filter(|mark| bits >> mark & 1 == 1).map(Mark).collect();
                let found = cases.iter().any(|case| case.iter().all(|constraint| is_met(constraint, &seen)));
                assert_eq!(found, condition.accepts(&seen), "{condition} of {seen:?}: {cases:?}");
            }
        }
        let pairs = (0..7).map(|number| Or(vec![Fin(Mark(2 * number)), Fin(Mark(2 * number + 1))]));
        let many = And(pairs.collect());
        assert_eq!(case_count(&many), 1 << 7);
        assert!(ensure_few_cases(&many).is_err());
        let pair = || Or(vec![Fin(a), Fin(b)]);
        let countless = And((0..70).map(|_| pair()).collect());
        assert_eq!(case_count(&countless), u64::MAX);
        assert_eq!(case_count(&And(vec![countless, False])), 0);
    }
}
