import numpy as np
import pytest

import kette as kt
import small


def test_config():
    model = small.gpt()
    assert model.family == "gpt" and model.positions == 32
    config = model.config
    assert config.layers == 2 and config["width"] == 32 and config.to_dict()["positions"] == "learned"
    assert "layers" in config and "layer" not in config and set(config.keys()) == set(config)
    assert "width 32" in repr(config) and "language model" in repr(model)
    with pytest.raises(AttributeError, match="did you mean layers"):
        config.layer
    with pytest.raises(KeyError, match="did you mean width"):
        config["widht"]


def test_a_wrong_field_is_a_type_error():
    with pytest.raises(TypeError, match="did you mean layers"):
        kt.Gpt("char-cpu", layer=2)
    with pytest.raises(TypeError, match="layers: expected a whole number, given str"):
        kt.Gpt("char-cpu", layers="2")
    with pytest.raises(TypeError, match="tied_output: expected a bool"):
        kt.Gpt("char-cpu", tied_output=1)
    with pytest.raises(kt.Error, match="expected one of .*char-cpu"):
        kt.Gpt("char-gpu")
    with pytest.raises(kt.Error, match="heads: expected a divisor"):
        kt.Gpt("char-cpu", heads=5)
    with pytest.raises(kt.Error, match="expected one of sinusoidal"):
        kt.Gpt("char-cpu", positions="nowhere")
    assert kt.Gpt("char-cpu", vocabulary=7, positions="rotary", dropout=0, layers=1).config.positions == "rotary"


def test_presets():
    presets = kt.presets()
    assert "char-cpu" in presets["gpt"] and "tiny" in presets["transformer"] and presets["bert"]


def test_parameters_share_memory():
    model = small.gpt()
    names = list(model.parameters)
    assert len(names) == len(model.parameters) and names[0] in model.parameters
    before = model.run("the").logits.numpy().copy()
    weight = model.parameters["token_embedding/table" if "token_embedding/table" in names else names[0]]
    weight.numpy()[...] = 0
    assert np.all(model.parameters[weight.name].numpy() == 0)
    assert not np.array_equal(before, model.run("the").logits.numpy())
    model.parameters[weight.name] = np.ones(weight.shape)
    assert np.all(weight.numpy() == 1)
    model.parameters[weight.name] = 2
    assert np.all(weight.numpy() == 2)
    with pytest.raises(kt.Error):
        model.parameters[weight.name] = np.ones(3)


def test_parameters_are_found_by_pattern():
    parameters = small.translator().parameters
    found = parameters.match("encoder/*bias")
    assert found and all(name.startswith("encoder/") and name.endswith("bias") for name in found)
    assert sum(value.size for value in parameters.values()) == parameters.elements
    with pytest.raises(KeyError, match="did you mean"):
        parameters[next(iter(found))[:-1]]
    with pytest.raises(KeyError):
        parameters.match("nothing/*")
    assert dict(parameters.items()).keys() == set(parameters.keys())


def test_save_and_load(tmp_path):
    for model, run in [(small.translator(), (small.SOURCES[0], small.TARGETS[0])), (small.language_model(), ("the quick",))]:
        path = tmp_path / model.family
        model.save(path)
        again = kt.load(path)
        assert again.config.to_dict() == model.config.to_dict() and again.path == path
        assert np.array_equal(again.run(*run).logits.numpy(), model.run(*run).logits.numpy())
        with pytest.raises(kt.Error, match="expected"):
            model.save(path)
        assert "layers" in small.kette("info", "--model", path)
    with pytest.raises(FileNotFoundError):
        kt.load(tmp_path / "none")
    with pytest.raises(kt.Error, match="without config.json"):
        (tmp_path / "empty").mkdir()
        kt.load(tmp_path / "empty")
    with pytest.raises(kt.Error, match="given one without"):
        kt.Gpt("char-cpu").save(tmp_path / "no-tokenizer")
    assert not (tmp_path / "no-tokenizer").exists()


def test_a_model_of_hugging_face(tmp_path):
    model = small.translator()
    model.save(tmp_path / "own")
    small.kette("export", "--model", tmp_path / "own", "--out", tmp_path / "theirs")
    theirs = kt.load(tmp_path / "theirs")
    pair = small.SOURCES[0], small.TARGETS[0]
    assert np.allclose(theirs.run(*pair).logits.numpy(), model.run(*pair).logits.numpy(), atol=1e-4)
    assert str(theirs.translate(small.SOURCES[1])) == str(model.translate(small.SOURCES[1]))


