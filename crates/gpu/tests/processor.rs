//! This processor in place of a card.

use crate::card::{Args, Card, CardError, Place, Processor};
use crate::exercise::{SOURCE, exercise};

/// With memory of so many bytes in the card and in the host; none if there is no C compiler.
fn processor(card_bytes: u64, host_bytes: u64) -> Option<Processor> {
    match Processor::open(card_bytes, host_bytes) {
        Ok(processor) => Some(processor),
        Err(error) => {
            println!("skipped: {error}");
            None
        }
    }
}

#[test]
fn a_processor_does_what_a_card_must() {
    let Some(processor) = processor(1 << 20, 1 << 20) else { return };
    println!("{:?}", processor.description());
    exercise(&processor, |what| println!("ok {what}")).expect("it works");
    assert_eq!(processor.free_bytes(), Ok(1 << 20), "all blocks were freed");
}

#[test]
fn memory_runs_out() {
    let Some(processor) = processor(1000, 500) else { return };
    let first = processor.alloc(600, Place::Card).expect("it fits");
    assert_eq!(processor.free_bytes(), Ok(400));
    assert_eq!(processor.alloc(401, Place::Card).err(), Some(CardError::NoMemory));
    assert_eq!(processor.alloc(u64::MAX, Place::Card).err(), Some(CardError::NoMemory));
    assert_eq!(processor.alloc(501, Place::Host).err(), Some(CardError::NoMemory));
    let (second, host) = (processor.alloc(400, Place::Card), processor.alloc(500, Place::Host));
    assert!(second.is_ok() && host.is_ok());
    assert_eq!(processor.free_bytes(), Ok(0));
    drop(first);
    assert_eq!(processor.free_bytes(), Ok(600));
    assert!(processor.alloc(600, Place::Card).is_ok());
}

#[test]
fn memory_that_the_system_does_not_have_is_no_memory() {
    let Some(processor) = processor(u64::MAX, u64::MAX) else { return };
    assert_eq!(processor.alloc(1 << 62, Place::Card).err(), Some(CardError::NoMemory));
    assert_eq!(processor.free_bytes(), Ok(u64::MAX));
}

#[test]
fn a_part_outside_a_block_is_noticed() {
    let Some(processor) = processor(1000, 0) else { return };
    let block = processor.alloc(16, Place::Card).expect("it fits");
    for at in [9, 17, u64::MAX] {
        let write = std::panic::AssertUnwindSafe(|| processor.write(&block, at, &[0; 8]));
        let why = std::panic::catch_unwind(write).expect_err("it is outside");
        let why = why.downcast_ref::<String>().expect("a text");
        assert_eq!(*why, format!("8 bytes at {at} are outside a block of 16"));
    }
    assert_eq!(processor.write(&block, 8, &[0; 8]), Ok(()));
}

#[test]
fn launches_of_several_threads_do_not_disturb_each_other() {
    let Some(processor) = processor(1 << 20, 0) else { return };
    let kernels = processor.load(SOURCE).expect("compiled");
    assert!(!kernels.is_from_cache && !kernels.compile_time.is_zero());
    let shared = processor.alloc(6 * 8, Place::Card).expect("it fits");
    let parts = processor.alloc(4000, Place::Card).expect("it fits");
    let mut args = Args([0; 32]);
    args.0[..2].copy_from_slice(&[shared.address(), parts.address()]);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| (0..10).for_each(|_| processor.launch(&kernels, "wide", 100, 1, &args).expect("it runs")));
        }
    });
    let mut count = [0; 8];
    processor.read(&shared, 5 * 8, &mut count).expect("it is read");
    assert_eq!(u64::from_le_bytes(count), 2 * 4000);
}
