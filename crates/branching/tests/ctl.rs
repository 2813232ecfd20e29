//! CTL under justice on graphs of random systems, against an oracle that knows strongly connected components and no
//! fixpoints; and the witnesses, step by step.

use lariat_branching::{Answer, Checker, Explainer, FairStates, Justice, SpaceStepper, answer};
use lariat_engine::{Branching, PartId, StateFormula, Verdict, Witness};
use lariat_logic::Formula;
use lariat_space::{Enumerated, GraphSets, ReferenceSpace};
use lariat_system::{DeadEnds, LabelId, LabelMeaning, System};
use lariat_testkit::{FormulaKnobs, Knobs, RandomSystem, Rng, random_ctl};
use std::convert::Infallible;

/// The oracle: which states satisfy each part.
struct Oracle<'a> {
    graph: &'a Enumerated,
    property: &'a Branching,
    /// Steps with their labels, stutter steps included.
    steps: Vec<Vec<(usize, Vec<bool>)>>,
    /// For each state and constraint, whether being there meets it.
    attends: Vec<Vec<bool>>,
    fair: Vec<bool>,
}

impl<'a> Oracle<'a> {
    fn new(graph: &'a Enumerated, property: &'a Branching, dead_ends: DeadEnds, justice: &[Justice]) -> Self {
        let carried = |state: usize, step: usize| -> Vec<bool> {
            let has = |constraint: &Justice| match constraint {
                Justice::Step(label) => graph.carried[state][step].contains(*label),
                Justice::State(_) => false,
            };
            justice.iter().map(has).collect()
        };
        let steps = (0..graph.states.len()).map(|state| {
            let real = graph.successors[state].iter().enumerate().map(|(step, &to)| (to, carried(state, step)));
            let stutter = (graph.successors[state].is_empty() && dead_ends == DeadEnds::Stutter)
                .then(|| (state, vec![false; justice.len()]));
            real.chain(stutter).collect()
        });
        let attends = |state: usize| {
            let has = |constraint: &Justice| match constraint {
                Justice::State(label) => graph.labels[state].contains(*label),
                Justice::Step(_) => false,
            };
            justice.iter().map(has).collect()
        };
        let mut oracle = Self {
            graph,
            property,
            steps: steps.collect(),
            attends: (0..graph.states.len()).map(attends).collect(),
            fair: Vec::new(),
        };
        oracle.fair = oracle.always(&vec![true; graph.states.len()]);
        oracle
    }

    /// By pairs: whether a way of at least one step inside `f` leads from one state to the other.
    fn ways(&self, f: &[bool]) -> Vec<Vec<bool>> {
        let from = |start: usize| {
            let mut seen = vec![false; f.len()];
            let mut waiting = vec![start];
            while let Some(state) = waiting.pop() {
                for (target, _) in self.steps[state].iter().filter(|(target, _)| f[*target]) {
                    if !std::mem::replace(&mut seen[*target], true) {
                        waiting.push(*target);
                    }
                }
            }
            seen
        };
        (0..f.len()).map(|start| if f[start] { from(start) } else { vec![false; f.len()] }).collect()
    }

    fn always(&self, f: &[bool]) -> Vec<bool> {
        let ways = self.ways(f);
        let together = |a: usize, b: usize| a == b || ways[a][b] && ways[b][a];
        let is_core = |state: usize| {
            let count = self.attends.first().map_or(0, Vec::len);
            let component: Vec<usize> = (0..f.len()).filter(|&other| together(state, other)).collect();
            let meets = |constraint: usize| {
                component.iter().any(|&member| {
                    self.attends[member][constraint]
                        || self.steps[member]
                            .iter()
                            .any(|(target, carried)| carried[constraint] && component.contains(target))
                })
            };
            f[state] && ways[state][state] && (0..count).all(meets)
        };
        let core: Vec<usize> = (0..f.len()).filter(|&state| is_core(state)).collect();
        (0..f.len()).map(|state| f[state] && core.iter().any(|&end| end == state || ways[state][end])).collect()
    }

