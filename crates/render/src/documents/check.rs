//! Documents about properties.

use super::{ControlRows, Failure, Heading, LoopRows, ProfileDocument, SourceText, Trace};
use lariat_base::document;
use lariat_engine::CheckPlan;

document! {
    /// The answers of a check.
    pub struct RunDocument<S> {
        /// What made it.
        inline heading: Heading,
        /// The properties that were asked for.
        always properties: Vec<PropertyResult<S>>,
        /// Where the trail of the first failure was saved.
        optional trail: String,
        /// What is suspicious.
        optional warnings: Vec<Problem>,
        /// What is wrong.
        optional errors: Vec<Problem>,
        /// The texts of the model. In reports.
        optional sources: Vec<SourceText>,
        /// How control moves in the processes of each type; empty if that is not known of any. In reports.
        optional control_graphs: Vec<ControlRows>,
    }
}

document! {
    /// What a command prints if it has no answer: what was asked cannot be done, or the model is none.
    pub struct ErrorsDocument {
        /// What made it.
        inline heading: Heading,
        /// An empty list: nothing was settled.
        always properties: Vec<String>,
        /// What is wrong.
        required errors: Vec<Problem>,
    }
}

document! {
    /// Something that is wrong or suspicious.
    pub struct Problem {
        /// The code of the message.
        always code: String,
        /// The message.
        always message: String,
        /// The file it speaks of.
        always file: Option<String>,
        /// The line, from 1; 0 if there is none.
        always line: u32,
        /// The column, from 1; 0 if there is none.
        always column: u32,
        /// What to do.
        optional help: String,
    }
}

document! {
    /// The answer to one property, with its figures.
    pub struct PropertyResult<S> {
        /// The property.
        expected name: String,
        /// `holds`, `fails`, `computed` or `undecided`.
        always verdict: String,
        /// If it holds for a reason that its author may not have had in mind, this reason.
        optional vacuous: String,
        /// Statements that are never executed, if the whole graph was seen.
        optional unreached: Vec<UnreachedStatement>,
        /// Why it is undecided.
        inline shortcoming: Option<Shortcoming>,
        /// Of a property that asks for a number.
        inline computed: Option<ComputedRows>,
        /// The engine that settled it.
        always engine: String,
        /// How states were remembered.
        optional store: String,
        /// Whether no state can have been missed.
        always exact: bool,
        /// Whether the whole graph was seen.
        always complete: bool,
        /// Whether steps were left out whose order makes no difference: then states, steps and depth are those of what is left.
        optional reduced: bool,
        /// What an audit of that compared.
        optional audit: AuditRows,
        /// How many distinct states were reached; the greatest number there is if there are more.
        always states: u64,
        /// Of decision diagrams.
        inline symbolic: Option<SymbolicRows>,
        /// How many steps were taken between counted states.
        optional transitions: u64,
        /// How often all actions were gone through until nothing was new.
        optional passes: u64,
        /// The greatest distance from an initial state, or the greatest depth of the search.
        optional depth: u64,
        /// The memory that a state takes.
        always bytes_per_state: f64,
        /// The most memory at any time.
        always peak_memory_bytes: u64,
        /// How often components were taken apart for the acceptance condition.
        optional refinements: u64,
        /// Of a memory that forgets, or that may take new states for known ones.
        inline remembered: Option<RememberedRows>,
        /// Of the hybrid store.
        inline packing: Option<PackingRows>,
        /// Of a search on disk.
        optional disk: DiskRows,
        /// Of a search by workers that share the states.
        optional cluster: ClusterRows,
        /// Of a search on a graphics card.
        optional gpu: GpuRows,
        /// How long it took.
        always seconds: f64,
        /// A number that is the same for the same set of states.
        optional digest: String,
        /// Where states come from.
        optional profile: ProfileDocument,
        /// A failure that was met, and whose run could not be replayed within the limits.
        optional met: Met,
        /// The failure, if it fails.
        inline failure: Option<Failure<S>>,
        /// Why not all failures were looked for that were asked for.
        optional unfinished: String,
        /// Runs that show why a formula of branching time holds or does not, or the number that was computed.
        optional witnesses: Vec<WitnessRun<S>>,
        /// How many failures there are.
        optional failure_count: u64,
        /// The first failure of each kind.
        optional failures: Vec<Failure<S>>,
    }
}

