//! The bit functions against the reference evaluator, on every reachable state of random systems.
//! `LARIAT_SEEDS=20000` for more systems than the ordinary ones, `LARIAT_FIRST=7` to begin with another seed.

use lariat_base::Id;
use lariat_space::{Outcome, ReferenceSpace, State, StateSpace, each};
use lariat_symbolic::BitSpace;
use lariat_system::{Argument, Expr, System, Type, Update};
use lariat_testkit::{Knobs, RandomSystem, Rng, shrink};
use std::collections::{BTreeSet, VecDeque};
use std::ops::ControlFlow;

/// A system is left after so many states, or so many steps: an atomic sequence can have very many paths.
const STATE_LIMIT: usize = 200;
const LINE_LIMIT: u64 = 4000;

fn from_env(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).map_or(otherwise, |value| value.parse().expect("a number"))
}

/// Everything that a space says of a state, written out.
fn listed<S: StateSpace>(space: &S, state: &State, targets: &mut Vec<Vec<u64>>) -> Vec<String> {
    let mut scratch = space.scratch();
    let labels = space.labels(state, &mut scratch);
    let mut lines = vec![format!("{labels:?} {}", space.is_proper_end(state, &mut scratch))];
    let _ = space.steps(
        state,
        &mut scratch,
        each(|step| {
            if let Outcome::State(target) = step.target {
                targets.push(target.to_vec());
            }
            lines.push(format!("{:?}", (step.target, step.labels, step.via)));
            ControlFlow::<()>::Continue(())
        }),
    );
    lines
}

fn initial_of<S: StateSpace>(space: &S) -> Vec<Vec<u64>> {
    let mut states = Vec::new();
    let _ = space.initial(&mut space.scratch(), |state| {
        states.push(state.to_vec());
        ControlFlow::<()>::Continue(())
    });
    states
}

/// What was compared.
#[derive(Default, Debug)]
struct Figures {
    systems: u64,
    states: u64,
    lines: u64,
    noise: u64,
    noise_states: u64,
}

/// Compares the two readings of `system`; gives the first difference.
fn compare(system: &System, rng: &mut Rng, figures: &mut Figures) -> Result<(), String> {
    let (reference, bits) = (ReferenceSpace::new(system).expect("small"), BitSpace::new(system).expect("small"));
    let initial = initial_of(&reference);
    if initial != initial_of(&bits) {
        return Err(format!("initial states: {initial:?} {:?}", initial_of(&bits)));
    }
    figures.systems += 1;
    let mut seen: BTreeSet<Vec<u64>> = initial.iter().cloned().collect();
    let mut queue: VecDeque<Vec<u64>> = initial.iter().cloned().collect();
    let last_line = figures.lines + LINE_LIMIT;
    while let Some(state) = queue.pop_front()
        && figures.lines < last_line
    {
        let mut targets = Vec::new();
        let expected = listed(&reference, &state, &mut targets);
        let found = listed(&bits, &state, &mut Vec::new());
        if expected != found {
            let unpacked = reference.layout.unpack(&state);
            return Err(format!("in {unpacked:?}\nreference: {expected:#?}\nbits: {found:#?}"));
        }
        figures.states += 1;
        figures.lines += expected.len() as u64;
        closed_forms(&reference, &bits, &state, initial.contains(&state), rng, figures)?;
        for target in targets {
            if seen.len() < STATE_LIMIT && seen.insert(target.clone()) {
                queue.push_back(target);
            }
        }
    }
    Ok(())
}

