//! Zeroed memory for tables, on large pages where the system has them; the one place that handles raw memory.
//!
//! A table of a hundred megabytes that is read at random misses the address cache of the processor almost every time with
//! pages of 4 KiB, and almost never with pages of 2 MiB. On Linux, memory of at least that size is mapped for itself, begins
//! at a multiple of 2 MiB and is marked for large pages. Memory that was never touched is not resident.

#![expect(unsafe_code, reason = "zeroed memory seen as atomics, and hints to the processor")]

use crate::{Budget, Full};
use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU8, AtomicU32, AtomicU64};

/// The size of a large page.
pub(crate) const LARGE_PAGE_BYTES: usize = 2 << 20;
const LINE_BYTES: usize = 64;
/// What memory costs beside what is in it.
const OVERHEAD_BYTES: u64 = 64;

/// What can lie in a [`Slab`].
///
/// # Safety
/// Zero bytes are a value, and nothing happens when it is dropped.
pub(crate) unsafe trait Cell {}
// SAFETY: an atomic is an integer, and zero is one.
unsafe impl Cell for AtomicU8 {}
// SAFETY: as above.
unsafe impl Cell for AtomicU32 {}
// SAFETY: as above.
unsafe impl Cell for AtomicU64 {}

/// A fixed number of cells, zero at first, that begin at a multiple of 64 bytes.
pub(crate) struct Slab<T: Cell> {
    cells: NonNull<T>,
    len: usize,
    backing: Backing,
}

enum Backing {
    Heap(Layout),
    /// Unmapped when dropped.
    #[cfg(target_os = "linux")]
    #[expect(dead_code, reason = "owned, and reached through `cells`")]
    Map(memmap2::MmapMut),
}

// SAFETY: a slab owns its cells as a box would, and shares them as a shared slice would.
unsafe impl<T: Cell + Send> Send for Slab<T> {}
// SAFETY: as above.
unsafe impl<T: Cell + Sync> Sync for Slab<T> {}

impl<T: Cell> Slab<T> {
    /// Memory for `len` cells; `None` if there is none left.
    pub(crate) fn new(len: usize) -> Option<Self> {
        Self::with_pages(len, true)
    }
    /// The same, for a table of which perhaps little will ever be touched, here and there: on pages of the usual size, so
    /// that no more becomes resident.
    pub(crate) fn sparse(len: usize) -> Option<Self> {
        Self::with_pages(len, false)
    }

    fn with_pages(len: usize, large: bool) -> Option<Self> {
        let layout = Layout::array::<T>(len.max(1)).ok()?.align_to(LINE_BYTES).ok()?;
        #[cfg(target_os = "linux")]
        if layout.size() >= LARGE_PAGE_BYTES && !cfg!(miri) {
            return Self::mapped(len, layout.size(), large);
        }
        // SAFETY: the layout's size is not zero, as there is at least one cell and no cell is of size zero.
        let cells = NonNull::new(unsafe { alloc_zeroed(layout) })?.cast();
        Some(Self { cells, len, backing: Backing::Heap(layout) })
    }

    #[cfg(target_os = "linux")]
    fn mapped(len: usize, bytes: usize, large: bool) -> Option<Self> {
        // What lies before the first multiple is never touched, so it is not resident.
        let mut map = memmap2::MmapMut::map_anon(bytes.checked_add(LARGE_PAGE_BYTES)?).ok()?;
        let offset = map.as_ptr().align_offset(LARGE_PAGE_BYTES);
        // A system without large pages refuses, and pages of the usual size will do.
        let advice = if large { memmap2::Advice::HugePage } else { memmap2::Advice::NoHugePage };
        let _ = map.advise_range(advice, offset, bytes);
        let cells = NonNull::new(map[offset..][..bytes].as_mut_ptr())?.cast();
        Some(Self { cells, len, backing: Backing::Map(map) })
    }

    /// Makes all cells zero again. What was touched is given back to the system, where it is much.
    pub(crate) fn erase(&mut self) {
        if size_of_val(&**self) >= LARGE_PAGE_BYTES
            && let Some(fresh) = Self::sparse(self.len)
        {
            *self = fresh;
            return;
        }
        // SAFETY: there are `len` cells, `self` is borrowed alone, zero bytes are a value of theirs, and nothing happens
        // when the values that were there are forgotten.
        unsafe { std::ptr::write_bytes(self.cells.as_ptr(), 0, self.len) };
    }

