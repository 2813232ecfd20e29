// The panels beside the chart. Each has `show(run, property)` for a new run and `move(position)` for a new position.

function panel(title, className, ...children) {
  const heading = html("h3", {}, title);
  return html("section", { class: `panel ${className}`, "aria-label": title }, heading, ...children);
}

const grouped = (number) => String(number).replace(/\B(?=(\d{3})+(?!\d))/g, "\u2009");
function bytesText(bytes) {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let unit = 0;
  let number = bytes;
  while (number >= 1024 && unit < 4) {
    number /= 1024;
    unit += 1;
  }
  return `${number >= 100 || unit === 0 ? Math.round(number) : number.toFixed(1)} ${units[unit]}`;
}
function secondsText(seconds) {
  if (seconds < 1) return `${Math.round(seconds * 1000)} ms`;
  if (seconds < 120) return `${seconds.toFixed(1)} s`;
  return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
}

// Variables and channels.
class StatePanel {
  constructor() {
    this.filter = html("input", { type: "search", placeholder: "Filter names", "aria-label": "Filter names of variables", oninput: () => this.fill() });
    this.table = html("table", { class: "values" }, html("thead", { class: "unseen" }, html("tr", {}, html("th", {}, "name"), html("th", {}, "value"))), html("tbody"));
    this.scroll = html("div", { class: "scrolls", tabindex: "0", role: "region", "aria-label": "Variables and channels" }, this.table);
    this.element = panel("State", "state", this.filter, this.scroll);
  }
  show(run) {
    this.run = run;
    this.filter.hidden = run.histories.size < 12;
    this.filter.value = "";
    this.fill();
  }
  fill() {
    const wanted = this.filter.value.toLowerCase();
    this.rows = [];
    for (const [name, history] of this.run.histories) {
      if (!name.toLowerCase().includes(wanted)) continue;
      const value = html("td");
      const row = html("tr", { "data-name": name }, html("th", { scope: "row" }, name), value);
      this.rows.push({ name, history, row, value, told: null });
    }
    this.table.tBodies[0].replaceChildren(...this.rows.map((row) => row.row));
    this.move(this.position || 0);
  }
  move(position) {
    this.position = position;
    let first = null;
    for (const row of this.rows) {
      const number = row.history.at(position);
      const changed = row.history.changesAt(position);
      const told = `${number} ${changed}`;
      if (changed) first ||= row.row;
      if (row.told === told) continue;
      row.told = told;
      const value = number < 0 ? undefined : row.history.values[number];
      row.row.className = changed ? "changed" : "";
      row.row.hidden = value === undefined;
      row.value.replaceChildren(...this.cells(row.name, value));
      if (changed) {
        const before = row.history.values[number - 1];
        row.value.append(html("span", { class: "was" }, before === undefined ? "new" : `was ${shown(before)}`));
      }
    }
    if (first) reveal(this.scroll, first);
  }
  cells(name, value) {
    if (!isChannel(value)) return [html("span", { class: "value" }, shown(value))];
    const capacity = this.run.capacities[name];
    const room = capacity === undefined ? "" : `${value.length} of ${capacity}`;
    const messages = value.map((message) => html("span", { class: "message" }, message.map(shown).join(", ")));
    const empty = value.length === 0 ? [html("span", { class: "soft" }, "empty")] : [];
    return [html("span", { class: "channel", "data-value": shown(value) }, ...messages, ...empty), html("span", { class: "room" }, room)];
  }
}

// Scrolls inside a panel, never the page.
function reveal(box, element) {
  const top = element.offsetTop - box.offsetTop;
  if (top < box.scrollTop + 8) box.scrollTop = Math.max(0, top - 40);
  else if (top + element.offsetHeight > box.scrollTop + box.clientHeight - 8) box.scrollTop = top + element.offsetHeight - box.clientHeight + 40;
}

