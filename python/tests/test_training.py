import json
import math
import struct

import numpy as np
import pytest

import kette as kt
import small


def test_windows_are_those_of_the_command(tmp_path):
    """Losses and parameters of a loop in Python equal those of kette train to the bit."""
    rows, steps = 8, 12
    (tmp_path / "text").write_text(small.TEXT)
    (tmp_path / "valid").write_text(small.TEXT[:300])
    small.kette("train", "--text", tmp_path / "text", "--valid-text", tmp_path / "valid", "--out", tmp_path / "model",
                "--preset", "char-cpu", "--layers", 2, "--width", 32, "--hidden", 64, "--heads", 4, "--context", 32,
                "--dropout", 0.1, "--batch-tokens", rows * 32, "--steps", steps, "--schedule", "cosine", "--lr", 0.004, "--warmup", 3,
                "--weight-decay", 0.1, "--clip-norm", 0.5, "--seed", 7, "--accumulate", 1, "--validate-every", steps,
                "--beta1", 0.9, "--beta2", 0.95, "--epsilon", 1e-8)
    model = small.gpt(seed=7, dropout=0.1)
    ids = model.tokenizer.encode(small.TEXT) + [model.tokenizer.special["end"]]
    schedule = kt.Schedule("cosine", lr=0.004, warmup=3, total_steps=steps)
    adam = kt.Adam(model.parameters, lr=schedule, beta1=0.9, beta2=0.95, epsilon=1e-8, weight_decay=0.1)
    losses, norms = [], []
    for step in range(steps):
        batch = kt.windows(ids, rows=rows, length=32, seed=7, step=step)
        with kt.Tape() as tape:
            loss = model.loss(batch, seed=7, step=step)
        tape.backward(loss)
        norms.append(adam.step(clip=0.5))
        losses.append(loss.item())
    trained = kt.load(tmp_path / "model")
    for name, value in trained.parameters.items():
        assert np.array_equal(value.numpy(), model.parameters[name].numpy()), name
    log = [json.loads(line) for line in (tmp_path / "model" / "log.jsonl").read_text().splitlines()]
    logged = [entry for entry in log if "gradient_norm" in entry]
    assert norms == [entry["gradient_norm"] for entry in logged] and len(norms) == steps
    assert losses == [struct.unpack("f", struct.pack("f", entry["loss"]))[0] for entry in logged]


def test_windows():
    ids = list(range(100))
    first = kt.windows(ids, rows=3, length=8, seed=4)
    assert len(first) == 3 and first.target_lengths == [8, 8, 8] and first.tokens == 24 and first.source_lengths == []
    read, said = np.asarray(first.target_in), np.asarray(first.target_out)
    assert np.array_equal(read + 1, said) and np.array_equal(read[::8], first.places)
    for other in (np.array(ids), np.array(ids, np.int32), kt.tensor(ids), tuple(ids)):
        assert np.array_equal(np.asarray(kt.windows(other, rows=3, length=8, seed=4).target_in), read)
    batches = [kt.windows(ids, rows=3, length=8, seed=4, step=step) for step in range(4)]
    places = [place for batch in batches for place in batch.places]
    assert len(set(places)) == len(places) >= 11
    assert [len(part) for part in first.split(8)] == [1, 1, 1]
    for wrong in ({"length": 100}, {"length": 0}, {"rows": 0}, {"step": -1}):
        with pytest.raises(kt.Error):
            kt.windows(ids, **{"rows": 3, "length": 8} | wrong)
    for wrong in ("text", 3, None, ["a"] * 200):
        with pytest.raises(TypeError):
            kt.windows(wrong, rows=1, length=8)


def test_pairs():
    batch = kt.pairs(small.SOURCES, small.TARGETS, small.tokenizer())
    assert len(batch) == 6 and sum(batch.target_lengths) == batch.tokens
    with pytest.raises(kt.Error, match="as many"):
        kt.pairs(small.SOURCES, small.TARGETS[:2], small.tokenizer())
    with pytest.raises(kt.Error, match="for translation"):
        kt.pairs(["a"], ["a"], kt.CharacterTokenizer("a"))


