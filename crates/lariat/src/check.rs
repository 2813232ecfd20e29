//! Settling the properties of a model.

use crate::fairness::FairnessOptions;
use crate::temporal::{Prepared, Stated};
use crate::vacuity;
use crate::{Form, Model};
use lariat_base::{Diagnostic, Span, closest_name};
use lariat_engine::profile::Phase;
use lariat_engine::{
    Engine, Options, Property, Report, RunControl, Settled, Shortfall, Statement, StoreKind, SystemReplay, Task,
    Temporal, Verdict, never_taken,
};
use lariat_explicit::{Bfs, CycleSearch, Dfs, reduction_obstacle, spill_of};
use lariat_system::{MAX_POOL_SIZE, System};
use std::cell::{Cell, RefCell};
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// The size of the pool to begin with where the model does not tell one.
const FIRST_POOL_SIZE: u16 = 8;
/// The property that every model has.
const SAFETY: &str = "safety";
/// Properties of every Promela model, settled if they are asked for by name, and what they say of runs that do not end.
const ON_REQUEST: [(&str, &str); 2] = [("np_", "[]<> !np_"), ("accept", "<>[] !accept_")];

/// What is to be checked, and how.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct CheckOptions {
    /// The properties of these names.
    pub properties: Vec<String>,
    /// Further properties: formulas that are to hold on all runs.
    pub formulas: Vec<String>,
    /// Further properties: files with automata that accept the bad runs.
    pub automata: Vec<String>,
    /// Which runs count, for temporal properties.
    pub fairness: FairnessOptions,
    /// Which engine.
    pub engine: EngineChoice,
    /// Dead ends that are no proper ends are no failures.
    pub allow_deadlock: bool,
    /// How many threads search, in place of what the options say: as many as the engine can use and the machine has if
    /// this is not given.
    pub threads: Option<usize>,
    /// How to remember states when an exact store is full: the search begins anew. Without it, the search stops.
    pub next_rung: Option<StoreKind>,
    /// For the engine.
    pub options: Options,
}

impl CheckOptions {
    /// Whether properties are asked for one by one.
    fn names_properties(&self) -> bool {
        self.properties.len() + self.formulas.len() + self.automata.len() > 0
    }
}

/// Which engine is to be used. One for cycles leaves `safety` to the engine that suits best.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum EngineChoice {
    /// The one that suits best.
    #[default]
    Auto,
    /// Breadth-first search in memory, for `safety` and for formulas that fail at some moment.
    Bfs,
    /// Depth-first search in memory, for the same.
    Dfs,
    /// Strongly connected components, for temporal properties.
    Scc,
    /// Nested depth-first search with early detection, for temporal properties.
    Ndfs,
    /// Magic search, for temporal properties.
    Magic,
    /// Algorithm A of Courcoubetis, Vardi, Wolper and Yannakakis, for temporal properties.
    CvwyA,
    /// Their algorithm B, for temporal properties.
    CvwyB,
    /// One search with a deterministic automaton of the good runs, for temporal properties that have one.
    Online,
    /// Strongly connected components by predecessors, for temporal properties.
    Kosaraju,
}

/// A checked model.
#[derive(Debug)]
pub struct Checked {
    /// The properties that were asked for, each with its answer.
    pub settled: Vec<Settled>,
    /// What is odd.
    pub warnings: Vec<Diagnostic>,
    /// Statements that are never taken; `None` unless the whole graph was seen.
    pub unreached: Option<Vec<Statement>>,
}

/// Why a model was not checked.
#[derive(Clone, PartialEq, Debug)]
pub enum CheckError {
    /// Something is wrong with the model; at least one error.
    Model(Vec<Diagnostic>),
    /// What was asked for cannot be done, and why.
    Refused(String),
    /// A bug of ours.
    Bug(String),
}

