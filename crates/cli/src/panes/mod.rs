//! `lariat simulate -i` on a terminal: the run in panes.
//!
//! Four panes show what can happen, the run so far, the source and the state; a line at the bottom takes the commands of the prompt
//! (`prompt.rs`). `walk` is what keys do, `draw` what is seen. This module owns the terminal, and gives it back whatever happens.

mod draw;
#[cfg(test)]
mod tests;
mod walk;

use crate::args::SimulateArgs;
use crate::exit::Exit;
use crate::interrupt;
use crate::output;
use crate::simulate::{Session, counted};
use lariat::CheckError;
use lariat_render::{RunEnd, Style};
use ratatui_core::terminal::Terminal;
use ratatui_crossterm::CrosstermBackend;
use ratatui_crossterm::crossterm::event::{self, Event, KeyCode, KeyEventKind, KeyModifiers};
use ratatui_crossterm::crossterm::execute;
use ratatui_crossterm::crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use std::io::{IsTerminal, Stdout};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};
use walk::{Flow, Panes};

/// The time between two looks for a signal.
const INTERVAL: Duration = Duration::from_millis(50);

/// Whether this command line asks for panes, and there is a terminal that can show them.
pub(crate) fn are_wanted(arguments: &SimulateArgs) -> bool {
    let moves_the_cursor = std::env::var_os("TERM").is_some_and(|term| !term.is_empty() && term != "dumb");
    let is_terminal = std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
    arguments.interactive && !arguments.prompt && is_terminal && moves_the_cursor
}

/// Shows the run and obeys keys until `q`, Ctrl-C or the end of the terminal. What is left on the terminal says how far the run came.
pub(crate) fn run(session: &mut Session<'_>) -> Result<Exit, CheckError> {
    let greeting = session.screen.take_kept();
    let terminated = Arc::new(AtomicBool::new(false));
    for signal in interrupt::ENDING {
        let _ = signal_hook::flag::register(signal, Arc::clone(&terminated));
    }
    let has_colours = output::stdout_style() == Style::Coloured;
    let watched = {
        let shown = Shown::new().map_err(|error| unusable(&error))?;
        let reader = Reader::start(session.interrupted);
        watch(session, shown, &reader.events, &terminated, &greeting, has_colours)
    };
    watched?;
    let told = match session.end() {
        RunEnd::Open => format!("left after {}\n", counted(session.simulation.action_count())),
        end => session.end_text(end),
    };
    let first_line = greeting.lines().next().unwrap_or_default();
    let seed = first_line.split(';').next().unwrap_or_default();
    Ok(session.exit().max(output::print(&format!("{seed}\n{told}"))))
}

fn unusable(error: &std::io::Error) -> CheckError {
    CheckError::Refused(format!("the terminal cannot show panes: {error}; use `--prompt`"))
}

fn watch(
    session: &mut Session<'_>,
    mut shown: Shown,
    events: &Receiver<Event>,
    terminated: &AtomicBool,
    greeting: &str,
    has_colours: bool,
) -> Result<(), CheckError> {
    let interrupted = session.interrupted;
    let mut panes = Panes::new(session, has_colours);
    panes.say(greeting);
    loop {
        shown.terminal.draw(|frame| draw::draw(frame, &panes)).map_err(|error| unusable(&error))?;
        let event = loop {
            match events.recv_timeout(INTERVAL) {
                Ok(event) => break event,
                Err(RecvTimeoutError::Disconnected) => return Ok(()),
                Err(RecvTimeoutError::Timeout) => {}
            }
            if interrupted.swap(false, Ordering::Relaxed) || terminated.load(Ordering::Relaxed) {
                return Ok(());
            }
        };
        match event {
            Event::Key(key) if key.kind != KeyEventKind::Release => match panes.key(key)? {
                Flow::Stay => {}
                Flow::End => return Ok(()),
            },
            // A new size, for example.
            _ => {}
        }
    }
}

/// A thread that reads what is typed.
struct Reader {
    events: Receiver<Event>,
    stop: Arc<AtomicBool>,
}

impl Reader {
    fn start(interrupted: &Arc<AtomicBool>) -> Self {
        let (send, events) = mpsc::channel();
        let (stop, interrupted) = (Arc::new(AtomicBool::new(false)), Arc::clone(interrupted));
        let its_stop = Arc::clone(&stop);
        std::thread::spawn(move || read_events(&its_stop, &interrupted, &send));
        Self { events, stop }
    }
}

impl Drop for Reader {
    /// Gives the thread the time to stop. It never does where the terminal went away, because `crossterm` tries again and again to read
    /// from it: then it ends with the program.
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        let give_up = Instant::now() + 4 * INTERVAL;
        while let Some(left) = give_up.checked_duration_since(Instant::now()) {
            if let Err(RecvTimeoutError::Disconnected) = self.events.recv_timeout(left) {
                return;
            }
        }
    }
}

/// Sends what is typed. An interrupt sets a flag, so that it also ends a long run of steps.
fn read_events(stop: &AtomicBool, interrupted: &AtomicBool, send: &Sender<Event>) {
    while !stop.load(Ordering::Relaxed) {
        match event::poll(INTERVAL) {
            Ok(false) => continue,
            Ok(true) => {}
            Err(_) => return,
        }
        match event::read() {
            Ok(Event::Key(key)) if key.code == KeyCode::Char('c') && key.modifiers.contains(KeyModifiers::CONTROL) => {
                interrupted.store(true, Ordering::Relaxed);
            }
            Ok(event) => {
                if send.send(event).is_err() {
                    return;
                }
            }
            Err(_) => return,
        }
    }
}

/// The terminal while panes are shown on it.
struct Shown {
    terminal: Terminal<CrosstermBackend<Stdout>>,
}

impl Shown {
    fn new() -> std::io::Result<Self> {
        enable_raw_mode()?;
        let entered = execute!(std::io::stdout(), EnterAlternateScreen);
        let terminal = entered.and_then(|()| Terminal::new(CrosstermBackend::new(std::io::stdout())));
        // The message of a panic must not go to a screen that is about to vanish.
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            give_back();
            before(panic);
        }));
        terminal.map(|terminal| Self { terminal }).inspect_err(|_| give_back())
    }
}

impl Drop for Shown {
    fn drop(&mut self) {
        give_back();
    }
}

/// Makes the terminal what it was. A terminal that went away needs nothing.
fn give_back() {
    let _ = disable_raw_mode();
    let _ = execute!(std::io::stdout(), LeaveAlternateScreen, ratatui_crossterm::crossterm::cursor::Show);
}
