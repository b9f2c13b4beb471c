// GPT-2's tokenizer (Radford et al. 2019, section 2.2): text is cut into pieces
// (data/tokenizers/gpt2_pieces.h), and the bytes of each piece are merged by byte-pair encoding
// (data/tokenizers/byte_pair_merges.h). Every byte string can be encoded without loss. Any
// vocabulary in this format works (data/tokenizers/gpt2_files.h), not only the one of 50,257
// tokens. Added tokens (data/tokenizers/added_tokens.h) are matched first; the texts between them
// are encoded separately. A piece that is a token, as most are, needs no merging.
#pragma once

#include "data/tokenizers/gpt2_files.h"
#include "data/tokenizers/text_search.h"
#include "data/tokenizers/tokenizer.h"

namespace kette {

class Gpt2Tokenizer final : public Tokenizer {
 public:
  explicit Gpt2Tokenizer(Gpt2Vocabulary vocabulary);
  static std::shared_ptr<const Gpt2Tokenizer> load(const std::filesystem::path& folder);

  std::string kind() const override { return "gpt2"; }
  std::int64_t vocabulary() const override { return vocabulary_.tokens.size(); }
  SpecialTokens special() const override { return SpecialTokens::of_end(vocabulary_.end_of_text); }
  std::string piece(std::int32_t id) const override;
  std::string decode(std::span<const std::int32_t> ids) const override;
  std::vector<std::pair<std::string, std::string>> files() const override;

 private:
  /// Encodes the text between literally matched tokens.
  std::vector<std::int32_t> encode_text(std::string_view text, Side side) const override;
  /// Long texts are encoded on all threads.
  std::vector<std::int32_t> encode_plain(std::string_view text) const;
  std::vector<std::int32_t> encode_part(std::string_view text) const;

  Gpt2Vocabulary vocabulary_;
  BytePairMerges merges_;
  TextSearch found_whole_;
  std::vector<char> is_whole_;  // by id: whether merging its bytes gives this token
};

}  // namespace kette
