//! The systems of models against what the models say, read off assignments and constraints one valuation at a time.
//!
//! The oracle knows no choices, no updates and no slots: it tries every state, every pair of states, every process and every
//! valuation of the inputs. Models are made by changing small ones at random; those that are still models, and small, are
//! compared.

use lariat_base::{Id, SourceMap};
use lariat_smv::check::Flat;
use lariat_smv::fuzz::{SEEDS, WORDS};
use lariat_smv::read_model;
use lariat_smv::term::{Kind, ProcessId, Term, VarId};
use lariat_smv::tree::{BinaryOp, VarKind};
use lariat_smv::types::{Base, Domain, SYMBOLS};
use lariat_smv::value::binary_value;
use lariat_system::System;
use lariat_system::reference::{Evaluator, Outcome, Valuation};
use lariat_testkit::{Rng, mutate_text};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::time::{Duration, Instant};

/// Models with more states, or pairs of states and inputs, are left out.
const MOST_STATES: u64 = 600;

type State = Vec<i128>;

struct Oracle<'a> {
    flat: &'a Flat,
    state: Vec<VarId>,
    inputs: Vec<VarId>,
}

/// What variables are: by variable, now and in the next state.
struct At<'a> {
    now: &'a BTreeMap<VarId, i128>,
    next: &'a BTreeMap<VarId, i128>,
    process: ProcessId,
}

fn values_of(domain: &Domain) -> Vec<i128> {
    match domain {
        Domain::List(values) => values.to_vec(),
        _ => {
            let (low, high) = domain.bounds();
            (low..=high).collect()
        }
    }
}

/// All values that a term may have: one, unless it is a set.
fn values(term: &Term, at: &At<'_>) -> BTreeSet<i128> {
    let one = |value: i128| BTreeSet::from([value]);
    let single = |part: &Term| *values(part, at).first().expect("every term has a value");
    let base = term.ty.base;
    match &term.kind {
        Kind::Const(value) => one(*value),
        Kind::Var(var, next) => one(if *next { at.next[var] } else { at.now[var] }),
        Kind::Running(process) => one(i128::from(*process == at.process)),
        Kind::Not(part) if base == Base::Bool => one(1 - single(part)),
        Kind::Not(part) => one(base.wrap(!single(part))),
        Kind::Minus(part) => one(base.wrap(-single(part))),
        Kind::Binary(op, left, right) => {
            let (a, b) = (single(left), single(right));
            let decided = match op {
                BinaryOp::And if base == Base::Bool => Some(a & b),
                BinaryOp::Or if base == Base::Bool => Some(a | b),
                _ => None,
            };
            // Something without a value is looked at only where the other side decides.
            one(decided.unwrap_or_else(|| binary_value(*op, left.ty.base, base, right.ty.base, a, b).unwrap_or(0)))
        }
        Kind::Ite(condition, yes, no) => values(if single(condition) != 0 { yes } else { no }, at),
        Kind::Case(branches) => match branches.iter().find(|(when, _)| single(when) != 0) {
            Some((_, value)) => values(value, at),
            None => one(0),
        },
        Kind::Select(index, low, items) => {
            let number = usize::try_from(single(index) - low).ok().and_then(|number| items.get(number));
            number.map_or(one(0), |item| values(item, at))
        }
        Kind::Bits(part, high, low) => one(single(part) >> low & ((1 << (high - low + 1)) - 1)),
        Kind::Convert(part) => one(base.wrap(single(part))),
        Kind::Narrow(part) => {
            let Base::Word { width, .. } = base else { panic!("a word") };
            let (value, half) = (single(part), 1i128 << (width - 1));
            one((value & (half - 1)) - if value < 0 { half } else { 0 })
        }
        Kind::Truth(part) => one(i128::from(single(part) != 0)),
        Kind::Abs(part) => one(base.wrap(single(part).abs())),
        Kind::Count(parts) => one(parts.iter().map(single).sum()),
        Kind::Set(parts) => parts.iter().flat_map(|part| values(part, at)).collect(),
        Kind::Range(low, high) => (*low..=*high).collect(),
        Kind::In(left, right) => one(i128::from(values(left, at).is_subset(&values(right, at)))),
        Kind::Fits(part, ..) => values(part, at),
    }
}

