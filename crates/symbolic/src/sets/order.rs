//! The order of variables to begin with.
//!
//! FORCE (Aloul, Markov, Sakallah, GLSVLSI 2003): what functions read together shall stand together. Vertices are the bits of
//! states and choices; an edge is what one conjunct of a guard, or one bit that is written, depends on. Bits and not whole
//! numbers, since where a number is copied each bit must stand beside its copy: otherwise the diagram of "they are equal" is
//! exponential in their number. Each round puts every vertex at the mean of the centres of its edges. The order of least
//! total span is kept, and then improved by moving single vertices (`lifetimes.rs`). Vertices that nearly all edges have stand on top and
//! are left out of all that.

use super::lifetimes::improved;
use crate::supports::{Support, Supports};
use crate::{Binding, Encoder, Variable};
use lariat_base::{Id, IdVec, safe_point};
use lariat_system::{Choice, ChoiceId, Field, Layout, System};
use std::collections::{BTreeSet, HashMap, HashSet};

/// The rounds of FORCE.
const ROUNDS: usize = 60;
/// Conjuncts with more vertices do not say which pairs belong together.
const SMALL_EDGE: usize = 6;
/// The most vertices among which single ones are moved: what that takes grows with the square of their number.
const MOST_IMPROVED: usize = 4000;
/// A vertex stands on top if it is in more than so many of a hundred edges.
const HUB_PERCENT: usize = 80;
/// With fewer edges it means little that one vertex is in most of them.
const LEAST_EDGES: usize = 12;
/// How often a system is read to find the bits that never change.
const MOST_READINGS: usize = 4;
/// The most edges that are looked at.
const MOST_EDGES: usize = 200_000;

/// Which variable is what.
#[derive(Clone, Debug, Default)]
pub(super) struct Numbering {
    /// By bit of the state: the variable of its value now, and that of its value afterwards. `None` for a bit that no state
    /// uses.
    pub(super) bits: Vec<Option<(Variable, Variable)>>,
    /// By bit of the state: its value if that never changes; it has no variable then.
    pub(super) constants: Constants,
    /// By action, the variables of the bits of its choices, one choice after the other.
    pub(super) choices: Vec<Vec<Variable>>,
    /// The same of the choices of initial states.
    pub(super) initial: Vec<Variable>,
    /// Variables that stay together, topmost first; their numbers ascend.
    pub(super) groups: Vec<Vec<Variable>>,
}

/// What has a place in the order, bit by bit.
enum Atom {
    Bit(usize),
    Choice { action: usize, bit: usize },
    Initial { bit: usize },
}

/// The same for each bit: what it is in all states, if no action writes it and it is the same in all initial states.
type Constants = Vec<Option<bool>>;

/// The numbering for `system`, whose actions can have these bindings. The bits of `wanted` stand on top, in this order.
pub(super) fn numbering(system: &System, layout: &Layout, bindings: &[Binding], wanted: &[usize]) -> Numbering {
    let encoder = Encoder::of_layout(system, layout.clone(), Supports);
    let mut graph = Graph::of(&encoder, bindings, layout);
    let mut best = graph.best_order();
    let rank: HashMap<usize, usize> = wanted.iter().enumerate().map(|(rank, &bit)| (bit, rank)).collect();
    best.sort_by_key(|&vertex| match graph.vertices[vertex] {
        Atom::Bit(bit) => rank.get(&bit).copied().unwrap_or(usize::MAX),
        Atom::Choice { .. } | Atom::Initial { .. } => usize::MAX,
    });
    let order = graph.expanded(best);
    let constants = graph.constants.clone();
    let mut numbering = Numbering {
        bits: vec![None; layout.words * 64],
        constants,
        choices: system.actions.iter().map(|action| vec![0; choice_bits(&encoder, &action.choices)]).collect(),
        initial: vec![0; choice_bits(&encoder, &system.init.choices)],
        groups: Vec::new(),
    };
    let mut next = 0;
    for vertex in order {
        match graph.vertices[vertex] {
            Atom::Bit(bit) => {
                numbering.bits[bit] = Some((next, next + 1));
                numbering.groups.push(vec![next, next + 1]);
                next += 2;
            }
            Atom::Choice { action, bit } => {
                numbering.choices[action][bit] = next;
                numbering.groups.push(vec![next]);
                next += 1;
            }
            Atom::Initial { bit } => {
                numbering.initial[bit] = next;
                numbering.groups.push(vec![next]);
                next += 1;
            }
        }
    }
    numbering
}

