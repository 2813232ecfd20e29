//! What every machine must do: the kernels of `exercise.c`, and memory.

use crate::card::{Args, Block, Card, CardError, Place};

/// The kernels.
pub(crate) const SOURCE: &str = include_str!("exercise.c");

/// Neither blocks nor warps are full.
const THREADS: u64 = 1000;
const LANES: u32 = 3;
const ALL: u64 = THREADS * LANES as u64;

/// Tries everything on a machine, and says what was found in order.
pub(crate) fn exercise(card: &dyn Card, mut ok: impl FnMut(&str)) -> Result<(), CardError> {
    memory(card)?;
    ok("memory: zeroed, filled, written, read, copied");
    let kernels = card.load(SOURCE)?;
    let run = |name: &str, args: &[u64]| {
        let mut all = Args([0; 32]);
        all.0[..args.len()].copy_from_slice(args);
        all.0[31] = 77;
        card.launch(&kernels, name, THREADS, LANES, &all)
    };
    for place in [Place::Card, Place::Host] {
        let out = card.alloc(ALL * 8, place)?;
        run("numbers", &[out.address()])?;
        let expected: Vec<u64> = places().map(|me| mixed(me % THREADS).wrapping_add(me / THREADS + 77)).collect();
        assert_eq!(words(card, &out)?, expected, "{place:?}");
    }
    ok("threads, lanes, arguments, in memory of the card and of the host");

    let (wide, seen) = (card.alloc(48, Place::Card)?, card.alloc(ALL, Place::Card)?);
    card.write(&wide, 8, &u64::MAX.to_le_bytes())?;
    run("wide", &[wide.address(), seen.address()])?;
    let found = words(card, &wide)?;
    assert_eq!([found[0], found[1], found[2], found[5]], [u64::MAX >> 1, 5, ALL - 1, 2 * ALL]);
    assert!((1..=ALL).contains(&found[3]) && found[3] == found[4], "{found:?}");
    assert_eq!(bytes(card, &seen)?, vec![1; ALL as usize]);
    ok("atomic operations on 64 bits");

    let (narrow, negative) = (card.alloc(16, Place::Card)?, card.alloc(16, Place::Card)?);
    card.write(&negative, 8, &i64::MIN.to_le_bytes())?;
    run("narrow", &[narrow.address(), negative.address()])?;
    let low = 3 * ALL + (u64::from(0_u32.wrapping_sub(2 * ALL as u32)) << 32);
    assert_eq!(words(card, &narrow)?, [low, u64::MAX >> 33]);
    assert_eq!(words(card, &negative)?, [1_u64.wrapping_sub(ALL), (ALL - 1).wrapping_sub(10_000)]);
    ok("atomic operations on 32 bits and with signs");

    let (counters, list) = (card.alloc(24, Place::Card)?, card.alloc(ALL * 8, Place::Card)?);
    run("together", &[counters.address(), list.address()])?;
    let (listed, others): (Vec<u64>, Vec<u64>) = places().partition(|me| mixed(*me).is_multiple_of(3));
    let even = others.iter().filter(|me| me.is_multiple_of(2)).count() as u64;
    assert_eq!(words(card, &counters)?, [listed.len() as u64, others.iter().map(|me| me % 7).sum(), even]);
    let mut list = words(card, &list)?[..listed.len()].to_vec();
    list.sort_unstable();
    assert_eq!(list, listed);
    ok("work of a whole warp, some of whose threads went another way");

    let (read, sums) = (card.alloc(ALL * 8, Place::Card)?, card.alloc(ALL * 8, Place::Card)?);
    let bytes: Vec<u8> = places().flat_map(|me| mixed(me).to_le_bytes()).collect();
    card.write(&read, 0, &bytes)?;
    run("pairs", &[read.address(), sums.address()])?;
    let sum = |me: u64| mixed(me / 2 * 2).wrapping_add(mixed(me / 2 * 2 + 1));
    assert_eq!(words(card, &sums)?, places().map(sum).collect::<Vec<_>>());
    ok("two words at once");

    // Nothing to do is no error, but the kernel must be there.
    card.launch(&kernels, "pairs", 0, 1, &Args([0; 32]))?;
    card.launch(&kernels, "pairs", 1, 0, &Args([0; 32]))?;
    let Err(CardError::Failed(why)) = card.launch(&kernels, "missing", 1, 1, &Args([0; 32])) else {
        panic!("it is missing")
    };
    assert!(why.contains("there is no kernel `missing`"), "{why}");
    let Err(CardError::Failed(why)) = card.load("KERNEL(good) {}\n\nKERNEL(bad) { u64 x = nothing; }") else {
        panic!("it is wrong")
    };
    assert!(why.contains("does not compile") && why.contains("nothing") && why.contains('3'), "{why}");
    assert!(why.contains("kernels"), "{why}");
    ok("a missing kernel and a wrong source");
    Ok(())
}

fn memory(card: &dyn Card) -> Result<(), CardError> {
    const SIZE: u64 = 1000;
    for place in [Place::Card, Place::Host] {
        for other_place in [Place::Card, Place::Host] {
            let (one, other) = (card.alloc(SIZE, place)?, card.alloc(SIZE, other_place)?);
            assert!(one.address() % 8 == 0 && one.bytes() == SIZE, "{one:?}");
            let mut expected = vec![0; SIZE as usize];
            assert_eq!(bytes(card, &one)?, expected);
            card.fill(&one, 100..900, 0xab)?;
            expected[100..900].fill(0xab);
            card.write(&one, 333, b"some bytes")?;
            expected[333..343].copy_from_slice(b"some bytes");
            assert_eq!(bytes(card, &one)?, expected);
            assert_eq!(bytes(card, &other)?, vec![0; SIZE as usize]);
            let mut part = [0; 4];
            card.read(&one, 333, &mut part)?;
            assert_eq!(&part, b"some");
        }
    }
    let nothing = card.alloc(0, Place::Card)?;
    card.fill(&nothing, 0..0, 1)?;
    card.write(&nothing, 0, &[])?;
    card.read(&nothing, 0, &mut [])
}

fn bytes(card: &dyn Card, block: &Block) -> Result<Vec<u8>, CardError> {
    let mut bytes = vec![1; block.bytes() as usize];
    card.read(block, 0, &mut bytes)?;
    Ok(bytes)
}

fn words(card: &dyn Card, block: &Block) -> Result<Vec<u64>, CardError> {
    let bytes = bytes(card, block)?;
    Ok(bytes.chunks_exact(8).map(|word| u64::from_le_bytes(word.try_into().expect("8 bytes"))).collect())
}

fn places() -> impl Iterator<Item = u64> {
    0..ALL
}

fn mixed(x: u64) -> u64 {
    let x = (x ^ (x >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    x ^ (x >> 32)
}
