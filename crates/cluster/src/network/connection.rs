//! A connection with another process, as frames.
//!
//! What timely writes goes into frames with a length, a kind and a checksum. Between them go *beats*, once a second, so that a process
//! that is silent for [`Times::silence`] is known to be lost, and not only busy. A frame says that a search is over for the one side, so
//! one connection serves all searches of a run. Before bytes are given to timely, the headers of its messages are looked at: timely
//! panics where they are wrong.
//!
//! Where a connection fails, the [`Trouble`] of the process is told, and the thread of timely waits for ever: it would panic, and has
//! nothing to do any more. The process ends soon.

use crate::trouble::Trouble;
use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use timely::communication::allocator::zero_copy::stream::Stream;
use xxhash_rust::xxh3::xxh3_64;

/// How long a process waits for others.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Times {
    /// For them to come up.
    pub connect: Duration,
    /// For any sign of life.
    pub silence: Duration,
}

impl Default for Times {
    fn default() -> Self {
        Self { connect: Duration::from_secs(30), silence: Duration::from_secs(10) }
    }
}

/// Length, kind, check of both, checksum of the payload.
const HEADER_BYTES: usize = 16;
/// More bytes are no frame of ours.
const MOST_FRAME_BYTES: usize = 1 << 20;
/// A message of timely has no more bytes.
const MOST_MESSAGE_BYTES: u64 = 1 << 28;
/// How often something is sent at least.
const BEAT_TIME: Duration = Duration::from_secs(1);
/// How often a thread that waits for bytes looks whether it should.
const LOOK_TIME: Duration = Duration::from_millis(250);

/// What a frame is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
enum Frame {
    /// Bytes of timely.
    Data = 1,
    /// The process is alive.
    Beat = 2,
    /// Which search comes next.
    Task = 3,
    /// The search is over.
    Bye = 4,
    /// The process gives up, and why.
    Abort = 5,
}

impl Frame {
    fn of(kind: u8) -> Option<Self> {
        [Self::Data, Self::Beat, Self::Task, Self::Bye, Self::Abort].into_iter().find(|frame| *frame as u8 == kind)
    }
}

/// A connection with another process.
pub(crate) struct Connection {
    /// The number of the process.
    pub(crate) process: usize,
    /// Its address, for people.
    address: String,
    reading: TcpStream,
    writing: Mutex<Writing>,
    trouble: Arc<Trouble>,
    silence: Duration,
    /// Which messages of timely can come here.
    expected: Expected,
    /// When the other process said that it is done with the present search.
    left: Mutex<Option<Instant>>,
}

struct Writing {
    stream: TcpStream,
    last: Instant,
    frame: Vec<u8>,
}

/// The workers of this process, and how many there are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Expected {
    pub(crate) first_worker: u64,
    pub(crate) workers: u64,
    pub(crate) all_workers: u64,
}

