//! Parts of large terms that are hidden variables.

use crate::support::model;
use lariat_system::System;

/// The number of values of each hidden variable.
fn counts(system: &System) -> Vec<u64> {
    let hidden = system.slots.iter().filter(|slot| slot.name.starts_with("(part"));
    hidden.map(|slot| system.range(slot.ty).count()).collect()
}

/// A chain of numbers, each made of the one before, twice.
fn chain(link: &str) -> System {
    let links: String = (1..=30).map(|n| format!("d{n} := {}; ", link.replace('$', &format!("d{}", n - 1)))).collect();
    let text = format!("MODULE main\nVAR x : 0..7;\nDEFINE d0 := x; {links}\nASSIGN next(x) := abs(d30) mod 8;\n");
    model(&text).system().expect("a model that can be lowered")
}

#[test]
fn parts_have_the_values_that_intervals_prove() {
    for (link, most) in [
        ("($ * $ + 1) mod 97", 97 * 97),
        ("(100 - $ * $) mod 50 + $ mod 5", 54 * 54 * 2),
        ("($ + 70) / 8 + $ / 4", 200),
        ("abs(($ mod 5) - ($ * $) mod 11)", 11 * 11),
    ] {
        let counts = counts(&chain(link));
        assert!(!counts.is_empty(), "{link}: no parts");
        assert!(counts.iter().all(|count| *count <= most), "{link}: {counts:?}");
    }
}

#[test]
fn parts_that_may_wrap_around_have_all_values() {
    let counts = counts(&chain("$ * $ + $"));
    assert!(counts.contains(&(1 << 32)), "{counts:?}");
}
