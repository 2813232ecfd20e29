//! `lariat simulate`: the run itself, and random runs. The prompt is in `prompt.rs`.

use crate::args::SimulateArgs;
use crate::exit::{Exit, start};
use crate::output;
use crate::panes;
use crate::prompt;
use crate::refusal::Refusal;
use crate::saved::SavedRun;
use crate::screen::Screen;
use lariat::front::FrontEnds;
use lariat::{CheckError, Limits, Model, Random, Simulation, StateExpression};
use lariat_base::SourceMap;
use lariat_engine::{FailureKind, Story};
use lariat_render::{
    Context, EntryView, Origin, RunEnd, RunStyle, StateView, Style, TraceView, printed_text, run_end_text,
    simulation_document, state_text, step_text,
};
use std::hash::{BuildHasher, RandomState};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Random seeds are below this, so that they are short enough to type.
const MAX_OWN_SEED: u64 = 1_000_000;

pub(crate) fn run(arguments: SimulateArgs, front_ends: &FrontEnds) -> Exit {
    let interrupted = Arc::new(AtomicBool::new(false));
    let its_flag = Arc::clone(&interrupted);
    // The first interrupt asks for an end; if nobody listens the second ends the program. Without a handler an interrupt
    // ends the program, which is what interrupts do.
    let _ = ctrlc::set_handler(move || {
        if its_flag.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    });
    // Deep expressions are walked by recursion.
    let refusal = Refusal::new(&arguments.model, arguments.json);
    let its_refusal = refusal.clone();
    let front_ends = front_ends.clone();
    let work = move || simulate(&arguments, &front_ends, &its_refusal, &interrupted);
    start("simulate", work).join().unwrap_or_else(|panic| refusal.of_panic(&*panic))
}

fn simulate(
    arguments: &SimulateArgs,
    front_ends: &FrontEnds,
    refusal: &Refusal,
    interrupted: &Arc<AtomicBool>,
) -> Exit {
    let begin = match &arguments.from {
        None => None,
        Some(from) => match saved_run(from, arguments, front_ends, refusal) {
            Ok(begin) => Some(begin),
            Err(exit) => return exit,
        },
    };
    let (model, begin) = match begin {
        Some((model, begin)) => (model, Some(begin)),
        None => match Model::read_by(front_ends, &arguments.model, &arguments.reading.options()) {
            Ok(model) => {
                output::note_unused_defines(&model);
                (model, None)
            }
            Err(rejected) => return refusal.of_model(&rejected.sources, &rejected.diagnostics),
        },
    };
    // `check` reports what is suspicious about the model: here that would stand between the user and the run.
    let simulated =
        Session::new(&model, arguments, interrupted, panes::are_wanted(arguments)).and_then(|mut session| {
            if let Some(begin) = &begin {
                session.begin_with(begin)?;
            }
            let exit = match () {
                () if session.is_in_panes() => panes::run(&mut session),
                () if arguments.interactive => prompt::run(&mut session),
                () => session.random_run(),
            };
            exit.map(|exit| exit.max(session.screen.exit()))
        });
    simulated.unwrap_or_else(|error| refusal.of_error(model.sources(), &error))
}

/// The beginning of a run: the first steps of a saved one.
struct Begin {
    story: Story,
    steps: usize,
}

