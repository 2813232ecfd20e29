//! The document of a sweep: how answers and numbers of states change with a value of `-D`.

use lariat_base::document;

document! {
    /// The answers of a sweep such as `-D N=2..6`.
    pub struct SweepDocument {
        /// The version of this form.
        required schema: u32,
        /// The version of the program.
        always version: String,
        /// The model, as the user named it; of several, all their names.
        always model: String,
        /// One row for each model, value and property, in the order in which they were checked.
        required sweep: Vec<SweepRow>,
    }
}

document! {
    /// The answer for one property with one value.
    pub struct SweepRow {
        /// The model.
        required model: String,
        /// The values: `N=2`.
        required values: String,
        /// The property.
        required property: String,
        /// `holds`, `fails`, `undecided` or `computed`.
        required verdict: String,
        /// How many states were reached.
        required states: u64,
        /// How many steps were taken.
        required transitions: u64,
        /// How many times as many states as with the value before; where both searches were whole.
        optional growth: f64,
        /// The most memory at any time.
        required peak_memory_bytes: u64,
        /// How long it took.
        required seconds: f64,
    }
}
