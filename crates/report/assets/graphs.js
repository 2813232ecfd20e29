// Graphs beside the run: how control moves in each process, and the states around the run. The pictures come with the page; here
// they are followed step by step, and said in words.

const processType = (name) => name.replace(/\(\d+\)$/, "");
const OLDER = "This document does not carry it: `lariat check --report FILE`, or `--trace FILE` and `lariat report FILE`, of this release draw it.";

// A picture in a box that scrolls to what is marked.
class PictureBox {
  constructor(label) {
    this.element = html("div", { class: "scrolls graph-box", tabindex: "0", role: "region", "aria-label": label });
    this.marked = [];
  }
  show(name) {
    const template = byName(name);
    this.svg = template ? template.content.firstElementChild.cloneNode(true) : null;
    this.nodes = [];
    this.edges = new Map();
    this.marked = [];
    this.element.hidden = !this.svg;
    if (!this.svg) return false;
    for (const node of this.svg.querySelectorAll("[data-node]")) this.nodes[Number(node.dataset.node)] = node;
    for (const edge of this.svg.querySelectorAll("[data-from]")) this.edges.set(`${edge.dataset.from} ${edge.dataset.to}`, edge);
    this.element.replaceChildren(this.svg);
    return true;
  }
  // Nodes with what is written beside them, and an edge.
  mark(places, edge) {
    for (const undo of this.marked) undo();
    this.marked = [];
    for (const [number, tags] of places) {
      const node = this.nodes[number];
      if (!node) continue;
      node.classList.add("here");
      this.marked.push(() => node.classList.remove("here"));
      if (tags.length > 0) this.tag(node, tags);
    }
    const taken = edge && this.edges.get(`${edge[0]} ${edge[1]}`);
    if (taken) {
      taken.classList.add("now");
      this.marked.push(() => taken.classList.remove("now"));
    }
  }
  tag(node, tags) {
    const box = node.querySelector("rect");
    const at = { x: Number(box.getAttribute("x")), y: Number(box.getAttribute("y")) - 4 };
    const shown = tags.length > 2 ? [...tags.slice(0, 1), [`+${tags.length - 1}`, ""]] : tags;
    const text = svg("text", { ...at, class: "tag" }, ...shown.map(([name, className], number) => svg("tspan", { class: className }, `${number > 0 ? " " : ""}${name}`)));
    node.append(text);
    this.marked.push(() => text.remove());
  }
  // Scrolls so that a node is seen, with what is around it.
  reveal(number) {
    const node = this.nodes && this.nodes[number];
    if (!node || this.element.clientHeight === 0) return;
    const box = node.querySelector("rect");
    const scale = this.svg.clientWidth / this.svg.viewBox.baseVal.width || 1;
    const centre = (from, size) => (Number(box.getAttribute(from)) + Number(box.getAttribute(size)) / 2) * scale;
    this.element.scrollLeft = centre("x", "width") - this.element.clientWidth / 2;
    this.element.scrollTop = centre("y", "height") - this.element.clientHeight / 2;
  }
}

// What both views of graphs have: a note, and a button for the size.
class GraphView {
  constructor(label) {
    this.note = html("p", { class: "legend" });
    this.size = html("button", { type: "button", class: "size", "aria-pressed": "false", onclick: () => this.fit(!this.isFitted) }, "Fit");
    this.body = html("div", { class: "graph-body" });
    this.element = html("div", { class: "graph", role: "tabpanel", "aria-label": label }, html("div", { class: "graph-head" }, this.note, this.size), this.body);
    this.element.hidden = true;
  }
  fit(isFitted) {
    this.isFitted = isFitted;
    this.size.setAttribute("aria-pressed", String(isFitted));
    this.element.classList.toggle("fitted", isFitted);
    this.move(this.position || 0);
  }
  say(text) {
    this.size.hidden = true;
    this.note.textContent = text;
    this.body.replaceChildren();
  }
}

