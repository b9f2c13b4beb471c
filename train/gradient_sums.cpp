#include "train/gradient_sums.h"

#include "tensor/kernels.h"
#include "tensor/observer.h"

namespace kette {

void GradientSums::begin(std::int64_t leaves) {
  for (Part& part : kept_) free_.push_back(std::move(part.sum));
  kept_.clear();
  leaves_ = leaves;
  store_.clear_gradients();
}

Tensor GradientSums::room() {
  const Tensor& gradients = store_.gradients();
  if (free_.empty()) return Tensor::empty(gradients.shape(), gradients.dtype(), gradients.device());
  Tensor tensor = std::move(free_.back());
  free_.pop_back();
  return tensor;
}

void GradientSums::keep(std::int64_t leaf) {
  const Tensor& gradients = store_.gradients();
  const Work work("sum_gradients", {&gradients});
  // The sum of two numbers is the same in either order, so the store's are added to what is kept.
  add_node(kept_, {{leaf, leaf + 1}, gradients}, leaves_, [&](Tensor left, Tensor right) {
    on(left.device(), [&](auto exec) { kernels::accumulate(exec, right, left); });
    if (right.raw() != gradients.raw()) free_.push_back(right);
    return left;
  });
  Tensor& sum = kept_.back().sum;
  if (sum.raw() == gradients.raw()) {
    sum = room();
    sum.copy_from(gradients);
  }
  store_.clear_gradients();
}

void GradientSums::end(std::int64_t leaf) {
  last_ = {leaf, leaf + 1};
  for (completing_ = 0; completing_ < kept_.size(); ++completing_) {
    const Interval& left = kept_[kept_.size() - 1 - completing_].node;
    if (!are_halves(left, last_, leaves_)) break;
    last_.begin = left.begin;
  }
}

void GradientSums::complete(const Interval& elements) const {
  const Tensor gradients = store_.gradients().slice(elements.begin, elements.end);
  for (std::size_t i = 0; i < completing_; ++i) {
    const Tensor part = kept_[kept_.size() - 1 - i].sum.slice(elements.begin, elements.end);
    on(gradients.device(), [&](auto exec) { kernels::accumulate(exec, part, gradients); });
  }
}

std::vector<GradientSums::Part> GradientSums::parts() const {
  std::vector<Part> parts(kept_.begin(), kept_.end() - static_cast<std::ptrdiff_t>(completing_));
  parts.push_back({last_, store_.gradients()});
  return parts;
}

}  // namespace kette
