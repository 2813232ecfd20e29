//! An accepting run out of the states that have an accepting cycle behind them, on disk.
//!
//! The steps inside the set are written down as a run, sorted by their targets. From a state one goes back along shortest ways to a
//! step with the first mark, from there to one with the second, and so on, and then tries to go on back to the state itself. A way
//! back is a breadth-first search backwards: its layers are kept, and the way is read off them forwards, by expanding one state of
//! each. If the state cannot be met again, it lies in a component behind which there is another; the search goes on from a state
//! of the last layer, behind which there are fewer states. So this ends, with a few blocks in memory.

use crate::error::Halt;
use crate::exchange::{Among, Push};
use crate::layers::Layers;
use crate::pass::{Pass, PassGround, Seen, write_run};
use crate::run::{Index, Lookup, RunCursor, RunInfo, RunWriter, SortedRun};
use crate::sort::Same;
use crate::sorter::Sorter;
use crate::visited::Visited;
use lariat_automata::{Mark, MarkSet};
use lariat_space::{Outcome, State, StateSpace};
use lariat_subject::{CycleGoal, StepLimits};
use std::ops::ControlFlow;
use std::sync::atomic::Ordering;

/// The loop of an accepting run: its states, and the marks of the step from each to the next.
pub struct FoundCycle {
    /// Its states.
    pub states: Vec<Vec<u64>>,
    /// Of the step from each to the next.
    pub marks: Vec<MarkSet>,
}

/// A way forwards: each state with the marks of the step that leaves it.
type Way = Vec<(Vec<u64>, MarkSet)>;

/// What a way back leads to.
#[derive(Clone, Copy)]
enum Wanted<'w> {
    /// A step with this mark; its number among those that may have to be carried.
    Mark(Mark, usize),
    /// A step from this state.
    Source(&'w State),
}

/// The source and the target of a step that is wanted.
type Met = (Vec<u64>, Vec<u64>);

/// What a search backwards has found.
enum Back {
    Found(Way),
    /// Nothing; a state of its last layer.
    None(Vec<u64>),
}

/// Finds a loop that carries all that it must. The set is what [`Owcty`](crate::owcty::Owcty) left, and is not empty.
pub fn find_cycle<S: StateSpace>(
    ground: PassGround<'_, S>,
    set: &SortedRun,
    goal: &CycleGoal,
) -> Result<FoundCycle, Halt> {
    let edges = write_edges(ground, set, goal)?;
    let finder = Finder { ground, set, goal, edges: &edges };
    let found = finder.find();
    // What stays takes room and does no harm.
    let _ = ground.folders.remove(&edges.info.segment);
    found
}

/// All steps inside the set: target, source, and the marks that count.
fn write_edges<'a, S: StateSpace>(
    ground: PassGround<'a, S>,
    set: &SortedRun,
    goal: &CycleGoal,
) -> Result<SortedRun, Halt> {
    let words = ground.space.words_per_state();
    let edge_words = 2 * words + goal.demands.carried_words();
    let mut pass = Pass::new(ground, edge_words, Same::One)?;
    pass.expand(&set.info, &|seen, edge| {
        if !seen.is_allowed(goal) {
            return false;
        }
        edge.extend_from_slice(seen.target);
        edge.extend_from_slice(seen.source);
        goal.demands.push_carried(seen.marks, edge);
        true
    })?;
    let edges = {
        let mut collected = pass.collected()?;
        let mut inside = set.lookup(ground.folders);
        let mut edge = Vec::with_capacity(edge_words);
        write_run(ground, edge_words, |writer| {
            while collected.next(&mut edge)? {
                let target = &edge[..words];
                if inside.find(target)?.is_some_and(|record| record.starts_with(target)) && writer.push(&edge)? {
                    ground.control.check()?;
                }
            }
            Ok(())
        })?
    };
    pass.clear();
    Ok(edges)
}

struct Finder<'f, 'a, S: StateSpace> {
    ground: PassGround<'a, S>,
    set: &'f SortedRun,
    goal: &'f CycleGoal,
    edges: &'f SortedRun,
}

