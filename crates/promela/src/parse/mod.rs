//! The parser: tokens to the tree, by recursive descent.
//!
//! A function that meets a mistake reports it and returns [`Abort`]; sequences and units catch that, skip to where a
//! statement or unit may begin, and go on, so one reading finds several mistakes.
//!
//! A line end counts as a separator (as in SPIN since 6.3) unless the next line begins with an operator that cannot
//! begin a statement (as older models have it). Between parentheses and brackets line ends mean nothing.
//!
//! Recursion is bounded by [`MAX_DEPTH`] in all, over blocks, parentheses and expanded inlines together.

mod declarations;
mod expressions;
mod inlines;
mod messages;
mod names;
mod receives;
mod statements;
mod units;

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use lariat_base::{Diagnostic, SourceMap, Span};

use crate::preprocess::{Loader, Macros, Options, preprocess};
use crate::report::Report;
use crate::token::{Keyword, Name, Punct, Token, TokenKind};
use crate::tree::{Expr, Model};
use inlines::Definition;

/// How deep a model may be nested: a pair of parentheses counts one, a statement within a statement two, as it needs
/// that much more stack. All of it fits into 2 MiB in a build without optimisation.
pub const MAX_DEPTH: usize = 200;

/// What came out of reading a model. If no diagnostic is an error, the tree is the whole model.
pub struct Parsed {
    /// The tree of all that could be read.
    pub model: Model,
    /// What is wrong or dubious, in the order it was found.
    pub diagnostics: Vec<Diagnostic>,
    /// The macros that are defined at the end, for texts that speak of the model.
    pub(crate) macros: Macros,
}

/// Reads a model: preprocesses and parses `text`, shown as `name`. Its texts are added to `sources`, the main one
/// first; `loader` finds those it includes.
pub fn parse_model(
    sources: &mut SourceMap,
    name: &str,
    text: &str,
    options: &Options,
    loader: &mut Loader<'_>,
) -> Parsed {
    let mut report = Report::default();
    if u32::try_from(text.len()).is_err() {
        report.push(Diagnostic::error(Span::NONE, "P0020", "the model has more than 4 GiB of text"));
        return Parsed { model: Model::default(), diagnostics: report.finish(), macros: Macros::default() };
    }
    let main = sources.add(name, text);
    let (tokens, macros) = preprocess(sources, main, options, loader, &mut report);
    let model = Parser::new(sources, &mut report, tokens).model();
    Parsed { model, diagnostics: report.finish(), macros }
}

/// Reads tokens, of which the last one is the end, as one expression. `proctypes` decide what `P:x` is.
pub(crate) fn parse_expression(
    sources: &SourceMap,
    tokens: Vec<Token>,
    proctypes: HashSet<Name>,
) -> Result<Expr, Vec<Diagnostic>> {
    let mut report = Report::default();
    let mut parser = Parser::new(sources, &mut report, tokens);
    parser.proctypes = proctypes;
    // Line ends mean nothing here.
    parser.brackets = 1;
    let expr = match parser.expr() {
        Ok(expr) if parser.at_end() => Some(expr),
        Ok(_) => {
            parser.expected("an operator or the end");
            None
        }
        Err(Abort) => None,
    };
    let diagnostics = report.finish();
    expr.filter(|_| !diagnostics.iter().any(Diagnostic::is_error)).ok_or(diagnostics)
}

/// A mistake was reported; the construct cannot be read further.
struct Abort;

type Parse<T> = Result<T, Abort>;

struct Parser<'a> {
    sources: &'a SourceMap,
    report: &'a mut Report,
    /// The model's tokens, or those of the inline being expanded. The last one is the end.
    tokens: Rc<[Token]>,
    at: usize,
    depth: usize,
    /// Open parentheses and brackets: line ends mean nothing within.
    brackets: usize,
    /// Whether the statement read last is a call of an inline, after which no separator is needed.
    last_was_call: bool,
    open_ifs: usize,
    open_dos: usize,
    /// Bodies whose closing brace was missed where a unit began: what is left of them tells nothing new.
    unclosed: usize,
    /// Names of what was declared so far: as in SPIN they decide what `P:x` and `T x` are.
    proctypes: HashSet<Name>,
    typedefs: HashSet<Name>,
    inlines: HashMap<Name, Rc<Definition>>,
    /// The inlines being expanded, with the places of their calls.
    calls: Vec<(Name, Span)>,
    /// The body of the inline being expanded.
    body: Option<Span>,
    /// For each of its tokens the place in the body: for one of an argument that of the parameter.
    places: Option<Rc<[Span]>>,
    /// Tokens that inlines were expanded to so far.
    inlined: usize,
    /// Whether the rest of the text was given up: what could be said of its end is no mistake of the text.
    gave_up: bool,
}

impl<'a> Parser<'a> {
    fn new(sources: &'a SourceMap, report: &'a mut Report, tokens: Vec<Token>) -> Self {
        Self {
            sources,
            report,
            tokens: tokens.into(),
            at: 0,
            depth: 0,
            brackets: 0,
            last_was_call: false,
            open_ifs: 0,
            open_dos: 0,
            unclosed: 0,
            proctypes: HashSet::new(),
            typedefs: HashSet::new(),
            inlines: HashMap::new(),
            calls: Vec::new(),
            body: None,
            places: None,
            inlined: 0,
            gave_up: false,
        }
    }
}

