//! A check put together step by step.

use super::{CheckOptions, Fairness, Model, Property, SettledModel, Stated, check};
use crate::{CheckError, Limits};
use lariat_engine::{Options, RunControl};
use lariat_system::Strength;
use std::time::Duration;

/// A check of a model, put together step by step: what is asked, which runs count, by which means.
///
/// ```
/// # use lariat::rust::{Check, Model, Propositions};
/// # struct Lamp;
/// # impl Model for Lamp {
/// #     type State = bool;
/// #     type Action = ();
/// #     fn initial(&self) -> Vec<bool> { vec![false] }
/// #     fn actions(&self, _: &bool, found: &mut Vec<()>) { found.push(()) }
/// #     fn next(&self, on: &bool, (): &()) -> Option<bool> { Some(!on) }
/// #     fn propositions(&self, found: &mut Propositions<Self>) { found.state("on", |_, on| *on); }
/// # }
/// # fn main() -> Result<(), lariat::CheckError> {
/// assert!(Check::of(&Lamp).ltl("[]<> on").run()?.holds());
/// let failed = Check::of(&Lamp).ltl("[] !on").run()?;
/// println!("{}", failed.counterexample().expect("it is switched on"));
/// # Ok(())
/// # }
/// ```
///
/// Without a question it asks whether there is a deadlock.
#[derive(Debug)]
#[must_use = "a check does nothing until it is run"]
pub struct Check<'m, M> {
    model: &'m M,
    property: Property,
    /// Fairness of every process, if that is asked for.
    of_processes: Vec<Strength>,
    options: CheckOptions,
    limits: Limits,
}

impl<'m, M: Model> Check<'m, M> {
    /// A check of this model.
    pub fn of(model: &'m M) -> Self {
        Self {
            model,
            property: Property::no_deadlock(),
            of_processes: Vec::new(),
            options: CheckOptions::default(),
            limits: Limits::default(),
        }
    }
    /// Asks this property. It takes the place of what was asked before, with its fairness.
    pub fn property(mut self, property: Property) -> Self {
        self.property = property;
        self
    }
    /// Asks whether a formula of linear time over the model's propositions holds on all runs.
    pub fn ltl(self, formula: &str) -> Self {
        self.asks(Property::ltl(formula, formula))
    }
    /// Asks whether a condition over propositions of states is true in every state that can be reached.
    pub fn always(self, condition: &str) -> Self {
        self.asks(Property::always(condition, condition))
    }
    /// Asks whether runs end only where they [may](Model::may_end).
    pub fn no_deadlock(self) -> Self {
        self.asks(Property::no_deadlock())
    }
    /// Only runs count in which every [process](Model::processes) acts infinitely often, or is infinitely often unable to.
    pub fn weakly_fair(mut self) -> Self {
        self.of_processes.push(Strength::Weak);
        self
    }
    /// Only runs count in which every [process](Model::processes) acts infinitely often if it is infinitely often able to.
    pub fn strongly_fair(mut self) -> Self {
        self.of_processes.push(Strength::Strong);
        self
    }
    /// Only infinite runs that meet this constraint count.
    pub fn fair(mut self, constraint: Fairness<String>) -> Self {
        self.property = self.property.fair(constraint);
        self
    }
    /// By the engine of this name, as in `lariat check --engine`.
    pub fn engine(mut self, name: &'static str) -> Self {
        self.options.engine = Some(name);
        self
    }
    /// With this many threads.
    pub fn threads(mut self, threads: usize) -> Self {
        self.options.threads = Some(threads);
        self
    }
    /// With these options of engines: store, shortest counterexamples and so on.
    pub fn options(mut self, options: Options) -> Self {
        self.options.options = options;
        self
    }
    /// At most this much memory for the whole program; then the answer is *undecided*.
    pub fn memory_bytes(mut self, bytes: u64) -> Self {
        self.limits.memory_bytes = bytes;
        self
    }
    /// At most this much time; then the answer is *undecided*.
    pub fn time(mut self, time: Duration) -> Self {
        self.limits.time = Some(time);
        self
    }
    /// Runs it.
    pub fn run(self) -> Result<SettledModel<M>, CheckError> {
        let control = self.limits.control();
        self.run_under(&control)
    }
    /// Runs it under a control made before, which another thread can watch and [cancel](RunControl::cancel). The limits are
    /// those of the control.
    pub fn run_under(self, control: &RunControl) -> Result<SettledModel<M>, CheckError> {
        let processes = self.model.processes();
        if !self.of_processes.is_empty() && processes == 0 {
            let reason = "fairness of processes needs a model that says how many it has: write `Model::processes`";
            return Err(CheckError::Refused(reason.to_owned()));
        }
        let asks_fairness = !self.of_processes.is_empty() || !self.property.fairness.is_empty();
        if asks_fairness && self.property.stated == Stated::NoDeadlock {
            let reason =
                "fairness makes no difference to deadlocks: ask a formula with `ltl`, or leave the fairness out";
            return Err(CheckError::Refused(reason.to_owned()));
        }
        let property = self.of_processes.iter().fold(self.property, |property, strength| match strength {
            Strength::Weak => property.weakly_fair(0..processes),
            Strength::Strong => property.strongly_fair(0..processes),
        });
        check(self.model, &property, &self.options, control)
    }

    /// Another question; the fairness stays.
    fn asks(mut self, property: Property) -> Self {
        let fairness = std::mem::take(&mut self.property.fairness);
        self.property = fairness.into_iter().fold(property, Property::fair);
        self
    }
}