impl<'a> Oracle<'a> {
    fn new(flat: &'a Flat) -> Self {
        let of = |input: bool| {
            let own = flat.vars.entries().filter(move |(_, var)| (var.kind == VarKind::Input) == input);
            own.map(|(id, _)| id).collect()
        };
        Self { flat, state: of(false), inputs: of(true) }
    }

    fn count(&self, vars: &[VarId]) -> u64 {
        vars.iter().map(|var| self.flat.vars[*var].domain.count()).fold(1, u64::saturating_mul)
    }

    /// Every valuation of these variables.
    fn valuations(&self, vars: &[VarId]) -> Vec<State> {
        vars.iter().fold(vec![Vec::new()], |prefixes, var| {
            let values = values_of(&self.flat.vars[*var].domain);
            prefixes.iter().flat_map(|prefix| values.iter().map(|value| [&prefix[..], &[*value]].concat())).collect()
        })
    }

    fn named(&self, state: &State) -> BTreeMap<VarId, i128> {
        self.state.iter().copied().zip(state.iter().copied()).collect()
    }

    /// Whether a state obeys what holds always.
    fn is_state(&self, named: &BTreeMap<VarId, i128>) -> bool {
        let at = At { now: named, next: named, process: ProcessId::new(0) };
        self.flat.always.iter().all(|(var, term)| values(term, &at).contains(&named[var]))
            && self.flat.invars.iter().all(|term| values(term, &at).contains(&1))
    }

    fn is_initial(&self, named: &BTreeMap<VarId, i128>) -> bool {
        let at = At { now: named, next: named, process: ProcessId::new(0) };
        self.is_state(named)
            && self.flat.init.iter().all(|(var, term)| values(term, &at).contains(&named[var]))
            && self.flat.inits.iter().all(|term| values(term, &at).contains(&1))
    }

    fn is_step(&self, from: &BTreeMap<VarId, i128>, to: &BTreeMap<VarId, i128>, inputs: &[State]) -> bool {
        let processes = (0..self.flat.processes.len()).map(ProcessId::new);
        self.is_state(to)
            && processes.into_iter().any(|process| {
                inputs.iter().any(|given| {
                    let mut now = from.clone();
                    now.extend(self.inputs.iter().copied().zip(given.iter().copied()));
                    let at = At { now: &now, next: to, process };
                    self.state.iter().all(|var| match self.flat.next.get(var) {
                        _ if self.flat.vars[*var].kind == VarKind::Frozen => from[var] == to[var],
                        None => true,
                        Some(by) => match by.get(&process) {
                            Some(term) => values(term, &at).contains(&to[var]),
                            None => from[var] == to[var],
                        },
                    }) && self.flat.transes.iter().all(|term| values(term, &at).contains(&1))
                })
            })
    }

    /// A state of the system, in the values of the model.
    fn decoded(&self, state: &Valuation) -> State {
        let decode = |(var, cells): (&VarId, &Vec<i64>)| match &*self.flat.vars[*var].domain {
            Domain::List(values) if values.iter().any(|value| *value >= SYMBOLS) => values[cells[0] as usize],
            _ => i128::from(cells[0]),
        };
        self.state.iter().zip(&state.globals).map(decode).collect()
    }
}

/// Whether the text is a small model; it must then mean what it says.
fn compare(text: &str) -> bool {
    // The oracle writes sets out.
    if text.split(|c: char| !c.is_ascii_digit()).any(|digits| digits.len() > 4) {
        return false;
    }
    let mut sources = SourceMap::default();
    let Ok(model) = read_model(&mut sources, "oracle.smv", text) else { return false };
    let oracle = Oracle::new(model.flat());
    if oracle.count(&oracle.state) > MOST_STATES || oracle.count(&oracle.inputs) > 64 {
        return false;
    }
    for model in [model.naming_parts(), model.clone()] {
        let system = model.system().unwrap_or_else(|found| panic!("{text}\nis a model and has no system: {found:?}"));
        compare_system(text, &oracle, &system);
    }
    true
}

