//! Graphs for tests of searches: states are numbers, and edges are listed or computed.

use lariat_automata::MarkSet;

/// A graph of numbers. [`toy_space!`](crate::toy_space) makes it a state space.
pub trait ToyGraph: Sync {
    /// Where runs begin.
    fn roots(&self) -> Vec<u64> {
        vec![0]
    }
    /// Where the edges of a state lead, and the marks they carry.
    fn edges(&self, state: u64) -> impl Iterator<Item = (u64, MarkSet)>;
    /// Whether a run may end in the state.
    fn may_end(&self, _state: u64) -> bool {
        true
    }
}

/// Makes a [`ToyGraph`] a state space. No step has labels or actions.
#[macro_export]
macro_rules! toy_space {
    ($graph:ty) => {
        impl $crate::space::StateSpace for $graph {
            type Scratch = ();

            fn words_per_state(&self) -> usize {
                1
            }
            fn scratch(&self) {}
            fn initial<B>(
                &self,
                (): &mut (),
                mut sink: impl FnMut(&$crate::space::State) -> std::ops::ControlFlow<B>,
            ) -> std::ops::ControlFlow<B> {
                $crate::ToyGraph::roots(self).into_iter().try_for_each(|state| sink(&[state]))
            }
            fn steps<K: $crate::space::Sink>(
                &self,
                source: &$crate::space::State,
                (): &mut (),
                mut sink: K,
            ) -> std::ops::ControlFlow<K::Break> {
                let labels = &$crate::space::LabelSet::EMPTY;
                $crate::ToyGraph::edges(self, source[0]).try_for_each(|(target, marks)| {
                    let target = $crate::space::Outcome::State(&[target]);
                    sink.step($crate::space::Step { target, labels, marks: &marks, via: &[], choices: &[] })
                })
            }
            fn labels(&self, _: &$crate::space::State, (): &mut ()) -> $crate::space::LabelSet {
                $crate::space::LabelSet::EMPTY
            }
            fn is_proper_end(&self, state: &$crate::space::State, (): &mut ()) -> bool {
                $crate::ToyGraph::may_end(self, state[0])
            }
        }
    };
}

/// From each number to the next one and to its double, below a limit.
#[derive(Clone, Copy, Debug)]
pub struct Doubling {
    /// Where runs begin.
    pub from: &'static [u64],
    /// The first number that is not in the graph.
    pub limit: u64,
    /// Whether a run may end.
    pub may_end: bool,
}

impl ToyGraph for Doubling {
    fn roots(&self) -> Vec<u64> {
        self.from.to_vec()
    }
    fn edges(&self, state: u64) -> impl Iterator<Item = (u64, MarkSet)> {
        let limit = self.limit;
        [state + 1, 2 * state].into_iter().filter(move |&target| target < limit).map(|target| (target, MarkSet::EMPTY))
    }
    fn may_end(&self, _: u64) -> bool {
        self.may_end
    }
}

toy_space!(Doubling);
