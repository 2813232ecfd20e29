//! Declarations: `mtype`, `typedef`, variables, channels, proctypes.
//!
//! Structures are taken apart: `T x[2]` with `T { byte a; int b[3] }` becomes the variables `x.a` of 2 cells and `x.b` of
//! 6, and `x[i].b[j]` is cell `3 i + j` of the latter.

use super::scope::{Meaning, Named, StructVar};
use super::{Access, ChannelDecl, Checker, Ex, ProcHead, ProcId, Scalar, SetId, Var, VarId, VarInit};
use crate::tree::{self, Initializer, TypeKind, Unit};
use lariat_base::{Diagnostic, NameKind, Span, closest_name};
use std::collections::HashSet;

/// The number of a `typedef`.
pub(super) type StructId = usize;

/// The most cells of an array; the size of the state as a whole is checked later.
const MAX_CELLS: i64 = 1 << 24;
/// The most leaves of a structure.
const MAX_LEAVES: usize = 1 << 16;
/// The most structures within each other.
const MAX_STRUCT_DEPTH: usize = 200;
/// The most messages of a channel.
const MAX_CAPACITY: i64 = 255;
/// The most cells of a structure that is named as a whole.
pub(super) const MAX_WHOLE: usize = 4096;
/// The most fields of a message.
const MAX_FIELDS: usize = 255;

/// A `typedef`.
#[derive(Clone, Debug)]
pub(super) struct Struct {
    pub(super) name: String,
    pub(super) fields: Vec<Field>,
    /// The number of its leaves.
    pub(super) leaves: usize,
    /// How many structures stand within each other.
    depth: usize,
    /// Where its name is spelled.
    spelled: Span,
}

/// A field of a structure.
#[derive(Clone, Debug)]
pub(super) struct Field {
    pub(super) name: String,
    pub(super) ty: FieldType,
    pub(super) len: Option<u32>,
    init: FieldInit,
    /// Where its name is spelled.
    pub(super) spelled: Span,
}

#[derive(Clone, Debug)]
enum FieldInit {
    Zero,
    Value(i64),
    Channel { capacity: u32, fields: Vec<Scalar> },
}

/// What a field, or a declared variable, is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum FieldType {
    Scalar(Scalar),
    Struct(StructId),
}

/// A leaf of a structure.
struct Leaf {
    path: String,
    scalar: Scalar,
    /// The arrays on the way: where in the path each has its index, and its length.
    dims: Vec<(usize, u32)>,
    init: FieldInit,
}

impl Leaf {
    /// The number of its cells.
    fn cells(&self) -> u64 {
        self.dims.iter().map(|&(_, dim)| u64::from(dim)).fold(1, u64::saturating_mul)
    }
}

/// Where a declaration stands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum DeclarationPlace {
    /// Global, or local before the first statement: initialised when its owner comes to life.
    AtBirth,
    /// A parameter: what its type says about initial values does not matter.
    Parameter,
    /// Behind the first statement: the initialisation is a statement.
    AsStatement,
}

impl Checker {
    pub(super) fn declare_types(&mut self, model: &tree::Model) {
        for unit in &model.units {
            match unit {
                Unit::Mtype(mtype) => self.declare_mtype(mtype),
                Unit::Typedef(typedef) => self.declare_typedef(typedef),
                _ => {}
            }
        }
    }

