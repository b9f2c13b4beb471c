#include "data/sentences/sentence_splitter.h"

#include <utility>

#include "data/files/utf8.h"
#include "data/sentences/enclosures.h"
#include "data/sentences/language.h"
#include "data/sentences/list_items.h"
#include "data/sentences/stops.h"
#include "data/sentences/words.h"
#include "tensor/error.h"

namespace kette {
namespace sentences {
namespace {

const std::vector<const Language*>& all_languages() {
  static const std::vector<const Language*> all = {&english(), &german(), &french()};
  return all;
}

/// Splits a paragraph, word by word.
class Splitting {
 public:
  Splitting(const Language& language, std::string_view text)
      : language_(language), text_(text), items_(language), enclosures_(text) {}

  /// Appends sentences; offset: where the paragraph begins.
  void run(std::size_t offset, std::vector<Sentence>& sentences) {
    Word next = next_word(text_, 0);
    if (next.empty()) return;
    begin_sentence(next);
    while (true) {
      take(next);
      next = next_word(text_, last_.end);
      if (!next.empty() && !ends_before(next)) continue;
      sentences.push_back({offset + begin_, offset + last_.end});
      if (next.empty()) return;
      begin_sentence(next);
    }
  }

 private:
  void begin_sentence(Word word) {
    begin_ = word.begin;
    begins_with_dash_ = is_dash_alone(text_, word);
    words_ = 0;
    word_ = before_ = before_that_ = {};
    items_.begin(text_, word);
  }

  void take(Word word) {
    last_ = word;
    const bool only = words_ > 0 && closes(word);
    for (std::size_t i = word.begin; i < word.end; ++i) quotes_ += text_[i] == '"';
    if (only) {
      add_marks(ending_.marks, text_, word);
      return;
    }
    if (words_ > 0 && is_omission(text_, word)) return;
    enclosures_.enter(word, words_ == 0);
    before_that_ = before_;
    before_ = word_;
    word_ = word;
    ending_ = end_of(text_, word);
    if (start_of(text_, word).lead != Lead::opening) ++words_;
  }

  /// Whether a word belongs to the sentence before it.
  bool closes(Word word) const {
    if (is_ellipsis(text_, word) && ending_.marks.any() && !ending_.marks.omits()) return false;
    return only_ends(text_, word, quotes_ % 2 == 1);
  }

  bool ends_before(Word next) const {
    if (begins_line(next) && begins_item(next)) return true;
    if (items_.continues(text_, next)) return true;
    if (words_ == 0) return false;  // only opening marks so far
    if (!ending_.marks.any() || enclosures_.hold(last_.end)) return false;
    if (closes(next) || is_omission(text_, next)) return false;
    return mark_ends(next);
  }

  bool begins_line(Word next) const {
    const std::string_view between = text_.substr(last_.end, next.begin - last_.end);
    return between.find('\n') != std::string_view::npos;
  }

  /// A bullet at the start of a line, or - and * if the sentence before has ended or begins with
  /// the same.
  bool begins_item(Word next) const {
    const std::string_view word = text_.substr(next.begin, next.end - next.begin);
    if (is_bullet(utf8_character(word, 0).code_point)) return true;
    if (word != "-" && word != "*" && word != "\u2013") return false;
    const std::string_view before = text_.substr(begin_, last_.end - begin_);
    return ending_.marks.any() || before.ends_with(':') ||
           before.starts_with(std::string(word) + " ");
  }

  bool mark_ends(Word next) const {
    // A dash continues a sentence, except in a dialogue: "— Oui. — Non."
    if (is_dash_alone(text_, next) && !begins_with_dash_) return false;
    constexpr int kOpeningWords = 3;  // as in « ( Oui
    WordStart start = start_of(text_, next);
    for (int i = 0; i < kOpeningWords && start.lead == Lead::opening; ++i) {
      next = next_word(text_, next.end);
      if (next.empty()) return false;
      start = start_of(text_, next);
    }
    if (start.lead == Lead::lower || start.lead == Lead::none || start.lead == Lead::opening) {
      return false;
    }
    const EndMarks& marks = ending_.marks;
    if (marks.lone_stop()) {
      return stop_ends(language_,
                       {text_, before_, before_that_, ending_, words_ <= 1, next, start});
    }
    if (marks.omits()) {
      if (start.lead == Lead::digit) return false;
      const bool is_pronoun =  // "I ... I mean"
          language_.name == "en" && lowered_letters(text_, start.at, next.end) == "i";
      return !is_pronoun;
    }
    return true;
  }

  const Language& language_;
  std::string_view text_;
  ListItems items_;
  Enclosures enclosures_;
  std::size_t begin_ = 0, words_ = 0, quotes_ = 0;  // of the sentence; " so far
  bool begins_with_dash_ = false;
  Word last_;                         // of any kind
  Word word_, before_, before_that_;  // the last word that is more than marks, and those before it
  WordEnd ending_;                    // of word_, with the marks after it
};

/// The end of the paragraph that begins at `from`: at its line end, or before a blank line.
std::size_t paragraph_end(std::string_view text, std::size_t from, LineBreaks breaks) {
  std::size_t at = from;
  while (true) {
    const std::size_t end = text.find('\n', at);
    if (end == std::string_view::npos) return text.size();
    if (breaks == LineBreaks::end || is_blank(text.substr(at, end - at))) return end + 1;
    at = end + 1;
  }
}

}  // namespace
}  // namespace sentences

SentenceSplitter::SentenceSplitter(const std::string& language) : language_(nullptr) {
  std::string known;
  for (const sentences::Language* one : sentences::all_languages()) {
    if (one->name == language) language_ = one;
    known += (known.empty() ? "" : ", ") + std::string(one->name);
  }
  KETTE_CHECK(language_ != nullptr, "sentences: expected a language of ", known, ", given ",
              language);
}

std::vector<std::string> SentenceSplitter::languages() {
  std::vector<std::string> names;
  for (const sentences::Language* one : sentences::all_languages()) names.emplace_back(one->name);
  return names;
}

std::vector<Sentence> SentenceSplitter::split(std::string_view text, LineBreaks breaks) const {
  std::vector<Sentence> found;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = sentences::paragraph_end(text, begin, breaks);
    sentences::Splitting(*language_, text.substr(begin, end - begin)).run(begin, found);
    begin = end;
  }
  return found;
}

}  // namespace kette