// The texts of the model, with where each process stands.
class SourcePanel {
  constructor(sources) {
    this.sources = sources;
    this.choice = html("select", { "aria-label": "File", onchange: () => this.open(Number(this.choice.value)) });
    this.choice.hidden = sources.length < 2;
    sources.forEach((source, number) => this.choice.append(html("option", { value: number }, source.file)));
    this.code = html("div", { class: "code" });
    this.scroll = html("div", { class: "scrolls", tabindex: "0", role: "region", "aria-label": "Source text" }, this.code);
    this.element = panel("Source", "source", this.choice, this.scroll);
    this.file = -1;
  }
  open(file) {
    this.choice.value = file;
    this.file = file;
    this.texts = (this.sources[file] || { text: "" }).text.replace(/\n$/, "").split("\n");
    this.lines = this.texts.map((text, number) => {
      const who = html("span", { class: "who" });
      const body = html("span", { class: "text" }, text || " ");
      const line = html("div", { class: "line" }, html("span", { class: "line-number" }, String(number + 1)), body, who);
      return { line, body, who };
    });
    this.touched = [];
    this.code.replaceChildren(...this.lines.map((line) => line.line));
    this.move(this.position || 0);
  }
  show(run) {
    this.run = run;
    this.position = 0;
    if (this.file < 0) this.open(0);
    this.move(0);
  }
  // The file and line of the action before a position.
  done(position) {
    const entry = position > 0 ? this.run.entries[position - 1] : null;
    if (!entry || !entry.line) return [];
    const parts = [entry, entry.receiver].filter((part) => part && part.line);
    return parts.map((part) => [this.sources.findIndex((source) => source.file === part.file), part.line]);
  }
  move(position) {
    this.position = position;
    if (!this.run) return;
    const done = this.done(position);
    if (done.length > 0 && done[0][0] >= 0 && done[0][0] !== this.file) {
      this.open(done[0][0]);
      return;
    }
    for (const number of this.touched) {
      const { line, body, who } = this.lines[number];
      line.className = "line";
      who.replaceChildren();
      body.replaceChildren(this.texts[number] || " ");
    }
    const marks = new Map();
    const at = (number) => {
      if (!marks.has(number)) marks.set(number, { spans: [], names: [], isDone: false });
      return marks.get(number);
    };
    for (const [name, history] of this.run.standing) {
      for (const [file, line, from, to] of history.value(position) || []) {
        if (file !== this.file || !this.lines[line - 1]) continue;
        const mark = at(line - 1);
        mark.spans.push({ from: from - 1, to: to - 1, name });
        if (!mark.names.includes(name)) mark.names.push(name);
      }
    }
    for (const [file, line] of done) if (file === this.file && this.lines[line - 1]) at(line - 1).isDone = true;
    this.touched = [...marks.keys()];
    for (const [number, mark] of marks) this.mark(number, mark);
    const target = done.length > 0 ? done[0][1] - 1 : Math.min(...this.touched);
    if (this.lines[target]) reveal(this.scroll, this.lines[target].line);
  }
  mark(number, { spans, names, isDone }) {
    const { line, body, who } = this.lines[number];
    if (isDone) {
      line.classList.add("done");
      line.title = "executed in this step";
    }
    if (names.length === 0) return;
    const text = this.texts[number];
    // Statements may be the same for several processes: each stretch is marked once.
    const cuts = [...new Set([0, text.length, ...spans.flatMap(({ from, to }) => [from, to])])].filter((cut) => cut <= text.length).sort((one, other) => one - other);
    const parts = [];
    for (let place = 0; place + 1 < cuts.length; place += 1) {
      const [from, to] = [cuts[place], cuts[place + 1]];
      const owner = spans.find((span) => span.from <= from && span.to >= to);
      const piece = text.slice(from, to);
      parts.push(owner ? html("mark", { class: this.hueOf(owner.name), title: `${owner.name} stands here` }, piece) : piece);
    }
    body.replaceChildren(...(parts.length > 0 ? parts : [" "]));
    who.replaceChildren(...names.slice(0, 4).map((name) => html("span", { class: `chip ${this.hueOf(name)}` }, name)));
    if (names.length > 4) who.append(html("span", { class: "soft" }, ` and ${names.length - 4} more`));
  }
  hueOf(name) {
    const lane = this.run.lanes.get(name);
    return lane ? hue(lane) : "";
  }
}

