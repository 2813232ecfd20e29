//! Steps: one action, or one for each process.

use super::arrange::{arrange, renumber, renumber_update};
use super::begin::ways;
use super::equation::Moment;
use super::observe::StepLabel;
use super::wide::{Given, Halves};
use super::{Cx, Lowering, Open, StepParts};
use crate::check::{sorted, variables};
use crate::term::{ProcessId, Term, VarId};
use crate::tree::VarKind;
use crate::types::{Base, Domain};
use lariat_base::{Id, Span};
use lariat_system::{Action, Guard, Interval, Type, Update};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

/// Where choices can be made in more ways, what must hold afterwards is also asked of them as they are made.
const MANY: u64 = 64;

/// How a variable gets its next value.
#[derive(Clone)]
enum Rule {
    /// It keeps the one it has.
    Keep,
    /// Any.
    Free,
    /// By a term over values now and in the next state.
    Next(Term),
    /// By a term over values of the state, which is the next one.
    Always(Term),
}

impl Lowering<'_> {
    /// The actions, with step labels.
    pub(super) fn add_steps(&mut self, labels: &[StepLabel]) {
        for process in (0..self.flat.processes.len()).map(ProcessId::new) {
            let action = self.step(process, labels);
            self.system.actions.push(action);
        }
    }

    fn rule(&self, var: VarId, process: ProcessId) -> Rule {
        if self.flat.vars[var].kind == VarKind::Frozen {
            return Rule::Keep;
        }
        if let Some(term) = self.rules.always.get(&var) {
            return Rule::Always(term.clone());
        }
        if let Some(term) = self.rules.next.get(&var) {
            return Rule::Next(term.clone());
        }
        match self.flat.next.get(&var) {
            None => Rule::Free,
            Some(by) => by.get(&process).map_or(Rule::Keep, |term| Rule::Next(term.clone())),
        }
    }

    /// The value that a variable has now.
    fn kept(&self, var: VarId) -> Given {
        match self.flat.vars[var].domain.base().is_wide() {
            true => Given::Halves(Halves::of(|half| self.half_of_variable(var, false, half, Cx::STATE))),
            false => Given::Plain(self.variable(var, false, Cx::STATE)),
        }
    }

    fn step(&self, process: ProcessId, labels: &[StepLabel]) -> Action {
        let vars: Vec<VarId> = self.state_vars().map(|(id, _)| id).collect();
        let rules: BTreeMap<VarId, Rule> = vars.iter().map(|var| (*var, self.rule(*var, process))).collect();
        let uses: BTreeMap<VarId, BTreeSet<VarId>> = rules
            .iter()
            .map(|(var, rule)| {
                let uses = match rule {
                    Rule::Keep | Rule::Free => BTreeSet::new(),
                    Rule::Next(term) => variables(term).1,
                    Rule::Always(term) => variables(term).0,
                };
                (*var, uses)
            })
            .collect();
        let terms = || self.rules.transes.iter().chain(labels.iter().map(|label| &label.term));
        let asked = terms().flat_map(|term| variables(term).1);
        let needed: BTreeSet<VarId> = uses.values().flatten().copied().chain(asked).collect();
        let order = sorted(&uses).expect("circles were refused");

        let mut open = Open::default();
        let own = rules.values().filter_map(|rule| if let Rule::Next(term) = rule { Some(term) } else { None });
        let inputs = self.inputs(own.clone().chain(terms()), &mut open);
        let mut waiting = self.parts_of(own.chain(terms()));
        let mut parts = StepParts::new();
        let mut next: BTreeMap<VarId, Given> = BTreeMap::new();
        let mut updates = Vec::new();
        for var in order {
            let cx = Cx { next: Some(&next), inputs: Some(&inputs), process: Some(process), ..Cx::STATE };
            self.compute_parts(&mut waiting, &mut parts, cx, &mut open);
            let declared = &self.flat.vars[var];
            let mut given = |term: &Term, cx: Cx<'_>, moment: Moment| {
                if self.rules.by_constraint.contains(&(var, moment)) {
                    open.demand(self.fits(term, &declared.domain, cx));
                }
                let value = self.given(term, &declared.name, &declared.domain, cx, &mut open);
                self.computed_once(var, value, needed.contains(&var), &mut open)
            };
            let value = match &rules[&var] {
                Rule::Keep => self.kept(var),
                Rule::Free => self.free(var, &mut open),
                Rule::Next(term) => {
                    let cx = Cx {
                        next: Some(&next),
                        inputs: Some(&inputs),
                        process: Some(process),
                        parts: Some(&parts),
                        now: None,
                    };
                    given(term, cx, Moment::Next)
                }
                Rule::Always(term) => given(term, Cx { now: Some(&next), ..Cx::STATE }, Moment::Always),
            };
            if !matches!(rules[&var], Rule::Keep) {
                updates
                    .extend(value.updates(self.place(var)).into_iter().map(|(place, value)| Update::Set(place, value)));
            }
            next.insert(var, value);
        }
        let cx = Cx { next: Some(&next), inputs: Some(&inputs), process: Some(process), ..Cx::STATE };
        self.compute_parts(&mut waiting, &mut parts, cx, &mut open);
        let cx = Cx { parts: Some(&parts), ..cx };
        for condition in &self.rules.transes {
            open.demand(self.truth(condition, cx));
        }
        if ways(&open, &self.system.enums) > MANY {
            let after = Cx { now: Some(&next), ..Cx::STATE };
            for invariant in &self.rules.invars {
                open.demand(self.truth(invariant, after));
            }
        }
        let declared = &self.flat.processes[process];
        let name = if self.flat.has_processes() { format!("{} runs", declared.name) } else { "step".to_owned() };
        let mut action = Action::new(name, Vec::new());
        action.labels = labels.iter().map(|label| (label.id, self.truth(&label.term, cx))).collect();
        action.labels.retain(|(_, condition)| condition.as_const() != Some(0));
        if let Some(numbers) = arrange(&mut open, &self.system) {
            action.labels.iter_mut().for_each(|(_, condition)| renumber(condition, &numbers));
            updates.iter_mut().for_each(|update| renumber_update(update, &numbers));
        }
        // Without processes there is one action for all of the model, which is at no place in particular.
        action.span = if self.flat.has_processes() { declared.span } else { Span::NONE };
        action.choices = open.choices;
        action.guard = Guard { control: Vec::new(), condition: open.guard };
        action.updates = updates;
        action
    }

    /// The parts of steps with names of their own that these terms are made of, each with the variables whose next values it speaks
    /// of.
    fn parts_of<'t>(&self, terms: impl Iterator<Item = &'t Term>) -> Vec<(Term, BTreeSet<VarId>)> {
        let Some(shared) = self.shared.filter(|shared| !shared.step_parts.is_empty()) else { return Vec::new() };
        let (mut seen, mut waiting) = (HashSet::new(), terms.collect::<Vec<_>>());
        while let Some(term) = waiting.pop() {
            if seen.insert(Arc::as_ptr(term)) {
                waiting.extend(term.parts());
            }
        }
        let own = shared.step_parts.iter().map(|part| &part.term).filter(|part| seen.contains(&Arc::as_ptr(part)));
        own.map(|part| (Arc::clone(part), variables(part).1)).collect()
    }

    /// Binds a choice to each part for which all next values are known that it speaks of.
    fn compute_parts(
        &self,
        waiting: &mut Vec<(Term, BTreeSet<VarId>)>,
        parts: &mut StepParts,
        cx: Cx<'_>,
        open: &mut Open,
    ) {
        waiting.retain(|(part, uses)| {
            let is_ready = cx.next.is_some_and(|next| uses.iter().all(|var| next.contains_key(var)));
            if is_ready {
                let cx = Cx { parts: Some(parts), ..cx };
                let (value, ty) = match self.shared.and_then(|shared| shared.list(part)) {
                    Some(list) => (self.coded(part, list, cx), self.types[&Domain::List(Arc::clone(list))]),
                    None => {
                        let value = self.number(part, cx);
                        let Interval { lo, hi } = value.range;
                        (value, if part.ty.base == Base::Bool { Type::Bool } else { Type::Int { lo, hi } })
                    }
                };
                let bound = open.choose(format!("next(part {})", parts.len() + 1), ty, value.range);
                open.guard.push(bound.expr.clone().equals(value.expr));
                parts.insert(Arc::as_ptr(part), bound);
            }
            !is_ready
        });
    }

    /// A choice for each input that these terms speak of.
    fn inputs<'t>(&self, terms: impl Iterator<Item = &'t Term>, open: &mut Open) -> BTreeMap<VarId, Given> {
        let spoken_of: BTreeSet<VarId> = terms.flat_map(|term| variables(term).0).collect();
        let mut values = BTreeMap::new();
        for var in spoken_of.into_iter().filter(|var| self.flat.vars[*var].kind == VarKind::Input) {
            let declared = &self.flat.vars[var];
            values.insert(var, self.free_choice(&declared.name, &declared.domain, open));
        }
        values
    }
}
