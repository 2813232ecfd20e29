//! Tokens: what the preprocessor hands to the parser.

use std::fmt;
use std::sync::Arc;

use lariat_base::Span;

/// A name of the model. Cheap to clone; equal names of one model share their text.
pub type Name = Arc<str>;

/// A token after macro expansion.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// Where it stands in the model: for a token out of a macro's body, the place where the macro is used.
    pub span: Span,
    /// Where a token out of a macro's body is spelled.
    pub expanded_from: Option<Span>,
    /// Whether a line ends between the token before and this one.
    pub newline_before: bool,
}

/// What a token is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TokenKind {
    /// A name that is not a keyword.
    Name(Name),
    /// A word of the language.
    Keyword(Keyword),
    /// A decimal number, at most `u32::MAX`.
    Number(u32),
    /// A character constant.
    Char(u8),
    /// A string: the text between the quotes, its escapes as they are spelled.
    Str(Name),
    /// An operator or bracket.
    Punct(Punct),
    /// The end of the tokens.
    End,
}

impl fmt::Display for TokenKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => f.write_str(name),
            Self::Keyword(keyword) => f.write_str(keyword.text()),
            Self::Number(number) => write!(f, "{number}"),
            Self::Char(byte) => write_char(*byte, f),
            Self::Str(text) => write!(f, "\"{text}\""),
            Self::Punct(punct) => f.write_str(punct.text()),
            Self::End => f.write_str("the end of the text"),
        }
    }
}

/// A character constant as it is spelled in Promela.
pub(crate) fn write_char(byte: u8, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    match byte {
        b'\n' => f.write_str("'\\n'"),
        b'\t' => f.write_str("'\\t'"),
        b'\r' => f.write_str("'\\r'"),
        0 => f.write_str("'\\0'"),
        b'\\' | b'\'' => write!(f, "'\\{}'", byte as char),
        _ => write!(f, "'{}'", byte as char),
    }
}

macro_rules! spelled {
    ($(#[$doc:meta])* $kind:ident { $($name:ident = $text:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #[allow(missing_docs, reason = "each is documented by its spelling")]
        pub enum $kind { $($name,)* }

        impl $kind {
            /// All of them.
            pub const ALL: &[$kind] = &[$($kind::$name,)*];

            /// How it is spelled.
            pub fn text(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }
            /// The one spelled so.
            pub fn from_text(text: &str) -> Option<Self> {
                match text { $($text => Some(Self::$name),)* _ => None }
            }
        }
    };
}

spelled! {
    /// A word that cannot be a name. (`in` and `select` can: they mean something only where a name cannot stand.)
    Keyword {
        Active = "active", Assert = "assert", Atomic = "atomic", Bit = "bit", Bool = "bool", Break = "break",
        Byte = "byte", CCode = "c_code", CDecl = "c_decl", CExpr = "c_expr", CState = "c_state", CTrack = "c_track",
        Chan = "chan", DProctype = "D_proctype", DStep = "d_step", Do = "do", Else = "else", Empty = "empty",
        Enabled = "enabled", Eval = "eval", False = "false", Fi = "fi", For = "for", Full = "full",
        GetPriority = "get_priority", Goto = "goto", Hidden = "hidden", If = "if", Init = "init", Inline = "inline",
        Int = "int", Len = "len", Local = "local", Ltl = "ltl", Mtype = "mtype", Nempty = "nempty", Never = "never",
        Nfull = "nfull", Notrace = "notrace", Np = "np_", Od = "od", Of = "of", PcValue = "pc_value", Pid = "pid",
        Printf = "printf", Printm = "printm", Priority = "priority", Proctype = "proctype", Provided = "provided",
        Run = "run", SetPriority = "set_priority", Short = "short", Show = "show", Skip = "skip",
        Timeout = "timeout", Trace = "trace", True = "true", Typedef = "typedef", Unless = "unless",
        Unsigned = "unsigned", Xr = "xr", Xs = "xs",
    }
}

spelled! {
    /// An operator, separator or bracket. `[]`, `<>` and `<->` occur in formulas only.
    Punct {
        LParen = "(", RParen = ")", LBrace = "{", RBrace = "}", LBracket = "[", RBracket = "]",
        Always = "[]", Eventually = "<>", Iff = "<->",
        Comma = ",", Semi = ";", Colon = ":", ColonColon = "::", Dot = ".", DotDot = "..", Arrow = "->", At = "@",
        Hash = "#", HashHash = "##",
        Assign = "=", Eq = "==", Ne = "!=", Lt = "<", Le = "<=", Gt = ">", Ge = ">=", Shl = "<<", Shr = ">>",
        Bang = "!", BangBang = "!!", Query = "?", QueryQuery = "??",
        Plus = "+", PlusPlus = "++", Minus = "-", MinusMinus = "--", Star = "*", Slash = "/", Percent = "%",
        And = "&", AndAnd = "&&", Or = "|", OrOr = "||", Caret = "^", Tilde = "~",
    }
}
