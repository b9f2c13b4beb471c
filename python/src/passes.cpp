// Model.run, Model.loss and Model.points: forward passes with values captured and replaced.
#include <nanobind/stl/pair.h>

#include "autograd/tape.h"
#include "data/corpora/masking.h"
#include "models/bert.h"
#include "models/points.h"
#include "nn/points.h"
#include "python/src/models.h"
#include "python/src/taps.h"

namespace kette::python {
namespace {

using Ids = std::vector<std::int32_t>;

/// What a pass has shown. kette.Pass.
struct Pass {
  Variable logits, loss;  ///< undefined: not computed
  std::vector<std::pair<std::string, Variable>> captured;
  std::vector<std::string> source, target;  ///< what each row reads

  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const auto& one : captured) names.push_back(one.first);
    return names;
  }
  const Variable& at(const std::string& name) const {
    for (const auto& [point, value] : captured) {
      if (point == name) return value;
    }
    throw_unknown("captured value", name, names());
  }
};

Batch one_text(Ids source, Ids target_in) {
  Batch batch;
  if (!source.empty()) batch.source_segments = Segments::from_lengths({std::ssize(source)});
  batch.target_segments = Segments::from_lengths({std::ssize(target_in)});
  batch.source = std::move(source);
  batch.target_in = std::move(target_in);
  batch.sentence_ids = {0};
  return batch;
}

/// A text with masks as a BERT reads it, all of whose rows are asked for.
Batch masked_text(const nb::object& text, const Tokenizer* tokenizer) {
  Ids ids;
  if (nb::isinstance<nb::str>(text)) {
    KETTE_CHECK(tokenizer != nullptr,
                "run: expected ids for a model without a tokenizer, given a text");
    ids = between_marks(encode_with_masks(*tokenizer, bytes_of(text)), tokenizer->special());
  } else {
    ids = ids_of(text, tokenizer);
  }
  Ids places(ids.size());
  for (std::size_t i = 0; i < ids.size(); ++i) places[i] = static_cast<std::int32_t>(i);
  return one_text(std::move(ids), std::move(places));
}

Batch batch_of(const LoadedModel& self, const nb::object& source, const nb::object& target,
               const std::string& language) {
  const Tokenizer* tokenizer = self.tokenizer.get();
  const auto* decoder = dynamic_cast<const AutoregressiveModel*>(&self.model());
  KETTE_CHECK(target.is_none() || (decoder != nullptr && decoder->has_encoder()),
              "target: expected none for a ", self.model().config().family().what, ", given one");
  Batch batch;
  if (decoder == nullptr) {
    batch = masked_text(source, tokenizer);
  } else if (!decoder->has_encoder()) {
    batch = one_text({}, ids_of(source, tokenizer));
  } else {
    Ids ids = ids_of(source, tokenizer), words;
    if (tokenizer != nullptr && nb::isinstance<nb::str>(source)) {
      tokenizer->put_tag_before(ids, language);
    }
    if (!target.is_none()) words = ids_of(target, tokenizer, Side::target);
    ids.push_back(decoder->special().end);
    words.insert(words.begin(), decoder->special().begin);
    batch = one_text(std::move(ids), std::move(words));
  }
  KETTE_CHECK(!batch.target_in.empty(), "run: expected at least one token, given none");
  return batch;
}

/// An Error if a text of the batch is too long.
void check_lengths(const Model& model, const Batch& batch) {
  for (const Segments* side : {&batch.source_segments, &batch.target_segments}) {
    KETTE_CHECK(side->longest() <= model.positions(), "run: expected texts of at most ",
                model.positions(), " tokens, as many as the model has positions for, given ",
                side->longest());
  }
}

std::vector<std::string> pieces_of(const LoadedModel& self, const Ids& ids, Side side) {
  std::vector<std::string> pieces;
  for (const std::int32_t id : ids) {
    if (!self.tokenizer) {
      pieces.push_back(std::to_string(id));
    } else {
      pieces.push_back(side == Side::source ? self.tokenizer->source_piece(id)
                                            : self.tokenizer->piece(id));
    }
  }
  return pieces;
}

/// The values at the points, of which a pass has one each.
std::vector<std::pair<std::string, Variable>> ones(PythonTap& tap) {
  std::vector<std::pair<std::string, Variable>> result;
  for (auto& [name, values] : tap.take()) result.emplace_back(name, std::move(values.back()));
  return result;
}

