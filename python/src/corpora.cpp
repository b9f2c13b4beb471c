// kette.Corpus: pairs of sentences as token ids, and the batches that training draws from them.
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/variant.h>

#include <variant>

#include "data/corpora/batch_sampler.h"
#include "data/files/text_file.h"
#include "python/src/tokenizers.h"

namespace kette::python {
namespace {

using Lines = std::variant<std::vector<std::string>, std::filesystem::path>;

TextLines lines_of(const Lines& given, const char* name) {
  if (const auto* path = std::get_if<std::filesystem::path>(&given))
    return {read_text(*path), path->string()};
  std::string text;
  for (const std::string& line : std::get<std::vector<std::string>>(given)) {
    KETTE_CHECK(line.find('\n') == std::string::npos, name,
                ": expected texts of one line each, given one with a line feed");
    text += line + "\n";
  }
  return {std::move(text), name};
}

struct Corpus {
  ParallelCorpus pairs;

  static Corpus of(const Lines& sources, const Lines& targets, const PythonTokenizer& tokenizer,
                   std::int64_t max_length, double max_ratio, const std::string& to) {
    KETTE_CHECK(
        tokenizer.shared->special().are_complete(),
        "Corpus: expected a tokenizer for translation, with padding and a begin, given one of the kind ",
        tokenizer.shared->kind());
    KETTE_CHECK(max_length > 0, "max_length: expected at least 1, given ", max_length);
    KETTE_CHECK(max_ratio == 0 || max_ratio >= 1,
                "max_ratio: expected at least 1, or 0 for any, given ", max_ratio);
    return {ParallelCorpus::from_lines(lines_of(sources, "sources"), "sources",
                                       lines_of(targets, "targets"), "targets", tokenizer.shared,
                                       {.max_length = max_length, .max_ratio = max_ratio}, to)};
  }
};

/// The batches of epoch after epoch.
class BatchStream {
 public:
  BatchStream(std::shared_ptr<Corpus> corpus, std::int64_t tokens, std::uint64_t seed,
              std::optional<std::int64_t> epochs)
      : corpus_(std::move(corpus)),
        sampler_(corpus_->pairs, {.tokens_per_batch = tokens, .seed = seed}),
        epochs_(epochs) {}

  Batch next() {
    if (epochs_ && sampler_.state().epoch >= *epochs_) throw nb::stop_iteration();
    const GilRelease release;
    return sampler_.next();
  }
  const BatchSampler& sampler() const { return sampler_; }

 private:
  std::shared_ptr<Corpus> corpus_;  // which the sampler refers to
  BatchSampler sampler_;
  std::optional<std::int64_t> epochs_;
};

}  // namespace

void bind_corpora(nb::module_& m) {
  nb::class_<Corpus>(
      m, "Corpus",
      "Pairs of sentences as token ids, in memory: those that kette train keeps of them. corpus[i] is a pair of lists.")
      .def(
          "__init__",
          [](Corpus* self, const Lines& sources, const Lines& targets,
             const PythonTokenizer& tokenizer, std::int64_t max_length, double max_ratio,
             const std::string& to) {
            new (self) Corpus(Corpus::of(sources, targets, tokenizer, max_length, max_ratio, to));
          },
          "sources"_a, "targets"_a, "tokenizer"_a, nb::kw_only(), "max_length"_a = 256,
          "max_ratio"_a = 0.0, "to"_a = "", without_gil(),
          "sources, targets: lists of lines, or files. Pairs with an empty side, with more than max_length tokens on a side, or with "
          "more than max_ratio times as many on one as on the other (0: any) are left out. to: the target language, for a tokenizer with several.")
      .def("__len__", [](const Corpus& self) { return self.pairs.size(); })
      .def(
          "__getitem__",
          [](const Corpus& self, std::int64_t i) {
            const std::int64_t at = i < 0 ? i + self.pairs.size() : i;
            if (at < 0 || at >= self.pairs.size())
              throw nb::index_error("expected the number of a pair, given another");
            PairIds ids = self.pairs.read(at);
            return std::pair(std::move(ids.source), std::move(ids.target));
          },
          "i"_a)
      .def(
          "report", [](const Corpus& self) { return self.pairs.report().text(); },
          "What was kept and left out, in words.")
      .def(
          "batches",
          [](const std::shared_ptr<Corpus>& self, std::int64_t tokens, std::uint64_t seed,
             std::optional<std::int64_t> epochs) {
            KETTE_CHECK(self->pairs.size() > 0,
                        "batches: expected a corpus with pairs, given an empty one");
            KETTE_CHECK(tokens > 0, "tokens: expected at least 1, given ", tokens);
            return std::make_shared<BatchStream>(self, tokens, seed, epochs);
          },
          nb::kw_only(), "tokens"_a = 4096, "seed"_a = 1, "epochs"_a = nb::none(),
          "The batches of kette train with this seed, of sentences of similar length: at most so many tokens of the larger side, end marks "
          "counted; epoch after epoch without end, or so many epochs.")
      .def("__repr__", [](const Corpus& self) {
        return "Corpus(" + std::to_string(self.pairs.size()) + " pairs)";
      });
  nb::class_<BatchStream>(m, "BatchStream", "An iterator over batches; Corpus.batches() makes it.")
      .def("__iter__", [](nb::handle self) { return self; })
      .def("__next__", &BatchStream::next)
      .def_prop_ro(
          "epoch", [](const BatchStream& self) { return self.sampler().state().epoch; },
          "Of the next batch, from 0.")
      .def_prop_ro(
          "batches_in_epoch",
          [](const BatchStream& self) { return self.sampler().batches_in_epoch(); },
          "The number of batches in the epoch of the next one.")
      .def("__repr__", [](const BatchStream& self) {
        return "BatchStream(epoch " + std::to_string(self.sampler().state().epoch) + ", " +
               std::to_string(self.sampler().batches_in_epoch()) + " batches)";
      });
}

}  // namespace kette::python
