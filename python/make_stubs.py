"""Writes the stubs of kette._kette by nanobind's stubgen, and makes the types complete that C++ leaves open.

    python make_stubs.py FOLDER_WITH_THE_PACKAGE STUB_PATTERNS
"""

import pathlib
import re
import shutil
import sys

from nanobind import stubgen

# What a caster of nanobind says, and what a strict type checker wants.
COMPLETED = [
    (r"(\*\*?\w+)(?=[,)])(?=.*\).*:)", r"\1: Any"),  # *args, **options
    (r"-> dict\b(?!\[)", "-> dict[str, Any]"),
    (r"\bos\.PathLike\b(?!\[)", "os.PathLike[str]"),
    (r"\btuple\b(?!\[)(?=[:,)\]])", "tuple[Any, ...]"),
]

# Of a text one result, of several a list: what the C++ function of Model.translate and Model.score cannot say.
EITHER = re.compile(r"    def (translate|score)\(self, (texts|sources): object, (.*)\) -> object:")
TEXTS = "str | Sequence[str]"


def in_two(found):
    name, texts, others = found.groups()
    result = {"translate": "Translation", "score": "Score"}[name]
    others = others.replace("prefix: object | None", f"prefix: {TEXTS} | None")
    others = others.replace("capture: object | None", f"capture: {TEXTS} | None")
    others = others.replace("replace: object | None", "replace: dict[str, object] | None")

    def form(one, made):
        return f"    @overload\n    def {name}(self, {texts}: {one}, {others.replace('targets: object', f'targets: {one}')}) -> {made}:"

    return form("str", result) + " ...\n\n" + form("list[str] | tuple[str, ...]", f"list[{result}]")


def main(folder, patterns):
    package = folder / "kette"
    shutil.rmtree(package / "_kette", ignore_errors=True)  # submodules make a folder of it
    (package / "_kette.pyi").unlink(missing_ok=True)
    stubgen.main(["--quiet", "--recursive", "--include-private", "--module", "kette._kette", "--import", str(folder),
                  "--output-dir", str(package), "--pattern-file", str(patterns)])
    for path in [*package.glob("_kette.pyi"), *package.glob("_kette/*.pyi")]:
        lines = path.read_text().split("\n")
        for at, line in enumerate(lines):
            if re.match(r" *def ", line):
                for pattern, text in COMPLETED:
                    line = re.sub(pattern, text, line)
                lines[at] = EITHER.sub(in_two, line)
        text = "\n".join(lines)
        if re.search(r"\bAny\b", text) and not re.search(r"^from typing import .*\bAny\b", text, re.MULTILINE):
            docstring = re.match(r'(""".*?"""\n)?', text, re.DOTALL).end()
            text = text[:docstring] + "\nfrom typing import Any\n" + text[docstring:]
        path.write_text(text)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
