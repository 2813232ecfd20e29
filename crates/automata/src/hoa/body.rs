//! The body of an automaton: states and edges.

use super::header::Header;
use super::lex::Token;
use super::{MAX_IMPLICIT_PROPOSITIONS, MAX_STATES, Reader, Trouble, error};
use crate::guards::Guard;
use crate::{Automaton, Edge, Mark, MarkSet, StateId};
use lariat_base::{Id, IdVec, Span};

/// What the body says.
pub(super) struct Body {
    edges: IdVec<StateId, Vec<Edge>>,
    /// Which states have been defined.
    defined: Vec<bool>,
    names: Vec<Option<String>>,
    /// Where each state was used first.
    used: Vec<Option<Span>>,
}

impl Body {
    /// Reads up to and including `--END--`.
    pub(super) fn read(reader: &mut Reader<'_>, header: &mut Header) -> Result<Self, Trouble> {
        let mut body = Self { edges: IdVec::new(), defined: Vec::new(), names: Vec::new(), used: Vec::new() };
        for (start, span) in header.starts.clone() {
            body.state(start, span, header)?;
        }
        while !reader.take_if(&Token::Finish)? {
            if !matches!(&reader.token, Token::Header(name) if name == "State") {
                return Err(reader.unexpected("`State:` or `--END--`"));
            }
            reader.take()?;
            body.one_state(reader, header)?;
        }
        body.check_defined(header)?;
        Ok(body)
    }

    /// The state with this number, for which there is a place from now on.
    fn state(&mut self, number: u64, span: Span, header: &Header) -> Result<StateId, Trouble> {
        let limit = header.states.unwrap_or(MAX_STATES);
        if number >= limit as u64 {
            let message = match header.states {
                Some(count) => format!("there is no state {number}, only {count} of them"),
                None => format!("state numbers beyond {MAX_STATES} are not supported"),
            };
            return Err(error(span, "A0112", message).into());
        }
        let state = StateId::new(number as usize);
        while self.edges.len() <= state.index() {
            self.edges.push(Vec::new());
            self.defined.push(false);
            self.used.push(None);
        }
        self.used[state.index()].get_or_insert(span);
        Ok(state)
    }
    fn one_state(&mut self, reader: &mut Reader<'_>, header: &mut Header) -> Result<(), Trouble> {
        let label = match reader.token {
            Token::OpenBracket => Some(header.label(reader)?),
            _ => None,
        };
        let (number, span) = reader.state()?;
        let state = self.state(number, span, header)?;
        if std::mem::replace(&mut self.defined[state.index()], true) {
            return Err(error(span, "A0113", format!("state {number} is defined twice")).into());
        }
        if matches!(reader.token, Token::Text(_)) {
            self.names.resize(self.names.len().max(state.index() + 1), None);
            self.names[state.index()] = Some(reader.text("a name")?.0);
        }
        let marks = signature(reader, header.marks)?;
        let mut implicit = 0u64;
        let mut edges: Vec<Edge> = Vec::new();
        while matches!(reader.token, Token::OpenBracket | Token::Number(_)) {
            let at = reader.span;
            let own = match reader.token {
                Token::OpenBracket => Some(header.label(reader)?),
                _ => None,
            };
            let guard = match (label, own) {
                (Some(_), Some(_)) => {
                    return Err(error(at, "A0114", "the state has a label, so its edges cannot have one").into());
                }
                (None, Some(_)) if implicit > 0 => {
                    return Err(error(at, "A0114", "some edges of this state have labels and some have none").into());
                }
                (Some(guard), None) | (None, Some(guard)) => guard,
                (None, None) if edges.len() as u64 > implicit => {
                    return Err(error(at, "A0114", "some edges of this state have labels and some have none").into());
                }
                (None, None) => {
                    implicit += 1;
                    implicit_letter(header, implicit - 1, at)?
                }
            };
            let (target, span) = reader.state()?;
            let target = self.state(target, span, header)?;
            let marks = marks.union(&signature(reader, header.marks)?);
            edges.push(Edge { target, guard, marks });
        }
        let letters = 1u64 << header.propositions.as_ref().map_or(0, Vec::len).min(MAX_IMPLICIT_PROPOSITIONS);
        if implicit > 0 && implicit != letters {
            let message =
                format!("state {number} has {implicit} edges without labels, but there are {letters} letters");
            return Err(error(span, "A0114", message).into());
        }
        self.edges[state] = edges;
        Ok(())
    }
    fn check_defined(&self, header: &Header) -> Result<(), Trouble> {
        // With `States:` a state that is not listed has no edges; without it, it does not exist.
        if header.states.is_some() {
            return Ok(());
        }
        let used = self.used.iter().zip(&self.defined).enumerate();
        let missing = used.filter(|(_, (_, defined))| !**defined);
        match missing.filter_map(|(state, (span, _))| Some((state, (*span)?))).next() {
            Some((state, span)) => Err(error(span, "A0112", format!("state {state} is not defined")).into()),
            None => Ok(()),
        }
    }

