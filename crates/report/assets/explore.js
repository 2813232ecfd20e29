// The page of `lariat explore`: the run is a walk, and the server says what can happen where it ends. The address says where the
// tab is, so that several tabs, bookmarks and the browser's own "back" work.

const POLL = 400;
const TELL = 20000;

class Explorer {
  constructor(facts) {
    this.facts = facts;
    this.asked = 0;
    this.offersPanel = new OffersPanel(this);
    this.checksPanel = new ChecksPanel(this);
    this.ended = false;
    byName("foot").prepend(html("p", {}, html("kbd", {}, "1"), " … ", html("kbd", {}, "9"), " take a step of the list, ", html("kbd", {}, "R"), " a random one, ", html("kbd", {}, "Backspace"), " one step back"));
    byName("theme").before(html("button", { type: "button", id: "end", onclick: () => this.end() }, "End Lariat"));
    window.addEventListener("popstate", () => this.load());
    document.addEventListener("keydown", (event) => this.key(event));
    this.tellTab();
    this.load();
  }

  // Asks the server; what is wrong is said on the page.
  async ask(path, body, isText) {
    if (this.ended) throw new Error("Lariat has ended");
    let response;
    try {
      const options = body === undefined ? {} : { method: "POST", headers: { "content-type": isText ? "text/plain" : "application/json" }, body: isText ? body : JSON.stringify(body) };
      response = await fetch(path, options);
    } catch {
      this.sayEnded();
      throw new Error("Lariat has ended");
    }
    const answer = await response.json();
    if (!response.ok) throw new Error(answer.error || `error ${response.status}`);
    return answer;
  }

  say(text, isBad) {
    byName("notices").replaceChildren(text ? html("p", { class: isBad ? "notice bad" : "notice", role: "alert" }, text) : "");
  }
  sayEnded() {
    this.ended = true;
    document.body.classList.add("ended");
    this.say("Lariat has ended. Start it again with `lariat explore`; the page then has another address.", true);
  }

  // The walk of the address, and the position in it.
  wanted() {
    const wanted = new URLSearchParams(location.hash.slice(1));
    const numbers = (wanted.get("walk") || "").split(".").filter(Boolean).map(Number);
    const position = wanted.has("step") ? Number(wanted.get("step")) : undefined;
    if (!wanted.has("walk") || numbers.some((number) => !Number.isInteger(number) || number < 0)) return { walk: this.facts.walk, position };
    const [initial = 0, ...steps] = numbers;
    return { walk: { initial, steps }, position };
  }
  address(walk, position) {
    const wanted = new URLSearchParams({ walk: [walk.initial, ...walk.steps].join(".") });
    if (position !== undefined) wanted.set("step", position);
    return `#${wanted}`;
  }

  // The address of what is shown.
  place() {
    const { position, run } = this.view;
    return this.address(this.walk, position === run.length ? undefined : position);
  }

  async load() {
    const { walk, position } = this.wanted();
    await this.show(walk, position);
  }

  // Goes to a walk, and remembers the one before.
  async go(walk, position) {
    clearTimeout(this.remembering);
    if (this.view) history.replaceState(null, "", this.place());
    history.pushState(null, "", this.address(walk, position));
    await this.show(walk, position);
  }

  async show(walk, position) {
    const number = (this.asked += 1);
    try {
      const { document: source, revisits } = await this.ask("walk", walk);
      if (number !== this.asked) return;
      this.say("");
      this.walk = walk;
      if (revisits !== null && source.trace) {
        // Where the run comes to a state for the second time it can go on as it did.
        source.trace.stem = new Run({ trace: source.trace }).positionAfter(revisits);
        source.trace.loop = source.trace.steps.length - source.trace.stem;
      }
      this.source = source;
      const at = position === undefined ? source.trace.steps.length : position;
      if (this.view) this.view.update(normalised(source), at);
      else new View(normalised(source), { explorer: this, position: at });
    } catch (error) {
      if (number === this.asked) this.say(error.message, true);
    }
  }

  // How many steps are done at a position; `null` inside an indivisible one.
  stepsDone(position) {
    const { run } = this.view;
    const [before, next] = [run.entries[position - 1], run.entries[position]];
    if (before && next && before.step === next.step) return null;
    return run.stepsAt(position);
  }
  walkAt(position) {
    const done = this.stepsDone(position);
    return done === null ? null : { initial: this.walk.initial, steps: this.walk.steps.slice(0, done) };
  }

