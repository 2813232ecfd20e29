//! Saturation (Ciardo, Lüttgen, Siminiceanu, TACAS 2001): all that can be reached by events, by going through the diagram from the
//! bottom.
//!
//! An event is a relation that leaves everything above its topmost variable as it is. So what events reach from a set that lie below
//! a variable is found apart for its two values, and kept for every set that has these parts. Only when nothing new is found
//! below are the events of the variable itself followed, and again those below after each of them: as van Dijk, Meijer and
//! van de Pol do on decision diagrams of two values (TACAS 2019). Backwards, ways may be confined to a set, whose parts are taken
//! along (Zhao, Ciardo, ATVA 2009).
//!
//! A pass may become long. It is cut where there are too many nodes, or if the run is to stop; what it has found by then is some of
//! what can be reached. Nothing unfinished is kept.

use super::follow::{Edge, Kept, Table, Transition, constant, joined, level, parts, product};
use super::{Diagram, Diagrams, EVENT_OPERATIONS};
use lariat_branching::{Slip, slips};
use lariat_engine::Shortfall;
use oxidd::util::AllocResult;
use oxidd::{BooleanFunction, Function, Manager, ManagerRef};
use oxidd_core::util::{EdgeDropGuard, Own, Ref};
use oxidd_core::{ApplyCache, HasApplyCache};
use oxidd_rules_bdd::simple::BDDOp;
use std::cell::Cell;

/// Limits are looked at once for so many calls.
const CALLS_PER_LOOK: u32 = 1 << 10;

/// Events, ready to be followed.
pub(crate) struct Events {
    /// By topmost level, ascending.
    sorted: Vec<(u32, Transition)>,
    /// For each event the first one with a lower topmost level.
    next: Vec<usize>,
    /// Results that begin with event `n` are kept under this number and `n`.
    number: u32,
    /// How often variables had been reordered by then.
    reorderings: u64,
}

impl Diagrams {
    /// Events made of these relations.
    pub(crate) fn events(&self, relations: Vec<Transition>) -> Events {
        let number = self.events.get();
        self.events.set(number.wrapping_add(relations.len() as u32 + 1));
        let top = |event: &Transition| {
            self.manager.with_manager_shared(|table| {
                let of = |function: &Diagram| level(table, function.as_edge(table));
                // A variable afterwards stands below that of now.
                of(&event.relation).min(of(&event.written))
            })
        };
        let mut sorted: Vec<(u32, Transition)> = relations.into_iter().map(|event| (top(&event), event)).collect();
        sorted.sort_by_key(|(top, _)| *top);
        let next = (0..sorted.len()).map(|place| sorted.partition_point(|(top, _)| *top <= sorted[place].0)).collect();
        Events { sorted, next, number, reorderings: self.figures().reorderings }
    }
    /// Whether variables were reordered since the events were made: then they must be made anew.
    pub(crate) fn are_stale(&self, events: &Events) -> bool {
        events.reorderings != self.figures().reorderings
    }

    /// What events lead to from the set, the set included; or some of it, and then `false`. Beside it the number of times that an
    /// event was followed.
    pub(crate) fn saturate(&self, set: &Diagram, events: &Events) -> Result<(Diagram, bool, u64), Shortfall> {
        let all = self.make(|| Ok(self.manager.with_manager_shared(|table| Diagram::t(table))))?;
        self.saturate_within(set, &all, events)
    }
    /// The same through states of `within` only.
    pub(crate) fn saturate_within(
        &self,
        set: &Diagram,
        within: &Diagram,
        events: &Events,
    ) -> Result<(Diagram, bool, u64), Shortfall> {
        self.saturated::<false>(set, within, events)
    }
    /// From where events lead into the set through states of `within`, the set included; or some of it.
    pub(crate) fn saturate_back(
        &self,
        set: &Diagram,
        within: &Diagram,
        events: &Events,
    ) -> Result<(Diagram, bool, u64), Shortfall> {
        self.saturated::<true>(set, within, events)
    }

    fn saturated<const BACK: bool>(
        &self,
        set: &Diagram,
        within: &Diagram,
        events: &Events,
    ) -> Result<(Diagram, bool, u64), Shortfall> {
        let stop = Cell::new(None);
        let followed = Cell::new(0);
        let before = self.operations.get() + 1;
        let (found, is_whole) = self.make(|| {
            self.manager.with_manager_shared(|table| {
                let watch = || {
                    // What was followed is work done, whether it led to nodes or not.
                    self.operations.set(before + followed.get() * EVENT_OPERATIONS);
                    self.check(table.num_inner_nodes())
                };
                let most_nodes = self.collect_above.get().max(table.num_inner_nodes() + self.collect_above.get() / 4);
                let pass = Pass {
                    table,
                    events,
                    most_nodes: most_nodes.min(self.capacity.nodes / 10 * 9),
                    watch: &watch,
                    calls: Cell::new(0),
                    followed: &followed,
                    is_cut: Cell::new(false),
                    stop: &stop,
                };
                let found = pass.closed::<BACK>(set.as_edge(table), within.as_edge(table), 0)?;
                Ok((Diagram::from_edge(table, found), !pass.is_cut.get()))
            })
        })?;
        self.operations.set(before + followed.get() * EVENT_OPERATIONS);
        stop.get().map_or(Ok((found, is_whole, followed.get())), Err)
    }
}

