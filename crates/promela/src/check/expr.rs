//! Expressions: what their names stand for.

use super::declare::{FieldType, MAX_WHOLE};
use super::observe::reads;
use super::scope::{Meaning, StructVar};
use super::{Access, Checker, Ex, Pattern, ProcId, RemoteLabel, Scalar, VarId, VarInit};
use crate::tree::{self, ExprKind, RecvArg, Special, VarRef};
use lariat_base::{Diagnostic, Span, closest_name, safe_point};
use lariat_system::BinaryOp as IrBinary;

/// Words of the language that stand where a variable could.
const WORDS: &[&str] = &["timeout", "skip", "true", "false", "else", "break", "_pid", "_nr_pr", "_last", "np_"];

/// What a reference leads to.
pub(super) enum Referent {
    /// A cell.
    Cell(Access),
    /// A whole structure: its cells in order.
    Whole(Vec<Access>),
    /// An `mtype` constant.
    Constant(i64),
}

impl Checker {
    /// Resolves an expression that has a value and no effect. Errors are reported; the result then is arbitrary.
    pub(super) fn expr(&mut self, expr: &tree::Expr) -> Ex {
        safe_point();
        match &expr.kind {
            // More than 31 bits mean the remainder in C's int.
            ExprKind::Number(value) => Ex::Const(i64::from(*value as i32)),
            ExprKind::Char(value) => Ex::Const(i64::from(*value)),
            ExprKind::Bool(value) => Ex::Const(i64::from(*value)),
            ExprKind::Skip => Ex::Const(1),
            ExprKind::Ref(reference) if self.observing && self.is_accepting(reference) => Ex::Accepting,
            ExprKind::Ref(reference) => match self.referent(reference) {
                Some(Referent::Cell(access)) => Ex::Read(access),
                Some(Referent::Constant(value)) => Ex::Const(value),
                Some(Referent::Whole(_)) => {
                    self.error(
                        reference.span,
                        "P0420",
                        format!("`{reference}` is a structure; name one of its fields"),
                    );
                    Ex::Const(0)
                }
                None => Ex::Const(0),
            },
            ExprKind::Special(special) => self.special(*special, expr.span),
            ExprKind::Unary(op, operand) => {
                let value = self.expr(operand);
                if *op != tree::UnaryOp::Not {
                    self.forbid_channel(&value, operand);
                }
                Ex::Unary(*op, Box::new(value))
            }
            ExprKind::Binary(op, left, right) => {
                let values = Box::new([self.expr(left), self.expr(right)]);
                if computes(*op) {
                    self.forbid_channel(&values[0], left);
                    self.forbid_channel(&values[1], right);
                }
                Ex::Binary(*op, values, expr.span)
            }
            ExprKind::Conditional(parts) => {
                let [condition, yes, no] = &**parts;
                Ex::Conditional(Box::new([self.expr(condition), self.expr(yes), self.expr(no)]))
            }
            ExprKind::Poll(channel, random, args) => match self.channel(channel) {
                Some(access) => Ex::Poll(access, *random, self.patterns(args, true)),
                None => Ex::Const(0),
            },
            ExprKind::Channel(op, channel) => match self.channel(channel) {
                Some(access) => Ex::Channel(*op, access),
                None => Ex::Const(0),
            },
            ExprKind::Enabled(pid) => Ex::Enabled(Box::new(self.pid(None, pid))),
            ExprKind::PcValue(pid) => Ex::PcValue(Box::new(self.pid(None, pid))),
            ExprKind::GetPriority(pid) => {
                self.model.uses_priorities = true;
                Ex::GetPriority(Box::new(self.pid(None, pid)))
            }
            ExprKind::Moves(_) => {
                let message = "`moves` speaks of a step, so it cannot be part of a condition on states";
                let help = "let it stand by itself in a formula or a never claim: `moves(1) && (x > 0)`";
                self.diagnostics.push(Diagnostic::error(expr.span, "P0455", message).help(help));
                Ex::Const(0)
            }
            ExprKind::SetPriority(_) => {
                self.error(expr.span, "P0421", "`set_priority` is a statement, not a value");
                Ex::Const(0)
            }
            ExprKind::RemoteLabel(remote, label) => self.remote_label(remote, label),
            ExprKind::RemoteVar(remote, reference) => self.remote_var(remote, reference),
            ExprKind::Run(_) => {
                let error = Diagnostic::error(expr.span, "P0422", "`run` cannot be part of an expression");
                self.diagnostics.push(error.help("use `run P(…)` alone, or `pid = run P(…)`"));
                Ex::Const(0)
            }
        }
    }

