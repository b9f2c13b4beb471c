// One table over all heads of a model: what they do, how much depends on them, and what becomes of the model
// without each of them, for `kette heads`.
#pragma once

#include <algorithm>

#include "data/corpora/token_stream.h"
#include "inspect/heads/head_ablation.h"
#include "inspect/heads/head_importance.h"
#include "inspect/heads/head_scores.h"

namespace kette {

struct Report;

struct HeadStudy {
  struct Row {
    Head head;
    HeadImportance importance;
    HeadScores scores;
    double copying;        ///< copying_scores(), NaN where it makes no sense
    MaskedResult without;  ///< the head masked
    MaskedResult alone;    ///< all others of its attention masked
  };
  std::vector<AttentionPart> attentions;
  std::vector<Row> rows;  ///< in the order of heads_of()
  std::string metric;     ///< of the masked results
  double whole = 0;       ///< with all heads
  bool higher_is_better = true;
  std::int64_t segments = 0;  ///< that p is of
  std::string segment_name;   ///< "sentences"

  /// How much worse a result is, 0 where it is none.
  double cost(const MaskedResult& result) const {
    return std::max(0.0, higher_is_better ? -result.change : result.change);
  }
};

/// Told how many of `total` results are there.
using StudyProgress = std::function<void(std::int64_t done, std::int64_t total)>;

/// batches: what importance and scores are read off. ablation: what is measured with heads masked.
HeadStudy study_heads(const AutoregressiveModel& model, const std::vector<Batch>& batches,
                      const HeadAblation& ablation, const StudyProgress& progress = {});

/// Sentence pairs in batches of about `tokens` tokens. language: whose tag leads each source; none if empty.
std::vector<Batch> sentence_batches(const Tokenizer& tokenizer,
                                    const std::vector<std::string>& sources,
                                    const std::vector<std::string>& targets, std::int64_t tokens,
                                    const std::string& language = "");
/// At most `count` windows of `context` tokens from the start of a text, each a batch.
std::vector<Batch> text_windows(const TokenStream& text, std::int64_t context, std::int64_t count);

/// What it found, with a map of each number.
Report to_report(const HeadStudy& study);

}  // namespace kette
