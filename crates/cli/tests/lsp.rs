//! `lariat lsp`, driven over its protocol.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Answers are due within this time: in a release build within 100 ms. This is an unoptimised one on a busy machine.
const SOON: Duration = Duration::from_millis(if cfg!(debug_assertions) { 3000 } else { 100 });

struct Client {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    folder: TempDir,
    next: i64,
    /// Notifications that came while an answer was waited for.
    heard: Vec<Value>,
}

impl Client {
    fn new(options: Value) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let mut child = Command::new(env!("CARGO_BIN_EXE_lariat"))
            .arg("lsp")
            .current_dir(folder.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the program starts");
        let (input, output) = (child.stdin.take().expect("a pipe"), child.stdout.take().expect("a pipe"));
        let mut client = Self { child, input, output: BufReader::new(output), folder, next: 1, heard: Vec::new() };
        let capabilities = json!({ "window": { "workDoneProgress": true } });
        let params = json!({ "processId": null, "rootUri": null, "capabilities": capabilities, "initializationOptions": options });
        let answer = client.ask("initialize", params);
        assert_eq!(answer["capabilities"]["positionEncoding"], "utf-16", "{answer}");
        client.tell("initialized", json!({}));
        client
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }
    fn uri(&self, name: &str) -> String {
        format!("file://{}", self.path(name).display())
    }

    fn write(&mut self, bytes: &[u8]) {
        self.input.write_all(bytes).expect("it listens");
        self.input.flush().expect("it listens");
    }
    fn send(&mut self, message: &Value) {
        let body = message.to_string();
        self.write(format!("Content-Length: {}\r\n\r\n{body}", body.len()).as_bytes());
    }
    fn tell(&mut self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }
    fn receive(&mut self) -> Value {
        let mut length = 0;
        loop {
            let mut line = String::new();
            assert!(self.output.read_line(&mut line).expect("a line") > 0, "the server ended");
            if let Some(number) = line.strip_prefix("Content-Length: ") {
                length = number.trim().parse().expect("a length");
            } else if line.trim().is_empty() {
                break;
            }
        }
        let mut body = vec![0; length];
        self.output.read_exact(&mut body).expect("a body");
        serde_json::from_slice(&body).expect("JSON")
    }
    fn begin(&mut self, method: &str, params: Value) -> i64 {
        let id = self.next;
        self.next += 1;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        id
    }
    /// The whole answer to a request.
    fn end(&mut self, id: i64) -> Value {
        loop {
            let message = self.receive();
            if message["id"] == id && message.get("method").is_none() {
                return message;
            }
            self.heard.push(message);
        }
    }
    fn ask_whole(&mut self, method: &str, params: Value) -> Value {
        let id = self.begin(method, params);
        self.end(id)
    }
    fn ask(&mut self, method: &str, params: Value) -> Value {
        let answer = self.ask_whole(method, params);
        assert!(answer.get("error").is_none(), "{method}: {answer}");
        answer["result"].clone()
    }

