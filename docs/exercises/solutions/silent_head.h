#pragma once

#include <algorithm>

#include "autograd/ops/elementwise.h"
#include "nn/points.h"
#include "nn/tap.h"

class SilentHead final : public kette::Tap {
 public:
  SilentHead(std::string attention, std::int64_t head, std::int64_t head_width)
      : attention_(std::move(attention)), head_(head), head_width_(head_width) {}

  bool wants(const std::string& point) const override {
    return point == kette::points::heads(attention_);
  }
  /// On a tape this product is a node like any: gradients flow to the other heads.
  kette::Variable at(const std::string& /*point*/, const kette::Variable& value) override {
    std::vector<float> gates(static_cast<std::size_t>(value.value().width()), 1);
    std::fill_n(gates.begin() + head_ * head_width_, head_width_, 0.0f);
    return value * kette::Variable(kette::Tensor::from(gates));
  }

 private:
  std::string attention_;
  std::int64_t head_, head_width_;
};
