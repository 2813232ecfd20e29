//! Deliberate mistakes in what an action becomes are noticed: in the cases it is taken apart into, in the relation of a case,
//! and in what linear time forgets. Each would change steps, or an answer, on some small model.

use super::BddSets;
use super::relation::{Formula, Free, Relation};
use crate::diagrams::{Capacity, Diagram};
use crate::{BitAlgebra, BitFunctions};
use lariat_automata::{TranslateOptions, translate};
use lariat_base::{Id, SourceMap, Span};
use lariat_branching::{Constraint, How, LinearTime, constraints_of};
use lariat_engine::{Demand, Shortfall, Temporal};
use lariat_logic::Propositions;
use lariat_smv::{Property, read_model};
use lariat_space::{Enumerated, GraphSets, ReferenceSpace, StateSets, Steps};
use lariat_system::{LabelId, System};

const MEMORY: u64 = 64 << 20;

/// Three processes, one of which acts at a time, with a choice each and a flag between neighbours.
const MODEL: &str = "MODULE main
VAR who : 1..3; l1 : 0..2; l2 : 0..2; l3 : 0..2; c1 : boolean; c2 : boolean; c3 : boolean;
ASSIGN
  init(l1) := 0; next(l1) := case who != 1 : l1; l1 = 0 : {0, 1}; l1 = 1 & c1 : 2; l1 = 2 : 0; TRUE : l1; esac;
  init(l2) := 0; next(l2) := case who != 2 : l2; l2 = 0 : {0, 1}; l2 = 1 & c2 : 2; l2 = 2 : 0; TRUE : l2; esac;
  init(l3) := 0; next(l3) := case who != 3 : l3; l3 = 0 : {0, 1}; l3 = 1 & c3 : 2; l3 = 2 : 0; TRUE : l3; esac;
  init(c1) := TRUE; next(c1) := case who = 1 & l1 = 1 & next(l1) = 2 : FALSE; who = 2 & l2 = 2 : TRUE; TRUE : c1; esac;
  init(c2) := TRUE; next(c2) := case who = 2 & l2 = 1 : FALSE; who = 3 & l3 = 2 : TRUE; TRUE : c2; esac;
  init(c3) := TRUE; next(c3) := case who = 3 & l3 = 1 : FALSE; who = 1 & l1 = 2 : TRUE; TRUE : c3; esac;
";

/// A mistake in a case.
#[derive(Clone, Copy, Debug)]
enum Mistake {
    /// One case is left out.
    CaseLeftOut,
    /// It does not matter who acts.
    ValueLeftOut,
    /// A bit stays as it is.
    WriteLeftOut,
    /// A bit gets the opposite of its value.
    ValueTurned,
    /// A choice is not quantified.
    ChoiceKept,
    /// A bit that is chosen freely has one value.
    FreeIsFixed,
}

impl Mistake {
    const ALL: [Self; 6] = [
        Self::CaseLeftOut,
        Self::ValueLeftOut,
        Self::WriteLeftOut,
        Self::ValueTurned,
        Self::ChoiceKept,
        Self::FreeIsFixed,
    ];

    fn make(self, sets: &BddSets<'_>, formulas: &mut Vec<Formula>) {
        let algebra = &sets.encoder.algebra;
        let first = &mut formulas[0];
        match self {
            Self::CaseLeftOut => {
                formulas.remove(0);
            }
            Self::ValueLeftOut => {
                first.conjuncts.pop();
            }
            Self::WriteLeftOut => {
                let place = first.written.iter().position(|(_, value)| algebra.known(value).is_none());
                first.written.remove(place.expect("something is written"));
            }
            Self::ValueTurned => {
                let value = &mut first.written[0].1;
                *value = algebra.not(value).expect("there is memory");
            }
            Self::ChoiceKept => first.choices.clear(),
            Self::FreeIsFixed => {
                let choices = first.choices.clone();
                let is_choice =
                    |value: &Diagram| choices.iter().any(|choice| algebra.variable(*choice).as_ref() == Ok(value));
                let free = first.written.iter_mut().find(|(_, value)| is_choice(value));
                free.expect("somebody is chosen to act next").1 = algebra.constant(true);
            }
        }
    }
}

