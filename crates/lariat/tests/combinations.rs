//! Every store with every engine over the whole corpus, and every combination of options on small models: the right verdict,
//! or a refusal that says why.
//!
//! Rows of the corpus with at most `LARIAT_COMBINATION_STATES` states are looked at, 60 if it is not set; with
//! `LARIAT_COMBINATIONS=all` all combinations, else some of them, picked by chance.

use crate::support::{BITSTATE, CACHE, Row, STORES, engine_choices, rows, sample};
use lariat::{CheckError, CheckOptions, Limits, Model, ProcessFairness, Questions, ReadOptions, Verdict, WhenFull};
use lariat_engine::{
    AcceptanceKind, CodeKind, CompassionBy, Disk, FairBy, FairSearch, HeuristicKind, Prune, Restrict, Shortfall, Split,
    StoreKind, TemporalBy,
};
use std::path::Path;
use std::time::Duration;

/// What came of a search.
#[derive(PartialEq, Eq, Debug)]
enum Said {
    Holds,
    Fails,
    /// Nothing was found, and something may have been missed.
    Lossy,
    /// A limit was met.
    Short,
    Refused,
}

/// Searches, and checks what is the case whatever was asked for.
fn say(questions: &Questions, model: &Model, options: &CheckOptions, limits: &Limits) -> Result<Said, String> {
    let store = options.options.store;
    let checked = match questions.settle(model, options, &limits.control()) {
        Ok(checked) => checked,
        Err(CheckError::Unused(_)) => return Ok(Said::Refused),
        Err(CheckError::Refused(reason)) => {
            let says = ["the engine `", "no engine supports", "`--when-full"];
            return match reason.len() > 40 && says.iter().any(|words| reason.contains(words)) {
                true => Ok(Said::Refused),
                false => Err(format!("a poor refusal: {reason}")),
            };
        }
        Err(error) => return Err(error.to_string()),
    };
    let report = checked.settled[0].report();
    if let Some(disk) = report.stats.disk.as_ref().filter(|disk| disk.is_paused) {
        // A run that met its limit is kept for `resume`, and nobody goes on with this one.
        let _ = std::fs::remove_dir_all(&disk.folder);
    }
    let used = report.stats.store;
    // Sets of states need none, and a search on disk or by workers has its own: they refuse any but the default.
    let has_own = ["", "disk", "shares"].contains(&used) && store == StoreKind::Tree;
    if !has_own && ![Some(store.name()), options.when_full.map(|next| next.name())].contains(&Some(used)) {
        return Err(format!("the store was `{used}`"));
    }
    let is_lossy = ["bitstate", "compact"].contains(&used);
    if let Some(remembered) = &report.stats.remembered
        && is_lossy
        && matches!(report.verdict, Verdict::Undecided(Shortfall::Lossy { .. }))
        && remembered.runs != options.options.runs
    {
        return Err(format!("{} runs", remembered.runs));
    }
    match &report.verdict {
        Verdict::Holds if is_lossy => Err("a lossy search says that it holds".to_owned()),
        Verdict::Holds => Ok(Said::Holds),
        Verdict::Fails(_) => Ok(Said::Fails),
        Verdict::Undecided(Shortfall::Lossy { coverage }) if is_lossy && *coverage > 0.9 => Ok(Said::Lossy),
        Verdict::Undecided(Shortfall::Memory { .. } | Shortfall::Time { .. } | Shortfall::Depth { .. }) => {
            Ok(Said::Short)
        }
        Verdict::Undecided(shortfall) => Err(format!("undecided: {shortfall:?}")),
        Verdict::Computed(quantity) => Err(format!("nobody asked for a number: {quantity}")),
    }
}

/// Whether this may be said where the truth is known.
fn fits(said: &Said, holds: bool) -> bool {
    match said {
        Said::Holds | Said::Lossy => holds,
        Said::Fails => !holds,
        Said::Short | Said::Refused => true,
    }
}

