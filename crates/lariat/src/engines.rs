//! The engines of this program, and which of them settles a task.

use crate::CheckError;
use lariat_base::closest_name;
use lariat_branching::Graph;
use lariat_engine::{Considered, Engine, Options, Prepared, Property, Refusal, SearchChoice, Subject, Task};
use lariat_explicit::{Bfs, CycleSearch, Dfs};
use lariat_external::External;
use lariat_symbolic::Symbolic;
use std::fmt;

/// Our engines, in the order of preference: if none is asked for, the first that supports the task settles it.
const ENGINES: &[&dyn Engine] = &[
    &Bfs,
    &Dfs,
    &CycleSearch::SCC,
    &CycleSearch::MAGIC,
    &CycleSearch::NDFS,
    &CycleSearch::CVWY_A,
    &CycleSearch::CVWY_B,
    &CycleSearch::KOSARAJU,
    &CycleSearch::ONLINE,
    &External::REAL,
    &Symbolic,
    &Graph::ANY,
];

/// Engines to choose from, by name, in the order of preference.
#[derive(Clone)]
pub struct Engines {
    list: Vec<&'static dyn Engine>,
}

/// All our engines.
pub fn engines() -> Engines {
    Engines::default()
}

impl Engines {
    /// These and a further one, which is used if it is asked for or no other supports the task.
    #[must_use]
    pub fn with(mut self, engine: &'static dyn Engine) -> Self {
        assert!(self.names().all(|name| name != engine.name()), "there is an engine `{}` already", engine.name());
        self.list.push(engine);
        self
    }
    /// The engines.
    pub fn iter(&self) -> impl Iterator<Item = &'static dyn Engine> + '_ {
        self.list.iter().copied()
    }
    /// Their names.
    pub fn names(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.iter().map(|engine| engine.name())
    }
    /// The engine of this name.
    pub(crate) fn named(&self, name: &str) -> Result<&'static dyn Engine, CheckError> {
        self.iter().find(|engine| engine.name() == name).ok_or_else(|| {
            let hint = match closest_name(name, self.names()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("there are: {}", self.names().collect::<Vec<_>>().join(", ")),
            };
            CheckError::Refused(format!("there is no engine `{name}`; {hint}"))
        })
    }
}

impl Default for Engines {
    fn default() -> Self {
        Self { list: ENGINES.to_vec() }
    }
}

impl IntoIterator for Engines {
    type Item = &'static dyn Engine;
    type IntoIter = std::vec::IntoIter<Self::Item>;

    fn into_iter(self) -> Self::IntoIter {
        self.list.into_iter()
    }
}

/// The same names in the same order.
impl PartialEq for Engines {
    fn eq(&self, other: &Self) -> bool {
        self.names().eq(other.names())
    }
}

impl Eq for Engines {}

impl fmt::Debug for Engines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.names()).finish()
    }
}

/// What a choice between engines depends on, beside the subject.
#[derive(Clone)]
pub(crate) struct EngineRequest<'a> {
    /// Who can be asked.
    pub(crate) engines: &'a Engines,
    /// What is to be settled.
    pub(crate) property: &'a Property,
    /// The options, whose threads do not count.
    pub(crate) options: &'a Options,
    /// How many threads may search.
    pub(crate) threads: Option<usize>,
    /// The engines that are tried first: the one that was asked for, or those that suit the property best.
    pub(crate) first: Vec<&'static dyn Engine>,
    /// Whether another engine may do it, if these do not.
    pub(crate) others: Others,
}

/// When another engine may settle a task than the one that was asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Others {
    /// It was asked for, for this property.
    Never,
    /// If the engine is not made for this kind of property.
    ForOtherProperties,
    /// If the engine, which is only preferred, does not support the task for any reason.
    Always,
}

/// A task that an engine is ready for, and who did not want it.
pub(crate) struct Chosen<'t> {
    /// The engine's name.
    pub(crate) engine: &'static str,
    pub(crate) prepared: Box<dyn Prepared + 't>,
    /// Those that come before it in the order of preference, and what they do not support.
    pub(crate) passed_over: Vec<(&'static str, Refusal)>,
}

