//! Random formulas and lasso words, and shrinking of those on which a test fails.

use crate::Rng;
use crate::check::outcome;
use lariat_logic::{Dialect, Formula, LassoWord, Letter, PropId, Propositions, print};
use std::ops::Range;

/// Which formulas are made.
#[derive(Clone, Debug)]
pub struct FormulaKnobs {
    /// Operators, at most.
    pub operators: usize,
    /// Propositions, at least one; called `a`, `b`, …
    pub props: u32,
    /// Whether there are `X F G U W R M`.
    pub future: bool,
    /// Whether there are `Y Z O H S T`.
    pub past: bool,
    /// Whether there are `->`, `<->` and `xor`.
    pub derived: bool,
    /// Whether there are `X`, `Y` and `Z`: without, formulas do not count steps.
    pub steps: bool,
    /// Whether there are `E` and `A`.
    pub quantifiers: bool,
}

impl Default for FormulaKnobs {
    fn default() -> Self {
        Self { operators: 8, props: 3, future: true, past: true, derived: true, steps: true, quantifiers: false }
    }
}

impl FormulaKnobs {
    /// The propositions that the formulas speak of.
    pub fn propositions(&self) -> Propositions {
        let mut props = Propositions::default();
        for number in 0..self.props {
            let letter = char::from(b'a' + (number % 26) as u8);
            let name = if number < 26 { letter.to_string() } else { format!("{letter}{}", number / 26) };
            props.intern(&name, lariat_base::Span::NONE);
        }
        props
    }
}

type Unary = fn(Formula) -> Formula;
type Binary = fn(Formula, Formula) -> Formula;

/// The formula of a seed.
pub fn random_formula(seed: u64, knobs: &FormulaKnobs) -> Formula {
    let rng = &mut Rng::new(seed);
    let operators = rng.below(knobs.operators + 1);
    let (unary, binary) = operators_of(knobs);
    build(rng, operators, knobs, &unary, &binary)
}

fn operators_of(knobs: &FormulaKnobs) -> (Vec<Unary>, Vec<Binary>) {
    let mut unary: Vec<Unary> = vec![Formula::not];
    let mut binary: Vec<Binary> = vec![|f, g| Formula::and([f, g]), |f, g| Formula::or([f, g])];
    if knobs.derived {
        binary.extend([Formula::implies as Binary, Formula::iff, Formula::xor]);
    }
    if knobs.future {
        unary.extend([Formula::finally as Unary, Formula::globally]);
        binary.extend([Formula::until as Binary, Formula::weak_until, Formula::release, Formula::strong_release]);
    }
    if knobs.past {
        unary.extend([Formula::once as Unary, Formula::historically]);
        binary.extend([Formula::since as Binary, Formula::trigger]);
    }
    if knobs.steps && knobs.future {
        unary.push(Formula::next);
    }
    if knobs.steps && knobs.past {
        unary.extend([Formula::yesterday as Unary, Formula::weak_yesterday]);
    }
    if knobs.quantifiers {
        unary.extend([Formula::for_some as Unary, Formula::for_all]);
    }
    (unary, binary)
}

fn build(rng: &mut Rng, operators: usize, knobs: &FormulaKnobs, unary: &[Unary], binary: &[Binary]) -> Formula {
    if operators == 0 {
        return match rng.below(20) {
            0 => Formula::True,
            1 => Formula::False,
            _ => Formula::prop(PropId(rng.below(knobs.props as usize) as u32)),
        };
    }
    let operators = operators - 1;
    if rng.chance(45) {
        return rng.pick(unary)(build(rng, operators, knobs, unary, binary));
    }
    let left = rng.below(operators + 1);
    let operator = *rng.pick(binary);
    let first = build(rng, left, knobs, unary, binary);
    operator(first, build(rng, operators - left, knobs, unary, binary))
}

/// A formula of CTL: a path quantifier before each temporal operator.
pub fn random_ctl(rng: &mut Rng, knobs: &FormulaKnobs) -> Formula {
    let operators = rng.below(knobs.operators + 1);
    build_ctl(rng, operators, knobs)
}

