//! Formulas are read as their dialect means them.

use lariat_logic::{Dialect, ParseOptions, Propositions, parse, print};

/// Reads `text` and shows it in Spot's spelling, fully determined by its parentheses.
fn shown(text: &str, dialect: Dialect) -> String {
    let mut props = Propositions::default();
    let options = ParseOptions { dialect, quantifiers: true, ..ParseOptions::default() };
    match parse(text, options, &mut props) {
        Ok(formula) => print(&formula, &props, Dialect::Spot),
        Err(error) => panic!("{text}: {} at {:?}", error.message, error.span),
    }
}

#[track_caller]
fn reads(dialect: Dialect, cases: &[(&str, &str)]) {
    for (text, expected) in cases {
        assert_eq!(shown(text, dialect), *expected, "{text}");
    }
}

#[test]
fn spin_formulas() {
    reads(
        Dialect::Spin,
        &[
            ("[] (p -> <> q)", "G (p -> F q)"),
            ("[]p -> <>q", "G p -> F q"),
            ("p U q U r", "(p U q) U r"),
            ("p -> q -> r", "(p -> q) -> r"),
            ("p -> q <-> r", "(p -> q) <-> r"),
            ("a || b && c", "a | b & c"),
            ("p until q V r", "(p U q) R r"),
            ("always (p implies eventually q)", "G (p -> F q)"),
            ("X next p", "X X p"),
            ("[] (x > 3 && y<2)", "G (\"x > 3\" & \"y < 2\")"),
            ("[] x > 3", "G \"x > 3\""),
            ("[] !(P[1]@cs && P[2]@cs)", "G !(\"P[1]@cs\" & \"P[2]@cs\")"),
            ("<> (len(q) == 0)", "F \"len(q) == 0\""),
            ("<> full(q)", "F \"full(q)\""),
            ("!x == 3", "\"!x == 3\""),
            ("!(x) == 3 && !p", "\"!(x) == 3\" & !p"),
            ("(x + 1) * 2 == y || z", "\"(x + 1) * 2 == y\" | z"),
            ("(flags & 4) -> p", "\"flags & 4\" -> p"),
            ("[] (P:x == 3 -> <> P[1]:y)", "G (\"P:x == 3\" -> F \"P[1]:y\")"),
            ("q?[m, 1] U (c -> 1 : 0) == x", "\"q?[m, 1]\" U \"(c -> 1 : 0) == x\""),
            ("a[ i+1 ].b", "\"a[i + 1].b\""),
            ("-x < - 1", "\"-x < -1\""),
            ("true && 0", "1 & 0"),
            ("F && G", "\"F\" & \"G\""),
        ],
    );
}

#[test]
fn nusmv_formulas() {
    reads(
        Dialect::Nusmv,
        &[
            ("G (state = busy -> F state = ready)", "G (\"state = busy\" -> F \"state = ready\")"),
            ("p U q U r", "(p U q) U r"),
            ("p -> q -> r", "p -> q -> r"),
            ("p <-> q <-> r", "(p <-> q) <-> r"),
            ("p -> q <-> r", "p -> q <-> r"),
            ("p <-> q -> r", "(p <-> q) -> r"),
            ("a | b xor c", "(a | b) xor c"),
            ("H p & O q", "H p & O q"),
            ("Y p S Z q", "Y p S Z q"),
            ("p T q V r", "(p T q) R r"),
            ("a.b & x in {1, 2}", "a.b & \"x in {1, 2}\""),
            ("(a & b ? c : d)", "\"(a & b ? c : d)\""),
            ("TRUE & p xnor q", "1 & p <-> q"),
            ("AG (p -> EF q)", "A G (p -> E F q)"),
            ("E [p U q] & A[p U q]", "E (p U q) & A (p U q)"),
            ("A (F G p)", "A F G p"),
        ],
    );
}

#[test]
fn spot_formulas() {
    reads(
        Dialect::Spot,
        &[
            ("GFa -> GFb", "G F a -> G F b"),
            ("p U q R r", "p U q R r"),
            ("p -> q -> r", "p -> q -> r"),
            ("a ^ b & c", "a xor b & c"),
            ("a | b ^ c", "a | b xor c"),
            ("X[3]a", "X X X a"),
            ("F[1:2]a", "X (a | X a)"),
            ("G[2..]a", "X X G a"),
            ("G[..1]a", "a & X a"),
            ("X[!]a", "X a"),
            ("\"x > 3\" M \"U\"", "\"x > 3\" M \"U\""),
            ("~a /\\ b \\/ 1", "!a & b | 1"),
            ("[]<>a => b <=> c", "G F a -> b <-> c"),
        ],
    );
}

#[test]
fn the_dialect_is_recognised() {
    reads(
        Dialect::Auto,
        &[
            ("p U q U r", "p U q U r"),
            ("[] (p U q U r)", "G ((p U q) U r)"),
            ("G (x == 3 && y & 1)", "G (\"x == 3\" & \"y & 1\")"),
            ("G (x = 3 & y)", "G (\"x = 3\" & y)"),
            ("G (x > 3 | y)", "G (\"x > 3\" | y)"),
            ("GFp & FG Got & Xmit", "G F p & F G \"Got\" & \"Xmit\""),
            ("[] (p -> O q)", "G (p -> O q)"),
            ("G (\"a b\" -> Y p)", "G (\"a b\" -> Y p)"),
        ],
    );
}
