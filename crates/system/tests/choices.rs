//! Which choices a guard binds.

use lariat_base::IdVec;
use lariat_system::{Choice, ChoiceId, Expr, System, Type};

#[test]
fn ways_are_counted_by_the_form_of_conjuncts() {
    let system = System::empty("choices");
    let ty = Type::Int { lo: 0, hi: 9 };
    let choices: IdVec<ChoiceId, Choice> = (0..3).map(|n| Choice { name: format!("c{n}"), ty }).collect();
    let [a, b, c] = [0, 1, 2].map(|n| Expr::Choice(ChoiceId(n)));
    let bound = b.clone().equals(a.clone().plus(Expr::Const(1)));
    assert_eq!(bound.bound_value(ChoiceId(1)), Some(&a.clone().plus(Expr::Const(1))));
    assert_eq!(bound.bound_value(ChoiceId(0)), None, "it would need a later choice");
    assert_eq!(bound.greatest_choice(), Some(ChoiceId(1)));
    let ways = |conjuncts: &[&Expr]| system.most_valuations(&choices, conjuncts.iter().copied());
    assert_eq!(ways(&[]), 1000);
    assert_eq!(ways(&[&bound]), 100);
    // To be tested is not to be bound: each value is tried.
    assert_eq!(ways(&[&bound, &c.clone().less(a.clone())]), 100);
    // One of two values, by cases of what came before or of the choice itself.
    let two = c.clone().equals(a.clone()).or(c.clone().equals(Expr::Const(3)));
    assert_eq!(ways(&[&bound, &two]), 20);
    let cases = |condition: Expr| Expr::Ite(Box::new([condition, two.clone(), c.clone().equals(b.clone())]));
    assert_eq!(ways(&[&bound, &cases(a.clone())]), 20);
    assert_eq!(ways(&[&bound, &cases(c.clone())]), 30);
}
