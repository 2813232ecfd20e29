//! Expressions and formulas, by binding strength: strongest first
//!
//! 1 `.` `[ ]` · 2 `!` and unary `-` and `+` · 3 `::` · 4 `* / mod` · 5 `+ -` · 6 `<< >>` · then sets `{…}` and `lo..hi` · 7 `union` ·
//! 8 `in` · 9 comparisons · 10 temporal operators before an operand · 11 `U V S T` · 12 `&` · 13 `| xor xnor` · 14 `? :` ·
//! 15 `<->` · 16 `->`, to the right. All others lean to the left.

use super::sections::begins_section;
use super::{MAX_DEPTH, Parser, Read, Stopped};
use crate::token::Token;
use crate::tree::{BinaryOp, Expr, ExprKind, FUNCTIONS, Ident, Joiner, Modality, UnaryOp};
use lariat_base::{Diagnostic, safe_point};

/// The most cases of a chain `a ? b : c ? d : e`, and the most sides of `a -> b -> c`.
const MOST_CASES: usize = 500;
const MOST_SIDES: usize = 5000;

/// Operators of one rank, as they are written.
type Rank = &'static [(&'static str, BinaryOp)];

// Ranks with nothing else between them, the strongest first.
const ARITHMETIC: &[Rank] = &[
    &[("::", BinaryOp::Concat)],
    &[("*", BinaryOp::Mul), ("/", BinaryOp::Div), ("mod", BinaryOp::Mod)],
    &[("+", BinaryOp::Add), ("-", BinaryOp::Sub)],
    &[("<<", BinaryOp::ShiftLeft), (">>", BinaryOp::ShiftRight)],
];
const COMPARISONS: &[Rank] = &[
    &[("union", BinaryOp::Union)],
    &[("in", BinaryOp::In)],
    &[
        ("=", BinaryOp::Eq),
        ("!=", BinaryOp::Ne),
        ("<", BinaryOp::Lt),
        (">", BinaryOp::Gt),
        ("<=", BinaryOp::Le),
        (">=", BinaryOp::Ge),
    ],
];
const CONNECTIVES: &[Rank] =
    &[&[("&", BinaryOp::And)], &[("|", BinaryOp::Or), ("xor", BinaryOp::Xor), ("xnor", BinaryOp::Xnor)]];
const EQUIVALENCE: &[Rank] = &[&[("<->", BinaryOp::Iff)]];

/// Operands joined by one operator, the last of which is still to be read.
struct OpenOperator {
    /// The number of the operator's rank.
    rank: usize,
    operator: BinaryOp,
    operands: Vec<Expr>,
    /// How many runs of this rank follow each other, this one included.
    length: usize,
}

