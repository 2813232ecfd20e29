//! The automaton of a property and the marks of fairness in C.

use super::Printer;
use super::expr::Scope;
use crate::packing::Cells;
use lariat_automata::{Automaton, Mark, StateId};
use lariat_base::Id;
use lariat_system::{Fairness, LabelId, LabelMeaning, Occasion, Strength, System, Who};
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// The most entries of the table of moves.
const MOST_MOVES: usize = 1 << 18;
/// The most propositions that a table of moves goes through.
const MOST_PROPOSITIONS: usize = 12;

/// The automaton that a product is made with, and what cycles must carry.
#[derive(Clone, Debug)]
pub(crate) struct ProductShape {
    /// The labels that its propositions are.
    propositions: Vec<LabelId>,
    /// By state and letter, where it goes and with which marks, as bits.
    moves: Vec<Vec<(u32, u64)>>,
    pub(crate) states: u32,
    fairness: Vec<(Fairness, u32)>,
    /// Whether dead ends repeat.
    pub(crate) stutters: bool,
    /// By state of the automaton, whether every run from there is bad: nothing follows then.
    pub(crate) bad: Vec<bool>,
    /// By state of the automaton, the component that cycles may stay in.
    pub(crate) components: Vec<Option<usize>>,
    /// Pairs of marks: what carries the first must carry the second.
    pub(crate) pairs: Vec<(Mark, Mark)>,
}

/// Why there is no such table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum NoTable {
    /// Too many propositions, or moves.
    Moves,
    /// More marks than a word has bits.
    Marks,
    /// More labels than a word has bits.
    Labels,
}

impl ProductShape {
    /// The product with an automaton whose propositions are these labels, under fairness.
    pub(crate) fn new(
        system: &System,
        automaton: &Automaton,
        labels: &[LabelId],
        stutters: bool,
    ) -> Result<Self, NoTable> {
        let propositions = labels.len();
        if propositions > MOST_PROPOSITIONS || automaton.state_count() << propositions > MOST_MOVES {
            return Err(NoTable::Moves);
        }
        let mut fairness = Vec::new();
        let mut next_mark = automaton.mark_count();
        for constraint in &system.fairness {
            fairness.push((constraint.clone(), next_mark));
            next_mark += if constraint.is_strong() { 2 } else { 1 };
        }
        if next_mark > u64::BITS {
            return Err(NoTable::Marks);
        }
        let mut moves = Vec::new();
        for state in (0..automaton.state_count()).map(StateId::new) {
            for letter in 0..1_u64 << propositions {
                let edges = automaton.moves(state, |variable| letter >> variable & 1 == 1);
                moves.push(edges.map(|edge| (edge.target.0, edge.marks.first_word())).collect::<Vec<_>>());
            }
        }
        if moves.iter().map(Vec::len).sum::<usize>() > MOST_MOVES {
            return Err(NoTable::Moves);
        }
        let states = automaton.state_count();
        let shape = Self {
            propositions: labels.to_vec(),
            moves,
            states: states as u32,
            fairness,
            stutters,
            bad: vec![false; states],
            components: vec![None; states],
            pairs: Vec::new(),
        };
        match shape.state_labels(system).len() > 64 {
            true => Err(NoTable::Labels),
            false => Ok(shape),
        }
    }

    /// Whether fairness asks what is enabled in a state.
    pub(crate) fn asks_what_is_enabled(&self) -> bool {
        let mut occasions = self.fairness.iter().flat_map(|(constraint, _)| [constraint.asked, constraint.given]);
        occasions.any(|occasion| matches!(occasion, Occasion::Enabled(_)))
    }

    /// The positions of processes of which fairness asks whether they can act, as bits.
    pub(super) fn asked_actors(&self) -> u64 {
        let occasions = self.fairness.iter().flat_map(|(constraint, _)| [constraint.asked, constraint.given]);
        occasions.fold(0, |bits, occasion| match occasion {
            Occasion::Enabled(Who::Process(position)) => bits | 1 << (position % 64),
            _ => bits,
        })
    }