impl fmt::Display for CheckError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Model(diagnostics) => {
                f.write_str(diagnostics.first().map_or("not a model", |first| first.message.as_str()))
            }
            Self::Refused(reason) | Self::Bug(reason) => f.write_str(reason),
        }
    }
}

impl std::error::Error for CheckError {}

/// Settles the properties of `model` that `options` ask for. Every trace in the answer has been replayed by the
/// reference evaluator. The run is watched and stopped through `control`; its counters begin anew with each search. The
/// texts of formulas that `options` give are added to those of the model.
pub fn check(model: &mut Model, options: &CheckOptions, control: &RunControl) -> Result<Checked, CheckError> {
    let requests = select(model, options)?;
    let mut checked = Checked { settled: Vec::new(), warnings: Vec::new(), unreached: None };
    // Whatever is wrong with a property, or cannot be done, is told before anything is searched.
    let mut plans = Vec::new();
    for request in requests {
        let plan = match request.stated {
            None => Plan::Safety,
            Some(stated) => {
                let prepared = Prepared::new(model, &stated, &options.fairness)?;
                // One that is too large to be made an automaton is undecided.
                let temporal = prepared.temporal().ok();
                Plan::Temporal(Box::new(prepared), temporal.map(Box::new))
            }
        };
        plan.ensure_admitted(model, options, control).map_err(|error| match error {
            CheckError::Refused(reason) => CheckError::Refused(format!("`{}`: {reason}", request.name)),
            other => other,
        })?;
        plans.push((request.name, plan));
    }
    spill_of(&options.options).map_err(|error| CheckError::Refused(error.to_string()))?;
    if !options.fairness.is_empty() && plans.iter().all(|(_, plan)| matches!(plan, Plan::Safety)) {
        let message = "fairness says which infinite runs count, and makes no difference to `safety`";
        checked.warnings.push(Diagnostic::warning(Span::NONE, "C0005", message));
    }
    for (name, plan) in plans {
        match plan {
            Plan::Safety => check_safety(model, options, control, &mut checked)?,
            Plan::Temporal(prepared, temporal) => {
                check_temporal(model, &name, &prepared, temporal.as_deref(), options, control, &mut checked)?;
            }
        }
    }
    Ok(checked)
}

/// What is to be done for one property.
enum Plan {
    Safety,
    Temporal(Box<Prepared>, Option<Box<Temporal>>),
}

impl Plan {
    /// An error if no engine takes it.
    fn ensure_admitted(&self, model: &Model, options: &CheckOptions, control: &RunControl) -> Result<(), CheckError> {
        let pool_size = model.first_pool_size()?;
        let (system, property, engines) = match self {
            Self::Safety => (model.system(pool_size), safety(options), for_safety(options)),
            Self::Temporal(_, None) => return Ok(()),
            Self::Temporal(prepared, Some(temporal)) => {
                (prepared.system(pool_size), Property::Temporal(temporal.clone()), for_temporal(options))
            }
        };
        let (search, system) = (Search { model, engines, options, control }, system.map_err(CheckError::Model)?);
        for rung in [Some(options.options.store), options.next_rung].into_iter().flatten() {
            search.choose(&system, &property, false, rung)?;
        }
        Ok(())
    }
}

fn safety(options: &CheckOptions) -> Property {
    Property::Safety { invalid_ends: !options.allow_deadlock }
}

/// The engines for `safety`, the first that takes it is to be used.
fn for_safety(options: &CheckOptions) -> &'static [&'static dyn Engine] {
    match options.engine {
        EngineChoice::Bfs => &[&Bfs],
        EngineChoice::Dfs => &[&Dfs],
        _ if options.options.store.keeps_all() => &[&Bfs],
        _ => &[&Dfs],
    }
}

