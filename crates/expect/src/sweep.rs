//! Lines `with:`: options for the command line, and sweeps such as `-D N=2..5`, which stand for one run for each value.

use std::collections::BTreeMap;

/// More runs than this in one file are a typing mistake.
const MAX_RUNS: usize = 1000;

/// One run of a model: its options, with one value for each name that is swept.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SweepRun {
    /// What to add to the command line.
    pub options: Vec<String>,
    /// What `-D` defines in it, by name.
    pub defines: BTreeMap<String, String>,
    /// `N=2`, for each name that is swept; empty if none is.
    pub label: String,
}

/// The words of a line of options. Words with spaces stand in quotes.
pub fn words(line: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote: Option<char> = None;
    for character in line.chars() {
        match quote {
            Some(open) if character == open => quote = None,
            Some(_) => word.get_or_insert_default().push(character),
            None if character == '\'' || character == '"' => {
                quote = Some(character);
                word.get_or_insert_default();
            }
            None if character.is_whitespace() => words.extend(word.take()),
            None => word.get_or_insert_default().push(character),
        }
    }
    words.extend(word);
    match quote {
        Some(open) => Err(format!("a quote {open} is not closed")),
        None => Ok(words),
    }
}

/// The runs that options with sweeps stand for: every combination of their values.
pub fn runs(options: &[String]) -> Result<Vec<SweepRun>, String> {
    let mut runs = vec![SweepRun::default()];
    let mut words = options.iter();
    while let Some(word) = words.next() {
        let definition = match word.strip_prefix("-D") {
            Some("") => words.next().map(String::as_str).ok_or("`-D` needs a name")?,
            Some(definition) => definition,
            None => {
                runs.iter_mut().for_each(|run| run.options.push(word.clone()));
                continue;
            }
        };
        let (name, value) = definition.split_once('=').unwrap_or((definition, "1"));
        let (values, swept) = match range(value)? {
            Some((low, high)) => ((low..=high).map(|value| value.to_string()).collect(), true),
            None => (vec![value.to_owned()], false),
        };
        if runs.len().saturating_mul(values.len()) > MAX_RUNS {
            return Err(format!("these sweeps make more than {MAX_RUNS} runs"));
        }
        runs = (runs.iter()).flat_map(|run| values.iter().map(|value| run.with(name, value, swept))).collect();
    }
    Ok(runs)
}

impl SweepRun {
    fn with(&self, name: &str, value: &str, swept: bool) -> Self {
        let mut run = self.clone();
        run.options.push(format!("-D{name}={value}"));
        run.defines.insert(name.to_owned(), value.to_owned());
        if swept {
            run.label.push_str(if run.label.is_empty() { "" } else { ", " });
            run.label.push_str(&format!("{name}={value}"));
        }
        run
    }
}

/// The ends of `2..5`; nothing for another value.
fn range(value: &str) -> Result<Option<(i64, i64)>, String> {
    let Some((low, high)) = value.split_once("..") else { return Ok(None) };
    let (Ok(low), Ok(high)) = (low.parse::<i64>(), high.parse::<i64>()) else { return Ok(None) };
    if low > high {
        return Err(format!("the sweep {value} is empty: write {high}..{low}"));
    }
    if high.abs_diff(low) >= MAX_RUNS as u64 {
        return Err(format!("the sweep {value} has more than {MAX_RUNS} values"));
    }
    Ok(Some((low, high)))
}
