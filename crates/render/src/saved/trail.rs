//! SPIN's trails, read.
//!
//! Lines `depth:process:statement`; see `trail.rs` for those that we write. SPIN's own have more: `-2:C:-2` says that a claim
//! was there, and then process 0 is the claim and all pids are one larger; `-4:-4:-4` says that one line may stand for a
//! chain of statements of its process, of which only the first is named. How long the chain is the trail does not say,
//! but where its process stands the next time it has a line: so a process that does not stand there goes on by itself, and
//! does so at once, as it did for SPIN.

use lariat_engine::Event;
use lariat_engine::find_run::{EventMatch, KnownStates, RunRecord};
use lariat_system::reference::Valuation;
use lariat_system::{FrameId, Position, System};
use std::collections::{HashMap, HashSet};

/// More lines than this are no trail that anybody would follow.
const MAX_LINES: usize = 10_000_000;

/// A trail.
#[derive(Debug)]
pub(super) struct Trail {
    lines: Vec<Line>,
    loop_start: Option<usize>,
    /// Whether a line may stand for several statements.
    merged: bool,
    /// The number of the claim, if there was one, which then may be what ends the run.
    pub(super) claim: Option<usize>,
    /// Whether the claim was SPIN's own for non-progress cycles.
    pub(super) watches_progress: bool,
}

/// The numbers of the statements of SPIN's own claim, which no model states.
const NP_STATEMENTS: std::ops::RangeInclusive<i64> = 9997..=9999;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Line {
    position: Position,
    statement: u32,
    /// Of the file, from 1.
    number: usize,
}

impl Trail {
    pub(super) fn read(text: &str) -> Result<Self, String> {
        let mut trail =
            Self { lines: Vec::new(), loop_start: None, merged: false, claim: None, watches_progress: false };
        let mut anything = false;
        for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let wrong = |what: &str| Err(format!("line {} is not a line of a trail: {what}", number + 1));
            let Some((depth, process, statement)) = numbers(line) else {
                return if anything {
                    wrong("it is not `depth:process:statement`, three numbers")
                } else {
                    Err("it is not a trace: neither a JSON document of Lariat nor a trail of SPIN, whose lines are \
                         `depth:process:statement`"
                        .to_owned())
                };
            };
            anything = true;
            match (depth, process, statement) {
                (-1, _, _) if trail.loop_start.is_some() => return wrong("the cycle begins for a second time"),
                (-1, _, _) => trail.loop_start = Some(trail.lines.len()),
                (-2, claim, _) => trail.claim = Some(usize::try_from(claim).unwrap_or(usize::MAX)),
                (-4, _, _) => trail.merged = true,
                (-8..=-5, _, _) => return wrong("trails of permuted processes cannot be replayed"),
                (..0, _, _) => return wrong("a step has no negative depth"),
                // Claims stutter with process -1 in some versions.
                (_, 0, statement) if trail.claim.is_some() => {
                    trail.watches_progress |= NP_STATEMENTS.contains(&statement);
                }
                (_, -1, _) => {}
                _ => {
                    let position = Position::try_from(process - i64::from(trail.claim.is_some()));
                    let (Ok(position), Ok(statement)) = (position, u32::try_from(statement)) else {
                        return wrong("there is no such process or statement");
                    };
                    trail.lines.push(Line { position, statement, number: number + 1 });
                }
            }
            if trail.lines.len() > MAX_LINES {
                return Err(format!("the trail has more than {MAX_LINES} steps"));
            }
        }
        if anything { Ok(trail) } else { Err("it is empty: neither a JSON document nor a trail".to_owned()) }
    }

    pub(super) fn record<'a>(&self, system: &'a System) -> TrailRecord<'a> {
        let mut stands = HashMap::new();
        for frame in system.frames.ids() {
            for edge in system.control_edges(frame).unwrap_or_default() {
                if let Some(&statement) = system.actions[edge.action].trail.get(edge.role.index()) {
                    stands.entry((frame, statement)).or_insert_with(HashSet::new).insert(edge.from);
                }
            }
        }
        let (lines, loop_start) = self.action_lines(system);
        let mut lines_of: HashMap<Position, Vec<usize>> = HashMap::new();
        for (number, line) in lines.iter().enumerate() {
            lines_of.entry(line.position).or_default().push(number);
        }
        TrailRecord { lines, loop_start, merged: self.merged, claim: self.claim.is_some(), system, stands, lines_of }
    }

    /// The lines that tell of actions, and where the loop begins among them. A jump at the end of an atomic sequence may have
    /// a line, and is part of an action for us; what is no number of the model's at all stays, to be complained of.
    fn action_lines(&self, system: &System) -> (Vec<Line>, Option<usize>) {
        let statements: HashSet<u32> = system.actions.iter().flat_map(|action| &action.trail).copied().collect();
        let last = statements.iter().max().copied().unwrap_or(0);
        let is_of_action = |line: &Line| line.statement > last || statements.contains(&line.statement);
        let loop_start =
            self.loop_start.map(|start| self.lines[..start].iter().filter(|line| is_of_action(line)).count());
        (self.lines.iter().copied().filter(is_of_action).collect(), loop_start)
    }

    pub(super) fn line_number(&self, system: &System, entry: usize) -> Option<usize> {
        self.action_lines(system).0.get(entry).map(|line| line.number)
    }

    pub(super) fn entry_text(&self, system: &System, entry: usize) -> Option<String> {
        let line = *self.action_lines(system).0.get(entry)?;
        let action = system.actions.iter().find_map(|action| {
            let role = action.trail.iter().position(|&statement| statement == line.statement)?;
            let text = if role == 0 { &action.name } else { &action.peer.as_ref()?.0 };
            Some((text, &system.frames[action.participants[role]].name))
        });
        Some(match action {
            Some((text, frame)) => format!("`{text}` of {frame}({})", line.position),
            None => format!("statement {} of process {}, which the model has not,", line.statement, line.position),
        })
    }
}

