// Texts for language models, and what `kette evaluate --text` does: how well one predicts a text.
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
};

/// The texts one after the other as ids: files and folders of them as they are, others in a file that is gone once the program
/// ends.
TokenStream tokens_of(const std::vector<std::string>& texts, DocumentKind documents,
                      const Tokenizer& tokenizer);

/// How well a language model, or a masked one, predicts a text.
Report evaluated_text(const EnsembleOptions& model, const EvaluateTextOptions& options);

}  // namespace kette::cli
