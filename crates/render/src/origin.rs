//! What made a model, beside its text: written into documents, so that a trace can be replayed with the same model.

use crate::saved::field;
use lariat_base::SourceMap;
use serde_json::{Map, Value, json};

/// The options that a model was read with.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Origin {
    /// Names for the preprocessor, with their texts.
    pub defines: Vec<(String, String)>,
    /// Where included files were looked for.
    pub include_folders: Vec<String>,
    /// A send to a full channel drops the message.
    pub lose_messages: bool,
    /// Messages that are left in a channel where a run ends are a failure.
    pub empty_channels: bool,
}

impl Origin {
    /// As it is written; with the fingerprint of the texts.
    pub(crate) fn json(&self, sources: &SourceMap) -> Value {
        let define = |(name, value): &(String, String)| json!({ "name": name, "value": value });
        json!({
            "fingerprint": fingerprint(sources),
            "defines": self.defines.iter().map(define).collect::<Vec<_>>(),
            "include_folders": self.include_folders,
            "lose_messages": self.lose_messages,
            "empty_channels": self.empty_channels,
        })
    }

    /// What was written. What is missing is as if nobody had asked for it.
    pub(crate) fn read(object: &Map<String, Value>) -> Result<Self, String> {
        let list =
            |key: &str| field(object, key, "a list", Value::as_array).map(|list| list.cloned().unwrap_or_default());
        let switch = |key: &str| field(object, key, "`true` or `false`", Value::as_bool).map(Option::unwrap_or_default);
        let mut origin = Self {
            lose_messages: switch("lose_messages")?,
            empty_channels: switch("empty_channels")?,
            ..Self::default()
        };
        for folder in list("include_folders")? {
            origin.include_folders.push(folder.as_str().ok_or("`include_folders` holds more than names")?.to_owned());
        }
        for define in list("defines")? {
            let text = |key: &str| define.get(key).and_then(Value::as_str).map(str::to_owned);
            let define = text("name").zip(text("value")).ok_or("a definition in `defines` has no name or no value")?;
            origin.defines.push(define);
        }
        Ok(origin)
    }
}

/// The fingerprint of the texts, as it is written.
pub(crate) fn fingerprint(sources: &SourceMap) -> String {
    format!("{:016x}", sources.fingerprint())
}
