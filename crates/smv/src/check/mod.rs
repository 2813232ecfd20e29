//! From the tree to a flat model: every name is resolved, every type checked, every instance written out.
//!
//! A module is only a pattern; what is checked are its instances. First all instances are made (`instance.rs`), then the
//! constants of enumerations are gathered and variables declared (`declare.rs`), so that names may be used before they are
//! declared. Then expressions become terms (`expr.rs`, `operators.rs`), and assignments (`assign.rs`), constraints and
//! specifications (`spec.rs`) are made of them. Whether an assignment always gives a value that fits, and every expression
//! has one, is decided over all values that the variables in it are declared with (`decide.rs`), reachable or not: that is
//! what NuSMV does.

mod ahead;
mod assign;
mod decide;
mod declare;
mod depend;
mod expr;
mod fits;
mod functions;
mod guards;
mod instance;
mod long_names;
mod lookup;
mod operators;
mod record;
mod results;
mod spec;
mod vals;

pub use decide::always_has_value;

pub(crate) use assign::{all_conjuncts, equation};
pub(crate) use depend::{sorted, variables};
pub use spec::{Condition, Property, Specification};

use crate::report::Report;
use crate::term::{ProcessId, Term, VarId};
use crate::token::Name;
use crate::tree::{SpecKind, Tree, VarKind};
use crate::types::Domain;
use instance::{Scope, ScopeId};
use lariat_base::{Diagnostic, IdVec, NameIndex, SourceMap, Span};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// A variable of the whole model.
#[derive(Clone, Debug)]
pub struct Var {
    /// With the instances it is in: `a.b.x`, `v[2]`.
    pub name: String,
    /// Its values.
    pub domain: Arc<Domain>,
    /// What it is.
    pub kind: VarKind,
    /// Where it was declared.
    pub span: Span,
}

/// A process; `main` is one of them.
#[derive(Clone, Debug)]
pub struct Process {
    /// The name of the instance; `main` for the whole.
    pub name: String,
    /// Where it was declared.
    pub span: Span,
}

/// A model without modules.
#[derive(Clone, Debug, Default)]
pub struct Flat {
    /// The constants of enumerations by number.
    pub symbols: Vec<Name>,
    /// The variables in the order of the text.
    pub vars: IdVec<VarId, Var>,
    /// The processes, `main` first.
    pub processes: IdVec<ProcessId, Process>,
    /// `x := e`
    pub always: BTreeMap<VarId, Term>,
    /// `init(x) := e`
    pub init: BTreeMap<VarId, Term>,
    /// `next(x) := e`, by the process that assigns.
    pub next: BTreeMap<VarId, BTreeMap<ProcessId, Term>>,
    /// `INIT`
    pub inits: Vec<Term>,
    /// `INVAR`
    pub invars: Vec<Term>,
    /// `TRANS`
    pub transes: Vec<Term>,
    /// `JUSTICE` with its text.
    pub justice: Vec<Condition>,
    /// `COMPASSION` with its texts.
    pub compassion: Vec<(Condition, Condition)>,
    /// Specifications: those of instances first, in the order of the text.
    pub specs: Vec<Specification>,
}

impl Flat {
    /// Whether steps are those of processes.
    pub fn has_processes(&self) -> bool {
        self.processes.len() > 1
    }
}

/// Checks the model. What is wrong is told to `report`; then the flat model is not whole.
/// What names mean is added to the index, if there is one.
pub(crate) fn check(
    tree: &Tree,
    sources: &SourceMap,
    main: Span,
    report: &mut Report,
    names: &mut Option<NameIndex>,
) -> Flat {
    let mut elaborator = Elaborator::new(tree, sources, main, report);
    elaborator.names = names.take();
    elaborator.record_definitions();
    elaborator.run();
    *names = elaborator.names;
    elaborator.flat
}

/// Checks a formula that speaks of a model which was found to be in order.
pub(crate) fn check_formula(
    tree: &Tree,
    formula: &crate::tree::Expr,
    kind: SpecKind,
    sources: &SourceMap,
    main: Span,
    report: &mut Report,
) -> Option<Property> {
    let mut elaborator = Elaborator::new(tree, sources, main, report);
    let scope = elaborator.prepare()?;
    elaborator.formula_from_outside(formula, kind, scope)
}

/// The type of an expression that speaks of a state of a model which was found to be in order. It is a single value, and always has one.
pub(crate) fn type_of(
    tree: &Tree,
    expression: &crate::tree::Expr,
    sources: &SourceMap,
    main: Span,
    report: &mut Report,
) -> Option<crate::types::Ty> {
    let mut elaborator = Elaborator::new(tree, sources, main, report);
    let scope = elaborator.prepare()?;
    let value = elaborator.value(expression, expr::At { scope, next: false })?;
    elaborator.ensure_within(&value, expression.span, assign::Limits::state("an expression of states"))?;
    elaborator.ensure_value(&value);
    if value.ty.set {
        elaborator.error(
            expression.span,
            "V0302",
            "a set has no value: one of its elements is chosen wherever it is used",
        );
    }
    (!elaborator.report.has_errors()).then_some(value.ty)
}

struct Elaborator<'t, 'r> {
    tree: &'t Tree,
    /// For showing parts of the text.
    sources: &'t SourceMap,
    /// The beginning of the model, for what has no place.
    main: Span,
    report: &'r mut Report,
    scopes: IdVec<ScopeId, Scope<'t>>,
    symbol_numbers: HashMap<Name, usize>,
    definitions: HashMap<(ScopeId, Name, bool), Option<expr::Entity>>,
    /// Whether names with an index or a part are declared.
    has_long_names: bool,
    /// Whether all variables have their types.
    declared: bool,
    /// The definitions that are being written out.
    open: Vec<(ScopeId, Name)>,
    /// Whether what a definition is made of is being written out before it.
    is_ahead: bool,
    /// How deep in an expression we are.
    depth: usize,
    flat: Flat,
    /// What names mean, if that is recorded, and where constants are named first.
    names: Option<NameIndex>,
    symbol_places: HashMap<Name, Span>,
}

impl<'t, 'r> Elaborator<'t, 'r> {
    fn new(tree: &'t Tree, sources: &'t SourceMap, main: Span, report: &'r mut Report) -> Self {
        Self {
            tree,
            sources,
            main,
            report,
            scopes: IdVec::new(),
            symbol_numbers: HashMap::new(),
            definitions: HashMap::new(),
            has_long_names: long_names::has_long_names(tree),
            declared: false,
            open: Vec::new(),
            is_ahead: false,
            depth: 0,
            flat: Flat::default(),
            names: None,
            symbol_places: HashMap::new(),
        }
    }

    /// Instances, constants and variables; the instance of `main`.
    fn prepare(&mut self) -> Option<ScopeId> {
        let scope = self.make_instances()?;
        self.gather_symbols();
        self.declare_all(scope);
        self.refuse_elements_declared_twice();
        self.declared = true;
        Some(scope)
    }

    fn run(&mut self) {
        let Some(scope) = self.prepare() else { return };
        self.write_out_definitions();
        self.assign_all(scope);
        if !self.report.has_errors() {
            self.check_dependencies();
        }
        self.specify_all(scope);
        self.ensure_values();
    }

    fn error(&mut self, span: Span, code: &'static str, message: impl Into<String>) {
        self.report.push(Diagnostic::error(span, code, message));
    }
}
