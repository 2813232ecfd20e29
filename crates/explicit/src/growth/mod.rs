//! The search for a channel that grows without limit, by one thread.
//!
//! The system has channels that stand for unbounded ones: there is room for some messages, and one more is a trap. Its graph
//! is gone through breadth-first, and of each state it is kept which one it was met from: that is a tree. A state with an
//! ancestor that differs from it by shorter channels alone is a *candidate*: the way between them is a loop that makes
//! channels grow, if it can be repeated (`lariat_engine::growth` decides).
//!
//! The paper (Jard, Jéron) compares along the stack of a depth-first search. Breadth-first the runs that are found are short,
//! which people read; and the branches of the tree are as good as a stack. They are not looked at state by state, since that
//! would take time by depth: whenever the number of states has doubled, and at the end, the tree is gone through once,
//! depth-first, with a table of the ancestors (`tree.rs`). That is linear.

mod tree;

use crate::dfs::reserve;
use lariat_engine::growth::{Doubt, GrowingQueue};
use lariat_engine::{EngineError, RunControl, RunError, Shortfall, Stats, StoryStep};
use lariat_exec::{Backend, SpaceVisitor, with_program};
use lariat_space::{Outcome, State, StateSpace};
use lariat_store::{Answer, Batch, Budget, FlatStore, Full, Handle, Origins, Recall, Store};
use lariat_subject::StepLimits;
use lariat_system::reference::Valuation;
use lariat_system::{Fault, Layout, System, TrapKind};
use std::ops::ControlFlow;
use std::sync::atomic::Ordering;
use tree::Tree;

/// The number of states at which the tree is looked at for the first time.
const FIRST_LOOK: u64 = 256;

/// What is to be searched.
#[derive(Clone, Copy, Debug)]
pub struct GrowthSearch<'a> {
    /// Its channels stand for unbounded ones.
    pub system: &'a System,
    /// Look no deeper than this many steps.
    pub depth_limit: Option<u64>,
    /// The pool is only a guess.
    pub pool_may_grow: bool,
}

/// What a search has come to.
#[derive(Debug)]
pub struct GrowthSeen {
    /// How it ended.
    pub end: GrowthEnd,
    /// By number of the system's queues: the most messages that a channel ever held.
    pub longest: Vec<usize>,
    /// The first loop that may not repeat.
    pub doubt: Option<Doubt>,
    /// Figures.
    pub stats: Stats,
}

/// How a search ends.
#[derive(Debug)]
pub enum GrowthEnd {
    /// With a loop that can be repeated for ever.
    Grows {
        /// The initial state that the run begins in.
        initial: Valuation,
        /// The run to the loop.
        stem: Vec<StoryStep>,
        /// The loop.
        round: Vec<StoryStep>,
        /// What it makes longer.
        channels: Vec<GrowingQueue>,
    },
    /// Everything was seen, and there was always room for one more message.
    Whole,
    /// Everything was seen, or all within the depth that was asked for, but what comes after a message that there was no
    /// room for.
    BoundMet,
    /// The pool, whose size is no guess, had no room for a process.
    PoolFull,
    /// A limit was met.
    Short(Shortfall),
}

/// Looks for a channel that grows. Running out of memory, time or patience is an end, not an error; that the pool, which is
/// only a guess, is too small is one.
pub fn search_growth(search: &GrowthSearch<'_>, control: &RunControl) -> Result<GrowthSeen, RunError> {
    let wrong = |reason: String| EngineError { reason };
    let layout = Layout::new(search.system).map_err(|error| wrong(error.to_string()))?;
    // Systems are made anew for every bound and their graphs are mostly small: machine code would not pay.
    with_program(search.system, Backend::Bytecode, None, Kernel { search, layout: &layout, control })
        .map_err(|error| wrong(error.to_string()))?
}

struct Kernel<'a> {
    search: &'a GrowthSearch<'a>,
    layout: &'a Layout,
    control: &'a RunControl,
}

