// Texts side by side that grow by a token drawn from what the model predicts, one at a time. All that
// a step needs stays on the device: on a GPU the step is recorded once and then queued as a whole,
// without waiting for the token before.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "decode/decoder_state.h"
#include "decode/sampling.h"
#include "tensor/backend.h"

namespace kette {

/// What texts are to begin with, and how long they are to get at most, in tokens of the decoder. Those
/// that end earlier than others go on beside them.
struct TextStart {
  std::span<const std::int32_t> source;  ///< see RowStart
  std::vector<std::int32_t> tokens;      ///< at least one
  std::int64_t most = 0;
  std::int64_t number = 0;  ///< of the first of these texts, for sample()
  std::int64_t drawn = 0;   ///< how many of the tokens were, likewise
};

class DrawnTexts {
 public:
  /// model: made ready for decoding. masks: [1, words] as in TokenMasks, or undefined.
  DrawnTexts(const AutoregressiveModel& model, const SamplingOptions& sampling, Tensor masks = {});
  DrawnTexts(const DrawnTexts&) = delete;
  DrawnTexts& operator=(const DrawnTexts&) = delete;

  /// Texts begin anew, `copies` of each start, which are numbered on from it. Draws the next token of
  /// each.
  void begin(const std::vector<TextStart>& starts, std::int64_t copies);
  /// Whether there is no room for more.
  bool is_full() const { return steps_left_ == 0; }
  /// Appends the tokens drawn last, and draws the next.
  void grow();
  /// What was drawn last, see sample(), once it is there.
  std::unique_ptr<HostCopy> drawn() const;

 private:
  Tensor tokens() const { return drawn_.slice(0, 1).reshaped({drawn_.width()}); }
  void step();

  const AutoregressiveModel* model_;
  SamplingOptions sampling_;
  Tensor masks_;
  std::int64_t steps_left_ = 0;
  std::optional<DecoderState> state_;
  std::optional<CachedSequences> sequences_;  // of the next tokens
  Tensor counters_;  // i32 [2, texts]: positions of the next tokens, and how many were drawn
  Tensor numbers_;   // i32 [texts]
  Tensor drawn_;     // i32 [2, texts], see sample()
  std::unique_ptr<Recording> recorded_step_;
};

}  // namespace kette
