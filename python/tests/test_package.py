"""The package as a whole: names and docstrings, stubs, what an import costs, the kernels it loads, its examples."""

import inspect
import math
import os
import pathlib
import re
import subprocess
import sys

import pytest

import kette as kt

PACKAGE = pathlib.Path(kt.__file__).parent
EXAMPLES = sorted((pathlib.Path(__file__).parent.parent / "examples").glob("*.py"))


def in_another_process(code, *options):
    """What Python prints."""
    environment = {**os.environ, "PYTHONPATH": str(PACKAGE.parent)}
    done = subprocess.run([sys.executable, *options, "-c", code], capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


def is_ours(value):
    name = value.__name__ if inspect.ismodule(value) else getattr(value, "__module__", None)
    return name is None or str(name).startswith("kette")


def public_names(owner, path):
    """Every public thing of Kette's below a module or class, with its path."""
    for name, value in vars(owner).items():
        if name.startswith("_") or not is_ours(value):
            continue
        yield f"{path}.{name}", value
        if inspect.isclass(value) or inspect.ismodule(value):
            yield from public_names(value, f"{path}.{name}")


def test_every_public_name_has_a_docstring():
    names = dict(public_names(kt, "kette"))
    assert len(names) > 30 and "kette.Tensor.grad" in names
    constants = (int, float, str, tuple, type(None))
    missing = [n for n, value in names.items() if not isinstance(value, constants) and not inspect.getdoc(value)]
    assert missing == []


def test_the_stubs_have_every_name_and_no_other():
    stubs = sorted([*PACKAGE.glob("_kette.pyi"), *PACKAGE.glob("_kette/*.pyi")])
    text = "\n".join(path.read_text() for path in stubs)
    assert stubs and (PACKAGE / "py.typed").exists()
    names = {**dict(public_names(kt._kette, "kette._kette")), **dict(public_names(kt._kette._nn, "kette._kette._nn"))}
    for name, value in names.items():
        if not inspect.ismodule(value):
            assert re.search(rf"^ *(class |def )?{name.rsplit('.', 1)[1]}\b", text, re.MULTILINE), name
    simple = {name.rsplit(".", 1)[1] for name in names}
    defined = re.findall(r"^ *(?:class|def) ([a-zA-Z]\w*)", text, re.MULTILINE)
    assert set(defined) <= simple


def test_the_version():
    assert re.fullmatch(r"\d+\.\d+\.\d+", kt.__version__)


def test_an_import_is_light():
    """Neither NumPy, nor anything else that is large, comes with it."""
    loaded = in_another_process("import sys, kette; print(*sys.modules)").split()
    assert "kette" in loaded and not {"numpy", "torch", "pandas", "matplotlib", "IPython"} & set(loaded)


def test_the_best_kernels_are_loaded():
    """The loader's glibc-hwcaps at work, in a build folder and in a wheel."""
    maps = pathlib.Path("/proc/self/maps").read_text()
    loaded = {pathlib.Path(line.split()[-1]) for line in maps.splitlines() if "libkette-tensor" in line}
    assert len(loaded) == 1
    library = loaded.pop()
    flags = set(re.search(r"^flags\s*:(.*)$", pathlib.Path("/proc/cpuinfo").read_text(), re.MULTILINE)[1].split())
    avx512 = {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}
    needs = {"x86-64-v4": avx512, "x86-64-v3": {"avx2", "fma", "bmi2"}}
    levels = library.parent.parent if library.parent.name in needs else library.parent / "glibc-hwcaps"
    best = [level for level, needed in needs.items() if needed <= flags and (levels / level).is_dir()]
    assert library.parent.name == (best[0] if best else "lib")


def test_nothing_leaks_at_the_end():
    """nanobind says so on stderr."""
    assert in_another_process("""
import kette as kt
w = kt.parameter([1.0, 2.0])
with kt.Tape() as tape:
    loss = (w * w).sum()
tape.backward(loss)
""") == ""
    small = 'tokenizer=kt.CharacterTokenizer("the"), layers=1, width=32, hidden=64, heads=4'
    assert in_another_process(f"""
import kette as kt
def main():
    model = kt.Gpt("char-cpu", {small})
    adam = kt.Adam(model.parameters, lr=lambda step: 1e-3 / (adam.steps + 1))
    made = model.generate("the", max_tokens=2, replace={{"logits": lambda name, value: value if made else None}})
    made.text, adam.step()
    failed = model.generate("the", replace={{"logits": lambda name, value: [][0] if failed else None}})
    try:
        failed.text
    except IndexError:
        pass
main()
""") == ""


def test_a_daemon_thread_that_computes_does_not_disturb_the_end():
    assert in_another_process("""
import threading, time
import kette as kt
def work():
    x = kt.full((64, 64), 0.5)
    while True:
        with kt.Tape() as tape:
            loss = kt.tanh(tape.watch(x) @ x).sum()
        tape.backward(loss)
for _ in range(3):
    threading.Thread(target=work, daemon=True).start()
time.sleep(0.2)
print("end")
""").startswith("end\n")


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.name)
def test_examples(example):
    in_another_process(example.read_text())


def test_charts_and_heat_maps():
    page = kt.chart({"loss": [3, 2.5, 2]}, title="Loss").page()
    assert page.count("<h1>Loss</h1>") == 1 and "<h2>" not in page
    shown = kt.heat_map([[0, 0.5], [1, 0.25]], rows=["a", "b"], columns=["c", "d"])
    assert shown.page().count("<rect") == 4 and "iframe" in shown._repr_html_()
    below = kt.heat_map([[-5, 0.1], [math.nan, 0]]).page()
    assert re.findall(r'fill-opacity="([^"]*)"', below) == ["1.000", "0.020", "0.000", "0.000"]
    assert "\N{MINUS SIGN}5 " in below
    assert kt.chart([math.exp(-10 * i) for i in range(75)], log_y=True).page()  # the last ones are subnormal
    for bad in ([], [[1], [1, 2]]):
        with pytest.raises(kt.Error, match="matrices"):
            kt.heat_map(bad)
    with pytest.raises(kt.Error, match="names"):
        kt.heat_map([[1, 2]], rows=["a", "b"])
    with pytest.raises(kt.Error, match="as many"):
        kt.chart([1, 2], [1, 2, 3])
