//! Boolean functions on edges: reduced ordered binary decision diagrams (Bryant, IEEE ToC 1986).
//!
//! Each automaton owns an arena. Nodes are shared and never freed, so equal functions are equal [`Guard`]s: whether two
//! labels are the same, disjoint or nested is a comparison of numbers, with 64 propositions as with two. Why a diagram of
//! our own and not the one of the symbolic engine: `docs/adr/0007-labels-of-automata.md`.
//!
//! Running out of nodes never stops an operation half-way: from then on results are meaningless and
//! [`Guards::overflowed`] says so. Whoever builds an automaton asks once, at the end, and refuses.

mod cover;

pub use cover::{Cube, Literal};

use crate::TooLarge;
use crate::hash::FastMap;
use lariat_base::{Id, define_id, safe_point};

define_id! {
    /// A Boolean function of one [`Guards`].
    Guard
}

impl Guard {
    /// The function that never holds.
    pub const FALSE: Guard = Guard(0);
    /// The function that always holds.
    pub const TRUE: Guard = Guard(1);
}

/// A number of a Boolean variable; in an automaton, the position of a proposition.
pub type Variable = u32;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Node {
    variable: Variable,
    low: Guard,
    high: Guard,
}

/// An arena of Boolean functions.
///
/// Laws: `low` and `high` of a node differ and test larger variables only; no two nodes are equal.
#[derive(Clone, Debug)]
pub struct Guards {
    nodes: Vec<Node>,
    unique: FastMap<Node, Guard>,
    ite_cache: FastMap<(Guard, Guard, Guard), Guard>,
    limit_nodes: usize,
    /// How many operations, counted where they branch, before that is an overflow too.
    steps_left: u64,
    overflowed: bool,
}

impl Default for Guards {
    fn default() -> Self {
        Self::with_limit(Self::LIMIT_NODES)
    }
}

impl Guards {
    /// How many nodes an arena may have unless told otherwise.
    pub const LIMIT_NODES: usize = 1 << 20;

    /// An arena that overflows beyond `limit_nodes`.
    pub fn with_limit(limit_nodes: usize) -> Self {
        let end = |guard| Node { variable: Variable::MAX, low: guard, high: guard };
        let nodes = vec![end(Guard::FALSE), end(Guard::TRUE)];
        let (unique, ite_cache) = (FastMap::default(), FastMap::default());
        Self { nodes, unique, ite_cache, limit_nodes, steps_left: u64::MAX, overflowed: false }
    }
    /// An arena that overflows, too, after so many steps of operations.
    #[must_use]
    pub fn with_steps(mut self, steps: u64) -> Self {
        self.steps_left = steps;
        self
    }
    /// What was too large, if the arena overflowed.
    pub fn refusal(&self) -> TooLarge {
        match self.nodes.len() >= self.limit_nodes {
            true => TooLarge::GuardNodes { limit: self.limit_nodes },
            false => TooLarge::GuardSteps,
        }
    }
    /// Whether the limit was hit. If so, results are meaningless.
    pub fn overflowed(&self) -> bool {
        self.overflowed
    }
    /// How many nodes there are.
    pub fn node_count(&self) -> usize {
        self.nodes.len()
    }
    /// Allows another number of nodes from now on.
    pub(crate) fn set_limit(&mut self, limit_nodes: usize) {
        self.limit_nodes = limit_nodes;
    }
    /// An empty arena with the same limit.
    pub(crate) fn fresh(&self) -> Self {
        Self::with_limit(self.limit_nodes)
    }
    /// Lets the arena grow as far as it must. For printing, where a function that is there already is taken apart.
    pub(crate) fn unlimited(mut self) -> Self {
        self.limit_nodes = usize::MAX;
        self
    }
    /// Forgets all nodes but the first `node_count`, and that there was an overflow since there were so many. Functions
    /// made since are gone.
    pub(crate) fn rollback(&mut self, node_count: usize) {
        for node in self.nodes.drain(node_count..) {
            self.unique.remove(&node);
        }
        self.ite_cache.clear();
        self.overflowed = false;
    }
    /// Forgets intermediate results; functions stay.
    pub fn clear_caches(&mut self) {
        self.ite_cache = FastMap::default();
    }

