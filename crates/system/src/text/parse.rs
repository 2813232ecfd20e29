//! From a text to a system.

use super::KEYWORDS;
use super::lexer::{Token, tokens};
use crate::{
    Action, AfterTrap, Argument, Choice, ChoiceId, Cut, DeadEnds, EnumId, EnumType, Expr, Fairness, Frame, FrameId,
    Label, LabelId, LabelMeaning, LocalId, Occasion, Position, Print, Queue, Slot, SlotId, Strength, System, Trap,
    TrapKind, TrapTime, Type, Update, Variant, Who,
};
use lariat_base::{Diagnostic, FileId, IdVec, Span, closest_name};
use std::collections::HashMap;

type Result<T> = std::result::Result<T, Diagnostic>;

/// The system that `text` describes. Places in diagnostics and in the system are places in `file`. What comes out has
/// only ids that exist, but is not yet known to be valid.
pub fn parse(text: &str, file: FileId) -> Result<System> {
    let mut parser = Parser {
        text,
        tokens: tokens(text, file)?,
        next: 0,
        depth: 0,
        system: System::empty(""),
        names: Names::default(),
        roles: Vec::new(),
        choices: IdVec::new(),
    };
    parser.word("system")?;
    parser.system.name = parser.name("the name of the system")?;
    while *parser.token() != Token::End {
        parser.item()?;
    }
    Ok(parser.system)
}

/// Where names were declared; the first of a name counts.
#[derive(Default)]
pub(super) struct Names {
    pub(super) slots: HashMap<String, SlotId>,
    frames: HashMap<String, FrameId>,
    enums: HashMap<String, EnumId>,
    labels: HashMap<String, LabelId>,
}

pub(super) struct Parser<'a> {
    text: &'a str,
    tokens: Vec<(Token, Span)>,
    next: usize,
    pub(super) depth: usize,
    pub(super) system: System,
    pub(super) names: Names,
    /// The frames of the roles in scope.
    pub(super) roles: Vec<FrameId>,
    /// The choices in scope.
    pub(super) choices: IdVec<ChoiceId, Choice>,
}

