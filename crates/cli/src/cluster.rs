//! `lariat cluster`: a check by several processes.
//!
//! Every process reads the same model and searches its share of the states; the first one prints. With `--local N` this process is the
//! first one, and starts the others on this machine.

use crate::args::CheckArgs;
use crate::exit::Exit;
use crate::output;
use crate::refusal::Refusal;
use crate::several;
use crate::units::parse_duration;
use clap::Args;
use lariat::front::FrontEnds;
use lariat::{Cluster, Engines, Network, NetworkOptions, Times, default_memory_bytes, parse_hosts};
use lariat_engine::Engine;
use std::ffi::OsString;
use std::net::{IpAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

// The command line of `lariat cluster`; what the command is for stands in `Command`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  lariat cluster --local 3 mutex.pml                                        three processes on this machine
  lariat cluster --hosts hosts.txt --process 0 --secret key mutex.pml       on the first of several machines
  lariat cluster --hosts hosts.txt --process 1 --secret key mutex.pml       on the second

The hosts file has one `host:port` in each line. All processes take the same model and the same options; the first one (number 0) \
prints. With `--disk DIR` each process keeps the levels that are finished in DIR, so that the same command goes on from there; when memory is \
full, the states go there too. A process listens at the loopback interface unless `--bind` says otherwise. See docs/cluster.md.

Exit codes: as those of `check`; 3 also if a process is lost or never comes up.")]
pub(crate) struct ClusterArgs {
    /// The processes: a file with one `host:port` in each line
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath, requires = "process")]
    hosts: Option<PathBuf>,
    /// Which line of the hosts file this process is, from 0
    #[arg(long, value_name = "I", requires = "hosts")]
    process: Option<usize>,
    /// Start this many processes on this machine, instead of `--hosts`
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=64), conflicts_with_all = ["hosts", "process", "bind"])]
    local: Option<u16>,
    /// A file with a secret that all processes share; a process without it is refused
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    secret: Option<PathBuf>,
    /// Listen at this address of this machine, so that others can connect; `0.0.0.0` for all its addresses. Needs `--secret`
    #[arg(long, value_name = "ADDRESS", requires = "secret")]
    bind: Option<IpAddr>,
    /// How long to wait for the other processes to come up
    #[arg(long, value_name = "DURATION", default_value = "30s", value_parser = parse_duration)]
    connect_time: Duration,
    /// A process that sends nothing for this long counts as lost
    #[arg(long, value_name = "DURATION", default_value = "10s", value_parser = parse_duration)]
    silence_time: Duration,
    #[command(flatten)]
    check: CheckArgs,
}

/// The fewest bytes that a secret may have.
const LEAST_SECRET_BYTES: usize = 16;
/// How long the processes of `--local` have to end when the first one has.
const ENDING_TIME: Duration = Duration::from_secs(5);

pub(crate) fn run(mut arguments: ClusterArgs, engines: &Engines, front_ends: &FrontEnds) -> Exit {
    let refusal = Refusal::new(&arguments.check.model, arguments.check.output.form());
    // The engine that all processes run.
    let name = Cluster::LOCAL.name();
    if let Some(other) = arguments.check.search.engine.0.filter(|asked| *asked != name) {
        return refusal
            .of_request(&format!("`lariat cluster` runs the engine `{name}`; `{other}` is for `lariat check`"));
    }
    if arguments.check.output.plan || arguments.check.memory.when_full().is_some() {
        return refusal.of_request("`--plan` and `--when-full` are for `lariat check --engine cluster`");
    }
    if arguments.check.search.threads.is_some() {
        return refusal
            .of_request("`lariat cluster` takes `--workers`, the workers of each process, and not `--threads`");
    }
    let started = match arguments.local {
        None => Ok(None),
        Some(processes) => Local::start(&mut arguments, usize::from(processes)).map(Some),
    };
    let mut local = match started {
        Ok(local) => local,
        Err(reason) => return refusal.of_request(&reason),
    };
    let network = match listen(&arguments, local.as_ref()) {
        Ok(network) => network,
        Err(reason) => return refusal.of_request(&reason),
    };
    let process = network.process();
    // It is needed for as long as the program runs.
    let network: &'static Network = Box::leak(Box::new(network));
    let engine: &'static dyn Engine = Box::leak(Box::new(Cluster::over(network)));
    let engines = engines.clone().replacing(engine);
    let check = &mut arguments.check;
    check.search.engine.0 = Some(name);
    check.search.workers.get_or_insert(1);
    if process > 0 {
        // The first process prints, and writes files.
        output::leave_to_another_process();
        let files = &mut check.output;
        (files.trace, files.report, files.coverage, files.trail) = (None, None, None, false);
        (files.json, files.json_lines, files.quiet) = (false, false, true);
    }
    let exit = several::run(Box::new(arguments.check), &engines, front_ends);
    if let Some(local) = &mut local {
        local.end();
    }
    if process > 0
        && let Some(why) = network.why_lost()
    {
        // The first process does not print this one's answer, and may not know why this one ended.
        output::note(&format!("undecided: process {process} of the cluster ended: {why}\n"));
    }
    exit
}

