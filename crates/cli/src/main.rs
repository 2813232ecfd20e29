//! The program `lariat`.

use std::process::ExitCode;

fn main() -> ExitCode {
    lariat_cli::main(&lariat::engines(), &lariat::front_ends())
}
