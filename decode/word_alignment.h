// Aligns the words of translations with those of their sources, by the attention to the encoder's
// output (decode/alignment.h). One pass reads both texts, with many pairs in a batch. It costs
// about as much as scoring.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "data/sentences/text_units.h"
#include "data/tokenizers/tokenizer.h"
#include "decode/alignment.h"
#include "decode/ensemble.h"

namespace kette {

struct AlignOptions {
  std::int64_t batch_tokens = 4096;  ///< source and target tokens of a worker's batch
  std::int64_t threads = 0;          ///< 0: all
  /// The language of the translations, for models of several (Tokenizer::tag_of()).
  std::string language{};
};

class WordAligner {
 public:
  /// model: from for_decoding(), with an encoder; must outlive this. Of an ensemble only the first
  /// model is used.
  WordAligner(const Ensemble& model, SharedTokenizer tokenizer);

  /// The links of words (text_units()) of each pair of texts. Empty if a text exceeds the model's
  /// positions. Links do not depend on other pairs, batches or threads.
  std::vector<UnitLinks> align(const std::vector<std::string>& sources,
                               const std::vector<std::string>& targets,
                               const AlignOptions& options = {}) const;

  /// The attention of each layer for each pair, from <s> target to source </s>. sources, targets:
  /// ids without begin and end marks.
  std::vector<std::vector<SoftAlignment>> soft_alignments(
      const std::vector<std::vector<std::int32_t>>& sources,
      const std::vector<std::vector<std::int32_t>>& targets,
      const AlignOptions& options = {}) const;

 private:
  using Ids = std::vector<std::int32_t>;
  using TakeAlignments = std::function<void(std::size_t pair, std::vector<SoftAlignment> layers)>;
  void for_pairs(const std::vector<Ids>& sources, const std::vector<Ids>& targets,
                 const AlignOptions& options, const TakeAlignments& take) const;

  Ensemble model_;
  SharedTokenizer tokenizer_;
  std::vector<HeadOutputs> outputs_;  // one for each layer
};

/// Units [first, last] of a text that a token covers, at least partly; first > last: none.
struct TokenUnits {
  std::size_t first = 1, last = 0;
};
/// One for each token of a text. ids: those of encode(), or of another segmentation.
std::vector<TokenUnits> units_of_tokens(const Tokenizer& tokenizer, Side side,
                                        const std::string& text, const std::vector<TextUnit>& units,
                                        std::span<const std::int32_t> ids);

}  // namespace kette
