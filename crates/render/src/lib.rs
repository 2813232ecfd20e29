//! What people and scripts see: diagnostics, traces and verdicts, as text and as JSON.
//!
//! Everything here makes strings out of plain data; nothing here prints. A trace is first turned into a [`TraceView`],
//! which says *what* is shown; [`TraceText`] and [`trace_json`] say only how. What may be long is made while it is
//! written: [`Results`], [`TraceText`], [`TrailText`] and [`Json`] are displayed, not kept.

mod diagnostics;
mod document;
mod growth;
mod json;
mod limit;
mod line;
mod names;
mod origin;
mod printed;
mod profile;
mod replayed;
mod results;
mod run;
mod saved;
mod shortened;
mod state;
mod style;
mod text;
mod trail;
mod view;

pub use diagnostics::diagnostics_text;
pub use document::{Fields, Json};
pub use growth::{boundedness_json, boundedness_text, growth_document_json};
pub use json::{errors_json, result_json, run_json, simulation_json, trace_document_json, trace_json};
pub use limit::WriteLimit;
pub use origin::Origin;
pub use profile::profile_text;
pub use replayed::{ReplayText, Replayed, replayed_json};
pub use results::{Context, Results, bytes_text, shortfall_text};
pub use run::{
    RunStyle, channels_text, offers_text, printed_text, processes_text, run_end_text, state_text, step_text,
    variables_text,
};
pub use saved::Saved;
pub use shortened::{Shortening, ShorteningText, shortened_json};
pub use state::StateView;
pub use style::Style;
pub use text::TraceText;
pub use trail::TrailText;
pub use view::{Change, Ending, EntryView, FairnessView, Half, LoopView, RunEnd, Shown, TraceView};
