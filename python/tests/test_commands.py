"""The commands of the command line as functions: the values that the program prints, errors, callbacks, interrupts."""

import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import threading
import time

import pytest

import kette as kt
import small

SMALL = dict(
    preset="tiny", vocab=60, encoder_layers=1, decoder_layers=1, width=16, hidden=32, heads=2, batch_tokens=300,
    threads=1, warmup=20,
)
TEXT = dict(preset="char-cpu", layers=1, width=16, hidden=32, heads=2, context=16, batch_tokens=64, threads=1, warmup=5)
NOUNS = {"cat": "Katze", "dog": "Hund", "man": "Mann", "bread": "Brot", "house": "Haus"}
VERBS = {"sees": "sieht", "eats": "isst", "likes": "mag"}


def pair(draw):
    (a, b), verb = draw.sample(list(NOUNS), 2), draw.choice(list(VERBS))
    return f"the {a} {verb} the {b} .", f"die {NOUNS[a]} {VERBS[verb]} die {NOUNS[b]} ."


def tree(draw):
    def noun():
        return f"(NP (DT {draw.choice(['the', 'a'])}) (NN {draw.choice(list(NOUNS))}))"

    return f"(S {noun()} (VP (VBZ {draw.choice(list(VERBS))}) {noun()}) (. .))"


class Data:
    """A folder with texts, and models that were trained on them, each once."""

    def __init__(self, folder):
        self.folder = folder
        draw = random.Random(1)
        for name, count in (("train", 300), ("valid", 6)):
            pairs = [pair(draw) for _ in range(count)]
            for side, language in enumerate(("en", "de")):
                self.path(f"{name}.{language}").write_text("".join(one[side] + "\n" for one in pairs))
            self.path(f"{name}.trees").write_text("".join(tree(draw) + "\n" for _ in range(count)))
        self.pairs = dict(
            src=self.path("train.en"), tgt=self.path("train.de"),
            valid_src=self.path("valid.en"), valid_tgt=self.path("valid.de"),
        )
        self.made = {}

    def path(self, name) -> pathlib.Path:
        return self.folder / name

    def made_once(self, name, make):
        if name not in self.made:
            self.made[name] = make(self.path(name))
        return self.path(name)

    def translator(self):
        return self.made_once("translator", lambda out: kt.train(**SMALL, **self.pairs, steps=30, out=out))

    def writer(self):
        return self.made_once("writer", lambda out: kt.train(**TEXT, text=self.path("train.en"), steps=10, out=out))

    def parser(self):
        return self.made_once("parser", lambda out: kt.train(
            preset="parse", trees=self.path("train.trees"), valid_trees=self.path("valid.trees"), encoder_layers=1,
            decoder_layers=1, width=16, hidden=32, heads=2, batch_tokens=300, threads=1, steps=10, out=out))

    def filler(self):
        return self.made_once("filler", lambda out: kt.train(
            objective="masked", text=self.path("train.en"), documents="line", vocab=290, layers=1, width=16, hidden=32,
            heads=2, context=16, batch_tokens=128, threads=1, steps=10, out=out))


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return Data(tmp_path_factory.mktemp("commands"))


def program(*words):
    """What `kette ... --json` prints."""
    outcome = subprocess.run(
        [sys.executable, "-m", "kette", *map(str, words), "--json"], capture_output=True, text=True, check=True,
        env={**os.environ, "PYTHONPATH": str(pathlib.Path(kt.__file__).parent.parent)},
    )
    *lines, last = outcome.stdout.splitlines()
    return lines, json.loads(last)


def lasting(values):
    """Without what differs from run to run."""
    return {key: value for key, value in values.items() if "seconds" not in key and "rss" not in key}


def test_evaluate_is_that_of_the_program(data):
    report = kt.evaluate(
        model=data.translator(), src=data.path("valid.en"), ref=data.path("valid.de"), beam=2, allow_unknown=False,
        threads=1, confidence=True,
    )
    lines, values = program(
        "evaluate", "--model", data.translator(), "--src", data.path("valid.en"), "--ref", data.path("valid.de"),
        "--beam", 2, "--no-unknown", "--threads", 1, "--confidence",
    )
    assert report.to_dict() == values
    assert report.lines == lines
    assert not report.failed


