//! Large terms that use parts of each other many times: such a part is computed once.
//!
//! Terms share their parts, but expressions of a system are trees: a chain of definitions each of which uses the one before twice
//! (carries of an adder, comparisons bit by bit) would double with every link. So where some term is large as a tree, or deep, parts
//! that are used often get a name. A part that speaks of one state becomes a hidden variable of the state which always has that value,
//! as if `x := …` had been written: all that speaks of the state now or of the next one can read it. A part that speaks of inputs, or
//! of both states, becomes a choice of the step that a conjunct binds (`step.rs`). What is reachable stays what it was, since the
//! new variables follow from the others.

use crate::check::{Condition, Flat, Var};
use crate::term::{Kind, Term, TermNode, VarId, term};
use crate::tree::{BinaryOp, VarKind};
use crate::types::{Base, Domain, Ty};
use lariat_base::{IdVec, safe_point};
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// When parts get names.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Thresholds {
    /// Models whose terms all have no more nodes as trees,
    large: u64,
    /// and are not deeper than this, are left as they are.
    deep: u32,
    /// A part gets a name if that saves more nodes,
    saving: u64,
    /// or if it is deeper, with the parts that have names taken as leaves.
    depth: u32,
}

impl Thresholds {
    pub(crate) const USUAL: Self = Self { large: 10_000, deep: 200, saving: 64, depth: 60 };
    /// Whatever is used twice gets a name.
    pub(crate) const LEAST: Self = Self { large: 0, deep: 0, saving: 0, depth: 3 };
}

/// A model whose parts that are used often have names.
pub(super) struct Shared {
    pub(super) flat: Flat,
    pub(super) observed: Vec<Condition>,
    /// The variables that stand for parts.
    pub(super) hidden: BTreeSet<VarId>,
    /// The parts of steps that are computed once; what others are made of comes before them.
    pub(super) step_parts: Vec<Term>,
}

impl Shared {
    /// The model with names for its parts; `None` if it needs none.
    pub(super) fn of(flat: &Flat, observed: &[Condition], when: Thresholds) -> Option<Self> {
        let (mut flat, mut observed) = (flat.clone(), observed.to_vec());
        let mut is_needed = false;
        for_all_terms(&mut flat, &mut observed, &mut |term| {
            is_needed |= term.size > when.large || term.depth > when.deep;
            Arc::clone(term)
        });
        if !is_needed {
            return None;
        }
        let mut parts = Parts::default();
        for_all_terms(&mut flat, &mut observed, &mut |term| {
            let id = parts.add(term);
            parts.nodes[id].uses += 1;
            Arc::clone(term)
        });
        let vars = std::mem::take(&mut flat.vars);
        let mut names = Names { parts: &parts, named: parts.named(when), vars, known: Vec::new(), made: Vec::new() };
        names.make_all();
        let Names { known, made, vars, .. } = names;
        flat.vars = vars;
        for_all_terms(&mut flat, &mut observed, &mut |term| Arc::clone(&known[parts.ids[&Arc::as_ptr(term)]]));
        let (mut hidden, mut step_parts) = (BTreeSet::new(), Vec::new());
        for (var, value) in made {
            match var {
                Some(var) => {
                    hidden.insert(var);
                    flat.always.insert(var, value);
                }
                None => step_parts.push(value),
            }
        }
        Some(Self { flat, observed, hidden, step_parts })
    }
}

/// Puts another term in the place of each.
fn for_all_terms(flat: &mut Flat, observed: &mut [Condition], change: &mut dyn FnMut(&Term) -> Term) {
    let assigned = flat.always.values_mut().chain(flat.init.values_mut());
    let assigned = assigned.chain(flat.next.values_mut().flat_map(|by| by.values_mut()));
    let constraints = flat.inits.iter_mut().chain(&mut flat.invars).chain(&mut flat.transes);
    let pairs = flat.compassion.iter_mut().flat_map(|(asked, given)| [asked, given]);
    let conditions = flat.justice.iter_mut().chain(pairs).chain(observed).map(|condition| &mut condition.term);
    assigned.chain(constraints).chain(conditions).for_each(|term| *term = change(term));
}

/// Of which states a part speaks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Moment {
    /// Of none.
    Never,
    Now,
    Next,
    /// Of a step: of both, or of inputs or who runs.
    Step,
}

/// Parts that say the same are one node.
#[derive(Default)]
struct Parts {
    /// By what it is and what it is made of; those are in the order of the nodes.
    known: HashMap<(String, Vec<usize>), usize>,
    /// By the term.
    ids: HashMap<*const TermNode, usize>,
    nodes: Vec<Node>,
    /// Keeps terms alive whose addresses are in `ids`.
    terms: Vec<Term>,
}

struct Node {
    term: Term,
    parts: Vec<usize>,
    moment: Moment,
    /// The same part about the state now; itself, unless it is about the next state.
    now: usize,
    /// How often others are made of it.
    uses: u64,
}

