//! What docs/formulas.md says is so.

use lariat_logic::{Dialect, Formula, LassoWord, Letter, ParseOptions, Propositions, holds, parse, print};

fn page() -> String {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/formulas.md");
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The lines of all blocks of a kind.
fn examples(kind: &str) -> Vec<String> {
    let page = page();
    let opening = format!("```{kind}\n");
    let blocks = page.split(&opening).skip(1).map(|rest| rest.split("```").next().expect("a split has a first part"));
    let lines: Vec<String> = blocks.flat_map(str::lines).map(str::to_owned).collect();
    assert!(lines.len() > 5, "there are examples of `{kind}`");
    lines
}

/// What stands on a line, in columns.
fn columns(line: &str) -> Vec<&str> {
    line.split("  ").map(str::trim).filter(|column| !column.is_empty()).collect()
}

fn read(text: &str, dialect: Dialect, props: &mut Propositions) -> Formula {
    let options = ParseOptions { dialect, ..ParseOptions::default() };
    parse(text, options, props).unwrap_or_else(|error| panic!("{text}: {}", error.message))
}

#[test]
fn examples_are_read_as_the_page_says() {
    for line in examples("reads") {
        let (name, rest) = line.split_once(' ').expect("a dialect");
        // The last column begins at a fixed place; formulas have single spaces only, but may fill their column.
        let rest = rest.trim_start();
        let width = "always (p implies eventually q) ".len();
        let (text, expected) = (rest[..width].trim(), rest[width..].trim());
        let dialect = match name {
            "spin" => Dialect::Spin,
            "nusmv" => Dialect::Nusmv,
            "spot" => Dialect::Spot,
            "auto" => Dialect::Auto,
            other => panic!("no dialect: {other}"),
        };
        let mut props = Propositions::default();
        let formula = read(text, dialect, &mut props);
        assert_eq!(print(&formula, &props, Dialect::Spot), expected, "{line}");
    }
}

#[test]
fn words_are_as_the_page_says() {
    for line in examples("truth") {
        let [word, formula, expected] = columns(&line)[..] else { panic!("three columns: {line}") };
        let mut props = Propositions::named(["a", "b"]);
        let letters = |part: &str| -> Vec<Letter> {
            let letter = |names: &str| names.chars().filter_map(|name| props.find(&name.to_string())).collect();
            part.split_whitespace().map(letter).collect()
        };
        let (prefix, cycle) = word.split_once('|').expect("a bar");
        let word = LassoWord::new(letters(prefix), letters(cycle));
        let formula = read(formula, Dialect::Auto, &mut props);
        assert_eq!(holds(&formula, &word), expected == "yes", "{line}");
    }
}

#[test]
fn formulas_become_as_simple_as_the_page_says() {
    for line in examples("simplifies") {
        let [text, expected] = columns(&line)[..] else { panic!("two columns: {line}") };
        let mut props = Propositions::named(["a", "b"]);
        let simple = read(text, Dialect::Auto, &mut props).simplified();
        assert_eq!(print(&simple, &props, Dialect::Auto), expected, "{line}");
    }
}

#[test]
fn classes_are_as_the_page_says() {
    for line in examples("classes") {
        let [text, expected] = columns(&line)[..] else { panic!("two columns: {line}") };
        let formula = read(text, Dialect::Auto, &mut Propositions::default());
        assert_eq!(formula.classes().to_string(), expected, "{line}");
    }
}
