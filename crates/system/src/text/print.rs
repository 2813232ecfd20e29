//! From a system to its text.

use super::{LOOSEST, PRIMARY, UNARY, name, quoted, sign};
use crate::{
    Action, AfterTrap, Argument, Choice, ChoiceId, DeadEnds, Expr, Fairness, Frame, FrameId, LabelId, LabelMeaning,
    Occasion, Owner, Place, Queue, Slot, Strength, System, TrapTime, Type, UnaryOp, Update, Who,
};
use lariat_base::{Id, IdVec};
use std::fmt::{self, Display, Formatter};

type Choices = IdVec<ChoiceId, Choice>;

impl Display for System {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "system {}", name(&self.name))?;
        self.declarations(f)?;
        self.init_block(f)?;
        section(f, self.labels.is_empty())?;
        for label in self.labels.iter() {
            match &label.meaning {
                LabelMeaning::State(expr) => writeln!(f, "label {} = {}", name(&label.name), self.show(expr))?,
                LabelMeaning::Step => writeln!(f, "label {} step", name(&label.name))?,
                LabelMeaning::By(position) => writeln!(f, "label {} by {position}", name(&label.name))?,
                LabelMeaning::Acting(position) => writeln!(f, "label {} acting {position}", name(&label.name))?,
            }
        }
        for action in self.actions.iter() {
            writeln!(f)?;
            self.action(f, action)?;
        }
        section(f, self.invariants.is_empty())?;
        for invariant in &self.invariants {
            writeln!(f, "invariant {}", self.show(invariant))?;
        }
        section(f, self.fairness.is_empty())?;
        self.fairness.iter().try_for_each(|constraint| self.constraint(f, constraint))?;
        writeln!(f, "\ndead_ends {}", if self.dead_ends == DeadEnds::Cut { "cut" } else { "stutter" })?;
        if self.proper_end != Expr::TRUE {
            writeln!(f, "proper_end {}", self.show(&self.proper_end))?;
        }
        Ok(())
    }
}

/// An empty line before a list that has elements.
fn section(f: &mut Formatter<'_>, is_empty: bool) -> fmt::Result {
    if is_empty { Ok(()) } else { writeln!(f) }
}

impl System {
    fn declarations(&self, f: &mut Formatter<'_>) -> fmt::Result {
        section(f, self.enums.is_empty())?;
        for ty in self.enums.iter() {
            write!(f, "enum {} = {}..{} {{", name(&ty.name), ty.lo, ty.hi)?;
            for (index, variant) in ty.variants.iter().enumerate() {
                let comma = if index == 0 { "" } else { "," };
                write!(f, "{comma} {} = {}", name(&variant.name), variant.value)?;
            }
            writeln!(f, " }}")?;
        }
        section(f, self.slots.is_empty())?;
        self.slots.iter().try_for_each(|slot| self.slot(f, slot, ""))?;
        for frame in self.frames.iter() {
            self.frame(f, frame)?;
        }
        if self.pool_size > 0 {
            writeln!(f, "\npool {}", self.pool_size)?;
        }
        section(f, self.queues.is_empty())?;
        self.queues.iter().try_for_each(|queue| self.queue(f, queue))
    }

    fn queue(&self, f: &mut Formatter<'_>, queue: &Queue) -> fmt::Result {
        write!(f, "queue {}", name(&queue.name))?;
        if let Some((frame, position)) = queue.owner {
            write!(f, " of {} at {position}", name(&self.frames[frame].name))?;
        }
        write!(f, " : {} = {}[{}] (", queue.capacity, name(&self.slots[queue.len].name), queue.number)?;
        for (index, field) in queue.fields.iter().enumerate() {
            write!(f, "{}{}", if index == 0 { "" } else { ", " }, name(&self.slots[*field].name))?;
        }
        writeln!(f, ")")
    }

    fn frame(&self, f: &mut Formatter<'_>, frame: &Frame) -> fmt::Result {
        writeln!(f, "\nframe {} {{", name(&frame.name))?;
        for (id, slot) in frame.slots.entries() {
            self.slot(f, slot, if frame.control == Some(id) { "    control " } else { "    " })?;
        }
        writeln!(f, "}}")
    }