impl Parser<'_> {
    fn token(&self) -> &Token {
        self.ahead(0)
    }
    fn ahead(&self, distance: usize) -> &Token {
        self.tokens.get(self.at + distance).or(self.tokens.last()).expect("there is an end token")
    }
    fn span(&self) -> Span {
        self.token().span
    }
    /// The place of the token before.
    fn last_span(&self) -> Span {
        self.tokens[self.at.saturating_sub(1)].span
    }
    /// From `start` up to the token before.
    fn since(&self, start: Span) -> Span {
        self.over(start, self.last_span())
    }
    /// The place of the statement that begins with token `first`, at `start`, and ends before this token. In an inline that is
    /// a place in its body, also where all that is written there are parameters.
    fn statement_place(&self, first: usize, start: Span) -> Span {
        match self.places.as_ref().map(|places| (places.get(first), places.get(self.at.saturating_sub(1)))) {
            Some((Some(first), Some(last))) => first.to(*last),
            _ => self.since(start),
        }
    }
    /// The place of both. Where one is in the inline being expanded and the other in an argument of its call, that is the
    /// one in the inline: what lies between them belongs to neither.
    fn over(&self, left: Span, right: Span) -> Span {
        let Some(body) = self.body else { return left.to(right) };
        let inside = |span: Span| span.file == body.file && body.start <= span.start && span.end <= body.end;
        match (inside(left), inside(right)) {
            (true, false) => left,
            (false, true) => right,
            _ => left.to(right),
        }
    }
    fn bump(&mut self) {
        self.at = (self.at + 1).min(self.tokens.len() - 1);
    }
    fn at_end(&self) -> bool {
        self.token().kind == TokenKind::End || self.report.is_full()
    }
    fn is(&self, punct: Punct) -> bool {
        self.token().kind == TokenKind::Punct(punct)
    }
    fn is_keyword(&self, keyword: Keyword) -> bool {
        self.token().kind == TokenKind::Keyword(keyword)
    }
    fn take(&mut self, punct: Punct) -> bool {
        let taken = self.is(punct);
        if taken {
            self.bump();
        }
        taken
    }
    fn take_keyword(&mut self, keyword: Keyword) -> bool {
        let taken = self.is_keyword(keyword);
        if taken {
            self.bump();
        }
        taken
    }
    fn keyword(&self) -> Option<Keyword> {
        if let TokenKind::Keyword(keyword) = self.token().kind { Some(keyword) } else { None }
    }
    /// The token, if it can belong to what comes before it on the same line.
    fn punct_on_line(&self) -> Option<Punct> {
        match self.token().kind {
            TokenKind::Punct(punct) if self.brackets > 0 || !self.token().newline_before => Some(punct),
            _ => None,
        }
    }

    fn expect(&mut self, punct: Punct, what: &str) -> Parse<Span> {
        let span = self.span();
        if self.take(punct) { Ok(span) } else { Err(self.expected(&format!("`{}` {what}", punct.text()))) }
    }

    /// Reads something between an opening bracket, which is the next token, and its closing one.
    fn bracketed<T>(&mut self, open: Punct, what: &str, inside: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        let close = match open {
            Punct::LBracket => Punct::RBracket,
            Punct::Lt => Punct::Gt,
            _ => Punct::RParen,
        };
        let opened = self.expect(open, what)?;
        self.brackets += 1;
        let result = inside(self).and_then(|value| {
            if self.take(close) {
                return Ok(value);
            }
            let diagnostic = self.diagnose(&format!("`{}`", close.text()));
            let diagnostic = diagnostic.note(opened, format!("to close this `{}`", open.text()));
            Err(self.abort(diagnostic))
        });
        self.brackets -= 1;
        result
    }

    /// Goes one level down, unless that is too deep.
    fn nested<T>(&mut self, inside: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        self.nested_by(1, inside)
    }

    /// Goes some levels down, unless that is too deep.
    fn nested_by<T>(&mut self, levels: usize, inside: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        if self.depth + levels > MAX_DEPTH {
            let message = "this is nested too deep: 200 parentheses or 100 statements are the limit";
            let diagnostic = Diagnostic::error(self.span(), "P0106", message);
            let abort = self.abort(diagnostic);
            // What is left of such a text tells nothing: everything up to the end is given up.
            self.at = self.tokens.len() - 1;
            self.gave_up = true;
            return Err(abort);
        }
        self.depth += levels;
        let result = inside(self);
        self.depth -= levels;
        result
    }

    /// Items between commas.
    fn list<T>(&mut self, mut item: impl FnMut(&mut Self) -> Parse<T>) -> Parse<Vec<T>> {
        let mut items = vec![item(self)?];
        while self.take(Punct::Comma) {
            items.push(item(self)?);
        }
        Ok(items)
    }
}