    fn value(&self, part: PartId) -> Vec<bool> {
        let states = 0..self.graph.states.len();
        let step_to = |state: usize, goal: &[bool]| self.steps[state].iter().any(|(target, _)| goal[*target]);
        match self.property.part(part) {
            StateFormula::True => vec![true; states.len()],
            StateFormula::Prop(prop) => {
                let label = self.property.labels[prop.0 as usize];
                states.map(|state| self.graph.labels[state].contains(label)).collect()
            }
            StateFormula::Not(f) => self.value(*f).into_iter().map(|holds| !holds).collect(),
            StateFormula::And(parts) => {
                let values: Vec<_> = parts.iter().map(|part| self.value(*part)).collect();
                states.map(|state| values.iter().all(|value| value[state])).collect()
            }
            StateFormula::Or(parts) => {
                let values: Vec<_> = parts.iter().map(|part| self.value(*part)).collect();
                states.map(|state| values.iter().any(|value| value[state])).collect()
            }
            StateFormula::Iff(f, g) => self.value(*f).into_iter().zip(self.value(*g)).map(|(f, g)| f == g).collect(),
            StateFormula::Next(f) => {
                let goal: Vec<bool> = self.value(*f).iter().zip(&self.fair).map(|(f, fair)| *f && *fair).collect();
                states.map(|state| step_to(state, &goal)).collect()
            }
            StateFormula::Until(f, g) => {
                let f = self.value(*f);
                let mut found: Vec<bool> = self.value(*g).iter().zip(&self.fair).map(|(g, fair)| *g && *fair).collect();
                loop {
                    let more: Vec<bool> =
                        states.clone().map(|state| found[state] || f[state] && step_to(state, &found)).collect();
                    if more == found {
                        return found;
                    }
                    found = more;
                }
            }
            StateFormula::Always(f) => self.always(&self.value(*f)),
        }
    }
}

fn labels(system: &System, of_states: bool) -> Vec<LabelId> {
    let wanted = |meaning: &LabelMeaning| matches!(meaning, LabelMeaning::State(_)) == of_states;
    system.labels.entries().filter(|(_, label)| wanted(&label.meaning)).map(|(id, _)| id).collect()
}

/// Makes sure that a run shows what it claims, with `values` for the parts that it does not show itself.
fn check_witness(oracle: &Oracle<'_>, justice: &[Justice], witness: &Witness) {
    let number = |state: &[u64]| oracle.graph.states.iter().position(|known| known == state).expect("it is reachable");
    let mut at = vec![number(&witness.start)];
    let mut met = vec![Vec::new(); justice.len()];
    for (place, step) in witness.steps.iter().enumerate() {
        let (from, to) = (at[place], number(step.target.as_ref().expect("it leads somewhere")));
        assert_eq!(step.via.is_empty(), oracle.graph.successors[from].is_empty(), "stutter steps are for dead ends");
        let fits = |(target, carried): &&(usize, Vec<bool>)| {
            let labels_fit = |label: &LabelId| {
                let constraint = justice.iter().position(|known| *known == Justice::Step(*label));
                constraint.is_none_or(|constraint| carried[constraint])
            };
            *target == to && step.labels.iter().flatten().all(labels_fit)
        };
        let (_, carried) = oracle.steps[from].iter().find(fits).expect("there is such a step");
        for constraint in 0..justice.len() {
            let told = step.labels.is_some() && carried[constraint];
            if oracle.attends[from][constraint] || told {
                met[constraint].push(place);
            }
        }
        at.push(to);
    }
    let holds = |part: PartId, place: usize| assert!(oracle.value(part)[at[place]], "part {part} at {place}");
    let last = at.len() - 1;
    match *oracle.property.part(witness.claim) {
        StateFormula::Next(f) => {
            assert_eq!(last, 1);
            holds(f, 1);
        }
        StateFormula::Until(f, g) => {
            (0..last).for_each(|place| holds(f, place));
            holds(g, last);
        }
        StateFormula::Always(f) => {
            (0..last).for_each(|place| holds(f, place));
            let start = witness.loop_start.expect("it goes on for ever");
            assert!(start < last && at[start] == at[last], "the loop closes");
            assert!(met.iter().all(|places| places.iter().any(|&place| place >= start)), "the loop is fair");
        }
        _ => panic!("nothing to show"),
    }
    for (place, nested) in &witness.nested {
        assert_eq!(number(&nested.start), at[*place]);
        check_witness(oracle, justice, nested);
    }
}

