// Which source token each target token comes from, read off attention to the encoder's output. Kobayashi et al.
// 2020, section 5: best where the step is the one that *reads* the target token, one after the step that
// writes it, and by norms rather than by probabilities.
#pragma once

#include "inspect/heads/attention_maps.h"

namespace kette {

struct AlignmentOptions {
  bool shifted = true;  ///< by the step that reads the target token
  bool by_norms = true;
};

/// maps: of a cross-attention over source </s> and <s> target. The source token of each target token; </s>
/// of the source is none, -1 where nothing else is looked at.
std::vector<std::int64_t> alignment(const AttentionMaps& maps,
                                    const AlignmentOptions& options = {});
/// One cross-attention's, read in one of the two ways.
struct LayerAlignment {
  std::int64_t layer;
  bool shifted;
  std::vector<std::int64_t> source;  ///< of each target token
};
/// Of all cross-attentions, by norms, in both ways. Which step a layer looks for differs between models; the one comes
/// first that agrees most, word by word, with what the other layers look at when they write. (All of them a step late
/// agree with each other as well.)
std::vector<LayerAlignment> alignments(const std::vector<AttentionPart>& attentions,
                                       const std::vector<AttentionMaps>& maps);

}  // namespace kette
