//! Tests of the crate, as one program.

mod agree;
mod exercise;
mod processor;

// What tests of engines need beside the engine.
#[allow(dead_code)]
#[path = "../../cluster/tests/support.rs"]
mod support;

// Nothing of it is public (ADR 27).
#[allow(dead_code, unreachable_pub)]
#[path = "../src/card/mod.rs"]
mod card;

/// Without a card the answer is a sentence; with one, it does what a card must.
#[test]
fn a_card_works_or_says_why_not() {
    match card::open(0) {
        Ok(card) => exercise::exercise(&*card, |what| println!("ok {what}")).expect("it works"),
        Err(card::CardError::Failed(why)) => {
            println!("skipped: {why}");
            assert!(["driver", "card", "compiler"].iter().any(|word| why.contains(word)), "{why}");
            assert!(!why.contains('\n'), "{why}");
        }
        Err(card::CardError::NoMemory) => println!("skipped: the card is full"),
    }
}