/// The engines for temporal properties, the first that takes one is to be used.
fn for_temporal(options: &CheckOptions) -> &'static [&'static dyn Engine] {
    // An engine that is not for every temporal property is meant for those it takes, unless one is asked for by name.
    let by_name = options.names_properties();
    match options.engine {
        // What is a matter of reaching a state is settled by any number of threads.
        EngineChoice::Auto if options.options.store.keeps_all() => &[&Bfs, &CycleSearch::SCC],
        EngineChoice::Auto => &[&Dfs, &CycleSearch::MAGIC],
        EngineChoice::Bfs if by_name => &[&Bfs],
        EngineChoice::Bfs => &[&Bfs, &CycleSearch::SCC],
        EngineChoice::Dfs if by_name => &[&Dfs],
        EngineChoice::Dfs if options.options.store.keeps_all() => &[&Dfs, &CycleSearch::SCC],
        EngineChoice::Dfs => &[&Dfs, &CycleSearch::MAGIC],
        EngineChoice::Scc => &[&CycleSearch::SCC],
        EngineChoice::Ndfs => &[&CycleSearch::NDFS],
        EngineChoice::Magic => &[&CycleSearch::MAGIC],
        EngineChoice::CvwyA => &[&CycleSearch::CVWY_A],
        EngineChoice::CvwyB => &[&CycleSearch::CVWY_B],
        EngineChoice::Online => &[&CycleSearch::ONLINE],
        EngineChoice::Kosaraju => &[&CycleSearch::KOSARAJU],
    }
}

fn check_safety(
    model: &Model,
    options: &CheckOptions,
    control: &RunControl,
    checked: &mut Checked,
) -> Result<(), CheckError> {
    let search = Search { model, engines: for_safety(options), options, control };
    let property = safety(options);
    let (system, report, engine) = search.run(&property, &|pool_size| model.system(pool_size))?;
    checked.warnings.extend(search.remark(SAFETY, &report, engine));
    checked.warnings.extend(search.in_vain(SAFETY, &system, &property));
    let replay = SystemReplay::new(&system).map_err(|error| CheckError::Bug(error.to_string()))?.within(control);
    let settled = Settled::new(SAFETY, engine, Arc::clone(&system), report, &replay).map_err(not_replayed)?;
    keep_room(&settled, control);
    if settled.report().verdict == Verdict::Holds && settled.report().stats.states == 0 {
        let message = "the model has no initial state, so everything holds";
        checked.warnings.push(Diagnostic::warning(Span::NONE, "C0001", message));
    }
    let taken = settled.report().taken.as_deref();
    checked.unreached = taken.map(|taken| never_taken(&system, taken, model.statements(&system)));
    checked.settled.push(settled);
    Ok(())
}

fn check_temporal(
    model: &Model,
    name: &str,
    prepared: &Prepared,
    temporal: Option<&Temporal>,
    options: &CheckOptions,
    control: &RunControl,
    checked: &mut Checked,
) -> Result<(), CheckError> {
    let engines = for_temporal(options);
    let Some(temporal) = temporal else {
        let system = prepared.system(model.first_pool_size()?).map_err(CheckError::Model)?;
        let replay = SystemReplay::new(&system).map_err(|error| CheckError::Bug(error.to_string()))?;
        let report = Report::at_once(Shortfall::Automaton);
        let settled = Settled::new(name, engines[0].name(), Arc::new(system.clone()), report, &replay);
        checked.settled.push(settled.map_err(not_replayed)?);
        return Ok(());
    };
    let search = Search { model, engines, options, control };
    let run = |search: &Search<'_>, temporal: &Temporal| {
        search.run(&Property::Temporal(Box::new(temporal.clone())), &|pool_size| prepared.system(pool_size))
    };
    let (system, report, engine) = run(&search, temporal)?;
    checked.warnings.extend(search.remark(name, &report, engine));
    checked.warnings.extend(search.in_vain(name, &system, &Property::Temporal(Box::new(temporal.clone()))));
    let took = report.stats.elapsed;
    let replay = SystemReplay::of_temporal(&system, temporal).map_err(|error| CheckError::Bug(error.to_string()))?;
    let settled =
        Settled::new(name, engine, Arc::clone(&system), report, &replay.within(control)).map_err(not_replayed)?;
    keep_room(&settled, control);
    // Nobody waits much longer for a remark than for the answer.
    let patience = took.clamp(Duration::from_secs(1), Duration::from_secs(10));
    let aside = RunControl::new(control.budget.limit_bytes(), Some(patience));
    let remarks = vacuity::remarks(name, prepared, &settled, |temporal| {
        control.check().map_err(|_| CheckError::Refused("there is no time left".to_owned()))?;
        let plain = CheckOptions::default();
        let search = Search { model, engines: &[&CycleSearch::SCC], options: &plain, control: &aside };
        run(&search, temporal).map(|(_, report, _)| report)
    });
    checked.warnings.extend(remarks);
    checked.settled.push(settled);
    Ok(())
}

