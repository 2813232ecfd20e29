//! No text makes the reader panic, overflow its stack or take long.

use std::time::{Duration, Instant};

use crate::support::{read, read_with};

/// Small models that between them use all of the language.
const SEEDS: &[&str] = &[
    "#define N 3\n#define f(a, b) a = b\nbyte x, y[N];\nactive [2] proctype P() { do :: x < N -> f(x, x + 1) :: else -> break od }\n",
    "mtype = { a, b };\ntypedef T { byte u; chan c };\nchan q = [2] of { mtype, byte };\ninit { mtype m; T t; q!a,1; q?m(t.u); if :: q?[b,_] -> q??<m,eval(t.u)> :: empty(q) fi }\n",
    "inline g(v, w) { atomic { v++; w = (v > 1 -> 2 : 3) } }\nint n;\ninit { pid p; p = run Q(1, n); L: g(n, n); { goto L } unless { timeout } }\nproctype Q(byte k; int z) provided (n < 3) { for (z : 1 .. k) { printf(\"%d\\n\", z) } select (z : 0 .. 2); assert(z != 'x') }\nnever { do :: Q[1]:z == 2 && !Q@L :: np_ od }\nltl p { [] (n < 3) -> <> (n == 2 U n == 1) }\n",
    "#ifdef A\nbyte x;\n#elif defined(B) && (1 << 2) == 4\n#else\n#include \"self.h\"\n#endif\n/* c */ unsigned u : 3 = 2; // d\nd_proctype R() { d_step { u = ~u & 1 | 2 ^ 3 } }\nnotrace { q!1 }\n",
];

/// A small generator (xorshift), so that every run tries the same.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit.max(1) as u64) as usize
    }
}

/// Reads, shows everything, and drops.
fn survive(text: &str) {
    let reading = read_with(text, &[("B", "1")], &[("self.h", "#include \"self.h\"\n")]);
    reading.complaints();
    assert!(!format!("{:?}", reading.model).is_empty());
}

fn quickly(what: &str, text: &str, code: &str) {
    let start = Instant::now();
    let complaints = read_with(text, &[], &[("self.h", text)]).complaints();
    let took = start.elapsed();
    let shown: String = complaints.first().map_or("nothing", |complaint| complaint).chars().take(200).collect();
    assert!(complaints.iter().any(|complaint| complaint.contains(code)), "{what}: {shown}");
    assert!(took < Duration::from_secs(20), "{what} took {took:?}");
}

#[test]
fn truncations() {
    for seed in SEEDS {
        for end in (0..=seed.len()).filter(|&end| seed.is_char_boundary(end)) {
            survive(&seed[..end]);
        }
    }
}

#[test]
fn mutations_and_shuffles() {
    const SPICE: &[&str] = &[
        "{",
        "}",
        "(",
        ")",
        "[",
        "]",
        "::",
        ";",
        "->",
        "if",
        "fi",
        "do",
        "od",
        "#",
        "\n#define x x(",
        "\\",
        "\"",
        "'",
        "/*",
        "*/",
        "\0",
        "ü",
        "unless",
        "inline",
        "ltl",
        "c_code",
        "@",
        ":",
        "..",
        "?",
        "!",
        "\n",
        "x(",
        ",",
        "#if",
        "proctype",
        "99999999999",
        "else",
        "typedef",
        "mtype",
        "=",
        "\n#endif\n",
        "\n#else\n",
    ];
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let start = Instant::now();
    let mut rounds = 0;
    while start.elapsed() < Duration::from_millis(800) && rounds < 100_000 {
        rounds += 1;
        let seed = SEEDS[random.below(SEEDS.len())];
        let mut words: Vec<&str> = seed.split_inclusive(|c: char| !c.is_alphanumeric()).collect();
        for _ in 0..=random.below(6) {
            let (at, other) = (random.below(words.len()), random.below(words.len()));
            match random.below(4) {
                0 => words.swap(at, other),
                1 => words[at] = SPICE[random.below(SPICE.len())],
                2 => words.insert(at, SPICE[random.below(SPICE.len())]),
                _ => drop(words.remove(at)),
            }
        }
        let mut bytes = words.concat().into_bytes();
        for _ in 0..random.below(4) {
            let at = random.below(bytes.len());
            bytes[at] = random.below(256) as u8;
        }
        survive(&String::from_utf8_lossy(&bytes));
    }
    assert!(rounds > 100, "only {rounds} rounds");
}

