//! Slots: the typed finite fields a state is made of.

use crate::{HALF_BITS, Half, Position};
use lariat_base::{IdVec, Span, define_id};

define_id! {
    /// A slot that exists once.
    SlotId
}
define_id! {
    /// A slot that every process of one frame has.
    LocalId
}
define_id! {
    /// A kind of process.
    FrameId
}
define_id! {
    /// A type with named values.
    EnumId
}

/// The values a slot or a choice can have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Type {
    /// 0 or 1.
    Bool,
    /// A whole number, both ends included.
    Int {
        /// The least value.
        lo: i64,
        /// The greatest value.
        hi: i64,
    },
    /// A whole number in the range of an [`EnumType`], shown by name where it has one.
    Enum(EnumId),
}

/// A range of whole numbers, some or all of which have names.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EnumType {
    /// A name to show to people.
    pub name: String,
    /// The least value.
    pub lo: i64,
    /// The greatest value.
    pub hi: i64,
    /// The named values.
    pub variants: Vec<Variant>,
}

impl EnumType {
    /// The type of words of SMV: numbers of so many bits, which people write with their width.
    pub fn word(signed: bool, width: u32) -> Self {
        let name = format!("{} word[{width}]", if signed { "signed" } else { "unsigned" });
        let (lo, hi) = word_bounds(signed, width);
        Self { name, lo, hi, variants: Vec::new() }
    }
    /// The type of a half of a word of SMV that is wider than a value: numbers of the low 32 bits, or of those above. A slot of
    /// two cells of the low half's type is such a word, the low half first; so are two choices, one after the other, of the
    /// types of its low and its high half.
    pub fn half_of_word(signed: bool, width: u32, half: Half) -> Self {
        let (bits, half) = match half {
            Half::Low => (HALF_BITS, "low"),
            Half::High => (width - HALF_BITS, "high"),
        };
        let name = format!("{half} half of {} word[{width}]", if signed { "signed" } else { "unsigned" });
        Self { name, lo: 0, hi: (1 << bits) - 1, variants: Vec::new() }
    }
    /// Whether it is a type of halves of words: signed or not, the width, and which half.
    pub fn as_half_of_word(&self) -> Option<(bool, u32, Half)> {
        let (half, word) = self.name.split_once(" half of ")?;
        let (kind, width) = word.strip_suffix(']')?.split_once(" word[")?;
        let width: u32 = width.parse().ok().filter(|width| (HALF_BITS + 1..=2 * HALF_BITS).contains(width))?;
        let half = if half == "low" { Half::Low } else { Half::High };
        (*self == Self::half_of_word(kind == "signed", width, half)).then_some((kind == "signed", width, half))
    }
    /// Whether it is a type of words: signed or not, and the width. A type is one by its name and range.
    pub fn as_word(&self) -> Option<(bool, u32)> {
        let (kind, width) = self.name.strip_suffix(']')?.split_once(" word[")?;
        let width: u32 = width.parse().ok().filter(|width| (1..=62).contains(width))?;
        let signed = match kind {
            "signed" => true,
            "unsigned" => false,
            _ => return None,
        };
        (word_bounds(signed, width) == (self.lo, self.hi)).then_some((signed, width))
    }
}

/// The least and the greatest word.
fn word_bounds(signed: bool, width: u32) -> (i64, i64) {
    match signed {
        true => (-(1 << (width - 1)), (1 << (width - 1)) - 1),
        false => (0, (1 << width) - 1),
    }
}

/// A named value of an [`EnumType`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variant {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: i64,
}

/// A field of the state: one value, or a fixed number of values of one type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Slot {
    /// Its name; dots for parts of structures, as in `m.seq`.
    pub name: String,
    /// What each cell can hold.
    pub ty: Type,
    /// `None` for a single cell, else the number of cells.
    pub len: Option<u32>,
    /// Of an array that lies in structures, how its cells are numbered: the arrays on the way, the outermost first, each by where in the
    /// name its index stands and by its length. Empty where the index stands behind the name. The text form does not have it.
    pub shape: Vec<(usize, u32)>,
    /// The initial value of every cell: one value for all, or one for each.
    pub initial: Vec<i64>,
    /// Whether people want to see it in a trace. Program counters and the like are not shown.
    pub shown: bool,
    /// Where it was declared.
    pub span: Span,
}

impl Slot {
    /// A single cell that begins with `initial`.
    pub fn new(name: impl Into<String>, ty: Type, initial: i64) -> Self {
        Self {
            name: name.into(),
            ty,
            len: None,
            shape: Vec::new(),
            initial: vec![initial],
            shown: true,
            span: Span::NONE,
        }
    }
    /// `len` cells that all begin with `initial`.
    pub fn array(name: impl Into<String>, ty: Type, len: u32, initial: i64) -> Self {
        Self { len: Some(len), ..Self::new(name, ty, initial) }
    }
    /// What people call a cell: `a`, `a[2]`, and `t[1].v[0]` in an array of structures.
    pub fn cell_name(&self, cell: usize) -> String {
        if self.len.is_none() {
            return self.name.clone();
        }
        if self.shape.is_empty() {
            return format!("{}[{cell}]", self.name);
        }
        let mut name = self.name.clone();
        let mut rest = cell;
        for &(at, len) in self.shape.iter().rev() {
            let index = rest % len.max(1) as usize;
            rest /= len.max(1) as usize;
            name.insert_str(at, &format!("[{index}]"));
        }
        name
    }
    /// Keeps the slot out of traces.
    #[must_use]
    pub fn hidden(self) -> Self {
        Self { shown: false, ..self }
    }
    /// The number of cells.
    pub fn cells(&self) -> usize {
        self.len.map_or(1, |len| len as usize)
    }
    /// The initial value of a cell.
    pub fn initial_of(&self, cell: usize) -> i64 {
        if self.initial.len() == 1 { self.initial[0] } else { self.initial[cell] }
    }
}

/// A kind of process: the slots that each of its instances has at its position of the pool.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Frame {
    /// Its name, as in `proctype`.
    pub name: String,
    /// The slots of an instance.
    pub slots: IdVec<LocalId, Slot>,
    /// The slot that says where control is. Fast evaluators dispatch on it.
    pub control: Option<LocalId>,
    /// Where it was declared.
    pub span: Span,
}

/// Slots that together are a channel. It has no meaning of its own: it tells how to show their contents to people.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Queue {
    /// Its name, as in `q[1]`.
    pub name: String,
    /// For a channel of a process: it exists while a process of this frame lives at this position.
    pub owner: Option<(FrameId, Position)>,
    /// The most messages.
    pub capacity: u32,
    /// The slot that counts the messages.
    pub len: SlotId,
    /// Which cell of it; field `f` of the message `k` places from the head is cell `number * capacity + k` of the slot
    /// `fields[f]`.
    pub number: u32,
    /// The fields of a message.
    pub fields: Vec<SlotId>,
    /// Where it was declared.
    pub span: Span,
}
