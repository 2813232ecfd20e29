//! Propositions: how far an expression of the model's language goes, and its text.
//!
//! An expression is operands joined by operators on values. An operand is a name with what follows it (`a[i].b`, `P[1]@cs`,
//! `P:x`, `q?[m]`, `len(q)`), a number, or something in parentheses; signs may stand before it. What is in brackets is not
//! looked at, but for temporal operators, which do not belong there.

use super::grammar::{Grammar, Prefix};
use super::lexer::{self, Kind, Token};
use super::{Built, Dialect, Parse, Parser};
use crate::{Formula, Propositions};
use lariat_base::{Diagnostic, Span};

/// Functions of Promela and SMV, which may be followed by a parenthesis.
const FUNCTIONS: &[&str] = &[
    "len",
    "moves",
    "empty",
    "full",
    "nempty",
    "nfull",
    "enabled",
    "pc_value",
    "get_priority",
    "eval",
    "next",
    "bool",
    "toint",
    "word1",
    "signed",
    "unsigned",
    "extend",
    "resize",
    "swconst",
    "uwconst",
    "sizeof",
    "count",
    "abs",
    "max",
    "min",
    "floor",
];

impl Parser<'_> {
    /// The end of the expression that begins here.
    pub(super) fn atom_end(&self, at: usize) -> Parse<usize> {
        let mut end = self.operand_end(at)?;
        while self.grammar.joins_values(self.word(end)) {
            end = match () {
                _ if self.is_operator_as_name(end + 1) => self.reference_end(end + 1)?,
                _ if self.starts_value(end + 1) => self.operand_end(end + 1)?,
                _ => return Err(self.value_expected(end)),
            };
        }
        Ok(end)
    }

    /// Whether the word here, where a value is expected, is spelled like an operator and can be none: `W` in `s == W`.
    fn is_operator_as_name(&self, at: usize) -> bool {
        let word = self.word(at);
        let is_word = self.token(at).is_some_and(|token| token.kind == Kind::Word);
        let prefix = self.grammar.prefix(word).is_some() && !self.starts_operand(at + 1);
        is_word && (prefix || self.grammar.infix(word).is_some())
    }

    /// The end of the operand that begins here.
    fn operand_end(&self, at: usize) -> Parse<usize> {
        let mut at = at;
        while matches!(self.word(at), "!" | "-" | "~") {
            at += 1;
        }
        let Some(token) = self.token(at) else { return Err(self.expected_at(at, "a formula")) };
        match (token.kind, token.text) {
            (Kind::Number | Kind::Quoted, _) => Ok(at + 1),
            (Kind::Symbol, "(") => self.group_end(at),
            (Kind::Symbol, "{") if self.grammar.dialect == Dialect::Nusmv => self.group_end(at),
            (Kind::Word, "case") if self.grammar.dialect == Dialect::Nusmv => {
                let esac = (at..self.tokens.len()).find(|&end| self.word(end) == "esac");
                esac.map(|esac| esac + 1).ok_or_else(|| self.expected_at(self.tokens.len(), "`esac`"))
            }
            (Kind::Word, word) if self.grammar.infix(word).is_none() && self.grammar.prefix(word).is_none() => {
                self.reference_end(at)
            }
            _ => Err(self.expected_at(at, "a formula")),
        }
    }

    /// The end of the name that begins here, with all that follows it.
    fn reference_end(&self, name: usize) -> Parse<usize> {
        let mut at = name + 1;
        let is_word = |at: usize| self.token(at).is_some_and(|token| token.kind == Kind::Word);
        loop {
            at = match self.word(at) {
                "." if is_word(at + 1) => at + 2,
                _ if !self.grammar.has_expressions() => return Ok(at),
                "[" => self.group_end(at)?,
                "(" if at == name + 1 && FUNCTIONS.contains(&self.word(name)) => self.group_end(at)?,
                "?" | "??" if self.word(at + 1) == "[" && self.grammar.dialect != Dialect::Nusmv => {
                    self.group_end(at + 1)?
                }
                "." if self.token(at + 1).is_some_and(|token| token.kind == Kind::Number) => at + 2,
                "@" if is_word(at + 1) => at + 2,
                ":" if is_word(at + 1) && self.grammar.dialect != Dialect::Nusmv => at + 2,
                _ => return Ok(at),
            };
        }
    }

    /// The end of the bracketed group that begins here; there must be no temporal operator in it.
    fn group_end(&self, open: usize) -> Parse<usize> {
        let Some(close) = self.groups[open] else {
            let error = self.expected_at(self.tokens.len(), "a closing bracket");
            return Err(error.note(self.span(open), "to close this one"));
        };
        match self.temporal_in(open + 1, close) {
            Some(operator) => Err(self.formula_in_expression(operator, close + 1)),
            None => Ok(close + 1),
        }
    }

    /// The first temporal operator among these tokens.
    pub(super) fn temporal_in(&self, from: usize, to: usize) -> Option<usize> {
        (from..to).find(|&at| {
            let word = self.word(at);
            let before = |at: usize| self.starts_operand(at) && at < to;
            match self.grammar.prefix(word) {
                Some(Prefix::Not) | None => {}
                Some(_) => return before(at + 1),
            }
            let temporal = self.grammar.infix(word).is_some_and(|infix| infix.binding(Dialect::Spot).0 == 6);
            temporal && at > from && before(at + 1)
        })
    }

    /// Whether a value can begin here: an operand of an expression.
    fn starts_value(&self, at: usize) -> bool {
        let temporal = |word: &str| self.grammar.prefix(word).is_some_and(|prefix| prefix != Prefix::Not);
        self.starts_operand(at) && !temporal(self.word(at))
    }

    /// Whether the `!` here belongs to a value, as in `!x == y`, which means `(!x) == y`.
    pub(super) fn negates_value(&self, at: usize) -> bool {
        self.grammar.has_expressions()
            && self.operand_end(at).is_ok_and(|end| self.grammar.joins_values(self.word(end)))
    }

    /// Whether a choice between values stands directly between these places: `c ? a : b` in SMV, `c -> a : b` in Promela.
    /// (`c -> P:x` is none: that colon belongs to a remote reference.)
    pub(super) fn chooses_value(&self, from: usize, to: usize) -> bool {
        let mut at = from;
        let mut arrow = false;
        while at < to {
            match (self.word(at), self.grammar.dialect) {
                ("?", Dialect::Nusmv) => return true,
                ("->", Dialect::Spin) => arrow = true,
                (":", Dialect::Spin) if arrow && !self.is_remote_colon(at) => return true,
                _ => {}
            }
            at = self.groups[at].unwrap_or(at) + 1;
        }
        false
    }

    fn is_remote_colon(&self, at: usize) -> bool {
        at > 0 && remote_colon(&self.tokens[at - 1], self.token(at + 1))
    }

    /// The proposition that these tokens are.
    pub(super) fn proposition(&mut self, from: usize, to: usize) -> Parse<Built> {
        if let Some(operator) = self.temporal_in(from, to) {
            return Err(self.formula_in_expression(operator, to));
        }
        self.at = to;
        let tokens = &self.tokens[from..to];
        let formula = match tokens {
            [Token { kind: Kind::Word, text: "true" | "TRUE", .. }] => Formula::True,
            [Token { kind: Kind::Word, text: "false" | "FALSE", .. }] => Formula::False,
            [Token { kind: Kind::Number, text: "1", .. }] => Formula::True,
            [Token { kind: Kind::Number, text: "0", .. }] => Formula::False,
            [Token { kind: Kind::Number, .. }] if self.grammar.dialect != Dialect::Spin => {
                let error = Diagnostic::error(self.span(from), "L0108", "a number is not a proposition");
                return Err(error.help("`1` holds always, `0` never"));
            }
            [Token { kind: Kind::Quoted, text, .. }] => {
                Formula::prop(self.props.intern(&unescaped(text), self.span(from)))
            }
            _ => {
                let span = self.span(from).to(self.span(to - 1));
                Formula::prop(self.props.intern(&normal_text(tokens, self.grammar.dialect), span))
            }
        };
        Ok(Built { formula, depth: 1, size: 1 })
    }
}

