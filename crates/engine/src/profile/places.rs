//! Places of control that say something about the size of a model, found from the form of its actions alone.
//!
//! A place is *private* if all a process can do there reads and writes nothing but its own variables, which nobody else
//! reads. What others do before or after makes no difference to it, so a process need not rest there. Places that lead
//! back to themselves unconditionally are left out: a sequence that never ends must not be made one step.
//!
//! A variable of a process is *stale* at a place if on every way from there it is written before it is read, or never
//! read again.

use lariat_base::Id;
use lariat_system::{ActionId, Cells, ControlEdge, FrameId, Interval, LabelMeaning, LocalId, Role, Support, System};
use std::collections::{BTreeSet, HashMap};

/// Nobody writes a process with more places of control; a slot with more values is no program counter.
const MOST_PLACES: usize = 1 << 20;

/// The private places of every frame, and what is stale where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Places {
    frames: Vec<Vec<Place>>,
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Place {
    private: bool,
    stale: Vec<LocalId>,
    actions: Vec<ActionId>,
}

impl Places {
    /// The places of `system`.
    pub fn new(system: &System) -> Self {
        let watched = Watched::new(system);
        Self {
            frames: system.frames.ids().map(|frame| places_of(system, frame, &watched).unwrap_or_default()).collect(),
        }
    }
    /// Whether a process of the frame need not rest where its control slot holds the value number `point` of its type.
    pub fn is_private(&self, frame: FrameId, point: u64) -> bool {
        self.at(frame, point).is_some_and(|place| place.private)
    }
    /// The variables of a process of the frame whose values nobody reads any more at that place.
    pub fn stale(&self, frame: FrameId, point: u64) -> &[LocalId] {
        self.at(frame, point).map_or(&[], |place| &place.stale)
    }
    /// The actions that a process of the frame can take at that place, as far as its control tells.
    pub fn actions_at(&self, frame: FrameId, point: u64) -> &[ActionId] {
        self.at(frame, point).map_or(&[], |place| &place.actions)
    }
    /// How many places of the frame something is known about: those of the first values.
    pub fn count(&self, frame: FrameId) -> usize {
        self.frames[frame.index()].len()
    }
    fn at(&self, frame: FrameId, point: u64) -> Option<&Place> {
        self.frames[frame.index()].get(usize::try_from(point).ok()?)
    }
}

/// What the actions touch, and what of processes is read by others.
struct Watched {
    supports: Vec<Support>,
    by_actions: BTreeSet<Cells>,
    at_ends: BTreeSet<Cells>,
}

impl Watched {
    fn new(system: &System) -> Self {
        let supports: Vec<Support> = system.supports().iter().cloned().collect();
        let states = system.labels.iter().filter_map(|label| match &label.meaning {
            LabelMeaning::State(expr) => Some(expr),
            LabelMeaning::Step | LabelMeaning::By(_) | LabelMeaning::Acting(_) => None,
        });
        let watching = states.chain(&system.invariants).flat_map(|expr| system.reads_of(expr));
        let by_actions = supports.iter().flat_map(|support| support.reads.iter().copied()).chain(watching).collect();
        Self { supports, by_actions, at_ends: system.reads_of(&system.proper_end) }
    }
    /// Whether somebody else may look at the slot while runs go on.
    fn sees(&self, frame: FrameId, local: LocalId) -> bool {
        self.by_actions.contains(&Cells::Remote(frame, local))
    }
}

fn places_of(system: &System, frame: FrameId, watched: &Watched) -> Option<Vec<Place>> {
    let control = system.frames[frame].control?;
    let edges = system.control_edges(frame)?;
    let slot = &system.frames[frame].slots[control];
    let Interval { lo, .. } = system.range(slot.ty);
    let last = edges.iter().flat_map(|edge| [Some(edge.from), edge.to]).flatten().max()?.checked_sub(lo)?;
    let count = usize::try_from(last).ok().filter(|&last| last < MOST_PLACES)? + 1;
    let mut places = vec![Place::default(); count];
    let number = |point: i64| (point - lo) as usize;

    let mut at: HashMap<i64, Vec<&ControlEdge>> = HashMap::new();
    for edge in &edges {
        at.entry(edge.from).or_default().push(edge);
        places[number(edge.from)].actions.push(edge.action);
    }
    let private: BTreeSet<i64> = at
        .iter()
        .filter(|(point, edges)| {
            **point != slot.initial_of(0) && edges.iter().all(|edge| is_private(system, frame, edge, watched))
        })
        .map(|(point, _)| *point)
        .collect();
    for &point in private.iter().filter(|point| !leads_back(system, **point, &at, &private)) {
        places[number(point)].private = true;
    }

    for (local, slot) in system.frames[frame].slots.entries() {
        let read_by_others = watched.sees(frame, local) || watched.at_ends.contains(&Cells::Remote(frame, local));
        if local != control && slot.len.is_none() && !read_by_others {
            let live = live_at(local, &edges, watched);
            at.keys().filter(|point| !live.contains(point)).for_each(|&point| places[number(point)].stale.push(local));
        }
    }
    Some(places)
}

fn is_private(system: &System, frame: FrameId, edge: &ControlEdge, watched: &Watched) -> bool {
    let action = &system.actions[edge.action];
    let support = &watched.supports[edge.action.index()];
    let own = |cells: &Cells| matches!(cells, Cells::Participant(Role::ACTOR, ..));
    let unseen = |cells: &Cells| matches!(cells, Cells::Participant(_, local, _) if !watched.sees(frame, *local));
    action.participants.len() == 1
        && action.rank.as_const() == Some(0)
        && support.reads.iter().all(own)
        && support.may_write.iter().all(|cells| own(cells) && unseen(cells))
}

/// Whether control can come back to `start` through private places without a condition.
fn leads_back(system: &System, start: i64, at: &HashMap<i64, Vec<&ControlEdge>>, private: &BTreeSet<i64>) -> bool {
    let (mut seen, mut waiting) = (BTreeSet::new(), vec![start]);
    while let Some(point) = waiting.pop() {
        let free = at[&point].iter().filter(|edge| system.actions[edge.action].guard.condition.is_empty());
        for to in free.filter_map(|edge| edge.to) {
            if to == start {
                return true;
            }
            if private.contains(&to) && seen.insert(to) {
                waiting.push(to);
            }
        }
    }
    false
}

/// The places from which there is a way to a read of the slot without a write before it.
fn live_at(local: LocalId, edges: &[ControlEdge], watched: &Watched) -> BTreeSet<i64> {
    let touches = |cells: &BTreeSet<Cells>, role: Role| {
        cells.iter().any(|cells| matches!(cells, Cells::Participant(own, which, _) if *own == role && *which == local))
    };
    let support = |edge: &ControlEdge| &watched.supports[edge.action.index()];
    let mut sources: HashMap<i64, Vec<i64>> = HashMap::new();
    let mut waiting = Vec::new();
    for edge in edges {
        if touches(&support(edge).reads, edge.role) {
            waiting.push(edge.from);
        } else if let Some(to) = edge.to.filter(|_| !touches(&support(edge).must_write, edge.role)) {
            sources.entry(to).or_default().push(edge.from);
        }
    }
    let mut live = BTreeSet::new();
    while let Some(point) = waiting.pop() {
        if live.insert(point) {
            waiting.extend(sources.get(&point).into_iter().flatten());
        }
    }
    live
}
