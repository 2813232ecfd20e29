//! Statements that are never reached, SPIN's list against ours.
//!
//! The two lists do not mean the same. SPIN's has the statements that control never stands in front of, so one that is
//! tried and blocks is reached; ours has those that are never executed. So what SPIN lists, we list; and what we list,
//! SPIN lists too, if it is a statement that cannot block. Statements are compared by line: models are written with one
//! statement a line, and where SPIN splits one, as in `select`, what it lists may be a part that has no counterpart.

use super::pan::Unreached;
use std::collections::BTreeSet;

/// What differs, for people; `None` if nothing does.
pub(super) fn difference(text: &str, theirs: &[Unreached], ours: &[Unreached]) -> Option<String> {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let line_of = |one: &Unreached| lines.get(one.line as usize - 1).copied().unwrap_or_default();
    let places = |list: &[Unreached]| -> BTreeSet<(String, u32)> {
        list.iter().map(|one| (one.process.clone(), one.line)).collect()
    };
    let (our_places, their_places) = (places(ours), places(theirs));
    let missing = theirs.iter().find(|one| {
        is_compared(line_of(one))
            && !one.text.starts_with("goto")
            && !our_places.contains(&(one.process.clone(), one.line))
    });
    if let Some(missing) = missing {
        return Some(format!(
            "only SPIN lists {}:{} `{}` ({})",
            missing.process,
            missing.line,
            line_of(missing),
            missing.text
        ));
    }
    let held_back = ["unless", "provided", "priority"].iter().any(|word| text.contains(word));
    let extra = ours.iter().find(|one| {
        !held_back
            && is_compared(line_of(one))
            && cannot_block(line_of(one))
            && !their_places.contains(&(one.process.clone(), one.line))
    });
    extra.map(|extra| {
        format!("only Lariat lists {}:{} `{}` ({})", extra.process, extra.line, line_of(extra), extra.text)
    })
}

/// Statements that SPIN takes as they are, at the line where they are written.
fn is_compared(line: &str) -> bool {
    let is_call = line.starts_with('f') && line.contains('(') && line.ends_with(");");
    let composed = ["select", "for ", "if", "do", "fi", "od", "::", "atomic", "d_step", "{", "inline"];
    !is_call && !composed.iter().any(|start| line.starts_with(start))
}

fn cannot_block(line: &str) -> bool {
    let is_assignment = line.contains(" = ") && !line.contains("run ") && !line.contains("->");
    is_assignment || ["skip", "printf", "assert"].iter().any(|start| line.starts_with(start))
}