def test_the_loss_is_the_mean_over_targets():
    model = small.gpt()
    batch = kt.windows(model.tokenizer.encode(small.TEXT), rows=4, length=16)
    logits = model.run(batch).logits.numpy().astype(np.float64)
    targets = np.asarray(batch.target_out)
    expected = np.mean(np.log(np.exp(logits).sum(-1)) - logits[np.arange(len(targets)), targets])
    assert math.isclose(model.loss(batch).item(), expected, rel_tol=1e-6)
    assert model.loss(batch, label_smoothing=0.1).item() != model.loss(batch).item()
    with pytest.raises(kt.Error):
        model.loss(batch, label_smoothing=2)
    dropping = small.gpt(dropout=0.3)
    assert dropping.loss(batch).item() == dropping.loss(batch).item()
    assert dropping.loss(batch, seed=1, step=1).item() == dropping.loss(batch, seed=1, step=1).item()
    assert len({dropping.loss(batch, seed=seed, step=step).item() for seed in (1, 2) for step in (0, 1)}) == 4


@pytest.mark.parametrize("make", [kt.Adam, kt.Lion])
def test_optimizers_of_single_parameters(make):
    """The same updates for parameters of a list as for a numpy computation."""
    values = np.array([[1.0, -2.0], [0.5, 3.0]])
    w, b = kt.parameter(values, "w"), kt.parameter(np.array([1.0, 2.0]), "b")
    optimizer = make([w, b, w], lr=0.1, weight_decay=0.5)
    before = w.numpy().copy(), b.numpy().copy()
    with kt.Tape() as tape:
        loss = (w * w).sum() + (b * 3).sum()
    tape.backward(loss)
    gradient = w.grad.numpy().copy()
    assert optimizer.step() is None and optimizer.steps == 1
    sign = np.sign(gradient)
    # The first step of both goes by the sign; matrices decay as well.
    assert np.allclose(w.numpy(), before[0] - 0.1 * (sign + 0.5 * before[0]), atol=1e-6)
    assert np.allclose(b.numpy(), before[1] - 0.1, atol=1e-6)
    assert not w.grad.numpy().any()


@pytest.mark.parametrize("make", [kt.Adam, kt.Lion])
def test_an_optimizer_is_made_after_the_values(make):
    parameters = kt.Parameters()
    layer = kt.nn.Linear(parameters.scope / "a", 3, 2)
    for given in (parameters, parameters.values(), [layer.weight]):
        with pytest.raises(kt.Error):
            make(given, lr=0.1)
    with pytest.raises(kt.Error, match=r"expected parameters with values, given none \(call materialize"):
        make(parameters, lr=0.1)
    parameters.materialize()
    before = layer.weight.numpy().copy()
    optimizer = make(parameters, lr=0.1)
    with kt.Tape() as tape:
        loss = layer(np.ones((1, 3), np.float32)).sum()
    tape.backward(loss)
    optimizer.step()
    assert (layer.weight.numpy() != before).all() and (layer.bias.numpy() != 0).all()


def test_clip_and_lr():
    w = kt.parameter(np.zeros(2), "w")
    adam = kt.Adam([w], lr=lambda step: 0.1 * step)
    for number in (1, 2):
        with kt.Tape() as tape:
            loss = (w * kt.tensor(np.array([3.0, 4.0]))).sum()
        tape.backward(loss)
        assert math.isclose(adam.lr, 0.1 * number)
        assert math.isclose(adam.step(clip=1.0, keep_gradients=number == 2), 5)
    assert np.allclose(w.grad.numpy(), [3, 4])
    adam.zero_grad()
    assert not w.grad.numpy().any()
    adam.lr = 0.5
    assert adam.lr == 0.5
    for wrong in ({"clip": -1}, {"lr": -1}, {"lr": math.nan}):
        with pytest.raises(kt.Error):
            adam.step(**wrong)
    with pytest.raises(TypeError):
        adam.step(lr="fast")
    for wrong in ({"beta1": 1}, {"epsilon": 0}, {"weight_decay": -1}):
        with pytest.raises(kt.Error):
            kt.Adam([w], lr=1, **wrong)
    with pytest.raises(TypeError):
        kt.Adam([w], lr=1, beta3=1)
    with pytest.raises(TypeError):
        kt.Adam([1], lr=1)
    with pytest.raises(kt.Error, match="kt.parameter"):
        kt.Adam([kt.tensor([1.0])], lr=1)
    with pytest.raises(kt.Error, match="at least one"):
        kt.Adam([], lr=1)


