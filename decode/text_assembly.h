// The units of texts that a model translates one at a time, and how texts are assembled from their
// translations.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "decode/sentence_mending.h"
#include "decode/text_translator.h"

namespace kette {

/// A unit of a text: what the model gets, and its result.
struct TranslationUnit {
  std::size_t text;
  Sentence part;
  bool divided = false;
  std::int64_t number = 0;  // for the random draws
  std::string_view source{};
  PreparedSentence prepared{};
  std::vector<std::size_t> marks{};  // indices of its marks among the text's
  Translation translation{};
  SentenceNotes notes{};
  std::vector<std::int32_t> loop{};
  std::string mended{};        // with removed parts inserted
  std::vector<Mark> placed{};  // in `mended`; partner: index in `marks`
  bool done = false;
  std::string language{};     // as SourceSentence::language
  std::size_t tag_begin = 0;  // as TranslatedSentence::tag_begin

  /// Whether places of marks depend on word alignments.
  bool needs_links() const;
  /// Inserts the marks and the removed parts into the translation.
  void place(const UnitLinks& links);
};

/// Assembles texts from units that are done.
class TextAssembly {
 public:
  TextAssembly(const std::vector<SourceText>& sources, std::vector<TranslationUnit>& units,
               std::vector<std::string> faults, bool keeps_space, const TakeText& take)
      : sources_(sources),
        units_(units),
        faults_(std::move(faults)),
        keeps_space_(keeps_space),
        take_(take) {}

  /// Hands out the next texts whose units are all done.
  void go_on();

 private:
  TranslatedText put_together(std::size_t end);

  const std::vector<SourceText>& sources_;
  std::vector<TranslationUnit>& units_;
  std::vector<std::string> faults_;
  bool keeps_space_;
  const TakeText& take_;
  std::size_t next_text_ = 0, next_unit_ = 0;
  std::size_t done_ = 0;  // number of leading units that are done
};

}  // namespace kette
