//! Keys: the bits of states that vary, side by side in a few words.
//!
//! Of the bits of a state few ever vary, and which do is known after some thousand states. The *packing* of these gives each
//! a place in a key. The others are known: no key has them, and a state in which one of them differs *does not fit*. A packing
//! that is [widened](Packing::widened) gives such bits places that no key had before, where a 0 stands for what the bit always
//! was until then. So keys stay what they are.
//!
//! The cells of an array that is indexed at run time are kept with the same bits each, at equal distances, all inside one word
//! of the key.
//!
//! Where bits are scarce some that vary have no place: they always change together with another one, which they
//! [follow](super::following). A place that such a bit gets later tells where it does not follow. There, too, code is
//! [looked at](super::ranges) for which cells of an array it may index: those of one channel are an array of their own.

use super::following::{self, Followers, NOBODY};
use super::grouping::{self, NO_WORD, entries_of, for_instances};
use super::ranges::{self, Access, Range};
use super::spread::Spread;
use crate::code::CellField;
use crate::compile::Program;
use lariat_base::Id;
use lariat_space::{KeyFollow, KeyMove, KeyMoves};
use lariat_system::{ActionId, System};
use std::collections::BTreeMap;

/// No place.
const NONE: u16 = u16::MAX;

/// A few neighbouring bits of a field, and where they stand in the key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct KeyRun {
    /// The first of them in the field.
    pub(super) from: u32,
    /// The word of the key, and the first bit in it.
    pub(super) word: u32,
    pub(super) shift: u32,
    pub(super) len: u32,
    /// For cells of an array: how much further on they stand in the next cell.
    pub(super) step: u32,
}

impl KeyRun {
    /// As many ones as it has bits.
    pub(super) fn mask(&self) -> u64 {
        u64::MAX >> (64 - self.len)
    }
}

/// Bits of a word of the state that stand in a word of the key, all as much further on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Moved {
    key_word: u32,
    /// How far the word of the key is to be turned left, for the bits to stand as in the state.
    turn: u32,
    /// The bits, as they stand in the key.
    mask: u64,
}

/// An array that is indexed at run time, or a part of one: its first bit, and its cells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Array {
    begin: usize,
    stride: usize,
    cells: usize,
    mask: u64,
}

/// What keys are to be like.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Wish {
    /// The most bits that each word may have.
    pub(crate) most: &'static [u8],
    /// Whether bits may follow others, and arrays be cut where code looks only into parts of them.
    pub(crate) thrifty: bool,
    /// Whether what is written together is to stand in the same word.
    pub(crate) grouped: bool,
}

/// Which cells an index may name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Cells {
    /// The one that begins at this bit of the state.
    One(u32),
    /// None: it is outside.
    Outside,
    /// Those from `first` on, which begin at this bit, are so many. If code comes with another index there is no key.
    Some { bit: u32, first: u32, cells: u32 },
    /// No key has them.
    Unknown,
}

/// Where the bits of states stand in keys.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Packing {
    /// By word of the state: what it always is, where it is not in the key; what a 0 in the key stands for, where it is.
    base: Vec<u64>,
    /// By word of the state: which of its bits are in the key.
    kept: Vec<u64>,
    /// By bit of the state: its bit in the key.
    places: Vec<u16>,
    /// By bit of the state: the bit that it follows.
    leaders: Vec<u16>,
    /// By word of the state: which of its bits follow which.
    followers: Vec<Vec<Followers>>,
    arrays: Vec<Array>,
    /// By bit of the state, the word of the key that it is to stand in, if there is room.
    words: Vec<u16>,
    /// By word of the key, how many of its bits have a meaning, from the low end.
    taken: Vec<u8>,
    /// The most bits that each word of a key may have.
    most: &'static [u8],
    /// By word of the state.
    moves: Vec<Vec<Moved>>,
}