impl Connection {
    pub(crate) fn new(
        process: usize,
        address: &str,
        stream: TcpStream,
        trouble: Arc<Trouble>,
        silence: Duration,
        expected: Expected,
    ) -> io::Result<Self> {
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(LOOK_TIME))?;
        stream.set_write_timeout(Some(silence))?;
        let writing = Writing { stream: stream.try_clone()?, last: Instant::now(), frame: Vec::new() };
        let address = address.to_owned();
        Ok(Self {
            process,
            address,
            reading: stream,
            writing: Mutex::new(writing),
            trouble,
            silence,
            expected,
            left: Mutex::new(None),
        })
    }

    /// The process, for messages.
    fn name(&self) -> String {
        format!("process {} ({})", self.process, self.address)
    }
    fn lose(&self, why: &str) {
        self.trouble.lose(format!("{} {why}", self.name()));
    }

    fn write(&self, frame: Frame, bytes: &[u8]) -> io::Result<()> {
        let mut writing = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let Writing { stream, last, frame: buffer } = &mut *writing;
        buffer.clear();
        buffer.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
        buffer.push(frame as u8);
        let check = header_check(buffer);
        buffer.extend_from_slice(&check);
        buffer.extend_from_slice(&xxh3_64(bytes).to_le_bytes());
        buffer.extend_from_slice(bytes);
        let written = stream.write_all(buffer).and_then(|()| stream.flush());
        *last = Instant::now();
        written
    }
    /// Writes a frame, or says that the other process is lost.
    fn put(&self, frame: Frame, bytes: &[u8]) -> bool {
        match self.write(frame, bytes) {
            Ok(()) => true,
            Err(error) => {
                self.lose(&match error.kind() {
                    io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => {
                        format!("took no data for {} s", self.silence.as_secs_f64())
                    }
                    _ => format!("cannot be written to: {error}"),
                });
                false
            }
        }
    }

    /// Lets the other process know that this one is alive, if it has heard nothing for a while.
    pub(crate) fn beat(&self) {
        // Who holds the lock is sending something.
        let is_due = self.writing.try_lock().is_ok_and(|writing| writing.last.elapsed() >= BEAT_TIME);
        if is_due && self.trouble.check().is_ok() {
            self.put(Frame::Beat, &[]);
        }
    }
    /// The other process is done with the present search, or was not asked about the next one yet.
    pub(crate) fn left(&self, when: Option<Instant>) {
        *self.left.lock().unwrap_or_else(PoisonError::into_inner) = when;
    }
    /// Whether it was done with it for longer than it may be silent, while this process is not.
    pub(crate) fn check_left(&self) {
        let left = *self.left.lock().unwrap_or_else(PoisonError::into_inner);
        if left.is_some_and(|when| when.elapsed() >= self.silence) {
            self.lose("left a search that is not over");
        }
    }
    /// Says which search comes next.
    pub(crate) fn tell_task(&self, task: &[u8]) -> bool {
        self.put(Frame::Task, task)
    }
    /// Says that this process gives up, and why.
    pub(crate) fn abort(&self, why: &str) {
        let _ = self.write(Frame::Abort, why.as_bytes());
    }

    /// The next frame that is no beat; `None` if the other process is lost, or not waited for.
    fn next_frame(&self, payload: &mut Vec<u8>, wait: &dyn Fn() -> bool) -> Option<Frame> {
        loop {
            let mut header = [0; HEADER_BYTES];
            self.fill(&mut header, wait)?;
            let len = u32::from_le_bytes([header[0], header[1], header[2], header[3]]) as usize;
            let checksum = header[8..].iter().rev().fold(0, |sum, &byte| sum << 8 | u64::from(byte));
            let is_whole = len <= MOST_FRAME_BYTES && header[5..8] == header_check(&header[..5]);
            let frame = Frame::of(header[4]).filter(|_| is_whole);
            let Some(frame) = frame else {
                self.lose("sent something that is not a frame");
                return None;
            };
            payload.clear();
            payload.resize(len, 0);
            self.fill(payload, wait)?;
            if xxh3_64(payload) != checksum {
                self.lose("sent a frame with a wrong checksum");
                return None;
            }
            match frame {
                Frame::Beat => self.go_on_waiting(wait)?,
                Frame::Abort => {
                    let why: String = String::from_utf8_lossy(payload).chars().take(300).collect();
                    self.trouble.lose(format!("{} gave up: {why}", self.name()));
                    return None;
                }
                frame => return Some(frame),
            }
        }
    }

    fn go_on_waiting(&self, wait: &dyn Fn() -> bool) -> Option<()> {
        if !wait() {
            self.lose("has not begun this search within the limits of this one");
            return None;
        }
        Some(())
    }

    /// Reads as many bytes; `None` if the other process is lost, or not waited for.
    fn fill(&self, bytes: &mut [u8], wait: &dyn Fn() -> bool) -> Option<()> {
        let (mut read, mut heard) = (0, Instant::now());
        while read < bytes.len() {
            self.trouble.check().ok()?;
            match (&self.reading).read(&mut bytes[read..]) {
                Ok(0) => {
                    self.lose("closed the connection");
                    return None;
                }
                Ok(more) => {
                    read += more;
                    heard = Instant::now();
                }
                Err(error) => match error.kind() {
                    io::ErrorKind::Interrupted => {}
                    io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => {
                        if heard.elapsed() >= self.silence {
                            self.lose(&format!("was silent for {} s", self.silence.as_secs_f64()));
                            return None;
                        }
                        self.go_on_waiting(wait)?;
                    }
                    _ => {
                        self.lose(&format!("is lost: {error}"));
                        return None;
                    }
                },
            }
        }
        Some(())
    }

    /// The search that the other process begins; `None` if it is lost. It may be busy with something else for a long time: `wait` says
    /// whether this process waits for it.
    pub(crate) fn hear_task(&self, wait: &dyn Fn() -> bool) -> Option<Vec<u8>> {
        let mut payload = Vec::new();
        match self.next_frame(&mut payload, wait)? {
            Frame::Task => Some(payload),
            _ => {
                self.lose("began a search without saying which");
                None
            }
        }
    }
}

/// Damage to the length would be noticed late, when as many bytes have come. The checksum is of the payload.
fn header_check(length_and_kind: &[u8]) -> [u8; 3] {
    let [first, second, third, ..] = xxh3_64(length_and_kind).to_le_bytes();
    [first, second, third]
}

