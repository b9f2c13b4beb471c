// chrF (Popović 2015) and chrF++ (Popović 2017), equal to sacreBLEU 2:
//   chrF_beta = 100 (1 + beta^2) P R / (beta^2 P + R)
// where P and R are n-gram precision and recall, averaged over the orders that both sides reach:
// characters up to order 6 and, in chrF++, words up to order 2. White space does not count.
#pragma once

#include <string_view>
#include <vector>

#include "data/metrics/score_format.h"

namespace kette {

struct ChrfOptions {
  std::int64_t char_order = 6;
  std::int64_t word_order = 0;  ///< 2 makes it chrF++
  std::int64_t beta = 2;        ///< weight of recall over precision
  bool lowercase = false;
  bool whitespace = false;     ///< count white space as characters
  bool eps_smoothing = false;  ///< average the F scores of all orders, as chrF++.py does
};

Metric chrf_metric(const ChrfOptions& options = {});
std::unique_ptr<MetricConfig> chrf_config();
/// chrF++: without an option for the order of words.
std::unique_ptr<MetricConfig> chrf_plus_plus_config();

/// Line i of the hypotheses against line i of each reference; with several references, the one with
/// the best score.
CorpusScore corpus_chrf(const ScoreLines& hypotheses, const std::vector<ScoreLines>& references,
                        const ChrfOptions& options = {}, const BootstrapOptions& bootstrap = {});

CorpusScore sentence_chrf(std::string_view hypothesis, const ScoreLines& references,
                          const ChrfOptions& options = {});

/// sentence_chrf() of every text with every text as its only reference: [texts, texts], a
/// hypothesis per row.
std::vector<double> pairwise_chrf(const ScoreLines& texts, const ChrfOptions& options = {});

}  // namespace kette
