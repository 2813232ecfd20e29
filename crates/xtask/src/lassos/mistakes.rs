//! The oracle would find a mistake: engines that are wrong on purpose are caught by a few random cases.

use super::compare::temporal_of;
use lariat_base::Id;
use lariat_engine::{RunControl, Temporal};
use lariat_explicit::scc;
use lariat_logic::{Formula, PropId};
use lariat_space::{
    AutomatonObserver, LabelSet, Layer, LayerScratch, Move, Outcome, Product, ReferenceSpace, Sink, State, StateSpace,
    Step, each,
};
use lariat_store::{FlatStore, Noted};
use lariat_system::{DeadEnds, Fairness, Occasion, Strength};
use lariat_testkit::TemporalCase;
use lariat_testkit::oracle::{GraphLimits, RunGraph};
use std::ops::ControlFlow;

/// For so many seeds nothing differs without a mistake.
const SEEDS: u64 = 40;
/// For so many seeds something differs with it.
const MOST_SEEDS: u64 = 4000;

/// What an engine could get wrong about a product.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Mistake {
    /// None: the same code makes no mistake by itself.
    None,
    /// Of several steps between the same states, only the first is there.
    ParallelStepsForgotten,
    /// The letter has the labels of the state that is entered.
    StateEntered,
    /// The letter has no labels of steps.
    StepLabelsForgotten,
    /// Who takes part in a rendezvous counts as acting.
    PeersAreActors,
    /// Only who acts takes part.
    PeersTakeNoPart,
    /// The last action of an atomic path tells who took part in it.
    LastActionCounts,
    /// One strong constraint is not there.
    StrongDropped,
    /// Strong fairness is taken for weak.
    StrongIsWeak,
    /// Weak fairness is taken for strong.
    WeakIsStrong,
    /// What is asked for and what is given are mixed up.
    CompassionTurned,
    /// Dead ends stutter that are to be cut, and the other way round.
    DeadEndsTurned,
}

const MISTAKES: [Mistake; 11] = [
    Mistake::ParallelStepsForgotten,
    Mistake::StateEntered,
    Mistake::StepLabelsForgotten,
    Mistake::PeersAreActors,
    Mistake::PeersTakeNoPart,
    Mistake::LastActionCounts,
    Mistake::StrongDropped,
    Mistake::StrongIsWeak,
    Mistake::WeakIsStrong,
    Mistake::CompassionTurned,
    Mistake::DeadEndsTurned,
];

/// A space that is misread.
struct Misread<'a> {
    space: ReferenceSpace<'a>,
    mistake: Mistake,
}

impl<'a> Layer for Misread<'a> {
    type Below = ReferenceSpace<'a>;
    type Own = ();

    fn below(&self) -> &ReferenceSpace<'a> {
        &self.space
    }
    fn own(&self) {}
    fn listed_steps<K: Sink>(&self, source: &State, _: &mut LayerScratch<Self>, mut sink: K) -> ControlFlow<K::Break> {
        let mut targets: Vec<Vec<u64>> = Vec::new();
        self.space.steps(
            source,
            &mut (),
            each(|step| {
                let Outcome::State(target) = step.target else { return sink.step(step) };
                let (mut labels, mut via) = (step.labels.clone(), step.via.to_vec());
                match self.mistake {
                    Mistake::ParallelStepsForgotten if targets.iter().any(|known| known == target) => {
                        return ControlFlow::Continue(());
                    }
                    Mistake::StateEntered => labels.union_with(&self.space.labels(target, &mut ())),
                    Mistake::StepLabelsForgotten => labels = LabelSet::EMPTY,
                    Mistake::PeersAreActors => {
                        let turned = |by: &Move| by.peer.map(|peer| Move { actor: Some(peer), peer: by.actor, ..*by });
                        via.extend(step.via.iter().filter_map(turned));
                    }
                    Mistake::PeersTakeNoPart => via.iter_mut().for_each(|by| by.peer = None),
                    Mistake::LastActionCounts => drop(via.drain(..via.len() - 1)),
                    _ => {}
                }
                targets.push(target.to_vec());
                sink.step(Step::new(step.target, &labels, &via))
            }),
        )
    }
    fn state_labels(&self, state: &State, _: &mut LayerScratch<Self>) -> LabelSet {
        match self.mistake {
            Mistake::StateEntered => LabelSet::EMPTY,
            _ => self.space.labels(state, &mut ()),
        }
    }
}