def test_frozen_parameters_stay():
    model = small.gpt()
    frozen = model.parameters.match("layers/0/*")
    for value in frozen.values():
        value.frozen = True
    before = {name: value.numpy().copy() for name, value in model.parameters.items()}
    adam = kt.Adam(model.parameters, lr=0.01, weight_decay=0.1)
    with kt.Tape() as tape:
        loss = model.loss(kt.windows(model.tokenizer.encode(small.TEXT), rows=2, length=16))
    tape.backward(loss)
    adam.step()
    for name, value in model.parameters.items():
        assert np.array_equal(value.numpy(), before[name]) == (name in frozen), name


def test_schedules():
    noam = kt.Schedule("noam", lr=2, warmup=100, width=64)
    assert math.isclose(noam(100), 2 * 64**-0.5 * 100**-0.5)
    cosine = kt.Schedule("cosine", lr=1, warmup=10, total_steps=110)
    assert math.isclose(cosine(5), 0.5) and math.isclose(cosine(110), 0.1)
    linear = kt.Schedule("linear", lr=1, warmup=10, total_steps=109)
    assert math.isclose(linear(5), 0.5) and math.isclose(linear(60), 0.5) and math.isclose(linear(109), 0.01)
    assert kt.Schedule("constant", lr=0.3)(1000) == 0.3
    for wrong in ({"kind": "line", "lr": 1}, {"kind": "noam", "lr": 0}, {"kind": "noam", "lr": 1, "warmup": -1}):
        with pytest.raises(kt.Error):
            kt.Schedule(**wrong)
    for wrong in ({}, {"total_steps": 10}):
        for kind in ("cosine", "linear"):
            with pytest.raises(kt.Error, match="^total_steps: expected more than the 10 steps"):
                kt.Schedule(kind, lr=1, warmup=10, **wrong)
    for kind in ("noam", "inverse_sqrt"):
        with pytest.raises(kt.Error, match=f"^warmup: expected at least 1 step, from which {kind} falls, given 0"):
            kt.Schedule(kind, lr=1)
    with pytest.raises(kt.Error):
        noam(0)


def test_the_first_cell_of_the_notebook():
    text = small.TEXT
    tokens = kt.CharacterTokenizer(text)
    ids = tokens.encode(text)
    model = kt.Gpt("char-cpu", vocabulary=tokens.vocabulary, seed=1)
    adam = kt.Adam(model.parameters, lr=1e-3, weight_decay=0.1)
    losses = []
    for step in range(20):
        batch = kt.windows(ids, rows=12, length=model.positions, seed=step)
        with kt.Tape() as tape:
            loss = model.loss(batch, seed=1, step=step)
        tape.backward(loss)
        adam.step(clip=1.0)
        losses.append(loss.item())
    assert losses[-1] < losses[0] - 0.5
    model.tokenizer = tokens
    assert len("".join(model.generate("the", max_tokens=50, temperature=0.8))) == 50


def test_threads_change_no_bit():
    model = small.gpt()
    batch = kt.windows(model.tokenizer.encode(small.TEXT), rows=4, length=16)
    before = kt.threads()
    losses = set()
    for threads in (1, 2):
        kt.set_threads(threads)
        assert kt.threads() == threads
        losses.add(struct.pack("f", model.loss(batch).item()))
    kt.set_threads(before)
    assert len(losses) == 1
    with pytest.raises(kt.Error):
        kt.set_threads(-1)


