//! What a wrong formula is told.

use lariat_logic::{Dialect, ParseOptions, Propositions, parse};

/// The complaint about a formula as `first-last byte, code, message / help [notes]`.
fn complaint(text: &str, dialect: Dialect) -> String {
    let options = ParseOptions { dialect, ..ParseOptions::default() };
    match parse(text, options, &mut Propositions::default()) {
        Ok(_) => "no complaint".into(),
        Err(error) => {
            let help = error.help.map(|help| format!(" / {help}")).unwrap_or_default();
            let notes: String =
                error.notes.iter().map(|note| format!(" [{}: {}]", note.span.start, note.message)).collect();
            format!("{}-{} {} {}{help}{notes}", error.span.start, error.span.end, error.code, error.message)
        }
    }
}

#[track_caller]
fn assert_messages(dialect: Dialect, cases: &[(&str, &str)]) {
    for (text, expected) in cases {
        assert_eq!(complaint(text, dialect), *expected, "{text}");
    }
}

#[test]
fn slips_of_people_who_know_c() {
    assert_messages(
        Dialect::Spin,
        &[
            (
                "[] (x = 3)",
                "6-7 L0100 expected an operator or `)`, found `=` / `==` compares; `=` assigns and is not part of a formula",
            ),
            (
                "[]p & <>q",
                "6-8 L0100 expected a value after `&`, found `<>` / `&` joins the bits of two numbers; formulas are joined by `&&`",
            ),
            (
                "([]p) & q",
                "1-3 L0106 `[]` makes a formula, where the value of an expression is needed / `&` joins the bits of two numbers; formulas are joined by `&&`",
            ),
            (
                "p | []q",
                "4-6 L0100 expected a value after `|`, found `[]` / `|` joins the bits of two numbers; formulas are joined by `||`",
            ),
            ("p == [] q", "5-7 L0100 expected a value after `==`, found `[]`"),
            (
                "([] p) == q",
                "1-3 L0106 `[]` makes a formula, where the value of an expression is needed / formulas are compared by `<->`",
            ),
            ("p => q", "2-4 L0100 expected an operator or the end, found `=>` / implication is written `->`"),
            ("p; q", "1-2 L0100 expected an operator or the end, found `;`"),
            ("p and q", "2-5 L0103 `and` is not an operator in SPIN's spelling / did you mean `&&`?"),
            ("not p", "0-3 L0103 `not` is not an operator in SPIN's spelling / did you mean `!`?"),
        ],
    );
}

#[test]
fn operators_of_other_dialects() {
    assert_messages(
        Dialect::Spin,
        &[
            ("G p", "0-1 L0103 `G` is not an operator in SPIN's spelling / SPIN spells it `[]`"),
            ("F (p)", "0-1 L0103 `F` is not an operator in SPIN's spelling / SPIN spells it `<>`"),
            ("g p", "0-1 L0103 `g` is not an operator in SPIN's spelling / SPIN spells it `[]`"),
            ("f (p)", "0-1 L0103 `f` is not an operator in SPIN's spelling / SPIN spells it `<>`"),
            (
                "[] p -> Y q",
                "8-9 L0103 `Y` is not an operator in SPIN's spelling / SPIN cannot speak of the past; `Y` is NuSMV's",
            ),
            (
                "p S q",
                "2-3 L0103 `S` is not an operator in SPIN's spelling / SPIN cannot speak of the past; `S` is NuSMV's",
            ),
            ("p R q", "2-3 L0103 `R` is not an operator in SPIN's spelling / did you mean `V`?"),
            ("p M q", "2-3 L0103 `M` is not an operator in SPIN's spelling / `p M q` is `q U (p and q)`"),
            ("p xor q", "2-5 L0103 `xor` is not an operator in SPIN's spelling / write `!(p <-> q)`"),
        ],
    );
}

#[test]
fn path_quantifiers() {
    assert_messages(
        Dialect::Spin,
        &[
            (
                "AG p",
                "0-2 L0104 `AG` is a path quantifier of CTL, and this is a formula of LTL / a formula of LTL speaks of all runs: write `[]`",
            ),
            (
                "EF (p)",
                "0-2 L0104 `EF` is a path quantifier of CTL, and this is a formula of LTL / that there is such a run, LTL cannot say; ask for it as a formula of CTL",
            ),
            (
                "A (p)",
                "0-1 L0104 `A` is a path quantifier of CTL, and this is a formula of LTL / a formula of LTL speaks of all runs: leave `A` out",
            ),
        ],
    );
}

