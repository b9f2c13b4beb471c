// TER, the translation edit rate (Snover et al. 2006), equal to sacreBLEU 2:
//   TER = 100 edits / words of the reference            lower is better, and there is no upper end
// where edits insert, delete or replace a word or move a run of them (data/metrics/edit_rate.h). Of several
// references the closest gives the edits, and the mean of all the words.
#pragma once

#include <string_view>

#include "data/metrics/score_format.h"

namespace kette {

struct TerOptions {
  bool normalized = false;      ///< set punctuation apart, as Tercom does
  bool no_punct = false;        ///< leave punctuation out
  bool asian_support = false;   ///< do either with Chinese and Japanese, too
  bool case_sensitive = false;  ///< else lower-cased text is compared
};

Metric ter_metric(const TerOptions& options = {});
std::unique_ptr<MetricConfig> ter_config();

/// Line i of the hypotheses against line i of each reference.
CorpusScore corpus_ter(const ScoreLines& hypotheses, const std::vector<ScoreLines>& references,
                       const TerOptions& options = {}, const BootstrapOptions& bootstrap = {});

}  // namespace kette