/// Takes from the budget what the runs of a property that was settled keep. Should that be more than there is, then it
/// is there all the same.
fn keep_room(settled: &Settled, control: &RunControl) {
    let _ = control.budget.take(settled.story_bytes());
}

fn not_replayed(error: lariat_engine::ReplayError) -> CheckError {
    CheckError::Bug(format!("a trace does not replay: {error}"))
}

/// A property that is to be settled.
pub(crate) struct Request {
    pub(crate) name: String,
    /// How it is stated, unless it is `safety`.
    pub(crate) stated: Option<Stated>,
}

/// What is asked for: the properties that are named or given; without any, all that the model has.
pub(crate) fn select(model: &Model, options: &CheckOptions) -> Result<Vec<Request>, CheckError> {
    let mut requests: Vec<Request> = Vec::new();
    let given = options.formulas.len() + options.automata.len();
    if options.properties.is_empty() && given == 0 {
        requests.push(Request { name: SAFETY.to_owned(), stated: None });
        requests.extend(model.properties().iter().filter_map(|(name, _)| stated(model, &public_name(name))));
    }
    for name in &options.properties {
        let request =
            if name == SAFETY { Some(Request { name: name.clone(), stated: None }) } else { stated(model, name) };
        let request = request.ok_or_else(|| CheckError::Refused(no_property(model, name)))?;
        if !requests.iter().any(|known| known.name == request.name) {
            requests.push(request);
        }
    }
    let formulas = options.formulas.iter().map(|text| (text, Stated::Formula(text.clone())));
    let automata = options.automata.iter().map(|path| (path, Stated::Automaton(path.clone())));
    requests
        .extend(formulas.chain(automata).map(|(name, stated)| Request { name: name.clone(), stated: Some(stated) }));
    let temporal = requests.iter().any(|request| request.stated.is_some());
    if !temporal && !matches!(options.engine, EngineChoice::Auto | EngineChoice::Bfs | EngineChoice::Dfs) {
        let reason = "settles temporal properties, and none is asked for; `--ltl` states one";
        return Err(CheckError::Refused(format!("the engine `{}` {reason}", for_temporal(options)[0].name())));
    }
    Ok(requests)
}

/// The temporal property of this name.
fn stated(model: &Model, name: &str) -> Option<Request> {
    let Form::Promela(checked) = model.form() else { return None };
    let request = |stated: Stated| Some(Request { name: name.to_owned(), stated: Some(stated) });
    if let Some((_, cycles)) = ON_REQUEST.iter().find(|(known, _)| *known == name) {
        return request(Stated::Cycles(cycles));
    }
    let own = model.properties().iter().map(|(own, _)| own).find(|own| public_name(own) == name)?;
    match checked.ltl_blocks().iter().find(|block| block.name == *own) {
        Some(block) => request(Stated::Block(block.formula.clone())),
        None => request(Stated::Claim(own.clone())),
    }
}

