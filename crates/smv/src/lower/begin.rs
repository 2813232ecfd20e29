//! Initial states.

use super::arithmetic::{Low, size};
use super::arrange::{arrange, renumber_update};
use super::equation::Moment;
use super::wide::Given;
use super::{Cx, Lowering, Open};
use crate::check::{sorted, variables};
use crate::term::{Term, VarId};
use lariat_base::{Id, IdVec};
use lariat_system::{EnumId, EnumType, Expr, Init, Update};
use std::collections::{BTreeMap, BTreeSet};

/// Larger values that others depend on are computed once.
pub(super) const TRIFLE: usize = 6;

impl Lowering<'_> {
    /// How runs begin.
    pub(super) fn begin(&mut self) {
        let rules = &self.rules;
        let vars: Vec<VarId> = self.state_vars().map(|(id, _)| id).collect();
        let rule = |var: &VarId| -> Option<(&Term, Moment)> {
            let always = rules.always.get(var).map(|term| (term, Moment::Always));
            always.or_else(|| rules.init.get(var).map(|term| (term, Moment::Init)))
        };
        let uses: BTreeMap<VarId, BTreeSet<VarId>> =
            vars.iter().map(|var| (*var, rule(var).map(|(term, _)| variables(term).0).unwrap_or_default())).collect();
        let conditions: Vec<Term> = rules.inits.iter().chain(&rules.invars).cloned().collect();
        let asked = conditions.iter().flat_map(|condition| variables(condition).0);
        let needed: BTreeSet<VarId> = uses.values().flatten().copied().chain(asked).collect();
        let order = sorted(&uses).expect("circles were refused");

        let mut open = Open::default();
        let mut values: BTreeMap<VarId, Given> = BTreeMap::new();
        for var in order {
            let declared = &self.flat.vars[var];
            let value = match rule(&var) {
                Some((term, moment)) => {
                    let cx = Cx { now: Some(&values), ..Cx::STATE };
                    if rules.by_constraint.contains(&(var, moment)) {
                        open.demand(self.fits(term, &declared.domain, cx));
                    }
                    let given = self.given(term, &declared.name, &declared.domain, cx, &mut open);
                    self.computed_once(var, given, needed.contains(&var), &mut open)
                }
                None => self.free(var, &mut open),
            };
            values.insert(var, value);
        }
        let cx = Cx { now: Some(&values), ..Cx::STATE };
        for condition in &conditions {
            open.demand(self.truth(condition, cx));
        }
        let updates = vars.iter().flat_map(|var| values[var].updates(self.place(*var)));
        let mut updates: Vec<Update> = updates.map(|(place, value)| Update::Set(place, value)).collect();
        if let Some(numbers) = arrange(&mut open, &self.system) {
            updates.iter_mut().for_each(|update| renumber_update(update, &numbers));
        }
        self.system.init = Init { choices: open.choices, guard: open.guard, updates };
    }

    /// Any value of a variable.
    pub(super) fn free(&self, var: VarId, open: &mut Open) -> Given {
        let declared = &self.flat.vars[var];
        if declared.domain.count() == 1 {
            return Given::Plain(Low::constant(self.range_of(&declared.domain).lo));
        }
        self.free_choice(&format!("next({})", declared.name), &declared.domain, open)
    }

    /// The value, or a choice that is bound to it if it is no trifle and others need it.
    pub(super) fn computed_once(&self, var: VarId, value: Given, needed: bool, open: &mut Open) -> Given {
        let is_trifle = |value: &Low| size(&value.expr, TRIFLE + 1) <= TRIFLE;
        let all_trifles = match &value {
            Given::Plain(value) => is_trifle(value),
            Given::Halves(halves) => is_trifle(&halves.low) && is_trifle(&halves.high),
        };
        if !needed || all_trifles {
            return value;
        }
        let declared = &self.flat.vars[var];
        let bound = self.chosen(&format!("next({})", declared.name), &declared.domain, open);
        match (&bound, value) {
            (Given::Halves(bound), Given::Halves(value)) => {
                open.guard.push(bound.low.expr.clone().equals(value.low.expr));
                open.guard.push(bound.high.expr.clone().equals(value.high.expr));
            }
            (bound, value) => open.guard.push(bound.plain().expr.clone().equals(value.plain().expr.clone())),
        }
        bound
    }
}

/// In how many ways choices can be made that no conjunct binds outright; at most `u64::MAX`.
pub(super) fn ways(open: &Open, enums: &IdVec<EnumId, EnumType>) -> u64 {
    let bound: BTreeSet<usize> = (open.guard.iter())
        .filter_map(|conjunct| match conjunct {
            Expr::Binary(lariat_system::BinaryOp::Eq, left, _) => match **left {
                Expr::Choice(id) => Some(id.index()),
                _ => None,
            },
            _ => None,
        })
        .collect();
    let free = open.choices.entries().filter(|(id, _)| !bound.contains(&id.index()));
    free.fold(1u64, |ways, (_, choice)| {
        let count = match choice.ty {
            lariat_system::Type::Bool => 2,
            lariat_system::Type::Int { lo, hi } => (hi - lo + 1) as u64,
            lariat_system::Type::Enum(id) => (enums[id].hi - enums[id].lo + 1) as u64,
        };
        ways.saturating_mul(count)
    })
}
