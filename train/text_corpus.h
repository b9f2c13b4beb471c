// What tasks learn from texts: a tokenizer, and the texts as ids, to learn from and to validate on.
#pragma once

#include <optional>
#include <vector>

#include "data/corpora/text_documents.h"
#include "data/corpora/token_file.h"
#include "data/tokenizers/tokenizer.h"
#include "tensor/enum_names.h"
#include "train/trainer.h"

namespace kette {

/// What is learnt of a text: the next token (train/text_task.h), or which ones are masked
/// (train/masked_task.h).
enum class TextObjective : std::uint8_t { next, masked };
template <>
inline constexpr auto kNamesOf<TextObjective> =
    enum_names<TextObjective>({{TextObjective::next, "next"}, {TextObjective::masked, "masked"}});

struct TextOptions : TrainOptions {
  /// Text, plain or packed; or one file of ids (data/corpora/token_file.h).
  std::vector<std::filesystem::path> text, valid_text;
  DocumentKind documents = DocumentKind::file;
  /// Without valid_text, the last share of the text's tokens is kept for validation.
  double valid_share = 0.1;
  std::int64_t valid_tokens = std::int64_t{1} << 18;  ///< a validation reads at most this many

  SharedTokenizer tokenizer;  ///< undefined: that of `from`, or one is made from the text
  /// Which kind is made: "character" or "sentencepiece", the latter of `vocabulary` pieces.
  std::string tokenizer_kind = "character";
  std::int64_t vocabulary = 8000;

  TextOptions() { label_smoothing = 0; }
};

/// Those that must stay on a resume, and the model's configuration.
RunFingerprint fingerprint_of(const TextOptions& options, const ModelConfig& model);

class TextCorpus {
 public:
  /// Writes the ids to the folder, unless they are there already, or given. with_mask: a tokenizer
  /// that is made has a piece for masked words.
  TextCorpus(const TextOptions& options, const RunFolder& folder, bool with_mask = false);

  const SharedTokenizer& tokenizer() const { return tokenizer_; }
  const TokenFile& train() const { return *train_; }
  const TokenFile& valid() const { return *valid_; }
  /// Of a validation; an Error where the text has none.
  std::int64_t valid_tokens() const;
  /// A line about it, for people.
  std::string report() const;

 private:
  SharedTokenizer make_tokenizer(const TextOptions& options, const RunFolder& folder,
                                 bool with_mask) const;
  TokenFile tokens_of(const TextOptions& options, const std::vector<std::filesystem::path>& files,
                      const char* name);

  SharedTokenizer tokenizer_;
  std::optional<TokenFile> train_, valid_;
  std::int64_t valid_tokens_;
  std::string marks_;  // that the texts spell, a line each
};

/// How many windows of `context` tokens a batch has; an Error where it has no room for one.
std::int64_t windows_per_batch(const TextOptions& options, std::int64_t context);

}  // namespace kette
