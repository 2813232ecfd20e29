//! A language in one file: what it takes to add a front end. It is registered by the line in [`read`].
//!
//! A model has counters, and statements that may happen whenever they lead to a number within the limits:
//!
//! ```text
//! counter hour 0 3
//! add hour 1
//! reset hour
//! ltl noon [] <> (hour == 2)
//! ```

use lariat::front::{
    FrontEnd, FrontModel, ModelInOrder, Observed, PlainReader, Pool, PropertyKind, PropositionReader, StatedProperty,
    front_ends, read_text,
};
use lariat::{CheckError, CheckOptions, FairnessOptions, Limits, Model, ReadOptions, Rejected, Verdict};
use lariat_base::{Diagnostic, SourceMap, Span};
use lariat_logic::Propositions;
use lariat_system::{
    Action, BinaryOp, Choice, Expr, Label, LabelId, LabelMeaning, Place, Slot, SlotId, System, Type, Update,
};
use std::path::Path;

/// The front end.
struct Counters;

impl FrontEnd for Counters {
    fn language(&self) -> &'static str {
        "counters"
    }

    fn endings(&self) -> &'static [&'static str] {
        &["count"]
    }

    fn read(&self, path: &Path, _: &ReadOptions, sources: &mut SourceMap) -> Result<ModelInOrder, Vec<Diagnostic>> {
        let text = read_text(path).map_err(|error| vec![error])?;
        let file = sources.add(path.display().to_string(), text.as_str());
        let mut model = CounterModel { system: System::empty("counters"), stated: Vec::new() };
        model.system.proper_end = Expr::Const(0);
        let (mut errors, mut start) = (Vec::new(), 0);
        for line in text.split_inclusive('\n') {
            let place = Span::new(file, start, start + line.trim_end().len());
            errors.extend(model.read_line(line.trim_end(), place).err());
            start += line.len();
        }
        if errors.is_empty() { Ok(ModelInOrder { model: Box::new(model), warnings: Vec::new() }) } else { Err(errors) }
    }
}

/// A model: as it is so simple, it is kept as a system.
#[derive(Clone, Debug)]
struct CounterModel {
    system: System,
    stated: Vec<(StatedProperty, String)>,
}

impl CounterModel {
    fn read_line(&mut self, line: &str, place: Span) -> Result<(), Diagnostic> {
        let wrong = |message: String| Diagnostic::error(place, "T0001", message);
        let number = |word: &str| word.parse::<i64>().map_err(|_| wrong(format!("`{word}` is no number")));
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["counter", name, lo, hi] => {
                let (lo, hi) = (number(lo)?, number(hi)?);
                self.system.slots.push(Slot::new(name, Type::Int { lo, hi }, lo));
            }
            ["add", name, amount] => {
                let (place, lo, hi) = self.counter(name, place)?;
                let sum = place.clone().read().plus(Expr::Const(number(amount)?));
                // The new value is a choice within the limits that equals the sum.
                let mut action = Action::new(line, Vec::new());
                let value = Choice { name: format!("next({name})"), ty: Type::Int { lo, hi } };
                let value = Expr::Choice(action.choices.push(value));
                action.guard.condition.push(value.clone().equals(sum));
                action.updates.push(Update::Set(place, value));
                self.system.actions.push(action);
            }
            ["reset", name] => {
                let (place, lo, hi) = self.counter(name, place)?;
                let mut action = Action::new(line, Vec::new());
                action.guard.condition.push(place.clone().read().equals(Expr::Const(hi)));
                action.updates.push(Update::Set(place, Expr::Const(lo)));
                self.system.actions.push(action);
            }
            ["ltl", name, ..] => {
                let formula = line[line.find(name).expect("it is in the line") + name.len()..].trim();
                let place = Span { start: place.end - formula.len() as u32, ..place };
                let (name, kind) = (name.to_owned(), PropertyKind::Ltl);
                self.stated.push((StatedProperty { name, kind, place, on_request: false }, formula.to_owned()));
            }
            [] => {}
            _ => return Err(wrong(format!("`{line}` is no statement"))),
        }
        Ok(())
    }

    /// The counter of this name and its limits.
    fn counter(&self, name: &str, place: Span) -> Result<(Place, i64, i64), Diagnostic> {
        let found = self.system.slots.entries().find(|(_, slot)| slot.name == name);
        let counter: Option<(SlotId, &Slot)> = found;
        match counter.map(|(id, slot)| (id, slot.ty)) {
            Some((id, Type::Int { lo, hi })) => Ok((Place::global(id), lo, hi)),
            _ => Err(Diagnostic::error(place, "T0002", format!("there is no counter `{name}`"))),
        }
    }

    /// The condition that a proposition is: `hour == 2` or `hour < 2`.
    fn condition(&self, text: &str, place: Span) -> Result<Expr, Diagnostic> {
        let wrong = |message: String| Diagnostic::error(place, "T0003", message);
        let (op, sign) = if text.contains("==") { (BinaryOp::Eq, "==") } else { (BinaryOp::Lt, "<") };
        let (name, value) = text.split_once(sign).ok_or_else(|| wrong(format!("`{text}` is no condition")))?;
        let (counter, ..) = self.counter(name.trim(), place)?;
        let value = value.trim().parse().map_err(|_| wrong(format!("`{value}` is no number")))?;
        Ok(Expr::binary(op, counter.read(), Expr::Const(value)))
    }

    fn observing(&self, propositions: Propositions) -> Result<Observed, Vec<Diagnostic>> {
        let mut model = self.clone();
        let (mut labels, mut errors): (Vec<LabelId>, _) = (Vec::new(), Vec::new());
        for (_, proposition) in propositions.entries() {
            match self.condition(&proposition.text, proposition.span) {
                Ok(condition) => labels.push(model.system.labels.push(Label {
                    name: proposition.text.clone(),
                    meaning: LabelMeaning::State(condition),
                    span: proposition.span,
                })),
                Err(error) => errors.push(error),
            }
        }
        match errors.is_empty() {
            true => Ok(Observed { model: Box::new(model), propositions, labels, claim: None, misreads: Vec::new() }),
            false => Err(errors),
        }
    }
}

