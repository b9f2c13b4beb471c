// All options of sacreBLEU's metrics together, references that lack lines, and the pieces of a SentencePiece model as words.
#include <doctest/doctest.h>

#include <cmath>

#include "data/files/unicode.h"
#include "data/metrics/bleu.h"
#include "data/metrics/chrf.h"
#include "data/metrics/ter.h"
#include "tensor/error.h"
#include "tests/data/bleu_golden.h"
#include "tests/data/tiny_text.h"

namespace kette {
namespace {

using namespace testing;

/// The small model of the fixtures.
std::filesystem::path pieces_file() {
  return source_folder() / "tests/fixtures/hugging_face/marian/source.spm";
}

CorpusScore drawn_bleu(const JsonView& row, const std::vector<ScoreLines>& references) {
  const JsonView& o = row.at("options");
  BleuOptions options;
  options.lowercase = o.at("lowercase").get<bool>();
  options.max_ngram_order = o.at("max_ngram_order").get<std::int64_t>();
  options.effective_order = o.at("effective_order").get<bool>();
  options.smoothing = enum_named<BleuSmoothing>(o.at("smooth_method").text());
  if (!o.at("smooth_value").is_null()) options.smoothing_value = o.at("smooth_value").get<double>();
  if (o.at("tokenize") == "spm") {
    options.pieces = std::make_shared<const ScorePieces>(pieces_file());
  } else {
    options.tokenizer = enum_named<ScoreTokenizer>(o.at("tokenize").text());
  }
  return corpus_bleu(golden_lines(row.at("hypotheses")), references, options);
}

CorpusScore drawn_chrf(const JsonView& row, const std::vector<ScoreLines>& references) {
  const JsonView& o = row.at("options");
  const ChrfOptions options{
      o.at("char_order").get<std::int64_t>(), o.at("word_order").get<std::int64_t>(),
      o.at("beta").get<std::int64_t>(),       o.at("lowercase").get<bool>(),
      o.at("whitespace").get<bool>(),         o.at("eps_smoothing").get<bool>()};
  return corpus_chrf(golden_lines(row.at("hypotheses")), references, options);
}

CorpusScore drawn_ter(const JsonView& row, const std::vector<ScoreLines>& references) {
  const JsonView& o = row.at("options");
  const TerOptions options{o.at("normalized").get<bool>(), false, false,
                           o.at("case_sensitive").get<bool>()};
  return corpus_ter(golden_lines(row.at("hypotheses")), references, options);
}

TEST_CASE("scores with drawn options and missing references equal sacreBLEU's") {
  REQUIRE(bleu_golden().at("drawn").size() >= 100);
  for (const auto& row : bleu_golden().at("drawn")) {
    CAPTURE(row.dump());
    std::vector<ScoreLines> references;
    for (const auto& reference : row.at("references")) {
      references.emplace_back();
      for (const auto& line : reference) {
        references.back().push_back(line.is_null() ? kNoReference : std::string_view(line.text()));
      }
    }
    const CorpusScore score = row.at("metric") == "bleu"   ? drawn_bleu(row, references)
                              : row.at("metric") == "chrf" ? drawn_chrf(row, references)
                                                           : drawn_ter(row, references);
    CHECK(std::abs(score.score - row.at("score").get<double>()) < 1e-9);
    CHECK(score.format() == row.at("format"));
    CHECK(without_version(score.signature) == without_version(row.at("signature").text()));
  }
}

TEST_CASE("pieces of a SentencePiece model are sacreBLEU's words") {
  const ScorePieces pieces(pieces_file());
  for (const auto& row : bleu_golden().at("tokens")) {
    CAPTURE(row.dump());
    const std::u32string line = decode_utf8(row.at("line").text());
    const std::u32string apart = pieces.set_apart(strip_right(line));
    std::string words;
    for (const std::u32string_view word : split(apart)) {
      words += (words.empty() ? "" : " ") + encode_utf8(word);
    }
    CHECK(words == row.at("spm"));
  }
  CHECK(contains(message_of([] { ScorePieces(source_folder() / "README.md"); }),
                 "README.md: expected a SentencePiece model, given "));
}

TEST_CASE("TER takes as many references as its counts can be shared among") {
  const std::vector<ScoreLines> sixteen(16, {"a b c"}), seventeen(17, {"a b c"});
  CHECK(corpus_ter({"a b"}, sixteen).score == 100 * (1.0 / 3));
  CHECK(message_of([&] { corpus_ter({"a b"}, seventeen); }) ==
        "TER: expected at most 16 references, given 17");
}

}  // namespace
}  // namespace kette
