//! Random temporal properties of random small systems, and shrinking of those on which a test fails.

use crate::oracle::{GraphLimits, RunGraph};
use crate::{FormulaKnobs, Knobs, RandomSystem, Rng, random_formula, shrink, shrink_formula};
use lariat_base::{Diagnostic, Id, IdVec, Span};
use lariat_logic::{Dialect, Formula, ParseOptions, PropId, Propositions, print};
use lariat_system::{
    Action, ActionId, DeadEnds, Expr, Fairness, Frame, Label, LabelId, LabelMeaning, Occasion, Place, Position, Role,
    Slot, Strength, System, Type, Update, Who,
};
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

/// What the line begins with that a case in text form has its formula in.
const FORMULA_LINE: &str = "// ltl: ";
/// The same for a formula of branching time.
const STAR_LINE: &str = "// ctl: ";

/// How many cases share a system: that many formulas and sets of constraints are tried on each.
const CASES_OF_A_SYSTEM: u64 = 4;

impl TemporalCase {
    /// The case of `seed`: the same seed gives the same case. The system has from one to ten reachable states, and its graph
    /// is small enough to be written out.
    pub fn generate(seed: u64) -> Self {
        let mut rng = Rng::new(seed);
        let mut system = small_system(seed / CASES_OF_A_SYSTEM);
        system.fairness.clear();
        for _ in 0..*rng.pick(&[0, 1, 2, 2, 3, 3, 4, 4]) {
            let constraint = random_constraint(&mut system, &mut rng);
            system.fairness.push(constraint);
        }
        // Where no run is fair everything holds: a few such cases are enough.
        if rng.chance(85) {
            let has_fair_run = |system: &System| {
                let graph = RunGraph::new(system, &GraphLimits::default());
                graph.is_none_or(|graph| graph.has_fair_run(&Formula::True, &[], &system.fairness, 1000) != Some(false))
            };
            while !system.fairness.is_empty() && !has_fair_run(&system) {
                system.fairness.pop();
            }
        }
        let knobs = FormulaKnobs {
            operators: *rng.pick(&[3, 5, 7]),
            props: system.labels.len() as u32,
            past: rng.chance(60),
            ..FormulaKnobs::default()
        };
        // Few random formulas are about what happens for ever, which is what fairness is about.
        let mut literal = || Formula::prop(PropId::new(rng.below(system.labels.len())));
        let (first, second) = (literal(), literal());
        let formula = random_formula(rng.next_u64(), &knobs);
        let again = |formula: Formula| Formula::globally(Formula::finally(formula));
        let formula = match rng.below(12) {
            0 => again(formula),
            1 => Formula::finally(Formula::globally(formula)),
            2 => Formula::globally(formula),
            3 => Formula::finally(formula),
            4 | 5 => again(first),
            6 => again(first).negated(),
            7 => Formula::implies(again(first), again(second)),
            _ => formula,
        };
        let propositions = Propositions::named(system.labels.iter().map(|label| label.name.as_str()));
        Self { system, formula, propositions }
    }

    /// The case of `seed` with a formula of CTL*, about states, that is to hold in initial states.
    pub fn generate_star(seed: u64) -> Self {
        let mut rng = Rng::new(seed ^ 0x7374_6172);
        let mut system = Self::generate(seed).system;
        let is_of_states = |label: &&Label| matches!(label.meaning, LabelMeaning::State(_));
        if system.labels.iter().filter(is_of_states).count() == 0 {
            let slot = system.slots.entries().find(|(_, slot)| slot.len.is_none()).map(|(id, _)| id);
            let meaning = slot.map_or(Expr::TRUE, |slot| Place::global(slot).read().equals(Expr::Const(1)));
            let meaning = LabelMeaning::State(meaning);
            system.labels.push(Label { name: "now".to_owned(), meaning, span: Span::NONE });
        }
        let names: Vec<&str> = system.labels.iter().filter(is_of_states).map(|label| label.name.as_str()).collect();
        let propositions = Propositions::named(names.iter().copied());
        let knobs = FormulaKnobs {
            operators: *rng.pick(&[3, 5, 7]),
            props: names.len() as u32,
            past: rng.chance(60),
            quantifiers: true,
            ..FormulaKnobs::default()
        };
        let quantified = |rng: &mut Rng, formula: Formula| match rng.chance(50) {
            true => Formula::for_some(formula),
            false => Formula::for_all(formula),
        };
        let inner = random_formula(rng.next_u64(), &knobs);
        let again = Formula::globally(Formula::finally(Formula::prop(PropId::new(rng.below(names.len())))));
        let path = match rng.below(8) {
            0 => Formula::globally(inner),
            1 => Formula::finally(quantified(&mut rng, inner)),
            2 => Formula::and([again, inner]),
            3 => Formula::implies(again, quantified(&mut rng, inner)),
            4 => Formula::globally(Formula::finally(quantified(&mut rng, inner))),
            _ => inner,
        };
        let formula = if path.is_of_states() { path } else { quantified(&mut rng, path) };
        Self { system, formula, propositions }
    }

