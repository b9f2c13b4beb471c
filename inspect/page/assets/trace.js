// The timeline of kette trace: slices over memory, one canvas to zoom into, over the plain drawing, which stays for paper.
"use strict";
const { step } = data;
const word = (number) => step.words[number];
const slices = step.slices.map(([label, kind, scope, depth, begin, end, own, flops, bytes, inputs, outputs, forward], id) =>
  ({ id, label: word(label), kind, scope: word(scope), depth, begin, end, own, flops, bytes,
    inputs: word(inputs), outputs: word(outputs), forward, partner: forward }));
for (const slice of slices) if (slice.forward >= 0) slices[slice.forward].partner = slice.id;
const blocks = step.blocks.map(([what, slice, begin, end, bytes]) => ({ what: word(what), slice, begin, end, bytes }));

// --- Numbers as people read them.
const digits = (value) => (value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2));
const scaled = (value, units, by = 1000) => {
  let unit = 0;
  while (value >= by && unit + 1 < units.length) { value /= by; ++unit; }
  return digits(value) + " " + units[unit];
};
const timeText = (ns) => (ns < 1000 ? ns.toFixed(0) + " ns" : scaled(ns / 1000, ["\u00b5s", "ms", "s"]));
const bytesText = (bytes) => (bytes < 1024 ? bytes + " B" : scaled(bytes / 1024, ["KiB", "MiB", "GiB"], 1024));
const percent = (share) => digits(100 * share) + " %";
// What takes less than a microsecond has moved nothing, but handed something on.
const works = (slice) => slice.own >= 1000;
const leastOf = (slice) => (works(slice) ? Math.max(step.gflops > 0 ? slice.flops / step.gflops : 0,
  step.gb_per_second > 0 ? slice.bytes / step.gb_per_second : 0) : 0);
const shareOf = (slice) => (slice.own > 0 ? leastOf(slice) / slice.own : 0);

// --- Memory: how much of each kind there is from each moment on, at the bottom what stays longest.
const passing = ["activation", "gradient", "other", "workspace"];
const uses = [...new Set(blocks.map((block) => block.what))].sort((a, b) => passing.indexOf(a) - passing.indexOf(b));
const useOf = new Map(uses.map((what, i) => [what, i]));
const changes = blocks.flatMap((block) => {
  const use = useOf.get(block.what);
  return [{ at: block.begin, use, bytes: block.bytes }].concat(
    block.end < step.nanoseconds ? [{ at: block.end, use, bytes: -block.bytes }] : []);
}).sort((a, b) => a.at - b.at || a.bytes - b.bytes);
const levels = [];
{
  let now = uses.map(() => 0);
  for (const { at, use, bytes } of changes) {
    now = now.slice();
    now[use] += bytes;
    const level = { at, uses: now, sum: now.reduce((a, b) => a + b, 0) };
    if (levels.length && levels.at(-1).at === at) levels[levels.length - 1] = level;
    else levels.push(level);
  }
}
const aliveAt = (at) => {
  const holders = new Map();
  for (const block of blocks) {
    if (block.begin > at || block.end <= at) continue;
    const slice = slices[block.slice];
    const op = slice ? slice.label.replace(/ backward$|[()]/g, "") : "", scope = slice ? slice.scope : "";
    const key = [block.what, op, scope].join("\n");
    const holder = holders.get(key) || { what: block.what, op, scope, bytes: 0, blocks: 0 };
    holder.bytes += block.bytes;
    ++holder.blocks;
    holders.set(key, holder);
  }
  return [...holders.values()].sort((a, b) => b.bytes - a.bytes);
};

// --- The canvas, its controls, and what is said of what lies under the pointer.
const kAxis = 22, kRow = 24, kGap = 20, kMemory = 150;
const rows = 1 + Math.max(...slices.map((slice) => slice.depth));
const memoryTop = kAxis + rows * kRow + kGap, height = memoryTop + kMemory + 4;
const place = document.getElementById("timeline");
const canvas = element("canvas", { tabIndex: 0 });
canvas.style.height = height + "px";
canvas.setAttribute("role", "img");
canvas.setAttribute("aria-label", "The step over time. Arrows move, plus and minus zoom, 0 shows all, Escape deselects.");
const tip = element("div", { className: "tip", hidden: true });
const legend = element("p", { className: "legend" });
let from = 0, to = step.nanoseconds, pointer = null, chosen = null, shown = () => true, colouring = "direction";

