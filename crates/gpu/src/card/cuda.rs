//! NVIDIA cards, by the driver's interface. Its library is loaded when a card is asked for.
//!
//! All work of a card goes through one stream, in the order in which it was asked for. What is written to or read from a block is done
//! when the call returns.

#![allow(unsafe_code)]

use super::cache::{self, Cache};
use super::nvrtc::Nvrtc;
use super::{
    Args, Block, Card, CardError, Code, Description, Kernels, Place, THREADS_PER_BLOCK, is_launch, whole_source,
};
use cudarc::driver::sys::{self, CUdevice_attribute_enum as Attribute, CUresult};
use std::collections::HashMap;
use std::ffi::{CStr, CString, c_int, c_void};
use std::ops::Range;
use std::ptr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// The oldest version of CUDA, as the driver writes it, that has all functions we call.
const OLDEST_DRIVER: c_int = 11_040;
/// A stream that waits for no other.
const NON_BLOCKING: u32 = 1;

/// Calls a function of the driver's interface that exists in all versions since [`OLDEST_DRIVER`].
macro_rules! call {
    ($function:ident($($argument:expr),* $(,)?)) => {{
        // SAFETY: the driver's library is loaded (`start` saw to it), and each caller gives what the interface documents: places
        // for results that live, and handles, addresses and sizes that belong together.
        let result = unsafe { sys::$function($($argument),*) };
        checked(stringify!($function), result)
    }};
}

/// The number of cards, or why there is none.
pub(crate) fn count() -> Result<u32, CardError> {
    start()?;
    let mut cards = 0;
    call!(cuDeviceGetCount(&mut cards))?;
    if cards <= 0 { Err(no_card()) } else { Ok(cards as u32) }
}

fn no_card() -> CardError {
    CardError::Failed("the NVIDIA driver finds no card".to_owned())
}

/// Loads and starts the driver; its version of CUDA.
fn start() -> Result<c_int, CardError> {
    // SAFETY: it only tries to open the driver's library.
    if !unsafe { sys::is_culib_present() } {
        return Err(CardError::Failed("no NVIDIA driver was found (libcuda.so.1)".to_owned()));
    }
    let mut version = 0;
    call!(cuDriverGetVersion(&mut version))?;
    if version < OLDEST_DRIVER {
        let (there, needed) = (cuda_version(version), cuda_version(OLDEST_DRIVER));
        return Err(CardError::Failed(format!(
            "the NVIDIA driver is too old: it is for CUDA {there}, and {needed} is needed"
        )));
    }
    // SAFETY: the library is loaded; starting it twice is allowed.
    match unsafe { sys::cuInit(0) } {
        CUresult::CUDA_SUCCESS => Ok(version),
        CUresult::CUDA_ERROR_NO_DEVICE => Err(no_card()),
        other => Err(CardError::Failed(format!("the NVIDIA driver does not start: {}", meaning(other)))),
    }
}

/// As in `13.0` for 13000.
fn cuda_version(version: c_int) -> String {
    format!("{}.{}", version / 1000, version % 1000 / 10)
}

/// Which release of the driver it is, where the system says so.
fn release() -> Option<String> {
    let text = std::fs::read_to_string("/proc/driver/nvidia/version").ok()?;
    let first = text.lines().next()?;
    first.split_whitespace().find(|word| word.starts_with(|digit: char| digit.is_ascii_digit())).map(str::to_owned)
}

/// The driver's name of an error, and what it says of it.
fn meaning(error: CUresult) -> String {
    type Say = unsafe fn(CUresult, *mut *const std::ffi::c_char) -> CUresult;
    let word = |say: Say| {
        let mut text = ptr::null();
        // SAFETY: the driver's library is loaded, the place lives; the text that it gives lives as long as the library.
        unsafe { (say(error, &mut text) == CUresult::CUDA_SUCCESS && !text.is_null()).then(|| CStr::from_ptr(text)) }
            .map(|text| text.to_string_lossy())
    };
    match (word(sys::cuGetErrorName), word(sys::cuGetErrorString)) {
        (Some(name), Some(text)) => format!("{text} ({name})"),
        _ => format!("error {}", error as u32),
    }
}

