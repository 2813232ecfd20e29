//! States as words.

/// A value that is written into a fixed number of bits.
///
/// Laws: [`pack`](Self::pack) writes exactly [`BITS`](Self::BITS) bits, and [`unpack`](Self::unpack) reads as many and gives an
/// equal value back. So different values have different bits, and engines that compare bits compare values.
///
/// Truth values, integers, tuples, arrays and options are packed. [`packed!`](crate::packed) makes structs and enums that are,
/// and [`List`] is a list with a bound.
pub trait Pack: Sized {
    /// How many bits a value takes.
    const BITS: u32;
    /// Whether the first law holds by construction, so that a search does not have to look at each state: for types of this crate, and
    /// those of [`packed!`](crate::packed) made of such. What packs itself is checked.
    #[doc(hidden)]
    const BY_CONSTRUCTION: bool = false;
    /// Writes it.
    fn pack(&self, to: &mut Packer<'_>);
    /// Reads it.
    fn unpack(from: &mut Unpacker<'_>) -> Self;
}

/// Words that are written bit by bit.
#[derive(Debug)]
pub struct Packer<'a> {
    words: &'a mut [u64],
    at: u32,
}

impl<'a> Packer<'a> {
    /// Begins with the first bit of these words, which are zero.
    #[inline]
    pub(super) fn new(words: &'a mut [u64]) -> Self {
        Self { words, at: 0 }
    }

    /// Writes the lowest bits of a value; the others are zero.
    // Inlined into the program with the model, where the widths are known and most of this is computed by the compiler.
    #[inline]
    pub fn write(&mut self, value: u64, bits: u32) {
        debug_assert!(bits == 64 || value >> bits == 0, "{value} has more than {bits} bits");
        if bits == 0 {
            return;
        }
        let (word, bit) = ((self.at / 64) as usize, self.at % 64);
        self.words[word] |= value << bit;
        if bit + bits > 64 {
            self.words[word + 1] |= value >> (64 - bit);
        }
        self.at += bits;
    }

    /// Writes zeros.
    #[inline]
    fn skip(&mut self, bits: u32) {
        self.at += bits;
    }

    /// How many bits were written.
    #[inline]
    pub(super) fn written(&self) -> u32 {
        self.at
    }
}

/// Words that are read bit by bit.
#[derive(Debug)]
pub struct Unpacker<'a> {
    words: &'a [u64],
    at: u32,
}

impl<'a> Unpacker<'a> {
    /// Begins with the first bit of these words.
    #[inline]
    pub(super) fn new(words: &'a [u64]) -> Self {
        Self { words, at: 0 }
    }

    /// Reads some bits.
    #[inline]
    pub fn read(&mut self, bits: u32) -> u64 {
        if bits == 0 {
            return 0;
        }
        let (word, bit) = ((self.at / 64) as usize, self.at % 64);
        let mut value = self.words[word] >> bit;
        if bit + bits > 64 {
            value |= self.words[word + 1] << (64 - bit);
        }
        self.at += bits;
        if bits < 64 { value & ((1 << bits) - 1) } else { value }
    }

    /// Passes over bits.
    #[inline]
    fn skip(&mut self, bits: u32) {
        self.at += bits;
    }
}

impl Pack for bool {
    const BITS: u32 = 1;
    const BY_CONSTRUCTION: bool = true;
    #[inline]
    fn pack(&self, to: &mut Packer<'_>) {
        to.write(u64::from(*self), 1);
    }
    #[inline]
    fn unpack(from: &mut Unpacker<'_>) -> Self {
        from.read(1) == 1
    }
}

macro_rules! integers {
    ($($signed:ty as $unsigned:ty),+) => {$(
        impl Pack for $unsigned {
            const BITS: u32 = <$unsigned>::BITS;
            const BY_CONSTRUCTION: bool = true;
            #[inline]
            fn pack(&self, to: &mut Packer<'_>) {
                to.write(u64::from(*self), <$unsigned>::BITS);
            }
            #[inline]
            fn unpack(from: &mut Unpacker<'_>) -> Self {
                from.read(<$unsigned>::BITS) as $unsigned
            }
        }

        impl Pack for $signed {
            const BITS: u32 = <$signed>::BITS;
            const BY_CONSTRUCTION: bool = true;
            #[inline]
            fn pack(&self, to: &mut Packer<'_>) {
                self.cast_unsigned().pack(to);
            }
            #[inline]
            fn unpack(from: &mut Unpacker<'_>) -> Self {
                <$unsigned>::unpack(from).cast_signed()
            }
        }
    )+};
}

