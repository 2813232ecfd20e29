//! Following a relation in one pass: conjunction, quantification and renaming at once.
//!
//! A relation speaks of variables now and, for those that are written, of the variable afterwards, which stands directly below. What is
//! not written stays as it is and takes no part. So a set is followed level by level: at a written variable the four parts of
//! the relation are taken, at any other one two, and no diagram is made that speaks of variables afterwards (as `relnext` and
//! `relprev` of van Dijk and van de Pol, *Sylvan*, STTT 2017). OxiDD has conjunction with quantification in one pass, but
//! renaming is substitution, which makes every node anew by if-then-else.
//!
//! Results are kept in OxiDD's cache, under operators that nothing here uses otherwise: unique quantification.

use super::{Diagram, Diagrams};
use crate::Variable;
use lariat_engine::Shortfall;
use oxidd::util::AllocResult;
use oxidd::{BooleanFunction, BooleanFunctionQuant, Function, HasLevel, Manager, ManagerRef};
use oxidd_core::function::EdgeOfFunc;
use oxidd_core::util::{EdgeDropGuard, Own, Ref};
use oxidd_core::{ApplyCache, HasApplyCache, InnerNode, LevelView, Node};
use oxidd_rules_bdd::simple::{BDDOp, BDDTerminal};

/// The table of nodes.
pub(super) type Table<'id> = <Diagram as Function>::Manager<'id>;
pub(super) type Edge<'id> = EdgeOfFunc<'id, Diagram>;
/// An edge of the table that is dropped with its scope.
pub(super) type Kept<'a, 'id> = EdgeDropGuard<'a, Table<'id>>;

/// The level below all variables.
pub(super) const BOTTOM: u32 = u32::MAX;

/// A relation between the variables now and afterwards.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Transition {
    /// In terms of variables now, and afterwards of those that are written.
    pub(crate) relation: Diagram,
    /// The variables now that are written, as a conjunction.
    pub(crate) written: Diagram,
}

impl Diagrams {
    /// What the relation leads to from the set.
    pub(crate) fn follow(&self, set: &Diagram, along: &Transition) -> Result<Diagram, Shortfall> {
        self.followed::<false>(set, along)
    }
    /// From where the relation leads into the set.
    pub(crate) fn follow_back(&self, set: &Diagram, along: &Transition) -> Result<Diagram, Shortfall> {
        self.followed::<true>(set, along)
    }

    fn followed<const BACK: bool>(&self, set: &Diagram, along: &Transition) -> Result<Diagram, Shortfall> {
        self.make(|| {
            self.manager.with_manager_shared(|table| {
                let (relation, written) = (along.relation.as_edge(table), along.written.as_edge(table));
                let found = product::<BACK>(table, set.as_edge(table), relation, written)?;
                Ok(Diagram::from_edge(table, found))
            })
        })
    }
}

/// The level of the topmost variable of a function.
pub(super) fn level<'id>(table: &Table<'id>, edge: Ref<'_, Edge<'id>>) -> u32 {
    match table.get_node(edge) {
        Node::Inner(node) => node.level(),
        Node::Terminal(_) => BOTTOM,
    }
}

/// The function where the variable of a level, no lower than its topmost one, holds; and where it does not.
pub(super) fn parts<'a, 'id>(
    table: &'a Table<'id>,
    edge: Ref<'a, Edge<'id>>,
    at: u32,
) -> (Ref<'a, Edge<'id>>, Ref<'a, Edge<'id>>) {
    match table.get_node(edge) {
        Node::Inner(node) if node.level() == at => (node.child(0), node.child(1)),
        _ => (edge, edge),
    }
}

/// The function that is one where the variable of the level holds, and else the other.
pub(super) fn joined<'a, 'id>(
    table: &'a Table<'id>,
    at: u32,
    high: Kept<'a, 'id>,
    low: Kept<'a, 'id>,
) -> AllocResult<Own<Edge<'id>>> {
    if *high == *low {
        return Ok(high.into_edge());
    }
    let node = <Table<'id> as Manager>::InnerNode::new(at, [high.into_edge(), low.into_edge()]);
    table.level(at).get_or_insert(node)
}

/// The conjunction of literals, the lowest first. No variable stands there twice.
pub(super) fn cube(table: &Table<'_>, literals: &[(Variable, bool)]) -> AllocResult<Diagram> {
    let mut cube = EdgeDropGuard::new(table, table.get_terminal(BDDTerminal::True)?);
    for &(variable, value) in literals {
        let none = EdgeDropGuard::new(table, table.get_terminal(BDDTerminal::False)?);
        let (high, low) = if value { (cube, none) } else { (none, cube) };
        cube = EdgeDropGuard::new(table, joined(table, table.var_to_level(variable), high, low)?);
    }
    Ok(Diagram::from_edge(table, cube.into_edge()))
}

/// The value of a function that is constant.
pub(super) fn constant<'id>(table: &Table<'id>, edge: Ref<'_, Edge<'id>>) -> Option<bool> {
    match table.get_node(edge) {
        Node::Inner(_) => None,
        Node::Terminal(value) => Some(value == BDDTerminal::True),
    }
}

/// What the relation leads to from the set, or back.
pub(super) fn product<'id, const BACK: bool>(
    table: &Table<'id>,
    set: Ref<'_, Edge<'id>>,
    relation: Ref<'_, Edge<'id>>,
    written: Ref<'_, Edge<'id>>,
) -> AllocResult<Own<Edge<'id>>> {
    let (set_value, relation_value) = (constant(table, set), constant(table, relation));
    if set_value == Some(false) || relation_value == Some(false) {
        return table.get_terminal(BDDTerminal::False);
    }
    let (set_level, relation_level) = (level(table, set), level(table, relation));
    // What neither speaks of any more has any value before and afterwards.
    let (mut written, mut next) = (written, level(table, written));
    while next < set_level && next.saturating_add(1) < relation_level {
        written = parts(table, written, next).0;
        next = level(table, written);
    }
    if relation_value == Some(true) {
        return Diagram::exists_edge(table, set, written);
    }
    let operator = if BACK { BDDOp::UniqueOr } else { BDDOp::UniqueAnd };
    if let Some(known) = table.apply_cache().get(table, operator, &[set, relation, written]) {
        return Ok(known);
    }
    let at = set_level.min(relation_level).min(next);
    let keep = |edge| EdgeDropGuard::new(table, edge);
    let (set_high, set_low) = parts(table, set, at);
    let (high, low) = parts(table, relation, at);
    let (to_high, to_low) = match at == next {
        false => {
            let to_high = keep(product::<BACK>(table, set_high, high, written)?);
            (to_high, keep(product::<BACK>(table, set_low, low, written)?))
        }
        true => {
            let rest = parts(table, written, at).0;
            let ((high_high, high_low), (low_high, low_low)) = (parts(table, high, at + 1), parts(table, low, at + 1));
            // From high to low, seen backwards, is from low to high.
            let (high_low, low_high) = if BACK { (low_high, high_low) } else { (high_low, low_high) };
            let both = |first, second| -> AllocResult<Kept<'_, 'id>> {
                let first = keep(product::<BACK>(table, set_high, first, rest)?);
                let second = keep(product::<BACK>(table, set_low, second, rest)?);
                Ok(keep(Diagram::or_edge(table, first.borrowed(), second.borrowed())?))
            };
            (both(high_high, low_high)?, both(high_low, low_low)?)
        }
    };
    let found = joined(table, at, to_high, to_low)?;
    table.apply_cache().add(table, operator, &[set, relation, written], found.borrowed());
    Ok(found)
}
