//! Texts that are written in two ways and mean the same, as NuSMV's users write them and in full.

use crate::support::model;
use lariat_smv::Property;

const VARIABLES: &str = "MODULE cell VAR v : boolean; x : 0..3;
MODULE main VAR a : boolean; b : boolean; y : 0..3; c : cell; d : cell;\n";

/// The formula of the only specification, its conditions written out.
fn formula(spec: &str) -> String {
    let model = model(&format!("{VARIABLES}{spec}"));
    let [only] = model.specifications() else { panic!("{spec}: one specification") };
    match &only.property {
        Property::Formula(formula, conditions) => {
            let terms =
                conditions.iter().map(|condition| format!("{:?}", without_places(&format!("{:?}", condition.term))));
            format!("{formula:?} {:?}", terms.collect::<Vec<_>>())
        }
        Property::Invariant(condition, _) => without_places(&format!("{:?}", condition.term)),
        Property::Distance { .. } => panic!("{spec}: a formula"),
    }
}

/// A text without the places that it names.
fn without_places(text: &str) -> String {
    let mut parts = text.split("span: ");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |whole, part| whole + part.split_once('}').map_or(part, |(_, rest)| rest))
}

#[test]
fn two_ways_to_write_the_same() {
    for (written, in_full) in [
        ("CTLSPEC A [ a | b U a & b ]", "CTLSPEC A [ (a | b) U (a & b) ]"),
        ("CTLSPEC E [ a -> b U AG a <-> b ]", "CTLSPEC E [ (a -> b) U ((AG a) <-> b) ]"),
        ("CTLSPEC A [ a & E [ b U a ] U b ]", "CTLSPEC A [ (a & (E [ b U a ])) U b ]"),
        ("CTLSPEC A [ a & (b | a) BU 0..2 b | a ]", "CTLSPEC A [ (a & (b | a)) BU 0..2 (b | a) ]"),
        ("CTLSTARSPEC A [ a | b U a & b ]", "CTLSTARSPEC A (a | ((b U a) & b))"),
        ("LTLSPEC a | b U a & b", "LTLSPEC a | ((b U a) & b)"),
        ("CTLSPEC AG v IN c", "CTLSPEC AG c.v"),
        ("LTLSPEC G (v -> x = 1) IN d", "LTLSPEC G (d.v -> d.x = 1)"),
        ("INVARSPEC x < 3 IN c;", "INVARSPEC c.x < 3"),
        ("CTLSPEC EBF 0..1 -y < y", "CTLSPEC EBF 0..1 (-y < y)"),
        ("CTLSPEC AG y < +3", "CTLSPEC AG y < 3"),
    ] {
        assert_eq!(formula(written), formula(in_full), "{written}");
    }
}

#[test]
fn definitions_of_arrays() {
    let text = "MODULE main VAR i : 0..2; ARRAY DEFINE t := [3, 1, 2]; INVARSPEC t[i] > 0";
    assert!(model(text).system().is_ok());
}

/// The only invariant of a model.
fn invariant(text: &str) -> String {
    let model = model(text);
    let [only] = model.specifications() else { panic!("{text}: one specification") };
    let Property::Invariant(condition, _) = &only.property else { panic!("{text}: an invariant") };
    without_places(&format!("{:?}", condition.term))
}

#[test]
fn names_with_an_index_or_a_part() {
    let declared = "MODULE user(v) VAR m[0] : 0..3; MODULE main VAR x[0] : 0..3; x[-1] : boolean; cell.value : 0..3;
        p[2] : user(x[0]); c.0 : 0..3; DEFINE n := 1; d[0] := x[n - 1] + 1; ASSIGN next(x[0]) := 0;\n";
    let plain = "MODULE user(v) VAR m : 0..3; MODULE main VAR x0 : 0..3; x1 : boolean; value : 0..3;
        p : user(x0); c : 0..3; DEFINE n := 1; d := x0 + 1; ASSIGN next(x0) := 0;\n";
    for (long, short) in [
        ("x[0] < 2", "x0 < 2"),
        ("x[n - 1] < 2 & x[-1]", "x0 < 2 & x1"),
        ("cell.value = 3", "value = 3"),
        ("p[2].m[0] = p[2].v", "p.m = p.v"),
        ("c.0 > 1", "c > 1"),
        ("d[0] > 1", "d > 1"),
        ("x[0] + x[0] > 1", "x0 + x0 > 1"),
        ("next(x[0]) = 0", "next(x0) = 0"),
    ] {
        assert_eq!(
            invariant(&format!("{declared}INVARSPEC {long}")),
            invariant(&format!("{plain}INVARSPEC {short}")),
            "{long}"
        );
    }
    let names: Vec<String> = model(declared).flat().vars.iter().map(|var| var.name.clone()).collect();
    assert_eq!(names, ["x[0]", "x[-1]", "cell.value", "p[2].m[0]", "c.0"]);
    let named = model(&format!("{declared}LTLSPEC NAME p.a[1] := G x[-1]"));
    assert_eq!(named.specifications()[0].name, "p.a[1]");
}
