//! Scouts: short depth-first searches that a long search sends out for failures that lie deep.
//!
//! A search level by level meets shallow failures first, with the shortest runs to them. What lies hundreds of steps deep it
//! meets late or never, and a depth-first search often runs straight into it. So once the search has done some work it
//! pauses and sends out scouts, each of which goes depth first in an order of its own, with a small share of that work and a
//! store of its own. If one of them finds a failure, that is the answer. If none does, all that they saw is forgotten and the
//! search goes on where it was; when it has done several times the work, further scouts go further.
//!
//! Work is counted in steps and their actions, not in time, and searches with several threads count between two levels: so
//! when scouts are sent, how far they go and what they find depends on the system and the property alone.

mod order;
mod search;

pub use order::Order;
pub use search::scout;
pub(crate) use search::search_as_scout;

use lariat_engine::{PoolTooSmall, Report, RunControl, Shortfall, StoreKind, Verdict};
use lariat_subject::Stop;
use std::cell::{Cell, RefCell};

/// When scouts are sent, by the work that the search has done, and what each of them may do. Whatever takes less than the
/// first of these is settled by the search itself, with shortest runs where that is breadth-first. A step of a scout takes
/// several times as long as one of the search.
const ROUNDS: [Round; 4] = [
    Round { after: 1 << 18, work: 1 << 14 },
    Round { after: 1 << 22, work: 1 << 16 },
    Round { after: 1 << 25, work: 1 << 18 },
    Round { after: 1 << 27, work: 1 << 20 },
];

struct Round {
    after: u64,
    work: u64,
}

/// The work after which the scouts of a round are sent.
fn after(round: usize) -> u64 {
    ROUNDS.get(round).map_or(u64::MAX, |round| round.after)
}

/// What a scout has found: a failure, or that the pool is too small.
pub(crate) type Found = Result<Report, PoolTooSmall>;
/// Searches in an order until so much work is done.
type SendScout<'a> = dyn Fn(Order, u64) -> Found + 'a;

/// The scouts of one search. The search tells of its work, and is stopped when a scout has found something.
pub(crate) struct Scouts<'a> {
    orders: &'a [Order],
    /// Searches in an order until so much work is done.
    send: &'a SendScout<'a>,
    /// Whether the search is still of use. One that is about to begin anew sends no scouts: how much of a level it has
    /// done when it stops is a matter of threads.
    is_of_use: &'a dyn Fn() -> bool,
    control: &'a RunControl,
    /// What the search has done.
    work: Cell<u64>,
    /// When scouts are sent next, by number, and the work after which that is.
    round: Cell<usize>,
    next_after: Cell<u64>,
    found: RefCell<Option<Found>>,
}

impl<'a> Scouts<'a> {
    /// Scouts that go in these orders. `send` searches in an order until so much work is done.
    pub(crate) fn new(orders: &'a [Order], send: &'a SendScout<'a>, control: &'a RunControl) -> Self {
        Self {
            orders,
            send,
            is_of_use: &|| true,
            control,
            work: Cell::new(0),
            round: Cell::new(0),
            next_after: Cell::new(ROUNDS[0].after),
            found: RefCell::new(None),
        }
    }

    /// Scouts of a search that begins anew after so many rounds, as long as it is of use.
    pub(crate) fn of_search(self, rounds: usize, is_of_use: &'a dyn Fn() -> bool) -> Self {
        let next_after = Cell::new(after(rounds));
        Self { is_of_use, round: Cell::new(rounds), next_after, ..self }
    }

    /// How often scouts were sent.
    pub(crate) fn rounds(&self) -> usize {
        self.round.get()
    }

    /// The search has done more work. An error if it is to stop, since a scout has found something.
    #[inline]
    pub(crate) fn worked(&self, more: u64) -> Result<(), Stop> {
        self.work.set(self.work.get() + more);
        if self.work.get() < self.next_after.get() { Ok(()) } else { self.send_all() }
    }

    /// What a scout has found, if one has.
    pub(crate) fn take_found(&self) -> Option<Found> {
        self.found.borrow_mut().take()
    }

    #[inline(never)]
    fn send_all(&self) -> Result<(), Stop> {
        if !(self.is_of_use)() {
            return Ok(());
        }
        let shown = self.control.counters.shown();
        for &order in self.orders {
            let found = match (self.send)(order, ROUNDS[self.round.get()].work) {
                Ok(mut report) if matches!(report.verdict, Verdict::Fails(_)) => {
                    report.stats.store = StoreKind::Tree.name();
                    Ok(Report { scouted: true, ..report })
                }
                Ok(_) => continue,
                // That is found out sooner, too.
                Err(pool_too_small) => Err(pool_too_small),
            };
            *self.found.borrow_mut() = Some(found);
            // The report of the search says that it was stopped, and is not shown.
            return Err(Stop::Short(Shortfall::Interrupted));
        }
        self.control.counters.show(shown);
        self.round.set(self.round.get() + 1);
        self.next_after.set(after(self.round.get()));
        Ok(())
    }
}
