"""Opens pages of Kette in a Chromium and holds them to the rules that all pages keep. scripts/pages.sh draws the pages.

  check_pages.py --chromium PROGRAM --pages FILE ... [--kette PROGRAM --models TRANSLATOR GPT] [--pictures DIR]

With --kette and --models also those of `kette serve`. --pictures: a picture of each page in each form. A line for each
broken rule; exit code 1 if there is one.
"""
import argparse
import pathlib
import re
import subprocess
import sys
import urllib.parse

import axe_playwright_python
from playwright.sync_api import sync_playwright

AXE = (pathlib.Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text()
WIDE, PHONE, PAPER = (1400, 900), (420, 900), (670, 950)  # A4 at 96 dots an inch, less margins of 16 mm: 673
FORMS = [("light", WIDE, "light", "screen"), ("dark", WIDE, "dark", "screen"), ("phone", PHONE, "light", "screen"),
         ("paper", PAPER, "light", "print")]

# What is wrong in the page as it stands, in words; data: the names of the checks to run.
WRONG = """(form) => {
  const wrong = [], seen = (one) => one.checkVisibility({ visibilityProperty: true }) && one.getClientRects().length > 0;
  const named = (one) => one.tagName.toLowerCase() + (one.id ? "#" + one.id : "") + (typeof one.className === "string" && one.className ?
    "." + one.className.split(" ").join(".") : "") + " \\"" + one.textContent.trim().slice(0, 40) + "\\"";
  const wide = document.documentElement.clientWidth, over = document.documentElement.scrollWidth - wide;
  if (over > 0) wrong.push(`the page is ${over} px wider than its window`);
  for (const one of document.querySelectorAll("main *, header *")) {
    const right = one.getBoundingClientRect().right, box = one.closest(".scroll, dialog, .result, .visually-hidden, svg *");
    if (seen(one) && right > wide + 1 && (form === "paper" || !box)) {
      wrong.push(`${named(one)} ends ${Math.round(right - wide)} px beyond the edge`);
      break;
    }
  }
  for (const box of document.querySelectorAll(".scroll")) {
    if (!seen(box) || form === "paper") continue;
    const hidden = box.scrollWidth - box.clientWidth;
    if (hidden > 1 && box.tabIndex < 0) wrong.push(`${named(box)} scrolls, but not from the keyboard`);
    if (hidden > 1 && !box.classList.contains("more")) wrong.push(`${named(box)} scrolls without a hint`);
  }
  if (form === "light") {
    const text = document.body.innerText;
    const first = document.querySelector("header p");
    if (!first || !/[.!?]$/.test(first.innerText.trim())) wrong.push("no sentence comes first");
    for (const legend of document.querySelectorAll(".legend")) {
      const names = [...legend.children].map((one) => one.textContent);
      const twice = names.find((name, i) => names.indexOf(name) !== i);
      if (twice !== undefined) wrong.push(`two legend entries "${twice}"`);
    }
    for (const [share] of text.matchAll(/(\\d[\\d.,]*) ?%/g)) {
      if (parseFloat(share.replace(/,/g, "")) > 100) wrong.push(`a share of ${share}`);
    }
    const path = document.documentElement.outerHTML.match(/(?<![\\w.<:/)])\\/(home|work|tmp|root|usr|var|mnt|build)\\/[\\w./-]*/);
    if (path) wrong.push(`the absolute path ${path[0]}`);
    const shade = text.match(/[^.]*\\b(the darker|darker is|darkest)\\b[^.]*/i);
    if (shade) wrong.push(`"${shade[0].trim()}" is not true in dark mode`);
    for (const table of document.querySelectorAll("main table")) {
      if (!table.caption || !table.caption.textContent.trim()) wrong.push(`no caption: ${named(table)}`);
      for (const cell of table.querySelectorAll("th")) {
        if (!cell.scope) wrong.push(`no scope: ${named(cell)}`);
      }
    }
    const meanings = [...document.querySelectorAll(".meanings dd")].map((one) => one.textContent);
    for (const cell of document.querySelectorAll("th[title]")) {
      if (!meanings.includes(cell.title)) wrong.push(`explained under the pointer alone: ${named(cell)}`);
    }
    for (const chart of document.querySelectorAll("canvas, .plot")) {
      const one = chart.closest("[role=img], [role=application], [aria-hidden=true]");
      if (!one || (one.ariaHidden !== "true" && !one.ariaLabel)) wrong.push(`no label: ${named(chart)}`);
    }
    for (const plot of document.querySelectorAll(".plot")) {
      const labels = (axis) => plot.querySelectorAll(`.dygraph-axis-label-${axis}`).length;
      if (seen(plot) && (labels("x") < 1 || labels("y") < 1)) wrong.push(`no labels on an axis: ${plot.ariaLabel.slice(0, 60)}`);
      const image = plot.querySelector("canvas"), paint = image.getContext("2d").getImageData(0, 0, image.width, image.height).data;
      const hues = new Set();
      for (let at = 0; at < paint.length; at += 4) if (paint[at + 3] > 200) hues.add(paint[at] >> 5 | (paint[at + 1] >> 5) << 3 | (paint[at + 2] >> 5) << 6);
      if (seen(plot) && hues.size < 1) wrong.push(`nothing is drawn: ${plot.ariaLabel.slice(0, 60)}`);
    }
    for (const svg of document.querySelectorAll("svg")) {
      if (!svg.ariaHidden && !svg.ariaLabel) wrong.push(`no label: ${named(svg)}`);
    }
  }
  return wrong;
}"""

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--chromium", required=True)
parser.add_argument("--pages", nargs="*", default=[])
parser.add_argument("--kette")
parser.add_argument("--models", nargs=2)
parser.add_argument("--pictures")
args = parser.parse_args()


class Server:
    """`kette serve` of the two models, while it is entered."""

    def __enter__(self):
        models = [f"en-de={args.models[0]}", f"gpt={args.models[1]}"]
        self.process = subprocess.Popen([args.kette, "serve", "--model", *models, "--port", "0", "--threads", "1"],
                                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        for line in self.process.stdout:
            if found := re.search(r"http://[\d.]+:\d+", line):
                return found[0]
        raise SystemExit("check_pages.py: expected a server, given none")

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()


def broken(page, form):
    """The rules that the page breaks in this form."""
    wrong = page.evaluate(WRONG, form)
    if form != "paper":
        found = page.evaluate("axe.run(document, { resultTypes: ['violations'] })")
        for violation in found["violations"]:
            if violation["impact"] in ("serious", "critical"):
                node = violation["nodes"][0]
                wrong.append(f"axe, {violation['id']}, {len(violation['nodes'])} times: {node['html'][:120]} "
                             f"{(node['any'] or [{'message': ''}])[0]['message'][:160]}")
    return wrong


def check(browser, name, address):
    found = 0
    for form, (width, height), scheme, media in FORMS:
        context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme, bypass_csp=True,
                                      reduced_motion="reduce")
        page = context.new_page()
        said = []
        page.on("console", lambda message: said.append(message.text) if message.type in ("error", "warning")
                and not message.location["url"].endswith("/favicon.ico") else None)
        page.on("pageerror", lambda error: said.append(str(error)))
        page.goto(address)
        page.emulate_media(media=media, color_scheme=scheme)
        page.wait_for_timeout(100)
        if media == "print":
            page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
            page.wait_for_timeout(100)
        else:
            page.evaluate(AXE)
        for line in [*broken(page, form), *said]:
            print(f"{name}, {form}: {line}", flush=True)
            found += 1
        if args.pictures:
            page.screenshot(path=f"{args.pictures}/{name}-{form}.png", full_page=True)
        context.close()
    return found


def served(browser, address):
    asked = {"serve": "", "serve-refuses": "?q=Good&model=none"}
    words = {"model": "en-de", "text": "The man sees the dog."}
    asked["serve-explain"] = "explain?" + urllib.parse.urlencode(words)
    return sum(check(browser, name, f"{address}/{path}") for name, path in asked.items())


with sync_playwright() as play:
    browser = play.chromium.launch(executable_path=args.chromium, args=["--no-sandbox", "--disable-gpu"])
    found = sum(check(browser, pathlib.Path(file).stem, pathlib.Path(file).resolve().as_uri()) for file in args.pages)
    count = len(args.pages)
    if args.models:
        with Server() as address:
            found += served(browser, address)
            count += 3
    browser.close()
print(f"check_pages.py: {count} pages in {len(FORMS)} forms, {found} rules broken")
sys.exit(found > 0)
