//! Whether some fair run satisfies a formula, decided by guessing what holds.
//!
//! A *node* is a step together with a guess: for every part `X f`, `F f`, `f U g`, … whether it is so at the next position,
//! and for every part of the past whether it was so at the one before. With these the truth of every part at this position
//! is known, and one node may follow another if they say the same about each other. A run of nodes is right if what is
//! guessed to come some time does come: one more condition on what happens infinitely often for each part, and no other
//! than justice is.

use super::fairness::is_so;
use super::{RunGraph, RunStep};
use lariat_base::Id;
use lariat_logic::Formula;
use lariat_system::{Fairness, LabelId, Strength};
use std::collections::HashMap;

/// A set of parts of the formula: bit `n` is part `n`.
type Parts = u64;

/// A formula with its parts, those within others first; the last is the formula itself.
struct Closure<'f> {
    parts: Vec<(&'f Formula, Vec<usize>)>,
}

impl<'f> Closure<'f> {
    fn new(formula: &'f Formula) -> Self {
        let mut closure = Self { parts: Vec::new() };
        closure.number_of(formula);
        assert!(closure.parts.len() <= Parts::BITS as usize, "the formula is small");
        closure
    }

    fn number_of(&mut self, formula: &'f Formula) -> usize {
        let operands = formula.operands().into_iter().map(|part| self.number_of(part)).collect();
        self.parts.iter().position(|(known, _)| *known == formula).unwrap_or_else(|| {
            self.parts.push((formula, operands));
            self.parts.len() - 1
        })
    }

    /// The parts that speak of the next position.
    fn of_future(&self) -> Vec<usize> {
        let is_future = |formula: &Formula| {
            use Formula as F;
            matches!(
                formula,
                F::Next(_)
                    | F::Finally(_)
                    | F::Globally(_)
                    | F::Until(..)
                    | F::WeakUntil(..)
                    | F::Release(..)
                    | F::StrongRelease(..)
            )
        };
        (0..self.parts.len()).filter(|&number| is_future(self.parts[number].0)).collect()
    }

    /// What is remembered before the first position.
    fn before_all(&self) -> Parts {
        let is_true = |formula: &Formula| {
            matches!(formula, Formula::WeakYesterday(_) | Formula::Historically(_) | Formula::Trigger(..))
        };
        self.select(|number, _| is_true(self.parts[number].0))
    }

    fn select(&self, mut test: impl FnMut(usize, &[usize]) -> bool) -> Parts {
        let holding = (0..self.parts.len()).filter(|&number| test(number, &self.parts[number].1));
        holding.fold(0, |set, number| set | 1 << number)
    }

    /// What holds at a position with this letter, if `before` was remembered and `later` is guessed.
    fn truth(&self, has: impl Fn(usize) -> bool, before: Parts, later: Parts) -> Parts {
        let mut truth: Parts = 0;
        for (number, (formula, operands)) in self.parts.iter().enumerate() {
            let is = |operand: usize| truth >> operands[operand] & 1 == 1;
            let (was, will) = (before >> number & 1 == 1, later >> number & 1 == 1);
            let value = match formula {
                Formula::True => true,
                Formula::False => false,
                Formula::Prop(id) => has(id.index()),
                Formula::Not(_) => !is(0),
                Formula::And(parts) => (0..parts.len()).all(is),
                Formula::Or(parts) => (0..parts.len()).any(is),
                Formula::Implies(..) => !is(0) || is(1),
                Formula::Iff(..) => is(0) == is(1),
                Formula::Xor(..) => is(0) != is(1),
                Formula::Next(_) => will,
                Formula::Finally(_) => is(0) || will,
                Formula::Globally(_) => is(0) && will,
                Formula::Until(..) | Formula::WeakUntil(..) => is(1) || is(0) && will,
                Formula::Release(..) | Formula::StrongRelease(..) => is(1) && (is(0) || will),
                Formula::Yesterday(_) | Formula::WeakYesterday(_) => was,
                Formula::Once(_) => is(0) || was,
                Formula::Historically(_) => is(0) && was,
                Formula::Since(..) => is(1) || is(0) && was,
                Formula::Trigger(..) => is(1) && (is(0) || was),
                Formula::ForSome(_) | Formula::ForAll(_) => unreachable!("there is one run only"),
            };
            truth |= Parts::from(value) << number;
        }
        truth
    }

    /// What the next position remembers of one where `truth` holds.
    fn remembered(&self, truth: Parts) -> Parts {
        self.select(|number, operands| match self.parts[number].0 {
            Formula::Yesterday(_) | Formula::WeakYesterday(_) => truth >> operands[0] & 1 == 1,
            Formula::Once(_) | Formula::Historically(_) | Formula::Since(..) | Formula::Trigger(..) => {
                truth >> number & 1 == 1
            }
            _ => false,
        })
    }

    /// What the position before must have guessed about one where `truth` holds.
    fn foretold(&self, truth: Parts) -> Parts {
        let of_future = self.of_future();
        self.select(|number, operands| match self.parts[number].0 {
            Formula::Next(_) => truth >> operands[0] & 1 == 1,
            _ => of_future.contains(&number) && truth >> number & 1 == 1,
        })
    }

