//! Acceptance conditions, and which automata accept nothing.

use lariat_automata::{Acceptance, Automaton, Edge, Guard, Mark, MarkSet, StateId, accepting_part, is_empty};

#[test]
fn streett_pair_wants_the_answer_only_if_asked() {
    let pair = Acceptance::Or(vec![Acceptance::Fin(Mark(0)), Acceptance::Inf(Mark(1))]);
    let set = |marks: &[u32]| marks.iter().map(|&mark| Mark(mark)).collect::<MarkSet>();
    assert!(pair.accepts(&set(&[])));
    assert!(!pair.accepts(&set(&[0])));
    assert!(pair.accepts(&set(&[0, 1])));
}

#[test]
fn generalized_buchi_needs_all_of_many() {
    for count in [0, 1, 32, 64, 65, 200] {
        let acceptance = Acceptance::generalized_buchi(count);
        let all: MarkSet = (0..count).map(Mark).collect();
        assert!(acceptance.accepts(&all));
        if count > 0 {
            let but_last: MarkSet = (0..count - 1).map(Mark).collect();
            assert!(!acceptance.accepts(&but_last));
        }
    }
}

/// One state with a loop for each set of marks.
fn loops(acceptance: Acceptance, loops: &[&[u32]]) -> Automaton {
    let mut automaton = Automaton::empty(Vec::new(), acceptance);
    automaton.edges[StateId(0)] = loops
        .iter()
        .map(|marks| Edge {
            target: StateId(0),
            guard: Guard::TRUE,
            marks: marks.iter().map(|&mark| Mark(mark)).collect(),
        })
        .collect();
    automaton
}

#[test]
fn a_streett_condition_is_met_by_leaving_edges_out() {
    let inf = |mark| Acceptance::Inf(Mark(mark));
    let fin = |mark| Acceptance::Fin(Mark(mark));
    let rabin = Acceptance::And(vec![fin(0), inf(1)]);
    assert!(is_empty(&loops(rabin.clone(), &[&[0, 1], &[0]])));
    assert!(is_empty(&loops(rabin.clone(), &[&[0, 1], &[]])));
    let part = accepting_part(&loops(rabin, &[&[0, 1], &[1]])).unwrap();
    assert!(part.without.contains(Mark(0)));
    let streett = Acceptance::And(vec![Acceptance::Or(vec![fin(0), inf(1)]), inf(2)]);
    assert!(is_empty(&loops(streett.clone(), &[&[0, 2]])));
    assert!(!is_empty(&loops(streett, &[&[0, 2], &[1]])));
}

#[test]
fn many_pairs_and_one_mark_that_cannot_be_avoided_take_no_time() {
    let pairs =
        (0..40).map(|pair| Acceptance::Or(vec![Acceptance::Fin(Mark(2 * pair)), Acceptance::Inf(Mark(2 * pair + 1))]));
    let condition = Acceptance::And(pairs.chain([Acceptance::Fin(Mark(80))]).collect());
    let marks: Vec<Vec<u32>> = (0..40).map(|pair| vec![2 * pair, 2 * pair + 1, 80]).collect();
    let marks: Vec<&[u32]> = marks.iter().map(Vec::as_slice).collect();
    assert!(is_empty(&loops(condition, &marks)));
}