/// Reads a saved run, `FILE` or `FILE:STEP`, and its model, with what it was made with. An error has been reported already.
fn saved_run(
    from: &str,
    arguments: &SimulateArgs,
    front_ends: &FrontEnds,
    refusal: &Refusal,
) -> Result<(Model, Begin), Exit> {
    let numbered = from.rsplit_once(':').and_then(|(file, step)| Some((file, step.parse::<usize>().ok()?)));
    let (file, steps) = match numbered {
        // A file may have such a name.
        Some((file, steps)) if !Path::new(from).exists() => (file, Some(steps)),
        _ => (from, None),
    };
    if let Some((file, step)) = from.rsplit_once(':')
        && numbered.is_none()
        && !Path::new(from).exists()
        && Path::new(file).exists()
    {
        let reason = format!("`--from {from}`: `{step}` is not the number of a step; write `--from {file}:12`");
        return Err(refusal.of_request(&reason));
    }
    let run = SavedRun::read(&arguments.model, Path::new(file), None, &arguments.reading, front_ends, refusal)?;
    let control = Limits { memory_bytes: lariat::default_memory_bytes(), time: None }.control();
    let search = run.find(&control).map_err(|error| refusal.of_error(run.model.sources(), &error))?;
    let Ok(found) = search.found else {
        return Err(refusal.of_request(&format!("`{file}` does not replay; see `lariat replay`")));
    };
    let all = found.story.step_count();
    if let Some(steps) = steps.filter(|steps| *steps > all) {
        return Err(refusal.of_request(&format!("`{file}` has {all} steps, so there is no step {steps}")));
    }
    Ok((run.model, Begin { story: found.story, steps: steps.unwrap_or(all) }))
}

/// A run that is watched.
pub(crate) struct Session<'a> {
    pub(crate) model: &'a Model,
    pub(crate) simulation: Simulation<'a>,
    pub(crate) screen: Screen,
    pub(crate) run_style: RunStyle,
    pub(crate) style: Style,
    pub(crate) interrupted: &'a Arc<AtomicBool>,
    /// The run so far, an entry for each action, where panes show it.
    pub(crate) log: Option<Vec<Logged>>,
    arguments: &'a SimulateArgs,
    random: Random,
    seed: u64,
}

/// An action that was taken, as a line of the run so far.
#[derive(Clone, Debug)]
pub(crate) struct Logged {
    /// With its number.
    pub(crate) text: String,
    /// Who took it.
    pub(crate) pid: Option<u8>,
    /// What it changed, by name.
    pub(crate) changed: Vec<String>,
}

impl<'a> Session<'a> {
    pub(crate) fn new(
        model: &'a Model,
        arguments: &'a SimulateArgs,
        interrupted: &'a Arc<AtomicBool>,
        in_panes: bool,
    ) -> Result<Self, CheckError> {
        let seed = arguments.seed.unwrap_or_else(|| RandomState::new().hash_one(std::process::id()) % MAX_OWN_SEED);
        let mut random = Random::new(seed);
        let mut simulation = Simulation::new(model)?;
        let initial_count = simulation.initial_count();
        let initial = random.below(initial_count);
        simulation.restart(initial);
        let style = if in_panes { Style::Plain } else { output::stdout_style() };
        let run_style = RunStyle::new(simulation.system(), model.sources(), style);
        let screen = if in_panes { Screen::keeping() } else { Screen::new() };
        let log = in_panes.then(Vec::new);
        let mut session =
            Self { model, simulation, screen, run_style, style, interrupted, log, arguments, random, seed };
        if !arguments.json {
            let hint = if arguments.interactive { "; `h` lists the commands" } else { "" };
            session.screen.print(&format!("seed {seed}{hint}\n"));
            if initial_count > 1 {
                session.screen.print(&format!("initial state {} of {initial_count}\n", initial + 1));
            }
        }
        Ok(session)
    }

    /// Takes the steps of a saved run.
    fn begin_with(&mut self, begin: &Begin) -> Result<(), CheckError> {
        self.simulation.follow(&begin.story, begin.steps)?;
        self.log_again();
        if !self.arguments.json {
            let actions = self.simulation.action_count();
            self.screen.print(&format!("after {} of a saved run, {actions} actions:\n", counted(begin.steps)));
            let view = StateView::new(self.simulation.system(), self.model.sources(), self.simulation.state());
            self.screen.print(&state_text(&view, self.style));
        }
        Ok(())
    }

    fn is_in_panes(&self) -> bool {
        self.log.is_some()
    }