document! {
    /// What an audit compared: a search of the graph that a reduction leaves with one of the whole. All of it was the same, but
    /// the number of states.
    pub struct AuditRows {
        /// Whether verdicts were compared: both searches had one.
        required verdicts: bool,
        /// Whether the graphs were: no limit was met.
        required graphs: bool,
        /// States of the whole graph.
        optional states: u64,
        /// States that are left.
        optional left: u64,
        /// States without steps.
        optional dead_ends: u64,
        /// Run-time errors.
        optional faults: u64,
        /// Actions that are taken.
        optional actions: u64,
        /// How the observed labels of states follow each other.
        optional letters: u64,
    }
}

document! {
    /// A number of steps.
    pub struct ComputedRows {
        /// The number, `infinity` or `undefined`.
        required value: String,
        /// The number, if there is one.
        optional steps: u64,
        /// Why there is none.
        optional why: String,
    }
}

document! {
    /// Figures of decision diagrams.
    pub struct SymbolicRows {
        /// The number of states as a text, for programs whose numbers are not of any size.
        required states_exact: String,
        /// Variables of a state.
        always variables: u64,
        /// Nodes of the set of reached states.
        always nodes: u64,
        /// The most nodes of all diagrams together.
        always peak_nodes: u64,
        /// Images and preimages of sets under single actions.
        always images: u64,
        /// How often variables were reordered.
        always reorderings: u64,
        /// If the answer comes from the part of the model that matters to the property: its variables. The other figures are
        /// those of the whole model, as far as it was searched.
        optional cone_variables: u64,
        /// How many values these variables have together, as a text.
        optional cone_states: String,
    }
}

document! {
    /// Figures of a memory that forgets, or that may take new states for known ones.
    pub struct RememberedRows {
        /// How often a state was new, as far as was remembered.
        required insertions: u64,
        /// How often a state was forgotten.
        always evictions: u64,
        /// How often each state was new.
        optional insertions_per_state: f64,
        /// How many searches were made, with different hash functions.
        optional runs: u32,
        /// How many of them were compared.
        optional runs_compared: u32,
        /// An estimate of the states that were missed.
        optional missed_states: f64,
        /// The probability that a state is missed.
        optional omission_probability: f64,
        /// The share of the table that is used.
        optional load: f64,
        /// The bits that are set for a state.
        optional hashes: u32,
        /// How often the table was made smaller.
        optional folds: u32,
    }
}

document! {
    /// Figures of a search on disk.
    pub struct DiskRows {
        /// The run directory; it is gone unless the run is paused.
        required folder: String,
        /// Whether the run can go on with `lariat resume`.
        required paused: bool,
        /// Whether it went on from a run directory.
        required resumed: bool,
        /// There may be a shorter run than the one that is shown: the search was stopped before it had seen all.
        optional may_be_longer: bool,
        /// Layers of states.
        required layers: u64,
        /// States that were expanded.
        required expanded: u64,
        /// What the layers take.
        required layer_bytes: u64,
        /// What was read.
        required read_bytes: u64,
        /// What was written.
        required written_bytes: u64,
        /// The bound of scanning and sorting for both together.
        required bound_bytes: u64,
        /// What is wrong with the disk.
        optional trouble: String,
    }
}

document! {
    /// Figures of a search by workers that share the states.
    pub struct ClusterRows {
        /// How many processes there are.
        required processes: u64,
        /// How many times as many states as on average the worker with the most of them has.
        required imbalance: f64,
        /// What each worker did; empty if one is lost.
        required workers: Vec<WorkerRows>,
        /// Which process is lost, and how that was noticed.
        optional trouble: String,
    }
}

document! {
    /// Figures of a search on a graphics card.
    pub struct GpuRows {
        /// The card.
        required card: String,
        /// How long kernels were compiled.
        required compile_seconds: f64,
        /// Whether they had been compiled before, and were kept.
        required compiled_before: bool,
        /// How long the card searched.
        required search_seconds: f64,
        /// Bits of the key that a state is packed into.
        required key_bits: u64,
        /// How often the search began again, because a value did not fit its field of the key.
        required restarts: u64,
        /// States of which the processor listed some steps.
        required listed_by_processor: u64,
        /// The memory of the card that the search took.
        required memory_bytes: u64,
    }
}

document! {
    /// Figures of one worker.
    pub struct WorkerRows {
        /// States that belong to it.
        required states: u64,
        /// Steps from these.
        required transitions: u64,
        /// What its states take.
        required store_bytes: u64,
        /// States that it sent to others.
        required sent_states: u64,
        /// Bytes that it sent to others.
        required sent_bytes: u64,
        /// Parcels that these were in.
        required parcels: u64,
    }
}