    /// The labels of states that are read, with their bits.
    pub(super) fn state_labels(&self, system: &System) -> Vec<(LabelId, u32)> {
        let occasions = self.fairness.iter().flat_map(|(constraint, _)| [constraint.asked, constraint.given]);
        let of_fairness = occasions.filter_map(|occasion| match occasion {
            Occasion::Labelled(label) => Some(label),
            _ => None,
        });
        let read: BTreeSet<LabelId> = self.propositions.iter().copied().chain(of_fairness).collect();
        let of_states =
            read.into_iter().filter(|&label| matches!(system.labels[label].meaning, LabelMeaning::State(_)));
        of_states.zip(0..).collect()
    }
}

impl Printer<'_> {
    pub(super) fn product(&mut self, product: &ProductShape) {
        let mut text = String::new();
        let _ = writeln!(text, "#define PROPOSITIONS {}\n#define NO_COMPONENT 0xffffffffu", product.propositions.len());
        let cells = self.packing.observer.unwrap_or_default();
        text.push_str(&observer_functions(&cells));
        let table = |text: &mut String, ty: &str, name: &str, items: &mut dyn Iterator<Item = String>| {
            let items: Vec<String> = items.collect();
            let len = items.len().max(1);
            let items = if items.is_empty() { "0".to_owned() } else { items.join(", ") };
            let _ = writeln!(text, "CONSTANT {ty} {name}[{len}] = {{ {items} }};");
        };
        let ends = product.moves.iter().scan(0, |end, moves| {
            *end += moves.len();
            Some(*end)
        });
        table(&mut text, "u32", "move_begins", &mut [0].into_iter().chain(ends).map(|begin| begin.to_string()));
        let moves = || product.moves.iter().flatten();
        table(&mut text, "u32", "move_targets", &mut moves().map(|(target, _)| target.to_string()));
        table(&mut text, "u64", "move_marks", &mut moves().map(|(_, marks)| format!("{marks:#x}ull")));
        let component = |component: &Option<usize>| component.map_or("NO_COMPONENT".to_owned(), |id| id.to_string());
        table(&mut text, "u32", "components", &mut product.components.iter().map(component));
        table(&mut text, "u8", "bad_states", &mut product.bad.iter().map(|&bad| u8::from(bad).to_string()));
        text.push_str("FN u32 component_of(u32 observer) { return components[observer]; }\n");
        text.push_str("FN u32 bad_observer(u32 observer) { return bad_states[observer]; }\n");
        self.define("product", text);
        self.state_labels_function();
        let mut letter = "FN u32 letter_of(u64 state_labels, u64 labels)\n{\n    return 0".to_owned();
        for (number, label) in product.propositions.iter().enumerate() {
            let bit = self.carried(*label, "state_labels", "labels");
            let _ = write!(letter, "\n        | ((u32){bit} << {number})");
        }
        letter.push_str(";\n}\n");
        self.define("letter_of", letter);
        self.marks(product);
        let asked = product.pairs.iter().enumerate();
        let asked: String =
            asked.map(|(number, (asked, _))| format!(" | (marks >> {} & 1) << {number}", asked.0)).collect();
        self.define("asked_pairs", format!("FN u64 asked_pairs(u64 marks) {{ (void)marks; return 0{asked}; }}\n"));
    }

    /// `state_labels`: those that matter and hold in a state, as bits.
    fn state_labels_function(&mut self) {
        let mut text = "FN u64 state_labels(Key k)\n{\n    u64 labels = 0;\n    (void)k;\n".to_owned();
        for (label, bit) in self.state_labels.clone() {
            if let LabelMeaning::State(expr) = &self.system.labels[label].meaning {
                let holds = self.value("k", expr, &Scope::default()).truth();
                let _ = writeln!(text, "    labels |= (u64){} << {bit};", holds.text);
            }
        }
        text.push_str("    return labels;\n}\n");
        self.define("state_labels", text);
    }

    /// Whether a label is carried by a state or a step, 0 or 1.
    fn carried(&self, label: LabelId, of_state: &str, of_step: &str) -> String {
        let bit = |labels: &[(LabelId, u32)]| labels.iter().find(|(known, _)| *known == label).map(|(_, bit)| *bit);
        match (bit(&self.state_labels), bit(&self.step_labels)) {
            (Some(bit), _) => format!("({of_state} >> {bit} & 1)"),
            (None, Some(bit)) => format!("({of_step} >> {bit} & 1)"),
            (None, None) => "0".to_owned(),
        }
    }

    /// The marks that fairness adds: for what a state is, and for what a step is.
    fn marks(&mut self, product: &ProductShape) {
        let (mut of_source, mut of_step) = (String::new(), String::new());
        let add = |text: &mut String, condition: String, mark: u32| {
            if condition != "0" {
                let _ = writeln!(text, "    if ({condition})\n        marks |= 1ull << {mark};");
            }
        };
        let of_state = |label: LabelId| matches!(self.system.labels[label].meaning, LabelMeaning::State(_));
        let in_state = |occasion: Occasion| match occasion {
            Occasion::Always => "1".to_owned(),
            Occasion::Labelled(label) if of_state(label) => self.carried(label, "state_labels", "0"),
            Occasion::Enabled(Who::Process(position)) => format!("(actors >> {position} & 1)"),
            Occasion::Enabled(Who::Steps(label)) => self.carried(label, "0", "labels"),
            Occasion::Labelled(_) | Occasion::Taken(_) => "0".to_owned(),
        };
        let in_step = |occasion: Occasion| match occasion {
            Occasion::Taken(Who::Process(position)) => format!("(parts >> {position} & 1)"),
            Occasion::Labelled(label) | Occasion::Taken(Who::Steps(label)) if !of_state(label) => {
                self.carried(label, "0", "labels")
            }
            _ => "0".to_owned(),
        };
        for (Fairness { strength, asked, given }, mark) in &product.fairness {
            match strength {
                Strength::Weak => {
                    let not_asked = match asked {
                        Occasion::Enabled(_) => format!("(!{})", in_state(*asked)),
                        _ => "0".to_owned(),
                    };
                    add(&mut of_source, not_asked, *mark);
                    add(&mut of_source, in_state(*given), *mark);
                    add(&mut of_step, in_step(*given), *mark);
                    if matches!(asked, Occasion::Labelled(_) | Occasion::Taken(_)) {
                        add(&mut of_step, format!("(!({} | {}))", in_state(*asked), in_step(*asked)), *mark);
                    }
                }
                Strength::Strong => {
                    for (occasion, mark) in [(*asked, *mark), (*given, mark + 1)] {
                        add(&mut of_source, in_state(occasion), mark);
                        add(&mut of_step, in_step(occasion), mark);
                    }
                }
            }
        }
        let unused = "    (void)state_labels;\n    (void)labels;\n";
        self.define(
            "marks_of_source",
            format!(
                "FN u64 marks_of_source(u64 state_labels, u64 labels, u64 actors)\n{{\n    u64 marks = 0;\n{unused}    (void)actors;\n{of_source}    return marks;\n}}\n"
            ),
        );
        self.define(
            "marks_of_step",
            format!(
                "FN u64 marks_of_step(u64 state_labels, u64 labels, u64 parts)\n{{\n    u64 marks = 0;\n{unused}    (void)parts;\n{of_step}    return marks;\n}}\n"
            ),
        );
    }
}

fn observer_functions(cells: &Cells) -> String {
    if cells.bits == 0 {
        return "FN u32 observer_of(const Key *k) { (void)k; return 0; }\n\
                FN void set_observer(Key *k, u32 observer) { (void)k; (void)observer; }\n"
            .to_owned();
    }
    let (word, shift) = cells.place(0);
    let mask = cells.mask();
    format!(
        "FN u32 observer_of(const Key *k) {{ return (u32)(k->w[{word}] >> {shift} & {mask:#x}ull); }}\n\
         FN void set_observer(Key *k, u32 observer) {{ k->w[{word}] = (k->w[{word}] & {:#x}ull) | (u64)observer << {shift}; }}\n",
        !(mask << shift)
    )
}
