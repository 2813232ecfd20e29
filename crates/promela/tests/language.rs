//! The language, one feature a test: what is read and how it prints.

use crate::support::{body, read_well};
use lariat_promela::tree::{ExprKind, Initializer, Stmt, StmtKind, TypeKind, Unit};

#[test]
fn plain_statements_print_as_written() {
    for text in [
        "x = 1",
        "y1 = true",
        "x++",
        "a[i + 1].b[2].c--",
        "skip",
        "(x == 1)",
        "x == 1",
        "timeout",
        "assert(x > 0)",
        "goto L",
        "run P(1)",
        "x = run P(1,x) priority 3",
        "printf(\"%d\\n\", x)",
        "printm(x)",
        "_priority = 3",
        "set_priority(p, 2)",
        "get_priority(_pid) == 1",
        "x = 'a'",
        "xr q, r[1]",
        "xs q",
        "_ = 3",
        "select (i : 1 .. n - 1)",
        "byte v = 3, w[2]",
        "hidden int z = {1, 2}",
        "unsigned u : 3 = 2",
        "chan c = [2] of {byte, mtype, mtype:m, chan, T}",
        "mtype:m k = a",
    ] {
        assert_eq!(body(text), text);
    }
}

#[test]
fn messages_print_as_written() {
    for text in [
        "q!x,3",
        "q[1]!!x + 1,(y)",
        "q!tag(a,b)",
        "q!tag()",
        "q?x,_",
        "q??1,eval(x + 1)",
        "q?<x,-1>",
        "q??<a>",
        "q?tag(a,b)",
        "q?[a,_]",
        "q??[1] && len(q) < 2",
        "empty(q) || nempty(q) || full(q) || nfull(a.q[1])",
    ] {
        assert_eq!(body(text), text);
    }
    assert_eq!(body("q?(a,b)"), "q?a,b");
    assert_eq!(body("if :: q?a -> q!b :: q?<c> -> skip fi"), "if[q?a; q!b | q?<c>; skip]");
}

#[test]
fn expressions_bind_as_in_c() {
    let shape = |text: &str| {
        fn show(e: &lariat_promela::tree::Expr) -> String {
            match &e.kind {
                ExprKind::Binary(op, a, b) => format!("[{} {} {}]", show(a), op.text(), show(b)),
                ExprKind::Unary(op, a) => format!("[{}{}]", op.text(), show(a)),
                _ => e.kind.to_string(),
            }
        }
        let reading = read_well(&format!("init {{ x = {text} }}"));
        let Unit::Init(init) = &reading.model.units[0] else { panic!("an init") };
        let StmtKind::Assign(_, value) = &init.body.stmts[0].kind else { panic!("an assignment") };
        show(value)
    };
    assert_eq!(shape("a || b && c | d ^ e & f"), "[a || [b && [c | [d ^ [e & f]]]]]");
    assert_eq!(shape("a == b < c << d + e * f"), "[a == [b < [c << [d + [e * f]]]]]");
    assert_eq!(shape("a - b - c + d"), "[[[a - b] - c] + d]");
    assert_eq!(shape("-a * !b % ~c"), "[[[-a] * [!b]] % [~c]]");
    assert_eq!(shape("a - (b - c)"), "[a - [b - c]]");
    assert_eq!(shape("!!a"), "[![!a]]");
}

#[test]
fn special_expressions() {
    for text in [
        "(x -> 1 : y) + 1",
        "P@L",
        "P[1]@L && P[_pid]:x[2].y == 1",
        "P:x == 1",
        "np_ || timeout || _nr_pr == 2 || _last == 1",
        "enabled(1) && pc_value(_pid) > 2",
        "(a -> (b -> 1 : 2) : 3)",
        "skip == true",
    ] {
        assert_eq!(body(text), text);
    }
}

#[test]
fn compound_statements() {
    assert_eq!(body("do :: true od"), "do[true]");
    assert_eq!(body("do :: x = 1od"), "do[x = 1]");
    assert_eq!(body("do :: x -> break; :: else -> ; od; if :: skip fi"), "do[x; break | else]; if[skip]");
    assert_eq!(body("if :: else skip :: else if :: x fi fi"), "if[else; skip | else; if[x]]");
    assert_eq!(
        body("atomic { x = 1; d_step { y = 2 } } { z = 3 } x = 1"),
        "atomic{x = 1; d_step{y = 2}}; {z = 3}; x = 1"
    );
    assert_eq!(body("for (i : 1 .. 3) { x++ } for (m in q) { skip }"), "for (i : 1 .. 3){x++}; for (m in q){skip}");
    assert_eq!(body("L: M: x = 1; E:"), "L: M: x = 1; E: skip");
    assert_eq!(body("L: { x } unless { y }; z unless w -> v"), "<L: {x} unless {y}>; <z unless w>; v");
    assert_eq!(body("do :: x unless y od"), "do[<x unless y>]");
    assert_eq!(body("T t; t.f = 1; byte in, select; in = select"), "T t; t.f = 1; byte in, select; in = select");
}

