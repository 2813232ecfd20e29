//! Specifications of SMV models: from what the model states to formulas over propositions, each of which is a condition.

use lariat_logic::{Formula, PropId, Propositions};
use lariat_smv::term::{Kind, same, term};
use lariat_smv::types::Ty;
use lariat_smv::{CheckedModel, Condition, Property};

/// Whether the specification of this name is of branching time, or asks for numbers of steps.
pub(crate) fn is_branching(model: &CheckedModel, name: &str) -> bool {
    let spec = model.specifications().iter().find(|spec| spec.name == name);
    spec.is_some_and(|spec| match &spec.property {
        Property::Formula(formula, _) => formula.has_quantifier(),
        Property::Invariant(..) => false,
        Property::Distance(..) => true,
    })
}

/// The propositions of formulas about an SMV model, and the conditions that they are.
#[derive(Debug, Default)]
pub(crate) struct Conditions {
    terms: Vec<Condition>,
}

impl Conditions {
    /// The conditions by proposition.
    pub(crate) fn terms(&self) -> Vec<Condition> {
        self.terms.clone()
    }

    /// The proposition that is this condition. No two conditions have one text.
    pub(crate) fn proposition(&mut self, condition: &Condition, propositions: &mut Propositions) -> PropId {
        if let Some(known) = self.terms.iter().position(|known| same(&known.term, &condition.term)) {
            return PropId(known as u32);
        }
        let mut text = condition.text.clone();
        for copy in 2.. {
            if propositions.find(&text).is_none() {
                break;
            }
            text = format!("{} ({copy})", condition.text);
        }
        let prop = propositions.intern(&text, condition.term.span);
        self.terms.push(Condition { text, term: condition.term.clone() });
        assert_eq!(prop.0 as usize + 1, self.terms.len(), "every proposition is a condition");
        prop
    }

    /// The formula that a property is, with path quantifiers. None if it asks for numbers of steps or is an invariant.
    pub(crate) fn branching(&mut self, property: &Property, propositions: &mut Propositions) -> Option<Formula> {
        let Property::Formula(formula, conditions) = property else { return None };
        let props: Vec<PropId> = conditions.iter().map(|condition| self.proposition(condition, propositions)).collect();
        Some(renamed(formula, &props))
    }

    /// The formula that a property is, and whether it speaks of all states that can be reached, be runs fair and go on for
    /// ever or not. None if it is no formula of linear time.
    pub(crate) fn formula(&mut self, property: &Property, propositions: &mut Propositions) -> Option<(Formula, bool)> {
        match property {
            Property::Formula(formula, conditions) => {
                let props: Vec<PropId> =
                    conditions.iter().map(|condition| self.proposition(condition, propositions)).collect();
                let formula = renamed(formula, &props);
                (!formula.has_quantifier()).then_some((formula, false))
            }
            Property::Invariant(condition, sides) => {
                let formula = match sides {
                    // Where a run ends there is no step, and nothing is wrong with it: what is looked for is a bad one.
                    _ if condition.term.reach.is_step() => {
                        let bad = Condition {
                            text: format!("!({})", condition.text),
                            term: term(Kind::Not(condition.term.clone()), Ty::BOOL, condition.term.span),
                        };
                        Formula::not(Formula::prop(self.proposition(&bad, propositions)))
                    }
                    Some(sides) => {
                        let asked = self.proposition(&sides.0, propositions);
                        let given = self.proposition(&sides.1, propositions);
                        Formula::implies(Formula::prop(asked), Formula::prop(given))
                    }
                    None => Formula::prop(self.proposition(condition, propositions)),
                };
                Some((Formula::globally(formula), true))
            }
            Property::Distance(..) => None,
        }
    }
}

fn renamed(formula: &Formula, props: &[PropId]) -> Formula {
    match formula {
        Formula::Prop(prop) => Formula::Prop(props[prop.0 as usize]),
        other => other.map_operands(|part| renamed(part, props)),
    }
}
