//! Sets of states as decision diagrams.
//!
//! The relation is kept apart by action, binding and conjunct; it is never made as a whole. Which bindings matter is found
//! on the way: those of a frame at a position where a process of it was seen to live. Bits that no state uses have no
//! variable.
//!
//! * `order.rs`: which variable is what, and where it stands; `named.rs`: orders that people state; `pool.rs`: who may live where.
//! * `rule.rs`: one action for one binding; `cases.rs`: apart by who acts; `relation.rs`: one case as a relation;
//!   `partition.rs`: conjunctions with early quantification.
//! * `forget.rs`: variables that runs can do without.
//! * `events.rs`: rules as events of saturation.
//! * `paths.rs`: steps of several actions as one relation.
//! * `referee.rs`: ranks and holders; `walk.rs`: steps and transient states; `chained.rs`: many steps at once; `faults.rs`: run-time errors.

mod cases;
mod chained;
mod events;
mod faults;
mod forget;
mod lifetimes;
#[cfg(test)]
mod mistakes;
mod named;
mod order;
mod partition;
mod paths;
mod pool;
mod referee;
mod relation;
mod rule;
mod walk;

use crate::diagrams::{Capacity, Diagram, Diagrams};
use crate::{Binding, BitAlgebra, BitFunctions, Encoder, Variable};
use lariat_base::{Id, IdVec, stoppable};
use lariat_engine::Shortfall;
use lariat_space::{Faults, Natural, State, StateSets, Steps};
use lariat_system::{Action, FrameId, Label, LabelId, Layout, Position, System, TooLarge};
pub(crate) use named::bits_of_lines;
use order::Numbering;
use partition::Partition;
use relation::Free;
use rule::{Bdd, Made, Rule, Variables, symbolic_choices};
use std::cell::{Cell, OnceCell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;
use walk::{Held, Onwards};

/// The most bits of a state that are variables of diagrams.
pub(crate) const MOST_BITS: usize = 1 << 16;
/// The most bindings of actions to positions that are encoded.
pub const MOST_BINDINGS: usize = 200_000;

/// The sets of states of one system.
pub struct BddSets<'a> {
    encoder: Encoder<'a, Bdd>,
    variables: Variables,
    /// The variables of the choices of initial states.
    initial_choices: Vec<Variable>,
    /// The initial states, once they were asked for.
    initial: OnceCell<Diagram>,
    /// The bits that have a variable, ascending.
    used: Vec<(usize, Variable)>,
    /// The bits of all states that have none.
    unchanging: Vec<u64>,
    bindings: Vec<Binding>,
    rules: Vec<OnceCell<Rule>>,
    /// The rules that may do something in the states seen so far, ascending.
    active: RefCell<Rc<Vec<usize>>>,
    /// By position and frame, whether such a process was seen, or cannot be.
    seen: RefCell<Vec<(Position, FrameId, bool)>>,
    /// Who may hold control.
    holders: Vec<Position>,
    ranks_are_alike: bool,
    /// Whether some action can happen in every state.
    never_ends: bool,
    referee: referee::Referee,
    /// The transient states that were passed.
    passed: RefCell<Held>,
    /// Once only the states of a closed set matter: that set, and all transient states that do.
    confined: RefCell<Option<(Diagram, Held)>>,
    /// Where steps from a set were followed last: several questions are asked about a set before the next one comes.
    last_forwards: RefCell<Option<(Diagram, Onwards)>>,
    /// The rules as events, as they were last asked for.
    known_events: RefCell<Option<events::Known>>,
    /// What steps of several actions do; `None` in it if these are too many.
    path_formulas: OnceCell<Option<paths::PathFormulas>>,
    /// The same as relations, as they were last asked for.
    known_paths: RefCell<Option<paths::KnownPaths>>,
    images: Cell<u64>,
    /// What labels mean.
    labels: RefCell<IdVec<LabelId, Label>>,
    /// By rule and label of steps, where it is carried, as far as that was asked for.
    carries: RefCell<HashMap<(usize, LabelId), Diagram>>,
}

