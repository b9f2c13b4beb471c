// The options of `kette translate`, and its two modes: line by line, or a whole document.
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
/// How to handle a line that cannot be translated, since it is not UTF-8 or too long.
enum class OnError : std::uint8_t { skip, copy, stop };
/// The units of translation. automatic: as in the model's training text; lines; sentences; nonewlines: sentences of
/// paragraphs with wrapped lines.
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
  std::optional<DocumentFormat> format;  ///< none: by the input's file extension
  std::vector<double> columns;           ///< of a table, to translate
  bool header = false;                   ///< of a table: the first row stays
  OnError on_error = OnError::skip;
  bool mend = true;
  Split split = Split::automatic;
  std::string source_language;  ///< "": that of the model's text, or detected from the text

  /// Whether all best translations of each sentence are printed.
  bool lists() const {
    return translate.decoding.search.n_best > 1 && !translate.decoding.minimum_risk;
  }
  /// Whether translations are written as JSON: for lists(), and on stdout, which then has only JSON.
  bool writes_json() const {
    return common.json && common.json_file.empty() && (lists() || is_stdin(output));
  }
  /// The format of a document; none for lines.
  std::optional<DocumentFormat> document_format() const;
  /// A UsageError for a document that no reader knows, or for columns or a header of another than a table.
  void check_input() const;
  std::vector<std::filesystem::path> read() const;
  /// Sets how texts are split into sentences, by --split and the model. facts: of the text that it
  /// has learnt from. some: a sample of the text to translate.
  void choose_sentences(const std::optional<TextFacts>& facts,
                        const std::vector<std::string_view>& some);
  void choose_sentences(const std::vector<std::string_view>& some) {
    choose_sentences(load_text_facts(model.models.front()), some);
  }
};

/// Why a translation cannot begin with this; empty if it can.
std::string fault_of_prefix(const std::string& prefix, const Tokenizer& tokenizer);

/// The result, for the summary and the exit code.
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
