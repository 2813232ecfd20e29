//! Whether a channel can grow without limit, if channels are taken as unbounded.
//!
//! Searches begin with channels of a few messages. Where one of them is filled and nothing is found, the search begins anew
//! with twice the room: most growth shows itself soon, and the graph with small channels is small. A search that sees
//! everything without ever missing room is a proof that no channel grows.

use crate::front::UnboundedChannels;
use crate::machine::MemoryMeter;
use crate::pool::{NoAnswer, with_growing_pool};
use crate::search::reset;
use crate::{CheckError, Model};
use lariat_engine::growth::{Boundedness, BoundednessVerdict, Doubt, GrowingQueue, Growth, Unsettled};
use lariat_engine::{RunControl, Stats, StoryStep};
use lariat_explicit::{GrowthEnd, GrowthSearch, search_growth};
use lariat_system::System;
use lariat_system::reference::{Evaluator, Firing, Valuation};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

/// The most messages that a channel has room for in a search.
pub const MAX_CHANNEL_BOUND: u32 = 255;
/// The room of the first search.
const FIRST_CHANNEL_BOUND: u32 = 4;
/// How often a loop is taken before anybody is told of it.
const ROUNDS: usize = 2;

/// How far to look.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct UnboundedOptions {
    /// The most messages that a channel has room for, 2 to [`MAX_CHANNEL_BOUND`]; that if not given.
    pub channel_bound: Option<u32>,
    /// The most steps of a run.
    pub depth_limit: Option<u64>,
}

/// Looks for a channel that can grow without limit, all channels that hold messages being taken as unbounded. What is said
/// to grow was run through its loop twice by the reference evaluator.
pub fn unbounded(model: &Model, options: &UnboundedOptions, control: &RunControl) -> Result<Boundedness, CheckError> {
    let Some(open) = model.front().unbounded() else {
        let reason = "`unbounded` needs a Promela model";
        return Err(CheckError::Refused(reason.to_owned()));
    };
    let most = options.channel_bound.unwrap_or(MAX_CHANNEL_BOUND).clamp(2, MAX_CHANNEL_BOUND);
    let mut bound = FIRST_CHANNEL_BOUND.min(most);
    let mut pool_size = model.first_pool_size()?;
    let mut doubt: Option<(Doubt, Arc<System>)> = None;
    let mut last: Option<Stats> = None;
    loop {
        let make = |pool_size| open.unbounded_system(pool_size, bound).map_err(CheckError::Model);
        let searched = make(pool_size).and_then(|first| {
            with_growing_pool(Arc::new(first), false, make, |system, pool_may_grow| {
                reset(control);
                let (began, memory) = (Instant::now(), MemoryMeter::begin(&control.budget));
                let search = GrowthSearch { system, depth_limit: options.depth_limit, pool_may_grow };
                let mut seen = search_growth(&search, control).map_err(|error| NoAnswer::of(error, CheckError::Bug))?;
                seen.stats.elapsed = began.elapsed();
                seen.stats.peak_memory_bytes = memory.peak_bytes();
                Ok(seen)
            })
        });
        let (system, seen) = match searched {
            Ok(searched) => searched,
            // It was a system with shorter channels.
            Err(CheckError::Model(_)) if last.is_some() => {
                let verdict = BoundednessVerdict::Undecided(Unsettled::TooLarge);
                return Ok(Boundedness { verdict, channel_bound: bound, doubt, stats: last.unwrap_or_default() });
            }
            Err(error) => return Err(error),
        };
        pool_size = system.pool_size;
        let stats = seen.stats;
        doubt = doubt.or_else(|| seen.doubt.map(|doubt| (doubt, Arc::clone(&system))));
        let settled = |verdict| Boundedness { verdict, channel_bound: bound, doubt: None, stats: stats.clone() };
        let unsettled = match seen.end {
            GrowthEnd::Grows { initial, stem, round, channels } => {
                let run = LoopRun { initial: &initial, stem: &stem, round: &round, channels: &channels };
                let growth = run.again(open, &system, pool_size, bound)?;
                return Ok(settled(BoundednessVerdict::Grows(Box::new(growth))));
            }
            GrowthEnd::Whole => {
                let lengths = named_lengths(&system, &seen.longest);
                return Ok(settled(BoundednessVerdict::Bounded(lengths)));
            }
            GrowthEnd::BoundMet if bound < most => {
                bound = (bound * 2).min(most);
                last = Some(stats);
                continue;
            }
            GrowthEnd::PoolFull => Unsettled::PoolFull,
            GrowthEnd::BoundMet => Unsettled::ChannelBound,
            GrowthEnd::Short(short) => Unsettled::Short(short),
        };
        let verdict = BoundednessVerdict::Undecided(unsettled);
        return Ok(Boundedness { verdict, channel_bound: bound, doubt, stats });
    }
}

