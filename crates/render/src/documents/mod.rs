//! The JSON documents of `--json` and `--trace`, as types: one definition writes, reads and describes each. Their fields are a
//! contract with scripts: none goes away or changes its meaning; new ones may come. `docs/schema` has their JSON Schemas.

mod check;
mod profile;
mod shape;
mod table;
mod trace;
mod write;

pub use check::{
    BoundednessDocument, BoundednessResult, ChannelRow, ComputedRows, DiskRows, Met, PackingRows, PlanDocument,
    PlanLimits, Problem, PropertyResult, RememberedRows, RunDocument, Shortcoming, SymbolicRows, UnreachedStatement,
    WitnessRun,
};
pub use profile::{
    AdviceRow, JoinableRow, JoinableRows, PhaseRow, ProcessRow, ProfileDocument, StaleRow, StaleRows, StatementRow,
    VariableRow,
};
pub use table::Table;
pub use trace::{
    Cut, Define, Entry, Failure, FairnessRow, Heading, LastState, LoopRows, Origin, Participant, Pid, Place,
    ReplayDocument, ShortenDocument, SimulationDocument, Steps, Trace, TraceDocument, UnfairRow,
};
pub use write::{Document, WrittenSteps};

pub(crate) use shape::read;

use serde_json::Value;

/// The number that changes when a field goes away or changes its meaning.
pub const SCHEMA: u32 = 1;

/// The JSON Schemas of all documents, by the names of their files.
pub fn schemas() -> Vec<(&'static str, Value)> {
    let of = |name, schema| (name, schema);
    vec![
        of("check", shape::schema_of::<RunDocument<Steps<Entry>>>("lariat check --json")),
        of("trace", shape::schema_of::<TraceDocument<Steps<Entry>>>("lariat check --trace FILE")),
        of("plan", shape::schema_of::<PlanDocument>("lariat check --plan --json")),
        of("simulate", shape::schema_of::<SimulationDocument<Steps<Entry>>>("lariat simulate --json")),
        of("replay", shape::schema_of::<ReplayDocument<Steps<Entry>>>("lariat replay --json")),
        of("shorten", shape::schema_of::<ShortenDocument<Steps<Entry>>>("lariat shorten --json")),
        of("unbounded", shape::schema_of::<BoundednessDocument<Steps<Entry>>>("lariat unbounded --json")),
    ]
}
