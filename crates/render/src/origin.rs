//! What made a trace, beside the text of the model: written into documents, so that it can be replayed with the same model
//! and judged by the same property.

use crate::saved::field;
use serde_json::{Map, Value, json};

/// The options of the check that found a trace.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Origin {
    /// Of the texts of the model: other texts have hardly ever the same.
    pub fingerprint: Option<String>,
    /// Names for the preprocessor, with their texts.
    pub defines: Vec<(String, String)>,
    /// Where included files were looked for.
    pub include_folders: Vec<String>,
    /// A send to a full channel drops the message.
    pub lose_messages: bool,
    /// Messages that are left in a channel where a run ends are a failure.
    pub empty_channels: bool,
    /// Properties that were given as formulas.
    pub formulas: Vec<String>,
    /// Properties that were given as files with automata.
    pub automata: Vec<String>,
    /// Which infinite runs count: the options of fairness by name, with their values.
    pub fairness: Vec<(String, Vec<String>)>,
}

impl Origin {
    /// As it is written.
    pub(crate) fn json(&self) -> Value {
        let define = |(name, value): &(String, String)| json!({ "name": name, "value": value });
        let fairness: Map<String, Value> =
            self.fairness.iter().map(|(name, values)| (name.clone(), values.clone().into())).collect();
        json!({
            "fingerprint": self.fingerprint,
            "defines": self.defines.iter().map(define).collect::<Vec<_>>(),
            "include_folders": self.include_folders,
            "lose_messages": self.lose_messages,
            "empty_channels": self.empty_channels,
            "ltl": self.formulas,
            "automata": self.automata,
            "fairness": fairness,
        })
    }

    /// What was written. What is missing is as if nobody had asked for it.
    pub(crate) fn read(object: &Map<String, Value>) -> Result<Self, String> {
        let list =
            |key: &str| field(object, key, "a list", Value::as_array).map(|list| list.cloned().unwrap_or_default());
        let switch = |key: &str| field(object, key, "`true` or `false`", Value::as_bool).map(Option::unwrap_or_default);
        let mut origin = Self {
            fingerprint: field(object, "fingerprint", "a text", Value::as_str)?.map(str::to_owned),
            include_folders: texts("include_folders", &list("include_folders")?)?,
            lose_messages: switch("lose_messages")?,
            empty_channels: switch("empty_channels")?,
            formulas: texts("ltl", &list("ltl")?)?,
            automata: texts("automata", &list("automata")?)?,
            ..Self::default()
        };
        for define in list("defines")? {
            let text = |key: &str| define.get(key).and_then(Value::as_str).map(str::to_owned);
            let define = text("name").zip(text("value")).ok_or("a definition in `defines` has no name or no value")?;
            origin.defines.push(define);
        }
        for (name, values) in field(object, "fairness", "an object", Value::as_object)?.into_iter().flatten() {
            let values = values.as_array().ok_or("a field of `fairness` is no list")?;
            origin.fairness.push((name.clone(), texts("fairness", values)?));
        }
        Ok(origin)
    }
}

/// The values of a list of texts.
fn texts(key: &str, list: &[Value]) -> Result<Vec<String>, String> {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    list.iter().map(|value| text(value).ok_or_else(|| format!("`{key}` holds more than texts"))).collect()
}