    fn declare_mtype(&mut self, mtype: &tree::Mtype) {
        let set = match &mtype.set {
            None => SetId(0),
            Some(name) => match self.set_named(&name.name) {
                Some(set) => {
                    self.note_use(name, self.model.sets[set].spelled);
                    set
                }
                None => {
                    self.record_type(name, mtype.span, format!("mtype:{name}"));
                    let spelled = name.spelled;
                    let set = super::MtypeSet { name: name.name.to_string(), constants: Vec::new(), spelled };
                    self.model.sets.push(set)
                }
            },
        };
        // Constants are numbered from the right; a further declaration of the set goes on counting.
        let before = self.model.sets[set].constants.len() as i64;
        let last = before + mtype.names.len() as i64;
        if last > 255 {
            self.error(mtype.span, "P0402", "more than 255 mtype constants in one set");
            return;
        }
        for (number, name) in mtype.names.iter().enumerate() {
            let value = last - number as i64;
            self.model.sets[set].constants.push((name.name.to_string(), value));
            let set_name = mtype.set.as_ref().map_or("", |set| &set.name);
            self.record_constant(name, value, set_name, mtype.span);
            self.declare_name(name, Meaning::Constant(value));
        }
    }

    pub(super) fn set_named(&self, name: &str) -> Option<SetId> {
        self.model.sets.entries().skip(1).find(|(_, set)| set.name == name).map(|(id, _)| id)
    }

    fn declare_typedef(&mut self, typedef: &tree::Typedef) {
        self.record_type(&typedef.name, typedef.span, format!("typedef {}", typedef.name));
        let mut fields: Vec<Field> = Vec::new();
        let mut names: HashSet<&str> = HashSet::new();
        for decl in &typedef.fields {
            for declarator in &decl.vars {
                if matches!(&decl.ty.kind, TypeKind::Named(name) if name.name == typedef.name.name) {
                    let message = format!("`{}` cannot contain itself", typedef.name);
                    self.error(decl.ty.span, "P0405", message);
                    continue;
                }
                let Some(ty) = self.type_of(&decl.ty, declarator) else { continue };
                if !names.insert(&declarator.name.name) {
                    let message = format!("`{}` has two fields `{}`", typedef.name, declarator.name);
                    self.error(declarator.name.span, "P0403", message);
                    continue;
                }
                let len = self.length(declarator);
                self.record_field(&typedef.name, decl, declarator, &ty, len);
                let init = match &declarator.init {
                    None => FieldInit::Zero,
                    Some(Initializer::Expr(value)) => FieldInit::Value(self.constant(value).unwrap_or(0)),
                    Some(Initializer::List(values)) => {
                        let span = values.first().map_or(declarator.span, |value| value.span);
                        self.error(span, "P0404", "a list of values is not allowed inside a typedef");
                        FieldInit::Zero
                    }
                    Some(Initializer::Channel(channel)) => match self.channel_shape(channel) {
                        Some((capacity, fields)) => FieldInit::Channel { capacity, fields },
                        None => continue,
                    },
                };
                let (name, spelled) = (declarator.name.name.to_string(), declarator.name.spelled);
                fields.push(Field { name, ty, len, init, spelled });
            }
        }
        let (name, spelled) = (typedef.name.name.to_string(), typedef.name.spelled);
        if self.typedefs.iter().any(|known| known.name == name) {
            self.error(typedef.name.span, "P0405", format!("there are two typedefs `{name}`"));
            return;
        }
        let inner = |field: &Field| match field.ty {
            FieldType::Scalar(_) => (1, 0),
            FieldType::Struct(id) => (self.typedefs[id].leaves, self.typedefs[id].depth),
        };
        let leaves = fields.iter().map(|field| inner(field).0).fold(0, usize::saturating_add);
        let depth = 1 + fields.iter().map(|field| inner(field).1).max().unwrap_or(0);
        if leaves > MAX_LEAVES || depth > MAX_STRUCT_DEPTH {
            let message = if leaves > MAX_LEAVES {
                format!("`{name}` has more than {MAX_LEAVES} fields in all")
            } else {
                format!("`{name}` holds structures more than {MAX_STRUCT_DEPTH} deep")
            };
            self.error(typedef.name.span, "P0407", message);
            self.typedefs.push(Struct { name, fields: Vec::new(), leaves: 0, depth: 0, spelled });
            return;
        }
        self.typedefs.push(Struct { name, fields, leaves, depth, spelled });
    }

