//! Random temporal properties of random small systems, and shrinking of those on which a test fails.

use crate::oracle::{GraphLimits, RunGraph};
use crate::{FormulaKnobs, Knobs, RandomSystem, Rng, random_formula, shrink, shrink_formula};
use lariat_base::{Id, Span};
use lariat_logic::{Dialect, Formula, Propositions, print};
use lariat_system::{ActionId, Fairness, Label, LabelId, LabelMeaning, Position, System, Who};
use std::fmt;

/// A system with fairness, and what is to hold on its fair runs.
#[derive(Clone, Debug)]
pub struct TemporalCase {
    /// The system; valid.
    pub system: System,
    /// What is to hold.
    pub formula: Formula,
    /// The propositions of the formula, each the name of a label.
    pub propositions: Propositions,
}

/// How many cases share a system: that many formulas and sets of constraints are tried on each.
const CASES_OF_A_SYSTEM: u64 = 4;

impl TemporalCase {
    /// The case of `seed`: the same seed gives the same case. The system has from one to ten reachable states, and its graph
    /// is small enough to be written out.
    pub fn generate(seed: u64) -> Self {
        let mut rng = Rng::new(seed);
        let mut system = small_system(seed / CASES_OF_A_SYSTEM);
        system.fairness.clear();
        for _ in 0..*rng.pick(&[0, 1, 1, 2, 2, 3, 4]) {
            let constraint = random_constraint(&system, &mut rng);
            system.fairness.push(constraint);
        }
        let knobs = FormulaKnobs {
            operators: *rng.pick(&[3, 5, 7]),
            props: system.labels.len() as u32,
            past: rng.chance(60),
            ..FormulaKnobs::default()
        };
        let mut formula = random_formula(rng.next_u64(), &knobs);
        // Few random formulas are about what happens for ever, which is what fairness is about.
        if rng.chance(50) {
            formula = match rng.below(4) {
                0 => Formula::globally(Formula::finally(formula)),
                1 => Formula::finally(Formula::globally(formula)),
                2 => Formula::globally(formula),
                _ => Formula::finally(formula),
            };
        }
        let propositions = Propositions::named(system.labels.iter().map(|label| label.name.as_str()));
        Self { system, formula, propositions }
    }

    /// For each proposition the label that it is; `None` if the system lacks one.
    pub fn labels(&self) -> Option<Vec<LabelId>> {
        let label_of =
            |name: &str| self.system.labels.entries().find(|(_, label)| label.name == name).map(|(id, _)| id);
        self.propositions.entries().map(|(_, proposition)| label_of(&proposition.text)).collect()
    }

    /// The smallest case that can be found by single changes such that `fails` holds of it. `fails` must hold of the case
    /// itself.
    #[must_use]
    pub fn shrunk(&self, mut fails: impl FnMut(&Self) -> bool) -> Self {
        let mut smallest = self.clone();
        loop {
            let before = smallest.to_string();
            let formula = shrink_formula(&smallest.formula, |formula| {
                fails(&Self { formula: formula.clone(), ..smallest.clone() })
            });
            smallest.formula = formula;
            smallest = smallest.with_fewer_propositions();
            let system = shrink(&smallest.system, |system| {
                let candidate = Self { system: system.clone(), ..smallest.clone() };
                candidate.labels().is_some() && fails(&candidate)
            });
            smallest.system = system;
            if smallest.to_string() == before {
                return smallest;
            }
        }
    }

    /// The same case with the propositions that the formula speaks of, and no others.
    fn with_fewer_propositions(&self) -> Self {
        let mut propositions = Propositions::default();
        for prop in self.formula.props() {
            propositions.intern(&self.propositions.text(prop), Span::NONE);
        }
        fn renamed(formula: &Formula, old: &Propositions, new: &Propositions) -> Formula {
            match formula {
                Formula::Prop(prop) => Formula::prop(new.find(&old.text(*prop)).expect("it is spoken of")),
                other => other.map_operands(|part| renamed(part, old, new)),
            }
        }
        let formula = renamed(&self.formula, &self.propositions, &propositions);
        Self { system: self.system.clone(), formula, propositions }
    }
}

impl fmt::Display for TemporalCase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "# ltl: {}", print(&self.formula, &self.propositions, Dialect::Auto))?;
        write!(f, "{}", self.system)
    }
}

/// The small system of a seed. Those of seeds that give none are made from another seed.
fn small_system(seed: u64) -> System {
    let knobs = Knobs {
        globals: 2,
        locals: 1,
        actions: 5,
        choices: 1,
        depth: 2,
        fairness: false,
        wide_percent: 0,
        twin_percent: 35,
        ..Knobs::default()
    };
    let mut rng = Rng::new(seed ^ 0x006c_6173_736f);
    loop {
        // Some of the smallest are wanted too: a system with one state has loops.
        let least = *rng.pick(&[1, 2, 2, 3, 3, 4, 5]);
        let Some(mut system) = RandomSystem::of_size(rng.next_u64(), &knobs, least..=10) else { continue };
        for (number, label) in system.labels.iter_mut().enumerate() {
            label.name = format!("l{number}");
        }
        if system.labels.len() < 2 || rng.chance(30) {
            let meaning = match system.pool_size {
                0 => LabelMeaning::State(lariat_system::Expr::TRUE),
                size => LabelMeaning::By(rng.below(usize::from(size)) as Position),
            };
            let name = format!("l{}", system.labels.len());
            system.labels.push(Label { name, meaning, span: Span::NONE });
        }
        if RunGraph::new(&system, &GraphLimits::default()).is_some() {
            return system;
        }
    }
}

fn random_constraint(system: &System, rng: &mut Rng) -> Fairness {
    let label = |rng: &mut Rng| LabelId::new(rng.below(system.labels.len()));
    match rng.below(10) {
        0 | 1 => Fairness::Justice(label(rng)),
        2..5 => Fairness::Compassion(label(rng), label(rng)),
        number => {
            let who = if system.pool_size > 0 && rng.chance(55) {
                Who::Process(rng.below(usize::from(system.pool_size)) as Position)
            } else {
                let count = 1 + rng.below(3);
                let mut actions: Vec<ActionId> =
                    (0..count).map(|_| ActionId::new(rng.below(system.actions.len()))).collect();
                actions.sort_unstable();
                actions.dedup();
                Who::Actions(actions)
            };
            if number < 7 { Fairness::Weak(who) } else { Fairness::Strong(who) }
        }
    }
}
