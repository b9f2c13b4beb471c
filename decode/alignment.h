// Which source token each target token comes from, read off attention to the encoder's output. Kobayashi et al.
// 2020, section 5: best where the step is the one that *reads* the target token, one after the step that
// writes it, and by norms rather than by probabilities.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "nn/layers.h"

namespace kette {

/// What every head of one attention looked at in one text: row-major [heads, queries, keys].
struct AttentionMaps {
  std::int64_t heads = 0, queries = 0, keys = 0;
  std::vector<float> probabilities;
  /// The length of what the output gets from each key, |p_ij v_j W_O| with v_j and W_O of the head:
  /// Kobayashi et al. 2020, "Attention is Not Only a Weight", equation 5.
  std::vector<float> norms;

  std::span<const float> of(const std::vector<float>& values, std::int64_t head) const {
    const auto size = static_cast<std::size_t>(queries * keys);
    return std::span(values).subspan(static_cast<std::size_t>(head) * size, size);
  }
};

/// What an attention's output map makes of the values of each head. With G = W_O W_O^T of a head, |v W_O|^2 = v G v^T.
class HeadOutputs {
 public:
  /// output: made ready for decoding or not.
  HeadOutputs(const Linear& output, std::int64_t heads, std::int64_t head_width);
  /// |v_j W_O|, [heads, keys]. projected: [keys, columns], of which the last are the values. group: so many heads, one
  /// after the other, share them.
  std::vector<float> lengths(const Tensor& projected, std::int64_t group = 1) const;

 private:
  std::int64_t heads_, head_width_;
  std::vector<double> products_;  // G, [heads, head width, head width]
};

/// What each step of a decoder takes from each token of the source, all heads together: [queries, keys].
struct SourceShares {
  std::int64_t queries = 0, keys = 0;
  std::vector<double> values;
};
SourceShares source_shares(const AttentionMaps& maps, bool by_norms = true);

struct AlignmentOptions {
  bool shifted = true;  ///< by the step that reads the target token
  bool by_norms = true;
};

/// shares: of a cross-attention over source </s> and <s> target. The source token of each target token; </s>
/// of the source is none, -1 where nothing else is looked at.
std::vector<std::int64_t> alignment(const SourceShares& shares, bool shifted);
std::vector<std::int64_t> alignment(const AttentionMaps& maps,
                                    const AlignmentOptions& options = {});
/// One cross-attention's, read in one of the two ways.
struct LayerAlignment {
  std::int64_t layer;
  bool shifted;
  std::vector<std::int64_t> source;  ///< of each target token
};
/// Of the cross-attentions of all layers, by norms, in both ways. Which step a layer looks for differs between models;
/// the one comes first that agrees most, word by word, with what the other layers look at when they write. (All of them a
/// step late agree with each other as well.)
std::vector<LayerAlignment> alignments(const std::vector<SourceShares>& layers);

}  // namespace kette
