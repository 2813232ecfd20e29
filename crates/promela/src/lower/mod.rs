//! From the checked model to the system.
//!
//! * A place where control can rest is a value of the process's `pc` (`location.rs`); a statement is an action guarded by
//!   `pc = l` (`step.rs`).
//! * **`timeout` gets its meaning here** (`step.rs`, [`Lowering::condition`]): a condition that mentions it becomes two
//!   actions, one with `timeout` read as false and an ordinary rank, one with `timeout` read as true and a rank of
//!   [`IDLE_RANK`](lariat_system::IDLE_RANK), which runs only when nothing else in the system can.
//! * `else` is "no other step at this location is enabled".
//! * Channels of one shape share arrays; a channel value is a number (`channel.rs`).
//! * A rendezvous is one action with two participants (`rendezvous.rs`).
//! * Stores truncate as C's do; arithmetic is that of a 32-bit `int` (`expr.rs`).

mod channel;
mod d_step;
mod expr;
mod frame;
mod location;
mod message;
mod observe;
pub(crate) mod points_to;
mod rendezvous;
mod step;
mod trace;

use crate::check::{Checked, ProcId, Scalar, VarId};
use channel::Classes;
use lariat_base::{Diagnostic, Id, IdVec, Span};
use lariat_system::{EnumId, EnumType, Expr, FrameId, Interval, LocalId, SlotId, System, Type, Variant};
use location::Locations;
use points_to::PointsTo;
use rendezvous::Receiver;
use std::cell::Cell;

/// How a model is to be read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct LowerOptions {
    /// A send to a full channel succeeds and the message is lost, as with SPIN's `-m`.
    pub(crate) lose_messages: bool,
    /// Runs end properly only with all channels empty, as with SPIN's `-q`.
    pub(crate) empty_channels: bool,
    /// Channels that hold messages are taken as unbounded. They get room for this many messages, whatever the text says; a send never
    /// waits, and one more is a trap.
    pub(crate) channel_bound: Option<u32>,
    /// What a value is that does not fit where it is stored.
    pub(crate) overflow: Overflow,
}

/// What a value is that does not fit the variable or the field of a message it is stored in. In any case it is truncated.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Overflow {
    /// Nothing: C does not tell either.
    Silent,
    /// A [`Cut`](lariat_system::Cut), which is remarked.
    #[default]
    Warn,
    /// The trap [`Range`](lariat_system::TrapKind::Range).
    Error,
}

/// The system of a checked model, with room for `pool_size` processes.
pub(crate) fn lower(model: &Checked, options: LowerOptions, pool_size: u16) -> Result<System, Vec<Diagnostic>> {
    let mut lowering = Lowering::new(model, options, pool_size);
    let channels = lowering.classes.last_id();
    if channels > MAX_CHANNELS {
        let span = model.channels.iter().max_by_key(|decl| decl.count).map(|decl| model.vars[decl.var].span);
        let message = format!("{channels} channels: at most {MAX_CHANNELS} are possible");
        return Err(vec![Diagnostic::error(span.unwrap_or(Span::NONE), "P0501", message)]);
    }
    lowering.add_slots();
    lowering.add_frames();
    lowering.add_queues();
    let errors = lowering.add_init();
    if !errors.is_empty() {
        return Err(errors);
    }
    lowering.add_steps().map_err(|refusal| vec![refusal])?;
    lowering.system.proper_end = lowering.proper_end();
    lowering.add_labels();
    match lowering.oversized.get() {
        Some(span) => Err(vec![Lowering::oversized_initial_value(span)]),
        None => Ok(lowering.system),
    }
}

/// The most channels, those of all processes that can live at once included.
const MAX_CHANNELS: i64 = 1 << 16;
/// The most terms that the expressions of all actions may have together: each takes about a hundred bytes.
const MAX_TERMS: usize = 4_000_000;
/// The most terms that the initial value of a local variable may have, with the initial values that it uses put in.
const MAX_INITIAL_TERMS: usize = 10_000;

/// Where a variable is kept.
#[derive(Clone, Copy, Debug)]
enum VarPlace {
    Global(SlotId),
    Local(LocalId),
    /// A channel variable that never changes: its value follows from its declaration.
    Fixed,
}

struct Lowering<'a> {
    model: &'a Checked,
    options: LowerOptions,
    system: System,
    places: IdVec<VarId, VarPlace>,
    points_to: PointsTo,
    classes: Classes,
    locations: IdVec<ProcId, Locations>,
    /// `_last`, if it is used.
    last: Option<SlotId>,
    receivers: Vec<Receiver>,
    /// Whether a condition of some process mentions `timeout`.
    has_timeouts: bool,
    /// Where an event trace is, if there is one.
    event: Option<(SlotId, Locations)>,
    /// The terms that were made so far.
    terms: Cell<usize>,
    /// A variable whose initial value has too many terms.
    oversized: Cell<Option<Span>>,
}

