// The two files of a byte-level BPE vocabulary, as OpenAI (encoder.json, vocab.bpe) and Hugging
// Face (vocab.json, merges.txt) write them: tokens with their ids as JSON, and merges, one "left
// right" a line in the order in which they were learnt, after a line "#version: 0.2". Bytes are
// written as characters that can be seen: printable ones of Latin-1 as themselves, the others, in
// order, as U+0100 and on (OpenAI's bytes_to_unicode). Tokens that were added to it
// (data/tokenizers/added_tokens.h) stand in a third file, added_tokens.json. Or all of them stand in one,
// tokenizer.json, which is read first, as transformers does.
#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "data/tokenizers/byte_pair_merges.h"
#include "data/tokenizers/token_table.h"

namespace kette {

struct Gpt2Vocabulary {
  TokenTable tokens;  ///< as the bytes they stand for
  std::array<std::int32_t, 256> byte_ids{};
  std::vector<BytePairMerges::Merge> merges;
  std::int32_t end_of_text = 0;  ///< <|endoftext|>
  std::int64_t plain = 0;        ///< how many of the tokens stand in vocab.json
  /// Which tokens are found in a text as they stand: those that were added, and those that a file of the tokenizer names for
  /// a purpose, but for <|endoftext|>.
  std::vector<std::int32_t> found_whole;
};

/// Reads the files under either pair of names. What does not fit together is an Error that names
/// the file and the entry.
Gpt2Vocabulary read_gpt2_vocabulary(const std::filesystem::path& folder);

/// vocab.json, merges.txt and, where tokens are found whole, added_tokens.json; the same for the same vocabulary, whichever files it was read from.
std::vector<std::pair<std::string, std::string>> gpt2_files(const Gpt2Vocabulary& vocabulary);

}  // namespace kette
