//! Models of thousands of boolean variables are read, encoded and searched, in little memory.

use lariat_base::SourceMap;
use lariat_engine::Shortfall;
use lariat_smv::read_model;
use lariat_space::{Natural, StateSets, Steps};
use lariat_symbolic::{BddSets, Capacity};
use std::cell::Cell;
use std::time::Instant;

const BOOLEANS: usize = 3000;
const MEMORY: u64 = 256 << 20;

/// A model of so many booleans, each of which gets this value next.
fn model(next: impl Fn(usize) -> Option<String>) -> String {
    let mut text = "MODULE main\nVAR\n".to_owned();
    (0..BOOLEANS).for_each(|n| text.push_str(&format!("  b{n} : boolean;\n")));
    text.push_str("ASSIGN\n");
    for n in 0..BOOLEANS {
        text.push_str(&format!("  init(b{n}) := FALSE;"));
        text.push_str(&next(n).map_or("\n".to_owned(), |value| format!(" next(b{n}) := {value};\n")));
    }
    text
}

/// The number of states after so many steps, or fewer if nothing new is reached; with what was done in between.
fn reached(text: &str, steps: usize, between: impl Fn(&BddSets<'_>)) -> Natural {
    let began = Instant::now();
    let model = read_model(&mut SourceMap::default(), "many.smv", text).expect("it is a model");
    let system = model.system().expect("it has a system");
    let full = Shortfall::Memory { limit_bytes: MEMORY };
    let sets = BddSets::new(&system, Capacity::within(MEMORY), full, || Ok(())).expect("it can be encoded");
    let sets = sets.expect("there is memory");
    assert_eq!(sets.state_variables(), BOOLEANS);
    let mut known = sets.initial().expect("there is memory");
    for _ in 0..steps {
        between(&sets);
        sets.safe_point().expect("nothing stops it");
        let next = sets.post(&known, Steps::All).expect("there is memory");
        let more = sets.union(&known, &next).expect("there is memory");
        if more == known {
            break;
        }
        known = more;
    }
    let figures = sets.diagrams().figures();
    eprintln!("{:.1?}, {} nodes at most, {} reorderings", began.elapsed(), figures.peak_nodes, figures.reorderings);
    sets.count(&known).expect("there is memory")
}

fn power_of_two(exponent: usize) -> Natural {
    Natural::from(1_u64) << exponent as u32
}

#[test]
fn every_boolean_is_anything() {
    let text = model(|_| Some("{TRUE, FALSE}".to_owned()));
    assert_eq!(reached(&text, 3, |_| ()), power_of_two(BOOLEANS));
}

#[test]
fn each_boolean_follows_its_neighbour() {
    let text = model(|n| n.checked_sub(1).map(|before| format!("b{before}")));
    assert_eq!(reached(&text, 8, |_| ()), power_of_two(8));
}

#[test]
fn variables_of_a_large_model_can_be_reordered() {
    let text = model(|n| n.checked_sub(1).map(|before| format!("b{n} xor b{before}")));
    let sift = |sets: &BddSets<'_>| sets.diagrams().reorder_within(2_000_000).expect("nothing stops it");
    assert_eq!(reached(&text, 2, sift), Natural::from(4_u64));
}

#[test]
fn what_comes_before_the_first_set_can_be_stopped() {
    let text = model(|n| n.checked_sub(1).map(|before| format!("b{n} xor b{before}")));
    let model = read_model(&mut SourceMap::default(), "many.smv", &text).expect("it is a model");
    let system = model.system().expect("it has a system");
    for most in [1, 2, 3] {
        let asked = Cell::new(0);
        let watch = move || {
            asked.set(asked.get() + 1);
            if asked.get() < most { Ok(()) } else { Err(Shortfall::Interrupted) }
        };
        let full = Shortfall::Memory { limit_bytes: MEMORY };
        let sets = BddSets::new(&system, Capacity::within(MEMORY), full, watch).expect("it can be encoded");
        assert!(matches!(sets, Err(Shortfall::Interrupted)), "stopped when it is asked for the {most}. time");
    }
}

/// The bits of a number stay together where variables depend on all numbers: "some client uses it" has as many nodes as there are ways
/// to choose clients if all high bits stand above all low ones.
#[test]
fn what_depends_on_nearly_all_does_not_order_the_others() {
    const CLIENTS: usize = 40;
    let using: Vec<String> = (0..CLIENTS).map(|n| format!("c{n} = using")).collect();
    let in_use = using.join(" | ");
    let header = format!("MODULE main\nVAR turn : 0..{}; free : boolean;\n", CLIENTS - 1);
    let one_reads_all = format!("ASSIGN init(free) := TRUE; next(free) := !({in_use});\n");
    for (last, may) in [(one_reads_all, "free".to_owned()), (String::new(), format!("!({in_use})"))] {
        let mut text = header.clone();
        for n in 0..CLIENTS {
            text.push_str(&format!(
                "VAR c{n} : {{idle, asking, using}};\nASSIGN init(c{n}) := idle; next(c{n}) := case c{n} = idle : {{idle, asking}};
                 c{n} = asking & turn = {n} & {may} : using; c{n} = using : idle; TRUE : c{n}; esac;\n"
            ));
        }
        text.push_str(&last);
        let model = read_model(&mut SourceMap::default(), "clients.smv", &text).expect("it is a model");
        let system = model.system().expect("it has a system");
        let full = Shortfall::Memory { limit_bytes: MEMORY };
        let sets = BddSets::new(&system, Capacity { nodes: 1 << 19, cache: 1 << 16 }, full, || Ok(()));
        let sets = sets.expect("it can be encoded").expect("there is memory");
        let next = sets.post(&sets.initial().expect("there is memory"), Steps::All).expect("there is memory");
        let reached = sets.reachable(&next).expect("there is memory");
        assert!(sets.diagrams().size_of(&reached) < 2_000, "{} nodes", sets.diagrams().size_of(&reached));
    }
}