impl Parts {
    /// The node of a term; its parts come before it.
    fn add(&mut self, root: &Term) -> usize {
        // A stack of our own: terms may be deep.
        let mut waiting: Vec<(Term, bool)> = vec![(Arc::clone(root), false)];
        while let Some((term, is_open)) = waiting.pop() {
            safe_point();
            if self.ids.contains_key(&Arc::as_ptr(&term)) {
                continue;
            }
            if !is_open {
                waiting.push((Arc::clone(&term), true));
                waiting.extend(term.parts().into_iter().map(|part| (Arc::clone(part), false)));
                continue;
            }
            let parts = term.parts().iter().map(|part| self.ids[&Arc::as_ptr(part)]).collect();
            let id = self.node(&term, parts);
            self.ids.insert(Arc::as_ptr(&term), id);
            self.terms.push(term);
        }
        self.ids[&Arc::as_ptr(root)]
    }

    fn node(&mut self, term: &Term, parts: Vec<usize>) -> usize {
        let key = (text_of(term), parts.clone());
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        let own = match term.kind {
            Kind::Var(_, true) => Moment::Next,
            Kind::Var(_, false) if !term.reach.input => Moment::Now,
            Kind::Var(..) | Kind::Running(_) => Moment::Step,
            _ => Moment::Never,
        };
        let moment = parts.iter().map(|part| self.nodes[*part].moment).fold(own, |one, other| match (one, other) {
            (Moment::Never, moment) | (moment, Moment::Never) => moment,
            (one, other) if one == other => one,
            _ => Moment::Step,
        });
        let now = (moment == Moment::Next).then(|| {
            let parts: Vec<usize> = parts.iter().map(|part| self.nodes[*part].now).collect();
            let kind = match term.kind {
                Kind::Var(var, _) => Kind::Var(var, false),
                _ => with_parts(&term.kind, parts.iter().map(|part| self.nodes[*part].term.clone()).collect()),
            };
            let term = crate::term::term(kind, term.ty, term.span);
            self.node(&term, parts)
        });
        for part in &parts {
            self.nodes[*part].uses += 1;
        }
        let id = self.nodes.len();
        let now = now.unwrap_or(id);
        self.nodes.push(Node { term: Arc::clone(term), parts, moment, now, uses: 0 });
        self.known.insert(key, id);
        id
    }

    /// Whether each node gets a name; one for a part of the next state is that of the same part now.
    fn named(&self, when: Thresholds) -> Vec<bool> {
        let mut uses = vec![0_u64; self.nodes.len()];
        for node in &self.nodes {
            uses[node.now] += node.uses;
        }
        let (mut sizes, mut depths) = (vec![1_u64; self.nodes.len()], vec![1_u32; self.nodes.len()]);
        let mut named = vec![false; self.nodes.len()];
        for (id, node) in self.nodes.iter().enumerate() {
            for &part in &node.parts {
                if !named[self.nodes[part].now] {
                    sizes[id] = sizes[id].saturating_add(sizes[part]);
                    depths[id] = depths[id].max(depths[part] + 1);
                }
            }
            let is_single = !node.term.ty.set && !node.term.ty.base.has_symbols();
            let is_free = node.moment != Moment::Never && !(node.moment == Moment::Step && node.term.ty.base.is_wide());
            let saves = (sizes[id] - 1).saturating_mul(uses[node.now].saturating_sub(1)) > when.saving;
            if node.now == id && !node.parts.is_empty() && is_single && is_free {
                named[id] = saves || depths[id] > when.depth;
            }
        }
        named
    }
}

/// What a node is, without its parts.
fn text_of(term: &Term) -> String {
    let own = match &term.kind {
        Kind::Const(value) => format!("= {value}"),
        Kind::Var(var, next) => format!("var {var:?} {next}"),
        Kind::Running(process) => format!("running {process:?}"),
        Kind::Range(low, high) => format!("{low}..{high}"),
        Kind::Binary(op, ..) => format!("{op:?}"),
        Kind::Select(_, low, items) => format!("select {low} {}", items.len()),
        Kind::Bits(_, high, low) => format!("bits {high} {low}"),
        Kind::Fits(_, var, domain) => format!("fits {var:?} {domain:?}"),
        Kind::Not(_) => "not".to_owned(),
        Kind::Minus(_) => "minus".to_owned(),
        Kind::Ite(..) => "ite".to_owned(),
        Kind::Case(_) => "case".to_owned(),
        Kind::Convert(_) => "convert".to_owned(),
        Kind::Narrow(_) => "narrow".to_owned(),
        Kind::Truth(_) => "truth".to_owned(),
        Kind::Abs(_) => "abs".to_owned(),
        Kind::Count(_) => "count".to_owned(),
        Kind::Set(_) => "set".to_owned(),
        Kind::In(..) => "in".to_owned(),
    };
    format!("{own} {:?} {:?}", term.ty, term.reach.input)
}

