//! Formulas about models of languages in which a proposition is known by its text.

use super::{Observed, PropertyKind, PropositionReader, ReadProperty, StatedProperty};
use lariat_base::{Diagnostic, SourceMap, Span};
use lariat_logic::{Dialect, Formula, ParseOptions, PropId, Propositions, parse};

/// What makes labels of propositions.
type Observe<'m> = dyn FnOnce(Propositions) -> Result<Observed, Vec<Diagnostic>> + 'm;

/// Reads formulas without knowing what their propositions mean.
pub struct PlainReader<'m> {
    propositions: Propositions,
    stated: &'m [(StatedProperty, String)],
    observe: Box<Observe<'m>>,
}

impl<'m> PlainReader<'m> {
    /// A reader that has read nothing. The model states these properties, each with its formula, which stands at its place;
    /// `observe` makes a label of each proposition when all of them are known.
    pub fn new(
        stated: &'m [(StatedProperty, String)],
        observe: impl FnOnce(Propositions) -> Result<Observed, Vec<Diagnostic>> + 'm,
    ) -> Self {
        Self { propositions: Propositions::default(), stated, observe: Box::new(observe) }
    }

    fn parsed(&mut self, text: &str, place: Span, quantifiers: bool) -> Result<Formula, Vec<Diagnostic>> {
        let options = ParseOptions { dialect: Dialect::Auto, quantifiers, file: place.file };
        let moved = |span: Span| match span.is_none() {
            true => span,
            false => Span { file: place.file, start: place.start + span.start, end: place.start + span.end },
        };
        let mut own = Propositions::default();
        let formula = parse(text, options, &mut own).map_err(|mut error| {
            error.span = moved(error.span);
            error.notes.iter_mut().for_each(|note| note.span = moved(note.span));
            vec![error]
        })?;
        let props: Vec<PropId> =
            own.entries().map(|(_, read)| self.propositions.intern(&read.text, moved(read.span))).collect();
        Ok(formula.renamed(&props))
    }
}

impl PropositionReader for PlainReader<'_> {
    fn propositions(&self) -> &Propositions {
        &self.propositions
    }

    fn property(&mut self, _: &mut SourceMap, name: &str) -> Result<ReadProperty, Vec<Diagnostic>> {
        let (property, text) =
            self.stated.iter().find(|(property, _)| property.name == name).expect("the model states this property");
        let formula = self.parsed(text, property.place, property.kind == PropertyKind::CtlStar)?;
        Ok(ReadProperty::Formula(formula))
    }

    fn formula(
        &mut self,
        sources: &mut SourceMap,
        name: &str,
        text: &str,
        quantifiers: bool,
    ) -> Result<Formula, Vec<Diagnostic>> {
        let file = sources.add(name, text);
        self.parsed(text, Span::new(file, 0, text.len()), quantifiers)
    }

    fn condition(&mut self, _: &mut SourceMap, text: &str, place: Span) -> Result<PropId, Vec<Diagnostic>> {
        Ok(self.propositions.intern(text, place))
    }

    fn observed(self: Box<Self>, _: &mut SourceMap) -> Result<Observed, Vec<Diagnostic>> {
        (self.observe)(self.propositions)
    }
}
