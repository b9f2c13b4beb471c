// What every page can do once scripts run: sort tables, say which boxes scroll, shrink what is wide for paper, and show
// a small map large, with its numbers.
"use strict";
// Not by its id, which a section with that heading has, too.
const data = JSON.parse(document.querySelector("script[type='application/json']").textContent);

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
    if (!heading.textContent.trim()) return;
    const button = element("button", { type: "button" }, ...heading.childNodes);
    button.addEventListener("click", () => sortBy(table, column, heading));
    heading.append(button);
  });
}

/// A click, and the keys that are one.
function onPress(target, act) {
  target.addEventListener("click", act);
  target.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    act();
  });
}

// --- Boxes that scroll: a hint, and a way in for the keyboard.
const boxes = [...document.querySelectorAll(".scroll")];
function tellScroll(box) {
  const wide = box.scrollWidth > box.clientWidth + 1;
  box.classList.toggle("more", wide);
  if (!wide && box.scrollHeight <= box.clientHeight + 1) return void box.removeAttribute("tabindex");
  const title = box.querySelector("caption, [aria-label]");
  box.tabIndex = 0;
  box.setAttribute("role", "region");
  box.setAttribute("aria-label", "Scrolls: " + (title ? title.ariaLabel || title.textContent : "more"));
}
const watchScroll = new ResizeObserver((entries) =>  // later: the hint changes a size itself
  requestAnimationFrame(() => { for (const { target } of entries) tellScroll(target); }));
for (const box of boxes) watchScroll.observe(box);

// --- Paper: A4 has 673 px between its margins. What is wider shrinks.
const kPaper = 670;
window.addEventListener("beforeprint", () => {
  for (const box of boxes) {
    const table = box.querySelector("table");
    if (!table || !box.clientWidth) continue;
    box.style.width = kPaper + "px";
    table.style.zoom = Math.min(1, kPaper / table.offsetWidth);
    box.style.width = "";
  }
});
window.addEventListener("afterprint", () => {
  for (const box of boxes) for (const table of box.querySelectorAll("table")) table.style.zoom = "";
});

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
      cell.style.background = "color-mix(in srgb, var(--accent) calc(var(--strongest) * " + share.toFixed(3) + "), transparent)";
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
