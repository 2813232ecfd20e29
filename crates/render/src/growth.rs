//! Whether channels grow without limit, as text and as JSON.
//!
//! ```text
//! bounded: fails, channel q grows without limit
//!   5 states, 6 transitions, depth 2, 1 ms, 12 MiB, with room for 4 messages in a channel
//!
//! bounded: after 1 step, each round of 2 steps leaves 1 message more in q:
//!   1  P(0)  m.pml:3  x = 1      x: 0 → 1
//!   round 1, q holds 0
//!   2  P(0)  m.pml:5  q!x        q: [] → [1]
//! …
//! ```

use crate::documents::{
    BoundednessDocument, BoundednessResult, ChannelRow, Document, Shortcoming, Trace, TraceDocument, WrittenSteps,
};
use crate::fill::{heading, if_any, problems, rounded, shortcoming, trace_document, trace_with};
use crate::line::Bracket;
use crate::names::instance_name;
use crate::results::{bytes_text, counted, duration_text, grouped, shortfall_text};
use crate::state::short_file_name;
use crate::text::contents_text;
use crate::{Context, RunEnd, Style, TraceView};
use lariat_base::{Diagnostic, Severity, Span};
use lariat_engine::growth::{Boundedness, BoundednessVerdict, ChannelGrowth, Doubt, DoubtKind, Growth, Unsettled};
use lariat_system::System;
use std::fmt::Write;

/// The name of the property.
const NAME: &str = "bounded";
/// What the search is called.
const ENGINE: &str = "growth";

/// The answer, the figures, and the run that shows the growth.
pub fn boundedness_text(context: &Context<'_>, answer: &Boundedness, style: Style) -> String {
    let mut text = format!("{}: {}\n", style.strong(NAME), verdict_text(answer, style));
    let stats = &answer.stats;
    let _ = writeln!(
        text,
        "  {}, {}, depth {}, {}, {}, with room for {} messages in a channel",
        counted(stats.states, "state"),
        counted(stats.transitions, "transition"),
        grouped(stats.depth),
        duration_text(stats.elapsed),
        bytes_text(stats.peak_memory_bytes),
        answer.channel_bound,
    );
    if let (BoundednessVerdict::Undecided(_), Some((doubt, system))) = (&answer.verdict, &answer.doubt) {
        let _ = writeln!(text, "  {}", doubt_text(context, system, *doubt));
    }
    if let BoundednessVerdict::Grows(growth) = &answer.verdict {
        text.push_str(&growth_text(context, growth, style));
    }
    text
}

fn verdict_text(answer: &Boundedness, style: Style) -> String {
    match &answer.verdict {
        BoundednessVerdict::Grows(growth) => {
            let names = channel_names(growth);
            let (channels, grow) = if names.len() == 1 { ("channel", "grows") } else { ("channels", "grow") };
            format!("{}, {channels} {} {grow} without limit", style.bad("fails"), and(&names))
        }
        BoundednessVerdict::Bounded(lengths) if lengths.is_empty() => {
            format!("{}, no channel holds messages", style.good("holds"))
        }
        BoundednessVerdict::Bounded(lengths) => {
            let lengths: Vec<String> = lengths.iter().map(|(name, length)| format!("{name} {length}")).collect();
            format!("{}, the most messages at any time: {}", style.good("holds"), lengths.join(", "))
        }
        BoundednessVerdict::Undecided(why) => {
            let reason = match why {
                Unsettled::Short(shortfall) => shortfall_text(shortfall),
                Unsettled::ChannelBound => {
                    let bound = answer.channel_bound;
                    format!(
                        "a channel can hold {bound} messages and more, but no loop was found that is sure to repeat"
                    )
                }
                Unsettled::PoolFull => "there are too many processes".to_owned(),
                Unsettled::TooLarge => {
                    format!("with room for {} messages in a channel the model becomes too large", answer.channel_bound)
                }
            };
            format!("{}, {reason}", style.doubtful("undecided"))
        }
    }
}

