//! Types, variables, parameters and fields.

use lariat_base::Diagnostic;

use super::messages::{begins_unit, is_type};
use super::{Abort, Parse, Parser};
use crate::token::{Keyword, Punct, Token, TokenKind};
use crate::tree::{ChannelInit, Decl, Declarator, Initializer, Type, TypeKind, Visibility};

impl Parser<'_> {
    /// Whether a declaration begins here.
    pub(super) fn at_declaration(&self) -> bool {
        match &self.token().kind {
            TokenKind::Keyword(keyword) => is_type(*keyword),
            TokenKind::Name(name) => {
                self.typedefs.contains(name) && matches!(self.ahead(1).kind, TokenKind::Name(_) | TokenKind::Keyword(_))
            }
            _ => false,
        }
    }

    pub(super) fn declaration(&mut self) -> Parse<Decl> {
        let span = self.span();
        let visibility = match self.keyword() {
            Some(Keyword::Hidden) => Some(Visibility::Hidden),
            Some(Keyword::Show) => Some(Visibility::Show),
            Some(Keyword::Local) => Some(Visibility::Local),
            _ => None,
        };
        if visibility.is_some() {
            self.bump();
        }
        let ty = self.ty()?;
        let mut vars = vec![self.declarator()?];
        // SPIN has `;` between parameters of different types; a `,` there is as clear.
        while self.is(Punct::Comma) && !matches!(self.ahead(1).kind, TokenKind::Keyword(keyword) if is_type(keyword)) {
            self.bump();
            vars.push(self.declarator()?);
        }
        Ok(Decl { visibility, ty, vars, span: self.since(span) })
    }

    pub(super) fn ty(&mut self) -> Parse<Type> {
        let span = self.span();
        let kind = match (&self.token().kind, self.keyword()) {
            (TokenKind::Name(_), _) => {
                let name = self.ident("a type")?;
                if !self.typedefs.contains(&name.name) {
                    return Err(self.unknown_type(&name));
                }
                return Ok(Type { kind: TypeKind::Named(name), span });
            }
            (_, Some(Keyword::Bit)) => TypeKind::Bit,
            (_, Some(Keyword::Bool)) => TypeKind::Bool,
            (_, Some(Keyword::Byte)) => TypeKind::Byte,
            (_, Some(Keyword::Short)) => TypeKind::Short,
            (_, Some(Keyword::Int)) => TypeKind::Int,
            (_, Some(Keyword::Pid)) => TypeKind::Pid,
            (_, Some(Keyword::Unsigned)) => TypeKind::Unsigned,
            (_, Some(Keyword::Chan)) => TypeKind::Chan,
            (_, Some(Keyword::Mtype)) => {
                self.bump();
                let set = if self.take(Punct::Colon) { Some(self.ident("the name of an mtype")?) } else { None };
                return Ok(Type { kind: TypeKind::Mtype(set), span: self.since(span) });
            }
            _ => return Err(self.expected("a type")),
        };
        self.bump();
        Ok(Type { kind, span })
    }

    /// Complains about a name where a type should stand.
    pub(super) fn unknown_type(&mut self, name: &crate::tree::Ident) -> Abort {
        let message = format!("`{name}` is neither a type nor a statement");
        let mut diagnostic = Diagnostic::error(name.span, "P0108", message);
        diagnostic.help = self.misspelled(&name.name);
        let is_typedef = |pair: &[Token]| {
            pair[0].kind == TokenKind::Keyword(Keyword::Typedef) && pair[1].kind == TokenKind::Name(name.name.clone())
        };
        if let Some(pair) = self.tokens[self.at..].windows(2).find(|pair| is_typedef(pair)) {
            diagnostic = diagnostic.note(pair[1].span, "declared here").help("a `typedef` must stand before its uses");
        }
        self.abort(diagnostic)
    }

    fn declarator(&mut self) -> Parse<Declarator> {
        let name = self.ident("the name of a variable")?;
        let width = if self.take(Punct::Colon) {
            let Some(width) = self.constant() else { return Err(self.expected("the number of bits")) };
            Some(width)
        } else {
            None
        };
        let length =
            if self.is(Punct::LBracket) { Some(self.bracketed(Punct::LBracket, "", Self::expr)?) } else { None };
        let init = if self.take(Punct::Assign) { Some(self.initializer()?) } else { None };
        let span = self.since(name.span);
        Ok(Declarator { name, width, length, init, span })
    }

    fn initializer(&mut self) -> Parse<Initializer> {
        let span = self.span();
        if self.take(Punct::LBrace) {
            self.brackets += 1;
            let values = self.list(Self::expr);
            self.brackets -= 1;
            let values = values?;
            self.expect(Punct::RBrace, "after the initial values")?;
            return Ok(Initializer::List(values));
        }
        if !self.is(Punct::LBracket) {
            return self.expr().map(Initializer::Expr);
        }
        let capacity = self.bracketed(Punct::LBracket, "", Self::expr)?;
        if !self.take_keyword(Keyword::Of) {
            return Err(self.expected("`of` and the types of a message"));
        }
        self.expect(Punct::LBrace, "before the types of a message")?;
        let fields = self.list(Self::ty)?;
        self.expect(Punct::RBrace, "after the types of a message")?;
        Ok(Initializer::Channel(ChannelInit { capacity, fields, span: self.since(span) }))
    }

    /// Declarations up to a closing bracket, which is left in place. A mistake in one does not keep the others from
    /// being read.
    pub(super) fn declarations(&mut self, close: Punct) -> Parse<Vec<Decl>> {
        let mut decls = Vec::new();
        let mut wrong = false;
        loop {
            while self.take(Punct::Semi) || self.take(Punct::Comma) {}
            if self.is(close) {
                return if wrong { Err(Abort) } else { Ok(decls) };
            }
            if self.at_end() {
                return Err(self.expected(&format!("`{}`", close.text())));
            }
            match self.declaration() {
                Ok(decl) => decls.push(decl),
                Err(Abort) => {
                    wrong = true;
                    self.skip_declaration(close)?;
                    continue;
                }
            }
            if !(self.is(Punct::Semi) || self.is(Punct::Comma) || self.is(close) || self.token().newline_before) {
                return Err(self.expected(&format!("`;` or `{}` after a declaration", close.text())));
            }
        }
    }

    /// Skips to where a declaration or its surroundings may end; gives up at what belongs to neither.
    fn skip_declaration(&mut self, close: Punct) -> Parse<()> {
        loop {
            match self.token().kind {
                TokenKind::Punct(punct) if punct == Punct::Semi || punct == close => return Ok(()),
                TokenKind::Punct(Punct::LBrace | Punct::RBrace) | TokenKind::End => return Err(Abort),
                TokenKind::Keyword(keyword) if begins_unit(keyword) => return Err(Abort),
                _ => self.bump(),
            }
        }
    }
}
