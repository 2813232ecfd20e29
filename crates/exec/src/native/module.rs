//! From a program to machine code in memory.

use super::call;
use super::chains::Chains;
use super::labels::words_of;
use super::packing::Packing;
use super::spread::{Spread, name_of};
use super::writer::{Bound, Writer};
use crate::compile::Program;
use crate::dispatch::StopId;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::I64;
use cranelift_codegen::ir::{AbiParam, FuncRef, Function, Signature, Value};
use cranelift_codegen::settings::{self, Configurable};
use cranelift_codegen::verify_function;
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{FuncId, Linkage, Module, default_libcall_names};
use lariat_system::FrameId;
use std::collections::BTreeMap;
use std::fmt;

/// Why there is no native code for a program that has bytecode.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NativeError {
    /// In the words of the code generator.
    pub reason: String,
}

impl fmt::Display for NativeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no native code: {}", self.reason)
    }
}

impl std::error::Error for NativeError {}

fn because(reason: impl fmt::Display) -> NativeError {
    NativeError { reason: reason.to_string() }
}

/// The functions of a program.
pub(super) struct Made {
    pub(super) functions: call::Functions,
    /// Lists what everybody can do.
    pub(super) all: call::Function,
    /// By frame and position: lists what that process can do.
    pub(super) one: BTreeMap<(FrameId, u32), call::Function>,
    /// Says which labels a state has, if any can have one.
    pub(super) labels: Option<call::LabelFunction>,
}

/// More actions take half a second and more to compile.
const MAX_ACTIONS: usize = 2000;
/// So do more instructions of bytecode.
const MAX_INSTRUCTIONS: usize = 100_000;

/// An error if no code is made for this machine.
pub(super) fn ensure_machine() -> Result<(), NativeError> {
    // The words of states and the addresses of records are both 64 bits here.
    if usize::BITS != 64 {
        return Err(because("addresses do not have 64 bits"));
    }
    cranelift_native::builder().map(|_| ()).map_err(because)
}

/// An error if compiling the program takes too long.
pub(super) fn ensure_small(program: &Program) -> Result<(), NativeError> {
    if program.actions.len() > MAX_ACTIONS {
        return Err(because(format!("{} actions would take too long to compile", program.actions.len())));
    }
    if program.has_wide_choices {
        return Err(because("an action has too many ways to make its choices".to_owned()));
    }
    if program.code.len() > MAX_INSTRUCTIONS {
        return Err(because(format!("{} instructions would take too long to compile", program.code.len())));
    }
    Ok(())
}

/// Makes the functions of `program`, which is [small](ensure_small), for states or for keys.
pub(super) fn make(program: &Program, spread: &Spread, packing: Option<&Packing>) -> Result<Made, NativeError> {
    let mut maker = Maker::new()?;
    let code = Wanted { program, spread, packing };
    let chains = Chains::new(program);
    let positions = program.layout.positions as u32;
    let mut by_place: BTreeMap<(FrameId, u32), FuncId> = BTreeMap::new();
    for frame in program.layout.frames.ids() {
        match spread.fixed_positions(frame) {
            Some(fixed) => {
                for position in fixed {
                    let id = maker.process(code, &chains, frame, Some(position))?;
                    by_place.insert((frame, position), id);
                }
            }
            None => {
                let id = maker.process(code, &chains, frame, None)?;
                by_place.extend((0..positions).map(|position| ((frame, position), id)));
            }
        }
    }
    let all = maker.function("all", |maker, b| {
        let mut writer = code.writer(None, b);
        if packing.is_some() {
            writer.count_in_key();
        }
        writer.nobodys();
        match &spread.possible {
            Some(possible) => {
                for (position, frames) in possible.iter().enumerate().rev() {
                    maker.call_at(&mut writer, position as u32, frames, &by_place);
                }
            }
            None if positions > 0 => maker.call_everywhere(&mut writer, program, &by_place),
            None => {}
        }
        writer.finish(maker.module.target_config());
    })?;
    let labels = match program.state_labels.is_empty() || packing.is_some_and(|packing| !packing.is_observed()) {
        true => None,
        false => Some(maker.function("labels", |maker, b| {
            let mut writer = code.writer(None, b);
            if packing.is_some() {
                writer.count_in_key();
            }
            writer.state_labels();
            writer.finish(maker.module.target_config());
        })?),
    };
    maker.module.finalize_definitions().map_err(because)?;
    let words = packing.map_or(program.layout.words, Packing::key_words);
    let mut functions = call::Functions::new(maker.module, words, words_of(program));
    let labels = labels.map(|id| functions.get_labels(id));
    let one = by_place.into_iter().map(|(place, id)| (place, functions.get(id))).collect();
    Ok(Made { all: functions.get(all), one, labels, functions })
}

