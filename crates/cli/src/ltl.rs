//! `lariat ltl`: a formula as an automaton, or in another spelling.

use crate::exit::Exit;
use crate::output;
use clap::{Args, ValueEnum};
use lariat_automata::{
    Analysis, Automaton, Hierarchy, Strength, TooLarge, TranslateOptions, is_stutter_invariant, monitor, to_buchi,
    translate, write_dot, write_hoa, write_never,
};
use lariat_base::SourceMap;
use lariat_logic::{Dialect, Formula, ParseOptions, Propositions, parse, print};
use lariat_render::diagnostics_text;
use std::fmt::Write;

#[derive(Debug, Args)]
#[command(after_help = "\
The automaton accepts the runs on which the formula holds. A never claim is to accept the bad runs: use --negate.

Exit codes: 0 done, 2 usage or a mistake in the formula, 3 the automaton would be too large, 70 an internal error.")]
pub(crate) struct LtlArgs {
    /// The formula, in SPIN's, NuSMV's or Spot's spelling
    formula: String,
    /// What to print: the automaton (hoa, never, dot, text), or the formula (spin, nusmv, spot)
    #[arg(long, value_name = "F", default_value = "hoa", hide_possible_values = true)]
    format: Format,
    /// Whose spelling the formula is in: auto, spin, nusmv or spot
    #[arg(long, value_name = "D", default_value = "auto", hide_possible_values = true)]
    dialect: Spelling,
    /// Take the negation of the formula
    #[arg(long)]
    negate: bool,
    /// Make a monitor: the smallest deterministic automaton that notices as early as possible that the formula cannot hold
    #[arg(long)]
    monitor: bool,
    /// Figures instead: sizes and classes of the formula and its automaton
    #[arg(long)]
    stats: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Format {
    Hoa,
    Never,
    Dot,
    Text,
    Spin,
    Nusmv,
    Spot,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Spelling {
    Auto,
    Spin,
    Nusmv,
    Spot,
}

impl Spelling {
    fn dialect(self) -> Dialect {
        match self {
            Self::Auto => Dialect::Auto,
            Self::Spin => Dialect::Spin,
            Self::Nusmv => Dialect::Nusmv,
            Self::Spot => Dialect::Spot,
        }
    }
}

/// Labels of edges are written as sums of products; one with more of them is too large to write.
const MOST_TERMS: usize = 100_000;

pub(crate) fn run(arguments: &LtlArgs) -> Exit {
    let spells = matches!(arguments.format, Format::Spin | Format::Nusmv | Format::Spot);
    if arguments.monitor && (spells || arguments.format == Format::Never) {
        output::complain(
            "a monitor can be printed as `hoa`, `dot` or `text` only: SPIN cannot search with it as a never claim",
        );
        return Exit::Usage;
    }
    let mut sources = SourceMap::default();
    let file = sources.add("formula", arguments.formula.as_str());
    let options = ParseOptions { dialect: arguments.dialect.dialect(), quantifiers: false, file };
    let mut props = Propositions::default();
    let formula = match parse(&arguments.formula, options, &mut props) {
        Ok(formula) if arguments.negate => formula.negated(),
        Ok(formula) => formula,
        Err(error) => {
            output::note(&diagnostics_text(&sources, &[error], output::stderr_style()));
            return Exit::Usage;
        }
    };
    match answer(arguments, &formula, &props) {
        Ok(text) => output::print(&text),
        Err(too_large) => {
            output::complain(&too_large.to_string());
            Exit::Undecided
        }
    }
}

fn answer(arguments: &LtlArgs, formula: &Formula, props: &Propositions) -> Result<String, TooLarge> {
    let spelled = |dialect| print(formula, props, dialect) + "\n";
    match arguments.format {
        _ if arguments.stats => stats(arguments, formula, props),
        Format::Spin => Ok(spelled(Dialect::Spin)),
        Format::Nusmv => Ok(spelled(Dialect::Nusmv)),
        Format::Spot => Ok(spelled(Dialect::Spot)),
        Format::Hoa => Ok(write_hoa(&automaton(arguments, formula, props)?)),
        Format::Dot => Ok(write_dot(&automaton(arguments, formula, props)?)),
        Format::Text => Ok(text(&automaton(arguments, formula, props)?)),
        Format::Never => {
            let claim = write_never(&automaton(arguments, formula, props)?);
            Ok(claim.expect("it was made a Büchi automaton with accepting states"))
        }
    }
}

/// The automaton that the options ask for.
fn automaton(arguments: &LtlArgs, formula: &Formula, props: &Propositions) -> Result<Automaton, TooLarge> {
    let limits = TranslateOptions::default();
    let mut made = match arguments.format {
        Format::Never => to_buchi(formula, props, &limits)?,
        _ => translate(formula, props, &limits)?,
    };
    if arguments.monitor {
        made = monitor(&made, &limits)?;
    }
    made.ensure_few_terms(MOST_TERMS)?;
    let dialect = if arguments.format == Format::Never { Dialect::Spin } else { Dialect::Auto };
    made.name = Some(print(formula, props, dialect));
    Ok(made)
}

/// States and edges, one a line.
fn text(automaton: &Automaton) -> String {
    let mut text = String::new();
    let mut guards = automaton.guards.clone();
    let name = automaton.name.as_deref().unwrap_or_default();
    let _ = writeln!(text, "{name}\nacceptance {}", automaton.acceptance);
    for (state, edges) in automaton.edges.entries() {
        let initial = if state == automaton.initial { ", initial" } else { "" };
        let _ = writeln!(text, "state {}{initial}", state.0);
        for edge in edges {
            let literal = |(variable, value): (u32, bool)| {
                let name = &automaton.propositions[variable as usize];
                let plain = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
                let quote = if plain { "" } else { "\"" };
                format!("{}{quote}{name}{quote}", if value { "" } else { "!" })
            };
            let product = |cube: Vec<(u32, bool)>| match cube.len() {
                0 => "1".to_owned(),
                _ => cube.into_iter().map(literal).collect::<Vec<_>>().join(" & "),
            };
            let label: Vec<String> = guards.cover(edge.guard).into_iter().map(product).collect();
            let marks: Vec<String> = edge.marks.iter().map(|mark| mark.0.to_string()).collect();
            let marks = if marks.is_empty() { String::new() } else { format!(" {{{}}}", marks.join(", ")) };
            let _ = writeln!(text, "  {} -> {}{marks}", label.join(" | "), edge.target.0);
        }
    }
    text
}

/// The classes of the formula: decided on automata, or, where those are too large, read off its shape.
fn class(formula: &Formula, simple: &Formula, props: &Propositions) -> String {
    let limits = TranslateOptions::default();
    let decided = both(formula, props, &limits).and_then(|[yes, no]| Hierarchy::of(&yes, &no, &limits));
    match decided {
        Ok(hierarchy) if hierarchy.recurrence.is_some() && hierarchy.persistence.is_some() => {
            hierarchy.classes().to_string()
        }
        Ok(hierarchy) => format!("{}, at most", hierarchy.classes()),
        Err(_) => format!("{}, at most", simple.classes()),
    }
}

fn stuttering(formula: &Formula, simple: &Formula, props: &Propositions) -> &'static str {
    if simple.counts_no_steps() {
        return "does not matter";
    }
    let limits = TranslateOptions::default();
    match both(formula, props, &limits).and_then(|[yes, no]| is_stutter_invariant(&yes, &no, &limits)) {
        Ok(true) => "does not matter",
        Ok(false) => "matters",
        Err(_) => "may matter",
    }
}

/// The automata of the formula and of its negation.
fn both(formula: &Formula, props: &Propositions, limits: &TranslateOptions) -> Result<[Automaton; 2], TooLarge> {
    Ok([translate(formula, props, limits)?, translate(&formula.negated(), props, limits)?])
}

fn stats(arguments: &LtlArgs, formula: &Formula, props: &Propositions) -> Result<String, TooLarge> {
    let automaton = automaton(arguments, formula, props)?;
    let analysis = Analysis::of(&automaton);
    let simple = formula.simplified();
    let mut text = String::new();
    let mut line = |name: &str, value: String| {
        let _ = writeln!(text, "{name:<14} {value}");
    };
    let yes_no = |yes: bool| if yes { "yes" } else { "no" }.to_owned();
    line("formula", print(formula, props, Dialect::Auto));
    line("simplified", print(&simple, props, Dialect::Auto));
    line("size", format!("{}, simplified {}", formula.size(), simple.size()));
    line("propositions", formula.props().len().to_string());
    line("past", yes_no(formula.has_past()));
    line("class", class(formula, &simple, props));
    line("stuttering", stuttering(formula, &simple, props).to_owned());
    line("states", automaton.state_count().to_string());
    line("edges", automaton.edge_count().to_string());
    line("acceptance", format!("{} {}", automaton.mark_count(), automaton.acceptance));
    line("deterministic", yes_no(analysis.deterministic));
    line("complete", yes_no(analysis.complete));
    let strength = match analysis.strength {
        Strength::Terminal => "terminal",
        Strength::Weak => "weak",
        Strength::Strong => "strong",
    };
    line("strength", strength.to_owned());
    Ok(text)
}