def test_points():
    model = small.translator()
    points = dict(model.points(source_tokens=5, target_tokens=3))
    assert points["decoder/1/cross_attention/probabilities"] == (3, 4, 5)
    assert points["logits"][0] == 3
    with pytest.raises(kt.Error):
        model.points(0, 3)


def test_capture_keeps_what_was_named():
    model = small.translator()
    out = model.run(small.SOURCES[0], small.TARGETS[0], capture=["decoder/*/cross_attention/probabilities"])
    assert out.names == [f"decoder/{i}/cross_attention/probabilities" for i in range(2)]
    values = out[out.names[0]].numpy()
    assert values.shape == (len(out.target), 4, len(out.source))
    assert np.allclose(values.sum(-1), 1, atol=1e-6)
    assert out.logits.shape == (len(out.target), model.config.vocabulary)
    assert out.target[0] == "<s>" and out.source[-1] == "</s>"
    assert len(model.run(small.SOURCES[0], small.TARGETS[0])) == 0
    with pytest.raises(KeyError, match="did you mean"):
        model.run("the", "die", capture="decoder/1/cross_attention/probabilites")
    with pytest.raises(KeyError):
        out["logits"]


def test_replace():
    model = small.translator()
    pair = small.SOURCES[0], small.TARGETS[0]
    plain = model.run(*pair, capture="encoder/1/feed_forward_norm")
    seen = []

    def zero(name, value):
        seen.append(name)
        return 0 * value

    changed = model.run(*pair, capture="encoder/*", replace={"encoder/1/feed_forward_norm": zero})
    assert seen == ["encoder/1/feed_forward_norm"]
    assert np.all(changed["encoder/1/feed_forward_norm"].numpy() == 0)
    assert not np.array_equal(changed.logits.numpy(), plain.logits.numpy())
    zeros = np.zeros(changed["encoder/1/feed_forward_norm"].shape)
    for value in (0, 0.0, zeros, kt.tensor(zeros)):
        other = model.run(*pair, replace={"encoder/1/feed_forward_norm": value})
        assert np.array_equal(other.logits.numpy(), changed.logits.numpy())
    same = model.run(*pair, replace={"encoder/1/feed_forward_norm": plain["encoder/1/feed_forward_norm"], "decoder/*/feed_forward_norm": lambda name, value: value})
    assert np.array_equal(same.logits.numpy(), plain.logits.numpy())


def test_a_value_written_to_is_replaced_there_alone():
    model = small.translator()
    pair = small.SOURCES[0], small.TARGETS[0]
    point = "encoder/1/feed_forward_norm/sum"

    def new(name, value):
        return value * 0 + 1

    def written(name, value):
        value.numpy()[...] = 1
        return value

    def written_but_another_returned(name, value):
        other = value.clone()
        value.numpy()[...] = 1
        return other

    plain = model.run(*pair).logits.numpy()
    expected = model.run(*pair, replace={point: new}).logits.numpy()
    assert not np.array_equal(plain, expected)
    assert np.array_equal(model.run(*pair, replace={point: written}).logits.numpy(), expected)
    assert np.array_equal(model.run(*pair, replace={point: written_but_another_returned}).logits.numpy(), plain)
    with kt.Tape():
        model.run(*pair, replace={point: new})
        with pytest.raises(kt.Error, match="written to"):
            model.run(*pair, replace={point: written})


def test_errors_of_replacements():
    model = small.translator()

    def fails(name, value):
        raise ZeroDivisionError(name)

    with pytest.raises(ZeroDivisionError, match="encoder/1/feed_forward_norm"):
        model.run("the", "die", replace={"encoder/1/feed_forward_norm": fails})
    with pytest.raises(TypeError, match="given None"):
        model.run("the", "die", replace={"encoder/1/feed_forward_norm": lambda name, value: None})
    with pytest.raises(kt.Error, match="expected a value like"):
        model.run("the", "die", replace={"encoder/1/feed_forward_norm": np.zeros((1, 2))})
    with pytest.raises(KeyError):
        model.run("the", "die", replace={"encoder/7/output": 0})
    with pytest.raises(ZeroDivisionError):
        model.translate("the cat sleeps .", replace={"encoder/1/feed_forward_norm": fails})
    with pytest.raises(ZeroDivisionError):
        str(small.language_model().generate("the", replace={"layers/0/feed_forward/outer": fails}))