    /// The function "`variable` is true".
    pub fn variable(&mut self, variable: Variable) -> Guard {
        self.node(variable, Guard::FALSE, Guard::TRUE)
    }
    /// The variable tested first, with what remains if it is false and if it is true; nothing for a constant.
    pub fn branch(&self, guard: Guard) -> Option<(Variable, Guard, Guard)> {
        let node = self.nodes[guard.index()];
        (guard > Guard::TRUE).then_some((node.variable, node.low, node.high))
    }
    /// If `condition` then `yes` else `no`.
    pub fn ite(&mut self, condition: Guard, yes: Guard, no: Guard) -> Guard {
        safe_point();
        match (condition, yes, no) {
            (Guard::TRUE, _, _) => return yes,
            (Guard::FALSE, _, _) => return no,
            (_, Guard::TRUE, Guard::FALSE) => return condition,
            _ if yes == no => return yes,
            _ if self.overflowed => return Guard::FALSE,
            _ => {}
        }
        match self.steps_left.checked_sub(1) {
            Some(left) => self.steps_left = left,
            None => {
                self.overflowed = true;
                return Guard::FALSE;
            }
        }
        let key = (condition, yes, no);
        if let Some(&known) = self.ite_cache.get(&key) {
            return known;
        }
        let top = [condition, yes, no].map(|guard| self.nodes[guard.index()].variable);
        let variable = top[0].min(top[1]).min(top[2]);
        let low = [condition, yes, no].map(|guard| self.cofactor(guard, variable, false));
        let high = [condition, yes, no].map(|guard| self.cofactor(guard, variable, true));
        let low = self.ite(low[0], low[1], low[2]);
        let high = self.ite(high[0], high[1], high[2]);
        let result = self.node(variable, low, high);
        if !self.overflowed {
            // Intermediate results are bounded with the nodes; forgetting them costs time only.
            if self.ite_cache.len() >= self.limit_nodes {
                self.ite_cache.clear();
            }
            self.ite_cache.insert(key, result);
        }
        result
    }
    /// Negation.
    pub fn not(&mut self, guard: Guard) -> Guard {
        self.ite(guard, Guard::FALSE, Guard::TRUE)
    }
    /// Both hold.
    pub fn and(&mut self, a: Guard, b: Guard) -> Guard {
        let (a, b) = (a.min(b), a.max(b));
        if a == b { a } else { self.ite(a, b, Guard::FALSE) }
    }
    /// One of them holds.
    pub fn or(&mut self, a: Guard, b: Guard) -> Guard {
        let (a, b) = (a.min(b), a.max(b));
        if a == b { a } else { self.ite(a, Guard::TRUE, b) }
    }
    /// `a` holds and `b` does not.
    pub fn minus(&mut self, a: Guard, b: Guard) -> Guard {
        self.ite(b, Guard::FALSE, a)
    }
    /// Whether some valuation satisfies both.
    pub fn intersect(&mut self, a: Guard, b: Guard) -> bool {
        self.and(a, b) != Guard::FALSE
    }
    /// Whether every valuation of `a` is one of `b`.
    pub fn implies(&mut self, a: Guard, b: Guard) -> bool {
        a == b || self.minus(a, b) == Guard::FALSE
    }
    /// `guard` for some value of each variable that `hidden` names.
    pub fn exists(&mut self, guard: Guard, hidden: &dyn Fn(Variable) -> bool) -> Guard {
        let mut known = FastMap::default();
        self.exists_from(guard, hidden, &mut known)
    }
    /// Whether `guard` holds where exactly the variables chosen by `is_true` are true.
    pub fn holds(&self, mut guard: Guard, is_true: impl Fn(Variable) -> bool) -> bool {
        while let Some((variable, low, high)) = self.branch(guard) {
            guard = if is_true(variable) { high } else { low };
        }
        guard == Guard::TRUE
    }
    /// The function `guard` of another arena, its variables renamed by `rename`.
    pub fn import(&mut self, from: &Guards, guard: Guard, rename: &dyn Fn(Variable) -> Variable) -> Guard {
        self.import_known(from, guard, rename, &mut FastMap::default())
    }
    /// The same for many functions, which share the work through `known`.
    pub(crate) fn import_known(
        &mut self,
        from: &Guards,
        guard: Guard,
        rename: &dyn Fn(Variable) -> Variable,
        known: &mut FastMap<Guard, Guard>,
    ) -> Guard {
        let Some((variable, low, high)) = from.branch(guard) else { return guard };
        if let Some(&done) = known.get(&guard) {
            return done;
        }
        let low = self.import_known(from, low, rename, known);
        let high = self.import_known(from, high, rename, known);
        let test = self.variable(rename(variable));
        let result = self.ite(test, high, low);
        known.insert(guard, result);
        result
    }
    /// `guard` with each variable that `values` has replaced by its function there.
    pub(crate) fn substitute(&mut self, guard: Guard, values: &FastMap<Variable, Guard>) -> Guard {
        let mut known = FastMap::default();
        self.substitute_from(guard, values, &mut known)
    }
    /// The variables that the function depends on, ascending.
    pub fn support(&self, guard: Guard) -> Vec<Variable> {
        let (mut seen, mut pending, mut support) = (FastMap::default(), vec![guard], Vec::new());
        while let Some(guard) = pending.pop() {
            if let Some((variable, low, high)) = self.branch(guard)
                && seen.insert(guard, ()).is_none()
            {
                support.push(variable);
                pending.extend([low, high]);
            }
        }
        support.sort_unstable();
        support.dedup();
        support
    }

