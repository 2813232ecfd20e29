//! Past operators by deterministic history bits.
//!
//! Each past subformula gets one bit that remembers what is needed of the moments before, and a fresh proposition for its
//! value now, which is a function of the letter and of the bits: `f S g` is `g, or f and the bit`, and the bit becomes that
//! value. The formula over the fresh propositions has no past; the product of its automaton with the bits has no fresh
//! propositions (Lichtenstein, Pnueli, Zuck, "The glory of the past", 1985; Kesten, Pnueli, Raviv, Shahar for testers).
//!
//! A past operator may have future operators below it. Their value is guessed by another fresh proposition, which the
//! future part is told to guess right for ever: `G (guess <-> f)`. Guesses are then hidden.

use crate::guards::{Guard, Guards, Variable};
use crate::hash::FastMap;
use crate::{Automaton, Edge, StateId, TooLarge, TranslateOptions};
use lariat_base::{Id, IdVec, safe_point};
use lariat_logic::{Formula, PropId};
use std::collections::HashMap;
use std::sync::Arc;

/// What the past of one operator contributes.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Bit {
    /// The value is the bit; the bit becomes the operand.
    Previous { operand: Formula },
    /// The value is `now`, or `meanwhile` and the bit; the bit becomes the value.
    Since { meanwhile: Formula, now: Formula },
    /// The value is `now`, and `release` or the bit; the bit becomes the value.
    Trigger { release: Formula, now: Formula },
}

/// A value for each bit.
type Bits = Vec<bool>;

/// The bits of a formula, in an order in which operands come first.
#[derive(Debug)]
pub(super) struct History {
    proposition_count: usize,
    bits: Vec<(Bit, bool, PropId)>,
    known: HashMap<(Bit, bool), PropId>,
    guesses: HashMap<Formula, PropId>,
    next: usize,
}

impl History {
    /// Splits `formula` over propositions `0..proposition_count` into a formula without past, over more propositions,
    /// and the history that gives those their meaning.
    pub(super) fn split(formula: &Formula, proposition_count: usize) -> (Formula, History) {
        let mut history = History {
            proposition_count,
            bits: Vec::new(),
            known: HashMap::new(),
            guesses: HashMap::new(),
            next: proposition_count,
        };
        let future = history.rewrite(formula);
        let mut guesses: Vec<(&Formula, &PropId)> = history.guesses.iter().collect();
        guesses.sort_by_key(|&(_, guess)| *guess);
        let told = guesses
            .into_iter()
            .map(|(meaning, &guess)| Formula::globally(Formula::iff(Formula::prop(guess), meaning.clone())));
        let future = match history.guesses.is_empty() {
            true => future,
            false => Formula::and(std::iter::once(future).chain(told)),
        };
        (future, history)
    }
    pub(super) fn is_empty(&self) -> bool {
        self.bits.is_empty()
    }
    /// How many propositions the formula without past has.
    pub(super) fn extended_count(&self) -> usize {
        self.next
    }

