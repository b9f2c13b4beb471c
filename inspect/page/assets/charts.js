// Curves to point at and zoom into (dygraphs), over the plain drawings, which stay for paper. Charts of one group are zoomed
// together and hide the same curves; curves with a scale can be drawn along whatever else their x is.
"use strict";
const graphs = [];
const hidden = new Set();  // group, or the number of a chart that has none, and name
let along = 0;  // which of the scales; 0: x itself

/// What x is along the scale: from the place between the two that are known around it.
function scaled(curve, x) {
  const scale = along > 0 && curve.scale >= 0 ? data.scales.values[curve.scale][along] : null;
  if (!scale) return x;
  const [from, to] = scale;
  let right = from.findIndex((step) => step >= x);
  if (right < 0) return to[to.length - 1];
  if (right === 0) return from[0] > 0 ? to[0] * x / from[0] : to[0];
  const share = (x - from[right - 1]) / (from[right] - from[right - 1]);
  return to[right - 1] + share * (to[right] - to[right - 1]);
}
const keyOf = (chart, legend) => (chart.group || data.charts.indexOf(chart)) + "\n" + legend;
/// Without a curve there is no logarithm either.
function visible(chart) {
  const visibility = chart.curves.map((curve) => !hidden.has(keyOf(chart, curve.legend)));
  return { visibility, logscale: chart.log_y && visibility.includes(true) };
}

/// The others of its group show the part of x that this one shows.
function zoomTogether(graph, chart) {
  const dateWindow = graph.isZoomed("x") ? graph.xAxisRange() : null;
  for (const other of graphs) {
    if (other.graph !== graph && chart.group && other.chart.group === chart.group) other.graph.updateOptions({ dateWindow });
  }
}
/// 0.004, 3e-7, 12,500, 1.5M
function short(number) {
  const size = Math.abs(number);
  if (number !== 0 && size < 1e-3) return String(Number(number.toPrecision(4)).toExponential());
  if (size < 1e6) return Number(number.toPrecision(6)).toLocaleString("en");
  return new Intl.NumberFormat("en", { notation: "compact", maximumSignificantDigits: 4 }).format(number);
}
/// Places for labels, as in inspect/page/chart_drawing.cpp: of whole numbers whole, on logarithmic axes 1, 2 and 5.
function ticksOf(low, high, most, log, whole) {
  const ticks = [];
  if (log && high >= 5 * low) {
    const first = Math.floor(Math.log10(low)), last = Math.ceil(Math.log10(high));
    const apart = Math.ceil((last - first + 1) / most), factors = 3 * (last - first) <= most ? [1, 2, 5] : [1];
    for (let power = first; power <= last; power += apart) ticks.push(...factors.map((factor) => Number(factor + "e" + power)));
    return ticks.filter((tick) => tick >= low * (1 - 1e-6) && tick <= high * (1 + 1e-6));
  }
  const rough = (high - low) / most, ten = 10 ** Math.floor(Math.log10(rough));
  const apart = Math.max(whole ? 1 : 0, ten * [1, 2, 5, 10].find((factor) => factor * ten >= rough * (1 - 1e-9)));
  for (let at = Math.ceil(low / apart - 1e-9); at * apart <= high + 1e-9 * apart && ticks.length < 100; ++at) ticks.push(at * apart + 0);
  return ticks;
}
const ticker = (log, whole, apart) => (low, high, pixels) =>
  ticksOf(low, high, Math.max(2, Math.floor(pixels / apart)), log, whole).map((v) => ({ v, label: short(v) }));
