//! What the shape of formulas tells about their meaning: syntactic implication (Somenzi, Bloem, CAV 2000), pure
//! eventualities and universal formulas (Etessami, Holzmann, CONCUR 2000). Sound, not complete: "no" means "not seen".

use super::term::{Term, TermId, Terms};
use lariat_base::safe_point;

/// An answer, or the note that it is being worked out; a question met again meanwhile is answered "no", which is sound.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fact {
    Asked,
    No,
    Yes,
}

/// Beyond this many remembered answers nothing more is asked.
const LIMIT_FACTS: usize = 1 << 20;

impl Terms {
    /// Whether it is seen that every word of `a` is a word of `b`.
    pub(crate) fn implies(&mut self, a: TermId, b: TermId) -> bool {
        safe_point();
        if a == b || a == TermId::FALSE || b == TermId::TRUE {
            return true;
        }
        if a == TermId::TRUE || b == TermId::FALSE {
            return false;
        }
        match self.facts.get(&(a, b)) {
            Some(&fact) => return fact == Fact::Yes,
            None if self.facts.len() >= LIMIT_FACTS => return false,
            None => {}
        }
        self.facts.insert((a, b), Fact::Asked);
        let answer = self.implies_by_shape(a, b);
        self.facts.insert((a, b), if answer { Fact::Yes } else { Fact::No });
        answer
    }
    fn implies_by_shape(&mut self, a: TermId, b: TermId) -> bool {
        let (left, right) = (self.get(a).clone(), self.get(b).clone());
        match (&left, &right) {
            (_, Term::And(parts)) => return parts.iter().all(|&part| self.implies(a, part)),
            (Term::Or(parts), _) => return parts.iter().all(|&part| self.implies(part, b)),
            _ => {}
        }
        let by_right = match right {
            Term::Or(ref parts) => parts.iter().any(|&part| self.implies(a, part)),
            Term::Finally(y) => self.implies(a, y),
            Term::Until(_, y) | Term::Weak(_, y) => self.implies(a, y),
            Term::Release(x, y) | Term::Strong(x, y) => self.implies(a, x) && self.implies(a, y),
            Term::Globally(y) => self.is_universal(a) && self.implies(a, y),
            Term::Next(y) => self.is_universal(a) && self.implies(a, y),
            _ => false,
        };
        if by_right {
            return true;
        }
        let by_left = match left {
            Term::And(ref parts) => parts.iter().any(|&part| self.implies(part, b)),
            Term::Globally(x) => self.implies(x, b),
            Term::Until(x, y) | Term::Weak(x, y) => self.implies(x, b) && self.implies(y, b),
            Term::Release(_, y) | Term::Strong(_, y) => self.implies(y, b),
            Term::Finally(x) | Term::Next(x) => self.is_eventual(b) && self.implies(x, b),
            _ => false,
        };
        by_left || self.implies_by_pair(a, &left, &right)
    }

    fn implies_by_pair(&mut self, a: TermId, left: &Term, right: &Term) -> bool {
        use Term::{Finally, Globally, Next, Release, Strong, Until, Weak};
        match (left, right) {
            (&Next(x), &Next(y)) => self.implies(x, y),
            (&Finally(x), &Finally(y)) => self.implies(x, y),
            (&Until(_, x) | &Strong(x, _), &Finally(y)) => self.implies(x, y),
            (&Until(x, y), &Until(z, w) | &Weak(z, w)) | (&Weak(x, y), &Weak(z, w)) => {
                self.implies(x, z) && self.implies(y, w)
            }
            (&Release(x, y), &Release(z, w)) | (&Strong(x, y), &Strong(z, w) | &Release(z, w)) => {
                self.implies(x, z) && self.implies(y, w)
            }
            (&Globally(x), &Weak(z, _)) => self.implies(x, z) || self.implies(a, z),
            (&Globally(x), &Release(_, w)) => self.implies(x, w) || self.implies(a, w),
            (&Strong(x, y), &Until(z, w)) => self.implies(y, z) && self.implies(x, w),
            (&Release(x, y), &Weak(z, w)) | (&Strong(x, y), &Weak(z, w)) => self.implies(y, z) && self.implies(x, w),
            _ => false,
        }
    }
}
