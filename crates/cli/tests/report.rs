//! `--report` and `lariat report`: pages that need nothing else, whatever the model is called and says; and in a browser, if one
//! is installed: every step is reached by keyboard, and what is shown is what the trace says.

use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const DEADLOCK: &str = "\
mtype = { req, ack };
chan c = [0] of { mtype, byte }; chan q = [2] of { byte };
bool done; byte count;
proctype Helper(byte k) { chan own = [1] of { byte }; byte got = 7; own!k; own?got; count = count + got }
active proctype Client() { byte i = 1; run Helper(2); do :: i < 4 -> c!req(i); q!i; i++ od }
active proctype Server() { byte v; do :: c?req(v) -> atomic { count = count + v; printf(\"got %d\\n\", v) } :: q?v od }
";

const LASSO: &str = "\
bool want[2]; byte turn;
active [2] proctype P() { do :: want[_pid] = true; turn = 1 - _pid; (!want[1 - _pid] || turn == _pid);
cs: skip; want[_pid] = false :: skip od }
ltl progress { [] (want[0] -> <> P[0]@cs) }
";

const BRANCHING: &str = "\
MODULE user(sem)
VAR st : {idle, entering, critical};
ASSIGN init(st) := idle;
next(st) := case st = idle : {idle, entering}; st = entering & !sem : critical; st = critical : idle; TRUE : st; esac;
next(sem) := case st = entering : TRUE; st = critical : FALSE; TRUE : sem; esac;
FAIRNESS running
MODULE main
VAR sem : boolean; p1 : process user(sem); p2 : process user(sem);
ASSIGN init(sem) := FALSE;
CTLSPEC AG (p1.st = entering -> AF p1.st = critical)
";

const LONG: &str = "short n; active proctype P() { do :: n < 2500 -> n++ :: else -> assert(false) od }";

fn lariat(folder: &Path, line: &str) -> Output {
    let arguments = line.split_whitespace();
    Command::new(env!("CARGO_BIN_EXE_lariat")).args(arguments).current_dir(folder).output().expect("it starts")
}

fn read(folder: &Path, name: &str) -> String {
    std::fs::read_to_string(folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The document in a page.
fn document(page: &str) -> Value {
    let (_, after) = page.split_once("id=\"document\">").expect("the page has a document");
    let (text, _) = after.split_once("</script>").expect("the document ends");
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[test]
fn a_page_needs_nothing_else_and_carries_the_model() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    std::fs::write(folder.join("d.pml"), DEADLOCK).expect("written");
    let checked = lariat(folder, "check d.pml --report d.html --trace t.json");
    assert_eq!(checked.status.code(), Some(1), "{checked:?}");
    let page = read(folder, "d.html");
    for outside in ["src=", "href=\"http", "@import", "url("] {
        assert!(!page.contains(outside), "the page asks for something else: {outside}");
    }
    let found = document(&page);
    assert_eq!(found["sources"][0]["text"], DEADLOCK);
    let failing = &found["properties"][0];
    assert_eq!(failing["kind"], "invalid_end");
    assert!(failing["trace"]["standing"].is_object() && failing["trace"]["capacities"]["q"] == 2);
    let steps = failing["trace"]["steps"].as_array().expect("a list");
    let begun = steps.iter().find(|step| step["started"].is_array()).expect("a process begins");
    assert_eq!(begun["appeared"]["Helper(2).got"], 7, "what a process begins with is said");
    assert_eq!(begun["appeared"]["Helper(2).own"], serde_json::json!([]));

    // The trace alone makes the same run, and the same page each time.
    assert_eq!(lariat(folder, "report t.json").status.code(), Some(0));
    assert_eq!(lariat(folder, "report t.json -o again.html").status.code(), Some(0));
    let page = read(folder, "t.html");
    assert_eq!(page, read(folder, "again.html"));
    let alone = document(&page);
    assert_eq!(alone["trace"], failing["trace"]);
    assert_eq!(alone["sources"], found["sources"]);
    assert_eq!(alone["figures"]["states"], failing["states"]);
    // And it still replays.
    assert_eq!(lariat(folder, "replay d.pml t.json").status.code(), Some(0));
}

#[test]
fn what_a_model_says_is_never_markup() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let hostile = "</script><script>alert(1)</script><!--";
    let model = format!("/* {hostile} */ active proctype P() {{ printf(\"{hostile}\"); assert(false) }}\n");
    std::fs::write(folder.join("<img&x>.pml"), &model).expect("written");
    let plain = "byte n; active proctype P() { n = 1 } ltl p { [] (n == 0) }";
    std::fs::write(folder.join("plain.pml"), plain).expect("written");
    lariat(folder, "check plain.pml --report plain.html");
    lariat(folder, "check <img&x>.pml --report h.html");
    let (page, plain) = (read(folder, "h.html"), read(folder, "plain.html"));
    let count = |page: &str, what: &str| page.to_lowercase().matches(what).count();
    for mark in ["</script", "<!--", "<img"] {
        assert_eq!(count(&page, mark), count(&plain, mark), "{mark}");
    }
    assert_eq!(document(&page)["sources"][0]["text"], model);
    assert!(page.contains("<title>&lt;img&amp;x&gt;.pml"), "the name is escaped");
}

#[test]
fn automata_are_drawn_and_followed() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    std::fs::write(folder.join("l.pml"), LASSO).expect("written");
    lariat(folder, "check l.pml --fairness weak --property progress --report l.html --trace l.json");
    let page = read(folder, "l.html");
    let found = document(&page);
    let automaton = &found["properties"][0]["automaton"];
    let states = automaton["states"].as_array().expect("a list").len();
    assert!(page.contains("<template id=\"automaton-0\"><svg"));
    for state in 0..states {
        assert!(page.contains(&format!("data-node=\"{state}\"")));
    }
    // One state for each number of steps; along every step there is an edge; it begins in the initial one, and is in an
    // accepting one on the loop.
    let run: Vec<u64> =
        automaton["run"].as_array().expect("a list").iter().map(|at| at[0].as_u64().expect("one")).collect();
    let trace = &found["properties"][0]["trace"];
    let steps = trace["transitions"].as_u64().expect("a number") as usize;
    assert_eq!(run.len(), steps + 1);
    assert_eq!(run[0], automaton["initial"].as_u64().expect("a number"));
    let edges = automaton["edges"].as_array().expect("a list");
    for pair in run.windows(2) {
        assert!(edges.iter().any(|edge| edge["from"] == pair[0] && edge["to"] == pair[1]), "{pair:?}");
    }
    let accepting = automaton["accepting"].as_array().expect("Büchi by states");
    assert!(run[steps - 1..].iter().any(|state| accepting.contains(&Value::from(*state))));
    assert_eq!(
        document(&{
            lariat(folder, "report l.json");
            read(folder, "l.html")
        })["automaton"],
        *automaton
    );
}

#[test]
fn what_cannot_be_shown_is_refused_with_the_reason() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    std::fs::write(folder.join("m.pml"), LONG).expect("written");
    let refused = |line: &str, why: &str| {
        let output = lariat(folder, line);
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(2) && text.contains(why), "{line}: {output:?}");
    };
    for (text, why) in [
        ("no document", "not a JSON document"),
        ("[]", "not an object"),
        ("{\"schema\": 9}", "schema 9"),
        ("{\"schema\": 1}", "there is no run in it"),
        ("{\"trace\": {\"steps\": [{\"text\": 3}]}}", "text"),
        ("{\"properties\": [], \"errors\": []}", "could not be checked"),
    ] {
        std::fs::write(folder.join("t.json"), text).expect("written");
        refused("report t.json", why);
        assert!(!folder.join("t.html").exists());
    }
    refused("report none.json", "cannot read");
    refused("report m.pml", "`lariat check MODEL --report FILE`");
    refused("check m.pml m.pml --report r.html", "`--report` is for one model");
    refused("check m.pml --plan --report r.html", "cannot be used with");
    refused("check m.pml --report none/r.html", "cannot write");
}

#[test]
fn a_sweep_becomes_a_chart_of_growth() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let model = "byte n; active [N] proctype P() { do :: n < 3 -> n++ :: n > 0 -> n-- od }";
    std::fs::write(folder.join("g.pml"), model).expect("written");
    let swept = lariat(folder, "check g.pml -D N=1..4 --report g.html");
    assert_eq!(swept.status.code(), Some(0), "{swept:?}");
    let found = document(&read(folder, "g.html"));
    let rows = found["sweep"].as_array().expect("a list");
    let values: Vec<&str> = rows.iter().map(|row| row["values"].as_str().expect("a text")).collect();
    assert_eq!(values, ["N=1", "N=2", "N=3", "N=4"]);
    assert!(rows[0]["growth"].is_null() && rows[1]["growth"].as_f64().is_some_and(|growth| growth > 1.0));
    if let Some(driven) = drive(folder, "g.html", "#") {
        assert_eq!(driven["marks"], 4, "one mark for each row");
    }
}

