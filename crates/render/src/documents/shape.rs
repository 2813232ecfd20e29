//! The JSON Schema of documents, and what is wrong with a value that is to be one.

use super::ErrorsDocument;
use lariat_base::document::{Described, FieldShape, ObjectShape, Presence, Shape};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// What is wrong with the value, if anything is; `name` says what it is.
fn objection(shape: &Shape, name: &str, value: &Value) -> Option<String> {
    let is = match shape {
        Shape::Any => true,
        Shape::Text => value.is_string(),
        Shape::Word(words) => value.as_str().is_some_and(|word| words.contains(&word)),
        Shape::Truth => value.is_boolean(),
        Shape::Count(most) => value.as_u64().is_some_and(|count| count <= *most),
        Shape::Integer => value.is_i64(),
        Shape::Number => value.is_number(),
        Shape::Content => value.is_number() || value.is_string() || value.is_array(),
        Shape::List(item) => match value.as_array() {
            Some(items) => return items.iter().find_map(|value| objection(item, name, value)),
            None => false,
        },
        Shape::Pair(item) => match value.as_array() {
            Some(items) if items.len() == 2 => {
                return items.iter().find_map(|value| objection(item, name, value));
            }
            _ => false,
        },
        Shape::Table(item) => match value.as_object() {
            Some(fields) => return fields.iter().find_map(|(_, value)| objection(item, name, value)),
            None => false,
        },
        Shape::Either(shapes) => shapes.iter().any(|shape| objection(shape, name, value).is_none()),
        Shape::OrNull(_) if value.is_null() => true,
        Shape::OrNull(shape) => return objection(shape, name, value),
        Shape::Object(object) => match value.as_object() {
            Some(fields) => return object().fields.iter().find_map(|field| field_objection(field, fields)),
            None => false,
        },
    };
    (!is).then(|| format!("the field `{name}` is not {}", words(shape)))
}

fn words(shape: &Shape) -> String {
    match shape {
        Shape::Any | Shape::Content | Shape::Either(_) => "a value".to_owned(),
        Shape::Text => "a text".to_owned(),
        Shape::Word(texts) => format!("one of {}", texts.join(", ")),
        Shape::Truth => "`true` or `false`".to_owned(),
        Shape::Count(u64::MAX) | Shape::Integer | Shape::Number => "a number".to_owned(),
        Shape::Count(most) => format!("a number from 0 to {most}"),
        Shape::List(_) => "a list".to_owned(),
        Shape::Pair(_) => "a list of two".to_owned(),
        Shape::Table(_) | Shape::Object(_) => "an object".to_owned(),
        Shape::OrNull(shape) => words(shape),
    }
}

/// The JSON Schema of a shape. The objects in it are added to `known`, by name.
fn schema(shape: &Shape, known: &mut BTreeMap<&'static str, Value>) -> Value {
    match shape {
        Shape::Any => json!({}),
        Shape::Text => json!({ "type": "string" }),
        Shape::Word(words) => json!({ "enum": words }),
        Shape::Truth => json!({ "type": "boolean" }),
        Shape::Count(u64::MAX) => json!({ "type": "integer", "minimum": 0 }),
        Shape::Count(most) => json!({ "type": "integer", "minimum": 0, "maximum": most }),
        Shape::Integer => json!({ "type": "integer" }),
        Shape::Number => json!({ "type": "number" }),
        Shape::List(item) => json!({ "type": "array", "items": schema(item, known) }),
        Shape::Pair(item) => {
            json!({ "type": "array", "items": schema(item, known), "minItems": 2, "maxItems": 2 })
        }
        Shape::Table(item) => json!({ "type": "object", "additionalProperties": schema(item, known) }),
        Shape::Either(shapes) => {
            let shapes: Vec<Value> = shapes.iter().map(|shape| schema(shape, known)).collect();
            json!({ "anyOf": shapes })
        }
        Shape::OrNull(shape) => json!({ "anyOf": [schema(shape, known), { "type": "null" }] }),
        Shape::Content => {
            let value = json!({ "type": ["integer", "string"] });
            let messages = json!({ "type": "array", "items": { "type": "array", "items": value } });
            json!({ "anyOf": [value, messages] })
        }
        Shape::Object(object) => {
            let object = object();
            if !known.contains_key(object.name) {
                // It may be part of itself.
                known.insert(object.name, Value::Null);
                let schema = object_schema(&object, known);
                known.insert(object.name, schema);
            }
            json!({ "$ref": format!("#/$defs/{}", object.name) })
        }
    }
}

