//! What is known is not lost: where limits end the search for runs that show an answer, or for what remarks need, the answer stays.

use lariat_automata::{TranslateOptions, translate};
use lariat_base::FileId;
use lariat_branching::{FairStates, How, LinearTime, SpaceStepper, answer, constraints_of};
use lariat_engine::{Branching, Demand, Report, Shortfall, Temporal, Verdict};
use lariat_logic::{Formula, PropId, Propositions};
use lariat_space::{Enumerated, GraphSets, ReferenceSpace};
use lariat_system::{LabelId, text};
use std::cell::Cell;

/// A counter that goes round.
const MODEL: &str = "\
system counter
dead_ends cut
slot x : 0..5 = 0
label top = x == 5
action up {
    when x < 5
    set x := x + 1
}
action round {
    when x == 5
    set x := 0
}
fairness justice top
";

/// What is found out about the formula, of linear time or not, by a search whose limits are met as soon as the answer is known;
/// with the answer as it was known then.
fn settled(formula: Formula, linear: bool, is_limited: bool) -> (Option<Verdict>, Report) {
    let system = text::parse(MODEL, FileId(0)).expect("it parses");
    let (system, constraints) = constraints_of(&system);
    let space = ReferenceSpace::new(&system).expect("small");
    let graph = Enumerated::new(&space, 100).expect("small");
    let ended = Cell::new(false);
    let watch = |_: u64| if ended.get() { Err(Shortfall::Interrupted) } else { Ok(()) };
    let sets = GraphSets::watched(&graph, watch);
    let all = sets.of(0..graph.states.len());
    let stepper = SpaceStepper::new(&space, &system);
    let (labels, known) = (vec![LabelId(0)], Cell::new(None));
    let tell = |verdict: &Verdict| {
        known.set(Some(verdict.clone()));
        ended.set(is_limited);
    };
    let report = if linear {
        let bad = formula.negated();
        let automaton = translate(&bad, &Propositions::named(["top"]), &TranslateOptions::default()).expect("small");
        let (bad, demands) = (automaton.over_propositions(&["top".to_owned()]), vec![Demand::Satisfies(bad)]);
        let temporal = Temporal { bad, labels, demands, is_of_all_states: false };
        let how = How::default();
        let property =
            LinearTime { system: &system, constraints: &constraints, temporal: &temporal, extended: None, how };
        property.report(&sets, &all, &stepper, |report| tell(&report.verdict)).expect("an answer")
    } else {
        let property = Branching::new(formula, labels).expect("it is of CTL");
        let states = FairStates::new(&sets, all, system.dead_ends, &constraints, How::default()).expect("no limit yet");
        let found = answer(&sets, &property, states, system.dead_ends, &stepper, |found| tell(&found.verdict));
        let found = found.expect("an answer");
        assert!(is_limited || found.unexplained.is_none());
        let (verdict, witnesses) = (found.verdict, found.witnesses);
        Report { verdict, witnesses, ..Report::at_once(Shortfall::Interrupted) }
    };
    (known.into_inner(), report)
}

#[test]
fn limits_after_the_answer_leave_it_as_it_is() {
    let end = || Formula::prop(PropId(0));
    let again = || Formula::globally(Formula::finally(end()));
    let (known, report) = settled(again(), true, true);
    assert_eq!((known, &report.verdict, report.has_runs), (Some(Verdict::Holds), &Verdict::Holds, false));
    let (_, report) = settled(again(), true, false);
    assert_eq!((&report.verdict, report.has_runs), (&Verdict::Holds, true));

    let reached = || Formula::for_some(Formula::finally(end()));
    let (known, report) = settled(reached(), false, true);
    assert_eq!((known, &report.verdict, report.witnesses.len()), (Some(Verdict::Holds), &Verdict::Holds, 0));
    let (_, report) = settled(reached(), false, false);
    assert_eq!((&report.verdict, report.witnesses.len()), (&Verdict::Holds, 1));

    // One initial state violates it, whatever becomes of the way to the end.
    let never = || Formula::for_all(Formula::globally(end().negated()));
    for is_limited in [true, false] {
        let (known, report) = settled(never(), false, is_limited);
        assert!(matches!(known, Some(Verdict::Fails(_))), "{known:?}");
        let Verdict::Fails(evidence) = &report.verdict else { panic!("{:?}", report.verdict) };
        assert_eq!(evidence.trace.steps.len(), if is_limited { 0 } else { 5 });
    }
}
