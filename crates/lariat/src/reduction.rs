//! Which searches leave out steps whose order makes no difference, where that is to be done if possible (`--por auto`), and the
//! comparison of what they find with the whole graph (`--audit`).

use crate::check::{CheckError, CheckOptions};
use crate::plan::SearchRequest;
use crate::search::{Answer, PropertySearch};
use lariat_engine::{After, Audit, AuditedGraphs, Options, Plan, PlannedSearch, Property, Subject, Task, Verdict};
use lariat_subject::{Survey, reduction_obstacle, survey};

/// Graphs of at most this many states are searched as they are: what is said of them is what SPIN says without a reduction, and
/// a failure is shown by a shortest run. A search that has met more begins anew with fewer steps; it has lost some milliseconds.
const LEAST_REDUCED: u64 = 20_000;

impl SearchRequest<'_> {
    /// The searches, where those that go from state to state leave out steps if that is possible, and if the graph is large.
    pub(crate) fn reduced(
        &self,
        searches: Vec<PlannedSearch>,
        subject: Subject<'_>,
    ) -> Result<Vec<PlannedSearch>, CheckError> {
        let mut all = Vec::new();
        for search in searches {
            // What takes turns with sets of states is within its limits as it is.
            if search.after == [After::Effort] {
                all.push(search);
                continue;
            }
            match self.reduced_plan(&search.plan, subject)? {
                // Where memory is full the graph is large.
                Ok(plan) if search.after == [After::Memory] => all.push(PlannedSearch { plan, ..search }),
                Ok(plan) => {
                    all.push(PlannedSearch { states_limit: Some(LEAST_REDUCED), ..search });
                    let (after, considered) = (vec![After::GraphSize], Vec::new());
                    all.push(PlannedSearch {
                        after,
                        plan,
                        states_limit: None,
                        steps_limit: None,
                        unreduced: None,
                        considered,
                    });
                }
                Err(why) => all.push(PlannedSearch { unreduced: Some(why), ..search }),
            }
        }
        Ok(all)
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
        reduced.report.stats.audit = Some(Audit { verdicts: verdicts.is_some(), graphs });
        Ok(reduced)
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