// For each fairness constraint, where it is enabled and taken on the loop.
class FairnessPanel {
  constructor(select) {
    this.select = select;
    this.list = html("div", { class: "fairness-rows" });
    this.element = panel("Fairness on the loop", "fairness", this.list);
  }
  show(run, evidence) {
    this.run = run;
    const rows = evidence.fairness || [];
    const unfair = evidence.unfair_to || [];
    this.element.hidden = !run.loop || (rows.length === 0 && unfair.length === 0);
    this.cursors = [];
    if (this.element.hidden) return;
    const from = run.stepsAt(run.loop.start);
    const to = run.stepsAt(run.loop.end);
    this.range = [from, to];
    const legend = html("p", { class: "legend" }, html("span", { class: "key enabled" }), " enabled, or the condition holds ", html("span", { class: "key taken" }), " taken, or what is asked for holds; ", `steps ${from + 1} to ${to}`);
    const parts = rows.map((row) => this.row(row, from, to));
    for (const one of unfair) {
      const why = one.leave_out_by === "weak" ? "could always move and never does: weak fairness excludes this run" : "could move time and again and never does: strong fairness excludes this run";
      parts.push(html("p", { class: "unfair" }, html("b", {}, `${one.process.includes("(") ? one.process : `${one.process}(${one.pid})`} `), why));
    }
    this.list.replaceChildren(rows.length > 0 ? legend : "", ...parts);
  }
  row(row, from, to) {
    const count = Math.max(1, to - from);
    const width = 600;
    const cell = width / count;
    const strip = svg("svg", { viewBox: `0 0 ${width} 22`, preserveAspectRatio: "none", class: "strip", role: "img", "aria-label": `enabled at ${row.enabled.length}, taken at ${row.taken.length} of ${count} steps` });
    strip.append(svg("rect", { x: 0, y: 0, width, height: 22, class: "strip-ground" }));
    // Of a long loop several steps share a stripe.
    const stripes = (steps, y, kind) => {
      const seen = new Set(steps.map((step) => Math.floor(((step - from) * cell) / Math.max(cell, 2))));
      for (const place of seen) {
        const wide = Math.max(cell, 2);
        const gap = cell > 6 ? 1 : 0;
        strip.append(svg("rect", { x: place * wide + gap, y, width: wide - 2 * gap, height: 9, rx: gap ? 2 : 0, class: kind }));
      }
    };
    stripes(row.enabled, 1.5, "enabled");
    stripes(row.taken, 11.5, "taken");
    const cursor = svg("rect", { x: 0, y: 0, width: Math.max(cell, 3), height: 22, class: "cursor" });
    strip.append(cursor);
    this.cursors.push({ cursor, cell });
    strip.addEventListener("click", (event) => {
      const box = strip.getBoundingClientRect();
      const step = from + Math.floor(((event.clientX - box.left) / box.width) * count);
      this.select(this.run.positionAfter(step + 1));
    });
    return html("div", { class: "fairness-row" }, html("p", {}, row.constraint), strip);
  }
  move(position) {
    const step = this.run.stepsAt(position) - 1;
    for (const { cursor, cell } of this.cursors || []) {
      const inside = step >= this.range[0] && step < this.range[1];
      cursor.setAttribute("visibility", inside ? "visible" : "hidden");
      cursor.setAttribute("x", (step - this.range[0]) * cell);
    }
  }
}

// The automaton of the bad runs, with where it stands.
class AutomatonPanel {
  constructor() {
    this.note = html("p", { class: "legend" });
    this.picture = html("div", { class: "scrolls picture-box", tabindex: "0", role: "region", "aria-label": "Property automaton" });
    this.element = panel("Property automaton", "automaton", this.note, this.picture);
  }
  show(run, evidence, property) {
    this.run = run;
    this.rows = evidence.automaton;
    this.element.hidden = !this.rows;
    if (!this.rows) return;
    const template = byName(`automaton-${property.number}`);
    const count = this.rows.states.length;
    this.picture.replaceChildren(template ? template.content.cloneNode(true) : html("p", { class: "soft" }, `The automaton has ${count} states, too many to draw.`));
    const size = this.picture.querySelector("svg");
    if (size) size.style.maxWidth = `${size.getAttribute("width")}px`;
    this.move(0);
  }
  move(position) {
    if (!this.rows) return;
    const { run } = this.rows;
    // Behind the last step of a finite run its last state is read too.
    const isEnd = position === this.run.length && !this.run.loop;
    const states = run[Math.min(isEnd ? run.length - 1 : this.run.stepsAt(position), run.length - 1)] || [];
    for (const node of this.picture.querySelectorAll("[data-node]")) {
      node.classList.toggle("here", states.includes(Number(node.dataset.node)));
    }
    const names = states.map((state) => this.rows.states[state]).join(", ");
    const where = states.length === 1 ? `It is in state ${names}.` : `It can be in states ${names}.`;
    this.note.textContent = `It accepts the runs that violate the property (${this.rows.accepting ? "Büchi: double borders infinitely often" : this.rows.acceptance}). ${where}`;
  }
}

// The runs that show the answer to a formula of branching time, as a tree.
class EvidencePanel {
  constructor(select) {
    this.select = select;
    this.list = html("div");
    this.element = panel("Runs that show it", "evidence", this.list);
  }
  show(property, current) {
    const isTree = property.runs.length > 1 || property.runs.some((node) => node.nested.length > 0);
    this.element.hidden = !isTree;
    if (isTree) this.list.replaceChildren(this.tree(property.runs, current));
  }
  tree(nodes, current) {
    const item = (node) => {
      const { trace } = node.evidence;
      const loop = trace.loop > 0 ? `, then ${trace.loop} for ever` : "";
      const stem = trace.stem === undefined ? trace.steps.length : trace.stem;
      const length = `${stem} step${stem === 1 ? "" : "s"}${loop}`;
      const place = node.after === undefined ? "from an initial state" : node.past ? `from an initial state, there after ${node.past} steps` : node.after === 0 ? "from its first state" : `from the state after step ${node.after}`;
      const button = html("button", { type: "button", class: node === current ? "run chosen" : "run", "aria-current": node === current ? "true" : undefined, onclick: () => this.select(node) }, html("span", { class: "formula" }, node.title), html("span", { class: "soft" }, `${place}; ${length}`));
      return html("li", {}, button, node.nested.length > 0 ? this.tree(node.nested, current) : null);
    };
    return html("ul", { class: "tree" }, ...nodes.map(item));
  }
}
