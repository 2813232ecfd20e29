//! Keys: what is listed from key to key is what the program lists from state to state.
#![cfg(feature = "native")]

use lariat_automata::{Acceptance, Mark, MarkSet};
use lariat_exec::{Program, Tiered};
use lariat_space::{
    KeyMoves, KeyedSpace, KeyedSteps, Keys, Letter, Observer, ObserverState, Outcome, Product, StateSpace, WantedKeys,
    Watch, each,
};
use lariat_system::{DeadEnds, System};
use lariat_testkit::{Knobs, RandomSystem};
use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::Mutex;

const WANTED: WantedKeys = WantedKeys { steps: 0, at_once: true, observed_bits: None };

/// The states of a space, up to about so many, in breadth-first order.
fn states_of<S: StateSpace>(program: &S, most: usize) -> Vec<Vec<u64>> {
    let mut scratch = program.scratch();
    let mut states: Vec<Vec<u64>> = Vec::new();
    let mut known = BTreeSet::new();
    let _ = program.initial(&mut scratch, |state| {
        known.insert(state.to_vec());
        states.push(state.to_vec());
        ControlFlow::<()>::Continue(())
    });
    let mut next = 0;
    while next < states.len() && states.len() < most {
        let source = states[next].clone();
        next += 1;
        let _ = program.steps(
            &source,
            &mut scratch,
            each(|step| {
                if let Outcome::State(target) = step.target
                    && known.insert(target.to_vec())
                {
                    states.push(target.to_vec());
                }
                ControlFlow::<()>::Continue(())
            }),
        );
    }
    states
}

/// The state of a key, bit by bit.
fn moved(moves: &KeyMoves, key: &[u64]) -> Vec<u64> {
    let mut state = moves.base.clone();
    for moved in &moves.moves {
        let bits = (0..64).filter(|bit| moved.mask >> bit & 1 == 1);
        for (number, bit) in (moved.shift..).zip(bits) {
            state[moved.word] ^= (key[moved.key_word] >> number & 1) << bit;
        }
    }
    for follow in &moves.follows {
        if state[follow.leader_word] >> follow.leader_bit & 1 == 1 {
            state[follow.word] ^= follow.mask;
        }
    }
    state
}

/// What a state leads to: the states, the actions on the way, and whether nothing went wrong.
fn steps_of(program: &Program, source: &[u64]) -> (Vec<Vec<u64>>, BTreeSet<usize>, u64, bool) {
    let (mut targets, mut taken, mut long, mut plain) = (Vec::new(), BTreeSet::new(), 0, true);
    let mut scratch = program.scratch();
    let _ = program.steps(
        source,
        &mut scratch,
        each(|step| {
            match step.target {
                Outcome::State(target) => {
                    targets.push(target.to_vec());
                    taken.extend(step.via.iter().map(|by| by.action.0 as usize));
                    long += step.via.len() as u64 / KeyedSteps::LONG;
                }
                Outcome::Fault(_) => plain = false,
            }
            ControlFlow::<()>::Continue(())
        }),
    );
    taken.extend(program.passed(&scratch).actions.iter().map(|action| action.0 as usize));
    (targets, taken, long, plain)
}

