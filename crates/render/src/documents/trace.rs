//! Documents about runs.

use super::{ControlRows, GraphRows, Table};
use crate::Shown;
use lariat_base::document;
use lariat_base::document::{Described, Shape};
use lariat_system::Position;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

document! {
    /// What every document begins with.
    pub struct Heading {
        /// The number of the schema: it changes when a field goes away or changes its meaning.
        expected schema: u32,
        /// The version of the program.
        always version: String,
        /// The model, as the user named it.
        always model: String,
        /// The options of the check that found a trace.
        optional origin: Origin,
    }
}

document! {
    /// What made a trace, beside the text of the model: with it the trace can be replayed with the same model and judged by
    /// the same property.
    pub struct Origin {
        /// Of the texts of the model: other texts have hardly ever the same.
        always fingerprint: Option<String>,
        /// Names for the preprocessor, with their texts.
        always defines: Vec<Define>,
        /// Where included files were looked for.
        always include_folders: Vec<String>,
        /// A send to a full channel drops the message.
        always lose_messages: bool,
        /// Messages that are left in a channel where a run ends are a failure.
        always empty_channels: bool,
        /// A value that does not fit where it is stored is a failure.
        always overflow_fails: bool,
        /// Properties that were given as formulas.
        always ltl: Vec<String>,
        /// Properties that were given as files with automata.
        always automata: Vec<String>,
        /// Which infinite runs count: the options of fairness by name, with their values.
        always fairness: Table<Vec<String>>,
    }
}

document! {
    /// A name for the preprocessor.
    pub struct Define {
        /// The name.
        required name: String,
        /// Its text.
        required value: String,
    }
}

#[expect(clippy::derivable_impls, reason = "`document!` derives what all documents have")]
impl Default for Origin {
    fn default() -> Self {
        Self {
            fingerprint: None,
            defines: Vec::new(),
            include_folders: Vec::new(),
            lose_messages: false,
            empty_channels: false,
            overflow_fails: false,
            ltl: Vec::new(),
            automata: Vec::new(),
            fairness: Table::default(),
        }
    }
}

document! {
    /// A run, one entry for each action.
    pub struct Trace<S> {
        /// How many entries come before the loop.
        expected stem: usize,
        /// How many entries are in the loop.
        always r#loop: usize,
        /// How many steps there are; less than entries where atomic sequences are passed.
        always transitions: usize,
        /// The initial values of what is shown.
        always initial: Table<Shown>,
        /// The entries.
        inline steps: S,
        /// How often a loop that makes a channel grow is shown.
        optional rounds: usize,
        /// Where each process stands at first: the statements that control is before. In `--trace` and reports.
        optional standing: Table<Vec<StatementPlace>>,
        /// How many messages each channel that is there at first has room for. In `--trace` and reports.
        optional capacities: Table<u32>,
        /// Where each process is at first in its graph of control: the number of the place. In `--trace` and reports.
        optional control: Table<usize>,
        /// The states around the run. In `--trace` and reports.
        optional graph: GraphRows,
        /// If the states around the run are not listed: why.
        optional no_graph: String,
    }
}

document! {
    /// The entries of a trace.
    pub struct Steps<T> {
        /// One for each action; those of one indivisible step have the same number `step`.
        required steps: Vec<T>,
        /// Why the trace was not written to its end, if it was not.
        optional cut: Cut,
    }
}

impl<T> Default for Steps<T> {
    fn default() -> Self {
        Self { steps: Vec::new(), cut: None }
    }
}

document! {
    /// Why a trace was not written to its end.
    pub struct Cut {
        /// The limit that was met.
        always reason: String,
        /// How many entries were written.
        always steps: usize,
    }
}

document! {
    /// One action.
    pub struct Entry {
        /// Who acts; in a rendezvous the sender.
        inline actor: Participant,
        /// What became different: the value before, `null` where the process has just begun, and the value after.
        expected changes: Table<(Option<Shown>, Option<Shown>)>,
        /// In a rendezvous the receiver.
        optional receiver: Participant,
        /// The values of its choices.
        optional choices: Table<Shown>,
        /// Processes that began.
        optional started: Vec<String>,
        /// Processes that ended.
        optional ended: Vec<String>,
        /// What it printed.
        optional printed: String,
        /// Of a statement inside an `inline`: the line of the call.
        optional called_line: u32,
        /// The run-time errors that are met in it and that the run goes on past.
        optional errors: Vec<String>,
        /// The values that did not fit where it wrote them, and were truncated.
        optional truncated: Vec<String>,
        /// `false` if it was not taken, since the run ends in an error at its guard.
        optional taken: bool,
        /// The number of the step it is part of, from 0.
        always step: usize,
        /// `true` if nothing happens: the state repeats, because nothing can happen in it.
        optional stutter: bool,
        /// The number of the action in the system.
        optional action: u32,
        /// The statements by SPIN's numbers, the actor's first.
        optional trail: Vec<u64>,
        /// The first values of variables and channels of processes that began. In `--trace` and reports.
        optional appeared: Table<Shown>,
        /// Where the processes stand afterwards whose control moved. In `--trace` and reports.
        optional standing: Table<Vec<StatementPlace>>,
        /// Where they are then in their graphs of control: the numbers of the places. In `--trace` and reports.
        optional control: Table<usize>,
    }
}

