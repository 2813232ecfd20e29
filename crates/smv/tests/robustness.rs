//! No text makes the reader overflow its stack or take long, and what is deep or large is told so.

use crate::support::{complaints, meaning};
use std::time::{Duration, Instant};

fn quickly(what: &str, text: &str, code: &str) {
    let start = Instant::now();
    let found = complaints(text);
    let shown: String = found.chars().take(200).collect();
    assert!(if code.is_empty() { found.is_empty() } else { found.contains(code) }, "{what}: {shown}");
    assert!(start.elapsed() < Duration::from_secs(20), "{what} took {:?}", start.elapsed());
}

fn invariant(formula: &str) -> String {
    format!("MODULE main\nVAR b : boolean; x : 0..3; v : array 0..1 of boolean;\nINVARSPEC {formula}\n")
}

#[test]
fn deep_nesting_is_refused_quickly() {
    let deep = 100_000;
    for (open, inner, close) in [
        ("(", "b", ")"),
        ("!", "b", ""),
        ("- ", "x", " = 0"),
        ("b -> ", "b", ""),
        ("b ? b : ", "b", ""),
        ("case b : ", "b", "; TRUE : b; esac"),
        ("v[", "0", "]"),
        ("next(", "b", ")"),
        ("x - ", "x", " = 0"),
        ("b = ", "b", ""),
        ("abs(", "x", ")"),
        ("{", "b", "}"),
        ("[", "b", "]"),
        ("b.", "b", ""),
    ] {
        let text = invariant(&format!("{}{inner}{}", open.repeat(deep), close.repeat(deep)));
        quickly(open, &text, "V");
        let formula =
            format!("MODULE main\nVAR b : boolean;\nLTLSPEC {}{inner}{}\n", open.repeat(deep), close.repeat(deep));
        quickly(open, &formula, "V");
    }
    for operator in ["G ", "A X ", "E [", "! X ", "AG "] {
        quickly(operator, &format!("MODULE main\nVAR b : boolean;\nCTLSPEC {}b\n", operator.repeat(deep)), "V0107");
    }
    let arrays = format!("MODULE main\nVAR a : {} boolean;\n", "array 0..1 of ".repeat(deep));
    quickly("arrays", &arrays, "V0107");
}

#[test]
fn names_of_many_parts_are_looked_for_quickly() {
    let parts = vec!["a"; 60].join(".");
    quickly("parts", &format!("MODULE main\nVAR x[0] : boolean;\nINVARSPEC {parts}\n"), "V");
    let chain: String = (1..45).map(|link| format!("d{link} := d{0} + d{0}; ", link - 1)).collect();
    let text = format!("MODULE main\nVAR x[0] : boolean;\nDEFINE d0 := 0; {chain}\nINVARSPEC x[d44]\n");
    quickly("sums", &text, "V");
}

#[test]
fn long_is_not_deep() {
    let many = 5_000;
    let sum = vec!["b"; many].join(" & ");
    quickly("a long conjunction", &invariant(&sum), "");
    let branches: String = (0..300).map(|number| format!("x = {} : b; ", number % 4)).collect();
    quickly("a long case", &invariant(&format!("case {branches} TRUE : b; esac")), "");
    let set: Vec<String> = (0..many).map(|number| number.to_string()).collect();
    quickly("a long set", &invariant(&format!("x in {{{}}}", set.join(", "))), "");
    let defines: String = (1..5_000).map(|n| format!("d{n} := d{} & b; ", n - 1)).collect();
    quickly(
        "a long chain of definitions",
        &format!("{}DEFINE d0 := b; {defines}INVARSPEC d4999", invariant("b")),
        "V0107",
    );
    let doubled: String = (1..40).map(|n| format!("d{n} := d{} xor (d{0} & b); ", n - 1)).collect();
    quickly("definitions that double", &format!("{}DEFINE d0 := b; {doubled}\nINVAR d39", invariant("b")), "");
}

