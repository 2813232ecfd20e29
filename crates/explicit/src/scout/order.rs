//! The order in which a depth-first search follows the steps of a state.

use lariat_store::Handle;

/// Which step of a state is followed first. The same in every run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Order {
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
    pub const ALL: [Self; 3] = [Self::Backward, Self::Forward, Self::Mixed];
    /// Those that a search which goes forward itself has not tried.
    pub(crate) const OTHERS: [Self; 2] = [Self::Backward, Self::Mixed];

    /// Puts the edges of a state into the order, the one to be followed first in front.
    pub(crate) fn arrange<E>(self, source: Handle, edges: &mut [E]) {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_order_has_every_edge_once_and_is_the_same_again() {
        let arranged = |order: Order, source: u64| {
            let mut arranged: Vec<u64> = (0..20).collect();
            order.arrange(Handle(source), &mut arranged);
            arranged
        };
        for order in Order::ALL {
            for source in 0..100 {
                let targets = arranged(order, source);
                assert_eq!(targets, arranged(order, source));
                let mut sorted = targets.clone();
                sorted.sort_unstable();
                assert!(sorted.into_iter().eq(0..20));
            }
        }
        assert_eq!(arranged(Order::Forward, 7)[0], 0);
        assert_eq!(arranged(Order::Backward, 7)[0], 19);
        assert!((0..100).any(|source| arranged(Order::Mixed, source)[0] != arranged(Order::Mixed, 0)[0]));
    }
}
