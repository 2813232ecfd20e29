//! Tries an NVIDIA card: `cargo run -p lariat-gpu --features gpu --release --example card_check`, with the card's number if it is
//! not 0. It runs what the tests run on this processor, then what only a card can show, and some figures.

#[allow(dead_code, unreachable_pub)]
#[path = "../src/card/mod.rs"]
mod card;
#[path = "../tests/exercise.rs"]
mod exercise;

use card::{Args, CardError, Place};
use std::time::Instant;

/// Writes where no block is.
const FAULT: &str = "KERNEL(fault) { *(u64 *)args.at[0] = THREAD; }";

fn main() -> Result<(), CardError> {
    let ordinal = std::env::args().nth(1).map_or(0, |text| text.parse().expect("the card's number"));
    println!("ok {} cards", card::count()?);
    let begun = Instant::now();
    let card = card::open(ordinal)?;
    println!("ok {:?}, opened in {:?}", card.description(), begun.elapsed());
    assert!(card::open(1000).is_err_and(|error| error.to_string().contains("there is no card 1000")));

    let kernels = card.load(exercise::SOURCE)?;
    println!("ok the kernels, from cache: {}, {:?}", kernels.is_from_cache, kernels.compile_time);
    exercise::exercise(&*card, |what| println!("ok {what}"))?;
    let again = card.load(exercise::SOURCE)?;
    println!("ok the kernels again, from cache: {}, {:?}", again.is_from_cache, again.compile_time);

    let total = card.description().total_bytes;
    assert_eq!(card.alloc(total + (1 << 30), Place::Card).err(), Some(CardError::NoMemory));
    assert_eq!(card.alloc(1 << 60, Place::Card).err(), Some(CardError::NoMemory));
    println!("ok memory runs out as a value");

    let free = card.free_bytes()?;
    let large = card.alloc(free - (4 << 30).min(free / 2), Place::Card)?;
    card.wait()?;
    for (what, place) in [("card", Place::Card), ("host", Place::Host)] {
        let begun = Instant::now();
        let block = card.alloc(1 << 30, place)?;
        card.wait()?;
        let allocated = begun.elapsed();
        let begun = Instant::now();
        card.fill(&block, 0..1 << 30, 3)?;
        card.wait()?;
        println!("ok 1 GiB of the {what}: allocated in {allocated:?}, filled in {:?}", begun.elapsed());
    }
    let begun = Instant::now();
    card.fill(&large, 0..large.bytes(), 1)?;
    card.wait()?;
    println!("ok filled {} MiB of the card in {:?}", large.bytes() >> 20, begun.elapsed());
    drop(large);
    assert!(card.free_bytes()? >= free - (64 << 20), "the large block was freed");

    let small = card.alloc(16, Place::Card)?;
    let mut args = Args([0; 32]);
    args.0[0] = small.address();
    let begun = Instant::now();
    for _ in 0..10_000 {
        card.launch(&kernels, "numbers", 1, 1, &args)?;
    }
    card.wait()?;
    println!("ok one launch takes {:?}", begun.elapsed() / 10_000);
    let begun = Instant::now();
    for _ in 0..1000 {
        card.launch(&kernels, "numbers", 1, 1, &args)?;
        card.read(&small, 0, &mut [0; 8])?;
    }
    println!("ok one launch with its result read takes {:?}", begun.elapsed() / 1000);

    let fault = card.load(FAULT)?;
    card.launch(&fault, "fault", 1, 1, &Args([8; 32]))?;
    let error = card.wait().expect_err("it writes where no block is");
    println!("ok an error in a kernel is reported: {error}");
    println!("ok all");
    Ok(())
}
