//! What keys do in the panes of `lariat simulate -i`.

use crate::prompt::{self, Command};
use crate::simulate::Session;
use lariat::CheckError;
use lariat_render::documents::StatementPlace;
use lariat_render::{EntryView, RunEnd, Standing, StateView, offers_text};
use ratatui_crossterm::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use std::collections::VecDeque;

/// More offers than these are not listed, though they can be chosen by number.
const MAX_LISTED: usize = 300;
/// How far a page key moves.
const PAGE: usize = 10;

/// A pane.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Pane {
    Steps,
    Run,
    Source,
    State,
}

/// In the order of the key Tab.
const PANES: [Pane; 4] = [Pane::Steps, Pane::Run, Pane::Source, Pane::State];

/// Whether to go on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Flow {
    Stay,
    End,
}

/// The state that the run is in, as it is shown.
pub(super) struct Here {
    /// What can happen: the first ones, as lines.
    pub(super) offers: Vec<String>,
    pub(super) entries: Vec<EntryView>,
    /// How many things can happen.
    pub(super) total: usize,
    pub(super) state: StateView,
    /// Where the processes stand, by name.
    pub(super) places: Vec<(String, Vec<StatementPlace>)>,
    /// How the run has ended, if it has.
    pub(super) end: Option<String>,
}

impl Here {
    fn new(session: &Session<'_>, standing: &Standing) -> Self {
        let (simulation, sources) = (&session.simulation, session.model.sources());
        let (system, total) = (simulation.system(), simulation.offers().len());
        let entries: Vec<EntryView> = (0..total.min(MAX_LISTED))
            .map(|number| EntryView::new(system, sources, &simulation.preview(number)))
            .collect();
        let end = session.end();
        Self {
            offers: offers_text(&session.run_style, &entries, total).lines().map(str::to_owned).collect(),
            entries,
            total,
            state: StateView::new(system, sources, simulation.state()),
            places: standing.places(system, simulation.state()),
            end: (end != RunEnd::Open).then(|| session.end_text(end)),
        }
    }
}

/// A line that is being typed; the cursor is a number of characters.
#[derive(Clone, Debug, Default)]
pub(super) struct Input {
    pub(super) text: Vec<char>,
    pub(super) cursor: usize,
    /// Which of the earlier lines it was begun with.
    earlier: Option<usize>,
}

impl Input {
    fn of(text: &str) -> Self {
        let text: Vec<char> = text.chars().collect();
        Self { cursor: text.len(), text, earlier: None }
    }
}

/// A run in panes.
pub(super) struct Panes<'s, 'm> {
    pub(super) session: &'s mut Session<'m>,
    standing: Standing,
    pub(super) here: Here,
    pub(super) focus: Pane,
    /// The offer that Enter takes.
    pub(super) chosen: usize,
    /// The place in the run so far that Enter goes to, in actions from the beginning.
    pub(super) picked: usize,
    /// How far the state is scrolled.
    pub(super) state_from: usize,
    /// How many lines the source is scrolled from where the chosen step is.
    pub(super) source_by: isize,
    /// The choices that were taken back, in the order in which they were made.
    undone: VecDeque<usize>,
    pub(super) input: Option<Input>,
    earlier: Vec<String>,
    pub(super) message: Vec<String>,
    pub(super) is_helping: bool,
    pub(super) has_colours: bool,
}

impl<'s, 'm> Panes<'s, 'm> {
    pub(super) fn new(session: &'s mut Session<'m>, has_colours: bool) -> Self {
        let standing = Standing::new(session.simulation.system(), session.model.sources());
        let here = Here::new(session, &standing);
        let picked = session.simulation.action_count();
        Self {
            session,
            standing,
            here,
            focus: Pane::Steps,
            chosen: 0,
            picked,
            state_from: 0,
            source_by: 0,
            undone: VecDeque::new(),
            input: None,
            earlier: Vec::new(),
            message: Vec::new(),
            is_helping: false,
            has_colours,
        }
    }

