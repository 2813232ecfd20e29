//! What a breadth-first search has met: its layers, and all of them together, to be subtracted from what comes next.
//!
//! The last layer stays in memory while it is small. Layers that are small are joined in memory with those before them, until they become a run of
//! visited states; a layer that is large is such a run itself ([`Visited`]).

use crate::error::Halt;
use crate::layers::{Layers, LayersAt};
use crate::pipeline::Pipeline;
use crate::run::{Index, RunInfo, RunWriter, SortedRun};
use crate::segment::Folders;
use crate::share::Shares;
use crate::sort::gallop;
use crate::union::Union;
use crate::visited::Visited;
use lariat_engine::RunControl;
use lariat_space::State;
use lariat_store::hash_state;
use std::sync::atomic::AtomicU64;

/// Layers, and what was visited.
pub struct Reached<'a> {
    /// All layers, in order.
    pub layers: Layers<'a>,
    /// The states of all layers but the last one, if that is in memory.
    pub visited: Visited<'a>,
    /// The last layer, if it is in memory.
    pub current: Option<Vec<u64>>,
    /// The runs of visited states have all layers before the one of this number.
    pub recent_from: u64,
    /// How many states there are.
    pub states: u64,
    folders: Folders,
    words: usize,
    shares: Shares,
    control: &'a RunControl,
}

/// A layer that was written.
pub struct NewLayer {
    /// How many states it has.
    pub states: u64,
    /// The sum of their hashes.
    pub digest: u64,
    run: SortedRun,
    /// A copy in memory, if it is small.
    copy: Option<Vec<u64>>,
}

impl<'a> Reached<'a> {
    /// Nothing yet, or the layers that a checkpoint has; their segment has this name.
    pub fn new(
        folders: &Folders,
        name: &str,
        words: usize,
        shares: &Shares,
        names: &'a AtomicU64,
        control: &'a RunControl,
        at: Option<&LayersAt>,
    ) -> Result<Self, Halt> {
        let layers = match at {
            None => Layers::new(folders, name, words, control),
            Some(at) => Layers::reopen(folders, name, words, at, control)?,
        };
        Ok(Self {
            layers,
            visited: Visited::new(folders, words, shares, names, control).beside(name),
            current: None,
            recent_from: 0,
            states: 0,
            folders: folders.clone(),
            words,
            shares: *shares,
            control,
        })
    }

    /// Goes back to where a checkpoint was made: `runs` have all layers before the one of number `recent_from`.
    pub fn restore(&mut self, runs: Vec<RunInfo>, recent_from: u64, states: u64) -> Result<(), Halt> {
        let Self { folders, words, control, shares, .. } = self;
        let (folders, words, control) = (folders.clone(), *words, *control);
        let index_bytes = shares.index_bytes;
        let index = || Index::new(words, &folders, index_bytes);
        self.states = states;
        for info in runs {
            control.check()?;
            self.visited.runs.push(SortedRun::load(info, &folders, index())?);
        }
        self.recent_from = recent_from;
        for number in recent_from..self.layers.len() {
            control.check()?;
            let info = self.layers.layer(number);
            let is_last = number + 1 == self.layers.len();
            if info.states as usize * words > self.shares.layer_words {
                let run = SortedRun::load(info, &folders, index())?;
                self.visited.add_run(run)?;
                // Earlier layers that are in memory must be among the runs that the next manifest speaks of.
                self.visited.flush()?;
                self.recent_from = number + 1;
                continue;
            }
            let (mut layer, mut block) = (Vec::new(), Vec::new());
            let mut blocks = info.blocks(&folders, words);
            while blocks.read(&mut block)?.is_some() {
                layer.extend_from_slice(&block);
            }
            if is_last {
                self.current = Some(layer);
            } else if self.visited.add(layer)? {
                self.recent_from = number + 1;
            }
        }
        Ok(())
    }

    /// Writes what was collected, without what was visited, behind the layers; it is one of them from then on if it has a state, or if
    /// empty layers count. To be followed by [`Reached::settle`]. `shown` gets to know how many states there are, now and then.
    pub fn write_layer(
        &mut self,
        collected: Union<'_>,
        threads: usize,
        with_empty: bool,
        shown: &dyn Fn(u64),
    ) -> Result<NewLayer, Halt> {
        let Self { layers, visited, current, states, folders, words, shares, control, .. } = self;
        let words = *words;
        let pipeline = Pipeline {
            words,
            portion_states: folders.states_per_block(words),
            threads,
            lookups: shares.lookups,
            control,
        };
        let mut writer =
            RunWriter::new(&mut layers.segment, words, Some(Index::new(words, folders, shares.index_bytes)));
        // A copy in memory, as long as it is small.
        let mut copy = Some(Vec::new());
        let (mut digest, mut new) = (0_u64, 0_u64);
        let (visited, current) = (&*visited, current.as_deref().unwrap_or(&[]));
        pipeline.run(
            collected,
            || {
                let mut lookups = visited.lookups(current);
                move |state| Ok(!lookups.contain(state)?)
            },
            |state| {
                new += 1;
                digest = digest.wrapping_add(hash_state(state));
                copy = copy.take().filter(|states: &Vec<u64>| states.len() + words <= shares.layer_words);
                if let Some(states) = &mut copy {
                    states.extend_from_slice(state);
                }
                if writer.push(state)? {
                    shown(*states + new);
                }
                Ok(())
            },
        )?;
        let (info, run) = writer.finish()?;
        // Before anything is forgotten: without room for its place the layer is made again.
        if new > 0 || with_empty {
            layers.add(&info)?;
        }
        Ok(NewLayer { states: new, digest, run: run.expect("it has an index"), copy })
    }

    /// The new layer is the last one: those before it are visited.
    pub fn settle(&mut self, layer: NewLayer) -> Result<(), Halt> {
        self.states += layer.states;
        let before = self.layers.len() - 1;
        let old = std::mem::replace(&mut self.current, layer.copy);
        if let Some(old) = old
            && self.visited.add(old)?
        {
            self.recent_from = before;
        }
        if self.current.is_none() {
            self.layers.segment.flush()?;
            self.visited.add_run(layer.run)?;
            self.visited.flush()?;
            self.recent_from = before + 1;
        }
        Ok(())
    }

    /// Everything that was met, where `is_wanted` says so, as one run; what else is in memory is given back.
    pub fn take_set(&mut self, is_wanted: impl Fn(&State) -> bool) -> Result<SortedRun, Halt> {
        self.layers.segment.flush()?;
        let current = self.current.take().unwrap_or_default();
        let set = self.visited.collect(&current, is_wanted)?;
        self.visited.forget();
        Ok(set)
    }

    /// The number of the layer that a state is in, if it was met.
    pub fn layer_of(&self, state: &State) -> Result<Option<u64>, Halt> {
        let mut block = Vec::new();
        for number in 0..self.layers.len() {
            let mut blocks = self.layers.layer(number).blocks(&self.folders, self.words);
            while blocks.read(&mut block)?.is_some() {
                let place = gallop(&block, self.words, 0, state);
                if block.get(place * self.words..(place + 1) * self.words) == Some(state) {
                    return Ok(Some(number));
                }
                if block[block.len() - self.words..] > *state {
                    break;
                }
            }
        }
        Ok(None)
    }
}
