// GPT-2's tokenizer (Radford et al. 2019, section 2.2): text is cut into pieces
// (data/tokenizers/gpt2_pieces.h), and each piece, as bytes, is put together by the merges of a
// byte-pair encoding (data/tokenizers/byte_pair_merges.h). Every byte string has ids and comes back
// whole. Any vocabulary in this format does (data/tokenizers/gpt2_files.h), not only the one of
// 50,257 tokens. Tokens that were added to one (data/tokenizers/added_tokens.h) are found first, and what
// stands between them is a text each. A piece that is a token by itself, as most are, needs no merging.
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
  /// Between tokens that are found whole.
  std::vector<std::int32_t> encode_text(std::string_view text, Side side) const override;
  /// Long texts on all threads.
  std::vector<std::int32_t> encode_plain(std::string_view text) const;
  std::vector<std::int32_t> encode_part(std::string_view text) const;

  Gpt2Vocabulary vocabulary_;
  BytePairMerges merges_;
  TextSearch found_whole_;
  std::vector<char> is_whole_;  // by id: the merges make this one token of its bytes
};

}  // namespace kette
