#include "data/gpt2_files.h"

#include <nlohmann/json.hpp>
#include <unordered_set>

#include "data/text_file.h"
#include "data/unicode.h"
#include "data/utf8.h"
#include "tensor/error.h"

namespace kette {
namespace {

using Json = nlohmann::json;

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
      written[static_cast<std::size_t>(byte)] = encode_utf8({&character, 1});
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

struct Entry {
  std::string token;
  Json id;
};

/// The entries of one flat JSON object, in its order; no Json is made of them, which takes longer
/// than all the rest.
std::vector<Entry> read_entries(const std::filesystem::path& file) {
  std::vector<Entry> entries;
  const auto collect = [&entries](int depth, Json::parse_event_t event, Json& parsed) {
    if (depth == 1 && event == Json::parse_event_t::key) {
      entries.push_back({std::move(parsed.get_ref<std::string&>()), {}});
    } else if (depth == 1 && event == Json::parse_event_t::value && !entries.empty()) {
      entries.back().id = parsed;
    }
    return depth == 0;
  };
  const Json object = Json::parse(read_text(file), collect, /*allow_exceptions=*/false);
  KETTE_CHECK(object.is_object(), file.string(),
              ": expected a JSON object of tokens and their ids, given something else");
  return entries;
}

/// The tokens by id, as they are written.
std::vector<std::string> read_tokens(const std::filesystem::path& file) {
  std::vector<Entry> entries = read_entries(file);
  const std::string name = file.string();
  std::vector<std::string> tokens(entries.size());
  std::vector<char> is_taken(entries.size());
  for (Entry& entry : entries) {
    const auto id = entry.id.is_number_integer() ? entry.id.get<std::int64_t>() : -1;
    KETTE_CHECK(id >= 0 && id < static_cast<std::int64_t>(tokens.size()), name,
                ": expected ids from 0 to ", tokens.size() - 1, ", one for each of ", tokens.size(),
                " tokens, given ", entry.id.dump(), " for ", entry.token);
    const auto place = static_cast<std::size_t>(id);
    KETTE_CHECK(!is_taken[place], name, ": expected every id once, given ", id, " for both ",
                tokens[place], " and ", entry.token);
    is_taken[place] = true;
    tokens[place] = std::move(entry.token);
  }
  return tokens;
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
    merges.push_back({find(left), find(right), find(std::string(left).append(right))});
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
  Gpt2Vocabulary vocabulary;
  const std::string name = file.string();
  std::vector<std::string> written = read_tokens(file);
  {
    const TokenTable table(written);
    for (std::int32_t id = 0; id < table.size(); ++id) {
      KETTE_CHECK(table.find(table.text(id)) == id, name, ": expected every token once, given ",
                  table.text(id), " again for the id ", id);
    }
    vocabulary.merges = read_merges(one_of(folder, "merges.txt", "vocab.bpe"), table);
  }
  for (std::string& token : written) token = read(token, name);
  vocabulary.tokens = TokenTable(written);
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
  std::string json = "{", merges = "#version: 0.2\n";
  for (std::int32_t id = 0; id < tokens.size(); ++id) {
    json += (id > 0 ? ", " : "") + Json(write(tokens.text(id))).dump() + ": " + std::to_string(id);
  }
  for (const BytePairMerges::Merge& merge : vocabulary.merges) {
    merges += write(tokens.text(merge.left)) + " " + write(tokens.text(merge.right)) + "\n";
  }
  return {{"vocab.json", json + "}\n"}, {"merges.txt", std::move(merges)}};
}

}  // namespace kette
