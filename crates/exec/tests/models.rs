//! Native code lists what the bytecode lists, on real models: those of the project, and those of the corpus where it is at
//! hand (`../shared` beside the project).
//!
//! So many states of each are compared as `LARIAT_COMPARED_STATES` says.

use lariat_exec::{Backend, Program, SpaceVisitor, first_difference, with_program};
use lariat_space::StateSpace;

#[test]
fn models_of_the_project() {
    let compared = compare("models", 300) + compare("crates/lariat/tests/models", 300);
    assert!(compared > 0, "no model was found");
}

#[test]
fn models_of_the_corpus() {
    if compare("../shared/corpus/promela", 30) == 0 {
        println!("skipped: no corpus");
    }
}

fn compare(folder: &str, states: usize) -> usize {
    let states = std::env::var("LARIAT_COMPARED_STATES").map_or(states, |states| states.parse().expect("a number"));
    let (mut compared, mut native, mut refused) = (0, 0, 0);
    for path in crate::reading::models(folder) {
        let Some(system) = crate::reading::system(&path) else {
            refused += 1;
            continue;
        };
        let Ok(program) = Program::compile(&system) else {
            refused += 1;
            continue;
        };
        let comparison = Comparison { program: &program, states };
        let (backend, found) = with_program(&system, Backend::Native, None, comparison).expect("it compiled before");
        assert_eq!(found, None, "{}", path.display());
        compared += 1;
        native += usize::from(backend == Backend::Native);
    }
    println!("{folder}: {compared} models compared, {native} of them natively; {refused} make no system");
    compared
}

struct Comparison<'a> {
    program: &'a Program,
    states: usize,
}

impl SpaceVisitor for Comparison<'_> {
    type Output = (Backend, Option<String>);

    fn visit<S: StateSpace>(self, space: &S, backend: Backend) -> Self::Output {
        (backend, first_difference(self.program, space, self.states))
    }
}
