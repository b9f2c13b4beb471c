#include "data/sentences/numbers.h"

#include <algorithm>
#include <array>
#include <map>

#include "data/files/utf8.h"
#include "data/sentences/ascii.h"
#include "data/sentences/text_units.h"

namespace kette {
namespace {

using sentences::is_digit;

bool is_digit_at(std::string_view text, std::size_t at) {
  return at < text.size() && is_digit(text[at]);
}
std::size_t digits_end(std::string_view text, std::size_t at) {
  while (is_digit_at(text, at)) ++at;
  return at;
}

/// How a language writes a number.
struct NumberForm {
  std::string_view group;  ///< the character between thousands, besides narrow spaces
  char decimal;
  bool spaces_group;  ///< a plain space as well
};
NumberForm form_of(const std::string& language) {
  if (language == "de") return {".'", ',', false};
  if (language == "fr") return {".", ',', true};
  return {",", '.', false};
}

/// Bytes of a space between thousands: no-break, thin or narrow; any in French.
std::size_t space_bytes(std::string_view text, std::size_t at, const NumberForm& form) {
  if (at >= text.size()) return 0;
  if (text[at] == ' ') return form.spaces_group ? 1 : 0;
  if (text.substr(at, 2) == "\xC2\xA0") return 2;
  const std::string_view three = text.substr(at, 3);
  const bool is_narrow = three == "\xE2\x80\xAF" || three == "\xE2\x80\x89";
  return is_narrow ? 3 : 0;
}

/// Whether a group of exactly three digits begins at `at`.
bool is_group(std::string_view text, std::size_t at) {
  return digits_end(text.substr(0, std::min(text.size(), at + 4)), at) == at + 3;
}

std::string without_zeros_before(std::string_view digits) {
  const std::size_t first = std::min(digits.find_first_not_of('0'), digits.size());
  return first == digits.size() ? "0" : std::string(digits.substr(first));
}

/// The value of one number in the language's form, up to `end`; empty if it is not one.
std::string decimal_value(std::string_view text, std::size_t begin, std::size_t end,
                          const NumberForm& form) {
  std::size_t at = digits_end(text, begin);
  std::string whole(text.substr(begin, at - begin));
  std::string_view separator;
  while (at < end && whole.front() != '0') {
    const std::size_t spaces = space_bytes(text, at, form);
    const std::size_t bytes = spaces > 0 ? spaces : form.group.find(text[at]) < form.group.size();
    if (bytes == 0 || !is_group(text, at + bytes)) break;
    if (separator.empty() ? at - begin > 3 : text.substr(at, bytes) != separator) break;
    separator = text.substr(at, bytes);
    whole += text.substr(at + bytes, 3);
    at += bytes + 3;
  }
  std::string value = without_zeros_before(whole);
  if (at == end) return value;
  if (text[at] != form.decimal) return {};
  std::string_view fraction = text.substr(at + 1, digits_end(text, at + 1) - at - 1);
  if (fraction.empty() || at + 1 + fraction.size() != end) return {};
  fraction = fraction.substr(0, fraction.find_last_not_of('0') + 1);
  return fraction.empty() ? value : value.append(".").append(fraction);
}

/// "10:30" of 10.30, 10:30 and 10,30.
std::string parts_value(std::string_view written) {
  std::string value;
  for (std::size_t at = 0; at < written.size();) {
    const std::size_t end = digits_end(written, at);
    if (end > at) {
      if (!value.empty()) value += ':';
      value += without_zeros_before(written.substr(at, end - at));
    }
    at = std::max(end, at + 1);
  }
  return value;
}

Number number_at(std::string_view text, std::size_t begin, const NumberForm& form) {
  std::size_t end = digits_end(text, begin);
  const std::size_t first = end - begin;
  // First thousands with spaces, then all separators between digits.
  std::size_t spaces = 0;
  while (first <= 3 && text[begin] != '0' && (spaces = space_bytes(text, end, form)) > 0 &&
         is_group(text, end + spaces)) {
    end += spaces + 3;
  }
  while (end + 1 < text.size() && std::string_view(".,:'").find(text[end]) < 4 &&
         is_digit(text[end + 1])) {
    end = digits_end(text, end + 1);
  }
  std::string value = decimal_value(text, begin, end, form);
  if (value.empty()) value = parts_value(text.substr(begin, end - begin));
  return {begin, end, std::move(value)};
}

/// Whether p.m. follows a time.
bool is_afternoon(std::string_view text, std::size_t at) {
  while (at < text.size() && (text[at] == ' ' || text.substr(at, 2) == "\xC2\xA0")) {
    at += text[at] == ' ' ? 1 : 2;
  }
  const auto is = [&](std::size_t i, char c) { return i < text.size() && (text[i] | 0x20) == c; };
  if (!is(at, 'p')) return false;
  const std::size_t m = at + 1 < text.size() && text[at + 1] == '.' ? at + 2 : at + 1;
  return is(m, 'm');
}

/// "15:30" of "3:30"; empty unless it is an hour before noon.
std::string twelve_hours_later(const std::string& value) {
  const std::size_t digits = std::min(value.find(':'), value.size());
  if (digits > 2 || value.find('.') != std::string::npos) return {};
  const int hour = std::stoi(value.substr(0, digits));
  return hour < 1 || hour > 11 ? std::string() : std::to_string(hour + 12) + value.substr(digits);
}

using Words = std::vector<std::string_view>;
/// Number words up to twelve; a star means adjective endings.
const std::array<Words, 13>& number_words(const std::string& language) {
  static const std::array<Words, 13> english = {{{"zero", "no", "none"},
                                                 {"one", "first", "once", "a", "an", "single"},
                                                 {"two", "second", "twice", "both"},
                                                 {"three", "third"},
                                                 {"four", "fourth"},
                                                 {"five", "fifth"},
                                                 {"six", "sixth"},
                                                 {"seven", "seventh"},
                                                 {"eight", "eighth"},
                                                 {"nine", "ninth"},
                                                 {"ten", "tenth"},
                                                 {"eleven", "eleventh"},
                                                 {"twelve", "twelfth", "noon", "dozen"}}};
  static const std::array<Words, 13> german = {{{"null", "kein*"},
                                                {"ein*", "eins", "erst*", "einmal"},
                                                {"zwei", "zwei*", "zweit*", "beid*", "zweimal"},
                                                {"drei", "drei*", "dritt*", "dreimal"},
                                                {"vier", "viert*"},
                                                {"fünf", "fünft*"},
                                                {"sechs", "sechst*"},
                                                {"sieben", "siebt*", "siebent*"},
                                                {"acht", "acht*"},
                                                {"neun", "neunt*"},
                                                {"zehn", "zehnt*"},
                                                {"elf", "elft*"},
                                                {"zwölf", "zwölft*", "Dutzend", "mittag*"}}};
  static const std::array<Words, 13> french = {
      {{"zéro", "aucun", "aucune"},
       {"un", "une", "premier", "première", "premiers", "premières"},
       {"deux", "deuxième", "second", "seconde"},
       {"trois", "troisième"},
       {"quatre", "quatrième"},
       {"cinq", "cinquième"},
       {"six", "sixième"},
       {"sept", "septième"},
       {"huit", "huitième"},
       {"neuf", "neuvième"},
       {"dix", "dixième"},
       {"onze", "onzième"},
       {"douze", "douzième", "midi", "douzaine"}}};
  return language == "de" ? german : language == "fr" ? french : english;
}

bool is_word(std::string_view word, std::string_view known) {
  const auto same = [](char a, char b) { return a == b || sentences::lowered(a) == b; };
  const bool inflects = known.back() == '*';
  if (inflects) known.remove_suffix(1);
  if (word.size() < known.size() || !std::equal(known.begin(), known.end(), word.begin(),
                                                [&](char a, char b) { return same(b, a); })) {
    return false;
  }
  const std::string_view ending = word.substr(known.size());
  static constexpr std::string_view kEndings[] = {"", "e", "en", "er", "es", "em", "s"};
  return ending.empty() || (inflects && std::find(std::begin(kEndings), std::end(kEndings),
                                                  ending) != std::end(kEndings));
}

/// The numbers that a text contains, each taken at most once.
class Supply {
 public:
  Supply(std::string_view text, const std::string& language) {
    for (const Number& number : numbers_in(text, language)) {
      const std::string written(text.substr(number.begin, number.end - number.begin));
      all_.push_back({number.value, parts_value(written), written, false});
      put_back(all_.size() - 1);
    }
    const auto& words = number_words(language);
    for (const TextUnit& unit : text_units(text)) {
      if (!unit.is_word || is_digit(text[unit.begin])) continue;
      for (std::size_t i = 0; i < words.size(); ++i) {
        for (const std::string_view known : words[i]) {
          if (!is_word(unit.of(text), known)) continue;
          ++spelled_[std::to_string(i)];
          break;
        }
      }
    }
  }

