// Gradients for passes that only measure, such as a gradient check: what has arrived in the
// parameters so far stays as it is.
#pragma once

#include <unordered_map>
#include <vector>

#include "autograd/variable.h"

namespace kette {

/// While this lives, these leaves, and any that a tape of this thread meets, have other gradients,
/// zeros at first. Afterwards, and after an exception, they have their own again.
class ScratchGradients {
 public:
  explicit ScratchGradients(const std::vector<std::shared_ptr<Leaf>>& leaves);
  ~ScratchGradients();
  ScratchGradients(const ScratchGradients&) = delete;
  ScratchGradients& operator=(const ScratchGradients&) = delete;

  /// A tape calls it before it takes the gradient of a leaf.
  static void meet(const std::shared_ptr<Leaf>& leaf);

 private:
  struct Kept {
    Tensor gradient;
    bool cleared;
  };
  void replace(const std::shared_ptr<Leaf>& leaf);

  ScratchGradients* outer_;
  std::unordered_map<std::shared_ptr<Leaf>, Kept> kept_;
};

}  // namespace kette
