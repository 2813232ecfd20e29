//! Table 1 of Godefroid and Holzmann (1993), computed: what their hybrid storage saves on Dekker's algorithm.
//!
//! The paper's table runs magic search to completion, past the cycles that it finds. And it lets the property's automaton read
//! the label of the state that a step enters, where the paper's own definition, and everything else in Lariat, has it read
//! that of the state left. [`Entered`] is that other reading; it exists here and nowhere else.

use lariat::{CheckOptions, Limits, Model, ReadOptions, observed};
use lariat_automata::{Automaton, TranslateOptions, degeneralize};
use lariat_engine::{Packing, Split, StoreKind, Temporal};
use lariat_exec::{Backend, SpaceVisitor, with_program};
use lariat_explicit::every_magic;
use lariat_space::{
    AutomatonObserver, LabelSet, Layer, LayerScratch, Observer, Outcome, Product, Sink, State, StateSpace, Step,
    through,
};
use lariat_store::{FlatStore, Hybrid, Noted, TailWord};
use lariat_subject::Cycles;
use lariat_system::{DeadEnds, Layout, System};
use std::fmt::Write;
use std::ops::ControlFlow;
use std::path::Path;
use std::process::ExitCode;

/// The property of the second row, and that of the third.
const WITHOUT_FAIRNESS: &str = "[] (P1@l1 -> <> P1@l7)";
const WITH_FAIRNESS: &str = "([]<> moves(1) && []<> moves(2)) -> [] (P1@l1 -> <> P1@l7)";
/// What the paper's tool takes for a state of the program.
const PAPER_HEAD_BITS: u64 = 160;

/// Prints the table.
pub(crate) fn run() -> ExitCode {
    match table() {
        Ok(text) => {
            print!("{text}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// A row: what was stored, and what the paper says.
struct Row {
    tail: String,
    ours: Packing,
    paper: Packing,
}

/// A space whose steps carry the labels of the states that they enter, and whose states carry none.
struct Entered<'a, S>(&'a S);

impl<S: StateSpace> Layer for Entered<'_, S> {
    type Below = S;
    /// For the labels of targets.
    type Own = S::Scratch;

    fn below(&self) -> &S {
        self.0
    }
    fn own(&self) -> S::Scratch {
        self.0.scratch()
    }
    fn listed_steps<K: Sink>(
        &self,
        source: &State,
        LayerScratch { below, own }: &mut LayerScratch<Self>,
        sink: K,
    ) -> ControlFlow<K::Break> {
        let entering = through(sink, |sink, step| {
            let mut labels = step.labels.clone();
            if let Outcome::State(target) = step.target {
                labels.union_with(&self.0.labels(target, own));
            }
            sink.step(Step { labels: &labels, ..step })
        });
        self.0.steps(source, below, entering)
    }
    fn state_labels(&self, _: &State, _: &mut LayerScratch<Self>) -> LabelSet {
        LabelSet::EMPTY
    }
}

/// Magic search of the product with an automaton, run to completion over both kinds of store.
struct Magic<'a> {
    bad: &'a Automaton,
    temporal: &'a Temporal,
    dead_ends: DeadEnds,
    head_bits: u64,
}

impl SpaceVisitor for Magic<'_> {
    type Output = Result<Packing, String>;

    fn visit<S: StateSpace>(self, space: &S, _: Backend) -> Self::Output {
        let Self { bad, temporal, dead_ends, head_bits } = self;
        let observer = AutomatonObserver::new(bad, &temporal.labels, true);
        let entered = Entered(space);
        let product = Product::new(&entered, &observer, bad.mark_count(), Vec::new(), dead_ends);
        let (words, claims) = (product.words_per_state(), u64::from(observer.states()));
        let control = Limits::default().control();
        let full = |full: lariat_store::Full| format!("{} bytes are not enough", full.limit_bytes);
        let finished = |cycles: Cycles| match cycles.unfinished {
            None => Ok(cycles.searched.iter().sum::<u64>()),
            Some(shortfall) => Err(format!("the search did not end: {shortfall:?}")),
        };
        let flat = Noted::new(FlatStore::new(words, &control.budget).map_err(full)?, &control.budget);
        let states = finished(every_magic(&product, &flat, &control).expect("the pool is no guess"))?;
        let tail = vec![TailWord { place: space.words_per_state(), values: claims }];
        let hybrid = Hybrid::new(words, tail, 3, &control.budget).map_err(full)?;
        let in_packets = finished(every_magic(&product, &hybrid, &control).expect("the pool is no guess"))?;
        assert_eq!(states, in_packets, "what is searched does not depend on the store");
        Ok(Packing { packets: hybrid.packets(), states, head_bits, tails: claims * 2 })
    }
}

