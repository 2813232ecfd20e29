//! Two-phase commit: one manager, `N` participants, and a network that loses what the manager sends.
//!
//! A participant votes for the transaction by preparing, or aborts on its own. The manager commits when everybody has
//! prepared, and may abort before. It tells its decision to all who have not heard of it, again and again if it is asked to;
//! on the way messages may be lost. Whoever gets one obeys.

use lariat::packed;
use lariat::rust::{Model, Property, Propositions};

packed! {
    /// Where a participant stands.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub(crate) enum Participant { Working, Prepared, Committed, Aborted }
}

packed! {
    /// Where the manager stands.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub(crate) enum Manager { Waiting, Committed, Aborted }
}

packed! {
    /// A state of everything.
    #[derive(Clone, PartialEq, Eq, Debug)]
    pub(crate) struct State<const N: usize> {
        participants: [Participant; N],
        manager: Manager,
        /// Votes on their way to the manager, which are not lost.
        votes: [bool; N],
        /// Votes that the manager has counted.
        counted: [bool; N],
        /// Decisions on their way.
        decisions: [bool; N],
        /// Whether the manager has told its decision at least once.
        told: bool,
    }
}

/// What can happen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Action {
    /// A participant prepares and votes.
    Prepare(usize),
    /// A participant gives up.
    GiveUp(usize),
    /// The manager counts a vote.
    Count(usize),
    /// The manager decides to commit.
    Commit,
    /// The manager decides to abort.
    Abort,
    /// The manager tells all who have not heard of it what it has decided.
    Tell,
    /// A participant gets the decision.
    Obey(usize),
    /// The network loses a decision.
    Lose(usize),
}

/// The protocol, or one with a mistake.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TwoPhaseCommit<const N: usize> {
    /// A participant may give up even after it has prepared.
    pub(crate) breaks_promises: bool,
    /// The manager tells its decision once only.
    pub(crate) tells_once: bool,
}

impl<const N: usize> TwoPhaseCommit<N> {
    /// As it should be.
    pub(crate) const RIGHT: Self = Self { breaks_promises: false, tells_once: false };
    /// The process that the manager is; a participant is the process of its number.
    pub(crate) const MANAGER: u8 = N as u8;

    /// Nobody commits while somebody else aborts.
    pub(crate) fn agreement() -> Property {
        Property::always("agreement", "!(some_committed && some_aborted)")
    }
    /// Everybody comes to know the decision.
    pub(crate) fn decision() -> Property {
        Property::ltl("decision", "<> all_decided")
    }
}

impl<const N: usize> Model for TwoPhaseCommit<N> {
    type State = State<N>;
    type Action = Action;

    fn initial(&self) -> Vec<State<N>> {
        vec![State {
            participants: [Participant::Working; N],
            manager: Manager::Waiting,
            votes: [false; N],
            counted: [false; N],
            decisions: [false; N],
            told: false,
        }]
    }

    fn actions(&self, state: &State<N>, found: &mut Vec<Action>) {
        let is_waiting = state.manager == Manager::Waiting;
        for number in 0..N {
            match state.participants[number] {
                Participant::Working => found.extend([Action::Prepare(number), Action::GiveUp(number)]),
                Participant::Prepared if self.breaks_promises => found.push(Action::GiveUp(number)),
                Participant::Prepared | Participant::Committed | Participant::Aborted => {}
            }
            if is_waiting && state.votes[number] {
                found.push(Action::Count(number));
            }
            if state.decisions[number] {
                found.extend([Action::Obey(number), Action::Lose(number)]);
            }
        }
        if is_waiting {
            found.extend(state.counted.iter().all(|counted| *counted).then_some(Action::Commit));
            found.push(Action::Abort);
        } else {
            let is_silent = self.tells_once && state.told;
            found.extend((!all_decided(state) && !is_silent).then_some(Action::Tell));
        }
    }

    fn next(&self, state: &State<N>, action: &Action) -> Option<State<N>> {
        let mut next = state.clone();
        match *action {
            Action::Prepare(number) => {
                next.participants[number] = Participant::Prepared;
                next.votes[number] = true;
            }
            Action::GiveUp(number) => next.participants[number] = Participant::Aborted,
            Action::Count(number) => {
                next.votes[number] = false;
                next.counted[number] = true;
            }
            Action::Commit => next.manager = Manager::Committed,
            Action::Abort => next.manager = Manager::Aborted,
            Action::Tell => {
                next.told = true;
                next.decisions = state.participants.map(|participant| !has_decided(participant));
            }
            Action::Obey(number) => {
                next.decisions[number] = false;
                // A participant that has given up is told nothing new.
                if !has_decided(state.participants[number]) {
                    next.participants[number] = match state.manager {
                        Manager::Committed => Participant::Committed,
                        Manager::Aborted | Manager::Waiting => Participant::Aborted,
                    };
                }
            }
            Action::Lose(number) => next.decisions[number] = false,
        }
        Some(next)
    }

    fn process(&self, action: &Action) -> Option<u8> {
        match *action {
            Action::Prepare(number) | Action::GiveUp(number) | Action::Obey(number) => Some(number as u8),
            Action::Count(_) | Action::Commit | Action::Abort | Action::Tell => Some(Self::MANAGER),
            Action::Lose(_) => None,
        }
    }

    fn processes(&self) -> u8 {
        Self::MANAGER + 1
    }

    fn may_end(&self, state: &State<N>) -> bool {
        all_decided(state)
    }

    fn propositions(&self, found: &mut Propositions<Self>) {
        found.state("some_committed", |_, state| state.participants.contains(&Participant::Committed));
        found.state("some_aborted", |_, state| state.participants.contains(&Participant::Aborted));
        found.state("all_decided", |_, state| all_decided(state));
        found.step("obeys", |_, _, action| matches!(action, Action::Obey(_)));
    }
}

fn has_decided(participant: Participant) -> bool {
    matches!(participant, Participant::Committed | Participant::Aborted)
}

fn all_decided<const N: usize>(state: &State<N>) -> bool {
    state.participants.iter().all(|participant| has_decided(*participant))
}
