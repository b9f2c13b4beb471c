// TER, the translation edit rate (Snover et al. 2006), equal to sacreBLEU 2:
//   TER = 100 edits / words of the reference            lower is better, without an upper limit
// where an edit inserts, deletes or replaces a word or moves a run of words
// (data/metrics/edit_rate.h). With several references: the edits to the closest one, and their mean
// number of words.
#pragma once

#include <string_view>

#include "data/metrics/score_format.h"

namespace kette {

struct TerOptions {
  bool normalized = false;      ///< split off punctuation, as Tercom does
  bool no_punct = false;        ///< remove punctuation
  bool asian_support = false;   ///< apply both to Chinese and Japanese, too
  bool case_sensitive = false;  ///< else compares lower-cased text
};

Metric ter_metric(const TerOptions& options = {});
std::unique_ptr<MetricConfig> ter_config();

/// Line i of the hypotheses against line i of each reference.
CorpusScore corpus_ter(const ScoreLines& hypotheses, const std::vector<ScoreLines>& references,
                       const TerOptions& options = {}, const BootstrapOptions& bootstrap = {});

}  // namespace kette
