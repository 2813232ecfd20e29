//! SMV. A proposition of a formula is a condition, which may speak of inputs and of the next state.

use super::{
    EditedTexts, FrontEnd, FrontModel, ModelInOrder, Observed, Pool, PropertyKind, PropositionReader, Questions,
    ReadProperty, StatedProperty,
};
use crate::ReadOptions;
use crate::read::{Source, read_source};
use lariat_base::{Diagnostic, FileId, Id, SourceMap, Span};
use lariat_engine::Extremum;
use lariat_logic::{Formula, PropId, Propositions};
use lariat_smv::term::{Kind, same, term};
use lariat_smv::types::Ty;
use lariat_smv::{CheckedModel, Condition, Property, SpecKind, Specification, read_model};
use lariat_system::{DeadEnds, LabelId, System};
use std::path::Path;

/// The front end of SMV.
#[derive(Debug)]
pub(super) struct Smv;

impl EditedTexts for Smv {
    fn words(&self, file: FileId, text: &str) -> Vec<Span> {
        lariat_smv::words(file, text)
    }

    fn keywords(&self) -> Vec<&'static str> {
        lariat_smv::token::WORDS.to_vec()
    }
}

impl FrontEnd for Smv {
    fn language(&self) -> &'static str {
        "SMV"
    }

    fn endings(&self) -> &'static [&'static str] {
        &["smv"]
    }

    fn comment(&self) -> &'static str {
        "--"
    }

    fn edited_texts(&self) -> Option<&dyn EditedTexts> {
        Some(self)
    }

    fn read(&self, path: &Path, _: &ReadOptions, sources: &mut SourceMap) -> Result<ModelInOrder, Vec<Diagnostic>> {
        // Old models have comments in Latin-1; outside of comments only ASCII is in order in any case.
        let Source { text, .. } = read_source(sources.unsaved(), path).map_err(|diagnostic| vec![diagnostic])?;
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        let model = read_model(sources, &path.display().to_string(), text)?;
        let warnings = model.warnings().to_vec();
        Ok(ModelInOrder { model: Box::new(SmvModel(model)), warnings })
    }
}

/// A model of SMV.
#[derive(Debug)]
struct SmvModel(CheckedModel);

impl FrontModel for SmvModel {
    fn properties(&self) -> Vec<StatedProperty> {
        let stated = |spec: &Specification| StatedProperty {
            name: spec.name.clone(),
            kind: kind_of(spec),
            place: spec.span,
            on_request: false,
        };
        self.0.specifications().iter().map(stated).collect()
    }

    fn pool(&self) -> Pool {
        Pool::Fixed { size: 0, at_beginning: 0 }
    }

    fn system(&self, _: u16) -> Result<System, Vec<Diagnostic>> {
        self.0.system()
    }

    fn reader(&self) -> Box<dyn PropositionReader + '_> {
        Box::new(ConditionReader { model: &self.0, propositions: Propositions::default(), conditions: Vec::new() })
    }

    fn dead_ends(&self) -> DeadEnds {
        DeadEnds::Cut
    }

    fn questions(&self, sources: &mut SourceMap, text: &str) -> Result<Questions, Vec<Diagnostic>> {
        let questions = self.0.questions(sources, "expression", text)?;
        let conditions = questions.conditions.clone();
        Ok(Questions { conditions, value: Box::new(move |holds| questions.value(holds)) })
    }

    /// What a model is to do is stated by its specifications; `safety` asks whether it can always go on.
    fn settles_safety(&self) -> bool {
        false
    }

    fn no_process_fairness(&self) -> Option<&'static str> {
        Some(
            "`--fairness` is for processes of Promela; in SMV a process runs infinitely often by `FAIRNESS running`, and \
             `--justice 'a.running'` says so from outside",
        )
    }
}

fn kind_of(spec: &Specification) -> PropertyKind {
    match &spec.property {
        Property::Formula(formula, _) if formula.has_quantifier() || spec.kind == SpecKind::Ctl => {
            PropertyKind::CtlStar
        }
        Property::Formula(..) => PropertyKind::Ltl,
        Property::Invariant(..) => PropertyKind::Invariant,
        Property::Distance { .. } => PropertyKind::Distance,
    }
}

/// Reads specifications and formulas.
struct ConditionReader<'m> {
    model: &'m CheckedModel,
    propositions: Propositions,
    /// By proposition the condition that it is.
    conditions: Vec<Condition>,
}

