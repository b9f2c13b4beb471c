#include "decode/sentence_mending.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "data/files/unicode.h"
#include "data/files/utf8.h"
#include "data/sentences/protected_text.h"

namespace kette {
namespace {

/// If fewer lines than this have capitals, they are errors in the training text.
constexpr double kFewCapitals = 0.02;
/// Text with fewer letters may be an abbreviation.
constexpr std::int64_t kFewLetters = 6;

struct Letters {
  std::int64_t capitals = 0, small = 0, digits = 0;

  bool are_capitals() const { return small == 0 && capitals >= kFewLetters; }
};

Letters letters_of(std::u32string_view text) {
  Letters letters;
  for (const char32_t character : text) {
    if (is_number(character)) ++letters.digits;
    if (!is_letter(character)) continue;
    const bool is_capital = lower({&character, 1}) != std::u32string_view(&character, 1);
    ++(is_capital ? letters.capitals : letters.small);
  }
  return letters;
}

bool knows_capitals(const std::optional<TextFacts>& facts) {
  return !facts || facts->capitals >= kFewCapitals;
}

/// Takes the characters of `changed` that have as many bytes as the original ones, and the original
/// ones otherwise, so that places of marks stay valid.
std::u32string in_place(const std::u32string& changed, const std::u32string& text) {
  if (changed.size() != text.size()) return text;
  std::u32string result = changed;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (encode_utf8({&changed[i], 1}).size() != encode_utf8({&text[i], 1}).size()) {
      result[i] = text[i];
    }
  }
  return result;
}

/// The character with its combining accents, as vocabularies have it.
std::string_view character_at(std::string_view text, std::size_t at) {
  std::size_t end = at + utf8_length(text[at]);
  while (end < text.size() && is_nonspacing_mark(utf8_character(text, end).code_point)) {
    end += utf8_length(text[end]);
  }
  return text.substr(at, end - at);
}

/// Characters without a glyph: joiners, soft hyphens, direction marks, variation selectors.
bool is_invisible(std::string_view character) {
  const char32_t code = utf8_character(character, 0).code_point;
  const bool is_private = code >= 0xE000 && code <= 0xF8FF;  // a symbol of somebody's font
  return (is_control(code) && !is_private) || (code >= 0xFE00 && code <= 0xFE0F);
}

/// The name of a tag of the text itself; empty: another removed part.
std::string_view tag_name(std::string_view bytes) {
  if (!bytes.starts_with('<') || !bytes.ends_with('>') || bytes.size() < 3) return {};
  const std::size_t begin = bytes[1] == '/' ? 2 : 1;
  return bytes.substr(begin, bytes.find_first_of(" \t\n\r/<>", begin) - begin);
}

/// Whether words on both sides of this tag are in different lines or cells.
bool is_line_tag(std::string_view bytes) {
  static constexpr std::string_view kNames[] = {"br", "p",  "div", "li", "ul", "ol",
                                                "dd", "dt", "hr",  "tr", "td", "th",
                                                "h1", "h2", "h3",  "h4", "h5", "h6"};
  return std::find(std::begin(kNames), std::end(kNames), tag_name(bytes)) != std::end(kNames);
}

/// Removes a part before the character at `next` of the sentence (NUL: its end). A tag that alone
/// separates two words becomes a break, so that they do not become one.
void remove_part(PreparedSentence& prepared, std::string_view bytes, char next) {
  constexpr std::string_view kBlank(" \t\r\n\0", 5);
  std::vector<Mark>& marks = prepared.marks;
  std::string& input = prepared.input;
  const bool is_line = is_line_tag(bytes);
  const bool is_next = !marks.empty() && prepared.given.back() == Mark::kNoPartner &&
                       marks.back().kind == Mark::Kind::breaks &&
                       marks.back().at + 1 == input.size();
  if (is_line && is_next) {
    marks.back().bytes += bytes;
    return;
  }
  prepared.given.push_back(Mark::kNoPartner);
  marks.push_back({Mark::Kind::stands, input.size(), std::string(bytes)});
  const bool touches = !input.empty() && kBlank.find(input.back()) == kBlank.npos &&
                       kBlank.find(next) == kBlank.npos;
  if (!is_line || !touches) return;
  marks.back().kind = Mark::Kind::breaks;
  input += ' ';
}

/// Makes pairs of the tags of the text itself, which then go around the translation of what is
/// between them. In a document with pairs of its own they might cross those.
void pair_tags(PreparedSentence& prepared) {
  std::vector<Mark>& marks = prepared.marks;
  std::vector<std::size_t> open;
  for (const Mark& mark : marks) {
    if (mark.kind == Mark::Kind::opens) return;
  }
  for (std::size_t i = 0; i < marks.size(); ++i) {
    const std::string_view name = tag_name(marks[i].bytes);
    const bool is_own = prepared.given[i] == Mark::kNoPartner;
    if (!is_own || marks[i].kind != Mark::Kind::stands || name.empty()) continue;
    if (marks[i].bytes[1] != '/') {
      open.push_back(i);
      continue;
    }
    const auto found = std::find_if(open.rbegin(), open.rend(), [&](std::size_t other) {
      return tag_name(marks[other].bytes) == name;
    });
    if (found == open.rend()) continue;
    marks[i].kind = Mark::Kind::closes;
    marks[i].partner = *found;
    marks[*found].kind = Mark::Kind::opens;
    marks[*found].partner = i;
    open.erase(std::prev(found.base()), open.end());
  }
}

}  // namespace

