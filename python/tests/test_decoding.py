import os
import shutil
import signal
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import kette as kt
import small

LINES = small.SOURCES + ["the old cat sees a dog . the dog eats .", "", "THE CAT SLEEPS ."]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("models")
    small.translator().save(path / "translator")
    small.language_model().save(path / "gpt")
    return path


def lines_of(text):
    return text.split("\n")[:-1]


@pytest.mark.parametrize("options", [{}, {"beam": 1}, {"split": "lines", "length_penalty": "gnmt:0.6"}, {"beam_kind": "full"},
                                     {"weights": "int8"}, {"sample": True, "seed": 3, "temperature": 0.7}, {"max_length": 3},
                                     {"n_best": 4, "mbr": "chrf"}, {"mend": False}])
def test_translate_has_the_bits_of_the_command(folder, options):
    arguments = []
    for name, value in options.items():
        flag = "--" + name.replace("_", "-")
        arguments += [flag] if value is True else ["--no-mend"] if name == "mend" else [flag, value]
    expected = lines_of(small.kette("translate", "--model", folder / "translator", *arguments, text="\n".join(LINES) + "\n"))
    model = kt.load(folder / "translator")
    found = model.translate(LINES, **options)
    assert [str(one) for one in found] == expected
    assert str(model.translate(LINES[0], **options)) == expected[0] or options.get("sample")
    weights = options.pop("weights", None)
    assert [one.text for one in model.for_decoding(weights=weights).translate(LINES, **options)] == expected


def test_n_best_has_the_scores_of_the_command(folder):
    rows = lines_of(small.kette("translate", "--model", folder / "translator", "--n-best", 3, text=LINES[0] + "\n"))
    found = kt.load(folder / "translator").translate(LINES[0], n_best=3)
    assert [f"1 ||| {one.text} ||| {one.score:.6f}" for one in found.alternatives] == rows
    assert found.score == found.alternatives[0].score and found.tokens == found.alternatives[0].tokens
    assert found.log_probability <= 0


def test_the_target_language_of_an_imported_model(tmp_path):
    shutil.copytree(Path(__file__).resolve().parents[2] / "tests/fixtures/hugging_face/marian", tmp_path / "marian")
    vocabulary = tmp_path / "marian/vocab.json"
    vocabulary.write_text(vocabulary.read_text(encoding="utf-8").replace('"j"', '">>fra<<"'), encoding="utf-8")
    model = kt.load(tmp_path / "marian")
    assert model.tokenizer.languages == ["deu", "fra"]
    sentences = ["The new hall is here.", "The dry hall."]
    both = " ".join(sentences)
    found = {}
    for language in model.tokenizer.languages:
        apart = model.translate([f">>{language}<< {one}" for one in sentences], split="lines", mend=False)
        found[language] = " ".join(one.text for one in apart)
        assert model.translate(both, to=language).text == found[language]
        assert model.translate(f">>{language}<< {both}").text == found[language]
    assert found["deu"] != found["fra"]
    with pytest.raises(kt.Error, match="expected the one to translate to, of deu, fra, given none"):
        model.translate(both)


def test_prefix(folder):
    model = kt.load(folder / "translator")
    assert model.translate(LINES[0], prefix="der alte").text.startswith("der alte")
    with pytest.raises(kt.Error, match="prefix: expected one for each"):
        model.translate(LINES[:2], prefix=["der"])
    with pytest.raises(kt.Error, match="split"):
        model.translate(LINES[0], prefix="der", split="sentences")


def test_what_is_not_mended_says_so(folder):
    model = kt.load(folder / "translator")
    for name, value in {"n_best": 3, "prefix": "der"}.items():
        with pytest.raises(kt.Error, match=f"mend: expected neither n_best nor prefix beside it, given {name}"):
            model.translate(LINES[0], mend=True, **{name: value})
    assert model.translate(LINES[0], mend=True, n_best=4, mbr="chrf").text == model.translate(LINES[0], n_best=4, mbr="chrf").text
    line = "the cat \N{GRINNING FACE} sees a dog ."
    for options in ({}, {"mend": True}):
        mended = model.translate(line, **options)
        assert "\N{GRINNING FACE}" in mended.text and "carried" in mended.notes and "unknown" not in mended.notes
    for options in ({"mend": False}, {"n_best": 3}, {"prefix": ""}):
        assert model.translate(line, **options).notes == model.translate(line, **options).sentences[0].notes == ["unknown"]
        assert "unknown" not in model.translate(LINES[0], **options).notes