/// What a loop was found to depend on.
fn doubt_text(context: &Context<'_>, system: &System, doubt: Doubt) -> String {
    let action = &system.actions[doubt.action];
    let place = place_text(context, action.span);
    let queue = &system.queues[doubt.queue].name;
    let why = match doubt.kind {
        DoubtKind::Guard => "whether it can happen depends on how many messages there are, or which",
        DoubtKind::Order => "what comes first depends on how many messages there are, or which",
        DoubtKind::Value => "what it writes depends on how many messages there are, or which",
        DoubtKind::Place => "messages are not taken and added first in, first out",
        DoubtKind::Messages => "the messages that it takes are not those that it adds",
        DoubtKind::State => "more is different than messages",
    };
    format!("a loop makes {queue} longer, but may not repeat: at `{}`{place} {why}", action.name)
}

fn place_text(context: &Context<'_>, span: Span) -> String {
    let file = context.sources.file(span.file);
    file.map(|file| format!(" ({}:{})", short_file_name(&file.name), context.sources.line(span))).unwrap_or_default()
}

fn growth_text(context: &Context<'_>, growth: &Growth, style: Style) -> String {
    let view = growth_view(context, growth);
    let gains: Vec<String> = named(growth)
        .map(|(name, channel)| format!("{} more in {name}", counted(gain(channel) as u64, "message")))
        .collect();
    let (stem, round) = (counted(growth.stem() as u64, "step"), counted(growth.round() as u64, "step"));
    let mut text = format!("\n{NAME}: after {stem}, each round of {round} leaves {}:\n", and(&gains));
    let contents = contents_text(&view.initial);
    if !contents.is_empty() {
        let _ = writeln!(text, "  initially {}", contents.join(", "));
    }
    let columns = view.columns();
    let mut entries = view.entries().peekable();
    let mut step_before = None;
    while let Some(entry) = entries.next() {
        let first = step_before != Some(entry.step);
        let last = entries.peek().is_none_or(|next| next.step != entry.step);
        step_before = Some(entry.step);
        if let Some(round) = round_begun(growth, entry.step).filter(|_| first) {
            let held = held_text(growth, round);
            let _ = writeln!(text, "  {}", style.strong(format!("round {}, {held}", round + 1)));
        }
        let number = if first { (entry.step + 1).to_string() } else { String::new() };
        let _ = writeln!(text, "{}", columns.line(&number, Bracket::new(first, last), &entry, style));
    }
    let rounds = rounds(growth);
    let _ = writeln!(text, "  and so on: after {rounds} rounds {}", held_text(growth, rounds));
    text
}

/// The number of the round that the step is the first of, from 0.
fn round_begun(growth: &Growth, step: usize) -> Option<usize> {
    let inside = step.checked_sub(growth.stem())?;
    inside.is_multiple_of(growth.round()).then(|| inside / growth.round())
}

/// How many messages the growing channels hold after so many rounds.
fn held_text(growth: &Growth, rounds: usize) -> String {
    let held: Vec<String> =
        named(growth).map(|(name, channel)| format!("{name} holds {}", channel.lengths[rounds])).collect();
    and(&held)
}

fn named(growth: &Growth) -> impl Iterator<Item = (String, &ChannelGrowth)> {
    growth.channels().iter().map(|channel| {
        let queue = &growth.system().queues[channel.queue];
        let name = match queue.owner {
            None => queue.name.clone(),
            Some((frame, position)) => {
                format!("{}.{}", instance_name(growth.system(), frame, position), queue.name)
            }
        };
        (name, channel)
    })
}

fn channel_names(growth: &Growth) -> Vec<String> {
    named(growth).map(|(name, _)| name).collect()
}

/// What a round adds; the same each time.
fn gain(channel: &ChannelGrowth) -> usize {
    channel.lengths[1] - channel.lengths[0]
}

fn rounds(growth: &Growth) -> usize {
    growth.channels()[0].lengths.len() - 1
}

/// `a`, `a and b`, `a, b and c`.
fn and(words: &[String]) -> String {
    match words.split_last() {
        Some((last, others)) if !others.is_empty() => format!("{} and {last}", others.join(", ")),
        _ => words.concat(),
    }
}

fn growth_view<'a>(context: &Context<'a>, growth: &'a Growth) -> TraceView<'a> {
    let mut view = TraceView::of_run(growth.system(), context.sources, RunEnd::Open, growth.story());
    view.ending.kind = "growth";
    let names = channel_names(growth);
    let grow = if names.len() == 1 { "grows" } else { "grow" };
    view.ending.message = format!("{} {grow} without limit", and(&names));
    view
}