def test_a_loaded_model_learns(tmp_path):
    small.language_model().save(tmp_path / "model")
    model = kt.load(tmp_path / "model")
    batch = kt.windows(model.tokenizer.encode(small.TEXT), rows=8, length=32)
    before = model.loss(batch).item()
    adam = kt.Adam(model.parameters, lr=1e-3)
    for step in range(3):
        with kt.Tape() as tape:
            loss = model.loss(batch)
        tape.backward(loss)
        adam.step()
    assert model.loss(batch).item() < before


def test_windows_of_numbers_from_the_far_ends():
    ids = list(range(20)) * 10
    for wrong in ({"step": 2**62}, {"rows": 2**62}, {"length": 2**63 - 1}, {"rows": 2**32, "length": 2**31}):
        with pytest.raises(kt.Error):
            kt.windows(range(2**62) if "length" in wrong else ids, **{"length": 8, **wrong})
    assert len(kt.windows(ids, rows=2**31 // 8, length=8)) == 24  # all that there are


def test_a_batch_in_parts_of_any_size():
    batch = kt.windows(list(range(20)) * 10, rows=4, length=8)
    assert [len(batch.split(tokens)) for tokens in (1, 8, 9, 31, 32, 2**63 - 1)] == [4, 4, 4, 2, 1, 1]


def test_masks_of_ids_that_the_tokenizer_has_not():
    tokens = kt.CharacterTokenizer(small.TEXT, mask=True)
    for ids in ([10**6] * 40, [-5] * 40):
        with pytest.raises(kt.Error, match="expected ids of the tokenizer"):
            kt.masked(kt.windows(ids, rows=2, length=8), tokens, whole_words=True)


def test_a_corpus_and_its_batches(tmp_path):
    tokenizer = small.translator().tokenizer
    sources, targets = small.SOURCES * 30, small.TARGETS * 30
    corpus = kt.Corpus(sources + ["", "x"], targets + ["x", ""], tokenizer)
    assert len(corpus) == len(sources) and "2 dropped" in corpus.report()
    assert corpus[-1] == (tokenizer.encode(sources[-1]), tokenizer.encode(targets[-1]))
    batches = corpus.batches(tokens=100, seed=3, epochs=2)
    count = batches.batches_in_epoch
    epochs = [[next(batches) for _ in range(count)]]
    assert batches.epoch == 1
    epochs.append(list(batches))
    for epoch in epochs:
        assert sorted(place for batch in epoch for place in batch.places) == list(range(len(corpus)))
        assert all(sum(batch.source_lengths) <= 100 and batch.tokens <= 100 for batch in epoch)
    again = [batch.places for batch in corpus.batches(tokens=100, seed=3, epochs=1)]
    assert again == [batch.places for batch in epochs[0]]
    (tmp_path / "s").write_text("\n".join(sources) + "\n")
    (tmp_path / "t").write_text("\n".join(targets) + "\n")
    of_files = kt.Corpus(tmp_path / "s", tmp_path / "t", tokenizer)
    assert [batch.places for batch in of_files.batches(tokens=100, seed=3, epochs=1)] == again
    for bad, word in [(dict(sources=["a"], targets=[]), "lines"), (dict(sources=["a\nb"], targets=["a"]), "line feed"),
                      (dict(sources=["a"], targets=["a"], max_length=0), "max_length")]:
        with pytest.raises(kt.Error, match=word):
            kt.Corpus(**bad, tokenizer=tokenizer)
    with pytest.raises(kt.Error, match="given none"):
        kt.Corpus([], [], tokenizer)
    with pytest.raises(IndexError):
        corpus[len(corpus)]


def test_batches_outlive_their_corpus():
    tokenizer = small.translator().tokenizer
    batches = kt.Corpus(small.SOURCES, small.TARGETS, tokenizer).batches(tokens=50)
    assert [len(next(batches)) > 0 for _ in range(20)] == [True] * 20