integers!(i8 as u8, i16 as u16, i32 as u32, i64 as u64);

impl<T: Pack> Pack for Option<T> {
    const BITS: u32 = 1 + T::BITS;
    const BY_CONSTRUCTION: bool = T::BY_CONSTRUCTION;
    fn pack(&self, to: &mut Packer<'_>) {
        self.is_some().pack(to);
        match self {
            Some(value) => value.pack(to),
            None => to.skip(T::BITS),
        }
    }
    fn unpack(from: &mut Unpacker<'_>) -> Self {
        if bool::unpack(from) {
            return Some(T::unpack(from));
        }
        from.skip(T::BITS);
        None
    }
}

impl<T: Pack, const N: usize> Pack for [T; N] {
    const BITS: u32 = T::BITS * N as u32;
    const BY_CONSTRUCTION: bool = T::BY_CONSTRUCTION;
    fn pack(&self, to: &mut Packer<'_>) {
        self.iter().for_each(|value| value.pack(to));
    }
    fn unpack(from: &mut Unpacker<'_>) -> Self {
        std::array::from_fn(|_| T::unpack(from))
    }
}

impl Pack for () {
    const BITS: u32 = 0;
    const BY_CONSTRUCTION: bool = true;
    fn pack(&self, _: &mut Packer<'_>) {}
    fn unpack(_: &mut Unpacker<'_>) -> Self {}
}

macro_rules! tuples {
    ($(($($name:ident),*)),+ $(,)?) => {$(
        impl<$($name: Pack),*> Pack for ($($name,)*) {
            const BITS: u32 = 0 $(+ $name::BITS)*;
            const BY_CONSTRUCTION: bool = true $(&& $name::BY_CONSTRUCTION)*;
            #[allow(non_snake_case)]
            fn pack(&self, to: &mut Packer<'_>) {
                let ($($name,)*) = self;
                $($name.pack(to);)*
            }
            fn unpack(from: &mut Unpacker<'_>) -> Self {
                ($($name::unpack(from),)*)
            }
        }
    )+};
}

tuples!((A), (A, B), (A, B, C), (A, B, C, D), (A, B, C, D, E), (A, B, C, D, E, F));

/// A list of at most `N` elements.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct List<T, const N: usize> {
    items: Vec<T>,
}

impl<T, const N: usize> List<T, N> {
    /// The empty list.
    pub const fn new() -> Self {
        Self { items: Vec::new() }
    }
    /// Adds an element at the end; `false` if the list is full, and then it stays as it is.
    #[must_use]
    pub fn push(&mut self, item: T) -> bool {
        let fits = self.items.len() < N;
        if fits {
            self.items.push(item);
        }
        fits
    }
    /// Takes the element of this number out.
    pub fn remove(&mut self, number: usize) -> T {
        self.items.remove(number)
    }
    /// The elements.
    pub fn as_slice(&self) -> &[T] {
        &self.items
    }
}

impl<T, const N: usize> Default for List<T, N> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: Pack, const N: usize> Pack for List<T, N> {
    const BITS: u32 = 32 + T::BITS * N as u32;
    const BY_CONSTRUCTION: bool = T::BY_CONSTRUCTION;
    fn pack(&self, to: &mut Packer<'_>) {
        (self.items.len() as u32).pack(to);
        self.items.iter().for_each(|item| item.pack(to));
        to.skip(T::BITS * (N - self.items.len()) as u32);
    }
    fn unpack(from: &mut Unpacker<'_>) -> Self {
        let len = u32::unpack(from) as usize;
        let items = (0..len).map(|_| T::unpack(from)).collect();
        from.skip(T::BITS * (N - len) as u32);
        Self { items }
    }
}

/// Declares structs whose fields are packed, and enums whose variants have no fields, and packs them.
///
/// ```
/// lariat::packed! {
///     #[derive(Clone, Copy, PartialEq, Eq, Debug)]
///     pub enum Light { Red, Amber, Green }
/// }
/// lariat::packed! {
///     #[derive(Clone, PartialEq, Eq, Debug)]
///     pub struct Crossing<const N: usize> {
///         lights: [Light; N],
///         waiting: u8,
///     }
/// }
/// assert_eq!(<Crossing<3> as lariat::rust::Pack>::BITS, 14);
/// ```
#[macro_export]
macro_rules! packed {
    (
        $(#[$meta:meta])* $visible:vis struct $name:ident $(<const $size:ident: usize>)? {
            $($(#[$of_field:meta])* $field_visible:vis $field:ident: $type:ty),* $(,)?
        }
    ) => {
        $(#[$meta])*
        $visible struct $name $(<const $size: usize>)? {
            $($(#[$of_field])* $field_visible $field: $type,)*
        }

        impl $(<const $size: usize>)? $crate::rust::Pack for $name $(<$size>)? {
            const BITS: u32 = 0 $(+ <$type as $crate::rust::Pack>::BITS)*;
            const BY_CONSTRUCTION: bool = true $(&& <$type as $crate::rust::Pack>::BY_CONSTRUCTION)*;
            #[inline]
            fn pack(&self, to: &mut $crate::rust::Packer<'_>) {
                $($crate::rust::Pack::pack(&self.$field, to);)*
            }
            #[inline]
            fn unpack(from: &mut $crate::rust::Unpacker<'_>) -> Self {
                Self { $($field: $crate::rust::Pack::unpack(from),)* }
            }
        }
    };
    (
        $(#[$meta:meta])* $visible:vis enum $name:ident { $($(#[$of_variant:meta])* $variant:ident),+ $(,)? }
    ) => {
        $(#[$meta])*
        $visible enum $name { $($(#[$of_variant])* $variant,)+ }

        impl $crate::rust::Pack for $name {
            const BITS: u32 = usize::BITS - ([$(stringify!($variant)),+].len() - 1).leading_zeros();
            const BY_CONSTRUCTION: bool = true;
            #[inline]
            fn pack(&self, to: &mut $crate::rust::Packer<'_>) {
                let number = match self { $(Self::$variant => Self::$variant as u64,)+ };
                to.write(number, <Self as $crate::rust::Pack>::BITS);
            }
            #[inline]
            fn unpack(from: &mut $crate::rust::Unpacker<'_>) -> Self {
                let number = from.read(<Self as $crate::rust::Pack>::BITS);
                $(if number == Self::$variant as u64 {
                    return Self::$variant;
                })+
                unreachable!("{number} was packed for {}", stringify!($name))
            }
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fmt::Debug;

    crate::packed! {
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        enum Kind { A, B, C, D, E }
    }
    crate::packed! {
        #[derive(Clone, PartialEq, Eq, Debug)]
        struct Pair<const N: usize> { kinds: [Kind; N], number: i32, more: List<Option<u16>, 3> }
    }

    fn returns<T: Pack + PartialEq + Debug>(value: &T) -> Vec<u64> {
        let mut words = vec![0; T::BITS.div_ceil(64) as usize];
        let mut packer = Packer::new(&mut words);
        value.pack(&mut packer);
        assert_eq!(packer.written(), T::BITS, "{value:?}");
        assert_eq!(T::unpack(&mut Unpacker::new(&words)), *value);
        words
    }

    #[test]
    fn what_is_packed_comes_back() {
        for number in [0, 1, -1, i64::MIN, i64::MAX] {
            returns(&(true, number, number as i8, number as u32));
        }
        returns(&(None::<(u64, bool)>, Some((u64::MAX, true))));
        returns(&());
        let mut more = List::new();
        for item in [Some(7), None, Some(u16::MAX)] {
            let pair = Pair { kinds: [Kind::E, Kind::A, Kind::C], number: -5, more: more.clone() };
            returns(&pair);
            assert!(more.push(item));
        }
        assert!(!more.push(None), "it is full");
        assert_eq!(more.remove(0), Some(7));
        assert_eq!(more.as_slice(), [None, Some(u16::MAX)]);
    }

    #[test]
    fn different_values_have_different_bits() {
        let kinds = [Kind::A, Kind::B, Kind::C, Kind::D, Kind::E];
        let words: std::collections::HashSet<Vec<u64>> = kinds.iter().map(returns).collect();
        assert_eq!((words.len(), Kind::BITS), (5, 3));
        assert_ne!(returns(&Some(false)), returns(&None::<bool>));
    }
}
