//! Bodies: from statements to flow graphs.

use super::builder::{Builder, Label, Piece};
use super::declare::DeclarationPlace;
use super::silent::{check_elses, check_silent_ways};
use super::{Access, Basic, Checker, EventTrace, Ex, Proc, ProcId, VarId};
use crate::flow::{DStepId, ElementId, ElementKind, Flow};
use crate::tree::{self, ExprKind, Stmt, StmtKind, Unit};
use lariat_base::{Diagnostic, Id, Span, closest_name, safe_point};
use std::collections::HashMap;

impl Checker {
    pub(super) fn check_bodies(&mut self, model: &tree::Model) {
        for unit in &model.units {
            match unit {
                Unit::Proctype(proctype) => {
                    let count = match &proctype.active {
                        None => 0,
                        Some(active) => {
                            active.count.as_ref().map_or(Some(1), |count| self.constant(count)).unwrap_or(1)
                        }
                    };
                    if !(0..=255).contains(&count) {
                        let message = format!("{count} processes: at most 255 can live at once");
                        self.error(proctype.span, "P0440", message);
                    } else if let (1.., Some(parameter)) = (count, proctype.parameters.first()) {
                        let message =
                            format!("the parameters of `{}` are 0 in processes that `active` starts", proctype.name);
                        let help = "start them from `init { run ... }` to give them values";
                        self.diagnostics.push(Diagnostic::warning(parameter.span, "P0611", message).help(help));
                    }
                    let count = count.clamp(0, 255);
                    self.enter_unit(Some(proctype.name.spelled));
                    let id = self.check_proc(
                        proctype.name.name.to_string(),
                        &proctype.parameters,
                        proctype.priority.as_ref(),
                        proctype.provided.as_ref(),
                        &proctype.body,
                        proctype.name.span,
                    );
                    self.model.initial.extend(std::iter::repeat_n(id, count as usize));
                }
                Unit::Init(init) => {
                    let (priority, provided) = (init.priority.as_ref(), init.provided.as_ref());
                    self.enter_unit(Some(init.span));
                    let id = self.check_proc("init".to_owned(), &[], priority, provided, &init.body, init.span);
                    self.model.initial.push(id);
                }
                Unit::Never(never) => {
                    self.enter_unit(Some(never.name.as_ref().map_or(never.span, |name| name.spelled)));
                    self.check_claim(never);
                }
                Unit::Trace(trace) => {
                    self.enter_unit(None);
                    self.check_trace(trace);
                }
                _ => {}
            }
        }
        if self.model.initial.len() > 255 {
            let message =
                format!("{} processes at the beginning: at most 255 can live at once", self.model.initial.len());
            let span = model.units.iter().find_map(|unit| match unit {
                Unit::Proctype(proctype) if proctype.active.is_some() => Some(proctype.span),
                _ => None,
            });
            self.error(span.unwrap_or(Span::NONE), "P0440", message);
        }
    }

    fn check_proc(
        &mut self,
        name: String,
        parameters: &[tree::Decl],
        priority: Option<&tree::Expr>,
        provided: Option<&tree::Expr>,
        body: &tree::Block,
        span: Span,
    ) -> ProcId {
        let id = self.next_proc();
        self.proc = Some(id);
        self.scopes.enter();
        let mut builder = Builder::new();
        for decl in parameters {
            builder.locals.extend(self.declare_vars(decl, DeclarationPlace::Parameter).into_iter().map(|(var, _)| var));
        }
        let parameters: Vec<VarId> = builder.locals.clone();
        for &parameter in &parameters {
            self.model.vars[parameter].assigned = true;
        }
        let priority = priority.and_then(|priority| {
            self.model.uses_priorities = true;
            self.constant(priority)
        });
        let priority = priority.unwrap_or(1);
        if !(1..=255).contains(&priority) {
            self.error(span, "P0442", format!("a priority is 1 to 255, not {priority}"));
        }
        let piece = self.sequence(&mut builder, &body.stmts);
        let provided = provided.map(|provided| self.expr(provided));
        self.scopes.leave();
        self.proc = None;
        let locals = std::mem::take(&mut builder.locals);
        let jumps = builder.jumps.iter();
        self.jumps.extend(jumps.map(|&jump| ((id, jump), builder.lasts.contains(&jump))));
        let flow = self.finish_flow(builder, piece, body.span);
        self.model.procs.push(Proc { name, parameters, locals, flow, provided, priority, span })
    }

