//! The order in which a depth-first search follows the steps of a state.

use crate::cycle::Edge;
use lariat_store::Handle;

/// Which step of a state is followed first. The same in every run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Order {
    /// The first one: of the youngest process, as SPIN does it.
    #[default]
    Forward,
    /// The last one: of the oldest process.
    Backward,
    /// Another one in each state, so that no process runs alone for long.
    Mixed,
}

impl Order {
    /// All of them.
    pub(crate) const ALL: [Self; 3] = [Self::Backward, Self::Forward, Self::Mixed];
    /// Those that a search which goes forward itself has not tried.
    pub(crate) const OTHERS: [Self; 2] = [Self::Backward, Self::Mixed];

    /// Puts the edges of a state into the order, the one to be followed first in front.
    pub(crate) fn arrange(self, source: Handle, edges: &mut [Edge]) {
        match self {
            Self::Forward => {}
            Self::Backward => edges.reverse(),
            Self::Mixed => {
                // Handles are given in the order of visits, and are the same in every run.
                let mut random = source.0;
                for last in (1..edges.len()).rev() {
                    random = scrambled(random.wrapping_add(0x9E37_79B9_7F4A_7C15));
                    edges.swap(last, (random % (last as u64 + 1)) as usize);
                }
            }
        }
    }
}

/// The finalizer of SplitMix64 (Steele, Lea, Flood 2014).
fn scrambled(number: u64) -> u64 {
    let number = (number ^ (number >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    number ^ (number >> 31)
}