/// A case that can be misread, and what is right.
struct Settled {
    seed: u64,
    case: TemporalCase,
    temporal: Temporal,
    fails: bool,
}

/// The case of a seed and, with the same fairness, what every label does for ever again.
fn settled(seed: u64) -> Vec<Settled> {
    let case = TemporalCase::generate(seed);
    let graph = RunGraph::new(&case.system, &GraphLimits::default());
    let (Some(graph), Some(labels)) = (graph, case.labels()) else { return Vec::new() };
    let again = |formula: Formula| Formula::globally(Formula::finally(formula));
    let each = (0..labels.len()).map(|number| Formula::prop(PropId::new(number)));
    let formulas = each.flat_map(|label| [again(label.clone()), again(label.negated())]);
    let formulas = std::iter::once(case.formula.clone()).chain(formulas);
    let cases = formulas.filter_map(|formula| {
        let fails = graph.has_fair_run(&formula.negated(), &labels, &case.system.fairness, 5000)?;
        let case = TemporalCase { formula, ..case.clone() };
        Some(Settled { seed, fails, temporal: temporal_of(&case)?, case })
    });
    cases.collect()
}

/// The constraints as they are misread.
fn constraints(fairness: &[Fairness], mistake: Mistake) -> Vec<Fairness> {
    let misread = |constraint: &Fairness| {
        let Fairness { strength, asked, given } = *constraint;
        let is_compassion = matches!((asked, given), (Occasion::Labelled(_), Occasion::Labelled(_)));
        match (mistake, strength) {
            (Mistake::CompassionTurned, Strength::Strong) if is_compassion => {
                Fairness { strength, asked: given, given: asked }
            }
            (Mistake::WeakIsStrong, Strength::Weak) => Fairness { strength: Strength::Strong, asked, given },
            (Mistake::StrongIsWeak, Strength::Strong) => Fairness { strength: Strength::Weak, asked, given },
            _ => constraint.clone(),
        }
    };
    let mut constraints: Vec<Fairness> = fairness.iter().map(misread).collect();
    if mistake == Mistake::StrongDropped
        && let Some(dropped) = constraints.iter().position(Fairness::is_strong)
    {
        constraints.remove(dropped);
    }
    constraints
}

/// What an engine with the mistake says.
fn says_that_it_fails(settled: &Settled, mistake: Mistake) -> bool {
    let Settled { case, temporal, .. } = settled;
    let space = ReferenceSpace::new(&case.system).expect("random systems are small");
    let space = Misread { space, mistake };
    let observer = AutomatonObserver::new(&temporal.bad, &temporal.labels, true);
    let dead_ends = match (case.system.dead_ends, mistake) {
        (DeadEnds::Stutter, Mistake::DeadEndsTurned) => DeadEnds::Cut,
        (DeadEnds::Cut, Mistake::DeadEndsTurned) => DeadEnds::Stutter,
        (as_it_is, _) => as_it_is,
    };
    let constraints = constraints(&case.system.fairness, mistake);
    let product = Product::new(&space, &observer, temporal.bad.mark_count(), constraints, dead_ends);
    let control = RunControl::new(1 << 26, None);
    let store = FlatStore::new(product.words_per_state(), &control.budget).expect("there is room");
    let store = Noted::new(store, &control.budget);
    scc(&product, product.acceptance(), &store, &control).expect("the pool is no guess").lasso.is_some()
}

#[test]
fn every_mistake_is_caught() {
    let mut not_caught = MISTAKES.to_vec();
    for case in (0..MOST_SEEDS).flat_map(settled) {
        if case.seed < SEEDS {
            assert_eq!(says_that_it_fails(&case, Mistake::None), case.fails, "without a mistake nothing differs");
        }
        not_caught.retain(|&mistake| {
            let caught = says_that_it_fails(&case, mistake) != case.fails;
            if caught {
                println!("{mistake:?} is caught by seed {}", case.seed);
            }
            !caught
        });
        if not_caught.is_empty() && case.seed >= SEEDS {
            break;
        }
    }
    assert_eq!(not_caught, []);
}
