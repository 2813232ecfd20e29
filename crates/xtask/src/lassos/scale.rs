//! Many fairness constraints: 1, 31, 32, 33, 64, 65 and 200 of them, on systems whose answers are known by their making.
//!
//! A process for each of the places `0..=n` can bring a token to its own place, from anywhere or from next door only. Does the
//! token come to place 0 for ever again? It does if fairness is for the sake of place 0 as well, and need not if every
//! other place has a constraint and place 0 has none.

use lariat_automata::{TranslateOptions, translate};
use lariat_base::Span;
use lariat_engine::{Demand, Engine, Options, Property, RunControl, Settled, SystemReplay, Task, Temporal, Verdict};
use lariat_explicit::CycleSearch;
use lariat_logic::{Formula, PropId, Propositions};
use lariat_system::{LabelId, System};
use std::fmt::Write;
use std::sync::Arc;
use std::time::Instant;

const COUNTS: [usize; 7] = [1, 31, 32, 33, 64, 65, 200];

/// Nested searches make a copy of the product for each constraint: beyond this many it takes them too long for a test.
const MOST_COPIES: usize = 33;

/// A family of systems.
struct Family {
    name: &'static str,
    /// When a process can bring the token, which is at `token`, to its own place.
    when: &'static str,
    /// The constraint for a place.
    constraint: fn(usize) -> String,
    /// The numbers of the constraints with which the token comes to place 0, if there are so many.
    holding: fn(usize) -> std::ops::Range<usize>,
    /// Those with which it need not.
    failing: fn(usize) -> std::ops::Range<usize>,
    /// Whether only components are good for it.
    is_strong: bool,
}

const FROM_ANYWHERE: &str = "token >= 0";
const FROM_NEXT_DOOR: &str = "token <= p0 + 1 && p0 <= token + 1";

const FAMILIES: [Family; 4] = [
    // Whoever can always move does move, for ever again.
    Family {
        name: "weak",
        when: FROM_ANYWHERE,
        constraint: |place| format!("fairness weak process {place}"),
        holding: |count| 0..count,
        failing: |count| 1..count + 1,
        is_strong: false,
    },
    Family {
        name: "justice",
        when: FROM_NEXT_DOOR,
        constraint: |place| format!("fairness justice at_{place}"),
        holding: |count| 0..count,
        failing: |count| 1..count + 1,
        is_strong: false,
    },
    // Wherever the token is, those next door can move, so all places have it some time.
    Family {
        name: "strong",
        when: FROM_NEXT_DOOR,
        constraint: |place| format!("fairness strong process {place}"),
        holding: |count| 0..count,
        failing: |count| 1..count + 1,
        is_strong: true,
    },
    // From each place on to the one below. Without the last of these, the token may stay at place 1; with it, that is seen
    // place by place: at 1 it cannot stay, so not at 2 either, and so on.
    Family {
        name: "compassion",
        when: FROM_NEXT_DOOR,
        constraint: |place| format!("fairness compassion at_{} -> at_{place}", place + 1),
        holding: |count| 0..count,
        failing: |count| 1..count,
        is_strong: true,
    },
];

/// A system with the places `0..=count` and the constraints for some of them.
fn system(family: &Family, count: usize, constrained: std::ops::Range<usize>) -> System {
    let mut text =
        format!("system \"token\"\nslot token : 0..{count} = 1\nframe P {{\n}}\npool {}\ninit {{\n", count + 1);
    for _ in 0..=count {
        text.push_str("    spawn P()\n");
    }
    text.push_str("}\n");
    for place in 0..=count {
        let _ = writeln!(text, "label at_{place} = token == {place}");
    }
    let _ = writeln!(text, "action \"bring\" by P {{\n    when {}\n    set token := p0\n}}", family.when);
    for place in constrained {
        let _ = writeln!(text, "{}", (family.constraint)(place));
    }
    text.push_str("dead_ends stutter\n");
    let system = lariat_system::text::parse(&text, Span::NONE.file).unwrap_or_else(|error| panic!("{error:?}\n{text}"));
    assert_eq!(system.validate(), Ok(()));
    system
}

/// That the token comes to place 0 for ever again.
fn property() -> Temporal {
    let propositions = Propositions::named(["at_0"]);
    let again = Formula::globally(Formula::finally(Formula::prop(PropId(0))));
    let bad = translate(&again.negated(), &propositions, &TranslateOptions::default()).expect("it is small");
    Temporal {
        bad,
        labels: vec![LabelId(0)],
        demands: vec![Demand::Satisfies(again.negated())],
        is_of_all_states: false,
    }
}

/// Runs the engine, and makes sure that it says what is so.
fn settle(engine: &dyn Engine, system: &System, fails: bool) {
    let temporal = property();
    let task = Task::of_system(system, Property::Temporal(Box::new(temporal.clone())), Options::default());
    let report = engine.settle(&task, &RunControl::new(1 << 30, None)).expect("it can be run");
    assert_eq!(matches!(report.verdict, Verdict::Fails(_)), fails, "{}: {:?}", engine.name(), report.verdict);
    assert_eq!(report.verdict == Verdict::Holds, !fails, "{}: {:?}", engine.name(), report.verdict);
    let replay = SystemReplay::of_temporal(system, &temporal).expect("it is small");
    let settled = Settled::new("again", engine.name(), Arc::new(system.clone()), report, &replay);
    settled.unwrap_or_else(|error| panic!("{}: a trace does not replay: {error}", engine.name()));
}

#[test]
fn hundreds_of_constraints_work() {
    let components: &[&dyn Engine] = &[&CycleSearch::SCC];
    let all: &[&dyn Engine] =
        &[&CycleSearch::SCC, &CycleSearch::NDFS, &CycleSearch::MAGIC, &CycleSearch::CVWY_A, &CycleSearch::CVWY_B];
    for family in &FAMILIES {
        for count in COUNTS {
            let holding = system(family, count, (family.holding)(count));
            let failing = system(family, count, (family.failing)(count));
            assert_eq!(holding.fairness.len(), count);
            for engine in if family.is_strong || count > MOST_COPIES { components } else { all } {
                let began = Instant::now();
                settle(*engine, &holding, false);
                let held = began.elapsed();
                settle(*engine, &failing, true);
                println!(
                    "{:10} {count:3} constraints, {:6}: holds {:.3} s, fails {:.3} s",
                    family.name,
                    engine.name(),
                    held.as_secs_f64(),
                    (began.elapsed() - held).as_secs_f64()
                );
            }
        }
    }
}
