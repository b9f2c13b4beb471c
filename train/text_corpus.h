// What tasks learn from texts: a tokenizer, and the texts as ids, to learn from and to validate on.
#pragma once

#include <optional>
#include <vector>

#include "data/corpora/text_documents.h"
#include "data/corpora/token_stream.h"
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
  /// Text, plain or packed, files of ids, and folders of them (data/corpora/text_streams.h), one after the other; with weights,
  /// a temperature or stages each on its own.
  std::vector<std::filesystem::path> text, valid_text;
  /// How often windows of each text are drawn, in any unit; empty: every window once an epoch.
  std::vector<double> weights;
  /// Instead: by size^(1 / temperature).
  double temperature = 1;
  DocumentKind documents = DocumentKind::file;
  /// Without valid_text, the last share of the text's tokens is kept for validation: of each text that is on its own.
  double valid_share = 0.1;
  std::int64_t valid_tokens = std::int64_t{1} << 18;  ///< a validation reads at most this many

  SharedTokenizer
      tokenizer;  ///< undefined: that of `from` or of a folder, or one is made from the text
  /// Which kind is made: "character" or "sentencepiece", the latter of `vocabulary` pieces.
  std::string tokenizer_kind = "character";
  std::int64_t vocabulary = 8000;

  TextOptions() { label_smoothing = 0; }
  /// Whether each text is on its own.
  bool are_mixed() const { return !weights.empty() || temperature != 1 || !stages.empty(); }
};

/// Those that must stay on a resume, and the model's configuration.
RunFingerprint fingerprint_of(const TextOptions& options, const ModelConfig& model);

class TextCorpus {
 public:
  /// Writes the ids to the folder, unless they are there already, or given. with_mask: a tokenizer
  /// that is made has a piece for masked words.
  TextCorpus(const TextOptions& options, const RunFolder& folder, bool with_mask = false);

  const SharedTokenizer& tokenizer() const { return tokenizer_; }
  const std::vector<TokenStream>& train() const { return train_; }
  /// How often each of them is drawn, stage by stage, see shares_of_stages().
  const std::vector<std::vector<double>>& shares() const { return shares_; }
  /// What a validation reads; of texts on their own as much of each as its size asks for. An Error where there is none.
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
  std::int64_t to_validate_on_;  // tokens that could be
  std::vector<std::vector<double>> shares_;
  std::string marks_;  // that the texts spell, a line each
};

/// How many windows of `context` tokens a batch has; an Error where it has no room for one.
std::int64_t windows_per_batch(const TextOptions& options, std::int64_t context);

}  // namespace kette