/// One pass through a diagram.
struct Pass<'p, 'id: 'p> {
    table: &'p Table<'id>,
    events: &'p Events,
    most_nodes: usize,
    watch: &'p dyn Fn() -> Result<(), Shortfall>,
    calls: Cell<u32>,
    followed: &'p Cell<u64>,
    is_cut: Cell<bool>,
    /// Why the run is to stop.
    stop: &'p Cell<Option<Shortfall>>,
}

impl<'id> Pass<'_, 'id> {
    /// What events from number `first` on lead to from the set, or from where they lead into it, through `within`.
    fn closed<const BACK: bool>(
        &self,
        set: Ref<'_, Edge<'id>>,
        within: Ref<'_, Edge<'id>>,
        first: usize,
    ) -> AllocResult<Own<Edge<'id>>> {
        let table = self.table;
        if set == within
            || constant(table, set).is_some()
            || constant(table, within) == Some(false)
            || first == self.events.sorted.len()
            || self.is_to_end()
        {
            return Ok(table.clone_edge(set));
        }
        let key = ([set, within], [self.events.number.wrapping_add(first as u32)]);
        let operator = if BACK { BDDOp::UniqueXor } else { BDDOp::UniqueNand };
        if let Some(([known], [])) = table.apply_cache().get_extended::<1, 0>(table, operator, (&key.0, &key.1)) {
            return Ok(known);
        }
        let event_level = self.events.sorted[first].0;
        let at = level(table, set).min(level(table, within));
        let found = match at < event_level {
            true => {
                let ((high, low), (high_within, low_within)) = (parts(table, set, at), parts(table, within, at));
                let high = self.keep(self.closed::<BACK>(high, high_within, first)?);
                let low = self.keep(self.closed::<BACK>(low, low_within, first)?);
                joined(table, at, high, low)?
            }
            false => self.at_events::<BACK>(set, within, first)?,
        };
        if !self.is_cut.get() {
            table.apply_cache().add_extended(table, operator, (&key.0, &key.1), (&[found.borrowed()], &[]));
        }
        Ok(found)
    }

    /// The same where the event of this number may change the topmost variable.
    fn at_events<const BACK: bool>(
        &self,
        set: Ref<'_, Edge<'id>>,
        within: Ref<'_, Edge<'id>>,
        first: usize,
    ) -> AllocResult<Own<Edge<'id>>> {
        let (table, below) = (self.table, self.events.next[first]);
        let mut found = self.keep(self.closed::<BACK>(set, within, below)?);
        loop {
            let before = self.keep(table.clone_edge(found.borrowed()));
            let lost = usize::from(slips(Slip::EventLost));
            for (_, event) in &self.events.sorted[first + lost..below] {
                if self.is_cut.get() {
                    break;
                }
                self.followed.set(self.followed.get() + 1);
                let (relation, written) = (event.relation.as_edge(table), event.written.as_edge(table));
                let more = self.keep(product::<BACK>(table, found.borrowed(), relation, written)?);
                let more = self.keep(Diagram::and_edge(table, more.borrowed(), within)?);
                let grown = self.keep(Diagram::or_edge(table, found.borrowed(), more.borrowed())?);
                if *grown != *found {
                    found = self.keep(self.closed::<BACK>(grown.borrowed(), within, below)?);
                }
            }
            if *found == *before || self.is_cut.get() {
                return Ok(found.into_edge());
            }
        }
    }

    fn keep(&self, edge: Own<Edge<'id>>) -> Kept<'_, 'id> {
        EdgeDropGuard::new(self.table, edge)
    }

    /// Whether the pass is to end, finished or not.
    fn is_to_end(&self) -> bool {
        let calls = self.calls.replace(self.calls.get().wrapping_add(1));
        if calls.is_multiple_of(CALLS_PER_LOOK) && !self.is_cut.get() {
            let stop = (self.watch)().err();
            self.stop.set(stop);
            self.is_cut.set(stop.is_some() || self.table.num_inner_nodes() > self.most_nodes);
        }
        self.is_cut.get()
    }
}
