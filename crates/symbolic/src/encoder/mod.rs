//! The encoder: a system as functions on the bits of its states.
//!
//! A state is a slice of bits, `64 * words` of them, in the order of the [`Layout`]. All that can be asked about a
//! system is a method that takes such a slice and gives a bit, a number or another state. Participants are bound to
//! positions before anything is encoded, so positions are constants; choices are numbers, be they constants or variables.
//!
//! * `value.rs`: expressions, and which cell a place names.
//! * `update.rs`: effects; `well_formed.rs`: which rows of bits are states.
//! * `action.rs`: guards, ranks, traps and labels of one action for one binding.
//! * `contest.rs`: which actions fire, ranks and holder considered.
//!
//! Where a row of bits is not a state ([`Encoder::well_formed`]), nothing is promised about any of the functions.

mod action;
mod contest;
mod update;
mod value;
mod well_formed;

pub use action::Binding;
pub use contest::Contest;

use crate::{BitAlgebra, BitVec};
use lariat_base::IdVec;
use lariat_system::{Choice, ChoiceId, Expr, FrameId, Label, LabelMeaning, Layout, Position, System, TooLarge, Type};
use value::View;

/// The functions of one system over one algebra.
#[derive(Clone, Debug)]
pub struct Encoder<'a, A> {
    /// What is encoded.
    pub system: &'a System,
    /// Which bit of a state means what.
    pub layout: Layout,
    /// What a bit is.
    pub algebra: A,
}

/// A value for a choice.
#[derive(Clone, Debug)]
pub struct ChoiceValue<Bit> {
    /// The value. Means nothing where `in_type` is false.
    pub value: BitVec<Bit>,
    /// Where the value is one of the choice's type. Guards demand it.
    pub in_type: Bit,
}

/// What the encoder gives, if the algebra does not fail.
pub(crate) type Encoded<A, T> = Result<T, <A as BitAlgebra>::Error>;

impl<'a, A: BitAlgebra> Encoder<'a, A> {
    /// The encoder of `system`, which must be valid.
    pub fn new(system: &'a System, algebra: A) -> Result<Self, TooLarge> {
        Ok(Self::of_layout(system, Layout::new(system)?, algebra))
    }
    /// The encoder of `system`, which must be valid and has this layout.
    pub fn of_layout(system: &'a System, layout: Layout, algebra: A) -> Self {
        Self { system, layout, algebra }
    }

    /// The number of bits of a state; some of them may be 0 in every state.
    pub fn state_bits(&self) -> usize {
        self.layout.words * 64
    }
    /// The bits of a state known word by word.
    pub fn state_of(&self, words: &[u64]) -> Vec<A::Bit> {
        let bit = |word: u64, place: usize| self.algebra.constant(word >> place & 1 == 1);
        words.iter().flat_map(|&word| (0..64).map(move |place| bit(word, place))).collect()
    }

    /// How many bits tell the values of a choice of type `ty` apart.
    pub fn choice_bits(&self, ty: Type) -> usize {
        let range = self.system.range(ty);
        64 - (range.hi.wrapping_sub(range.lo) as u64).leading_zeros() as usize
    }
    /// The choice of type `ty` whose offset from the least value is `raw`, [`choice_bits`](Self::choice_bits) many bits
    /// read as a natural number.
    pub fn choice_of_bits(&self, ty: Type, raw: &[A::Bit]) -> Encoded<A, ChoiceValue<A::Bit>> {
        let range = self.system.range(ty);
        let value = BitVec::of_offset(&self.algebra, range, raw)?;
        Ok(ChoiceValue { value, in_type: self.offset_is_in(range, raw)? })
    }
    /// The choice that is `value`, one of its type.
    pub fn choice_of(&self, value: i64) -> ChoiceValue<A::Bit> {
        ChoiceValue { value: BitVec::constant(&self.algebra, value), in_type: self.algebra.constant(true) }
    }
    /// Every valuation of `choices` by constants, in lexicographic order.
    pub fn choice_values(&self, choices: &IdVec<ChoiceId, Choice>) -> Vec<Vec<i64>> {
        let mut valuations = vec![Vec::new()];
        for choice in choices.iter() {
            let range = self.system.range(choice.ty);
            let mut longer = Vec::new();
            for valuation in &valuations {
                for value in range.lo..=range.hi {
                    longer.push([valuation.as_slice(), &[value]].concat());
                }
            }
            valuations = longer;
        }
        valuations
    }
    /// [`choice_of`](Self::choice_of) each of `values`.
    pub fn choices_of(&self, values: &[i64]) -> Vec<ChoiceValue<A::Bit>> {
        values.iter().map(|&value| self.choice_of(value)).collect()
    }