fn sets_of(system: &System) -> BddSets<'_> {
    let sets = BddSets::new(system, Capacity::within(MEMORY), Shortfall::Memory { limit_bytes: MEMORY }, || Ok(()));
    sets.expect("it can be encoded").expect("there is memory")
}

/// Whether these cases lead from every reachable state, and back to it, as the graph says.
fn agree(sets: &BddSets<'_>, graph: &Enumerated, formulas: &[Formula]) -> bool {
    let (algebra, variables) = (&sets.encoder.algebra, &sets.variables);
    let nothing = Free { bits: Vec::new(), values: algebra.constant(true) };
    let made = |formula: &Formula| Relation::new(algebra, variables, formula, true, &nothing).expect("there is memory");
    let relations: Vec<Relation> = formulas.iter().map(made).collect();
    let plain = GraphSets::new(graph);
    let diagram = |members: Vec<usize>| {
        let only = |state: usize| sets.only(&graph.states[state]).expect("there is memory");
        members.into_iter().fold(sets.empty(), |all, state| sets.union(&all, &only(state)).expect("there is memory"))
    };
    let reached = diagram((0..graph.states.len()).collect());
    (0..graph.states.len()).all(|state| {
        let (one, own) = (plain.of([state]), diagram(vec![state]));
        let (Ok(next), Ok(before)) = (plain.post(&one, Steps::All), plain.pre(&one, Steps::All));
        let (mut onwards, mut back) = (sets.empty(), sets.empty());
        for relation in &relations {
            let image = relation.image(algebra, variables, &own, None).expect("there is memory");
            onwards = algebra.or(&onwards, &image).expect("there is memory");
            let image = relation.preimage(algebra, variables, &own, None).expect("there is memory");
            back = algebra.or(&back, &image).expect("there is memory");
        }
        let back = algebra.and(&back, &reached).expect("there is memory");
        onwards == diagram(next.iter().collect()) && back == diagram(before.iter().collect())
    })
}

#[test]
fn each_mistake_in_a_case_is_noticed() {
    let model = read_model(&mut SourceMap::default(), "who.smv", MODEL).expect("it is a model");
    let system = model.system().expect("it has a system");
    let graph = Enumerated::new(&ReferenceSpace::new(&system).expect("small"), 5000).expect("small");
    let sets = sets_of(&system);
    let formulas = &sets.rule(0).expect("there is memory").formulas;
    assert!(formulas.len() >= 3, "one for each process");
    assert!(agree(&sets, &graph, formulas), "without a mistake");
    for mistake in Mistake::ALL {
        let mut mistaken = formulas.clone();
        mistake.make(&sets, &mut mistaken);
        assert!(!agree(&sets, &graph, &mistaken), "{mistake:?} is not noticed");
    }
}

/// The model with this text at its end, and its specification.
fn read(rest: &str) -> (System, Temporal) {
    let text = format!("{MODEL}{rest}");
    let model = read_model(&mut SourceMap::default(), "who.smv", &text).expect("it is a model");
    let Property::Formula(formula, conditions) = &model.specifications()[0].property else { panic!("a formula") };
    let mut propositions = Propositions::default();
    for (number, condition) in conditions.iter().enumerate() {
        propositions.intern(&format!("{number}: {}", condition.text), Span::NONE);
    }
    let bad = formula.clone().negated();
    let automaton = translate(&bad, &propositions, &TranslateOptions::default()).expect("small");
    let names: Vec<String> = propositions.entries().map(|(_, known)| known.text.clone()).collect();
    let labels = (0..conditions.len()).map(LabelId::new).collect();
    let system = model.observing(conditions.clone()).system().expect("it has a system");
    let demands = vec![Demand::Satisfies(bad)];
    (system, Temporal { bad: automaton.over_propositions(&names), labels, demands, is_of_all_states: false })
}

