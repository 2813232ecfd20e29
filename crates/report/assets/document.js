// The document, made ready to be shown: properties with their runs, and each run with its lanes, messages and values over time.
// A run has positions 0 to its number of actions: position 0 is the initial state, position n the state after n actions.

const byName = (name) => document.getElementById(name);

// Kinds of runs that violate nothing.
const HARMLESS = new Set(["proper_end", "limit", "interrupted", "open"]);

// A value as Lariat prints it.
function shown(value) {
  if (value === null || value === undefined) return "–";
  if (Array.isArray(value)) {
    return value.length === 0 ? "[]" : value.map((message) => `[${message.map(shown).join(",")}]`).join("");
  }
  return String(value);
}

const isChannel = (value) => Array.isArray(value);

// Something that changes along a run: its values by the positions from which on they count.
class History {
  constructor() {
    this.positions = [];
    this.values = [];
  }
  set(position, value) {
    if (this.positions.at(-1) === position) this.values[this.values.length - 1] = value;
    else {
      this.positions.push(position);
      this.values.push(value);
    }
  }
  // The number of the value that counts at a position; -1 before the first.
  at(position) {
    let low = 0;
    let high = this.positions.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.positions[middle] <= position) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }
  value(position) {
    const number = this.at(position);
    return number < 0 ? undefined : this.values[number];
  }
  changesAt(position) {
    const number = this.at(position);
    return number >= 0 && position > 0 && this.positions[number] === position;
  }
}

const actorName = (part) => (part.pid === null || part.pid === undefined ? "" : `${part.process || "process"}(${part.pid})`);

// The lane of an action: its process, or the SMV process that runs.
function laneName(entry) {
  const name = actorName(entry);
  if (name) return name;
  const runs = / runs$/.exec(entry.text || "");
  return runs && !entry.stutter ? entry.text.slice(0, runs.index) : "";
}

class Run {
  constructor(evidence) {
    const trace = evidence.trace;
    this.evidence = evidence;
    this.entries = trace.steps || [];
    this.length = this.entries.length;
    this.capacities = trace.capacities || {};
    this.cut = trace.cut;
    const stem = trace.stem === undefined ? this.length - (trace.loop || 0) : trace.stem;
    this.loop = trace.loop > 0 ? { start: stem, end: stem + trace.loop, rounds: trace.rounds } : null;
    this.hasGroups = this.entries.some((entry, number) => number > 0 && entry.step === this.entries[number - 1].step);
    this.histories = new Map();
    this.standing = new Map();
    this.control = new Map();
    this.lanes = new Map();
    this.arrows = [];
    this.follow(trace);
  }

  lane(name, position) {
    if (name && !this.lanes.has(name)) {
      this.lanes.set(name, { name, number: this.lanes.size, start: position, end: Infinity });
    }
    return this.lanes.get(name);
  }

  record(name, position, value) {
    if (!this.histories.has(name)) this.histories.set(name, new History());
    this.histories.get(name).set(position, value);
  }

  stand(places, position) {
    for (const [name, statements] of Object.entries(places || {})) {
      if (!this.standing.has(name)) this.standing.set(name, new History());
      this.standing.get(name).set(position, statements);
      this.lane(name, position);
    }
  }

  // Where processes are in their graphs of control.
  place(places, position) {
    for (const [name, number] of Object.entries(places || {})) {
      if (!this.control.has(name)) this.control.set(name, new History());
      this.control.get(name).set(position, number);
    }
  }

  follow(trace) {
    const waiting = new Map();
    for (const [name, value] of Object.entries(trace.initial || {})) {
      this.record(name, 0, value);
      if (isChannel(value)) waiting.set(name, value.map(() => null));
    }
    this.stand(trace.standing, 0);
    this.place(trace.control, 0);
    this.entries.forEach((entry, number) => {
      const position = number + 1;
      this.lane(laneName(entry), position);
      if (entry.receiver) this.lane(actorName(entry.receiver), position);
      for (const name of entry.started || []) {
        const lane = this.lane(name, position);
        lane.start = Math.min(lane.start, position);
        lane.end = Infinity;
      }
      for (const [name, value] of Object.entries(entry.appeared || {})) {
        this.record(name, position, value);
        if (isChannel(value)) waiting.set(name, value.map(() => null));
      }
      for (const [name, [before, after]] of Object.entries(entry.changes || {})) {
        if (isChannel(after)) this.pass(waiting, name, before || [], after, number);
        if (entry.taken !== false) this.record(name, position, after);
      }
      this.stand(entry.standing, position);
      this.place(entry.control, position);
      for (const name of entry.ended || []) this.end(name, position);
      if (entry.receiver) {
        const arrow = { from: number, to: number, sender: laneName(entry), receiver: actorName(entry.receiver) };
        this.arrows.push({ ...arrow, text: entry.text, kind: "rendezvous" });
      }
    });
    for (const messages of waiting.values()) {
      for (const message of messages) if (message) this.arrows.push({ ...message, to: null, receiver: null });
    }
    this.arrows.sort((one, other) => one.from - other.from);
  }

