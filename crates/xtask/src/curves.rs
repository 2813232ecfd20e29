//! Depth-first search with replacement against the memory it has: the curves of Jard and Jéron 1991, on their random graphs.

use lariat_engine::{Options, RunControl, Verdict};
use lariat_explicit::safety;
use lariat_space::{LabelSet, Outcome, Sink, State, StateSpace, Step};
use lariat_store::{Cache, Replacement};
use lariat_testkit::Rng;
use std::fmt::Write;
use std::ops::ControlFlow;
use std::path::Path;
use std::process::ExitCode;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// Longer than this no search takes: by then it only does its work again.
const TIME_LIMIT: Duration = Duration::from_secs(2);
/// Every search is timed so often, and the least time counts.
const TIMINGS: u32 = 3;

/// A graph written out in full.
struct Graph {
    successors: Vec<Vec<u64>>,
}

impl Graph {
    /// The generator of section 2.3, breadth first: degrees are uniform up to `most_degree`, and a successor is new with
    /// probability `1 - g / min(2g, most_states)` where `g` states were generated; else it is any of those, which the paper
    /// does not say. Graphs with less than four fifths of `most_states` are thrown away: with degrees up to 4 that would
    /// be all of them.
    fn random(most_states: usize, most_degree: usize, seed: u64) -> Self {
        let mut rng = Rng::new(seed);
        loop {
            let mut successors: Vec<Vec<u64>> = Vec::new();
            let mut generated = 1;
            while successors.len() < generated {
                let degree = rng.below(most_degree + 1);
                let list = (0..degree).map(|_| {
                    if rng.below((2 * generated).min(most_states)) < generated {
                        return rng.below(generated) as u64;
                    }
                    generated += 1;
                    generated as u64 - 1
                });
                let list = list.collect();
                successors.push(list);
            }
            if 5 * generated >= 4 * most_states {
                return Self { successors };
            }
        }
    }

    /// Rounds of a protocol: `rounds` rounds of `width` states each; a state leads to some of its own round that come
    /// later and to the first of the next. Paths are short beside the number of states.
    fn rounds(rounds: u64, width: u64, seed: u64) -> Self {
        let mut rng = Rng::new(seed);
        let mut successors = vec![(0..rounds).map(|round| 1 + round * width).collect()];
        for state in 0..rounds * width {
            let place = state % width;
            let later = |offset: u64| (place + offset < width).then_some(1 + state + offset);
            let jump = 1 + rng.below(4) as u64;
            successors.push(later(1).into_iter().chain(later(jump)).chain([0]).collect());
        }
        Self { successors }
    }
}

impl StateSpace for Graph {
    type Scratch = ();
    fn words_per_state(&self) -> usize {
        1
    }
    fn scratch(&self) {}
    fn initial<B>(&self, (): &mut (), mut sink: impl FnMut(&State) -> ControlFlow<B>) -> ControlFlow<B> {
        sink(&[0])
    }
    fn steps<K: Sink>(&self, source: &State, (): &mut (), mut sink: K) -> ControlFlow<K::Break> {
        self.successors[source[0] as usize]
            .iter()
            .try_for_each(|&target| sink.step(Step::new(Outcome::State(&[target]), &LabelSet::EMPTY, &[])))
    }
    fn labels(&self, _: &State, (): &mut ()) -> LabelSet {
        LabelSet::EMPTY
    }
    fn is_proper_end(&self, _: &State, (): &mut ()) -> bool {
        true
    }
}

/// What a search took with so much memory.
#[derive(Clone, Copy, Debug)]
struct Point {
    /// Of what all states would take.
    memory_percent: usize,
    /// For each state.
    insertions: f64,
    /// Steps taken, beside those with memory for all states. Every machine says the same.
    steps: f64,
    /// Beside the time with memory for all states.
    time: f64,
}

/// One graph.
struct Curve {
    name: String,
    states: usize,
    points: Vec<Point>,
}

/// With less and less memory, down to where the search does not end.
fn curve(name: String, graph: &Graph) -> Curve {
    let states = graph.successors.len();
    let mut points: Vec<Point> = Vec::new();
    let (mut full_time, mut full_steps) = (None, None);
    for memory_percent in (1..=100).rev().filter(|percent| percent % 5 == 0 || *percent < 10) {
        let capacity = (states * memory_percent).div_ceil(100);
        let mut least = Duration::MAX;
        let (mut insertions, mut steps) = (0, 0);
        let mut ended = true;
        for _ in 0..TIMINGS {
            let control = RunControl::new(1 << 32, Some(TIME_LIMIT));
            let began = processor_time();
            let cache = Cache::new(1, Some(capacity), Replacement::Random, 1, &control.budget);
            let report = safety(graph, cache, true, &Options::default(), &control, None).expect("the pool is no guess");
            least = least.min(processor_time().saturating_sub(began));
            ended = report.verdict == Verdict::Holds;
            (insertions, steps) = (report.stats.states, report.stats.transitions);
            if !ended {
                break;
            }
        }
        if !ended {
            break;
        }
        let full_time = *full_time.get_or_insert(least);
        let full_steps = *full_steps.get_or_insert(steps);
        points.push(Point {
            memory_percent,
            insertions: insertions as f64 / states as f64,
            steps: steps as f64 / full_steps as f64,
            time: least.as_secs_f64() / full_time.as_secs_f64(),
        });
    }
    Curve { name, states, points }
}

