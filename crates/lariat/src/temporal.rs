//! Temporal properties: from what is stated to what an engine settles.
//!
//! A formula speaks of a model in propositions. Each becomes a label of the system; the negated formula becomes an
//! automaton over these labels, which accepts the bad runs. Fairness that is given as formulas or automata narrows the bad
//! runs down; all other fairness is put into the system.

use crate::CheckError;
use crate::fairness::{Constraints, FairnessOptions};
use crate::front::{Observed, PropertyKind, PropositionReader, ReadProperty, StatedProperty};
use crate::misread::for_some_reading;
use crate::model::Model;
use crate::moved::{self, Asked, Parts};
use crate::read::read_text;
use lariat_automata::{Automaton, TooLarge, TranslateOptions, intersection, read_hoa_with_places, translate};
use lariat_base::{Diagnostic, SourceMap, Span};
use lariat_engine::{Demand, Temporal};
use lariat_logic::{Formula, PropId, Propositions};
use lariat_system::{DeadEnds, LabelId, LabelMeaning, System};
use std::path::Path;

/// A property beside `safety`, as it was stated.
#[derive(Clone, Debug)]
pub(crate) enum Stated {
    /// By the model.
    Property(StatedProperty),
    /// By a formula from elsewhere.
    Formula(String),
    /// By an automaton in a file: the bad runs.
    Automaton(String),
    /// By a formula of branching time from elsewhere.
    Branching(String),
}

impl Stated {
    /// What kind of property it is.
    pub(crate) fn kind(&self) -> PropertyKind {
        match self {
            Self::Property(property) => property.kind,
            Self::Formula(_) => PropertyKind::Ltl,
            Self::Automaton(_) => PropertyKind::NeverClaim,
            Self::Branching(_) => PropertyKind::CtlStar,
        }
    }
}

/// The system that a formula of linear time speaks of, and its bad runs: what an engine is told about the property.
pub fn observed(model: &mut Model, formula: &str) -> Result<(System, Temporal), CheckError> {
    let prepared = LinearProperty::new(model, &Stated::Formula(formula.to_owned()), &FairnessOptions::default())?;
    let system = prepared.system(model.first_pool_size()?)?;
    let temporal = prepared.temporal().map_err(|too_large| CheckError::Refused(too_large.to_string()))?;
    Ok((system, temporal))
}

/// A model and a temporal property of it, ready to be settled.
#[derive(Debug)]
pub(crate) struct LinearProperty {
    observed: Observed,
    fairness: Constraints,
    /// Fairness that the formulas ask for and that is part of the system instead; `None` if it stays in the formulas.
    moved: Option<Moved>,
    /// What is to hold on all fair runs, if that is a formula.
    pub(crate) formula: Option<Formula>,
    /// What makes a run bad, beside what makes it count; with what is read where nothing can be, and for any reading there.
    bad_as_read: Demand,
    bad: Demand,
    /// What makes a run count, beside the fairness of the system.
    counts: Vec<Demand>,
    /// Whether runs that end do not count.
    cut: bool,
    /// Whether all states that can be reached count, be runs fair and go on for ever or not.
    all_states: bool,
}