    /// An event trace: a body of sends and receives that are only watched.
    fn check_trace(&mut self, trace: &tree::Trace) {
        if let Some(earlier) = &self.model.trace {
            let error = Diagnostic::error(trace.span, "P0441", "a second event trace");
            self.diagnostics.push(error.note(earlier.span, "the first is here"));
            return;
        }
        self.scopes.enter();
        let mut builder = Builder::new();
        let piece = self.sequence(&mut builder, &trace.body.stmts);
        self.scopes.leave();
        let mut flow = self.finish_flow(builder, piece, trace.body.span);
        // It is no process and never waits: where it could be interrupted means nothing.
        flow.elements.iter_mut().for_each(|element| element.keeps_control = false);
        self.model.trace = Some(EventTrace { negated: trace.negated, flow, span: trace.span });
    }

    /// Closes a flow graph: the closing brace, the targets of jumps.
    pub(super) fn finish_flow(&mut self, mut builder: Builder, piece: Piece, body: Span) -> Flow {
        let end_span = Span { start: body.end.saturating_sub(1), ..body };
        let end = builder.add(ElementKind::End, "-end-", end_span);
        self.number(&mut builder, end);
        builder.link(piece.exit, end);
        self.resolve_gotos(&mut builder);
        builder.settle_control();
        let labels = builder.labels.into_iter().map(|label| (label.name, label.target)).collect();
        let mut begins = HashMap::new();
        for (branch, element) in builder.elements.entries() {
            if let ElementKind::Branch(options) = &element.kind {
                begins.extend(options.iter().map(|&option| (option, branch)));
            }
        }
        let mut doors = builder.doors.clone();
        builder.d_steps.iter().for_each(|door| {
            doors.remove(door);
        });
        let (elements, d_steps) = (builder.elements, builder.d_steps);
        let flow = Flow { elements, start: piece.entry, end, labels, d_steps, begins, doors };
        // A graph with errors is not walked any further.
        match check_silent_ways(&flow) {
            Some(error) => self.diagnostics.push(error),
            None => self.diagnostics.extend(check_elses(&flow, &builder.doors)),
        }
        flow
    }

    fn resolve_gotos(&mut self, builder: &mut Builder) {
        for (jump, label, blocks) in std::mem::take(&mut builder.gotos) {
            // Of several labels of the name the one that shares the most blocks with the jump.
            let shared = |other: &&Label| blocks.iter().zip(&other.blocks).take_while(|(a, b)| a == b).count();
            let named = builder.labels_named(&label.name).rev();
            if let Some(nearest) = named.max_by_key(shared) {
                let (target, place) = (nearest.target, nearest.span);
                let spelled = nearest.spelled;
                let (from, to) = (builder.elements[jump].d_step, builder.elements.get(target).and_then(|at| at.d_step));
                if from != to {
                    let way = if from.is_some() { "out of" } else { "into" };
                    let error = Diagnostic::error(label.span, "P0454", format!("a jump {way} a `d_step`"));
                    self.diagnostics.push(error.note(place, "the label is here").help("use `atomic` instead"));
                }
                builder.elements[jump].next = Some(target);
                self.note_use(&label, spelled);
            } else if !self.has_too_many_errors() {
                let known = builder.labels.iter().map(|label| label.name.as_str());
                let help = closest_name(&label.name, known).map(|near| format!("did you mean `{near}`?"));
                let error = Diagnostic::error(label.span, "P0444", format!("there is no label `{label}` here"));
                self.diagnostics.push(Diagnostic { help, ..error });
            }
        }
    }

