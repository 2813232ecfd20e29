//! The preprocessor: texts to one list of tokens, with C's directives and macros.
//!
//! Macros are expanded on lexemes, by a stack of frames: a frame holds a macro's body with its arguments put in, and
//! while it is on the stack its macro is not expanded again. So expansion streams, and a macro that grows without
//! bound costs no memory before its budget ends.
//!
//! A token out of a macro's body carries the place where the macro is used (as SPIN numbers lines) and a link to the
//! body; a token out of an argument carries its own place. Line ends within a use are space, as in C.
//!
//! All of C's preprocessor is there but `__VA_OPT__`, `#include_next`, and what compilers predefine: of that only
//! `__LINE__`, `__FILE__`, `__COUNTER__` and `__INCLUDE_LEVEL__`. `#include <FILE>` looks where `#include "FILE"` does.

mod builtin;
mod condition;
mod directive;
mod finish;
mod macros;
mod paste;
mod record;

use std::collections::{HashMap, HashSet};

use lariat_base::{Diagnostic, FileId, SourceMap, Span};

use crate::lex::{Lexer, Names, Placed};
use crate::report::Report;
use crate::token::{Name, Punct, Token};
use directive::Conditional;
use macros::{Frame, Macro};

/// Finds the text of an included file: given the path as written and the name of the file that asks for it, the name to
/// show and the text, or why there is none.
pub type Loader<'a> = dyn FnMut(&str, &str) -> Result<(String, String), String> + 'a;

/// What the command line says about preprocessing.
#[derive(Clone, Default, Debug)]
pub struct Options {
    /// Macros defined beforehand, with their bodies; a name may bring its parameters, as in `F(x)`.
    pub defines: Vec<(String, String)>,
}

/// Tokens that a model may have after expansion.
const MAX_TOKENS: usize = 2_000_000;
/// Lexemes that macro expansion may handle.
const MAX_EXPANSION: usize = 4_000_000;
/// Files open at once, and included in all.
const MAX_OPEN_FILES: usize = 200;
const MAX_INCLUDES: usize = 10_000;
/// Bytes of included text.
const MAX_INCLUDED_BYTES: usize = 64 << 20;

/// The macros that are defined at the end of a text.
#[derive(Clone, Default, Debug)]
pub(crate) struct Macros(HashMap<Name, std::sync::Arc<Macro>>);

/// The tokens of a model, and its macros at the end. The last token is [`TokenKind::End`](crate::token::TokenKind::End).
pub(crate) fn preprocess(
    sources: &mut SourceMap,
    main: FileId,
    options: &Options,
    loader: &mut Loader<'_>,
    report: &mut Report,
) -> (Vec<Token>, Macros) {
    expand(sources, main, Macros::default(), options, loader, report)
}

/// The tokens of a text, as the parser gets them, and what is wrong or dubious about it. The text is added to `sources`.
pub fn tokens(
    sources: &mut SourceMap,
    name: &str,
    text: &str,
    options: &Options,
    loader: &mut Loader<'_>,
) -> (Vec<Token>, Vec<Diagnostic>) {
    let mut report = Report::default();
    let main = sources.add(name, text);
    let (tokens, _) = preprocess(sources, main, options, loader, &mut report);
    (tokens, report.finish())
}

/// The tokens of a text that stands by itself, such as a formula, where `macros` are defined.
pub(crate) fn preprocess_alone(
    sources: &mut SourceMap,
    file: FileId,
    macros: &Macros,
    report: &mut Report,
) -> Vec<Token> {
    let mut loader = |_: &str, _: &str| Err("nothing can be included here".to_string());
    expand(sources, file, macros.clone(), &Options::default(), &mut loader, report).0
}

fn expand(
    sources: &mut SourceMap,
    main: FileId,
    macros: Macros,
    options: &Options,
    loader: &mut Loader<'_>,
    report: &mut Report,
) -> (Vec<Token>, Macros) {
    let mut preprocessor = Preprocessor {
        sources,
        loader,
        report,
        names: Names::default(),
        macros,
        busy: HashSet::new(),
        frames: Vec::new(),
        outermost_use: None,
        files: Vec::new(),
        options_file: None,
        included: HashMap::new(),
        once: Vec::new(),
        counter: 0,
        include_count: 0,
        included_bytes: 0,
        expansion: 0,
        argument_depth: 0,
        given_up: false,
    };
    preprocessor.open(main);
    preprocessor.define_options(options);
    let mut placed = Vec::new();
    while let Some(next) = preprocessor.next_expanded() {
        if placed.len() == MAX_TOKENS {
            let message = format!("the model has more than {MAX_TOKENS} tokens after macro expansion");
            preprocessor.give_up(next.span, message);
            break;
        }
        placed.push(next);
    }
    let end = preprocessor.sources.file(main).map_or(0, |file| file.text.trim_end().len());
    let end = Span::new(main, end, end);
    if preprocessor.given_up {
        placed.clear();
    }
    let macros = std::mem::take(&mut preprocessor.macros);
    (finish::finish(placed, end, report), macros)
}

