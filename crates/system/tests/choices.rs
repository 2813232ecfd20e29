//! Which choices a guard binds.

use lariat_base::IdVec;
use lariat_system::{Choice, ChoiceId, Expr, System, Type};

#[test]
fn what_is_bound_or_tested_is_not_free() {
    let system = System::empty("choices");
    let ty = Type::Int { lo: 0, hi: 9 };
    let choices: IdVec<ChoiceId, Choice> = (0..3).map(|n| Choice { name: format!("c{n}"), ty }).collect();
    let [a, b, c] = [0, 1, 2].map(|n| Expr::Choice(ChoiceId(n)));
    let bound = b.clone().equals(a.clone().plus(Expr::Const(1)));
    assert_eq!(bound.bound_value(ChoiceId(1)), Some(&a.clone().plus(Expr::Const(1))));
    assert_eq!(bound.bound_value(ChoiceId(0)), None, "it would need a later choice");
    assert_eq!(bound.greatest_choice(), Some(ChoiceId(1)));
    assert_eq!(system.free_valuations(&choices, []), 1000);
    assert_eq!(system.free_valuations(&choices, [&bound]), 100);
    assert_eq!(system.free_valuations(&choices, [&bound, &c.less(a)]), 10);
}