/// Why a system has no sets of states.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NoSets {
    /// Its states are too large.
    TooLarge(TooLarge),
    /// Its states have so many bits, each a variable.
    TooManyBits(usize),
    /// Its actions can be bound in too many ways; at least so many.
    TooManyBindings(usize),
}

/// The layout and the bindings of a system, if it has sets of states.
pub(crate) fn bindings_of(system: &System) -> Result<(Layout, Vec<Binding>), NoSets> {
    let layout = Layout::new(system).map_err(NoSets::TooLarge)?;
    if layout.words * 64 > MOST_BITS {
        return Err(NoSets::TooManyBits(layout.words * 64));
    }
    let kinds = pool::kinds(system);
    let mut bindings = Vec::new();
    for (id, action) in system.actions.entries() {
        let mut partial: Vec<Vec<Position>> = vec![Vec::new()];
        for frame in &action.participants {
            let mut longer = Vec::new();
            for positions in &partial {
                for position in (0..kinds.len()).rev().filter(|&position| kinds[position][frame.index()]) {
                    let position = position as Position;
                    if !positions.contains(&position) {
                        longer.push([positions.as_slice(), &[position]].concat());
                    }
                }
            }
            partial = longer;
        }
        bindings.extend(partial.into_iter().map(|positions| Binding { action: id, positions }));
        if bindings.len() > MOST_BINDINGS {
            return Err(NoSets::TooManyBindings(bindings.len()));
        }
    }
    bindings.sort_by_key(|binding| (binding.actor(), binding.action, binding.positions.clone()));
    Ok((layout, bindings))
}

impl<'a> BddSets<'a> {
    /// The sets of states of `system`, which must be valid. `watch` is asked time and again whether to go on; `full` is what
    /// it means that the capacity does not suffice.
    pub fn new(
        system: &'a System,
        capacity: Capacity,
        full: Shortfall,
        watch: impl Fn() -> Made<()> + 'static,
    ) -> Result<Made<Self>, NoSets> {
        Self::ordered(system, &[], capacity, full, watch)
    }

    /// The same with the variables of these bits of states on top, in this order.
    pub(crate) fn ordered(
        system: &'a System,
        order: &[usize],
        capacity: Capacity,
        full: Shortfall,
        watch: impl Fn() -> Made<()> + 'static,
    ) -> Result<Made<Self>, NoSets> {
        let (layout, bindings) = bindings_of(system)?;
        // Nothing fails there, and it can be long.
        let watch = Rc::new(watch);
        let asked = Rc::clone(&watch);
        let mut numbering = match stoppable(move || asked(), || order::numbering(system, &layout, &bindings, order)) {
            Ok(numbering) => numbering,
            Err(shortfall) => return Ok(Err(shortfall)),
        };
        let groups = std::mem::take(&mut numbering.groups);
        let algebra = Rc::new(Diagrams::new(groups, capacity, full, move || watch()));
        let encoder = Encoder::of_layout(system, layout, algebra);
        Ok(Self::of_encoder(encoder, bindings, numbering))
    }

