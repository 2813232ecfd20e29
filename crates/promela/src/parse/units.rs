//! The units of a model.

use std::rc::Rc;

use lariat_base::Span;

use super::messages::is_type;
use super::{Abort, Parse, Parser};
use crate::token::{Keyword, Punct, Token, TokenKind};
use crate::tree::{Active, Expr, Ident, Init, Ltl, Model, Mtype, Never, Proctype, Trace, Typedef, Unit};

/// Tokens between two braces, and the places of those.
pub(super) type Braced = (Rc<[Token]>, (Span, Span));

impl Parser<'_> {
    pub(super) fn model(&mut self) -> Model {
        let mut model = Model::default();
        while !self.at_end() {
            if self.take(Punct::Semi) {
                continue;
            }
            let start = self.at;
            match self.unit() {
                Ok(Some(unit)) => model.units.push(unit),
                Ok(None) => {}
                Err(_) => {
                    if self.at == start {
                        self.bump();
                    }
                    self.skip_unit();
                }
            }
        }
        model
    }

    /// A unit; none where one was left out.
    fn unit(&mut self) -> Parse<Option<Unit>> {
        let span = self.span();
        let Some(keyword) = self.keyword() else {
            return match (self.peek_ident(0), self.ahead(1).kind.clone()) {
                (Some(name), TokenKind::Name(_)) if self.typedefs.contains(&name.name) => {
                    self.declaration().map(|decl| Some(Unit::Decl(decl)))
                }
                _ if self.take_unclosed() => Err(Abort),
                (Some(name), TokenKind::Name(_) | TokenKind::Keyword(_) | TokenKind::Punct(Punct::LBrace)) => {
                    Err(self.unknown_type(&name))
                }
                _ => Err(self.no_unit()),
            };
        };
        let unit = match keyword {
            Keyword::Mtype if self.at_mtype_set() => Unit::Mtype(self.mtype()?),
            Keyword::Typedef => Unit::Typedef(self.typedef()?),
            keyword if is_type(keyword) => Unit::Decl(self.declaration()?),
            Keyword::Active | Keyword::Proctype | Keyword::DProctype => Unit::Proctype(self.proctype()?),
            Keyword::Init => {
                self.bump();
                let (priority, provided) = self.conditions()?;
                let span = self.since(span);
                Unit::Init(Init { priority, provided, body: self.block()?, span })
            }
            Keyword::Never => {
                self.bump();
                let name = self.optional_ident();
                let span = self.since(span);
                Unit::Never(Never { name, body: self.block()?, span })
            }
            Keyword::Trace | Keyword::Notrace => {
                self.bump();
                let name = self.optional_ident();
                let span = self.since(span);
                Unit::Trace(Trace { negated: keyword == Keyword::Notrace, name, body: self.block()?, span })
            }
            Keyword::Ltl => Unit::Ltl(self.ltl()?),
            Keyword::Inline => Unit::Inline(self.inline_definition()?),
            Keyword::CCode | Keyword::CDecl | Keyword::CState | Keyword::CTrack | Keyword::CExpr => {
                self.embedded_c();
                return Ok(None);
            }
            _ if self.take_unclosed() => return Err(Abort),
            _ => return Err(self.no_unit()),
        };
        Ok(Some(unit))
    }

    /// Whether the text at hand is what is left of a body that was never closed; forgets one such body.
    fn take_unclosed(&mut self) -> bool {
        let left = self.unclosed > 0;
        self.unclosed -= usize::from(left);
        left
    }

    fn no_unit(&mut self) -> Abort {
        let mut diagnostic = self.diagnose("a proctype, a declaration, `init`, `never`, `ltl` or `inline`");
        let before = |back: usize| self.at.checked_sub(back).map(|at| &self.tokens[at].kind);
        if diagnostic.help.is_none() {
            diagnostic.help = match (&self.token().kind, before(1)) {
                (TokenKind::Punct(Punct::LParen), Some(TokenKind::Name(name))) => Some(format!(
                    "a process is written `proctype {name}() {{ ... }}`, and the first one `init {{ ... }}`"
                )),
                (TokenKind::Punct(Punct::RBrace), _) => Some("there is no `{` for this `}`".into()),
                (TokenKind::Name(_), _) | (TokenKind::Keyword(_), _) => {
                    Some("statements stand in the body of a `proctype` or `init`".into())
                }
                _ => None,
            };
        }
        self.abort(diagnostic)
    }

    fn optional_ident(&mut self) -> Option<Ident> {
        let ident = self.peek_ident(0)?;
        self.bump();
        Some(ident)
    }

    /// Whether this `mtype` names constants, and does not declare variables.
    fn at_mtype_set(&self) -> bool {
        let named = self.ahead(1).kind == TokenKind::Punct(Punct::Colon);
        let after = if named { 3 } else { 1 };
        matches!(self.ahead(after).kind, TokenKind::Punct(Punct::Assign | Punct::LBrace))
    }

    fn mtype(&mut self) -> Parse<Mtype> {
        let span = self.span();
        self.bump();
        let set = if self.take(Punct::Colon) { Some(self.ident("the name of an mtype")?) } else { None };
        self.take(Punct::Assign);
        self.expect(Punct::LBrace, "before the names of an mtype")?;
        let mut names = Vec::new();
        while !self.is(Punct::RBrace) {
            names.push(self.ident("a name or `}`")?);
            self.take(Punct::Comma);
        }
        self.bump();
        Ok(Mtype { set, names, span: self.since(span) })
    }

    fn typedef(&mut self) -> Parse<Typedef> {
        let span = self.span();
        self.bump();
        let name = self.ident("the name of a type")?;
        self.expect(Punct::LBrace, "before the fields")?;
        // Known from here on even if a field is wrong, lest every use be reported too.
        self.typedefs.insert(name.name.clone());
        let fields = self.declarations(Punct::RBrace)?;
        self.bump();
        Ok(Typedef { name, fields, span: self.since(span) })
    }

    fn proctype(&mut self) -> Parse<Proctype> {
        let span = self.span();
        let active = if self.take_keyword(Keyword::Active) {
            let count =
                if self.is(Punct::LBracket) { Some(self.bracketed(Punct::LBracket, "", Self::expr)?) } else { None };
            Some(Active { count, span: self.since(span) })
        } else {
            None
        };
        let deterministic = self.is_keyword(Keyword::DProctype);
        if !self.take_keyword(Keyword::DProctype) && !self.take_keyword(Keyword::Proctype) {
            return Err(self.expected("`proctype`"));
        }
        let name = self.ident("the name of a proctype")?;
        self.proctypes.insert(name.name.clone());
        let declarations = |parser: &mut Self| parser.declarations(Punct::RParen);
        let parameters = self.bracketed(Punct::LParen, "and the parameters of the proctype", declarations)?;
        let (priority, provided) = self.conditions()?;
        let span = self.since(span);
        let body = self.block()?;
        Ok(Proctype { active, deterministic, name, parameters, priority, provided, body, span })
    }

    /// `priority n`
    pub(super) fn priority(&mut self) -> Parse<Option<Expr>> {
        if self.take_keyword(Keyword::Priority) { self.unary().map(Some) } else { Ok(None) }
    }

    /// `priority n` and `provided (e)`
    fn conditions(&mut self) -> Parse<(Option<Expr>, Option<Expr>)> {
        let (mut priority, mut provided) = (None, None);
        loop {
            if self.is_keyword(Keyword::Priority) {
                priority = self.priority()?;
            } else if self.take_keyword(Keyword::Provided) {
                provided = Some(self.bracketed(Punct::LParen, "after `provided`", Self::expr)?);
            } else {
                return Ok((priority, provided));
            }
        }
    }

    fn ltl(&mut self) -> Parse<Ltl> {
        self.bump();
        let name = self.optional_ident();
        if !self.is(Punct::LBrace) {
            let shown = name.as_ref().map_or(String::new(), |name| format!("{name} "));
            let diagnostic = self.diagnose("`{` before a formula");
            return Err(self.abort(diagnostic.help(format!("a formula stands in braces: `ltl {shown}{{ ... }}`"))));
        }
        let (formula, braces) = self.braced_tokens("before a formula")?;
        if formula.is_empty() {
            return Err(self.error(braces.0, "P0100", "expected a formula between the braces"));
        }
        let inside = Span { start: braces.0.end, end: braces.1.start, ..braces.0 };
        let one_text = braces.0.file == braces.1.file && inside.start <= inside.end;
        let (span, text) = if one_text {
            (inside, self.sources.text(inside).trim().to_string())
        } else {
            (formula[0].span, super::inlines::tokens_text(&formula))
        };
        Ok(Ltl { name, formula: formula.to_vec(), text, span })
    }

    /// The tokens between two braces, and the places of those.
    pub(super) fn braced_tokens(&mut self, what: &str) -> Parse<Braced> {
        let open = self.expect(Punct::LBrace, what)?;
        let start = self.at;
        let mut depth = 0_usize;
        loop {
            match self.token().kind {
                TokenKind::Punct(Punct::LBrace) => depth += 1,
                TokenKind::Punct(Punct::RBrace) if depth == 0 => break,
                TokenKind::Punct(Punct::RBrace) => depth -= 1,
                TokenKind::End => {
                    let diagnostic = self.diagnose("`}`").note(open, "to close this `{`");
                    return Err(self.abort(diagnostic));
                }
                _ => {}
            }
            self.bump();
        }
        let inside = self.tokens[start..self.at].into();
        let close = self.span();
        self.bump();
        Ok((inside, (open, close)))
    }
}
