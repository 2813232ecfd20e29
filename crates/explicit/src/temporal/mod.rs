//! The engines for temporal properties: the product of a system with an automaton, searched for accepting cycles.

mod constraints;
mod product;
mod search;

pub(crate) use product::{marks_of, reads_steps, watched};

use crate::cycle::{MOST_NOTE, Nested};
use crate::engines::backend_of;
use crate::reduction::{self, Reducing};
use crate::rung::{self, Abilities};
use constraints::constraints;
use lariat_automata::{Acceptance, Analysis, Automaton};
use lariat_engine::{
    AcceptanceKind, Engine, EngineError, Options, Property, Refusal, Report, RunControl, Task, Temporal,
};
use lariat_exec::with_program;
use lariat_system::Fairness;
use product::Run;

/// An engine that looks for accepting cycles of a product while its graph is being built.
#[derive(Clone, Copy, Debug)]
pub struct CycleSearch {
    kernel: Kernel,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kernel {
    Scc,
    Nested(Nested),
    Magic,
    Online,
    Kosaraju,
}

impl Kernel {
    /// Whether it knows accepting states only, and looks for a cycle through one of them by two searches.
    fn is_nested(self) -> bool {
        matches!(self, Self::Nested(_) | Self::Magic)
    }
    /// The greatest note that it keeps with a state.
    fn most_note(self) -> u32 {
        match self {
            Self::Scc | Self::Kosaraju => u32::MAX - 1,
            Self::Nested(nested) => nested.most_note(),
            Self::Magic | Self::Online => MOST_NOTE,
        }
    }
}

impl CycleSearch {
    /// `scc`: strongly connected components; any acceptance, any fairness. Where the automaton rules cycles out, any number
    /// of threads.
    pub const SCC: Self = Self { kernel: Kernel::Scc };
    /// `ndfs`: nested depth-first search with early detection.
    pub const NDFS: Self = Self { kernel: Kernel::Nested(Nested::Ndfs) };
    /// `magic`: both searches on one stack.
    pub const MAGIC: Self = Self { kernel: Kernel::Magic };
    /// `cvwy-a`: one search after the other.
    pub const CVWY_A: Self = Self { kernel: Kernel::Nested(Nested::CvwyA) };
    /// `cvwy-b`: interleaved searches.
    pub const CVWY_B: Self = Self { kernel: Kernel::Nested(Nested::CvwyB) };
    /// `kosaraju`: strongly connected components of the stored graph, by predecessors.
    pub const KOSARAJU: Self = Self { kernel: Kernel::Kosaraju };
    /// `online`: one search, with a deterministic automaton of the good runs.
    pub const ONLINE: Self = Self { kernel: Kernel::Online };
}

impl CycleSearch {
    fn abilities(&self) -> Abilities {
        const NOTES: &str = "it keeps numbers with states; `magic` keeps a stack of states instead";
        let able = |lossy, cache| Abilities { lossy, cache, own_stack: false };
        match self.kernel {
            Kernel::Scc | Kernel::Kosaraju | Kernel::Nested(Nested::Ndfs) => able(Err(NOTES), Err(NOTES)),
            Kernel::Magic => able(Ok(()), Ok(())),
            Kernel::Online => {
                let lossy = Err("it must know for certain which states are on its path");
                Abilities { lossy, cache: Ok(()), own_stack: true }
            }
            Kernel::Nested(Nested::CvwyA) => {
                able(Ok(()), Err("its queue is right only if no state is left twice; `magic` can do with it"))
            }
            Kernel::Nested(Nested::CvwyB) => able(Ok(()), Err("`magic` is the same search for it")),
        }
    }
}

impl CycleSearch {
    /// Whether it can do with what runs must meet infinitely often.
    fn admits_acceptance(&self, task: &Task<'_>, temporal: &Temporal) -> Result<(), Refusal> {
        let refuse = |reason: &str| Err(Refusal { reason: reason.to_owned() });
        let acceptance = task.options.acceptance;
        let has_fairness = !task.system.fairness.is_empty();
        let is_strong = task.system.fairness.iter().any(is_strong);
        let is_generalised = temporal.bad.acceptance.as_generalized_buchi().is_some();
        if self.kernel == Kernel::Online {
            return match () {
                _ if has_fairness => {
                    refuse("under fairness no deterministic Büchi automaton tells good runs; `scc` does it")
                }
                _ if acceptance == AcceptanceKind::Copies => refuse("it has no copies; `scc` can do with them"),
                _ if !Analysis::of(&temporal.bad).is_weak() => refuse(
                    "no deterministic Büchi automaton of the good runs is at hand: that of the bad runs is not weak; \
                     `scc` takes any",
                ),
                () => Ok(()),
            };
        }
        match acceptance {
            AcceptanceKind::Generalised
                if self.kernel.is_nested() && (has_fairness || !is_state_buchi(&temporal.bad)) =>
            {
                refuse(
                    "it knows one set of accepting states, and this property needs copies; `scc` and `kosaraju` do without",
                )
            }
            _ if self.kernel.is_nested() && is_strong => {
                refuse("strong fairness is no Büchi acceptance; `scc` does it")
            }
            _ if self.kernel.is_nested() && !is_generalised => {
                refuse("the automaton's acceptance is no generalised Büchi acceptance; `scc` takes any")
            }
            AcceptanceKind::Copies if is_strong => {
                refuse("strong fairness has no copies, being no Büchi acceptance; `--acceptance generalised` does it")
            }
            AcceptanceKind::Copies if !is_generalised => {
                refuse("only generalised Büchi acceptance has copies, and that of the automaton is another")
            }
            _ if self.kernel == Kernel::Kosaraju
                && (is_strong || !temporal.bad.acceptance.polarities().1.is_empty()) =>
            {
                refuse(
                    "acceptance says what must not happen for ever, for which components are taken apart; `scc` does that",
                )
            }
            _ => Ok(()),
        }
    }
}

impl Engine for CycleSearch {
    fn name(&self) -> &'static str {
        match self.kernel {
            Kernel::Scc => "scc",
            Kernel::Magic => "magic",
            Kernel::Online => "online",
            Kernel::Kosaraju => "kosaraju",
            Kernel::Nested(Nested::Ndfs) => "ndfs",
            Kernel::Nested(Nested::CvwyA) => "cvwy-a",
            Kernel::Nested(Nested::CvwyB) => "cvwy-b",
        }
    }

