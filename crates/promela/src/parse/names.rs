//! Names, and references to variables.

use super::{Parse, Parser};
use crate::token::{Name, Punct, Token, TokenKind};
use crate::tree::{Ident, NamePart, VarRef};

/// The name that a token is.
pub(super) fn ident_of(token: &Token, name: &Name) -> Ident {
    Ident { name: name.clone(), span: token.span, spelled: token.expanded_from.unwrap_or(token.span) }
}

impl Parser<'_> {
    /// The token as a name, left in place.
    pub(super) fn peek_ident(&self, distance: usize) -> Option<Ident> {
        let token = self.ahead(distance);
        match &token.kind {
            TokenKind::Name(name) => Some(ident_of(token, name)),
            _ => None,
        }
    }

    pub(super) fn ident(&mut self, what: &str) -> Parse<Ident> {
        match self.peek_ident(0) {
            Some(ident) => {
                self.bump();
                Ok(ident)
            }
            None => Err(self.expected(what)),
        }
    }

    pub(super) fn var_ref(&mut self) -> Parse<VarRef> {
        let first = self.part()?;
        self.fields_after(first)
    }

    fn part(&mut self) -> Parse<NamePart> {
        let name = self.ident("the name of a variable")?;
        let index = if self.is(Punct::LBracket) {
            let index = self.nested(|parser| parser.bracketed(Punct::LBracket, "", Self::expr))?;
            Some(Box::new(index))
        } else {
            None
        };
        Ok(NamePart { name, index })
    }

    fn fields_after(&mut self, first: NamePart) -> Parse<VarRef> {
        let span = first.name.span;
        let mut parts = vec![first];
        while self.take(Punct::Dot) {
            parts.push(self.part()?);
        }
        Ok(VarRef { parts, span: self.since(span) })
    }
}
