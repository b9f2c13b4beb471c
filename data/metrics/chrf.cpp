#include "data/metrics/chrf.h"

#include <cstddef>
#include <cstdint>
#include <utility>

#include "data/files/unicode.h"
#include "data/metrics/ngrams.h"
#include "tensor/error.h"

namespace kette {
namespace {

bool is_ascii_punctuation(char32_t character) {
  return character < 0x7F && (is_punctuation(character) || is_symbol(character));
}

/// The words, with one punctuation mark split off: the last character, or else the first.
std::vector<std::u32string_view> words_of(std::u32string_view line) {
  std::vector<std::u32string_view> words;
  for (const std::u32string_view word : split(line)) {
    const std::size_t last = word.size() - 1;
    if (last > 0 && is_ascii_punctuation(word[last])) {
      words.push_back(word.substr(0, last));
      words.push_back(word.substr(last));
    } else if (last > 0 && is_ascii_punctuation(word[0])) {
      words.push_back(word.substr(0, 1));
      words.push_back(word.substr(1));
    } else {
      words.push_back(word);
    }
  }
  return words;
}

std::u32string characters_of(std::u32string_view line, bool whitespace) {
  if (whitespace) return std::u32string(line);
  std::u32string characters;
  for (const std::u32string_view word : split(line)) characters += word;
  return characters;
}

void append(const std::vector<NgramCount>& counts, ScoreCounts& row) {
  for (const NgramCount& count : counts) {
    // As in sacreBLEU: if the reference has no n-gram, those of the hypothesis do not count.
    row.push_back(count.reference > 0 ? count.hypothesis : 0);
    row.push_back(count.reference);
    row.push_back(count.matched);
  }
}

/// A line as characters, and as words if they count.
struct Symbols {
  std::u32string characters, words;

  Symbols(const std::u32string& line, const ChrfOptions& options, WordNumbers& numbers) {
    const std::u32string cased = options.lowercase ? lower(line) : line;
    characters = characters_of(cased, options.whitespace);
    if (options.word_order > 0) words = numbers(words_of(cased));
  }
};

/// One row of counts: (hypothesis, reference, matched) for each order of characters, then of words.
ScoreCounts counts_against(const Symbols& hypothesis, const Symbols& reference,
                           const ChrfOptions& options) {
  ScoreCounts row;
  append(count_ngrams(hypothesis.characters, {reference.characters}, options.char_order), row);
  append(count_ngrams(hypothesis.words, {reference.words}, options.word_order), row);
  return row;
}

double f_score(double precision, double recall, double factor) {
  return (1.0 + factor) * precision * recall / (factor * precision + recall);
}

double score_of(const ScoreCounts& sum, const ChrfOptions& options) {
  constexpr double kEpsilon = 1e-16;
  const double factor = static_cast<double>(options.beta) * options.beta;
  double f_sum = 0.0, precision_sum = 0.0, recall_sum = 0.0;
  int reached = 0;
  for (std::size_t i = 0; i < sum.size(); i += 3) {
    const auto hypothesis = static_cast<double>(sum[i]);
    const auto reference = static_cast<double>(sum[i + 1]);
    const auto matched = static_cast<double>(sum[i + 2]);
    const double precision = hypothesis > 0 ? matched / hypothesis : kEpsilon;
    const double recall = reference > 0 ? matched / reference : kEpsilon;
    f_sum += factor * precision + recall > 0 ? f_score(precision, recall, factor) : kEpsilon;
    if (hypothesis > 0 && reference > 0) {
      precision_sum += precision;
      recall_sum += recall;
      ++reached;
    }
  }
  if (options.eps_smoothing) return 100.0 * f_sum / (options.char_order + options.word_order);
  if (precision_sum + recall_sum == 0.0) return 0.0;
  return 100.0 * f_score(precision_sum / reached, recall_sum / reached, factor);
}

ScoreCounts segment_counts(const std::u32string& hypothesis,
                           const std::vector<std::u32string>& references,
                           const ChrfOptions& options) {
  WordNumbers numbers;
  const Symbols symbols(hypothesis, options, numbers);
  ScoreCounts best;
  double best_score = -1.0;
  for (const std::u32string& reference : references) {
    ScoreCounts row = counts_against(symbols, {reference, options, numbers}, options);
    const double score = score_of(row, options);
    if (score > best_score) {
      best_score = score;
      best = std::move(row);
    }
  }
  return best;
}

std::string fields_of(const ChrfOptions& options) {
  return std::string(options.lowercase ? "case:lc" : "case:mixed") +
         (options.eps_smoothing ? "|eff:no" : "|eff:yes") +
         "|nc:" + std::to_string(options.char_order) + "|nw:" + std::to_string(options.word_order) +
         (options.whitespace ? "|space:yes" : "|space:no");
}

/// sacreBLEU drops white space at the end of a line as it reads it.
Metric of_stripped_lines(Metric metric) {
  const auto strip = [](const std::u32string& line) { return std::u32string(strip_right(line)); };
  metric.count = [strip, count = std::move(metric.count)](
                     const std::u32string& hypothesis,
                     const std::vector<std::u32string>& references) {
    std::vector<std::u32string> stripped;
    for (const std::u32string& reference : references) stripped.push_back(strip(reference));
    return count(strip(hypothesis), stripped);
  };
  return metric;
}

class ChrfConfig final : public MetricConfig {
 public:
  explicit ChrfConfig(bool plus_plus) : is_plus_plus_(plus_plus) {}