    fn fresh(&mut self) -> PropId {
        self.next += 1;
        PropId::new(self.next - 1)
    }
    fn rewrite(&mut self, formula: &Formula) -> Formula {
        safe_point();
        use Formula as F;
        match formula {
            F::Yesterday(part) => self.bit(|operand| Bit::Previous { operand }, part, false),
            F::WeakYesterday(part) => self.bit(|operand| Bit::Previous { operand }, part, true),
            F::Once(part) => self.bit(|now| Bit::Since { meanwhile: F::True, now }, part, false),
            F::Historically(part) => self.bit(|now| Bit::Trigger { release: F::False, now }, part, true),
            F::Since(left, right) => {
                let meanwhile = self.operand(left);
                self.bit(|now| Bit::Since { meanwhile, now }, right, false)
            }
            F::Trigger(left, right) => {
                let release = self.operand(left);
                self.bit(|now| Bit::Trigger { release, now }, right, true)
            }
            F::ForSome(_) | F::ForAll(_) => panic!("a formula of linear time has no path quantifier"),
            _ => formula.map_operands(|part| self.rewrite(part)),
        }
    }
    fn bit(&mut self, build: impl FnOnce(Formula) -> Bit, part: &Arc<Formula>, initially: bool) -> Formula {
        let bit = build(self.operand(part));
        let key = (bit, initially);
        if let Some(&value) = self.known.get(&key) {
            return Formula::prop(value);
        }
        let value = self.fresh();
        self.bits.push((key.0.clone(), initially, value));
        self.known.insert(key, value);
        Formula::prop(value)
    }
    /// The operand of a past operator as a Boolean formula.
    fn operand(&mut self, formula: &Formula) -> Formula {
        let rewritten = self.rewrite(formula);
        if is_boolean(&rewritten) {
            return rewritten;
        }
        if let Some(&guess) = self.guesses.get(&rewritten) {
            return Formula::prop(guess);
        }
        let guess = self.fresh();
        self.guesses.insert(rewritten, guess);
        Formula::prop(guess)
    }

    /// The product of `automaton`, over the extended propositions, with the bits; over the original ones.
    pub(super) fn product(&self, mut automaton: Automaton, options: &TranslateOptions) -> Result<Automaton, TooLarge> {
        let start: Bits = self.bits.iter().map(|&(_, initially, _)| initially).collect();
        let mut states = vec![(automaton.initial, start)];
        let mut place: FastMap<(StateId, Bits), StateId> =
            states.iter().map(|state| (state.clone(), StateId(0))).collect();
        let guards = std::mem::replace(&mut automaton.guards, Guards::with_limit(2));
        let mut guards = guards.with_steps(options.max_steps);
        let mut edges = IdVec::<StateId, Vec<Edge>>::new();
        let (mut edge_count, mut steps) = (0, 0);
        // Both are asked again and again: what bits make of letters, and what they make of one guard.
        let mut known_steps: FastMap<Bits, (FastMap<Variable, Guard>, Vec<Guard>)> = FastMap::default();
        let mut known_moves: FastMap<(Bits, Guard), Vec<(Guard, Bits)>> = FastMap::default();
        while edges.len() < states.len() {
            let (source, bits) = states[edges.len()].clone();
            let (values, becomes) = known_steps.entry(bits.clone()).or_insert_with(|| self.step(&bits, &mut guards));
            let mut list = Vec::new();
            for edge in &automaton.edges[source] {
                let moves = known_moves.entry((bits.clone(), edge.guard)).or_insert_with(|| {
                    let letters = guards.substitute(edge.guard, values);
                    let mut moves = split_by(letters, becomes, &mut guards);
                    steps += moves.len() as u64 * becomes.len() as u64;
                    for (letters, _) in &mut moves {
                        *letters = guards.exists(*letters, &|variable| variable as usize >= self.proposition_count);
                    }
                    moves
                });
                for (letters, bits) in moves {
                    let fresh = StateId::new(states.len());
                    let target = *place.entry((edge.target, bits.clone())).or_insert(fresh);
                    if target == fresh {
                        states.push((edge.target, bits.clone()));
                    }
                    list.push(Edge { target, guard: *letters, marks: edge.marks.clone() });
                }
            }
            edge_count += list.len();
            if steps > options.max_steps / 20 {
                return Err(TooLarge::Steps { limit: options.max_steps });
            }
            if states.len() > options.max_states {
                return Err(TooLarge::States { limit: options.max_states });
            }
            if edge_count > options.max_edges {
                return Err(TooLarge::Edges { limit: options.max_edges });
            }
            if guards.overflowed() {
                return Err(guards.refusal());
            }
            edges.push(list);
        }
        automaton.propositions.truncate(self.proposition_count);
        automaton.guards = guards;
        automaton.edges = edges;
        automaton.initial = StateId(0);
        automaton.merge_edges();
        automaton.compact_guards();
        Ok(automaton)
    }
    /// For the given bits: the value of each fresh proposition, and what each bit becomes, as functions of letters.
    fn step(&self, bits: &[bool], guards: &mut Guards) -> (FastMap<Variable, Guard>, Vec<Guard>) {
        safe_point();
        let (mut values, mut becomes) = (FastMap::default(), Vec::new());
        for ((bit, _, proposition), &before) in self.bits.iter().zip(bits) {
            let before = if before { Guard::TRUE } else { Guard::FALSE };
            let (value, after) = match bit {
                Bit::Previous { operand } => (before, boolean(operand, &values, guards)),
                Bit::Since { meanwhile, now } => {
                    let meanwhile = boolean(meanwhile, &values, guards);
                    let (now, still) = (boolean(now, &values, guards), guards.and(meanwhile, before));
                    let value = guards.or(now, still);
                    (value, value)
                }
                Bit::Trigger { release, now } => {
                    let release = boolean(release, &values, guards);
                    let (now, still) = (boolean(now, &values, guards), guards.or(release, before));
                    let value = guards.and(now, still);
                    (value, value)
                }
            };
            values.insert(proposition.0, value);
            becomes.push(after);
        }
        (values, becomes)
    }
}

