//! What exactly went wrong in a run-time error: which array, index and length, which channel and fields, which values.
//!
//! All of it is read off the condition of the trap, evaluated in the state before the action, and off the source text that the
//! trap points at. Where neither says enough, nothing is said beyond the kind of the error.

use crate::names::{cell_name, process_name, shown};
use crate::state::channels;
use lariat_base::SourceMap;
use lariat_engine::{Event, Story};
use lariat_system::reference::{Evaluator, Scope, Valuation};
use lariat_system::{Action, AfterTrap, BinaryOp, Expr, Fault, Owner, Place, Slot, System, Trap, TrapKind, truncated};

/// Of longer runs the error is not looked at in detail: that takes all states of the run once more.
const MOST_ACTIONS: usize = 100_000;
/// As many values of an assertion are shown.
const MOST_VALUES: usize = 6;

/// What is known about the run-time error that the run ends in.
pub(crate) fn fault_detail(system: &System, sources: &SourceMap, story: &Story, fault: Fault) -> Option<String> {
    let Fault::Trap(_, number) = fault else {
        let living = story.last().pool.len();
        return matches!(fault, Fault::PoolFull(_)).then(|| format!("{living} are alive, and no more can be"));
    };
    if story.actions().len() > MOST_ACTIONS {
        return None;
    }
    let met = |event: &Event| event.faults.contains(&fault);
    let event = story.events(system).filter_map(|item| item.event).filter(met).last()?;
    let action = &system.actions[fault.action()];
    let at = Met { system, sources, action, before: &event.before, scope: &event.firing.scope };
    at.detail(&action.traps[usize::from(number)])
}

/// What is truncated in an action that is taken.
pub(crate) fn truncations(system: &System, sources: &SourceMap, event: &Event) -> Vec<String> {
    let action = &system.actions[event.firing.action];
    if action.cuts.is_empty() || event.after.is_none() {
        return Vec::new();
    }
    let at = Met { system, sources, action, before: &event.before, scope: &event.firing.scope };
    let met = action.cuts.iter().filter(|cut| at.value(&cut.condition) != 0);
    met.filter_map(|cut| at.truncated(&cut.condition, sources.text(cut.span).trim())).collect()
}

/// An error, with the state in which it was met.
struct Met<'a> {
    system: &'a System,
    sources: &'a SourceMap,
    action: &'a Action,
    before: &'a Valuation,
    scope: &'a Scope,
}

