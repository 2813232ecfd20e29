//! From a system to the source of kernels: C that a compiler for cards takes as CUDA, and any other as C99.
//!
//! What depends on the system is printed here: reading and writing keys, a *lane* for each position of the pool that lists what the
//! process there can do, and in a product the automaton and the marks of fairness. What does not is in `kernels/search.c`. Positions
//! are known when a lane is printed, so that all places of fields are constants, and so is much of what guards ask.

mod action;
mod expr;
mod product;
mod state;
mod update;
mod value;

pub(crate) use product::{NoTable, ProductShape};

use crate::packing::Packing;
use crate::ranges::Site;
use crate::search::{SPREAD, SPREAD_BEGINS, SPREAD_STRIDE};
use expr::Scope;
use lariat_base::IdVec;
use lariat_system::{
    ActionId, FrameId, IDLE_RANK, LabelId, LabelMeaning, Layout, Position, System, get_bits, set_bits,
};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// What a search is for.
#[derive(Clone, Copy)]
pub(crate) struct Purpose<'a> {
    /// Run-time errors are looked for, and what is taken and truncated is noted.
    pub(crate) faults: bool,
    /// The automaton of a property, and fairness.
    pub(crate) product: Option<&'a ProductShape>,
}

/// A source, and what its numbers mean.
#[derive(Debug)]
pub(crate) struct Source {
    pub(crate) text: String,
    /// By lane, the position whose process acts; none for actions of nobody.
    pub(crate) lanes: Vec<Option<Position>>,
    /// Whether a thread takes all lanes.
    pub(crate) whole: bool,
    /// The sites by number.
    pub(crate) sites: Vec<Site>,
    /// The numbers of what can be noted: actions, then cuts from these on.
    pub(crate) notes: usize,
    pub(crate) first_cuts: IdVec<ActionId, usize>,
}

impl Source {
    /// In how many lanes the steps of a state are listed.
    pub(crate) fn launched_lanes(&self) -> u32 {
        if self.whole { 1 } else { self.lanes.len() as u32 }
    }
}

/// The source would have too many copies of actions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct TooMuchCode {
    pub(crate) copies: usize,
}

/// What follows from system and purpose.
#[derive(Clone, Copy)]
struct Shape {
    faults: bool,
    ranked: bool,
    holds: bool,
}

struct Printer<'a> {
    system: &'a System,
    packing: &'a Packing,
    shape: Shape,
    /// Functions that were defined, and what comes before `search.c` and behind it.
    defined: BTreeSet<String>,
    front: String,
    behind: String,
    /// Lanes.
    text: String,
    lanes: Vec<Option<Position>>,
    sites: BTreeMap<Site, u32>,
    by_frame: IdVec<FrameId, Vec<ActionId>>,
    first_cuts: IdVec<ActionId, usize>,
    /// Labels of steps and of states that matter, with their bits.
    step_labels: Vec<(LabelId, u32)>,
    state_labels: Vec<(LabelId, u32)>,
    /// How many copies of actions were printed, and whether some choose in a loop.
    copies: usize,
    loops: bool,
    /// The most steps that one lane can report of a state, if each place reports one.
    most: usize,
}

/// The labels that steps may carry.
pub(crate) fn step_labels(system: &System) -> Vec<(LabelId, u32)> {
    let of_steps = system.labels.entries().filter(|(_, label)| !matches!(label.meaning, LabelMeaning::State(_)));
    of_steps.map(|(id, _)| id).zip(0..).collect()
}

/// Whether which actions can happen depends on ranks.
fn is_ranked(system: &System) -> bool {
    let mut ranks = system.actions.iter().map(|action| action.rank.as_const());
    match ranks.next() {
        None => false,
        Some(None) => true,
        Some(first @ Some(rank)) => rank >= IDLE_RANK || ranks.any(|other| other != first),
    }
}

