//! Which properties are to be settled.

use crate::temporal::Stated;
use crate::{CheckError, CheckOptions, Form, Model};
use lariat_base::closest_name;

/// The property that every model has.
pub(crate) const SAFETY: &str = "safety";
/// Properties of every Promela model, settled if they are asked for by name, and what they say of runs that do not end.
const ON_REQUEST: [(&str, &str); 2] = [("np_", "[]<> !np_"), ("accept", "<>[] !accept_")];

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
        // What an SMV model is to do is stated by its specifications; `safety` asks whether it can always go on.
        if !matches!(model.form(), Form::Smv(_)) || model.properties().is_empty() {
            requests.push(Selected { name: SAFETY.to_owned(), is_named: false, stated: None });
        }
        requests.extend(model.properties().iter().filter_map(|(name, _)| stated(model, &public_name(name))));
    }
    for name in &options.properties {
        let request = match name.as_str() {
            SAFETY => Some(Selected { name: name.clone(), is_named: true, stated: None }),
            _ => stated(model, name),
        };
        let request = request.ok_or_else(|| CheckError::Refused(no_property(model, name)))?;
        let request = Selected { is_named: true, ..request };
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

/// The temporal property of this name.
fn stated(model: &Model, name: &str) -> Option<Selected> {
    let request = |stated: Stated| Some(Selected { name: name.to_owned(), is_named: false, stated: Some(stated) });
    let checked = match model.form() {
        Form::Promela(checked) => checked,
        Form::System(_) => return None,
        Form::Smv(_) => {
            let own = model.properties().iter().map(|(own, _)| own).find(|own| public_name(own) == name)?;
            return request(Stated::Specification(own.clone()));
        }
    };
    if let Some((_, cycles)) = ON_REQUEST.iter().find(|(known, _)| *known == name) {
        return request(Stated::Cycles(cycles));
    }
    let own = model.properties().iter().map(|(own, _)| own).find(|own| public_name(own) == name)?;
    match checked.ltl_blocks().iter().find(|block| block.name == *own) {
        Some(block) => request(Stated::Block(block.formula.clone())),
        None => request(Stated::Claim(own.clone())),
    }
}

/// The name that a property of the model goes by: its own, unless every model has a property of that name.
pub(crate) fn public_name(own: &str) -> String {
    let taken = own == SAFETY || ON_REQUEST.iter().any(|(known, _)| *known == own);
    if taken { format!("ltl {own}") } else { own.to_owned() }
}

fn no_property(model: &Model, name: &str) -> String {
    let on_request = ON_REQUEST.iter().filter(|_| model.is_promela()).map(|(name, _)| *name);
    let stated: Vec<String> = model.properties().iter().map(|(name, _)| public_name(name)).collect();
    let known: Vec<&str> = [SAFETY].into_iter().chain(stated.iter().map(String::as_str)).chain(on_request).collect();
    let hint = match closest_name(name, known.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("it has: {}", known.join(", ")),
    };
    format!("the model has no property `{name}`; {hint}")
}
