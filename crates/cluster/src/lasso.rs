//! An accepting run out of the states that have an accepting cycle behind them.
//!
//! Each worker writes down the steps inside the set that lead to its states. From a state one goes back along shortest ways to a step
//! with the first mark, from there to one with the second, and so on, and then tries to go on back to the state itself. A way back is a
//! breadth-first search backwards, by all workers, level by level; each state that it comes to notes the next one on the way. If the
//! state is not met again, the search goes on from one of the last level, behind which there are strictly fewer states ([ADR 48]).
//!
//! [ADR 48]: ../../../docs/adr/0048-strong-fairness-and-lassos-on-disk.md

use crate::pass::{Pass, Seen, Sets};
use crate::search::Search;
use crate::share::{Halt, Share, Taken};
use crate::words::{Reader, common_stop, push_list, stop_words};
use lariat_automata::{Mark, MarkSet};
use lariat_base::Id;
use lariat_space::{Outcome, StateSpace};
use lariat_subject::{CycleGoal, Stop};
use std::ops::ControlFlow;

/// The loop of an accepting run: its states, and the marks of the step from each to the next.
pub(crate) struct FoundCycle {
    pub(crate) states: Vec<Vec<u64>>,
    pub(crate) marks: Vec<MarkSet>,
    /// How many steps lead to its first state.
    pub(crate) depth: u64,
}

/// A state, by its worker and its number there.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Place {
    worker: u64,
    number: u64,
}

/// A state on a way, with the marks of the step that leaves it.
struct OnWay {
    place: Place,
    state: Vec<u64>,
    marks: MarkSet,
}

/// A way forwards.
type Way = Vec<OnWay>;

/// What a way back leads to.
#[derive(Clone, Copy)]
enum Wanted {
    /// A step with this mark; its number among those that may have to be carried.
    Mark(Mark, usize),
    /// A step from this state.
    Source(Place),
}

/// What a search backwards has found.
enum Back {
    Found(Way),
    /// Nothing; a state of its last level.
    None(Place),
}

/// Steps inside the set, sorted by their targets, which belong to this worker: target, worker and number of the source, and the marks
/// that count.
struct Edges<'a> {
    words: Vec<u64>,
    width: usize,
    taken: Taken<'a>,
}

/// What a way back notes of the states of a worker: none, or the next state.
struct Marks<'a> {
    next: Vec<Option<Place>>,
    _taken: Taken<'a>,
}

impl<'a> Edges<'a> {
    /// Those that lead to the state.
    fn to(&self, number: u64) -> impl Iterator<Item = &[u64]> {
        let rows = self.words.len() / self.width;
        let (mut low, mut high) = (0, rows);
        while low < high {
            let middle = (low + high) / 2;
            if self.words[middle * self.width] < number { low = middle + 1 } else { high = middle }
        }
        self.words[low * self.width..].chunks_exact(self.width).take_while(move |edge| edge[0] == number)
    }

    fn push(&mut self, edge: [u64; 3], carried: &[u64]) -> Result<(), Stop> {
        let more = self.width;
        if self.words.len() + more > self.words.capacity() {
            let wanted = (2 * self.words.capacity()).max(1024);
            // While they are moved they are there twice; later they are sorted in a second list.
            self.taken.take(2 * 8 * (wanted - self.words.capacity()) as u64)?;
            self.words.reserve_exact(wanted - self.words.len());
        }
        self.words.extend(edge);
        self.words.extend_from_slice(carried);
        Ok(())
    }

    fn sort(&mut self) {
        let mut rows: Vec<&[u64]> = self.words.chunks_exact(self.width).collect();
        rows.sort_unstable();
        let sorted = rows.concat();
        self.words = sorted;
    }
}

