//! Which engine makes a search: the one that was asked for, or the first that prefers the task or supports it. Where none
//! does, the message says what each does not support, and who does.

use crate::{CheckError, Engines};
use lariat_engine::{
    After, Considered, Engine, Feature, GraphLimit, Options, PlannedSearch, Preference, Property, Refusal, Subject,
    Task,
};

/// A search that is wanted.
#[derive(Clone)]
pub(crate) struct EngineRequest<'a> {
    /// Who can be asked.
    pub(crate) engines: &'a Engines,
    /// What is to be settled.
    pub(crate) property: &'a Property,
    pub(crate) subject: Subject<'a>,
    /// How, except for the number of threads.
    pub(crate) options: Options,
    /// As many as the engine can use and the machine has if not given.
    pub(crate) threads: Option<usize>,
    /// The engine that is asked for by name.
    pub(crate) asked: Option<&'static dyn Engine>,
    /// Who else may be taken.
    pub(crate) others: Others,
    /// Whether a search is refused for which the machine lacks something.
    pub(crate) ready: bool,
}

/// When an engine takes the place of the one that was asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Others {
    /// Never.
    Never,
    /// If that one is not made for such properties at all.
    ForOtherProperties,
}

/// Engines that do not support a search, and what.
pub(crate) type Refusals = Vec<(&'static str, Refusal)>;

impl EngineRequest<'_> {
    /// Searches within a limit by the engines that prefer to begin so, and who does not support one.
    pub(crate) fn attempts(&self) -> Result<(Vec<PlannedSearch>, Refusals), CheckError> {
        let (mut attempts, mut refusals) = (Vec::new(), Refusals::new());
        for (engine, limit) in self.preferring().filter_map(|(engine, preference)| Some((engine, limit(preference)?))) {
            let options = Options { graph_limit: Some(limit), ..self.options.clone() };
            match self.prepared(engine, self.task(options, self.threads_for(engine)), &refusals)? {
                Ok(search) => attempts.push(search),
                Err(refusal) => refusals.push((engine.name(), refusal)),
            }
        }
        Ok((attempts, refusals))
    }

    /// The search by the engine that is asked for, or else by the first that supports it. `refusals` are by those considered
    /// before.
    pub(crate) fn choose(&self, mut refusals: Refusals) -> Result<PlannedSearch, CheckError> {
        if let Some(engine) = self.asked {
            let threads = self.threads.unwrap_or_else(|| available_threads(engine));
            match self.prepared(engine, self.task(self.options.clone(), threads), &refusals)? {
                Ok(search) => return Ok(search),
                Err(refusal) if self.others == Others::ForOtherProperties && is_left_to_others(&refusal) => {
                    refusals.push((engine.name(), refusal));
                }
                Err(refusal) => return Err(CheckError::Refused(self.refused_by(engine.name(), &refusal))),
            }
        }
        let (best, usual): (Vec<_>, Vec<_>) = self.preferring().partition(|(_, it)| is_best(*it));
        let asked = self.asked.map(|engine| engine.name());
        for (engine, _) in best.into_iter().chain(usual).filter(|(engine, _)| Some(engine.name()) != asked) {
            match self.prepared(engine, self.task(self.options.clone(), self.threads_for(engine)), &refusals)? {
                Ok(search) => return Ok(search),
                Err(refusal) => refusals.push((engine.name(), refusal)),
            }
        }
        let options = self.options_in_the_way();
        Err(CheckError::Refused(refused_by_all(&refusals, &options)))
    }

    /// Where the engine that was chosen is the best only at first: its search until listing the states seems to cost less, and
    /// the search by the engine that does that then. The order is that in which they are run.
    pub(crate) fn relieved(&self, main: &PlannedSearch) -> Result<Option<[PlannedSearch; 2]>, CheckError> {
        let chosen = self.engines.named(&main.plan.engine)?;
        let task = self.task(self.options.clone(), 1);
        if chosen.preference(&task) != Preference::BestAtFirst {
            return Ok(None);
        }
        for engine in self.engines.iter() {
            let Some(limit) = engine.relieves(&task) else { continue };
            if task.system().is_none_or(|system| system.most_step_valuations() > limit.ways) {
                continue;
            }
            // An engine that writes the graph out takes the limit as an option.
            let within = |graph_limit| Options { graph_limit, ..self.options.clone() };
            let threads = self.threads_for(engine);
            let mut found = self.prepared(engine, self.task(within(Some(limit)), threads), &Refusals::new())?;
            if found.is_err() {
                found = self.prepared(engine, self.task(within(None), threads), &Refusals::new())?;
            }
            let Ok(mut relief) = found else { continue };
            relief.after = vec![After::Effort];
            if relief.plan.search.graph_limit.is_none() {
                (relief.states_limit, relief.steps_limit) = (Some(limit.states as u64), Some(limit.steps as u64));
            }
            let options = Options { graph_instead: Some(limit.states as u64), ..self.options.clone() };
            let first = self.prepared(chosen, self.task(options, self.threads_for(chosen)), &Refusals::new())?;
            let considered = main.considered.clone();
            return Ok(first.ok().map(|first| [PlannedSearch { considered, ..first }, relief]));
        }
        Ok(None)
    }

    /// The search by this engine, if it supports it.
    fn prepared(
        &self,
        engine: &'static dyn Engine,
        task: Task<'_>,
        refusals: &Refusals,
    ) -> Result<Result<PlannedSearch, Refusal>, CheckError> {
        let prepared = match engine.prepare(&task) {
            Ok(prepared) => prepared,
            Err(refusal) => return Ok(Err(refusal)),
        };
        if self.ready {
            prepared.ensure_ready().map_err(|error| CheckError::Refused(error.to_string()))?;
        }
        let considered = refusals.iter().map(|(engine, refusal)| Considered {
            engine: (*engine).to_owned(),
            unsupported: refusal.feature.to_string(),
            why: refusal.why.clone(),
        });
        Ok(Ok(PlannedSearch {
            after: Vec::<After>::new(),
            plan: prepared.plan().clone(),
            states_limit: None,
            steps_limit: None,
            unreduced: None,
            simplified: None,
            considered: considered.collect(),
        }))
    }

    /// All engines, and which place each has.
    fn preferring(&self) -> impl Iterator<Item = (&'static dyn Engine, Preference)> + '_ {
        let task = self.task(self.options.clone(), 1);
        self.engines.iter().map(move |engine| (engine, engine.preference(&task)))
    }

    fn task(&self, options: Options, threads: usize) -> Task<'_> {
        Task { subject: self.subject, property: self.property.clone(), options: Options { threads, ..options } }
    }

    /// How many threads an engine searches with that was not asked for by name. For `safety` as many as were asked for; a
    /// temporal property may turn out to be one for an engine with fewer.
    fn threads_for(&self, engine: &dyn Engine) -> usize {
        match (self.threads, self.property) {
            (None, _) => available_threads(engine),
            (Some(wanted), Property::Safety { .. }) => wanted,
            (Some(allowed), _) => allowed.min(engine.most_threads()),
        }
    }

    /// The options that were given and without which, one at a time, some engine does it: with the name of that engine.
    fn options_in_the_way(&self) -> Vec<(&'static str, &'static str)> {
        let (given, plain) = (&self.options, Options::default());
        let without = [
            ("--store", Options { store: plain.store, runs: plain.runs, ..given.clone() }),
            ("--keep-going", Options { keep_going: false, ..given.clone() }),
            ("--shortest", Options { shortest: false, ..given.clone() }),
            ("--depth", Options { depth_limit: None, ..given.clone() }),
            ("--profile", Options { profile: false, ..given.clone() }),
            ("--por on", Options { reduce: false, ..given.clone() }),
            ("--code", Options { code: plain.code, ..given.clone() }),
            ("--runs", Options { runs: plain.runs, ..given.clone() }),
            ("--disk", Options { disk: None, ..given.clone() }),
            ("--acceptance", Options { acceptance: plain.acceptance, ..given.clone() }),
            ("--order", Options { order: None, ..given.clone() }),
            ("--temporal-by", Options { temporal_by: plain.temporal_by, ..given.clone() }),
            ("--heuristic", Options { heuristic: None, ..given.clone() }),
        ];
        let supports = |options: &Options| {
            let prepares = |engine: &'static dyn Engine| {
                engine.prepare(&self.task(options.clone(), self.threads_for(engine))).is_ok()
            };
            self.engines.iter().find(|engine| prepares(*engine)).map(|engine| engine.name())
        };
        // Without `--store` the number of runs is none of its options.
        let is_given = |name: &str| name != "--store" || given.store != plain.store;
        let given_ones = without.iter().filter(|(name, options)| is_given(name) && options != given);
        let mut found: Vec<(&str, &str)> =
            given_ones.filter_map(|(name, options)| Some((*name, supports(options)?))).collect();
        let alone = |engine: &&'static dyn Engine| engine.prepare(&self.task(given.clone(), 1)).is_ok();
        if self.threads.is_some_and(|threads| threads > 1)
            && let Some(engine) = self.engines.iter().find(alone)
        {
            found.push(("--threads", engine.name()));
        }
        found
    }

    /// Why the engine that was asked for does not do it, and who does.
    fn refused_by(&self, name: &str, refusal: &Refusal) -> String {
        let can = |engine: &&'static dyn Engine| {
            let threads = self.threads.unwrap_or_else(|| available_threads(*engine));
            engine.name() != name && engine.prepare(&self.task(self.options.clone(), threads)).is_ok()
        };
        if let Some(mistake) = mistake_in_order(refusal) {
            return mistake;
        }
        let others: Vec<&str> = self.engines.iter().filter(can).map(|engine| engine.name()).collect();
        let others = match others.len() {
            0 => String::new(),
            1 => format!("; {} does", listed(&others)),
            _ => format!("; {} do", listed(&others)),
        };
        format!("the engine `{name}` does not support {}{others}", with_reason(refusal))
    }
}

