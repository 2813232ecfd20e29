//! `lariat unbounded`.

use crate::args::UnboundedArgs;
use crate::check::aside;
use crate::exit::Exit;
use crate::interrupt;
use crate::output;
use crate::refusal::Refusal;
use crate::save;
use lariat::{CheckError, Limits, Model, Rejected, UnboundedOptions};
use lariat_engine::growth::{Boundedness, BoundednessVerdict};
use lariat_render::{Context, boundedness_document, boundedness_text, diagnostics_text, growth_document};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

pub(crate) fn run(arguments: &UnboundedArgs) -> Exit {
    let refusal = Refusal::new(&arguments.model, arguments.json);
    match catch_unwind(AssertUnwindSafe(|| answer(arguments, &refusal))) {
        Ok((text, exit)) => exit.max(output::print(&text)),
        Err(panic) => refusal.of_panic(&*panic),
    }
}

/// What the worker made of the model.
type Work = Result<(Model, Result<Boundedness, CheckError>), Rejected>;

/// What is to be printed, if nothing was yet, and how the program ends.
fn answer(arguments: &UnboundedArgs, refusal: &Refusal) -> (String, Exit) {
    let outputs = [("--trace", arguments.trace.as_deref())];
    if let Err(exit) = save::ensure_writable(&outputs, &[&arguments.model], refusal) {
        return (String::new(), exit);
    }
    let limits =
        Limits { memory_bytes: arguments.memory.unwrap_or_else(lariat::default_memory_bytes), time: arguments.time };
    let control = Arc::new(limits.control());
    interrupt::listen(&control);
    let options = UnboundedOptions { channel_bound: arguments.channel_bound, depth_limit: arguments.depth };
    let worked = aside("unbounded", arguments.quiet, arguments.json.into(), &control, |_| -> Work {
        let model = Model::read(&arguments.model, &arguments.reading.options())?;
        let answer = lariat::unbounded(&model, &options, &control);
        Ok((model, answer))
    });
    let exit = match worked {
        Err(panic) => refusal.of_panic(&*panic),
        Ok(Err(rejected)) => refusal.of_model(&rejected.sources, &rejected.diagnostics),
        Ok(Ok((model, Ok(boundedness)))) => return tell(arguments, &model, &boundedness),
        Ok(Ok((model, Err(error)))) => refusal.of_error(model.sources(), &error),
    };
    (String::new(), exit)
}

fn tell(arguments: &UnboundedArgs, model: &Model, boundedness: &Boundedness) -> (String, Exit) {
    let name = arguments.model.display().to_string();
    let context = Context {
        origin: None,
        version: env!("CARGO_PKG_VERSION"),
        model: &name,
        sources: model.sources(),
        unreached: None,
        keep_going: false,
        has_disk: false,
        trail: None,
        trace_lines: None,
        limit: None,
        with_model: true,
        with_graphs: true,
    };
    output::note(&diagnostics_text(model.sources(), model.warnings(), output::stderr_style()));
    let unwritten = match (&arguments.trace, &boundedness.verdict) {
        (None, _) => None,
        (Some(path), BoundednessVerdict::Grows(growth)) => {
            save::write(path, &format_args!("{}\n", growth_document(&context, growth))).err()
        }
        (Some(path), _) => {
            output::note(&format!("note: nothing grows, so there is no trace to save in `{}`\n", path.display()));
            None
        }
    };
    unwritten.iter().for_each(|error| output::complain(&error.message));
    let text = if arguments.json {
        let document = boundedness_document(&context, boundedness, model.warnings(), unwritten.as_slice());
        format!("{document}\n")
    } else {
        boundedness_text(&context, boundedness, output::stdout_style())
    };
    let exit = match boundedness.verdict {
        BoundednessVerdict::Bounded(_) => Exit::Holds,
        BoundednessVerdict::Grows(_) => Exit::Fails,
        BoundednessVerdict::Undecided(_) => Exit::Undecided,
    };
    (text, if unwritten.is_some() { Exit::Usage.max(exit) } else { exit })
}
