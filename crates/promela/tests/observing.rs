//! Formulas about models: what their propositions mean, and what is said about wrong ones.

use lariat_base::{Diagnostic, Id, SourceMap};
use lariat_logic::{Dialect, ParseOptions, Propositions, parse};
use lariat_promela::{CheckedModel, ModelOptions, Observation, read_model};
use lariat_system::reference::{Evaluator, Outcome};
use lariat_system::{Expr, LabelMeaning, System};
use std::collections::HashMap;

fn model(text: &str) -> (SourceMap, CheckedModel) {
    let mut sources = SourceMap::default();
    let mut loader = |_: &str, _: &str| Err("no such file".to_string());
    let read = read_model(&mut sources, "model.pml", text, &ModelOptions::default(), &mut loader);
    (sources, read.expect("a model without mistakes"))
}

fn shown(sources: &SourceMap, found: &[Diagnostic]) -> Vec<String> {
    let show = |diagnostic: &Diagnostic| {
        let place = sources.location(diagnostic.span);
        let place = place.map_or("-".to_string(), |place| format!("{}:{}", place.line, place.column));
        let name = sources.file(diagnostic.span.file).map_or("", |file| file.name.as_str());
        let help = diagnostic.help.as_ref().map_or(String::new(), |help| format!(" / {help}"));
        format!("{name}:{place} {} {}{help}", diagnostic.code, diagnostic.message)
    };
    found.iter().map(show).collect()
}

/// The model, observing these conditions.
fn observing(
    sources: &mut SourceMap,
    model: &CheckedModel,
    conditions: &[&str],
) -> Result<CheckedModel, Vec<Diagnostic>> {
    let mut observations = Vec::new();
    for condition in conditions {
        let phrase = model.phrase(sources, "<formula>", condition)?;
        observations.push(Observation { name: condition.to_string(), condition: phrase });
    }
    model.observing(sources, &observations)
}

/// The number of states, and for each label the number of those where it holds.
fn count(system: &System) -> (usize, Vec<usize>) {
    let evaluator = Evaluator::new(system);
    let mut seen = HashMap::new();
    let mut waiting = evaluator.initial();
    let mut counts = vec![0; system.labels.len()];
    while let Some(state) = waiting.pop() {
        if seen.insert(format!("{state:?}"), ()).is_some() {
            continue;
        }
        for label in evaluator.state_labels(&state) {
            counts[label.index()] += 1;
        }
        for step in evaluator.steps(&state) {
            if let Outcome::State(target) = step.outcome {
                waiting.push(target);
            }
        }
    }
    (seen.len(), counts)
}

const MODEL: &str = "
#define busy (x > 1)
#define above(n) (x > n)
mtype = { ping, pong };
typedef T { byte a; byte b[2] }
byte x;
T t[2];
mtype m = ping;
chan q = [2] of { mtype, byte };
active [2] proctype P() {
    byte i;
wait: x++;
    i = 1;
cs: q ! ping, i;
    t[1].b[0] = 7;
    x--
}
active proctype R() { byte got; q ? m, got }
ltl safe { [] (busy -> <> (x == 0)) }
ltl { <> P[1]@cs }
ltl { above(1) U
      (len(q) ==
       0) }
";

