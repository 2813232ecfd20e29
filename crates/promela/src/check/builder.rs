//! A flow graph while it is being built.

use super::{Basic, Ex, VarId};
use crate::flow::{DStepId, Element, ElementId, ElementKind};
use crate::tree;
use lariat_base::{IdVec, Span};
use std::collections::{HashMap, HashSet};

/// A piece of a flow graph with one way in and one way out: `exit` still has no `next`, unless it is a jump elsewhere.
#[derive(Clone, Copy)]
pub(super) struct Piece {
    pub(super) entry: ElementId,
    pub(super) exit: ElementId,
}

/// A flow graph being built.
pub(super) struct Builder {
    pub(super) elements: IdVec<ElementId, Element>,
    pub(super) labels: Vec<Label>,
    /// Which of them have the name.
    pub(super) labels_by_name: HashMap<String, Vec<usize>>,
    /// The jumps, with the blocks they stand in.
    pub(super) gotos: Vec<(ElementId, tree::Ident, Vec<u32>)>,
    /// The blocks around, the innermost last, each by its own number.
    pub(super) blocks: Vec<u32>,
    pub(super) block_count: u32,
    /// The `goto`s and `break`s at which control does not rest.
    pub(super) jumps: Vec<ElementId>,
    /// The last elements of `atomic`s that are not inside others.
    pub(super) lasts: HashSet<ElementId>,
    /// Whether this is the text of an `inline`.
    pub(super) in_inline: bool,
    /// Where the outermost of these inlines is called.
    pub(super) called_at: Span,
    /// Where `break` leads, for the loops around.
    pub(super) breaks: Vec<ElementId>,
    /// Whether this is inside an `atomic`.
    pub(super) atomic: bool,
    pub(super) d_step: Option<DStepId>,
    pub(super) d_steps: IdVec<DStepId, ElementId>,
    /// Whether a statement was met: later declarations are statements themselves.
    pub(super) begun: bool,
    pub(super) locals: Vec<VarId>,
    /// The doors of blocks.
    pub(super) doors: HashSet<ElementId>,
    /// What the block that is about to be entered is.
    pub(super) next_atomic: bool,
    pub(super) next_d_step: Option<DStepId>,
}

/// A label. Every block may have one of the same name, so that an `inline` can be used twice.
pub(super) struct Label {
    pub(super) name: String,
    pub(super) target: ElementId,
    pub(super) blocks: Vec<u32>,
    pub(super) span: Span,
    /// Where it is spelled.
    pub(super) spelled: Span,
}

/// The most that is shown of a statement.
const MAX_TEXT_BYTES: usize = 500;

impl Builder {
    /// The labels of this name, in the order of the text.
    pub(super) fn labels_named(&self, name: &str) -> impl DoubleEndedIterator<Item = &Label> {
        self.labels_by_name.get(name).into_iter().flatten().map(|&number| &self.labels[number])
    }

    pub(super) fn new() -> Self {
        Self {
            elements: IdVec::new(),
            labels: Vec::new(),
            labels_by_name: HashMap::new(),
            gotos: Vec::new(),
            jumps: Vec::new(),
            lasts: HashSet::new(),
            blocks: Vec::new(),
            block_count: 0,
            in_inline: false,
            called_at: Span::NONE,
            breaks: Vec::new(),
            atomic: false,
            d_step: None,
            d_steps: IdVec::new(),
            begun: false,
            locals: Vec::new(),
            doors: HashSet::new(),
            next_atomic: false,
            next_d_step: None,
        }
    }

    pub(super) fn add(&mut self, kind: ElementKind, text: impl Into<String>, span: Span) -> ElementId {
        let mut text: String = text.into();
        if text.len() > MAX_TEXT_BYTES {
            text.truncate(text.floor_char_boundary(MAX_TEXT_BYTES));
            text.push('…');
        }
        self.elements.push(Element {
            kind,
            next: None,
            atomic: self.atomic,
            keeps_control: false,
            d_step: self.d_step,
            escapes: Vec::new(),
            text,
            number: None,
            span,
            called_at: self.called_at,
        })
    }

    /// An option or a block that begins with a `goto` or `break` begins with a step: otherwise jumps cost nothing.
    pub(super) fn make_guard(&mut self, entry: ElementId) {
        let mut first = entry;
        while let ElementKind::Branch(options) = &self.elements[first].kind
            && self.doors.contains(&first)
        {
            first = options[0];
        }
        if matches!(self.elements[first].kind, ElementKind::Jump) {
            self.elements[first].kind = ElementKind::Basic(Basic::Condition(Ex::Const(1)));
        }
    }

    /// Makes `to` follow `from`, unless `from` is a jump that already leads elsewhere.
    pub(super) fn link(&mut self, from: ElementId, to: ElementId) {
        self.elements[from].next.get_or_insert(to);
    }

    /// Decides where a process keeps control, when all elements are linked: inside an `atomic`, where what follows stands
    /// inside one.
    pub(super) fn settle_control(&mut self) {
        let mut behind_d_steps: HashMap<DStepId, ElementId> = HashMap::new();
        for element in self.elements.iter() {
            if let (Some(d_step), Some(next)) = (element.d_step, element.next)
                && self.elements.get(next).is_some_and(|next| next.d_step != Some(d_step))
            {
                behind_d_steps.insert(d_step, next);
            }
        }
        let doors: HashMap<ElementId, DStepId> = self.d_steps.entries().map(|(d_step, &door)| (door, d_step)).collect();
        for id in self.elements.ids() {
            let element = &self.elements[id];
            let next = match (&element.kind, doors.get(&id)) {
                (ElementKind::Branch(_), Some(d_step)) => behind_d_steps.get(d_step).copied(),
                _ => element.next,
            };
            let followed = match next {
                Some(next) => self.elements.get(next).is_some_and(|next| next.atomic),
                None => matches!(element.kind, ElementKind::Branch(_)),
            };
            self.elements[id].keeps_control = self.elements[id].atomic && followed;
        }
    }
}
