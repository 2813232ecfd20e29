//! The Hanoi omega-automata format, version 1 (Babiak, Blahoudek, Duret-Lutz, Klein, Křetínský, Müller, Parker, Strejček,
//! CAV 2015), read and written.
//!
//! Everything of the format is read but alternation: a conjunction of states is refused with a message that says so.
//! Several initial states become one that begins as each of them does. What `properties:` and `acc-name:` claim is not
//! relied upon; both are worked out anew when an automaton is written.

mod acceptance;
mod body;
mod header;
mod labels;
mod lex;
mod write;

pub use write::{acceptance_name, write_hoa};

use crate::Automaton;
use body::Body;
use header::Header;
use lariat_base::{Diagnostic, FileId, Span};
use lex::{Lexer, Token};

/// Reads all automata of a text. One that is given up with `--ABORT--` is left out.
///
/// Sizes that the text merely claims are checked against what is sensible before anything is allocated for them.
pub fn read_hoa(text: &str, file: FileId) -> Result<Vec<Automaton>, Diagnostic> {
    Ok(read_hoa_with_places(text, file)?.into_iter().map(|(automaton, _)| automaton).collect())
}

/// The same, each automaton with the places of its propositions, quotes included.
pub fn read_hoa_with_places(text: &str, file: FileId) -> Result<Vec<(Automaton, Vec<Span>)>, Diagnostic> {
    let mut reader = Reader { lexer: Lexer::new(text, file), token: Token::End, span: Span::NONE };
    reader.advance()?;
    let mut automata = Vec::new();
    while reader.token != Token::End {
        match read_one(&mut reader) {
            Ok(placed) => automata.push(placed),
            // Whatever was wrong, if the writer gave up on this automaton the next one begins afresh.
            Err(Trouble::Aborted) => reader.advance()?,
            Err(Trouble::Wrong(diagnostic)) => return Err(*diagnostic),
        }
    }
    Ok(automata)
}

fn read_one(reader: &mut Reader<'_>) -> Result<(Automaton, Vec<Span>), Trouble> {
    let mut header = Header::read(reader)?;
    let body = Body::read(reader, &mut header)?;
    let places = std::mem::take(&mut header.places);
    Ok((body.finish(header)?, places))
}

/// The most states, propositions, marks that a text may claim or use.
const MAX_STATES: usize = 1 << 22;
const MAX_PROPOSITIONS: usize = 1 << 12;
const MAX_MARKS: u32 = 1 << 12;
/// With implicit labels a state has an edge for each letter.
const MAX_IMPLICIT_PROPOSITIONS: usize = 20;
/// How deep parentheses may be nested.
const MAX_DEPTH: usize = 400;

/// Why reading one automaton ended early.
enum Trouble {
    /// `--ABORT--`
    Aborted,
    Wrong(Box<Diagnostic>),
}

impl From<Diagnostic> for Trouble {
    fn from(diagnostic: Diagnostic) -> Self {
        Self::Wrong(Box::new(diagnostic))
    }
}

fn error(span: Span, code: &'static str, message: impl Into<String>) -> Diagnostic {
    Diagnostic::error(span, code, message)
}

/// The text, one token at a time.
struct Reader<'a> {
    lexer: Lexer<'a>,
    token: Token,
    span: Span,
}

impl Reader<'_> {
    fn advance(&mut self) -> Result<(), Diagnostic> {
        (self.token, self.span) = self.lexer.next()?;
        Ok(())
    }
    /// The current token, and on to the next; `--ABORT--` is never taken.
    fn take(&mut self) -> Result<(Token, Span), Trouble> {
        if self.token == Token::Abort {
            return Err(Trouble::Aborted);
        }
        let taken = (std::mem::replace(&mut self.token, Token::End), self.span);
        self.advance()?;
        Ok(taken)
    }
    fn take_if(&mut self, token: &Token) -> Result<bool, Trouble> {
        let found = self.token == *token;
        if found {
            self.take()?;
        }
        Ok(found)
    }
    fn unexpected(&self, wanted: &str) -> Trouble {
        match self.token {
            Token::Abort => Trouble::Aborted,
            _ => error(self.span, "A0102", format!("expected {wanted}, found {}", self.token)).into(),
        }
    }
    fn expect(&mut self, token: &Token) -> Result<Span, Trouble> {
        if self.token == *token { Ok(self.take()?.1) } else { Err(self.unexpected(&token.to_string())) }
    }
    fn number(&mut self, wanted: &str) -> Result<(u64, Span), Trouble> {
        match self.token {
            Token::Number(number) => Ok((number, self.take()?.1)),
            _ => Err(self.unexpected(wanted)),
        }
    }
    fn text(&mut self, wanted: &str) -> Result<(String, Span), Trouble> {
        match self.take()? {
            (Token::Text(text), span) => Ok((text, span)),
            (found, span) => Err(error(span, "A0102", format!("expected {wanted}, found {found}")).into()),
        }
    }
    /// A state number, alone: `0&1` is alternation.
    fn state(&mut self) -> Result<(u64, Span), Trouble> {
        let (state, span) = self.number("a state number")?;
        if self.token == Token::And {
            let message = "alternating automata are not supported: a conjunction of states";
            return Err(error(self.span, "A0110", message).into());
        }
        Ok((state, span))
    }
}
