//! Where a walk is, as JSON: the run so far, and what can happen there.

use crate::server::Served;
use lariat::{Explorer, NoWalk, Random, RunControl, Walk, Walked};
use lariat_base::SourceMap;
use lariat_engine::FailureKind;
use lariat_engine::find_run::{ClaimedEnd, FoundEnd, RunRecord};
use lariat_engine::{Event, Story};
use lariat_render::{RunEnd, Saved, StateView, TraceView, fault_message, story_entries, trace_document};
use lariat_system::System;
use lariat_system::reference::{Evaluator, Outcome, RefStep, Valuation};
use serde_json::{Value, json};
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::time::Instant;

/// More steps, and more initial states, are not listed.
const MOST_LISTED: usize = 200;
/// So many random steps are taken at once at most.
const MOST_RANDOM: usize = 1_000;

/// How the run of a walk ends.
fn end(walked: &Walked) -> RunEnd {
    match walked.ended {
        Some(fault) => RunEnd::Failure(FailureKind::Fault(fault)),
        None if !walked.offers.is_empty() => RunEnd::Open,
        None if walked.is_proper_end => RunEnd::Proper,
        None => RunEnd::Failure(FailureKind::InvalidEnd),
    }
}

/// The run of a walk, as a document with what is needed to show it.
pub(crate) fn run(served: &Served, walk: &Walk, control: &RunControl) -> Result<String, NoWalk> {
    let walked = served.explorer.follow(walk, control)?;
    let sources = served.explorer.model().sources();
    let view = TraceView::of_run(&walked.system, sources, end(&walked), &walked.story);
    let property = matches!(end(&walked), RunEnd::Failure(_)).then_some("safety");
    let document = trace_document(&served.context(sources), property, &view);
    let revisits = json!(walked.was_here_after());
    Ok(format!("{{\"revisits\": {revisits}, \"document\": {document}}}"))
}

/// What can happen where a walk ends; before the first step also where it could begin.
pub(crate) fn offers(served: &Served, walk: &Walk, taken: Option<u32>, control: &RunControl) -> Result<Value, NoWalk> {
    let walked = served.explorer.follow(walk, control)?;
    let sources = served.explorer.model().sources();
    let last = walked.states.last().expect("the initial state is one");
    let taken = taken.map(|number| number as usize);
    let is_listed = |number: usize| number < MOST_LISTED || Some(number) == taken;
    let steps = walked.offers.iter().enumerate().filter(|(number, _)| is_listed(*number));
    let steps: Vec<Value> = steps.map(|(number, step)| offer(&walked.system, sources, last, number, step)).collect();
    let ending = match end(&walked) {
        RunEnd::Open => Value::Null,
        end => {
            let view = TraceView::of_run(&walked.system, sources, end, &walked.story);
            json!({
                "message": view.ending.message,
                "detail": view.ending.detail,
                "failure": matches!(end, RunEnd::Failure(_)),
            })
        }
    };
    let mut answer = json!({ "offers": steps, "total": walked.offers.len(), "end": ending });
    if walk.steps.is_empty() {
        answer["begins"] = begins(&served.explorer, sources);
    }
    Ok(answer)
}

/// One thing that can happen.
fn offer(system: &System, sources: &SourceMap, state: &Arc<Valuation>, number: usize, step: &RefStep) -> Value {
    let mut story = Story::new(Arc::clone(state));
    let evaluator = Evaluator::new(system);
    let mut at = Arc::clone(state);
    let fault = match step.outcome {
        Outcome::Fault(fault) => Some(fault),
        Outcome::State(_) => None,
    };
    for (place, firing) in step.path.iter().enumerate() {
        let (mut faults, after) = evaluator.fire(&at, firing);
        let fault = fault.filter(|_| place + 1 == step.path.len());
        faults.extend(fault.filter(|fault| !faults.contains(fault)));
        let event = Event { firing: firing.clone(), before: Arc::clone(&at), after: after.map(Arc::new), faults };
        story.push_event(system, &event);
        if let Some(after) = event.after {
            at = after;
        }
        if let Some(fault) = fault {
            story.end_in(fault);
        }
    }
    story.end_step();
    let view = TraceView::of_run(system, sources, RunEnd::Open, &story);
    let fault = fault.map(|fault| fault_message(system, fault).to_owned());
    json!({ "number": number, "entries": story_entries(&view), "fault": fault })
}

/// The initial states, by what is different in them.
fn begins(explorer: &Explorer, sources: &SourceMap) -> Value {
    let (system, states) = explorer.initial();
    if states.len() < 2 {
        return json!({ "total": states.len(), "states": [] });
    }
    let views: Vec<StateView> =
        states.iter().take(MOST_LISTED).map(|state| StateView::new(&system, sources, state)).collect();
    let first = &views[0];
    let differs: Vec<bool> = (0..first.variables.len())
        .map(|place| views.iter().any(|view| view.variables.get(place) != first.variables.get(place)))
        .collect();
    let states_shown: Vec<String> = views
        .iter()
        .map(|view| {
            let shown = view.variables.iter().zip(&differs).filter(|(_, differs)| **differs);
            let texts: Vec<String> = shown.map(|((name, value), _)| format!("{name} = {value}")).collect();
            texts.join(", ")
        })
        .collect();
    json!({ "total": states.len(), "states": states_shown })
}

/// The walk, with at most so many random steps more; it ends where nothing can happen.
pub(crate) fn wander(explorer: &Explorer, walk: &Walk, count: usize, control: &RunControl) -> Result<Walk, NoWalk> {
    let seed = RandomState::new().hash_one(Instant::now());
    explorer.wander(walk, count.min(MOST_RANDOM), &mut Random::new(seed), control)
}

/// The walk of a saved trace; or why there is none.
pub(crate) fn walk_of_trace(explorer: &Explorer, text: &str, control: &RunControl) -> Result<Walk, String> {
    let saved = Saved::read(text, None)?;
    let model = explorer.model();
    if saved.is_trail() && model.spin().is_none() {
        return Err("a trail is a run of a Promela model, and this is not one".to_owned());
    }
    let trace = WalkedTrace { saved: &saved, sources: model.sources() };
    let search = lariat::find_run(model, &lariat::ClaimedProperty::SAFETY, &trace, control);
    let search = search.map_err(|error| error.to_string())?;
    match search.found {
        Err(lost) => Err(format!("it is not a run of this model, from its step {} on", lost.entries + 1)),
        Ok(found) => {
            let fault = match found.ended {
                FoundEnd::Failure(FailureKind::Fault(fault)) => Some(fault),
                _ => None,
            };
            explorer.walk_of(&found.story, fault, control).map_err(|error| error.to_string())
        }
    }
}

/// A saved trace as a run, whatever property it is about.
struct WalkedTrace<'a> {
    saved: &'a Saved,
    sources: &'a SourceMap,
}

impl lariat::SavedTrace for WalkedTrace<'_> {
    fn claim(&self) -> ClaimedEnd {
        match self.saved.claim() {
            ClaimedEnd::Failure(word) if ["cycle", "bad_prefix", "branching"].contains(&word.as_str()) => {
                ClaimedEnd::Silent
            }
            claim => claim,
        }
    }
    fn is_decided(&self) -> bool {
        false
    }
    fn may_stop_at_violation(&self) -> bool {
        false
    }
    fn record<'a>(&'a self, system: &'a System) -> Box<dyn RunRecord + 'a> {
        self.saved.record(system, self.sources)
    }
}