fn checked(function: &str, result: CUresult) -> Result<(), CardError> {
    match result {
        CUresult::CUDA_SUCCESS => Ok(()),
        CUresult::CUDA_ERROR_OUT_OF_MEMORY => Err(CardError::NoMemory),
        other => Err(CardError::Failed(format!("the graphics card failed in `{function}`: {}", meaning(other)))),
    }
}

/// A card.
pub(crate) struct Cuda {
    stream: Arc<Stream>,
    description: Description,
    nvrtc: Nvrtc,
    cache: Cache,
}

/// The card's context and the stream in which all work is done.
struct Stream {
    device: sys::CUdevice,
    context: sys::CUcontext,
    stream: sys::CUstream,
}

// SAFETY: the driver's handles may be used by every thread that makes the context its own, which `current` does.
unsafe impl Send for Stream {}
// SAFETY: as above; the driver locks what its calls change.
unsafe impl Sync for Stream {}

impl Stream {
    fn new(device: sys::CUdevice) -> Result<Self, CardError> {
        let mut new = Self { device, context: ptr::null_mut(), stream: ptr::null_mut() };
        let mut context = ptr::null_mut();
        call!(cuDevicePrimaryCtxRetain(&mut context, device))?;
        new.context = context;
        new.current()?;
        call!(cuStreamCreate(&mut new.stream, NON_BLOCKING))?;
        Ok(new)
    }
    /// What this thread calls from now on is for this card.
    fn current(&self) -> Result<(), CardError> {
        call!(cuCtxSetCurrent(self.context))
    }
    fn wait(&self) -> Result<(), CardError> {
        self.current()?;
        call!(cuStreamSynchronize(self.stream))
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        if !self.stream.is_null() && self.wait().is_ok() {
            let _ = call!(cuStreamDestroy_v2(self.stream));
        }
        if !self.context.is_null() {
            let _ = call!(cuDevicePrimaryCtxRelease_v2(self.device));
        }
    }
}

/// Memory of a block.
struct Memory {
    stream: Arc<Stream>,
    held: Held,
}

enum Held {
    Card(sys::CUdeviceptr),
    Host(*mut c_void),
}

// SAFETY: it owns what it points to, and only frees it. What is in it is read and written under the rules of `Card`.
unsafe impl Send for Memory {}
// SAFETY: as above.
unsafe impl Sync for Memory {}

impl Drop for Memory {
    fn drop(&mut self) {
        // What was launched may still use it. After an error in a kernel there is nothing to wait for, and freeing fails as well.
        let _ = self.stream.wait();
        let _ = match self.held {
            Held::Card(address) => call!(cuMemFree_v2(address)),
            Held::Host(start) => call!(cuMemFreeHost(start)),
        };
    }
}

/// The start of a part of a block in this machine's memory; none for a block in the card's.
fn host_part(block: &Block, at: u64) -> Option<*mut u8> {
    match block.memory.downcast_ref::<Memory>().expect("a block of a card").held {
        Held::Card(_) => None,
        Held::Host(start) => Some(start.cast::<u8>().wrapping_add(at as usize)),
    }
}

/// Kernels on a card.
pub(crate) struct Module {
    stream: Arc<Stream>,
    module: sys::CUmodule,
    found: Mutex<HashMap<String, Function>>,
}

#[derive(Clone, Copy)]
struct Function(sys::CUfunction);

// SAFETY: a module and its functions belong to the context, and every thread that makes that its own may use them.
unsafe impl Send for Module {}
// SAFETY: as above; what is found is behind a lock.
unsafe impl Sync for Module {}

impl Drop for Module {
    fn drop(&mut self) {
        let _ = self.stream.wait();
        let _ = call!(cuModuleUnload(self.module));
    }
}

impl Module {
    fn new(stream: &Arc<Stream>, code: &[u8]) -> Result<Self, CardError> {
        stream.current()?;
        let mut module = ptr::null_mut();
        call!(cuModuleLoadData(&mut module, code.as_ptr().cast()))?;
        Ok(Self { stream: stream.clone(), module, found: Mutex::default() })
    }

