// Cuts a sentence that is too long for a model in halves until all parts fit. The cost of a cut is
// its distance from the middle, as a share of the text, plus more for words that belong together.
#include <algorithm>
#include <cmath>
#include <limits>

#include "data/files/unicode.h"
#include "data/files/utf8.h"
#include "data/sentences/language.h"
#include "data/sentences/sentence_splitter.h"
#include "data/sentences/stops.h"
#include "data/sentences/words.h"

namespace kette {
namespace {

constexpr double kStrongMark = 0, kComma = 0.1, kConjunction = 0.18, kSpace = 0.3;
constexpr double kNoCut = std::numeric_limits<double>::infinity();

struct Cut {
  std::size_t end = 0, begin = 0;  ///< of the part before the cut, and of that after it
  double cost = kNoCut;
};

class LongSentence {
 public:
  LongSentence(const sentences::Language& language, std::string_view text, std::size_t most,
               const SentenceSplitter::Cost& cost)
      : language_(language), text_(text), most_(most), cost_(cost) {}

  std::vector<Sentence> run() {
    const Sentence all{sentences::next_word(text_, 0).begin, end_of_text()};
    if (all.begin < all.end) cut(all);
    return std::move(parts_);
  }

 private:
  std::size_t end_of_text() const {
    std::size_t end = 0;
    for (std::size_t at = 0; at < text_.size();) {
      const Utf8Character c = utf8_character(text_, at);
      at += c.bytes;
      if (!is_white_space(c.code_point)) end = at;
    }
    return end;
  }

  /// Every cut leaves a share of the text on both sides, or separates a word that is most of it, so
  /// the recursion is shallow.
  void cut(Sentence part) {
    const std::size_t cost = cost_(part.of(text_));
    const std::size_t count = cost / most_ + (cost % most_ > 0 ? 1 : 0);
    if (count <= 1) {
      parts_.push_back(part);
      return;
    }
    const double share = static_cast<double>(count / 2) / static_cast<double>(count);
    const auto wanted =
        part.begin + static_cast<std::size_t>(share * static_cast<double>(part.end - part.begin));
    Cut best = between_words(part, wanted);
    if (best.cost == kNoCut) best = within_word(part, wanted);
    if (best.cost == kNoCut) {
      parts_.push_back(part);
      return;
    }
    cut({part.begin, best.end});
    cut({best.begin, part.end});
  }

  Cut between_words(Sentence part, std::size_t wanted) const {
    Cut best;
    const std::string_view text = text_.substr(0, part.end);
    const double length = static_cast<double>(part.end - part.begin);
    sentences::Word word = sentences::next_word(text, part.begin);
    while (true) {
      const sentences::Word next = sentences::next_word(text, word.end);
      if (next.empty()) return best;
      const double distance =
          std::abs(static_cast<double>(next.begin) - static_cast<double>(wanted)) / length;
      // Looks at the words only if the distance alone is good enough.
      if (distance < best.cost) {
        const double cost = distance + cost_between(word, next);
        if (cost < best.cost) best = {word.end, next.begin, cost};
      }
      word = next;
    }
  }

  double cost_between(sentences::Word word, sentences::Word next) const {
    const sentences::EndMarks marks = sentences::end_of(text_, word).marks;
    const char last = text_[word.end - 1];
    if (marks.exclaims || last == ';' || last == ':') return kStrongMark;
    if (last == ',' || sentences::is_dash_alone(text_, next)) return kComma;
    const std::string first = sentences::lowered_letters(text_, next.begin, next.end);
    return language_.conjunctions.count(first) > 0 ? kConjunction : kSpace;
  }

  /// Cuts before the nearest character that does not combine with the one before.
  Cut within_word(Sentence part, std::size_t wanted) const {
    const auto parts_characters = [&](std::size_t at) {
      return !continues_utf8(text_[at]) &&
             !is_nonspacing_mark(utf8_character(text_, at).code_point);
    };
    for (std::size_t away = 0; away < part.end - part.begin; ++away) {
      const std::size_t right = wanted + away;
      if (right > part.begin && right < part.end && parts_characters(right))
        return {right, right, 0};
      if (away >= wanted - part.begin) continue;
      const std::size_t left = wanted - away;
      if (left < part.end && parts_characters(left)) return {left, left, 0};
    }
    return {};
  }

  const sentences::Language& language_;
  std::string_view text_;
  std::size_t most_;
  const SentenceSplitter::Cost& cost_;
  std::vector<Sentence> parts_;
};

}  // namespace

std::vector<Sentence> SentenceSplitter::parts(std::string_view sentence, std::size_t most,
                                              const Cost& cost) const {
  return LongSentence(*language_, sentence, std::max<std::size_t>(most, 1), cost).run();
}

}  // namespace kette