    fn open(&mut self, name: &str, text: &str) {
        let document = json!({ "uri": self.uri(name), "languageId": "promela", "version": 1, "text": text });
        self.tell("textDocument/didOpen", json!({ "textDocument": document }));
    }
    fn change(&mut self, name: &str, text: &str) {
        let document = json!({ "uri": self.uri(name), "version": 2 });
        self.tell("textDocument/didChange", json!({ "textDocument": document, "contentChanges": [{ "text": text }] }));
    }
    /// The next diagnostics of a file.
    fn diagnostics(&mut self, name: &str) -> Vec<Value> {
        let uri = self.uri(name);
        let is_it =
            |message: &Value| message["method"] == "textDocument/publishDiagnostics" && message["params"]["uri"] == uri;
        loop {
            let message = match self.heard.iter().position(is_it) {
                Some(at) => self.heard.remove(at),
                None => self.receive(),
            };
            if is_it(&message) {
                return message["params"]["diagnostics"].as_array().expect("a list").clone();
            }
            self.heard.push(message);
        }
    }
    /// A request about the first occurrence of `marker` in a text, plus an offset in characters.
    fn at(&self, name: &str, text: &str, marker: &str, offset: usize) -> Value {
        let byte = text.find(marker).unwrap_or_else(|| panic!("no `{marker}`"));
        let line = text[..byte].matches('\n').count();
        let column = text[..byte].rsplit('\n').next().expect("a line").encode_utf16().count() + offset;
        json!({ "textDocument": { "uri": self.uri(name) }, "position": { "line": line, "character": column } })
    }
    fn hover(&mut self, name: &str, text: &str, marker: &str) -> String {
        let params = self.at(name, text, marker, 0);
        let answer = self.ask("textDocument/hover", params);
        answer["contents"]["value"].as_str().unwrap_or_else(|| panic!("nothing known of {marker}")).to_owned()
    }
    fn definition(&mut self, name: &str, text: &str, marker: &str) -> Vec<(i64, i64)> {
        let params = self.at(name, text, marker, 0);
        starts(&self.ask("textDocument/definition", params))
    }
    fn rename(&mut self, name: &str, text: &str, marker: &str, new: &str) -> Result<String, String> {
        let mut params = self.at(name, text, marker, 0);
        params["newName"] = json!(new);
        let answer = self.ask_whole("textDocument/rename", params);
        if let Some(error) = answer.get("error") {
            return Err(error["message"].as_str().expect("words").to_owned());
        }
        let edits = answer["result"]["changes"][self.uri(name)].as_array().expect("edits").clone();
        let mut lines: Vec<Vec<u16>> = text.split('\n').map(|line| line.encode_utf16().collect()).collect();
        let mut places: Vec<(usize, usize, usize)> = edits
            .iter()
            .map(|edit| {
                let number = |value: &Value| value.as_u64().expect("a number") as usize;
                let (start, end) = (&edit["range"]["start"], &edit["range"]["end"]);
                (number(&start["line"]), number(&start["character"]), number(&end["character"]))
            })
            .collect();
        places.sort_unstable();
        for (line, start, end) in places.into_iter().rev() {
            lines[line].splice(start..end, new.encode_utf16());
        }
        let lines: Vec<String> = lines.iter().map(|line| String::from_utf16(line).expect("text")).collect();
        Ok(lines.join("\n"))
    }
    fn shut_down(mut self) {
        assert_eq!(self.ask("shutdown", Value::Null), Value::Null);
        self.tell("exit", Value::Null);
        assert_eq!(self.child.wait().expect("it ends").code(), Some(0));
    }
}

fn starts(locations: &Value) -> Vec<(i64, i64)> {
    let start = |location: &Value| {
        let start = &location["range"]["start"];
        (start["line"].as_i64().expect("a line"), start["character"].as_i64().expect("a column"))
    };
    locations.as_array().expect("locations").iter().map(start).collect()
}

const MODEL: &str = "\
#define N 3
mtype = { red, green }
typedef Pair { byte left; byte right = 2 }
byte count = 1;
mtype light;
Pair pair;
chan q = [2] of { byte, mtype };

inline bump(v, by) { v = v + by }

proctype P(byte who) {
  byte own = 4;
again:
  if
  :: count < N -> bump(count, 1); pair.left = own; goto again
  :: else -> q!who, red
  fi
}

init { run P(1); light = green }

ltl small { [] (count <= N) }
ltl gone { <> P@again }
never { do :: count == 7 -> break :: else od }
";