impl FrontModel for CounterModel {
    fn properties(&self) -> Vec<StatedProperty> {
        self.stated.iter().map(|(property, _)| property.clone()).collect()
    }

    fn pool(&self) -> Pool {
        Pool::Fixed { size: 0, at_beginning: 0 }
    }

    fn system(&self, _: u16) -> Result<System, Vec<Diagnostic>> {
        self.system.validate()?;
        Ok(self.system.clone())
    }

    fn reader(&self) -> Box<dyn PropositionReader + '_> {
        Box::new(PlainReader::new(&self.stated, |propositions| self.observing(propositions)))
    }
}

/// Reads a model; the front ends are ours and this one.
fn read(text: &str) -> Result<Model, Rejected> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("m.count");
    std::fs::write(&path, text).expect("it can be written");
    Model::read_by(&[front_ends(), &[&Counters]].concat(), &path, &ReadOptions::default())
}

fn verdicts(model: &mut Model, options: &CheckOptions) -> Vec<(String, &'static str)> {
    let control = Limits { memory_bytes: 1 << 28, time: None }.control();
    let checked = lariat::check(model, options, &control).expect("it can be checked");
    let verdict = |verdict: &Verdict| match verdict {
        Verdict::Holds => "holds",
        Verdict::Fails(_) => "fails",
        Verdict::Computed(_) => "computed",
        Verdict::Undecided(_) => "undecided",
    };
    checked.settled.iter().map(|settled| (settled.name().to_owned(), verdict(&settled.report().verdict))).collect()
}

const CLOCK: &str = "counter hour 0 3\nadd hour 1\nreset hour\nltl noon [] <> (hour == 2)\nltl early [] (hour < 3)\n";

#[test]
fn safety_and_formulas_are_settled() {
    let mut model = read(CLOCK).unwrap();
    let named = |name: &str, verdict| (name.to_owned(), verdict);
    let all = verdicts(&mut model, &CheckOptions::default());
    assert_eq!(all, [named("safety", "holds"), named("noon", "holds"), named("early", "fails")]);
    let mut stuck = read("counter hour 0 3\nadd hour 2\n").unwrap();
    assert_eq!(verdicts(&mut stuck, &CheckOptions::default()), [named("safety", "fails")], "it comes to 2 and stops");
}

