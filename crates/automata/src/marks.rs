//! Marks on edges, and sets of them. There is no limit on how many.

use lariat_base::{IdSet, define_id};

define_id! {
    /// One mark that an edge may carry, as in HOA.
    Mark
}

/// A set of marks.
pub type MarkSet = IdSet<Mark>;
