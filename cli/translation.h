// What `kette translate` is asked for, and its two ways: lines as they come, and a document as a whole.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/common.h"
#include "cli/decoding.h"
#include "cli/translation_report.h"
#include "data/documents/formats.h"
#include "decode/text_translator.h"

namespace kette {

namespace cli {
/// What becomes of a line that cannot be translated: it is not UTF-8, or too long.
enum class OnError : std::uint8_t { skip, copy, stop };
/// What of a text is translated at once: what the model's own text had in a line, all, each sentence, or each sentence
/// of paragraphs whose lines are wrapped.
enum class Split : std::uint8_t { automatic, lines, sentences, nonewlines };
}  // namespace cli

template <>
inline constexpr auto kNamesOf<cli::OnError> = enum_names<cli::OnError>(
    {{cli::OnError::skip, "skip"}, {cli::OnError::copy, "copy"}, {cli::OnError::stop, "stop"}});
template <>
inline constexpr auto kNamesOf<cli::Split> =
    enum_names<cli::Split>({{cli::Split::automatic, "auto"},
                            {cli::Split::lines, "lines"},
                            {cli::Split::sentences, "sentences"},
                            {cli::Split::nonewlines, "nonewlines"}});

namespace cli {

struct TranslateCommandOptions {
  CommonOptions common;
  EnsembleOptions model;
  TextTranslateOptions translate;
  CandidateOptions candidates;
  std::vector<std::string> sentences;
  std::filesystem::path input, output, prefix, report;
  std::optional<DocumentFormat> format;  ///< none: by the ending of the input
  std::vector<double> columns;           ///< of a table
  OnError on_error = OnError::skip;
  bool mend = true;
  Split split = Split::automatic;
  std::string
      source_language;  ///< "": what the model's text was in, or what the text seems to be in

  /// Of each sentence all of its best translations are printed.
  bool lists() const {
    return translate.decoding.search.n_best > 1 && !translate.decoding.minimum_risk;
  }
  /// Translations are lines of JSON: all lists, and what goes to stdout, where then nothing else is.
  bool writes_json() const { return common.json && (lists() || is_stdin(output)); }
  /// What a document is read as; none for lines.
  std::optional<DocumentFormat> document_format() const;
  std::vector<std::filesystem::path> read() const;
  /// Parts texts into sentences as asked, and as the model has learnt them. some: of the text.
  void choose_sentences(const std::vector<std::string_view>& some);
};

/// What both ways give: for the sum and the exit code.
struct TranslationOutcome {
  TranslationReport report;
  double seconds = 0;
};
TranslationOutcome translate_lines(TranslateCommandOptions& o,
                                   const SentenceTranslator& translator);
TranslationOutcome translate_document(TranslateCommandOptions& o,
                                      const SentenceTranslator& translator);

}  // namespace cli
}  // namespace kette
