//! One state at a time.

use crate::{Keys, Sink};
use lariat_automata::MarkSet;
use lariat_base::IdSet;
use lariat_system::{ActionId, Fault, LabelId, Position};
use std::ops::ControlFlow;

/// A state as packed words. Explicit engines hash them, disk engines sort them, cluster engines send them; a state moves
/// between engines by copying.
pub type State = [u64];

/// Labels of a state or a step.
pub type LabelSet = IdSet<LabelId>;

/// A system that can be walked.
///
/// Laws:
/// * [`steps`](Self::steps) depends on `source` alone: same steps, same order, on every thread and machine.
/// * Every state given to a sink has [`words_per_state`](Self::words_per_state) words, and equal states have equal words.
/// * A sink that breaks ends the enumeration at once, and the break value is returned.
/// * Nothing is kept in the scratch between calls that could change an answer.
pub trait StateSpace: Sync {
    /// One thread's working memory; `&self` is shared.
    type Scratch: Send;

    /// The length of every state.
    fn words_per_state(&self) -> usize;

    /// Fresh working memory.
    fn scratch(&self) -> Self::Scratch;

    /// Working memory with which listed steps carry the values of their [choices](Step::choices). Listing is slower with it: it is
    /// for those who tell a run. `None` if nothing is ever chosen, or the space does not know what.
    fn scratch_with_choices(&self) -> Option<Self::Scratch> {
        None
    }

    /// Working memory for writing traces, and whether steps listed with it carry the values of their choices.
    fn scratch_for_traces(&self) -> (Self::Scratch, bool) {
        match self.scratch_with_choices() {
            Some(scratch) => (scratch, true),
            None => (self.scratch(), false),
        }
    }

    /// Lists the initial states, each once.
    fn initial<B>(&self, scratch: &mut Self::Scratch, sink: impl FnMut(&State) -> ControlFlow<B>) -> ControlFlow<B>;

    /// Lists the steps from `source`, and the faults met in it or on the way. A state from which nothing at all is
    /// listed is a dead end.
    fn steps<K: Sink>(&self, source: &State, scratch: &mut Self::Scratch, sink: K) -> ControlFlow<K::Break>;

    /// The state labels that hold in `state`.
    fn labels(&self, state: &State, scratch: &mut Self::Scratch) -> LabelSet;

    /// Whether a run may properly end in `state`, should it be a dead end.
    fn is_proper_end(&self, state: &State, scratch: &mut Self::Scratch) -> bool;

    /// What was met while steps were listed with this scratch, since it was made, and no listed step shows. The default is for
    /// spaces that leave out no path, and for those that no engine searches.
    fn passed(&self, scratch: &Self::Scratch) -> Passed {
        let _ = scratch;
        Passed::default()
    }

    /// Whether it may come to give a [`KeyedSpace`](crate::KeyedSpace). A search that asks will, if so, ask [for one](Self::keyed) later: the space
    /// need not make other code meanwhile.
    fn will_be_keyed(&self) -> bool {
        false
    }

    /// The space of the same states as [`KeyedSpace`](crate::KeyedSpace), whose keys fit these states, given one after the other. Unless `at_once`, later if
    /// it does not pay after so many steps, or should be learned from more states. The answer depends on nothing
    /// else, so that a search by several threads, or beside others, asks and is answered as one alone.
    fn keyed<'p>(&'p self, steps: u64, at_once: bool, states: &mut dyn FnMut() -> Vec<u64>) -> Keys<'p> {
        let _ = (steps, at_once, states);
        Keys::Never
    }
}

/// What the listed steps do not show.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Passed {
    /// Actions that were taken: at least those that no listed step shows, because the path they are on comes to a transient
    /// state where another path of the same step has been. Coverage needs them.
    pub actions: Vec<ActionId>,
    /// Values that were truncated, each by its action and its number among the cuts of that, if the space looks for them.
    pub cuts: Vec<(ActionId, u16)>,
}

/// A space that can list the steps of one process alone, as the partial-order reduction needs it.
pub trait StepsByProcess: StateSpace {
    /// Lists what [`steps`](StateSpace::steps) lists and what begins with an action of the process at `actor`, in the same
    /// order. Where an atomic sequence that others begin comes to the same transient state, what follows from it may be
    /// listed here or not.
    fn steps_by<K: Sink>(
        &self,
        source: &State,
        actor: Position,
        scratch: &mut Self::Scratch,
        sink: K,
    ) -> ControlFlow<K::Break>;
}

/// How things stand in the middle of a path of actions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Underway {
    /// How many actions of such paths were looked at since the call began.
    pub actions: u64,
    /// What the scratch will hold at most until the next time, but for what a single state makes it hold.
    pub scratch_bytes: u64,
}

/// What one path of actions leads to.
#[derive(Clone, Copy, Debug)]
pub struct Step<'a> {
    /// Where it leads.
    pub target: Outcome<'a>,
    /// The step labels of the system that hold of it.
    pub labels: &'a LabelSet,
    /// What it does for acceptance, where the space has such a condition: none in the space of a system.
    pub marks: &'a MarkSet,
    /// The actions, in order. Longer than one where an atomic sequence is passed through.
    pub via: &'a [Move],
    /// The values of the choices of these actions, one action after the other; none unless the working memory is
    /// [made for them](StateSpace::scratch_with_choices). Where the run ends in a run-time error of a guard, the last action has made
    /// no choice.
    pub choices: &'a [i64],
}

impl<'a> Step<'a> {
    /// A step of a system, which carries no marks.
    pub fn new(target: Outcome<'a>, labels: &'a LabelSet, via: &'a [Move]) -> Self {
        Self { target, labels, marks: MarkSet::none(), via, choices: &[] }
    }
}

/// Where a path of actions leads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome<'a> {
    /// To a state.
    State(&'a State),
    /// To a run-time error. Where the path goes on past it, that is another step.
    Fault(Fault),
}

/// An action, and the processes that took part.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Move {
    /// The action.
    pub action: ActionId,
    /// Where the acting process stands; `None` if the action has no participants.
    pub actor: Option<Position>,
    /// In a rendezvous, where the receiver stands.
    pub peer: Option<Position>,
}

impl Move {
    /// The positions of the processes that took part.
    pub fn participants(self) -> impl Iterator<Item = Position> {
        self.actor.into_iter().chain(self.peer)
    }
}
