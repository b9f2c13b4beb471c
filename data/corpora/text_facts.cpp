#include "data/corpora/text_facts.h"

#include <algorithm>

#include "data/corpora/line_joiner.h"
#include "data/files/atomic_file.h"
#include "data/files/json_text.h"
#include "data/files/line_reader.h"
#include "data/files/text_file.h"
#include "data/files/unicode.h"
#include "data/sentences/likely_language.h"
#include "data/sentences/sentence_splitter.h"

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

void append(Texts& all, const Texts& more) { all.insert(all.end(), more.begin(), more.end()); }

std::string language_of(const Texts& lines) {
  const std::vector<std::string_view> views(lines.begin(), lines.end());
  return likely_language(views);
}

std::vector<std::vector<std::int32_t>> encoded(const Texts& lines, const Tokenizer& tokenizer,
                                               Side side) {
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

/// The value that so large a share has no more of.
template <class Value>
Value quantile(std::vector<Value> values, double share, Value otherwise) {
  if (values.empty()) return otherwise;
  const auto rank = static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + rank, values.end());
  return values[static_cast<std::size_t>(rank)];
}

bool has_capital(const std::string& line) {
  const std::u32string text = decode_utf8(line);
  return lower(text) != text;
}

}  // namespace

TextFacts text_facts(const std::vector<ParallelText>& texts, bool both_directions,
                     const Tokenizer& tokenizer, const FilterOptions& how) {
  Texts sources, targets;
  const FaultyLines faulty =
      how.odd.wants(Oddity::encoding) ? FaultyLines::emptied : FaultyLines::refused;
  for (const ParallelText& text : texts) {
    Texts source = first_lines(text.source, faulty), target = first_lines(text.target, faulty);
    source.resize(std::min(source.size(), target.size()));
    target.resize(source.size());
    if (how.join_lines > 1) join(source, target, tokenizer, how);
    append(sources, source);
    append(targets, target);
  }
  if (both_directions) {
    const Texts swapped = sources;
    append(sources, targets);
    append(targets, swapped);
  }
  TextFacts facts;
  facts.source_language = language_of(sources);
  facts.target_language = language_of(targets);
  const SentenceSplitter splitter(facts.source_language.empty() ? "en" : facts.source_language);
  std::vector<std::int64_t> sentences, tokens;
  std::vector<double> ratios;
  std::int64_t capitals = 0;
  const auto source_ids = encoded(sources, tokenizer, Side::source),
             target_ids = encoded(targets, tokenizer, Side::target);
  for (std::size_t i = 0; i < sources.size(); ++i) {
    if (source_ids[i].empty()) continue;
    sentences.push_back(std::ssize(splitter.split(sources[i])));
    tokens.push_back(std::ssize(source_ids[i]));
    ratios.push_back(static_cast<double>(target_ids[i].size()) /
                     static_cast<double>(source_ids[i].size()));
    capitals += has_capital(sources[i]) ? 1 : 0;
  }
  facts.sentences = std::max<std::int64_t>(1, quantile<std::int64_t>(sentences, 0.1, 1));
  facts.most_sentences = std::max<std::int64_t>(1, quantile<std::int64_t>(sentences, 0.9, 1));
  facts.source_tokens = quantile<std::int64_t>(tokens, 0.999, 0);
  facts.shortest = quantile(ratios, 0.01, 0.0);
  if (!tokens.empty()) {
    facts.capitals = static_cast<double>(capitals) / static_cast<double>(tokens.size());
  }
  return facts;
}

void save(const TextFacts& facts, const std::filesystem::path& folder) {
  const Json json = {
      {"source_language", facts.source_language}, {"target_language", facts.target_language},
      {"sentences_a_line", facts.sentences},      {"most_sentences_a_line", facts.most_sentences},
      {"source_tokens", facts.source_tokens},     {"shortest_ratio", facts.shortest},
      {"lines_with_capitals", facts.capitals}};
  write_file_atomically(folder / kTextFactsFile, json.dump(2) + "\n");
}

std::optional<TextFacts> load_text_facts(const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / kTextFactsFile;
  if (!std::filesystem::exists(file)) return std::nullopt;
  const Json json = parse_json(read_text(file), file.string());
  const auto value = [&](const char* key, auto& into, auto is_right) {
    KETTE_CHECK(json.is_object() && json.contains(key) && is_right(json.at(key)), file.string(),
                ": expected \"", key, "\" as kette train writes it, given something else");
    json.at(key).get_to(into);
  };
  const auto is_text = [](const Json& one) { return one.is_string(); };
  const auto is_count = [](const Json& one) { return one.is_number_unsigned(); };
  const auto is_number = [](const Json& one) { return one.is_number() && one.get<double>() >= 0; };
  TextFacts facts;
  value("source_language", facts.source_language, is_text);
  value("target_language", facts.target_language, is_text);
  value("sentences_a_line", facts.sentences, is_count);
  value("most_sentences_a_line", facts.most_sentences, is_count);
  value("source_tokens", facts.source_tokens, is_count);
  value("shortest_ratio", facts.shortest, is_number);
  value("lines_with_capitals", facts.capitals, is_number);
  KETTE_CHECK(
      facts.sentences > 0 && facts.most_sentences >= facts.sentences && facts.source_tokens >= 0,
      file.string(),
      ": expected at least 1 as \"sentences_a_line\", as many as \"most_sentences_a_line\" and 0 as "
      "\"source_tokens\", given less");
  return facts;
}

void copy_text_facts(const std::filesystem::path& from_model,
                     const std::filesystem::path& to_model) {
  if (const std::optional<TextFacts> facts = load_text_facts(from_model)) save(*facts, to_model);
}

}  // namespace kette