const ops = [...new Set([...slices].sort((a, b) => b.own - a.own).filter((slice) => slice.kind)
  .map((slice) => slice.label.replace(/ backward$/, "")))];
const colours = () => {
  const style = getComputedStyle(document.documentElement);
  return new Proxy({}, { get: (_, name) => style.getPropertyValue("--" + name).trim() });
};
const kindColour = (kind) => ["line", "c0", "c1", "c2"][kind];
const coloursOfUses = { gradients: "c1", workspace: "c2", "first moment": "c3", "second moment": "c4", activation: "c5", gradient: "c6", other: "faint", before: "faint" };
const useColour = (use) => coloursOfUses[uses[use]] || "c0";
function colourOf(slice, css) {
  if (slice.kind === 0) return css.line;
  if (colouring === "op") return css["c" + (ops.indexOf(slice.label.replace(/ backward$/, "")) % 7)];
  if (colouring === "limit") {
    return `color-mix(in srgb, ${css.c2} ${Math.round(100 * Math.min(1, shareOf(slice)))}%, ${css.c1})`;
  }
  return css[kindColour(slice.kind)];
}
const chip = (colour, text) => {
  const result = element("span", { textContent: text });
  result.style.setProperty("--c", "var(--" + colour + ")");
  return result;
};
function drawLegend() {
  const kinds = { direction: () => [1, 2, 3].filter((kind) => slices.some((slice) => slice.kind === kind))
    .map((kind) => chip(kindColour(kind), ["", "forward", "backward", "outside of ops"][kind])),
  op: () => ops.slice(0, 7).map((op, i) => chip("c" + i, op)),
  limit: () => [chip("c1", "far from the machine's limit"), chip("c2", "at it")] };
  legend.replaceChildren(...kinds[colouring]());
}

const width = () => canvas.clientWidth;
const xOf = (at) => (at - from) / (to - from) * width();
const timeAt = (x) => from + x / width() * (to - from);
function show(begin, end) {
  const span = Math.min(step.nanoseconds, Math.max(1000, end - begin));
  from = Math.max(0, Math.min(step.nanoseconds - span, begin));
  to = from + span;
  draw();
}
const zoom = (factor, x = width() / 2) => show(timeAt(x) - (timeAt(x) - from) * factor, timeAt(x) + (to - timeAt(x)) * factor);
const move = (share) => show(from + share * (to - from), to + share * (to - from));

