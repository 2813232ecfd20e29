//! The whole front end on anything: what fuzzing calls. No text may make it panic, overflow its stack or take long.

use crate::{ModelOptions, read_model};
use lariat_base::{Diagnostic, SourceMap};
use lariat_system::{MAX_POOL_SIZE, System};

/// Room for a few processes more than there are at the beginning.
const MORE_PROCESSES: u16 = 3;

/// How far a text came.
#[derive(Debug)]
pub struct Outcome {
    /// Its texts.
    pub sources: SourceMap,
    /// What it was told.
    pub diagnostics: Vec<Diagnostic>,
    /// The system, if it is a model; it has been validated.
    pub system: Option<System>,
}

/// Reads, checks and lowers `bytes`, whatever they are. What includes `self.h` gets the first 100 bytes of itself.
///
/// # Panics
///
/// If the front end panics or breaks its contract: a refused text has at least one error, any other none,
/// and every place that a diagnostic names exists.
pub fn front_end(bytes: &[u8]) -> Outcome {
    let text = String::from_utf8_lossy(bytes).into_owned();
    let head: String = text.chars().take(100).collect();
    let mut loader = |path: &str, _: &str| match path {
        "self.h" => Ok((path.to_owned(), head.clone())),
        _ => Err("there is no such file".to_owned()),
    };
    let mut sources = SourceMap::default();
    let read = read_model(&mut sources, "fuzz.pml", &text, &ModelOptions::default(), &mut loader);
    let (diagnostics, system) = match read {
        Err(diagnostics) => {
            assert!(diagnostics.iter().any(Diagnostic::is_error), "refused without an error");
            (diagnostics, None)
        }
        Ok(model) => {
            let warnings = model.warnings().to_vec();
            assert!(!warnings.iter().any(Diagnostic::is_error), "an error, but not refused");
            for (name, _) in model.claims() {
                if let Err(errors) = model.observing_claim(&mut sources, name, &[]) {
                    assert!(errors.iter().any(Diagnostic::is_error), "a claim refused without an error");
                }
            }
            let pool_size = (model.initial_processes() + MORE_PROCESSES).min(MAX_POOL_SIZE);
            match model.system(pool_size) {
                Ok(system) => (warnings, Some(system)),
                Err(errors) => {
                    assert!(errors.iter().any(Diagnostic::is_error), "refused without an error");
                    // What is too large is refused; anything else should have been told before.
                    let odd = errors.iter().find(|error| !["P0500", "P0501", "P0503", "S0207"].contains(&error.code));
                    assert!(odd.is_none(), "lowering made something invalid: {odd:?}");
                    (warnings.into_iter().chain(errors).collect(), None)
                }
            }
        }
    };
    for diagnostic in &diagnostics {
        for span in std::iter::once(diagnostic.span).chain(diagnostic.notes.iter().map(|note| note.span)) {
            let length = sources.file(span.file).map_or(0, |file| file.text.len());
            assert!(span.is_none() || (span.start <= span.end && span.end as usize <= length), "{diagnostic:?}");
        }
    }
    Outcome { sources, diagnostics, system }
}

/// Words of the language, for mutations.
pub const WORDS: &[&str] = &[
    "active",
    "assert",
    "atomic",
    "bit",
    "bool",
    "break",
    "byte",
    "chan",
    "d_step",
    "do",
    "else",
    "empty",
    "enabled",
    "eval",
    "false",
    "fi",
    "for",
    "full",
    "get_priority",
    "goto",
    "hidden",
    "if",
    "init",
    "inline",
    "int",
    "len",
    "ltl",
    "mtype",
    "nempty",
    "never",
    "nfull",
    "notrace",
    "np_",
    "od",
    "of",
    "pid",
    "printf",
    "priority",
    "proctype",
    "provided",
    "run",
    "select",
    "set_priority",
    "short",
    "show",
    "skip",
    "timeout",
    "trace",
    "true",
    "typedef",
    "unless",
    "unsigned",
    "xr",
    "xs",
    "in",
    "_",
    "_pid",
    "_last",
    "_nr_pr",
    "_priority",
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    "::",
    ";",
    "->",
    ":",
    "..",
    ".",
    ",",
    "=",
    "==",
    "!=",
    "<",
    "<=",
    ">",
    ">=",
    "<<",
    ">>",
    "+",
    "-",
    "*",
    "/",
    "%",
    "!",
    "!!",
    "?",
    "??",
    "++",
    "--",
    "&",
    "&&",
    "|",
    "||",
    "^",
    "~",
    "@",
    "?[",
    "?<",
    "#",
    "\n#define f(a) a",
    "\n#define f(a, ...) #a a##x __VA_ARGS__",
    "##",
    "\\\n",
    "__LINE__",
    "_ = 1",
    "t",
    "T t",
    "c[1]",
    "\n#if 1",
    "\n#else\n",
    "\n#endif\n",
    "\n#include \"self.h\"\n",
    "\n",
    "\"",
    "'x'",
    "/*",
    "*/",
    "//",
    "\\",
    "\0",
    "ü",
    "T",
    "P",
    "Q",
    "q",
    "x",
    "L",
    "L:",
    "a",
    "b",
    "m",
    "f()",
    "x[1]",
    "t.a",
    "run P(1)",
    "q!1",
    "q?x",
    "q?[x]",
    "goto L",
    "else -> skip",
    "unless { x > 1 }",
    "break",
    "timeout",
];

