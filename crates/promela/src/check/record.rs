//! What names mean, recorded for editors while they are resolved: see [`NameIndex`](lariat_base::NameIndex).
//!
//! Places here are those where names are spelled, also in the bodies of macros: that is where a name must be changed.

use super::declare::FieldType;
use super::scope::Meaning;
use super::{Checker, ProcId, Scalar, VarId};
use crate::tree::{self, Ident, Initializer, Unit};
use lariat_base::{Definition, NameIndex, NameKind, Span};
use std::collections::HashMap;

/// The index, and what must be known to write it.
#[derive(Default)]
pub(super) struct Recorder {
    pub(super) index: NameIndex,
    /// Where variables are declared.
    vars: HashMap<VarId, Span>,
    labels: HashMap<(ProcId, String), Span>,
    /// Uses of labels of other processes, which may come later.
    remote_labels: Vec<(ProcId, Ident)>,
    /// Where the unit begins that is being checked.
    unit: Option<Span>,
}

impl Recorder {
    pub(super) fn new(index: NameIndex) -> Self {
        Self { index, ..Self::default() }
    }
}

fn definition(name: &Ident, kind: NameKind, whole: Span, declaration: String) -> Definition {
    Definition {
        name: name.name.to_string(),
        kind,
        place: name.spelled,
        whole: if whole.file == name.spelled.file { whole.to(name.spelled) } else { name.spelled },
        parent: None,
        declaration,
        remarks: Vec::new(),
    }
}

impl Checker {
    /// What a name means here; that it is used is recorded.
    pub(super) fn meaning(&mut self, name: &Ident) -> Option<Meaning> {
        let named = self.scopes.find(&name.name)?;
        if let Some(recorder) = &mut self.recorder {
            recorder.index.note_use(&name.name, name.spelled, named.spelled);
        }
        Some(named.meaning.clone())
    }

    /// Records what the units of the model define, but for types and variables, which are recorded where they are declared.
    pub(super) fn record_units(&mut self, model: &tree::Model) {
        let Some(Recorder { index, .. }) = &mut self.recorder else { return };
        let mut unnamed = 0;
        for unit in &model.units {
            match unit {
                Unit::Inline(inline) => {
                    let parameters: Vec<&str> = inline.parameters.iter().map(|name| &*name.name).collect();
                    let declaration = format!("inline {}({})", inline.name, parameters.join(", "));
                    index.define(definition(&inline.name, NameKind::Routine, inline.span, declaration));
                    for parameter in &inline.parameters {
                        let declaration = format!("{parameter}: a parameter of inline {}", inline.name);
                        let parent = Some(inline.name.spelled);
                        let kind = NameKind::Parameter;
                        index.define(Definition { parent, ..definition(parameter, kind, parameter.span, declaration) });
                    }
                    for used in &inline.parameter_uses {
                        let parameter = inline.parameters.iter().find(|parameter| parameter.name == used.name);
                        let declared = parameter.map_or(Span::NONE, |parameter| parameter.spelled);
                        index.note_use(&used.name, used.spelled, declared);
                    }
                }
                Unit::Ltl(ltl) => {
                    let formula = one_line(&ltl.text);
                    let name =
                        ltl.name.clone().unwrap_or_else(|| unnamed_property(&format!("ltl_{unnamed}"), ltl.span));
                    unnamed += usize::from(ltl.name.is_none());
                    let declaration = format!("ltl {name} {{ {formula} }}");
                    index.define(definition(&name, NameKind::Property, ltl.span, declaration));
                }
                Unit::Never(never) => {
                    let name = never.name.clone().unwrap_or_else(|| unnamed_property("never", never.span));
                    let whole = never.span.to(never.body.span);
                    index.define(definition(&name, NameKind::Property, whole, format!("never {name}")));
                }
                _ => {}
            }
        }
    }

    pub(super) fn record_type(&mut self, name: &Ident, whole: Span, declaration: String) {
        let Some(Recorder { index, .. }) = &mut self.recorder else { return };
        index.define(definition(name, NameKind::Type, whole, declaration));
    }

    pub(super) fn record_constant(&mut self, name: &Ident, value: i64, set: &str, whole: Span) {
        let Some(Recorder { index, .. }) = &mut self.recorder else { return };
        let set = if set.is_empty() { "mtype".to_owned() } else { format!("mtype:{set}") };
        let constant = definition(name, NameKind::Constant, whole, format!("{set} = {{ {name} }}"));
        index.define(Definition { remarks: vec![format!("the constant {value}")], ..constant });
    }