    pub(super) fn sequence(&mut self, b: &mut Builder, stmts: &[Stmt]) -> Piece {
        let mut whole: Option<Piece> = None;
        for stmt in stmts {
            let first = b.elements.len();
            let piece = self.stmt(b, stmt);
            for label in &stmt.labels {
                // A declaration that is no statement passes its labels on to what comes next.
                let target = piece.map_or(ElementId(first as u32), |piece| piece.entry);
                if let Some(earlier) = b.labels_named(&label.name).find(|other| other.blocks == b.blocks) {
                    let error = Diagnostic::error(label.span, "P0445", format!("there are two labels `{label}`"));
                    self.diagnostics.push(error.note(earlier.span, "first here"));
                } else {
                    self.record_label(label, stmt.span);
                    let (name, blocks) = (label.name.to_string(), b.blocks.clone());
                    b.labels_by_name.entry(name.clone()).or_default().push(b.labels.len());
                    b.labels.push(Label { name, target, blocks, span: label.span, spelled: label.spelled });
                }
            }
            let Some(piece) = piece else { continue };
            whole = Some(match whole {
                None => piece,
                Some(before) => {
                    b.link(before.exit, piece.entry);
                    Piece { entry: before.entry, exit: piece.exit }
                }
            });
        }
        whole.unwrap_or_else(|| {
            let nothing = b.add(ElementKind::Join, "", Span::NONE);
            Piece { entry: nothing, exit: nothing }
        })
    }

    pub(super) fn block(&mut self, b: &mut Builder, stmts: &[Stmt]) -> Piece {
        self.scopes.enter();
        let piece = self.inside(b, stmts);
        self.scopes.leave();
        piece
    }

    /// An option has no braces: what it declares can be used behind it.
    fn option(&mut self, b: &mut Builder, stmts: &[Stmt]) -> Piece {
        self.scopes.enter();
        // A claim passes time by doing nothing, so there nothing is idle.
        let piece = match self.draft {
            Some(_) => self.inside(b, stmts),
            None => self.inside(b, &without_idle_skips(stmts)),
        };
        self.scopes.leave_open();
        piece
    }

    fn inside(&mut self, b: &mut Builder, stmts: &[Stmt]) -> Piece {
        b.begun = true;
        b.blocks.push(b.block_count);
        b.block_count += 1;
        let piece = self.sequence(b, stmts);
        b.blocks.pop();
        piece
    }

