//! The profile for scripts: all rows, none summed up.

use super::advice::words;
use crate::documents::{
    AdviceRow, JoinableRow, JoinableRows, PhaseRow, ProcessRow, ProfileDocument, StaleRow, StaleRows, StatementRow,
    VariableRow,
};
use crate::fill::rounded;
use lariat_base::{SourceMap, Span};
use lariat_engine::Profile;
use lariat_engine::profile::{
    Advice, Phase, ProcessShare, StatementShare, ValueCount, VariableKind, VariableShare, advise,
};

/// The profile. States that would be there, and those a statement leads to, are estimates.
pub(crate) fn profile_document(profile: &Profile, sources: &SourceMap) -> ProfileDocument {
    ProfileDocument {
        states: profile.states,
        complete: profile.complete,
        measured: profile.measured,
        threads: profile.threads,
        phases: profile.phases.iter().map(phase_row).collect(),
        processes: profile.processes.iter().map(process_row).collect(),
        statements: profile.statements.iter().map(|share| statement_row(share, sources)).collect(),
        variables: profile.variables.iter().map(|variable| variable_row(variable, sources)).collect(),
        joinable: joinable_rows(profile, sources),
        stale: stale_rows(profile, sources),
        advice: advise(profile).iter().map(|advice| advice_row(advice, profile, sources)).collect(),
    }
}

fn phase_row(phase: &Phase) -> PhaseRow {
    let seconds = rounded(phase.time.as_secs_f64(), 1e6);
    PhaseRow { name: phase.name.to_owned(), seconds, by_threads: phase.by_threads }
}

fn process_row(process: &ProcessShare) -> ProcessRow {
    ProcessRow {
        name: process.name.clone(),
        taken: process.taken,
        lives_in: process.lives_in,
        states_without: process.states_without,
    }
}

fn statement_row(share: &StatementShare, sources: &SourceMap) -> StatementRow {
    StatementRow {
        process: share.statement.process.clone(),
        line: line(sources, share.statement.span),
        text: share.statement.text.clone(),
        taken: share.taken,
        leads_to: share.leads_to,
    }
}

fn variable_row(variable: &VariableShare, sources: &SourceMap) -> VariableRow {
    let (values, all_values_counted) = match variable.values {
        ValueCount::Exactly(count) => (count, true),
        ValueCount::MoreThan(count) => (count, false),
    };
    let kind = match variable.kind {
        VariableKind::Variable => "variable",
        VariableKind::Channel => "channel",
        VariableKind::Control => "control",
    };
    VariableRow {
        name: variable.name.clone(),
        kind: kind.to_owned(),
        line: line(sources, variable.span),
        bits: variable.bits,
        values,
        all_values_counted,
        states_without: variable.states_without,
    }
}

fn joinable_rows(profile: &Profile, sources: &SourceMap) -> JoinableRows {
    let statements = profile.joinable.statements.iter().map(|(statement, states)| JoinableRow {
        process: statement.process.clone(),
        line: line(sources, statement.span),
        text: statement.text.clone(),
        stands_before: *states,
    });
    JoinableRows { states: profile.joinable.states, statements: statements.collect() }
}

fn stale_rows(profile: &Profile, sources: &SourceMap) -> StaleRows {
    let variables = profile.stale.variables.iter().map(|(name, span, kept)| StaleRow {
        name: name.clone(),
        line: line(sources, *span),
        kept: *kept,
    });
    StaleRows { states_without: profile.stale.states_without, variables: variables.collect() }
}

fn advice_row(advice: &Advice, profile: &Profile, sources: &SourceMap) -> AdviceRow {
    let kind = match advice {
        Advice::Reset { .. } => "reset",
        Advice::Join { .. } => "join",
        Advice::Costly { .. } => "costly",
        Advice::Constant { .. } => "constant",
    };
    let (text, places) = words(advice, profile, sources);
    AdviceRow { kind: kind.to_owned(), text, places }
}

/// 0 where there is no text.
fn line(sources: &SourceMap, span: Span) -> u32 {
    if span.is_none() { 0 } else { sources.line(span) }
}
