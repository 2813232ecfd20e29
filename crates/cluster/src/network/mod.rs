//! Several processes: how they find each other, and what they do when one is lost.
//!
//! Process `i` of the hosts file listens at its address, connects to those before it, and is connected to by those after it. One
//! connection between two processes serves all searches of a run ([`connection`]). Before the first byte of a search stands our own
//! handshake ([`handshake`]); before each search the processes tell each other what they will search, and go on only if that is the same.
//!
//! Whoever connects and is no process of the cluster is refused, and the run goes on. When a process is lost, each other one ends its
//! search without a verdict: at once if the connection breaks, after [`Times::silence`] if it does not.

mod connection;
mod handshake;
mod hosts;

pub use connection::Times;
pub use hosts::parse_hosts;

use crate::trouble::{Lost, Trouble};
use connection::{Connection, Expected, SearchStream};
use handshake::{Identity, Refused};
use hosts::listening_address;
use std::fmt;
use std::io::ErrorKind;
use std::net::{IpAddr, TcpListener, TcpStream, ToSocketAddrs};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};
use timely::communication::Hooks;
use timely::communication::allocator::ProcessBuilder;
use timely::communication::allocator::zero_copy::allocator::TcpBuilder;
use timely::communication::allocator::zero_copy::initialize::{CommsGuard, initialize_networking_from_sockets};

/// So many handshakes at a time; who comes then is turned away.
const MOST_HANDSHAKES: usize = 32;
/// How often connecting is tried again.
const RETRY_TIME: Duration = Duration::from_millis(100);
/// So many notices about strangers are kept.
const MOST_NOTICES: usize = 100;

/// Which process of which cluster this is.
#[derive(Clone, PartialEq, Eq)]
pub struct NetworkOptions {
    /// The addresses of all processes, in order.
    pub hosts: Vec<String>,
    /// Which of them this is.
    pub process: usize,
    /// Where it listens, if not at the loopback interface.
    pub bind: Option<IpAddr>,
    /// What all processes know, and nobody else.
    pub secret: Vec<u8>,
    /// How many workers each process has.
    pub workers: usize,
    /// How long to wait for others.
    pub times: Times,
}

impl fmt::Debug for NetworkOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let secret = if self.secret.is_empty() { "none" } else { "given" };
        f.debug_struct("NetworkOptions").field("hosts", &self.hosts).field("secret", &secret).finish_non_exhaustive()
    }
}

/// A process of a cluster.
pub struct Network {
    options: NetworkOptions,
    trouble: Arc<Trouble>,
    shared: Arc<Shared>,
    /// By process; made when the first search begins.
    connections: Mutex<Option<Vec<Option<Arc<Connection>>>>>,
    /// How many searches were begun.
    searches: AtomicUsize,
}

/// What the thread that accepts connections shares.
struct Shared {
    identity: Identity,
    secret: Vec<u8>,
    /// By process.
    arrived: Mutex<Vec<Arrival>>,
    notices: Mutex<Vec<String>>,
    handshakes: AtomicUsize,
}

/// Whether a process has connected.
enum Arrival {
    NotYet,
    Waiting(TcpStream),
    /// The connection is used.
    Used,
}

impl fmt::Debug for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Network").field("options", &self.options).finish_non_exhaustive()
    }
}

impl Network {
    /// Begins to listen. The others are connected with when the first search begins.
    pub fn listen(options: NetworkOptions) -> Result<Self, String> {
        let own = options.hosts.get(options.process).ok_or_else(|| {
            format!("there is no process {}: {} processes are numbered from 0", options.process, options.hosts.len())
        })?;
        let address = listening_address(own, options.bind)?;
        if !address.ip().is_loopback() && options.secret.is_empty() {
            return Err("other machines can only be let in with a shared secret: `--secret FILE`".to_owned());
        }
        let listener = TcpListener::bind(address).map_err(|error| format!("cannot listen at `{address}`: {error}"))?;
        let processes = options.hosts.len();
        let shared = Arc::new(Shared {
            identity: Identity { process: options.process, processes, workers: options.workers },
            secret: options.secret.clone(),
            arrived: Mutex::new((0..processes).map(|_| Arrival::NotYet).collect()),
            notices: Mutex::default(),
            handshakes: AtomicUsize::new(0),
        });
        let its = Arc::clone(&shared);
        let listening = thread::Builder::new().name("cluster:listen".to_owned()).spawn(move || its.listen(&listener));
        listening.map_err(|error| format!("the system gave no thread: {error}"))?;
        Ok(Self {
            options,
            trouble: Arc::default(),
            shared,
            connections: Mutex::new(None),
            searches: AtomicUsize::new(0),
        })
    }

