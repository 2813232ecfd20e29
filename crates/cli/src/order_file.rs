//! Files that list variables of decision diagrams, topmost first: one name in a line, as NuSMV writes them.

use crate::args::CheckArgs;
use crate::{output, save};
use lariat::Checked;
use lariat_base::Diagnostic;
use std::path::Path;

/// More text than this is no list of variables.
const MOST_BYTES: u64 = 16 << 20;

/// The lines of a file that lists names; or why it cannot be read. Comments, from `--` on, are left out; lines without a name are
/// kept, so that what is wrong with a name can be said with its line.
pub(crate) fn read(path: &Path) -> Result<Vec<String>, String> {
    let unread = |why: &dyn std::fmt::Display| format!("`--order {}`: {why}", path.display());
    let missing = |error: std::io::Error| match error.kind() {
        std::io::ErrorKind::NotFound => unread(&"there is no such file; the option takes a file that lists variables"),
        _ => unread(&error),
    };
    let size = std::fs::metadata(path).map_err(missing)?.len();
    if size > MOST_BYTES {
        return Err(unread(&format_args!("{size} bytes are too many for a list of variables")));
    }
    let text = std::fs::read_to_string(path).map_err(|error| unread(&error))?;
    let lines = text.lines().map(|line| line.split("--").next().unwrap_or_default().trim());
    Ok(lines.map(str::to_owned).collect())
}

/// Writes the order that decision diagrams had at the end, where that was asked for.
pub(crate) fn save(arguments: &CheckArgs, checked: &Checked) -> Result<(), Diagnostic> {
    let Some(path) = &arguments.search.write_order else { return Ok(()) };
    let mut orders = checked.settled.iter().filter_map(|settled| settled.report().stats.symbolic.as_ref());
    let Some(figures) = orders.next_back() else {
        let why = "no property was searched by decision diagrams";
        output::note(&format!("note: {why}, so there is no order to save in `{}`\n", path.display()));
        return Ok(());
    };
    save::write(path, &format_args!("{}\n", figures.order.join("\n")))
}