/// The functions that walking does not use: enabledness with the choices quantified, initial states, well-formedness.
fn closed_forms(
    reference: &ReferenceSpace<'_>,
    bits: &BitSpace<'_>,
    state: &State,
    is_initial: bool,
    rng: &mut Rng,
    figures: &mut Figures,
) -> Result<(), String> {
    let encoder = bits.encoder();
    let row = encoder.state_of(state);
    let valuation = reference.layout.unpack(state);
    let fail = |what: &str| Err(format!("{what} in {valuation:?}"));
    let enabled = reference.evaluator.enabled(&valuation);
    for binding in encoder.bindings() {
        let Ok(found) = encoder.enabled(&row, &binding);
        let expected = enabled
            .iter()
            .any(|(_, firing)| firing.action == binding.action && firing.scope.positions == binding.positions);
        if found != expected {
            return fail(&format!("enabled {binding:?}: {found}"));
        }
    }
    let Ok(contest) = encoder.contest(&row, None);
    let Ok(contested) = encoder.is_contested(&contest);
    if contested == enabled.is_empty() {
        return fail("contested");
    }
    let Ok(initial) = encoder.is_initial(&row);
    if initial != is_initial {
        return fail("initial");
    }
    let mut rows = vec![state.to_vec(); 8];
    for noisy in &mut rows[1..] {
        for _ in 0..=rng.below(2) {
            let bit = rng.below(encoder.state_bits());
            noisy[bit / 64] ^= 1 << (bit % 64);
        }
    }
    for words in rows {
        let Ok(found) = encoder.well_formed(&encoder.state_of(&words));
        figures.noise += 1;
        figures.noise_states += u64::from(found);
        if found != is_state(reference, &words) {
            return fail(&format!("well formed {words:x?}: {found}"));
        }
    }
    Ok(())
}

/// Whether `words` are a state, by unpacking them.
fn is_state(reference: &ReferenceSpace<'_>, words: &State) -> bool {
    let (system, layout) = (reference.evaluator.system, &reference.layout);
    let kinds = (0..layout.positions).map(|position| layout.frame_at(words, position));
    if kinds.flatten().any(|frame| frame.index() >= system.frames.len()) {
        return false;
    }
    let state = layout.unpack(words);
    let fits = |ty: Type, cells: &Vec<i64>| cells.iter().all(|&value| system.range(ty).contains(value));
    let locals = |instance: &lariat_system::reference::Instance| {
        let slots = system.frames[instance.frame].slots.iter();
        slots.zip(&instance.locals).all(|(slot, cells)| fits(slot.ty, cells))
    };
    system.slots.iter().zip(&state.globals).all(|(slot, cells)| fits(slot.ty, cells))
        && state.pool.iter().all(locals)
        && layout.pack(&state) == words
}

/// Adds what the generator leaves out: a label listed twice, an argument given twice.
fn with_rarities(mut system: System) -> System {
    for action in system.actions.iter_mut() {
        if let Some((label, condition)) = action.labels.first().cloned() {
            action.labels.push((label, condition.negated()));
        }
        for update in &mut action.updates {
            if let Update::Spawn { frame, arguments } = update
                && let Some(first) = arguments.first().cloned()
            {
                let initial = system.frames[*frame].slots[first.slot].initial_of(0);
                arguments.splice(0..0, [Argument::new(first.slot, Expr::Const(initial)), first]);
            }
        }
    }
    system
}

/// Half of the systems are small; the others vary in what they have much of.
fn knobs(rng: &mut Rng) -> Knobs {
    let knobs = Knobs::default();
    match rng.below(8) {
        0 => Knobs { pool_size: 5, dynamic: true, ..knobs },
        1 => Knobs { depth: 5, wide_percent: 40, halves: true, ..knobs },
        2 => Knobs { choices: 3, actions: 10, ..knobs },
        3 => Knobs { globals: 8, locals: 5, wide_percent: 60, ..knobs },
        _ => knobs,
    }
}

#[test]
fn both_readings_agree_step_by_step() {
    let (first, seeds) = (from_env("LARIAT_FIRST", 0), from_env("LARIAT_SEEDS", 30));
    let mut figures = Figures::default();
    for seed in first..first + seeds {
        let rng = &mut Rng::new(!seed);
        let mut system = RandomSystem::generate(seed, &knobs(rng));
        if rng.chance(30) {
            system = with_rarities(system);
        }
        system.validate().expect("random systems are valid");
        if let Err(difference) = compare(&system, rng, &mut figures) {
            let differs = |system: &System| compare(system, &mut Rng::new(!seed), &mut Figures::default()).is_err();
            let small = if differs(&system) { shrink(&system, differs) } else { system };
            panic!("seed {seed}: {difference}\nshrunk:\n{small}");
        }
    }
    eprintln!("{figures:?}");
    assert!(figures.states > 5 * seeds, "{figures:?}");
}
