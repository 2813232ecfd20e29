//! A system as it is searched for bad runs, where that is another one than was given: with a tester of the formula, or with
//! compassion said in another way. Runs that are found in it are those of the system that was given.

use crate::acceptance::ensure_few_cases;
use crate::compassion::{as_justice, in_formula};
use crate::tester::with_tester;
use lariat_engine::{CompassionBy, Demand, Feature, Options, Refusal, Temporal, TemporalBy, Trace, TraceStep};
use lariat_logic::Formula;
use lariat_system::reference::Valuation;
use lariat_system::{LabelId, Layout, System};

/// A system with further slots, actions and labels: the first ones are those of the system that was given.
#[derive(Clone, Debug)]
pub struct Extended {
    /// With what was added.
    pub system: System,
    /// Its bad runs; `None` if a tester leaves bad runs alone.
    pub bad: Option<Temporal>,
    /// How many of its constraints are those that were given.
    pub(crate) own_constraints: usize,
    own_slots: usize,
    own_actions: usize,
    layout: Layout,
    own_layout: Layout,
}

impl Extended {
    /// The system with what the options ask for, if they ask for something.
    pub fn of(system: &System, temporal: &Temporal, options: &Options) -> Result<Option<Box<Self>>, Refusal> {
        let is_tested = options.temporal_by == TemporalBy::Tester;
        let compassion = options.fair.compassion.unwrap_or(CompassionBy::Native);
        if !is_tested && compassion == CompassionBy::Native {
            return Ok(None);
        }
        if options.shortest {
            return Err(Refusal::because(Feature::Shortest, "it finds some loop, and not the nearest"));
        }
        let (mut made, mut bad) = match compassion {
            CompassionBy::Native => (system.clone(), temporal.clone()),
            CompassionBy::Justice => (as_justice(system)?, temporal.clone()),
            CompassionBy::Formula => in_formula(system, temporal)?,
        };
        let own_constraints = if compassion == CompassionBy::Native { system.fairness.len() } else { 0 };
        match is_tested {
            true => made = with_tester(&made, &formula_of(&bad, Feature::Tester)?, &bad.labels)?,
            false => ensure_few_cases(&bad.bad.acceptance)?,
        }
        bad.is_of_all_states = false;
        let extended = Self::new(system, made, (!is_tested).then_some(bad), own_constraints)?;
        Ok(Some(Box::new(extended)))
    }

    /// The system with a tester of the formula, whose proposition `n` is the label `labels[n]`.
    pub fn tested(system: &System, formula: &Formula, labels: &[LabelId]) -> Result<Self, Refusal> {
        Self::new(system, with_tester(system, formula, labels)?, None, system.fairness.len())
    }

    fn new(system: &System, made: System, bad: Option<Temporal>, own_constraints: usize) -> Result<Self, Refusal> {
        let layout =
            |system: &System| Layout::new(system).map_err(|error| Refusal::because(Feature::Size, error.to_string()));
        let (own_layout, layout) = (layout(system)?, layout(&made)?);
        let (own_slots, own_actions) = (system.slots.len(), system.actions.len());
        Ok(Self { system: made, bad, own_constraints, own_slots, own_actions, layout, own_layout })
    }

    /// The run of the system that was given. A loop of both is one of that.
    pub fn own_trace(&self, trace: &Trace) -> Trace {
        let step = |step: &TraceStep| {
            let is_own = |by: &lariat_space::Move| (by.action.0 as usize) < self.own_actions;
            TraceStep {
                via: step.via.iter().copied().filter(is_own).collect(),
                // Of what was added there may be choices.
                choices: None,
                labels: step.labels.clone(),
                target: step.target.as_deref().map(|state| self.own_state(state)),
            }
        };
        let steps = trace.steps.iter().map(step).collect();
        Trace { initial: self.own_state(&trace.initial), steps, loop_start: trace.loop_start, decided: None }
    }

    fn own_state(&self, state: &[u64]) -> Vec<u64> {
        let Valuation { mut globals, pool } = self.layout.try_unpack(state).expect("it is a state");
        globals.truncate(self.own_slots);
        self.own_layout.pack(&Valuation { globals, pool })
    }

    /// What was added, in a few words.
    pub fn about(&self) -> &'static str {
        match self.bad {
            None => "; a tester of the formula is part of the system",
            Some(_) => "",
        }
    }
}

/// What bad runs satisfy; a refusal of the feature if that is no formula.
pub(crate) fn formula_of(temporal: &Temporal, feature: Feature) -> Result<Formula, Refusal> {
    let formulas = temporal.demands.iter().map(|demand| match demand {
        Demand::Satisfies(formula) => Ok(formula.clone()),
        Demand::IsAccepted(_) => Err(Refusal::because(feature.clone(), "bad runs are given by an automaton")),
    });
    Ok(Formula::and(formulas.collect::<Result<Vec<_>, _>>()?))
}