/// What `\"` and `\\` stand for.
fn unescaped(text: &str) -> String {
    text.replace("\\\"", "\"").replace("\\\\", "\\")
}

fn remote_colon(before: &Token<'_>, after: Option<&Token<'_>>) -> bool {
    (before.kind == Kind::Word || before.text == "]") && after.is_some_and(|token| token.kind == Kind::Word)
}

/// The text of an expression with spaces where one expects them: the same for `x>3` and `x > 3`.
fn normal_text(tokens: &[Token<'_>], dialect: Dialect) -> String {
    let mut text = String::new();
    // Whether the next token stands close to what is before it.
    let mut tight = true;
    for (at, token) in tokens.iter().enumerate() {
        let symbol = if token.kind == Kind::Symbol { token.text } else { "" };
        let after_word = at > 0 && tokens[at - 1].kind == Kind::Word;
        let follows_value =
            at > 0 && (tokens[at - 1].kind != Kind::Symbol || matches!(tokens[at - 1].text, ")" | "]" | "}"));
        let opens_poll = matches!(symbol, "?" | "??") && tokens.get(at + 1).is_some_and(|next| next.text == "[");
        let colon =
            symbol == ":" && dialect != Dialect::Nusmv && at > 0 && remote_colon(&tokens[at - 1], tokens.get(at + 1));
        let glue = matches!(symbol, "." | "@" | ".." | "::") || opens_poll || colon;
        let closes = matches!(symbol, ")" | "]" | "}" | ",");
        let call = symbol == "(" && after_word && FUNCTIONS.contains(&tokens[at - 1].text);
        if !(tight || glue || closes || call || symbol == "[") {
            text.push(' ');
        }
        match token.kind {
            Kind::Quoted => text.extend(["\"", token.text, "\""]),
            _ => text.push_str(token.text),
        }
        tight = glue || matches!(symbol, "(" | "[" | "{" | "!" | "~") || symbol == "-" && !follows_value;
    }
    text
}

/// What a text looks like as a proposition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Shape {
    /// One operand, such as `x` or `P[1]@cs`.
    Operand,
    /// Values joined by operators.
    Expression,
    /// Neither: it can be quoted only.
    Other,
}