    /// Which process this is.
    pub fn process(&self) -> usize {
        self.options.process
    }
    /// How many there are.
    pub fn processes(&self) -> usize {
        self.options.hosts.len()
    }
    /// What there is to tell of strangers, since this was asked for.
    pub fn take_notices(&self) -> Vec<String> {
        std::mem::take(&mut *self.shared.notices.lock().unwrap_or_else(PoisonError::into_inner))
    }
    /// Why this process cannot go on with the others, if it cannot.
    pub fn why_lost(&self) -> Option<String> {
        self.trouble.why()
    }
    pub(crate) fn trouble(&self) -> &Arc<Trouble> {
        &self.trouble
    }

    /// Begins a search of this task; all processes must search the same. They are waited for as long as `wait` says.
    pub(crate) fn begin(
        &self,
        task: &TaskHashes,
        wait: &dyn Fn() -> bool,
    ) -> Result<(Vec<TcpBuilder>, CommsGuard), Lost> {
        self.trouble.check()?;
        let connections = self.connected(wait)?;
        let number = self.searches.fetch_add(1, Ordering::Relaxed) as u64;
        let mine = task.bytes(number);
        for connection in connections.iter().flatten() {
            connection.left(None);
            if !connection.tell_task(&mine) {
                return Err(self.give_up("a process is lost"));
            }
        }
        for connection in connections.iter().flatten() {
            let theirs = connection.hear_task(wait).ok_or_else(|| self.give_up("a process is lost"))?;
            if let Some(what) = task.difference(number, &theirs) {
                return Err(self.give_up(&format!("process {} checks {what}", connection.process)));
            }
        }
        let workers = self.options.workers;
        let builders = ProcessBuilder::new_typed_vector(workers, Hooks::default().refill, None);
        let streams = connections.iter().map(|connection| connection.clone().map(SearchStream::new)).collect();
        initialize_networking_from_sockets(builders, streams, self.options.process, workers, Hooks::default())
            .map_err(|error| self.give_up(&format!("the system gave no threads for connections: {error}")))
    }

    /// The search is over here too.
    pub(crate) fn end(&self) {
        let connections = self.connections.lock().unwrap_or_else(PoisonError::into_inner);
        connections.iter().flatten().flatten().for_each(|connection| connection.left(None));
    }

    /// This process goes no further, and tells the others why: the first reason there was.
    pub(crate) fn give_up(&self, why: &str) -> Lost {
        let lost = self.trouble.lose(why);
        let connections = self.connections.lock().unwrap_or_else(PoisonError::into_inner);
        for connection in connections.iter().flatten().flatten() {
            connection.abort(&self.trouble.why().unwrap_or_default());
        }
        lost
    }

    /// The connections with all others.
    fn connected(&self, wait: &dyn Fn() -> bool) -> Result<Vec<Option<Arc<Connection>>>, Lost> {
        let mut connections = self.connections.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(connections) = &*connections {
            return Ok(connections.clone());
        }
        let made = self.connect_all(wait)?;
        *connections = Some(made.clone());
        drop(connections);
        let (beaten, trouble) = (made.clone(), Arc::clone(&self.trouble));
        let beating = thread::Builder::new().name("cluster:beat".to_owned()).spawn(move || {
            while trouble.check().is_ok() {
                beaten.iter().flatten().for_each(|connection| {
                    connection.beat();
                    connection.check_left();
                });
                thread::sleep(Duration::from_millis(250));
            }
        });
        beating.map_err(|error| self.trouble.lose(format!("the system gave no thread: {error}")))?;
        Ok(made)
    }

    fn connect_all(&self, wait: &dyn Fn() -> bool) -> Result<Vec<Option<Arc<Connection>>>, Lost> {
        let NetworkOptions { hosts, process: own, times, workers, .. } = &self.options;
        let deadline = Instant::now() + times.connect;
        let mut made: Vec<Option<Arc<Connection>>> = (0..hosts.len()).map(|_| None).collect();
        let expected = Expected {
            first_worker: (own * workers) as u64,
            workers: *workers as u64,
            all_workers: (hosts.len() * workers) as u64,
        };
        let mut told = String::new();
        loop {
            for (other, host) in hosts.iter().enumerate().filter(|(other, _)| other != own) {
                if made[other].is_some() {
                    continue;
                }
                let stream = if other < *own {
                    match self.connect_to(other, host) {
                        Ok(stream) => Some(stream),
                        Err(Refused::Broken(why)) => {
                            told = format!(": {why}");
                            None
                        }
                        Err(Refused::Stranger(why)) => {
                            return Err(self.trouble.lose(format!("process {other} ({host}) is not wanted: {why}")));
                        }
                    }
                } else {
                    self.shared.take_arrived(other)
                };
                if let Some(stream) = stream {
                    let trouble = Arc::clone(&self.trouble);
                    let connection = Connection::new(other, host, stream, trouble, times.silence, expected);
                    let connection =
                        connection.map_err(|error| self.trouble.lose(format!("process {other} ({host}): {error}")))?;
                    made[other] = Some(Arc::new(connection));
                }
            }
            let missing = (0..hosts.len()).find(|other| other != own && made[*other].is_none());
            let Some(missing) = missing else { return Ok(made) };
            if Instant::now() >= deadline {
                let (host, seconds) = (&hosts[missing], times.connect.as_secs_f64());
                let told = if missing < *own { told } else { String::new() };
                return Err(self
                    .trouble
                    .lose(format!("process {missing} ({host}) did not come up within {seconds} s{told}")));
            }
            if !wait() {
                let host = &hosts[missing];
                let why = format!("process {missing} ({host}) did not come up within the limits of this one");
                return Err(self.trouble.lose(why));
            }
            thread::sleep(RETRY_TIME.min(deadline.saturating_duration_since(Instant::now())));
        }
    }

