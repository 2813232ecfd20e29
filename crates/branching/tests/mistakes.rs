//! Wrong sets of states would be noticed: each deliberate mistake changes the answer to some formula on some random graph,
//! so what the fixpoints compute depends on every operation of the trait, and on each in the way it should.

use crate::ctl::random_constraint;
use lariat_branching::{Checker, Constraint, FairStates, How, breadth_first};
use lariat_engine::Branching;
use lariat_space::{BitSet, Enumerated, Faults, GraphSets, Natural, ReferenceSpace, State, StateSets, Steps};
use lariat_system::{DeadEnds, LabelId, LabelMeaning};
use lariat_testkit::{FormulaKnobs, Knobs, RandomSystem, Rng, random_ctl};
use std::convert::Infallible;
use std::ops::ControlFlow;

/// A mistake in sets of states.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Mistake {
    /// Steps are taken backwards the wrong way round.
    PreIsPost,
    /// The label of steps is not looked at.
    EveryStepCarries,
    /// No step carries the label.
    NoStepCarries,
    /// Some state has no successor.
    PostForgets,
    /// Some state has no predecessor.
    PreForgets,
    /// There are no dead ends.
    NoDeadEnds,
    /// Every state is a dead end.
    AllDeadEnds,
    /// Labels hold where they do not.
    LabelsSwapped,
    /// One initial state is left out.
    InitialForgotten,
    /// What is in the second set is not left out.
    MinusKeeps,
    /// Only what is in both is in the union.
    UnionIsIntersection,
}

const ALL: [Mistake; 11] = [
    Mistake::PreIsPost,
    Mistake::EveryStepCarries,
    Mistake::NoStepCarries,
    Mistake::PostForgets,
    Mistake::PreForgets,
    Mistake::NoDeadEnds,
    Mistake::AllDeadEnds,
    Mistake::LabelsSwapped,
    Mistake::InitialForgotten,
    Mistake::MinusKeeps,
    Mistake::UnionIsIntersection,
];

type Plain<'g> = GraphSets<'g, fn(u64) -> Result<(), Infallible>>;

struct Mistaken<'s, 'g> {
    sets: &'s Plain<'g>,
    mistake: Option<Mistake>,
}

impl Mistaken<'_, '_> {
    fn makes(&self, mistake: Mistake) -> bool {
        self.mistake == Some(mistake)
    }
    fn without_first(&self, set: &BitSet) -> BitSet {
        self.sets.of(set.iter().skip(1))
    }
    fn mistaken(&self, steps: Steps) -> Option<Steps> {
        match steps {
            Steps::Carrying(_) if self.makes(Mistake::EveryStepCarries) => Some(Steps::All),
            Steps::Carrying(_) if self.makes(Mistake::NoStepCarries) => None,
            steps => Some(steps),
        }
    }
}

impl StateSets for Mistaken<'_, '_> {
    type Set = BitSet;
    type Error = Infallible;

