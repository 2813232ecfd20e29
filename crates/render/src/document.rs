//! JSON documents that are written piece by piece: a trace may have more entries than fit into memory as values.

use crate::json::entry_json;
use crate::results::shortfall_word;
use crate::{TraceView, WriteLimit};
use serde_json::{Map, Value, json};
use std::fmt::{self, Write};

/// A JSON value. Written with [`Display`](fmt::Display): two spaces for each level, and each entry of a trace on one line.
#[derive(Debug)]
pub enum Json<'a> {
    /// A value that is there.
    Plain(Value),
    /// An object.
    Object(Fields<'a>),
    /// A list.
    List(Vec<Json<'a>>),
    /// The entries of a trace, made one by one while they are written.
    Entries(Box<TraceView<'a>>, Option<&'a WriteLimit<'a>>),
}

/// The fields of an object, in order.
#[derive(Debug, Default)]
pub struct Fields<'a> {
    fields: Vec<(String, Json<'a>)>,
}

impl<'a> Fields<'a> {
    /// Adds a field.
    pub fn put(&mut self, key: &str, value: Json<'a>) {
        self.fields.push((key.to_owned(), value));
    }
}

impl<'a> From<Fields<'a>> for Json<'a> {
    fn from(fields: Fields<'a>) -> Self {
        Self::Object(fields)
    }
}

/// What becomes a value as it is.
macro_rules! plain {
    ($($ty:ty),*) => {$(
        impl From<$ty> for Json<'_> {
            fn from(value: $ty) -> Self {
                Self::Plain(value.into())
            }
        }
    )*};
}
plain!(Value, &str, String, bool, u32, u64, usize, f64, Map<String, Value>);

impl FromIterator<Value> for Json<'_> {
    fn from_iter<I: IntoIterator<Item = Value>>(items: I) -> Self {
        Self::Plain(items.into_iter().collect())
    }
}

impl<'a> FromIterator<Json<'a>> for Json<'a> {
    fn from_iter<I: IntoIterator<Item = Json<'a>>>(items: I) -> Self {
        Self::List(items.into_iter().collect())
    }
}

impl fmt::Display for Fields<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_fields(f, &self.fields, 0)
    }
}

impl fmt::Display for Json<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f, 0).map(drop)
    }
}

impl Json<'_> {
    /// Writes the value, whose first line is indented already. Of a trace that was cut: why, and after how many entries.
    fn write(&self, f: &mut fmt::Formatter<'_>, indent: usize) -> Result<Option<Value>, fmt::Error> {
        match self {
            Self::Plain(value) => write_value(f, value, indent)?,
            Self::Object(Fields { fields }) => write_fields(f, fields, indent)?,
            Self::List(items) if items.is_empty() => f.write_str("[]")?,
            Self::List(items) => {
                for (number, item) in items.iter().enumerate() {
                    let sign = if number == 0 { '[' } else { ',' };
                    write!(f, "{sign}\n{:indent$}  ", "")?;
                    item.write(f, indent + 2)?;
                }
                write!(f, "\n{:indent$}]", "")?;
            }
            Self::Entries(view, limit) => return write_entries(f, view, *limit, indent),
        }
        Ok(None)
    }
}

fn write_fields(f: &mut fmt::Formatter<'_>, fields: &[(String, Json<'_>)], indent: usize) -> fmt::Result {
    if fields.is_empty() {
        return f.write_str("{}");
    }
    f.write_char('{')?;
    let mut first = true;
    for (key, value) in fields {
        write_key(f, key, indent + 2, &mut first)?;
        if let Some(cut) = value.write(f, indent + 2)? {
            write_key(f, "cut", indent + 2, &mut first)?;
            write_value(f, &cut, indent + 2)?;
        }
    }
    write!(f, "\n{:indent$}}}", "")
}

fn write_key(f: &mut fmt::Formatter<'_>, key: &str, indent: usize, first: &mut bool) -> fmt::Result {
    let sign = if std::mem::take(first) { "" } else { "," };
    write!(f, "{sign}\n{:indent$}{}: ", "", Value::from(key))
}

fn write_value(f: &mut fmt::Formatter<'_>, value: &Value, indent: usize) -> fmt::Result {
    // No line ends inside a text: there it is `\n`.
    let text = format!("{value:#}");
    for (number, line) in text.lines().enumerate() {
        if number > 0 {
            write!(f, "\n{:indent$}", "")?;
        }
        f.write_str(line)?;
    }
    Ok(())
}

fn write_entries(
    f: &mut fmt::Formatter<'_>,
    view: &TraceView<'_>,
    limit: Option<&WriteLimit<'_>>,
    indent: usize,
) -> Result<Option<Value>, fmt::Error> {
    let mut written = 0;
    let mut cut = None;
    for entry in view.entries() {
        if let Some(shortfall) = limit.and_then(|limit| limit.met(written)) {
            cut = Some(json!({ "reason": shortfall_word(&shortfall), "steps": written }));
            break;
        }
        let sign = if written == 0 { '[' } else { ',' };
        write!(f, "{sign}\n{:indent$}  {}", "", entry_json(&entry))?;
        written += 1;
    }
    if written == 0 {
        f.write_str("[]")?
    } else {
        write!(f, "\n{:indent$}]", "")?
    }
    Ok(cut)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_written_as_others_write_them() {
        let value = json!({
            "a": [1, [], {}, { "b": "x\ny", "c": null }], "d": {}, "e": "\"", "f": [[1], [2, 3]]
        });
        assert_eq!(Json::Plain(value.clone()).to_string(), format!("{value:#}"));
        let mut fields = Fields::default();
        for (key, value) in value.as_object().into_iter().flatten() {
            match value {
                Value::Array(items) => {
                    fields.put(key, Json::List(items.iter().cloned().map(Json::Plain).collect()));
                }
                other => fields.put(key, other.clone().into()),
            }
        }
        assert_eq!(Json::Object(fields).to_string(), format!("{value:#}"));
        assert_eq!(Json::Object(Fields::default()).to_string(), "{}");
    }
}
