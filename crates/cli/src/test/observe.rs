//! What happens with a model: the answers that its statements speak of.

use super::By;
use crate::args::{CheckArgs, Cli, Command};
use crate::check::check_options;
use clap::FromArgMatches;
use lariat::{CheckError, CheckOptions, Checked, Limits, Model, Report, Verdict};
use lariat_base::{Diagnostic, SourceMap};
use lariat_expect::{Case, Expected, Observed, ObservedVerdict};
use lariat_render::shortfall_text;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

/// What was observed of a model with the options of its file, of these properties unless the options name some, and of all if
/// there are none. An error if it could not be checked like that.
pub(crate) fn observe(case: &Case, by: &By, properties: Vec<String>) -> Result<Observed, String> {
    let arguments = arguments(&case.path, &case.options, by)?;
    let mut options = check_options(&arguments, &by.engines, None)?;
    let sources = SourceMap::reading(by.unsaved.clone());
    let mut model = match Model::read_in(&by.front_ends, &case.path, &arguments.reading.options(), sources) {
        Ok(model) => model,
        Err(rejected) => {
            return Ok(observed_errors(&rejected.diagnostics, &rejected.sources));
        }
    };
    let mut observed = Observed::default();
    if wants(case, |e| matches!(e, Expected::States(_) | Expected::Transitions(_) | Expected::Unreached(_))) {
        let mut whole = CheckOptions { properties: vec!["safety".to_owned()], ..options.clone() };
        (whole.formulas, whole.branching, whole.automata) = (Vec::new(), Vec::new(), Vec::new());
        whole.options.keep_going = true;
        match checked(&mut model, &whole, &arguments, by) {
            Ok(checked) => count(&model, &checked, &mut observed),
            Err(error) => return refused(error, model.sources()),
        }
    }
    let named = [&options.properties, &options.formulas, &options.branching, &options.automata];
    if named.into_iter().all(Vec::is_empty) {
        options.properties = properties;
    }
    let mut requests = vec![options.clone()];
    if wants(case, is_bounded) {
        // Not every property has a shortest trace that an engine can find: only those are asked for one whose length is stated.
        let is_stated = |name: &String| {
            let mut bounds = case.expectations.iter().filter(|stated| is_bounded(&stated.expected));
            bounds.any(|stated| stated.expected.property() == Some(name))
        };
        let (bounded, others): (Vec<String>, Vec<String>) = options.properties.iter().cloned().partition(is_stated);
        if !bounded.is_empty() && !others.is_empty() {
            // Formulas from options stay with the first.
            let (formulas, branching, automata) = (Vec::new(), Vec::new(), Vec::new());
            requests[0].properties = others;
            requests.push(CheckOptions { properties: bounded, formulas, branching, automata, ..options.clone() });
        }
        requests.last_mut().expect("there is one").options.shortest = true;
    }
    for request in requests {
        let answer = match checked(&mut model, &request, &arguments, by) {
            Err(CheckError::Refused(_)) if request.options.shortest && !options.options.shortest => {
                let mut any_length = request;
                any_length.options.shortest = false;
                checked(&mut model, &any_length, &arguments, by)
            }
            answer => answer,
        };
        match answer {
            Ok(checked) => observed.verdicts.extend(verdicts(&checked)),
            Err(error) => return refused(error, model.sources()),
        }
    }
    Ok(observed)
}

/// Whether the statement bounds the length of a trace.
fn is_bounded(expected: &Expected) -> bool {
    matches!(expected, Expected::Fails { trace: Some(_), .. })
}

/// What is observed of a model that is refused; an error for a request that cannot be met.
fn refused(error: CheckError, sources: &SourceMap) -> Result<Observed, String> {
    match error {
        CheckError::Model(found) => Ok(observed_errors(&found, sources)),
        error => Err(error.to_string()),
    }
}

/// What is observed of a model with these errors.
fn observed_errors(found: &[Diagnostic], sources: &SourceMap) -> Observed {
    let errors: Vec<&Diagnostic> = found.iter().filter(|found| found.is_error()).collect();
    let place = |found: &Diagnostic| match sources.line(found.span) {
        0 => found.message.clone(),
        line => format!("line {line}: {}", found.message),
    };
    let first_error = errors.first().map(|first| place(first));
    Observed { first_error, ..Observed::refused(errors.iter().map(|found| found.code)) }
}