#[test]
fn deep_nesting_is_refused_quickly() {
    let deep = 100_000;
    let wrap = |open: &str, inner: &str, close: &str| {
        format!("chan q = [1] of {{ byte }}; init {{ {}{inner}{} }}", open.repeat(deep), close.repeat(deep))
    };
    for (open, inner, close) in [
        ("(", "x", ")"),
        ("{", "x", "}"),
        ("if :: ", "x", " fi"),
        ("a[", "x", "]"),
        ("!", "x", ""),
        ("x = -", "x", ""),
        ("(a -> b : ", "x", ")"),
        ("x == (1 || 1 && 1 | 1 ^ 1 & 1 == 1 < 1 << 1 + 1 * -", "x", ")"),
        ("q?(", "x", ")"),
        ("q?a(", "x", ")"),
        ("run P(", "x", ")"),
        ("len(", "x", ")"),
        ("atomic { do :: x unless { ", "x", "} od }"),
        ("q!a(", "x", ")"),
        ("x - ", "x", ""),
    ] {
        let text = wrap(open, inner, close);
        let start = Instant::now();
        let reading = read(&text);
        assert!(reading.diagnostics.iter().any(|diagnostic| diagnostic.is_error()), "{open}");
        drop(reading);
        assert!(start.elapsed() < Duration::from_secs(20), "{open} took {:?}", start.elapsed());
    }
    quickly("parentheses", &wrap("(", "x", ")"), "P0106");
    quickly("a chain", &wrap("x - ", "x", ""), "P0106");
    quickly("parentheses in #if", &format!("#if {}1\n#endif\n", "(".repeat(deep)), "P0015");
    quickly("signs in #if", &format!("#if {}1\n#endif\n", "- ".repeat(deep)), "P0015");
    quickly("macro arguments", &format!("#define f(x) x\ninit {{ {}1 }}", "f(".repeat(deep)), "P00");
    let calls = format!("#define f(x) x\ninit {{ {}1{} }}", "f(".repeat(deep), ")".repeat(deep));
    quickly("macro calls", &calls, "P0020");
}

/// The deepest that is admitted fits into a stack of 2 MiB, and so does printing and dropping it.
#[test]
fn the_deepest_admitted_fits_the_stack() {
    let deep = lariat_promela::MAX_DEPTH - 2; // the statement around
    let climb = "(1 || 1 && 1 | 1 ^ 1 & 1 == 1 < 1 << 1 + 1 * ";
    let mut texts = Vec::new();
    for (open, close, levels) in [
        ("(", ")", deep),
        (climb, ")", 19),
        ("(a -> b : ", ")", deep),
        ("{ atomic {", "}}", deep / 4),
        ("do :: x unless { if :: ", " fi } od", deep / 6),
        ("a[", "]", deep),
        ("run P(", ")", deep),
        ("q!a(", ")", 1),
    ] {
        texts.push(format!("init {{ {}x{} }}", open.repeat(levels), close.repeat(levels)));
    }
    let inlines: String = (0..98).map(|n| format!("inline f{}(a) {{ f{n}(a) }}\n", n + 1)).collect();
    texts.push(format!("inline f0(a) {{ x = a }}\n{inlines}init {{ f98(1) }}"));
    let check = move || {
        for text in texts {
            let reading = read(&text);
            assert_eq!(reading.complaints(), [""; 0], "{text}");
            reading.last_body();
        }
    };
    let thread = std::thread::Builder::new().stack_size(2 << 20).spawn(check).expect("a thread");
    thread.join().expect("no complaints");
}