    /// Logs the run so far.
    fn log_again(&mut self) {
        let Some(mut log) = self.log.take() else { return };
        log.clear();
        let story = self.simulation.story();
        let mut at_end_of_step = true;
        let mut items = story.events(self.simulation.system()).peekable();
        while let Some(item) = items.next() {
            let goes_on = items.peek().is_some_and(|next| next.step == item.step);
            if let Some(event) = item.event {
                let entry = EntryView::new(self.simulation.system(), self.model.sources(), &event);
                log.push(self.logged(log.len() + 1, (!at_end_of_step, goes_on), &entry));
            }
            at_end_of_step = !goes_on;
        }
        self.log = Some(log);
    }

    fn logged(&self, number: usize, inside: (bool, bool), entry: &EntryView) -> Logged {
        let text = step_text(&self.run_style, number, inside, entry).trim_end().to_owned();
        let changed = entry.changes.iter().map(|change| change.name.clone()).collect();
        Logged { text, pid: entry.actor.pid, changed }
    }

    /// An expression of the model's language in the present state; `None` where it cannot be read.
    pub(crate) fn value(&self, text: &str) -> Result<Option<String>, CheckError> {
        let expression = StateExpression::value(self.model, text, self.simulation.system().pool_size)?;
        Ok(expression.in_state(self.simulation.state()))
    }

    /// Takes at most this many random actions, until a condition holds after one of them; whether it does.
    pub(crate) fn go_until(&mut self, text: &str, actions: u64) -> Result<(bool, RunEnd), CheckError> {
        let read =
            |session: &Self| StateExpression::condition(session.model, text, session.simulation.system().pool_size);
        let mut condition = (self.simulation.system().pool_size, read(self)?);
        for _ in 0..actions {
            let end = self.go_on(1)?;
            let pool_size = self.simulation.system().pool_size;
            if condition.0 != pool_size {
                condition = (pool_size, read(self)?);
            }
            if condition.1.holds_in(self.simulation.state()) {
                return Ok((true, self.end()));
            }
            if end != RunEnd::Limit {
                return Ok((false, end));
            }
        }
        Ok((false, RunEnd::Limit))
    }

    /// Takes back as many actions, or all there are; gives the numbers of the choices, in the order in which they were made.
    pub(crate) fn back(&mut self, actions: usize) -> Vec<usize> {
        let taken_back = self.simulation.back(actions);
        if let Some(log) = &mut self.log {
            log.truncate(self.simulation.action_count());
        }
        taken_back
    }

    /// The words of [`Session::tell_end`].
    pub(crate) fn end_text(&self, end: RunEnd) -> String {
        let sources = self.model.sources();
        let story = self.simulation.story();
        let view = TraceView::of_run(self.simulation.system(), sources, end, &story);
        run_end_text(&view.ending, self.simulation.action_count(), sources, self.style)
    }

    /// Runs to an end and tells it.
    fn random_run(&mut self) -> Result<Exit, CheckError> {
        let end = match &self.arguments.until {
            None => self.go_on(self.arguments.steps)?,
            Some(text) => match self.go_until(text, self.arguments.steps)? {
                (true, _) if !self.arguments.json => {
                    self.screen.print(&format!("`{text}` holds after {}\n", counted(self.simulation.action_count())));
                    RunEnd::Open
                }
                (true, _) => RunEnd::Open,
                (false, end) => end,
            },
        };
        let sources = self.model.sources();
        let last = StateView::new(self.simulation.system(), sources, self.simulation.state());
        if self.arguments.json {
            let story = self.simulation.story();
            let view = TraceView::of_run(self.simulation.system(), sources, end, &story);
            let facts = self.facts();
            let document = simulation_document(&facts.context(sources), self.seed, &view, &last);
            self.screen.show(&format_args!("{document}\n"));
        } else {
            if end != RunEnd::Open {
                self.tell_end(end);
            }
            if let Some(text) = self.arguments.until.as_ref().filter(|_| end != RunEnd::Open) {
                let steps = counted(self.simulation.action_count());
                self.screen.print(&format!("  not reached: `{text}` was false after each of {steps}\n"));
            }
            if end == RunEnd::Limit {
                self.screen.print("  --steps N lets it run on\n");
            }
            self.screen.print(&state_text(&last, self.style));
        }
        self.screen.flush();
        Ok(self.exit())
    }

