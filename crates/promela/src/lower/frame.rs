//! Slots, frames, and how processes come to life.

use super::expr::{Cx, Hazard, NewProcess, Value};
use super::step::terms;
use super::{Lowering, MAX_INITIAL_TERMS, Overflow, VarPlace};
use crate::check::{Ex, ProcId, Scalar, Var, VarId, VarInit};
use lariat_base::{Diagnostic, Id, IdVec};
use lariat_system::reference::{Evaluator, Scope, Valuation};
use lariat_system::{Argument, Expr, Frame, FrameId, Interval, LocalId, Position, Queue, Slot, TrapKind, Type, Update};
use std::collections::{HashMap, HashSet};

/// The priority of a process for which none is given.
const DEFAULT_PRIORITY: i64 = 1;

impl Lowering<'_> {
    pub(super) fn add_slots(&mut self) {
        let mut names = Names::default();
        // The frames are made later; the place of a local follows from its rank among its owner's variables.
        let mut locals: HashMap<VarId, LocalId> = HashMap::new();
        let first = 1 + usize::from(self.model.uses_priorities);
        for proc in self.model.procs.ids() {
            locals.extend(self.kept_locals(proc).enumerate().map(|(rank, var)| (var, LocalId::new(first + rank))));
        }
        for (id, var) in self.model.vars.entries() {
            let fixed = matches!(var.init, VarInit::Channel(_)) && !var.assigned;
            let place = match (fixed, var.owner) {
                (true, _) => VarPlace::Fixed,
                (false, Some(_)) => VarPlace::Local(locals[&id]),
                (false, None) => {
                    let slot = self.slot(var, &mut names);
                    VarPlace::Global(self.system.slots.push(slot))
                }
            };
            self.places.push(place);
        }
        for class in 0..self.classes.list.len() {
            self.add_class_slots(class, &mut names);
        }
        if let Some(trace) = &self.model.trace {
            let locations = super::location::Locations::new(&trace.flow, HashSet::new());
            let ty = Type::Int { lo: 0, hi: locations.list.len() as i64 - 1 };
            let slot = self.system.slots.push(Slot::new(names.unique("_event"), ty, 0).hidden());
            self.event = Some((slot, locations));
        }
        if self.model.uses_last {
            let name = names.unique("_last");
            self.last = Some(self.system.slots.push(Slot::new(name, Type::Int { lo: 0, hi: 255 }, 0)));
        }
    }

    fn add_class_slots(&mut self, class: usize, names: &mut Names) {
        let (capacity, count) = (self.classes.list[class].capacity, self.classes.list[class].count);
        if capacity == 0 || count == 0 {
            return;
        }
        let channels = self.classes.list[class].name.clone();
        let bits = self.classes.list[class].len_bits();
        let ty = Type::Int { lo: 0, hi: (1 << bits) - 1 };
        let len = Slot::array(names.unique(&format!("len({channels})")), ty, count, 0).hidden();
        self.classes.list[class].len = Some(self.system.slots.push(len));
        for (field, scalar) in self.classes.list[class].fields.clone().into_iter().enumerate() {
            let name = names.unique(&format!("{channels}.{field}"));
            let slot = Slot::array(name, self.type_of(scalar), count.saturating_mul(capacity), 0).hidden();
            let slot = self.system.slots.push(slot);
            self.classes.list[class].cells.push(slot);
        }
    }

    /// Tells which slots are which channel; needs the frames.
    pub(super) fn add_queues(&mut self) {
        for (id, decl) in self.model.channels.entries() {
            let class = &self.classes.list[self.classes.class_of(id)];
            let Some(len) = class.len else { continue };
            let var = &self.model.vars[decl.var];
            let positions = match decl.owner {
                None => vec![None],
                Some(_) => (0..self.system.pool_size).map(|position| Some(position as Position)).collect(),
            };
            for position in positions {
                for cell in 0..decl.count {
                    let name = Slot { len: var.len, shape: var.shape.clone(), ..Slot::new(&var.name, Type::Bool, 0) };
                    let name = name.cell_name(cell as usize);
                    let at = position.map(|position| Expr::Const(i64::from(position)));
                    let number = self.classes.number(id, at, i64::from(cell));
                    let owner =
                        decl.owner.zip(position).map(|(owner, position)| (FrameId::new(owner.index()), position));
                    let (capacity, fields) = (class.capacity, class.cells.clone());
                    self.system.queues.push(Queue { name, owner, capacity, len, number, fields, span: var.span });
                }
            }
        }
    }

    fn slot(&self, var: &Var, names: &mut Names) -> Slot {
        let initial = match &var.init {
            VarInit::Zero => vec![0],
            VarInit::Value(value) => vec![self.initial_value(value, var.scalar).unwrap_or(0)],
            VarInit::List(values) => {
                let listed = values.iter().map(|value| self.initial_value(value, var.scalar).unwrap_or(0));
                listed.chain(std::iter::repeat(0)).take(var.len.map_or(1, |len| len as usize)).collect()
            }
            VarInit::Channel(channel) if var.owner.is_none() => {
                let id = |cell: i64| self.classes.id(*channel, false, None, Expr::Const(cell));
                (0..i64::from(var.len.unwrap_or(1))).map(|cell| id(cell).as_const().unwrap_or(0)).collect()
            }
            VarInit::Channel(_) => vec![0],
        };
        Slot {
            name: names.unique(&var.name),
            ty: self.type_of(var.scalar),
            len: var.len,
            shape: var.shape.clone(),
            initial,
            shown: true,
            span: var.span,
        }
    }

    /// The value of an initialiser, if it is a constant, as stored in a variable.
    fn initial_value(&self, value: &Ex, scalar: Scalar) -> Option<i64> {
        match value {
            Ex::Const(value) => self.cut_to(Value::constant(*value), scalar).as_const(),
            // A global channel variable that begins as another one.
            Ex::Read(access) if scalar == Scalar::Chan => match self.model.vars[access.var].init {
                VarInit::Channel(channel) if self.model.vars[access.var].owner.is_none() => {
                    let cell = access.indices.first().map_or(Some(0), |(index, _)| match index {
                        Ex::Const(value) => Some(*value),
                        _ => None,
                    })?;
                    self.classes.id(channel, false, None, Expr::Const(cell)).as_const()
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// The variables of a process type that need a slot.
    fn kept_locals(&self, proc: ProcId) -> impl Iterator<Item = VarId> {
        self.model.procs[proc].locals.iter().copied().filter(|&var| {
            let var = &self.model.vars[var];
            !matches!(var.init, VarInit::Channel(_)) || var.assigned
        })
    }

    pub(super) fn add_frames(&mut self) {
        for (id, proc) in self.model.procs.entries() {
            let mut names = Names::default();
            let locations = &self.locations[id];
            let mut slots: IdVec<LocalId, Slot> = IdVec::new();
            let pc = Type::Int { lo: 0, hi: locations.list.len() as i64 - 1 };
            slots.push(Slot::new(names.unique("_pc"), pc, 0).hidden());
            if self.model.uses_priorities {
                let slot = Slot::new(names.unique("_priority"), Type::Int { lo: 0, hi: 255 }, DEFAULT_PRIORITY);
                slots.push(slot.hidden());
            }
            for var in self.kept_locals(id) {
                let slot = self.slot(&self.model.vars[var], &mut names);
                slots.push(slot);
            }
            let control = Some(super::PC);
            self.system.frames.push(Frame { name: proc.name.clone(), slots, control, span: proc.span });
        }
    }

    /// The processes that live at the beginning, created one after the other: the initial values of each may look at those
    /// before it, so they are computed here. What goes wrong in that is an error of the model: nothing can happen before.
    pub(super) fn add_init(&mut self) -> Vec<Diagnostic> {
        let cx = Cx::actor(0);
        let mut errors = self.truncated_globals();
        for (pid, &proc) in self.model.initial.iter().enumerate() {
            let priority = Some(self.model.procs[proc].priority).filter(|&own| own != DEFAULT_PRIORITY);
            let (mut spawn, hazards) = self.spawn(proc, &[], priority.map(Expr::Const), Expr::Const(pid as i64), &cx);
            let meaning = Evaluator::new(&self.system);
            // Without one the pool has no room for the processes before, and none for this one.
            let before = meaning.initial().pop().unwrap_or_else(|| Valuation::blank(&self.system));
            if let Update::Spawn { arguments, .. } = &mut spawn {
                for argument in arguments {
                    argument.value = Expr::Const(meaning.value(&argument.value, &before, &Scope::default()));
                }
            }
            let is_error =
                |hazard: &&Hazard| hazard.kind != TrapKind::Range || self.options.overflow == Overflow::Error;
            for hazard in hazards
                .iter()
                .filter(is_error)
                .filter(|hazard| meaning.holds(&hazard.condition, &before, &Scope::default()))
            {
                let too_large = |var: &&Var| {
                    let is_outside = matches!(&var.init, VarInit::Value(Ex::Const(value)) if !self.range_of(var.scalar).contains(*value));
                    var.owner == Some(proc)
                        && is_outside
                        && var.span.file == hazard.span.file
                        && (var.span.start..=var.span.end).contains(&hazard.span.start)
                };
                let var = self.model.vars.iter().find(too_large).filter(|_| hazard.kind == TrapKind::Range);
                let error = match var.map(|var| (var, &var.init)) {
                    Some((var, VarInit::Value(value))) => self.unfit(var, value),
                    _ => {
                        let message = format!("in an initial value: {}", hazard.kind.message());
                        Diagnostic::error(hazard.span, "P0503", message)
                    }
                };
                if !errors.contains(&error) {
                    errors.push(error);
                }
            }
            self.system.init.updates.push(spawn);
        }
        errors
    }

    /// The global variables whose initial values do not fit, if that is an error.
    fn truncated_globals(&self) -> Vec<Diagnostic> {
        let globals = self.model.vars.iter().filter(|var| var.owner.is_none() && var.scalar != Scalar::Chan);
        let mut errors = Vec::new();
        for var in globals.filter(|_| self.options.overflow == Overflow::Error) {
            let values: &[Ex] = match &var.init {
                VarInit::Value(value) => std::slice::from_ref(value),
                VarInit::List(values) => values,
                VarInit::Zero | VarInit::Channel(_) => &[],
            };
            let range = self.range_of(var.scalar);
            let is_outside = |value: &&Ex| matches!(value, Ex::Const(value) if !range.contains(*value));
            errors.extend(values.iter().find(is_outside).map(|value| self.unfit(var, value)));
        }
        errors
    }

    /// The error of an initial value that does not fit.
    fn unfit(&self, var: &Var, value: &Ex) -> Diagnostic {
        let value = if let Ex::Const(value) = value { value.to_string() } else { "the value".to_owned() };
        let range = self.range_of(var.scalar);
        let message = format!("`{}` cannot begin with {value}", var.name);
        let help = format!("`{}` holds {} to {}", var.name, range.lo, range.hi);
        Diagnostic::error(var.span, "P0503", message).help(help)
    }

    /// The creation of a process: arguments, then the initial values of its variables, which may use the former; and what
    /// can go wrong in computing the latter.
    pub(super) fn spawn(
        &self,
        proc: ProcId,
        args: &[Value],
        priority: Option<Expr>,
        pid: Expr,
        cx: &Cx,
    ) -> (Update, Vec<Hazard>) {
        let mut hazards = Vec::new();
        let default = || Expr::Const(DEFAULT_PRIORITY);
        let new_process =
            NewProcess { pid: pid.clone(), priority: priority.clone().unwrap_or_else(default), values: HashMap::new() };
        let mut born = Cx { new_process: Some(new_process), ..cx.clone() };
        let mut arguments = Vec::new();
        if let Some(priority) = priority {
            arguments.push(Argument::new(super::PRIORITY, priority));
        }
        let mut given: HashMap<VarId, Vec<Value>> = HashMap::new();
        for (number, (var, _)) in self.model.parameter_cells(proc).enumerate() {
            let value = args.get(number).cloned().unwrap_or_else(|| Value::constant(0));
            given.entry(var).or_default().push(value);
        }
        for var in self.kept_locals(proc).collect::<Vec<_>>() {
            let declared = &self.model.vars[var];
            let is_given = given.contains_key(&var);
            // One value for every cell, or a value for each.
            let values = match (given.remove(&var), &declared.init) {
                (Some(values), _) => values,
                (None, VarInit::Value(value)) => {
                    let value = self.value(value, &born);
                    hazards.extend(value.hazards.clone());
                    vec![value]
                }
                (None, VarInit::Channel(channel)) => {
                    let id = |cell: u32| {
                        let expr = self.classes.id(*channel, true, Some(pid.clone()), Expr::Const(i64::from(cell)));
                        Value { expr, range: self.range_of(Scalar::Chan), hazards: Vec::new() }
                    };
                    (0..declared.len.unwrap_or(1)).map(id).collect()
                }
                (None, VarInit::List(list)) => {
                    let listed = list.iter().map(|value| self.value(value, &born));
                    let rest = std::iter::repeat_with(|| Value::constant(0));
                    listed.chain(rest).take(declared.len.unwrap_or(1) as usize).collect()
                }
                (None, VarInit::Zero) => continue,
            };
            let store = |value: Value| self.stored(value, declared.scalar, declared.span, &mut hazards);
            let mut stored: Vec<Expr> = values.into_iter().map(store).collect();
            if stored.iter().map(terms).sum::<usize>() > MAX_INITIAL_TERMS {
                self.oversized.set(self.oversized.get().or(Some(declared.span)));
                stored.fill(Expr::Const(0));
            }
            // Plain numbers are the initial values of the slot itself.
            let is_plain = !is_given && matches!(declared.init, VarInit::Value(Ex::Const(_)) | VarInit::List(_));
            if let (VarPlace::Local(local), false) = (self.places[var], is_plain) {
                let single = stored.len() == 1;
                let values = stored.iter().cloned().map(|value| Argument::new(local, value));
                let cells = (0..).zip(values).map(|(cell, value)| if single { value } else { value.at(cell) });
                arguments.extend(cells);
            }
            if let Some(new_process) = &mut born.new_process {
                new_process.values.insert(var, stored);
            }
        }
        (Update::Spawn { frame: FrameId::new(proc.index()), arguments }, hazards)
    }

    /// What is written when a process dies: its channels are emptied.
    pub(super) fn clear_channels(&self, position: &Expr) -> Vec<Update> {
        let mut updates = Vec::new();
        for (number, class) in self.classes.list.iter().enumerate() {
            let Some(len) = class.len else { continue };
            for index in self.classes.locals_at(number, position.clone()) {
                let place = |slot, cell: Expr| lariat_system::Place::global(slot).at(cell);
                updates.push(Update::Set(place(len, index.clone()), Expr::Const(0)));
                for &cells in &class.cells {
                    for k in 0..i64::from(class.capacity) {
                        let capacity = Expr::Const(i64::from(class.capacity));
                        let first = Expr::binary(lariat_system::BinaryOp::Mul, index.clone(), capacity);
                        updates.push(Update::Set(place(cells, first.plus(Expr::Const(k))), Expr::Const(0)));
                    }
                }
            }
        }
        updates
    }
}

/// Slot names that were given away in one frame, or in the system.
#[derive(Default)]
struct Names {
    taken: HashSet<String>,
    /// How often a name was asked for.
    asked: HashMap<String, u32>,
}

impl Names {
    /// `name`, with a number behind it if it is taken: a variable of an inner block may have the name of an outer one.
    fn unique(&mut self, name: &str) -> String {
        let asked = self.asked.entry(name.to_owned()).or_insert(1);
        let first = *asked;
        *asked += 1;
        let numbered = (first.max(2)..).map(|number| format!("{name}#{number}"));
        let free = std::iter::once(name.to_owned()).chain(numbered).find(|name| !self.taken.contains(name));
        let free = free.expect("there are more names than variables");
        self.taken.insert(free.clone());
        free
    }
}

/// The range of a pid, as an expression knows it.
pub(super) fn pid_range(pool_size: u16) -> Interval {
    Interval { lo: 0, hi: i64::from(pool_size) }
}
