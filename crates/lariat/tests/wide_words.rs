//! Words of up to 64 bits, with every operator, against an evaluation of their own: bit patterns in `u128`, and no code of the
//! front end.
//!
//! A model has two short words that may be anything, and an expression over two wide words that are made of them, so that
//! diagrams stay small and explicit engines meet every value.

use lariat::{CheckOptions, Limits, Model, ReadOptions, Verdict};
use lariat_testkit::Rng;

const CASES: u64 = if cfg!(debug_assertions) { 60 } else { 600 };
const ENGINES: [&str; 4] = ["bfs", "dfs", "graph", "symbolic"];

#[derive(Clone, Copy, PartialEq, Debug)]
struct Ty {
    signed: bool,
    width: u32,
}

impl Ty {
    fn cut(self, bits: u128) -> u128 {
        bits & ((1 << self.width) - 1)
    }
    /// The number that a pattern stands for.
    fn number(self, bits: u128) -> i128 {
        let negative = self.signed && bits >> (self.width - 1) & 1 == 1;
        bits as i128 - if negative { 1 << self.width } else { 0 }
    }
    fn literal(self, bits: u128) -> String {
        let number = self.number(bits);
        let (sign, letter) = (if number < 0 { "-" } else { "" }, if self.signed { 's' } else { 'u' });
        format!("{sign}0{letter}d{}_{}", self.width, number.unsigned_abs())
    }
}

/// An expression: its text, and its pattern for the two short words.
struct Made {
    text: String,
    value: Box<dyn Fn(u128, u128) -> u128>,
}

struct Maker {
    rng: Rng,
    /// The patterns of the wide words, without the short ones in them, and where those are.
    wide: [(u128, u32); 2],
    /// Whether what makes diagrams large is left out.
    tame: bool,
}

impl Maker {
    fn width(&mut self) -> u32 {
        match self.rng.below(4) {
            0 => 1 + self.rng.below(64) as u32,
            1 => *self.rng.pick(&[31, 32, 33, 59, 60]),
            _ => 61 + self.rng.below(4) as u32,
        }
    }

    fn constant(&mut self, ty: Ty) -> u128 {
        let any = u128::from(self.rng.next_u64());
        let shape = *self.rng.pick(&[0, 1, any, any, u128::MAX, 1 << (ty.width - 1), u128::MAX >> 1]);
        ty.cut(if self.rng.chance(30) { shape >> self.rng.below(64) } else { shape })
    }

    fn leaf(&mut self, ty: Ty) -> Made {
        if self.rng.chance(30) {
            let bits = self.constant(ty);
            return Made { text: ty.literal(bits), value: Box::new(move |_, _| bits) };
        }
        let which = self.rng.below(2);
        let (pattern, at) = self.wide[which];
        let name = if which == 0 { "a" } else { "b" };
        let part = format!("{name}[{}:0]", ty.width - 1);
        let text = if ty.signed { format!("signed({part})") } else { part };
        let value = move |s: u128, t: u128| ty.cut(pattern | (if which == 0 { s } else { t }) << at);
        Made { text, value: Box::new(value) }
    }

