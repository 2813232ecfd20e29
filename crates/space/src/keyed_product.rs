//! A product whose states are keys.
//!
//! The space of the system leaves the lowest bits of its keys to the observer, and carries them from a source to the targets. So a
//! key of the product is one of the system with the state of the observer in these bits, and what the system lists are the steps of
//! the product already where the observer stays where it is. Labels are read from keys.

use crate::{
    KeyLister, KeyMove, KeyMoves, KeyedSpace, KeyedSteps, Keys, LabelSet, Letter, Observer, ObserverState, Product,
    State, StateSpace, WantedKeys,
};
use lariat_automata::MarkSet;
use lariat_system::DeadEnds;
use std::fmt;

/// A layer above a product, which leaves out steps by the state of the observer, or looks at their marks.
pub trait Watch: Sync {
    /// Whether there are no steps from any state any more.
    fn is_over(&self) -> bool {
        false
    }
    /// Whether there are no steps where the observer is in this state: only there are dead ends that matter.
    fn ends_at(&self, state: ObserverState) -> bool {
        let _ = state;
        false
    }
    /// Whether a step with these marks would be new to it.
    fn is_news(&self, from: ObserverState, to: ObserverState, marks: &MarkSet) -> bool {
        let _ = (from, to, marks);
        false
    }
    /// There is such a step.
    fn meet(&self, from: ObserverState, to: ObserverState, marks: &MarkSet) {
        let _ = (from, to, marks);
    }
}

impl<S: StateSpace, O: Observer> Product<'_, S, O> {
    /// What [`keyed`](StateSpace::keyed) gives, watched while steps are listed.
    pub fn keys_watched_by<'p>(
        &'p self,
        watch: Option<&'p dyn Watch>,
        wanted: WantedKeys,
        states: &mut dyn FnMut() -> Vec<u64>,
    ) -> Keys<'p> {
        if wanted.observed_bits.is_some() || !self.can_be_keyed() {
            return Keys::Never;
        }
        let words = self.words_per_state();
        let observed_bits = u32::BITS - self.observer().states().saturating_sub(1).leading_zeros();
        let mut of_system = || {
            let states = states();
            states.chunks_exact(words).flat_map(|state| &state[..words - 1]).copied().collect()
        };
        let wanted = WantedKeys { observed_bits: Some(observed_bits), ..wanted };
        match self.space().keyed(wanted, &mut of_system) {
            Keys::Now(keyed) => {
                let mask = (1 << observed_bits) - 1;
                Keys::Now(Box::new(KeyedProduct::new(self, keyed, mask, watch)))
            }
            Keys::Later => Keys::Later,
            Keys::Never => Keys::Never,
        }
    }
}

/// A product of a [`KeyedSpace`].
struct KeyedProduct<'p, S, O> {
    product: &'p Product<'p, S, O>,
    keyed: Box<dyn KeyedSpace<'p> + 'p>,
    /// The bits of the observer.
    mask: u64,
    moves: KeyMoves,
    watch: Option<&'p dyn Watch>,
}

impl<S, O> fmt::Debug for KeyedProduct<'_, S, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KeyedProduct").field("keyed", &self.keyed).finish_non_exhaustive()
    }
}

impl<'p, S: StateSpace, O: Observer> KeyedProduct<'p, S, O> {
    fn new(
        product: &'p Product<'p, S, O>,
        keyed: Box<dyn KeyedSpace<'p> + 'p>,
        mask: u64,
        watch: Option<&'p dyn Watch>,
    ) -> Self {
        let mut moves = keyed.moves().clone();
        if mask != 0 {
            moves.moves.push(KeyMove { word: moves.base.len(), mask, key_word: 0, shift: 0 });
        }
        moves.base.push(0);
        Self { product, keyed, mask, moves, watch }
    }
}

