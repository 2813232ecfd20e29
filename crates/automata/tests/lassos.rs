//! The machine that reads stems and loops accepts what the automaton does.

use lariat_automata::{Acceptance, Automaton, LassoReader, Mark, TranslateOptions, accepts, translate};
use lariat_logic::{LassoWord, PropId};
use lariat_testkit::{FormulaKnobs, Rng, check_random_formulas, random_word};

/// What the machine says, letter by letter; and that the distance falls by one at most.
fn reads(reader: &LassoReader, word: &LassoWord) -> bool {
    let class = |position: usize| reader.class(|variable| word.letter(position).contains(PropId(variable)));
    let Some(mut state) = reader.initial() else { return false };
    let (stem, all) = (word.prefix.len(), word.prefix.len() + word.cycle.len());
    for position in 0..all {
        assert_eq!(reader.is_stem(state), position <= stem);
        let next = match position == stem {
            true => reader.begin(state, class(position)),
            false => reader.next(state, class(position)),
        };
        let Some(next) = next else { return false };
        assert!(reader.distance(next) + 1 >= reader.distance(state));
        assert!(!reader.is_accepting(next) || reader.distance(next) == 0);
        state = next;
    }
    reader.is_accepting(state)
}

fn compare(automaton: &Automaton, rng: &mut Rng, counts: &mut [u32; 2]) -> Result<(), String> {
    let Ok(reader) = LassoReader::new(automaton) else { return Ok(()) };
    for _ in 0..40 {
        let word = random_word(rng, automaton.propositions.len() as u32, 5, 5);
        let expected = accepts(automaton, &word);
        counts[usize::from(expected)] += 1;
        if reads(&reader, &word) != expected {
            return Err(format!("{word:?} is accepted by the automaton: {expected}"));
        }
    }
    Ok(())
}

#[test]
fn stems_and_loops_are_read_as_the_automaton_does() {
    let knobs = FormulaKnobs { operators: 6, ..FormulaKnobs::default() };
    let propositions = knobs.propositions();
    let (mut rng, mut counts) = (Rng::new(41), [0, 0]);
    check_random_formulas(0..300, &knobs, |formula| {
        let Ok(automaton) = translate(formula, &propositions, &TranslateOptions::default()) else { return Ok(()) };
        compare(&automaton, &mut rng, &mut counts)?;
        // Any condition: the same automaton with `Fin` in it.
        let mut other = automaton.clone();
        other.acceptance = match rng.below(3) {
            0 => automaton.acceptance.complement(),
            1 => Acceptance::Or(vec![Acceptance::Fin(Mark(0)), automaton.acceptance.clone()]),
            _ => Acceptance::And(vec![Acceptance::Fin(Mark(0)), Acceptance::Inf(Mark(1))]),
        };
        compare(&other, &mut rng, &mut counts)
    });
    println!("{counts:?} words");
    assert!(counts.iter().all(|&count| count > 1000), "{counts:?}");
}