/// The letters of `letters`, grouped by what the bits become.
fn split_by(letters: Guard, becomes: &[Guard], guards: &mut Guards) -> Vec<(Guard, Bits)> {
    let mut groups = vec![(letters, Vec::with_capacity(becomes.len()))];
    for &bit in becomes {
        let mut finer = Vec::with_capacity(groups.len());
        for (letters, bits) in groups {
            for (value, part) in [(true, guards.and(letters, bit)), (false, guards.minus(letters, bit))] {
                if part != Guard::FALSE {
                    let mut bits = bits.clone();
                    bits.push(value);
                    finer.push((part, bits));
                }
            }
        }
        groups = finer;
    }
    groups.retain(|(letters, _)| *letters != Guard::FALSE);
    groups
}

fn is_boolean(formula: &Formula) -> bool {
    use Formula as F;
    match formula {
        F::True | F::False | F::Prop(_) => true,
        F::Not(part) => is_boolean(part),
        F::And(parts) | F::Or(parts) => parts.iter().all(is_boolean),
        F::Implies(a, b) | F::Iff(a, b) | F::Xor(a, b) => is_boolean(a) && is_boolean(b),
        _ => false,
    }
}

/// A Boolean formula as a function, fresh propositions replaced by their values.
fn boolean(formula: &Formula, values: &FastMap<Variable, Guard>, guards: &mut Guards) -> Guard {
    use Formula as F;
    match formula {
        F::True => Guard::TRUE,
        F::False => Guard::FALSE,
        F::Prop(id) => values.get(&id.0).copied().unwrap_or_else(|| guards.variable(id.0)),
        F::Not(part) => {
            let part = boolean(part, values, guards);
            guards.not(part)
        }
        F::And(parts) => parts.iter().fold(Guard::TRUE, |all, part| {
            let part = boolean(part, values, guards);
            guards.and(all, part)
        }),
        F::Or(parts) => parts.iter().fold(Guard::FALSE, |any, part| {
            let part = boolean(part, values, guards);
            guards.or(any, part)
        }),
        F::Implies(a, b) => {
            let (a, b) = (boolean(a, values, guards), boolean(b, values, guards));
            guards.ite(a, b, Guard::TRUE)
        }
        F::Iff(a, b) | F::Xor(a, b) => {
            let (a, b) = (boolean(a, values, guards), boolean(b, values, guards));
            let not_b = guards.not(b);
            if matches!(formula, F::Iff(..)) { guards.ite(a, b, not_b) } else { guards.ite(a, not_b, b) }
        }
        _ => unreachable!("operands of past operators are Boolean: {formula:?}"),
    }
}
