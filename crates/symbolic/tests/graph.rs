//! The encoder over another algebra: and-inverter graphs. Encoded once with variables for state and choices, evaluated
//! on many states, 64 at a time, and compared with the encoder over plain truth values.

use lariat_space::{Enumerated, ReferenceSpace, StateSpace};
use lariat_symbolic::{Binding, BitAlgebra, BitVec, Bools, ChoiceValue, Encoder, binary};
use lariat_system::{BinaryOp, Interval, System};
use lariat_testkit::{Knobs, RandomSystem, Rng};
use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::ControlFlow;

/// A node of the graph, perhaps complemented: twice the node's number, plus one if it is.
type Literal = u32;

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Node {
    False,
    Variable(usize),
    And(Literal, Literal),
}

/// An and-inverter graph in which equal nodes are one.
struct Graph {
    limit: usize,
    nodes: RefCell<Vec<Node>>,
    numbers: RefCell<HashMap<Node, Literal>>,
}

/// The graph has as many nodes as it may have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Full;

impl Graph {
    fn new(limit: usize) -> Self {
        Self { limit, nodes: RefCell::new(vec![Node::False]), numbers: RefCell::default() }
    }
    fn node(&self, node: Node) -> Result<Literal, Full> {
        if let Some(&literal) = self.numbers.borrow().get(&node) {
            return Ok(literal);
        }
        let mut nodes = self.nodes.borrow_mut();
        if nodes.len() == self.limit {
            return Err(Full);
        }
        let literal = 2 * nodes.len() as Literal;
        nodes.push(node);
        self.numbers.borrow_mut().insert(node, literal);
        Ok(literal)
    }
    fn variables(&self, numbers: std::ops::Range<usize>) -> Vec<Literal> {
        numbers.map(|number| self.node(Node::Variable(number)).expect("room for the variables")).collect()
    }
    /// The values of all nodes for 64 valuations of the variables.
    fn evaluate(&self, variables: &[u64]) -> Vec<u64> {
        let mut values: Vec<u64> = Vec::new();
        for node in self.nodes.borrow().iter() {
            values.push(match *node {
                Node::False => 0,
                Node::Variable(number) => variables[number],
                Node::And(a, b) => value(&values, a) & value(&values, b),
            });
        }
        values
    }
}

fn value(values: &[u64], literal: Literal) -> u64 {
    let value = values[literal as usize / 2];
    if literal % 2 == 1 { !value } else { value }
}

impl BitAlgebra for &Graph {
    type Bit = Literal;
    type Error = Full;

    fn constant(&self, value: bool) -> Literal {
        Literal::from(value)
    }
    fn known(&self, bit: &Literal) -> Option<bool> {
        (*bit < 2).then_some(*bit == 1)
    }
    fn not(&self, a: &Literal) -> Result<Literal, Full> {
        Ok(a ^ 1)
    }
    fn and(&self, a: &Literal, b: &Literal) -> Result<Literal, Full> {
        match (*a.min(b), *a.max(b)) {
            (0, _) => Ok(0),
            (1, b) => Ok(b),
            (a, b) if a == b => Ok(a),
            (a, b) if a == b ^ 1 => Ok(0),
            (a, b) => self.node(Node::And(a, b)),
        }
    }
    fn or(&self, a: &Literal, b: &Literal) -> Result<Literal, Full> {
        Ok(self.and(&(a ^ 1), &(b ^ 1))? ^ 1)
    }
    fn xor(&self, a: &Literal, b: &Literal) -> Result<Literal, Full> {
        self.ite(a, &(b ^ 1), b)
    }
    fn ite(&self, condition: &Literal, yes: &Literal, no: &Literal) -> Result<Literal, Full> {
        self.or(&self.and(condition, yes)?, &self.and(&(condition ^ 1), no)?)
    }
}

/// The number that some bits are, for one of 64 valuations.
fn number(values: &[u64], lane: usize, number: &BitVec<Literal>) -> i64 {
    let bits: Vec<bool> = number.bits().iter().map(|&bit| value(values, bit) >> lane & 1 == 1).collect();
    BitVec::within(number.range(), &bits).known(&Bools).expect("plain bits are known")
}

