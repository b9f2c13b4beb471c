// Finds nodes, follows links to them into what is folded, and copies the commands that check them.
"use strict";
const tape = document.getElementById("tape");
const nodes = [...tape.querySelectorAll(".node")], places = [...tape.querySelectorAll(".place")];
const firstOpen = places.filter((place) => place.open);

function reveal(node) {
  showAll();
  for (let at = node; at; at = at.parentElement.closest("details")) at.open = true;
  for (const other of nodes) other.classList.toggle("chosen", other === node);
  node.scrollIntoView({ block: "center" });
}
function followHash() {
  const node = location.hash.startsWith("#node-") && document.getElementById(location.hash.slice(1));
  if (node) reveal(node);
}
window.addEventListener("hashchange", followHash);
// A second click on the same link changes no hash.
document.addEventListener("click", (event) => {
  const link = event.target.closest && event.target.closest("a[href^='#node-']");
  if (link && link.getAttribute("href") === location.hash) followHash();
});

// --- Search: all words must be in a node's op, number, place, shapes, parameters or source.
const search = element("input", { type: "search", placeholder: "Search: linear decoder/1, %12, layer_norm.h" });
search.setAttribute("aria-label", "Search nodes");
const count = element("span", { className: "count" });
const textOf = new Map(nodes.map((node) => [node, node.textContent.toLowerCase()]));
function showAll() {
  search.value = "";
  count.textContent = "";
  for (const one of [...nodes, ...places]) one.hidden = false;
}
function find() {
  const wanted = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  if (!wanted.length) {
    showAll();
    for (const place of places) place.open = firstOpen.includes(place);
    return;
  }
  let found = 0;
  for (const node of nodes) {
    const text = textOf.get(node);
    node.hidden = !wanted.every((one) => (/^%\d+$/.test(one) ? node.id === "node-" + one.slice(1) : text.includes(one)));
    found += !node.hidden;
  }
  for (const place of places) {
    place.hidden = !place.querySelector(".node:not([hidden])");
    place.open = !place.hidden;
  }
  count.textContent = found + " of " + nodes.length + " nodes";
}
search.addEventListener("input", find);
document.addEventListener("keydown", (event) => {
  if (event.key === "/" && document.activeElement !== search) {
    event.preventDefault();
    search.focus();
  } else if (event.key === "Escape" && document.activeElement === search) {
    search.value = "";
    find();
  }
});
const all = (text, open) => {
  const button = element("button", { type: "button", textContent: text });
  button.addEventListener("click", () => { for (const place of places) place.open = open; });
  return button;
};
tape.before(element("p", { className: "switch" }, search, all("Unfold places", true), all("Fold", false), count));

// --- Copies.
function copy(code) {
  const range = document.createRange();
  range.selectNodeContents(code);
  getSelection().removeAllRanges();
  getSelection().addRange(range);
  return document.execCommand("copy");
}
for (const command of tape.querySelectorAll(".command")) {
  const button = element("button", { type: "button", textContent: "Copy", title: "Copy the command that checks this node's gradient" });
  button.addEventListener("click", () => {
    button.textContent = copy(command.querySelector("code")) ? "Copied" : "Selected";
    setTimeout(() => { button.textContent = "Copy"; }, 1500);
  });
  command.prepend(button);
}
followHash();
