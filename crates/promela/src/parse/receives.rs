//! Sends, receives and polls.

use super::{Parse, Parser};
use crate::token::{Keyword, Punct, TokenKind};
use crate::tree::{Expr, ExprKind, Receive, RecvArg, Send, UnaryOp, VarRef};

impl Parser<'_> {
    /// What follows the channel of a send: `!…` or `!!…`.
    pub(super) fn send(&mut self, channel: VarRef) -> Parse<Send> {
        let sorted = self.is(Punct::BangBang);
        self.bump();
        let first = self.expr()?;
        let mut args = vec![first];
        let tagged = self.punct_on_line() == Some(Punct::LParen);
        if tagged {
            args.extend(self.nested(|parser| {
                parser.bracketed(Punct::LParen, "", |parser| {
                    if parser.is(Punct::RParen) { Ok(Vec::new()) } else { parser.list(Self::expr) }
                })
            })?);
        } else {
            while self.take(Punct::Comma) {
                args.push(self.expr()?);
            }
        }
        Ok(Send { channel, sorted, args, tagged })
    }

    /// What follows the channel of a receive: `?…`, `??…`, `?<…>` or `??<…>`.
    pub(super) fn receive(&mut self, channel: VarRef) -> Parse<Receive> {
        let random = self.is(Punct::QueryQuery);
        self.bump();
        let copy = self.is(Punct::Lt);
        let (args, tagged) =
            if copy { self.bracketed(Punct::Lt, "", Self::message_args)? } else { self.message_args()? };
        Ok(Receive { channel, random, copy, args, tagged })
    }

    /// What follows the channel of a poll: `?[…]` or `??[…]`.
    pub(super) fn poll(&mut self, channel: VarRef) -> Parse<ExprKind> {
        let random = self.is(Punct::QueryQuery);
        self.bump();
        let (args, _) = self.nested(|parser| parser.bracketed(Punct::LBracket, "", Self::message_args))?;
        Ok(ExprKind::Poll(channel, random, args))
    }

    /// `a,b`, `tag(a,b)` or `(a,b)`, and whether it is the second.
    fn message_args(&mut self) -> Parse<(Vec<RecvArg>, bool)> {
        if self.is(Punct::LParen) {
            return self.nested(|parser| parser.bracketed(Punct::LParen, "", Self::message_args));
        }
        let mut args = vec![self.recv_arg()?];
        if self.punct_on_line() == Some(Punct::LParen) {
            let (rest, _) = self.nested(|parser| {
                parser.bracketed(Punct::LParen, "", |parser| {
                    if parser.is(Punct::RParen) { Ok((Vec::new(), false)) } else { parser.message_args() }
                })
            })?;
            args.extend(rest);
            return Ok((args, true));
        }
        while self.take(Punct::Comma) {
            args.push(self.recv_arg()?);
        }
        Ok((args, false))
    }

    fn recv_arg(&mut self) -> Parse<RecvArg> {
        let span = self.span();
        match &self.token().kind {
            TokenKind::Keyword(Keyword::Eval) => {
                self.bump();
                let value = self.nested(|parser| parser.bracketed(Punct::LParen, "after `eval`", Self::expr))?;
                Ok(RecvArg::Eval(value))
            }
            TokenKind::Name(_) => self.var_ref().map(RecvArg::Ref),
            TokenKind::Punct(Punct::Minus) => {
                self.bump();
                match self.constant() {
                    Some(value) => {
                        let kind = ExprKind::Unary(UnaryOp::Neg, Box::new(value));
                        Ok(RecvArg::Const(Expr::new(kind, self.since(span))))
                    }
                    None => Err(self.expected("a number")),
                }
            }
            _ => match self.constant() {
                Some(value) => Ok(RecvArg::Const(value)),
                None => {
                    let diagnostic = self.diagnose("a variable, a constant, `_` or `eval(...)`");
                    Err(self.abort(diagnostic))
                }
            },
        }
    }
}