function drawAxis(paint, css) {
  const rough = (to - from) / Math.max(2, width() / 110), ten = 10 ** Math.floor(Math.log10(rough));
  const apart = [1, 2, 5, 10].map((n) => n * ten).find((n) => n >= rough);
  paint.textBaseline = "middle";
  for (let at = Math.ceil(from / apart) * apart; at <= to; at += apart) {
    const x = Math.round(xOf(at)) + 0.5;
    paint.fillStyle = css.line;
    paint.fillRect(x, kAxis - 4, 1, height);
    paint.fillStyle = css.faint;
    const unit = apart >= 1e6 ? 1e6 : 1e3;
    const text = +(at / unit).toPrecision(7) + (unit === 1e6 ? " ms" : " \u00b5s");
    if (x + paint.measureText(text).width + 4 < width()) paint.fillText(text, x + 3, 9);
  }
}
/// As much of the text as there is room for, if that says anything.
function cut(paint, text, room) {
  if (paint.measureText(text).width <= room) return text;
  let length = text.length;
  while (length > 0 && paint.measureText(text.slice(0, length) + "\u2026").width > room) --length;
  return length > 3 ? text.slice(0, length) + "\u2026" : "";
}
function drawSlice(paint, css, slice) {
  const left = Math.max(-2, xOf(slice.begin)), right = Math.min(width() + 2, xOf(slice.end));
  if (right < 0 || left > width()) return;
  const top = kAxis + slice.depth * kRow, wide = Math.max(0.8, right - left - (right - left > 3 ? 0.7 : 0));
  paint.globalAlpha = shown(slice) || slice.kind === 0 ? 1 : 0.18;
  paint.fillStyle = colourOf(slice, css);
  paint.fillRect(left, top, wide, kRow - 2);
  if (wide > 26) {
    paint.fillStyle = slice.kind === 0 ? css.ink : css.paper;
    const name = slice.kind === 0 ? slice.label.replace(/[()]/g, "") : slice.label;
    const start = Math.max(left, 0) + 5, room = left + wide - start - 3;
    paint.fillText(cut(paint, wide > 260 && slice.scope ? name + "  " + slice.scope : name, room), start, top + kRow / 2 - 0.5);
  }
  paint.globalAlpha = 1;
}
function outline(paint, slice, colour, thick) {
  paint.strokeStyle = colour;
  paint.lineWidth = thick;
  paint.strokeRect(xOf(slice.begin), kAxis + slice.depth * kRow, Math.max(2, xOf(slice.end) - xOf(slice.begin)), kRow - 2);
}
function drawMemory(paint, css) {
  // Of the levels within a pixel the highest is drawn.
  const most = 1.04 * step.peak_bytes, columns = [];
  let level = 0;
  for (let x = 0; x <= width(); ++x) {
    const end = timeAt(x + 1);
    let best = levels[level];
    while (level + 1 < levels.length && levels[level + 1].at < end) {
      ++level;
      if (levels[level].at >= from && levels[level].sum > best.sum || best.at < from) best = levels[level];
    }
    columns.push(best);
  }
  const floor = memoryTop + kMemory, y = (bytes) => floor - bytes / most * kMemory;
  const below = columns.map(() => 0);
  uses.forEach((_, use) => {
    paint.fillStyle = css[useColour(use)];
    columns.forEach((column, x) => {
      const low = below[x];
      below[x] += column.uses[use];
      if (column.uses[use] > 0) paint.fillRect(x, y(below[x]), 1.05, y(low) - y(below[x]));
    });
  });
  paint.fillStyle = css.faint;
  paint.fillRect(0, floor, width(), 1);
  const peak = xOf(step.peak_at);
  if (peak >= 0 && peak <= width()) {
    const text = "peak " + bytesText(step.peak_bytes), wide = paint.measureText(text).width;
    paint.fillStyle = css.ink;
    paint.fillRect(peak, memoryTop - 4, 1.5, kMemory + 4);
    paint.fillText(text, peak + wide + 8 > width() ? peak - wide - 5 : peak + 5, memoryTop - 8);
  }
}
function draw() {
  const ratio = window.devicePixelRatio || 1, css = colours();
  canvas.width = Math.round(width() * ratio);
  canvas.height = Math.round(height * ratio);
  const paint = canvas.getContext("2d");
  paint.scale(ratio, ratio);
  paint.font = "12px system-ui, sans-serif";
  drawAxis(paint, css);
  for (const slice of slices) drawSlice(paint, css, slice);
  drawMemory(paint, css);
  const under = pointer && sliceAt(pointer);
  for (const slice of new Set([chosen, under])) {
    if (!slice) continue;
    outline(paint, slice, css.ink, slice === chosen ? 2.5 : 1.5);
    if (slice.partner >= 0) outline(paint, slices[slice.partner], css.ink, 1.5);
  }
  if (pointer) {
    paint.fillStyle = css.ink;
    paint.globalAlpha = 0.45;
    paint.fillRect(pointer.x, kAxis, 1, height);
    paint.globalAlpha = 1;
  }
  overview.style.setProperty("--from", 100 * from / step.nanoseconds + "%");
  overview.style.setProperty("--to", 100 * to / step.nanoseconds + "%");
}

