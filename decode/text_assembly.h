// What of texts goes to a model at once, and how the texts are put together of its translations again.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "decode/sentence_mending.h"
#include "decode/text_translator.h"

namespace kette {

/// What the model is given of a text, and what becomes of it.
struct TranslationUnit {
  std::size_t text;
  Sentence part;
  bool divided = false;
  std::string_view source{};
  PreparedSentence prepared{};
  std::vector<std::size_t> marks{};  // which of the text's marks the sentence has
  Translation translation{};
  SentenceNotes notes{};
  std::vector<std::int32_t> loop{};
  std::string mended{};        // with what was taken out
  std::vector<Mark> placed{};  // in it, of `marks`: partner says which of them
  bool done = false;

  /// Whether the words beside marks decide where these go.
  bool needs_links() const;
  /// Puts the marks into the text, and takes what was taken out for text again.
  void place(const UnitLinks& links);
};

/// Puts the texts together, of sentences that are done.
class TextAssembly {
 public:
  TextAssembly(const std::vector<SourceText>& sources, std::vector<TranslationUnit>& units,
               std::vector<std::string> faults, bool keeps_space, const TakeText& take)
      : sources_(sources),
        units_(units),
        faults_(std::move(faults)),
        keeps_space_(keeps_space),
        take_(take) {}

  /// Hands out the next texts of which no sentence is missing.
  void go_on();

 private:
  TranslatedText put_together(std::size_t end);

  const std::vector<SourceText>& sources_;
  std::vector<TranslationUnit>& units_;
  std::vector<std::string> faults_;
  bool keeps_space_;
  const TakeText& take_;
  std::size_t next_text_ = 0, next_unit_ = 0;
  std::size_t done_ = 0;  // so many units are, without a gap
};

}  // namespace kette
