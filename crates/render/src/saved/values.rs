//! Values as documents show them, put back into a state.

use crate::Shown;
use crate::names::{cell_name, half_of_word, half_shown, instance_name, wide_word};
use lariat_system::reference::Valuation;
use lariat_system::{Half, Slot, System, Type};
use std::collections::HashMap;

/// A cell of a state: the process, if it is one of its slots, the slot and the cell.
type Cell = (Option<usize>, usize, usize);

/// `state` with these values by name; `None` if something of that name is no variable, or has no such value.
pub(super) fn with_values<'v>(
    system: &System,
    state: &Valuation,
    values: impl IntoIterator<Item = (&'v str, &'v Shown)>,
) -> Option<Valuation> {
    let cells = cells_by_name(system, state);
    let mut state = state.clone();
    for (name, shown) in values {
        let &(process, slot, cell) = cells.get(name)?.as_ref()?;
        match process {
            None if wide_word(system, &system.slots.as_slice()[slot]).is_some() => {
                let ty = wide_word(system, &system.slots.as_slice()[slot])?;
                let half = |half: Half| half_shown(ty, half, shown);
                state.globals[slot] = vec![half(Half::Low)?, half(Half::High)?];
            }
            None => state.globals[slot][cell] = value_of(system, system.slots.as_slice()[slot].ty, shown)?,
            Some(position) => {
                let instance = &mut state.pool[position];
                let ty = system.frames[instance.frame].slots.as_slice()[slot].ty;
                instance.locals[slot][cell] = value_of(system, ty, shown)?;
            }
        }
    }
    Some(state)
}

/// The value of the type that is shown so.
pub(super) fn value_of(system: &System, ty: Type, shown: &Shown) -> Option<i64> {
    if let Some((signed, width, half)) = half_of_word(system, ty) {
        return half_shown((signed, width), half, shown);
    }
    match shown {
        Shown::Number(_) | Shown::Large(_) | Shown::Word(_) => {
            i64::try_from(shown.number()?).ok().filter(|value| system.range(ty).contains(*value))
        }
        Shown::Name(name) => {
            let Type::Enum(id) = ty else { return None };
            system.enums[id].variants.iter().find(|variant| variant.name == *name).map(|variant| variant.value)
        }
        Shown::Messages(_) => None,
    }
}

/// Where the variables are that are shown; `None` for a name that several have.
fn cells_by_name(system: &System, state: &Valuation) -> HashMap<String, Option<Cell>> {
    let mut cells = HashMap::new();
    let mut add = |owner: &str, process: Option<usize>, slots: &[Slot]| {
        for (number, slot) in slots.iter().enumerate().filter(|(_, slot)| slot.shown) {
            let wide = wide_word(system, slot).is_some();
            for cell in 0..if wide { 1 } else { slot.cells() } {
                let place = Some((process, number, cell));
                let name = if wide { slot.name.clone() } else { cell_name(slot, cell) };
                let name = format!("{owner}{name}");
                cells.entry(name).and_modify(|known| *known = None).or_insert(place);
            }
        }
    };
    add("", None, system.slots.as_slice());
    for (position, instance) in state.pool.iter().enumerate() {
        let name = instance_name(system, instance.frame, position as u8);
        add(&format!("{name}."), Some(position), system.frames[instance.frame].slots.as_slice());
    }
    cells
}
