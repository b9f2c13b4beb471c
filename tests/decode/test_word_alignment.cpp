#include <doctest/doctest.h>

#include <cstdlib>
#include <set>

#include "data/bundled/corpus.h"
#include "decode/mark_placement.h"
#include "decode/word_alignment.h"
#include "inspect/heads/attention_maps.h"
#include "models/model_directory.h"
#include "tests/decode/decode_models.h"
#include "tests/decode/letters_tokenizer.h"

using namespace kette;
using namespace kette::testing;

namespace {

/// What inspect/ reads of a model that trains.
std::vector<SoftAlignment> recorded_alignments(const Transformer& model, const Ids& source,
                                               const Ids& target) {
  Activations activations;
  Run run(&activations);
  model.logits(one_sentence(model, source, target), run);
  std::vector<SoftAlignment> layers;
  for (const AttentionPart& part : attentions_of(model)) {
    if (part.kind != AttentionKind::cross) continue;
    layers.push_back(soft_alignment(attention_maps(part, activations)));
  }
  return layers;
}

void check_close(const std::vector<SoftAlignment>& some, const std::vector<SoftAlignment>& others) {
  REQUIRE(some.size() == others.size());
  for (std::size_t layer = 0; layer < some.size(); ++layer) {
    REQUIRE(some[layer].queries == others[layer].queries);
    REQUIRE(some[layer].keys == others[layer].keys);
    for (std::size_t i = 0; i < some[layer].values.size(); ++i) {
      CHECK(some[layer].values[i] == doctest::Approx(others[layer].values[i]).epsilon(1e-4));
    }
  }
}

/// The unit of a word that stands between spaces, or none.
std::size_t unit_of_word(const std::vector<TextUnit>& units, int word) {
  int seen = -1;
  for (std::size_t i = 0; i < units.size(); ++i) {
    if (i == 0 || units[i - 1].end < units[i].begin) ++seen;
    if (seen == word && units[i].is_word) return i;
  }
  return units.size();
}

}  // namespace

TEST_CASE("word alignment: a batch takes what each pair alone does, on models ready for decoding") {
  const OneThread one;
  for (const NormOrder norm : {NormOrder::pre, NormOrder::post}) {
    const auto model = random_model(small_config(norm));
    const auto ready = model->for_decoding();
    const auto sources = random_sentences(9, 611, 12, 3), targets = random_sentences(9, 611, 12, 4);
    const WordAligner aligner(Ensemble(*ready), letters_tokenizer());
    const auto all = aligner.soft_alignments(sources, targets);
    for (std::size_t i = 0; i < sources.size(); ++i) {
      check_close(all[i], recorded_alignments(*model, sources[i], targets[i]));
    }
  }
}

TEST_CASE("word alignment: links do not depend on batches, threads or the other pairs") {
  const auto tokenizer = letters_tokenizer();
  TransformerConfig config = small_config();
  config.vocabulary = tokenizer->vocabulary();
  const auto model = random_model(config);
  const auto ready = model->for_decoding();
  const WordAligner aligner(Ensemble(*ready), tokenizer);
  const std::vector<std::string> sources = {"abc def, ghi.", "", "a", "ihg fed cba abc",
                                            "dd ee ff"},
                                 targets = {"cab fed ghi", "a", "", "abc (def) ghi", "a b c"};
  const auto links = aligner.align(sources, targets);
  CHECK(links[1].empty());
  CHECK(links[2].empty());
  for (const auto& [batch, threads] : {std::pair(1, 1), std::pair(20, 2), std::pair(4096, 1)}) {
    CHECK(aligner.align(sources, targets,
                        {.batch_tokens = batch, .threads = threads, .language = {}}) == links);
  }
  CHECK(aligner.align({sources[3]}, {targets[3]})[0] == links[3]);
  for (std::size_t i = 0; i < links.size(); ++i) {
    const auto from = text_units(sources[i]), to = text_units(targets[i]);
    for (const auto& [a, b] : links[i]) {
      CHECK(from.at(a).is_word);
      CHECK(to.at(b).is_word);
    }
  }
  // What the model has no positions for has no links, and the others have theirs.
  std::string longest;
  for (int i = 0; i < 200; ++i) longest += "abc ";
  const auto with_long = aligner.align({longest, sources[3]}, {targets[3], targets[3]});
  CHECK(with_long[0].empty());
  CHECK(with_long[1] == links[3]);
  CHECK_THROWS_AS(aligner.align({"a"}, {}), Error);
}

