// The growth of a model with a value of `-D`: one line for each property, numbers of states on a logarithmic scale.

function growthView(source) {
  const rows = source.sweep;
  const parts = [html("section", { class: "panel growth" }, html("h2", {}, "Growth"), growthChart(rows), growthTable(rows))];
  return html("div", { class: "sweep" }, ...parts);
}

const WORDS = { holds: "holds", fails: "fails", undecided: "undecided", computed: "computed", run: "run" };

function growthChart(rows) {
  const series = new Map();
  const several = new Set(rows.map((row) => row.model)).size > 1;
  for (const row of rows) {
    const key = several ? `${row.model}: ${row.property}` : row.property;
    if (!series.has(key)) series.set(key, []);
    series.get(key).push(row);
  }
  const values = [...new Set(rows.map((row) => row.values))];
  const width = Math.max(320, Math.min(760, window.innerWidth - 66));
  const [height, left, bottom] = [width < 500 ? 280 : 380, 74, 48];
  const most = Math.max(10, ...rows.map((row) => row.states));
  const top = Math.ceil(Math.log10(most));
  const least = Math.floor(Math.log10(Math.max(1, Math.min(...rows.map((row) => row.states || 1)))));
  const span = Math.max(1, top - least);
  const x = (value) => left + ((values.indexOf(value) + 0.5) * (width - left - 16)) / values.length;
  const y = (states) => height - bottom - ((Math.log10(Math.max(1, states)) - least) / span) * (height - bottom - 18);
  const picture = svg("svg", { viewBox: `0 0 ${width} ${height}`, class: "growth-chart", role: "img", "aria-label": "States by value, logarithmic; the table below has the numbers" });
  for (let power = least; power <= top; power += 1) {
    const at = y(10 ** power);
    picture.append(svg("path", { class: "grid", d: `M${left} ${at}H${width - 12}` }), svg("text", { x: left - 8, y: at + 4, "text-anchor": "end", class: "soft" }, grouped(10 ** power)));
  }
  const every = Math.ceil((values.length * 56) / (width - left));
  for (const value of values.filter((_, number) => number % every === 0)) {
    picture.append(svg("text", { x: x(value), y: height - bottom + 22, "text-anchor": "middle" }, value));
  }
  picture.append(svg("text", { x: left, y: 12, class: "soft" }, "states"));
  [...series].forEach(([name, list], number) => {
    const kind = `p${number % 8}`;
    const points = list.map((row) => `${x(row.values)} ${y(row.states)}`);
    picture.append(svg("path", { class: `growth-line ${kind}`, d: `M${points.join("L")}` }));
    for (const row of list) {
      const mark = row.verdict === "holds" || row.verdict === "computed" ? svg("circle", { cx: x(row.values), cy: y(row.states), r: 4.5, class: `dot ${kind}` }) : svg("path", { class: `growth-cross ${kind}`, d: `M${x(row.values) - 5} ${y(row.states) - 5}l10 10m0 -10l-10 10` });
      mark.append(svg("title", {}, `${name}, ${row.values}: ${row.verdict}, ${row.states} states`));
      picture.append(mark);
    }
  });
  const legend = [...series.keys()].map((name, number) => html("span", { class: `chip p${number % 8}` }, name));
  return html("figure", {}, picture, html("figcaption", {}, ...legend, html("span", { class: "soft" }, " ● whole search   × stopped at a failure or a limit")));
}

function growthTable(rows) {
  const several = new Set(rows.map((row) => row.model)).size > 1;
  const heads = [...(several ? ["model"] : []), "values", "property", "verdict", "states", "growth", "transitions", "memory", "time"];
  const body = rows.map((row) => {
    const cells = [...(several ? [row.model] : []), row.values, row.property, html("span", { class: `pill ${row.verdict}` }, WORDS[row.verdict] || row.verdict), grouped(row.states), row.growth ? `×${row.growth.toFixed(2)}` : "", grouped(row.transitions), bytesText(row.peak_memory_bytes), secondsText(row.seconds)];
    return html("tr", {}, ...cells.map((cell, number) => html("td", { class: number >= cells.length - 5 ? "figure" : "" }, cell)));
  });
  const head = html("thead", {}, html("tr", {}, ...heads.map((name, number) => html("th", { scope: "col", class: number >= heads.length - 5 ? "figure" : "" }, name))));
  return html("div", { class: "scrolls wide" }, html("table", { class: "growth-table" }, head, html("tbody", {}, ...body)));
}
