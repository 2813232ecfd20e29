//! Which properties are to be settled.

use crate::front::StatedProperty;
use crate::temporal::Stated;
use crate::{CheckError, CheckOptions, Model};
use lariat_base::closest_name;

/// The property that every model has.
pub(crate) const SAFETY: &str = "safety";
/// A property that is to be settled.
pub(crate) struct Selected {
    pub(crate) name: String,
    /// Whether it was asked for by itself.
    pub(crate) is_named: bool,
    /// How it is stated, unless it is `safety`.
    pub(crate) stated: Option<Stated>,
}

/// What is asked for: the properties that are named or given; without any, all that the model has.
pub(crate) fn select(model: &Model, options: &CheckOptions) -> Result<Vec<Selected>, CheckError> {
    let mut requests: Vec<Selected> = Vec::new();
    let given = options.formulas.len() + options.branching.len() + options.automata.len();
    if options.properties.is_empty() && given == 0 {
        let mut stated = model.properties().iter().filter(|property| !property.on_request).peekable();
        if model.front().settles_safety() || stated.peek().is_none() {
            requests.push(Selected { name: SAFETY.to_owned(), is_named: false, stated: None });
        }
        requests.extend(stated.map(|property| selected(property, false)));
    }
    for name in &options.properties {
        let request = match name.as_str() {
            SAFETY => Some(Selected { name: name.clone(), is_named: true, stated: None }),
            _ => {
                let known = model.properties().iter().find(|property| property.name == *name);
                known.map(|property| selected(property, true))
            }
        };
        let request = request.ok_or_else(|| CheckError::Refused(no_property(model, name)))?;
        if !requests.iter().any(|known| known.name == request.name) {
            requests.push(request);
        }
    }
    let formulas = options.formulas.iter().map(|text| (text, Stated::Formula(text.clone())));
    let branching = options.branching.iter().map(|text| (text, Stated::Branching(text.clone())));
    let automata = options.automata.iter().map(|path| (path, Stated::Automaton(path.clone())));
    requests.extend(formulas.chain(branching).chain(automata).map(|(name, stated)| Selected {
        name: name.clone(),
        is_named: true,
        stated: Some(stated),
    }));
    Ok(requests)
}

fn selected(property: &StatedProperty, is_named: bool) -> Selected {
    Selected { name: property.name.clone(), is_named, stated: Some(Stated::Property(property.clone())) }
}

fn no_property(model: &Model, name: &str) -> String {
    let stated = model.properties().iter().map(|property| property.name.as_str());
    let known: Vec<&str> = [SAFETY].into_iter().chain(stated).collect();
    let hint = match closest_name(name, known.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("it has: {}", known.join(", ")),
    };
    format!("the model has no property `{name}`; {hint}")
}
