//! Tokens: names, words of the language, numbers, word constants and signs.

use lariat_base::Span;
use std::sync::Arc;

/// A name as it is spelled.
pub type Name = Arc<str>;

/// A piece of the text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Token {
    /// A name that the model chose.
    Name(Name),
    /// A word of the language.
    Word(&'static str),
    /// A whole number of at most 31 bits.
    Number(i128),
    /// A constant of a word type.
    WordConstant(WordConstant),
    /// A sign.
    Sign(&'static str),
    /// Nothing more.
    End,
}

/// A constant such as `0ud8_5`. The value is that of its type: negative if it is signed and the highest bit is set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WordConstant {
    /// Whether the highest bit is the sign.
    pub signed: bool,
    /// How many bits.
    pub width: u32,
    /// Its value.
    pub value: i128,
}

/// A token and its place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Spanned {
    /// The token.
    pub token: Token,
    /// Where it stands.
    pub span: Span,
}

/// The words that cannot be names.
pub const WORDS: &[&str] = &[
    "A",
    "ABF",
    "ABG",
    "AF",
    "AG",
    "ASSIGN",
    "AX",
    "BU",
    "COMPASSION",
    "COMPUTE",
    "COMPWFF",
    "CONSTANTS",
    "CONSTARRAY",
    "CONSTRAINT",
    "CTLSPEC",
    "CTLSTARSPEC",
    "CTLWFF",
    "DEFINE",
    "E",
    "EBF",
    "EBG",
    "EF",
    "EG",
    "EX",
    "F",
    "FAIRNESS",
    "FALSE",
    "FROZENVAR",
    "FUN",
    "G",
    "H",
    "IN",
    "INIT",
    "INVAR",
    "INVARSPEC",
    "ISA",
    "ITYPE",
    "IVAR",
    "JUSTICE",
    "LTLSPEC",
    "LTLWFF",
    "MAX",
    "MIN",
    "MODULE",
    "NAME",
    "O",
    "PSLSPEC",
    "READ",
    "S",
    "SIMPWFF",
    "SPEC",
    "T",
    "TRANS",
    "TRUE",
    "U",
    "V",
    "VAR",
    "WRITE",
    "X",
    "Y",
    "Z",
    "abs",
    "array",
    "bool",
    "boolean",
    "case",
    "count",
    "esac",
    "extend",
    "in",
    "init",
    "max",
    "min",
    "mod",
    "next",
    "of",
    "process",
    "resize",
    "self",
    "signed",
    "sizeof",
    "swconst",
    "toint",
    "typeof",
    "union",
    "unsigned",
    "uwconst",
    "word",
    "word1",
    "xnor",
    "xor",
];

/// The signs, longer ones first.
pub const SIGNS: &[&str] = &[
    "<->", ":=", "..", "->", "<=", ">=", "<<", ">>", "!=", "::", "+", "-", "*", "/", "(", ")", "[", "]", "{", "}", ",",
    ";", ":", ".", "=", "<", ">", "!", "&", "|", "?",
];

impl Token {
    /// The token in words, for messages.
    pub fn described(&self) -> String {
        match self {
            Self::Name(name) => format!("`{name}`"),
            Self::Word(text) | Self::Sign(text) => format!("`{text}`"),
            Self::Number(value) => format!("`{value}`"),
            Self::WordConstant(_) => "a word constant".to_owned(),
            Self::End => "the end of the text".to_owned(),
        }
    }
}
