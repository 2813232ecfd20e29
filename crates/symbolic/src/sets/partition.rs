//! Conjunctions that are never made as a whole: conjoined one part after the other, each variable quantified as soon as no
//! later part speaks of it (Burch, Clarke, Long, VLSI 1991).
//!
//! The order of parts is greedy, in the manner of Ranjan and others (IWLS 1995): next comes the part after which most
//! variables can go, and which brings in fewest new ones. Neighbours are joined while the result stays small.

use crate::{BitFunctions, Variable};
use std::cmp::Ordering;
use std::collections::{BTreeSet, BinaryHeap, HashMap};

/// Parts are joined up to this size.
const CLUSTER_SIZE: usize = 1500;

/// Parts of this size altogether are not joined any more.
const MOST_JOINED: usize = 50_000;

/// So many parts are joined by pairs first.
const MANY_PARTS: usize = 400;

/// A conjunction with the variables that are quantified in it.
pub(super) struct Partition<A: BitFunctions> {
    /// The parts, each with what is quantified once it is conjoined.
    parts: Vec<(A::Bit, A::Variables)>,
}

impl<A: BitFunctions> Partition<A> {
    /// The conjunction of `conjuncts` in which `quantified` are to be quantified. What it is applied to may speak of any
    /// variable.
    pub(super) fn new(algebra: &A, conjuncts: &[A::Bit], quantified: &[Variable]) -> Result<Self, A::Error> {
        let conjuncts: Vec<&A::Bit> = conjuncts.iter().filter(|part| algebra.known(part) != Some(true)).collect();
        let supports: Vec<BTreeSet<Variable>> =
            conjuncts.iter().map(|part| algebra.support(part).into_iter().collect()).collect();
        let order = arranged(&supports, &quantified.iter().copied().collect());
        let mut clusters: Vec<A::Bit> = Vec::new();
        let mut last_size = 0;
        let ordered: Vec<A::Bit> = order.into_iter().map(|place| conjuncts[place].clone()).collect();
        let ordered = if ordered.len() > MANY_PARTS { joined_by_pairs(algebra, ordered)? } else { ordered };
        for part in &ordered {
            let size = algebra.size(part);
            if let Some(last) = clusters.last_mut()
                && last_size + size <= CLUSTER_SIZE
            {
                let joined = algebra.and(last, part)?;
                let joined_size = algebra.size(&joined);
                if joined_size <= CLUSTER_SIZE {
                    (*last, last_size) = (joined, joined_size);
                    continue;
                }
            }
            clusters.push(part.clone());
            last_size = size;
        }
        if clusters.is_empty() {
            clusters.push(algebra.constant(true));
        }
        // A variable goes with the last part that speaks of it; one that none speaks of, at once.
        let mut last_use: HashMap<Variable, usize> = quantified.iter().map(|&variable| (variable, 0)).collect();
        for (place, cluster) in clusters.iter().enumerate() {
            for variable in algebra.support(cluster) {
                last_use.entry(variable).and_modify(|last| *last = place);
            }
        }
        let parts = clusters.into_iter().enumerate().map(|(place, cluster)| {
            let mut going: Vec<Variable> =
                last_use.iter().filter(|(_, last)| **last == place).map(|(variable, _)| *variable).collect();
            going.sort_unstable();
            Ok((cluster, algebra.variables(&going)?))
        });
        Ok(Self { parts: parts.collect::<Result<_, A::Error>>()? })
    }

    /// The conjunction, quantified, if that is hardly larger than its parts are together.
    pub(super) fn small(&self, algebra: &A) -> Result<Option<A::Bit>, A::Error> {
        let mut most = CLUSTER_SIZE;
        let mut joined = algebra.constant(true);
        for (place, (part, going)) in self.parts.iter().enumerate() {
            if place > 0 {
                most += algebra.size(part) + algebra.size(part) / 4;
            }
            joined = algebra.and_exists(going, &joined, part)?;
            if algebra.size(&joined) > most.min(MOST_JOINED) {
                return Ok(None);
            }
        }
        Ok(Some(joined))
    }

