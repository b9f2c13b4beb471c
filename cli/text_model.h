// Texts for language models, and what `kette evaluate --text` does: how well one predicts a text.
#pragma once

#include <string>

#include "cli/decoding.h"
#include "data/corpora/text_documents.h"
#include "decode/text_scorer.h"

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

void evaluate_text(const EnsembleOptions& model, const EvaluateTextOptions& options, bool json);

}  // namespace kette::cli