SentencePreparer::SentencePreparer(SharedTokenizer tokenizer, std::optional<TextFacts> facts)
    : tokenizer_(std::move(tokenizer)), facts_(std::move(facts)), unknown_(tokenizer_) {}

/// The small letter of an unknown capital, if it is known and has as many bytes; otherwise "".
std::string SentencePreparer::known_small(std::string_view character) {
  if (!unknown_.is_unknown(character)) return {};
  const std::string small = encode_utf8(lower(decode_utf8(character)));
  const bool is_known =
      small != character && small.size() == character.size() && !unknown_.is_unknown(small);
  return is_known ? small : std::string();
}

/// Ascending and disjoint.
std::vector<SentencePreparer::TakenOut> SentencePreparer::taken_out(std::string_view sentence,
                                                                    PreparedSentence& prepared) {
  std::vector<TakenOut> all;
  const std::vector<ProtectedSpan> spans = protected_spans(sentence);
  std::size_t span = 0;
  for (std::size_t at = 0; at < sentence.size();) {
    if (span < spans.size() && spans[span].begin == at) {
      all.push_back({spans[span].begin, spans[span].end});
      at = spans[span++].end;
      continue;
    }
    // A word with an unknown letter, or a run of other unknown characters, such as an emoji with
    // selectors and joiners.
    const std::size_t begin = at, limit = span < spans.size() ? spans[span].begin : sentence.size();
    const bool is_word = is_letter(utf8_character(sentence, at).code_point);
    bool is_unknown = false, is_seen = false;
    while (at < limit) {
      const std::string_view character = character_at(sentence.substr(0, limit), at);
      const char32_t code = utf8_character(sentence, at).code_point;
      const bool unknown = unknown_.is_unknown(character) && known_small(character).empty();
      if (is_word ? !is_letter(code) && !is_nonspacing_mark(code) : !unknown || is_letter(code)) {
        break;
      }
      const bool seen = !is_invisible(character);
      is_seen = is_seen || seen;
      is_unknown = is_unknown || unknown;
      if (unknown && seen) prepared.unknown.emplace_back(character);
      at += character.size();
    }
    if (is_unknown) all.push_back({begin, at, is_seen});
    if (at == begin) at += utf8_length(sentence[at]);
  }
  return all;
}

