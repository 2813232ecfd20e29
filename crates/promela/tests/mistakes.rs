//! What a wrong model is told: the first complaint of each, and that reading goes on behind it.

use crate::support::read;

#[track_caller]
fn first(text: &str, expected: &str) {
    let complaints = read(text).complaints();
    assert_eq!(complaints.first().map(String::as_str), Some(expected), "{text}\n{}", complaints.join("\n"));
}

#[test]
fn slips_of_people_who_know_c() {
    first(
        "init { if (x == 1) { skip } }",
        "1:11 P0100 expected `::` after `if`, found `(` / Promela has `if :: condition -> ... :: else -> ... fi`",
    );
    first(
        "init { while (x) { skip } }",
        "1:8 P0104 there is no inline `while` before this line / a loop is written `do :: condition -> ... :: else -> break od`",
    );
    first(
        "init { do { x++ } }",
        "1:11 P0100 expected `::` after `do`, found `{` / a loop is written `do :: condition -> ... :: else -> break od`",
    );
    first(
        "init { (x = 1) -> skip }",
        "1:11 P0100 expected `)`, found `=` / `==` compares; `=` assigns and is a statement of its own",
    );
    first(
        "init { return 1 }",
        "1:15 P0100 expected `;` or `->` after a statement, found `1` / there is no `return`: a process ends at its closing brace",
    );
    first(
        "init { x = y++ }",
        "1:13 P0100 expected `;` or `->` after a statement, found `++` / `x++` and `x--` are statements of their own, written after the variable",
    );
    first(
        "init { x = (a ? 1 : 2) }",
        "1:15 P0100 expected `)`, found `?` / a conditional expression is written `(c -> a : b)`",
    );
    first(
        "init { char c }",
        "1:8 P0108 `char` is neither a type nor a statement / the types are bit, bool, byte, pid, short, int, unsigned, mtype, chan and those of typedef",
    );
}

#[test]
fn missing_and_wrong_closers() {
    first("init { if :: x -> skip }", "1:24 P0100 expected `::` or `fi`, found `}` / a `fi` is missing before this");
    first(
        "init { do :: if :: x -> skip od }",
        "1:30 P0100 expected `::` or `fi`, found `od` / a `fi` is missing before this",
    );
    first(
        "init { if :: x -> skip od; y = 1 }",
        "1:24 P0100 expected `::` or `fi`, found `od` / a `fi` is missing before this",
    );
    first(
        "init { x = 1\nproctype P() { skip }",
        "2:1 P0100 expected a statement or `}`, found `proctype` / a `}` is missing before this, or `proctype` does not belong here",
    );
    first(
        "init { skip fi }",
        "1:13 P0100 expected a statement or `}`, found `fi` / there is no `if` for this `fi` here",
    );
    first("init { x = (1 + 2; y = 3 }", "1:18 P0100 expected `)`, found `;`");
    first(
        "init { if x == 1 -> skip fi }",
        "1:11 P0100 expected `::` after `if`, found `x` / each option of `if` begins with `::`",
    );
    first("init { skip", "1:12 P0100 expected a statement or `}`, found the end of the text");
    for text in ["init { if :: x -> skip od; y = 1 }", "init { do :: if :: x -> skip od }", "init { skip fi }"] {
        assert_eq!(read(text).complaints().len(), 1, "{text}");
    }
}

#[test]
fn misspelled_words() {
    first("protcype P() { skip }", "1:1 P0108 `protcype` is neither a type nor a statement / did you mean `proctype`?");
    first("init { atomc { skip } }", "1:8 P0104 there is no inline `atomc` before this line / did you mean `atomic`?");
    first("init { asert(x) }", "1:8 P0104 there is no inline `asert` before this line / did you mean `assert`?");
    first("bytte x; init { skip }", "1:1 P0108 `bytte` is neither a type nor a statement / did you mean `byte`?");
    first(
        "byte len; init { skip }",
        "1:6 P0100 expected the name of a variable, found `len` / `len` is a keyword and cannot be a name",
    );
}