fn choice_bits(encoder: &Encoder<'_, Supports>, choices: &IdVec<ChoiceId, Choice>) -> usize {
    choices.iter().map(|choice| encoder.choice_bits(choice.ty)).sum()
}

/// Vertices, and what belongs together.
struct Graph {
    vertices: Vec<Atom>,
    /// By bit of the state, its vertex.
    vertex_of_bit: Vec<Option<usize>>,
    /// By action, the vertex of each bit of its choices; then those of initial states.
    vertex_of_choice: Vec<Vec<usize>>,
    /// By number of a variable in supports, its vertex.
    vertex_of: Vec<usize>,
    /// Sets of vertices, with how often each was met.
    edges: HashMap<Vec<usize>, u32>,
    /// The edges that are what a written bit depends on.
    written: HashSet<Vec<usize>>,
    /// By choice, the bit that it is joined to, with the number of vertices of the edge that says so.
    hosts: HashMap<usize, (usize, usize)>,
    /// By vertex of a bit, which bit of its number it is, the lowest is 0. These vertices come before all others.
    significance: Vec<usize>,
    /// By vertex of a bit, a number that tells cells apart.
    number_of: Vec<usize>,
    /// What is known of bits; they are no vertices.
    constants: Constants,
}

impl Graph {
    /// What belongs together in the system. Bits that never change are no vertices: what is read by way of such a bit, as a cell of an
    /// array that it names, is known to be that cell.
    fn of(encoder: &Encoder<'_, Supports>, bindings: &[Binding], layout: &Layout) -> Self {
        let none: Constants = vec![None; layout.words * 64];
        let mut graph = Self::new(encoder, none.clone());
        let mut constants = graph.read(encoder, bindings, true);
        for _ in 0..MOST_READINGS {
            if constants == graph.constants {
                return graph;
            }
            // They are, if no action changes them where they are.
            graph = Self::new(encoder, constants);
            constants = graph.read(encoder, bindings, false);
        }
        if constants != graph.constants {
            graph = Self::new(encoder, none);
            graph.read(encoder, bindings, true);
        }
        graph
    }

    fn new(encoder: &Encoder<'_, Supports>, constants: Constants) -> Self {
        let layout = &encoder.layout;
        let mut graph = Self {
            vertices: Vec::new(),
            vertex_of_bit: vec![None; layout.words * 64],
            vertex_of_choice: Vec::new(),
            vertex_of: Vec::new(),
            edges: HashMap::new(),
            written: HashSet::new(),
            hosts: HashMap::new(),
            significance: Vec::new(),
            number_of: Vec::new(),
            constants,
        };
        let cells = |fields: &[Field], base: usize| -> Vec<Vec<usize>> {
            let cell = |field: &Field, number| {
                let first = base + field.bit_of(number);
                (first..first + usize::from(field.bits)).collect()
            };
            fields.iter().flat_map(|field| (0..field.cells as usize).map(move |number| cell(field, number))).collect()
        };
        for cell in cells(layout.slots.as_slice(), 0) {
            graph.enter(&cell);
        }
        for position in 0..layout.positions {
            let region = layout.region(position);
            graph.enter(&(region..region + usize::from(layout.kind_bits)).collect::<Vec<_>>());
            for fields in layout.frames.iter() {
                cells(fields.as_slice(), region).iter().for_each(|cell| graph.enter(cell));
            }
        }
        graph.vertex_of = graph.vertex_of_bit.iter().map(|vertex| vertex.unwrap_or(0)).collect();
        let actions = encoder.system.actions.iter().map(|action| &action.choices);
        for (number, choices) in actions.chain([&encoder.system.init.choices]).enumerate() {
            let mut own = Vec::new();
            for choice in choices.iter() {
                let bits = encoder.choice_bits(choice.ty);
                let atom = |bit: usize| match number == encoder.system.actions.len() {
                    true => Atom::Initial { bit },
                    false => Atom::Choice { action: number, bit },
                };
                for bit in own.len()..own.len() + bits {
                    own.push(graph.vertices.len());
                    graph.vertices.push(atom(bit));
                }
            }
            graph.vertex_of_choice.push(own);
        }
        graph
    }

