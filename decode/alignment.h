// Aligns each target token with a source token, by the attention to the encoder's output. Kobayashi
// et al. 2020, section 5: best from the decoder step that *reads* the target token, which is one
// after the step that writes it, and by norms instead of probabilities.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "nn/layers.h"

namespace kette {

/// The weights of all heads of one attention over one text, row-major [heads, queries, keys].
struct AttentionMaps {
  std::int64_t heads = 0, queries = 0, keys = 0;
  std::vector<float> probabilities;
  /// The norm of what each key adds to the output, |p_ij v_j W_O| with v_j and W_O of the head:
  /// Kobayashi et al. 2020, "Attention is Not Only a Weight", equation 5.
  std::vector<float> norms;

  std::span<const float> of(const std::vector<float>& values, std::int64_t head) const {
    const auto size = static_cast<std::size_t>(queries * keys);
    return std::span(values).subspan(static_cast<std::size_t>(head) * size, size);
  }
};

/// The norms of the values of each head after the output map. With G = W_O W_O^T of a head, |v
/// W_O|^2 = v G v^T.
class HeadOutputs {
 public:
  /// output: prepacked or not.
  HeadOutputs(const Linear& output, std::int64_t heads, std::int64_t head_width);
  /// |v_j W_O|, [heads, keys]. projected: [keys, columns]; the last columns are the values. group:
  /// the number of consecutive heads that share values.
  std::vector<float> lengths(const Tensor& projected, std::int64_t group = 1) const;

 private:
  std::int64_t heads_, head_width_;
  std::vector<double> products_;  // G, [heads, head width, head width]
};

/// How much each decoder step attends to each source token, summed over heads: [queries, keys],
/// row-major.
struct SoftAlignment {
  std::int64_t queries = 0, keys = 0;
  std::vector<double> values;
};
SoftAlignment soft_alignment(const AttentionMaps& maps, bool by_norms = true);

struct AlignmentOptions {
  bool shifted = true;  ///< by the step that reads the target token
  bool by_norms = true;
};

/// The source token of each target token; -1 if the step attends only to </s>, which is never
/// aligned. soft: of a cross-attention from <s> target to source </s>.
std::vector<std::int64_t> alignment(const SoftAlignment& soft, bool shifted);
std::vector<std::int64_t> alignment(const AttentionMaps& maps,
                                    const AlignmentOptions& options = {});
/// The alignment by one cross-attention, shifted or not.
struct LayerAlignment {
  std::int64_t layer;
  bool shifted;
  std::vector<std::int64_t> source;  ///< of each target token
};
/// The alignments by the cross-attentions of all layers, by norms, shifted and not. Models differ
/// in the layers that align, and at which step. So they are sorted: first comes the one that agrees
/// in most tokens with the unshifted alignments of other layers. (Shifted ones agree with each
/// other, too, one step late.)
std::vector<LayerAlignment> alignments(const std::vector<SoftAlignment>& layers);

}  // namespace kette