    fn slot(&self, f: &mut Formatter<'_>, slot: &Slot, before: &str) -> fmt::Result {
        write!(f, "{before}{}slot {}", if slot.shown { "" } else { "hidden " }, name(&slot.name))?;
        if let Some(len) = slot.len {
            write!(f, "[{len}]")?;
        }
        write!(f, " : {} = ", self.ty(slot.ty))?;
        match slot.initial.as_slice() {
            [value] => writeln!(f, "{value}"),
            values => writeln!(f, "{values:?}"),
        }
    }

    fn ty(&self, ty: Type) -> impl Display + '_ {
        fmt::from_fn(move |f| match ty {
            Type::Bool => f.write_str("bool"),
            Type::Int { lo, hi } => write!(f, "{lo}..{hi}"),
            Type::Enum(id) => write!(f, "{}", name(&self.enums[id].name)),
        })
    }

    fn init_block(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let init = &self.init;
        if init.choices.is_empty() && init.guard.is_empty() && init.updates.is_empty() {
            return Ok(());
        }
        writeln!(f, "\ninit {{")?;
        let within = Within { system: self, roles: &[], choices: &init.choices };
        within.choices(f)?;
        within.conjuncts(f, "when", &init.guard)?;
        within.updates(f, &init.updates)?;
        writeln!(f, "}}")
    }

    fn action(&self, f: &mut Formatter<'_>, action: &Action) -> fmt::Result {
        write!(f, "action {}", quoted(&action.name))?;
        for (role, frame) in action.participants.iter().enumerate() {
            write!(f, "{} {}", if role == 0 { " by" } else { "," }, name(&self.frames[*frame].name))?;
        }
        writeln!(f, " {{")?;
        let within = Within { system: self, roles: &action.participants, choices: &action.choices };
        if action.rank != Expr::Const(0) {
            writeln!(f, "    rank {}", within.show(&action.rank))?;
        }
        within.choices(f)?;
        within.conjuncts(f, "control", &action.guard.control)?;
        within.conjuncts(f, "when", &action.guard.condition)?;
        for cut in &action.cuts {
            writeln!(f, "    cut if {}", within.show(&cut.condition))?;
        }
        for trap in &action.traps {
            let time = if trap.time == TrapTime::Guard { "guard" } else { "effect" };
            let after = if trap.after == AfterTrap::Stops { "stops" } else { "goes_on" };
            let condition = within.show(&trap.condition);
            writeln!(f, "    trap {time} {} if {condition} then {after}", trap.kind.word())?;
        }
        within.updates(f, &action.updates)?;
        if let Some(role) = action.hold {
            writeln!(f, "    hold p{}", role.0)?;
        }
        for (label, condition) in &action.labels {
            write!(f, "    label {}", name(&self.labels[*label].name))?;
            if *condition != Expr::TRUE {
                write!(f, " if {}", within.show(condition))?;
            }
            writeln!(f)?;
        }
        if let Some(print) = &action.print {
            write!(f, "    print {}", quoted(&print.format))?;
            print.arguments.iter().try_for_each(|argument| write!(f, ", {}", within.show(argument)))?;
            writeln!(f)?;
        }
        if let Some((text, _)) = &action.peer {
            writeln!(f, "    peer {}", quoted(text))?;
        }
        if !action.trail.is_empty() {
            let numbers: Vec<String> = action.trail.iter().map(u32::to_string).collect();
            writeln!(f, "    trail {}", numbers.join(", "))?;
        }
        writeln!(f, "}}")
    }

    fn constraint(&self, f: &mut Formatter<'_>, constraint: &Fairness) -> fmt::Result {
        let label = |id: LabelId| name(&self.labels[id].name);
        let who = |who: Who| match who {
            Who::Process(position) => format!("process {position}"),
            Who::Steps(id) => format!("steps {}", label(id)),
        };
        let occasion = |occasion: Occasion| match occasion {
            Occasion::Always => "always".to_owned(),
            Occasion::Labelled(id) => format!("label {}", label(id)),
            Occasion::Enabled(of) => format!("enabled {}", who(of)),
            Occasion::Taken(of) => format!("taken {}", who(of)),
        };
        let Fairness { strength, asked, given } = *constraint;
        match (strength, asked, given, constraint.as_fairness_for()) {
            (Strength::Weak, Occasion::Always, Occasion::Labelled(id), _) => {
                writeln!(f, "fairness justice {}", label(id))
            }
            (Strength::Strong, Occasion::Labelled(asked), Occasion::Labelled(given), _) => {
                writeln!(f, "fairness compassion {} -> {}", label(asked), label(given))
            }
            (_, _, _, Some(of)) => writeln!(f, "fairness {} {}", strength.word(), who(of)),
            _ => writeln!(f, "fairness {} {} -> {}", strength.word(), occasion(asked), occasion(given)),
        }
    }
}

