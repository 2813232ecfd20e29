//! Compassion said in other ways, as by Kesten, Pnueli, Raviv and Shahar (2006, section 9.1): as a part of the formula, or as
//! justice.
//!
//! *In the formula*: bad runs are those that satisfy `G F asked -> G F given` for each constraint too.
//!
//! *As justice*: a slot for each constraint guesses, once, that nothing will be asked for any more, and it is just that what is
//! given happens or this guess is right. In the paper a wrong guess has no step. Here it makes the slot 2, for ever: so nothing
//! is disabled, and what is enabled, ranks and dead ends stay what they were. A dead end that repeats asks for ever for what its
//! state asks for; there the guess is not right either.

use crate::extended::formula_of;
use crate::slip::{Slip, slips};
use crate::tester::{at_step, ensure_single_actions};
use lariat_automata::{TranslateOptions, translate};
use lariat_base::Span;
use lariat_engine::{Demand, Feature, Refusal, Temporal};
use lariat_logic::{Formula, PropId, Propositions};
use lariat_subject::participant_label;
use lariat_system::{
    Choice, ChoiceId, Expr, Fairness, Label, LabelId, LabelMeaning, Occasion, Place, Slot, Strength, System, Type,
    Update, Who,
};
use std::borrow::Cow;

const FEATURE: Feature = Feature::FairSearch("--compassion-by");

/// The values of a slot: nothing was guessed yet, something was, and that was wrong.
const OPEN: i64 = 0;
const GUESSED: i64 = 1;
const WRONG: i64 = 2;

/// The system without compassion, and its bad runs that are compassionate.
pub(crate) fn in_formula(system: &System, temporal: &Temporal) -> Result<(System, Temporal), Refusal> {
    let mut made: Cow<'_, System> = Cow::Owned(system.clone());
    let mut labels = temporal.labels.clone();
    let mut names = temporal.bad.propositions.clone();
    let mut formulas = vec![formula_of(temporal, FEATURE)?];
    let mut proposition = |label: LabelId| {
        let known = labels.iter().position(|other| *other == label).unwrap_or_else(|| {
            labels.push(label);
            names.push(format!("compassion {}", labels.len()));
            labels.len() - 1
        });
        Formula::Prop(PropId(known as u32))
    };
    for &Fairness { asked, given, .. } in system.fairness.iter().filter(|one| is_compassion(one)) {
        let infinitely_often = |formula: Formula| Formula::globally(Formula::finally(formula));
        let asked = infinitely_often(proposition(label_of(asked, &mut made)?));
        let given = infinitely_often(proposition(label_of(given, &mut made)?));
        formulas.push(Formula::or([asked.negated(), given]));
    }
    let mut made = made.into_owned();
    made.fairness.retain(|one| !is_compassion(one));
    let formula = Formula::and(formulas);
    let propositions = Propositions::named(names.iter().map(String::as_str));
    let bad = translate(&formula, &propositions, &TranslateOptions::default())
        .map_err(|error| Refusal::because(FEATURE, error.to_string()))?
        .over_propositions(&names);
    let demands = vec![Demand::Satisfies(formula)];
    Ok((made, Temporal { bad, labels, demands, is_of_all_states: false }))
}

/// The system with justice where it has compassion.
pub(crate) fn as_justice(system: &System) -> Result<System, Refusal> {
    ensure_single_actions(system, &FEATURE)?;
    let mut made: Cow<'_, System> = Cow::Owned(system.clone());
    for number in 0..made.fairness.len() {
        let Fairness { asked, given, .. } = made.fairness[number];
        if !is_compassion(&made.fairness[number]) {
            continue;
        }
        let asked = label_of(asked, &mut made)?;
        let made = made.to_mut();
        let name = format!("compassion.{number}");
        let slot = made.slots.push(Slot::new(&name, Type::Int { lo: OPEN, hi: WRONG }, OPEN).hidden());
        let slot = || Place::global(slot);
        let is = |value: i64| slot().read().equals(Expr::Const(value));
        let guess = || Choice { name: format!("guess({name})"), ty: Type::Bool };
        let first = made.init.choices.push(guess());
        made.init.updates.push(Update::Set(slot(), Expr::Choice(first).ite(Expr::Const(GUESSED), Expr::Const(OPEN))));
        for id in made.actions.ids().collect::<Vec<_>>() {
            let asks = at_step(made, asked, Some(&made.actions[id]));
            let action = &mut made.actions[id];
            let guessed = Expr::Choice(ChoiceId(action.choices.len() as u32));
            action.choices.push(guess());
            let at_first = guessed.ite(Expr::Const(GUESSED), Expr::Const(OPEN));
            let is_wrong = if slips(Slip::GuessStaysRight) { Expr::FALSE } else { is(GUESSED).and(asks) };
            let later = is_wrong.ite(Expr::Const(WRONG), slot().read());
            action.updates.push(Update::Set(slot(), is(OPEN).ite(at_first, later)));
        }
        let mut open = is(GUESSED).negated();
        if let LabelMeaning::State(_) = made.labels[asked].meaning {
            open = open.or(at_step(made, asked, None));
        }
        let label = Label { name: format!("open {name}"), meaning: LabelMeaning::State(open), span: Span::NONE };
        let asked = Occasion::Labelled(made.labels.push(label));
        // Infinitely often given, or not open.
        made.fairness[number] = Fairness { strength: Strength::Weak, asked, given };
    }
    Ok(made.into_owned())
}

/// Whether it is compassion, and not justice in other words.
pub(crate) fn is_compassion(fairness: &Fairness) -> bool {
    fairness.strength == Strength::Strong && fairness.asked != Occasion::Always
}

/// The label that says when it is so.
fn label_of(occasion: Occasion, system: &mut Cow<'_, System>) -> Result<LabelId, Refusal> {
    match occasion {
        Occasion::Labelled(label) | Occasion::Taken(Who::Steps(label)) => Ok(label),
        Occasion::Taken(Who::Process(position)) => Ok(participant_label(system, position)),
        Occasion::Enabled(_) => {
            Err(Refusal::because(FEATURE, "strong fairness asks where a step is possible, which no proposition says"))
        }
        Occasion::Always => Err(Refusal::because(FEATURE, "what is given is given always")),
    }
}