impl<S: StateSpace> Finder<'_, '_, S> {
    fn find(&self) -> Result<FoundCycle, Halt> {
        let demands = &self.goal.demands;
        let first = RunCursor::new(&self.set.info, self.ground.folders, self.ground.record_words())?;
        let mine = first.state().map(|record| record[..self.words()].to_vec());
        drop(first);
        let mut start = self.ground.among.one(mine, self.words(), "the set is not empty")?;
        // Pairs whose first mark was met on a loop that did not have the second.
        let mut asked: Vec<usize> = Vec::new();
        loop {
            // Ways that lead to the start, the last one first.
            let mut ways: Vec<Way> = Vec::new();
            let of_marks = demands.marks.iter().copied().enumerate();
            let of_pairs = asked.iter().map(|&pair| (demands.marks.len() + pair, demands.pairs[pair].1));
            for (number, mark) in of_marks.chain(of_pairs) {
                if ways.iter().flatten().any(|(_, marks)| marks.contains(mark)) {
                    continue;
                }
                let at = ways.last().map_or(&start, |way| &way[0].0).clone();
                match self.way_back(&at, Wanted::Mark(mark, number))? {
                    Back::Found(way) => ways.push(way),
                    Back::None(_) => {
                        let why = "each mark lies behind every state, and the second of a pair behind the first";
                        return Err(self.ground.among.inconsistent(why));
                    }
                }
            }
            let at = ways.last().map_or(&start, |way| &way[0].0).clone();
            if at != start || ways.is_empty() {
                match self.way_back(&at, Wanted::Source(&start))? {
                    Back::Found(way) => ways.push(way),
                    Back::None(behind) => {
                        start = behind;
                        asked.clear();
                        continue;
                    }
                }
            }
            let carries = |mark: Mark| ways.iter().flatten().any(|(_, marks)| marks.contains(mark));
            let missed = demands.pairs.iter().position(|&(first, second)| carries(first) && !carries(second));
            let Some(pair) = missed else {
                let (states, marks) = ways.into_iter().rev().flatten().unzip();
                return Ok(FoundCycle { states, marks });
            };
            asked.push(pair);
        }
    }

    fn words(&self) -> usize {
        self.ground.space.words_per_state()
    }

    /// A shortest way, of at least one step, to a state from what is wanted.
    fn way_back(&self, to: &State, wanted: Wanted<'_>) -> Result<Back, Halt> {
        let PassGround { folders, names, shares, control, .. } = self.ground;
        let name = format!("set-{:06}", names.fetch_add(1, Ordering::Relaxed));
        let mut layers = Layers::new(folders, &name, self.words(), control);
        let mut visited = Visited::new(folders, self.words(), &shares, names, control).beside(&name);
        let back = self.search_back(to, wanted, &mut layers, &mut visited);
        visited.remove();
        let _ = folders.remove(&name);
        back
    }

