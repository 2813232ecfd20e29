//! The operators: how each dialect spells them, how tightly they bind, and to which side they lean.
//!
//! | loosest first | SPIN's `ltl` blocks | NuSMV | Spot |
//! |---|---|---|---|
//! | 1 | `->` `<->`, left | `->`, right | `->` `<->`, right |
//! | 2 | `\|\|` | `<->`, left | `\|` |
//! | 3 | `&&` | `\|` `xor` `xnor`, left | `xor` |
//! | 4 | `U` `W` `V`, left | `&` | `&` |
//! | 5 | | `U` `V` `S` `T`, left | `U` `R` `W` `M`, right |
//! | 6 | `!` `X` `[]` `<>` | `!` `X` `G` … | `!` `X` `G` … |
//!
//! After `spin.y` of SPIN 6.5, the manual and `grammar.y` of NuSMV 2.6, and `parsetl.yy` of Spot 2.

use super::Dialect;
use super::lexer::{Kind, Token};

/// An operator before its formula.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Prefix {
    Not,
    Next,
    Finally,
    Globally,
    Yesterday,
    WeakYesterday,
    Once,
    Historically,
    ForSome,
    ForAll,
}

/// An operator between two formulas.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Infix {
    And,
    Or,
    Xor,
    Implies,
    Iff,
    Until,
    WeakUntil,
    Release,
    StrongRelease,
    Since,
    Trigger,
}

const SPIN: u8 = 1;
const NUSMV: u8 = 2;
const SPOT: u8 = 4;
const ALL: u8 = 7;
/// A dialect that was guessed has it too, whichever was guessed.
const GUESSED: u8 = 8;

const PREFIXES: &[(&str, Prefix, u8)] = &[
    ("!", Prefix::Not, ALL),
    ("~", Prefix::Not, SPOT),
    ("X", Prefix::Next, ALL | GUESSED),
    ("next", Prefix::Next, SPIN),
    ("F", Prefix::Finally, NUSMV | SPOT | GUESSED),
    ("<>", Prefix::Finally, SPIN | SPOT | GUESSED),
    ("eventually", Prefix::Finally, SPIN),
    ("G", Prefix::Globally, NUSMV | SPOT | GUESSED),
    ("[]", Prefix::Globally, SPIN | SPOT | GUESSED),
    ("always", Prefix::Globally, SPIN),
    ("Y", Prefix::Yesterday, NUSMV | GUESSED),
    ("Z", Prefix::WeakYesterday, NUSMV | GUESSED),
    ("O", Prefix::Once, NUSMV | GUESSED),
    ("H", Prefix::Historically, NUSMV | GUESSED),
];

const INFIXES: &[(&str, Infix, u8)] = &[
    ("&&", Infix::And, SPIN | SPOT | GUESSED),
    ("/\\", Infix::And, SPIN | SPOT | GUESSED),
    ("&", Infix::And, NUSMV | SPOT),
    ("||", Infix::Or, SPIN | SPOT | GUESSED),
    ("\\/", Infix::Or, SPIN | SPOT | GUESSED),
    ("|", Infix::Or, NUSMV | SPOT),
    ("xor", Infix::Xor, NUSMV | SPOT | GUESSED),
    ("^", Infix::Xor, SPOT),
    ("xnor", Infix::Iff, NUSMV | GUESSED),
    ("->", Infix::Implies, ALL | GUESSED),
    ("=>", Infix::Implies, SPOT | GUESSED),
    ("-->", Infix::Implies, SPOT | GUESSED),
    ("implies", Infix::Implies, SPIN),
    ("<->", Infix::Iff, ALL | GUESSED),
    ("<=>", Infix::Iff, SPOT | GUESSED),
    ("<-->", Infix::Iff, SPOT | GUESSED),
    ("equivalent", Infix::Iff, SPIN),
    ("U", Infix::Until, ALL | GUESSED),
    ("until", Infix::Until, SPIN),
    ("stronguntil", Infix::Until, SPIN),
    ("W", Infix::WeakUntil, SPIN | SPOT | GUESSED),
    ("weakuntil", Infix::WeakUntil, SPIN),
    ("V", Infix::Release, ALL | GUESSED),
    ("R", Infix::Release, SPOT | GUESSED),
    ("release", Infix::Release, SPIN),
    ("M", Infix::StrongRelease, SPOT | GUESSED),
    ("S", Infix::Since, NUSMV | GUESSED),
    ("T", Infix::Trigger, NUSMV | GUESSED),
];

/// Operators of expressions, which join values within a proposition.
const PROMELA_EXPRESSION: &[&str] =
    &["==", "!=", "<", "<=", ">", ">=", "+", "-", "*", "/", "%", "<<", ">>", "&", "|", "^"];
