#include "data/documents/document.h"

#include <algorithm>
#include <functional>
#include <map>

#include "data/files/utf8.h"
#include "tensor/error.h"

namespace kette {
namespace {

/// Returns the spellings of a block's characters: for each character those of the source in order,
/// then the last one for all others.
class SpellingQueue {
 public:
  explicit SpellingQueue(const std::vector<Spelling>& spellings) {
    for (const Spelling& one : spellings) of_[one.plain].push_back(one.spelled);
  }
  /// nullptr: none.
  const std::string* next(std::string_view plain) {
    const auto found = of_.find(plain);
    if (found == of_.end()) return nullptr;
    std::size_t& used = used_[found->first];
    const std::string& spelled = found->second[std::min(used, found->second.size() - 1)];
    ++used;
    return &spelled;
  }

 private:
  std::map<std::string, std::vector<std::string>, std::less<>> of_;
  std::map<std::string, std::size_t> used_;
};

}  // namespace

void DocumentOfBytes::add(TextBlock block, std::size_t begin, std::size_t end, std::string before,
                          std::string after) {
  KETTE_CHECK(
      begin <= end && end <= bytes_.size() && (ranges_.empty() || ranges_.back().end <= begin),
      "document: expected blocks one after the other");
  KETTE_CHECK(blocks_.size() < kMostBlocks, "document: expected at most ", kMostBlocks,
              " paragraphs or cells, given more (cut the document into smaller ones)");
  blocks_.push_back(std::move(block));
  ranges_.push_back({begin, end, std::move(before), std::move(after)});
}

std::string DocumentOfBytes::escaped(std::string_view character, bool) const {
  return std::string(character);
}

bool DocumentOfBytes::reads_back(std::size_t, std::string_view, std::string_view) const {
  return true;
}

std::string_view DocumentOfBytes::bytes_of(std::size_t index) const {
  const Range& range = ranges_[index];
  return std::string_view(bytes_).substr(range.begin, range.end - range.begin);
}

std::string DocumentOfBytes::written(std::size_t index, const TextBlock& block) const {
  std::string out;
  SpellingQueue queue(blocks_[index].spellings);
  std::size_t mark = 0;
  bool at_start = true;
  std::size_t behind_break = 0;  // where the current line begins
  for (std::size_t at = 0; at <= block.text.size();) {
    bool instead = false;  // of the current character
    for (; mark < block.marks.size() && block.marks[mark].at <= at; ++mark) {
      const bool breaks = block.marks[mark].kind == Mark::Kind::breaks;
      if (breaks) instead = at_start = true;
      const bool is_empty = out.size() == behind_break || at == block.text.size();
      if (breaks && is_empty && !keeps_empty_lines()) continue;
      out += block.marks[mark].bytes;
      if (breaks) behind_break = out.size();
    }
    if (at == block.text.size()) break;
    if (instead) {
      at += utf8_length(block.text[at]);
      continue;
    }
    const std::size_t next = mark < block.marks.size()
                                 ? std::min(block.marks[mark].at, block.text.size())
                                 : block.text.size();
    std::vector<Character> characters;
    for (; at < next; at_start = false) {
      const std::string_view plain =
          std::string_view(block.text).substr(at, utf8_length(block.text[at]));
      at += plain.size();
      characters.push_back({plain, queue.next(plain), at_start});
    }
    out += written(index, characters);
  }
  return out;
}

std::string DocumentOfBytes::written(std::size_t index,
                                     const std::vector<Character>& characters) const {
  // Backwards, since the text after a spelling decides whether it reads back.
  std::string backward;
  for (std::size_t i = characters.size(); i > 0; --i) {
    const Character& one = characters[i - 1];
    bool is_fine = one.spelled != nullptr;
    if (is_fine) {
      constexpr std::size_t kMost = 48;
      const std::size_t count = std::min(kMost, backward.size());
      const std::string rest(backward.rbegin(),
                             backward.rbegin() + static_cast<std::ptrdiff_t>(count));
      is_fine = reads_back(index, *one.spelled, rest);
    }
    const std::string bytes = is_fine ? *one.spelled : escaped(one.plain, one.at_start);
    backward.append(bytes.rbegin(), bytes.rend());
  }
  std::reverse(backward.begin(), backward.end());
  return backward;
}

std::string DocumentOfBytes::with(const std::vector<TextBlock>& translations) const {
  return with(translations, {});
}

std::string DocumentOfBytes::with(const std::vector<TextBlock>& translations,
                                  const std::vector<DocumentEdit>& edits) const {
  KETTE_CHECK(translations.size() == blocks_.size(), "document: expected ", blocks_.size(),
              " translated blocks, given ", translations.size());
  std::string out;
  std::size_t at = 0, edit = 0;
  const auto copy_to = [&](std::size_t end) {
    for (; edit < edits.size() && edits[edit].begin <= end; ++edit) {
      out.append(bytes_, at, edits[edit].begin - at).append(edits[edit].text);
      at = edits[edit].end;
    }
    out.append(bytes_, at, end - at);
  };
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    copy_to(ranges_[i].begin);
    out += before(i, translations);
    out += written(i, translations[i]);
    out += ranges_[i].after;
    at = ranges_[i].end;
  }
  copy_to(bytes_.size());
  return out;
}

}  // namespace kette
