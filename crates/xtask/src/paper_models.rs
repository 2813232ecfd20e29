//! The programs of Kesten, Pnueli, Raviv and Shahar (2006) as SMV models of any size: DINE, DINE with a contrary philosopher,
//! TERM-DET and CYCLE. `models/fairness` has the small ones; `cargo xtask fair-model` prints others, and `cargo xtask tables`
//! measures them.
//!
//! Processes are modules, and an input says whose turn it is. What is held of a fork is told by where its two philosophers are,
//! so forks are no variables.

use std::fmt::Write;

/// A program of the paper.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub(crate) enum Program {
    /// Dining philosophers who take the fork on the same side first.
    Dine,
    /// Dining philosophers, the first of whom takes the other fork first.
    DineContrary,
    /// Termination detection by a token that goes round a ring.
    TermDet,
    /// Processes that each go through six places for ever.
    Cycle,
    /// The same with ten places.
    CycleTen,
    /// Not of the paper: one server of many clients, with compassion for each of them.
    Server,
    /// The same, where an input chooses the client, and compassion speaks of that input.
    ServerByInput,
}

/// How compassion is said.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub(crate) enum Compassion {
    /// As compassion.
    Native,
    /// For the second fork, as an antecedent of the property.
    OneAntecedent,
    /// For both forks.
    Antecedents,
    /// For the second fork, as justice, with a further variable.
    OneJustice,
    /// For both forks.
    Justice,
}

/// Which model.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct PaperModel {
    pub(crate) program: Program,
    pub(crate) processes: usize,
    pub(crate) compassion: Compassion,
    /// Of CYCLE: one justice requirement for each process instead of one for each place.
    pub(crate) one_justice: bool,
}

impl PaperModel {
    /// The model with native fairness.
    pub(crate) fn new(program: Program, processes: usize) -> Self {
        Self { program, processes, compassion: Compassion::Native, one_justice: false }
    }

    /// Its text.
    pub(crate) fn text(&self) -> String {
        match self.program {
            Program::Dine => self.dine(false),
            Program::DineContrary => self.dine(true),
            Program::TermDet => term_det(self.processes),
            Program::Cycle => self.cycle(6),
            Program::CycleTen => self.cycle(10),
            Program::Server => server(self.processes, false),
            Program::ServerByInput => server(self.processes, true),
        }
    }

    fn dine(&self, contrary: bool) -> String {
        let n = self.processes;
        let after = |number: usize| number % n + 1;
        let before = |number: usize| (number + n - 2) % n + 1;
        // The forks that a philosopher takes first and second.
        let forks = |number: usize| match contrary && number == 1 {
            true => (after(number), number),
            false => (number, after(number)),
        };
        let mut text = format!("MODULE main\nIVAR turn : 1..{n};\nVAR\n");
        for number in 1..=n {
            let (first, second) = forks(number);
            writeln!(text, "  p{number} : philosopher(turn = {number}, free{first}, free{second});")
                .expect("a text grows");
        }
        text.push_str("DEFINE\n");
        for fork in 1..=n {
            // It is between the philosopher of its number and the one before.
            let held = |number: usize| match forks(number).0 == fork {
                true => format!("p{number}.holds_first"),
                false => format!("p{number}.holds_second"),
            };
            writeln!(text, "  free{fork} := !({} | {});", held(fork), held(before(fork))).expect("a text grows");
        }
        let place = |number: usize, at: &str| format!("p{number}.at = {at}");
        let requirements = |number: usize| {
            let (first, second) = forks(number);
            [
                (format!("{} & free{first}", place(number, "hungry")), place(number, "has_one")),
                (format!("{} & free{second}", place(number, "has_one")), place(number, "eats")),
            ]
        };
        let antecedents = match self.compassion {
            Compassion::OneAntecedent => 1..2,
            Compassion::Antecedents => 0..2,
            _ => 0..0,
        };
        let asked = (1..=n).flat_map(|number| requirements(number)[antecedents.clone()].to_vec());
        let asked: Vec<String> = asked.map(|(asked, given)| format!("(G F ({asked}) -> G F {given})")).collect();
        let accessible = "G (p1.at = hungry -> F p1.at = eats)";
        match asked.is_empty() {
            true => writeln!(text, "LTLSPEC NAME accessible := {accessible}").expect("a text grows"),
            false => writeln!(text, "LTLSPEC NAME accessible := ({}) -> {accessible}", asked.join(" & "))
                .expect("a text grows"),
        }
        text.push_str(PHILOSOPHER);
        let native = match self.compassion {
            Compassion::Native => [true, true],
            Compassion::OneAntecedent | Compassion::OneJustice => [true, false],
            Compassion::Antecedents | Compassion::Justice => [false, false],
        };
        let as_justice = match self.compassion {
            Compassion::OneJustice => [false, true],
            Compassion::Justice => [true, true],
            _ => [false, false],
        };
        let of_module = [("hungry", "first_free", "has_one"), ("has_one", "second_free", "eats")];
        for (number, (at, free, next)) in of_module.into_iter().enumerate() {
            if native[number] {
                writeln!(text, "COMPASSION (at = {at} & {free}, at = {next})").expect("a text grows");
            }
            if as_justice[number] {
                // Once it is so, nothing is asked for any more.
                let asked = format!("at = {at} & {free}");
                writeln!(
                    text,
                    "VAR never{number} : boolean;\nINIT !never{number}\nTRANS never{number} -> !({asked}) & next(never{number})\n\
                     JUSTICE never{number} | at = {next}"
                )
                .expect("a text grows");
            }
        }
        text
    }