    pub(super) fn declare_procs(&mut self, model: &tree::Model) {
        for unit in &model.units {
            let (ident, parameters, cells) = match unit {
                Unit::Proctype(proctype) => {
                    self.record_proctype(proctype);
                    let decls = &proctype.parameters;
                    let count = decls.iter().map(|decl| decl.vars.len()).sum();
                    let cells = decls.iter().map(|decl| decl.vars.len().saturating_mul(self.cells_of(&decl.ty)));
                    let cells = cells.fold(0, usize::saturating_add);
                    if cells > MAX_WHOLE {
                        let message = format!(
                            "the parameters of `{}` have {cells} fields in all: at most {MAX_WHOLE} are possible",
                            proctype.name
                        );
                        self.error(proctype.name.span, "P0407", message);
                    }
                    (proctype.name.clone(), count, cells)
                }
                Unit::Init(init) => {
                    self.record_init(init);
                    (tree::Ident { name: "init".into(), span: init.span, spelled: init.span }, 0, 0)
                }
                _ => continue,
            };
            let (name, span) = (ident.name.to_string(), ident.span);
            let id = self.heads.push(ProcHead { name, parameters, cells, span });
            self.declare_name(&ident, Meaning::Proc(id));
        }
    }

    /// How many cells a variable of this type has; 1 if there is no such type.
    fn cells_of(&self, ty: &tree::Type) -> usize {
        let TypeKind::Named(name) = &ty.kind else { return 1 };
        let known = self.typedefs.iter().position(|known| known.name == *name.name);
        known.map_or(1, |id| {
            let cells = self.leaves(id, "", Vec::new()).iter().map(Leaf::cells).fold(0, u64::saturating_add);
            usize::try_from(cells).unwrap_or(usize::MAX)
        })
    }

    pub(super) fn declare_globals(&mut self, model: &tree::Model) {
        for unit in &model.units {
            if let Unit::Decl(decl) = unit {
                self.declare_vars(decl, DeclarationPlace::AtBirth);
            }
        }
    }

