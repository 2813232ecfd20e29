//! The searches that settle a property, one after the other: made as data, shown by `--plan`, and run as they are.
//!
//! An engine that prefers to begin within a limit comes first, then the engine that was asked for or suits best, and at last
//! what `--when-full` says. Where the best engine may turn out to be slow, another one gets a turn in between
//! (docs/adr/0150-sets-and-lists-take-turns.md). Which one follows which is said by [`PlannedSearch::after`] alone.

use crate::check::CheckError;
use crate::choice::{EngineRequest, Others, Refusals};
use crate::pool::NoAnswer;
use crate::search::reset;
use crate::{Engines, Simplify, WhenFull};
use lariat_engine::{
    After, Disk, Engine, Options, Plan, PlannedSearch, Property, Report, RunControl, SimplifiedPlan, Subject, Task,
    Unproven, Verdict, lifted,
};
use lariat_external::RealFiles;
use lariat_system::System;

/// What is to be settled, and how.
#[derive(Clone)]
pub(crate) struct SearchRequest<'a> {
    /// Who can be asked.
    pub(crate) engines: &'a Engines,
    pub(crate) property: &'a Property,
    /// How, except for the number of threads.
    pub(crate) options: Options,
    /// As many as the engine can use and the machine has if not given.
    pub(crate) threads: Option<usize>,
    /// The name of the engine that is asked for.
    pub(crate) engine: Option<&'static str>,
    /// Who else may be taken.
    pub(crate) others: Others,
    pub(crate) when_full: Option<WhenFull>,
    /// Whether steps are left out where that is possible.
    pub(crate) reduce_if_possible: bool,
    /// Which searches are of a simplified system.
    pub(crate) simplify: Simplify,
    /// Whether a search is refused for which the machine lacks something.
    pub(crate) ready: bool,
}

impl SearchRequest<'_> {
    /// The searches that settle the property of the subject; at least one.
    pub(crate) fn searches(&self, subject: Subject<'_>) -> Result<Vec<PlannedSearch>, CheckError> {
        let asked = self.engine.map(|name| self.engines.named(name)).transpose()?;
        let mut options = self.options.clone();
        // These are for what follows.
        match self.when_full {
            None => {}
            Some(WhenFull::Disk) => options.disk = None,
            Some(_) => (options.runs, options.disk) = (1, None),
        }
        let in_memory = options.clone();
        let first = self.request(subject, options, asked);
        let (mut searches, refusals) = match asked {
            Some(_) => (Vec::new(), Refusals::new()),
            None => first.attempts()?,
        };
        let mut main = first.choose(refusals)?;
        let relieved = if asked.is_none() { first.relieved(&main)? } else { None };
        if !searches.is_empty() {
            main.after = vec![After::GraphSize, After::Memory];
        }
        if let Some([mut at_first, relief]) = relieved {
            at_first.after = std::mem::replace(&mut main.after, vec![After::GraphSize, After::Memory]);
            main.considered.clear();
            searches.extend([at_first, relief]);
        }
        searches.push(main);
        if let Some(WhenFull::Disk) = self.when_full {
            searches.extend(self.on_disk(subject, &searches[searches.len() - 1].plan)?);
        } else if let Some(when_full) = self.when_full {
            let search = self.when_full(when_full, subject).map_err(|error| match error {
                CheckError::Refused(reason) => {
                    CheckError::Refused(format!("`--when-full {}` is not possible: {reason}", when_full.name()))
                }
                other => other,
            })?;
            let last = &searches[searches.len() - 1].plan;
            if (&search.plan.engine, &search.plan.search.store) == (&last.engine, &last.search.store) {
                let reason = format!(
                    "`--when-full {}` names the same search as `--engine`, whose memory is full then: name another one",
                    when_full.name()
                );
                return Err(CheckError::Refused(reason));
            }
            searches.push(PlannedSearch { after: vec![After::Memory], ..search });
        }
        searches = self.with_fewer_states(searches, subject)?;
        if asked.is_none() {
            self.take_over(&mut searches, in_memory, subject)?;
        }
        Ok(searches)
    }

    /// Where an engine takes over when a graph turns out to be large, it follows the last search in memory, which comes once more, without a
    /// limit, in case that engine cannot do it.
    fn take_over(
        &self,
        searches: &mut Vec<PlannedSearch>,
        options: Options,
        subject: Subject<'_>,
    ) -> Result<(), CheckError> {
        let is_in_memory = |search: &PlannedSearch| {
            let has_directory = self.engines.named(&search.plan.engine).is_ok_and(|engine| engine.has_run_directory());
            search.plan.search.store.is_some() && !has_directory && search.after != [After::Memory]
        };
        let Some(last) = searches.iter().rposition(is_in_memory) else { return Ok(()) };
        if searches[last].states_limit.is_some() {
            return Ok(());
        }
        for engine in self.engines.iter() {
            let Some(limit) = engine.takes_over_at() else { continue };
            let options = Options { reduce: false, ..options.clone() };
            let request = EngineRequest { others: Others::Never, ..self.request(subject, options, Some(engine)) };
            match request.choose(Refusals::new()) {
                Ok(search) => {
                    let again = PlannedSearch { after: vec![After::Unable], ..searches[last].clone() };
                    searches[last].states_limit = Some(limit);
                    let search = PlannedSearch { after: vec![After::GraphSize], ..search };
                    searches.splice(last + 1..last + 1, [search, again]);
                    return Ok(());
                }
                Err(CheckError::Refused(_)) => {}
                Err(other) => return Err(other),
            }
        }
        Ok(())
    }

    /// The search that follows when memory is full. With another store any engine may have to do the work.
    fn when_full(&self, when_full: WhenFull, subject: Subject<'_>) -> Result<PlannedSearch, CheckError> {
        let options = self.options.clone();
        let request = match when_full {
            WhenFull::Store(store) => self.request(subject, Options { store, ..options }, None),
            WhenFull::Engine(name) => EngineRequest {
                others: Others::Never,
                ..self.request(subject, options, Some(self.engines.named(name)?))
            },
            WhenFull::Disk => unreachable!("its search need not be possible"),
        };
        request.choose(Refusals::new())
    }

    /// The search on disk that follows a search in memory, if an engine does it. Sets of states are not gone through one by one: there
    /// may be too many for any disk.
    fn on_disk(&self, subject: Subject<'_>, main: &Plan) -> Result<Option<PlannedSearch>, CheckError> {
        if main.search.store.is_none() {
            return Ok(None);
        }
        for engine in self.engines.iter().filter(|engine| engine.has_run_directory()) {
            // Whether there is room is asked when it is needed.
            let request = EngineRequest {
                others: Others::Never,
                ready: false,
                ..self.request(subject, self.options.clone(), Some(engine))
            };
            match request.choose(Refusals::new()) {
                Ok(search) => return Ok(Some(PlannedSearch { after: vec![After::Memory], ..search })),
                Err(CheckError::Refused(_)) => {}
                Err(other) => return Err(other),
            }
        }
        Ok(None)
    }

    fn request<'r>(
        &'r self,
        subject: Subject<'r>,
        options: Options,
        asked: Option<&'static dyn Engine>,
    ) -> EngineRequest<'r> {
        let Self { engines, property, threads, others, ready, .. } = *self;
        EngineRequest { engines, property, subject, options, threads, asked, others, ready }
    }
}

