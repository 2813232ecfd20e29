//! Calling native code: the one place in this crate that the compiler cannot vouch for.
//!
//! A function made by [`module`](super::module) reads `words` words of a state, writes records between the end of the
//! stack and the limit it is given, and returns where the records now end, or nothing where they did not fit. It calls
//! nobody but other such functions, keeps nothing, and cannot unwind. Its *environment* is what else goes in and out. The one
//! function about labels is of the same kind, but writes a few words in place of records.

#![expect(unsafe_code, reason = "machine code is called through pointers")]

use crate::records::{LONGEST_CHAIN, Records};
use cranelift_jit::JITModule;
use cranelift_module::FuncId;
use std::mem::ManuallyDrop;

/// What goes in and out of native code beside states and records.
#[repr(C)]
pub(super) struct Environment {
    /// A record must not begin behind this.
    limit: *const u64,
    /// How many processes live.
    count: u64,
    /// The least rank listed so far.
    least: i64,
    /// Not 0 if a guard trap was listed.
    guard_traps: u64,
    /// Not 0 if chains are not to be followed.
    no_chains: u64,
    /// Not 0 if one process had several firings that leave it the holder, all others aside.
    rivals: u64,
    /// Where the next hop goes.
    hops: *mut u32,
    /// The hops of a chain must not begin behind this.
    hops_limit: *const u32,
    /// Room for a state.
    spare: *mut u64,
    /// Not 0 if a record was listed that is no plain step.
    special: u64,
    /// Not 0 if some step leads to a state that has no key.
    misfit: u64,
}

/// Where the parts of an [`Environment`] are, in bytes.
pub(super) mod environment {
    use super::Environment;
    use std::mem::offset_of;

    pub(in crate::native) const LIMIT: i32 = offset_of!(Environment, limit) as i32;
    pub(in crate::native) const COUNT: i32 = offset_of!(Environment, count) as i32;
    pub(in crate::native) const LEAST: i32 = offset_of!(Environment, least) as i32;
    pub(in crate::native) const GUARD_TRAPS: i32 = offset_of!(Environment, guard_traps) as i32;
    pub(in crate::native) const NO_CHAINS: i32 = offset_of!(Environment, no_chains) as i32;
    pub(in crate::native) const RIVALS: i32 = offset_of!(Environment, rivals) as i32;
    pub(in crate::native) const HOPS: i32 = offset_of!(Environment, hops) as i32;
    pub(in crate::native) const HOPS_LIMIT: i32 = offset_of!(Environment, hops_limit) as i32;
    pub(in crate::native) const SPARE: i32 = offset_of!(Environment, spare) as i32;
    pub(in crate::native) const SPECIAL: i32 = offset_of!(Environment, special) as i32;
    pub(in crate::native) const MISFIT: i32 = offset_of!(Environment, misfit) as i32;
}

/// (state, end of the records, environment, position) to the new end of the records, or null.
type Lists = unsafe extern "C" fn(*const u64, *mut u64, *mut Environment, u64) -> *mut u64;

/// A function that lists. It can be called as long as the [`Functions`] it comes from live.
#[derive(Clone, Copy)]
pub(super) struct Function(Lists);

/// The function that says which labels a state has. It can be called as long as the [`Functions`] it comes from live.
#[derive(Clone, Copy)]
pub(super) struct LabelFunction(Lists);

/// Finished machine code, freed when dropped.
pub(super) struct Functions {
    module: ManuallyDrop<JITModule>,
    /// The length of the states that the functions read.
    words: usize,
    /// How many words of labels are written.
    label_words: usize,
}

// SAFETY: after `finalize_definitions` the module is only looked up, through `&mut self` or before sharing, and freed; its
// code is immutable and keeps nothing between calls. The closures and cells inside are never touched again.
unsafe impl Send for Functions {}
// SAFETY: as above; `&Functions` gives access to `words` alone.
unsafe impl Sync for Functions {}