/// A statement in the texts of a model: the number of the text, from 0; the line, from 1; the columns of its first
/// character and of the one behind its last on that line, from 1.
pub type StatementPlace = [u32; 4];

document! {
    /// A text of a model.
    pub struct SourceText {
        /// The name of its file.
        required file: String,
        /// The text.
        required text: String,
    }
}

document! {
    /// The automaton of the bad runs of a property, and where it stands along a run.
    pub struct AutomatonRows {
        /// The names of its states.
        required states: Vec<String>,
        /// The number of the initial state, from 0.
        required initial: usize,
        /// The accepting states, if acceptance is that of Büchi by states.
        optional accepting: Vec<usize>,
        /// The edges.
        required edges: Vec<AutomatonEdgeRow>,
        /// The acceptance condition.
        required acceptance: String,
        /// For each number of steps, from none on, where the automaton stands: one state, or all from which it can go on to
        /// accept; of a finite run one more, for its last state.
        required run: Vec<Vec<usize>>,
    }
}

document! {
    /// An edge of an automaton.
    pub struct AutomatonEdgeRow {
        /// The state it leaves.
        required from: usize,
        /// The state it leads to.
        required to: usize,
        /// What must be true.
        required guard: String,
        /// Its marks.
        always marks: Vec<u32>,
    }
}

document! {
    /// How an answer was found.
    pub struct Figures {
        /// The engine.
        required engine: String,
        /// The store, if there is one.
        optional store: String,
        /// How many states were reached.
        always states: u64,
        /// How many steps were taken.
        always transitions: u64,
        /// The greatest depth.
        always depth: u64,
        /// The most memory at any time.
        always peak_memory_bytes: u64,
        /// How long it took.
        always seconds: f64,
    }
}

document! {
    /// One participant's part in an action.
    pub struct Participant {
        /// The name of its type; empty if no process acts.
        expected process: String,
        /// Its number; `null` if no process acts.
        always pid: Pid,
        /// The file that the statement stands in.
        optional file: String,
        /// The line, from 1; 0 if no source spells the action.
        always line: u64,
        /// The statement.
        required text: String,
    }
}

/// The number of the process that acts.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Pid {
    /// The document does not say.
    #[default]
    Unsaid,
    /// Nobody acts.
    Nobody,
    /// This one.
    Process(Position),
}

impl From<Option<Position>> for Pid {
    fn from(pid: Option<Position>) -> Self {
        pid.map_or(Self::Nobody, Self::Process)
    }
}

impl Pid {
    /// The process, if one is known to act.
    pub fn process(self) -> Option<Position> {
        match self {
            Self::Process(position) => Some(position),
            Self::Unsaid | Self::Nobody => None,
        }
    }
}

impl Serialize for Pid {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.process().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Pid {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Option::<Position>::deserialize(deserializer).map(Self::from)
    }
}

impl Described for Pid {
    fn shape() -> Shape {
        Option::<Position>::shape()
    }
}

document! {
    /// Where something is.
    pub struct Place {
        /// The file.
        optional file: String,
        /// The line.
        optional line: u32,
    }
}

document! {
    /// Where a loop meets fairness, by numbers of steps, and whom it is unfair to.
    pub struct LoopRows {
        /// For each fairness constraint, what on the loop meets it.
        required fairness: Vec<FairnessRow>,
        /// The processes that the loop is unfair to.
        required unfair_to: Vec<UnfairRow>,
    }
}

document! {
    /// Where a loop meets a fairness constraint.
    pub struct FairnessRow {
        /// The constraint.
        required constraint: String,
        /// The steps where it is enabled, or its condition holds.
        required enabled: Vec<usize>,
        /// The steps where it is taken, or what it asks for holds.
        required taken: Vec<usize>,
    }
}

document! {
    /// A process that a loop is unfair to.
    pub struct UnfairRow {
        /// The name of its type.
        required process: String,
        /// Its number.
        required pid: u8,
        /// The fairness that leaves the loop out: `weak` or `strong`.
        required leave_out_by: String,
    }
}

