//! Never claims as automata.
//!
//! A state of the automaton is a place where the control of the claim rests, one for one, and an edge is a statement
//! that is offered there: nothing is reduced, so that the pairs of a state of the system and one of the automaton are
//! those that SPIN stores. Edges that leave a place with an `accept` label carry the one mark; the closing brace is a
//! state that accepts everything, since a claim that gets there is violated.
//!
//! What a claim does without resting, an `atomic` or `d_step`, it does while one letter is read: it becomes one edge, for
//! the letters on which all of it can be done. An `atomic` that blocks ends the run of the claim. A `d_step` that blocks
//! is an error of the claim in SPIN; here it is a violation, and so is an assertion that fails. Control goes on behind it,
//! as it does in SPIN when all errors are asked for.

use crate::check::{Basic, Claim, Ex};
use crate::flow::{ElementId, ElementKind, Flow, Offer};
use lariat_automata::{Acceptance, Automaton, Edge, Guard, Guards, MarkSet, StateId};
use lariat_base::{Diagnostic, Id, IdVec};
use std::collections::HashMap;

/// The most statements that are looked at, all ways through atomic sequences counted.
const MAX_STEPS: usize = 200_000;

/// The automaton of a claim. Its propositions are those of the claim.
pub(crate) fn automaton(claim: &Claim) -> Result<Automaton, Diagnostic> {
    let flow = &claim.flow;
    let mut builder = Builder {
        flow,
        guards: claim.guards.clone(),
        places: Vec::new(),
        numbers: HashMap::new(),
        steps_left: MAX_STEPS,
    };
    builder.number(flow.rest(flow.start).expect("checked flow graphs have no empty loops"));
    let mut edges = IdVec::<StateId, Vec<Edge>>::new();
    while let Some(&place) = builder.places.get(edges.len()) {
        edges.push(builder.edges(place));
        if builder.steps_left == 0 || builder.guards.overflowed() {
            let message = format!("the claim `{}` is too large", claim.name);
            let help = "let conditions of atomic sequences mention fewer variables";
            return Err(Diagnostic::error(claim.span, "A0204", message).help(help));
        }
    }
    let state_names = builder.places.iter().map(|&place| name(flow, place)).collect();
    let (guards, propositions) = (builder.guards, claim.propositions.clone());
    let automaton = Automaton::over(propositions, guards, edges, StateId::new(0), Acceptance::buchi());
    Ok(Automaton { name: Some(claim.name.clone()), state_names, ..automaton })
}

struct Builder<'a> {
    flow: &'a Flow,
    guards: Guards,
    /// The places that are states, by their numbers.
    places: Vec<ElementId>,
    numbers: HashMap<ElementId, StateId>,
    steps_left: usize,
}

/// Where the claim is while a letter is read: at an element, inside a `d_step` or not.
type ClaimPlace = (ElementId, bool);

/// What can be reached while one letter is read, and on which letters.
struct Reached {
    /// Places where control rests, in the order in which they are met.
    resting: Vec<(ElementId, Guard)>,
    /// Places inside an atomic sequence, and which of them are to be looked at again.
    passing: HashMap<ClaimPlace, Guard>,
    waiting: Vec<ClaimPlace>,
    violated: Guard,
}

