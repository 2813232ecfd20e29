//! From a formula to an automaton whose states are formulas (Couvreur, FM 1999).
//!
//! A state is a formula; the words it accepts are the formula's. Its expansion is split by letters: letters with the
//! same rest (what remains as a condition on duties) go together, and each prime implicant of the rest is an edge: the
//! conjunction of its formulas is the target, and the mark of a promise is on the edge unless the promise is made.
//! Formulas with the same expansion are one state.

use super::expand::{Duty, Expansions, Style};
use super::term::{TermId, Terms};
use crate::guards::{Guard, Guards, Variable};
use crate::hash::FastMap;
use crate::{Acceptance, Automaton, Edge, Mark, MarkSet, StateId, TooLarge, TranslateOptions};
use lariat_base::{Id, IdVec, safe_point};

/// The automaton of `formula` with generalised Büchi acceptance, unreduced.
pub(crate) fn tableau(
    formula: TermId,
    terms: &mut Terms,
    propositions: Vec<String>,
    style: Style,
    options: &TranslateOptions,
) -> Result<Automaton, TooLarge> {
    let guards = Guards::with_limit(options.max_guard_nodes).with_steps(options.max_steps);
    let labels = Guards::with_limit(options.max_guard_nodes);
    let expansions = Expansions::new(propositions.len() as u32, style);
    let mut tableau = Tableau {
        terms,
        guards,
        labels,
        expansions,
        formulas: Vec::new(),
        state_of_formula: FastMap::default(),
        state_of_expansion: FastMap::default(),
        marks: FastMap::default(),
        known_splits: FastMap::default(),
        known_duties: FastMap::default(),
        steps_left: options.max_steps,
        options,
    };
    tableau.state(formula)?;
    let mut promised: IdVec<StateId, Vec<(Edge, Vec<Mark>)>> = IdVec::new();
    let mut edge_count = 0;
    let mut next = 0;
    while next < tableau.formulas.len() {
        let edges = tableau.edges(tableau.formulas[next])?;
        edge_count += edges.len();
        if edge_count > options.max_edges {
            return Err(TooLarge::Edges { limit: options.max_edges });
        }
        promised.push(edges);
        next += 1;
    }
    if tableau.guards.overflowed() {
        return Err(tableau.guards.refusal());
    }
    // Only now is it known how many promises there are.
    let all = MarkSet::first(tableau.marks.len() as u32);
    let edges = promised.iter().map(|edges| {
        edges.iter().map(|(edge, made)| {
            let mut marks = all.clone();
            marks.subtract(&made.iter().copied().collect());
            Edge { marks, ..edge.clone() }
        })
    });
    let edges = edges.map(Iterator::collect).collect();
    let guards = if style == Style::Covered { tableau.labels } else { tableau.guards };
    let mut automaton = Automaton::over(propositions, guards, edges, StateId(0), Acceptance::all_of(&all));
    automaton.merge_edges();
    automaton.compact_guards();
    automaton.checked()
}

/// Letters, as a guard, and what they leave to be done.
type Split = Vec<(Guard, Guard)>;

struct Tableau<'a> {
    terms: &'a mut Terms,
    guards: Guards,
    /// The guards of edges, if they are products of a cover; else they are among `guards`.
    labels: Guards,
    expansions: Expansions,
    /// The expansion of each state.
    formulas: Vec<Guard>,
    state_of_formula: FastMap<TermId, StateId>,
    state_of_expansion: FastMap<Guard, StateId>,
    marks: FastMap<TermId, Mark>,
    known_splits: FastMap<Guard, Split>,
    known_duties: FastMap<Vec<TermId>, TermId>,
    steps_left: u64,
    options: &'a TranslateOptions,
}

