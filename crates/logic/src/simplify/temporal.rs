//! Temporal operators over simple parts.
//!
//! Each constructor takes simple parts and gives a simple formula that is not larger than the operator over the parts. The
//! future ones come in dual pairs: what `F` does with `|`, `G` does with `&`.

use super::implication::{covers, excludes, implies};
use super::join::{all, any};
use super::suffix::{is_eventual, is_timeless, is_universal};
use crate::Formula;
use crate::Formula::*;
use lariat_base::safe_point;

/// The formula, a temporal one, over the parts that `of` makes of its own.
pub(super) fn rebuilt(formula: &Formula, of: impl Fn(&Formula) -> Formula) -> Formula {
    safe_point();
    match formula {
        Next(f) => next(of(f)),
        Finally(f) => finally(of(f)),
        Globally(f) => globally(of(f)),
        Until(f, g) => until(of(f), of(g)),
        WeakUntil(f, g) => weak_until(of(f), of(g)),
        Release(f, g) => release(of(f), of(g)),
        StrongRelease(f, g) => strong_release(of(f), of(g)),
        Yesterday(f) => match of(f) {
            False => False,
            part => Formula::yesterday(part),
        },
        WeakYesterday(f) => match of(f) {
            True => True,
            part => Formula::weak_yesterday(part),
        },
        Once(f) => once(of(f)),
        Historically(f) => historically(of(f)),
        Since(f, g) => since(of(f), of(g)),
        Trigger(f, g) => trigger(of(f), of(g)),
        other => other.clone(),
    }
}

/// `X f`
pub(super) fn next(f: Formula) -> Formula {
    match f {
        f if is_timeless(&f) => f,
        Yesterday(inner) | WeakYesterday(inner) => (*inner).clone(),
        f => Formula::next(f),
    }
}

/// `F f`
pub(super) fn finally(f: Formula) -> Formula {
    match f {
        f if is_eventual(&f) => f,
        Next(inner) => next(finally((*inner).clone())),
        Until(_, g) => finally((*g).clone()),
        StrongRelease(f, g) => finally(all(vec![(*f).clone(), (*g).clone()])),
        Or(parts) => any(parts.into_iter().map(finally).collect()),
        And(parts) => {
            let (outside, inside) = parts.into_iter().partition(is_timeless);
            with_outside(outside, inside, all, Formula::finally)
        }
        f => Formula::finally(f),
    }
}

/// `G f`
pub(super) fn globally(f: Formula) -> Formula {
    match f {
        f if is_universal(&f) => f,
        Next(inner) => next(globally((*inner).clone())),
        Release(_, g) => globally((*g).clone()),
        WeakUntil(f, g) => globally(any(vec![(*f).clone(), (*g).clone()])),
        And(parts) => all(parts.into_iter().map(globally).collect()),
        Or(parts) => {
            let (outside, inside) = parts.into_iter().partition(is_timeless);
            with_outside(outside, inside, any, Formula::globally)
        }
        f => Formula::globally(f),
    }
}

/// The operator over the parts inside, joined with those outside, which it would not change.
fn with_outside(
    outside: Vec<Formula>,
    inside: Vec<Formula>,
    join: fn(Vec<Formula>) -> Formula,
    operator: fn(Formula) -> Formula,
) -> Formula {
    if outside.is_empty() {
        return operator(join(inside));
    }
    let mut parts = outside;
    parts.push(if inside.is_empty() { join(inside) } else { operator(join(inside)) });
    join(parts)
}

/// `f U g`
pub(super) fn until(f: Formula, g: Formula) -> Formula {
    match (f, g) {
        (_, g) if is_eventual(&g) => g,
        (f, g) if f == True || covers(&f, &g) => finally(g),
        (f, g) if implies(&f, &g) => g,
        (Next(f), Next(g)) => next(until((*f).clone(), (*g).clone())),
        // f U (h U g) is h U g if f implies h.
        (f, Until(h, g)) if implies(&f, &h) => Until(h, g),
        (Until(f, h), g) if *h == g => Until(f, h),
        (f, g) => Formula::until(f, g),
    }
}

/// `f W g`
pub(super) fn weak_until(f: Formula, g: Formula) -> Formula {
    match (f, g) {
        (f, g) if f == True || g == True || covers(&f, &g) => True,
        (f, False) => globally(f),
        (f, g) if is_universal(&f) => any(vec![f, g]),
        (f, g) if implies(&f, &g) => g,
        (Next(f), Next(g)) => next(weak_until((*f).clone(), (*g).clone())),
        (f, WeakUntil(h, g)) if implies(&f, &h) => WeakUntil(h, g),
        (WeakUntil(f, h), g) if *h == g => WeakUntil(f, h),
        (f, g) => Formula::weak_until(f, g),
    }
}

/// `f R g`
pub(super) fn release(f: Formula, g: Formula) -> Formula {
    match (f, g) {
        (_, g) if is_universal(&g) => g,
        (f, g) if f == False || excludes(&f, &g) => globally(g),
        (f, g) if implies(&g, &f) => g,
        (Next(f), Next(g)) => next(release((*f).clone(), (*g).clone())),
        (f, Release(h, g)) if implies(&h, &f) => Release(h, g),
        (Release(f, h), g) if *h == g => Release(f, h),
        (f, g) => Formula::release(f, g),
    }
}

/// `f M g`
pub(super) fn strong_release(f: Formula, g: Formula) -> Formula {
    match (f, g) {
        (f, g) if f == False || g == False || excludes(&f, &g) => False,
        (f, True) => finally(f),
        (f, g) if is_eventual(&f) => all(vec![f, g]),
        (f, g) if implies(&g, &f) => g,
        (Next(f), Next(g)) => next(strong_release((*f).clone(), (*g).clone())),
        (f, StrongRelease(h, g)) if implies(&h, &f) => StrongRelease(h, g),
        (StrongRelease(f, h), g) if *h == g => StrongRelease(f, h),
        (f, g) => Formula::strong_release(f, g),
    }
}

/// `O f`
pub(super) fn once(f: Formula) -> Formula {
    match f {
        // What stays true once it is true was true once if it is now.
        f if is_universal(&f) => f,
        Since(_, g) => once((*g).clone()),
        Or(parts) => any(parts.into_iter().map(once).collect()),
        f => Formula::once(f),
    }
}

/// `H f`
pub(super) fn historically(f: Formula) -> Formula {
    match f {
        f if is_eventual(&f) => f,
        Trigger(_, g) => historically((*g).clone()),
        And(parts) => all(parts.into_iter().map(historically).collect()),
        f => Formula::historically(f),
    }
}

/// `f S g`
pub(super) fn since(f: Formula, g: Formula) -> Formula {
    match (f, g) {
        (_, g) if is_universal(&g) => g,
        (f, g) if f == True || covers(&f, &g) => once(g),
        (f, g) if implies(&f, &g) => g,
        (f, Since(h, g)) if implies(&f, &h) => Since(h, g),
        (Since(f, h), g) if *h == g => Since(f, h),
        (f, g) => Formula::since(f, g),
    }
}

/// `f T g`
pub(super) fn trigger(f: Formula, g: Formula) -> Formula {
    match (f, g) {
        (_, g) if is_eventual(&g) => g,
        (f, g) if f == False || excludes(&f, &g) => historically(g),
        (f, g) if implies(&g, &f) => g,
        (f, Trigger(h, g)) if implies(&h, &f) => Trigger(h, g),
        (Trigger(f, h), g) if *h == g => Trigger(f, h),
        (f, g) => Formula::trigger(f, g),
    }
}
