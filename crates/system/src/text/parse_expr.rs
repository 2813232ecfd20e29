//! Expressions and places.
//!
//! Operators are joined by their precedence with a list of those that wait, not by recursion, so that only parentheses
//! and the like use the stack. Both how deep the text nests and how high the expression grows are bounded: the first would
//! exhaust the stack here, the second (a long `a + b + c + …`) the stack of whoever walks the expression later.

use super::lexer::Token;
use super::parse::Parser;
use super::{LOOSEST, role_number, sign, wide_operation, wrap_type};
use crate::{BinaryOp, ChoiceId, Expr, FrameId, LocalId, MAX_DEPTH, Owner, Place, Role, SlotId, UnaryOp};
use lariat_base::{Diagnostic, Id, Span};

type Result<T> = std::result::Result<T, Diagnostic>;

/// An expression and the height of its tree.
type Tall = (Expr, usize);

/// A binary operator as it is written.
struct Operator {
    op: BinaryOp,
    /// Whether the operands change places: `>` is `<` the other way round.
    swapped: bool,
    tightness: u8,
}

impl Parser<'_> {
    /// An expression.
    pub(super) fn expr(&mut self) -> Result<Expr> {
        Ok(self.tall()?.0)
    }

    /// A cell that can be written.
    pub(super) fn target(&mut self) -> Result<Place> {
        let span = self.span();
        match self.operand()?.0 {
            Expr::Read(place) => Ok(place),
            _ => Err(Diagnostic::error(span, "S0003", "only a slot can be set")),
        }
    }

    /// Enters one level of nesting.
    fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(self.too_deep());
        }
        let parsed = parse(self);
        self.depth -= 1;
        parsed
    }

    fn too_deep(&self) -> Diagnostic {
        Diagnostic::error(self.span(), "S0002", format!("the expression is nested more than {MAX_DEPTH} deep"))
    }

    fn higher(&self, heights: impl IntoIterator<Item = usize>) -> Result<usize> {
        let height = heights.into_iter().max().unwrap_or(0) + 1;
        if height > MAX_DEPTH { Err(self.too_deep()) } else { Ok(height) }
    }

    fn tall(&mut self) -> Result<Tall> {
        if self.is_word("if") {
            return self.nested(Self::conditional);
        }
        let mut waiting: Vec<(Tall, Operator)> = Vec::new();
        let mut last = self.operand()?;
        while let Some(operator) = self.peek_operator() {
            self.advance();
            last = self.joined(&mut waiting, last, operator.tightness)?;
            waiting.push((last, operator));
            last = self.operand()?;
        }
        self.joined(&mut waiting, last, LOOSEST)
    }

    /// Applies the operators that wait for their right operand, as long as they bind at least as tightly.
    fn joined(&self, waiting: &mut Vec<(Tall, Operator)>, mut last: Tall, tightness: u8) -> Result<Tall> {
        while let Some(((left, height), operator)) = waiting.pop_if(|(_, waits)| waits.tightness >= tightness) {
            let height = self.higher([height, last.1])?;
            let (a, b) = if operator.swapped { (last.0, left) } else { (left, last.0) };
            last = (Expr::Binary(operator.op, Box::new(a), Box::new(b)), height);
        }
        Ok(last)
    }

    fn peek_operator(&self) -> Option<Operator> {
        let Token::Sign(found) = self.token() else { return None };
        let (found, swapped) = match *found {
            ">" => ("<", true),
            ">=" => ("<=", true),
            found => (found, false),
        };
        let op = BinaryOp::ALL.into_iter().find(|op| sign(*op).0 == found)?;
        Some(Operator { op, swapped, tightness: sign(op).1 })
    }

    fn conditional(&mut self) -> Result<Tall> {
        self.word("if")?;
        let (condition, a) = self.tall()?;
        self.word("then")?;
        let (yes, b) = self.tall()?;
        self.word("else")?;
        let (no, c) = self.tall()?;
        let height = self.higher([a, b, c])?;
        Ok((Expr::Ite(Box::new([condition, yes, no])), height))
    }

    fn operand(&mut self) -> Result<Tall> {
        let mut prefixes = Vec::new();
        loop {
            prefixes.push(match self.token() {
                Token::Sign("!") => UnaryOp::Not,
                Token::Sign("~") => UnaryOp::BitNot,
                Token::Sign("-") if !matches!(self.after(), Token::Number(_)) => UnaryOp::Neg,
                _ => break,
            });
            self.advance();
        }
        let (mut value, mut height) = self.primary()?;
        for op in prefixes.into_iter().rev() {
            value = Expr::Unary(op, Box::new(value));
            height = self.higher([height])?;
        }
        Ok((value, height))
    }

    fn primary(&mut self) -> Result<Tall> {
        match self.token().clone() {
            Token::Number(_) | Token::Sign("-") => Ok((Expr::Const(self.integer()?), 1)),
            Token::Sign("(") => self.between("(", ")"),
            Token::Sign("?") => {
                self.advance();
                Ok((Expr::Choice(self.choice()?), 1))
            }
            Token::Word(word) => match word.as_str() {
                "count" => {
                    self.advance();
                    Ok((Expr::PoolCount, 1))
                }
                "lives" => {
                    self.advance();
                    let frame = self.frame_name()?;
                    let (position, height) = self.between("[", "]")?;
                    Ok((Expr::Lives(frame, Box::new(position)), self.higher([height])?))
                }
                "exists" => self.nested(Self::exists),
                _ if wide_operation(&word).is_some() && *self.after() == Token::Sign("(") => self.nested(Self::wide),
                _ => match wrap_type(&word) {
                    Some((bits, signed)) if *self.after() == Token::Sign("(") => {
                        self.advance();
                        let (value, height) = self.between("(", ")")?;
                        Ok((Expr::Wrap { bits, signed, value: Box::new(value) }, self.higher([height])?))
                    }
                    _ => self.role_or_slot(&word),
                },
            },
            Token::Quoted(_) => self.slot_or_remote(),
            _ => Err(self.unexpected("an expression")),
        }
    }

    fn wide(&mut self) -> Result<Tall> {
        let Token::Word(word) = self.token() else { return Err(self.unexpected("an operation")) };
        let Some((op, half)) = wide_operation(word) else { return Err(self.unexpected("an operation")) };
        self.advance();
        self.sign("(")?;
        let (a_high, first) = self.tall()?;
        self.sign(",")?;
        let (a_low, second) = self.tall()?;
        self.sign(",")?;
        let (b_high, third) = self.tall()?;
        self.sign(",")?;
        let (b_low, fourth) = self.tall()?;
        self.sign(")")?;
        let height = self.higher([first, second, third, fourth])?;
        Ok((Expr::Wide(op, half, Box::new([a_high, a_low, b_high, b_low])), height))
    }

    fn between(&mut self, open: &'static str, close: &'static str) -> Result<Tall> {
        self.sign(open)?;
        let inner = self.nested(Self::tall)?;
        self.sign(close)?;
        Ok(inner)
    }

    fn exists(&mut self) -> Result<Tall> {
        self.word("exists")?;
        self.sign("(")?;
        let frame = self.frame_name()?;
        self.word("as")?;
        let (role, span) = (self.role()?, self.span());
        if role.index() != self.roles.len() {
            let message = format!("the next free role is p{}", self.roles.len());
            return Err(Diagnostic::error(span, "S0003", message));
        }
        self.sign(":")?;
        self.roles.push(frame);
        let body = self.tall();
        self.roles.pop();
        let (body, height) = body?;
        self.sign(")")?;
        Ok((Expr::Exists(frame, Box::new(body)), self.higher([height])?))
    }

    fn role_or_slot(&mut self, word: &str) -> Result<Tall> {
        let (first, rest) = word.split_once('.').map_or((word, None), |(first, rest)| (first, Some(rest)));
        let Some(number) = role_number(first) else { return self.slot_or_remote() };
        let span = self.span();
        self.advance();
        let role = Role(number);
        let Some(&frame) = self.roles.get(role.index()) else {
            return Err(Diagnostic::error(span, "S0003", format!("p{number} is not in scope here")));
        };
        let local = match rest {
            Some(local) => self.local(frame, local, span)?,
            None if self.skip_sign(".") => {
                let span = self.span();
                let local = self.name("a slot")?;
                self.local(frame, &local, span)?
            }
            None => return Ok((Expr::Position(role), 1)),
        };
        self.indexed(Owner::Role(role, local), 1)
    }

    /// `x`, `a[i]` or `P[e].v`.
    fn slot_or_remote(&mut self) -> Result<Tall> {
        let span = self.span();
        let text = self.name("a slot")?;
        if *self.token() != Token::Sign("[") {
            let owner = Owner::Global(self.slot(&text, span)?);
            return Ok((Expr::Read(Place { owner, index: None }), 1));
        }
        let (inner, height) = self.between("[", "]")?;
        let height = self.higher([height])?;
        if !self.skip_sign(".") {
            let owner = Owner::Global(self.slot(&text, span)?);
            return Ok((Expr::Read(Place { owner, index: Some(Box::new(inner)) }), height));
        }
        let frame = self.frame(&text, span)?;
        let span = self.span();
        let local = self.name("a slot")?;
        let local = self.local(frame, &local, span)?;
        self.indexed(Owner::At(frame, local, Box::new(inner)), height)
    }

    fn indexed(&mut self, owner: Owner, height: usize) -> Result<Tall> {
        if *self.token() != Token::Sign("[") {
            return Ok((Expr::Read(Place { owner, index: None }), height));
        }
        let (index, index_height) = self.between("[", "]")?;
        let height = self.higher([height, index_height])?;
        Ok((Expr::Read(Place { owner, index: Some(Box::new(index)) }), height))
    }

    fn choice(&mut self) -> Result<ChoiceId> {
        let span = self.span();
        let found = if let Token::Number(number) = *self.token() {
            self.advance();
            usize::try_from(number).ok().filter(|number| *number < self.choices.len())
        } else {
            let text = self.name("a choice")?;
            self.choices.iter().position(|choice| choice.name == text)
        };
        let names = self.choices.iter().map(|choice| choice.name.as_str());
        found.map(ChoiceId::new).ok_or_else(|| self.unknown("choice", span, names))
    }

    pub(super) fn role(&mut self) -> Result<Role> {
        if let Token::Word(word) = self.token()
            && let Some(number) = role_number(word)
        {
            self.advance();
            return Ok(Role(number));
        }
        Err(self.unexpected("a role such as p0"))
    }

    fn slot(&self, text: &str, span: Span) -> Result<SlotId> {
        let slots = &self.system.slots;
        let found = self.names.slots.get(text).copied();
        found.ok_or_else(|| self.unknown("slot", span, slots.iter().map(|slot| slot.name.as_str())))
    }

    pub(super) fn local(&self, frame: FrameId, text: &str, span: Span) -> Result<LocalId> {
        let slots = &self.system.frames[frame].slots;
        let found = slots.iter().position(|slot| slot.name == text).map(LocalId::new);
        found.ok_or_else(|| self.unknown("slot", span, slots.iter().map(|slot| slot.name.as_str())))
    }
}