    /// Makes vertices of those bits that are none yet: the slots of different frames lie over each other.
    fn enter(&mut self, bits: &[usize]) {
        // The highest bit on top: numbers are compared from there.
        for (significance, &bit) in bits.iter().enumerate().rev() {
            if self.vertex_of_bit[bit].is_none() && self.constants[bit].is_none() {
                self.significance.push(significance);
                self.number_of.push(bits[0]);
                self.vertex_of_bit[bit] = Some(self.vertices.len());
                self.vertices.push(Atom::Bit(bit));
            }
        }
    }

    /// Reads what depends on what. Gives those bits that were taken for constant and no action changes; `at_first`, those that may
    /// turn out to be.
    fn read(&mut self, encoder: &Encoder<'_, Supports>, bindings: &[Binding], at_first: bool) -> Constants {
        let state: Vec<Support> = (0..self.vertex_of_bit.len())
            .map(|bit| match self.vertex_of_bit[bit] {
                Some(_) => Support::variable(bit),
                None => Support::Known(self.constants[bit] == Some(true)),
            })
            .collect();
        let state_bits = state.len();
        let mut constants = self.constants.clone();
        let mut is_written = vec![false; state_bits];
        for binding in bindings {
            if self.edges.len() > MOST_EDGES {
                return vec![None; state.len()];
            }
            let action = &encoder.system.actions[binding.action];
            let own = self.vertex_of_choice[binding.action.index()].clone();
            self.vertex_of.truncate(state_bits);
            self.vertex_of.extend(own);
            let choices = choices_from(encoder, &action.choices, state_bits);
            let Ok(conjuncts) = encoder.guard_conjuncts(&state, binding, &choices);
            for conjunct in conjuncts {
                self.connect(conjunct.variables());
            }
            let Ok(next) = encoder.successor(&state, binding, &choices);
            for (bit, (old, new)) in state.iter().zip(&next).enumerate() {
                if old != new {
                    is_written[bit] = true;
                    constants[bit] = None;
                    self.write(bit, new);
                }
            }
        }
        self.vertex_of.truncate(state_bits);
        self.vertex_of.extend(self.vertex_of_choice[encoder.system.actions.len()].clone());
        let choices = choices_from(encoder, &encoder.system.init.choices, state_bits);
        let Ok(initial) = encoder.initial_state(&choices);
        for (bit, value) in initial.iter().enumerate() {
            if self.vertex_of_bit[bit].is_none() {
                continue;
            }
            self.write(bit, value);
            if let (Support::Known(value), false, true) = (value, is_written[bit], at_first) {
                constants[bit] = Some(*value);
            }
        }
        self.join_choices();
        constants
    }

    /// Adds the edge of a bit and what its value afterwards depends on.
    fn write(&mut self, bit: usize, value: &Support) {
        let Some(edge) = self.connect([vec![bit], value.variables()].concat()) else { return };
        let own = self.vertex_of[bit];
        for &choice in edge.iter().filter(|&&vertex| !matches!(self.vertices[vertex], Atom::Bit(_))) {
            let size = edge.len();
            self.hosts.entry(choice).and_modify(|host| *host = (*host).min((size, own))).or_insert((size, own));
        }
        self.written.insert(edge);
    }

