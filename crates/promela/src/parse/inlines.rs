//! Inlines: kept as tokens where they are defined, put in place and parsed where they are called.
//!
//! As in SPIN the arguments replace the parameters token by token, so `f(a + b)` with a body `x = p * 2` gives
//! `x = a + b * 2`. The body's tokens keep their places, so that messages and statements point into the inline.

use std::rc::Rc;

use lariat_base::{Diagnostic, Span};

use super::names::ident_of;
use super::{Parse, Parser};
use crate::token::{Name, Punct, Token, TokenKind};
use crate::tree::{Block, Call, Ident, Inline};

/// Tokens that all inlines of a model may expand to.
const MAX_INLINED: usize = 1_000_000;

/// An inline as defined.
pub(super) struct Definition {
    place: Span,
    parameters: Vec<Name>,
    body: Rc<[Token]>,
    span: Span,
    end: Span,
}

/// Tokens, and for each the place in the body of an `inline` that it stands for.
type PutInPlace = (Rc<[Token]>, Rc<[Span]>);

impl Parser<'_> {
    pub(super) fn inline_definition(&mut self) -> Parse<Inline> {
        let start = self.span();
        self.bump();
        let name = self.ident("the name of an inline")?;
        let parameters = self.bracketed(Punct::LParen, "and the parameters of the inline", |parser| {
            if parser.is(Punct::RParen) {
                return Ok(Vec::new());
            }
            parser.list(|parser| parser.ident("the name of a parameter"))
        })?;
        let (body, (open, close)) = self.braced_tokens("before the body of an inline")?;
        if body.is_empty() {
            let message = format!("inline `{name}` has an empty body");
            self.report.push(Diagnostic::warning(name.span, "P0110", message));
        }
        let name_of = |token: &Token| if let TokenKind::Name(name) = &token.kind { Some(name.clone()) } else { None };
        let mentions = body.iter().filter_map(name_of).collect();
        let parameter_use = |token: &Token| match &token.kind {
            TokenKind::Name(name) if parameters.iter().any(|parameter| parameter.name == *name) => {
                Some(ident_of(token, name))
            }
            _ => None,
        };
        let parameter_uses = body.iter().filter_map(parameter_use).collect();
        let definition = Definition {
            place: name.span,
            parameters: parameters.iter().map(|parameter| parameter.name.clone()).collect(),
            body,
            span: open.to(close),
            end: close,
        };
        if let Some(old) = self.inlines.insert(name.name.clone(), Rc::new(definition)) {
            let diagnostic = Diagnostic::error(name.span, "P0105", format!("inline `{name}` is defined twice"));
            self.abort(diagnostic.note(old.place, "the first definition"));
        }
        Ok(Inline { name, parameters, mentions, parameter_uses, span: start.to(close) })
    }

    /// Whether an inline is called here.
    pub(super) fn at_inline_call(&self) -> bool {
        self.ahead(1).kind == TokenKind::Punct(Punct::LParen)
            && self.peek_ident(0).is_some_and(|name| self.inlines.contains_key(&name.name))
    }

    pub(super) fn inline_call(&mut self) -> Parse<Call> {
        let name = self.ident("an inline")?;
        let definition = self.inlines.get(&name.name).cloned().expect("`at_inline_call` found it");
        let args = self.inline_args(&name)?;
        let call = self.since(name.span);
        if args.len() != definition.parameters.len() {
            let (wants, has) = (definition.parameters.len(), args.len());
            let plural = if wants == 1 { "" } else { "s" };
            let message = format!("inline `{name}` takes {wants} argument{plural}, not {has}");
            let diagnostic = Diagnostic::error(call, "P0105", message);
            return Err(self.abort(diagnostic.note(definition.place, "the inline is defined here")));
        }
        if self.calls.iter().any(|(open, _)| *open == name.name) {
            return Err(self.error(call, "P0105", format!("inline `{name}` calls itself")));
        }
        let (tokens, places) = self.put_in_place(&definition, &args, call)?;
        let shown = args.iter().map(|arg| tokens_text(arg)).collect();
        let outer_places = self.places.replace(places);
        let body = self.expansion(&name, call, &definition, tokens);
        self.places = outer_places;
        Ok(Call { name, args: shown, body })
    }

    /// The arguments of a call as tokens.
    fn inline_args(&mut self, name: &Ident) -> Parse<Vec<Vec<Token>>> {
        let open = self.span();
        self.bump();
        let mut args: Vec<Vec<Token>> = Vec::new();
        let mut depth = 0_usize;
        loop {
            let token = self.token().clone();
            match token.kind {
                TokenKind::End => {
                    let message = format!("the arguments of inline `{name}` do not end");
                    return Err(self.error(open, "P0105", message));
                }
                TokenKind::Punct(Punct::RParen) if depth == 0 => {
                    self.bump();
                    return Ok(args);
                }
                TokenKind::Punct(Punct::Comma) if depth == 0 => {
                    if args.is_empty() {
                        args.push(Vec::new());
                    }
                    args.push(Vec::new());
                    self.bump();
                    continue;
                }
                TokenKind::Punct(Punct::LParen | Punct::LBracket | Punct::LBrace) => depth += 1,
                TokenKind::Punct(Punct::RParen | Punct::RBracket | Punct::RBrace) => depth = depth.saturating_sub(1),
                _ => {}
            }
            if args.is_empty() {
                args.push(Vec::new());
            }
            args.last_mut().expect("just made sure").push(Token { newline_before: false, ..token });
            self.bump();
        }
    }

    /// The body with the arguments for the parameters, and an end; and for each token the place in the body.
    fn put_in_place(&mut self, definition: &Definition, args: &[Vec<Token>], call: Span) -> Parse<PutInPlace> {
        let argument = |token: &Token| {
            let TokenKind::Name(name) = &token.kind else { return None };
            let index = definition.parameters.iter().position(|parameter| parameter == name)?;
            args.get(index)
        };
        let length: usize = definition.body.iter().map(|token| argument(token).map_or(1, Vec::len)).sum();
        // A call costs something even if its body is empty.
        self.inlined = self.inlined.saturating_add(length + 10);
        if self.inlined > MAX_INLINED {
            let message = format!("inlines expand to more than {MAX_INLINED} tokens");
            let abort = self.error(call, "P0020", message);
            self.at = self.tokens.len() - 1;
            return Err(abort);
        }
        let mut tokens = Vec::with_capacity(length + 1);
        let mut places = Vec::with_capacity(length + 1);
        for token in definition.body.iter() {
            match argument(token) {
                Some(arg) => {
                    let first = tokens.len();
                    tokens.extend(arg.iter().cloned());
                    if let Some(first) = tokens.get_mut(first) {
                        first.newline_before = token.newline_before;
                    }
                }
                None => tokens.push(token.clone()),
            }
            places.resize(tokens.len(), token.span);
        }
        let end = Token { kind: TokenKind::End, span: definition.end, expanded_from: None, newline_before: true };
        tokens.push(end);
        places.push(definition.end);
        Ok((tokens.into(), places.into()))
    }

    /// Parses the tokens of a call as a block of their own.
    fn expansion(&mut self, name: &Ident, call: Span, definition: &Definition, tokens: Rc<[Token]>) -> Block {
        let outer = (std::mem::replace(&mut self.tokens, tokens), std::mem::take(&mut self.at));
        let outer_state = (self.brackets, self.open_ifs, self.open_dos);
        (self.brackets, self.open_ifs, self.open_dos) = (0, 0, 0);
        self.calls.push((name.name.clone(), call));
        let outer_body = self.body.replace(definition.span);
        let stmts = self.sequence();
        if !self.at_end() {
            self.expected("a statement or the end of the inline");
        }
        self.calls.pop();
        self.body = outer_body;
        (self.brackets, self.open_ifs, self.open_dos) = outer_state;
        (self.tokens, self.at) = outer;
        Block { stmts, span: definition.span }
    }
}

/// Tokens as text, cut off when long.
pub(super) fn tokens_text(tokens: &[Token]) -> String {
    use Punct::{At, Bang, Colon, Comma, Dot, LBracket, LParen, Query, RBracket, RParen, Tilde};
    const TIGHT: &[Punct] = &[At, Bang, Colon, Comma, Dot, LBracket, LParen, Query, RBracket, RParen, Tilde];
    const MAX_CHARS: usize = 100;
    let tight = |token: &Token| matches!(token.kind, TokenKind::Punct(punct) if TIGHT.contains(&punct));
    let mut text = String::new();
    for (index, token) in tokens.iter().enumerate() {
        if index > 0 && !tight(token) && !tight(&tokens[index - 1]) {
            text.push(' ');
        }
        text.push_str(&token.kind.to_string());
        if text.len() > MAX_CHARS {
            text.push_str(" ...");
            break;
        }
    }
    text
}
