// Restricts a search to a shortlist of likely tokens, so that most of the vocabulary is never
// multiplied. The softmax is over the list, as in Marian and CTranslate2: log-probabilities are
// those of a model with this vocabulary. Each text has its own list and a small projection,
// whatever other texts are searched for.
#pragma once

#include <cstdint>
#include <vector>

#include "decode/ensemble.h"

namespace kette {

class Shortlist {
 public:
  /// tokens: ascending, of the vocabulary. masks: [masks][vocabulary] (allowed_tokens()).
  Shortlist(const Ensemble& model, std::vector<std::int32_t> tokens,
            const std::vector<std::vector<bool>>& masks);

  /// The projection to the tokens of the list, in their order.
  const PrepackedWeight& projection() const { return projection_; }
  /// The words of the masks, restricted to the list (TokenMasks).
  const Tensor& masks() const { return masks_; }
  /// The index of a token in the list. An Error if it is not there.
  std::int32_t place_of(std::int32_t token) const;
  /// Replaces indices in the list by tokens; -1 stays.
  void name(std::vector<std::int32_t>& places) const;

 private:
  std::vector<std::int32_t> tokens_;
  PrepackedWeight projection_;
  Tensor masks_;
};

}  // namespace kette