def test_faults():
    model = small.translator()
    long = " ".join(["cat"] * 3000)
    with pytest.raises(kt.Error, match="text 2: expected at most .*; on_error=\"skip\" goes on without it"):
        model.translate([LINES[0], long], split="lines")
    skipped = model.translate([LINES[0], long, LINES[1]], split="lines", on_error="skip")
    assert skipped[1].text == "" and "at most" in skipped[1].fault and skipped[2].text == model.translate(LINES[1]).text
    assert model.translate([long], split="lines", on_error="copy")[0].text == long
    for wrong in ({"beam": 0}, {"n_best": 9}, {"length_penalty": "x"}, {"split": "words"}, {"max_length": -1}, {"threads": -2},
                  {"mbr": "blue", "n_best": 2}, {"temperature": -1.0, "sample": True}, {"batch_tokens": 0}, {"source_language": "xx"},
                  {"weights": "f16"}, {"shortlist": True}, {"to": "de"}, {"previous": 1}, {"beam": 10**6}):
        with pytest.raises(kt.Error):
            model.translate(LINES[0], **wrong)
    with pytest.raises(TypeError):
        model.translate(3)
    with pytest.raises(kt.Error, match="expected a translation model"):
        small.language_model().translate("the")
    assert model.translate([]) == []


def test_every_change_of_the_parameters_counts():
    model = small.translator()
    before = model.translate(LINES[0])
    name, value = next((n, v) for n, v in model.parameters.items() if n.startswith("decoder"))
    kept = value.numpy().copy()
    ready = model.for_decoding()
    value.numpy().flat[0] += 3
    changed = model.translate(LINES[0])
    assert changed.log_probability != before.log_probability
    assert ready.translate(LINES[0]).log_probability == before.log_probability
    value.numpy()[...] = kept
    assert model.translate(LINES[0]).log_probability == before.log_probability


def test_capture_and_replace_in_a_search():
    model = small.translator()
    plain = model.translate(LINES[0])
    found = model.translate(LINES[0], beam=1, capture=["decoder/*/cross_attention/probabilities"])
    steps = found.captured["decoder/1/cross_attention/probabilities"]
    assert len(steps) >= len(found.tokens) and all(step.shape[-1] == len(small.tokenizer().encode(LINES[0])) + 1 for step in steps)
    assert found.text == plain.text
    same = model.translate(LINES, replace={"decoder/*/feed_forward_norm": lambda name, value: value})
    assert [str(one) for one in same] == [str(one) for one in model.translate(LINES)]
    broken = model.translate(LINES[0], replace={"encoder/1/feed_forward_norm": 0})
    assert broken.log_probability != plain.log_probability
    with pytest.raises(kt.Error, match="one text"):
        model.translate(LINES, capture="encoder/1/feed_forward_norm")
    for seen in ({"capture": "logits"}, {"replace": {"logits": 0}}):  # which a search does not store
        with pytest.raises(KeyError):
            model.translate(LINES[0], **seen)
    with pytest.raises(kt.Error, match="samples"):
        model.translate(LINES[0], sample=True, replace={"encoder/1/feed_forward_norm": 0})


def test_score(folder):
    model = kt.load(folder / "translator")
    (folder / "src").write_text("\n".join(small.SOURCES) + "\n")
    (folder / "tgt").write_text("\n".join(small.TARGETS) + "\n")
    rows = lines_of(small.kette("score", "--model", folder / "translator", "--src", folder / "src", "--tgt", folder / "tgt"))
    scores = model.score(small.SOURCES, small.TARGETS)
    assert [f"{float(one):.6f}" for one in scores] == rows
    assert len(scores[0].pieces) == len(scores[0].token_log_probabilities)
    best = model.translate(small.SOURCES[0])
    assert model.score(small.SOURCES[0], best.text).log_probability == best.log_probability
    with pytest.raises(kt.Error, match="as many"):
        model.score(small.SOURCES, small.TARGETS[:1])


@pytest.mark.parametrize("options", [{}, {"temperature": 0.0}, {"seed": 5, "top_k": 5, "top_p": 0.8, "temperature": 1.3},
                                     {"num": 3, "max_tokens": 20}, {"max_tokens": 100}, {"beam": 3, "num": 2, "max_tokens": 10},
                                     {"weights": "bf16"}])
def test_generate_has_the_bits_of_the_command(folder, options):
    arguments = [part for name, value in options.items() for part in ("--" + name.replace("_", "-"), value)]
    expected = small.kette("generate", "--model", folder / "gpt", "--prompt", "the quick", "--no-echo", *arguments)
    found = kt.load(folder / "gpt").generate("the quick", **options)
    assert "".join(text + "\n---------------\n" for text in found.texts).removesuffix("---------------\n") == expected
    again = kt.load(folder / "gpt").generate("the quick", **options)
    pieces = list(again)
    assert "".join(pieces) == again.text == found.texts[0]
    assert len(pieces) > 3 or options.get("beam")


