"""Runs the commands of _commands.py: makes an argument list of keyword arguments, and a Report of what comes back."""

from __future__ import annotations

import functools
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, ParamSpec, TypeVar

from . import _kette
from ._reports import Report

P = ParamSpec("P")
R = TypeVar("R")


def command(function: Callable[P, R]) -> Callable[P, R]:
    """Tells the nearest names of an unknown keyword argument."""
    names = function.__code__.co_varnames[: function.__code__.co_argcount + function.__code__.co_kwonlyargcount]

    @functools.wraps(function)
    def checked(*args: P.args, **kwargs: P.kwargs) -> R:
        for name in kwargs:
            if name not in names:
                import difflib

                near = difflib.get_close_matches(name, names, 3)
                raise TypeError(
                    f"{function.__name__}() got an unexpected keyword argument {name!r}"
                    + (f" (did you mean {' or '.join(near)}?)" if near else "")
                )
        return function(*args, **kwargs)

    return checked


# By argument: the name of its option; of a flag, that of its opposite or ""; whether it is a file of lines.
Options = dict[str, tuple[str, str | None, bool]]


def run(words: list[str], options: Options, given: dict[str, Any], in_memory: bool) -> Report:
    """words: the command. in_memory: whether it takes models in memory."""
    import tempfile

    with tempfile.TemporaryDirectory(prefix="kette-") as folder:
        return _run_within(folder, words, options, given, in_memory)


def _run_within(folder: str, words: list[str], options: Options, given: dict[str, Any], in_memory: bool) -> Report:
    import json
    import logging

    models: dict[str, Any] = {}
    arguments, places = list(words), []
    for name, (option, opposite, takes_lines) in options.items():
        value = given[name]
        if takes_lines and isinstance(value, (list, tuple)):
            value = _file_of_lines(os.path.join(folder, name), name, value)
        if value is None or (isinstance(value, (list, tuple)) and not value):
            continue
        if isinstance(value, bool) != (opposite is not None):
            expected = "a value" if opposite is None else "True or False"
            raise TypeError(f"{'_'.join(words)}: expected {expected} as {name}, given {value!r}")
        if opposite is not None:
            if value or opposite:
                arguments.append(option if value else opposite)
            continue
        for one in value if isinstance(value, (list, tuple)) else [value]:
            text = _text(one, name, models if in_memory else None, words)
            if option.startswith("-"):
                arguments.append(f"{option}={text}")
            else:
                places.append(text)
    arguments.append("--json")
    if places:
        arguments += ["--", *places]
    messages: list[str] = []
    log = logging.getLogger("kette")

    def say(line: bytes) -> None:
        text = line.decode(errors="replace")
        messages.append(text)
        log.info(text)

    try:
        code, printed, values, title, page = _kette._run_command(
            arguments, models, _input(given.get("lines")), _program(), _step_callback(given), say
        )
    except _kette.Error as error:
        raise type(error)(_named(str(error).replace(folder + os.sep, ""), options)) from None
    return Report(json.loads(values), printed.decode(errors="replace"), title, page, messages, code != 0)


def _text(value: Any, name: str, models: dict[str, Any] | None, words: list[str]) -> str:
    model_class = getattr(_kette, "Model", None)
    if model_class is not None and isinstance(value, model_class):
        if models is None:
            raise TypeError(
                f"{'_'.join(words)}: expected {name} as a folder, given a model in memory (its save() makes one)"
            )
        key = f"<model {len(models) + 1}>/{value.path.name if value.path else 'model'}"
        models[key] = value
        return key
    if isinstance(value, (str, os.PathLike)):
        text = os.fspath(value)
        return os.fsdecode(text) if isinstance(text, bytes) else text
    if isinstance(value, float):
        return repr(value)
    if hasattr(value, "__index__"):
        return str(value.__index__())
    if hasattr(value, "__float__"):
        return repr(float(value))
    raise TypeError(f"{'_'.join(words)}: expected {name} as a number, a text or a path, given {type(value).__name__}")


def _file_of_lines(path: str, name: str, lines: Sequence[Any]) -> str:
    with open(path, "w", encoding="utf-8", newline="\n") as file:
        file.writelines(_ended(name, lines))
    return path


def _input(lines: Iterable[str] | str | None) -> bytes | None:
    if lines is None:
        return None
    return (lines if isinstance(lines, str) else "".join(_ended("lines", lines))).encode()


def _ended(name: str, lines: Iterable[Any]) -> Iterator[str]:
    """Each with the line feed at its end, which those of an open file have."""
    for number, line in enumerate(lines, 1):
        if not isinstance(line, str) or "\n" in line.removesuffix("\n"):
            raise TypeError(f"{name}: expected texts of one line each, given {line!r} as number {number}")
        yield line.removesuffix("\n") + "\n"


def _program() -> list[str]:
    return [sys.executable, "-m", "kette"]


def _step_callback(given: dict[str, Any]) -> Callable[[bytes], None] | None:
    on_step, on_validation = given.get("on_step"), given.get("on_validation")
    if on_step is None and on_validation is None:
        return None
    import json

    def told(line: bytes) -> None:
        info = json.loads(line)
        if on_step is not None and "loss" in info:
            on_step(info["step"], info["loss"], info)
        if on_validation is not None and "valid_loss" in info:
            on_validation(info["step"], info)

    return told


def _named(text: str, options: Options) -> str:
    """The text of an error with the names of arguments for those of options: beam for --beam."""
    names = {option: name for name, pair in options.items() for option in pair[:2] if option}
    # What follows "kette lab" is a command line, and stays one.
    command_line = r"\bkette [a-z][a-z-]*(?: [a-z][a-z-]*)?(?: \"[^\"]*\")? --[^;:,()]*"
    text = re.sub(command_line + r"|--[a-z][a-z0-9-]*", lambda found: names.get(found.group(), found.group()), text)
    return re.sub(r"^([A-Z]+)(?=:| is required)", lambda found: names.get(found.group(), found.group()), text)