fn rows() -> Result<[Row; 3], String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/dekker.pml");
    let mut model = Model::read(&path, &ReadOptions::default()).map_err(|_| "no model of Dekker's algorithm")?;
    let paper = |packets, states, tails| Packing { packets, states, head_bits: PAPER_HEAD_BITS, tails };

    let mut alone = CheckOptions { properties: vec!["safety".to_owned()], ..CheckOptions::default() };
    alone.options.store = StoreKind::Hybrid { split: Split::default() };
    let alone = lariat::check(&mut model, &alone, &Limits::default().control()).map_err(|error| error.to_string())?;
    let ours = alone.settled[0].report().stats.packing.ok_or("a hybrid store tells its packets")?;
    let first = Row { tail: String::new(), ours, paper: paper(101, 101, 1) };

    let mut row = |property: &str, name: &str, paper: Packing| {
        let (system, temporal) = observed(&mut model, property).map_err(|error| error.to_string())?;
        let bad = degeneralize(&temporal.bad, &TranslateOptions::default()).map_err(|error| error.to_string())?;
        let head_bits = head_bits(&system)?;
        let magic = Magic { bad: &bad, temporal: &temporal, dead_ends: system.dead_ends, head_bits };
        let ours = with_program(&system, Backend::Bytecode, None, magic).map_err(|error| error.to_string())??;
        Ok::<_, String>(Row { tail: format!("A({name}) x demon"), ours, paper })
    };
    let second = row(WITHOUT_FAIRNESS, "not f", paper(101, 243, 2 * 2))?;
    let third = row(WITH_FAIRNESS, "not (fair -> f)", paper(101, 670, 16 * 2))?;
    Ok([first, second, third])
}

fn head_bits(system: &System) -> Result<u64, String> {
    Layout::new(system).map(|layout| layout.used_bits() as u64).map_err(|error| error.to_string())
}

fn table() -> Result<String, String> {
    let rows = rows()?;
    let mut text = String::from(
        "# Table 1 of the paper on magic search, computed\n\n\
         What `cargo xtask table1` prints. Dekker's algorithm (`models/dekker.pml`) alone, with the property\n\
         `[] (P1@l1 -> <> P1@l7)`, and with the same property under fairness, `[]<> moves(1) && []<> moves(2)`, as part of the\n\
         formula. Magic search goes on past the cycles that it finds, and the automaton reads the label of the state entered: so\n\
         the paper's table was made, and so it is only made here. Sizes are in bytes (B) and bits (b), rounded up to bytes\n\
         before they are multiplied. See [memory.md](memory.md) for the storage.\n",
    );
    let mut section = |title: &str, packing: &dyn Fn(&Row) -> Packing| {
        let _ = write!(
            text,
            "\n## {title}\n\n\
             | head | tail | states | state | memory | packets | packet | memory | break-even | matched |\n\
             |---|---|---|---|---|---|---|---|---|---|\n"
        );
        for row in &rows {
            let row_packing = packing(row);
            let size = |more: u64| match (row_packing.head_bits / 8, row_packing.head_bits % 8 + more) {
                (bytes, 0) => format!("{bytes}B"),
                (bytes, bits) => format!("{bytes}B+{bits}b"),
            };
            let _ = writeln!(
                text,
                "| A(P) | {} | {} | {} | {}B | {} | {} | {}B | {:.1} % | {:.1} % |",
                row.tail,
                row_packing.states,
                size(row_packing.tail_bits()),
                row_packing.classical_bytes(),
                row_packing.packets,
                size(row_packing.field_bits()),
                row_packing.hybrid_bytes(),
                row_packing.break_even() * 100.0,
                row_packing.matched() * 100.0,
            );
        }
    };
    section("As printed in the paper", &|row| row.paper);
    section("Ours, with the paper's 20 bytes for a state of the program", &|row| Packing {
        head_bits: PAPER_HEAD_BITS,
        ..row.ours
    });
    section("Ours, with the bits of our own states", &|row| row.ours);
    text.push_str(
        "\nThe first two rows are the paper's to the byte. In the third the paper's automaton has 16 states, from a tableau of\n\
         its time, and ours is smaller; what remains is that the packets are the states of the program.\n",
    );
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_paper_is_right_about_dekker() {
        let [alone, property, fair] = rows().unwrap();
        let figures = |row: &Row| {
            let ours = Packing { head_bits: PAPER_HEAD_BITS, ..row.ours };
            (ours.states, ours.classical_bytes(), ours.packets, ours.hybrid_bytes())
        };
        assert_eq!(figures(&alone), (101, 2020, 101, 2020));
        assert_eq!(figures(&property), (243, 5103, 101, 2121));
        assert_eq!(fair.ours.packets, 101);
        assert!(fair.ours.states > 243 && fair.ours.hybrid_bytes() < fair.ours.classical_bytes());
    }

    #[test]
    fn the_page_shows_what_is_printed() {
        assert_eq!(table().unwrap(), include_str!("../../../docs/table1.md"), "`cargo xtask table1 > docs/table1.md`");
    }
}
