//! How many steps control is away from where it should be: lower bounds for directed search.
//!
//! The FSM distance of Edelkamp and Jabbar ("Large-Scale Directed Model Checking LTL", section 6.1): for each process the fewest
//! moves of its control from one place to another, in the graph of its own control alone, added up. The paper takes the sum for
//! monotone, which it is not (ERRATA D5): a rendezvous moves two processes at once, and an atomic sequence is one step however many
//! moves it has. So
//!
//! * a move after which somebody holds control (inside an atomic sequence) costs nothing: of the actions of one step at most the last
//!   one is not of this kind, so a step costs one at most;
//! * the sum is divided by the number of processes that such an action moves at most, and rounded up;
//! * a process that ends makes room for another one, which may begin anywhere: its position is then as far away as the end.
//!
//! So each estimate falls by one at most with every step, and is zero at the goal. Where the form of the actions does not tell how
//! control moves, as in SMV and in models written in Rust, the estimate is zero.

use lariat_base::IdVec;
use lariat_space::State;
use lariat_system::{Action, ControlEdge, Field, FrameId, Layout, System, Update};

/// More steps than any run has: where control cannot come at all.
pub const UNREACHABLE: u64 = 1 << 30;
/// Distances between the places of a frame are written down if it has at most so many.
const MOST_PLACES: usize = 2048;

/// The control of one frame.
#[derive(Clone, Debug)]
struct Control {
    field: Field,
    places: usize,
    /// From place to place, without ending.
    between: Vec<u32>,
    /// To the end of the process.
    to_end: Vec<u32>,
    /// To an action that can go wrong, and the step to the error itself.
    to_fault: Vec<u32>,
    /// To a place where the process may have nothing to do.
    to_block: Vec<u32>,
}

const NEVER: u32 = u32::MAX;

/// Lower bounds of steps for one system.
#[derive(Clone, Debug)]
pub struct ControlDistances {
    layout: Layout,
    /// Of the frames that tell how control moves.
    frames: IdVec<FrameId, Option<Control>>,
    /// So many processes move in one step at most.
    movers: u64,
    /// Whether some action can go wrong of which it is not known where control is.
    fault_anywhere: bool,
}

impl ControlDistances {
    /// Of this system; `None` if its states are too large.
    pub fn new(system: &System) -> Option<Self> {
        let layout = Layout::new(system).ok()?;
        let frames: IdVec<FrameId, Option<Control>> =
            system.frames.ids().map(|frame| Control::new(system, frame, &layout)).collect();
        let ends_step = system.actions.iter().filter(|action| action.hold.is_none());
        let movers = ends_step.map(|action| action.participants.len() as u64).max().unwrap_or(1).max(1);
        let is_open = |action: &Action| {
            action.participants.is_empty() || action.participants.iter().any(|&frame| frames[frame].is_none())
        };
        let fault_anywhere = system.actions.iter().any(|action| is_open(action) && can_fail(action));
        Some(Self { layout, frames, movers, fault_anywhere })
    }

    /// Whether nothing is known about any process.
    pub fn is_blind(&self) -> bool {
        self.frames.iter().all(Option::is_none)
    }

    /// At least so many steps lead from one state to another: H_M of the paper.
    pub fn between(&self, from: &State, to: &State) -> u64 {
        let positions = 0..self.layout.positions;
        self.combined(positions.map(|position| {
            let Some((control, place)) = self.control(from, position) else { return 0 };
            let (to_end, direct) = match self.layout.frame_at(to, position) {
                None => (control.to_end[place], NEVER),
                Some(frame) if self.layout.frame_at(from, position) != Some(frame) => (control.to_end[place], NEVER),
                Some(_) => {
                    let goal = control.place(to, self.layout.region(position));
                    (control.to_end[place], control.between[place * control.places + goal])
                }
            };
            direct.min(to_end)
        }))
    }

    /// At least so many steps lead to a run-time error, the step to the error included.
    pub fn to_fault(&self, state: &State) -> u64 {
        if self.fault_anywhere {
            return 0;
        }
        let of_processes = (0..self.layout.positions).filter(|&it| self.layout.frame_at(state, it).is_some());
        let nearest = of_processes.map(|it| self.control(state, it).map_or(0, |(control, at)| control.to_fault[at]));
        nearest.min().map_or(UNREACHABLE, steps_of)
    }

    /// At least so many steps lead to a dead end: each process has to come to a place where it may have nothing to do.
    pub fn to_dead_end(&self, state: &State) -> u64 {
        let of_position = |it| self.control(state, it).map_or(0, |(control, at)| control.to_block[at]);
        self.combined((0..self.layout.positions).map(of_position))
    }

    /// What the distances of all processes come to.
    fn combined(&self, distances: impl Iterator<Item = u32>) -> u64 {
        let (mut sum, mut most) = (0, 0);
        for distance in distances {
            let distance = steps_of(distance);
            if distance == UNREACHABLE {
                return UNREACHABLE;
            }
            sum += distance;
            most = most.max(distance);
        }
        sum.div_ceil(self.movers).max(most)
    }

