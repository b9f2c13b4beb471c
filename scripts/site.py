"""Makes the pages of the site, builds them with mkdocs, and checks every link (scripts/site.sh says how to call it).

The documents are taken as they are. Their links to source files lead to a page of each such file; to headers that stand
in code marks, a link is added. References are made of what the sources say: headers, the program's help, Python's stubs.
"""

from __future__ import annotations

import argparse
import ast
import html.parser
import json
import os
import re
import shutil
import subprocess
import sys
import time
import urllib.parse
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ["tensor", "autograd", "nn", "data", "models", "decode", "train", "inspect"]  # whose headers are installed
DOCUMENTS = ["docs/guide.md", "docs/paths.md", "docs/inside.md", "docs/python.md", "docs/serving.md", "docs/scale.md",
             "docs/glossary.md", "docs/ops.md", "CONTRIBUTING.md", "CHANGELOG.md"]
LINK = re.compile(r"\]\(([^)\s#]*)(#[^)\s]*)?\)")


def fenced(text: str, language: str, more: str = "") -> str:
    return f"``````{language}{more}\n{text.rstrip()}\n``````\n"


def escaped(text: str) -> str:
    return re.sub(r"([\\`*_{}\[\]#|~])", r"\\\1", text).replace("<", "&lt;")


class Pages:
    def __init__(self, folder: Path):
        self.folder = folder
        # What a link has asked for: documents, and other files and folders, of which there must be a page.
        self.documents: list[str] = []
        self.sources: set[str] = set()
        shutil.rmtree(folder, ignore_errors=True)

    def write(self, path: str, text: str) -> str:
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return path

    def document(self, path: str, text: str = "") -> str:
        """A document at its own place, so that links between documents stay as they are."""
        here, out, in_fence = Path(path).parent, [], False
        for line in (text or (ROOT / path).read_text()).split("\n"):
            in_fence ^= line.lstrip().startswith("```")
            if not in_fence and not line.startswith("    "):
                line = re.sub(r"(?<!\[)`([\w/]+\.h)`", lambda m: self.header_link(m, here), line)
                line = LINK.sub(lambda m: self.link(m, here), line)
                if line.startswith("|"):  # code hosts need \\| in code, mkdocs takes it as it is
                    line = re.sub(r"`[^`]*`", lambda m: m[0].replace("\\|", "|"), line)
            out.append(line)
        return self.write(path, "\n".join(out))

    def link(self, match: re.Match[str], here: Path) -> str:
        target, anchor = match[1], match[2] or ""
        file = Path(os.path.normpath(here / target))
        if not target or ":" in target or not (ROOT / file).exists():
            return match[0]
        if (ROOT / file).is_dir():
            file, target = file / "README.md", target + "/README.md"
        if file.suffix == ".md":
            self.documents.append(str(file))
        elif file.suffix == ".png":
            self.copy(file)
        else:
            self.sources.add(str(file))
            target += ".md"
        return f"]({target}{anchor})"

    def copy(self, file: Path) -> None:
        (self.folder / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / file, self.folder / file)

    def header_link(self, match: re.Match[str], here: Path) -> str:
        file = Path(match[1])
        if file.parts[0] not in FOLDERS or not (ROOT / file).is_file():
            return match[0]
        return f"[{match[0]}]({os.path.relpath(reference_of(file), here)}#{file.name})"

    def source(self, path: str) -> None:
        file = Path(path)
        text = f"# {file.name}\n\n{escaped(path)}"
        if file.suffix == ".h" and file.parts[0] in FOLDERS:
            text += f" · [in the reference]({os.path.relpath(reference_of(file), file.parent)}#{file.name})"
        language = "cpp" if file.suffix in (".h", ".cpp") else "text"
        self.write(path + ".md", text + "\n\n" + fenced((ROOT / file).read_text(), language, ' linenums="1"'))

    def notebook(self, path: str) -> str:
        """Cells as Markdown and code; the notebook itself lies beside."""
        cells = json.loads((ROOT / path).read_text())["cells"]
        text = "".join("".join(cell["source"]) + "\n\n" if cell["cell_type"] == "markdown"
                       else fenced("".join(cell["source"]), "python") + "\n" for cell in cells)
        self.document(path + ".md", text)
        with (self.folder / (path + ".md")).open("a") as page:
            page.write(f"\n[The notebook]({Path(path).name})\n")
        self.copy(Path(path))
        return path + ".md"