/// Presses keys, reads what the page shows, and puts it into the page.
const DRIVER: &str = r#"<script>
(() => {
  const read = () => {
    const values = {};
    for (const row of document.querySelectorAll("tr[data-name]")) {
      if (row.hidden) continue;
      const channel = row.querySelector(".channel");
      values[row.dataset.name] = channel ? channel.dataset.value : row.querySelector(".value").textContent;
    }
    return values;
  };
  const press = (key) => document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
  const slider = document.getElementById("step");
  const result = { states: [], most: 0, told: [], here: [], marks: document.querySelectorAll(".growth-chart .dot, .growth-cross").length };
  if (slider) {
    press("Home");
    for (;;) {
      result.states.push(read());
      result.told.push(slider.getAttribute("aria-valuetext"));
      result.here.push([...document.querySelectorAll(".picture .here")].map((node) => Number(node.dataset.node)));
      result.most = Math.max(result.most, document.querySelectorAll(".chart-body *").length);
      const before = slider.value;
      press("ArrowRight");
      if (slider.value === before) break;
    }
    press("Home");
    result.home = slider.value;
    press("End");
    result.end = slider.value;
    press("l");
    result.loop = slider.value;
    result.runs = document.querySelectorAll("button.run").length;
    result.lanes = [...document.querySelectorAll(".lane-name")].map((name) => name.textContent);
    result.wide = document.documentElement.scrollWidth - document.documentElement.clientWidth;
    result.missing = document.querySelectorAll(".source.missing").length;
    // The graphs, with the keyboard alone: a tab is a button.
    result.graphs = {};
    for (const view of ["states", "control"]) {
      const tab = document.querySelector(`.tabs [data-view="${view}"]`);
      if (tab.hidden) continue;
      tab.focus();
      document.activeElement.click();
      press("Home");
      const graph = { here: [], tags: [], notes: [], words: [] };
      for (;;) {
        const shown = document.querySelector(".graph:not([hidden])");
        graph.here.push([...shown.querySelectorAll(".here")].map((node) => Number(node.dataset.node)));
        graph.tags.push([...shown.querySelectorAll("section")].map((part) => [part.dataset.process, [...part.querySelectorAll(".here")].map((node) => [Number(node.dataset.node), node.querySelector(".tag").textContent])]));
        graph.notes.push(shown.querySelector(".legend").textContent);
        graph.words.push(shown.querySelectorAll("li").length);
        const before = slider.value;
        press("ArrowRight");
        if (slider.value === before) break;
      }
      result.graphs[view] = graph;
      result.wide = Math.max(result.wide, document.documentElement.scrollWidth - document.documentElement.clientWidth);
    }
    document.querySelector(".tabs button:not([hidden])").click();
    const nested = document.querySelector(".tree .tree button.run");
    if (nested) {
      nested.click();
      press("End");
      result.nested = read();
    }
  }
  const pre = document.createElement("pre");
  pre.id = "driven";
  pre.textContent = JSON.stringify(result);
  document.body.append(pre);
})();
</script>"#;