    /// The control of the process at a position, and where it is; `None` if there is none, or nothing is known.
    fn control(&self, state: &State, position: usize) -> Option<(&Control, usize)> {
        let control = self.frames[self.layout.frame_at(state, position)?].as_ref()?;
        Some((control, control.place(state, self.layout.region(position))))
    }
}

fn steps_of(distance: u32) -> u64 {
    if distance == NEVER { UNREACHABLE } else { u64::from(distance) }
}

/// Whether a run-time error can be met at the action. A process that is made may find no room.
fn can_fail(action: &Action) -> bool {
    !action.traps.is_empty() || action.updates.iter().any(|update| matches!(update, Update::Spawn { .. }))
}

impl Control {
    fn new(system: &System, frame: FrameId, layout: &Layout) -> Option<Self> {
        let edges = system.control_edges(frame)?;
        let field = layout.frames[frame][system.frames[frame].control?];
        let values = edges.iter().flat_map(|edge| [Some(edge.from), edge.to]).flatten();
        let places = 1 + usize::try_from(values.max()? - field.lo).ok()?;
        if places > MOST_PLACES || field.bits > 16 {
            return None;
        }
        // Every value of the field is a place.
        let places = places.max(1 << field.bits);
        if places > MOST_PLACES {
            return None;
        }
        let place = |value: i64| (value - field.lo) as usize;
        let cost = |edge: &ControlEdge| u32::from(system.actions[edge.action].hold.is_none());
        let mut back: Vec<Vec<(usize, u32)>> = vec![Vec::new(); places];
        let mut ends = Vec::new();
        for edge in &edges {
            match edge.to {
                Some(to) => back[place(to)].push((place(edge.from), cost(edge))),
                None => ends.push((place(edge.from), cost(edge))),
            }
        }
        // A round of moves that all hold control can go on without end, which is an error too.
        let holds = |edge: &&ControlEdge| system.actions[edge.action].hold.is_some();
        let may_not_end =
            has_round(places, edges.iter().filter(holds).filter_map(|it| Some((place(it.from), place(it.to?)))));
        let fails = edges.iter().filter(|edge| {
            let action = &system.actions[edge.action];
            can_fail(action) || action.hold.is_some() && (may_not_end || action.participants.len() > 1)
        });
        let fails: Vec<(usize, u32)> = fails.map(|edge| (place(edge.from), 1)).collect();
        let mut blocks = vec![true; places];
        for edge in edges.iter().filter(|edge| is_always_enabled(&system.actions[edge.action])) {
            blocks[place(edge.from)] = false;
        }
        let blocks: Vec<(usize, u32)> = (0..places).filter(|&at| blocks[at]).map(|at| (at, 0)).collect();
        // A process that is gone does not keep anything from ending.
        let to_block = distances(&back, &[&blocks[..], &ends].concat());
        let mut between = vec![NEVER; places * places];
        for goal in 0..places {
            for (from, distance) in distances(&back, &[(goal, 0)]).into_iter().enumerate() {
                between[from * places + goal] = distance;
            }
        }
        let (to_end, to_fault) = (distances(&back, &ends), distances(&back, &fails));
        Some(Self { field, places, between, to_end, to_fault, to_block })
    }

    fn place(&self, state: &State, region: usize) -> usize {
        (self.field.get(state, region, 0) - self.field.lo) as usize
    }
}

/// Whether the action can happen whenever control is there.
fn is_always_enabled(action: &Action) -> bool {
    let stays = !action.updates.iter().any(|update| matches!(update, Update::Exit));
    action.participants.len() == 1 && action.guard.condition.is_empty() && action.guard.control.len() == 1 && stays
}

/// The least cost from each place, given edges backwards with costs of 0 and 1 and what the last move costs from some places.
fn distances(back: &[Vec<(usize, u32)>], last: &[(usize, u32)]) -> Vec<u32> {
    let mut distance = vec![NEVER; back.len()];
    // By cost; there are only so many.
    let mut waiting: Vec<Vec<usize>> = vec![Vec::new(); 2];
    for &(place, cost) in last {
        waiting[cost as usize].push(place);
    }
    let mut cost = 0;
    while (cost as usize) < waiting.len() {
        while let Some(place) = waiting[cost as usize].pop() {
            if distance[place] <= cost {
                continue;
            }
            distance[place] = cost;
            for &(before, more) in &back[place] {
                if distance[before] > cost + more {
                    waiting.resize(waiting.len().max((cost + more) as usize + 1), Vec::new());
                    waiting[(cost + more) as usize].push(before);
                }
            }
        }
        cost += 1;
    }
    distance
}

/// Whether some of these edges form a round.
fn has_round(places: usize, edges: impl Iterator<Item = (usize, usize)>) -> bool {
    let mut edges: Vec<(usize, usize)> = edges.collect();
    loop {
        let mut leads_on = vec![false; places];
        edges.iter().for_each(|&(from, _)| leads_on[from] = true);
        let before = edges.len();
        edges.retain(|&(_, to)| leads_on[to]);
        if edges.len() == before {
            return before > 0;
        }
    }
}
