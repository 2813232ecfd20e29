//! What workers send each other: some words for one worker.
//!
//! A parcel is a container of timely with a single record, so that it goes to its worker as it is: nothing is repartitioned, and
//! between threads of one process nothing is copied. Between processes it is a header, the words, and a checksum. Nothing that was
//! received is trusted: bytes that are no parcel become one that says so.

use timely::Accountable;
use timely::bytes::arc::Bytes;
use timely::communication::Push;
use timely::dataflow::channels::pushers::exchange::Distributor;
use timely::dataflow::channels::{ContainerBytes, Message};
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

/// Which worker: one number for all processes.
pub(crate) type WorkerId = usize;

/// What the words of a parcel mean.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Kind {
    /// No parcel.
    #[default]
    None,
    /// Records of a search, of as many words each as both sides know.
    Data,
    /// So many parcels with data were looked at.
    Seen,
    /// What a worker says to all at the end of a round.
    Summary,
    /// The worker has a reason to stop: the others need not finish their round.
    Halt,
    /// What was received was no parcel.
    Damaged,
}

impl Kind {
    const ALL: [Self; 6] = [Self::None, Self::Data, Self::Seen, Self::Summary, Self::Halt, Self::Damaged];

    fn of(word: u64) -> Option<Self> {
        Self::ALL.get(usize::try_from(word).ok()?).copied()
    }
}

/// Some words for one worker.
#[derive(Clone, Debug, Default)]
pub(crate) struct Parcel {
    pub(crate) from: WorkerId,
    pub(crate) to: WorkerId,
    pub(crate) kind: Kind,
    pub(crate) words: Vec<u64>,
}

/// Magic number, kind, from, to, words, checksum.
const HEADER_WORDS: usize = 6;
const MAGIC: u64 = u64::from_le_bytes(*b"lariat-p");
const WORD_BYTES: usize = size_of::<u64>();

impl Parcel {
    /// What it takes on its way between processes.
    pub(crate) fn wire_bytes(&self) -> u64 {
        ((HEADER_WORDS + self.words.len()) * WORD_BYTES) as u64
    }
}

impl Accountable for Parcel {
    fn record_count(&self) -> i64 {
        i64::from(self.kind != Kind::None)
    }
}

fn words_of(bytes: &[u8]) -> impl Iterator<Item = u64> + '_ {
    bytes.chunks_exact(WORD_BYTES).map(|word| u64::from_le_bytes(word.try_into().expect("so many bytes")))
}

fn checksum_of(header: [u64; HEADER_WORDS - 1], bytes: &[u8]) -> u64 {
    let header: Vec<u8> = header.iter().flat_map(|word| word.to_le_bytes()).collect();
    xxh3_64_with_seed(bytes, xxh3_64(&header))
}

fn parse(bytes: &[u8]) -> Option<Parcel> {
    let (header, rest) = bytes.split_at_checked(HEADER_WORDS * WORD_BYTES)?;
    let header: [u64; HEADER_WORDS] = words_of(header).collect::<Vec<_>>().try_into().ok()?;
    let [magic, kind, from, to, len, checksum] = header;
    let is_whole = magic == MAGIC
        && rest.len().is_multiple_of(WORD_BYTES)
        && len == (rest.len() / WORD_BYTES) as u64
        && checksum == checksum_of([magic, kind, from, to, len], rest);
    let kind = Kind::of(kind).filter(|_| is_whole)?;
    Some(Parcel {
        from: usize::try_from(from).ok()?,
        to: usize::try_from(to).ok()?,
        kind,
        words: words_of(rest).collect(),
    })
}

impl ContainerBytes for Parcel {
    fn from_bytes(bytes: Bytes) -> Self {
        parse(&bytes).unwrap_or(Self { kind: Kind::Damaged, ..Self::default() })
    }
    fn length_in_bytes(&self) -> usize {
        self.wire_bytes() as usize
    }
    fn into_bytes<W: std::io::Write>(&self, writer: &mut W) {
        let mut bytes = Vec::with_capacity(self.words.len() * WORD_BYTES);
        self.words.iter().for_each(|word| bytes.extend_from_slice(&word.to_le_bytes()));
        let (kind, from, to) = (self.kind as u64, self.from as u64, self.to as u64);
        let header = [MAGIC, kind, from, to, self.words.len() as u64];
        let checksum = checksum_of(header, &bytes);
        for word in header.into_iter().chain([checksum]) {
            writer.write_all(&word.to_le_bytes()).expect("timely has room for as many bytes as were asked for");
        }
        writer.write_all(&bytes).expect("timely has room for as many bytes as were asked for");
    }
}

/// Gives each parcel to its worker.
pub(crate) struct Post;

impl Distributor<Parcel> for Post {
    fn partition<T: Clone, P: Push<Message<T, Parcel>>>(&mut self, parcel: &mut Parcel, time: &T, pushers: &mut [P]) {
        let to = parcel.to;
        Message::push_at(parcel, time.clone(), &mut pushers[to]);
    }
    fn flush<T: Clone, P: Push<Message<T, Parcel>>>(&mut self, _: &T, _: &mut [P]) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(parcel: &Parcel) -> Vec<u8> {
        let mut bytes = Vec::new();
        parcel.into_bytes(&mut bytes);
        assert_eq!(bytes.len(), parcel.length_in_bytes());
        bytes
    }

    #[test]
    fn a_parcel_is_read_as_it_was_written_and_a_damaged_one_is_noticed() {
        let parcel = Parcel { from: 3, to: 1, kind: Kind::Data, words: vec![7, u64::MAX, 0] };
        let bytes = written(&parcel);
        let read = parse(&bytes).expect("it is whole");
        assert_eq!((read.from, read.to, read.kind, &read.words), (3, 1, Kind::Data, &parcel.words));
        for byte in 0..bytes.len() {
            for bit in 0..8 {
                let mut damaged = bytes.clone();
                damaged[byte] ^= 1 << bit;
                assert!(parse(&damaged).is_none(), "bit {bit} of byte {byte}");
            }
        }
        for len in 0..bytes.len() {
            assert!(parse(&bytes[..len]).is_none(), "{len} bytes");
        }
    }
}