    /// How many steps were taken back and can be taken again.
    pub(super) fn undone(&self) -> usize {
        self.undone.len()
    }

    /// Shows a message.
    pub(super) fn say(&mut self, text: &str) {
        self.message = text.lines().map(|line| line.trim_end().to_owned()).filter(|line| !line.is_empty()).collect();
    }

    /// Does what the key is for.
    pub(super) fn key(&mut self, key: KeyEvent) -> Result<Flow, CheckError> {
        if self.input.is_some() {
            return self.edit(key);
        }
        if std::mem::take(&mut self.is_helping) {
            return Ok(Flow::Stay);
        }
        let letter = match key.code {
            KeyCode::Char(letter) if !key.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT) => letter,
            KeyCode::Char('d') if key.modifiers.contains(KeyModifiers::CONTROL) => 'q',
            _ => '\0',
        };
        match (key.code, letter) {
            (_, 'q') => return Ok(Flow::End),
            (_, 'h' | '?') => self.is_helping = true,
            (KeyCode::Tab, _) => self.turn(1),
            (KeyCode::BackTab, _) => self.turn(PANES.len() - 1),
            (KeyCode::Up, _) | (_, 'k') => self.move_by(-1),
            (KeyCode::Down, _) | (_, 'j') => self.move_by(1),
            (KeyCode::PageUp, _) => self.move_by(-(PAGE as isize)),
            (KeyCode::PageDown, _) => self.move_by(PAGE as isize),
            (KeyCode::Home, _) => self.move_by(isize::MIN / 2),
            (KeyCode::End, _) => self.move_by(isize::MAX / 2),
            (KeyCode::Enter, _) if self.focus == Pane::Run => self.go_to(self.picked)?,
            (KeyCode::Enter, _) if self.here.total > 0 => return self.obey(Command::Take(self.chosen)),
            (KeyCode::Enter, _) | (_, ' ') => return self.obey(Command::Any),
            (KeyCode::Left | KeyCode::Backspace, _) | (_, 'b') => self.back(1)?,
            (KeyCode::Right, _) | (_, 'f') => self.again()?,
            (_, ':') => self.input = Some(Input::default()),
            (_, '0'..='9') => self.input = Some(Input::of(&letter.to_string())),
            // The commands that need more words, and a number of steps.
            (_, 'r' | 'u' | 'e' | 'g' | 'w') => self.input = Some(Input::of(&format!("{letter} "))),
            _ => {}
        }
        Ok(Flow::Stay)
    }

    fn turn(&mut self, by: usize) {
        let at = PANES.iter().position(|pane| *pane == self.focus).unwrap_or_default();
        self.focus = PANES[(at + by) % PANES.len()];
    }

    fn move_by(&mut self, lines: isize) {
        let moved = |at: usize, last: usize| at.saturating_add_signed(lines).min(last);
        match self.focus {
            Pane::Steps => {
                self.chosen = moved(self.chosen, self.here.entries.len().saturating_sub(1));
                self.source_by = 0;
            }
            Pane::Run => self.picked = moved(self.picked, self.session.simulation.action_count()),
            Pane::State => self.state_from = moved(self.state_from, self.state_lines().saturating_sub(1)),
            Pane::Source => self.source_by = self.source_by.saturating_add(lines).clamp(-100_000, 100_000),
        }
    }

    /// How many lines tell the state.
    fn state_lines(&self) -> usize {
        let StateView { variables, channels, processes, .. } = &self.here.state;
        variables.len() + channels.len() + processes.len()
    }

    /// Goes back to where the run was after as many actions.
    fn go_to(&mut self, actions: usize) -> Result<(), CheckError> {
        let taken = self.session.simulation.action_count();
        match actions.checked_sub(taken) {
            Some(0) => self.say("this is where the run is now"),
            // Steps that were taken back are still known.
            Some(more) if more <= self.undone.len() => {
                for _ in 0..more {
                    self.again()?;
                }
            }
            Some(_) => self.say(&format!("the run has {taken} steps so far; `r` takes more")),
            None => self.back(taken - actions)?,
        }
        Ok(())
    }

    fn back(&mut self, actions: usize) -> Result<(), CheckError> {
        if self.session.simulation.action_count() == 0 {
            self.say("this is the beginning");
            return Ok(());
        }
        let taken_back = self.session.back(actions);
        taken_back.into_iter().rev().for_each(|choice| self.undone.push_front(choice));
        self.moved();
        Ok(())
    }

    /// Takes again what was taken back.
    fn again(&mut self) -> Result<(), CheckError> {
        let Some(choice) = self.undone.pop_front() else {
            self.say("no step was taken back; Enter takes the chosen one");
            return Ok(());
        };
        self.session.take(choice)?;
        self.moved();
        Ok(())
    }

    /// The run is at another place.
    fn moved(&mut self) {
        self.here = Here::new(self.session, &self.standing);
        (self.chosen, self.picked) = (0, self.session.simulation.action_count());
        self.source_by = 0;
        let text = self.session.screen.take_kept();
        self.say(&text);
    }

    fn obey(&mut self, command: Command) -> Result<Flow, CheckError> {
        match command {
            Command::Quit => return Ok(Flow::End),
            Command::Help => self.is_helping = true,
            Command::Back(steps) => self.back(steps)?,
            Command::Goto(step) => self.go_to(step)?,
            command => {
                let before = self.session.simulation.action_count();
                prompt::obey(self.session, command)?;
                if self.session.simulation.action_count() != before {
                    self.undone.clear();
                    self.moved();
                } else {
                    let text = self.session.screen.take_kept();
                    self.say(&text);
                }
            }
        }
        Ok(Flow::Stay)
    }

    /// A key while a line is typed.
    fn edit(&mut self, key: KeyEvent) -> Result<Flow, CheckError> {
        let Some(input) = &mut self.input else { return Ok(Flow::Stay) };
        match key.code {
            KeyCode::Esc => self.input = None,
            KeyCode::Enter => {
                let line: String = std::mem::take(&mut input.text).into_iter().collect();
                self.input = None;
                let line = line.trim().to_owned();
                if line.is_empty() {
                    return Ok(Flow::Stay);
                }
                self.earlier.push(line.clone());
                match prompt::parse(&line, self.here.total) {
                    Ok(command) => return self.obey(command),
                    Err(words) => self.say(&words),
                }
            }
            KeyCode::Char(letter) if !key.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT) => {
                input.text.insert(input.cursor, letter);
                input.cursor += 1;
            }
            KeyCode::Backspace if input.cursor > 0 => {
                input.cursor -= 1;
                input.text.remove(input.cursor);
            }
            KeyCode::Backspace if input.text.is_empty() => self.input = None,
            KeyCode::Delete if input.cursor < input.text.len() => {
                input.text.remove(input.cursor);
            }
            KeyCode::Left => input.cursor = input.cursor.saturating_sub(1),
            KeyCode::Right => input.cursor = (input.cursor + 1).min(input.text.len()),
            KeyCode::Home => input.cursor = 0,
            KeyCode::End => input.cursor = input.text.len(),
            KeyCode::Up => {
                let at = input.earlier.unwrap_or(self.earlier.len());
                if let Some(before) = at.checked_sub(1) {
                    *input = Input { earlier: Some(before), ..Input::of(&self.earlier[before]) };
                }
            }
            KeyCode::Down => {
                let after = input.earlier.map_or(self.earlier.len(), |at| at + 1);
                *input = match self.earlier.get(after) {
                    Some(line) => Input { earlier: Some(after), ..Input::of(line) },
                    None => Input::default(),
                };
            }
            _ => {}
        }
        Ok(Flow::Stay)
    }
}
