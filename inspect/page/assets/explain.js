// Switches between maps of probabilities and of norms, and opens what made a word that is clicked.
"use strict";
const views = [...document.querySelectorAll(".view")];
function showView(name, buttons) {
  for (const view of views) view.hidden = view.dataset.view !== name;
  for (const button of buttons) button.setAttribute("aria-pressed", button.textContent === name);
}
if (views.length) {
  const buttons = ["probabilities", "norms"].map((name) => element("button", { type: "button", textContent: name }));
  for (const button of buttons) button.addEventListener("click", () => showView(button.textContent, buttons));
  document.querySelector("#Attention h2").after(element("p", { className: "switch" }, ...buttons));
  showView("probabilities", buttons);
}
document.querySelectorAll(".token.said").forEach((word, row) => {
  const open = () => {
    const made = document.getElementById("made-" + row);
    made.open = true;
    made.scrollIntoView({ block: "center" });
    for (const line of document.querySelectorAll("tr.chosen")) line.classList.remove("chosen");
    const line = document.getElementById("row-" + row);
    if (line) line.classList.add("chosen");
  };
  word.setAttribute("tabindex", "0");
  word.setAttribute("role", "button");
  onPress(word, open);
});

// --- Which layer's alignment is drawn.
function drawAlignment(svg, aligned) {
  const middle = (group) => {
    const box = group.querySelector("rect");
    return box.x.baseVal.value + box.width.baseVal.value / 2;
  };
  const said = [...svg.querySelectorAll(".said")], read = [...svg.querySelectorAll(".token:not(.said)")];
  for (const line of svg.querySelectorAll(".aligned")) line.remove();
  aligned.forEach((from, i) => {
    if (from < 0) return;
    const line = document.createElementNS(svg.namespaceURI, "path"), a = middle(read[from]), b = middle(said[i]);
    line.setAttribute("class", "aligned");
    line.setAttribute("d", `M${a} 23C${a} 57 ${b} 57 ${b} 92`);
    svg.prepend(line);
  });
}
const pair = document.querySelector("#Translation svg");
if (pair) {
  const ways = element("select", {}, ...data.alignments.map((one) => element("option", { textContent: one.way })));
  ways.addEventListener("change", () => drawAlignment(pair, data.alignments[ways.selectedIndex].source));
  document.querySelector("#Translation .note").before(element("label", {}, "Lines: ", ways));
}
