#include "data/tokenizers/gpt2_files.h"

#include <unordered_set>

#include "data/files/text_file.h"
#include "data/files/unicode.h"
#include "data/files/utf8.h"
#include "data/tokenizers/vocabulary_json.h"
#include "tensor/error.h"

namespace kette {
namespace {

constexpr std::string_view kEndOfText = "<|endoftext|>";
constexpr std::string_view kVersion = "#version";
constexpr std::int16_t kNoByte = -1;

/// Which character each byte is written as, and back.
struct Alphabet {
  std::array<std::string, 256> written;
  std::array<std::int16_t, 256 + 68> bytes;  // by code point; 68 bytes cannot be seen

  Alphabet() {
    bytes.fill(kNoByte);
    char32_t next = 0x100;
    for (int byte = 0; byte < 256; ++byte) {
      const bool is_seen = (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte != 0xAD);
      const char32_t character = is_seen ? static_cast<char32_t>(byte) : next++;
      written[byte] = encode_utf8({&character, 1});
      bytes[character] = static_cast<std::int16_t>(byte);
    }
  }
};

const Alphabet& alphabet() {
  static const Alphabet alphabet;
  return alphabet;
}

std::string write(std::string_view bytes) {
  std::string written;
  for (const char byte : bytes) written += alphabet().written[static_cast<unsigned char>(byte)];
  return written;
}

/// The bytes of a written token; name stands in the error.
std::string read(std::string_view written, const std::string& name) {
  std::string bytes;
  for (std::size_t at = 0; at < written.size();) {
    const auto [character, length] = utf8_character(written, at);
    const bool is_byte =
        character < alphabet().bytes.size() && alphabet().bytes[character] != kNoByte;
    KETTE_CHECK(is_byte, name, ": expected a token in characters that stand for bytes, given ",
                written, " with '", written.substr(at, length), "' (is it a byte-level BPE?)");
    bytes += static_cast<char>(alphabet().bytes[character]);
    at += length;
  }
  return bytes;
}

std::filesystem::path one_of(const std::filesystem::path& folder, const char* name,
                             const char* other_name) {
  if (std::filesystem::exists(folder / name)) return folder / name;
  KETTE_CHECK(std::filesystem::exists(folder / other_name), folder.string(),
              ": expected a folder with ", name, " or ", other_name, ", given one without");
  return folder / other_name;
}

/// written: the vocabulary as it is written.
std::vector<BytePairMerges::Merge> read_merges(const std::filesystem::path& file,
                                               const TokenTable& written) {
  const TextLines lines = read_lines(file);
  std::vector<BytePairMerges::Merge> merges;
  std::unordered_set<std::uint64_t> pairs(static_cast<std::size_t>(2 * lines.size()));
  for (std::int64_t i = 0; i < lines.size(); ++i) {
    const std::string_view line = lines[i];
    if (line.empty() || (i == 0 && line.substr(0, kVersion.size()) == kVersion)) continue;
    const auto where = [&] { return file.string() + ":" + std::to_string(i + 1); };
    const auto find = [&](std::string_view token) {
      const std::int32_t id = written.find(token);
      KETTE_CHECK(id != TokenTable::kNone, where(), ": expected tokens of the vocabulary, given ",
                  token, " in the merge ", line, ", which has no id");
      return id;
    };
    const std::size_t space = line.find(' ');
    KETTE_CHECK(space != std::string_view::npos && space > 0 && space + 1 < line.size() &&
                    line.find(' ', space + 1) == std::string_view::npos,
                where(), ": expected two tokens with a space between them, given ", line);
    const std::string_view left = line.substr(0, space), right = line.substr(space + 1);
    const std::string result = std::string(left).append(right);
    KETTE_CHECK(result != kEndOfText, where(), ": expected merges of text, given ", line,
                ", by which a text could end its own document");
    merges.push_back({find(left), find(right), find(result)});
    const auto pair = static_cast<std::uint64_t>(merges.back().left) << 32 |
                      static_cast<std::uint64_t>(merges.back().right);
    KETTE_CHECK(pairs.insert(pair).second, where(), ": expected every merge once, given ", line,
                " again");
  }
  return merges;
}

}  // namespace

Gpt2Vocabulary read_gpt2_vocabulary(const std::filesystem::path& folder) {
  const std::filesystem::path file = one_of(folder, "vocab.json", "encoder.json");
  const std::string name = file.string();
  const TokenTable written = read_vocabulary_json(file);
  Gpt2Vocabulary vocabulary;
  vocabulary.merges = read_merges(one_of(folder, "merges.txt", "vocab.bpe"), written);
  std::vector<std::string> bytes;
  for (std::int32_t id = 0; id < written.size(); ++id)
    bytes.push_back(read(written.text(id), name));
  vocabulary.tokens = TokenTable(bytes);
  const TokenTable& tokens = vocabulary.tokens;
  for (std::size_t byte = 0; byte < 256; ++byte) {
    const char character = static_cast<char>(byte);
    vocabulary.byte_ids[byte] = tokens.find({&character, 1});
    KETTE_CHECK(vocabulary.byte_ids[byte] != TokenTable::kNone, name,
                ": expected a token for each of the 256 bytes, given none for byte ", byte,
                ", which is written ", alphabet().written[byte]);
  }
  vocabulary.end_of_text = tokens.find(kEndOfText);
  KETTE_CHECK(vocabulary.end_of_text != TokenTable::kNone, name, ": expected the token ",
              kEndOfText, ", given a vocabulary without it");
  return vocabulary;
}

std::vector<std::pair<std::string, std::string>> gpt2_files(const Gpt2Vocabulary& vocabulary) {
  const TokenTable& tokens = vocabulary.tokens;
  std::vector<std::string> written;
  for (std::int32_t id = 0; id < tokens.size(); ++id) written.push_back(write(tokens.text(id)));
  std::string merges = "#version: 0.2\n";
  for (const BytePairMerges::Merge& merge : vocabulary.merges) {
    merges += write(tokens.text(merge.left)) + " " + write(tokens.text(merge.right)) + "\n";
  }
  return {{"vocab.json", vocabulary_json(written)}, {"merges.txt", std::move(merges)}};
}

}  // namespace kette
