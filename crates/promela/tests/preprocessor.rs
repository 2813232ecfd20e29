//! The preprocessor, one feature a test.

use crate::support::{read, read_well, read_with};
use lariat_base::SourceMap;
use lariat_promela::Options;
use lariat_promela::preprocess::tokens;
use lariat_promela::token::TokenKind;
use lariat_promela::tree::Unit;

/// What `init { … }` becomes behind these lines.
fn after(lines: &str, text: &str) -> String {
    read_well(&format!("{lines}\ninit {{ {text} }}")).last_body()
}

#[test]
fn macros_with_and_without_parameters() {
    assert_eq!(after("#define N 3", "x = N"), "x = 3");
    assert_eq!(after("#define N (M+1)\n#define M 2", "x = N"), "x = (2 + 1)");
    assert_eq!(
        after("#define f(a,b) a = b; b", "f(x, g(1,2)[3]) = y".replace("g(1,2)[3]", "z").as_str()),
        "x = z; z = y"
    );
    assert_eq!(after("#define f(a) (a)\n#define g f", "g(f(f(x) + 1) + 1)"), "(((x) + 1) + 1)");
    assert_eq!(after("#define f(a) a", "f = 1; f (2) == f((3,4))".replace("(3,4)", "3").as_str()), "f = 1; 2 == 3");
    assert_eq!(after("#define two x = 1; \\\n  y = 2", "two"), "x = 1; y = 2");
    assert_eq!(after("#define none", "none x = 1; none"), "x = 1");
    assert_eq!(after("#define e() skip", "e()"), "skip");
    assert_eq!(after("#define skip2 if :: skip\n", "skip2 fi"), "if[skip]");
    assert_eq!(after("#define N 1 // one\n#define M 2 /* two\n lines */", "x = N + M"), "x = 1 + 2");
    assert_eq!(after("#define N 1\n#undef N", "x = N"), "x = N");
}

#[test]
fn a_macro_is_not_expanded_within_itself() {
    assert_eq!(after("#define x x + 1", "y = x"), "y = x + 1");
    assert_eq!(after("#define a b\n#define b a", "a = b"), "a = b");
    assert_eq!(after("#define f(p) f(p)\n#define len2(q) q", "len2(x) = 1"), "x = 1");
}

#[test]
fn conditionals() {
    let pick =
        |condition: &str| after(&format!("#define N 3\n{condition}\n#define R 1\n#else\n#define R 0\n#endif"), "R");
    for (condition, holds) in [
        ("#ifdef N", true),
        ("#ifndef N", false),
        ("#if N == 3 && !defined(M)", true),
        ("#if defined M || N < 3", false),
        ("#if M", false),
        ("#if (N << 2) / 4 % 2 == 1", true),
        ("#if 0 && 1 / 0", false),
        ("#if N > 2 ? 0 : 1", false),
        ("#if -1 < 0x10 && 'a' == 97", true),
    ] {
        assert_eq!(pick(condition), if holds { "1" } else { "0" }, "{condition}");
    }
    let elif = "#if 0\n#define R 1\n#elif 1\n#define R 2\n#elif 1\n#define R 3\n#else\n#define R 4\n#endif";
    assert_eq!(after(elif, "R"), "2");
    assert_eq!(after("#if 0\nit's \"nothing \\ $ #if\n#if 1\n#else\n#endif\n#frob\n#endif", "x"), "x");
}

#[test]
fn options_and_includes() {
    let files = [("a.h", "#include <b.h>\n#define A B"), ("b.h", "#ifndef B\n#define B 7\n#endif\nbyte g;")];
    let text = "# 12 \"elsewhere\"\n#include \"a.h\"\n#include \"a.h\"\ninit { x = A + C + F(2) }";
    let reading = read_with(text, &[("C", "4"), ("F(x)", "x*x")], &files);
    assert_eq!(reading.complaints(), [""; 0]);
    assert_eq!(reading.last_body(), "x = 7 + 4 + 2 * 2");
    assert_eq!(reading.model.units.len(), 3);
    assert_eq!(reading.sources.len(), 4, "a file included twice is kept once");
}

#[test]
fn tokens_of_a_macro_stand_where_it_is_used() {
    let reading = read_well("#define set(v) v = \\\n 1\n\n\ninit {\n  set(x);\n  set(\ny)\n}");
    let Unit::Init(init) = &reading.model.units[0] else { panic!("an init") };
    let lines: Vec<u32> = init.body.stmts.iter().map(|stmt| reading.sources.line(stmt.span)).collect();
    assert_eq!(lines, [6, 7]);
}

#[test]
fn strings_and_joined_words() {
    let lines = "#define say(x) printf(#x)\n#define pair(a, b) a ## _ ## b\n#define at(x) x ## __LINE__\n";
    assert_eq!(after(lines, "say(x  +  y[1]); pair(lo, hi) = 1"), "printf(\"x + y[1]\"); lo_hi = 1");
    assert_eq!(
        after("#define log(f, ...) printf(f, ## __VA_ARGS__)", "log(\"a\"); log(\"b\", x)"),
        "printf(\"a\"); printf(\"b\", x)"
    );
    assert_eq!(after("\n", "x = __LINE__; printf(__FILE__)"), "x = 3; printf(\"model.pml\")");
}

