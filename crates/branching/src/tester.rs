//! Testers of formulas: the construction of Kesten, Pnueli, Raviv and Shahar (2006), as a system beside the system.
//!
//! A tester reads the run state by state and guesses what holds of it. Here it is further slots of the system, which every action
//! changes along:
//!
//! * for a part that speaks of the past (`Y f`, `f S g`, …), whether it held, or its operand did, one step before;
//! * for a part that speaks of the future (`X f`, `f U g`, …), whether it holds now, or its operand does, as was guessed one
//!   step before. Each step guesses that for the next state, by a choice.
//!
//! So at a step everything is known that the truth of every part needs, and what was guessed can be compared with it. Where the
//! paper relates the values of two neighbouring states, nothing here has to know the next state. In negation normal form all
//! parts are positive: what `f U g` promises is justice, and nothing else is.
//!
//! A wrong guess must end the run. In a system that has one kind of step, and whose runs that end do not count, it disables the
//! step. Elsewhere that would let actions of other ranks happen and make dead ends: there the slot `wrong` remembers it, and it is
//! fair that it is 0.

use lariat_base::Span;
use lariat_engine::{Feature, Refusal};
use lariat_logic::{Formula, PropId};
use lariat_system::{
    Action, BinaryOp, Choice, ChoiceId, DeadEnds, Expr, Fairness, IDLE_RANK, Label, LabelId, LabelMeaning, Occasion,
    Place, Position, Role, Slot, SlotId, System, Type, Update,
};

/// The most slots that a tester may have.
const MOST_SLOTS: usize = 40;
/// The rank of the action that repeats a state where nothing can happen: behind all others.
const STUTTER_RANK: i64 = 2 * IDLE_RANK;

/// A part of the formula that has a slot.
struct TemporalPart<'f> {
    formula: &'f Formula,
    slot: SlotId,
}

struct Tester<'f> {
    labels: &'f [LabelId],
    /// Those that speak of the past.
    past: Vec<TemporalPart<'f>>,
    /// Those that speak of the future.
    future: Vec<TemporalPart<'f>>,
}

/// What the parts are evaluated at.
struct Moment<'a> {
    system: &'a System,
    /// The action that is taken; `None` if there is only the state.
    action: Option<&'a Action>,
    /// The number of the first choice that is the tester's.
    first_choice: usize,
}

/// The system with a tester of the formula, whose proposition `n` is the label `labels[n]`. Its fair runs are those of the system
/// that satisfy the formula; its first slots, actions and labels are those of the system.
pub(crate) fn with_tester(system: &System, formula: &Formula, labels: &[LabelId]) -> Result<System, Refusal> {
    ensure_testable(system, labels)?;
    let refuse = |why: String| Refusal::because(Feature::Tester, why);
    let formula = formula.nnf().map_err(|error| refuse(error.to_string()))?;
    let mut made = system.clone();
    if made.dead_ends == DeadEnds::Stutter {
        // What repeats for ever is read for ever.
        let mut stutter = Action::new("nothing happens", Vec::new());
        stutter.rank = Expr::Const(STUTTER_RANK);
        made.actions.push(stutter);
    }
    let blocks = system.dead_ends == DeadEnds::Cut && can_block(system);
    made.dead_ends = DeadEnds::Cut;
    let mut tester = Tester { labels, past: Vec::new(), future: Vec::new() };
    tester.enter(&formula, &mut made);
    if tester.past.len() + tester.future.len() > MOST_SLOTS {
        let count = tester.past.len() + tester.future.len();
        return Err(refuse(format!("the formula has {count} temporal operators, and at most {MOST_SLOTS} are tested")));
    }
    let asked = flag(&mut made, "asked", true);
    let wrong = (!blocks).then(|| flag(&mut made, "wrong", false));
    tester.begin(&mut made);
    tester.keep_promises(&mut made);
    for number in 0..made.actions.len() {
        let id = made.actions.ids().nth(number).expect("there are as many");
        let mut action = made.actions[id].clone();
        let moment = Moment { system: &made, action: Some(&action), first_choice: action.choices.len() };
        let (consistent, updates) = tester.step(&formula, asked, &moment);
        for part in &tester.future {
            let name = format!("next({})", made.slots[part.slot].name);
            action.choices.push(Choice { name, ty: Type::Bool });
        }
        match wrong {
            None => {
                action.guard.condition.push(consistent);
                action.updates.extend(updates);
            }
            Some(wrong) => {
                let ends = Place::global(wrong).read().or(consistent.negated());
                // A run that went wrong is followed without the tester.
                let kept = updates.into_iter().map(|update| match update {
                    Update::Set(place, value) => Update::Set(place, ends.clone().ite(Expr::FALSE, value)),
                    other => other,
                });
                action.updates.extend(kept);
                action.updates.push(Update::Set(Place::global(wrong), ends));
            }
        }
        made.actions[id] = action;
    }
    if let Some(wrong) = wrong {
        add_justice(&mut made, "right", Place::global(wrong).read().negated());
    }
    Ok(made)
}

