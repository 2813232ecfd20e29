//! `--update`: the observed answers are written into the file. Only the lines with statements change.

use super::By;
use super::observe::observe;
use lariat_expect::{Case, Expected, Observed};
use std::path::Path;

/// The text of the file with what was observed in place of what was stated, where that differs.
pub(super) fn updated(case: &Case, observations: &[(Case, Result<Observed, String>)]) -> Result<String, String> {
    let mut lines: Vec<String> = case.text.split_inclusive('\n').map(str::to_owned).collect();
    for stated in &case.expectations {
        let mut new: Option<Expected> = None;
        for (run, observed) in observations {
            let Ok(observed) = observed else { continue };
            let is_about = run.expectations.iter().any(|other| other.line == stated.line);
            if !is_about || stated.expected.contradicted_by(observed).is_none() {
                continue;
            }
            let Some(answer) = stated.expected.updated(observed) else { continue };
            if new.as_ref().is_some_and(|known| *known != answer)
                || (new.is_none() && holds_elsewhere(stated.line, observations))
            {
                return Err(format!(
                    "{}:{}: the answer differs between the runs of the sweep; state it for each, as in `expect N=2: {answer}`",
                    case.path.display(),
                    stated.line
                ));
            }
            new = Some(answer);
        }
        let line = &mut lines[stated.line as usize - 1];
        if let (Some(new), Some((front, rest))) = (new, line.split_once("expect")) {
            let condition = rest.split(':').next().unwrap_or_default();
            let end = &line[line.trim_end_matches(['\n', '\r']).len()..];
            *line = format!("{front}expect{condition}: {new}{end}");
        }
    }
    Ok(lines.concat())
}

/// Whether the statement of this line is true in some run.
fn holds_elsewhere(line: u32, observations: &[(Case, Result<Observed, String>)]) -> bool {
    observations.iter().any(|(run, observed)| {
        let Ok(observed) = observed else { return false };
        let stated = run.expectations.iter().find(|stated| stated.line == line);
        stated.is_some_and(|stated| stated.expected.contradicted_by(observed).is_none())
    })
}

/// The text of a file that states nothing, with all answers before it.
pub(super) fn first_lines(path: &Path, comment: &'static str, text: &str, by: &By) -> Result<String, String> {
    // A statement is needed for a case; counts make it look at the whole graph.
    let asking = format!("{text}\n{comment} expect: states 0\n");
    let case = Case::parse(path, comment, asking).map_err(|wrong| {
        wrong.first().map_or_else(String::new, |first| format!("{}:{}: {}", path.display(), first.line, first.message))
    })?;
    let (_, case) = case.runs().into_iter().next().ok_or("there is no run")?;
    let observed = observe(&case, by, Vec::new())?;
    let mut statements: Vec<Expected> =
        observed.errors.iter().map(|code| Expected::Error { code: code.clone() }).collect();
    statements.extend(observed.verdicts.iter().map(|(name, verdict)| Expected::of_verdict(name, verdict)));
    statements.extend(observed.states.map(Expected::States));
    statements.extend(observed.transitions.map(Expected::Transitions));
    let lines: String = statements.iter().map(|statement| format!("{comment} expect: {statement}\n")).collect();
    Ok(lines + text)
}
