//! A new user's first day: five models with a mistake each. What is printed first names the thing, the value and the place, so that the
//! correction follows from it; and with that correction the model is accepted.

use std::process::Command;

/// A model with a mistake, what must be said at once, and a correction: what to write in place of what.
struct Mistake {
    model: &'static str,
    code: i32,
    said: &'static [&'static str],
    replace: &'static str,
    by: &'static str,
}

/// How `lariat check` ends, and all that it prints: standard error first, as on a terminal.
fn check(model: &str) -> (i32, String) {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("m.pml"), model).expect("written");
    let mut command = Command::new(env!("CARGO_BIN_EXE_lariat"));
    let output = command.args(["check", "m.pml"]).current_dir(folder.path()).output().expect("the program starts");
    let text = String::from_utf8_lossy(&output.stderr) + String::from_utf8_lossy(&output.stdout);
    (output.status.code().expect("no signal"), text.into_owned())
}

impl Mistake {
    #[track_caller]
    fn is_explained(&self) {
        let (code, text) = check(self.model);
        assert_eq!(code, self.code, "{text}");
        for part in self.said {
            assert!(text.contains(part), "{part:?} in\n{text}");
        }
        assert!(self.model.contains(self.replace));
        let (code, text) = check(&self.model.replace(self.replace, self.by));
        assert_eq!(code, 0, "the correction is accepted:\n{text}");
        for part in ["error", "vacuously", "does not fit"] {
            assert!(!text.contains(part), "{part:?} in\n{text}");
        }
    }
}

/// Both take their left fork first: the trace shows it, and the state at the end shows who waits for what.
#[test]
fn a_deadlock() {
    Mistake {
        model: "\
bool fork[2];
proctype Phil(byte left; byte right) {
end:	do
	:: atomic { !fork[left] -> fork[left] = true };
	   atomic { !fork[right] -> fork[right] = true };
	   fork[left] = false; fork[right] = false
	od
}
init { run Phil(0, 1); run Phil(1, 0) }
",
        code: 1,
        said: &[
            "deadlock: Phil(1) and Phil(2) may not end here",
            "fork[0]: 0 → 1",
            "fork[1]: 0 → 1",
            "state at the end:\n    fork[0..1] = 1",
            "Phil(1) at m.pml:5: !fork[right]",
            "Phil(2) at m.pml:5: !fork[right]",
        ],
        replace: "run Phil(1, 0)",
        by: "run Phil(0, 1)",
    }
    .is_explained();
}

/// The sum does not fit: the variable, the value and the room are named, and where.
#[test]
fn an_overflow() {
    Mistake {
        model: "\
byte total;
active proctype Adder() {
	byte i;
	do
	:: i < 3 -> total = total + 100; i++
	:: i == 3 -> break
	od;
	assert(total >= 100)
}
",
        code: 1,
        said: &[
            "m.pml:5:14",
            "`total = total + 100`: a value does not fit into `total`, which holds 0 to 255, and is truncated",
            "total: 200 → 44",
            "300 does not fit into `total`",
            "assertion violated (total = 44)",
        ],
        replace: "byte total",
        by: "short total",
    }
    .is_explained();
}

/// The property holds because nothing was asked: the verdict says so, and which proposition is never true.
#[test]
fn a_vacuous_property() {
    Mistake {
        model: "\
bool request, grant;
active proctype Server() {
end:	do
	:: request -> grant = true; request = false; grant = false
	od
}
active proctype Client() {
end:	do
	:: !request && !grant -> skip
	od
}
ltl served { [] (request -> <> grant) }
",
        code: 0,
        said: &["served: holds (vacuously: `request` is never true)"],
        replace: "-> skip",
        by: "-> request = true",
    }
    .is_explained();
}

/// A formula that is not about the model: the array, its length and the index.
#[test]
fn a_wrong_index_in_a_formula() {
    Mistake {
        model: "\
byte slots[3];
active proctype P() { slots[2] = 1; slots[0] = 1 }
ltl last { <> (slots[3] == 1) }
",
        code: 2,
        said: &["error[P0459]: index 3 is outside `slots[3]`", "m.pml:3:22", "its cells are 0 to 2"],
        replace: "slots[3] == 1",
        by: "slots[2] == 1",
    }
    .is_explained();
}

/// A typing mistake: the place, and the name that was meant.
#[test]
fn a_typing_mistake() {
    Mistake {
        model: "\
byte counter;
active proctype P() {
	couter++;
	assert(counter == 1)
}
",
        code: 2,
        said: &["error[P0429]: `couter` is not declared", "m.pml:3:2", "did you mean `counter`?"],
        replace: "couter",
        by: "counter",
    }
    .is_explained();
}
