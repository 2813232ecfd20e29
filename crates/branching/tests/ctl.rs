//! CTL under fairness on graphs of random systems, against an oracle that knows strongly connected components and no
//! fixpoints; and the witnesses, step by step.

use lariat_branching::{
    Answer, Checker, Condition, Constraint, Explainer, FairStates, How, Slip, SpaceStepper, answer, make_slip,
};
use lariat_engine::{Branching, FairBy, PartId, StateFormula, Verdict, Witness};
use lariat_logic::Formula;
use lariat_space::{Enumerated, GraphSets, LabelSet, ReferenceSpace};
use lariat_system::{DeadEnds, LabelId, LabelMeaning, System};
use lariat_testkit::{FormulaKnobs, Knobs, RandomSystem, Rng, random_ctl};
use std::convert::Infallible;

/// The oracle: which states satisfy each part.
struct Oracle<'a> {
    graph: &'a Enumerated,
    property: &'a Branching,
    /// Stutter steps included.
    steps: Vec<Vec<OracleStep>>,
    fair: Vec<bool>,
}

struct OracleStep {
    target: usize,
    labels: LabelSet,
    /// For each constraint, whether it asks and whether it gives.
    constraints: Vec<(bool, bool)>,
}

impl<'a> Oracle<'a> {
    fn new(graph: &'a Enumerated, property: &'a Branching, dead_ends: DeadEnds, constraints: &[Constraint]) -> Self {
        let is_so = |condition: &Condition, state: usize, carried: &LabelSet| match *condition {
            Condition::State(label) => graph.labels[state].contains(label),
            Condition::NotState(label) => !graph.labels[state].contains(label),
            Condition::Step(label) => carried.contains(label),
            Condition::NotStep(label) => !carried.contains(label),
            Condition::Enabled(label) => graph.carried[state].iter().any(|step| step.contains(label)),
            Condition::NotEnabled(label) => !graph.carried[state].iter().any(|step| step.contains(label)),
            Condition::Always => true,
        };
        let steps = (0..graph.states.len()).map(|state| {
            let real = graph.successors[state].iter().copied().zip(graph.carried[state].iter().cloned());
            let stutter = (graph.successors[state].is_empty() && dead_ends == DeadEnds::Stutter)
                .then_some((state, LabelSet::EMPTY));
            let step = |(target, labels): (usize, LabelSet)| {
                let any = |conditions: &[Condition]| conditions.iter().any(|one| is_so(one, state, &labels));
                let of = |one: &Constraint| (one.asked.as_deref().is_none_or(any), any(&one.given));
                OracleStep { target, constraints: constraints.iter().map(of).collect(), labels }
            };
            real.chain(stutter).map(step).collect()
        });
        let mut oracle = Self { graph, property, steps: steps.collect(), fair: Vec::new() };
        oracle.fair = oracle.always(&vec![true; graph.states.len()]);
        oracle
    }

    /// By pairs: whether a way of at least one of these steps leads from one state to the other.
    fn ways(&self, may_take: &dyn Fn(usize, &OracleStep) -> bool) -> Vec<Vec<bool>> {
        let from = |start: usize| {
            let mut seen = vec![false; self.steps.len()];
            let mut waiting = vec![start];
            while let Some(state) = waiting.pop() {
                for step in self.steps[state].iter().filter(|step| may_take(state, step)) {
                    if !std::mem::replace(&mut seen[step.target], true) {
                        waiting.push(step.target);
                    }
                }
            }
            seen
        };
        (0..self.steps.len()).map(from).collect()
    }

