// The page: properties, the run that is shown, the position in it, keys.

const THEMES = [["auto", "◐", "as the system says"], ["light", "☀", "light"], ["dark", "☾", "dark"]];
const VIEWS = [["messages", "Messages"], ["values", "Values"], ["control", "Control"], ["states", "States"]];
const VERDICTS = { holds: "holds", fails: "fails", undecided: "undecided", computed: "computed", run: "run" };

class View {
  // With an explorer, the run is a walk, and the explorer says what can happen.
  constructor(source, live) {
    this.document = source;
    this.explorer = live ? live.explorer : null;
    this.position = 0;
    this.main = byName("main");
    const select = (position) => this.move(position);
    this.chart = new Chart(select);
    this.graphs = { states: new StatesView(), control: new ControlView(live ? live.explorer.facts.control_graphs : source.controlGraphs) };
    this.state = new StatePanel();
    this.source = source.sources ? new SourcePanel(source.sources) : null;
    this.fairness = new FairnessPanel(select);
    this.automaton = new AutomatonPanel();
    this.evidence = new EvidencePanel((node) => this.choose(node));
    this.verdict = html("section", { class: "verdict", "aria-label": "Verdict" });
    this.player = this.makePlayer();
    this.tabs = this.makeTabs();
    this.work = this.makeWork();
    this.main.replaceChildren(this.verdict, this.work);
    this.fillProperties();
    this.fillNotices();
    document.addEventListener("keydown", (event) => this.key(event));
    if (live) {
      live.explorer.view = this;
      this.open(source.properties[0], live.position);
      return;
    }
    const wanted = new URLSearchParams(location.hash.slice(1));
    if (VIEWS.some(([view]) => view === wanted.get("view"))) this.chosenView = wanted.get("view");
    const property = this.first(wanted);
    this.open(property, wanted.has("step") ? Number(wanted.get("step")) || 0 : this.place(property));
  }

  // Where a property is opened: what violates it is what people look for first.
  place(property) {
    const node = property && property.verdict === "fails" ? property.runs[0] : null;
    if (!node) return 0;
    const run = node.run();
    const decided = node.evidence.decided_after;
    return decided === undefined ? run.length : run.positionAfter(decided);
  }

  // Another document is shown.
  update(source, position) {
    this.document = source;
    this.fillProperties();
    this.open(source.properties[0], position);
  }

  // The property to begin with: the one that the address names, else the first with a run.
  first(wanted) {
    const { properties } = this.document;
    const named = properties.find((property) => property.name === wanted.get("property"));
    return named || properties.find((property) => property.verdict === "fails") || properties.find((property) => property.runs.length > 0) || properties[0];
  }

  fillProperties() {
    const list = byName("properties");
    const { properties } = this.document;
    list.hidden = properties.length < 2;
    this.buttons = properties.map((property) => {
      const verdict = html("span", { class: `pill ${property.verdict}` }, VERDICTS[property.verdict] || property.verdict);
      return html("button", { type: "button", class: "property", onclick: () => this.open(property, this.place(property)) }, verdict, html("span", { class: "name" }, property.name || "property"));
    });
    list.replaceChildren(...this.buttons);
  }

  fillNotices() {
    const notices = [];
    const { warnings, errors } = this.document;
    for (const problem of [...errors, ...warnings]) {
      const place = problem.file ? `${problem.file}:${problem.line}: ` : "";
      notices.push(html("li", {}, `${place}${problem.message} (${problem.code})`));
    }
    const list = notices.length > 0 ? html("details", { class: "notice" }, html("summary", {}, notices.length === 1 ? "1 warning" : `${notices.length} warnings`), html("ul", {}, ...notices)) : "";
    byName("notices").replaceChildren(list);
  }

  makePlayer() {
    const button = (label, sign, position) => html("button", { type: "button", "aria-label": label, title: label, onclick: () => this.move(position()) }, sign);
    this.slider = html("input", { type: "range", min: "0", step: "1", id: "step", "aria-label": "Position in the run", oninput: () => this.move(Number(this.slider.value)) });
    this.number = html("output", { class: "step-number", for: "step" });
    this.text = html("p", { class: "step-text" });
    this.loopButton = button("To the loop (L)", "↻", () => this.run.loop.start);
    return html("div", { class: "player", role: "group", "aria-label": "Steps" },
      html("div", { class: "controls" }, button("First (Home)", "«", () => 0), button("Back (←)", "‹", () => this.position - 1), this.slider, button("Forward (→)", "›", () => this.position + 1), button("Last (End)", "»", () => this.run.length), this.loopButton),
      html("div", { class: "step-line" }, this.number, this.text));
  }

  makeTabs() {
    const tab = (view, label) => html("button", { type: "button", role: "tab", "data-view": view, onclick: () => this.showChart(view, true) }, label);
    return html("div", { class: "tabs", role: "tablist", "aria-label": "Chart" }, ...VIEWS.map(([view, label]) => tab(view, label)));
  }