/// What functions are written of.
#[derive(Clone, Copy)]
struct Wanted<'a> {
    program: &'a Program,
    spread: &'a Spread,
    packing: Option<&'a Packing>,
}

impl<'a> Wanted<'a> {
    fn writer<'f>(self, chains: Option<(FuncRef, Vec<StopId>)>, b: FunctionBuilder<'f>) -> Writer<'a, 'f> {
        Writer::new(self.program, self.spread, self.packing, chains, b)
    }
}

struct Maker {
    module: JITModule,
    signature: Signature,
}

impl Maker {
    fn new() -> Result<Self, NativeError> {
        let mut flags = settings::builder();
        for (name, value) in [
            ("use_colocated_libcalls", "false"),
            ("is_pic", "false"),
            ("opt_level", OPT_LEVEL),
            // Done once, by `function`, and not again after every pass.
            ("enable_verifier", "false"),
            ("unwind_info", "false"),
        ] {
            flags.set(name, value).map_err(because)?;
        }
        ensure_machine()?;
        let isa = cranelift_native::builder().map_err(because)?;
        let isa = isa.finish(settings::Flags::new(flags)).map_err(because)?;
        let module = JITModule::new(JITBuilder::with_isa(isa, default_libcall_names()));
        let mut signature = module.make_signature();
        signature.params = vec![AbiParam::new(I64); 4];
        signature.returns = vec![AbiParam::new(I64)];
        Ok(Self { module, signature })
    }

    /// The function of the processes of a frame, at one position or at any, after that for its chains.
    fn process(
        &mut self,
        code: Wanted<'_>,
        chains: &Chains,
        frame: FrameId,
        position: Option<u32>,
    ) -> Result<FuncId, NativeError> {
        let Wanted { program, spread, packing: _ } = code;
        let name = name_of(frame, position);
        let bound = |writer: &mut Writer<'_, '_>| match position {
            Some(position) => Bound::Fixed(position),
            None => writer.bind(writer.position),
        };
        let all_stops = || program.dispatch.stops.entries().filter(|(_, stop)| stop.frame == frame).map(|(id, _)| id);
        let actions: usize = all_stops().map(|stop| program.dispatch.actions(stop).len()).sum();
        let stops = chains.of(program, frame);
        let mut followed = None;
        if !stops.is_empty() && stops.len() <= spread.actions_in_one {
            let id = self.function(&format!("{name}_chains"), |maker, b| {
                let mut writer = code.writer(None, b);
                let actor = bound(&mut writer);
                writer.chain(&stops, actor);
                writer.finish(maker.module.target_config());
            })?;
            followed = Some((id, stops));
        }
        let mut by_stop: BTreeMap<StopId, FuncId> = BTreeMap::new();
        let declare =
            |maker: &mut Self, function: &mut Function, id: FuncId| maker.module.declare_func_in_func(id, function);
        if actions > spread.actions_in_one {
            for stop in all_stops().filter(|&stop| !program.dispatch.actions(stop).is_empty()) {
                let id = self.function(&format!("{name}_stop{}", stop.0), |maker, b| {
                    let followed = followed.as_ref().map(|(id, stops)| (declare(maker, b.func, *id), stops.clone()));
                    let mut writer = code.writer(followed, b);
                    let actor = bound(&mut writer);
                    writer.at_stop(stop, actor);
                    writer.finish(maker.module.target_config());
                })?;
                by_stop.insert(stop, id);
            }
        }
        self.function(&name, |maker, b| {
            let followed = followed.map(|(id, stops)| (declare(maker, b.func, id), stops));
            let by_stop = by_stop.into_iter().map(|(stop, id)| (stop, declare(maker, b.func, id))).collect();
            let mut writer = code.writer(followed, b);
            writer.stop_functions = by_stop;
            let actor = bound(&mut writer);
            writer.process(frame, actor);
            writer.finish(maker.module.target_config());
        })
    }