    /// Marks the states that are on a fair loop of these steps: those of components with everything that is asked for, or else
    /// what is so when that which is not given is asked for no more.
    fn loops(&self, may_take: &dyn Fn(usize, &OracleStep) -> bool, found: &mut [bool]) {
        let ways = self.ways(may_take);
        for state in (0..ways.len()).filter(|&state| ways[state][state]) {
            let is_inside = |other: usize| ways[state][other] && ways[other][state];
            if (0..state).any(is_inside) {
                continue;
            }
            let inside =
                |from: usize, step: &OracleStep| is_inside(from) && is_inside(step.target) && may_take(from, step);
            let all = (0..ways.len()).flat_map(|from| self.steps[from].iter().map(move |step| (from, step)));
            let steps: Vec<&OracleStep> =
                all.filter(|(from, step)| inside(*from, step)).map(|(_, step)| step).collect();
            let count = steps[0].constraints.len();
            let is_given = |one: usize| steps.iter().any(|step| step.constraints[one].1);
            let missed: Vec<usize> = (0..count).filter(|&one| !is_given(one)).collect();
            let asks = |step: &OracleStep| missed.iter().any(|&one| step.constraints[one].0);
            match steps.iter().any(|step| asks(step)) {
                false => (0..ways.len()).filter(|&other| is_inside(other)).for_each(|other| found[other] = true),
                true => self.loops(&|from, step| inside(from, step) && !asks(step), found),
            }
        }
    }

    fn always(&self, f: &[bool]) -> Vec<bool> {
        let may_take = |from: usize, step: &OracleStep| f[from] && f[step.target];
        let mut core = vec![false; f.len()];
        self.loops(&may_take, &mut core);
        let ways = self.ways(&may_take);
        let leads = |state: usize| (0..f.len()).any(|end| core[end] && (end == state || ways[state][end]));
        (0..f.len()).map(|state| f[state] && leads(state)).collect()
    }

    fn value(&self, part: PartId) -> Vec<bool> {
        let states = 0..self.graph.states.len();
        let step_to = |state: usize, goal: &[bool]| self.steps[state].iter().any(|step| goal[step.target]);
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
            StateFormula::Run(_) => unreachable!("formulas of CTL have none"),
        }
    }
}

fn labels(system: &System, of_states: bool) -> Vec<LabelId> {
    let wanted = |meaning: &LabelMeaning| matches!(meaning, LabelMeaning::State(_)) == of_states;
    system.labels.entries().filter(|(_, label)| wanted(&label.meaning)).map(|(id, _)| id).collect()
}