    /// Declares the variables of `decl` in the innermost scope and returns them, each with its initial value if that
    /// is to be a statement.
    pub(super) fn declare_vars(&mut self, decl: &tree::Decl, place: DeclarationPlace) -> Vec<(VarId, Option<Ex>)> {
        let mut declared = Vec::new();
        let kind = if place == DeclarationPlace::Parameter { NameKind::Parameter } else { NameKind::Variable };
        for declarator in &decl.vars {
            let Some(ty) = self.type_of(&decl.ty, declarator) else {
                self.declare_name(&declarator.name, Meaning::Wrong);
                continue;
            };
            let mut len = self.length(declarator);
            if let (DeclarationPlace::Parameter, Some(length)) = (place, &declarator.length) {
                let message = format!(
                    "`{}` is an array; only single variables and structures can be parameters",
                    declarator.name
                );
                let help = "put the array into a structure: `typedef T { byte a[2] }`";
                self.diagnostics.push(Diagnostic::error(length.span, "P0460", message).help(help));
                len = None;
            }
            match ty {
                FieldType::Scalar(scalar) => {
                    let init = self.initial(scalar, len, declarator);
                    let var = self.add_var(declarator.name.name.to_string(), scalar, len, declarator.span);
                    self.record_variable(decl, declarator, kind, &ty, &[var]);
                    self.declare_name(&declarator.name, Meaning::Var(var));
                    declared.push((var, self.settle_init(var, init, place)));
                }
                FieldType::Struct(id) => {
                    let value = match &declarator.init {
                        None => None,
                        Some(Initializer::Expr(value)) => self.constant(value),
                        Some(_) => {
                            self.error(declarator.span, "P0406", "a structure cannot begin with this");
                            None
                        }
                    };
                    let leaves = {
                        let name: &str = declarator.name.name.as_ref();
                        self.leaves(id, name, len.map(|len| (name.len(), len)).into_iter().collect())
                    };
                    if let Some(leaf) = leaves.iter().find(|leaf| leaf.cells() > MAX_CELLS as u64) {
                        let message =
                            format!("`{}` has {} cells: at most {MAX_CELLS} are possible", leaf.path, leaf.cells());
                        self.error(declarator.span, "P0407", message);
                        self.declare_name(&declarator.name, Meaning::Wrong);
                        continue;
                    }
                    let mut vars = Vec::new();
                    for leaf in leaves {
                        let cells = leaf.cells();
                        let len = (!leaf.dims.is_empty()).then_some(cells as u32);
                        let is_plain =
                            matches!(leaf.dims[..], [] | [_]) && leaf.dims.iter().all(|(at, _)| *at == leaf.path.len());
                        let shape = if is_plain { Vec::new() } else { leaf.dims.clone() };
                        let var = self.add_var(leaf.path, leaf.scalar, len, declarator.span);
                        self.model.vars[var].shape = shape;
                        let init = match (leaf.init, value) {
                            _ if place == DeclarationPlace::Parameter => VarInit::Zero,
                            (FieldInit::Channel { capacity, fields }, _) => {
                                let owner = self.proc;
                                let count = len.unwrap_or(1);
                                let channel = ChannelDecl { var, owner, count, capacity, fields };
                                VarInit::Channel(self.model.channels.push(channel))
                            }
                            (_, Some(value)) | (FieldInit::Value(value), None) => VarInit::Value(Ex::Const(value)),
                            (FieldInit::Zero, None) => VarInit::Zero,
                        };
                        self.settle_init(var, init, DeclarationPlace::AtBirth);
                        if vars.is_empty() && place == DeclarationPlace::AsStatement {
                            // A step, but one that changes nothing: SPIN sets no part of it anew.
                            let indices = len.map(|len| (Ex::Const(0), len)).into_iter().collect();
                            let same = Ex::Read(Access { var, indices, span: declarator.span });
                            declared.push((var, Some(same)));
                        } else if place != DeclarationPlace::AsStatement {
                            declared.push((var, None));
                        }
                        vars.push(var);
                    }
                    self.record_variable(decl, declarator, kind, &ty, &vars);
                    self.declare_name(&declarator.name, Meaning::Struct(StructVar { ty: id, len, leaves: vars }));
                }
            }
        }
        declared
    }

    fn add_var(&mut self, name: String, scalar: Scalar, len: Option<u32>, span: Span) -> VarId {
        let var =
            Var { name, owner: self.proc, scalar, len, shape: Vec::new(), init: VarInit::Zero, assigned: false, span };
        self.model.vars.push(var)
    }

    fn settle_init(&mut self, var: VarId, init: VarInit, place: DeclarationPlace) -> Option<Ex> {
        match (place, init) {
            (DeclarationPlace::AtBirth | DeclarationPlace::Parameter, init) => {
                self.model.vars[var].init = init;
                None
            }
            // Channels always exist from the birth of the process; there is nothing left to do here.
            (DeclarationPlace::AsStatement, init @ VarInit::Channel(_)) => {
                self.model.vars[var].init = init;
                None
            }
            (DeclarationPlace::AsStatement, VarInit::Value(value)) => Some(value),
            (DeclarationPlace::AsStatement, VarInit::Zero) => Some(Ex::Const(0)),
            (DeclarationPlace::AsStatement, VarInit::List(values)) => {
                Some(values.into_iter().next().unwrap_or(Ex::Const(0)))
            }
        }
    }

