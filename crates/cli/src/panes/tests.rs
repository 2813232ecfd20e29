//! Keys go in, and what is seen is compared.

use super::draw;
use super::walk::{Flow, Pane, Panes};
use crate::args::{Cli, Command, SimulateArgs};
use crate::simulate::Session;
use clap::Parser;
use lariat::{Model, ReadOptions};
use ratatui_core::backend::TestBackend;
use ratatui_core::terminal::Terminal;
use ratatui_crossterm::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

const MODEL: &str = "\
byte x;
chan q = [2] of { byte };
active proctype Sender() {
	x = 3;
	q!x;
	printf(\"sent\\n\")
}
active proctype Receiver() {
	byte got;
	q?got;
	assert(got == 4)
}
";

/// Does something with the panes of a run of the model.
fn with_panes(text: &str, run: impl FnOnce(&mut Panes<'_, '_>)) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("m.pml");
    std::fs::write(&path, text).expect("written");
    let model = Model::read(&path, &ReadOptions::default()).expect("a model");
    let path = path.display().to_string();
    let cli = Cli::try_parse_from(["lariat", "simulate", "-i", "--seed", "1", &path]).expect("a command line");
    let Command::Simulate(arguments): Command = cli.command else { panic!("another command") };
    let arguments: SimulateArgs = arguments;
    let interrupted = Arc::new(AtomicBool::new(false));
    let mut session = Session::new(&model, &arguments, &interrupted, true).expect("a session");
    session.screen.take_kept();
    run(&mut Panes::new(&mut session, true));
}

/// What is seen on a terminal of this size.
fn seen(panes: &Panes<'_, '_>, width: u16, height: u16) -> String {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).expect("a terminal");
    terminal.draw(|frame| draw::draw(frame, panes)).expect("drawn");
    let buffer = terminal.backend().buffer();
    let rows = buffer.content.chunks(usize::from(width.max(1)));
    rows.map(|row| row.iter().map(|cell| cell.symbol()).collect::<String>() + "\n").collect()
}

fn press(panes: &mut Panes<'_, '_>, key: KeyCode) -> Flow {
    panes.key(KeyEvent::new(key, KeyModifiers::NONE)).expect("no error")
}

fn type_in(panes: &mut Panes<'_, '_>, text: &str) {
    for letter in text.chars() {
        press(panes, if letter == '\n' { KeyCode::Enter } else { KeyCode::Char(letter) });
    }
}

#[track_caller]
fn assert_seen(panes: &Panes<'_, '_>, parts: &[&str]) {
    let all = seen(panes, 120, 40);
    parts.iter().for_each(|part| assert!(all.contains(part), "{part:?} in\n{all}"));
}

#[test]
fn panes_show_steps_run_source_and_state() {
    with_panes(MODEL, |panes| {
        assert_seen(panes, &["1 possible step", "x = 3", "Run: 0 steps", "x = 0", "q = []", "   0    4> "]);
        assert_seen(panes, &["   1   10 ", "q?got", "Receiver(1) at", "Enter take"]);
        press(panes, KeyCode::Enter);
        assert_seen(panes, &["Run: 1 step", "* x = 3", "x: 0 → 3", "   0    5> "]);
        press(panes, KeyCode::Enter);
        assert_seen(panes, &["2 possible steps", "* q = [3]  (1 of 2)", "  x = 3"]);
        // The printed text is shown below.
        let prints = |panes: &Panes<'_, '_>| panes.here.entries.iter().position(|entry| entry.printed.is_some());
        let number = prints(panes).expect("the sender can print");
        type_in(panes, &format!("{}\n", number + 1));
        assert!(panes.message.iter().any(|line| line.contains("sent")), "{:?}", panes.message);
    });
}

