"""All but the ops (test_hostile.py) with arguments from the far ends: a result or a Python exception, in time.

The process must not end by a signal, nor hang. The short form runs some hundreds of examples; KETTE_HOSTILE=2000 that many.
KETTE_HOSTILE_LOG names a file that has the last call.
"""

import faulthandler
import inspect
import os
import pathlib
import resource
import sys

os.environ.setdefault("OMP_NUM_THREADS", "2")
import numpy as np  # noqa: E402
import pytest  # noqa: E402

import kette as kt  # noqa: E402

pytest.importorskip("hypothesis", reason="hypothesis, which makes the examples, is not installed")
from hypothesis import HealthCheck, given, settings  # noqa: E402
from hypothesis import strategies as st  # noqa: E402

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
import small  # noqa: E402
from hostile_values import *  # noqa: E402, F403

EXAMPLES = int(os.environ.get("KETTE_HOSTILE", "300"))
LOG = os.environ.get("KETTE_HOSTILE_LOG")
LIMIT = 60  # seconds for one call, after which the process ends with a traceback
MEMORY = 8 << 30
IS_SANITIZED = "asan" in os.environ.get("LD_PRELOAD", "")  # its allocator ends the process where there is no memory

CALLS = {}


def call(*required, **strategies):
    """Adds a function. `required` are those of its arguments that are always given."""

    def register(function):
        rest = [name for name in strategies if name not in required]
        some = st.lists(st.sampled_from(rest), max_size=3, unique=True) if rest else st.just([])
        CALLS[function.__name__] = st.tuples(st.just(function), some.flatmap(
            lambda names: st.fixed_dictionaries({name: strategies[name] for name in [*required, *names]})))
        return function

    return register


@call("model", "source", model=model, source=mostly(st.one_of(prompts, batches)), target=mostly(st.one_of(st.none(), prompts)), seed=seeds,
      step=wholes, to=texts, **taps)
def run(model, source, **options):
    result = model.run(source, **options)
    assert result.logits.ndim == 2 and repr(result)
    return result.items(), result.source, result.target


@call("model", "batch", model=model, batch=mostly(batches), label_smoothing=reals, seed=seeds, step=wholes, **taps)
def loss(model, batch, **options):
    with kt.Tape() as tape:
        result = model.loss(batch, **options)
    value = result if isinstance(result, kt.Tensor) else result.loss
    tape.backward(value)
    model.parameters.zero_grad()


@call("model", "a", "b", model=model, a=wholes, b=wholes)
def points(model, a, b):
    return model.points(a, b)


@call("texts", texts=mostly(lines), beam=counts, beam_kind=among("narrowing", "full", ""), n_best=counts, length_penalty=penalties, extra_length=wholes,
      max_length=wholes, min_length=wholes, allow_unknown=flags, to=texts, truncate=flags, mbr=among(None, "chrf", "bleu", ""), sample=flags,
      temperature=reals, top_k=wholes, top_p=reals, seed=seeds, prefix=mostly(lines), split=among("auto", "lines", "sentences", "nonewlines"),
      previous=wholes, source_language=among("", "en", "xx"), mend=flags, on_error=among("stop", "skip", "copy"), shortlist=flags, weights=weights,
      cache=among("", "bf16", "f32", "int8"), batch_tokens=wholes, threads=st.one_of(st.none(), wholes.filter(lambda n: not 9 < n < 1025)), **taps)
def translate(texts, **options):
    found = models()["translator"].translate(texts, **{"max_length": 5, **options})
    for one in found if isinstance(found, list) else [found]:
        assert repr(one) and isinstance(one.tokens, list) and repr(one.sentences) and one.notes is not None


@call("both", both=st.one_of(pairs_of_lines, st.tuples(mostly(lines), mostly(lines))), to=texts, batch_tokens=wholes, threads=wholes.filter(lambda n: not 9 < n < 1025))
def score(both, **options):
    return models()["translator"].score(*both, **options)


