#include "data/corpora/text_counts.h"

#include <algorithm>
#include <iterator>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "data/corpora/line_joiner.h"
#include "data/files/json_text.h"
#include "data/files/line_reader.h"
#include "data/files/unicode.h"
#include "data/sentences/sentence_splitter.h"
#include "tensor/error.h"

namespace kette {
namespace {

constexpr std::size_t kLines = 10000;  // of each text

using Texts = std::vector<std::string>;

Texts first_lines(const TextColumn& text, FaultyLines faulty) {
  LineReader reader(text, {}, faulty);
  Texts lines;
  while (lines.size() < kLines) {
    Texts part = reader.next(kLines - lines.size());
    if (part.empty()) break;
    std::move(part.begin(), part.end(), std::back_inserter(lines));
  }
  return lines;
}

using TokenIds = std::vector<std::vector<std::int32_t>>;

TokenIds encoded(const Texts& lines, const Tokenizer& tokenizer, Side side) {
  const std::vector<std::string_view> views(lines.begin(), lines.end());
  return tokenizer.encode_all(views, side);
}

/// Lines as they are learnt from, several of them together.
void join(Texts& sources, Texts& targets, const Tokenizer& tokenizer, const FilterOptions& how) {
  LineJoiner joiner(how.join_lines, how.longest());
  Texts joined_sources, joined_targets;
  const auto source_ids = encoded(sources, tokenizer, Side::source),
             target_ids = encoded(targets, tokenizer, Side::target);
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const auto source_tokens = std::ssize(source_ids[i]), target_tokens = std::ssize(target_ids[i]);
    if (std::min(source_tokens, target_tokens) == 0) {
      joiner.end();
    } else if (joiner.goes_on(source_tokens, target_tokens)) {
      joined_sources.back() += " " + sources[i];
      joined_targets.back() += " " + targets[i];
    } else {
      joined_sources.push_back(sources[i]);
      joined_targets.push_back(targets[i]);
    }
  }
  sources = std::move(joined_sources);
  targets = std::move(joined_targets);
}

bool has_capital(const std::string& line) {
  const std::u32string text = decode_utf8(line);
  return lower(text) != text;
}

SideCounts counts_of(const Texts& lines, const TokenIds& ids, const TokenIds& others) {
  SideCounts counts;
  counts.signs = language_signs({lines.begin(), lines.end()});
  const std::string language = likely_language(counts.signs);
  const SentenceSplitter splitter(language.empty() ? "en" : language);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::int64_t tokens = std::ssize(ids[i]);
    if (tokens == 0) continue;
    ++counts.lines;
    counts.capitals += has_capital(lines[i]) ? 1 : 0;
    ++counts.sentences[std::ssize(splitter.split(lines[i]))];
    ++counts.tokens[tokens];
    ++counts.hundredths[100 * std::ssize(others[i]) / tokens];
  }
  return counts;
}

void add_lines(LinesByValue& all, const LinesByValue& more) {
  for (const auto& [value, lines] : more) all[value] += lines;
}

/// "1:900 2:80": an entry of a list would be a line of the file.
std::string written(const LinesByValue& counts) {
  std::string text;
  for (const auto& [value, lines] : counts) {
    text += (text.empty() ? "" : " ") + std::to_string(value) + ":" + std::to_string(lines);
  }
  return text;
}

LinesByValue lines_by_value(const std::string& text) {
  LinesByValue counts;
  std::istringstream entries(text);
  for (std::string entry; entries >> entry;) {
    std::istringstream one(entry);
    std::int64_t value = -1, lines = 0;
    char between = 0;
    one >> value >> between >> lines;
    const bool is_count = !one.fail() && one.peek() == std::istringstream::traits_type::eof() &&
                          between == ':' && value >= 0 && lines > 0 &&
                          lines <= static_cast<std::int64_t>(kLines);
    KETTE_CHECK(is_count && counts.emplace(value, lines).second, "counts of lines: expected each ",
                "value once, with its lines, such as \"1:900 2:80\", given ", entry,
                " (make them again with kette tokenize)");
  }
  return counts;
}

Json side_to_json(const SideCounts& side) {
  return {{"signs", side.signs},
          {"lines", side.lines},
          {"capitals", side.capitals},
          {"sentences", written(side.sentences)},
          {"tokens", written(side.tokens)},
          {"hundredths", written(side.hundredths)}};
}

SideCounts side_of_json(const Json& json) {
  const auto count = [](const Json& one, std::int64_t most) {
    const std::int64_t value = one.is_number_integer() ? one.get<std::int64_t>() : -1;
    KETTE_CHECK(value >= 0 && value <= most, "counts of lines: expected a number from 0 to ", most,
                ", given ", one.dump(), " (make them again with kette tokenize)");
    return value;
  };
  SideCounts side;
  const Json& signs = json.at("signs");
  for (std::size_t i = 0; i < side.signs.size(); ++i) {
    side.signs[i] = count(signs.at(i), std::int64_t{1} << 30);
  }
  side.lines = count(json.at("lines"), static_cast<std::int64_t>(kLines));
  side.capitals = count(json.at("capitals"), side.lines);
  side.sentences = lines_by_value(json.at("sentences"));
  side.tokens = lines_by_value(json.at("tokens"));
  side.hundredths = lines_by_value(json.at("hundredths"));
  return side;
}

}  // namespace

void SideCounts::add(const SideCounts& other) {
  for (std::size_t i = 0; i < signs.size(); ++i) signs[i] += other.signs[i];
  lines += other.lines;
  capitals += other.capitals;
  add_lines(sentences, other.sentences);
  add_lines(tokens, other.tokens);
  add_lines(hundredths, other.hundredths);
}

TextCounts text_counts(const ParallelText& text, const Tokenizer& tokenizer,
                       const FilterOptions& how) {
  const FaultyLines faulty =
      how.odd.wants(Oddity::encoding) ? FaultyLines::emptied : FaultyLines::refused;
  Texts sources = first_lines(text.source, faulty), targets = first_lines(text.target, faulty);
  sources.resize(std::min(sources.size(), targets.size()));
  targets.resize(sources.size());
  if (how.join_lines > 1) join(sources, targets, tokenizer, how);
  const TokenIds source_ids = encoded(sources, tokenizer, Side::source),
                 target_ids = encoded(targets, tokenizer, Side::target);
  return {counts_of(sources, source_ids, target_ids), counts_of(targets, target_ids, source_ids)};
}

Json text_counts_to_json(const TextCounts& counts) {
  return {{"source", side_to_json(counts.source)}, {"target", side_to_json(counts.target)}};
}

TextCounts text_counts_of_json(const Json& json) {
  return {side_of_json(json.at("source")), side_of_json(json.at("target"))};
}

}  // namespace kette