/// What names mean inside an action or init.
struct Within<'a> {
    system: &'a System,
    roles: &'a [FrameId],
    choices: &'a Choices,
}

impl<'a> Within<'a> {
    fn show(&self, shown: &'a Expr) -> impl Display + use<'a> {
        let (system, roles, choices) = (self.system, self.roles, self.choices);
        fmt::from_fn(move |f| expr(f, system, shown, roles, choices))
    }

    fn choices(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let line = |choice: &Choice| format!("    choose {} : {}", name(&choice.name), self.system.ty(choice.ty));
        self.choices.iter().try_for_each(|choice| writeln!(f, "{}", line(choice)))
    }

    fn conjuncts(&self, f: &mut Formatter<'_>, word: &str, conjuncts: &'a [Expr]) -> fmt::Result {
        conjuncts.iter().try_for_each(|conjunct| writeln!(f, "    {word} {}", self.show(conjunct)))
    }

    fn updates(&self, f: &mut Formatter<'_>, updates: &'a [Update]) -> fmt::Result {
        for update in updates {
            match update {
                Update::Set(place, value) => {
                    f.write_str("    set ")?;
                    let mut printer = self.printer();
                    printer.place(f, place)?;
                    writeln!(f, " := {}", self.show(value))?;
                }
                Update::Spawn { frame, arguments } => {
                    let frame = &self.system.frames[*frame];
                    let arguments: Vec<String> = arguments
                        .iter()
                        .map(|Argument { slot, cell, value }| {
                            let cell = cell.map_or(String::new(), |cell| format!("[{cell}]"));
                            format!("{}{cell} := {}", name(&frame.slots[*slot].name), self.show(value))
                        })
                        .collect();
                    writeln!(f, "    spawn {}({})", name(&frame.name), arguments.join(", "))?;
                }
                Update::Exit => writeln!(f, "    exit")?,
            }
        }
        Ok(())
    }

    fn printer(&self) -> Printer<'a> {
        Printer { system: self.system, roles: self.roles.to_vec(), choices: self.choices }
    }
}

/// Prints an expression in which `roles` and `choices` are in scope.
pub(super) fn expr(
    f: &mut Formatter<'_>,
    system: &System,
    shown: &Expr,
    roles: &[FrameId],
    choices: &Choices,
) -> fmt::Result {
    Printer { system, roles: roles.to_vec(), choices }.expr(f, shown, LOOSEST)
}

struct Printer<'a> {
    system: &'a System,
    roles: Vec<FrameId>,
    choices: &'a Choices,
}

