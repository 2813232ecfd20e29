//! Bits that always change together with another bit.
//!
//! Two kinds are common. Of a number of which one value stands for "none", as 255 beside small numbers, all upper bits change
//! together: each *follows* the one below it. And what a process is given at its birth and keeps changes when it is born and when it
//! dies: such bits follow one of those that say what lives there. Other code than that of the living process does not look
//! at them, so that in code they are constants.
//!
//! That a bit follows is learned from some states, and may turn out to be wrong.

use super::spread::Spread;
use crate::compile::Program;
use lariat_base::Id;
use lariat_system::FrameId;

/// For a bit that follows none.
pub(super) const NOBODY: u16 = u16::MAX;

/// Bits of a word that follow one bit of the state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Followers {
    pub(super) leader: u16,
    pub(super) mask: u64,
}

impl Followers {
    /// Those that change in this state, in which the leader is 0 where it is as it mostly is.
    #[inline]
    pub(super) fn led_by(&self, state: &[u64]) -> u64 {
        let leader = usize::from(self.leader);
        self.mask & (state[leader / 64] >> (leader % 64) & 1).wrapping_neg()
    }
}

/// By bit of the state: the bit that it follows in all of these states, in that it differs from the first state where that does.
/// Neither is one of those that are not `free`, and all vary.
pub(super) fn leaders(program: &Program, spread: &Spread, states: &[u64], varying: &[u64], free: &[u64]) -> Vec<u16> {
    let words = program.layout.words;
    let first = &states[..words];
    let mut leaders = vec![NOBODY; words * 64];
    let may = |bit: usize| (varying[bit / 64] & free[bit / 64]) >> (bit % 64) & 1 == 1;
    for (begin, end, leader) in lives_of(program, spread) {
        if may(leader) {
            let apart = sometimes_apart(states, first, begin..end, leader);
            let follows = |bit: &usize| may(*bit) && *bit != leader && apart[bit / 64 - begin / 64] >> (bit % 64) & 1 == 0;
            (begin..end).filter(follows).for_each(|bit| leaders[bit] = leader as u16);
        }
    }
    // Where a bit and the one below it differ from each other more or less than at first.
    let mut apart = vec![0; words];
    for state in states.chunks_exact(words) {
        for ((apart, &word), &first) in apart.iter_mut().zip(state).zip(first) {
            let differing = word ^ first;
            *apart |= differing ^ differing << 1;
        }
    }
    for (begin, bits) in cells_of(program, spread) {
        for bit in begin + 1..begin + bits {
            let together = apart[bit / 64] >> (bit % 64) & 1 == 0;
            if together && may(bit) && may(bit - 1) && leaders[bit] == NOBODY {
                leaders[bit] = if leaders[bit - 1] == NOBODY { bit as u16 - 1 } else { leaders[bit - 1] };
            }
        }
    }
    leaders
}

/// The regions of the positions where one kind of process lives or nobody: where each begins and ends, and a bit that is 1 when
/// somebody lives there.
fn lives_of(program: &Program, spread: &Spread) -> Vec<(usize, usize, usize)> {
    let layout = &program.layout;
    let only = |(position, frames): (usize, &Vec<FrameId>)| match frames[..] {
        [frame] if layout.kind_bits > 0 => {
            let begin = layout.region(position);
            Some((begin, begin + layout.region_bits, begin + (frame.index() + 1).trailing_zeros() as usize))
        }
        _ => None,
    };
    spread.possible.iter().flatten().enumerate().filter_map(only).collect()
}

/// The cells of all slots whose place is known, each with its first bit and how many it has.
fn cells_of(program: &Program, spread: &Spread) -> Vec<(usize, usize)> {
    let layout = &program.layout;
    let mut cells = Vec::new();
    let mut add = |begin: usize, field: &lariat_system::Field| {
        let of_cell = |cell| (begin + field.bit_of(cell), usize::from(field.bits));
        cells.extend((0..field.cells as usize).map(of_cell));
    };
    layout.slots.iter().for_each(|field| add(0, field));
    for (position, frames) in spread.possible.iter().flatten().enumerate() {
        if let [frame] = frames[..] {
            layout.frames[frame].iter().for_each(|field| add(layout.region(position), field));
        }
    }
    cells
}

/// The bits of a range, in the words that have it, that in some state differ from the first state where the leader does not, or the
/// other way round.
fn sometimes_apart(states: &[u64], first: &[u64], range: std::ops::Range<usize>, leader: usize) -> Vec<u64> {
    let words = range.start / 64..range.end.div_ceil(64);
    let mut apart = vec![0; words.len()];
    for state in states.chunks_exact(first.len()) {
        let led = ((state[leader / 64] ^ first[leader / 64]) >> (leader % 64) & 1).wrapping_neg();
        for (apart, word) in apart.iter_mut().zip(words.clone()) {
            *apart |= state[word] ^ first[word] ^ led;
        }
    }
    apart
}