    /// The automaton: with one initial state, and a condition over marks that are there.
    pub(super) fn finish(mut self, header: Header) -> Result<Automaton, Trouble> {
        if let Some(count) = header.states {
            while self.edges.len() < count {
                self.edges.push(Vec::new());
            }
        }
        for mark in &header.complemented {
            for edge in self.edges.iter_mut().flatten().filter(|edge| !edge.marks.contains(*mark)) {
                edge.marks.insert(Mark(header.marks + mark.0));
            }
        }
        let initial = match header.starts.as_slice() {
            [(only, _)] => StateId::new(*only as usize),
            starts => {
                let all = starts.iter().flat_map(|(start, _)| self.edges[StateId::new(*start as usize)].clone());
                let all = all.collect();
                self.edges.push(all)
            }
        };
        let propositions = header.propositions.unwrap_or_default();
        let mut automaton = Automaton::over(propositions, header.labels.guards, self.edges, initial, header.acceptance);
        automaton.name = header.name;
        automaton.state_names = self.names;
        automaton.merge_edges();
        automaton.compact_guards();
        automaton.checked().map_err(|limit| error(Span::NONE, "A0111", limit.to_string()).into())
    }
}

/// `{ numbers }`, or nothing.
fn signature(reader: &mut Reader<'_>, marks: u32) -> Result<MarkSet, Trouble> {
    let mut set = MarkSet::EMPTY;
    if reader.take_if(&Token::OpenBrace)? {
        while !reader.take_if(&Token::CloseBrace)? {
            let (number, span) = reader.number("the number of an acceptance set or `}`")?;
            match u32::try_from(number) {
                Ok(mark) if mark < marks => set.insert(Mark(mark)),
                _ => {
                    let message = format!("there is no acceptance set {number}, only {marks} of them");
                    return Err(error(span, "A0106", message).into());
                }
            }
        }
    }
    Ok(set)
}

/// The letter with this number: bit `n` is the value of proposition `n`.
fn implicit_letter(header: &mut Header, number: u64, span: Span) -> Result<Guard, Trouble> {
    let count = header.propositions.as_ref().map_or(0, Vec::len);
    if count > MAX_IMPLICIT_PROPOSITIONS {
        let message = format!("implicit labels over more than {MAX_IMPLICIT_PROPOSITIONS} propositions");
        return Err(error(span, "A0111", message).into());
    }
    if number >> count != 0 {
        return Err(error(span, "A0114", "more edges without labels than there are letters").into());
    }
    let guards = &mut header.labels.guards;
    Ok((0..count as u32).rev().fold(Guard::TRUE, |letter, variable| {
        let test = guards.variable(variable);
        if number >> variable & 1 == 1 { guards.and(test, letter) } else { guards.minus(letter, test) }
    }))
}
