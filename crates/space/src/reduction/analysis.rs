//! What the form of a system tells about its places: who can go first there, whom others may disturb, and which channels they
//! may come to use.

use super::channel::{self, Class, Way as Doing};
use super::places::{PlaceId, Places};
use super::rules::{Rule, Rules};
use super::touch::{Accesses, Conflicts, Numbering, ends};
use lariat_base::IdVec;
use lariat_system::{
    ActionId, Cells, Expr, FrameId, IDLE_RANK, LabelId, LabelMeaning, Owner, Place as Cell, Role, System, TrapTime,
    Update,
};
use std::collections::BTreeSet;

/// What is asked of a process that stands at a place.
#[derive(Clone, Debug, Default)]
pub(super) struct First {
    pub(super) can: bool,
    /// It was taken out of a circle; whoever stands there may go first if those are older who keep its channels going.
    pub(super) if_fed: bool,
    /// A way from here may lead to a run-time error and nowhere else.
    pub(super) may_fail: bool,
    /// A way from here ends the process.
    pub(super) ends: bool,
    pub(super) uses: Vec<ChannelUse>,
    /// By place, whether somebody there disturbs; 64 to a word.
    pub(super) disturbed: Vec<u64>,
}

/// An operation on a channel.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct ChannelUse {
    pub(super) class: usize,
    pub(super) doing: Doing,
    /// It may happen in the middle of an atomic sequence, which goes on or not as the channel allows.
    pub(super) held: bool,
    pub(super) index: Index,
}

/// Which channel of a class.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Index {
    Any,
    Number(i64),
    /// What this expression says of the process, by number.
    Said(usize),
}

/// The rank of everything that does not wait until nothing else can happen; `None` if there are several, or it is no number.
pub(super) fn common_rank(system: &System) -> Option<i64> {
    let mut ranks = system.actions.iter().map(|action| action.rank.as_const());
    let ordinary = ranks.try_fold(None, |common: Option<i64>, rank| match (rank?, common) {
        (rank, _) if rank >= IDLE_RANK => Some(common),
        (rank, Some(common)) if rank != common => None,
        (rank, _) => Some(Some(rank)),
    });
    // Without an ordinary action there is nobody to go first.
    ordinary.map(|common| common.unwrap_or(0))
}

/// What the form of a system tells.
pub(super) struct SystemAnalysis<'a> {
    system: &'a System,
    places: &'a Places,
    numbering: Numbering,
    pub(super) classes: Vec<Class>,
    pub(super) indices: Vec<(FrameId, Expr)>,
    actions: IdVec<ActionId, Traits>,
    /// Whether the end of a process can be judged by itself.
    ends_count: bool,
    rules: Rules,
}

/// What an action does.
struct Traits {
    /// All of it.
    accesses: Accesses,
    conflicts: Conflicts,
    /// Without what it does as an operation on a channel.
    other_deeds: Accesses,
    other_concerns: Conflicts,
    operation: Option<(usize, Doing, usize)>,
}

