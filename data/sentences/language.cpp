#include "data/sentences/language.h"

namespace kette::sentences {
namespace {

/// Calls take(word) for each word between spaces.
template <class Take>
void for_words(std::string_view words, const Take& take) {
  while (true) {
    const std::size_t begin = words.find_first_not_of(' ');
    if (begin == std::string_view::npos) return;
    words.remove_prefix(begin);
    const std::string_view word = words.substr(0, words.find(' '));
    take(word);
    words.remove_prefix(word.size());
  }
}

std::unordered_set<std::string_view> set_of(std::string_view words) {
  std::unordered_set<std::string_view> set;
  for_words(words, [&](std::string_view word) { set.insert(word); });
  return set;
}

}  // namespace

Language::Language(std::string_view language, std::initializer_list<Abbreviations> table,
                   std::string_view starter_words, std::string_view conjunction_words,
                   std::string_view words_before_ordinals)
    : name(language),
      starters(set_of(starter_words)),
      conjunctions(set_of(conjunction_words)),
      before_ordinals(set_of(words_before_ordinals)) {
  for (const Abbreviations& row : table) {
    for_words(row.words, [&](std::string_view word) {
      if (word.front() == '-') {
        endings.emplace(word.substr(1), row.stop);
      } else {
        abbreviations.emplace(word, row.stop);
      }
    });
  }
}

}  // namespace kette::sentences