impl LinearProperty {
    /// Reads the property, and everything that fairness speaks of.
    pub(crate) fn new(model: &mut Model, stated: &Stated, options: &FairnessOptions) -> Result<Self, CheckError> {
        if !stated.kind().is_of_linear_time() {
            return Err(CheckError::Refused(
                "this is a property of branching time, which speaks of no single run".into(),
            ));
        }
        let mut reader = Reader::new(model);
        let formula = match stated {
            Stated::Property(property) => match reader.property(property)? {
                ReadProperty::Formula(formula) => Some(formula),
                ReadProperty::NeverClaim => None,
                ReadProperty::Distance(..) => return Err(otherwise_stated()),
            },
            Stated::Formula(text) => Some(reader.formula("--ltl", text, false)?),
            Stated::Automaton(_) | Stated::Branching(_) => None,
        };
        let bad = match stated {
            Stated::Automaton(path) => Some(Demand::is_accepted(reader.automaton(path)?)),
            _ => formula.as_ref().map(|formula| Demand::Satisfies(formula.negated())),
        };
        let GivenFairness { mut counts, justice, compassion } = GivenFairness::read(&mut reader, options)?;
        let mut observed = reader.observed()?;
        let bad = bad.or(observed.claim.take().map(Demand::is_accepted)).ok_or_else(otherwise_stated)?;
        let names: Vec<String> = texts(&observed.propositions);
        let (justice, justice_to_read): (Vec<_>, Vec<_>) =
            justice.into_iter().partition(|&prop| is_always_read(&observed, prop));
        let (compassion, compassion_to_read): (Vec<_>, Vec<_>) = compassion
            .into_iter()
            .partition(|&(asked, given)| is_always_read(&observed, asked) && is_always_read(&observed, given));
        counts.extend(fairness_formulas(&justice_to_read, &compassion_to_read).map(Demand::Satisfies));
        let some_reading = |demand: Demand| for_some_reading(demand, &observed.misreads, &names);
        let bad_as_read = bad.clone();
        let bad = some_reading(bad);
        let mut counts: Vec<Demand> = counts.into_iter().map(some_reading).collect();
        let label = |prop: PropId| observed.labels[prop.0 as usize];
        let justice = justice.into_iter().map(label).collect();
        let compassion = compassion.into_iter().map(|(asked, given)| (label(asked), label(given))).collect();
        let fairness = Constraints::new(&*observed.model, options, justice, compassion)?;
        let all_states = stated.kind() == PropertyKind::Invariant;
        if all_states {
            counts.clear();
        }
        let cut = stated.kind() == PropertyKind::LtlOfInfiniteRuns;
        Ok(Self { observed, fairness, moved: None, formula, bad_as_read, bad, counts, cut, all_states })
    }

    /// The system for a pool of this size, with its fairness.
    pub(crate) fn system(&self, pool_size: u16) -> Result<System, CheckError> {
        let mut system = self.observed.model.system(pool_size).map_err(CheckError::Model)?;
        if self.all_states {
            // A run that ends at a state, or is unfair from there on, has come there all the same.
            system.fairness.clear();
            system.dead_ends = DeadEnds::Stutter;
            return Ok(system);
        }
        self.fairness.add_to(&mut system)?;
        if let Some(moved) = &self.moved {
            moved::add_to(&mut system, &moved.fairness, &self.observed.labels, self.propositions());
        }
        if self.cut {
            system.dead_ends = DeadEnds::Cut;
        }
        Ok(system)
    }
    /// Moves fairness that the formulas ask for into the system, if at least so many constraints of it are compassion. Whether that
    /// was done.
    pub(crate) fn move_fairness(&mut self, least: usize, pool_size: u16) -> Result<bool, CheckError> {
        // What cannot be read may be true or false, and that is said by formulas.
        if self.moved.is_some() || self.all_states || !self.observed.misreads.is_empty() {
            return Ok(false);
        }
        let formula = formula_of(std::iter::once(&self.bad).chain(&self.counts));
        if Parts::of(&formula, |_| true).compassion_count() < least.max(1) {
            return Ok(false);
        }
        let system = self.system(pool_size)?;
        let is_of_states = |label: &LabelId| matches!(system.labels[*label].meaning, LabelMeaning::State(_));
        let of_states: Vec<bool> = self.observed.labels.iter().map(is_of_states).collect();
        let parts = Parts::of(&formula, |prop| of_states[prop.0 as usize]);
        let is_enough = parts.compassion_count() >= least.max(1);
        if is_enough {
            self.moved = Some(Moved { fairness: parts.fairness, of_states });
        }
        Ok(is_enough)
    }
    /// Whether fairness that the formulas ask for is part of the system.
    pub(crate) fn has_moved_fairness(&self) -> bool {
        self.moved.is_some()
    }
    /// How many constraints of the system, the last ones, are fairness that the formulas ask for.
    pub(crate) fn moved_constraints(&self) -> usize {
        self.moved.as_ref().map_or(0, |moved| moved.fairness.len())
    }
    /// The bad runs that count.
    pub(crate) fn temporal(&self) -> Result<Temporal, TooLarge> {
        self.temporal_of(std::iter::once(&self.bad).chain(&self.counts))
    }
    /// The runs that count and are bad by what is read, be it outside of an array.
    pub(crate) fn temporal_as_read(&self) -> Result<Temporal, TooLarge> {
        self.temporal_of(std::iter::once(&self.bad_as_read).chain(&self.counts))
    }
    /// All runs that count, bad or not.
    pub(crate) fn counting(&self) -> Result<Temporal, TooLarge> {
        self.temporal_of(&self.counts)
    }
    /// The runs that count and meet a condition of single positions.
    pub(crate) fn meeting(&self, condition: &Formula) -> Result<Temporal, TooLarge> {
        let met = Demand::Satisfies(Formula::finally(condition.clone()));
        self.temporal_of(std::iter::once(&met).chain(&self.counts))
    }
    /// Whether some runs do not count, for reasons that are not part of the system.
    pub(crate) fn narrows(&self) -> bool {
        !self.counts.is_empty()
    }
    /// Whether all states that can be reached count, however runs go on from there.
    pub(crate) fn all_states(&self) -> bool {
        self.all_states
    }
    /// Propositions that cannot be read in every state, each with one that is true where that is so.
    pub(crate) fn misreads(&self) -> impl Iterator<Item = (PropId, LabelId)> + '_ {
        self.observed.misreads.iter().map(|&(prop, misread)| (prop, self.observed.labels[misread.0 as usize]))
    }
    /// The texts of the propositions.
    pub(crate) fn propositions(&self) -> &Propositions {
        &self.observed.propositions
    }

    /// The runs that meet all of these demands.
    fn temporal_of<'d>(&self, demands: impl IntoIterator<Item = &'d Demand>) -> Result<Temporal, TooLarge> {
        let options = TranslateOptions::default();
        let names = texts(self.propositions());
        let demands: Vec<Demand> = demands.into_iter().map(|demand| over(demand, &names)).collect();
        // Formulas are translated together: the automaton of a conjunction is smaller than a product.
        let is_formula = |demand: &Demand| matches!(demand, Demand::Satisfies(_));
        let mut bad = None;
        if demands.is_empty() || demands.iter().any(is_formula) {
            let whole = formula_of(&demands);
            let formula = match &self.moved {
                Some(moved) => Parts::of(&whole, |prop| moved.of_states[prop.0 as usize]).rest,
                None => whole,
            };
            bad = Some(translate(&formula, self.propositions(), &options)?);
        }
        for demand in &demands {
            if let Demand::IsAccepted(automaton) = demand {
                bad = Some(match bad {
                    Some(so_far) => intersection(&so_far, automaton, &options)?,
                    None => (**automaton).clone(),
                });
            }
        }
        let bad = bad.expect("without a demand there is the formula that always holds").over_propositions(&names);
        Ok(Temporal { bad, labels: self.observed.labels.clone(), demands, is_of_all_states: self.all_states })
    }
}

