//! The book: `cargo xtask book`.
//!
//! Its chapters are in docs/book; the reference part is made of the other documents, as they are. Chapters link to these by
//! paths that work in the repository, so the book is first put together in a folder of its own: documents are copied to
//! `reference`, links are adapted, and the table of contents is extended. `mdbook` then makes pages of that folder.

use std::fmt::Write as _;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// Puts the book together below `target` and runs `mdbook`. `root` is the folder of the repository.
pub(crate) fn run(root: &Path, target: &Path) -> ExitCode {
    if let Err(error) = assemble(root, target) {
        eprintln!("the book cannot be put together: {error}");
        return ExitCode::FAILURE;
    }
    let status = Command::new("mdbook").arg("build").arg(target).status();
    match status {
        Ok(status) if status.success() => {
            println!("{}", target.join("book/index.html").display());
            ExitCode::SUCCESS
        }
        Ok(_) => ExitCode::FAILURE,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            eprintln!("`mdbook` is not installed; install it with: cargo install mdbook");
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("`mdbook` cannot be run: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Writes the sources of the whole book into `target`.
fn assemble(root: &Path, target: &Path) -> io::Result<()> {
    let docs = root.join("docs");
    let source = target.join("src");
    match std::fs::remove_dir_all(&source) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => std::fs::create_dir_all(source.join("reference/adr"))?,
    }
    std::fs::copy(docs.join("book/book.toml"), target.join("book.toml"))?;
    std::fs::create_dir_all(source.join("pictures"))?;
    for picture in files(&docs.join("book/src/pictures"), "svg")? {
        std::fs::copy(&picture, source.join("pictures").join(name(&picture)))?;
    }
    for chapter in files(&docs.join("book/src"), "md")? {
        let text = std::fs::read_to_string(&chapter)?;
        std::fs::write(source.join(name(&chapter)), text.replace("](../../", "](reference/"))?;
    }

    let mut summary = std::fs::read_to_string(docs.join("book/src/SUMMARY.md"))?;
    // What the chapters already name does not stand among the reference again.
    let is_named = |document: &Path, summary: &str| summary.contains(&format!("](../../{})", name(document)));
    let (named, other): (Vec<PathBuf>, Vec<PathBuf>) =
        files(&docs, "md")?.into_iter().partition(|document| is_named(document, &summary));
    for document in named {
        std::fs::copy(&document, source.join("reference").join(name(&document)))?;
    }
    summary = summary.replace("](../../", "](reference/");
    summary.push_str("\n# Reference\n\n");
    for document in other {
        reference(&document, &source, "reference", &mut summary, "")?;
    }
    for picture in files(&docs, "svg")?.into_iter().chain(files(&docs, "csv")?) {
        std::fs::copy(&picture, source.join("reference").join(name(&picture)))?;
    }
    for folder in ["schema", "codes"] {
        std::fs::create_dir_all(source.join("reference").join(folder))?;
        for file in files(&docs.join(folder), "json")?.into_iter().chain(files(&docs.join(folder), "md")?) {
            std::fs::copy(&file, source.join("reference").join(folder).join(name(&file)))?;
        }
    }
    summary.push_str("- [Decisions]()\n");
    for decision in files(&docs.join("adr"), "md")? {
        reference(&decision, &source, "reference/adr", &mut summary, "  ")?;
    }
    std::fs::write(source.join("SUMMARY.md"), summary)
}

/// Copies a document and adds its line to the table of contents.
fn reference(document: &Path, source: &Path, folder: &str, summary: &mut String, indent: &str) -> io::Result<()> {
    let text = std::fs::read_to_string(document)?;
    let name = name(document);
    let title = text.lines().find_map(|line| line.strip_prefix("# ")).unwrap_or(&name).replace(['[', ']'], "");
    writeln!(summary, "{indent}- [{title}]({folder}/{name})").expect("a text takes every line");
    std::fs::write(source.join(folder).join(&name), text)
}

/// The files of a folder whose names end in `.ending`, sorted.
fn files(folder: &Path, ending: &str) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|of_file| of_file == ending) {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

fn name(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every page of the book is in its table of contents, and links from chapters lead to a file of the book.
    #[test]
    fn the_book_is_whole() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let target = std::env::temp_dir().join(format!("lariat-book-{}", std::process::id()));
        std::fs::create_dir_all(&target).expect("a folder");
        assemble(&root, &target).expect("the book is put together");
        let source = target.join("src");
        let summary = std::fs::read_to_string(source.join("SUMMARY.md")).expect("a table of contents");
        for document in files(&source.join("reference"), "md").expect("documents") {
            let link = format!("](reference/{})", name(&document));
            assert_eq!(summary.matches(&link).count(), 1, "{link} is in SUMMARY.md once");
        }
        for chapter in files(&source, "md").expect("chapters") {
            let name = name(&chapter);
            assert!(name == "SUMMARY.md" || summary.contains(&format!("]({name})")), "{name} is not in SUMMARY.md");
            let text = std::fs::read_to_string(&chapter).expect("a chapter");
            let targets = text.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(target, _)| target);
            // `[](p -> q)` is a formula.
            for target in targets.filter(|target| !target.contains(' ') && !target.contains("://")) {
                let file = target.split('#').next().unwrap_or_default();
                assert!(file.is_empty() || source.join(file).exists(), "{name}: `{target}` leads nowhere");
            }
        }
        std::fs::remove_dir_all(&target).expect("removed");
    }
}
