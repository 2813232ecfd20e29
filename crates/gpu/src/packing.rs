//! Where the cells of a state stand in a key: a few words of 63 bits, so narrow that a card keeps it in registers.
//!
//! Every cell is a field of bits inside one word, `value - lo`, as wide as its [range](Ranges) asks for. Bit 63 of each word stays
//! free: tables mark used entries with it. Positions of the pool have fields of their own, since code for a card is written for each
//! position by itself; frames that may live at the same position overlap. All bits of a position where nobody lives are 0, and so are
//! those that a frame does not use: equal states are equal keys.

use crate::ranges::{PositionRanges, Ranges, Site, slot_at};
use lariat_base::IdVec;
use lariat_system::reference::{Instance, Valuation};
use lariat_system::{FrameId, Interval, LocalId, Position, SlotId, System};
use std::collections::BTreeMap;

/// Bits of a word of a key.
pub(crate) const WORD_BITS: u32 = 63;
/// The longest keys, in words.
pub(crate) const MOST_WORDS: usize = 8;

/// Where the cells of a slot stand.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Cells {
    /// The value that is stored as 0.
    pub(crate) lo: i64,
    /// Bits of a cell; none if the value is always `lo`.
    pub(crate) bits: u32,
    /// How many cells.
    pub(crate) len: u32,
    /// The word of the first cell, and its place there.
    pub(crate) word: usize,
    pub(crate) shift: u32,
    /// How many cells stand in a word, where they take several: then they begin at its first bit.
    pub(crate) per_word: u32,
}

/// A key takes more words than there may be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct TooWide {
    /// The bits of its fields.
    pub(crate) bits: u64,
}

/// The form of keys.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Packing {
    /// Words of a key.
    pub(crate) words: usize,
    /// Bits that are used.
    pub(crate) bits: u64,
    pub(crate) slots: IdVec<SlotId, Cells>,
    pub(crate) positions: Vec<PositionPacking>,
    /// The state of the observer, in a product.
    pub(crate) observer: Option<Cells>,
    /// What each field may hold.
    pub(crate) ranges: Ranges,
}

/// A position of the pool.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct PositionPacking {
    /// What may be there, by code.
    pub(crate) kinds: Vec<Option<FrameId>>,
    pub(crate) kind: Cells,
    pub(crate) frames: BTreeMap<FrameId, IdVec<LocalId, Cells>>,
    /// By word, the bits that belong to the position.
    pub(crate) mask: Vec<u64>,
}

impl Cells {
    /// The word of a cell and its place there.
    pub(crate) fn place(&self, cell: u32) -> (usize, u32) {
        if self.per_word >= self.len {
            (self.word, self.shift + cell * self.bits)
        } else {
            (self.word + (cell / self.per_word) as usize, cell % self.per_word * self.bits)
        }
    }
    /// The bits of a cell, at the low end.
    pub(crate) fn mask(&self) -> u64 {
        if self.bits == 0 { 0 } else { u64::MAX >> (64 - self.bits) }
    }
    /// The values that fit.
    pub(crate) fn range(&self) -> Interval {
        Interval { lo: self.lo, hi: self.lo.saturating_add(self.mask() as i64) }
    }
    fn set(&self, key: &mut [u64], cell: u32, value: i64) {
        let (word, shift) = self.place(cell);
        key[word] |= (value.wrapping_sub(self.lo) as u64 & self.mask()) << shift;
    }
    fn get(&self, key: &[u64], cell: u32) -> i64 {
        let (word, shift) = self.place(cell);
        self.lo.wrapping_add((key[word] >> shift & self.mask()) as i64)
    }
}

/// How many bits tell this many values apart.
pub(crate) fn bits_for(values: u64) -> u32 {
    u64::BITS - values.saturating_sub(1).leading_zeros()
}

/// Gives out bits of words.
#[derive(Default)]
struct Room {
    used: Vec<u32>,
}

impl Room {
    /// So many bits side by side in the first word that has them.
    fn take(&mut self, bits: u32) -> (usize, u32) {
        let found = self.used.iter().position(|&used| used + bits <= WORD_BITS);
        let word = found.unwrap_or_else(|| {
            self.used.push(0);
            self.used.len() - 1
        });
        let shift = self.used[word];
        self.used[word] += bits;
        (word, shift)
    }
    /// So many words that nothing else uses.
    fn take_words(&mut self, words: u32) -> usize {
        let first = self.used.len();
        self.used.resize(first + words as usize, WORD_BITS);
        first
    }
}

/// A field that wants a place, and where it is written down.
#[derive(Clone, Copy)]
enum Owner {
    Slot(SlotId),
    Local(usize, FrameId, LocalId),
    Kind(usize),
    Observer,
    /// Bits that the frames of a position share: the number of a list of fields inside them.
    Shared(usize),
}

/// Fields inside bits that are placed as one: each with its shift there.
type Inside = Vec<(Owner, u32)>;

