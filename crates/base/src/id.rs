//! Typed numbers: a `SlotId` cannot be used where an `ActionId` is meant.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

/// A number that names one element of one kind of list. Made by [`define_id!`](crate::define_id).
pub trait Id: Copy + Eq + Ord {
    /// The id of the element at `index`.
    fn new(index: usize) -> Self;
    /// Where the element stands in its list.
    fn index(self) -> usize;
}

/// Declares a 32-bit id type.
#[macro_export]
macro_rules! define_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub struct $name(pub u32);

        impl $crate::Id for $name {
            fn new(index: usize) -> Self {
                Self(u32::try_from(index).expect("a list of fewer than 2^32 elements"))
            }
            fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}

/// A list whose elements are named by ids of one type.
#[derive(Clone, PartialEq, Eq)]
pub struct IdVec<I, T> {
    items: Vec<T>,
    id: PhantomData<fn(I) -> I>,
}

impl<I: Id, T> IdVec<I, T> {
    /// The empty list.
    pub const fn new() -> Self {
        Self { items: Vec::new(), id: PhantomData }
    }
    /// Appends `item` and returns its id.
    pub fn push(&mut self, item: T) -> I {
        self.items.push(item);
        I::new(self.items.len() - 1)
    }
    /// The number of elements.
    pub fn len(&self) -> usize {
        self.items.len()
    }
    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }
    /// The element, if the id names one of this list.
    pub fn get(&self, id: I) -> Option<&T> {
        self.items.get(id.index())
    }
    /// The element, to be changed, if the id names one of this list.
    pub fn get_mut(&mut self, id: I) -> Option<&mut T> {
        self.items.get_mut(id.index())
    }
    /// The ids, in order.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = I> + ExactSizeIterator + use<I, T> {
        (0..self.items.len()).map(I::new)
    }
    /// The elements, in order.
    pub fn iter(&self) -> std::slice::Iter<'_, T> {
        self.items.iter()
    }
    /// The elements, in order, to be changed.
    pub fn iter_mut(&mut self) -> std::slice::IterMut<'_, T> {
        self.items.iter_mut()
    }
    /// Ids with their elements, in order.
    pub fn entries(&self) -> impl DoubleEndedIterator<Item = (I, &T)> + ExactSizeIterator {
        self.items.iter().enumerate().map(|(index, item)| (I::new(index), item))
    }
    /// The elements as a plain slice.
    pub fn as_slice(&self) -> &[T] {
        &self.items
    }
    /// Keeps the first `len` elements.
    pub fn truncate(&mut self, len: usize) {
        self.items.truncate(len);
    }
    /// Removes the element; later ones move down and change their ids.
    pub fn remove(&mut self, id: I) -> T {
        self.items.remove(id.index())
    }
}

impl<I: Id, T> Default for IdVec<I, T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<I: Id, T> Index<I> for IdVec<I, T> {
    type Output = T;
    fn index(&self, id: I) -> &T {
        &self.items[id.index()]
    }
}

impl<I: Id, T> IndexMut<I> for IdVec<I, T> {
    fn index_mut(&mut self, id: I) -> &mut T {
        &mut self.items[id.index()]
    }
}

impl<I: Id, T> FromIterator<T> for IdVec<I, T> {
    fn from_iter<S: IntoIterator<Item = T>>(items: S) -> Self {
        Self { items: items.into_iter().collect(), id: PhantomData }
    }
}

impl<I, T: fmt::Debug> fmt::Debug for IdVec<I, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.items.fmt(f)
    }
}
