//! What things are called: processes, cells, values.

use crate::Shown;
use crate::view::Word;
use lariat_system::reference::Valuation;
use lariat_system::{Expr, FrameId, Half, Owner, Position, Slot, System, Type, joined};

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

/// `a`, `a[2]`, `t[1].v[0]`.
pub(crate) fn cell_name(slot: &Slot, cell: usize) -> String {
    slot.cell_name(cell)
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

/// The cells of a slot with their values as they are shown; a wide word of SMV is one value.
pub(crate) fn contents(system: &System, slot: &Slot, values: &[i64]) -> Vec<(String, Shown)> {
    match wide_word(system, slot) {
        Some(ty) => vec![(slot.name.clone(), wide_shown(ty, values[0], values[1]))],
        None => {
            let cells = values.iter().enumerate();
            cells.map(|(cell, &value)| (cell_name(slot, cell), shown(system, slot.ty, value))).collect()
        }
    }
}

/// Whether a slot holds a word in two halves: signed or not, and the width.
pub(crate) fn wide_word(system: &System, slot: &Slot) -> Option<(bool, u32)> {
    match half_of_word(system, slot.ty) {
        Some((signed, width, Half::Low)) if slot.len == Some(2) => Some((signed, width)),
        _ => None,
    }
}

/// Whether the type is that of halves of words: signed or not, the width, and which half.
pub(crate) fn half_of_word(system: &System, ty: Type) -> Option<(bool, u32, Half)> {
    let Type::Enum(id) = ty else { return None };
    system.enums[id].as_half_of_word()
}

/// A word in two halves as it is shown.
pub(crate) fn wide_shown((signed, width): (bool, u32), low: i64, high: i64) -> Shown {
    let bits = i128::from(joined(high, low));
    let negative = signed && bits >> (width - 1) & 1 == 1;
    Shown::Word(Word { value: if negative { bits - (1 << width) } else { bits }, signed, width })
}

/// The half of the word that is shown so, if it is one of this width.
pub(crate) fn half_shown((signed, width): (bool, u32), half: Half, shown: &Shown) -> Option<i64> {
    let value = shown.number()?;
    let (least, most) = if signed { (-(1 << (width - 1)), (1 << (width - 1)) - 1) } else { (0, (1 << width) - 1) };
    let fits = (least..=most).contains(&value);
    fits.then(|| half.of((value & ((1 << width) - 1)) as u64))
}

/// The value as it is shown: by name where it has one, words of SMV with their width.
pub(crate) fn shown(system: &System, ty: Type, value: i64) -> Shown {
    if let Type::Enum(id) = ty
        && let Some((signed, width)) = system.enums[id].as_word()
    {
        return Shown::Word(Word { value: i128::from(value), signed, width });
    }
    variant_name(system, ty, value).map_or(Shown::Number(value), |name| Shown::Name(name.to_owned()))
}