/// Fairness of formulas that is part of the system.
#[derive(Debug)]
struct Moved {
    fairness: Vec<Asked>,
    /// By proposition, whether it speaks of states.
    of_states: Vec<bool>,
}

/// All that the formulas among the demands say.
fn formula_of<'d>(demands: impl IntoIterator<Item = &'d Demand>) -> Formula {
    Formula::and(demands.into_iter().filter_map(|demand| match demand {
        Demand::Satisfies(formula) => Some(formula.clone()),
        Demand::IsAccepted(_) => None,
    }))
}

/// The error where a front end states a property in a way that does not fit its kind.
pub(crate) fn otherwise_stated() -> CheckError {
    CheckError::Bug("a property is not stated in a way that fits its kind".to_owned())
}

/// What the options say of fairness, read.
pub(crate) struct GivenFairness {
    /// Formulas and automata.
    pub(crate) counts: Vec<Demand>,
    pub(crate) justice: Vec<PropId>,
    pub(crate) compassion: Vec<(PropId, PropId)>,
}

impl GivenFairness {
    pub(crate) fn read(reader: &mut Reader<'_>, options: &FairnessOptions) -> Result<Self, CheckError> {
        let mut counts = Vec::new();
        for text in &options.formulas {
            counts.push(Demand::Satisfies(reader.formula("--fair-ltl", text, false)?));
        }
        for path in &options.automata {
            counts.push(Demand::is_accepted(reader.automaton(path)?));
        }
        let justice = options.justice.iter().map(|text| reader.condition("--justice", text));
        let justice: Vec<PropId> = justice.collect::<Result<_, _>>()?;
        let mut compassion = Vec::new();
        for text in &options.compassion {
            let Some((asked, given)) = text.split_once("=>") else {
                let reason = format!("`--compassion {text}` is not a pair of conditions: write `'P => Q'`");
                return Err(CheckError::Refused(reason));
            };
            let mut condition = |text| reader.condition("--compassion", text);
            compassion.push((condition(asked)?, condition(given)?));
        }
        Ok(Self { counts, justice, compassion })
    }
}

