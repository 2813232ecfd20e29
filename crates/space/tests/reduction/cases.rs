//! The systems on which reductions are compared, by seed; `cargo xtask audit` has them from here, too.

use lariat_base::{Id, SourceMap};
use lariat_promela::{CheckedModel, ModelOptions, Observation, read_model};
use lariat_system::{DeadEnds, LabelId, LabelMeaning, System};
use lariat_testkit::{CONDITIONS, Knobs, RandomSystem, Rng, random_model, random_talkers, with_private_steps};

/// A system, which of its labels are observed, and about how many formulas of them are asked.
pub(crate) struct Case {
    pub(crate) system: System,
    pub(crate) labels: Vec<LabelId>,
    pub(crate) formulas: usize,
    /// What it was made from, for whoever looks into it.
    pub(crate) text: String,
}

impl Case {
    fn of_system(system: System, labels: Vec<LabelId>, formulas: usize) -> Self {
        Self { text: system.to_string(), system, labels, formulas }
    }
}

/// The labels of states of a system.
fn labels_of_states(system: &System) -> Vec<LabelId> {
    let of_states = |label: &LabelId| matches!(system.labels[*label].meaning, LabelMeaning::State(_));
    system.labels.ids().filter(of_states).collect()
}

/// Random systems with processes that do much by themselves, for `safety`.
pub(crate) fn system(seed: u64) -> Option<Case> {
    let mut rng = Rng::new(seed);
    let knobs = Knobs { ranks: rng.chance(20), invariants: rng.chance(20), ..Knobs::default() };
    let system = RandomSystem::generate(seed, &knobs);
    Some(Case::of_system(with_private_steps(&system, &mut rng).unwrap_or(system), Vec::new(), 0))
}

/// The same with formulas.
pub(crate) fn labelled_system(seed: u64) -> Option<Case> {
    let mut rng = Rng::new(seed);
    let knobs = Knobs { ranks: false, fairness: false, locals: 1, globals: 2, ..Knobs::default() };
    let system = RandomSystem::generate(seed, &knobs);
    let system = with_private_steps(&system, &mut rng).unwrap_or(system);
    let labels = labels_of_states(&system);
    (!labels.is_empty()).then(|| Case::of_system(system, labels, 4))
}

/// Random systems that are made fast, of which thousands can be compared in a second: with channels, or with processes that
/// do much by themselves; some for `safety`, some with letters, a few with formulas.
pub(crate) fn quick_system(seed: u64) -> Option<Case> {
    let mut rng = Rng::new(!seed);
    let system = if rng.chance(75) {
        random_talkers(&mut rng)
    } else {
        let knobs = Knobs { ranks: rng.chance(10), locals: 1, globals: 2, ..Knobs::default() };
        let system = RandomSystem::any(seed, &knobs);
        with_private_steps(&system, &mut rng).unwrap_or(system)
    };
    if system.validate().is_err() {
        return None;
    }
    let (labels, formulas) = match rng.below(20) {
        0..10 => (Vec::new(), 0),
        10 => (system.labels.ids().collect(), 0),
        11 => (labels_of_states(&system), 2),
        _ => (labels_of_states(&system).into_iter().filter(|_| rng.chance(40)).collect(), 0),
    };
    let formulas = if labels.is_empty() { 0 } else { formulas };
    Some(Case::of_system(system, labels, formulas))
}

/// The model of a seed; now and then messages to a full channel are lost.
fn model_of(seed: u64, sources: &mut SourceMap) -> (CheckedModel, String) {
    let mut rng = Rng::new(seed);
    let text = random_model(&mut rng);
    let mut loader = |_: &str, _: &str| Err("nothing is included".to_owned());
    let options = ModelOptions { lose_messages: rng.chance(5), ..ModelOptions::default() };
    let model = read_model(sources, "random.pml", &text, &options, &mut loader)
        .unwrap_or_else(|found| panic!("seed {seed}: {found:?}\n{text}"));
    (model, text)
}

/// The size of the pool for these models: now and then one that is too small.
fn pool_size(seed: u64) -> u16 {
    if seed.is_multiple_of(7) { 4 } else { 6 }
}

/// Random Promela models, for `safety`.
pub(crate) fn model(seed: u64) -> Option<Case> {
    let (model, text) = model_of(seed, &mut SourceMap::default());
    let system = model.system(pool_size(seed)).unwrap_or_else(|found| panic!("seed {seed}: {found:?}\n{text}"));
    Some(Case { system, labels: Vec::new(), formulas: 0, text })
}

/// The same with formulas.
pub(crate) fn model_with_formulas(seed: u64) -> Option<Case> {
    let mut rng = Rng::new(!seed);
    let mut sources = SourceMap::default();
    let (model, text) = model_of(seed, &mut sources);
    let mut conditions: Vec<&str> = (0..1 + rng.below(2)).map(|_| *rng.pick(&CONDITIONS)).collect();
    if rng.chance(30) {
        // Steps of two processes that only the formula brings together.
        conditions = vec!["P0[1]:x == 1", *rng.pick(&["P0[2]:x == 1", "P0[2]@M", "P0[3]:x == 0"])];
    }
    conditions.sort_unstable();
    conditions.dedup();
    let observations: Vec<Observation> = conditions
        .iter()
        .map(|name| {
            let condition = model.phrase(&mut sources, "condition", name).expect("conditions are made of tokens");
            Observation { name: (*name).to_owned(), condition }
        })
        .collect();
    let observed = match model.observing(&mut sources, &observations) {
        Ok(observed) => observed,
        // Not every model has as many processes, or a label that control rests at.
        Err(found) if found.iter().all(|error| ["P0456", "P0461"].contains(&error.code)) => return None,
        Err(found) => panic!("seed {seed}: {found:?}\n{text}"),
    };
    let mut system = observed.system(pool_size(seed)).expect("it could be made before");
    if rng.chance(30) {
        system.dead_ends = DeadEnds::Cut;
    }
    let labels: Vec<LabelId> = (0..conditions.len()).map(LabelId::new).collect();
    Some(Case { system, labels, formulas: 4, text })
}

/// Models and systems that were written to lose something by one wrong assumption each.
#[allow(dead_code)]
pub(crate) fn kept(folder: &std::path::Path) -> Vec<(String, Case)> {
    let mut cases = Vec::new();
    for entry in std::fs::read_dir(folder).expect("the project has models") {
        let path = entry.expect("a folder can be read").path();
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let text = std::fs::read_to_string(&path).expect("a model can be read");
        let system = match path.extension().and_then(|extension| extension.to_str()) {
            Some("sys") => lariat_system::text::parse(&text, lariat_base::FileId(0))
                .unwrap_or_else(|found| panic!("{name}: {found:?}")),
            _ => {
                let lose_messages = text.contains("--lose-messages");
                let options = ModelOptions { lose_messages, ..ModelOptions::default() };
                let mut loader = |_: &str, _: &str| Err("nothing is included".to_owned());
                let model = read_model(&mut SourceMap::default(), "order.pml", &text, &options, &mut loader);
                model.and_then(|model| model.system(6)).unwrap_or_else(|found| panic!("{name}: {found:?}"))
            }
        };
        let (labels, all) = (labels_of_states(&system), system.labels.ids().collect());
        for (labels, formulas) in [(labels, 4), (all, 0)].into_iter().filter(|(labels, _)| !labels.is_empty()) {
            let (system, text) = (system.clone(), text.clone());
            cases.push((name.clone(), Case { system, labels, formulas, text }));
        }
        cases.push((name, Case { system, labels: Vec::new(), formulas: 0, text }));
    }
    cases
}