impl Parser<'_> {
    fn item(&mut self) -> Result<()> {
        let Token::Word(word) = self.token().clone() else { return Err(self.unexpected("a declaration")) };
        match word.as_str() {
            "enum" => self.enum_type(),
            "slot" | "hidden" => {
                let slot = self.slot_declaration()?;
                let name = slot.name.clone();
                let id = self.system.slots.push(slot);
                self.names.slots.entry(name).or_insert(id);
                Ok(())
            }
            "frame" => self.frame_declaration(),
            "pool" => {
                self.advance();
                self.system.pool_size = self.number("a number of processes")?;
                Ok(())
            }
            "queue" => self.queue(),
            "init" => self.init(),
            "label" => self.label_declaration(),
            "action" => self.action(),
            "invariant" => {
                self.advance();
                let invariant = self.expr()?;
                self.system.invariants.push(invariant);
                Ok(())
            }
            "fairness" => self.fairness(),
            "dead_ends" => {
                self.advance();
                self.system.dead_ends = self.one_of(&[("stutter", DeadEnds::Stutter), ("cut", DeadEnds::Cut)])?;
                Ok(())
            }
            "proper_end" => {
                self.advance();
                self.system.proper_end = self.expr()?;
                Ok(())
            }
            _ => Err(self.unexpected("a declaration")),
        }
    }

    fn enum_type(&mut self) -> Result<()> {
        self.advance();
        let name = self.name("the name of the enum")?;
        self.sign("=")?;
        let (lo, hi) = self.range()?;
        self.sign("{")?;
        let mut variants = Vec::new();
        while !self.skip_sign("}") {
            if !variants.is_empty() {
                self.sign(",")?;
            }
            let name = self.name("the name of a value")?;
            self.sign("=")?;
            variants.push(Variant { name, value: self.integer()? });
        }
        let id = self.system.enums.push(EnumType { name: name.clone(), lo, hi, variants });
        self.names.enums.entry(name).or_insert(id);
        Ok(())
    }

    fn slot_declaration(&mut self) -> Result<Slot> {
        let start = self.span();
        let shown = !self.skip_word("hidden");
        self.word("slot")?;
        let name = self.name("the name of the slot")?;
        let mut len = None;
        if self.skip_sign("[") {
            len = Some(self.number("the number of cells")?);
            self.sign("]")?;
        }
        self.sign(":")?;
        let ty = self.ty()?;
        self.sign("=")?;
        let mut initial = Vec::new();
        if self.skip_sign("[") {
            while !self.skip_sign("]") {
                if !initial.is_empty() {
                    self.sign(",")?;
                }
                initial.push(self.integer()?);
            }
        } else {
            initial.push(self.integer()?);
        }
        Ok(Slot { name, ty, len, shape: Vec::new(), initial, shown, span: self.since(start) })
    }

    fn frame_declaration(&mut self) -> Result<()> {
        let start = self.span();
        self.advance();
        let name = self.name("the name of the frame")?;
        let span = self.since(start);
        self.sign("{")?;
        let (mut slots, mut control) = (IdVec::<LocalId, Slot>::new(), None);
        while !self.skip_sign("}") {
            let is_control = self.skip_word("control");
            let local = slots.push(self.slot_declaration()?);
            if is_control {
                control = Some(local);
            }
        }
        let id = self.system.frames.push(Frame { name: name.clone(), slots, control, span });
        self.names.frames.entry(name).or_insert(id);
        Ok(())
    }

    fn init(&mut self) -> Result<()> {
        self.advance();
        self.sign("{")?;
        self.choices = std::mem::take(&mut self.system.init.choices);
        while !self.skip_sign("}") {
            let statement = self.statement()?;
            match statement {
                Statement::Choose => {}
                Statement::When(conjunct) => self.system.init.guard.push(conjunct),
                Statement::Update(update) => self.system.init.updates.push(update),
                Statement::Other => return Err(self.unexpected("choose, when, set, spawn or }")),
            }
        }
        self.system.init.choices = std::mem::take(&mut self.choices);
        Ok(())
    }

    fn label_declaration(&mut self) -> Result<()> {
        let start = self.span();
        self.advance();
        let name = self.name("the name of the label")?;
        let meaning = if self.skip_word("step") {
            LabelMeaning::Step
        } else if self.skip_word("by") {
            LabelMeaning::By(self.number::<Position>("a position")?)
        } else if self.skip_word("acting") {
            LabelMeaning::Acting(self.number::<Position>("a position")?)
        } else {
            self.sign("=")?;
            LabelMeaning::State(self.expr()?)
        };
        let id = self.system.labels.push(Label { name: name.clone(), meaning, span: self.since(start) });
        self.names.labels.entry(name).or_insert(id);
        Ok(())
    }

    fn action(&mut self) -> Result<()> {
        let start = self.span();
        self.advance();
        let mut action = Action::new(self.name("the name of the action")?, Vec::new());
        if self.skip_word("by") {
            action.participants.push(self.frame_name()?);
            while self.skip_sign(",") {
                action.participants.push(self.frame_name()?);
            }
        }
        action.span = self.since(start);
        self.sign("{")?;
        self.roles.clone_from(&action.participants);
        while !self.skip_sign("}") {
            let statement = self.statement()?;
            match statement {
                Statement::Choose => {}
                Statement::When(conjunct) => action.guard.condition.push(conjunct),
                Statement::Update(update) => action.updates.push(update),
                Statement::Other => self.action_statement(&mut action)?,
            }
        }
        self.roles.clear();
        action.choices = std::mem::take(&mut self.choices);
        self.system.actions.push(action);
        Ok(())
    }

    /// What actions and init share; nothing is read where it is something else.
    fn statement(&mut self) -> Result<Statement> {
        if self.skip_word("choose") {
            let name = self.name("the name of the choice")?;
            self.sign(":")?;
            let ty = self.ty()?;
            self.choices.push(Choice { name, ty });
            Ok(Statement::Choose)
        } else if self.skip_word("when") {
            Ok(Statement::When(self.expr()?))
        } else if self.skip_word("set") {
            let place = self.target()?;
            self.sign(":=")?;
            Ok(Statement::Update(Update::Set(place, self.expr()?)))
        } else if self.skip_word("spawn") {
            Ok(Statement::Update(self.spawn()?))
        } else {
            Ok(Statement::Other)
        }
    }

    fn spawn(&mut self) -> Result<Update> {
        let frame = self.frame_name()?;
        let mut arguments = Vec::new();
        self.sign("(")?;
        while !self.skip_sign(")") {
            if !arguments.is_empty() {
                self.sign(",")?;
            }
            let span = self.span();
            let local = self.name("a slot")?;
            let slot = self.local(frame, &local, span)?;
            let mut cell = None;
            if self.skip_sign("[") {
                cell = Some(self.number("the number of a cell")?);
                self.sign("]")?;
            }
            self.sign(":=")?;
            arguments.push(Argument { slot, cell, value: self.expr()? });
        }
        Ok(Update::Spawn { frame, arguments })
    }

    fn action_statement(&mut self, action: &mut Action) -> Result<()> {
        let start = self.span();
        let Token::Word(word) = self.token().clone() else { return Err(self.unexpected("a part of an action")) };
        self.advance();
        match word.as_str() {
            "rank" => action.rank = self.expr()?,
            "control" => action.guard.control.push(self.expr()?),
            "exit" => action.updates.push(Update::Exit),
            "hold" => action.hold = Some(self.role()?),
            "trap" => {
                let time = self.one_of(&[("guard", TrapTime::Guard), ("effect", TrapTime::Effect)])?;
                let kind = self.one_of(&TrapKind::ALL.map(|kind| (kind.word(), kind)))?;
                self.word("if")?;
                let condition = self.expr()?;
                self.word("then")?;
                let after = self.one_of(&[("goes_on", AfterTrap::GoesOn), ("stops", AfterTrap::Stops)])?;
                action.traps.push(Trap { time, condition, kind, after, span: self.since(start) });
            }
            "cut" => {
                self.word("if")?;
                let condition = self.expr()?;
                action.cuts.push(Cut { condition, span: self.since(start) });
            }
            "label" => {
                let label = self.label_name()?;
                let condition = if self.skip_word("if") { self.expr()? } else { Expr::TRUE };
                action.labels.push((label, condition));
            }
            "print" => {
                let format = self.name("the text to print")?;
                let mut arguments = Vec::new();
                while self.skip_sign(",") {
                    arguments.push(self.expr()?);
                }
                action.print = Some(Print { format, arguments });
            }
            "peer" => {
                let text = self.name("the text of the peer")?;
                action.peer = Some((text, self.since(start)));
            }
            "trail" => {
                action.trail = vec![self.number("the number of a statement")?];
                while self.skip_sign(",") {
                    action.trail.push(self.number("the number of a statement")?);
                }
            }
            _ => {
                self.next -= 1;
                return Err(self.unexpected("a part of an action"));
            }
        }
        Ok(())
    }

    fn fairness(&mut self) -> Result<()> {
        self.advance();
        let constraint = if self.skip_word("justice") {
            Fairness::justice(self.label_name()?)
        } else if self.skip_word("compassion") {
            let first = self.label_name()?;
            self.sign("->")?;
            Fairness::compassion(first, self.label_name()?)
        } else {
            let strength = self.one_of(&[("weak", Strength::Weak), ("strong", Strength::Strong)])?;
            match self.occasion()? {
                Some(asked) => {
                    self.sign("->")?;
                    let given = self.occasion()?.ok_or_else(|| self.unexpected("always, label, enabled or taken"))?;
                    Fairness { strength, asked, given }
                }
                None => Fairness { strength, ..Fairness::weak(self.who()?) },
            }
        };
        self.system.fairness.push(constraint);
        Ok(())
    }

    fn occasion(&mut self) -> Result<Option<Occasion>> {
        Ok(Some(if self.skip_word("always") {
            Occasion::Always
        } else if self.skip_word("label") {
            Occasion::Labelled(self.label_name()?)
        } else if self.skip_word("enabled") {
            Occasion::Enabled(self.who()?)
        } else if self.skip_word("taken") {
            Occasion::Taken(self.who()?)
        } else {
            return Ok(None);
        }))
    }

    fn who(&mut self) -> Result<Who> {
        if self.skip_word("process") {
            return Ok(Who::Process(self.number("a position")?));
        }
        self.word("steps")?;
        Ok(Who::Steps(self.label_name()?))
    }

    fn ty(&mut self) -> Result<Type> {
        if self.skip_word("bool") {
            return Ok(Type::Bool);
        }
        if matches!(self.token(), Token::Number(_) | Token::Sign("-")) {
            let (lo, hi) = self.range()?;
            return Ok(Type::Int { lo, hi });
        }
        let span = self.span();
        let name = self.name("a type")?;
        let found = self.names.enums.get(&name).map(|id| Type::Enum(*id));
        found.ok_or_else(|| self.unknown("type", span, self.system.enums.iter().map(|ty| ty.name.as_str())))
    }

    fn range(&mut self) -> Result<(i64, i64)> {
        let lo = self.integer()?;
        self.sign("..")?;
        Ok((lo, self.integer()?))
    }

    pub(super) fn frame_name(&mut self) -> Result<FrameId> {
        let span = self.span();
        let name = self.name("a frame")?;
        self.frame(&name, span)
    }

    pub(super) fn frame(&self, name: &str, span: Span) -> Result<FrameId> {
        let found = self.names.frames.get(name).copied();
        found.ok_or_else(|| self.unknown("frame", span, self.system.frames.iter().map(|frame| frame.name.as_str())))
    }

    fn queue(&mut self) -> Result<()> {
        self.advance();
        let name = self.name("the name of the queue")?;
        let mut owner = None;
        if self.skip_word("of") {
            let frame = self.frame_name()?;
            self.word("at")?;
            owner = Some((frame, self.number("a position")?));
        }
        self.sign(":")?;
        let capacity = self.number("the capacity of the queue")?;
        self.sign("=")?;
        let len = self.slot_name()?;
        self.sign("[")?;
        let number = self.number("a cell")?;
        self.sign("]")?;
        self.sign("(")?;
        let mut fields = Vec::new();
        while !self.skip_sign(")") {
            if !fields.is_empty() {
                self.sign(",")?;
            }
            fields.push(self.slot_name()?);
        }
        self.system.queues.push(Queue { name, owner, capacity, len, number, fields, span: Span::NONE });
        Ok(())
    }

    fn slot_name(&mut self) -> Result<SlotId> {
        let span = self.span();
        let name = self.name("a slot")?;
        let found = self.names.slots.get(&name).copied();
        found.ok_or_else(|| self.unknown("slot", span, self.system.slots.iter().map(|slot| slot.name.as_str())))
    }

    fn label_name(&mut self) -> Result<LabelId> {
        let span = self.span();
        let name = self.name("a label")?;
        let found = self.names.labels.get(&name).copied();
        found.ok_or_else(|| self.unknown("label", span, self.system.labels.iter().map(|label| label.name.as_str())))
    }
}

