// Rows that are all drawn, and stay together for some steps. All that a step needs stays on the device: on a GPU the step
// is recorded once and then queued as a whole, before the tokens of the one before are known.
#pragma once

#include <memory>
#include <vector>

#include "decode/ensemble.h"
#include "decode/sampling.h"
#include "tensor/backend.h"

namespace kette {

class DrawnRows {
 public:
  struct Row {
    std::int32_t token = 0;  ///< the last, which the model has not been given
    Draw draw;
    std::int64_t drawn = 0;  ///< tokens so far
    std::int64_t left = 0;   ///< tokens that it may still get
    std::int32_t mask = 0;
  };

  /// Of each row of the state, which outlives this. masks: words, or undefined. Rows may get fewer steps than they
  /// have left, as many as all have positions for.
  DrawnRows(const Ensemble& model, EnsembleState& state, const std::vector<Row>& rows,
            const Tensor& masks, Tap* tap);

  std::int64_t steps_left() const { return steps_left_; }
  /// Queues a step: i32 [2, rows] of it, for checked_draw().
  std::unique_ptr<HostCopy> step();
  /// The rows of the state are as long as their steps have made them; others may take over.
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
  Tensor counters_;  // i32 [2, rows]: positions of the next tokens, and how many were drawn
  Tensor drawn_;  // i32 [2, rows]: what the next step is given, and whether its logits were finite
  std::unique_ptr<Recording> recorded_;
};

}  // namespace kette