/// The rows that are small enough.
fn small_rows() -> Option<Vec<Row>> {
    let limit =
        std::env::var("LARIAT_COMBINATION_STATES").map_or(60, |limit| limit.parse().expect("a number of states"));
    let mut small = Vec::new();
    for folder in ["semantics", "conformance", "known-bugs"] {
        // Where nobody counted them there may be many, but for the few models that others judge wrongly.
        let unknown = if folder == "known-bugs" { 0 } else { 20_000 };
        small.extend(rows(folder)?.into_iter().filter(|row| {
            // Reduction is a matter of other tests; and `hidden` variables make SPIN's answer depend on the order.
            row.states.unwrap_or(unknown) <= limit && row.reduce.is_none() && row.file_name() != "e08.pml"
        }));
    }
    Some(sample(small, 3))
}

#[test]
fn every_store_with_every_engine_over_the_corpus() {
    let Some(rows) = small_rows() else { return };
    let time = Some(Duration::from_millis(500));
    // Some stores clear all memory that they may have, and the buffers of a search on disk need about 20 MiB.
    let (small, usual) = (Limits { memory_bytes: 2 << 20, time }, Limits { memory_bytes: 1 << 25, time });
    let ample = Limits { memory_bytes: 1 << 30, time: None };
    let (mut answers, mut short, mut refusals, mut wrong) = (0, 0, 0, Vec::new());
    for row in &rows {
        let holds = row.verdict == "holds";
        let mut model = row.model().expect("a model of the corpus");
        let mut options = plain(&row.property);
        options.fairness.processes = row.fairness;
        let questions = Questions::of(&mut model, &options).expect("it can be asked");
        for engine in engine_choices() {
            // Without a product states have one part only, and `--split` is refused.
            let is_split =
                |store: &StoreKind| matches!(store, StoreKind::Hybrid { split } if *split != Split::default());
            for store in STORES.into_iter().filter(|store| row.property != "safety" || !is_split(store)) {
                (options.engine, options.options.store) = (engine, store);
                let forgets = matches!(store, StoreKind::Cache { .. });
                for limits in [Some(&usual), forgets.then_some(&small)].into_iter().flatten() {
                    let plain = engine.is_none() && store == StoreKind::Tree;
                    let limits = if plain { &ample } else { limits };
                    let said = say(&questions, &model, &options, limits);
                    match &said {
                        Ok(Said::Refused) => refusals += 1,
                        Ok(Said::Short) => short += 1,
                        _ => answers += 1,
                    }
                    let fits = said.as_ref().is_ok_and(|said| match said {
                        // Nobody who leaves the choice to us is refused, but that strong fairness needs all states; and
                        // small models are settled.
                        Said::Refused => {
                            let strong = row.fairness == ProcessFairness::Strong && !store.keeps_all();
                            engine.is_some() || strong
                        }
                        Said::Short => !plain,
                        said => fits(said, holds),
                    });
                    if !fits {
                        wrong.push(format!("{} {engine:?} {store:?}: {said:?}", row.name()));
                    }
                }
            }
        }
    }
    println!("{} rows: {answers} answers, {short} met a limit, {refusals} refusals", rows.len());
    let least = if cfg!(debug_assertions) { 300 } else { 1000 };
    assert!(answers > least && refusals > least / 3 && short < answers / 10, "{answers} {short} {refusals}");
    assert!(wrong.is_empty(), "{} wrong, the first ones:\n{}", wrong.len(), wrong[..wrong.len().min(10)].join("\n"));
}

/// What a small model is asked: machine code is not worth while.
fn plain(property: &str) -> CheckOptions {
    let mut options = CheckOptions { properties: vec![property.to_owned()], ..CheckOptions::default() };
    options.options.code = CodeKind::Bytecode;
    options
}