    /// The piece of one statement; nothing for a declaration that is no statement.
    fn stmt(&mut self, b: &mut Builder, stmt: &Stmt) -> Option<Piece> {
        safe_point();
        if let StmtKind::Decl(decl) = &stmt.kind {
            return self.declaration(b, decl, stmt.span);
        }
        if let StmtKind::Exclusive(_, channels) = &stmt.kind {
            // Promises about who uses a channel: they help reductions and change nothing.
            channels.iter().for_each(|channel| {
                self.channel(channel);
            });
            return None;
        }
        b.begun = true;
        Some(match &stmt.kind {
            StmtKind::Decl(_) | StmtKind::Exclusive(..) => unreachable!("handled above"),
            StmtKind::Goto(label) => {
                let jump = b.add(ElementKind::Jump, stmt.to_string(), stmt.span);
                b.gotos.push((jump, label.clone(), b.blocks.clone()));
                self.jump(b, jump, stmt)
            }
            StmtKind::Break => {
                let jump = b.add(ElementKind::Jump, "break", stmt.span);
                match b.breaks.last() {
                    Some(&target) => b.elements[jump].next = Some(target),
                    None if b.d_step.is_some() => {
                        let error = Diagnostic::error(stmt.span, "P0446", "`break` cannot leave a `d_step`");
                        self.diagnostics
                            .push(error.help("use `atomic` instead, or put the whole loop into the `d_step`"));
                    }
                    None => self.error(stmt.span, "P0446", "`break` outside of a `do` or `for`"),
                }
                self.jump(b, jump, stmt)
            }
            StmtKind::Block(block) => self.block_with_entry(b, &block.stmts, "{", stmt.span),
            StmtKind::Call(call) => {
                self.note_call(&call.name);
                // SPIN keeps it in the state wherever it is named, be the argument used or not.
                let names_last = |text: &String| {
                    text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).any(|word| word == "_last")
                };
                self.model.uses_last |= call.args.iter().any(names_last);
                let outer = (std::mem::replace(&mut b.in_inline, true), b.called_at);
                if b.called_at.is_none() {
                    b.called_at = stmt.span;
                }
                let piece = self.block_with_entry(b, &call.body.stmts, "{", stmt.span);
                (b.in_inline, b.called_at) = outer;
                piece
            }
            StmtKind::Atomic(block) => self.atomic(b, block, stmt.span),
            StmtKind::DStep(block) => self.d_step(b, block, stmt.span),
            StmtKind::If(options) => {
                let branch = b.add(ElementKind::Branch(Vec::new()), "if", stmt.span);
                let join = b.add(ElementKind::Join, "fi", last_word(stmt.span, "fi"));
                self.options(b, branch, options, join);
                self.number(b, branch);
                self.number(b, join);
                Piece { entry: branch, exit: join }
            }
            StmtKind::Do(options) => {
                let branch = b.add(ElementKind::Branch(Vec::new()), "do", stmt.span);
                let after = b.add(ElementKind::Jump, "od", last_word(stmt.span, "od"));
                b.breaks.push(after);
                self.options(b, branch, options, branch);
                b.breaks.pop();
                self.number_loop(b, branch, after);
                Piece { entry: branch, exit: after }
            }
            StmtKind::ForRange(var, from, to, body) => self.for_range(b, var, from, to, body, stmt.span)?,
            StmtKind::ForIn(var, over, body) => self.for_in(b, var, over, body, stmt.span)?,
            StmtKind::Select(var, from, to) => self.select(b, var, from, to, stmt.span)?,
            StmtKind::Unless(main, escape) => self.unless(b, main, escape, last_word(stmt.span, "}")),
            simple => {
                let basic = match self.proc {
                    Some(_) if self.draft.is_some() => self.watch(simple, stmt.span)?,
                    Some(_) => self.basic(simple, stmt.span)?,
                    None => self.event(simple, stmt.span)?,
                };
                self.step(b, basic, stmt.to_string(), stmt.span)
            }
        })
    }

    /// A statement that is one step.
    pub(super) fn step(&mut self, b: &mut Builder, basic: Basic, text: String, span: Span) -> Piece {
        let element = b.add(ElementKind::Basic(basic), text, span);
        self.number(b, element);
        Piece { entry: element, exit: element }
    }

    /// A `goto` or `break`. Control can rest at one with a label that says something about resting there.
    fn jump(&mut self, b: &mut Builder, jump: ElementId, stmt: &Stmt) -> Piece {
        self.number(b, jump);
        if stmt.labels.iter().any(|label| is_resting_label(&label.name)) {
            let rest = self.step(b, Basic::Condition(Ex::Const(1)), stmt.to_string(), stmt.span);
            b.link(rest.exit, jump);
            return Piece { entry: rest.entry, exit: jump };
        }
        b.jumps.push(jump);
        Piece { entry: jump, exit: jump }
    }

    fn declaration(&mut self, b: &mut Builder, decl: &tree::Decl, span: Span) -> Option<Piece> {
        let place = if b.begun { DeclarationPlace::AsStatement } else { DeclarationPlace::AtBirth };
        let first = self.model.vars.len();
        let declared = self.declare_vars(decl, place);
        b.locals.extend((first..self.model.vars.len()).map(VarId::new));
        let mut whole: Option<Piece> = None;
        for (var, value) in declared {
            let Some(value) = value else { continue };
            // An array is set as a whole. (SPIN sets its first cell alone.)
            let indices = Vec::new();
            let text = format!("{} = …", self.model.vars[var].name);
            self.model.vars[var].assigned = true;
            let piece = self.step(b, Basic::Assign(Access { var, indices, span }, value), text, span);
            whole = Some(match whole {
                None => piece,
                Some(before) => {
                    b.link(before.exit, piece.entry);
                    Piece { entry: before.entry, exit: piece.exit }
                }
            });
        }
        if self.proc.is_none() {
            self.error(span, "P0441", "an event trace has no variables");
            return None;
        }
        whole
    }

    fn options(&mut self, b: &mut Builder, branch: ElementId, options: &[tree::Block], after: ElementId) {
        let mut entries = Vec::new();
        for option in options {
            let piece = self.option(b, &option.stmts);
            b.link(piece.exit, after);
            b.make_guard(piece.entry);
            entries.push(piece.entry);
        }
        // `else` comes last, wherever it is written.
        entries.sort_by_key(|&entry| matches!(b.elements[entry].kind, ElementKind::Basic(Basic::Else)));
        b.elements[branch].kind = ElementKind::Branch(entries);
    }

    fn atomic(&mut self, b: &mut Builder, block: &tree::Block, span: Span) -> Piece {
        let outer = b.atomic;
        b.next_atomic = true;
        let piece = self.block_with_entry(b, &block.stmts, "atomic", span);
        if !outer {
            b.lasts.insert(piece.exit);
        }
        b.atomic = outer;
        piece
    }

    fn d_step(&mut self, b: &mut Builder, block: &tree::Block, span: Span) -> Piece {
        if b.d_step.is_some() {
            return self.block_with_entry(b, &block.stmts, "{", span);
        }
        b.next_d_step = Some(DStepId::new(b.d_steps.len()));
        let breaks = std::mem::take(&mut b.breaks);
        let piece = self.block_with_entry(b, &block.stmts, "d_step", span);
        b.d_steps.push(piece.entry);
        b.breaks = breaks;
        b.d_step = None;
        piece
    }

    /// A block: control that comes to it rests at its door, which leads to the first statement inside and is a place of
    /// its own.
    fn block_with_entry(&mut self, b: &mut Builder, stmts: &[Stmt], text: &str, span: Span) -> Piece {
        let door = b.add(ElementKind::Branch(Vec::new()), text, span);
        b.doors.insert(door);
        b.atomic |= std::mem::take(&mut b.next_atomic);
        b.d_step = b.next_d_step.take().or(b.d_step);
        let piece = self.block(b, stmts);
        b.make_guard(piece.entry);
        b.elements[door].kind = ElementKind::Branch(vec![piece.entry]);
        self.number(b, door);
        Piece { entry: door, exit: piece.exit }
    }

    /// Everything inside `main` can be left by `escape`.
    fn unless(&mut self, b: &mut Builder, main: &Stmt, escape: &Stmt, span: Span) -> Piece {
        let first = b.elements.len();
        let main_piece = self.without_braces(b, main);
        let (last, main_numbers_end) = (b.elements.len(), self.numbers_given);
        let escape = self.without_braces(b, escape);
        for number in first..last {
            let element = &mut b.elements[ElementId::new(number)];
            if !matches!(element.kind, ElementKind::Join) {
                element.escapes.push(escape.entry);
            }
        }
        let join = b.add(ElementKind::Join, "end of unless", span);
        self.number_unless(b, main, first, main_numbers_end, join);
        b.link(main_piece.exit, join);
        b.link(escape.exit, join);
        Piece { entry: main_piece.entry, exit: join }
    }

    /// A part of an `unless`: its braces are no block of their own.
    fn without_braces(&mut self, b: &mut Builder, stmt: &Stmt) -> Piece {
        match &stmt.kind {
            StmtKind::Block(block) if stmt.labels.is_empty() => self.block(b, &block.stmts),
            StmtKind::Call(call) if stmt.labels.is_empty() => {
                self.note_call(&call.name);
                let outer = b.called_at;
                if outer.is_none() {
                    b.called_at = stmt.span;
                }
                let piece = self.block(b, &call.body.stmts);
                b.called_at = outer;
                piece
            }
            _ => self.block(b, std::slice::from_ref(stmt)),
        }
    }
}