    fn of_encoder(
        encoder: Encoder<'a, Bdd>,
        bindings: Vec<Binding>,
        Numbering { bits, constants, choices, initial: initial_choices, .. }: Numbering,
    ) -> Made<Self> {
        let algebra = &encoder.algebra;
        let bit = |(variables, constant): (&Option<(Variable, Variable)>, &Option<bool>)| match variables {
            Some((now, _)) => algebra.variable(*now),
            None => Ok(algebra.constant(*constant == Some(true))),
        };
        let state = bits.iter().zip(&constants).map(bit).collect::<Made<Vec<_>>>()?;
        let mut unchanging = vec![0; bits.len().div_ceil(64)];
        for (bit, _) in constants.iter().enumerate().filter(|(_, constant)| **constant == Some(true)) {
            unchanging[bit / 64] |= 1 << (bit % 64);
        }
        let used = bits.iter().enumerate().filter_map(|(bit, variables)| Some((bit, variables.as_ref()?.0))).collect();
        let system = encoder.system;
        let frames: Vec<FrameId> = system.frames.ids().collect();
        let seen = pool::kinds(system).into_iter().enumerate().flat_map(|(position, kinds)| {
            let possible = frames.iter().copied().filter(move |frame| kinds[frame.index()]).collect::<Vec<_>>();
            possible.into_iter().map(move |frame| (position as Position, frame, false))
        });
        let holder = |binding: &Binding| {
            let role = system.actions[binding.action].hold?;
            Some(binding.positions[role.index()])
        };
        let mut holders: Vec<Position> = bindings.iter().filter_map(holder).collect();
        holders.sort_unstable();
        holders.dedup();
        let ranks_are_alike = referee::ranks_are_alike(system);
        let always_steps = |action: &Action| action.hold.is_none() && system.is_always_enabled(action);
        let active = (0..bindings.len()).filter(|&rule| bindings[rule].positions.is_empty()).collect();
        let nothing = Free { bits: Vec::new(), values: algebra.constant(true) };
        Ok(Self {
            variables: Variables { bits, choices, state, forgotten: RefCell::new(nothing) },
            initial_choices,
            initial: OnceCell::new(),
            used,
            unchanging,
            rules: bindings.iter().map(|_| OnceCell::new()).collect(),
            bindings,
            active: RefCell::new(Rc::new(active)),
            seen: RefCell::new(seen.collect()),
            holders,
            ranks_are_alike,
            never_ends: ranks_are_alike && system.actions.iter().any(always_steps),
            referee: referee::Referee::default(),
            passed: RefCell::new(Held::new()),
            confined: RefCell::new(None),
            last_forwards: RefCell::new(None),
            known_events: RefCell::new(None),
            path_formulas: OnceCell::new(),
            known_paths: RefCell::new(None),
            images: Cell::new(0),
            labels: RefCell::new(encoder.system.labels.clone()),
            carries: RefCell::default(),
            encoder,
        })
    }

    /// From now on labels are these, in place of those of the system.
    pub fn speak_of(&self, labels: &IdVec<LabelId, Label>) {
        *self.labels.borrow_mut() = labels.clone();
        self.carries.borrow_mut().clear();
    }
    /// The diagrams that the sets are.
    pub fn diagrams(&self) -> &Diagrams {
        &self.encoder.algebra
    }
    /// How many images of sets under single actions were computed.
    pub fn images(&self) -> u64 {
        self.images.get()
    }
    /// Whether there is one way to act at most: then what is grown is one ring larger.
    pub fn has_one_rule(&self) -> Made<bool> {
        Ok(match self.bindings.len() {
            0 => true,
            1 => self.rule(0)?.cases() == 1,
            _ => false,
        })
    }
    /// Whether a step may pass transient states.
    pub(crate) fn has_transient_states(&self) -> bool {
        !self.holders.is_empty()
    }
    /// The number of variables for a state.
    pub fn state_variables(&self) -> usize {
        self.used.len()
    }

    /// The bits of a state in the order of their variables, topmost first.
    pub fn order_of_bits(&self) -> Vec<usize> {
        let order = self.encoder.algebra.order();
        let bit = |variable: &Variable| self.used.iter().find(|(_, own)| own == variable).map(|(bit, _)| *bit);
        order.iter().filter_map(bit).collect()
    }

    /// The order of variables, by name.
    pub(crate) fn named_order(&self) -> Vec<String> {
        named::lines_of_bits(self.encoder.system, &self.encoder.layout, &self.order_of_bits())
    }

    fn rule(&self, number: usize) -> Made<&Rule> {
        if self.rules[number].get().is_none() {
            let rule = Rule::new(&self.encoder, &self.variables, self.bindings[number].clone())?;
            let _ = self.rules[number].set(rule);
        }
        Ok(self.rules[number].get().expect("it has just been set"))
    }
    fn actor(&self, rule: usize) -> Option<Position> {
        self.bindings[rule].actor()
    }
    fn active_rules(&self) -> RuleNumbers {
        RuleNumbers { numbers: Rc::clone(&self.active.borrow()), next: 0 }
    }

