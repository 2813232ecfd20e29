//! Functions as binary decision diagrams, by OxiDD: the one place that knows it.
//!
//! An operation that finds no free node collects, then reorders, and only then fails. What is not used is collected at
//! safe points before that, so that OxiDD's own collector, a thread that clears the cache in the middle of an operation,
//! is hardly ever woken. OxiDD cannot be stopped inside of an operation: whoever must answer at once runs all this on
//! another thread.
//!
//! * `sift.rs`: reordering.
//! * `follow.rs`: relations followed in one pass; `saturate.rs`: to the end.

mod follow;
mod saturate;
mod sift;
#[cfg(test)]
mod tests;

use crate::{BitAlgebra, BitFunctions, Variable};
use lariat_engine::Shortfall;
use lariat_space::Natural;
use oxidd::bdd::{BDDFunction, BDDManagerRef};
use oxidd::util::AllocResult;
use oxidd::{
    BooleanFunction, BooleanFunctionQuant, BooleanOperator, Function, FunctionSubst, HasLevel, Manager, ManagerRef,
    NodeID, Subst,
};
use oxidd_core::util::{Ref, SatCountCache};
use oxidd_core::{InnerNode, Node};
use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use std::hash::RandomState;
use std::rc::Rc;

pub(crate) use follow::Transition;
pub(crate) use saturate::Events;

/// How large the diagrams may become.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Capacity {
    /// The most nodes.
    pub nodes: usize,
    /// Entries of the cache of results.
    pub cache: usize,
}

/// What a node takes: itself, and its place in the table by which equal nodes are found, which grows by doubling.
const NODE_BYTES: u64 = 16 + 24;
/// What an entry of the cache takes.
const CACHE_BYTES: u64 = 24;
/// An operation takes as long as so many nodes take to be made, however few it makes.
const OPERATION_NODES: u64 = 16;
/// And following an event in saturation, as long as this many operations.
const EVENT_OPERATIONS: u64 = 4;
/// More nodes than this cannot be numbered.
const MOST_NODES: u64 = (1 << 31) - 16;
/// The most entries of the cache: a larger one takes longer to be cleared than it saves.
const MOST_CACHE: u64 = 1 << 23;

impl Capacity {
    /// As much as fits into this memory.
    pub fn within(bytes: u64) -> Self {
        let cache = (bytes / 8 / CACHE_BYTES).clamp(1 << 10, MOST_CACHE).next_power_of_two() / 2;
        let nodes = (bytes.saturating_sub(cache * CACHE_BYTES) / NODE_BYTES).clamp(1 << 10, MOST_NODES);
        Self { nodes: nodes as usize, cache: cache as usize }
    }
    /// This capacity or what is enough for a search that does not get large, whichever is less: making a cache takes time.
    #[must_use]
    pub fn at_first(self) -> Self {
        Self { nodes: self.nodes.min(1 << 20), cache: self.cache.min(1 << 18) }
    }
    /// The most memory that it takes.
    pub fn bytes(self) -> u64 {
        self.nodes as u64 * NODE_BYTES + self.cache as u64 * CACHE_BYTES
    }
}

/// What became of the diagrams so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Figures {
    /// The most nodes at any time that was looked at, those not used any more included.
    pub peak_nodes: usize,
    /// How often what was not used was collected.
    pub collections: u64,
    /// How often variables were reordered.
    pub reorderings: u64,
}

/// Decision diagrams over numbered variables.
pub struct Diagrams {
    manager: BDDManagerRef,
    capacity: Capacity,
    /// Asked time and again whether to go on.
    watch: Box<dyn Fn() -> Result<(), Shortfall>>,
    /// What an operation that finds no node fails with.
    full: Shortfall,
    /// Variables that stay together, topmost group first.
    groups: RefCell<Vec<Vec<Variable>>>,
    /// Collect when there are more nodes.
    collect_above: Cell<usize>,
    /// Reorder when more nodes than these are used.
    reorder_above: Cell<usize>,
    /// How many nodes were used when that was last looked at.
    live: Cell<usize>,
    /// The nodes made since variables were reordered.
    made: Cell<usize>,
    may_reorder: Cell<bool>,
    reorder_when_full: Cell<bool>,
    operations: Cell<u64>,
    /// The nodes made up to the last collection.
    all_made: Cell<u64>,
    /// Give up when the effort is more than this.
    most_effort: Cell<u64>,
    /// The number for the next events.
    events: Cell<u32>,
    figures: Cell<Figures>,
}