/// Whether an engine comes before those with their usual place.
pub(crate) fn is_best(preference: Preference) -> bool {
    matches!(preference, Preference::Best | Preference::BestAtFirst)
}

fn limit(preference: Preference) -> Option<GraphLimit> {
    if let Preference::Attempt(limit) = preference { Some(limit) } else { None }
}

fn available_threads(engine: &dyn Engine) -> usize {
    std::thread::available_parallelism().map_or(1, usize::from).min(engine.most_threads())
}

fn with_reason(refusal: &Refusal) -> String {
    let feature = refusal.feature.to_string();
    refusal.why.as_ref().map_or(feature.clone(), |why| format!("{feature}: {why}"))
}

/// What is wrong with the file of `--order`, if that is why an engine refuses.
fn mistake_in_order(refusal: &Refusal) -> Option<String> {
    let why = refusal.why.as_ref().filter(|_| refusal.feature == Feature::OrderFile)?;
    Some(format!("the file of `--order` does not fit the model: {why}"))
}

/// Whether an engine that was asked for leaves the property to others, unless the property was asked for too: it is not made for
/// such properties, or not for the runs that count in this model.
fn is_left_to_others(refusal: &Refusal) -> bool {
    let is_about_runs = matches!(refusal.feature, Feature::StrongFairness | Feature::Fairness | Feature::Acceptance);
    is_about_runs || refusal.is_about_the_property()
}