    /// `start` and the conjunction, quantified.
    pub(super) fn apply(&self, algebra: &A, start: &A::Bit) -> Result<A::Bit, A::Error> {
        let mut result = start.clone();
        for (part, going) in &self.parts {
            if algebra.known(&result) == Some(false) {
                break;
            }
            result = algebra.and_exists(going, &result, part)?;
        }
        Ok(result)
    }
}

/// Fewer parts with the same conjunction, neighbours joined: two at a time while the result stays small. A part that is joined to a
/// large one makes that anew, so one after the other would take time with the square of their number.
fn joined_by_pairs<A: BitFunctions>(algebra: &A, mut parts: Vec<A::Bit>) -> Result<Vec<A::Bit>, A::Error> {
    loop {
        let mut fewer: Vec<A::Bit> = Vec::new();
        for pair in parts.chunks(2) {
            if let [one, other] = pair
                && algebra.size(one) + algebra.size(other) <= CLUSTER_SIZE / 4
            {
                fewer.push(algebra.and(one, other)?);
            } else {
                fewer.extend_from_slice(pair);
            }
        }
        if fewer.len() == parts.len() {
            return Ok(parts);
        }
        parts = fewer;
    }
}

/// A good order for parts with these supports.
fn arranged(supports: &[BTreeSet<Variable>], quantified: &BTreeSet<Variable>) -> Vec<usize> {
    let mut users: HashMap<Variable, usize> = HashMap::new();
    for variable in supports.iter().flatten().filter(|variable| quantified.contains(variable)) {
        *users.entry(*variable).or_insert(0) += 1;
    }
    let mut parts_with: HashMap<Variable, Vec<usize>> = HashMap::new();
    for (part, support) in supports.iter().enumerate() {
        support.iter().for_each(|variable| parts_with.entry(*variable).or_default().push(part));
    }
    let mut seen: BTreeSet<Variable> = BTreeSet::new();
    // Much goes, little comes; smaller parts first.
    let gain = |part: usize, users: &HashMap<Variable, usize>, seen: &BTreeSet<Variable>| {
        let of = &supports[part];
        let going = of.iter().filter(|variable| users.get(variable) == Some(&1)).count();
        let new = of.iter().filter(|variable| !quantified.contains(variable) && !seen.contains(variable)).count();
        let total = of.iter().filter(|variable| quantified.contains(variable)).count().max(1);
        2.0 * going as f64 / total as f64 - new as f64 / (of.len().max(1)) as f64 - of.len() as f64 * 1e-6
    };
    let mut gains: Vec<f64> = (0..supports.len()).map(|part| gain(part, &users, &seen)).collect();
    // The best on top, of equals the first; those whose gain has changed since are there twice.
    let mut waiting: BinaryHeap<Waiting> =
        gains.iter().enumerate().map(|(part, &gain)| Waiting { gain, part }).collect();
    let mut is_placed = vec![false; supports.len()];
    let mut order = Vec::new();
    while let Some(Waiting { gain: known, part }) = waiting.pop() {
        if is_placed[part] || known != gains[part] {
            continue;
        }
        is_placed[part] = true;
        order.push(part);
        for variable in &supports[part] {
            let one_less = users.get_mut(variable).is_some_and(|count| {
                *count -= 1;
                *count == 1
            });
            // Only these can be worth more, or less, than before.
            if seen.insert(*variable) || one_less {
                for &other in parts_with[variable].iter().filter(|&&other| !is_placed[other]) {
                    let now = gain(other, &users, &seen);
                    if now != gains[other] {
                        gains[other] = now;
                        waiting.push(Waiting { gain: now, part: other });
                    }
                }
            }
        }
    }
    order
}

/// A part that has no place yet.
#[derive(PartialEq)]
struct Waiting {
    gain: f64,
    part: usize,
}

impl Eq for Waiting {}

impl Ord for Waiting {
    fn cmp(&self, other: &Self) -> Ordering {
        self.gain.total_cmp(&other.gain).then(other.part.cmp(&self.part))
    }
}

impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
