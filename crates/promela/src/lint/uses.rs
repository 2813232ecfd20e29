//! Variables that are never needed.

use super::{Tally, walk};
use crate::check::{Basic, Checked, Ex, Pattern, VarId, VarInit};
use crate::flow::ElementKind;
use crate::token::TokenKind;
use crate::tree::{Decl, Expr, ExprKind, Initializer, Model, Never, StmtKind, Trace, Unit};
use lariat_base::{Diagnostic, IdVec, SourceMap, Span};
use std::collections::{HashMap, HashSet};

const NEVER_USED: &str = "P0602";
const NEVER_READ: &str = "P0603";

/// What is done with a variable.
#[derive(Clone, Copy, Default)]
struct VariableUse {
    read: bool,
    assigned: bool,
    received: bool,
}

pub(super) fn lint(sources: &SourceMap, model: &Model, checked: &Checked, tally: &mut Tally) {
    let uses = uses(checked);
    let mentioned = mentioned(sources, model);
    let excused = declared_for_show(model);
    // The parts of a structure have one place, and so have the variables of an inline: any use of any counts.
    let mut places: HashMap<Span, (VarId, VariableUse)> = HashMap::new();
    for (id, var) in checked.vars.entries().filter(|(_, var)| !var.span.is_none()) {
        let root = root(&var.name);
        let read = uses[id].read || mentioned.contains(root);
        let (_, all) = places.entry(var.span).or_insert((id, VariableUse::default()));
        all.read |= read;
        all.assigned |= uses[id].assigned;
        all.received |= uses[id].received;
    }
    for (span, (id, done)) in places {
        let var = &checked.vars[id];
        let name = root(&var.name);
        let is_parameter = var.owner.is_some_and(|owner| checked.procs[owner].parameters.contains(&id));
        if done.read {
            continue;
        }
        if !done.assigned && !done.received {
            let what = if is_parameter { "the parameter " } else { "" };
            tally.suspicious(Diagnostic::warning(span, NEVER_USED, format!("{what}`{name}` is never used")));
        } else if !excused.contains(&span) {
            let message = format!("`{name}` is assigned, but its value is never used");
            let warning = Diagnostic::warning(span, NEVER_READ, message);
            tally.suspicious(if done.assigned {
                warning.help("without it there are fewer states")
            } else {
                warning.help("receive into `_` what is not needed: there are fewer states then")
            });
        }
    }
}

/// The name as declared, without the parts of a structure.
fn root(name: &str) -> &str {
    name.split('.').next().unwrap_or(name)
}

fn uses(checked: &Checked) -> IdVec<VarId, VariableUse> {
    let mut uses: IdVec<VarId, VariableUse> = checked.vars.iter().map(|_| VariableUse::default()).collect();
    for proc in checked.procs.iter() {
        if let Some(provided) = &proc.provided {
            read(provided, None, &mut uses);
        }
        for element in proc.flow.elements.iter() {
            if let ElementKind::Basic(basic) = &element.kind {
                note(basic, &mut uses);
            }
        }
    }
    for var in checked.vars.iter() {
        match &var.init {
            VarInit::Value(value) => read(value, None, &mut uses),
            VarInit::List(values) => values.iter().for_each(|value| read(value, None, &mut uses)),
            VarInit::Zero | VarInit::Channel(_) => {}
        }
    }
    uses
}

fn note(basic: &Basic, uses: &mut IdVec<VarId, VariableUse>) {
    // `x = x + 1` alone is no reason to have an `x`.
    let own = if let Basic::Assign(target, _) = basic { Some(target.var) } else { None };
    walk::values(basic).into_iter().for_each(|value| read(value, own, uses));
    for access in walk::targets(basic).into_iter().chain(walk::channel(basic)) {
        access.indices.iter().for_each(|(index, _)| read(index, None, uses));
    }
    if let Some(channel) = walk::channel(basic) {
        uses[channel.var].read = true;
    }
    match basic {
        Basic::Assign(target, _) => uses[target.var].assigned = true,
        Basic::Run { into: Some(into), .. } => uses[into.var].assigned = true,
        Basic::Receive { args, .. } => {
            for pattern in args {
                if let Pattern::Set(access) = pattern {
                    uses[access.var].received = true;
                }
            }
        }
        _ => {}
    }
}

fn read(ex: &Ex, except: Option<VarId>, uses: &mut IdVec<VarId, VariableUse>) {
    walk::visit_ex(ex, &mut |ex| {
        if let Some(access) = walk::cell(ex)
            && Some(access.var) != except
        {
            uses[access.var].read = true;
        }
    });
}

