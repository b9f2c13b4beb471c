#include "data/metrics/bracket_parameters.h"

#include <algorithm>
#include <charconv>

#include "tensor/error.h"

namespace kette {
namespace {

constexpr std::string_view kBlanks = " \t\r\v\f";

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) + 1 - begin);
}

/// Splits off the first word.
std::pair<std::string_view, std::string_view> parted(std::string_view text) {
  const std::size_t end = std::min(text.find_first_of(kBlanks), text.size());
  return {text.substr(0, end), trimmed(text.substr(end))};
}

/// A line of the file, for messages.
struct Line {
  std::string place;
  std::string_view keyword, value;

  std::int64_t number() const {
    std::int64_t number = 0;
    const char* end = value.data() + value.size();
    const auto [stopped, error] = std::from_chars(value.data(), end, number);
    KETTE_CHECK(error == std::errc() && stopped == end && number >= 0, place, ": ", keyword,
                ": expected a whole number, given ", value);
    return number;
  }
  std::pair<std::string, std::string> pair() const {
    const auto [first, rest] = parted(value);
    const auto [second, more] = parted(rest);
    KETTE_CHECK(!second.empty() && more.empty(), place, ": ", keyword,
                ": expected two values, given ", value);
    return {std::string(first), std::string(second)};
  }
};

void set(const Line& line, BracketParameters& parameters) {
  const std::string_view keyword = line.keyword;
  if (keyword == "DELETE_LABEL") {
    parameters.deleted.emplace(line.value);
  } else if (keyword == "DELETE_LABEL_FOR_LENGTH") {
    parameters.deleted_for_length.emplace(line.value);
  } else if (keyword == "QUOTE_LABEL") {
    parameters.quotes.emplace(line.value);
  } else if (keyword == "EQ_LABEL") {
    parameters.same_labels.push_back(line.pair());
  } else if (keyword == "EQ_WORD") {
    parameters.same_words.push_back(line.pair());
  } else if (keyword == "LABELED") {
    parameters.labelled = line.number() != 0;
  } else if (keyword == "CUTOFF_LEN") {
    parameters.cutoff = line.number();
  } else if (keyword == "MAX_ERROR") {
    parameters.most_errors = line.number();
  } else if (keyword == "DEBUG") {
    line.number();
  } else {
    fail(line.place,
         ": expected a keyword of evalb (DELETE_LABEL, DELETE_LABEL_FOR_LENGTH, QUOTE_LABEL, "
         "EQ_LABEL, EQ_WORD, LABELED, CUTOFF_LEN, MAX_ERROR, DEBUG), given ",
         keyword);
  }
}

bool are_same(const BracketParameters::Pairs& pairs, std::string_view a, std::string_view b) {
  return a == b || std::any_of(pairs.begin(), pairs.end(), [&](const auto& pair) {
           return (a == pair.first && b == pair.second) || (a == pair.second && b == pair.first);
         });
}

}  // namespace

bool BracketParameters::are_same_labels(std::string_view a, std::string_view b) const {
  return are_same(same_labels, a, b);
}

bool BracketParameters::are_same_words(std::string_view a, std::string_view b) const {
  return are_same(same_words, a, b);
}

bool BracketParameters::is_deleted_bracket(std::string_view label) const {
  return std::any_of(deleted.begin(), deleted.end(),
                     [&](const std::string& other) { return are_same_labels(label, other); });
}

BracketParameters parse_bracket_parameters(const TextLines& text, const std::string& name) {
  BracketParameters parameters{name, {},  {}, {}, {}, {}, true, BracketParameters().cutoff,
                               10,   true};
  for (std::int64_t i = 0; i < text.size(); ++i) {
    const std::string_view line = trimmed(text[i]);
    if (line.empty() || line.front() == '#') continue;
    const auto [keyword, value] = parted(line);
    const std::string place = name + ":" + std::to_string(i + 1);
    KETTE_CHECK(!value.empty(), place, ": expected a value after ", keyword, ", given none");
    set({place, keyword, value}, parameters);
  }
  return parameters;
}

BracketParameters read_bracket_parameters(const std::filesystem::path& file) {
  BracketParameters parameters = parse_bracket_parameters(read_lines(file), file.string());
  parameters.name = file.stem().string();
  return parameters;
}

}  // namespace kette
