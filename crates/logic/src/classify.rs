//! The hierarchy of temporal properties (Manna and Pnueli, PODC 1990) and stuttering.
//!
//! ```text
//!                  reactivity
//!                 /          \
//!        recurrence          persistence       G F p        F G p
//!                 \          /
//!                  obligation                  G p | F q
//!                 /          \
//!            safety          guarantee         G p          F p
//! ```
//!
//! What class a property is in can be decided on an automaton. Here it is read off the formula (Chang, Manna and Pnueli,
//! ICALP 1992; Černá and Pelánek, MFCS 2003), which takes no time and may place it too high, never too low. A formula that
//! speaks of the past and the present only counts as a proposition: that is what the past is good for.

use crate::Formula;
use std::fmt;

/// A class of the hierarchy.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Class {
    /// A run that violates it has done so after finitely many steps.
    Safety,
    /// A run that satisfies it has done so after finitely many steps.
    Guarantee,
    /// A boolean combination of safety and guarantee: accepted by a weak automaton.
    Obligation,
    /// Accepted by a deterministic Büchi automaton.
    Recurrence,
    /// Accepted by a deterministic co-Büchi automaton.
    Persistence,
    /// Any property of LTL.
    Reactivity,
}

impl Class {
    /// All of them, lower ones first.
    pub const ALL: [Class; 6] =
        [Self::Safety, Self::Guarantee, Self::Obligation, Self::Recurrence, Self::Persistence, Self::Reactivity];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Safety => "safety",
            Self::Guarantee => "guarantee",
            Self::Obligation => "obligation",
            Self::Recurrence => "recurrence",
            Self::Persistence => "persistence",
            Self::Reactivity => "reactivity",
        }
    }

    /// This class and those that contain it, as bits.
    fn and_above(self) -> u8 {
        let bit = |class: Class| 1 << class as u8;
        let top = bit(Self::Reactivity);
        let middle = top | bit(Self::Recurrence) | bit(Self::Persistence);
        match self {
            Self::Reactivity => top,
            Self::Recurrence | Self::Persistence => top | bit(self),
            Self::Obligation => middle | bit(self),
            Self::Safety | Self::Guarantee => middle | bit(Self::Obligation) | bit(self),
        }
    }
}

/// The classes that a property is known to be in; with each class those that contain it, and always reactivity. Whether it
/// may be in others too depends on who says so: [`Formula::classes`] may miss some, an automaton misses none.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Classes(u8);

impl Classes {
    /// All that is known is that it is a property.
    pub const REACTIVITY: Classes = Classes(1 << Class::Reactivity as u8);

    /// The class and those that contain it.
    pub fn of(class: Class) -> Self {
        Self(class.and_above())
    }
    /// Known to be in the class as well.
    #[must_use]
    pub fn with(self, class: Class) -> Self {
        Self(self.0 | class.and_above())
    }
    /// Whether it is known to be in the class.
    pub fn contains(self, class: Class) -> bool {
        self.0 >> class as u8 & 1 == 1
    }
    /// The lowest ones: no other class it is known to be in lies below. Two of them, or one.
    pub fn lowest(self) -> Vec<Class> {
        let inside = Class::ALL.into_iter().filter(|class| self.contains(*class));
        let below = |class: Class| {
            Class::ALL.into_iter().any(|low| low != class && self.contains(low) && Self::of(low).contains(class))
        };
        inside.filter(|class| !below(*class)).collect()
    }
    /// Both are known.
    fn common(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
    /// Those of the negation.
    fn dual(self) -> Self {
        Class::ALL.into_iter().filter(|class| self.contains(*class)).fold(Self::REACTIVITY, |dual, class| {
            dual.with(match class {
                Class::Safety => Class::Guarantee,
                Class::Guarantee => Class::Safety,
                Class::Recurrence => Class::Persistence,
                Class::Persistence => Class::Recurrence,
                other => other,
            })
        })
    }
}

impl fmt::Display for Classes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.lowest().into_iter().map(Class::name).collect();
        f.write_str(&names.join(" and "))
    }
}

