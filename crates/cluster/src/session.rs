//! The workers of this process, for one search.

use crate::link::Link;
use crate::network::{Network, TaskHashes};
use crate::share::Halt;
use crate::trouble::{Lost, Trouble};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};
use timely::WorkerConfig;
use timely::communication::Hooks;
use timely::communication::allocator::zero_copy::allocator::TcpBuilder;
use timely::communication::allocator::zero_copy::initialize::CommsGuard;
use timely::communication::allocator::{Allocator, ProcessBuilder};
use timely::worker::Worker;

/// What becomes a worker's connection with others, in the worker's own thread.
enum Builder {
    Process(ProcessBuilder),
    Tcp(TcpBuilder),
}

impl Builder {
    fn build(self) -> Allocator {
        match self {
            Self::Process(builder) => Allocator::Process(builder.build()),
            Self::Tcp(builder) => Allocator::Tcp(builder.build()),
        }
    }
}

/// Where the workers of a search are.
pub(crate) struct Session {
    builders: Vec<Builder>,
    pub(crate) trouble: Arc<Trouble>,
    /// How many processes there are.
    pub(crate) processes: usize,
    network: Option<(&'static Network, CommsGuard)>,
}

impl Session {
    /// So many workers in this process.
    pub(crate) fn local(workers: usize) -> Self {
        let builders = ProcessBuilder::new_typed_vector(workers, Hooks::default().refill, None);
        let builders = builders.into_iter().map(Builder::Process).collect();
        Self { builders, trouble: Arc::default(), processes: 1, network: None }
    }
    /// The workers of this process and those of others, which begin the same search, if they do while `wait` says that they are waited for.
    pub(crate) fn over(network: &'static Network, task: &TaskHashes, wait: &dyn Fn() -> bool) -> Result<Self, Lost> {
        let (builders, guard) = network.begin(task, wait)?;
        let builders = builders.into_iter().map(Builder::Tcp).collect();
        let (trouble, processes) = (Arc::clone(network.trouble()), network.processes());
        Ok(Self { builders, trouble, processes, network: Some((network, guard)) })
    }

    /// Does the work on all workers of this process, and says what came of it on the first: the others say the same.
    pub(crate) fn run<T: Send>(
        &mut self,
        work: impl Fn(&mut Link<'_>, &Trouble) -> Result<T, Halt> + Sync,
    ) -> Result<T, Halt> {
        let (builders, trouble) = (std::mem::take(&mut self.builders), &*self.trouble);
        let work = &work;
        let on_worker = |builder: Builder| {
            // Without a clock it would never wait, but turn in circles.
            let mut worker = Worker::new(WorkerConfig::default(), builder.build(), Some(Instant::now()));
            let mut link = Link::new(&mut worker, trouble);
            // Dropped before the connection is, which others would take for a proper end.
            let _guard = PanicGuard(trouble);
            let done = work(&mut link, trouble);
            if !matches!(done, Err(Halt::Lost)) {
                // All have said what they had to say: who is lost now is not needed.
                let _ = link.finish();
            }
            done
        };
        let on_worker = &on_worker;
        let mut builders = builders.into_iter();
        let first = builders.next().expect("there is a worker");
        let done = catch_unwind(AssertUnwindSafe(|| {
            thread::scope(|scope| {
                let others: Vec<_> =
                    builders.map(|builder| scope.spawn(move || on_worker(builder).map(|_| ()))).collect();
                let done = on_worker(first);
                for other in others {
                    if let Err(panic) = other.join() {
                        resume_unwind(panic);
                    }
                }
                done
            })
        }));
        if let Some((network, guard)) = self.network.take() {
            leave(network, guard);
        }
        done.unwrap_or_else(|panic| resume_unwind(panic))
    }
}

/// Waits until what was sent is out and the others have said that they are done; if one is lost, tells all.
fn leave(network: &'static Network, guard: CommsGuard) {
    let trouble = Arc::clone(network.trouble());
    let (done, is_done) = mpsc::channel();
    // Its threads wait for ever where a process is lost, and so does who waits for them.
    let waiting = thread::Builder::new().name("cluster:leave".to_owned()).spawn(move || {
        drop(guard);
        let _ = done.send(());
    });
    if waiting.is_ok() {
        while trouble.check().is_ok() {
            match is_done.recv_timeout(Duration::from_millis(20)) {
                Ok(()) => break,
                Err(RecvTimeoutError::Timeout) => {}
                // It panicked, as one of the threads has that it waited for.
                Err(RecvTimeoutError::Disconnected) => {
                    trouble.lose("a connection met an internal error");
                }
            }
        }
    }
    network.end();
    if let Some(why) = trouble.why() {
        network.give_up(&why);
    }
}

/// Lets the other workers end when one of them panics.
struct PanicGuard<'t>(&'t Trouble);

impl Drop for PanicGuard<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.lose("a worker met an internal error");
        }
    }
}
