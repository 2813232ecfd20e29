//! The order in which choices are settled.
//!
//! Engines that look at states one by one settle the choices of a step in their order, and test a conjunct of the guard once all choices
//! that it reads are settled. Variables come in the order of the text; where every conjunct speaks of the last one, all combinations of the
//! others would be tried. So the choices are sorted: next come those that complete a conjunct and leave the fewest combinations. How
//! many a conjunct leaves is estimated by random values (`share_of`). Choices that a conjunct binds come as soon as what they depend on is
//! settled. An order is changed only where that saves much.

use super::Open;
use super::arithmetic::size;
use lariat_base::{Id, safe_point};
use lariat_system::{BinaryOp, ChoiceId, Expr, Interval, Owner, Place, System, Update, wrap};
use std::collections::BTreeSet;

/// The order is changed if the new one takes at least so many times fewer tries.
const WORTH: f64 = 2.0;
/// Fewer ways are tried in any order.
const FEW_WAYS: u64 = 64;
/// With more of both, choices times conjuncts, the order is left as it is.
const MOST_WORK: usize = 1 << 22;
/// How many random values are tried in a conjunct,
const SAMPLES: u64 = 128;
/// and how large it may be for that.
const MOST_NODES: usize = 2_000;

/// New numbers of choices, by the number they had.
pub(super) type Numbers = Vec<ChoiceId>;

/// Puts the choices into a better order, if there is a much better one. Whoever reads them must be [`renumber`]ed.
pub(super) fn arrange(open: &mut Open, system: &System) -> Option<Numbers> {
    if system.most_valuations(&open.choices, &open.guard) <= FEW_WAYS {
        return None;
    }
    let order = better_order(open, system)?;
    let mut numbers = vec![ChoiceId::new(0); order.len()];
    for (number, &old) in order.iter().enumerate() {
        numbers[old] = ChoiceId::new(number);
    }
    open.choices = order.iter().map(|&old| open.choices[ChoiceId::new(old)].clone()).collect();
    open.guard.iter_mut().for_each(|conjunct| renumber(conjunct, &numbers));
    Some(numbers)
}

/// Reads the choices by their new numbers.
pub(super) fn renumber(expr: &mut Expr, numbers: &Numbers) {
    if let Expr::Choice(choice) = expr {
        *choice = numbers[choice.index()];
    }
    expr.for_each_part_mut(|part| renumber(part, numbers));
}

/// The same for what an update writes.
pub(super) fn renumber_update(update: &mut Update, numbers: &Numbers) {
    if let Update::Set(_, value) = update {
        renumber(value, numbers);
    }
}

/// A conjunct of a guard.
struct Conjunct {
    /// The choices that it reads.
    reads: BTreeSet<usize>,
    /// A choice that equals something which does not read it; in two ways if it equals another choice.
    equals: Vec<usize>,
    /// The share of the combinations that it leaves.
    share: f64,
}

impl Conjunct {
    fn of(expr: &Expr, ranges: &[Interval], system: &System) -> Self {
        let reads: BTreeSet<usize> = expr.choices().into_iter().map(Id::index).collect();
        let share = share_of(expr, &reads, ranges, system);
        let mut equals = Vec::new();
        if let Expr::Binary(BinaryOp::Eq, left, right) = expr {
            for (one, other) in [(left, right), (right, left)] {
                if let Expr::Choice(choice) = **one
                    && !other.choices().contains(&choice)
                {
                    equals.push(choice.index());
                }
            }
        }
        Self { reads, equals, share }
    }
}

/// Choices with the numbers of their values, and what must hold of them.
struct Plan {
    values: Vec<f64>,
    conjuncts: Vec<Conjunct>,
    /// By choice, the conjuncts that read it.
    readers: Vec<Vec<usize>>,
}