@call("model", "prompt", model=st.one_of(writers, writers, model), prompt=mostly(prompts), max_tokens=st.integers(-1, 5), temperature=reals, top_k=wholes, top_p=reals, seed=seeds, num=counts,
      beam=counts, beam_kind=among("narrowing", "full"), length_penalty=penalties, stop=flags, weights=weights, cache=among("", "bf16"), **taps)
def generate(model, prompt, **options):
    found = model.generate(prompt, **{"max_tokens": 4, **options})
    return next(found), found.text, found.texts, found.tokens, found.scores, found.captured


@call("model", "max_tokens", model=writers, max_tokens=wholes, num=counts, beam=counts)
def first_piece(model, **options):
    return next(model.generate("the", **options))


@call("of", "text", of=tokenizers, text=mostly(st.one_of(prompts, lines)), side=among("source", "target", ""))
def tokenize(of, text, **side):
    return [attempt(lambda: getattr(of, name)(text, **side)) for name in ("encode", "encode_all", "pieces")] + [of.decode(text)]


@call("text", text=st.one_of(lines, st.lists(st.text(st.sampled_from(" \u2581\u2585\u2047\t\u200b\x01a"), max_size=9), max_size=3)), vocabulary=wholes,
      model=among("bpe", "unigram", ""), character_coverage=st.one_of(among(0.98, 1.0), reals), byte_fallback=flags, languages=st.lists(texts, max_size=2), mask=flags)
def train_tokenizer(text, **options):
    return kt.train_tokenizer(text, **{"vocabulary": 12, **options})


@call("text", text=mostly(texts), mask=flags)
def character_tokenizer(**options):
    return kt.CharacterTokenizer(**options).special


@call("name", name=st.one_of(texts, among("byte", "gpt2:", "gpt2:/", "sentencepiece:/dev/null", "character:\0", "word:/etc/passwd", ":")))
def load(name):
    return attempt(lambda: kt.load_tokenizer(name)), attempt(lambda: kt.load(name))


@call("ids", ids=mostly(st.one_of(ids, among(list(range(20)) * 10, range(2**62)))), rows=counts, length=st.one_of(st.integers(0, 9), wholes), seed=seeds, step=wholes)
def windows(ids, **options):
    made = kt.windows(ids, **{"length": 4, **options})
    return made.source, made.target_in, made.target_out, made.source_lengths, made.places, repr(made)


@call("batch", "of", batch=mostly(batches), of=tokenizers, seed=seeds, share=reals, whole_words=flags)
def masked(batch, of, **options):
    return kt.masked(batch, of, **options).tokens


@call("batch", "tokens", batch=batches, tokens=wholes)
def split(batch, tokens):
    return batch.split(tokens)


@call("both", both=st.one_of(pairs_of_lines, st.tuples(mostly(lines), mostly(lines))), tokenizer=tokenizers, to=texts)
def pairs(both, **options):
    return kt.pairs(*both, **{"tokenizer": small.tokenizer(), **options}).source


PARAMETERS = [lambda: [kt.parameter(np.ones(3))], lambda: {"a": kt.parameter([[1.0]], dtype="f64"), "b": kt.parameter([1.0])},
              lambda: [kt.parameter(np.ones(2), dtype="bf16")], lambda: [], lambda: [kt.parameter(np.ones((0, 2)))], lambda: small.gpt().parameters,
              lambda: iter([kt.parameter(1.0)]), lambda: kt.nn.Parameters() if hasattr(kt.nn, "Parameters") else type(small.gpt().parameters)()]
rates = st.one_of(st.floats(0, 1), reals, st.sampled_from([raises, lambda step: None, lambda step: 1 / step, kt.Schedule("constant", lr=1.0)]))


@call("kind", "parameters", "lr", kind=among(kt.Adam, kt.Lion), parameters=mostly(st.sampled_from(PARAMETERS)), lr=mostly(rates), beta1=reals, beta2=reals,
      epsilon=reals, weight_decay=reals, clip=reals, keep_gradients=flags, later=rates, dtype=among("f32", "f64", "bf16", "i32", "int8"))
