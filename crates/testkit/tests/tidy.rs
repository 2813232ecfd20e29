//! No test file of the workspace is left out of the test programs.
//!
//! Crates with several files of tests make one program of them, whose root is `tests/all.rs`. A file that is not listed there
//! would never run.

use std::fs;
use std::path::Path;

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
