// A wrong gradient to play with: y = exp(x) at twelve places, and what three rules say of it.
"use strict";
{
  const places = 12, step = 1e-5, epsilon = 2.220446049250313e-16;
  const smallest = (gradients) => gradients.indexOf(Math.min(...gradients.map(Math.abs).filter((g) => g > 0)));
  const changed = (gradients, at, factor) => gradients.map((g, i) => (i === at ? factor * g : g));
  const faults = {
    "none": (g) => g,
    "0 where x < 0": (g, x) => g.map((value, i) => (x[i] < 0 ? 0 : value)),
    "the smallest element forgotten": (g) => changed(g, smallest(g), 0),
    "the smallest element by 0.1 %": (g) => changed(g, smallest(g), 1.001),
    "the largest element by 0.1 %": (g) => changed(g, places - 1, 1.001),
    "the sign": (g) => g.map((value) => -value),
    "by one part in a thousand million": (g) => g.map((value) => value * (1 + 1e-9)),
  };
  const number = (value) => (value === 0 ? "0" : value.toExponential(2));

  const fault = element("select", {}, ...Object.keys(faults).map((name) => element("option", { textContent: name })));
  const reach = element("input", { type: "range", min: 1, max: 20, value: 16 });
  const shown = element("output"), box = element("div", { className: "scroll" });
  fault.selectedIndex = 1;

  function judged() {
    const a = Number(reach.value);
    const x = Array.from({ length: places }, (_, i) => -a + (2 * a * i) / (places - 1));
    const right = x.map(Math.exp), given = faults[fault.value](right, x);
    const difference = x.map((at) => (Math.exp(at + step) - Math.exp(at - step)) / (2 * step));
    const noise = right.map((y) => 8 * epsilon * y / step);
    const largest = Math.max(...right);
    const rules = {
      "differences, each relative to the largest gradient": (i) => Math.abs(difference[i] - given[i]) / largest / 1e-6,
      "differences, each to its own size and noise": (i) =>
        Math.abs(difference[i] - given[i]) / (1e-14 + 1e-6 * Math.abs(difference[i]) + noise[i]),
      "the adjoint test": (i) => Math.abs(right[i] - given[i]) / (1e-12 * right[i]),
    };
    const rows = (cells, name) => element("tr", {}, ...cells.map((cell) =>
      element(name, { textContent: cell, className: "number", scope: name === "th" ? "col" : "" })));
    const heard = (text) => element("caption", { className: "heard", textContent: text });
    const verdicts = element("tbody"), table = element("tbody");
    for (const [rule, share] of Object.entries(rules)) {
      const bad = x.map((_, i) => share(i)).filter((value) => value > 1).length;
      const verdict = element("td", { textContent: bad ? "FAILED, at " + bad + " of " + places : "ok" });
      if (bad) verdict.style.color = "var(--against)";
      verdicts.append(element("tr", {}, element("td", { textContent: rule }), verdict));
    }
    x.forEach((at, i) => {
      const row = rows([at.toFixed(2), number(right[i]), number(given[i]), number(difference[i]), number(noise[i])], "td");
      if (given[i] !== right[i]) row.className = "chosen";
      table.append(row);
    });
    shown.replaceChildren(element("table", {}, heard("What each rule says"), verdicts));
    box.replaceChildren(element("table", {}, heard("The gradients"),
      element("thead", {}, rows(["x", "right", "given", "difference", "its noise"], "th")), table));
  }
  for (const control of [fault, reach]) control.addEventListener("input", judged);
  document.getElementById("play").replaceChildren(
    element("p", { className: "scales" }, element("label", {}, "What is wrong: ", fault), " ",
      element("label", {}, "x from \u2212a to a, a: ", reach)), shown, box);
  boxes.push(box);
  watchScroll.observe(box);
  judged();
}
