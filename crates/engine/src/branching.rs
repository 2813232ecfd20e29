//! Demands on the tree of runs: formulas of CTL, and the runs that show them.
//!
//! A formula is taken apart into the few operators that fixpoints are written for: `E X f`, `E (f U g)` and `E G f`. Parts
//! are numbered and shared, so that what is used twice is computed once, and each remembers the formula it stands for, to
//! be shown to people.

use crate::TraceStep;
use lariat_logic::{Dialect, Formula, PropId, Propositions, print};
use lariat_system::LabelId;
use std::collections::HashMap;

/// The number of a [`StateFormula`] in its [`Branching`].
pub type PartId = usize;

/// A formula that holds in a state or does not, in terms of other parts, which have smaller numbers.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum StateFormula {
    /// Always.
    True,
    /// The proposition holds.
    Prop(PropId),
    /// The part does not hold.
    Not(PartId),
    /// All parts hold.
    And(Vec<PartId>),
    /// Some part holds.
    Or(Vec<PartId>),
    /// Both parts hold or none.
    Iff(PartId, PartId),
    /// After some step of a fair run the part holds.
    Next(PartId),
    /// On some fair run the first part holds until the second does.
    Until(PartId, PartId),
    /// On some fair run the part holds for ever.
    Always(PartId),
}

/// A property of branching time: the formula holds in every initial state.
#[derive(Clone, Debug)]
pub struct Branching {
    /// The formula as it was stated.
    pub formula: Formula,
    /// For each proposition of the formula the label of the system that it is, a label of states.
    pub labels: Vec<LabelId>,
    /// The parts, and for each the formula it stands for.
    parts: Vec<(StateFormula, Formula)>,
    numbers: HashMap<StateFormula, PartId>,
    root: PartId,
    propositions: Propositions,
}

impl Branching {
    /// The part that always holds.
    pub(crate) const TRUE: PartId = 0;

    /// The property that `formula`, which is one of CTL, holds in every initial state; `None` if it is not of CTL.
    pub fn new(formula: Formula, labels: Vec<LabelId>) -> Option<Self> {
        let parts = vec![(StateFormula::True, Formula::True)];
        let numbers = HashMap::from([(StateFormula::True, Self::TRUE)]);
        let mut made = Self {
            formula: formula.clone(),
            labels,
            parts,
            numbers,
            root: Self::TRUE,
            propositions: Propositions::default(),
        };
        made.root = made.read(&formula)?;
        Some(made)
    }
    /// The same with the texts of the propositions, to be shown to people.
    #[must_use]
    pub fn with_propositions(self, propositions: Propositions) -> Self {
        Self { propositions, ..self }
    }
    /// The text of the formula that a part stands for.
    pub fn text(&self, id: PartId) -> String {
        print(self.shown(id), &self.propositions, Dialect::Auto)
    }
    /// The whole formula.
    pub fn root(&self) -> PartId {
        self.root
    }
    /// A part.
    pub fn part(&self, id: PartId) -> &StateFormula {
        &self.parts[id].0
    }
    /// The formula that a part stands for.
    pub fn shown(&self, id: PartId) -> &Formula {
        &self.parts[id].1
    }
    /// The number of parts.
    pub fn len(&self) -> usize {
        self.parts.len()
    }
    /// Whether there are no parts: never.
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    fn enter(&mut self, part: StateFormula, shown: Formula) -> PartId {
        if let Some(&known) = self.numbers.get(&part) {
            return known;
        }
        self.parts.push((part.clone(), shown));
        self.numbers.insert(part, self.parts.len() - 1);
        self.parts.len() - 1
    }
    pub(crate) fn not(&mut self, part: PartId) -> PartId {
        if let StateFormula::Not(inner) = self.part(part) {
            return *inner;
        }
        let shown = self.shown(part).negated();
        self.enter(StateFormula::Not(part), shown)
    }
    fn all(&mut self, parts: Vec<PartId>) -> PartId {
        let shown = Formula::and(parts.iter().map(|&part| self.shown(part).clone()));
        self.enter(StateFormula::And(parts), shown)
    }
    fn any(&mut self, parts: Vec<PartId>) -> PartId {
        let shown = Formula::or(parts.iter().map(|&part| self.shown(part).clone()));
        self.enter(StateFormula::Or(parts), shown)
    }
    fn next(&mut self, f: PartId) -> PartId {
        let shown = Formula::for_some(Formula::next(self.shown(f).clone()));
        self.enter(StateFormula::Next(f), shown)
    }
    pub(crate) fn until(&mut self, f: PartId, g: PartId) -> PartId {
        let shown = match self.part(f) {
            StateFormula::True => Formula::finally(self.shown(g).clone()),
            _ => Formula::until(self.shown(f).clone(), self.shown(g).clone()),
        };
        self.enter(StateFormula::Until(f, g), Formula::for_some(shown))
    }
    pub(crate) fn always(&mut self, f: PartId) -> PartId {
        let shown = Formula::for_some(Formula::globally(self.shown(f).clone()));
        self.enter(StateFormula::Always(f), shown)
    }
    /// `E (f W g)`.
    fn weak_until(&mut self, f: PartId, g: PartId) -> PartId {
        let (until, always) = (self.until(f, g), self.always(f));
        let shown = Formula::weak_until(self.shown(f).clone(), self.shown(g).clone());
        self.enter(StateFormula::Or(vec![until, always]), Formula::for_some(shown))
    }