#[test]
fn conditions_mean_what_promela_says() {
    let (mut sources, model) = model(MODEL);
    let conditions = [
        "x >= 0",
        "x == 1",
        "busy",
        "above(1)",
        "x > 1",
        "m == ping",
        "P[0]@wait",
        "P[1]@cs",
        "P@cs",
        "P[0]:i == 1",
        "P:i == 1",
        "len(q) == 0",
        "empty(q)",
        "nempty(q)",
        "full(q)",
        "q ? [ping, 1]",
        "q ?? [pong, _]",
        "t[1].b[0] == 7",
        "t[0].a",
        "_nr_pr == 3",
        "_nr_pr == 0",
        "np_",
        "enabled(0)",
        "\"x == 1\"",
        "!x",
        "x & 1",
        "(x > 1 -> 1 : 0)",
        "P[0]@wait && P[1]@wait",
        "R:got == 1",
        "pc_value(0) > 1",
        "x",
        "true",
    ];
    let observed = match observing(&mut sources, &model, &conditions) {
        Ok(observed) => observed,
        Err(found) => panic!("{:#?}", shown(&sources, &found)),
    };
    let system = observed.system(3).expect("a system");
    assert_eq!(system.labels.len(), conditions.len());
    let (states, counts) = count(&system);
    assert_eq!(states, count(&model.system(3).expect("a system")).0, "observing these changes no states");
    let of = |condition: &str| counts[conditions.iter().position(|known| *known == condition).expect("it is listed")];
    assert_eq!(of("x >= 0"), states);
    assert_eq!(of("true"), states);
    assert_eq!(of("np_"), states);
    assert_eq!(of("t[0].a"), 0);
    for (one, other) in [
        ("busy", "x > 1"),
        ("above(1)", "x > 1"),
        ("(x > 1 -> 1 : 0)", "x > 1"),
        ("empty(q)", "len(q) == 0"),
        ("\"x == 1\"", "x == 1"),
    ] {
        assert_eq!(of(one), of(other), "{one}");
    }
    assert_eq!(of("nempty(q)") + of("empty(q)"), states);
    assert_eq!(of("x") + of("!x"), states);
    assert_eq!(of("x & 1"), of("x == 1"));
    for sometimes in ["x == 1", "P[0]@wait", "P[1]@cs", "P@cs", "P[0]:i == 1", "P:i == 1", "full(q)", "q ? [ping, 1]"] {
        assert!((1..states).contains(&of(sometimes)), "{sometimes}: {} of {states}", of(sometimes));
    }
    for sometimes in ["t[1].b[0] == 7", "_nr_pr == 0", "_nr_pr == 3", "enabled(0)", "R:got == 1", "pc_value(0) > 1"] {
        assert!((1..states).contains(&of(sometimes)), "{sometimes}: {} of {states}", of(sometimes));
    }
    assert_eq!(of("q ?? [pong, _]"), 0);
}

#[test]
fn what_is_observed_becomes_part_of_the_state() {
    let text = "bit x; active proctype P() { do :: x = 1; goto there; back: x = 0; skip od; there: goto back }
                active proctype Q() { do :: skip od }";
    let (mut sources, model) = model(text);
    let plain = count(&model.system(2).expect("a system")).0;
    for condition in ["P@there", "_last == 1"] {
        let observed = observing(&mut sources, &model, &[condition]).expect("it can be observed");
        let (states, counts) = count(&observed.system(2).expect("a system"));
        assert!(states > plain, "{condition}: {states} states");
        assert!(counts[0] > 0 && counts[0] < states, "{condition} holds in {counts:?} of {states}");
    }
}

#[test]
fn who_moves_is_a_label_of_steps() {
    let (mut sources, model) = model(&format!("#define one 1\n{MODEL}"));
    let observed = observing(&mut sources, &model, &["moves(0)", "(moves(2 - one))", "moves(2)", "x > 1"]);
    let system = observed.expect("it can be observed").system(3).expect("a system");
    let meanings: Vec<&LabelMeaning> = system.labels.iter().map(|label| &label.meaning).collect();
    assert_eq!(meanings[..3], [&LabelMeaning::By(0), &LabelMeaning::By(1), &LabelMeaning::By(2)]);
    let evaluator = Evaluator::new(&system);
    let labels = |step: &lariat_system::reference::RefStep| step.marks.labels.iter().map(|label| label.0).collect();
    let labels: Vec<Vec<u32>> = evaluator.steps(&evaluator.initial()[0]).iter().map(labels).collect();
    assert_eq!(labels, [vec![1], vec![0]], "the youngest first");
    let (mut sources, growing) = self::model("active proctype P() { do :: run P() od }");
    let observed = observing(&mut sources, &growing, &["moves(200)"]).expect("it can be observed");
    let system = observed.system(3).expect("a system");
    let meaning = system.labels.iter().next().map(|label| &label.meaning);
    assert_eq!(meaning, Some(&LabelMeaning::State(Expr::FALSE)), "the pool has no room for this process");
}

