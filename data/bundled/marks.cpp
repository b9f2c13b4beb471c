#include "data/bundled/marks.h"

#include <cstdint>
#include <map>

namespace kette::bundled {
namespace {

constexpr char kBegin = '\1', kEnd = '\2';

/// The indices of the words of each part, by role.
using Parts = std::map<std::string, std::map<char, std::vector<int>>>;

Parts parts_of(const std::string& text) {
  Parts parts;
  int word = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == ' ') ++word;
    if (text[i] != kBegin) continue;
    const std::size_t end = text.find(kEnd, i);
    parts[text.substr(i + 1, end - i - 2)][text[end - 1]].push_back(word);
    i = end;
  }
  return parts;
}

}  // namespace

std::string marked(const std::string& words, const void* part, Role role) {
  const std::string mark = kBegin + std::to_string(reinterpret_cast<std::uintptr_t>(part)) +
                           static_cast<char>(role) + kEnd;
  std::string text;
  for (const char letter : words) {
    if (letter == ' ') text += mark;
    text += letter;
  }
  return text.empty() ? text : text + mark;
}

std::string without_marks(const std::string& text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == kBegin) {
      i = text.find(kEnd, i);
    } else {
      plain += text[i];
    }
  }
  return plain;
}

std::vector<WordLink> links_of(const std::string& english, const std::string& german) {
  const Parts sources = parts_of(english), targets = parts_of(german);
  std::map<std::pair<int, int>, bool> sure;
  for (const auto& [part, source] : sources) {
    const auto target = targets.find(part);
    if (target == targets.end()) continue;
    for (const auto& [role, from] : source) {
      for (const auto& [other, to] : target->second) {
        const bool alone = role == other && from.size() == 1 && to.size() == 1;
        for (const int a : from) {
          for (const int b : to) sure[{a, b}] |= alone;
        }
      }
    }
  }
  std::vector<WordLink> links;
  for (const auto& [words, is_sure] : sure) links.push_back({words.first, words.second, is_sure});
  return links;
}

}  // namespace kette::bundled
