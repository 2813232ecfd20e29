//! Sequences and statements.

use lariat_base::{Diagnostic, Span, safe_point};

use super::messages::begins_unit;
use super::{Abort, Parse, Parser};
use crate::token::{Keyword, Punct, TokenKind};
use crate::tree::{Block, Exclusive, Expr, ExprKind, Ident, Stmt, StmtKind, VarRef};

impl Parser<'_> {
    /// `{ … }`
    pub(super) fn block(&mut self) -> Parse<Block> {
        let open = self.expect(Punct::LBrace, "before statements")?;
        let first = self.at;
        let stmts = self.sequence();
        if self.at == first && self.is(Punct::RBrace) {
            let diagnostic = Diagnostic::error(open, "P0100", "expected a statement between the braces");
            self.abort(diagnostic.help("`skip` does nothing"));
        }
        if self.take(Punct::RBrace) {
            return Ok(Block { stmts, span: self.since(open) });
        }
        if !self.report.is_full() {
            let mut diagnostic = self.diagnose("a statement or `}`").note(open, "to close this `{`");
            match self.keyword() {
                Some(Keyword::Fi) => diagnostic.help = Some("there is no `if` for this `fi` here".into()),
                Some(Keyword::Od) => diagnostic.help = Some("there is no `do` for this `od` here".into()),
                _ if self.is(Punct::ColonColon) => {
                    diagnostic.help = Some("`::` begins an option of `if` or `do`".into());
                }
                Some(keyword) if self.at_unit() => {
                    let keyword = keyword.text();
                    diagnostic.help =
                        Some(format!("a `}}` is missing before this, or `{keyword}` does not belong here"));
                }
                _ => {}
            }
            self.unclosed += usize::from(self.at_unit());
            self.abort(diagnostic);
        }
        let closes_outer = match self.keyword() {
            Some(Keyword::Fi) => self.open_ifs > 0,
            Some(Keyword::Od) => self.open_dos > 0,
            _ => !self.is(Punct::ColonColon) || self.open_ifs + self.open_dos > 0,
        };
        if !closes_outer {
            // A stray `fi`, `od` or `::`: go on behind it.
            self.bump();
            let mut block = Block { stmts, span: open };
            block.stmts.extend(self.sequence());
            while !self.is(Punct::RBrace) && !self.at_end() && !self.at_unit() {
                self.bump();
            }
            self.take(Punct::RBrace);
            return Ok(block);
        }
        Ok(Block { stmts, span: self.since(open) })
    }

    /// Statements up to what cannot be one, which is left in place. Mistakes are reported and skipped.
    pub(super) fn sequence(&mut self) -> Vec<Stmt> {
        let mut stmts = Vec::new();
        if self.at_separator() {
            self.expected("a statement");
        }
        loop {
            while self.at_separator() {
                self.bump();
            }
            if self.at_sequence_end() {
                return stmts;
            }
            let start = self.at;
            match self.statement() {
                Ok(stmt) => {
                    let open_ended = matches!(stmt.kind, StmtKind::Else);
                    let is_receive = matches!(stmt.kind, StmtKind::Receive(_));
                    stmts.push(stmt);
                    if !open_ended && !self.at_statement_end() {
                        self.no_separator(is_receive);
                    }
                }
                Err(Abort) => {
                    if self.at == start {
                        self.bump();
                    }
                    self.skip_statement(start);
                }
            }
        }
    }

    fn at_separator(&self) -> bool {
        self.is(Punct::Semi) || self.is(Punct::Arrow)
    }

    fn at_sequence_end(&self) -> bool {
        let closes = matches!(
            self.token().kind,
            TokenKind::Punct(Punct::RBrace | Punct::ColonColon) | TokenKind::Keyword(Keyword::Fi | Keyword::Od)
        );
        closes || self.at_end() || self.at_unit()
    }

    fn at_unit(&self) -> bool {
        self.keyword().is_some_and(begins_unit)
    }

    /// Whether a statement may end before this token.
    fn at_statement_end(&self) -> bool {
        let after_brace = self.at > 0
            && matches!(
                self.tokens[self.at - 1].kind,
                TokenKind::Punct(Punct::RBrace) | TokenKind::Keyword(Keyword::CCode | Keyword::CExpr | Keyword::CDecl)
            );
        let after_call = self.at > 0
            && self.tokens[self.at - 1].kind == TokenKind::Punct(Punct::RParen)
            && matches!(self.token().kind, TokenKind::Name(_) | TokenKind::Keyword(_))
            && self.last_was_call;
        after_brace || after_call || self.at_separator() || self.token().newline_before || self.at_sequence_end()
    }

    /// Complains that two statements are not separated, and goes to where the next may begin.
    fn no_separator(&mut self, after_receive: bool) {
        let before = match &self.tokens[self.at - 1].kind {
            TokenKind::Name(name) => Some(name.clone()),
            _ => None,
        };
        if let (Some(name), true) = (before, self.is(Punct::LParen)) {
            let span = self.last_span();
            self.unknown_call(&Ident { name, span, spelled: span });
            self.skip_statement(self.at);
            return;
        }
        let mut diagnostic = self.diagnose("`;` or `->` after a statement");
        let begins = matches!(self.token().kind, TokenKind::Name(_) | TokenKind::Keyword(_));
        if begins && diagnostic.help.is_none() {
            diagnostic.help = Some("statements on one line are separated by `;`".into());
        } else if after_receive && matches!(self.token().kind, TokenKind::Punct(Punct::AndAnd | Punct::OrOr)) {
            let help = "a receive is a statement of its own, not a value; `q?[x]` asks whether it is possible";
            diagnostic.help = Some(help.into());
        }
        self.abort(diagnostic);
        if !begins {
            self.skip_statement(self.at);
        }
    }

    fn unknown_call(&mut self, name: &Ident) -> Abort {
        let message = format!("there is no inline `{name}` before this line");
        let mut diagnostic = Diagnostic::error(name.span, "P0104", message);
        diagnostic.help = match self.proctypes.contains(&name.name) {
            true => Some(format!("`{name}` is a proctype: `run {name}(…)` starts a process of it")),
            false => self.misspelled(&name.name),
        };
        self.abort(diagnostic)
    }

    /// A statement with its labels and escape.
    fn statement(&mut self) -> Parse<Stmt> {
        safe_point();
        self.nested_by(2, |parser| {
            let main = parser.plain_statement()?;
            if !parser.take_keyword(Keyword::Unless) {
                return Ok(main);
            }
            let escape = parser.plain_statement()?;
            if parser.is_keyword(Keyword::Unless) {
                let help = "put the first part into braces: `{ main unless { a } } unless { b }`";
                let diagnostic = parser.diagnose("one `unless` for a statement").help(help);
                return Err(parser.abort(diagnostic));
            }
            let span = parser.over(main.span, escape.span);
            let kind = StmtKind::Unless(Box::new(main), Box::new(escape));
            Ok(Stmt { labels: Vec::new(), kind, span })
        })
    }

    fn plain_statement(&mut self) -> Parse<Stmt> {
        let mut labels = Vec::new();
        while let Some(label) = self.peek_ident(0)
            && self.ahead(1).kind == TokenKind::Punct(Punct::Colon)
            && !self.proctypes.contains(&label.name)
        {
            labels.push(label);
            self.bump();
            self.bump();
        }
        let (span, first) = (self.span(), self.at);
        self.last_was_call = false;
        if !labels.is_empty() && (self.at_sequence_end() || self.at_separator()) {
            let nowhere = Span { end: span.start, ..span };
            let kind = StmtKind::Expr(Expr::new(ExprKind::Skip, nowhere));
            return Ok(Stmt { labels, kind, span: nowhere });
        }
        let kind = self.stmt_kind()?;
        if let (Some(label), StmtKind::Decl(_)) = (labels.first(), &kind) {
            let message = "a label cannot stand before a declaration";
            let diagnostic = Diagnostic::error(label.span, "P0109", message);
            return Err(self.abort(diagnostic.help("put it before the first statement after the declaration")));
        }
        let span = self.statement_place(first, span);
        self.last_was_call = matches!(kind, StmtKind::Call(_));
        Ok(Stmt { labels, kind, span })
    }

    fn stmt_kind(&mut self) -> Parse<StmtKind> {
        if self.at_declaration() {
            return self.declaration().map(StmtKind::Decl);
        }
        let Some(keyword) = self.keyword() else {
            return match self.token().kind {
                TokenKind::Name(_) => self.name_statement(),
                TokenKind::Punct(Punct::LBrace) => self.block().map(StmtKind::Block),
                TokenKind::Punct(Punct::LParen | Punct::Minus | Punct::Bang | Punct::BangBang | Punct::Tilde)
                | TokenKind::Number(_)
                | TokenKind::Char(_) => self.expr().map(StmtKind::Expr),
                _ => Err(self.expected("a statement")),
            };
        };
        match keyword {
            Keyword::Else => {
                self.bump();
                Ok(StmtKind::Else)
            }
            Keyword::Break => {
                self.bump();
                Ok(StmtKind::Break)
            }
            Keyword::Goto => {
                self.bump();
                self.ident("a label").map(StmtKind::Goto)
            }
            Keyword::Assert => {
                self.bump();
                self.expr().map(StmtKind::Assert)
            }
            Keyword::Printf => self.printf(),
            Keyword::Printm => {
                self.bump();
                let value = self.bracketed(Punct::LParen, "after `printm`", Self::expr)?;
                Ok(StmtKind::Printm(value))
            }
            Keyword::Xr | Keyword::Xs => {
                self.bump();
                let kind = if keyword == Keyword::Xr { Exclusive::Receive } else { Exclusive::Send };
                Ok(StmtKind::Exclusive(kind, self.list(Self::var_ref)?))
            }
            Keyword::Atomic => {
                self.bump();
                self.block().map(StmtKind::Atomic)
            }
            Keyword::DStep => {
                self.bump();
                self.block().map(StmtKind::DStep)
            }
            Keyword::If | Keyword::Do => self.options(keyword),
            Keyword::For => self.for_loop(),
            Keyword::CCode | Keyword::CDecl | Keyword::CState | Keyword::CTrack => {
                let span = self.span();
                self.embedded_c();
                Ok(StmtKind::Expr(Expr::new(ExprKind::Skip, span)))
            }
            Keyword::Unless => {
                let help = "write `main unless { escape }`, with no `;` before `unless`";
                let diagnostic = self.diagnose("a statement before `unless`").help(help);
                Err(self.abort(diagnostic))
            }
            _ => self.expr().map(StmtKind::Expr),
        }
    }

    /// A statement that begins with a name.
    fn name_statement(&mut self) -> Parse<StmtKind> {
        if self.at_inline_call() {
            return self.inline_call().map(StmtKind::Call);
        }
        let next = self.ahead(1);
        let on_line = self.brackets > 0 || !next.newline_before;
        if let Some(name) = self.peek_ident(0) {
            match next.kind {
                TokenKind::Punct(Punct::LParen) if &*name.name == "select" => return self.select(),
                TokenKind::Punct(Punct::LParen | Punct::LBrace) if on_line && !self.at_moves() => {
                    self.bump();
                    return Err(self.unknown_call(&name));
                }
                TokenKind::Name(_) if on_line => {
                    self.bump();
                    return Err(self.unknown_type(&name));
                }
                _ => {}
            }
        }
        let assigns = matches!(next.kind, TokenKind::Punct(Punct::Assign | Punct::PlusPlus | Punct::MinusMinus));
        // `_priority = 2` assigns to what is otherwise a value of the system.
        let first = if assigns {
            let place = self.var_ref()?;
            let span = place.span;
            Expr::new(ExprKind::Ref(place), span)
        } else {
            self.name_primary()?
        };
        let ExprKind::Ref(place) = first.kind else { return self.climb(first).map(StmtKind::Expr) };
        match self.token().kind {
            TokenKind::Punct(Punct::Assign) => {
                self.bump();
                Ok(StmtKind::Assign(place, self.expr()?))
            }
            TokenKind::Punct(Punct::PlusPlus) => {
                self.bump();
                Ok(StmtKind::Increment(place))
            }
            TokenKind::Punct(Punct::MinusMinus) => {
                self.bump();
                Ok(StmtKind::Decrement(place))
            }
            _ => match self.punct_on_line() {
                Some(Punct::Bang | Punct::BangBang) => self.send(place).map(StmtKind::Send),
                Some(Punct::Query | Punct::QueryQuery) => self.receive(place).map(StmtKind::Receive),
                _ => {
                    let first = Expr::new(ExprKind::Ref(place), first.span);
                    self.climb(first).map(StmtKind::Expr)
                }
            },
        }
    }

    fn printf(&mut self) -> Parse<StmtKind> {
        self.bump();
        self.bracketed(Punct::LParen, "after `printf`", |parser| {
            let TokenKind::Str(format) = parser.token().kind.clone() else {
                return Err(parser.expected("a format in quotes"));
            };
            parser.bump();
            let args = if parser.take(Punct::Comma) { parser.list(Self::expr)? } else { Vec::new() };
            Ok(StmtKind::Printf(format, args))
        })
    }

    /// `if :: … fi` or `do :: … od`
    fn options(&mut self, keyword: Keyword) -> Parse<StmtKind> {
        let is_if = keyword == Keyword::If;
        let opened = self.span();
        self.bump();
        let (close, other) = if is_if { (Keyword::Fi, Keyword::Od) } else { (Keyword::Od, Keyword::Fi) };
        if !self.is(Punct::ColonColon) {
            let help = match self.token().kind {
                TokenKind::Punct(Punct::LParen) if is_if => {
                    "Promela has `if :: condition -> ... :: else -> ... fi`".to_string()
                }
                TokenKind::Punct(Punct::LBrace) if !is_if => {
                    "a loop is written `do :: condition -> ... :: else -> break od`".to_string()
                }
                _ => format!("each option of `{}` begins with `::`", keyword.text()),
            };
            let diagnostic = self.diagnose(&format!("`::` after `{}`", keyword.text())).help(help);
            return Err(self.abort(diagnostic));
        }
        *if is_if { &mut self.open_ifs } else { &mut self.open_dos } += 1;
        let mut options = Vec::new();
        while self.is(Punct::ColonColon) {
            let start = self.span();
            self.bump();
            let first = self.at;
            let stmts = self.sequence();
            if self.at == first && !self.at_end() && (self.is(Punct::ColonColon) || self.is_keyword(close)) {
                let diagnostic = Diagnostic::error(start, "P0100", "this option has no statement");
                self.abort(diagnostic.help("`:: skip` does nothing, `:: else` catches the rest"));
            }
            options.push(Block { stmts, span: self.since(start) });
        }
        *if is_if { &mut self.open_ifs } else { &mut self.open_dos } -= 1;
        if !self.take_keyword(close) && !self.report.is_full() {
            let what = format!("`::` or `{}`", close.text());
            let diagnostic = self.diagnose(&what).note(opened, format!("to close this `{}`", keyword.text()));
            let article = if is_if { "a" } else { "an" };
            let help = format!("{article} `{}` is missing before this", close.text());
            self.abort(diagnostic.help(help));
            // `if … od`: unless a `do` around waits for its `od`, it was meant to close this.
            let waiting = if is_if { self.open_dos } else { self.open_ifs };
            if self.is_keyword(other) && waiting == 0 {
                self.bump();
            }
        }
        Ok(if is_if { StmtKind::If(options) } else { StmtKind::Do(options) })
    }

    fn for_loop(&mut self) -> Parse<StmtKind> {
        enum Over {
            Range(Expr, Expr),
            Elements(VarRef),
        }
        self.bump();
        let head = self.bracketed(Punct::LParen, "after `for`", |parser| {
            let variable = parser.var_ref()?;
            if parser.peek_ident(0).is_some_and(|word| &*word.name == "in") {
                parser.bump();
                return Ok((variable, Over::Elements(parser.var_ref()?)));
            }
            if !parser.is(Punct::Colon) {
                let help = "a loop over numbers is written `for (i : 0 .. 9) { ... }`";
                let diagnostic = parser.diagnose("`:` or `in` after the variable of a loop").help(help);
                return Err(parser.abort(diagnostic));
            }
            let (from, to) = parser.range("")?;
            Ok((variable, Over::Range(from, to)))
        });
        let Ok((variable, over)) = head else {
            // The body is read for its own mistakes.
            self.skip_parentheses();
            return if self.is(Punct::LBrace) { self.block().map(StmtKind::Block) } else { Err(Abort) };
        };
        let body = self.block()?;
        Ok(match over {
            Over::Range(from, to) => StmtKind::ForRange(variable, from, to, body),
            Over::Elements(elements) => StmtKind::ForIn(variable, elements, body),
        })
    }

    /// Goes behind the `)` of the parenthesis we are in, if that is still on the same line.
    fn skip_parentheses(&mut self) {
        let mut depth = 0_usize;
        while !self.at_end() && !self.token().newline_before && !self.is(Punct::LBrace) {
            match self.token().kind {
                TokenKind::Punct(Punct::LParen) => depth += 1,
                TokenKind::Punct(Punct::RParen) if depth == 0 => return self.bump(),
                TokenKind::Punct(Punct::RParen) => depth -= 1,
                _ => {}
            }
            self.bump();
        }
    }

    fn select(&mut self) -> Parse<StmtKind> {
        self.bump();
        self.bracketed(Punct::LParen, "after `select`", |parser| {
            let variable = parser.var_ref()?;
            let (from, to) = parser.range("after the variable of `select`")?;
            Ok(StmtKind::Select(variable, from, to))
        })
    }

    /// `: a .. b`
    fn range(&mut self, what: &str) -> Parse<(Expr, Expr)> {
        self.expect(Punct::Colon, what)?;
        let from = self.expr()?;
        self.expect(Punct::DotDot, "between the bounds of a range")?;
        Ok((from, self.expr()?))
    }
}
