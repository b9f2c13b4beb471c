// A trained language model made ready, for `kette generate` and `kette evaluate --text`.
#pragma once

#include <string>

#include "cli/decoding.h"
#include "decode/text_scorer.h"

namespace kette::cli {

/// Loads it and says on stderr which parameters these are.
LanguageModel load_language_model(const ModelOptions& options);

struct EvaluateTextOptions {
  std::vector<std::string> files;
  std::string documents = "file";
  TextScoreOptions score;
};

/// What `kette evaluate --text` does.
void evaluate_text(const ModelOptions& model, const EvaluateTextOptions& options, bool json);

}  // namespace kette::cli