/// Whether the specification holds: decided on whole states, without what can be forgotten where these labels matter, and without
/// these bits and whatever values they may have.
fn answers(rest: &str, labels: Option<&[LabelId]>, wrongly: impl Fn(&BddSets<'_>) -> Option<Free>) -> (bool, bool) {
    let (plain, temporal) = read(rest);
    let (system, constraints) = constraints_of(&plain);
    let sets = sets_of(&system);
    let reached = sets.reachable(&sets.initial().expect("there is memory")).expect("there is memory");
    sets.confine(&reached).expect("there is memory");
    let property = LinearTime {
        system: &system,
        constraints: &constraints,
        temporal: &temporal,
        extended: None,
        how: How::default(),
    };
    let holds = |reached: &Diagram| Ok(!property.has_bad_run(&sets, reached)?);
    let right = holds(&reached).expect("there is memory");
    let conditions = constraints.iter().flat_map(Constraint::conditions).filter_map(|condition| condition.label());
    let all: Vec<LabelId> = temporal.labels.iter().copied().chain(conditions).collect();
    let found = match wrongly(&sets) {
        None => sets.without_forgettable(labels.unwrap_or(&all), &reached, holds),
        Some(free) => {
            sets.forget(free);
            sets.shortened(&reached).and_then(|reached| holds(&reached))
        }
    };
    (right, found.expect("there is memory"))
}

/// The bits of the variable with this number, whatever values they may have.
fn bits_of(sets: &BddSets<'_>, slot: usize) -> Free {
    let field = sets.encoder.layout.slots.as_slice()[slot];
    let bits = (field.bit_of(0)..field.bit_of(0) + usize::from(field.bits)).collect();
    Free { bits, values: sets.encoder.algebra.constant(true) }
}

#[test]
fn each_mistake_in_forgetting_is_noticed() {
    let nothing = |_: &BddSets<'_>| None;
    let (of_who, of_place) = ("LTLSPEC G F who = 1;\n", "JUSTICE l1 != 0;\nLTLSPEC G F l1 = 2;\n");
    for text in [of_who, of_place, "JUSTICE who = 1;\nLTLSPEC G (l1 = 2 -> F l1 = 0);\n"] {
        let (right, found) = answers(text, None, nothing);
        assert_eq!(right, found, "without a mistake: {text}");
    }
    // Who acts next is told by one label, and read by another one step later.
    let told = "LTLSPEC G (next(who) = 1 -> X (who = 1 | next(c1) != next(c1)));\n";
    assert_eq!(answers(told, None, nothing), (true, true), "what a label announces");
    // What a label of the property, or of fairness, reads is forgotten.
    let (right, found) = answers("JUSTICE who = 1;\nLTLSPEC G (l1 = 2 -> F l1 = 0);\n", Some(&[]), nothing);
    assert!(right && !found, "a label that is read");
    // What is not chosen anew with every step is forgotten. With `c1`, the first process cannot come to its last place twice
    // while the second is not at its own.
    let flag = |sets: &BddSets<'_>| {
        let mut names = sets.encoder.system.slots.iter().map(|slot| slot.name.as_str());
        Some(bits_of(sets, names.position(|name| name == "c1").expect("there is such a variable")))
    };
    let again = "(l1 = 2 & l2 != 2) U (l1 != 2 & l2 != 2 & (l2 != 2 U (l1 = 2 & l2 != 2)))";
    let (right, found) = answers(&format!("LTLSPEC G !(l1 = 1 & X (l1 = 2 & ({again})));\n"), None, flag);
    assert!(right && !found, "a variable that is not free");
}