  makeWork() {
    const chart = html("section", { class: "panel run", "aria-label": "Run" }, html("div", { class: "run-head" }, html("h3", {}, "Run"), this.tabs), this.chart.element, this.graphs.control.element, this.graphs.states.element);
    const missing = this.source ? null : panel("Source", "source missing", html("p", { class: "soft" }, "This document does not carry the model's text. `lariat check --trace FILE` saves it with the trace."));
    const side = html("div", { class: "side" }, this.explorer ? this.explorer.offersPanel.element : null, this.evidence.element, this.state.element, this.source ? this.source.element : missing, this.automaton.element, this.fairness.element);
    return html("div", { class: "work" }, this.player, html("div", { class: this.explorer ? "panes live" : "panes" }, this.explorer ? html("div", { class: "left" }, chart, this.explorer.checksPanel.element) : chart, side));
  }

  open(property, step) {
    this.property = property;
    const { properties } = this.document;
    this.buttons.forEach((button, number) => {
      if (properties[number] === property) button.setAttribute("aria-current", "true");
      else button.removeAttribute("aria-current");
    });
    this.fillVerdict();
    this.work.hidden = !property || property.runs.length === 0;
    if (!this.work.hidden) this.choose(property.runs[0], step);
    else if (!this.explorer) this.remember();
  }

  fillVerdict() {
    const { property } = this;
    // How a walk ends stands beside what can happen there.
    this.verdict.hidden = this.explorer !== null;
    if (!property) {
      this.verdict.replaceChildren(html("p", {}, "The document has no property."));
      return;
    }
    const parts = [html("div", { class: "verdict-line" }, html("span", { class: `pill large ${property.verdict}` }, VERDICTS[property.verdict] || property.verdict), html("h2", {}, property.name || "property"))];
    const message = [property.message, property.detail ? `(${property.detail})` : ""].filter(Boolean).join(" ");
    const place = property.line ? ` at ${property.file}:${property.line}` : "";
    if (message) parts.push(html("p", { class: "message" }, message + place));
    if (property.vacuous) parts.push(html("p", { class: "message" }, `vacuously: ${property.vacuous}`));
    if (property.value !== undefined) parts.push(html("p", { class: "message" }, `${property.value}${property.why ? `: ${property.why}` : ""}`));
    if (property.verdict === "undecided" && property.reason) parts.push(html("p", { class: "message" }, `because of: ${property.reason}`));
    parts.push(this.figures(property));
    const waiting = (property.last && property.last.processes) || [];
    if (property.kind === "invalid_end" && waiting.length > 0) {
      parts.push(html("ul", { class: "waiting" }, ...waiting.map((text) => html("li", {}, text))));
    }
    const unreached = property.unreached || [];
    if (unreached.length > 0) {
      const line = (one) => html("li", {}, `${one.file || ""}:${one.line} ${one.text}`);
      parts.push(html("details", {}, html("summary", {}, `${unreached.length} statement${unreached.length === 1 ? " is" : "s are"} never executed`), html("ul", {}, ...unreached.map(line))));
    }
    this.verdict.replaceChildren(...parts);
  }

  figures(property) {
    const figures = [];
    const add = (name, text) => figures.push(html("div", {}, html("dt", {}, name), html("dd", {}, text)));
    const count = (name, value) => value === undefined || add(name, grouped(value));
    count("states", property.states);
    count("transitions", property.transitions);
    count("depth", property.depth);
    if (property.seconds !== undefined) add("time", secondsText(property.seconds));
    if (property.peak_memory_bytes !== undefined) add("memory", bytesText(property.peak_memory_bytes));
    if (property.engine) add("engine", property.store ? `${property.engine}, ${property.store}` : property.engine);
    const { origin } = this.document;
    const fairness = origin ? Object.entries(origin.fairness || {}).map(([name, values]) => `--${name} ${values.join(" ")}`) : [];
    if (fairness.length > 0) add("fairness", fairness.join(" "));
    const defines = origin ? (origin.defines || []).map(({ name, value }) => `-D ${name}=${value}`) : [];
    if (defines.length > 0) add("defined", defines.join(" "));
    return html("dl", { class: "figures" }, ...figures);
  }

  // Shows a run of the property.
  choose(node, step) {
    this.node = node;
    this.run = node.run();
    const { run } = this;
    this.slider.max = run.length;
    this.loopButton.hidden = !run.loop;
    this.state.show(run);
    if (this.source) this.source.show(run);
    this.fairness.show(run, node.evidence);
    this.automaton.show(run, node.evidence, this.property);
    this.evidence.show(this.property, node);
    this.graphs.control.show(run);
    this.graphs.states.show(run, node);
    // Without processes there are no messages, and no control to follow. A walk shows what can happen in a list of its own.
    const { graphs } = this.graphs.control;
    const missing = { messages: run.lanes.size === 0, control: graphs ? graphs.length === 0 : run.lanes.size === 0 || this.isOfSmv(), states: this.explorer !== null };
    for (const tab of this.tabs.children) tab.hidden = missing[tab.dataset.view] === true;
    this.position = Math.min(step || 0, run.length);
    const usual = run.lanes.size === 0 || this.isOfSmv() ? "values" : "messages";
    this.showChart(this.chosenView && !missing[this.chosenView] ? this.chosenView : usual);
  }

