//! The front door.

use crate::check::{Flat, Property, Specification, check, check_formula};
use crate::parse::{parse, parse_formula};
use crate::report::Report;
use crate::tree::{SpecKind, Tree};
use lariat_base::{Diagnostic, SourceMap, Span};

/// A model without errors.
#[derive(Clone, Debug)]
pub struct CheckedModel {
    flat: Flat,
    tree: Tree,
    main: Span,
    warnings: Vec<Diagnostic>,
}

/// Reads a model, which is added to `sources` as `name`.
pub fn read_model(sources: &mut SourceMap, name: &str, text: &str) -> Result<CheckedModel, Vec<Diagnostic>> {
    let file = sources.add(name, text);
    let main = Span::new(file, 0, 0);
    let mut report = Report::default();
    let tree = parse(text, file, &mut report);
    if report.has_errors() {
        return Err(report.finish());
    }
    let flat = check(&tree, sources, main, &mut report);
    if report.has_errors() {
        return Err(report.finish());
    }
    Ok(CheckedModel { flat, tree, main, warnings: report.finish() })
}

impl CheckedModel {
    /// What is suspicious but no error.
    pub fn warnings(&self) -> &[Diagnostic] {
        &self.warnings
    }
    /// The specifications: those of instances first, in the order of the text.
    pub fn specifications(&self) -> &[Specification] {
        &self.flat.specs
    }
    /// A formula about the model, of the kind given. It is added to `sources` as `name`.
    pub fn formula(
        &self,
        sources: &mut SourceMap,
        name: &str,
        text: &str,
        kind: SpecKind,
    ) -> Result<Property, Vec<Diagnostic>> {
        let file = sources.add(name, text);
        let mut report = Report::default();
        let property = parse_formula(text, file, &mut report)
            .ok()
            .and_then(|formula| check_formula(&self.tree, &formula, kind, sources, self.main, &mut report));
        property.ok_or_else(|| report.finish())
    }
}