def reference_of(header: Path) -> str:
    """The page of the reference that a header is on."""
    return "reference/" + "-".join(header.parent.parts) + ".md"


def prose(comment: list[str]) -> str:
    """A comment as text. Lines that are set in stay as they are: formulas and code."""
    out, in_code = [], False
    for line in comment:
        is_code = line.startswith("  ")
        if is_code != in_code:
            out.append("")
        out.append("    " + line if is_code else escaped(line))
        in_code = is_code
    return "\n".join(out) + "\n\n"


def header_page(folder: Path) -> str:
    text = [f"# {folder}/\n\n"]
    for header in sorted((ROOT / folder).glob("*.h")):
        lines = header.read_text().split("\n")
        count = next(i for i, line in enumerate(lines) if not line.startswith("//"))
        text.append(f"## {header.name} {{#{header.name}}}\n\n" + prose([line[3:] for line in lines[:count]]))
        chunks: list[list[str]] = [[]]
        depth, hidden = 0, False
        for line in lines[count:]:
            if re.match(r"#(pragma once|include)|(inline )?namespace .*\{$|\}  // namespace", line):
                continue
            hidden = (hidden or line == " private:") and not re.match(r"\};| (public|protected):", line)
            if hidden:
                continue
            depth += line.count("{") - line.count("}")
            if line or depth > 0:
                chunks[-1].append(line)
            elif chunks[-1]:
                chunks.append([])
        block = ""
        for chunk in chunks:  # a comment and what it is about
            code = "\n".join(chunk)
            named = re.search(r"^(?:class|struct|enum class) (\w+)(?! *;)[^;]*$", code, re.M)
            if named and "{" in code:
                text.append((fenced(block, "cpp") + "\n" if block else "")
                            + f"### {named[1]} {{#{header.name}-{named[1]}}}\n\n" + fenced(code, "cpp") + "\n")
                block = ""
            elif code:
                block += ("\n" if block else "") + code + "\n"
        text.append(fenced(block, "cpp") + "\n" if block else "")
    return "".join(text)


def rows_of(help_text: str) -> tuple[list[str], list[str]]:
    """What --help says as Markdown; and the names of subcommands."""
    out, rows, commands, section = [], [], [], ""

    def end_table() -> None:
        if rows:
            out.extend(["", f"| {'command' if commands and section.endswith('ommands') else 'option'} | what |", "| --- | --- |"])
        for name, *told in rows:
            name = " ".join(f"`{word}`" for word in name.split(" ")) if name[0] == "-" else escaped(name)
            out.append(f"| {name} | {' · '.join(map(escaped, told))} |")
        rows.clear()

    for line in help_text.split("\n"):
        indent = len(line) - len(line.lstrip())
        if re.fullmatch(r"\S.*:", line) and not line.startswith("Usage"):
            end_table()
            section = line[:-1]
            out.append(f"\n## {section}\n")
        elif indent and section.startswith("Example"):
            out.append("    " + line)
        elif match := re.match(r"  (\S.*?)(?:\s{2,}(.*))?$", line):
            name, *limits = re.split(r" (?=Needs: |Excludes: )", match[1])
            if section in ("Commands", "Subcommands"):
                commands.append(name)
            rows.append([name, match[2] or "", *limits])
        elif indent > 20 and rows:
            rows[-1][1] = (rows[-1][1] + " " + line.strip()).strip()
        elif indent and rows:
            rows[-1][0] += line.strip()
        else:
            end_table()
            out.append(f"\n`{line}`" if line.startswith("Usage") else escaped(line))
    end_table()
    return out, commands


def command_pages(pages: Pages, kette: Path, words: list[str]) -> list[object]:
    for option in ("--help-all", "--help"):  # the first is of those that tell the most used options by the second
        told = subprocess.run([kette, *words, option], capture_output=True, text=True)
        if told.returncode == 0:
            break
    text, commands = rows_of(told.stdout)
    name = "-".join(["kette", *words])
    for command in commands:
        text = [re.sub(rf"^\| {command} \|", f"| [{command}]({name}-{command}.md) |", line) for line in text]
    nav: list[object] = [pages.write(f"commands/{name}.md", f"# {name.replace('-', ' ', len(words))}\n\n" + "\n".join(text))]
    for command in commands:
        below = command_pages(pages, kette, [*words, command])
        nav += below if words else [{command: below[0] if len(below) == 1 else below}]
    return nav


