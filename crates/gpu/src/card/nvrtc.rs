//! NVIDIA's runtime compiler: CUDA C++ becomes machine code for one architecture.
//!
//! Its functions are called directly, not by way of `cudarc`: that takes the first library with a fitting name, panics if there is none, and
//! does not look where `pip` and toolkits put it. A compiler must not be newer than the driver, at least not by its major version, so the
//! driver's version is tried first, then older ones.

#![allow(unsafe_code)]

use super::CardError;
use libloading::{Library, Symbol};
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::path::{Path, PathBuf};
use std::ptr;

/// The oldest major version that makes machine code.
const OLDEST: u32 = 11;
/// What a function returns that did its work, and what compiling returns for a wrong source and a wrong option.
const SUCCESS: c_int = 0;
const INVALID_OPTION: c_int = 5;
const WRONG_SOURCE: c_int = 6;

/// Options, beside the architecture.
const OPTIONS: [&str; 2] = ["-w", "--ptxas-options=-O1"];

/// The compiler's library.
#[derive(Debug)]
pub(crate) struct Nvrtc {
    library: Library,
    version: (c_int, c_int),
}

/// A text that is compiled.
struct Program<'a> {
    nvrtc: &'a Nvrtc,
    program: *mut c_void,
}

type GetSize = unsafe extern "C" fn(*mut c_void, *mut usize) -> c_int;
type GetBytes = unsafe extern "C" fn(*mut c_void, *mut c_char) -> c_int;
type Create = unsafe extern "C" fn(
    *mut *mut c_void,
    *const c_char,
    *const c_char,
    c_int,
    *const *const c_char,
    *const *const c_char,
) -> c_int;

impl Nvrtc {
    /// The compiler for a driver for this major version of CUDA.
    pub(crate) fn open(driver_major: u32) -> Result<Self, CardError> {
        let Some(library) = find(driver_major) else {
            return Err(CardError::Failed(
                "the CUDA runtime compiler was not found (libnvrtc.so); it comes with the CUDA toolkit, or with `pip install nvidia-cuda-nvrtc`"
                    .to_owned(),
            ));
        };
        let mut nvrtc = Self { library, version: (0, 0) };
        let (mut major, mut minor) = (0, 0);
        let version = nvrtc.function::<unsafe extern "C" fn(*mut c_int, *mut c_int) -> c_int>("nvrtcVersion")?;
        // SAFETY: the documented signature, and both places live.
        let result = unsafe { version(&mut major, &mut minor) };
        nvrtc.expect_success("nvrtcVersion", result)?;
        nvrtc.version = (major, minor);
        Ok(nvrtc)
    }

    /// As in `NVRTC 13.0`.
    pub(crate) fn version(&self) -> String {
        format!("NVRTC {}.{}", self.version.0, self.version.1)
    }

    /// All options, as in a command line.
    pub(crate) fn options(architecture: &str) -> Vec<String> {
        let architecture = format!("--gpu-architecture={architecture}");
        std::iter::once(architecture).chain(OPTIONS.map(str::to_owned)).collect()
    }

    /// Machine code for an architecture as `sm_90`.
    pub(crate) fn compile(&self, source: &str, architecture: &str) -> Result<Vec<u8>, CardError> {
        let program = Program::new(self, source)?;
        let options: Vec<CString> = Self::options(architecture).into_iter().map(text).collect();
        let pointers: Vec<*const c_char> = options.iter().map(|option| option.as_ptr()).collect();
        type Compile = unsafe extern "C" fn(*mut c_void, c_int, *const *const c_char) -> c_int;
        let compile = self.function::<Compile>("nvrtcCompileProgram")?;
        // SAFETY: the documented signature; the program lives, and there are as many options as it says.
        let result = unsafe { compile(program.program, pointers.len() as c_int, pointers.as_ptr()) };
        match result {
            SUCCESS => program.bytes("nvrtcGetCUBINSize", "nvrtcGetCUBIN"),
            WRONG_SOURCE => Err(CardError::Failed(format!(
                "{} does not compile the kernels: {}",
                self.version(),
                String::from_utf8_lossy(&program.bytes("nvrtcGetProgramLogSize", "nvrtcGetProgramLog")?)
                    .trim_matches(|end: char| end == '\0' || end.is_whitespace())
            ))),
            INVALID_OPTION => Err(CardError::Failed(format!(
                "{} does not know this card's architecture, {architecture}; a newer CUDA toolkit is needed",
                self.version()
            ))),
            _ => Err(self.failure("nvrtcCompileProgram", result)),
        }
    }

