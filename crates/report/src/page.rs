//! The page: markup, style, program, and the document as data.

use crate::picture::escaped;
use crate::svg::{STYLE, Svg};
use crate::sweep::SweepDocument;
use crate::{automaton, read};
use lariat_render::documents::{AutomatonRows, Document, RunDocument};
use serde_json::json;
use std::fmt::{self, Display, Write};

const MARKUP: &str = include_str!("../assets/page.html");
const PAGE_STYLE: &str = include_str!("../assets/page.css");
/// The parts of the program, in the order in which they use each other.
const PROGRAM: [&str; 5] = [
    include_str!("../assets/document.js"),
    include_str!("../assets/chart.js"),
    include_str!("../assets/panels.js"),
    include_str!("../assets/growth.js"),
    include_str!("../assets/page.js"),
];

/// What a page has more that walks through a model.
const EXPLORER: &str = include_str!("../assets/explore.js");
const EXPLORER_STYLE: &str = include_str!("../assets/explore.css");

/// A page about a document.
pub struct Page<'a> {
    title: String,
    document: Box<dyn Display + 'a>,
    /// For each property, the picture of its automaton.
    automata: Vec<Option<String>>,
    /// Whether it asks a server.
    is_live: bool,
}

impl fmt::Debug for Page<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Page").field("title", &self.title).finish_non_exhaustive()
    }
}

impl<'a> Page<'a> {
    /// About the answers of a check. The document is written while the page is.
    pub fn of_run<S>(document: Document<RunDocument<S>>) -> Self
    where
        Document<RunDocument<S>>: Display + 'a,
    {
        let automata = document.0.properties.iter().map(|property| {
            let failure = property.failure.as_ref()?;
            automaton_svg(failure.automaton.as_ref()?)
        });
        let automata = automata.collect();
        Self { title: document.0.heading.model.clone(), document: Box::new(document), automata, is_live: false }
    }

    /// About a saved document: one of `--trace`, or of `--json` of a command that shows runs. An error if the text is no such
    /// document.
    pub fn of_text(text: &'a str) -> Result<Self, String> {
        let read::Content { model, automata } = read::content(text)?;
        let automata = automata.iter().map(|automaton| automaton_svg(automaton.as_ref()?)).collect();
        Ok(Self { title: model, document: Box::new(text.trim()), automata, is_live: false })
    }

    /// About the growth of a model.
    pub fn of_sweep(document: &SweepDocument) -> Self {
        let text = json!(document).to_string();
        Self { title: document.model.clone(), document: Box::new(text), automata: Vec::new(), is_live: false }
    }

    /// A page that walks through a model, by asking the server that it comes from. `facts` is what it must know to begin with.
    pub fn of_explorer(model: &str, facts: &serde_json::Value) -> Self {
        Self { title: model.to_owned(), document: Box::new(facts.to_string()), automata: Vec::new(), is_live: true }
    }
}

/// The picture of an automaton; `None` if it is too large.
pub(crate) fn automaton_svg(rows: &AutomatonRows) -> Option<String> {
    let picture = automaton::picture(rows)?;
    Svg::inside(&picture).ok().map(|svg| svg.to_string())
}

impl Display for Page<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rest = MARKUP;
        while let Some((before, after)) = rest.split_once("{{") {
            let (name, after) = after.split_once("}}").ok_or(fmt::Error)?;
            f.write_str(before)?;
            match name {
                "title" => f.write_str(&escaped(&self.title))?,
                "style" => {
                    write!(f, "{PAGE_STYLE}\n{STYLE}")?;
                    f.write_str(if self.is_live { EXPLORER_STYLE } else { "" })?;
                }
                "document" => write!(JsonInMarkup(f), "{}", self.document)?,
                "automata" => self.write_automata(f)?,
                "program" => {
                    f.write_str(if self.is_live { EXPLORER } else { "" })?;
                    PROGRAM.iter().try_for_each(|part| f.write_str(part))?;
                }
                _ => return Err(fmt::Error),
            }
            rest = after;
        }
        f.write_str(rest)
    }
}

impl Page<'_> {
    fn write_automata(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, svg) in self.automata.iter().enumerate() {
            if let Some(svg) = svg {
                writeln!(f, "<template id=\"automaton-{number}\">{svg}</template>")?;
            }
        }
        Ok(())
    }
}

/// Writes JSON so that no browser takes part of it for markup: in JSON, `<` stands in strings only, where it can be spelled by
/// its number.
struct JsonInMarkup<'a, 'f>(&'a mut fmt::Formatter<'f>);

impl Write for JsonInMarkup<'_, '_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for (number, part) in text.split('<').enumerate() {
            if number > 0 {
                self.0.write_str("\\u003c")?;
            }
            self.0.write_str(part)?;
        }
        Ok(())
    }
}