#[test]
fn names_are_found_described_and_listed() {
    let mut client = Client::new(Value::Null);
    client.open("a.pml", MODEL);
    let found = client.diagnostics("a.pml");
    assert!(found.iter().all(|found| found["severity"] != 1), "{found:?}");
    let named = |client: &mut Client, marker: &str| client.definition("a.pml", MODEL, marker);
    assert_eq!(named(&mut client, "count < N"), [(3, 5)]);
    assert_eq!(named(&mut client, "count <= N"), [(3, 5)], "in a formula");
    assert_eq!(named(&mut client, "count == 7"), [(3, 5)], "in a claim");
    assert_eq!(named(&mut client, "N ->"), [(0, 8)], "a macro");
    assert_eq!(named(&mut client, "bump(count"), [(8, 7)], "an inline");
    assert_eq!(named(&mut client, "v + by"), [(8, 12)], "a parameter of an inline");
    assert_eq!(named(&mut client, "left = own"), [(2, 20)], "a field");
    assert_eq!(named(&mut client, "own; goto"), [(11, 7)], "a local");
    assert_eq!(named(&mut client, "again\n  :: else"), [(12, 0)], "a label");
    assert_eq!(named(&mut client, "again }"), [(12, 0)], "a label in a formula");
    assert_eq!(named(&mut client, "P@again"), [(10, 9)], "a proctype in a formula");
    assert_eq!(named(&mut client, "red\n"), [(1, 10)], "a constant");
    assert_eq!(named(&mut client, "Pair pair"), [(2, 8)], "a type");
    assert_eq!(named(&mut client, "who, red"), [(10, 16)], "a parameter");

    let hover = client.hover("a.pml", MODEL, "count < N");
    assert!(hover.contains("byte count = 1") && hover.contains("values 0 to 255"), "{hover}");
    assert!(hover.contains("initially 1"), "{hover}");
    let hover = client.hover("a.pml", MODEL, "light =");
    assert!(hover.contains("values 0, red, green"), "{hover}");
    let hover = client.hover("a.pml", MODEL, "q!who");
    assert!(hover.contains("room for 2 messages of { byte, mtype }"), "{hover}");
    let hover = client.hover("a.pml", MODEL, "own; goto");
    assert!(hover.contains("in `P`") && hover.contains("initially 4"), "{hover}");
    assert!(client.hover("a.pml", MODEL, "N ->").contains("#define N 3"));
    assert!(client.hover("a.pml", MODEL, "P(1)").contains("proctype P(byte who)"));

    let mut params = client.at("a.pml", MODEL, "count = 1", 0);
    params["context"] = json!({ "includeDeclaration": true });
    let uses = starts(&client.ask("textDocument/references", params));
    assert_eq!(uses.len(), 5, "{uses:?}");

    let document = json!({ "textDocument": { "uri": client.uri("a.pml") } });
    let outline = client.ask("textDocument/documentSymbol", document);
    let names: Vec<&str> = outline.as_array().expect("a list").iter().filter_map(|one| one["name"].as_str()).collect();
    for name in ["N", "red", "Pair", "count", "bump", "P", "init", "small", "gone"] {
        assert!(names.contains(&name), "{name}: {names:?}");
    }
    let process = outline.as_array().expect("a list").iter().find(|one| one["name"] == "P").expect("P");
    let inside: Vec<&str> =
        process["children"].as_array().expect("children").iter().filter_map(|one| one["name"].as_str()).collect();
    assert_eq!(inside, ["who", "own", "again"]);

    let params = client.at("a.pml", MODEL, "own; goto", 0);
    let labels = |items: &Value| -> Vec<String> {
        items.as_array().expect("a list").iter().filter_map(|item| item["label"].as_str().map(str::to_owned)).collect()
    };
    let items = labels(&client.ask("textDocument/completion", params));
    assert!(["own", "count", "bump", "atomic"].iter().all(|name| items.iter().any(|item| item == name)), "{items:?}");
    let params = client.at("a.pml", MODEL, "light = green", 0);
    let items = labels(&client.ask("textDocument/completion", params));
    assert!(!items.contains(&"own".to_owned()), "a local of another process: {items:?}");
    client.shut_down();
}