impl Packing {
    /// The form of keys for these ranges, with a field for the states of an observer, if there is one.
    pub(crate) fn new(system: &System, ranges: &Ranges, observer_states: Option<u32>) -> Result<Self, TooWide> {
        let mut packing = Self {
            words: 0,
            bits: 0,
            slots: ranges.slots.iter().map(|_| Cells::default()).collect(),
            positions: ranges.positions.iter().map(PositionPacking::new).collect(),
            observer: observer_states.map(|_| Cells::default()),
            ranges: ranges.clone(),
        };
        let mut wanted: Vec<(u64, Owner)> = Vec::new();
        let mut shared: Vec<Inside> = Vec::new();
        for site in ranges.sites() {
            let (range, len) = (ranges.at(site), slot_at(system, site).cells() as u32);
            let cells = Cells { lo: range.lo, bits: bits_for(range.count()), len, per_word: len, ..Cells::default() };
            let owner = match site {
                Site::Slot(slot) => Owner::Slot(slot),
                Site::Local(position, frame, local) => Owner::Local(usize::from(position), frame, local),
            };
            *packing.cells_mut(owner) = cells;
            let shares = matches!(owner, Owner::Local(position, ..) if ranges.positions[position].frames.len() > 1);
            if !shares || cells.total() > u64::from(WORD_BITS) {
                wanted.push((cells.total(), owner));
            }
        }
        for (number, position) in ranges.positions.iter().enumerate() {
            let kinds = position.kinds().len() as u64;
            let bits = bits_for(kinds);
            packing.positions[number].kind = Cells { bits, len: 1, per_word: 1, ..Cells::default() };
            wanted.push((u64::from(bits), Owner::Kind(number)));
            if position.frames.len() > 1 {
                packing.share(number, &mut shared, &mut wanted);
            }
        }
        if let (Some(states), Some(cells)) = (observer_states, &mut packing.observer) {
            *cells = Cells { bits: bits_for(u64::from(states)), len: 1, per_word: 1, ..Cells::default() };
            wanted.push((u64::from(cells.bits), Owner::Observer));
        }
        // The widest first; those that stand earlier in the system first among equals.
        wanted.sort_by_key(|&(bits, _)| std::cmp::Reverse(bits));
        let mut room = Room::default();
        for &(bits, owner) in &wanted {
            if bits > u64::from(WORD_BITS) {
                let cells = packing.cells_mut(owner);
                cells.per_word = WORD_BITS / cells.bits;
                cells.word = room.take_words(cells.len.div_ceil(cells.per_word));
                continue;
            }
            let (word, shift) = room.take(bits as u32);
            if let Owner::Shared(number) = owner {
                for &(owner, inside) in &shared[number] {
                    let cells = packing.cells_mut(owner);
                    (cells.word, cells.shift) = (word, shift + inside);
                }
            } else {
                let cells = packing.cells_mut(owner);
                (cells.word, cells.shift) = (word, shift);
            }
        }
        packing.words = room.used.len().max(1);
        packing.bits = wanted.iter().map(|(bits, _)| bits).sum();
        if packing.words > MOST_WORDS {
            return Err(TooWide { bits: packing.bits });
        }
        packing.note_masks();
        Ok(packing)
    }

    /// The form of keys for these ranges, and where it leaves bits unused, for larger ranges of the same number of words: fewer
    /// values will not fit.
    pub(crate) fn roomy(system: &System, ranges: &Ranges, observer_states: Option<u32>) -> Result<Self, TooWide> {
        let tight = Self::new(system, ranges, observer_states)?;
        let (mut best, mut ranges) = (tight, ranges.clone());
        let missing = |ranges: &Ranges, site: Site| {
            let slot = slot_at(system, site);
            let all = bits_for(system.range(slot.ty).count());
            u64::from(all - bits_for(ranges.at(site).count()).min(all)) * slot.cells() as u64
        };
        let mut sites: Vec<Site> = ranges.sites().into_iter().filter(|&site| missing(&ranges, site) > 0).collect();
        sites.sort_by_key(|&site| missing(&ranges, site));
        for site in sites {
            let (all, known) = (system.range(slot_at(system, site).ty), ranges.at(site));
            // All values, or else twice as many as now.
            let twice = Interval { lo: known.lo, hi: known.hi.saturating_add(known.count() as i64).min(all.hi) };
            for wider in [all, twice] {
                ranges.set(site, wider);
                match Self::new(system, &ranges, observer_states) {
                    Ok(packing) if packing.words == best.words => {
                        best = packing;
                        break;
                    }
                    _ => ranges.set(site, known),
                }
            }
        }
        Ok(best)
    }

