// The two files of a byte-level BPE vocabulary, as OpenAI (encoder.json, vocab.bpe) and Hugging
// Face (vocab.json, merges.txt) write them: tokens with their ids as JSON, and merges, one "left
// right" per line in the order learnt, after a line "#version: 0.2". Bytes are written as visible
// characters: printable ones of Latin-1 as themselves, the others, in order, from U+0100 on
// (OpenAI's bytes_to_unicode). Added tokens (data/tokenizers/added_tokens.h) are in a third file,
// added_tokens.json. Or all is in one file, tokenizer.json, which is read first, as by
// transformers.
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
  TokenTable tokens;  ///< as raw bytes
  std::array<std::int32_t, 256> byte_ids{};
  std::vector<BytePairMerges::Merge> merges;
  std::int32_t end_of_text = 0;  ///< <|endoftext|>
  std::int64_t plain = 0;        ///< the number of tokens in vocab.json
  /// The tokens that are matched literally: added tokens, and tokens with a role in a file of the
  /// tokenizer, except <|endoftext|>.
  std::vector<std::int32_t> found_whole;
};

/// Reads the files under either pair of names. Inconsistent files are an Error with the file and
/// the entry.
Gpt2Vocabulary read_gpt2_vocabulary(const std::filesystem::path& folder);

/// vocab.json, merges.txt and, if tokens are matched literally, added_tokens.json. They do not
/// depend on which files the vocabulary was read from.
std::vector<std::pair<std::string, std::string>> gpt2_files(const Gpt2Vocabulary& vocabulary);

}  // namespace kette
