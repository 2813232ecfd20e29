//! Temporal properties: from what is stated to what an engine settles.
//!
//! A formula speaks of a model in propositions. Each becomes a label of the system; the negated formula becomes an
//! automaton over these labels, which accepts the bad runs. Fairness that is given as formulas or automata narrows the bad
//! runs down; all other fairness is put into the system.

use crate::CheckError;
use crate::fairness::{Constraints, FairnessOptions};
use crate::model::{Form, Model};
use crate::read::read_text;
use crate::smv::Conditions;
use lariat_automata::{Automaton, TooLarge, TranslateOptions, intersection, read_hoa_with_places, translate};
use lariat_base::{Diagnostic, Id, Span, closest_name};
use lariat_engine::{Demand, Temporal};
use lariat_logic::{Dialect, Formula, ParseOptions, PropId, Propositions, parse};
use lariat_promela::{Observation, Phrase};
use lariat_smv::{Property, SpecKind};
use lariat_system::{DeadEnds, Label, LabelId, LabelMeaning, Position, System};
use std::path::Path;

/// A temporal property, as it was stated.
#[derive(Clone, Debug)]
pub(crate) enum Stated {
    /// By an `ltl` block of a Promela model.
    Block(Phrase),
    /// By a formula from elsewhere.
    Formula(String),
    /// By a formula of ours about cycles: runs that end do not count.
    Cycles(&'static str),
    /// By a never claim of the model: the bad runs.
    Claim(String),
    /// By an automaton in a file: the bad runs.
    Automaton(String),
    /// By a specification of an SMV model, of linear time or an invariant.
    Specification(String),
    /// By a formula of branching time.
    Branching(String),
}

/// The system that a formula of linear time speaks of, and its bad runs: what an engine is told about the property.
pub fn observed(model: &mut Model, formula: &str) -> Result<(System, Temporal), CheckError> {
    let prepared = Prepared::new(model, &Stated::Formula(formula.to_owned()), &FairnessOptions::default())?;
    let system = prepared.system(model.first_pool_size()?).map_err(CheckError::Model)?;
    let temporal = prepared.temporal().map_err(|too_large| CheckError::Refused(too_large.to_string()))?;
    Ok((system, temporal))
}

/// What is wrong with the `ltl` blocks of a model, in the order of the text.
pub(crate) fn broken_blocks(model: &mut Model) -> Vec<Diagnostic> {
    let Form::Promela(checked) = model.form() else { return Vec::new() };
    let blocks: Vec<Phrase> = checked.ltl_blocks().iter().map(|block| block.formula.clone()).collect();
    if blocks.is_empty() || errors_of(model, &blocks).is_empty() {
        return Vec::new();
    }
    blocks.iter().flat_map(|block| errors_of(model, std::slice::from_ref(block))).collect()
}

/// What is wrong with some blocks. That we cannot observe something is said when the property is asked for.
fn errors_of(model: &mut Model, blocks: &[Phrase]) -> Vec<Diagnostic> {
    const UNOBSERVABLE: &str = "P0451";
    let mut reader = Reader::new(model);
    let read = blocks.iter().map(|block| reader.formula_of_phrase(block, Dialect::Spin));
    let mut errors: Vec<Diagnostic> = read.filter_map(Result::err).flatten().collect();
    if errors.is_empty() {
        errors = reader.observed(None).err().unwrap_or_default();
    }
    errors.retain(|error| error.is_error() && error.code != UNOBSERVABLE);
    errors
}

/// A model and a temporal property of it, ready to be settled.
#[derive(Debug)]
pub(crate) struct Prepared {
    form: Form,
    fairness: Constraints,
    propositions: Propositions,
    labels: Vec<LabelId>,
    /// What is to hold on all fair runs, if that is a formula.
    pub(crate) formula: Option<Formula>,
    /// What makes a run bad, beside what makes it count.
    bad: Demand,
    /// What makes a run count, beside the fairness of the system.
    counts: Vec<Demand>,
    /// Whether runs that end do not count.
    cut: bool,
    /// Whether all states that can be reached count, be runs fair and go on for ever or not.
    all_states: bool,
}

impl Prepared {
    /// Reads the property, and everything that fairness speaks of.
    pub(crate) fn new(model: &mut Model, stated: &Stated, options: &FairnessOptions) -> Result<Self, CheckError> {
        let mut reader = Reader::new(model);
        let mut all_states = false;
        let (bad, formula) = match stated {
            Stated::Block(phrase) => {
                let formula = reader.formula_of_phrase(phrase, Dialect::Spin).map_err(CheckError::Model)?;
                (Some(Demand::Satisfies(formula.negated())), Some(formula))
            }
            Stated::Cycles(text) => {
                let formula = reader.formula("formula", text).map_err(CheckError::Model)?;
                (Some(Demand::Satisfies(formula.negated())), Some(formula))
            }
            Stated::Formula(text) => {
                let formula = reader.formula("--ltl", text).map_err(CheckError::Model)?;
                (Some(Demand::Satisfies(formula.negated())), Some(formula))
            }
            Stated::Claim(_) | Stated::Branching(_) => (None, None),
            Stated::Specification(name) => {
                let formula;
                (formula, all_states) = reader.specification(name)?;
                (Some(Demand::Satisfies(formula.negated())), Some(formula))
            }
            Stated::Automaton(path) => (Some(Demand::is_accepted(reader.automaton(path)?)), None),
        };
        let mut counts = Vec::new();
        for text in &options.formulas {
            counts.push(Demand::Satisfies(reader.formula("--fair-ltl", text).map_err(CheckError::Model)?));
        }
        for path in &options.automata {
            counts.push(Demand::is_accepted(reader.automaton(path)?));
        }
        let justice = options.justice.iter().map(|text| reader.condition("--justice", text));
        let justice: Vec<PropId> = justice.collect::<Result<_, _>>().map_err(CheckError::Model)?;
        let mut compassion = Vec::new();
        for text in &options.compassion {
            let Some((asked, given)) = text.split_once("=>") else {
                let reason = format!("`--compassion {text}` is no pair of conditions: write `'P => Q'`");
                return Err(CheckError::Refused(reason));
            };
            let mut condition = |text| reader.condition("--compassion", text).map_err(CheckError::Model);
            compassion.push((condition(asked)?, condition(given)?));
        }
        let claim = if let Stated::Claim(name) = stated { Some(name.as_str()) } else { None };
        let (form, labels, claim) = reader.observed(claim).map_err(CheckError::Model)?;
        let bad = bad.or(claim.map(Demand::is_accepted)).expect("a property is stated in one way");
        let label = |prop: PropId| labels[prop.0 as usize];
        let justice = justice.into_iter().map(label).collect();
        let compassion = compassion.into_iter().map(|(asked, given)| (label(asked), label(given))).collect();
        let fairness = Constraints::new(&form, options, justice, compassion)?;
        let propositions = reader.propositions;
        if all_states {
            counts.clear();
        }
        let cut = matches!(stated, Stated::Cycles(_));
        Ok(Self { form, fairness, propositions, labels, formula, bad, counts, cut, all_states })
    }

