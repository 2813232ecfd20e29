//! Searches whose states become keys: the same figures, digests and traces as without keys.
#![cfg(feature = "native")]

use lariat_automata::{TranslateOptions, translate};
use lariat_base::Span;
use lariat_engine::{CodeKind, Demand, Engine, Options, Property, Report, RunControl, Task, Temporal, Verdict};
use lariat_explicit::{Bfs, CycleSearch};
use lariat_logic::{Formula, Propositions};
use lariat_system::{Expr, Label, LabelId, LabelMeaning, Place, System};
use lariat_testkit::{FormulaKnobs, Knobs, RandomSystem, random_formula};

fn search(system: &System, code: CodeKind, threads: usize, keep_going: bool, memory_bytes: u64) -> Report {
    let options = Options { code, threads, keep_going, ..Options::default() };
    let task = Task::of_system(system, Property::Safety { invalid_ends: true }, options);
    Bfs.settle(&task, &RunControl::new(memory_bytes, None)).expect("it is searched")
}

/// What is to be the same.
fn told(report: &Report) -> impl PartialEq + std::fmt::Debug + use<> {
    let stats = &report.stats;
    let trace = match &report.verdict {
        Verdict::Fails(evidence) => Some(format!("{evidence:?}")),
        _ => None,
    };
    let taken = report.taken.as_ref().map(|taken| format!("{taken:?}"));
    let failures = (report.failure_count, report.failures.len());
    (stats.states, stats.transitions, stats.digest, stats.depth, trace, taken, failures, report.cuts.clone())
}

/// With bytecode there are no keys.
#[test]
fn nobody_notices_when_states_become_keys() {
    // LARIAT_KEYED_SYSTEMS has it look at more, with more numbers of threads.
    let asked = std::env::var("LARIAT_KEYED_SYSTEMS").ok().and_then(|count| count.parse().ok());
    let numbers_of_threads: &[usize] = if asked.is_some() { &[1, 2, 3, 4, 6, 8] } else { &[1, 2, 4] };
    let mut large = 0;
    for seed in 0..asked.unwrap_or(150) {
        let system = RandomSystem::generate(seed, &Knobs::default());
        for keep_going in [false, true] {
            let plain = search(&system, CodeKind::Bytecode, 1, keep_going, 1 << 28);
            if matches!(plain.verdict, Verdict::Undecided(_)) || plain.stats.states > 5000 {
                continue;
            }
            large += u32::from(plain.stats.states > 100);
            for &threads in numbers_of_threads {
                let keyed = search(&system, CodeKind::Auto, threads, keep_going, 1 << 28);
                assert_eq!(told(&keyed), told(&plain), "seed {seed}, {threads} threads");
            }
        }
    }
    assert!(large > 10, "{large} have enough states to learn from");
}

/// A temporal property about labels of states, which a system is given if it has too few.
fn temporal(system: &mut System, seed: u64) -> Option<Temporal> {
    let is_of_states = |label: &Label| matches!(label.meaning, LabelMeaning::State(_));
    let slots: Vec<_> = system.slots.entries().filter(|(_, slot)| slot.len.is_none()).map(|(id, _)| id).collect();
    for (number, &slot) in slots.iter().take(2).enumerate() {
        let meaning = LabelMeaning::State(Place::global(slot).read().equals(Expr::Const(number as i64)));
        system.labels.push(Label { name: format!("is{seed}_{number}"), meaning, span: Span::NONE });
    }
    let labels: Vec<(LabelId, String)> = system
        .labels
        .entries()
        .filter(|(_, label)| is_of_states(label))
        .map(|(id, label)| (id, label.name.clone()))
        .collect();
    let names = || labels.iter().map(|(_, name)| name.as_str());
    let knobs = FormulaKnobs { operators: 3, props: labels.len() as u32, past: false, ..FormulaKnobs::default() };
    let formula = (!labels.is_empty()).then(|| random_formula(seed, &knobs))?;
    let bad = match seed % 4 {
        0 => Formula::finally(formula),
        1 => Formula::globally(Formula::finally(formula)),
        2 => Formula::finally(Formula::globally(formula)),
        _ => formula,
    };
    let automaton = translate(&bad, &Propositions::named(names()), &TranslateOptions::default()).ok()?;
    let names: Vec<String> = names().map(str::to_owned).collect();
    let labels = labels.iter().map(|(id, _)| *id).collect();
    let (bad, demands) = (automaton.over_propositions(&names), vec![Demand::Satisfies(bad)]);
    Some(Temporal { bad, labels, demands, is_of_all_states: false })
}

#[test]
fn nobody_notices_when_states_of_products_do() {
    let asked = std::env::var("LARIAT_KEYED_SYSTEMS").ok().and_then(|count| count.parse().ok());
    let (mut holds, mut fails, mut by_prefix) = (0, 0, 0);
    for seed in 0..asked.unwrap_or(800) {
        let mut system = RandomSystem::generate(seed / 2, &Knobs::default());
        let Some(temporal) = temporal(&mut system, seed) else { continue };
        for engine in [&CycleSearch::SCC as &dyn Engine, &Bfs] {
            let settle = |code, threads| {
                let options = Options { code, threads, ..Options::default() };
                let task = Task::of_system(&system, Property::Temporal(Box::new(temporal.clone())), options);
                engine.prepare(&task).ok()?.run(&RunControl::new(1 << 28, None)).ok()
            };
            let Some(plain) = settle(CodeKind::Bytecode, 1) else { continue };
            if matches!(plain.verdict, Verdict::Undecided(_)) || !(40..5000).contains(&plain.stats.states) {
                continue;
            }
            match plain.verdict {
                Verdict::Holds => holds += 1,
                _ => fails += 1,
            }
            by_prefix += u32::from(engine.name() == Bfs.name());
            for threads in [1, 2] {
                let keyed = settle(CodeKind::Auto, threads).expect("it is searched with bytecode");
                assert_eq!(told(&keyed), told(&plain), "seed {seed}, {}, {threads} threads", engine.name());
            }
        }
    }
    assert!(holds > 60 && fails > 10 && by_prefix > 4, "{holds} hold, {fails} fail, {by_prefix} by prefixes");
}
