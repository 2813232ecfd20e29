//! The corpus: models by others with the answers of other checkers, where it is at hand (`../shared` beside the project).

use lariat::{Model, ProcessFairness, ReadOptions, Verdict};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The folder of the corpus with this name, if it is at hand.
pub(crate) fn corpus(folder: &str) -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus").join(folder);
    if folder.is_dir() {
        return Some(folder);
    }
    let needed = std::env::var("LARIAT_NEEDS_CORPUS").is_ok_and(|value| value == "1");
    assert!(!needed, "no corpus in {}", folder.display());
    println!("skipped: no corpus");
    None
}

/// What is known of one property of a model in Promela.
pub(crate) struct Row {
    pub(crate) file: PathBuf,
    pub(crate) defines: Vec<(String, String)>,
    pub(crate) property: String,
    pub(crate) fairness: ProcessFairness,
    /// Whether the row is about the partial-order reduction, and then whether it is on.
    pub(crate) reduce: Option<bool>,
    /// `holds` or `fails`.
    pub(crate) verdict: String,
    /// States and steps as SPIN counts them, where it does.
    pub(crate) states: Option<u64>,
    pub(crate) steps: Option<u64>,
}

/// The rows of a folder of the corpus of Promela, if it is at hand.
pub(crate) fn rows(folder: &str) -> Option<Vec<Row>> {
    let path = corpus(&format!("promela/{folder}"))?;
    let table = std::fs::read_to_string(path.join("expected.tsv")).expect("a table");
    let rows = table.lines().skip(1).map(|line| line.split('\t').collect::<Vec<_>>());
    Some(rows.map(|cells| Row::new(&path, &cells, folder == "known-bugs")).collect())
}

impl Row {
    /// Of the cells file, flags, property and perhaps `--fairness weak`, verdict, states, steps; or, of models that other
    /// checkers judge wrongly, file, options, property, verdict, why.
    fn new(folder: &Path, cells: &[&str], is_known_bug: bool) -> Self {
        let (flags, options) = if is_known_bug { ("", cells[1]) } else { (cells[1], "") };
        let mut asked = cells[2].split_whitespace();
        let property = asked.next().unwrap_or_default().to_owned();
        let fairness = asked.nth(1).or(options.strip_prefix("--fairness ")).unwrap_or("none");
        let number = |cell: usize| cells.get(cell).filter(|_| !is_known_bug).and_then(|text| text.parse().ok());
        Self {
            file: folder.join(cells[0]),
            defines: flags.split_whitespace().map(define).collect(),
            property,
            fairness: match fairness {
                "none" => ProcessFairness::None,
                "weak" => ProcessFairness::Weak,
                "strong" => ProcessFairness::Strong,
                other => panic!("there is no {other} fairness"),
            },
            reduce: options.strip_prefix("--por ").map(|word| word == "on"),
            verdict: cells[3].to_owned(),
            states: number(4),
            steps: number(5),
        }
    }

    /// The model.
    pub(crate) fn model(&self) -> Result<Model, String> {
        let reading = ReadOptions { defines: self.defines.clone(), ..ReadOptions::default() };
        Model::read(&self.file, &reading).map_err(|rejected| rejected.diagnostics[0].message.clone())
    }

    /// The name of the file.
    pub(crate) fn file_name(&self) -> String {
        self.file.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned())
    }

    /// The row in messages.
    pub(crate) fn name(&self) -> String {
        format!("{} {:?} {} {:?}", self.file_name(), self.defines, self.property, self.fairness)
    }
}

/// The name and the value that a flag `-DNAME=VALUE` defines.
pub(crate) fn define(flag: &str) -> (String, String) {
    let define = flag.strip_prefix("-D").unwrap_or_else(|| panic!("`{flag}` defines no name"));
    let (name, value) = define.split_once('=').unwrap_or((define, "1"));
    (name.to_owned(), value.to_owned())
}

/// The word for a verdict in tables.
pub(crate) fn word(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Holds => "holds",
        Verdict::Fails(_) => "fails",
        Verdict::Computed(_) => "computed",
        Verdict::Undecided(_) => "undecided",
    }
}

/// NuSMV leaves compassion out of CTL, and warns that its answer may be wrong. Here it is: file, what, and what is right.
const COMPASSION_LEFT_OUT: [(&str, &str, &str); 2] = [("c08.smv", "spec 1", "holds"), ("c08.smv", "spec 2", "fails")];

/// What a table of SMV models says of each file, or would say if NuSMV were right: what, value.
pub(crate) fn smv_table(path: &Path) -> BTreeMap<String, Vec<(String, String)>> {
    let text = std::fs::read_to_string(path).expect("a table");
    let mut rows: BTreeMap<String, Vec<(String, String)>> = BTreeMap::new();
    for line in text.lines().skip(1) {
        let mut cells = line.split('\t').map(str::to_owned);
        if let (Some(file), Some(what), Some(value)) = (cells.next(), cells.next(), cells.next()) {
            let right = COMPASSION_LEFT_OUT.iter().find(|known| (known.0, known.1) == (&*file, &*what));
            let value = right.map_or(value, |(_, _, right)| (*right).to_owned());
            rows.entry(file).or_default().push((what, value));
        }
    }
    rows
}