impl Builder<'_> {
    fn number(&mut self, place: ElementId) -> StateId {
        *self.numbers.entry(place).or_insert_with(|| {
            self.places.push(place);
            StateId::new(self.places.len() - 1)
        })
    }

    /// The edges that leave a place.
    fn edges(&mut self, place: ElementId) -> Vec<Edge> {
        if place == self.flow.end {
            return vec![Edge { target: self.number(place), guard: Guard::TRUE, marks: MarkSet::first(1) }];
        }
        let marks = if self.is_accepting(place) { MarkSet::first(1) } else { MarkSet::EMPTY };
        let mut edges = Vec::new();
        for (offer, guard) in self.offers(place, false) {
            let (resting, waiting) = (Vec::new(), Vec::new());
            let mut reached = Reached { resting, passing: HashMap::new(), waiting, violated: Guard::FALSE };
            self.take(offer, guard, &mut reached);
            while let Some(place) = reached.waiting.pop() {
                self.pass(place, &mut reached);
            }
            let violated = (self.flow.end, reached.violated);
            for (place, guard) in reached.resting.into_iter().chain([violated]) {
                if guard != Guard::FALSE {
                    edges.push(Edge { target: self.number(place), guard, marks: marks.clone() });
                }
            }
        }
        edges
    }

    /// Goes on from a place inside an atomic sequence, while the same letter is read.
    fn pass(&mut self, place: ClaimPlace, reached: &mut Reached) {
        let (element, inside_d_step) = place;
        let here = reached.passing[&place];
        let mut blocked = here;
        for (offer, guard) in self.offers(element, inside_d_step) {
            blocked = self.guards.minus(blocked, guard);
            let guard = self.guards.and(here, guard);
            self.take(offer, guard, reached);
        }
        if inside_d_step {
            reached.violated = self.guards.or(reached.violated, blocked);
        }
    }

    /// Takes a step on the letters of `guard`.
    fn take(&mut self, step: ElementId, guard: Guard, reached: &mut Reached) {
        self.steps_left = self.steps_left.saturating_sub(1);
        if guard == Guard::FALSE || self.steps_left == 0 || self.guards.overflowed() {
            return;
        }
        if let ElementKind::Basic(Basic::Watch { demand, .. }) = self.flow.elements[step].kind {
            let failed = self.guards.minus(guard, demand);
            reached.violated = self.guards.or(reached.violated, failed);
        }
        if step == self.flow.end {
            reached.resting.push((step, guard));
            return;
        }
        let arrival = self.flow.arrive(step);
        if arrival.keeps_control {
            let place = (arrival.element, arrival.inside_d_step);
            let known = reached.passing.entry(place).or_insert(Guard::FALSE);
            let wider = self.guards.or(*known, guard);
            if wider != *known {
                *known = wider;
                reached.waiting.push(place);
            }
        } else {
            let known = reached.resting.iter().position(|(place, _)| *place == arrival.element);
            match known {
                Some(at) => reached.resting[at].1 = self.guards.or(reached.resting[at].1, guard),
                None => reached.resting.push((arrival.element, guard)),
            }
        }
    }

    /// The steps that control can take at an element, each with the letters on which it can.
    fn offers(&mut self, element: ElementId, inside_d_step: bool) -> Vec<(ElementId, Guard)> {
        let offers = self.flow.offers_at(element, inside_d_step);
        let mut possible: Vec<(Offer, Guard)> = Vec::new();
        for offer in offers {
            let step = &self.flow.elements[offer.step];
            // An `else` waits for all that is offered before it. An escape keeps back what does not belong to it, and
            // in a `d_step` the first that can be taken is.
            let is_else = matches!(step.kind, ElementKind::Basic(Basic::Else));
            let mut guard = self.own_guard(offer.step);
            for (other, theirs) in &possible {
                let first_of_d_step = step.d_step.is_some() && self.flow.elements[other.step].d_step == step.d_step;
                if is_else || first_of_d_step || other.comes_before(&offer) {
                    guard = self.guards.minus(guard, *theirs);
                }
            }
            possible.push((offer, guard));
        }
        possible.into_iter().map(|(offer, guard)| (offer.step, guard)).collect()
    }

    fn own_guard(&self, step: ElementId) -> Guard {
        match &self.flow.elements[step].kind {
            ElementKind::Basic(Basic::Watch { guard, .. }) => *guard,
            ElementKind::Basic(Basic::Else | Basic::Condition(Ex::Const(1))) => Guard::TRUE,
            ElementKind::End | ElementKind::Jump | ElementKind::Join => Guard::TRUE,
            other => unreachable!("a claim that only watches has no step {other:?}"),
        }
    }

    /// Whether the place has an `accept` label. One at the front of an option belongs to where the option is offered.
    fn is_accepting(&self, place: ElementId) -> bool {
        let labels = self.flow.labels.iter().filter(|(label, _)| label.starts_with("accept"));
        let offers = self.flow.offers_at(place, false);
        labels.filter_map(|&(_, at)| self.flow.rest(at).map(|labelled| (at, labelled))).any(|(at, labelled)| {
            let begins_option =
                || self.flow.begun_with(at).any(|outer| outer == place) && !self.flow.rests_at(labelled);
            labelled == place || offers.iter().any(|offer| offer.step == labelled) || begins_option()
        })
    }
}

/// What people call a place: by its label.
fn name(flow: &Flow, place: ElementId) -> Option<String> {
    if place == flow.end {
        return Some("the end".to_owned());
    }
    flow.labels.iter().find(|&&(_, at)| flow.rest(at) == Some(place)).map(|(label, _)| label.clone())
}