    /// Channels can be compared, but not computed with.
    fn forbid_channel(&mut self, value: &Ex, operand: &tree::Expr) {
        if let Ex::Read(access) = value
            && self.model.vars[access.var].scalar == Scalar::Chan
        {
            let message = format!("`{operand}` is a channel, not a number");
            let help = "`len(q)` is the number of messages in a channel `q`";
            self.diagnostics.push(Diagnostic::error(operand.span, "P0447", message).help(help));
        }
    }

    fn special(&mut self, special: Special, span: Span) -> Ex {
        match special {
            Special::Pid => {
                if self.proc.is_none() || self.observing {
                    self.error(span, "P0423", "`_pid` has a meaning inside a process only");
                }
                Ex::Pid
            }
            Special::ProcessCount => Ex::ProcessCount,
            Special::Last => {
                self.model.uses_last = true;
                Ex::Last
            }
            Special::Priority => {
                self.model.uses_priorities = true;
                Ex::Priority
            }
            Special::NonProgress => Ex::NonProgress,
            Special::Timeout => Ex::Timeout,
        }
    }

    /// The pid of a process of the type, or of any.
    fn pid(&mut self, proc: Option<ProcId>, pid: &tree::Expr) -> Ex {
        let value = self.expr(pid);
        self.check_pid(proc, &value, pid.span);
        value
    }

    fn remote_proc(&mut self, name: &tree::Ident) -> Option<ProcId> {
        match self.meaning(name) {
            Some(Meaning::Proc(proc)) => Some(proc),
            _ => {
                self.no_proctype(name);
                None
            }
        }
    }

    /// Complains about a name that should be that of a proctype.
    pub(super) fn no_proctype(&mut self, name: &tree::Ident) {
        if self.has_too_many_errors() {
            return;
        }
        let error = |message: String| Diagnostic::error(name.span, "P0424", message);
        let declared = self.scopes.find(&name.name).map(|named| named.span);
        self.diagnostics.push(if let Some(inline) = self.inlines.get(&*name.name) {
            let help = format!("an inline is used without `run`: `{name}(...)`");
            error(format!("`{name}` is an inline, not a proctype")).note(inline.span, "defined here").help(help)
        } else if let Some(declared) = declared {
            error(format!("`{name}` is not a proctype")).note(declared, "declared here")
        } else {
            let known = self.heads.iter().map(|head| head.name.as_str());
            let help = closest_name(&name.name, known).map(|near| format!("did you mean `{near}`?"));
            Diagnostic { help, ..error(format!("there is no proctype `{name}`")) }
        });
    }

    fn remote_label(&mut self, remote: &tree::Remote, label: &tree::Ident) -> Ex {
        let Some(proc) = self.remote_proc(&remote.proctype) else { return Ex::Const(0) };
        let pid = remote.pid.as_ref().map(|pid| Box::new(self.pid(Some(proc), pid)));
        let label_name = label.name.to_string();
        self.note_remote_label(proc, label);
        self.rest_at_remote_label(proc, &label_name);
        self.remote_labels.push(RemoteLabel {
            proc,
            label: label_name.clone(),
            span: label.span,
            observed: self.observing,
        });
        Ex::RemoteLabel(proc, pid, label_name)
    }

    fn remote_var(&mut self, remote: &tree::Remote, reference: &VarRef) -> Ex {
        let Some(proc) = self.remote_proc(&remote.proctype) else { return Ex::Const(0) };
        let pid = remote.pid.as_ref().map(|pid| Box::new(self.pid(Some(proc), pid)));
        let name = &reference.name().name;
        let Some(checked) = self.model.procs.get(proc) else {
            self.error(reference.span, "P0425", format!("`{}` must be declared before this", remote.proctype));
            return Ex::Const(0);
        };
        let Some(&var) = checked.locals.iter().find(|&&var| self.model.vars[var].name == **name) else {
            let known = checked.locals.iter().map(|&var| self.model.vars[var].name.as_str());
            let help = closest_name(name, known).map(|near| format!("did you mean `{near}`?"));
            let message = format!("`{}` has no variable `{name}`", remote.proctype);
            self.diagnostics.push(Diagnostic { help, ..Diagnostic::error(reference.span, "P0426", message) });
            return Ex::Const(0);
        };
        self.note_var_use(reference.name(), var);
        match self.cell(var, &reference.parts, reference.span) {
            Some(access) => Ex::RemoteVar(proc, pid, access),
            None => Ex::Const(0),
        }
    }