impl Packing {
    /// A packing for these states, one after the other; `None` if there is none.
    pub(crate) fn learned(
        program: &Program,
        system: &System,
        spread: &Spread,
        states: &[u64],
        wish: Wish,
    ) -> Option<Self> {
        let words = program.layout.words;
        if states.len() < words {
            return None;
        }
        let base = states[..words].to_vec();
        let mut packing = Self {
            base,
            kept: vec![0; words],
            places: vec![NONE; words * 64],
            leaders: vec![NOBODY; words * 64],
            followers: vec![Vec::new(); words],
            arrays: arrays_of(program, spread),
            words: vec![NO_WORD; words * 64],
            taken: vec![0],
            most: wish.most,
            moves: Vec::new(),
        };
        let mut needed = packing.differing(states);
        let control = packing.control_of_holders(program, spread)?;
        needed.iter_mut().zip(&control).for_each(|(needed, control)| *needed |= control);
        if wish.thrifty {
            let mut free: Vec<u64> = control.iter().map(|control| !control).collect();
            packing.for_bits_of_arrays(|_, bit| free[bit / 64] &= !(1 << (bit % 64)));
            packing.follow(following::leaders(program, spread, states, &needed, &free), &mut needed);
            // With these bits in keys.
            packing.kept.clone_from(&needed);
            packing.arrays = packing.arrays_looked_into(program, system, spread);
            packing.kept.fill(0);
        }
        if !are_apart(&packing.arrays) {
            return None;
        }
        packing.even_out(&mut needed, true);
        if wish.grouped {
            packing.kept.clone_from(&needed);
            let (words, count) = grouping::words_of(program, system, spread, &packing, &needed)?;
            packing.kept.fill(0);
            packing.words = words;
            packing.taken = vec![0; count];
            packing.most = wish.most.get(..count)?;
        }
        for (base, &needed) in packing.base.iter_mut().zip(&needed) {
            *base &= !needed;
        }
        packing.keep(&needed)?;
        Some(packing)
    }

    /// The same for these states as well; `None` if there is none. What were keys are keys of the same states. With `ahead`, a few
    /// bits above those that have begun to vary get places too, if there are some to spare: counters grow, and each time that
    /// keys get more bits there is code to be made.
    pub(crate) fn widened(&self, states: &[u64], ahead: bool) -> Option<Self> {
        let mut packing = self.clone();
        let mut needed = self.differing(states);
        packing.even_out(&mut needed, false);
        packing.keep(&needed)?;
        if ahead {
            let mut further: Vec<u64> = needed.iter().map(|&bits| bits << 1 | bits << 2).collect();
            further.iter_mut().zip(&packing.kept).for_each(|(bits, &kept)| *bits &= !kept);
            packing.for_bits_of_arrays(|_, bit| further[bit / 64] &= !(1 << (bit % 64)));
            let bits: u32 = further.iter().map(|bits| bits.count_ones()).sum();
            let mut longer = packing.clone();
            if bits * 4 <= packing.spare_bits() && longer.keep(&further).is_some() {
                packing = longer;
            }
        }
        Some(packing)
    }

    /// The same with all words that it may have.
    pub(crate) fn with_all_words(mut self) -> Self {
        self.taken.resize(self.most.len(), 0);
        self
    }
    /// How many more bits its words may have.
    pub(crate) fn spare_bits(&self) -> u32 {
        let taken: u32 = self.taken.iter().map(|&taken| u32::from(taken)).sum();
        self.most.iter().map(|&most| u32::from(most)).sum::<u32>() - taken
    }
    /// Whether these are the bits that its words may have.
    pub(crate) fn is_over(&self, most: &'static [u8]) -> bool {
        self.most == most
    }

    /// The number of words of a key.
    pub(crate) fn key_words(&self) -> usize {
        self.taken.len()
    }
    /// The number of words of a state.
    pub(crate) fn state_words(&self) -> usize {
        self.base.len()
    }
    /// How many bits of a key have a meaning.
    pub(crate) fn key_bits(&self) -> u32 {
        match self.taken.len() {
            1 => u32::from(self.taken[0]),
            words => 64 * (words as u32 - 1) + u32::from(self.taken[words - 1]),
        }
    }

    /// Lets bits follow others, so that they need no places. To be called while the base is a state.
    fn follow(&mut self, leaders: Vec<u16>, needed: &mut [u64]) {
        for (bit, &leader) in leaders.iter().enumerate().filter(|(_, leader)| **leader != NOBODY) {
            let (word, mask, leader_bit) = (bit / 64, 1 << (bit % 64), usize::from(leader));
            needed[word] &= !mask;
            // The leader is kept, so that a 0 is what it mostly is.
            if self.base[leader_bit / 64] >> (leader_bit % 64) & 1 == 1 {
                self.base[word] ^= mask;
            }
            let followers = &mut self.followers[word];
            match followers.iter_mut().find(|followers| followers.leader == leader) {
                Some(followers) => followers.mask |= mask,
                None => followers.push(Followers { leader, mask }),
            }
        }
        self.leaders = leaders;
    }

