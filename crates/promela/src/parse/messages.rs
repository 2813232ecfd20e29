//! What the parser says, and where it goes on after a mistake.

use lariat_base::{Diagnostic, Span, closest_name};

use super::{Abort, Parser};
use crate::token::{Keyword, Punct, TokenKind};

impl Parser<'_> {
    /// Reports, with the inlines that led here.
    pub(super) fn abort(&mut self, mut diagnostic: Diagnostic) -> Abort {
        if self.gave_up {
            return Abort;
        }
        for (name, call) in self.calls.iter().rev().take(4) {
            diagnostic = diagnostic.note(*call, format!("in this call of inline `{name}`"));
        }
        self.report.push(diagnostic);
        Abort
    }

    pub(super) fn error(&mut self, span: Span, code: &'static str, message: impl Into<String>) -> Abort {
        self.abort(Diagnostic::error(span, code, message))
    }

    /// Reports that something else should stand here.
    pub(super) fn expected(&mut self, what: &str) -> Abort {
        let diagnostic = self.diagnose(what);
        self.abort(diagnostic)
    }

    /// Says that `what` should stand here, with help where the mistake is a common one.
    pub(super) fn diagnose(&self, what: &str) -> Diagnostic {
        let token = self.token();
        let shown: String = token.kind.to_string().chars().take(60).collect();
        let found = if token.kind == TokenKind::End { self.end_name().to_string() } else { format!("`{shown}`") };
        let message = format!("expected {what}, found {found}");
        let mut diagnostic = Diagnostic::error(token.span, "P0100", message);
        if let Some(body) = token.expanded_from {
            diagnostic = diagnostic.note(body, format!("{found} comes from this macro"));
        }
        match self.help_with_mistake() {
            Some(help) => diagnostic.help(help),
            None => diagnostic,
        }
    }

    fn end_name(&self) -> &'static str {
        if self.calls.is_empty() { "the end of the text" } else { "the end of the inline" }
    }

    /// Help with a common mistake at the present token.
    fn help_with_mistake(&self) -> Option<String> {
        let before = self.at.checked_sub(1).map(|at| &self.tokens[at].kind);
        let help = match (&self.token().kind, before) {
            (TokenKind::Punct(Punct::Assign), Some(TokenKind::Punct(Punct::Assign | Punct::Eq))) => return None,
            (TokenKind::Punct(Punct::Assign), Some(TokenKind::Punct(op))) if is_c_assignment(*op) => {
                return Some(format!("there is no `{0}=`: write `x = x {0} 1`", op.text()));
            }
            (TokenKind::Punct(Punct::Assign), _) => "`==` compares; `=` assigns and is a statement of its own",
            (TokenKind::Punct(Punct::PlusPlus | Punct::MinusMinus), _) => {
                "`x++` and `x--` are statements of their own, written after the variable"
            }
            (TokenKind::Punct(Punct::Bang | Punct::BangBang), Some(TokenKind::Name(_))) => {
                "a send is a statement of its own, not a value; `nfull(q)` asks whether there is room"
            }
            (TokenKind::Punct(Punct::Query), _) => "a conditional expression is written `(c -> a : b)`",
            (TokenKind::Punct(Punct::Always | Punct::Eventually | Punct::Iff), _) => {
                "temporal operators belong into `ltl { ... }`"
            }
            (TokenKind::Keyword(keyword), Some(TokenKind::Keyword(before))) if names_follow(*before) => {
                return Some(format!("`{}` is a keyword and cannot be a name", keyword.text()));
            }
            (TokenKind::Keyword(Keyword::Run), _) => "`run` cannot be part of a larger expression",
            (TokenKind::Keyword(Keyword::If | Keyword::Do), _) => "`if` and `do` are statements, not values",
            (TokenKind::Name(_) | TokenKind::Number(_), Some(TokenKind::Str(_))) => {
                "what is printed follows the format after a `,`"
            }
            (
                TokenKind::Name(_) | TokenKind::Number(_) | TokenKind::Str(_) | TokenKind::Punct(Punct::LBrace),
                Some(TokenKind::Name(name)),
            ) => return self.misspelled(name),
            _ => return None,
        };
        Some(help.to_string())
    }

    /// What a name that stands where it cannot was perhaps meant to be.
    pub(super) fn misspelled(&self, name: &str) -> Option<String> {
        let foreign = match name {
            "while" => "a loop is written `do :: condition -> ... :: else -> break od`",
            "return" => "there is no `return`: a process ends at its closing brace",
            "switch" | "case" => "a choice is written `if :: condition -> ... :: else -> ... fi`",
            "elif" | "elseif" | "elsif" => "write `:: else -> if ... fi`",
            "then" => "the guard of an option ends at `->` or `;`",
            "endif" => "an `if` ends at `fi`",
            "done" | "end" => "a `do` ends at `od`, an `if` at `fi`",
            "void" | "char" | "long" | "float" | "double" | "string" => {
                "the types are bit, bool, byte, pid, short, int, unsigned, mtype, chan and those of typedef"
            }
            _ if name.len() < 3 => return None,
            _ => {
                let keywords = Keyword::ALL.iter().map(|keyword| keyword.text());
                let known = self.typedefs.iter().chain(self.inlines.keys()).map(|name| &**name);
                return closest_name(name, keywords.chain(known)).map(|near| format!("did you mean `{near}`?"));
            }
        };
        Some(foreign.to_string())
    }

    /// Skips to where a statement may end or begin.
    pub(super) fn skip_statement(&mut self, start: usize) {
        let mut depth = 0_usize;
        loop {
            let token = self.token();
            let fresh_line = token.newline_before && self.at > start;
            match &token.kind {
                TokenKind::End => return,
                TokenKind::Punct(Punct::LBrace) | TokenKind::Keyword(Keyword::If | Keyword::Do) => depth += 1,
                TokenKind::Punct(Punct::RBrace) | TokenKind::Keyword(Keyword::Fi | Keyword::Od) => {
                    if depth == 0 {
                        return;
                    }
                    depth -= 1;
                }
                TokenKind::Punct(Punct::Semi | Punct::Arrow | Punct::ColonColon) if depth == 0 => return,
                TokenKind::Keyword(keyword) if begins_unit(*keyword) && token.newline_before => return,
                _ if depth == 0 && fresh_line => return,
                _ => {}
            }
            self.bump();
        }
    }

    /// Skips to where a unit may begin.
    pub(super) fn skip_unit(&mut self) {
        let (mut depth, mut parentheses) = (0_usize, 0_usize);
        loop {
            let token = self.token();
            match &token.kind {
                TokenKind::End => return,
                TokenKind::Punct(Punct::LBrace) => depth += 1,
                TokenKind::Punct(Punct::RBrace) => depth = depth.saturating_sub(1),
                TokenKind::Punct(Punct::LParen) => parentheses += 1,
                TokenKind::Punct(Punct::RParen) => parentheses = parentheses.saturating_sub(1),
                TokenKind::Punct(Punct::Semi) if depth == 0 && parentheses == 0 => return,
                TokenKind::Keyword(keyword) if begins_unit(*keyword) && (depth == 0 || token.newline_before) => return,
                TokenKind::Keyword(keyword) if depth == 0 && token.newline_before && is_type(*keyword) => return,
                _ => {}
            }
            self.bump();
        }
    }
}

