//! What would make a model smaller, as far as its profile tells.
//!
//! Every piece of advice says what was measured and no more. What is sure to help comes first: values nobody reads and
//! places where nobody needs to rest can go without changing what others see. That a variable is costly says only where
//! to look: whether it can be done without is for the author to know.

use super::{Profile, Stale, ValueCount, VariableKind, VariableShare, factor};
use crate::Statement;
use lariat_base::Span;

/// Something worth trying.
#[derive(Clone, PartialEq, Debug)]
pub enum Advice {
    /// Reset these variables when their values are read no more.
    Reset {
        /// About how many states are left then.
        states_left: u64,
        /// The variables, those that matter most first.
        variables: Vec<(String, Span)>,
    },
    /// Join these statements with the ones before them.
    Join {
        /// How many states are left then, about.
        states_left: u64,
        /// The statements, those that matter most first.
        statements: Vec<Statement>,
    },
    /// This variable multiplies the states.
    Costly {
        /// Its name.
        name: String,
        /// Where it was declared.
        span: Span,
        /// What it is.
        kind: VariableKind,
        /// About how many times as many states there are because of it.
        factor: f64,
    },
    /// These variables never change.
    Constant {
        /// The variables.
        variables: Vec<(String, Span)>,
        /// What they take of a state, together.
        bits: u64,
    },
}

/// At most so many pieces of advice are given.
const MOST: usize = 5;
/// At most so many of them are about costly variables.
const MOST_COSTLY: usize = 3;
/// What leaves more than this share of the states is not worth a change of the model.
const WORTHWHILE: f64 = 0.95;
/// A variable that does not multiply the states by this is not costly.
const COSTLY: f64 = 2.0;

/// What is worth trying, best first; nothing if nothing is.
pub fn advise(profile: &Profile) -> Vec<Advice> {
    let mut advice: Vec<Advice> = join(profile).into_iter().collect();
    let reset = reset(profile);
    let best = |advice: &Advice| match advice {
        Advice::Join { states_left, .. } | Advice::Reset { states_left, .. } => *states_left,
        Advice::Costly { .. } | Advice::Constant { .. } => u64::MAX,
    };
    let reset_names: Vec<String> = match &reset {
        Some(Advice::Reset { variables, .. }) => variables.iter().map(|(name, _)| name.clone()).collect(),
        _ => Vec::new(),
    };
    advice.extend(reset);
    advice.sort_by_key(best);
    // The variables are sorted by what they cost.
    let others = profile.variables.iter().filter(|variable| !reset_names.contains(&variable.name));
    advice.extend(others.filter_map(|variable| costly(profile, variable)).take(MOST_COSTLY));
    advice.extend(constant(profile));
    advice.truncate(MOST);
    advice
}

fn worthwhile(profile: &Profile, states_left: u64) -> bool {
    (states_left as f64) < WORTHWHILE * profile.states as f64
}

fn join(profile: &Profile) -> Option<Advice> {
    let states_left = profile.states - profile.joinable.states;
    let statements = profile.joinable.statements.iter().map(|(statement, _)| statement.clone());
    worthwhile(profile, states_left).then(|| Advice::Join { states_left, statements: statements.collect() })
}

fn reset(profile: &Profile) -> Option<Advice> {
    let Stale { states_without, variables } = &profile.stale;
    let states_left = states_without.filter(|&left| worthwhile(profile, left))?;
    let variables = variables.iter().map(|(name, span, _)| (name.clone(), *span)).collect();
    Some(Advice::Reset { states_left, variables })
}

fn costly(profile: &Profile, variable: &VariableShare) -> Option<Advice> {
    let factor = factor(profile.states, variable.states_without?);
    let VariableShare { name, span, kind, .. } = variable;
    let movable = matches!(kind, VariableKind::Variable | VariableKind::Channel);
    (movable && factor >= COSTLY).then(|| Advice::Costly { name: name.clone(), span: *span, kind: *kind, factor })
}

fn constant(profile: &Profile) -> Option<Advice> {
    let constants = profile
        .variables
        .iter()
        .filter(|variable| variable.kind == VariableKind::Variable && variable.bits > 0)
        .filter(|variable| variable.values == ValueCount::Exactly(1));
    let bits = constants.clone().map(|variable| variable.bits).sum();
    let mut variables: Vec<_> = constants.map(|variable| (variable.name.clone(), variable.span)).collect();
    variables.sort_by_key(|(_, span)| (span.file, span.start));
    (!variables.is_empty() && profile.states > 1).then_some(Advice::Constant { variables, bits })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variable(name: &str, states_without: u64, values: u64) -> VariableShare {
        VariableShare {
            name: name.into(),
            span: Span::NONE,
            kind: VariableKind::Variable,
            bits: 8,
            values: ValueCount::Exactly(values),
            states_without: Some(states_without),
        }
    }

    #[test]
    fn what_is_not_worth_it_is_not_advised() {
        let mut profile = Profile { states: 1000, variables: vec![variable("x", 900, 2)], ..Profile::default() };
        profile.joinable.states = 10;
        profile.stale.states_without = Some(990);
        assert_eq!(advise(&profile), []);
    }

    #[test]
    fn what_is_sure_comes_first_and_nothing_is_advised_twice() {
        let mut profile = Profile { states: 1000, ..Profile::default() };
        profile.variables = vec![variable("x", 100, 20), variable("y", 250, 4), variable("z", 1000, 1)];
        profile.joinable.states = 500;
        profile.stale.states_without = Some(300);
        profile.stale.variables = vec![("x".into(), Span::NONE, 800)];
        let words: Vec<String> = advise(&profile)
            .iter()
            .map(|advice| match advice {
                Advice::Reset { states_left, .. } => format!("reset {states_left}"),
                Advice::Join { states_left, .. } => format!("join {states_left}"),
                Advice::Costly { name, factor, .. } => format!("{name} {factor}"),
                Advice::Constant { bits, .. } => format!("constant {bits}"),
            })
            .collect();
        assert_eq!(words, ["reset 300", "join 500", "y 4", "constant 8"]);
    }
}
