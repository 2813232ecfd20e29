//! Sets of values, exactly as long as they are few, else from the least to the greatest.

/// At most this many values are kept one by one.
pub(super) const FEW: usize = 64;

/// Values that something may have; none if it has no value at all.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Vals {
    /// These, ascending.
    Few(Vec<i128>),
    /// Some from the first to the last.
    Span(i128, i128),
}

impl Vals {
    pub(super) const NONE: Vals = Vals::Few(Vec::new());

    pub(super) fn point(value: i128) -> Self {
        Self::Few(vec![value])
    }
    pub(super) fn truth(may_hold: bool, may_fail: bool) -> Self {
        let mut values = Vec::new();
        if may_fail {
            values.push(0);
        }
        if may_hold {
            values.push(1);
        }
        Self::Few(values)
    }
    /// From `low` to `high`.
    pub(super) fn between(low: i128, high: i128) -> Self {
        if high.saturating_sub(low) < FEW as i128 { Self::Few((low..=high).collect()) } else { Self::Span(low, high) }
    }
    /// Of these values.
    pub(super) fn of(mut values: Vec<i128>) -> Self {
        values.sort_unstable();
        values.dedup();
        match (values.first(), values.last()) {
            (Some(&low), Some(&high)) if values.len() > FEW => Self::Span(low, high),
            _ => Self::Few(values),
        }
    }
    pub(super) fn may_be(&self, value: i128) -> bool {
        match self {
            Self::Few(values) => values.binary_search(&value).is_ok(),
            Self::Span(low, high) => (*low..=*high).contains(&value),
        }
    }
    /// The least and the greatest, if there is any.
    pub(super) fn bounds(&self) -> Option<(i128, i128)> {
        match self {
            Self::Few(values) => Some((*values.first()?, *values.last()?)),
            Self::Span(low, high) => Some((*low, *high)),
        }
    }
    pub(super) fn union(self, other: Vals) -> Self {
        match (self, other) {
            (Self::Few(mut one), Self::Few(two)) => {
                if one == two || two.is_empty() {
                    return Self::Few(one);
                }
                one.extend(two);
                Self::of(one)
            }
            (one, two) => match (one.bounds(), two.bounds()) {
                (Some((a, b)), Some((c, d))) => Self::Span(a.min(c), b.max(d)),
                (Some(_), None) => one,
                _ => two,
            },
        }
    }
}