/// A function of the variables.
pub type Diagram = BDDFunction;

impl std::fmt::Debug for Diagrams {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Diagrams").field("capacity", &self.capacity).field("figures", &self.figures.get()).finish()
    }
}

impl Diagrams {
    /// Diagrams over the variables of `groups`, which are `0..n`, the topmost first. `watch` is asked whether to go on, and
    /// `full` is what it means that there is no room.
    pub fn new(
        groups: Vec<Vec<Variable>>,
        capacity: Capacity,
        full: Shortfall,
        watch: impl Fn() -> Result<(), Shortfall> + 'static,
    ) -> Self {
        let manager = oxidd::bdd::new_manager(capacity.nodes, capacity.cache, 1);
        let variables = groups.iter().map(Vec::len).sum::<usize>();
        manager.with_manager_exclusive(|manager| {
            manager.add_vars(variables as u32);
        });
        let least_reordered = sift::FIRST.max(variables * sift::FIRST_PER_VARIABLE);
        debug_assert!(groups.iter().flatten().enumerate().all(|(level, variable)| level == *variable as usize));
        Self {
            manager,
            capacity,
            watch: Box::new(watch),
            full,
            groups: RefCell::new(groups),
            collect_above: Cell::new(sift::LOOK.min(capacity.nodes / 2)),
            reorder_above: Cell::new(least_reordered),
            live: Cell::new(0),
            made: Cell::new(0),
            may_reorder: Cell::new(true),
            reorder_when_full: Cell::new(true),
            operations: Cell::new(0),
            all_made: Cell::new(0),
            most_effort: Cell::new(u64::MAX),
            events: Cell::new(0),
            figures: Cell::new(Figures::default()),
        }
    }
    /// What became of them so far.
    pub fn figures(&self) -> Figures {
        self.figures.get()
    }
    /// How large they may become.
    pub fn capacity(&self) -> Capacity {
        self.capacity
    }
    /// The number of nodes, those not used any more included.
    pub fn nodes(&self) -> usize {
        self.manager.with_manager_shared(|manager| manager.num_inner_nodes())
    }
    /// Whether variables may be reordered from now on.
    pub fn allow_reordering(&self, allowed: bool) {
        self.may_reorder.set(allowed);
    }
    /// Whether variables are reordered where there is no room for a result; if not, that fails at once.
    pub fn reorder_when_full(&self, wanted: bool) {
        self.reorder_when_full.set(wanted);
    }
    /// The memory that the most nodes so far and the cache take.
    pub fn bytes(&self) -> u64 {
        let nodes = self.figures.get().peak_nodes.max(self.nodes());
        nodes as u64 * NODE_BYTES + self.capacity.cache as u64 * CACHE_BYTES
    }
    /// The number of nodes of one function.
    pub fn size_of(&self, f: &Diagram) -> usize {
        f.node_count()
    }
    /// The variables, topmost first.
    pub fn order(&self) -> Vec<Variable> {
        self.groups.borrow().concat()
    }

    /// What was computed so far, in nodes that were made: the same on every machine.
    pub fn effort(&self) -> u64 {
        self.effort_with(self.nodes())
    }
    fn effort_with(&self, nodes: usize) -> u64 {
        let made = nodes.saturating_sub(self.live.get()) as u64;
        self.all_made.get() + made + self.operations.get() * OPERATION_NODES
    }
    /// From now on there is this much effort left, and then operations fail as if interrupted; `None` ends that.
    pub fn limit_effort(&self, left: Option<u64>) {
        self.most_effort.set(left.map_or(u64::MAX, |left| self.effort().saturating_add(left)));
    }
    /// Whether to go on, while there are so many nodes.
    fn check(&self, nodes: usize) -> Result<(), Shortfall> {
        if self.effort_with(nodes) > self.most_effort.get() {
            return Err(Shortfall::Interrupted);
        }
        (self.watch)()
    }

