//! No test of the workspace is left out of the test programs.
//!
//! Crates with several files of tests make one program of them, whose root is `tests/all.rs`. A file that is not listed there
//! would never run. Crates without unit tests, or without examples in their documentation, say so in their manifest, which
//! spares compiling them once more; a test that is then written there would never run either, unless a test program compiles its
//! module by itself.

use std::fs;
use std::path::{Path, PathBuf};

#[test]
fn every_test_file_belongs_to_a_program() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut programs = 0;
    for folder in fs::read_dir(crates).expect("the crates are there") {
        let folder = folder.expect("it can be read").path();
        let Ok(root) = fs::read_to_string(folder.join("tests/all.rs")) else { continue };
        let manifest = fs::read_to_string(folder.join("Cargo.toml")).expect("a crate has a manifest");
        programs += 1;
        for file in fs::read_dir(folder.join("tests")).expect("there are tests") {
            let file = file.expect("it can be read").path();
            let name = file.file_stem().expect("files have names").to_string_lossy().into_owned();
            let is_program = file.join("main.rs").is_file() || name == "all";
            let is_module =
                file.extension().is_some_and(|extension| extension == "rs") || file.join("mod.rs").is_file();
            let is_listed = root.contains(&format!("\nmod {name};\n"));
            let has_program = manifest.contains(&format!("[[test]]\nname = \"{name}\"\n"));
            assert!(
                has_program || !is_program && (is_listed || !is_module),
                "{} is in no test program: list it in {}/tests/all.rs",
                file.display(),
                folder.display()
            );
        }
    }
    assert!(programs > 0, "no crate has a test program");
}

#[test]
fn what_a_manifest_switches_off_is_not_there() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut switched_off = 0;
    for folder in fs::read_dir(crates).expect("the crates are there") {
        let folder = folder.expect("it can be read").path();
        let manifest = fs::read_to_string(folder.join("Cargo.toml")).expect("a crate has a manifest");
        let library = section(&manifest, "[lib]");
        let (no_units, no_examples) = (library.contains("\ntest = false\n"), library.contains("\ndoctest = false\n"));
        switched_off += usize::from(no_units) + usize::from(no_examples);
        if section(&manifest, "[[bin]]").contains("\ntest = false\n") {
            let program = fs::read_to_string(folder.join("src/main.rs")).expect("a program has a main file");
            assert!(!has_units(&program), "{}: the tests of its program do not run", folder.display());
        }
        let compiled = compiled_by_tests(&folder);
        let runs = |file: &Path| {
            let file = file.canonicalize().expect("it is there");
            // The modules below one stand in the folder of its name, or beside it if it is the folder's `mod.rs`.
            let below = |module: &Path| match module.ends_with("mod.rs") {
                true => module.parent().map(Path::to_owned),
                false => Some(module.with_extension("")),
            };
            compiled.iter().any(|module| file == *module || below(module).is_some_and(|below| file.starts_with(below)))
        };
        for file in sources(&folder.join("src")) {
            let text = fs::read_to_string(&file).expect("it can be read");
            assert!(!no_units || !has_units(&text) || runs(&file), "{}: its tests do not run", file.display());
            assert!(!(no_examples && has_example(&text)), "{}: its example is not tested", file.display());
        }
    }
    assert!(switched_off > 0, "no manifest switches anything off");
}

/// The modules of a crate that its test programs compile once more, by `#[path]`; with each, those below it.
fn compiled_by_tests(folder: &Path) -> Vec<PathBuf> {
    let tests = folder.join("tests");
    let programs = if tests.is_dir() { sources(&tests) } else { Vec::new() };
    let mut found = Vec::new();
    for program in programs {
        let text = fs::read_to_string(&program).expect("it can be read");
        let beside = program.parent().expect("a file is in a folder");
        let mut lines = text.lines().map(str::trim);
        while let Some(line) = lines.next() {
            let Some(path) = line.strip_prefix("#[path = \"").and_then(|rest| rest.strip_suffix("\"]")) else {
                continue;
            };
            if path.ends_with(".rs") {
                found.push(beside.join(path));
                continue;
            }
            let modules = lines.by_ref().take_while(|line| *line != "}");
            let names = modules.filter_map(|line| line.strip_suffix(';')?.split("mod ").nth(1));
            found.extend(names.map(|name| beside.join(path).join(format!("{name}.rs"))));
        }
    }
    found.iter().map(|path| path.canonicalize().unwrap_or_else(|_| panic!("{} is not there", path.display()))).collect()
}

/// The lines of a manifest from this heading to the next.
fn section<'m>(manifest: &'m str, heading: &str) -> &'m str {
    let from = manifest.find(heading).map_or("", |at| &manifest[at + heading.len()..]);
    from.split_inclusive("\n\n").next().unwrap_or_default()
}

fn has_units(text: &str) -> bool {
    text.lines().any(|line| line.trim_start() == "#[test]")
}

/// The Rust files in a folder and the folders in it.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("it can be listed").map(|entry| entry.expect("it can be read").path());
    let (folders, files): (Vec<_>, Vec<_>) = entries.partition(|path| path.is_dir());
    let is_rust = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "rs");
    folders.iter().flat_map(|folder| sources(folder)).chain(files.into_iter().filter(is_rust)).collect()
}

/// Whether the documentation has a block of code that is a test: one without a language, or with attributes of Rust.
fn has_example(text: &str) -> bool {
    let comments = text.lines().map(str::trim_start).filter_map(|line| {
        let line = line.strip_prefix("///").or(line.strip_prefix("//!"))?;
        line.trim_start().strip_prefix("```")
    });
    // Every other fence closes a block.
    comments.step_by(2).any(|language| !["text", "json", "console"].contains(&language.trim()))
}
