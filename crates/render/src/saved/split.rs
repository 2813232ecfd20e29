//! The entries of traces, found in the text of a document without reading all of it into memory as values.

use std::ops::Range;

/// A document in two parts.
#[derive(Debug)]
pub(super) struct Split {
    /// The text of the document, where in place of the entries of each trace there is the number of their list.
    pub(super) skeleton: String,
    /// The lists: where in the text each entry is.
    pub(super) lists: Vec<Vec<Range<usize>>>,
}

/// Takes the lists `steps` of the objects `trace` out of a document. What is no JSON stays as it is, to be complained of by
/// whoever reads it.
pub(super) fn split(text: &str) -> Split {
    let mut split = Split { skeleton: String::new(), lists: Vec::new() };
    let bytes = text.as_bytes();
    // The key of each object that is open; a list has none.
    let mut keys: Vec<Option<&str>> = Vec::new();
    let mut key: Option<&str> = None;
    let (mut at, mut copied) = (0, 0);
    while at < bytes.len() {
        match bytes[at] {
            b'"' => {
                let Some(end) = string_end(bytes, at) else { break };
                let word = &text[at + 1..end - 1];
                at = end;
                let colon = space_end(bytes, at);
                if bytes.get(colon) != Some(&b':') {
                    continue;
                }
                at = space_end(bytes, colon + 1);
                key = Some(word);
                if word == "steps" && keys.last() == Some(&Some("trace")) && bytes.get(at) == Some(&b'[') {
                    let Some((entries, end)) = items(bytes, at) else { break };
                    split.skeleton.push_str(&text[copied..at]);
                    split.skeleton.push_str(&format!("[{}]", split.lists.len()));
                    split.lists.push(entries);
                    (at, copied) = (end, end);
                }
                continue;
            }
            b'{' => keys.push(key.take()),
            b'[' => {
                keys.push(None);
                key = None;
            }
            b'}' | b']' => drop(keys.pop()),
            _ => {}
        }
        at += 1;
    }
    split.skeleton.push_str(&text[copied..]);
    split
}

/// Where the items of the list that begins at `at` are, and where the list ends; `None` if it does not end.
fn items(bytes: &[u8], at: usize) -> Option<(Vec<Range<usize>>, usize)> {
    let mut items = Vec::new();
    let mut begin = space_end(bytes, at + 1);
    let (mut at, mut depth) = (begin, 0_usize);
    loop {
        match bytes.get(at)? {
            b'"' => {
                at = string_end(bytes, at)?;
                continue;
            }
            b'{' | b'[' => depth += 1,
            b']' if depth == 0 => {
                if !(items.is_empty() && begin == at) {
                    items.push(begin..at);
                }
                return Some((items, at + 1));
            }
            b'}' | b']' => depth = depth.checked_sub(1)?,
            b',' if depth == 0 => {
                items.push(begin..at);
                begin = space_end(bytes, at + 1);
                at = begin;
                continue;
            }
            _ => {}
        }
        at += 1;
    }
}

/// The place behind the string that begins at `at`.
fn string_end(bytes: &[u8], at: usize) -> Option<usize> {
    let mut at = at + 1;
    loop {
        match bytes.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}

fn space_end(bytes: &[u8], at: usize) -> usize {
    at + bytes[at.min(bytes.len())..].iter().take_while(|byte| byte.is_ascii_whitespace()).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    #[test]
    fn entries_are_those_of_the_whole_document() {
        let text = r#" {"a": ["steps", "trace"], "steps": [1], "trace": {"initial": {"steps": [2, 3], "trace": "\"steps\": ["},
            "steps": [ {"text": "a ] \" , b", "changes": {"trace": {"steps": [5]}}} , [7, [8]],9 ] , "x": 0},
            "properties": [{"trace": {"steps": []}}, {"trace": {"steps": [
               {"b": 1}
            ]}}]} "#;
        let whole: Value = serde_json::from_str(text).unwrap();
        let Split { skeleton, lists } = split(text);
        let skeleton: Value = serde_json::from_str(&skeleton).unwrap();
        assert_eq!(skeleton["trace"]["steps"], serde_json::json!([0]));
        assert_eq!((&skeleton["trace"]["initial"], &skeleton["steps"]), (&whole["trace"]["initial"], &whole["steps"]));
        let list = |number: usize| -> Value {
            lists[number].iter().map(|item| serde_json::from_str::<Value>(&text[item.clone()]).unwrap()).collect()
        };
        assert_eq!(list(0), whole["trace"]["steps"]);
        assert_eq!(list(1), whole["properties"][0]["trace"]["steps"]);
        assert_eq!(list(2), whole["properties"][1]["trace"]["steps"]);
        assert_eq!(lists.len(), 3);
    }

    #[test]
    fn what_is_no_document_is_left_alone() {
        for text in [
            "",
            "{",
            "\"",
            "{\"trace\": {\"steps\": [",
            "{\"trace\": {\"steps\": [\"\\",
            "[[]]]]",
            "{\"trace\": {\"steps\": }",
        ] {
            assert_eq!(split(text).skeleton, text);
        }
    }
}
