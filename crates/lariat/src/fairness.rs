//! Which infinite runs count.

use crate::CheckError;
use crate::front::FrontModel;
use lariat_base::closest_name;
use lariat_system::{Action, ActionId, Fairness, LabelId, Position, System, Who};

/// Fairness that was asked for, beside what the model has of its own.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct FairnessOptions {
    /// For every process.
    pub processes: ProcessFairness,
    /// Conditions that hold infinitely often.
    pub justice: Vec<String>,
    /// `P => Q`: if the first holds infinitely often, so does the second.
    pub compassion: Vec<String>,
    /// Names of actions that are taken infinitely often, or infinitely often not enabled.
    pub weak_actions: Vec<String>,
    /// Names of actions that are taken infinitely often if they are infinitely often enabled.
    pub strong_actions: Vec<String>,
    /// Formulas that hold.
    pub formulas: Vec<String>,
    /// Files with automata that accept.
    pub automata: Vec<String>,
}

/// What every process may expect.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum ProcessFairness {
    /// Nothing.
    #[default]
    None,
    /// To move infinitely often, unless it is infinitely often unable to.
    Weak,
    /// To move infinitely often if it is infinitely often able to.
    Strong,
}

impl FairnessOptions {
    /// Whether nothing was asked for.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// What is added to a system.
#[derive(Debug)]
pub(crate) struct Constraints {
    justice: Vec<LabelId>,
    compassion: Vec<(LabelId, LabelId)>,
    processes: ProcessFairness,
    /// Actions by name, and whether strongly.
    actions: Vec<(Named, bool)>,
}

impl Constraints {
    /// What the options ask for, with the labels that their conditions have become.
    pub(crate) fn new(
        model: &dyn FrontModel,
        options: &FairnessOptions,
        justice: Vec<LabelId>,
        compassion: Vec<(LabelId, LabelId)>,
    ) -> Result<Self, CheckError> {
        if options.processes != ProcessFairness::None
            && let Some(reason) = model.no_process_fairness()
        {
            return Err(CheckError::Refused(reason.to_owned()));
        }
        let weak = options.weak_actions.iter().map(|name| (Named::new(model, name), false));
        let strong = options.strong_actions.iter().map(|name| (Named::new(model, name), true));
        let actions = weak.chain(strong).collect();
        Ok(Self { justice, compassion, processes: options.processes, actions })
    }

    /// Puts them into a system; an error if it has no action of a name that was given.
    pub(crate) fn add_to(&self, system: &mut System) -> Result<(), CheckError> {
        let positions = 0..system.pool_size as Position;
        match self.processes {
            ProcessFairness::None => {}
            ProcessFairness::Weak => {
                system.fairness.extend(positions.map(|position| Fairness::weak(Who::Process(position))));
            }
            ProcessFairness::Strong => {
                system.fairness.extend(positions.map(|position| Fairness::strong(Who::Process(position))));
            }
        }
        system.fairness.extend(self.justice.iter().map(|&label| Fairness::justice(label)));
        system.fairness.extend(self.compassion.iter().map(|&(asked, given)| Fairness::compassion(asked, given)));
        for (name, strong) in &self.actions {
            let actions = name.actions(system);
            if actions.is_empty() {
                return Err(CheckError::Refused(no_action(system, &name.text)));
            }
            let mut names: Vec<&str> = actions.iter().map(|action| system.actions[*action].name.as_str()).collect();
            names.dedup();
            let who = Who::Steps(system.label_actions(names.join("`, `"), &actions));
            system.fairness.push(if *strong { Fairness::strong(who) } else { Fairness::weak(who) });
        }
        Ok(())
    }
}

/// Actions that go by a name.
#[derive(Debug)]
struct Named {
    text: String,
    /// If it is a label of a model that SPIN reads, SPIN's numbers of the statements there.
    statements: Vec<u32>,
}

impl Named {
    fn new(model: &dyn FrontModel, name: &str) -> Self {
        let statements = model.spin().map_or_else(Vec::new, |spin| spin.statements_at(name));
        Self { text: name.to_owned(), statements }
    }

    /// The actions: those at the label of this name, else those with this text, however it is spaced, and those that carry
    /// a step label of this name.
    fn actions(&self, system: &System) -> Vec<ActionId> {
        let wanted = squeezed(&self.text);
        let labels: Vec<LabelId> =
            system.labels.entries().filter(|(_, label)| label.name == self.text).map(|(id, _)| id).collect();
        let is_meant = |action: &Action| match self.statements.is_empty() {
            false => action.trail.iter().any(|number| self.statements.contains(number)),
            true => {
                squeezed(&action.name) == wanted
                    || action.peer.as_ref().is_some_and(|(text, _)| squeezed(text) == wanted)
                    || action.labels.iter().any(|(label, _)| labels.contains(label))
            }
        };
        system.actions.entries().filter(|(_, action)| is_meant(action)).map(|(id, _)| id).collect()
    }
}

fn squeezed(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

fn no_action(system: &System, name: &str) -> String {
    let names: Vec<&str> = system.actions.iter().map(|action| action.name.as_str()).collect();
    let hint = match closest_name(name, names.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => "name an action by a label, `cs` or `P@cs`, or by the text of its statement; `lariat show` lists them"
            .to_owned(),
    };
    format!("the model has no action `{name}`; {hint}")
}
