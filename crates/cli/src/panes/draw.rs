//! The panes of `lariat simulate -i`, as they are seen.

use super::walk::{Pane, Panes};
use lariat_base::SourceFile;
use ratatui_core::layout::{Constraint, Layout, Position, Rect};
use ratatui_core::style::{Color, Modifier, Style};
use ratatui_core::terminal::Frame;
use ratatui_core::text::{Line, Span};
use ratatui_widgets::block::Block;
use ratatui_widgets::borders::BorderType;
use ratatui_widgets::clear::Clear;
use ratatui_widgets::paragraph::{Paragraph, Wrap};

/// From this width on there are two columns.
const WIDE: u16 = 96;
/// Below this height there are two panes only: what can happen, and the one with the focus.
const HIGH: u16 = 18;
/// At most as many lines of a message are shown: the last ones.
const MOST_MESSAGE: usize = 6;
/// Columns before a line of the source: who stands there.
const GUTTER: usize = 5;

const KEYS: &str = "? help  q end  Enter take  Space random  ←/→ back, again  ↑↓ choose  Tab pane  : command";
const HELP: [&str; 16] = [
    "Enter        take the chosen step; in the pane `Run`: go back to that place",
    "Space        take a random step",
    "← b          take a step back; → f takes it again",
    "↑ ↓ PgUp PgDn Home End   choose a step, or scroll",
    "Tab          the next pane; its frame is drawn double",
    "3 Enter      take step 3",
    "r 10         take 10 random steps",
    "u x == 3     take random steps until a condition holds, at most 100000",
    "e x + 1      the value of an expression in this state",
    "g 4          go back to where the run was after 4 steps",
    "w run.json   write the run to a file, for `replay`, `report` and `--from`",
    ":            any command of the prompt; ↑ ↓ bring earlier ones back, Esc leaves",
    "q Ctrl-C     end",
    "",
    "`*` marks what the last step changed; numbers before lines of the source are",
    "the processes that stand there; `>` is the chosen step.",
];

const PROCESS_COLOURS: [Color; 6] = [Color::Cyan, Color::Magenta, Color::Yellow, Color::Blue, Color::Green, Color::Red];

/// Draws everything.
pub(super) fn draw(frame: &mut Frame<'_>, panes: &Panes<'_, '_>) {
    let area = frame.area();
    let said = said(panes);
    let [above, below, last] = Layout::vertical([
        Constraint::Min(3),
        Constraint::Length(said.len().try_into().unwrap_or(u16::MAX)),
        Constraint::Length(1),
    ])
    .areas(area);
    for (pane, area) in arrangement(panes.focus, above) {
        match pane {
            Pane::Steps => steps(frame, panes, area),
            Pane::Run => run(frame, panes, area),
            Pane::Source => source(frame, panes, area),
            Pane::State => state(frame, panes, area),
        }
    }
    frame.render_widget(Paragraph::new(said), below);
    match &panes.input {
        None => frame.render_widget(Paragraph::new(Line::styled(KEYS, faint(panes))), last),
        Some(input) => {
            let text: String = input.text.iter().collect();
            let before: String = input.text[..input.cursor].iter().collect();
            frame.render_widget(Paragraph::new(format!(":{text}")), last);
            let column = Line::raw(before).width().try_into().unwrap_or(u16::MAX);
            frame.set_cursor_position(Position::new(last.x.saturating_add(1).saturating_add(column), last.y));
        }
    }
    if panes.is_helping {
        help(frame, area);
    }
}

/// Where the panes are.
fn arrangement(focus: Pane, area: Rect) -> Vec<(Pane, Rect)> {
    use Constraint::{Fill, Percentage};
    if area.height < HIGH {
        let other = if focus == Pane::Steps { Pane::State } else { focus };
        let [first, second] = Layout::vertical([Percentage(45), Fill(1)]).areas(area);
        return vec![(Pane::Steps, first), (other, second)];
    }
    if area.width < WIDE {
        let rows = [Percentage(25), Percentage(25), Fill(1), Percentage(22)];
        let [steps, state, source, run] = Layout::vertical(rows).areas(area);
        return vec![(Pane::Steps, steps), (Pane::State, state), (Pane::Source, source), (Pane::Run, run)];
    }
    let [left, right] = Layout::horizontal([Percentage(52), Fill(1)]).areas(area);
    let [steps, run] = Layout::vertical([Percentage(45), Fill(1)]).areas(left);
    let [source, state] = Layout::vertical([Percentage(55), Fill(1)]).areas(right);
    vec![(Pane::Steps, steps), (Pane::Run, run), (Pane::Source, source), (Pane::State, state)]
}

