//! The whole front end on anything: what fuzzing calls. No text may make it panic, overflow its stack or take long.

use crate::{SpecKind, read_model};
use lariat_base::{Diagnostic, SourceMap};
use lariat_system::System;

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

/// Reads, checks and lowers `bytes`, whatever they are, with everything observed that its specifications speak of.
///
/// # Panics
///
/// If the front end panics or breaks its contract: a refused text has at least one error, any other none,
/// and every place that a diagnostic names exists.
pub fn front_end(bytes: &[u8]) -> Outcome {
    let text = String::from_utf8_lossy(bytes).into_owned();
    let mut sources = SourceMap::default();
    let (diagnostics, system) = match read_model(&mut sources, "fuzz.smv", &text) {
        Err(diagnostics) => {
            assert!(diagnostics.iter().any(Diagnostic::is_error), "refused without an error");
            (diagnostics, None)
        }
        Ok(model) => {
            assert!(!model.warnings().iter().any(Diagnostic::is_error), "an error, but not refused");
            let conditions = model.specifications().iter().flat_map(|spec| spec.property.conditions());
            let observing = model.observing(conditions.cloned().collect());
            if let Err(errors) = model.formula(&mut sources, "<formula>", "G (x -> F running)", SpecKind::Ltl) {
                assert!(errors.iter().any(Diagnostic::is_error), "a formula refused without an error");
            }
            match observing.system() {
                Ok(system) => (Vec::new(), Some(system)),
                Err(errors) => {
                    assert!(errors.iter().any(Diagnostic::is_error), "refused without an error");
                    // What is too large is refused; anything else should have been told before.
                    let odd = errors.iter().find(|error| !["V0700", "V0701", "S0108", "S0207"].contains(&error.code));
                    assert!(odd.is_none(), "lowering made something invalid: {odd:?}");
                    (errors, None)
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

/// Small models that between them use all of the language.
pub const SEEDS: &[&str] = &[
    "MODULE main\nVAR x : 0..3; b : boolean; s : {idle, busy, 3};\nASSIGN init(x) := {0, 2}; next(x) := case b : (x + 1) mod 4; x > 1 : {x, 0} union 3; TRUE : x; esac;\n s := b ? idle : {busy, 3};\nINIT !b\nTRANS next(b) = (x in {1, 2..3})\nINVAR s != 3 | x < 3\nJUSTICE b\nCOMPASSION (b, x = 0)\nCTLSPEC AG (b -> EF !b)\nLTLSPEC G (b -> F !b) & (x = 0 U b) | O [0,2] b\nINVARSPEC x < 4;\n",
    "MODULE cell(left, token)\nVAR out : boolean; n : array 0..2 of 0..3;\nDEFINE req := out & left.out; left.ack := !out;\nASSIGN init(out) := token; next(out) := left.out; next(n[0]) := n[1]; init(n[1]) := n[2];\nFAIRNESS running\nSPEC AG (req -> AF out)\nMODULE main\nVAR a : process cell(b, TRUE); b : process cell(self.a, FALSE); i : 0..2;\nLTLSPEC NAME p := G F a.running -> G (b.ack -> X a.n[i] = 0)\nINVARSPEC next(i) = i | a.running\nCOMPUTE MIN [i = 0, i = 2]\n",
    "MODULE main\nIVAR go : boolean; k : 1..3;\nFROZENVAR f : {1, 3, 5};\nVAR w : unsigned word[4]; v : signed word[4]; c : word[1]; m : array 0..1 of array 0..1 of boolean;\nASSIGN init(w) := 0ud4_3; next(w) := go ? w + 0ud4_1 : (w << 1) | extend(c, 3); next(v) := signed(w) * -v / 0sd4_3; next(c) := w[3:3] xor word1(go); next(m[0][1]) := bool(f - k);\nTRANS count(go, m[0][0], TRUE) = toint(c) + abs(-1) & next(v) >= resize(0sd8_9, 4)\nDEFINE d := [1, 2, 3]; e := w :: c; q := max(f, min(k, 2));\nINVARSPEC d[toint(c)] = 1 & e = uwconst(1, 5) | q > sizeof(w)\nLTLSPEC Z (H (go -> Y go)) S T_1 = T_1 V go\nCTLSTARSPEC A (G F c = 0ub1_1 -> E [F w = v_ U TRUE])\n",
    "MODULE base\nVAR x : boolean;\nCONSTANTS red, green;\nMODULE top(n)\nISA base\nVAR y : -n..n; l : array 1..2 of leaf(x, y);\nINVAR x <-> y = 0\nSPEC E [x BU 0..2 !x] & ABG 1..2 x | EBF 0..1 y > 0\nMODULE leaf(p, r)\nDEFINE z := p -> r != 1; u := next(p) xor p;\nMODULE main\nVAR t : top(2); colour : {red, blue};\nASSIGN t.y := colour = red ? 1 : {-1, 0};\nTRANS t.l[1].u\nLTLSPEC t.l[2].z xnor X t.x\n",
];

/// Words of the language, for mutations.
pub const WORDS: &[&str] = &[
    "MODULE",
    "main",
    "VAR",
    "IVAR",
    "FROZENVAR",
    "DEFINE",
    "ASSIGN",
    "INIT",
    "TRANS",
    "INVAR",
    "JUSTICE",
    "FAIRNESS",
    "COMPASSION",
    "CTLSPEC",
    "LTLSPEC",
    "INVARSPEC",
    "CTLSTARSPEC",
    "COMPUTE",
    "PSLSPEC",
    "ISA",
    "CONSTANTS",
    "NAME",
    "process",
    "array",
    "of",
    "boolean",
    "word",
    "unsigned",
    "signed",
    "case",
    "esac",
    "next",
    "init",
    "self",
    "running",
    "union",
    "in",
    "mod",
    "xor",
    "xnor",
    "TRUE",
    "FALSE",
    "G",
    "F",
    "X",
    "U",
    "V",
    "Y",
    "Z",
    "O",
    "H",
    "S",
    "T",
    "A",
    "E",
    "AG",
    "EF",
    "EX",
    "ABF",
    "EBG",
    "BU",
    "MIN",
    "MAX",
    "count",
    "abs",
    "min",
    "max",
    "toint",
    "bool",
    "word1",
    "extend",
    "resize",
    "uwconst",
    "swconst",
    "sizeof",
    "0..3",
    "0ud4_5",
    "0sd4_3",
    "0ub1_1",
    "{a, b}",
    "{0, 1}",
    ":=",
    "..",
    "<->",
    "->",
    "<=",
    ">=",
    "<<",
    ">>",
    "!=",
    "::",
    "+",
    "-",
    "*",
    "/",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ",",
    ";",
    ":",
    ".",
    "=",
    "<",
    ">",
    "!",
    "&",
    "|",
    "?",
    "--",
    "/--",
    "--/",
    "x",
    "y",
    "a",
    "b",
    "a.x",
    "v[0]",
    "v[i]",
    "next(x)",
    "\n",
    "\0",
    "ü",
    "integer",
    "real",
    "1.5",
    "2147483648",
];