/// Makes sure that a run shows what it claims, with `values` for the parts that it does not show itself.
fn check_witness(oracle: &Oracle<'_>, constraints: usize, witness: &Witness) {
    let number = |state: &[u64]| oracle.graph.states.iter().position(|known| known == state).expect("it is reachable");
    let mut at = vec![number(&witness.start)];
    // For each constraint, where something must be asked and where something may be given; of several steps between two states
    // the worst if the run does not say which.
    let (mut asked, mut given) = (vec![Vec::new(); constraints], vec![Vec::new(); constraints]);
    for (place, step) in witness.steps.iter().enumerate() {
        let (from, to) = (at[place], number(step.target.as_ref().expect("it leads somewhere")));
        assert_eq!(step.via.is_empty(), oracle.graph.successors[from].is_empty(), "stutter steps are for dead ends");
        let fits = |known: &&OracleStep| {
            let labels_fit = |labels: &Vec<LabelId>| known.labels.iter().eq(labels.iter().copied());
            known.target == to && step.labels.as_ref().is_none_or(labels_fit)
        };
        let steps: Vec<&OracleStep> = oracle.steps[from].iter().filter(fits).collect();
        assert!(!steps.is_empty(), "there is such a step");
        for constraint in 0..constraints {
            if steps.iter().any(|step| step.constraints[constraint].0) {
                asked[constraint].push(place);
            }
            if steps.iter().all(|step| step.constraints[constraint].1) {
                given[constraint].push(place);
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
            let on_loop = |places: &Vec<usize>| places.iter().any(|&place| place >= start);
            let mut each = asked.iter().zip(&given);
            assert!(each.all(|(asked, given)| !on_loop(asked) || on_loop(given)), "the loop is fair");
        }
        _ => panic!("nothing to show"),
    }
    for (place, nested) in &witness.nested {
        assert_eq!(number(&nested.start), at[*place]);
        check_witness(oracle, constraints, nested);
    }
}

/// Makes sure that the answer is right, and that what is to be reached never is shown by a shortest run. Whether there is one.
fn check_answer(oracle: &Oracle<'_>, constraints: usize, expected: &[bool], answered: &Answer<Infallible>) -> bool {
    let (graph, property) = (oracle.graph, oracle.property);
    let is_violated = |state: usize| oracle.fair[state] && !expected[state];
    let Verdict::Fails(evidence) = &answered.verdict else {
        assert!(answered.verdict == Verdict::Holds && !(0..graph.initial).any(is_violated), "{:?}", property.formula);
        answered.witnesses.iter().for_each(|witness| check_witness(oracle, constraints, witness));
        return false;
    };
    let start = graph.states.iter().position(|state| *state == evidence.trace.initial).expect("it is reachable");
    assert!(start < graph.initial && is_violated(start), "{:?} fails in the first state of its run", property.formula);
    for witness in &answered.witnesses {
        assert_eq!(witness.start, evidence.trace.initial);
        check_witness(oracle, constraints, witness);
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

/// Justice or compassion, for anything that can be so.
pub(crate) fn random_constraint(rng: &mut Rng, of_states: &[LabelId], of_steps: &[LabelId]) -> Constraint {
    let mut condition = || match rng.below(7) {
        0 | 1 if !of_steps.is_empty() => Condition::Step(*rng.pick(of_steps)),
        2 if !of_steps.is_empty() => Condition::NotStep(*rng.pick(of_steps)),
        3 if !of_steps.is_empty() => Condition::Enabled(*rng.pick(of_steps)),
        4 if !of_steps.is_empty() => Condition::NotEnabled(*rng.pick(of_steps)),
        5 => Condition::NotState(*rng.pick(of_states)),
        _ => Condition::State(*rng.pick(of_states)),
    };
    let (asked, given, other) = (condition(), condition(), condition());
    let given = if rng.chance(30) { vec![given, other] } else { vec![given] };
    Constraint { asked: rng.chance(60).then(|| vec![asked]), given }
}

#[test]
fn fixpoints_agree_with_components_and_witnesses_show_what_they_claim() {
    let seeds: u64 = std::env::var("LARIAT_SEEDS").map_or(400, |seeds| seeds.parse().expect("a number"));
    let (mut compared, mut mixed, mut runs, mut loops, mut shortest) = (0, 0, 0, 0, 0);
    for seed in 0..seeds {
        let (rng, how) = (&mut Rng::new(seed ^ 0x0c71), crate::star::how_of(seed));
        let mut system = RandomSystem::generate(seed, &Knobs::default());
        system.dead_ends = if rng.chance(30) { DeadEnds::Cut } else { DeadEnds::Stutter };
        let space = ReferenceSpace::new(&system).expect("small");
        let (of_states, of_steps) = (labels(&system, true), labels(&system, false));
        let Ok(graph) = Enumerated::new(&space, 60) else { continue };
        if of_states.is_empty() {
            continue;
        }
        let constraints: Vec<Constraint> =
            (0..rng.below(4)).map(|_| random_constraint(rng, &of_states, &of_steps)).collect();
        let knobs = FormulaKnobs { operators: 6, props: of_states.len() as u32, ..FormulaKnobs::default() };
        for _ in 0..4 {
            let mut formula: Formula = random_ctl(rng, &knobs);
            if rng.chance(30) {
                formula = Formula::for_all(Formula::globally(formula));
            }
            let property = Branching::new(formula.clone(), of_states.clone()).expect("it is of CTL");
            let oracle = Oracle::new(&graph, &property, system.dead_ends, &constraints);
            let sets = GraphSets::new(&graph);
            let all = sets.of(0..graph.states.len());
            let Ok(states) = FairStates::new(&sets, all, system.dead_ends, &constraints, how);
            let mut checker = Checker::new(&sets, &property, states);
            let expected = oracle.value(property.root());
            let Ok(found) = checker.value(property.root());
            let found: Vec<bool> = (0..graph.states.len()).map(|state| found.contains(state)).collect();
            assert_eq!(found, expected, "seed {seed}: {formula:?} under {constraints:?} of\n{system}");
            compared += 1;
            mixed += usize::from(expected.contains(&true) && expected.contains(&false));
            let stepper = SpaceStepper::new(&space, &system);
            let Ok(states) =
                FairStates::new(&sets, sets.of(0..graph.states.len()), system.dead_ends, &constraints, how);
            let Ok(answered) = answer(&sets, &property, states, system.dead_ends, &stepper, |_| ());
            shortest += usize::from(check_answer(&oracle, constraints.len(), &expected, &answered));
            for (state, holds) in expected.iter().enumerate().take(3) {
                let mut explainer = Explainer::new(&mut checker, &stepper);
                let Ok(witnesses) = explainer.explain(property.root(), *holds, &graph.states[state]);
                for witness in &witnesses {
                    assert_eq!(witness.start, graph.states[state]);
                    check_witness(&oracle, constraints.len(), witness);
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

/// Each deliberate mistake in a fixpoint changes the answer to some formula on some graph, which the oracle then contradicts.
#[test]
fn every_slip_in_a_fixpoint_is_noticed() {
    if !make_slip(Some(Slip::OneRound)) {
        println!("skipped: no mistakes in a release build");
        return;
    }
    let usual = How::default();
    // Others find the ways to loops together with these.
    let components = How { by: FairBy::Components, ..usual };
    let slips = [
        (Slip::UntilUnrestricted, usual),
        (Slip::UntilToUnfair, usual),
        (Slip::NextToUnfair, usual),
        (Slip::AlwaysOnLoops, components),
        (Slip::StutterForgotten, usual),
        (Slip::OneRound, usual),
    ];
    let mut noticed = vec![0; slips.len()];
    let mut compared = 0;
    for seed in 0..200 {
        let rng = &mut Rng::new(seed ^ 0x51195);
        let mut system = RandomSystem::generate(seed, &Knobs::default());
        system.dead_ends = if rng.chance(30) { DeadEnds::Cut } else { DeadEnds::Stutter };
        let space = ReferenceSpace::new(&system).expect("small");
        let (of_states, of_steps) = (labels(&system, true), labels(&system, false));
        let Ok(graph) = Enumerated::new(&space, 40) else { continue };
        if of_states.is_empty() {
            continue;
        }
        let constraints: Vec<Constraint> =
            (0..rng.below(3)).map(|_| random_constraint(rng, &of_states, &of_steps)).collect();
        let knobs = FormulaKnobs { operators: 5, props: of_states.len() as u32, ..FormulaKnobs::default() };
        for _ in 0..3 {
            let property = Branching::new(random_ctl(rng, &knobs), of_states.clone()).expect("it is of CTL");
            let expected = Oracle::new(&graph, &property, system.dead_ends, &constraints).value(property.root());
            let sets = GraphSets::new(&graph);
            let found = |slip: Option<Slip>, how: How| -> Vec<bool> {
                make_slip(slip);
                let all = sets.of(0..graph.states.len());
                let Ok(states) = FairStates::new(&sets, all, system.dead_ends, &constraints, how);
                let Ok(value) = Checker::new(&sets, &property, states).value(property.root());
                (0..graph.states.len()).map(|state| value.contains(state)).collect()
            };
            for how in [usual, components] {
                assert_eq!(found(None, how), expected, "without a mistake, seed {seed}");
            }
            compared += 1;
            for (noticed, (slip, how)) in noticed.iter_mut().zip(slips) {
                *noticed += usize::from(found(Some(slip), how) != expected);
            }
            make_slip(None);
        }
    }
    for (noticed, (slip, _)) in noticed.into_iter().zip(slips) {
        println!("{slip:?}: noticed in {noticed} of {compared} formulas");
        assert!(noticed > 0, "{slip:?} makes no difference");
    }
}