Run run_of(std::optional<std::uint64_t> seed, std::int64_t step, PythonTap& tap) {
  KETTE_CHECK(step >= 0, "step: expected at least 0, given ", step);
  Tap* its = tap.is_empty() ? nullptr : &tap;
  return seed ? Run(*seed, static_cast<std::uint64_t>(step) + 1, its) : Run(its);
}

void learn_if_recorded(LoadedModel& self) {
  if (Tape::current() != nullptr) self.keep_gradients();
}

Pass run(LoadedModel& self, const nb::object& source, const nb::object& target,
         const nb::object& capture, const nb::object& replace, std::optional<std::uint64_t> seed,
         std::int64_t step, const std::string& to) {
  PythonTap tap(capture, replace, self.points());
  Pass pass;
  const bool is_batch = nb::isinstance<Batch>(source);
  const Batch batch = is_batch ? nb::cast<Batch>(source) : batch_of(self, source, target, to);
  check_lengths(self.model(), batch);
  learn_if_recorded(self);
  const GilRelease release;
  const WithThreads threads(threads_set());
  Run run = run_of(seed, step, tap);
  pass.logits = self.model().logits(batch, run);
  pass.captured = ones(tap);
  pass.source = pieces_of(self, batch.source, Side::source);
  const bool is_masked = dynamic_cast<const Bert*>(&self.model()) != nullptr;
  if (!is_masked) pass.target = pieces_of(self, batch.target_in, Side::target);
  return pass;
}

Pass lose(LoadedModel& self, const Batch& batch, double label_smoothing,
          std::optional<std::uint64_t> seed, std::int64_t step, const nb::object& replace,
          const nb::object& capture) {
  std::vector<std::string> points = self.points();
  std::erase(points, points::kLogits);  // which a loss has no need of
  points.emplace_back(points::kLoss);
  PythonTap tap(capture, replace, points);
  check_lengths(self.model(), batch);
  KETTE_CHECK(
      batch.target_out.size() == batch.target_in.size() && !batch.target_out.empty(),
      "loss: expected a batch with targets, given none (kt.windows, kt.pairs and kt.masked make them)");
  check_rate("label_smoothing", label_smoothing);
  learn_if_recorded(self);
  const GilRelease release;
  const WithThreads threads(threads_set());
  Run run = run_of(seed, step, tap);
  Pass pass;
  const double per_token = 1.0 / static_cast<double>(batch.target_segments.rows());
  pass.loss = self.model().loss(batch, {label_smoothing, per_token}, run);
  pass.captured = ones(tap);
  return pass;
}

std::vector<std::pair<std::string, Shape>> points(const LoadedModel& self, std::int64_t source,
                                                  std::int64_t target) {
  for (const std::int64_t tokens : {source, target}) {
    KETTE_CHECK(tokens > 0 && tokens <= self.model().positions(), "points: expected from 1 to ",
                self.model().positions(), " tokens, given ", tokens);
  }
  std::vector<std::pair<std::string, Shape>> result;
  const GilRelease release;
  for (Point& point : points_of(self.model(), source, target)) {
    result.emplace_back(std::move(point.name), point.shape);
  }
  return result;
}

std::vector<nb::str> shown(const std::vector<std::string>& pieces) {
  std::vector<nb::str> texts;
  for (const std::string& piece : pieces) texts.push_back(text_of(piece));
  return texts;
}

}  // namespace