#[test]
fn every_engine_that_takes_the_property_agrees() {
    let mut model = read(CLOCK).unwrap();
    let mut asked = 0;
    for engine in lariat::engines() {
        for (name, expected) in [("safety", "holds"), ("noon", "holds"), ("early", "fails")] {
            let properties = vec![name.to_owned()];
            let options = CheckOptions { properties, engine: Some(engine.name()), ..CheckOptions::default() };
            if lariat::plan(&mut model, &options, &Limits::default().control()).is_ok() {
                assert_eq!(verdicts(&mut model, &options), [(name.to_owned(), expected)], "{}", engine.name());
                asked += 1;
            }
        }
    }
    assert!(asked >= 10, "{asked} answers");
}

#[test]
fn formulas_from_outside_and_fairness_speak_of_its_conditions() {
    // Without fairness nothing makes the second counter move.
    let mut model = read("counter a 0 1\ncounter b 0 1\nadd a 1\nreset a\nadd b 1\nreset b\n").unwrap();
    let formula = "<> (b == 1)".to_owned();
    let asked = CheckOptions { formulas: vec![formula.clone()], ..CheckOptions::default() };
    assert_eq!(verdicts(&mut model, &asked), [(formula.clone(), "fails")]);
    let fairness = FairnessOptions { justice: vec!["b == 1".to_owned()], ..FairnessOptions::default() };
    assert_eq!(verdicts(&mut model, &CheckOptions { fairness, ..asked.clone() }), [(formula.clone(), "holds")]);
    let fairness = FairnessOptions { weak_actions: vec!["add b 1".to_owned()], ..FairnessOptions::default() };
    assert_eq!(verdicts(&mut model, &CheckOptions { fairness, ..asked }), [(formula, "holds")]);
    let branching = "A G E F (b == 1)".to_owned();
    let asked = CheckOptions { branching: vec![branching.clone()], ..CheckOptions::default() };
    assert_eq!(verdicts(&mut model, &asked), [(branching, "holds")]);
}

#[test]
fn mistakes_are_told_with_their_places() {
    let told = |text: &str| {
        let rejected = read(text).expect_err("it is no model");
        let place = |error: &Diagnostic| (error.code, rejected.sources.text(error.span).to_owned());
        rejected.diagnostics.iter().map(place).collect::<Vec<_>>()
    };
    assert_eq!(told("counter a 0 1\nsubtract a\n"), [("T0001", "subtract a".to_owned())]);
    assert_eq!(told("add b 1\nreset c\n"), [("T0002", "add b 1".to_owned()), ("T0002", "reset c".to_owned())]);
    let formulas = "counter a 0 1\nadd a 1\nltl p [] (a < 1)\nltl q [] (z == 1)\nltl r [] ((a < 1)\n";
    assert_eq!(told(formulas), [("T0002", "z == 1".to_owned()), ("L0100", String::new())]);
    let mut model = read(CLOCK).unwrap();
    let asked = CheckOptions { formulas: vec!["[] (minute < 1)".to_owned()], ..CheckOptions::default() };
    let error = lariat::plan(&mut model, &asked, &Limits::default().control()).expect_err("there are no minutes");
    let CheckError::Model(diagnostics) = error else { panic!("{error}") };
    assert_eq!(model.sources().text(diagnostics[0].span), "minute < 1");
    let asked = CheckOptions { properties: vec!["none".to_owned()], ..CheckOptions::default() };
    let error = lariat::plan(&mut model, &asked, &Limits::default().control()).expect_err("there is no such property");
    assert_eq!(error.to_string(), "the model has no property `none`; it has: safety, noon, early");
}

#[test]
fn files_of_other_languages_are_read_as_before() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.smv");
    std::fs::write(&path, "MODULE main\nVAR b : boolean;\nINVARSPEC b | !b\n").unwrap();
    let model = Model::read_by(&[front_ends(), &[&Counters]].concat(), &path, &ReadOptions::default()).unwrap();
    assert_eq!(model.properties()[0].kind, PropertyKind::Invariant);
    let options = ReadOptions { lose_messages: true, ..ReadOptions::default() };
    let path = folder.path().join("m.count");
    let rejected = Model::read_by(&[&Counters], &path, &options).expect_err("it knows no messages");
    assert_eq!(rejected.diagnostics[0].code, "F0010");
}