    /// Places the fields of the frames of a position over each other.
    fn share(&mut self, number: usize, shared: &mut Vec<Inside>, wanted: &mut Vec<(u64, Owner)>) {
        let first = shared.len();
        let mut sizes: Vec<u32> = Vec::new();
        let frames: Vec<FrameId> = self.positions[number].frames.keys().copied().collect();
        for frame in frames {
            let fields = self.positions[number].frames[&frame].entries();
            let mut fields: Vec<(u32, LocalId)> = fields
                .filter(|(_, cells)| cells.total() <= u64::from(WORD_BITS))
                .map(|(local, cells)| (cells.total() as u32, local))
                .collect();
            fields.sort_by_key(|&(bits, _)| std::cmp::Reverse(bits));
            let mut used = vec![0; sizes.len()];
            for (bits, local) in fields {
                let fits = |number: &usize| used[*number] + bits <= sizes[*number];
                let grows = |number: &usize| used[*number] + bits <= WORD_BITS;
                let place = (0..used.len()).find(fits).or_else(|| (0..used.len()).find(grows));
                let place = place.unwrap_or_else(|| {
                    used.push(0);
                    sizes.push(0);
                    shared.push(Vec::new());
                    used.len() - 1
                });
                shared[first + place].push((Owner::Local(number, frame, local), used[place]));
                used[place] += bits;
                sizes[place] = sizes[place].max(used[place]);
            }
        }
        wanted.extend(sizes.iter().enumerate().map(|(place, &bits)| (u64::from(bits), Owner::Shared(first + place))));
    }

    fn cells_mut(&mut self, owner: Owner) -> &mut Cells {
        match owner {
            Owner::Slot(slot) => &mut self.slots[slot],
            Owner::Local(position, frame, local) => {
                let frames = &mut self.positions[position].frames;
                &mut frames.get_mut(&frame).expect("the ranges have this frame")[local]
            }
            Owner::Kind(position) => &mut self.positions[position].kind,
            Owner::Observer => self.observer.as_mut().expect("there is an observer"),
            Owner::Shared(_) => unreachable!("shared bits are no field"),
        }
    }

    fn note_masks(&mut self) {
        for position in &mut self.positions {
            let mut mask = vec![0; self.words];
            let fields = position.frames.values().flat_map(|cells| cells.iter());
            for cells in fields.chain([&position.kind]) {
                for cell in 0..cells.len {
                    let (word, shift) = cells.place(cell);
                    if cells.bits > 0 {
                        mask[word] |= cells.mask() << shift;
                    }
                }
            }
            position.mask = mask;
        }
    }

    /// The key of a state; the site of a value that does not fit, with the value, or the position whose process has no code.
    pub(crate) fn key(&self, state: &Valuation, observer: u32) -> Result<Vec<u64>, Unfit> {
        let mut key = vec![0; self.words];
        for ((id, cells), values) in self.slots.entries().zip(&state.globals) {
            write(&mut key, cells, values, Site::Slot(id))?;
        }
        for (number, position) in self.positions.iter().enumerate() {
            let kind = state.pool.get(number).map(|instance| instance.frame);
            let code = position.kinds.iter().position(|known| *known == kind);
            let code = code.ok_or(Unfit::Kind(number as Position, kind))?;
            position.kind.set(&mut key, 0, code as i64);
            let Some(Instance { frame, locals }) = state.pool.get(number) else { continue };
            for ((id, cells), values) in position.frames[frame].entries().zip(locals) {
                write(&mut key, cells, values, Site::Local(number as Position, *frame, id))?;
            }
        }
        if let Some(cells) = &self.observer {
            cells.set(&mut key, 0, i64::from(observer));
        }
        Ok(key)
    }

    /// The state of a key, and that of the observer.
    pub(crate) fn state(&self, key: &[u64]) -> (Valuation, u32) {
        let read = |cells: &Cells| (0..cells.len).map(|cell| cells.get(key, cell)).collect();
        let pool = self.positions.iter().map_while(|position| {
            let frame = position.kinds[position.kind.get(key, 0) as usize]?;
            Some(Instance { frame, locals: position.frames[&frame].iter().map(read).collect() })
        });
        let observer = self.observer.map_or(0, |cells| cells.get(key, 0) as u32);
        (Valuation { globals: self.slots.iter().map(read).collect(), pool: pool.collect() }, observer)
    }
}

/// What does not fit a key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Unfit {
    /// A value at a site.
    Value(Site, i64),
    /// A process of this frame, or none, at a position.
    Kind(Position, Option<FrameId>),
}

fn write(key: &mut [u64], cells: &Cells, values: &[i64], site: Site) -> Result<(), Unfit> {
    for (cell, &value) in (0..).zip(values) {
        if !cells.range().contains(value) {
            return Err(Unfit::Value(site, value));
        }
        cells.set(key, cell, value);
    }
    Ok(())
}

impl Cells {
    fn total(&self) -> u64 {
        u64::from(self.bits) * u64::from(self.len)
    }
}

impl PositionPacking {
    fn new(ranges: &PositionRanges) -> Self {
        let of = |locals: &IdVec<LocalId, Interval>| locals.iter().map(|_| Cells::default()).collect();
        Self {
            kinds: ranges.kinds(),
            kind: Cells::default(),
            frames: ranges.frames.iter().map(|(&frame, locals)| (frame, of(locals))).collect(),
            mask: Vec::new(),
        }
    }
}