def test_gradients_go_through_replacements():
    model = small.translator()
    batch = kt.pairs(small.SOURCES[:2], small.TARGETS[:2], small.tokenizer())
    value = model.loss(batch, capture="encoder/1/feed_forward_norm")["encoder/1/feed_forward_norm"].numpy()
    delta = kt.parameter(np.zeros_like(value), "delta")
    model.parameters.zero_grad()
    with kt.Tape() as tape:
        loss = model.loss(batch, replace={"encoder/1/feed_forward_norm": lambda name, value: value + delta})
    tape.backward(loss)
    step = 1e-2 * np.sign(delta.grad.numpy())
    plain, up = loss.item(), model.loss(batch, replace={"encoder/1/feed_forward_norm": value + step}).item()
    assert np.abs(delta.grad.numpy()).max() > 0
    assert up > plain
    assert model.parameters.match("encoder/*").popitem()[1].grad is not None


def test_masked_model():
    tokens = kt.CharacterTokenizer(small.TEXT, mask=True)
    model = kt.Bert("bert-tiny", tokenizer=tokens, layers=1, width=32, hidden=64, heads=4, context=40)
    out = model.run("the q[MASK]ick")
    assert out.logits.shape == (len(out.source), model.config.vocabulary) and out.source[0] != "t"
    windows = kt.windows(tokens.encode(small.TEXT), rows=4, length=30)
    batch = kt.masked(windows, tokens)
    assert 0 < batch.tokens < 40
    with kt.Tape() as tape:
        loss = model.loss(batch)
    tape.backward(loss)
    with pytest.raises(kt.Error, match="given a masked"):
        model.generate("the")
    with pytest.raises(kt.Error, match="target"):
        model.run("the", "the")


def test_run_refuses_what_does_not_fit():
    model = small.gpt()
    with pytest.raises(kt.Error, match="at most 32"):
        model.run("the " * 20)
    with pytest.raises(kt.Error, match="at least one"):
        model.run("")
    with pytest.raises(kt.Error):
        model.run([10**6])
    with pytest.raises(TypeError):
        model.run(3)
    with pytest.raises(kt.Error, match="tokenizer"):
        kt.Gpt("char-cpu").run("the")
    assert kt.Gpt("char-cpu").run([1, 2, 3]).logits.shape == (3, 66)
    with pytest.raises(kt.Error, match="target"):
        model.run("the", "the")


def test_tokenizers(tmp_path):
    tokens = kt.CharacterTokenizer("hello")
    assert tokens.decode(tokens.encode("hole")) == "hole" and tokens.vocabulary == len(tokens) == 5
    assert tokens.special == {"begin": 4, "end": 4} and tokens.pieces("he") == ["h", "e"]
    with pytest.raises(kt.Error):
        tokens.encode("x")
    with pytest.raises(kt.Error):
        tokens.decode([99])
    tokens.save(tmp_path)
    assert kt.load_tokenizer(f"character:{tmp_path}").fingerprint == tokens.fingerprint
    raw = kt.load_tokenizer("byte")
    assert raw.decode(raw.encode("ß")[:1]) == "\ufffd"
    pieces = small.tokenizer()
    assert pieces.encode_all(small.SOURCES) == [pieces.encode(text) for text in small.SOURCES]
    assert pieces.special["pad"] == 0 and pieces.kind == "sentencepiece"


def test_a_tokenizer_of_no_characters():
    for model in ("unigram", "bpe"):
        for text in (["\u200b"], ["\u2581" * 3], "\t" * 200, ["\u2028\x01"]):
            with pytest.raises(kt.Error):
                kt.train_tokenizer(text, vocabulary=12, model=model, character_coverage=0.98)
    assert kt.train_tokenizer(["a b"] * 20, vocabulary=7, model="unigram").vocabulary == 7


def test_the_model_to_try():
    model = kt.load()
    assert model.translate("Good morning.").text == "Guten Morgen."
    assert kt.load("en-de").config.to_dict() == model.config.to_dict()


def test_a_model_of_one_position():
    model = kt.Gpt("char-cpu", vocabulary=8, context=1)
    assert model.positions == 1 and dict(model.points(1, 1))["final_norm"][0] == 1
