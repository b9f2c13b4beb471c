#include "data/metrics/bleu.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "data/files/json_text.h"
#include "data/files/unicode.h"
#include "data/metrics/ngrams.h"
#include "tensor/error.h"

namespace kette {
namespace {

// One row of counts: hyp_len, ref_len, then matched and all n-grams of each order.
constexpr std::size_t kHypLen = 0;
constexpr std::size_t kRefLen = 1;
constexpr std::size_t kMatched = 2;

std::size_t orders(const BleuOptions& options) {
  return static_cast<std::size_t>(options.max_ngram_order);
}

double smoothing_value(const BleuOptions& options) {
  const double standard = options.smoothing == BleuSmoothing::floor ? 0.1 : 1.0;
  return options.smoothing_value.value_or(standard);
}

std::u32string words_of(const std::u32string& line, const BleuOptions& options,
                        WordNumbers& numbers) {
  const std::u32string cased = options.lowercase ? lower(line) : line;
  const std::u32string_view stripped = strip_right(cased);
  const std::u32string apart =
      options.pieces ? options.pieces->set_apart(stripped) : set_apart(options.tokenizer, stripped);
  return numbers(split(apart));
}

/// The reference length closest to the hypothesis'; of two equally close, the shorter.
std::int64_t closest_length(std::int64_t length, const std::vector<std::u32string>& references) {
  auto closest = static_cast<std::int64_t>(references.front().size());
  for (const std::u32string& reference : references) {
    const auto candidate = static_cast<std::int64_t>(reference.size());
    const std::int64_t gap = std::abs(candidate - length) - std::abs(closest - length);
    if (gap < 0 || (gap == 0 && candidate < closest)) closest = candidate;
  }
  return closest;
}

ScoreCounts row_of(std::int64_t hyp_len, std::int64_t ref_len,
                   const std::vector<NgramCount>& ngrams) {
  ScoreCounts row(kMatched + 2 * ngrams.size());
  row[kHypLen] = hyp_len;
  row[kRefLen] = ref_len;
  for (std::size_t n = 0; n < ngrams.size(); ++n) {
    row[kMatched + n] = ngrams[n].matched;
    row[kMatched + ngrams.size() + n] = ngrams[n].hypothesis;
  }
  return row;
}

ScoreCounts segment_counts(const std::u32string& hypothesis,
                           const std::vector<std::u32string>& references,
                           const BleuOptions& options) {
  WordNumbers numbers;
  const std::u32string words = words_of(hypothesis, options, numbers);
  std::vector<std::u32string> reference_words;
  for (const std::u32string& reference : references) {
    reference_words.push_back(words_of(reference, options, numbers));
  }
  return row_of(std::ssize(words), closest_length(std::ssize(words), reference_words),
                count_ngrams(words, reference_words, options.max_ngram_order));
}

double brevity_penalty(std::int64_t hyp_len, std::int64_t ref_len) {
  if (hyp_len >= ref_len) return 1.0;
  if (hyp_len == 0) return 0.0;
  return std::exp(1.0 - static_cast<double>(ref_len) / static_cast<double>(hyp_len));
}

BleuOptions of_sentences(BleuOptions options) {
  options.effective_order = true;
  return options;
}

std::string fields_of(const BleuOptions& options) {
  std::string fields = options.lowercase ? "case:lc" : "case:mixed";
  fields += options.effective_order ? "|eff:yes" : "|eff:no";
  fields += "|tok:";
  fields += options.pieces ? options.pieces_name : std::string(enum_name(options.tokenizer));
  fields.append("|smooth:").append(enum_name(options.smoothing));
  if (options.smoothing == BleuSmoothing::floor || options.smoothing == BleuSmoothing::add_k) {
    fields += "[" + fixed_decimals(smoothing_value(options), 2) + "]";
  }
  return fields;
}

std::string details_of(const BleuScore& bleu) {
  std::string text;
  for (const double precision : bleu.precisions) {
    if (!text.empty()) text += '/';
    text += fixed_decimals(precision, 1);
  }
  const double ratio = bleu.ref_len == 0
                           ? 0.0
                           : static_cast<double>(bleu.hyp_len) / static_cast<double>(bleu.ref_len);
  return text + " (BP = " + fixed_decimals(bleu.brevity_penalty, 3) +
         " ratio = " + fixed_decimals(ratio, 3) + " hyp_len = " + std::to_string(bleu.hyp_len) +
         " ref_len = " + std::to_string(bleu.ref_len) + ")";
}

Json values_of(const BleuScore& bleu) {
  return {{"precisions", bleu.precisions},
          {"brevity_penalty", bleu.brevity_penalty},
          {"hyp_len", bleu.hyp_len},
          {"ref_len", bleu.ref_len}};
}

}  // namespace

BleuScore bleu_of(const ScoreCounts& sum, const BleuOptions& options) {
  BleuScore bleu;
  bleu.hyp_len = sum[kHypLen];
  bleu.ref_len = sum[kRefLen];
  bleu.brevity_penalty = brevity_penalty(bleu.hyp_len, bleu.ref_len);
  const std::size_t most = orders(options);
  bleu.precisions.resize(most);
  const auto counts = sum.begin() + kMatched, totals = counts + options.max_ngram_order;
  bleu.counts.assign(counts, totals);
  bleu.totals.assign(totals, sum.end());
  const auto matches = [](std::int64_t count) { return count > 0; };
  if (std::none_of(counts, totals, matches)) return bleu;

  const double value = smoothing_value(options);
  double halved = 1.0;
  std::size_t order = most;
  for (std::size_t n = 0; n < most; ++n) {
    auto matched = static_cast<double>(bleu.counts[n]);
    auto total = static_cast<double>(bleu.totals[n]);
    if (options.smoothing == BleuSmoothing::add_k && n > 0) {
      matched += value;
      total += value;
    }
    if (total == 0.0) break;
    if (options.effective_order) order = n + 1;
    if (matched > 0.0) {
      bleu.precisions[n] = 100.0 * matched / total;
    } else if (options.smoothing == BleuSmoothing::exp) {
      halved *= 2.0;
      bleu.precisions[n] = 100.0 / (halved * total);
    } else if (options.smoothing == BleuSmoothing::floor) {
      bleu.precisions[n] = 100.0 * value / total;
    }
  }
  double log_sum = 0.0;
  for (std::size_t n = 0; n < order; ++n) log_sum += std::log(bleu.precisions[n]);
  bleu.score = bleu.brevity_penalty * std::exp(log_sum / static_cast<double>(order));
  return bleu;
}

Metric bleu_metric(const BleuOptions& options) {
  KETTE_CHECK(options.max_ngram_order > 0, "BLEU: expected a largest n-gram order above 0, given ",
              options.max_ngram_order);
  KETTE_CHECK(std::isfinite(smoothing_value(options)) && smoothing_value(options) >= 0.0,
              "BLEU: expected a smoothing value of 0 or more, given ", smoothing_value(options));
  return {
      .name = "BLEU",
      .fields = fields_of(options),
      .count =
          [options](const std::u32string& hypothesis,
                    const std::vector<std::u32string>& references) {
            return segment_counts(hypothesis, references, options);
          },
      .score = [options](const ScoreCounts& sum) { return bleu_of(sum, options).score; },
      .details = [options](const ScoreCounts& sum) { return details_of(bleu_of(sum, options)); },
      .detail_values =
          [options](const ScoreCounts& sum) { return values_of(bleu_of(sum, options)); },
      .takes_raw_text = !options.pieces && takes_raw_text(options.tokenizer),
  };
}

BleuScore corpus_bleu(const ScoreLines& hypotheses, const std::vector<ScoreLines>& references,
                      const BleuOptions& options, const BootstrapOptions& bootstrap) {
  const ScoreStatistics statistics(bleu_metric(options), hypotheses, references);
  BleuScore bleu = bleu_of(statistics.sum(), options);
  static_cast<CorpusScore&>(bleu) = corpus_score(statistics, bootstrap);
  return bleu;
}

BleuScore sentence_bleu(std::string_view hypothesis, const ScoreLines& references,
                        const BleuOptions& options) {
  std::vector<ScoreLines> one_line_each;
  for (const std::string_view reference : references) one_line_each.push_back({reference});
  return corpus_bleu({hypothesis}, one_line_each, of_sentences(options));
}

std::vector<double> pairwise_bleu(const ScoreLines& texts, const BleuOptions& options) {
  WordNumbers numbers;
  std::vector<std::u32string> sequences;
  for (const std::string_view text : texts) {
    sequences.push_back(words_of(decode_utf8(text), options, numbers));
  }
  const PairwiseNgrams ngrams(sequences, options.max_ngram_order);
  std::vector<double> scores;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    for (std::size_t j = 0; j < texts.size(); ++j) {
      const ScoreCounts row =
          row_of(std::ssize(sequences[i]), std::ssize(sequences[j]), ngrams.counts(i, j));
      scores.push_back(bleu_of(row, of_sentences(options)).score);
    }
  }
  return scores;
}

}  // namespace kette