    /// From now on the rules matter that may do something in the states of the set.
    fn activate(&self, set: &Diagram) -> Made<()> {
        let algebra = &self.encoder.algebra;
        let mut found = false;
        for entry in self.seen.borrow_mut().iter_mut().filter(|(_, _, seen)| !seen) {
            let (position, frame, seen) = entry;
            let lives = self.encoder.lives(&self.variables.state, *frame, *position)?;
            if algebra.known(&algebra.and(set, &lives)?) != Some(false) {
                (*seen, found) = (true, true);
            }
        }
        if found {
            self.choose_active();
        }
        Ok(())
    }
    fn activate_all(&self) {
        let mut found = false;
        for (_, _, seen) in self.seen.borrow_mut().iter_mut() {
            found |= !std::mem::replace(seen, true);
        }
        if found {
            self.choose_active();
        }
    }
    fn choose_active(&self) {
        let seen = self.seen.borrow();
        let is_seen = |position: Position, frame: FrameId| seen.contains(&(position, frame, true));
        let is_active = |rule: &usize| {
            let binding = &self.bindings[*rule];
            let frames = &self.encoder.system.actions[binding.action].participants;
            binding.positions.iter().zip(frames).all(|(&position, &frame)| is_seen(position, frame))
        };
        *self.active.borrow_mut() = Rc::new((0..self.bindings.len()).filter(is_active).collect());
    }
}

/// The numbers of rules, as they were when they were asked for.
#[derive(Clone)]
struct RuleNumbers {
    numbers: Rc<Vec<usize>>,
    next: usize,
}

impl Iterator for RuleNumbers {
    type Item = usize;
    fn next(&mut self) -> Option<usize> {
        self.next += 1;
        self.numbers.get(self.next - 1).copied()
    }
    fn size_hint(&self) -> (usize, Option<usize>) {
        let rest = self.numbers.len().saturating_sub(self.next);
        (rest, Some(rest))
    }
}

impl ExactSizeIterator for RuleNumbers {}