    /// The system for a pool of this size, with its fairness.
    pub(crate) fn system(&self, pool_size: u16) -> Result<System, Vec<Diagnostic>> {
        let mut system = self.form.system(pool_size)?;
        if self.all_states {
            // A run that ends at a state, or is unfair from there on, has come there all the same.
            system.fairness.clear();
            system.dead_ends = DeadEnds::Stutter;
            return Ok(system);
        }
        self.fairness.add_to(&mut system);
        if self.cut {
            system.dead_ends = DeadEnds::Cut;
        }
        Ok(system)
    }
    /// The bad runs that count.
    pub(crate) fn temporal(&self) -> Result<Temporal, TooLarge> {
        self.temporal_of(std::iter::once(&self.bad).chain(&self.counts))
    }
    /// All runs that count, bad or not.
    pub(crate) fn counting(&self) -> Result<Temporal, TooLarge> {
        self.temporal_of(&self.counts)
    }
    /// Whether some runs do not count, for reasons that are not part of the system.
    pub(crate) fn narrows(&self) -> bool {
        !self.counts.is_empty()
    }
    /// Whether all states that can be reached count, however runs go on from there.
    pub(crate) fn all_states(&self) -> bool {
        self.all_states
    }
    /// The texts of the propositions.
    pub(crate) fn propositions(&self) -> &Propositions {
        &self.propositions
    }

    /// The runs that meet all of these demands.
    fn temporal_of<'d>(&self, demands: impl IntoIterator<Item = &'d Demand>) -> Result<Temporal, TooLarge> {
        let options = TranslateOptions::default();
        let names: Vec<String> = self.propositions.entries().map(|(_, proposition)| proposition.text.clone()).collect();
        let demands: Vec<Demand> = demands.into_iter().map(|demand| over(demand, &names)).collect();
        // Formulas are translated together: the automaton of a conjunction is smaller than a product.
        let formulas = demands.iter().filter_map(|demand| match demand {
            Demand::Satisfies(formula) => Some(formula.clone()),
            Demand::IsAccepted(_) => None,
        });
        let formulas: Vec<Formula> = formulas.collect();
        let mut bad = match formulas.is_empty() && !demands.is_empty() {
            true => None,
            false => Some(translate(&Formula::and(formulas), &self.propositions, &options)?),
        };
        for demand in &demands {
            if let Demand::IsAccepted(automaton) = demand {
                bad = Some(match bad {
                    Some(so_far) => intersection(&so_far, automaton, &options)?,
                    None => (**automaton).clone(),
                });
            }
        }
        let bad = bad.expect("without a demand there is the formula that always holds").over_propositions(&names);
        Ok(Temporal { bad, labels: self.labels.clone(), demands })
    }
}

