#include "data/tokenizers/character_tokenizer.h"

#include <algorithm>
#include <cstdio>

#include "data/files/encoding.h"
#include "data/files/json_text.h"
#include "data/files/text_file.h"
#include "data/files/text_source.h"
#include "data/files/unicode.h"
#include "data/files/utf8.h"
#include "tensor/error.h"

namespace kette {
namespace {

constexpr const char* kFile = "characters.json";
constexpr std::int32_t kNone = -1;
constexpr std::size_t kCodePoints = 0x110000;

std::string formatted(const char* format, unsigned number) {
  char digits[16];
  std::snprintf(digits, sizeof digits, format, number);
  return digits;
}

/// Calls action(character, where) for every character of UTF-8. before: the bytes in front of the text.
template <class Action>
void for_characters(std::string_view text, const std::string& name, const Action& action,
                    std::int64_t before = 0) {
  for (std::size_t at = 0; at < text.size();) {
    const Utf8Character character = utf8_character(text, at);
    const std::int64_t offset = before + static_cast<std::int64_t>(at);
    KETTE_CHECK(character.bytes > 0, name, ": ",
                expected_utf8(before == 0 ? text : std::string_view(), text[at],
                              " at byte offset " + std::to_string(offset)));
    action(character.code_point, offset);
    at += character.bytes;
  }
}

/// The characters of texts, in code point order.
class CharacterSet {
 public:
  void add(char32_t character) { seen_[character] = true; }
  std::u32string characters() const {
    std::u32string characters;
    for (std::size_t code_point = 0; code_point < kCodePoints; ++code_point) {
      if (seen_[code_point]) characters.push_back(static_cast<char32_t>(code_point));
    }
    return characters;
  }

 private:
  std::vector<bool> seen_ = std::vector<bool>(kCodePoints);
};

/// The character of an entry of characters.json.
char32_t character_of(const Json& entry, const std::string& name) {
  if (entry.is_string()) {
    const auto& spelt = entry.get_ref<const std::string&>();
    const Utf8Character character = utf8_character(spelt, 0);
    if (character.bytes > 0 && character.bytes == spelt.size()) return character.code_point;
  }
  fail(name, ": expected a list of strings of one character each, given ", entry.dump(), " in it");
}

}  // namespace

CharacterTokenizer::CharacterTokenizer(std::u32string_view characters, bool has_mask)
    : ids_(static_cast<std::size_t>(*std::max_element(characters.begin(), characters.end())) + 1,
           kNone),
      has_mask_(has_mask) {
  for (const char32_t character : characters) {
    ids_[character] = static_cast<std::int32_t>(spelt_.size());
    spelt_.push_back(encode_utf8({&character, 1}));
  }
}

std::shared_ptr<const CharacterTokenizer> CharacterTokenizer::from_text(std::string_view text,
                                                                        const std::string& name,
                                                                        bool with_mask) {
  KETTE_CHECK(!text.empty(), name, ": expected a text to take the characters of, given none");
  check_not_utf16(text, name);
  CharacterSet set;
  for_characters(text, name, [&](char32_t character, std::int64_t) { set.add(character); });
  return std::shared_ptr<const CharacterTokenizer>(
      new CharacterTokenizer(set.characters(), with_mask));
}

std::shared_ptr<const CharacterTokenizer> CharacterTokenizer::from_files(
    const std::vector<std::filesystem::path>& files, bool with_mask) {
  constexpr char32_t kMarkOfByteOrder = 0xFEFF;
  CharacterSet set;
  for (const std::filesystem::path& file : files) {
    TextSource source(file);
    const auto add = [&](char32_t character, std::int64_t offset) {
      if (character != kMarkOfByteOrder || offset > 0) set.add(character);
    };
    std::string part;
    for (std::int64_t before = 0; source.append_to(part);) {
      if (before == 0) check_not_utf16(part, source.name());
      const std::size_t whole = part.size() - unfinished_utf8(part);
      for_characters(std::string_view(part).substr(0, whole), source.name(), add, before);
      part.erase(0, whole);
      before += static_cast<std::int64_t>(whole);
    }
    for_characters(part, source.name(), add, source.bytes_read() - std::ssize(part));
  }
  const std::u32string characters = set.characters();
  KETTE_CHECK(!characters.empty(), files.front().string(),
              ": expected a text to take the characters of, given none");
  return std::shared_ptr<const CharacterTokenizer>(new CharacterTokenizer(characters, with_mask));
}

std::shared_ptr<const CharacterTokenizer> CharacterTokenizer::load(
    const std::filesystem::path& folder) {
  const std::string name = (folder / kFile).string();
  Json list = parse_json(read_text(folder / kFile), name);
  const bool with_mask = list.is_array() && list.size() > 1 && list.back() == kMaskPiece;
  if (with_mask) list.erase(list.size() - 1);
  KETTE_CHECK(list.is_array() && !list.empty(), name,
              ": expected a JSON list of strings, given something else");
  std::u32string characters;
  std::vector<bool> seen(kCodePoints);
  for (const Json& entry : list) {
    const char32_t character = character_of(entry, name);
    KETTE_CHECK(!seen[character], name, ": expected every character once, given ", entry.dump(),
                " twice");
    seen[character] = true;
    characters.push_back(character);
  }
  return std::shared_ptr<const CharacterTokenizer>(new CharacterTokenizer(characters, with_mask));
}

std::vector<std::int32_t> CharacterTokenizer::encode_text(std::string_view text, Side) const {
  std::vector<std::int32_t> ids;
  ids.reserve(text.size());
  for_characters(text, "character tokenizer", [&](char32_t character, std::int64_t at) {
    const std::int32_t id = character < ids_.size() ? ids_[character] : kNone;
    KETTE_CHECK(
        id != kNone, "character tokenizer: expected one of the ", spelt_.size(),
        " characters of its training text, given '", encode_utf8({&character, 1}), "' (",
        formatted("U+%04X", character), ") at byte offset ", at,
        " (leave it out, or train with another --tokenizer, such as byte or sentencepiece)");
    ids.push_back(id);
  });
  return ids;
}

std::string CharacterTokenizer::decode(std::span<const std::int32_t> ids) const {
  check_ids(ids);
  std::string text;
  for (const std::int32_t id : ids) {
    if (id < end()) text += spelt_[id];
  }
  return text;
}

std::vector<std::pair<std::string, std::string>> CharacterTokenizer::files() const {
  Json list(spelt_);
  if (has_mask_) list.push_back(kMaskPiece);
  return {{kFile, list.dump() + "\n"}};
}

}  // namespace kette