    /// Which bits of a word of the state are not what the base says and what they follow.
    #[inline]
    fn own(&self, state: &[u64], word: usize) -> u64 {
        self.followers[word].iter().fold(state[word] ^ self.base[word], |own, followers| own ^ followers.led_by(state))
    }

    /// Which bits do not fit.
    fn differing(&self, states: &[u64]) -> Vec<u64> {
        let mut needed = vec![0; self.base.len()];
        for state in states.chunks_exact(self.base.len()) {
            for (word, needed) in needed.iter_mut().enumerate() {
                *needed |= self.own(state, word) & !self.kept[word];
            }
        }
        needed
    }

    /// What control may need of processes that hold it: no state that is kept stands inside an atomic sequence.
    fn control_of_holders(&self, program: &Program, spread: &Spread) -> Option<Vec<u64>> {
        let mut needed = vec![0; self.base.len()];
        let dispatch = &program.dispatch;
        let holds = |action: &ActionId| program.actions[*action].hold.is_some();
        let receives = program
            .actions
            .ids()
            .any(|action| program.actions[action].receivers.is_some() && program.actions[action].hold.is_some());
        for (position, frames) in spread.possible.as_ref()?.iter().enumerate() {
            for &frame in frames {
                let mut stops = dispatch.stops.entries().filter(|(_, stop)| stop.frame == frame);
                let (bit, mask, by_raw) = dispatch.control(frame);
                if mask == 0 || !(receives || stops.any(|(id, _)| dispatch.actions(id).iter().any(holds))) {
                    continue;
                }
                let bit = (program.code.pool.region(position as u32) + bit) as usize;
                let known = bits_at(&self.base, bit, mask);
                let differing = (0..by_raw.len() as u64).fold(0, |bits, raw| bits | (raw ^ known) & mask);
                needed[bit / 64] |= differing << (bit % 64);
            }
        }
        Some(needed)
    }

    /// What is needed of one cell of an array is needed of all. At `first`, so is what is not the same in all of them.
    fn even_out(&self, needed: &mut [u64], first: bool) {
        for array in &self.arrays {
            let cell = |words: &[u64], cell: usize| bits_at(words, array.begin + cell * array.stride, array.mask);
            let mut all = 0;
            for number in 0..array.cells {
                all |= cell(needed, number);
                if first {
                    all |= cell(&self.base, number) ^ cell(&self.base, 0);
                }
            }
            for number in 0..array.cells {
                let bit = array.begin + number * array.stride;
                needed[bit / 64] |= all << (bit % 64);
            }
        }
    }

    /// Gives places to these bits.
    fn keep(&mut self, needed: &[u64]) -> Option<()> {
        let mut in_array: BTreeMap<usize, usize> = BTreeMap::new();
        self.for_bits_of_arrays(|array, bit| {
            in_array.insert(bit, array);
        });
        let mut bit = 0;
        while bit < needed.len() * 64 {
            let is_needed = |bit: usize| needed[bit / 64] >> (bit % 64) & 1 == 1 && self.places[bit] == NONE;
            if !is_needed(bit) {
                bit += 1;
            } else if let Some(&array) = in_array.get(&bit) {
                // The first bit that is met of an array brings the whole of it.
                let array = self.arrays[array];
                let new = bits_at(needed, array.begin, array.mask) & !bits_at(&self.kept, array.begin, array.mask);
                let step = new.count_ones() as usize;
                let begin = self.take_block(step * array.cells, self.words[bit])?;
                for cell in 0..array.cells {
                    for (number, bit) in bits_of(new).enumerate() {
                        self.places[array.begin + cell * array.stride + bit] = (begin + cell * step + number) as u16;
                    }
                }
            } else {
                let end = (bit / 64 + 1) * 64;
                let len = (bit..end).take_while(|bit| is_needed(*bit) && !in_array.contains_key(bit)).count();
                let word = self.words[bit];
                let len = self.words[bit..bit + len].iter().take_while(|other| **other == word).count();
                match self.take_block(len, word) {
                    Some(at) => (0..len).for_each(|number| self.places[bit + number] = (at + number) as u16),
                    None => {
                        for number in 0..len {
                            self.places[bit + number] = self.take_block(1, word)? as u16;
                        }
                    }
                }
                bit += len;
            }
        }
        self.kept.iter_mut().zip(needed).for_each(|(kept, needed)| *kept |= needed);
        self.moves = moves_of(&self.places);
        Some(())
    }

