//! The different values of a variable: counted one by one, up to a number that tells enough.

use super::memory::ProfileMemory;
use super::sketch::mix;
use lariat_engine::profile::ValueCount;

/// More different values than this are not told apart.
const MOST: usize = 1 << 16;
const FIRST_SLOTS: usize = 16;

/// A set of numbers. Up to [`MOST`] it is exact, and so is the knowledge that there are more.
#[derive(Debug, Default)]
pub(crate) struct Values {
    /// Open addressing; a power of two of slots, 0 for an empty one.
    slots: Vec<u64>,
    count: usize,
    zero: bool,
    /// There were more than `count`; they are not kept any more.
    more: bool,
}

impl Values {
    /// Adds a value; `memory` pays where the set grows, and if it cannot the set grows no more.
    pub(crate) fn add(&mut self, value: u64, memory: &mut ProfileMemory<'_>) {
        if self.more {
            return;
        }
        if value == 0 {
            self.count += usize::from(!self.zero);
            self.zero = true;
        } else {
            if self.count * 2 >= self.slots.len() && !self.grow(memory) {
                return self.forget();
            }
            let slot = find(&self.slots, value);
            self.count += usize::from(self.slots[slot] == 0);
            self.slots[slot] = value;
        }
        if self.count > MOST {
            self.count = MOST;
            self.forget();
        }
    }

    fn forget(&mut self) {
        self.more = true;
        self.slots = Vec::new();
    }

    fn grow(&mut self, memory: &mut ProfileMemory<'_>) -> bool {
        let len = (self.slots.len() * 2).max(FIRST_SLOTS);
        if !memory.take((len * size_of::<u64>()) as u64) {
            return false;
        }
        let mut slots = vec![0; len];
        for &value in self.slots.iter().filter(|&&value| value != 0) {
            let slot = find(&slots, value);
            slots[slot] = value;
        }
        self.slots = slots;
        true
    }

    /// Adds all that was added to the other.
    pub(crate) fn merge(&mut self, other: &Values, memory: &mut ProfileMemory<'_>) {
        if other.zero {
            self.add(0, memory);
        }
        other.slots.iter().filter(|&&value| value != 0).for_each(|&value| self.add(value, memory));
        if other.more && !self.more {
            self.count = other.count;
            self.forget();
        }
    }

    pub(crate) fn count(&self) -> ValueCount {
        let count = self.count as u64;
        if self.more { ValueCount::MoreThan(count) } else { ValueCount::Exactly(count) }
    }
}

/// The slot that holds the value, or the empty one where it belongs.
fn find(slots: &[u64], value: u64) -> usize {
    let mask = slots.len() - 1;
    let mut slot = mix(value) as usize & mask;
    while slots[slot] != 0 && slots[slot] != value {
        slot = (slot + 1) & mask;
    }
    slot
}

#[cfg(test)]
mod tests {
    use super::super::memory::ProfileBudget;
    use super::*;
    use lariat_store::Budget;

    #[test]
    fn values_are_counted_once_up_to_the_limit() {
        let budget = Budget::new(1 << 30);
        let share = ProfileBudget::new(&budget);
        let mut memory = ProfileMemory::new(&share);
        let mut values = Values::default();
        for value in (0..1000).chain(0..1000).chain([u64::MAX]) {
            values.add(value, &mut memory);
        }
        assert_eq!(values.count(), ValueCount::Exactly(1001));
        let mut others = Values::default();
        (500..MOST as u64).for_each(|value| others.add(value, &mut memory));
        assert_eq!(others.count(), ValueCount::Exactly(MOST as u64 - 500));
        values.merge(&others, &mut memory);
        assert_eq!(values.count(), ValueCount::MoreThan(MOST as u64));
        drop(memory);
        assert_eq!(budget.used_bytes(), 0);
    }

    #[test]
    fn who_cannot_pay_stops_counting() {
        let budget = Budget::new(8 * (FIRST_SLOTS * size_of::<u64>()) as u64);
        let share = ProfileBudget::new(&budget);
        let mut memory = ProfileMemory::new(&share);
        let mut values = Values::default();
        (1..100).for_each(|value| values.add(value, &mut memory));
        assert_eq!(values.count(), ValueCount::MoreThan(8));
    }
}