const SMV_EXPRESSION: &[&str] =
    &["=", "!=", "<", "<=", ">", ">=", "+", "-", "*", "/", "mod", "<<", ">>", "in", "union", "::", "?", ":", ".."];
const GUESSED_EXPRESSION: &[&str] = &["=", "==", "!=", "<", "<=", ">", ">=", "+", "-", "*", "/", "%", "<<", ">>"];

/// Words that only SPIN has.
const SPIN_WORDS: &[&str] =
    &["always", "eventually", "until", "stronguntil", "weakuntil", "release", "implies", "equivalent"];

/// How formulas are read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Grammar {
    /// Never `Auto`.
    pub(super) dialect: Dialect,
    /// The dialect was guessed: operators of the others are welcome too.
    pub(super) open: bool,
    pub(super) quantifiers: bool,
}

impl Grammar {
    pub(super) fn new(dialect: Dialect, quantifiers: bool, tokens: &[Token<'_>]) -> Self {
        let open = dialect == Dialect::Auto;
        Self { dialect: if open { guess(tokens) } else { dialect }, open, quantifiers }
    }
    fn has(&self, of: u8) -> bool {
        let own = match self.dialect {
            Dialect::Spin => SPIN,
            Dialect::Nusmv => NUSMV,
            Dialect::Spot | Dialect::Auto => SPOT,
        };
        of & own != 0 || self.open && of & GUESSED != 0
    }
    pub(super) fn prefix(&self, text: &str) -> Option<Prefix> {
        match text {
            "E" if self.quantifiers => Some(Prefix::ForSome),
            "A" if self.quantifiers => Some(Prefix::ForAll),
            _ => PREFIXES.iter().find(|(known, _, of)| *known == text && self.has(*of)).map(|&(_, op, _)| op),
        }
    }
    pub(super) fn infix(&self, text: &str) -> Option<Infix> {
        INFIXES.iter().find(|(known, _, of)| *known == text && self.has(*of)).map(|&(_, op, _)| op)
    }
    /// Whether it joins two values within a proposition.
    pub(super) fn joins_values(&self, text: &str) -> bool {
        match self.dialect {
            Dialect::Spin => PROMELA_EXPRESSION.contains(&text),
            Dialect::Nusmv => SMV_EXPRESSION.contains(&text) || self.open && text == "==",
            Dialect::Spot | Dialect::Auto => self.open && GUESSED_EXPRESSION.contains(&text),
        }
    }
    /// Whether expressions may be propositions without quotes.
    pub(super) fn has_expressions(&self) -> bool {
        self.dialect != Dialect::Spot || self.open
    }
}

impl Infix {
    /// How tightly it binds, loosest first, and whether it leans to the right: whether `a op b op c` is `a op (b op c)`.
    pub(crate) fn binding(self, dialect: Dialect) -> (u8, bool) {
        match (self, dialect) {
            (Infix::Implies, Dialect::Spin) | (Infix::Iff, Dialect::Spin) => (1, false),
            (Infix::Implies, _) => (1, true),
            (Infix::Iff, Dialect::Nusmv) => (2, false),
            (Infix::Iff, _) => (1, true),
            (Infix::Xor, Dialect::Spot) => (4, false),
            (Infix::Or | Infix::Xor, _) => (3, false),
            (Infix::And, _) => (5, false),
            (_, Dialect::Spot | Dialect::Auto) => (6, true),
            _ => (6, false),
        }
    }
}

/// Whether a word is an operator in the dialect, or in any if it is `Auto`.
pub(crate) fn is_operator_word(word: &str, dialect: Dialect) -> bool {
    let of = match dialect {
        Dialect::Spin => SPIN,
        Dialect::Nusmv => NUSMV,
        Dialect::Spot => SPOT,
        Dialect::Auto => ALL,
    };
    PREFIXES.iter().any(|(known, _, by)| *known == word && of & by != 0)
        || INFIXES.iter().any(|(known, _, by)| *known == word && of & by != 0)
}

/// Whose spelling it looks like. What only one of them has decides; SPIN's first, since Spot reads `[]` too but hardly
/// anybody writes it so.
fn guess(tokens: &[Token<'_>]) -> Dialect {
    let has = |kind: Kind, words: &[&str]| tokens.iter().any(|token| token.kind == kind && words.contains(&token.text));
    if has(Kind::Symbol, &["[]", "<>", "@", "==", "%", "??"]) || has(Kind::Word, SPIN_WORDS) {
        Dialect::Spin
    } else if tokens.iter().any(|token| token.kind == Kind::Quoted) || has(Kind::Symbol, &["=>", "<=>", "^"]) {
        Dialect::Spot
    } else if has(Kind::Symbol, &["=", "::", "{"])
        || has(Kind::Word, &["Y", "Z", "O", "H", "S", "T", "xnor", "mod", "union", "TRUE", "FALSE"])
    {
        Dialect::Nusmv
    } else {
        Dialect::Spot
    }
}
