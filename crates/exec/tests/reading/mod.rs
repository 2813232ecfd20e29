//! Models for tests and benches, read the way `lariat` reads them.

use lariat_base::SourceMap;
use lariat_promela::{ModelOptions, read_model};
use lariat_system::System;
use std::path::{Path, PathBuf};

/// The system of a Promela model; `None` if the text is refused.
pub(crate) fn system(path: &Path) -> Option<System> {
    let text = std::fs::read_to_string(path).ok()?;
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut loader = |written: &str, _: &str| {
        let found = std::fs::read_to_string(folder.join(written)).map_err(|error| error.to_string())?;
        Ok((written.to_owned(), found))
    };
    let name = path.display().to_string();
    let model = read_model(&mut SourceMap::default(), &name, &text, &ModelOptions::default(), &mut loader).ok()?;
    let pool_size = model.pool_bound().unwrap_or(model.initial_processes().max(8));
    (pool_size >= model.initial_processes()).then(|| model.system(pool_size).ok())?
}

/// The models below a folder of the project, or beside it; none if there is no such folder.
#[allow(dead_code, reason = "not everybody who reads models looks for them")]
pub(crate) fn models(folder: &str) -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(folder);
    let (mut found, mut open) = (Vec::new(), vec![root]);
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            match path.extension().and_then(|extension| extension.to_str()) {
                _ if path.is_dir() => open.push(path),
                Some("pml" | "prom" | "promela" | "spin") => found.push(path),
                _ => {}
            }
        }
    }
    found.sort();
    found
}
