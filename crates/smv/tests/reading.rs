//! Texts that are written in two ways and mean the same, as NuSMV's users write them and in full.

use crate::support::model;
use lariat_smv::Property;

const VARIABLES: &str = "MODULE cell VAR v : boolean; x : 0..3;
MODULE main VAR a : boolean; b : boolean; y : 0..3; c : cell; d : cell;\n";

/// The formula of the only specification, its conditions written out.
fn formula(spec: &str) -> String {
    let model = model(&format!("{VARIABLES}{spec}"));
    let [only] = &model.specifications()[..] else { panic!("{spec}: one specification") };
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