impl<'a> SystemAnalysis<'a> {
    pub(super) fn new(system: &'a System, places: &'a Places, rules: Rules) -> Self {
        let numbering = Numbering::new(system, rules);
        let classes = channel::classes(system, rules);
        // That a process can end when it is the youngest is judged apart, unless an invariant has a say.
        let asks_for_pool = |invariant: &Expr| system.reads_of(invariant).contains(&Cells::Pool);
        let ends_count = !system.invariants.iter().any(asks_for_pool);
        let mut whole = system.clone();
        for (rule, time) in [(Rule::GuardTraps, TrapTime::Guard), (Rule::EffectTraps, TrapTime::Effect)] {
            if !rules.keep(rule) {
                whole.actions.iter_mut().for_each(|action| action.traps.retain(|trap| trap.time != time));
            }
        }
        if !rules.keep(Rule::Invariants) {
            whole.invariants.clear();
        }
        if ends_count {
            whole.actions.iter_mut().for_each(|action| action.updates.retain(|update| *update != Update::Exit));
        }
        let mut rest = whole.clone();
        let mut indices = Vec::new();
        let mut operations: IdVec<ActionId, _> = IdVec::new();
        for (id, action) in whole.actions.entries() {
            operations.push(channel::operation(&classes, action, rules).map(|found| {
                rest.actions[id] = found.rest;
                let said = (action.participants[0], found.index);
                let known = indices.iter().position(|index| *index == said).unwrap_or_else(|| {
                    indices.push(said);
                    indices.len() - 1
                });
                (found.class, found.way, known)
            }));
        }
        let (of_all, of_rest) = (whole.supports(), rest.supports());
        let traits = system.actions.entries().map(|(id, action)| {
            let ends = ends_count && ends(action);
            Traits {
                accesses: numbering.accesses(action, &of_all[id], ends),
                conflicts: numbering.conflicts(action, &of_all[id], ends),
                other_deeds: numbering.accesses(action, &of_rest[id], ends),
                other_concerns: numbering.conflicts(action, &of_rest[id], ends),
                operation: operations[id],
            }
        });
        let actions = traits.collect();
        Self { system, places, numbering, classes, indices, actions, ends_count, rules }
    }

    /// By place, everything that can come of somebody who stands there.
    fn futures<T>(&self, own: Vec<T>, mut join: impl FnMut(&mut T, &T, bool) -> bool) -> Vec<T>
    where
        T: Clone,
    {
        let mut futures = own;
        let born: Vec<Vec<PlaceId>> = (0..futures.len()).map(|place| self.places.born(self.system, place)).collect();
        let mut grown = true;
        while grown {
            grown = false;
            for place in (0..futures.len()).rev() {
                let next = self.places.list[place].ways.iter().filter_map(|way| way.to).map(|to| (to, false));
                for (to, is_born) in next.chain(born[place].iter().map(|&to| (to, true))) {
                    let rule = if is_born { Rule::LaterCreated } else { Rule::Later };
                    if (to != place || is_born) && self.rules.keep(rule) {
                        let theirs = futures[to].clone();
                        grown |= join(&mut futures[place], &theirs, is_born);
                    }
                }
            }
        }
        futures
    }

    /// By place, what somebody there may come to do: all of it, and what is no operation on a channel.
    fn accesses(&self) -> Vec<(Accesses, Accesses)> {
        let (held, partners) = (self.held(), self.partners());
        let own = self.places.list.iter().zip(held).map(|(place, held)| {
            let mut accesses = (Accesses::default(), Accesses::default());
            for way in &place.ways {
                accesses.0.join(&self.actions[way.action].accesses);
                accesses.1.join(&self.actions[way.action].other_deeds);
                // In the middle of an atomic sequence it is decided now whether others have a turn.
                if held && way.role == Role::ACTOR {
                    for accesses in [&mut accesses.0, &mut accesses.1] {
                        partners[way.action].iter().for_each(|at| self.numbering.await_arrival(*at, accesses));
                        if ends(&self.system.actions[way.action]) {
                            self.numbering.await_end(accesses);
                        }
                    }
                }
            }
            accesses
        });
        self.futures(own.collect(), |mine, theirs, _| mine.0.join(&theirs.0) | mine.1.join(&theirs.1))
    }

    /// By place, whether somebody can come there who keeps control.
    fn held(&self) -> Vec<bool> {
        let mut held = vec![false; self.places.list.len()];
        let ways = self.places.list.iter().flat_map(|place| &place.ways).filter(|way| way.holds);
        ways.filter_map(|way| way.to).for_each(|to| held[to] = true);
        held
    }