    fn made(&mut self, ty: Ty, depth: u32) -> Made {
        if depth == 0 {
            return self.leaf(ty);
        }
        let deeper = depth - 1;
        match self.rng.below(13) {
            0 => self.leaf(ty),
            1 => {
                let (Made { text, value }, neg) = (self.made(ty, deeper), self.rng.chance(50));
                let value = move |s, t| ty.cut(if neg { value(s, t).wrapping_neg() } else { !value(s, t) });
                Made { text: format!("({}{text})", if neg { '-' } else { '!' }), value: Box::new(value) }
            }
            2..6 => self.binary(ty, deeper),
            6 => self.shifted(ty, deeper),
            7 => self.chosen(ty, deeper),
            8 => {
                let from = Ty { signed: ty.signed, width: self.width() };
                let Made { text, value } = self.made(from, deeper);
                if from.width <= ty.width && self.rng.chance(50) {
                    let value = move |s, t| ty.cut(from.number(value(s, t)) as u128);
                    let text = format!("extend({text}, {})", ty.width - from.width);
                    return Made { text, value: Box::new(value) };
                }
                let value = move |s, t| {
                    let bits = value(s, t);
                    if !ty.signed || from.width <= ty.width {
                        return ty.cut(from.number(bits) as u128);
                    }
                    // The sign stays, and the low bits.
                    let low = bits & ((1 << (ty.width - 1)) - 1);
                    low | (bits >> (from.width - 1) & 1) << (ty.width - 1)
                };
                Made { text: format!("resize({text}, {})", ty.width), value: Box::new(value) }
            }
            9 => {
                let Made { text, value } = self.made(Ty { signed: !ty.signed, ..ty }, deeper);
                Made { text: format!("{}({text})", if ty.signed { "signed" } else { "unsigned" }), value }
            }
            10 if !ty.signed && ty.width > 1 => {
                let low = Ty { signed: self.rng.chance(50), width: 1 + self.rng.below(ty.width as usize - 1) as u32 };
                let high = Ty { signed: self.rng.chance(50), width: ty.width - low.width };
                let (a, b) = (self.made(high, deeper), self.made(low, deeper));
                let text = format!("({} :: {})", a.text, b.text);
                Made { text, value: Box::new(move |s, t| (a.value)(s, t) << low.width | (b.value)(s, t)) }
            }
            11 if !ty.signed => {
                let width = ty.width + self.rng.below(65 - ty.width as usize) as u32;
                let low = self.rng.below((width - ty.width) as usize + 1) as u32;
                let from = Ty { signed: self.rng.chance(50), width };
                let Made { text, value } = self.made(from, deeper);
                let text = format!("({text})[{}:{low}]", low + ty.width - 1);
                Made { text, value: Box::new(move |s, t| ty.cut(value(s, t) >> low)) }
            }
            _ => {
                let (a, b) = (self.made(ty, deeper), self.made(ty, deeper));
                let (text, max) = (format!("({}, {})", a.text, b.text), self.rng.chance(50));
                let value = move |s, t| {
                    let (a, b) = ((a.value)(s, t), (b.value)(s, t));
                    if (ty.number(a) > ty.number(b)) == max { a } else { b }
                };
                Made { text: format!("{}{text}", if max { "max" } else { "min" }), value: Box::new(value) }
            }
        }
    }

    fn binary(&mut self, ty: Ty, depth: u32) -> Made {
        let signs = ["+", "-", "&", "|", "xor", "xnor", "->", "<->", "*", "/", "mod"];
        let sign = signs[self.rng.below(if self.tame { 8 } else { signs.len() })];
        let (a, mut b) = (self.made(ty, depth), self.made(ty, depth));
        if matches!(sign, "/" | "mod") {
            let value = b.value;
            b = Made {
                text: format!("({} | {})", b.text, ty.literal(1)),
                value: Box::new(move |s, t| value(s, t) | 1),
            };
        }
        let value = move |s: u128, t: u128| {
            let (a, b) = ((a.value)(s, t), (b.value)(s, t));
            let (x, y) = (ty.number(a), ty.number(b));
            ty.cut(match sign {
                "+" => a.wrapping_add(b),
                "-" => a.wrapping_sub(b),
                "&" => a & b,
                "|" => a | b,
                "xor" => a ^ b,
                "xnor" | "<->" => !(a ^ b),
                "->" => !a | b,
                "*" => a.wrapping_mul(b),
                "/" => (x / y) as u128,
                _ => (x % y) as u128,
            })
        };
        Made { text: format!("({} {sign} {})", a.text, b.text), value: Box::new(value) }
    }