function sliceAt({ x, y }) {
  const depth = Math.floor((y - kAxis) / kRow), slack = 2 * (to - from) / width(), at = timeAt(x);
  let best = null;
  for (const slice of slices) {
    if (slice.depth !== depth || slice.begin > at + slack || slice.end < at - slack) continue;
    if (slice.begin <= at && at < slice.end) return slice;
    best = slice;
  }
  return best;
}
const line = (...parts) => element("div", {}, ...parts);
function tellSlice(slice) {
  const title = element("b", { textContent: slice.label }), lines = [line(title, slice.scope ? " " + slice.scope : "")];
  const own = slice.own < slice.end - slice.begin ? ", of which " + timeText(slice.own) + " its own" : "";
  lines.push(line(timeText(slice.end - slice.begin) + own + ", " + percent((slice.end - slice.begin) / step.nanoseconds) + " of the step"));
  if (slice.inputs) lines.push(line(element("small", { textContent: "takes " }), slice.inputs));
  if (slice.outputs) lines.push(line(element("small", { textContent: "gives " }), slice.outputs));
  const rates = [];
  if (slice.flops && works(slice)) rates.push(scaled(slice.flops / 1e3, ["KFLOP", "MFLOP", "GFLOP", "TFLOP"]) + ", " + digits(slice.flops / slice.own) + " GFLOP/s");
  if (slice.bytes && works(slice)) rates.push(bytesText(slice.bytes) + ", " + digits(slice.bytes / slice.own) + " GB/s");
  if (rates.length) lines.push(line(rates.join("; ")));
  if (leastOf(slice) > 0) {
    const share = shareOf(slice), bar = element("div", { className: "share",
      textContent: share <= 1 ? percent(share) + " of the machine's limit" : "quicker than memory: it found its bytes in a cache" });
    bar.style.setProperty("--share", 100 * Math.min(1, share) + "%");
    lines.push(bar);
  }
  return lines;
}
function tellMemory(at) {
  const alive = aliveAt(at), sum = alive.reduce((bytes, holder) => bytes + holder.bytes, 0);
  const lines = [line(element("b", { textContent: bytesText(sum) }), " in use after " + timeText(at))];
  for (const holder of alive.slice(0, 8)) {
    const mark = chip(useColour(useOf.get(holder.what)), "");
    mark.className = "mark";
    lines.push(line(mark, bytesText(holder.bytes) + " ", element("b", { textContent: holder.what }),
      (holder.op ? " of " + holder.op : "") + (holder.scope ? ", " + holder.scope : "")));
  }
  if (alive.length > 8) lines.push(line(element("small", { textContent: "and " + (alive.length - 8) + " more; click for all" })));
  return lines;
}
function tell() {
  const slice = pointer && sliceAt(pointer);
  const lines = !pointer ? null : pointer.y >= memoryTop - kGap / 2 ? tellMemory(timeAt(pointer.x)) : slice ? tellSlice(slice) : null;
  tip.hidden = !lines;
  if (!lines) return;
  tip.replaceChildren(...lines);
  const left = pointer.x + 16 + tip.offsetWidth > width() ? pointer.x - tip.offsetWidth - 12 : pointer.x + 16;
  tip.style.left = Math.max(0, Math.min(left, width() - tip.offsetWidth)) + "px";
  // Where a finger would hide behind it what it points at, it stands below.
  tip.style.top = canvas.offsetTop + (width() < 600 ? height + 4 : pointer.y + 18) + "px";
}

// --- The table of what lives: at the peak, until a moment is chosen.
const alive = document.getElementById("alive"), atPeak = alive.querySelector("tbody").innerHTML;
const moment = element("p", { className: "switch" });
alive.before(moment);
function showAlive(at) {
  const body = alive.querySelector("tbody");
  if (at === null) {
    body.innerHTML = atPeak;
    moment.replaceChildren("At the peak. Click or tap the memory of the timeline for another moment.");
    return;
  }
  const holders = aliveAt(at), most = holders[0].bytes, sum = holders.reduce((bytes, holder) => bytes + holder.bytes, 0);
  body.replaceChildren(...holders.map((holder) => {
    const cell = element("td", { className: "number bar", textContent: (holder.bytes / 2 ** 20).toFixed(3) });
    cell.style.setProperty("--share", 100 * holder.bytes / most + "%");
    return element("tr", {}, ...[holder.what, holder.op, holder.scope].map((text) => element("td", { className: "text", textContent: text })),
      cell, element("td", { className: "number", textContent: holder.blocks }));
  }));
  const back = element("button", { type: "button", textContent: "Back to the peak" });
  back.addEventListener("click", () => showAlive(null));
  moment.replaceChildren("After " + timeText(at) + ", " + bytesText(sum) + " in use. ", back);
}
showAlive(null);

