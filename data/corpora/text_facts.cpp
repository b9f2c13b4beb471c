#include "data/corpora/text_facts.h"

#include <algorithm>

#include "data/files/atomic_file.h"
#include "data/files/json_text.h"
#include "data/files/text_file.h"

namespace kette {
namespace {

/// The value that so large a share of the lines has no more of.
std::int64_t quantile(const LinesByValue& counts, double share, std::int64_t otherwise) {
  std::int64_t all = 0;
  for (const auto& [value, lines] : counts) all += lines;
  auto rank = static_cast<std::int64_t>(share * static_cast<double>(all - 1));
  for (const auto& [value, lines] : counts) {
    if (rank < lines) return value;
    rank -= lines;
  }
  return otherwise;
}

}  // namespace

TextFacts text_facts(const std::vector<TextCounts>& texts, bool both_directions) {
  SideCounts source, target;
  for (const TextCounts& text : texts) {
    source.add(text.source);
    target.add(text.target);
  }
  if (both_directions) {
    const SideCounts swapped = source;
    source.add(target);
    target.add(swapped);
  }
  TextFacts facts;
  facts.source_language = likely_language(source.signs);
  facts.target_language = likely_language(target.signs);
  facts.sentences = std::max<std::int64_t>(1, quantile(source.sentences, 0.1, 1));
  facts.most_sentences = std::max<std::int64_t>(1, quantile(source.sentences, 0.9, 1));
  facts.source_tokens = quantile(source.tokens, 0.999, 0);
  facts.shortest = static_cast<double>(quantile(source.hundredths, 0.01, 0)) / 100;
  if (source.lines > 0) {
    facts.capitals = static_cast<double>(source.capitals) / static_cast<double>(source.lines);
  }
  return facts;
}

TextFacts text_facts(const std::vector<ParallelText>& texts, bool both_directions,
                     const Tokenizer& tokenizer, const FilterOptions& how) {
  std::vector<TextCounts> counts;
  for (const ParallelText& text : texts) counts.push_back(text_counts(text, tokenizer, how));
  return text_facts(counts, both_directions);
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
