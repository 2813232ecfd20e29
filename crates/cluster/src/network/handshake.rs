//! What two processes say to each other before anything else: who they are, and that both know the secret.
//!
//! ```text
//! connecting                                          listening
//! hello: magic, version, process, processes, nonce ─►
//!                                                  ◄─ hello, proof over both hellos
//! proof over both hellos                           ─►
//!                                                  ◄─ welcome
//! ```
//!
//! A proof is an HMAC-SHA-256 with the shared secret; both nonces are in it, so that none can be used again, and the side, so that none
//! can be sent back. Without a secret the key is empty: that keeps out whoever connects by mistake, and nobody else. Every message has
//! a fixed length and a time limit.

use hmac::{Hmac, Mac};
use sha2::Sha256;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

/// The handshake, the frames and what workers say to each other.
const PROTOCOL: u32 = 2;
const MAGIC: [u8; 8] = *b"lariat\r\n";
/// One message of a handshake takes no longer.
pub(crate) const MESSAGE_TIME: Duration = Duration::from_secs(5);
const HELLO_BYTES: usize = 72;
const PROOF_BYTES: usize = 32;
const NONCE_BYTES: usize = 32;
const WELCOME: u8 = b'w';

/// Who a process says it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Identity {
    pub(crate) process: usize,
    pub(crate) processes: usize,
    /// Workers in each process.
    pub(crate) workers: usize,
}

/// Why there is no connection.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Refused {
    /// The other side is no process of this cluster, or of another version.
    Stranger(String),
    /// The connection broke, or took too long.
    Broken(String),
}

fn version() -> [u8; 8] {
    let mut version = [0; 8];
    let text = env!("CARGO_PKG_VERSION").as_bytes();
    let len = text.len().min(version.len());
    version[..len].copy_from_slice(&text[..len]);
    version
}

fn hello(identity: Identity) -> Result<[u8; HELLO_BYTES], Refused> {
    let mut bytes = [0; HELLO_BYTES];
    bytes[..8].copy_from_slice(&MAGIC);
    bytes[8..12].copy_from_slice(&PROTOCOL.to_le_bytes());
    bytes[12..20].copy_from_slice(&version());
    let numbers = [identity.process, identity.processes, identity.workers];
    for (place, number) in numbers.into_iter().enumerate() {
        bytes[20 + 4 * place..24 + 4 * place].copy_from_slice(&(number as u32).to_le_bytes());
    }
    let nonce = &mut bytes[HELLO_BYTES - NONCE_BYTES..];
    getrandom::fill(nonce).map_err(|error| Refused::Broken(format!("the system gives no random numbers: {error}")))?;
    Ok(bytes)
}

/// Who the other side says it is.
fn read_hello(bytes: &[u8; HELLO_BYTES], own: Identity) -> Result<Identity, Refused> {
    let stranger = |why: &str| Err(Refused::Stranger(why.to_owned()));
    let number = |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]) as usize;
    if bytes[..8] != MAGIC {
        return stranger("it does not speak this protocol");
    }
    if number(8) != PROTOCOL as usize || bytes[12..20] != version() {
        return stranger("it is another version of this program");
    }
    let other = Identity { process: number(20), processes: number(24), workers: number(28) };
    if other.processes != own.processes {
        return Err(Refused::Stranger(format!(
            "it belongs to a cluster of {} processes, not {}",
            other.processes, own.processes
        )));
    }
    if other.workers != own.workers {
        return Err(Refused::Stranger(format!("its number of workers is {}, not {}", other.workers, own.workers)));
    }
    if other.process >= own.processes || other.process == own.process {
        return Err(Refused::Stranger(format!("it says it is process {}", other.process)));
    }
    Ok(other)
}

fn proof(secret: &[u8], side: &[u8], first: &[u8], second: &[u8]) -> Hmac<Sha256> {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret).expect("a key of any length will do");
    [side, first, second].into_iter().for_each(|part| mac.update(part));
    mac
}

fn broken(error: std::io::Error) -> Refused {
    use std::io::ErrorKind::{TimedOut, UnexpectedEof, WouldBlock};
    Refused::Broken(match error.kind() {
        UnexpectedEof => "it closed the connection".to_owned(),
        WouldBlock | TimedOut => format!("it said nothing for {} s", MESSAGE_TIME.as_secs()),
        _ => error.to_string(),
    })
}

fn receive<const N: usize>(stream: &mut TcpStream) -> Result<[u8; N], Refused> {
    let deadline = std::time::Instant::now() + MESSAGE_TIME;
    let (mut bytes, mut read) = ([0; N], 0);
    while read < N {
        // Whoever sends a byte now and then is not waited for longer.
        let left = deadline.saturating_duration_since(std::time::Instant::now()).max(Duration::from_millis(1));
        stream.set_read_timeout(Some(left)).map_err(broken)?;
        match stream.read(&mut bytes[read..]) {
            Ok(0) => return Err(broken(std::io::ErrorKind::UnexpectedEof.into())),
            Ok(more) => read += more,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(broken(error)),
        }
    }
    Ok(bytes)
}

const WRONG_SECRET: &str = "it does not know the secret";

/// Makes the other side, which listens as the process `wanted`, accept this one.
pub(crate) fn connect(stream: &mut TcpStream, own: Identity, wanted: usize, secret: &[u8]) -> Result<(), Refused> {
    stream.set_write_timeout(Some(MESSAGE_TIME)).map_err(broken)?;
    let mine = hello(own)?;
    stream.write_all(&mine).map_err(broken)?;
    let theirs: [u8; HELLO_BYTES] = receive(stream)?;
    let other = read_hello(&theirs, own)?;
    if other.process != wanted {
        return Err(Refused::Stranger(format!("it is process {}, not {wanted}", other.process)));
    }
    let their_proof: [u8; PROOF_BYTES] = receive(stream)?;
    proof(secret, b"listening", &mine, &theirs)
        .verify_slice(&their_proof)
        .map_err(|_| Refused::Stranger(WRONG_SECRET.to_owned()))?;
    let my_proof = proof(secret, b"connecting", &mine, &theirs).finalize().into_bytes();
    stream.write_all(&my_proof).map_err(broken)?;
    match receive::<1>(stream)? {
        [WELCOME] => Ok(()),
        _ => Err(Refused::Stranger("it does not want this process".to_owned())),
    }
}

/// Finds out which process connects here; one with a smaller number is connected to, and does not connect.
pub(crate) fn accept(stream: &mut TcpStream, own: Identity, secret: &[u8]) -> Result<usize, Refused> {
    stream.set_write_timeout(Some(MESSAGE_TIME)).map_err(broken)?;
    let theirs: [u8; HELLO_BYTES] = receive(stream)?;
    let mine = hello(own)?;
    // The other side says what is wrong better than this one could, so it gets to know who is here.
    stream.write_all(&mine).map_err(broken)?;
    let other = read_hello(&theirs, own)?;
    if other.process < own.process {
        return Err(Refused::Stranger(format!("it says it is process {}", other.process)));
    }
    let my_proof = proof(secret, b"listening", &theirs, &mine).finalize().into_bytes();
    stream.write_all(&my_proof).map_err(broken)?;
    let their_proof: [u8; PROOF_BYTES] = receive(stream)?;
    proof(secret, b"connecting", &theirs, &mine)
        .verify_slice(&their_proof)
        .map_err(|_| Refused::Stranger(WRONG_SECRET.to_owned()))?;
    Ok(other.process)
}

/// Says that the process is wanted here.
pub(crate) fn welcome(stream: &mut TcpStream) -> Result<(), Refused> {
    stream.write_all(&[WELCOME]).map_err(broken)
}