// --- Hands: pointer, wheel, keys, buttons, and rows of tables that pick their slices.
let drag = null;
const at = (event) => ({ x: event.offsetX, y: event.offsetY });
canvas.addEventListener("pointerdown", (event) => { drag = { x: event.offsetX, from, to, moved: false }; canvas.setPointerCapture(event.pointerId); });
canvas.addEventListener("pointermove", (event) => {
  pointer = at(event);
  if (drag && event.buttons) {
    const by = (drag.x - event.offsetX) / width() * (drag.to - drag.from);
    drag.moved ||= Math.abs(drag.x - event.offsetX) > 3;
    if (drag.moved) { show(drag.from + by, drag.to + by); tip.hidden = true; return; }
  }
  draw();
  tell();
});
canvas.addEventListener("pointerup", (event) => {
  const was = drag;
  drag = null;
  if (was && was.moved) return;
  pointer = at(event);
  if (pointer.y >= memoryTop - kGap / 2) showAlive(timeAt(pointer.x));
  else chosen = sliceAt(pointer);
  draw();
  tell();
});
canvas.addEventListener("pointerleave", () => { pointer = null; tip.hidden = true; draw(); });
canvas.addEventListener("dblclick", (event) => {
  const slice = sliceAt(at(event));
  if (slice) show(slice.begin - 0.1 * (slice.end - slice.begin), slice.end + 0.1 * (slice.end - slice.begin));
});
// Only where the timeline was clicked, so that a page that scrolls by does not stop here.
canvas.addEventListener("wheel", (event) => {
  if (document.activeElement !== canvas && !event.ctrlKey) return;
  event.preventDefault();
  if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) move(event.deltaX / width());
  else zoom(Math.exp(Math.max(-60, Math.min(60, event.deltaY)) / 200), event.offsetX);
}, { passive: false });
canvas.addEventListener("keydown", (event) => {
  const act = { ArrowLeft: () => move(-0.1), ArrowRight: () => move(0.1), "+": () => zoom(0.7), "=": () => zoom(0.7), "-": () => zoom(1 / 0.7),
    a: () => move(-0.1), d: () => move(0.1), w: () => zoom(0.7), s: () => zoom(1 / 0.7), 0: () => show(0, step.nanoseconds),
    Escape: () => { chosen = null; pick(null); } }[event.key];
  if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  act();
});
function pick(row) {
  const was = row && row.classList.contains("chosen");
  for (const other of document.querySelectorAll("tr.chosen")) other.classList.remove("chosen");
  shown = () => true;
  if (row && !was) {
    row.classList.add("chosen");
    const name = row.cells[0].textContent, isOp = row.closest("#ops") !== null;
    shown = (slice) => (isOp ? slice.label === name : slice.scope === name || slice.scope.startsWith(name + "/"));
  }
  draw();
}
for (const row of document.querySelectorAll("#ops tbody tr, #scopes tbody tr")) row.addEventListener("click", () => pick(row));
const button = (text, title, act) => {
  const result = element("button", { type: "button", textContent: text, title });
  result.addEventListener("click", act);
  return result;
};
const ways = ["direction", "op", "limit"].filter((way) => way !== "limit" || step.gflops > 0).map((way) => button(way, "", () => colourBy(way)));
function colourBy(way) {
  colouring = way;
  for (const one of ways) one.setAttribute("aria-pressed", one.textContent === way);
  drawLegend();
  draw();
}
const hand = matchMedia("(pointer: coarse)").matches;
const overview = element("div", { className: "overview", title: "What of the step is shown" });
const memoryLegend = element("p", { className: "legend" }, ...uses.map((what, use) => [chip(useColour(use), what), use])
  .filter(([, use]) => levels.some((level) => level.uses[use] > step.peak_bytes / 500)).map(([one]) => one));
place.replaceChildren(
  element("p", { className: "switch" }, button("+", "Zoom in", () => zoom(0.5)), button("\u2212", "Zoom out", () => zoom(2)),
    button("all", "The whole step", () => show(0, step.nanoseconds)), element("span", { textContent: "colour by" }), ...ways),
  legend, overview, canvas, tip, memoryLegend,
  element("p", { className: "note", textContent: (hand ? "Drag to move; the buttons zoom. A tap" :
    "Drag to move. Click into it, then the wheel or + and \u2212 zoom, arrows move. A click") +
    " on an op marks it and the other way it went, forward or backward; two zoom to it; a row of the tables below picks its ops." }),
  place.querySelector("svg"));
colourBy("direction");
new ResizeObserver(draw).observe(canvas);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
