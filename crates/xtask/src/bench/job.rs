//! Programs that are run and measured.
//!
//! What the system says of a program's time and memory it says of all children of a process together. So each program is
//! started by a process of its own, which has no other child: this program again, as `xtask measured`. Its own size is
//! a floor under the memory that is measured, some megabytes.

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// A program to be run in a folder.
#[derive(Clone, Debug)]
pub(super) struct Job {
    pub(super) program: PathBuf,
    pub(super) arguments: Vec<String>,
    pub(super) folder: PathBuf,
}

/// What a run took.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Figures {
    pub(super) wall_seconds: f64,
    /// User and system time of all its threads.
    pub(super) cpu_seconds: f64,
    pub(super) resident_bytes: u64,
}

/// A run that came to its end. Of several runs of one job the best figures are kept, each by itself: what others on the
/// machine add is never negative.
#[derive(Clone, Debug)]
pub(super) struct Ended {
    pub(super) code: i32,
    pub(super) output: String,
    pub(super) complaints: String,
    pub(super) best: Figures,
}

impl Job {
    pub(super) fn new(program: impl Into<PathBuf>, arguments: &[&str], folder: &Path) -> Self {
        let arguments = arguments.iter().map(|&argument| argument.to_owned()).collect();
        Self { program: program.into(), arguments, folder: folder.to_owned() }
    }

    /// Runs it to its end, or for so many seconds; or says why there is nothing to measure.
    pub(super) fn run(&self, seconds: u64) -> Result<Ended, String> {
        let ourselves = std::env::current_exe().map_err(|error| error.to_string())?;
        let figures = std::env::temp_dir().join(format!("lariat-figures-{}", std::process::id()));
        let _ = std::fs::remove_file(&figures);
        let mut command = Command::new(ourselves);
        command.arg("measured").arg(&figures).arg(seconds.to_string()).arg("--").arg(&self.program);
        let ran = command.args(&self.arguments).current_dir(&self.folder).stdin(Stdio::null()).output();
        let ran = ran.map_err(|error| error.to_string())?;
        let read = std::fs::read_to_string(&figures).map_err(|error| error.to_string());
        let _ = std::fs::remove_file(&figures);
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let (code, best) = read_figures(&read?)
            .ok_or_else(|| format!("`{}` did not end by itself within {seconds} seconds", self.program.display()))?;
        Ok(Ended { code, output: text(&ran.stdout), complaints: text(&ran.stderr), best })
    }
}

impl Ended {
    /// Takes another run of the same job into account.
    pub(super) fn join(&mut self, other: &Figures) {
        self.best.wall_seconds = self.best.wall_seconds.min(other.wall_seconds);
        self.best.cpu_seconds = self.best.cpu_seconds.min(other.cpu_seconds);
        self.best.resident_bytes = self.best.resident_bytes.min(other.resident_bytes);
    }
}

/// Runs every job `rounds` times, in turns, so that a slow minute of the machine is slow for all of them.
/// A job that once has no result is not tried again.
pub(super) fn run_in_turns(jobs: &[Job], rounds: u32, seconds: u64) -> Vec<Result<Ended, String>> {
    let mut results: Vec<Option<Result<Ended, String>>> = vec![None; jobs.len()];
    for _ in 0..rounds.max(1) {
        for (job, result) in jobs.iter().zip(&mut results) {
            match result {
                None => *result = Some(job.run(seconds)),
                Some(Err(_)) => {}
                Some(Ok(ended)) => match job.run(seconds) {
                    Ok(again) => ended.join(&again.best),
                    Err(why) => *result = Some(Err(why)),
                },
            }
        }
    }
    results.into_iter().map(|result| result.expect("there is at least one round")).collect()
}

/// `xtask measured`: runs the program and writes to `file` what it took. The program is killed after so many seconds.
pub(crate) fn measured(file: &Path, seconds: u64, command: &[OsString]) -> ExitCode {
    let start = Instant::now();
    let mut child = match Command::new(&command[0]).args(&command[1..]).spawn() {
        Ok(child) => child,
        Err(error) => {
            eprintln!("{}: {error}", command[0].display());
            return ExitCode::FAILURE;
        }
    };
    let pid = Pid::from_raw(child.id().try_into().expect("process ids are small"));
    let (ended, end) = channel::<()>();
    let watchdog = std::thread::spawn(move || {
        if end.recv_timeout(Duration::from_secs(seconds)) == Err(RecvTimeoutError::Timeout) {
            let _ = kill(pid, Signal::SIGKILL);
        }
    });
    let status = child.wait().expect("a child can be waited for");
    let wall = start.elapsed();
    drop(ended);
    let _ = watchdog.join();
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).expect("one's own children can be asked about");
    let code = status.code().map_or_else(|| "killed".to_owned(), |code| code.to_string());
    let kibibytes = usage.max_rss();
    let text = format!("{code} {} {} {kibibytes}\n", wall.as_secs_f64(), cpu_seconds(&usage));
    if std::fs::write(file, text).is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// The time that this process has computed so far.
pub(super) fn own_cpu_seconds() -> f64 {
    cpu_seconds(&getrusage(UsageWho::RUSAGE_SELF).expect("one can ask about oneself"))
}

fn cpu_seconds(usage: &nix::sys::resource::Usage) -> f64 {
    let times = [usage.user_time(), usage.system_time()];
    times.iter().map(|time| time.tv_sec() as f64 + time.tv_usec() as f64 / 1e6).sum()
}

/// The exit code and the figures; `None` if the program was killed.
fn read_figures(text: &str) -> Option<(i32, Figures)> {
    let mut fields = text.split_whitespace();
    let code = fields.next()?.parse().ok()?;
    let wall_seconds = fields.next()?.parse().ok()?;
    let cpu_seconds = fields.next()?.parse().ok()?;
    let resident_bytes = fields.next()?.parse::<u64>().ok()? * 1024;
    Some((code, Figures { wall_seconds, cpu_seconds, resident_bytes }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_measured_is_read_back() {
        let file = std::env::temp_dir().join(format!("lariat-measured-{}", std::process::id()));
        measured(&file, 60, &["sh".into(), "-c".into(), "exit 3".into()]);
        let (code, figures) = read_figures(&std::fs::read_to_string(&file).unwrap()).unwrap();
        assert_eq!(code, 3);
        assert!(figures.wall_seconds > 0.0 && figures.resident_bytes > 100_000, "{figures:?}");
        measured(&file, 0, &["sleep".into(), "60".into()]);
        assert_eq!(read_figures(&std::fs::read_to_string(&file).unwrap()), None);
        std::fs::remove_file(&file).unwrap();
    }
}
