#include "decode/previous_sentences.h"

namespace kette {

PreviousSentences::Together PreviousSentences::with(const std::string& sentence,
                                                    const SentenceSplitter& splitter,
                                                    std::size_t room,
                                                    const SentenceSplitter::Cost& tokens) const {
  Together all{sentence};
  for (auto one = sentences_.rbegin(); one != sentences_.rend(); ++one) {
    const std::string more = *one + " " + all.text;
    const bool is_told_apart = std::ssize(splitter.split(more)) == all.before + 2;
    if (!is_told_apart || tokens(more) > room) break;
    all = {more, all.before + 1};
  }
  return all;
}

void PreviousSentences::add(const std::string& sentence) {
  sentences_.push_back(sentence);
  if (sentences_.size() > most_) sentences_.pop_front();
}

std::optional<std::string> last_sentence(std::string_view translation, std::int64_t before,
                                         const SentenceSplitter& splitter) {
  const std::vector<Sentence> sentences = splitter.split(translation);
  if (std::ssize(sentences) != before + 1) return std::nullopt;
  return std::string(sentences.back().of(translation));
}

}  // namespace kette
