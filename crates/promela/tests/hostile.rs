//! Models that are large or nested in every way there is: the whole front end takes them or refuses them, quickly.

use lariat_promela::fuzz::front_end;
use std::time::{Duration, Instant};

/// With optimisation each takes less than a second; a debug build on a busy machine gets more.
const PATIENCE: Duration = Duration::from_secs(20);
/// That of the program's own thread.
const STACK_BYTES: usize = 256 << 20;

/// `code` is that of the first error, or empty for a model.
fn quickly(what: &str, text: String, code: &str) {
    let start = Instant::now();
    let read = move || {
        let outcome = front_end(text.as_bytes());
        let first = outcome.diagnostics.iter().find(|diagnostic| diagnostic.is_error());
        first.map_or(String::new(), |error| format!("{} {}", error.code, error.message))
    };
    let worker = std::thread::Builder::new().stack_size(STACK_BYTES).spawn(read).expect("a thread");
    let first = worker.join().unwrap_or_else(|_| panic!("{what} panics"));
    assert_eq!(first.split(' ').next(), Some(code), "{what}: {first}");
    assert!(start.elapsed() < PATIENCE, "{what} took {:?}", start.elapsed());
}

fn lines(count: usize, line: impl Fn(usize) -> String) -> String {
    (0..count).map(|number| line(number) + "\n").collect()
}

#[test]
fn very_many_statements_options_and_labels() {
    let body = |stmts: String| format!("byte x; init {{ {stmts} }}");
    quickly("statements", body("x = 1;\n".repeat(50_000)), "");
    quickly("in a d_step", body(format!("d_step {{ {} }}", "x = 1;\n".repeat(50_000))), "");
    quickly("labels", body(lines(50_000, |n| format!("L{n}: x = 1;")) + "goto L5"), "");
    quickly("gotos", body(lines(50_000, |n| format!("L{n}: goto L{};", n + 1)) + "L50000: x = 1"), "P0443");
    quickly("locals", body(lines(30_000, |n| format!("byte v{n};")) + "v5 = 1"), "");
    quickly("late locals", body("x = 1; ".to_owned() + &lines(30_000, |n| format!("byte v{n} = 1;"))), "");
    quickly("equal names", body("x = 1; ".to_owned() + &"{ byte v; v = 1 };\n".repeat(10_000)), "");
    let options = lines(5000, |n| format!(":: x == {} -> x = 1", n % 250));
    quickly("options", body(format!("if {options} fi")), "");
    quickly("options and else", body(format!("do {options} :: else -> break od")), "");
    quickly("options in a d_step", body(format!("d_step {{ if {options} :: else fi }}")), "P0501");
    quickly("runs", format!("proctype P() {{ skip }} init {{ {} }}", "run P();\n".repeat(50_000)), "");
    quickly(
        "empty blocks",
        format!("chan q = [1] of {{ byte }}; init {{ {} skip }}", "{ xr q };\n".repeat(50_000)),
        "P0443",
    );
    quickly("unless", body(format!("{{ {} }} unless {{ x > 3 }}", "x = 1; ".repeat(20_000))), "");
}

#[test]
fn very_many_things_of_a_kind() {
    quickly("globals", lines(50_000, |n| format!("byte v{n};")) + "init { v5 = 1 }", "");
    let procs = lines(10_000, |n| format!("proctype P{n}() {{ skip }}"));
    quickly("proctypes", procs + "init { run P7() }", "");
    let chain = lines(3000, |n| format!("proctype P{n}() {{ run P{}() }}", n + 1));
    quickly("a chain of proctypes", chain + "proctype P3000() { skip } init { run P0() }", "");
    quickly("properties", lines(10_000, |n| format!("ltl p{n} {{ true }}")) + "init { skip }", "");
    quickly("constants", format!("mtype = {{ {} }}; init {{ skip }}", lines(300, |n| format!("m{n},"))), "P0402");
    quickly("processes", "active [200] proctype P() { skip } active [100] proctype Q() { skip }".into(), "P0440");
    quickly(
        "undeclared",
        lines(10_000, |n| format!("byte variable{n};"))
            + &format!("init {{ {} }}", lines(10_000, |n| format!("veriable{n} = 1;"))),
        "P0429",
    );
}

#[test]
fn rendezvous_of_many_with_many() {
    let model = |count: usize, otherwise: &str| {
        let send = lines(count, |n| format!(":: q!x,{}", n % 200));
        let receive = ":: q?x,y\n".repeat(count);
        format!(
            "chan q = [0] of {{ byte, byte }}; byte x, y;\n\
             active proctype S() {{ do {send} {otherwise} od }} active proctype R() {{ do {receive} od }}"
        )
    };
    quickly("300 by 300", model(300, ""), "");
    quickly("300 by 300 and else", model(300, ":: else"), "");
    quickly("2000 by 2000", model(2000, ""), "P0501");
    quickly("2000 by 2000 and else", model(2000, ":: else"), "P0501");
}

