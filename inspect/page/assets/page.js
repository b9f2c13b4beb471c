// What every page can do once scripts run: sort tables, and show a small map large, with its numbers.
"use strict";
const data = JSON.parse(document.getElementById("data").textContent);

function element(name, properties = {}, ...children) {
  const result = Object.assign(document.createElement(name), properties);
  result.append(...children);
  return result;
}

// --- Tables: a click on a heading sorts, one more turns it round.
const numberIn = (cell) => {
  const number = parseFloat(cell.textContent.replace(/[,\u202f\u00a0]/g, "").replace("\u2212", "-"));
  return Number.isNaN(number) ? -Infinity : number;
};
function sortBy(table, column, heading) {
  const rising = heading.getAttribute("aria-sort") === "descending" ||
    (!heading.hasAttribute("aria-sort") && !heading.classList.contains("number"));
  for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
  heading.setAttribute("aria-sort", rising ? "ascending" : "descending");
  const before = heading.classList.contains("number")
    ? (a, b) => numberIn(a.cells[column]) - numberIn(b.cells[column])
    : (a, b) => a.cells[column].textContent.localeCompare(b.cells[column].textContent);
  const body = table.tBodies[0];
  body.append(...[...body.rows].sort((a, b) => (rising ? 1 : -1) * before(a, b)));
}
for (const table of document.querySelectorAll("table.sortable")) {
  [...table.tHead.rows[0].cells].forEach((heading, column) => {
    const button = element("button", { type: "button" }, ...heading.childNodes);
    button.addEventListener("click", () => sortBy(table, column, heading));
    heading.append(button);
  });
}

// --- Maps: the picture's gray values are the numbers.
function valuesOf(image) {
  const canvas = element("canvas", { width: image.naturalWidth, height: image.naturalHeight });
  const context = canvas.getContext("2d", { willReadFrequently: true });
  context.drawImage(image, 0, 0);
  const pixels = context.getImageData(0, 0, canvas.width, canvas.height).data;
  return (row, column) => pixels[4 * (row * canvas.width + column)] / 255;
}
function labelsOf(list, count) {
  const labels = (data.labels || {})[list] || [];
  return Array.from({ length: count }, (_, i) => (i < labels.length ? labels[i] : String(i)));
}
const large = element("dialog");
document.body.append(large);
function showLarge(map) {
  const image = map.querySelector("img"), most = parseFloat(map.dataset.most);
  const rows = labelsOf(map.dataset.rows, image.naturalHeight);
  const columns = labelsOf(map.dataset.columns, image.naturalWidth);
  const value = valuesOf(image);
  // Three digits of the largest; of all zeros two.
  const digits = Math.min(9, Math.max(0, 2 - Math.floor(Math.log10(most > 1e-9 ? most : 1))));
  const table = element("table", {},
    element("thead", {}, element("tr", {}, element("td"),
      ...columns.map((label) => element("th", { scope: "col", textContent: label })))));
  const body = element("tbody");
  rows.forEach((label, row) => {
    const line = element("tr", { className: "row" }, element("th", { scope: "row", textContent: label }));
    columns.forEach((other, column) => {
      const share = value(row, column);
      const number = (share * most).toFixed(digits);
      const cell = element("td", { className: "number", textContent: share > 0.004 ? number : "",
        title: label + " \u2192 " + other + ": " + number });
      cell.style.background = "color-mix(in srgb, var(--accent) " + Math.round(80 * share) + "%, transparent)";
      line.append(cell);
    });
    body.append(line);
  });
  table.append(body);
  const close = element("button", { className: "close", type: "button", textContent: "Close (Esc)" });
  close.addEventListener("click", () => large.close());
  large.replaceChildren(close, element("h3", { textContent: map.title }),
    element("p", { textContent: map.dataset.note }),
    element("p", { className: "note", textContent: "Arrow keys go to the next map." }), table);
  large.map = map;
  if (!large.open) large.showModal();
}
const maps = [...document.querySelectorAll(".map")];
for (const map of maps) map.addEventListener("click", () => showLarge(map));
large.addEventListener("keydown", (event) => {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!step) return;
  const next = maps[maps.indexOf(large.map) + step];
  if (next) showLarge(next);
  event.preventDefault();
});
large.addEventListener("click", (event) => { if (event.target === large) large.close(); });