#[test]
fn line_ends_separate_but_operators_go_on() {
    assert_eq!(body("x = 1\ny = 2\n(z)\n-w\n!v"), "x = 1; y = 2; (z); -w; !v");
    assert_eq!(body("x == 1\n&& y == 2\n|| z\nw = a\n+ b"), "x == 1 && y == 2 || z; w = a + b");
    assert_eq!(
        body("if\n:: (x == 0)\n && (y == 0)\n -> z = 1\n:: else\nfi\nw"),
        "if[(x == 0) && (y == 0); z = 1 | else]; w"
    );
    assert_eq!(body("(a\n- b\n)\nq!x\n(y)\n{ x }\nunless\n{ y }"), "(a - b); q!x; (y); <{x} unless {y}>");
    assert_eq!(body("x = 1;; -> y = 2 -> ;"), "x = 1; y = 2");
}

#[test]
fn units_of_all_kinds() {
    let reading = read_well(
        "mtype = { a, b c }; mtype:m { d };;\n\
         typedef T { byte x, y; bool z[3] }\n\
         hidden T t; show byte s byte s2\n\
         chan q[2] = [1] of { T, byte }\n\
         inline f(p) { p = 1 }\n\
         active [2] proctype A() priority 2 provided (s > 1) { skip }\n\
         D_proctype B(byte u, v; chan w) { skip };\n\
         init priority 3 { run B(1,2,q[0]) }\n\
         never n { do :: A[1]@L od }\n\
         trace { q[0]!_,1 }\n\
         notrace { q[1]?_,1 }\n\
         ltl p1 { [] (s <= 2) && <> (x U y) }\n\
         ltl { a <-> b }\n",
    );
    let units = &reading.model.units;
    assert_eq!(units.len(), 16);
    let Unit::Mtype(mtype) = &units[0] else { panic!("an mtype") };
    assert_eq!(mtype.names.len(), 3);
    let Unit::Mtype(mtype) = &units[1] else { panic!("an mtype") };
    assert!(mtype.set.is_some());
    let Unit::Decl(q) = &units[6] else { panic!("channels") };
    assert_eq!(q.ty.kind, TypeKind::Chan);
    let Some(Initializer::Channel(channel)) = &q.vars[0].init else { panic!("a channel") };
    assert_eq!(channel.fields.len(), 2);
    let Unit::Proctype(a) = &units[8] else { panic!("a proctype") };
    assert!(a.active.as_ref().is_some_and(|active| active.count.is_some()) && a.provided.is_some());
    let Unit::Proctype(b) = &units[9] else { panic!("a proctype") };
    assert!(b.deterministic && b.parameters.len() == 2 && b.parameters[0].vars.len() == 2);
    let Unit::Ltl(ltl) = &units[14] else { panic!("a formula") };
    assert_eq!(ltl.text, "[] (s <= 2) && <> (x U y)");
    assert_eq!(ltl.formula.len(), 13);
}

#[test]
fn inlines_are_put_in_place() {
    let reading = read_well(
        "inline f(a, b) { a = b * 2; q!a }\n\
         inline g(c) { f(c, 1 + 2) f(c.x[1], c) }\n\
         init { g(v); f(w,\n 3)\n g(u) }",
    );
    let expected = "g(v){f(v, 1 + 2){v = 1 + 2 * 2; q!v}; f(v.x[1], v){v.x[1] = v * 2; q!v.x[1]}}; \
                    f(w, 3){w = 3 * 2; q!w}; \
                    g(u){f(u, 1 + 2){u = 1 + 2 * 2; q!u}; f(u.x[1], u){u.x[1] = u * 2; q!u.x[1]}}";
    assert_eq!(reading.last_body(), expected);
}

#[test]
fn statements_of_an_inline_stand_in_its_body() {
    let text = "inline set(v, e, test) {\n  v = e;\n  test;\n  v = 1\n  get(v)\n}\n";
    let text =
        format!("inline get(w) {{\n  w\n  w = 0\n}}\n{text}init {{\n  byte x;\n  set(x,\n    x + 1,\n    x > 0)\n}}");
    let reading = read_well(&text);
    let Some(Unit::Init(init)) = reading.model.units.last() else { panic!("an init") };
    let StmtKind::Call(call) = &init.body.stmts[1].kind else { panic!("a call") };
    let line = |stmt: &Stmt| reading.sources.line(stmt.span);
    assert_eq!(line(&init.body.stmts[1]), 13);
    assert_eq!(call.body.stmts.iter().map(line).collect::<Vec<_>>(), [6, 7, 8, 9]);
    let StmtKind::Call(inner) = &call.body.stmts[3].kind else { panic!("a call") };
    assert_eq!(inner.body.stmts.iter().map(line).collect::<Vec<_>>(), [2, 3]);
}

#[test]
fn long_chains_are_balanced_and_print_the_same() {
    let chain = vec!["a"; 50_000].join(" || ");
    assert_eq!(body(&chain), chain);
}