#[test]
fn structures_arrays_and_channels() {
    let nested = |count: usize, fields: &str| {
        let rest =
            lines(count, |n| format!("typedef T{} {{ T{n} a; {} }};", n + 1, fields.replace('@', &format!("T{n}"))));
        format!("typedef T0 {{ byte x }};\n{rest}")
    };
    quickly("100 deep", nested(100, "byte b") + &format!("T100 t; init {{ t{}.x = 1 }}", ".a".repeat(100)), "");
    quickly("5000 deep", nested(5000, "byte b") + "T5000 t; init { t.b = 1 }", "P0407");
    quickly("doubling", nested(40, "@ b") + "T40 t; chan q = [1] of { T40 }; init { t.a.b.a.x = 1 }", "P0407");
    quickly("itself", "typedef T { T x }; T t; init { skip }".into(), "P0405");
    quickly("cells", "typedef T { byte a[1000000] }; typedef U { T t[1000000] }; typedef V { U u[1000000] }; V v[1000000]; init { v[1].u[2].t[3].a[4] = 1 }".into(), "P0407");
    quickly("a billion", "byte a[1000000000]; init { a[0] = 1 }".into(), "P0407");
    quickly("sixteen million", "byte a[16777216]; init { a[0] = 1 }".into(), "P0500");
    quickly(
        "wide",
        format!("typedef T {{ {} }}; T t; init {{ t.f9999 = 1 }}", lines(10_000, |n| format!("byte f{n};"))),
        "",
    );
    quickly(
        "a wide message",
        format!(
            "typedef T {{ {} }}; T t; chan q = [1] of {{ byte }}; init {{ q!t }}",
            lines(10_000, |n| format!("byte f{n};"))
        ),
        "P0453",
    );
    quickly("channels", "chan q[16000000] = [1] of { byte }; init { q[0]!1 }".into(), "P0501");
    quickly("local channels", "init { chan q[1000] = [1] of { byte }; q[0]!1 }".into(), "");
    quickly(
        "sorting",
        "chan q = [255] of { int, int, int, int, int, int, int, int }; init { q!!1,2,3,4,5,6,7,8 }".into(),
        "P0501",
    );
    let declared = lines(1000, |n| format!("chan q{n} = [{}] of {{ byte }};", n % 255));
    let assigned = lines(1000, |n| format!("c = q{n};"));
    quickly("one for many", format!("{declared} chan c; byte x; init {{ {assigned} c!1; c?x }}"), "");
}

#[test]
fn long_and_deep_expressions() {
    let model = |value: String| format!("int x; byte a[3]; init {{ x = {value} }}");
    quickly("a sum", model(format!("1{}", " + x".repeat(50_000))), "");
    quickly("a conjunction", model(format!("x{}", " && x == 1".repeat(50_000))), "");
    quickly("quotients", model(format!("1{}", " + 1 / x".repeat(20_000))), "");
    quickly("differences", model(format!("1{}", " - x".repeat(190))), "");
    quickly("many differences", model(format!("1{}", " - x".repeat(50_000))), "P0106");
    quickly("indices", model(format!("{}0{}", "a[".repeat(190), "]".repeat(190))), "");
    quickly("conditions", model(format!("{}3{}", "(x / x > 1 -> x : ".repeat(90), ")".repeat(90))), "");
    quickly(
        "nested choices",
        format!("byte x; init {{ {}x == 1{} }}", "if :: x == 0 :: ".repeat(90), " :: else fi".repeat(90)),
        "",
    );
    quickly("a range", "int x; init { select(x : 0 .. 2000000000); for (x : 0 .. 2000000000) { skip } }".into(), "");
    quickly("a long name", format!("byte x; init {{ {} = 1 }}", "y".repeat(1 << 20)), "P0429");
}

#[test]
fn odd_files() {
    for (text, code) in [
        ("", "P0400"),
        ("\n\n", "P0400"),
        ("byte x;\r\ninit {\r\n  x = 1\r\n  assert(x == 1)\r\n}\r\n", ""),
        ("byte x; init { x = 1 }", ""),
        ("\u{feff}byte x; init { x = 1 }", ""),
        ("byte x;\0\0 init { x = 1 }\0", "P0001"),
        ("byte größe; init { größe = 1; 变量 = 2 }", "P0001"),
    ] {
        quickly("an odd file", text.to_owned(), code);
    }
    front_end(&(0..=255).cycle().take(100_000).collect::<Vec<u8>>());
}