/// The same kind with other parts, in the order of [`TermNode::parts`].
fn with_parts(kind: &Kind, parts: Vec<Term>) -> Kind {
    let mut parts = parts.into_iter();
    let mut next = || parts.next().expect("it has as many parts as before");
    match kind {
        Kind::Const(_) | Kind::Var(..) | Kind::Running(_) | Kind::Range(..) => kind.clone(),
        Kind::Not(_) => Kind::Not(next()),
        Kind::Minus(_) => Kind::Minus(next()),
        Kind::Bits(_, high, low) => Kind::Bits(next(), *high, *low),
        Kind::Convert(_) => Kind::Convert(next()),
        Kind::Narrow(_) => Kind::Narrow(next()),
        Kind::Truth(_) => Kind::Truth(next()),
        Kind::Abs(_) => Kind::Abs(next()),
        Kind::Fits(_, var, domain) => Kind::Fits(next(), *var, Arc::clone(domain)),
        Kind::Binary(op, ..) => Kind::Binary(*op, next(), next()),
        Kind::In(..) => Kind::In(next(), next()),
        Kind::Ite(..) => Kind::Ite(next(), next(), next()),
        Kind::Case(branches) => Kind::Case(branches.iter().map(|_| (next(), next())).collect()),
        Kind::Select(_, low, items) => Kind::Select(next(), *low, items.iter().map(|_| next()).collect()),
        Kind::Count(items) => Kind::Count(items.iter().map(|_| next()).collect()),
        Kind::Set(items) => Kind::Set(items.iter().map(|_| next()).collect()),
    }
}

/// Gives parts their names.
struct Names<'p> {
    parts: &'p Parts,
    named: Vec<bool>,
    vars: IdVec<VarId, Var>,
    /// By node, what is written for it.
    known: Vec<Term>,
    /// What has a name, and its value; without a variable it is a part of steps.
    made: Vec<(Option<VarId>, Term)>,
}

impl Names<'_> {
    fn make_all(&mut self) {
        let mut variables: HashMap<usize, VarId> = HashMap::new();
        for (id, node) in self.parts.nodes.iter().enumerate() {
            safe_point();
            let is_named = self.named[node.now];
            let variable = |var: VarId, next: bool| term(Kind::Var(var, next), node.term.ty, node.term.span);
            // The same part about the state now comes before it.
            if is_named && node.now != id {
                self.known.push(variable(variables[&node.now], true));
                continue;
            }
            let written = match node.parts.is_empty() {
                true => Arc::clone(&node.term),
                false => {
                    let parts = node.parts.iter().map(|part| Arc::clone(&self.known[*part])).collect();
                    term(with_parts(&node.term.kind, parts), node.term.ty, node.term.span)
                }
            };
            if !is_named {
                self.known.push(written);
                continue;
            }
            if node.moment == Moment::Step {
                self.made.push((None, Arc::clone(&written)));
                self.known.push(written);
                continue;
            }
            let var = self.vars.push(Var {
                // No name of the language has a bracket in this place.
                name: format!("(part {})", variables.len() + 1),
                domain: Arc::new(self.domain(&written)),
                kind: VarKind::State,
                span: written.span,
            });
            variables.insert(id, var);
            self.known.push(variable(var, false));
            self.made.push((Some(var), written));
        }
    }

    /// The values that a part may have.
    fn domain(&self, part: &Term) -> Domain {
        match part.ty.base {
            Base::Bool => Domain::Bool,
            Base::Word { signed, width } => Domain::Word { signed, width },
            Base::Int | Base::Symbol | Base::Mixed => {
                let (low, high) = self.bounds(part).unwrap_or(Base::Int.bounds());
                Domain::Range(low, high)
            }
        }
    }

    /// The least and the greatest value of a number, if these are plain to see; also where an operation has no value.
    fn bounds(&self, part: &Term) -> Option<(i128, i128)> {
        let all = |parts: &mut dyn Iterator<Item = &Term>| {
            let mut bounds: Option<(i128, i128)> = None;
            for part in parts {
                let (low, high) = self.bounds(part)?;
                bounds = Some(bounds.map_or((low, high), |(least, most)| (least.min(low), most.max(high))));
            }
            bounds
        };
        let (low, high) = match &part.kind {
            Kind::Const(value) => (*value, *value),
            Kind::Var(var, _) => self.vars[*var].domain.bounds(),
            Kind::Ite(_, yes, no) => all(&mut [yes, no].into_iter())?,
            Kind::Case(branches) => all(&mut branches.iter().map(|(_, value)| value))?,
            Kind::Select(_, _, items) => all(&mut items.iter())?,
            Kind::Count(items) => (0, items.len() as i128),
            Kind::Fits(_, _, domain) => domain.bounds(),
            Kind::Binary(op @ (BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul), left, right) => {
                let ((a, b), (c, d)) = (self.bounds(left)?, self.bounds(right)?);
                let ends = match op {
                    BinaryOp::Add => [a + c, b + d, a + c, b + d],
                    BinaryOp::Sub => [a - d, b - c, a - d, b - c],
                    _ => [a * c, a * d, b * c, b * d],
                };
                (ends.into_iter().min()?, ends.into_iter().max()?)
            }
            _ => return None,
        };
        let (least, most) = Base::Int.bounds();
        (part.ty == Ty::INT && low >= least && high <= most).then_some((low, high))
    }
}