/// An error if something is wrong with what the options say of fairness, where no property depends on it.
pub(crate) fn ensure_fairness(model: &mut Model, options: &FairnessOptions) -> Result<(), CheckError> {
    let pool_size = model.first_pool_size()?;
    let mut reader = Reader::new(model);
    GivenFairness::read(&mut reader, options)?;
    let model = reader.observed()?.model;
    let mut system = model.system(pool_size).map_err(CheckError::Model)?;
    Constraints::new(&*model, options, Vec::new(), Vec::new())?.add_to(&mut system)
}

/// Whether the proposition can be read in every state.
pub(crate) fn is_always_read(observed: &Observed, prop: PropId) -> bool {
    observed.misreads.iter().all(|(condition, _)| *condition != prop)
}

/// What justice and compassion say, as formulas.
fn fairness_formulas<'p>(
    justice: &'p [PropId],
    compassion: &'p [(PropId, PropId)],
) -> impl Iterator<Item = Formula> + 'p {
    let again = |prop: PropId| Formula::globally(Formula::finally(Formula::prop(prop)));
    let justice = justice.iter().map(move |&prop| again(prop));
    justice.chain(compassion.iter().map(move |&(asked, given)| Formula::implies(again(asked), again(given))))
}

pub(crate) fn texts(propositions: &Propositions) -> Vec<String> {
    propositions.entries().map(|(_, proposition)| proposition.text.clone()).collect()
}

/// The demand, an automaton over all propositions.
fn over(demand: &Demand, names: &[String]) -> Demand {
    match demand {
        Demand::Satisfies(formula) => Demand::Satisfies(formula.clone()),
        Demand::IsAccepted(automaton) => Demand::is_accepted(automaton.over_propositions(names)),
    }
}

/// Reads what speaks of a model.
pub(crate) struct Reader<'m> {
    own: Box<dyn PropositionReader + 'm>,
    sources: &'m mut SourceMap,
}

impl<'m> Reader<'m> {
    pub(crate) fn new(model: &'m mut Model) -> Self {
        let (model, sources) = model.parts();
        Self { own: model.reader(), sources }
    }
}

impl Reader<'_> {
    /// A property that the model states.
    pub(crate) fn property(&mut self, property: &StatedProperty) -> Result<ReadProperty, CheckError> {
        self.own.property(self.sources, &property.name).map_err(CheckError::Model)
    }

    /// A formula from outside of the model; `name` says where it comes from.
    pub(crate) fn formula(&mut self, name: &str, text: &str, quantifiers: bool) -> Result<Formula, CheckError> {
        self.own.formula(self.sources, name, text, quantifiers).map_err(CheckError::Model)
    }

    /// A condition of the model's language, from an option.
    pub(crate) fn condition(&mut self, name: &str, text: &str) -> Result<PropId, CheckError> {
        let text = text.trim();
        let file = self.sources.add(name, text);
        let place = Span::new(file, 0, text.len());
        self.own.condition(self.sources, text, place).map_err(CheckError::Model)
    }

    /// The automaton in a file.
    fn automaton(&mut self, path: &str) -> Result<Automaton, CheckError> {
        let model = |diagnostic: Diagnostic| CheckError::Model(vec![diagnostic]);
        let text = read_text(self.sources, Path::new(path)).map_err(model)?;
        let file = self.sources.add(path, text.as_str());
        let mut automata = read_hoa_with_places(&text, file).map_err(model)?;
        if automata.len() != 1 {
            let reason = format!("`{path}` has {} automata, and one is wanted", automata.len());
            return Err(CheckError::Refused(reason));
        }
        let (mut automaton, places) = automata.remove(0);
        // What a condition looks like is settled by the model's language: `x==1` and `x == 1` are one.
        for (name, place) in automaton.propositions.iter_mut().zip(places) {
            let prop = self.own.condition(self.sources, name.trim(), place).map_err(CheckError::Model)?;
            *name = self.own.propositions().text(prop).into_owned();
        }
        Ok(automaton)
    }

    /// The model in which every proposition is a label.
    pub(crate) fn observed(self) -> Result<Observed, CheckError> {
        self.own.observed(self.sources).map_err(CheckError::Model)
    }
}