    /// The time to collect and to reorder, and to look at limits. No operation is under way.
    pub fn safe_point(&self) -> Result<(), Shortfall> {
        self.check(self.nodes())?;
        let nodes = self.nodes();
        self.note_peak(nodes);
        if nodes <= self.collect_above.get() {
            return Ok(());
        }
        let mut live = self.collect();
        // Only what is used tells how good the order is.
        if self.may_reorder.get() && live > self.reorder_above.get() {
            self.reorder(self.made.replace(0).saturating_mul(sift::EFFORT_PER_NODE))?;
            live = self.nodes();
            self.live.set(live);
            self.reorder_above.set((live * 2).max(self.reorder_above.get()));
        }
        // Collecting clears the cache of results: not more often than the nodes have become some times as many.
        self.collect_above.set((live * 8).max(sift::LOOK).min(self.capacity.nodes / 10 * 8));
        Ok(())
    }

    /// Looks for a better order of variables. No operation is under way.
    pub fn reorder_now(&self) -> Result<(), Shortfall> {
        self.reorder_within(usize::MAX)
    }
    /// The same with at most this effort, in nodes.
    pub fn reorder_within(&self, effort: usize) -> Result<(), Shortfall> {
        self.collect();
        self.reorder(effort)
    }

    /// Collects what is not used; gives how many nodes are left.
    fn collect(&self) -> usize {
        // Exclusively: otherwise the collector may be at work already, and nothing would be collected here.
        let made = self.nodes().saturating_sub(self.live.get());
        self.made.set(self.made.get() + made);
        self.all_made.set(self.all_made.get() + made as u64);
        self.manager.with_manager_exclusive(|manager| manager.gc());
        let mut figures = self.figures.get();
        figures.collections += 1;
        self.figures.set(figures);
        self.live.set(self.nodes());
        self.live.get()
    }

    fn note_peak(&self, nodes: usize) {
        let mut figures = self.figures.get();
        figures.peak_nodes = figures.peak_nodes.max(nodes);
        self.figures.set(figures);
    }

    /// Tries an operation; where there is no room for its result, makes some and tries again.
    fn make<T>(&self, operation: impl Fn() -> AllocResult<T>) -> Result<T, Shortfall> {
        self.operations.set(self.operations.get() + 1);
        if self.operations.get().is_multiple_of(64) {
            self.check(self.nodes())?;
        }
        if let Ok(made) = operation() {
            return Ok(made);
        }
        self.note_peak(self.capacity.nodes);
        self.collect();
        if let Ok(made) = operation() {
            return Ok(made);
        }
        self.collect();
        if self.may_reorder.get() && self.reorder_when_full.get() {
            self.reorder(usize::MAX)?;
            if let Ok(made) = operation() {
                return Ok(made);
            }
        }
        Err(self.full)
    }

    /// The number of valuations of `variables` that satisfy `f`, which depends on no others.
    pub fn count(&self, f: &Diagram, variables: usize) -> Natural {
        let levels = self.manager.with_manager_shared(|manager| manager.num_levels());
        let all: Natural = f.sat_count(levels, &mut SatCountCache::<Natural, RandomState>::default());
        all >> (levels - variables as u32)
    }
    /// What the function is where its variables have these values.
    pub fn holds_at(&self, f: &Diagram, values: impl IntoIterator<Item = (Variable, bool)>) -> bool {
        f.eval(values)
    }
    /// The conjunction of literals: each variable with its value.
    pub fn cube(&self, literals: &[(Variable, bool)]) -> Result<Diagram, Shortfall> {
        // From the bottom, each conjunction takes one node more.
        let mut literals = literals.to_vec();
        self.manager.with_manager_shared(|manager| {
            literals.sort_by_key(|(variable, _)| std::cmp::Reverse(manager.var_to_level(*variable)));
        });
        // A variable stands there once, so each literal is the topmost one of what is to come.
        literals.dedup();
        self.make(|| self.manager.with_manager_shared(|manager| follow::cube(manager, &literals)))
    }
    /// The topmost variable of a function that is no constant, and what the function is where that holds and where it does not.
    pub(crate) fn branches(&self, f: &Diagram) -> Option<(Variable, Diagram, Diagram)> {
        let (high, low) = f.cofactors()?;
        let variable = f.with_manager_shared(|table, root| match table.get_node(root) {
            Node::Inner(node) => Some(table.level_to_var(node.level())),
            Node::Terminal(_) => None,
        });
        Some((variable?, high, low))
    }
    /// `a` and not `b`.
    pub fn minus(&self, a: &Diagram, b: &Diagram) -> Result<Diagram, Shortfall> {
        self.make(|| b.imp_strict(a))
    }
}