/// Each link of these chains uses the one before twice or more, which would be 2^200 parts.
#[test]
fn long_chains_of_definitions_are_models() {
    let chain = |link: &dyn Fn(usize) -> String| -> String {
        (1..=200).map(|n| format!("d{n} := {}; ", link(n).replace("$", &format!("d{}", n - 1)))).collect()
    };
    let model = |kind: &str, first: &str, links: &str, rest: &str| {
        let choices: String = (0..3).map(|n| format!("c{n} : boolean; ")).collect();
        format!(
            "MODULE main\n{kind} {choices}\nVAR x : 0..7; s : {{a, b, 3}};\nDEFINE d0 := {first}; {links}\n{rest}\n"
        )
    };
    let symbols = chain(&|n| format!("c{} ? $ : ($ = a ? b : $ = b ? 3 : a)", n % 3));
    quickly("symbols", &model("VAR", "s", &symbols, "ASSIGN next(s) := d200;\nINVARSPEC d200 != a"), "");
    quickly("symbols of steps", &model("IVAR", "s", &symbols, "ASSIGN next(s) := d200;\nLTLSPEC G d200 = a"), "");
    let both = symbols.replace("c1 ?", "next(c1) ?");
    quickly("symbols of two states", &model("VAR", "s", &both, "TRANS next(s) = d200"), "");
    let sets = chain(&|n| format!("$ union ($ union {{{}}})", n % 5));
    quickly("sets", &model("VAR", "{6, 7}", &sets, "ASSIGN next(x) := d200;\nINVARSPEC x in d200"), "");
    let chosen = chain(&|n| format!("c{} ? $ : ($ union {{{}}})", n % 3, n % 7));
    quickly("sets by conditions", &model("VAR", "{7}", &chosen, "ASSIGN next(x) := d200;\nINVARSPEC 7 in d200"), "");
    let mixed = chain(&|n| format!("$ union (c{} ? s : 2) union $", n % 3));
    quickly("sets of symbols", &model("VAR", "{s, a}", &mixed, "INVARSPEC s in d200"), "");
    let numbers = chain(&|n| format!("($ mod 7) * ($ / 2) + abs($ - {n})"));
    quickly("numbers", &model("VAR", "x", &numbers, "ASSIGN next(x) := abs(d200) mod 8;"), "");
}

/// The deepest that is admitted fits into a stack of 2 MiB.
#[test]
fn the_deepest_admitted_fits_the_stack() {
    let deep = lariat_smv::MAX_DEPTH - 4;
    let check = move || {
        for (open, inner, close) in
            [("(", "b", ")"), ("!(", "b", ")"), ("b ? b : ", "b", ""), ("case b : ", "b", "; TRUE : b; esac")]
        {
            let levels = if open.starts_with("case") || open.starts_with('!') { deep / 2 } else { deep };
            let text = invariant(&format!("{}{inner}{}", open.repeat(levels), close.repeat(levels)));
            assert_eq!(complaints(&text), "", "{open}");
        }
        let defines: String = (1..150).map(|n| format!("d{n} := d{} & b; ", n - 1)).collect();
        assert_eq!(complaints(&format!("{}DEFINE d0 := b; {defines}INVARSPEC d149", invariant("b"))), "");
        // Chains of definitions that use each other twice, in either order of the text, now and in the next state.
        let link = |n: usize| {
            format!("c{n} := (b & !c{0}) | (c{0} & (b xor e)); k{n} := k{0} mod 3 + (b ? k{0} : 1); ", n - 1)
        };
        let up: String = (1..500).map(link).collect();
        let down: String = (1..500).rev().map(link).collect();
        for links in [up, down] {
            let text = format!(
                "{}VAR e : boolean;\nDEFINE c0 := e; k0 := x; {links}\nASSIGN next(x) := next(c499) & k499 > 1 ? 1 : 0;\n\
                 TRANS next(c499) | c498\nINVARSPEC c499 | next(k499) > 2 | e\n",
                invariant("b")
            );
            assert_eq!(complaints(&text), "");
        }
    };
    let thread = std::thread::Builder::new().stack_size(2 << 20).spawn(check).expect("a thread");
    thread.join().expect("no complaints");
}

#[test]
fn a_model_without_anything_has_one_state() {
    assert_eq!(meaning("MODULE main"), (1, 0, String::new()));
    assert_eq!(meaning("MODULE main\nVAR\nASSIGN\nDEFINE\n"), (1, 0, String::new()));
    quickly("nothing", "", "V0202");
}