#[test]
fn circuits_of_variables_compute_their_operators() {
    for (a, b) in [((-8, 7), (-8, 7)), ((0, 7), (-4, 3)), ((-5, 0), (2, 5))] {
        let (a, b) = (Interval { lo: a.0, hi: a.1 }, Interval { lo: b.0, hi: b.1 });
        let graph = Graph::new(usize::MAX);
        let algebra = &&graph;
        let left = BitVec::of_offset(algebra, a, &graph.variables(0..4)).unwrap();
        let right = BitVec::of_offset(algebra, b, &graph.variables(4..8)).unwrap();
        let results = BinaryOp::ALL.map(|op| binary(algebra, op, &left, &right).unwrap());
        for x in a.lo..=a.hi {
            for y in b.lo..=b.hi {
                let offsets = (x - a.lo) | (y - b.lo) << 4;
                let variables: Vec<u64> = (0..8).map(|bit| offsets as u64 >> bit & 1).collect();
                let values = graph.evaluate(&variables);
                for (op, result) in BinaryOp::ALL.iter().zip(&results) {
                    assert_eq!(number(&values, 0, result), op.apply(x, y), "{x} {op:?} {y}");
                }
            }
        }
    }
}

/// All that is encoded of a binding.
struct Encoded<Bit> {
    guard: Bit,
    enabled: Bit,
    /// By holder, nobody first.
    fires: Vec<Bit>,
    guard_traps: Vec<(u16, Bit)>,
    /// Means something where the guard holds.
    taken: Taken<Bit>,
}

struct Taken<Bit> {
    rank: BitVec<Bit>,
    effect_traps: Vec<(u16, Bit)>,
    labels: Vec<Bit>,
    pool_full: Bit,
    goes_on: Bit,
    /// Means something where it goes on.
    successor: Vec<Bit>,
}

fn encode<A: BitAlgebra>(
    encoder: &Encoder<'_, A>,
    state: &[A::Bit],
    binding: &Binding,
    choices: &[ChoiceValue<A::Bit>],
) -> Result<Encoded<A::Bit>, A::Error> {
    let holders = (0..encoder.layout.positions).map(|position| Some(position as u8));
    let fires = [None].into_iter().chain(holders).map(|holder| {
        let contest = encoder.contest(state, holder)?;
        encoder.fires(state, &contest, binding, choices)
    });
    Ok(Encoded {
        guard: encoder.guard(state, binding, choices)?,
        enabled: encoder.enabled(state, binding)?,
        fires: fires.collect::<Result<_, _>>()?,
        guard_traps: encoder.guard_traps(state, binding)?,
        taken: Taken {
            rank: encoder.rank(state, binding)?,
            effect_traps: encoder.effect_traps(state, binding, choices)?,
            labels: encoder.step_labels(state, binding, choices)?.into_iter().map(|(_, bit)| bit).collect(),
            pool_full: encoder.pool_full(state, binding, choices)?,
            goes_on: encoder.goes_on(state, binding, choices)?,
            successor: encoder.successor(state, binding, choices)?,
        },
    })
}

/// Compares one binding on all states and all values of the choices' bits; gives how many guards held.
fn compare(system: &System, states: &[Vec<u64>], binding: &Binding, limit: usize) -> Result<usize, Full> {
    let graph = Graph::new(limit);
    let symbolic = Encoder::new(system, &graph).expect("small");
    let plain = Encoder::new(system, Bools).expect("small");
    let row = graph.variables(0..symbolic.state_bits());
    let mut variables = row.len();
    let mut choices = Vec::new();
    let types: Vec<_> = system.actions[binding.action].choices.iter().map(|choice| choice.ty).collect();
    for &ty in &types {
        let bits = symbolic.choice_bits(ty);
        choices.push(symbolic.choice_of_bits(ty, &graph.variables(variables..variables + bits))?);
        variables += bits;
    }
    let functions = encode(&symbolic, &row, binding, &choices)?;
    let mut held = 0;
    for raw in 0..1_u64 << (variables - row.len()) {
        let mut rest = raw;
        let values: Vec<i64> = types
            .iter()
            .map(|&ty| {
                let bits = plain.choice_bits(ty);
                let offset = rest & ((1 << bits) - 1);
                rest >>= bits;
                system.range(ty).lo + offset as i64
            })
            .collect();
        let in_type = types.iter().zip(&values).all(|(&ty, &value)| system.range(ty).contains(value));
        for batch in states.chunks(64) {
            let lanes = |bit: usize| {
                let of = |words: &Vec<u64>| words[bit / 64] >> (bit % 64) & 1;
                batch.iter().enumerate().fold(0, |word, (lane, words)| word | of(words) << lane)
            };
            let choice_bits = (0..variables - row.len()).map(|bit| 0_u64.wrapping_sub(raw >> bit & 1));
            let inputs: Vec<u64> = (0..row.len()).map(lanes).chain(choice_bits).collect();
            let nodes = graph.evaluate(&inputs);
            for (lane, words) in batch.iter().enumerate() {
                let bit = |literal: &Literal| value(&nodes, *literal) >> lane & 1 == 1;
                if !in_type {
                    assert!(!bit(&functions.guard), "a choice outside its type");
                    continue;
                }
                let Ok(expected) = encode(&plain, &plain.state_of(words), binding, &plain.choices_of(&values));
                let rank = |rank: &BitVec<Literal>| number(&nodes, lane, rank);
                assert_same(&functions, &expected, bit, rank);
                held += usize::from(expected.guard);
            }
        }
    }
    Ok(held)
}

