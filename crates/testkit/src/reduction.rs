//! What a partial-order reduction must keep, compared on small systems: dead ends, run-time errors, actions that can be taken,
//! letters and how they follow each other, and the truth of formulas that count no steps.

use crate::{FormulaKnobs, Rng, random_formula};
use lariat_automata::{Automaton, Edge, Guard, Guards, MarkSet, StateId, TranslateOptions, is_empty, translate};
use lariat_base::{Id, IdVec};
use lariat_logic::Propositions;
use lariat_space::{
    Ample, AutomatonObserver, Observer, Outcome, Product, Reduced, State, StateSpace, StepsByProcess, each,
};
use lariat_system::{ActionId, Fault, LabelId, LabelMeaning, System};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::ControlFlow;

/// What a search of a whole space would find.
#[derive(Default, PartialEq, Eq, Debug)]
struct Findings {
    dead_ends: BTreeSet<Vec<u64>>,
    faults: BTreeSet<Fault>,
    taken: BTreeSet<ActionId>,
    /// The observed labels of states, and of the steps between them, each with those of the state that follows. For each
    /// there is a formula that counts no steps.
    letters: BTreeSet<(u64, u64, u64)>,
}

/// A small space that reductions are compared with.
#[derive(Debug)]
pub struct Reduction<'a, S> {
    system: &'a System,
    space: &'a S,
    labels: Vec<LabelId>,
    limit: usize,
    whole: Findings,
    states: usize,
    formulas: Vec<Asked>,
}

/// A formula, and whether the whole space has a run that it asks for.
#[derive(Debug)]
struct Asked {
    text: String,
    automaton: Automaton,
    has_run: bool,
}

impl<'a, S: StepsByProcess> Reduction<'a, S> {
    /// The space of `system`, of which these labels are observed; `None` if it has more than `limit` states, or no such
    /// labels, as systems have that were made smaller.
    pub fn new(system: &'a System, space: &'a S, labels: &[LabelId], limit: usize) -> Option<Self> {
        let labels = labels.to_vec();
        if labels.iter().any(|label| label.index() >= system.labels.len()) {
            return None;
        }
        let (whole, states) = explore(space, &labels, limit)?;
        Some(Self { system, space, labels, limit, whole, states, formulas: Vec::new() })
    }

    /// Also compares the truth of some random formulas about the observed labels, which must be labels of states.
    #[must_use]
    pub fn with_formulas(mut self, count: usize, rng: &mut Rng) -> Self {
        let names: Vec<String> = self.labels.iter().map(|label| self.system.labels[*label].name.clone()).collect();
        let propositions = Propositions::named(names.iter().map(String::as_str));
        for _ in 0..count {
            let knobs =
                FormulaKnobs { operators: 5, props: names.len() as u32, steps: false, ..FormulaKnobs::default() };
            let formula = random_formula(rng.next_u64(), &knobs);
            if !formula.counts_no_steps() {
                continue;
            }
            let bad = translate(&formula, &propositions, &TranslateOptions::default()).expect("a small formula");
            let automaton = bad.over_propositions(&names);
            let Some(has_run) = has_run(self.space, self.system, &automaton, &self.labels, self.limit) else {
                continue;
            };
            self.formulas.push(Asked { text: format!("{formula:?} of {names:?}"), automaton, has_run });
        }
        self
    }

    /// How many states the whole space has.
    pub fn states(&self) -> usize {
        self.states
    }
    /// How many formulas have a run, and how many have none.
    pub fn formulas(&self) -> (usize, usize) {
        let with = self.formulas.iter().filter(|asked| asked.has_run).count();
        (with, self.formulas.len() - with)
    }

    /// Compares the space that this choice leaves: how many states it has, or what differs.
    pub fn compare(&self, ample: &Ample) -> Result<usize, String> {
        let reduced = Reduced::new(self.space, ample);
        let Some((left, states)) = explore(&reduced, &self.labels, self.states) else {
            return Err(format!("{} states, and more are left", self.states));
        };
        let Findings { dead_ends, faults, taken, letters } = &self.whole;
        let is_same = [
            ("dead ends", *dead_ends == left.dead_ends),
            ("faults", *faults == left.faults),
            ("actions taken", *taken == left.taken),
            ("letters", *letters == left.letters),
        ];
        if let Some((what, _)) = is_same.iter().find(|(_, is_same)| !is_same) {
            let (all, whole) = (self.states, &self.whole);
            return Err(format!("{what} differ: {all} states, of which {states} are left\n{whole:?}\n{left:?}"));
        }
        for Asked { text, automaton, has_run: whole } in &self.formulas {
            let kept = has_run(&reduced, self.system, automaton, &self.labels, self.limit);
            let kept = kept.expect("there are no more states than before");
            if kept != *whole {
                return Err(format!("a run for {text}: whole {whole}, reduced {kept}"));
            }
        }
        Ok(states)
    }
}

