//! What is said about wrong formulas, and the way out of the common mistakes.

use super::grammar::{Infix, Prefix, is_operator_word};
use super::lexer::Kind;
use super::{Dialect, MAX_DEPTH, Parser};
use lariat_base::Diagnostic;

/// What shows that an expression is meant.
const EXPRESSION: &[&str] =
    &["==", "=", "!=", "<", "<=", ">", ">=", "@", "?", "??", "%", "*", "+", "-", "/", "[", "<<", ">>"];

impl Parser<'_> {
    /// Something else was expected here.
    pub(super) fn expected(&self, what: &str) -> Diagnostic {
        self.expected_at(self.at, what)
    }

    pub(super) fn expected_at(&self, at: usize, what: &str) -> Diagnostic {
        let message = format!("expected {what}, found {}", self.described(at));
        let error = Diagnostic::error(self.span(at), "L0100", message);
        Diagnostic { help: self.help_with_operand(at), ..error }
    }

    fn described(&self, at: usize) -> String {
        match self.token(at) {
            None => "the end of the formula".into(),
            Some(token) if token.kind == Kind::Quoted => format!("`\"{}\"`", token.text),
            Some(token) => format!("`{}`", token.text),
        }
    }

    /// A formula was read, and what follows neither joins it to another one nor ends it.
    pub(super) fn unexpected(&self) -> Diagnostic {
        let at = self.at;
        if self.word(at) == ")" && self.opened.is_none() {
            let error = Diagnostic::error(self.span(at), "L0100", "there is no `(` for this `)`");
            return error;
        }
        // Two formulas side by side: the first one may be meant as an operator.
        let before = at.checked_sub(1).filter(|_| self.starts_operand(at));
        for suspect in [Some(at), before].into_iter().flatten() {
            let word = self.word(suspect);
            if let Some(help) = self.help_with_word(word) {
                let whose = match self.grammar.dialect {
                    Dialect::Spin => "SPIN's",
                    Dialect::Nusmv => "NuSMV's",
                    Dialect::Spot | Dialect::Auto => "Spot's",
                };
                let message = format!("`{word}` is not an operator in {whose} spelling");
                return Diagnostic::error(self.span(suspect), "L0103", message).help(help);
            }
        }
        let what = if self.opened.is_some() { "an operator or `)`" } else { "an operator or the end" };
        let message = format!("expected {what}, found {}", self.described(at));
        let mut error = Diagnostic::error(self.span(at), "L0100", message);
        if let Some(open) = self.opened.filter(|&open| self.groups[open].is_none()) {
            error = error.note(self.span(open), "this parenthesis is not closed");
        }
        Diagnostic { help: self.help_with_operator(at), ..error }
    }

    /// An operator has nothing behind it.
    pub(super) fn missing_operand(&self, operator: usize) -> Diagnostic {
        let word = self.word(operator);
        let message = format!("expected a formula after `{word}`, found {}", self.described(self.at));
        let error = Diagnostic::error(self.span(self.at), "L0100", message).note(self.span(operator), "the operator");
        let mut help = self.help_with_operand(self.at);
        if help.is_none() && is_letter(word) && self.grammar.prefix(word).is_some() {
            help = Some(format!("a proposition of that name is written in quotes: `\"{word}\"`"));
        }
        Diagnostic { help, ..error }
    }

    /// Behind an operator on values there is none.
    pub(super) fn value_expected(&self, operator: usize) -> Diagnostic {
        let word = self.word(operator);
        let message = format!("expected a value after `{word}`, found {}", self.described(operator + 1));
        let help = match word {
            "&" | "|" => Some(format!("`{word}` joins the bits of two numbers; formulas are joined by `{word}{word}`")),
            "^" => Some("`^` joins the bits of two numbers; of formulas, `!(p <-> q)` says that one holds".into()),
            _ => self.help_with_operand(operator + 1),
        };
        Diagnostic { help, ..Diagnostic::error(self.span(operator + 1), "L0100", message) }
    }

    /// A temporal operator within an expression that ends before `after`.
    pub(super) fn formula_in_expression(&self, operator: usize, after: usize) -> Diagnostic {
        let message = format!("`{}` makes a formula, where the value of an expression is needed", self.word(operator));
        let error = Diagnostic::error(self.span(operator), "L0106", message);
        let help = match self.word(after) {
            joiner @ ("&" | "|") => {
                Some(format!("`{joiner}` joins the bits of two numbers; formulas are joined by `{joiner}{joiner}`"))
            }
            "==" | "=" => Some("formulas are compared by `<->`".into()),
            _ => None,
        };
        Diagnostic { help, ..error }
    }

    pub(super) fn too_deep(&self, at: usize) -> Diagnostic {
        let message = format!("the formula is nested too deep: {MAX_DEPTH} operators within each other are the limit");
        Diagnostic::error(self.span(at), "L0101", message)
    }

    /// A path quantifier in a formula of LTL.
    pub(super) fn no_quantifiers(&self) -> Diagnostic {
        let word = self.word(self.at);
        let message = format!("`{word}` is a path quantifier of CTL, and this is a formula of LTL");
        let help = match word {
            "AG" | "AF" | "AX" => format!("a formula of LTL speaks of all runs: write `{}`", self.spelled(&word[1..])),
            "A" => "a formula of LTL speaks of all runs: leave `A` out".into(),
            _ => "that there is such a run, LTL cannot say; ask for it as a formula of CTL".into(),
        };
        Diagnostic::error(self.span(self.at), "L0104", message).help(help)
    }

    /// `G`, `F` or `X` in the dialect at hand.
    fn spelled(&self, letter: &str) -> String {
        match (letter, self.grammar.dialect) {
            ("G", Dialect::Spin) => "[]".into(),
            ("F", Dialect::Spin) => "<>".into(),
            _ => letter.into(),
        }
    }

    /// What may have been meant by a token that stands where a formula should begin.
    fn help_with_operand(&self, at: usize) -> Option<String> {
        let word = self.word(at);
        match word {
            "[" if self.word(at + 1) == "]" => Some("`[]` is written without a space".into()),
            "<" if self.word(at + 1) == ">" => Some("`<>` is written without a space".into()),
            "[]" if self.grammar.prefix(word).is_none() => Some("NuSMV spells it `G`".into()),
            "<>" if self.grammar.prefix(word).is_none() => Some("NuSMV spells it `F`".into()),
            _ if at == 0 && self.word(at + 1) != "@" && self.grammar.infix(word).is_some() => {
                Some(format!("`{word}` stands between two formulas"))
            }
            _ if is_letter(word) && self.grammar.infix(word).is_some() => {
                let what = self.remote_reference(at).unwrap_or_else(|| word.to_owned());
                Some(format!("`{word}` is an operator; what has that name is written in quotes: `\"{what}\"`"))
            }
            _ => None,
        }
    }

    /// `P@label` or `P[0]@label`, if that stands there.
    fn remote_reference(&self, at: usize) -> Option<String> {
        let mut end = at + 1;
        if self.word(end) == "[" {
            end = (end..end + 16).find(|&end| self.word(end) == "]")? + 1;
        }
        (self.word(end) == "@").then(|| (at..=end + 1).map(|at| self.word(at)).collect())
    }

    /// What may have been meant where two formulas stand side by side, or an operator is not known.
    fn help_with_operator(&self, at: usize) -> Option<String> {
        let said = match (self.word(at), self.grammar.dialect) {
            ("=", Dialect::Spin) => Some("`==` compares; `=` assigns and is not part of a formula"),
            ("==", Dialect::Nusmv) => Some("SMV compares by `=`"),
            ("&&", Dialect::Nusmv) => Some("SMV has `&` for and"),
            ("||", Dialect::Nusmv) => Some("SMV has `|` for or"),
            ("=>" | "-->", Dialect::Spin | Dialect::Nusmv) => Some("implication is written `->`"),
            ("<=>" | "<-->", Dialect::Spin | Dialect::Nusmv) => Some("equivalence is written `<->`"),
            ("<", _) if self.word(at + 1) == ">" => Some("`<>` is written without a space"),
            ("[", _) if self.word(at + 1) == "]" => Some("`[]` is written without a space"),
            (symbol, Dialect::Spot) if EXPRESSION.contains(&symbol) => {
                Some("in Spot's spelling an expression is quoted: `\"x > 3\"`")
            }
            _ => None,
        };
        let before = at.checked_sub(1).map_or("", |before| self.word(before));
        match said {
            None if self.word(at) == "(" && before.starts_with(|c: char| c.is_ascii_alphabetic()) => {
                Some(format!("`{before}` is neither an operator nor a function"))
            }
            said => said.map(str::to_owned),
        }
    }

    /// What may have been meant by a word that is no operator here.
    fn help_with_word(&self, word: &str) -> Option<String> {
        let dialect = self.grammar.dialect;
        let and_or = if dialect == Dialect::Spin { ["&&", "||"] } else { ["&", "|"] };
        let said = |operator: &str| Some(format!("did you mean `{operator}`?"));
        let upper = word.to_ascii_uppercase();
        match word {
            "and" | "AND" => said(and_or[0]),
            "or" | "OR" => said(and_or[1]),
            "not" | "NOT" => said("!"),
            "implies" | "IMPLIES" => said("->"),
            "iff" | "IFF" | "equivalent" => said("<->"),
            "always" | "globally" => said(&self.spelled("G")),
            "eventually" | "finally" | "future" => said(&self.spelled("F")),
            "next" => said("X"),
            "until" | "stronguntil" => said("U"),
            "weakuntil" | "unless" => said("W"),
            "release" | "releases" => said("V"),
            "G" | "F" if dialect == Dialect::Spin => Some(format!("SPIN spells it `{}`", self.spelled(word))),
            "xor" => Some("write `!(p <-> q)`".into()),
            "R" if dialect == Dialect::Spin || dialect == Dialect::Nusmv => said("V"),
            "M" if dialect != Dialect::Spot => Some("`p M q` is `q U (p and q)`".into()),
            "W" if dialect == Dialect::Nusmv => Some("NuSMV has no `W`: `p W q` is `q V (p | q)`".into()),
            "Y" | "Z" | "O" | "H" | "S" | "T" if dialect == Dialect::Spin => {
                Some(format!("SPIN cannot speak of the past; `{word}` is NuSMV's"))
            }
            "Y" | "Z" | "O" | "H" | "S" | "T" if dialect == Dialect::Spot => {
                Some(format!("Spot cannot speak of the past; `{word}` is NuSMV's"))
            }
            _ if word.len() == 1 && word != upper && is_operator_word(&upper, dialect) => {
                Some(format!("operators are capital letters: `{upper}`"))
            }
            "g" | "f" if dialect == Dialect::Spin => Some(format!("SPIN spells it `{}`", self.spelled(&upper))),
            _ => None,
        }
    }
}

