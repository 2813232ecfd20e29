//! Lints: what each says, and what it must not say.

use lariat_base::SourceMap;
use lariat_promela::{ModelOptions, read_model};

/// `line:column code message` of each warning.
fn warnings(text: &str) -> Vec<String> {
    let mut sources = SourceMap::default();
    let mut loader = |_: &str, _: &str| Err("there is no such file".to_owned());
    let model = read_model(&mut sources, "model.pml", text, &ModelOptions::default(), &mut loader);
    let model = model.unwrap_or_else(|errors| panic!("{text}\n{errors:?}"));
    let show = |warning: &lariat_base::Diagnostic| {
        let place = sources.location(warning.span).expect("a place");
        format!("{}:{} {} {}", place.line, place.column, warning.code, warning.message)
    };
    model.warnings().iter().map(show).collect()
}

#[track_caller]
fn warns(text: &str, expected: &[&str]) {
    assert_eq!(warnings(text), expected, "{text}");
}

#[test]
fn else_beside_messages() {
    let model = |capacity: u8, option: &str| {
        format!(
            "chan q = [{capacity}] of {{ byte }}; byte x;\nactive proctype A() {{ if :: {option} -> assert(x < 9) :: else fi }}\nactive proctype B() {{ q!1 }}\nactive proctype C() {{ q?x }}"
        )
    };
    warns(&model(0, "q?x"), &["2:53 P0601 this `else` can be taken even while a sender waits"]);
    warns(&model(0, "atomic { q?x; x++ }"), &["2:69 P0601 this `else` can be taken even while a sender waits"]);
    warns(&model(1, "q?x"), &["2:53 P0601 this `else` is taken whenever no message is there that can be received"]);
    warns(&model(1, "q!2"), &["2:53 P0601 this `else` is taken whenever the message cannot be sent at once"]);
    for fine in ["nempty(q)", "x == 1 -> q?x", "q?[1]"] {
        warns(&model(1, fine), &[]);
    }
}

#[test]
fn variables_nobody_needs() {
    warns("byte x; init { skip }", &["1:6 P0602 `x` is never used"]);
    warns("byte x; init { x = 1; x = x + 1; x++ }", &["1:6 P0603 `x` is assigned, but its value is never used"]);
    warns("proctype P(byte k) { skip } init { run P(1) }", &["1:17 P0602 the parameter `k` is never used"]);
    warns(
        "chan q = [1] of { byte }; init { byte v; q!1; q?v }",
        &["1:39 P0603 `v` is assigned, but its value is never used"],
    );
    warns("typedef T { byte a; byte b }; T t, u; init { t.a = 1; u.b = t.b; assert(u.b == 0) }", &[]);
    for fine in [
        "byte x; init { x = 1; assert(x == 1) }",
        "byte x; init { printf(\"%d\", x) }",
        "byte x; ltl p { x == 0 } init { x = 1 }",
        "byte x; never { x == 0 } init { x = 1 }",
        "byte x; init { x = 1 } inline f() { x == 1 }",
        "byte n = 3; byte a[n]; init { a[0] = 1; assert(a[0] == 1) }",
        "hidden byte x; init { x = 1 }",
        "byte i; init { for (i : 1 .. 3) { skip } }",
        "byte a[3]; byte i; init { for (i in a) { skip } }",
        "byte x; init { x = 1 }\n#define p (x == 1)\n",
        "byte x; init { x = 1 }\n#ifdef MORE\nactive proctype P() { x == 1 }\n#endif\n",
        "byte a[2]; byte i; init { a[i] = 1; assert(a[0] == 1) }",
        "chan q = [1] of { byte }; init { q!1 }",
        "byte x; active proctype P() provided (x == 0) { skip } init { x = 1 }",
        "proctype P() { byte y; y = 1 } init { run P(); P[1]:y == 1 }",
    ] {
        warns(fine, &[]);
    }
}

#[test]
fn an_inline_is_suspicious_only_if_all_its_calls_are() {
    warns("byte x; inline set(v) { x = v } init { set(300); set(2); assert(x == 2) }", &[]);
    warns(
        "byte x; inline set(v) { x = v } init { set(300); set(400); assert(x == 2) }",
        &["1:25 P0606 300 does not fit into `x`, a byte: it becomes 44"],
    );
    warns("byte x; inline f() { if :: x == 0 -> goto L :: else fi; skip } init { f(); L: skip }", &[]);
}