    fn function<F>(&self, name: &str) -> Result<Symbol<'_, F>, CardError> {
        // SAFETY: each caller names the signature that NVIDIA documents for this function; it is the same in all versions that have it.
        unsafe { self.library.get(name) }.map_err(|_| {
            CardError::Failed(format!("the CUDA runtime compiler is too old: it has no function `{name}`"))
        })
    }

    fn expect_success(&self, name: &str, result: c_int) -> Result<(), CardError> {
        if result == SUCCESS { Ok(()) } else { Err(self.failure(name, result)) }
    }

    fn failure(&self, name: &str, result: c_int) -> CardError {
        let word =
            self.function::<unsafe extern "C" fn(c_int) -> *const c_char>("nvrtcGetErrorString").ok().map(|word| {
                // SAFETY: the documented signature; it returns a text that lives as long as the library, whatever the number.
                unsafe { CStr::from_ptr(word(result)) }.to_string_lossy().into_owned()
            });
        let version = self.version();
        CardError::Failed(format!(
            "{version} failed in `{name}`: {}",
            word.unwrap_or_else(|| format!("error {result}"))
        ))
    }
}

impl<'a> Program<'a> {
    fn new(nvrtc: &'a Nvrtc, source: &str) -> Result<Self, CardError> {
        let (source, name) = (text(source.to_owned()), c"kernels.cu");
        let mut program = ptr::null_mut();
        let create = nvrtc.function::<Create>("nvrtcCreateProgram")?;
        // SAFETY: the documented signature; the texts end with a 0 and live, and there are no headers.
        let result = unsafe { create(&mut program, source.as_ptr(), name.as_ptr(), 0, ptr::null(), ptr::null()) };
        nvrtc.expect_success("nvrtcCreateProgram", result)?;
        Ok(Self { nvrtc, program })
    }

    /// A result, by the function that says how large it is and the one that writes it.
    fn bytes(&self, size_name: &str, name: &str) -> Result<Vec<u8>, CardError> {
        let (get_size, get) = (self.nvrtc.function::<GetSize>(size_name)?, self.nvrtc.function::<GetBytes>(name)?);
        let mut size = 0;
        // SAFETY: the documented signature, and the program lives.
        let result = unsafe { get_size(self.program, &mut size) };
        self.nvrtc.expect_success(size_name, result)?;
        let mut bytes = vec![0_u8; size];
        // SAFETY: the documented signature, and there is as much room as the function before said.
        let result = unsafe { get(self.program, bytes.as_mut_ptr().cast()) };
        self.nvrtc.expect_success(name, result)?;
        Ok(bytes)
    }
}

impl Drop for Program<'_> {
    fn drop(&mut self) {
        if let Ok(destroy) =
            self.nvrtc.function::<unsafe extern "C" fn(*mut *mut c_void) -> c_int>("nvrtcDestroyProgram")
        {
            // SAFETY: the documented signature; the program was created and is destroyed once.
            unsafe { destroy(&mut self.program) };
        }
    }
}

fn text(text: String) -> CString {
    CString::new(text).expect("sources and options have no character 0")
}

/// The newest library that is not newer than the driver: where the system looks, in toolkits, then in Python's packages.
fn find(driver_major: u32) -> Option<Library> {
    let majors = || (OLDEST..=driver_major.max(OLDEST)).rev();
    let names: Vec<String> = majors().map(name).chain(std::iter::once(plain_name())).collect();
    // SAFETY: NVIDIA's library may be loaded and closed at any time.
    let load = |path: &Path| unsafe { Library::new(path) }.ok();
    if let Some(library) = names.iter().find_map(|name| load(Path::new(name))) {
        return Some(library);
    }
    let folders = toolkits().into_iter().chain(majors().flat_map(packages));
    let paths = folders.flat_map(|folder| names.iter().map(|name| folder.join(name)).collect::<Vec<_>>());
    paths.filter(|path| path.is_file()).find_map(|path| load(&path))
}