    /// What a reference leads to; errors are reported.
    pub(super) fn referent(&mut self, reference: &VarRef) -> Option<Referent> {
        let name = reference.name();
        match self.meaning(name) {
            Some(Meaning::Var(var)) => self.cell(var, &reference.parts, reference.span).map(Referent::Cell),
            Some(Meaning::Struct(var)) => self.struct_referent(&var, reference),
            Some(Meaning::Constant(value)) => {
                if let Some(extra) = reference.parts.get(1).map(|part| part.name.span) {
                    self.error(extra, "P0427", format!("`{name}` is a constant and has no fields"));
                }
                Some(Referent::Constant(value))
            }
            Some(Meaning::Proc(_)) => {
                self.error(name.span, "P0428", format!("`{name}` is a proctype, not a variable"));
                None
            }
            Some(Meaning::Wrong) => None,
            None if self.has_too_many_errors() => None,
            None if &*name.name == "_" => {
                self.error(name.span, "P0429", "`_` cannot be read: what is assigned to it is lost");
                None
            }
            None if &*name.name == "STDIN" => {
                let error = Diagnostic::error(name.span, "P0429", "`STDIN` cannot be read: a model has no input");
                self.diagnostics.push(error.help("let it choose instead: `select (c : 0 .. 255)`"));
                None
            }
            None => {
                let near = closest_name(&name.name, self.scopes.names());
                let near = near.or_else(|| closest_name(&name.name, WORDS.iter().copied())).map(str::to_owned);
                let error = Diagnostic::error(name.span, "P0429", format!("`{name}` is not declared"));
                self.diagnostics.push(Diagnostic { help: near.map(|near| format!("did you mean `{near}`?")), ..error });
                None
            }
        }
    }

    fn cell(&mut self, var: VarId, parts: &[tree::NamePart], span: Span) -> Option<Access> {
        let len = self.model.vars[var].len;
        if let Some(part) = parts.get(1) {
            self.error(part.name.span, "P0427", format!("`{}` is not a structure", self.model.vars[var].name));
            return None;
        }
        let indices = self.index(&parts[0], len)?;
        Some(Access { var, indices: indices.into_iter().collect(), span })
    }

    /// The index of one part of a reference, if it is one of an array.
    fn index(&mut self, part: &tree::NamePart, len: Option<u32>) -> Option<Option<(Ex, u32)>> {
        match (&part.index, len) {
            (None, None) => Some(None),
            (Some(index), Some(len)) => {
                let value = self.expr(index);
                // In a statement this is an error when it happens. Where something is observed, nothing happens.
                if let Some(number) = self.known_value(&value).filter(|_| self.observing && !reads(&value))
                    && !(0..i64::from(len)).contains(&number)
                {
                    let message = format!("index {number} is outside `{}[{len}]`", part.name);
                    let help = format!("its cells are 0 to {}", len - 1);
                    self.diagnostics.push(Diagnostic::error(index.span, "P0459", message).help(help));
                }
                Some(Some((value, len)))
            }
            (None, Some(len)) => {
                let message = format!("`{}` is an array of {len} and needs an index", part.name);
                let help = format!("write `{}[0]` for the first", part.name);
                self.diagnostics.push(Diagnostic::error(part.name.span, "P0430", message).help(help));
                None
            }
            (Some(index), None) => {
                // As in C, cell 0 of what is no array is the thing itself; anything else is a mistake.
                let value = self.expr(index);
                if self.known_value(&value) != Some(0) {
                    self.error(index.span, "P0431", format!("`{}` is not an array", part.name));
                    return None;
                }
                Some(None)
            }
        }
    }