#[test]
fn bombs_end_quickly() {
    let doubling: String = (0..100).map(|level| format!("#define m{level} m{} m{}\n", level + 1, level + 1)).collect();
    quickly("doubling", &format!("{doubling}init {{ m0 }}"), "P0020");
    let nested = |levels: usize| format!("{}\"a\"{}", "t(".repeat(levels), ")".repeat(levels));
    let strings = "#define s(x) #x\n#define t(x) s(x)\n";
    quickly("strings of strings", &format!("{strings}init {{ printf({}) }}", nested(60)), "P0020");
    let long = format!("#define s(x) #x\n#define e(x) {}\n#define t(x) s(x)\n", "x ".repeat(1000));
    quickly("long strings", &format!("{long}init {{ t(e(e(\"{}\"))) }}", "a".repeat(1 << 20)), "P0020");
    let joined = "#define s(x) x##x\n#define t(x) s(x)\n";
    quickly("joined words", &format!("{joined}init {{ {} }}", nested(60).replace('"', "")), "P0020");
    let calling: String =
        (0..100).map(|level| format!("#define m{level}(x) m{}(x x) m{}(x)\n", level + 1, level + 1)).collect();
    quickly("doubling arguments", &format!("{calling}init {{ m0(y) }}"), "P0020");
    let silent: String = (0..100).map(|level| format!("#define m{level} m{} m{}\n", level + 1, level + 1)).collect();
    quickly("doubling nothing", &format!("{silent}#define m100\ninit {{ m0 }}"), "P0020");
    let inlines: String =
        (0..100).rev().map(|level| format!("inline f{level}() {{ f{}(); f{}() }}\n", level + 1, level + 1)).collect();
    quickly("doubling inlines", &format!("inline f100() {{ skip }}\n{inlines}init {{ f0() }}"), "P0106");
    let sixty = inlines.replace("f100", "f60");
    quickly("doubling inlines", &format!("inline f60() {{ skip }}\n{sixty}init {{ f40() }}"), "P0020");
    quickly("self-inclusion", "#include \"self.h\"\n#include \"self.h\"\nbyte x;\n", "P0020");
    let big = format!("#include \"self.h\"\n{}", "byte x;\n".repeat(100_000));
    quickly("self-inclusion of much", &big, "P0020");
    quickly("wide self-inclusion", &"#if 0\n#include \"self.h\"\n".repeat(100_000), "P0012");
}

#[test]
fn long_lines_and_files() {
    quickly("a long name", &"x".repeat(10 << 20), "P0100");
    quickly("a long number", &"9".repeat(10 << 20), "P0004");
    quickly("a long string", &format!("\"{}", "x".repeat(10 << 20)), "P0002");
    quickly("zeros", &"\0".repeat(10 << 18), "P0001");
    quickly("backslashes", &"\\".repeat(10 << 18), "P00");
    quickly("quotes", &"''' ".repeat(5 << 18), "P0");
    quickly("comments", &"/*".repeat(5 << 18), "P0003");
    quickly("spaces", &"\\ ".repeat(5 << 18), "P00");
    quickly("hashes", &"#\n".repeat(5 << 18).replacen('#', "$", 1), "P0001");
    quickly("letters", &"x ".repeat(5 << 20), "P0020");
    quickly("conditionals", &"#if 1\n".repeat(100_000), "P0012");
    let chain = format!("init {{ x = 1{} }} $", " + y".repeat(100_000));
    quickly("a sum", &chain, "P0001");
    let statements = format!("init {{ {} }} $", "x = y + 1; ".repeat(100_000));
    quickly("statements", &statements, "P0001");
    let labels = format!("init {{ {} }} $", "L: ".repeat(100_000));
    quickly("labels", &labels, "P0001");
    let defines: String = (0..100_000).map(|n| format!("#define m{n} {n}\n")).collect();
    quickly("definitions", &format!("{defines}$"), "P0001");
}