/// The library's name in a version.
fn name(major: u32) -> String {
    match (cfg!(windows), major) {
        (true, OLDEST) => "nvrtc64_112_0.dll".to_owned(),
        (true, _) => format!("nvrtc64_{major}0_0.dll"),
        (false, OLDEST) => "libnvrtc.so.11.2".to_owned(),
        (false, _) => format!("libnvrtc.so.{major}"),
    }
}

fn plain_name() -> String {
    if cfg!(windows) { "nvrtc64.dll".to_owned() } else { "libnvrtc.so".to_owned() }
}

/// Folders of CUDA toolkits that may have it.
fn toolkits() -> Vec<PathBuf> {
    let named = ["CUDA_HOME", "CUDA_PATH"].into_iter().filter_map(std::env::var_os).map(PathBuf::from);
    let usual = std::iter::once(PathBuf::from("/usr/local/cuda"));
    let inside = ["lib64", "lib", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib", "bin", "bin/x64"];
    named.chain(usual).flat_map(|toolkit| inside.map(|folder| toolkit.join(folder))).collect()
}

/// Folders of Python's packages that may have it: of the active environment, of the Pythons in `PATH`, and of this user.
fn packages(major: u32) -> Vec<PathBuf> {
    let of_path = std::env::var_os("PATH").unwrap_or_default();
    let of_path: Vec<PathBuf> =
        std::env::split_paths(&of_path).filter_map(|bin| Some(bin.parent()?.to_owned())).collect();
    let active = ["VIRTUAL_ENV", "CONDA_PREFIX"].into_iter().filter_map(std::env::var_os).map(PathBuf::from);
    let of_user = std::env::var_os("HOME").map(|home| Path::new(&home).join(".local"));
    let mut found = Vec::new();
    for library in
        active.chain(of_path).chain(of_user).flat_map(|prefix| ["lib", "lib64", "Lib"].map(|below| prefix.join(below)))
    {
        let below = std::fs::read_dir(&library).into_iter().flatten().flatten();
        let pythons =
            below.filter(|entry| entry.file_name().to_string_lossy().starts_with("python3")).map(|entry| entry.path());
        for python in pythons.chain(std::iter::once(library.clone())) {
            for packages in ["site-packages", "dist-packages"].map(|name| python.join(name).join("nvidia")) {
                found.push(packages.join(format!("cu{major}")).join(if cfg!(windows) { "bin" } else { "lib" }));
                found.push(packages.join("cuda_nvrtc").join(if cfg!(windows) { "bin" } else { "lib" }));
            }
        }
        // Conda puts it beside its other libraries.
        found.push(library);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::card::whole_source;

    /// It needs no card.
    #[test]
    fn the_kernels_of_the_tests_compile() {
        let nvrtc = match Nvrtc::open(13) {
            Ok(nvrtc) => nvrtc,
            Err(error) => return println!("skipped: {error}"),
        };
        println!("{}", nvrtc.version());
        let source = whole_source(include_str!("../../tests/exercise.c"));
        for architecture in ["sm_75", "sm_80", "sm_90"] {
            let code = nvrtc.compile(&source, architecture).expect("compiled");
            assert!(code.starts_with(b"\x7fELF"), "{architecture}");
        }
        let error = nvrtc.compile(&source, "sm_10").expect_err("no such architecture").to_string();
        assert!(error.contains("sm_10"), "{error}");
        let error = nvrtc
            .compile(&whole_source("\nKERNEL(bad) { u64 x = nothing; }"), "sm_90")
            .expect_err("it is wrong")
            .to_string();
        assert!(error.contains("kernels(2)") && error.contains("nothing"), "{error}");
    }
}