/// Whether an operator is spelled as a name could be.
fn is_letter(word: &str) -> bool {
    word.len() == 1 && word.starts_with(|c: char| c.is_ascii_alphabetic())
}

/// What to write for an operator that is spelled in mathematics only.
pub(super) fn foreign_operator(sign: char) -> Option<String> {
    let meant = match sign {
        '□' | '◻' => "[]` or `G",
        '◇' | '◊' | '⋄' => "<>` or `F",
        '○' | '◯' => "X",
        '∧' => "&&",
        '∨' => "||",
        '¬' => "!",
        '→' | '⇒' => "->",
        '↔' | '⇔' => "<->",
        '⊕' => "xor",
        '∀' => "A",
        '∃' => "E",
        '≤' => "<=",
        '≥' => ">=",
        '≠' => "!=",
        '\'' => "\"",
        _ => return None,
    };
    Some(format!("write `{meant}`"))
}

/// The word for an operator, for messages about operators that a dialect lacks.
impl Prefix {
    pub(crate) fn letter(self) -> &'static str {
        match self {
            Self::Not => "!",
            Self::Next => "X",
            Self::Finally => "F",
            Self::Globally => "G",
            Self::Yesterday => "Y",
            Self::WeakYesterday => "Z",
            Self::Once => "O",
            Self::Historically => "H",
            Self::ForSome => "E",
            Self::ForAll => "A",
        }
    }
}

impl Infix {
    pub(crate) fn letter(self) -> &'static str {
        match self {
            Self::And => "&",
            Self::Or => "|",
            Self::Xor => "xor",
            Self::Implies => "->",
            Self::Iff => "<->",
            Self::Until => "U",
            Self::WeakUntil => "W",
            Self::Release => "R",
            Self::StrongRelease => "M",
            Self::Since => "S",
            Self::Trigger => "T",
        }
    }
}