/// Makes sure that the answer is right, and that what is to be reached never is shown by a shortest run. Whether there is one.
fn check_answer(oracle: &Oracle<'_>, justice: &[Justice], expected: &[bool], answered: &Answer<Infallible>) -> bool {
    let (graph, property) = (oracle.graph, oracle.property);
    let is_violated = |state: usize| oracle.fair[state] && !expected[state];
    let Verdict::Fails(evidence) = &answered.verdict else {
        assert!(answered.verdict == Verdict::Holds && !(0..graph.initial).any(is_violated), "{:?}", property.formula);
        answered.witnesses.iter().for_each(|witness| check_witness(oracle, justice, witness));
        return false;
    };
    let start = graph.states.iter().position(|state| *state == evidence.trace.initial).expect("it is reachable");
    assert!(start < graph.initial && is_violated(start), "{:?} fails in the first state of its run", property.formula);
    for witness in &answered.witnesses {
        assert_eq!(witness.start, evidence.trace.initial);
        check_witness(oracle, justice, witness);
    }
    let StateFormula::Not(until) = *property.part(property.root()) else { return false };
    let StateFormula::Until(f, g) = *property.part(until) else { return false };
    let goal: Vec<bool> = oracle.value(g).into_iter().zip(&oracle.fair).map(|(g, fair)| g && *fair).collect();
    let mut reached: Vec<bool> = (0..graph.states.len()).map(|state| state < graph.initial).collect();
    let mut least = 0;
    while !(0..goal.len()).any(|state| reached[state] && goal[state]) {
        let sources: Vec<usize> = (0..goal.len()).filter(|&state| reached[state]).collect();
        sources.iter().flat_map(|&state| &graph.successors[state]).for_each(|&target| reached[target] = true);
        least += 1;
    }
    let is_always = *property.part(f) == StateFormula::True;
    assert!(!is_always || answered.witnesses[0].steps.len() == least, "{:?} in {least} steps", property.formula);
    is_always
}

#[test]
fn fixpoints_agree_with_components_and_witnesses_show_what_they_claim() {
    let seeds: u64 = std::env::var("LARIAT_SEEDS").map_or(400, |seeds| seeds.parse().expect("a number"));
    let (mut compared, mut mixed, mut runs, mut loops, mut shortest) = (0, 0, 0, 0, 0);
    for seed in 0..seeds {
        let rng = &mut Rng::new(seed ^ 0x0c71);
        let mut system = RandomSystem::generate(seed, &Knobs::default());
        system.dead_ends = if rng.chance(30) { DeadEnds::Cut } else { DeadEnds::Stutter };
        let space = ReferenceSpace::new(&system).expect("small");
        let (of_states, of_steps) = (labels(&system, true), labels(&system, false));
        let Ok(graph) = Enumerated::new(&space, 60) else { continue };
        if of_states.is_empty() {
            continue;
        }
        let mut justice: Vec<Justice> = Vec::new();
        for _ in 0..rng.below(4) {
            match rng.chance(50) {
                true if !of_steps.is_empty() => justice.push(Justice::Step(*rng.pick(&of_steps))),
                _ => justice.push(Justice::State(*rng.pick(&of_states))),
            }
        }
        let knobs = FormulaKnobs { operators: 6, props: of_states.len() as u32, ..FormulaKnobs::default() };
        for _ in 0..4 {
            let mut formula: Formula = random_ctl(rng, &knobs);
            if rng.chance(30) {
                formula = Formula::for_all(Formula::globally(formula));
            }
            let property = Branching::new(formula.clone(), of_states.clone()).expect("it is of CTL");
            let oracle = Oracle::new(&graph, &property, system.dead_ends, &justice);
            let sets = GraphSets::new(&graph);
            let all = sets.of(0..graph.states.len());
            let Ok(states) = FairStates::new(&sets, all, system.dead_ends, &justice);
            let mut checker = Checker::new(&sets, &property, states);
            let expected = oracle.value(property.root());
            let Ok(found) = checker.value(property.root());
            let found: Vec<bool> = (0..graph.states.len()).map(|state| found.contains(state)).collect();
            assert_eq!(found, expected, "seed {seed}: {formula:?} under {justice:?} of\n{system}");
            compared += 1;
            mixed += usize::from(expected.contains(&true) && expected.contains(&false));
            let stepper = SpaceStepper::new(&space, &system);
            let Ok(states) = FairStates::new(&sets, sets.of(0..graph.states.len()), system.dead_ends, &justice);
            let Ok(answered) = answer(&sets, &property, states, system.dead_ends, &stepper);
            shortest += usize::from(check_answer(&oracle, &justice, &expected, &answered));
            for (state, holds) in expected.iter().enumerate().take(3) {
                let mut explainer = Explainer::new(&mut checker, &stepper);
                let Ok(witnesses) = explainer.explain(property.root(), *holds, &graph.states[state]);
                for witness in &witnesses {
                    assert_eq!(witness.start, graph.states[state]);
                    check_witness(&oracle, &justice, witness);
                    runs += 1;
                    loops += usize::from(witness.loop_start.is_some());
                }
            }
        }
    }
    eprintln!(
        "{compared} formulas, {mixed} of them with both answers, {runs} runs, {loops} of them for ever, {shortest} shortest"
    );
    assert!(compared > seeds as usize && mixed > compared / 8 && loops > 20, "{compared} {mixed} {runs} {loops}");
    assert!(shortest > 20, "{shortest} runs to what is never to be reached");
}