    fn struct_referent(&mut self, var: &StructVar, reference: &VarRef) -> Option<Referent> {
        let mut indices: Vec<(Ex, u32)> = Vec::new();
        indices.extend(self.index(&reference.parts[0], var.len)?);
        let mut leaves = &var.leaves[..];
        let mut ty = var.ty;
        for (number, part) in reference.parts.iter().enumerate().skip(1) {
            let fields = &self.typedefs[ty].fields;
            let Some(position) = fields.iter().position(|field| field.name == *part.name.name) else {
                let known: Vec<&str> = fields.iter().map(|field| field.name.as_str()).collect();
                let help = closest_name(&part.name.name, known).map(|near| format!("did you mean `{near}`?"));
                let message = format!("`{}` has no field `{}`", self.typedefs[ty].name, part.name);
                self.diagnostics.push(Diagnostic { help, ..Diagnostic::error(part.name.span, "P0432", message) });
                return None;
            };
            let skipped: usize = fields[..position].iter().map(|field| self.leaf_count(&field.ty)).sum();
            let (field_type, len, spelled) =
                (fields[position].ty.clone(), fields[position].len, fields[position].spelled);
            self.note_use(&part.name, spelled);
            leaves = &leaves[skipped..][..self.leaf_count(&field_type)];
            indices.extend(self.index(part, len)?);
            match field_type {
                FieldType::Struct(inner) => ty = inner,
                FieldType::Scalar(_) => {
                    if let Some(extra) = reference.parts.get(number + 1) {
                        self.error(extra.name.span, "P0427", format!("`{}` is not a structure", part.name));
                        return None;
                    }
                    return Some(Referent::Cell(Access { var: leaves[0], indices, span: reference.span }));
                }
            }
        }
        // A whole structure: every cell of every leaf below this point.
        let mut cells = Vec::new();
        let dims = self.leaf_dims(ty);
        for (&leaf, dims) in leaves.iter().zip(dims) {
            let count: u32 = dims.iter().fold(1, |count, &dim| count.saturating_mul(dim));
            for cell in 0..count {
                // One more than fits into any message or list of arguments is enough to find out that it does not fit.
                if cells.len() > MAX_WHOLE {
                    break;
                }
                let mut indices = indices.clone();
                let mut rest = cell;
                let mut inner: Vec<(Ex, u32)> = Vec::new();
                for &dim in dims.iter().rev() {
                    inner.push((Ex::Const(i64::from(rest % dim)), dim));
                    rest /= dim;
                }
                indices.extend(inner.into_iter().rev());
                cells.push(Access { var: leaf, indices, span: reference.span });
            }
        }
        Some(Referent::Whole(cells))
    }

    fn leaf_count(&self, ty: &FieldType) -> usize {
        match ty {
            FieldType::Scalar(_) => 1,
            FieldType::Struct(id) => self.typedefs[*id].leaves,
        }
    }

    /// For each leaf of a structure the lengths of the arrays inside it.
    fn leaf_dims(&self, ty: usize) -> Vec<Vec<u32>> {
        let mut all = Vec::new();
        if self.typedefs[ty].leaves == 0 {
            return all;
        }
        for field in &self.typedefs[ty].fields {
            let inner = match field.ty {
                FieldType::Scalar(_) => vec![Vec::new()],
                FieldType::Struct(id) => self.leaf_dims(id),
            };
            all.extend(inner.into_iter().map(|dims| field.len.into_iter().chain(dims).collect()));
        }
        all
    }

    /// A reference that must be a channel.
    pub(super) fn channel(&mut self, reference: &VarRef) -> Option<Access> {
        match self.referent(reference)? {
            Referent::Cell(access) if self.model.vars[access.var].scalar == Scalar::Chan => Some(access),
            Referent::Cell(access) => {
                let message = format!("`{reference}` is not a channel");
                let declared = self.model.vars[access.var].span;
                let error = Diagnostic::error(reference.span, "P0433", message).note(declared, "declared here");
                self.diagnostics.push(error);
                None
            }
            Referent::Whole(_) | Referent::Constant(_) => {
                self.error(reference.span, "P0433", format!("`{reference}` is not a channel"));
                None
            }
        }
    }

    /// A reference that is assigned to.
    pub(super) fn target(&mut self, reference: &VarRef) -> Option<Access> {
        match self.referent(reference)? {
            Referent::Cell(access) => {
                self.model.vars[access.var].assigned = true;
                Some(access)
            }
            Referent::Constant(_) => {
                self.error(reference.span, "P0434", format!("`{reference}` is a constant; it cannot change"));
                None
            }
            Referent::Whole(_) => {
                self.error(reference.span, "P0420", format!("`{reference}` is a structure; name one of its fields"));
                None
            }
        }
    }

