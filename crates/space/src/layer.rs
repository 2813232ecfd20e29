//! Spaces that lie on another one and differ from it little.

use crate::{Keys, LabelSet, Passed, Sink, State, StateSpace, WantedKeys};
use std::ops::ControlFlow;

/// A space that has the states of another one, and mostly its labels and ends: but some of its steps are left out, or seen
/// on their way. Whatever is a layer is a [`StateSpace`], and keeps its laws.
pub trait Layer: Sync {
    /// The space below.
    type Below: StateSpace;
    /// Working memory beside that of the space below.
    type Own: Send;

    /// The space below.
    fn below(&self) -> &Self::Below;

    /// Fresh working memory of its own.
    fn own(&self) -> Self::Own;

    /// Lists the steps, as [`StateSpace::steps`] does.
    fn listed_steps<K: Sink>(&self, source: &State, scratch: &mut LayerScratch<Self>, sink: K)
    -> ControlFlow<K::Break>;

    /// The labels of a state: those that it has below.
    fn state_labels(&self, state: &State, scratch: &mut LayerScratch<Self>) -> LabelSet {
        self.below().labels(state, &mut scratch.below)
    }

    /// What [`StateSpace::will_be_keyed`] says. Where it is not said, there are no keys.
    fn may_be_keyed(&self) -> bool {
        false
    }

    /// What [`StateSpace::keyed`] gives.
    fn layer_keys<'p>(&'p self, wanted: WantedKeys, states: &mut dyn FnMut() -> Vec<u64>) -> Keys<'p> {
        let _ = (wanted, states);
        Keys::Never
    }

    /// Whether a run may end here: if it may below.
    fn may_end(&self, state: &State, scratch: &mut LayerScratch<Self>) -> bool {
        self.below().is_proper_end(state, &mut scratch.below)
    }
}

/// Working memory of a layer and of what is below.
pub struct LayerScratch<L: Layer + ?Sized> {
    /// Of the space below.
    pub below: <L::Below as StateSpace>::Scratch,
    /// Of the layer.
    pub own: L::Own,
}

impl<L: Layer> StateSpace for L {
    type Scratch = LayerScratch<L>;

    fn words_per_state(&self) -> usize {
        self.below().words_per_state()
    }
    fn scratch(&self) -> Self::Scratch {
        LayerScratch { below: self.below().scratch(), own: self.own() }
    }
    fn scratch_with_choices(&self) -> Option<Self::Scratch> {
        Some(LayerScratch { below: self.below().scratch_with_choices()?, own: self.own() })
    }
    fn initial<B>(&self, scratch: &mut Self::Scratch, sink: impl FnMut(&State) -> ControlFlow<B>) -> ControlFlow<B> {
        self.below().initial(&mut scratch.below, sink)
    }
    fn steps<K: Sink>(&self, source: &State, scratch: &mut Self::Scratch, sink: K) -> ControlFlow<K::Break> {
        self.listed_steps(source, scratch, sink)
    }
    fn labels(&self, state: &State, scratch: &mut Self::Scratch) -> LabelSet {
        self.state_labels(state, scratch)
    }
    fn is_proper_end(&self, state: &State, scratch: &mut Self::Scratch) -> bool {
        self.may_end(state, scratch)
    }
    fn will_be_keyed(&self) -> bool {
        self.may_be_keyed()
    }
    fn keyed<'p>(&'p self, wanted: WantedKeys, states: &mut dyn FnMut() -> Vec<u64>) -> Keys<'p> {
        self.layer_keys(wanted, states)
    }
    fn passed(&self, scratch: &Self::Scratch) -> Passed {
        self.below().passed(&scratch.below)
    }
}
