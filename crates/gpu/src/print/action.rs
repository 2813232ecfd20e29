//! Actions in C: for each position a lane, which lists what the process there can do.

use super::expr::Scope;
use super::value::Value;
use super::{Printer, TooMuchCode, reports_in};
use lariat_base::Id;
use lariat_system::{
    Action, ActionId, AfterTrap, BinaryOp, Expr, FrameId, LabelMeaning, Owner, Place, Position, Role, TrapTime, Update,
};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The most copies of actions, one for each way of binding the participants: compilers for cards take long for more.
const MOST_COPIES: usize = 12_000;

impl Printer<'_> {
    /// The lanes, and the function that takes one.
    pub(super) fn lanes(&mut self) -> Result<(), TooMuchCode> {
        let mut lanes = Vec::new();
        for position in 0..self.packing.positions.len() as Position {
            let mut text = String::new();
            let frames: Vec<FrameId> = self.packing.positions[usize::from(position)].frames.keys().copied().collect();
            for frame in frames {
                let lives = self.lives("k", position, frame);
                let body = self.process(position, frame)?;
                if !body.is_empty() {
                    let _ = writeln!(text, "if ({}) {{\n{body}}}", lives.text);
                }
            }
            if !text.is_empty() {
                lanes.push((Some(position), text));
            }
        }
        let nobodys: Vec<ActionId> = self
            .system
            .actions
            .entries()
            .filter(|(_, action)| action.participants.is_empty())
            .map(|(id, _)| id)
            .collect();
        let mut text = String::new();
        for id in nobodys {
            text.push_str(&self.action(id, &Scope::default())?);
        }
        if !text.is_empty() {
            self.most = self.most.max(reports_in(&text));
            lanes.push((None, text));
        }
        let mut dispatch = "FN void take_lane(Context *c, Key k, u32 lane)\n{\n    switch (lane) {\n".to_owned();
        for (number, (position, text)) in lanes.iter().enumerate() {
            self.text.push_str(&format!("FN void lane_{number}(Context *c, Key k)\n{{\n{text}}}\n\n"));
            let _ = writeln!(dispatch, "    case {number}:\n        lane_{number}(c, k);\n        break;");
            self.lanes.push(*position);
        }
        dispatch.push_str("    }\n}\n\n");
        self.text.push_str(&dispatch);
        Ok(())
    }

    /// What the process of this frame at the position can do.
    fn process(&mut self, position: Position, frame: FrameId) -> Result<String, TooMuchCode> {
        let mut by_control: BTreeMap<i64, String> = BTreeMap::new();
        let mut anywhere = String::new();
        for id in self.by_frame[frame].clone() {
            let action = &self.system.actions[id];
            let asked = control_value(self.system, action, Role::ACTOR);
            let mut text = String::new();
            for scope in self.bindings(action, position, frame) {
                text.push_str(&self.action(id, &scope)?);
            }
            match asked {
                Some(value) => by_control.entry(value).or_default().push_str(&text),
                None => anywhere.push_str(&text),
            }
        }
        by_control.retain(|_, text| !text.is_empty());
        // Control is at one place.
        let of_control = by_control.values().map(|text| reports_in(text)).max().unwrap_or(0);
        self.most = self.most.max(of_control + reports_in(&anywhere));
        let Some(control) = self.system.frames[frame].control.filter(|_| !by_control.is_empty()) else {
            return Ok(anywhere);
        };
        let field = self.local(position, frame, control);
        let control = self.cell("k", &field, 0);
        let mut text = format!("switch ({}) {{\n", control.text);
        for (value, body) in by_control {
            if control.range.contains(value) {
                let _ = writeln!(text, "case {value}: {{\n{body}break;\n}}");
            }
        }
        text.push_str("}\n");
        Ok(text + &anywhere)
    }

    /// Every way of binding the participants of an action of which the actor is given.
    fn bindings(&self, action: &Action, position: Position, frame: FrameId) -> Vec<Scope> {
        let bound = Scope { roles: vec![(position, frame)], choices: Vec::new() };
        match action.participants.get(1) {
            None => vec![bound],
            Some(&peer) => {
                let others = self.homes(peer).into_iter().filter(|&other| other != position);
                others.map(|other| Scope { roles: vec![(position, frame), (other, peer)], ..bound.clone() }).collect()
            }
        }
    }

    /// An action whose participants stand at known positions.
    fn action(&mut self, id: ActionId, scope: &Scope) -> Result<String, TooMuchCode> {
        let action = &self.system.actions[id];
        // That the actor lives is known; that the other one does is asked.
        let mut control = Value::number(1);
        if let Some(&(peer, frame)) = scope.roles.get(1) {
            control = self.lives("k", peer, frame);
        }
        let asked: Vec<&Expr> = action.guard.control.iter().flat_map(conjuncts).collect();
        control = control.and(&self.all("k", asked, scope));
        if control.as_truth() == Some(false) {
            return Ok(String::new());
        }
        self.copies += 1;
        if self.copies > MOST_COPIES {
            return Err(TooMuchCode { copies: self.copies });
        }
        let mut text = format!("if ({}) {{ /* action {} */\n", control.text, id.index());
        if self.shape.faults {
            for trap in action.traps.iter().filter(|trap| trap.time == TrapTime::Guard) {
                let condition = self.value("k", &trap.condition, scope);
                if condition.as_truth() != Some(false) {
                    let looks = if self.shape.ranked { "!c->looks && " } else { "" };
                    let _ = writeln!(text, "if ({looks}{}) c->punts = 1;", condition.text);
                }
            }
        }
        let mut condition = Value::number(1);
        if let (true, Some(&(position, _))) = (action.updates.contains(&Update::Exit), scope.roles.first()) {
            condition = self.is_occupied("k", usize::from(position) + 1).not();
        }
        // A conjunct is tested as soon as the choices it reads are made.
        let mut levels: Vec<Vec<Expr>> = vec![Vec::new(); action.choices.len() + 1];
        let stops = action.traps.iter().filter(|trap| trap.time == TrapTime::Guard && trap.after == AfterTrap::Stops);
        let not_stopped: Vec<Expr> = stops.map(|trap| trap.condition.clone().negated()).collect();
        for conjunct in action.guard.condition.iter().chain(&not_stopped).flat_map(conjuncts) {
            levels[conjunct.greatest_choice().map_or(0, |choice| choice.index() + 1)].push(conjunct.clone());
        }
        let mut scope = scope.clone();
        condition = condition.and(&self.all("k", &levels[0], &scope));
        if condition.as_truth() == Some(false) && !text.contains("punts") {
            return Ok(String::new());
        }
        let _ = writeln!(text, "if ({}) {{", condition.text);
        let mut open = 2;
        for (choice, kind) in action.choices.entries() {
            let range = self.system.range(kind.ty);
            let conjuncts = &mut levels[choice.index() + 1];
            let binding = conjuncts.iter().position(|conjunct| conjunct.bound_value(choice).is_some());
            let name = format!("c{}", choice.index());
            let binding = binding.map(|at| conjuncts.remove(at));
            match binding.as_ref().and_then(|conjunct| conjunct.bound_value(choice)) {
                Some(value) => {
                    let value = self.value("k", value, &scope);
                    let _ = writeln!(
                        text,
                        "{{ i64 {name} = {}; if ({name} >= {} && {name} <= {}) {{",
                        value.wide(),
                        Value::number(range.lo).wide(),
                        Value::number(range.hi).wide()
                    );
                }
                None => {
                    let (lo, hi) = (Value::number(range.lo).wide(), Value::number(range.hi).wide());
                    let _ = writeln!(text, "{{ i64 {name}; for ({name} = {lo}; {name} <= {hi}; {name}++) {{");
                    self.loops = true;
                }
            }
            scope.choices.push(Value::new(format!("(i64){name}"), range));
            open += 2;
            let check = self.all("k", &levels[choice.index() + 1].clone(), &scope);
            if check.as_truth() != Some(true) {
                let _ = writeln!(text, "if ({}) {{", check.text);
                open += 1;
            }
        }
        self.firing(id, &scope, &mut text);
        text.extend(std::iter::repeat_n("}\n", open));
        Ok(text)
    }

    /// What happens where an action is enabled.
    fn firing(&mut self, id: ActionId, scope: &Scope, text: &mut String) {
        let action = &self.system.actions[id];
        let born = action.updates.iter().any(|update| matches!(update, Update::Spawn { .. }));
        let updates = self.updates(&action.updates, scope);
        let invariants = !self.system.invariants.is_empty();
        let _ = writeln!(text, "Key t = k;");
        if born {
            text.push_str("u32 full = 0;\n");
        }
        let mut open = 0;
        let mut pending = updates.clone();
        if invariants && let Some(updates) = pending.take() {
            text.push_str(&updates);
            let keeps = self.all("t", &self.system.invariants.clone(), &Scope::default());
            // An action that finds the pool full is enabled.
            let full = if born { "full || " } else { "" };
            let _ = writeln!(text, "if ({full}{}) {{", keeps.text);
            open += 1;
        }
        if self.shape.ranked {
            let rank = self.value("k", &action.rank, scope);
            let _ = writeln!(text, "if (c->looks) {{ if ({0} < c->least) c->least = {0}; }}", rank.wide());
            let _ = writeln!(text, "else if ({} == c->least) {{", rank.wide());
            open += 1;
        }
        if updates.is_none() {
            text.push_str("c->punts = 1;\n");
        } else {
            self.taken(id, scope, born, pending, text);
        }
        text.extend(std::iter::repeat_n("}\n", open));
    }

    /// What happens where an action is taken; what it writes, if that is not written yet.
    fn taken(&mut self, id: ActionId, scope: &Scope, born: bool, updates: Option<String>, text: &mut String) {
        let action = &self.system.actions[id];
        let mut open = 0;
        for trap in action.traps.iter().filter(|trap| trap.time == TrapTime::Effect) {
            let condition = self.value("k", &trap.condition, scope);
            match (self.shape.faults, trap.after) {
                _ if condition.as_truth() == Some(false) => {}
                (true, AfterTrap::GoesOn) => {
                    let _ = writeln!(text, "if ({}) c->punts = 1;", condition.text);
                }
                (true, AfterTrap::Stops) => {
                    let _ = writeln!(text, "if ({}) c->punts = 1; else {{", condition.text);
                    open += 1;
                }
                (false, AfterTrap::GoesOn) => {}
                (false, AfterTrap::Stops) => {
                    // It can happen, so the process goes on to hold control, but it leads nowhere.
                    let _ = writeln!(text, "if ({}) c->fired++; else {{", condition.text);
                    open += 1;
                }
            }
        }
        text.push_str(updates.as_deref().unwrap_or_default());
        if born {
            text.push_str("if (full) c->punts = 1; else {\n");
            open += 1;
        }
        if self.shape.faults {
            let _ = writeln!(text, "note(c, {});", id.index());
            let first_cut = self.first_cuts[id];
            for (number, cut) in action.cuts.iter().enumerate() {
                let condition = self.value("k", &cut.condition, scope);
                if condition.as_truth() != Some(false) {
                    let _ = writeln!(text, "if ({}) note(c, {});", condition.text, first_cut + number);
                }
            }
        }
        let holder = match action.hold {
            None => "-1".to_owned(),
            Some(role) => format!("LANE_OF_{}", scope.roles[role.index()].0),
        };
        let parts = scope.roles.iter().fold(0_u64, |parts, (position, _)| parts | 1 << (position % 64));
        let actors = scope.roles.first().map_or(0_u64, |(position, _)| 1 << (position % 64));
        let labels = self.labels_of(id, scope);
        let _ = writeln!(text, "arrive(c, &t, {holder}, {parts:#x}ull, {labels}, {actors:#x}ull);");
        text.extend(std::iter::repeat_n("}\n", open));
    }

    /// The step labels that an action carries, as bits.
    fn labels_of(&mut self, id: ActionId, scope: &Scope) -> String {
        let action = &self.system.actions[id];
        let mut always = 0_u64;
        let mut sometimes = String::new();
        for (label, bit) in self.step_labels.clone() {
            let is_meant = match self.system.labels[label].meaning {
                LabelMeaning::By(position) => scope.roles.iter().any(|&(at, _)| at == position),
                LabelMeaning::Acting(position) => scope.roles.first().is_some_and(|&(at, _)| at == position),
                LabelMeaning::State(_) | LabelMeaning::Step => false,
            };
            if is_meant {
                always |= 1 << bit;
            }
            for (_, condition) in action.labels.iter().filter(|(carried, _)| *carried == label) {
                let condition = self.value("k", condition, scope).truth();
                match condition.as_truth() {
                    Some(true) => always |= 1 << bit,
                    Some(false) => {}
                    None => {
                        let _ = write!(sometimes, " | (u64){} << {bit}", condition.text);
                    }
                }
            }
        }
        format!("({always:#x}ull{sometimes})")
    }
}

/// The conjuncts of a condition.
fn conjuncts(expr: &Expr) -> Vec<&Expr> {
    let (mut found, mut open) = (Vec::new(), vec![expr]);
    while let Some(expr) = open.pop() {
        match expr {
            Expr::Binary(BinaryOp::And, left, right) => open.extend([&**right, &**left]),
            other => found.push(other),
        }
    }
    found
}

/// The value that the role's control slot has wherever control is at the action, if a conjunct says so.
fn control_value(system: &lariat_system::System, action: &Action, role: Role) -> Option<i64> {
    let frame = *action.participants.get(role.index())?;
    let place = Place { owner: Owner::Role(role, system.frames[frame].control?), index: None };
    action.guard.control.iter().flat_map(conjuncts).find_map(|conjunct| match conjunct {
        Expr::Binary(BinaryOp::Eq, left, right) => match (&**left, &**right) {
            (Expr::Read(read), Expr::Const(value)) | (Expr::Const(value), Expr::Read(read)) if *read == place => {
                Some(*value)
            }
            _ => None,
        },
        _ => None,
    })
}