impl<'f> Tester<'f> {
    /// Makes slots for the temporal operators of the formula, and gives each the value that it has before the first step.
    fn enter(&mut self, formula: &'f Formula, system: &mut System) {
        for part in formula.operands() {
            self.enter(part, system);
        }
        let is_known = |parts: &[TemporalPart<'f>]| parts.iter().any(|part| part.formula == formula);
        if formula.is_past_operator() && !is_known(&self.past) {
            let weak = matches!(formula, Formula::WeakYesterday(_) | Formula::Historically(_) | Formula::Trigger(..));
            let slot = flag(system, &format!("was{}", self.past.len()), weak);
            self.past.push(TemporalPart { formula, slot });
        } else if formula.is_future_operator() && !is_known(&self.future) {
            let slot = flag(system, &format!("holds{}", self.future.len()), false);
            self.future.push(TemporalPart { formula, slot });
        }
    }

    /// What holds in the first state is guessed.
    fn begin(&self, system: &mut System) {
        for part in &self.future {
            let name = format!("init({})", system.slots[part.slot].name);
            let choice = system.init.choices.push(Choice { name, ty: Type::Bool });
            system.init.updates.push(Update::Set(Place::global(part.slot), Expr::Choice(choice)));
        }
    }

    /// What is promised comes: justice for each `f U g`, `F f` and `f M g`. Where that cannot be told by the state, a further slot
    /// remembers it from the step before.
    fn keep_promises(&mut self, system: &mut System) {
        for part in &self.future {
            let (Formula::Until(..) | Formula::Finally(_) | Formula::StrongRelease(..)) = part.formula else {
                continue;
            };
            let promised = promise(part.formula);
            let reads_steps = promised
                .props()
                .iter()
                .any(|prop| !matches!(system.labels[self.labels[prop.0 as usize]].meaning, LabelMeaning::State(_)));
            let is_of_state = !reads_steps && !promised.has_future();
            let holds = Place::global(part.slot).read();
            if is_of_state {
                let moment = Moment { system, action: None, first_choice: 0 };
                let kept = holds.negated().or(self.value(&promised, &moment));
                add_justice(system, "kept", kept);
                continue;
            }
            let kept = flag(system, "kept", true);
            for id in system.actions.ids().collect::<Vec<_>>() {
                let action = system.actions[id].clone();
                let moment = Moment { system, action: Some(&action), first_choice: action.choices.len() };
                let value = holds.clone().negated().or(self.value(&promised, &moment));
                system.actions[id].updates.push(Update::Set(Place::global(kept), value));
            }
            add_justice(system, "kept", Place::global(kept).read());
        }
    }

    /// Whether all guesses are right at the moment, and what the tester has in the next state.
    fn step(&self, formula: &Formula, asked: SlotId, moment: &Moment<'_>) -> (Expr, Vec<Update>) {
        let mut consistent = vec![Place::global(asked).read().negated().or(self.value(formula, moment))];
        let mut updates = vec![Update::Set(Place::global(asked), Expr::FALSE)];
        for (number, part) in self.future.iter().enumerate() {
            let foretold = match part.formula {
                Formula::Next(operand) => operand,
                other => other,
            };
            let holds = Place::global(part.slot).read();
            consistent.push(same(holds, self.value(foretold, moment)));
            let choice = Expr::Choice(ChoiceId((moment.first_choice + number) as u32));
            updates.push(Update::Set(Place::global(part.slot), choice));
        }
        for part in &self.past {
            let remembered = match part.formula {
                Formula::Yesterday(operand) | Formula::WeakYesterday(operand) => operand,
                other => other,
            };
            updates.push(Update::Set(Place::global(part.slot), self.value(remembered, moment)));
        }
        (Expr::all(consistent), updates)
    }

    /// Whether the formula holds at the moment.
    fn value(&self, formula: &Formula, moment: &Moment<'_>) -> Expr {
        let of = |part: &Formula| self.value(part, moment);
        let slot_of = |parts: &[TemporalPart<'_>]| parts.iter().position(|part| part.formula == formula);
        let was = || Place::global(self.past[slot_of(&self.past).expect("it has a slot")].slot).read();
        // Whether it holds in the next state.
        let will = || {
            let number = slot_of(&self.future).expect("it has a slot");
            Expr::Choice(ChoiceId((moment.first_choice + number) as u32))
        };
        match formula {
            Formula::True => Expr::TRUE,
            Formula::False => Expr::FALSE,
            Formula::Prop(prop) => self.proposition(*prop, moment),
            Formula::Not(part) => of(part).negated(),
            Formula::And(parts) => Expr::all(parts.iter().map(of)),
            Formula::Or(parts) => Expr::any(parts.iter().map(of)),
            Formula::Next(_) => will(),
            Formula::Finally(f) => of(f).or(will()),
            Formula::Globally(f) => of(f).and(will()),
            Formula::Until(f, g) | Formula::WeakUntil(f, g) => of(g).or(of(f).and(will())),
            Formula::Release(f, g) | Formula::StrongRelease(f, g) => of(g).and(of(f).or(will())),
            Formula::Yesterday(_) | Formula::WeakYesterday(_) => was(),
            Formula::Once(f) => of(f).or(was()),
            Formula::Historically(f) => of(f).and(was()),
            Formula::Since(f, g) => of(g).or(of(f).and(was())),
            Formula::Trigger(f, g) => of(g).and(of(f).or(was())),
            Formula::Implies(..) | Formula::Iff(..) | Formula::Xor(..) | Formula::ForSome(_) | Formula::ForAll(_) => {
                unreachable!("it is a formula of linear time in negation normal form")
            }
        }
    }

    fn proposition(&self, prop: PropId, moment: &Moment<'_>) -> Expr {
        at_step(moment.system, self.labels[prop.0 as usize], moment.action)
    }
}

/// Whether the label holds at a step by the action, which says nothing about labels of states.
pub(crate) fn at_step(system: &System, label: LabelId, action: Option<&Action>) -> Expr {
    match &system.labels[label].meaning {
        LabelMeaning::State(condition) => condition.clone().truth(),
        meaning => {
            let action = action.expect("steps are read at steps");
            let stands = |role: usize, position: Position| {
                Expr::Position(Role(role as u8)).equals(Expr::Const(i64::from(position)))
            };
            let roles = 0..action.participants.len();
            match *meaning {
                LabelMeaning::By(position) => Expr::any(roles.map(|role| stands(role, position))),
                LabelMeaning::Acting(position) => Expr::any(roles.take(1).map(|role| stands(role, position))),
                _ => {
                    let carried = action.labels.iter().filter(|(carried, _)| *carried == label);
                    Expr::any(carried.map(|(_, condition)| condition.clone().truth()))
                }
            }
        }
    }
}

/// What the formula, an `f U g`, `F f` or `f M g`, says to come some time.
fn promise(formula: &Formula) -> Formula {
    match formula {
        Formula::Finally(f) => (**f).clone(),
        Formula::Until(_, g) => (**g).clone(),
        Formula::StrongRelease(f, g) => Formula::and([(**f).clone(), (**g).clone()]),
        _ => unreachable!("nothing is promised"),
    }
}

fn same(left: Expr, right: Expr) -> Expr {
    left.truth().equals(right.truth())
}

/// A slot that is 0 or 1.
fn flag(system: &mut System, name: &str, initial: bool) -> SlotId {
    let name = format!("tester.{name}.{}", system.slots.len());
    let slot = Slot::new(name, Type::Bool, i64::from(initial));
    system.slots.push(Slot { shown: false, ..slot })
}

fn add_justice(system: &mut System, name: &str, condition: Expr) {
    let name = format!("tester {name} {}", system.labels.len());
    let label = system.labels.push(Label { name, meaning: LabelMeaning::State(condition), span: Span::NONE });
    system.fairness.push(Fairness::justice(label));
}

/// A refusal if what is added to actions would move several times in one step.
pub(crate) fn ensure_single_actions(system: &System, feature: &Feature) -> Result<(), Refusal> {
    match system.actions.iter().any(|action| action.hold.is_some()) {
        true => {
            let why = "a step may consist of several actions (`atomic`), and what is added moves with each action";
            Err(Refusal::because(feature.clone(), why))
        }
        false => Ok(()),
    }
}

/// A refusal if there can be no tester of formulas over these labels.
fn ensure_testable(system: &System, labels: &[LabelId]) -> Result<(), Refusal> {
    let refuse = |why: &str| Err(Refusal::because(Feature::Tester, why));
    ensure_single_actions(system, &Feature::Tester)?;
    // Where an action is enabled and cannot happen, the state repeats for ever, and no action can be added that says so.
    let can_fail = |action: &Action| {
        !action.traps.is_empty() || action.updates.iter().any(|update| matches!(update, Update::Spawn { .. }))
    };
    if system.dead_ends == DeadEnds::Stutter && system.actions.iter().any(can_fail) {
        return refuse(
            "a statement may fail (an index, a channel, a process that is started), and where it does a tester would stop",
        );
    }
    if system.dead_ends == DeadEnds::Stutter
        && !system.actions.iter().all(|action| comes_before_stuttering(system, action))
    {
        return refuse("an action may have a rank that is not below that of the tester's own action for dead ends");
    }
    for label in labels {
        let Label { name, meaning, .. } = &system.labels[*label];
        match meaning {
            // The processes that it speaks of would get the numbers of those that act.
            LabelMeaning::State(condition) if binds(condition) => {
                return refuse(&format!("`{name}` looks for some process, which a tester cannot"));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Whether the action is always preferred to the one that repeats the state where nothing can happen.
fn comes_before_stuttering(system: &System, action: &Action) -> bool {
    match &action.rank {
        Expr::Const(rank) => *rank < STUTTER_RANK,
        // A priority.
        Expr::Binary(BinaryOp::Sub, most, less) => match (&**most, &**less) {
            (Expr::Const(most), Expr::Read(place)) => {
                let ty = system.slot_of(place, &action.participants).ty;
                *most < STUTTER_RANK && system.range(ty).lo >= 0
            }
            _ => false,
        },
        _ => false,
    }
}

fn binds(expr: &Expr) -> bool {
    let mut found = matches!(expr, Expr::Exists(..));
    expr.for_each_part(|part| found |= binds(part));
    found
}

/// Whether disabling steps changes nothing but which runs there are.
fn can_block(system: &System) -> bool {
    let one_rank = system.actions.iter().all(|action| action.rank == Expr::Const(0));
    let speaks_of_enabled = |occasion: Occasion| matches!(occasion, Occasion::Enabled(_));
    one_rank && !system.fairness.iter().any(|one| speaks_of_enabled(one.asked) || speaks_of_enabled(one.given))
}