#[test]
fn places_lead_back_over_joined_lines() {
    let mut none = |_: &str, _: &str| Err(String::new());
    let text = "ab\\\ncd \\ \r\n\\\ne\\f\n";
    let (found, wrong) = tokens(&mut SourceMap::default(), "model.pml", text, &Options::default(), &mut none);
    let places: Vec<_> = found.iter().map(|token| (token.kind.clone(), token.span.start, token.span.end)).collect();
    let name = |name: &str| TokenKind::Name(name.into());
    // A word over two lines; a backslash that hides no line end is a mistake where it stands; the end is behind the last word.
    assert_eq!(places, [(name("abcd"), 0, 6), (name("e"), 13, 14), (name("f"), 15, 16), (TokenKind::End, 16, 16)]);
    assert_eq!(wrong.iter().map(|wrong| (wrong.span.start, wrong.span.end)).collect::<Vec<_>>(), [(14, 15)]);
}

#[test]
fn lines_are_joined_before_anything_is_read() {
    let lines = "#define set(a) a = 1; /* a comment \\\n over two lines */ \\\n  b = a\n";
    assert_eq!(after(lines, "set(x)"), "x = 1; b = x");
    let reading = read_well("#define N 1 /* one\n two */ + 2\ninit {\n  x = ab\\\nc + N;\n  y = 2 }");
    assert_eq!(reading.last_body(), "x = abc + 1 + 2; y = 2");
    let Unit::Init(init) = &reading.model.units[0] else { panic!("an init") };
    let lines: Vec<u32> = init.body.stmts.iter().map(|stmt| reading.sources.line(stmt.span)).collect();
    assert_eq!(lines, [4, 6], "places are those of the text as it is written");
}

#[test]
fn line_ends_bom_and_comments() {
    assert_eq!(read_well("\u{feff}#define N 1\r\ninit {\r\n\tx = N\r\n\ty = 2\r\n}\r\n").last_body(), "x = 1; y = 2");
    assert_eq!(read_well("init { x /* a // b */ = 1 // c */ \n}").last_body(), "x = 1");
    assert_eq!(read("init { x = 1 /* a /* b */ */\n y = 2 }").last_body(), "x = 1; y = 2");
}

#[test]
fn mistakes_of_the_preprocessor() {
    for (text, expected) in [
        ("#if 1\ninit { skip }", "1:1 P0012 this conditional has no `#endif`"),
        ("#endif\ninit { skip }", "1:1 P0012 `#endif` without an `#if` before it"),
        ("#include \"x.h\"\ninit { skip }", "1:1 P0011 cannot include `x.h`: no such file"),
        ("#defin X\ninit { skip }", "1:1 P0010 unknown directive `#defin` / did you mean `#define`?"),
        ("#define f(a) a\ninit { f(1,2) skip }", "2:8 P0013 macro `f` takes 1 argument(s), here are 2"),
        ("init { skip }\n#define f(a) a\n f(1", "3:2 P0013 the arguments of macro `f` do not end"),
        (
            "#define f(a) #b\ninit { skip }",
            "1:14 P0014 `#` makes a string of a parameter of the macro, and none follows",
        ),
        (
            "#define f(a) a ##\ninit { skip }",
            "1:16 P0014 `##` joins what stands before and behind it; one of these is missing",
        ),
        ("#define f(a) a ## +\ninit { f(x) skip }", "2:8 P0014 `##` makes `x+`, which is not one token"),
        (
            "#define f(a, ...) a\ninit { f() skip }\n#define f(a, b) b",
            "3:9 P0016 macro `f` is redefined / `#undef f` first",
        ),
        ("#define f(a, b, ...) a\ninit { f(1) skip }", "2:8 P0013 macro `f` takes at least 2 argument(s), here are 1"),
        ("#define f(a, a) a\ninit { skip }", "1:14 P0010 macro `f` has two parameters `a`"),
        ("#line here\ninit { skip }", "1:1 P0010 `#line` needs the number of a line"),
        ("#if 0\n#else\n#elif 1\n#endif\ninit { skip }", "3:1 P0012 `#elif` behind `#else`"),
        ("init { x = 1 /* a\n */ #define N 3\n}", "2:5 P0001 `#` has no meaning here / a directive begins a line"),
        (
            "#if 1 /\n#endif\ninit { skip }",
            "1:1 P0015 this condition cannot be computed: a value is missing at its end",
        ),
        ("#if 1/0\n#endif\ninit { skip }", "1:6 P0015 this condition cannot be computed: it divides by zero"),
        ("#error no way\ninit { skip }", "1:1 P0017 #error no way"),
        ("init { skip } /* x", "1:15 P0003 this comment does not end / close it by `*/`"),
        ("init { x = 1 \u{0}\u{1}ü }", "1:14 P0001 `\\0` is not a character of Promela"),
        ("init { printf(\"x) }", "1:15 P0002 this string does not end on its line / close it by `\"`"),
        ("init { x = 0x1f }", "1:12 P0004 `0x1f` is not a number / numbers are decimal: write 31"),
        ("init { x = 99999999999 }", "1:12 P0004 the number 99999999999 does not fit into 32 bits"),
        ("init { x = 'ab' }", "1:12 P0005 a character constant is one character between quotes"),
    ] {
        assert_eq!(read(text).complaints().first().map(String::as_str), Some(expected), "{text}");
    }
}
