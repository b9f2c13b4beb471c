// Which words of a translation come from which words of its source, read off attention to the encoder's output
// (decode/alignment.h) in one pass over both texts, many pairs at once. Costs about what it costs to score them.
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
  std::int64_t batch_tokens = 4096;  ///< source and target tokens that each worker has at once
  std::int64_t threads = 0;          ///< 0: all
  /// Of a model that was trained on several: what the translations are in (Tokenizer::tag_of()).
  std::string language{};
};

class WordAligner {
 public:
  /// model: made ready for decoding, with an encoder; outlives this. Of several the first one is asked.
  WordAligner(const Ensemble& model, SharedTokenizer tokenizer);

  /// Of each pair of texts the words (text_units()) that translate each other. A pair with a text longer than the model's
  /// positions has none. The links of a pair do not depend on the others, nor on batches and threads.
  std::vector<UnitLinks> align(const std::vector<std::string>& sources,
                               const std::vector<std::string>& targets,
                               const AlignOptions& options = {}) const;

  /// What the steps of each layer take, of each pair of ids without begin and end marks: over source </s> and <s> target.
  std::vector<std::vector<SourceShares>> shares(
      const std::vector<std::vector<std::int32_t>>& sources,
      const std::vector<std::vector<std::int32_t>>& targets,
      const AlignOptions& options = {}) const;

 private:
  using Ids = std::vector<std::int32_t>;
  using TakeShares = std::function<void(std::size_t pair, std::vector<SourceShares> layers)>;
  void for_pairs(const std::vector<Ids>& sources, const std::vector<Ids>& targets,
                 const AlignOptions& options, const TakeShares& take) const;

  Ensemble model_;
  SharedTokenizer tokenizer_;
  std::vector<HeadOutputs> outputs_;  // of each layer
};

/// Units [first, last] of a text that a token spells a part of; first > last: of none.
struct TokenUnits {
  std::size_t first = 1, last = 0;
};
/// Of each token of a text. ids: what encode() gives, or another way to spell about the same.
std::vector<TokenUnits> units_of_tokens(const Tokenizer& tokenizer, Side side,
                                        const std::string& text, const std::vector<TextUnit>& units,
                                        std::span<const std::int32_t> ids);

}  // namespace kette