#[test]
fn the_run_goes_back_and_again_to_the_same_states() {
    with_panes(MODEL, |panes| {
        let mut past = vec![panes.session.simulation.state().clone()];
        for _ in 0..4 {
            press(panes, KeyCode::Char(' '));
            past.push(panes.session.simulation.state().clone());
        }
        press(panes, KeyCode::Left);
        press(panes, KeyCode::Char('b'));
        assert_seen(panes, &["Run: 2 steps, 2 taken back"]);
        assert_eq!(*panes.session.simulation.state(), past[2]);
        press(panes, KeyCode::Right);
        assert_eq!(*panes.session.simulation.state(), past[3]);
        // To the beginning, chosen in the pane of the run; and forward again by number.
        press(panes, KeyCode::Tab);
        assert_eq!(panes.focus, Pane::Run);
        press(panes, KeyCode::Home);
        press(panes, KeyCode::Enter);
        assert_eq!(*panes.session.simulation.state(), past[0]);
        assert_seen(panes, &["Run: 0 steps, 4 taken back"]);
        type_in(panes, "g4\n");
        assert_eq!(*panes.session.simulation.state(), past[4]);
        // Another choice forgets what was taken back.
        type_in(panes, "b 3\n");
        type_in(panes, "b");
        assert!(panes.undone() >= 1);
        press(panes, KeyCode::Char(' '));
        assert_eq!(panes.undone(), 0);
        assert_eq!(panes.session.log.as_ref().expect("a log").len(), panes.session.simulation.action_count());
    });
}

#[test]
fn lines_are_the_commands_of_the_prompt() {
    with_panes(MODEL, |panes| {
        type_in(panes, ":until len(q) > 0\n");
        assert!(panes.message.iter().any(|line| line.contains("`len(q) > 0` holds")), "{:?}", panes.message);
        type_in(panes, "ex + 1\n");
        assert_eq!(panes.message, ["  x + 1 = 4"]);
        type_in(panes, ":nonsense\n");
        assert!(panes.message[0].contains("no command `nonsense`"), "{:?}", panes.message);
        // The line before comes back, is changed in the middle, and is left.
        press(panes, KeyCode::Char(':'));
        press(panes, KeyCode::Up);
        press(panes, KeyCode::Up);
        assert_seen(panes, &[":e x + 1"]);
        press(panes, KeyCode::Backspace);
        type_in(panes, "3\n");
        assert_eq!(panes.message, ["  x + 3 = 6"]);
        type_in(panes, ":xyz");
        assert_eq!(press(panes, KeyCode::Esc), Flow::Stay);
        assert!(panes.input.is_none());
        type_in(panes, "?");
        assert_seen(panes, &["Keys (any key goes on)", "PgUp"]);
        press(panes, KeyCode::Char('q'));
        assert!(!panes.is_helping);
        type_in(panes, "99\n");
        assert!(panes.message[0].contains("there is no step 99"), "{:?}", panes.message);
        press(panes, KeyCode::Char(':'));
        type_in(panes, "quit");
        assert_eq!(press(panes, KeyCode::Enter), Flow::End);
    });
}

#[test]
fn the_end_says_what_went_wrong() {
    with_panes(MODEL, |panes| {
        type_in(panes, "r100\n");
        assert_seen(panes, &["assertion violated", "got = 3"]);
        // Nothing more can happen, and keys say so instead of failing.
        press(panes, KeyCode::Enter);
        press(panes, KeyCode::Char(' '));
    });
    with_panes("chan q = [0] of { bit };\nactive proctype P() { q!1 }\n", |panes| {
        assert_seen(panes, &["Nothing can happen", "invalid end state", "deadlock"]);
        press(panes, KeyCode::Char(' '));
        assert!(panes.message[0].contains("nothing can happen"), "{:?}", panes.message);
    });
}

#[test]
fn no_size_of_a_terminal_is_too_small() {
    with_panes(MODEL, |panes| {
        press(panes, KeyCode::Enter);
        for width in [1, 2, 7, 20, 60, 95, 96, 200] {
            for height in [1, 2, 4, 9, 17, 18, 25, 60] {
                for _ in 0..4 {
                    seen(panes, width, height);
                    press(panes, KeyCode::Tab);
                    press(panes, KeyCode::PageDown);
                }
            }
        }
        press(panes, KeyCode::Char('?'));
        seen(panes, 3, 3);
        assert!(seen(panes, 80, 24).contains("Tab"));
    });
}
