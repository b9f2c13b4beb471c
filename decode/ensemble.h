// Ensembles: several models generate one text together, token by token:
//   P(v | past) = softmax_v( 1/n sum_i z_i(v) ),   z_i: the logits of model i for this past
// This is the normalised geometric mean of their predictions (Hinton, Vinyals and Dean 2015,
// "Distilling the Knowledge in a Neural Network", section 1). Marian sums log-probabilities: the
// same without normalising. fairseq takes the arithmetic mean. Each z_i is a linear map of the
// states of model i, so the mean is a linear map of the concatenated states,
//   1/n sum_i (W_i s_i + b_i) = [W_1 .. W_n] [s_1 .. s_n] / n + 1/n sum_i b_i
// and the code after the states is the same for one model and for several.
#pragma once

#include <memory>
#include <vector>

#include "decode/decoder_state.h"

namespace kette {

class Ensemble {
 public:
  /// A single model, which must outlive this.
  Ensemble(const AutoregressiveModel& model);  // NOLINT(google-explicit-constructor)
  /// The models must outlive this, share a vocabulary, and all or none have an encoder. They must
  /// not be from for_decoding().
  explicit Ensemble(const std::vector<const AutoregressiveModel*>& models);

  /// An ensemble of snapshots, which it owns (AutoregressiveModel::for_decoding()).
  Ensemble for_decoding(const DecodingTypes& types = {}) const;

  const std::vector<std::shared_ptr<const AutoregressiveModel>>& models() const { return models_; }
  /// The smallest number of positions of the models.
  std::int64_t positions() const;
  std::int64_t vocabulary() const { return models_.front()->vocabulary(); }
  SpecialTokens special() const { return models_.front()->special(); }
  Device device() const { return models_.front()->device(); }
  /// The projection of the result of combine() to logits.
  const Linear& output() const { return *output_; }
  /// The rows of the projection for some tokens, in their order, with the same bits. Only for
  /// for_decoding(); tokens must be in the vocabulary.
  PrepackedWeight output_of(const std::vector<std::int32_t>& tokens) const;
  /// states: [rows, width] of each model -> [s_1 .. s_n] / n. For one model its own states.
  Variable combine(const std::vector<Variable>& states) const;

 private:
  std::vector<std::shared_ptr<const AutoregressiveModel>> models_;
  std::shared_ptr<const Linear> output_;
};

/// The decoder states of an ensemble: DecoderState for several models, with states joined by
/// combine().
class EnsembleState {
 public:
  /// ensemble: from for_decoding(). tap: observes every pass of every model.
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
  /// As DecoderState::begin_static_batch(), for step_static_batch(). places: of each model.
  bool begin_static_batch(const std::vector<std::int64_t>& lengths, const Tensor& positions,
                          std::vector<StaticPlaces>& places);
  void end_static_batch(const std::vector<std::int64_t>& parents,
                        const std::vector<std::int64_t>& lengths);
  /// tokens: i32 [rows and padding] on the device -> states. Can be recorded.
  Variable step_static_batch(const Tensor& tokens, Run& run) const;

 private:
  Ensemble ensemble_;
  std::vector<DecoderState> states_;
  std::vector<CachedSequences> static_batch_;
};

}  // namespace kette