    fn cycle(&self, places: usize) -> String {
        let n = self.processes;
        let mut text = format!("MODULE main\nIVAR turn : 1..{n};\nVAR\n");
        for number in 1..=n {
            writeln!(text, "  p{number} : process_of_cycle(turn = {number});").expect("a text grows");
        }
        write!(
            text,
            "LTLSPEC NAME accessible := G (p1.at = 2 -> F p1.at = {places})\n\nMODULE process_of_cycle(my_turn)\nVAR at : \
             1..{places};\nASSIGN\n  init(at) := 1;\n  next(at) := case\n      !my_turn : at;\n      at = 1 : {{1, 2}};\n      \
             at = {places} : 1;\n      TRUE : at + 1;\n    esac;\n"
        )
        .expect("a text grows");
        match self.one_justice {
            true => text.push_str("JUSTICE at = 1\n"),
            false => {
                (2..=places).for_each(|place| writeln!(text, "JUSTICE at != {place}").expect("a text grows"));
            }
        }
        text
    }
}

const PHILOSOPHER: &str = "
MODULE philosopher(my_turn, first_free, second_free)
VAR at : {begins, thinks, hungry, has_one, eats, puts_first, puts_second};
DEFINE
  holds_first := at in {has_one, eats, puts_first};
  holds_second := at in {eats, puts_first, puts_second};
ASSIGN
  init(at) := begins;
  next(at) := case
      !my_turn : at;
      at = begins : thinks;
      at = thinks : {thinks, hungry};
      at = hungry & first_free : has_one;
      at = has_one & second_free : eats;
      at = eats : puts_first;
      at = puts_first : puts_second;
      at = puts_second : begins;
      TRUE : at;
    esac;
JUSTICE at != begins
JUSTICE at != eats
JUSTICE at != puts_first
JUSTICE at != puts_second
";

fn term_det(n: usize) -> String {
    let mut text = format!("MODULE main\nIVAR turn : 1..{};\nVAR\n", 2 * n);
    for number in 1..=n {
        let (next, before) = (number % n + 1, (number + n - 2) % n + 1);
        let (works, passes) = (2 * number - 1, 2 * number);
        let is_first = if number == 1 { "TRUE" } else { "FALSE" };
        writeln!(
            text,
            "  work{number} : worker(turn = {works}, some_active, pass{number}.sends);\n  pass{number} : passer(turn = \
             {passes}, {is_first}, work{number}, box{number}.content, box{next}.content);\n  box{number} : \
             mailbox(pass{before}.sends, pass{before}.sent, pass{number}.receives);"
        )
        .expect("a text grows");
    }
    let active: Vec<String> = (1..=n).map(|number| format!("work{number}.active")).collect();
    writeln!(
        text,
        "DEFINE some_active := {};\nLTLSPEC NAME detected := G (!some_active -> F pass1.at = done)",
        active.join(" | ")
    )
    .expect("a text grows");
    text.push_str(RING);
    text
}

