//! Expressions, by C's precedences.

use lariat_base::{Diagnostic, Span, safe_point};

use super::{Abort, Parse, Parser};
use crate::token::{Keyword, Punct, TokenKind};
use crate::tree::{BinaryOp, ChannelOp, Expr, ExprKind, Remote, RunExpr, Special, UnaryOp, VarRef};

/// Expressions within each other, however they come about: `a - b - c - …` too. Each becomes up to two terms within
/// each other, and of those a system admits 500.
const MAX_HEIGHT: u16 = 200;

/// Operands from which on a chain of one associative operator is balanced.
const LONG_CHAIN: usize = 32;

/// Operands of one operator, as many as were read.
struct Chain {
    op: BinaryOp,
    strength: u8,
    operands: Vec<Expr>,
}

impl Parser<'_> {
    pub(super) fn expr(&mut self) -> Parse<Expr> {
        safe_point();
        let left = self.unary()?;
        self.climb(left)
    }

    /// The expression that begins with `operand`, as far as operators go on. The chains that wait for their last
    /// operand lie on a stack, weakest first: recursion is left to parentheses alone.
    pub(super) fn climb(&mut self, mut operand: Expr) -> Parse<Expr> {
        let mut waiting: Vec<Chain> = Vec::new();
        loop {
            let next = self.binary_op();
            let goes_on =
                |chain: &Chain| next.is_some_and(|(op, strength)| strength > chain.strength || op == chain.op);
            while let Some(mut chain) = waiting.pop_if(|chain| !goes_on(chain)) {
                chain.operands.push(operand);
                operand = self.join_chain(chain)?;
            }
            let Some((op, strength)) = next else { return Ok(operand) };
            self.bump();
            match waiting.last_mut().filter(|chain| chain.op == op) {
                Some(chain) => chain.operands.push(operand),
                None => waiting.push(Chain { op, strength, operands: vec![operand] }),
            }
            operand = self.unary()?;
        }
    }

    fn join_chain(&mut self, chain: Chain) -> Parse<Expr> {
        let Chain { op, operands, .. } = chain;
        let balanced = operands.len() >= LONG_CHAIN && is_associative(op);
        if !balanced && operands.len() > usize::from(MAX_HEIGHT) {
            return Err(self.too_high(operands[0].span));
        }
        let joined = if balanced { self.balance(op, operands) } else { self.left_deep(op, operands) };
        if joined.height > MAX_HEIGHT { Err(self.too_high(joined.span)) } else { Ok(joined) }
    }

    fn too_high(&mut self, span: Span) -> Abort {
        self.error(span, "P0106", format!("this expression is more than {MAX_HEIGHT} operators deep"))
    }

    /// The operator that goes on with an expression, if there is one. A `-` on a new line does not.
    fn binary_op(&self) -> Option<(BinaryOp, u8)> {
        let TokenKind::Punct(punct) = self.token().kind else { return None };
        Some(match punct {
            Punct::OrOr => (BinaryOp::Or, 1),
            Punct::AndAnd => (BinaryOp::And, 2),
            Punct::Or => (BinaryOp::BitOr, 3),
            Punct::Caret => (BinaryOp::BitXor, 4),
            Punct::And => (BinaryOp::BitAnd, 5),
            Punct::Eq => (BinaryOp::Eq, 6),
            Punct::Ne => (BinaryOp::Ne, 6),
            Punct::Lt => (BinaryOp::Lt, 7),
            Punct::Le => (BinaryOp::Le, 7),
            Punct::Gt => (BinaryOp::Gt, 7),
            Punct::Ge => (BinaryOp::Ge, 7),
            Punct::Shl => (BinaryOp::Shl, 8),
            Punct::Shr => (BinaryOp::Shr, 8),
            Punct::Plus => (BinaryOp::Add, 9),
            Punct::Minus if self.punct_on_line().is_some() => (BinaryOp::Sub, 9),
            Punct::Star => (BinaryOp::Mul, 10),
            Punct::Slash => (BinaryOp::Div, 10),
            Punct::Percent => (BinaryOp::Rem, 10),
            _ => return None,
        })
    }

    pub(super) fn unary(&mut self) -> Parse<Expr> {
        let (op, twice) = match self.token().kind {
            TokenKind::Punct(Punct::Minus) => (UnaryOp::Neg, false),
            TokenKind::Punct(Punct::Bang) => (UnaryOp::Not, false),
            TokenKind::Punct(Punct::BangBang) => (UnaryOp::Not, true),
            TokenKind::Punct(Punct::Tilde) => (UnaryOp::Complement, false),
            _ => return self.primary(),
        };
        let span = self.span();
        self.bump();
        let operand = self.nested(Self::unary)?;
        let span = self.over(span, operand.span);
        let once = Expr::new(ExprKind::Unary(op, Box::new(operand)), span);
        Ok(if twice { Expr::new(ExprKind::Unary(op, Box::new(once)), span) } else { once })
    }

    /// A number, character, truth value or `skip`.
    pub(super) fn constant(&mut self) -> Option<Expr> {
        let kind = match self.token().kind {
            TokenKind::Number(number) => ExprKind::Number(number),
            TokenKind::Char(byte) => ExprKind::Char(byte),
            TokenKind::Keyword(Keyword::True) => ExprKind::Bool(true),
            TokenKind::Keyword(Keyword::False) => ExprKind::Bool(false),
            TokenKind::Keyword(Keyword::Skip) => ExprKind::Skip,
            _ => return None,
        };
        let span = self.span();
        self.bump();
        Some(Expr::new(kind, span))
    }

    fn primary(&mut self) -> Parse<Expr> {
        if let Some(constant) = self.constant() {
            return Ok(constant);
        }
        let span = self.span();
        let kind = match self.token().kind {
            TokenKind::Name(_) => return self.name_primary(),
            TokenKind::Punct(Punct::LParen) => return self.nested(Self::parenthesis),
            TokenKind::Keyword(keyword) => match keyword {
                Keyword::Timeout => self.special(Special::Timeout),
                Keyword::Np => self.special(Special::NonProgress),
                Keyword::Len => self.channel_op(ChannelOp::Len)?,
                Keyword::Empty => self.channel_op(ChannelOp::Empty)?,
                Keyword::Nempty => self.channel_op(ChannelOp::Nempty)?,
                Keyword::Full => self.channel_op(ChannelOp::Full)?,
                Keyword::Nfull => self.channel_op(ChannelOp::Nfull)?,
                Keyword::Enabled => ExprKind::Enabled(self.operand()?),
                Keyword::PcValue => ExprKind::PcValue(self.operand()?),
                Keyword::GetPriority => ExprKind::GetPriority(self.operand()?),
                Keyword::SetPriority => self.set_priority()?,
                Keyword::Run => ExprKind::Run(self.run()?),
                Keyword::CExpr => {
                    self.embedded_c();
                    ExprKind::Number(1)
                }
                _ => return Err(self.expected("an expression")),
            },
            _ => return Err(self.expected("an expression")),
        };
        Ok(Expr::new(kind, self.since(span)))
    }

    /// `(e)` or `(c -> a : b)`
    fn parenthesis(&mut self) -> Parse<Expr> {
        let span = self.span();
        let mut inner = self.bracketed(Punct::LParen, "", |parser| {
            let first = parser.expr()?;
            if !parser.take(Punct::Arrow) {
                return Ok(first);
            }
            let yes = parser.expr()?;
            parser.expect(Punct::Colon, "between the two values of a conditional expression")?;
            let no = parser.expr()?;
            let span = first.span;
            Ok(Expr::new(ExprKind::Conditional(Box::new([first, yes, no])), span))
        })?;
        inner.parenthesized = true;
        inner.span = self.since(span);
        Ok(inner)
    }

    /// An expression that begins with a name, without operators.
    pub(super) fn name_primary(&mut self) -> Parse<Expr> {
        if self.at_moves() {
            let span = self.span();
            let pid = self.operand()?;
            return Ok(Expr::new(ExprKind::Moves(pid), self.since(span)));
        }
        let place = self.var_ref()?;
        let span = place.span;
        let is_proctype = self.proctypes.contains(&place.name().name);
        let kind = if self.is(Punct::At) || (self.is(Punct::Colon) && is_proctype && place.parts.len() == 1) {
            self.remote(place)?
        } else if matches!(self.punct_on_line(), Some(Punct::Query | Punct::QueryQuery))
            && self.ahead(1).kind == TokenKind::Punct(Punct::LBracket)
        {
            self.poll(place)?
        } else {
            match place.as_name().map(|ident| &*ident.name) {
                Some("_pid") => ExprKind::Special(Special::Pid),
                Some("_nr_pr") => ExprKind::Special(Special::ProcessCount),
                Some("_last") => ExprKind::Special(Special::Last),
                Some("_priority") => ExprKind::Special(Special::Priority),
                _ => ExprKind::Ref(place),
            }
        };
        Ok(Expr::new(kind, self.since(span)))
    }

    /// Whether `moves(` is next: no keyword, since models may have things of that name.
    pub(super) fn at_moves(&self) -> bool {
        let next = self.ahead(1);
        matches!(&self.token().kind, TokenKind::Name(name) if &**name == "moves")
            && next.kind == TokenKind::Punct(Punct::LParen)
            && (self.brackets > 0 || !next.newline_before)
    }

    /// `P[e]@L` or `P[e]:x`, from the `@` or `:` on.
    fn remote(&mut self, process: VarRef) -> Parse<ExprKind> {
        let mut parts = process.parts;
        if parts.len() > 1 {
            return Err(self.error(process.span, "P0108", "only a process can stand before `@`"));
        }
        let part = parts.remove(0);
        let remote = Remote { proctype: part.name, pid: part.index };
        if self.take(Punct::At) {
            return Ok(ExprKind::RemoteLabel(remote, self.ident("a label")?));
        }
        self.bump();
        Ok(ExprKind::RemoteVar(remote, self.var_ref()?))
    }

    fn special(&mut self, special: Special) -> ExprKind {
        self.bump();
        ExprKind::Special(special)
    }

    /// What follows a keyword in parentheses.
    fn operand(&mut self) -> Parse<Box<Expr>> {
        let what = format!("after `{}`", self.token().kind);
        self.bump();
        self.nested(|parser| parser.bracketed(Punct::LParen, &what, Self::expr)).map(Box::new)
    }

    fn channel_op(&mut self, op: ChannelOp) -> Parse<ExprKind> {
        let what = format!("after `{}`", op.text());
        self.bump();
        let channel = self.nested(|parser| parser.bracketed(Punct::LParen, &what, Self::var_ref))?;
        Ok(ExprKind::Channel(op, channel))
    }

    fn set_priority(&mut self) -> Parse<ExprKind> {
        self.bump();
        let two = self.nested(|parser| {
            parser.bracketed(Punct::LParen, "after `set_priority`", |parser| {
                let process = parser.expr()?;
                parser.expect(Punct::Comma, "between the process and its priority")?;
                Ok([process, parser.expr()?])
            })
        })?;
        Ok(ExprKind::SetPriority(Box::new(two)))
    }

    fn run(&mut self) -> Parse<RunExpr> {
        self.bump();
        let proctype = self.ident("the name of a proctype")?;
        let args = self.nested(|parser| {
            parser.bracketed(Punct::LParen, "and the arguments of the process", |parser| {
                if parser.is(Punct::RParen) { Ok(Vec::new()) } else { parser.list(Self::expr) }
            })
        })?;
        let priority = self.priority()?.map(Box::new);
        Ok(RunExpr { proctype, args, priority })
    }

    /// Complains about embedded C, of which the preprocessor has left the keyword.
    pub(super) fn embedded_c(&mut self) {
        let span = self.span();
        self.bump();
        self.abort(Diagnostic::error(span, "P0107", "embedded C is not supported"));
    }
}

