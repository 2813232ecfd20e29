//! The order of variables to begin with.
//!
//! FORCE (Aloul, Markov, Sakallah, GLSVLSI 2003): what functions read together shall stand together. Vertices are cells of
//! the state and choices, since the bits of one number belong together; an edge is what one conjunct of a guard, or one bit
//! that is written, depends on. Each round puts every vertex at the mean of the centres of its edges. The order of least
//! total span is kept.

use crate::supports::{Support, Supports};
use crate::{Binding, Encoder, Variable};
use lariat_base::Id;
use lariat_base::IdVec;
use lariat_system::{Choice, ChoiceId, Field, Layout, System};
use std::collections::HashMap;

/// The rounds of FORCE.
const ROUNDS: usize = 60;
/// The most edges that are looked at.
const MOST_EDGES: usize = 200_000;

/// Which variable is what.
#[derive(Clone, Debug, Default)]
pub(super) struct Numbering {
    /// By bit of the state: the variable of its value now, and that of its value afterwards. `None` for a bit that no state
    /// uses.
    pub(super) bits: Vec<Option<(Variable, Variable)>>,
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

/// The numbering for `system`, whose actions can have these bindings.
pub(super) fn numbering(system: &System, layout: &Layout, bindings: &[Binding]) -> Numbering {
    let encoder = Encoder::of_layout(system, layout.clone(), Supports);
    let mut graph = Graph::new(&encoder);
    graph.read(&encoder, bindings);
    let order = graph.order();
    let mut numbering = Numbering {
        bits: vec![None; layout.words * 64],
        choices: system.actions.iter().map(|action| vec![0; choice_bits(&encoder, &action.choices)]).collect(),
        initial: vec![0; choice_bits(&encoder, &system.init.choices)],
        groups: Vec::new(),
    };
    let mut next = 0;
    for vertex in order {
        for atom in &graph.vertices[vertex] {
            match *atom {
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
    }
    numbering
}

fn choice_bits(encoder: &Encoder<'_, Supports>, choices: &IdVec<ChoiceId, Choice>) -> usize {
    choices.iter().map(|choice| encoder.choice_bits(choice.ty)).sum()
}

/// Vertices, and what belongs together.
struct Graph {
    vertices: Vec<Vec<Atom>>,
    /// By bit of the state, its vertex.
    vertex_of_bit: Vec<Option<usize>>,
    /// By action, the vertex of each bit of its choices; then those of initial states.
    vertex_of_choice: Vec<Vec<usize>>,
    /// By number of a variable in supports, its vertex.
    vertex_of: Vec<usize>,
    /// Sets of vertices, with how often each was met.
    edges: HashMap<Vec<usize>, u32>,
}

impl Graph {
    fn new(encoder: &Encoder<'_, Supports>) -> Self {
        let layout = &encoder.layout;
        let mut graph = Self {
            vertices: Vec::new(),
            vertex_of_bit: vec![None; layout.words * 64],
            vertex_of_choice: Vec::new(),
            vertex_of: Vec::new(),
            edges: HashMap::new(),
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
                let vertex = graph.vertices.len();
                graph.vertices.push((own.len()..own.len() + bits).map(atom).collect());
                own.extend(vec![vertex; bits]);
            }
            graph.vertex_of_choice.push(own);
        }
        graph
    }

    /// Makes a vertex of those bits that are in none yet: the slots of different frames lie over each other.
    fn enter(&mut self, bits: &[usize]) {
        let free: Vec<usize> = bits.iter().copied().filter(|&bit| self.vertex_of_bit[bit].is_none()).collect();
        if !free.is_empty() {
            free.iter().for_each(|&bit| self.vertex_of_bit[bit] = Some(self.vertices.len()));
            // The highest bit on top: numbers are compared from there.
            self.vertices.push(free.into_iter().rev().map(Atom::Bit).collect());
        }
    }

    fn read(&mut self, encoder: &Encoder<'_, Supports>, bindings: &[Binding]) {
        let state: Vec<Support> = (0..self.vertex_of_bit.len())
            .map(|bit| match self.vertex_of_bit[bit] {
                Some(_) => Support::variable(bit),
                None => Support::Known(false),
            })
            .collect();
        let state_bits = state.len();
        for binding in bindings {
            if self.edges.len() > MOST_EDGES {
                return;
            }
            let action = &encoder.system.actions[binding.action];
            let own = self.vertex_of_choice[binding.action.index()].clone();
            self.vertex_of.truncate(state_bits);
            self.vertex_of.extend(own);
            let choices = choices_from(encoder, &action.choices, state_bits);
            let Ok(conjuncts) = encoder.guard_conjuncts(&state, binding, &choices);
            conjuncts.iter().for_each(|conjunct| self.connect(conjunct.variables()));
            let Ok(next) = encoder.successor(&state, binding, &choices);
            for (bit, (old, new)) in state.iter().zip(&next).enumerate() {
                if old != new {
                    self.connect([vec![bit], new.variables()].concat());
                }
            }
        }
        self.vertex_of.truncate(state_bits);
        self.vertex_of.extend(self.vertex_of_choice[encoder.system.actions.len()].clone());
        let choices = choices_from(encoder, &encoder.system.init.choices, state_bits);
        let Ok(initial) = encoder.initial_state(&choices);
        for (bit, value) in initial.iter().enumerate() {
            self.connect([vec![bit], value.variables()].concat());
        }
    }

    fn connect(&mut self, variables: Vec<usize>) {
        let mut vertices: Vec<usize> = variables.into_iter().map(|variable| self.vertex_of[variable]).collect();
        vertices.sort_unstable();
        vertices.dedup();
        if vertices.len() > 1 {
            *self.edges.entry(vertices).or_insert(0) += 1;
        }
    }

    /// The vertices in a good order.
    fn order(&self) -> Vec<usize> {
        let mut edges: Vec<(&Vec<usize>, f64)> =
            self.edges.iter().map(|(edge, &count)| (edge, f64::from(count).sqrt())).collect();
        edges.sort_by_key(|(a, _)| *a);
        let mut order: Vec<usize> = (0..self.vertices.len()).collect();
        let mut best = (f64::INFINITY, order.clone());
        for _ in 0..ROUNDS {
            let mut place = vec![0.0; order.len()];
            order.iter().enumerate().for_each(|(at, &vertex)| place[vertex] = at as f64);
            let (mut sums, mut weights) = (vec![0.0; order.len()], vec![0.0; order.len()]);
            let mut span = 0.0;
            for &(edge, weight) in &edges {
                let places = edge.iter().map(|&vertex| place[vertex]);
                let (low, high) = places
                    .clone()
                    .fold((f64::INFINITY, 0.0_f64), |(low, high), place| (low.min(place), high.max(place)));
                span += weight * (high - low);
                // A large edge says little about any of its vertices.
                let weight = weight / edge.len() as f64;
                let centre = places.sum::<f64>() / edge.len() as f64;
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