    fn empty(&self) -> BitSet {
        self.sets.empty()
    }
    fn initial(&self) -> Result<BitSet, Infallible> {
        let initial = self.sets.initial()?;
        Ok(if self.makes(Mistake::InitialForgotten) { self.without_first(&initial) } else { initial })
    }
    fn satisfying(&self, label: LabelId) -> Result<BitSet, Infallible> {
        let holds = self.sets.satisfying(label)?;
        let all = self.sets.of(0..self.sets.graph().states.len());
        if self.makes(Mistake::LabelsSwapped) { self.sets.minus(&all, &holds) } else { Ok(holds) }
    }
    fn proper_ends(&self) -> Result<BitSet, Infallible> {
        self.sets.proper_ends()
    }
    fn dead_ends(&self, of: &BitSet) -> Result<BitSet, Infallible> {
        match self.mistake {
            Some(Mistake::NoDeadEnds) => Ok(self.empty()),
            Some(Mistake::AllDeadEnds) => Ok(of.clone()),
            _ => self.sets.dead_ends(of),
        }
    }
    fn faulty(&self, of: &BitSet, faults: Faults) -> Result<BitSet, Infallible> {
        self.sets.faulty(of, faults)
    }
    fn union(&self, a: &BitSet, b: &BitSet) -> Result<BitSet, Infallible> {
        if self.makes(Mistake::UnionIsIntersection) { self.sets.intersect(a, b) } else { self.sets.union(a, b) }
    }
    fn intersect(&self, a: &BitSet, b: &BitSet) -> Result<BitSet, Infallible> {
        self.sets.intersect(a, b)
    }
    fn minus(&self, a: &BitSet, b: &BitSet) -> Result<BitSet, Infallible> {
        if self.makes(Mistake::MinusKeeps) { Ok(a.clone()) } else { self.sets.minus(a, b) }
    }
    fn post(&self, set: &BitSet, steps: Steps) -> Result<BitSet, Infallible> {
        let Some(steps) = self.mistaken(steps) else { return Ok(self.empty()) };
        let set = if self.makes(Mistake::PostForgets) { self.without_first(set) } else { set.clone() };
        self.sets.post(&set, steps)
    }
    fn pre(&self, set: &BitSet, steps: Steps) -> Result<BitSet, Infallible> {
        let Some(steps) = self.mistaken(steps) else { return Ok(self.empty()) };
        let set = if self.makes(Mistake::PreForgets) { self.without_first(set) } else { set.clone() };
        if self.makes(Mistake::PreIsPost) { self.sets.post(&set, steps) } else { self.sets.pre(&set, steps) }
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

/// A system with its graph.
struct Case {
    graph: Enumerated,
    of_states: Vec<LabelId>,
    of_steps: Vec<LabelId>,
}

impl Case {
    fn new(seed: u64) -> Option<Self> {
        let system = RandomSystem::generate(seed, &Knobs::default());
        let of = |states: bool| {
            let wanted = |meaning: &LabelMeaning| matches!(meaning, LabelMeaning::State(_)) == states;
            let labels = system.labels.entries().filter(move |(_, label)| wanted(&label.meaning));
            labels.map(|(id, _)| id).collect::<Vec<LabelId>>()
        };
        let (of_states, of_steps) = (of(true), of(false));
        let graph = Enumerated::new(&ReferenceSpace::new(&system).expect("small"), 40).ok()?;
        (!of_states.is_empty() && !of_steps.is_empty()).then_some(Self { graph, of_states, of_steps })
    }

    /// What is found about a random formula: the rings, and where it holds unless `only_rings`.
    fn answers(&self, seed: u64, mistake: Option<Mistake>, only_rings: bool) -> (Vec<BitSet>, Option<BitSet>) {
        let rng = &mut Rng::new(seed);
        let knobs = FormulaKnobs { operators: 5, props: self.of_states.len() as u32, ..FormulaKnobs::default() };
        let property = Branching::new(random_ctl(rng, &knobs), self.of_states.clone()).expect("it is of CTL");
        let constraint = |rng: &mut Rng| random_constraint(rng, &self.of_states, &self.of_steps);
        let constraints: Vec<Constraint> = (0..rng.below(3)).map(|_| constraint(rng)).collect();
        let plain = GraphSets::new(&self.graph);
        let sets = Mistaken { sets: &plain, mistake };
        let most = self.graph.states.len() + 1;
        let Ok(rings) = breadth_first(&sets, |_, _, depth| {
            Ok(if depth > most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        });
        if only_rings {
            return (rings.rings, None);
        }
        let Ok(states) = FairStates::new(&sets, rings.reached, DeadEnds::Stutter, &constraints, How::default());
        let mut checker = Checker::new(&sets, &property, states);
        let Ok(value) = checker.value(property.root());
        (rings.rings, Some(value))
    }
}

#[test]
fn every_mistake_is_noticed() {
    let cases: Vec<Case> = (0..120).filter_map(Case::new).collect();
    assert!(cases.len() > 10, "only {} small systems", cases.len());
    for mistake in ALL {
        // With these, other fixpoints need not end.
        let only_rings = matches!(mistake, Mistake::MinusKeeps | Mistake::UnionIsIntersection);
        let notice = |case: &Case| {
            (0..30).any(|seed| case.answers(seed, None, only_rings) != case.answers(seed, Some(mistake), only_rings))
        };
        let noticed = cases.iter().filter(|case| notice(case)).count();
        println!("{mistake:?}: noticed on {noticed} of {} systems", cases.len());
        assert!(noticed > 0, "{mistake:?} makes no difference");
    }
}
