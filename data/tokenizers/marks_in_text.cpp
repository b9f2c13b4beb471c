#include "data/tokenizers/marks_in_text.h"

#include <set>

namespace kette {
namespace {

std::vector<std::string> searched(const Tokenizer& tokenizer,
                                  const std::vector<std::string>& others,
                                  const std::vector<std::string>& heeded) {
  const std::vector<std::string> own = tokenizer.marks();
  std::set<std::string> marks(own.begin(), own.end());
  marks.insert(others.begin(), others.end());
  for (const std::string& mark : heeded) marks.erase(mark);
  return {marks.begin(), marks.end()};
}

}  // namespace

MarksInText::MarksInText(const Tokenizer& tokenizer, const std::vector<std::string>& others,
                         const std::vector<std::string>& heeded)
    : marks_(searched(tokenizer, others, heeded)),
      counts_(static_cast<std::size_t>(marks_.size())) {}

std::vector<std::int64_t> MarksInText::count(std::string_view text) const {
  std::vector<std::int64_t> counts(counts_.size());
  for (std::size_t at = 0; at < text.size();) {
    const auto [begin, mark] = marks_.find(text, at);
    if (mark == TokenTable::kNone) break;
    ++counts[static_cast<std::size_t>(mark)];
    at = begin + marks_.string(mark).size();
  }
  return counts;
}

void MarksInText::add(const std::vector<std::int64_t>& counts) {
  for (std::size_t i = 0; i < counts_.size(); ++i) counts_[i] += counts[i];
}

std::string MarksInText::text() const {
  std::string text;
  for (std::int32_t mark = 0; mark < marks_.size(); ++mark) {
    const std::int64_t count = counts_[static_cast<std::size_t>(mark)];
    if (count == 0) continue;
    text += (text.empty() ? "'" : ", '") + std::string(marks_.string(mark)) + "' " +
            (count == 1 ? "once" : std::to_string(count) + " times");
  }
  return text.empty() ? text : text + ": read as text, and not as marks";
}

}  // namespace kette
