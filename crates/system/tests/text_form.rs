//! The text form: its document, its mistakes, and texts made to break the parser.

use lariat_base::{Diagnostic, FileId, SourceMap};
use lariat_system::reference::Evaluator;
use lariat_system::{System, text};

fn parse(text: &str) -> Result<System, Diagnostic> {
    text::parse(text, FileId(0))
}

/// The example in the document.
fn example() -> &'static str {
    let document = include_str!("../../../docs/text-form.md");
    let (_, rest) = document.split_once("```lariat\n").expect("the document has an example");
    rest.split_once("```").expect("the example ends").0
}

#[test]
fn the_example_of_the_document_is_a_system_and_prints_as_it_is_written() {
    let system = parse(example()).expect("it parses");
    assert_eq!(system.validate(), Ok(()));
    assert_eq!(parse(&system.to_string()).expect("it parses again").without_spans(), system.clone().without_spans());
    let evaluator = Evaluator::new(&system);
    let initial = evaluator.initial();
    assert_eq!(initial.len(), 2);
    assert!(!evaluator.steps(&initial[0]).is_empty());

    // The example shows the form as it is printed, but for `>` and the comments that number actions.
    let plain = |line: &str| line.split(" //").next().unwrap_or("").replace("p0.sent > 2", "2 < p0.sent");
    let printed: Vec<String> = system.to_string().lines().map(plain).collect();
    let written: Vec<String> = example().lines().map(plain).collect();
    assert_eq!(printed, written);
}

#[test]
fn mistakes_are_told_with_their_place() {
    let cases = [
        ("system s slot x : 0..3 = 0 invariant y == 1", "S0003", "y", "there is no slot `y`"),
        ("system s slot x : 0.3 = 0", "S0002", ".", "expected `..`, found `.`"),
        ("system s slot counter : bool = 0 invariant countr", "S0003", "countr", "there is no slot `countr`"),
        ("system s slot set : bool = 0", "S0002", "set", "expected the name of the slot, found `set`"),
        ("system s invariant p0", "S0003", "p0", "p0 is not in scope here"),
        ("system s action a { when ?c }", "S0003", "c", "there is no choice `c`"),
        ("system s action a by P { }", "S0003", "P", "there is no frame `P`"),
        ("system s action a { set 1 := 2 }", "S0003", "1", "only a slot can be set"),
        ("system s action a { nonsense }", "S0002", "nonsense", "expected a part of an action, found `nonsense`"),
        ("system s pool 70000", "S0001", "70000", "70000 is too large for a number of processes"),
        ("system s fairness weak steps go", "S0003", "go", "there is no label `go`"),
        ("system s init { exit }", "S0002", "exit", "expected choose, when, set, spawn or }, found `exit`"),
        ("system \"s", "S0001", "\"", "the quote is not closed"),
        ("system s $", "S0001", "$", "`$` has no meaning here"),
        ("system", "S0002", "", "expected the name of the system, found the end"),
    ];
    for (source, code, place, message) in cases {
        let mut map = SourceMap::default();
        let file = map.add("test", source);
        let found = text::parse(source, file).expect_err(source);
        assert_eq!((found.code, map.text(found.span), found.message.as_str()), (code, place, message), "{source}");
    }
    let help = parse("system s slot counter : bool = 0 invariant countr").expect_err("no such slot").help;
    assert_eq!(help.as_deref(), Some("did you mean `counter`?"));
}

#[test]
fn hostile_texts_are_refused_without_harm() {
    let invariant = |expr: String| format!("system s slot x : 0..3 = 0 invariant {expr}");
    let many = 200_000;
    for source in [
        invariant("(".repeat(many)),
        invariant("!".repeat(many)),
        invariant("-".repeat(many)),
        invariant("if ".repeat(many)),
        invariant("u8(".repeat(many)),
        invariant("x[".repeat(many)),
        invariant("lives P[".repeat(many)),
        invariant("if x then x else ".repeat(many)),
        invariant(format!("x{}", " + x".repeat(many))),
        invariant(format!("x{}", " || x == x".repeat(many))),
        format!("system s frame P {{ }} invariant {}", "exists(P as p0 : ".repeat(many)),
    ] {
        parse(&source).expect_err("it nests too deeply or is not complete");
    }
    // Any prefix of a text is refused or accepted, but never more than that.
    for end in (0..example().len()).filter(|end| example().is_char_boundary(*end)) {
        let _ = parse(&example()[..end]);
    }
}

#[test]
fn deep_expressions_that_are_allowed_come_back() {
    let nested = format!("{}x{}", "(1 - ".repeat(480), ")".repeat(480));
    let chain = format!("x{}", " + x".repeat(480));
    let conditional = format!("{}0", "if x then 1 else ".repeat(480));
    for expr in [nested, chain, conditional] {
        let system = parse(&format!("system s slot x : bool = 0 invariant {expr}")).expect("it parses");
        assert_eq!(system.validate(), Ok(()));
        assert_eq!(parse(&system.to_string()).expect("it parses again").without_spans(), system.without_spans());
    }
}

#[test]
fn whatever_a_name_is_it_comes_back() {
    let names = [
        "p0",
        "p12.x",
        "p300",
        "p00",
        "u8",
        "i3",
        "u",
        "if",
        "set",
        "count",
        "exists",
        "a..b",
        "a.b",
        "x.",
        ".x",
        "ü",
        "a b",
        "9x",
        "\u{1}\r\n\t\"\\",
        "//",
        "weak",
        "?",
        "lives",
        "bool",
        "0",
    ];
    for name in names {
        let quoted = format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\""));
        let source = format!(
            "system {quoted} enum {quoted} = 0..1 {{ {quoted} = 0 }}
             slot {quoted} : {quoted} = 0
             frame {quoted} {{ control slot {quoted}[1] : {quoted} = 0 }} pool 1
             init {{ choose {quoted} : bool spawn {quoted}({quoted} := ?{quoted}) }}
             label {quoted} step
             action {quoted} by {quoted} {{
                 choose {quoted} : {quoted} choose {quoted} : bool
                 when p0.{quoted}[0] == {quoted}[p0].{quoted}[?{quoted}] || lives {quoted}[?1]
                 set {quoted} := ?1
                 label {quoted} if exists({quoted} as p1 : p1.{quoted}[{quoted}])
             }}
             fairness compassion {quoted} -> {quoted}"
        );
        let system = parse(&source).unwrap_or_else(|error| panic!("{name:?}: {error:?}"));
        assert!(system.frames.iter().all(|frame| frame.name == name));
        let printed = system.to_string();
        let again = parse(&printed).unwrap_or_else(|error| panic!("{name:?}: {error:?}\n{printed}"));
        assert_eq!(again.without_spans(), system.without_spans(), "{printed}");
    }
}
