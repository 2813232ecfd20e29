//! The JSON documents of `--json` and `--trace`, as types: one definition writes, reads and describes each. Their fields are a
//! contract with scripts: none goes away or changes its meaning; new ones may come. `docs/schema` has their JSON Schemas.

mod check;
mod event;
mod graph;
mod profile;
mod shape;
mod table;
mod trace;
mod write;

pub use check::{
    AuditRows, BoundednessDocument, BoundednessResult, ChannelRow, ClusterRows, ComputedRows, DiskRows, ErrorsDocument,
    GpuRows, Met, PackingRows, PlanDocument, Problem, PropertyResult, RememberedRows, RunDocument, Shortcoming,
    SymbolicRows, UnreachedStatement, WitnessRun, WorkerRows,
};
pub use event::{DoneEvent, ErrorEvent, ProgressEvent, SearchingEvent, SettledEvent, StartedEvent, WarningEvent};
pub use graph::{ControlPlaceRow, ControlRows, ControlStepRow, GraphRows, GraphStateRow, GraphStepRow, Rows};
pub use profile::{
    AdviceRow, JoinableRow, JoinableRows, PhaseRow, ProcessRow, ProfileDocument, StaleRow, StaleRows, StatementRow,
    VariableRow,
};
pub use table::Table;
pub use trace::{
    AutomatonEdgeRow, AutomatonRows, CheckedTraceDocument, Cut, Define, Entry, Failure, FairnessRow, Figures, Heading,
    LastState, LoopRows, Origin, Participant, Pid, Place, ReplayDocument, ShortenDocument, SimulationDocument,
    SourceText, StatementPlace, Steps, Trace, TraceDocument, UnfairRow,
};
pub use write::{Document, Line, WrittenSteps};

pub(crate) use shape::read;

use lariat_base::document::{Described, Shape};
use serde_json::Value;

/// Reads a document from its text. An error says which field is wrong.
pub fn read_document<T: Described + serde::de::DeserializeOwned>(text: &str) -> Result<T, String> {
    read("document", text)
}

/// The number that changes when a field goes away or changes its meaning.
pub const SCHEMA: u32 = 1;

/// The JSON Schemas of all documents, by the names of their files. Every command may print an [`ErrorsDocument`] instead.
pub fn schemas() -> Vec<(&'static str, Value)> {
    type Read = Steps<Entry>;
    vec![
        ("check", shape::printed_schema::<RunDocument<Read>>("lariat check --json")),
        ("events", shape::one_of_schema(&events(), "a line of lariat check --json-lines")),
        ("trace", shape::schema_of::<CheckedTraceDocument<Read>>("lariat check --trace FILE")),
        ("plan", shape::printed_schema::<PlanDocument>("lariat check --plan --json")),
        ("simulate", shape::printed_schema::<SimulationDocument<Read>>("lariat simulate --json")),
        ("replay", shape::printed_schema::<ReplayDocument<Read>>("lariat replay --json")),
        ("shorten", shape::one_of_schema(&shortened(), "lariat shorten --json")),
        ("unbounded", shape::printed_schema::<BoundednessDocument<Read>>("lariat unbounded --json")),
    ]
}

/// What `shorten --json` prints: a trace that does not replay is not shortened, and what is said of it is what `replay` says.
fn shortened() -> Vec<Shape> {
    type Read = Steps<Entry>;
    vec![ShortenDocument::<Read>::shape(), ReplayDocument::<Read>::shape(), ErrorsDocument::shape()]
}

/// What a line of `--json-lines` can be.
fn events() -> Vec<Shape> {
    vec![
        StartedEvent::shape(),
        SearchingEvent::shape(),
        ProgressEvent::shape(),
        WarningEvent::shape(),
        SettledEvent::<Steps<Entry>>::shape(),
        ErrorEvent::shape(),
        DoneEvent::shape(),
    ]
}