/// A browser, if one is installed.
pub(crate) fn browser() -> Option<PathBuf> {
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let folders: Vec<PathBuf> = std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()).collect();
    let found = names.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    let found = found.into_iter().find(|path| path.is_file());
    if found.is_none() {
        assert!(std::env::var_os("LARIAT_NEEDS_CHROMIUM").is_none(), "there is no chromium");
        println!("skipped: no chromium");
    }
    found
}

/// What the driver saw in a page of the folder, which wrote nothing to its console.
fn drive(folder: &Path, page: &str, place: &str) -> Option<Value> {
    let browser = browser()?;
    let text = read(folder, page).replace("</body>", &format!("{DRIVER}</body>"));
    let driven = folder.join(format!("driven-{page}"));
    std::fs::write(&driven, text).expect("written");
    let profile = folder.join("profile");
    let output = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr", "--dump-dom"])
        .args(["--virtual-time-budget=60000", "--window-size=390,844", "--timeout=120000"])
        .arg(format!("--user-data-dir={}", profile.display()))
        .arg(format!("file://{}{place}", driven.display()))
        .output()
        .expect("the browser starts");
    let (dom, log) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let complaints: Vec<&str> = log.lines().filter(|line| line.contains("CONSOLE")).collect();
    assert!(complaints.is_empty(), "{complaints:?}");
    let (_, after) = dom.split_once("<pre id=\"driven\">").unwrap_or_else(|| panic!("the page was not driven: {log}"));
    let (json, _) = after.split_once("</pre>").expect("it ends");
    let json = json.replace("&lt;", "<").replace("&gt;", ">").replace("&nbsp;", "\u{a0}").replace("&amp;", "&");
    Some(serde_json::from_str(&json).expect("the driver writes JSON"))
}

