//! `scc`, which goes from state to state, and `symbolic`, which goes through sets of states, agree on temporal properties of
//! every model that both take: without fairness, and with weak and strong fairness of processes in Promela. Models of the corpus are
//! looked at where it is at hand.
//!
//! A pair is left out, and counted, where one of them refuses the property or does not come to an end within its limits. A release build has
//! more patience.

use crate::support::{corpus, sample, word};
use lariat::front::PropertyKind;
use lariat::{CheckOptions, Limits, Model, ProcessFairness, ReadOptions};
use lariat_engine::CodeKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The most products of a state and one of the automaton that `scc` may visit where `symbolic` is asked too.
const MOST_STATES: u64 = if cfg!(debug_assertions) { 300 } else { 200_000 };
/// How long each may take.
const PATIENCE: Duration = Duration::from_millis(if cfg!(debug_assertions) { 100 } else { 300 });

/// One in so many models of the corpus is looked at by a development build.
const SAMPLE: usize = 3;

#[derive(Default)]
struct Agreement {
    models: usize,
    compared: usize,
    fails: usize,
    /// Refused, or not settled in time.
    left_out: usize,
    wrong: Vec<String>,
}

impl Agreement {
    /// Compares all temporal properties of the model.
    fn look_at(&mut self, path: &Path) {
        let Ok(mut model) = Model::read(path, &ReadOptions::default()) else { return };
        let is_temporal = |kind: PropertyKind| !matches!(kind, PropertyKind::CtlStar | PropertyKind::Distance);
        let properties = model.properties().iter().filter(|property| is_temporal(property.kind));
        let names: Vec<String> = properties.map(|property| property.name.clone()).collect();
        self.models += usize::from(!names.is_empty());
        let kinds = [ProcessFairness::None, ProcessFairness::Weak, ProcessFairness::Strong];
        let kinds = if path.extension().is_some_and(|end| end == "pml") { &kinds[..] } else { &kinds[..1] };
        for name in &names {
            for &processes in kinds {
                let of_states = settle(&mut model, name, processes, "scc");
                let known = of_states.filter(|(_, states)| *states <= MOST_STATES);
                if known.is_none() && cfg!(debug_assertions) {
                    // What is too large without fairness is no smaller with it.
                    self.left_out += 1;
                    break;
                }
                let of_sets = known.and_then(|_| settle(&mut model, name, processes, "symbolic"));
                match (known, of_sets) {
                    (Some((by_states, _)), Some((by_sets, _))) => {
                        self.compared += 1;
                        self.fails += usize::from(by_states == "fails");
                        if by_states != by_sets {
                            let path = path.display();
                            self.wrong.push(format!("{path} {name}, {processes:?}: {by_states}, by sets {by_sets}"));
                        }
                    }
                    _ => self.left_out += 1,
                }
            }
        }
    }

    fn conclude(&self, least: usize) {
        let Self { models, compared, fails, left_out, wrong } = self;
        println!("{models} models: {compared} answers compared, {fails} of them *fails*; {left_out} left out");
        assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
        assert!(*compared >= least, "only {compared} answers compared");
    }
}

/// The verdict and the states that were visited; `None` if there is no answer.
fn settle(
    model: &mut Model,
    name: &str,
    processes: ProcessFairness,
    engine: &'static str,
) -> Option<(&'static str, u64)> {
    let mut options =
        CheckOptions { properties: vec![name.to_owned()], engine: Some(engine), ..CheckOptions::default() };
    options.fairness.processes = processes;
    if engine == "scc" {
        options.options.code = CodeKind::Bytecode;
    }
    let control = Limits { memory_bytes: 1 << 29, time: Some(PATIENCE) }.control();
    let checked = lariat::check(model, &options, &control).ok()?;
    let report = checked.settled[0].report();
    let said = word(&report.verdict);
    (said != "undecided").then_some((said, report.stats.states))
}

fn models_in(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("there is a folder");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("it can be listed").path()).collect();
    files.retain(|path| path.extension().is_some_and(|end| end == "pml" || end == "smv"));
    files.sort();
    files
}

#[test]
fn on_our_models() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut agreement = Agreement::default();
    for folder in ["../../models", "../../models/fairness", "tests/models"] {
        models_in(&root.join(folder)).iter().for_each(|path| agreement.look_at(path));
    }
    agreement.conclude(if cfg!(debug_assertions) { 10 } else { 40 });
}

#[test]
fn on_the_corpus_of_smv() {
    let Some(corpus) = corpus("smv") else { return };
    let mut agreement = Agreement::default();
    for folder in ["semantics", "known-bugs", "nusmv", "fairness"] {
        sample(models_in(&corpus.join(folder)), SAMPLE).iter().for_each(|path| agreement.look_at(path));
    }
    agreement.conclude(if cfg!(debug_assertions) { 10 } else { 30 });
}

#[test]
fn on_the_corpus_of_promela() {
    let Some(corpus) = corpus("promela") else { return };
    let mut agreement = Agreement::default();
    for folder in ["semantics", "conformance", "known-bugs"] {
        sample(models_in(&corpus.join(folder)), SAMPLE).iter().for_each(|path| agreement.look_at(path));
    }
    agreement.conclude(if cfg!(debug_assertions) { 3 } else { 10 });
}