    pub(super) fn record_proctype(&mut self, proctype: &tree::Proctype) {
        let Some(Recorder { index, .. }) = &mut self.recorder else { return };
        let parameters: Vec<String> = proctype.parameters.iter().map(ToString::to_string).collect();
        let active = match &proctype.active {
            None => String::new(),
            Some(tree::Active { count: None, .. }) => "active ".to_owned(),
            Some(tree::Active { count: Some(count), .. }) => format!("active [{count}] "),
        };
        let declaration = format!("{active}proctype {}({})", proctype.name, parameters.join("; "));
        let whole = proctype.span.to(proctype.body.span);
        index.define(definition(&proctype.name, NameKind::Process, whole, declaration));
    }

    pub(super) fn record_init(&mut self, init: &tree::Init) {
        let Some(Recorder { index, .. }) = &mut self.recorder else { return };
        let name = unnamed_property("init", init.span);
        index.define(definition(&name, NameKind::Process, init.span.to(init.body.span), "init".to_owned()));
    }

    /// The unit whose body is checked now begins here: what is declared in it is a part of it.
    pub(super) fn enter_unit(&mut self, place: Option<Span>) {
        if let Some(recorder) = &mut self.recorder {
            recorder.unit = place;
        }
    }

    /// Records a field of a structure.
    pub(super) fn record_field(
        &mut self,
        of: &Ident,
        decl: &tree::Decl,
        declarator: &tree::Declarator,
        ty: &FieldType,
        len: Option<u32>,
    ) {
        if self.recorder.is_some() {
            let declaration = declaration_of(decl, declarator);
            let mut remarks = vec![format!("a field of `{of}`")];
            remarks.extend(self.remarks(ty, len, declarator));
            let field = definition(&declarator.name, NameKind::Field, declarator.span, declaration);
            self.define(Definition { parent: Some(of.spelled), remarks, ..field });
        }
    }

    /// Records a variable, or a parameter of a process; `vars` are its leaves.
    pub(super) fn record_variable(
        &mut self,
        decl: &tree::Decl,
        declarator: &tree::Declarator,
        kind: NameKind,
        ty: &FieldType,
        vars: &[VarId],
    ) {
        let Some(recorder) = &mut self.recorder else { return };
        let parent = recorder.unit.filter(|_| self.proc.is_some() || self.draft.is_some());
        if let [var] = vars {
            recorder.vars.insert(*var, declarator.name.spelled);
        }
        let declaration = declaration_of(decl, declarator);
        let len = vars.first().and_then(|&var| self.model.vars[var].len).filter(|_| declarator.length.is_some());
        let remarks = match kind {
            NameKind::Parameter => self.remarks(ty, len, declarator).into_iter().take(1).collect(),
            _ => self.remarks(ty, len, declarator),
        };
        let variable = definition(&declarator.name, kind, decl.span, declaration);
        self.define(Definition { parent, remarks, ..variable });
    }

    fn define(&mut self, definition: Definition) {
        if let Some(recorder) = &mut self.recorder {
            recorder.index.define(definition);
        }
    }

    /// The values of a variable, and what it begins with.
    fn remarks(&self, ty: &FieldType, len: Option<u32>, declarator: &tree::Declarator) -> Vec<String> {
        let cells = len.map_or(String::new(), |len| format!("array of {len}, each "));
        let FieldType::Scalar(scalar) = ty else { return vec![format!("{cells}a structure")] };
        let mut remarks = vec![format!("{cells}{}", self.values_of(*scalar))];
        remarks.extend(match &declarator.init {
            None if *scalar == Scalar::Chan => None,
            None => Some("initially 0".to_owned()),
            Some(Initializer::Expr(value)) => Some(format!("initially {value}")),
            Some(Initializer::List(values)) => {
                let values: Vec<String> = values.iter().map(ToString::to_string).collect();
                Some(format!("initially {{ {} }}", values.join(", ")))
            }
            Some(Initializer::Channel(channel)) => {
                let fields: Vec<String> = channel.fields.iter().map(ToString::to_string).collect();
                let fields = fields.join(", ");
                Some(match channel.capacity.kind {
                    tree::ExprKind::Number(0) => format!("rendezvous of {{ {fields} }}"),
                    _ => format!("room for {} messages of {{ {fields} }}", channel.capacity),
                })
            }
        });
        remarks
    }

