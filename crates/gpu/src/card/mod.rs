//! A machine that runs kernels: an NVIDIA card (`cuda`, with its compiler `nvrtc`), or this processor with a C compiler (`processor`),
//! for tests on machines without a card.
//!
//! Kernels are one text for both: `prelude.c` says in which words it is written. What was compiled for a card is kept in the user's
//! folder for cached files (`cache`).
//!
//! A machine does what it is asked in the order in which it is asked. `fill` and `launch` may return before that is done, so an
//! error in a kernel is reported by a later call: `read`, `write` or `wait`.

mod cache;
#[cfg(feature = "gpu")]
mod cuda;
#[cfg(feature = "gpu")]
mod nvrtc;
mod processor;

#[allow(unused_imports, reason = "the example about cards has no use for it")]
pub(crate) use processor::Processor;

use std::any::Any;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

/// Threads of a block, which sources see as a macro.
pub(crate) const THREADS_PER_BLOCK: u32 = 256;
/// The most lanes of a launch: what CUDA allows.
pub(crate) const MOST_LANES: u32 = 65_535;

/// A machine that runs kernels.
pub(crate) trait Card: Send + Sync {
    /// What it is.
    fn description(&self) -> Description;
    /// How much memory of the card is free now.
    fn free_bytes(&self) -> Result<u64, CardError>;
    /// Memory whose bytes are 0. It is freed when the block is dropped.
    fn alloc(&self, bytes: u64, place: Place) -> Result<Block, CardError>;
    /// Sets bytes.
    fn fill(&self, block: &Block, range: Range<u64>, byte: u8) -> Result<(), CardError>;
    /// Writes to a block after all that was launched before.
    fn write(&self, block: &Block, at: u64, bytes: &[u8]) -> Result<(), CardError>;
    /// Reads from a block after all that was launched before.
    fn read(&self, block: &Block, at: u64, bytes: &mut [u8]) -> Result<(), CardError>;
    /// Compiles kernels, unless the cache has them, and loads them. The source is what follows `prelude.c`.
    fn load(&self, source: &str) -> Result<Kernels, CardError>;
    /// Runs a kernel for each thread below `threads` in each of at most [`MOST_LANES`] lanes.
    fn launch(&self, kernels: &Kernels, name: &str, threads: u64, lanes: u32, args: &Args) -> Result<(), CardError>;
    /// Returns when all that was launched is done.
    fn wait(&self) -> Result<(), CardError>;
}

/// The number of NVIDIA cards, or why there is none.
pub(crate) fn count() -> Result<u32, CardError> {
    #[cfg(feature = "gpu")]
    return cuda::count();
    #[cfg(not(feature = "gpu"))]
    Err(CardError::Failed("this program was built without support for graphics cards (feature `gpu`)".to_owned()))
}

/// The NVIDIA card with this number, the first is 0, or why it cannot be used.
pub(crate) fn open(ordinal: u32) -> Result<Arc<dyn Card>, CardError> {
    #[cfg(feature = "gpu")]
    return Ok(Arc::new(cuda::Cuda::open(ordinal)?));
    #[cfg(not(feature = "gpu"))]
    count().map(|cards| unreachable!("card {ordinal} of {cards} in a program without support for cards"))
}

/// What a machine is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Description {
    /// As in `NVIDIA H200`.
    pub(crate) name: String,
    /// The driver and its version.
    pub(crate) driver: String,
    /// What kernels are compiled for, as in `sm_90`.
    pub(crate) architecture: String,
    /// All memory of the card.
    pub(crate) total_bytes: u64,
}

/// Where a block is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Place {
    /// In the card's memory.
    Card,
    /// In this machine's memory, pinned: kernels reach it by address.
    Host,
}

/// Memory for kernels.
pub(crate) struct Block {
    address: u64,
    bytes: u64,
    place: Place,
    /// What frees it when dropped.
    memory: Box<dyn Any + Send + Sync>,
}

impl Block {
    /// Where it is for kernels.
    pub(crate) fn address(&self) -> u64 {
        self.address
    }
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }
    /// The address of a part, which must be inside.
    fn part(&self, at: u64, bytes: u64) -> u64 {
        let end = at.checked_add(bytes);
        assert!(
            end.is_some_and(|end| end <= self.bytes),
            "{bytes} bytes at {at} are outside a block of {}",
            self.bytes
        );
        self.address + at
    }
}

impl fmt::Debug for Block {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "Block({:#x}, {} bytes, {:?})", self.address, self.bytes, self.place)
    }
}

/// What a kernel is given: numbers, among them addresses of blocks.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Args(pub(crate) [u64; 32]);

/// Loaded kernels of one source.
pub(crate) struct Kernels {
    /// How long compiling took, or reading what was compiled before.
    pub(crate) compile_time: Duration,
    /// Whether they had been compiled before.
    pub(crate) is_from_cache: bool,
    code: Code,
}

enum Code {
    Processor(processor::Library),
    #[cfg(feature = "gpu")]
    Cuda(cuda::Module),
}

impl fmt::Debug for Kernels {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "Kernels({:?}, from cache: {})", self.compile_time, self.is_from_cache)
    }
}

/// Why a machine did not do something.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum CardError {
    /// There is not enough memory of the kind that was asked for.
    NoMemory,
    /// Anything else, in a sentence.
    Failed(String),
}

impl fmt::Display for CardError {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoMemory => to.write_str("the memory of the graphics card is full"),
            Self::Failed(why) => to.write_str(why),
        }
    }
}

impl std::error::Error for CardError {}

/// The text that a compiler gets. Its messages number the lines of `source`.
fn whole_source(source: &str) -> String {
    format!(
        "#define THREADS_PER_BLOCK {THREADS_PER_BLOCK}\n{}\n#line 1 \"kernels\"\n{source}\n",
        include_str!("prelude.c")
    )
}

/// Whether there is something to launch.
fn is_launch(name: &str, threads: u64, lanes: u32) -> bool {
    assert!(lanes <= MOST_LANES, "kernel {name} in {lanes} lanes, at most {MOST_LANES}");
    threads > 0 && lanes > 0
}
