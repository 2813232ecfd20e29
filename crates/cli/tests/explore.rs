//! `lariat explore`: over plain HTTP, and in a browser that clicks its way to a known bug.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A server that runs; it ends with its test.
struct Running {
    child: Child,
    address: String,
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// An answer: the status and what came with it.
type Answer = (u16, String);

impl Running {
    fn start(line: &str) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_lariat"));
        command.arg("explore").args(line.split_whitespace()).current_dir(root());
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("the program starts");
        let mut address = String::new();
        let output = child.stdout.take().expect("it is piped");
        BufReader::new(output).read_line(&mut address).expect("it prints its address");
        assert!(address.starts_with("http://127.0.0.1:"), "{address:?}");
        Self { child, address: address.trim().to_owned() }
    }

    fn port(&self) -> u16 {
        self.address["http://127.0.0.1:".len()..].split('/').next().expect("a port").parse().expect("a port")
    }
    /// The path of something, with the token.
    fn path(&self, wanted: &str) -> String {
        let token = self.address.trim_end_matches('/').rsplit('/').next().expect("a token");
        format!("/{token}/{wanted}")
    }
    fn get(&self, wanted: &str) -> Answer {
        self.ask(&format!("GET {} HTTP/1.1", self.path(wanted)), &[], b"")
    }
    fn post(&self, wanted: &str, body: &Value) -> Answer {
        let head = format!("POST {} HTTP/1.1", self.path(wanted));
        self.ask(&head, &["content-type: application/json"], body.to_string().as_bytes())
    }
    fn answer(&self, wanted: &str, body: &Value) -> Value {
        let (status, text) = self.post(wanted, body);
        assert_eq!(status, 200, "{wanted} {body}: {text}");
        serde_json::from_str(&text).expect("JSON")
    }
    fn ask(&self, first: &str, headers: &[&str], body: &[u8]) -> Answer {
        let mut lines = vec![first.to_owned()];
        if !headers.iter().any(|line| line.to_lowercase().starts_with("host:")) {
            lines.push(format!("host: 127.0.0.1:{}", self.port()));
        }
        lines.extend(headers.iter().map(|&line| line.to_owned()));
        lines.push(format!("content-length: {}\r\nconnection: close\r\n\r\n", body.len()));
        let mut bytes = lines.join("\r\n").into_bytes();
        bytes.extend_from_slice(body);
        self.raw(&bytes).unwrap_or((0, String::new()))
    }
    /// What is answered to these bytes, if anything is.
    fn raw(&self, bytes: &[u8]) -> Option<Answer> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port())).expect("it listens");
        stream.set_read_timeout(Some(Duration::from_secs(60))).expect("a time");
        // It may refuse before it has read everything.
        let _ = stream.write_all(bytes);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let (head, body) = answer.split_once("\r\n\r\n")?;
        Some((head.split(' ').nth(1)?.parse().ok()?, body.to_owned()))
    }
    /// Waits for a check to be done.
    fn check(&self, request: &Value) -> Value {
        let number = self.answer("check", request)["number"].as_u64().expect("a number");
        for _ in 0..600 {
            let (status, text) = self.get(&format!("check/{number}"));
            assert_eq!(status, 200, "{text}");
            let mut check: Value = serde_json::from_str(&text).expect("JSON");
            if check["running"] == false {
                check["number"] = number.into();
                return check;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        panic!("the check does not end: {request}");
    }
    /// The exit code, once it has ended.
    fn ended(mut self) -> Option<i32> {
        let began = Instant::now();
        while began.elapsed() < Duration::from_secs(30) {
            if let Some(status) = self.child.try_wait().expect("it can be asked") {
                return status.code();
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        None
    }
}

const RACE: &str = "models/counter_race.pml";

fn walk(steps: &[u32]) -> Value {
    json!({ "initial": 0, "steps": steps })
}

#[test]
fn only_who_knows_the_address_is_answered() {
    let server = Running::start(RACE);
    let page = server.path("");
    let (status, text) = server.get("");
    assert!(status == 200 && text.contains("<title>models/counter_race.pml"), "{text}");
    let status = |first: &str, headers: &[&str]| server.ask(first, headers, b"").0;
    let get = |path: &str| status(&format!("GET {path} HTTP/1.1"), &[]);
    let wrong = "/00000000000000000000000000000000/";
    for path in ["/", wrong, &page[..page.len() - 1], &format!("{page}../"), "/favicon.ico", &format!("/x{page}")] {
        let found = get(path);
        assert!(found == 403 || found == 404, "{path}: {found}");
    }
    assert_eq!(get(wrong), 403);
    assert_eq!(status(&format!("POST {wrong}end HTTP/1.1"), &[]), 403, "nor is it ended");
    let own = format!("GET {page} HTTP/1.1");
    let port = server.port();
    for host in ["evil.example", "127.0.0.1", &format!("evil.example:{port}")] {
        assert_eq!(status(&own, &[&format!("host: {host}")]), 403, "{host}");
    }
    assert_eq!(status(&own, &[&format!("host: localhost:{port}")]), 200);
    for header in ["origin: http://evil.example", "origin: null", "sec-fetch-site: cross-site\r\nsec-fetch-mode: cors"]
    {
        assert_eq!(status(&own, &[header]), 403, "{header}");
    }
    // Only this machine can reach it, and no page may show it inside.
    assert!(text.contains("default-src 'none'"));
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    write!(stream, "{own}\r\nhost: 127.0.0.1:{port}\r\nconnection: close\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let head = answer.split("\r\n\r\n").next().unwrap().to_lowercase();
    for line in ["x-frame-options: deny", "cache-control: no-store", "referrer-policy: no-referrer"] {
        assert!(head.contains(line), "{head}");
    }
    assert!(!head.contains("access-control"), "no other page may read it");
    assert_eq!(server.get("").0, 200);
}

#[test]
fn what_it_is_sent_does_not_hurt_it() {
    let server = Running::start(RACE);
    let bad = [
        json!(null),
        json!([]),
        json!({}),
        json!({ "initial": -1, "steps": [] }),
        json!({ "initial": 0, "steps": "x" }),
        json!({ "initial": 5, "steps": [] }),
        json!({ "initial": 0, "steps": [99] }),
        json!({ "initial": 1e30, "steps": [] }),
        json!({ "initial": 0, "steps": vec![0; 30_000] }),
        json!({ "initial": 0, "steps": [4_294_967_295_u64] }),
    ];
    for body in &bad {
        let (status, text) = server.post("walk", body);
        assert!(status == 400 && text.contains("error"), "{status}: {text}");
        assert_eq!(server.post("offers", &json!([body, null])).0, 400);
        assert_eq!(server.post("wander", &json!({ "walk": body, "count": 3 })).0, 400);
    }
    // Requests that are none.
    for bytes in [
        &b"\0\0\0\0\0\0\0\0\r\n\r\n"[..],
        b"GET",
        b"GET / HTTP/9.9\r\n\r\n",
        b"\xff\xfe\r\n\r\n",
        b"POST / HTTP/1.1\r\ncontent-length: -1\r\n\r\n",
    ] {
        let mut stream = TcpStream::connect(("127.0.0.1", server.port())).unwrap();
        stream.write_all(bytes).unwrap();
    }
    let head = format!(
        "GET {} HTTP/1.1\r\nhost: 127.0.0.1:{}\r\nx: {}\r\n\r\n",
        server.path(""),
        server.port(),
        "y".repeat(1 << 20)
    );
    assert!(server.raw(head.as_bytes()).is_none_or(|(status, _)| status == 431), "a head of a megabyte is refused");
    let large = vec![b' '; (1 << 20) + 1];
    let post = format!("POST {} HTTP/1.1", server.path("walk"));
    assert_eq!(server.ask(&post, &[], &large).0, 413);
    let deep = "[".repeat(200_000);
    assert_eq!(server.ask(&post, &[], deep.as_bytes()).0, 400);
    let trace = format!("POST {} HTTP/1.1", server.path("trace"));
    for text in ["", "no trace", "{\"schema\": 1}", "{\"trace\": {\"steps\": [{\"text\": \"x\"}]}}", &deep] {
        assert_eq!(server.ask(&trace, &[], text.as_bytes()).0, 400, "{text:.20}");
    }
    assert_eq!(server.ask(&trace, &[], &[0xff; 100]).0, 400);
    for wanted in ["check/1", "check/x", "report/1", "nothing", "check/99999999999999999999"] {
        let status = server.get(wanted).0;
        assert!([400, 404].contains(&status), "{wanted}: {status}");
    }
    assert_eq!(server.post("check", &json!({ "walk": walk(&[]), "here": true, "fairness": "very" })).0, 400);
    // People who say nothing keep no one else out.
    let silent: Vec<TcpStream> = (0..40).map(|_| TcpStream::connect(("127.0.0.1", server.port())).unwrap()).collect();
    assert_eq!(server.get("").0, 200);
    drop(silent);
    // Many at once, each at a place of its own.
    std::thread::scope(|scope| {
        for number in 0..24_u32 {
            let server = &server;
            scope.spawn(move || {
                let steps = [number % 2, (number / 2) % 2, (number / 4) % 2];
                for _ in 0..5 {
                    let run = server.answer("walk", &walk(&steps));
                    let texts: Vec<(i64, i64)> = run["document"]["trace"]["steps"]
                        .as_array()
                        .unwrap()
                        .iter()
                        .map(|step| (step["step"].as_i64().unwrap(), step["pid"].as_i64().unwrap()))
                        .collect();
                    // The younger process is listed first.
                    assert_eq!(texts[0], (0, 1 - i64::from(steps[0])));
                    assert_eq!(texts.len(), 3);
                }
            });
        }
    });
    assert_eq!(server.get("").0, 200);
}

#[test]
fn a_walk_is_what_the_model_can_do_and_checks_begin_where_it_ends() {
    let folder = tempfile::tempdir().expect("a folder");
    let trace = folder.path().join("t.json");
    let checked = Command::new(env!("CARGO_BIN_EXE_lariat"))
        .args(["check", RACE, "--trace", trace.to_str().unwrap()])
        .current_dir(root())
        .output()
        .unwrap();
    assert_eq!(checked.status.code(), Some(1));
    let server = Running::start(&format!("{RACE} --from {}", trace.display()));
    let (_, page) = server.get("");
    let (_, facts) = page.split_once("id=\"document\">").unwrap();
    let facts: Value = serde_json::from_str(facts.split_once("</script>").unwrap().0).expect("JSON");
    let known = facts["walk"].clone();
    assert_eq!(known["steps"].as_array().unwrap().len(), 8, "it begins at the end of the trace");
    let end = server.answer("offers", &json!([known, null]));
    assert!(end["end"]["failure"] == true && end["end"]["message"] == "assertion violated", "{end}");
    // The same trace as a file that the page opens; and the walk that the page saves replays.
    let text = std::fs::read(&trace).unwrap();
    let (status, found) = server.ask(&format!("POST {} HTTP/1.1", server.path("trace")), &[], &text);
    assert_eq!((status, serde_json::from_str::<Value>(&found).unwrap()), (200, known.clone()));
    let saved = folder.path().join("walk.json");
    std::fs::write(&saved, server.answer("walk", &known)["document"].to_string()).unwrap();
    let replayed = Command::new(env!("CARGO_BIN_EXE_lariat"))
        .args(["replay", RACE, saved.to_str().unwrap()])
        .current_dir(root())
        .output()
        .unwrap();
    assert_eq!(replayed.status.code(), Some(0), "{replayed:?}");
    // Both have read the counter: the failure is certain. Before that it is not.
    let both = walk(&[0, 1]);
    let check = |walk: &Value, here: bool, what: (&str, &str)| {
        let mut request = json!({ "walk": walk, "here": here, "seconds": 60 });
        request[what.0] = what.1.into();
        server.check(&request)
    };
    let verdict = |check: &Value| check["results"][0]["verdict"].as_str().unwrap_or("none").to_owned();
    let lost = ("ltl", "<> (finished == 2 && counter == 1)");
    assert_eq!(verdict(&check(&both, true, lost)), "holds");
    assert_eq!(verdict(&check(&walk(&[]), true, lost)), "fails");
    assert_eq!(verdict(&check(&both, false, lost)), "fails");
    assert_eq!(verdict(&check(&both, true, ("ctl", "AG EF (counter == 2)"))), "fails");
    let answer = check(&both, true, ("property", "safety"));
    assert_eq!(verdict(&answer), "fails");
    let longer = &answer["results"][0]["walk"];
    let steps = longer["steps"].as_array().unwrap();
    assert!(steps.len() > 2 && steps[..2] == [json!(0), json!(1)], "{answer}");
    assert_eq!(server.answer("offers", &json!([longer, null]))["end"]["message"], "assertion violated");
    let (status, report) = server.get(&format!("report/{}", answer["number"]));
    assert!(status == 200 && report.contains("assertion violated"));
    // What is typed in wrong is told.
    let wrong = check(&both, true, ("ltl", "[] (no_such_name == 1)"));
    assert!(wrong["error"].as_str().is_some_and(|text| text.contains("no_such_name")), "{wrong}");
    let wandered = server.answer("wander", &json!({ "walk": both, "count": 100 }));
    assert!(wandered["steps"].as_array().unwrap().len() > 5);
}

#[test]
fn a_check_can_be_watched_and_stopped_and_smv_is_served_too() {
    let folder = tempfile::tempdir().expect("a folder");
    let model = folder.path().join("big.pml");
    std::fs::write(&model, "byte a[8]; active [8] proctype P() { do :: a[_pid] < 200 -> a[_pid]++ :: a[_pid] = 0 od }")
        .unwrap();
    let server = Running::start(&format!("{} --memory 512M", model.display()));
    let request = json!({ "walk": walk(&[]), "here": true, "property": "safety" });
    let number = &server.answer("check", &request)["number"];
    server.answer("check", &request);
    assert_eq!(server.post("check", &request).0, 400, "two at a time are enough");
    let shown = |number: &Value| -> Value { serde_json::from_str(&server.get(&format!("check/{number}")).1).unwrap() };
    let began = Instant::now();
    while shown(number)["samples"].as_array().unwrap().len() < 3 {
        assert!(began.elapsed() < Duration::from_secs(60));
        std::thread::sleep(Duration::from_millis(50));
    }
    let last = shown(number)["samples"].as_array().unwrap().last().unwrap().clone();
    assert!(last[1].as_f64() > Some(0.0) && last[3].as_f64() > Some(0.0), "states and memory: {last}");
    server.answer(&format!("stop/{number}"), &json!({}));
    let began = Instant::now();
    while shown(number)["running"] == true {
        assert!(began.elapsed() < Duration::from_secs(30), "it stops");
        std::thread::sleep(Duration::from_millis(50));
    }
    assert_eq!(shown(number)["results"][0]["verdict"], "undecided");
    drop(server);

    let model = folder.path().join("m.smv");
    let text = "MODULE main VAR x : 0..3; INIT x in {0, 2}; ASSIGN next(x) := {x, (x + 1) mod 4}; INVARSPEC x < 3; CTLSPEC AG EF x = 0";
    std::fs::write(&model, text).unwrap();
    let server = Running::start(model.to_str().unwrap());
    let begins = server.answer("offers", &json!([walk(&[]), null]))["begins"].clone();
    assert_eq!(begins, json!({ "total": 2, "states": ["x = 0", "x = 2"] }));
    let at = json!({ "initial": 1, "steps": [] });
    let check = server.check(&json!({ "walk": at, "here": true }));
    let verdicts: Vec<&str> =
        check["results"].as_array().unwrap().iter().map(|one| one["verdict"].as_str().unwrap()).collect();
    assert_eq!(verdicts, ["fails", "holds"], "{check}");
    assert_eq!(check["results"][0]["walk"]["steps"].as_array().unwrap().len(), 1, "it is one step away");
}

#[test]
fn it_ends_when_told() {
    let server = Running::start(RACE);
    server.answer("end", &json!({}));
    assert_eq!(server.ended(), Some(0));
    let server = Running::start(&format!("{RACE} --end-when-closed"));
    for tab in [1, 2] {
        server.answer("tab", &json!({ "tab": tab, "open": true }));
    }
    server.answer("tab", &json!({ "tab": 1, "open": false }));
    std::thread::sleep(Duration::from_secs(4));
    server.answer("tab", &json!({ "tab": 2, "open": false }));
    assert_eq!(server.ended(), Some(0), "with its last tab");
    for signal in ["-INT", "-TERM"] {
        let server = Running::start(RACE);
        let killed = Command::new("kill").args([signal, &server.child.id().to_string()]).status().expect("kill");
        assert!(killed.success());
        assert_eq!(server.ended(), Some(0), "{signal}");
    }
    let taken = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let output = Command::new(env!("CARGO_BIN_EXE_lariat"))
        .args(["explore", RACE, "--port", &port])
        .current_dir(root())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("cannot listen at port"));
}

/// Walks to the lost update by clicking, goes back, checks from there, walks along what was found.
const DRIVER: &str = r##"<script>
(async () => {
  const seen = { ends: [], checks: [] };
  const done = () => {
    const pre = document.createElement("pre");
    pre.id = "driven";
    pre.textContent = JSON.stringify(seen);
    document.body.append(pre);
  };
  try {
    const pause = (time) => new Promise((resolve) => setTimeout(resolve, time));
    const until = async (what, found) => {
      for (let round = 0; round < 400; round += 1) {
        const value = found();
        if (value) return value;
        await pause(50);
      }
      throw new Error(`waited for ${what} in vain`);
    };
    const slider = () => document.getElementById("step");
    const offers = () => [...document.querySelectorAll("button.offer")];
    const note = () => document.querySelector(".offer-note").textContent;
    const state = () => Object.fromEntries([...document.querySelectorAll("tr[data-name]")].map((row) => [row.dataset.name, row.querySelector(".value").textContent]));
    const press = (key) => document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
    const ways = [["Worker(1)", "seen = counter"], ["Worker(0)", "seen = counter"], ["Worker(1)", "counter = seen"], ["Worker(1)", "finished++"], ["Worker(0)", "counter = seen"], ["Worker(0)", "finished++"], ["Worker(0)", "finished == 2"], ["Worker(0)", "assert"]];
    for (const [number, words] of ways.entries()) {
      const button = await until(words.join(" "), () => offers().find((one) => words.every((word) => one.textContent.includes(word))));
      button.click();
      await until("the step", () => slider().max === String(number + 1) && slider().value === slider().max);
    }
    await until("the end", () => note().includes("assertion violated"));
    seen.end = { note: note(), state: state(), address: location.hash };
    press("Backspace");
    await until("the choice", () => offers().length > 0);
    seen.fault = offers().map((one) => one.textContent);
    for (let round = 0; round < 5; round += 1) press("Backspace");
    await until("two steps", () => slider().value === "2" && offers().length === 2);
    seen.next = offers().filter((one) => one.classList.contains("taken")).length;
    const check = async (what, formula) => {
      const before = document.querySelectorAll(".check").length;
      const choice = document.getElementById("check-what");
      choice.value = what;
      choice.dispatchEvent(new Event("change"));
      if (formula) document.getElementById("check-formula").value = formula;
      document.querySelector(".check-form").requestSubmit();
      await until("the check", () => document.querySelectorAll(".check").length > before);
      const article = document.querySelector(".check");
      await until("its end", () => article.dataset.state === "done");
      seen.checks.push(article.textContent);
      return article;
    };
    await check("ltl", "<> (counter == 1 && finished == 2)");
    await check("ltl", "[] (");
    const article = await check("property safety");
    seen.link = article.querySelector("a").getAttribute("href");
    article.querySelector(".walk-along").click();
    await until("its run", () => note().includes("assertion violated"));
    seen.length = slider().max;
    seen.wide = document.documentElement.scrollWidth - document.documentElement.clientWidth;
    history.back();
    await until("the place before", () => slider().value === "2" && offers().length === 2);
    seen.back = slider().max;
    press(String(1 + offers().findIndex((one) => !one.classList.contains("taken"))));
    await until("another run", () => slider().max === "3");
    seen.cut = slider().max;
  } catch (error) {
    seen.error = String(error);
  }
  done();
})();
</script>"##;

/// Stands between a browser and the server, and puts the driver into the page.
fn proxy(server: &Running) -> String {
    let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
    let (own, port) = (listener.local_addr().expect("an address").port(), server.port());
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            std::thread::spawn(move || pass(stream, own, port));
        }
    });
    server.address.replace(&format!(":{port}/"), &format!(":{own}/"))
}

