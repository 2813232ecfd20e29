//! The results of tests: a table for people, and what CI servers read.

use super::Outcome;
use crate::args::one_of;
use clap::builder::TypedValueParser;
use lariat_expect::Mismatch;
use lariat_render::Style;
use serde_json::json;
use std::fmt::Write;
use std::path::Path;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Format {
    Pretty,
    Junit,
    Sarif,
    Github,
    Tap,
}

const FORMATS: [(&str, Format); 5] = [
    ("pretty", Format::Pretty),
    ("junit", Format::Junit),
    ("sarif", Format::Sarif),
    ("github", Format::Github),
    ("tap", Format::Tap),
];

pub(super) fn parser() -> impl TypedValueParser<Value = Format> {
    one_of(&FORMATS)
}

/// The results, printed as they are known where the format allows that.
pub(super) struct Table {
    format: Format,
    style: Style,
    /// That of the longest name of a run.
    width: usize,
    /// How many files of the folders state nothing.
    silent: usize,
    /// How many results TAP has numbered.
    number: usize,
}

impl Table {
    pub(super) fn new(format: Format, style: Style, width: usize, silent: usize) -> Self {
        Self { format, style, width, silent, number: 0 }
    }

    /// What stands before all.
    pub(super) fn head(&self) -> String {
        if self.format == Format::Tap { "TAP version 13\n".to_owned() } else { String::new() }
    }

    /// What is printed of a run as soon as it is over.
    pub(super) fn row(&mut self, outcome: &Outcome) -> String {
        match self.format {
            Format::Pretty => self.pretty_row(outcome),
            Format::Tap => self.tap(outcome),
            Format::Junit | Format::Sarif | Format::Github => String::new(),
        }
    }

    /// What is printed at the end, or at an interrupt.
    pub(super) fn rest(&self, outcomes: &[Outcome], is_cut_off: bool) -> String {
        match self.format {
            Format::Pretty => pretty(outcomes, self.silent, self.style),
            Format::Junit => junit(outcomes),
            Format::Sarif => format!("{:#}\n", sarif(outcomes)),
            Format::Github => github(outcomes),
            Format::Tap if is_cut_off => "Bail out! interrupted\n".to_owned(),
            Format::Tap => format!("1..{}\n", self.number),
        }
    }

    fn pretty_row(&self, outcome: &Outcome) -> String {
        let Self { style, width, .. } = *self;
        let verdict = if outcome.mismatches.is_empty() { style.good("ok  ") } else { style.bad("FAIL") };
        let (name, seconds) = (name(&outcome.path, &outcome.label), outcome.time.as_secs_f64());
        let states = outcome.states.map_or(String::new(), |states| format!("  {states} states"));
        format!("{verdict}  {name:width$}  {seconds:>7.2} s{states}\n")
    }

    fn tap(&mut self, outcome: &Outcome) -> String {
        let plain = |text: &str| text.replace('#', "\\#");
        let name = plain(&name(&outcome.path, &outcome.label));
        let mut text = String::new();
        for (stated, wrong) in cases(outcome) {
            self.number += 1;
            let verdict = if wrong.is_empty() { "ok" } else { "not ok" };
            let _ = writeln!(text, "{verdict} {} - {name}: {}", self.number, plain(&stated));
            for found in wrong {
                let _ = writeln!(text, "# {found}");
            }
        }
        text
    }
}

/// The path of the file and, if it is one of several runs, which.
pub(super) fn name(path: &Path, label: &str) -> String {
    let path = path.display();
    if label.is_empty() { path.to_string() } else { format!("{path} ({label})") }
}

fn mismatches(outcomes: &[Outcome]) -> impl Iterator<Item = &Mismatch> {
    outcomes.iter().flat_map(|outcome| &outcome.mismatches)
}

/// What differs, then how many.
fn pretty(outcomes: &[Outcome], silent: usize, style: Style) -> String {
    let mut text = String::new();
    let wrong: Vec<String> = mismatches(outcomes).map(ToString::to_string).collect();
    if !wrong.is_empty() {
        let _ = writeln!(text, "\n{}", wrong.join("\n"));
    }
    let failed = outcomes.iter().filter(|outcome| !outcome.mismatches.is_empty()).count();
    let runs = if outcomes.len() == 1 { "run" } else { "runs" };
    let summary = format!("{} {runs}, {failed} failed", outcomes.len());
    let summary = if failed == 0 { style.good(summary) } else { style.bad(summary) };
    let rest = match silent {
        0 => String::new(),
        1 => "; 1 file states no answer (no `expect:`)".to_owned(),
        _ => format!("; {silent} files state no answer (no `expect:`)"),
    };
    let _ = writeln!(text, "\n{summary}{rest}");
    text
}