document! {
    /// Figures of the hybrid store.
    pub struct PackingRows {
        /// The entries: different heads.
        required packets: u64,
        /// The entries if each state had one for itself.
        always classical_states: u64,
        /// The bits of a head.
        always head_bits: u64,
        /// How many tails a head can have.
        always tails: u64,
        /// What the entries for states would take.
        always classical_bytes: u64,
        /// What the entries take.
        always hybrid_bytes: u64,
        /// The share of states that an entry was there for.
        always matched: f64,
        /// The share from which on the hybrid store is smaller.
        always break_even: f64,
    }
}

document! {
    /// Why a property is undecided.
    pub struct Shortcoming {
        /// The limit that was met, or what is missing.
        required reason: String,
        /// The limit of memory.
        optional limit_bytes: u64,
        /// The limit of time.
        optional limit_seconds: f64,
        /// The limit of depth.
        optional limit_depth: u64,
        /// An estimate of the share of states that were seen.
        optional coverage: f64,
    }
}

document! {
    /// A statement that is never executed.
    pub struct UnreachedStatement {
        /// The type of process it belongs to.
        always process: String,
        /// The file.
        optional file: String,
        /// The line.
        always line: u32,
        /// The statement.
        always text: String,
        /// Whether control stands before it in some state.
        always blocked: bool,
    }
}

document! {
    /// A failure that was met.
    pub struct Met {
        /// What kind.
        always kind: String,
        /// The same for people.
        always message: String,
        /// How many steps lead to it.
        always transitions: u64,
    }
}

document! {
    /// A run that shows part of a formula of branching time, or a bound on a number of steps.
    pub struct WitnessRun<S> {
        /// What it shows.
        always shows: String,
        /// The number of the first step of its loop.
        optional loop_start: usize,
        /// What is known of its loop.
        inline cycle: Option<LoopRows>,
        /// The run.
        required trace: Trace<S>,
        /// Runs that begin in states of it, or pass them.
        always nested: Vec<WitnessRun<S>>,
        /// Of a nested run: after how many steps of the other one it begins, or is in the same state.
        optional after_steps: usize,
        /// Of a nested run that begins in an initial state: how many of its steps come before the state that it is about.
        optional past_steps: usize,
    }
}

document! {
    /// Whether channels can grow without limit.
    pub struct BoundednessDocument<S> {
        /// What made it.
        inline heading: Heading,
        /// The answer.
        always properties: Vec<BoundednessResult<S>>,
        /// What is suspicious.
        optional warnings: Vec<Problem>,
        /// What is wrong.
        optional errors: Vec<Problem>,
    }
}

document! {
    /// Whether channels can grow without limit, with the figures of the search.
    pub struct BoundednessResult<S> {
        /// The name of the property.
        expected name: String,
        /// `holds`, `fails` or `undecided`.
        always verdict: String,
        /// Why it is undecided.
        inline shortcoming: Option<Shortcoming>,
        /// The most messages that a channel had room for.
        always channel_bound: u32,
        /// The engine.
        always engine: String,
        /// Whether no state can have been missed.
        always exact: bool,
        /// Whether the whole graph was seen.
        always complete: bool,
        /// How many states were reached.
        always states: u64,
        /// How many steps were taken.
        always transitions: u64,
        /// The greatest depth.
        always depth: u64,
        /// The memory that a state takes.
        always bytes_per_state: f64,
        /// The most memory at any time.
        always peak_memory_bytes: u64,
        /// How long it took.
        always seconds: f64,
        /// A loop that makes a channel longer and may not be repeatable.
        optional doubt: String,
        /// `growth`, if a channel grows.
        optional kind: String,
        /// The same for people.
        optional message: String,
        /// Whether the run was replayed.
        optional replayed: bool,
        /// If a channel grows, those that do; if none does, how long each can become.
        optional channels: Vec<ChannelRow>,
        /// The run that makes channels grow.
        optional trace: Trace<S>,
    }
}

document! {
    /// A channel.
    pub struct ChannelRow {
        /// Its name.
        required name: String,
        /// The most messages in it.
        optional most: usize,
        /// How many messages it holds before the first round of a loop and after each.
        optional lengths: Vec<usize>,
    }
}

document! {
    /// What will be done.
    pub struct PlanDocument {
        /// What made it.
        inline heading: Heading,
        /// For each property, and the limits.
        inline plan: CheckPlan,
    }
}