def test_explain_and_its_page(data, tmp_path):
    report = kt.explain("the cat sees the dog .", model=data.translator())
    _, values = program("explain", "the cat sees the dog .", "--model", data.translator())
    assert lasting(report.to_dict()) == lasting(values)
    assert report.title == "the cat sees the dog ."
    assert report.page().startswith("<!DOCTYPE html>")
    report.save(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text() == report.page()
    assert "<iframe srcdoc=" in report._repr_html_()
    of_program = tmp_path / "other.html"
    program("explain", "the cat sees the dog .", "--model", data.translator(), "--out", of_program)
    assert len(of_program.read_text()) == pytest.approx(len(report.page()), abs=100)  # it says the time it took


def test_a_report_is_a_dict(data):
    report = kt.check_ops(list=True)
    assert set(report) == set(report.to_dict())
    assert {"op", "formula"} <= set(report.rows()[0])
    assert report.rows("ops") == report.rows()
    with pytest.raises(KeyError, match="ops"):
        report.rows("opps")
    with pytest.raises(KeyError, match="ops"):
        report["opps"]
    assert "matmul" in str(report)


def test_the_lines_of_a_report_are_those_that_the_command_wrote():
    ends = "\u2028 \u2029 \x85 \v \f \x1c \x1d \x1e \r"  # of lines for splitlines() alone
    for text, lines in ((f"a{ends}b\n\nc\n", [f"a{ends}b", "", "c"]), ("a", ["a"]), ("\n", [""]), ("", [])):
        assert kt.Report({}, text, "", None, [], False).lines == lines


def test_texts(data, tmp_path):
    assert kt.split(lines="He came. She left.", language="en").lines == ["He came.", "She left."]
    both = kt.split(lines="He came.\nShe left.\n", language="en").lines
    assert kt.split(lines=["He came.", "She left."], language="en").lines == both and "She left." in both
    (tmp_path / "lines").write_text("He came.\nShe left.\n")
    with open(tmp_path / "lines") as file:
        assert kt.split(lines=file, language="en").lines == both
    for wrong, number in ((["One.\nTwo.", "Three."], 1), (["One.", "\n\n"], 2), (["One.", 2], 2)):
        with pytest.raises(TypeError, match=f"^lines: expected texts of one line each, given .* as number {number}$"):
            kt.split(lines=wrong, language="en")
        with pytest.raises(TypeError, match=f"^src: expected texts of one line each, given .* as number {number}$"):
            kt.score(model=data.translator(), src=wrong, tgt=["a", "b"])
    german = data.path("valid.de").read_text().splitlines()
    assert kt.bleu(lines=german, ref=data.path("valid.de"))["score"] == pytest.approx(100)
    assert kt.bleu(input=data.path("valid.de"), ref=[data.path("valid.de")], metric="chrf")["score"] == pytest.approx(100)
    assert kt.check(src=data.path("train.en"), tgt=data.path("train.de"))["texts"]
    made = kt.tokenize(text=data.path("train.en"), out=tmp_path / "ids", tokenizer="byte")
    assert made["tokens"] > 1000
    assert (tmp_path / "ids").exists()


def test_of_a_translator(data, tmp_path):
    model = data.translator()
    pairs = dict(src=data.path("valid.en"), tgt=data.path("valid.de"))
    scored = kt.score(model=model, **pairs, threads=1)
    assert len(scored.lines) == scored["sentences"] == 6
    assert sum(map(float, scored.lines)) == pytest.approx(scored["log_probability"], abs=1e-4)
    assert kt.quantize(model=model, weights="bf16", out=tmp_path / "bf16")["weights"] == "bf16"
    checkpoints = sorted((model / "checkpoints").glob("*.safetensors"))
    assert kt.average(checkpoints[:2], out=tmp_path / "mean.safetensors")["out"]
    assert kt.lexicon(model=model, src=data.pairs["src"], tgt=data.pairs["tgt"])["pairs"] == 300
    heads = kt.heads(model=model, **pairs, samples=20, threads=1)
    assert len(heads.rows("heads")) == 6
    assert kt.plot(model).page()
    assert not kt.compare(model, model).failed
    assert kt.compare(model, tmp_path / "bf16").failed
    assert kt.info(model=model)["model"]["parameters"] > 1000
    exported = kt.export_model(model=model, out=tmp_path / "exported")
    assert kt.import_model(from_=exported["out"], out=tmp_path / "imported")["out"]
    adapted = tmp_path / "adapted"
    kt.train(from_=model, **data.pairs, lora_rank=2, batch_tokens=300, threads=1, steps=2, out=adapted)
    assert kt.merge(model=adapted, out=tmp_path / "merged")["out"]
    (tmp_path / "pairs.tsv").write_text("the cat sees the dog .\tthe man sees the dog .\n")
    with pytest.raises(kt.Error, match="^patch(ing)?: expected pairs of "):
        kt.patch(model=model, pairs=tmp_path / "pairs.tsv", threads=1)


def test_a_changed_model_is_saved_as_none_of_its_run(data, tmp_path):
    of_training = {"run", "step", "valid_loss"}
    model = kt.load(data.writer())
    assert of_training <= set(model.metadata)
    model.save(tmp_path / "same")
    same = kt.load(tmp_path / "same").metadata
    assert all(same[key] == model.metadata[key] for key in of_training)
    model.parameters[next(iter(model.parameters))].numpy()[...] += 1
    model.save(tmp_path / "changed")
    changed = kt.load(tmp_path / "changed").metadata
    assert "tokenizer" in changed and not of_training & set(changed)


def test_of_other_models(data):
    assert kt.evaluate(model=data.writer(), text=data.path("valid.en"))["perplexity"] > 1
    assert len(kt.fill("the [MASK] sees", model=data.filler(), top=2)["texts"][0]["masks"][0]) == 2
    assert len(kt.fill(lines=["a [MASK]", "the [MASK] ."], model=data.filler())["texts"]) == 2
    parsed = kt.parse(model=data.parser(), beam=2, lines=["the cat sees a dog ."])
    assert len(parsed.lines) == parsed["sentences"] == 1
    assert kt.parse_score(gold=data.path("valid.trees"), test=data.path("valid.trees"))["f1"] == pytest.approx(100)


def test_of_a_step():
    assert kt.check_ops("exp")["checks"][0]["name"] == "exp"
    assert kt.show_tape(preset="tiny", tokens=32)["nodes"]
    assert kt.trace(preset="tiny", tokens=32, warmup=1, limits=False, threads=1)
    assert kt.lab(list=True).rows()
    assert len(kt.bench_ops(tokens=32, threads=1).rows()) > 30


@pytest.mark.skipif(not hasattr(kt, "load"), reason="a build without models")
def test_a_model_in_memory(data, tmp_path):
    sentence, model = "the cat sees the dog .", kt.load(data.translator())
    before = lasting(kt.explain(sentence, model=data.translator()).to_dict())
    assert lasting(kt.explain(sentence, model=model).to_dict()) == before
    for path in model.parameters:
        model.parameters[path].numpy()[...] = 0
    assert lasting(kt.explain(sentence, model=model).to_dict()) != before
    pairs = dict(src=data.path("valid.en"), ref=data.path("valid.de"), beam=2)
    assert kt.evaluate(model=[model, data.translator()], **pairs)["sentences"] == 6
    assert kt.compare(model, data.translator()).failed
    new = kt.Gpt("char-cpu", tokenizer=kt.CharacterTokenizer("abc"), layers=1, width=16, hidden=32, heads=2)  # of no folder
    assert kt.info(model=new)["model"]["parameters"] == new.parameters.elements
    with pytest.raises(TypeError, match="expected model as a folder, given a model in memory"):
        kt.quantize(model=model, out=tmp_path / "quantized")


def test_sweep(data, tmp_path):
    file = tmp_path / "sweep.toml"
    common = "".join(
        f"{name.replace('_', '-')} = {json.dumps(str(value) if isinstance(value, pathlib.Path) else value)}\n"
        for name, value in {**SMALL, **data.pairs}.items() if name != "threads"
    )
    file.write_text(f"{common}steps = 3\n[one]\n[two]\nheads = 1\n")
    os.environ["PYTHONPATH"] = str(pathlib.Path(kt.__file__).parent.parent)
    report = kt.sweep(file, out=tmp_path / "out", threads=1)
    assert [run["name"] for run in report.rows("runs")] == ["one", "two"]
    assert "one" in str(report)


def test_errors(data, tmp_path):
    with pytest.raises(TypeError, match=r"evaluate\(\) got an unexpected keyword argument 'beem' \(did you mean beam"):
        kt.evaluate(model="m", beem=3)
    with pytest.raises(kt.Error, match="^beam: expected a whole number of at least 1, given 0$"):
        kt.evaluate(model="m", beam=0)
    with pytest.raises(kt.Error, match="^expected src and ref for a translation model, or text"):
        kt.evaluate(model="m")
    with pytest.raises(TypeError, match="expected a value as beam, given True"):
        kt.evaluate(model="m", beam=True)
    with pytest.raises(TypeError, match="expected True or False as shortlist, given 3"):
        kt.evaluate(model="m", shortlist=3)
    with pytest.raises(kt.Error, match="kette lab --list lists them all$"):  # which is a command line
        kt.lab("nosuch")
    with pytest.raises(kt.Error, match="expected a model directory"):
        kt.explain("a", model=tmp_path / "none")
    with pytest.raises(kt.Error, match="expected a file or lines, given neither"):
        kt.split()  # and does not wait for stdin
    with pytest.raises(TypeError, match=r"compare\(\) missing 1 required positional argument: 'b'"):
        kt.compare(data.translator())


def test_docstrings_say_what_a_command_takes_by_itself_and_when_it_fails():
    def said(function):
        return " ".join(function.__doc__.split())

    assert "Layers (of gpt2: 12)" in said(kt.train) and "Steps until the peak (of tiny: 2000)" in said(kt.train)
    assert "whatever the schedule)" in said(kt.train) and "(of tiny: 0.005)" not in said(kt.train)
    for function in (kt.compare, kt.lab, kt.check_ops, kt.show_tape):
        assert "(the report has failed if " in said(function)


def test_training_tells_each_step(data, tmp_path):
    steps, validations = [], []
    report = kt.train(
        **SMALL, **data.pairs, steps=8, out=tmp_path / "model",
        on_step=lambda step, loss, info: steps.append((step, loss, info["lr"])),
        on_validation=lambda step, info: validations.append((step, info["valid_loss"])),
    )
    lines = [json.loads(line) for line in (tmp_path / "model" / "log.jsonl").read_text().splitlines()]
    assert steps == [(line["step"], line["loss"], line["lr"]) for line in lines if "loss" in line]
    assert validations == [(line["step"], line["valid_loss"]) for line in lines if "valid_loss" in line]
    assert [step for step, _, _ in steps] == list(range(1, 9)) and report["steps"] == 8
    program("train", *[word for name, value in {**SMALL, **data.pairs}.items()
                       for word in (f"--{name.replace('_', '-')}", value)],
            "--steps", 8, "--out", tmp_path / "other")
    same = [json.loads(line) for line in (tmp_path / "other" / "log.jsonl").read_text().splitlines()]
    assert [line["loss"] for line in same if "loss" in line] == [loss for _, loss, _ in steps]


def test_a_callback_that_raises_ends_the_training(data, tmp_path):
    def stop(step, loss, info):
        if step == 3:
            raise LookupError("enough")

    with pytest.raises(LookupError, match="enough"):
        kt.train(**SMALL, **data.pairs, steps=8, out=tmp_path / "model", on_step=stop)
    assert kt.train(**SMALL, **data.pairs, steps=8, out=tmp_path / "model", resume=True)["steps"] == 8


def interrupt_soon(seconds, sent):
    def send():
        time.sleep(seconds)
        sent.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=send).start()