    /// The fields of a receive, or of a poll, which sets nothing.
    pub(super) fn patterns(&mut self, args: &[RecvArg], poll: bool) -> Vec<Pattern> {
        let mut patterns = Vec::new();
        for arg in args {
            match arg {
                RecvArg::Const(value) | RecvArg::Eval(value) => patterns.push(Pattern::Match(self.expr(value))),
                RecvArg::Ref(reference) if reference.as_name().is_some_and(|name| &*name.name == "_") => {
                    patterns.push(Pattern::Any);
                }
                RecvArg::Ref(reference) => match self.referent(reference) {
                    Some(Referent::Constant(value)) => patterns.push(Pattern::Match(Ex::Const(value))),
                    Some(Referent::Cell(access)) => {
                        self.model.vars[access.var].assigned |= !poll;
                        patterns.push(if poll { Pattern::Any } else { Pattern::Set(access) });
                    }
                    Some(Referent::Whole(cells)) => {
                        for access in cells {
                            self.model.vars[access.var].assigned |= !poll;
                            patterns.push(if poll { Pattern::Any } else { Pattern::Set(access) });
                        }
                    }
                    None => patterns.push(Pattern::Any),
                },
            }
        }
        patterns
    }

    /// The fields of a message to be sent, or the arguments of a `run`; a structure stands for all its cells.
    pub(super) fn message(&mut self, args: &[tree::Expr]) -> Vec<Ex> {
        let mut values = Vec::new();
        for arg in args {
            if let ExprKind::Ref(reference) = &arg.kind {
                match self.referent(reference) {
                    Some(Referent::Whole(cells)) => values.extend(cells.into_iter().map(Ex::Read)),
                    Some(Referent::Cell(access)) => values.push(Ex::Read(access)),
                    Some(Referent::Constant(value)) => values.push(Ex::Const(value)),
                    None => values.push(Ex::Const(0)),
                }
            } else {
                values.push(self.expr(arg));
            }
        }
        values
    }

    /// The value of an expression over constants and globals that have their initial values.
    pub(super) fn known_value(&self, ex: &Ex) -> Option<i64> {
        use tree::{BinaryOp as B, UnaryOp as U};
        let int = |value: i64| i64::from(value as i32);
        match ex {
            Ex::Const(value) => Some(*value),
            Ex::Unary(op, operand) => {
                let value = self.known_value(operand)?;
                Some(match op {
                    U::Neg => int(-value),
                    U::Not => i64::from(value == 0),
                    U::Complement => !value,
                })
            }
            Ex::Binary(op, operands, _) => {
                let (a, b) = (self.known_value(&operands[0])?, self.known_value(&operands[1])?);
                let (ir, a, b) = match op {
                    B::Or => (IrBinary::Or, a, b),
                    B::And => (IrBinary::And, a, b),
                    B::BitOr => (IrBinary::BitOr, a, b),
                    B::BitXor => (IrBinary::BitXor, a, b),
                    B::BitAnd => (IrBinary::BitAnd, a, b),
                    B::Eq => (IrBinary::Eq, a, b),
                    B::Ne => (IrBinary::Ne, a, b),
                    B::Lt => (IrBinary::Lt, a, b),
                    B::Le => (IrBinary::Le, a, b),
                    B::Gt => (IrBinary::Lt, b, a),
                    B::Ge => (IrBinary::Le, b, a),
                    B::Shl => (IrBinary::Shl, a, b),
                    B::Shr => (IrBinary::Shr, a, b),
                    B::Add => (IrBinary::Add, a, b),
                    B::Sub => (IrBinary::Sub, a, b),
                    B::Mul => (IrBinary::Mul, a, b),
                    B::Div | B::Rem if b == 0 => return None,
                    B::Div => (IrBinary::Div, a, b),
                    B::Rem => (IrBinary::Rem, a, b),
                };
                Some(int(ir.apply(a, b)))
            }
            Ex::Conditional(parts) => {
                let chosen = if self.known_value(&parts[0])? != 0 { 1 } else { 2 };
                self.known_value(&parts[chosen])
            }
            Ex::Read(access) if access.indices.is_empty() => {
                let var = &self.model.vars[access.var];
                match &var.init {
                    VarInit::Value(value) if var.owner.is_none() && var.scalar != Scalar::Chan => {
                        self.known_value(value)
                    }
                    VarInit::Zero if var.owner.is_none() && var.scalar != Scalar::Chan => Some(0),
                    _ => None,
                }
            }
            _ => None,
        }
    }
}

/// Whether the operator takes numbers as such, and does not only compare or ask for their truth.
fn computes(op: tree::BinaryOp) -> bool {
    use tree::BinaryOp::{Add, BitAnd, BitOr, BitXor, Div, Mul, Rem, Shl, Shr, Sub};
    matches!(op, Add | BitAnd | BitOr | BitXor | Div | Mul | Rem | Shl | Shr | Sub)
}