/// The name that a property of the model goes by: its own, unless every model has a property of that name.
fn public_name(own: &str) -> String {
    let taken = own == SAFETY || ON_REQUEST.iter().any(|(known, _)| *known == own);
    if taken { format!("ltl {own}") } else { own.to_owned() }
}

fn no_property(model: &Model, name: &str) -> String {
    let on_request = ON_REQUEST.iter().filter(|_| model.is_promela()).map(|(name, _)| *name);
    let stated: Vec<String> = model.properties().iter().map(|(name, _)| public_name(name)).collect();
    let known: Vec<&str> = [SAFETY].into_iter().chain(stated.iter().map(String::as_str)).chain(on_request).collect();
    let hint = match closest_name(name, known.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("it has: {}", known.join(", ")),
    };
    format!("the model has no property `{name}`; {hint}")
}

/// How one property is searched.
struct Search<'a> {
    model: &'a Model,
    /// The first of these that admits the task settles it.
    engines: &'a [&'a dyn Engine],
    options: &'a CheckOptions,
    control: &'a RunControl,
}

impl Search<'_> {
    /// Settles the property of the system that `make` makes for a size of the pool.
    fn run(
        &self,
        property: &Property,
        make: &dyn Fn(u16) -> Result<System, Vec<Diagnostic>>,
    ) -> Result<(Arc<System>, Report, &'static str), CheckError> {
        let Self { model, control, .. } = *self;
        let name = Cell::new(self.engines[0].name());
        let (making, runs) = (Cell::new(Duration::ZERO), RefCell::new(Vec::new()));
        let run = |system: &System, pool_may_grow: bool| {
            let began = Instant::now();
            let search = |store: StoreKind| {
                let (engine, task) = self.choose(system, property, pool_may_grow, store)?;
                name.set(engine.name());
                reset(control);
                engine.run(&task, control).map_err(|error| CheckError::Refused(error.to_string()))
            };
            let mut report = search(self.options.options.store)?;
            if let Some(next) = self.options.next_rung
                && let Verdict::Undecided(Shortfall::Memory { .. }) = report.verdict
            {
                report = search(next)?;
            }
            report.stats.elapsed = began.elapsed();
            runs.borrow_mut().push(began.elapsed());
            Ok(report)
        };
        let make = |pool_size| {
            let began = Instant::now();
            let system = make(pool_size).map_err(CheckError::Model);
            making.set(making.get() + began.elapsed());
            system
        };
        let (first, fixed) = (model.first_pool_size()?, model.has_fixed_pool());
        let (system, mut report) = with_growing_pool(first, fixed, make, run)?;
        if let Some(profile) = &mut report.profile {
            let earlier: Duration = runs.borrow().iter().rev().skip(1).sum();
            let before = [
                ("reading the model", model.reading()),
                ("making its system", making.get()),
                ("searching with too few processes", earlier),
            ];
            let before = before.into_iter().filter(|(_, time)| !time.is_zero());
            profile.phases.splice(..0, before.map(|(name, time)| Phase::new(name, time)));
        }
        Ok((Arc::new(system), report, name.get()))
    }

    /// What is to be said if a reduction was asked for and there is nothing to leave out.
    fn in_vain(&self, name: &str, system: &System, property: &Property) -> Option<Diagnostic> {
        let obstacle = self.options.options.reduce.then(|| reduction_obstacle(system, property))??;
        let message = format!("`{name}`: `--por on` leaves nothing out: {obstacle}");
        Some(Diagnostic::warning(Span::NONE, "C0009", message))
    }

    /// The engine that settles the property, and what it is told.
    fn choose<'s>(
        &self,
        system: &'s System,
        property: &Property,
        pool_may_grow: bool,
        store: StoreKind,
    ) -> Result<(&dyn Engine, Task<'s>), CheckError> {
        let mut refused = Vec::new();
        let is_next_rung = Some(store) == self.options.next_rung;
        // Below the exact stores others may have to do the work.
        let others: &[&dyn Engine] = match property {
            _ if !is_next_rung => &[],
            Property::Safety { .. } => &[&Dfs],
            Property::Temporal(_) => &[&Dfs, &CycleSearch::MAGIC],
        };
        for &engine in self.engines.iter().chain(others) {
            let available = std::thread::available_parallelism().map_or(1, usize::from);
            let threads = match self.options.threads {
                // Of several engines one may have fewer threads than are allowed.
                Some(allowed) if self.engines.len() > 1 || is_next_rung => allowed.min(engine.most_threads()),
                Some(wanted) => wanted,
                None => available.min(engine.most_threads()),
            };
            let mut options = Options { pool_may_grow, threads, store, ..self.options.options.clone() };
            if self.options.next_rung.is_some() && !is_next_rung {
                // These are for the next rung.
                (options.runs, options.disk) = (1, None);
            }
            let task = Task { system, property: property.clone(), options };
            match engine.admits(&task) {
                Ok(()) => return Ok((engine, task)),
                Err(refusal) => refused.push(format!("the engine `{}` cannot do this: {refusal}", engine.name())),
            }
        }
        let mut reason = refused.pop().unwrap_or_default();
        if is_next_rung {
            reason = format!("`--when-full {}` is not possible: {reason}", store.name());
        }
        if matches!(property, Property::Temporal(_)) && !self.options.names_properties() {
            reason.push_str("; `--property safety` asks for safety alone");
        }
        Err(CheckError::Refused(reason))
    }
}

