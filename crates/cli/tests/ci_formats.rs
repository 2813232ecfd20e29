//! The formats for CI obey their schemas, as far as we use them: every element, attribute and property is one that the schema
//! knows, with what it requires. (The rules are written here, from the JUnit schema that Jenkins uses and from SARIF 2.1.0.)

use serde_json::Value;
use std::collections::BTreeMap;
use std::process::{Command, Stdio};

/// A model whose statements are wrong, with characters that formats must escape.
const BAD: &str = "// expect: holds a&b<c>
// expect: fails safety, assertion
// expect: states 9
active proctype P() { skip }
";

fn formatted(format: &str, model: &str) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("one model 100% #é.pml"), model).expect("written");
    let mut command = Command::new(env!("CARGO_BIN_EXE_lariat"));
    let output = command.args(["test", "--format", format]).current_dir(folder.path()).stdin(Stdio::null()).output();
    String::from_utf8(output.expect("the program starts").stdout).expect("UTF-8")
}

/// An element of XML: its name, attributes and elements inside.
#[derive(Debug)]
struct Element {
    name: String,
    attributes: BTreeMap<String, String>,
    inside: Vec<Element>,
}

/// Reads a document without comments and CDATA; panics if it is not well formed.
fn parse_xml(text: &str) -> Element {
    let rest = text.strip_prefix("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n").expect("the declaration");
    let (root, rest) = parse_element(rest.trim_start());
    assert_eq!(rest.trim(), "", "one root");
    root
}

fn parse_element(text: &str) -> (Element, &str) {
    let text = text.strip_prefix('<').unwrap_or_else(|| panic!("an element at {text:.40}"));
    let end = text.find(|c: char| c.is_whitespace() || c == '>' || c == '/').expect("a name ends");
    let (name, mut rest) = text.split_at(end);
    let mut element = Element { name: name.to_owned(), attributes: BTreeMap::new(), inside: Vec::new() };
    loop {
        rest = rest.trim_start();
        if let Some(after) = rest.strip_prefix("/>") {
            return (element, after);
        }
        if let Some(after) = rest.strip_prefix('>') {
            rest = after;
            break;
        }
        let (attribute, after) = rest.split_once("=\"").expect("an attribute");
        let (value, after) = after.split_once('"').expect("its end");
        assert_text(value);
        let again = element.attributes.insert(attribute.to_owned(), value.to_owned());
        assert_eq!(again, None, "{attribute} stands once");
        rest = after;
    }
    loop {
        let (characters, after) = rest.split_at(rest.find('<').expect("the element is closed"));
        assert_text(characters);
        if let Some(after) = after.strip_prefix(&format!("</{name}>")) {
            return (element, after);
        }
        let (child, after) = parse_element(after);
        element.inside.push(child);
        rest = after;
    }
}

fn assert_text(text: &str) {
    assert!(!text.contains('<') && !text.contains('>'), "{text}");
    for (at, _) in text.match_indices('&') {
        let known = ["&amp;", "&lt;", "&gt;", "&quot;", "&apos;"].iter().any(|entity| text[at..].starts_with(entity));
        assert!(known, "{text}");
    }
    assert!(text.chars().all(|c| !c.is_control() || matches!(c, '\n' | '\t' | '\r')), "{text}");
}

impl Element {
    /// Its name is this one, it has the required attributes, and no others than the allowed ones.
    #[track_caller]
    fn obeys(&self, name: &str, required: &[&str], allowed: &[&str]) {
        assert_eq!(self.name, name);
        required.iter().for_each(|key| assert!(self.attributes.contains_key(*key), "{key} in {self:?}"));
        for key in self.attributes.keys() {
            assert!(required.contains(&key.as_str()) || allowed.contains(&key.as_str()), "{key} of {name}");
        }
    }
    fn number(&self, key: &str) -> f64 {
        self.attributes[key].parse().expect("a number")
    }
}

#[test]
fn junit_obeys_its_schema() {
    let counts = ["time", "tests", "failures", "disabled", "errors"];
    for model in [BAD, "// expect: holds safety\nactive proctype P() { skip }\n", "// expect: nonsense\n"] {
        let root = parse_xml(&formatted("junit", model));
        root.obeys("testsuites", &[], &[&counts[..], &["name"]].concat());
        let (mut tests, mut failures) = (0, 0);
        for suite in &root.inside {
            let more = ["skipped", "timestamp", "hostname", "id", "package"];
            suite.obeys("testsuite", &["name", "tests"], &[&counts[..], &more].concat());
            let failed = suite.inside.iter().filter(|case| !case.inside.is_empty()).count();
            assert_eq!((suite.number("tests"), suite.number("failures")), (suite.inside.len() as f64, failed as f64));
            (tests, failures) = (tests + suite.inside.len(), failures + failed);
            for case in &suite.inside {
                case.obeys("testcase", &["name", "classname"], &["time", "assertions", "status"]);
                assert!(case.number("time") >= 0.0);
                case.inside.iter().for_each(|failure| failure.obeys("failure", &[], &["type", "message"]));
            }
        }
        assert_eq!((root.number("tests"), root.number("failures")), (tests as f64, failures as f64));
        assert!(tests > 0);
    }
}

