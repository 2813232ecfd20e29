//! How formulas are built.

use lariat_logic::{Formula, PropId};

#[test]
fn conjunctions_are_flat() {
    let [a, b, c] = [0, 1, 2].map(|number| Formula::prop(PropId(number)));
    let nested = Formula::and([a.clone(), Formula::and([b.clone(), c.clone()])]);
    assert_eq!(nested, Formula::And(vec![a.clone(), b.clone(), c]));
    assert_eq!(Formula::and([a.clone()]), a);
    assert_eq!(Formula::and([]), Formula::True);
    assert_eq!(Formula::or([]), Formula::False);
    assert_eq!(Formula::or([b.clone(), b.clone()]), Formula::Or(vec![b.clone(), b]));
}

#[test]
fn negation_is_an_involution() {
    let a = Formula::prop(PropId(0));
    assert_eq!(a.negated(), Formula::not(a.clone()));
    assert_eq!(a.negated().negated(), a);
    assert_eq!(Formula::True.negated(), Formula::False);
}