/// The numbers of the choices in a much better order.
fn better_order(open: &Open, system: &System) -> Option<Vec<usize>> {
    let ranges: Vec<Interval> = open.choices.iter().map(|choice| system.range(choice.ty)).collect();
    let values: Vec<f64> = ranges.iter().map(|range| range.count() as f64).collect();
    let mut exprs: Vec<&Expr> = open.guard.iter().collect();
    let mut parts = Vec::new();
    while let Some(expr) = exprs.pop() {
        match expr {
            Expr::Binary(BinaryOp::And, left, right) => exprs.extend([&**left, &**right]),
            _ => parts.push(expr),
        }
    }
    if values.len() < 2 || values.len().saturating_mul(parts.len()) > MOST_WORK {
        return None;
    }
    let conjuncts: Vec<Conjunct> = parts.into_iter().rev().map(|expr| Conjunct::of(expr, &ranges, system)).collect();
    let mut readers = vec![Vec::new(); values.len()];
    for (number, conjunct) in conjuncts.iter().enumerate() {
        conjunct.reads.iter().for_each(|choice| readers[*choice].push(number));
    }
    let plan = Plan { values, conjuncts, readers };
    let given: Vec<usize> = (0..plan.values.len()).collect();
    let tries = plan.tries(&given);
    let order = plan.sorted();
    (plan.tries(&order) * WORTH <= tries).then_some(order)
}

impl Plan {
    /// About how many values are tried if the choices are settled in this order. An equation leaves one value of a choice, any other
    /// conjunct its share of the combinations, whatever others leave.
    fn tries(&self, order: &[usize]) -> f64 {
        let mut position = vec![0; order.len()];
        order.iter().enumerate().for_each(|(at, &choice)| position[choice] = at);
        let (mut ways, mut tries) = (1.0, 0.0);
        for (at, &choice) in order.iter().enumerate() {
            let completed = self.readers[choice].iter().map(|&number| &self.conjuncts[number]);
            let completed = completed.filter(|conjunct| conjunct.reads.iter().all(|read| position[*read] <= at));
            let (mut is_bound, mut share) = (false, 1.0);
            for conjunct in completed {
                match conjunct.equals.contains(&choice) && !is_bound {
                    true => is_bound = true,
                    false => share *= conjunct.share,
                }
            }
            ways *= if is_bound { 1.0 } else { self.values[choice] };
            tries += ways;
            ways = f64::max(ways * share, 1.0);
        }
        tries
    }

    fn sorted(&self) -> Vec<usize> {
        let count = self.values.len();
        let free = self.free_choices();
        // What is left to be settled so that a conjunct can be tested.
        let mut left: Vec<BTreeSet<usize>> = (self.conjuncts.iter())
            .map(|conjunct| conjunct.reads.iter().flat_map(|choice| free[*choice].iter().copied()).collect())
            .collect();
        let mut waiting: BTreeSet<usize> =
            (0..self.conjuncts.len()).filter(|number| !left[*number].is_empty()).collect();
        let mut order = Order { plan: self, order: Vec::with_capacity(count), is_settled: vec![false; count] };
        order.settle_bound(0..self.conjuncts.len());
        loop {
            safe_point();
            let growths = waiting.iter().map(|&number| (number, self.growth(&left[number], &left)));
            let Some((next, _)) = growths.min_by(|(_, one), (_, other)| one.total_cmp(other)) else { break };
            // What the conjunct may bind comes last.
            let may_be_bound = |choice: &usize| self.conjuncts[next].equals.contains(choice);
            let (last, first): (Vec<usize>, Vec<usize>) = left[next].iter().copied().partition(may_be_bound);
            first.into_iter().chain(last).for_each(|choice| order.settle(choice));
            waiting.retain(|number| {
                left[*number].retain(|choice| !order.is_settled[*choice]);
                !left[*number].is_empty()
            });
        }
        (0..count).for_each(|choice| order.settle(choice));
        order.order
    }

    /// How many times more combinations there are, about, once these choices are settled. `left` are for each conjunct the choices that it
    /// waits for.
    fn growth(&self, settled: &BTreeSet<usize>, left: &[BTreeSet<usize>]) -> f64 {
        let ways: f64 = settled.iter().map(|choice| self.values[*choice].log2()).sum();
        let readers: BTreeSet<usize> =
            settled.iter().flat_map(|choice| self.readers[*choice].iter().copied()).collect();
        let completed = readers.into_iter().filter(|number| left[*number].is_subset(settled));
        ways + completed.map(|number| self.conjuncts[number].share.log2()).sum::<f64>()
    }

