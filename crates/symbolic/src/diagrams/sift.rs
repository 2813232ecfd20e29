//! Reordering by sifting (Rudell, ICCAD 1993), groups of variables at a time.
//!
//! Each group goes to the bottom and to the top, and stays where the diagrams were smallest; groups with many nodes first.
//! OxiDD swaps neighbouring levels by `set_var_order`; inside of one `reorder` that costs only what changes. It aborts the
//! program if a swap finds no free node, so a swap is made only where even its worst case has room.
//!
//! How much is tried is limited by what was computed since the last time: reordering must not take longer than what it is to
//! make faster. The limit counts nodes and not time, so that the same search has the same orders each time.

use super::{Diagrams, Figures};
use crate::Variable;
use lariat_engine::Shortfall;
use oxidd::{Manager, ManagerRef};
use oxidd_core::{HasLevel, LevelView};
use oxidd_reorder::set_var_order_seq;

/// Reorder for the first time above so many used nodes.
pub(super) const FIRST: usize = 200_000;
/// And above so many for each variable: that many a relation between all of them may have in the best order.
pub(super) const FIRST_PER_VARIABLE: usize = 16;
/// Look how many are used for the first time above so many nodes.
pub(super) const LOOK: usize = 200_000;
/// A group does not go on where the diagrams have grown to this many percent of the smallest seen.
const GROWTH_PERCENT: usize = 110;
/// So many groups are moved, one after the other, if that does not make the diagrams smaller:
const MOST_IN_VAIN: usize = 24;
/// not even this many percent of what they were. Many sets of many processes are large in any order.
const WORTH_PERCENT: usize = 98;
/// What may be spent for each node that was made: the operations that follow a good order save many times what was spent
/// before it.
pub(super) const EFFORT_PER_NODE: usize = 64;
/// A swap of two levels takes as long as so many nodes take to be made, and more by the nodes of the levels.
const SWAP_COST: usize = 16;
/// OxiDD looks at all variables, several times, at each change of the order: at so many in the time that one node takes.
const VARIABLES_PER_NODE: usize = 1;

impl Diagrams {
    /// Looks for a better order with at most this `effort`, in nodes. What is not used has been collected.
    pub(super) fn reorder(&self, effort: usize) -> Result<(), Shortfall> {
        let mut groups = self.groups.borrow_mut();
        let watch = &self.watch;
        let capacity = self.capacity.nodes;
        let order = groups.concat();
        let result = self.manager.with_manager_exclusive(|manager| {
            manager.reorder(|manager| {
                let mut sifting = Sifting { manager, groups: &mut groups, order, capacity, effort };
                sifting.run(watch.as_ref())
            })
        });
        let Figures { reorderings, .. } = self.figures.get();
        self.figures.set(Figures { reorderings: reorderings + 1, ..self.figures.get() });
        result
    }
}

struct Sifting<'m, M> {
    manager: &'m mut M,
    /// Topmost first.
    groups: &'m mut Vec<Vec<Variable>>,
    /// The same, variable by variable.
    order: Vec<Variable>,
    capacity: usize,
    /// What may still be spent.
    effort: usize,
}

impl<M: Manager> Sifting<'_, M>
where
    M::InnerNode: HasLevel,
{
    fn run(&mut self, watch: &dyn Fn() -> Result<(), Shortfall>) -> Result<(), Shortfall> {
        let mut by_size: Vec<(usize, Variable)> =
            self.groups.iter().map(|group| (self.nodes_of(group), group[0])).filter(|(nodes, _)| *nodes > 0).collect();
        by_size.sort_by_key(|&(nodes, first)| (std::cmp::Reverse(nodes), first));
        let (mut smallest, mut in_vain) = (self.manager.num_inner_nodes(), 0);
        for (_, first) in by_size {
            if self.effort == 0 || in_vain == MOST_IN_VAIN {
                break;
            }
            // The order is a valid one after each group.
            watch()?;
            let at = self.groups.iter().position(|group| group[0] == first).expect("groups are only moved");
            self.sift(at);
            let nodes = self.manager.num_inner_nodes();
            in_vain += 1;
            if nodes < smallest / 100 * WORTH_PERCENT {
                (smallest, in_vain) = (nodes, 0);
            }
        }
        Ok(())
    }

    fn nodes_of(&self, group: &[Variable]) -> usize {
        group.iter().map(|&variable| self.manager.level(self.manager.var_to_level(variable)).len()).sum()
    }

    /// Moves one group to its best place.
    fn sift(&mut self, start: usize) {
        let (mut best, mut best_at) = (self.manager.num_inner_nodes(), start);
        let last = self.groups.len() - 1;
        let mut at = start;
        // The nearer end first: the way back is walked twice.
        let down_first = last - start < start;
        for down in [down_first, !down_first] {
            while (if down { at < last } else { at > 0 }) && self.swap(if down { at } else { at - 1 }) {
                at = if down { at + 1 } else { at - 1 };
                let nodes = self.manager.num_inner_nodes();
                if nodes < best {
                    (best, best_at) = (nodes, at);
                } else if nodes > best / 100 * GROWTH_PERCENT + 100 {
                    break;
                }
            }
        }
        while at != best_at {
            let upper = if at < best_at { at } else { at - 1 };
            if !self.swap(upper) {
                return;
            }
            at = if at < best_at { at + 1 } else { at - 1 };
        }
    }

    /// Swaps two neighbouring groups; `false` if there might be no room for that.
    fn swap(&mut self, upper: usize) -> bool {
        let (above, below) = (&self.groups[upper], &self.groups[upper + 1]);
        // A swap of two levels makes at most two nodes for each node of the upper one.
        let swaps = above.len() * below.len();
        let worst = (self.nodes_of(above) + self.nodes_of(below) + 1) << (swaps + 1).min(20);
        let free = self.capacity.saturating_sub(self.manager.num_inner_nodes());
        if worst > free / 2 {
            return false;
        }
        let nodes = self.nodes_of(above) + self.nodes_of(below);
        let cost = SWAP_COST * swaps + self.order.len() / VARIABLES_PER_NODE + nodes;
        self.effort = self.effort.saturating_sub(cost);
        let start = self.manager.var_to_level(above[0]) as usize;
        let end = start + above.len() + below.len();
        self.order[start..end].rotate_left(above.len());
        self.groups.swap(upper, upper + 1);
        set_var_order_seq(self.manager, &self.order);
        true
    }
}
