// Text into sentences, by rules: end marks, the words at both sides of them, lists of abbreviations. English, German and
// French. A cut too many costs a translation more than one too few, so doubt is no cut.
//
// A sentence may end at white space behind . ! ? … (and what closes behind them) or behind 。！？. It does not
// - before lower case, whatever the mark: "Yahoo! is", "'Great.' she said", "mean...see";
// - behind an abbreviation (Stop in data/sentences/language.h) or an initial: "Jonas E. Smith";
// - behind a number that counts, in German: "am 3. Mai", "Ludwig XIV. war";
// - behind the number of a list's item: "1. The first";
// - within brackets that opened within a sentence, or quotation marks after which it goes on in lower case.
// What has a stop within a word (numbers, addresses, names of files) holds no white space, and so is never cut.
// It ends without a mark at a blank line, at a line end if asked to, and before the next item of a list.
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

/// Bytes [begin, end) of a text, without white space at its ends.
struct Sentence {
  std::size_t begin = 0, end = 0;
  std::string_view of(std::string_view text) const { return text.substr(begin, end - begin); }
  friend bool operator==(const Sentence&, const Sentence&) = default;
};

/// What one line feed is. A blank line ends a sentence always.
enum class LineBreaks {
  end,  ///< the end of a sentence
  join  ///< a space, as in text wrapped to a width
};

/// As translation services call them.
template <>
inline constexpr auto kNamesOf<LineBreaks> =
    enum_names<LineBreaks>({{LineBreaks::end, "sentences"}, {LineBreaks::join, "nonewlines"}});

class SentenceSplitter {
 public:
  /// One of languages(); an Error otherwise.
  explicit SentenceSplitter(const std::string& language);

  static std::vector<std::string> languages();

  /// The sentences of well-formed UTF-8, rising; what is between them is white space, and all of it. Takes time in
  /// proportion to the text.
  std::vector<Sentence> split(std::string_view text, LineBreaks breaks = LineBreaks::end) const;

  /// What a piece of text costs a model: its tokens, say.
  using Cost = std::function<std::size_t(std::string_view)>;
  /// A sentence in parts of at most `most` each, about equally long: cut behind ; : , or at a dash, else before a
  /// conjunction, else at a space, else (a word alone costs more) within a word. One character may cost more than
  /// `most`, and is a part then.
  std::vector<Sentence> parts(std::string_view sentence, std::size_t most, const Cost& cost) const;

 private:
  const sentences::Language* language_;
};

}  // namespace kette
