//! The preprocessor beside that of gcc, which is the one that SPIN uses: same tokens, and an error where it has one.
//!
//! Without gcc there is nothing to compare with, and the tests say so.

use lariat_base::{Diagnostic, SourceMap};
use lariat_promela::preprocess::{Options, tokens};
use lariat_promela::token::TokenKind;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// A folder with the files that texts include, removed at the end.
struct Folder(PathBuf);

const INCLUDED: &[(&str, &str)] = &[
    ("plain.h", "plain\n"),
    ("open.h", "no newline at the end"),
    ("once.h", "#pragma once\nonly once\n"),
    ("guard.h", "#ifndef GUARD\n#define GUARD\nguarded\n#endif\n"),
    ("where.h", "__INCLUDE_LEVEL__ __LINE__ __FILE__\n"),
    ("sub/deep.h", "#include \"../plain.h\"\n__FILE__ __INCLUDE_LEVEL__\n#include \"near.h\"\n"),
    ("sub/near.h", "near\r\n#define NEAR 1\r\n"),
    ("macro.h", "#define TWICE(x) x x\n"),
];

impl Folder {
    /// None if there is no gcc.
    fn new(name: &str) -> Option<Self> {
        let found = Command::new("gcc").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
        if !found.is_ok_and(|status| status.success()) {
            eprintln!("skipped: there is no gcc to compare with");
            return None;
        }
        let folder = std::env::temp_dir().join(format!("lariat-cpp-{name}-{}", std::process::id()));
        std::fs::create_dir_all(folder.join("sub")).expect("a folder for the test");
        for (name, text) in INCLUDED {
            std::fs::write(folder.join(name), text).expect("a file of the test");
        }
        Some(Self(folder))
    }

    /// What gcc makes of a text; none if it refuses it.
    fn gcc(&self, text: &str) -> Option<String> {
        std::fs::write(self.0.join("m.pml"), text).expect("a file of the test");
        let output = Command::new("gcc")
            .args(["-std=gnu99", "-E", "-P", "-undef", "-x", "c", "m.pml"])
            .current_dir(&self.0)
            .output()
            .expect("it was found before");
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
    }