impl EngineRequest<'_> {
    /// Finds the engine for the task and goes on with it.
    pub(crate) fn choose<R>(
        &self,
        subject: Subject<'_>,
        then: impl FnOnce(Chosen<'_>) -> Result<R, CheckError>,
    ) -> Result<R, CheckError> {
        let mut passed_over: Vec<(&'static str, Refusal)> = Vec::new();
        for &engine in &self.first {
            let task = self.task(subject, self.threads.unwrap_or_else(|| available_threads(engine)));
            match engine.prepare(&task) {
                Ok(prepared) => return then(Chosen { engine: engine.name(), prepared, passed_over }),
                Err(refusal)
                    if self.others == Others::Always
                        || self.others == Others::ForOtherProperties && refusal.is_about_the_property() =>
                {
                    passed_over.push((engine.name(), refusal));
                }
                Err(refusal) => {
                    return Err(CheckError::Refused(self.refused_by(engine.name(), &refusal, subject)));
                }
            }
        }
        for engine in self.engines.iter() {
            let task = self.task(subject, self.threads_for(engine));
            match engine.prepare(&task) {
                Ok(prepared) => return then(Chosen { engine: engine.name(), prepared, passed_over }),
                Err(refusal) => passed_over.push((engine.name(), refusal)),
            }
        }
        Err(CheckError::Refused(refused_by_all(&passed_over)))
    }

    fn task<'s>(&self, subject: Subject<'s>, threads: usize) -> Task<'s> {
        let options = Options { threads, ..self.options.clone() };
        Task { subject, property: self.property.clone(), options }
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

    /// Why the engine that was asked for does not do it, and who does.
    fn refused_by(&self, name: &str, refusal: &Refusal, subject: Subject<'_>) -> String {
        let can = |engine: &&'static dyn Engine| {
            let threads = self.threads.unwrap_or_else(|| available_threads(*engine));
            engine.name() != name && engine.prepare(&self.task(subject, threads)).is_ok()
        };
        let others: Vec<&str> = self.engines.iter().filter(can).map(|engine| engine.name()).collect();
        let others = match others.len() {
            0 => String::new(),
            1 => format!("; {} does", listed(&others)),
            _ => format!("; {} do", listed(&others)),
        };
        format!("the engine `{name}` does not support {}{others}", with_reason(refusal))
    }
}

fn available_threads(engine: &dyn Engine) -> usize {
    std::thread::available_parallelism().map_or(1, usize::from).min(engine.most_threads())
}

fn with_reason(refusal: &Refusal) -> String {
    let feature = refusal.feature.to_string();
    refusal.why.as_ref().map_or(feature.clone(), |why| format!("{feature}: {why}"))
}

/// Why no engine does it: what each one that is made for such properties does not support.
fn refused_by_all(refusals: &[(&'static str, Refusal)]) -> String {
    let mut reasons: Vec<(String, Vec<&str>)> = Vec::new();
    let is_made_for_it = |refusal: &Refusal| !refusal.is_about_the_property();
    // Where none is made for it, those that say why come next.
    let any_is = refusals.iter().any(|(_, refusal)| is_made_for_it(refusal));
    let tells = |refusal: &Refusal| if any_is { is_made_for_it(refusal) } else { refusal.why.is_some() };
    for (name, refusal) in refusals.iter().filter(|(_, refusal)| tells(refusal)) {
        let reason = with_reason(refusal);
        match reasons.iter_mut().find(|(known, _)| *known == reason) {
            Some((_, names)) => names.push(name),
            None => reasons.push((reason, vec![name])),
        }
    }
    if let [(reason, _)] = &reasons[..] {
        return format!("no engine supports {reason}");
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

/// What was chosen, as data.
pub(crate) fn search_choice(chosen: &Chosen<'_>) -> SearchChoice {
    let considered = chosen.passed_over.iter().map(|(engine, refusal)| Considered {
        engine: (*engine).to_owned(),
        unsupported: refusal.feature.to_string(),
        why: refusal.why.clone(),
    });
    SearchChoice { plan: chosen.prepared.plan().clone(), considered: considered.collect() }
}