fn wants(case: &Case, is_it: fn(&Expected) -> bool) -> bool {
    case.expectations.iter().any(|stated| is_it(&stated.expected))
}

/// The command line of `lariat check` that the options of a file make.
pub(crate) fn arguments(path: &Path, options: &[String], by: &By) -> Result<Box<CheckArgs>, String> {
    let words = ["lariat", "check"].map(Into::into).into_iter().chain([path.as_os_str().to_owned()]);
    let words = words.chain(options.iter().map(Into::into));
    let parsed = crate::command(&by.engines, &by.front_ends, Some("check")).try_get_matches_from(words);
    let parsed = parsed.and_then(|mut given| Cli::from_arg_matches_mut(&mut given));
    let first_line = |error: clap::Error| {
        let text = error.to_string();
        text.trim_start_matches("error: ").lines().next().unwrap_or_default().to_owned()
    };
    match parsed.map_err(first_line)?.command {
        Command::Check(arguments) => match of_output(&arguments) {
            Some(option) => {
                Err(format!("`{option}` has no effect in a `with:` line: a test prints and writes nothing"))
            }
            None => Ok(arguments),
        },
        _ => Err("the options belong to another command than `check`".to_owned()),
    }
}

/// An option about what `lariat check` prints and writes.
fn of_output(arguments: &CheckArgs) -> Option<&'static str> {
    let (output, search) = (&arguments.output, &arguments.search);
    let given = [
        ("--json", output.json),
        ("--json-lines", output.json_lines),
        ("--plan", output.plan),
        ("--profile", output.profile),
        ("--coverage", output.coverage.is_some()),
        ("--trace", output.trace.is_some()),
        ("--trail", output.trail),
        ("--report", output.report.is_some()),
        ("--deny", !output.deny.is_empty()),
        ("--trace-lines", output.display.is_given()),
        ("--write-order", search.write_order.is_some()),
    ];
    given.into_iter().find(|(_, is_given)| *is_given).map(|(option, _)| option)
}

/// The answers.
pub(crate) fn checked(
    model: &mut Model,
    options: &CheckOptions,
    arguments: &CheckArgs,
    by: &By,
) -> Result<Checked, CheckError> {
    if let Some(control) = &by.control {
        return lariat::check(model, options, control);
    }
    let limits = Limits {
        memory_bytes: arguments.memory.memory.unwrap_or_else(lariat::default_memory_bytes),
        time: arguments.search.time,
    };
    let control = Arc::new(limits.control());
    if let Some(interrupts) = &by.interrupts {
        interrupts.tell(&control);
    }
    lariat::check(model, options, &control)
}

/// What was found about each property, with the reason in words where nothing was.
fn verdicts(checked: &Checked) -> Vec<(String, ObservedVerdict)> {
    let mut verdicts = lariat::observed_verdicts(checked);
    for (settled, (_, verdict)) in checked.settled.iter().zip(&mut verdicts) {
        if let Verdict::Undecided(shortfall) = &settled.report().verdict {
            *verdict = ObservedVerdict::Undecided { reason: shortfall_text(shortfall) };
        }
    }
    verdicts
}

/// Counts of the whole graph, and the lines of statements that are never executed.
fn count(model: &Model, checked: &Checked, observed: &mut Observed) {
    let is_whole = |report: &Report| report.unfinished.is_none() && !matches!(report.verdict, Verdict::Undecided(_));
    if let Some(settled) = checked.settled.first().filter(|settled| is_whole(settled.report())) {
        let stats = &settled.report().stats;
        (observed.states, observed.transitions) = (Some(stats.states), Some(stats.transitions));
    }
    observed.unreached = checked.unreached.as_ref().map(|unreached| {
        let lines: BTreeSet<u32> = unreached.iter().map(|one| model.sources().line(one.statement.span)).collect();
        lines.into_iter().collect()
    });
}