impl<'a, S: StateSpace> Search<'a, '_, '_, S> {
    /// Finds a loop that carries all that it must. The sets are what [`owcty`](Self::owcty) left, and some worker has a state.
    pub(crate) fn find_cycle(&mut self, sets: &mut Sets<'a>, goal: &CycleGoal) -> Result<FoundCycle, Halt> {
        let edges = self.edges(sets, goal)?;
        let mut marks = self.way_marks()?;
        let demands = &goal.demands;
        let first = sets.alive.iter().position(|alive| *alive);
        let mut start = self.first_place(first.map(|number| number as u64))?;
        // Pairs whose first mark was met on a loop that did not have the second.
        let mut asked: Vec<usize> = Vec::new();
        loop {
            // Ways that lead to the start, the last one first.
            let mut ways: Vec<Way> = Vec::new();
            let of_marks = demands.marks.iter().copied().enumerate();
            let of_pairs = asked.iter().map(|&pair| (demands.marks.len() + pair, demands.pairs[pair].1));
            let wanted: Vec<(usize, Mark)> = of_marks.chain(of_pairs).collect();
            for (number, mark) in wanted {
                if ways.iter().flatten().any(|on_way| on_way.marks.contains(mark)) {
                    continue;
                }
                let at = ways.last().map_or(start, |way| way[0].place);
                match self.way_back(sets, goal, &edges, &mut marks, at, Wanted::Mark(mark, number))? {
                    Back::Found(way) => ways.push(way),
                    Back::None(_) => {
                        unreachable!("each mark lies behind every state, and the second of a pair behind the first")
                    }
                }
            }
            let at = ways.last().map_or(start, |way| way[0].place);
            if at != start || ways.is_empty() {
                match self.way_back(sets, goal, &edges, &mut marks, at, Wanted::Source(start))? {
                    Back::Found(way) => ways.push(way),
                    Back::None(behind) => {
                        start = behind;
                        asked.clear();
                        continue;
                    }
                }
            }
            let carries = |mark: Mark| ways.iter().flatten().any(|on_way| on_way.marks.contains(mark));
            let missed = demands.pairs.iter().position(|&(first, second)| carries(first) && !carries(second));
            if let Some(pair) = missed {
                asked.push(pair);
                continue;
            }
            let cycle: Way = ways.into_iter().rev().flatten().collect();
            let Place { worker, number } = cycle[0].place;
            let depth = if worker == self.link.me() as u64 { self.depth_of(number) } else { 0 };
            let depth = self.sum(depth)?;
            let (states, marks) = cycle.into_iter().map(|on_way| (on_way.state, on_way.marks)).unzip();
            return Ok(FoundCycle { states, marks, depth });
        }
    }

    /// The first of the states that workers name.
    fn first_place(&mut self, mine: Option<u64>) -> Result<Place, Halt> {
        let said = self.link.gather(&mine.into_iter().collect::<Vec<_>>())?;
        let named = said.iter().enumerate().find_map(|(worker, words)| Some((worker, *words.first()?)));
        let (worker, number) = named.ok_or_else(|| self.trouble.damaged())?;
        Ok(Place { worker: worker as u64, number })
    }