fn steps(frame: &mut Frame<'_>, panes: &Panes<'_, '_>, area: Rect) {
    let here = &panes.here;
    let lines = here.offers.iter().enumerate().map(|(number, text)| {
        let pid = here.entries.get(number).and_then(|entry| entry.actor.pid);
        Line::styled(text.clone(), of_process(panes, pid))
    });
    let title = match here.total {
        0 => "Nothing can happen".to_owned(),
        1 => "1 possible step".to_owned(),
        total => format!("{total} possible steps"),
    };
    let chosen = (here.total > 0).then_some(panes.chosen);
    list(frame, panes, Pane::Steps, &title, lines.collect(), chosen, area);
}

fn run(frame: &mut Frame<'_>, panes: &Panes<'_, '_>, area: Rect) {
    let log = panes.session.log.as_deref().unwrap_or_default();
    let mut lines = vec![Line::raw("  0  the beginning")];
    lines.extend(log.iter().map(|logged| Line::styled(logged.text.clone(), of_process(panes, logged.pid))));
    let undone = match panes.undone() {
        0 => String::new(),
        count => format!(", {count} taken back"),
    };
    let title =
        format!("Run: {}{undone}", if log.len() == 1 { "1 step".to_owned() } else { format!("{} steps", log.len()) });
    list(frame, panes, Pane::Run, &title, lines, Some(panes.picked), area);
}

/// Lines of which one is chosen, and seen.
fn list(
    frame: &mut Frame<'_>,
    panes: &Panes<'_, '_>,
    pane: Pane,
    title: &str,
    mut lines: Vec<Line<'_>>,
    chosen: Option<usize>,
    area: Rect,
) {
    let height = usize::from(area.height.saturating_sub(2));
    if let Some(line) = chosen.and_then(|chosen| lines.get_mut(chosen)) {
        let marked = if panes.focus == pane { Modifier::REVERSED } else { Modifier::BOLD };
        line.style = line.style.add_modifier(marked);
    }
    let from = chosen.map_or(0, |chosen| first_shown(chosen, lines.len(), height));
    let shown: Vec<Line<'_>> = lines.into_iter().skip(from).take(height).collect();
    frame.render_widget(Paragraph::new(shown).block(framed(panes, pane, title)), area);
}

/// The first line that is shown where one line of `all` is to be near the middle.
fn first_shown(wanted: usize, all: usize, height: usize) -> usize {
    wanted.saturating_sub(height / 2).min(all.saturating_sub(height))
}

fn source(frame: &mut Frame<'_>, panes: &Panes<'_, '_>, area: Rect) {
    let here = &panes.here;
    let sources = panes.session.model.sources();
    let chosen = here.entries.get(panes.chosen).map(|entry| &entry.actor).filter(|actor| actor.line > 0);
    let standing = || here.places.iter().flat_map(|(name, places)| places.iter().map(move |place| (name, place)));
    let number = match chosen {
        Some(actor) => sources.files().find(|(_, file)| file.name == actor.file).map(|(id, _)| id.0),
        None => standing().next().map(|(_, place)| place[0]),
    };
    let found = number.and_then(|number| sources.files().find(|(id, _)| id.0 == number));
    let Some((id, file)) = found.or_else(|| sources.files().find(|(_, file)| !file.name.starts_with('<'))) else {
        return frame.render_widget(framed(panes, Pane::Source, "Source"), area);
    };
    let height = usize::from(area.height.saturating_sub(2));
    let all = file.text.lines().count();
    let first_standing = standing().find(|(_, place)| place[0] == id.0).map(|(_, place)| place[1]);
    let centre = chosen.map(|actor| actor.line).or(first_standing).unwrap_or(1) as usize;
    let from = first_shown(centre.saturating_sub(1), all, height);
    let from = from.saturating_add_signed(panes.source_by).min(all.saturating_sub(height));
    let lines = file.text.lines().enumerate().skip(from).take(height).map(|(index, text)| {
        let line = index as u32 + 1;
        let names = standing().filter(|(_, place)| place[0] == id.0 && place[1] == line).map(|(name, _)| &**name);
        let is_chosen = chosen.is_some_and(|actor| actor.line == line);
        source_line(panes, line, text, &names.collect::<Vec<_>>(), is_chosen)
    });
    let lines: Vec<Line<'_>> = lines.collect();
    frame.render_widget(Paragraph::new(lines).block(framed(panes, Pane::Source, name_of(file))), area);
}

fn name_of(file: &SourceFile) -> &str {
    &file.name
}

