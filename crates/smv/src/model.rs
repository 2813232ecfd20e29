//! The front door: from a text to a model, and from a model to systems in which conditions are observed.

use crate::check::{Condition, Flat, Property, Specification, check, check_formula};
use crate::lower::{Thresholds, lower};
use crate::parse::{parse, parse_formula};
use crate::report::Report;
use crate::tree::{SpecKind, Tree};
use lariat_base::{Diagnostic, SourceMap, Span};
use lariat_system::{Layout, System};
use std::sync::Arc;

/// A model without errors. Every property that is checked has a copy of its own, so a copy shares all that may be long.
#[derive(Clone, Debug)]
pub struct CheckedModel {
    name: String,
    flat: Arc<Flat>,
    /// As it was read: formulas from elsewhere speak of its names.
    tree: Arc<Tree>,
    main: Span,
    warnings: Arc<[Diagnostic]>,
    observed: Vec<Condition>,
    named_parts: Thresholds,
}

/// Reads a model, which is added to `sources` as `name`.
pub fn read_model(sources: &mut SourceMap, name: &str, text: &str) -> Result<CheckedModel, Vec<Diagnostic>> {
    let file = sources.add(name, text);
    let main = Span::new(file, 0, 0);
    let mut report = Report::default();
    let tree = parse(text, file, &mut report);
    let mut names = sources.take_names();
    if report.has_errors() {
        // What names mean in the part of a broken text that could be read is worth knowing; what else is wrong with it is not.
        if names.is_some() {
            check(&tree, sources, main, &mut Report::default(), &mut names);
        }
        sources.give_names(names);
        return Err(report.finish());
    }
    let flat = check(&tree, sources, main, &mut report, &mut names);
    sources.give_names(names);
    if report.has_errors() {
        return Err(report.finish());
    }
    let (flat, tree, warnings) = (Arc::new(flat), Arc::new(tree), report.finish().into());
    Ok(CheckedModel {
        name: name.to_owned(),
        flat,
        tree,
        main,
        warnings,
        observed: Vec::new(),
        named_parts: Thresholds::USUAL,
    })
}

impl CheckedModel {
    pub(crate) fn tree(&self) -> &Tree {
        &self.tree
    }
    /// The beginning of the text.
    pub(crate) fn main(&self) -> Span {
        self.main
    }
    /// What is suspicious but no error.
    pub fn warnings(&self) -> &[Diagnostic] {
        &self.warnings
    }
    /// The model without modules.
    pub fn flat(&self) -> &Flat {
        &self.flat
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
    /// The model with conditions to be observed. Its systems have a label for each, in this order, before any others: of
    /// states, or of steps where the condition speaks of inputs or of the next state. Conditions observed so far are no
    /// longer.
    #[must_use]
    pub fn observing(&self, conditions: Vec<Condition>) -> Self {
        Self { observed: conditions, ..self.clone() }
    }
    /// The same with a name for every part of a condition or a value that is used twice, as large models have them. For tests.
    #[must_use]
    pub fn naming_parts(&self) -> Self {
        Self { named_parts: Thresholds::LEAST, ..self.clone() }
    }
    /// The system.
    pub fn system(&self) -> Result<System, Vec<Diagnostic>> {
        let system = lower(&self.name, &self.flat, &self.observed, self.named_parts)?;
        if let Err(too_large) = Layout::new(&system) {
            let help = "make ranges, arrays or numbers of instances smaller";
            return Err(vec![Diagnostic::error(self.main, "V0700", too_large.to_string()).help(help)]);
        }
        system.validate().map_err(|mut errors| {
            let nowhere = errors.iter_mut().filter(|error| error.span.is_none());
            nowhere.for_each(|error| error.span = self.main);
            errors
        })?;
        Ok(system)
    }
}