    fn initial(&mut self, scalar: Scalar, len: Option<u32>, declarator: &tree::Declarator) -> VarInit {
        match &declarator.init {
            None => VarInit::Zero,
            Some(Initializer::Expr(value)) => {
                if scalar != Scalar::Chan && self.proc.is_none() {
                    return self.constant(value).map_or(VarInit::Zero, |value| VarInit::Value(Ex::Const(value)));
                }
                let value = self.expr(value);
                if scalar == Scalar::Chan && !matches!(value, Ex::Const(0) | Ex::Read(_)) {
                    self.error(declarator.span, "P0408", "a channel begins as `[n] of { … }` or as another channel");
                }
                VarInit::Value(value)
            }
            Some(Initializer::List(values)) => {
                if len.is_none_or(|len| values.len() > len as usize) {
                    let message = format!("{} values for `{}`", values.len(), declarator.name);
                    self.error(declarator.span, "P0409", message);
                }
                let known = |checker: &mut Self, value| Ex::Const(checker.constant(value).unwrap_or(0));
                VarInit::List(values.iter().map(|value| known(self, value)).collect())
            }
            Some(Initializer::Channel(channel)) => {
                if scalar != Scalar::Chan {
                    self.error(channel.span, "P0410", format!("`{}` is not a channel", declarator.name));
                    return VarInit::Zero;
                }
                let Some((capacity, fields)) = self.channel_shape(channel) else { return VarInit::Zero };
                // The variable is added right after this.
                let var = VarId(self.model.vars.len() as u32);
                let count = len.unwrap_or(1);
                VarInit::Channel(self.model.channels.push(ChannelDecl {
                    var,
                    owner: self.proc,
                    count,
                    capacity,
                    fields,
                }))
            }
        }
    }

    fn channel_shape(&mut self, channel: &tree::ChannelInit) -> Option<(u32, Vec<Scalar>)> {
        let capacity = self.constant(&channel.capacity)?;
        if !(0..=MAX_CAPACITY).contains(&capacity) {
            let message = format!("a channel holds 0 to {MAX_CAPACITY} messages, not {capacity}");
            self.error(channel.capacity.span, "P0411", message);
            return None;
        }
        let mut fields = Vec::new();
        for ty in &channel.fields {
            match self.type_kind(ty)? {
                FieldType::Scalar(_) if fields.len() == MAX_FIELDS => {
                    self.error(ty.span, "P0407", format!("a message of more than {MAX_FIELDS} fields"));
                    return None;
                }
                FieldType::Scalar(scalar) => fields.push(scalar),
                FieldType::Struct(id) => {
                    for leaf in self.leaves(id, "", Vec::new()) {
                        let cells = leaf.cells();
                        if cells.saturating_add(fields.len() as u64) > MAX_FIELDS as u64 {
                            self.error(ty.span, "P0407", format!("a message of more than {MAX_FIELDS} fields"));
                            return None;
                        }
                        fields.extend(std::iter::repeat_n(leaf.scalar, cells as usize));
                    }
                }
            }
        }
        Some((capacity as u32, fields))
    }

    fn leaves(&self, ty: StructId, path: &str, dims: Vec<(usize, u32)>) -> Vec<Leaf> {
        let mut leaves = Vec::new();
        // A structure that was refused has none, and may stand in many others.
        if self.typedefs[ty].leaves == 0 {
            return leaves;
        }
        for field in &self.typedefs[ty].fields {
            let path = if path.is_empty() { field.name.clone() } else { format!("{path}.{}", field.name) };
            let mut dims = dims.clone();
            dims.extend(field.len.map(|len| (path.len(), len)));
            match field.ty {
                FieldType::Scalar(scalar) => leaves.push(Leaf { path, scalar, dims, init: field.init.clone() }),
                FieldType::Struct(inner) => leaves.extend(self.leaves(inner, &path, dims)),
            }
        }
        leaves
    }

