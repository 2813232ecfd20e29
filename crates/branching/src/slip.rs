//! Deliberate mistakes in the fixpoints of this crate and of `symbolic`, for `tests/slips.rs` and `tests/ctl.rs`: each must be noticed by the comparison
//! with an oracle.
//! They exist in debug builds alone, and are made by the thread that asks for them. A release build leaves the questions out.

/// A mistake.
#[doc(hidden)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Slip {
    /// Light restriction as it is printed: nothing is looked at again with full restriction.
    StaysLight,
    /// Ways to what justice gives may pass what was removed.
    JusticeUnrestricted,
    /// Ways to what compassion gives may pass what was removed.
    CompassionUnrestricted,
    /// States without a step inside stay.
    NoPruning,
    /// Forwards, components that no step leads into are taken for those that none leads out of.
    WrongEnd,
    /// A way of no step closes a loop.
    ZeroStepClose,
    /// That some step carries a label is taken for the step that does: inputs are not quantified with the step.
    InputOfState,
    /// What a state reaches is taken for its component.
    ComponentIsReach,
    /// What no step leads out of is taken for a component.
    BottomIsComponent,
    /// A component without a step is fair.
    EmptyLoop,
    /// A component in which something is asked for in vain is dropped as a whole.
    NoRefinement,
    /// A wrong guess that nothing will be asked for any more goes unnoticed.
    GuessStaysRight,
    /// Ways to the goal of an until may pass anything.
    UntilUnrestricted,
    /// They may end where no fair run goes on.
    UntilToUnfair,
    /// So may a single step.
    NextToUnfair,
    /// `E G f` holds on loops alone, and not on the way to them.
    AlwaysOnLoops,
    /// A dead end that repeats is no successor of itself.
    StutterForgotten,
    /// A fixpoint ends after one round.
    OneRound,
    /// In `symbolic`: no step goes on from transient states.
    InnerEndsEarly,
    /// Seen backwards, only the last transient state of a step is gone back from.
    InnerBackEndsEarly,
    /// Actions of a greater rank may happen too.
    RanksIgnored,
    /// What the first actions of a step carried is forgotten.
    CarriedForgotten,
    /// An event of saturation is not followed.
    EventLost,
    /// A path of actions of one step ends where control is held and the holder could run on.
    PathEndsEarly,
}

#[cfg(debug_assertions)]
thread_local! {
    static MADE: std::cell::Cell<Option<Slip>> = const { std::cell::Cell::new(None) };
}

/// Makes the mistake in this thread from now on, or none. Whether it can be made.
#[doc(hidden)]
pub fn make_slip(slip: Option<Slip>) -> bool {
    #[cfg(debug_assertions)]
    MADE.set(slip);
    cfg!(debug_assertions) || slip.is_none()
}

/// Whether the mistake is to be made.
#[doc(hidden)]
#[cfg(debug_assertions)]
pub fn slips(slip: Slip) -> bool {
    MADE.get() == Some(slip)
}
#[doc(hidden)]
#[cfg(not(debug_assertions))]
pub fn slips(_: Slip) -> bool {
    false
}
