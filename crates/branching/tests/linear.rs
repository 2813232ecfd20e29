//! Properties of linear time by sets of states, against the oracle of testkit, which knows neither automata nor fixpoints;
//! every run is replayed. Deliberate mistakes are noticed.

use crate::star::how_of;
use lariat_automata::{TranslateOptions, translate};
use lariat_branching::{Constraint, How, LinearTime, SpaceStepper, constraints_of};
use lariat_engine::{Demand, FailureKind, Replay, SystemReplay, Temporal};
use lariat_logic::Formula;
use lariat_space::{BitSet, Enumerated, Faults, GraphSets, Natural, ReferenceSpace, State, StateSets, Steps};
use lariat_system::{DeadEnds, LabelId};
use lariat_testkit::TemporalCase;
use lariat_testkit::oracle::{GraphLimits, RunGraph};
use std::convert::Infallible;

/// For so many seeds nothing differs without a mistake.
const SEEDS: u64 = 1500;
/// How many nodes the oracle may write out.
const NODES: usize = 20_000;

/// What could be got wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Mistake {
    None,
    /// Compassion is not looked at.
    CompassionDropped,
    /// What is asked for is not, and what is given always is to be.
    CompassionIsJustice,
    /// What is asked for and what is given are mixed up.
    CompassionTurned,
    /// Justice is not looked at.
    JusticeDropped,
    /// Steps that are taken away stay.
    RestrictionDropped,
    /// Labels of steps, and marks of the automaton with them, are carried by every step.
    LabelsNotLookedAt,
    /// The end of a run is not followed for ever.
    DeadEndsCut,
    /// Some state has no predecessor.
    PreForgets,
}

pub(crate) const MISTAKES: [Mistake; 8] = [
    Mistake::CompassionDropped,
    Mistake::CompassionIsJustice,
    Mistake::CompassionTurned,
    Mistake::JusticeDropped,
    Mistake::RestrictionDropped,
    Mistake::LabelsNotLookedAt,
    Mistake::DeadEndsCut,
    Mistake::PreForgets,
];

pub(crate) type Plain<'g> = GraphSets<'g, fn(u64) -> Result<(), Infallible>>;

/// Sets of states with a mistake.
pub(crate) struct Mistaken<'s, 'g> {
    pub(crate) sets: &'s Plain<'g>,
    pub(crate) mistake: Mistake,
}

impl Mistaken<'_, '_> {
    fn misread(&self, steps: Steps) -> Steps {
        let misread = match self.mistake {
            Mistake::RestrictionDropped => Steps::matching(steps.carried().to_vec(), Vec::new()),
            Mistake::LabelsNotLookedAt => Steps::matching(Vec::new(), steps.missed().to_vec()),
            _ => return steps,
        };
        misread.expect("fewer demands are no contradiction")
    }
}

impl StateSets for Mistaken<'_, '_> {
    type Set = BitSet;
    type Error = Infallible;

    fn empty(&self) -> BitSet {
        self.sets.empty()
    }
    fn initial(&self) -> Result<BitSet, Infallible> {
        self.sets.initial()
    }
    fn satisfying(&self, label: LabelId) -> Result<BitSet, Infallible> {
        self.sets.satisfying(label)
    }
    fn proper_ends(&self) -> Result<BitSet, Infallible> {
        self.sets.proper_ends()
    }
    fn dead_ends(&self, of: &BitSet) -> Result<BitSet, Infallible> {
        if self.mistake == Mistake::DeadEndsCut { Ok(self.empty()) } else { self.sets.dead_ends(of) }
    }
    fn faulty(&self, of: &BitSet, faults: Faults) -> Result<BitSet, Infallible> {
        self.sets.faulty(of, faults)
    }
    fn union(&self, a: &BitSet, b: &BitSet) -> Result<BitSet, Infallible> {
        self.sets.union(a, b)
    }
    fn intersect(&self, a: &BitSet, b: &BitSet) -> Result<BitSet, Infallible> {
        self.sets.intersect(a, b)
    }
    fn minus(&self, a: &BitSet, b: &BitSet) -> Result<BitSet, Infallible> {
        self.sets.minus(a, b)
    }
    fn post(&self, set: &BitSet, steps: Steps) -> Result<BitSet, Infallible> {
        self.sets.post(set, self.misread(steps))
    }
    fn pre(&self, set: &BitSet, steps: Steps) -> Result<BitSet, Infallible> {
        let skipped = usize::from(self.mistake == Mistake::PreForgets);
        self.sets.pre(&self.sets.of(set.iter().skip(skipped)), self.misread(steps))
    }
    fn pick(&self, set: &BitSet) -> Result<Option<Vec<u64>>, Infallible> {
        self.sets.pick(set)
    }
    fn only(&self, state: &State) -> Result<BitSet, Infallible> {
        self.sets.only(state)
    }
    fn count(&self, set: &BitSet) -> Result<Natural, Infallible> {
        self.sets.count(set)
    }
    fn safe_point(&self) -> Result<(), Infallible> {
        Ok(())
    }
}

/// A case, and whether some fair run is bad.
struct Known {
    seed: u64,
    case: TemporalCase,
    temporal: Temporal,
    fails: bool,
    /// Whether there is a fair run at all.
    has_runs: bool,
}