    /// Of each part that promises something, or denies that something always holds, whether the promise is kept or not made.
    fn kept(&self, truth: Parts) -> Vec<bool> {
        let kept = self.parts.iter().enumerate().filter_map(|(number, (formula, operands))| {
            let is = |operand: usize| truth >> operands[operand] & 1 == 1;
            let so = truth >> number & 1 == 1;
            match formula {
                Formula::Finally(_) => Some(!so || is(0)),
                Formula::Until(..) => Some(!so || is(1)),
                Formula::StrongRelease(..) => Some(!so || is(0) && is(1)),
                Formula::Globally(_) => Some(so || !is(0)),
                Formula::WeakUntil(..) => Some(so || !is(0) && !is(1)),
                Formula::Release(..) => Some(so || !is(1)),
                _ => None,
            }
        });
        kept.collect()
    }
}

/// Nodes, and which may follow which.
struct Nodes {
    /// For each node the number of its step, and what holds there.
    nodes: Vec<(usize, Parts)>,
    next: Vec<Vec<usize>>,
    /// Those that runs begin with.
    first: Vec<usize>,
}

impl RunGraph<'_> {
    /// Whether some run of the system that meets every constraint satisfies the formula; proposition `n` is the label
    /// `labels[n]`. `None` if there would be more than `limit` nodes.
    pub fn has_fair_run(
        &self,
        formula: &Formula,
        labels: &[LabelId],
        constraints: &[Fairness],
        limit: usize,
    ) -> Option<bool> {
        let closure = Closure::new(formula);
        let has = |step: usize, prop: usize| self.steps[step].has(labels[prop]);
        let graph = self.nodes(&closure, &has, &self.initial, true, limit)?;
        Some(self.lasting(&closure, &graph, constraints).contains(&true))
    }

    /// The states in which the formula is asked about and holds on some run that meets every constraint; `has` says which
    /// propositions hold at which step. `None` if there would be more than `limit` nodes.
    ///
    /// Without `recalls` it is asked about at the beginning of runs, which may begin in any state. Otherwise runs begin in initial
    /// states, and it is asked about at any time.
    pub(super) fn states_of_runs(
        &self,
        formula: &Formula,
        has: &dyn Fn(usize, usize) -> bool,
        constraints: &[Fairness],
        recalls: bool,
        limit: usize,
    ) -> Option<Vec<bool>> {
        let closure = Closure::new(formula);
        let all: Vec<usize> = (0..self.states.len()).collect();
        let starts = if recalls { &self.initial } else { &all };
        let graph = self.nodes(&closure, has, starts, !recalls, limit)?;
        // What leads to where it can go on for ever.
        let mut goes_on = self.lasting(&closure, &graph, constraints);
        loop {
            let leads = |node: usize| goes_on[node] || graph.next[node].iter().any(|&next| goes_on[next]);
            let more: Vec<bool> = (0..graph.nodes.len()).map(leads).collect();
            if more == goes_on {
                break;
            }
            goes_on = more;
        }
        let whole = closure.parts.len() - 1;
        let mut found = vec![false; self.states.len()];
        let asked = if recalls { (0..graph.nodes.len()).collect() } else { graph.first };
        for node in asked {
            let (step, truth) = graph.nodes[node];
            found[self.steps[step].source] |= goes_on[node] && truth >> whole & 1 == 1;
        }
        Some(found)
    }

    /// The nodes that a run can come to again and again, and be right and fair.
    fn lasting(&self, closure: &Closure<'_>, graph: &Nodes, constraints: &[Fairness]) -> Vec<bool> {
        let justice: Vec<Vec<bool>> = graph
            .nodes
            .iter()
            .map(|&(step, truth)| {
                let mut met = closure.kept(truth);
                met.extend(constraints.iter().filter_map(|constraint| is_just(constraint, &self.steps[step])));
                met
            })
            .collect();
        let strong: Vec<Vec<(bool, bool)>> = graph
            .nodes
            .iter()
            .map(|&(step, _)| constraints.iter().filter_map(|constraint| asks(constraint, &self.steps[step])).collect())
            .collect();
        let strong_count = constraints.iter().filter(|constraint| constraint.is_strong()).count();
        let mut lasting = vec![false; graph.nodes.len()];
        for silent in 0..1_u32 << strong_count {
            let is_silent = |number: usize| silent >> number & 1 == 1;
            let stays: Vec<bool> =
                strong.iter().map(|of| !of.iter().enumerate().any(|(n, (asked, _))| is_silent(n) && *asked)).collect();
            for component in components(&graph.next, &stays) {
                let all_just =
                    (0..justice[component[0]].len()).all(|number| component.iter().any(|&node| justice[node][number]));
                let all_given = (0..strong_count)
                    .all(|number| is_silent(number) || component.iter().any(|&node| strong[node][number].1));
                if all_just && all_given {
                    component.into_iter().for_each(|node| lasting[node] = true);
                }
            }
        }
        lasting
    }

    /// The nodes that can be reached from one at the beginning of a run, in one of these states; if `holding`, from one where the
    /// formula holds.
    fn nodes(
        &self,
        closure: &Closure<'_>,
        has: &dyn Fn(usize, usize) -> bool,
        starts: &[usize],
        holding: bool,
        limit: usize,
    ) -> Option<Nodes> {
        let of_future = closure.of_future();
        let guesses: Vec<Parts> = (0..1_u32 << of_future.len())
            .map(|set| {
                let chosen = of_future.iter().enumerate().filter(|(bit, _)| set >> bit & 1 == 1);
                chosen.fold(0, |guess, (_, &part)| guess | 1 << part)
            })
            .collect();
        // By state and by what is remembered: the nodes there, with what was foretold about each.
        let mut known: HashMap<(usize, Parts), Vec<(usize, Parts)>> = HashMap::new();
        let mut graph = Nodes { nodes: Vec::new(), next: Vec::new(), first: Vec::new() };
        let mut guessed: Vec<Parts> = Vec::new();
        let mut at = |graph: &mut Nodes, guessed: &mut Vec<Parts>, state: usize, before: Parts| {
            let here = known.entry((state, before)).or_insert_with(|| {
                let mut here = Vec::new();
                for &step in &self.from[state] {
                    for &later in &guesses {
                        let truth = closure.truth(|prop| has(step, prop), before, later);
                        here.push((graph.nodes.len(), closure.foretold(truth)));
                        graph.nodes.push((step, truth));
                        guessed.push(later);
                    }
                }
                here
            });
            here.clone()
        };
        let whole = closure.parts.len() - 1;
        let mut waiting = Vec::new();
        for &state in starts {
            for (node, _) in at(&mut graph, &mut guessed, state, closure.before_all()) {
                if !holding || graph.nodes[node].1 >> whole & 1 == 1 {
                    waiting.push(node);
                }
            }
        }
        graph.first.clone_from(&waiting);
        let mut next: HashMap<usize, Vec<usize>> = HashMap::new();
        while let Some(node) = waiting.pop() {
            if next.contains_key(&node) {
                continue;
            }
            let (step, truth) = graph.nodes[node];
            let there = at(&mut graph, &mut guessed, self.steps[step].target, closure.remembered(truth));
            if graph.nodes.len() > limit {
                return None;
            }
            let following: Vec<usize> =
                there.into_iter().filter(|(_, foretold)| *foretold == guessed[node]).map(|(node, _)| node).collect();
            waiting.extend(&following);
            next.insert(node, following);
        }
        // What cannot be reached has no way on, and is in no component.
        graph.next = (0..graph.nodes.len()).map(|node| next.remove(&node).unwrap_or_default()).collect();
        Some(graph)
    }
}

