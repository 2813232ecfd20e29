//! The HOA format: what is written is read back, every form of the format is read, and mistakes are told.

use lariat_automata::{
    Automaton, TranslateOptions, accepts, intersection, is_empty, read_hoa, to_buchi, translate, write_hoa,
};
use lariat_base::{Diagnostic, SourceMap};
use lariat_logic::{LassoWord, Letter, ParseOptions, PropId, Propositions, parse};
use lariat_testkit::{FormulaKnobs, Rng, check_random_formulas, random_word};

fn read(text: &str) -> Result<Vec<Automaton>, Diagnostic> {
    let mut map = SourceMap::default();
    let file = map.add("test.hoa", text);
    read_hoa(text, file)
}

fn one(text: &str) -> Automaton {
    let mut automata = read(text).unwrap_or_else(|error| panic!("{}: {text}", error.message));
    assert_eq!(automata.len(), 1);
    automata.remove(0)
}

/// A word over propositions 0, 1, …: each letter is a list of digits, `-` for none; `|` begins the cycle.
fn word(text: &str) -> LassoWord {
    let letters = |part: &str| -> Vec<Letter> {
        let digits = |letter: &str| letter.chars().filter_map(|digit| digit.to_digit(10)).map(PropId).collect();
        part.split_whitespace().map(digits).collect()
    };
    let (prefix, cycle) = text.split_once('|').expect("a cycle");
    LassoWord::new(letters(prefix), letters(cycle))
}

#[test]
fn written_automata_are_read_back() {
    let knobs = FormulaKnobs { operators: 6, ..FormulaKnobs::default() };
    let propositions = knobs.propositions();
    let mut rng = Rng::new(1);
    check_random_formulas(0..60, &knobs, |formula| {
        let options = TranslateOptions::default();
        for automaton in [translate(formula, &propositions, &options), to_buchi(formula, &propositions, &options)] {
            let Ok(automaton) = automaton else { continue };
            let text = write_hoa(&automaton);
            let again = one(&text);
            if write_hoa(&again) != text {
                return Err(format!("{text}\nis read as\n{}", write_hoa(&again)));
            }
            for _ in 0..5 {
                let word = random_word(&mut rng, 3, 3, 3);
                if accepts(&automaton, &word) != accepts(&again, &word) {
                    return Err(format!("they differ on {}:\n{text}", word.display(&propositions)));
                }
            }
        }
        Ok(())
    });
}

const IMPLICIT: &str = "HOA: v1 States: 2 Start: 0 AP: 2 \"a\" \"b\" Acceptance: 1 Inf(0)
    --BODY-- State: 0 {0} 0 1 0 1 State: 1 1 1 0 1 --END--";