impl ConditionReader<'_> {
    /// The proposition that is this condition. No two conditions have one text.
    fn proposition(&mut self, condition: &Condition) -> PropId {
        if let Some(known) = self.conditions.iter().position(|known| same(&known.term, &condition.term)) {
            return PropId(known as u32);
        }
        let mut text = condition.text.clone();
        for copy in 2.. {
            if self.propositions.find(&text).is_none() {
                break;
            }
            text = format!("{} ({copy})", condition.text);
        }
        let prop = self.propositions.intern(&text, condition.term.span);
        self.conditions.push(Condition { text, term: condition.term.clone() });
        assert_eq!(prop.0 as usize + 1, self.conditions.len(), "every proposition is a condition");
        prop
    }

    /// What a property says in terms of propositions.
    fn read(&mut self, property: &Property) -> ReadProperty {
        match property {
            Property::Formula(formula, conditions) => {
                let props = self.all_propositions(conditions);
                ReadProperty::Formula(formula.renamed(&props))
            }
            Property::Invariant(condition, sides) => ReadProperty::Formula(self.invariant(condition, sides.as_deref())),
            Property::Distance { greatest, from, to, conditions } => {
                let props = self.all_propositions(conditions);
                let extremum = if *greatest { Extremum::Greatest } else { Extremum::Least };
                ReadProperty::Distance(extremum, from.renamed(&props), to.renamed(&props))
            }
        }
    }

    fn all_propositions(&mut self, conditions: &[Condition]) -> Vec<PropId> {
        conditions.iter().map(|condition| self.proposition(condition)).collect()
    }

    /// The formula that an invariant is, of all states that can be reached.
    fn invariant(&mut self, condition: &Condition, sides: Option<&(Condition, Condition)>) -> Formula {
        Formula::globally(match sides {
            // Where a run ends there is no step, and nothing is wrong with it: what is looked for is a bad one.
            _ if condition.term.reach.is_step() => {
                let bad = Condition {
                    text: format!("!({})", condition.text),
                    term: term(Kind::Not(condition.term.clone()), Ty::BOOL, condition.term.span),
                };
                Formula::not(Formula::prop(self.proposition(&bad)))
            }
            Some((asked, given)) => {
                let (asked, given) = (self.proposition(asked), self.proposition(given));
                Formula::implies(Formula::prop(asked), Formula::prop(given))
            }
            None => Formula::prop(self.proposition(condition)),
        })
    }
}

impl PropositionReader for ConditionReader<'_> {
    fn propositions(&self) -> &Propositions {
        &self.propositions
    }

    fn property(&mut self, _: &mut SourceMap, name: &str) -> Result<ReadProperty, Vec<Diagnostic>> {
        let spec = self.model.specifications().iter().find(|spec| spec.name == name);
        let property = &spec.expect("the model states this property").property;
        Ok(self.read(property))
    }

    fn formula(
        &mut self,
        sources: &mut SourceMap,
        name: &str,
        text: &str,
        quantifiers: bool,
    ) -> Result<Formula, Vec<Diagnostic>> {
        let kind = if quantifiers { SpecKind::CtlStar } else { SpecKind::Ltl };
        match self.read(&self.model.formula(sources, name, text, kind)?) {
            ReadProperty::Formula(formula) => Ok(formula),
            ReadProperty::NeverClaim | ReadProperty::Distance(..) => unreachable!("it was read as a formula"),
        }
    }

    fn condition(&mut self, sources: &mut SourceMap, text: &str, place: Span) -> Result<PropId, Vec<Diagnostic>> {
        let name = match sources.file(place.file) {
            Some(file) if file.text == text => file.name.clone(),
            Some(file) => format!("`{text}` in {}", file.name),
            None => text.to_owned(),
        };
        match self.model.formula(sources, &name, text, SpecKind::Invar)? {
            Property::Invariant(condition, _) => Ok(self.proposition(&condition)),
            Property::Formula(..) | Property::Distance { .. } => unreachable!("it was read as a condition"),
        }
    }

    fn observed(self: Box<Self>, _: &mut SourceMap) -> Result<Observed, Vec<Diagnostic>> {
        let labels = (0..self.conditions.len()).map(LabelId::new).collect();
        let model = Box::new(SmvModel(self.model.observing(self.conditions)));
        Ok(Observed { model, propositions: self.propositions, labels, claim: None, misreads: Vec::new() })
    }
}