/// Begins to listen for the other processes.
fn listen(arguments: &ClusterArgs, local: Option<&Local>) -> Result<Network, String> {
    let read = |path: &Path| std::fs::read(path).map_err(|error| format!("cannot read `{}`: {error}", path.display()));
    let (hosts, process) = match (local, &arguments.hosts, arguments.process) {
        (Some(local), ..) => (local.hosts.clone(), 0),
        (None, Some(path), Some(process)) => {
            let text = String::from_utf8(read(path)?).map_err(|_| format!("`{}` is not a text", path.display()))?;
            (parse_hosts(&text).map_err(|error| format!("`{}`: {error}", path.display()))?, process)
        }
        _ => return Err("`lariat cluster` needs `--hosts` and `--process`, or `--local`".to_owned()),
    };
    let secret = match (&arguments.secret, local) {
        (Some(path), _) => {
            let secret = read(path)?;
            if secret.len() < LEAST_SECRET_BYTES {
                let path = path.display();
                return Err(format!(
                    "the secret in `{path}` has {} bytes, and needs {LEAST_SECRET_BYTES}",
                    secret.len()
                ));
            }
            secret
        }
        (None, _) => Vec::new(),
    };
    Network::listen(NetworkOptions {
        hosts,
        process,
        bind: arguments.bind,
        secret,
        workers: arguments.check.search.workers.unwrap_or(1),
        times: Times { connect: arguments.connect_time, silence: arguments.silence_time },
    })
}

/// Processes on this machine that this one has started.
struct Local {
    hosts: Vec<String>,
    children: Vec<Child>,
    /// The hosts file; removed in the end.
    file: PathBuf,
}

impl Local {
    /// Starts all but the first process, with the same arguments.
    fn start(arguments: &mut ClusterArgs, processes: usize) -> Result<Self, String> {
        let no_port = |error: std::io::Error| format!("the system gives no ports: {error}");
        // All are held at the same time, so that they are different; then each process takes its own.
        let held: Vec<TcpListener> =
            (0..processes).map(|_| TcpListener::bind("127.0.0.1:0")).collect::<Result<_, _>>().map_err(no_port)?;
        let hosts: Vec<String> = held
            .iter()
            .map(|listener| listener.local_addr().map(|address| address.to_string()))
            .collect::<Result<_, _>>()
            .map_err(no_port)?;
        drop(held);
        let file = std::env::temp_dir().join(format!("lariat-hosts-{}", std::process::id()));
        std::fs::write(&file, hosts.join("\n"))
            .map_err(|error| format!("cannot write `{}`: {error}", file.display()))?;
        let mut local = Self { hosts, children: Vec::new(), file };
        let program =
            std::env::current_exe().map_err(|error| format!("this program cannot be started again: {error}"))?;
        // Without a limit of its own each process would take most of the memory of this machine.
        let share = match arguments.check.memory.memory {
            Some(_) => None,
            None => Some((default_memory_bytes() / processes as u64).max(1)),
        };
        arguments.check.memory.memory = arguments.check.memory.memory.or(share);
        for process in 1..processes {
            let child = Command::new(&program)
                .args(["cluster", "--hosts"])
                .arg(&local.file)
                .args(["--process", &process.to_string()])
                .args(without_local(std::env::args_os().skip(1)))
                .args(share.iter().flat_map(|bytes| ["--memory".to_owned(), bytes.to_string()]))
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn();
            local.children.push(child.map_err(|error| format!("this program cannot be started again: {error}"))?);
        }
        arguments.local = None;
        Ok(local)
    }

    /// Waits for the other processes, which end by themselves; ends those that do not.
    fn end(&mut self) {
        let deadline = Instant::now() + ENDING_TIME;
        for child in &mut self.children {
            while matches!(child.try_wait(), Ok(None)) {
                if Instant::now() >= deadline {
                    let _ = child.kill();
                    let _ = child.wait();
                    break;
                }
                std::thread::sleep(Duration::from_millis(5));
            }
        }
        let _ = std::fs::remove_file(&self.file);
    }
}

impl Drop for Local {
    fn drop(&mut self) {
        self.end();
    }
}

/// The arguments of this program without the command and `--local N`.
fn without_local(arguments: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let (mut kept, mut skips, mut has_command) = (Vec::new(), false, false);
    for argument in arguments {
        let text = argument.to_string_lossy();
        match () {
            _ if std::mem::replace(&mut skips, false) => {}
            _ if !has_command && text == "cluster" => has_command = true,
            _ if text == "--local" => skips = true,
            _ if text.starts_with("--local=") => {}
            _ => kept.push(argument),
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_processes_get_the_same_arguments() {
        let of = |line: &str| without_local(line.split(' ').map(OsString::from));
        assert_eq!(of("cluster --local 3 m.pml --json"), ["m.pml", "--json"]);
        assert_eq!(of("--color never cluster m.pml --local=3 -D N=2"), ["--color", "never", "m.pml", "-D", "N=2"]);
    }
}
