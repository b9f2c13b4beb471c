// Records activations of a forward pass by the names of their points (nn/tap.h).
#pragma once

#include <functional>
#include <map>
#include <span>

#include "data/tokenizers/tokenizer.h"
#include "models/autoregressive_model.h"

namespace kette {

class Activations final : public Tap {
 public:
  /// which: the points to record. Other points are neither computed for this nor kept.
  explicit Activations(std::function<bool(const std::string& point)> which)
      : which_(std::move(which)) {}
  Activations() : Activations([](const std::string&) { return true; }) {}

  bool wants(const std::string& point) const override { return which_(point); }
  Variable at(const std::string& point, const Variable& value) override {
    values_[point] = value.value();
    return value;
  }

  bool has(const std::string& point) const { return values_.contains(point); }
  /// Throws an Error if the pass did not reach the point.
  const Tensor& operator[](const std::string& point) const;

 private:
  std::function<bool(const std::string&)> which_;
  std::map<std::string, Tensor> values_;
};

/// A batch of one text. Ids are without <s> and </s>. A model without an encoder reads only the target: all its tokens,
/// each followed by the next, the last by any token.
Batch one_sentence(const AutoregressiveModel& model, std::span<const std::int32_t> source,
                   std::span<const std::int32_t> target);

/// A batch of one text for an encoder-only model, which predicts the token at each position.
Batch whole_text(std::span<const std::int32_t> ids);

/// The point of the residual stream at a level of a stack. Level 0 is the input of the first block, level l
/// the output of block l - 1, before the final norm of pre-norm models.
std::string level_point(const AutoregressiveModel& model, Side side, std::int64_t level);

}  // namespace kette