/// A run with a loop that a search has found.
struct LoopRun<'a> {
    initial: &'a Valuation,
    stem: &'a [StoryStep],
    round: &'a [StoryStep],
    channels: &'a [GrowingQueue],
}

impl LoopRun<'_> {
    /// The same run in a system with enough room for all rounds, by the reference evaluator alone.
    fn again(
        &self,
        model: &dyn UnboundedChannels,
        searched: &System,
        pool_size: u16,
        bound: u32,
    ) -> Result<Growth, CheckError> {
        let needed = self.channels.iter().map(|channel| channel.most + channel.gain * (ROUNDS - 1)).max();
        let room = bound.max(u32::try_from(needed.unwrap_or(0)).unwrap_or(u32::MAX));
        let system = model.unbounded_system(pool_size, room).map_err(CheckError::Model)?;
        // Initial states have other sizes now, and the same order.
        let number = Evaluator::new(searched).initial().iter().position(|initial| initial == self.initial);
        let initial = number.and_then(|number| Evaluator::new(&system).initial().into_iter().nth(number));
        let initial = initial.ok_or_else(|| CheckError::Bug("a run does not begin in an initial state".to_owned()))?;
        Growth::of(Arc::new(system), &initial, &firings(self.stem), &firings(self.round), ROUNDS)
            .map_err(|error| CheckError::Bug(format!("a loop does not repeat: {error}")))
    }
}

fn firings(steps: &[StoryStep]) -> Vec<Vec<Firing>> {
    steps.iter().map(|step| step.events.iter().map(|event| event.firing.clone()).collect()).collect()
}

