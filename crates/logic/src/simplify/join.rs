//! Conjunctions and disjunctions over simple parts. One is the other with everything turned round, so one text does both.

use super::implication::{covers, excludes, implies};
use super::temporal;
use crate::Formula;
use crate::Formula::*;
use lariat_base::safe_point;

/// With more parts than this they are not compared pair by pair.
const MAX_COMPARED: usize = 40;

/// All of the parts, which are simple.
pub(super) fn all(parts: Vec<Formula>) -> Formula {
    joined(parts, true)
}

/// One of the parts, which are simple.
pub(super) fn any(parts: Vec<Formula>) -> Formula {
    joined(parts, false)
}

fn plain(parts: Vec<Formula>, and: bool) -> Formula {
    if and { Formula::and(parts) } else { Formula::or(parts) }
}

fn joined(parts: Vec<Formula>, and: bool) -> Formula {
    safe_point();
    // The part that decides the whole, and the one that does nothing for it.
    let (decides, nothing) = (Formula::constant(!and), Formula::constant(and));
    let mut parts = parts;
    loop {
        parts = match plain(parts, and) {
            And(parts) if and => parts,
            Or(parts) if !and => parts,
            single => return single,
        };
        parts.retain(|part| *part != nothing);
        drop_repeated(&mut parts);
        if parts.contains(&decides) {
            return decides;
        }
        if parts.len() > MAX_COMPARED {
            return plain(parts, and);
        }
        if contradict(&parts, and) {
            return decides;
        }
        drop_implied(&mut parts, and);
        match resolved(&parts, and).or_else(|| merge(&parts, and)) {
            Some(changed) => parts = changed,
            None => return plain(parts, and),
        }
    }
}

fn drop_repeated(parts: &mut Vec<Formula>) {
    let mut seen = std::collections::HashSet::new();
    parts.retain(|part| seen.insert(part.clone()));
}

/// Whether two parts exclude each other; of a disjunction, whether one of two always holds.
fn contradict(parts: &[Formula], and: bool) -> bool {
    let negated: Vec<Formula> = parts.iter().map(|part| Formula::not(part.clone()).negations_pushed()).collect();
    (0..parts.len())
        .any(|i| (0..i).any(|j| if and { implies(&parts[i], &negated[j]) } else { implies(&negated[i], &parts[j]) }))
}

/// Leaves out the parts that follow from another one; of a disjunction, those from which another one follows.
fn drop_implied(parts: &mut Vec<Formula>, and: bool) {
    let mut at = 0;
    while at < parts.len() {
        let needless = (0..parts.len()).any(|other| {
            other != at && if and { implies(&parts[other], &parts[at]) } else { implies(&parts[at], &parts[other]) }
        });
        if needless {
            parts.remove(at);
        } else {
            at += 1;
        }
    }
}

/// The parts with alternatives left out that another part excludes: `(a | b) & !a` is `b & !a`. Dually, of a disjunction,
/// conditions that hold wherever the other parts do not.
fn resolved(parts: &[Formula], and: bool) -> Option<Vec<Formula>> {
    for (at, part) in parts.iter().enumerate() {
        let (Or(inner) | And(inner)) = part else { continue };
        let others = || parts.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, other)| other);
        let needless = |f: &Formula| others().any(|g| if and { excludes(g, f) } else { covers(g, f) });
        let kept: Vec<Formula> = inner.iter().filter(|f| !needless(f)).cloned().collect();
        if kept.len() < inner.len() {
            let mut smaller = parts.to_vec();
            smaller[at] = joined(kept, !and);
            return Some(smaller);
        }
    }
    None
}

/// The parts with two of them made one, if there are two that can be. The one is not larger than the two and their joint.
fn merge(parts: &[Formula], and: bool) -> Option<Vec<Formula>> {
    for (first, f) in parts.iter().enumerate() {
        for (second, g) in parts.iter().enumerate().filter(|(second, _)| *second != first) {
            if let Some(one) = merged(f, g, and) {
                let rest = parts.iter().enumerate().filter(|(at, _)| *at != first && *at != second);
                let mut fewer: Vec<Formula> = rest.map(|(_, part)| part.clone()).collect();
                fewer.insert(first.min(second).min(fewer.len()), one);
                return Some(fewer);
            }
        }
    }
    None
}