impl Met<'_> {
    fn detail(&self, trap: &Trap) -> Option<String> {
        let written = self.sources.text(trap.span).trim();
        match trap.kind {
            TrapKind::Index => self.index(&trap.condition, written),
            TrapKind::Division if is_short(written) => Some(format!("the divisor in `{written}` is 0")),
            TrapKind::Channel if trap.after == AfterTrap::Stops && is_name(written) => {
                Some(format!("`{written}` holds no channel"))
            }
            TrapKind::Channel if is_name(written) => self.fields(written),
            TrapKind::Assertion => self.values(&trap.condition),
            TrapKind::Range => self.truncated(&trap.condition, written),
            TrapKind::Priority => self.priority(&trap.condition),
            _ => None,
        }
    }

    fn value(&self, expr: &Expr) -> i64 {
        Evaluator::new(self.system).value(expr, self.before, self.scope)
    }

    /// `priority 0 is outside 1 to 255`. The condition ends with the comparison of the priority with its limits.
    fn priority(&self, condition: &Expr) -> Option<String> {
        let mut last = condition;
        loop {
            match last {
                Expr::Binary(BinaryOp::And | BinaryOp::Or, _, right) => last = right,
                Expr::Binary(BinaryOp::Lt, highest, priority) if highest.as_const().is_some() => {
                    return Some(format!("priority {} is outside 1 to 255", self.value(priority)));
                }
                _ => return None,
            }
        }
    }

    /// ``256 does not fit into `x`, which holds 0 to 255``.
    fn truncated(&self, condition: &Expr, written: &str) -> Option<String> {
        let (value, fits) = truncated(condition)?;
        let into = match written {
            channel if self.action.is_sent_to(channel) => format!("a field of `{channel}`"),
            short if is_short(short) => format!("`{short}`"),
            _ => "its variable".to_owned(),
        };
        Some(format!("{} does not fit into {into}, which holds {} to {}", self.value(value), fits.lo, fits.hi))
    }

    /// ``index 7 is outside `a[3]` ``. The condition compares the index with 0 and with the length.
    fn index(&self, condition: &Expr, written: &str) -> Option<String> {
        let mut found: Option<(i64, Option<i64>)> = None;
        let mut open = vec![condition];
        while let Some(part) = open.pop() {
            match part {
                Expr::Binary(BinaryOp::And | BinaryOp::Or, left, right) => open.extend([&**left, &**right]),
                Expr::Binary(BinaryOp::Le, length, index) if self.value(part) != 0 => {
                    if let Some(length) = length.as_const() {
                        found = Some((self.value(index), Some(length)));
                    }
                }
                Expr::Binary(BinaryOp::Lt, index, zero) if zero.as_const() == Some(0) && self.value(part) != 0 => {
                    found = Some((self.value(index), length_in(condition)));
                }
                _ => {}
            }
        }
        let (index, length) = found?;
        let array = written.split_once('[').filter(|(_, rest)| !rest.contains('[')).map(|(name, _)| name.trim());
        Some(match (array.filter(|name| is_name(name)), length) {
            (Some(array), Some(length)) => format!("index {index} is outside `{array}[{length}]`"),
            (_, Some(length)) if is_short(written) => {
                format!("index {index} is outside an array of {length} in `{written}`")
            }
            (_, Some(length)) => format!("index {index} is outside an array of {length}"),
            (_, None) => format!("index {index} is negative"),
        })
    }

    /// ``messages of `q` have 2 fields, and `q!1` has 1``.
    fn fields(&self, channel: &str) -> Option<String> {
        let statement = self.action.name.as_str();
        let own = |name: &str| name.rsplit('.').next() == Some(channel);
        let queue = channels(self.system, self.before).find(|found| own(&found.name))?.number;
        let wanted = self.system.queues[queue].fields.len();
        let given = field_count(statement).filter(|given| *given != wanted)?;
        let plural = if wanted == 1 { "" } else { "s" };
        Some(format!("messages of `{channel}` have {wanted} field{plural}, and `{statement}` has {given}"))
    }

    /// `x = 3, a[1] = 2`: what an assertion reads.
    fn values(&self, condition: &Expr) -> Option<String> {
        let mut read: Vec<(Option<usize>, String)> = Vec::new();
        let mut open = vec![condition];
        while let Some(part) = open.pop() {
            if let Expr::Read(place) = part
                && let Some((name, text)) = self.cell(place, part)
                && !read.iter().any(|(_, known)| *known == text)
            {
                // In the order of the statement's text.
                read.push((self.action.name.find(&name), text));
            }
            push_parts(part, &mut open);
        }
        read.sort_by_key(|(place, _)| *place);
        let texts: Vec<String> = read.into_iter().map(|(_, text)| text).collect();
        (!texts.is_empty() && texts.len() <= MOST_VALUES).then(|| texts.join(", "))
    }

    /// The variable `a` and `P(1).a[2] = 7`; nothing for what is not shown.
    fn cell(&self, place: &Place, read: &Expr) -> Option<(String, String)> {
        let (slot, owner): (&Slot, String) = match &place.owner {
            Owner::Global(slot) => (&self.system.slots[*slot], String::new()),
            Owner::Role(role, local) => {
                let position = *self.scope.positions.get(role.index())?;
                let frame = self.before.pool.get(usize::from(position))?.frame;
                let name = process_name(self.system, self.before, position);
                (&self.system.frames[frame].slots[*local], format!("{name}."))
            }
            Owner::At(frame, local, position) => {
                let position = u8::try_from(self.value(position)).ok()?;
                let name = process_name(self.system, self.before, position);
                (&self.system.frames[*frame].slots[*local], format!("{name}."))
            }
        };
        let cell = place.index.as_ref().map_or(Some(0), |index| usize::try_from(self.value(index)).ok())?;
        let value = shown(self.system, slot.ty, self.value(read));
        slot.shown.then(|| (slot.name.clone(), format!("{owner}{} = {value}", cell_name(slot, cell))))
    }
}

/// The parts of an expression. What a quantifier binds has no value of its own, so it is left out.
fn push_parts<'e>(expr: &'e Expr, open: &mut Vec<&'e Expr>) {
    match expr {
        Expr::Const(_) | Expr::Choice(_) | Expr::Position(_) | Expr::PoolCount | Expr::Exists(..) => {}
        Expr::Read(place) => open.extend(place.index.as_deref()),
        Expr::Lives(_, part) | Expr::Unary(_, part) | Expr::Wrap { value: part, .. } => open.push(part),
        Expr::Binary(_, left, right) => open.extend([&**right, &**left]),
        Expr::Ite(parts) => open.extend(parts.iter().rev()),
        Expr::Wide(_, _, parts) => open.extend(parts.iter().rev()),
    }
}

/// The length that a condition compares an index with.
fn length_in(condition: &Expr) -> Option<i64> {
    let mut open = vec![condition];
    while let Some(part) = open.pop() {
        match part {
            Expr::Binary(BinaryOp::Le, length, _) if length.as_const().is_some() => return length.as_const(),
            Expr::Binary(BinaryOp::And | BinaryOp::Or, left, right) => open.extend([&**left, &**right]),
            _ => {}
        }
    }
    None
}

/// How many fields a send or receive has, by its text.
fn field_count(statement: &str) -> Option<usize> {
    let (_, fields) = statement.split_once(['!', '?'])?;
    let fields = fields.trim_start_matches(['!', '?']).trim_matches(['<', '>', '[', ']']);
    let mut depth = 0_usize;
    let mut count = 1;
    for character in fields.chars() {
        match character {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => count += 1,
            _ => {}
        }
    }
    // `q!tag(x, y)` is another way to write `q!tag,x,y`.
    (!fields.contains('(')).then_some(count)
}

/// A name, perhaps of a field.
fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '.')
}

fn is_short(text: &str) -> bool {
    !text.is_empty() && text.len() <= 60 && !text.contains('\n')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_counted_in_the_text_of_a_statement() {
        let counts = ["q!1", "q!1,2", "q!!a[f(1,2)],3", "q?<x,y>", "q??x,_", "q!tag(1,2)", "skip"].map(field_count);
        assert_eq!(counts, [Some(1), Some(2), None, Some(2), Some(2), None, None]);
    }
}