/// By name the most that channels held; those of processes of one kind have one name.
fn named_lengths(system: &System, longest: &[usize]) -> Vec<(String, usize)> {
    let mut order = Vec::new();
    let mut lengths: BTreeMap<String, usize> = BTreeMap::new();
    for (queue, &length) in system.queues.iter().zip(longest) {
        let name = match queue.owner {
            None => queue.name.clone(),
            Some((frame, _)) => format!("{}.{}", system.frames[frame].name, queue.name),
        };
        if !lengths.contains_key(&name) {
            order.push(name.clone());
        }
        let known = lengths.entry(name).or_insert(0);
        *known = length.max(*known);
    }
    order.into_iter().map(|name| (name.clone(), lengths[&name])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Limits, Random, ReadOptions};
    use lariat_engine::growth::length;
    use std::collections::HashSet;

    fn model(text: &str) -> Model {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("m.pml");
        std::fs::write(&path, text).unwrap();
        let read = Model::read(&path, &ReadOptions::default());
        read.unwrap_or_else(|rejected| panic!("{text}\n{:?}", rejected.diagnostics))
    }

    fn answer(model: &Model, channel_bound: u32) -> Boundedness {
        let control = Limits { memory_bytes: 1 << 28, time: None }.control();
        let options = UnboundedOptions { channel_bound: Some(channel_bound), depth_limit: None };
        let answer = unbounded(model, &options, &control).unwrap();
        assert_eq!(control.budget.used_bytes(), 16 << 20, "everything is given back but what the program takes");
        answer
    }

    /// A statement of a random model. Channels are empty, short, or looked at in all ways there are.
    fn statement(random: &mut Random) -> String {
        let (q, c) = (random.below(2), random.below(2));
        match random.below(15) {
            0..4 => format!("q{q}!{c}"),
            4..7 => format!("q{q}?{c}"),
            7 => format!("q{q}?v"),
            8 => format!("q{q}??{c}"),
            9 => format!("q{q}!!{c}"),
            10 => format!("len(q{q}) < {}", 1 + random.below(3)),
            11 => format!("nempty(q{q})"),
            12 => format!("q{q}?[{c}]"),
            13 => format!("v == {c}"),
            _ => "v = 1 - v".to_owned(),
        }
    }

    fn process(random: &mut Random) -> String {
        let mut text = "active proctype P() { bit v; do ".replace('P', &format!("P{}", random.below(1_000_000)));
        for _ in 0..1 + random.below(3) {
            let statements: Vec<String> = (0..1 + random.below(3)).map(|_| statement(random)).collect();
            let sequence = statements.join("; ");
            text += &match random.below(8) {
                0 => format!(":: atomic {{ {sequence} }} "),
                1 => format!(":: timeout -> {sequence} "),
                _ => format!(":: {sequence} "),
            };
        }
        if random.below(4) == 0 {
            text += ":: else -> v = 0 ";
        }
        text + "od }\n"
    }

    /// Room for all rounds that are tried.
    const LONG: u32 = 60;

    /// The same model with channels of a given length.
    fn text(processes: &[String], capacity: u32) -> String {
        let channels = format!("chan q0 = [{capacity}] of {{ bit }}; chan q1 = [{capacity}] of {{ bit }};\n");
        channels + &processes.concat()
    }

    /// The same steps of another system of the same text. What can never happen has no action, so numbers differ.
    fn translated(steps: &[Vec<Firing>], from: &System, to: &System) -> Vec<Vec<Firing>> {
        let alike = |firing: &Firing| {
            let known = &from.actions[firing.action];
            let same = |action: &lariat_system::Action| {
                (&action.name, action.span, &action.participants, &action.rank)
                    == (&known.name, known.span, &known.participants, &known.rank)
            };
            let mut found = to.actions.entries().filter(|(_, action)| same(action));
            let (action, _) = found.next().expect("the action is there");
            assert!(found.next().is_none(), "`{}` is one action", known.name);
            Firing { action, scope: firing.scope.clone() }
        };
        steps.iter().map(|step| step.iter().map(alike).collect()).collect()
    }

    /// By the reference evaluator, on the model as it is written: the most messages at any time.
    fn longest(system: &System) -> Vec<usize> {
        let evaluator = Evaluator::new(system);
        let mut waiting = evaluator.initial();
        let mut met: HashSet<Valuation> = waiting.iter().cloned().collect();
        let mut longest = vec![0; system.queues.len()];
        while let Some(state) = waiting.pop() {
            for (longest, queue) in longest.iter_mut().zip(&system.queues) {
                *longest = length(queue, &state).max(*longest);
            }
            for step in evaluator.steps(&state) {
                if let lariat_system::reference::Outcome::State(next) = step.outcome
                    && met.insert(next.clone())
                {
                    waiting.push(next);
                }
            }
        }
        longest
    }

    /// Whatever is said of a random model is true of the same model with long channels, by the reference evaluator alone.
    #[test]
    fn random_models_do_what_is_said_of_them() {
        let (mut grows, mut bounded, mut undecided) = (0, 0, 0);
        for seed in 0..150 {
            let mut random = Random::new(seed);
            let processes: Vec<String> = (0..1 + random.below(2)).map(|_| process(&mut random)).collect();
            let found = answer(&model(&text(&processes, LONG)), 8);
            match found.verdict {
                BoundednessVerdict::Grows(growth) => {
                    grows += 1;
                    let steps = growth.story().in_full(growth.system());
                    let (stem, round) = steps.split_at(growth.stem());
                    let (stem, round) = (firings(stem), firings(&round[..growth.round()]));
                    for rounds in [2, 3, 7] {
                        let long = model(&text(&processes, LONG));
                        let system = Arc::new(long.system(long.first_pool_size().unwrap()).unwrap());
                        let initial = Evaluator::new(&system).initial().remove(0);
                        let again = |steps| translated(steps, growth.system(), &system);
                        let (stem, round) = (again(&stem), again(&round));
                        let again = Growth::of(system, &initial, &stem, &round, rounds);
                        assert!(
                            again.is_ok(),
                            "seed {seed}, {rounds} rounds: {:?}\n{}",
                            again.err(),
                            processes.concat()
                        );
                    }
                }
                BoundednessVerdict::Bounded(lengths) => {
                    bounded += 1;
                    let long = model(&text(&processes, 12));
                    let system = long.system(long.first_pool_size().unwrap()).unwrap();
                    let lengths: Vec<usize> = lengths.into_iter().map(|(_, length)| length).collect();
                    assert_eq!(lengths, longest(&system), "seed {seed}\n{}", processes.concat());
                }
                BoundednessVerdict::Undecided(_) => undecided += 1,
            }
        }
        assert!(grows >= 20 && bounded >= 20 && undecided < 60, "{grows} {bounded} {undecided}");
    }

    #[test]
    fn a_pool_that_is_too_small_grows() {
        let spawner = model(
            "byte n; chan q = [1] of { byte };
             proctype P() { q!1 }
             init { do :: n < 9 -> n++; run P() :: n == 9 -> break od; do :: q?1 od }",
        );
        let BoundednessVerdict::Bounded(lengths) = answer(&spawner, 255).verdict else { panic!("9 messages at most") };
        assert_eq!(lengths, [("q".to_owned(), 9)]);
    }

    #[test]
    fn channels_of_processes_grow_too() {
        let local = model("proctype P() { chan q = [1] of { bit }; do :: q!1 od } init { run P() }");
        let BoundednessVerdict::Grows(growth) = answer(&local, 255).verdict else { panic!("it grows") };
        assert_eq!((growth.stem(), growth.round(), growth.channels().len()), (1, 1, 1));
        assert_eq!(growth.channels()[0].lengths, [0, 1, 2]);
    }
}