/// One formula for two parts, in this order.
fn merged(f: &Formula, g: &Formula, and: bool) -> Option<Formula> {
    let join = |f: &Formula, g: &Formula| joined(vec![f.clone(), g.clone()], and);
    Some(match (f, g) {
        (Next(f), Next(g)) => temporal::next(join(f, g)),
        (Yesterday(f), Yesterday(g)) => Formula::yesterday(join(f, g)),
        (WeakYesterday(f), WeakYesterday(g)) => Formula::weak_yesterday(join(f, g)),
        (Globally(f), Globally(g)) if and => Formula::globally(join(f, g)),
        (Finally(f), Finally(g)) if !and => Formula::finally(join(f, g)),
        (Historically(f), Historically(g)) if and => Formula::historically(join(f, g)),
        (Once(f), Once(g)) if !and => Formula::once(join(f, g)),
        (Finally(f), Finally(g)) if let (true, Globally(f), Globally(g)) = (and, &**f, &**g) => {
            temporal::finally(Formula::globally(join(f, g)))
        }
        (Globally(f), Globally(g)) if let (false, Finally(f), Finally(g)) = (and, &**f, &**g) => {
            temporal::globally(Formula::finally(join(f, g)))
        }
        _ => return by_parts(f, g, and).or_else(|| strengthened(f, g, and)),
    })
}

/// Binary operators that have a part in common.
fn by_parts(f: &Formula, g: &Formula, and: bool) -> Option<Formula> {
    // `and` joins what must hold throughout, `or` what must come; the other part is common.
    let join = |f: &Formula, g: &Formula| joined(vec![f.clone(), g.clone()], and);
    macro_rules! throughout_first {
        ($build:path, $a:expr, $b:expr, $c:expr, $d:expr) => {
            if and && $b == $d {
                Some($build(join($a, $c), (**$b).clone()))
            } else if !and && $a == $c {
                Some($build((**$a).clone(), join($b, $d)))
            } else {
                None
            }
        };
    }
    macro_rules! throughout_second {
        ($build:path, $a:expr, $b:expr, $c:expr, $d:expr) => {
            if and && $a == $c {
                Some($build((**$a).clone(), join($b, $d)))
            } else if !and && $b == $d {
                Some($build(join($a, $c), (**$b).clone()))
            } else {
                None
            }
        };
    }
    match (f, g) {
        (Until(a, b), Until(c, d)) => throughout_first!(temporal::until, a, b, c, d),
        (WeakUntil(a, b), WeakUntil(c, d)) => throughout_first!(temporal::weak_until, a, b, c, d),
        (Since(a, b), Since(c, d)) => throughout_first!(temporal::since, a, b, c, d),
        (Release(a, b), Release(c, d)) => throughout_second!(temporal::release, a, b, c, d),
        (StrongRelease(a, b), StrongRelease(c, d)) => throughout_second!(temporal::strong_release, a, b, c, d),
        (Trigger(a, b), Trigger(c, d)) => throughout_second!(temporal::trigger, a, b, c, d),
        _ => None,
    }
}

/// Pairs that say together what another operator says.
fn strengthened(f: &Formula, g: &Formula, and: bool) -> Option<Formula> {
    match (f, g, and) {
        // a & X G a, a | X F a
        (f, Next(later), true) if matches!(&**later, Globally(g) if **g == *f) => Some((**later).clone()),
        (f, Next(later), false) if matches!(&**later, Finally(g) if **g == *f) => Some((**later).clone()),
        // The weak operator and what makes it strong, and the other way round.
        (WeakUntil(a, b), Finally(c), true) if b == c => Some(Until(a.clone(), b.clone())),
        (Release(a, b), Finally(c), true) if a == c => Some(StrongRelease(a.clone(), b.clone())),
        (Until(a, b), Globally(c), false) if a == c => Some(WeakUntil(a.clone(), b.clone())),
        (StrongRelease(a, b), Globally(c), false) if b == c => Some(Release(a.clone(), b.clone())),
        _ => None,
    }
}
