//! Cases on which something differed once, each as small as it gets.

use super::compare::{Effort, compare};
use lariat_testkit::TemporalCase;

fn check(text: &str) {
    let case = TemporalCase::parse(text).unwrap_or_else(|message| panic!("{message}\n{text}"));
    assert_eq!(case.system.validate(), Ok(()));
    let compared = compare(&case, Effort { native: true, replayed: usize::MAX });
    if let Err(difference) = compared {
        panic!("{difference}\n{case}");
    }
}

/// The replay believed that a stutter step carries whatever labels the trace says.
#[test]
fn a_stutter_step_carries_no_label() {
    check(
        r#"// ltl: 0
system "nothing happens"
label l0 step
dead_ends stutter
"#,
    );
}

/// Two actions lead to the same state inside an atomic sequence. The evaluator lists one path through it, and the replay
/// took the other action for one that cannot happen.
#[test]
fn an_action_is_possible_on_every_path() {
    check(
        r#"// ltl: 0
system "twins in a sequence"
frame P {
    control hidden slot pc : 0..1 = 0
}
pool 1
init {
    spawn P()
}
label other step
action "one" by P {
    control p0.pc == 0
    set p0.pc := 1
    hold p0
}
action "other" by P {
    control p0.pc == 0
    set p0.pc := 1
    hold p0
    label other
}
action "end" by P {
    control p0.pc == 1
    set p0.pc := 0
}
fairness weak steps other
dead_ends stutter
"#,
    );
}

/// Two processes meet, whoever of them acts, and one of them goes on. Engines and the replay saw one of the two paths only,
/// so that the other process did not seem able to act.
#[test]
fn a_process_can_act_on_every_path() {
    check(
        r#"// ltl: G F l0
system "meeting"
slot met : bool = 0
frame P {
}
pool 2
init {
    spawn P()
    spawn P()
}
label l0 by 0
action "meet" by P, P {
    when met == 0 && p0 == 1
    set met := 1
    hold p0
}
action "meet again" by P, P {
    when met == 0 && p0 == 0
    set met := 1
    hold p1
}
action "part" by P {
    when met == 1 && p0 == 1
    set met := 0
}
action "wait" by P {
    when met == 0 && p0 == 1
}
fairness weak process 0
dead_ends stutter
"#,
    );
}

/// A broken trace leads to a state in which another kind of process stands where one was written. The replay looked for a
/// variable there that this kind does not have.
#[test]
fn another_kind_of_process_stands_where_one_was_written() {
    let case = TemporalCase::generate(5861);
    let compared = compare(&case, Effort { native: false, replayed: 4 });
    assert!(compared.is_ok(), "{:?}\n{case}", compared.err());
}
