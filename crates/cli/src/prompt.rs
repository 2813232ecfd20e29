//! `lariat simulate -i`: choosing each step at a prompt.
//!
//! Lines are read on a thread of their own, one at a time and only when one is wanted, so that an interrupt at the prompt
//! ends the session although reading cannot be interrupted.

use crate::exit::Exit;
use crate::save;
use crate::screen::Screen;
use crate::simulate::{Session, counted};
use lariat::CheckError;
use lariat_base::closest_name;
use lariat_render::{
    EntryView, RunEnd, StateView, TraceView, channels_text, offers_text, processes_text, trace_document, variables_text,
};
use rustyline::DefaultEditor;
use std::io::{BufRead, IsTerminal, Read};
use std::path::Path;
use std::sync::atomic::Ordering;
use std::sync::mpsc;
use std::time::Duration;

/// More offers than these are not listed, though they can be chosen.
const MAX_LISTED: usize = 30;
/// `until` gives up after this many steps.
const MOST_UNTIL: u64 = 100_000;
/// A longer line is no command.
const MAX_LINE_BYTES: u64 = 1 << 16;
/// The time between two looks for an interrupt.
const INTERVAL: Duration = Duration::from_millis(50);

const HELP: &str = "  \
  3            take step 3 of those listed
  (nothing)    take a random step, or the only one
  r, run N     take N random steps
  u, until E   take random steps until the condition E holds, at most 100000
  e, eval E    the value of an expression in this state
  b, back N    take back N steps (1 if none is given)
  g, goto N    go back to where the run was after N steps (0: the beginning)
  l, list      list again what can happen
  v, vars      the variables
  c, channels  the channels and what they hold
  p, processes the processes and where they stand
  w, write F   write the run so far to the file F, as `check --trace` does
  q, quit      end (so does the end of input)
";

/// What a line asks for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Command {
    Take(usize),
    Any,
    Run(u64),
    Until(String),
    Evaluate(String),
    Back(usize),
    Goto(usize),
    List,
    Variables,
    Channels,
    Processes,
    Write(String),
    Help,
    Quit,
}

/// The commands by name, each after its letter.
const NAMES: [(&str, &str); 12] = [
    ("r", "run"),
    ("u", "until"),
    ("e", "eval"),
    ("b", "back"),
    ("g", "goto"),
    ("l", "list"),
    ("v", "vars"),
    ("c", "channels"),
    ("p", "processes"),
    ("w", "write"),
    ("q", "quit"),
    ("h", "help"),
];

/// Reads and obeys commands until `quit` or the end of the input.
pub(crate) fn run(session: &mut Session<'_>) -> Result<Exit, CheckError> {
    let mut input = Input::open();
    let echo = !std::io::stdin().is_terminal();
    let mut moved = true;
    while session.screen.is_open() {
        if moved {
            list(session);
        }
        moved = false;
        let prompt = format!("step {}> ", session.simulation.action_count() + 1);
        let Some(line) = input.next_line(session, &prompt) else {
            session.screen.print("\n");
            break;
        };
        if echo {
            session.screen.print(&format!("{line}\n"));
        }
        match parse(&line, session.simulation.offers().len()) {
            Err(words) => session.screen.print(&format!("  {words}\n")),
            Ok(Command::Quit) => break,
            Ok(command) => moved = obey(session, command)?,
        }
    }
    session.screen.flush();
    Ok(session.exit())
}

/// Where lines come from.
enum Input {
    /// A terminal: lines are edited, and earlier ones come back with the arrow keys.
    Terminal(Box<DefaultEditor>),
    /// Anything else.
    Lines(Lines),
}

impl Input {
    fn open() -> Self {
        let is_terminal = std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
        match is_terminal.then(DefaultEditor::new) {
            Some(Ok(editor)) => Self::Terminal(Box::new(editor)),
            // A terminal that cannot be edited on is read line by line.
            _ => Self::Lines(read_lines()),
        }
    }

    /// The next line; `None` at the end of the input or at an interrupt.
    fn next_line(&mut self, session: &mut Session<'_>, prompt: &str) -> Option<String> {
        match self {
            Self::Lines(lines) => {
                session.screen.print(prompt);
                session.screen.flush();
                next_line(session, lines)
            }
            Self::Terminal(editor) => {
                session.screen.flush();
                let line = editor.readline(prompt).ok()?.trim().to_owned();
                // A history without a line is no loss.
                let _ = editor.add_history_entry(&line);
                Some(line)
            }
        }
    }
}

/// A channel that gives a line for each message sent to it, and is closed at the end of the input.
struct Lines {
    want: mpsc::Sender<()>,
    read: mpsc::Receiver<String>,
}

fn read_lines() -> Lines {
    let (want, wanted) = mpsc::channel::<()>();
    let (found, read) = mpsc::channel();
    std::thread::spawn(move || {
        let mut input = std::io::stdin().lock();
        while wanted.recv().is_ok() {
            let mut line = Vec::new();
            match input.by_ref().take(MAX_LINE_BYTES).read_until(b'\n', &mut line) {
                Ok(0) | Err(_) => return,
                Ok(_) if found.send(String::from_utf8_lossy(&line).trim().to_owned()).is_err() => return,
                Ok(_) => {}
            }
        }
    });
    Lines { want, read }
}

