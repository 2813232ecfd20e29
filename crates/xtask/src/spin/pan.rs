//! What SPIN's verifiers print, read.

use std::collections::BTreeSet;

/// What is compared of a search for safety.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Figures {
    /// What fails: `assertion`, `invalid_end`.
    pub(super) failures: BTreeSet<String>,
    pub(super) states: u64,
    pub(super) transitions: u64,
    pub(super) unreached: Vec<Unreached>,
}

/// A statement that is never reached.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Unreached {
    pub(super) process: String,
    pub(super) line: u32,
    pub(super) text: String,
}

/// What SPIN says about the safety of a model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Safety {
    /// It met a mistake after which its search goes astray; the numbers mean nothing.
    Astray,
    Figures(Figures),
}

/// Messages after which SPIN's search stops or goes astray: it uses channels and memory that are not there.
const ASTRAY: [&str; 9] = [
    "aborting",
    "uninitialized chan",
    "bad queue",
    "was deleted",
    "wrong nr of msg fields",
    "too many fields",
    "invalid array index",
    "assignment to hidden",
    "in d_step",
];

/// The largest models that are compared.
const STATES: u64 = 100_000;

/// Reads the result of a search for safety; or why there is none.
pub(super) fn read_safety(text: &str) -> Result<Safety, String> {
    if text.contains("max search depth too small") {
        return Err("SPIN searches too deep".to_owned());
    }
    if text.contains("enabled(pid=thisproc)") {
        return Err("SPIN stops where a process asks whether it is enabled itself".to_owned());
    }
    if ASTRAY.iter().any(|message| text.contains(message)) {
        return Ok(Safety::Astray);
    }
    let (Some(states), Some(transitions)) =
        (number_before(text, "states, stored"), number_before(text, "transitions ("))
    else {
        return Err(no_answer(text));
    };
    if states > STATES {
        return Err("too many states".to_owned());
    }
    let mut failures = BTreeSet::new();
    for message in errors(text) {
        if message.starts_with("assertion violated") {
            failures.insert("assertion".to_owned());
        } else if message.starts_with("invalid end state") {
            failures.insert("invalid_end".to_owned());
        } else {
            failures.insert(message.to_owned());
        }
    }
    // SPIN counts one for the initial state.
    let transitions = transitions.saturating_sub(1);
    Ok(Safety::Figures(Figures { failures, states, transitions, unreached: unreached(text) }))
}

/// What SPIN says about a temporal property.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Temporal {
    Holds,
    Fails,
    /// The only runs that fail end at an `accept` label.
    FailsAtEnds,
}

/// Reads the result of a search for bad cycles; or why there is none.
pub(super) fn read_cycles(text: &str) -> Result<Temporal, String> {
    const AT_END: &str = "accept stutter";
    // An `assert` with `!` is one of a claim that says at once what is bad.
    const BAD: [&str; 4] =
        ["acceptance cycle", "non-progress cycle", "end state in claim reached", "assertion violated  !("];
    if ASTRAY.iter().any(|message| text.contains(message)) {
        return Err("SPIN goes astray".to_owned());
    }
    if errors(text).any(|message| BAD.iter().any(|bad| message.starts_with(bad))) {
        return Ok(Temporal::Fails);
    }
    let expected = [AT_END, "assertion violated"];
    if let Some(other) = errors(text).find(|message| !expected.iter().any(|start| message.starts_with(start))) {
        return Err(other.to_owned());
    }
    if text.contains("max search depth too small") {
        return Err("SPIN searches too deep".to_owned());
    }
    if text.contains("States= ") || number_before(text, "states, stored").is_none() {
        return Err(no_answer(text));
    }
    let at_end = errors(text).any(|message| message.starts_with(AT_END));
    Ok(if at_end { Temporal::FailsAtEnds } else { Temporal::Holds })
}

fn no_answer(text: &str) -> String {
    let line = text.lines().find(|line| line.to_lowercase().contains("error")).or_else(|| text.lines().next());
    line.unwrap_or("SPIN's verifier says nothing").chars().map(|c| if c.is_ascii_digit() { '#' } else { c }).collect()
}

/// The messages of `pan:1: MESSAGE (at depth 7)`.
fn errors(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter_map(|line| {
        let (number, message) = line.strip_prefix("pan:")?.split_once(": ")?;
        number.parse::<u64>().ok()?;
        Some(message.rsplit_once(" (at depth").map_or(message, |(message, _)| message))
    })
}

fn number_before(text: &str, what: &str) -> Option<u64> {
    let line = text.lines().find(|line| line.contains(what))?;
    line.split_whitespace().next()?.parse().ok()
}

/// The lists `unreached in proctype P`, each of lines as in `model.pml:3, state 10, "x = 1"`.
fn unreached(text: &str) -> Vec<Unreached> {
    let mut found = Vec::new();
    let mut process = None;
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("unreached in ") {
            process = rest.strip_prefix("proctype ").or((rest == "init").then_some("init"));
        } else if let Some(process) = process
            && let Some((_, place)) = line.trim_start().split_once(".pml:")
            && let Some((number, rest)) = place.split_once(", state ")
            && let Ok(line) = number.parse()
        {
            let text = rest.split_once(", ").map_or("", |(_, text)| text).trim_matches('"').to_owned();
            found.push(Unreached { process: process.to_owned(), line, text });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const PRINTED: &str = "pan:1: assertion violated (g0==1) (at depth 3)\n\
        pan:2: invalid end state (at depth 4)\n\
        State-vector 12 byte, depth reached 2, errors: 2\n        3 states, stored\n        4 transitions (= stored+matched)\n\
        unreached in proctype P0\n\tmodel.pml:7, state 2, \"(1)\"\n\tmodel.pml:9, state 3, \"-end-\"\n\t(2 of 3 states)\n\
        unreached in init\n\t(0 of 1 states)\nunreached in claim f0\n\t_spin_nvr.tmp:3, state 5, \"(1)\"\n";

    #[test]
    fn figures_failures_and_lists_are_read() {
        let Ok(Safety::Figures(figures)) = read_safety(PRINTED) else { panic!("there are figures") };
        assert_eq!((figures.states, figures.transitions), (3, 3));
        assert_eq!(figures.failures.into_iter().collect::<Vec<_>>(), ["assertion", "invalid_end"]);
        let lines: Vec<u32> = figures.unreached.iter().map(|one| one.line).collect();
        assert_eq!(lines, [7, 9]);
        assert!(read_cycles(PRINTED).is_err(), "the search may have stopped there");
        assert_eq!(read_cycles(&PRINTED.replace("pan:2: invalid end state (at depth 4)", "")), Ok(Temporal::Holds));
        assert_eq!(read_cycles("pan:1: assertion violated  !( !((x!=2))) (at depth 5)\n"), Ok(Temporal::Fails));
        assert_eq!(read_cycles(&PRINTED.replace("invalid end state", "accept stutter")), Ok(Temporal::FailsAtEnds));
        assert!(read_safety("error: max search depth too small\n").is_err());
    }
}
