#include "inspect/lab/concrete_gates.h"

#include <algorithm>
#include <cmath>

#include "autograd/all_ops.h"

namespace kette {
namespace {

constexpr double kStart = 2;

/// To 0 where below, to 1 where above.
Variable clamped(const Variable& x) { return affine(relu(affine(relu(x), -1, 1)), -1, 1); }

}  // namespace

Variable concrete_gate(const Variable& a, const Tensor& noise) {
  const Variable s = sigmoid(affine(a + noise, 1 / kConcreteBeta));
  return clamped(affine(s, kConcreteZeta - kConcreteGamma, kConcreteGamma));
}

Variable expected_open(const Variable& a) {
  return sum(sigmoid(affine(a, 1, -kConcreteBeta * std::log(-kConcreteGamma / kConcreteZeta))));
}

double concrete_gate(double a) {
  const double s = 1 / (1 + std::exp(-a));
  return std::clamp(s * (kConcreteZeta - kConcreteGamma) + kConcreteGamma, 0.0, 1.0);
}

ConcreteGates::ConcreteGates(std::vector<AttentionPart> attentions, Device device)
    : attentions_(std::move(attentions)) {
  for (const AttentionPart& part : attentions_) {
    a_.push_back(store_.parameter(part.path, {part.heads}, Init::constant(kStart)));
  }
  store_.materialize(0, DType::f32, device);
}

HeadGates ConcreteGates::sampled(Random& random) const {
  HeadGates gates;
  for (std::size_t i = 0; i < a_.size(); ++i) {
    std::vector<float> noise;
    for (std::int64_t head = 0; head < attentions_[i].heads; ++head) {
      const double u = std::clamp(static_cast<double>(random.uniform()), 1e-6, 1 - 1e-6);
      noise.push_back(static_cast<float>(std::log(u) - std::log1p(-u)));
    }
    gates.set(attentions_[i], concrete_gate(a_[i], Tensor::from(noise, a_[i].value().device())));
  }
  return gates;
}

Variable ConcreteGates::expected_open() const {
  Variable all = kette::expected_open(a_.front());
  for (std::size_t i = 1; i < a_.size(); ++i) all = all + kette::expected_open(a_[i]);
  return all;
}

std::vector<std::vector<double>> ConcreteGates::values() const {
  std::vector<std::vector<double>> values;
  for (const Variable& a : a_) {
    values.push_back(a.value().values<double>());
    for (double& value : values.back()) value = concrete_gate(value);
  }
  return values;
}

HeadGates ConcreteGates::trained() const {
  HeadGates gates;
  const auto all = values();
  for (std::size_t i = 0; i < all.size(); ++i) {
    gates.set(attentions_[i], Tensor::from(std::vector<float>(all[i].begin(), all[i].end())));
  }
  return gates;
}

}  // namespace kette