/// A value of an option that is not its default.
struct Value {
    option: &'static str,
    set: Box<dyn Fn(&mut CheckOptions)>,
}

/// All values of all options that engines honour or refuse, but for the engine itself.
fn values(folder: &Path) -> Vec<Value> {
    let mut all: Vec<Value> = Vec::new();
    let mut add = |option: &'static str, set: Box<dyn Fn(&mut CheckOptions)>| all.push(Value { option, set });
    for store in STORES.into_iter().skip(1) {
        add("store", Box::new(move |options| options.options.store = store));
    }
    let stores = [WhenFull::Store(BITSTATE), WhenFull::Store(CACHE)];
    for next in stores.into_iter().chain(lariat::engines().names().map(WhenFull::Engine)) {
        add("when-full", Box::new(move |options| options.when_full = Some(next)));
    }
    let folder = folder.to_owned();
    add("disk", Box::new(move |options| options.options.disk = Some(Disk::at(folder.clone()))));
    add("runs", Box::new(|options| options.options.runs = 2));
    add("seed", Box::new(|options| options.options.seed = 7));
    add("keep-going", Box::new(|options| options.options.keep_going = true));
    add("shortest", Box::new(|options| options.options.shortest = true));
    add("depth", Box::new(|options| options.options.depth_limit = Some(4)));
    add("profile", Box::new(|options| options.options.profile = true));
    add("por", Box::new(|options| options.options.reduce = true));
    add("order", Box::new(|options| options.options.order = Some(Vec::new())));
    add("write-order", Box::new(|options| options.writes_order = true));
    add("allow-deadlock", Box::new(|options| options.allow_deadlock = true));
    add("temporal-by", Box::new(|options| options.options.temporal_by = TemporalBy::Tester));
    for threads in [1, 2] {
        add("threads", Box::new(move |options| options.threads = Some(threads)));
    }
    for code in [CodeKind::Auto, CodeKind::Native] {
        add("code", Box::new(move |options| options.options.code = code));
    }
    for acceptance in [AcceptanceKind::Generalised, AcceptanceKind::Copies] {
        add("acceptance", Box::new(move |options| options.options.acceptance = acceptance));
    }
    for heuristic in [HeuristicKind::None, HeuristicKind::Automaton, HeuristicKind::Control, HeuristicKind::Both] {
        add("heuristic", Box::new(move |options| options.options.heuristic = Some(heuristic)));
    }
    for by in [FairBy::Backward, FairBy::Forward, FairBy::Both, FairBy::Components] {
        add("fair-search", Box::new(move |options| options.options.fair.by = Some(by)));
    }
    add("fair-prune", Box::new(|options| options.options.fair.prune = Some(Prune::OneStep)));
    add("fair-restrict", Box::new(|options| options.options.fair.restrict = Some(Restrict::Light)));
    // The others have a test of their own: they take long.
    add("compassion-by", Box::new(|options| options.options.fair.compassion = Some(CompassionBy::Native)));
    for processes in [ProcessFairness::Weak, ProcessFairness::Strong] {
        add("fairness", Box::new(move |options| options.fairness.processes = processes));
    }
    all
}

/// A new option must be thought about in [`values`].
#[allow(dead_code)]
fn options_that_are_varied(options: lariat::Options) {
    let lariat::Options {
        store: _,
        keep_going: _,
        shortest: _,
        depth_limit: _,
        threads: _,
        profile: _,
        reduce: _,
        code: _,
        seed: _,
        runs: _,
        disk: _,
        acceptance: _,
        order: _,
        temporal_by: _,
        fair: _,
        heuristic: _,
        // These are made by the facade, and no matter of what is asked for.
        pool_may_grow: _,
        scout: _,
        graph_limit: _,
        graph_instead: _,
        // There may be no card here.
        gpu_memory_bytes: _,
    } = options;
}