    fn function(&self, name: &str) -> Result<sys::CUfunction, CardError> {
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(function) = found.get(name) {
            return Ok(function.0);
        }
        let text = CString::new(name).expect("names of kernels have no character 0");
        let mut function = ptr::null_mut();
        self.stream.current()?;
        // SAFETY: the module is loaded, the text and the place live.
        match unsafe { sys::cuModuleGetFunction(&mut function, self.module, text.as_ptr()) } {
            CUresult::CUDA_ERROR_NOT_FOUND => return Err(CardError::Failed(format!("there is no kernel `{name}`"))),
            other => checked("cuModuleGetFunction", other)?,
        }
        found.insert(name.to_owned(), Function(function));
        Ok(function)
    }
}

impl Cuda {
    /// The card with this number, or why it cannot be used.
    pub(crate) fn open(ordinal: u32) -> Result<Self, CardError> {
        let cards = count()?;
        if ordinal >= cards {
            return Err(CardError::Failed(format!(
                "there is no card {ordinal}: the NVIDIA driver finds {cards}, the first is 0"
            )));
        }
        let version = start()?;
        let nvrtc = Nvrtc::open((version / 1000) as u32)?;
        let mut device = 0;
        call!(cuDeviceGet(&mut device, ordinal as c_int))?;
        let mut name = [0; 256];
        call!(cuDeviceGetName(name.as_mut_ptr(), name.len() as c_int, device))?;
        // SAFETY: the driver ended the name with a 0, in the room that it was told.
        let name = unsafe { CStr::from_ptr(name.as_ptr()) }.to_string_lossy().into_owned();
        let (mut major, mut minor, mut total_bytes) = (0, 0, 0);
        call!(cuDeviceGetAttribute(&mut major, Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device))?;
        call!(cuDeviceGetAttribute(&mut minor, Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device))?;
        call!(cuDeviceTotalMem_v2(&mut total_bytes, device))?;
        let mut driver = format!("CUDA {}", cuda_version(version));
        if let Some(release) = release() {
            driver = format!("{driver}, driver {release}");
        }
        if major < 7 {
            return Err(CardError::Failed(format!(
                "the card `{name}` is too old: it has compute capability {major}.{minor}, and 7.0 is needed"
            )));
        }
        let description =
            Description { name, driver, architecture: format!("sm_{major}{minor}"), total_bytes: total_bytes as u64 };
        Ok(Self { stream: Arc::new(Stream::new(device)?), description, nvrtc, cache: Cache::of_user() })
    }

    /// Machine code of a source, and whether the cache had it.
    fn code(&self, source: &str) -> Result<(Vec<u8>, bool), CardError> {
        let source = whole_source(source);
        let Description { architecture, driver, .. } = &self.description;
        let options = Nvrtc::options(architecture).join(" ");
        let key = cache::key(&[&source, architecture, driver, &self.nvrtc.version(), &options]);
        if let Some(code) = self.cache.find(&key) {
            return Ok((code, true));
        }
        let code = self.nvrtc.compile(&source, architecture)?;
        self.cache.keep(&key, &code);
        Ok((code, false))
    }
}

impl Card for Cuda {
    fn description(&self) -> Description {
        self.description.clone()
    }

    fn free_bytes(&self) -> Result<u64, CardError> {
        let (mut free, mut total) = (0, 0);
        self.stream.current()?;
        call!(cuMemGetInfo_v2(&mut free, &mut total))?;
        Ok(free as u64)
    }

    fn alloc(&self, bytes: u64, place: Place) -> Result<Block, CardError> {
        self.stream.current()?;
        // The driver has no blocks of 0 bytes.
        let size = usize::try_from(bytes.max(1)).map_err(|_| CardError::NoMemory)?;
        let mut address = 0;
        let held = match place {
            Place::Card => {
                call!(cuMemAlloc_v2(&mut address, size))?;
                Held::Card(address)
            }
            Place::Host => {
                let mut start = ptr::null_mut();
                call!(cuMemHostAlloc(
                    &mut start,
                    size,
                    sys::CU_MEMHOSTALLOC_DEVICEMAP | sys::CU_MEMHOSTALLOC_PORTABLE
                ))?;
                Held::Host(start)
            }
        };
        let memory = Memory { stream: self.stream.clone(), held };
        if let Held::Host(start) = memory.held {
            call!(cuMemHostGetDevicePointer_v2(&mut address, start, 0))?;
        }
        call!(cuMemsetD8Async(address, 0, size, self.stream.stream))?;
        Ok(Block { address, bytes, place, memory: Box::new(memory) })
    }

