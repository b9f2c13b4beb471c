// Context for models that have learnt to translate several sentences at once: a sentence is
// translated after the previous ones, and only its own translation is kept (Tiedemann and Scherrer
// 2017, "Neural Machine Translation with Extended Context").
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
  /// most: the number of previous sentences.
  explicit PreviousSentences(std::int64_t most) : most_(static_cast<std::size_t>(most)) {}

  struct Together {
    std::string text;
    std::int64_t before = 0;  ///< number of previous sentences in `text`
  };
  /// The sentence after as many previous ones as fit in `room` tokens. Stops at one that the
  /// splitter cannot separate again.
  Together with(const std::string& sentence, const SentenceSplitter& splitter, std::size_t room,
                const SentenceSplitter::Cost& tokens) const;

  void add(const std::string& sentence);
  /// Starts another text.
  void forget() { sentences_.clear(); }

 private:
  std::size_t most_;
  std::deque<std::string> sentences_;
};

/// The last sentence of a translation of before + 1 sentences; empty if the translation has another
/// number.
std::optional<std::string> last_sentence(std::string_view translation, std::int64_t before,
                                         const SentenceSplitter& splitter);

}  // namespace kette