  moved(position) {
    clearTimeout(this.remembering);
    this.remembering = setTimeout(() => {
      try {
        history.replaceState(null, "", this.place());
      } catch {
        // Some browsers allow that only so often: then the address stays.
      }
    }, 250);
    this.offersPanel.show(position);
    this.checksPanel.moved(position);
  }

  async take(number) {
    const { position, run } = this.view;
    const walk = this.walkAt(position);
    if (!walk) return;
    if (this.walk.steps[walk.steps.length] === number) {
      this.view.move(run.positionAfter(walk.steps.length + 1));
      return;
    }
    await this.go({ initial: walk.initial, steps: [...walk.steps, number] });
  }
  async begin(initial) {
    if (initial !== this.walk.initial) await this.go({ initial, steps: [] });
  }
  async wander(count) {
    const walk = this.walkAt(this.view.position);
    if (!walk) return;
    try {
      await this.go(await this.ask("wander", { walk, count }));
    } catch (error) {
      this.say(error.message, true);
    }
  }
  back() {
    const { position } = this.view;
    const done = this.stepsDone(position);
    const steps = done === null ? this.view.run.stepsAt(position) - 1 : done - 1;
    if (steps >= 0) this.view.move(this.view.run.positionAfter(steps));
  }

  async openTrace(file) {
    try {
      const walk = await this.ask("trace", await file.text(), true);
      await this.go(walk);
    } catch (error) {
      this.say(`${file.name}: ${error.message}`, true);
    }
  }
  save() {
    const { loop, stem, ...trace } = this.source.trace;
    const text = JSON.stringify({ ...this.source, trace }, null, 2);
    const address = URL.createObjectURL(new Blob([text], { type: "application/json" }));
    html("a", { href: address, download: "walk.json" }).click();
    setTimeout(() => URL.revokeObjectURL(address), 10000);
  }
  async end() {
    try {
      await this.ask("end", {});
    } catch {
      // It has ended before.
    }
    this.sayEnded();
  }

  // So that the program can end with its last tab.
  tellTab() {
    const tab = Math.floor(Math.random() * 2 ** 50);
    const tell = (open) => navigator.sendBeacon("tab", new Blob([JSON.stringify({ tab, open })], { type: "application/json" }));
    tell(true);
    setInterval(() => this.ended || tell(true), TELL);
    window.addEventListener("pagehide", () => this.ended || tell(false));
    window.addEventListener("pageshow", (event) => event.persisted && tell(true));
  }

  key(event) {
    if (event.ctrlKey || event.altKey || event.metaKey || !this.view) return;
    if (event.target.matches("input, select, textarea")) return;
    if (/^[1-9]$/.test(event.key)) this.offersPanel.choose(Number(event.key) - 1);
    else if (event.key === "r") this.wander(1);
    else if (event.key === "Backspace") this.back();
    else return;
    event.preventDefault();
  }
}

// What can happen at the position shown.
class OffersPanel {
  constructor(explorer) {
    this.explorer = explorer;
    this.asked = 0;
    this.list = html("ol", { class: "offer-list" });
    this.note = html("p", { class: "offer-note" });
    this.begins = html("div", { class: "begins" });
    const button = (label, act) => html("button", { type: "button", onclick: act }, label);
    this.file = html("input", { type: "file", class: "unseen", tabindex: "-1", "aria-hidden": "true", onchange: () => this.file.files[0] && explorer.openTrace(this.file.files[0]) });
    this.tools = html("div", { class: "tools" }, button("Back", () => explorer.back()), button("Random step", () => explorer.wander(1)), button("100 random steps", () => explorer.wander(100)), button("Open a trace …", () => this.file.click()), button("Save this run", () => explorer.save()), this.file);
    this.scroll = html("div", { class: "scrolls", tabindex: "0", role: "region", "aria-label": "Steps that can be taken" }, this.begins, this.list);
    this.element = panel("What can happen here", "offers", this.note, this.scroll, this.tools);
  }

