//! Which bits of states stand in the same word of a key, where keys are parts that are numbered one by one.
//!
//! A part is to take few values, and a step is to change few parts. So what is written together stands together: a process with the channel that it
//! sends to. Bits that come together in any case are a *unit*: those of a process, of a cell, of an array that is indexed at run time. The
//! units that most actions write both are put together first, as long as there is room.

use super::packing::{Packing, bits_of};
use super::ranges::{self, Access};
use super::spread::Spread;
use crate::code::{Entry, Op};
use crate::compile::{ActionCode, Program, Rank};
use lariat_system::{FrameId, System};
use std::collections::{BTreeMap, BTreeSet};

/// There are at most so many words.
pub(super) const MOST_WORDS: usize = 8;
/// A word has at most so many bits at first: more will begin to vary.
const MOST_BITS: u32 = 52;
/// For bits that are in no unit.
pub(super) const NO_WORD: u16 = u16::MAX;

/// The pieces of code of an action that are made for keys.
pub(super) fn entries_of(action: &ActionCode) -> impl Iterator<Item = Entry> {
    let ActionCode { guard, rank, control, guard_traps, effect_traps, update, .. } = action;
    let choices = guard.choices.iter().flat_map(|settle| settle.only.into_iter().chain(settle.check));
    let rank = match rank {
        Rank::Code(entry) => Some(*entry),
        Rank::Const(_) => None,
    };
    let traps = guard_traps.iter().chain(effect_traps).map(|trap| trap.condition);
    guard.before.into_iter().chain(choices).chain(rank).chain(*control).chain(traps).chain([*update])
}

/// Calls `take` for each action that keys can list, with the regions of its participants, wherever these may stand.
pub(super) fn for_instances(
    program: &Program,
    system: &System,
    spread: &Spread,
    mut take: impl FnMut(&ActionCode, &[u32]),
) {
    let positions = |frame: FrameId| spread.fixed_positions(frame).unwrap_or_default();
    let region = |position: u32| program.code.pool.region(position);
    for (id, action) in program.actions.entries() {
        if !super::actions::lists_by_keys(program, action) {
            continue;
        }
        match system.actions[id].participants[..] {
            [] => take(action, &[]),
            [actor] => positions(actor).into_iter().for_each(|actor| take(action, &[region(actor)])),
            [actor, peer, ..] => {
                for actor in positions(actor) {
                    for peer in positions(peer).into_iter().filter(|&peer| peer != actor) {
                        take(action, &[region(actor), region(peer)]);
                    }
                }
            }
        }
    }
}

/// By bit of the state, the word that it is to stand in if it is kept, and how many words there are. `needed` are those that are kept
/// now, `arrays` those bits that must stay together. `None` if there is no room.
pub(super) fn words_of(
    program: &Program,
    system: &System,
    spread: &Spread,
    packing: &Packing,
    needed: &[u64],
) -> Option<(Vec<u16>, usize)> {
    let units = units_of(program, packing);
    let mut groups: Vec<Group> = Vec::new();
    let mut group_of: BTreeMap<u16, usize> = BTreeMap::new();
    for (word, &needed) in needed.iter().enumerate() {
        for bit in bits_of(needed) {
            let unit = units[word * 64 + bit];
            let group = *group_of.entry(unit).or_insert_with(|| {
                groups.push(Group { units: vec![unit], bits: 0 });
                groups.len() - 1
            });
            groups[group].bits += 1;
        }
    }
    let together = written_together(program, system, spread, packing, &units);
    let weight = |one: &Group, two: &Group| -> u64 {
        let pairs = one.units.iter().flat_map(|a| two.units.iter().map(move |b| (*a.min(b), *a.max(b))));
        pairs.map(|pair| together.get(&pair).copied().unwrap_or(0)).sum()
    };
    loop {
        let pairs = || (0..groups.len()).flat_map(|one| (one + 1..groups.len()).map(move |two| (one, two)));
        let bits = |&(one, two): &(usize, usize)| groups[one].bits + groups[two].bits;
        let of_pair = |&(one, two): &(usize, usize)| weight(&groups[one], &groups[two]);
        let fitting = || pairs().filter(|pair| bits(pair) <= MOST_BITS);
        let best = fitting().filter(|pair| of_pair(pair) > 0).max_by_key(|pair| (of_pair(pair), u32::MAX - bits(pair)));
        // What has nothing to do with each other comes together only where there are too many.
        let best = best.or_else(|| fitting().filter(|_| groups.len() > MOST_WORDS).min_by_key(bits));
        let Some((one, two)) = best else { break };
        let Group { units, bits } = groups.remove(two);
        groups[one].units.extend(units);
        groups[one].bits += bits;
    }
    if groups.len() > MOST_WORDS || groups.iter().any(|group| group.bits > 64) {
        return None;
    }
    let word_of = |unit: &u16| groups.iter().position(|group| group.units.contains(unit)).map_or(NO_WORD, |at| at as u16);
    Some((units.iter().map(word_of).collect(), groups.len().max(1)))
}

struct Group {
    units: Vec<u16>,
    bits: u32,
}

/// By bit of the state, its unit.
fn units_of(program: &Program, packing: &Packing) -> Vec<u16> {
    let layout = &program.layout;
    let mut units = vec![0; layout.words * 64];
    let mut last = 0;
    for field in layout.slots.iter() {
        for cell in 0..field.cells as usize {
            last += 1;
            units[field.bit_of(cell)..][..usize::from(field.bits)].fill(last);
        }
    }
    for position in 0..layout.positions {
        last += 1;
        units[layout.region(position)..][..layout.region_bits].fill(last);
    }
    let mut known = BTreeMap::new();
    packing.for_bits_of_arrays(|array, bit| {
        let unit = *known.entry(array).or_insert_with(|| {
            last += 1;
            last
        });
        units[bit] = unit;
    });
    units
}

/// How many actions write both of two units.
fn written_together(
    program: &Program,
    system: &System,
    spread: &Spread,
    packing: &Packing,
    units: &[u16],
) -> BTreeMap<(u16, u16), u64> {
    let mut together = BTreeMap::new();
    for_instances(program, system, spread, |action, regions| {
        let region = |role: u8| regions.get(usize::from(role)).copied();
        let mut written: BTreeSet<u16> = BTreeSet::new();
        let mut write = |bit: u32| {
            written.insert(units[bit as usize]);
        };
        for op in program.code.piece(action.update) {
            match *op {
                Op::Store { word, shift, .. } | Op::StoreConst { word, shift, .. } => write(word * 64 + u32::from(shift)),
                Op::StoreRole { role, bit, .. } | Op::StoreRoleConst { role, bit, .. } => {
                    region(role).into_iter().for_each(|region| write(region + bit));
                }
                _ => {}
            }
        }
        ranges::accesses(&program.code, packing, action.update, region, |op, Access { begin, field, index }| {
            let is_write = matches!(op, Op::StoreCell { .. } | Op::StoreRoleCell { .. });
            let cell = index.map_or(0, |range| range.low).clamp(0, i64::from(field.cells) - 1);
            if is_write {
                write(begin + cell as u32 * u32::from(field.stride));
            }
        });
        for (number, &one) in written.iter().enumerate() {
            for &two in written.iter().skip(number + 1) {
                *together.entry((one, two)).or_insert(0) += 1;
            }
        }
    });
    together
}
