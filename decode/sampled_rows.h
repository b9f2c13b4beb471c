// Batches of sampled rows that stay fixed for some steps. All inputs of a step are on the device. On a
// GPU a step is recorded once for 1, 2, 4, 8, ... rows, and replayed for every batch of as many rows or
// fewer: the inputs keep their places, and what is missing is padding. Steps are queued as a whole,
// before the tokens of the previous step are known.
#pragma once

#include <map>
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

  /// Both must outlive this.
  SampledRows(const Ensemble& model, EnsembleState& state, Tap* tap)
      : model_(model), state_(state), tap_(tap) {}

  /// Begins a batch. rows: all rows of the state. masks: words (TokenMasks), or undefined.
  /// steps_left() may be smaller than the rows' `left`, as it is limited by the model's positions.
  void begin(const std::vector<Row>& rows, const Tensor& masks);
  bool has_begun() const { return step_ != nullptr; }
  std::int64_t steps_left() const { return steps_left_; }
  /// The number of rows with padding.
  std::int64_t padded_rows() const { return step_->drawn.width(); }
  /// Queues a step. The copy is i32 [2, padded_rows()], for checked_draw().
  std::unique_ptr<HostCopy> step();
  /// Ends the batch, so that the state can be used otherwise. Row r becomes row parents[r], with the
  /// length of its steps.
  void end(const std::vector<std::int64_t>& parents);

 private:
  /// The step of a number of rows: its inputs on the device, and its recording.
  struct Step {
    Tensor counters;  // i32 [2, rows]: positions of the next tokens, and numbers of sampled tokens
    Tensor drawn;  // i32 [2, rows]: inputs of the next step, and whether their logits were finite
    DrawSettings settings;
    TokenMasks masks;
    std::vector<StaticPlaces> places;  // of each model
    std::unique_ptr<Recording> recording;
    bool has_run = false;
  };

  bool fill(Step& step, std::int64_t padded, const std::vector<Row>& rows, const Tensor& masks);
  void draw();
  bool is_observed() const;

  const Ensemble& model_;
  EnsembleState& state_;
  Tap* tap_;
  std::map<std::int64_t, Step> steps_;  // by the number of rows, with padding
  Step* step_ = nullptr;                // of this batch
  std::vector<std::int64_t> lengths_;
  std::int64_t steps_left_ = 0;
};

}  // namespace kette