/// Compares for all states that have a key. How many were listed by keys, and which states have no key.
fn compare(program: &Program, keyed: &dyn KeyedSpace<'_>, states: &[Vec<u64>], name: &str) -> (usize, Vec<u64>) {
    let (mut listed, mut without_key) = (0, Vec::new());
    for state in states {
        let mut key = Vec::new();
        if !keyed.pack(state, &mut key) {
            without_key.extend_from_slice(state);
            continue;
        }
        let mut again = Vec::new();
        keyed.unpack(&key, &mut again);
        assert_eq!(&again, state, "{name}: a key is its state");
        assert_eq!(&moved(keyed.moves(), &key), state, "{name}: and its bits are moved there");
        let mut steps = KeyedSteps::default();
        keyed.lister().list(&key, &mut steps);
        assert_eq!(steps.sources, 1);
        let (targets, taken, long, plain) = steps_of(program, state);
        let mut keys = Vec::new();
        let fits = targets.iter().all(|target| keyed.pack(target, &mut keys));
        match (&steps.left_out[..], &steps.dead_ends[..]) {
            ([0], []) => continue,
            ([], [0]) => assert!(targets.is_empty() && plain, "{name}"),
            _ => assert_eq!((&steps.left_out[..], &steps.dead_ends[..]), (&[][..], &[][..])),
        }
        assert!(plain && fits, "{name}: faults, and states without key, are left out");
        assert_eq!(steps.targets, keys, "{name}");
        assert_eq!((steps.count, steps.long), (targets.len() as u64, long), "{name}");
        let told: BTreeSet<usize> = (0..steps.taken.len()).filter(|&action| steps.taken[action]).collect();
        assert_eq!(told, taken, "{name}");
        listed += 1;
    }
    (listed, without_key)
}

/// How many kinds of keys there are.
const KINDS: usize = 4;

/// Compares a system whose keys of this kind are learned from so many states, and widened again and again. How many states were
/// listed by keys in the end, and how often keys were widened; `None` if there are no keys.
fn check(system: &System, most: usize, learned: usize, kind: usize, name: &str) -> Option<(usize, usize)> {
    let program = Program::compile(system).ok()?;
    let states = states_of(&program, most);
    let tiered = Tiered::new(program.clone(), system);
    if !tiered.will_be_keyed() {
        return None;
    }
    let first = states.iter().take(learned).flatten().copied().collect::<Vec<_>>();
    let mut keyed = tiered.keys_of_kind(kind, &first)?;
    let mut known: Vec<(Vec<u64>, Vec<u64>)> = Vec::new();
    let mut widened = 0;
    loop {
        let (listed, without_key) = compare(&program, &*keyed, &states, name);
        for (state, key) in &known {
            let mut now = Vec::new();
            assert!(keyed.pack(state, &mut now), "{name}: what has a key keeps it");
            assert!(now.starts_with(key) && now[key.len()..].iter().all(|&word| word == 0), "{name}");
        }
        let Some(first) = without_key.get(..program.words_per_state()) else { return Some((listed, widened)) };
        let mut key = Vec::new();
        known = states
            .iter()
            .filter_map(|state| {
                key.clear();
                keyed.pack(state, &mut key).then(|| (state.clone(), key.clone()))
            })
            .collect();
        // All at once after a while.
        let wider = keyed.widened(if widened < 4 { first } else { &without_key });
        let Some(wider) = wider else { return Some((listed, widened)) };
        keyed = wider;
        widened += 1;
    }
}

#[test]
fn from_key_to_key_goes_what_goes_from_state_to_state() {
    for kind in 0..KINDS {
        let mut sum = (0, 0, 0);
        for seed in 0..60 {
            let system = RandomSystem::generate(seed + 60 * kind as u64, &Knobs::default());
            // Few are learned from, so that others do not fit.
            for learned in [1, 20] {
                let name = format!("seed {seed}, kind {kind}, {learned} learned");
                if let Some((listed, widened)) = check(&system, 400, learned, kind, &name) {
                    sum = (sum.0 + 1, sum.1 + listed, sum.2 + widened);
                }
            }
        }
        assert!(sum.0 > 50 && sum.1 > 100 && sum.2 > 80, "kind {kind}: {sum:?}");
    }
}

#[test]
fn so_it_does_in_models() {
    for kind in 0..KINDS {
        let mut sum = (0, 0, 0);
        for path in ["models", "crates/lariat/tests/models"].into_iter().flat_map(crate::reading::models) {
            let Some(system) = crate::reading::system(&path) else { continue };
            let name = format!("{}, kind {kind}", path.display());
            for learned in [10, 300] {
                if let Some((listed, widened)) = check(&system, 500, learned, kind, &name) {
                    sum = (sum.0 + 1, sum.1 + listed, sum.2 + widened);
                }
            }
        }
        assert!(sum.0 > 10 && sum.1 > 1000 && sum.2 > 20, "kind {kind}: {sum:?}");
    }
}

