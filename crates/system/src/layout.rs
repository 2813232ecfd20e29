//! How a state becomes packed 64-bit words.
//!
//! Every cell is a field of bits inside one word: `value - lo`, in as few bits as its type needs, never across a word
//! boundary. The cells of an array stand a power of two of bits apart, so that cell `i` is found by a shift. After the
//! system's own slots come the regions of the pool, one for each position, all of one size: a region begins with the
//! *kind*, 0 for "nobody" or the frame's number plus one, and goes on with the slots of that frame; frames overlap.
//! Unused bits are 0, and so is the whole region of a position where nobody lives: equal states are equal words.

use crate::reference::{Instance, Valuation};
use crate::{FrameId, Interval, LocalId, Slot, SlotId, System};
use lariat_base::{Id, IdVec};
use std::collections::HashMap;

/// The largest state we are ready to handle, in words: a mebibyte.
pub const MAX_WORDS: usize = 1 << 17;

/// Where the cells of a slot are. For a slot of a process, counted from the beginning of its region.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Field {
    /// The first bit of the first cell.
    pub bit: u32,
    /// Bits of one cell; 0 if the type has one value only.
    pub bits: u8,
    /// Bits from one cell to the next: a power of two, at least `bits`.
    pub stride: u8,
    /// The number of cells.
    pub cells: u32,
    /// What the bits `0…0` stand for.
    pub lo: i64,
}

impl Field {
    /// The first bit of a cell.
    pub fn bit_of(self, cell: usize) -> usize {
        self.bit as usize + cell * usize::from(self.stride)
    }
    /// The value of a cell of the slot whose words are `words` and whose region begins at bit `base`.
    pub fn get(self, words: &[u64], base: usize, cell: usize) -> i64 {
        self.lo.wrapping_add(get_bits(words, base + self.bit_of(cell), self.bits) as i64)
    }
    /// Writes a cell. `value` is in the type of the slot.
    pub fn set(self, words: &mut [u64], base: usize, cell: usize, value: i64) {
        set_bits(words, base + self.bit_of(cell), self.bits, value.wrapping_sub(self.lo) as u64);
    }
}

/// The layout of the states of one system.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Layout {
    /// The length of a state.
    pub words: usize,
    /// The system's own slots.
    pub slots: IdVec<SlotId, Field>,
    /// The slots of each frame, inside a region.
    pub frames: IdVec<FrameId, IdVec<LocalId, Field>>,
    /// Bits of the kind at the beginning of every region.
    pub kind_bits: u8,
    /// Where the region of position 0 begins, in bits.
    pub pool_bit: usize,
    /// Bits from one region to the next: a power of two below 64, or a multiple of 64.
    pub region_bits: usize,
    /// The number of regions.
    pub positions: usize,
}

/// The state of this system is larger than we are ready to handle.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TooLarge {
    /// How many words it would take, at least.
    pub words: u64,
}

impl std::fmt::Display for TooLarge {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (kib, limit) = (self.words / 128, MAX_WORDS / 128);
        write!(f, "a state of this model takes {kib} KiB; the limit is {limit} KiB")
    }
}

impl std::error::Error for TooLarge {}

impl Layout {
    /// The layout of the states of `system`.
    pub fn new(system: &System) -> Result<Self, TooLarge> {
        let mut globals = Packer::starting_at(0);
        let slots = system.slots.iter().map(|slot| globals.place(slot, system)).collect::<Result<_, _>>()?;

        let kind_bits = bits_for(system.frames.len() as u64);
        let mut region_bits = u64::from(kind_bits);
        let mut frames = IdVec::new();
        for frame in system.frames.iter() {
            let mut packer = Packer::starting_at(kind_bits);
            frames.push(frame.slots.iter().map(|slot| packer.place(slot, system)).collect::<Result<_, _>>()?);
            region_bits = region_bits.max(packer.end_bits());
        }
        let positions = u64::from(system.pool_size);
        let region_bits = match region_bits {
            0 => 0,
            1..64 => region_bits.next_power_of_two(),
            _ => region_bits.next_multiple_of(64),
        };
        let pool_bit = match region_bits {
            0 => globals.end_bits(),
            1..64 => globals.end_bits().next_multiple_of(region_bits),
            _ => globals.end_bits().next_multiple_of(64),
        };
        let words = (pool_bit + positions * region_bits).div_ceil(64).max(1);
        if words > MAX_WORDS as u64 {
            return Err(TooLarge { words });
        }
        Ok(Self {
            words: words as usize,
            slots,
            frames,
            kind_bits,
            pool_bit: pool_bit as usize,
            region_bits: region_bits as usize,
            positions: positions as usize,
        })
    }

    /// The first bit of a position's region.
    pub fn region(&self, position: usize) -> usize {
        self.pool_bit + position * self.region_bits
    }
    /// The frame of the process at a position, if one lives there.
    pub fn frame_at(&self, words: &[u64], position: usize) -> Option<FrameId> {
        let kind = get_bits(words, self.region(position), self.kind_bits) as usize;
        kind.checked_sub(1).map(FrameId::new)
    }
    /// The number of bits that carry information.
    pub fn used_bits(&self) -> usize {
        let of = |fields: &[Field]| -> usize {
            fields.iter().map(|field| usize::from(field.bits) * field.cells as usize).sum()
        };
        let region = self.frames.iter().map(|fields| of(fields.as_slice())).max().unwrap_or(0);
        of(self.slots.as_slice()) + self.positions * (usize::from(self.kind_bits) + region)
    }