    /// A case as it is printed: a system in text form whose first line is the formula.
    pub fn parse(text: &str) -> Result<Self, String> {
        let first = text.trim_start().lines().next().unwrap_or_default();
        let (formula, quantifiers) = match (first.strip_prefix(FORMULA_LINE), first.strip_prefix(STAR_LINE)) {
            (Some(formula), _) => (formula, false),
            (None, Some(formula)) => (formula, true),
            (None, None) => return Err("the first line is not the formula".to_owned()),
        };
        let shown = |diagnostic: Diagnostic| diagnostic.message;
        let system = lariat_system::text::parse(text, Span::NONE.file).map_err(shown)?;
        let mut propositions = Propositions::default();
        let formula =
            lariat_logic::parse(formula, ParseOptions { quantifiers, ..ParseOptions::default() }, &mut propositions)
                .map_err(shown)?;
        Ok(Self { system, formula, propositions })
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
    pub fn with_fewer_propositions(&self) -> Self {
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
        let line = if self.formula.has_quantifier() { STAR_LINE } else { FORMULA_LINE };
        writeln!(f, "{line}{}", print(&self.formula, &self.propositions, Dialect::Auto))?;
        write!(f, "{}", self.system)
    }
}

/// The small system of a seed. Those of seeds that give none are made from another seed.
fn small_system(seed: u64) -> System {
    if seed.is_multiple_of(2) {
        return graph_system(&mut Rng::new(seed));
    }
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
        if system.labels.len() < 2 || rng.chance(60) {
            let meaning = match system.pool_size {
                0 => LabelMeaning::State(Expr::TRUE),
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

/// A random graph as a system: a slot says where it is, and processes that do nothing else take its edges, alone or by twos,
/// in one action or in several that are one step.
fn graph_system(rng: &mut Rng) -> System {
    loop {
        let (places, processes) = (2 + rng.below(5), 1 + rng.below(3));
        let mut system = System::empty("random graph");
        let at = system.slots.push(Slot::new("at", Type::Int { lo: 0, hi: places as i64 - 1 }, 0));
        let frame = Frame { name: "P".to_owned(), slots: IdVec::new(), control: None, span: Span::NONE };
        let frame = system.frames.push(frame);
        system.pool_size = processes as u16;
        system.init.updates = vec![Update::Spawn { frame, arguments: Vec::new() }; processes];
        let is_at = |place: usize| Place::global(at).read().equals(Expr::Const(place as i64));
        for number in 0..2 + rng.below(3) {
            let meaning = match rng.below(3) {
                0 => LabelMeaning::Step,
                1 => LabelMeaning::By(rng.below(processes) as Position),
                _ => LabelMeaning::State(is_at(rng.below(places))),
            };
            system.labels.push(Label { name: format!("l{number}"), meaning, span: Span::NONE });
        }
        for number in 0..places + rng.below(2 * places) {
            let from = if number < places { number } else { rng.below(places) };
            let first = rng.below(processes);
            let mut by = vec![first, (first + 1 + rng.below(2)) % processes];
            by.dedup();
            by.truncate(*rng.pick(&[0, 1, 1, 2, 2]));
            let mut action = Action::new(format!("a{number}"), vec![frame; by.len()]);
            action.guard.condition.push(is_at(from));
            for (role, position) in by.iter().enumerate() {
                let stands = Expr::Position(Role(role as u8)).equals(Expr::Const(*position as i64));
                action.guard.condition.push(stands);
            }
            action.updates.push(Update::Set(Place::global(at), Expr::Const(rng.below(places) as i64)));
            for (label, declared) in system.labels.entries() {
                if declared.meaning == LabelMeaning::Step && rng.chance(40) {
                    action.labels.push((label, Expr::TRUE));
                }
            }
            if !by.is_empty() && rng.chance(25) {
                action.hold = Some(Role(rng.below(by.len()) as u8));
            }
            if rng.chance(8) {
                action.rank = Expr::Const(1);
            }
            system.actions.push(action);
        }
        if rng.chance(25) {
            system.dead_ends = DeadEnds::Cut;
        }
        if RunGraph::new(&system, &GraphLimits::default()).is_some() {
            return system;
        }
    }
}

fn random_constraint(system: &mut System, rng: &mut Rng) -> Fairness {
    let label = |rng: &mut Rng| LabelId::new(rng.below(system.labels.len()));
    match rng.below(12) {
        0 | 1 => Fairness::justice(label(rng)),
        2..5 => Fairness::compassion(label(rng), label(rng)),
        number @ (5..10) => {
            let who = random_who(system, rng);
            if number < 7 { Fairness::weak(who) } else { Fairness::strong(who) }
        }
        number => {
            let strength = if number == 10 { Strength::Weak } else { Strength::Strong };
            Fairness { strength, asked: random_occasion(system, rng), given: random_occasion(system, rng) }
        }
    }
}

fn random_occasion(system: &mut System, rng: &mut Rng) -> Occasion {
    match rng.below(7) {
        0 => Occasion::Always,
        1 | 2 => Occasion::Labelled(LabelId::new(rng.below(system.labels.len()))),
        3 | 4 => Occasion::Enabled(random_who(system, rng)),
        _ => Occasion::Taken(random_who(system, rng)),
    }
}

fn random_who(system: &mut System, rng: &mut Rng) -> Who {
    if system.pool_size > 0 && rng.chance(65) {
        return Who::Process(rng.below(usize::from(system.pool_size)) as Position);
    }
    let mut actions: Vec<ActionId> =
        (0..1 + rng.below(3)).map(|_| ActionId::new(rng.below(system.actions.len()))).collect();
    actions.sort_unstable();
    actions.dedup();
    let name = format!("fair{}", system.labels.len());
    Who::Steps(system.label_actions(name, &actions))
}
