// Texts with masks in them, for models that are to say what stood there (Devlin et al. 2019, section
// 3.1 and appendix A.1): of the tokens of a text a share is chosen, and of those 80 % are replaced by
// the mask, 10 % by a random token, and 10 % are left as they are. With whole words (their code's "Whole
// Word Masking") the pieces of a word are chosen together. A text is read between the marks of its
// begin and end, which are never chosen. What is chosen is a function of a key alone.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "data/corpora/window_sampler.h"
#include "data/tokenizers/tokenizer.h"

namespace kette {

struct MaskingOptions {
  double share = 0.15;
  bool whole_words = false;
};

/// A text as a BERT reads it.
std::vector<std::int32_t> between_marks(std::span<const std::int32_t> text,
                                        const SpecialTokens& special);

/// The ids of a text in which [MASK] stands for the mask, without marks around them. A space before it
/// belongs to what is masked where the vocabulary writes spaces before words.
std::vector<std::int32_t> encode_with_masks(const Tokenizer& tokenizer, std::string_view text);

class Masking {
 public:
  /// A tokenizer without a mask is an Error.
  Masking(const Tokenizer& tokenizer, const MaskingOptions& options);

  /// The marks around each text.
  static constexpr std::int64_t kMarks = 2;
  /// Appends a text to a batch as a BERT reads it (models/bert.h).
  void add(std::span<const std::int32_t> text, std::uint64_t key, Batch& batch) const;
  /// All texts of the windows of a batch, with a mask each as its place and `salt` say.
  Batch masked(const Batch& windows, std::uint64_t salt) const;

 private:
  struct Word {
    std::int64_t begin, end;
  };
  std::vector<Word> words_of(std::span<const std::int32_t> text) const;
  std::vector<std::int64_t> chosen(std::span<const std::int32_t> text, std::uint64_t key) const;

  MaskingOptions options_;
  SpecialTokens special_;
  std::int32_t mask_;
  std::int64_t vocabulary_;
  std::vector<WordEdges> edges_;  // by id
};

/// Windows of training with masks: those of a WindowSampler.
class MaskedSampler final : public Sampler {
 public:
  /// The masking must outlive the sampler. options.context: with the marks.
  MaskedSampler(std::vector<TokenStream> texts, const Masking& masking,
                const WindowOptions& options);

  Batch peek(std::int64_t ahead) const override;
  /// As much work as to make it: how many are masked is in the text where words are whole.
  TokenCounts tokens(std::int64_t ahead) const override { return tokens_of(peek(ahead)); }
  void skip(std::int64_t batches) override { windows_.skip(batches); }
  const State& state() const override { return windows_.state(); }
  void restore(const State& state) override { windows_.restore(state); }
  std::int64_t batches_in_epoch() const override { return windows_.batches_in_epoch(); }
  std::int64_t stages() const override { return windows_.stages(); }
  void begin_stage(std::int64_t stage) override { windows_.begin_stage(stage); }

 private:
  const Masking* masking_;
  std::uint64_t seed_;
  WindowSampler windows_;
};

}  // namespace kette