/// The source for a system whose keys have this form.
pub(crate) fn print(
    system: &System,
    packing: &Packing,
    layout: &Layout,
    purpose: Purpose<'_>,
) -> Result<Source, TooMuchCode> {
    let sites = packing.ranges.sites();
    let mut by_frame: IdVec<FrameId, Vec<ActionId>> = system.frames.iter().map(|_| Vec::new()).collect();
    let mut notes = system.actions.len();
    let mut first_cuts = IdVec::new();
    for (id, action) in system.actions.entries() {
        if let Some(&frame) = action.participants.first() {
            by_frame[frame].push(id);
        }
        first_cuts.push(notes);
        notes += action.cuts.len();
    }
    let shape = Shape {
        faults: purpose.faults,
        ranked: is_ranked(system),
        holds: system.actions.iter().any(|action| action.hold.is_some()),
    };
    let mut printer = Printer {
        system,
        packing,
        shape,
        defined: BTreeSet::new(),
        front: String::new(),
        behind: String::new(),
        text: String::new(),
        lanes: Vec::new(),
        sites: sites.iter().copied().zip(0..).collect(),
        by_frame,
        first_cuts,
        step_labels: step_labels(system),
        state_labels: purpose.product.map_or_else(Vec::new, |product| product.state_labels(system)),
        copies: 0,
        loops: false,
        most: 0,
    };
    printer.unpack(layout);
    printer.proper_end();
    let asks = purpose.product.is_some_and(ProductShape::asks_what_is_enabled);
    if let Some(product) = purpose.product {
        printer.product(product);
    }
    printer.lanes()?;
    // Where control is handed over, ways that different processes begin may meet.
    let hands_over = |action: &lariat_system::Action| action.hold.is_some() && action.participants.len() > 1;
    let whole = shape.ranked || asks || system.actions.iter().any(hands_over);
    let Printer { front, behind, text, lanes, loops, most, first_cuts, step_labels, .. } = printer;
    let product = purpose.product;
    // In a lane of its own, a way without labels is told from others by its state alone.
    let paths = product.is_some() || shape.holds && (whole || !step_labels.is_empty());
    let flushes = loops || shape.holds || whole || most > MOST_OUT;
    let out_len = if flushes { MOST_OUT } else { most.max(1) };
    let mut source = String::new();
    let flag = |holds: bool| usize::from(holds);
    let numbers: [(&str, usize); 14] = [
        ("KEY_WORDS", packing.words),
        ("STATE_WORDS", layout.words + flag(product.is_some())),
        ("LANES", lanes.len()),
        ("HOLDS", flag(shape.holds)),
        ("RANKED", flag(shape.ranked)),
        ("WHOLE", flag(whole)),
        ("FAULTS", flag(purpose.faults)),
        ("PATHS", flag(paths)),
        ("PRODUCT", flag(product.is_some())),
        ("ASKS", flag(asks)),
        ("STUTTERS", flag(product.is_some_and(|product| product.stutters))),
        ("FLUSHES", flag(flushes)),
        ("OUT_LEN", out_len),
        ("IDLE_RANK", IDLE_RANK as usize),
    ];
    for (name, value) in numbers {
        let _ = writeln!(source, "#define {name} {value}");
    }
    source.push_str("#define NO_RANK 0x7fffffffffffffffll\n");
    let _ = writeln!(source, "#define ASKED_ACTORS {:#x}ull", product.map_or(0, ProductShape::asked_actors));
    for (number, name) in crate::search::ARGUMENTS.iter().enumerate() {
        let _ = writeln!(source, "#define A_{name} {number}");
    }
    for (number, name) in crate::search::COUNTERS.iter().enumerate() {
        let _ = writeln!(source, "#define C_{name} {number}");
    }
    let spread = [("C_SPREAD", SPREAD_BEGINS), ("SPREAD", SPREAD), ("SPREAD_STRIDE", SPREAD_STRIDE)];
    for (name, value) in spread {
        let _ = writeln!(source, "#define {name} {value}");
    }
    for position in 0..packing.positions.len() {
        let lane = lanes.iter().position(|lane| *lane == Some(position as Position));
        let _ = writeln!(source, "#define LANE_OF_{position} {}", lane.map_or(-1, |lane| lane as i64));
    }
    source.push_str(include_str!("../kernels/base.c"));
    source.push_str(include_str!("../kernels/digest.c"));
    source.push_str(&front);
    source.push_str(include_str!("../kernels/search.c"));
    source.push_str(&behind);
    source.push_str(&text);
    Ok(Source { text: source, lanes, whole, sites, notes, first_cuts })
}

