//! A set of states of a few words, in which each word is a *part* that takes few values.
//!
//! It is a tree of one level: the values of each part are numbered, and what is kept of a state are the numbers, side by side
//! in a key of two words, in a [`KeyStore`]. A number that outgrows its field of the key gets bits above all others, so that
//! keys, by which states are recalled, stay what they are. Each thread remembers what it looked up last.

use crate::interner::mix;
use crate::key_store::KeyStore;
use crate::memo::Memo;
use crate::tree::{Numbering, new_id};
use crate::{Budget, Full};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{PoisonError, RwLock, RwLockReadGuard};

/// States have at most so many parts.
const MOST_PARTS: usize = 8;
/// Values of parts of so few bits are their own numbers.
const MOST_DIRECT_BITS: u32 = 10;
/// There, so many bits more may come to vary.
const SPARE_BITS: u32 = 2;
/// Elsewhere, numbers may come to have so many bits more than those of the first states.
const GROWTH_BITS: u32 = 3;
/// Keys of more bits than this at first would need large entries; and such of more than this later, ones that there are not.
const MOST_FIRST_BITS: u32 = 70;
const MOST_KEY_BITS: u32 = 76;
/// A field that is too small becomes larger by so many bits.
const MORE_BITS: u32 = 2;
/// A number has at most so many bits.
const MOST_NUMBER_BITS: u32 = 31;
/// So many states are looked up at once.
const AT_ONCE: usize = 512;

/// In place of a number that is not known. No value has it.
const NO_NUMBER: u32 = u32::MAX;

/// Exact, for any number of threads.
#[derive(Debug)]
pub struct PartStore<'b> {
    budget: &'b Budget,
    /// What is remembered of numbers outside goes by this.
    id: u64,
    /// What was taken from the budget for what is remembered outside.
    lent_bytes: AtomicU64,
    names: RwLock<Names<'b>>,
    keys: KeyStore<'b>,
}

/// The numbers of values, and their places in keys.
#[derive(Debug)]
struct Names<'b> {
    parts: Vec<Numbering<'b>>,
    fields: Fields,
}

/// What one thread works with.
#[derive(Debug, Default)]
pub struct PartBatch {
    memo: Memo,
    /// The keys of the states that were looked up, of two words each.
    keys: Vec<u64>,
    new: Vec<u32>,
    missed: Vec<Missed>,
    /// The states that wait for numbers, with those that they have.
    waiting: Vec<(u32, [u32; MOST_PARTS])>,
}

/// A value whose number is not remembered.
#[derive(Clone, Copy, Debug)]
struct Missed {
    /// Which of the waiting states has it, and in which part.
    waiting: u32,
    part: u32,
    value: u64,
    hash: u64,
    candidate: u32,
}

/// What there is not enough of.
#[derive(Clone, Copy, Debug)]
enum Shortage {
    Values { part: usize, room: u64 },
    Field { part: usize, number: u32 },
}

impl PartBatch {
    /// The most memory that it takes for itself.
    pub fn most_bytes() -> u64 {
        let of_state = size_of::<(u32, [u32; MOST_PARTS])>() + MOST_PARTS * size_of::<Missed>();
        (2 * AT_ONCE * (of_state + 3 * size_of::<u64>()) + Memo::MOST_BYTES) as u64
    }
}

impl<'b> PartStore<'b> {
    /// The words of a key.
    pub const KEY_WORDS: usize = 2;

    /// An empty store that suits states like these, one after the other, of so many words each; `None` if keys would be too large. If it
    /// is to be used by one thread `alone`, nothing is done to keep threads apart.
    pub fn suiting(states: &[u64], words: usize, alone: bool, budget: &'b Budget) -> Result<Option<Self>, Full> {
        if !(1..=MOST_PARTS).contains(&words) {
            return Ok(None);
        }
        let (mut parts, mut bits) = (Vec::new(), Vec::new());
        for part in 0..words {
            let all = states.iter().skip(part).step_by(words).fold(0, |all, value| all | value);
            let used = u64::BITS - all.leading_zeros();
            let direct = if used <= MOST_DIRECT_BITS { 1 << (used + SPARE_BITS) } else { 1 };
            let mut values = Numbering::new(direct, budget)?;
            for &value in states.iter().skip(part).step_by(words) {
                values.number_alone(value)?;
            }
            let expected = u32::BITS - (values.top() - 1).leading_zeros();
            bits.push(if direct > 1 { expected } else { expected + GROWTH_BITS }.clamp(1, MOST_NUMBER_BITS));
            parts.push(values);
        }
        if bits.iter().sum::<u32>() > MOST_FIRST_BITS {
            return Ok(None);
        }
        let fields = Fields::new(&bits);
        let keys = KeyStore::new(fields.key_bits, alone, budget)?;
        let names = RwLock::new(Names { parts, fields });
        Ok(Some(Self { budget, id: new_id(), lent_bytes: AtomicU64::new(0), names, keys }))
    }