#[test]
fn renaming_changes_all_places_or_says_why_not() {
    let mut client = Client::new(Value::Null);
    client.open("a.pml", MODEL);
    let renamed = client.rename("a.pml", MODEL, "count < N", "total").expect("it can be changed");
    assert_eq!(renamed, MODEL.replace("count", "total"));
    let renamed = client.rename("a.pml", MODEL, "N ->", "LIMIT").expect("a macro can be changed");
    assert_eq!(renamed, MODEL.replace("N 3", "LIMIT 3").replace("< N", "< LIMIT").replace("<= N", "<= LIMIT"));
    let refusals =
        [("count < N", "own", "is used already"), ("count < N", "do", "not a name"), ("count < N", "1x", "not a name")];
    for (marker, new, why) in refusals {
        let message = client.rename("a.pml", MODEL, marker, new).expect_err("refused");
        assert!(message.contains(why), "{message}");
    }
    assert!(client.rename("a.pml", MODEL, "init", "other").is_err());

    // Macros: a name in the body of one that is used is changed there, of one that is not used there is no knowing.
    let text = "#define INC(v) v = v + x\n#define TWICE x + x\nbyte x, y;\nactive proctype P() { INC(y); x = TWICE }\n";
    client.open("b.pml", text);
    let renamed = client.rename("b.pml", text, "x, y", "z").expect("it can be changed");
    assert_eq!(
        renamed,
        "#define INC(v) v = v + z\n#define TWICE z + z\nbyte z, y;\nactive proctype P() { INC(y); z = TWICE }\n"
    );
    let unused = text.replace("x = TWICE", "x = 1");
    client.open("c.pml", &unused);
    let message = client.rename("c.pml", &unused, "x, y", "z").expect_err("refused");
    assert!(message.contains("line 2 of c.pml") && message.contains("not read"), "{message}");
    let skipped = "byte x;\n#if 0\nbyte q = x;\n#endif\nactive proctype P() { x = 1 }\n";
    client.open("d.pml", skipped);
    assert!(client.rename("d.pml", skipped, "x;", "z").expect_err("refused").contains("line 3 of d.pml"));
    let pasted = "#define JOIN(a, b) a##b\nbyte xy;\nactive proctype P() { JOIN(x, y) = 1 }\n";
    client.open("e.pml", pasted);
    assert!(client.rename("e.pml", pasted, "xy;", "z").expect_err("refused").contains("a macro makes it"));
    // In an inline a name can mean different things.
    let inline = "inline f() { x = 1 }\nactive proctype P() { byte x; f() }\nactive proctype Q() { byte x; f() }\n";
    client.open("f.pml", inline);
    assert_eq!(client.definition("f.pml", inline, "x = 1").len(), 2);
    assert!(client.rename("f.pml", inline, "x; f() }\nactive", "z").expect_err("refused").contains("different things"));
    let broken = "byte x;\nactive proctype P() { x = }\n";
    client.open("g.pml", broken);
    assert!(client.rename("g.pml", broken, "x;", "z").expect_err("refused").contains("has errors"));
    client.shut_down();
}

#[test]
fn smv_has_all_of_it_too() {
    let text = "\
MODULE cell(input)
VAR
  value : 0..7;
ASSIGN
  init(value) := 3;
  next(value) := input ? 0 : value;

MODULE main
VAR
  first : cell(go);
  go : boolean;
  light : {red, green};
DEFINE
  low := first.value < 2;
LTLSPEC NAME safe := G (low -> light = red | TRUE)
INVARSPEC first.value <= 7
";
    let mut client = Client::new(Value::Null);
    client.open("a.smv", text);
    assert!(client.diagnostics("a.smv").iter().all(|found| found["severity"] != 1));
    assert_eq!(client.definition("a.smv", text, "value < 2"), [(2, 2)]);
    assert_eq!(client.definition("a.smv", text, "cell(go)"), [(0, 7)]);
    assert_eq!(client.definition("a.smv", text, "low ->"), [(13, 2)]);
    assert_eq!(client.definition("a.smv", text, "red |"), [(11, 11)]);
    assert_eq!(client.definition("a.smv", text, "input ?"), [(0, 12)]);
    let hover = client.hover("a.smv", text, "value < 2");
    assert!(
        hover.contains("VAR value : 0..7") && hover.contains("values 0 to 7") && hover.contains("initially 3"),
        "{hover}"
    );
    let renamed = client.rename("a.smv", text, "value : 0", "content").expect("it can be changed");
    assert_eq!(renamed, text.replace("value", "content"));
    let document = json!({ "textDocument": { "uri": client.uri("a.smv") } });
    let lenses = client.ask("textDocument/codeLens", document);
    let titles: Vec<&str> =
        lenses.as_array().expect("a list").iter().filter_map(|lens| lens["command"]["title"].as_str()).collect();
    assert_eq!(titles, ["Check all", "Check safety", "Check safe", "Check invar_1"]);
    // Half of a text has an outline.
    client.change("a.smv", &text[..text.find("next(").expect("it is there") + 5]);
    assert!(client.diagnostics("a.smv").iter().any(|found| found["severity"] == 1));
    let document = json!({ "textDocument": { "uri": client.uri("a.smv") } });
    let outline = client.ask("textDocument/documentSymbol", document);
    assert_eq!(outline[0]["name"], "cell", "{outline}");
    client.shut_down();
}