#[test]
fn statements_that_are_not() {
    first("init { }", "1:6 P0100 expected a statement between the braces / `skip` does nothing");
    first("init { ; skip }", "1:8 P0100 expected a statement, found `;`");
    first(
        "init { if :: :: x fi }",
        "1:11 P0100 this option has no statement / `:: skip` does nothing, `:: else` catches the rest",
    );
    first(
        "init { x = 1 y = 2 }",
        "1:14 P0100 expected `;` or `->` after a statement, found `y` / statements on one line are separated by `;`",
    );
    first(
        "init { x = 1; unless { y } }",
        "1:15 P0100 expected a statement before `unless`, found `unless` / write `main unless { escape }`, with no `;` before `unless`",
    );
    first(
        "init { L: byte x; x = 1 }",
        "1:8 P0109 a label cannot stand before a declaration / put it before the first statement after the declaration",
    );
    first("init { q?x+1 }", "1:11 P0100 expected `;` or `->` after a statement, found `+`");
    first(
        "init { x = [] y }",
        "1:12 P0100 expected an expression, found `[]` / temporal operators belong into `ltl { ... }`",
    );
    first("ltl p { }", "1:7 P0100 expected a formula between the braces");
}

#[test]
fn inlines_called_wrongly() {
    first("inline f(a) { a = 1 } init { f(1,2) }", "1:30 P0105 inline `f` takes 1 argument, not 2");
    first("inline f() { f() } init { f() }", "1:14 P0105 inline `f` calls itself");
    first("init { f() } inline f() { skip }", "1:8 P0104 there is no inline `f` before this line");
    first("inline f(a) { a = } init { f(x) }", "1:19 P0100 expected an expression, found the end of the inline");
    first("inline f() { fi } init { f() }", "1:14 P0100 expected a statement or the end of the inline, found `fi`");
    let reading = read("inline f(a) { a = }\ninit { f(x); f(y)\n f(z) }");
    assert_eq!(reading.diagnostics.len(), 1, "one mistake in an inline is told once");
    assert_eq!(reading.sources.line(reading.diagnostics[0].notes[0].span), 2);
}

#[test]
fn embedded_c_is_told_once_and_skipped() {
    let text = "c_decl { \\#include \"x.h\" 'abc' };\nc_state \"int x\" \"Global\"\n\
                init { c_code [x > 1] { if (x) { y = '\\''; } }; x = 1; c_expr { x } -> skip }";
    let reading = read(text);
    let codes: Vec<_> = reading.diagnostics.iter().map(|diagnostic| diagnostic.code).collect();
    assert_eq!(codes, ["P0107"; 4]);
    assert_eq!(reading.last_body(), "skip; x = 1; 1; skip");
}

#[test]
fn several_mistakes_in_one_go() {
    let text = "byte x = ;\nproctype P( { skip }\ninit {\n x = 1 +;\n y = 2;\n if :: z = ( -> skip :: w fi;\n v = )\n u = 3\n}\nltl p { }";
    let complaints = read(text).complaints();
    let lines: Vec<&str> = complaints.iter().map(|complaint| complaint.split(':').next().unwrap()).collect();
    assert_eq!(lines, ["1", "2", "4", "6", "7", "10"], "{}", complaints.join("\n"));
    assert_eq!(read(text).last_body(), "y = 2; if[skip | w]; u = 3");
    let many = read(&"x = ;\ninit { x = }\n".repeat(100));
    assert_eq!(many.diagnostics.len(), 21);
}

#[test]
fn a_mistake_in_a_macro_points_to_both_places() {
    let reading = read("#define bad x = = 1\ninit {\n  bad\n}");
    let diagnostic = &reading.diagnostics[0];
    assert_eq!(reading.sources.line(diagnostic.span), 3);
    assert_eq!(reading.sources.line(diagnostic.notes[0].span), 1);
}