/// The system must have the initial states and the steps of the model; what is kept beside the variables follows from them.
fn compare_system(text: &str, oracle: &Oracle<'_>, system: &System) {
    let evaluator = Evaluator::new(system);
    let all: Vec<(State, BTreeMap<VarId, i128>)> =
        oracle.valuations(&oracle.state).into_iter().map(|state| (state.clone(), oracle.named(&state))).collect();
    let inputs = oracle.valuations(&oracle.inputs);
    let expected: BTreeSet<&State> =
        all.iter().filter(|(_, named)| oracle.is_initial(named)).map(|(state, _)| state).collect();
    let initial = evaluator.initial();
    let found: BTreeSet<State> = initial.iter().map(|state| oracle.decoded(state)).collect();
    assert_eq!(initial.iter().collect::<HashSet<_>>().len(), found.len(), "{text}\n{system}");
    assert_eq!(found.iter().collect::<BTreeSet<_>>(), expected, "the initial states of\n{text}\n{system}");
    let mut known: HashSet<Valuation> = initial.iter().cloned().collect();
    let mut waiting = initial;
    while let Some(state) = waiting.pop() {
        let from = oracle.decoded(&state);
        let named = oracle.named(&from);
        let expected: BTreeSet<&State> =
            all.iter().filter(|(_, to)| oracle.is_step(&named, to, &inputs)).map(|(state, _)| state).collect();
        let mut found = BTreeSet::new();
        for step in evaluator.steps(&state) {
            let Outcome::State(next) = step.outcome else { panic!("an SMV model has no run-time errors") };
            found.insert(oracle.decoded(&next));
            if known.insert(next.clone()) {
                waiting.push(next);
            }
        }
        assert_eq!(found.iter().collect::<BTreeSet<_>>(), expected, "the steps from {from:?} of\n{text}\n{system}");
    }
    let decoded: HashSet<State> = known.iter().map(|state| oracle.decoded(state)).collect();
    assert_eq!(decoded.len(), known.len(), "{text}\n{system}");
}