def test_generation_computes_while_it_is_asked():
    model = small.language_model()
    text = model.generate("the", max_tokens=2000)
    first = next(text)
    assert first and next(text)
    del text  # the rest is never made
    some = model.generate("the", max_tokens=40, seed=2)
    assert next(some) + some.text[1:] == some.text
    assert "".join(some) == some.text[1:]
    assert len(some.tokens) == 1 and model.generate("the", max_tokens=5, num=2).tokens[0][:1]
    assert model.generate([3, 4], max_tokens=3).text
    for wrong in ({"temperature": -1}, {"max_tokens": 0}, {"num": 0}, {"top_p": 0}, {"beam": 0}, {"beam": 2, "num": 3}, {"weights": "f8"}):
        with pytest.raises(kt.Error):
            model.generate("the", **wrong).text
    with pytest.raises(kt.Error, match="language model"):
        small.translator().generate("the")
    with pytest.raises(KeyError):
        model.generate("the", replace={"nothing": 0})


@pytest.mark.parametrize("beam", [1, 2])
@pytest.mark.parametrize("expected", [LookupError, TypeError])
def test_a_generation_that_failed_has_no_result(beam, expected):
    calls = []

    def fail(name, value):
        calls.append(name)
        if len(calls) < 3:
            return value
        if expected is LookupError:
            raise LookupError("the third pass")
        return None  # a TypeError of the module's own

    made = small.gpt().generate("the", max_tokens=8, stop=False, beam=beam, replace={"layers/0/feed_forward/outer": fail})
    for ask in (lambda: made.text, lambda: made.text, lambda: made.tokens, lambda: list(made), lambda: made.captured):
        with pytest.raises(expected):
            ask()
    assert len(calls) == 3


def test_capture_and_replace_in_generation():
    model = small.language_model()
    seen = model.generate("the", max_tokens=4, capture="logits", temperature=0)
    assert seen.text and len(seen.captured["logits"]) == 4
    with pytest.raises(KeyError):
        model.generate("the", max_tokens=4, beam=2, replace={"logits": 0})
    plain = model.generate("the", max_tokens=20, temperature=0).text
    assert model.generate("the", max_tokens=20, temperature=0, replace={"layers/*/outer": lambda name, value: value}).text == plain
    assert model.generate("the", max_tokens=20, temperature=0, replace={"layers/0/feed_forward/outer": 0}).text != plain


def test_two_threads_give_the_same():
    model, lm = small.translator(), small.language_model()
    texts = small.SOURCES * 20
    expected = [str(one) for one in model.translate(texts)], lm.generate("the", max_tokens=100).text
    results = {}

    def work(number):
        results[number] = [str(one) for one in model.translate(texts)], lm.generate("the", max_tokens=100).text

    threads = [threading.Thread(target=work, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(results[number] == expected for number in range(3))


def interrupted(work):
    """The seconds from a Ctrl-C until work() ends with KeyboardInterrupt."""
    sent = []

    def send():
        time.sleep(0.4)
        sent.append(time.perf_counter())
        os.kill(os.getpid(), signal.SIGINT)

    sender = threading.Thread(target=send)
    sender.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            work()
            sender.join()
        return time.perf_counter() - sent[0]
    finally:
        sender.join()


def test_an_interrupt_ends_it():
    model, lm = small.translator(), small.language_model()
    texts = [f"{a[:-2]} {b}" for a in small.SOURCES for b in small.SOURCES] * 300
    # A busy machine may take longer than the 200 ms of a quiet one.
    assert interrupted(lambda: model.translate(texts, beam=20)) < 1
    assert interrupted(lambda: lm.generate("the", max_tokens=10**6, stop=False).text) < 1
    assert model.translate(LINES[0]).text


def test_other_threads_go_on():
    model = small.translator()
    texts = small.SOURCES * 200
    counted = [0]
    over = threading.Event()

    def count():
        while not over.is_set():
            counted[0] += 1

    thread = threading.Thread(target=count)
    thread.start()
    before = counted[0]
    model.translate(texts, threads=1)
    during = counted[0] - before
    over.set()
    thread.join()
    assert during > 1000


def test_numbers_from_the_far_ends():
    model = small.translator()
    expected = float(model.score("the cat", "die"))
    assert float(model.score("the cat", "die", batch_tokens=2**40)) == pytest.approx(expected)
    for wrong in ({"threads": 10**6}, {"threads": 2**62}, {"batch_tokens": 2**62}):
        with pytest.raises(kt.Error, match=f"{next(iter(wrong)).replace('_', '.')}: expected"):
            model.score("the cat", "die", **wrong)
        with pytest.raises(kt.Error, match=f"{next(iter(wrong)).replace('_', '.')}: expected"):
            model.translate("the cat", **wrong)
    with pytest.raises(kt.Error, match="previous: expected"):
        model.translate("the cat", previous=2**63 - 1)
    assert next(small.language_model().generate("the", max_tokens=2**63 - 1))
