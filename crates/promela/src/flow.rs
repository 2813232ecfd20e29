//! Flow graphs: what a process does, as elements linked by "next".
//!
//! An element is a statement that is one step, a branch (`if`, `do`, or the door of a block, which has one option), the
//! end, or a jump that costs nothing (`goto`, `break`, the place where branches join). Control never rests at a jump:
//! [`Flow::arrive`] follows them. An option that begins with a branch offers what that branch offers, so control passes
//! from the outer branch right to a step inside the inner one. An `else` waits for the steps that are offered before it:
//! it is the last option of its own branch, but options of an outer branch may follow.
//!
//! Whether a process keeps control after a step is decided on the way to the next element: it does if the step and
//! every element on the way, the last one included, belong to one `atomic` (or one `d_step`). The door of an `atomic`
//! lies outside it, so a jump to its label leaves it.

use crate::check::Basic;
use lariat_base::{IdVec, Span, define_id};

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
    /// Where control begins; may be a jump.
    pub start: ElementId,
    /// The closing brace.
    pub end: ElementId,
    /// The labels and what they stand before; may be jumps.
    pub labels: Vec<(String, ElementId)>,
    /// The doors of the `d_step`s.
    pub d_steps: IdVec<DStepId, ElementId>,
}

/// One element.
#[derive(Clone, Debug)]
pub struct Element {
    /// What it is.
    pub kind: ElementKind,
    /// What follows. Nothing follows the end; a branch goes on with its options.
    pub next: Option<ElementId>,
    /// The outermost `atomic` it is in, by number.
    pub atomic: Option<u32>,
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
}

/// What an element is.
#[derive(Clone, Debug)]
pub enum ElementKind {
    /// A step.
    Basic(Basic),
    /// A choice between what these elements lead to.
    Branch(Vec<ElementId>),
    /// Nothing: control goes on at once.
    Jump,
    /// The closing brace.
    End,
}

/// Where control comes to rest.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Arrival {
    /// At this element: no jump.
    pub element: ElementId,
    /// Control stays inside the `d_step` that the last step was in.
    pub inside_d_step: bool,
    /// Control stays with the process.
    pub keeps_control: bool,
}

/// A step that can be taken at some place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Offer {
    /// No jump and no branch.
    pub step: ElementId,
    /// The escape it belongs to. As long as an escape can be taken, nothing behind it in the list can.
    pub escape: Option<ElementId>,
}

impl Flow {
    /// Where control rests when it is sent to `element` from outside of everything; `None` if it goes round for ever.
    pub fn rest(&self, element: ElementId) -> Option<ElementId> {
        self.follow(element, |_| {})
    }

    /// Where control rests after the step `from`, which is no jump and has a `next`.
    pub fn arrive(&self, from: ElementId) -> Arrival {
        let source = &self.elements[from];
        let (mut same_atomic, mut same_d_step) = (source.atomic.is_some(), source.d_step.is_some());
        let next = source.next.expect("every step is followed by something");
        let element = self
            .follow(next, |element| {
                same_atomic &= element.atomic == source.atomic;
                same_d_step &= element.d_step == source.d_step;
            })
            .expect("checked flow graphs have no empty loops");
        Arrival { element, inside_d_step: same_d_step, keeps_control: same_atomic || same_d_step }
    }

    /// The steps that can be taken when control rests at `element`: first those of the escapes, the outermost `unless`
    /// first, then the others, in the order of the text. Inside a `d_step` nothing escapes.
    pub fn offers_at(&self, element: ElementId, inside_d_step: bool) -> Vec<Offer> {
        let mut offers = Vec::new();
        let mut escapes = Vec::new();
        self.collect_offers(element, None, &mut escapes, &mut offers);
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
        escapes: &mut Vec<ElementId>,
        offers: &mut Vec<Offer>,
    ) {
        let rest = |option| self.rest(option).expect("checked flow graphs have no empty loops");
        // What may interrupt the first step of an escape does so only once the escape has begun.
        let ways_out = if escape.is_none() { self.elements[element].escapes.as_slice() } else { &[] };
        for &way_out in ways_out.iter().rev() {
            if !escapes.contains(&way_out) {
                escapes.push(way_out);
                self.collect_offers(rest(way_out), Some(way_out), escapes, offers);
            }
        }
        match &self.elements[element].kind {
            ElementKind::Branch(options) => {
                options.iter().for_each(|&option| self.collect_offers(rest(option), escape, escapes, offers));
            }
            _ => offers.push(Offer { step: element, escape }),
        }
    }

    fn follow(&self, start: ElementId, mut see: impl FnMut(&Element)) -> Option<ElementId> {
        let mut at = start;
        for _ in 0..=self.elements.len() {
            let element = &self.elements[at];
            see(element);
            match element.kind {
                ElementKind::Jump => at = element.next?,
                _ => return Some(at),
            }
        }
        None
    }
}