    /// What differs.
    fn difference(&self, text: &str) -> Option<String> {
        let (ours, errors) = kinds(text, true);
        let Some(plain) = self.gcc(text) else {
            return errors.is_empty().then(|| format!("gcc refuses this:\n{text}--- and we make of it {ours:?}\n"));
        };
        let (theirs, _) = kinds(&plain, false);
        (ours != theirs || !errors.is_empty()).then(|| {
            format!(
                "of this text:\n{text}--- gcc makes:\n{plain}--- that is {theirs:?}\n--- and we {ours:?} {errors:?}\n"
            )
        })
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The tokens of a text and the errors of the preprocessor; what is only not of Promela does not count.
fn kinds(text: &str, includes: bool) -> (Vec<TokenKind>, Vec<String>) {
    let mut loader = |path: &str, includer: &str| {
        let folder = includer.rsplit_once('/').map_or(String::new(), |(folder, _)| format!("{folder}/"));
        let name = format!("{folder}{path}");
        let known = INCLUDED.iter().find(|(known, _)| *known == name.replace("sub/../", "") && includes);
        known.map(|(_, text)| (name, (*text).to_owned())).ok_or_else(|| "no such file".to_owned())
    };
    let mut sources = SourceMap::default();
    let (tokens, diagnostics) = tokens(&mut sources, "m.pml", text, &Options::default(), &mut loader);
    let errors = diagnostics
        .iter()
        .filter(|found| found.is_error() && !matches!(found.code, "P0001" | "P0002" | "P0004" | "P0005"));
    let errors = errors.map(|Diagnostic { code, message, .. }| format!("{code} {message}")).collect();
    (tokens.into_iter().map(|token| token.kind).collect(), errors)
}

const TEXTS: &[&str] = &[
    // Phases: lines are joined before comments are removed, and before words are read.
    "#define N 1 /* one \\\n still \\\n one */ + 2\nN x\n",
    "#define N 1 /* one\n still one */ + 2\nN x\n",
    "#define N 1 // one \\\n still a comment\nN x\n",
    "a\\\nb c\\  \nd \"s\\\nt\" =\\\n= /\\\n* comment *\\\n/ e /\\\n/ comment\nf\n",
    "#def\\\nine N\\\nM 7\nNM\n",
    "a /* b\n c */ #define X 1\nd\n",
    "/* b\n c */ #define X 1\nX\n",
    "x /* a */y/**/z/* */\nw\\\n",
    "#define N 3\r\n#if N == 3\r\na\r\n#else\r\nb\r\n#endif\r\nN \\\r\n c\r\n",
    "a\x0cb\x0bc\n\x0c#define N 2\n N\x0c\n",
    "\u{feff}#define N 2\nN",
    "#define N 2\nN\n#define last",
    // Strings of arguments.
    "#define s(x) #x\ns(a) s( a  +  b ) s() s(\"q\\n\") s('c') s('\\n') s(a,) \n",
    "#define s(x) # x\n#define t(x) s(x)\n#define N 4\ns(N) t(N) t(s(N)) s(s(N)) t( N N )\n",
    "#define s(x) #x\ns(a /* comment */ b) s(a\n  b\n) s((a, b)) s(a b\\\nc)\n",
    "#define s(x) #x\n#define E\n#define t(x) s(x)\nt(a E b) t(a E) t(E a) t(a E+b) t(aE) t((E))\n",
    "#define s(x) #x\ns(a->b :: c != d?[e] && !f) s([] <>) s(/\\) s(\\/)\n",
    "#define s(x...) #x\ns() s(a) s(a, b ,c)\n",
    "#define s(x) #y\ns(1)\n",
    "#define s(x) # \ns(1)\n",
    "#define o #x\na o\n",
    // Joined lexemes.
    "#define j(a, b) a ## b\nj(x, 1) j(1, x) j(, y) j(y, ) j(,) j(=, =) j(x y, z w) j(-, >)\n",
    "#define j(a, b, c) a##b##c\nj(x,,z) j(,y,) j(x,y,z) j(,,) j(1,2,3)\n",
    "#define j(a, b) a ## b\n#define N 5\n#define NN 6\nj(N, N) j(N, ) j(, N)\n",
    "#define k(a, b) j(a, b)\n#define j(a, b) a ## b\n#define N 5\nk(x, N) j(x, N) k(k(a, b), c)\n",
    "#define o x ## y\n#define xy 9\no\n",
    "#define j(a) a ## _t a##_1 x##a\nj(p) j(j)\n",
    "#define f(x) x##f(1)\nf()\nf(f)\n",
    "#define j(a) #a ## b\nj(x)\n",
    "#define j(a, b) a ## b\nj(x, +)\n",
    "#define j(a) ## a\nj(x)\n",
    "#define j(a) a ##\nj(x)\n",
    "#define hash_hash # ## #\nhash_hash\n",
    "#define q(x) x\nq(a ## b)\n",
    // Arguments.
    "#define f(x, y) [x|y]\nf(1, 2) f((1, 2), 3) f(,) f( , 2) f(f(1, 2), f(3, 4)) f\n(1,\n2) f x\n",
    "#define f(x) x\nf() f(f)(1) f(f(f(2))) f ( 3 )\n",
    "#define f() z\nf() f( ) f(1)\n",
    "#define f(x) x\nf(1, 2)\n",
    "#define f(x, y) x\nf(1)\n",
    "#define f(x) x\nf(1\n",
    "#define log(fmt, ...) printf(fmt, __VA_ARGS__)\nlog(\"a\", 1) log(\"a\", 1, (2, 3)) log(\"a\",)\n",
    "#define log(fmt, ...) printf(fmt, ## __VA_ARGS__)\nlog(\"a\") log(\"a\", 1) log(\"a\",) log(\"a\", b c)\n",
    "#define log(rest...) printf(rest)\nlog() log(a) log(a, b)\n",
    "#define log(a, rest...) printf(a, ## rest) #rest\nlog(x) log(a, b, c)\n",
    "#define e(...) x, ## __VA_ARGS__ y\ne() e(1) e(,)\n",
    "#define all(...) #__VA_ARGS__ __VA_ARGS__\nall() all(a,b, c)\n",
    "#define f(x) x\nf(a\n#define g 7\n g)\n",
    "#define f(a, a) a\nf(1, 2)\n",
    "#define f(a b) a\n",
    "#define f(a, ) a\n",
    "#define f(..., a) a\n",
    "#define f (x)\nf f(1)\n",
    // Recursion stops.
    "#define x x + 1\nx x\n",
    "#define a b\n#define b a\na b\n",
    "#define f(x) x * g\n#define g(x) f(x)\nf(2)(9)\n",
    "#define f(x) f(x + 1) g\n#define g f\nf(f(2)) g(1)\n",
    "#define NIL(xxx) xxx\n#define G_0(arg) NIL(G_1)(arg)\n#define G_1(arg) NIL(arg)\nG_0(42)\n",
    "#define f(a) a + f(a)\nf(x)\nf(f(x))\n",
    "#define obj() f obj\n#define f() z\nobj()()()\n",
    // Whole statements over several lines.
    "#define swap(a, b) \\\n  do \\\n  :: a > b -> \\\n     t = a; a = b; /* then */ \\\n     b = t; \\\n  :: else -> break \\\n  od\nswap(x, y);\nswap(x[1], y[f(2)])\n",
    // Conditions.
    "#if 1 + 2 * 3 == 7 && (4 ^ 1) == 5 && ~0 == -1 && !0 && 7 % 4 == 3 && 1 << 3 >> 2 == 2\nyes\n#else\nno\n#endif\n",
    "#if -1 > 0u\nyes\n#else\nno\n#endif\n#if -1 > 0\nyes\n#else\nno\n#endif\n",
    "#if (2 || 1 / 0) && !(0 && 1 / 0) && (1 ? 1 : 1 / 0)\nyes\n#endif\n",
    "#if 0x10 == 16 && 010 == 8 && 10L == 10 && 'a' == 97 && '\\n' == 10 && 0xFFFFFFFFFFFFFFFF > 0\nyes\n#endif\n",
    "#if 1 << 70 || -1 >> 70 != -1 || (1 << -1)\nyes\n#else\nno\n#endif\n#if (0 ? 1u : -1) > 0\nyes\n#else\nno\n#endif\n",
    "#if 1 / 0\n#endif\n",
    "#if\n#endif\n",
    "#if 1 +\n#endif\n",
    "#if 1 2\n#endif\n",
    "#if (1\n#endif\n",
    "#if \"a\"\n#endif\n",
    "#if undefined_name == 0 && !defined undefined_name && !defined(x)\nyes\n#endif\n",
    "#define HAS defined(X)\n#define X\n#if HAS\nyes\n#else\nno\n#endif\n",
    "#define X Y\n#if defined X && defined(X) && !defined Y\nyes\n#endif\n#if defined(\n#endif\n",
    "#define f(x) x + 1\n#if f(2) == 3 && defined f\nyes\n#endif\n#if f == 0\nf\n#endif\n",
    "#ifdef __LINE__\nline\n#endif\n#if defined(__FILE__) && __LINE__ == 4\nfour\n#endif\n",
    "#if 0\na\n#elif 0\nb\n#elif 1\nc\n#elif 1\nd\n#else\ne\n#endif\n",
    "#if 1\na\n#elif garbage ( here\nb\n#elif 1 / 0\nc\n#endif\n",
    "#if 0\n#if 1\na\n#else\nb\n#endif\n#elif 1\nc\n#else\nd\n#endif\n",
    "#if 0\n#elif\n#endif\n",
    "#if 1\n#else\n#else\n#endif\n",
    "#if 1\n#else\n#elif 1\n#endif\n",
    "#ifdef\n#endif\n",
    "#ifndef N more words\na\n#else more\nb\n#endif N\n",
    "#if 1\n",
    "#endif\n",
    "#else\n",
    // Skipped text may be anything.
    "#if 0\ndon't stop /* here\nit's \"fine\n#define X 1\n#else it's\nb\n#endif can't\nc X\n",
    "#if 0\nprintf(\"it does not end); /* nor this\n'a' /* this\n does */ #endif\n#endif\nb\n",
    "#if 0\n'/*'\n#endif\na\n\"/*\"\n",
    "#if 0\n#include \"nothing.h\"\n#error no\n#frob don't /*\n# 'x\n#line\n#if ) ( \n#else ?\n#endif\n$ ` \\ @\n#endif\na\n",
    "#if 0\n/* \n#endif\n*/\na\n#endif\nb\n",
    "#if 0 \\\n  || 0\na\n#endif \\\n x\nb\n",
    // Other directives.
    "#define N 1\n#undef N\nN\n#undef M\n#define N 2\nN\n#undef\n",
    "#define N 1\n#undef N more\nN\n",
    "#\n# \n#/* c */\na # b\n",
    "#error no /* never\n ends */ way\na\n",
    "#warning well /* a\n comment */ then\na\n",
    "#frob\na\n",
    "#define\n",
    "#define 3 4\n",
    "#define defined 1\n",
    "#pragma once\n#pragma anything it's\n",
    "a\n#line 100\nb __LINE__\n#line 7 \"else.where\"\n__LINE__ __FILE__\n\n__LINE__\n# 40 \"marker.c\"\n__FILE__ __LINE__\n",
    "#define L 50\n#line L\n__LINE__\n#line x\n",
    "#line 5 \\\n\n__LINE__ /* a\n b */ __LINE__\n",
    // Macros that are always there.
    "__LINE__\n__LINE__ \\\n__LINE__\n__LINE__\n__FILE__\n",
    "#define HERE __LINE__\n#define s(x) #x\n#define t(x) s(x)\n\nHERE t(HERE) t(__LINE__) s(__LINE__)\n",
    "#define j(a, b) a ## b\n#define k(a, b) j(a, b)\nk(x, __LINE__) k(y, __COUNTER__) k(y, __COUNTER__) __COUNTER__\n",
    "__INCLUDE_LEVEL__\n#include \"where.h\"\n#include \"sub/deep.h\"\n__FILE__\n",
    // Included files.
    "#include \"plain.h\"\n#include \"open.h\"\nnext\n#include \"sub/deep.h\"\nNEAR\n",
    "#include \"once.h\"\n#include \"once.h\"\n#include \"guard.h\"\n#include \"guard.h\"\n#include \"plain.h\"\n#include \"plain.h\"\n",
    "#define FILE_NAME \"macro.h\"\n#include FILE_NAME /* and\n a comment */\nTWICE(a)\n",
    "#include \"nothing.h\"\n",
    "#include\n",
    "#include plain\n",
    "#include \"plain.h\" // comment\n#include/**/\"plain.h\"\n",
];

#[test]
fn every_feature_is_as_in_gcc() {
    let Some(folder) = Folder::new("texts") else { return };
    let found: Vec<String> = TEXTS.iter().filter_map(|text| folder.difference(text)).collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// Numbers in a row, the same each time.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 33) as usize % limit
    }
    fn of<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.below(list.len())]
    }
}

