//! What hybrid storage comes to, by the laws of its paper (Godefroid, Holzmann 1993, section 4.2).

use lariat_base::words;

words! {
    /// Which part of a state of a product is its tail, for hybrid storage. The state of the search, its *demon*, always is.
    #[derive(Default)]
    pub enum Split {
        /// Nothing else: an entry for each state of the product.
        Demon = "demon",
        /// The state of the automaton too.
        Claim = "claim",
        /// The state of the automaton, and how far the round of marks has come where acceptance is by copies. An entry for each
        /// state of the system.
        #[default]
        ClaimFairness = "claim_fairness",
    }
}

impl Split {
    /// Whether the state of the automaton is in the tail.
    pub fn has_claim(self) -> bool {
        self != Self::Demon
    }
    /// Whether the level of the copies is in the tail.
    pub fn has_fairness(self) -> bool {
        self == Self::ClaimFairness
    }
}

/// How many entries hybrid storage has made of how many states.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Packing {
    /// The entries: different heads.
    pub packets: u64,
    /// The entries if each state had one for itself, and another one if it was searched a second time.
    pub states: u64,
    /// The bits of a head.
    pub head_bits: u64,
    /// How many tails a head can have.
    pub tails: u64,
}

impl Packing {
    /// The bits that tell one tail from another.
    pub fn tail_bits(&self) -> u64 {
        u64::from(self.tails.max(1).next_power_of_two().ilog2())
    }
    /// The bits of a packet for its tails. Where there is one tail, nobody asks which.
    pub fn field_bits(&self) -> u64 {
        if self.tails > 1 { self.tails } else { 0 }
    }
    /// What a state takes that is stored for itself, in whole bytes.
    pub fn state_bytes(&self) -> u64 {
        (self.head_bits + self.tail_bits()).div_ceil(8)
    }
    /// What a packet takes, in whole bytes.
    pub fn packet_bytes(&self) -> u64 {
        (self.head_bits + self.field_bits()).div_ceil(8)
    }
    /// What all states take, each stored for itself.
    pub fn classical_bytes(&self) -> u64 {
        self.states * self.state_bytes()
    }
    /// What all packets take.
    pub fn hybrid_bytes(&self) -> u64 {
        self.packets * self.packet_bytes()
    }
    /// The share of states whose head was known already.
    pub fn matched(&self) -> f64 {
        self.states.saturating_sub(self.packets) as f64 / self.states.max(1) as f64
    }
    /// The share from which on packets are smaller.
    pub fn break_even(&self) -> f64 {
        let more = self.field_bits() as f64 - (self.tails.max(1) as f64).log2();
        more / (self.head_bits + self.field_bits()).max(1) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_those_of_the_paper() {
        // Table 1, where a state of the system takes 20 bytes.
        let row = |packets, states, tails| Packing { packets, states, head_bits: 160, tails };
        let bytes = |row: Packing| (row.classical_bytes(), row.hybrid_bytes());
        assert_eq!(bytes(row(101, 101, 1)), (2020, 2020));
        assert_eq!(bytes(row(101, 243, 2 * 2)), (5103, 2121));
        assert_eq!(bytes(row(101, 670, 16 * 2)), (14_070, 2424));
        // Example 4.1.
        let example = Packing { packets: 1, states: 1, head_bits: 999, tails: 2 };
        assert!((example.break_even() - 1.0 / 1001.0).abs() < 1e-12);
    }
}
