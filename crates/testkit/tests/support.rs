//! What actions read and write, against what their firings in fact depend on and change.

use lariat_base::Id;
use lariat_system::reference::{Evaluator, Firing, Instance, Outcome, Scope, Valuation};
use lariat_system::{Cells, LocalId, Position, SlotId, Support, System};
use lariat_testkit::{Knobs, RandomSystem, Rng};
use std::collections::BTreeSet;

const SYSTEMS: u64 = 150;
const STATES: usize = 25;

/// One cell of a state.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Cell {
    /// `None` for a slot of the system.
    position: Option<usize>,
    slot: usize,
    cell: usize,
}

fn all_cells(state: &Valuation) -> Vec<Cell> {
    let mut cells = Vec::new();
    let owners = std::iter::once((None, &state.globals))
        .chain(state.pool.iter().enumerate().map(|(position, instance)| (Some(position), &instance.locals)));
    for (position, slots) in owners {
        for (slot, values) in slots.iter().enumerate() {
            cells.extend((0..values.len()).map(|cell| Cell { position, slot, cell }));
        }
    }
    cells
}

fn content(state: &mut Valuation, cell: Cell) -> &mut i64 {
    match cell.position {
        None => &mut state.globals[cell.slot][cell.cell],
        Some(position) => &mut state.pool[position].locals[cell.slot][cell.cell],
    }
}

fn is_in(set: &BTreeSet<Cells>, state: &Valuation, cell: Cell, positions: &[Position]) -> bool {
    set.iter().any(|cells| match cell.position {
        None => cells.hold_global(SlotId::new(cell.slot), cell.cell as u32),
        Some(position) => {
            let process = (position as Position, state.pool[position].frame);
            cells.hold_local(positions, process, LocalId::new(cell.slot), cell.cell as u32)
        }
    })
}

fn keeps_invariants(evaluator: &Evaluator<'_>, state: &Valuation) -> bool {
    evaluator.system.invariants.iter().all(|invariant| evaluator.holds(invariant, state, &Scope::default()))
}

fn some_states(evaluator: &Evaluator<'_>) -> Vec<Valuation> {
    let mut seen = evaluator.initial();
    let mut next = 0;
    while next < seen.len() && seen.len() < STATES {
        for step in evaluator.steps(&seen[next].clone()) {
            if let Outcome::State(target) = step.outcome
                && !seen.contains(&target)
            {
                seen.push(target);
            }
        }
        next += 1;
    }
    seen
}

#[test]
fn what_a_firing_changes_may_be_written() {
    for seed in 0..SYSTEMS {
        let system = RandomSystem::generate(seed, &Knobs::default());
        let (evaluator, supports) = (Evaluator::new(&system), system.supports());
        for state in some_states(&evaluator) {
            for (_, firing) in evaluator.enabled(&state) {
                let Some(mut next) = evaluator.fire(&state, &firing).1 else { continue };
                let support = &supports[firing.action];
                let frames = |state: &Valuation| state.pool.iter().map(|process| process.frame).collect::<Vec<_>>();
                if frames(&next) != frames(&state) {
                    assert!(support.may_write.contains(&Cells::Pool), "seed {seed}: {firing:?}");
                    assert!(support.must_write.contains(&Cells::Pool), "seed {seed}: {firing:?}");
                } else {
                    assert!(!support.must_write.contains(&Cells::Pool), "seed {seed}: {firing:?}");
                }
                for cell in all_cells(&state) {
                    if cell.position.is_some_and(|position| position >= next.pool.len()) {
                        continue;
                    }
                    let changed = *content(&mut next, cell) != *content(&mut state.clone(), cell);
                    let listed = is_in(&support.may_write, &state, cell, &firing.scope.positions);
                    assert!(!changed || listed, "seed {seed}: {firing:?} changes {cell:?}");
                }
            }
        }
    }
}

/// What a firing is worth comparing by.
fn view(evaluator: &Evaluator<'_>, state: &Valuation, firing: &Firing) -> Option<i64> {
    evaluator.enabled(state).into_iter().find(|(_, other)| other == firing).map(|(rank, _)| rank)
}