/// A text of a few macros that use each other and themselves.
fn random_text(numbers: &mut Numbers) -> String {
    const WORDS: &[&str] =
        &["f", "g", "h", "k", "x", "y", "N", "f(x)", "g(x, y)", "f(N)", "h()", "k(x, N, 1)", "1", "+"];
    const PIECES: &[&str] =
        &["p", "q", "#p", "#q", "p ## q", "p##x", "y##q", "(p)", "q(p)", "p(q)", "f(p)", "g(p, q)", "f", "g"];
    const ARGUMENTS: &[&str] = &["", "x", "N", "f(1)", "g(1, 2)", "f", "(x, y)", "x y", "\"s\"", "h()", "__LINE__"];
    let mut text = String::new();
    let body = |numbers: &mut Numbers, list: &[&'static str]| {
        let count = numbers.below(4);
        (0..count).map(|_| numbers.of(list)).collect::<Vec<_>>().join([" ", "  ", " + "][numbers.below(3)])
    };
    for name in ["N", "x", "h"] {
        if numbers.below(2) == 0 {
            text += &format!("#define {name} {}\n", body(numbers, WORDS));
        }
    }
    text += &format!("#define f(p) {}\n", body(numbers, PIECES).replace('q', "p"));
    text += &format!("#define g(p, q) {}\n", body(numbers, PIECES));
    if numbers.below(2) == 0 {
        text += &format!("#define k(p, q...) {}\n", body(numbers, PIECES));
    }
    for _ in 0..1 + numbers.below(4) {
        let (a, b) = (numbers.of(ARGUMENTS), numbers.of(ARGUMENTS));
        text += &match numbers.below(6) {
            0 => format!("f({a}) "),
            1 => format!("g({a}, {b})\n"),
            2 => format!("k({a},\n {b}, {a}) "),
            3 => format!("f(f({a})) g(f({a}), {b})"),
            4 => format!("f(g)({a}, {b}) "),
            _ => format!("{a} {b};"),
        };
    }
    text + "\n"
}

#[test]
fn random_macros_are_as_in_gcc() {
    let Some(folder) = Folder::new("random") else { return };
    let mut numbers = Numbers(0x1a71_a7ca_b1e0_0001);
    for _ in 0..60 {
        let found = folder.difference(&random_text(&mut numbers));
        assert!(found.is_none(), "{}", found.unwrap_or_default());
    }
}
