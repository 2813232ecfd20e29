//! Büchi automata as never claims.

use crate::guards::{Guard, Guards};
use crate::{Acceptance, Automaton, StateId};
use std::fmt::{self, Write as _};

/// The automaton is no Büchi automaton with accepting states, and a never claim can say nothing else.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NotBuchi;

impl fmt::Display for NotBuchi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a never claim has accepting states: the automaton must be a state-based Büchi automaton")
    }
}

impl std::error::Error for NotBuchi {}

/// The automaton as a never claim. Propositions are written as their texts, in parentheses unless they are names.
pub fn write_never(automaton: &Automaton) -> Result<String, NotBuchi> {
    let all_accept = automaton.acceptance == Acceptance::True;
    if !all_accept && (automaton.acceptance != Acceptance::buchi() || !automaton.is_state_based()) {
        return Err(NotBuchi);
    }
    let comment =
        automaton.name.as_ref().map_or_else(String::new, |name| format!(" /* {} */", name.replace("*/", "* /")));
    let mut text = format!("never {{{comment}\n");
    let mut writer = Writer { automaton, all_accept, guards: automaton.guards.clone().unlimited() };
    // SPIN begins a claim at its first state.
    let others = automaton.edges.ids().filter(|&state| state != automaton.initial);
    for state in std::iter::once(automaton.initial).chain(others) {
        writer.state(state, &mut text).expect("writing to a string does not fail");
    }
    text.push_str("}\n");
    Ok(text)
}

struct Writer<'a> {
    automaton: &'a Automaton,
    all_accept: bool,
    guards: Guards,
}

impl Writer<'_> {
    fn label(&self, state: StateId) -> String {
        let marked = self.automaton.state_marks(state).is_some_and(|marks| !marks.is_empty());
        let kind = if marked || self.all_accept { "accept" } else { "T0" };
        let name = if state == self.automaton.initial { "init".to_owned() } else { format!("S{}", state.0) };
        format!("{kind}_{name}")
    }
    fn state(&mut self, state: StateId, text: &mut String) -> fmt::Result {
        writeln!(text, "{}:", self.label(state))?;
        let edges = &self.automaton.edges[state];
        if edges.is_empty() {
            return writeln!(text, "\tfalse;");
        }
        writeln!(text, "\tdo")?;
        for edge in edges {
            let guard = guard_text(&mut self.guards, edge.guard, &self.automaton.propositions);
            writeln!(text, "\t:: ({guard}) -> goto {}", self.label(edge.target))?;
        }
        writeln!(text, "\tod;")
    }
}

/// A guard in Promela.
fn guard_text(guards: &mut Guards, guard: Guard, propositions: &[String]) -> String {
    match guard {
        Guard::TRUE => return "1".to_owned(),
        Guard::FALSE => return "0".to_owned(),
        _ => {}
    }
    let is_name = |text: &str| text.chars().all(|character| character.is_ascii_alphanumeric() || character == '_');
    let literal = |(variable, value): (u32, bool)| {
        let text = &propositions[variable as usize];
        let text = if is_name(text) { text.clone() } else { format!("({text})") };
        if value { text } else { format!("!{text}") }
    };
    let cubes = guards.cover(guard);
    let alone = cubes.len() == 1;
    let cube = |cube: Vec<(u32, bool)>| {
        let product = cube.into_iter().map(literal).collect::<Vec<_>>().join(" && ");
        if alone { product } else { format!("({product})") }
    };
    cubes.into_iter().map(cube).collect::<Vec<_>>().join(" || ")
}
