//! Texts that are almost models: mutations of texts, and shrinking of those on which something fails.

use crate::Rng;

/// Numbers at the edges of types.
const NUMBERS: &[&str] =
    &["0", "1", "2", "31", "32", "255", "256", "1000", "65536", "2147483647", "4294967295", "99999999999"];
/// Longer texts are cut: fuzzing is about many small ones.
const MAX_BYTES: usize = 4000;

/// A text made out of one of `seeds` by a few changes: tokens and lines deleted, doubled, swapped, taken from elsewhere in
/// it, from another seed or from `words`; numbers replaced; bytes changed; the rest cut off.
pub fn mutate_text(rng: &mut Rng, seeds: &[String], words: &[&str]) -> Vec<u8> {
    let seed = rng.pick(seeds);
    let other = rng.pick(seeds);
    let mut tokens: Vec<&str> = tokens(seed);
    let others = self::tokens(other);
    for _ in 0..=rng.below(5) {
        if tokens.is_empty() {
            break;
        }
        let (at, elsewhere) = (rng.below(tokens.len()), rng.below(tokens.len()));
        match rng.below(10) {
            0 => drop(tokens.remove(at)),
            1 => tokens.swap(at, elsewhere),
            2 => tokens[at] = tokens[elsewhere],
            3 => tokens[at] = *rng.pick(words),
            4 => tokens.splice(at..at, [" ", *rng.pick(words), " "]).for_each(drop),
            5 => replace_like(rng, &mut tokens, at),
            6 if !others.is_empty() => {
                let from = rng.below(others.len());
                let to = (from + 1 + rng.below(12)).min(others.len());
                tokens.splice(at..at, others[from..to].iter().copied()).for_each(drop);
            }
            7 => {
                let copied: Vec<&str> = tokens[at..(at + 1 + rng.below(20)).min(tokens.len())].to_vec();
                tokens.splice(elsewhere..elsewhere, copied).for_each(drop);
            }
            8 => {
                let to = (at + 1 + rng.below(8)).min(tokens.len());
                tokens.drain(at..to).for_each(drop);
            }
            _ => {
                let to = (at + 1 + rng.below(10)).min(tokens.len());
                let (open, close) = *rng.pick(&[
                    ("{", "}"),
                    ("atomic {", "}"),
                    ("d_step {", "}"),
                    ("(", ")"),
                    ("if ::", "fi"),
                    ("do ::", "od"),
                ]);
                tokens.insert(to, close);
                tokens.insert(at, open);
            }
        }
    }
    let mut bytes = tokens.concat().into_bytes();
    bytes.truncate(MAX_BYTES);
    if rng.chance(10) {
        for _ in 0..=rng.below(3) {
            if !bytes.is_empty() {
                let at = rng.below(bytes.len());
                bytes[at] = rng.below(256) as u8;
            }
        }
    }
    if rng.chance(5) {
        bytes.truncate(rng.below(bytes.len() + 1));
    }
    bytes
}

/// Puts another name in the place of a name, another number in that of a number: what parses goes on to parse.
fn replace_like(rng: &mut Rng, tokens: &mut [&str], at: usize) {
    let is = |token: &str, test: fn(&u8) -> bool| token.as_bytes().first().is_some_and(test);
    let Some(at) = (at..tokens.len()).find(|&at| is(tokens[at], u8::is_ascii_alphanumeric)) else { return };
    if is(tokens[at], u8::is_ascii_digit) {
        tokens[at] = *rng.pick(NUMBERS);
        return;
    }
    let from = rng.below(tokens.len());
    if let Some(other) = (from..tokens.len()).find(|&other| is(tokens[other], u8::is_ascii_alphabetic)) {
        tokens[at] = tokens[other];
    }
}

/// The words, numbers, runs of space and single other characters of a text.
fn tokens(text: &str) -> Vec<&str> {
    let kind = |c: char| match c {
        c if c.is_alphanumeric() || c == '_' => 0,
        c if c.is_whitespace() => 1,
        _ => 2,
    };
    let mut tokens = Vec::new();
    let mut start = 0;
    let mut before = None;
    for (at, c) in text.char_indices() {
        if before.is_some_and(|before| before != kind(c) || before == 2) {
            tokens.push(&text[start..at]);
            start = at;
        }
        before = Some(kind(c));
    }
    tokens.push(&text[start..]);
    tokens
}

/// A way to take a text apart.
type Split = fn(&[u8]) -> Vec<Vec<u8>>;

/// A smaller text that still fails, found by leaving out lines, tokens and characters as long as that goes (ddmin:
/// Zeller, Hildebrandt, TSE 2002), with at most `attempts` trials.
pub fn shrink_text(text: &[u8], attempts: usize, mut fails: impl FnMut(&[u8]) -> bool) -> Vec<u8> {
    let mut small = text.to_vec();
    let mut left = attempts;
    let pieces: [Split; 3] = [
        |bytes| bytes.split_inclusive(|&byte| byte == b'\n').map(<[u8]>::to_vec).collect(),
        |bytes| match std::str::from_utf8(bytes) {
            Ok(text) => tokens(text).into_iter().map(|token| token.as_bytes().to_vec()).collect(),
            Err(_) => bytes.iter().map(|&byte| vec![byte]).collect(),
        },
        |bytes| bytes.iter().map(|&byte| vec![byte]).collect(),
    ];
    loop {
        let before = small.len();
        for split in pieces {
            small = leave_out(split(&small), &mut left, &mut fails);
        }
        if small.len() == before || left == 0 {
            return small;
        }
    }
}

fn leave_out(mut parts: Vec<Vec<u8>>, left: &mut usize, fails: &mut impl FnMut(&[u8]) -> bool) -> Vec<u8> {
    let mut size = parts.len().div_ceil(2).max(1);
    loop {
        let mut at = 0;
        while at < parts.len() && *left > 0 {
            let to = (at + size).min(parts.len());
            let smaller: Vec<u8> = parts[..at].iter().chain(&parts[to..]).flatten().copied().collect();
            *left -= 1;
            if fails(&smaller) {
                parts.drain(at..to);
            } else {
                at = to;
            }
        }
        if size == 1 || *left == 0 {
            return parts.concat();
        }
        size = size.div_ceil(2);
    }
}