impl Search<'_> {
    /// What is to be said of a search that did not come to its end with the store that was asked for.
    fn remark(&self, property: &str, report: &Report, engine: &str) -> Option<Diagnostic> {
        let (asked_for, used) = (self.options.options.store.name(), report.stats.store);
        let next = self.options.next_rung.filter(|next| next.name() == used && used != asked_for)?;
        let exactness = if next.is_lossy() {
            "states may be missed"
        } else {
            "what is forgotten is searched again, and none is missed"
        };
        let message = format!(
            "`{property}`: the memory was full with the store `{asked_for}`, and the search began anew with `{used}` and the \
             engine `{engine}`: {exactness}"
        );
        Some(Diagnostic::warning(Span::NONE, "C0008", message))
    }
}

/// Runs the system that `make` makes for a pool size, beginning with `first`. Unless that is `fixed` the sizes are guesses:
/// a run that met a full pool says nothing about the model, and is run anew with a pool of twice the size.
fn with_growing_pool(
    first: u16,
    fixed: bool,
    make: impl Fn(u16) -> Result<System, CheckError>,
    mut run: impl FnMut(&System, bool) -> Result<Report, CheckError>,
) -> Result<(System, Report), CheckError> {
    let mut pool_size = first;
    loop {
        let system = make(pool_size)?;
        let may_grow = !fixed && pool_size < MAX_POOL_SIZE;
        let report = run(&system, may_grow)?;
        if !report.pool_was_full {
            return Ok((system, report));
        }
        pool_size = next_pool_size(pool_size);
    }
}

/// The size of the pool to begin with, if all processes of the beginning have room in it.
pub(crate) fn first_pool_size(at_once: u16, bound: Option<u16>) -> Result<u16, CheckError> {
    let pool_size = bound.unwrap_or(FIRST_POOL_SIZE.max(at_once));
    if at_once > pool_size.min(MAX_POOL_SIZE) {
        // An initial state that does not fit the pool would be no initial state, and everything would hold.
        let message =
            format!("{at_once} processes at the beginning are too many for a pool of {}", pool_size.min(MAX_POOL_SIZE));
        return Err(CheckError::Model(vec![Diagnostic::error(Span::NONE, "C0002", message)]));
    }
    Ok(pool_size)
}

