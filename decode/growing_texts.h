// Texts of a language model side by side, which grow by a token at a time: the keys and values of the
// past are kept, so a token costs one position. Everything that a step needs stays on the device: on
// a GPU the step is recorded once and then queued as a whole, without waiting for the token before.
#pragma once

#include <memory>
#include <vector>

#include "decode/packed_gpt.h"
#include "decode/sampling.h"
#include "nn/kv_cache.h"
#include "tensor/backend.h"

namespace kette {

class GrowingTexts {
 public:
  /// Texts of up to `most` tokens, prompt and all, or as many as the model sees at once.
  GrowingTexts(const PackedGpt& model, const SamplingOptions& sampling, std::int64_t texts,
               std::int64_t most);
  GrowingTexts(const GrowingTexts&) = delete;
  GrowingTexts& operator=(const GrowingTexts&) = delete;

  /// All texts begin anew, with the same tokens or each with as many of its own. Draws the next.
  void begin(const std::vector<std::vector<std::int32_t>>& starts);
  /// Whether the model sees no more.
  bool is_full() const { return length_ == most_; }
  /// Appends the tokens drawn last, and draws the next.
  void grow();

  /// What was drawn last, see sample(), once it is there.
  std::unique_ptr<HostCopy> drawn() const;
  /// The tokens of it, i32 [texts]; whoever writes others there has grow() append them.
  Tensor tokens() const { return drawn_.slice(0, 1).reshaped({texts_}); }
  /// What they were drawn from, [texts, vocabulary].
  const Tensor& logits() const { return logits_; }

 private:
  ResidualStream read_starts(const std::vector<std::vector<std::int32_t>>& starts);
  std::vector<std::int32_t> give_each_a_line(bool have_one_start);
  ResidualStream read(const Tensor& tokens, const CachePlaces& places) const;
  void draw();
  void step();

  const PackedGpt* model_;
  SamplingOptions sampling_;
  std::int64_t texts_, most_, length_ = 0, draws_ = 0;
  KvCache cache_;
  CachePlaces places_;  // of the next tokens
  Tensor counters_;     // i32 [2, texts]: positions in the cache, and tokens drawn
  Tensor drawn_, logits_;
  std::unique_ptr<Recording> step_;
};

}  // namespace kette
