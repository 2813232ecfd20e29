//! Demands on the tree of runs: formulas of CTL and CTL*, and the runs that show them.
//!
//! A formula is taken apart into the few operators that fixpoints are written for: `E X f`, `E (f U g)` and `E G f`, and where
//! these do not suffice, `E` with a formula of linear time ([`RunFormula`]). Parts are numbered and shared, so that what is used
//! twice is computed once, and each remembers the formula it stands for, to be shown to people.

use crate::{RunClaim, RunFormula, TraceStep};
use lariat_automata::TooLarge;
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
    /// Some fair run satisfies the formula with this number.
    Run(RunId),
}

/// The number of a [`RunFormula`] in its [`Branching`].
pub type RunId = usize;

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
    runs: Vec<RunFormula>,
    root: PartId,
    propositions: Propositions,
}

impl Branching {
    /// The part that always holds.
    pub(crate) const TRUE: PartId = 0;

    /// The property that `formula`, which is one of CTL, holds in every initial state; `None` if it is not of CTL.
    pub fn new(formula: Formula, labels: Vec<LabelId>) -> Option<Self> {
        Self::of_star(formula, labels).ok().flatten().filter(|made| made.runs.is_empty())
    }

    /// The property that `formula`, which is one of CTL*, holds in every initial state; `None` if a temporal operator in it
    /// has no quantifier around it. An error if an automaton for one of its runs would be too large.
    pub fn of_star(formula: Formula, labels: Vec<LabelId>) -> Result<Option<Self>, TooLarge> {
        if !formula.is_of_states() {
            return Ok(None);
        }
        let parts = vec![(StateFormula::True, Formula::True)];
        let numbers = HashMap::from([(StateFormula::True, Self::TRUE)]);
        let mut made = Self {
            formula: formula.clone(),
            labels,
            parts,
            numbers,
            runs: Vec::new(),
            root: Self::TRUE,
            propositions: Propositions::default(),
        };
        made.root = made.read(&formula, false)?;
        Ok(Some(made))
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
    /// A formula that runs are to satisfy.
    pub fn run(&self, id: RunId) -> &RunFormula {
        &self.runs[id]
    }
    /// All formulas that runs are to satisfy.
    pub fn runs(&self) -> impl Iterator<Item = &RunFormula> {
        self.runs.iter()
    }
    /// Whether infinite runs are needed to show some part.
    pub fn has_loops(&self) -> bool {
        self.parts.iter().any(|(part, _)| matches!(part, StateFormula::Always(_) | StateFormula::Run(_)))
    }
    /// Whether some part depends on how a state was come to.
    pub fn recalls(&self) -> bool {
        self.runs.iter().any(|run| run.here.is_some())
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

    /// The part that the formula, one of states, is. It is `inner` if a quantifier is around it.
    fn read(&mut self, formula: &Formula, inner: bool) -> Result<PartId, TooLarge> {
        Ok(match formula {
            Formula::True => Self::TRUE,
            Formula::False => self.not(Self::TRUE),
            Formula::Prop(prop) => self.enter(StateFormula::Prop(*prop), formula.clone()),
            Formula::Not(part) => {
                let part = self.read(part, inner)?;
                self.not(part)
            }
            Formula::And(parts) => {
                let parts = parts.iter().map(|part| self.read(part, inner)).collect::<Result<_, _>>()?;
                self.all(parts)
            }
            Formula::Or(parts) => {
                let parts = parts.iter().map(|part| self.read(part, inner)).collect::<Result<_, _>>()?;
                self.any(parts)
            }
            Formula::Implies(f, g) => {
                let (f, g) = (self.read(f, inner)?, self.read(g, inner)?);
                let not_f = self.not(f);
                self.any(vec![not_f, g])
            }
            Formula::Iff(f, g) | Formula::Xor(f, g) => {
                let (f, g) = (self.read(f, inner)?, self.read(g, inner)?);
                let shown = Formula::iff(self.shown(f).clone(), self.shown(g).clone());
                let same = self.enter(StateFormula::Iff(f, g), shown);
                if matches!(formula, Formula::Xor(..)) { self.not(same) } else { same }
            }
            Formula::ForSome(path) => self.read_path(path, true, inner)?,
            Formula::ForAll(path) => {
                let counterexample = self.read_path(path, false, inner)?;
                self.enter(StateFormula::Not(counterexample), formula.clone())
            }
            _ => unreachable!("the formula is one of states"),
        })
    }

    /// The part that a formula of CTL is; `None` if it is not of CTL.
    pub(crate) fn read_ctl(&mut self, formula: &Formula) -> Option<PartId> {
        let runs = self.runs.len();
        let read = formula.is_of_states().then(|| self.read(formula, false).ok())??;
        (self.runs.len() == runs).then_some(read)
    }

    /// The part that says that on some fair run the path formula holds, or if not `holds` that it does not hold.
    fn read_path(&mut self, path: &Formula, holds: bool, inner: bool) -> Result<PartId, TooLarge> {
        if path.is_past_operator() || !path.operands().into_iter().all(Formula::is_of_states) {
            return self.read_run(path, holds, inner);
        }
        let one = |this: &mut Self, part: &Formula| {
            let part = this.read(part, true)?;
            Ok(if holds { part } else { this.not(part) })
        };
        Ok(match (path, holds) {
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
            _ => return self.read_run(path, holds, inner),
        })
    }

    /// The same for any path formula.
    fn read_run(&mut self, path: &Formula, holds: bool, inner: bool) -> Result<PartId, TooLarge> {
        let path = if holds { path.clone() } else { path.negated() };
        let mut parts = Vec::new();
        let formula = self.read_propositions(&path, &mut parts)?;
        let recalls = inner && formula.has_past();
        let made = RunFormula::new(&formula, parts, recalls)?;
        let is_made =
            |run: &RunFormula| (&run.formula, &run.parts, run.here.is_some()) == (&made.formula, &made.parts, recalls);
        let run = self.runs.iter().position(is_made).unwrap_or_else(|| {
            self.runs.push(made);
            self.runs.len() - 1
        });
        Ok(self.enter(StateFormula::Run(run), Formula::for_some(path)))
    }

    /// The path formula with a proposition for each of `parts`: propositions, and formulas behind quantifiers.
    fn read_propositions(&mut self, path: &Formula, parts: &mut Vec<PartId>) -> Result<Formula, TooLarge> {
        if let Formula::Prop(_) | Formula::ForSome(_) | Formula::ForAll(_) = path {
            let part = self.read(path, true)?;
            let known = parts.iter().position(|known| *known == part).unwrap_or_else(|| {
                parts.push(part);
                parts.len() - 1
            });
            return Ok(Formula::prop(PropId(known as u32)));
        }
        let mut trouble = None;
        let read = path.map_operands(|part| match self.read_propositions(part, parts) {
            Ok(read) => read,
            Err(too_large) => {
                trouble = Some(too_large);
                Formula::True
            }
        });
        trouble.map_or(Ok(read), Err)
    }
}

/// A run that shows that a part of a formula (`Next`, `Until`, `Always` or `Run`) holds in a state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Witness {
    /// What it shows.
    pub claim: PartId,
    /// Where it begins: a state of the run it belongs to, or an initial state.
    pub start: Vec<u64>,
    /// How many of its steps come before the state that the part is shown of. A formula that recalls is shown by a run from an
    /// initial state, of which the state that it belongs to is one; others begin there.
    pub past: usize,
    /// The run.
    pub steps: Vec<TraceStep>,
    /// For a run that goes on for ever: after the last step it goes on at the state before this step.
    pub loop_start: Option<usize>,
    /// Of a run that shows a [`RunFormula`]: what it needs of formulas behind quantifiers.
    pub claims: Vec<RunClaim>,
    /// Runs that show what must hold along this one; each is about the state after so many steps.
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
    fn paths_of_ctl_star_are_read_over_their_parts() {
        let star = |text: &str| {
            let mut props = Propositions::named(["p", "q"]);
            let options =
                ParseOptions { dialect: Dialect::Auto, quantifiers: true, file: lariat_base::Span::NONE.file };
            let formula = parse(text, options, &mut props).expect("it is a formula");
            Branching::of_star(formula, vec![LabelId(0), LabelId(1)]).expect("it is small")
        };
        let read = star("A (G F p -> E (q U E X p))").expect("it is one of states");
        assert_eq!(read.runs.len(), 1, "what is of CTL needs no automaton");
        assert_eq!(read.run(0).parts.len(), 2);
        assert!(!read.recalls());
        // The past of an outermost quantifier is that of a run from here; inside of another it is any.
        assert!(!star("E (p & O q)").expect("it is one of states").recalls());
        let inner = star("E F (p & E (O q)) & E (O q)").expect("it is one of states");
        assert!(inner.recalls() && inner.runs.len() == 2);
        assert_eq!(star("E (G F p | G F E (G F p)) & E (G F p)").expect("it is one of states").runs.len(), 2);
        assert!(star("F E X p").is_none());
        let mut deep = "p".to_owned();
        for _ in 0..40 {
            deep = format!("E (q | X X ({deep}))");
        }
        assert_eq!(star(&deep).expect("it is one of states").runs.len(), 40);
    }

    #[test]
    fn what_is_not_ctl_is_not_read() {
        assert_eq!(read("E (F p & G q)"), None);
        assert_eq!(read("A F G p"), None);
        assert_eq!(read("G p"), None);
    }
}
