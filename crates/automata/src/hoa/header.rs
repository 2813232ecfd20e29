//! The header of an automaton.

use super::acceptance::condition;
use super::labels::Labels;
use super::lex::Token;
use super::{MAX_MARKS, MAX_PROPOSITIONS, MAX_STATES, Reader, Trouble, error};
use crate::{Acceptance, Mark};
use lariat_base::Span;

/// What the header says.
pub(super) struct Header {
    pub(super) name: Option<String>,
    pub(super) states: Option<usize>,
    pub(super) starts: Vec<(u64, Span)>,
    pub(super) propositions: Option<Vec<String>>,
    /// Where the propositions stand.
    pub(super) places: Vec<Span>,
    pub(super) labels: Labels,
    pub(super) marks: u32,
    pub(super) acceptance: Acceptance,
    /// Marks whose complement the condition mentions.
    pub(super) complemented: Vec<Mark>,
}

impl Header {
    /// Reads up to and including `--BODY--`.
    pub(super) fn read(reader: &mut Reader<'_>) -> Result<Self, Trouble> {
        let start = reader.span;
        if !matches!(&reader.token, Token::Header(name) if name == "HOA") {
            return Err(reader.unexpected("`HOA:`"));
        }
        reader.take()?;
        match reader.take()? {
            (Token::Identifier(version), _) if version == "v1" => {}
            (Token::Identifier(version), span) => {
                let message = format!("version `{version}` of the format is not supported, only `v1`");
                return Err(error(span, "A0103", message).into());
            }
            (found, span) => {
                return Err(error(span, "A0102", format!("expected a format version, found {found}")).into());
            }
        }
        let mut header = Self {
            name: None,
            states: None,
            starts: Vec::new(),
            propositions: None,
            places: Vec::new(),
            labels: Labels::default(),
            marks: 0,
            acceptance: Acceptance::True,
            complemented: Vec::new(),
        };
        let mut has_acceptance = false;
        while !reader.take_if(&Token::Body)? {
            let Token::Header(item) = reader.token.clone() else {
                return Err(reader.unexpected("a header item or `--BODY--`"));
            };
            let (_, span) = reader.take()?;
            let repeated = match item.as_str() {
                "States" => header.states.is_some(),
                "AP" => header.propositions.is_some(),
                "Acceptance" => has_acceptance,
                _ => false,
            };
            if repeated {
                return Err(error(span, "A0107", format!("`{item}:` is given twice")).into());
            }
            has_acceptance |= item == "Acceptance";
            header.item(&item, span, reader)?;
        }
        if !has_acceptance {
            return Err(error(start, "A0107", "the header has no `Acceptance:`").into());
        }
        header.check_propositions()?;
        Ok(header)
    }

    fn item(&mut self, item: &str, span: Span, reader: &mut Reader<'_>) -> Result<(), Trouble> {
        match item {
            "States" => self.states = Some(bounded(reader, "the number of states", MAX_STATES)?),
            "Start" => self.starts.push(reader.state()?),
            "AP" => self.propositions = Some(propositions(reader, &mut self.places)?),
            "Alias" => {
                let Token::Alias(name) = reader.token.clone() else { return Err(reader.unexpected("an alias")) };
                let (_, span) = reader.take()?;
                let guard = self.labels.expression(reader, 0)?;
                if self.labels.aliases.insert(name.clone(), guard).is_some() {
                    return Err(error(span, "A0105", format!("the alias `@{name}` is defined twice")).into());
                }
            }
            "Acceptance" => {
                self.marks = bounded(reader, "the number of acceptance sets", MAX_MARKS as usize)? as u32;
                self.acceptance = condition(reader, self.marks, &mut self.complemented, 0)?;
            }
            "name" => self.name = Some(reader.text("the name, a string")?.0),
            _ if item.starts_with(|first: char| first.is_ascii_uppercase()) => {
                let message = format!("the header item `{item}:` may change what the automaton means and is not known");
                return Err(error(span, "A0108", message).into());
            }
            // `tool:`, `acc-name:`, `properties:` and whatever else only informs.
            _ => {
                while matches!(reader.token, Token::Identifier(_) | Token::Text(_) | Token::Number(_)) {
                    reader.take()?;
                }
            }
        }
        Ok(())
    }

    fn check_propositions(&mut self) -> Result<(), Trouble> {
        let count = self.propositions.as_ref().map_or(0, Vec::len);
        match self.labels.largest {
            Some((number, span)) if number >= count as u64 => {
                Err(error(span, "A0104", format!("there is no proposition {number}, only {count} of them")).into())
            }
            _ => Ok(()),
        }
    }
    /// A label in the body.
    pub(super) fn label(&mut self, reader: &mut Reader<'_>) -> Result<crate::Guard, Trouble> {
        let guard = self.labels.bracketed(reader)?;
        self.check_propositions()?;
        Ok(guard)
    }
}

fn bounded(reader: &mut Reader<'_>, what: &str, limit: usize) -> Result<usize, Trouble> {
    let (number, span) = reader.number(what)?;
    match usize::try_from(number) {
        Ok(number) if number <= limit => Ok(number),
        _ => Err(error(span, "A0111", format!("{what} is larger than {limit}")).into()),
    }
}

fn propositions(reader: &mut Reader<'_>, places: &mut Vec<Span>) -> Result<Vec<String>, Trouble> {
    let span = reader.span;
    let count = bounded(reader, "the number of propositions", MAX_PROPOSITIONS)?;
    let mut names: Vec<String> = Vec::new();
    while matches!(reader.token, Token::Text(_)) {
        let (name, span) = reader.text("a proposition, a string")?;
        if names.contains(&name) {
            return Err(error(span, "A0109", format!("the proposition `{name}` is given twice")).into());
        }
        names.push(name);
        places.push(span);
    }
    if names.len() != count {
        let message = format!("{count} propositions are announced, but {} are given", names.len());
        return Err(error(span, "A0109", message).into());
    }
    Ok(names)
}
