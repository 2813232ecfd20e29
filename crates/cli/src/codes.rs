//! The index of codes: `docs/codes/*.md`, which are part of the program.
//!
//! An entry is a heading `## P0405: title` and what follows it up to the next heading. Its first fenced text produces the
//! code, the others do not; a test runs them all. What stands behind the language of a fence are options for the command
//! line.

use std::ops::Range;

const TEXTS: [&str; 6] = [
    include_str!("../../../docs/codes/promela.md"),
    include_str!("../../../docs/codes/smv.md"),
    include_str!("../../../docs/codes/formulas.md"),
    include_str!("../../../docs/codes/automata.md"),
    include_str!("../../../docs/codes/systems.md"),
    include_str!("../../../docs/codes/checks.md"),
];

/// What is known about a code.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    pub(crate) code: &'static str,
    pub(crate) title: &'static str,
    /// Markdown, without the heading.
    pub(crate) text: &'static str,
}

/// The entries of a family of codes, under the title of its document.
pub(crate) struct Family {
    pub(crate) title: &'static str,
    pub(crate) entries: Vec<Entry>,
}

/// All families with all of their entries.
pub(crate) fn families() -> impl Iterator<Item = Family> {
    TEXTS.into_iter().map(|text| {
        let title = text.lines().next().unwrap_or_default().trim_start_matches("# ");
        Family { title, entries: sections(text).filter_map(|section| entry(&text[section])).collect() }
    })
}

/// The parts of a document that begin with a heading of an entry.
fn sections(text: &'static str) -> impl Iterator<Item = Range<usize>> {
    let starts: Vec<usize> = text.match_indices("\n## ").map(|(at, _)| at + 1).collect();
    let ends = starts.iter().copied().skip(1).chain([text.len()]).collect::<Vec<_>>();
    starts.into_iter().zip(ends).map(|(start, end)| start..end)
}

fn entry(section: &'static str) -> Option<Entry> {
    let (heading, text) = section.split_once('\n')?;
    let (code, title) = heading.strip_prefix("## ")?.split_once(": ")?;
    Some(Entry { code, title, text: text.trim() })
}