/// What there is in the space, and the number of states; `None` if there are more than `limit`.
fn explore<S: StateSpace>(space: &S, labels: &[LabelId], limit: usize) -> Option<(Findings, usize)> {
    let (mut scratch, mut labelling) = (space.scratch(), space.scratch());
    let (mut states, mut known): (Vec<Box<State>>, HashSet<Box<State>>) = (Vec::new(), HashSet::new());
    let mut add = |states: &mut Vec<Box<State>>, state: &State| {
        if !known.contains(state) {
            known.insert(state.into());
            states.push(state.into());
        }
    };
    let _ = space.initial(&mut scratch, |state| {
        add(&mut states, state);
        ControlFlow::<()>::Continue(())
    });
    let bits = |held: &dyn Fn(LabelId) -> bool| {
        labels.iter().enumerate().map(|(number, label)| u64::from(held(*label)) << number).sum::<u64>()
    };
    let mut letter = |state: &State| {
        let held = if labels.is_empty() { return 0 } else { space.labels(state, &mut labelling) };
        bits(&|label| held.contains(label))
    };
    let mut findings = Findings::default();
    let mut next = 0;
    while next < states.len() {
        let source = states[next].clone();
        let from = letter(&source);
        findings.letters.insert((from, 0, from));
        let mut listed = false;
        let _ = space.steps(
            &source,
            &mut scratch,
            each(|step| {
                listed = true;
                match step.target {
                    Outcome::State(target) => {
                        findings.taken.extend(step.via.iter().map(|by| by.action));
                        findings.letters.insert((from, bits(&|label| step.labels.contains(label)), letter(target)));
                        add(&mut states, target);
                    }
                    Outcome::Fault(fault) => drop(findings.faults.insert(fault)),
                }
                ControlFlow::<()>::Continue(())
            }),
        );
        if !listed {
            findings.dead_ends.insert(source.into_vec());
        }
        if states.len() > limit {
            return None;
        }
        next += 1;
    }
    findings.taken.extend(space.passed(&scratch).actions);
    Some((findings, states.len()))
}

/// Whether the space has a run that the automaton accepts; `None` if the product has too many states.
fn has_run<S: StateSpace>(
    space: &S,
    system: &System,
    bad: &Automaton,
    labels: &[LabelId],
    limit: usize,
) -> Option<bool> {
    let reads_steps = labels.iter().any(|label| !matches!(system.labels[*label].meaning, LabelMeaning::State(_)));
    let observer = AutomatonObserver::new(bad, labels, reads_steps);
    let product = Product::new(space, &observer, bad.mark_count(), Vec::new(), system.dead_ends);
    let mut scratch = product.scratch();
    let mut numbers: HashMap<Box<State>, StateId> = HashMap::new();
    let mut states: Vec<Box<State>> = Vec::new();
    let mut number = |states: &mut Vec<Box<State>>, state: &State| {
        *numbers.entry(state.into()).or_insert_with(|| {
            states.push(state.into());
            // State 0 is before the beginning.
            StateId::new(states.len())
        })
    };
    let mut begin = Vec::new();
    let edge = |target: StateId, marks: &MarkSet| Edge { target, guard: Guard::TRUE, marks: marks.clone() };
    let _ = product.initial(&mut scratch, |state| {
        begin.push(edge(number(&mut states, state), MarkSet::none()));
        ControlFlow::<()>::Continue(())
    });
    let mut edges: IdVec<StateId, Vec<Edge>> = IdVec::new();
    edges.push(begin);
    while edges.len() <= states.len() {
        let source = states[edges.len() - 1].clone();
        let mut list = Vec::new();
        let _ = product.steps(
            &source,
            &mut scratch,
            each(|step| {
                if let Outcome::State(target) = step.target {
                    list.push(edge(number(&mut states, target), step.marks));
                }
                ControlFlow::<()>::Continue(())
            }),
        );
        if states.len() > 4 * limit {
            return None;
        }
        edges.push(list);
    }
    let graph = Automaton::over(Vec::new(), Guards::default(), edges, StateId(0), observer.acceptance());
    Some(!is_empty(&graph))
}