impl Parser<'_> {
    /// Any expression or formula.
    pub(super) fn expression(&mut self) -> Read<Expr> {
        safe_point();
        self.deeper(|parser| {
            let mut sides = vec![parser.equivalence()?];
            while parser.takes("->") {
                parser.limit_links(sides.len(), MOST_SIDES)?;
                sides.push(parser.equivalence()?);
            }
            Ok(implication(sides))
        })
    }

    fn equivalence(&mut self) -> Read<Expr> {
        self.joined(EQUIVALENCE, Self::choice)
    }

    fn choice(&mut self) -> Read<Expr> {
        let mut branches = Vec::new();
        let mut last = self.joined(CONNECTIVES, Self::until)?;
        while self.takes("?") {
            self.limit_links(branches.len(), MOST_CASES)?;
            let yes = self.expression()?;
            self.expect(":")?;
            branches.push((last, yes));
            last = self.joined(CONNECTIVES, Self::until)?;
        }
        let Some((first, _)) = branches.first() else { return Ok(last) };
        let span = first.span.to(last.span);
        if let [_] = &branches[..] {
            let (condition, yes) = branches.pop().expect("there is one");
            return Ok(Expr { kind: ExprKind::Ite(Box::new([condition, yes, last])), span });
        }
        // A chain is a list of cases, and no deep tree.
        let always = Expr { kind: ExprKind::Bool(true), span: last.span };
        branches.push((always, last));
        Ok(Expr { kind: ExprKind::Case(branches), span })
    }

    fn until(&mut self) -> Read<Expr> {
        let mut left = self.temporal()?;
        let mut length = 0;
        loop {
            let joiner = match self.token() {
                Token::Word("U") if self.ends_at_until => return Ok(left),
                Token::Word("U") => Joiner::Until,
                Token::Word("V") => Joiner::Release,
                Token::Word("S") => Joiner::Since,
                Token::Word("T") => Joiner::Trigger,
                _ => return Ok(left),
            };
            length += 1;
            self.limit_chain(length)?;
            self.advance();
            if self.is("[") {
                let help = "`F`, `G`, `O` and `H` have bounds: `F [0, 3] p`; in CTL `E [p BU 0..3 q]`";
                return self.no_bounds("there are no bounds behind `U`, `V`, `S` and `T`", help);
            }
            let right = self.temporal()?;
            let span = left.span.to(right.span);
            left = Expr { kind: ExprKind::Until(joiner, None, Box::new(left), Box::new(right)), span };
        }
    }

    /// An operand with the temporal operators before it.
    fn temporal(&mut self) -> Read<Expr> {
        let begin = self.span();
        // `!` before a temporal operator speaks of all of it, before anything else of what comes right behind.
        let signs = (0..).take_while(|&more| *self.token_after(more) == Token::Sign("!")).count();
        if signs > 0 && is_temporal_word(self.token_after(signs)) {
            self.advance();
            let part = self.deeper(Self::temporal)?;
            return Ok(unary(UnaryOp::Not, part, begin));
        }
        let Token::Word(word) = *self.token() else { return self.comparison() };
        if let Some((quantifier, modality, bounded)) = branching(word) {
            self.advance();
            if !bounded && self.is("[") && *self.token_after(2) == Token::Sign(",") {
                let (first, last) = (&word[..1], &word[1..]);
                let help = format!("with bounds it is `{first}B{last} 0..3 p`");
                return self.no_bounds(&format!("`{word}` has no bounds in brackets"), &help);
            }
            let bounds = if bounded { Some(self.range()?) } else { None };
            let part = self.deeper(Self::temporal)?;
            let span = begin.to(part.span);
            let path = Expr { kind: ExprKind::Temporal(modality, bounds, Box::new(part)), span };
            return Ok(Expr { kind: ExprKind::Quantified(quantifier, Box::new(path)), span });
        }
        if word == "A" || word == "E" {
            self.advance();
            let part = if self.is("[") { self.in_brackets()? } else { self.deeper(Self::temporal)? };
            let span = begin.to(self.last_span());
            return Ok(Expr { kind: ExprKind::Quantified(word == "A", Box::new(part)), span });
        }
        let Some(modality) = modality(word) else { return self.comparison() };
        self.advance();
        let is_range = |at: usize| matches!(self.token_after(at), Token::Number(_));
        if is_range(0)
            && *self.token_after(1) == Token::Sign("..")
            && is_range(2)
            && !matches!(self.token_after(3), Token::Word("in" | "union"))
        {
            let message = format!("bounds of `{word}` stand in brackets");
            return self.no_bounds(&message, &format!("write `{word} [0, 3] p`"));
        }
        let bounds = if self.is("[") { Some(self.bounds(modality)?) } else { None };
        let part = self.deeper(Self::temporal)?;
        let span = begin.to(part.span);
        Ok(Expr { kind: ExprKind::Temporal(modality, bounds, Box::new(part)), span })
    }

    /// `[p U q]`, `[p BU a..b q]`, and for CTL* any formula in brackets. In CTL the brackets belong to `U`, whose sides are whatever
    /// stands before and behind it: `A [p | q U r]` is `A [(p | q) U r]`. In CTL* it is `A (p | (q U r))`.
    fn in_brackets(&mut self) -> Read<Expr> {
        let opened = self.span();
        self.advance();
        let left = self.side(self.is_ctl)?;
        let bounds = if self.takes("BU") { Some(self.range()?) } else { None };
        let formula = if bounds.is_some() || self.is_ctl && self.takes("U") {
            let right = self.side(false)?;
            let span = left.span.to(right.span);
            Expr { kind: ExprKind::Until(Joiner::Until, bounds, Box::new(left), Box::new(right)), span }
        } else {
            left
        };
        self.close("]", opened)?;
        Ok(formula)
    }

    /// An expression of its own, which a `U` ends or not.
    fn side(&mut self, ends_at_until: bool) -> Read<Expr> {
        let outside = std::mem::replace(&mut self.ends_at_until, ends_at_until);
        let side = self.expression();
        self.ends_at_until = outside;
        side
    }

    fn comparison(&mut self) -> Read<Expr> {
        self.joined(COMPARISONS, Self::set)
    }

    fn set(&mut self) -> Read<Expr> {
        let begin = self.span();
        if self.takes("{") {
            let mut elements = Vec::new();
            loop {
                elements.push(self.expression()?);
                if !self.takes(",") {
                    break;
                }
            }
            self.close("}", begin)?;
            return Ok(Expr { kind: ExprKind::Set(elements), span: begin.to(self.last_span()) });
        }
        let low = self.arithmetic()?;
        if !self.takes("..") {
            return Ok(low);
        }
        let high = self.arithmetic()?;
        let span = low.span.to(high.span);
        Ok(Expr { kind: ExprKind::Range(Box::new(low), Box::new(high)), span })
    }

    pub(super) fn arithmetic(&mut self) -> Read<Expr> {
        self.joined(ARITHMETIC, Self::prefixed)
    }

    pub(super) fn prefixed(&mut self) -> Read<Expr> {
        let begin = self.span();
        if self.takes("!") {
            let part = self.deeper(Self::prefixed)?;
            return Ok(unary(UnaryOp::Not, part, begin));
        }
        if self.takes("+") {
            return self.deeper(Self::prefixed);
        }
        if self.takes("-") {
            // The least number has no positive twin.
            if let Token::Number(value) = *self.token() {
                self.advance();
                return Ok(Expr { kind: ExprKind::Number(-value), span: begin.to(self.last_span()) });
            }
            let part = self.deeper(Self::prefixed)?;
            return Ok(unary(UnaryOp::Minus, part, begin));
        }
        let primary = self.primary()?;
        self.suffixes(primary)
    }

    fn primary(&mut self) -> Read<Expr> {
        let span = self.span();
        let kind = match self.token().clone() {
            Token::Number(value) => ExprKind::Number(value),
            Token::WordConstant(constant) => ExprKind::Word(constant),
            Token::Name(name) => ExprKind::Name(name),
            Token::Word("TRUE") => ExprKind::Bool(true),
            Token::Word("FALSE") => ExprKind::Bool(false),
            Token::Word("self") => ExprKind::SelfInstance,
            Token::Word("case") => return self.case(),
            Token::Sign("(") => {
                self.advance();
                let inner = self.side(false)?;
                self.close(")", span)?;
                return Ok(Expr { span: span.to(self.last_span()), ..inner });
            }
            Token::Sign("[") => {
                self.advance();
                let mut items = Vec::new();
                loop {
                    items.push(self.expression()?);
                    if !self.takes(",") {
                        break;
                    }
                }
                self.close("]", span)?;
                return Ok(Expr { kind: ExprKind::Array(items), span: span.to(self.last_span()) });
            }
            Token::Word("next") => {
                self.advance();
                let opened = self.span();
                self.expect("(")?;
                let inner = self.expression()?;
                self.close(")", opened)?;
                return Ok(Expr { kind: ExprKind::Next(Box::new(inner)), span: span.to(self.last_span()) });
            }
            Token::Word(word) => return self.call_of(word),
            Token::Sign("{") => {
                let message = "a set is not a value to compute with";
                let diagnostic = Diagnostic::error(span, "V0106", message);
                self.report.push(diagnostic.help("sets stand behind `:=`, in `union` and on the sides of `in`"));
                return Err(Stopped);
            }
            _ => return self.unexpected("an expression"),
        };
        self.advance();
        Ok(Expr { kind, span })
    }

    fn call_of(&mut self, word: &'static str) -> Read<Expr> {
        let span = self.span();
        if is_temporal_word(self.token()) {
            let message = format!("the temporal operator `{word}` cannot stand here");
            let diagnostic = Diagnostic::error(span, "V0108", message);
            self.report.push(diagnostic.help("only `! & | xor xnor -> <->` join temporal formulas; use parentheses"));
            return Err(Stopped);
        }
        if matches!(word, "READ" | "WRITE" | "CONSTARRAY" | "typeof") {
            let message = format!("`{word}` is not supported");
            let diagnostic = Diagnostic::error(span, "V0110", message);
            self.report.push(match word {
                "typeof" => diagnostic,
                _ => diagnostic.help("use an `array lo..hi of …`"),
            });
            return Err(Stopped);
        }
        let Some(&(_, function, least, most)) = FUNCTIONS.iter().find(|(name, ..)| *name == word) else {
            return self.unexpected("an expression");
        };
        self.advance();
        let opened = self.span();
        self.expect("(")?;
        let mut arguments = vec![self.expression()?];
        while self.takes(",") {
            arguments.push(self.expression()?);
        }
        self.close(")", opened)?;
        let span = span.to(self.last_span());
        if arguments.len() < least || arguments.len() > most {
            let (given, are) = (arguments.len(), if arguments.len() == 1 { "is" } else { "are" });
            let arguments = if least == 1 { "argument" } else { "arguments" };
            let message = format!("`{word}` takes {least} {arguments}, and here {are} {given}");
            self.report.push(Diagnostic::error(span, "V0109", message));
            return Err(Stopped);
        }
        Ok(Expr { kind: ExprKind::Call(function, arguments), span })
    }

    fn case(&mut self) -> Read<Expr> {
        let begin = self.span();
        self.advance();
        self.open_cases += 1;
        let mut branches = Vec::new();
        while !self.is("esac") {
            if matches!(self.token(), Token::End) || matches!(self.token(), Token::Word(word) if begins_section(word)) {
                return self.close("esac", begin).and_then(|()| self.unexpected("a branch"));
            }
            let condition = self.expression()?;
            self.expect(":")?;
            let value = self.expression()?;
            branches.push((condition, value));
            self.expect(";")?;
        }
        if branches.is_empty() {
            return self.unexpected("a branch, `condition : value;`");
        }
        self.advance();
        self.open_cases -= 1;
        Ok(Expr { kind: ExprKind::Case(branches), span: begin.to(self.last_span()) })
    }

    /// What stands behind an operand: `.name`, `[index]`, `[high : low]`.
    pub(super) fn suffixes(&mut self, mut base: Expr) -> Read<Expr> {
        let mut length = 0;
        loop {
            length += 1;
            self.limit_chain(length)?;
            if self.takes(".") {
                // `a.self` is a.
                if self.takes("self") {
                    continue;
                }
                let name = self.part_name()?;
                let span = base.span.to(name.span);
                base = Expr { kind: ExprKind::Dot(Box::new(base), name), span };
            } else if self.is("[") {
                let opened = self.span();
                self.advance();
                let index = self.expression()?;
                let low = if self.takes(":") { Some(self.expression()?) } else { None };
                self.close("]", opened)?;
                let span = base.span.to(self.last_span());
                let kind = match low {
                    None => ExprKind::Index(Box::new(base), Box::new(index)),
                    Some(low) => ExprKind::Bits(Box::new(base), Box::new(index), Box::new(low)),
                };
                base = Expr { kind, span };
            } else {
                return Ok(base);
            }
        }
    }

    /// What stands behind a dot; a number is a name there.
    pub(super) fn part_name(&mut self) -> Read<Ident> {
        if let Token::Number(number) = *self.token() {
            let span = self.span();
            self.advance();
            return Ok(Ident { name: number.to_string().into(), span });
        }
        self.name("the name of a part")
    }

    /// Operands joined by operators of these ranks, which lean to the left. Long runs of one operator that can be grouped
    /// as one likes become no deep tree. Runs that wait for their last operand lie on a stack, the weakest first: a
    /// function for each rank would make the stack of nested expressions twice as deep.
    fn joined(&mut self, ranks: &[Rank], operand: fn(&mut Self) -> Read<Expr>) -> Read<Expr> {
        let mut waiting: Vec<OpenOperator> = Vec::new();
        loop {
            let mut last = operand(self)?;
            let next = self.infix(ranks);
            let mut length = 1;
            while let Some(mut run) = waiting.pop_if(|run| run.is_complete_before(next)) {
                if next.is_some_and(|(rank, _)| rank == run.rank) {
                    length = run.length + 1;
                }
                run.operands.push(last);
                last = balanced(run.operator, run.operands);
            }
            let Some((rank, operator)) = next else { return Ok(last) };
            match waiting.last_mut().filter(|run| run.rank == rank) {
                Some(run) => run.operands.push(last),
                None => {
                    self.limit_chain(length)?;
                    waiting.push(OpenOperator { rank, operator, operands: vec![last], length });
                }
            }
            self.advance();
        }
    }

    /// The operator at the present token, if it is one of these, and the number of its rank.
    fn infix(&self, ranks: &[Rank]) -> Option<(usize, BinaryOp)> {
        let (Token::Word(text) | Token::Sign(text)) = self.token() else { return None };
        ranks.iter().enumerate().find_map(|(rank, operators)| {
            let found = operators.iter().find(|(sign, _)| sign == text);
            found.map(|(_, operator)| (rank, *operator))
        })
    }

    fn limit_chain(&mut self, length: usize) -> Read<()> {
        self.limit_links(length, MAX_DEPTH)
    }

    fn limit_links(&mut self, length: usize, most: usize) -> Read<()> {
        if length <= most {
            return Ok(());
        }
        let message = format!("more than {most} operators follow each other here");
        self.report.push(Diagnostic::error(self.span(), "V0107", message).help("a `DEFINE` can name a part of it"));
        Err(Stopped)
    }
}

