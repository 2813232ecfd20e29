//! In which order choices are settled, and how many values are tried until all steps are found.

use crate::support::model;
use lariat_base::{Id, IdVec};
use lariat_system::reference::{Evaluator, Scope, Valuation};
use lariat_system::{Choice, ChoiceId, Expr, System};

/// The values that are tried for choices, each conjunct being tested once the choices are settled that it reads.
struct Search<'s> {
    evaluator: Evaluator<'s>,
    system: &'s System,
    choices: &'s IdVec<ChoiceId, Choice>,
    /// By the number of choices that are settled.
    levels: Vec<Vec<&'s Expr>>,
    tried: u64,
    found: u64,
}

impl<'s> Search<'s> {
    fn new(system: &'s System, choices: &'s IdVec<ChoiceId, Choice>, guard: &'s [Expr]) -> Self {
        let mut levels: Vec<Vec<&Expr>> = vec![Vec::new(); choices.len() + 1];
        let mut conjuncts: Vec<&Expr> = guard.iter().collect();
        while let Some(expr) = conjuncts.pop() {
            match expr {
                Expr::Binary(lariat_system::BinaryOp::And, left, right) => conjuncts.extend([&**left, &**right]),
                _ => levels[expr.greatest_choice().map_or(0, |choice| choice.index() + 1)].push(expr),
            }
        }
        Self { evaluator: Evaluator::new(system), system, choices, levels, tried: 0, found: 0 }
    }

    fn settle(&mut self, state: &Valuation, scope: &mut Scope) {
        let at = scope.choices.len();
        if !self.levels[at].iter().all(|conjunct| self.evaluator.holds(conjunct, state, scope)) {
            return;
        }
        let Some(choice) = self.choices.get(ChoiceId::new(at)) else {
            self.found += 1;
            return;
        };
        let range = self.system.range(choice.ty);
        let bound = self.levels[at + 1].iter().find_map(|conjunct| conjunct.bound_value(ChoiceId::new(at)));
        let only = bound.map(|value| self.evaluator.value(value, state, scope));
        let (first, last) = only.map_or((range.lo, range.hi), |value| (value, value));
        for value in first..=last {
            self.tried += 1;
            assert!(self.tried < 10_000_000, "too many tries");
            scope.choices.push(value);
            self.settle(state, scope);
            scope.choices.pop();
        }
    }
}

/// How many values are tried, and how many ways there are, at the beginning and for the steps of the first state.
fn tries(text: &str) -> [(u64, u64); 2] {
    let system = model(text).system().expect("a model that can be lowered");
    let blank = Valuation::blank(&system);
    let mut scope = Scope { positions: Vec::new(), choices: Vec::new() };
    let mut beginning = Search::new(&system, &system.init.choices, &system.init.guard);
    beginning.settle(&blank, &mut scope);
    let initial = Evaluator::new(&system).initial();
    let action = &system.actions[lariat_system::ActionId(0)];
    let guard = &action.guard.condition;
    let mut steps = Search::new(&system, &action.choices, guard);
    steps.settle(&initial[0], &mut scope);
    [(beginning.tried, beginning.found), (steps.tried, steps.found)]
}

/// Conjuncts that all speak of the variable that is declared last.
#[test]
fn conjuncts_are_tested_as_early_as_possible() {
    let text = "MODULE main
        VAR a : 0..31; b : 0..31; c : 0..31; d : 0..31; e : 0..31;
        INIT a + e < 3 & b + e < 3 & c = 2 * e & d > e + 28
        TRANS next(a) + next(e) = 20
        TRANS next(b) = next(e) + 1 | next(b) = 0
        TRANS next(c) < 2 & next(c) + next(e) < 9
        TRANS next(d) > next(e) + 28
        TRANS next(e) < 3\n";
    let [(tried_first, first), (tried, found)] = tries(text);
    assert!(tried_first < 3_000, "{tried_first} values for {first} beginnings");
    assert!(tried < 3_000, "{tried} values for {found} steps");
    assert_eq!(found, 2 * 2 * (3 + 2 + 1));
}

/// A chain of conditions, each on two neighbours, in the worst order.
#[test]
fn chains_of_conditions_are_followed() {
    let names = ["g", "c", "f", "a", "e", "b", "d"];
    let variables: String = names.iter().map(|name| format!("{name} : 0..15; ")).collect();
    let mut sorted = names;
    sorted.sort_unstable();
    let links: String =
        sorted.windows(2).map(|pair| format!("TRANS next({1}) > next({0}) + 1\n", pair[0], pair[1])).collect();
    let text = format!(
        "MODULE main\nVAR {variables}\nINIT a = 0 & b = 0 & c = 0 & d = 0 & e = 0 & f = 0 & g = 0\n{links}TRANS next(g) < 13\n"
    );
    let [_, (tried, found)] = tries(&text);
    assert_eq!(found, 1);
    assert!(tried < 40_000, "{tried} values for {found} steps");
}

/// A choice that follows from others comes right behind them.
#[test]
fn what_is_bound_is_not_tried() {
    let text = "MODULE main
        IVAR i : 0..63; j : 0..63;
        VAR x : 0..63; y : 0..189; z : 0..441;
        ASSIGN next(x) := (i + j) mod 64; next(y) := next(x) * 3; next(z) := next(y) * 2 + i;
        TRANS next(z) mod 100 = 7 & i < 2\n";
    let [_, (tried, found)] = tries(text);
    assert!(found > 0 && tried < 1_000, "{tried} values for {found} steps");
}