    // Poisoning is no news, as with the other stores.
    fn read(&self) -> RwLockReadGuard<'_, Names<'b>> {
        self.names.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// The number of states.
    pub fn len(&self) -> u64 {
        self.keys.len()
    }
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Whether a state could not be added because parts take more values than keys have room for.
    pub fn is_exhausted(&self) -> bool {
        self.read().fields.is_exhausted
    }
    /// What it takes of memory now.
    pub fn bytes(&self) -> u64 {
        let names = self.read();
        let numbers: u64 = names.parts.iter().map(Numbering::bytes).sum();
        self.keys.bytes() + numbers + self.lent_bytes.load(Ordering::Relaxed)
    }

    /// Looks up all states, one after the other in `words`, adds those that are absent, tells their numbers, and adds their keys to `keys`. If the
    /// budget does not allow to add one, those after it were not looked up.
    pub fn probe(
        &self,
        words: &[u64],
        with: &mut PartBatch,
        new: &mut Vec<u32>,
        keys: &mut Vec<u64>,
    ) -> Result<(), Full> {
        new.clear();
        let parts = self.read().parts.len();
        for (chunk, states) in (0..).zip(words.chunks(AT_ONCE * parts)) {
            let key_bits = self.name(states, with)?;
            let mut found = std::mem::take(&mut with.new);
            found.clear();
            let probed = self.keys.probe(&with.keys, Self::KEY_WORDS, key_bits, &mut found);
            for &number in &found {
                new.push(chunk * AT_ONCE as u32 + number);
                keys.extend_from_slice(&with.keys[number as usize * Self::KEY_WORDS..][..Self::KEY_WORDS]);
            }
            with.new = found;
            probed?;
        }
        Ok(())
    }

    /// Adds the keys of all states, one after the other in `words`, which need not be there.
    pub fn add_keys(&self, words: &[u64], with: &mut PartBatch, keys: &mut Vec<u64>) -> Result<(), Full> {
        let parts = self.read().parts.len();
        for states in words.chunks(AT_ONCE * parts) {
            self.name(states, with)?;
            keys.extend_from_slice(&with.keys);
        }
        Ok(())
    }

    /// Adds the states of keys.
    #[inline]
    pub fn recall(&self, keys: impl Iterator<Item = [u64; 2]>, states: &mut Vec<u64>) {
        let names = self.read();
        for key in keys {
            for (part, values) in names.parts.iter().enumerate() {
                states.push(values.value(names.fields.number(key, part)));
            }
        }
    }

    /// Finds the keys of states, and how many bits keys may have.
    fn name(&self, states: &[u64], with: &mut PartBatch) -> Result<u32, Full> {
        with.memo.expect(self.id, 0);
        let wanted_bytes = with.memo.wanted_bytes();
        if wanted_bytes > 0 {
            self.lend(wanted_bytes, &mut with.memo);
        }
        loop {
            let names = self.read();
            let named = match names.parts.len() {
                1 => names.name::<1>(states, with),
                2 => names.name::<2>(states, with),
                3 => names.name::<3>(states, with),
                4 => names.name::<4>(states, with),
                5 => names.name::<5>(states, with),
                6 => names.name::<6>(states, with),
                7 => names.name::<7>(states, with),
                _ => names.name::<MOST_PARTS>(states, with),
            };
            let key_bits = names.fields.key_bits;
            drop(names);
            match named {
                Ok(()) => return Ok(key_bits),
                Err(lack) => self.names.write().unwrap_or_else(PoisonError::into_inner).make_room(lack, self.budget)?,
            }
        }
    }

    /// Lets a memo that forgets too much have more memory, if there is some. It has this for as long as there is this store.
    #[cold]
    fn lend(&self, wanted_bytes: u64, memo: &mut Memo) {
        // Small budgets have better uses for it.
        let is_little = wanted_bytes <= self.budget.limit_bytes() / 64;
        let granted = is_little && self.budget.take(wanted_bytes).is_ok();
        if granted {
            self.lent_bytes.fetch_add(wanted_bytes, Ordering::Relaxed);
        }
        memo.grow(granted);
    }
}

impl Drop for PartStore<'_> {
    fn drop(&mut self) {
        self.budget.give_back(*self.lent_bytes.get_mut());
    }
}

