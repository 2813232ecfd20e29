//! Which infinite runs count.

use super::choices::one_of;
use clap::Args;
use lariat::{FairnessOptions, ProcessFairness};

const PROCESSES: [(&str, ProcessFairness); 3] =
    [("none", ProcessFairness::None), ("weak", ProcessFairness::Weak), ("strong", ProcessFairness::Strong)];

#[derive(Debug, Args)]
#[command(next_help_heading = "Fairness (which infinite runs count)")]
pub(crate) struct FairnessArgs {
    /// For every process: `weak` (it moves infinitely often, or is infinitely often unable to), `strong` (it moves
    /// infinitely often if it is infinitely often able to), or `none`
    #[arg(long, value_name = "HOW", default_value = "none", value_parser = one_of(&PROCESSES))]
    fairness: ProcessFairness,
    /// The condition holds infinitely often (repeatable)
    #[arg(long, value_name = "EXPR", allow_hyphen_values = true)]
    justice: Vec<String>,
    /// If P holds infinitely often, so does Q (repeatable)
    #[arg(long, value_name = "P => Q", allow_hyphen_values = true)]
    compassion: Vec<String>,
    /// The action is taken infinitely often, or infinitely often not enabled; its name is the text of the statement, or a
    /// label (repeatable)
    #[arg(long, value_name = "NAME", allow_hyphen_values = true)]
    fair_action: Vec<String>,
    /// The action is taken infinitely often if it is infinitely often enabled (repeatable)
    #[arg(long, value_name = "NAME", allow_hyphen_values = true)]
    strong_action: Vec<String>,
    /// The formula holds; `moves(1)` in it says that the next step is by process 1 (repeatable)
    #[arg(long, value_name = "F", allow_hyphen_values = true)]
    fair_ltl: Vec<String>,
    /// The automaton in the file accepts the run (repeatable)
    #[arg(long, value_name = "FILE.hoa", value_hint = clap::ValueHint::FilePath)]
    fair_automaton: Vec<String>,
}

impl FairnessArgs {
    /// What speaks of the model.
    pub(crate) fn texts(&self) -> impl Iterator<Item = &String> {
        let lists = [&self.justice, &self.compassion, &self.fair_action, &self.strong_action, &self.fair_ltl];
        lists.into_iter().flatten()
    }
    /// The same as options of the library.
    pub(crate) fn options(&self) -> FairnessOptions {
        FairnessOptions {
            processes: self.fairness,
            justice: self.justice.clone(),
            compassion: self.compassion.clone(),
            weak_actions: self.fair_action.clone(),
            strong_actions: self.strong_action.clone(),
            formulas: self.fair_ltl.clone(),
            automata: self.fair_automaton.clone(),
        }
    }
}