#[test]
fn something_is_missing() {
    assert_messages(
        Dialect::Spin,
        &[
            ("", "0-0 L0107 there is no formula here"),
            (
                "(p && q",
                "7-7 L0100 expected an operator or `)`, found the end of the formula [0: this parenthesis is not closed]",
            ),
            ("p && q)", "6-7 L0100 there is no `(` for this `)`"),
            (
                "p && (q || [] r",
                "15-15 L0100 expected an operator or `)`, found the end of the formula [5: this parenthesis is not closed]",
            ),
            ("p &&", "4-4 L0100 expected a formula after `&&`, found the end of the formula [2: the operator]"),
            ("&& p", "0-2 L0100 expected a formula, found `&&` / `&&` stands between two formulas"),
            ("p U", "3-3 L0100 expected a formula after `U`, found the end of the formula [2: the operator]"),
            ("U p", "0-1 L0100 expected a formula, found `U` / `U` stands between two formulas"),
            (
                "[] (U@cs)",
                "4-5 L0100 expected a formula, found `U` / `U` is an operator; what has that name is written in quotes: \
                 `\"U@cs\"`",
            ),
            (
                "[] (W[0]@cs)",
                "4-5 L0100 expected a formula, found `W` / `W` is an operator; what has that name is written in quotes: \
                 `\"W[0]@cs\"`",
            ),
            ("!", "1-1 L0100 expected a formula after `!`, found the end of the formula [0: the operator]"),
            ("len(q) > ", "8-8 L0100 expected a value after `>`, found the end of the formula"),
            ("a[3", "3-3 L0100 expected a closing bracket, found the end of the formula [1: to close this one]"),
            ("\"abc", "0-4 L0102 this quote does not end / close it by `\"`"),
            ("p q", "2-3 L0100 expected an operator or the end, found `q`"),
            ("P@", "1-2 L0100 expected an operator or the end, found `@`"),
            (
                "foo(q)",
                "3-4 L0100 expected an operator or the end, found `(` / `foo` is neither an operator nor a function",
            ),
        ],
    );
}

#[test]
fn signs() {
    assert_messages(
        Dialect::Spin,
        &[
            ("[ ] p", "0-1 L0100 expected a formula, found `[` / `[]` is written without a space"),
            ("< > p", "0-1 L0100 expected a formula, found `<` / `<>` is written without a space"),
            ("□ p", "0-3 L0102 `□` is not part of any formula / write `[]` or `G`"),
            ("p ∧ q", "2-5 L0102 `∧` is not part of any formula / write `&&`"),
        ],
    );
}

#[test]
fn smv_slips() {
    assert_messages(
        Dialect::Nusmv,
        &[
            ("G (x == 3)", "5-7 L0100 expected an operator or `)`, found `==` / SMV compares by `=`"),
            ("G p && q", "4-6 L0100 expected an operator or the end, found `&&` / SMV has `&` for and"),
            ("p || q", "2-4 L0100 expected an operator or the end, found `||` / SMV has `|` for or"),
            (
                "p W q",
                "2-3 L0103 `W` is not an operator in NuSMV's spelling / NuSMV has no `W`: `p W q` is `q V (p | q)`",
            ),
            ("p R q", "2-3 L0103 `R` is not an operator in NuSMV's spelling / did you mean `V`?"),
            ("[] p", "0-2 L0100 expected a formula, found `[]` / NuSMV spells it `G`"),
            ("always p", "0-6 L0103 `always` is not an operator in NuSMV's spelling / did you mean `G`?"),
            (
                "E [p U q]",
                "0-1 L0104 `E` is a path quantifier of CTL, and this is a formula of LTL / that there is such a run, LTL cannot say; ask for it as a formula of CTL",
            ),
            (
                "AF p",
                "0-2 L0104 `AF` is a path quantifier of CTL, and this is a formula of LTL / a formula of LTL speaks of all runs: write `F`",
            ),
            ("case a : b;", "11-11 L0100 expected `esac`, found the end of the formula"),
        ],
    );
}

#[test]
fn spot_slips() {
    assert_messages(
        Dialect::Spot,
        &[
            (
                "x > 3",
                "2-3 L0100 expected an operator or the end, found `>` / in Spot's spelling an expression is quoted: `\"x > 3\"`",
            ),
            (
                "P[1]@cs",
                "1-2 L0100 expected an operator or the end, found `[` / in Spot's spelling an expression is quoted: `\"x > 3\"`",
            ),
            (
                "Y p",
                "0-1 L0103 `Y` is not an operator in Spot's spelling / Spot cannot speak of the past; `Y` is NuSMV's",
            ),
            (
                "p S q",
                "2-3 L0103 `S` is not an operator in Spot's spelling / Spot cannot speak of the past; `S` is NuSMV's",
            ),
            ("F[3:2] p", "1-6 L0105 the second number is smaller than the first"),
            ("X[ p", "3-4 L0100 expected a number, found `p`"),
            ("F[3 p", "4-5 L0100 expected `:`, found `p`"),
            ("X[999] p", "2-5 L0105 formulas look at most 500 steps ahead"),
            ("p until q", "2-7 L0103 `until` is not an operator in Spot's spelling / did you mean `U`?"),
            ("3", "0-1 L0108 a number is not a proposition / `1` holds always, `0` never"),
            ("globally p", "0-8 L0103 `globally` is not an operator in Spot's spelling / did you mean `G`?"),
            (
                "G",
                "1-1 L0100 expected a formula after `G`, found the end of the formula / a proposition of that name is written in quotes: `\"G\"` [0: the operator]",
            ),
        ],
    );
}

#[test]
fn slips_where_the_dialect_is_guessed() {
    assert_messages(
        Dialect::Auto,
        &[
            (
                "g (p -> f q)",
                "0-1 L0103 `g` is not an operator in Spot's spelling / operators are capital letters: `G`",
            ),
            (
                "G (p -> F q",
                "11-11 L0100 expected an operator or `)`, found the end of the formula [2: this parenthesis is not closed]",
            ),
            ("G p -> ", "6-6 L0100 expected a formula after `->`, found the end of the formula [4: the operator]"),
            (
                "p ? q",
                "2-3 L0100 expected an operator or the end, found `?` / in Spot's spelling an expression is quoted: `\"x > 3\"`",
            ),
            (
                "[] (p & <> q)",
                "8-10 L0100 expected a value after `&`, found `<>` / `&` joins the bits of two numbers; formulas are joined by `&&`",
            ),
        ],
    );
}
