//! What happens with a model: the answers that its statements speak of.

use super::By;
use crate::args::{CheckArgs, Cli, Command};
use crate::check::check_options;
use clap::FromArgMatches;
use lariat::{CheckError, CheckOptions, Checked, Limits, Model};
use lariat_expect::{Case, Expected, Observed};
use std::collections::BTreeSet;

/// What was observed of a model with the options of its file, of these properties unless the options name some, and of all if
/// there are none. An error if it could not be checked like that.
pub(super) fn observe(case: &Case, by: &By, properties: Vec<String>) -> Result<Observed, String> {
    let arguments = arguments(case, by)?;
    let mut options = check_options(&arguments, &by.engines, None)?;
    let mut model = match Model::read_by(&by.front_ends, &case.path, &arguments.reading.options()) {
        Ok(model) => model,
        Err(rejected) => {
            let errors = rejected.diagnostics.iter().filter(|found| found.is_error());
            return Ok(Observed::refused(errors.map(|found| found.code)));
        }
    };
    let mut observed = Observed::default();
    if wants(case, |e| matches!(e, Expected::States(_) | Expected::Transitions(_) | Expected::Unreached(_))) {
        let mut whole = CheckOptions { properties: vec!["safety".to_owned()], ..options.clone() };
        (whole.formulas, whole.branching, whole.automata) = (Vec::new(), Vec::new(), Vec::new());
        whole.options.keep_going = true;
        match checked(&mut model, &whole, &arguments)? {
            Ok(checked) => count(&model, &checked, &mut observed),
            Err(codes) => return Ok(Observed::refused(codes)),
        }
    }
    let named = [&options.properties, &options.formulas, &options.branching, &options.automata];
    if named.into_iter().all(Vec::is_empty) {
        options.properties = properties;
    }
    options.options.shortest |= wants(case, |e| matches!(e, Expected::Fails { trace: Some(_), .. }));
    match checked(&mut model, &options, &arguments)? {
        Ok(checked) => observed.verdicts = lariat::observed_verdicts(&checked),
        Err(codes) => return Ok(Observed::refused(codes)),
    }
    Ok(observed)
}

fn wants(case: &Case, is_it: fn(&Expected) -> bool) -> bool {
    case.expectations.iter().any(|stated| is_it(&stated.expected))
}

/// The command line of `lariat check` that the options of the file make.
fn arguments(case: &Case, by: &By) -> Result<Box<CheckArgs>, String> {
    let words = ["lariat", "check"].map(Into::into).into_iter().chain([case.path.clone().into_os_string()]);
    let words = words.chain(case.options.iter().map(Into::into));
    let parsed = crate::command(&by.engines, &by.front_ends).try_get_matches_from(words);
    let parsed = parsed.and_then(|mut given| Cli::from_arg_matches_mut(&mut given));
    let first_line = |error: clap::Error| {
        let text = error.to_string();
        text.trim_start_matches("error: ").lines().next().unwrap_or_default().to_owned()
    };
    match parsed.map_err(first_line)?.command {
        Command::Check(arguments) => Ok(arguments),
        _ => Err("the options belong to another command than `check`".to_owned()),
    }
}

/// The answers, or the codes of the errors for which the model is refused; an error for a request that cannot be met.
fn checked(
    model: &mut Model,
    options: &CheckOptions,
    arguments: &CheckArgs,
) -> Result<Result<Checked, Vec<&'static str>>, String> {
    let limits = Limits {
        memory_bytes: arguments.memory.memory.unwrap_or_else(lariat::default_memory_bytes),
        time: arguments.search.time,
    };
    match lariat::check(model, options, &limits.control()) {
        Ok(checked) => Ok(Ok(checked)),
        Err(CheckError::Model(found)) => Ok(Err(found.iter().map(|found| found.code).collect())),
        Err(error) => Err(error.to_string()),
    }
}

/// Counts of the whole graph, and the lines of statements that are never executed.
fn count(model: &Model, checked: &Checked, observed: &mut Observed) {
    if let Some(settled) = checked.settled.first() {
        let stats = &settled.report().stats;
        (observed.states, observed.transitions) = (Some(stats.states), Some(stats.transitions));
    }
    observed.unreached = checked.unreached.as_ref().map(|unreached| {
        let lines: BTreeSet<u32> = unreached.iter().map(|one| model.sources().line(one.statement.span)).collect();
        lines.into_iter().collect()
    });
}
