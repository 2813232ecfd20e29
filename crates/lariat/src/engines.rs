//! The engines of this program.

use crate::CheckError;
use lariat_base::closest_name;
use lariat_branching::Graph;
use lariat_cluster::Cluster;
use lariat_engine::Engine;
use lariat_explicit::{Bfs, CycleSearch, Dfs};
use lariat_external::{Astar, External};
use lariat_gpu::Gpu;
use lariat_symbolic::Symbolic;
use std::fmt;

/// Our engines. If none is asked for, the first that supports the task settles it; an engine may prefer some tasks, and then
/// comes earlier ([`Engine::preference`]).
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
    &Graph,
    &Astar::REAL,
    &Cluster::LOCAL,
    &Gpu::CARD,
];

/// Engines to choose from, by name, in their usual order.
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
    /// These, with this engine in the place of the one that has its name.
    #[must_use]
    pub fn replacing(mut self, engine: &'static dyn Engine) -> Self {
        let known = self.list.iter_mut().find(|known| known.name() == engine.name());
        *known.expect("there is an engine of this name") = engine;
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