  std::vector<MetricOption> options() override {
    std::vector<MetricOption> options = {
        lowercase_option(),
        {"--chrf-char-order", MetricOption::Whole{&options_.char_order, 1, kLongestNgram},
         "Characters of chrF's longest n-grams"},
        {"--chrf-word-order", MetricOption::Whole{&options_.word_order, 0, kLongestNgram},
         "Words of its longest n-grams of words; 2 makes it chrF++"},
        {"--chrf-beta", MetricOption::Whole{&options_.beta, 1, kLongestNgram},
         "How much more recall counts in chrF than precision"},
        {"--chrf-whitespace", &options_.whitespace, "chrF counts white space, too"},
        {"--chrf-eps-smoothing", &options_.eps_smoothing,
         "chrF averages the scores of all orders, as chrF++.py does"},
    };
    if (is_plus_plus_) options.erase(options.begin() + 2);
    return options;
  }
  void copy_options(const MetricConfig& other) override {
    if (const auto* chrf = dynamic_cast<const ChrfConfig*>(&other)) options_ = chrf->options_;
  }
  Metric metric(bool) const override { return of_stripped_lines(chrf_metric(chosen())); }
  std::vector<double> pairwise(const ScoreLines& texts) const override {
    return pairwise_chrf(texts, chosen());
  }

 private:
  ChrfOptions chosen() const {
    ChrfOptions options = options_;
    options.lowercase = lowercase;
    if (is_plus_plus_) options.word_order = 2;
    return options;
  }

  ChrfOptions options_;
  bool is_plus_plus_;
};

}  // namespace

Metric chrf_metric(const ChrfOptions& options) {
  KETTE_CHECK(options.char_order > 0, "chrF: expected a character order above 0, given ",
              options.char_order);
  KETTE_CHECK(options.word_order >= 0, "chrF: expected a word order of 0 or more, given ",
              options.word_order);
  KETTE_CHECK(options.beta > 0, "chrF: expected beta above 0, given ", options.beta);
  return {
      "chrF" + std::to_string(options.beta) +
          std::string(static_cast<std::size_t>(options.word_order), '+'),
      fields_of(options),
      [options](const std::u32string& hypothesis, const std::vector<std::u32string>& references) {
        return segment_counts(hypothesis, references, options);
      },
      [options](const ScoreCounts& sum) { return score_of(sum, options); }};
}

std::unique_ptr<MetricConfig> chrf_config() { return std::make_unique<ChrfConfig>(false); }
std::unique_ptr<MetricConfig> chrf_plus_plus_config() { return std::make_unique<ChrfConfig>(true); }

CorpusScore corpus_chrf(const ScoreLines& hypotheses, const std::vector<ScoreLines>& references,
                        const ChrfOptions& options, const BootstrapOptions& bootstrap) {
  return corpus_score(ScoreStatistics(chrf_metric(options), hypotheses, references), bootstrap);
}

CorpusScore sentence_chrf(std::string_view hypothesis, const ScoreLines& references,
                          const ChrfOptions& options) {
  std::vector<ScoreLines> one_line_each;
  for (const std::string_view reference : references) one_line_each.push_back({reference});
  return corpus_chrf({hypothesis}, one_line_each, options);
}

std::vector<double> pairwise_chrf(const ScoreLines& texts, const ChrfOptions& options) {
  WordNumbers numbers;
  std::vector<std::u32string> characters, words;
  for (const std::string_view text : texts) {
    Symbols symbols(decode_utf8(text), options, numbers);
    characters.push_back(std::move(symbols.characters));
    words.push_back(std::move(symbols.words));
  }
  const PairwiseNgrams of_characters(characters, options.char_order),
      of_words(words, options.word_order);
  std::vector<double> scores;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    for (std::size_t j = 0; j < texts.size(); ++j) {
      ScoreCounts row;
      append(of_characters.counts(i, j), row);
      append(of_words.counts(i, j), row);
      scores.push_back(score_of(row, options));
    }
  }
  return scores;
}

}  // namespace kette
