//! A model whose runs begin where a run of it ends: what is checked from a state that was walked to.
//!
//! It is the same model with other initial states, so everything that reads, plans and checks models works with it. The state
//! is not translated into the system that is searched, which may have more room for processes, and slots for what formulas
//! speak of: the run is made again in that system, and what comes of it is where runs begin.

use crate::front::{FrontModel, Observed, Pool, PropositionReader, ReadProperty, StatedProperty};
use lariat_base::{Diagnostic, SourceMap, Span};
use lariat_engine::Statement;
use lariat_logic::{Formula, PropId, Propositions};
use lariat_system::reference::{ControlIndex, Evaluator, Firing, Valuation};
use lariat_system::{DeadEnds, Init, Position, System};
use std::sync::Arc;

/// A run of the system of a model, which ends in an ordinary state.
#[derive(Clone, Debug)]
pub(crate) struct Way {
    /// The names of the slots of the system, as its states have them.
    pub(crate) slots: Vec<String>,
    pub(crate) initial: Arc<Valuation>,
    /// The actions with the states they lead to.
    pub(crate) actions: Vec<(Firing, Arc<Valuation>)>,
}

impl Way {
    /// How many processes live at most on the way.
    fn most_processes(&self) -> u16 {
        let states = std::iter::once(&self.initial).chain(self.actions.iter().map(|(_, state)| state));
        states.map(|state| state.pool.len() as u16).max().unwrap_or(0)
    }

    /// Where it leads in `system`, which is the system of the same model with more slots or more room.
    fn end(&self, system: &System) -> Option<Valuation> {
        let index = ControlIndex::new(system);
        let evaluator = Evaluator::with_index(system, &index);
        let mut state = evaluator.initial().into_iter().find(|state| self.is_same(system, state, &self.initial))?;
        let mut holder: Option<Position> = None;
        for (firing, wanted) in &self.actions {
            let possible = evaluator.firings(&state, holder).0;
            let leads = |firing: &Firing| {
                let after = evaluator.fire(&state, firing).1?;
                self.is_same(system, &after, wanted).then(|| (firing.clone(), after))
            };
            // The same one, or one that differs in the choices for what formulas speak of.
            let same = possible.iter().filter(|one| *one == firing).find_map(leads);
            let alike = |one: &&Firing| one.action == firing.action && one.scope.positions == firing.scope.positions;
            let (taken, after) = same.or_else(|| possible.iter().filter(alike).find_map(leads))?;
            holder = evaluator.holder_after(&taken);
            state = after;
        }
        Some(state)
    }

    /// Whether a state of `system` is the given one of the way's own system, as far as that goes.
    fn is_same(&self, system: &System, state: &Valuation, own: &Valuation) -> bool {
        let value = |name: &String| {
            let found = system.slots.entries().find(|(_, slot)| slot.name == *name);
            found.map(|(id, _)| &state.globals[lariat_base::Id::index(id)])
        };
        // Mostly the slots are the same, and come first.
        let in_place = self.slots.iter().zip(system.slots.iter()).all(|(name, slot)| *name == slot.name);
        let globals = match in_place && state.globals.len() >= own.globals.len() {
            true => state.globals[..own.globals.len()] == own.globals[..],
            false => self.slots.iter().zip(&own.globals).all(|(name, values)| value(name) == Some(values)),
        };
        globals && state.pool.len() == own.pool.len() && {
            let mut pairs = state.pool.iter().zip(&own.pool);
            pairs.all(|(left, right)| left.frame == right.frame && left.locals.starts_with(&right.locals))
        }
    }
}

/// A model that begins where a run of another ends.
#[derive(Debug)]
pub(crate) struct Begun {
    model: Arc<dyn FrontModel>,
    way: Arc<Way>,
}

impl Begun {
    pub(crate) fn new(model: Arc<dyn FrontModel>, way: Way) -> Self {
        Self { model, way: Arc::new(way) }
    }
}

impl FrontModel for Begun {
    fn properties(&self) -> Vec<StatedProperty> {
        self.model.properties()
    }
    fn pool(&self) -> Pool {
        match self.model.pool() {
            fixed @ Pool::Fixed { .. } => fixed,
            Pool::Guessed { bound, .. } => Pool::Guessed { bound, at_beginning: self.way.most_processes() },
        }
    }
    fn system(&self, pool_size: u16) -> Result<System, Vec<Diagnostic>> {
        let mut system = self.model.system(pool_size)?;
        let Some(state) = self.way.end(&system) else {
            let message = "internal error, please report: the run to the state cannot be made again in the system that is checked";
            return Err(vec![Diagnostic::error(Span::NONE, "C0016", message)]);
        };
        system.init = Init::in_state(&system, &state);
        Ok(system)
    }
    fn reader(&self) -> Box<dyn PropositionReader + '_> {
        Box::new(BegunReader { own: self.model.reader(), way: Arc::clone(&self.way) })
    }
    fn defers(&self, error: &Diagnostic) -> bool {
        self.model.defers(error)
    }
    fn dead_ends(&self) -> DeadEnds {
        self.model.dead_ends()
    }
    fn settles_safety(&self) -> bool {
        self.model.settles_safety()
    }
    fn statements(&self, system: &System) -> Vec<Statement> {
        self.model.statements(system)
    }
    fn no_process_fairness(&self) -> Option<&'static str> {
        self.model.no_process_fairness()
    }
}

struct BegunReader<'m> {
    own: Box<dyn PropositionReader + 'm>,
    way: Arc<Way>,
}

impl PropositionReader for BegunReader<'_> {
    fn propositions(&self) -> &Propositions {
        self.own.propositions()
    }
    fn property(&mut self, sources: &mut SourceMap, name: &str) -> Result<ReadProperty, Vec<Diagnostic>> {
        self.own.property(sources, name)
    }
    fn formula(
        &mut self,
        sources: &mut SourceMap,
        name: &str,
        text: &str,
        quantifiers: bool,
    ) -> Result<Formula, Vec<Diagnostic>> {
        self.own.formula(sources, name, text, quantifiers)
    }
    fn condition(&mut self, sources: &mut SourceMap, text: &str, place: Span) -> Result<PropId, Vec<Diagnostic>> {
        self.own.condition(sources, text, place)
    }
    fn observed(self: Box<Self>, sources: &mut SourceMap) -> Result<Observed, Vec<Diagnostic>> {
        let observed = self.own.observed(sources)?;
        let model = Box::new(Begun { model: Arc::from(observed.model), way: self.way });
        Ok(Observed { model, ..observed })
    }
}