    fn function(
        &mut self,
        name: &str,
        write: impl FnOnce(&mut Self, FunctionBuilder<'_>),
    ) -> Result<FuncId, NativeError> {
        let id = self.module.declare_function(name, Linkage::Local, &self.signature).map_err(because)?;
        let mut context = self.module.make_context();
        context.func.signature = self.signature.clone();
        let mut memory = FunctionBuilderContext::new();
        write(self, FunctionBuilder::new(&mut context.func, &mut memory));
        // A tenth of the time of the compiler, lest a mistake of ours become a wrong step.
        if let Err(errors) = verify_function(&context.func, self.module.isa()) {
            panic!("{name} is malformed: {errors}");
        }
        self.module.define_function(id, &mut context).map_err(because)?;
        Ok(id)
    }

    /// Calls the function of the process at `position`, whose frame is one of `frames`, if one lives there.
    fn call_at(
        &mut self,
        writer: &mut Writer<'_, '_>,
        position: u32,
        frames: &[FrameId],
        by_place: &BTreeMap<(FrameId, u32), FuncId>,
    ) {
        let end = writer.block();
        for &frame in frames {
            let next = writer.block();
            if !writer.spread.is_permanent(position) {
                let lives = writer.is_kind(Bound::Fixed(position), frame.0 + 1);
                writer.require(lives, next);
            }
            let position_value = writer.constant(i64::from(position));
            self.call(writer, by_place[&(frame, position)], position_value);
            writer.go(end);
            writer.b.switch_to_block(next);
        }
        if writer.packing.is_some() && !writer.spread.is_permanent(position) {
            // Nobody else was seen here.
            let is_empty = writer.is_kind(Bound::Fixed(position), 0);
            let misfit = writer.misfit;
            writer.require(is_empty, misfit);
        }
        writer.go_into(end);
    }

    /// Calls the functions of all processes, the youngest first, by a loop.
    fn call_everywhere(
        &mut self,
        writer: &mut Writer<'_, '_>,
        program: &Program,
        by_place: &BTreeMap<(FrameId, u32), FuncId>,
    ) {
        let cursor = writer.b.declare_var(I64);
        let (again, end) = (writer.block(), writer.block());
        writer.b.def_var(cursor, writer.count);
        writer.go_into(again);
        let above = writer.b.use_var(cursor);
        writer.require(above, end);
        let position = writer.plus(above, -1);
        writer.b.def_var(cursor, position);
        let bound = writer.bind(position);
        let base = writer.base(bound);
        let kind = writer.raw(base, 0, program.code.pool.kind_mask);
        for frame in program.layout.frames.ids() {
            let (this, next) = (writer.block(), writer.block());
            let lives = writer.is(IntCC::Equal, kind, i64::from(frame.0) + 1);
            writer.branch(lives, this, next);
            writer.b.switch_to_block(this);
            self.call(writer, by_place[&(frame, 0)], position);
            writer.go(again);
            writer.b.switch_to_block(next);
        }
        writer.go(again);
        writer.b.switch_to_block(end);
    }

    fn call(&mut self, writer: &mut Writer<'_, '_>, function: FuncId, position: Value) {
        let function = self.module.declare_func_in_func(function, writer.b.func);
        writer.call(function, position);
    }
}

const OPT_LEVEL: &str = "speed";
