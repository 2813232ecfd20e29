//! Lints: what is allowed and means something, but probably not what its author thinks. Warnings never change a verdict.
//!
//! A statement of an inline, or of a macro, occurs several times in the model with one place in the text. Such a place is
//! suspicious only if all its occurrences are: what is odd in one call may be right in another. [`Tally`] counts so.

mod choices;
mod labels;
mod reach;
mod uses;
mod values;
mod walk;

use crate::check::Checked;
use crate::lower::points_to::PointsTo;
use crate::tree::Model;
use lariat_base::{Diagnostic, Note, SourceMap, Span};
use std::collections::HashMap;

/// The most warnings of one code: the rest would say the same.
const MAX_OF_A_KIND: usize = 20;

/// What is suspicious about a model without errors, in the order of the text.
pub(crate) fn lint(sources: &SourceMap, model: &Model, checked: &Checked) -> Vec<Diagnostic> {
    let mut tally = Tally::default();
    let channels = PointsTo::new(checked);
    choices::lint(checked, &channels, &mut tally);
    labels::lint(model, &mut tally);
    reach::lint(checked, &mut tally);
    uses::lint(sources, model, checked, &mut tally);
    values::lint(checked, &channels, &mut tally);
    tally.finish()
}

/// Places and what was found there.
#[derive(Default)]
struct Tally {
    /// By code, place and part of it; `None` where something was found to be in order.
    found: HashMap<(&'static str, Span, usize), Option<Diagnostic>>,
}

impl Tally {
    /// One occurrence of the place is in order, so none is reported.
    fn mark_valid(&mut self, code: &'static str, span: Span) {
        self.mark_valid_part(code, span, 0);
    }
    /// One occurrence of the place is suspicious.
    fn suspicious(&mut self, warning: Diagnostic) {
        self.suspicious_part(0, warning);
    }
    /// The same of one part of a statement, such as a field of a message.
    fn mark_valid_part(&mut self, code: &'static str, span: Span, part: usize) {
        self.found.insert((code, span, part), None);
    }
    fn suspicious_part(&mut self, part: usize, warning: Diagnostic) {
        self.found.entry((warning.code, warning.span, part)).or_insert(Some(warning));
    }
    fn finish(self) -> Vec<Diagnostic> {
        // By every part of the key, so that the order does not depend on a hash.
        let mut found: Vec<_> = self.found.into_iter().filter_map(|(key, warning)| Some((key, warning?))).collect();
        found.sort_by_key(|((code, span, part), _)| (span.file.0, span.start, span.end, *code, *part));
        let mut found: Vec<Diagnostic> = found.into_iter().map(|(_, warning)| warning).collect();
        let mut totals: HashMap<&'static str, usize> = HashMap::new();
        found.iter().for_each(|warning| *totals.entry(warning.code).or_default() += 1);
        let mut shown: HashMap<&'static str, usize> = HashMap::new();
        found.retain_mut(|warning| {
            let number = shown.entry(warning.code).or_default();
            *number += 1;
            if *number == MAX_OF_A_KIND && totals[warning.code] > MAX_OF_A_KIND {
                let rest = totals[warning.code] - MAX_OF_A_KIND;
                let message = format!("{rest} more of this kind are not shown");
                warning.notes.push(Note { span: Span::NONE, message });
            }
            *number <= MAX_OF_A_KIND
        });
        found
    }
}