/// What a statement that init may have turned out to be.
enum Statement {
    Choose,
    When(Expr),
    Update(Update),
    Other,
}

/// Reading tokens.
impl Parser<'_> {
    pub(super) fn token(&self) -> &Token {
        &self.tokens[self.next].0
    }
    pub(super) fn after(&self) -> &Token {
        self.tokens.get(self.next + 1).map_or(&Token::End, |(token, _)| token)
    }
    pub(super) fn span(&self) -> Span {
        self.tokens[self.next].1
    }
    /// From `start` to what was read last.
    fn since(&self, start: Span) -> Span {
        start.to(self.tokens[self.next.saturating_sub(1)].1)
    }
    /// Goes on to the next token; the end is never passed.
    pub(super) fn advance(&mut self) {
        self.next = (self.next + 1).min(self.tokens.len() - 1);
    }
    pub(super) fn is_word(&self, word: &str) -> bool {
        matches!(self.token(), Token::Word(found) if found == word)
    }
    fn skip_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        if found {
            self.advance();
        }
        found
    }
    pub(super) fn skip_sign(&mut self, sign: &'static str) -> bool {
        let found = *self.token() == Token::Sign(sign);
        if found {
            self.advance();
        }
        found
    }
    pub(super) fn word(&mut self, word: &'static str) -> Result<()> {
        if self.skip_word(word) { Ok(()) } else { Err(self.unexpected(&format!("`{word}`"))) }
    }
    pub(super) fn sign(&mut self, sign: &'static str) -> Result<()> {
        if self.skip_sign(sign) { Ok(()) } else { Err(self.unexpected(&format!("`{sign}`"))) }
    }
    /// A name or a quoted text.
    pub(super) fn name(&mut self, what: &str) -> Result<String> {
        let name = match self.token() {
            Token::Word(word) if !KEYWORDS.contains(&word.as_str()) => word.clone(),
            Token::Quoted(text) => text.clone(),
            Token::Word(_) => return Err(self.unexpected(what).help("a keyword is a name only in quotes")),
            _ => return Err(self.unexpected(what)),
        };
        self.advance();
        Ok(name)
    }
    /// A number, with its sign.
    pub(super) fn integer(&mut self) -> Result<i64> {
        let span = self.span();
        let negative = self.skip_sign("-");
        let Token::Number(magnitude) = *self.token() else { return Err(self.unexpected("a number")) };
        self.advance();
        let value = if negative { -i128::from(magnitude) } else { i128::from(magnitude) };
        i64::try_from(value).map_err(|_| Diagnostic::error(span, "S0001", "a number of more than 64 bits"))
    }
    fn number<N: TryFrom<u64>>(&mut self, what: &str) -> Result<N> {
        let Token::Number(number) = *self.token() else { return Err(self.unexpected(what)) };
        let Ok(value) = N::try_from(number) else {
            return Err(Diagnostic::error(self.span(), "S0001", format!("{number} is too large for {what}")));
        };
        self.advance();
        Ok(value)
    }
    fn one_of<T: Copy>(&mut self, words: &[(&'static str, T)]) -> Result<T> {
        if let Some((_, value)) = words.iter().find(|(word, _)| self.is_word(word)) {
            self.advance();
            return Ok(*value);
        }
        let words: Vec<String> = words.iter().map(|(word, _)| format!("`{word}`")).collect();
        Err(self.unexpected(&words.join(" or ")))
    }
    pub(super) fn unexpected(&self, wanted: &str) -> Diagnostic {
        let span = self.span();
        let found = match self.token() {
            Token::End => "the end".to_string(),
            _ => format!("`{}`", self.text.get(span.start as usize..span.end as usize).unwrap_or("…")),
        };
        Diagnostic::error(span, "S0002", format!("expected {wanted}, found {found}"))
    }
    pub(super) fn unknown<'n>(&self, what: &str, span: Span, known: impl Iterator<Item = &'n str>) -> Diagnostic {
        let text = self.text.get(span.start as usize..span.end as usize).unwrap_or("…");
        let error = Diagnostic::error(span, "S0003", format!("there is no {what} `{}`", text.trim_matches('"')));
        match closest_name(text.trim_matches('"'), known) {
            Some(near) => error.help(format!("did you mean `{near}`?")),
            None => error,
        }
    }
}
