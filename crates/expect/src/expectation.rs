//! One line of expectation: how it is written, and what contradicts it.

use super::{Observed, ObservedVerdict};
use std::fmt;

/// A statement and where it stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Expectation {
    /// From 1.
    pub line: u32,
    /// About the runs only in which `-D` gives this value to this name.
    pub when: Option<(String, String)>,
    /// What is stated.
    pub expected: Expected,
}

/// What a model states about itself.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Expected {
    /// `holds PROPERTY`
    Holds {
        /// Its name.
        property: String,
    },
    /// `fails PROPERTY, REASON, trace <= N`: reason and trace may be left out.
    Fails {
        /// Its name.
        property: String,
        /// What kind of failure.
        reason: Option<String>,
        /// How long the trace is.
        trace: Option<TraceBound>,
    },
    /// `undecided PROPERTY`
    Undecided {
        /// Its name.
        property: String,
    },
    /// `computes PROPERTY, VALUE`
    Computes {
        /// Its name.
        property: String,
        /// A number, `infinity` or `undefined`.
        value: String,
    },
    /// `states N`
    States(u64),
    /// `transitions N`
    Transitions(u64),
    /// `unreached 12, 14`: these lines have statements that are never executed, and no others; `unreached none` if there are
    /// none.
    Unreached(Vec<u32>),
    /// `error CODE`: the model is refused with this code, among others.
    Error {
        /// The code.
        code: String,
    },
}

/// How long a trace is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TraceBound {
    /// `trace <= N`
    AtMost(u64),
    /// `trace = N`
    Exactly(u64),
}

impl TraceBound {
    fn allows(self, steps: u64) -> bool {
        match self {
            Self::AtMost(bound) => steps <= bound,
            Self::Exactly(bound) => steps == bound,
        }
    }
}

