//! Flow graphs: what a process does, as elements linked by "next".
//!
//! An element is a statement that is one step, a branch (`if`, `do`, or the door of a block, which has one option), the
//! end, or silent: a jump (`goto`, `break`, the end of a loop) or a join, where options meet. Silent elements cost
//! nothing: [`Flow::arrive`] follows them. An option that begins with a branch offers what that branch offers, so control
//! passes from the outer branch right to a step inside the inner one. An `else` waits for the steps that are offered
//! before it: it is the last option of its own branch, but options of an outer branch may follow.
//!
//! A process keeps control after an element if both the element and what follows it stand inside an `atomic`, which need
//! not be the same one. The door of an `atomic` lies outside it, so a jump to its label gives control up, and a jump to a
//! label in the middle does not. A silent element behind which control is given up is a place of its own, still inside
//! the `atomic`: there the process can be interrupted, by an escape or a higher priority for instance, before it goes on.
//! So is one right in front of the last statement of an `atomic`. All this is SPIN's rule.

use crate::check::Basic;
use lariat_base::{IdVec, Span, define_id, safe_point};
use std::collections::{HashMap, HashSet};

define_id! {
    /// An element of a flow graph.
    ElementId
}
define_id! {
    /// A `d_step` of a flow graph.
    DStepId
}

/// What one process type does.
#[derive(Clone, Debug)]
pub struct Flow {
    /// The elements.
    pub elements: IdVec<ElementId, Element>,
    /// Where control begins; may be silent.
    pub start: ElementId,
    /// The closing brace.
    pub end: ElementId,
    /// The labels and what they stand before; may be silent.
    pub labels: Vec<(String, ElementId)>,
    /// The doors of the `d_step`s.
    pub d_steps: IdVec<DStepId, ElementId>,
    /// The branch of which an element is an option: a choice, or the door of the block that begins with it.
    pub begins: HashMap<ElementId, ElementId>,
    /// The doors of blocks that are no `d_step`.
    pub doors: HashSet<ElementId>,
}

/// One element.
#[derive(Clone, Debug)]
pub struct Element {
    /// What it is.
    pub kind: ElementKind,
    /// What follows. Nothing follows the end; a branch goes on with its options.
    pub next: Option<ElementId>,
    /// Whether it stands inside an `atomic`.
    pub atomic: bool,
    /// Whether the process keeps control behind it: behind a step or a silent element, behind the whole of a `d_step` if it
    /// is the door of one, and inside any other branch.
    pub keeps_control: bool,
    /// The `d_step` it is in.
    pub d_step: Option<DStepId>,
    /// What may interrupt it: the escapes of the `unless` statements around it, the innermost first.
    pub escapes: Vec<ElementId>,
    /// The statement as its author would recognise it.
    pub text: String,
    /// The number SPIN gives to it, by which a `.trail` names it; `None` if SPIN has no such element.
    pub number: Option<u32>,
    /// Where.
    pub span: Span,
    /// Of a statement inside an `inline`: where that is called, in the text of the process.
    pub called_at: Span,
}

/// What an element is.
#[derive(Clone, Debug)]
pub enum ElementKind {
    /// A step.
    Basic(Basic),
    /// A choice between what these elements lead to.
    Branch(Vec<ElementId>),
    /// A `goto`, a `break`, or the place behind a loop: control goes on at once.
    Jump,
    /// Where options meet: control goes on at once. No escape is taken from here.
    Join,
    /// The closing brace.
    End,
}

/// Where control comes to rest.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Arrival {
    /// At this element. It is silent only if control stays with the process up to here, but not behind the next element.
    pub element: ElementId,
    /// Control stays inside the `d_step` that the last step was in.
    pub inside_d_step: bool,
    /// Control stays with the process.
    pub keeps_control: bool,
}

/// A step that can be taken at some place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Offer {
    /// No branch; silent only where control rests at a silent element.
    pub step: ElementId,
    /// The escape it belongs to.
    pub escape: Option<ElementId>,
    /// The escapes that come before it: as long as one of them can be taken, it cannot. Those of other options do not count.
    after: Vec<ElementId>,
}

impl Offer {
    /// Whether the other one can be taken only if this one cannot.
    pub fn comes_before(&self, other: &Offer) -> bool {
        self.escape.is_some_and(|escape| other.after.contains(&escape))
    }
}

impl Flow {
    /// Whether a condition mentions `timeout`.
    pub(crate) fn mentions_timeout(&self) -> bool {
        let waits = |kind: &ElementKind| matches!(kind, ElementKind::Basic(Basic::Condition(condition)) if condition.mentions_timeout());
        self.elements.iter().any(|element| waits(&element.kind))
    }

    /// The choices and blocks that begin with the element, the innermost first. Control often rests there and not at the element.
    pub fn begun_with(&self, element: ElementId) -> impl Iterator<Item = ElementId> {
        std::iter::successors(self.begins.get(&element).copied(), |branch| self.begins.get(branch).copied())
    }

