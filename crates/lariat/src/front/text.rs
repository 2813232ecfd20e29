//! Systems in text form. A proposition about one is a label that it has, or `moves(1)`.

use super::{FrontEnd, FrontModel, ModelInOrder, Observed, PlainReader, Pool, PropositionReader, StatedProperty};
use crate::ReadOptions;
use crate::read::read_text;
use lariat_base::{Diagnostic, SourceMap, Span, closest_name};
use lariat_logic::Propositions;
use lariat_system::{DeadEnds, Label, LabelId, LabelMeaning, Position, System, Update};
use std::path::Path;

/// The front end of the text form.
#[derive(Debug)]
pub(super) struct SystemText;

impl FrontEnd for SystemText {
    fn language(&self) -> &'static str {
        "the text form of systems"
    }

    fn endings(&self) -> &'static [&'static str] {
        &["sys"]
    }

    fn comment(&self) -> &'static str {
        "//"
    }

    fn read(&self, path: &Path, _: &ReadOptions, sources: &mut SourceMap) -> Result<ModelInOrder, Vec<Diagnostic>> {
        let text = read_text(sources, path).map_err(|diagnostic| vec![diagnostic])?;
        let file = sources.add(path.display().to_string(), text.as_str());
        let system = lariat_system::text::parse(&text, file).map_err(|diagnostic| vec![diagnostic])?;
        system.validate()?;
        Ok(ModelInOrder { model: Box::new(SystemModel(system)), warnings: Vec::new() })
    }
}

/// A model that is a system, which is valid.
#[derive(Debug)]
pub(crate) struct SystemModel(pub(crate) System);

impl FrontModel for SystemModel {
    fn properties(&self) -> Vec<StatedProperty> {
        Vec::new()
    }

    fn pool(&self) -> Pool {
        let spawns = self.0.init.updates.iter().filter(|update| matches!(update, Update::Spawn { .. }));
        Pool::Fixed { size: self.0.pool_size, at_beginning: u16::try_from(spawns.count()).unwrap_or(u16::MAX) }
    }

    fn system(&self, _: u16) -> Result<System, Vec<Diagnostic>> {
        Ok(self.0.clone())
    }

    fn dead_ends(&self) -> DeadEnds {
        self.0.dead_ends
    }

    fn reader(&self) -> Box<dyn PropositionReader + '_> {
        Box::new(PlainReader::new(&[], |propositions| observing(self.0.clone(), propositions)))
    }
}

fn observing(mut system: System, propositions: Propositions) -> Result<Observed, Vec<Diagnostic>> {
    let labels = propositions
        .entries()
        .map(|(_, proposition)| label_of(&mut system, &proposition.text, proposition.span))
        .collect::<Result<Vec<LabelId>, Diagnostic>>()
        .map_err(|diagnostic| vec![diagnostic])?;
    Ok(Observed { model: Box::new(SystemModel(system)), propositions, labels, claim: None, misreads: Vec::new() })
}

/// The label that a proposition is: one that the system has, or `moves(1)`.
fn label_of(system: &mut System, text: &str, span: Span) -> Result<LabelId, Diagnostic> {
    if let Some(label) = system.labels.entries().find(|(_, label)| label.name == text).map(|(id, _)| id) {
        return Ok(label);
    }
    let position = text.strip_prefix("moves").map(str::trim).and_then(|rest| rest.strip_prefix('(')?.strip_suffix(')'));
    if let Some(position) = position.and_then(|number| number.trim().parse::<Position>().ok())
        && u16::from(position) < system.pool_size
    {
        return Ok(system.labels.push(Label { name: text.to_owned(), meaning: LabelMeaning::By(position), span }));
    }
    let message = format!("the system has no label `{text}`");
    let error = Diagnostic::error(span, "C0003", message);
    let names: Vec<&str> = system.labels.iter().map(|label| label.name.as_str()).collect();
    Err(match closest_name(text, names.iter().copied()) {
        Some(near) => error.help(format!("did you mean `{near}`?")),
        None if names.is_empty() => error.help("it has none: `label name = expression` makes one"),
        None => error.help(format!("it has: {}", names.join(", "))),
    })
}