/// Models that are small enough and use what lowering treats in ways of its own.
const SMALL: &[&str] = &[
    "MODULE main\nVAR x : 1..4; y : -2..-1; z : 0..3;\nASSIGN init(x) := 2; next(x) := z mod 1 >= 1 ? z mod 1 : {4, 2}; init(y) := z * 0 < 0 ? z * 0 : -1; next(y) := x > 4 ? x : {-2, y};\n",
    "MODULE main\nVAR x : 0..3; y : {a, 2, b}; c : boolean;\nASSIGN init(x) := {0, 2}; next(x) := case c : {x, 1} union 3; y = 2 : x; TRUE : 0..2; esac;\n next(y) := next(x) = 1 ? a : {2, b};\nTRANS next(c) <-> x > 1\nINVAR y != a | x < 3\n",
    "MODULE main\nIVAR go : boolean; k : {1, 3};\nVAR x : 0..3; p : {1, 3}; q : {3, a};\nASSIGN next(x) := go ? (x + k) mod 4 : x; q := x = 3 ? 3 : a;\nTRANS go -> next(p) = k\nINIT q = a & p = 1\nINVAR q in {a, p} | p = 1\n",
    "MODULE main\nVAR x : 0..2; f : process inc(x); g : process dec(x, h); h : boolean;\nASSIGN init(x) := 1; next(h) := x = 0;\nTRANS f.running -> !h\nMODULE inc(v)\nVAR seen : boolean;\nASSIGN next(v) := v < 2 ? v + 1 : v; next(seen) := running;\nMODULE dec(v, w)\nASSIGN next(v) := {0, v}; \nINVAR v < 2 | !w\n",
    "MODULE main\nVAR w : word[2]; v : signed word[2]; c : word[1]; n : 0..2;\nASSIGN init(w) := 0ud2_1; next(w) := case n = 0 : w + 0ud2_3; n = 1 : w << n; TRUE : unsigned(v) xor w; esac; next(v) := signed(w :: c >> 1)[1:0] = w ? -v : v * 0sd2_1; next(c) := w[1:1];\nTRANS next(n) = (n + 1) mod 3\n",
    "MODULE main\nFROZENVAR f : {0, 2, 3};\nVAR v : array 0..2 of 0..2; i : 0..2; e : boolean;\nASSIGN v[0] := i; next(v[1]) := v[i]; next(v[2]) := next(v[1]) = 2 ? 0 : {0, f mod 2};\nINIT v[1] = 0 & v[2] in {0, 1}\nTRANS e -> next(i) = v[2]\nINVAR e = (i + f >= 3)\n",
    "MODULE main\nIVAR k : {a, 1};\nVAR s : {a, b, 1}; c : boolean; x : 0..2;\nDEFINE e := c ? s : (x = 1 ? 1 : b); f := s = a ? e : (e = b ? a : e); g := c ? k : next(s); h := g = a ? f : g; t := {a, b}; u := c ? t : (t union {1}); v := u union (x = 0 ? u : {1, s});\nASSIGN next(s) := c ? v : u; next(x) := h = a ? 1 : (h in {b, 1} ? {0, 2} : 0);\nTRANS next(c) -> (g = a | f != b)\nINVAR !(c & e in {b} & x = 2)\n",
    "MODULE main\nVAR c : boolean; d : boolean; x : 0..3; s : {a, b, 2};\nDEFINE t := {1, 2..3}; u := case c : t; d : t union {0}; TRUE : {x, 0} union t; esac; e := c ? x : s; f := d ? e : (x + 1) mod 4;\nASSIGN next(x) := d ? u : (u union {x mod 2}); next(s) := e = f ? a : (e in {b, 2} ? {2, s} : b);\nINIT x in u\nTRANS next(c) | f in 1..2 | {0, 3} in u\n",
    "MODULE main\nVAR c : boolean; d : boolean; x : 0..3; e : {a, 1};\nDEFINE v := case c : (x + 1) mod 4; d : e = 1 ? e : 2; TRUE : x; esac; w := d ? v : {x, 1};\nASSIGN next(x) := w; next(c) := v in {0, 2} union 1..1;\nTRANS next(x) = v | next(e) = v | x in 2..3\n",
    "MODULE main\nVAR c : boolean; x : 0..2;\nDEFINE s := x union x; t := c ? s : s union s;\nASSIGN next(x) := t union s; next(c) := x in t;\nTRANS next(x) in s | c\n",
    "MODULE main\nVAR a : cell(b.out, TRUE); b : cell(a.out, FALSE); t : {l, r, 1};\nTRANS !(next(a.out) & next(b.out))\nASSIGN next(t) := case t = l : a.out ? r : t; t in {r, 1} : {l, t, 1}; TRUE : l; esac;\nMODULE cell(in1, start)\nVAR out : boolean;\nASSIGN init(out) := start; next(out) := (in1 & start) union out;\n",
];

#[test]
fn small_models_mean_what_they_say() {
    for text in SMALL {
        let mut sources = SourceMap::default();
        if let Err(found) = read_model(&mut sources, "oracle.smv", text) {
            panic!("{text}\n{}", crate::support::messages(&sources, &found));
        }
        assert!(compare(text), "{text}");
    }
}

#[test]
fn changed_models_mean_what_they_say() {
    let seeds: Vec<String> = SMALL.iter().chain(SEEDS).map(|seed| (*seed).to_owned()).collect();
    let seconds = std::env::var("LARIAT_ORACLE_SECONDS").map_or(2, |seconds| seconds.parse().expect("seconds"));
    let seed = std::env::var("LARIAT_ORACLE_SEED").map_or(0, |seed| seed.parse().expect("a seed"));
    let mut rng = Rng::new(seed);
    let begin = Instant::now();
    let (mut tried, mut compared) = (0, 0);
    while begin.elapsed() < Duration::from_secs(seconds) {
        let text = String::from_utf8_lossy(&mutate_text(&mut rng, &seeds, WORDS)).into_owned();
        tried += 1;
        compared += usize::from(compare(&text));
    }
    println!("{compared} of {tried} texts are small models");
    assert!(compared > 5, "only {compared} of {tried}");
}