    fn cofactor(&self, guard: Guard, variable: Variable, value: bool) -> Guard {
        let node = self.nodes[guard.index()];
        match () {
            _ if node.variable != variable => guard,
            _ if value => node.high,
            _ => node.low,
        }
    }
    fn node(&mut self, variable: Variable, low: Guard, high: Guard) -> Guard {
        safe_point();
        if low == high {
            return low;
        }
        let node = Node { variable, low, high };
        if let Some(&known) = self.unique.get(&node) {
            return known;
        }
        if self.nodes.len() >= self.limit_nodes {
            self.overflowed = true;
            return Guard::FALSE;
        }
        let guard = Guard::new(self.nodes.len());
        self.nodes.push(node);
        self.unique.insert(node, guard);
        guard
    }
    fn substitute_from(
        &mut self,
        guard: Guard,
        values: &FastMap<Variable, Guard>,
        known: &mut FastMap<Guard, Guard>,
    ) -> Guard {
        safe_point();
        let Some((variable, low, high)) = self.branch(guard) else { return guard };
        if let Some(&done) = known.get(&guard) {
            return done;
        }
        let low = self.substitute_from(low, values, known);
        let high = self.substitute_from(high, values, known);
        let test = match values.get(&variable) {
            Some(&value) => value,
            None => self.variable(variable),
        };
        let result = self.ite(test, high, low);
        known.insert(guard, result);
        result
    }
    fn exists_from(
        &mut self,
        guard: Guard,
        hidden: &dyn Fn(Variable) -> bool,
        known: &mut FastMap<Guard, Guard>,
    ) -> Guard {
        safe_point();
        let Some((variable, low, high)) = self.branch(guard) else { return guard };
        if let Some(&done) = known.get(&guard) {
            return done;
        }
        let low = self.exists_from(low, hidden, known);
        let high = self.exists_from(high, hidden, known);
        let result = if hidden(variable) { self.or(low, high) } else { self.node(variable, low, high) };
        known.insert(guard, result);
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every function of three variables, by its truth table, built from minterms.
    fn table(guards: &mut Guards, rows: u8) -> Guard {
        let mut result = Guard::FALSE;
        for row in (0..8u8).filter(|row| rows >> row & 1 == 1) {
            let mut minterm = Guard::TRUE;
            for variable in 0..3 {
                let positive = guards.variable(variable);
                let literal = if row >> variable & 1 == 1 { positive } else { guards.not(positive) };
                minterm = guards.and(minterm, literal);
            }
            result = guards.or(result, minterm);
        }
        result
    }

    #[test]
    fn functions_of_three_variables_are_their_truth_tables() {
        let mut guards = Guards::default();
        let all: Vec<Guard> = (0..=255).map(|rows| table(&mut guards, rows)).collect();
        for (a, &f) in all.iter().enumerate() {
            assert_eq!(guards.not(f), all[255 - a]);
            let without_first = all[(a | (a >> 1 & 0x55) | (a << 1 & 0xaa)) & 0xff];
            assert_eq!(guards.exists(f, &|variable| variable == 0), without_first);
            for (b, &g) in all.iter().enumerate() {
                assert_eq!(guards.and(f, g), all[a & b]);
                assert_eq!(guards.or(f, g), all[a | b]);
                assert_eq!(guards.implies(f, g), a & !b == 0);
            }
        }
    }

    #[test]
    fn sixty_four_variables_and_an_arena_that_is_too_small() {
        let parity = |guards: &mut Guards| {
            (0..64).fold(Guard::FALSE, |parity, variable| {
                let (variable, odd) = (guards.variable(variable), guards.not(parity));
                guards.ite(variable, odd, parity)
            })
        };
        let mut guards = Guards::default();
        let odd = parity(&mut guards);
        assert!(guards.holds(odd, |variable| variable == 63) && !guards.holds(odd, |variable| variable > 61));
        assert!(!guards.overflowed());
        let mut small = Guards::with_limit(50);
        parity(&mut small);
        assert!(small.overflowed());
    }
}
