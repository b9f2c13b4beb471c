// A number of each head as maps, layer by head: one of each kind of attention.
#pragma once

#include <string>
#include <vector>

#include "inspect/heads/attention_heads.h"

namespace kette {

struct HeadNumbers {
  std::string title;
  std::vector<double> values;  ///< in the order of heads_of(); NaN: a dash
  std::string unit{};
  int decimals = 2;
  double most = 0;  ///< the number of the strongest colour; 0: the largest
  std::vector<AttentionKind> kinds = {AttentionKind::encoder, AttentionKind::decoder,
                                      AttentionKind::cross};
};

/// HTML. Rows are layers, columns heads; a layer of which heads were pruned ends sooner.
std::string head_maps(const std::vector<AttentionPart>& attentions, const HeadNumbers& numbers);

}  // namespace kette
