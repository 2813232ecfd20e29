//! Label expressions: Boolean functions of propositions, with aliases.

use super::lex::Token;
use super::{MAX_DEPTH, Reader, Trouble, error};
use crate::guards::{Guard, Guards};
use crate::hash::FastMap;
use lariat_base::Span;

/// What label expressions refer to.
#[derive(Default)]
pub(super) struct Labels {
    pub(super) guards: Guards,
    pub(super) aliases: FastMap<String, Guard>,
    /// The largest proposition used so far, and where; `AP:` may come later than its use in an alias.
    pub(super) largest: Option<(u64, Span)>,
}

impl Labels {
    /// `[ expression ]`, the bracket not yet taken.
    pub(super) fn bracketed(&mut self, reader: &mut Reader<'_>) -> Result<Guard, Trouble> {
        reader.expect(&Token::OpenBracket)?;
        let guard = self.expression(reader, 0)?;
        reader.expect(&Token::CloseBracket)?;
        Ok(guard)
    }
    pub(super) fn expression(&mut self, reader: &mut Reader<'_>, depth: usize) -> Result<Guard, Trouble> {
        let mut guard = self.conjunction(reader, depth)?;
        while reader.take_if(&Token::Or)? {
            let other = self.conjunction(reader, depth)?;
            guard = self.guards.or(guard, other);
        }
        if self.guards.overflowed() {
            return Err(error(reader.span, "A0111", "the labels are too large").into());
        }
        Ok(guard)
    }
    fn conjunction(&mut self, reader: &mut Reader<'_>, depth: usize) -> Result<Guard, Trouble> {
        let mut guard = self.literal(reader, depth)?;
        while reader.take_if(&Token::And)? {
            let other = self.literal(reader, depth)?;
            guard = self.guards.and(guard, other);
        }
        Ok(guard)
    }
    fn literal(&mut self, reader: &mut Reader<'_>, depth: usize) -> Result<Guard, Trouble> {
        if depth > MAX_DEPTH {
            return Err(error(reader.span, "A0111", "this label is nested too deeply").into());
        }
        if !matches!(reader.token, Token::Not | Token::Open | Token::Number(_) | Token::Identifier(_) | Token::Alias(_))
        {
            return Err(reader.unexpected("a label"));
        }
        let (token, span) = reader.take()?;
        match token {
            Token::Not => {
                let guard = self.literal(reader, depth + 1)?;
                Ok(self.guards.not(guard))
            }
            Token::Open => {
                let guard = self.expression(reader, depth + 1)?;
                reader.expect(&Token::Close)?;
                Ok(guard)
            }
            Token::Number(number) => {
                if self.largest.is_none_or(|(largest, _)| number > largest) {
                    self.largest = Some((number, span));
                }
                match u32::try_from(number) {
                    Ok(variable) if (variable as usize) < super::MAX_PROPOSITIONS => Ok(self.guards.variable(variable)),
                    _ => Err(error(span, "A0104", format!("there is no proposition {number}")).into()),
                }
            }
            Token::Identifier(name) if name == "t" => Ok(Guard::TRUE),
            Token::Identifier(name) if name == "f" => Ok(Guard::FALSE),
            Token::Alias(name) => match self.aliases.get(&name) {
                Some(&guard) => Ok(guard),
                None => Err(error(span, "A0105", format!("the alias `@{name}` is not defined")).into()),
            },
            other => Err(error(span, "A0102", format!("expected a label, found {other}")).into()),
        }
    }
}