    fn shifted(&mut self, ty: Ty, depth: u32) -> Made {
        let word = self.made(ty, depth);
        let left = self.rng.chance(50);
        let (by_text, by): (String, Box<dyn Fn(u128, u128) -> u128>) = match self.rng.below(3) {
            0 if ty.width >= 15 && !self.tame => ("s".to_owned(), Box::new(|s, _| s)),
            1 if ty.width >= 15 && !self.tame => ("extend(t, 58)".to_owned(), Box::new(|_, t| t)),
            _ => {
                let by = self.rng.below(ty.width as usize + 1) as u128;
                (by.to_string(), Box::new(move |_, _| by))
            }
        };
        let text = format!("({} {} {by_text})", word.text, if left { "<<" } else { ">>" });
        let value = move |s: u128, t: u128| {
            let (bits, by) = ((word.value)(s, t), by(s, t));
            ty.cut(if left { bits << by } else { (ty.number(bits) >> by) as u128 })
        };
        Made { text, value: Box::new(value) }
    }

    fn chosen(&mut self, ty: Ty, depth: u32) -> Made {
        let of = Ty { signed: self.rng.chance(50), width: self.width() };
        let (a, b) = (self.made(of, depth), self.made(of, depth));
        let (yes, no) = (self.made(ty, depth), self.made(ty, depth));
        let sign = *self.rng.pick(&["=", "!=", "<", "<=", ">", ">=", "in"]);
        let right = if sign == "in" { format!("{{{}, {}}}", b.text, of.literal(1)) } else { b.text };
        let text = format!("({} {sign} {right} ? {} : {})", a.text, yes.text, no.text);
        let value = move |s, t| {
            let (a, b) = (of.number((a.value)(s, t)), of.number((b.value)(s, t)));
            let holds = match sign {
                "=" => a == b,
                "!=" => a != b,
                "<" => a < b,
                "<=" => a <= b,
                ">" => a > b,
                ">=" => a >= b,
                _ => a == b || a == of.number(1),
            };
            if holds { (yes.value)(s, t) } else { (no.value)(s, t) }
        };
        Made { text, value: Box::new(value) }
    }
}

fn read(text: &str) -> Model {
    let folder = tempfile::tempdir().expect("there is a folder for temporary files");
    let path = folder.path().join("words.smv");
    std::fs::write(&path, text).expect("the folder can be written");
    let model = Model::read(&path, &ReadOptions::default());
    model.unwrap_or_else(|rejected| panic!("{text}\n{:?}", rejected.diagnostics))
}

fn ensure_verdicts(text: &str, expected: &[(String, bool)]) {
    let mut model = read(text);
    for engine in ENGINES {
        for (name, holds) in expected {
            let control = Limits { memory_bytes: 1 << 30, time: None }.control();
            let options =
                CheckOptions { properties: vec![name.clone()], engine: Some(engine), ..CheckOptions::default() };
            let checked = lariat::check(&mut model, &options, &control)
                .unwrap_or_else(|error| panic!("{engine} refuses {name} of\n{text}\n{error}"));
            let found = &checked.settled[0].report().verdict;
            let agrees = if *holds { matches!(found, Verdict::Holds) } else { matches!(found, Verdict::Fails(_)) };
            assert!(agrees, "{engine} says {found:?} of {name} of\n{text}");
        }
    }
}