impl Names<'_> {
    /// Finds the keys of states of `N` parts.
    fn name<const N: usize>(&self, states: &[u64], with: &mut PartBatch) -> Result<(), Shortage> {
        let PartBatch { memo, keys, missed, waiting, .. } = with;
        let states = states.as_chunks::<N>().0;
        let first: &[First; N] = self.fields.first[..].try_into().expect("a field for each part");
        let direct: [u64; N] = std::array::from_fn(|part| self.parts[part].direct_values());
        (missed.clear(), waiting.clear());
        keys.clear();
        keys.resize(2 * states.len(), 0);
        for (state, (values, key)) in states.iter().zip(keys.as_chunks_mut::<2>().0).enumerate() {
            let mut numbers = [0; N];
            let (mut all_known, mut too_great) = (true, 0);
            for part in 0..N {
                let value = values[part];
                if value < direct[part] {
                    numbers[part] = value as u32;
                } else {
                    let number = memo.find(part as u32, value).1;
                    all_known &= number.is_some();
                    numbers[part] = number.unwrap_or(NO_NUMBER);
                }
                too_great |= numbers[part] & first[part].too_great;
                first[part].add(numbers[part], key);
            }
            if !all_known {
                self.miss(state as u32, values, numbers, memo, missed, waiting);
            } else if too_great != 0 {
                *key = self.fields.key(&numbers)?;
            }
        }
        self.find_missed(with)
    }

    /// Lets a state wait for the numbers that are not known.
    #[cold]
    #[inline(never)]
    fn miss<const N: usize>(
        &self,
        state: u32,
        values: &[u64; N],
        numbers: [u32; N],
        memo: &mut Memo,
        missed: &mut Vec<Missed>,
        waiting: &mut Vec<(u32, [u32; MOST_PARTS])>,
    ) {
        let mut known = [0; MOST_PARTS];
        known[..N].copy_from_slice(&numbers);
        for part in (0..N).filter(|&part| numbers[part] == NO_NUMBER) {
            let (value, hash) = (values[part], mix(values[part]));
            memo.missed();
            self.parts[part].prefetch(hash);
            missed.push(Missed { waiting: waiting.len() as u32, part: part as u32, value, hash, candidate: NO_NUMBER });
        }
        waiting.push((state, known));
    }

    /// Finds the numbers that states wait for, and the keys of these.
    fn find_missed(&self, with: &mut PartBatch) -> Result<(), Shortage> {
        let PartBatch { memo, keys, missed, waiting, .. } = with;
        for missed in missed.iter_mut() {
            missed.candidate = self.parts[missed.part as usize].candidate(missed.hash).unwrap_or(NO_NUMBER);
        }
        for &Missed { waiting: state, part, value, hash, candidate } in missed.iter() {
            let values = &self.parts[part as usize];
            let number = match candidate {
                number if number != NO_NUMBER && values.value(number) == value => number,
                _ => {
                    let lack = |_| Shortage::Values { part: part as usize, room: values.room() };
                    values.number(value, hash).map_err(lack)?
                }
            };
            memo.remember(part, value, hash, number);
            waiting[state as usize].1[part as usize] = number;
        }
        for (state, numbers) in waiting.iter() {
            let key = self.fields.key(&numbers[..self.parts.len()])?;
            keys[2 * *state as usize..][..2].copy_from_slice(&key);
        }
        Ok(())
    }

    /// Makes room, unless somebody else has.
    fn make_room(&mut self, lack: Shortage, budget: &Budget) -> Result<(), Full> {
        match lack {
            Shortage::Values { part, room } => self.parts[part].grow(room),
            Shortage::Field { part, number } => self.fields.widen(part, number, budget),
        }
    }
}

/// Where the fields of numbers are in keys.
#[derive(Debug)]
struct Fields {
    /// The fields that the numbers had at first, which do not cross words.
    first: Vec<First>,
    /// What they got later.
    more: Vec<Span>,
    /// By part, how many bits its numbers may have.
    bits: Vec<u32>,
    key_bits: u32,
    /// Whether a number had no room.
    is_exhausted: bool,
}

/// The first field of a number.
#[derive(Clone, Copy, Debug)]
struct First {
    /// The bits of a number that do not fit.
    too_great: u32,
    /// Where it begins, and all ones for the word of the key that has it.
    to: u32,
    word: [u64; 2],
}

/// Bits of a number that stand side by side in a word of the key.
#[derive(Clone, Copy, Debug)]
struct Span {
    part: u32,
    /// Where in the number they begin.
    from: u32,
    mask: u64,
    word: u32,
    to: u32,
}

impl First {
    /// Writes a number, as far as it fits.
    #[inline(always)]
    fn add(&self, number: u32, key: &mut [u64; 2]) {
        let placed = u64::from(number & !self.too_great) << self.to;
        key[0] |= placed & self.word[0];
        key[1] |= placed & self.word[1];
    }
}

