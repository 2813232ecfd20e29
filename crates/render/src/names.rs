//! What things are called: processes, cells, values.

use crate::Shown;
use crate::view::Word;
use lariat_system::reference::Valuation;
use lariat_system::{Expr, FrameId, Owner, Position, Slot, System, Type};

/// `P(1)`: the frame's name and the position.
pub(crate) fn process_name(system: &System, state: &Valuation, position: Position) -> String {
    match state.pool.get(usize::from(position)) {
        Some(instance) => instance_name(system, instance.frame, position),
        None => format!("process({position})"),
    }
}

pub(crate) fn instance_name(system: &System, frame: FrameId, position: Position) -> String {
    format!("{}({position})", system.frames[frame].name)
}

/// `a` or `a[2]`.
pub(crate) fn cell_name(slot: &Slot, cell: usize) -> String {
    if slot.len.is_some() { format!("{}[{cell}]", slot.name) } else { slot.name.clone() }
}

/// The name of a value of the type, if it has one.
pub(crate) fn variant_name(system: &System, ty: Type, value: i64) -> Option<&str> {
    let Type::Enum(id) = ty else { return None };
    let variant = system.enums[id].variants.iter().find(|variant| variant.value == value)?;
    Some(&variant.name)
}

/// The name of the value of an expression: by its slot's type, else by the first type that names the value.
pub(crate) fn value_name<'a>(system: &'a System, frames: &[FrameId], expr: &Expr, value: i64) -> Option<&'a str> {
    if let Expr::Read(place) = expr
        && !matches!(place.owner, Owner::Role(role, _) if role.index() >= frames.len())
        && let name @ Some(_) = variant_name(system, system.slot_of(place, frames).ty, value)
    {
        return name;
    }
    system.enums.ids().find_map(|id| variant_name(system, Type::Enum(id), value))
}

/// The value as it is shown: by name where it has one, words of SMV with their width.
pub(crate) fn shown(system: &System, ty: Type, value: i64) -> Shown {
    if let Type::Enum(id) = ty
        && let Some((signed, width)) = system.enums[id].as_word()
    {
        return Shown::Word(Word { value, signed, width });
    }
    variant_name(system, ty, value).map_or(Shown::Number(value), |name| Shown::Name(name.to_owned()))
}
