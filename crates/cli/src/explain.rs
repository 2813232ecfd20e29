//! `lariat explain`: what a code means, an example, and how to correct it.

use crate::codes::{Entry, families};
use crate::exit::Exit;
use crate::output;
use clap::Args;
use lariat_base::{Diagnostic, closest_name};
use lariat_render::Style;
use std::fmt::Write;
use std::io::IsTerminal;

#[derive(Debug, Args)]
pub(crate) struct ExplainArgs {
    /// The code, as in `error[P0405]`; without one, all codes are listed
    pub(crate) code: Option<String>,
}

pub(crate) fn run(arguments: &ExplainArgs) -> Exit {
    let style = output::stdout_style();
    let Some(given) = &arguments.code else { return output::print(&list(style)) };
    // Also as it stands in a message: `error[P0405]:`.
    let bare = given.trim().trim_end_matches(':');
    let bare = bare.strip_prefix("error").or_else(|| bare.strip_prefix("warning")).unwrap_or(bare);
    let code = bare.trim_matches(['[', ']']).to_ascii_uppercase();
    let entries: Vec<Entry> = families().flat_map(|family| family.entries).collect();
    if let Some(entry) = entries.iter().find(|entry| entry.code == code) {
        return output::print(&explanation(entry, style));
    }
    let near = closest_name(&code, entries.iter().map(|entry| entry.code));
    let help = near.map_or(String::new(), |near| format!("; did you mean `{near}`?"));
    output::complain(&format!("there is no code `{given}`{help}\n\n`lariat explain` lists all codes."));
    Exit::Usage
}

/// Every code with its title.
fn list(style: Style) -> String {
    let mut text = String::new();
    for family in families() {
        let _ = writeln!(text, "{}{}", if text.is_empty() { "" } else { "\n" }, style.strong(family.title));
        for Entry { code, title, .. } in family.entries {
            let _ = writeln!(text, "  {code}  {title}");
        }
    }
    text
}

/// One entry: paragraphs as they stand, examples indented, with the command line where it needs options.
fn explanation(entry: &Entry, style: Style) -> String {
    let mut text = format!("{}\n\n", style.strong(format!("{}: {}", entry.code, entry.title)));
    let mut inside = false;
    for line in entry.text.lines() {
        match line.strip_prefix("```") {
            Some(language) => {
                inside = !inside;
                if let Some((language, options)) = language.split_once(' ') {
                    let _ = writeln!(text, "    {}", style.faint(format!("$ {}", command_line(language, options))));
                }
            }
            None if inside => {
                let _ = writeln!(text, "{}", format!("    {line}").trim_end());
            }
            None => {
                let _ = writeln!(text, "{line}");
            }
        }
    }
    text
}

fn command_line(language: &str, options: &str) -> String {
    match language {
        "ltl" => format!("lariat ltl {options} FORMULA"),
        "promela" => format!("lariat check MODEL.pml {options}"),
        language => format!("lariat check MODEL.{language} {options}"),
    }
}

/// Where to read more about the first error, for people at a terminal; once a run is enough.
pub(crate) fn hint(diagnostics: &[Diagnostic]) -> Option<String> {
    let first = diagnostics.iter().find(|found| found.is_error() && !found.code.is_empty())?;
    let known = families().flat_map(|family| family.entries).any(|entry| entry.code == first.code);
    let shown = known && std::io::stderr().is_terminal();
    shown.then(|| format!("\n`lariat explain {}` says more about this error.\n", first.code))
}