/// A formula about nothing is a slip, as far as it can be told.
#[test]
fn numbers_of_cells_and_processes_must_be_possible() {
    let text = "byte x, a[3]; active [2] proctype P() { byte v[2]; at: v[x] = a[x]; if :: x == 1 -> run Q() :: else fi } proctype Q() { at: skip }";
    let (mut sources, model) = model(text);
    let mut told = |condition: &str| match observing(&mut sources, &model, &[condition]) {
        Ok(_) => String::new(),
        Err(found) => shown(&sources, &found).join("\n"),
    };
    let nothing = |place: &str, of: &str, help: &str| format!("<formula>:{place} P0456 no process{of}{help}");
    for (condition, expected) in [
        ("a[2] == 0 && a[x] == 0 && a[x + 9] == 0 && P[1]:v[1] == 0", String::new()),
        ("a[3] == 0", "<formula>:1:3 P0459 index 3 is outside `a[3]` / its cells are 0 to 2".to_owned()),
        ("a[1 - 2] == 0", "<formula>:1:3 P0459 index -1 is outside `a[3]` / its cells are 0 to 2".to_owned()),
        ("P:v[2] == 0", "<formula>:1:5 P0459 index 2 is outside `v[2]` / its cells are 0 to 1".to_owned()),
        // A process of Q may take the place of one of P that has ended.
        ("Q[1]@at || Q[2]@at || Q[3]@at || P[x]@at", String::new()),
        // But the first one ends last.
        ("Q[0]@at", nothing("1:3", " of `Q`", " has the pid 0")),
        ("Q[4]@at", nothing("1:3", " of `Q`", " has the pid 4")),
        ("P[2]@at", nothing("1:3", " of `P`", " has the pid 2 / at the beginning there are: 0, 1")),
        ("P[2]:v[0]", nothing("1:3", " of `P`", " has the pid 2 / at the beginning there are: 0, 1")),
        ("enabled(3) && enabled(4)", nothing("1:23", "", " has the pid 4 / at the beginning there are: 0, 1")),
        ("pc_value(-1) == 2", nothing("1:10", "", " has the pid -1 / pids are 0 to 254")),
    ] {
        assert_eq!(told(condition), expected, "{condition}");
    }
}

/// As SPIN looks for acceptance cycles without a claim.
#[test]
fn accept_labels_can_be_observed() {
    let text =
        "bit x; active proctype P() { do :: x = 1; accept_it: x = 0; goto accept; accept: goto back; back: skip od }
                active proctype Q() { do :: skip :: x -> acceptable: x = 0 od }";
    let (mut sources, observed_model) = model(text);
    let conditions = ["accept_", "P@accept_it || P@accept || Q@acceptable", "!accept_"];
    let observed = observing(&mut sources, &observed_model, &conditions).expect("it can be observed");
    let (states, counts) = count(&observed.system(2).expect("a system"));
    assert!((1..states).contains(&counts[0]), "{counts:?} of {states}");
    assert_eq!(counts, [counts[0], counts[0], states - counts[0]]);
    let (mut sources, taken) = model("bit accept_; active proctype P() { accept_ = 1 }");
    let errors = observing(&mut sources, &taken, &["accept_"]).expect_err("it has two meanings");
    assert_eq!(
        shown(&sources, &errors),
        [
            "<formula>:1:1 P0457 the model declares `accept_`, which here says that a process is at an `accept` label / give what the model declares another name"
        ]
    );
}

#[test]
fn what_cannot_be_observed_is_refused() {
    let (mut sources, model) = model(MODEL);
    let mut told = |condition: &str| match observing(&mut sources, &model, &[condition]) {
        Ok(_) => "no complaint".to_string(),
        Err(found) => shown(&sources, &found).join("; "),
    };
    for (condition, expected) in [
        ("y > 1", "<formula>:1:1 P0429 `y` is not declared"),
        ("x > 1 && bsy", "<formula>:1:10 P0429 `bsy` is not declared"),
        (
            "got == 1",
            "<formula>:1:1 P0429 `got` is not declared / `got` is a variable of `R`: write `R:got`, or `R[pid]:got`",
        ),
        ("P@ce", "<formula>:1:3 P0417 `P` has no label `ce` / did you mean `cs`?"),
        ("S@cs", "<formula>:1:1 P0424 there is no proctype `S`"),
        ("P:j == 1", "<formula>:1:3 P0426 `P` has no variable `j`"),
        ("t.a", "<formula>:1:1 P0430 `t` is an array of 2 and needs an index / write `t[0]` for the first"),
        (
            "x = 1",
            "<formula>:1:3 P0100 expected an operator or the end, found `=` / `==` compares; `=` assigns and is a statement of its own",
        ),
        (
            "timeout",
            "<formula>:1:1 P0451 `timeout` is not a property of a state that a formula can observe / `!enabled(p)` says of one process p that it cannot move",
        ),
        ("_pid == 1", "<formula>:1:1 P0423 `_pid` has a meaning inside a process only"),
        (
            "run R()",
            "<formula>:1:1 P0422 `run` cannot be part of an expression / use `run P(…)` alone, or `pid = run P(…)`",
        ),
        ("moves(255)", "<formula>:1:7 P0456 no process has the pid 255 / pids are 0 to 254"),
        (
            "moves(x)",
            "<formula>:1:7 P0415 this must be a constant / write one `moves` for each process: `moves(1) || moves(2)`",
        ),
        (
            "x > 1 && moves(1)",
            "<formula>:1:10 P0455 `moves` speaks of a step, so it cannot be part of a condition on states / let it stand by itself in a formula or a never claim: `moves(1) && (x > 0)`",
        ),
        ("(x > 1", "<formula>:1:7 P0100 expected `)`, found the end of the text"),
        ("", "<formula>:1:1 P0100 expected an expression, found the end of the text"),
        ("#include \"a\"", "<formula>:1:1 P0011 cannot include `a`: nothing can be included here"),
    ] {
        assert_eq!(told(condition), expected, "{condition}");
    }
}