#[test]
fn diagnostics_follow_what_is_typed_in_all_files() {
    let mut client = Client::new(Value::Null);
    let text = "#include \"shared.pml\"\nactive proctype P() { x = 1; y = 2; z = 3 }\nltl broken { [] undeclared }\n";
    client.open("main.pml", text);
    let found = client.diagnostics("main.pml");
    assert!(found.len() == 1 && found[0]["code"] == "P0011", "{found:?}");
    // A file that was never saved is included.
    client.open("shared.pml", "byte x;\nbyte y;\n");
    let found = client.diagnostics("main.pml");
    let messages: Vec<&str> = found.iter().filter_map(|found| found["message"].as_str()).collect();
    assert!(messages.len() == 1 && messages[0].starts_with("`z` is not declared"), "{messages:?}");
    assert_eq!(found[0]["range"]["start"], json!({ "line": 1, "character": 36 }));
    client.diagnostics("shared.pml");
    client.change("shared.pml", "byte x;\nbyte y;\nbyte z;\n");
    let found = client.diagnostics("main.pml");
    assert!(found.len() == 1 && found[0]["range"]["start"]["line"] == 2, "the formula: {found:?}");
    assert!(found[0]["message"].as_str().expect("words").contains("`undeclared` is not declared"), "{found:?}");
    let document = client.at("main.pml", text, "x = 1", 0);
    let places = client.ask("textDocument/definition", document);
    assert!(places[0]["uri"].as_str().expect("a URI").ends_with("/shared.pml"), "{places}");
    // Several at once, warnings with their help, and none when all is well.
    client.change("main.pml", "active proctype P() { a = 1; b = 2 }\n");
    let found = client.diagnostics("main.pml");
    assert_eq!(found.len(), 2, "{found:?}");
    client.change("main.pml", "byte unused;\nactive proctype P() { skip }\n");
    let found = client.diagnostics("main.pml");
    assert!(found.iter().any(|found| found["severity"] == 2 && found["code"] == "P0602"), "{found:?}");
    client.change("main.pml", "active proctype P() { skip }\n");
    assert!(client.diagnostics("main.pml").is_empty());
    // The options that a model states count.
    client.change("main.pml", "// with: -D N=2..3\nbyte x;\nactive proctype P() { x = N }\n");
    let found = client.diagnostics("main.pml");
    assert!(found.iter().all(|found| found["severity"] != 1), "{found:?}");
    client.shut_down();
}

#[test]
fn positions_count_utf_16() {
    let text = "byte x; /* \u{1F600}\u{fc} */ byte y;\nactive proctype P() { x = 1; /* \u{1F600} */ y = 1 }\n";
    let mut client = Client::new(Value::Null);
    client.open("a.pml", text);
    assert_eq!(client.definition("a.pml", text, "y = 1"), [(0, 23)]);
    assert_eq!(
        client.rename("a.pml", text, "y = 1", "z").expect("it can be changed"),
        text.replace("y;", "z;").replace("y = 1", "z = 1")
    );
    // A change in the middle of a line with wide characters.
    let document = json!({ "uri": client.uri("a.pml"), "version": 2 });
    let range = json!({ "start": { "line": 0, "character": 23 }, "end": { "line": 0, "character": 24 } });
    client.tell(
        "textDocument/didChange",
        json!({ "textDocument": document, "contentChanges": [{ "range": range, "text": "w" }] }),
    );
    let text = text.replace("y;", "w;");
    client.diagnostics("a.pml");
    let found = client.diagnostics("a.pml");
    assert!(
        found
            .iter()
            .any(|found| found["message"].as_str().is_some_and(|words| words.starts_with("`y` is not declared"))),
        "{found:?} {text}"
    );
    client.shut_down();
}

