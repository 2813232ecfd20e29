//! The events of `check --json-lines`: one document in a line, written when it happens. The field `event` says which it is.

use super::{Heading, Problem, PropertyResult};
use lariat_base::document;

document! {
    /// The model was read, and the search begins. `event` is `started`.
    pub struct StartedEvent {
        /// `started`.
        required event: String,
        /// What made it.
        inline heading: Heading,
        /// The names of the properties that will be settled, in this order.
        always properties: Vec<String>,
    }
}

document! {
    /// The search of a property begins. `event` is `searching`.
    pub struct SearchingEvent {
        /// `searching`.
        required event: String,
        /// The property.
        required name: String,
        /// Its number, from 1.
        required number: usize,
        /// How many properties there are.
        required of: usize,
    }
}

document! {
    /// How far the search is, about once a second. `event` is `progress`.
    pub struct ProgressEvent {
        /// `progress`.
        required event: String,
        /// The property.
        optional name: String,
        /// States that were reached.
        required states: u64,
        /// Steps that were taken.
        required transitions: u64,
        /// The depth of the search.
        required depth: u64,
        /// States that wait to be expanded.
        required waiting: u64,
        /// Memory that stores and frontiers take.
        required memory_bytes: u64,
        /// The time since the program began.
        required seconds: f64,
    }
}

document! {
    /// Something is suspicious. `event` is `warning`.
    pub struct WarningEvent {
        /// `warning`.
        required event: String,
        /// What.
        inline problem: Problem,
    }
}

document! {
    /// A property is settled. `event` is `settled`.
    pub struct SettledEvent<S> {
        /// `settled`.
        required event: String,
        /// The answer, as in the document of `--json`.
        expected property: PropertyResult<S>,
    }
}

document! {
    /// Something is wrong with the model, the command line or a file. `event` is `error`.
    pub struct ErrorEvent {
        /// `error`.
        required event: String,
        /// What.
        inline problem: Problem,
    }
}

document! {
    /// The program ends; always the last event. `event` is `done`.
    pub struct DoneEvent {
        /// `done`.
        required event: String,
        /// The exit code.
        required exit: u8,
        /// Where the trail of the first failure was saved.
        optional trail: String,
    }
}
