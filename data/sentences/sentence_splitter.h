// Splits text into sentences by rules: end marks, the words on both sides of them, lists of
// abbreviations. English, German and French. A wrong cut harms a translation more than a missing
// one, so doubtful cases are not cut.
//
// A sentence may end at white space after . ! ? … (and closing marks after them) or after 。！？. It
// does not end
// - before lower case, after any mark: "Yahoo! is", "'Great.' she said", "mean...see";
// - after an abbreviation (Stop in data/sentences/language.h) or an initial: "Jonas E. Smith";
// - after an ordinal, in German: "am 3. Mai", "Ludwig XIV. war";
// - after the number of a list item: "1. The first";
// - inside brackets that opened in the sentence, or quotation marks after which it continues in
//   lower case.
// Words with inner stops (numbers, addresses, file names) have no white space, so they are never
// cut. A sentence ends without a mark at a blank line, at a line end if asked for, and before the
// next list item.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "tensor/enum_names.h"

namespace kette {

namespace sentences {
struct Language;
}

/// Bytes [begin, end) of a text, trimmed.
struct Sentence {
  std::size_t begin = 0, end = 0;
  std::string_view of(std::string_view text) const { return text.substr(begin, end - begin); }
  friend bool operator==(const Sentence&, const Sentence&) = default;
};

/// What a single line feed means. A blank line always ends a sentence.
enum class LineBreaks {
  end,  ///< the end of a sentence
  join  ///< a space, as in text wrapped to a width
};

/// Names as in translation services.
template <>
inline constexpr auto kNamesOf<LineBreaks> =
    enum_names<LineBreaks>({{LineBreaks::end, "sentences"}, {LineBreaks::join, "nonewlines"}});

class SentenceSplitter {
 public:
  /// language: one of languages(), else an Error.
  explicit SentenceSplitter(const std::string& language);

  static std::vector<std::string> languages();

  /// The sentences of well-formed UTF-8, ascending, with only white space between. Linear time.
  std::vector<Sentence> split(std::string_view text, LineBreaks breaks = LineBreaks::end) const;

  /// The cost of a piece of text for a model, e.g. its tokens.
  using Cost = std::function<std::size_t(std::string_view)>;
  /// Cuts a sentence into parts of at most `most` each, about equally long: after ; : , or at a
  /// dash, else before a conjunction, else at a space, else (if one word costs more) within a word.
  /// A single character that costs more is a part.
  std::vector<Sentence> parts(std::string_view sentence, std::size_t most, const Cost& cost) const;

 private:
  const sentences::Language* language_;
};

}  // namespace kette