    /// Takes as many random actions, or fewer if the run comes to an end.
    pub(crate) fn go_on(&mut self, actions: u64) -> Result<RunEnd, CheckError> {
        for _ in 0..actions {
            match self.end() {
                RunEnd::Open => {}
                end => return Ok(end),
            }
            if self.interrupted.swap(false, Ordering::Relaxed) {
                return Ok(RunEnd::Interrupted);
            }
            if !self.screen.is_open() {
                return Ok(RunEnd::Open);
            }
            let number = self.random.below(self.simulation.offers().len());
            self.take(number)?;
        }
        Ok(match self.end() {
            RunEnd::Open => RunEnd::Limit,
            end => end,
        })
    }

    /// Takes the offer of this number and shows what happens.
    pub(crate) fn take(&mut self, number: usize) -> Result<(), CheckError> {
        let before = self.simulation.is_transient();
        let event = self.simulation.take(number)?;
        if self.arguments.json {
            return Ok(());
        }
        let inside = (before, self.simulation.is_transient());
        let entry = EntryView::new(self.simulation.system(), self.model.sources(), &event);
        let logged = self.log.is_some().then(|| self.logged(self.simulation.action_count(), inside, &entry));
        if let (Some(log), Some(logged)) = (&mut self.log, logged) {
            log.push(logged);
        } else if !self.arguments.quiet {
            self.screen.print(&step_text(&self.run_style, self.simulation.action_count(), inside, &entry));
        }
        self.screen.print(&printed_text(&entry));
        Ok(())
    }

    /// Whether the run has come to an end, and to which.
    pub(crate) fn end(&self) -> RunEnd {
        if let Some(&fault) = self.simulation.faults().first() {
            RunEnd::Failure(FailureKind::Fault(fault))
        } else if !self.simulation.is_dead_end() {
            RunEnd::Open
        } else if self.simulation.is_proper_end() {
            RunEnd::Proper
        } else {
            RunEnd::Failure(FailureKind::InvalidEnd)
        }
    }

    pub(crate) fn tell_end(&mut self, end: RunEnd) {
        let text = self.end_text(end);
        self.screen.print(&text);
    }

    /// What the run as it stands means for the exit code.
    pub(crate) fn exit(&self) -> Exit {
        let failed = self.simulation.met_fault() || matches!(self.end(), RunEnd::Failure(_));
        if failed { Exit::Fails } else { Exit::Holds }
    }

    pub(crate) fn random_offer(&mut self) -> usize {
        self.random.below(self.simulation.offers().len())
    }

    /// What documents need to know.
    pub(crate) fn facts(&self) -> Facts {
        let model = self.arguments.model.display().to_string();
        Facts { model, origin: crate::saved::origin(self.model, &self.arguments.reading.options()) }
    }
}

/// `1 step`, `7 steps`.
pub(crate) fn counted(steps: usize) -> String {
    if steps == 1 { "1 step".to_owned() } else { format!("{steps} steps") }
}

/// What documents need to know of the model.
pub(crate) struct Facts {
    model: String,
    origin: Origin,
}

impl Facts {
    pub(crate) fn context<'f>(&'f self, sources: &'f SourceMap) -> Context<'f> {
        Context {
            version: env!("CARGO_PKG_VERSION"),
            model: &self.model,
            origin: Some(&self.origin),
            sources,
            unreached: None,
            trail: None,
            keep_going: false,
            has_disk: false,
            trace_lines: None,
            limit: None,
            with_model: true,
            with_graphs: true,
        }
    }
}
