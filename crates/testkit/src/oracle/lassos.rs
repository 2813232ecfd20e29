//! Runs that end in a loop, tried one after the other.

use super::fairness::is_fair;
use super::{RunGraph, RunStep};
use lariat_base::Id;
use lariat_logic::{Formula, LassoWord, Letter, PropId, holds};
use lariat_system::{Fairness, LabelId};

/// A run that ends in a loop.
#[derive(Clone, Debug)]
pub struct RunLasso<'g> {
    /// The number of the state it begins in.
    pub initial: usize,
    /// The steps before the loop.
    pub stem: Vec<&'g RunStep>,
    /// Those of the loop, at least one; the last leads to where the first begins.
    pub cycle: Vec<&'g RunStep>,
}

impl RunLasso<'_> {
    /// Whether it meets all constraints.
    pub fn is_fair(&self, constraints: &[Fairness]) -> bool {
        constraints.iter().all(|constraint| is_fair(constraint, &self.cycle))
    }
    /// Whether the formula holds on it; proposition `n` is the label `labels[n]`.
    pub fn satisfies(&self, formula: &Formula, labels: &[LabelId]) -> bool {
        let letter = |step: &&RunStep| -> Letter {
            let props = labels.iter().enumerate().filter(|&(_, &label)| step.has(label));
            props.map(|(number, _)| PropId::new(number)).collect()
        };
        let word = LassoWord::new(self.stem.iter().map(letter).collect(), self.cycle.iter().map(letter).collect());
        holds(formula, &word)
    }
}

impl RunGraph<'_> {
    /// The runs that end in a loop, the shortest first: those of at most `longest` steps, and not many more than `most`.
    pub fn lassos(&self, most: usize, longest: usize) -> Vec<RunLasso<'_>> {
        let mut found = Vec::new();
        let mut paths: Vec<Vec<usize>> = vec![Vec::new()];
        for _ in 0..longest {
            let mut longer = Vec::new();
            for path in &paths {
                let ends: &[usize] = match path.last() {
                    Some(&last) => &[self.steps[last].target],
                    None => &self.initial,
                };
                for &step in ends.iter().flat_map(|&end| &self.from[end]) {
                    longer.push(path.iter().copied().chain([step]).collect::<Vec<usize>>());
                }
            }
            longer.truncate(most);
            for path in &longer {
                let steps: Vec<&RunStep> = path.iter().map(|&step| &self.steps[step]).collect();
                let end = steps[steps.len() - 1].target;
                for start in (0..steps.len()).filter(|&start| steps[start].source == end) {
                    let (stem, cycle) = steps.split_at(start);
                    found.push(RunLasso { initial: steps[0].source, stem: stem.to_vec(), cycle: cycle.to_vec() });
                }
            }
            if found.len() >= most {
                break;
            }
            paths = longer;
        }
        found.truncate(most);
        found
    }

    /// The steps of a shortest run that ends in a loop and `is_wanted`. If there is none of so many steps, and no more than
    /// `most` paths can be tried, that number of steps is the error.
    pub fn shortest_lasso(
        &self,
        most: usize,
        mut is_wanted: impl FnMut(&RunLasso<'_>) -> bool,
    ) -> Result<usize, usize> {
        let mut paths: Vec<Vec<usize>> = vec![Vec::new()];
        for length in 1.. {
            let ends = |path: &[usize]| match path.last() {
                Some(&last) => vec![self.steps[last].target],
                None => self.initial.clone(),
            };
            let longer: Vec<Vec<usize>> = paths
                .iter()
                .flat_map(|path| {
                    let steps = ends(path).into_iter().flat_map(|end| &self.from[end]);
                    steps.map(|&step| path.iter().copied().chain([step]).collect())
                })
                .take(most + 1)
                .collect();
            if longer.len() > most || longer.is_empty() {
                return Err(length - 1);
            }
            for path in &longer {
                let steps: Vec<&RunStep> = path.iter().map(|&step| &self.steps[step]).collect();
                let end = steps[steps.len() - 1].target;
                for start in (0..steps.len()).filter(|&start| steps[start].source == end) {
                    let (stem, cycle) = steps.split_at(start);
                    let lasso = RunLasso { initial: steps[0].source, stem: stem.to_vec(), cycle: cycle.to_vec() };
                    if is_wanted(&lasso) {
                        return Ok(length);
                    }
                }
            }
            paths = longer;
        }
        unreachable!("some number of steps ends it")
    }
}
