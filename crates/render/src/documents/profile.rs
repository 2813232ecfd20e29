//! The profile for scripts: all rows, none summed up.

use lariat_base::document;

document! {
    /// Where states come from. States that would be there, and those a statement leads to, are estimates.
    pub struct ProfileDocument {
        /// How many states there are.
        always states: u64,
        /// Whether the whole graph was seen.
        always complete: bool,
        /// Whether all was measured; otherwise there was too little memory for it.
        always measured: bool,
        /// How many threads searched.
        always threads: usize,
        /// Where time went.
        always phases: Vec<PhaseRow>,
        /// The processes.
        always processes: Vec<ProcessRow>,
        /// The statements.
        always statements: Vec<StatementRow>,
        /// The variables.
        always variables: Vec<VariableRow>,
        /// Statements that could be one step with the one before.
        required joinable: JoinableRows,
        /// Variables that keep values which are never read.
        required stale: StaleRows,
        /// What would make the model smaller.
        always advice: Vec<AdviceRow>,
    }
}

document! {
    /// Something that took time.
    pub struct PhaseRow {
        /// What.
        always name: String,
        /// How long.
        always seconds: f64,
        /// Whether threads do it side by side; then it is their time together.
        always by_threads: bool,
    }
}

document! {
    /// A process.
    pub struct ProcessRow {
        /// Its name.
        always name: String,
        /// How many times it took part in an action.
        always taken: u64,
        /// In how many states it lives.
        always lives_in: u64,
        /// How many states there would be without it.
        always states_without: Option<u64>,
    }
}

document! {
    /// A statement.
    pub struct StatementRow {
        /// The type of process.
        always process: String,
        /// The line.
        always line: u32,
        /// Its text.
        always text: String,
        /// How often it was executed.
        always taken: u64,
        /// To how many different states its steps lead.
        always leads_to: Option<u64>,
    }
}

document! {
    /// A variable, a channel or the control of a process.
    pub struct VariableRow {
        /// Its name.
        always name: String,
        /// `variable`, `channel` or `control`.
        always kind: String,
        /// The line.
        always line: u32,
        /// How many bits it takes.
        always bits: u64,
        /// How many different values it has.
        always values: u64,
        /// Whether there are no others.
        always all_values_counted: bool,
        /// How many states there would be without it.
        always states_without: Option<u64>,
    }
}

document! {
    /// Statements that could be one step with the one before.
    pub struct JoinableRows {
        /// In how many states control stands before one of them.
        always states: u64,
        /// The statements.
        always statements: Vec<JoinableRow>,
    }
}

document! {
    /// A statement that could be one step with the one before.
    pub struct JoinableRow {
        /// The type of process.
        always process: String,
        /// The line.
        always line: u32,
        /// Its text.
        always text: String,
        /// In how many states control stands before it.
        always stands_before: u64,
    }
}

document! {
    /// Variables that keep values which are never read.
    pub struct StaleRows {
        /// How many states there would be if they did not.
        always states_without: Option<u64>,
        /// The variables.
        always variables: Vec<StaleRow>,
    }
}

document! {
    /// A variable that keeps a value which is never read.
    pub struct StaleRow {
        /// Its name.
        always name: String,
        /// The line.
        always line: u32,
        /// In how many states it does.
        always kept: u64,
    }
}

document! {
    /// What would make the model smaller.
    pub struct AdviceRow {
        /// `reset`, `join`, `costly` or `constant`.
        always kind: String,
        /// The advice.
        always text: String,
        /// The places it speaks of.
        always places: Vec<String>,
    }
}
