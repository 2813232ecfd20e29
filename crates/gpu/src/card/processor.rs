//! This processor in place of a card: a C compiler makes a shared library of the kernels, and a launch runs its threads one after the
//! other. It says what kernels mean where there is no card; it is not made to be fast.
//!
//! The compiler is `LARIAT_GPU_CC`, a program with options; else `tcc` if it is installed, which compiles fast; else `cc`.

#![allow(unsafe_code)]

use super::{Args, Block, Card, CardError, Code, Description, Kernels, Place, is_launch, whole_source};
use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::collections::HashMap;
use std::ffi::OsString;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// Blocks begin at multiples of this.
const ALIGNMENT: usize = 64;

/// This processor as a card.
#[derive(Debug)]
pub(crate) struct Processor {
    /// The compiler and its options.
    compiler: Vec<OsString>,
    card: Arc<Budget>,
    host: Arc<Budget>,
    /// One launch at a time: kernels are written for one thread.
    launching: Mutex<()>,
}

/// How much memory blocks in one place may take.
#[derive(Debug)]
struct Budget {
    limit_bytes: u64,
    used_bytes: AtomicU64,
}

impl Processor {
    /// With limits on what blocks in each [`Place`] take together; or why there is no compiler, in a sentence.
    pub(crate) fn open(card_bytes: u64, host_bytes: u64) -> Result<Self, CardError> {
        let budget = |limit_bytes| Arc::new(Budget { limit_bytes, used_bytes: AtomicU64::new(0) });
        let (card, host) = (budget(card_bytes), budget(host_bytes));
        Ok(Self { compiler: compiler()?, card, host, launching: Mutex::new(()) })
    }

    fn budget(&self, place: Place) -> &Arc<Budget> {
        match place {
            Place::Card => &self.card,
            Place::Host => &self.host,
        }
    }
}