/// How many steps a thread collects before it stores what they lead to.
const MOST_OUT: usize = 16;

/// How many places in a text report a step.
fn reports_in(text: &str) -> usize {
    text.matches("arrive(c, ").count()
}

impl Printer<'_> {
    fn is_defined(&self, name: &str) -> bool {
        self.defined.contains(name)
    }
    /// Defines a function that only reads keys, if it is not defined yet.
    fn define(&mut self, name: &str, text: String) {
        if self.defined.insert(name.to_owned()) {
            self.front.push_str(&text);
            self.front.push('\n');
        }
    }
    /// Defines a function that needs the search.
    fn define_behind(&mut self, name: &str, text: String) {
        if self.defined.insert(name.to_owned()) {
            self.behind.push_str(&text);
            self.behind.push('\n');
        }
    }

    /// `unpack`: from a key to the words that the other engines know a state by.
    fn unpack(&mut self, layout: &Layout) {
        let mut text = "FN void unpack(Key k, u64 *w)\n{\n".to_owned();
        let mut known = vec![0_u64; layout.words];
        let mut body = String::new();
        let write = |body: &mut String,
                     known: &mut [u64],
                     bit: usize,
                     bits: u8,
                     lo: i64,
                     cells: &crate::packing::Cells,
                     cell: u32| {
            let more = cells.lo.wrapping_sub(lo) as u64;
            if bits == 0 {
            } else if cells.bits == 0 {
                let before = get_bits(known, bit, bits);
                set_bits(known, bit, bits, before | more);
            } else {
                let raw = Self::raw("k", cells, cell);
                let _ = writeln!(body, "w[{}] |= ({raw} + {more:#x}ull) << {};", bit / 64, bit % 64);
            }
        };
        for (slot, cells) in self.packing.slots.entries() {
            let field = layout.slots[slot];
            for cell in 0..cells.len {
                write(&mut body, &mut known, field.bit_of(cell as usize), field.bits, field.lo, cells, cell);
            }
        }
        for (number, position) in self.packing.positions.iter().enumerate() {
            let region = layout.region(number);
            for (&frame, locals) in &position.frames {
                let mut here = vec![0_u64; layout.words];
                let mut inner = String::new();
                set_bits(&mut here, region, layout.kind_bits, u64::from(frame.0) + 1);
                for (local, cells) in locals.entries() {
                    let field = layout.frames[frame][local];
                    for cell in 0..cells.len {
                        let bit = region + field.bit_of(cell as usize);
                        write(&mut inner, &mut here, bit, field.bits, field.lo, cells, cell);
                    }
                }
                for (word, bits) in here.iter().enumerate().filter(|(_, bits)| **bits != 0) {
                    let _ = writeln!(inner, "w[{word}] |= {bits:#x}ull;");
                }
                let lives = self.lives("k", number as Position, frame);
                let _ = writeln!(body, "if ({}) {{\n{inner}}}", lives.text);
            }
        }
        for (word, bits) in known.iter().enumerate() {
            let _ = writeln!(text, "w[{word}] = {bits:#x}ull;");
        }
        text.push_str(&body);
        if let Some(cells) = &self.packing.observer {
            let raw = if cells.bits == 0 { "0".to_owned() } else { Self::raw("k", cells, 0) };
            let _ = writeln!(text, "w[{}] = {raw};", layout.words);
        }
        text.push_str("(void)k;\n}\n");
        self.define("unpack", text);
    }

    fn proper_end(&mut self) {
        let proper = self.value("k", &self.system.proper_end.clone(), &Scope::default()).truth();
        let text = format!("FN u32 proper_end(Key k)\n{{\n    (void)k;\n    return (u32){};\n}}\n", proper.text);
        self.define("proper_end", text);
    }
}