/// Why no engine does it: which options to leave out; where that does not help, what each one that is made for such properties
/// does not support.
fn refused_by_all(refusals: &[(&'static str, Refusal)], options: &[(&str, &str)]) -> String {
    if let Some(mistake) = refusals.iter().find_map(|(_, refusal)| mistake_in_order(refusal)) {
        return mistake;
    }
    let mut reasons: Vec<(String, Vec<&str>)> = Vec::new();
    let is_made_for_it = |refusal: &Refusal| !refusal.is_about_the_property();
    // Where none is made for it, those that say why come next.
    let any_is = refusals.iter().any(|(_, refusal)| is_made_for_it(refusal));
    let tells = |refusal: &Refusal| if any_is { is_made_for_it(refusal) } else { refusal.why.is_some() };
    for (name, refusal) in refusals.iter().filter(|(_, refusal)| tells(refusal)) {
        let reason = with_reason(refusal);
        match reasons.iter_mut().find(|(known, _)| *known == reason) {
            // An engine may have been considered twice: first for a small graph.
            Some((_, names)) if names.contains(name) => {}
            Some((_, names)) => names.push(name),
            None => reasons.push((reason, vec![name])),
        }
    }
    if let [(reason, _)] = &reasons[..] {
        return format!("no engine supports {reason}");
    }
    if !options.is_empty() {
        let mut whys: Vec<String> = Vec::new();
        for (_, engine) in options {
            let refusal = refusals.iter().find(|(name, _)| name == engine);
            let why = refusal.map(|(_, refusal)| format!("`{engine}` does not support {}", with_reason(refusal)));
            whys.extend(why.filter(|why| !whys.contains(why)));
        }
        let names: Vec<String> = options.iter().map(|(option, _)| format!("`{option}`")).collect();
        let (names, whys) = (names.join(" or "), whys.join("; "));
        return format!("no engine supports this combination of options; leave out {names} ({whys})");
    }
    let clauses: Vec<String> = reasons
        .iter()
        .map(|(reason, names)| match names.len() {
            1 => format!("the engine {} does not support {reason}", listed(names)),
            _ => format!("the engines {} do not support {reason}", listed(names)),
        })
        .collect();
    format!("no engine supports this combination: {}", clauses.join("; "))
}

/// Names in a sentence.
fn listed(names: &[&str]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    match quoted.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => quoted.concat(),
    }
}
