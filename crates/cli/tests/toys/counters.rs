//! A language in one file: what it takes to add a front end.
//!
//! A model has counters, and statements that may happen whenever they lead to a number within the limits:
//!
//! ```text
//! # A clock.
//! counter hour 0 3
//! add hour 1
//! reset hour
//! ltl noon [] <> (hour == 2)
//! ```

use lariat::ReadOptions;
use lariat::front::{
    FrontEnd, FrontModel, ModelInOrder, Observed, PlainReader, Pool, PropertyKind, PropositionReader, StatedProperty,
    read_text,
};
use lariat_base::{Diagnostic, SourceMap, Span};
use lariat_logic::Propositions;
use lariat_system::{
    Action, BinaryOp, Choice, Expr, Label, LabelId, LabelMeaning, Place, Slot, SlotId, System, Type, Update,
};
use std::path::Path;

/// The front end.
pub(crate) struct Counters;

impl FrontEnd for Counters {
    fn language(&self) -> &'static str {
        "counters"
    }

    fn endings(&self) -> &'static [&'static str] {
        &["count"]
    }

    fn comment(&self) -> &'static str {
        "#"
    }

    fn read(&self, path: &Path, _: &ReadOptions, sources: &mut SourceMap) -> Result<ModelInOrder, Vec<Diagnostic>> {
        let text = read_text(sources, path).map_err(|error| vec![error])?;
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
        let number = |word: &str| word.parse::<i64>().map_err(|_| wrong(format!("`{word}` is not a number")));
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
            [word, ..] if word.starts_with('#') => {}
            _ => return Err(wrong(format!("`{line}` is not a statement"))),
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
        let (name, value) = text.split_once(sign).ok_or_else(|| wrong(format!("`{text}` is not a condition")))?;
        let (counter, ..) = self.counter(name.trim(), place)?;
        let value = value.trim().parse().map_err(|_| wrong(format!("`{value}` is not a number")))?;
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