/// The statements of an option as SPIN keeps them: of several in a row that do nothing, a `skip` that is neither the
/// first of them nor the last statement of the option is left out.
fn without_idle_skips(stmts: &[Stmt]) -> Vec<Stmt> {
    let is_print = |stmt: &Stmt| matches!(stmt.kind, StmtKind::Printf(..) | StmtKind::Printm(_));
    let is_skip = |stmt: &Stmt| match &stmt.kind {
        StmtKind::Expr(expr) => matches!(expr.kind, ExprKind::Skip | ExprKind::Bool(true) | ExprKind::Number(1)),
        _ => false,
    };
    let mut idle = false;
    let mut kept = Vec::new();
    for (number, stmt) in stmts.iter().enumerate() {
        let was_idle = std::mem::replace(&mut idle, stmt.labels.is_empty() && (is_skip(stmt) || is_print(stmt)));
        if !(was_idle && idle && is_skip(stmt) && number + 1 < stmts.len()) {
            kept.push(stmt.clone());
        }
    }
    kept
}

/// The last word of a statement.
pub(super) fn last_word(stmt: Span, word: &str) -> Span {
    Span { start: stmt.end.saturating_sub(word.len() as u32).max(stmt.start), ..stmt }
}

/// Whether a label says something about control resting at it.
pub(crate) fn is_resting_label(label: &str) -> bool {
    ["end", "accept", "progress"].iter().any(|prefix| label.starts_with(prefix))
}
