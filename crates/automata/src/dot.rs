//! Automata as pictures, for Graphviz.

use crate::Automaton;
use crate::guards::{Guard, Guards};
use std::fmt::Write as _;

/// The automaton in DOT. Accepting states of a state-based Büchi automaton are drawn with two circles; otherwise marks
/// are shown on the edges, and the condition below the picture.
pub fn write_dot(automaton: &Automaton) -> String {
    let mut text = String::from("digraph automaton {\n  rankdir=LR\n  node [shape=circle]\n");
    write_all(automaton, &mut text).expect("writing to a string does not fail");
    text
}

fn write_all(automaton: &Automaton, text: &mut String) -> std::fmt::Result {
    let circles = automaton.acceptance == crate::Acceptance::buchi() && automaton.is_state_based();
    if !circles {
        writeln!(text, "  label=\"{}\"", escaped(&automaton.acceptance.to_string()))?;
    }
    writeln!(text, "  start [shape=point, style=invis]\n  start -> {}", automaton.initial.0)?;
    let mut guards = automaton.guards.clone().unlimited();
    for (state, edges) in automaton.edges.entries() {
        let name = automaton.state_names.get(state.0 as usize).cloned().flatten();
        let name = name.unwrap_or_else(|| state.0.to_string());
        let marked = circles && automaton.state_marks(state).is_some_and(|marks| !marks.is_empty());
        let shape = if marked { ", shape=doublecircle" } else { "" };
        writeln!(text, "  {} [label=\"{}\"{shape}]", state.0, escaped(&name))?;
        for edge in edges {
            let mut label = escaped(&label_text(&mut guards, edge.guard, &automaton.propositions));
            if !circles && !edge.marks.is_empty() {
                let marks: Vec<String> = edge.marks.iter().map(|mark| mark.0.to_string()).collect();
                write!(label, "\\n{{{}}}", marks.join(","))?;
            }
            writeln!(text, "  {} -> {} [label=\"{label}\"]", state.0, edge.target.0)?;
        }
    }
    writeln!(text, "}}")
}

/// The guard of every edge as people write it, in the order of [`Automaton::all_edges`].
pub fn guard_texts(automaton: &Automaton) -> Vec<String> {
    let mut guards = automaton.guards.clone().unlimited();
    automaton.all_edges().map(|(_, edge)| label_text(&mut guards, edge.guard, &automaton.propositions)).collect()
}

/// A guard as people write it: `a & !b | c`.
fn label_text(guards: &mut Guards, guard: Guard, propositions: &[String]) -> String {
    match guard {
        Guard::TRUE => return "1".to_owned(),
        Guard::FALSE => return "0".to_owned(),
        _ => {}
    }
    let literal =
        |(variable, value): (u32, bool)| format!("{}{}", if value { "" } else { "!" }, propositions[variable as usize]);
    let cubes = guards.cover(guard).into_iter();
    cubes.map(|cube| cube.into_iter().map(literal).collect::<Vec<_>>().join(" & ")).collect::<Vec<_>>().join(" | ")
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}
