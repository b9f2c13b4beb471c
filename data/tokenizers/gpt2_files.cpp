#include "data/tokenizers/gpt2_files.h"

#include <algorithm>
#include <unordered_set>

#include "data/files/json_text.h"
#include "data/files/text_file.h"
#include "data/files/unicode.h"
#include "data/files/utf8.h"
#include "data/tokenizers/added_tokens.h"
#include "data/tokenizers/special_tokens.h"
#include "data/tokenizers/tokenizer_class.h"
#include "data/tokenizers/tokenizer_json.h"
#include "data/tokenizers/vocabulary_json.h"
#include "tensor/error.h"

namespace kette {
namespace {

constexpr std::string_view kVersion = "#version";
constexpr std::int16_t kNoByte = -1;

/// Which character each byte is written as, and back.
struct Alphabet {
  std::array<std::string, 256> written;
  std::array<std::int16_t, 256 + 68> bytes;  // by code point; 68 bytes are not printable

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

/// A vocabulary and its merges as written.
struct Written {
  std::string name;                 ///< of the file of the vocabulary
  std::vector<std::string> tokens;  ///< by id
  std::int64_t plain = 0;           ///< the others were added
  std::vector<BytePairMerges::Merge> merges;
};

/// Adds merges one by one. where: for errors.
class MergeList {
 public:
  explicit MergeList(const TokenTable& written) : written_(written) {}

  template <class Where>
  void add(std::string_view left, std::string_view right, const Where& where) {
    const auto merge = [&] { return std::string(left) + " " + std::string(right); };
    const auto find = [&](std::string_view token) {
      const std::int32_t id = written_.find(token);
      KETTE_CHECK(id != TokenTable::kNone, where(), ": expected tokens of the vocabulary, given ",
                  token, " in the merge ", merge(), ", which has no id");
      return id;
    };
    const std::string result = std::string(left).append(right);
    KETTE_CHECK(result != kEndOfTextPiece, where(), ": expected merges of text, given ", merge(),
                ", by which a text could end its own document");
    merges.push_back({find(left), find(right), find(result)});
    const auto pair = static_cast<std::uint64_t>(merges.back().left) << 32 |
                      static_cast<std::uint64_t>(merges.back().right);
    KETTE_CHECK(pairs_.insert(pair).second, where(), ": expected every merge once, given ", merge(),
                " again");
  }

  std::vector<BytePairMerges::Merge> merges;