/// The demand, an automaton over all propositions.
fn over(demand: &Demand, names: &[String]) -> Demand {
    match demand {
        Demand::Satisfies(formula) => Demand::Satisfies(formula.clone()),
        Demand::IsAccepted(automaton) => Demand::is_accepted(automaton.over_propositions(names)),
    }
}

/// Reads what speaks of a model, and collects the propositions.
pub(crate) struct Reader<'m> {
    model: &'m mut Model,
    pub(crate) propositions: Propositions,
    /// Of a Promela model, for each proposition the condition that it is.
    conditions: Vec<Phrase>,
    /// The same of an SMV model.
    smv: Conditions,
}

impl<'m> Reader<'m> {
    pub(crate) fn new(model: &'m mut Model) -> Self {
        let (propositions, smv) = (Propositions::default(), Conditions::default());
        Self { model, propositions, conditions: Vec::new(), smv }
    }
}

impl Reader<'_> {
    /// A formula of linear time from outside of the model; `name` says where it comes from.
    fn formula(&mut self, name: &str, text: &str) -> Result<Formula, Vec<Diagnostic>> {
        self.formula_of(name, text, false)
    }

    /// A formula from outside of the model, with path quantifiers or without.
    pub(crate) fn formula_of(&mut self, name: &str, text: &str, quantifiers: bool) -> Result<Formula, Vec<Diagnostic>> {
        let (form, sources) = self.model.parts();
        match form {
            Form::Promela(checked) => {
                let phrase = checked.phrase(sources, name, text)?;
                self.parsed(&phrase, Dialect::Auto, quantifiers)
            }
            Form::System(_) => {
                let file = sources.add(name, text);
                let options = ParseOptions { dialect: Dialect::Auto, quantifiers, file };
                parse(text, options, &mut self.propositions).map_err(|diagnostic| vec![diagnostic])
            }
            Form::Smv(checked) if quantifiers => {
                let property = checked.formula(sources, name, text, SpecKind::Ctl)?;
                let formula = self.smv.branching(&property, &mut self.propositions);
                Ok(formula.expect("it was read as a formula of branching time"))
            }
            Form::Smv(checked) => {
                let property = checked.formula(sources, name, text, SpecKind::Ltl)?;
                let formula = self.smv.formula(&property, &mut self.propositions);
                Ok(formula.expect("it was read as one of linear time").0)
            }
        }
    }

    /// The specification of this name, and whether it speaks of all states that can be reached.
    fn specification(&mut self, name: &str) -> Result<(Formula, bool), CheckError> {
        let none = || CheckError::Refused(format!("the model has no specification `{name}`"));
        let Form::Smv(checked) = self.model.parts().0 else { return Err(none()) };
        let spec = checked.specifications().iter().find(|spec| spec.name == name).ok_or_else(none)?;
        let (kind, property) = (spec.kind, spec.property.clone());
        let formula = self.smv.formula(&property, &mut self.propositions);
        formula.ok_or_else(|| CheckError::Refused(format!("`{}` is not in this release", kind.word())))
    }

    /// The formula of branching time that a specification of an SMV model is.
    pub(crate) fn branching_specification(&mut self, name: &str) -> Result<Formula, CheckError> {
        let none = || CheckError::Refused(format!("the model has no specification `{name}`"));
        let Form::Smv(checked) = self.model.parts().0 else { return Err(none()) };
        let spec = checked.specifications().iter().find(|spec| spec.name == name).ok_or_else(none)?;
        let (kind, property) = (spec.kind, spec.property.clone());
        let formula = self.smv.branching(&property, &mut self.propositions);
        formula.ok_or_else(|| CheckError::Refused(format!("`{}` is not in this release", kind.word())))
    }

    fn formula_of_phrase(&mut self, phrase: &Phrase, dialect: Dialect) -> Result<Formula, Vec<Diagnostic>> {
        self.parsed(phrase, dialect, false)
    }

    fn parsed(&mut self, phrase: &Phrase, dialect: Dialect, quantifiers: bool) -> Result<Formula, Vec<Diagnostic>> {
        let options = ParseOptions { dialect, quantifiers, file: Span::NONE.file };
        let formula = parse(phrase.text(), options, &mut self.propositions)
            .map_err(|diagnostic| vec![phrase.relocated(diagnostic)])?;
        for (_, proposition) in self.propositions.entries().skip(self.conditions.len()) {
            let span = proposition.span;
            self.conditions.push(phrase.part(span.start as usize..span.end as usize));
        }
        Ok(formula)
    }

    /// A condition of the model's language, from an option.
    pub(crate) fn condition(&mut self, name: &str, text: &str) -> Result<PropId, Vec<Diagnostic>> {
        let text = text.trim();
        let file = self.model.parts().1.add(name, text);
        self.condition_at(text, Span::new(file, 0, text.len()))
    }

    /// A condition of the model's language that stands at `place`.
    fn condition_at(&mut self, text: &str, place: Span) -> Result<PropId, Vec<Diagnostic>> {
        let text = text.trim();
        let (form, sources) = self.model.parts();
        match form {
            Form::Promela(checked) => {
                let phrase = checked.phrase_at(sources, text, place)?;
                let prop = self.propositions.intern(phrase.text(), Span::NONE);
                if prop.0 as usize == self.conditions.len() {
                    self.conditions.push(phrase);
                }
                Ok(prop)
            }
            Form::System(_) => Ok(self.propositions.intern(text, place)),
            Form::Smv(checked) => match checked.formula(sources, "condition", text, SpecKind::Invar)? {
                Property::Invariant(condition, _) => Ok(self.smv.proposition(&condition, &mut self.propositions)),
                Property::Formula(..) | Property::Distance(..) => unreachable!("it was read as a condition"),
            },
        }
    }

    /// The automaton in a file.
    fn automaton(&mut self, path: &str) -> Result<Automaton, CheckError> {
        let model = |diagnostic: Diagnostic| CheckError::Model(vec![diagnostic]);
        let text = read_text(Path::new(path)).map_err(model)?;
        let file = self.model.parts().1.add(path, text.as_str());
        let mut automata = read_hoa_with_places(&text, file).map_err(model)?;
        if automata.len() != 1 {
            let reason = format!("`{path}` has {} automata, and one is wanted", automata.len());
            return Err(CheckError::Refused(reason));
        }
        let (mut automaton, places) = automata.remove(0);
        // What a condition looks like is settled by the model's language: `x==1` and `x == 1` are one.
        for (name, place) in automaton.propositions.iter_mut().zip(places) {
            let prop = self.condition_at(name, place).map_err(CheckError::Model)?;
            *name = self.propositions.text(prop).into_owned();
        }
        Ok(automaton)
    }

    /// The model in which every proposition is a label, these labels, and the claim of this name, whose conditions become
    /// propositions.
    pub(crate) fn observed(
        &mut self,
        claim: Option<&str>,
    ) -> Result<(Form, Vec<LabelId>, Option<Automaton>), Vec<Diagnostic>> {
        let Self { model, propositions, conditions, smv } = self;
        let (form, sources) = model.parts();
        match form {
            Form::Promela(checked) => {
                let texts = propositions.entries().map(|(_, proposition)| proposition.text.clone());
                let observations: Vec<Observation> = texts
                    .zip(&*conditions)
                    .map(|(name, condition)| Observation { name, condition: condition.clone() })
                    .collect();
                let (observing, claim) = match claim {
                    Some(name) => {
                        let (observing, claim) = checked.observing_claim(sources, name, &observations)?;
                        (observing, Some(claim))
                    }
                    None => (checked.observing(sources, &observations)?, None),
                };
                // The claim's conditions come first.
                let of_claim: &[String] = claim.as_ref().map_or(&[], |claim| &claim.propositions);
                let mut labels: Vec<LabelId> =
                    (0..observations.len()).map(|number| LabelId::new(of_claim.len() + number)).collect();
                for (number, text) in of_claim.iter().enumerate() {
                    if propositions.intern(text, Span::NONE).index() == labels.len() {
                        labels.push(LabelId::new(number));
                    }
                }
                Ok((Form::Promela(Box::new(observing)), labels, claim))
            }
            Form::System(system) => {
                let mut system = system.clone();
                let labels = propositions
                    .entries()
                    .map(|(_, proposition)| label_of(&mut system, &proposition.text, proposition.span))
                    .collect::<Result<Vec<LabelId>, Diagnostic>>()
                    .map_err(|diagnostic| vec![diagnostic])?;
                Ok((Form::System(system), labels, None))
            }
            Form::Smv(checked) => {
                let conditions = smv.terms();
                let labels = (0..conditions.len()).map(LabelId::new).collect();
                Ok((Form::Smv(Box::new(checked.observing(conditions))), labels, None))
            }
        }
    }
}

/// The label that a proposition about a system in text form is: one of its own, or `moves(1)`.
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
