//! What the machine has, and how much of it a run may take.

use lariat_engine::RunControl;
use lariat_store::Budget;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Where the machine does not tell how much memory it has.
const UNKNOWN_MEMORY_BYTES: u64 = 4 << 30;
/// What the program takes beside the stores, frontiers and parents that draw on the budget: code, model, buffers.
const PROGRAM_BYTES: u64 = 16 << 20;
/// By how much the system's figure for the peak may grow without a new peak: it counts pages by processor and adds them up late.
const PEAK_ERROR_BYTES: u64 = 1 << 20;

/// What one run may take.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Memory of the whole program.
    pub memory_bytes: u64,
    /// Time from the beginning.
    pub time: Option<Duration>,
}

impl Default for Limits {
    fn default() -> Self {
        Self { memory_bytes: default_memory_bytes(), time: None }
    }
}

impl Limits {
    /// The control of a run that begins now under these limits. Part of the memory is set aside for the program itself,
    /// so that all of it together stays below the limit.
    pub fn control(&self) -> RunControl {
        let control = RunControl::new(self.memory_bytes, self.time);
        // With little memory a part of it must do: such runs are a few MiB above their limit.
        let has_enough = self.memory_bytes >= 3 * PROGRAM_BYTES;
        let set_aside = if has_enough { PROGRAM_BYTES } else { self.memory_bytes / 4 };
        control.budget.take(set_aside).expect("a third of an untouched budget, at most");
        control
    }
}

/// Four fifths of the memory that this process may use: the machine's, or that of its control group if that is less.
pub fn default_memory_bytes() -> u64 {
    let machine = fs::read_to_string("/proc/meminfo").ok().and_then(|text| field_kib(&text, "MemTotal:"));
    let group =
        fs::read_to_string("/proc/self/cgroup").ok().and_then(|text| group_limit(&text, Path::new("/sys/fs/cgroup")));
    machine.into_iter().chain(group).min().unwrap_or(UNKNOWN_MEMORY_BYTES) / 5 * 4
}

/// Measures the most memory that this process has during one search.
pub(crate) struct MemoryMeter<'a> {
    budget: &'a Budget,
    /// At the beginning: the most that the process ever had, and what it has beside the budget, if the machine says that.
    before: Option<(u64, u64)>,
}

impl<'a> MemoryMeter<'a> {
    /// The search begins.
    pub(crate) fn begin(budget: &'a Budget) -> Self {
        budget.begin_peak();
        let before = memory_bytes().map(|(most, now)| (most, now.saturating_sub(budget.used_bytes())));
        Self { budget, before }
    }
    /// The most memory since then: of the process if that was clearly more than ever before, otherwise estimated by the budget.
    pub(crate) fn peak_bytes(&self) -> u64 {
        let of_budget = self.budget.peak_bytes();
        match (self.before, memory_bytes()) {
            (Some((before, _)), Some((most, _))) if most > before + PEAK_ERROR_BYTES => most,
            (Some((before, beside)), Some(_)) => (beside + of_budget).min(before),
            _ => of_budget,
        }
    }
}

/// The most memory that this process ever had, and what it has now, if the machine says that.
fn memory_bytes() -> Option<(u64, u64)> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    Some((field_kib(&status, "VmHWM:")?, field_kib(&status, "VmRSS:")?))
}

/// The memory that this process has allocated and used, without its code, if the machine tells.
pub fn allocated_memory_bytes() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    // One line of many: the search for its name is faster than taking all of them apart.
    field_kib(&status[status.find("RssAnon:")?..], "RssAnon:")
}

/// The bytes of a line such as `MemTotal:  1024 kB`.
fn field_kib(text: &str, name: &str) -> Option<u64> {
    let rest = text.lines().find_map(|line| line.strip_prefix(name))?;
    rest.split_whitespace().next()?.parse::<u64>().ok()?.checked_mul(1024)
}

/// The least limit on the way from the process's control group to the root of its hierarchy; `membership` is the text of
/// `/proc/self/cgroup`, `root` where the hierarchies are found.
fn group_limit(membership: &str, root: &Path) -> Option<u64> {
    let limits = membership.lines().flat_map(|line| {
        let mut parts = line.splitn(3, ':');
        let (_, controllers, path) = (parts.next(), parts.next().unwrap_or(""), parts.next().unwrap_or("/"));
        let (base, file) = match controllers {
            "" => (root.to_owned(), "memory.max"),
            _ if controllers.split(',').any(|name| name == "memory") => (root.join("memory"), "memory.limit_in_bytes"),
            _ => return Vec::new(),
        };
        let group: PathBuf = base.join(path.trim_start_matches('/'));
        let up_to_base = group.ancestors().take_while(|folder| folder.starts_with(&base));
        up_to_base.map(|folder| folder.join(file)).collect()
    });
    // `max` and files that are not there are no limits; version 1 writes an enormous number instead.
    limits.filter_map(|file| fs::read_to_string(file).ok()?.trim().parse().ok()).min()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_limit_on_the_way_up_counts() {
        let root = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write("a/memory.max", "5000\n");
        write("a/b/memory.max", "max\n");
        write("memory/x/memory.limit_in_bytes", "9223372036854771712\n");
        assert_eq!(group_limit("0::/a/b\n", root.path()), Some(5000));
        assert_eq!(group_limit("0::/\n", root.path()), None);
        assert_eq!(group_limit("3:cpu,memory:/x\n1:name=y:/\n", root.path()), Some(9_223_372_036_854_771_712));
        assert_eq!(field_kib("A: 1 kB\nMemTotal:   12 kB\n", "MemTotal:"), Some(12 * 1024));
    }

    #[test]
    fn some_memory_is_found_and_the_budget_stays_below_it() {
        assert!(default_memory_bytes() > 1 << 20);
        for memory_bytes in [0, 3, 1000, 1 << 30] {
            let control = Limits { memory_bytes, time: None }.control();
            assert_eq!(control.budget.limit_bytes(), memory_bytes);
            assert!(control.budget.used_bytes() <= memory_bytes);
        }
    }
}