#[test]
fn what_is_not_read_does_not_matter() {
    let mut compared = [0; 3];
    for seed in 0..SYSTEMS {
        let system = RandomSystem::generate(seed, &Knobs::default());
        let (evaluator, supports) = (Evaluator::new(&system), system.supports());
        let mut rng = Rng::new(seed);
        for state in some_states(&evaluator) {
            for cell in all_cells(&state) {
                let mut other = state.clone();
                let held = *content(&mut other, cell);
                let range = range_of(&system, &state, cell);
                let value = rng.between(range.0.max(held - 3), range.1.min(held + 3));
                *content(&mut other, cell) = value;
                if value != held && keeps_invariants(&evaluator, &other) {
                    compare(&evaluator, &supports, (&state, &other), cell, value, seed, &mut compared);
                }
            }
            for frame in system.frames.ids() {
                let mut other = state.clone();
                other.pool.push(Instance::new(frame, &system.frames[frame]));
                if other.pool.len() <= usize::from(system.pool_size) && keeps_invariants(&evaluator, &other) {
                    compare_pools(&evaluator, &supports, &state, &other, seed, &mut compared);
                }
            }
        }
    }
    assert!(compared.iter().all(|&count| count > 500), "too few comparisons: {compared:?}");
}

fn range_of(system: &System, state: &Valuation, cell: Cell) -> (i64, i64) {
    let slot = match cell.position {
        None => &system.slots[SlotId::new(cell.slot)],
        Some(position) => &system.frames[state.pool[position].frame].slots[LocalId::new(cell.slot)],
    };
    let range = system.range(slot.ty);
    (range.lo, range.hi)
}

type Supports = lariat_base::IdVec<lariat_system::ActionId, Support>;

/// Compares the firings of two states that differ in `cell`, which holds `value` in the second.
fn compare(
    evaluator: &Evaluator<'_>,
    supports: &Supports,
    (state, other): (&Valuation, &Valuation),
    cell: Cell,
    value: i64,
    seed: u64,
    compared: &mut [usize; 3],
) {
    let (enabled, enabled_there) = (evaluator.enabled(state), evaluator.enabled(other));
    for (rank, firing) in enabled.iter().chain(&enabled_there) {
        let support = &supports[firing.action];
        let is_listed = |set: &BTreeSet<Cells>| is_in(set, state, cell, &firing.scope.positions);
        if is_listed(&support.reads) {
            continue;
        }
        let what = || format!("seed {seed}: {firing:?} and {cell:?}, {support:?}");
        let entry = (*rank, firing.clone());
        assert!(enabled.contains(&entry) && enabled_there.contains(&entry), "enabled in one only: {}", what());
        let ((faults, next), (faults_there, next_there)) =
            (evaluator.fire(state, firing), evaluator.fire(other, firing));
        assert_eq!(faults, faults_there, "{}", what());
        let marks = |state| evaluator.marks_with(&Default::default(), state, firing).labels;
        assert_eq!(marks(state), marks(other), "{}", what());
        compared[0] += 1;
        let (Some(mut next), Some(mut next_there)) = (next.clone(), next_there.clone()) else {
            assert_eq!(next, next_there, "{}", what());
            continue;
        };
        if cell.position.is_none_or(|position| position < next.pool.len()) {
            let (after, after_there) = (*content(&mut next, cell), *content(&mut next_there, cell));
            if is_listed(&support.must_write) {
                assert_eq!(after, after_there, "must be written: {}", what());
                compared[1] += 1;
            } else if is_listed(&support.may_write) {
                assert!(after == after_there || after_there == value, "{}", what());
            } else {
                assert_eq!(after_there, value, "{}", what());
            }
            *content(&mut next_there, cell) = after;
        }
        assert_eq!(next, next_there, "written values differ: {}", what());
    }
    let (faults, faults_there) = (evaluator.guard_faults(state, None), evaluator.guard_faults(other, None));
    for entry in faults.iter().chain(&faults_there) {
        if !is_in(&supports[entry.0.action].reads, state, cell, &entry.0.scope.positions) {
            assert!(faults.contains(entry) && faults_there.contains(entry), "seed {seed}: {entry:?} and {cell:?}");
        }
    }
}

/// Compares the firings of two states of which the second has one more process.
fn compare_pools(
    evaluator: &Evaluator<'_>,
    supports: &Supports,
    state: &Valuation,
    other: &Valuation,
    seed: u64,
    compared: &mut [usize; 3],
) {
    let youngest = state.pool.len() as Position;
    for (_, firing) in evaluator.enabled(state).iter().chain(&evaluator.enabled(other)) {
        if supports[firing.action].reads.contains(&Cells::Pool) || firing.scope.positions.contains(&youngest) {
            continue;
        }
        let (here, there) = (view(evaluator, state, firing), view(evaluator, other, firing));
        assert_eq!(here, there, "seed {seed}: {firing:?} and one more process");
        let (mut next, next_there) = (evaluator.fire(state, firing), evaluator.fire(other, firing));
        if let Some(next) = &mut next.1 {
            next.pool.extend(other.pool.last().cloned());
        }
        assert_eq!(next, next_there, "seed {seed}: {firing:?} and one more process");
        compared[2] += 1;
    }
}