    /// All steps inside the set that lead to states of this worker.
    fn edges(&mut self, sets: &mut Sets<'a>, goal: &CycleGoal) -> Result<Edges<'a>, Halt> {
        let carried_words = goal.demands.carried_words();
        let taken = Taken::new(&self.share.job.control.budget, 0).map_err(Stop::from)?;
        let mut edges = Edges { words: Vec::new(), width: 3 + carried_words, taken };
        let mut full = None;
        let write = |seen: &Seen<'_>, more: &mut Vec<u64>| {
            more.push(seen.number as u64);
            goal.demands.push_carried(seen.marks, more);
            seen.is_allowed(goal)
        };
        self.pass(
            sets,
            Pass {
                begin: &|sets, number| sets.alive[number],
                first: &write,
                then: &|_, _| unreachable!("steps are written down once"),
                more: 1 + carried_words,
                arrive: |sets: &mut Sets<'a>, number: usize, from: usize, more: &[u64]| {
                    if sets.alive[number] && full.is_none() {
                        full = edges.push([number as u64, from as u64, more[0]], &more[1..]).err();
                    }
                    false
                },
            },
        )?;
        self.agree(full)?;
        edges.sort();
        Ok(edges)
    }

    fn way_marks(&mut self) -> Result<Marks<'a>, Halt> {
        let states = self.share.len();
        let bytes = states * size_of::<Option<Place>>() as u64;
        let taken = Taken::new(&self.share.job.control.budget, bytes);
        self.agree(taken.as_ref().err().map(|full| Stop::from(*full)))?;
        let taken = taken.map_err(|full| Halt::Stop(full.into()))?;
        Ok(Marks { next: vec![None; states as usize], _taken: taken })
    }

    /// A shortest way, of at least one step, to a state from what is wanted.
    fn way_back(
        &mut self,
        sets: &Sets<'a>,
        goal: &CycleGoal,
        edges: &Edges<'_>,
        marks: &mut Marks<'_>,
        to: Place,
        wanted: Wanted,
    ) -> Result<Back, Halt> {
        let me = self.link.me() as u64;
        marks.next.fill(None);
        let mut level: Vec<u64> = Vec::new();
        if to.worker == me {
            marks.next[to.number as usize] = Some(to);
            level.push(to.number);
        }
        let mut before = Vec::new();
        loop {
            let mut stop = None;
            // The least step that is wanted: source, target.
            let mut met: Option<(Place, Place)> = None;
            for (count, &number) in level.iter().enumerate() {
                if count % 1024 == 0
                    && let Err(shortfall) = self.share.job.control.check()
                {
                    stop = Some(Stop::Short(shortfall));
                    break;
                }
                for edge in edges.to(number) {
                    let source = Place { worker: edge[1], number: edge[2] };
                    let is_met = match wanted {
                        Wanted::Mark(_, bit) => edge[3 + bit / 64] >> (bit % 64) & 1 == 1,
                        Wanted::Source(state) => source == state,
                    };
                    let found = (source, Place { worker: me, number });
                    if is_met && met.is_none_or(|met| found < met) {
                        met = Some(found);
                    }
                    // Two words beside each other, as if they were a state of the worker.
                    self.share.push_words(source.worker as usize, [source.number, number]);
                }
            }
            let mut next = Vec::new();
            let [why, detail] = stop_words(stop);
            let mut summary = vec![why, detail, level.len() as u64];
            summary.extend(
                met.iter().flat_map(|(source, target)| [source.worker, source.number, target.worker, target.number]),
            );
            let said = self.back_round(marks, &mut next, &summary)?;
            if let Some(stop) = common_stop(&said).ok_or_else(|| self.trouble.damaged())? {
                return Err(stop.into());
            }
            let sizes = said.iter().map(|words| words.get(2)).sum::<Option<u64>>();
            if sizes.ok_or_else(|| self.trouble.damaged())? == 0 {
                return Ok(Back::None(self.first_place(before.first().copied())?));
            }
            let of_worker = |words: &Vec<u64>| match words.get(3..)? {
                &[worker, number, to, at] => Some((Place { worker, number }, Place { worker: to, number: at })),
                _ => None,
            };
            if let Some((source, target)) = said.iter().filter_map(of_worker).min() {
                return Ok(Back::Found(self.forwards(sets, goal, marks, (source, target), to, wanted)?));
            }
            before = std::mem::replace(&mut level, next);
        }
    }

    /// Sends the sources that were collected, and notes those that were not met before.
    fn back_round(
        &mut self,
        marks: &mut Marks<'_>,
        next: &mut Vec<u64>,
        summary: &[u64],
    ) -> Result<Vec<Vec<u64>>, Halt> {
        let me = self.link.me();
        let mut note = |from: usize, pairs: &[u64]| -> Option<()> {
            for pair in pairs.chunks(2) {
                let &[source, target] = pair else { return None };
                let noted = marks.next.get_mut(usize::try_from(source).ok()?)?;
                if noted.is_none() {
                    *noted = Some(Place { worker: from as u64, number: target });
                    next.push(source);
                }
            }
            Some(())
        };
        while self.share.outgoing.is_worth_sending(me, true) {
            let mine = self.share.outgoing.take(me);
            note(me, &mine).ok_or_else(|| self.trouble.damaged())?;
        }
        for to in (0..self.link.peers()).filter(|&to| to != me) {
            while self.share.outgoing.is_worth_sending(to, true) {
                let pairs = self.share.outgoing.take(to);
                while !self.link.has_room(to) {
                    self.link.pump(true)?;
                    while let Some((from, pairs)) = self.link.receive() {
                        note(from, &pairs).ok_or_else(|| self.trouble.damaged())?;
                    }
                }
                self.link.send(to, pairs);
            }
        }
        self.link.close(summary);
        loop {
            while let Some((from, pairs)) = self.link.receive() {
                note(from, &pairs).ok_or_else(|| self.trouble.damaged())?;
            }
            if let Some(said) = self.link.ended()? {
                return Ok(said);
            }
            self.link.pump(true)?;
        }
    }

    /// The way that begins with a step from the one state to the other and then goes from each state to the next that it noted.
    fn forwards(
        &mut self,
        sets: &Sets<'a>,
        goal: &CycleGoal,
        marks: &Marks<'_>,
        (source, target): (Place, Place),
        to: Place,
        wanted: Wanted,
    ) -> Result<Way, Halt> {
        let mut places = vec![source, target];
        while places.last() != Some(&to) {
            let at = *places.last().expect("there are two");
            // A way may be long, and it is as long for all workers.
            let stop = self.share.job.control.check().map_err(Stop::Short).err();
            let mut mine = stop_words(stop).to_vec();
            if at.worker == self.link.me() as u64 {
                let next = usize::try_from(at.number).ok().and_then(|number| *marks.next.get(number)?);
                let next = next.ok_or_else(|| self.trouble.damaged())?;
                mine.extend([next.worker, next.number]);
            }
            let said = self.link.gather(&mine)?;
            if let Some(stop) = common_stop(&said).ok_or_else(|| self.trouble.damaged())? {
                return Err(stop.into());
            }
            let of_worker = usize::try_from(at.worker).ok().and_then(|worker| said.get(worker)?.get(2..));
            let Some(&[worker, number]) = of_worker else { return Err(self.trouble.damaged().into()) };
            places.push(Place { worker, number });
        }
        let states = self.states_at(&places)?;
        // The marks of each step, by the workers that know which steps may be used.
        let me = self.link.me() as u64;
        let (mut mine, mut stop) = (Vec::new(), None);
        for (number, place) in places[..places.len() - 1].iter().enumerate().filter(|(_, place)| place.worker == me) {
            let mark = if let (Wanted::Mark(mark, _), 0) = (wanted, number) { Some(mark) } else { None };
            match self.marks_of(sets, goal, (place.number, &states[number]), &states[number + 1], mark) {
                Ok(found) => {
                    mine.push(number as u64);
                    push_list(&mut mine, &found.iter().map(|mark| mark.index() as u64).collect::<Vec<_>>());
                }
                Err(Halt::Lost) => return Err(Halt::Lost),
                Err(Halt::Stop(why)) => {
                    stop = Some(why);
                    break;
                }
            }
        }
        // A limit may be met by one worker alone.
        self.agree(stop)?;
        let said = self.link.gather(&mine)?;
        let mut marks: Vec<Option<MarkSet>> = vec![None; places.len() - 1];
        for words in &said {
            let mut reader = Reader(words);
            while let Some(number) = reader.word() {
                let mut read = || {
                    let mut set = MarkSet::EMPTY;
                    for &mark in reader.list()? {
                        set.insert(Mark::new(usize::try_from(mark).ok().filter(|mark| *mark < 1 << 20)?));
                    }
                    *marks.get_mut(usize::try_from(number).ok()?)? = Some(set);
                    Some(())
                };
                read().ok_or_else(|| self.trouble.damaged())?;
            }
        }
        let marks: Option<Vec<MarkSet>> = marks.into_iter().collect();
        let marks = marks.ok_or_else(|| self.trouble.damaged())?;
        let on_way = |((place, state), marks)| OnWay { place, state, marks };
        Ok(places.into_iter().zip(states).zip(marks).map(on_way).collect())
    }

    /// The states at these places, each told by its worker.
    fn states_at(&mut self, places: &[Place]) -> Result<Vec<Vec<u64>>, Halt> {
        let (me, words) = (self.link.me() as u64, self.share.words());
        let mut mine = Vec::new();
        for place in places.iter().filter(|place| place.worker == me) {
            if place.number >= self.share.len() {
                return Err(self.trouble.damaged().into());
            }
            self.share.recall(std::iter::once(place.number));
            mine.extend_from_slice(self.share.origins.state(0));
        }
        let said = self.link.gather(&mine)?;
        let mut told: Vec<_> = said.iter().map(|states| states.chunks_exact(words)).collect();
        let next = |place: &Place| Some(told.get_mut(usize::try_from(place.worker).ok()?)?.next()?.to_vec());
        let states: Option<Vec<Vec<u64>>> = places.iter().map(next).collect();
        states.ok_or_else(|| self.trouble.damaged().into())
    }

    /// The marks of a step between the states that a cycle may use, with this one among them.
    fn marks_of(
        &mut self,
        sets: &Sets<'a>,
        goal: &CycleGoal,
        (number, source): (u64, &[u64]),
        target: &[u64],
        mark: Option<Mark>,
    ) -> Result<MarkSet, Halt> {
        let Share { space, scratch, limits, .. } = &mut self.share;
        let flow = space.steps(
            source,
            scratch,
            limits.limiting(
                |short| Err(Stop::Short(short)),
                |step| {
                    let Outcome::State(to) = step.target else { return ControlFlow::Continue(()) };
                    let fits = to == target
                        && mark.is_none_or(|mark| step.marks.contains(mark))
                        && sets.seen(number as usize, source, step.marks, to).is_allowed(goal);
                    if fits { ControlFlow::Break(Ok(step.marks.clone())) } else { ControlFlow::Continue(()) }
                },
            ),
        );
        match flow {
            ControlFlow::Break(found) => Ok(found?),
            ControlFlow::Continue(()) => Err(self.trouble.damaged().into()),
        }
    }
}
