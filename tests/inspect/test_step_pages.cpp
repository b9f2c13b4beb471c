// The pages of kette trace and kette tape, in a browser.
#include <doctest/doctest.h>

#include "inspect/page/html.h"
#include "tests/cli/call_kette.h"
#include "tests/inspect/browser.h"

using namespace kette;
using namespace kette::testing;

namespace {

/// What the script's output element says.
std::string said(const Opened& opened) {
  const std::string begin = "<output>";
  const std::size_t at = opened.document.find(begin);
  REQUIRE(at != std::string::npos);
  return opened.document.substr(at + begin.size(),
                                opened.document.find("</output>") - at - begin.size());
}

/// The page that a command makes of a step of a small translation model, and its JSON.
struct StepPage {
  explicit StepPage(std::vector<std::string> words) {
    const std::string out = (folder / "page.html").string();
    for (const char* word : {"--preset=tiny", "--encoder-layers=1", "--decoder-layers=2",
                             "--width=32", "--heads=2", "--hidden=64", "--tokens=80", "--json"}) {
      words.emplace_back(word);
    }
    words.push_back("--out=" + out);
    const Outcome outcome = call_kette(words);
    INFO(outcome.err);
    REQUIRE(outcome.code == 0);
    json = outcome.json();
    html = read_file(out);
    CHECK(json["page"] == out);
    CHECK(json["page_bytes"].get<std::size_t>() == html.size());
    CHECK(html.size() < 1'500'000);
    CHECK_FALSE(contains(html, "http:"));
    CHECK_FALSE(contains(html, "https:"));
  }

  ScratchFolder folder;
  JsonView json;
  std::string html;
};

}  // namespace

TEST_CASE("the page of a trace: a timeline and memory that can be pointed at") {
  const StepPage page({"trace", "--warmup=1", "--no-limits"});
  // Without scripts there is a drawing, and there are the tables.
  CHECK(contains(page.html, "<rect class=\"slice backward\""));
  CHECK(contains(page.html, "<path class=\"memory\""));
  for (const JsonView& row : page.json["ops"]) {
    CHECK(contains(page.html, "<td class=\"text\">" + row["name"].text() + "</td>"));
  }
  KETTE_NEEDS_BROWSER();
  const Opened opened = open_page(page.html, R"(
      const hand = (type, x, y) => {
        const box = canvas.getBoundingClientRect();
        canvas.dispatchEvent(new PointerEvent(type, { clientX: box.left + x, clientY: box.top + y, pointerId: 1, bubbles: true }));
      };
      canvas.setPointerCapture = () => {};
      // The longest, which is the easiest to point at.
      const attention = slices.filter((slice) => slice.label === "self_attention backward")
        .reduce((a, b) => (a.end - a.begin < b.end - b.begin ? b : a));
      const middle = () => xOf((attention.begin + attention.end) / 2);
      const notes = [];
      hand("pointermove", middle(), kAxis + attention.depth * kRow + 4);
      notes.push(tip.hidden, tip.textContent);
      hand("pointerdown", middle(), kAxis + attention.depth * kRow + 4);
      hand("pointerup", middle(), kAxis + attention.depth * kRow + 4);
      notes.push(chosen === attention, slices[chosen.partner].label);
      canvas.dispatchEvent(new MouseEvent("dblclick", { clientX: canvas.getBoundingClientRect().left + middle(),
        clientY: canvas.getBoundingClientRect().top + kAxis + attention.depth * kRow + 4 }));
      notes.push(from < attention.begin && attention.end < to && to - from < 1.3 * (attention.end - attention.begin));
      canvas.focus();
      const span = to - from;
      canvas.dispatchEvent(new WheelEvent("wheel", { deltaY: 50, cancelable: true }));
      notes.push(to - from > span);
      for (const key of ["0", "+", "ArrowRight"]) canvas.dispatchEvent(new KeyboardEvent("keydown", { key }));
      notes.push(Math.abs((to - from) / step.nanoseconds - 0.7) < 1e-6 && from > 0.2 * step.nanoseconds);
      canvas.dispatchEvent(new KeyboardEvent("keydown", { key: "0" }));
      hand("pointermove", xOf(step.peak_at) + 0.01, memoryTop + 40);
      notes.push(tip.textContent.includes("in use after"), tip.textContent.includes("first moment"));
      hand("pointerdown", 0, memoryTop + 40);
      hand("pointerup", 0, memoryTop + 40);
      notes.push(moment.textContent.startsWith("After"), alive.textContent.includes("workspace"));
      moment.querySelector("button").click();
      notes.push(moment.textContent.startsWith("At the peak"));
      document.querySelector("#scopes tbody tr").click();
      notes.push(document.querySelectorAll("tr.chosen").length);
      const atPeakNow = aliveAt(step.peak_at).reduce((sum, holder) => sum + holder.bytes, 0);
      notes.push(atPeakNow === step.peak_bytes);
      document.body.prepend(element("output", { textContent: notes.join(" ; ") }));)");
  CHECK(opened.console == "");
  const std::string notes = said(opened);
  INFO(notes);
  CHECK(notes.starts_with("false ; self_attention backward "));
  CHECK(contains(notes, "/self_attention/heads"));
  CHECK(contains(notes, "takes f32 ["));
  CHECK(contains(notes, "GFLOP/s"));
  CHECK(
      notes.ends_with(" ; true ; self_attention ; true ; true ; true ; true ; true ; true ; false "
                      "; true ; 1 ; true"));
}

TEST_CASE("the page of a tape: nodes that link, fold, are found, and say how to check them") {
  const StepPage page({"tape"});
  for (const JsonView& node : page.json["nodes"]) {
    const std::string number = std::to_string(node["node"].get<std::int64_t>());
    CHECK(contains(page.html, "id=\"node-" + number + "\""));
    CHECK(contains(page.html, escaped(node["check"].text())));
    CHECK(contains(page.html, escaped(node["formula"].text())));
  }
  KETTE_NEEDS_BROWSER();
  const Opened opened = open_page(page.html, R"(
      const notes = [];
      const link = [...document.querySelectorAll(".tensors a")].at(-1), target = document.querySelector(link.getAttribute("href"));
      notes.push(target.open);
      link.click();
      setTimeout(() => {
        notes.push(target.open, target.checkVisibility());
        search.value = "SELF_attention decoder/1";
        search.dispatchEvent(new Event("input"));
        const left = nodes.filter((node) => !node.hidden);
        notes.push(left.length > 0 && left.length < 8, left.every((node) => node.checkVisibility() && node.textContent.includes("decoder/1/self_attention")));
        notes.push(count.textContent === left.length + " of " + nodes.length + " nodes");
        search.value = "%3";
        search.dispatchEvent(new Event("input"));
        notes.push(nodes.filter((node) => !node.hidden).map((node) => node.id).join());
        const command = nodes[3].querySelector(".command");
        nodes[3].open = true;
        command.querySelector("button").click();
        notes.push(getSelection().toString() === command.querySelector("code").textContent);
        search.value = "";
        search.dispatchEvent(new Event("input"));
        notes.push(nodes.every((node) => !node.hidden));
        document.body.prepend(element("output", { textContent: notes.join(" ; ") }));
      }, 100);)");
  CHECK(opened.console == "");
  CHECK(said(opened) == "false ; true ; true ; true ; true ; true ; node-3 ; true ; true");
}