impl OpenOperator {
    /// Whether the run ends with the operand before this operator.
    fn is_complete_before(&self, next: Option<(usize, BinaryOp)>) -> bool {
        next.is_none_or(|(rank, operator)| {
            let goes_on = operator == self.operator && is_associative(operator);
            self.rank < rank || self.rank == rank && !goes_on
        })
    }
}

fn is_associative(operator: BinaryOp) -> bool {
    use BinaryOp::{Add, And, Concat, Mul, Or, Union, Xor};
    matches!(operator, And | Or | Xor | Add | Mul | Union | Concat)
}

/// `a -> b -> c`, to the right. A long chain becomes no deep tree: it says that the last side follows from all others together.
fn implication(mut sides: Vec<Expr>) -> Expr {
    let mut last = sides.pop().expect("there is a side");
    if sides.len() > MAX_DEPTH / 2 {
        return binary(BinaryOp::Implies, balanced(BinaryOp::And, sides), last);
    }
    while let Some(side) = sides.pop() {
        last = binary(BinaryOp::Implies, side, last);
    }
    last
}

fn balanced(operator: BinaryOp, mut run: Vec<Expr>) -> Expr {
    if run.len() == 1 {
        return run.pop().expect("there is one");
    }
    let right = run.split_off(run.len().div_ceil(2));
    binary(operator, balanced(operator, run), balanced(operator, right))
}