/// From a block of the model to labels of its system, as one who checks it does.
#[test]
fn ltl_blocks_are_formulas() {
    let (mut sources, model) = model(MODEL);
    let blocks = model.ltl_blocks();
    let names: Vec<&str> = blocks.iter().map(|block| block.name.as_str()).collect();
    assert_eq!(names, ["safe", "ltl_0", "ltl_1"]);
    assert_eq!(blocks[0].formula.text(), "[] ( ( x > 1 ) -> <> (x == 0))");
    let mut props = Propositions::default();
    let mut observations = Vec::new();
    for block in blocks {
        let options = ParseOptions { dialect: Dialect::Spin, ..ParseOptions::default() };
        let known = props.len();
        parse(block.formula.text(), options, &mut props).expect("a formula");
        for (_, proposition) in props.entries().skip(known) {
            let condition = block.formula.part(proposition.span.start as usize..proposition.span.end as usize);
            observations.push(Observation { name: proposition.text.clone(), condition });
        }
    }
    let texts: Vec<&str> = props.entries().map(|(_, proposition)| proposition.text.as_str()).collect();
    assert_eq!(texts, ["x > 1", "x == 0", "P[1]@cs", "len(q) == 0"]);
    let system = model.observing(&mut sources, &observations).expect("all is known").system(3).expect("a system");
    assert_eq!(system.labels.len(), 4);
    // Places of the expanded text are places of the model.
    let last = &blocks[2].formula;
    let at = last.text().find("len").expect("it is there");
    assert_eq!(sources.text(last.place(at..at + "len(q) == 0".len())), "len(q) ==\n       0");
    let first = &blocks[0].formula;
    let at = first.text().find("x > 1").expect("the macro is expanded");
    assert_eq!(sources.text(first.place(at..at + 5)), "busy");
}

#[test]
fn mistakes_in_formulas_are_shown_in_the_model() {
    let text = "#define busy x > 1\nbyte x; init { x = 1 }\nltl a { [] (busy && ) }\nltl b { [] (x = 2) }\nltl c { [] (x == 1 }";
    let (sources, model) = model(text);
    let told: Vec<String> = (model.ltl_blocks().iter())
        .map(|block| {
            let options = ParseOptions { dialect: Dialect::Spin, ..ParseOptions::default() };
            let error = parse(block.formula.text(), options, &mut Propositions::default()).expect_err("it is wrong");
            shown(&sources, &[block.formula.relocated(error)]).remove(0)
        })
        .collect();
    assert_eq!(
        told,
        [
            "model.pml:3:21 L0100 expected a formula after `&&`, found `)`",
            "model.pml:4:15 L0100 expected an operator or `)`, found `=` / `==` compares; `=` assigns and is not part of a formula",
            "model.pml:5:19 L0100 expected an operator or `)`, found the end of the formula",
        ]
    );
}

#[test]
fn conditions_of_no_reasonable_shape_are_refused() {
    let (mut sources, model) = model(MODEL);
    for (open, close) in [("(", ")"), ("!", ""), ("x + (", ")"), ("t[", "].a"), ("(x -> ", " : 1)"), ("x == ", "")] {
        for count in [1_000, 100_000] {
            let condition = format!("{}x{}", open.repeat(count), close.repeat(count));
            assert!(observing(&mut sources, &model, &[&condition]).is_err(), "{open}");
        }
    }
    let many: Vec<String> = (0..2_000).map(|number| format!("x == {number}")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    assert!(observing(&mut sources, &model, &many).is_ok());
}
