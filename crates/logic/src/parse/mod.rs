//! From text to formula: one parser for the spellings of SPIN, NuSMV and Spot.
//!
//! Precedence climbing over tokens. What stands between the operators is a proposition: a name, a quoted text, or an
//! expression of the model's language. Where an expression ends is decided by its shape alone (`atom`): operands with the
//! expression operators of the dialect between them, brackets skipped as a whole. What it means is not decided here.
//!
//! Any text ends in a formula or in one diagnostic that points into it, in time linear in the text (times the depth, for
//! a pile of `!`s): recursion, depth and size are bounded.

mod atom;
mod bounds;
mod grammar;
mod lexer;
mod mistakes;
mod tree;

use crate::{Formula, Propositions};
use grammar::Grammar;
use lariat_base::{Diagnostic, FileId, Span};
use lexer::Token;

pub(crate) use atom::{Shape, shape_of};
pub(crate) use grammar::{Infix, Prefix, is_operator_word};

/// How deep a formula may be nested. All that is done with formulas recurs no deeper than a fixed multiple of it, which
/// fits into 2 MiB of stack.
pub const MAX_DEPTH: usize = 500;

/// How many operators and propositions a formula may have once `X[n]` and its like are written out.
pub const MAX_SIZE: usize = 1 << 20;

/// Whose spelling, precedences and expressions.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Dialect {
    /// Whichever of the three the text looks like, with the operators of all of them. In printing: Spot's, with
    /// NuSMV's letters for the past.
    #[default]
    Auto,
    /// Those of SPIN's `ltl` blocks: `[] <> U V W X && || ! -> <->` and their words; propositions are Promela.
    Spin,
    /// Those of NuSMV: `G F X U V Y Z O H S T & | ! -> <-> xor xnor`; propositions are SMV.
    Nusmv,
    /// Those of Spot: `G F X U R W M & | ! -> <-> xor`; propositions are names or `"quoted"`.
    Spot,
}

/// How a formula is to be read.
#[derive(Clone, Copy, Debug)]
pub struct ParseOptions {
    /// Whose spelling.
    pub dialect: Dialect,
    /// Whether `E` and `A` are path quantifiers (CTL and CTL*). Without, they are a mistake where they look like one.
    pub quantifiers: bool,
    /// The file that diagnostics and propositions point into; offsets are those of the text.
    pub file: FileId,
}

impl Default for ParseOptions {
    fn default() -> Self {
        Self { dialect: Dialect::Auto, quantifiers: false, file: Span::NONE.file }
    }
}

/// Reads a formula. Its propositions are looked up in `props`, and added if they are new.
pub fn parse(text: &str, options: ParseOptions, props: &mut Propositions) -> Result<Formula, Diagnostic> {
    let tokens = lexer::tokens(text, options.file)?;
    let grammar = Grammar::new(options.dialect, options.quantifiers, &tokens);
    let tokens = lexer::split_words(tokens, &grammar);
    let groups = lexer::groups(&tokens);
    let mut parser = Parser { text, file: options.file, grammar, tokens, groups, at: 0, level: 0, opened: None, props };
    parser.whole().map(|built| built.formula)
}

/// The dialect that [`Dialect::Auto`] stands for in reading this text.
pub fn recognise(text: &str) -> Dialect {
    lexer::tokens(text, Span::NONE.file)
        .map_or(Dialect::Spot, |tokens| Grammar::new(Dialect::Auto, false, &tokens).dialect)
}

/// A formula with its measures: they are known as it is built, since it may be too large to be looked at.
struct Built {
    formula: Formula,
    depth: usize,
    size: usize,
}

type Parse<T> = Result<T, Diagnostic>;

struct Parser<'a> {
    text: &'a str,
    file: FileId,
    grammar: Grammar,
    tokens: Vec<Token<'a>>,
    /// For each opening bracket the one that closes it, if there is one.
    groups: Vec<Option<usize>>,
    at: usize,
    /// How deep the recursion is.
    level: usize,
    /// The innermost open parenthesis.
    opened: Option<usize>,
    props: &'a mut Propositions,
}

impl<'a> Parser<'a> {
    fn token(&self, at: usize) -> Option<&Token<'a>> {
        self.tokens.get(at)
    }
    /// The spelling of the token there; empty at the end, and for what is quoted: that is never an operator.
    fn word(&self, at: usize) -> &'a str {
        self.token(at).filter(|token| token.kind != lexer::Kind::Quoted).map_or("", |token| token.text)
    }
    /// The place of the token there; at the end, just behind the text.
    fn span(&self, at: usize) -> Span {
        match self.token(at) {
            Some(token) => Span::new(self.file, token.start, token.end),
            None => Span::new(self.file, self.text.trim_end().len(), self.text.trim_end().len()),
        }
    }
}
