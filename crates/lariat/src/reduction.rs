//! Which searches leave out steps whose order makes no difference, where that is to be done if possible (`--por auto`), and the
//! comparison of what they find with the whole graph (`--audit`).

use crate::check::{CheckError, CheckOptions, Simplify};
use crate::plan::SearchRequest;
use crate::search::{Answer, PropertySearch};
use lariat_engine::{
    After, Audit, AuditedGraphs, Options, Plan, PlannedSearch, Property, SimplifiedPlan, Subject, Task, Verdict,
};
use lariat_subject::{Survey, reduction_obstacle, survey};
use lariat_system::{Simplifications, System};

/// Graphs of at most this many states are searched as they are: what is said of them is what SPIN says without a reduction, and
/// a failure is shown by a shortest run. A search that has met more begins anew with fewer steps; it has lost some milliseconds.
const LEAST_REDUCED: u64 = 20_000;

impl SearchRequest<'_> {
    /// The searches, where those that go from state to state leave out steps or forget what does not matter, if that is possible; by default if
    /// the graph is large.
    pub(crate) fn with_fewer_states(
        &self,
        searches: Vec<PlannedSearch>,
        subject: Subject<'_>,
    ) -> Result<Vec<PlannedSearch>, CheckError> {
        let (what, always) = match self.simplify {
            Simplify::Never => (Simplifications::NONE, false),
            Simplify::WhereLarge(what) if self.needs_no_whole_graph() => (what, false),
            Simplify::WhereLarge(_) => (Simplifications::NONE, false),
            Simplify::Always(what) => (what, true),
        };
        let goes_by_states = searches.iter().any(|search| self.goes_by_states(&search.plan));
        let system = subject.system().filter(|_| goes_by_states && what != Simplifications::NONE);
        let simplified = system.and_then(|system| system.simplified(what));
        let made = simplified.as_ref().map(|made| (SimplifiedPlan::of(made), Subject::System(&made.system)));
        if let Some(first) = searches.first()
            && always
            && !goes_by_states
        {
            let engine = &first.plan.engine;
            let reason = format!(
                "`--simplify` is not possible with the engine `{engine}`: it needs one that keeps states in memory, one by one; name another one \
                 with `--engine`"
            );
            return Err(CheckError::Refused(reason));
        }
        let mut all = Vec::new();
        for mut search in searches {
            // What takes turns with sets of states is within its limits as it is.
            if search.after == [After::Effort] {
                all.push(search);
                continue;
            }
            let image = made.as_ref().filter(|_| self.goes_by_states(&search.plan));
            if always
                && let Some((forgotten, image)) = image
                && let Some(plan) = self.plan_for(&search.plan, *image)?
            {
                (search.plan, search.simplified) = (plan, Some(forgotten.clone()));
            }
            let (forgotten, searched) = match image {
                Some((forgotten, image)) => (Some(forgotten.clone()), *image),
                None => (None, subject),
            };
            // The plan on all steps is made only if it is needed: most models are small, and their plans take the longest.
            let mut smaller = None;
            if self.reduce_if_possible {
                match self.reduced_plan(&search.plan, searched)? {
                    Ok(plan) => smaller = Some((plan, forgotten.clone())),
                    Err(why) => search.unreduced = Some(why),
                }
            }
            if smaller.is_none() && !always && forgotten.is_some() {
                smaller = self.plan_for(&search.plan, searched)?.map(|plan| (plan, forgotten));
            }
            match smaller {
                // Where memory is full the graph is large.
                Some((plan, simplified)) if search.after == [After::Memory] => {
                    all.push(PlannedSearch { plan, simplified, ..search });
                }
                Some((plan, simplified)) if (&plan, &simplified) != (&search.plan, &search.simplified) => {
                    let (after, considered) = (vec![After::GraphSize], Vec::new());
                    let unreduced = search.unreduced.take();
                    all.push(PlannedSearch { states_limit: Some(LEAST_REDUCED), ..search });
                    all.push(PlannedSearch {
                        after,
                        plan,
                        states_limit: None,
                        steps_limit: None,
                        unreduced,
                        simplified,
                        considered,
                    });
                }
                _ => all.push(search),
            }
        }
        if always && !self.needs_no_whole_graph() {
            let reason = "`--simplify` is not possible with options that ask for the whole graph: `--keep-going`, `--depth`, `--profile`, \
                          `--coverage`, and `--shortest` for infinite runs";
            return Err(CheckError::Refused(reason.to_owned()));
        }
        Ok(all)
    }

    /// Whether no option asks for what only the whole graph has: counts, and shortest lassos. A loop of the simplified system may have to be
    /// gone round several times in the system; finite runs are as long.
    fn needs_no_whole_graph(&self) -> bool {
        let Options { keep_going, profile, depth_limit, shortest, .. } = self.options;
        let wants_lasso = shortest && !matches!(self.property, Property::Safety { .. });
        !keep_going && !profile && !wants_lasso && depth_limit.is_none()
    }

    /// Whether the search goes from state to state, in memory.
    fn goes_by_states(&self, plan: &Plan) -> bool {
        let engine = self.engines.named(&plan.engine);
        plan.search.store.is_some() && engine.is_ok_and(|engine| !engine.has_run_directory() && !engine.has_workers())
    }

    /// The plan of the same engine for the same task on another system, if it takes that.
    fn plan_for(&self, plan: &Plan, subject: Subject<'_>) -> Result<Option<Plan>, CheckError> {
        let task = Task { subject, property: self.property.clone(), options: plan.options() };
        Ok(self.engines.named(&plan.engine)?.prepare(&task).ok().map(|prepared| prepared.plan().clone()))
    }

    /// The plan of the same engine for the same task on fewer steps; or why there is none.
    fn reduced_plan(&self, plan: &Plan, subject: Subject<'_>) -> Result<Result<Plan, String>, CheckError> {
        let engine = self.engines.named(&plan.engine)?;
        if engine.has_run_directory() || engine.has_workers() {
            return Ok(Err(format!("the engine `{}` leaves out steps only with `--por on`", plan.engine)));
        }
        let task =
            Task { subject, property: self.property.clone(), options: Options { reduce: true, ..plan.options() } };
        let prepared = match engine.prepare(&task) {
            Ok(prepared) => prepared,
            Err(refusal) => {
                return Ok(Err(refusal
                    .why
                    .unwrap_or_else(|| format!("the engine `{}` cannot leave out steps", plan.engine))));
            }
        };
        let obstacle = task.system().and_then(|system| reduction_obstacle(system, self.property));
        Ok(match obstacle {
            Some(obstacle) => Err(obstacle.to_string()),
            None => Ok(prepared.plan().clone()),
        })
    }
}