 private:
  const TokenTable& written_;
  std::unordered_set<std::uint64_t> pairs_;
};

std::vector<BytePairMerges::Merge> read_merges(const std::filesystem::path& file,
                                               const TokenTable& written) {
  const TextLines lines = read_lines(file);
  MergeList list(written);
  for (std::int64_t i = 0; i < lines.size(); ++i) {
    const std::string_view line = lines[i];
    if (line.empty() || (i == 0 && line.substr(0, kVersion.size()) == kVersion)) continue;
    const auto where = [&] { return file.string() + ":" + std::to_string(i + 1); };
    const std::size_t space = line.find(' ');
    KETTE_CHECK(space != std::string_view::npos && space > 0 && space + 1 < line.size() &&
                    line.find(' ', space + 1) == std::string_view::npos,
                where(), ": expected two tokens with a space between them, given ", line);
    list.add(line.substr(0, space), line.substr(space + 1), where);
  }
  return std::move(list.merges);
}

std::vector<std::string> texts_of(const TokenTable& table) {
  std::vector<std::string> texts;
  for (std::int32_t id = 0; id < table.size(); ++id) texts.emplace_back(table.text(id));
  return texts;
}

Written read_two_files(const std::filesystem::path& folder) {
  expect_tokenizer_class(
      folder, {"GPT2Tokenizer", "GPT2TokenizerFast", "CodeGenTokenizer", "CodeGenTokenizerFast"});
  const std::filesystem::path file = one_of(folder, "vocab.json", "encoder.json");
  const TokenTable table = read_vocabulary_json(file);
  return {file.string(), texts_of(table), table.size(),
          read_merges(one_of(folder, "merges.txt", "vocab.bpe"), table)};
}

/// Throws unless every step is as in GPT-2's.
void check_steps(const TokenizerJson& json) {
  json.expect("model/type", {"BPE", nullptr});
  for (const char* key : {"continuing_subword_prefix", "end_of_word_suffix"}) {
    json.expect(std::string("model/") + key, {nullptr, ""});
  }
  json.expect("model/dropout", {nullptr, 0.0});
  for (const char* key : {"byte_fallback", "ignore_merges"}) {
    json.expect(std::string("model/") + key, {false, nullptr});
  }
  json.expect("normalizer", {nullptr});
  json.expect("pre_tokenizer/type", {"ByteLevel"});
  json.expect("pre_tokenizer/add_prefix_space", {false});
  json.expect("pre_tokenizer/use_regex", {true, nullptr});
  json.expect_between({}, {});
}

/// Added tokens may fill gaps of its vocabulary.
Written read_tokenizer_json(const std::filesystem::path& folder) {
  const TokenizerJson json(folder / kTokenizerJson);
  check_steps(json);
  std::vector<std::pair<std::string, std::int64_t>> entries = json.vocabulary();
  Written written{json.file(), {}, 0, {}};
  for (const auto& [token, id] : entries) written.plain = std::max(written.plain, id + 1);
  std::unordered_set<std::string> known;
  for (const auto& entry : entries) known.insert(entry.first);
  for (const AddedToken& token : read_added_tokens(folder)) {
    const bool fills_gap = token.id < written.plain && !known.contains(token.content);
    KETTE_CHECK(
        !fills_gap || write(token.content) == token.content, token.file,
        ": expected an added token within the vocabulary in printable characters of ASCII, given ",
        token.content, " for the id ", token.id);
    if (fills_gap) entries.emplace_back(token.content, token.id);
  }
  written.tokens.resize(entries.size());
  for (const auto& [token, id] : entries) {
    KETTE_CHECK(id < std::ssize(entries) && written.tokens[id].empty() && !token.empty(),
                json.file(), ": expected ids from 0 to ", entries.size() - 1, ", one for each of ",
                entries.size(), " tokens, given ", id, " for ", token);
    written.tokens[id] = token;
  }
  const TokenTable table(written.tokens);
  MergeList list(table);
  for (const auto& [left, right] : json.merges())
    list.add(left, right, [&] { return json.file(); });
  written.merges = std::move(list.merges);
  return written;
}

/// Throws if the token could cross a place where a document may be cut
/// (data/corpora/text_documents.h).
void check_can_be_found(const AddedToken& token) {
  bool has_blank = first_invalid_utf8(token.content) != std::string::npos;
  if (!has_blank) {
    const std::u32string text = decode_utf8(token.content);
    has_blank = std::any_of(text.begin(), text.end(), is_white_space);
  }
  KETTE_CHECK(!has_blank, token.file,
              ": expected added tokens without white space, at which Kette may cut a text, given ",
              Json(token.content).dump());
}

/// Appends tokens outside of the vocabulary, and lists those that are matched literally.
void take_added_tokens(const std::filesystem::path& folder, std::vector<std::string>& bytes,
                       Gpt2Vocabulary& vocabulary) {
  const TokenTable plain(bytes);
  for (const AddedToken& token : read_added_tokens(folder)) {
    const bool is_next =
        token.id == std::ssize(bytes) && plain.find(token.content) == TokenTable::kNone;
    if (is_next) bytes.push_back(token.content);
    KETTE_CHECK(token.id < std::ssize(bytes) && bytes[token.id] == token.content, token.file,
                ": expected an added token to go on from the ", bytes.size(),
                " that there are, or to be one of them, given ", token.content, " for the id ",
                token.id);
    check_can_be_found(token);
    if (token.content != kEndOfTextPiece) vocabulary.found_whole.push_back(token.id);
  }
  const TokenTable all(bytes);
  for (const NamedToken& token : read_named_tokens(folder)) {
    const std::int32_t id = all.find(token.content);
    if (id == TokenTable::kNone || token.content == kEndOfTextPiece) continue;
    check_can_be_found({token.content, id, token.file});
    vocabulary.found_whole.push_back(id);
  }
  std::vector<std::int32_t>& found = vocabulary.found_whole;
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
}

void check_settings(const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / "tokenizer_config.json";
  if (!std::filesystem::exists(file)) return;
  const auto json = parse_json<nlohmann::json>(read_text(file), file.string());
  for (const char* key : {"add_prefix_space", "add_bos_token", "add_eos_token"}) {
    const bool is_off =
        !json.is_object() || !json.contains(key) || json[key].is_null() || json[key] == false;
    KETTE_CHECK(is_off, file.string(), ": expected false for \"", key,
                "\", which is all that Kette's tokenizer has, given ", json[key].dump());
  }
}

}  // namespace

Gpt2Vocabulary read_gpt2_vocabulary(const std::filesystem::path& folder) {
  const bool is_one_file = std::filesystem::exists(folder / kTokenizerJson);
  Written written = is_one_file ? read_tokenizer_json(folder) : read_two_files(folder);
  check_settings(folder);
  const std::string& name = written.name;
  Gpt2Vocabulary vocabulary;
  vocabulary.merges = std::move(written.merges);
  vocabulary.plain = std::ssize(written.tokens);
  std::vector<std::string> bytes;
  for (const std::string& token : written.tokens) bytes.push_back(read(token, name));
  take_added_tokens(folder, bytes, vocabulary);
  vocabulary.tokens = TokenTable(bytes);
  const TokenTable& tokens = vocabulary.tokens;
  for (std::size_t byte = 0; byte < 256; ++byte) {
    const char character = static_cast<char>(byte);
    vocabulary.byte_ids[byte] = tokens.find({&character, 1});
    KETTE_CHECK(vocabulary.byte_ids[byte] != TokenTable::kNone, name,
                ": expected a token for each of the 256 bytes, given none for byte ", byte,
                ", which is written ", alphabet().written[byte]);
  }
  vocabulary.end_of_text = tokens.find(kEndOfTextPiece);
  KETTE_CHECK(vocabulary.end_of_text != TokenTable::kNone, name, ": expected the token ",
              kEndOfTextPiece, ", given a vocabulary without it");
  return vocabulary;
}

std::vector<std::pair<std::string, std::string>> gpt2_files(const Gpt2Vocabulary& vocabulary) {
  const TokenTable& tokens = vocabulary.tokens;
  std::vector<std::string> written;
  for (std::int32_t id = 0; id < vocabulary.plain; ++id) written.push_back(write(tokens.text(id)));
  std::string merges = "#version: 0.2\n";
  for (const BytePairMerges::Merge& merge : vocabulary.merges) {
    merges += write(tokens.text(merge.left)) + " " + write(tokens.text(merge.right)) + "\n";
  }
  std::vector<std::pair<std::string, std::string>> files = {
      {"vocab.json", vocabulary_json(written)}, {"merges.txt", std::move(merges)}};
  std::vector<AddedToken> added;
  for (const std::int32_t id : vocabulary.found_whole) {
    added.push_back({std::string(tokens.text(id)), id, kAddedTokensFile});
  }
  if (!added.empty()) files.emplace_back(kAddedTokensFile, added_tokens_json(added));
  return files;
}

}  // namespace kette