/// A line of the source, with the processes that stand there before it.
fn source_line<'l>(panes: &Panes<'_, '_>, number: u32, text: &str, names: &[&str], is_chosen: bool) -> Line<'l> {
    let mut positions: Vec<u8> = names.iter().filter_map(|name| position_of(name)).collect();
    positions.dedup();
    let who = positions.iter().map(u8::to_string).collect::<Vec<_>>().join(",");
    let who = if who.chars().count() > GUTTER { format!("{} pr.", positions.len()) } else { who };
    let style = of_process(panes, positions.first().copied());
    let mark = if is_chosen { ">" } else { " " };
    let body = match (is_chosen, positions.is_empty()) {
        (true, _) => style.add_modifier(Modifier::BOLD),
        (false, true) => Style::new(),
        (false, false) => style,
    };
    Line::from(vec![
        Span::styled(format!("{who:>GUTTER$}"), style.add_modifier(Modifier::BOLD)),
        Span::styled(format!(" {number:>4}{mark} "), faint(panes)),
        Span::styled(text.replace('\t', "    "), body),
    ])
}

/// The position of a process, of its name `P(3)`.
fn position_of(name: &str) -> Option<u8> {
    name.strip_suffix(')')?.rsplit_once('(')?.1.parse().ok()
}

fn state(frame: &mut Frame<'_>, panes: &Panes<'_, '_>, area: Rect) {
    let view = &panes.here.state;
    let last = panes.session.log.as_ref().and_then(|log| log.last());
    let has_changed = |name: &str| last.is_some_and(|last| last.changed.iter().any(|changed| changed == name));
    let value = |name: &str, text: String| {
        let (mark, style) = match has_changed(name) {
            true => ("* ", Style::new().add_modifier(Modifier::BOLD)),
            false => ("  ", Style::new()),
        };
        let style = if has_changed(name) && panes.has_colours { style.fg(Color::Yellow) } else { style };
        Line::styled(format!("{mark}{text}"), style)
    };
    let variables = view.variables.iter().map(|(name, shown)| value(name, format!("{name} = {shown}")));
    let channels = view.channels.iter().map(|(name, shown, room)| {
        let count = if let lariat_render::Shown::Messages(messages) = shown { messages.len() } else { 0 };
        value(name, format!("{name} = {shown}  ({count} of {room})"))
    });
    let processes = view.processes.iter().map(|text| Line::styled(format!("  {text}"), faint(panes)));
    let lines: Vec<Line<'_>> = variables.chain(channels).chain(processes).collect();
    let height = usize::from(area.height.saturating_sub(2));
    let from = panes.state_from.min(lines.len().saturating_sub(height));
    let title = if lines.len() > height { format!("State ({} lines)", lines.len()) } else { "State".to_owned() };
    let shown: Vec<Line<'_>> = lines.into_iter().skip(from).take(height).collect();
    frame.render_widget(Paragraph::new(shown).block(framed(panes, Pane::State, &title)), area);
}

/// What the last command said, and how the run has ended.
fn said<'l>(panes: &Panes<'_, '_>) -> Vec<Line<'l>> {
    let message = &panes.message[panes.message.len().saturating_sub(MOST_MESSAGE)..];
    let mut lines: Vec<Line<'l>> = message.iter().map(|line| Line::raw(line.clone())).collect();
    let end = panes.here.end.as_deref().unwrap_or_default();
    let style = Style::new().add_modifier(Modifier::BOLD);
    let style = if panes.has_colours { style.fg(Color::Red) } else { style };
    lines.extend(end.lines().take(MOST_MESSAGE).map(|line| Line::styled(line.to_owned(), style)));
    lines
}

fn help(frame: &mut Frame<'_>, area: Rect) {
    let (width, height) = (82.min(area.width), (HELP.len() as u16 + 2).min(area.height));
    let place = Rect::new((area.width - width) / 2, (area.height - height) / 2, width, height);
    let text: Vec<Line<'_>> = HELP.iter().map(|line| Line::raw(*line)).collect();
    let block = Block::bordered().title(" Keys (any key goes on) ");
    frame.render_widget(Clear, place);
    frame.render_widget(Paragraph::new(text).wrap(Wrap { trim: false }).block(block), place);
}

fn framed<'b>(panes: &Panes<'_, '_>, pane: Pane, title: &str) -> Block<'b> {
    let kind = if panes.focus == pane { BorderType::Double } else { BorderType::Plain };
    Block::bordered().border_type(kind).title(format!(" {title} "))
}

fn of_process(panes: &Panes<'_, '_>, position: Option<u8>) -> Style {
    match position {
        Some(position) if panes.has_colours => {
            Style::new().fg(PROCESS_COLOURS[usize::from(position) % PROCESS_COLOURS.len()])
        }
        _ => Style::new(),
    }
}

fn faint(panes: &Panes<'_, '_>) -> Style {
    if panes.has_colours { Style::new().add_modifier(Modifier::DIM) } else { Style::new() }
}