impl StateSets for BddSets<'_> {
    type Set = Diagram;
    type Error = Shortfall;

    fn empty(&self) -> Diagram {
        self.encoder.algebra.constant(false)
    }
    fn initial(&self) -> Made<Diagram> {
        if let Some(known) = self.initial.get() {
            return self.shortened(known);
        }
        let algebra = &self.encoder.algebra;
        let types = self.encoder.system.init.choices.iter().map(|choice| choice.ty);
        let choices = symbolic_choices(&self.encoder, types, &self.initial_choices)?;
        let values = self.encoder.initial_state(&choices)?;
        let mut conjuncts = self.encoder.initial_conjuncts(&choices)?;
        for &(bit, variable) in &self.used {
            conjuncts.push(algebra.not(&algebra.xor(&algebra.variable(variable)?, &values[bit])?)?);
        }
        let partition = Partition::new(algebra, &conjuncts, &self.initial_choices)?;
        let initial = partition.apply(algebra, &algebra.constant(true))?;
        self.shortened(self.initial.get_or_init(|| initial))
    }
    fn satisfying(&self, label: LabelId) -> Made<Diagram> {
        self.encoder.state_label(&self.variables.state, &self.labels.borrow()[label])
    }
    fn proper_ends(&self) -> Made<Diagram> {
        self.encoder.proper_end(&self.variables.state)
    }
    fn dead_ends(&self, of: &Diagram) -> Made<Diagram> {
        self.dead_ends_of(of)
    }
    fn faulty(&self, of: &Diagram, faults: Faults) -> Made<Diagram> {
        self.faulty_of(of, faults)
    }
    fn union(&self, a: &Diagram, b: &Diagram) -> Made<Diagram> {
        self.encoder.algebra.or(a, b)
    }
    fn intersect(&self, a: &Diagram, b: &Diagram) -> Made<Diagram> {
        self.encoder.algebra.and(a, b)
    }
    fn minus(&self, a: &Diagram, b: &Diagram) -> Made<Diagram> {
        self.encoder.algebra.minus(a, b)
    }
    fn post(&self, set: &Diagram, steps: Steps) -> Made<Diagram> {
        Ok(self.forwards(set, &steps)?.arrived)
    }
    fn pre(&self, set: &Diagram, steps: Steps) -> Made<Diagram> {
        self.backwards(set, &steps)
    }
    /// The least one, by bits: it does not depend on the order of variables.
    fn pick(&self, set: &Diagram) -> Made<Option<Vec<u64>>> {
        let algebra = &self.encoder.algebra;
        if algebra.known(set) == Some(false) {
            return Ok(None);
        }
        let bit_of: HashMap<Variable, usize> = self.used.iter().map(|&(bit, variable)| (variable, bit)).collect();
        let mut words = self.unchanging.clone();
        let mut rest = set.clone();
        let support = algebra.support(set);
        let mut waiting = self.used.iter().filter(|(_, variable)| support.binary_search(variable).is_ok());
        while let Some((top, high, low)) = algebra.branches(&rest) {
            let is_empty = |set: &Diagram| algebra.known(set) == Some(false);
            // Where all states agree on the topmost variable there is nothing to choose, whichever bit it is.
            if is_empty(&low) {
                let bit = bit_of[&top];
                words[bit / 64] |= 1 << (bit % 64);
                rest = high;
            } else if is_empty(&high) {
                rest = low;
            } else {
                // A bit that all states agree on, or that has been chosen, is one that nothing speaks of any more.
                let &(_, variable) = waiting.next().expect("a variable that states differ in is a bit of theirs");
                if variable == top {
                    rest = low;
                    continue;
                }
                let without = algebra.minus(&rest, &algebra.variable(variable)?)?;
                // If it cannot be 0, it is 1 in all states.
                if !is_empty(&without) {
                    rest = without;
                }
            }
        }
        Ok(Some(words))
    }
    fn only(&self, state: &State) -> Made<Diagram> {
        let forgotten = self.variables.forgotten.borrow();
        let used = self.used.iter().filter(|(bit, _)| !forgotten.bits.contains(bit));
        let literal = |&(bit, variable): &(usize, Variable)| (variable, state[bit / 64] >> (bit % 64) & 1 == 1);
        self.encoder.algebra.cube(&used.map(literal).collect::<Vec<_>>())
    }
    fn contains(&self, set: &Diagram, state: &State) -> Made<bool> {
        let literal = |&(bit, variable): &(usize, Variable)| (variable, state[bit / 64] >> (bit % 64) & 1 == 1);
        Ok(self.encoder.algebra.holds_at(set, self.used.iter().map(literal)))
    }
    fn count(&self, set: &Diagram) -> Made<Natural> {
        Ok(self.encoder.algebra.count(set, self.used.len()))
    }
    fn grown(&self, set: &Diagram) -> Made<Diagram> {
        self.chained(set)
    }
    fn grown_back(&self, set: &Diagram, within: &Diagram) -> Made<Diagram> {
        self.chained_back(set, within)
    }
    fn handier<'s>(&self, first: &'s Diagram, second: &'s Diagram) -> &'s Diagram {
        let size = |set| self.encoder.algebra.size(set);
        if size(second) < size(first) { second } else { first }
    }
    fn grown_forth(&self, set: &Diagram, within: &Diagram) -> Made<Diagram> {
        self.chained_forth(set, within)
    }
    fn whole(&self, state: &State, next: &State, steps: &Steps) -> Made<Option<Vec<u64>>> {
        self.lengthened(state, next, steps)
    }
    fn parts(&self) -> Made<Vec<usize>> {
        self.numbered_parts()
    }
    fn post_part(&self, part: usize, set: &Diagram, steps: Steps) -> Made<Diagram> {
        self.forwards_by_part(part, set, &steps)
    }
    fn pre_part(&self, part: usize, set: &Diagram, steps: Steps) -> Made<Diagram> {
        self.backwards_by_part(part, set, &steps)
    }
    fn effort(&self) -> u64 {
        self.encoder.algebra.effort()
    }
    fn confine(&self, states: &Diagram) -> Made<()> {
        // The rules that may act in these states, and the transient states after them, are known since `post`.
        *self.confined.borrow_mut() = Some((states.clone(), self.passed.borrow().clone()));
        Ok(())
    }
    fn safe_point(&self) -> Made<()> {
        self.encoder.algebra.safe_point()
    }
}
