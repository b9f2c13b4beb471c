// kette.Batch, and the functions that make batches of texts.
#include <algorithm>
#include <utility>

#include "data/corpora/masking.h"
#include "data/corpora/window_sampler.h"
#include "python/src/tokenizers.h"
#include "python/src/training.h"

namespace kette::python {
namespace {

using Ids = std::vector<std::int32_t>;

/// The ids at [begin, begin + count) of a sequence, of which nothing else is read.
Ids part_of(const nb::object& ids, std::int64_t begin, std::int64_t count) {
  Ids part;
  part.reserve(static_cast<std::size_t>(count));
  for (std::int64_t i = begin; i < begin + count; ++i) {
    const nb::object item = nb::steal(PySequence_GetItem(ids.ptr(), i));
    if (!item.is_valid()) throw nb::python_error();
    part.push_back(id_of(item));
  }
  return part;
}

Batch windows(const nb::object& ids, std::int64_t rows, std::int64_t length, std::uint64_t seed,
              std::int64_t step) {
  KETTE_CHECK(step >= 0, "step: expected at least 0, given ", step);
  const Tensor tensor = nb::isinstance<Variable>(ids)
                            ? nb::cast<const Variable&>(ids).value().to(Device{})
                            : Tensor();
  KETTE_CHECK(!tensor.defined() || (tensor.dtype() == DType::i32 && tensor.shape().rank() == 1),
              "windows: expected ids of i32 with one axis, given ", tensor.str());
  if (nb::isinstance<nb::str>(ids) || (!tensor.defined() && !PySequence_Check(ids.ptr()))) {
    throw nb::type_error(
        "windows: expected a sequence of ids, given another type (tokenizer.encode makes one)");
  }
  const auto size = static_cast<std::int64_t>(nb::len(ids));
  constexpr std::int64_t kMost = std::int64_t{1} << 31;
  KETTE_CHECK(rows < 1 || length <= kMost / rows, "windows: expected at most ", kMost,
              " tokens in a batch, given ", rows, " windows of ", length);
  const WindowPlan plan({size}, {.context = length, .rows = rows, .seed = seed});
  std::vector<Ids> texts;
  std::vector<std::int64_t> places;
  for (const WindowPlan::Window& window : plan.windows(step)) {
    if (tensor.defined()) {
      texts.push_back(tensor.slice(window.start, window.start + length + 1).values<std::int32_t>());
    } else {
      texts.push_back(part_of(ids, window.start, length + 1));
    }
    places.push_back(window.place);
  }
  Batch batch = pack_windows(texts);
  batch.sentence_ids = std::move(places);
  return batch;
}

Batch pairs(const std::vector<std::string>& sources, const std::vector<std::string>& targets,
            const PythonTokenizer& tokenizer, const std::string& to) {
  KETTE_CHECK(sources.size() == targets.size(),
              "pairs: expected as many targets as sources, given ", sources.size(), " sources and ",
              targets.size(), " targets");
  KETTE_CHECK(
      tokenizer.shared->special().are_complete(),
      "pairs: expected a tokenizer for translation, with padding and a begin, given one of the kind ",
      tokenizer.shared->kind());
  const auto encoded = [&](const std::vector<std::string>& lines, Side side) {
    return tokenizer.shared->encode_all(std::vector<std::string_view>(lines.begin(), lines.end()),
                                        side);
  };
  std::vector<Ids> source_ids = encoded(sources, Side::source);
  const std::vector<Ids> target_ids = encoded(targets, Side::target);
  PairLists all;
  std::vector<std::int64_t> numbers;
  for (std::size_t i = 0; i < source_ids.size(); ++i) {
    tokenizer.shared->put_tag_before(source_ids[i], to);
    all.add(source_ids[i], target_ids[i]);
    numbers.push_back(std::ssize(numbers));
  }
  return make_batch(all, numbers, tokenizer.shared->special());
}

std::vector<std::int64_t> lengths_of(const Segments& segments) {
  std::vector<std::int64_t> lengths;
  for (std::int64_t i = 0; i < segments.count(); ++i) lengths.push_back(segments.length(i));
  return lengths;
}

}  // namespace

void bind_batches(nb::module_& m) {
  nb::class_<Batch>(
      m, "Batch",
      "Texts, one after the other in rows without padding, as models read them: of a pair the source with its end mark, what the decoder "
      "reads (target_in) and what it is to say (target_out). That of a language model has no source; that of a masked one has in target_in the places of the masks.")
      .def_prop_ro(
          "source", [](const Batch& self) { return Variable(Tensor::from(self.source)); },
          "Ids, i32 [source rows].")
      .def_prop_ro(
          "target_in", [](const Batch& self) { return Variable(Tensor::from(self.target_in)); },
          "Ids, i32 [target rows].")
      .def_prop_ro(
          "target_out", [](const Batch& self) { return Variable(Tensor::from(self.target_out)); },
          "Ids, i32 [target rows].")
      .def_prop_ro(
          "source_lengths", [](const Batch& self) { return lengths_of(self.source_segments); },
          "The rows of each source.")
      .def_prop_ro(
          "target_lengths", [](const Batch& self) { return lengths_of(self.target_segments); },
          "The rows of each target.")
      .def_prop_ro(
          "places", [](const Batch& self) { return self.sentence_ids; },
          "Where each text comes from: of windows the place of the first token in the long text, of pairs their number.")
      .def_prop_ro(
          "tokens", [](const Batch& self) { return self.target_segments.rows(); },
          "The number of target tokens.")
      .def(
          "split",
          [](const Batch& self, std::int64_t tokens) {
            KETTE_CHECK(tokens > 0, "split: expected at least 1 token, given ", tokens);
            return split(self, tokens);
          },
          "tokens"_a, without_gil(),
          "The same texts in batches of about so many tokens of the larger side, which take less memory at once. kette train computes a "
          "batch in parts of 2^19 / width tokens on a CPU, at least 256, and divides each part's loss by the targets of all.")
      .def("__len__", [](const Batch& self) { return self.sentence_ids.size(); })
      .def("__repr__", [](const Batch& self) {
        return "Batch(" + std::to_string(self.sentence_ids.size()) + " texts, " +
               std::to_string(self.source_segments.rows()) + " source and " +
               std::to_string(self.target_segments.rows()) + " target tokens)";
      });
  m.def(
      "windows", &windows, "ids"_a, nb::kw_only(), "rows"_a = 12, "length"_a = 128, "seed"_a = 1,
      "step"_a = 0,
      nb::sig(
          "def windows(ids: collections.abc.Sequence[int] | Tensor, *, rows: int = 12, length: int = 128, seed: int = 1, step: int = 0) -> Batch"),
      "A batch of windows of a long text, each of `length` tokens that a language model reads, and those that follow them as targets: "
      "the batch after `step` others of kette train's with this seed, each epoch at another offset and in another order. Only the windows are read from ids.");
  m.def("pairs", &pairs, "sources"_a, "targets"_a, "tokenizer"_a, "to"_a = "", without_gil(),
        "A batch of pairs of sentences. to: the target language, for a tokenizer with several.");
  m.def(
      "masked",
      [](const Batch& batch, const PythonTokenizer& tokenizer, std::uint64_t seed, double share,
         bool whole_words) {
        return Masking(*tokenizer.shared, {share, whole_words}).masked(batch, seed);
      },
      "batch"_a, "tokenizer"_a, nb::kw_only(), "seed"_a = 1, "share"_a = 0.15,
      "whole_words"_a = false, without_gil(),
      "A batch of windows for a masked language model: each between its marks, and with a share of its tokens masked (Devlin et al. 2019). Two tokens more than the windows' must fit the model's positions.");
}

}  // namespace kette::python