    /// So many bits beside each other in one word of the key, this one if it can be.
    fn take_block(&mut self, len: usize, wish: u16) -> Option<usize> {
        let first = (wish != NO_WORD).then_some(usize::from(wish));
        for word in first.into_iter().chain(0..self.most.len()) {
            let most = self.most[word];
            if word == self.taken.len() {
                self.taken.push(0);
            }
            let taken = usize::from(self.taken[word]);
            if taken + len <= usize::from(most) {
                self.taken[word] += len as u8;
                return Some(word * 64 + taken);
            }
        }
        None
    }

    /// Goes through the bits of all arrays, with the numbers of these.
    pub(super) fn for_bits_of_arrays(&self, mut take: impl FnMut(usize, usize)) {
        for (number, array) in self.arrays.iter().enumerate() {
            for cell in 0..array.cells {
                bits_of(array.mask).for_each(|bit| take(number, array.begin + cell * array.stride + bit));
            }
        }
    }

    /// What the bits of a field always are, or where they are kept, what a 0 stands for. `mask` is that of the field. If it is one of a
    /// process, this lives.
    pub(super) fn base_of(&self, bit: u32, mask: u64) -> u64 {
        let outside = |from: &usize| {
            let leader = self.leaders[bit as usize + from];
            leader != NOBODY && self.inside(bit, mask, leader).is_none()
        };
        // Who leads from elsewhere says that the process lives.
        bits_of(mask).filter(outside).fold(self.dead_base_of(bit, mask), |base, from| base ^ 1 << from)
    }
    /// The same for a process that does not live.
    pub(super) fn dead_base_of(&self, bit: u32, mask: u64) -> u64 {
        bits_at(&self.base, bit as usize, mask)
    }
    /// Where in the field a bit of the state is, if it is one of it.
    fn inside(&self, bit: u32, mask: u64, leader: u16) -> Option<u32> {
        u32::from(leader).checked_sub(bit).filter(|&from| from < 64 && mask >> from & 1 == 1)
    }
    /// The bits of a field that follow others of it, each with those that follow it.
    pub(super) fn echoes_of(&self, bit: u32, mask: u64) -> Vec<(u32, u64)> {
        let mut echoes: Vec<(u32, u64)> = Vec::new();
        for from in bits_of(mask) {
            let leader = self.leaders[bit as usize + from];
            let Some(leader) = self.inside(bit, mask, leader).filter(|_| leader != NOBODY) else { continue };
            match echoes.iter_mut().find(|(known, _)| *known == leader) {
                Some((_, echo)) => *echo |= 1 << from,
                None => echoes.push((leader, 1 << from)),
            }
        }
        echoes
    }
    /// The bits of a field that are to be kept where it has this content and `base` is what is known of it, if it fits.
    pub(super) fn own_of(&self, bit: u32, mask: u64, base: u64, raw: u64) -> Option<u64> {
        let differing = (raw & mask) ^ base;
        let led = |(from, echo): (u32, u64)| if differing >> from & 1 == 1 { echo } else { 0 };
        let own = self.echoes_of(bit, mask).into_iter().fold(differing, |own, echo| own ^ led(echo));
        (own & !self.kept_of(bit, mask) == 0).then_some(own)
    }
    /// The content of a field of a key.
    pub(super) fn read(&self, key: &[u64], bit: u32, mask: u64) -> u64 {
        let runs = self.runs(bit, mask, None);
        let bits = |run: &KeyRun| (key[run.word as usize] >> run.shift & run.mask()) << run.from;
        let own = runs.iter().fold(0, |own, run| own | bits(run));
        let led = |(from, echo): (u32, u64)| if own >> from & 1 == 1 { echo } else { 0 };
        self.echoes_of(bit, mask).into_iter().fold(own ^ self.base_of(bit, mask), |raw, echo| raw ^ led(echo))
    }
    /// Which bits of a field are kept.
    pub(super) fn kept_of(&self, bit: u32, mask: u64) -> u64 {
        bits_at(&self.kept, bit as usize, mask)
    }
    /// Where the bits of a field are, if the next cell of its array is so many bits further on.
    pub(super) fn runs(&self, bit: u32, mask: u64, stride: Option<u32>) -> Vec<KeyRun> {
        let mut runs: Vec<KeyRun> = Vec::new();
        for from in bits_of(mask) {
            let here = bit as usize + from;
            if self.places[here] == NONE {
                continue;
            }
            let place = u32::from(self.places[here]);
            let step = stride.map_or(0, |stride| u32::from(self.places[here + stride as usize]) - place);
            let (word, shift) = (place / 64, place % 64);
            match runs.last_mut() {
                Some(run)
                    if run.from + run.len == from as u32
                        && run.word == word
                        && run.shift + run.len == shift
                        && run.step == step =>
                {
                    run.len += 1;
                }
                _ => runs.push(KeyRun { from: from as u32, word, shift, len: 1, step }),
            }
        }
        runs
    }

