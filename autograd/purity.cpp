#include "autograd/purity.h"

#include <bit>
#include <cstring>
#include <sstream>

#include "autograd/anomaly.h"

namespace kette {

std::string difference_of(const Tensor& before, const Tensor& after) {
  const Tensor a = before.to(Device{}), b = after.to(Device{});
  if (std::memcmp(a.raw(), b.raw(), a.bytes()) == 0) return "";
  const std::vector<double> first = a.values<double>(), then = b.values<double>();
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (std::bit_cast<std::uint64_t>(first[i]) == std::bit_cast<std::uint64_t>(then[i])) continue;
    std::ostringstream text;
    text << coordinates(a.shape(), static_cast<std::int64_t>(i)) << " (" << first[i] << ", then "
         << then[i] << ")";
    return text.str();
  }
  return "";
}

void PurityObserver::note(const std::string& deed) {
  if (fault_.empty()) fault_ = deed;
}

void PurityObserver::before_forward(const OpCall& call) {
  std::vector<Kept> inputs;
  for (const Variable* input : call.inputs) {
    const Tensor& value = input->value();
    inputs.push_back(value.defined() ? Kept{value, value.clone()} : Kept{});
  }
  forward_.emplace_back(static_cast<const char*>(call.name), std::move(inputs));
}

void PurityObserver::after_forward(std::span<const Variable>) {
  const auto [name, inputs] = std::move(forward_.back());
  forward_.pop_back();
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (!inputs[i].tensor.defined()) continue;
    const std::string where = difference_of(inputs[i].before, inputs[i].tensor);
    if (!where.empty()) note(name + ": changed its input " + std::to_string(i) + " at " + where);
  }
}

void PurityObserver::before_backward(const TapeEntry&, std::span<const Tensor> gradients,
                                     std::span<GradientSlot* const>) {
  for (const Tensor& gradient : gradients) {
    // With several owners, one more changes nothing.
    const bool is_shared = gradient.defined() && !gradient.is_sole_owner();
    backward_.push_back(is_shared ? Kept{gradient, gradient.clone()} : Kept{});
  }
}

void PurityObserver::after_backward(const TapeEntry& entry, std::span<GradientSlot* const>) {
  for (const Kept& kept : backward_) {
    if (!kept.tensor.defined()) continue;
    const std::string where = difference_of(kept.before, kept.tensor);
    if (!where.empty()) {
      note(std::string(entry.node.name()) +
           ": its backward wrote over the gradient of its output, which others read, at " + where);
    }
  }
  backward_.clear();
}

}  // namespace kette
