//! Acceptance conditions, as they are written.

use super::lex::Token;
use super::{MAX_DEPTH, Reader, Trouble, error};
use crate::{Acceptance, Mark};

/// Reads a condition over `marks` marks. `Inf(!n)` and `Fin(!n)` speak of the edges that do *not* carry mark `n`; each
/// such `n` is put into `complemented`, and its complement is mark `marks + n`.
pub(super) fn condition(
    reader: &mut Reader<'_>,
    marks: u32,
    complemented: &mut Vec<Mark>,
    depth: usize,
) -> Result<Acceptance, Trouble> {
    let mut parts = vec![conjunction(reader, marks, complemented, depth)?];
    while reader.take_if(&Token::Or)? {
        parts.push(conjunction(reader, marks, complemented, depth)?);
    }
    Ok(Acceptance::join(parts, false))
}

fn conjunction(
    reader: &mut Reader<'_>,
    marks: u32,
    complemented: &mut Vec<Mark>,
    depth: usize,
) -> Result<Acceptance, Trouble> {
    let mut parts = vec![atom(reader, marks, complemented, depth)?];
    while reader.take_if(&Token::And)? {
        parts.push(atom(reader, marks, complemented, depth)?);
    }
    Ok(Acceptance::join(parts, true))
}

fn atom(
    reader: &mut Reader<'_>,
    marks: u32,
    complemented: &mut Vec<Mark>,
    depth: usize,
) -> Result<Acceptance, Trouble> {
    if depth > MAX_DEPTH {
        return Err(error(reader.span, "A0111", "this condition is nested too deeply").into());
    }
    if reader.take_if(&Token::Open)? {
        let inner = condition(reader, marks, complemented, depth + 1)?;
        reader.expect(&Token::Close)?;
        return Ok(inner);
    }
    let Token::Identifier(name) = reader.token.clone() else {
        return Err(reader.unexpected("an acceptance condition"));
    };
    let (_, span) = reader.take()?;
    let build = match name.as_str() {
        "t" => return Ok(Acceptance::True),
        "f" => return Ok(Acceptance::False),
        "Inf" => Acceptance::Inf,
        "Fin" => Acceptance::Fin,
        _ => {
            let message = format!("`{name}` is not an acceptance condition; there are `Inf`, `Fin`, `t` and `f`");
            return Err(error(span, "A0106", message).into());
        }
    };
    reader.expect(&Token::Open)?;
    let negated = reader.take_if(&Token::Not)?;
    let (number, span) = reader.number("the number of an acceptance set")?;
    reader.expect(&Token::Close)?;
    match u32::try_from(number) {
        Ok(mark) if mark < marks && negated => {
            complemented.push(Mark(mark));
            Ok(build(Mark(marks + mark)))
        }
        Ok(mark) if mark < marks => Ok(build(Mark(mark))),
        _ => Err(error(span, "A0106", format!("there is no acceptance set {number}, only {marks} of them")).into()),
    }
}
