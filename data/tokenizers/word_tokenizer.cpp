#include "data/tokenizers/word_tokenizer.h"

#include <algorithm>
#include <cctype>
#include <set>

#include "data/files/json_text.h"
#include "data/files/text_file.h"
#include "data/files/utf8.h"
#include "data/trees/tree.h"
#include "tensor/error.h"

namespace kette {
namespace {

constexpr std::int32_t kFirst = 4;  // after the marks

bool is_upper(char c) { return std::isupper(static_cast<unsigned char>(c)) != 0; }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool is_letter(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || static_cast<unsigned char>(c) >= 0x80;
}

/// A word's looks, from the most to the least specific: "<C-ings>", "<C-ngs>", ..., "<C->". F: a
/// capital perhaps due to the start of a sentence; C: another capital; U: only capitals; 0: digits.
std::vector<std::string> looks_of(const std::string& word, bool is_first) {
  std::string shape;
  if (std::any_of(word.begin(), word.end(), is_digit)) shape += '0';
  if (is_upper(word.front())) shape += is_first ? 'F' : 'C';
  const bool has_lower =
      std::any_of(word.begin(), word.end(), [](char c) { return is_letter(c) && !is_upper(c); });
  if (is_upper(word.front()) && word.size() > 1 && !has_lower) shape += 'U';
  if (word.find('-') != std::string::npos) shape += 'h';
  if (std::none_of(word.begin(), word.end(), [](char c) { return is_letter(c) || is_digit(c); })) {
    shape += 'P';
  }
  std::vector<std::string> looks;
  for (std::size_t ending = std::min<std::size_t>(4, word.size());; --ending) {
    // Never half a character.
    const std::size_t at = word.size() - ending;
    const bool is_cut = ending > 0 && continues_utf8(word[at]);
    if (!is_cut) looks.push_back("<" + shape + "-" + lower_ascii(word.substr(at)) + ">");
    if (ending == 0) return looks;
  }
}

}  // namespace

WordTokenizer::WordTokenizer(const std::vector<std::string>& looks,
                             const std::vector<std::string>& words, const std::string& name)
    : looks_(looks.size()), spelt_{"<pad>", "<unk>", "<s>", "</s>"} {
  const auto add = [&](const std::string& entry, auto& ids) {
    KETTE_CHECK(ids.emplace(entry, static_cast<std::int32_t>(spelt_.size())).second, name,
                ": expected every entry once, given ", entry, " twice");
    spelt_.push_back(entry);
  };
  for (const std::string& look : looks) add(look, looks_ids_);
  for (const std::string& word : words) add(word, words_ids_);
}

WordTokenizer::Shared WordTokenizer::train(std::span<const std::string_view> lines,
                                           std::int64_t vocabulary) {
  std::map<std::string, std::int64_t> counts, looks;
  for (const std::string_view line : lines) {
    for (const std::string& word : split_words(line)) ++counts[word];
  }
  KETTE_CHECK(!counts.empty(), "Tokenizer: expected lines with words, given none");
  for (const std::string_view line : lines) {
    bool is_first = true;
    for (const std::string& word : split_words(line)) {
      if (counts[word] <= kRare) {
        for (const std::string& look : looks_of(word, is_first)) ++looks[look];
      }
      is_first = false;
    }
  }
  std::vector<std::string> kept_looks, kept_words;
  for (const auto& [look, count] : looks) {
    if (count >= kFewLooks) kept_looks.push_back(look);
  }
  std::vector<std::pair<std::int64_t, std::string>> by_count;
  for (const auto& [word, count] : counts) {
    if (count > kRare) by_count.emplace_back(-count, word);
  }
  std::sort(by_count.begin(), by_count.end());
  const std::int64_t room = vocabulary - kFirst - std::ssize(kept_looks);
  KETTE_CHECK(room > 0, "Tokenizer: expected a vocabulary of more than ", vocabulary - room,
              " ids, which the looks of rare words take, given ", vocabulary);
  for (const auto& [count, word] : by_count) {
    if (std::ssize(kept_words) < room) kept_words.push_back(word);
  }
  return Shared(new WordTokenizer(kept_looks, kept_words, "words"));
}

WordTokenizer::Shared WordTokenizer::load(const std::filesystem::path& folder) {
  const std::string name = (folder / kFile).string();
  const Json json = parse_json(read_text(folder / kFile), name);
  return Shared(
      new WordTokenizer(strings_in(json, "looks", name), strings_in(json, "words", name), name));
}

std::string WordTokenizer::piece(std::int32_t id) const {
  check_ids({&id, 1});
  return spelt_[id];
}

std::string WordTokenizer::decode(std::span<const std::int32_t> ids) const {
  check_ids(ids);
  std::string text;
  for (const std::int32_t id : ids) {
    if (id < kFirst && id != special().unknown) continue;
    text += (text.empty() ? "" : " ") + spelt_[id];
  }
  return text;
}

std::vector<std::int32_t> WordTokenizer::encode_text(std::string_view text, Side) const {
  std::vector<std::int32_t> ids;
  for (const std::string& word : split_words(text)) {
    auto found = words_ids_.find(word);
    // The first word of a sentence may be known without its capital.
    if (found == words_ids_.end() && ids.empty()) {
      found = words_ids_.find(lower_ascii(word.substr(0, 1)) + word.substr(1));
    }
    std::int32_t id = found == words_ids_.end() ? special().unknown : found->second;
    if (found == words_ids_.end()) {
      for (const std::string& look : looks_of(word, ids.empty())) {
        const auto known = looks_ids_.find(look);
        if (known == looks_ids_.end()) continue;
        id = known->second;
        break;
      }
    }
    ids.push_back(id);
  }
  return ids;
}

std::vector<std::pair<std::string, std::string>> WordTokenizer::files() const {
  const auto words = spelt_.begin() + kFirst + static_cast<std::ptrdiff_t>(looks_);
  const Json json = {{"looks", std::vector<std::string>(spelt_.begin() + kFirst, words)},
                     {"words", std::vector<std::string>(words, spelt_.end())}};
  // All bytes are UTF-8, since trees are read as UTF-8.
  return {{kFile, json.dump(0) + "\n"}};
}

}  // namespace kette