    fn type_of(&mut self, ty: &tree::Type, declarator: &tree::Declarator) -> Option<FieldType> {
        if ty.kind == TypeKind::Unsigned {
            let width = match &declarator.width {
                None => {
                    let message = format!("`{}` needs a width", declarator.name);
                    let help = format!("write `unsigned {} : 4` for four bits", declarator.name);
                    self.diagnostics.push(Diagnostic::error(declarator.span, "P0412", message).help(help));
                    return None;
                }
                Some(width) => self.constant(width)?,
            };
            if !(1..=31).contains(&width) {
                self.error(declarator.span, "P0412", format!("an unsigned has 1 to 31 bits, not {width}"));
                return None;
            }
            return Some(FieldType::Scalar(Scalar::Unsigned(width as u8)));
        }
        if let Some(width) = &declarator.width {
            self.error(width.span, "P0412", "only an `unsigned` has a width");
        }
        self.type_kind(ty)
    }

    fn type_kind(&mut self, ty: &tree::Type) -> Option<FieldType> {
        Some(FieldType::Scalar(match &ty.kind {
            TypeKind::Bit => Scalar::Bit,
            TypeKind::Bool => Scalar::Bool,
            TypeKind::Byte => Scalar::Byte,
            TypeKind::Short => Scalar::Short,
            TypeKind::Int => Scalar::Int,
            TypeKind::Pid => Scalar::Pid,
            TypeKind::Chan => Scalar::Chan,
            TypeKind::Unsigned => Scalar::Unsigned(31),
            TypeKind::Mtype(None) => Scalar::Mtype(SetId(0)),
            TypeKind::Mtype(Some(name)) => match self.set_named(&name.name) {
                Some(set) => {
                    self.note_use(name, self.model.sets[set].spelled);
                    Scalar::Mtype(set)
                }
                None => {
                    self.error(name.span, "P0413", format!("there is no `mtype:{name} = {{ … }}`"));
                    return None;
                }
            },
            TypeKind::Named(name) => {
                return match self.typedefs.iter().position(|known| known.name == *name.name) {
                    Some(id) => {
                        self.note_use(name, self.typedefs[id].spelled);
                        Some(FieldType::Struct(id))
                    }
                    None => {
                        let known = self.typedefs.iter().map(|known| known.name.as_str());
                        let near = closest_name(&name.name, known).map(|near| format!("did you mean `{near}`?"));
                        let error = Diagnostic::error(name.span, "P0414", format!("there is no type `{name}`"));
                        self.diagnostics.push(Diagnostic { help: near, ..error });
                        None
                    }
                };
            }
        }))
    }

    fn length(&mut self, declarator: &tree::Declarator) -> Option<u32> {
        let length = declarator.length.as_ref()?;
        let known = self.diagnostics.len();
        let value = self.constant(length)?;
        if self.diagnostics.len() > known {
            // A name in it is unknown: what its value would be is anybody's guess.
            return Some(1);
        }
        if !(1..=MAX_CELLS).contains(&value) {
            let message = format!("an array of {value} cells: 1 to {MAX_CELLS} are possible");
            self.error(length.span, "P0407", message);
            return Some(1);
        }
        Some(value as u32)
    }

    /// The value of an expression that must be known before anything runs.
    pub(super) fn constant(&mut self, expr: &tree::Expr) -> Option<i64> {
        let value = self.expr(expr);
        let known = self.known_value(&value);
        if known.is_none() {
            self.error(expr.span, "P0415", "this must be a constant");
        }
        known
    }

    pub(super) fn declare_name(&mut self, name: &tree::Ident, meaning: Meaning) {
        if &*name.name == "_" {
            let message = "`_` is not a name: what is assigned to it is lost";
            return self.error(name.span, "P0416", message);
        }
        let named = Named { meaning, span: name.span, spelled: name.spelled };
        if let Some(earlier) = self.scopes.declare(&name.name, named) {
            let error = Diagnostic::error(name.span, "P0416", format!("`{name}` is declared twice"));
            self.diagnostics.push(error.note(earlier.span, "first here"));
        }
    }

    /// The proctype of the unit being checked, by its order in the text.
    pub(super) fn next_proc(&self) -> ProcId {
        ProcId(self.model.procs.len() as u32)
    }
}