  /// The name of a number of this value that is written so.
  static std::string alike(const std::string& value, const std::string& written) {
    return value + " " + written;
  }
  /// Takes a number under any of its names.
  bool take(const std::string& key) { return taken(key) != kNone; }
  bool take_word(const std::string& value) {
    const auto found = spelled_.find(value);
    return found != spelled_.end() && found->second-- > 0;
  }
  /// Takes all parts of a time or date as separate numbers, or none.
  bool take_parts(const std::string& parts) {
    std::vector<std::string> each;
    for (std::size_t at = 0; at <= parts.size();) {
      const std::size_t end = std::min(parts.find(':', at), parts.size());
      each.push_back(parts.substr(at, end - at));
      at = end + 1;
    }
    if (each.size() < 2 || each.size() > kMostParts) return false;
    std::vector<std::size_t> places;
    for (const std::string& part : each) {
      const std::size_t place = taken(part);
      if (place == kNone) break;
      places.push_back(place);
    }
    if (places.size() == each.size()) return true;
    for (const std::size_t place : places) put_back(place);
    return false;
  }

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1), kMostParts = 8;
  struct Entry {
    std::string value, parts, written;
    bool taken;
  };
  std::size_t taken(const std::string& key) {
    const auto found = by_key_.find(key);
    if (key.empty() || found == by_key_.end()) return kNone;
    std::vector<std::size_t>& places = found->second;
    while (!places.empty() && all_[places.back()].taken) places.pop_back();
    if (places.empty()) return kNone;
    all_[places.back()].taken = true;
    return places.back();
  }
  void put_back(std::size_t place) {
    Entry& entry = all_[place];
    entry.taken = false;
    for (const std::string& key :
         {alike(entry.value, entry.written), entry.value, entry.parts, entry.written}) {
      by_key_[key].push_back(place);
    }
  }

