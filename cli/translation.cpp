#include "cli/translation.h"

#include <memory>

#include "data/sentences/likely_language.h"

namespace kette::cli {

std::optional<DocumentFormat> TranslateCommandOptions::document_format() const {
  if (format && *format != DocumentFormat::text) return format;
  const bool is_text = format.has_value() || !sentences.empty() || is_stdin(input);
  const auto by_ending = is_text ? DocumentFormat::text : format_of(input);
  if (by_ending != DocumentFormat::text) return by_ending;
  if (split == Split::nonewlines) return DocumentFormat::text;
  return std::nullopt;
}

void TranslateCommandOptions::check_input() const {
  if (!format && sentences.empty() && !is_stdin(input) && is_unread_document(input)) {
    throw UsageError("--input: expected one of " + joined(all_names<DocumentFormat>()) +
                     ", given another kind of document, " + input.filename().string() +
                     " (--format text reads it as lines)");
  }
  const std::optional<DocumentFormat> document = document_format();
  const bool is_table = document == DocumentFormat::tsv || document == DocumentFormat::csv;
  if (is_table || (columns.empty() && !header)) return;
  throw UsageError(std::string(header ? "--header" : "--columns") +
                   ": expected a table, given another input (--format tsv reads it as one)");
}

std::vector<std::filesystem::path> TranslateCommandOptions::read() const {
  std::vector<std::filesystem::path> files = model.with({input});
  if (!prefix.empty()) files.push_back(prefix);
  return files;
}

void TranslateCommandOptions::choose_sentences(const std::optional<TextFacts>& facts,
                                               const std::vector<std::string_view>& some) {
  translate.facts = facts;
  translate.mend = mend && !lists() && prefix.empty();
  if (split == Split::lines) return;
  std::string language = source_language;
  if (language.empty() && translate.facts) language = translate.facts->source_language;
  if (language.empty()) language = likely_language(some);
  translate.splitter = std::make_shared<const SentenceSplitter>(language.empty() ? "en" : language);
  if (translate.previous > 0) {
    KETTE_CHECK(translate.facts && translate.facts->most_sentences > translate.previous,
                model.models.front(), ": expected a model that has learnt ", translate.previous + 1,
                " sentences at once, for --previous, given one whose text has at most ",
                translate.facts ? translate.facts->most_sentences : 1,
                " in nine lines of ten (kette train --join-lines ", translate.previous + 1, ")");
    return;
  }
  if (split != Split::automatic || !translate.facts) return;
  translate.together = translate.facts->sentences;
  translate.together_tokens = translate.facts->source_tokens;
}

}  // namespace kette::cli