    /// Makes one vertex of a bit and the choices that are only there for its value: they have one place in the order.
    fn join_choices(&mut self) {
        let joined = |edge: &Vec<usize>| {
            let host = |vertex: &usize| self.hosts.get(vertex).map_or(*vertex, |(_, host)| *host);
            let mut vertices: Vec<usize> = edge.iter().map(host).collect();
            vertices.sort_unstable();
            vertices.dedup();
            vertices
        };
        let mut edges: HashMap<Vec<usize>, u32> = HashMap::new();
        for (edge, count) in &self.edges {
            let edge = joined(edge);
            if edge.len() > 1 {
                *edges.entry(edge).or_insert(0) += count;
            }
        }
        self.written = self.written.iter().map(joined).collect();
        self.edges = edges;
    }

    /// The vertices that stand by themselves, each with those joined to it before it.
    fn expanded(&self, order: Vec<usize>) -> Vec<usize> {
        let mut guests: HashMap<usize, Vec<usize>> = HashMap::new();
        self.hosts.iter().for_each(|(choice, (_, host))| guests.entry(*host).or_default().push(*choice));
        guests.values_mut().for_each(|choices| choices.sort_unstable());
        let alone = order.into_iter().filter(|vertex| !self.hosts.contains_key(vertex));
        alone
            .flat_map(|vertex| guests.remove(&vertex).into_iter().flatten().chain([vertex]).collect::<Vec<_>>())
            .collect()
    }

    /// Adds the edge of the vertices of these variables.
    fn connect(&mut self, variables: Vec<usize>) -> Option<Vec<usize>> {
        safe_point();
        let mut vertices: Vec<usize> = variables.into_iter().map(|variable| self.vertex_of[variable]).collect();
        vertices.sort_unstable();
        vertices.dedup();
        (vertices.len() > 1).then(|| {
            *self.edges.entry(vertices.clone()).or_insert(0) += 1;
            vertices
        })
    }

    /// By vertex, those that it has an edge with.
    fn neighbours(&self) -> Vec<Vec<usize>> {
        let mut neighbours = vec![BTreeSet::new(); self.vertices.len()];
        let is_wide = |edge: &Vec<usize>| edge.len() > 2 * SMALL_EDGE && edge.len() * 2 > self.vertices.len();
        let number = |vertex: usize| self.number_of.get(vertex);
        for edge in self.edges.keys().filter(|edge| self.written.contains(*edge) || edge.len() <= SMALL_EDGE) {
            // What depends on nearly everything would make all vertices neighbours of all others. It says that bits of one number are
            // read together.
            let is_wide = is_wide(edge);
            for &vertex in edge {
                let belongs = |other: &usize| !is_wide || number(vertex).is_some() && number(vertex) == number(*other);
                neighbours[vertex].extend(edge.iter().copied().filter(|other| *other != vertex && belongs(other)));
            }
        }
        neighbours.into_iter().map(|others| others.into_iter().collect()).collect()
    }

    /// The best of three orders, all improved: by FORCE, that of the model, and all highest bits before all next ones. The last is
    /// that of data which is copied from one place to the next, a chain for each bit: moving single vertices does not lead there.
    fn best_order(&mut self) -> Vec<usize> {
        let hubs = self.hubs();
        self.leave_out(&hubs);
        let is_hub: HashSet<usize> = hubs.iter().copied().collect();
        let with_hubs = |order: Vec<usize>| {
            let others = order.into_iter().filter(|vertex| !is_hub.contains(vertex));
            hubs.iter().copied().chain(others).collect()
        };
        if self.vertices.len() > MOST_IMPROVED {
            return with_hubs(self.force());
        }
        let neighbours = self.neighbours();
        let stated: Vec<usize> = (0..self.vertices.len()).collect();
        let mut by_significance = stated.clone();
        by_significance.sort_by_key(|&vertex| std::cmp::Reverse(self.significance.get(vertex).copied().unwrap_or(0)));
        let (mut order, mut cost) = improved(self.force(), &neighbours);
        let (other, other_cost) = improved(stated, &neighbours);
        if other_cost < cost {
            (order, cost) = (other, other_cost);
        }
        let (other, other_cost) = improved(by_significance, &neighbours);
        with_hubs(if other_cost * 10 < cost * 12 { other } else { order })
    }