    fn search_back<'v>(
        &self,
        to: &State,
        wanted: Wanted<'_>,
        layers: &mut Layers<'_>,
        visited: &mut Visited<'v>,
    ) -> Result<Back, Halt>
    where
        Self: 'v,
    {
        let PassGround { folders, names, shares, control, among, .. } = self.ground;
        let words = self.words();
        let mut sorter = Sorter::new(folders, words, Same::One, shares.sorter, names, &control.budget)?;
        if among.owns(to) {
            sorter.push(to)?;
        }
        loop {
            // The next layer: what was collected, without what was met before.
            sorter.sort();
            let mut spilled = sorter.take_spilled()?;
            let joining = self.ground.joining(words, Same::One);
            for outdated in joining.join(&mut spilled)? {
                let _ = folders.remove(&outdated);
            }
            // A copy in memory, as long as it is small.
            let mut copy = Some(Vec::new());
            let (info, run) = {
                let mut collected = joining.union(&spilled, [sorter.buffered()])?;
                let mut known = visited.lookups(&[]);
                let index = Index::new(words, folders, shares.index_bytes);
                let (mut state, mut writer) = (Vec::new(), RunWriter::new(&mut layers.segment, words, Some(index)));
                while collected.next(&mut state)? {
                    if known.contain(&state)? {
                        continue;
                    }
                    if writer.push(&state)? {
                        control.check()?;
                    }
                    copy = copy.filter(|states: &Vec<u64>| states.len() + words <= shares.layer_words);
                    if let Some(states) = &mut copy {
                        states.extend_from_slice(&state);
                    }
                }
                writer.finish()?
            };
            sorter.clear();
            for run in spilled {
                let _ = folders.remove(&run.segment);
            }
            if among.sum(info.states)? == 0 {
                among.ensure(!layers.is_empty(), "the state to go back from belongs to a worker")?;
                let last = RunCursor::new(&layers.layer(layers.len() - 1), folders, words)?;
                let mine = last.state().map(<[u64]>::to_vec);
                return Ok(Back::None(among.one(mine, words, "a layer has a state")?));
            }
            layers.add(&info)?;
            layers.segment.flush()?;
            let depth = layers.len() - 1;
            let met = self.expand_back(&info, wanted, &mut sorter)?;
            match copy {
                Some(states) => visited.add(states).map(|_| ())?,
                None => visited.add_run(run.expect("it has an index"))?,
            }
            visited.remove_outdated();
            if let Some((source, target)) = met {
                for segment in sorter.forget() {
                    let _ = folders.remove(&segment);
                }
                drop(sorter);
                return self.forwards((source, target), wanted, depth, layers).map(Back::Found);
            }
        }
    }

    /// Collects the sources of all steps to the states of a layer; or a step that is wanted.
    fn expand_back(&self, layer: &RunInfo, wanted: Wanted<'_>, sorter: &mut Sorter<'_>) -> Result<Option<Met>, Halt> {
        let (words, PassGround { folders, among, .. }) = (self.words(), self.ground);
        let targets = RunCursor::new(layer, folders, words)?;
        let Among(Some(others)) = among else {
            return self.sources(targets, wanted, &mut |source| sorter.push(source));
        };
        let (mut targets, mut mine) = (Some(targets), None);
        others.collect(sorter, &mut |push| {
            if let Some(targets) = targets.take() {
                mine = self.sources(targets, wanted, push)?;
            }
            Ok(())
        })?;
        // The least target, then the least source, whichever worker has it.
        let mine = mine.map(|(source, target)| [target, source].concat());
        let least = among.least(mine, 2 * words)?;
        Ok(least.map(|both| (both[words..].to_vec(), both[..words].to_vec())))
    }

    /// Gives the sources of all steps to these states to `push`; or a step that is wanted.
    fn sources(&self, mut targets: RunCursor, wanted: Wanted<'_>, push: &mut Push<'_>) -> Result<Option<Met>, Halt> {
        let words = self.words();
        let mut edges = self.edges.lookup(self.ground.folders);
        let mut met = 0_u32;
        while let Some(target) = targets.state() {
            met = met.wrapping_add(1);
            if met & 0xfff == 0 {
                self.ground.control.check()?;
            }
            edges.seek(target)?;
            while let Some(edge) = edges.record().filter(|edge| edge.starts_with(target)) {
                let (source, carried) = edge[words..].split_at(words);
                let is_met = match wanted {
                    Wanted::Mark(_, number) => carried[number / 64] >> (number % 64) & 1 == 1,
                    Wanted::Source(state) => source == state,
                };
                if is_met {
                    return Ok(Some((source.to_vec(), target.to_vec())));
                }
                push(source)?;
                edges.advance()?;
            }
            targets.advance()?;
        }
        Ok(None)
    }

    /// The way that begins with a step from `source` to `target`, a state of the layer of this number, and then goes through the
    /// layers to the first of them.
    fn forwards(
        &self,
        (source, target): Met,
        wanted: Wanted<'_>,
        depth: u64,
        layers: &Layers<'_>,
    ) -> Result<Way, Halt> {
        let PassGround { folders, among, .. } = self.ground;
        let words = self.words();
        let mut steps = self.steps(&source)?;
        steps.retain(|(to, marks)| {
            *to == target && if let Wanted::Mark(mark, _) = wanted { marks.contains(mark) } else { true }
        });
        let step = steps.pop().ok_or_else(|| among.inconsistent("the step was written down"))?;
        let mut way = vec![(source, step.1)];
        let mut at = target;
        for number in (0..depth).rev() {
            let mut steps = self.steps(&at)?;
            steps.sort_unstable_by(|a, b| a.0.cmp(&b.0));
            let mut layer = RunCursor::new(&layers.layer(number), folders, words)?;
            let is_step = |state: &State| steps.binary_search_by(|(target, _)| target[..].cmp(state)).is_ok();
            while layer.state().is_some_and(|state| !is_step(state)) {
                layer.advance()?;
            }
            let mine = layer.state().map(<[u64]>::to_vec);
            let why = "a state has a step to the layer before it";
            let next = among.one(mine, words, why)?;
            let place = steps.binary_search_by(|(target, _)| target.cmp(&next));
            let next = steps.swap_remove(place.map_err(|_| among.inconsistent(why))?);
            way.push((std::mem::replace(&mut at, next.0), next.1));
        }
        Ok(way)
    }

    /// The steps from a state of the set that a cycle may use, whether they stay in the set or not.
    fn steps(&self, source: &State) -> Result<Vec<(Vec<u64>, MarkSet)>, Halt> {
        let PassGround { space, folders, control, among, .. } = self.ground;
        let mut inside: Lookup<'_> = self.set.lookup(folders);
        let mine = inside.find(source)?.filter(|record| record.starts_with(source)).map(<[u64]>::to_vec);
        let record = among.one(mine, self.ground.record_words(), "it is in the set")?;
        among.ensure(record.starts_with(source), "it is the record of the state")?;
        let (mut scratch, mut limits, mut found) = (space.scratch(), StepLimits::new(control), Vec::new());
        let flow = space.steps(
            source,
            &mut scratch,
            limits.limiting(Halt::from, |step| {
                if let Outcome::State(target) = step.target
                    && (Seen { record: &record, source, marks: step.marks, target }).is_allowed(self.goal)
                {
                    found.push((target.to_vec(), step.marks.clone()));
                }
                ControlFlow::Continue(())
            }),
        );
        flow.break_value().map_or(Ok(found), Err)
    }
}
