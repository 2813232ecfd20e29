//! Expressions and statements in one line each, as their author would recognise them after macro expansion.
//!
//! Parentheses are printed where they were written, and nowhere else. Compound statements are named, not listed.

use std::fmt::{self, Display, Formatter};

use crate::token::write_char;
use crate::tree::*;

/// Items with a separator between.
fn list<T: Display>(items: &[T], separator: &str, f: &mut Formatter<'_>) -> fmt::Result {
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            f.write_str(separator)?;
        }
        item.fmt(f)?;
    }
    Ok(())
}

/// Fields of a message: `a,b` or `tag(a,b)`.
fn message<T: Display>(args: &[T], tagged: bool, f: &mut Formatter<'_>) -> fmt::Result {
    match args.split_first() {
        Some((tag, rest)) if tagged => {
            write!(f, "{tag}(")?;
            list(rest, ",", f)?;
            f.write_str(")")
        }
        _ => list(args, ",", f),
    }
}

impl Display for Ident {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

impl Display for VarRef {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        list(&self.parts, ".", f)
    }
}

impl Display for NamePart {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.index {
            Some(index) => write!(f, "{}[{index}]", self.name),
            None => self.name.fmt(f),
        }
    }
}

impl Display for RecvArg {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ref(place) => place.fmt(f),
            Self::Const(value) => value.fmt(f),
            Self::Eval(value) => write!(f, "eval({value})"),
        }
    }
}

impl Display for Remote {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.pid {
            Some(pid) => write!(f, "{}[{pid}]", self.proctype),
            None => self.proctype.fmt(f),
        }
    }
}

impl Display for RunExpr {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "run {}(", self.proctype)?;
        list(&self.args, ",", f)?;
        f.write_str(")")?;
        self.priority.iter().try_for_each(|priority| write!(f, " priority {priority}"))
    }
}

impl Display for Expr {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if self.parenthesized { write!(f, "({})", self.kind) } else { self.kind.fmt(f) }
    }
}

impl Display for ExprKind {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => write!(f, "{number}"),
            Self::Char(byte) => write_char(*byte, f),
            Self::Bool(value) => write!(f, "{value}"),
            Self::Skip => f.write_str("skip"),
            Self::Ref(place) => place.fmt(f),
            Self::Special(special) => f.write_str(special.text()),
            Self::Unary(op, operand) => write!(f, "{}{operand}", op.text()),
            Self::Binary(op, left, right) => write!(f, "{left} {} {right}", op.text()),
            Self::Conditional(three) => write!(f, "{} -> {} : {}", three[0], three[1], three[2]),
            Self::Poll(channel, random, args) => {
                write!(f, "{channel}{}[", if *random { "??" } else { "?" })?;
                list(args, ",", f)?;
                f.write_str("]")
            }
            Self::Channel(op, channel) => write!(f, "{}({channel})", op.text()),
            Self::Enabled(e) => write!(f, "enabled({e})"),
            Self::PcValue(e) => write!(f, "pc_value({e})"),
            Self::GetPriority(e) => write!(f, "get_priority({e})"),
            Self::Moves(e) => write!(f, "moves({e})"),
            Self::SetPriority(two) => write!(f, "set_priority({}, {})", two[0], two[1]),
            Self::RemoteLabel(remote, label) => write!(f, "{remote}@{label}"),
            Self::RemoteVar(remote, place) => write!(f, "{remote}:{place}"),
            Self::Run(run) => run.fmt(f),
        }
    }
}

impl Special {
    /// How it is spelled.
    pub fn text(self) -> &'static str {
        match self {
            Self::Pid => "_pid",
            Self::ProcessCount => "_nr_pr",
            Self::Last => "_last",
            Self::Priority => "_priority",
            Self::NonProgress => "np_",
            Self::Timeout => "timeout",
        }
    }
}

impl UnaryOp {
    /// How it is spelled.
    pub fn text(self) -> &'static str {
        match self {
            Self::Neg => "-",
            Self::Not => "!",
            Self::Complement => "~",
        }
    }
}

impl BinaryOp {
    /// How it is spelled.
    pub fn text(self) -> &'static str {
        match self {
            Self::Or => "||",
            Self::And => "&&",
            Self::BitOr => "|",
            Self::BitXor => "^",
            Self::BitAnd => "&",
            Self::Eq => "==",
            Self::Ne => "!=",
            Self::Lt => "<",
            Self::Le => "<=",
            Self::Gt => ">",
            Self::Ge => ">=",
            Self::Shl => "<<",
            Self::Shr => ">>",
            Self::Add => "+",
            Self::Sub => "-",
            Self::Mul => "*",
            Self::Div => "/",
            Self::Rem => "%",
        }
    }
}