fn field_objection(field: &FieldShape, fields: &Map<String, Value>) -> Option<String> {
    match fields.get(field.name) {
        None if field.presence == Presence::Required => Some(format!("the field `{}` is missing", field.name)),
        None => None,
        Some(Value::Null) if field.presence == Presence::Optional => None,
        Some(value) => objection(&field.shape, field.name, value),
    }
}

fn object_schema(object: &ObjectShape, known: &mut BTreeMap<&'static str, Value>) -> Value {
    let mut properties = Map::new();
    for field in &object.fields {
        let mut described = schema(&field.shape, known);
        described["description"] = field.about.clone().into();
        properties.insert(field.name.to_owned(), described);
    }
    let required = object.fields.iter().filter(|field| field.presence != Presence::Optional);
    let required: Vec<&str> = required.map(|field| field.name).collect();
    json!({ "description": object.about, "type": "object", "properties": properties, "required": required })
}

/// The JSON Schema of documents of a type.
pub(crate) fn schema_of<T: Described>(title: &str) -> Value {
    whole_schema(&T::shape(), title)
}

/// The JSON Schema of what a command prints: a document of a type, or one that says what is wrong.
pub(crate) fn printed_schema<T: Described>(title: &str) -> Value {
    whole_schema(&Shape::Either(vec![T::shape(), ErrorsDocument::shape()]), title)
}

/// The JSON Schema of what is one of several documents.
pub(crate) fn one_of_schema(shapes: &[Shape], title: &str) -> Value {
    whole_schema(&Shape::Either(shapes.to_vec()), title)
}

fn whole_schema(shape: &Shape, title: &str) -> Value {
    let mut known = BTreeMap::new();
    let whole = schema(shape, &mut known);
    let definitions: Map<String, Value> = known.into_iter().map(|(name, schema)| (name.to_owned(), schema)).collect();
    let mut schema = json!({ "$schema": "https://json-schema.org/draft/2020-12/schema", "title": title });
    whole.as_object().into_iter().flatten().for_each(|(key, value)| schema[key] = value.clone());
    schema["$defs"] = definitions.into();
    schema
}

/// Reads a value from its text. An error says which field is wrong.
pub(crate) fn read<T: Described + DeserializeOwned>(name: &str, text: &str) -> Result<T, String> {
    serde_json::from_str(text).map_err(|error| match serde_json::from_str(text) {
        Ok(value) => objection(&T::shape(), name, &value).unwrap_or_else(|| format!("it cannot be read: {error}")),
        Err(_) => format!("it cannot be read: {error}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use lariat_engine::{Replacement, StoreKind};

    /// The words of stores are written by hand, since they have options; and those of `lariat-store`, which knows no documents.
    #[test]
    fn stores_are_written_as_they_are_described() {
        let replacements = [Replacement::Random, Replacement::Oldest, Replacement::LeastUsed];
        let caches = replacements.map(|replacement| StoreKind::Cache { replacement });
        for store in StoreKind::ALL.into_iter().chain(caches) {
            let written = serde_json::to_value(store).expect("it can be written");
            assert_eq!(objection(&StoreKind::shape(), "store", &written), None, "{written}");
            assert_eq!(written["kind"], store.name());
        }
    }
}
