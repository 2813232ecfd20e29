//! From what the threads wrote down to the profile.

use super::figures::Figures;
use super::plan::Plan;
use super::recorder::Profiler;
use super::sketch::Sketch;
use super::stopwatch::Activity;
use lariat_base::Id;
use lariat_engine::profile::{
    Joinable, Phase, ProcessShare, Profile, Stale, StatementShare, ValueCount, VariableShare,
};
use lariat_engine::{Report, Statement};
use lariat_system::FrameId;
use std::collections::HashMap;

/// The profile; `report` is what the search found.
pub(super) fn profile(plan: &Plan<'_>, recorders: Vec<Profiler<'_>>, report: &Report) -> Profile {
    let threads = recorders.len();
    let whole = recorders.into_iter().reduce(|mut whole, part| {
        whole.merge(part);
        whole
    });
    let Some(whole) = whole else { return Profile::default() };
    let phases = Activity::ALL.iter().filter(|(activity, _)| threads > 1 || *activity != Activity::Resting);
    let phases = phases.map(|&(activity, name)| (name, whole.watch.spent(activity)));
    let phases = phases.filter(|(_, time)| !time.is_zero());
    Profile {
        states: whole.states,
        complete: report.taken.is_some(),
        measured: whole.figures.as_ref().is_some_and(|figures| !figures.short),
        threads,
        phases: phases.map(|(name, time)| Phase { name, time, by_threads: true }).collect(),
        processes: processes(plan, &whole),
        statements: statements(plan, &whole),
        variables: variables(plan, &whole),
        joinable: whole.figures.as_ref().map(|figures| joinable(plan, figures)).unwrap_or_default(),
        stale: whole.figures.as_ref().map(|figures| stale(plan, figures, whole.states)).unwrap_or_default(),
    }
}

fn processes(plan: &Plan<'_>, whole: &Profiler<'_>) -> Vec<ProcessShare> {
    let share = |home: usize| {
        let (position, frame) = plan.variables.at_home(home);
        let seen = whole.figures.as_ref().and_then(|figures| figures.processes[home].as_ref());
        let taken = whole.taken_by[home];
        let frame = &plan.system.frames[frame];
        (seen.is_some() || taken > 0).then(|| ProcessShare {
            name: format!("{}({position})", frame.name),
            span: frame.span,
            taken,
            lives_in: seen.map_or(0, |(lives_in, _)| *lives_in),
            // Where it does not live it makes no difference.
            states_without: seen.map(|(lives_in, without)| whole.states - lives_in + at_most(without, *lives_in)),
        })
    };
    (0..plan.variables.homes()).filter_map(share).collect()
}

fn statements(plan: &Plan<'_>, whole: &Profiler<'_>) -> Vec<StatementShare> {
    let mut taken = vec![0; plan.statements.len()];
    for (statements, count) in plan.statements_of.iter().zip(&whole.taken) {
        statements.iter().for_each(|&statement| taken[statement] += count);
    }
    let share = |(number, statement): (usize, &Statement)| {
        let sketch = whole.figures.as_ref().and_then(|figures| figures.leads_to[number].as_ref());
        let leads_to = sketch.map(|sketch| at_most(sketch, whole.states.min(taken[number])));
        StatementShare { statement: statement.clone(), taken: taken[number], leads_to }
    };
    let mut shares: Vec<_> = plan.statements.iter().enumerate().map(share).filter(|share| share.taken > 0).collect();
    shares.sort_by_key(|share| std::cmp::Reverse(share.taken));
    shares
}

fn variables(plan: &Plan<'_>, whole: &Profiler<'_>) -> Vec<VariableShare> {
    let share = |(number, variable): (usize, &super::variables::Variable)| {
        let seen = whole.figures.as_ref().map(|figures| &figures.variables[number]);
        VariableShare {
            name: variable.name.clone(),
            span: variable.span,
            kind: variable.kind,
            bits: variable.bits,
            values: seen.map_or(ValueCount::MoreThan(0), |(values, _)| values.count()),
            states_without: seen.map(|(_, without)| at_most(without, whole.states)),
        }
    };
    let shares = plan.variables.list.iter().enumerate().map(share);
    // What no living process has was no part of any state.
    let mut shares: Vec<_> = shares.filter(|share| share.values != ValueCount::Exactly(0)).collect();
    shares.sort_by_key(|share| share.states_without);
    shares
}