/// What is stated in each line, with what differs there; what no statement is to blame for comes last, as `the model`. Where nothing
/// was checked, no statement was met.
fn cases(outcome: &Outcome) -> Vec<(String, Vec<&Mismatch>)> {
    if !outcome.was_checked && !outcome.stated.is_empty() {
        let all = || outcome.mismatches.iter().collect();
        return outcome.stated.iter().map(|(_, text)| (text.clone(), all())).collect();
    }
    let stated_lines: Vec<u32> = outcome.stated.iter().map(|(line, _)| *line).collect();
    let mut cases: Vec<(String, Vec<&Mismatch>)> = (outcome.stated.iter())
        .map(|(line, text)| (text.clone(), outcome.mismatches.iter().filter(|found| found.line == *line).collect()))
        .collect();
    let others: Vec<&Mismatch> =
        outcome.mismatches.iter().filter(|found| !stated_lines.contains(&found.line)).collect();
    if !others.is_empty() || cases.is_empty() {
        cases.push(("the model".to_owned(), others));
    }
    cases
}

fn junit(outcomes: &[Outcome]) -> String {
    let seconds = |outcome: &Outcome| outcome.time.as_secs_f64();
    let failures = |cases: &[(String, Vec<&Mismatch>)]| cases.iter().filter(|(_, wrong)| !wrong.is_empty()).count();
    let all: Vec<_> = outcomes.iter().map(|outcome| (outcome, cases(outcome))).collect();
    let tests: usize = all.iter().map(|(_, cases)| cases.len()).sum();
    let failed: usize = all.iter().map(|(_, cases)| failures(cases)).sum();
    let time: f64 = outcomes.iter().map(seconds).sum();
    let mut text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n".to_owned();
    let _ = writeln!(text, "<testsuites name=\"lariat\" tests=\"{tests}\" failures=\"{failed}\" time=\"{time:.3}\">");
    for (outcome, cases) in &all {
        let (suite, count, wrong, time) =
            (xml(&name(&outcome.path, &outcome.label)), cases.len(), failures(cases), seconds(outcome));
        let _ = writeln!(
            text,
            "  <testsuite name=\"{suite}\" tests=\"{count}\" failures=\"{wrong}\" errors=\"0\" time=\"{time:.3}\">"
        );
        for (number, (stated, wrong)) in cases.iter().enumerate() {
            // The time is that of the whole run, and is said once.
            let time = if number == 0 { time } else { 0.0 };
            let _ = write!(text, "    <testcase classname=\"{suite}\" name=\"{}\" time=\"{time:.3}\"", xml(stated));
            if wrong.is_empty() {
                text.push_str("/>\n");
                continue;
            }
            text.push_str(">\n");
            let lines: Vec<String> = wrong.iter().map(|found| xml(&found.to_string())).collect();
            let first = wrong.first().map_or(String::new(), |found| xml(&found.message));
            let _ = writeln!(
                text,
                "      <failure message=\"{first}\" type=\"expectation\">{}</failure>",
                lines.join("\n")
            );
            text.push_str("    </testcase>\n");
        }
        text.push_str("  </testsuite>\n");
    }
    text + "</testsuites>\n"
}

/// Text as it is written in XML; characters that XML does not allow are left out.
fn xml(text: &str) -> String {
    let mut written = String::new();
    for character in text.chars() {
        match character {
            '&' => written.push_str("&amp;"),
            '<' => written.push_str("&lt;"),
            '>' => written.push_str("&gt;"),
            '"' => written.push_str("&quot;"),
            '\n' | '\t' => written.push(character),
            _ if character.is_control() => {}
            _ => written.push(character),
        }
    }
    written
}

fn sarif(outcomes: &[Outcome]) -> serde_json::Value {
    let result = |found: &Mismatch| {
        let uri = reference(&relative(&found.path));
        json!({
            "ruleId": "expectation",
            "level": "error",
            "message": { "text": found.message },
            "locations": [{
                "physicalLocation": {
                    "artifactLocation": { "uri": uri },
                    "region": { "startLine": found.line.max(1) },
                },
            }],
        })
    };
    let rule = json!({
        "id": "expectation",
        "shortDescription": { "text": "The model does not do what it states" },
    });
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": { "name": "lariat", "version": env!("CARGO_PKG_VERSION"), "rules": [rule] } },
            "results": mismatches(outcomes).map(result).collect::<Vec<_>>(),
        }],
    })
}

/// The path with slashes, and without the `./` that GitHub and viewers of SARIF do not understand.
fn relative(path: &Path) -> String {
    let path = path.to_string_lossy().replace('\\', "/");
    path.strip_prefix("./").unwrap_or(&path).to_owned()
}

/// A path as a URI reference (RFC 3986): what is not allowed in one is written as `%` and two digits.
fn reference(path: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte);
    path.bytes().map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }).collect()
}

/// Annotations for GitHub's CI, and the number of failures.
fn github(outcomes: &[Outcome]) -> String {
    let data = |text: &str| text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A");
    let property = |text: &str| data(text).replace(':', "%3A").replace(',', "%2C");
    let mut text = String::new();
    for found in mismatches(outcomes) {
        let (path, line) = (property(&relative(&found.path)), found.line.max(1));
        let _ = writeln!(text, "::error file={path},line={line}::{}", data(&found.message));
    }
    let failed = outcomes.iter().filter(|outcome| !outcome.mismatches.is_empty()).count();
    let runs = if outcomes.len() == 1 { "run" } else { "runs" };
    let _ = writeln!(text, "{} {runs}, {failed} failed", outcomes.len());
    text
}
