// Text to piece ids and back, by SentencePiece: byte-pair encoding (Sennrich et al. 2016) or a
// unigram model, trained on both languages together so that all embeddings can be one matrix
// (Vaswani et al. 2017, sections 3.4 and 5.1). Ids 0 to 3 are fixed: padding, unknown, begin, end.
// Or, from a folder of Hugging Face's MarianTokenizer, by two models, one for sources and one for
// targets, whose pieces have ids of their own (data/tokenizers/marian_pieces.h). Cheap to copy, never changed,
// safe to use from several threads.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "data/tokenizers/special_tokens.h"

namespace kette {

struct TokenizerOptions {
  enum class Model { bpe, unigram };
  /// nmt_nfkc: Unicode compatibility composition and plain spaces; identity: characters as they
  /// are. Both take runs of spaces for one and trim the ends. lossless: identity with every space
  /// kept and byte_fallback on, for language models (data/tokenizers/sentencepiece_text_tokenizer.h).
  enum class Normalization { nmt_nfkc, identity, lossless };

  std::int64_t vocab_size = 10000;
  Model model = Model::bpe;
  Normalization normalization = Normalization::nmt_nfkc;
  /// Share of the text's characters that must be in the vocabulary, 0.98 to 1.
  double character_coverage = 1.0;
  /// Spell characters outside the vocabulary as bytes instead of one unknown piece; takes 256
  /// pieces.
  bool byte_fallback = false;
  /// Training on files or a text takes random lines of about so many bytes, where there is more.
  /// Twice as many spare a thousandth of the pieces (docs/results.md), at twice the time.
  std::int64_t sample_bytes = std::int64_t{16} << 20;
};

/// Which language a text is in; a joint model takes both alike.
enum class Side : std::uint8_t { source, target };

class Tokenizer {
 public:
  static constexpr std::size_t kLongestLine = 4192;  ///< bytes, that training uses
  static constexpr const char* kFile = "tokenizer.model";
  /// U+2581, how pieces write a space.
  static constexpr std::string_view kSpaceMark = "\xE2\x96\x81";

  /// Uses every line that is not blank and has at most kLongestLine bytes. The same lines and options give
  /// the same bytes on any number of threads.
  static Tokenizer train(std::span<const std::string_view> lines, const TokenizerOptions& options);
  static Tokenizer train_files(const std::vector<std::filesystem::path>& files,
                               const TokenizerOptions& options);

  /// A model, or a folder with tokenizer.model or with the files of MarianTokenizer.
  static Tokenizer load(const std::filesystem::path& path);
  /// name stands in the error when the bytes are no model.
  static Tokenizer from_bytes(std::string_view bytes, const std::string& name);
  /// Of a joint model.
  std::string bytes() const;
  /// Names and contents of the files that a model directory keeps of it.
  std::vector<std::pair<std::string, std::string>> files() const;
  /// The same for tokenizers that give the same ids: vocabulary and a CRC-32 of the files.
  std::string fingerprint() const;
  /// Made of one model for both languages.
  bool is_joint() const;
  SpecialTokens special() const;

  /// Ids without begin and end.
  std::vector<std::int32_t> encode(std::string_view text, Side side = Side::source) const;
  /// The same for many lines, on all threads.
  std::vector<std::vector<std::int32_t>> encode_all(std::span<const std::string_view> lines,
                                                    Side side = Side::source) const;

  /// Each merge refused with probability dropout; BPE models only. See data/tokenizers/bpe_dropout.h.
  std::vector<std::int32_t> encode_with_dropout(std::string_view text, double dropout,
                                                std::uint64_t seed) const;
  /// The same for text that is encoded already, so that nobody has to keep the text.
  std::vector<std::int32_t> resegment(std::span<const std::int32_t> ids, double dropout,
                                      std::uint64_t seed) const;

  /// Of targets. Padding, begin and end are passed over.
  std::string decode(std::span<const std::int32_t> ids) const;

  std::int64_t vocab_size() const;
  std::string piece(std::int32_t id) const;
  /// The unknown piece's when there is no such piece.
  std::int32_t id(std::string_view piece) const;
  bool is_bpe() const;

 private:
  struct Model;
  explicit Tokenizer(std::shared_ptr<const Model> model) : model_(std::move(model)) {}
  void check(std::int32_t id) const;

  std::shared_ptr<const Model> model_;
};

}  // namespace kette