fn binary(operator: BinaryOp, left: Expr, right: Expr) -> Expr {
    let span = left.span.to(right.span);
    Expr { kind: ExprKind::Binary(operator, Box::new(left), Box::new(right)), span }
}

fn unary(operator: UnaryOp, part: Expr, begin: lariat_base::Span) -> Expr {
    let span = begin.to(part.span);
    Expr { kind: ExprKind::Unary(operator, Box::new(part)), span }
}

/// `AG` and the like: whether for all runs, the operator, and whether bounds follow.
fn branching(word: &str) -> Option<(bool, Modality, bool)> {
    Some(match word {
        "AX" => (true, Modality::Next, false),
        "AF" => (true, Modality::Finally, false),
        "AG" => (true, Modality::Globally, false),
        "EX" => (false, Modality::Next, false),
        "EF" => (false, Modality::Finally, false),
        "EG" => (false, Modality::Globally, false),
        "ABF" => (true, Modality::Finally, true),
        "ABG" => (true, Modality::Globally, true),
        "EBF" => (false, Modality::Finally, true),
        "EBG" => (false, Modality::Globally, true),
        _ => return None,
    })
}

fn modality(word: &str) -> Option<Modality> {
    Some(match word {
        "X" => Modality::Next,
        "F" => Modality::Finally,
        "G" => Modality::Globally,
        "Y" => Modality::Yesterday,
        "Z" => Modality::WeakYesterday,
        "O" => Modality::Once,
        "H" => Modality::Historically,
        _ => return None,
    })
}

fn is_temporal_word(token: &Token) -> bool {
    match token {
        Token::Word(word) => matches!(*word, "A" | "E") || branching(word).is_some() || modality(word).is_some(),
        _ => false,
    }
}