/// An observer of three states that stays, goes on, does either or ends, by two labels.
struct Reader {
    /// By state and labels, if they are written down.
    written: Option<Vec<Vec<(ObserverState, MarkSet)>>>,
}

impl Reader {
    fn new(writes: bool) -> Self {
        let all = || (0..3).flat_map(|from| (0..4).map(move |labels| Self::choose(from, labels))).collect();
        Self { written: writes.then(all) }
    }
    fn choose(from: ObserverState, labels: u64) -> Vec<(ObserverState, MarkSet)> {
        let marked = |mark: u32| [Mark(mark)].into_iter().collect::<MarkSet>();
        match (from, labels) {
            (0, 0) | (1, 3) => vec![(from, MarkSet::EMPTY)],
            (2, 1) => Vec::new(),
            (_, 1) => vec![((from + 1) % 3, marked(1))],
            (_, 2) => vec![(from, marked(0))],
            _ => vec![(from, MarkSet::EMPTY), ((from + 2) % 3, marked(0)), ((from + 1) % 3, marked(1))],
        }
    }
}

impl Observer for Reader {
    fn states(&self) -> u32 {
        3
    }
    fn initial(&self, mut sink: impl FnMut(ObserverState)) {
        sink(0);
    }
    fn moves(&self, from: ObserverState, letter: Letter<'_>, mut sink: impl FnMut(ObserverState, &MarkSet)) {
        Self::choose(from, letter.state.first_word() & 3).iter().for_each(|(to, marks)| sink(*to, marks));
    }
    fn written_moves(&self, from: ObserverState, letter: Letter<'_>) -> Option<&[(ObserverState, MarkSet)]> {
        let at = from as usize * 4 + (letter.state.first_word() & 3) as usize;
        Some(&self.written.as_ref()?[at])
    }
    fn acceptance(&self) -> Acceptance {
        Acceptance::False
    }
    fn reads_steps(&self) -> bool {
        false
    }
}

/// Notes what it sees, and lets nothing go on from one state of the observer.
struct Noting {
    end: Option<ObserverState>,
    met: Mutex<BTreeSet<(ObserverState, ObserverState, u64)>>,
}

impl Watch for Noting {
    fn ends_at(&self, state: ObserverState) -> bool {
        self.end == Some(state)
    }
    fn is_news(&self, _: ObserverState, _: ObserverState, marks: &MarkSet) -> bool {
        !marks.is_empty()
    }
    fn meet(&self, from: ObserverState, to: ObserverState, marks: &MarkSet) {
        self.met.lock().expect("no thread panics with it").insert((from, to, marks.first_word()));
    }
}

/// What a state of a product leads to, the marks on the way, and whether nothing went wrong.
fn pairs_of<S: StateSpace>(product: &S, source: &[u64]) -> (Vec<Vec<u64>>, Vec<u64>) {
    let (mut targets, mut marks) = (Vec::new(), Vec::new());
    let mut scratch = product.scratch();
    let _ = product.steps(
        source,
        &mut scratch,
        each(|step| {
            if let Outcome::State(target) = step.target {
                targets.push(target.to_vec());
                marks.push(step.marks.first_word());
            }
            ControlFlow::<()>::Continue(())
        }),
    );
    (targets, marks)
}