const CHECKED: &str = "\
// with: -D N=2
// expect: fails mutex, trace <= 5
// expect: holds low
byte inside;
active [N] proctype P() { do :: inside++; inside-- od }
ltl mutex { [] (inside <= 1) }
ltl low { [] (inside <= N) }
";

#[test]
fn lenses_run_checks_and_publish_what_they_find() {
    let mut client = Client::new(Value::Null);
    client.open("a.pml", CHECKED);
    client.diagnostics("a.pml");
    let document = json!({ "textDocument": { "uri": client.uri("a.pml") } });
    let lenses = client.ask("textDocument/codeLens", document);
    let lenses = lenses.as_array().expect("a list");
    let titles: Vec<&str> = lenses.iter().filter_map(|lens| lens["command"]["title"].as_str()).collect();
    assert_eq!(
        titles,
        ["Check all", "Check safety", "Check mutex", "Check low", "Check this answer", "Check this answer"]
    );
    let run = |client: &mut Client, number: usize| {
        let command = &lenses[number]["command"];
        let params = json!({ "command": command["command"], "arguments": command["arguments"] });
        client.ask("workspace/executeCommand", params)["answers"].clone()
    };
    let answers = run(&mut client, 2);
    assert_eq!((&answers[0]["name"], &answers[0]["outcome"]), (&json!("mutex"), &json!("failed")), "{answers}");
    assert!(answers[0]["text"].as_str().expect("text").contains("inside"), "{answers}");
    let found = client.diagnostics("a.pml");
    let about = found.iter().find(|found| found["source"] == "lariat check").expect("the answer is published");
    assert!(about["message"].as_str().expect("words").starts_with("mutex: fails"), "{about}");
    assert_eq!(about["range"]["start"]["line"], 5, "{about}");
    assert!(!about["relatedInformation"].as_array().expect("the run").is_empty(), "{about}");
    let methods: Vec<&str> = client.heard.iter().filter_map(|message| message["method"].as_str()).collect();
    for method in ["window/workDoneProgress/create", "$/progress", "window/showMessage"] {
        assert!(methods.contains(&method), "{method}: {methods:?}");
    }
    let answers = run(&mut client, 3);
    assert_eq!(answers[0]["outcome"], "passed", "{answers}");
    let answers = run(&mut client, 4);
    assert_eq!(answers[0]["outcome"], "passed", "{answers}");
    let answers = run(&mut client, 0);
    assert_eq!(answers.as_array().map(Vec::len), Some(3), "safety and two formulas: {answers}");
    // The unsaved text is what is checked, and old answers go away with a change.
    client.heard.clear();
    client.change("a.pml", &CHECKED.replace("expect: holds low", "expect: fails low"));
    assert!(client.diagnostics("a.pml").iter().all(|found| found["source"] != "lariat check"));
    let answers = run(&mut client, 5);
    assert_eq!(answers[0]["outcome"], "failed", "{answers}");
    let found = client.diagnostics("a.pml");
    let about = found.iter().find(|found| found["source"] == "lariat check").expect("the answer is published");
    assert_eq!(about["range"]["start"]["line"], 2, "{about}");
    client.shut_down();
}

/// More states than can be searched in the time of a test.
const LARGE: &str = "int x, y;\nactive proctype P() { do :: x++ :: y++ :: x + y == -7 -> break od }\n";