/// The object has the required properties, and no others than the allowed ones: the schema of SARIF forbids them.
#[track_caller]
fn obeys(object: &Value, required: &[&str], allowed: &[&str]) {
    let object = object.as_object().expect("an object");
    required.iter().for_each(|key| assert!(object.contains_key(*key), "{key} in {object:?}"));
    for key in object.keys() {
        assert!(required.contains(&key.as_str()) || allowed.contains(&key.as_str()), "{key} in {object:?}");
    }
}

#[test]
fn sarif_obeys_its_schema() {
    for (model, is_wrong) in [(BAD, true), ("// expect: holds safety\nactive proctype P() { skip }\n", false)] {
        let log: Value = serde_json::from_str(&formatted("sarif", model)).expect("JSON");
        obeys(&log, &["version", "runs"], &["$schema"]);
        assert_eq!(log["version"], "2.1.0");
        for run in log["runs"].as_array().expect("a list") {
            obeys(run, &["tool"], &["results"]);
            obeys(&run["tool"], &["driver"], &[]);
            let driver = &run["tool"]["driver"];
            obeys(driver, &["name"], &["version", "rules", "informationUri"]);
            let rules: Vec<&str> = (driver["rules"].as_array().expect("a list").iter())
                .map(|rule| {
                    obeys(rule, &["id"], &["shortDescription", "fullDescription", "helpUri", "name"]);
                    obeys(&rule["shortDescription"], &["text"], &["markdown"]);
                    rule["id"].as_str().expect("a name")
                })
                .collect();
            let results = run["results"].as_array().expect("a list");
            assert_eq!(!results.is_empty(), is_wrong);
            for result in results {
                obeys(result, &["message"], &["ruleId", "level", "locations"]);
                obeys(&result["message"], &["text"], &["markdown", "id", "arguments"]);
                assert!(rules.contains(&result["ruleId"].as_str().expect("a name")));
                assert!(["none", "note", "warning", "error"].contains(&result["level"].as_str().expect("a level")));
                for location in result["locations"].as_array().expect("a list") {
                    obeys(location, &[], &["physicalLocation", "id", "message"]);
                    let place = &location["physicalLocation"];
                    obeys(place, &["artifactLocation"], &["region"]);
                    obeys(&place["artifactLocation"], &["uri"], &["uriBaseId", "index"]);
                    let uri = place["artifactLocation"]["uri"].as_str().expect("a reference");
                    assert_eq!(uri, "one%20model%20100%25%20%23%C3%A9.pml", "a reference is of ASCII");
                    obeys(&place["region"], &["startLine"], &["startColumn", "endLine", "endColumn"]);
                    assert!(place["region"]["startLine"].as_u64() >= Some(1));
                }
            }
        }
    }
}

#[test]
fn tap_has_its_version_a_plan_and_numbered_lines() {
    let text = formatted("tap", BAD);
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("TAP version 13"));
    let plan = lines.next_back().and_then(|plan| plan.strip_prefix("1..")).expect("a plan");
    let results: Vec<&str> = lines.filter(|line| !line.starts_with('#')).collect();
    assert_eq!(plan, results.len().to_string());
    for (number, line) in results.iter().enumerate() {
        let rest = line.strip_prefix("not ").unwrap_or(line);
        assert!(rest.starts_with(&format!("ok {} - ", number + 1)), "{line}");
        // An unescaped one would begin a directive.
        assert_eq!(line.matches('#').count(), line.matches("\\#").count(), "{line}");
    }
    assert!(results.iter().any(|line| line.starts_with("not ok")));
}

#[test]
fn annotations_for_github_name_files_as_the_repository_does() {
    let text = formatted("github", BAD);
    let mut lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.pop(), Some("1 run, 1 failed"));
    assert!(!lines.is_empty());
    for line in lines {
        let (head, message) =
            line.strip_prefix("::error ").and_then(|rest| rest.split_once("::")).expect("an annotation");
        assert!(head.starts_with("file=one model 100%25 #é.pml,line="), "{head}");
        assert!(!message.is_empty());
    }
}
