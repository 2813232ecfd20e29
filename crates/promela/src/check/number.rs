//! SPIN's numbers for the elements of flow graphs, by which its trails name statements.
//!
//! SPIN has one counter for the whole model and takes a number from it whenever its parser makes an element: for a
//! statement in the order of the text, for a block when its contents are done. The functions that build bodies take the
//! numbers at the same moments; here is what is not obvious about that.
//!
//! * An `if` is two elements, itself and the join behind; a `do` is three, with the target of its `break`s.
//! * The braces of the two parts of an `unless` are no elements. Where a part is anything else, its own element is made
//!   when both parts have been read: the escape's first, then that of the main part, then the `unless` and its join.
//!   Where the main part is a block with a label, its element comes last.
//! * A remote reference to the label of a `goto` makes a step of it: its number stays with the step, and the `goto` gets
//!   the next one.
//! * Never claims have numbers as proctypes have, also those that are refused. The claims of `ltl` blocks come behind everything else, so they do not
//!   matter here.

use super::body::is_resting_label;
use super::builder::Builder;
use super::loops::select_choices;
use super::{Basic, Checker, Ex, ProcId};
use crate::flow::{Element, ElementId, ElementKind};
use crate::tree::{Stmt, StmtKind};
use lariat_base::Id;

impl Checker {
    /// Gives the next number to an element.
    pub(super) fn number(&mut self, b: &mut Builder, element: ElementId) {
        b.elements[element].number = Some(self.numbers_given);
        self.numbers_given += 1;
    }

    /// Passes over the numbers of elements that only SPIN has.
    pub(super) fn pass_numbers(&mut self, count: u32) {
        self.numbers_given += count;
    }

    /// Numbers a loop whose contents are done.
    pub(super) fn number_loop(&mut self, b: &mut Builder, branch: ElementId, after: ElementId) {
        self.number(b, branch);
        self.pass_numbers(1);
        self.number(b, after);
    }

    /// Corrects the numbers of an `unless` whose parts are done: the main part took its numbers up to `main_end`, the
    /// escape those from there on. The elements of both are those from `first` on. Gives a number to the join.
    pub(super) fn number_unless(&mut self, b: &mut Builder, main: &Stmt, first: usize, main_end: u32, join: ElementId) {
        const UNLESS_AND_JOIN: u32 = 2;
        let own = own_elements(main);
        let labelled_block = !main.labels.is_empty() && is_block(&main.kind);
        let between = self.numbers_given - main_end + if labelled_block { UNLESS_AND_JOIN } else { 0 };
        for number in first..b.elements.len() {
            let Some(given) = &mut b.elements[ElementId::new(number)].number else { continue };
            if *given >= main_end {
                *given -= own;
            } else if *given >= main_end - own {
                *given += between;
            }
        }
        let unless = self.numbers_given - if labelled_block { own } else { 0 };
        b.elements[join].number = Some(unless + 1);
        self.pass_numbers(UNLESS_AND_JOIN);
    }

    /// Takes notice of a remote reference to a label: if it stands before a jump, control rests there from now on.
    pub(super) fn rest_at_remote_label(&mut self, proc: ProcId, label: &str) {
        let Some(flow) = self.model.procs.get_mut(proc).map(|proc| &mut proc.flow) else { return };
        let target = flow.labels.iter().find(|(name, _)| name == label).map(|&(_, element)| element);
        let Some(target) = target else { return };
        let Some(is_last) = self.jumps.remove(&(proc, target)) else { return };
        // As in SPIN, the step keeps control, unless the jump was the last element of its `atomic`. The jump behind it does not.
        let (kind, number) = (ElementKind::Jump, Some(self.numbers_given));
        let (atomic, keeps_control, escapes) = (false, false, Vec::new());
        let jump = Element { kind, number, atomic, keeps_control, escapes, ..flow.elements[target].clone() };
        let jump = flow.elements.push(jump);
        let rest = &mut flow.elements[target];
        (rest.kind, rest.next) = (ElementKind::Basic(Basic::Condition(Ex::Const(1))), Some(jump));
        rest.keeps_control = rest.atomic && !is_last;
        self.pass_numbers(1);
    }
}

/// How many elements SPIN makes for the statement itself when its contents are done, as the main part of an `unless`.
fn own_elements(stmt: &Stmt) -> u32 {
    match &stmt.kind {
        StmtKind::Block(_) | StmtKind::Call(_) if stmt.labels.is_empty() => 0,
        StmtKind::If(_) => 2,
        StmtKind::Select(var, from, to) if select_choices(var, from, to).is_some() => 2,
        StmtKind::Do(_) | StmtKind::Select(..) | StmtKind::ForRange(..) | StmtKind::ForIn(..) => 3,
        StmtKind::Goto(_) | StmtKind::Break if stmt.labels.iter().any(|label| is_resting_label(&label.name)) => 2,
        _ => 1,
    }
}

fn is_block(kind: &StmtKind) -> bool {
    matches!(kind, StmtKind::Block(_) | StmtKind::Call(_) | StmtKind::Atomic(_) | StmtKind::DStep(_))
}
