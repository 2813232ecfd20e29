//! The parser itself: operators, by precedence climbing.

use super::grammar::{Infix, Prefix};
use super::lexer::Kind;
use super::{Built, Dialect, MAX_DEPTH, MAX_SIZE, Parse, Parser};
use crate::Formula;
use lariat_base::Diagnostic;

impl Parser<'_> {
    /// The whole text.
    pub(super) fn whole(&mut self) -> Parse<Built> {
        if self.tokens.is_empty() {
            return Err(Diagnostic::error(self.span(0), "L0107", "there is no formula here"));
        }
        let end = self.tokens.len();
        let built = if self.chooses_value(0, end) { self.proposition(0, end)? } else { self.binary(0)? };
        if self.at < self.tokens.len() { Err(self.unexpected()) } else { Ok(built) }
    }

    /// Formulas joined by operators that bind at least as tightly as `loosest`.
    fn binary(&mut self, loosest: u8) -> Parse<Built> {
        let mut left = self.unary()?;
        while let Some(infix) = self.grammar.infix(self.word(self.at)) {
            let (binding, to_the_right) = infix.binding(self.grammar.dialect);
            if binding < loosest {
                break;
            }
            let operator = self.at;
            self.at += 1;
            if !self.starts_operand(self.at) {
                return Err(self.missing_operand(operator));
            }
            let right = self.deeper(|parser| parser.binary(if to_the_right { binding } else { binding + 1 }))?;
            left = self.join(infix, left, right, operator)?;
        }
        Ok(left)
    }

    /// A formula with the operators before it.
    fn unary(&mut self) -> Parse<Built> {
        let mut operators = Vec::new();
        loop {
            let token = self.at;
            let Some(operator) = self.prefix()? else { break };
            let bounds = self.bounds(operator)?;
            operators.push((operator, bounds, token));
            if operators.len() > MAX_DEPTH {
                return Err(self.too_deep(token));
            }
            let in_brackets =
                matches!(operator, Prefix::ForSome | Prefix::ForAll) && self.has_formula_in_brackets(self.at);
            if !self.starts_operand(self.at) && !in_brackets {
                return Err(self.missing_operand(token));
            }
        }
        let mut built = self.primary()?;
        for (operator, bounds, token) in operators.into_iter().rev() {
            built = self.bounded(operator, bounds, built, token)?;
        }
        Ok(built)
    }

    /// The operator here, if there is one before a formula. `EF` is taken as `E`; the `F` is met next.
    fn prefix(&mut self) -> Parse<Option<Prefix>> {
        let word = self.word(self.at);
        if self.is_quantified_word(self.at) {
            if !self.grammar.quantifiers {
                return Err(self.no_quantifiers());
            }
            if word.len() == 2 {
                // Taken apart where it stands; the second letter stays.
                let token = &mut self.tokens[self.at];
                (token.text, token.start) = (&token.text[1..], token.start + 1);
            } else {
                self.at += 1;
            }
            return Ok(Some(if word.starts_with('E') { Prefix::ForSome } else { Prefix::ForAll }));
        }
        let Some(operator) = self.grammar.prefix(word) else { return Ok(None) };
        if operator == Prefix::Not && self.negates_value(self.at) {
            return Ok(None);
        }
        self.at += 1;
        Ok(Some(operator))
    }

    /// Whether `E`, `A` or a word such as `AG` stands before a formula.
    fn is_quantified_word(&self, at: usize) -> bool {
        match self.word(at) {
            "E" | "A" => self.starts_operand(at + 1) || self.has_formula_in_brackets(at + 1),
            "EX" | "EF" | "EG" | "AX" | "AF" | "AG" => self.starts_operand(at + 1),
            _ => false,
        }
    }

    /// Whether a group in `[]` begins here that is a formula, as in `E [p U q]`, and not the index of an array.
    fn has_formula_in_brackets(&self, open: usize) -> bool {
        let close = self.groups.get(open).copied().flatten();
        self.word(open) == "[" && close.is_some_and(|close| self.temporal_in(open + 1, close).is_some())
    }

    /// A proposition, a constant, or a formula in parentheses.
    fn primary(&mut self) -> Parse<Built> {
        let open = self.at;
        let after_quantifier = open.checked_sub(1).is_some_and(|before| matches!(self.word(before), "E" | "A"));
        match self.word(open) {
            "(" => {}
            "[" if after_quantifier => {}
            _ => {
                let end = self.atom_end(open)?;
                return self.proposition(open, end);
            }
        }
        if let Some(close) = self.groups[open] {
            if self.grammar.joins_values(self.word(close + 1)) {
                let end = self.atom_end(open)?;
                return self.proposition(open, end);
            }
            if self.chooses_value(open + 1, close) {
                return self.proposition(open, close + 1);
            }
        }
        self.at += 1;
        let outer = self.opened.replace(open);
        let built = self.deeper(|parser| parser.binary(0))?;
        if self.groups[open] != Some(self.at) {
            return Err(self.unexpected());
        }
        self.opened = outer;
        self.at += 1;
        Ok(built)
    }

    /// Goes one level down, unless that is too deep.
    fn deeper<T>(&mut self, inside: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        if self.level >= MAX_DEPTH {
            return Err(self.too_deep(self.at));
        }
        self.level += 1;
        let result = inside(self);
        self.level -= 1;
        result
    }

    fn join(&self, infix: Infix, left: Built, right: Built, operator: usize) -> Parse<Built> {
        let size = left.size + right.size + 1;
        // Parts of the same kind are merged and add no depth.
        let merges = |part: &Formula| match infix {
            Infix::And => matches!(part, Formula::And(_)),
            Infix::Or => matches!(part, Formula::Or(_)),
            _ => false,
        };
        let below = |part: &Built| part.depth + usize::from(!merges(&part.formula));
        let depth = below(&left).max(below(&right));
        let (left, right) = (left.formula, right.formula);
        let formula = match infix {
            Infix::And => Formula::and([left, right]),
            Infix::Or => Formula::or([left, right]),
            Infix::Xor => Formula::xor(left, right),
            Infix::Implies => Formula::implies(left, right),
            Infix::Iff => Formula::iff(left, right),
            Infix::Until => Formula::until(left, right),
            Infix::WeakUntil => Formula::weak_until(left, right),
            Infix::Release => Formula::release(left, right),
            Infix::StrongRelease => Formula::strong_release(left, right),
            Infix::Since => Formula::since(left, right),
            Infix::Trigger => Formula::trigger(left, right),
        };
        self.within_limits(Built { formula, depth, size }, operator)
    }

    /// The operator over the formula.
    pub(super) fn apply(&self, prefix: Prefix, built: Built, operator: usize) -> Parse<Built> {
        let part = built.formula;
        let formula = match prefix {
            Prefix::Not => Formula::not(part),
            Prefix::Next => Formula::next(part),
            Prefix::Finally => Formula::finally(part),
            Prefix::Globally => Formula::globally(part),
            Prefix::Yesterday => Formula::yesterday(part),
            Prefix::WeakYesterday => Formula::weak_yesterday(part),
            Prefix::Once => Formula::once(part),
            Prefix::Historically => Formula::historically(part),
            Prefix::ForSome => Formula::for_some(part),
            Prefix::ForAll => Formula::for_all(part),
        };
        self.within_limits(Built { formula, depth: built.depth + 1, size: built.size + 1 }, operator)
    }

    /// The formula, unless it is deeper or larger than is allowed.
    pub(super) fn within_limits(&self, built: Built, operator: usize) -> Parse<Built> {
        if built.depth > MAX_DEPTH {
            Err(self.too_deep(operator))
        } else if built.size > MAX_SIZE {
            let message = format!("the formula has more than {MAX_SIZE} operators once it is written out");
            Err(Diagnostic::error(self.span(operator), "L0101", message))
        } else {
            Ok(built)
        }
    }

    /// Whether a formula can begin with this token.
    pub(super) fn starts_operand(&self, at: usize) -> bool {
        let Some(token) = self.token(at) else { return false };
        match token.kind {
            Kind::Number | Kind::Quoted => true,
            Kind::Word => self.grammar.infix(token.text).is_none() || self.grammar.prefix(token.text).is_some(),
            Kind::Symbol => {
                let set = token.text == "{" && self.grammar.dialect == Dialect::Nusmv;
                set || matches!(token.text, "(" | "-" | "~") || self.grammar.prefix(token.text).is_some()
            }
        }
    }
}
