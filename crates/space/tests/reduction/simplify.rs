//! Simplified systems do the same as the systems, firing by firing, on random systems and random Promela models. And what the passes
//! look at matters: a pass that forgets too much is noticed.

use crate::cases::{self, Case};
use crate::seeds;
use lariat_base::{FileId, Id};
use lariat_system::{Expr, LocalId, Place, Role, Simplifications, System, Update, text};
use lariat_testkit::compare_simplified;

/// More pairs of states than this are too many for a test.
const PAIRS: usize = 2000;

#[test]
fn simplified_systems_do_the_same() {
    type Make = fn(u64) -> Option<Case>;
    let kinds: [(&str, Make); 5] = [
        ("systems", cases::system),
        ("labelled systems", cases::labelled_system),
        ("talkers", cases::quick_system),
        ("models", cases::model),
        ("models with formulas", cases::model_with_formulas),
    ];
    for (kind, make) in kinds {
        let [mut compared, mut smaller, mut reset, mut dropped, mut all, mut left] = [0; 6];
        for seed in seeds(120) {
            let Some(case) = make(seed) else { continue };
            for what in [
                Simplifications { dead: true, ..Simplifications::NONE },
                Simplifications { unread: true, ..Simplifications::NONE },
                Simplifications::ALL,
            ] {
                let found = compare_simplified(&case.system, what, PAIRS)
                    .unwrap_or_else(|error| panic!("{kind}, seed {seed}, {what:?}: {error}\n{}", case.text));
                let Some((simplified, done)) = found else { continue };
                compared += 1;
                reset += simplified.reset.len();
                dropped += simplified.dropped.len();
                all += done.states[0];
                left += done.states[1];
                smaller += usize::from(done.states[1] < done.states[0]);
            }
        }
        println!(
            "{kind}: {compared} compared, {smaller} smaller, {reset} reset, {dropped} dropped; {left} of {all} states"
        );
        assert!(compared > 20, "{kind}: there is enough to simplify");
    }
}

fn system(source: &str) -> System {
    let system = text::parse(source, FileId(0)).unwrap_or_else(|found| panic!("{found:?}\n{source}"));
    assert_eq!(system.validate(), Ok(()));
    system
}

/// A process that reads a value, uses it and waits: where it waits the value is dead, and `log` is never read.
const WORKER: &str = "system worker
    slot shared : 0..3 = 0
    slot log : 0..3 = 0
    frame P {
        control hidden slot pc : 0..2 = 0
        slot x : 0..3 = 0
    }
    pool 2
    init { spawn P() spawn P() }
    label big = shared == 3
    action \"take\" by P { choose c : bool control p0.pc == 0 set p0.x := (shared + ?c) % 4 set p0.pc := 1 }
    action \"put\" by P { control p0.pc == 1 set shared := p0.x set log := p0.x set p0.pc := 2 }
    action \"wait\" by P { control p0.pc == 2 set p0.pc := 0 }";

#[test]
fn a_variable_is_reset_where_it_is_written_before_it_is_read() {
    let worker = system(WORKER);
    let (simplified, compared) = compare_simplified(&worker, Simplifications::ALL, 100_000)
        .expect("it does the same")
        .expect("it is simplified");
    assert_eq!((simplified.reset, simplified.dropped), (vec!["P.x".to_owned()], vec!["log".to_owned()]));
    assert_eq!(compared.states, [320, 128]);
}

/// What keeps a variable: each of these readers, added to the worker, is noticed by the pass.
#[test]
fn readers_keep_variables() {
    let readers = [
        ("label seen = exists(P as p0 : p0.x == 2)", "P.x"),
        ("label seen = P[1].x == 2", "P.x"),
        ("action \"look\" by P { control p0.pc == 2 when p0.x == 1 set p0.pc := 0 }", "P.x"),
        ("action \"look\" by P { control p0.pc == 2 trap effect assertion if p0.x == 1 then goes_on }", "P.x"),
        ("action \"look\" by P { control p0.pc == 2 trap guard assertion if p0.x == 1 then goes_on }", "P.x"),
        ("action \"look\" by P { control p0.pc == 2 label mark if p0.x == 1 } label mark step", "P.x"),
        ("action \"look\" by P, P { control p0.pc == 2 && p1.pc == 2 set shared := p1.x }", "P.x"),
        ("action \"look\" { when P[0].x == 3 set shared := 0 }", "P.x"),
        ("action \"set\" { set P[0].x := 3 }", "P.x"),
        ("action \"rank\" by P { control p0.pc == 2 rank p0.x }", "P.x"),
        ("label logged = log == 1", "log"),
        ("proper_end log == 1", "log"),
        ("invariant log < 3", "log"),
        ("action \"look\" { when log == 3 set shared := 0 }", "log"),
        ("action \"copy\" { set shared := log }", "log"),
    ];
    for (reader, kept) in readers {
        let parts: Vec<&str> = reader.split(" label mark step").collect();
        let declared = if parts.len() > 1 { "label mark step\n" } else { "" };
        let is_label = reader.starts_with("label");
        let source = match is_label {
            true => WORKER.replace("label big", &format!("{reader}\n    label big")),
            false => format!("{}\n{}", WORKER.replace("label big", &format!("{declared}label big")), parts[0]),
        };
        let system = system(&source);
        let found = compare_simplified(&system, Simplifications::ALL, 20_000)
            .unwrap_or_else(|error| panic!("{reader}: {error}"));
        let Some((simplified, _)) = found else { continue };
        // Elsewhere it may be reset.
        let put = simplified.system.actions.iter().find(|action| action.name == "put").expect("it is there").clone();
        let reset = Update::Set(Place::local(Role::ACTOR, LocalId::new(1)), Expr::Const(0));
        let is_kept = match kept {
            "P.x" => !put.updates.contains(&reset),
            _ => !simplified.dropped.contains(&kept.to_owned()),
        };
        assert!(is_kept, "{reader}: {:?} {:?}", simplified.reset, simplified.dropped);
    }
}
