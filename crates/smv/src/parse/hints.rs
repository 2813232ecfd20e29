//! How to write what was probably meant, where the text cannot be read. Words of other languages, and misspelt ones, are names here.

use crate::token::Token;
use lariat_base::closest_name;

/// Words of other languages in expressions, and what is written here.
const FOREIGN: &[(&str, &str)] = &[
    ("if", "there is no `if`: write `condition ? a : b`, or `case … esac`"),
    ("then", "there is no `if`: write `condition ? a : b`, or `case … esac`"),
    ("else", "the last branch of a `case` is `TRUE : …;`"),
    ("default", "the last branch of a `case` is `TRUE : …;`"),
    ("switch", "there is no `switch`: write `case a = 1 : b; TRUE : c; esac`"),
    ("not", "`not` is written `!`"),
    ("and", "`and` is written `&`"),
    ("or", "`or` is written `|`"),
    ("implies", "`implies` is written `->`"),
    ("iff", "`iff` is written `<->`"),
];

/// What to write where `wanted` was expected behind one token, and another was found.
pub(super) fn hint(before: &Token, found: &Token, wanted: &str) -> Option<String> {
    let foreign = [before, found].into_iter().find_map(|token| {
        let Token::Name(name) = token else { return None };
        FOREIGN.iter().find(|(word, _)| **word == **name).map(|(_, hint)| *hint)
    });
    if foreign.is_some() {
        return foreign.map(str::to_owned);
    }
    let said = match (before, found) {
        (Token::Word("bool"), _) => "the type is `boolean`; `bool(…)` makes a truth value of a number",
        (Token::Sign("{"), Token::Sign("}")) => "a set has at least one value",
        (_, Token::Sign("..")) if wanted == "`}`" => "as a type a range has no braces: `0..3`",
        (Token::Sign("="), Token::Sign(">")) => "`=>` is written `->`, and `>=` is at least",
        (_, Token::Sign(":=")) => "`:=` stands in `ASSIGN` and `DEFINE` alone; a condition has `=`",
        (_, Token::Name(name)) if wanted == "`MODULE`" && name.eq_ignore_ascii_case("module") => {
            "words of the language are written as here: `MODULE`"
        }
        (Token::Word("COMPASSION"), _) => "two conditions in parentheses: `COMPASSION (p, q)`; `JUSTICE p` has one",
        (Token::Number(_), _) if wanted == "`..`" => {
            "a type is a range such as `0..3`, or a set of values such as `{3, 5}`"
        }
        (Token::Word("MIN" | "MAX"), _) => "write `MIN [from, to]` with two conditions",
        (_, Token::Sign("=")) if wanted == "`:=`" => {
            "an assignment has `:=`; `INIT`, `INVAR` and `TRANS` state equations"
        }
        (Token::Name(name), Token::Name(_)) => {
            let near = closest_name(name, ["process", "signed", "unsigned", "array"])?;
            return Some(format!("did you mean `{near}` instead of `{name}`?"));
        }
        _ => return None,
    };
    Some(said.to_owned())
}