#[test]
fn checks_keep_to_limits_and_can_be_cancelled() {
    let mut client = Client::new(json!({ "checkSeconds": 1, "checkMegabytes": 64 }));
    client.open("a.pml", LARGE);
    let check = json!({ "command": "lariat.check", "arguments": [client.uri("a.pml"), { "property": "safety" }] });
    let began = Instant::now();
    let answer = client.ask("workspace/executeCommand", check);
    assert_eq!(answer["answers"][0]["outcome"], "undecided", "{answer}");
    assert!(began.elapsed() < Duration::from_secs(30));
    let mut client = Client::new(json!({ "checkSeconds": 600, "checkMegabytes": 256 }));
    client.open("a.pml", LARGE);
    let check = json!({ "command": "lariat.check", "arguments": [client.uri("a.pml"), { "property": "safety" }] });
    let id = client.begin("workspace/executeCommand", check);
    // Others are answered while it goes on.
    let hover = client.hover("a.pml", LARGE, "x++");
    assert!(hover.contains("int x"), "{hover}");
    client.tell("$/cancelRequest", json!({ "id": id }));
    let answer = client.end(id);
    assert_eq!(answer["result"]["answers"][0]["outcome"], "undecided", "{answer}");
    client.shut_down();
}

#[test]
fn garbage_does_not_end_it() {
    let mut client = Client::new(Value::Null);
    client.write(b"Content-Length: 9\r\n\r\n{\"a\": 1, ");
    client.write(b"Content-Length: 4\r\n\r\n\xff\xfe\x00\x01");
    client.write(b"nonsense\r\n\r\n");
    client.send(&json!([1, 2, 3]));
    client.send(&json!({ "jsonrpc": "2.0", "method": "textDocument/didOpen", "params": 7 }));
    client.send(&json!({ "jsonrpc": "2.0", "method": "textDocument/didChange", "params": { "textDocument": { "uri": "file:///none.pml", "version": 1 }, "contentChanges": [] } }));
    let missing = client.ask_whole("textDocument/hover", json!({ "wrong": true }));
    assert_eq!(missing["error"]["code"], -32602, "{missing}");
    let unknown = client.ask_whole("lariat/nothing", json!({}));
    assert_eq!(unknown["error"]["code"], -32601, "{unknown}");
    let position = json!({ "textDocument": { "uri": "file:///none.pml" }, "position": { "line": 0, "character": 0 } });
    assert!(client.ask_whole("textDocument/definition", position).get("error").is_some());
    for arguments in [json!([]), json!([7]), json!(["file:///none.pml", {}]), json!(["file:///none.pml"])] {
        let answer =
            client.ask_whole("workspace/executeCommand", json!({ "command": "lariat.check", "arguments": arguments }));
        assert!(answer.get("error").is_some(), "{answer}");
    }
    // Texts of all sorts: empty, of zero bytes, deep, long, of another language.
    let deep = "(".repeat(100_000);
    let long = "byte x; ".repeat(100_000);
    for (number, text) in
        ["", "\0\0\u{feff}", &deep, &long, "MODULE main", "}}}{{{", "#include \"x", "\r\r\n\r"].iter().enumerate()
    {
        for ending in ["pml", "smv", "sys", "other"] {
            let name = format!("{number}.{ending}");
            client.open(&name, text);
            client.diagnostics(&name);
            for (line, character) in [(0, 0), (0, 4_000_000_000_u32), (99, 99)] {
                let params = json!({ "textDocument": { "uri": client.uri(&name) }, "position": { "line": line, "character": character } });
                client.ask("textDocument/hover", params.clone());
                client.ask("textDocument/completion", params.clone());
                client.ask("textDocument/definition", params);
            }
            let document = json!({ "textDocument": { "uri": client.uri(&name) } });
            client.ask("textDocument/documentSymbol", document.clone());
            client.ask("textDocument/codeLens", document.clone());
            client.tell("textDocument/didClose", document);
        }
    }
    let garbage = client.heard.iter().filter(|message| message["error"]["code"] == -32700).count();
    assert!(garbage >= 4, "{garbage} messages were refused");
    client.shut_down();
}

