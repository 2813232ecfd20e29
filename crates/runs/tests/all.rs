//! Tests of sorted runs, as one program. Searches over them are tested with the engines `external` and `cluster`.

// Modules with tests of their own are compiled here once more (ADR 27).
#[allow(dead_code, unreachable_pub)]
#[path = "../src/codec.rs"]
mod codec;
#[allow(dead_code, unreachable_pub)]
#[path = "../src/sort.rs"]
mod sort;