    /// Where a process of `frame` lives at `position`.
    pub fn lives(&self, state: &[A::Bit], frame: FrameId, position: Position) -> Encoded<A, A::Bit> {
        let kind = u64::from(frame.0) + 1;
        let start = self.layout.region(usize::from(position));
        (0..usize::from(self.layout.kind_bits)).try_fold(self.algebra.constant(true), |lives, place| {
            let bit = &state[start + place];
            self.algebra
                .and_then(lives, || if kind >> place & 1 == 1 { Ok(bit.clone()) } else { self.algebra.not(bit) })
        })
    }
    /// Where somebody lives at `position`.
    pub fn is_taken(&self, state: &[A::Bit], position: usize) -> Encoded<A, A::Bit> {
        let start = self.layout.region(position);
        (0..usize::from(self.layout.kind_bits)).try_fold(self.algebra.constant(false), |taken, place| {
            self.algebra.or_else(taken, || Ok(state[start + place].clone()))
        })
    }
    /// Where exactly `count` processes live.
    pub fn count_is(&self, state: &[A::Bit], count: usize) -> Encoded<A, A::Bit> {
        // The living stand at `0..count`, so two neighbours tell.
        let below = if count == 0 { self.algebra.constant(true) } else { self.is_taken(state, count - 1)? };
        if count == self.layout.positions {
            return Ok(below);
        }
        self.algebra.and_then(below, || self.algebra.not(&self.is_taken(state, count)?))
    }

    /// Where the state label holds; nowhere for a step label.
    pub fn state_label(&self, state: &[A::Bit], label: &Label) -> Encoded<A, A::Bit> {
        match &label.meaning {
            LabelMeaning::State(expr) => self.state_holds(expr, state),
            LabelMeaning::Step | LabelMeaning::By(_) | LabelMeaning::Acting(_) => Ok(self.algebra.constant(false)),
        }
    }
    /// Where every invariant holds.
    pub fn invariants(&self, state: &[A::Bit]) -> Encoded<A, A::Bit> {
        self.all_hold(&self.system.invariants, View { state, roles: &[], choices: &[] })
    }
    /// Where a run may properly end.
    pub fn proper_end(&self, state: &[A::Bit]) -> Encoded<A, A::Bit> {
        self.state_holds(&self.system.proper_end, state)
    }
    /// Where an expression without roles and choices holds.
    pub fn state_holds(&self, expr: &Expr, state: &[A::Bit]) -> Encoded<A, A::Bit> {
        self.holds(expr, View { state, roles: &[], choices: &[] })
    }

    /// Every slot at its initial value, nobody alive: where initial states are computed from.
    pub fn blank(&self) -> Vec<A::Bit> {
        let mut words = vec![0; self.layout.words];
        for (slot, field) in self.system.slots.iter().zip(self.layout.slots.iter()) {
            (0..slot.cells()).for_each(|cell| field.set(&mut words, 0, cell, slot.initial_of(cell)));
        }
        self.state_of(&words)
    }
    /// The initial state for these choices. Exists where [`initial_guard`](Self::initial_guard) holds.
    pub fn initial_state(&self, choices: &[ChoiceValue<A::Bit>]) -> Encoded<A, Vec<A::Bit>> {
        let blank = self.blank();
        self.updated(&self.system.init.updates, View { state: &blank, roles: &[], choices })
    }
    /// Where these choices give an initial state. Reads the choices alone.
    pub fn initial_guard(&self, choices: &[ChoiceValue<A::Bit>]) -> Encoded<A, A::Bit> {
        let blank = self.blank();
        let init = &self.system.init;
        let view = View { state: &blank, roles: &[], choices };
        let in_type = self.in_type(choices)?;
        let guard = self.algebra.and_then(in_type, || self.all_hold(&init.guard, view))?;
        let room = self.algebra.and_then(guard, || self.algebra.not(&self.finds_no_room(&init.updates, &blank)?))?;
        self.algebra.and_then(room, || self.invariants(&self.updated(&init.updates, view)?))
    }
    /// The conjuncts of [`initial_guard`](Self::initial_guard), each a function of its own.
    pub fn initial_conjuncts(&self, choices: &[ChoiceValue<A::Bit>]) -> Encoded<A, Vec<A::Bit>> {
        let blank = self.blank();
        let init = &self.system.init;
        let view = View { state: &blank, roles: &[], choices };
        let mut conjuncts: Vec<A::Bit> = choices.iter().map(|choice| choice.in_type.clone()).collect();
        for condition in &init.guard {
            conjuncts.push(self.holds(condition, view)?);
        }
        conjuncts.push(self.algebra.not(&self.finds_no_room(&init.updates, &blank)?)?);
        let state = self.updated(&init.updates, view)?;
        for invariant in &self.system.invariants {
            conjuncts.push(self.state_holds(invariant, &state)?);
        }
        Ok(conjuncts)
    }
    /// Where `state` is an initial one: some valuation of the choices gives it.
    pub fn is_initial(&self, state: &[A::Bit]) -> Encoded<A, A::Bit> {
        let mut initial = self.algebra.constant(false);
        for values in self.choice_values(&self.system.init.choices) {
            let choices = self.choices_of(&values);
            let same = self.algebra.and_then(self.initial_guard(&choices)?, || {
                let given = self.initial_state(&choices)?;
                state.iter().zip(&given).try_fold(self.algebra.constant(true), |same, (a, b)| {
                    self.algebra.and_then(same, || self.algebra.not(&self.algebra.xor(a, b)?))
                })
            })?;
            initial = self.algebra.or_else(initial, || Ok(same))?;
        }
        Ok(initial)
    }

    pub(super) fn in_type(&self, choices: &[ChoiceValue<A::Bit>]) -> Encoded<A, A::Bit> {
        choices.iter().try_fold(self.algebra.constant(true), |all, choice| {
            self.algebra.and_then(all, || Ok(choice.in_type.clone()))
        })
    }
}
