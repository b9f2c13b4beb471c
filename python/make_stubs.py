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
                lines[at] = line
        text = "\n".join(lines)
        if re.search(r"\bAny\b", text) and not re.search(r"^from typing import .*\bAny\b", text, re.MULTILINE):
            docstring = re.match(r'(""".*?"""\n)?', text, re.DOTALL).end()
            text = text[:docstring] + "\nfrom typing import Any\n" + text[docstring:]
        path.write_text(text)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
