//! Numbers of steps in random systems, by every engine that computes them, against a search of the written-out graph that
//! knows no sets; and the runs that show them, replayed.

use lariat::engines;
use lariat_engine::{
    Distance, Extremum, Options, Property, Quantity, Report, RunControl, Settled, SystemReplay, Task, Verdict,
};
use lariat_logic::{Formula, PropId};
use lariat_space::{Enumerated, ReferenceSpace};
use lariat_system::{DeadEnds, Fairness, LabelId, LabelMeaning, System};
use lariat_testkit::{Knobs, RandomSystem, Rng};
use std::sync::Arc;

/// A written-out graph, with what stutters.
struct Oracle {
    /// Steps with, for each constraint, whether they meet it.
    steps: Vec<Vec<(usize, Vec<bool>)>>,
    fair: Vec<bool>,
}

impl Oracle {
    fn new(graph: &Enumerated, system: &System, justice: &[LabelId]) -> Self {
        let is_state = |label: &LabelId| matches!(system.labels[*label].meaning, LabelMeaning::State(_));
        let meets = |state: usize, step: Option<usize>| -> Vec<bool> {
            let met = |label: &LabelId| match is_state(label) {
                true => graph.labels[state].contains(*label),
                false => step.is_some_and(|step| graph.carried[state][step].contains(*label)),
            };
            justice.iter().map(met).collect()
        };
        let steps = (0..graph.states.len()).map(|state| {
            let real = graph.successors[state].iter().enumerate().map(|(step, &to)| (to, meets(state, Some(step))));
            let repeats = graph.successors[state].is_empty() && system.dead_ends == DeadEnds::Stutter;
            real.chain(repeats.then(|| (state, meets(state, None)))).collect()
        });
        let mut oracle = Self { steps: steps.collect(), fair: Vec::new() };
        let reach: Vec<Vec<bool>> = (0..graph.states.len()).map(|state| oracle.reached_from(state)).collect();
        let is_core = |state: usize| {
            let together = |other: usize| reach[state][other] && reach[other][state];
            let of_component = |constraint: usize| {
                let mut inner =
                    (0..reach.len()).filter(|&member| together(member)).flat_map(|member| &oracle.steps[member]);
                inner.any(|(to, met)| together(*to) && met[constraint])
            };
            reach[state][state] && (0..justice.len()).all(of_component)
        };
        let cores: Vec<bool> = (0..reach.len()).map(is_core).collect();
        let is_fair = |state: usize| cores[state] || (0..reach.len()).any(|core| cores[core] && reach[state][core]);
        oracle.fair = (0..reach.len()).map(is_fair).collect();
        oracle
    }

    /// What one or more steps lead to.
    fn reached_from(&self, state: usize) -> Vec<bool> {
        let mut seen = vec![false; self.steps.len()];
        let mut waiting = vec![state];
        while let Some(state) = waiting.pop() {
            for (target, _) in &self.steps[state] {
                if !std::mem::replace(&mut seen[*target], true) {
                    waiting.push(*target);
                }
            }
        }
        seen
    }

    fn next(&self, state: usize) -> impl Iterator<Item = usize> {
        self.steps[state].iter().map(|(to, _)| *to).filter(|to| self.fair[*to])
    }

    /// The least number from the state: better and better guesses, backwards.
    fn least(&self, goal: &[bool]) -> Vec<Option<u64>> {
        let mut least: Vec<Option<u64>> =
            (0..goal.len()).map(|state| (goal[state] && self.fair[state]).then_some(0)).collect();
        for _ in 0..goal.len() {
            for state in (0..goal.len()).filter(|state| self.fair[*state]) {
                let by_step = self.next(state).filter_map(|to| least[to]).min().map(|steps| steps + 1);
                least[state] = [least[state], by_step].into_iter().flatten().min();
            }
        }
        least
    }

    /// The greatest number from the state, by following every way; `None` if one comes back to where it was.
    fn greatest(
        &self,
        state: usize,
        goal: &[bool],
        on_way: &mut Vec<usize>,
        known: &mut [Option<Option<u64>>],
    ) -> Option<u64> {
        if goal[state] {
            return Some(0);
        }
        if on_way.contains(&state) {
            return None;
        }
        if let Some(known) = known[state] {
            return known;
        }
        on_way.push(state);
        let further: Option<Vec<u64>> = self.next(state).map(|to| self.greatest(to, goal, on_way, known)).collect();
        on_way.pop();
        let found = further.map(|steps| 1 + steps.into_iter().max().expect("a fair state has a fair successor"));
        known[state] = Some(found);
        found
    }

    fn quantity(&self, extremum: Extremum, from: &[bool], to: &[bool]) -> Quantity {
        let starts: Vec<usize> = (0..from.len()).filter(|&state| from[state] && self.fair[state]).collect();
        if starts.is_empty() {
            return Quantity::NoStart(extremum);
        }
        if extremum == Extremum::Least {
            let least = self.least(to);
            return starts
                .iter()
                .filter_map(|&start| least[start])
                .min()
                .map_or(Quantity::Unreachable, Quantity::Steps);
        }
        let mut known = vec![None; from.len()];
        let of_starts = starts.iter().map(|&start| self.greatest(start, to, &mut Vec::new(), &mut known));
        let greatest: Option<Vec<u64>> = of_starts.collect();
        greatest
            .map_or(Quantity::Unbounded, |steps| Quantity::Steps(steps.into_iter().max().expect("there are starts")))
    }
}