/// Compassion for each client. That the last one is served for ever and ever holds by its own constraint; a run that violates the
/// second property must serve all of them.
fn server(n: usize, by_input: bool) -> String {
    let (input, next) = match by_input {
        true => (format!("IVAR chosen : 0..{n};\n"), "chosen".to_owned()),
        false => (String::new(), format!("0..{n}")),
    };
    let mut text = format!(
        "MODULE main\n{input}VAR at : 0..{n};\nASSIGN\n  init(at) := 0;\n  next(at) := at = 0 ? {next} : 0;\nLTLSPEC NAME \
         serves_last := G F at = {n}\nLTLSPEC NAME forgets_last := F G at != {n}\n"
    );
    for client in 1..=n {
        let given = if by_input { format!("at = 0 & chosen = {client}") } else { format!("at = {client}") };
        writeln!(text, "COMPASSION (at = 0, {given})").expect("a text grows");
    }
    text
}

const RING: &str = "
MODULE worker(my_turn, some_active, token_leaves)
VAR
  at : {begins, works, stops, waits};
  active : boolean;
  changed : boolean;
ASSIGN
  init(at) := begins;
  next(at) := case
      !my_turn : at;
      at = begins : works;
      at = works : {works, stops};
      at = stops : waits;
      at = waits & some_active : {waits, begins};
      TRUE : at;
    esac;
  init(active) := TRUE;
  next(active) := case
      at = stops & next(at) = waits : FALSE;
      at = waits & next(at) = begins : TRUE;
      TRUE : active;
    esac;
  init(changed) := FALSE;
  next(changed) := case
      at = waits & next(at) = begins : TRUE;
      token_leaves : FALSE;
      TRUE : changed;
    esac;
JUSTICE at != begins
JUSTICE at != stops

MODULE passer(my_turn, is_first, worker, inbox, outbox)
VAR
  at : {begins, chooses, starts, receives_token, looks, done, decides, counts, holds, ready};
  has_to_start : boolean;
  token : 0..2;
DEFINE
  receives := my_turn & at = receives_token & inbox != 0;
  sends := my_turn & at = ready & outbox = 0;
  sent := token = 2 & !worker.changed ? 2 : 1;
ASSIGN
  init(at) := begins;
  next(at) := case
      !my_turn : at;
      at = begins : chooses;
      at = chooses : has_to_start ? starts : receives_token;
      at = starts : looks;
      at = receives_token & inbox != 0 : looks;
      at = looks : is_first & token = 2 ? done : decides;
      at = decides : is_first ? counts : holds;
      at = counts : holds;
      at = holds & !worker.active : ready;
      at = ready & outbox = 0 : begins;
      TRUE : at;
    esac;
  init(has_to_start) := is_first;
  next(has_to_start) := at = starts & my_turn ? FALSE : has_to_start;
  init(token) := 0;
  next(token) := case
      receives : inbox;
      my_turn & at = counts : token = 0 ? 1 : 2;
      TRUE : token;
    esac;
JUSTICE at != begins
JUSTICE at != chooses
JUSTICE at != starts
JUSTICE !(at = receives_token & inbox != 0)
JUSTICE at != looks
JUSTICE at != decides
JUSTICE at != counts
JUSTICE !(at = holds & !worker.active)
JUSTICE !(at = ready & outbox = 0)

MODULE mailbox(arrives, token, leaves)
VAR content : 0..2;
ASSIGN
  init(content) := 0;
  next(content) := arrives ? token : leaves ? 0 : content;
";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shipped_models_are_what_is_printed() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/fairness");
        for (file, program, processes) in [
            ("dine_3.smv", Program::Dine, 3),
            ("dine_contrary_3.smv", Program::DineContrary, 3),
            ("term_det_2.smv", Program::TermDet, 2),
            ("cycle_3.smv", Program::Cycle, 3),
        ] {
            let shipped = std::fs::read_to_string(folder.join(file)).expect("it is shipped");
            let printed = PaperModel::new(program, processes).text();
            assert!(shipped.ends_with(&printed), "{file} ends with what is printed:\n{printed}");
        }
    }
}