impl Tableau<'_> {
    fn state(&mut self, formula: TermId) -> Result<StateId, TooLarge> {
        if let Some(&state) = self.state_of_formula.get(&formula) {
            return Ok(state);
        }
        let expansion = self.expansions.expand(formula, self.terms, &mut self.guards);
        if self.guards.overflowed() {
            return Err(self.guards.refusal());
        }
        let fresh = StateId::new(self.formulas.len());
        let state = *self.state_of_expansion.entry(expansion).or_insert(fresh);
        if state == fresh {
            if self.formulas.len() >= self.options.max_states || self.terms.len() > 20 * self.options.max_states {
                return Err(TooLarge::States { limit: self.options.max_states });
            }
            self.formulas.push(expansion);
        }
        self.state_of_formula.insert(formula, state);
        Ok(state)
    }

    /// The edges of an expansion, each with the promises made.
    fn edges(&mut self, expansion: Guard) -> Result<Vec<(Edge, Vec<Mark>)>, TooLarge> {
        let too_many = TooLarge::Edges { limit: self.options.max_edges };
        let mut edges = Vec::new();
        if self.expansions.style == Style::Covered {
            let cubes = self.guards.cover_within(expansion, self.options.max_edges).ok_or(too_many)?;
            for cube in cubes {
                let mut letters = Guard::TRUE;
                for &(variable, value) in cube.iter().rev() {
                    if let Duty::Now(proposition) = self.expansions.duty(variable) {
                        let test = self.labels.variable(proposition);
                        letters = match value {
                            true => self.labels.and(test, letters),
                            false => self.labels.minus(letters, test),
                        };
                    }
                }
                let (target, made) = self.choice(cube.iter().map(|&(variable, _)| variable))?;
                if target != TermId::FALSE {
                    let target = self.state(target)?;
                    edges.push((Edge { target, guard: letters, marks: MarkSet::EMPTY }, made));
                }
            }
            return Ok(edges);
        }
        for (letters, rest) in self.split(expansion) {
            let primes = self.guards.monotone_primes(rest, self.options.max_edges).ok_or(too_many)?;
            let mut choices: Vec<(TermId, Vec<Mark>)> = Vec::with_capacity(primes.len());
            for prime in primes {
                let choice = self.choice(prime.into_iter())?;
                if choice.0 != TermId::FALSE {
                    choices.push(choice);
                }
            }
            self.spend((choices.len() * choices.len().min(64)) as u64)?;
            for (target, made) in self.undominated(choices) {
                let target = self.state(target)?;
                edges.push((Edge { target, guard: letters, marks: MarkSet::EMPTY }, made));
            }
            if edges.len() > self.options.max_edges {
                return Err(too_many);
            }
        }
        Ok(edges)
    }
    fn spend(&mut self, steps: u64) -> Result<(), TooLarge> {
        safe_point();
        let refusal = TooLarge::Steps { limit: self.options.max_steps };
        self.steps_left = self.steps_left.checked_sub(steps).ok_or(refusal)?;
        Ok(())
    }
    /// What a set of duties asks of the future, and the promises it makes.
    fn choice(&mut self, duties: impl Iterator<Item = Variable>) -> Result<(TermId, Vec<Mark>), TooLarge> {
        let (mut next, mut made) = (Vec::new(), Vec::new());
        for variable in duties {
            match self.expansions.duty(variable) {
                Duty::Next(formula) => next.push(formula),
                Duty::Promise(goal) => {
                    let fresh = Mark::new(self.marks.len());
                    made.push(*self.marks.entry(goal).or_insert(fresh));
                }
                Duty::Now(_) => {}
            }
        }
        next.sort_unstable();
        self.spend(1 + next.len() as u64)?;
        if let Some(&known) = self.known_duties.get(&next) {
            return Ok((known, made));
        }
        self.spend((next.len() * next.len()) as u64)?;
        let target = self.terms.duties(next.clone());
        self.known_duties.insert(next, target);
        Ok((target, made))
    }
    /// Drops a choice if another one promises no more and asks, as far as is seen, no more of the future.
    fn undominated(&mut self, mut choices: Vec<(TermId, Vec<Mark>)>) -> Vec<(TermId, Vec<Mark>)> {
        // Quadratic; beyond this the reductions that follow have to do it.
        if choices.len() > 64 {
            return choices;
        }
        let mut kept: Vec<(TermId, Vec<Mark>)> = Vec::with_capacity(choices.len());
        for (target, made) in choices.drain(..) {
            let better = |terms: &mut Terms, a: &(TermId, Vec<Mark>), b: &(TermId, Vec<Mark>)| {
                a.1.iter().all(|mark| b.1.contains(mark)) && terms.implies(b.0, a.0)
            };
            let choice = (target, made);
            if !kept.iter().any(|other| better(self.terms, other, &choice)) {
                kept.retain(|other| !better(self.terms, &choice, other));
                kept.push(choice);
            }
        }
        kept
    }
    /// The letters of an expansion, grouped by what they leave to be done.
    fn split(&mut self, expansion: Guard) -> Split {
        if let Some(known) = self.known_splits.get(&expansion) {
            return known.clone();
        }
        let groups = match self.guards.branch(expansion) {
            Some((variable, low, high)) if variable < self.expansions.proposition_count => {
                let (low, high) = (self.split(low), self.split(high));
                let test = self.guards.variable(variable);
                let mut groups: Split = Vec::new();
                for (side, parts) in [(false, low), (true, high)] {
                    for (letters, rest) in parts {
                        let letters = match side {
                            true => self.guards.and(test, letters),
                            false => self.guards.minus(letters, test),
                        };
                        match groups.iter_mut().find(|(_, other)| *other == rest) {
                            Some((joined, _)) => *joined = self.guards.or(*joined, letters),
                            None => groups.push((letters, rest)),
                        }
                    }
                }
                groups
            }
            _ if expansion == Guard::FALSE => Vec::new(),
            _ => vec![(Guard::TRUE, expansion)],
        };
        self.known_splits.insert(expansion, groups.clone());
        groups
    }
}