/// Every engine with every two values of different options.
fn combinations(values: &[Value]) -> Vec<CheckOptions> {
    let mut all = Vec::new();
    for engine in engine_choices() {
        for (number, first) in values.iter().enumerate() {
            for second in values[number + 1..].iter().filter(|second| second.option != first.option) {
                let mut options = CheckOptions { engine, ..plain("safety") };
                (first.set)(&mut options);
                (second.set)(&mut options);
                all.push(options);
            }
        }
    }
    // The command line takes what follows for these alone.
    let has_next = |options: &CheckOptions| matches!(options.options.store, StoreKind::Tree | StoreKind::Flat);
    all.retain(|options| options.when_full.is_none() || has_next(options));
    all
}

#[test]
fn every_combination_of_options_is_honoured_or_refused() {
    let folder = std::env::temp_dir().join(format!("lariat-stores-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let values = values(&folder);
    let all = combinations(&values);
    let every = std::env::var("LARIAT_COMBINATIONS").is_ok_and(|value| value == "all");
    // The buffers of a search on disk need about 20 MiB.
    let limits = Limits { memory_bytes: 1 << 25, time: None };
    let (mut answers, mut refusals, mut wrong) = (0, 0, Vec::new());
    let mut random = 0x1234_5678_9abc_def1_u64;
    let mut draw = |below: usize| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        (random % below as u64) as usize
    };
    for (file, properties) in [
        ("dekker.pml", &["safety", "enters", "alone"][..]),
        ("peterson.pml", &["safety"]),
        ("counter_race.pml", &["safety"]),
    ] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models").join(file);
        let mut model = Model::read(&path, &ReadOptions::default()).unwrap();
        for &property in properties {
            // By fairness, what an exact search says that nothing else was asked of.
            let (mut truth, mut asked) = (Vec::new(), Vec::new());
            for processes in [ProcessFairness::None, ProcessFairness::Weak, ProcessFairness::Strong] {
                let mut plain = plain(property);
                plain.fairness.processes = processes;
                let questions = Questions::of(&mut model, &plain).expect("it can be asked");
                truth.push((processes, say(&questions, &model, &plain, &limits).unwrap() == Said::Holds));
                asked.push((processes, questions));
            }
            for options in &all {
                if !every && draw(100) != 0 {
                    continue;
                }
                let mut options = options.clone();
                options.properties = vec![property.to_owned()];
                // Now and then three or four of them.
                for _ in 0..draw(3) {
                    let further = &values[draw(values.len())];
                    if further.option != "when-full" && (options.when_full.is_none() || further.option != "store") {
                        (further.set)(&mut options);
                    }
                }
                let holds = truth.iter().any(|(processes, holds)| *processes == options.fairness.processes && *holds);
                let questions = asked.iter().find(|(processes, _)| *processes == options.fairness.processes);
                let (_, questions) = questions.expect("all three were asked");
                let said = say(questions, &model, &options, &limits);
                match &said {
                    Ok(Said::Refused) => refusals += 1,
                    _ => answers += 1,
                }
                // A bound leaves something out.
                let bounded = options.options.depth_limit.is_some();
                let is_right = |said: &Said| if *said == Said::Short { bounded } else { fits(said, holds) };
                if !said.as_ref().is_ok_and(is_right) {
                    wrong.push(format!("{file} {property}: {said:?}: {options:?}"));
                }
            }
        }
    }
    assert!(std::fs::read_dir(&folder).is_ok_and(|mut files| files.next().is_none()), "nothing is left behind");
    std::fs::remove_dir(&folder).unwrap();
    println!("{answers} answers, {refusals} refusals");
    assert!(answers > 50 && refusals > 200, "{answers} {refusals}");
    assert!(wrong.is_empty(), "{} wrong, the first ones:\n{}", wrong.len(), wrong[..wrong.len().min(10)].join("\n"));
}