fn shown(value: &Value) -> String {
    match value {
        Value::Array(messages) if messages.is_empty() => "[]".to_owned(),
        Value::Array(messages) => {
            let message = |message: &Value| {
                let fields: Vec<String> = message.as_array().expect("fields").iter().map(shown).collect();
                format!("[{}]", fields.join(","))
            };
            messages.iter().map(message).collect()
        }
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// The state after each action, by the trace alone.
fn states_of(trace: &Value) -> Vec<BTreeMap<String, String>> {
    let fields = |value: &Value| value.as_object().cloned().unwrap_or_default();
    let mut state: BTreeMap<String, String> =
        fields(&trace["initial"]).iter().map(|(name, value)| (name.clone(), shown(value))).collect();
    let mut states = vec![state.clone()];
    for step in trace["steps"].as_array().expect("a list") {
        for (name, value) in fields(&step["appeared"]) {
            state.insert(name, shown(&value));
        }
        for (name, change) in fields(&step["changes"]) {
            state.insert(name, shown(&change[1]));
        }
        for ended in step["ended"].as_array().into_iter().flatten() {
            let owner = format!("{}.", ended.as_str().expect("a name"));
            state.retain(|name, _| !name.starts_with(&owner));
        }
        states.push(state.clone());
    }
    states
}

/// Drives the page of the property that fails, and compares every state with the trace.
fn compare(model: &str, name: &str, options: &str) -> Option<(Value, Value)> {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    std::fs::write(folder.join(name), model).expect("written");
    let checked = lariat(folder, &format!("check {name} {options} --report r.html"));
    assert_eq!(checked.status.code(), Some(1), "{checked:?}");
    let found = document(&read(folder, "r.html"))["properties"][0].clone();
    let driven = drive(folder, "r.html", "#")?;
    let trace = if found["witnesses"].is_array() { &found["witnesses"][0]["trace"] } else { &found["trace"] };
    let wanted = serde_json::to_value(states_of(trace)).expect("maps");
    assert_eq!(driven["states"], wanted, "what is shown is what the trace says, at every step");
    let last = (wanted.as_array().expect("a list").len() - 1).to_string();
    assert_eq!((&driven["home"], &driven["end"]), (&Value::from("0"), &Value::from(last)));
    assert!(driven["told"].as_array().expect("a list").iter().all(Value::is_string), "each step is told");
    assert!(driven["wide"].as_i64() <= Some(0), "nothing sticks out at 390 pixels: {}", driven["wide"]);
    compare_graphs(&document(&read(folder, "r.html")), trace, &driven["graphs"]);
    Some((found, driven))
}

/// The states and places that are marked are those that the trace says, at every position.
fn compare_graphs(document: &Value, trace: &Value, graphs: &Value) {
    let entries = trace["steps"].as_array().expect("a list");
    let graph = &trace["graph"];
    let run = graph["run"].as_array().expect("a list");
    let skipped = graph["skipped"].as_u64().unwrap_or(0);
    let marked = graphs["states"]["here"].as_array().expect("a list");
    assert_eq!(marked.len(), entries.len() + 1);
    for (position, marked) in marked.iter().enumerate() {
        let step = |number: usize| entries.get(number).and_then(|entry| entry["step"].as_u64());
        let done = if position == 0 { 0 } else { step(position - 1).expect("a number") + 1 };
        let is_inside = position > 0 && step(position) == step(position - 1);
        let at = (done - u64::from(is_inside)).checked_sub(skipped);
        let wanted: Vec<&Value> = at.map(|at| &run[(at as usize).min(run.len() - 1)]).into_iter().collect();
        assert_eq!(*marked, serde_json::json!(wanted), "at {position}");
    }
    let note = graphs["states"]["notes"][0].as_str().expect("a text");
    assert_eq!(note.contains("Only the last"), skipped > 0, "{note}");
    let Some(control) = document["control_graphs"].as_array().filter(|all| !all.is_empty()) else {
        assert!(graphs["control"].is_null(), "there is nothing to draw");
        return;
    };
    // Where each process is, by the trace alone.
    let mut places: BTreeMap<String, u64> = BTreeMap::new();
    for (position, tags) in graphs["control"]["tags"].as_array().expect("a list").iter().enumerate() {
        let moved = if position == 0 { &trace["control"] } else { &entries[position - 1]["control"] };
        for (name, place) in moved.as_object().into_iter().flatten() {
            places.insert(name.clone(), place.as_u64().expect("a number"));
        }
        let ended = (position > 0).then(|| entries[position - 1]["ended"].as_array()).flatten();
        for name in ended.into_iter().flatten().map(|name| name.as_str().expect("a name")) {
            let kind = name.split('(').next();
            let graph = control.iter().find(|graph| graph["process"].as_str() == kind).expect("it has a graph");
            let count = graph["places"].as_array().expect("a list").len();
            places.insert(name.to_owned(), count as u64 - 1);
        }
        let mut shown: BTreeMap<String, u64> = BTreeMap::new();
        for part in tags.as_array().expect("a list") {
            for node in part[1].as_array().expect("a list") {
                for name in node[1].as_str().expect("a text").split(' ') {
                    shown.insert(name.to_owned(), node[0].as_u64().expect("a number"));
                }
            }
        }
        assert_eq!(shown, places, "at {position}");
    }
}

#[test]
fn the_trace_alone_carries_its_graphs() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    std::fs::write(folder.join("l.pml"), LASSO).expect("written");
    std::fs::write(folder.join("n.pml"), LONG).expect("written");
    lariat(folder, "check l.pml --fairness weak --property progress --trace l.json");
    lariat(folder, "check n.pml --property safety --trace n.json");
    let (small, large) = (read(folder, "l.json"), read(folder, "n.json"));
    let parsed = |text: &str| -> Value { serde_json::from_str(text).expect("JSON") };
    // All states of a small model, as `lariat graph` draws them, and the run through them.
    let graph = &parsed(&small)["trace"]["graph"];
    let all = String::from_utf8(lariat(folder, "graph l.pml --format graphml").stdout).expect("a text");
    let count = graph["states"].as_array().expect("a list").len();
    assert_eq!((&graph["whole"], count), (&Value::from(true), all.matches("<node ").count()));
    assert_eq!(graph["steps"].as_array().expect("a list").len(), all.matches("<edge ").count());
    let run = graph["run"].as_array().expect("a list");
    assert_eq!(run.len() as u64, parsed(&small)["trace"]["transitions"].as_u64().expect("a number") + 1);
    let stem = parsed(&small)["trace"]["stem"].as_u64().expect("a number") as usize;
    assert_eq!(run[stem], run[run.len() - 1], "a loop ends where it begins");
    for pair in run.windows(2) {
        let is_it = |step: &&Value| step["from"] == pair[0] && step["to"] == pair[1] && step["taken"] == true;
        assert!(graph["steps"].as_array().expect("a list").iter().any(|step| is_it(&step)), "{pair:?}");
    }
    // The end of a long run, and never more than can be looked at.
    let graph = &parsed(&large)["trace"]["graph"];
    assert!(graph["skipped"].as_u64() > Some(4_900) && graph["whole"] == false, "{graph}");
    assert!(graph["states"].as_array().is_some_and(|states| states.len() <= 125));
    // Room for processes that was only guessed is no error of the model: there the graph goes on.
    let growing = "byte n; proctype Q() { n > 9 } init { run Q(); run Q(); run Q(); run Q(); run Q(); run Q();
        do :: run Q(); n++ :: assert(n > 0) od }";
    std::fs::write(folder.join("g.pml"), growing).expect("written");
    lariat(folder, "check g.pml --property safety --trace g.json");
    let graph = &parsed(&read(folder, "g.json"))["trace"]["graph"];
    let states = graph["states"].as_array().expect("a list");
    let errors: Vec<&Value> = states.iter().filter(|state| state["kind"] == "error").collect();
    assert!(errors.len() == 1 && errors[0]["text"] == "assertion violated", "{graph}");
    assert!(graph["whole"] == false && states.iter().any(|state| state["kind"] == "open"), "{graph}");
    // Documents without them say so.
    let mut older = parsed(&small);
    let fields = older.as_object_mut().expect("an object");
    fields.remove("control_graphs");
    fields["trace"].as_object_mut().expect("an object").remove("graph");
    std::fs::write(folder.join("o.json"), older.to_string()).expect("written");
    assert_eq!(lariat(folder, "report o.json").status.code(), Some(0));
    let Some(driven) = drive(folder, "o.html", "#") else { return };
    for view in ["states", "control"] {
        let note = driven["graphs"][view]["notes"][0].as_str().expect("a text");
        assert!(note.contains("This document does not carry it"), "{note}");
    }
}

