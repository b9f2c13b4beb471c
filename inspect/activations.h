// What a pass computed, kept by the names of its points (nn/tap.h).
#pragma once

#include <functional>
#include <map>
#include <span>

#include "data/tokenizers/tokenizer.h"
#include "models/autoregressive_model.h"

namespace kette {

class Activations final : public Tap {
 public:
  /// which: of the points of a pass. What is not asked for is not computed for it, and not kept.
  explicit Activations(std::function<bool(const std::string& point)> which)
      : which_(std::move(which)) {}
  /// All of them.
  Activations() : Activations([](const std::string&) { return true; }) {}

  bool wants(const std::string& point) const override { return which_(point); }
  Variable at(const std::string& point, const Variable& value) override {
    values_[point] = value.value();
    return value;
  }

  bool has(const std::string& point) const { return values_.contains(point); }
  /// An Error if the pass did not come by it.
  const Tensor& operator[](const std::string& point) const;

 private:
  std::function<bool(const std::string&)> which_;
  std::map<std::string, Tensor> values_;
};

/// One text as a batch: ids without begin and end marks. A model without an encoder reads the target alone:
/// all its tokens, each to be followed by the next and the last by anything.
Batch one_sentence(const AutoregressiveModel& model, std::span<const std::int32_t> source,
                   std::span<const std::int32_t> target);

/// A text as an encoder-only model reads it, which is asked for the token at each place.
Batch whole_text(std::span<const std::int32_t> ids);

/// A stack of blocks at a level: 0 is what the first block reads, l the residual stream after l
/// blocks, of pre-norm models before the final norm. Gives the point where that is.
std::string level_point(const AutoregressiveModel& model, Side side, std::int64_t level);

}  // namespace kette
