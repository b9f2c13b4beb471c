#include "data/metrics/ter.h"

#include <algorithm>
#include <limits>

#include "data/files/unicode.h"
#include "data/metrics/edit_rate.h"
#include "data/metrics/ngrams.h"
#include "data/metrics/score_tokenizers.h"
#include "tensor/error.h"

namespace kette {
namespace {

// One row of counts. Both are multiplied by kShares, so that the mean number of reference words is
// an integer for up to 16 references.
constexpr std::size_t kEdits = 0;
constexpr std::size_t kWords = 1;
constexpr std::int64_t kShares = 720720;

std::u32string normalized(std::u32string_view line, const TerOptions& options) {
  std::u32string text(strip_right(line));
  if (!options.case_sensitive) text = lower(text);
  if (options.normalized) text = set_apart_tercom(text, options.asian_support);
  if (options.no_punct) text = without_tercom_punctuation(text, options.asian_support);
  std::u32string words;
  for (const std::u32string_view word : split(text)) words.append(word).push_back(U' ');
  return words;
}

ScoreCounts segment_counts(const std::u32string& hypothesis,
                           const std::vector<std::u32string>& references,
                           const TerOptions& options) {
  WordNumbers numbers;
  const std::u32string words = numbers(split(normalized(hypothesis, options)));
  auto edits = std::numeric_limits<std::int64_t>::max();
  std::int64_t reference_length = 0;
  for (const std::u32string& reference : references) {
    // Twice, as in sacreBLEU: only then is the 's of "dog's," split off.
    const std::u32string reference_words =
        numbers(split(normalized(normalized(reference, options), options)));
    reference_length += std::ssize(reference_words);
    edits = std::min(edits, edits_with_moves(words, reference_words));
  }
  const std::int64_t share = kShares / std::ssize(references);
  KETTE_CHECK(share * std::ssize(references) == kShares,
              "TER: expected at most 16 references, given ", references.size());
  return {edits * kShares, reference_length * share};
}

/// If references have no words, only an empty hypothesis is right.
double score_of(const ScoreCounts& sum) {
  if (sum[kWords] == 0) return sum[kEdits] > 0 ? 100 : 0;
  return 100 * (static_cast<double>(sum[kEdits]) / static_cast<double>(sum[kWords]));
}

std::string fields_of(const TerOptions& options) {
  const auto field = [](const char* name, bool value) {
    return std::string("|") + name + (value ? ":yes" : ":no");
  };
  return std::string(options.case_sensitive ? "case:mixed" : "case:lc") + "|tok:tercom" +
         field("norm", options.normalized) + field("punct", !options.no_punct) +
         field("asian", options.asian_support);
}

class TerConfig final : public MetricConfig {
 public:
  std::vector<MetricOption> options() override {
    return {
        lowercase_option(),
        {"--ter-normalized", &options_.normalized, "TER sets punctuation apart"},
        {"--ter-no-punct", &options_.no_punct, "TER leaves punctuation out"},
        {"--ter-asian", &options_.asian_support, "They do so in Chinese and Japanese, too"},
        {"--ter-case-sensitive", &options_.case_sensitive, "TER looks at case", "--lowercase"},
    };
  }
  void check() const override {
    KETTE_CHECK(!options_.asian_support || options_.normalized || options_.no_punct,
                "--ter-asian: expected --ter-normalized or --ter-no-punct, which it widens, given "
                "neither");
  }
  Metric metric(bool) const override { return ter_metric(options_); }

 private:
  TerOptions options_;
};

}  // namespace

Metric ter_metric(const TerOptions& options) {
  return {
      .name = "TER",
      .fields = fields_of(options),
      .count =
          [options](const std::u32string& hypothesis,
                    const std::vector<std::u32string>& references) {
            return segment_counts(hypothesis, references, options);
          },
      .score = [](const ScoreCounts& sum) { return score_of(sum); },
      .takes_raw_text = true,
  };
}

std::unique_ptr<MetricConfig> ter_config() { return std::make_unique<TerConfig>(); }

CorpusScore corpus_ter(const ScoreLines& hypotheses, const std::vector<ScoreLines>& references,
                       const TerOptions& options, const BootstrapOptions& bootstrap) {
  return corpus_score(ScoreStatistics(ter_metric(options), hypotheses, references), bootstrap);
}

}  // namespace kette
