//! Fair loops by strongly connected components, found one after the other.
//!
//! The components of a set are found as by Larsen, Schmidt, Steensgaard, Jensen, van de Pol and Pavlogiannis (TACAS 2023): what a
//! state reaches, and in that what reaches the state. The next state is picked from the last states that were reached, so that
//! the number of images is linear in the number of states, however long ways are.
//!
//! A component is fair if it has a step, has what justice gives, and for each compassion has what is given or nothing is asked
//! for. Where something is asked for in vain, that is taken away, and the components of what is left are looked for (Streett
//! emptiness). So the search can end with the first fair component, where FEASIBLE must come to an end.

use crate::fairness::Event;
use crate::feasible::{Core, Enough, Within};
use crate::how::How;
use crate::narrowed::Way;
use crate::slip::{Slip, slips};
use lariat_space::{StateSets, Steps};

/// States whose components are looked for.
struct SearchRegion<Set> {
    core: Core<Set>,
    /// The first component is that of one of these, if there are any.
    near: Option<Set>,
}

/// What is left of fair components: all of them, or one.
pub(crate) fn fair<S: StateSets>(within: &Within<'_, S>, how: How, enough: Enough) -> Result<Core<S::Set>, S::Error> {
    let sets = within.sets;
    let mut found = Core::whole(within);
    (found.states, found.left) = (sets.empty(), Vec::new());
    let mut parts = vec![SearchRegion { core: Core::whole(within), near: None }];
    while let Some(mut part) = parts.pop() {
        sets.safe_point()?;
        for way in [Way::Back, Way::Forth] {
            part.core.prune(within, way, how.prune)?;
        }
        match judge(within, &mut part.core)? {
            Judgement::Unfair => continue,
            // What was taken away may take others with it.
            Judgement::Fewer => {
                parts.push(part);
                continue;
            }
            Judgement::Fair => {}
        }
        let Split { mut component, others } = split(within, part)?;
        parts.extend(others);
        match judge(within, &mut component)? {
            Judgement::Unfair => {}
            Judgement::Fewer if slips(Slip::NoRefinement) => {}
            Judgement::Fewer => parts.push(SearchRegion { core: component, near: None }),
            Judgement::Fair => {
                take(sets, &mut found, &component)?;
                if enough == Enough::Some {
                    break;
                }
            }
        }
    }
    Ok(found)
}

/// Whether the states, a component, are fair as a whole.
pub(crate) fn is_fair<S: StateSets>(component: &Within<'_, S>) -> Result<bool, S::Error> {
    Ok(matches!(judge(component, &mut Core::whole(component))?, Judgement::Fair))
}

/// What constraints say of a set as a whole.
enum Judgement {
    /// Something is missing, so no loop in it is fair.
    Unfair,
    /// Something was asked for in vain, and was taken away.
    Fewer,
    /// If it is a component it is fair.
    Fair,
}

fn judge<S: StateSets>(within: &Within<'_, S>, core: &mut Core<S::Set>) -> Result<Judgement, S::Error> {
    let sets = within.sets;
    let narrowed = core.narrowed(sets, within.stuttering);
    let stepping = sets.intersect(&narrowed.one_step(&core.states, Steps::All, Way::Back)?, &core.states)?;
    if sets.is_empty(&stepping) && !slips(Slip::EmptyLoop) {
        return Ok(Judgement::Unfair);
    }
    let mut judgement = Judgement::Fair;
    for constraint in within.constraints {
        let narrowed = core.narrowed(sets, within.stuttering);
        if !sets.is_empty(&narrowed.meeting(&constraint.given, &core.states, Way::Back)?) {
            continue;
        }
        match &constraint.asked {
            None => return Ok(Judgement::Unfair),
            Some(asked) if core.refuse(sets, asked, &sets.empty())? => judgement = Judgement::Fewer,
            Some(_) => {}
        }
    }
    Ok(judgement)
}

/// A component, and the rest in which the others are.
struct Split<Set> {
    component: Core<Set>,
    others: Vec<SearchRegion<Set>>,
}

fn split<S: StateSets>(within: &Within<'_, S>, part: SearchRegion<S::Set>) -> Result<Split<S::Set>, S::Error> {
    let &Within { sets, stuttering, .. } = within;
    let SearchRegion { core, near } = part;
    let narrowed = core.narrowed(sets, stuttering);
    let near = near.map(|near| sets.intersect(&near, &core.states)).transpose()?;
    let from = near.filter(|near| !sets.is_empty(near)).unwrap_or_else(|| core.states.clone());
    let state = sets.only(&sets.pick(&from)?.expect("it is not empty"))?;
    // What it reaches, and the last that it does.
    let (mut reached, mut last) = (state.clone(), state.clone());
    loop {
        sets.safe_point()?;
        let next = sets.intersect(&narrowed.one_step(&last, Steps::All, Way::Forth)?, &core.states)?;
        let new = sets.minus(&next, &reached)?;
        if sets.is_empty(&new) {
            break;
        }
        reached = sets.union(&reached, &new)?;
        last = new;
    }
    let component = match slips(Slip::ComponentIsReach) {
        true => reached.clone(),
        false => narrowed.closure(&reached, &state, &reached, Way::Back)?,
    };
    let after = sets.minus(&reached, &component)?;
    let before = sets.minus(&core.states, &reached)?;
    let to_component = sets.intersect(&narrowed.one_step(&component, Steps::All, Way::Back)?, &before)?;
    let of = |states: S::Set| Core { states, ..core.clone() };
    let mut others = Vec::new();
    for (states, near) in [(before, to_component), (after, last)] {
        if !sets.is_empty(&states) {
            others.push(SearchRegion { core: of(states), near: Some(near) });
        }
    }
    Ok(Split { component: of(component), others })
}

/// Adds the component to what is left.
fn take<S: StateSets>(sets: &S, found: &mut Core<S::Set>, component: &Core<S::Set>) -> Result<(), S::Error> {
    found.states = sets.union(&found.states, &component.states)?;
    for (sources, steps) in &component.left {
        let sources = sets.intersect(sources, &component.states)?;
        if sets.is_empty(&sources) {
            continue;
        }
        match found.left.iter_mut().find(|(_, known): &&mut Event<S::Set>| known == steps) {
            Some((known, _)) => *known = sets.union(known, &sources)?,
            None => found.left.push((sources, steps.clone())),
        }
    }
    Ok(())
}
