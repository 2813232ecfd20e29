//! Statements that are never reached, SPIN's list against ours.
//!
//! SPIN lists the statements that control never stands in front of; ours without the mark `blocked` are the same, and
//! are compared line by line, as models are written with one statement a line. Left out is what docs/differences.md tells
//! of: jumps, the contents of `d_step`, and inlines, whose copies we list together. SPIN lists the first statements of
//! options at the line of the choice, and parts of loops and `select` that are no statements here; these are left out too.

use super::pan::Unreached;
use std::collections::BTreeSet;

/// What differs, for people; `None` if nothing does.
pub(super) fn difference(text: &str, theirs: &[Unreached], ours: &[Unreached]) -> Option<String> {
    let lines: Vec<&str> = text.lines().collect();
    let compared = compared_lines(&lines);
    // What has no place in the text is at line 0.
    let is_compared = |line: u32| line > 0 && compared.get(line as usize - 1) == Some(&true);
    let places = |list: &[Unreached]| -> BTreeSet<(String, u32)> {
        let kept = list.iter().filter(|one| is_compared(one.line));
        kept.map(|one| (one.process.clone(), one.line)).collect()
    };
    let (theirs, ours) = (places(theirs), places(ours));
    let tell = |who: &str, (process, line): &(String, u32)| {
        format!("only {who} lists {process}:{line} `{}` as never reached", lines[*line as usize - 1].trim())
    };
    let only_theirs = theirs.difference(&ours).next().map(|place| tell("SPIN", place));
    only_theirs.or_else(|| ours.difference(&theirs).next().map(|place| tell("Lariat", place)))
}

/// For each line, whether it is one statement that both list there.
fn compared_lines(lines: &[&str]) -> Vec<bool> {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let mut inside: Option<usize> = None;
    let mut compared = Vec::new();
    for (number, &line) in lines.iter().enumerate() {
        let text = line.trim();
        if inside.is_some_and(|depth| indent(line) <= depth) {
            inside = None;
        }
        // The first statement behind `::`, also inside further blocks, and behind labels.
        let above = lines[..number].iter().rev().find(|above| !above.trim().ends_with(':') || above.trim() == "::");
        let opens = above.is_some_and(|above| above.trim() == "::" || above.ends_with('{'));
        compared.push(inside.is_none() && !opens && is_statement(text));
        if inside.is_none() && (text.starts_with("d_step") || text.starts_with("inline")) {
            inside = Some(indent(line));
        }
    }
    compared
}

fn is_statement(text: &str) -> bool {
    let is_call = text.starts_with('i') && text.contains('(') && text[1..].starts_with(|c: char| c.is_ascii_digit());
    // SPIN takes every `skip` for reached.
    let others = ["select", "for ", "if", "do", "fi", "od", "goto", "break", "skip", "}"];
    let is_other = is_call || text.starts_with("else") || others.iter().any(|start| text.starts_with(start));
    // SPIN tells a declaration at the line behind it.
    let is_declaration = super::generate::declares(text);
    !is_other && !is_declaration && (text.ends_with(';') || text.ends_with("->"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_compared_where_both_have_a_statement() {
        let text = "active proctype P0() {\n    g0 = 1;\n    if\n        ::\n            (g0 == 2) ->\n            g0 = 3;\n    fi;\n}\n";
        let at = |line| vec![Unreached { process: "P0".to_owned(), line, text: String::new() }];
        assert_eq!(difference(text, &at(6), &at(6)), None);
        assert_eq!(difference(text, &at(3), &at(5)), None);
        assert!(difference(text, &at(6), &[]).is_some_and(|said| said.starts_with("only SPIN lists P0:6 `g0 = 3;`")));
        assert!(difference(text, &[], &at(6)).is_some_and(|said| said.starts_with("only Lariat lists")));
    }
}