impl BitAlgebra for Rc<Diagrams> {
    type Bit = Diagram;
    type Error = Shortfall;

    fn constant(&self, value: bool) -> Diagram {
        self.manager.with_manager_shared(|manager| if value { Diagram::t(manager) } else { Diagram::f(manager) })
    }
    fn known(&self, bit: &Diagram) -> Option<bool> {
        match bit.satisfiable() {
            false => Some(false),
            true => bit.valid().then_some(true),
        }
    }
    fn not(&self, a: &Diagram) -> Result<Diagram, Shortfall> {
        self.make(|| a.not())
    }
    fn and(&self, a: &Diagram, b: &Diagram) -> Result<Diagram, Shortfall> {
        self.make(|| a.and(b))
    }
    fn or(&self, a: &Diagram, b: &Diagram) -> Result<Diagram, Shortfall> {
        self.make(|| a.or(b))
    }
    fn xor(&self, a: &Diagram, b: &Diagram) -> Result<Diagram, Shortfall> {
        self.make(|| a.xor(b))
    }
    fn ite(&self, condition: &Diagram, yes: &Diagram, no: &Diagram) -> Result<Diagram, Shortfall> {
        self.make(|| condition.ite(yes, no))
    }
}

impl BitFunctions for Rc<Diagrams> {
    /// The conjunction of the variables.
    type Variables = Diagram;
    type Substitution = Subst<Diagram>;

    fn variable(&self, number: Variable) -> Result<Diagram, Shortfall> {
        self.make(|| self.manager.with_manager_shared(|manager| Diagram::var(manager, number)))
    }
    fn variables(&self, numbers: &[Variable]) -> Result<Diagram, Shortfall> {
        let literals: Vec<(Variable, bool)> = numbers.iter().map(|&number| (number, true)).collect();
        self.cube(&literals)
    }
    fn exists(&self, variables: &Diagram, f: &Diagram) -> Result<Diagram, Shortfall> {
        self.make(|| f.exists(variables))
    }
    fn and_exists(&self, variables: &Diagram, a: &Diagram, b: &Diagram) -> Result<Diagram, Shortfall> {
        self.make(|| a.apply_exists(BooleanOperator::And, b, variables))
    }
    fn substitution(&self, pairs: Vec<(Variable, Diagram)>) -> Subst<Diagram> {
        let (variables, functions) = pairs.into_iter().unzip();
        Subst::new(variables, functions)
    }
    fn substitute(&self, f: &Diagram, substitution: &Subst<Diagram>) -> Result<Diagram, Shortfall> {
        self.make(|| f.substitute(substitution))
    }
    fn support(&self, f: &Diagram) -> Vec<Variable> {
        f.with_manager_shared(|manager, root| {
            let (mut seen, mut levels) = (HashSet::new(), HashSet::new());
            gather(manager, root, &mut seen, &mut levels);
            let mut variables: Vec<Variable> = levels.into_iter().map(|level| manager.level_to_var(level)).collect();
            variables.sort_unstable();
            variables
        })
    }
    fn size(&self, f: &Diagram) -> usize {
        f.node_count()
    }
}

/// The levels of the nodes that can be reached from an edge.
fn gather<M: Manager>(manager: &M, edge: Ref<'_, M::Edge>, seen: &mut HashSet<NodeID>, levels: &mut HashSet<u32>)
where
    M::InnerNode: HasLevel,
{
    let Node::Inner(node) = manager.get_node(edge) else { return };
    if seen.insert(edge.node_id()) {
        levels.insert(node.level());
        node.children().for_each(|child| gather(manager, child, seen, levels));
    }
}
