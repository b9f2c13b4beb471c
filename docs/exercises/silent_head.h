// A head that says nothing: what would the model do without it? A tap answers (nn/tap.h), without a change to the model.
// The outputs of an attention's heads lie side by side in the rows of the point ATTENTION/heads: head h has the columns
// from h * head width to before (h + 1) * head width. A tensor of one row is multiplied with every row of another one.
#pragma once

#include "autograd/ops/elementwise.h"
#include "nn/points.h"
#include "nn/tap.h"

class SilentHead final : public kette::Tap {
 public:
  /// attention: its path, such as "encoder/0/self_attention".
  SilentHead(std::string attention, std::int64_t head, std::int64_t head_width)
      : attention_(std::move(attention)), head_(head), head_width_(head_width) {}

  bool wants(const std::string& point) const override {
    (void)point;
    return false;  // your turn
  }
  kette::Variable at(const std::string& point, const kette::Variable& value) override {
    (void)point;
    return value;  // your turn
  }

 private:
  std::string attention_;
  [[maybe_unused]] std::int64_t head_, head_width_;
};
