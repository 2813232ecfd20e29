//! Automata as text in the format.

use crate::guards::{Cube, Guard, Guards};
use crate::{Acceptance, Analysis, Automaton, Mark, MarkSet};
use std::fmt::Write as _;

/// The automaton in HOA v1. Reading it gives the same states, edges and condition.
pub fn write_hoa(automaton: &Automaton) -> String {
    let mut text = String::from("HOA: v1\n");
    write_all(automaton, &mut text).expect("writing to a string does not fail");
    text
}

fn write_all(automaton: &Automaton, text: &mut String) -> std::fmt::Result {
    if let Some(name) = &automaton.name {
        writeln!(text, "name: {}", quoted(name))?;
    }
    writeln!(text, "States: {}", automaton.state_count())?;
    writeln!(text, "Start: {}", automaton.initial.0)?;
    write!(text, "AP: {}", automaton.propositions.len())?;
    for name in &automaton.propositions {
        write!(text, " {}", quoted(name))?;
    }
    writeln!(text)?;
    let marks = automaton.mark_count();
    if let Some(name) = acceptance_name(&automaton.acceptance, marks) {
        writeln!(text, "acc-name: {name}")?;
    }
    writeln!(text, "Acceptance: {marks} {}", automaton.acceptance)?;
    let state_based = automaton.is_state_based();
    writeln!(text, "properties: {}", properties(automaton, state_based).join(" "))?;
    writeln!(text, "--BODY--")?;
    let mut guards = automaton.guards.clone().unlimited();
    for (state, edges) in automaton.edges.entries() {
        write!(text, "State: {}", state.0)?;
        if let Some(Some(name)) = automaton.state_names.get(state.0 as usize) {
            write!(text, " {}", quoted(name))?;
        }
        if state_based {
            text.push_str(&signature(automaton.state_marks(state)));
        }
        writeln!(text)?;
        for edge in edges {
            let marks = if state_based { None } else { Some(&edge.marks) };
            writeln!(text, "[{}] {}{}", label(&mut guards, edge.guard), edge.target.0, signature(marks))?;
        }
    }
    writeln!(text, "--END--")
}

fn properties(automaton: &Automaton, state_based: bool) -> Vec<&'static str> {
    let analysis = Analysis::of(automaton);
    // The format speaks of all states, the analysis of those that can be reached.
    let all_reachable = analysis.components.members().iter().flatten().count() == automaton.state_count();
    let mut properties = vec!["trans-labels", "explicit-labels"];
    properties.push(if state_based { "state-acc" } else { "trans-acc" });
    for (holds, name) in [
        (analysis.complete, "complete"),
        (analysis.deterministic, "deterministic"),
        (analysis.is_weak() && analysis.uniform, "weak"),
        (analysis.is_weak(), "inherently-weak"),
        (analysis.is_terminal() && analysis.uniform, "terminal"),
    ] {
        if holds && all_reachable {
            properties.push(name);
        }
    }
    properties
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

fn signature(marks: Option<&MarkSet>) -> String {
    match marks {
        Some(marks) if !marks.is_empty() => {
            let numbers: Vec<String> = marks.iter().map(|mark| mark.0.to_string()).collect();
            format!(" {{{}}}", numbers.join(" "))
        }
        _ => String::new(),
    }
}

fn label(guards: &mut Guards, guard: Guard) -> String {
    let cube = |cube: Cube| {
        let literal = |(variable, value)| format!("{}{variable}", if value { "" } else { "!" });
        cube.into_iter().map(literal).collect::<Vec<_>>().join("&")
    };
    match guard {
        Guard::TRUE => "t".to_owned(),
        Guard::FALSE => "f".to_owned(),
        _ => guards.cover(guard).into_iter().map(cube).collect::<Vec<_>>().join(" | "),
    }
}

/// The name that the format has for a condition over marks `0..marks`, if it is one of the classical ones.
pub fn acceptance_name(acceptance: &Acceptance, marks: u32) -> Option<String> {
    let inf = |mark| Acceptance::Inf(Mark(mark));
    let fin = |mark| Acceptance::Fin(Mark(mark));
    let all =
        |build: &dyn Fn(u32) -> Acceptance, count, conjunction| Acceptance::join((0..count).map(build), conjunction);
    let streett = |pair: u32| Acceptance::join([fin(2 * pair), inf(2 * pair + 1)], false);
    let rabin = |pair: u32| Acceptance::join([fin(2 * pair), inf(2 * pair + 1)], true);
    // Normalised, so that ways to write the same are the same.
    let given = acceptance.map(&Acceptance::clone);
    let is = |other: Acceptance| given == other;
    match marks {
        0 if is(Acceptance::True) => Some("all".into()),
        0 if is(Acceptance::False) => Some("none".into()),
        0 => None,
        1 if is(inf(0)) => Some("Buchi".into()),
        1 if is(fin(0)) => Some("co-Buchi".into()),
        _ if is(all(&inf, marks, true)) => Some(format!("generalized-Buchi {marks}")),
        _ if is(all(&fin, marks, false)) => Some(format!("generalized-co-Buchi {marks}")),
        _ if marks.is_multiple_of(2) && is(all(&streett, marks / 2, true)) => Some(format!("Streett {}", marks / 2)),
        _ if marks.is_multiple_of(2) && is(all(&rabin, marks / 2, false)) => Some(format!("Rabin {}", marks / 2)),
        _ => None,
    }
}