/// The slot of every frame that says where control is.
const PC: LocalId = LocalId(0);
/// The slot of every frame that holds the priority, where priorities are used.
const PRIORITY: LocalId = LocalId(1);

impl<'a> Lowering<'a> {
    fn new(model: &'a Checked, options: LowerOptions, pool_size: u16) -> Self {
        let mut system = System::empty(&*model.name);
        system.pool_size = pool_size;
        for set in model.sets.iter() {
            let variants = set.constants.iter().map(|(name, value)| Variant { name: name.clone(), value: *value });
            let name = if set.name.is_empty() { "mtype".to_owned() } else { format!("mtype:{}", set.name) };
            system.enums.push(EnumType { name, lo: 0, hi: 255, variants: variants.collect() });
        }
        let points_to = PointsTo::new(model);
        let classes = Classes::new(model, options, pool_size);
        let locations = model.procs.iter().map(|proc| Locations::of_proc(model, &points_to, proc)).collect();
        Self {
            model,
            options,
            system,
            places: IdVec::new(),
            points_to,
            classes,
            locations,
            last: None,
            receivers: Vec::new(),
            has_timeouts: model.procs.iter().any(|proc| proc.flow.mentions_timeout()),
            event: None,
            terms: Cell::new(0),
            oversized: Cell::new(None),
        }
    }

    /// Counts terms that are about to be made; returns whether there are too many.
    fn spend(&self, terms: usize) -> bool {
        self.terms.set(self.terms.get().saturating_add(terms));
        self.terms.get() > MAX_TERMS
    }

    fn oversized_initial_value(span: Span) -> Diagnostic {
        let message = "this initial value becomes too large";
        let why = "the initial values that it uses are put into it, and those that they use";
        let help = "declare the variable without a value, and assign to it behind the declarations";
        Diagnostic::error(span, "P0501", message).note(Span::NONE, why).help(help)
    }

    fn too_large(span: Span) -> Diagnostic {
        let message = "with this statement the model becomes too large";
        let why = "choices of very many options, and rendezvous of very many sends and receives, grow by their product";
        Diagnostic::error(span, "P0501", message).note(Span::NONE, why)
    }

    fn type_of(&self, scalar: Scalar) -> Type {
        match scalar {
            Scalar::Bool => Type::Bool,
            Scalar::Mtype(set) => Type::Enum(EnumId::new(set.index())),
            other => {
                let Interval { lo, hi } = self.range_of(other);
                Type::Int { lo, hi }
            }
        }
    }

    fn range_of(&self, scalar: Scalar) -> Interval {
        match scalar {
            Scalar::Bit | Scalar::Bool => Interval::BOOL,
            Scalar::Byte | Scalar::Pid | Scalar::Mtype(_) => Interval { lo: 0, hi: 255 },
            Scalar::Short => Interval { lo: -(1 << 15), hi: (1 << 15) - 1 },
            Scalar::Int => Interval::INT,
            Scalar::Unsigned(bits) => Interval { lo: 0, hi: (1 << bits) - 1 },
            Scalar::Chan => Interval::of_wrap(self.chan_bits(), false),
        }
    }

    /// A channel variable is a byte, as in SPIN, unless there are more channels than that.
    fn chan_bits(&self) -> u8 {
        (64 - self.classes.last_id().leading_zeros() as u8).max(8)
    }

    /// Every channel is empty, if that is asked for.
    fn channels_are_empty(&self) -> Option<Expr> {
        let classes = self.classes.list.iter().filter_map(|class| Some((class.len?, i64::from(class.count))));
        let empty = |len: SlotId, channel: i64| {
            lariat_system::Place::global(len).at(Expr::Const(channel)).read().equals(Expr::Const(0))
        };
        self.options
            .empty_channels
            .then(|| Expr::all(classes.flat_map(|(len, count)| (0..count).map(move |channel| empty(len, channel)))))
    }

    /// Dead ends are proper where every process is at its closing brace or at a place with an `end` label, and so is the
    /// event trace.
    fn proper_end(&self) -> Expr {
        let per_proc = self.model.procs.entries().map(|(id, proc)| {
            let places = self.locations[id].offering_labels(&proc.flow, "end");
            let frame = FrameId::new(id.index());
            let pc = || lariat_system::Place::local(lariat_system::Role(0), PC).read();
            let end = self.locations[id].end();
            let fine = places.into_iter().chain([end]).map(|at| pc().equals(Expr::Const(at)));
            Expr::for_all(frame, Expr::any(fine))
        });
        Expr::all(per_proc.chain(self.trace_may_end()).chain(self.channels_are_empty()).collect::<Vec<_>>())
    }
}