/// Names that count as read wherever they are declared: those in properties, sizes and initial values; in inlines that
/// are not called; and on lines of `#define` or between `#if` and `#endif`, which are often there for properties and
/// variants of the model that are asked for elsewhere.
fn mentioned(sources: &SourceMap, model: &Model) -> HashSet<String> {
    let mut names: HashSet<String> = HashSet::new();
    let mut called: HashSet<&str> = HashSet::new();
    for unit in &model.units {
        let mut all_names = false;
        let body = match unit {
            Unit::Ltl(ltl) => {
                names.extend(ltl.formula.iter().filter_map(|token| match &token.kind {
                    TokenKind::Name(name) => Some(name.to_string()),
                    _ => None,
                }));
                continue;
            }
            Unit::Decl(decl) => {
                names_of_decl(decl, &mut names);
                continue;
            }
            Unit::Typedef(typedef) => {
                typedef.fields.iter().for_each(|decl| names_of_decl(decl, &mut names));
                continue;
            }
            Unit::Never(Never { body, .. }) | Unit::Trace(Trace { body, .. }) => {
                all_names = true;
                body
            }
            Unit::Proctype(proctype) => {
                let count = proctype.active.as_ref().and_then(|active| active.count.as_ref());
                count.into_iter().for_each(|count| names_of_expr(count, &mut names));
                &proctype.body
            }
            Unit::Init(init) => &init.body,
            Unit::Mtype(_) | Unit::Inline(_) => continue,
        };
        walk::for_each_stmt(body, &mut |stmt| match &stmt.kind {
            StmtKind::Decl(decl) => names_of_decl(decl, &mut names),
            StmtKind::ForIn(_, over, _) => names.extend([over.name().name.to_string()]),
            StmtKind::Call(call) => called.extend([&*call.name.name]),
            StmtKind::Exclusive(..) => walk::for_each_name(stmt, &mut |name| names.extend([name.name.to_string()])),
            _ if all_names => walk::for_each_name(stmt, &mut |name| names.extend([name.name.to_string()])),
            _ => {}
        });
    }
    for unit in &model.units {
        if let Unit::Inline(inline) = unit
            && !called.contains(&*inline.name.name)
        {
            names.extend(inline.mentions.iter().map(|name| name.to_string()));
        }
    }
    sources.files().for_each(|(_, file)| names_of_directives(&file.text, &mut names));
    names
}

fn names_of_expr(expr: &Expr, names: &mut HashSet<String>) {
    walk::visit_expr(expr, &mut |expr| {
        if let ExprKind::Ref(place) = &expr.kind {
            names.insert(place.name().name.to_string());
        }
    });
}

fn names_of_decl(decl: &Decl, names: &mut HashSet<String>) {
    for declarator in &decl.vars {
        let init = match &declarator.init {
            None => &[],
            Some(Initializer::Expr(value)) => std::slice::from_ref(value),
            Some(Initializer::List(values)) => &values[..],
            Some(Initializer::Channel(channel)) => std::slice::from_ref(&channel.capacity),
        };
        for expr in init.iter().chain(&declarator.length) {
            names_of_expr(expr, names);
        }
    }
}

fn names_of_directives(text: &str, names: &mut HashSet<String>) {
    let (mut goes_on, mut conditionals) = (false, 0_usize);
    for line in text.lines() {
        let directive = line.trim_start().strip_prefix('#').map_or("", str::trim_start);
        if directive.starts_with("if") {
            conditionals += 1;
        } else if directive.starts_with("endif") {
            conditionals = conditionals.saturating_sub(1);
        }
        if goes_on || conditionals > 0 || directive.starts_with("define") {
            let words = line.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
            names.extend(words.filter(|word| !word.is_empty()).map(str::to_owned));
            goes_on = line.trim_end().ends_with('\\');
        }
    }
}

/// The places of variables that are `hidden` or to be shown: they need not be read.
fn declared_for_show(model: &Model) -> HashSet<Span> {
    let mut places = HashSet::new();
    let mut see = |decl: &Decl| {
        if decl.visibility.is_some() {
            places.extend(decl.vars.iter().map(|declarator| declarator.span));
        }
    };
    for unit in &model.units {
        let body = match unit {
            Unit::Decl(decl) => {
                see(decl);
                continue;
            }
            Unit::Proctype(proctype) => &proctype.body,
            Unit::Init(init) => &init.body,
            _ => continue,
        };
        walk::for_each_stmt(body, &mut |stmt| {
            if let StmtKind::Decl(decl) = &stmt.kind {
                see(decl);
            }
        });
    }
    places
}
