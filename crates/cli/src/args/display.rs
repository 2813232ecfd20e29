//! How much of a trace is shown, and whether in colour.

use super::choices::one_of;
use crate::output;
use clap::Args;

/// When to use colours.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Colour {
    /// On a terminal.
    #[default]
    Auto,
    Always,
    Never,
}

const COLOURS: [(&str, Colour); 3] = [("auto", Colour::Auto), ("always", Colour::Always), ("never", Colour::Never)];

#[derive(Debug, Args)]
pub(crate) struct ColourArgs {
    /// When to use colours; `auto` means on a terminal, unless `NO_COLOR` is set, and everywhere if `CLICOLOR_FORCE` is set
    #[arg(long, global = true, hide_short_help = true, value_name = "WHEN", default_value = "auto", value_parser = one_of(&COLOURS))]
    pub(crate) color: Colour,
}

#[derive(Debug, Args)]
pub(crate) struct DisplayArgs {
    /// Show at most N lines of a trace as text and leave out the middle, or show `all` [default: 60 on a terminal, else all]
    #[arg(long, value_name = "N|all", value_parser = parse_lines)]
    trace_lines: Option<TraceLines>,
}

/// How many lines of a trace are shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum TraceLines {
    All,
    AtMost(usize),
}

/// More than a screen, and no more than anybody reads.
const ON_A_TERMINAL: usize = 60;

impl DisplayArgs {
    /// Whether it was said how many lines are shown.
    pub(crate) fn is_given(&self) -> bool {
        self.trace_lines.is_some()
    }
    /// How many lines of a trace are shown at most.
    pub(crate) fn trace_lines(&self) -> Option<usize> {
        match self.trace_lines {
            Some(TraceLines::All) => None,
            Some(TraceLines::AtMost(lines)) => Some(lines),
            None => output::stdout_is_terminal().then_some(ON_A_TERMINAL),
        }
    }
}

fn parse_lines(text: &str) -> Result<TraceLines, String> {
    match text.parse() {
        _ if text == "all" => Ok(TraceLines::All),
        Ok(lines @ 1..) => Ok(TraceLines::AtMost(lines)),
        _ => Err("a number of lines from 1 on, or `all`".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_a_number_or_all() {
        assert_eq!(parse_lines("all"), Ok(TraceLines::All));
        assert_eq!(parse_lines("7"), Ok(TraceLines::AtMost(7)));
        assert!(parse_lines("0").is_err() && parse_lines("-1").is_err() && parse_lines("").is_err());
    }
}
