//! In which states a formula of CTL* with past holds, straight from its meaning.
//!
//! `E f` holds in a state if a fair run passes it and `f` holds on the run there. For an outermost quantifier the run begins in
//! that state; for one inside of another it begins in an initial state, be that long before. `A f` is `!E !f`. Formulas of
//! states inside of `f` are evaluated first, and are propositions then.

use super::RunGraph;
use lariat_base::Id;
use lariat_logic::{Formula, PropId};
use lariat_system::{Fairness, LabelId};

/// What a formula speaks of, and how much is done about it.
struct Question<'q> {
    labels: &'q [LabelId],
    constraints: &'q [Fairness],
    limit: usize,
}

impl RunGraph<'_> {
    /// By state, whether the formula, one of states, holds there; its quantifiers speak of runs that meet every constraint, and
    /// its proposition `n` is the label `labels[n]`, one of states. `None` if a quantifier would need more than `limit` nodes.
    pub fn states_satisfying(
        &self,
        formula: &Formula,
        labels: &[LabelId],
        constraints: &[Fairness],
        limit: usize,
    ) -> Option<Vec<bool>> {
        self.values(formula, &Question { labels, constraints, limit }, false)
    }

    /// Whether the formula holds in all initial states from which a run goes that meets every constraint; and whether there is
    /// none.
    pub fn satisfies(
        &self,
        formula: &Formula,
        labels: &[LabelId],
        constraints: &[Fairness],
        limit: usize,
    ) -> Option<(bool, bool)> {
        let question = Question { labels, constraints, limit };
        let fair = self.values(&Formula::for_some(Formula::True), &question, false)?;
        let values = self.values(formula, &question, false)?;
        let holds = self.initial.iter().all(|&state| !fair[state] || values[state]);
        Some((holds, !self.initial.iter().any(|&state| fair[state])))
    }

    fn values(&self, formula: &Formula, question: &Question<'_>, inner: bool) -> Option<Vec<bool>> {
        let of = |part: &Formula| self.values(part, question, inner);
        let both = |f: &Formula, g: &Formula, test: &dyn Fn(bool, bool) -> bool| -> Option<Vec<bool>> {
            Some(of(f)?.into_iter().zip(of(g)?).map(|(f, g)| test(f, g)).collect())
        };
        Some(match formula {
            Formula::True => vec![true; self.states.len()],
            Formula::False => vec![false; self.states.len()],
            Formula::Prop(prop) => {
                let label = question.labels[prop.index()];
                self.states.iter().map(|state| self.evaluator.state_labels(state).contains(&label)).collect()
            }
            Formula::Not(part) => of(part)?.into_iter().map(|value| !value).collect(),
            Formula::And(parts) | Formula::Or(parts) => {
                let is_and = matches!(formula, Formula::And(_));
                let values: Vec<Vec<bool>> = parts.iter().map(of).collect::<Option<_>>()?;
                let at = |state: usize| match is_and {
                    true => values.iter().all(|value| value[state]),
                    false => values.iter().any(|value| value[state]),
                };
                (0..self.states.len()).map(at).collect()
            }
            Formula::Implies(f, g) => both(f, g, &|f, g| !f || g)?,
            Formula::Iff(f, g) => both(f, g, &|f, g| f == g)?,
            Formula::Xor(f, g) => both(f, g, &|f, g| f != g)?,
            Formula::ForSome(path) => self.some_run(path, question, inner)?,
            Formula::ForAll(path) => {
                let violated = self.some_run(&Formula::not((**path).clone()), question, inner)?;
                violated.into_iter().map(|violated| !violated).collect()
            }
            _ => unreachable!("the formula is one of states"),
        })
    }

    fn some_run(&self, path: &Formula, question: &Question<'_>, inner: bool) -> Option<Vec<bool>> {
        let mut parts: Vec<(Formula, Vec<bool>)> = Vec::new();
        let path = self.with_values(path, question, &mut parts)?;
        let labels = question.labels;
        let has = |step: usize, prop: usize| match prop.checked_sub(labels.len()) {
            None => self.steps[step].of_state.contains(&labels[prop]),
            Some(part) => parts[part].1[self.steps[step].source],
        };
        self.states_of_runs(&path, &has, question.constraints, inner, question.limit)
    }

    /// The path formula, in which what stands behind quantifiers is a proposition beyond those that are labels.
    fn with_values(
        &self,
        path: &Formula,
        question: &Question<'_>,
        parts: &mut Vec<(Formula, Vec<bool>)>,
    ) -> Option<Formula> {
        if !matches!(path, Formula::ForSome(_) | Formula::ForAll(_)) {
            let mut complete = true;
            let read = path.map_operands(|part| {
                self.with_values(part, question, parts).unwrap_or_else(|| {
                    complete = false;
                    Formula::True
                })
            });
            return complete.then_some(read);
        }
        let known = match parts.iter().position(|(known, _)| known == path) {
            Some(known) => known,
            None => {
                let values = self.values(path, question, true)?;
                parts.push((path.clone(), values));
                parts.len() - 1
            }
        };
        Some(Formula::prop(PropId::new(question.labels.len() + known)))
    }
}
