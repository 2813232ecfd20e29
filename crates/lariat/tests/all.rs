//! The tests of the facade, as one program: it links once.

mod agreement;
mod cluster_corpus;
mod combinations;
#[path = "../../cli/tests/toys/counters.rs"]
mod counters;
mod disk_corpus;
mod distances;
mod explore;
mod models;
mod moved;
#[path = "../../cli/tests/toys/random_walks.rs"]
mod random_walks;
mod reduction;
mod rust_models;
mod scout;
mod smv_corpus;
mod smv_symbolic;
mod spin_counts;
mod stores;
mod support;
mod symbolic;
mod temporal_corpus;
mod toy_front_end;
mod wide_words;