  // What was sent to a channel or received from it.
  pass(waiting, name, before, after, number) {
    const messages = waiting.get(name) || before.map(() => null);
    const at = { from: number, sender: laneName(this.entries[number]), kind: "buffered", channel: name };
    if (after.length === before.length + 1) {
      const place = odd(after, before, true);
      messages.splice(place, 0, { ...at, text: shown([after[place]]) });
    } else if (after.length === before.length - 1) {
      const place = odd(before, after, false);
      const [message] = messages.splice(place, 1);
      if (message) this.arrows.push({ ...message, to: number, receiver: laneName(this.entries[number]) });
    } else {
      messages.splice(0, messages.length, ...after.map(() => null));
    }
    waiting.set(name, messages);
  }

  end(name, position) {
    const lane = this.lane(name, position);
    lane.end = position;
    for (const [variable, history] of this.histories) {
      if (variable.startsWith(`${name}.`)) history.set(position, undefined);
    }
    if (this.standing.has(name)) this.standing.get(name).set(position, null);
    if (this.control.has(name)) this.control.get(name).set(position, null);
  }

  // How the state at a position came about, in words.
  describe(position) {
    if (position === 0) return "initial state";
    const entry = this.entries[position - 1];
    const who = laneName(entry);
    const parts = [who && !/ runs$/.test(entry.text) ? `${who}: ${statementText(entry)}` : statementText(entry)];
    for (const [name, [before, after]] of Object.entries(entry.changes || {})) {
      parts.push(before === null ? `${name} = ${shown(after)}` : `${name}: ${shown(before)} → ${shown(after)}`);
    }
    for (const name of entry.started || []) parts.push(`${name} starts`);
    for (const name of entry.ended || []) parts.push(`${name} ends`);
    for (const text of entry.errors || []) parts.push(text);
    for (const text of entry.truncated || []) parts.push(text);
    if (entry.taken === false) parts.push("not taken: the run ends in an error here");
    return parts.join("; ");
  }
  // `3 of 12`, with the number of the step where atomic sequences are passed.
  numberText(position) {
    if (position === 0) return "initial state";
    const word = this.hasGroups ? "action" : "step";
    const step = this.hasGroups ? ` (step ${this.entries[position - 1].step + 1})` : "";
    return `${word} ${position} of ${this.length}${step}`;
  }
  isOnLoop(position) {
    return this.loop !== null && position > this.loop.start && position <= this.loop.end;
  }
  // The position after so many steps.
  positionAfter(steps) {
    let position = 0;
    while (position < this.length && this.entries[position].step < steps) position += 1;
    return position;
  }
  stepsAt(position) {
    return position === 0 ? 0 : this.entries[position - 1].step + 1;
  }
}

// Which element the longer list has more. Of equal ones the last, if it was added, else the first.
function odd(longer, shorter, added) {
  const usual = added ? shorter.length : 0;
  if (longer.length > 64) return usual;
  const texts = [longer.map(shownMessage), shorter.map(shownMessage)];
  const fits = (place) => texts[1].every((text, number) => text === texts[0][number < place ? number : number + 1]);
  const places = longer.map((_, place) => place).filter(fits);
  return (added ? places.at(-1) : places[0]) ?? usual;
}
const shownMessage = (message) => JSON.stringify(message);

function statementText(entry) {
  let text = entry.text || "";
  if (entry.receiver && entry.receiver.text) text += ` → ${entry.receiver.text}`;
  const choices = Object.entries(entry.choices || {}).map(([name, value]) => `${name} = ${shown(value)}`);
  return choices.length > 0 ? `${text} [${choices.join(", ")}]` : text;
}

// One shape for all documents: a list of properties, each with a tree of runs.
function normalised(source) {
  const all = source.properties || [single(source)];
  return {
    model: source.model || "",
    version: source.version || "",
    origin: source.origin,
    sources: source.sources,
    controlGraphs: source.control_graphs,
    warnings: source.warnings || [],
    errors: source.errors || [],
    isSaved: !source.properties,
    properties: all.map((property, number) => ({ ...property, number, runs: runsOf(property, number) })),
  };
}

// What a document with one run says, as one property.
function single(source) {
  const figures = source.figures || {};
  let verdict = HARMLESS.has(source.kind) || source.kind === undefined ? "run" : "fails";
  if (source.replayed === false) verdict = "undecided";
  const name = source.property || (source.seed === undefined ? "run" : `simulation with seed ${source.seed}`);
  const reason = source.reason === undefined ? undefined : `step ${source.step}: ${source.reason}`;
  return { ...source, ...figures, name, verdict, message: source.message || reason, transitions: figures.transitions };
}

function runsOf(property, number) {
  // `path` names the pictures of a run.
  const node = (evidence, title, path, after) => ({
    evidence,
    path,
    title,
    after,
    past: evidence.past_steps,
    nested: (evidence.nested || []).map((one, place) => node(one, `shows ${one.shows}`, `${path}-${place}`, one.after_steps)),
    made: null,
    run() {
      this.made ||= new Run(evidence);
      return this.made;
    },
  });
  if (property.witnesses) return property.witnesses.map((witness, place) => node(witness, `shows ${witness.shows}`, `${number}-${place}`));
  if (property.failures) return property.failures.map((one, place) => node(one, one.detail || one.message || one.kind || "run", `${number}-${place}`));
  return property.trace ? [node(property, property.message || "run", `${number}-0`)] : [];
}
