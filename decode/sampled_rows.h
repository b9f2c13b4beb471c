// A batch of sampled rows that stays fixed for some steps. All inputs of a step are on the device.
// On a GPU a step is recorded once. Later steps are queued as a whole, before the tokens of the
// previous step are known.
#pragma once

#include <memory>
#include <vector>

#include "decode/ensemble.h"
#include "decode/sampling.h"
#include "tensor/backend.h"

namespace kette {

class SampledRows {
 public:
  struct Row {
    std::int32_t token = 0;  ///< the last token, which the model has not read yet
    Draw draw;
    std::int64_t drawn = 0;  ///< number of sampled tokens
    std::int64_t left = 0;   ///< most tokens that it may still get
    std::int32_t mask = 0;
  };

  /// rows: all rows of the state. The state must outlive this. masks: words (TokenMasks), or
  /// undefined. steps_left() may be smaller than the rows' `left`, as it is limited by the model's
  /// positions.
  SampledRows(const Ensemble& model, EnsembleState& state, const std::vector<Row>& rows,
              const Tensor& masks, Tap* tap);

  std::int64_t steps_left() const { return steps_left_; }
  /// Queues a step. The copy is i32 [2, rows], for checked_draw().
  std::unique_ptr<HostCopy> step();
  /// Ends the static batch, so that the state can be used otherwise. Rows have the length of their
  /// steps.
  void end();

 private:
  void draw();

  const Ensemble& model_;
  EnsembleState& state_;
  Tap* tap_;
  std::vector<std::int64_t> lengths_;
  std::int64_t steps_left_ = 0;
  bool has_begun_ = false;
  DrawSettings settings_;
  TokenMasks masks_;
  Tensor counters_;  // i32 [2, rows]: positions of the next tokens, and numbers of sampled tokens
  Tensor drawn_;     // i32 [2, rows]: inputs of the next step, and whether their logits were finite
  std::unique_ptr<Recording> recorded_;
};

}  // namespace kette
