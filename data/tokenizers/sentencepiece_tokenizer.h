// A SentencePiece model as a tokenizer. Its ids 0 to 3 are fixed: padding, unknown, begin, end.
// A model trained lossless restores every byte string: what its pieces cannot spell uses the 256
// byte pieces. A newline is one of these, <0x0A>: it costs one id without another row in the
// vocabulary, and lines are encoded separately, on all threads. Other models lose what
// normalisation changes.
#pragma once

#include <array>
#include <mutex>
#include <optional>

#include "data/files/line_reader.h"
#include "data/files/text_column.h"
#include "data/tokenizers/bpe_dropout.h"
#include "data/tokenizers/tokenizer.h"

namespace sentencepiece {
class SentencePieceProcessor;
}

namespace kette {

struct SentencePieceOptions {
  enum class Model { bpe, unigram };
  /// nmt_nfkc: Unicode compatibility composition and plain spaces; identity: unchanged characters.
  /// Both merge runs of spaces and trim the ends. lossless: identity with all spaces and with
  /// byte_fallback, for language models.
  enum class Normalization { nmt_nfkc, identity, lossless };

  std::int64_t vocabulary = 10000;
  Model model = Model::bpe;
  Normalization normalization = Normalization::nmt_nfkc;
  /// The share of the text's characters that the vocabulary must cover, 0.98 to 1.
  double character_coverage = 1.0;
  /// Encodes characters outside the vocabulary as bytes instead of an unknown piece; takes 256
  /// pieces.
  bool byte_fallback = false;
  /// Languages that get a piece, "<2de>"; see Tokenizer::tag_of().
  std::vector<std::string> languages{};
  bool mask = false;  ///< a piece for masked words; see Tokenizer::mask()
  /// Training on files or a text uses a random sample of lines of about this many bytes. Twice as
  /// many save 0.1 % of the pieces (docs/results/reliability.md), for twice the time.
  std::int64_t sample_bytes = std::int64_t{16} << 20;
};

/// "<2de>"
inline std::string language_tag(const std::string& language) { return "<2" + language + ">"; }

class SentencePieceTokenizer final : public Tokenizer {
 public:
  using Shared = std::shared_ptr<const SentencePieceTokenizer>;

  static constexpr const char* kFile = "tokenizer.model";
  static constexpr std::size_t kLongestLine = 4192;  ///< bytes, for training

  /// Uses every line that is not blank and has at most kLongestLine bytes. The model does not
  /// depend on the number of threads.
  static Shared train(std::span<const std::string_view> lines, const SentencePieceOptions& options);
  /// If lossless, cuts long lines, as train_text() does.
  static Shared train_files(const std::vector<TextColumn>& texts,
                            const SentencePieceOptions& options,
                            FaultyLines faulty = FaultyLines::refused);
  /// Trains a lossless model on the lines of a text; ignores options.normalization.
  static Shared train_text(std::string_view text, SentencePieceOptions options);
  static Shared load(const std::filesystem::path& file);

  /// name stands in the error when the bytes are no model.
  SentencePieceTokenizer(std::string_view bytes, const std::string& name);
  ~SentencePieceTokenizer() override;

  std::string kind() const override { return "sentencepiece"; }
  std::int64_t vocabulary() const override;
  SpecialTokens special() const override { return {}; }
  std::string piece(std::int32_t id) const override;
  std::string decode(std::span<const std::int32_t> ids) const override;
  bool is_bpe() const override { return is_bpe_; }
  std::vector<std::int32_t> resegment(std::span<const std::int32_t> ids, double dropout,
                                      std::uint64_t seed) const override;
  std::optional<std::int32_t> tag_of(const std::string& language) const override;
  std::vector<std::string> languages() const override { return languages_; }
  std::optional<std::int32_t> mask() const override;
  std::vector<std::pair<std::string, std::string>> files() const override;

  bool is_lossless() const { return is_lossless_; }

 private:
  using Ids = std::vector<std::int32_t>;

  Ids encode_text(std::string_view text, Side side) const override;
  std::function<Ids(std::string_view)> line_encoder(Side side) const override;
  /// The id of a control piece, as which no text is encoded.
  std::optional<std::int32_t> find_control(const std::string& piece) const;
  Ids pieces_of(std::string_view text) const;
  Ids encode_parts(std::string_view text) const;
  std::string spell(std::span<const std::int32_t> ids) const;
  void find_bytes();
  void examine();
  const BpeMerger& merger() const;

  std::unique_ptr<sentencepiece::SentencePieceProcessor> processor_;
  bool is_bpe_ = false, words_are_independent_ = false, is_lossless_ = false;
  std::array<std::int32_t, 256> byte_ids_{};  // if the model has byte pieces
  std::vector<std::string> languages_;
  std::vector<std::string> spelt_;  // the bytes of each id, then
  mutable std::once_flag merger_built_;
  mutable std::optional<BpeMerger> merger_;
};

}  // namespace kette