/// A formula about single states, and where it holds.
fn condition(rng: &mut Rng, graph: &Enumerated, labels: &[LabelId]) -> (Formula, Vec<bool>) {
    let mut holds = vec![true; graph.states.len()];
    let mut parts = Vec::new();
    for _ in 0..1 + rng.below(3) {
        let (number, wanted) = (rng.below(labels.len()), rng.chance(50));
        let prop = Formula::prop(PropId(number as u32));
        parts.push(if wanted { prop } else { Formula::not(prop) });
        for (holds, state) in holds.iter_mut().zip(&graph.labels) {
            *holds &= state.contains(labels[number]) == wanted;
        }
    }
    (Formula::and(parts), holds)
}

fn replayed(system: &Arc<System>, property: &Property, report: Report) -> Result<Settled, String> {
    let replay = SystemReplay::of_branching(system, property).expect("a small system");
    Settled::new("steps", "test", Arc::clone(system), report, &replay).map_err(|error| error.to_string())
}

/// Runs with a step too few or too many are found out.
fn ensure_counted(system: &Arc<System>, property: &Property, report: &Report, steps: u64) {
    let more = Report { verdict: Verdict::Computed(Quantity::Steps(steps + 1)), ..report.clone() };
    assert!(replayed(system, property, more).is_err(), "there are only {steps} steps");
    let mut cut = report.clone();
    // Before it there may be a run that leads to its beginning.
    let first = &mut cut.witnesses[0];
    let counted = if first.nested.is_empty() { first } else { &mut first.nested[0].1 };
    if counted.steps.pop().is_some() {
        cut.verdict = Verdict::Computed(Quantity::Steps(steps - 1));
        assert!(replayed(system, property, cut).is_err(), "the end is missing");
    }
}

#[test]
fn steps_are_counted_right_and_shown() {
    let seeds: u64 = std::env::var("LARIAT_SEEDS").map_or(150, |seeds| seeds.parse().expect("a number"));
    let (mut found, mut by, mut endless) = ([[0; 4]; 2], Vec::new(), 0);
    for seed in 0..seeds {
        let rng = &mut Rng::new(seed ^ 0xd157);
        let mut system = RandomSystem::generate(seed, &Knobs::default());
        system.dead_ends = if rng.chance(50) { DeadEnds::Cut } else { DeadEnds::Stutter };
        let is_state = |label: &LabelId| matches!(system.labels[*label].meaning, LabelMeaning::State(_));
        let (of_states, of_steps): (Vec<LabelId>, Vec<LabelId>) = system.labels.ids().partition(is_state);
        let Ok(graph) = Enumerated::new(&ReferenceSpace::new(&system).expect("small"), 60) else { continue };
        if of_states.is_empty() {
            continue;
        }
        let labels: Vec<LabelId> = of_states.iter().chain(&of_steps).copied().collect();
        let justice: Vec<LabelId> = (0..rng.below(3)).map(|_| *rng.pick(&labels)).collect();
        system.fairness = justice.iter().map(|label| Fairness::justice(*label)).collect();
        let oracle = Oracle::new(&graph, &system, &justice);
        let system = Arc::new(system);
        for extremum in [Extremum::Least, Extremum::Greatest, Extremum::Greatest] {
            let (from, starts) = condition(rng, &graph, &of_states);
            let (to, goal) = condition(rng, &graph, &of_states);
            let expected = oracle.quantity(extremum, &starts, &goal);
            found[usize::from(extremum == Extremum::Greatest)][kind(expected)] += 1;
            let distance = Distance::new(extremum, from, &to, of_states.clone()).expect("they are of CTL");
            let told =
                format!("seed {seed}: {extremum} {:?} under {justice:?} of\n{system}", distance.formulas.formula);
            let property = Property::Distance(Box::new(distance));
            let task = Task::of_system(&system, property.clone(), Options::default());
            for engine in engines().iter() {
                let Ok(prepared) = engine.prepare(&task) else { continue };
                let report = prepared.run(&RunControl::new(1 << 28, None)).expect("it runs");
                assert_eq!(report.verdict, Verdict::Computed(expected), "{}: {told}", engine.name());
                let settled = replayed(&system, &property, report.clone());
                let settled = settled.unwrap_or_else(|error| panic!("{}: {error}: {told}", engine.name()));
                if let Quantity::Steps(steps) = expected {
                    assert_eq!(settled.witnesses().len(), 1, "{}: {told}", engine.name());
                    ensure_counted(&system, &property, &report, steps);
                }
                let is_endless = expected == Quantity::Unbounded && !settled.witnesses().is_empty();
                assert!(
                    is_endless || expected != Quantity::Unbounded || !justice.is_empty(),
                    "{}: {told}",
                    engine.name()
                );
                endless += u32::from(is_endless);
                if !by.contains(&engine.name()) {
                    by.push(engine.name());
                }
            }
        }
    }
    eprintln!("{found:?} by {by:?}, {endless} endless runs");
    assert_eq!(by, ["symbolic", "graph"]);
    let [[few, unreachable, _, none], [many, _, unbounded, nothing]] = found;
    let least = seeds as u32 / 30;
    assert!(
        [few, unreachable, none, many, unbounded, nothing, endless].iter().all(|count| *count > least),
        "{found:?}"
    );
}

fn kind(quantity: Quantity) -> usize {
    match quantity {
        Quantity::Steps(_) => 0,
        Quantity::Unreachable => 1,
        Quantity::Unbounded => 2,
        Quantity::NoStart(_) => 3,
    }
}
