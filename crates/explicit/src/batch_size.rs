//! How many states are looked at together.

/// States in a batch, where these are small.
pub(crate) const BATCH_LEN: usize = 256;
/// A batch is not to take much more than this.
const BATCH_BYTES: usize = 16 << 20;

/// The largest number of things of so many bytes, at most `most`, that fit in [`BATCH_BYTES`].
pub(crate) fn as_many(one_bytes: u64, most: usize) -> usize {
    (BATCH_BYTES / (one_bytes as usize).max(1)).clamp(1, most)
}