function optionsOf(chart, style) {
  const color = (name) => style.getPropertyValue(name).trim();
  const axis = { axisLineColor: color("--faint"), gridLineColor: color("--line") };
  const series = {};
  for (const curve of chart.curves) {
    series[curve.name] = { color: color("--c" + curve.color) };
    if (curve.kind === 1) Object.assign(series[curve.name], { strokePattern: [[6, 4], [2, 4], [12, 4, 2, 4]][curve.dashes], drawPoints: true, pointSize: 2.5 });
    if (curve.kind === 2) Object.assign(series[curve.name], { strokeWidth: 0.7, color: color("--c" + curve.color) + "66", highlightCircleSize: 0 });
  }
  const other = chart.curves.some((curve) => curve.scale >= 0) && along > 0, x = other ? data.scales.names[along] : chart.x;
  return { ...visible(chart), labels: [x || "x", ...chart.curves.map((curve) => curve.name)], series,
    connectSeparatedPoints: true, strokeWidth: 1.6, xlabel: x, xRangePad: chart.log_x ? 0 : 14, rightGap: 30, includeZero: chart.from_zero,
    axes: { x: { ...axis, logscale: chart.log_x, axisLabelWidth: 70, ticker: ticker(chart.log_x, chart.whole_x && !other, 80), valueFormatter: short },
      y: { ...axis, axisLabelWidth: 60, ticker: ticker(chart.log_y, chart.whole_y, 40), valueFormatter: short } },
    highlightSeriesOpts: { strokeWidth: 2.6 }, legend: "follow", legendFormatter: chart.curves.length > 7 ? onePoint : undefined,
    zoomCallback() { zoomTogether(this, chart); } };
}
/// Of many curves the legend under the pointer names the nearest alone.
function onePoint({ xHTML, series }) {
  const near = series.find((one) => one.isHighlighted);
  return near ? xHTML + "<br>" + near.dashHTML + " " + near.labelHTML + ": " + near.yHTML : "";
}
function drawCharts() {
  for (const { graph } of graphs.splice(0)) graph.destroy();
  const style = getComputedStyle(document.documentElement);
  for (const plot of document.querySelectorAll("[data-chart]")) {
    const chart = data.charts[Number(plot.dataset.chart)];
    const places = new Map();
    chart.curves.forEach((curve, number) => curve.x.forEach((place, i) => {
      const x = scaled(curve, place);
      if (!places.has(x)) places.set(x, chart.curves.map(() => null));
      places.get(x)[number] = curve.y[i] === null ? NaN : curve.y[i];
    }));
    const rows = [...places].sort((a, b) => a[0] - b[0]).map(([x, ys]) => [x, ...ys]);
    plot.querySelector("div")?.remove();
    const place = element("div");
    plot.append(place);
    const options = optionsOf(chart, style);
    if (rows.length === 1) {  // an axis of one place has no length
      const x = rows[0][0];
      options.dateWindow = chart.log_x ? [x / 2, x * 2] : [x - 1, x + 1];
    }
    graphs.push({ chart, graph: new Dygraph(place, rows, options) });
  }
}

// --- Names in the legends show and hide.
function toggle(chart, legend) {
  const name = keyOf(chart, legend);
  if (!hidden.delete(name)) hidden.add(name);
  for (const other of graphs) other.graph.updateOptions(visible(other.chart));
  markHidden();
}
function markHidden() {
  for (const plot of document.querySelectorAll("[data-chart]")) {
    const chart = data.charts[Number(plot.dataset.chart)];
    for (const name of plot.parentElement.querySelectorAll(".legend span")) {
      name.setAttribute("aria-pressed", String(!hidden.has(keyOf(chart, name.textContent))));
    }
  }
}
for (const name of document.querySelectorAll("figure .legend span")) {
  const chart = data.charts[Number(name.closest("figure").querySelector("[data-chart]").dataset.chart)];
  name.setAttribute("role", "button");
  name.setAttribute("tabindex", "0");
  onPress(name, () => toggle(chart, name.textContent));
}

// --- Along what.
if (data.scales && data.scales.names.length > 1) {
  const choice = element("select", {}, ...data.scales.names.map((name) => element("option", { textContent: name })));
  choice.addEventListener("change", () => { along = choice.selectedIndex; drawCharts(); });
  const first = document.querySelector("figure.chart");
  if (first) first.before(element("p", { className: "scales" }, element("label", {}, "All curves by ", choice)));
}
drawCharts();
markHidden();
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawCharts);