    /// The words of `state`.
    pub fn pack(&self, state: &Valuation) -> Vec<u64> {
        let mut words = vec![0; self.words];
        write_cells(self.slots.as_slice(), &state.globals, 0, &mut words);
        for (position, instance) in state.pool.iter().enumerate() {
            let region = self.region(position);
            set_bits(&mut words, region, self.kind_bits, instance.frame.index() as u64 + 1);
            write_cells(self.frames[instance.frame].as_slice(), &instance.locals, region, &mut words);
        }
        words
    }
    /// The state of `words`, if they have the form of one.
    pub fn try_unpack(&self, words: &[u64]) -> Option<Valuation> {
        let is_known = |position| self.frame_at(words, position).is_none_or(|frame| frame.index() < self.frames.len());
        if words.len() != self.words || !(0..self.positions).all(is_known) {
            return None;
        }
        let state = self.unpack(words);
        (self.pack(&state) == words).then_some(state)
    }
    /// The state of `words`.
    pub fn unpack(&self, words: &[u64]) -> Valuation {
        let pool = (0..self.positions)
            .map_while(|position| {
                let frame = self.frame_at(words, position)?;
                let locals = read_cells(self.frames[frame].as_slice(), self.region(position), words);
                Some(Instance { frame, locals })
            })
            .collect();
        Valuation { globals: read_cells(self.slots.as_slice(), 0, words), pool }
    }
}

fn write_cells(fields: &[Field], values: &[Vec<i64>], base: usize, words: &mut [u64]) {
    for (field, cells) in fields.iter().zip(values) {
        for (cell, &value) in cells.iter().enumerate() {
            field.set(words, base, cell, value);
        }
    }
}

fn read_cells(fields: &[Field], base: usize, words: &[u64]) -> Vec<Vec<i64>> {
    let cells = |field: &Field| (0..field.cells as usize).map(|cell| field.get(words, base, cell)).collect();
    fields.iter().map(cells).collect()
}

/// The `bits` bits of `words` from `bit` on; all in one word.
pub fn get_bits(words: &[u64], bit: usize, bits: u8) -> u64 {
    if bits == 0 { 0 } else { words[bit / 64] >> (bit % 64) & (u64::MAX >> (64 - bits)) }
}

/// Overwrites the `bits` bits of `words` from `bit` on; all in one word.
pub fn set_bits(words: &mut [u64], bit: usize, bits: u8, value: u64) {
    if bits > 0 {
        let mask = (u64::MAX >> (64 - bits)) << (bit % 64);
        let word = &mut words[bit / 64];
        *word = *word & !mask | value << (bit % 64) & mask;
    }
}

/// How many bits the values `0..=largest` need.
fn bits_for(largest: u64) -> u8 {
    (64 - largest.leading_zeros()) as u8
}

/// Places fields one after the other, filling up earlier words where a single cell still fits.
struct Packer {
    /// How many bits of each word are taken, from the low end.
    taken: Vec<u8>,
    /// By size and alignment: no word before this one has room. Words only fill up, so that placing many slots does not
    /// take the square of their number.
    first_open: HashMap<(u64, u8), usize>,
}

impl Packer {
    fn starting_at(bits: u8) -> Self {
        Self { taken: vec![bits], first_open: HashMap::new() }
    }

    fn end_bits(&self) -> u64 {
        let last = self.taken.iter().rposition(|&taken| taken > 0);
        last.map_or(0, |word| word as u64 * 64 + u64::from(self.taken[word]))
    }

    fn place(&mut self, slot: &Slot, system: &System) -> Result<Field, TooLarge> {
        let Interval { lo, hi } = system.range(slot.ty);
        let bits = bits_for(hi.wrapping_sub(lo) as u64);
        let cells = slot.cells();
        let stride = if slot.len.is_some() { bits.next_power_of_two() } else { bits };
        let field = |bit: usize| Field { bit: bit as u32, bits, stride, cells: cells as u32, lo };
        if bits == 0 {
            return Ok(Field { stride: 0, ..field(0) });
        }
        let total = u64::from(stride) * cells as u64;
        if total <= 64 {
            let align = if slot.len.is_some() { stride } else { 1 };
            let start = |taken: u8| taken.next_multiple_of(align);
            let first_open = self.first_open.entry((total, align)).or_insert(0);
            let mut open = self.taken[*first_open..].iter();
            let full = open.position(|&taken| u64::from(start(taken)) + total <= 64);
            let word = full.map_or(self.taken.len(), |full| *first_open + full);
            *first_open = word;
            self.grow_to(word + 1)?;
            let start = start(self.taken[word]);
            self.taken[word] = start + total as u8;
            return Ok(field(word * 64 + usize::from(start)));
        }
        let first = if self.taken == [0] { 0 } else { self.taken.len() };
        self.grow_to(first + total.div_ceil(64) as usize)?;
        for word in &mut self.taken[first..] {
            *word = 64;
        }
        if !total.is_multiple_of(64)
            && let Some(last) = self.taken.last_mut()
        {
            *last = (total % 64) as u8;
        }
        Ok(field(first * 64))
    }

    fn grow_to(&mut self, words: usize) -> Result<(), TooLarge> {
        if words > MAX_WORDS {
            return Err(TooLarge { words: words as u64 });
        }
        if words > self.taken.len() {
            self.taken.resize(words, 0);
        }
        Ok(())
    }
}
