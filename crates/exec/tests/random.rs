//! A program lists what the reference evaluator lists, on random systems, and native code lists what the program does.
//!
//! `LARIAT_SEEDS=20000 cargo test --release -p lariat-exec --test all random::` tries more of them.

use lariat_exec::{Backend, Program, SpaceVisitor, first_difference, with_program, with_program_noting_cuts};
use lariat_space::{Outcome, ReferenceSpace, StateSpace, each};
use lariat_system::{ActionId, AfterTrap, Cut, Expr, Fault, LabelMeaning, System, TrapTime};
use lariat_testkit::{Knobs, RandomSystem, shrink};
use std::collections::{BTreeSet, HashSet};
use std::ops::ControlFlow;

/// How many states of a system are compared, at most, and how many actions on the paths of their steps. A few systems
/// have states with millions of atomic paths, for which the reference takes minutes.
const STATES: usize = 300;
const MOVES: usize = 100_000;

fn difference(system: &System, tally: &mut Tally) -> Option<String> {
    let reference = ReferenceSpace::new(system).ok()?;
    let program = match Program::compile(system) {
        Ok(program) => program,
        Err(error) => return Some(error.to_string()),
    };
    let unlabelled = system.actions.iter().all(|action| action.labels.is_empty())
        && system.labels.iter().all(|label| matches!(label.meaning, LabelMeaning::State(_)));
    let limit = tally.add(&program, unlabelled);
    first_difference(&reference, &program, limit).or_else(|| {
        let compare = Comparison { program: &program, limit };
        let (backend, found) = with_program(system, Backend::Native, None, compare).expect("it compiled before");
        tally.native += usize::from(backend == Backend::Native);
        found.map(|found| format!("native: {found}"))
    })
}

struct Comparison<'a> {
    program: &'a Program,
    limit: usize,
}

impl SpaceVisitor for Comparison<'_> {
    type Output = (Backend, Option<String>);

    fn visit<S: StateSpace>(self, space: &S, backend: Backend) -> Self::Output {
        (backend, first_difference(self.program, space, self.limit))
    }
}

/// Without labels of steps, atomic sequences are followed on other ways.
fn unlabel(system: &mut System) {
    system.actions.iter_mut().for_each(|action| action.labels.clear());
    for label in system.labels.iter_mut() {
        if !matches!(label.meaning, LabelMeaning::State(_)) {
            label.meaning = LabelMeaning::State(Expr::TRUE);
        }
    }
}

/// What was met, so that a run shows what it is worth.
#[derive(Default, Debug)]
struct Tally {
    systems: usize,
    native: usize,
    states: usize,
    steps: usize,
    labelled_steps: usize,
    rendezvous: usize,
    long_paths: usize,
    unlabelled_long_paths: usize,
    longest_path: usize,
    guard_or_effect_traps: usize,
    full_pools: usize,
    endless_atomics: usize,
    cut_short: usize,
}

impl Tally {
    /// Counts what `program` lists, and returns how many states of it are to be compared.
    fn add(&mut self, program: &Program, unlabelled: bool) -> usize {
        self.systems += 1;
        let mut scratch = program.scratch();
        let mut states: Vec<Vec<u64>> = Vec::new();
        let mut known = HashSet::new();
        let _ = program.initial(&mut scratch, |state| {
            known.insert(state.to_vec());
            states.push(state.to_vec());
            ControlFlow::<()>::Continue(())
        });
        let (mut at, mut moves) = (0, 0);
        while at < states.len().min(STATES) {
            let source = states[at].clone();
            let flow = program.steps(
                &source,
                &mut scratch,
                each(|step| {
                    moves += step.via.len();
                    if moves > MOVES {
                        return ControlFlow::Break(());
                    }
                    self.steps += 1;
                    self.labelled_steps += usize::from(!step.labels.is_empty());
                    self.rendezvous += usize::from(step.via.iter().any(|by| by.peer.is_some()));
                    self.long_paths += usize::from(step.via.len() > 1);
                    self.unlabelled_long_paths += usize::from(step.via.len() > 1 && unlabelled);
                    self.longest_path = self.longest_path.max(step.via.len());
                    match step.target {
                        Outcome::State(target) if known.len() < STATES && known.insert(target.to_vec()) => {
                            states.push(target.to_vec());
                        }
                        Outcome::State(_) => {}
                        Outcome::Fault(Fault::Trap(..)) => self.guard_or_effect_traps += 1,
                        Outcome::Fault(Fault::PoolFull(_)) => self.full_pools += 1,
                        Outcome::Fault(Fault::EndlessAtomic(_)) => self.endless_atomics += 1,
                    }
                    ControlFlow::Continue(())
                }),
            );
            if flow.is_break() {
                self.cut_short += 1;
                break;
            }
            at += 1;
        }
        self.states += at;
        at
    }
}