def optimize(kind, parameters, lr, clip=0.0, keep_gradients=False, later=None, dtype=None, **options):
    parameters = parameters() if callable(parameters) else parameters
    optimizer = kind(parameters, lr, **options)
    optimizer.step(clip=clip, keep_gradients=keep_gradients)
    if dtype is not None and hasattr(parameters, "materialize"):
        parameters.materialize(dtype=dtype)
    optimizer.step(clip=clip, lr=later)
    if later is not None:
        optimizer.lr = later
    return optimizer.lr, optimizer.steps, repr(optimizer)


@call("kind", "lr", "step", kind=among("noam", "inverse_sqrt", "cosine", "linear", "constant", ""), lr=reals, warmup=wholes, total_steps=wholes, width=wholes, step=wholes)
def schedule(kind, step, **options):
    return kt.Schedule(kind, **options)(step)


options_of_metrics = {"chrf_word_order": counts, "chrf_char_order": counts, "chrf_beta": reals, "lowercase": flags, "tokenize": among("13a", "char", "zh", ""),
                      "smooth": among("exp", "floor", "x"), "nonsense": counts}


@call("both", both=st.one_of(pairs_of_lines, pairs_of_lines, pairs_of_lines, st.tuples(mostly(lines), mostly(st.one_of(lines, st.lists(lines, max_size=3))))), metric=among("bleu", "chrf", "chrf++", "ter", "x"),
      confidence=flags, **{name: mostly(strategy) for name, strategy in options_of_metrics.items()})
def metric(both, confidence=False, **options):
    return attempt(lambda: kt.corpus_score(*both, confidence=confidence, **options).interval), kt.sentence_scores(*both, **options)


@call("curves", curves=mostly(st.one_of(st.lists(reals, max_size=5), st.dictionaries(texts, st.lists(reals, max_size=4), max_size=3))), x=mostly(st.lists(reals, max_size=4)),
      title=mostly(texts), x_title=texts, y_title=texts, log_x=flags, log_y=flags)
def chart(curves, **options):
    return kt.chart(curves, **options).page(), kt.chart(curves)._repr_html_()


@call("values", values=mostly(st.one_of(st.lists(st.lists(reals, min_size=2, max_size=2), min_size=1, max_size=3), st.lists(st.lists(numbers, min_size=1, max_size=1)), arrays)), rows=mostly(st.lists(texts, max_size=3)),
      columns=mostly(st.lists(texts, max_size=3)), title=texts, most=mostly(reals))
def heat_map(values, **options):
    return kt.heat_map(values, **options).page()


fields = ["layers", "width", "hidden", "heads", "context", "vocabulary", "encoder_layers", "positions", "norm_order", "dropout", "tied_output", "window", "group", "x"]
sizes = st.one_of(among(2, 4, 8), among(4, 8, 32), st.integers(-1, 40), st.integers(1, 8), among(2**31, 2**40, 2**62, 2**63 - 1, 2**64))


@call("make", "fields", make=among(kt.Gpt, kt.Transformer, kt.Bert), fields=st.dictionaries(st.sampled_from(fields), mostly(sizes), max_size=3),
      preset=mostly(among("char-cpu", "tiny", "bert-tiny")), of=st.one_of(st.none(), tokenizers), seed=seeds, dtype=among("f32", "f64", "bf16", "x"))
def make_model(make, fields, of=None, preset=None, **options):
    small_one = {"char-cpu": kt.Gpt, "tiny": kt.Transformer, "bert-tiny": kt.Bert}
    preset = next(name for name, kind in small_one.items() if kind is make) if preset is None else preset
    made = make(preset, tokenizer=of, **options, **fields)
    return repr(made), made.config.to_dict(), made.points(1, 1)