document! {
    /// A failure and the run to it.
    pub struct Failure<S> {
        /// What kind of failure.
        expected kind: String,
        /// The same for people.
        always message: String,
        /// Of a run-time error: which array and index, or which values; of an invalid end: whether it is a deadlock.
        optional detail: String,
        /// Where it is.
        inline place: Place,
        /// For an invalid end: the processes that may not end there.
        optional blamed: Vec<String>,
        /// For an invalid end: the channels that were to be empty, and what they hold.
        optional channels: Table<Shown>,
        /// Whether the run was replayed.
        always replayed: bool,
        /// The number of steps after which nothing that follows matters.
        optional decided_after: usize,
        /// What is known of its loop.
        inline cycle: Option<LoopRows>,
        /// The state at the end; of an infinite run, the one that its loop begins in.
        optional last: LastState,
        /// The automaton of the property. In reports.
        optional automaton: AutomatonRows,
        /// The run.
        required trace: Trace<S>,
    }
}

document! {
    /// A trace, with all that is needed to read it again.
    pub struct TraceDocument<S> {
        /// What made it.
        inline heading: Heading,
        /// The property that fails.
        optional property: String,
        /// How the run ends.
        expected kind: String,
        /// The same for people.
        optional message: String,
        /// Of a run-time error: which array and index, or which values; of an invalid end: whether it is a deadlock.
        optional detail: String,
        /// Where it is.
        inline place: Place,
        /// For an invalid end: the processes that may not end there.
        optional blamed: Vec<String>,
        /// The number of steps after which nothing that follows matters.
        optional decided_after: usize,
        /// The channels that grow.
        optional channels: Vec<super::ChannelRow>,
        /// What is known of its loop.
        inline cycle: Option<LoopRows>,
        /// The state at the end; of an infinite run, the one that its loop begins in.
        optional last: LastState,
        /// The texts of the model.
        optional sources: Vec<SourceText>,
        /// How control moves in the processes of each type; empty if that is not known of any.
        optional control_graphs: Vec<ControlRows>,
        /// The run.
        required trace: Trace<S>,
    }
}

document! {
    /// The trace of a property that was checked, with what is known of it.
    pub struct CheckedTraceDocument<S> {
        /// The trace.
        inline document: TraceDocument<S>,
        /// How the answer was found.
        optional figures: Figures,
        /// The automaton of the property.
        optional automaton: AutomatonRows,
        /// Of a property of branching time, the runs that show its answer.
        optional witnesses: Vec<super::WitnessRun<S>>,
    }
}

document! {
    /// A run of a simulation.
    pub struct SimulationDocument<S> {
        /// What made it.
        inline heading: Heading,
        /// The seed of the run.
        always seed: u64,
        /// How the run ends.
        expected kind: String,
        /// The same for people.
        always message: String,
        /// Where a run-time error is.
        inline place: Place,
        /// The texts of the model.
        optional sources: Vec<SourceText>,
        /// How control moves in the processes of each type; empty if that is not known of any.
        optional control_graphs: Vec<ControlRows>,
        /// The run.
        required trace: Trace<S>,
        /// The last state.
        required last: LastState,
    }
}

document! {
    /// The last state of a run.
    pub struct LastState {
        /// The values of the variables.
        always variables: Table<Shown>,
        /// What the channels hold.
        always channels: Table<Shown>,
        /// Where the processes stand.
        always processes: Vec<String>,
    }
}

document! {
    /// What became of a trace that was replayed.
    pub struct ReplayDocument<S> {
        /// What made it.
        inline heading: Heading,
        /// The property that the run is said to violate.
        optional property: String,
        /// Whether the trace could be replayed.
        always replayed: bool,
        /// How the run ends.
        optional kind: String,
        /// The same for people.
        optional message: String,
        /// Where a run-time error is.
        inline place: Place,
        /// The number of steps after which nothing that follows matters.
        optional decided_after: usize,
        /// What is known of its loop.
        inline cycle: Option<LoopRows>,
        /// The entry that cannot be replayed, from 1.
        optional step: usize,
        /// Why it cannot.
        optional reason: String,
        /// The limit that the search for a way to replay it met.
        optional unfinished: String,
        /// The texts of the model.
        optional sources: Vec<SourceText>,
        /// How control moves in the processes of each type; empty if that is not known of any.
        optional control_graphs: Vec<ControlRows>,
        /// The run, as far as there is one.
        required trace: Trace<S>,
    }
}

document! {
    /// A shorter trace, and how much shorter it is.
    pub struct ShortenDocument<S> {
        /// The trace.
        inline document: TraceDocument<S>,
        /// The steps of the given trace.
        always transitions_before: usize,
        /// The steps of this one.
        always transitions: usize,
        /// Whether no shorter run to the failure exists.
        always shortest: bool,
        /// Why the search stopped before it had nothing more to look for.
        optional unfinished: String,
        /// Where the trail was saved.
        optional trail: String,
    }
}