    fn values_of(&self, scalar: Scalar) -> String {
        let range = |low: i64, high: i64| format!("values {low} to {high}");
        match scalar {
            Scalar::Bit => "values 0 and 1".to_owned(),
            Scalar::Bool => "values false and true".to_owned(),
            Scalar::Byte | Scalar::Pid => range(0, 255),
            Scalar::Short => range(i64::from(i16::MIN), i64::from(i16::MAX)),
            Scalar::Int => range(i64::from(i32::MIN), i64::from(i32::MAX)),
            Scalar::Unsigned(width) => range(0, (1 << width) - 1),
            Scalar::Chan => "a channel".to_owned(),
            Scalar::Mtype(set) => {
                let constants: Vec<&str> =
                    self.model.sets[set].constants.iter().map(|(name, _)| name.as_str()).collect();
                format!("values 0, {}", constants.join(", "))
            }
        }
    }

    /// Records a call of an inline.
    pub(super) fn note_call(&mut self, name: &Ident) {
        if let Some(inline) = self.inlines.get(&*name.name) {
            self.note_use(name, inline.spelled);
        }
    }

    pub(super) fn note_use(&mut self, name: &Ident, defined_at: Span) {
        if let Some(recorder) = &mut self.recorder {
            recorder.index.note_use(&name.name, name.spelled, defined_at);
        }
    }

    /// Records that a variable of another process is used.
    pub(super) fn note_var_use(&mut self, name: &Ident, var: VarId) {
        if let Some(recorder) = &mut self.recorder {
            let declared = recorder.vars.get(&var).copied().unwrap_or(Span::NONE);
            recorder.index.note_use(&name.name, name.spelled, declared);
        }
    }

    pub(super) fn record_label(&mut self, label: &Ident, statement: Span) {
        let Some(recorder) = &mut self.recorder else { return };
        let kind = if super::is_resting_label(&label.name) { "a label with a meaning of its own" } else { "a label" };
        let found = definition(label, NameKind::Label, label.span.to(statement), format!("{label}:"));
        let parent = recorder.unit;
        recorder.index.define(Definition { parent, remarks: vec![kind.to_owned()], ..found });
        if let (Some(proc), None) = (self.proc, &self.draft) {
            recorder.labels.entry((proc, label.name.to_string())).or_insert(label.spelled);
        }
    }

    /// Records that a label of another process is used: where that is may be known only later.
    pub(super) fn note_remote_label(&mut self, proc: ProcId, label: &Ident) {
        if let Some(recorder) = &mut self.recorder {
            recorder.remote_labels.push((proc, label.clone()));
        }
    }

    /// Resolves a condition of a claim, whose names are otherwise looked at only when the claim is asked for.
    pub(super) fn record_condition(&mut self, condition: &tree::Expr) {
        if self.recorder.is_some() {
            let (complaints, labels) = (self.diagnostics.len(), self.remote_labels.len());
            let observing = std::mem::replace(&mut self.observing, true);
            self.expr(condition);
            self.observing = observing;
            self.diagnostics.truncate(complaints);
            self.remote_labels.truncate(labels);
        }
    }

    /// The index, with all uses.
    pub(super) fn recorded(&mut self) -> Option<NameIndex> {
        let mut recorder = self.recorder.take()?;
        for (proc, label) in std::mem::take(&mut recorder.remote_labels) {
            if let Some(&declared) = recorder.labels.get(&(proc, label.name.to_string())) {
                recorder.index.note_use(&label.name, label.spelled, declared);
            }
        }
        Some(recorder.index)
    }
}

/// A name that the text does not spell, at the place of the whole.
fn unnamed_property(name: &str, span: Span) -> Ident {
    Ident { name: name.into(), span, spelled: span }
}

fn declaration_of(decl: &tree::Decl, declarator: &tree::Declarator) -> String {
    tree::Decl { vars: vec![declarator.clone()], ..decl.clone() }.to_string()
}

/// The text with its lines joined, cut where it is long.
fn one_line(text: &str) -> String {
    const MAX_CHARS: usize = 200;
    let joined = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match joined.char_indices().nth(MAX_CHARS) {
        Some((end, _)) => format!("{} ...", &joined[..end]),
        None => joined,
    }
}
