//! The tests of `explicit`, as one program: it links once.

mod coverage;
mod cycles;
mod kernels;
mod keyed;
mod limits;
mod planted;
mod profile;
mod replay;
mod scouts;
mod stack_kernels;
mod systems;

// Modules with tests of their own are compiled here once more. To compile the whole crate a second time, as its own test
// program, would take far longer.
#[allow(dead_code, unreachable_pub)]
#[path = "../src/batch_size.rs"]
mod batch_size;
#[allow(dead_code, unreachable_pub)]
#[path = "../src/budgeted_stack.rs"]
mod budgeted_stack;
#[allow(dead_code, unreachable_pub)]
#[path = "../src/cycle/closed.rs"]
mod closed;
#[allow(dead_code, unreachable_pub)]
#[path = "../src/frontier.rs"]
mod frontier;
#[allow(dead_code, unreachable_pub)]
#[path = "../src/profile/memory.rs"]
mod memory;
#[allow(dead_code, unreachable_pub)]
#[path = "../src/scout/order.rs"]
mod order;
#[allow(dead_code, unreachable_pub)]
#[path = "../src/retrace.rs"]
mod retrace;
#[allow(dead_code, unreachable_pub)]
#[path = "../src/stack/rows.rs"]
mod rows;
#[allow(dead_code, unreachable_pub)]
#[path = "../src/profile/sketch.rs"]
mod sketch;
#[allow(dead_code, unreachable_pub)]
#[path = "../src/profile/values.rs"]
mod values;
#[allow(dead_code, unreachable_pub)]
#[path = "../src/walk.rs"]
mod walk;

/// Machine code takes a development build long to make: there it is tested where it is the matter.
const CODE: lariat_engine::CodeKind = if cfg!(all(feature = "native", not(debug_assertions))) {
    lariat_engine::CodeKind::Native
} else {
    lariat_engine::CodeKind::Bytecode
};
