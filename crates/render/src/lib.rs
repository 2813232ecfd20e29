//! What people and scripts see: diagnostics, traces and verdicts, as text and as JSON.
//!
//! Everything here makes strings out of plain data; nothing here prints. A trace is first turned into a [`TraceView`],
//! which says *what* is shown; [`TraceText`] and [`documents`] say only how. What may be long is made while it is
//! written: [`Results`], [`TraceText`], [`TrailText`] and [`documents::Document`] are displayed, not kept.

mod blame;
mod control;
mod coverage;
mod diagnostics;
pub mod documents;
mod ending;
mod events;
mod fault;
mod fill;
mod graph;
mod growth;
mod limit;
mod line;
mod names;
mod plan;
mod printed;
mod profile;
mod replayed;
mod results;
mod run;
mod saved;
mod shortened;
mod standing;
mod state;
mod style;
mod text;
mod trail;
mod view;
mod witness;

pub use control::{MOST_PLACES, control_rows};
pub use coverage::{CoverageForm, coverage_text};
pub use diagnostics::diagnostics_text;
pub use documents::Origin;
pub use ending::{Ending, RunEnd, fault_message};
pub use events::{
    done_event, error_events, progress_event, searching_event, settled_event, started_event, warning_events,
};
pub use fill::{
    errors_document, run_document, settled_trace_document, simulation_document, story_entries, trace_document,
};
pub use graph::graph_rows;
pub use growth::{boundedness_document, boundedness_text, growth_document};
pub use limit::WriteLimit;
pub use plan::{plan_document, plans_text};
pub use profile::profile_text;
pub use replayed::{ReplayText, Replayed, replay_document};
pub use results::{Context, Results, bytes_text, duration_text, grouped, has_runs, shortfall_text, summary_text};
pub use run::{
    RunStyle, channels_text, offers_text, printed_text, processes_text, run_end_text, state_text, step_text,
    variables_text,
};
pub use saved::{Saved, TrailClaim};
pub use shortened::{Shortening, ShorteningText, shorten_document};
pub use standing::Standing;
pub use state::StateView;
pub use style::Style;
pub use text::TraceText;
pub use trail::TrailText;
pub use view::{Change, EntryView, FairnessKind, FairnessView, Half, LoopView, Shown, TraceView};
