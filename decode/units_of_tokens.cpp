// Tokens spell normalised text, so their bytes differ from the text's. They are matched word by
// word: a word that is encoded alone mostly gets the same tokens as within its text. Tokens within
// a word, or within a text for which this fails, are matched by the fraction of the characters.
#include <algorithm>

#include "data/files/utf8.h"
#include "decode/word_alignment.h"

namespace kette {
namespace {

std::string spelled(const Tokenizer& tokenizer, Side side, std::span<const std::int32_t> ids) {
  return side == Side::source ? tokenizer.decode_source(ids) : tokenizer.decode(ids);
}

/// Characters except spaces.
std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return c != ' ' && !continues_utf8(c); }));
}

/// Units without white space between them.
struct Stretch {
  std::size_t first, last;
};

std::vector<Stretch> stretches(const std::vector<TextUnit>& units) {
  std::vector<Stretch> all;
  for (std::size_t i = 0; i < units.size(); ++i) {
    if (i > 0 && units[i - 1].end == units[i].begin) {
      all.back().last = i;
    } else {
      all.push_back({i, i});
    }
  }
  return all;
}

/// Matches tokens to the units of a part of the text by their characters.
void match(const Tokenizer& tokenizer, Side side, std::string_view text,
           const std::vector<TextUnit>& units, Stretch part, std::span<const std::int32_t> ids,
           std::vector<TokenUnits>& found) {
  constexpr std::size_t kAtOnce = 64;  // for what is spelled so far is spelled again for each token
  std::vector<std::size_t> ends;       // of each token, in characters
  std::size_t before = 0;
  for (std::size_t from = 0; from < ids.size(); from += kAtOnce) {
    const std::size_t count = std::min(kAtOnce, ids.size() - from);
    for (std::size_t i = 1; i <= count; ++i) {
      const std::size_t end = before + characters(spelled(tokenizer, side, ids.subspan(from, i)));
      ends.push_back(ends.empty() ? end : std::max(end, ends.back()));
    }
    before = ends.back();
  }
  std::vector<std::size_t> unit_ends;
  std::size_t all = 0;
  for (std::size_t i = part.first; i <= part.last; ++i) {
    unit_ends.push_back(all += characters(units[i].of(text)));
  }
  const std::size_t of_tokens = std::max<std::size_t>(1, ends.empty() ? 0 : ends.back());
  const auto unit_at = [&](double place) {
    const auto next =
        std::partition_point(unit_ends.begin(), unit_ends.end(),
                             [&](std::size_t end) { return static_cast<double>(end) <= place; });
    return std::min(part.first + static_cast<std::size_t>(next - unit_ends.begin()), part.last);
  };
  std::size_t begin = 0;
  for (const std::size_t end : ends) {
    if (end == begin) {
      found.emplace_back();
      continue;
    }
    const double scale = static_cast<double>(all) / static_cast<double>(of_tokens);
    const double half = 0.5 * scale;  // within the first and the last character
    found.push_back({unit_at(static_cast<double>(begin) * scale + half),
                     unit_at(static_cast<double>(end) * scale - half)});
    begin = end;
  }
}

}  // namespace

std::vector<TokenUnits> units_of_tokens(const Tokenizer& tokenizer, Side side,
                                        const std::string& text, const std::vector<TextUnit>& units,
                                        std::span<const std::int32_t> ids) {
  std::vector<TokenUnits> found;
  if (units.empty()) return std::vector<TokenUnits>(ids.size());
  const std::vector<Stretch> words = stretches(units);
  std::size_t at = 0;
  for (const Stretch& word : words) {
    const std::size_t begin = units[word.first].begin, end = units[word.last].end;
    const auto alone = tokenizer.encode(std::string_view(text).substr(begin, end - begin), side);
    if (at + alone.size() > ids.size() ||
        !std::equal(alone.begin(), alone.end(), ids.begin() + static_cast<std::ptrdiff_t>(at))) {
      break;
    }
    match(tokenizer, side, text, units, word, ids.subspan(at, alone.size()), found);
    at += alone.size();
    if (&word == &words.back() && at == ids.size()) return found;
  }
  found.clear();
  match(tokenizer, side, text, units, {0, units.size() - 1}, ids, found);
  return found;
}

}  // namespace kette