/// What the searches of a property found.
pub(crate) struct Found {
    pub(crate) report: Report,
    /// The engine of the last search.
    pub(crate) engine: &'static str,
    /// The last search, and the one before it, if it was made because memory was full.
    pub(crate) when_full: Option<(Plan, Plan)>,
    /// Why the search did not go on, on disk, when memory was full.
    pub(crate) no_room: Option<String>,
}

/// Runs the searches that [`SearchRequest::searches`] made: the first one, and each that is to follow.
pub(crate) fn run(
    searches: &[PlannedSearch],
    engines: &Engines,
    property: &Property,
    subject: Subject<'_>,
    control: &RunControl,
) -> Result<Found, NoAnswer> {
    let (mut search, mut rest) =
        searches.split_first().ok_or_else(|| CheckError::Bug("a property without a search".to_owned()))?;
    let mut when_full = None;
    loop {
        control.limit_graph(search.states_limit, search.steps_limit);
        let ran = run_one(search, engines, property, subject, control);
        control.limit_graph(None, None);
        let may_be_unable = rest.first().is_some_and(|next| next.after == [After::Unable]);
        let (engine, report) = match ran {
            Err(NoAnswer::Error(CheckError::Refused(why))) if may_be_unable => {
                control.notify(format!("the engine `{}` cannot take over: {why}", search.plan.engine));
                (search, rest) = (&rest[0], &rest[1..]);
                continue;
            }
            ran => ran?,
        };
        let is_large = search.states_limit.is_some_and(|limit| report.stats.states > limit);
        let after = match After::of(&report.verdict) {
            Some(After::Memory) if may_be_unable => {
                control.notify(format!("the engine `{engine}` cannot take over: its memory is full"));
                Some(After::Unable)
            }
            after => after,
        };
        // The engine whose memory is full does no better with its next turn.
        let is_same = |next: &PlannedSearch| {
            let store = |search: &PlannedSearch| search.plan.search.store;
            search.plan.search.graph_instead.is_some()
                && (&next.plan.engine, store(next)) == (&search.plan.engine, store(search))
        };
        let follows = |after| {
            let fits = |next: &PlannedSearch| next.after.contains(&after) && !(after == After::Memory && is_same(next));
            rest.iter().position(fits)
        };
        // Whether the limit was noticed in time makes no difference to what is reduced. An answer that is known is not left to another engine.
        let has_fewer_states = |next: &usize| rest[*next].plan.reduction || rest[*next].simplified.is_some();
        let in_reduced = follows(After::GraphSize).filter(|next| is_large && has_fewer_states(next));
        let next = in_reduced.or_else(|| after.and_then(follows));
        let Some(next) = next else { return Ok(Found { report, engine, when_full, no_room: None }) };
        if after == Some(After::Memory)
            && let Err(why) = go_to_disk(&rest[next].plan, engines, control)
        {
            return Ok(Found { report, engine, when_full, no_room: Some(why) });
        }
        when_full = (rest[next].after == [After::Memory]).then(|| (rest[next].plan.clone(), search.plan.clone()));
        (search, rest) = (&rest[next], &rest[next + 1..]);
    }
}