void bind_passes(nb::class_<LoadedModel>& c, nb::module_& m) {
  nb::class_<Pass>(
      m, "Pass",
      "What Model.run and Model.loss have computed, and the values that were named: pass[\"decoder/0/cross_attention/probabilities\"].")
      .def_prop_ro(
          "logits",
          [](const Pass& self) -> std::optional<Variable> {
            if (!self.logits.value().defined()) return {};
            return self.logits;
          },
          "[rows, vocabulary] of run(): a row for each token that the model reads. None of loss().")
      .def_prop_ro(
          "loss",
          [](const Pass& self) -> std::optional<Variable> {
            if (!self.loss.value().defined()) return {};
            return self.loss;
          },
          "Of loss(): the mean over the targets, in nats. None of run().")
      .def_prop_ro("names", &Pass::names,
                   "The points whose values it has, in the order of the pass.")
      .def_prop_ro(
          "source", [](const Pass& self) { return shown(self.source); },
          nb::sig("def source(self) -> list[str]"),
          "The piece of text that each row of the encoder reads.")
      .def_prop_ro(
          "target", [](const Pass& self) { return shown(self.target); },
          nb::sig("def target(self) -> list[str]"),
          "The piece of text that each row of the decoder reads; of a language model of each row.")
      .def("__getitem__", &Pass::at, "name"_a)
      .def("__contains__",
           [](const Pass& self, const nb::object& name) {
             const std::vector<std::string> names = self.names();
             return nb::isinstance<nb::str>(name) &&
                    std::find(names.begin(), names.end(), nb::cast<std::string>(name)) !=
                        names.end();
           })
      .def(
          "__iter__", [](const Pass& self) { return nb::iter(nb::cast(self.names())); },
          nb::sig("def __iter__(self) -> collections.abc.Iterator[str]"))
      .def("__len__", [](const Pass& self) { return self.captured.size(); })
      .def("keys", &Pass::names, "names.")
      .def(
          "items", [](const Pass& self) { return self.captured; }, "Names and values.")
      .def("__repr__", [](const Pass& self) {
        return "Pass(" +
               (self.loss.value().defined() ? "loss " + self.loss.value().str()
                                            : "logits " + self.logits.value().str()) +
               ", " + std::to_string(self.captured.size()) + " values)";
      });

  c.def(
      "run", &run, "source"_a, "target"_a = nb::none(), nb::kw_only(), "capture"_a = nb::none(),
      "replace"_a = nb::none(), "seed"_a = nb::none(), "step"_a = 0, "to"_a = "",
      nb::sig(
          "def run(self, source: str | collections.abc.Sequence[int] | Tensor | Batch, "
          "target: str | collections.abc.Sequence[int] | Tensor | None = None, *, "
          "capture: str | collections.abc.Sequence[str] | None = None, "
          "replace: dict[str, object] | None = None, seed: int | None = None, step: int = 0, to: str = '') -> Pass"),
      "One forward pass. A translation model reads a source and, behind the begin mark, a target (teacher forcing); a language "
      "model a text; a masked one a text with [MASK] in it. Texts, ids without marks (a BERT's with them), or a Batch.\n\n"
      "capture: patterns of points (Model.points lists them; * matches any part) whose values the result keeps, and no others. "
      "replace: a dict of such patterns with what goes on instead: a tensor or array of the same shape, a number, or a function "
      "(name, value) -> value. On a Tape gradients go through the values, those of the replacements too. A pattern that matches nothing is a KeyError. "
      "seed: trains, with the dropout of this seed and step. to: the target language, for a model of several.");
  static constexpr const char* kLoss =
      "The mean loss of a batch's targets in nats, with label smoothing, as kette train computes it; a scalar. seed: trains, with the dropout of this seed in "
      "the step after `step` others; without it there is no dropout. replace: as for run().";
  c.def(
      "loss",
      [](LoadedModel& self, const Batch& batch, double label_smoothing,
         std::optional<std::uint64_t> seed, std::int64_t step, const nb::object& replace) {
        return lose(self, batch, label_smoothing, seed, step, replace, nb::none()).loss;
      },
      "batch"_a, nb::kw_only(), "label_smoothing"_a = 0.0, "seed"_a = nb::none(), "step"_a = 0,
      "replace"_a = nb::none(),
      nb::sig(
          "def loss(self, batch: Batch, *, label_smoothing: float = 0.0, seed: int | None = None, step: int = 0, replace: dict[str, object] | None = None) -> Tensor"),
      kLoss);
  c.def(
      "loss", &lose, "batch"_a, nb::kw_only(), "label_smoothing"_a = 0.0, "seed"_a = nb::none(),
      "step"_a = 0, "replace"_a = nb::none(), "capture"_a,
      nb::sig(
          "def loss(self, batch: Batch, *, label_smoothing: float = 0.0, seed: int | None = None, step: int = 0, replace: dict[str, object] | None = None, capture: str | collections.abc.Sequence[str]) -> Pass"),
      "The same with values captured, as run() does; the Pass has the loss.");
  c.def("points", &points, "source_tokens"_a = 3, "target_tokens"_a = 3,
        "Names and shapes of all points of a pass over so many tokens, in their order.");
}

}  // namespace kette::python