impl Printer<'_> {
    /// Prints `expr`, in parentheses if it binds less tightly than `tightness`.
    fn expr(&mut self, f: &mut Formatter<'_>, expr: &Expr, tightness: u8) -> fmt::Result {
        let own = match expr {
            Expr::Ite(_) => LOOSEST,
            Expr::Binary(op, ..) => sign(*op).1,
            Expr::Unary(..) => UNARY,
            _ => PRIMARY,
        };
        if own < tightness {
            f.write_str("(")?;
            self.bare(f, expr)?;
            f.write_str(")")
        } else {
            self.bare(f, expr)
        }
    }

    fn bare(&mut self, f: &mut Formatter<'_>, expr: &Expr) -> fmt::Result {
        match expr {
            Expr::Const(value) => write!(f, "{value}"),
            Expr::Choice(id) => self.choice(f, *id),
            Expr::Read(place) => self.place(f, place),
            Expr::Position(role) => write!(f, "p{}", role.0),
            Expr::PoolCount => f.write_str("count"),
            Expr::Lives(frame, position) => {
                write!(f, "lives {}[", name(&self.system.frames[*frame].name))?;
                self.expr(f, position, LOOSEST)?;
                f.write_str("]")
            }
            Expr::Unary(op, value) => {
                let sign = match op {
                    UnaryOp::Not => "!",
                    UnaryOp::Neg => "-",
                    UnaryOp::BitNot => "~",
                };
                f.write_str(sign)?;
                // `-1` is a number; the negation of the number 1 is `-(1)`.
                if let (UnaryOp::Neg, Expr::Const(value)) = (op, &**value) {
                    return write!(f, "({value})");
                }
                self.expr(f, value, UNARY)
            }
            Expr::Binary(op, left, right) => {
                let (sign, tightness) = sign(*op);
                // More parentheses than needed where readers would have to look up the precedence.
                let (left_tightness, right_tightness) = match tightness {
                    3..=5 | 8 => (UNARY, UNARY),
                    6 | 7 => (9, 9),
                    _ => (tightness, tightness + 1),
                };
                self.expr(f, left, left_tightness)?;
                write!(f, " {sign} ")?;
                self.expr(f, right, right_tightness)
            }
            Expr::Ite(parts) => {
                f.write_str("if ")?;
                self.expr(f, &parts[0], LOOSEST)?;
                f.write_str(" then ")?;
                self.expr(f, &parts[1], LOOSEST)?;
                f.write_str(" else ")?;
                self.expr(f, &parts[2], LOOSEST)
            }
            Expr::Wrap { bits, signed, value } => {
                write!(f, "{}{bits}(", if *signed { 'i' } else { 'u' })?;
                self.expr(f, value, LOOSEST)?;
                f.write_str(")")
            }
            Expr::Wide(op, half, parts) => {
                f.write_str(op.name(*half))?;
                for (number, part) in parts.iter().enumerate() {
                    f.write_str(if number == 0 { "(" } else { ", " })?;
                    self.expr(f, part, LOOSEST)?;
                }
                f.write_str(")")
            }
            Expr::Exists(frame, body) => {
                let role = self.roles.len();
                write!(f, "exists({} as p{role} : ", name(&self.system.frames[*frame].name))?;
                self.roles.push(*frame);
                self.expr(f, body, LOOSEST)?;
                self.roles.pop();
                f.write_str(")")
            }
        }
    }

    /// By name where the first choice of that name is meant, else by number.
    fn choice(&self, f: &mut Formatter<'_>, id: ChoiceId) -> fmt::Result {
        let text = &self.choices[id].name;
        let first = self.choices.iter().position(|choice| choice.name == *text);
        if first == Some(id.index()) { write!(f, "?{}", name(text)) } else { write!(f, "?{}", id.index()) }
    }

    fn place(&mut self, f: &mut Formatter<'_>, place: &Place) -> fmt::Result {
        match &place.owner {
            Owner::Global(slot) => write!(f, "{}", name(&self.system.slots[*slot].name))?,
            Owner::Role(role, local) => {
                let frame = &self.system.frames[self.roles[role.index()]];
                write!(f, "p{}.{}", role.0, name(&frame.slots[*local].name))?;
            }
            Owner::At(frame, local, position) => {
                let frame = &self.system.frames[*frame];
                write!(f, "{}[", name(&frame.name))?;
                self.expr(f, position, LOOSEST)?;
                write!(f, "].{}", name(&frame.slots[*local].name))?;
            }
        }
        if let Some(index) = &place.index {
            f.write_str("[")?;
            self.expr(f, index, LOOSEST)?;
            f.write_str("]")?;
        }
        Ok(())
    }
}