    /// By action, where those stand who take part in it beside the actor.
    fn partners(&self) -> IdVec<ActionId, Vec<PlaceId>> {
        let mut partners: IdVec<ActionId, Vec<PlaceId>> = self.system.actions.iter().map(|_| Vec::new()).collect();
        for (number, place) in self.places.list.iter().enumerate() {
            for way in place.ways.iter().filter(|way| way.role != Role::ACTOR) {
                partners[way.action].push(number);
            }
        }
        partners
    }

    /// By place, the channels that somebody there may come to use.
    pub(super) fn channel_futures(&self) -> Vec<BTreeSet<ChannelUse>> {
        let mut own: Vec<BTreeSet<ChannelUse>> = Vec::new();
        let held = self.held();
        for (number, place) in self.places.list.iter().enumerate() {
            let uses = place.ways.iter().filter_map(|way| self.used(way.action));
            own.push(
                uses.map(|used| ChannelUse { held: held[number], index: self.lasting(used.index), ..used }).collect(),
            );
        }
        self.futures(own, |mine, theirs, is_born| {
            let before = mine.len();
            mine.extend(theirs.iter().filter_map(|used| match used.index {
                // What a process says that is not there yet is not known.
                Index::Said(_) if is_born => {
                    self.rules.keep(Rule::IndexOfCreated).then_some(ChannelUse { index: Index::Any, ..*used })
                }
                _ => Some(*used),
            }));
            mine.len() > before
        })
    }

    /// The operation that an action is.
    fn used(&self, action: ActionId) -> Option<ChannelUse> {
        let (class, doing, number) = self.actions[action].operation?;
        let index = self.indices[number].1.as_const().map_or(Index::Said(number), Index::Number);
        Some(ChannelUse { class, doing, held: false, index })
    }

    /// The channel, if it is the same for as long as the process lives.
    fn lasting(&self, index: Index) -> Index {
        let Index::Said(number) = index else { return index };
        let (frame, expr) = &self.indices[number];
        if self.rules.keep(Rule::IndexWritten) && self.is_written(*frame, expr) { Index::Any } else { index }
    }

    /// Whether some action writes a slot of the frame that the expression reads of its process.
    fn is_written(&self, frame: FrameId, expr: &Expr) -> bool {
        let mut found = false;
        expr.for_each_part(|part| found |= self.is_written(frame, part));
        let Expr::Read(Cell { owner: Owner::Role(_, local), .. }) = expr else { return found };
        self.system.actions.iter().flat_map(|action| action.updates.iter().map(move |update| (action, update))).any(
            |(action, update)| {
                let Update::Set(place, _) = update else { return false };
                match place.owner {
                    Owner::Role(role, own) => own == *local && action.participants[role.index()] == frame,
                    Owner::At(of, own, _) => own == *local && of == frame,
                    Owner::Global(_) => false,
                }
            },
        )
    }

