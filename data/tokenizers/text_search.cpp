#include "data/tokenizers/text_search.h"

#include <algorithm>
#include <functional>

namespace kette {

TextSearch::TextSearch(const std::vector<std::string>& strings) : strings_(strings) {
  for (const std::string& string : strings) {
    lengths_.push_back(string.size());
    begins_[static_cast<unsigned char>(string.front())] = true;
  }
  std::sort(lengths_.begin(), lengths_.end(), std::greater<>());
  lengths_.erase(std::unique(lengths_.begin(), lengths_.end()), lengths_.end());
}

TextSearch::Place TextSearch::find(std::string_view text, std::size_t at) const {
  for (; at < text.size(); ++at) {
    if (!begins_[static_cast<unsigned char>(text[at])]) continue;
    for (const std::size_t length : lengths_) {
      if (length > text.size() - at) continue;
      const std::int32_t string = strings_.find(text.substr(at, length));
      if (string != TokenTable::kNone) return {at, string};
    }
  }
  return {text.size(), TokenTable::kNone};
}

}  // namespace kette
