// A table of all heads of a model: scores, importance, and the results without each head; for `kette heads`.
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
    double copying;        ///< copying_scores(); NaN if it does not apply
    MaskedResult without;  ///< with the head masked
    MaskedResult alone;    ///< with all other heads of its attention masked
  };
  std::vector<AttentionPart> attentions;
  std::vector<Row> rows;  ///< in the order of heads_of()
  std::string metric;     ///< of the masked results
  std::string signature;  ///< of it; may be empty
  double whole = 0;       ///< the result with all heads
  bool higher_is_better = true;
  std::int64_t segments = 0;  ///< the number of units that the bootstrap draws
  std::string segment_name;   ///< "sentences"

  /// How much worse a result is; 0 if it is not worse.
  double cost(const MaskedResult& result) const {
    return std::max(0.0, higher_is_better ? -result.change : result.change);
  }
};

using StudyProgress = std::function<void(std::int64_t done, std::int64_t total)>;

/// batches: for importance and scores. ablation: for the results with masked heads.
HeadStudy study_heads(const AutoregressiveModel& model, const std::vector<Batch>& batches,
                      const HeadAblation& ablation, const StudyProgress& progress = {});

/// Sentence pairs in batches of about `tokens` tokens. language: its tag begins each source; "": no tag.
std::vector<Batch> sentence_batches(const Tokenizer& tokenizer,
                                    const std::vector<std::string>& sources,
                                    const std::vector<std::string>& targets, std::int64_t tokens,
                                    const std::string& language = "");
/// At most `count` batches of one window of `context` tokens each, from the start of a text.
std::vector<Batch> text_windows(const TokenStream& text, std::int64_t context, std::int64_t count);

Report to_report(const HeadStudy& study);

}  // namespace kette