    fn connect_to(&self, other: usize, host: &str) -> Result<TcpStream, Refused> {
        let broken = |error: std::io::Error| Refused::Broken(error.to_string());
        let address = host.to_socket_addrs().map_err(broken)?.next();
        let address = address.ok_or_else(|| Refused::Broken("its name has no address".to_owned()))?;
        let mut stream = TcpStream::connect_timeout(&address, Duration::from_secs(2)).map_err(broken)?;
        handshake::connect(&mut stream, self.shared.identity, other, &self.shared.secret)?;
        Ok(stream)
    }
}

impl Shared {
    fn notice(&self, notice: String) {
        let mut notices = self.notices.lock().unwrap_or_else(PoisonError::into_inner);
        if notices.len() < MOST_NOTICES {
            notices.push(notice);
        }
    }

    /// Accepts connections for as long as the program runs.
    fn listen(self: &Arc<Self>, listener: &TcpListener) {
        loop {
            let (stream, from) = match listener.accept() {
                Ok(accepted) => accepted,
                Err(error) => {
                    if error.kind() != ErrorKind::Interrupted && error.kind() != ErrorKind::ConnectionAborted {
                        // Too many open files, for example: that may pass.
                        thread::sleep(RETRY_TIME);
                    }
                    continue;
                }
            };
            if self.handshakes.fetch_add(1, Ordering::SeqCst) >= MOST_HANDSHAKES {
                self.handshakes.fetch_sub(1, Ordering::SeqCst);
                self.notice(format!("a connection from {from} was turned away: there are too many at a time"));
                continue;
            }
            let its = Arc::clone(self);
            let greeting = thread::Builder::new().name("cluster:greet".to_owned()).spawn(move || {
                if let Err(Refused::Stranger(why) | Refused::Broken(why)) = its.greet(stream) {
                    its.notice(format!("a connection from {from} was refused: {why}"));
                }
                its.handshakes.fetch_sub(1, Ordering::SeqCst);
            });
            if greeting.is_err() {
                self.handshakes.fetch_sub(1, Ordering::SeqCst);
            }
        }
    }

    fn greet(&self, mut stream: TcpStream) -> Result<(), Refused> {
        let process = handshake::accept(&mut stream, self.identity, &self.secret)?;
        let mut arrived = self.arrived.lock().unwrap_or_else(PoisonError::into_inner);
        if let Arrival::Used = arrived[process] {
            return Err(Refused::Stranger(format!("process {process} is connected already")));
        }
        handshake::welcome(&mut stream)?;
        // Who comes again has lost its first connection: the last one counts, until it is used.
        arrived[process] = Arrival::Waiting(stream);
        Ok(())
    }

    fn take_arrived(&self, process: usize) -> Option<TcpStream> {
        let mut arrived = self.arrived.lock().unwrap_or_else(PoisonError::into_inner);
        match std::mem::replace(&mut arrived[process], Arrival::Used) {
            Arrival::Waiting(stream) => Some(stream),
            other => {
                arrived[process] = other;
                None
            }
        }
    }
}

/// What is searched, as hashes, each with what is said where another process has another one. All processes have the same parts in the
/// same order. The first ones are told first: where the model differs, so do the others.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct TaskHashes(pub(crate) Vec<(&'static str, [u8; HASH_BYTES])>);

pub(crate) const HASH_BYTES: usize = 32;

impl TaskHashes {
    /// All of them behind a number.
    pub(crate) fn bytes(&self, number: u64) -> Vec<u8> {
        let hashes = self.0.iter().flat_map(|(_, hash)| hash);
        number.to_le_bytes().iter().chain(hashes).copied().collect()
    }

    /// What another process does that this one does not.
    fn difference(&self, number: u64, theirs: &[u8]) -> Option<&'static str> {
        let mine = self.bytes(number);
        if mine.len() != theirs.len() {
            return Some("something that this process does not understand");
        }
        if mine[..8] != theirs[..8] {
            return Some("another number of searches");
        }
        let hashes = theirs[8..].chunks_exact(HASH_BYTES);
        self.0.iter().zip(hashes).find(|((_, mine), theirs)| mine != theirs).map(|((what, _), _)| *what)
    }
}