/// Whether C has an assignment that begins so.
fn is_c_assignment(op: Punct) -> bool {
    use Punct::{And, Caret, Minus, Or, Percent, Plus, Shl, Shr, Slash, Star};
    matches!(op, And | Caret | Minus | Or | Percent | Plus | Shl | Shr | Slash | Star)
}

/// Whether a new name stands behind this.
fn names_follow(keyword: Keyword) -> bool {
    use Keyword::{DProctype, Goto, Inline, Proctype, Typedef};
    is_type(keyword) || matches!(keyword, DProctype | Goto | Inline | Proctype | Typedef)
}

/// Whether only a unit can begin so.
pub(super) fn begins_unit(keyword: Keyword) -> bool {
    matches!(
        keyword,
        Keyword::Active
            | Keyword::Proctype
            | Keyword::DProctype
            | Keyword::Init
            | Keyword::Never
            | Keyword::Trace
            | Keyword::Notrace
            | Keyword::Ltl
            | Keyword::Inline
            | Keyword::Typedef
    )
}

/// Whether a declaration begins so.
pub(super) fn is_type(keyword: Keyword) -> bool {
    matches!(
        keyword,
        Keyword::Bit
            | Keyword::Bool
            | Keyword::Byte
            | Keyword::Short
            | Keyword::Int
            | Keyword::Pid
            | Keyword::Unsigned
            | Keyword::Chan
            | Keyword::Mtype
            | Keyword::Hidden
            | Keyword::Show
            | Keyword::Local
    )
}