/// The shape of the text of a proposition in a dialect: what reads back as the same proposition, unquoted.
pub(crate) fn shape_of(text: &str, dialect: Dialect) -> Shape {
    let dialect = if dialect == Dialect::Auto { Dialect::Spot } else { dialect };
    let Ok(tokens) = lexer::tokens(text, Span::NONE.file) else { return Shape::Other };
    let grammar = Grammar { dialect, open: false, quantifiers: true };
    let tokens = lexer::split_words(tokens, &grammar);
    let groups = lexer::groups(&tokens);
    let end = tokens.len();
    let (file, mut props) = (Span::NONE.file, Propositions::default());
    let parser = Parser { text, file, grammar, tokens, groups, at: 0, level: 0, opened: None, props: &mut props };
    let fits = |reached: Parse<usize>| reached.is_ok_and(|reached| reached == end);
    let signed = matches!(parser.word(0), "!" | "-" | "~");
    let is_name = match &parser.tokens[..] {
        [token] => token.kind == Kind::Word && !matches!(token.text, "true" | "TRUE" | "false" | "FALSE"),
        tokens => !tokens.is_empty() && tokens[0].kind == Kind::Word,
    };
    if normal_text(&parser.tokens, dialect) != text {
        Shape::Other
    } else if is_name && fits(parser.operand_end(0)) {
        Shape::Operand
    } else if !signed && end > 1 && fits(parser.atom_end(0)) && parser.temporal_in(0, end).is_none() {
        Shape::Expression
    } else {
        Shape::Other
    }
}
