#include "inspect/lab/alignment_error.h"

namespace kette {

void AlignmentError::add(const std::set<std::pair<int, int>>& found,
                         std::span<const bundled::WordLink> truth) {
  found_ += std::ssize(found);
  for (const bundled::WordLink& link : truth) {
    const bool is_found = found.contains({link.english, link.german});
    sure_ += link.sure;
    found_sure_ += link.sure && is_found;
    found_possible_ += is_found;
  }
}

double AlignmentError::value() const {
  const std::int64_t all = found_ + sure_;
  return all == 0
             ? 0
             : 1 - static_cast<double>(found_sure_ + found_possible_) / static_cast<double>(all);
}

std::vector<int> words_of_pieces(const Tokenizer& tokenizer, std::span<const std::int32_t> ids) {
  constexpr std::string_view kSpace = "\xE2\x96\x81";  // U+2581, as SentencePiece writes it
  std::vector<int> words;
  int word = -1;
  for (const std::int32_t id : ids) {
    std::string piece = tokenizer.piece(id);
    if (piece.starts_with(kSpace)) {
      ++word;
      piece.erase(0, kSpace.size());
    }
    const bool is_mark = !piece.empty() && piece.find_first_not_of(".,?!") == std::string::npos;
    words.push_back(is_mark ? -1 : word);
  }
  return words;
}

std::set<std::pair<int, int>> linked_words(std::span<const std::int64_t> source,
                                           std::span<const int> source_words,
                                           std::span<const int> target_words) {
  std::set<std::pair<int, int>> links;
  for (std::size_t i = 0; i < source.size(); ++i) {
    if (target_words[i] < 0 || source[i] < 0) continue;
    links.emplace(source_words[static_cast<std::size_t>(source[i])], target_words[i]);
  }
  return links;
}

}  // namespace kette