#[test]
fn a_program_is_its_reference_on_random_systems() {
    let seeds = std::env::var("LARIAT_SEEDS").ok().and_then(|seeds| seeds.parse().ok()).unwrap_or(60);
    let mut tally = Tally::default();
    for seed in 0..seeds {
        // Not every system uses everything: what is absent takes other paths through the program.
        let knobs = Knobs {
            ranks: seed % 2 == 0,
            holds: seed % 3 != 0,
            traps: seed % 5 != 0,
            dynamic: seed % 7 != 0,
            invariants: seed % 4 == 0,
            halves: seed % 3 == 1,
            ..Knobs::default()
        };
        let mut system = RandomSystem::generate(seed, &knobs);
        if seed % 8 > 3 {
            unlabel(&mut system);
        }
        if let Some(found) = difference(&system, &mut tally) {
            let differs = |system: &System| difference(system, &mut Tally::default());
            let small = shrink(&system, |system| differs(system).is_some());
            let again = differs(&small).unwrap_or_default();
            panic!("seed {seed}: {found}\nshrunk: {again}\n{small}");
        }
    }
    println!("{tally:#?}");
}

/// The system in which what an action goes on past is a cut and no error; and by action, the traps that became cuts.
fn with_cuts(system: &System) -> (System, Vec<Vec<u16>>) {
    let mut cut = system.clone();
    let mut were = Vec::new();
    for action in cut.actions.iter_mut() {
        let mut numbers = Vec::new();
        let traps = std::mem::take(&mut action.traps);
        for (number, trap) in traps.into_iter().enumerate() {
            if trap.time == TrapTime::Effect && trap.after == AfterTrap::GoesOn {
                numbers.push(number as u16);
                action.cuts.push(Cut { condition: trap.condition, span: trap.span });
            } else {
                action.traps.push(trap);
            }
        }
        were.push(numbers);
    }
    (cut, were)
}

/// Cuts by action and number.
type Cuts = BTreeSet<(ActionId, u16)>;

/// Walks a space that notes cuts, and compares its steps with those of a program that does not.
struct Noted<'a> {
    plain: &'a Program,
    limit: usize,
}

impl SpaceVisitor for Noted<'_> {
    type Output = (Option<String>, Option<Cuts>);

    fn visit<S: StateSpace>(self, space: &S, _: Backend) -> Self::Output {
        let found = first_difference(self.plain, space, self.limit);
        (found, walked(space).map(|(_, cuts)| cuts))
    }
}

/// The traps and the cuts that are met in a small space; nothing of a large one.
fn walked<S: StateSpace>(space: &S) -> Option<(BTreeSet<Fault>, Cuts)> {
    let mut scratch = space.scratch();
    let (mut states, mut known) = (Vec::new(), HashSet::new());
    let _ = space.initial(&mut scratch, |state| {
        known.insert(state.to_vec());
        states.push(state.to_vec());
        ControlFlow::<()>::Continue(())
    });
    let (mut faults, mut moves) = (BTreeSet::new(), 0);
    while let Some(source) = states.pop() {
        let flow = space.steps(
            &source,
            &mut scratch,
            each(|step| {
                moves += step.via.len();
                match step.target {
                    Outcome::State(target) if known.insert(target.to_vec()) => states.push(target.to_vec()),
                    Outcome::State(_) => {}
                    Outcome::Fault(fault) => drop(faults.insert(fault)),
                }
                if moves > MOVES || known.len() > STATES { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            }),
        );
        if flow.is_break() {
            return None;
        }
    }
    Some((faults, space.passed(&scratch).cuts.into_iter().collect()))
}

#[test]
fn cuts_are_noted_where_traps_would_be_met_and_change_no_step() {
    let (mut compared, mut met) = (0, 0);
    for seed in 0..60 {
        let knobs = Knobs { ranks: seed % 2 == 0, holds: seed % 3 != 0, traps: true, ..Knobs::default() };
        let mut system = RandomSystem::generate(seed, &knobs);
        if seed % 4 > 1 {
            unlabel(&mut system);
        }
        let (cut, were) = with_cuts(&system);
        let Ok(program) = Program::compile(&cut) else { continue };
        let Some((faults, _)) = ReferenceSpace::new(&system).ok().and_then(|reference| walked(&reference)) else {
            continue;
        };
        let expected: Cuts = faults
            .into_iter()
            .filter_map(|fault| match fault {
                Fault::Trap(action, number) => {
                    let place = were[action.0 as usize].iter().position(|&was| was == number)?;
                    Some((action, place as u16))
                }
                _ => None,
            })
            .collect();
        for backend in [Backend::Bytecode, Backend::Native] {
            let noted = Noted { plain: &program, limit: STATES };
            let (difference, cuts) = with_program_noting_cuts(&cut, backend, None, noted).expect("it compiles");
            assert_eq!(difference, None, "seed {seed}\n{cut}");
            assert_eq!(cuts.as_ref(), Some(&expected), "seed {seed}, {backend:?}\n{cut}");
        }
        compared += 1;
        met += expected.len();
    }
    assert!(compared > 20 && met > 5, "{compared} systems, {met} cuts");
}