/// The C compiler and its options.
fn compiler() -> Result<Vec<OsString>, CardError> {
    if let Ok(named) = std::env::var("LARIAT_GPU_CC")
        && !named.trim().is_empty()
    {
        return Ok(named.split_whitespace().map(OsString::from).collect());
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let is_there = |name: &str| std::env::split_paths(&path).any(|folder| folder.join(name).is_file());
    let found = ["tcc", "cc"].into_iter().find(|name| is_there(name));
    found.map(|name| vec![OsString::from(name)]).ok_or_else(|| {
        CardError::Failed("no C compiler was found: neither `tcc` nor `cc`; LARIAT_GPU_CC can name one".to_owned())
    })
}

/// Memory of a block.
struct Memory {
    start: *mut u8,
    layout: Layout,
    bytes: u64,
    budget: Arc<Budget>,
}

// SAFETY: it owns what `start` points to, and only frees it. What is in it is read and written under the rules of `Card`.
unsafe impl Send for Memory {}
// SAFETY: as above.
unsafe impl Sync for Memory {}

impl Drop for Memory {
    fn drop(&mut self) {
        // SAFETY: `start` was allocated with this layout, and is freed nowhere else.
        unsafe { dealloc(self.start, self.layout) };
        self.budget.used_bytes.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

impl Memory {
    fn new(bytes: u64, budget: &Arc<Budget>) -> Result<Self, CardError> {
        let size = usize::try_from(bytes).map_err(|_| CardError::NoMemory)?;
        let layout = Layout::from_size_align(size.max(1), ALIGNMENT).map_err(|_| CardError::NoMemory)?;
        let fits = |used: u64| used.checked_add(bytes).filter(|used| *used <= budget.limit_bytes);
        budget.used_bytes.fetch_update(Ordering::Relaxed, Ordering::Relaxed, fits).map_err(|_| CardError::NoMemory)?;
        // SAFETY: the layout has at least one byte.
        let start = unsafe { alloc_zeroed(layout) };
        if start.is_null() {
            budget.used_bytes.fetch_sub(bytes, Ordering::Relaxed);
            return Err(CardError::NoMemory);
        }
        Ok(Self { start, layout, bytes, budget: budget.clone() })
    }
}

impl Card for Processor {
    fn description(&self) -> Description {
        let compiler: Vec<_> = self.compiler.iter().map(|word| word.to_string_lossy()).collect();
        Description {
            name: "this processor".to_owned(),
            driver: format!("C compiler `{}`", compiler.join(" ")),
            architecture: std::env::consts::ARCH.to_owned(),
            total_bytes: self.card.limit_bytes,
        }
    }

    fn free_bytes(&self) -> Result<u64, CardError> {
        Ok(self.card.limit_bytes - self.card.used_bytes.load(Ordering::Relaxed))
    }

    fn alloc(&self, bytes: u64, place: Place) -> Result<Block, CardError> {
        let memory = Memory::new(bytes, self.budget(place))?;
        Ok(Block { address: memory.start.expose_provenance() as u64, bytes, place, memory: Box::new(memory) })
    }

    fn fill(&self, block: &Block, range: Range<u64>, byte: u8) -> Result<(), CardError> {
        let (start, bytes) = pointer(block, range.start, range.end.saturating_sub(range.start));
        // SAFETY: `pointer` checked that the part is inside the block, which lives, and nothing in Rust refers to its content.
        unsafe { start.write_bytes(byte, bytes) };
        Ok(())
    }

    fn write(&self, block: &Block, at: u64, bytes: &[u8]) -> Result<(), CardError> {
        let (to, count) = pointer(block, at, bytes.len() as u64);
        // SAFETY: as in `fill`; no slice of Rust lies in a block.
        unsafe { to.copy_from_nonoverlapping(bytes.as_ptr(), count) };
        Ok(())
    }

    fn read(&self, block: &Block, at: u64, bytes: &mut [u8]) -> Result<(), CardError> {
        let (from, count) = pointer(block, at, bytes.len() as u64);
        // SAFETY: as in `write`.
        unsafe { bytes.as_mut_ptr().copy_from_nonoverlapping(from, count) };
        Ok(())
    }

    fn load(&self, source: &str) -> Result<Kernels, CardError> {
        let begun = Instant::now();
        let library = Library::compile(&self.compiler, source)?;
        Ok(Kernels { compile_time: begun.elapsed(), is_from_cache: false, code: Code::Processor(library) })
    }

    fn launch(&self, kernels: &Kernels, name: &str, threads: u64, lanes: u32, args: &Args) -> Result<(), CardError> {
        #[cfg_attr(
            not(feature = "gpu"),
            expect(clippy::infallible_destructuring_match, reason = "there are cards with `gpu`")
        )]
        let library = match &kernels.code {
            Code::Processor(library) => library,
            #[cfg(feature = "gpu")]
            Code::Cuda(_) => panic!("kernel {name} was loaded by a card"),
        };
        let kernel = library.kernel(name)?;
        if is_launch(name, threads, lanes) {
            let _alone = self.launching.lock().unwrap_or_else(PoisonError::into_inner);
            // SAFETY: the library is loaded, and `prelude.c` defines kernels with this signature. That a kernel stays inside its blocks
            // is the duty of its source, as on a card.
            unsafe { kernel(args, threads, lanes) };
        }
        Ok(())
    }

    fn wait(&self) -> Result<(), CardError> {
        Ok(())
    }
}

/// Where a part of a block is, and how large; the part must be inside.
fn pointer(block: &Block, at: u64, bytes: u64) -> (*mut u8, usize) {
    let memory = block.memory.downcast_ref::<Memory>().expect("a block of this processor");
    block.part(at, bytes);
    (memory.start.wrapping_add(at as usize), bytes as usize)
}

/// What `prelude.c` makes of a kernel.
type Kernel = unsafe extern "C" fn(*const Args, u64, u32);

/// Kernels as a shared library.
pub(crate) struct Library {
    found: Mutex<HashMap<String, Kernel>>,
    /// Open as long as there are kernels to call.
    library: libloading::Library,
}

impl Library {
    fn compile(compiler: &[OsString], source: &str) -> Result<Self, CardError> {
        let folder = Folder::new()?;
        let (text, made) = (folder.0.join("kernels.c"), folder.0.join("kernels.so"));
        std::fs::write(&text, whole_source(source))
            .map_err(|error| CardError::Failed(format!("cannot write `{}`: {error}", text.display())))?;
        let mut command = Command::new(&compiler[0]);
        command
            .args(["-O1", "-std=c99", "-w", "-shared", "-fPIC"])
            .args(&compiler[1..])
            .arg("-o")
            .arg(&made)
            .arg(&text);
        let name = Path::new(&compiler[0]).display();
        let ended = command
            .output()
            .map_err(|error| CardError::Failed(format!("cannot run the compiler `{name}`: {error}")))?;
        if !ended.status.success() {
            let said = String::from_utf8_lossy(&ended.stderr);
            return Err(CardError::Failed(format!("`{name}` does not compile the kernels: {}", said.trim())));
        }
        // SAFETY: our kernels have nothing that runs when a library is loaded or closed.
        let library = unsafe { libloading::Library::new(&made) }
            .map_err(|error| CardError::Failed(format!("cannot load the compiled kernels: {error}")))?;
        Ok(Self { found: Mutex::default(), library })
    }

    fn kernel(&self, name: &str) -> Result<Kernel, CardError> {
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(kernel) = found.get(name) {
            return Ok(*kernel);
        }
        // SAFETY: `prelude.c` defines kernels with this signature, and they have the names that sources give them.
        let kernel: Kernel = *unsafe { self.library.get::<Kernel>(name) }
            .map_err(|error| CardError::Failed(format!("there is no kernel `{name}`: {error}")))?;
        found.insert(name.to_owned(), kernel);
        Ok(kernel)
    }
}

/// A folder for one compilation, removed at its end.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Result<Self, CardError> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        loop {
            let number = NUMBER.fetch_add(1, Ordering::Relaxed);
            let path = std::env::temp_dir().join(format!("lariat-gpu-{}-{number}", std::process::id()));
            #[cfg_attr(not(unix), allow(unused_mut))]
            let mut builder = std::fs::DirBuilder::new();
            // What is in it will be run: others must not write there.
            #[cfg(unix)]
            std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
            match builder.create(&path) {
                Ok(()) => return Ok(Self(path)),
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(CardError::Failed(format!("cannot make `{}`: {error}", path.display()))),
            }
        }
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