/// A connection as timely sees it, for one search.
pub(crate) struct SearchStream {
    connection: Arc<Connection>,
    payload: Vec<u8>,
    given: usize,
    is_over: bool,
    messages: Messages,
}

impl SearchStream {
    pub(crate) fn new(connection: Arc<Connection>) -> Self {
        let messages = Messages::new(connection.expected);
        Self { connection, payload: Vec::new(), given: 0, is_over: false, messages }
    }

    /// The thread of timely has nothing to do any more, and would panic.
    fn wait_for_ever() -> ! {
        loop {
            std::thread::park();
        }
    }
}

impl Read for SearchStream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.given == self.payload.len() {
            if self.is_over {
                return Ok(0);
            }
            self.given = 0;
            match self.connection.next_frame(&mut self.payload, &|| true) {
                Some(Frame::Data) => {
                    if !self.messages.follow(&self.payload) {
                        self.connection.lose("sent something that is not a message");
                        Self::wait_for_ever();
                    }
                }
                Some(Frame::Bye) if self.messages.is_between() => {
                    self.payload.clear();
                    self.is_over = true;
                    self.connection.left(Some(Instant::now()));
                }
                Some(_) => {
                    self.connection.lose("ended a search in the middle of a message");
                    Self::wait_for_ever();
                }
                None => Self::wait_for_ever(),
            }
        }
        let count = buffer.len().min(self.payload.len() - self.given);
        buffer[..count].copy_from_slice(&self.payload[self.given..][..count]);
        self.given += count;
        Ok(count)
    }
}

impl Write for SearchStream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = bytes.len().min(MOST_FRAME_BYTES);
        // Workers that gave up end as those that are done do, and timely would tell the others so.
        if self.connection.trouble.check().is_err() || !self.connection.put(Frame::Data, &bytes[..count]) {
            Self::wait_for_ever();
        }
        Ok(count)
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Stream for SearchStream {
    fn try_clone(&self) -> io::Result<Self> {
        Ok(Self::new(Arc::clone(&self.connection)))
    }
    fn set_nonblocking(&self, _: bool) -> io::Result<()> {
        Ok(())
    }
    fn shutdown(&self, _: Shutdown) -> io::Result<()> {
        if self.connection.trouble.check().is_err() || !self.connection.put(Frame::Bye, &[]) {
            Self::wait_for_ever();
        }
        Ok(())
    }
}

impl Drop for SearchStream {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.connection.lose("sent something that cannot be used");
        }
    }
}

/// The messages of timely in what was received: where each begins, and whether its header can be true.
struct Messages {
    expected: Expected,
    header: Vec<u8>,
    /// Bytes of the present message that are still to come.
    left: u64,
}

/// Words of a header: channel, source, first target, target after the last, length, sequence number.
const MESSAGE_HEADER_BYTES: usize = 48;

impl Messages {
    fn new(expected: Expected) -> Self {
        Self { expected, header: Vec::new(), left: 0 }
    }
    /// Whether all messages were received to their end.
    fn is_between(&self) -> bool {
        self.header.is_empty() && self.left == 0
    }
    /// Follows more bytes; whether they can be true.
    fn follow(&mut self, mut bytes: &[u8]) -> bool {
        while !bytes.is_empty() {
            if self.left > 0 {
                let count = usize::try_from(self.left).unwrap_or(usize::MAX).min(bytes.len());
                self.left -= count as u64;
                bytes = &bytes[count..];
                continue;
            }
            let count = (MESSAGE_HEADER_BYTES - self.header.len()).min(bytes.len());
            self.header.extend_from_slice(&bytes[..count]);
            bytes = &bytes[count..];
            if self.header.len() == MESSAGE_HEADER_BYTES {
                let word = |place: usize| {
                    self.header[8 * place..8 * place + 8].iter().fold(0, |word, &byte| word << 8 | u64::from(byte))
                };
                let (source, lower, upper, length) = (word(1), word(2), word(3), word(4));
                let Expected { first_worker, workers, all_workers } = self.expected;
                let is_end = [source, lower, upper, length].iter().all(|word| *word == 0);
                let is_for_us = lower < upper && lower >= first_worker && upper <= first_worker + workers;
                let has_length = (1..=MOST_MESSAGE_BYTES).contains(&length);
                let can_be = is_end || is_for_us && source < all_workers && has_length;
                if !can_be {
                    return false;
                }
                self.left = length;
                self.header.clear();
            }
        }
        true
    }
}
