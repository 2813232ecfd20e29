//! Functions as sums of products: irredundant covers (Minato, SASIMI 1992; Morreale 1970) for printing and for claims,
//! and the prime implicants of monotone functions for the translation.

use super::{Guard, Guards, Variable};
use crate::hash::FastMap;

/// A variable and the value it must have.
pub type Literal = (Variable, bool);
/// A product of literals, ascending by variable. The empty product is true.
pub type Cube = Vec<Literal>;

impl Guards {
    /// A sum of products equal to `guard`, none of which can be left out.
    pub fn cover(&mut self, guard: Guard) -> Vec<Cube> {
        self.cover_within(guard, usize::MAX).unwrap_or_default()
    }
    /// The same, if it has at most `limit` products.
    pub(crate) fn cover_within(&mut self, guard: Guard, limit: usize) -> Option<Vec<Cube>> {
        let (mut cubes, function) = self.cover_between(guard, guard, limit)?;
        debug_assert!(self.overflowed() || function == guard, "a cover is the function");
        cubes.iter_mut().for_each(|cube| cube.reverse());
        Some(cubes)
    }

    /// All prime implicants of a function that no variable can make false by becoming true: sets of variables.
    /// Nothing if there are more than `limit`.
    pub(crate) fn monotone_primes(&self, guard: Guard, limit: usize) -> Option<Vec<Vec<Variable>>> {
        let mut known = FastMap::default();
        let mut primes = self.primes_from(guard, limit, &mut known)?;
        primes.iter_mut().for_each(|prime| prime.reverse());
        Some(primes)
    }

    fn primes_from(
        &self,
        guard: Guard,
        limit: usize,
        known: &mut FastMap<Guard, Vec<Vec<Variable>>>,
    ) -> Option<Vec<Vec<Variable>>> {
        let Some((variable, low, high)) = self.branch(guard) else {
            return Some(if guard == Guard::TRUE { vec![Vec::new()] } else { Vec::new() });
        };
        if let Some(primes) = known.get(&guard) {
            return Some(primes.clone());
        }
        let mut primes = self.primes_from(low, limit, known)?;
        for mut prime in self.primes_from(high, limit, known)? {
            if !self.holds(low, |variable| prime.contains(&variable)) {
                prime.push(variable);
                primes.push(prime);
            }
        }
        if primes.len() > limit {
            return None;
        }
        known.insert(guard, primes.clone());
        Some(primes)
    }

    /// Products, largest variable first, whose sum lies between `least` and `most`; and that sum.
    fn cover_between(&mut self, least: Guard, most: Guard, limit: usize) -> Option<(Vec<Cube>, Guard)> {
        if least == Guard::FALSE || self.overflowed() {
            return Some((Vec::new(), Guard::FALSE));
        }
        if most == Guard::TRUE {
            return Some((vec![Vec::new()], Guard::TRUE));
        }
        let top = |guard: Guard, guards: &Guards| guards.branch(guard).map_or(Variable::MAX, |(top, _, _)| top);
        let variable = top(least, self).min(top(most, self));
        let [least_low, most_low] = [least, most].map(|guard| self.cofactor(guard, variable, false));
        let [least_high, most_high] = [least, most].map(|guard| self.cofactor(guard, variable, true));

        let only_low = self.minus(least_low, most_high);
        let (low_cubes, low) = self.cover_between(only_low, most_low, limit)?;
        let only_high = self.minus(least_high, most_low);
        let (high_cubes, high) = self.cover_between(only_high, most_high, limit)?;
        let (rest_low, rest_high) = (self.minus(least_low, low), self.minus(least_high, high));
        let rest = self.or(rest_low, rest_high);
        let either = self.and(most_low, most_high);
        let (mut cubes, both) = self.cover_between(rest, either, limit)?;

        let (low, high) = (self.or(low, both), self.or(high, both));
        let sum = self.node(variable, low, high);
        for (part, value) in [(low_cubes, false), (high_cubes, true)] {
            cubes.extend(part.into_iter().map(|mut cube| {
                cube.push((variable, value));
                cube
            }));
        }
        (cubes.len() <= limit).then_some((cubes, sum))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cover_of_an_exclusive_or_has_its_two_products() {
        let mut guards = Guards::default();
        let (a, b) = (guards.variable(0), guards.variable(1));
        let not_b = guards.not(b);
        let xor = guards.ite(a, not_b, b);
        let mut cover = guards.cover(xor);
        cover.sort();
        assert_eq!(cover, [vec![(0, false), (1, true)], vec![(0, true), (1, false)]]);
        assert_eq!(guards.cover(Guard::TRUE), [vec![]]);
        assert!(guards.cover(Guard::FALSE).is_empty());
    }

    #[test]
    fn primes_of_two_out_of_three() {
        let mut guards = Guards::default();
        let [a, b, c] = [0, 1, 2].map(|variable| guards.variable(variable));
        let (or, and) = (guards.or(b, c), guards.and(b, c));
        let majority = guards.ite(a, or, and);
        let mut primes = guards.monotone_primes(majority, 10).unwrap();
        primes.sort();
        assert_eq!(primes, [vec![0, 1], vec![0, 2], vec![1, 2]]);
        assert_eq!(guards.monotone_primes(majority, 2), None);
    }
}