  std::vector<Entry> all_;
  std::map<std::string, std::vector<std::size_t>> by_key_;
  std::map<std::string, int> spelled_;
};

}  // namespace

std::vector<Number> numbers_in(std::string_view text, const std::string& language) {
  const NumberForm form = form_of(language);
  std::vector<Number> numbers;
  for (std::size_t at = 0; at < text.size();) {
    if (!is_digit(text[at])) {
      ++at;
      continue;
    }
    numbers.push_back(number_at(text, at, form));
    at = numbers.back().end;
  }
  return numbers;
}

std::vector<std::string> missing_numbers(std::string_view source,
                                         const std::string& source_language,
                                         std::string_view target,
                                         const std::string& target_language) {
  Supply supply(target, target_language);
  const std::vector<Number> wanted = numbers_in(source, source_language);
  std::vector<bool> found(wanted.size());
  // The surest readings of all numbers first, so that no number takes what another needs.
  const auto look = [&](const auto& take) {
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      if (!found[i]) found[i] = take(wanted[i]);
    }
  };
  const auto written = [&](const Number& number) {
    return std::string(source.substr(number.begin, number.end - number.begin));
  };
  look([&](const Number& number) {
    return supply.take(Supply::alike(number.value, written(number)));
  });
  look([&](const Number& number) { return supply.take(number.value); });
  look([&](const Number& number) { return supply.take(written(number)); });
  look([&](const Number& number) { return supply.take(parts_value(written(number))); });
  look([&](const Number& number) {
    if (!is_afternoon(source, number.end)) return false;
    const std::string later = twelve_hours_later(number.value);
    return !later.empty() && (supply.take(later) || supply.take_parts(later));
  });
  look([&](const Number& number) { return supply.take_parts(parts_value(written(number))); });
  look([&](const Number& number) { return supply.take_word(number.value); });
  std::vector<std::string> missing;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (!found[i]) missing.push_back(wanted[i].value);
  }
  return missing;
}

}  // namespace kette
