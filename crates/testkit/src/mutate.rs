//! Deliberate mistakes, to see that the comparisons would find them.
//!
//! A mutation changes a system in the way a wrong evaluator would misread it. Whoever compares evaluators gives one of
//! them the original and the other the mutant, and must find a difference on some of many random systems: a comparison
//! that finds none is worth nothing.

use lariat_base::IdVec;
use lariat_system::{BinaryOp, Choice, ChoiceId, Expr, FrameId, Owner, Place, Role, System, Type, Update};

/// A mistake that an evaluator could make.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mutation {
    /// A slot that no update names does not keep its value.
    FrameRule,
    /// The last value of a choice is forgotten.
    ChoiceRange,
    /// The holder keeps control when its sequence has ended.
    HolderKept,
    /// The holder loses control inside its sequence.
    HolderLost,
    /// Actions of a greater rank happen too.
    RankIgnored,
    /// A read outside an array gives its first cell.
    OutOfRangeRead,
}

impl Mutation {
    /// All of them.
    pub const ALL: [Mutation; 6] = [
        Self::FrameRule,
        Self::ChoiceRange,
        Self::HolderKept,
        Self::HolderLost,
        Self::RankIgnored,
        Self::OutOfRangeRead,
    ];

    /// The misread system. It has the layout of the original.
    pub fn apply(self, system: &System) -> System {
        let mut mutant = system.clone();
        let forgotten = system.slots.entries().find(|(_, slot)| slot.len.is_none());
        for action in mutant.actions.iter_mut() {
            match self {
                Self::FrameRule => {
                    if let Some((slot, declared)) = forgotten {
                        let first = Update::Set(Place::global(slot), Expr::Const(declared.initial_of(0)));
                        action.updates.insert(0, first);
                    }
                }
                Self::ChoiceRange => shorten(&mut action.choices, system),
                Self::HolderKept if !action.participants.is_empty() => action.hold = action.hold.or(Some(Role::ACTOR)),
                Self::HolderKept => {}
                Self::HolderLost => action.hold = None,
                Self::RankIgnored => action.rank = Expr::Const(0),
                Self::OutOfRangeRead => {
                    let mut roles = action.participants.clone();
                    for conjunct in &mut action.guard.condition {
                        clamp_reads(conjunct, system, &mut roles);
                    }
                    for update in &mut action.updates {
                        if let Update::Set(_, value) = update {
                            clamp_reads(value, system, &mut roles);
                        }
                    }
                }
            }
        }
        mutant
    }
}

fn shorten(choices: &mut IdVec<ChoiceId, Choice>, system: &System) {
    for choice in choices.iter_mut() {
        let range = system.range(choice.ty);
        if range.lo < range.hi {
            choice.ty = Type::Int { lo: range.lo, hi: range.hi - 1 };
        }
    }
}

fn clamp_reads(expr: &mut Expr, system: &System, roles: &mut Vec<FrameId>) {
    if let Expr::Read(place) = expr {
        let cells = match &place.owner {
            Owner::Role(role, _) if role.index() >= roles.len() => 0,
            _ => system.slot_of(place, roles).cells() as i64,
        };
        if let Some(index) = &mut place.index {
            let inside = |op, a: Expr, b: Expr| Expr::binary(op, a, b);
            let from_below = inside(BinaryOp::Le, Expr::Const(0), (**index).clone());
            let from_above = inside(BinaryOp::Lt, (**index).clone(), Expr::Const(cells));
            **index = from_below.and(from_above).ite((**index).clone(), Expr::Const(0));
        }
    }
    if let Expr::Exists(frame, body) = expr {
        roles.push(*frame);
        clamp_reads(body, system, roles);
        roles.pop();
    } else if !matches!(expr, Expr::Read(_)) {
        expr.for_each_part_mut(|part| clamp_reads(part, system, roles));
    }
}