    /// What is asked of a process, by where it stands.
    pub(super) fn firsts(&self, observed: &[LabelId]) -> Vec<First> {
        let count = self.places.list.len();
        let common = common_rank(self.system).or((!self.rules.keep(Rule::OneRank)).then_some(0));
        let Some(rank) = common.filter(|rank| *rank < IDLE_RANK) else {
            return vec![First::default(); count];
        };
        let mut seen = BTreeSet::new();
        for label in observed {
            match &self.system.labels[*label].meaning {
                LabelMeaning::State(expr) => seen.extend(self.system.reads_of(expr)),
                _ if !self.rules.keep(Rule::VisibleSteps) => {}
                LabelMeaning::Step | LabelMeaning::By(_) | LabelMeaning::Acting(_) => {
                    return vec![First::default(); count];
                }
            }
        }
        let seen = self.numbering.observed(&seen);
        let mut nobodys = Accesses::default();
        for (id, action) in self.system.actions.entries().filter(|(_, action)| action.participants.is_empty()) {
            let creates = action.updates.iter().any(|update| matches!(update, Update::Spawn { .. }));
            if creates && self.rules.keep(Rule::CreationByNobody) {
                return vec![First::default(); count];
            }
            if self.rules.keep(Rule::AccessesOfNobody) {
                nobodys.join(&self.actions[id].accesses);
            }
        }
        let accesses = self.accesses();
        let mut firsts: Vec<First> = (0..count)
            .map(|place| {
                let Some(path) = self.path_from(place, rank) else { return First::default() };
                let actions = || path.iter().flat_map(|at| &self.places.list[*at].ways).map(|way| way.action);
                let (mut all, mut other) = (Conflicts::default(), Conflicts::default());
                for action in actions() {
                    all.join(&self.actions[action].conflicts);
                    other.join(&self.actions[action].other_concerns);
                }
                let ways = || path.iter().flat_map(|at| &self.places.list[*at].ways);
                for to in ways().filter_map(|way| way.to) {
                    self.numbering.arrive(to, &mut all);
                    self.numbering.arrive(to, &mut other);
                }
                if self.rules.keep(Rule::Visible) && all.show_in(&seen) {
                    return First::default();
                }
                for conflicts in [&mut all, &mut other] {
                    conflicts.forget(self.rules);
                }
                if all.meet(&nobodys) {
                    return First::default();
                }
                let mut disturbed = vec![0; count.div_ceil(64)];
                for (number, (whole, rest)) in accesses.iter().enumerate() {
                    let disturbs = other.meet(whole) && self.rules.keep(Rule::Undisturbed);
                    if disturbs || all.meet(rest) && self.rules.keep(Rule::UndisturbedChannels) {
                        disturbed[number / 64] |= 1 << (number % 64);
                    }
                }
                let uses = actions().filter_map(|action| self.used(action)).collect::<BTreeSet<ChannelUse>>();
                First {
                    can: true,
                    if_fed: false,
                    may_fail: self.rules.keep(Rule::HasStep)
                        && ways().any(|way| way.holds || !self.system.actions[way.action].traps.is_empty()),
                    ends: actions().any(|action| ends(&self.system.actions[action])),
                    uses: uses.into_iter().collect(),
                    disturbed,
                }
            })
            .collect();
        if self.rules.keep(Rule::Circles) {
            self.break_cycles(&mut firsts, &accesses, rank);
        }
        firsts
    }

    /// The places whose actions a step from `place` may be made of, that one first; `None` if a process that stands there
    /// can never go first.
    fn path_from(&self, place: PlaceId, rank: i64) -> Option<Vec<PlaceId>> {
        let mut path = vec![place];
        let mut next = 0;
        while next < path.len() {
            let at = &self.places.list[path[next]];
            let has_partners = || at.ways.iter().any(|way| way.role != Role::ACTOR);
            let keep = |rule: Rule| self.rules.keep(rule);
            if !at.is_known || at.ways.is_empty() || next == 0 && keep(Rule::NoPartner) && has_partners() {
                return None;
            }
            for way in at.ways.iter().filter(|way| way.role == Role::ACTOR) {
                let action = &self.system.actions[way.action];
                let creates = action.updates.iter().any(|update| matches!(update, Update::Spawn { .. }));
                let ends = ends(action);
                if action.participants.len() != 1 && keep(Rule::OneParticipant)
                    || action.rank != Expr::Const(rank) && keep(Rule::OrdinaryRank)
                    || creates && keep(Rule::NoCreation)
                    || ends && (!self.ends_count || next > 0 || way.holds)
                {
                    return None;
                }
                // In the middle of a step, what a channel allows depends on what others have done to it.
                if way.holds
                    && let Some(to) = way.to
                {
                    let uses = |place: PlaceId| {
                        self.places.list[place].ways.iter().any(|way| self.actions[way.action].operation.is_some())
                    };
                    if uses(to) && keep(Rule::NoLateChannel) {
                        return None;
                    }
                    if !path.contains(&to) && keep(Rule::WholeSequence) {
                        path.push(to);
                    }
                }
            }
            next += 1;
        }
        Some(path)
    }