    /// Writes the key of a state. Whether the state fits; if not, what was written means nothing.
    pub(crate) fn pack(&self, state: &[u64], key: &mut [u64]) -> bool {
        let mut lost = 0;
        key.fill(0);
        for (word, (&kept, moves)) in self.kept.iter().zip(&self.moves).enumerate() {
            let own = self.own(state, word);
            lost |= own & !kept;
            for moved in moves {
                key[moved.key_word as usize] |= own.rotate_right(moved.turn) & moved.mask;
            }
        }
        lost == 0
    }
    /// Writes the state of a key.
    #[inline]
    pub(crate) fn unpack(&self, key: &[u64], state: &mut [u64]) {
        for ((word, &base), moves) in state.iter_mut().zip(&self.base).zip(&self.moves) {
            let bits = |moved: &Moved| (key[moved.key_word as usize] & moved.mask).rotate_left(moved.turn);
            *word = moves.iter().fold(base, |word, moved| word ^ bits(moved));
        }
        for (word, followers) in self.followers.iter().enumerate() {
            for followers in followers {
                state[word] ^= followers.led_by(state);
            }
        }
    }
}

impl Packing {
    /// The same as [`unpack`](Self::unpack), as data.
    pub(crate) fn key_moves(&self) -> KeyMoves {
        let mut moves: Vec<KeyMove> = Vec::new();
        for (bit, &place) in self.places.iter().enumerate().filter(|(_, place)| **place != NONE) {
            let (word, key_word) = (bit / 64, usize::from(place / 64));
            let goes_on = |last: &&mut KeyMove| {
                let next = last.key_word * 64 + (last.shift + last.mask.count_ones()) as usize;
                (last.word, last.key_word, next) == (word, key_word, usize::from(place))
            };
            match moves.last_mut().filter(goes_on) {
                Some(last) => last.mask |= 1 << (bit % 64),
                None => moves.push(KeyMove { word, mask: 1 << (bit % 64), key_word, shift: u32::from(place % 64) }),
            }
        }
        let of_word = |(word, followers): (usize, &Vec<Followers>)| {
            let follow = |&Followers { leader, mask }: &Followers| {
                let leader = usize::from(leader);
                KeyFollow { word, mask, leader_word: leader / 64, leader_bit: (leader % 64) as u32 }
            };
            followers.iter().map(follow).collect::<Vec<_>>()
        };
        let follows = self.followers.iter().enumerate().flat_map(of_word).collect();
        KeyMoves { base: self.base.clone(), moves, follows }
    }
}

/// The bits of a field.
fn bits_at(words: &[u64], bit: usize, mask: u64) -> u64 {
    words[bit / 64] >> (bit % 64) & mask
}

/// The numbers of the bits that are set.
pub(super) fn bits_of(mask: u64) -> impl Iterator<Item = usize> {
    (0..64).filter(move |bit| mask >> bit & 1 == 1)
}

/// How the bits of each word of the state come from the key.
fn moves_of(places: &[u16]) -> Vec<Vec<Moved>> {
    let mut all = Vec::new();
    for places in places.chunks_exact(64) {
        let mut moves: Vec<Moved> = Vec::new();
        for (shift, &place) in (0..64).zip(places).filter(|(_, place)| **place != NONE) {
            let (key_word, key_shift) = (u32::from(place / 64), u32::from(place % 64));
            let turn = (64 + shift - key_shift) % 64;
            let bit = 1 << key_shift;
            match moves.iter_mut().find(|moved| (moved.key_word, moved.turn) == (key_word, turn)) {
                Some(moved) => moved.mask |= bit,
                None => moves.push(Moved { key_word, turn, mask: bit }),
            }
        }
        all.push(moves);
    }
    all
}

