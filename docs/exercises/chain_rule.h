// The walk back over a tape, as Tape::backward does it (autograd/tape.cpp), with numbers for tensors.
#pragma once

#include <cstddef>
#include <vector>

/// A number that was computed from earlier ones. Those that the function starts from have no inputs.
struct Node {
  std::vector<std::size_t>
      inputs;                  ///< places in the tape, all before this node; one may come twice
  std::vector<double> slopes;  ///< the derivative of this node by each input
};

/// The derivative of node `output` by every node of the tape.
inline std::vector<double> gradients(const std::vector<Node>& tape, std::size_t output) {
  std::vector<double> gradient(tape.size(), 0);
  gradient[output] = 1;
  // your turn
  return gradient;
}
