//! Orders of variables by name, as files list them.
//!
//! A line is the name of a variable, for all of its bits, or that of one bit: `x.0` is the lowest bit of `x`. The variables
//! of processes have the place of the process before them: `P(1).x`.

use lariat_base::closest_name;
use lariat_system::{Field, Half, Layout, Slot, System, Type};
use std::collections::HashMap;

/// A variable of a system.
struct NamedVariable {
    name: String,
    /// Its bits in a state, the lowest first.
    bits: Vec<usize>,
}

/// NuSMV's variable for the process that moves, and its bits. Here that is part of a step, and has no place in the order.
const PROCESS_SELECTOR: &str = "_process_selector_";

/// The bits of states that the lines name, in their order; or what is wrong with which line. Lines without
/// a name are left out.
pub(crate) fn bits_of_lines(system: &System, layout: &Layout, lines: &[String]) -> Result<Vec<usize>, String> {
    let variables = variables(system, layout);
    let by_name: HashMap<&str, &[usize]> =
        variables.iter().map(|variable| (variable.name.as_str(), variable.bits.as_slice())).collect();
    let mut order = Vec::new();
    let named = |line: &String| !line.is_empty() && !line.starts_with(PROCESS_SELECTOR);
    for (number, line) in lines.iter().enumerate().filter(|(_, line)| named(line)) {
        let wrong = |what: String| format!("line {}: {what}", number + 1);
        let bits = match by_name.get(line.as_str()) {
            // The highest on top: numbers are compared from there.
            Some(bits) => bits.iter().rev().copied().collect(),
            None => {
                let bit = line
                    .rsplit_once('.')
                    .and_then(|(name, number)| by_name.get(name)?.get(number.parse::<usize>().ok()?).copied());
                vec![bit.ok_or_else(|| wrong(unknown(line, &variables)))?]
            }
        };
        if bits.iter().any(|bit| order.contains(bit)) {
            return Err(wrong(format!("`{line}` is listed twice")));
        }
        order.extend(bits);
    }
    Ok(order)
}

fn unknown(line: &str, variables: &[NamedVariable]) -> String {
    let hint = closest_name(line, variables.iter().map(|variable| variable.name.as_str()));
    let hint = hint.map_or(String::new(), |name| format!("; did you mean `{name}`?"));
    format!("the model has no variable `{line}`{hint}")
}

/// Lines that name these bits of states in this order.
pub(crate) fn lines_of_bits(system: &System, layout: &Layout, order: &[usize]) -> Vec<String> {
    let variables = variables(system, layout);
    let mut owners: HashMap<usize, (usize, usize)> = HashMap::new();
    for (variable, named) in variables.iter().enumerate() {
        for (number, &bit) in named.bits.iter().enumerate() {
            owners.entry(bit).or_insert((variable, number));
        }
    }
    let mut lines = Vec::new();
    let mut rest = order;
    while let Some(first) = rest.first() {
        let Some(&(variable, number)) = owners.get(first) else {
            rest = &rest[1..];
            continue;
        };
        let NamedVariable { name, bits } = &variables[variable];
        let is_whole = rest.len() >= bits.len() && rest[..bits.len()].iter().eq(bits.iter().rev());
        lines.push(if is_whole { name.clone() } else { format!("{name}.{number}") });
        rest = &rest[if is_whole { bits.len() } else { 1 }..];
    }
    lines
}

/// Of what word a cell of the slot is a half.
fn half_of_word(system: &System, slot: &Slot) -> Option<(bool, u32, Half)> {
    let Type::Enum(id) = slot.ty else { return None };
    system.enums[id].as_half_of_word()
}

/// All variables with their bits. Those of different kinds of processes at the same place share bits.
fn variables(system: &System, layout: &Layout) -> Vec<NamedVariable> {
    let mut found = Vec::new();
    let mut add = |prefix: &str, slots: &[Slot], fields: &[Field], base: usize| {
        for (slot, field) in slots.iter().zip(fields.iter()) {
            // The halves of a wide word are one variable.
            if let Some((_, width, Half::Low)) = half_of_word(system, slot).filter(|_| slot.len == Some(2)) {
                let halves = [0, 1].map(|cell| base + field.bit_of(cell));
                let bits = halves.into_iter().flat_map(|first| first..first + usize::from(field.bits));
                let name = format!("{prefix}{}", slot.name);
                found.push(NamedVariable { name, bits: bits.take(width as usize).collect() });
                continue;
            }
            for cell in 0..slot.cells() {
                let name = match slot.len {
                    Some(_) => format!("{prefix}{}[{cell}]", slot.name),
                    None => format!("{prefix}{}", slot.name),
                };
                let first = base + field.bit_of(cell);
                found.push(NamedVariable { name, bits: (first..first + usize::from(field.bits)).collect() });
            }
        }
    };
    add("", system.slots.as_slice(), layout.slots.as_slice(), 0);
    for position in 0..layout.positions {
        for (id, frame) in system.frames.entries() {
            let prefix = format!("{}({position}).", frame.name);
            add(&prefix, frame.slots.as_slice(), layout.frames[id].as_slice(), layout.region(position));
        }
    }
    for position in 0..layout.positions {
        let first = layout.region(position);
        let bits = (first..first + usize::from(layout.kind_bits)).collect();
        found.push(NamedVariable { name: format!("kind({position})"), bits });
    }
    found.retain(|variable| !variable.bits.is_empty());
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn orders_are_read_as_they_were_written() {
        let mut system = System::empty("fruit");
        for name in ["apple", "pear"] {
            system.slots.push(Slot::new(name, Type::Int { lo: 0, hi: 7 }, 0));
        }
        let layout = Layout::new(&system).unwrap();
        for order in [&["pear", "apple"][..], &["pear.0", "apple", "pear.2", "pear.1"], &["apple.1"]] {
            let bits = bits_of_lines(&system, &layout, &lines(order)).unwrap();
            assert_eq!(lines_of_bits(&system, &layout, &bits), order);
        }
        let error = |names: &[&str]| bits_of_lines(&system, &layout, &lines(names)).unwrap_err();
        assert_eq!(error(&["", "aple"]), "line 2: the model has no variable `aple`; did you mean `apple`?");
        assert_eq!(error(&["apple", "apple.2"]), "line 2: `apple.2` is listed twice");
        assert!(bits_of_lines(&system, &layout, &["_process_selector_".to_owned()]).is_ok_and(|bits| bits.is_empty()));
        assert_eq!(error(&["apple.3"]), "line 1: the model has no variable `apple.3`; did you mean `apple`?");
    }
}