    /// The part that the formula is; `None` if it is not of CTL.
    pub(crate) fn read(&mut self, formula: &Formula) -> Option<PartId> {
        Some(match formula {
            Formula::True => Self::TRUE,
            Formula::False => self.not(Self::TRUE),
            Formula::Prop(prop) => self.enter(StateFormula::Prop(*prop), formula.clone()),
            Formula::Not(part) => {
                let part = self.read(part)?;
                self.not(part)
            }
            Formula::And(parts) => {
                let parts = parts.iter().map(|part| self.read(part)).collect::<Option<_>>()?;
                self.all(parts)
            }
            Formula::Or(parts) => {
                let parts = parts.iter().map(|part| self.read(part)).collect::<Option<_>>()?;
                self.any(parts)
            }
            Formula::Implies(f, g) => {
                let (f, g) = (self.read(f)?, self.read(g)?);
                let not_f = self.not(f);
                self.any(vec![not_f, g])
            }
            Formula::Iff(f, g) | Formula::Xor(f, g) => {
                let (f, g) = (self.read(f)?, self.read(g)?);
                let shown = Formula::iff(self.shown(f).clone(), self.shown(g).clone());
                let same = self.enter(StateFormula::Iff(f, g), shown);
                if matches!(formula, Formula::Xor(..)) { self.not(same) } else { same }
            }
            Formula::ForSome(path) => self.read_path(path, true)?,
            Formula::ForAll(path) => {
                let counterexample = self.read_path(path, false)?;
                self.enter(StateFormula::Not(counterexample), formula.clone())
            }
            _ => return None,
        })
    }

    /// The part that says that on some fair run the path formula holds, or if not `holds` that it does not hold.
    fn read_path(&mut self, path: &Formula, holds: bool) -> Option<PartId> {
        let one = |this: &mut Self, part: &Formula| {
            let part = this.read(part)?;
            Some(if holds { part } else { this.not(part) })
        };
        Some(match (path, holds) {
            (Formula::Next(f), _) => {
                let f = one(self, f)?;
                self.next(f)
            }
            (Formula::Finally(f), true) | (Formula::Globally(f), false) => {
                let f = one(self, f)?;
                self.until(Self::TRUE, f)
            }
            (Formula::Globally(f), true) | (Formula::Finally(f), false) => {
                let f = one(self, f)?;
                self.always(f)
            }
            // f R g is g W (f & g), f M g is g U (f & g); and not (f U g) is !f R !g, not (f W g) is !f M !g.
            (Formula::Until(f, g) | Formula::WeakUntil(f, g), true) => {
                let (f, g) = (one(self, f)?, one(self, g)?);
                if matches!(path, Formula::Until(..)) { self.until(f, g) } else { self.weak_until(f, g) }
            }
            (Formula::Release(f, g) | Formula::StrongRelease(f, g), true)
            | (Formula::Until(f, g) | Formula::WeakUntil(f, g), false) => {
                let (f, g) = (one(self, f)?, one(self, g)?);
                let both = self.all(vec![f, g]);
                let weak = matches!(path, Formula::Release(..) | Formula::Until(..));
                if weak { self.weak_until(g, both) } else { self.until(g, both) }
            }
            // Not (f R g) is !f U !g, and not (f M g) is !f W !g.
            (Formula::Release(f, g) | Formula::StrongRelease(f, g), false) => {
                let (f, g) = (one(self, f)?, one(self, g)?);
                if matches!(path, Formula::Release(..)) { self.until(f, g) } else { self.weak_until(f, g) }
            }
            _ => return None,
        })
    }
}

/// A run that shows that a part of a formula (`Next`, `Until` or `Always`) holds in a state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Witness {
    /// What it shows.
    pub claim: PartId,
    /// Where it begins: a state of the run it belongs to, or an initial state.
    pub start: Vec<u64>,
    /// The run.
    pub steps: Vec<TraceStep>,
    /// For a run that goes on for ever: after the last step it goes on at the state before this step.
    pub loop_start: Option<usize>,
    /// Runs that show what must hold along this one; each begins after so many steps.
    pub nested: Vec<(usize, Witness)>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use lariat_logic::{Dialect, ParseOptions, Propositions, parse, print};

    fn read(text: &str) -> Option<Vec<String>> {
        let mut props = Propositions::named(["p", "q"]);
        let options = ParseOptions { dialect: Dialect::Auto, quantifiers: true, file: lariat_base::Span::NONE.file };
        let formula = parse(text, options, &mut props).expect("it is a formula");
        let read = Branching::new(formula, vec![LabelId(0), LabelId(1)])?;
        let shown = |id| print(read.shown(id), &props, Dialect::Nusmv);
        Some((1..read.len()).map(shown).collect())
    }

    #[test]
    fn parts_are_shared_and_know_what_they_stand_for() {
        assert_eq!(read("AG p").unwrap(), ["p", "!p", "EF !p", "AG p"]);
        assert_eq!(read("E [p U q] & E [p U q]").unwrap().len(), 4);
        let parts = read("A [p U q]").unwrap();
        assert_eq!(parts.last().unwrap(), "A [p U q]");
        assert!(parts.contains(&"EG !q".to_owned()), "{parts:?}");
    }

    #[test]
    fn nested_weak_operators_do_not_double() {
        let mut text = "p".to_owned();
        for _ in 0..30 {
            text = format!("E [({text}) W q]");
        }
        assert!(read(&text).unwrap().len() < 200);
    }

    #[test]
    fn what_is_not_ctl_is_not_read() {
        assert_eq!(read("E (F p & G q)"), None);
        assert_eq!(read("A F G p"), None);
        assert_eq!(read("G p"), None);
    }
}