/// Compares the products of a system. How many states were listed by keys.
fn check_product(system: &System, reader: &Reader, dead_ends: DeadEnds, end: Option<ObserverState>) -> Option<usize> {
    let tiered = Tiered::new(Program::compile(system).ok()?, system);
    let product = Product::new(&tiered, reader, 2, Vec::new(), dead_ends);
    if !product.will_be_keyed() {
        return None;
    }
    let states = states_of(&product, 300);
    let noting = Noting { end, met: Mutex::default() };
    let mut first = || states.iter().take(20).flatten().copied().collect::<Vec<_>>();
    let Keys::Now(mut keyed) = product.keys_watched_by(Some(&noting), WANTED, &mut first) else { return None };
    loop {
        let (mut keys, mut all, mut without_key, mut listed) = (Vec::new(), Vec::new(), Vec::new(), 0);
        for state in &states {
            let begin = keys.len();
            if !keyed.pack(state, &mut keys) {
                without_key.extend_from_slice(state);
                continue;
            }
            let key = &keys[begin..];
            let mut again = Vec::new();
            keyed.unpack(key, &mut again);
            assert_eq!((&again, u64::from(keyed.observed(key))), (state, state[state.len() - 1]));
            assert_eq!(&moved(keyed.moves(), key), state);
            let mut steps = KeyedSteps::default();
            noting.met.lock().expect("no thread panics with it").clear();
            keyed.lister().list(key, &mut steps);
            assert_eq!(steps.sources, 1);
            all.extend_from_slice(&steps.targets);
            if steps.left_out == [0] {
                continue;
            }
            let observed = state[state.len() - 1] as ObserverState;
            let (targets, marks) = if end == Some(observed) { Default::default() } else { pairs_of(&product, state) };
            let mut packed = Vec::new();
            assert!(targets.iter().all(|target| keyed.pack(target, &mut packed)), "what has no key is left out");
            assert_eq!((&steps.targets, steps.count), (&packed, targets.len() as u64));
            let is_end: &[u32] = if end == Some(observed) { &[0] } else { &[] };
            assert_eq!(steps.dead_ends, is_end);
            let met = targets.iter().zip(marks).map(|(to, marks)| (observed, to[to.len() - 1] as ObserverState, marks));
            let met: BTreeSet<_> = met.filter(|(_, _, marks)| *marks != 0).collect();
            let told = noting.met.lock().expect("no thread panics with it");
            assert!(met.is_subset(&told), "{met:?} {told:?}");
            assert!(targets.is_empty() == told.is_empty() || met.is_empty(), "{told:?}");
            listed += 1;
        }
        // The same in portions.
        let (mut rest, mut steps, mut at_once) = (&keys[..], KeyedSteps::default(), Vec::new());
        let mut lister = keyed.lister();
        while !rest.is_empty() {
            steps.clear();
            lister.list(rest, &mut steps);
            assert!(steps.sources > 0);
            at_once.extend_from_slice(&steps.targets);
            rest = &rest[steps.sources * keyed.key_words()..];
        }
        drop(lister);
        let sorted = |words: &[u64]| {
            let mut keys: Vec<_> = words.chunks_exact(keyed.key_words()).map(<[u64]>::to_vec).collect();
            keys.sort_unstable();
            keys
        };
        assert_eq!(sorted(&at_once), sorted(&all));
        let Some(wider) = (!without_key.is_empty()).then(|| keyed.widened(&without_key)).flatten() else {
            return Some(listed);
        };
        keyed = wider;
    }
}

#[test]
fn products_go_from_key_to_key_too() {
    let (mut systems, mut listed) = (0, 0);
    let mut check = |system: &System| {
        for (writes, dead_ends, end) in
            [(true, DeadEnds::Stutter, None), (false, DeadEnds::Cut, None), (true, DeadEnds::Stutter, Some(2))]
        {
            if let Some(states) = check_product(system, &Reader::new(writes), dead_ends, end) {
                (systems, listed) = (systems + 1, listed + states);
            }
        }
    };
    for seed in 0..60 {
        check(&RandomSystem::generate(seed, &Knobs::default()));
    }
    for path in ["models", "crates/lariat/tests/models"].into_iter().flat_map(crate::reading::models) {
        crate::reading::system(&path).iter().for_each(&mut check);
    }
    assert!(systems > 100 && listed > 1000, "{systems} {listed}");
}