impl Known {
    /// The case of a seed; `None` if it is too large.
    fn new(seed: u64) -> Option<Self> {
        let case = TemporalCase::generate(seed);
        let graph = RunGraph::new(&case.system, &GraphLimits::default())?;
        let (labels, bad) = (case.labels()?, case.formula.negated());
        let fails = graph.has_fair_run(&bad, &labels, &case.system.fairness, NODES)?;
        let has_runs = graph.has_fair_run(&Formula::True, &labels, &case.system.fairness, NODES)?;
        let automaton = translate(&bad, &case.propositions, &TranslateOptions::default()).ok()?;
        let names: Vec<String> = case.propositions.entries().map(|(_, known)| known.text.clone()).collect();
        let demands = vec![Demand::Satisfies(bad)];
        let temporal = Temporal { bad: automaton.over_propositions(&names), labels, demands, is_of_all_states: false };
        Some(Self { seed, case, temporal, fails, has_runs })
    }

    /// Whether some run is known to be fair.
    fn finds_fair_run(&self) -> bool {
        let (system, constraints) = constraints_of(&self.case.system);
        let space = ReferenceSpace::new(&system).expect("small");
        let graph = Enumerated::new(&space, 100).expect("small");
        let sets = GraphSets::new(&graph);
        let (constraints, how) = (&constraints, How::default());
        let property = LinearTime { system: &system, constraints, temporal: &self.temporal, extended: None, how };
        let Ok(found) = property.has_fair_run(&sets, &sets.of(0..graph.states.len()));
        found
    }

    /// Whether a bad run is found, with a mistake. Without one, it must replay.
    fn finds_bad_run(&self, mistake: Mistake, how: How) -> bool {
        let (system, constraints) = constraints_of(&self.case.system);
        let constraints = mistaken(constraints, mistake);
        let space = ReferenceSpace::new(&system).expect("small");
        let graph = Enumerated::new(&space, 100).expect("small");
        let plain = GraphSets::new(&graph);
        let sets = Mistaken { sets: &plain, mistake };
        let property =
            LinearTime { system: &system, constraints: &constraints, temporal: &self.temporal, extended: None, how };
        let all = plain.of(0..graph.states.len());
        let stepper = SpaceStepper::new(&space, &system).telling(self.case.system.labels.len());
        if mistake != Mistake::None {
            // A run of what is not there cannot be told.
            let Ok(found) = property.has_bad_run(&sets, &all);
            return found;
        }
        let Ok(found) = property.bad_run(&sets, &all, &stepper);
        if let Some(evidence) = &found {
            assert_eq!(evidence.kind, FailureKind::Cycle);
            let replay = SystemReplay::of_temporal(&self.case.system, &self.temporal).expect("small");
            let replayed = replay.replay(&evidence.trace, evidence.kind);
            assert!(replayed.is_ok(), "seed {}: {:?}, {:?}\n{}", self.seed, replayed.err(), evidence.trace, self.case);
        }
        found.is_some()
    }
}

pub(crate) fn mistaken(constraints: Vec<Constraint>, mistake: Mistake) -> Vec<Constraint> {
    let changed = |constraint: Constraint| match (mistake, constraint.asked.clone()) {
        (Mistake::CompassionDropped, Some(_)) | (Mistake::JusticeDropped, None) => None,
        (Mistake::CompassionIsJustice, Some(_)) => Some(Constraint { asked: None, ..constraint }),
        (Mistake::CompassionTurned, Some(asked)) => Some(Constraint { asked: Some(constraint.given), given: asked }),
        _ => Some(constraint),
    };
    constraints.into_iter().filter_map(changed).collect()
}

#[test]
fn bad_runs_are_found_where_there_are_some_and_every_mistake_is_noticed() {
    let seeds: u64 = std::env::var("LARIAT_SEEDS").map_or(SEEDS, |seeds| seeds.parse().expect("a number"));
    let cases: Vec<Known> = (0..seeds).filter_map(Known::new).collect();
    for known in &cases {
        for how in [how_of(known.seed), how_of(known.seed / 3)] {
            let found = known.finds_bad_run(Mistake::None, how);
            let Known { seed, fails, case, .. } = known;
            assert_eq!(found, *fails, "seed {seed}, {how:?}: the oracle says {fails}\n{case}");
        }
    }
    let (mut fair, mut found) = (0, 0);
    for known in &cases {
        let finds = known.finds_fair_run();
        assert!(known.has_runs || !finds, "seed {}: there is no fair run\n{}", known.seed, known.case);
        fair += usize::from(known.has_runs);
        found += usize::from(finds);
    }
    println!("fair runs in {fair} of {}, known at once in {found}", cases.len());
    assert!(fair < cases.len() && found * 10 > fair * 8, "{found} of {fair} of {}", cases.len());
    let failing = cases.iter().filter(|known| known.fails).count();
    let cut = cases.iter().filter(|known| known.case.system.dead_ends == DeadEnds::Cut).count();
    println!("{} cases, {failing} of them fail, in {cut} runs may end", cases.len());
    assert!(failing > cases.len() / 5 && failing < cases.len() * 4 / 5, "{failing} of {}", cases.len());
    for mistake in MISTAKES {
        let noticed = cases.iter().filter(|known| known.finds_bad_run(mistake, How::default()) != known.fails).count();
        println!("{mistake:?}: noticed in {noticed} cases");
        assert!(noticed > 0, "{mistake:?} makes no difference");
    }
}
