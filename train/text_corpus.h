// The data of tasks that learn from texts: a tokenizer, and token ids for training and validation.
#pragma once

#include <optional>
#include <vector>

#include "data/corpora/text_documents.h"
#include "data/corpora/token_stream.h"
#include "data/tokenizers/tokenizer.h"
#include "tensor/enum_names.h"
#include "train/trainer.h"

namespace kette {

/// What a model predicts: the next token (train/text_task.h), or masked tokens (train/masked_task.h).
enum class TextObjective : std::uint8_t { next, masked };
template <>
inline constexpr auto kNamesOf<TextObjective> =
    enum_names<TextObjective>({{TextObjective::next, "next"}, {TextObjective::masked, "masked"}});

struct TextOptions : TrainOptions {
  /// Files of text (plain or compressed), files of ids, and folders of them (data/corpora/text_streams.h). They are
  /// joined, but with weights, a temperature or stages each is a text of its own.
  std::vector<std::filesystem::path> text, valid_text;
  /// How often windows of each text are drawn, in any unit; empty: every window once an epoch.
  std::vector<double> weights;
  /// An alternative to weights: by size^(1 / temperature).
  double temperature = 1;
  DocumentKind documents = DocumentKind::file;
  /// Without valid_text, this share of the tokens at the end of each text is kept for validation.
  double valid_share = 0.1;
  std::int64_t valid_tokens = std::int64_t{1} << 18;  ///< a validation reads at most this many

  /// Undefined: that of `from` or of a folder, or a new one made from the text.
  SharedTokenizer tokenizer;
  /// The kind of a new one: "character", or "sentencepiece" with `vocabulary` pieces.
  std::string tokenizer_kind = "character";
  std::int64_t vocabulary = 8000;

  TextOptions() { label_smoothing = 0; }
  /// Whether each text is drawn on its own.
  bool are_mixed() const { return !weights.empty() || temperature != 1 || !stages.empty(); }
};

/// The options that a resume must keep, and the model's configuration.
RunFingerprint fingerprint_of(const TextOptions& options, const ModelConfig& model);

class TextCorpus {
 public:
  /// Writes the ids to the folder, unless they exist already or were given. with_mask: whether a new
  /// tokenizer has a mask piece.
  TextCorpus(const TextOptions& options, const RunFolder& folder, bool with_mask = false);

  const SharedTokenizer& tokenizer() const { return tokenizer_; }
  const std::vector<TokenStream>& train() const { return train_; }
  /// How often each text is drawn, by stage (shares_of_stages()).
  const std::vector<std::vector<double>>& shares() const { return shares_; }
  /// The validation tokens; from several texts, in proportion to their sizes. Throws an Error if there are none.
  const TokenStream& valid() const;
  /// A line about it, for people.
  std::string report() const;

 private:
  SharedTokenizer make_tokenizer(const TextOptions& options, const RunFolder& folder,
                                 bool with_mask) const;
  std::vector<TokenStream> streams_of(const TextOptions& options,
                                      const std::vector<std::filesystem::path>& texts, bool apart,
                                      const std::string& name);

  SharedTokenizer tokenizer_;
  std::vector<TokenStream> train_;
  std::optional<TokenStream> valid_;
  std::int64_t to_validate_on_;  // tokens available for validation
  std::vector<std::vector<double>> shares_;
  std::string marks_;  // a line for each special token that the texts contain as text
};

/// The number of windows of `context` tokens in a batch. Throws an Error if not even one fits.
std::int64_t windows_per_batch(const TextOptions& options, std::int64_t context);

}  // namespace kette