  async show(position) {
    const number = (this.asked += 1);
    const { explorer } = this;
    const walk = explorer.walkAt(position);
    if (!walk) {
      const { run } = explorer.view;
      const end = run.positionAfter(run.stepsAt(position));
      const inside = html("p", { class: "offer-note" }, "Inside an indivisible step, nothing else can happen. ", html("button", { type: "button", onclick: () => explorer.view.move(end) }, "Go to its end"));
      this.fill([], [inside], null);
      return;
    }
    const taken = explorer.walk.steps[walk.steps.length];
    try {
      const answer = await explorer.ask("offers", [walk, taken === undefined ? null : taken]);
      if (number !== this.asked) return;
      this.answer = answer;
      this.fill(answer.offers.map((offer, place) => this.item(offer, place, taken)), this.noteOf(answer), answer.begins);
    } catch (error) {
      if (number === this.asked) this.fill([], [html("span", { class: "bad" }, error.message)], null);
    }
  }

  fill(items, note, begins) {
    this.list.replaceChildren(...items);
    this.note.replaceChildren(...note);
    this.note.hidden = note.length === 0;
    this.buttons = items.map((item) => item.querySelector("button"));
    const states = begins && begins.total > 1 ? begins.states : [];
    this.begins.hidden = states.length === 0;
    if (states.length === 0) return;
    const options = states.map((text, initial) => html("option", { value: initial, selected: initial === this.explorer.walk.initial }, text || `initial state ${initial + 1}`));
    const more = begins.total > states.length ? ` (the first ${states.length} of ${begins.total})` : "";
    const choice = html("select", { "aria-label": "Initial state", onchange: () => this.explorer.begin(Number(choice.value)) }, ...options);
    this.begins.replaceChildren(html("label", {}, `Begins with${more} `, choice));
  }

  noteOf({ total, offers, end }) {
    if (end) return [html("span", { class: end.failure ? "bad" : "" }, end.failure || !end.message ? end.message : `Nothing more can happen: ${end.message}`, end.detail ? ` (${end.detail})` : "")];
    return total > offers.length ? [`${total} steps are possible; the first ${offers.length} are listed.`] : [];
  }

  item(offer, place, taken) {
    const { explorer } = this;
    const lanes = explorer.view.run.lanes;
    const lines = offer.entries.map((entry) => {
      const who = laneName(entry);
      const lane = lanes.get(who);
      const changes = Object.entries(entry.changes || {}).map(([name, [before, after]]) => (before === null ? `${name} = ${shown(after)}` : `${name}: ${shown(before)} → ${shown(after)}`));
      const text = who && / runs$/.test(entry.text) ? entry.text : statementText(entry);
      return html("span", { class: "offer-line" }, who ? html("b", { class: lane ? hue(lane) : "" }, who, " ") : "", html("span", { class: "statement" }, text), changes.length > 0 ? html("span", { class: "soft" }, `  ${changes.join(", ")}`) : "");
    });
    const isTaken = offer.number === taken;
    const badge = offer.fault ? html("span", { class: "badge bad" }, offer.fault) : isTaken ? html("span", { class: "badge shown" }, "next in this run") : "";
    const button = html("button", { type: "button", class: isTaken ? "offer taken" : "offer", "data-number": offer.number, onclick: () => explorer.take(offer.number) }, html("span", { class: "offer-number" }, String(place + 1)), html("span", { class: "offer-lines" }, ...lines, badge));
    return html("li", {}, button);
  }

  choose(place) {
    const button = (this.buttons || [])[place];
    if (button) button.click();
  }
}

