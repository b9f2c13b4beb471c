"""Writes kette/_commands.py: a function for each command of the command line, with its options as keyword arguments.

    python make_commands.py FOLDER_OF_THE_MODULE OUTPUT
"""

from __future__ import annotations

import keyword
import re
import sys
import textwrap

# Of the command line alone; and Model has translate and generate.
LEFT_OUT = ("serve", "translate", "generate", "help", "version", "man", "completion")
NAMES = {
    "import": "import_model",
    "export": "export_model",
    "gradcheck": "check_ops",
    "tape": "show_tape",
}
# What loads models by cli/host.h, and so takes those in memory.
IN_MEMORY = ("evaluate", "score", "parse", "explain", "heads", "patch", "fill", "compare", "info")
MODELS = ("--model", "--against", "A", "B")
# Files of lines, which may be given as a list of them.
LINES = ("--src", "--tgt", "--ref", "--text", "--gold", "--test", "--valid-src", "--valid-tgt")
# Options that make no sense in Python: a result has its values, and no launcher starts processes.
NOT_HERE = ("--json", "--wait-limit")
HEADER = '''"""The commands of the command line as functions. Made by python/make_commands.py; do not edit."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from ._reports import Report
from ._running import command, run as _run

if TYPE_CHECKING:
    from ._kette import Model

Path: TypeAlias = str | os.PathLike[str]

'''


def argument_of(option):
    name = option["name"].lstrip("-").lower().replace("-", "_")
    return name + "_" if keyword.iskeyword(name) else name


def takes_lines(option):
    return option["name"] in LINES and option["kind"] == "path" and not option["is_list"]


def type_of(option, in_memory):
    kind = option["kind"]
    if kind == "choice":
        one = "Literal[" + ", ".join(f'"{word}"' for word in option["words"]) + "]"
    else:
        one = {"flag": "bool", "int": "int", "float": "float", "str": "str", "path": "Path"}[kind]
    if option["name"] in MODELS:
        one = "Path | Model" if in_memory else "Path"
    elif option["is_list"] and kind == "str":
        one = "Path"  # names of files, too
    if takes_lines(option):
        return "Path | Sequence[str]"
    return f"{one} | Sequence[{one}]" if option["is_list"] else one


# What a help says of the command line, and of a function.
IN_PYTHON = (
    (r"; the command line overrides them", "; arguments override them"),
    (r" \(default(, or -)?: stdin\)", "; or lines"),
    (r" \(default, or -: stdout\)", " (default: the text of the report)"),
    (r" of stdin line by line", " of each of the lines"),
    (r"makes the exit code 1", "makes the report failed"),
)
# What makes a report failed, an exit code of 1 of the program.
FAILED_IF = {
    "compare": "they do",
    "lab": "one does not hold",
    "gradcheck": "one is wrong",
    "tape": "a gradient that was checked is wrong",
}


def in_python(text):
    for there, here in IN_PYTHON:
        text = re.sub(there, here, text)
    return text


def help_of(option, arguments):
    text = re.sub(r"--[a-z][a-z0-9-]*", lambda found: arguments.get(found.group(), found.group()), option["help"])
    words = option["words"]
    if takes_lines(option):
        text += "; a file, or a list of lines"
    if words:
        text += " (" + ", ".join(words) + ")"
    if option["default"]:
        preset = re.search(r"the defaults shown are those of ([\w-]+)", option["group"])
        text += f" ({f'of {preset[1]}' if preset else 'default'}: {option['default']})"
    return text


def function_of(command):
    words = command["words"]
    name = NAMES.get(words[0], "_".join(words).replace("-", "_"))
    in_memory = words[0] in IN_MEMORY
    options = [option for option in command["options"] if option["name"] not in NOT_HERE]
    places = [option for option in options if not option["name"].startswith("-")]
    named = [option for option in options if option["name"].startswith("-")]
    named.sort(key=lambda option: not option["is_required"])  # in their order
    arguments = {}
    for option in places + named:
        argument = argument_of(option)
        if argument in arguments.values():
            argument += "_"
        arguments[option["name"]] = argument
    parameters, helps, table = [], [], {}

    def add(argument, annotation, is_required, text):
        parameters.append(f"{argument}: {annotation}" + ("" if is_required else " | None = None"))
        helps.append((argument, in_python(text)))

    for option in places:
        add(arguments[option["name"]], type_of(option, in_memory), option["is_required"], help_of(option, arguments))
    star = len(parameters)
    for option in named:
        add(arguments[option["name"]], type_of(option, in_memory), option["is_required"], help_of(option, arguments))
    for option in options:
        opposite = option["opposite"] if option["kind"] == "flag" else None
        table[arguments[option["name"]]] = (option["name"], opposite, takes_lines(option))
    if "--input" in arguments or words == ["fill"]:
        add("lines", "Iterable[str] | str", False, "The lines themselves, instead of a file")
    if words == ["train"]:
        add("on_step", "Callable[[int, float, dict[str, Any]], object]", False,
            "Called after each step with its number, its loss and what the log says of it; what it raises ends the "
            "training, whose state is saved")
        add("on_validation", "Callable[[int, dict[str, Any]], object]", False, "The same after each validation")
    if star < len(parameters):
        parameters.insert(star, "*")
    lines = [f"@command", f"def {name}("]
    lines += [f"    {parameter}," for parameter in parameters]
    lines += [") -> Report:"]
    doc = in_python(command["help"]).rstrip(".")
    if words[0] in FAILED_IF:
        doc += f" (the report has failed if {FAILED_IF[words[0]]})"
    doc = re.sub(r"--[a-z][a-z0-9-]*", lambda found: arguments.get(found.group(), found.group()), doc)
    lines += textwrap.wrap(f'"""{doc}.', 116, initial_indent="    ", subsequent_indent="    ", break_on_hyphens=False)
    lines += ["", f"    The command `kette {' '.join(words)}`.", "", "    Args:"]
    for argument, text in helps:
        lines += textwrap.wrap(f"{argument}: {text}", 112, initial_indent="        ", subsequent_indent="            ",
                               break_on_hyphens=False, break_long_words=False)
    lines[-len(lines):] = [line.replace("\\", "\\\\") for line in lines]
    lines += ['    """', "    return _run("]
    lines += [f"        {words},".replace("'", '"'), f"        {table},".replace("'", '"'), "        locals(),",
              f"        {in_memory},", "    )", "", ""]
    return name, "\n".join(lines)


def main():
    folder, output = sys.argv[1:]
    sys.path.insert(0, folder)
    import _kette

    functions = [function_of(one) for one in _kette._described_commands() if one["words"][0] not in LEFT_OUT]
    names = "\n__all__ = [\n" + "".join(f'    "{name}",\n' for name, _ in functions) + "]\n"
    with open(output, "w", encoding="utf-8") as file:
        file.write(HEADER + names + "\n\n" + "\n".join(text for _, text in functions).rstrip() + "\n")


main()