impl SpaceVisitor for Kernel<'_> {
    type Output = Result<GrowthSeen, RunError>;

    fn visit<S: StateSpace>(self, space: &S, _: Backend) -> Self::Output {
        let Self { search, layout, control } = self;
        let mut seen = GrowthSeen {
            end: GrowthEnd::Whole,
            longest: vec![0; search.system.queues.len()],
            doubt: None,
            stats: Stats::default(),
        };
        let budget = &control.budget;
        let store = match FlatStore::new(space.words_per_state(), budget) {
            Ok(store) => store,
            Err(full) => return Ok(GrowthSeen { end: GrowthEnd::Short(full.into()), ..seen }),
        };
        let parents = Parents { budget, list: Vec::new(), paid_bytes: 0 };
        let mut exploration = Exploration { space, search, layout, control, store: &store, parents, seen };
        let end = exploration.run()?;
        seen = exploration.seen;
        seen.stats.states = store.len();
        seen.stats.bytes_per_state =
            (store.bytes() + exploration.parents.paid_bytes) as f64 / store.len().max(1) as f64;
        seen.stats.peak_memory_bytes = budget.peak_bytes();
        seen.end = end;
        Ok(seen)
    }
}

/// Why the graph was not gone through to its end.
enum Stop {
    /// A loop was found, or a bug.
    Grows(Result<GrowthEnd, String>),
    /// The pool was only a guess, and a wrong one.
    PoolTooSmall,
    /// A limit was met.
    Short(Shortfall),
}

impl From<Full> for Stop {
    fn from(full: Full) -> Self {
        Self::Short(full.into())
    }
}

impl From<Shortfall> for Stop {
    fn from(shortfall: Shortfall) -> Self {
        Self::Short(shortfall)
    }
}

/// What kept steps from being taken.
#[derive(Clone, Copy, Default)]
struct Obstacles {
    bound: bool,
    pool: bool,
}

struct Exploration<'a, 'b, S: StateSpace> {
    space: &'a S,
    search: &'a GrowthSearch<'a>,
    layout: &'a Layout,
    control: &'a RunControl,
    store: &'a FlatStore<'b>,
    parents: Parents<'b>,
    seen: GrowthSeen,
}

impl<S: StateSpace> Exploration<'_, '_, S> {
    fn run(&mut self) -> Result<GrowthEnd, RunError> {
        let mut met = Obstacles::default();
        // What was seen so far may show a loop, whatever kept us from seeing more; but who does not want to wait does not.
        let ended = self.walk(&mut met).and_then(|()| self.look());
        let ended = match ended {
            Err(Stop::Short(short @ (Shortfall::Memory { .. } | Shortfall::Depth { .. }))) => {
                self.look().and(Err(Stop::Short(short)))
            }
            ended => ended,
        };
        Ok(match ended {
            // An error is a bug: a step does not replay.
            Err(Stop::Grows(grows)) => grows.map_err(|reason| EngineError { reason })?,
            Err(Stop::PoolTooSmall) => return Err(RunError::PoolTooSmall),
            // With longer channels more could be seen within the same depth.
            Err(Stop::Short(Shortfall::Depth { .. })) if met.bound => GrowthEnd::BoundMet,
            Err(Stop::Short(short)) => GrowthEnd::Short(short),
            Ok(()) if met.pool => GrowthEnd::PoolFull,
            Ok(()) if met.bound => GrowthEnd::BoundMet,
            Ok(()) => GrowthEnd::Whole,
        })
    }