fn joinable(plan: &Plan<'_>, figures: &Figures) -> Joinable {
    let mut statements: HashMap<&Statement, u64> = HashMap::new();
    for frame in plan.system.frames.ids() {
        for (point, &count) in figures.private[frame.index()].iter().enumerate().filter(|(_, count)| **count > 0) {
            if let Some(statement) = statement_at(plan, frame, point) {
                *statements.entry(statement).or_default() += count;
            }
        }
    }
    let mut statements: Vec<_> = statements.into_iter().map(|(statement, count)| (statement.clone(), count)).collect();
    statements.sort_by(|(one, many), (other, more)| {
        let place = |statement: &Statement| {
            (statement.span.file, statement.span.start, statement.text.clone(), statement.process.clone())
        };
        more.cmp(many).then_with(|| place(one).cmp(&place(other)))
    });
    Joinable { states: figures.private_states, statements }
}

/// The first of the statements at a place.
fn statement_at<'a>(plan: &'a Plan<'_>, frame: FrameId, point: usize) -> Option<&'a Statement> {
    let actions = plan.places.actions_at(frame, point as u64).iter();
    let statements = actions.filter_map(|action| plan.statements_of[action.index()].first());
    statements.map(|&number| &plan.statements[number]).min_by_key(|statement| statement.span.start)
}

fn stale(plan: &Plan<'_>, figures: &Figures, states: u64) -> Stale {
    let variables = plan.variables.list.iter().zip(&figures.stale).filter(|(_, count)| **count > 0);
    let mut variables: Vec<_> =
        variables.map(|(variable, &count)| (variable.name.clone(), variable.span, count)).collect();
    variables.sort_by_key(|(_, _, count)| std::cmp::Reverse(*count));
    Stale { states_without: Some(at_most(&figures.without_stale, states)), variables }
}

/// An estimate that is not more than what it is a part of.
fn at_most(sketch: &Sketch, most: u64) -> u64 {
    sketch.estimate().min(most)
}

impl Profiler<'_> {
    /// Takes over what another thread wrote down.
    fn merge(&mut self, other: Profiler<'_>) {
        self.watch.merge(&other.watch);
        self.states += other.states;
        add_all(&mut self.taken, &other.taken);
        add_all(&mut self.taken_by, &other.taken_by);
        self.figures = match (self.figures.take(), &other.figures) {
            (Some(mut mine), Some(theirs)) => {
                for ((values, without), (their_values, their_without)) in
                    mine.variables.iter_mut().zip(&theirs.variables)
                {
                    values.merge(their_values, &mut self.memory);
                    without.merge(their_without);
                }
                mine.merge_sketches(theirs);
                Some(mine)
            }
            // A part that was not measured would be missing in the whole.
            _ => None,
        };
    }
}

impl Figures {
    fn merge_sketches(&mut self, other: &Figures) {
        let processes = self.processes.iter_mut().zip(&other.processes);
        for (mine, theirs) in processes.filter_map(|(mine, theirs)| Some((mine, theirs.as_ref()?))) {
            let (lives_in, without) = mine.get_or_insert_with(|| (0, Sketch::new()));
            *lives_in += theirs.0;
            without.merge(&theirs.1);
        }
        let statements = self.leads_to.iter_mut().zip(&other.leads_to);
        for (mine, theirs) in statements.filter_map(|(mine, theirs)| Some((mine, theirs.as_ref()?))) {
            mine.get_or_insert_with(Sketch::new).merge(theirs);
        }
        self.private_states += other.private_states;
        self.private.iter_mut().zip(&other.private).for_each(|(mine, theirs)| add_all(mine, theirs));
        self.without_stale.merge(&other.without_stale);
        add_all(&mut self.stale, &other.stale);
        self.short |= other.short;
    }
}

fn add_all(mine: &mut [u64], theirs: &[u64]) {
    mine.iter_mut().zip(theirs).for_each(|(mine, theirs)| *mine += theirs);
}