impl Functions {
    /// The functions of a module whose definitions are finalized and all have the signature [`Lists`] and the properties
    /// told at the top, for states of `words` words; one may write `label_words` words in place of records.
    pub(super) fn new(module: JITModule, words: usize, label_words: usize) -> Self {
        Self { module: ManuallyDrop::new(module), words, label_words }
    }
    /// One of them.
    pub(super) fn get(&mut self, id: FuncId) -> Function {
        let address = self.module.get_finalized_function(id);
        // SAFETY: `module::Maker` declares every function with the signature of `Lists` and the calling convention of the
        // host, and the address is that of its first instruction.
        Function(unsafe { std::mem::transmute::<*const u8, Lists>(address) })
    }
    /// The one that writes labels.
    pub(super) fn get_labels(&mut self, id: FuncId) -> LabelFunction {
        LabelFunction(self.get(id).0)
    }
    /// Calls `function`, which must come from here: writes which labels the state has.
    #[inline]
    pub(super) fn label(&self, function: LabelFunction, state: &[u64], count: u32, labels: &mut [u64]) {
        assert_eq!(state.len(), self.words, "a state of this program");
        assert_eq!(labels.len(), self.label_words, "room for the labels of this program");
        let nothing = labels.as_mut_ptr();
        let mut environment = Environment {
            limit: nothing,
            count: u64::from(count),
            least: 0,
            guard_traps: 0,
            no_chains: 0,
            rivals: 0,
            hops: nothing.cast(),
            hops_limit: nothing.cast(),
            spare: nothing,
            special: 0,
            misfit: 0,
        };
        // SAFETY: the code reads `words` words from `state`, and writes `label_words` words from `labels` on, which has as
        // many (both asserted above). It writes no records, hops or spare states. The state and the labels are distinct,
        // since one is shared and the other is not. Indices computed from the state are checked by the code itself.
        unsafe { (function.0)(state.as_ptr(), labels.as_mut_ptr(), &mut environment, 0) };
    }
    /// Calls `function`, which must come from here, until its records fit.
    pub(super) fn list(&self, function: Function, state: &[u64], count: u32, position: u32, records: &mut Records) {
        assert_eq!(state.len(), self.words, "a state of this program");
        // Below the last record there is room for a whole one more, which serves as the spare state.
        let needed = 2 * records.shape.width;
        loop {
            let room = records.words.len() - records.end;
            let (Some(spare), Some(hops_spare)) =
                (room.checked_sub(needed), records.hops.len().checked_sub(LONGEST_CHAIN))
            else {
                records.grow();
                if records.hops.len() < LONGEST_CHAIN {
                    records.grow_hops();
                }
                continue;
            };
            let begin = records.words[records.end..].as_mut_ptr();
            let hops = records.hops.as_mut_ptr();
            let mut environment = Environment {
                limit: begin.wrapping_add(spare),
                count: u64::from(count),
                least: records.least,
                guard_traps: u64::from(records.guard_traps),
                no_chains: u64::from(!records.chains),
                rivals: 0,
                hops,
                hops_limit: hops.wrapping_add(hops_spare),
                spare: begin.wrapping_add(spare + records.shape.width),
                special: 0,
                misfit: 0,
            };
            // SAFETY: the code reads `words` words from `state`, which has as many (asserted above). It writes whole
            // records of `width` words from `begin` on, each of which begins no later than `limit`, so that it ends before
            // `spare`; at most `words` words, fewer than a record has, from `spare` on, which ends with `records.words`;
            // and up to `LONGEST_CHAIN` numbers from no later than `hops_limit` on, inside `records.hops`. The state
            // and the records are distinct, since one is shared and the other is not. Indices computed from the state
            // are checked by the code itself.
            let end = unsafe { (function.0)(state.as_ptr(), begin, &mut environment, u64::from(position)) };
            if !end.is_null() {
                // Both point into `records.words`.
                records.end += (end as usize - begin as usize) / size_of::<u64>();
                records.least = environment.least;
                records.guard_traps = environment.guard_traps != 0;
                records.rivals = environment.rivals != 0;
                records.all_plain = environment.special == 0 && !records.guard_traps;
                records.misfit = false;
                // Both point into `records.hops`.
                records.hops_end = (environment.hops as usize - hops as usize) / size_of::<u32>();
                return;
            }
            records.misfit = environment.misfit != 0;
            if records.misfit {
                return;
            }
            if environment.hops.cast_const() > environment.hops_limit {
                records.grow_hops();
            } else {
                records.grow();
            }
        }
    }
}

impl Drop for Functions {
    fn drop(&mut self) {
        // SAFETY: the module is taken once, here. Whoever could call its code needs a reference to `self`.
        unsafe { ManuallyDrop::take(&mut self.module).free_memory() };
    }
}
