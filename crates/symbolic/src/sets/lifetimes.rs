//! A better order of variables by moving one at a time.
//!
//! At each place of the order, the diagrams must remember the variables above it that are read together with one below it. A
//! variable's lifetime is the way down to the last variable that it is read with; the sum of all lifetimes is what is made
//! small here. Each variable is tried at every place and put at the best one, as sifting does with diagrams, but no diagram
//! is made, and a swap of two neighbours costs only a look at those they are read with.

use lariat_base::safe_point;

/// The most rounds in which each vertex is moved once.
const ROUNDS: usize = 4;
/// The most looks at neighbours.
const MOST_LOOKS: usize = 20_000_000;

/// The order, improved, and its cost. `neighbours` are by vertex those it is read with, without itself and without repetition.
pub(super) fn improved(order: Vec<usize>, neighbours: &[Vec<usize>]) -> (Vec<usize>, usize) {
    let mut line = Line::new(order, neighbours);
    let least = least_cost(neighbours);
    for _ in 0..ROUNDS {
        let before = line.cost;
        let mut vertices: Vec<usize> = line.order.clone();
        vertices.sort_by_key(|&vertex| std::cmp::Reverse(line.lifetime(vertex)));
        for vertex in vertices {
            if line.looks > MOST_LOOKS || line.cost == least {
                return (line.order, line.cost);
            }
            line.sift(vertex);
        }
        if line.cost == before {
            break;
        }
    }
    (line.order, line.cost)
}

/// No order costs less: of vertices that hang together, all but the lowest have one below them.
fn least_cost(neighbours: &[Vec<usize>]) -> usize {
    let mut seen = vec![false; neighbours.len()];
    let mut least = 0;
    for start in 0..neighbours.len() {
        let mut waiting = vec![start];
        let mut together = 0;
        while let Some(vertex) = waiting.pop() {
            if !std::mem::replace(&mut seen[vertex], true) {
                together += 1;
                waiting.extend(neighbours[vertex].iter().copied().filter(|&other| !seen[other]));
            }
        }
        least += usize::saturating_sub(together, 1);
    }
    least
}

/// An order and its cost.
struct Line<'a> {
    order: Vec<usize>,
    /// By vertex, where it stands.
    place: Vec<usize>,
    neighbours: &'a [Vec<usize>],
    /// Whether two vertices are neighbours.
    joined: Vec<bool>,
    /// By vertex, the place of the last of its neighbours; 0 if it has none.
    last: Vec<usize>,
    cost: usize,
    looks: usize,
}

impl<'a> Line<'a> {
    fn new(order: Vec<usize>, neighbours: &'a [Vec<usize>]) -> Self {
        let count = order.len();
        let mut place = vec![0; count];
        order.iter().enumerate().for_each(|(at, &vertex)| place[vertex] = at);
        let mut joined = vec![false; count * count];
        for (vertex, others) in neighbours.iter().enumerate() {
            others.iter().for_each(|other| joined[vertex * count + other] = true);
        }
        let last =
            neighbours.iter().map(|others| others.iter().map(|&other| place[other]).max().unwrap_or(0)).collect();
        let mut line = Self { order, place, neighbours, joined, last, cost: 0, looks: 0 };
        line.cost = (0..count).map(|vertex| line.lifetime(vertex)).sum();
        line
    }

    fn lifetime(&self, vertex: usize) -> usize {
        self.last[vertex].saturating_sub(self.place[vertex])
    }

    /// Moves a vertex to its best place.
    fn sift(&mut self, vertex: usize) {
        let start = self.place[vertex];
        let (mut best, mut best_at) = (self.cost, start);
        while self.place[vertex] + 1 < self.order.len() {
            self.swap(self.place[vertex]);
            if self.cost < best {
                (best, best_at) = (self.cost, self.place[vertex]);
            }
        }
        while self.place[vertex] > 0 {
            self.swap(self.place[vertex] - 1);
            if self.cost < best {
                (best, best_at) = (self.cost, self.place[vertex]);
            }
        }
        while self.place[vertex] < best_at {
            self.swap(self.place[vertex]);
        }
    }

    /// Swaps the vertices at this place and the next.
    fn swap(&mut self, at: usize) {
        safe_point();
        let (upper, lower) = (self.order[at], self.order[at + 1]);
        let neighbours = self.neighbours;
        self.cost -= self.lifetime(upper) + self.lifetime(lower);
        // Whoever had the upper one as the last neighbour has it one place further down.
        for &other in neighbours[upper].iter().filter(|&&other| other != lower) {
            if self.last[other] == at {
                self.set_last(other, at + 1);
            }
        }
        // Whoever had the lower one has it one place further up, unless the upper one is there now.
        for &other in neighbours[lower].iter().filter(|&&other| other != upper) {
            if self.last[other] == at + 1 && !self.joined[other * self.order.len() + upper] {
                self.set_last(other, at);
            }
        }
        if self.joined[upper * self.order.len() + lower] {
            if self.last[upper] == at + 1 {
                self.last[upper] = at;
            }
            if self.last[lower] == at {
                self.last[lower] = at + 1;
            }
        }
        self.order.swap(at, at + 1);
        (self.place[upper], self.place[lower]) = (at + 1, at);
        self.cost += self.lifetime(upper) + self.lifetime(lower);
        self.looks += neighbours[upper].len() + neighbours[lower].len() + 1;
    }

    fn set_last(&mut self, vertex: usize, last: usize) {
        self.cost -= self.lifetime(vertex);
        self.last[vertex] = last;
        self.cost += self.lifetime(vertex);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joined(count: usize, pairs: &[(usize, usize)]) -> Vec<Vec<usize>> {
        let mut neighbours = vec![Vec::new(); count];
        for &(a, b) in pairs {
            neighbours[a].push(b);
            neighbours[b].push(a);
        }
        neighbours
    }

    #[test]
    fn bits_stand_beside_their_copies() {
        let neighbours = joined(8, &[(0, 4), (1, 5), (2, 6), (3, 7)]);
        let line = Line::new(improved((0..8).collect(), &neighbours).0, &neighbours);
        assert_eq!((line.cost, least_cost(&neighbours)), (4, 4), "{:?}", line.order);
    }

    #[test]
    fn the_cost_is_kept_up_to_date() {
        let neighbours = joined(7, &[(0, 4), (1, 4), (2, 6), (3, 6), (4, 5), (0, 6), (2, 3)]);
        let mut line = Line::new((0..7).rev().collect(), &neighbours);
        for at in [0, 3, 5, 2, 2, 4, 1, 0, 5, 3, 3, 1] {
            line.swap(at);
            let anew = Line::new(line.order.clone(), &neighbours);
            assert_eq!((line.cost, &line.last), (anew.cost, &anew.last), "{:?}", line.order);
        }
    }
}