/// Of a constraint that something happens infinitely often: whether it happens in the step.
fn is_just(constraint: &Fairness, step: &RunStep) -> Option<bool> {
    let Fairness { strength, asked, given } = *constraint;
    (strength == Strength::Weak).then(|| !is_so(asked, step) || is_so(given, step))
}

/// Of a constraint that something happens infinitely often if something else does: whether the step asks for it, and whether
/// it gives it.
fn asks(constraint: &Fairness, step: &RunStep) -> Option<(bool, bool)> {
    let Fairness { strength, asked, given } = *constraint;
    (strength == Strength::Strong).then(|| (is_so(asked, step), is_so(given, step)))
}

/// The sets of nodes that stay, each of which can be reached from each, by at least one step (Kosaraju's way).
fn components(next: &[Vec<usize>], stays: &[bool]) -> Vec<Vec<usize>> {
    let mut backwards = vec![Vec::new(); next.len()];
    for (node, following) in next.iter().enumerate().filter(|(node, _)| stays[*node]) {
        for &target in following.iter().filter(|&&target| stays[target]) {
            backwards[target].push(node);
        }
    }
    let mut left = Vec::new();
    let mut seen: Vec<bool> = stays.iter().map(|stays| !stays).collect();
    for node in 0..next.len() {
        let mut path = if seen[node] { Vec::new() } else { vec![(node, 0)] };
        seen[node] = true;
        while let Some((at, tried)) = path.last_mut() {
            if let Some(&target) = next[*at].get(*tried) {
                *tried += 1;
                if !seen[target] {
                    seen[target] = true;
                    path.push((target, 0));
                }
            } else {
                left.push(*at);
                path.pop();
            }
        }
    }
    let mut found = Vec::new();
    let mut taken = vec![false; next.len()];
    for &last in left.iter().rev() {
        let mut component = Vec::new();
        let mut waiting = vec![last];
        while let Some(node) = waiting.pop() {
            if !taken[node] {
                taken[node] = true;
                component.push(node);
                waiting.extend(&backwards[node]);
            }
        }
        if component.len() > 1 || component.first().is_some_and(|&only| next[only].contains(&only)) {
            found.push(component);
        }
    }
    found
}
