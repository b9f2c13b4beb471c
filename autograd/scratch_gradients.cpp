#include "autograd/scratch_gradients.h"

#include <utility>

namespace kette {
namespace {

thread_local ScratchGradients* innermost = nullptr;

}  // namespace

ScratchGradients::ScratchGradients(const std::vector<std::shared_ptr<Leaf>>& leaves)
    : outer_(innermost) {
  for (const auto& leaf : leaves) replace(leaf);
  innermost = this;
}

ScratchGradients::~ScratchGradients() {
  innermost = outer_;
  for (auto& [leaf, kept] : kept_) {
    leaf->gradient = std::move(kept.gradient);
    leaf->cleared = kept.cleared;
  }
}

void ScratchGradients::meet(const std::shared_ptr<Leaf>& leaf) {
  if (innermost) innermost->replace(leaf);
}

void ScratchGradients::replace(const std::shared_ptr<Leaf>& leaf) {
  if (kept_.contains(leaf)) return;
  const Tensor& value = leaf->value;
  const Tensor zeros = Tensor::zeros(value.shape(), compute_dtype(value.dtype()), value.device());
  kept_.emplace(leaf,
                Kept{std::exchange(leaf->gradient, zeros), std::exchange(leaf->cleared, false)});
}

}  // namespace kette
