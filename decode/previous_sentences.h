// A sentence with those before it, for models that have learnt several at once: they are translated together, and of the
// translation the last sentence is taken (Tiedemann and Scherrer 2017, "Neural Machine Translation with Extended Context").
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "data/sentences/sentence_splitter.h"

namespace kette {

class PreviousSentences {
 public:
  /// most: sentences before one.
  explicit PreviousSentences(std::int64_t most) : most_(static_cast<std::size_t>(most)) {}

  struct Together {
    std::string text;
    std::int64_t before = 0;  ///< so many sentences are
  };
  /// As many of those before it as `room` allows, and as can be told from each other and from it.
  Together with(const std::string& sentence, const SentenceSplitter& splitter, std::size_t room,
                const SentenceSplitter::Cost& tokens) const;

  void add(const std::string& sentence);
  /// What comes next is another text.
  void forget() { sentences_.clear(); }

 private:
  std::size_t most_;
  std::deque<std::string> sentences_;
};

/// What a sentence became behind `before` others; nothing if the translation has more or fewer than that.
std::optional<std::string> last_sentence(std::string_view translation, std::int64_t before,
                                         const SentenceSplitter& splitter);

}  // namespace kette