    /// The vertices that nearly all edges have, such as a variable that names who acts: they say nothing about where others belong.
    fn hubs(&self) -> Vec<usize> {
        if self.edges.len() < LEAST_EDGES {
            return Vec::new();
        }
        let mut uses = vec![0; self.vertices.len()];
        self.edges.keys().flatten().for_each(|&vertex| uses[vertex] += 1);
        (0..uses.len()).filter(|&vertex| uses[vertex] * 100 > self.edges.len() * HUB_PERCENT).collect()
    }

    /// Takes vertices out of all edges.
    fn leave_out(&mut self, hubs: &[usize]) {
        if hubs.is_empty() {
            return;
        }
        let shorter = |edge: &Vec<usize>| -> Vec<usize> {
            edge.iter().copied().filter(|vertex| !hubs.contains(vertex)).collect()
        };
        let mut edges: HashMap<Vec<usize>, u32> = HashMap::new();
        for (edge, count) in &self.edges {
            let edge = shorter(edge);
            if edge.len() > 1 {
                *edges.entry(edge).or_insert(0) += count;
            }
        }
        self.edges = edges;
        self.written = self.written.iter().map(shorter).collect();
    }

    /// The vertices in a good order.
    fn force(&self) -> Vec<usize> {
        let mut edges: Vec<(&Vec<usize>, f64)> =
            self.edges.iter().map(|(edge, &count)| (edge, f64::from(count).sqrt())).collect();
        edges.sort_by_key(|(a, _)| *a);
        let mut order: Vec<usize> = (0..self.vertices.len()).collect();
        let mut best = (f64::INFINITY, order.clone());
        let mut degree = vec![0.0; order.len()];
        for (edge, weight) in &edges {
            edge.iter().for_each(|&vertex| degree[vertex] += weight);
        }
        for _ in 0..ROUNDS {
            let mut place = vec![0.0; order.len()];
            order.iter().enumerate().for_each(|(at, &vertex)| place[vertex] = at as f64);
            let (mut sums, mut weights) = (vec![0.0; order.len()], vec![0.0; order.len()]);
            let mut span = 0.0;
            for &(edge, weight) in &edges {
                safe_point();
                let places = edge.iter().map(|&vertex| place[vertex]);
                let (low, high) = places
                    .clone()
                    .fold((f64::INFINITY, 0.0_f64), |(low, high), place| (low.min(place), high.max(place)));
                span += weight * (high - low);
                // A large edge says little about any of its vertices.
                let weight = weight / edge.len() as f64;
                // What is read everywhere says little about where this edge belongs.
                let pull = edge.iter().map(|&vertex| place[vertex] / degree[vertex]).sum::<f64>();
                let centre = pull / edge.iter().map(|&vertex| 1.0 / degree[vertex]).sum::<f64>();
                for &vertex in edge {
                    sums[vertex] += centre * weight;
                    weights[vertex] += weight;
                }
            }
            if span >= best.0 * 0.9999 {
                break;
            }
            best = (span, order.clone());
            let wanted = |vertex: usize| match weights[vertex] > 0.0 {
                true => sums[vertex] / weights[vertex],
                false => place[vertex],
            };
            order.sort_by(|&a, &b| wanted(a).total_cmp(&wanted(b)).then(place[a].total_cmp(&place[b])));
        }
        best.1
    }
}

/// Choices whose bits are variables from `first` on.
fn choices_from(
    encoder: &Encoder<'_, Supports>,
    choices: &IdVec<ChoiceId, Choice>,
    first: usize,
) -> Vec<crate::ChoiceValue<Support>> {
    let mut next = first;
    let value = |choice: &Choice| {
        let bits = encoder.choice_bits(choice.ty);
        let raw: Vec<Support> = (next..next + bits).map(Support::variable).collect();
        next += bits;
        let Ok(value) = encoder.choice_of_bits(choice.ty, &raw);
        value
    };
    choices.iter().map(value).collect()
}