def python_page(title: str, files: list[Path]) -> str:
    """The public names of stubs or modules, with their docstrings."""
    text = [f"# {title}\n\n"]

    def add(node: ast.AST, level: int, prefix: str) -> None:
        if not isinstance(node, (ast.FunctionDef, ast.ClassDef)) or node.name.startswith("_") and node.name != "__init__":
            return
        is_class = isinstance(node, ast.ClassDef)
        heading = f"{'#' * level} {node.name} {{#{prefix}{node.name}}}\n\n"
        if node.name != "__init__" and heading not in text:  # an overload has the heading of the first
            text.append(heading)
        if not is_class:
            bare = ast.FunctionDef(node.name, node.args, [ast.Expr(ast.Constant(...))], node.decorator_list, node.returns,
                                   lineno=0)
            text.append(fenced(ast.unparse(bare).removesuffix(":\n    ..."), "python") + "\n")
        if told := ast.get_docstring(node):
            text.append(fenced(told, "text") + "\n" if re.search(r"\n {2,}\S", told) else escaped(told) + "\n\n")
        for below in node.body if is_class else []:
            add(below, level + 1, f"{prefix}{node.name}.")

    for node in [node for file in files for node in ast.parse(file.read_text()).body]:
        add(node, 2, "")
    return "".join(text)


def live_pages(pages: Pages, kette: Path, model: Path, texts: Path) -> str:
    """Pages of the program, of this model."""
    sides = [pages.folder.parent / f"test.{side}" for side in ("en", "de")]
    for side in sides:
        side.write_text("".join((texts / side.name).read_text().splitlines(True)[:20]))
    out = ["# Pages of a trained model\n\nEach is one file, as the command of its name writes it (heads: from twenty sentences)."
           " [Inside a trained model](../docs/inside.md) says how to read them.\n"]
    (pages.folder / "live").mkdir()
    for name, options in {"explain": ["The old woman has not seen the small dogs."], "trace": [], "tape": [],
                          "heads": ["--src", sides[0], "--tgt", sides[1]]}.items():
        page = pages.folder / "live" / f"{name}.html"
        subprocess.run([kette, name, "--model", model, *options, "--out", page], check=True, capture_output=True)
        out.append(f"- [{name}]({name}.html)")
    return pages.write("live/index.md", "\n".join(out) + "\n")


class Links(html.parser.HTMLParser):
    """What a page asks for, where it leads, and what can be led to in it."""

    def __init__(self) -> None:
        super().__init__()
        self.ids, self.leads, self.asks = set(), [], []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attributes}
        self.ids.update(given[key] for key in ("id", "name") if key in given and tag != "meta")
        if "src" in given:
            self.asks.append(given["src"])
        if "href" in given:
            is_link = tag in ("a", "area") or given.get("rel") == "canonical"
            (self.leads if is_link else self.asks).append(given["href"])


def check(site: Path) -> None:
    pages: dict[Path, Links] = {}
    for file in sorted(site.rglob("*.html")):
        pages[file] = Links()
        pages[file].feed(file.read_text())
    faults = [f"{style.relative_to(site)} asks for {host}" for style in site.rglob("*.css")
              for host in re.findall(r"url\([\"']?((?:https?:)?//[^)]*)", style.read_text())]
    links = anchors = 0
    for file, found in pages.items():
        where = file.relative_to(site)
        for address in found.asks + found.leads:
            parts = urllib.parse.urlsplit(address)
            if parts.scheme == "data" or (parts.scheme and address in found.leads):
                continue
            if parts.scheme or parts.netloc:
                faults.append(f"{where} asks another host for {address}")
                continue
            links += 1
            to = file if not parts.path else Path(os.path.normpath(file.parent / urllib.parse.unquote(parts.path)))
            if parts.path.startswith("/"):  # of 404.html
                to = site / parts.path.lstrip("/")
            if not to.exists() or to.is_dir():
                faults.append(f"{where} links to {address}, which is not there")
            elif parts.fragment:
                anchors += 1
                if to in pages and urllib.parse.unquote(parts.fragment) not in pages[to].ids:
                    faults.append(f"{where} links to {address}, which has no such place")
    print(f"site: {len(pages)} pages, {links} links within it, {anchors} of them to a place in a page: {len(faults)} broken")
    if faults:
        sys.exit("\n".join(f"site: {fault}" for fault in faults[:20]))