/// The next line; `None` at the end of the input or at an interrupt.
fn next_line(session: &Session<'_>, lines: &Lines) -> Option<String> {
    lines.want.send(()).ok()?;
    loop {
        match lines.read.recv_timeout(INTERVAL) {
            Ok(line) => return Some(line),
            Err(mpsc::RecvTimeoutError::Disconnected) => return None,
            Err(mpsc::RecvTimeoutError::Timeout) if session.interrupted.swap(false, Ordering::Relaxed) => return None,
            Err(mpsc::RecvTimeoutError::Timeout) => {}
        }
    }
}

/// The command of a line, where there are as many offers; or what is wrong with it.
pub(crate) fn parse(line: &str, offers: usize) -> Result<Command, String> {
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let rest = rest.trim();
    if word.is_empty() {
        return Ok(Command::Any);
    }
    if word.bytes().all(|byte| byte.is_ascii_digit()) {
        return match word.parse::<usize>() {
            _ if !rest.is_empty() => Err("one number is enough".to_owned()),
            Ok(number @ 1..) if number <= offers => Ok(Command::Take(number - 1)),
            _ if offers == 0 => Err("nothing can happen; `b` goes back, `q` ends".to_owned()),
            _ => Err(format!("there is no step {word}; choose from 1 to {offers}")),
        };
    }
    let count = || match rest {
        "" => Ok(1),
        _ => rest.parse::<u64>().map_err(|_| format!("`{rest}` is not a number of steps")),
    };
    let known = NAMES.iter().find(|(letter, name)| word == *letter || word == *name).map(|(letter, _)| *letter);
    if !rest.is_empty() && known.is_some_and(|letter| !["r", "b", "g", "w", "u", "e"].contains(&letter)) {
        return Err(format!("`{word}` stands alone"));
    }
    match known {
        Some("r") => Ok(Command::Run(count()?)),
        Some("u") if rest.is_empty() => Err("`u` needs a condition, such as `u x == 3`".to_owned()),
        Some("u") => Ok(Command::Until(rest.to_owned())),
        Some("e") if rest.is_empty() => Err("`e` needs an expression, such as `e x + 1`".to_owned()),
        Some("e") => Ok(Command::Evaluate(rest.to_owned())),
        Some("b") => Ok(Command::Back(usize::try_from(count()?).unwrap_or(usize::MAX))),
        Some("g") if rest.is_empty() => Err("`g` needs the number of a step".to_owned()),
        Some("g") => Ok(Command::Goto(usize::try_from(count()?).unwrap_or(usize::MAX))),
        Some("l") => Ok(Command::List),
        Some("v") => Ok(Command::Variables),
        Some("c") => Ok(Command::Channels),
        Some("p") => Ok(Command::Processes),
        Some("w") if rest.is_empty() => Err("`w` needs the name of a file".to_owned()),
        Some("w") => Ok(Command::Write(rest.to_owned())),
        Some("q") => Ok(Command::Quit),
        Some(_) => Ok(Command::Help),
        None if word == "?" => Ok(Command::Help),
        None => Err(match closest_name(word, NAMES.iter().map(|(_, name)| *name)) {
            Some(near) => format!("there is no command `{word}`; did you mean `{near}`?"),
            None => format!("there is no command `{word}`; `h` lists all commands"),
        }),
    }
}

/// Does what is asked for; tells whether the run is at another place now.
pub(crate) fn obey(session: &mut Session<'_>, command: Command) -> Result<bool, CheckError> {
    let view = |session: &Session<'_>| {
        StateView::new(session.simulation.system(), session.model.sources(), session.simulation.state())
    };
    match command {
        Command::Any if session.simulation.offers().is_empty() => {
            session.screen.print("  nothing can happen; `b` goes back, `q` ends\n");
            return Ok(false);
        }
        Command::Any => {
            let number = session.random_offer();
            session.take(number)?;
        }
        Command::Take(number) => session.take(number)?,
        Command::Run(steps) => {
            if session.go_on(steps)? == RunEnd::Interrupted {
                session.screen.print("  interrupted\n");
            }
        }
        Command::Until(ref text) => return until(session, text),
        Command::Evaluate(ref text) => {
            match session.value(text) {
                Ok(Some(value)) => session.screen.print(&format!("  {text} = {value}\n")),
                Ok(None) => session.screen.print(&format!("  `{text}` cannot be read here\n")),
                Err(error) => say(session, &error)?,
            }
            return Ok(false);
        }
        Command::Back(_) if session.simulation.action_count() == 0 => {
            session.screen.print("  this is the beginning\n");
            return Ok(false);
        }
        Command::Back(steps) => {
            session.back(steps);
        }
        Command::Goto(step) if step > session.simulation.action_count() => {
            let taken = session.simulation.action_count();
            session.screen.print(&format!("  the run has {taken} steps so far; `r N` takes more\n"));
            return Ok(false);
        }
        Command::Goto(step) => {
            session.back(session.simulation.action_count() - step);
        }
        Command::List => {}
        Command::Variables => session.screen.print(&variables_text(&view(session))),
        Command::Channels => session.screen.print(&channels_text(&view(session))),
        Command::Processes => session.screen.print(&processes_text(&view(session))),
        Command::Write(ref file) => write(session, file),
        Command::Help => session.screen.print(HELP),
        Command::Quit => {}
    }
    let stays = [Command::Variables, Command::Channels, Command::Processes, Command::Help, Command::Quit];
    Ok(!stays.contains(&command) && !matches!(command, Command::Write(_)))
}

