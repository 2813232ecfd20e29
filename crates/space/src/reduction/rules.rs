//! The rules of the choice by name, so that each can be left out on purpose.
//!
//! A reduction that forgets one of them loses states that matter. Tests leave out one rule after the other and ask that some
//! random system or some kept model shows it: where none does, either the tests are too weak or the rule is not needed.
//!
//! Not listed are conditions that others imply, and that make it easier to see that all is well: that nothing ends late in an
//! atomic sequence or under an invariant that asks for the pool, that nothing beside a send or receive touches its channels,
//! that an index is read, that a channel has the cells it should have, and that a place says where control is.

/// A rule of the choice of the process that may go first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rule {
    /// At its place, nobody can draw it into a rendezvous.
    NoPartner,
    /// It moves alone.
    OneParticipant,
    /// None of its actions waits until nothing else can happen.
    OrdinaryRank,
    /// All ordinary actions have one rank.
    OneRank,
    /// It creates no process.
    NoCreation,
    /// All that it can do to the end of an atomic sequence is looked at.
    WholeSequence,
    /// It uses no channel in the middle of an atomic sequence.
    NoLateChannel,
    /// Where it ends, it is the youngest.
    Youngest,
    /// Whether somebody ends is seen by those who ask for the pool.
    EndIsSeen,
    /// Whether somebody ends is changed by those who create processes or ask for the pool.
    EndSees,
    /// What actions without participants create may disturb anybody.
    CreationByNobody,
    /// What actions without participants read and write.
    AccessesOfNobody,
    /// Nobody in the middle of an atomic sequence waits for it at a place where it comes to.
    Arrival,
    /// Nobody in the middle of an atomic sequence waits for it to end.
    AwaitedEnd,
    /// It writes nothing that is observed.
    Visible,
    /// Slots of processes are observed.
    VisibleSlots,
    /// The pool is observed.
    VisiblePool,
    /// Labels of steps are observed.
    VisibleSteps,
    /// What it does beside sends and receives is not disturbed by anything.
    Undisturbed,
    /// Its sends and receives are not disturbed by anything but sends and receives.
    UndisturbedChannels,
    /// What it reads is not written.
    ReadNotWritten,
    /// What it writes is not touched.
    WrittenNotTouched,
    /// What others may come to do later.
    Later,
    /// What processes may do that others may create.
    LaterCreated,
    /// Slots of processes that others read and write: what others do.
    SlotsOfOthers,
    /// The same, where others do it from afar, too.
    SlotsOfOthersFromAfar,
    /// The same: what it does to its own slots, which others may touch.
    OwnSlots,
    /// The same: what it does to slots of others.
    SlotsFromAfar,
    /// Those who ask for the pool are seen by those who change it.
    PoolIsRead,
    /// Those who change the pool are seen by those who ask for it.
    PoolIsWritten,
    /// Who asks for the pool is disturbed by those who change it.
    PoolIsKept,
    /// Traps of guards read.
    GuardTraps,
    /// Traps of effects read.
    EffectTraps,
    /// Invariants read.
    Invariants,
    /// There is room for what it sends, a message for it to receive.
    GoesOn,
    /// Nobody else sends to that channel, or receives from it.
    OneUser,
    /// Others who use the channel in the middle of an atomic sequence do it harm in either direction.
    HeldUse,
    /// A slot that says which channel is used may be written.
    IndexWritten,
    /// Of processes that are not created yet nothing is known.
    IndexOfCreated,
    /// What is sent is read.
    SentIsRead,
    /// A guard that looks at the message although there may be none.
    GuardOfMessage,
    /// Channels that share slots with others are compared slot by slot.
    SharedChannels,
    /// Channels that invariants read are compared slot by slot.
    ChannelsInInvariants,
    /// Who can do nothing but fail does not go first.
    HasStep,
    /// No process goes round a circle while others wait.
    Circles,
    /// A place of a circle that is used now and then does nothing but send and receive.
    FedByChannels,
    /// A place of a circle is used now and then only if no younger process keeps it going.
    FedByOlder,
}

impl Rule {
    /// All of them.
    pub const ALL: [Self; 47] = [
        Self::NoPartner,
        Self::OneParticipant,
        Self::OrdinaryRank,
        Self::OneRank,
        Self::NoCreation,
        Self::WholeSequence,
        Self::NoLateChannel,
        Self::Youngest,
        Self::EndIsSeen,
        Self::EndSees,
        Self::CreationByNobody,
        Self::AccessesOfNobody,
        Self::Arrival,
        Self::AwaitedEnd,
        Self::Visible,
        Self::VisibleSlots,
        Self::VisiblePool,
        Self::VisibleSteps,
        Self::Undisturbed,
        Self::UndisturbedChannels,
        Self::ReadNotWritten,
        Self::WrittenNotTouched,
        Self::Later,
        Self::LaterCreated,
        Self::SlotsOfOthers,
        Self::SlotsOfOthersFromAfar,
        Self::OwnSlots,
        Self::SlotsFromAfar,
        Self::PoolIsRead,
        Self::PoolIsWritten,
        Self::PoolIsKept,
        Self::GuardTraps,
        Self::EffectTraps,
        Self::Invariants,
        Self::GoesOn,
        Self::OneUser,
        Self::HeldUse,
        Self::IndexWritten,
        Self::IndexOfCreated,
        Self::SentIsRead,
        Self::GuardOfMessage,
        Self::SharedChannels,
        Self::ChannelsInInvariants,
        Self::HasStep,
        Self::Circles,
        Self::FedByChannels,
        Self::FedByOlder,
    ];
}

/// The rules that are kept: all but one at most.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Rules {
    pub(super) omitted: Option<Rule>,
}

impl Rules {
    /// Whether the rule counts.
    pub(super) fn keep(self, rule: Rule) -> bool {
        self.omitted != Some(rule)
    }
}