def test_ctrl_c_ends_a_training_with_its_state_saved(data, tmp_path):
    sent, handler = [], signal.getsignal(signal.SIGINT)
    interrupt_soon(1, sent)
    with pytest.raises(KeyboardInterrupt):
        kt.train(**SMALL, **data.pairs, steps=10**6, validate_every=10**6, out=tmp_path / "model")
    assert time.monotonic() - sent[0] < 1  # 0.1 s on an idle machine
    assert signal.getsignal(signal.SIGINT) is handler
    assert (tmp_path / "model" / "training.safetensors").exists()


def test_a_new_model_without_a_folder():
    with pytest.raises(kt.Error, match="expected a model with a tokenizer"):
        kt.heads(model=kt.Gpt("char-cpu"))
    assert "layers" in str(kt.info(model=small.gpt()))
    bare = kt.Gpt("char-cpu", vocabulary=30, layers=1, width=16, hidden=16, heads=2, context=8)
    assert not kt.compare(bare, bare).failed
    with pytest.raises(kt.Error, match="^compare: expected two models with a tokenizer"):
        kt.compare(bare, bare, "abc")


def test_ctrl_c_ends_other_commands(data):
    sent = []
    interrupt_soon(0.5, sent)
    with pytest.raises(KeyboardInterrupt):
        kt.lab("induction")
    assert time.monotonic() - sent[0] < 1


def test_two_threads_at_once(data):
    reports = {}

    def work(number):
        reports[number] = kt.explain("the cat sees the dog .", model=data.translator())

    threads = [threading.Thread(target=work, args=(number,)) for number in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert lasting(reports[0].to_dict()) == lasting(reports[1].to_dict())


def test_other_threads_of_python_run_meanwhile(data):
    counted, done = [0], threading.Event()

    def count():
        while not done.is_set():
            counted[0] += 1
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    before = counted[0]
    kt.heads(model=data.translator(), src=data.path("valid.en"), tgt=data.path("valid.de"), samples=500, threads=1)
    assert counted[0] - before > 5
    done.set()
    thread.join()