fn build_ctl(rng: &mut Rng, operators: usize, knobs: &FormulaKnobs) -> Formula {
    const UNARY: [Unary; 3] = [Formula::next, Formula::finally, Formula::globally];
    const BINARY: [Binary; 4] = [Formula::until, Formula::weak_until, Formula::release, Formula::strong_release];
    const PLAIN: [Binary; 5] =
        [|f, g| Formula::and([f, g]), |f, g| Formula::or([f, g]), Formula::implies, Formula::iff, Formula::xor];
    if operators == 0 {
        return build(rng, 0, knobs, &[], &[]);
    }
    let quantifier = *rng.pick(&[Formula::for_some as Unary, Formula::for_all]);
    let below = operators - 1;
    match rng.below(10) {
        0 => Formula::not(build_ctl(rng, below, knobs)),
        1..5 => quantifier(rng.pick(&UNARY)(build_ctl(rng, below, knobs))),
        kind => {
            let left = rng.below(below + 1);
            let (left, right) = (build_ctl(rng, left, knobs), build_ctl(rng, below - left, knobs));
            if kind < 8 { quantifier(rng.pick(&BINARY)(left, right)) } else { rng.pick(&PLAIN)(left, right) }
        }
    }
}

/// A word over the propositions of `knobs`; the prefix has fewer than `prefix` letters, the cycle at most `cycle`.
pub fn random_word(rng: &mut Rng, props: u32, prefix: usize, cycle: usize) -> LassoWord {
    let (before, round) = (rng.below(prefix.max(1)), 1 + rng.below(cycle.max(1)));
    let mut letters = |count: usize| -> Vec<Letter> {
        (0..count).map(|_| (0..props).filter(|_| rng.chance(50)).map(PropId).collect()).collect()
    };
    LassoWord::new(letters(before), letters(round))
}

/// The smallest formula that can be found from `formula` by single changes such that `fails` holds of it. `fails` must
/// hold of `formula` itself.
pub fn shrink_formula(formula: &Formula, mut fails: impl FnMut(&Formula) -> bool) -> Formula {
    let mut smallest = formula.clone();
    while let Some(smaller) = smaller_ones(&smallest).into_iter().find(|candidate| fails(candidate)) {
        smallest = smaller;
    }
    smallest
}

/// Formulas with one change: a part instead of the whole, a constant instead of a part, a part of a list left out.
fn smaller_ones(formula: &Formula) -> Vec<Formula> {
    let operands = formula.operands();
    let mut found: Vec<Formula> = operands.iter().map(|&part| part.clone()).collect();
    if !matches!(formula, Formula::True | Formula::False) {
        found.extend([Formula::True, Formula::False]);
    }
    if let Formula::And(parts) | Formula::Or(parts) = formula
        && parts.len() > 2
    {
        for left_out in 0..parts.len() {
            let mut fewer = parts.clone();
            fewer.remove(left_out);
            found.push(if matches!(formula, Formula::And(_)) { Formula::and(fewer) } else { Formula::or(fewer) });
        }
    }
    for (number, part) in operands.iter().enumerate() {
        for smaller in smaller_ones(part) {
            let mut at = 0;
            found.push(formula.map_operands(|old| {
                at += 1;
                if at == number + 1 { smaller.clone() } else { old.clone() }
            }));
        }
    }
    found.retain(|candidate| weight(candidate) < weight(formula));
    found
}

/// What shrinking makes less: the size, then the propositions.
fn weight(formula: &Formula) -> (usize, usize) {
    let mut props = 0;
    formula.visit(&mut |part| props += usize::from(matches!(part, Formula::Prop(_))));
    (formula.size(), props)
}

/// Runs `check` on the random formula of each seed. The first on which it fails, by an error or by a panic, is shrunk as
/// long as it fails in any way, and the smallest one is shown.
pub fn check_random_formulas(
    seeds: Range<u64>,
    knobs: &FormulaKnobs,
    mut check: impl FnMut(&Formula) -> Result<(), String>,
) {
    for seed in seeds {
        let formula = random_formula(seed, knobs);
        let Some(first) = outcome(|| check(&formula)) else { continue };
        let small = shrink_formula(&formula, |candidate| outcome(|| check(candidate)).is_some());
        let last = outcome(|| check(&small));
        let last = last.unwrap_or_else(|| "nothing: the check does not always answer the same".into());
        let shown = print(&small, &knobs.propositions(), Dialect::Auto);
        panic!("seed {seed}: {first}\nshrunk, with {last}:\n{shown}");
    }
}
