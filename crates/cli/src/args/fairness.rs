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
    /// Only runs on which this condition holds infinitely often count (repeatable)
    #[arg(long, value_name = "EXPR", allow_hyphen_values = true)]
    justice: Vec<String>,
    /// Only runs count on which Q holds infinitely often if P does (repeatable)
    #[arg(long, value_name = "P => Q", allow_hyphen_values = true)]
    compassion: Vec<String>,
    /// Weak fairness for an action: it is taken infinitely often, or infinitely often not enabled. NAME is the text of the
    /// statement, or a label (repeatable)
    #[arg(long, value_name = "NAME", allow_hyphen_values = true)]
    fair_action: Vec<String>,
    /// Strong fairness for an action: it is taken infinitely often if it is infinitely often enabled (repeatable)
    #[arg(long, value_name = "NAME", allow_hyphen_values = true)]
    strong_action: Vec<String>,
    /// Only runs on which this LTL formula holds count; `moves(1)` means that process 1 takes the next step (repeatable)
    #[arg(long, value_name = "F", allow_hyphen_values = true)]
    fair_ltl: Vec<String>,
    /// Only runs that the automaton in this file accepts count (repeatable)
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
