//! The book shows what the program prints: every command of every chapter is run, in the order of the chapter, in a folder with
//! the files that the chapter writes down and the models of the repository.
//!
//! `LARIAT_UPDATE=1` writes what is printed into the chapters.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A piece of a chapter: the text around blocks, or a block between lines of three backquotes.
enum Piece<'t> {
    Text(&'t str),
    Block { info: &'t str, body: &'t str },
}

fn pieces(chapter: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut rest = chapter;
    while let Some(begin) = rest.find("```") {
        pieces.push(Piece::Text(&rest[..begin]));
        let block = &rest[begin + 3..];
        let (info, block) = block.split_once('\n').expect("a block has a first line");
        let end = block.find("```").expect("a block is closed");
        pieces.push(Piece::Block { info, body: &block[..end] });
        rest = &block[end + 3..];
    }
    pieces.push(Piece::Text(rest));
    pieces
}

/// What a shell does with the command: words, some of them in single quotes.
fn words(command: &str) -> Vec<String> {
    let mut words = Vec::new();
    let (mut word, mut quoted, mut begun) = (String::new(), false, false);
    for c in command.chars() {
        match c {
            '\'' => (quoted, begun) = (!quoted, true),
            ' ' if !quoted => {
                if std::mem::take(&mut begun) {
                    words.push(std::mem::take(&mut word));
                }
            }
            c => {
                begun = true;
                word.push(c);
            }
        }
    }
    if begun {
        words.push(word);
    }
    assert!(!quoted, "a quote is not closed: {command}");
    words
}

/// What a block of commands prints: what goes to standard output, or where nothing does, to standard error.
fn printed(commands: &str, folder: &Path) -> String {
    let mut text = String::new();
    for command in commands.lines() {
        let arguments = command.strip_prefix("lariat ").unwrap_or_else(|| panic!("`{command}` is not ours"));
        let mut run = Command::new(env!("CARGO_BIN_EXE_lariat"));
        run.args(words(arguments)).current_dir(folder).env("NO_COLOR", "1").env_remove("CLICOLOR_FORCE");
        let output = run.output().expect("the program runs");
        let shown = if output.stdout.is_empty() { &output.stderr } else { &output.stdout };
        assert!(output.status.code().is_some_and(|code| code < 70), "{command}: {output:?}");
        write!(text, "{}", String::from_utf8_lossy(shown)).expect("a text takes everything");
    }
    text
}

/// The text without times and memory, which differ from run to run, and without the columns they stand in.
fn without_figures(text: &str) -> String {
    let is_unit = |word: &str| ["ms", "s", "min", "KiB", "MiB", "GiB"].contains(&word.trim_end_matches(','));
    let is_figure = |word: &str| word.chars().all(|c| c.is_ascii_digit() || c == '.');
    let plain = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let figure = |at: usize| is_figure(words[at]) && words.get(at + 1).is_some_and(|next| is_unit(next));
        let keep = |&at: &usize| !(figure(at) || at > 0 && figure(at - 1));
        (0..words.len()).filter(keep).map(|at| words[at]).collect::<Vec<_>>().join(" ")
    };
    text.lines().map(plain).collect::<Vec<_>>().join("\n").trim_end().to_owned()
}

/// Runs the commands of a chapter and returns it with what they print, and how many outputs it has.
fn as_printed(chapter: &str) -> (String, usize) {
    let folder = tempfile::tempdir().expect("a folder");
    std::os::unix::fs::symlink(root().join("models"), folder.path().join("models")).expect("a link");
    let (mut text, mut outputs) = (String::new(), 0);
    let mut output: Option<String> = None;
    for piece in pieces(chapter) {
        match piece {
            Piece::Text(around) => text.push_str(around),
            Piece::Block { info, body } => {
                if let Some((_, file)) = info.split_once("file=") {
                    std::fs::write(folder.path().join(file), body).expect("written");
                }
                let mut shown = body.to_owned();
                if info == "sh" {
                    output = Some(printed(body, folder.path()));
                } else if let ("text", Some(printed)) = (info, output.take()) {
                    outputs += 1;
                    if without_figures(&printed) != without_figures(body) {
                        shown = format!("{}\n", printed.trim_end());
                    }
                }
                write!(text, "```{info}\n{shown}```").expect("a text takes everything");
            }
        }
    }
    (text, outputs)
}

#[test]
fn the_book_shows_what_is_printed() {
    let folder = root().join("docs/book/src");
    let update = std::env::var_os("LARIAT_UPDATE").is_some();
    let mut outputs = 0;
    for entry in std::fs::read_dir(folder).expect("the book has chapters").flatten() {
        let path = entry.path();
        if path.extension().is_none_or(|ending| ending != "md") {
            continue;
        }
        let chapter = std::fs::read_to_string(&path).expect("a chapter");
        let (printed, count) = as_printed(&chapter);
        outputs += count;
        if update {
            std::fs::write(&path, printed).expect("written");
        } else {
            assert_eq!(chapter, printed, "{}: LARIAT_UPDATE=1 writes what is printed", path.display());
        }
    }
    assert!(outputs > 15, "only {outputs} outputs were compared");
}

#[test]
fn a_changed_output_is_noticed() {
    let chapter = "```sh\nlariat ltl '[] p' --format text\n```\n\n```text\nnothing like it\n```\n";
    let (printed, outputs) = as_printed(chapter);
    assert_eq!(outputs, 1);
    assert_ne!(printed, chapter);
    assert_eq!(without_figures("  1 state, depth 7, 12 ms, 4.5 MiB (bfs)"), "1 state, depth 7, (bfs)");
}
