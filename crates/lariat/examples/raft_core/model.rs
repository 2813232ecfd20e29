//! The core of Raft: elections and the replication of a log, for three servers.
//!
//! A call and its answer are one step, and a call that is lost is a step that is not taken. A leader sends its whole log, and only
//! where that changes something. Terms and logs are bounded, so the model is finite. What is left: who may vote for whom, when a
//! leader may call an entry committed, and what servers that restart must remember. Each of these can be switched to a mistake
//! that was made before. (D. Ongaro, J. Ousterhout: In search of an understandable consensus algorithm, 2014.)

use lariat::packed;
use lariat::rust::{Model, Property, Propositions};

/// How many servers there are.
pub(crate) const SERVERS: usize = 3;
/// The length of a log.
pub(crate) const LENGTH: usize = 2;

packed! {
    /// What a server is at present.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub(crate) enum Role { Follower, Candidate, Leader }
}

packed! {
    /// A server.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub(crate) struct Server {
        role: Role,
        term: u8,
        /// Whom it voted for in this term.
        vote: Option<u8>,
        /// Who voted for it in this term.
        voters: [bool; SERVERS],
        /// The term of each entry; 0 where there is none yet.
        log: [u8; LENGTH],
        /// Of a leader: how many entries each server has.
        copies: [u8; SERVERS],
        /// As many entries are committed, as far as it knows.
        committed: u8,
    }
}

impl Server {
    const FIRST: Self = Self {
        role: Role::Follower,
        term: 0,
        vote: None,
        voters: [false; SERVERS],
        log: [0; LENGTH],
        copies: [0; SERVERS],
        committed: 0,
    };
    fn length(&self) -> usize {
        self.log.iter().filter(|term| **term > 0).count()
    }
    /// What decides whose log is more recent.
    fn recent(&self) -> (u8, usize) {
        (self.length().checked_sub(1).map_or(0, |last| self.log[last]), self.length())
    }
    /// It hears of a later term.
    fn enter(&mut self, term: u8) {
        *self = Self { role: Role::Follower, term, vote: None, voters: [false; SERVERS], ..*self };
    }
}

/// What can happen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Action {
    /// A server hears nothing for too long, and becomes a candidate in the next term.
    TimeOut(usize),
    /// A candidate asks a server for its vote.
    Ask(usize, usize),
    /// A leader takes an entry from a client.
    Write(usize),
    /// A leader sends its log to a server.
    Send(usize, usize),
    /// A leader finds that a majority has an entry.
    Commit(usize),
    /// A server restarts.
    Restart(usize),
}

/// The protocol, or one with a mistake.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Raft {
    /// The last term.
    pub(crate) terms: u8,
    /// A server does not write its vote down before it answers, and so forgets it where it restarts.
    pub(crate) forgets_votes: bool,
    /// A server votes for a candidate whose log is older than its own.
    pub(crate) votes_blindly: bool,
    /// A leader calls entries of earlier terms committed as soon as a majority has them.
    pub(crate) commits_early: bool,
}

impl Raft {
    /// As it should be.
    pub(crate) const RIGHT: Self = Self { terms: 3, forgets_votes: false, votes_blindly: false, commits_early: false };

    /// No term has two leaders.
    pub(crate) fn one_leader() -> Property {
        Property::always("one leader", "!two_leaders")
    }
    /// What one server calls committed is what every other has, or will have, in that place.
    pub(crate) fn agreement() -> Property {
        Property::always("agreement", "!committed_differ")
    }
    /// Once there is a leader that nobody interrupts any more, its log is copied to all. Terms and logs are bounded and each step
    /// adds something, so no run goes on for ever: fairness is not needed.
    pub(crate) fn progress() -> Property {
        Property::ltl("progress", "<>[] stable -> <>[] copied")
    }
}

impl Model for Raft {
    type State = [Server; SERVERS];
    type Action = Action;

    fn initial(&self) -> Vec<Self::State> {
        vec![[Server::FIRST; SERVERS]]
    }