impl PropertySearch<'_> {
    /// Settles the property by the reduced search, and compares that with the whole graph: the verdict, and all that is to be
    /// found in the two graphs. A difference is an internal error.
    pub(crate) fn audited(&self, property: &Property) -> Result<Answer, CheckError> {
        let mut reduced = self.run(property)?;
        let options = Options { reduce: false, ..self.options.options.clone() };
        let options = CheckOptions { options, ..self.options.clone() };
        let whole = PropertySearch { options: &options, searches: None, ..*self }.run(property)?;
        let name = &self.job.name;
        let settles = |answer: &Answer| match answer.report.verdict {
            Verdict::Holds => Some("holds"),
            Verdict::Fails(_) => Some("fails"),
            Verdict::Computed(_) | Verdict::Undecided(_) => None,
        };
        let verdicts = settles(&reduced).zip(settles(&whole));
        if let Some((left, all)) = verdicts.filter(|(left, all)| left != all) {
            return Err(self.differs(&format!("`{name}` {left} in the reduced graph and {all} in the whole")));
        }
        self.control.counters.show([0; 5]);
        let look = |reduce: bool| {
            let options = Options { reduce, ..Options::default() };
            let task = Task { subject: Subject::System(&whole.system), property: property.clone(), options };
            survey(&task, self.control).map_err(|error| CheckError::Refused(error.to_string()))
        };
        let graphs = match look(true)? {
            Ok(left) => look(false)?.ok().map(|all| self.same(&left, &all)).transpose()?,
            Err(_) => None,
        };
        if let Some(difference) = self.simplified_differs(&whole.system, property)? {
            return Err(self.differs(&format!("`{name}`, simplified: {difference}")));
        }
        reduced.report.stats.audit = Some(Audit { verdicts: verdicts.is_some(), graphs });
        Ok(reduced)
    }

    /// What differs between the graph of the simplified system and that of the system, and must not.
    fn simplified_differs(&self, system: &System, property: &Property) -> Result<Option<String>, CheckError> {
        let what = match self.options.simplify {
            Simplify::Never => Simplifications::ALL,
            Simplify::WhereLarge(what) | Simplify::Always(what) => what,
        };
        let Some(simplified) = system.simplified(what) else { return Ok(None) };
        self.control.counters.show([0; 5]);
        let look = |system: &System| {
            let task =
                Task { subject: Subject::System(system), property: property.clone(), options: Options::default() };
            survey(&task, self.control).map_err(|error| CheckError::Refused(error.to_string()))
        };
        let Ok(left) = look(&simplified.system)? else { return Ok(None) };
        Ok(look(system)?.ok().and_then(|all| left.difference_of_simplified(&all)))
    }

    /// What is the same in both graphs: all that must be.
    fn same(&self, left: &Survey, all: &Survey) -> Result<AuditedGraphs, CheckError> {
        if let Some(what) = left.difference(all) {
            return Err(self.differs(&format!("`{}`: {what}", self.job.name)));
        }
        Ok(AuditedGraphs {
            states: all.states,
            left: left.states,
            dead_ends: all.dead_ends.0,
            faults: all.faults.len() as u64,
            actions: all.actions.len() as u64,
            letters: all.letters.as_ref().map(|letters| letters.len() as u64),
        })
    }

    fn differs(&self, what: &str) -> CheckError {
        CheckError::Bug(format!(
            "the partial-order reduction is wrong here: {what}. Please report this with the model; `--por off` gives the right answer"
        ))
    }
}