impl fmt::Debug for Classes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

impl Formula {
    /// The classes that its shape shows it to be in. Formulas of LTL only: with path quantifiers, nothing is known.
    pub fn classes(&self) -> Classes {
        use Class::{Guarantee, Obligation, Persistence, Recurrence, Safety};
        let state = Classes::of(Safety).with(Guarantee);
        // The classes in which the operator is if the left part is in the one and the right part in the other.
        let rules: &[(Class, Class, Class)] = match self {
            Self::True | Self::False | Self::Prop(_) => return state,
            Self::Not(f) => return f.classes().dual(),
            Self::And(parts) | Self::Or(parts) => {
                return parts.iter().fold(state, |known, part| known.common(part.classes()));
            }
            Self::Implies(f, g) => return f.classes().dual().common(g.classes()),
            Self::Iff(f, g) | Self::Xor(f, g) => {
                let (f, g) = (f.classes(), g.classes());
                return f.common(f.dual()).common(g).common(g.dual());
            }
            Self::Next(f) => return f.classes(),
            _ if self.is_past_operator() && !self.has_future() && !self.has_quantifier() => return state,
            Self::Finally(f) => return Self::until(Self::True, (**f).clone()).classes(),
            Self::Globally(f) => return Self::release(Self::False, (**f).clone()).classes(),
            Self::Until(..) => &[
                (Guarantee, Guarantee, Guarantee),
                (Obligation, Guarantee, Obligation),
                (Recurrence, Guarantee, Recurrence),
                (Persistence, Persistence, Persistence),
            ],
            Self::StrongRelease(..) => &[
                (Guarantee, Guarantee, Guarantee),
                (Guarantee, Obligation, Obligation),
                (Guarantee, Recurrence, Recurrence),
                (Persistence, Persistence, Persistence),
            ],
            Self::Release(..) => &[
                (Safety, Safety, Safety),
                (Obligation, Safety, Obligation),
                (Persistence, Safety, Persistence),
                (Recurrence, Recurrence, Recurrence),
            ],
            Self::WeakUntil(..) => &[
                (Safety, Safety, Safety),
                (Safety, Obligation, Obligation),
                (Safety, Persistence, Persistence),
                (Recurrence, Recurrence, Recurrence),
            ],
            _ => return Classes::REACTIVITY,
        };
        let parts = self.operands();
        let (left, right) = (parts[0].classes(), parts[1].classes());
        rules.iter().fold(Classes::REACTIVITY, |known, &(of_left, of_right, class)| {
            if left.contains(of_left) && right.contains(of_right) { known.with(class) } else { known }
        })
    }

    /// Whether it counts no steps: then repeating a letter of a word does not change its truth. Formulas that do count steps
    /// may still not care (`X G F a`); an automaton can tell.
    pub fn counts_no_steps(&self) -> bool {
        !self.any(&|part| matches!(part, Self::Next(_) | Self::Yesterday(_) | Self::WeakYesterday(_)))
    }

    /// The logic it belongs to.
    pub fn logic(&self) -> Logic {
        if !self.has_quantifier() {
            Logic::Ltl
        } else if self.is_ctl_state() {
            Logic::Ctl
        } else {
            Logic::CtlStar
        }
    }

    fn is_ctl_state(&self) -> bool {
        match self {
            Self::ForSome(path) | Self::ForAll(path) => {
                path.is_future_operator() && path.operands().into_iter().all(Self::is_ctl_state)
            }
            _ if self.is_future_operator() || self.is_past_operator() => false,
            _ => self.operands().into_iter().all(Self::is_ctl_state),
        }
    }
}

/// Which logic a formula belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Logic {
    /// No path quantifiers: about single runs.
    Ltl,
    /// A quantifier before each temporal operator, and after each quantifier a temporal operator.
    Ctl,
    /// Quantifiers and temporal operators as one likes.
    CtlStar,
}