    fn actions(&self, servers: &Self::State, found: &mut Vec<Action>) {
        for (own, server) in servers.iter().enumerate() {
            let others = (0..SERVERS).filter(|other| *other != own);
            match server.role {
                Role::Leader => {
                    if server.length() < LENGTH {
                        found.push(Action::Write(own));
                    }
                    found.extend(others.map(|other| Action::Send(own, other)));
                    found.push(Action::Commit(own));
                }
                Role::Follower | Role::Candidate => {
                    if server.role == Role::Candidate {
                        found
                            .extend(others.filter(|other| !server.voters[*other]).map(|other| Action::Ask(own, other)));
                    }
                    if server.term < self.terms {
                        found.push(Action::TimeOut(own));
                    }
                }
            }
            if self.forgets_votes && server.vote.is_some() {
                found.push(Action::Restart(own));
            }
        }
    }

    fn next(&self, servers: &Self::State, action: &Action) -> Option<Self::State> {
        let mut next = *servers;
        match *action {
            Action::TimeOut(own) => {
                next[own].enter(servers[own].term + 1);
                (next[own].role, next[own].vote, next[own].voters[own]) = (Role::Candidate, Some(own as u8), true);
            }
            Action::Ask(own, other) => {
                let (candidate, voter) = (servers[own], &mut next[other]);
                if voter.term < candidate.term {
                    voter.enter(candidate.term);
                }
                let is_recent = self.votes_blindly || candidate.recent() >= voter.recent();
                let may_vote = voter.term == candidate.term && voter.vote.is_none_or(|vote| vote == own as u8);
                if voter.term > candidate.term {
                    let term = voter.term;
                    next[own].enter(term);
                } else if is_recent && may_vote {
                    voter.vote = Some(own as u8);
                    next[own].voters[other] = true;
                    if 2 * next[own].voters.iter().filter(|voted| **voted).count() > SERVERS {
                        let mut copies = [0; SERVERS];
                        copies[own] = next[own].length() as u8;
                        (next[own].role, next[own].copies) = (Role::Leader, copies);
                    }
                }
            }
            Action::Write(own) => {
                let (term, end) = (servers[own].term, servers[own].length());
                next[own].log[end] = term;
                next[own].copies[own] = end as u8 + 1;
            }
            Action::Send(own, other) => {
                let leader = servers[own];
                if servers[other].term > leader.term {
                    next[own].enter(servers[other].term);
                } else {
                    if servers[other].term < leader.term {
                        next[other].enter(leader.term);
                    }
                    // There is no other leader in this term.
                    next[other].role = Role::Follower;
                    next[other].log = leader.log;
                    next[other].committed = next[other].committed.max(leader.committed);
                    next[own].copies[other] = leader.length() as u8;
                }
            }
            Action::Commit(own) => {
                let leader = servers[own];
                let have = |count: u8| leader.copies.iter().filter(|copies| **copies >= count).count();
                let may = |count: u8| self.commits_early || leader.log[usize::from(count) - 1] == leader.term;
                let most = (1..=leader.length() as u8).rev().find(|&count| 2 * have(count) > SERVERS && may(count));
                next[own].committed = leader.committed.max(most.unwrap_or(0));
            }
            Action::Restart(own) => {
                let Server { term, log, committed, .. } = servers[own];
                next[own] = Server { term, log, committed, ..Server::FIRST };
            }
        }
        (next != *servers).then_some(next)
    }

    /// In the last term nothing may be left to do.
    fn may_end(&self, _: &Self::State) -> bool {
        true
    }

    fn propositions(&self, found: &mut Propositions<Self>) {
        found.state("two_leaders", |_, servers| {
            let leads = |server: &&Server| server.role == Role::Leader;
            servers
                .iter()
                .filter(leads)
                .any(|one| servers.iter().filter(leads).filter(|other| other.term == one.term).count() > 1)
        });
        found.state("committed_differ", |_, servers| {
            let differ = |one: &Server, other: &Server| {
                let both = usize::from(one.committed.min(other.committed));
                one.log[..both] != other.log[..both]
            };
            servers.iter().any(|one| servers.iter().any(|other| differ(one, other)))
        });
        found.state("stable", |_, servers| leader(servers).is_some());
        found.state("copied", |_, servers| {
            leader(servers).is_some_and(|leader| servers.iter().all(|server| server.log == leader.log))
        });
    }
}

/// The leader whom all servers follow or will follow, if nobody times out.
fn leader(servers: &[Server; SERVERS]) -> Option<&Server> {
    let latest = servers.iter().map(|server| server.term).max()?;
    servers.iter().find(|server| server.role == Role::Leader && server.term == latest)
}
