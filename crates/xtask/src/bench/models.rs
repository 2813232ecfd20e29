//! The models that are timed: those of the corpus where it is at hand, else a few of our own that grow with a number.

use std::path::{Path, PathBuf};

/// The table in it lists models with what SPIN says of them.
const CORPUS: &str = "../shared/corpus/promela/performance";
/// Ours, with a number that makes them large enough to time.
const SHIPPED: [(&str, &str); 3] = [
    ("models/bench/philosophers.pml", "-DN=12"),
    ("models/bench/filter_lock.pml", "-DN=4"),
    ("models/bench/election.pml", "-DN=10"),
];
/// Of kinds that the corpus has not: long atomic sequences, wide states, many processes, a text of a thousand lines.
const KINDS: [(&str, &str); 4] = [
    ("models/bench/recipe.pml", "-DMOST=40"),
    ("models/bench/blackboard.pml", "-DCELLS=72"),
    ("models/bench/crowd.pml", "-DN=40"),
    ("models/bench/control_unit.pml", "-DWATCH"),
];
/// `--quick` leaves out larger ones.
const QUICK_STATES: u64 = 4_000_000;

/// A model to be timed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Model {
    pub(super) name: String,
    pub(super) path: PathBuf,
    /// For the preprocessor: `-DNAME=VALUE`.
    pub(super) defines: Vec<String>,
    /// It ends in places that are no proper ends; only with those allowed is there a whole graph to search.
    pub(super) allow_deadlock: bool,
    /// As the corpus has it, without reduction.
    pub(super) states: Option<u64>,
}

/// Where models come from, as the report says it.
pub(super) const fn source(from_corpus: bool) -> &'static str {
    if from_corpus { "the performance corpus" } else { "those in models/bench" }
}

/// The models whose names contain `pattern`, and whether they are those of the corpus. `root` is the folder of the
/// project; with `ours` the corpus is left alone.
pub(super) fn find(root: &Path, pattern: &str, quick: bool, ours: bool) -> (Vec<Model>, bool) {
    let corpus = root.join(CORPUS);
    let (models, from_corpus) = match std::fs::read_to_string(corpus.join("spin.tsv")) {
        Ok(table) if !ours => (listed(&table, &corpus), true),
        _ => (SHIPPED.map(|(file, define)| shipped(root, file, define)).into(), false),
    };
    let wanted = |model: &Model| {
        model.name.contains(pattern) && !(quick && model.states.is_some_and(|states| states > QUICK_STATES))
    };
    (models.into_iter().filter(wanted).collect(), from_corpus)
}

/// Those of other kinds whose names contain `pattern`.
pub(super) fn of_kinds(root: &Path, pattern: &str) -> Vec<Model> {
    let models = KINDS.map(|(file, define)| shipped(root, file, define));
    models.into_iter().filter(|model| model.name.contains(pattern)).collect()
}

/// One of our own.
pub(super) fn shipped(root: &Path, file: &str, define: &str) -> Model {
    let stem = Path::new(file).file_stem().expect("it names a file").to_string_lossy();
    let name = format!("{stem}{}", define.strip_prefix("-D").map_or(String::new(), |define| format!(" {define}")));
    let defines = Some(define).filter(|define| !define.is_empty()).map(str::to_owned);
    Model { name, path: root.join(file), defines: defines.into_iter().collect(), allow_deadlock: false, states: None }
}

/// The models of a table. A row is a way to run SPIN; `pure` is without reduction, and `E` with deadlocks allowed.
fn listed(table: &str, folder: &Path) -> Vec<Model> {
    let mut models: Vec<Model> = Vec::new();
    for line in table.lines().skip(1) {
        let columns: Vec<&str> = line.split('\t').collect();
        let [file, flags, mode @ ("safety_pure" | "safetyE_pure"), _, _, _, stored, ..] = columns[..] else { continue };
        let path = folder.join(file);
        let stem = path.file_stem().expect("it names a file").to_string_lossy().into_owned();
        let allow_deadlock = mode == "safetyE_pure";
        let defines: Vec<String> = flags.split_whitespace().map(str::to_owned).collect();
        if models.iter().any(|model| model.path == path && model.defines == defines && model.allow_deadlock) {
            continue;
        }
        models.retain(|model| model.path != path || model.defines != defines);
        models.push(Model { name: stem, path, defines, allow_deadlock, states: stored.parse().ok() });
    }
    models
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_with_deadlocks_allowed_wins() {
        let table = "file\tflags\tmode\tclaim\tverdict\tcompleted\tstored\n\
            a.pml\t\tsafety_pure\t-\tFAIL\tyes\t933\n\
            a.pml\t\tsafetyE_pure\t-\tPASS\tyes\t5000\n\
            a.pml\t\tsafety_reduce\t-\tFAIL\tyes\t100\n\
            d/b.spin\t-DN=2\tsafety_pure\t-\tPASS\tyes\t77\n";
        let models = listed(table, Path::new("corpus"));
        assert_eq!(models.iter().map(|model| model.name.as_str()).collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!((models[0].allow_deadlock, models[0].states), (true, Some(5000)));
        assert_eq!((models[1].allow_deadlock, models[1].states), (false, Some(77)));
        assert_eq!(models[1].defines, ["-DN=2"]);
    }
}