impl<'p, S: StateSpace, O: Observer> KeyedSpace<'p> for KeyedProduct<'p, S, O> {
    fn key_words(&self) -> usize {
        self.keyed.key_words()
    }
    fn is_narrow(&self) -> bool {
        self.keyed.is_narrow()
    }
    fn key_bits(&self) -> u32 {
        self.keyed.key_bits()
    }
    fn pack(&self, state: &State, keys: &mut Vec<u64>) -> bool {
        let begin = keys.len();
        let (system, observed) = self.product.split(state);
        let fits = self.keyed.pack(system, keys);
        if fits {
            keys[begin] |= u64::from(observed);
        }
        fits
    }
    fn unpack(&self, keys: &[u64], states: &mut Vec<u64>) {
        for key in keys.chunks_exact(self.key_words()) {
            self.keyed.unpack(key, states);
            states.push(key[0] & self.mask);
        }
    }
    fn moves(&self) -> &KeyMoves {
        &self.moves
    }
    fn observed(&self, key: &[u64]) -> ObserverState {
        (key[0] & self.mask) as ObserverState
    }
    fn lister(&self) -> Box<dyn KeyLister + '_> {
        let lister = self.keyed.lister();
        let spare = KeyedSteps::default();
        Box::new(Lister { keyed: self, lister, found: Vec::new(), found_for: None, listed: Vec::new(), spare })
    }
    fn widened(&self, states: &[u64]) -> Option<Box<dyn KeyedSpace<'p> + 'p>> {
        let words = self.product.words_per_state();
        let of_system: Vec<u64> = states.chunks_exact(words).flat_map(|state| &state[..words - 1]).copied().collect();
        let keyed = self.keyed.widened(&of_system)?;
        Some(Box::new(KeyedProduct::new(self.product, keyed, self.mask, self.watch)))
    }
}

/// Lists the steps of a product by those of its system.
struct Lister<'l, 'p, S, O> {
    keyed: &'l KeyedProduct<'p, S, O>,
    lister: Box<dyn KeyLister + 'l>,
    /// The moves of the observer that were found last, where they are not written down, and the state and labels they are for.
    found: Vec<(ObserverState, MarkSet)>,
    found_for: Option<(ObserverState, LabelSet)>,
    /// The targets of a source, before they are multiplied by moves.
    listed: Vec<u64>,
    /// What is listed to know whether keys say enough of a source, and then forgotten.
    spare: KeyedSteps,
}

/// What the observer does in the state of a source.
enum Way<'m> {
    /// It has no move, so there are no steps.
    Nothing,
    /// There are no steps, and this is reported as a dead end.
    End,
    /// It stays, and its marks are not watched.
    Stay,
    /// It makes these moves with each step; `None` if they are those that were found.
    Moves(Option<&'m [(ObserverState, MarkSet)]>),
}