    fn fill(&self, block: &Block, range: Range<u64>, byte: u8) -> Result<(), CardError> {
        let bytes = range.end.saturating_sub(range.start);
        let start = block.part(range.start, bytes);
        if bytes == 0 {
            return Ok(());
        }
        self.stream.current()?;
        call!(cuMemsetD8Async(start, byte, bytes as usize, self.stream.stream))
    }

    fn write(&self, block: &Block, at: u64, bytes: &[u8]) -> Result<(), CardError> {
        let to = block.part(at, bytes.len() as u64);
        match host_part(block, at) {
            _ if bytes.is_empty() => Ok(()),
            Some(to) => {
                self.stream.wait()?;
                // SAFETY: `part` checked that it is inside the block, which lives; nothing that was launched uses it any more, and
                // no slice of Rust lies in a block.
                unsafe { to.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
                Ok(())
            }
            None => {
                self.stream.current()?;
                call!(cuMemcpyHtoDAsync_v2(to, bytes.as_ptr().cast(), bytes.len(), self.stream.stream))?;
                // The driver may still read the bytes, which are the caller's.
                self.stream.wait()
            }
        }
    }

    fn read(&self, block: &Block, at: u64, bytes: &mut [u8]) -> Result<(), CardError> {
        let from = block.part(at, bytes.len() as u64);
        match host_part(block, at) {
            _ if bytes.is_empty() => Ok(()),
            Some(from) => {
                self.stream.wait()?;
                // SAFETY: as in `write`.
                unsafe { bytes.as_mut_ptr().copy_from_nonoverlapping(from, bytes.len()) };
                Ok(())
            }
            None => {
                self.stream.current()?;
                call!(cuMemcpyDtoHAsync_v2(bytes.as_mut_ptr().cast(), from, bytes.len(), self.stream.stream))?;
                self.stream.wait()
            }
        }
    }

    fn load(&self, source: &str) -> Result<Kernels, CardError> {
        let begun = Instant::now();
        let (code, is_from_cache) = self.code(source)?;
        let compile_time = begun.elapsed();
        let module = Module::new(&self.stream, &code).map_err(|error| match error {
            CardError::Failed(why) => {
                let (compiler, driver) = (self.nvrtc.version(), &self.description.driver);
                CardError::Failed(format!("{why}; the kernels were compiled by {compiler} for the driver of {driver}"))
            }
            CardError::NoMemory => CardError::NoMemory,
        })?;
        Ok(Kernels { compile_time, is_from_cache, code: Code::Cuda(module) })
    }

    fn launch(&self, kernels: &Kernels, name: &str, threads: u64, lanes: u32, args: &Args) -> Result<(), CardError> {
        let Code::Cuda(module) = &kernels.code else { panic!("kernel {name} was not loaded by a card") };
        let function = module.function(name)?;
        if !is_launch(name, threads, lanes) {
            return Ok(());
        }
        // The grid has at most 2^31 - 1 blocks in this direction.
        let Some(blocks) =
            u32::try_from(threads.div_ceil(THREADS_PER_BLOCK.into())).ok().filter(|blocks| *blocks <= i32::MAX as u32)
        else {
            return Err(CardError::Failed(format!(
                "{threads} threads are too many for one launch of the kernel `{name}`"
            )));
        };
        let (args, threads) = (ptr::from_ref(args), ptr::from_ref(&threads));
        let mut parameters = [args.cast_mut().cast::<c_void>(), threads.cast_mut().cast()];
        self.stream.current()?;
        call!(cuLaunchKernel(
            function,
            blocks,
            lanes,
            1,
            THREADS_PER_BLOCK,
            1,
            1,
            0,
            self.stream.stream,
            parameters.as_mut_ptr(),
            ptr::null_mut(),
        ))
    }

    fn wait(&self) -> Result<(), CardError> {
        self.stream.wait()
    }
}