// The states around the run.
class StatesView extends GraphView {
  constructor() {
    super("States");
    this.box = new PictureBox("Graph of states");
    this.words = html("div", { class: "graph-words" });
  }
  show(run, node) {
    this.run = run;
    const { graph, no_graph: reason } = node.evidence.trace;
    this.rows = null;
    if (reason) return this.say(`The states around this run are not drawn: ${reason}.`);
    if (!graph) return this.say(`The states around this run are not drawn. ${OLDER}`);
    this.rows = graph;
    this.leaving = graph.states.map(() => []);
    for (const step of graph.steps) if (this.leaving[step.from]) this.leaving[step.from].push(step);
    this.size.hidden = !this.box.show(`states-${node.path}`);
    this.body.replaceChildren(this.box.element, this.words);
    return undefined;
  }
  // The number of the state at a position; behind it whether the run is inside a step there.
  at(position) {
    const { run } = this;
    const [before, next] = [run.entries[position - 1], run.entries[position]];
    const isInside = Boolean(before && next && before.step === next.step);
    const place = run.stepsAt(position) - (isInside ? 1 : 0) - (this.rows.skipped || 0);
    return [place < 0 ? -1 : Math.min(place, this.rows.run.length - 1), isInside];
  }
  move(position) {
    this.position = position;
    if (!this.rows || this.element.hidden) return;
    const { rows, run } = this;
    const [place, isInside] = this.at(position);
    const count = rows.states.length;
    const about = [rows.whole ? `All ${rows.states.filter((state) => state.kind !== "error").length} states of the model.` : rows.states.some((state) => state.kind === "open") ? `${count} nodes: the run, and what is near it; a dashed one goes on.` : `${count} nodes: the run, and what is near it.`];
    if (rows.skipped) about.push(`Only the last ${run.stepsAt(run.length) - rows.skipped} steps of the run are drawn.`);
    if (!this.box.svg) about.push("There are too many to draw.");
    if (place < 0) about.push(`The run comes to this part after step ${rows.skipped}.`);
    if (isInside) about.push("The run is inside an indivisible step, which begins in the state marked.");
    this.note.textContent = about.join(" ");
    if (place < 0) {
      this.box.mark([], null);
      this.words.replaceChildren();
      return;
    }
    const here = rows.run[place];
    const next = rows.run[place + 1];
    this.box.mark([[here, []]], place > 0 && !isInside ? [rows.run[place - 1], here] : null);
    this.box.reveal(here);
    this.words.replaceChildren(...this.inWords(here, place + 1 < rows.run.length ? next : null));
  }
  inWords(here, next) {
    const line = (text) => (text || "").replace(/\n/g, ", ");
    const state = this.rows.states[here];
    const kinds = { end: "an end", deadlock: "nothing can happen here: a deadlock", error: "an error", open: "its steps are not all drawn" };
    const kind = state.kind ? ` (${kinds[state.kind] || state.kind})` : "";
    const steps = this.leaving[here] || [];
    const item = (step) => {
      const isNext = step.taken && step.to === next;
      return html("li", {}, html("span", { class: "statement" }, line(step.text)), " → ", line(this.rows.states[step.to].text), isNext ? html("span", { class: "badge shown" }, "next in this run") : "");
    };
    const more = steps.length > 12 ? [html("li", { class: "soft" }, `and ${steps.length - 12} more`)] : [];
    return [html("p", { class: "state-words" }, html("b", {}, "Here: "), line(state.text), kind), steps.length > 0 ? html("ul", { "aria-label": "Steps from this state" }, ...steps.slice(0, 12).map(item), ...more) : ""];
  }
}

