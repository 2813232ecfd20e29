//! The first word of a record.

use crate::compile::Program;
use lariat_space::Move;
use lariat_system::{ActionId, Position};

/// The first word of a record: the action, who takes part, how many processes live afterwards, and flags.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Head(pub(crate) u64);

impl Head {
    const ACTOR: u32 = 32;
    const PEER: u32 = 40;
    /// Where the number of processes of the next state stands.
    pub(crate) const COUNT: u32 = 48;
    const HAS_ACTOR: u64 = 1 << 56;
    pub(crate) const HAS_PEER: u64 = 1 << 57;
    /// There is a next state.
    pub(crate) const LEADS_ON: u64 = 1 << 58;
    /// There is none, since the pool is full.
    pub(crate) const FULL: u64 = 1 << 59;
    /// Some trap holds.
    pub(crate) const TRAPPED: u64 = 1 << 60;
    /// This is no firing: guard traps hold at the action.
    pub(crate) const GUARD: u64 = 1 << 61;
    /// The actor is the holder afterwards.
    pub(crate) const ACTOR_HOLDS: u64 = 1 << 62;
    const PEER_HOLDS: u64 = 1 << 63;
    /// Of these flags a plain step has the first and no other.
    pub(crate) const NOT_JUST_A_STEP: u64 =
        Self::LEADS_ON | Self::FULL | Self::TRAPPED | Self::GUARD | Self::ACTOR_HOLDS | Self::PEER_HOLDS;

    /// The head of a firing of an action, without what is not known before it fires.
    pub(crate) fn new(program: &Program, by: Move) -> Self {
        let holds = match program.actions[by.action].hold.map(|role| role.index()) {
            Some(0) => Self::ACTOR_HOLDS,
            Some(_) => Self::PEER_HOLDS,
            None => 0,
        };
        let actor = by.actor.map_or(0, |actor| Self::HAS_ACTOR | u64::from(actor) << Self::ACTOR);
        let peer = by.peer.map_or(0, |peer| Self::HAS_PEER | u64::from(peer) << Self::PEER);
        Self(u64::from(by.action.0) | actor | peer | holds)
    }
    /// What a role's position is multiplied by to be added to a head made for position 0.
    #[cfg(feature = "native")]
    pub(crate) fn unit_of(role: usize) -> u64 {
        if role == 0 { 1 << Self::ACTOR } else { 1 << Self::PEER }
    }
    /// Who does what.
    pub(crate) fn by(self) -> Move {
        let position = |flag: u64, shift: u32| (self.has(flag)).then_some((self.0 >> shift) as Position);
        Move {
            action: ActionId(self.0 as u32),
            actor: position(Self::HAS_ACTOR, Self::ACTOR),
            peer: position(Self::HAS_PEER, Self::PEER),
        }
    }
    /// The number of processes of the next state.
    pub(crate) fn count(self) -> u32 {
        (self.0 >> Self::COUNT) as u32 & 0xff
    }
    /// Whether one of the flags is set.
    pub(crate) fn has(self, flags: u64) -> bool {
        self.0 & flags != 0
    }
    /// Whether it leads to an ordinary state and nothing else is to be said.
    pub(crate) fn is_plain(self) -> bool {
        self.0 & Self::NOT_JUST_A_STEP == Self::LEADS_ON
    }
    /// Whether it leads to a state with a holder and nothing else is to be said.
    pub(crate) fn leaves_holder_only(self) -> bool {
        self.goes_on_simply() && self.has(Self::ACTOR_HOLDS | Self::PEER_HOLDS)
    }
    /// Whether it leads on and nothing goes wrong.
    pub(crate) fn goes_on_simply(self) -> bool {
        self.0 & (Self::LEADS_ON | Self::FULL | Self::TRAPPED | Self::GUARD) == Self::LEADS_ON
    }
    /// Whether there is a receiver.
    pub(crate) fn has_peer(self) -> bool {
        self.has(Self::HAS_PEER)
    }
    /// Whether the same process acts as in `other`, which has an actor.
    pub(crate) fn has_actor_of(self, other: Head) -> bool {
        let actor = Self::HAS_ACTOR | 0xff << Self::ACTOR;
        (self.0 ^ other.0) & actor == 0
    }
    /// Whether everybody who takes part takes part in `other`, too.
    pub(crate) fn takes_no_other(self, other: Head) -> bool {
        let by = other.by();
        self.by().participants().all(|mine| by.participants().any(|theirs| mine == theirs))
    }
    /// The process that holds control afterwards, if one does.
    pub(crate) fn holder(self) -> Option<Position> {
        let position = |shift: u32| (self.0 >> shift) as Position;
        if self.has(Self::ACTOR_HOLDS) {
            Some(position(Self::ACTOR))
        } else {
            self.has(Self::PEER_HOLDS).then(|| position(Self::PEER))
        }
    }
}