impl Expected {
    /// The statement after `expect:`; or what is wrong with it.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (verb, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let mut parts = rest.split(',').map(str::trim);
        let object = parts.next().unwrap_or("");
        if object.is_empty() || verb.ends_with(',') {
            return Err(format!("`{text}` is not an expectation: `{verb}` of what?"));
        }
        let expected = match verb {
            "holds" => Self::Holds { property: object.to_string() },
            "undecided" => Self::Undecided { property: object.to_string() },
            "error" => Self::Error { code: object.to_string() },
            "states" => Self::States(number(object)?),
            "transitions" => Self::Transitions(number(object)?),
            "computes" => match parts.next() {
                Some(value) => Self::Computes { property: object.to_string(), value: value.to_string() },
                None => return Err(format!("`{text}` is not an expectation: which number?")),
            },
            "fails" => return Self::parse_failure(object, parts),
            "unreached" => return Self::parse_lines(object, parts),
            _ => {
                let verbs = "holds, fails, undecided, computes, states, transitions, unreached, error";
                return Err(format!("`{verb}` is not an expectation; write one of {verbs}"));
            }
        };
        match parts.next() {
            None => Ok(expected),
            Some(part) => Err(format!("`{part}` says nothing more about `{verb} {object}`")),
        }
    }

    fn parse_failure<'p>(property: &str, parts: impl Iterator<Item = &'p str>) -> Result<Self, String> {
        let (mut reason, mut trace) = (None, None);
        for part in parts {
            let (is_trace, before) = match part.strip_prefix("trace") {
                Some(bound) => (true, trace.replace(trace_bound(bound.trim())?).is_some()),
                None => (false, reason.replace(part.to_string()).is_some()),
            };
            if part.is_empty() || before {
                let what = if is_trace { "trace" } else { "reason" };
                return Err(format!("`{part}`: a failure has one {what}"));
            }
        }
        Ok(Self::Fails { property: property.to_string(), reason, trace })
    }

    fn parse_lines<'p>(first: &'p str, rest: impl Iterator<Item = &'p str>) -> Result<Self, String> {
        let mut parts: Vec<&str> = std::iter::once(first).chain(rest).collect();
        if parts == ["none"] {
            parts.clear();
        }
        let line = |part: &str| {
            part.parse().map_err(|_| format!("`{part}` is not a line; write `unreached 12, 14` or `unreached none`"))
        };
        let mut lines = parts.into_iter().map(line).collect::<Result<Vec<u32>, String>>()?;
        lines.sort_unstable();
        lines.dedup();
        Ok(Self::Unreached(lines))
    }

    /// The property it speaks of, if it does.
    pub fn property(&self) -> Option<&str> {
        match self {
            Self::Holds { property }
            | Self::Fails { property, .. }
            | Self::Computes { property, .. }
            | Self::Undecided { property } => Some(property),
            Self::States(_) | Self::Transitions(_) | Self::Unreached(_) | Self::Error { .. } => None,
        }
    }

    /// The same statement with what was observed in it; `None` where nothing was observed of what it is about.
    pub fn updated(&self, observed: &Observed) -> Option<Self> {
        Some(match self {
            Self::States(_) => Self::States(observed.states?),
            Self::Transitions(_) => Self::Transitions(observed.transitions?),
            Self::Unreached(_) => Self::Unreached(observed.unreached.clone()?),
            Self::Error { .. } => Self::Error { code: observed.errors.first()?.clone() },
            _ => {
                let property = self.property()?;
                let verdict = observed.verdict(property)?;
                match (self, verdict, Self::of_verdict(property, verdict)) {
                    // A length that was stated is stated again, whatever the failure.
                    (
                        Self::Fails { trace: Some(_), .. },
                        ObservedVerdict::Fails { trace, .. },
                        Self::Fails { property, reason, .. },
                    ) => Self::Fails { property, reason, trace: Some(TraceBound::AtMost(*trace)) },
                    (_, _, statement) => statement,
                }
            }
        })
    }

    /// The statement of a verdict. The length of a trace is stated where shortest traces are always found: not of runs that go on
    /// for ever, nor of such as show a formula of branching time.
    pub fn of_verdict(property: &str, verdict: &ObservedVerdict) -> Self {
        let property = property.to_owned();
        match verdict {
            ObservedVerdict::Holds => Self::Holds { property },
            ObservedVerdict::Fails { reason, trace } => {
                let trace = (!["cycle", "branching"].contains(&reason.as_str())).then_some(TraceBound::AtMost(*trace));
                Self::Fails { property, reason: Some(reason.clone()), trace }
            }
            ObservedVerdict::Computed { value } => Self::Computes { property, value: value.clone() },
            ObservedVerdict::Undecided { .. } => Self::Undecided { property },
        }
    }

    /// What was observed instead, if it was something else.
    pub fn contradicted_by(&self, observed: &Observed) -> Option<String> {
        let count = |wanted: u64, got: Option<u64>| match got {
            Some(got) if got == wanted => None,
            Some(got) => Some(got.to_string()),
            None => Some("not the whole graph".to_string()),
        };
        match self {
            Self::States(wanted) => return count(*wanted, observed.states),
            Self::Transitions(wanted) => return count(*wanted, observed.transitions),
            Self::Unreached(wanted) => {
                return match &observed.unreached {
                    Some(lines) if lines == wanted => None,
                    Some(lines) => Some(lines_text(lines)),
                    None => Some("not the whole graph".to_string()),
                };
            }
            Self::Error { code } if observed.errors.contains(code) => return None,
            Self::Error { .. } if observed.errors.is_empty() => return Some("no error".to_string()),
            Self::Error { .. } => return Some(observed.errors.join(", ")),
            Self::Holds { .. } | Self::Fails { .. } | Self::Computes { .. } | Self::Undecided { .. } => {}
        }
        let property = self.property().expect("only verdicts are left, and these are about a property");
        let Some(verdict) = observed.verdict(property) else { return Some("no verdict".to_string()) };
        let agrees = match (self, verdict) {
            (Self::Holds { .. }, ObservedVerdict::Holds) => true,
            (Self::Undecided { .. }, ObservedVerdict::Undecided { .. }) => true,
            (Self::Computes { value: wanted, .. }, ObservedVerdict::Computed { value }) => wanted == value,
            (Self::Fails { reason: wanted, trace: bound, .. }, ObservedVerdict::Fails { reason, trace }) => {
                wanted.as_ref().is_none_or(|wanted| wanted == reason) && bound.is_none_or(|bound| bound.allows(*trace))
            }
            _ => false,
        };
        (!agrees).then(|| verdict.to_string())
    }
}

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Holds { property } => write!(f, "holds {property}"),
            Self::Undecided { property } => write!(f, "undecided {property}"),
            Self::Computes { property, value } => write!(f, "computes {property}, {value}"),
            Self::States(count) => write!(f, "states {count}"),
            Self::Transitions(count) => write!(f, "transitions {count}"),
            Self::Unreached(lines) => write!(f, "unreached {}", lines_text(lines)),
            Self::Error { code } => write!(f, "error {code}"),
            Self::Fails { property, reason, trace } => {
                write!(f, "fails {property}")?;
                reason.iter().try_for_each(|reason| write!(f, ", {reason}"))?;
                match trace {
                    None => Ok(()),
                    Some(TraceBound::AtMost(steps)) => write!(f, ", trace <= {steps}"),
                    Some(TraceBound::Exactly(steps)) => write!(f, ", trace = {steps}"),
                }
            }
        }
    }
}

fn lines_text(lines: &[u32]) -> String {
    if lines.is_empty() {
        return "none".to_string();
    }
    lines.iter().map(u32::to_string).collect::<Vec<_>>().join(", ")
}

fn number(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("`{text}` is not a number"))
}

fn trace_bound(text: &str) -> Result<TraceBound, String> {
    if let Some(steps) = text.strip_prefix("<=") {
        return number(steps.trim()).map(TraceBound::AtMost);
    }
    match text.strip_prefix('=') {
        Some(steps) => number(steps.trim()).map(TraceBound::Exactly),
        None => Err(format!("`trace {text}`: write `trace <= N` or `trace = N`")),
    }
}