/// A file being read.
struct OpenFile {
    lexer: Lexer,
    conditionals: Vec<Conditional>,
    /// By `#line`: what is added to the number of a line, and the name that is shown.
    line_shift: i64,
    shown_name: Option<Name>,
}

struct Preprocessor<'a, 'l> {
    sources: &'a mut SourceMap,
    loader: &'a mut Loader<'l>,
    report: &'a mut Report,
    names: Names,
    macros: Macros,
    /// Names of the macros whose frames are on the stack.
    busy: HashSet<Name>,
    frames: Vec<Frame>,
    /// Where the macro stands in the text whose frames are on the stack, or were last.
    outermost_use: Option<Span>,
    files: Vec<OpenFile>,
    /// The text that stands for the definitions by options.
    options_file: Option<FileId>,
    included: HashMap<String, FileId>,
    /// Files with `#pragma once`.
    once: Vec<FileId>,
    /// How often `__COUNTER__` was used.
    counter: u32,
    include_count: usize,
    included_bytes: usize,
    /// Lexemes handled by expansion so far.
    expansion: usize,
    argument_depth: usize,
    /// A budget has ended: there are no more lexemes.
    given_up: bool,
}

impl Preprocessor<'_, '_> {
    fn open(&mut self, file: FileId) {
        let text = self.sources.file(file).map_or("", |file| file.text.as_str());
        self.files.push(OpenFile {
            lexer: Lexer::new(file, text),
            conditionals: Vec::new(),
            line_shift: 0,
            shown_name: None,
        });
    }

    /// Reads the options as a file of definitions in front of the model.
    fn define_options(&mut self, options: &Options) {
        if options.defines.is_empty() {
            return;
        }
        let line = |(name, body): &(String, String)| format!("#define {name} {}\n", body.replace(['\n', '\r'], " "));
        let text: String = options.defines.iter().map(line).collect();
        let file = self.sources.add("<options>", text);
        self.options_file = Some(file);
        self.open(file);
    }

    /// The next lexeme of the files, directives done and skipped text left out.
    fn next_from_files(&mut self) -> Option<Placed> {
        while let Some(file) = self.files.last_mut() {
            if self.given_up || self.report.is_full() {
                return None;
            }
            if file.conditionals.last().is_some_and(|conditional| !conditional.active) {
                file.lexer.skip_to_directive();
            }
            let placed = file.lexer.next(&mut self.names);
            if placed.lexeme == crate::lex::Lexeme::End {
                self.close();
            } else if placed.first_of_line && placed.is(Punct::Hash) {
                self.directive(placed.span);
            } else {
                return Some(placed);
            }
        }
        None
    }

    fn close(&mut self) {
        let Some(file) = self.files.pop() else { return };
        if let Some(span) = file.lexer.open_comment {
            let diagnostic = Diagnostic::error(span, "P0003", "this comment does not end");
            self.report.push(diagnostic.help("close it by `*/`"));
        }
        if let Some(span) = file.lexer.stray_end {
            let diagnostic = Diagnostic::warning(span, "P0006", "this `*/` ends no comment and is ignored");
            self.report.push(diagnostic.help("comments do not nest: the first `*/` ends them"));
        }
        for open in file.conditionals {
            let diagnostic = Diagnostic::error(open.span, "P0012", "this conditional has no `#endif`");
            self.report.push(diagnostic);
        }
    }

    fn give_up(&mut self, span: Span, message: impl Into<String>) {
        if !self.given_up {
            self.given_up = true;
            self.report.push(Diagnostic::error(span, "P0020", message));
        }
    }

    fn error(&mut self, span: Span, code: &'static str, message: impl Into<String>) {
        self.report.push(Diagnostic::error(span, code, message));
    }
}