/// The document of `--json`: that of `check`, with one property. What could not be written elsewhere is in `errors`.
pub fn boundedness_document<'a>(
    context: &Context<'a>,
    answer: &'a Boundedness,
    warnings: &[Diagnostic],
    errors: &[Diagnostic],
) -> Document<BoundednessDocument<WrittenSteps<'a>>> {
    Document(BoundednessDocument {
        heading: heading(context),
        properties: vec![result(context, answer)],
        warnings: if_any(problems(context.sources, warnings, Severity::Warning)),
        errors: if_any(problems(context.sources, errors, Severity::Error)),
    })
}

fn result<'a>(context: &Context<'a>, answer: &'a Boundedness) -> BoundednessResult<WrittenSteps<'a>> {
    let stats = &answer.stats;
    let (mut shortcoming, mut channels, mut grown) = (None, None, None);
    let verdict = match &answer.verdict {
        BoundednessVerdict::Bounded(lengths) => {
            let row =
                |(name, most): &(String, usize)| ChannelRow { name: name.clone(), most: Some(*most), lengths: None };
            channels = Some(lengths.iter().map(row).collect());
            "holds"
        }
        BoundednessVerdict::Grows(growth) => {
            channels = Some(growing_channels(growth));
            grown = Some((growth, growth_view(context, growth)));
            "fails"
        }
        BoundednessVerdict::Undecided(why) => {
            shortcoming = Some(unsettled(why));
            "undecided"
        }
    };
    let doubt = answer.doubt.as_ref().filter(|_| verdict == "undecided");
    BoundednessResult {
        name: Some(NAME.to_owned()),
        verdict: verdict.to_owned(),
        shortcoming,
        channel_bound: answer.channel_bound,
        engine: ENGINE.to_owned(),
        exact: true,
        complete: verdict == "holds",
        states: stats.states,
        transitions: stats.transitions,
        depth: stats.depth,
        bytes_per_state: rounded(stats.bytes_per_state, 10.0),
        peak_memory_bytes: stats.peak_memory_bytes,
        seconds: rounded(stats.elapsed.as_secs_f64(), 1000.0),
        doubt: doubt.map(|(doubt, system)| doubt_text(context, system, *doubt)),
        kind: grown.as_ref().map(|(_, view)| view.ending.kind.to_owned()),
        message: grown.as_ref().map(|(_, view)| view.ending.message.clone()),
        replayed: grown.as_ref().map(|_| true),
        channels,
        trace: grown.as_ref().map(|(growth, view)| growth_trace(context, growth, view)),
    }
}

fn unsettled(why: &Unsettled) -> Shortcoming {
    let reason = match why {
        Unsettled::Short(shortfall) => return shortcoming(*shortfall),
        Unsettled::ChannelBound => "channel_bound",
        Unsettled::PoolFull => "pool_full",
        Unsettled::TooLarge => "too_large",
    };
    Shortcoming { reason: reason.to_owned(), limit_bytes: None, limit_seconds: None, limit_depth: None, coverage: None }
}

/// The channels that grow, with their lengths before the first round and after each.
fn growing_channels(growth: &Growth) -> Vec<ChannelRow> {
    let row = |(name, channel): (String, &ChannelGrowth)| ChannelRow {
        name,
        most: None,
        lengths: Some(channel.lengths.clone()),
    };
    named(growth).map(row).collect()
}

/// The trace, with `loop` actions in each of `rounds` rounds.
fn growth_trace<'a>(context: &Context<'a>, growth: &Growth, view: &TraceView<'a>) -> Trace<WrittenSteps<'a>> {
    let stem = view.entries_before(growth.stem());
    let end = view.entries_before(growth.stem() + growth.round());
    Trace { rounds: Some(rounds(growth)), ..trace_with(context, view, stem, end - stem) }
}

/// The document of `--trace FILE`.
pub fn growth_document<'a>(context: &Context<'a>, growth: &'a Growth) -> Document<TraceDocument<WrittenSteps<'a>>> {
    let view = growth_view(context, growth);
    Document(TraceDocument {
        channels: Some(growing_channels(growth)),
        trace: growth_trace(context, growth, &view),
        ..trace_document(context, Some(NAME), &view).0
    })
}
