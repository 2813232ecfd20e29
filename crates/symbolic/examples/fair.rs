//! What the first `LTLSPEC` of an SMV model costs by sets of states:
//! `cargo run --release -p lariat-symbolic --example fair -- MODEL.smv`.

use lariat_automata::{TranslateOptions, translate};
use lariat_base::{Id, SourceMap, Span};
use lariat_engine::{Demand, Engine, Options, Property, RunControl, Task, Temporal, Verdict};
use lariat_logic::Propositions;
use lariat_smv::{Property as Stated, SpecKind, read_model};
use lariat_symbolic::Symbolic;
use lariat_system::LabelId;

fn main() {
    let path = std::env::args().nth(1).expect("a model");
    let text = std::fs::read_to_string(&path).expect("the model can be read");
    let model = read_model(&mut SourceMap::default(), &path, &text).expect("it is a model");
    let stated = model.specifications().iter().find(|spec| spec.kind == SpecKind::Ltl);
    let Stated::Formula(formula, conditions) = &stated.expect("it has an LTLSPEC").property else {
        panic!("it has a formula of linear time");
    };
    let mut propositions = Propositions::default();
    for (number, condition) in conditions.iter().enumerate() {
        propositions.intern(&format!("{number}: {}", condition.text), Span::NONE);
    }
    let system = model.observing(conditions.clone()).system().expect("it has a system");
    let bad = formula.clone().negated();
    let automaton = translate(&bad, &propositions, &TranslateOptions::default()).expect("the automaton is small");
    let names: Vec<String> = propositions.entries().map(|(_, known)| known.text.clone()).collect();
    let labels = (0..conditions.len()).map(LabelId::new).collect();
    let temporal = Temporal {
        bad: automaton.over_propositions(&names),
        labels,
        demands: vec![Demand::Satisfies(bad)],
        is_of_all_states: false,
    };
    let task = Task::of_system(&system, Property::Temporal(Box::new(temporal)), Options::default());
    let prepared = Symbolic.prepare(&task).unwrap_or_else(|refusal| panic!("{refusal:?}"));
    let report = prepared.run(&RunControl::new(1 << 30, None)).unwrap_or_else(|error| panic!("{error:?}"));
    let symbolic = report.stats.symbolic.expect("it was settled by sets");
    let verdict = match &report.verdict {
        Verdict::Fails(evidence) => {
            let trace = &evidence.trace;
            format!("fails: {} steps, the loop begins after {:?}", trace.steps.len(), trace.loop_start)
        }
        other => format!("{other:?}"),
    };
    println!(
        "{verdict}; runs {}; {:.2?}, {} images, {} nodes at most, {} reorderings",
        report.has_runs, report.stats.elapsed, symbolic.images, symbolic.peak_nodes, symbolic.reorderings
    );
    println!("order {}", symbolic.order.join(" "));
}
