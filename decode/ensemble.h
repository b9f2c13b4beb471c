// Models that write one text together, token by token:
//   P(v | past) = softmax_v( 1/n sum_i z_i(v) ),   z_i: the logits of model i for this past
// which is the geometric mean of what they predict, made to add up to 1 again (Hinton, Vinyals and Dean 2015,
// "Distilling the Knowledge in a Neural Network", section 1). Marian adds up log-probabilities, which is the same
// without the last step; fairseq takes the arithmetic mean. This one is a linear map of the models' states side
// by side, as each z_i is one of its own,
//   1/n sum_i (W_i s_i + b_i) = [W_1 .. W_n] [s_1 .. s_n] / n + 1/n sum_i b_i
// so all that comes after the states is the same for one model and for several.
#pragma once

#include <memory>
#include <vector>

#include "decode/decoder_state.h"

namespace kette {

class Ensemble {
 public:
  /// Of one: the model itself, which outlives this.
  Ensemble(const AutoregressiveModel& model);  // NOLINT(google-explicit-constructor)
  /// The models outlive this. They are not made ready for decoding, share a vocabulary, and all have an encoder or
  /// none has.
  explicit Ensemble(const std::vector<const AutoregressiveModel*>& models);

  /// Of snapshots made ready for decoding, which it owns (AutoregressiveModel::for_decoding()).
  Ensemble for_decoding(const DecodingTypes& types = {}) const;

  const std::vector<std::shared_ptr<const AutoregressiveModel>>& models() const { return models_; }
  /// Of the model that has the fewest.
  std::int64_t positions() const;
  std::int64_t vocabulary() const { return models_.front()->vocabulary(); }
  SpecialTokens special() const { return models_.front()->special(); }
  Device device() const { return models_.front()->device(); }
  /// The projection of what together() gives.
  const Linear& output() const { return *output_; }
  /// The part of it that gives some tokens alone, in their order, the same bits of each. Made ready for decoding, and
  /// tokens within the vocabulary.
  PrepackedWeight output_of(const std::vector<std::int32_t>& tokens) const;
  /// states: [rows, width] of each model -> [s_1 .. s_n] / n; of one model its own.
  Variable together(const std::vector<Variable>& states) const;

 private:
  std::vector<std::shared_ptr<const AutoregressiveModel>> models_;
  std::shared_ptr<const Linear> output_;
};

/// The decoders of an ensemble at work: what DecoderState is for one model, with the states together().
class EnsembleState {
 public:
  /// ensemble: made ready for decoding. tap: looks into every pass of every model.
  explicit EnsembleState(const Ensemble& ensemble, Tap* tap = nullptr);

  std::int64_t rows() const { return states_.front().rows(); }
  std::int64_t length(std::int64_t row) const { return states_.front().length(row); }
  void add(const std::vector<RowStart>& starts);
  void read(const std::vector<std::int64_t>& rows,
            const std::vector<std::span<const std::int32_t>>& pasts);
  bool reads_in_parts() const;
  bool can_shorten() const;
  void shorten(std::int64_t row, std::int64_t length);
  Tensor step(const std::vector<std::int32_t>& tokens, const std::vector<std::int64_t>& rows);
  void select(const std::vector<std::int64_t>& parents);
  /// DecoderState::begin_static_batch(): rows that stay together from now on, for step_static_batch().
  void begin_static_batch(const std::vector<std::int64_t>& lengths, const Tensor& positions);
  void end_static_batch(const std::vector<std::int64_t>& lengths);
  /// tokens: i32 [rows] on the device -> states. It may be recorded.
  Variable step_static_batch(const Tensor& tokens, Run& run) const;

 private:
  Ensemble ensemble_;
  std::vector<DecoderState> states_;
  std::vector<CachedSequences> static_batch_;
};

}  // namespace kette
