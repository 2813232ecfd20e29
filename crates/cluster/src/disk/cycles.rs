//! Accepting cycles of a product whose states are on the disks of the workers: the pieces of `lariat_runs`, with the other workers.

use super::ground::{Ground, others_of};
use super::search::DiskSearch;
use crate::link::Link;
use crate::reports::ended_of;
use crate::search::{Totals, is_pause};
use crate::share::{Halt, Job};
use crate::trouble::Trouble;
use lariat_engine::DiskFigures;
use lariat_runs::exchange::Among;
use lariat_runs::lasso::find_cycle;
use lariat_runs::owcty::Owcty;
use lariat_runs::pass::PassGround;
use lariat_space::StateSpace;
use lariat_subject::{CycleGoal, Lasso, Stop};

/// What the workers found together.
pub(crate) struct FoundOnDisk {
    pub(crate) totals: Totals,
    pub(crate) disk: DiskFigures,
    pub(crate) depth: u64,
    pub(crate) ended: Result<Option<Lasso>, Stop>,
    /// There is a bad run, and it could not be told.
    pub(crate) unproven: bool,
}

/// Searches everything, then looks for an accepting cycle in it.
pub(crate) fn search_cycles_on_disk<S: StateSpace>(
    space: &S,
    job: Job<'_>,
    goal: &CycleGoal,
    free_bytes: u64,
    link: &mut Link<'_>,
    trouble: &Trouble,
) -> Result<FoundOnDisk, Halt> {
    let ground = Ground::new(space, job, free_bytes, link, trouble)?;
    let others = others_of(&ground, space.words_per_state(), link, trouble);
    let mut search = DiskSearch::new(space, job, &ground, &others)?;
    let (mut ended, mut unproven) = (Ok(None), false);
    match find(&mut search, goal, &mut unproven) {
        Ok(lasso) => ended = Ok(lasso),
        Err(halt) => ended = ended.and(Err(ended_of(halt)?)),
    }
    let (totals, disk) = (search.totals()?, search.disk_figures()?);
    Ok(FoundOnDisk { totals, disk, depth: search.depth, ended, unproven })
}

/// An accepting run of the product. `unproven` says that there is one whose states could not be told.
fn find<S: StateSpace>(
    search: &mut DiskSearch<'_, '_, '_, '_, S>,
    goal: &CycleGoal,
    unproven: &mut bool,
) -> Result<Option<Lasso>, Halt> {
    search.run()?;
    let others = search.others;
    let among = Among(Some(others));
    let found = search.together(|search| {
        let set = search.take_set(|state| goal.component(state).is_some())?;
        let ground = PassGround {
            space: search.space,
            folders: &search.place.folders,
            names: &search.place.names,
            shares: search.shares,
            control: search.job.control,
            bit_words: goal.demands.bit_words(),
            among,
        };
        let (left, states) = Owcty { ground, goal }.run(set)?;
        if states == 0 {
            return Ok(None);
        }
        *unproven = true;
        let cycle = find_cycle(ground, &left, goal)?;
        // What stays takes room and does no harm.
        let _ = ground.folders.remove(&left.info.segment);
        let first = &cycle.states[0];
        let mine = if among.owns(first) { search.reached.layer_of(first)? } else { None };
        let depth = among.sum(mine.map_or(0, |layer| layer + 1))?;
        among.ensure(depth > 0, "a state that was seen is in a layer")?;
        Ok(Some((cycle, depth - 1)))
    });
    let found = match found {
        Err(Halt::Stop(Stop::Short(shortfall))) if is_pause(shortfall) => {
            // Without room for it the search goes on from the checkpoint before.
            let _ = search.keep_all();
            return Err(Stop::Short(shortfall).into());
        }
        found => found?,
    };
    let Some((cycle, depth)) = found else { return Ok(None) };
    let mut stem = search.chain(&cycle.states[0], depth)?;
    stem.pop();
    *unproven = false;
    Ok(Some(Lasso { stem, cycle: cycle.states, marks: cycle.marks }))
}