TEST_CASE("word alignment: tokens find their words in text that is spelled otherwise") {
  const auto tokenizer = letters_tokenizer();
  const auto units_by = [&](const std::string& text, const std::vector<std::int32_t>& ids) {
    const auto units = text_units(text);
    std::set<std::size_t> seen;
    std::size_t last = 0;
    for (const TokenUnits& of : units_of_tokens(*tokenizer, Side::source, text, units, ids)) {
      if (of.first > of.last) continue;
      CHECK(of.first >= last);
      CHECK(of.last < units.size());
      last = of.first;
      for (std::size_t i = of.first; i <= of.last; ++i) seen.insert(i);
    }
    return seen.size();
  };
  for (const std::string text : {"abc def", " abc  def ", "abcdefghi", "a b c d e f g h i",
                                 "\xEF\xBD\x81"
                                 "bc def",
                                 "abc-def, (ghi)", "\xF0\x9F\x99\x82 abc \xF0\x9F\x99\x82", "a"}) {
    CAPTURE(text);
    CHECK(units_by(text, tokenizer->encode(text)) == text_units(text).size());
  }
  // Ids that encode() does not give.
  CHECK(units_by("abc def", tokenizer->encode("a b c d e f")) == 2);
  CHECK(units_by("", tokenizer->encode("abc")) == 0);
  CHECK(units_by("abc", {}) == 0);
}

// bench/marks.sh trains a model for it.
TEST_CASE("word alignment: tags go with their words in the bundled corpus") {
  const char* folder = std::getenv("KETTE_BUNDLED_MODEL");
  if (folder == nullptr) {
    MESSAGE("skipped: KETTE_BUNDLED_MODEL names no model of the bundled corpus (bench/marks.sh)");
    return;
  }
  const auto saved = load_model<AutoregressiveModel>(folder);
  const auto ready = Ensemble(*saved.model).for_decoding();
  const bundled::Corpus corpus = bundled::generate();
  std::vector<std::string> sources, targets;
  for (const bundled::SentencePair& pair : corpus.test) {
    sources.push_back(pair.english);
    targets.push_back(pair.german);
  }
  const auto links = WordAligner(ready, saved.tokenizer).align(sources, targets);
  int tags = 0, around = 0, exact = 0;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const auto from = text_units(sources[i]), to = text_units(targets[i]);
    for (const bundled::WordLink& link : corpus.test[i].links) {
      const std::size_t word = unit_of_word(from, link.english),
                        other = unit_of_word(to, link.german);
      if (!link.sure || word == from.size() || other == to.size()) continue;
      const std::vector<Mark> marks = {{Mark::Kind::opens, from[word].begin, "<b>", 1},
                                       {Mark::Kind::closes, from[word].end, "</b>", 0}};
      const MarkedText placed = place_marks(sources[i], marks, targets[i], links[i]);
      const std::size_t begin = placed.marks[0].at, end = placed.marks[1].at;
      ++tags;
      around += begin <= to[other].begin && end >= to[other].end;
      exact += begin == to[other].begin && end == to[other].end;
    }
  }
  MESSAGE(tags << " tags, " << 100.0 * around / tags << " % round the word, "
               << 100.0 * exact / tags << " % round it alone");
  CHECK(around >= 0.95 * tags);
}