fn pass(mut browser: TcpStream, own: u16, port: u16) -> Option<()> {
    let mut reader = BufReader::new(browser.try_clone().ok()?);
    let (mut head, mut length) = (String::new(), 0);
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
        let lower = line.to_lowercase();
        if let Some(value) = lower.strip_prefix("content-length:") {
            length = value.trim().parse().ok()?;
        }
        if line == "\r\n" {
            break;
        }
        if !lower.starts_with("connection:") {
            head.push_str(&line.replace(&format!(":{own}"), &format!(":{port}")));
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let mut server = TcpStream::connect(("127.0.0.1", port)).ok()?;
    server.write_all(format!("{head}connection: close\r\n\r\n").as_bytes()).ok()?;
    server.write_all(&body).ok()?;
    let mut answer = Vec::new();
    server.read_to_end(&mut answer).ok()?;
    let text = String::from_utf8_lossy(&answer);
    let (head, body) = text.split_once("\r\n\r\n")?;
    let body = body.replace("</body>", &format!("{DRIVER}</body>"));
    let lines = head.lines().filter(|line| !line.to_lowercase().starts_with("content-length:"));
    let head = lines.collect::<Vec<_>>().join("\r\n");
    browser.write_all(format!("{head}\r\ncontent-length: {}\r\n\r\n{body}", body.len()).as_bytes()).ok()
}

#[test]
fn in_a_browser_a_known_bug_is_walked_to_and_checked_from() {
    let Some(browser) = crate::report::browser() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let server = Running::start(RACE);
    let address = proxy(&server);
    let output = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr", "--dump-dom"])
        .args(["--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run"])
        .args(["--virtual-time-budget=120000", "--window-size=390,844", "--timeout=240000"])
        .arg(format!("--user-data-dir={}", folder.path().display()))
        .arg(&address)
        .output()
        .expect("the browser starts");
    let (dom, log) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let complaints: Vec<&str> =
        log.lines().filter(|line| line.contains("CONSOLE") && !line.contains("400 (Bad Request)")).collect();
    assert!(complaints.is_empty(), "{complaints:?}");
    let (_, after) = dom.split_once("<pre id=\"driven\">").unwrap_or_else(|| panic!("the page was not driven: {log}"));
    let json = after.split_once("</pre>").expect("it ends").0;
    let json = json.replace("&lt;", "<").replace("&gt;", ">").replace("&nbsp;", "\u{a0}").replace("&amp;", "&");
    let seen: Value = serde_json::from_str(&json).expect("the driver writes JSON");
    assert!(seen["error"].is_null(), "{seen}");
    assert_eq!(seen["end"]["state"]["counter"], "1");
    assert!(seen["end"]["address"].as_str().unwrap().starts_with("#walk=0."), "the address says where the tab is");
    assert!(
        seen["fault"].to_string().contains("assertion violated"),
        "the step into the error is marked: {}",
        seen["fault"]
    );
    assert_eq!(seen["next"], 1, "the step of this run is marked among what else could happen");
    let check = |number: usize| seen["checks"][number].as_str().unwrap();
    assert!(check(0).contains("holds") && check(0).contains("after 2 steps"), "{seen}");
    assert!(check(1).contains("(L0") || check(1).contains("(P0"), "what is wrong with a formula is said: {seen}");
    assert!(check(2).contains("fails") && check(2).contains("assertion violated"), "{seen}");
    assert_eq!(seen["length"], "8", "the run from here begins with the walk");
    assert_eq!((&seen["back"], &seen["cut"]), (&json!("8"), &json!("3")));
    assert!(seen["wide"].as_i64() <= Some(0), "nothing sticks out at 390 pixels");
    let (status, report) = server.get(seen["link"].as_str().unwrap());
    assert!(status == 200 && report.contains("assertion violated"));
}
