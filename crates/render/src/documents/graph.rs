//! Graphs in documents: how control moves in processes, and the states around a run.

use lariat_base::document;
use lariat_base::document::{Described, Shape};
use serde::ser::{Error as _, SerializeSeq};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

/// A list that is written with one line for each item.
#[derive(Clone, PartialEq, Debug)]
pub struct Rows<T>(pub Vec<T>);

impl<T: Serialize> Serialize for Rows<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(Some(self.0.len()))?;
        for row in &self.0 {
            let line = serde_json::to_string(row).map_err(S::Error::custom)?;
            list.serialize_element(&RawValue::from_string(line).map_err(S::Error::custom)?)?;
        }
        list.end()
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Rows<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Vec::deserialize(deserializer).map(Self)
    }
}

impl<T: Described> Described for Rows<T> {
    fn shape() -> Shape {
        Vec::<T>::shape()
    }
}

document! {
    /// How control moves in the processes of one type.
    pub struct ControlRows {
        /// The name of the type.
        required process: String,
        /// The places that control can be at. The first is where processes begin.
        required places: Rows<ControlPlaceRow>,
        /// The statements that lead from one place to another.
        required steps: Rows<ControlStepRow>,
        /// If there are too many places to list them: how many.
        optional left_out: usize,
    }
}

document! {
    /// A place that control can be at.
    pub struct ControlPlaceRow {
        /// The lines of the statements that come next; `ended` behind the last.
        required text: String,
        /// `true` if the process has ended there.
        optional end: bool,
    }
}

document! {
    /// A statement as a step of control.
    pub struct ControlStepRow {
        /// The number of the place before it.
        required from: usize,
        /// The number of the place behind it.
        required to: usize,
        /// The statement.
        required text: String,
    }
}

document! {
    /// States of the model as a graph: all of them, or those around a run.
    pub struct GraphRows {
        /// Whether these are all states that can be reached.
        required whole: bool,
        /// The states.
        required states: Rows<GraphStateRow>,
        /// The steps.
        required steps: Rows<GraphStepRow>,
        /// How many steps of the run come before the first state of `run`; none if it is missing.
        optional skipped: usize,
        /// The numbers of the states that the run goes through from there on.
        required run: Vec<usize>,
    }
}

document! {
    /// A state of a graph.
    pub struct GraphStateRow {
        /// What distinguishes it from the others: the values of variables, and the lines that processes are at.
        required text: String,
        /// `true` if runs begin in it.
        optional initial: bool,
        /// `end` if nothing can happen and processes may end there, `deadlock` if they may not, `error` for the run-time error that a
        /// step ends in, `open` if it has steps that are not listed; else nothing.
        optional kind: String,
    }
}

document! {
    /// A step of a graph.
    pub struct GraphStepRow {
        /// The number of the state that it leaves.
        required from: usize,
        /// The number of the state that it leads to.
        required to: usize,
        /// Its actions.
        required text: String,
        /// `true` if the run takes it.
        optional taken: bool,
    }
}