/// Whether the operands may be grouped in any way: evaluation goes from left to right in either grouping, and the
/// value is the same (sums and products wrap).
fn is_associative(op: BinaryOp) -> bool {
    use BinaryOp::{Add, And, BitAnd, BitOr, BitXor, Mul, Or};
    matches!(op, Or | And | BitOr | BitXor | BitAnd | Add | Mul)
}

impl Parser<'_> {
    fn left_deep(&self, op: BinaryOp, chain: Vec<Expr>) -> Expr {
        chain.into_iter().reduce(|left, right| self.join(op, left, right)).expect("a chain has operands")
    }

    fn balance(&self, op: BinaryOp, mut chain: Vec<Expr>) -> Expr {
        while chain.len() > 1 {
            let mut pairs = Vec::with_capacity(chain.len().div_ceil(2));
            let mut operands = chain.into_iter();
            while let Some(left) = operands.next() {
                pairs.push(match operands.next() {
                    Some(right) => self.join(op, left, right),
                    None => left,
                });
            }
            chain = pairs;
        }
        chain.pop().expect("a chain has operands")
    }

    fn join(&self, op: BinaryOp, left: Expr, right: Expr) -> Expr {
        let span = self.over(left.span, right.span);
        Expr::new(ExprKind::Binary(op, Box::new(left), Box::new(right)), span)
    }
}
