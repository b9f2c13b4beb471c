#pragma once

#include <cstddef>
#include <vector>

struct Node {
  std::vector<std::size_t> inputs;
  std::vector<double> slopes;
};

/// From the end to the front: all that a node gives its gradient lies behind it, so it is complete when the walk comes
/// to it. Each node is passed once, however many ways lead from the output to it.
inline std::vector<double> gradients(const std::vector<Node>& tape, std::size_t output) {
  std::vector<double> gradient(tape.size(), 0);
  gradient[output] = 1;
  for (std::size_t at = output + 1; at-- > 0;) {
    for (std::size_t i = 0; i < tape[at].inputs.size(); ++i) {
      gradient[tape[at].inputs[i]] += tape[at].slopes[i] * gradient[at];
    }
  }
  return gradient;
}