def main() -> None:
    parser = argparse.ArgumentParser(prog="site.sh", description="Builds the site of the documents.")
    parser.add_argument("out", nargs="?", default="build/site", help="its folder (default: build/site)")
    parser.add_argument("--model", type=Path, help="a translation model, for live pages of explain, heads, trace and tape")
    parser.add_argument("--texts", type=Path, default=ROOT / "build/bundled", help="its test.en and test.de")
    parser.add_argument("--kette", type=Path, default=ROOT / "build/release/kette", help="the program, for the commands")
    parser.add_argument("--python", type=Path, default=ROOT / "build/release/python/kette",
                        help="the built Python module, for its reference")
    given = parser.parse_args()
    start = time.monotonic()
    work = ROOT / "build" / "site-work"
    pages = Pages(work / "pages")

    documents = [pages.document(path) for path in DOCUMENTS]
    documents[DOCUMENTS.index("docs/python.md")] = {"In Python": "docs/python.md"}  # its heading is code
    nav: list[object] = [{"Kette": pages.document("README.md")}, {"Documents": documents}]
    notebooks = [pages.notebook(str(path.relative_to(ROOT))) for path in sorted((ROOT / "docs/notebooks").glob("*.ipynb"))]
    listed = "".join(f"- [{Path(page).name.split('.')[0]}]({Path(page).name})\n" for page in notebooks)
    nav.append({"Notebooks": [pages.write("docs/notebooks/README.md", "# Notebooks\n\n" + listed), *notebooks]})
    if given.kette.exists():
        nav.append({"Commands": command_pages(pages, given.kette.resolve(), [])})
    else:
        print(f"site: without the commands, as there is no {given.kette} (--kette)")
    folders = sorted({header.relative_to(ROOT).parent for top in FOLDERS for header in (ROOT / top).rglob("*.h")})
    nav.append({"C++": [{str(folder): pages.write(reference_of(folder / "any.h"), header_page(folder))} for folder in folders]})
    stubs = given.python / "_kette" / "__init__.pyi"
    if stubs.exists():
        parts = {"kette": ["_kette/__init__.pyi", "own_ops.py", "_reports.py", "_drawings.py"], "kette.nn": ["_kette/_nn.pyi"],
                 "Commands as functions": ["_commands.py"]}
        nav.append({"Python": [{name: pages.write(f"python/{name.lower().replace(' ', '-')}.md",
                                                  python_page(name, [given.python / file for file in files]))}
                               for name, files in parts.items()]})
    else:
        print(f"site: without Python's reference, as there is no {stubs} (scripts/python.sh makes it; --python)")
    results = ["docs/results.md"] + sorted(str(path.relative_to(ROOT)) for path in (ROOT / "docs/results").glob("*.md"))
    nav.append({"Results": [pages.document(path) for path in [*results, "bench/peers/README.md"]]})
    if given.model:
        nav.append({"Live": [live_pages(pages, given.kette.resolve(), given.model, given.texts)]})
    else:
        print("site: without live pages of explain, heads, trace and tape (--model DIR)")
    for path in pages.documents:  # which grows
        if not (pages.folder / path).exists():
            documents.append(pages.document(path))
    for source in sorted(file for file in pages.sources if not file.endswith(".ipynb")):
        pages.source(source)
    pages.write("site.css", ".md-grid { max-width: 75rem; }\n"
                "[data-md-color-scheme=slate] { --md-typeset-a-color: #8ab4f8; --md-accent-fg-color: #aecbfa; }\n")
    config = {"INHERIT": str(ROOT / "mkdocs.yml"), "docs_dir": str(pages.folder), "site_dir": str(Path(given.out).resolve()),
              "nav": nav}
    (work / "mkdocs.yml").write_text(json.dumps(config))
    made = time.monotonic()
    built = subprocess.run(["mkdocs", "build", "--strict", "-f", work / "mkdocs.yml"], capture_output=True, text=True)
    if built.returncode != 0:
        sys.exit("\n".join(line for line in built.stderr.split("\n") if re.search("WARNING|ERROR|Error", line)))
    done = time.monotonic()
    check(Path(given.out).resolve())
    print(f"site: {given.out}/index.html; {made - start:.1f} s for the pages, {done - made:.1f} s for mkdocs,"
          f" {time.monotonic() - done:.1f} s for the check")


if __name__ == "__main__":
    main()