impl<'p, S: StateSpace, O: Observer> Lister<'_, 'p, S, O> {
    /// What the observer does in a state.
    fn look(&mut self, key: &[u64]) -> Way<'p> {
        let KeyedProduct { product, mask, watch, .. } = *self.keyed;
        let from = (key[0] & mask) as ObserverState;
        if watch.is_some_and(|watch| watch.ends_at(from)) {
            return Way::End;
        }
        let labels = self.lister.labels(key);
        let letter = Letter { state: &labels, step: &LabelSet::EMPTY };
        let written = product.observer().written_moves(from, letter);
        if written.is_none() && !self.found_for.as_ref().is_some_and(|(at, letter)| *at == from && *letter == labels) {
            product.find_moves(from, letter, &mut self.found);
            self.found_for = Some((from, labels));
        }
        match written.unwrap_or(&self.found) {
            [] => Way::Nothing,
            [(to, marks)] if *to == from && !watch.is_some_and(|watch| watch.is_news(from, from, marks)) => Way::Stay,
            _ => Way::Moves(written),
        }
    }

    /// Lists steps of sources where the observer stays.
    fn stay(&mut self, sources: &[u64], steps: &mut KeyedSteps) {
        let dead_ends = steps.dead_ends.len();
        let first = steps.sources;
        self.lister.list(sources, steps);
        let key_words = self.keyed.key_words();
        if self.keyed.product.dead_ends() == DeadEnds::Stutter {
            for &number in &steps.dead_ends[dead_ends..] {
                let key = &sources[(number as usize - first) * key_words..][..key_words];
                steps.targets.extend_from_slice(key);
                steps.count += 1;
            }
        }
        steps.dead_ends.truncate(dead_ends);
    }

    /// Lists nothing of a source where the observer has no move. Labels may speak of a process of a kind that was never seen where it lives,
    /// and are wrong then. Such a source is left out, which listing the steps of the system shows.
    fn nothing(&mut self, source: &[u64], steps: &mut KeyedSteps) {
        self.spare.clear();
        self.lister.list(source, &mut self.spare);
        if !self.spare.left_out.is_empty() {
            steps.left_out.push(steps.sources as u32);
        }
        steps.sources += 1;
    }

    /// Lists the steps of one source, with these moves.
    fn go(&mut self, source: &[u64], moves: &[(ObserverState, MarkSet)], steps: &mut KeyedSteps) {
        let KeyedProduct { mask, watch, .. } = *self.keyed;
        let (begin, left_out) = (steps.targets.len(), steps.left_out.len());
        let (count, long) = (steps.count, steps.long);
        self.stay(source, steps);
        if steps.left_out.len() > left_out || steps.targets.len() == begin {
            return;
        }
        let from = source[0] & mask;
        if let Some(watch) = watch {
            moves.iter().for_each(|(to, marks)| watch.meet(from as ObserverState, *to, marks));
        }
        if let [(to, _)] = moves {
            let change = from ^ u64::from(*to);
            steps.targets[begin..].iter_mut().step_by(source.len()).for_each(|word| *word ^= change);
            return;
        }
        self.listed.clear();
        self.listed.extend_from_slice(&steps.targets[begin..]);
        steps.targets.truncate(begin);
        for target in self.listed.chunks_exact(source.len()) {
            for (to, _) in moves {
                let at = steps.targets.len();
                steps.targets.extend_from_slice(target);
                steps.targets[at] ^= from ^ u64::from(*to);
            }
        }
        let moves = moves.len() as u64;
        steps.count = count + (steps.count - count) * moves;
        steps.long = long + (steps.long - long) * moves;
    }
}

/// Listing ends when there are so many targets.
const MANY_TARGETS: usize = 1024;

impl<S: StateSpace, O: Observer> KeyLister for Lister<'_, '_, S, O> {
    fn labels(&mut self, key: &[u64]) -> LabelSet {
        self.lister.labels(key)
    }

    fn list(&mut self, sources: &[u64], steps: &mut KeyedSteps) {
        let key_words = self.keyed.key_words();
        let is_over = self.keyed.watch.is_some_and(Watch::is_over);
        let count = sources.len() / key_words;
        // Those before `next` whose steps are still to be listed, with the observer where it is.
        let (mut first, mut next) = (0, 0);
        while next < count {
            let source = &sources[next * key_words..][..key_words];
            let way = if is_over { Way::End } else { self.look(source) };
            if !matches!(way, Way::Stay) {
                while first < next {
                    let before = steps.sources;
                    self.stay(&sources[first * key_words..next * key_words], steps);
                    first += steps.sources - before;
                    if first < next {
                        break;
                    }
                }
                if first < next || steps.targets.len() >= MANY_TARGETS {
                    // What this source does is found out anew when it is its turn.
                    return;
                }
                match way {
                    Way::Moves(Some(moves)) => self.go(source, moves, steps),
                    Way::Moves(None) => {
                        let moves = std::mem::take(&mut self.found);
                        self.go(source, &moves, steps);
                        self.found = moves;
                    }
                    // When all is over, no dead end is reported any more.
                    Way::End if is_over => steps.sources += 1,
                    Way::End => {
                        steps.dead_ends.push(steps.sources as u32);
                        steps.sources += 1;
                    }
                    Way::Nothing => self.nothing(source, steps),
                    Way::Stay => unreachable!("sources where the observer stays are listed together"),
                }
                first = next + 1;
            }
            next += 1;
        }
        if first < next {
            self.stay(&sources[first * key_words..], steps);
        }
    }
}