/// A model in which expressions are asked for the values that they have.
#[test]
fn expressions_have_their_values() {
    for seed in 0..CASES {
        let mut rng = Rng::new(seed);
        let wide = [0, 1].map(|_| (u128::from(rng.next_u64()), rng.below(61) as u32));
        let wide = wide.map(|(bits, at)| (bits & !(15 << at), at));
        let mut maker = Maker { rng, wide, tame: false };
        let ty = Ty { signed: maker.rng.chance(50), width: maker.width() };
        let made = maker.made(ty, 2);
        let word = |name: &str, (bits, at): (u128, u32)| {
            let whole = Ty { signed: false, width: 64 };
            format!("(0ud64_{} | extend({name}, 60) << {at})", whole.cut(bits))
        };
        let mut text = format!(
            "MODULE main\nFROZENVAR s : word[4]; t : word[4];\nDEFINE a := {}; b := {};\n e := {};\n",
            word("s", wide[0]),
            word("t", wide[1]),
            made.text
        );
        let mut expected = Vec::new();
        for number in 1..=4 {
            let (s, t) = (maker.rng.below(16) as u128, maker.rng.below(16) as u128);
            let value = ty.literal((made.value)(s, t));
            let holds = number < 4;
            let sign = if holds { "=" } else { "!=" };
            text.push_str(&format!("INVARSPEC NAME n{number} := s = 0ud4_{s} & t = 0ud4_{t} -> e {sign} {value};\n"));
            expected.push((format!("n{number}"), holds));
        }
        ensure_verdicts(&text, &expected);
    }
}

/// A variable that takes the values of an expression over itself, step by step.
#[test]
fn variables_take_their_values() {
    for seed in 0..CASES / 10 {
        let mut maker = Maker { rng: Rng::new(seed), wide: [(0, 0); 2], tame: true };
        let ty = Ty { signed: maker.rng.chance(50), width: 61 + maker.rng.below(4) as u32 };
        // One of two constants at each step, so that a set of wide words is chosen from.
        let (first, second) = (maker.constant(ty), maker.constant(ty));
        let sign = *maker.rng.pick(&["+", "-", "xor"]);
        let step = |x: u128, by: u128| {
            ty.cut(match sign {
                "+" => x.wrapping_add(by),
                "-" => x.wrapping_sub(by),
                _ => x ^ by,
            })
        };
        let start = maker.constant(ty);
        let declared = if ty.signed { "signed" } else { "unsigned" };
        let (one, other) = (ty.literal(first), ty.literal(second));
        let mut text = format!(
            "MODULE main\nVAR x : {declared} word[{w}]; y : {declared} word[{w}]; \
             c : 0..2;\nASSIGN init(c) := 0; next(c) := c < 2 ? c + 1 : 2; init(x) := {}; next(x) := c < 2 ? {{x {sign} {one}, x {sign} \
             {other}}} : x; y := x;\n",
            ty.literal(start),
            w = ty.width,
        );
        // An input that a constraint binds, and engines need not try; diagrams would have to keep its bits beside those of `x`.
        let engine = if seed % 2 == 0 { "symbolic" } else { "graph" };
        if engine == "graph" {
            text.push_str(&format!("IVAR i : {declared} word[{}];\nTRANS i = x + x\n", ty.width));
        }
        let mut expected = Vec::new();
        let mut say = |formula: String, holds: bool| {
            let name = format!("m{}", expected.len());
            text.push_str(&format!("CTLSPEC NAME {name} := {formula};\n"));
            expected.push((name, holds));
        };
        let (one, other) = (step(start, first), step(start, second));
        let is = |x: u128| format!("(x = {0} & y = {0})", ty.literal(x));
        say(format!("EX {}", is(one)), true);
        say(format!("EX {}", is(other)), true);
        say(format!("AX ({} | {})", is(one), is(other)), true);
        say(format!("EX EX {}", is(step(one, second))), true);
        say(
            format!("EX EX !({} | {} | {})", is(step(one, first)), is(step(one, second)), is(step(other, second))),
            false,
        );
        let mut model = read(&text);
        for (name, holds) in &expected {
            let control = Limits { memory_bytes: 1 << 30, time: None }.control();
            let options =
                CheckOptions { properties: vec![name.clone()], engine: Some(engine), ..CheckOptions::default() };
            let checked = lariat::check(&mut model, &options, &control)
                .unwrap_or_else(|error| panic!("refused: {name} of\n{text}\n{error}"));
            let found = &checked.settled[0].report().verdict;
            let agrees = if *holds { matches!(found, Verdict::Holds) } else { matches!(found, Verdict::Fails(_)) };
            assert!(agrees, "{found:?} for {name} of\n{text}");
        }
    }
}