// Checks that were started in this tab.
class ChecksPanel {
  constructor(explorer) {
    this.explorer = explorer;
    const { properties, has_processes: hasProcesses } = explorer.facts;
    const option = (value, text) => html("option", { value }, text);
    this.what = html("select", { id: "check-what", "aria-label": "What to check", onchange: () => this.choose() }, ...properties.map((name) => option(`property ${name}`, name)), option("all", "all properties"), option("ltl", "LTL formula:"), option("ctl", "CTL or CTL* formula:"));
    this.formula = html("input", { type: "text", id: "check-formula", "aria-label": "Formula", placeholder: "[] (p -> <> q)", spellcheck: "false", autocapitalize: "off" });
    this.where = html("select", { id: "check-where", "aria-label": "Which runs" }, option("here", "from this state"), option("all", "all runs of the model"));
    this.fairness = html("select", { "aria-label": "Fairness of processes" }, option("none", "no fairness"), option("weak", "weak fairness of processes"), option("strong", "strong fairness of processes"));
    this.fairness.hidden = !hasProcesses;
    this.constraints = html("textarea", { rows: "3", "aria-label": "Fairness constraints", placeholder: "justice EXPR\ncompassion P => Q\nfair-action NAME", spellcheck: "false" });
    this.deadlock = html("input", { type: "checkbox", id: "check-deadlock" });
    this.seconds = html("input", { type: "text", inputmode: "numeric", size: "5", value: "60", "aria-label": "Time limit in seconds" });
    const start = html("button", { type: "submit", class: "primary" }, "Check");
    const more = html("details", {}, html("summary", {}, "Fairness and limits"), html("div", { class: "more" }, this.fairness, this.constraints, html("label", {}, this.deadlock, " deadlocks are no failure"), html("label", {}, "at most ", this.seconds, " seconds")));
    const form = html("form", { class: "check-form", onsubmit: (event) => { event.preventDefault(); this.start(); } }, this.what, this.formula, this.where, start, more);
    this.error = html("p", { class: "bad", role: "alert" });
    this.list = html("div", { class: "check-list", "aria-live": "polite" });
    this.element = panel("Check", "checks", form, this.error, this.list);
    this.choose();
    this.known = new Map();
    for (const number of this.remembered()) this.follow(number);
  }
  choose() {
    this.formula.hidden = !["ltl", "ctl"].includes(this.what.value);
    this.formula.placeholder = this.what.value === "ctl" ? "AG EF p" : "[] (p -> <> q)";
  }
  moved(position) {
    const steps = this.explorer.stepsDone(position);
    this.where.options[0].textContent = steps === null ? "from the end of this step" : steps === 0 ? "from this initial state" : `from this state (after ${steps} step${steps === 1 ? "" : "s"})`;
  }
  // The numbers of the checks of this tab, which survive loading the page again.
  remembered() {
    try {
      return JSON.parse(sessionStorage.getItem(location.pathname) || "[]");
    } catch {
      return [];
    }
  }
  remember() {
    try {
      sessionStorage.setItem(location.pathname, JSON.stringify([...this.known.keys()].slice(-8)));
    } catch {
      // Then they are forgotten.
    }
  }

  request() {
    const { explorer } = this;
    const { run, position } = explorer.view;
    const walk = explorer.walkAt(position) || { initial: explorer.walk.initial, steps: explorer.walk.steps.slice(0, run.stepsAt(position)) };
    const request = { walk, here: this.where.value === "here", fairness: this.fairness.value, allow_deadlock: this.deadlock.checked };
    const seconds = Number(this.seconds.value);
    if (Number.isFinite(seconds) && seconds > 0) request.seconds = Math.ceil(seconds);
    const what = this.what.value;
    if (what === "ltl" || what === "ctl") request[what] = this.formula.value;
    else if (what.startsWith("property ")) request.property = what.slice(9);
    for (const line of this.constraints.value.split("\n").map((text) => text.trim()).filter(Boolean)) {
      const parts = /^(?:--)?(justice|compassion|fair-action|strong-action|fair-ltl)[\s=]+(.*)$/.exec(line);
      if (!parts) throw new Error(`\`${line}\` is no fairness constraint: it begins with justice, compassion, fair-action, strong-action or fair-ltl`);
      const name = parts[1].replace("-", "_");
      request[name] = [...(request[name] || []), parts[2]];
    }
    return request;
  }
  async start() {
    this.error.textContent = "";
    try {
      if (!this.formula.hidden && this.formula.value.trim() === "") throw new Error("There is no formula to check.");
      const { number } = await this.explorer.ask("check", this.request());
      this.follow(number);
      this.remember();
    } catch (error) {
      this.error.textContent = error.message;
    }
  }
  follow(number) {
    const element = html("article", { class: "check", "data-check": number });
    this.known.set(number, element);
    this.list.prepend(element);
    this.poll(number, element);
  }
  async poll(number, element) {
    try {
      const check = await this.explorer.ask(`check/${number}`);
      element.replaceChildren(...this.shown(number, check));
      element.dataset.state = check.running ? "running" : "done";
      if (check.running) setTimeout(() => this.poll(number, element), POLL);
    } catch (error) {
      // A check that is not kept any more goes away.
      element.replaceChildren(html("p", { class: "soft" }, error.message));
      element.dataset.state = "done";
      if (!this.explorer.ended) {
        this.known.delete(number);
        this.remember();
      }
    }
  }

