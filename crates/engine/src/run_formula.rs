//! What one run is to satisfy: the path formulas of CTL*.
//!
//! A [`RunFormula`] stands behind a quantifier `E`. It is one of LTL with past, whose propositions are parts of a
//! [`Branching`](crate::Branching) property: formulas of states, quantified ones among them, are computed first and then taken
//! for propositions (Emerson and Lei 1987; Kesten, Pnueli, Raviv and Shahar 2006).
//!
//! Where it speaks of the past, there are two things it can mean. An outermost quantifier is asked in initial states, of runs
//! that begin there. One inside of another is asked in states that runs come to, and *recalls*: some run from an initial state
//! passes the state and satisfies the formula there. Its automaton reads whole runs, and the step from that state carries a
//! mark.

use crate::PartId;
use lariat_automata::{Automaton, Edge, Mark, TooLarge, TranslateOptions, translate};
use lariat_logic::{Formula, LassoWord, Letter, PropId, Propositions, truth};

/// What a run is to satisfy.
#[derive(Clone, Debug)]
pub struct RunFormula {
    /// The formula, in negation normal form. Its proposition `n` is the part `parts[n]`.
    pub formula: Formula,
    /// What its propositions are.
    pub parts: Vec<PartId>,
    /// The runs that satisfy it: from their first state on, or if the formula recalls, from the state on that they leave by a
    /// step with the mark `here`.
    pub automaton: Automaton,
    /// That mark, if the formula recalls.
    pub here: Option<Mark>,
}

/// Something that is known of a run: in the state after so many steps the part holds, or does not.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct RunClaim {
    /// How many steps come before the state.
    pub at: usize,
    /// What is claimed about.
    pub part: PartId,
    /// Whether it holds.
    pub holds: bool,
}

impl RunFormula {
    /// The runs that satisfy `formula`, in which proposition `n` is `parts[n]`.
    pub(crate) fn new(formula: &Formula, parts: Vec<PartId>, recalls: bool) -> Result<Self, TooLarge> {
        let formula = formula.nnf().map_err(|error| TooLarge::Steps { limit: error.limit as u64 })?;
        let names: Vec<String> = (0..=parts.len()).map(|number| format!("p{number}")).collect();
        let here = PropId(parts.len() as u32);
        // Exactly one position is the one that the formula is asked about.
        let read = match recalls {
            false => formula.clone(),
            true => {
                let (is_here, is_not_here) = (Formula::prop(here), Formula::prop(here).negated());
                let never_again = Formula::next(Formula::globally(is_not_here.clone()));
                Formula::until(is_not_here, Formula::and([is_here, formula.clone(), never_again]))
            }
        };
        let propositions = Propositions::named(names.iter().map(String::as_str));
        let automaton = translate(&read, &propositions, &TranslateOptions::default())?.over_propositions(&names);
        Ok(match recalls {
            false => Self { formula, parts, automaton, here: None },
            true => {
                let (automaton, mark) = marked(automaton, here)?;
                Self { formula, parts, automaton, here: Some(mark) }
            }
        })
    }

    /// Whether the claims about a lasso of `last` steps, the first so many of them before its loop, show that the formula
    /// holds after `past` steps, whatever else is so on it.
    pub fn is_shown(&self, claims: impl IntoIterator<Item = RunClaim>, last: usize, start: usize, past: usize) -> bool {
        let mut letters = vec![Letter::default(); last];
        for RunClaim { at, part, holds } in claims {
            for prop in (0..self.parts.len()).filter(|&prop| self.parts[prop] == part) {
                letters[at].insert(PropId(2 * prop as u32 + u32::from(!holds)));
            }
        }
        let cycle = letters.split_off(start);
        truth(&certainly(&self.formula), &LassoWord::new(letters, cycle)).at(past)
    }
}

/// The formula, in which proposition `2n` says that proposition `n` is known to hold and `2n + 1` that it is known not to.
fn certainly(formula: &Formula) -> Formula {
    match formula {
        Formula::Prop(prop) => Formula::prop(PropId(2 * prop.0)),
        Formula::Not(part) => match **part {
            Formula::Prop(prop) => Formula::prop(PropId(2 * prop.0 + 1)),
            _ => unreachable!("only propositions are negated"),
        },
        _ => formula.map_operands(certainly),
    }
}

/// The automaton without the proposition `here`: edges on which it holds carry a mark instead.
fn marked(mut automaton: Automaton, here: PropId) -> Result<(Automaton, Mark), TooLarge> {
    let mark = Mark(automaton.mark_count());
    let Automaton { guards, edges, .. } = &mut automaton;
    let is_here = guards.variable(here.0);
    for edges in edges.iter_mut() {
        let mut split = Vec::new();
        for edge in edges.drain(..) {
            for holds in [false, true] {
                let letters = if holds { guards.and(edge.guard, is_here) } else { guards.minus(edge.guard, is_here) };
                let guard = guards.exists(letters, &|variable| variable == here.0);
                let marks = edge.marks.iter().chain(holds.then_some(mark)).collect();
                split.push(Edge { target: edge.target, guard, marks });
            }
        }
        *edges = split;
    }
    automaton.merge_edges();
    if automaton.guards.overflowed() {
        return Err(automaton.guards.refusal());
    }
    Ok((automaton, mark))
}

#[cfg(test)]
mod tests {
    use super::*;
    use lariat_base::Span;
    use lariat_logic::{Dialect, ParseOptions, parse};

    fn read(text: &str) -> RunFormula {
        let options = ParseOptions { dialect: Dialect::Auto, quantifiers: false, file: Span::NONE.file };
        let formula = parse(text, options, &mut Propositions::named(["p", "q"])).expect("it is a formula");
        RunFormula::new(&formula, vec![7, 9], formula.has_past()).expect("it is small")
    }

    fn claim(at: usize, part: PartId, holds: bool) -> RunClaim {
        RunClaim { at, part, holds }
    }

    #[test]
    fn claims_show_what_holds_whatever_else_is_so() {
        let run = read("F (p & X !q)");
        assert!(run.is_shown([claim(0, 7, true), claim(1, 9, false)], 3, 1, 0));
        assert!(!run.is_shown([claim(0, 7, true), claim(1, 9, true)], 3, 1, 0));
        assert!(!run.is_shown([claim(0, 7, true)], 3, 1, 0), "nothing is known of q");
        assert!(
            run.is_shown([claim(2, 7, true), claim(1, 9, false)], 3, 1, 0),
            "after the last comes the first of the loop"
        );
        let past = read("Y p");
        assert!(past.is_shown([claim(0, 7, true)], 3, 1, 1));
        assert!(!past.is_shown([claim(0, 7, true)], 3, 1, 0));
    }

    #[test]
    fn the_state_that_is_asked_about_is_marked_once() {
        let run = read("q & Y p");
        let mark = run.here.expect("it speaks of the past");
        // Of the words `p, q, nothing for ever`, with the mark at one place or at none.
        let accepts = |places: &[usize]| {
            let mut reached = vec![run.automaton.initial];
            for at in 0..6 {
                let letter = |prop: u32| prop == at as u32;
                let mut next = Vec::new();
                for state in reached {
                    let moves = run.automaton.moves(state, letter);
                    next.extend(moves.filter(|e| e.marks.contains(mark) == places.contains(&at)).map(|e| e.target));
                }
                reached = next;
            }
            !reached.is_empty()
        };
        assert!(accepts(&[1]));
        assert!(!accepts(&[0]) && !accepts(&[2]) && !accepts(&[1, 3]));
    }
}
