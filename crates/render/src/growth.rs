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

use crate::json::{diagnostics_json, heading, put_shortfall, trace_fields};
use crate::line::Bracket;
use crate::names::instance_name;
use crate::results::{bytes_text, counted, duration_text, grouped, shortfall_text, shortfall_word};
use crate::state::short_file_name;
use crate::text::contents_text;
use crate::{Context, Fields, Json, RunEnd, Style, TraceView};
use lariat_base::{Diagnostic, Severity, Span};
use lariat_engine::growth::{Boundedness, BoundednessVerdict, ChannelGrowth, Doubt, DoubtKind, Growth, Unsettled};
use lariat_system::System;
use serde_json::{Value, json};
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
        bytes_text(context.peak_memory_bytes.unwrap_or(stats.peak_budget_bytes)),
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
    view.ending.message = format!("{} without limit", and(&channel_names(growth)));
    view
}

/// The document of `--json`: that of `check`, with one property.
pub fn boundedness_json<'a>(context: &Context<'a>, answer: &'a Boundedness, warnings: &[Diagnostic]) -> Fields<'a> {
    let mut document = heading(context);
    document.put("properties", Json::List(vec![property_json(context, answer)]));
    if !warnings.is_empty() {
        document.put("warnings", diagnostics_json(context.sources, warnings, Severity::Warning).into());
    }
    document
}

fn property_json<'a>(context: &Context<'a>, answer: &'a Boundedness) -> Json<'a> {
    let stats = &answer.stats;
    let mut result = Fields::default();
    let mut put = |key: &str, value: Json<'a>| result.put(key, value);
    put("name", NAME.into());
    let verdict = match &answer.verdict {
        BoundednessVerdict::Bounded(_) => "holds",
        BoundednessVerdict::Grows(_) => "fails",
        BoundednessVerdict::Undecided(_) => "undecided",
    };
    put("verdict", verdict.into());
    match &answer.verdict {
        BoundednessVerdict::Undecided(Unsettled::Short(shortfall)) => put_shortfall(&mut put, *shortfall),
        BoundednessVerdict::Undecided(why) => {
            let word = match why {
                Unsettled::Short(shortfall) => shortfall_word(shortfall),
                Unsettled::ChannelBound => "channel_bound",
                Unsettled::PoolFull => "pool_full",
                Unsettled::TooLarge => "too_large",
            };
            put("reason", word.into());
        }
        BoundednessVerdict::Bounded(lengths) => {
            let lengths = lengths.iter().map(|(name, most)| json!({ "name": name, "most": most }));
            put("channels", lengths.collect());
        }
        BoundednessVerdict::Grows(_) => {}
    }
    put("channel_bound", answer.channel_bound.into());
    put("engine", ENGINE.into());
    put("exact", true.into());
    put("complete", matches!(answer.verdict, BoundednessVerdict::Bounded(_)).into());
    put("states", stats.states.into());
    put("transitions", stats.transitions.into());
    put("depth", stats.depth.into());
    put("bytes_per_state", ((stats.bytes_per_state * 10.0).round() / 10.0).into());
    put("peak_memory_bytes", context.peak_memory_bytes.unwrap_or(stats.peak_budget_bytes).into());
    put("seconds", ((stats.elapsed.as_secs_f64() * 1000.0).round() / 1000.0).into());
    if let (BoundednessVerdict::Undecided(_), Some((doubt, system))) = (&answer.verdict, &answer.doubt) {
        put("doubt", doubt_text(context, system, *doubt).into());
    }
    if let BoundednessVerdict::Grows(growth) = &answer.verdict {
        let view = growth_view(context, growth);
        put("kind", view.ending.kind.into());
        put("message", view.ending.message.clone().into());
        put("replayed", true.into());
        put("channels", channels_json(growth).into());
        put("trace", growth_trace_json(context, growth, &view));
    }
    result.into()
}

/// The channels that grow, with their lengths before the first round and after each.
fn channels_json(growth: &Growth) -> Value {
    named(growth).map(|(name, channel)| json!({ "name": name, "lengths": channel.lengths })).collect()
}

/// The trace, with `loop` actions in each of `rounds` rounds.
fn growth_trace_json<'a>(context: &Context<'a>, growth: &Growth, view: &TraceView<'a>) -> Json<'a> {
    let stem = view.entries_before(growth.stem());
    let end = view.entries_before(growth.stem() + growth.round());
    let mut trace = trace_fields(context, view, stem, end - stem);
    trace.put("rounds", rounds(growth).into());
    trace.into()
}

/// The document of `--trace FILE`.
pub fn growth_document_json<'a>(context: &Context<'a>, growth: &'a Growth) -> Fields<'a> {
    let view = growth_view(context, growth);
    let mut document = heading(context);
    document.put("property", NAME.into());
    document.put("kind", view.ending.kind.into());
    document.put("channels", channels_json(growth).into());
    document.put("trace", growth_trace_json(context, growth, &view));
    document
}
