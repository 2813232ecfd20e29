//! Dead variables of processes are reset.
//!
//! A variable is *live* where control stands at a place from which some way leads to a reader with no writer before. That is the least
//! solution of the usual equations, going backwards along the edges of control: live before an edge is what its action reads, and
//! what is live behind it and not surely written by it. Who reads a variable of a process without taking part together with it, by
//! position or by looking for a process, may do so at any time: such variables count as live everywhere, and so do those that labels read.
//!
//! An edge that leads to a place where a variable is dead gives it its initial value.

use crate::{
    ActionId, AfterTrap, Cells, ControlEdge, Expr, FrameId, LocalId, Owner, Place, Support, System, Trap, TrapKind,
    TrapTime, Update,
};
use lariat_base::{IdVec, safe_point};
use std::collections::{BTreeMap, BTreeSet};

/// Arrays with more cells are not reset: each cell takes an update.
const MOST_CELLS: usize = 64;

/// Resets dead variables, and returns their names.
pub(super) fn reset_dead(system: &mut System) -> Vec<String> {
    let supports = supports_with_cuts(system);
    let mut names = Vec::new();
    for frame in system.frames.ids().collect::<Vec<_>>() {
        safe_point();
        let Some(edges) = system.control_edges(frame) else { continue };
        let mut candidates = candidates(system, frame, &supports);
        // What a process gets in the beginning and keeps, others may rely on: which channel it talks to.
        candidates.retain(|&local| {
            let writes =
                |edge: &ControlEdge| supports[edge.action].may_write.iter().any(|cells| is_local(*cells, edge, local));
            edges.iter().any(writes)
        });
        if candidates.is_empty() {
            continue;
        }
        let live = Liveness::of(&edges, &candidates, &supports, system, frame);
        let mut reset: BTreeSet<LocalId> = BTreeSet::new();
        for edge in &edges {
            let Some(to) = edge.to else { continue };
            for &local in &candidates {
                let touches = |cells: &BTreeSet<Cells>| cells.iter().any(|cells| is_local(*cells, edge, local));
                let may_differ = live.at(edge.from, local) || touches(&supports[edge.action].may_write);
                if may_differ && !live.at(to, local) {
                    let slot = &system.frames[frame].slots[local];
                    let place = Place::local(edge.role, local);
                    let resets: Vec<Update> = match slot.len {
                        None => vec![Update::Set(place.clone(), Expr::Const(slot.initial_of(0)))],
                        Some(len) => (0..len as usize)
                            .map(|cell| {
                                let cell_place = place.clone().at(Expr::Const(cell as i64));
                                Update::Set(cell_place, Expr::Const(slot.initial_of(cell)))
                            })
                            .collect(),
                    };
                    let updates = &mut system.actions[edge.action].updates;
                    // What is written before has no effect any more.
                    updates.retain(|update| !sets_variable(update, &place));
                    updates.extend(resets);
                    reset.insert(local);
                }
            }
        }
        names.extend(reset.into_iter().map(|local| system.local_name(frame, local)));
    }
    names
}

/// What actions read and write, where the conditions of truncations are read too, and what is only printed is not.
fn supports_with_cuts(system: &System) -> IdVec<ActionId, Support> {
    let mut read = system.clone();
    for action in read.actions.iter_mut() {
        let looks = action.cuts.iter().map(|cut| Trap {
            time: TrapTime::Effect,
            condition: cut.condition.clone(),
            kind: TrapKind::Range,
            after: AfterTrap::GoesOn,
            span: cut.span,
        });
        action.traps.extend(looks);
        action.print = None;
    }
    read.supports()
}

/// The variables of the frame that only actions read and write in which their process takes part.
fn candidates(system: &System, frame: FrameId, supports: &IdVec<ActionId, Support>) -> Vec<LocalId> {
    let from_afar = supports.iter().flat_map(|support| support.reads.iter().chain(&support.may_write));
    let observed = system.observed_cells();
    let remote: BTreeSet<LocalId> = from_afar
        .chain(&observed)
        .filter_map(|cells| match cells {
            Cells::Remote(of, local) if *of == frame => Some(*local),
            _ => None,
        })
        .collect();
    let control = system.frames[frame].control;
    let slots = system.frames[frame].slots.entries();
    let may_be = slots.filter(|(local, slot)| {
        Some(*local) != control && !remote.contains(local) && (1..=MOST_CELLS).contains(&slot.cells())
    });
    may_be.map(|(local, _)| local).collect()
}

fn is_local(cells: Cells, edge: &ControlEdge, local: LocalId) -> bool {
    matches!(cells, Cells::Participant(role, own, _) if role == edge.role && own == local)
}

fn sets_variable(update: &Update, variable: &Place) -> bool {
    matches!(update, Update::Set(place, _) if place.owner == variable.owner && matches!(place.owner, Owner::Role(..)))
}

/// By place of control, the live variables of a frame.
struct Liveness {
    live: BTreeMap<i64, BTreeSet<LocalId>>,
}

impl Liveness {
    fn of(
        edges: &[ControlEdge],
        candidates: &[LocalId],
        supports: &IdVec<ActionId, Support>,
        system: &System,
        frame: FrameId,
    ) -> Self {
        let mut live: BTreeMap<i64, BTreeSet<LocalId>> = BTreeMap::new();
        let reads = |edge: &ControlEdge, local: LocalId| {
            supports[edge.action].reads.iter().any(|cells| is_local(*cells, edge, local))
        };
        let always_writes = |edge: &ControlEdge, local: LocalId| {
            let is_single = system.frames[frame].slots[local].len.is_none();
            is_single && supports[edge.action].must_write.contains(&Cells::Participant(edge.role, local, None))
        };
        // By place, the edges that lead there.
        let mut leading: BTreeMap<i64, Vec<&ControlEdge>> = BTreeMap::new();
        for edge in edges {
            if let Some(to) = edge.to {
                leading.entry(to).or_default().push(edge);
            }
        }
        let mut new: Vec<(i64, LocalId)> = Vec::new();
        for edge in edges {
            for &local in candidates.iter().filter(|&&local| reads(edge, local)) {
                if live.entry(edge.from).or_default().insert(local) {
                    new.push((edge.from, local));
                }
            }
        }
        while let Some((place, local)) = new.pop() {
            safe_point();
            for edge in leading.get(&place).into_iter().flatten() {
                if !always_writes(edge, local) && live.entry(edge.from).or_default().insert(local) {
                    new.push((edge.from, local));
                }
            }
        }
        Self { live }
    }

    fn at(&self, place: i64, local: LocalId) -> bool {
        self.live.get(&place).is_some_and(|live| live.contains(&local))
    }
}