@call("path", "values", path=mostly(among("*", "layers/0/*", "", "[")), values=mostly(arrays), dtype=among("f32", "f64", "bf16", "i32", "int8"), name=texts, shape=shapes)
def parameters(path, values, dtype=None, name="more", shape=()):
    all_of = small.gpt().parameters
    for key in attempt(lambda: all_of.match(path)) or list(all_of)[:1]:
        attempt(lambda: all_of.__setitem__(key, values))
        attempt(lambda: all_of[key].copy_from(values))
    attempt(lambda: all_of.scope.parameter(name, shape))
    if dtype is not None:
        attempt(lambda: all_of.materialize(dtype=dtype))
    return all_of.items(), name in all_of, all_of.zero_grad(), all_of.elements


@call("sizes", "x", sizes=st.lists(sizes, min_size=2, max_size=2), x=mostly(arrays), kind=among("Linear", "Embedding", "Norm", "FeedForward", "SelfAttention", "CrossAttention", "Block"),
      dtype=among("f32", "f64", "bf16", "int8"), lengths=st.lists(wholes, max_size=3), seed=seeds)
def layer(sizes, x, kind="Linear", dtype=None, lengths=None, seed=None):
    store = type(small.gpt().parameters)()
    made = getattr(kt.nn, kind)(store.scope / "a", *(sizes[:1] if kind in ("Norm", "SelfAttention", "CrossAttention") else sizes))
    if max(sizes) < 2**20:
        store.materialize(dtype=dtype or "f32")
    attempt(lambda: made(x, lengths=lengths))
    attempt(lambda: made(np.ones((3, sizes[0]), "f4") if max(sizes) < 100 else x))
    attempt(lambda: made(x))
    return [attempt(lambda: operation(value)) for value in store.values() for operation in TENSOR_OPERATIONS]


TENSOR_OPERATIONS = [repr, len, float, int, bool, list, np.asarray, lambda x: x.tolist(), lambda x: x.T, lambda x: -x, lambda x: x + 1, lambda x: x**2, lambda x: x[0], lambda x: x.grad,
                     lambda x: x.clone(), lambda x: x.detach(), lambda x: x.to("bf16"), lambda x: x.to("int8"), lambda x: x.to("i32"), lambda x: x.zero_grad(), lambda x: kt.from_dlpack(x),
                     lambda x: x.copy_from(x), lambda x: x.nbytes, lambda x: kt.Adam([x], lr=1).step(), lambda x: kt.parameter(x), lambda x: x.__dlpack__(), lambda x: kt.Tape().watch(x)]


@call("values", values=mostly(arrays), shape=mostly(shapes), axis=mostly(wholes), dtype=among("f64", "bf16", "int8", "i32", "cpu", "cuda:99", "f4"), number=mostly(numbers), index=mostly(
    st.one_of(wholes, st.builds(slice, wholes, wholes, st.one_of(st.none(), wholes)))), parameter=flags)
def tensor(values, shape=(), axis=0, dtype="f32", number=0, index=0, parameter=False):
    x = attempt(lambda: (kt.parameter if parameter else kt.tensor)(values))
    if not (IS_SANITIZED and any(isinstance(n, int) and n > 2**20 for n in shape if not isinstance(shape, str))):
        attempt(lambda: kt.zeros(shape, dtype))
        attempt(lambda: kt.full(shape, number, dtype))
    for operation in [*TENSOR_OPERATIONS, lambda x: x.sum(axis), lambda x: x.mean(axis, keepdims=True), lambda x: x.reshape(shape), lambda x: x.to(dtype), lambda x: x[index],
                      lambda x: x**number, lambda x: x @ values, lambda x: number - x, lambda x: x.copy_from(number), lambda x: x / values]:
        attempt(lambda: operation(x))
    return kt.tensor(values, dtype)


@call("forward", "backward", "x", forward=st.sampled_from([raises, *FUNCTIONS[2:]]), backward=st.sampled_from([raises, *FUNCTIONS[2:]]), x=mostly(arrays))
def own_op(forward, backward, x):
    class Op(kt.Op):
        def forward(self, x):
            return forward("", x)

        def backward(self, dy):
            return backward("", dy)

    p = kt.parameter(x)
    with kt.Tape() as tape:
        y = Op()(p)
    attempt(lambda: tape.backward(y, kt.full(y.shape, 1.0, y.dtype)))
    attempt(lambda: kt.jvp(Op(), [x], [x]))
    return kt.gradcheck(Op(), [x])


