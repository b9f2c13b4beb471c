// A search among some tokens alone, those that a translation is likely to have, so that most of the
// vocabulary is never multiplied with. The softmax is over the list, as Marian and CTranslate2 have it:
// log-probabilities are those of a model whose vocabulary is the list. Each text has a list and a small
// projection of its own, whatever texts are searched for beside it.
#pragma once

#include <cstdint>
#include <vector>

#include "decode/ensemble.h"

namespace kette {

class Shortlist {
 public:
  /// tokens: rising, of the vocabulary. masks: of all tokens of the vocabulary (allowed_tokens()).
  Shortlist(const Ensemble& model, std::vector<std::int32_t> tokens,
            const std::vector<std::vector<bool>>& masks);

  /// To the tokens of the list, in their order.
  const PrepackedWeight& projection() const { return projection_; }
  /// Words of the masks, of the list alone.
  const Tensor& masks() const { return masks_; }
  /// Where a token stands in the list; an Error unless it is there.
  std::int32_t place_of(std::int32_t token) const;
  /// The tokens at these places; -1, no place, stays.
  void name(std::vector<std::int32_t>& places) const;

 private:
  std::vector<std::int32_t> tokens_;
  PrepackedWeight projection_;
  Tensor masks_;
};

}  // namespace kette
