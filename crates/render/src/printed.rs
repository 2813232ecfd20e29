//! What the model itself prints.

use crate::names::value_name;
use lariat_engine::Event;
use lariat_system::System;
use lariat_system::reference::Evaluator;

/// The line that the action prints, its directives replaced by the arguments as they were before it.
pub(crate) fn printed(system: &System, event: &Event) -> Option<String> {
    let action = &system.actions[event.firing.action];
    let print = action.print.as_ref()?;
    let evaluator = Evaluator::new(system);
    let mut arguments = print.arguments.iter();
    let mut text = String::new();
    let mut rest = print.format.as_str();
    while let Some(at) = rest.find('%') {
        text.push_str(&rest[..at]);
        let mut characters = rest[at + 1..].chars();
        let directive = characters.next();
        rest = characters.as_str();
        match directive {
            Some(letter @ ('d' | 'i' | 'u' | 'x' | 'o' | 'c' | 'e')) => {
                let Some(argument) = arguments.next() else { continue };
                let value = evaluator.value(argument, &event.before, &event.firing.scope);
                let name = || value_name(system, &action.participants, argument, value);
                match letter {
                    'x' => text.push_str(&format!("{value:x}")),
                    'o' => text.push_str(&format!("{value:o}")),
                    'c' => text.extend(u8::try_from(value & 0xff).ok().map(char::from)),
                    'u' => text.push_str(&(value as u32).to_string()),
                    'e' => text.push_str(&name().map_or_else(|| value.to_string(), str::to_owned)),
                    _ => text.push_str(&value.to_string()),
                }
            }
            Some('%') => text.push('%'),
            Some(other) => text.extend(['%', other]),
            None => text.push('%'),
        }
    }
    text.push_str(rest);
    Some(text)
}