impl ChannelOp {
    /// How it is spelled.
    pub fn text(self) -> &'static str {
        match self {
            Self::Len => "len",
            Self::Empty => "empty",
            Self::Nempty => "nempty",
            Self::Full => "full",
            Self::Nfull => "nfull",
        }
    }
}

impl Display for Type {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match &self.kind {
            TypeKind::Bit => "bit",
            TypeKind::Bool => "bool",
            TypeKind::Byte => "byte",
            TypeKind::Short => "short",
            TypeKind::Int => "int",
            TypeKind::Pid => "pid",
            TypeKind::Unsigned => "unsigned",
            TypeKind::Chan => "chan",
            TypeKind::Mtype(None) => "mtype",
            TypeKind::Mtype(Some(set)) => return write!(f, "mtype:{set}"),
            TypeKind::Named(name) => &name.name,
        })
    }
}

impl Display for Declarator {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.name.fmt(f)?;
        self.width.iter().try_for_each(|width| write!(f, " : {width}"))?;
        self.length.iter().try_for_each(|length| write!(f, "[{length}]"))?;
        match &self.init {
            None => Ok(()),
            Some(Initializer::Expr(value)) => write!(f, " = {value}"),
            Some(Initializer::List(values)) => {
                f.write_str(" = {")?;
                list(values, ", ", f)?;
                f.write_str("}")
            }
            Some(Initializer::Channel(channel)) => {
                write!(f, " = [{}] of {{", channel.capacity)?;
                list(&channel.fields, ", ", f)?;
                f.write_str("}")
            }
        }
    }
}

impl Display for Decl {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self.visibility {
            None => "",
            Some(Visibility::Hidden) => "hidden ",
            Some(Visibility::Show) => "show ",
            Some(Visibility::Local) => "local ",
        })?;
        write!(f, "{} ", self.ty)?;
        list(&self.vars, ", ", f)
    }
}

impl Display for Stmt {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.kind.fmt(f)
    }
}

impl Display for StmtKind {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Decl(decl) => decl.fmt(f),
            Self::Exclusive(kind, channels) => {
                f.write_str(if *kind == Exclusive::Receive { "xr " } else { "xs " })?;
                list(channels, ", ", f)
            }
            Self::Expr(e) => e.fmt(f),
            Self::Else => f.write_str("else"),
            Self::Assign(place, value) => write!(f, "{place} = {value}"),
            Self::Increment(place) => write!(f, "{place}++"),
            Self::Decrement(place) => write!(f, "{place}--"),
            Self::Send(send) => {
                write!(f, "{}{}", send.channel, if send.sorted { "!!" } else { "!" })?;
                message(&send.args, send.tagged, f)
            }
            Self::Receive(receive) => {
                write!(f, "{}{}", receive.channel, if receive.random { "??" } else { "?" })?;
                f.write_str(if receive.copy { "<" } else { "" })?;
                message(&receive.args, receive.tagged, f)?;
                f.write_str(if receive.copy { ">" } else { "" })
            }
            Self::Assert(e) => write!(f, "assert({})", e.kind),
            Self::Printf(format, args) => {
                write!(f, "printf(\"{format}\"")?;
                args.iter().try_for_each(|arg| write!(f, ", {arg}"))?;
                f.write_str(")")
            }
            Self::Printm(e) => write!(f, "printm({e})"),
            Self::Goto(label) => write!(f, "goto {label}"),
            Self::Break => f.write_str("break"),
            Self::Block(_) => f.write_str("{ ... }"),
            Self::Atomic(_) => f.write_str("atomic"),
            Self::DStep(_) => f.write_str("d_step"),
            Self::If(_) => f.write_str("if"),
            Self::Do(_) => f.write_str("do"),
            Self::ForRange(i, from, to, _) => write!(f, "for ({i} : {from} .. {to})"),
            Self::ForIn(i, over, _) => write!(f, "for ({i} in {over})"),
            Self::Select(i, from, to) => write!(f, "select ({i} : {from} .. {to})"),
            Self::Unless(main, escape) => write!(f, "{main} unless {escape}"),
            Self::Call(call) => {
                write!(f, "{}(", call.name)?;
                list(&call.args, ", ", f)?;
                f.write_str(")")
            }
        }
    }
}