/// Small models that between them use all of the language.
pub const SEEDS: &[&str] = &[
    "#define name(a, b) a ## b\n#define say(x, ...) printf(#x, ## __VA_ARGS__)\ntypedef U { byte u; short w[2] };\ntypedef T { U u; chan c };\nchan q = [1] of { byte };\nproctype P(T t; byte x) { chan c[2]; c[1] = t.c; c[1]!t.u.w[1]; say(x, t.u.u); _ = x / 2 }\ninit { T name(v, 1); v1.c = q; v1.u.w[1] = \\\n__LINE__; _ = run P(v1, 2) }\n",
    "#define N 3\n#define f(a, b) a = b\nbyte x, y[N];\nactive [2] proctype P() { do :: x < N -> f(x, x + 1) :: else -> break od }\n",
    "mtype = { a, b };\ntypedef T { byte u; chan c; byte v[2] };\nchan q = [2] of { mtype, byte };\ninit { mtype m; T t; q!a,1; q?m(t.u); if :: q?[b,_] -> q??<m,eval(t.u)> :: empty(q) fi; t.c = q; t.c!a,t.v[1] }\n",
    "inline g(v, w) { atomic { v++; w = (v > 1 -> 2 : 3) } }\nint n;\nproctype Q(byte k; int z) provided (n < 3) { for (z : 1 .. k) { printf(\"%d\\n\", z) } select (z : 0 .. 2); M: assert(z != 'x') }\ninit { pid p; p = run Q(1, n); L: g(n, n); if :: Q[p]@M -> skip :: Q[p]:z == 2 -> skip :: else fi; { goto L } unless { timeout } }\nltl p { [] (n < 3) -> <> (n == 2) }\n",
    "unsigned u : 3 = 2;\nD_proctype R() { d_step { u = ~u & 1 | 2 ^ 3; do :: u > 0 -> u-- :: else -> break od } }\ninit { run R() priority 3; set_priority(1, 2); get_priority(1) > 0 -> _priority = 2 }\n",
    "chan c = [0] of { byte, chan }; chan d = [3] of { byte };\nbyte x;\nactive proctype S() { end: do :: c!1,d :: c!x,d -> x++ :: atomic { d?x; d!!x } od }\nactive proctype R() { chan e; byte y; progress: do :: c?1,e -> e!y :: c?y,e :: d??3 -> assert(len(d) < 3) :: nfull(d) && x < 9 -> d!3 od }\nnotrace { d!3; d?3 }\n",
    "typedef I { short a; bit b }; typedef O { I i[2]; I j; int k = 3 };\nO o[2], p;\nchan q = [2] of { I };\ninit { q!o[1].i[0]; q?p.j; o[p.k % 2].i[1].a = -p.j.a; for (p.k in o) { skip } byte z; for (p.j in q) { z = p.j.b } }\n",
    "byte w[3] = { 1, 2, 3 }; byte i;\nnever { T0: do :: w[1] == 2 && i < 3 :: np_ -> goto T0 od }\nactive proctype A() { xr qq; byte k = 1; i = w[k]; { byte k; k = i; i = k / w[2]; if :: i > 1 -> i = i % w[0] :: timeout -> goto E :: else -> goto E fi }; E: skip }\nchan qq = [1] of { byte };\n",
];
