"""kette train --log tensorboard, read by TensorBoard's own reader."""

import json
import os
import signal
import subprocess
import sys

import pytest

import kette as kt
import small

pytest.importorskip("tensorboard", reason="tensorboard is not installed")
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator  # noqa: E402


def scalars(folder, tag):
    reader = EventAccumulator(str(folder), size_guidance={"scalars": 0})
    reader.Reload()
    return {one.step: one.value for one in reader.Scalars(tag)}


def options(tmp_path, steps):
    (tmp_path / "text").write_text(small.TEXT)
    return dict(text=str(tmp_path / "text"), out=str(tmp_path / "run"), preset="char-cpu", layers=1, width=32, hidden=64, heads=4,
                context=32, steps=steps, validate_every=5, log="tensorboard")


def test_every_number_of_a_run_and_of_its_resumption(tmp_path):
    kt.train(**options(tmp_path, 10))
    kt.train(**options(tmp_path, 20), resume=True)
    lines = [json.loads(line) for line in (tmp_path / "run" / "log.jsonl").read_text().splitlines()]
    for tag, key in [("train/loss", "loss"), ("train/lr", "lr"), ("train/gradient_norm", "gradient_norm"),
                     ("train/target_tokens_per_second", "target_tokens_per_second"), ("valid/loss", "valid_loss")]:
        expected = {line["step"]: line[key] for line in lines if key in line}
        assert scalars(tmp_path / "run" / "tensorboard", tag) == pytest.approx(expected, rel=1e-6), tag
        assert len(expected) == (4 if tag == "valid/loss" else 20)


def test_a_killed_run_leaves_what_can_be_read_and_a_resumption_takes_its_place(tmp_path):
    words = []
    for name, value in options(tmp_path, 100000).items():
        words += ["--" + name.replace("_", "-"), str(value)]
    run = subprocess.Popen([sys.executable, "-m", "kette", "train", *words, "--save-every-seconds", "1000", "--validate-every", "40"],
                           stderr=subprocess.DEVNULL)
    log = tmp_path / "run" / "log.jsonl"
    while not log.exists() or log.read_text().count('"nll"') < 60:
        assert run.poll() is None
    os.kill(run.pid, signal.SIGKILL)
    run.wait()
    folder = tmp_path / "run" / "tensorboard"
    killed = scalars(folder, "train/loss")
    assert len(killed) >= 60
    with open(next(folder.iterdir()), "ab") as file:
        file.write(b"\x20\0\0\0")  # a record that was cut off
    saved = max(step for step in killed if step % 40 == 0)
    kt.train(**options(tmp_path, saved + 3) | dict(validate_every=1000), resume=True)
    resumed = scalars(folder, "train/loss")
    assert sorted(resumed) == list(range(1, saved + 4))  # the killed run's later steps are forgotten
