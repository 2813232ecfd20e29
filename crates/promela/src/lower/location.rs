//! Locations: where control can rest, numbered from 0.
//!
//! Inside a `d_step` a location is kept apart from the same element reached from outside: there it is an error to block,
//! here it is not.
//!
//! A silent element inside an `atomic` is a location only where something can happen before it is taken. Elsewhere
//! nobody could see the difference, and it is taken together with the step before: that saves an action.

use super::points_to::PointsTo;
use crate::check::{Basic, Checked, Proc};
use crate::flow::{Arrival, ElementId, ElementKind, Flow, Offer};
use std::collections::{HashMap, HashSet};

/// A place where control can rest.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Location {
    /// Where control rests; silent only inside an `atomic`.
    pub(super) element: ElementId,
    /// Reached by a step of the same `d_step`.
    pub(super) inside_d_step: bool,
}

impl From<Arrival> for Location {
    fn from(arrival: Arrival) -> Self {
        Self { element: arrival.element, inside_d_step: arrival.inside_d_step }
    }
}

/// The locations of one process type.
#[derive(Debug)]
pub(super) struct Locations {
    pub(super) list: Vec<Location>,
    numbers: HashMap<Location, i64>,
    end: i64,
    /// The silent elements at which something can happen before they are taken.
    exposed: HashSet<ElementId>,
}

impl Locations {
    /// The locations that control can reach, in the order in which they are found from the start; the closing brace is
    /// always among them.
    pub(super) fn new(flow: &Flow, exposed: HashSet<ElementId>) -> Self {
        let mut locations = Self { list: Vec::new(), numbers: HashMap::new(), end: 0, exposed };
        let start = flow.rest(flow.start).expect("checked flow graphs have no empty loops");
        locations.add(Location { element: start, inside_d_step: false });
        let mut next = 0;
        while next < locations.list.len() {
            let at = locations.list[next];
            next += 1;
            let offers = flow.offers_at(at.element, at.inside_d_step);
            for offer in offers.into_iter().filter(|offer| offer.step != flow.end) {
                let arrival = locations.arrive(flow, offer.step);
                locations.add(arrival.into());
            }
        }
        locations.end = locations.add(Location { element: flow.end, inside_d_step: false });
        locations
    }

    /// The locations of a process type. A process can be interrupted at a silent element by a higher priority, by its
    /// `provided` clause or by an escape, and it loses control there if it came by a rendezvous.
    pub(super) fn of_proc(model: &Checked, points_to: &PointsTo, proc: &Proc) -> Self {
        let flow = &proc.flow;
        let anywhere = model.uses_priorities || proc.provided.is_some();
        let silent = flow.elements.ids().filter(|&id| flow.is_silent(id));
        let mut exposed: HashSet<ElementId> =
            silent.filter(|&id| anywhere || !flow.elements[id].escapes.is_empty()).collect();
        for (id, element) in flow.elements.entries() {
            let ElementKind::Basic(Basic::Send { channel, .. }) = &element.kind else { continue };
            let channels = points_to.of(channel);
            if channels.into_iter().any(|channel| model.channels[channel].capacity == 0) {
                exposed.insert(flow.arrive(id).element);
            }
        }
        Self::new(flow, exposed)
    }

    /// Where control rests after a step.
    pub(super) fn arrive(&self, flow: &Flow, step: ElementId) -> Arrival {
        let mut arrival = flow.arrive(step);
        while flow.is_silent(arrival.element) && !self.exposed.contains(&arrival.element) {
            arrival = flow.arrive(arrival.element);
        }
        arrival
    }

    fn add(&mut self, location: Location) -> i64 {
        let number = self.list.len() as i64;
        *self.numbers.entry(location).or_insert_with(|| {
            self.list.push(location);
            number
        })
    }

    /// The number of a location that control can reach.
    pub(super) fn number(&self, location: Location) -> i64 {
        self.numbers[&location]
    }

    /// The closing brace.
    pub(super) fn end(&self) -> i64 {
        self.end
    }

    /// The locations that have a label beginning with `prefix`.
    pub(super) fn with_labels(&self, flow: &Flow, prefix: &str) -> Vec<i64> {
        let mut found: Vec<i64> = flow
            .labels
            .iter()
            .filter(|(label, _)| label.starts_with(prefix))
            .flat_map(|&(_, element)| self.of_element(flow, element))
            .collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The same; but where control does not rest at a label, because an option begins with it, the label belongs to where
    /// the option is offered, as in SPIN.
    pub(super) fn offering_labels(&self, flow: &Flow, prefix: &str) -> Vec<i64> {
        let mut found = self.with_labels(flow, prefix);
        for (_, element) in flow.labels.iter().filter(|(label, _)| label.starts_with(prefix)) {
            if self.of_element(flow, *element).is_some() {
                continue;
            }
            let Some(labelled) = flow.rest(*element) else { continue };
            // The label of a block, or of a choice within the choice, stands before each of its first steps.
            let first_steps = flow.offers_at(labelled, false);
            let is_labelled = |offer: &Offer| first_steps.iter().any(|first| first.step == offer.step);
            let offers = |at: &Location| flow.offers_at(at.element, at.inside_d_step).iter().any(is_labelled);
            let places = self.list.iter().enumerate().filter(|(_, at)| offers(at));
            found.extend(places.map(|(number, _)| number as i64));
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Where control rests when it is at `element`; nothing if it never gets there.
    pub(super) fn of_element(&self, flow: &Flow, element: ElementId) -> Option<i64> {
        let element = flow.rest(element)?;
        self.numbers.get(&Location { element, inside_d_step: false }).copied()
    }
}
