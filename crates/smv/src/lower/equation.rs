//! Constraints that say outright what a variable is: as good as assignments.
//!
//! `TRANS next(x) = e & …`, `INIT x = 0` and `INVAR b <-> c` would make a choice of `x` and try all values. If nothing else
//! assigns `x`, the equation does, unless that would be circular.

use crate::check::{Flat, all_conjuncts, equation, variables};
use crate::term::{ProcessId, Term, VarId};
use crate::tree::VarKind;
use lariat_base::Id;
use std::collections::{BTreeMap, BTreeSet};

/// What variables are given by, and the conjuncts that are left.
pub(super) struct Rules {
    /// By `x := e` or `INVAR x = e`.
    pub(super) always: BTreeMap<VarId, Term>,
    /// By `init(x) := e` or `INIT x = e`.
    pub(super) init: BTreeMap<VarId, Term>,
    /// By `TRANS next(x) = e`, whichever process runs.
    pub(super) next: BTreeMap<VarId, Term>,
    pub(super) inits: Vec<Term>,
    pub(super) invars: Vec<Term>,
    pub(super) transes: Vec<Term>,
    /// Those that a constraint gives: their values need not fit.
    pub(super) by_constraint: BTreeSet<(VarId, Moment)>,
}

/// When a rule gives a variable its value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Moment {
    Always,
    Init,
    Next,
}

type Uses = BTreeMap<VarId, BTreeSet<VarId>>;

impl Rules {
    pub(super) fn new(flat: &Flat) -> Self {
        let mut rules = Self {
            always: flat.always.clone(),
            init: flat.init.clone(),
            next: BTreeMap::new(),
            inits: Vec::new(),
            invars: Vec::new(),
            transes: Vec::new(),
            by_constraint: BTreeSet::new(),
        };
        let now = |values: &BTreeMap<VarId, Term>| -> Uses {
            values.iter().map(|(var, value)| (*var, variables(value).0)).collect()
        };
        // What depends on what: at the beginning, and in the next state for each process.
        let mut begin = now(&flat.always);
        begin.extend(now(&flat.init));
        let mut steps: Vec<Uses> = (0..flat.processes.len())
            .map(ProcessId::new)
            .map(|process| {
                let mut uses = now(&flat.always);
                let own = flat.next.iter().filter_map(|(var, by)| Some((*var, by.get(&process)?)));
                uses.extend(own.map(|(var, value)| (var, variables(value).1)));
                uses
            })
            .collect();
        for conjunct in all_conjuncts(&flat.invars) {
            let found = equation(&conjunct).into_iter().find(|(var, _, value)| {
                let free = !flat.init.contains_key(var)
                    && !flat.next.contains_key(var)
                    && !rules.always.contains_key(var)
                    && flat.vars[*var].kind == VarKind::State;
                let uses = variables(value).0;
                free && fits_in(&begin, *var, &uses) && steps.iter().all(|step| fits_in(step, *var, &uses))
            });
            match found {
                Some((var, _, value)) => {
                    let uses = variables(&value).0;
                    begin.insert(var, uses.clone());
                    steps.iter_mut().for_each(|step| drop(step.insert(var, uses.clone())));
                    rules.always.insert(var, value);
                    rules.by_constraint.insert((var, Moment::Always));
                }
                None => rules.invars.push(conjunct),
            }
        }
        for conjunct in all_conjuncts(&flat.inits) {
            let found = equation(&conjunct).into_iter().find(|(var, _, value)| {
                let free = !rules.init.contains_key(var) && !rules.always.contains_key(var);
                free && flat.vars[*var].kind != VarKind::Input && fits_in(&begin, *var, &variables(value).0)
            });
            match found {
                Some((var, _, value)) => {
                    begin.insert(var, variables(&value).0);
                    rules.init.insert(var, value);
                    rules.by_constraint.insert((var, Moment::Init));
                }
                None => rules.inits.push(conjunct),
            }
        }
        for conjunct in all_conjuncts(&flat.transes) {
            let found = equation(&conjunct).into_iter().find(|(var, next, value)| {
                let free = *next
                    && !flat.next.contains_key(var)
                    && !rules.always.contains_key(var)
                    && !rules.next.contains_key(var)
                    && flat.vars[*var].kind == VarKind::State;
                let uses = variables(value).1;
                free && steps.iter().all(|step| fits_in(step, *var, &uses))
            });
            match found {
                Some((var, _, value)) => {
                    let uses = variables(&value).1;
                    steps.iter_mut().for_each(|step| drop(step.insert(var, uses.clone())));
                    rules.next.insert(var, value);
                    rules.by_constraint.insert((var, Moment::Next));
                }
                None => rules.transes.push(conjunct),
            }
        }
        rules
    }
}

/// Whether `var` may depend on `uses` without a circle.
fn fits_in(graph: &Uses, var: VarId, uses: &BTreeSet<VarId>) -> bool {
    let (mut seen, mut waiting) = (BTreeSet::new(), uses.iter().copied().collect::<Vec<_>>());
    while let Some(next) = waiting.pop() {
        if next == var {
            return false;
        }
        if seen.insert(next)
            && let Some(more) = graph.get(&next)
        {
            waiting.extend(more);
        }
    }
    true
}