fn assert_same(
    functions: &Encoded<Literal>,
    expected: &Encoded<bool>,
    bit: impl Fn(&Literal) -> bool,
    number: impl Fn(&BitVec<Literal>) -> i64,
) {
    let bits = |literals: &[Literal]| literals.iter().map(&bit).collect::<Vec<_>>();
    let numbered = |traps: &[(u16, Literal)]| traps.iter().map(|(n, met)| (*n, bit(met))).collect::<Vec<_>>();
    assert_eq!(bit(&functions.guard), expected.guard, "guard");
    assert_eq!(bit(&functions.enabled), expected.enabled, "enabled");
    assert_eq!(bits(&functions.fires), expected.fires, "fires");
    assert_eq!(numbered(&functions.guard_traps), expected.guard_traps, "guard traps");
    if !expected.guard {
        return;
    }
    let (functions, expected) = (&functions.taken, &expected.taken);
    assert_eq!(Some(number(&functions.rank)), expected.rank.known(&Bools), "rank");
    assert_eq!(numbered(&functions.effect_traps), expected.effect_traps, "effect traps");
    assert_eq!(bits(&functions.labels), expected.labels, "labels");
    assert_eq!(bit(&functions.pool_full), expected.pool_full, "pool full");
    assert_eq!(bit(&functions.goes_on), expected.goes_on, "goes on");
    if expected.goes_on {
        assert_eq!(bits(&functions.successor), expected.successor, "successor");
    }
}

fn reachable(system: &System, limit: usize) -> Vec<Vec<u64>> {
    let space = ReferenceSpace::new(system).expect("small");
    if let Ok(graph) = Enumerated::new(&space, limit) {
        return graph.states;
    }
    let mut initial = Vec::new();
    let _ = space.initial(&mut (), |state| {
        initial.push(state.to_vec());
        ControlFlow::<()>::Continue(())
    });
    initial
}

#[test]
fn functions_of_variables_say_what_evaluation_says() {
    let seeds = std::env::var("LARIAT_SEEDS").map_or(12, |seeds| seeds.parse::<u64>().expect("a number") / 20);
    let (mut bindings, mut held, mut full) = (0, 0, 0);
    for seed in 0..seeds {
        let rng = &mut Rng::new(seed);
        let system = RandomSystem::generate(seed, &Knobs { depth: 2, ..Knobs::default() });
        let states = reachable(&system, 64);
        let all = Encoder::new(&system, Bools).expect("small").bindings();
        for binding in all.iter().filter(|_| rng.chance(30)) {
            match compare(&system, &states, binding, 40_000) {
                Ok(count) => {
                    bindings += 1;
                    held += count as u64;
                }
                Err(Full) => full += 1,
            }
        }
    }
    eprintln!("{bindings} bindings, {held} held, {full} ran out of nodes");
    assert!(bindings > 2 * seeds && held > seeds, "{bindings} bindings, {held} held, {full} ran out of nodes");
}

#[test]
fn running_out_of_nodes_is_an_answer() {
    let system = RandomSystem::generate(3, &Knobs::default());
    let states = reachable(&system, 64);
    let bindings = Encoder::new(&system, Bools).expect("small").bindings();
    let smallest = 64 * Encoder::new(&system, Bools).expect("small").layout.words + 64;
    assert!(bindings.iter().any(|binding| compare(&system, &states, binding, smallest) == Err(Full)));
}