impl Fields {
    /// Fields of so many bits.
    fn new(bits: &[u32]) -> Self {
        let mut fields = Self { first: Vec::new(), more: Vec::new(), bits: bits.to_vec(), key_bits: 0, is_exhausted: false };
        for part in 0..bits.len() {
            // The last one before the end of a word has the rest of it.
            let room = 64 - fields.key_bits % 64;
            let next = bits.get(part + 1).copied().unwrap_or(0);
            if room < bits[part] + next && room >= bits[part] && part + 1 < bits.len() {
                fields.bits[part] = room.min(MOST_NUMBER_BITS);
            }
            if room < bits[part] {
                fields.key_bits += room;
            }
            let (at, bits) = (fields.key_bits, fields.bits[part]);
            let too_great = !(u32::MAX >> (32 - bits));
            let word = if at < 64 { [u64::MAX, 0] } else { [0, u64::MAX] };
            fields.first.push(First { too_great, to: at % 64, word });
            fields.key_bits += bits;
        }
        fields
    }

    /// The key of these numbers.
    fn key(&self, numbers: &[u32]) -> Result<[u64; 2], Shortage> {
        let mut key = [0; 2];
        for (part, (&number, first)) in numbers.iter().zip(&self.first).enumerate() {
            if u64::from(number) >> self.bits[part] != 0 {
                return Err(Shortage::Field { part, number });
            }
            first.add(number, &mut key);
        }
        for span in &self.more {
            key[span.word as usize] |= (u64::from(numbers[span.part as usize]) >> span.from & span.mask) << span.to;
        }
        Ok(key)
    }

    /// The number of a part.
    #[inline(always)]
    fn number(&self, key: [u64; 2], part: usize) -> u32 {
        let First { too_great, to, word } = self.first[part];
        let first = (((key[0] & word[0]) | (key[1] & word[1])) >> to) as u32 & !too_great;
        let more = self.more.iter().filter(|span| span.part as usize == part);
        more.fold(first, |number, span| number | ((key[span.word as usize] >> span.to & span.mask) << span.from) as u32)
    }

    /// Makes room for the numbers of a part up to this one, unless there is.
    fn widen(&mut self, part: usize, number: u32, budget: &Budget) -> Result<(), Full> {
        let needed = u32::BITS - number.leading_zeros();
        let Some(missing) = needed.checked_sub(self.bits[part]).filter(|&missing| missing > 0) else { return Ok(()) };
        let bits = missing.max(MORE_BITS).min(MOST_NUMBER_BITS.saturating_sub(self.bits[part]));
        if bits < missing || self.key_bits + bits > MOST_KEY_BITS {
            self.is_exhausted = true;
            return Err(Full { limit_bytes: budget.limit_bytes() });
        }
        let end = self.bits[part] + bits;
        while self.bits[part] < end {
            let (word, to) = (self.key_bits / 64, self.key_bits % 64);
            let here = (end - self.bits[part]).min(64 - to);
            self.more.push(Span { part: part as u32, from: self.bits[part], mask: u64::MAX >> (64 - here), word, to });
            self.bits[part] += here;
            self.key_bits += here;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_stay_what_they_are_when_fields_grow() {
        let budget = Budget::new(0);
        for bits in [vec![3, 5], vec![20, 30, 10, 9], vec![31, 31, 2], vec![10; 7], vec![1; 8]] {
            let mut fields = Fields::new(&bits);
            let mut known: Vec<(Vec<u32>, [u64; 2])> = Vec::new();
            let mut random = 7_u64;
            'more: for round in 0..200_u32 {
                let most = (8 + round / 8).min(MOST_NUMBER_BITS);
                let numbers: Vec<u32> = bits
                    .iter()
                    .map(|_| {
                        random = mix(random);
                        (random >> 33) as u32 >> (31 - most)
                    })
                    .collect();
                let key = loop {
                    match fields.key(&numbers) {
                        Ok(key) => break key,
                        Err(Shortage::Field { part, number }) => {
                            if fields.widen(part, number, &budget).is_err() {
                                break 'more;
                            }
                        }
                        Err(lack) => panic!("{lack:?}"),
                    }
                };
                let within = |bits: u32| u128::from(key[0]) | u128::from(key[1]) << 64 < 1_u128 << bits;
                assert!(fields.key_bits >= 127 || within(fields.key_bits));
                known.push((numbers, key));
                for (numbers, key) in &known {
                    assert_eq!(fields.key(numbers).unwrap(), *key);
                    for (part, number) in numbers.iter().enumerate() {
                        assert_eq!(fields.number(*key, part), *number);
                    }
                }
            }
            assert!(known.len() > 8);
        }
    }
}
