//! State counts and invariants of the corpus by the reference evaluator, where the corpus is at hand.

use crate::support::{graph, is_invariant, meaning, model};
use lariat_smv::Property;
use std::collections::BTreeMap;
use std::path::Path;

/// Larger models are left to engines.
const MOST_STATES: usize = 3000;

#[test]
fn states_and_invariants_are_those_of_nusmv() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus/smv/semantics");
    let Ok(table) = std::fs::read_to_string(folder.join("expected.tsv")) else {
        let needed = std::env::var("LARIAT_NEEDS_CORPUS").is_ok_and(|value| value == "1");
        assert!(!needed, "no corpus in {}", folder.display());
        println!("skipped: no corpus");
        return;
    };
    let mut rows: BTreeMap<&str, Vec<(&str, &str)>> = BTreeMap::new();
    for line in table.lines().skip(1) {
        let mut cells = line.split('\t');
        if let (Some(file), Some(what), Some(value)) = (cells.next(), cells.next(), cells.next()) {
            rows.entry(file).or_default().push((what, value));
        }
    }
    let (mut compared, mut wrong) = (0, Vec::new());
    for (file, rows) in rows {
        if rows.iter().any(|(what, _)| *what == "error") {
            continue;
        }
        let text = std::fs::read_to_string(folder.join(file)).expect("a model");
        let model = model(&text);
        let system = match model.system() {
            Ok(system) => system,
            Err(found) => {
                wrong.push(format!("{file}: {found:?}"));
                continue;
            }
        };
        let Some(graph) = graph(&system, MOST_STATES) else { continue };
        // Invariants come last in the table.
        let counted = rows.iter().filter(|(what, _)| what.starts_with("spec ")).count();
        let invariants: Vec<_> = (model.specifications().iter())
            .filter_map(|spec| match &spec.property {
                Property::Invariant(condition, _) => Some((spec.name.clone(), condition.clone())),
                _ => None,
            })
            .collect();
        let unnamed = invariants.iter().filter(|(name, _)| name.starts_with("invar_")).count();
        for (what, value) in &rows {
            if *what == "states" {
                compared += 1;
                if graph.states.len().to_string() != *value {
                    wrong.push(format!("{file}: {value} states, we {}", graph.states.len()));
                }
                continue;
            }
            let found = match what.split_once(' ') {
                Some(("name", name)) => invariants.iter().find(|(own, _)| own == name),
                Some(("spec", number)) => {
                    let number: usize = number.parse().expect("a number");
                    number.checked_sub(counted - unnamed + 1).map(|number| &invariants[number])
                }
                _ => None,
            };
            let Some((name, condition)) = found else { continue };
            compared += 1;
            let truth = is_invariant(&model, condition, MOST_STATES).expect("it is small");
            if truth != (*value == "holds") {
                wrong.push(format!("{file} {what} ({name}): {value}, we {truth}"));
            }
        }
    }
    println!("{compared} answers compared");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(compared > 200, "only {compared}");
}

/// A value that is a number of a variable with a range, or a symbol.
#[test]
fn numbers_of_ranges_among_symbols() {
    let declared = "MODULE main VAR c : boolean; d : boolean; x : 0..3; y : 0..3; e : {idle, busy, 1};\n";
    for (invariant, expected) in [
        ("!((c ? x : idle) in 1..2)", '-'),
        ("(c ? x : idle) in {0, 1, 2, 3, idle}", '+'),
        ("(c ? x : idle) in {0, 3, idle}", '-'),
        ("(c ? x : idle) = (d ? y : idle)", '-'),
        ("(c ? x : idle) = (d ? y : idle) <-> (c & d & x = y | !c & !d)", '+'),
        ("(c ? x : idle) = e <-> (c & x = 1 & e = 1 | !c & e = idle)", '+'),
        ("(c ? x + 1 : idle) = (d ? y + 2000 : busy)", '-'),
        ("(c ? x + 1 : idle) != (d ? y + 2000 : busy)", '+'),
        ("(c ? x + 2000 : idle) in 2001..2002 <-> (c & x in 1..2)", '+'),
        ("(c ? x + 2000 : idle) in {2001, idle} <-> (!c | x = 1)", '+'),
        ("(TRUE ? x : idle) != idle", '+'),
        ("(TRUE ? x : idle) in {0, idle, 2..3}", '-'),
        ("(FALSE ? idle : x + 1) in 1..3", '-'),
        ("(FALSE ? idle : x + 1) in 1..4", '+'),
        ("(FALSE ? idle : x + 1) = (TRUE ? y + 1 : busy) <-> x = y", '+'),
        ("(FALSE ? idle : x + 1) = (TRUE ? y : busy)", '-'),
        ("(case c : x; d : y * 700; TRUE : e; esac) != busy | (!c & !d & e = busy)", '+'),
    ] {
        let (_, _, found) = meaning(&format!("{declared}INVARSPEC {invariant}\n"));
        assert_eq!(found, expected.to_string(), "{invariant}");
    }
}