/// Takes random steps until the condition holds; whether it came to. Where it does not, the run is as it was before.
fn until(session: &mut Session<'_>, text: &str) -> Result<bool, CheckError> {
    let before = session.simulation.action_count();
    // The steps are shown if they lead there.
    let screen = std::mem::replace(&mut session.screen, Screen::keeping());
    let reached = session.go_until(text, MOST_UNTIL);
    let steps = std::mem::replace(&mut session.screen, screen).take_kept();
    match reached {
        Ok((true, _)) => {
            session.screen.print(&format!("{steps}  `{text}` holds\n"));
            Ok(true)
        }
        Ok((false, end)) => {
            let taken = session.simulation.action_count() - before;
            session.back(taken);
            let why = match end {
                RunEnd::Interrupted => "interrupted",
                _ => "not reached",
            };
            let steps = counted(taken);
            session
                .screen
                .print(&format!("  {why}: `{text}` was false in all {steps}; the run is where it was before\n"));
            Ok(false)
        }
        Err(error) => {
            say(session, &error)?;
            Ok(false)
        }
    }
}

/// Says what is wrong with what was typed in. Errors of ours end the session.
fn say(session: &mut Session<'_>, error: &CheckError) -> Result<(), CheckError> {
    match error {
        CheckError::Model(diagnostics) => {
            for found in diagnostics.iter().filter(|found| found.is_error()) {
                let help = found.help.as_ref().map(|help| format!("; {help}")).unwrap_or_default();
                session.screen.print(&format!("  {}{help} ({})\n", found.message, found.code));
            }
            Ok(())
        }
        CheckError::Refused(reason) => {
            session.screen.print(&format!("  {reason}\n"));
            Ok(())
        }
        other => Err(other.clone()),
    }
}

/// Shows what went wrong, and what can happen.
fn list(session: &mut Session<'_>) {
    let end = session.end();
    if end != RunEnd::Open {
        session.tell_end(end);
    }
    let total = session.simulation.offers().len();
    let (system, sources) = (session.simulation.system(), session.model.sources());
    let entries: Vec<EntryView> = (0..total.min(MAX_LISTED))
        .map(|number| EntryView::new(system, sources, &session.simulation.preview(number)))
        .collect();
    if total > 0 && session.simulation.action_count() > 0 {
        session.screen.print("\n");
    }
    session.screen.print(&offers_text(&session.run_style, &entries, total));
}

fn write(session: &mut Session<'_>, file: &str) {
    let (system, sources) = (session.simulation.system(), session.model.sources());
    let (story, facts) = (session.simulation.story(), session.facts());
    let end = session.end();
    let trace = TraceView::of_run(system, sources, end, &story);
    let property = if matches!(end, RunEnd::Failure(_)) { "safety" } else { "simulation" };
    let document = trace_document(&facts.context(sources), Some(property), &trace);
    let written = save::write_into(Path::new(file), &format_args!("{document}\n"));
    session.screen.print(&match written {
        Ok(()) => format!("  {} steps are in `{file}`\n", session.simulation.action_count()),
        Err(error) => format!("  cannot write `{file}`: {error}\n"),
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_commands() {
        let good = [
            ("2", Command::Take(1)),
            ("", Command::Any),
            ("r 10", Command::Run(10)),
            ("run", Command::Run(1)),
            ("u x == 3", Command::Until("x == 3".to_owned())),
            ("eval x + 1", Command::Evaluate("x + 1".to_owned())),
            ("b", Command::Back(1)),
            ("back  7", Command::Back(7)),
            ("goto 0", Command::Goto(0)),
            ("w a b.json", Command::Write("a b.json".to_owned())),
            ("?", Command::Help),
            ("quit", Command::Quit),
        ];
        for (line, command) in good {
            assert_eq!(parse(line, 3), Ok(command), "{line}");
        }
        for line in [
            "0",
            "4",
            "u",
            "e",
            "99999999999999999999999",
            "1 2",
            "r x",
            "b -1",
            "g",
            "g x",
            "w",
            "v 3",
            "bcak",
            "%",
            "-1",
        ] {
            assert!(parse(line, 3).is_err(), "{line}");
        }
        assert!(parse("chanels", 3).unwrap_err().contains("did you mean `channels`"));
    }
}
