// Evaluates language models on text, for `kette evaluate --text`.
#pragma once

#include <string>

#include "cli/decoding.h"
#include "data/corpora/text_documents.h"
#include "decode/text_scorer.h"
#include "inspect/report/report.h"

namespace kette::cli {

struct EvaluateTextOptions {
  std::vector<std::string> files;
  DocumentKind documents = DocumentKind::file;
  TextScoreOptions score;

  /// A UsageError if they do not go together.
  void check() const;
};

/// The group "Language model". Returns the option of the files.
Option add_text_options(CLI::App& command, EvaluateTextOptions& options);

/// The ids of all texts, joined. Reads files and folders of ids directly; tokenizes other texts into a temporary file.
TokenStream tokens_of(const std::vector<std::string>& texts, DocumentKind documents,
                      const Tokenizer& tokenizer);

/// Perplexity of a language model, or pseudo-perplexity of a masked one.
Report evaluated_text(const EnsembleOptions& model, const EvaluateTextOptions& options);

}  // namespace kette::cli