/// `1:2:3`, as numbers.
fn numbers(line: &str) -> Option<(i64, i64, i64)> {
    let mut parts = line.trim().split(':').map(|part| part.trim().parse::<i64>().ok());
    match (parts.next(), parts.next(), parts.next(), parts.next()) {
        (Some(Some(depth)), Some(Some(process)), Some(Some(statement)), None) => Some((depth, process, statement)),
        _ => None,
    }
}

/// What a trail tells of a system.
pub(super) struct TrailRecord<'a> {
    lines: Vec<Line>,
    loop_start: Option<usize>,
    merged: bool,
    claim: bool,
    system: &'a System,
    /// By kind of process and statement: where control can stand before it.
    stands: HashMap<(FrameId, u32), HashSet<i64>>,
    /// By process: its lines.
    lines_of: HashMap<Position, Vec<usize>>,
}

impl TrailRecord<'_> {
    /// The next line of the process at this entry or behind it, the loop's again if there is one.
    fn next_line(&self, entry: usize, position: Position) -> Option<Line> {
        let own = self.lines_of.get(&position)?;
        let first_from = |entry: usize| own.get(own.partition_point(|&number| number < entry)).copied();
        let number = first_from(entry).or_else(|| first_from(self.loop_start?))?;
        Some(self.lines[number])
    }

    /// Whether the process has a further line, and does not stand at its statement.
    fn must_go_on(&self, entry: usize, state: &Valuation, position: Position) -> bool {
        let Some(line) = self.next_line(entry, position) else { return false };
        let instance = &state.pool[usize::from(position)];
        let Some(control) = self.system.frames[instance.frame].control else { return false };
        let here = instance.locals.get(lariat_base::Id::index(control)).and_then(|cells| cells.first());
        match (self.stands.get(&(instance.frame, line.statement)), here) {
            (Some(places), Some(here)) => !places.contains(here),
            _ => false,
        }
    }
}

impl RunRecord for TrailRecord<'_> {
    fn known_states(&self) -> Option<&dyn KnownStates> {
        None
    }

    fn entry_count(&self) -> usize {
        self.lines.len()
    }

    fn loop_start(&self) -> Option<usize> {
        self.loop_start
    }

    fn may_begin(&self, _: &Valuation) -> bool {
        true
    }

    fn match_event(&self, entry: usize, event: &Event) -> Option<EventMatch> {
        const GOES_ON: EventMatch = EventMatch { doubt: 0, entries: 0 };
        let statements = &self.system.actions[event.firing.action].trail;
        if statements.is_empty() {
            return Some(GOES_ON);
        }
        let lines = &self.lines;
        let mut expected = event.firing.scope.positions.iter().zip(statements);
        let fits = (entry..).zip(&mut expected).all(|(number, (&position, &statement))| {
            lines.get(number).is_some_and(|line| (line.position, line.statement) == (position, statement))
        });
        if fits {
            return Some(EventMatch { doubt: 1, entries: statements.len() });
        }
        let &[position] = event.firing.scope.positions.as_slice() else { return None };
        if !self.merged {
            return None;
        }
        if self.must_go_on(entry, &event.before, position) {
            return Some(GOES_ON);
        }
        if entry == lines.len() && self.claim {
            return None;
        }
        let near = [entry.checked_sub(1), Some(entry)];
        let is_near =
            near.into_iter().flatten().any(|near| lines.get(near).is_some_and(|line| line.position == position));
        (is_near || entry == lines.len()).then_some(EventMatch { doubt: 2, entries: 0 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn claims_are_left_out_and_shift_processes() {
        let trail = Trail::read("-2:3:-2\n-4:-4:-4\n1:0:9\n2:1:0\n-1:-1:-1\n3:0:9\n4:2:7\n").unwrap();
        let line = |position, statement, number| Line { position, statement, number };
        assert_eq!(trail.lines, [line(0, 0, 4), line(1, 7, 7)]);
        assert_eq!((trail.loop_start, trail.merged), (Some(1), true));
        assert_eq!((trail.claim, trail.watches_progress), (Some(3), false));
        assert!(Trail::read("-2:3:-2\n1:0:9998\n2:1:0\n").unwrap().watches_progress);
    }

    #[test]
    fn what_is_no_trail_is_refused() {
        for text in
            ["", "\n \n", "1:2", "1:2:3:4", "hello", "1:0:0\nhello", "1:-3:2", "1:256:2", "1:0:99999999999999999999"]
        {
            assert!(Trail::read(text).is_err(), "{text}");
        }
        for text in ["-1:-1:-1\n-1:-1:-1", "-9:0:0", "-6:0:0", "1:0:-2"] {
            assert!(Trail::read(text).is_err(), "{text}");
        }
    }
}