    /// Goes through the graph.
    fn walk(&mut self, met: &mut Obstacles) -> Result<(), Stop> {
        let (space, search, store) = (self.space, self.search, self.store);
        let words = space.words_per_state();
        let mut limits = StepLimits::new(self.control);
        limits.check()?;
        let mut scratch = space.scratch();
        let (mut batch, mut origins) = (Batch::new(words), Origins::new(words));
        let _: ControlFlow<()> = space.initial(&mut scratch, |state| {
            batch.push(state, None);
            ControlFlow::Continue(())
        });
        self.admit(&mut batch, &origins, Parents::NONE)?;
        let (mut next, mut level_end, mut next_look) = (0, store.len(), FIRST_LOOK);
        while next < store.len() {
            if next == level_end {
                level_end = store.len();
                self.seen.stats.depth += 1;
            }
            if search.depth_limit == Some(self.seen.stats.depth) {
                return Err(Shortfall::Depth { limit: self.seen.stats.depth }.into());
            }
            let Ok(parent) = u32::try_from(next) else {
                return Err(Shortfall::Memory { limit_bytes: self.control.budget.limit_bytes() }.into());
            };
            store.recall(&[Handle(next)], &mut origins);
            let mut pool_full = false;
            let stepped = space.steps(
                origins.state(0),
                &mut scratch,
                limits.limiting(
                    |short| short,
                    |step| {
                        match step.target {
                            Outcome::State(target) => batch.push(target, Some(0)),
                            Outcome::Fault(Fault::PoolFull(_)) => pool_full = true,
                            Outcome::Fault(Fault::Trap(action, trap)) => {
                                let kind = search.system.actions[action].traps[usize::from(trap)].kind;
                                met.bound |= kind == TrapKind::ChannelBound;
                            }
                            Outcome::Fault(Fault::EndlessAtomic(_)) => {}
                        }
                        ControlFlow::Continue(())
                    },
                ),
            );
            if let ControlFlow::Break(short) = stepped {
                return Err(short.into());
            }
            met.pool |= pool_full;
            if pool_full && search.pool_may_grow {
                return Err(Stop::PoolTooSmall);
            }
            self.seen.stats.transitions += batch.len() as u64;
            self.admit(&mut batch, &origins, parent)?;
            next += 1;
            if store.len() >= next_look {
                next_look = store.len() * 2;
                self.look()?;
            }
            if next.is_multiple_of(64) {
                limits.check()?;
                self.tell(next);
            }
        }
        Ok(())
    }

    /// Stores what waits in the batch, which was met from `parent`.
    fn admit(&mut self, batch: &mut Batch, origins: &Origins, parent: u32) -> Result<(), Full> {
        let probed = self.store.probe(batch, origins);
        for (number, answer) in batch.answers.iter().enumerate() {
            if let Answer::New(_) = answer {
                self.parents.push(parent)?;
                let lengths = lengths(self.search.system, self.layout, batch.state(number));
                for (longest, length) in self.seen.longest.iter_mut().zip(lengths) {
                    *longest = length.max(*longest);
                }
            }
        }
        batch.clear();
        probed
    }

    /// Looks at the tree as it is now.
    fn look(&mut self) -> Result<(), Stop> {
        let depth = self.seen.stats.depth;
        let mut tree = Tree::new(self.search.system, self.layout, self.control, self.store, &self.parents.list, depth)?;
        let found = tree.first_growth(self.space);
        self.seen.doubt = self.seen.doubt.or(tree.doubt);
        found?.map_or(Ok(()), |grows| Err(Stop::Grows(grows)))
    }

    fn tell(&self, expanded: u64) {
        let counters = &self.control.counters;
        counters.states.store(self.store.len(), Ordering::Relaxed);
        counters.transitions.store(self.seen.stats.transitions, Ordering::Relaxed);
        counters.depth.store(self.seen.stats.depth, Ordering::Relaxed);
        counters.waiting.store(self.store.len() - expanded, Ordering::Relaxed);
    }
}

/// By number of the system's queues: how many messages each holds.
fn lengths<'a>(system: &'a System, layout: &'a Layout, state: &'a State) -> impl Iterator<Item = usize> {
    system.queues.iter().map(|queue| layout.slots[queue.len].get(state, 0, queue.number as usize) as usize)
}

/// Of each state the one that it was met from. States are numbered as they were met, so these ascend.
struct Parents<'a> {
    budget: &'a Budget,
    list: Vec<u32>,
    paid_bytes: u64,
}

impl Parents<'_> {
    /// Of an initial state.
    const NONE: u32 = u32::MAX;

    fn push(&mut self, parent: u32) -> Result<(), Full> {
        self.paid_bytes += reserve(&mut self.list, self.budget)?;
        self.list.push(parent);
        Ok(())
    }
}

impl Drop for Parents<'_> {
    fn drop(&mut self) {
        self.budget.give_back(self.paid_bytes);
    }
}