/// All combinations of what can be said about how fair loops are searched.
fn fair_searches() -> Vec<(FairSearch, TemporalBy)> {
    let by = [None, Some(FairBy::Backward), Some(FairBy::Forward), Some(FairBy::Both), Some(FairBy::Components)];
    let compassion = [None, Some(CompassionBy::Native), Some(CompassionBy::Formula), Some(CompassionBy::Justice)];
    let mut all = Vec::new();
    for by in by {
        for prune in [None, Some(Prune::All), Some(Prune::OneStep)] {
            for restrict in [None, Some(Restrict::Full), Some(Restrict::Light)] {
                for compassion in compassion {
                    for temporal_by in [TemporalBy::Automaton, TemporalBy::Tester] {
                        all.push((FairSearch { by, prune, restrict, compassion }, temporal_by));
                    }
                }
            }
        }
    }
    all
}

#[test]
fn every_search_for_fair_loops_is_honoured_or_refused() {
    // All of them take hours.
    let every = std::env::var("LARIAT_FAIR_COMBINATIONS").is_ok_and(|value| value == "all");
    let limits = Limits { memory_bytes: 1 << 28, time: None };
    let (mut answers, mut refusals, mut wrong) = (0, 0, Vec::new());
    let mut number = 0_usize;
    let stride = if cfg!(debug_assertions) { 97 } else { 37 };
    for (file, property) in [
        ("dekker.pml", "safety"),
        ("dekker.pml", "enters"),
        ("peterson.pml", "safety"),
        ("fairness/dine_3.smv", "accessible"),
        ("fairness/dine_contrary_3.smv", "accessible"),
        ("fairness/cycle_3.smv", "accessible"),
    ] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models").join(file);
        let mut model = Model::read(&path, &ReadOptions::default()).unwrap();
        let kinds = [ProcessFairness::None, ProcessFairness::Weak, ProcessFairness::Strong];
        for processes in kinds.into_iter().take(if file.ends_with(".smv") { 1 } else { 3 }) {
            let mut options = plain(property);
            options.fairness.processes = processes;
            let questions = Questions::of(&mut model, &options).expect("it can be asked");
            let holds = say(&questions, &model, &options, &limits).unwrap() == Said::Holds;
            for engine in engine_choices() {
                for (fair, temporal_by) in fair_searches() {
                    number += 1;
                    // Few of those that are refused anyway.
                    let is_by_sets = engine.is_none_or(|name| ["graph", "symbolic"].contains(&name));
                    // Compassion in other words makes formulas and models that take long in a debug build.
                    let is_large =
                        fair.compassion.is_some_and(|by| by != CompassionBy::Native) && file.ends_with(".smv");
                    if !every
                        && (is_large && is_by_sets || !number.is_multiple_of(if is_by_sets { stride } else { 401 }))
                    {
                        continue;
                    }
                    (options.engine, options.options.fair, options.options.temporal_by) = (engine, fair, temporal_by);
                    options.options.code = if is_by_sets { CodeKind::Auto } else { CodeKind::Bytecode };
                    let said = say(&questions, &model, &options, &limits);
                    match &said {
                        Ok(Said::Refused) => refusals += 1,
                        _ => answers += 1,
                    }
                    // A graph with a variable for each constraint of compassion may be too large.
                    let may_be_short = fair.compassion == Some(CompassionBy::Justice);
                    let is_right = |said: &Said| if *said == Said::Short { may_be_short } else { fits(said, holds) };
                    if !said.as_ref().is_ok_and(is_right) {
                        wrong.push(format!("{file} {property}: {said:?}: {options:?}"));
                    }
                }
            }
        }
    }
    println!("{answers} answers, {refusals} refusals");
    let least = if cfg!(debug_assertions) { 15 } else { 40 };
    assert!(answers > least && refusals > 40, "{answers} {refusals}");
    assert!(wrong.is_empty(), "{} wrong, the first ones:\n{}", wrong.len(), wrong[..wrong.len().min(10)].join("\n"));
}