    /// For each choice those that must be settled first, or itself if no conjunct binds it by earlier ones.
    fn free_choices(&self) -> Vec<BTreeSet<usize>> {
        let mut free: Vec<BTreeSet<usize>> = Vec::new();
        for choice in 0..self.values.len() {
            let mut equations = self.readers[choice].iter().map(|number| &self.conjuncts[*number]);
            let is_binding =
                |conjunct: &&Conjunct| conjunct.equals.contains(&choice) && conjunct.reads.last() == Some(&choice);
            free.push(match equations.find(is_binding) {
                Some(equation) => {
                    let others = equation.reads.iter().filter(|read| **read != choice);
                    others.flat_map(|read| free[*read].iter().copied()).collect()
                }
                None => BTreeSet::from([choice]),
            });
        }
        free
    }
}

/// The share of the combinations of choices under which a conjunct holds, by random ones in random states.
fn share_of(expr: &Expr, reads: &BTreeSet<usize>, ranges: &[Interval], system: &System) -> f64 {
    if reads.is_empty() || size(expr, MOST_NODES) >= MOST_NODES {
        return 0.5;
    }
    let holds = |sample: &u64| Sample { number: *sample, ranges, system }.value(expr) != 0;
    let held = (0..SAMPLES).filter(holds).count() as f64;
    (held + 0.5) / (SAMPLES as f64 + 1.0)
}

/// A value for every choice and every cell.
struct Sample<'s> {
    number: u64,
    ranges: &'s [Interval],
    system: &'s System,
}

impl Sample<'_> {
    fn within(&self, range: Interval, key: u64) -> i64 {
        // The finalizer of SplitMix64: as good as random, and the same in every run.
        let mut bits = (self.number << 32 ^ key).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^= bits >> 31;
        range.lo.wrapping_add((bits % range.count().max(1)) as i64)
    }

    fn cell(&self, place: &Place) -> i64 {
        let Owner::Global(slot) = place.owner else { return 0 };
        let index = place.index.as_ref().map_or(0, |index| self.value(index));
        let key = 1 << 31 ^ (slot.index() as u64) << 8 ^ index as u64 & 0xff;
        self.within(self.system.range(self.system.slots[slot].ty), key)
    }

    fn value(&self, expr: &Expr) -> i64 {
        match expr {
            Expr::Const(value) => *value,
            Expr::Choice(choice) => self.within(self.ranges[choice.index()], choice.index() as u64),
            Expr::Read(place) => self.cell(place),
            Expr::Unary(op, part) => op.apply(self.value(part)),
            Expr::Binary(op, left, right) => op.apply(self.value(left), self.value(right)),
            Expr::Ite(parts) => self.value(if self.value(&parts[0]) != 0 { &parts[1] } else { &parts[2] }),
            Expr::Wrap { bits, signed, value } => wrap(*bits, *signed, self.value(value)),
            Expr::Wide(op, half, parts) => op.half_of(*half, parts.each_ref().map(|part| self.value(part))),
            // SMV has no processes of this kind.
            Expr::Position(_) | Expr::PoolCount | Expr::Lives(..) | Expr::Exists(..) => 0,
        }
    }
}

/// An order that is being made.
struct Order<'p> {
    plan: &'p Plan,
    order: Vec<usize>,
    is_settled: Vec<bool>,
}

impl Order<'_> {
    /// Settles a choice, if it is not settled yet, and all that then are bound.
    fn settle(&mut self, choice: usize) {
        if !self.is_settled[choice] {
            self.push(choice);
            self.settle_bound(self.plan.readers[choice].iter().copied());
        }
    }

    fn push(&mut self, choice: usize) {
        self.is_settled[choice] = true;
        self.order.push(choice);
    }

    /// Settles what these conjuncts bind, and what is bound then.
    fn settle_bound(&mut self, conjuncts: impl IntoIterator<Item = usize>) {
        let mut waiting: Vec<usize> = conjuncts.into_iter().collect();
        waiting.reverse();
        while let Some(number) = waiting.pop() {
            let conjunct = &self.plan.conjuncts[number];
            let mut open = conjunct.reads.iter().copied().filter(|choice| !self.is_settled[*choice]);
            if let (Some(only), None) = (open.next(), open.next())
                && conjunct.equals.contains(&only)
            {
                self.push(only);
                waiting.extend(self.plan.readers[only].iter().copied());
            }
        }
    }
}
