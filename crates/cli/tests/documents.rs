//! Every example of the README is run: what it prints is what the README says, apart from times and memory.

use std::path::Path;
use std::process::Command;

#[test]
fn the_readme_tells_the_truth() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let readme = std::fs::read_to_string(root.join("README.md")).expect("the project has a README");
    let mut examples = 0;
    for block in readme.split("```sh\n").skip(1) {
        let (commands, rest) = block.split_once("```").expect("a block is closed");
        let Some(arguments) = commands.trim().strip_prefix("cargo run --release --bin lariat -- ") else { continue };
        let shown = rest.split_once("```text\n").and_then(|(_, text)| text.split_once("```")).expect("an output").0;
        let output = Command::new(env!("CARGO_BIN_EXE_lariat"))
            .args(arguments.split_whitespace())
            .current_dir(&root)
            .output()
            .expect("the program runs");
        assert_eq!(without_figures(&String::from_utf8_lossy(&output.stdout)), without_figures(shown));
        examples += 1;
    }
    assert!(examples > 0, "the README has no example");
}

/// The text without times and memory, which differ from run to run.
fn without_figures(text: &str) -> String {
    let plain = |line: &str| match line.find(", depth ") {
        Some(at) => line[..at].to_owned(),
        None => line.to_owned(),
    };
    text.lines().map(plain).collect::<Vec<_>>().join("\n")
}
