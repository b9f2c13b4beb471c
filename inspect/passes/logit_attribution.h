// How much each part of a model adds to a logit, exactly (direct logit attribution, Elhage et al. 2021). The last
// state is a sum of what embedding, heads and feed-forward layers wrote into the residual stream. A layer
// norm is no sum, but with the mean and the deviation of this run it is a linear map,
//   norm(z) = gain (z - mean(z)) / deviation + bias
// and so is every norm on the way, between the blocks of a post-norm model as well as at the end of a
// pre-norm one. What a part adds is then its product with the token's row of the output matrix, taken
// back through the norms above it; all parts and the biases sum to the logit.
#pragma once

#include <span>

#include "inspect/activations.h"
#include "inspect/heads/attention_heads.h"

namespace kette {

class LogitAttribution {
 public:
  /// activations: of a pass over a batch, at all points that wants() names. The model that was recorded
  /// is one that trains, not one made ready for decoding.
  LogitAttribution(const AutoregressiveModel& model, const Activations& activations,
                   std::span<const std::int32_t> tokens_read);
  static bool wants(const AutoregressiveModel& model, const std::string& point);

  /// "embedding", "position", "decoder 0 head 3", "cross 0 head 1", "feed-forward 0", ..., "biases".
  const std::vector<std::string>& parts() const { return names_; }
  /// What each part adds to the logit of `token` in row `row`.
  std::vector<double> operator()(std::int64_t row, std::int32_t token) const;

 private:
  using Values = std::vector<double>;
  /// A norm, and one over the deviation of each row.
  struct FrozenNorm {
    Values gain, bias, inverse_deviation;
    bool centers;
  };
  /// What a sub-layer adds to the stream: heads times a matrix, or what a feed-forward layer gave.
  struct SubLayer {
    std::int64_t heads = 0, head_width = 0;  ///< 0: a feed-forward layer
    Values rows;                             ///< [rows, width]: the heads, or what the layer gave
    Values matrix, bias;                     ///< of the output map, if there are heads
    std::int64_t first_part;
    std::optional<FrozenNorm> norm_after;  ///< of post-norm models
  };
  void add_attention(const AttentionPart& part, const Activations& activations);
  FrozenNorm frozen(const Norm& norm, const Activations& activations) const;
  /// The bias' share of a logit that grows by `direction` after the norm; turns the direction into that
  /// before it.
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