#[test]
fn what_control_never_comes_to() {
    warns("byte x; init { goto L; x = 1; x = 2; L: assert(x == 0) }", &["1:24 P0604 control never comes here"]);
    warns("byte x; init { do :: x < 3 -> x++ od; assert(x == 3) }", &["1:39 P0604 control never comes here"]);
    warns("byte x; init { do :: x < 3 -> break; x++ od }", &["1:38 P0604 control never comes here"]);
    warns("byte x; init { goto L; do :: x == 1 -> x = 2 od; L: skip }", &["1:24 P0604 control never comes here"]);
    warns("proctype P() { skip } init { skip }", &["1:10 P0605 no process `P` is ever started"]);
    warns(
        "proctype P() { run Q() } proctype Q() { run P() } init { skip }",
        &["1:10 P0605 no process `P` is ever started", "1:35 P0605 no process `Q` is ever started"],
    );
    for fine in [
        "byte x; init { do :: x < 3 -> x++ :: else -> break od; assert(x == 3) }",
        "byte x; init { goto L; M: x = 1; assert(x == 1); L: if :: x == 0 -> goto M :: else fi }",
        "byte x; init { { do :: x++ od } unless { x == 3 }; assert(x == 3) }",
        "byte x; init { if :: x == 0 -> goto L :: else -> goto L fi; L: skip }",
        "proctype P() { skip } init { goto L; run P(); L: skip }",
    ] {
        let found = warnings(fine);
        assert!(found.iter().all(|warning| !warning.contains("P0605")), "{fine}: {found:?}");
        if !fine.contains("run P()") {
            assert!(found.is_empty(), "{fine}: {found:?}");
        }
    }
}

#[test]
fn numbers_that_do_not_fit() {
    let checked = "assert(b == 0 || c == 0)";
    warns(
        &format!("byte b = 300; bit c; init {{ c = 2; {checked} }}"),
        &[
            "1:6 P0606 300 does not fit into `b`, a byte: it becomes 44",
            "1:29 P0606 2 does not fit into `c`, a bit: it becomes 0",
        ],
    );
    warns(
        "chan q = [1] of { byte, short }; byte b; init { q!300,-1; q?b,b; assert(b == 1) }",
        &["1:49 P0606 300 does not fit into field 1 of the message, a byte: it becomes 44"],
    );
    warns(
        "proctype P(bool b; byte c) { assert(b || c) } init { run P(4, -1) }",
        &[
            "1:54 P0606 4 does not fit into `b`, a bool: it becomes 0",
            "1:54 P0606 -1 does not fit into `c`, a byte: it becomes 255",
        ],
    );
    warns("byte a[3]; init { a[3] = 1; assert(a[0] == 0) }", &["1:19 P0610 `a` has no cell 3"]);
    warns("byte b = 255; short s = -32768; unsigned u : 3 = 7; init { assert(b > s || u == 2) }", &[]);
}

#[test]
fn comparisons_that_types_decide() {
    let model = |condition: &str| {
        format!(
            "byte b; bool t; int i; chan q = [2] of {{ byte }};\ninit {{ if :: {condition} -> q!1 :: else fi; q?b; t = b; i = t }}\nltl p {{ i == 0 }}"
        )
    };
    for (condition, verdict) in [
        ("b == 300", "never"),
        ("b < 0", "never"),
        ("b >= 0", "always"),
        ("300 > b", "always"),
        ("0 > b", "never"),
        ("t == 2", "never"),
        ("b != 256", "always"),
        ("len(q) > 2", "never"),
    ] {
        warns(&model(condition), &[&format!("2:14 P0607 this {verdict} holds")]);
    }
    for fine in ["b == 255", "b < 1", "b > 0", "b - 1 < 0", "i < 0", "300 == 300", "len(q) > 1", "b <= t"] {
        warns(&model(fine), &[]);
    }
    warns(
        "byte i; init { for (i : 0 .. 255) { skip } }",
        &["1:16 P0607 this loop never ends: `i`, a byte, never exceeds 255"],
    );
    warns("byte i; init { for (i : 0 .. 254) { skip } }", &[]);
    warns(
        "chan q = [1] of { bit, byte }; byte b; init { q!1,b; q?2,b; assert(b == 0) }",
        &["1:54 P0607 no message has 2 there: the field is a bit"],
    );
}

#[test]
fn labels_fields_and_parameters() {
    warns("init { L: skip }", &["1:8 P0608 nothing jumps to the label `L`"]);
    warns("init { endL: skip; progress: skip; accept1: skip; L: skip; goto L }", &[]);
    warns("active proctype P() { L: skip } ltl p { !P@L }", &[]);
    warns("proctype P() { L: skip } init { run P(); P[1]@L }", &[]);
    warns(
        "chan q = [1] of { byte, byte }; byte x; init { q!1; q?x; assert(x == 1) }",
        &[
            "1:48 P0609 only 1 field for `q`, whose messages have 2",
            "1:53 P0609 only 1 field for `q`, whose messages have 2",
        ],
    );
    warns("chan q = [1] of { byte, byte }; init { q!1,2; q?[1] }", &[]);
    warns(
        "active proctype P(byte k) { assert(k == 0) }",
        &["1:19 P0611 the parameters of `P` are 0 in processes that `active` starts"],
    );
}

#[test]
fn there_are_only_so_many_of_a_kind() {
    let many: String = (0..1000).map(|number| format!("byte v{number};\n")).collect();
    let found = warnings(&format!("{many}init {{ skip }}"));
    assert_eq!(found.len(), 20);
}
