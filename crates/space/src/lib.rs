//! The interfaces between what a model means and how it is searched.
//!
//! * [`StateSpace`]: one state at a time, for explicit engines.
//! * [`StateSets`]: a set of states at a time, for symbolic engines.
//! * [`Observer`]: a machine that reads a run.
//!
//! One convention holds everywhere: **a move of an observer reads the labels of the state it leaves and of the step
//! taken; the first letter is that of the initial state.**

mod any;
mod degeneralized;
mod enumerated;
mod fairness_marks;
mod graph_sets;
mod keyed;
mod lasso_observer;
mod layer;
mod letters;
mod natural;
mod observer;
mod pairs;
mod product;
mod reduction;
mod reference_space;
mod sets;
mod sink;
mod state_space;
mod steps;

pub use any::{AnyScratch, AnySpace, list_by_pointer};
pub use degeneralized::{Degeneralized, DegeneralizedScratch};
pub use enumerated::{Enumerated, TooManyStates};
pub use graph_sets::{BitSet, GraphSets, graph_sets_bytes};
pub use keyed::{KeyFollow, KeyLister, KeyMove, KeyMoves, KeyedSpace, KeyedSteps, Keys};
pub use lasso_observer::LassoObserver;
pub use layer::{Layer, LayerScratch};
pub use letters::AutomatonObserver;
pub use natural::Natural;
pub use observer::{Letter, Nothing, Observer, ObserverState};
pub use pairs::{CanLoop, Pairs, PairsScratch};
pub use product::{Product, ProductScratch};
pub use reduction::{Ample, AmpleScratch, Obstacle, Reduced, Rule};
pub use reference_space::ReferenceSpace;
pub use sets::{DirectWay, Faults, StateSets};
pub use sink::{Each, PlainStep, PlainSteps, Sink, StepRows, Through, each, through};
pub use state_space::{LabelSet, Move, Outcome, Passed, State, StateSpace, Step, StepsByProcess, Underway};
pub use steps::Steps;