/// The arrays that some code of the program indexes at run time.
fn arrays_of(program: &Program, spread: &Spread) -> Vec<Array> {
    let Some(possible) = spread.possible.as_ref() else { return Vec::new() };
    let pool = &program.code.pool;
    let mut arrays: Vec<Array> = Vec::new();
    for field in program.code.fields.iter().filter(|field| field.cells > 1 && field.mask != 0) {
        let lives = |position: &usize| possible[*position].iter().any(|frame| frame.index() as u32 + 1 == field.kind);
        let begins: Vec<u32> = match field.kind {
            0 => vec![0],
            _ => (0..possible.len()).filter(lives).map(|position| pool.region(position as u32)).collect(),
        };
        for begin in begins {
            let array = Array::of(begin + field.bit, field, None);
            if !arrays.contains(&array) {
                arrays.push(array);
            }
        }
    }
    arrays.sort_by_key(|array| array.begin);
    arrays
}

impl Array {
    /// The cells of a field whose array begins at this bit, or those that may be named by such an index.
    fn of(begin: u32, field: &CellField, index: Option<Range>) -> Self {
        let last = i64::from(field.cells) - 1;
        let Range { low, high } = index.unwrap_or(Range { low: 0, high: last });
        let (low, high) = (low.clamp(0, last) as usize, high.clamp(0, last) as usize);
        let stride = usize::from(field.stride);
        Self { begin: begin as usize + low * stride, stride, cells: high + 1 - low, mask: field.mask }
    }
    fn end(&self) -> usize {
        self.begin + self.cells * self.stride
    }
}

/// Whether no two of the arrays, which are in order, overlap.
fn are_apart(arrays: &[Array]) -> bool {
    arrays.windows(2).all(|two| two[0].end() <= two[1].begin)
}

impl Packing {
    /// The parts of arrays that code looks into at places that are not known, with what is in keys now.
    fn arrays_looked_into(&self, program: &Program, system: &System, spread: &Spread) -> Vec<Array> {
        let mut arrays: Vec<Array> = Vec::new();
        for_instances(program, system, spread, |action, regions| {
            let region = |role: u8| regions.get(usize::from(role)).copied();
            for entry in entries_of(action) {
                ranges::accesses(&program.code, self, entry, region, |_, Access { begin, field, index }| {
                    let is_known = field.mask == 0 || field.cells < 2 || index.is_some_and(|index| index.single().is_some());
                    if !is_known {
                        arrays.push(Array::of(begin, &field, index));
                    }
                });
            }
        });
        arrays.sort_by_key(|array| (array.begin, array.cells));
        let mut merged: Vec<Array> = Vec::new();
        for array in arrays {
            match merged.last_mut() {
                Some(last) if (last.stride, last.mask) == (array.stride, array.mask) && array.begin < last.end() => {
                    last.cells = last.cells.max((array.end() - last.begin) / array.stride);
                }
                _ => merged.push(array),
            }
        }
        merged
    }

    /// Which cells code may look into that has such an index for the array of a field, which begins at this bit.
    pub(super) fn cells_of(&self, begin: u32, field: &CellField, index: Option<Range>) -> Cells {
        let all = 0..i64::from(field.cells);
        if let Some(cell) = index.and_then(Range::single) {
            let of_cell = |cell: i64| begin + cell as u32 * u32::from(field.stride);
            return if all.contains(&cell) { Cells::One(of_cell(cell)) } else { Cells::Outside };
        }
        if field.cells == 1 {
            return Cells::Some { bit: begin, first: 0, cells: 1 };
        }
        let asked = Array::of(begin, field, index);
        let has = |array: &&Array| {
            (array.stride, array.mask) == (asked.stride, asked.mask)
                && array.begin <= asked.begin
                && asked.begin < array.end()
        };
        // An index of which nothing is known may be outside, and is looked at by the code.
        match self.arrays.iter().find(has) {
            Some(array) if index.is_some() || array.cells == field.cells as usize => Cells::Some {
                bit: array.begin as u32,
                first: ((array.begin - begin as usize) / array.stride) as u32,
                cells: array.cells as u32,
            },
            _ => Cells::Unknown,
        }
    }

    /// The content of a field, as far as it is known.
    pub(super) fn range_of(&self, bit: u32, mask: u64, lo: i64) -> Option<Range> {
        let followers = self.echoes_of(bit, mask).iter().fold(0, |all, (_, echo)| all | echo);
        Range::of_field(self.base_of(bit, mask), self.kept_of(bit, mask) | followers, lo)
    }
}
