// Direct logit attribution (Elhage et al. 2021): the exact contribution of each part of a model to a logit. The last
// state is the sum of the outputs of embedding, heads and feed-forward layers. A norm is not linear, but with the
// mean and deviation of this pass held fixed it is an affine map:
//   norm(z) = gain (z - mean(z)) / deviation + bias
// This holds for the norms between the blocks of a post-norm model and for the final norm of a pre-norm one. So the
// contribution of a part is its dot product with the token's row of the output matrix, taken back through the norms
// above the part. All contributions and the biases sum to the logit.
#pragma once

#include <span>

#include "inspect/activations.h"
#include "inspect/heads/attention_heads.h"

namespace kette {

class LogitAttribution {
 public:
  /// activations: of a pass over a batch, at all points that wants() names. The model must not be one made
  /// ready for decoding.
  LogitAttribution(const AutoregressiveModel& model, const Activations& activations,
                   std::span<const std::int32_t> tokens_read);
  static bool wants(const AutoregressiveModel& model, const std::string& point);

  /// "embedding", "position", "decoder 0 head 3", "cross 0 head 1", "feed-forward 0", ..., "biases".
  const std::vector<std::string>& parts() const { return names_; }
  /// The contribution of each part to the logit of `token` in row `row`.
  std::vector<double> operator()(std::int64_t row, std::int32_t token) const;

 private:
  using Values = std::vector<double>;
  /// A norm with the 1 / deviation of each row.
  struct FrozenNorm {
    Values gain, bias, inverse_deviation;
    bool centers;
  };
  /// A sub-layer's contribution to the residual stream: heads times the output map, or a feed-forward layer's output.
  struct SubLayer {
    std::int64_t heads = 0, head_width = 0;  ///< 0: a feed-forward layer
    Values rows;                             ///< [rows, width]: the heads, or the layer's output
    Values matrix, bias;                     ///< of the output map, if there are heads
    std::int64_t first_part;
    std::optional<FrozenNorm> norm_after;  ///< of post-norm models
  };
  void add_attention(const AttentionPart& part, const Activations& activations);
  FrozenNorm frozen(const Norm& norm, const Activations& activations) const;
  /// Takes a direction from after the norm to before it. Returns the contribution of the norm's bias to the
  /// logit.
  double back_through(const FrozenNorm& norm, std::int64_t row, Values& direction) const;
  double dot(const Values& rows, std::int64_t row, const Values& direction) const;

  std::int64_t width_;
  std::vector<std::string> names_;
  Values embeddings_, positions_;  // [rows, width]
  std::vector<SubLayer> sub_layers_;
  std::optional<FrozenNorm> final_norm_;
  Values output_bias_;
  Tensor output_;
};

}  // namespace kette