#[test]
fn in_a_browser_a_deadlock_can_be_walked_through() {
    let Some((_, driven)) = compare(DEADLOCK, "d.pml", "--property safety") else { return };
    assert_eq!(driven["lanes"], serde_json::json!(["Client(0)", "Server(1)", "Helper(2)"]));
}

#[test]
fn in_a_browser_a_lasso_shows_the_state_of_the_automaton() {
    let Some((found, driven)) = compare(LASSO, "l.pml", "--fairness weak --property progress") else { return };
    assert_eq!(driven["loop"], found["trace"]["stem"].to_string());
    assert_eq!(driven["here"], found["automaton"]["run"], "each action of this run is a step");
}

#[test]
fn in_a_browser_branching_time_is_a_tree_of_runs() {
    let Some((found, driven)) = compare(BRANCHING, "b.smv", "") else { return };
    assert_eq!(driven["runs"], 2);
    let nested = &found["witnesses"][0]["nested"][0]["trace"];
    let last = states_of(nested).pop().expect("a state");
    assert_eq!(driven["nested"], serde_json::to_value(last).expect("a map"));
}

#[test]
fn in_a_browser_five_thousand_steps_are_drawn_in_parts() {
    let Some((_, driven)) = compare(LONG, "n.pml", "--property safety") else { return };
    let states = driven["states"].as_array().expect("a list").len();
    assert!(states > 5000, "{states}");
    assert!(driven["most"].as_u64() < Some(400), "{}", driven["most"]);
}

#[test]
fn in_a_browser_a_document_without_the_model_says_so() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    std::fs::write(folder.join("m.pml"), LASSO).expect("written");
    let json = lariat(folder, "check m.pml --json --property progress").stdout;
    std::fs::write(folder.join("t.json"), json).expect("written");
    assert_eq!(lariat(folder, "report t.json").status.code(), Some(0));
    let Some(driven) = drive(folder, "t.html", "#") else { return };
    assert_eq!(driven["missing"], 1);
    assert!(driven["states"].as_array().is_some_and(|states| states.len() > 2));
}
