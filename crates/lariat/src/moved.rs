//! Fairness that a formula asks for, moved into the system.
//!
//! A property `(G F p -> G F q) & … -> f` is about the runs that meet compassion. Said by an automaton, each constraint makes
//! that several times as large. Engines handle compassion themselves, so the antecedents become fairness of the system, and the
//! automaton is that of `f` alone. The bad runs are the same, and what is found is still judged by the formula as it was stated.

use lariat_base::Span;
use lariat_logic::{Dialect, Formula, PropId, Propositions, print};
use lariat_system::{Expr, Fairness, Label, LabelId, LabelMeaning, System};

/// With so many constraints of compassion in a formula, they are moved: the automaton would be large.
pub(crate) const LEAST_MOVED: usize = 3;

/// A formula that bad runs satisfy, apart.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Parts {
    /// What holds infinitely often, if something does, or in any case.
    pub(crate) fairness: Vec<Asked>,
    /// What else holds.
    pub(crate) rest: Formula,
}

/// The second holds infinitely often, if the first does. Both speak of single states.
pub(crate) type Asked = (Option<Formula>, Formula);

impl Parts {
    /// The formula apart. What speaks of something else than states, by `is_of_states`, is left where it is.
    pub(crate) fn of(formula: &Formula, is_of_states: impl Fn(PropId) -> bool) -> Self {
        let Ok(normal) = formula.nnf() else {
            return Self { fairness: Vec::new(), rest: formula.clone() };
        };
        let parts = match normal {
            Formula::And(parts) => parts,
            other => vec![other],
        };
        let (mut fairness, mut rest) = (Vec::new(), Vec::new());
        for part in parts {
            let asked = asked(&part).filter(|(asked, given)| {
                asked.iter().chain([given]).all(|one| one.is_boolean() && one.props().into_iter().all(&is_of_states))
            });
            match asked {
                Some(asked) => fairness.push(asked),
                None => rest.push(part),
            }
        }
        Self { fairness, rest: Formula::and(rest) }
    }

    /// How many of the constraints are compassion.
    pub(crate) fn compassion_count(&self) -> usize {
        self.fairness.iter().filter(|(asked, _)| asked.is_some()).count()
    }
}

/// What the formula, in negation normal form, says of infinitely often.
fn asked(formula: &Formula) -> Option<Asked> {
    let again = |formula: &Formula| match formula {
        Formula::Globally(inner) => match &**inner {
            Formula::Finally(given) => Some((**given).clone()),
            _ => None,
        },
        _ => None,
    };
    let at_last = |formula: &Formula| match formula {
        Formula::Finally(inner) => match &**inner {
            Formula::Globally(kept) => Some((**kept).clone()),
            _ => None,
        },
        _ => None,
    };
    match formula {
        Formula::Or(parts) => match &parts[..] {
            [one, other] => {
                let (kept, given) = at_last(one).zip(again(other)).or_else(|| at_last(other).zip(again(one)))?;
                Some((Some(kept.negated().nnf().ok()?), given))
            }
            _ => None,
        },
        other => Some((None, again(other)?)),
    }
}

/// Adds the constraints to the system, where proposition `n` is the label `labels[n]` of states.
pub(crate) fn add_to(system: &mut System, fairness: &[Asked], labels: &[LabelId], propositions: &Propositions) {
    for (asked, given) in fairness {
        let given = label_of(system, given, labels, propositions);
        let constraint = match asked {
            Some(asked) => Fairness::compassion(label_of(system, asked, labels, propositions), given),
            None => Fairness::justice(given),
        };
        system.fairness.push(constraint);
    }
}

/// The label that holds where the formula does.
fn label_of(system: &mut System, formula: &Formula, labels: &[LabelId], propositions: &Propositions) -> LabelId {
    if let Formula::Prop(prop) = formula {
        return labels[prop.0 as usize];
    }
    let meaning = LabelMeaning::State(condition(system, formula, labels));
    let known = system.labels.entries().find(|(_, label)| label.meaning == meaning).map(|(id, _)| id);
    known.unwrap_or_else(|| {
        let name = print(formula, propositions, Dialect::Spin);
        system.labels.push(Label { name, meaning, span: Span::NONE })
    })
}

fn condition(system: &System, formula: &Formula, labels: &[LabelId]) -> Expr {
    let of = |part: &Formula| condition(system, part, labels);
    match formula {
        Formula::True => Expr::TRUE,
        Formula::False => Expr::FALSE,
        Formula::Prop(prop) => match &system.labels[labels[prop.0 as usize]].meaning {
            LabelMeaning::State(condition) => condition.clone().truth(),
            _ => unreachable!("only what speaks of states is moved"),
        },
        Formula::Not(part) => of(part).negated(),
        Formula::And(parts) => Expr::all(parts.iter().map(of)),
        Formula::Or(parts) => Expr::any(parts.iter().map(of)),
        _ => unreachable!("it speaks of single states, in negation normal form"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lariat_logic::{LassoWord, Letter, holds};

    fn prop(number: u32) -> Formula {
        Formula::prop(PropId(number))
    }
    fn again(formula: Formula) -> Formula {
        Formula::globally(Formula::finally(formula))
    }

    /// What the parts say together.
    fn together(parts: &Parts) -> Formula {
        let constraint = |(asked, given): &Asked| match asked {
            Some(asked) => Formula::implies(again(asked.clone()), again(given.clone())),
            None => again(given.clone()),
        };
        Formula::and(parts.fairness.iter().map(constraint).chain([parts.rest.clone()]))
    }

    #[test]
    fn the_parts_say_what_the_formula_says() {
        let (p, q, r) = (prop(0), prop(1), prop(2));
        let pair = |a: &Formula, b: &Formula| Formula::implies(again(a.clone()), again(b.clone()));
        let answered = Formula::globally(Formula::implies(p.clone(), Formula::finally(q.clone())));
        let both = Formula::and([p.clone(), r.negated()]);
        let formulas = [
            (Formula::and([pair(&p, &q), pair(&both, &r)]), 2, 2),
            (Formula::implies(Formula::and([pair(&p, &q), again(r.clone())]), answered.clone()).negated(), 2, 1),
            (Formula::or([pair(&p, &q), r.clone()]), 0, 0),
            (pair(&p, &Formula::finally(q.clone())), 0, 0),
            (Formula::and([again(p.clone()), answered]), 1, 0),
            (Formula::or([Formula::finally(Formula::globally(p.clone())), again(r)]), 1, 1),
        ];
        for (formula, moved, compassion) in formulas {
            let parts = Parts::of(&formula, |_| true);
            assert_eq!((parts.fairness.len(), parts.compassion_count()), (moved, compassion), "{formula:?}");
            let said = together(&parts);
            // All words with a stem and a loop of two letters each.
            for bits in 0..1_u32 << 12 {
                let letter =
                    |at: u32| -> Letter { (0..3).filter(|n| bits >> (3 * at + n) & 1 == 1).map(PropId).collect() };
                let word = LassoWord::new(vec![letter(0), letter(1)], vec![letter(2), letter(3)]);
                assert_eq!(holds(&said, &word), holds(&formula, &word), "{formula:?} as {parts:?} on {word:?}");
            }
            assert!(Parts::of(&formula, |_| false).fairness.is_empty(), "steps are not moved");
        }
    }
}