#[test]
fn labels_may_be_implicit_on_states_or_aliases() {
    // Edge number 2 of state 1 is for the letter without a and with b.
    let implicit = one(IMPLICIT);
    let explicit = one("HOA: v1 Start: 0 AP: 2 \"a\" \"b\" Alias: @a 0 Alias: @onlyb !@a & 1 Acceptance: 1 Inf(0)
        --BODY-- State: 0 {0} [!@a] 0 [@a] 1 State: 1 [!@onlyb] 1 [@onlyb] 0 --END--");
    for text in ["- | -", "- | 0", "0 1 | -", "0 | 01 1", "0 | 01", "0 0 | 1 0"] {
        assert_eq!(accepts(&implicit, &word(text)), accepts(&explicit, &word(text)), "{text}");
    }
    assert!(accepts(&implicit, &word("0 | 1 0")) && !accepts(&implicit, &word("0 | 01")));
    let on_states = one("HOA: v1 States: 2 Start: 0 Start: 1 AP: 1 \"a\" Acceptance: 1 Fin(0)
        --BODY-- State: [0] 0 \"first\" {0} 0 1 State: [!0] 1 0 1 --END--");
    assert!(accepts(&on_states, &word("0 | -")) && !accepts(&on_states, &word("- | 0")));
    assert!(accepts(&on_states, &word("- | -")), "both starts count");
}

#[test]
fn any_acceptance_condition() {
    let loops = |condition: &str, edges: &str| {
        one(&format!(
            "HOA: v1 name: \"x \\\"y\\\"\" States: 1 Start: 0 AP: 1 \"a\" tool: \"t\" \"1\" own-item: 1 t \"x\"
            acc-name: Rabin 1 properties: trans-labels deterministic Acceptance: {condition}
            --BODY-- /* a /* nested */ comment */ State: 0 {edges} --END--"
        ))
    };
    let rabin = loops("2 (Fin(0) & Inf(1))", "[0] 0 {0 1} [!0] 0 {1}");
    assert!(accepts(&rabin, &word("0 | -")) && !accepts(&rabin, &word("- | 0 -")));
    let complemented = loops("1 Inf(!0) & Inf(0)", "[0] 0 {0} [!0] 0");
    assert!(accepts(&complemented, &word("| 0 -")) && !accepts(&complemented, &word("| 0")));
    assert!(!accepts(&complemented, &word("| -")));
    assert!(is_empty(&loops("0 f", "[t] 0")) && !is_empty(&loops("0 t", "[t] 0")));
    let many = loops("70 Inf(69) & Inf(3)", "[0] 0 {69} [!0] 0 {3}");
    assert!(accepts(&many, &word("| 0 -")) && !accepts(&many, &word("| 0")));
    assert!(write_hoa(&rabin).contains("acc-name: Rabin 1\nAcceptance: 2 Fin(0)&Inf(1)"), "{}", write_hoa(&rabin));
    assert!(write_hoa(&rabin).contains("name: \"x \\\"y\\\"\""));
}

#[test]
fn streams_and_aborted_automata() {
    let text =
        format!("{IMPLICIT}\nHOA: v1 States: 5 Start: --ABORT-- {IMPLICIT} HOA: v1 Acceptance: 0 t --BODY-- --END--");
    let automata = read(&text).unwrap();
    assert_eq!(automata.len(), 3);
    assert!(is_empty(&automata[2]), "without a start there are no runs");
    assert!(read("").unwrap().is_empty());
}

#[test]
fn sixty_five_marks_survive() {
    let formula = (0..65).map(|mark| format!("G F p{mark}")).collect::<Vec<_>>().join(" & ");
    let mut propositions = Propositions::default();
    let formula = parse(&formula, ParseOptions::default(), &mut propositions).unwrap();
    let refused = translate(&formula, &propositions, &TranslateOptions { max_edges: 10_000, ..Default::default() });
    assert!(refused.is_err(), "one edge for each set of propositions is too much");
    let marks: Vec<String> = (0..65).map(|mark| mark.to_string()).collect();
    let infs: Vec<String> = marks.iter().map(|mark| format!("Inf({mark})")).collect();
    let text = format!(
        "HOA: v1 States: 1 Start: 0 AP: 0 Acceptance: 65 {} --BODY-- State: 0 [t] 0 {{{}}} --END--",
        infs.join("&"),
        marks.join(" ")
    );
    let automaton = one(&text);
    assert!(!is_empty(&automaton));
    let twice = intersection(&automaton, &automaton, &TranslateOptions::default()).unwrap();
    assert_eq!(one(&write_hoa(&twice)).mark_count(), 130);
    assert!(!is_empty(&twice));
}

#[test]
fn mistakes_are_told() {
    let head = "HOA: v1 States: 2 Start: 0 AP: 1 \"a\" Acceptance: 1 Inf(0) --BODY-- ";
    for (text, message) in [
        ("digraph {}", "expected `HOA:`, found `digraph`"),
        ("HOA: v2 --BODY-- --END--", "version `v2` of the format is not supported, only `v1`"),
        ("HOA: v1 --BODY-- --END--", "the header has no `Acceptance:`"),
        ("HOA: v1 Acceptance: 1 Inf(1) --BODY-- --END--", "there is no acceptance set 1, only 1 of them"),
        (
            "HOA: v1 Acceptance: 1 Buchi(0) --BODY-- --END--",
            "`Buchi` is not an acceptance condition; there are `Inf`, `Fin`, `t` and `f`",
        ),
        ("HOA: v1 Acceptance: 0 t Acceptance: 0 t --BODY-- --END--", "`Acceptance:` is given twice"),
        ("HOA: v1 AP: 2 \"a\" Acceptance: 0 t --BODY-- --END--", "2 propositions are announced, but 1 are given"),
        ("HOA: v1 AP: 2 \"a\" \"a\" Acceptance: 0 t --BODY-- --END--", "the proposition `a` is given twice"),
        (
            "HOA: v1 Fairness: 2 Acceptance: 0 t --BODY-- --END--",
            "the header item `Fairness:` may change what the automaton means and is not known",
        ),
        (
            "HOA: v1 Alias: @a 3 AP: 1 \"a\" Acceptance: 0 t --BODY-- --END--",
            "there is no proposition 3, only 1 of them",
        ),
        ("HOA: v1 States: 9999999999999999999999 Acceptance: 0 t --BODY-- --END--", "this number is too large"),
        ("HOA: v1 States: 4000000000 Acceptance: 0 t --BODY-- --END--", "the number of states is larger than 4194304"),
        (
            "HOA: v1 Start: 0&1 Acceptance: 0 t --BODY-- --END--",
            "alternating automata are not supported: a conjunction of states",
        ),
        ("HOA: v1 name: \"x", "this string does not end"),
        ("HOA: v1 /* x", "this comment does not end"),
        ("HOA: v1 Start: 3 Acceptance: 0 t --BODY-- State: 4 [t] 4 --END--", "state 3 is not defined"),
        (&format!("{head}State: 0 [t] 2 --END--"), "there is no state 2, only 2 of them"),
        (&format!("{head}State: 0 [t] 0 State: 0 --END--"), "state 0 is defined twice"),
        (&format!("{head}State: 0 [1] 0 --END--"), "there is no proposition 1, only 1 of them"),
        (&format!("{head}State: 0 [@x] 0 --END--"), "the alias `@x` is not defined"),
        (&format!("{head}State: 0 [0 0 --END--"), "expected `]`, found `0`"),
        (&format!("{head}State: 0 [&] 0 --END--"), "expected a label, found `&`"),
        (&format!("{head}State: 0 [t] 0&1 --END--"), "alternating automata are not supported: a conjunction of states"),
        (&format!("{head}State: 0 [t] 0 {{1}} --END--"), "there is no acceptance set 1, only 1 of them"),
        (&format!("{head}State: [0] 0 [t] 0 --END--"), "the state has a label, so its edges cannot have one"),
        (&format!("{head}State: 0 [t] 0 1 --END--"), "some edges of this state have labels and some have none"),
        (&format!("{head}State: 0 1 --END--"), "state 0 has 1 edges without labels, but there are 2 letters"),
        (&format!("{head}State: 0 1 1 1 --END--"), "more edges without labels than there are letters"),
        (&format!("{head}State: 0 [t] 0"), "expected `State:` or `--END--`, found the end of the text"),
        (&format!("{head}State: 0 [{}0", "(".repeat(5000)), "this label is nested too deeply"),
        ("HOA: v1 ? ", "`?` means nothing here"),
    ] {
        let error = read(text).expect_err(text);
        assert_eq!(error.message, message, "{text}");
        assert!(!error.span.is_none(), "{text}");
    }
}
