//! How to write what was probably meant, where the text cannot be read. Words of other languages, and misspelt ones, are names here.

use super::sections::begins_section;
use crate::token::{Spanned, Token};
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

/// Where something else was expected.
pub(super) struct Spot<'t> {
    pub(super) tokens: &'t [Spanned],
    /// The number of the token that was found.
    pub(super) at: usize,
    /// What was expected.
    pub(super) wanted: &'t str,
    /// Whether a `case` is open.
    pub(super) in_case: bool,
}

impl Spot<'_> {
    fn token(&self, at: Option<usize>) -> &Token {
        at.and_then(|at| self.tokens.get(at)).map_or(&Token::End, |spanned| &spanned.token)
    }

    /// What to write here.
    pub(super) fn hint(&self) -> Option<String> {
        let (earlier, before) = (self.token(self.at.checked_sub(2)), self.token(self.at.checked_sub(1)));
        let found = self.token(Some(self.at));
        let foreign = [before, found].into_iter().find_map(|token| {
            let Token::Name(name) = token else { return None };
            FOREIGN.iter().find(|(word, _)| **word == **name).map(|(_, hint)| *hint)
        });
        if foreign.is_some() {
            return foreign.map(str::to_owned);
        }
        if let Token::Name(name) = before
            && let Some(operators) = temporal_letters(name)
        {
            return Some(format!("`{name}` is one name: write `{operators}`"));
        }
        if self.is_start_of_section()
            && let Token::Name(name) = found
            && begins_section(&name.to_uppercase())
        {
            return Some(format!("words of the language are written as here: `{}`", name.to_uppercase()));
        }
        self.of_types(before, found)
            .or_else(|| self.of_entries(earlier, before, found))
            .or_else(|| self.of_expressions(earlier, before, found))
            .map(str::to_owned)
            .or_else(|| misspelt(before, found))
    }

    fn is_start_of_section(&self) -> bool {
        self.wanted.starts_with("a section") || self.wanted == "`MODULE`"
    }

    fn of_types(&self, before: &Token, found: &Token) -> Option<&'static str> {
        Some(match (before, found) {
            (Token::Word("bool"), _) => "the type is `boolean`; `bool(…)` makes a truth value of a number",
            (_, Token::Sign("..")) if self.wanted == "`}`" => "as a type a range has no braces: `0..3`",
            (Token::Sign(".."), Token::Sign(".")) => "a range has two dots: `0..7`",
            (_, Token::Sign("[")) if self.wanted == "a type" => "a range has no brackets: `0..7`",
            (_, Token::Sign("[")) if self.wanted == "`;`" => "an array has its bounds first: `array 0..3 of boolean`",
            (_, Token::Word("of")) if self.wanted == "`..`" => "an array has two bounds: `array 0..3 of boolean`",
            (Token::Word("word"), _) if self.wanted == "`[`" => "the number of bits stands in brackets: `word[8]`",
            (Token::Number(_), _) if self.wanted == "`..`" => {
                "a type is a range such as `0..3`, or a set of values such as `{3, 5}`"
            }
            _ => return None,
        })
    }

    /// What entries of sections look like, and sections.
    fn of_entries(&self, earlier: &Token, before: &Token, found: &Token) -> Option<&'static str> {
        let is_spec = |token: &Token| matches!(token, Token::Word(word) if word.ends_with("SPEC"));
        Some(match (before, found) {
            (_, Token::Sign(":=")) if self.in_case => "is the `esac` of a `case` missing before this assignment?",
            (_, Token::Sign(";")) if self.in_case && self.wanted == "`:`" => {
                "a branch of a `case` is `condition : value;`"
            }
            (Token::Name(_), Token::Sign(":=")) if is_spec(earlier) => {
                "a specification gets a name by `NAME`: `LTLSPEC NAME p := G x`"
            }
            (_, Token::Sign(":=")) => "`:=` stands in `ASSIGN` and `DEFINE` alone; a condition has `=`",
            (_, Token::Sign("=")) if self.wanted == "`:=`" => {
                "an assignment has `:=`; `INIT`, `INVAR` and `TRANS` state equations"
            }
            (_, Token::Sign(":")) if *earlier == Token::Word("NAME") => "write `NAME p := …`",
            (_, Token::Sign(",")) if self.wanted == "`:`" => {
                "every variable has an entry of its own: `x : boolean; y : boolean;`"
            }
            (Token::Name(name), _) if self.wanted == "`:`" && name.eq_ignore_ascii_case("end") => {
                "a module ends where the next one begins: leave this out"
            }
            (Token::Name(_), Token::Name(_) | Token::Number(_) | Token::Sign("{" | "(")) if self.wanted == "`:`" => {
                "a `:` stands between a name and its type: `x : boolean;`"
            }
            (Token::Name(_), Token::Word("boolean" | "array" | "process" | "word" | "signed" | "unsigned"))
                if self.wanted == "`:`" =>
            {
                "a `:` stands between a name and its type: `x : boolean;`"
            }
            (Token::Word("next" | "init"), Token::Name(_)) if self.wanted == "`(`" => {
                "the variable stands in parentheses: `next(x)`"
            }
            (Token::Sign(";"), Token::Sign(";")) => "leave this `;` out",
            (Token::Word("COMPASSION"), _) => "two conditions in parentheses: `COMPASSION (p, q)`; `JUSTICE p` has one",
            (Token::Word("MIN" | "MAX"), _) => "write `MIN [from, to]` with two conditions",
            (_, Token::Sign(";")) if self.is_start_of_section() => "leave this `;` out",
            _ => return None,
        })
    }

    fn of_expressions(&self, earlier: &Token, before: &Token, found: &Token) -> Option<&'static str> {
        let is_sum = |token: &Token| matches!(token, Token::Sign("+" | "-" | "*" | "/") | Token::Word("mod"));
        Some(match (before, found) {
            (Token::Sign("{"), Token::Sign("}")) => "a set has at least one value",
            (Token::Sign("="), Token::Sign(">")) => "`=>` is written `->`, and `>=` is at least",
            (Token::Sign("+"), _) if *earlier == Token::Sign("+") => "there is no `++`: write `x + 1`",
            (Token::Sign("}"), found) if is_sum(found) => {
                "sets are not computed with: write the sums into the set, `{x + 1, x + 2}`"
            }
            (_, Token::Sign(",")) if self.wanted == "`)`" => "a set of values stands in braces: `{a, b}`",
            (Token::Number(0), Token::Name(name)) if name.starts_with(['x', 'b']) => {
                "a word has its number of bits: `0h8_ff`, `0b4_1010`"
            }
            _ => return None,
        })
    }
}

/// Temporal operators that were written together, apart: `GF` is a name.
fn temporal_letters(name: &str) -> Option<String> {
    let letters: Vec<String> = name.chars().map(String::from).collect();
    let are_operators = letters.len() > 1 && name.chars().all(|letter| "GFXHOYZ".contains(letter));
    are_operators.then(|| letters.join(" "))
}

fn misspelt(before: &Token, found: &Token) -> Option<String> {
    let (Token::Name(name), Token::Name(_)) = (before, found) else { return None };
    let near = closest_name(name, ["process", "signed", "unsigned", "array"])?;
    Some(format!("did you mean `{near}` instead of `{name}`?"))
}
