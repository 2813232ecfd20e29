//! Whole numbers, word constants, and what is neither.

use super::Lexer;
use crate::token::{Token, WordConstant};
use crate::types::MAX_WIDTH;

impl Lexer<'_> {
    /// The number that begins here.
    pub(super) fn number(&mut self) {
        let rest = &self.text[self.at..];
        let digits = length_of(rest, |c| c.is_ascii_digit());
        if let Some(length) = word_constant_length(rest) {
            match word_constant(&rest[..length]) {
                Ok(constant) => self.push(Token::WordConstant(constant), length),
                Err(message) => {
                    self.error(length, "V0104", message);
                    self.push(Token::WordConstant(WordConstant { signed: false, width: 1, value: 0 }), length);
                }
            }
            return;
        }
        let after = &rest.as_bytes()[digits..];
        let fraction = after.first() == Some(&b'.') && after.get(1).is_some_and(u8::is_ascii_digit);
        let exponent = matches!(after.first(), Some(b'e' | b'E'))
            && after.get(1).is_some_and(|c| c.is_ascii_digit() || matches!(c, b'-' | b'+'));
        if fraction || exponent {
            let length = digits + length_of(&rest[digits..], |c| c.is_ascii_alphanumeric() || c == '.');
            self.error(length, "V0110", format!("`{}` is a real number, and systems here are finite", &rest[..length]))
                .help("use whole numbers in a range");
            self.push(Token::Number(0), length);
            return;
        }
        let greatest = i128::from(i32::MAX) + i128::from(self.is_after_sign());
        let value = rest[..digits].parse::<i128>().ok().filter(|&value| value <= greatest);
        if value.is_none() {
            self.error(digits, "V0103", format!("`{}` is too large: numbers have 32 bits", &rest[..digits]))
                .help("the greatest is 2147483647; words, as in `0ud40_…`, can be larger");
        }
        self.push(Token::Number(value.unwrap_or(0)), digits);
    }

    /// Whether a `-` stands right before that is the sign of what follows, and subtracts it from nothing: the least number has no
    /// positive twin.
    fn is_after_sign(&self) -> bool {
        let [before @ .., last] = &self.found[..] else { return false };
        let is_operand = |token: &Token| match token {
            Token::Name(_) | Token::Number(_) | Token::WordConstant(_) => true,
            Token::Word(word) => matches!(*word, "TRUE" | "FALSE" | "self" | "esac"),
            Token::Sign(sign) => matches!(*sign, ")" | "]" | "}"),
            Token::End => false,
        };
        last.token == Token::Sign("-") && !before.last().is_some_and(|token| is_operand(&token.token))
    }
}

fn length_of(text: &str, inside: impl Fn(char) -> bool) -> usize {
    text.find(|c: char| !inside(c)).unwrap_or(text.len())
}

/// How long the word constant at the beginning of `rest` is, if there is one.
fn word_constant_length(rest: &str) -> Option<usize> {
    let after = rest.strip_prefix('0')?;
    let after = after.strip_prefix(['u', 's']).unwrap_or(after);
    let after = after.strip_prefix(['b', 'B', 'o', 'O', 'd', 'D', 'h', 'H'])?;
    let after = &after[length_of(after, |c| c.is_ascii_digit())..];
    let after = after.strip_prefix('_')?;
    let digits = length_of(after, |c| c.is_ascii_hexdigit() || c == '_');
    Some(rest.len() - after.len() + digits)
}

/// The constant that `text` spells, which has the form above; or what is wrong with it.
fn word_constant(text: &str) -> Result<WordConstant, String> {
    let (head, digits) = text.split_once('_').expect("the form has a `_`");
    let signed = head.contains('s');
    let letter = head.find(|c: char| "bBoOdDhH".contains(c)).expect("the form has a base");
    let (base, bits_per_digit) = match head.as_bytes()[letter].to_ascii_lowercase() {
        b'b' => (2, 1),
        b'o' => (8, 3),
        b'h' => (16, 4),
        _ => (10, 0),
    };
    let digits: String = digits.chars().filter(|c| *c != '_').collect();
    let width = match &head[letter + 1..] {
        "" if bits_per_digit == 0 => {
            return Err(format!("`{text}` needs a width, as in `0ud8_{digits}`"));
        }
        "" => Some(digits.len() as u32 * bits_per_digit),
        width => width.parse::<u32>().ok(),
    };
    let width = width.filter(|width| (1..=MAX_WIDTH).contains(width));
    let width = width.ok_or_else(|| format!("`{text}`: words have 1 to {MAX_WIDTH} bits"))?;
    let value = u128::from_str_radix(&digits, base).map_err(|_| format!("`{text}` has no digits of base {base}"))?;
    let limit = 1u128 << width;
    // The digits of a decimal constant are a number, those of the others the bits.
    let most = if signed && base == 10 { limit / 2 } else { limit - 1 };
    if value > most {
        return Err(format!("the value of `{text}` does not fit {width} bits; {most} is the greatest"));
    }
    let value = value as i128;
    let value = if signed && value >= 1 << (width - 1) { value - (1 << width) } else { value };
    Ok(WordConstant { signed, width, value })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_have_the_value_of_their_type() {
        let value = |text: &str| word_constant(text).map(|constant| (constant.width, constant.value));
        for (text, expected) in [
            ("0ud8_5", (8, 5)),
            ("0sd4_8", (4, -8)),
            ("0sb4_1011", (4, -5)),
            ("0ub4_1011", (4, 11)),
            ("0uh8_fF", (8, 255)),
            ("0uo6_17", (6, 15)),
            ("0b_101", (3, 5)),
            ("0h8_0f", (8, 15)),
            ("0ub8_1111_0000", (8, 240)),
        ] {
            assert_eq!(word_constant_length(text), Some(text.len()));
            assert_eq!(value(text), Ok(expected), "{text}");
        }
        for text in ["0ud4_16", "0sd4_9", "0ud_5", "0ub0_0", "0ub3_1111", "0ud90_1", "0ub4_2"] {
            assert!(value(text).is_err(), "{text}");
        }
        assert_eq!(word_constant_length("0ud"), None);
        assert_eq!(word_constant_length("0x_1"), None);
    }
}
