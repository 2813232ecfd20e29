//! The page: markup, style, program, and the document as data.

use crate::graph::{control_picture, narrowed, states_picture};
use crate::picture::{Picture, escaped};
use crate::svg::{STYLE, Svg};
use crate::sweep::SweepDocument;
use crate::{automaton, read};
use lariat_render::documents::{
    AutomatonRows, ControlRows, Document, Failure, GraphRows, PropertyResult, RunDocument, Trace, WitnessRun,
};
use serde_json::json;
use std::fmt::{self, Display, Write};

const MARKUP: &str = include_str!("../assets/page.html");
const PAGE_STYLE: &str = include_str!("../assets/page.css");
/// The parts of the program, in the order in which they use each other.
const PROGRAM: [&str; 6] = [
    include_str!("../assets/document.js"),
    include_str!("../assets/chart.js"),
    include_str!("../assets/panels.js"),
    include_str!("../assets/graphs.js"),
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
    /// The pictures that the program of the page shows, by their names.
    pictures: Vec<(String, String)>,
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
        let mut pictures = Pictures::default();
        pictures.add_control(document.0.control_graphs.as_deref().unwrap_or_default());
        pictures.add_properties(&document.0.properties);
        Self {
            title: document.0.heading.model.clone(),
            document: Box::new(document),
            pictures: pictures.0,
            is_live: false,
        }
    }

    /// About a saved document: one of `--trace`, or of `--json` of a command that shows runs. An error if the text is no such
    /// document.
    pub fn of_text(text: &'a str) -> Result<Self, String> {
        let read::Content { model, pictures } = read::content(text)?;
        Ok(Self { title: model, document: Box::new(text.trim()), pictures: pictures.0, is_live: false })
    }

    /// About the growth of a model.
    pub fn of_sweep(document: &SweepDocument) -> Self {
        let text = json!(document).to_string();
        Self { title: document.model.clone(), document: Box::new(text), pictures: Vec::new(), is_live: false }
    }

    /// A page that walks through a model, by asking the server that it comes from. `facts` is what it must know to begin with;
    /// its `control_graphs` are these.
    pub fn of_explorer(model: &str, facts: &serde_json::Value, control_graphs: &[ControlRows]) -> Self {
        let mut pictures = Pictures::default();
        pictures.add_control(control_graphs);
        Self { title: model.to_owned(), document: Box::new(facts.to_string()), pictures: pictures.0, is_live: true }
    }
}

/// The pictures of a page. What is too large to be drawn is none: the program says so.
#[derive(Default)]
pub(crate) struct Pictures(Vec<(String, String)>);

impl Pictures {
    fn add(&mut self, name: String, picture: &Picture) {
        if let Ok(svg) = Svg::inside(picture) {
            self.0.push((name, svg.to_string()));
        }
    }

    /// Of each property its automaton, and of its runs the states, by the ways to them in the trees of runs.
    pub(crate) fn add_properties<S>(&mut self, properties: &[PropertyResult<S>]) {
        for (number, property) in properties.iter().enumerate() {
            let automaton = property.failure.as_ref().and_then(|failure| failure.automaton.as_ref());
            self.add_automaton(number, automaton);
            let all: Vec<&Failure<S>> = match &property.failures {
                Some(failures) => failures.iter().collect(),
                None => property.failure.iter().collect(),
            };
            let name = number.to_string();
            match &property.witnesses {
                Some(witnesses) => self.add_witnesses(&name, witnesses),
                None => {
                    for (run, failure) in all.into_iter().enumerate() {
                        self.add_run(&format!("{name}-{run}"), &failure.trace);
                    }
                }
            }
        }
    }

    pub(crate) fn add_witnesses<S>(&mut self, name: &str, witnesses: &[WitnessRun<S>]) {
        for (run, witness) in witnesses.iter().enumerate() {
            let name = format!("{name}-{run}");
            self.add_run(&name, &witness.trace);
            self.add_witnesses(&name, &witness.nested);
        }
    }

    pub(crate) fn add_run<S>(&mut self, name: &str, trace: &Trace<S>) {
        if let Some(rows) = &trace.graph {
            self.add(format!("states-{name}"), &narrowed(states_picture(rows, states_title(rows))));
        }
    }

    pub(crate) fn add_automaton(&mut self, property: usize, rows: Option<&AutomatonRows>) {
        if let Some(picture) = rows.and_then(automaton::picture) {
            self.add(format!("automaton-{property}"), &picture);
        }
    }

    pub(crate) fn add_control(&mut self, graphs: &[ControlRows]) {
        for (number, rows) in graphs.iter().enumerate().filter(|(_, rows)| rows.left_out.is_none()) {
            let picture = control_picture(std::slice::from_ref(rows), format!("Control of {}", rows.process));
            self.add(format!("control-{number}"), &narrowed(picture));
        }
    }
}

fn states_title(rows: &GraphRows) -> String {
    let which = if rows.whole { "All states" } else { "States around the run" };
    format!("{which}: {} nodes", rows.states.0.len())
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
                "pictures" => self.write_pictures(f)?,
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
    fn write_pictures(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.pictures.iter().try_for_each(|(name, svg)| writeln!(f, "<template id=\"{name}\">{svg}</template>"))
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