    /// What `len` cells cost.
    pub(crate) fn cost_bytes(len: usize) -> u64 {
        (len * size_of::<T>()) as u64 + OVERHEAD_BYTES
    }
}

impl<T: Cell> Deref for Slab<T> {
    type Target = [T];
    fn deref(&self) -> &[T] {
        // SAFETY: `cells` points to `len` cells, aligned and zero at first, which is a value of theirs. They are freed
        // when `self` is dropped, no earlier, and only lent through `self`.
        unsafe { std::slice::from_raw_parts(self.cells.as_ptr(), self.len) }
    }
}

impl<T: Cell> DerefMut for Slab<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: as for `deref`, and `self` is borrowed alone.
        unsafe { std::slice::from_raw_parts_mut(self.cells.as_ptr(), self.len) }
    }
}

impl<T: Cell> Drop for Slab<T> {
    fn drop(&mut self) {
        match &self.backing {
            // SAFETY: it was allocated with this layout. Nothing needs to be done for the cells themselves.
            Backing::Heap(layout) => unsafe { dealloc(self.cells.as_ptr().cast(), *layout) },
            #[cfg(target_os = "linux")]
            Backing::Map(_) => {}
        }
    }
}

impl<T: Cell> fmt::Debug for Slab<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Slab of {}", self.len)
    }
}

/// Memory taken from a budget, given back when dropped.
#[derive(Debug)]
pub(crate) struct Receipt<'b> {
    budget: &'b Budget,
    bytes: u64,
}

impl<'b> Receipt<'b> {
    pub(crate) fn new(budget: &'b Budget) -> Self {
        Self { budget, bytes: 0 }
    }
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }
    pub(crate) fn budget(&self) -> &'b Budget {
        self.budget
    }
    pub(crate) fn add(&mut self, bytes: u64) -> Result<(), Full> {
        self.budget.take(bytes)?;
        self.bytes += bytes;
        Ok(())
    }
    pub(crate) fn subtract(&mut self, bytes: u64) {
        self.bytes = self.bytes.checked_sub(bytes).expect("no more is given back than was taken");
        self.budget.give_back(bytes);
    }
    /// A slab, paid for. An allocator that has nothing left is a full budget.
    pub(crate) fn buy<T: Cell>(&mut self, len: usize) -> Result<Slab<T>, Full> {
        self.pay_for(len, Slab::new)
    }
    /// The same, for a [sparse](Slab::sparse) one.
    pub(crate) fn buy_sparse<T: Cell>(&mut self, len: usize) -> Result<Slab<T>, Full> {
        self.pay_for(len, Slab::sparse)
    }

    fn pay_for<T: Cell>(&mut self, len: usize, make: impl Fn(usize) -> Option<Slab<T>>) -> Result<Slab<T>, Full> {
        let cost_bytes = Slab::<T>::cost_bytes(len);
        self.add(cost_bytes)?;
        make(len).ok_or_else(|| {
            self.subtract(cost_bytes);
            self.full()
        })
    }
    pub(crate) fn full(&self) -> Full {
        Full { limit_bytes: self.budget.limit_bytes() }
    }
}

impl Drop for Receipt<'_> {
    fn drop(&mut self) {
        self.budget.give_back(self.bytes);
    }
}

/// The words as bytes, the low ones first.
#[cfg(target_endian = "little")]
#[inline]
pub(crate) fn bytes_of(words: &[u64]) -> &[u8] {
    // SAFETY: the bytes are those of the words, which are initialized, lent as long, and need no greater alignment.
    unsafe { std::slice::from_raw_parts(words.as_ptr().cast(), size_of_val(words)) }
}

/// Tells the processor that `cell` will be needed soon. It means nothing; without it the same happens, later.
#[inline(always)]
pub(crate) fn prefetch<T>(cell: &T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a hint reads nothing, and all processors of this kind know it.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(cell).cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = cell;
}