#[test]
fn a_client_that_goes_away_ends_it() {
    let Client { mut child, input, .. } = Client::new(Value::Null);
    drop(input);
    assert_eq!(child.wait().expect("it ends").code(), Some(1));
}

/// A model of this many lines, with all kinds of names.
fn long_model(lines: usize) -> String {
    let mut text = "mtype = { red, green }\ntypedef T { byte a; byte b[3] }\n".to_owned();
    let mut number = 0;
    while text.lines().count() + 10 < lines {
        text.push_str(&format!(
            "byte v{number};\nT t{number};\ninline f{number}(x) {{ x = x + v{number} }}\nproctype P{number}(byte p) {{\n  \
             byte own;\nagain:\n  if\n  :: v{number} < 3 -> f{number}(own); t{number}.b[1] = p; goto again\n  :: else\n  fi\n}}\n\
             ltl l{number} {{ [] (v{number} < 4 || t{number}.a == 0) }}\n"
        ));
        number += 1;
    }
    text.push_str("init {\n  run P0(1);\n  run P1(2)\n}\n");
    text
}

#[test]
fn answers_come_soon_for_a_thousand_lines() {
    let text = long_model(1000);
    let mut client = Client::new(Value::Null);
    client.open("long.pml", &text);
    client.diagnostics("long.pml");
    let methods = ["textDocument/hover", "textDocument/definition", "textDocument/completion"];
    let document = json!({ "textDocument": { "uri": client.uri("long.pml") } });
    let mut slowest = (Duration::ZERO, String::new());
    for round in 0..3 {
        // Each answer is about a text that was just changed.
        for method in methods.iter().copied().chain([
            "textDocument/documentSymbol",
            "textDocument/codeLens",
            "textDocument/rename",
        ]) {
            let changed = format!("{text}// {round}\n");
            let began = Instant::now();
            client.change("long.pml", &changed);
            let mut params = client.at("long.pml", &text, "v20 < 3", 0);
            match method {
                "textDocument/documentSymbol" | "textDocument/codeLens" => params = document.clone(),
                "textDocument/rename" => params["newName"] = json!("other"),
                _ => {}
            }
            client.ask(method, params);
            slowest = slowest.max((began.elapsed(), method.to_owned()));
        }
    }
    println!("slowest answer: {} ms ({}), {} lines", slowest.0.as_millis(), slowest.1, text.lines().count());
    assert!(slowest.0 < SOON, "{slowest:?}");
    client.shut_down();
}

#[test]
fn the_extension_for_vs_code_is_in_order() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../editors/vscode");
    let read =
        |name: &str| std::fs::read_to_string(folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
    let json =
        |name: &str| -> Value { serde_json::from_str(&read(name)).unwrap_or_else(|error| panic!("{name}: {error}")) };
    let package = json("package.json");
    let main = package["main"].as_str().expect("a main file");
    assert!(read(main).contains("vscode-languageclient"));
    let contributes = &package["contributes"];
    for language in contributes["languages"].as_array().expect("languages") {
        json(language["configuration"].as_str().expect("a configuration"));
    }
    let mut scopes = Vec::new();
    for grammar in contributes["grammars"].as_array().expect("grammars") {
        let text = json(grammar["path"].as_str().expect("a path"));
        assert_eq!(text["scopeName"], grammar["scopeName"]);
        // Every included rule exists.
        let rules = text["repository"].as_object().expect("rules");
        for pattern in text["patterns"].as_array().expect("patterns") {
            let include = pattern["include"].as_str().expect("an include").trim_start_matches('#');
            assert!(rules.contains_key(include), "{include}");
        }
        scopes.push(grammar["language"].as_str().expect("a language").to_owned());
    }
    assert_eq!(scopes, ["promela", "smv"]);
    // The words that the grammars colour are those of the language.
    let promela = read("syntaxes/promela.tmLanguage.json");
    for word in ["proctype", "d_step", "unless", "timeout", "mtype", "ltl"] {
        assert!(promela.contains(word), "{word}");
    }
}
