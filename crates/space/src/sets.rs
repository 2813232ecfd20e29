//! A set of states at a time.

use lariat_system::LabelId;

/// A system whose sets of states are values. CTL*, and every fair-cycle fixpoint, is written once over this trait.
///
/// Laws: sets are sets of *ordinary* states (transient ones are passed through); `union`, `intersect` and `minus` are
/// those of sets; `t` is in `post(a)` iff some `s` in `a` has a step to `t`; `s` is in `pre(b)` iff it has a step to some
/// `t` in `b`; so `post(a)` meets `b` iff `a` meets `pre(b)`.
pub trait StateSets {
    /// A set of states. Equality is equality of sets.
    type Set: Clone + Eq;

    /// No state.
    fn empty(&self) -> Self::Set;
    /// The initial states.
    fn initial(&self) -> Self::Set;
    /// The states in which the state label holds.
    fn satisfying(&self, label: LabelId) -> Self::Set;
    /// In one or the other.
    fn union(&self, a: &Self::Set, b: &Self::Set) -> Self::Set;
    /// In both.
    fn intersect(&self, a: &Self::Set, b: &Self::Set) -> Self::Set;
    /// In the first and not in the second.
    fn minus(&self, a: &Self::Set, b: &Self::Set) -> Self::Set;
    /// Where one step leads from the set.
    fn post(&self, set: &Self::Set) -> Self::Set;
    /// From where one step leads into the set.
    fn pre(&self, set: &Self::Set) -> Self::Set;
    /// A state of the set, always the same one; `None` if it is empty.
    fn pick(&self, set: &Self::Set) -> Option<Vec<u64>>;

    /// The states that can be reached from `from` in any number of steps, none included.
    fn reachable(&self, from: &Self::Set) -> Self::Set {
        let mut reached = from.clone();
        let mut frontier = from.clone();
        while frontier != self.empty() {
            frontier = self.minus(&self.post(&frontier), &reached);
            reached = self.union(&reached, &frontier);
        }
        reached
    }
}
