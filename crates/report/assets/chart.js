// The run as a chart: one row for each position, of which only those are drawn that can be seen.
// As messages: a lane for each process, with arrows. As values: a column for each variable that changes.

const SVG = "http://www.w3.org/2000/svg";
const ROW = 30;
const GUTTER = 58;
const LETTER = 7.25;
// Of longer texts in the chart the end is cut off.
const MOST_TEXT = 44;

function svg(name, attributes, ...children) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes || {})) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

function html(name, attributes, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (value === true) element.setAttribute(key, "");
    else if (value !== false && value !== undefined) element.setAttribute(key, value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

const trimmed = (text, width) => {
  const most = Math.max(3, Math.floor(width / LETTER));
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
};
const hue = (lane) => `p${lane.number % 8}`;

class Chart {
  constructor(select) {
    this.select = select;
    this.head = svg("svg", { class: "chart-head", "aria-hidden": "true" });
    this.body = svg("svg", { class: "chart-body", "aria-hidden": "true" });
    this.inner = html("div", { class: "chart-inner" }, this.head, html("div", { class: "chart-rows" }, this.body));
    this.element = html("div", { class: "chart", tabindex: "0", role: "group", onscroll: () => this.draw(), onclick: (event) => this.click(event) }, this.inner);
    this.rows = this.inner.lastElementChild;
    new ResizeObserver(() => requestAnimationFrame(() => this.measure())).observe(this.element);
  }

  show(run, view) {
    this.run = run;
    this.view = view;
    this.position = 0;
    this.element.setAttribute("aria-label", view === "messages" ? "Message sequence chart; arrow keys move through the run" : "Values step by step; arrow keys move through the run");
    this.columns = view === "messages" ? null : this.valueColumns();
    this.measure();
  }

  move(position) {
    this.position = position;
    const top = position * ROW;
    const height = this.element.clientHeight - this.head.clientHeight;
    const { scrollTop } = this.element;
    if (top < scrollTop + ROW) this.element.scrollTop = Math.max(0, top - ROW);
    else if (top + 2 * ROW > scrollTop + height) this.element.scrollTop = top + 2 * ROW - height;
    this.look();
    this.draw();
  }

  // Scrolls to the side, so that the action before the position can be read.
  look() {
    const entry = this.run.entries[this.position - 1];
    const lane = !this.columns && entry ? this.run.lanes.get(laneName(entry)) : null;
    if (!lane) return;
    const other = entry.receiver ? this.run.lanes.get(actorName(entry.receiver)) : null;
    const ends = [this.laneX(lane), other ? this.laneX(other) : this.laneX(lane) + 16 + Math.min(MOST_TEXT, statementText(entry).length) * LETTER];
    // The numbers cover what is behind them.
    const [from, to] = [Math.max(0, Math.min(...ends) - GUTTER - 12), Math.max(...ends) + 8];
    const { scrollLeft, clientWidth } = this.element;
    if (to > scrollLeft + clientWidth) this.element.scrollLeft = to - clientWidth;
    if (from < this.element.scrollLeft) this.element.scrollLeft = from;
  }

  click(event) {
    const top = this.rows.getBoundingClientRect().top;
    const row = Math.floor((event.clientY - top) / ROW);
    if (row >= 0 && row <= this.run.length) this.select(row);
  }

  // Who did what, in a row of values.
  rowText(entry) {
    const who = laneName(entry);
    return (who && !/ runs$/.test(entry.text) ? `${who} ` : "") + statementText(entry);
  }

  // Columns for the variables that change, wide enough for their values.
  valueColumns() {
    const columns = [];
    const changing = [...this.run.histories].filter(([, history]) => history.positions.length > 1);
    const all = changing.length > 0 ? changing : [...this.run.histories];
    const longest = this.run.entries.slice(0, 500).map((entry) => this.rowText(entry).length);
    this.textWidth = Math.min(170, Math.max(118, ...longest.map((length) => length * LETTER + 18)));
    let x = GUTTER + this.textWidth;
    for (const [name, history] of all) {
      const longest = Math.max(name.length, ...history.values.slice(0, 500).map((value) => shown(value).length));
      const width = Math.min(170, Math.max(44, longest * LETTER + 18));
      columns.push({ name, history, x, width });
      x += width;
    }
    return columns;
  }

  measure() {
    if (!this.run) return;
    // As high as the window shows of it; in a narrow window the style says how high.
    const above = this.element.getBoundingClientRect().top + window.scrollY;
    const height = Math.max(300, window.innerHeight - Math.min(above, 440) - 16);
    this.element.style.maxHeight = window.innerWidth > 860 ? `${height}px` : "";
    const room = Math.max(240, this.element.clientWidth - 2);
    if (this.columns) {
      const last = this.columns.at(-1);
      this.width = Math.max(room, last ? last.x + last.width + 12 : room);
    } else {
      this.placeLanes(room);
    }
    this.height = (this.run.length + 1) * ROW + 10;
    this.rows.style.height = `${this.height}px`;
    this.rows.style.width = `${this.width}px`;
    this.drawHead();
    this.look();
    this.draw();
  }

  // Lanes lie so that what their processes do can be read on the right of each, across other lanes if need be.
  placeLanes(room) {
    const count = Math.max(1, this.run.lanes.size);
    const longest = this.longestTexts();
    const wish = Math.min(MOST_TEXT, longest.at(-1) || 0) * LETTER + 24;
    this.laneWidth = Math.min(210, Math.max(this.leastWidth(), (room - GUTTER - 8 - Math.max(46, wish)) / Math.max(1, count - 0.5)));
    const ends = longest.map((length, number) => GUTTER + 8 + (number + 0.5) * this.laneWidth + 24 + Math.min(MOST_TEXT, length) * LETTER);
    this.width = Math.max(room, GUTTER + 12 + count * this.laneWidth, ...ends);
  }

  // Names of processes are read as a whole, if they are not very long.
  leastWidth() {
    return Math.max(92, ...[...this.run.lanes.keys()].map((name) => Math.min(20, name.length) * LETTER + 30));
  }

  // For each lane, how long the longest text beside it is.
  longestTexts() {
    const { run } = this;
    if (this.measured !== run) {
      this.measured = run;
      this.longest = new Array(run.lanes.size).fill(0);
      for (const entry of run.entries) {
        const lane = entry.receiver ? null : run.lanes.get(laneName(entry));
        if (lane) this.longest[lane.number] = Math.max(this.longest[lane.number], statementText(entry).length);
      }
    }
    return this.longest;
  }

  laneX(lane) {
    return GUTTER + 8 + (lane.number + 0.5) * this.laneWidth;
  }

  drawHead() {
    this.head.setAttribute("width", this.width);
    this.head.setAttribute("height", 34);
    this.head.replaceChildren();
    if (this.columns) {
      this.head.append(svg("text", { x: GUTTER, y: 22, class: "soft" }, "step"));
      for (const column of this.columns) {
        this.head.append(svg("text", { x: column.x, y: 22, class: "strong" }, trimmed(column.name, column.width - 8)));
      }
      return;
    }
    for (const lane of this.run.lanes.values()) {
      const x = this.laneX(lane);
      const width = Math.min(this.laneWidth - 8, Math.max(40, lane.name.length * LETTER + 18));
      this.head.append(
        svg("rect", { x: x - width / 2, y: 5, width, height: 24, rx: 6, class: `lane ${hue(lane)}` }),
        svg("text", { x, y: 21.5, class: "lane-name" }, trimmed(lane.name, width - 6)),
      );
    }
  }

  // Draws what can be seen, and a little more.
  draw() {
    if (!this.run) return;
    const { scrollTop, clientHeight } = this.element;
    const first = Math.max(0, Math.floor(scrollTop / ROW) - 6);
    const last = Math.min(this.run.length, Math.ceil((scrollTop + clientHeight) / ROW) + 6);
    this.offset = first * ROW;
    this.body.style.top = `${this.offset}px`;
    this.body.setAttribute("width", this.width);
    this.body.setAttribute("height", Math.max(0, (last - first + 1) * ROW + 10));
    const parts = [];
    this.drawCurrent(parts, first, last, 0, this.width);
    if (this.columns) this.drawValues(parts, first, last);
    else this.drawLanes(parts, first, last);
    // Numbers and the bracket stay where they are when the chart is scrolled to the side.
    const left = this.element.scrollLeft;
    if (left > 0) {
      parts.push(svg("rect", { class: "gutter", x: left, y: 0, width: GUTTER, height: (last - first + 2) * ROW }));
      this.drawCurrent(parts, first, last, left, GUTTER);
    }
    this.drawBracket(parts, first, last);
    this.drawNumbers(parts, first, last);
    this.body.replaceChildren(...parts);
  }

  y(position) {
    return (position + 0.5) * ROW - this.offset;
  }

  drawCurrent(parts, first, last, x, width) {
    const current = this.y(this.position) - ROW / 2;
    if (this.position >= first && this.position <= last) {
      parts.push(svg("rect", { x, y: current + 1, width, height: ROW - 2, rx: 5, class: "current" }));
    }
  }

  drawBracket(parts, first, last) {
    const { loop } = this.run;
    if (!loop || loop.end < first || loop.start + 1 > last) return;
    const from = Math.max(this.y(loop.start + 1) - ROW / 2 + 3, -ROW);
    const to = Math.min(this.y(loop.end) + ROW / 2 - 3, (last - first + 3) * ROW);
    const left = this.element.scrollLeft;
    parts.push(svg("path", { class: "bracket", d: `M${left + 22} ${from}h-6q-4 0 -4 4V${to - 4}q0 4 4 4h6` }));
    const label = svg("text", { class: "bracket-label", x: 0, y: 0, transform: `translate(${left + 9} ${Math.max(from, 0) + 14}) rotate(-90)`, "text-anchor": "end" }, loop.rounds ? "repeated" : "loop");
    if (to - Math.max(from, 0) > 44) parts.push(label);
  }

  drawNumbers(parts, first, last) {
    for (let position = first; position <= last; position += 1) {
      const entry = this.run.entries[position - 1];
      const before = this.run.entries[position - 2];
      const isSame = entry && before && entry.step === before.step;
      const text = position === 0 ? "0" : isSame ? "" : String(entry.step + 1);
      parts.push(svg("text", { x: this.element.scrollLeft + GUTTER - 8, y: this.y(position) + 4, class: "number" }, text));
      const next = this.run.entries[position];
      if (entry && next && next.step === entry.step) {
        const x = this.element.scrollLeft + GUTTER - 3;
        parts.push(svg("path", { class: "group", d: `M${x} ${this.y(position) - (isSame ? 15 : 8)}V${this.y(position + 1) + 8}` }));
      }
    }
  }

  drawLanes(parts, first, last) {
    const { run } = this;
    for (const lane of run.lanes.values()) {
      const from = Math.max(lane.start, first);
      const to = Math.min(lane.end, last + 1);
      const x = this.laneX(lane);
      if (from <= to) {
        const top = lane.start >= first ? this.y(lane.start) : -ROW;
        const bottom = lane.end <= last ? this.y(lane.end) : (last - first + 2) * ROW;
        parts.push(svg("path", { class: `life ${hue(lane)}`, d: `M${x} ${top}V${bottom}` }));
        if (lane.end <= last) parts.push(svg("path", { class: `ended ${hue(lane)}`, d: `M${x - 6} ${bottom}H${x + 6}` }));
      }
    }
    for (const arrow of run.arrows) {
      if (arrow.from + 1 > last + 1) break;
      const to = arrow.to === null ? arrow.from : arrow.to;
      if (to + 1 >= first) this.drawArrow(parts, arrow);
    }
    for (let position = Math.max(1, first); position <= last; position += 1) this.drawEntry(parts, position);
    if (first === 0) parts.push(svg("text", { x: GUTTER + 8, y: this.y(0) + 4, class: "soft" }, "initial state"));
  }

  drawEntry(parts, position) {
    const entry = this.run.entries[position - 1];
    const lane = this.run.lanes.get(laneName(entry));
    const y = this.y(position);
    const late = position > this.position ? " late" : position === this.position ? " now" : "";
    if (!lane) {
      const text = trimmed(statementText(entry), this.width - GUTTER - 20);
      parts.push(svg("text", { x: GUTTER + 8, y: y + 4, class: `statement${late}` }, text));
      return;
    }
    const x = this.laneX(lane);
    const failed = entry.taken === false || (entry.errors || []).length > 0 ? " failed" : "";
    if (!entry.receiver) parts.push(svg("circle", { cx: x, cy: y, r: 4.5, class: `dot ${hue(lane)}${failed}${late}` }));
    const own = entry.receiver ? this.run.lanes.get(actorName(entry.receiver)) : null;
    if (own) {
      // Above the arrow; one that is longer than the arrow goes on beside it.
      const text = trimmed(`${entry.text}${received(entry)}`, this.width - GUTTER - 20);
      const half = (text.length * LETTER) / 2;
      const { scrollLeft, clientWidth } = this.element;
      const [from, to] = [x, this.laneX(own)].sort((one, other) => one - other);
      // Where the arrow is seen in part, its text is there.
      const seen = [Math.max(from, scrollLeft + GUTTER + 4), Math.min(to, scrollLeft + clientWidth - 8)];
      const wished = seen[0] < seen[1] ? Math.min(Math.max((seen[0] + seen[1]) / 2, seen[0] + half), Math.max(seen[1] - half, scrollLeft + GUTTER + 4 + half)) : (from + to) / 2;
      const middle = Math.min(Math.max(wished, GUTTER + 4 + half), this.width - 8 - half);
      parts.push(svg("text", { x: middle, y: y - 5, class: `message${late}` }, text));
      return;
    }
    // A message that goes to the right leaves below the text, and one that comes from there arrives above it.
    const lift = this.lifts().get(position) || 0;
    const text = trimmed(statementText(entry), this.width - x - 16);
    parts.push(svg("text", { x: x + 11, y: y + 4 + lift, class: `statement${failed}${late}` }, text));
  }

  // How far up or down texts are moved out of the way of messages, by positions.
  lifts() {
    if (this.lifted !== this.run) {
      this.lifted = this.run;
      this.liftOf = new Map();
      const number = (name) => (this.run.lanes.has(name) ? this.run.lanes.get(name).number : -1);
      for (const { from, to, sender, receiver, kind } of this.run.arrows) {
        if (kind !== "buffered" || receiver === null) continue;
        const [source, target] = [number(sender), number(receiver)];
        if (target > source) this.liftOf.set(from + 1, -7);
        else if (target < source) this.liftOf.set(to + 1, 9);
      }
    }
    return this.liftOf;
  }

  drawArrow(parts, arrow) {
    const sender = this.run.lanes.get(arrow.sender);
    if (!sender) return;
    const late = arrow.from + 1 > this.position ? " late" : "";
    const [x, y] = [this.laneX(sender), this.y(arrow.from + 1)];
    const receiver = this.run.lanes.get(arrow.receiver);
    if (!receiver) {
      // Still in the channel at the end.
      parts.push(
        svg("path", { class: `arrow buffered${late}`, d: `M${x} ${y}l-13 9` }),
        svg("circle", { class: `waiting${late}`, cx: x - 15, cy: y + 10.5, r: 3 }),
      );
      return;
    }
    const [toX, toY] = [this.laneX(receiver), this.y(arrow.to + 1)];
    if (sender === receiver && arrow.to !== arrow.from) {
      const bend = Math.min(26, this.laneWidth / 3);
      const d = `M${x} ${y}C${x - bend} ${y + 8} ${x - bend} ${toY - 8} ${toX - 5} ${toY}`;
      parts.push(svg("path", { class: `arrow buffered${late}`, d }), head(toX - 5, toY, 1, 0.35, `buffered${late}`));
      return;
    }
    const length = Math.hypot(toX - x, toY - y) || 1;
    const [dx, dy] = [(toX - x) / length, (toY - y) / length];
    const end = [toX - 5 * dx, toY - 5 * dy];
    parts.push(svg("path", { class: `arrow ${arrow.kind}${late}`, d: `M${x} ${y}L${end[0]} ${end[1]}` }), head(end[0], end[1], dx, dy, `${arrow.kind}${late}`));
    if (arrow.kind === "rendezvous") parts.push(svg("circle", { cx: x, cy: y, r: 3.5, class: `dot ${hue(sender)}${late}` }));
  }

  drawValues(parts, first, last) {
    for (let position = first; position <= last; position += 1) {
      const y = this.y(position);
      const entry = this.run.entries[position - 1];
      const late = position > this.position ? " late" : "";
      const now = position === this.position ? " now" : "";
      const text = entry ? this.rowText(entry) : "initial state";
      parts.push(svg("text", { x: GUTTER + 4, y: y + 4, class: `statement${late}${now}` }, trimmed(text, this.textWidth - 12)));
      for (const column of this.columns) {
        const value = column.history.value(position);
        const changed = column.history.changesAt(position);
        if (changed) parts.push(svg("rect", { x: column.x - 6, y: y - 11, width: column.width - 6, height: 22, rx: 4, class: "changed-cell" }));
        parts.push(svg("text", { x: column.x, y: y + 4, class: `${changed ? "strong" : "soft"}${late}` }, trimmed(shown(value), column.width - 12)));
      }
    }
  }
}

// What a rendezvous handed over, as far as the receiver keeps it.
function received(entry) {
  const owner = `${actorName(entry.receiver)}.`;
  const kept = Object.entries(entry.changes || {}).filter(([name]) => name.startsWith(owner));
  return kept.length === 0 ? "" : ` (${kept.map(([, [, value]]) => shown(value)).join(", ")})`;
}

function head(x, y, dx, dy, kind) {
  const length = Math.hypot(dx, dy) || 1;
  const [ux, uy] = [dx / length, dy / length];
  const back = [x - 9 * ux, y - 9 * uy];
  const d = `M${x} ${y}L${back[0] - 4 * uy} ${back[1] + 4 * ux}L${back[0] + 4 * uy} ${back[1] - 4 * ux}Z`;
  return svg("path", { class: `arrow-head ${kind}`, d });
}