/// Which of the cells are `wanted`: a bit for each. They begin at a multiple of 64 bytes, as a [`Slab`] does.
#[inline(always)]
pub(crate) fn line_matches(line: &[AtomicU32; 16], wanted: u32) -> u32 {
    debug_assert_eq!(std::ptr::from_ref(line) as usize % LINE_BYTES, 0);
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    {
        let found: u32;
        // All sixteen at once: where in its bucket an entry stands cannot be guessed, and a loop would guess wrong almost
        // every time.
        // SAFETY: it reads the 64 bytes of `line`, which are aligned as the instructions want, and writes nothing. Such a
        // load sees each aligned integer whole, and on this processor no later load comes before it.
        unsafe {
            std::arch::asm!(
                "movd {all}, {wanted:e}",
                "pshufd {all}, {all}, 0",
                "movdqa {a}, [{line}]",
                "movdqa {b}, [{line} + 16]",
                "movdqa {c}, [{line} + 32]",
                "movdqa {d}, [{line} + 48]",
                "pcmpeqd {a}, {all}",
                "pcmpeqd {b}, {all}",
                "pcmpeqd {c}, {all}",
                "pcmpeqd {d}, {all}",
                "packssdw {a}, {b}",
                "packssdw {c}, {d}",
                "packsswb {a}, {c}",
                "pmovmskb {found:e}, {a}",
                line = in(reg) line.as_ptr(),
                wanted = in(reg) wanted,
                all = out(xmm_reg) _,
                a = out(xmm_reg) _,
                b = out(xmm_reg) _,
                c = out(xmm_reg) _,
                d = out(xmm_reg) _,
                found = lateout(reg) found,
                options(readonly, nostack, preserves_flags),
            );
        }
        found
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    line_matches_one_by_one(line, wanted)
}

/// What [`line_matches`] means.
#[cfg(any(test, miri, not(target_arch = "x86_64")))]
fn line_matches_one_by_one(line: &[AtomicU32; 16], wanted: u32) -> u32 {
    let is_wanted = |cell: &AtomicU32| u32::from(cell.load(std::sync::atomic::Ordering::Acquire) == wanted);
    line.iter().enumerate().map(|(number, cell)| is_wanted(cell) << number).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::Ordering;

    /// A slab is what a vector of atomics is.
    #[test]
    fn a_slab_is_a_vector() {
        for len in [0, 1, 7, 1000, LARGE_PAGE_BYTES / 8 - 1, LARGE_PAGE_BYTES / 8, LARGE_PAGE_BYTES / 8 + 100] {
            if cfg!(miri) && len > 1000 {
                continue;
            }
            let mut slab = Slab::<AtomicU64>::new(len).unwrap();
            let mut twin: Vec<AtomicU64> = (0..len).map(|_| AtomicU64::default()).collect();
            assert_eq!((slab.len(), slab.as_ptr() as usize % LINE_BYTES), (len, 0));
            let values = |cells: &[AtomicU64]| cells.iter().map(|c| c.load(Ordering::Relaxed)).collect::<Vec<_>>();
            assert_eq!(values(&slab), values(&twin));
            for cells in [&mut *slab, &mut *twin] {
                for (number, cell) in cells.iter().enumerate() {
                    prefetch(cell);
                    cell.store(number as u64 * 3, Ordering::Relaxed);
                }
                cells.iter_mut().step_by(2).for_each(|cell| *cell.get_mut() += 1);
            }
            assert_eq!(values(&slab), values(&twin));
        }
    }

    #[test]
    fn a_line_matches_where_its_cells_do() {
        let slab = Slab::<AtomicU32>::new(16).unwrap();
        let line: &[AtomicU32; 16] = (&*slab).try_into().unwrap();
        for (number, cell) in line.iter().enumerate() {
            for value in [1, 77, 0x8000_0000, u32::MAX, number as u32] {
                assert_eq!(line_matches(line, value), line_matches_one_by_one(line, value));
                cell.store(value, Ordering::Relaxed);
                for wanted in [value, value ^ 1, value ^ 0x100, value ^ 0x8000_0000, 0] {
                    assert_eq!(line_matches(line, wanted), line_matches_one_by_one(line, wanted));
                }
            }
        }
    }

    #[test]
    fn what_was_bought_is_given_back() {
        let budget = Budget::new(1000);
        let mut receipt = Receipt::new(&budget);
        let slab = receipt.buy::<AtomicU32>(100).unwrap();
        assert!(receipt.buy::<AtomicU64>(100).is_err());
        assert_eq!(budget.used_bytes(), Slab::<AtomicU32>::cost_bytes(slab.len()));
        drop(receipt);
        assert_eq!(budget.used_bytes(), 0);
    }
}