    /// Whether everything that can be done at the place is a send or a receive, and whoever stands there does nothing else to
    /// those channels, now or later.
    fn is_of_channels(&self, place: PlaceId, (_, later): &(Accesses, Accesses)) -> bool {
        self.places.list[place].ways.iter().all(|way| {
            self.used(way.action).is_some_and(|used| !later.write(&self.numbering.whole(self.classes[used.class].len)))
        })
    }

    /// Takes places away until no process can come from one of those that are left to itself through such places alone. Of
    /// every circle the place that most ways lead through is taken first, and one that waits for messages before others.
    /// Where it does nothing but that, it can still be the place of one who goes first, now and then.
    fn break_cycles(&self, firsts: &mut [First], accesses: &[(Accesses, Accesses)], rank: i64) {
        let ends_of = |place: PlaceId| -> BTreeSet<PlaceId> {
            let path = self.path_from(place, rank).unwrap_or_default();
            path.iter().flat_map(|at| &self.places.list[*at].ways).filter_map(|way| way.to).collect()
        };
        let next: Vec<BTreeSet<PlaceId>> =
            (0..firsts.len()).map(|at| if firsts[at].can { ends_of(at) } else { BTreeSet::new() }).collect();
        loop {
            let cyclic_components = cyclic_components(firsts.len(), |at| {
                next[at].iter().copied().filter(|to| firsts[at].can && firsts[*to].can).collect()
            });
            if cyclic_components.is_empty() {
                return;
            }
            for circle in cyclic_components {
                let ways = |place: &PlaceId| {
                    let into = circle.iter().filter(|from| next[**from].contains(place)).count();
                    let out = next[*place].iter().filter(|to| circle.contains(to)).count();
                    (!firsts[*place].uses.is_empty(), into * out, self.is_of_channels(*place, &accesses[*place]))
                };
                let busiest = circle.iter().copied().max_by_key(|place| (ways(place), std::cmp::Reverse(*place)));
                let busiest = busiest.expect("a circle has places");
                firsts[busiest].can = false;
                let is_of_channels = self.is_of_channels(busiest, &accesses[busiest]);
                firsts[busiest].if_fed = is_of_channels || !self.rules.keep(Rule::FedByChannels);
            }
        }
    }
}

/// The strongly connected components of a graph that have a circle (Tarjan 1972, without recursion).
fn cyclic_components(count: usize, next: impl Fn(usize) -> Vec<usize>) -> Vec<Vec<usize>> {
    const NEW: usize = usize::MAX;
    let (mut numbers, mut lows) = (vec![NEW; count], vec![NEW; count]);
    let mut on_stack = vec![false; count];
    let (mut stack, mut found, mut counter) = (Vec::new(), Vec::new(), 0);
    for root in 0..count {
        if numbers[root] != NEW {
            continue;
        }
        let mut calls: Vec<(usize, Vec<usize>)> = Vec::new();
        let mut entered = Some(root);
        loop {
            if let Some(at) = entered.take() {
                (numbers[at], lows[at]) = (counter, counter);
                counter += 1;
                stack.push(at);
                on_stack[at] = true;
                calls.push((at, next(at)));
            }
            let Some((at, rest)) = calls.last_mut() else { break };
            let at = *at;
            if let Some(to) = rest.pop() {
                if numbers[to] == NEW {
                    entered = Some(to);
                } else if on_stack[to] {
                    lows[at] = lows[at].min(numbers[to]);
                }
                continue;
            }
            calls.pop();
            if let Some((caller, _)) = calls.last() {
                lows[*caller] = lows[*caller].min(lows[at]);
            }
            if lows[at] == numbers[at] {
                let begin = stack.iter().rposition(|&other| other == at).expect("it is on the stack");
                let component = stack.split_off(begin);
                component.iter().for_each(|&place| on_stack[place] = false);
                if component.len() > 1 || next(at).contains(&at) {
                    found.push(component);
                }
            }
        }
    }
    found
}