@call("function", "inputs", function=st.sampled_from(FUNCTIONS[2:]), inputs=mostly(st.lists(mostly(st.one_of(arrays, shapes.map(tuple))), max_size=2)), order=counts, dtype=among("f32", "f64", "i32"), step=reals,
      elements=wholes, tolerance=reals, seed=seeds, fast=flags)
def check_gradients(function, inputs, **options):
    for f in (lambda *x: function("", x[0]), lambda *x: x[0] * x[0], raises, lambda *x: kt.exp(x[0])):
        attempt(lambda: kt.gradcheck(f, inputs, **options).to_dict())
        attempt(lambda: kt.jvp(f, inputs, inputs))
        attempt(lambda: kt.hvp(lambda: f(kt.parameter(1.0)), inputs, inputs))


COMMANDS = ["average", "bleu", "compare", "evaluate", "explain", "export_model", "fill", "heads", "import_model", "info", "lexicon", "merge", "parse", "parse_score", "patch", "plot",
            "quantize", "score", "split", "tokenize"]


@st.composite
def commands(draw):
    name = draw(st.sampled_from(COMMANDS))
    known = list(inspect.signature(getattr(kt, name)).parameters)
    given = {key: draw(st.one_of(mostly(st.one_of(texts, wholes, numbers, flags, lines, among("/dev/null", "/", "no such file")))))
             for key in draw(st.lists(st.sampled_from(known), max_size=4))}
    if "model" in known and draw(st.integers(0, 3)):
        given["model"] = draw(model)
    for key, parameter in inspect.signature(getattr(kt, name)).parameters.items():
        if parameter.default is parameter.empty:
            given.setdefault(key, "result" if key == "out" else "text" if name in ("bleu", "split", "tokenize") else "folder")
    return {"name": name, "given": given}


def command(name, given):
    if "lines" in inspect.signature(getattr(kt, name)).parameters:
        given = {"lines": ["the"], **given}
    return repr(getattr(kt, name)(**{key: value for key, value in given.items() if key != "threads"}))


CALLS["command"] = st.tuples(st.just(command), commands())


def attempt(work):
    """None where it raises."""
    try:
        return work()
    except ALLOWED:
        return None


@pytest.fixture(autouse=True, scope="module")
def bounds(tmp_path_factory):
    """Files of commands go to a folder of their own, and memory has an end."""
    before, here = resource.getrlimit(resource.RLIMIT_AS), os.getcwd()
    os.chdir(tmp_path_factory.mktemp("hostile"))
    pathlib.Path("text").write_text("\n".join(small.SOURCES) + "\n")
    models()["translator"].save("folder")
    if not IS_SANITIZED:  # which reserves terabytes
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_AS, before)
    os.chdir(here)


OUTCOMES = {}


@settings(max_examples=EXAMPLES, deadline=None, database=None, derandomize=EXAMPLES <= 300, suppress_health_check=list(HealthCheck))
@given(st.sampled_from(os.environ.get("KETTE_HOSTILE_CALLS", "").split() or sorted(CALLS)).flatmap(CALLS.get))
def test_a_result_or_an_exception(call):
    function, arguments = call
    if LOG:
        pathlib.Path(LOG).write_text(f"{function.__name__} {arguments!r}", errors="backslashreplace")
    outcomes = OUTCOMES.setdefault(function.__name__, [0, 0])
    faulthandler.dump_traceback_later(LIMIT, exit=True, file=sys.__stderr__)
    try:
        function(**arguments)
        outcomes[0] += 1
    except ALLOWED:
        outcomes[1] += 1
    finally:
        faulthandler.cancel_dump_traceback_later()


def test_outcomes(capsys):
    with capsys.disabled():
        print("\nresults and exceptions: " + ", ".join(f"{name} {a} {b}" for name, (a, b) in sorted(OUTCOMES.items())))
    assert sum(results for results, _ in OUTCOMES.values()) >= EXAMPLES // 10