/// The size to try after `pool_size`.
pub(crate) fn next_pool_size(pool_size: u16) -> u16 {
    (pool_size * 2).min(MAX_POOL_SIZE)
}

pub(crate) fn reset(control: &RunControl) {
    let counters = &control.counters;
    let all = [&counters.states, &counters.transitions, &counters.depth, &counters.waiting, &counters.again];
    for counter in all {
        counter.store(0, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Limits;
    use lariat_engine::FailureKind;
    use lariat_system::Fault;
    use lariat_system::{Action, BinaryOp, Expr, Frame, FrameId, Update};

    /// One process that starts others until there are `wanted` of them; `at_once` begin.
    fn spawner(pool_size: u16, at_once: u16, wanted: i64) -> System {
        let mut system = System::empty("spawner");
        let frame = Frame { name: "P".into(), slots: Default::default(), control: None, span: Span::NONE };
        system.frames.push(frame);
        system.pool_size = pool_size;
        let spawn = || Update::Spawn { frame: FrameId(0), arguments: Vec::new() };
        system.init.updates = (0..at_once).map(|_| spawn()).collect();
        let mut action = Action::new("run P()", Vec::new());
        action.guard.condition.push(Expr::binary(BinaryOp::Lt, Expr::PoolCount, Expr::Const(wanted)));
        action.updates.push(spawn());
        system.actions.push(action);
        system
    }

    fn checked(bound: Option<u16>, at_once: u16, wanted: i64) -> Result<(System, Report), CheckError> {
        let control = Limits { memory_bytes: 1 << 26, time: None }.control();
        let run = |system: &System, pool_may_grow: bool| {
            system.validate().map_err(CheckError::Model)?;
            let property = Property::Safety { invalid_ends: true };
            let options = Options { pool_may_grow, keep_going: true, ..Options::default() };
            let task = Task { system, property, options };
            Bfs.run(&task, &control).map_err(|error| CheckError::Bug(error.to_string()))
        };
        let first = first_pool_size(at_once, bound)?;
        with_growing_pool(first, bound.is_some(), |pool_size| Ok(spawner(pool_size, at_once, wanted)), run)
    }

    #[test]
    fn a_pool_of_unknown_size_grows_until_it_suffices() {
        for (at_once, wanted, expected) in [(1, 8, 8), (1, 9, 16), (1, 100, 128), (1, 255, 255), (40, 41, 80)] {
            let (system, report) = checked(None, at_once, wanted).unwrap();
            assert_eq!(system.pool_size, expected);
            assert_eq!(report.verdict, Verdict::Holds);
            assert_eq!(report.stats.states, wanted as u64 - u64::from(at_once) + 1);
        }
    }

    #[test]
    fn more_than_can_be_is_a_failure() {
        for (bound, wanted) in [(None, 256), (Some(3), 4)] {
            let (_, report) = checked(bound, 1, wanted).unwrap();
            assert!(!report.pool_was_full);
            let kind = report.failures[0].kind;
            assert!(
                matches!(kind, FailureKind::Fault(Fault::PoolFull(_))) && matches!(report.verdict, Verdict::Fails(_))
            );
        }
        for (bound, at_once) in [(None, 256), (Some(3), 4)] {
            assert!(matches!(checked(bound, at_once, 1), Err(CheckError::Model(_))));
        }
    }

    #[test]
    fn properties_are_chosen_by_name() {
        let mut model = Model::of_system(spawner(3, 1, 2));
        let control = Limits { memory_bytes: 1 << 26, time: None }.control();
        let mut check_named = |name: &str| {
            let options = CheckOptions { properties: vec![name.to_owned()], ..CheckOptions::default() };
            check(&mut model, &options, &control)
        };
        assert_eq!(check_named("safety").unwrap().settled.len(), 1);
        for unknown in ["np_", "accept", "p1", ""] {
            assert!(matches!(check_named(unknown), Err(CheckError::Refused(_))), "{unknown}");
        }
    }
}
