//! What the page asks for.

use lariat::{CheckOptions, FairnessOptions, ProcessFairness, Walk};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// The longest time that a check may be given.
const MOST_SECONDS: u64 = 24 * 3600;
/// The most texts of a kind in a request for a check.
const MOST_TEXTS: usize = 64;

/// Where a tab is.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub(crate) struct WalkText {
    pub(crate) initial: usize,
    pub(crate) steps: Vec<u32>,
}

impl From<WalkText> for Walk {
    fn from(WalkText { initial, steps }: WalkText) -> Self {
        Self { initial, steps }
    }
}

impl From<Walk> for WalkText {
    fn from(Walk { initial, steps }: Walk) -> Self {
        Self { initial, steps }
    }
}

/// To go on at random.
#[derive(Debug, Deserialize)]
pub(crate) struct Wander {
    pub(crate) walk: WalkText,
    pub(crate) count: usize,
}

/// To check something.
#[derive(Debug, Deserialize)]
pub(crate) struct CheckRequest {
    pub(crate) walk: WalkText,
    /// From where the walk ends; else all runs of the model.
    pub(crate) here: bool,
    /// What is checked: a property by its name; with no name and no formula, all of them.
    #[serde(default)]
    pub(crate) property: Option<String>,
    #[serde(default)]
    ltl: Option<String>,
    #[serde(default)]
    ctl: Option<String>,
    #[serde(default)]
    fairness: Option<String>,
    #[serde(default)]
    justice: Vec<String>,
    #[serde(default)]
    compassion: Vec<String>,
    #[serde(default)]
    fair_action: Vec<String>,
    #[serde(default)]
    strong_action: Vec<String>,
    #[serde(default)]
    fair_ltl: Vec<String>,
    #[serde(default)]
    allow_deadlock: bool,
    #[serde(default)]
    seconds: Option<u64>,
}

impl CheckRequest {
    /// What it is called.
    pub(crate) fn title(&self) -> &str {
        let texts = [&self.property, &self.ltl, &self.ctl];
        texts.into_iter().flatten().next().map_or("all properties", String::as_str)
    }

    /// The time it is given.
    pub(crate) fn time(&self) -> Option<Duration> {
        self.seconds.map(|seconds| Duration::from_secs(seconds.clamp(1, MOST_SECONDS)))
    }

    /// The same as options of the library. Nothing in it names a file.
    pub(crate) fn options(&self) -> Result<CheckOptions, String> {
        let processes = match self.fairness.as_deref() {
            None | Some("none") => ProcessFairness::None,
            Some("weak") => ProcessFairness::Weak,
            Some("strong") => ProcessFairness::Strong,
            Some(other) => return Err(format!("there is no fairness `{other}`")),
        };
        let lists = [&self.justice, &self.compassion, &self.fair_action, &self.strong_action, &self.fair_ltl];
        if lists.iter().any(|list| list.len() > MOST_TEXTS) {
            return Err(format!("at most {MOST_TEXTS} fairness constraints of a kind"));
        }
        let [justice, compassion, weak_actions, strong_actions, formulas] = lists.map(Clone::clone);
        let automata = Vec::new();
        Ok(CheckOptions {
            properties: self.property.iter().cloned().collect(),
            formulas: self.ltl.iter().cloned().collect(),
            branching: self.ctl.iter().cloned().collect(),
            allow_deadlock: self.allow_deadlock,
            fairness: FairnessOptions {
                processes,
                justice,
                compassion,
                weak_actions,
                strong_actions,
                formulas,
                automata,
            },
            ..CheckOptions::default()
        })
    }
}

/// A tab opens, is still open, or is closed.
#[derive(Debug, Deserialize)]
pub(crate) struct Tab {
    pub(crate) tab: u64,
    pub(crate) open: bool,
}