    fn most_threads(&self) -> usize {
        if self.kernel == Kernel::Scc { usize::MAX } else { 1 }
    }

    fn admits(&self, task: &Task<'_>) -> Result<(), Refusal> {
        let refuse = |reason: &str| Err(Refusal { reason: reason.to_owned() });
        let temporal = match &task.property {
            Property::Temporal(temporal) => temporal,
            Property::Safety { .. } => return refuse("it looks for cycles; for `safety` there are `bfs` and `dfs`"),
            Property::Branching(_) => return refuse("it looks for bad runs; for formulas of CTL there is `symbolic`"),
        };
        reduction::admits(task)?;
        let Options {
            store: _,
            keep_going,
            shortest,
            pool_may_grow: _,
            depth_limit,
            threads,
            code: _,
            profile,
            reduce: _,
            seed: _,
            runs: _,
            disk: _,
            acceptance: _,
        } = task.options;
        match () {
            _ if shortest => refuse("it does not find a shortest run"),
            _ if depth_limit.is_some() => {
                refuse("a depth-first search with a bound misses part of what lies within it")
            }
            _ if threads > self.most_threads() => refuse("it has one thread"),
            _ if profile => refuse("`--profile` is for `safety`"),
            _ if keep_going && (self.kernel == Kernel::Online || matches!(self.kernel, Kernel::Nested(_))) => {
                refuse("it ends at the first bad run; `scc`, `kosaraju` and `magic` can go on")
            }
            _ if keep_going && self.kernel == Kernel::Magic && !task.options.store.keeps_all() => {
                refuse("with a store that does not keep all states it ends at the first bad run")
            }
            () => rung::admits(&task.options, self.abilities()),
        }?;
        self.admits_acceptance(task, temporal)
    }

    fn run(&self, task: &Task<'_>, control: &RunControl) -> Result<Report, EngineError> {
        let Property::Temporal(temporal) = &task.property else {
            return Err(EngineError { reason: "it looks for cycles".to_owned() });
        };
        let (system, constraints) = constraints(task.system);
        let run = Run { kernel: self.kernel, task, temporal, constraints, control };
        with_program(&system, backend_of(&task.options), Reducing { task, what: run })
            .map_err(|error| EngineError { reason: error.to_string() })?
    }
}

fn is_strong(constraint: &Fairness) -> bool {
    matches!(constraint, Fairness::Compassion(..) | Fairness::Strong(_))
}

/// Whether acceptance is by states, each of which has mark 0 on all edges that leave it or on none.
fn is_state_buchi(automaton: &Automaton) -> bool {
    automaton.acceptance == Acceptance::buchi() && automaton.is_state_based()
}