// How control moves in each process, with where it is.
class ControlView extends GraphView {
  constructor(graphs) {
    super("Control");
    this.graphs = graphs;
  }
  show(run) {
    this.run = run;
    this.parts = [];
    if (!this.graphs) return this.say(`How control moves in the processes is not drawn. ${OLDER}`);
    const present = new Set([...run.control.keys()].map(processType));
    const isThere = (rows) => present.has(rows.process);
    this.parts = this.graphs.map((rows, number) => ({ rows, number })).filter(({ rows }) => isThere(rows)).map((part) => this.part(part));
    if (this.parts.length === 0) return this.say("No process of this run has a graph of control in the document.");
    const absent = this.graphs.filter((rows) => !isThere(rows)).map((rows) => rows.process);
    this.size.hidden = this.parts.every(({ box }) => !box.svg);
    this.note.textContent = `A node is a place between statements, with the lines of those that come next; an arrow is a statement.${absent.length > 0 ? ` Not in this run: ${absent.join(", ")}.` : ""}`;
    this.body.replaceChildren(...this.parts.map(({ element }) => element));
    return undefined;
  }
  part({ rows, number }) {
    const box = new PictureBox(`Control of ${rows.process}`);
    const isDrawn = box.show(`control-${number}`);
    const words = html("ul", { class: "control-words", "aria-label": `Where processes of type ${rows.process} are` });
    const note = isDrawn ? "" : html("p", { class: "soft" }, `${rows.left_out || rows.places.length} places are too many to draw.`);
    const element = html("section", { "aria-label": rows.process, "data-process": rows.process }, html("h4", {}, rows.process), note, box.element, words);
    const leaving = rows.places.map(() => []);
    for (const step of rows.steps) if (leaving[step.from]) leaving[step.from].push(step.text);
    return { rows, box, words, element, leaving, end: rows.places.findIndex((place) => place.end) };
  }
  move(position) {
    this.position = position;
    if (this.element.hidden || !this.parts) return;
    const { run } = this;
    const entry = run.entries[position - 1];
    const acting = entry ? [laneName(entry), entry.receiver ? actorName(entry.receiver) : ""] : [];
    let target = null;
    for (const part of this.parts) {
      const { rows, box, words, leaving } = part;
      const own = [...run.control.keys()].filter((name) => processType(name) === rows.process);
      const places = new Map();
      const items = [];
      let moved = null;
      let looked = null;
      for (const name of own) {
        const history = run.control.get(name);
        const value = history.value(position);
        if (value === undefined) continue;
        const hasEnded = value === null;
        const place = hasEnded ? part.end : value;
        const lane = run.lanes.get(name);
        if (!places.has(place)) places.set(place, []);
        places.get(place).push([name, lane ? hue(lane) : ""]);
        if (acting.includes(name)) {
          const before = history.value(position - 1);
          moved = typeof before === "number" ? [before, place] : null;
          looked = place;
          target = part;
        }
        if (rows.left_out) items.push(html("li", {}, html("b", { class: lane ? hue(lane) : "" }, name), hasEnded ? " has ended" : " is on its way"));
        else items.push(html("li", {}, html("b", { class: lane ? hue(lane) : "" }, name), hasEnded ? " has ended" : ` before ${this.linesOf(rows.places[place])}: ${[...new Set(leaving[place] || [])].slice(0, 4).join(" or ") || "nothing"}`));
      }
      box.mark(places, moved);
      box.reveal(looked ?? [...places.keys()][0]);
      const more = items.length > 8 ? [html("li", { class: "soft" }, `and ${items.length - 8} more`)] : [];
      words.replaceChildren(...items.slice(0, 8), ...more);
    }
    if (target && this.parts.length > 1) this.look(target.element);
  }
  // Scrolls to a part that is not seen as a whole.
  look(element) {
    const { body } = this;
    const top = element.offsetTop;
    const isSeen = top >= body.scrollTop && top + element.offsetHeight <= body.scrollTop + body.clientHeight;
    if (!isSeen) body.scrollTop = top - 4;
  }
  linesOf(place) {
    const text = place ? place.text : "";
    return /^\d+$/.test(text) ? `line ${text}` : /^[\d,]+$/.test(text) ? `lines ${text.replace(/,/g, ", ")}` : text;
  }
}