    /// Where control can rest right before the statement at `element`, without a choice: there, and at the doors of the blocks that
    /// begin with it.
    pub fn right_before(&self, element: ElementId) -> impl Iterator<Item = ElementId> {
        let doors = self.begun_with(element).take_while(|branch| self.doors.contains(branch));
        self.rest(element).into_iter().chain(doors)
    }

    /// Whether control can rest at the element.
    pub fn rests_at(&self, wanted: ElementId) -> bool {
        let mut known: HashSet<(ElementId, bool)> = HashSet::new();
        let mut open: Vec<(ElementId, bool)> = self.rest(self.start).map(|start| (start, false)).into_iter().collect();
        while let Some((element, inside_d_step)) = open.pop() {
            safe_point();
            if !known.insert((element, inside_d_step)) {
                continue;
            }
            if element == wanted && !inside_d_step {
                return true;
            }
            let offers = self.offers_at(element, inside_d_step);
            let steps = offers.into_iter().map(|offer| offer.step).filter(|&step| step != self.end);
            open.extend(steps.map(|step| self.arrive(step)).map(|arrival| (arrival.element, arrival.inside_d_step)));
        }
        false
    }

    /// Where control rests when it is sent to `element` from outside of everything; `None` if it goes round for ever.
    pub fn rest(&self, element: ElementId) -> Option<ElementId> {
        self.follow(element, false)
    }

    /// Where control rests after the step `from`, which has a `next`.
    pub fn arrive(&self, from: ElementId) -> Arrival {
        safe_point();
        let source = &self.elements[from];
        let mut next = source.next.expect("every step is followed by something");
        let mut holder = from;
        if let Some(d_step) = source.d_step {
            let is_inside = |at: ElementId| self.elements[at].d_step == Some(d_step);
            while is_inside(next) && self.is_silent(next) {
                next = self.elements[next].next.expect(NO_EMPTY_LOOPS);
            }
            if is_inside(next) {
                return Arrival { element: next, inside_d_step: true, keeps_control: true };
            }
            holder = self.d_steps[d_step];
        }
        let keeps_control = self.elements[holder].keeps_control;
        let element = self.follow(next, keeps_control).expect(NO_EMPTY_LOOPS);
        Arrival { element, inside_d_step: false, keeps_control }
    }

    /// Whether the element costs nothing.
    pub fn is_silent(&self, element: ElementId) -> bool {
        matches!(self.elements[element].kind, ElementKind::Jump | ElementKind::Join)
    }

    /// The steps that can be taken when control rests at `element`: first those of the escapes, the outermost `unless`
    /// first, then the others, in the order of the text. Inside a `d_step` nothing escapes.
    pub fn offers_at(&self, element: ElementId, inside_d_step: bool) -> Vec<Offer> {
        let mut offers = Vec::new();
        self.collect_offers(element, None, &[], &mut offers);
        if inside_d_step {
            offers.retain(|offer| offer.escape.is_none());
        }
        offers.sort_by_key(|offer| offer.escape.is_none());
        offers
    }

    /// The number by which a trail names a step: one inside a `d_step` goes by the number of that.
    pub fn trail_number(&self, step: ElementId) -> Option<u32> {
        let element = &self.elements[step];
        element.d_step.map_or(element.number, |d_step| self.elements[self.d_steps[d_step]].number)
    }

    fn collect_offers(
        &self,
        element: ElementId,
        escape: Option<ElementId>,
        after: &[ElementId],
        offers: &mut Vec<Offer>,
    ) {
        safe_point();
        let mut after = after.to_vec();
        // What may interrupt the first step of an escape does so only once the escape has begun.
        let ways_out = if escape.is_none() { self.elements[element].escapes.as_slice() } else { &[] };
        for &way_out in ways_out.iter().rev() {
            if !after.contains(&way_out) {
                let first = self.follow(way_out, self.elements[self.first_step(element)].keeps_control);
                self.collect_offers(first.expect(NO_EMPTY_LOOPS), Some(way_out), &after, offers);
                after.push(way_out);
            }
        }
        match &self.elements[element].kind {
            ElementKind::Branch(options) => options.iter().for_each(|&option| {
                self.collect_offers(self.rest(option).expect(NO_EMPTY_LOOPS), escape, &after, offers);
            }),
            _ => offers.push(Offer { step: element, escape, after }),
        }
    }

    /// The first step of the first option, and so on.
    fn first_step(&self, element: ElementId) -> ElementId {
        let mut at = element;
        while let ElementKind::Branch(options) = &self.elements[at].kind
            && let Some(&first) = options.first()
        {
            at = self.rest(first).expect(NO_EMPTY_LOOPS);
        }
        at
    }

    /// Follows silent elements from `start`; when a process that keeps control does so, up to the one behind which it would
    /// give it up.
    fn follow(&self, start: ElementId, keeps_control: bool) -> Option<ElementId> {
        safe_point();
        let mut at = start;
        for _ in 0..=self.elements.len() {
            if !self.is_silent(at) {
                return Some(at);
            }
            let next = self.elements[at].next?;
            if keeps_control && !self.elements[next].keeps_control {
                return Some(at);
            }
            at = next;
        }
        None
    }
}

const NO_EMPTY_LOOPS: &str = "checked flow graphs have no empty loops";