PreparedSentence SentencePreparer::prepare(std::string_view sentence,
                                           const std::vector<Mark>& marks) {
  PreparedSentence prepared;
  std::vector<std::size_t> places(marks.size());  // of the document's marks among all
  std::size_t from = 0, next = 0;
  const auto copy_to = [&](std::size_t end) {
    prepared.input += sentence.substr(from, end - from);
    from = end;
  };
  // Copies the document's marks up to a place. Parts removed there come after them.
  const auto pass_marks = [&](std::size_t end) {
    for (; next < marks.size() && marks[next].at <= end; ++next) {
      if (marks[next].at > from) copy_to(marks[next].at);
      places[next] = prepared.marks.size();
      prepared.marks.push_back(marks[next]);
      prepared.given.push_back(next);
      prepared.marks.back().at = prepared.input.size();
    }
  };
  const auto is_broken = [&](const TakenOut& part) {  // over two lines: none of them is one word
    return std::any_of(marks.begin(), marks.end(), [&](const Mark& mark) {
      return mark.kind == Mark::Kind::breaks && mark.at >= part.begin && mark.at < part.end;
    });
  };
  const std::vector<TakenOut> parts = taken_out(sentence, prepared);
  std::vector<char> next_characters(parts.size());  // behind each part and those that touch it
  for (std::size_t i = parts.size(); i-- > 0;) {
    const bool touches = i + 1 < parts.size() && parts[i + 1].begin == parts[i].end;
    const char own = parts[i].end < sentence.size() ? sentence[parts[i].end] : '\0';
    next_characters[i] = touches ? next_characters[i + 1] : own;
  }
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const TakenOut& part = parts[i];
    if (is_broken(part)) continue;
    pass_marks(part.begin);
    copy_to(part.begin);
    prepared.taken_out += part.is_kept ? 1 : 0;
    // In pieces, if the document has marks within the part.
    while (from < part.end) {
      const std::size_t end = next < marks.size() ? std::min(marks[next].at, part.end) : part.end;
      if (part.is_kept) {
        remove_part(prepared, sentence.substr(from, end - from), next_characters[i]);
      }
      from = end;
      if (end < part.end) pass_marks(end);
    }
  }
  pass_marks(sentence.size());
  copy_to(sentence.size());
  for (Mark& mark : prepared.marks) {
    if (mark.partner < places.size()) mark.partner = places[mark.partner];
  }
  pair_tags(prepared);
  set_case(prepared);
  return prepared;
}

/// Changes capitals to what the model knows.
void SentencePreparer::set_case(PreparedSentence& prepared) {
  const std::u32string text = decode_utf8(prepared.input);
  const Letters letters = letters_of(text);
  prepared.copied = letters.capitals + letters.small + letters.digits == 0;
  if (letters.capitals == 0) return;
  if (!knows_capitals(facts_)) {
    prepared.input = encode_utf8(in_place(lower(text), text));
    prepared.lowered = true;
    return;
  }
  if (letters.are_capitals()) {
    std::u32string small = lower(text);
    for (std::size_t i = 0; i < small.size(); ++i) {
      if (!is_letter(small[i])) continue;
      small[i] = text[i];
      break;
    }
    std::string input = encode_utf8(in_place(small, text));
    const std::vector<std::int32_t> before = tokenizer_->encode(prepared.input),
                                    after = tokenizer_->encode(input);
    const bool knows_them =
        3 * after.size() > 2 * before.size() &&
        std::find(before.begin(), before.end(), tokenizer_->special().unknown) == before.end();
    prepared.raised = !knows_them;
    if (prepared.raised) prepared.input = std::move(input);
  }
  for (std::size_t at = 0; at < prepared.input.size();) {
    const std::string_view character = character_at(prepared.input, at);
    const std::size_t size = character.size();
    const std::string small = known_small(character);
    if (!small.empty()) {
      prepared.input.replace(at, size, small);
      prepared.lowered = prepared.lowered || !prepared.raised;
    }
    at += size;
  }
}

std::string strange_case(const std::vector<std::string_view>& lines,
                         const std::optional<TextFacts>& facts) {
  const bool knows = knows_capitals(facts);
  std::int64_t strange = 0;
  for (const std::string_view line : lines) {
    const Letters letters = letters_of(decode_utf8(line));
    strange += (knows ? letters.are_capitals() : letters.capitals > 0) ? 1 : 0;
  }
  if (strange == 0) return {};
  return std::to_string(strange) + " of " + std::to_string(lines.size()) +
         (knows ? " lines are in capitals"
                : " lines have capitals, which the model's text has none of");
}

std::string raised(std::string_view text) { return encode_utf8(upper(decode_utf8(text))); }

}  // namespace kette