  isOfSmv() {
    return /\.smv$/.test(this.document.model);
  }

  showChart(view, isChosen) {
    if (isChosen) this.chosenView = view;
    for (const tab of this.tabs.children) {
      const isThis = tab.dataset.view === view;
      tab.setAttribute("aria-selected", isThis ? "true" : "false");
    }
    this.chart.element.hidden = view in this.graphs;
    for (const [name, graph] of Object.entries(this.graphs)) graph.element.hidden = name !== view;
    if (!(view in this.graphs)) this.chart.show(this.run, view);
    this.move(this.position);
  }

  move(wanted) {
    const { run } = this;
    const position = Math.max(0, Math.min(run.length, wanted));
    this.position = position;
    this.slider.value = position;
    const text = run.describe(position);
    this.slider.setAttribute("aria-valuetext", `${run.numberText(position)}: ${text}`);
    this.number.textContent = run.numberText(position);
    this.text.replaceChildren(...this.textParts(position, text));
    byName("told").textContent = `${run.numberText(position)}: ${text}`;
    if (!this.chart.element.hidden) this.chart.move(position);
    for (const graph of Object.values(this.graphs)) graph.move(position);
    this.state.move(position);
    if (this.source) this.source.move(position);
    this.fairness.move(position);
    this.automaton.move(position);
    if (this.explorer) this.explorer.moved(position);
    else this.remember();
  }

  textParts(position, text) {
    const { run, node } = this;
    const parts = [text];
    const badge = (word, kind) => html("span", { class: `badge ${kind}` }, word);
    const entry = run.entries[position - 1];
    if (entry && entry.printed) parts.push(html("span", { class: "printed" }, entry.printed.replace(/\n$/, "")));
    if (run.isOnLoop(position)) parts.push(badge(position === run.loop.end ? "end of the loop: back to its beginning" : "on the loop", "loop"));
    const decided = node.evidence.decided_after;
    if (decided !== undefined && position === run.positionAfter(decided)) parts.push(badge("violated from here on, whatever follows", "bad"));
    const isFailure = this.property.verdict === "fails" && node.evidence.kind && node.evidence.kind !== "branching";
    if (position === run.length && !run.loop && isFailure && decided === undefined) parts.push(badge(node.evidence.message || "the run ends here", "bad"));
    if (position === run.length && node.evidence.shows) parts.push(badge(`shows ${node.evidence.shows}`, "shown"));
    if (position === run.length && run.cut) parts.push(badge(`cut after ${run.cut.steps} actions: ${run.cut.reason}`, "bad"));
    return parts;
  }

  // The address leads to the same place again.
  remember() {
    const wanted = new URLSearchParams();
    if (this.property && this.property.name) wanted.set("property", this.property.name);
    wanted.set("step", this.position);
    if (this.chosenView) wanted.set("view", this.chosenView);
    clearTimeout(this.remembering);
    this.remembering = setTimeout(() => {
      try {
        history.replaceState(null, "", `#${wanted}`);
      } catch {
        // Some browsers allow that only so often, or not for files: then the address stays.
      }
    }, 250);
  }

  key(event) {
    if (event.ctrlKey || event.altKey || event.metaKey || this.work.hidden) return;
    const { target } = event;
    if (target.matches("input:not([type=range]), select, textarea")) return;
    const scrolls = target.closest(".scrolls") !== null;
    const moves = {
      ArrowRight: 1, ArrowLeft: -1, j: 1, k: -1,
      ...(scrolls ? {} : { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10, Home: -Infinity, End: Infinity }),
    };
    if (event.key in moves) this.move(this.position + moves[event.key]);
    else if (event.key === "l" && this.run.loop) this.move(this.run.loop.start);
    else return;
    event.preventDefault();
  }
}

function chooseTheme() {
  const button = byName("theme");
  let number = 0;
  const show = () => {
    const [name, sign, words] = THEMES[number];
    if (name === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = name;
    button.textContent = sign;
    button.setAttribute("aria-label", `Colours: ${words}`);
    button.title = `Colours: ${words}`;
  };
  button.addEventListener("click", () => {
    number = (number + 1) % THEMES.length;
    show();
  });
  show();
}

function begin() {
  chooseTheme();
  const source = JSON.parse(byName("document").textContent);
  byName("model").textContent = source.model || "";
  byName("version").textContent = source.version ? `version ${source.version}` : "";
  if (source.sweep) {
    byName("main").replaceChildren(growthView(source));
    byName("properties").hidden = true;
    return;
  }
  byName("foot").append(html("p", {}, html("kbd", {}, "←"), " ", html("kbd", {}, "→"), " step by step, ", html("kbd", {}, "Home"), " ", html("kbd", {}, "End"), " first and last, ", html("kbd", {}, "PgUp"), " ", html("kbd", {}, "PgDn"), " ten at a time, ", html("kbd", {}, "L"), " to the loop"));
  if (source.explore) new Explorer(source);
  else new View(normalised(source));
}
begin();