/// Memory is full. Says where a search on disk goes for which no folder was given; or why there is none.
fn go_to_disk(plan: &Plan, engines: &Engines, control: &RunControl) -> Result<(), String> {
    let is_given = |disk: &Disk| disk.is_given() || disk.resume.is_some();
    let engine = engines.named(&plan.engine).ok().filter(|engine| engine.has_run_directory());
    let Some(engine) = engine.filter(|_| !plan.search.disk.as_ref().is_some_and(is_given)) else { return Ok(()) };
    let folder = lariat_external::default_folder(control.budget.limit_bytes(), &RealFiles)?;
    let (name, folder) = (engine.name(), folder.display());
    control.notify(format!("memory is full; the search begins anew on disk, by the engine `{name}`, in `{folder}`"));
    Ok(())
}

/// Runs one search by the engine that planned it.
fn run_one(
    search: &PlannedSearch,
    engines: &Engines,
    property: &Property,
    subject: Subject<'_>,
    control: &RunControl,
) -> Result<(&'static str, Report), NoAnswer> {
    let (plan, takes_turns) = (&search.plan, search.after == [After::Effort]);
    let forgotten = search.simplified.as_ref().zip(subject.system());
    let Some((forgotten, system)) = forgotten else {
        return run_plan(plan, takes_turns, engines, property, subject, control);
    };
    let simplified = system.simplified(forgotten.passes());
    let Some(simplified) = simplified.filter(|made| SimplifiedPlan::of(made) == *forgotten) else {
        return Err(CheckError::Bug("the system is simplified otherwise than it was planned".to_owned()).into());
    };
    let of_simplified = Subject::System(&simplified.system);
    let (name, mut report) = run_plan(plan, takes_turns, engines, property, of_simplified, control)?;
    if lift(system, &mut report, control).is_some() {
        report.stats.is_reduced = true;
        return Ok((name, report));
    }
    // There is a failure, and no run of the system that shows it is known: it is looked for in the system itself.
    control.notify("searching again without `--simplify` to find a counterexample".to_owned());
    let engine = engines.named(&plan.engine)?;
    let task = Task { subject, property: property.clone(), options: plan.options() };
    let prepared = engine.prepare(&task).map_err(|refusal| {
        CheckError::Bug(format!("the engine `{name}` refuses the system that it takes when simplified: {refusal}"))
    })?;
    let plan = prepared.plan().clone();
    let (name, mut again) = run_plan(&plan, takes_turns, engines, property, subject, control)?;
    if let (Verdict::Undecided(_), Verdict::Fails(known)) = (&again.verdict, &report.verdict) {
        again.unproven = Some(Unproven { kind: known.kind, steps: known.trace.steps.len() as u64 });
    }
    Ok((name, again))
}

/// Makes the runs of a report about a simplified system runs of the system; `None` if one cannot be made soon.
fn lift(system: &System, report: &mut Report, control: &RunControl) -> Option<()> {
    for evidence in &mut report.failures {
        evidence.trace = lifted(system, &evidence.trace, control)?;
    }
    if let Verdict::Fails(evidence) = &mut report.verdict {
        evidence.trace = lifted(system, &evidence.trace, control)?;
    }
    Some(())
}

/// Carries out a plan.
fn run_plan(
    plan: &Plan,
    takes_turns: bool,
    engines: &Engines,
    property: &Property,
    subject: Subject<'_>,
    control: &RunControl,
) -> Result<(&'static str, Report), NoAnswer> {
    let engine = engines.named(&plan.engine)?;
    let task = Task { subject, property: property.clone(), options: plan.options() };
    let prepared = engine.prepare(&task).map_err(|refusal| {
        CheckError::Bug(format!("the engine `{}` refuses what it planned: {refusal}", engine.name()))
    })?;
    if prepared.plan() != plan {
        let reason = format!("the engine `{}` would do something else than it planned", engine.name());
        return Err(CheckError::Bug(reason).into());
    }
    // A search within a limit leaves room for what another engine keeps for its next one.
    let is_limited = plan.search.graph_limit.is_some() || plan.search.graph_instead.is_some();
    let is_half_used = control.budget.used_bytes() > control.budget.limit_bytes() / 2;
    if !(is_limited || takes_turns) || takes_turns && is_half_used {
        control.drop_kept_by_others(engine.name());
    }
    reset(control);
    let mut report = prepared.run(control).map_err(|error| NoAnswer::of(error, CheckError::Refused))?;
    report.stats.is_reduced = plan.reduction;
    Ok((engine.name(), report))
}
