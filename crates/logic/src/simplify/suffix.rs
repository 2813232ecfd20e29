//! Formulas whose truth spreads along the word (Etessami and Holzmann, CONCUR 2000; Spot's documentation, "pure eventualities
//! and purely universal formulas"). Here they are about positions, so that they hold with past operators inside as well.

use crate::Formula;

/// Whether the formula, where it holds, holds at all earlier positions too: then `F f` is `f`. May say no of some that do.
pub(super) fn is_eventual(formula: &Formula) -> bool {
    match formula {
        Formula::True | Formula::False | Formula::Finally(_) | Formula::Historically(_) => true,
        Formula::And(parts) | Formula::Or(parts) => parts.iter().all(is_eventual),
        Formula::Next(f) | Formula::Globally(f) | Formula::WeakYesterday(f) => is_eventual(f),
        Formula::Until(f, g) => is_eventual(g) || **f == Formula::True,
        Formula::StrongRelease(f, g) => **g == Formula::True || is_eventual(f) && is_eventual(g),
        Formula::Release(f, g) | Formula::WeakUntil(f, g) => is_eventual(f) && is_eventual(g),
        Formula::Trigger(_, g) => is_eventual(g),
        _ => false,
    }
}

/// Whether the formula, where it holds, holds at all later positions too: then `G f` is `f`. May say no of some that do.
pub(super) fn is_universal(formula: &Formula) -> bool {
    match formula {
        Formula::True | Formula::False | Formula::Globally(_) | Formula::Once(_) => true,
        Formula::And(parts) | Formula::Or(parts) => parts.iter().all(is_universal),
        Formula::Next(f) | Formula::Finally(f) | Formula::Yesterday(f) => is_universal(f),
        Formula::Release(f, g) => is_universal(g) || **f == Formula::False,
        Formula::WeakUntil(f, g) => **g == Formula::False || is_universal(f) && is_universal(g),
        Formula::Until(f, g) | Formula::StrongRelease(f, g) => is_universal(f) && is_universal(g),
        Formula::Since(_, g) => is_universal(g),
        _ => false,
    }
}

/// Whether the formula holds everywhere or nowhere on each word, as `G F a` does.
pub(super) fn is_timeless(formula: &Formula) -> bool {
    is_eventual(formula) && is_universal(formula)
}