/// What this thread has worked, where the system tells; else the time of day. Others may be using the machine.
fn processor_time() -> Duration {
    static BEGAN: OnceLock<Instant> = OnceLock::new();
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = text.and_then(|text| text.split_whitespace().next()?.parse().ok());
    nanoseconds.map_or_else(|| BEGAN.get_or_init(Instant::now).elapsed(), Duration::from_nanos)
}

pub(crate) fn run(states: usize, folder: &Path) -> ExitCode {
    let mut curves = Vec::new();
    for degree in [5, 6, 8, 12] {
        let graph = Graph::random(states, degree, degree as u64);
        curves.push(curve(format!("degree up to {degree}"), &graph));
    }
    let width = (states as u64 / 20).max(1);
    curves.push(curve("rounds".to_owned(), &Graph::rounds(20, width, 1)));
    for curve in &curves {
        let least = curve.points.last().map_or(100, |point| point.memory_percent);
        println!("{}: {} states, ends with {least} % of the memory", curve.name, curve.states);
        for point in &curve.points {
            println!(
                "  {:3} %: insertions {:.3}, steps {:.3}, time {:.2}",
                point.memory_percent, point.insertions, point.steps, point.time
            );
        }
    }
    let written = std::fs::write(folder.join("replacement.csv"), data(&curves))
        .and_then(|()| std::fs::write(folder.join("replacement.svg"), plot(&curves)));
    match written {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("`{}` cannot be written to: {error}", folder.display());
            ExitCode::FAILURE
        }
    }
}

fn data(curves: &[Curve]) -> String {
    let mut text = "graph,states,memory_percent,insertions_per_state,relative_steps,relative_time\n".to_owned();
    for curve in curves {
        for point in &curve.points {
            let Point { memory_percent, insertions, steps, time } = point;
            let (name, states) = (&curve.name, curve.states);
            let _ = writeln!(text, "{name},{states},{memory_percent},{insertions:.4},{steps:.4},{time:.3}");
        }
    }
    text
}

const COLORS: [&str; 5] = ["#1f6feb", "#d1242f", "#1a7f37", "#9a6700", "#8250df"];
/// Both plots, each so wide and high.
const WIDTH: f64 = 360.0;
const HEIGHT: f64 = 260.0;
/// What is above this is not shown.
const MOST: f64 = 4.0;

/// Two plots beside each other.
fn plot(curves: &[Curve]) -> String {
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
        2.0 * (WIDTH + 60.0) + 20.0,
        HEIGHT + 90.0
    );
    type Panel = (&'static str, fn(&Point) -> f64);
    let panels: [Panel; 2] = [("insertions for each state", |point| point.insertions), ("time", |point| point.time)];
    for (number, (title, value)) in panels.into_iter().enumerate() {
        let left = 50.0 + number as f64 * (WIDTH + 60.0);
        let x = |percent: f64| left + WIDTH * percent / 100.0;
        let y = |value: f64| 30.0 + HEIGHT * (1.0 - (value.min(MOST) - 1.0).max(-0.2) / (MOST - 1.0));
        let _ = writeln!(text, "<text x=\"{left}\" y=\"18\" font-weight=\"bold\">{title}</text>");
        for grid in 1..=MOST as u32 {
            let (height, right) = (y(f64::from(grid)), left + WIDTH);
            let _ = writeln!(
                text,
                "<path d=\"M{left} {height:.1}H{right}\" stroke=\"#ddd\"/>\
                 <text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{grid}</text>",
                left - 6.0,
                height + 4.0
            );
        }
        for percent in [0, 20, 40, 60, 80, 100] {
            let _ = writeln!(
                text,
                "<text x=\"{:.1}\" y=\"{}\" text-anchor=\"middle\">{percent} %</text>",
                x(f64::from(percent)),
                HEIGHT + 50.0
            );
        }
        for (curve, color) in curves.iter().zip(COLORS) {
            let shown = curve.points.iter().filter(|point| value(point) <= MOST);
            let line: Vec<String> =
                shown.map(|point| format!("{:.1} {:.1}", x(point.memory_percent as f64), y(value(point)))).collect();
            let _ =
                writeln!(text, "<path d=\"M{}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"2\"/>", line.join("L"));
        }
    }
    for (number, (curve, color)) in curves.iter().zip(COLORS).enumerate() {
        let (left, top) = (50.0 + number as f64 * 150.0, HEIGHT + 75.0);
        let _ = writeln!(
            text,
            "<path d=\"M{left} {}h20\" stroke=\"{color}\" stroke-width=\"2\"/><text x=\"{}\" y=\"{top}\">{}</text>",
            top - 4.0,
            left + 26.0,
            curve.name
        );
    }
    text.push_str("</svg>\n");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn with_memory_for_all_every_state_is_inserted_once_and_with_less_more_often() {
        let graph = Graph::random(2000, 6, 1);
        let curve = curve("test".to_owned(), &graph);
        assert_eq!((curve.points[0].memory_percent, curve.points[0].insertions), (100, 1.0));
        let last = curve.points.last().expect("there are points");
        assert!(last.memory_percent < 90 && last.insertions > 1.0, "{:?}", curve.points);
        assert!(plot(std::slice::from_ref(&curve)).contains("<path") && data(&[curve]).lines().count() > 2);
    }
}