  shown(number, check) {
    const parts = [];
    const searched = check.searched && check.searched.of > 1 ? ` (${check.searched.number} of ${check.searched.of})` : "";
    const head = html("div", { class: "check-head" }, html("h4", {}, check.title));
    if (check.running) head.append(html("span", { class: "pill" }, `running${searched}`), html("button", { type: "button", onclick: () => this.explorer.ask(`stop/${number}`, {}) }, "Stop"));
    if (check.has_page) head.append(html("a", { href: `report/${number}`, target: "_blank", rel: "noopener" }, "Open the report"));
    parts.push(head);
    if (check.error) parts.push(html("p", { class: "bad pre" }, check.error));
    for (const result of check.results) parts.push(this.result(result));
    if (check.running || check.samples.length > 5) parts.push(progressCharts(check));
    if (check.warnings.length > 0) parts.push(html("details", {}, html("summary", {}, check.warnings.length === 1 ? "1 warning" : `${check.warnings.length} warnings`), html("ul", {}, ...check.warnings.map((text) => html("li", {}, text)))));
    return parts;
  }
  result(result) {
    const where = result.from === null ? "all runs" : result.from === 0 ? "from the initial state" : `from the state after ${result.from} steps`;
    const line = html("div", { class: "result" }, html("span", { class: `pill ${result.verdict}` }, VERDICTS[result.verdict] || result.verdict), html("code", {}, result.name), html("span", { class: "soft" }, `${where}; ${grouped(result.states)} states, ${secondsText(result.seconds)}, ${bytesText(result.memory_bytes)} (${result.engine})`));
    if (result.message) line.append(html("span", { class: "message" }, result.message));
    if (result.vacuous) line.append(html("span", { class: "message" }, `vacuously: ${result.vacuous}`));
    if (result.walk) line.append(html("button", { type: "button", class: "walk-along", onclick: () => this.explorer.go(result.walk, undefined) }, "Walk along its run"));
    if (result.no_walk) line.append(html("span", { class: "soft" }, `Its run cannot be walked along: ${result.no_walk}`));
    return line;
  }
}

// The rate, the frontier and the memory of a check, over time.
function progressCharts({ samples, depth, memory_limit_bytes: limit }) {
  const times = samples.map((sample) => sample[0]);
  const rates = samples.map((sample, number) => {
    // Over about a second, so that it does not jump.
    let before = number;
    while (before > 0 && sample[0] - samples[before][0] < 1) before -= 1;
    const took = sample[0] - samples[before][0];
    return took > 0 ? Math.max(0, (sample[1] - samples[before][1]) / took) : sample[0] > 0 ? sample[1] / sample[0] : 0;
  });
  const last = samples.at(-1);
  const states = `${grouped(Math.round(last[1]))} states${depth > 0 ? `, depth ${grouped(depth)}` : ""}, ${secondsText(last[0])}`;
  const chart = (name, values, text) => html("figure", { class: "progress" }, line(times, values, `${name}: ${text}`), html("figcaption", {}, html("b", {}, name), ` ${text}`));
  return html("div", { class: "progress-row" }, html("p", { class: "soft" }, states),
    chart("rate", rates, `${grouped(Math.round(rates.at(-1)))} states/s`),
    chart("frontier", samples.map((sample) => sample[2]), `${grouped(Math.round(last[2]))} waiting`),
    chart("memory", samples.map((sample) => sample[3]), `${bytesText(last[3])} of ${bytesText(limit)}`));
}
function line(times, values, label) {
  const [width, height] = [220, 48];
  const most = Math.max(...values, 1e-9);
  const [from, to] = [times[0], Math.max(times.at(-1), times[0] + 1e-9)];
  const points = values.map((value, number) => `${(((times[number] - from) / (to - from)) * width).toFixed(1)},${(height - 2 - (value / most) * (height - 6)).toFixed(1)}`);
  return svg("svg", { viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: "none", class: "spark", role: "img", "aria-label": label }, svg("polyline", { points: points.length > 1 ? points.join(" ") : `0,${height - 2} ${width},${height - 2}` }));
}
