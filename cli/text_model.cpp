#include "cli/text_model.h"

#include <unistd.h>

#include <iostream>

#include "cli/common.h"
#include "data/files/json_text.h"
#include "train/status_line.h"

namespace kette::cli {
namespace {

namespace fs = std::filesystem;

}  // namespace

TokenFile tokens_of(const std::vector<std::string>& texts, DocumentKind documents,
                    const Tokenizer& tokenizer) {
  const std::vector<fs::path> files(texts.begin(), texts.end());
  if (are_tokens(files)) return open_tokens(files.front(), tokenizer);
  const fs::path path =
      fs::temp_directory_path() / ("kette-" + std::to_string(::getpid()) + ".tokens");
  tokenize_files(files, tokenizer, documents, path);
  TokenFile tokens = open_tokens(path, tokenizer);
  fs::remove(path);  // what is open can still be read
  return tokens;
}

void evaluate_text(const ModelOptions& model_options, const EvaluateTextOptions& options,
                   bool json) {
  KETTE_CHECK(
      model_options.weights == DType::f32,
      "--weights bf16: expected a translation model, given --text (whole windows are read at once, which takes no longer in f32)");
  const SavedModel<Gpt> saved = load<Gpt>(model_options);
  const TokenFile tokens = tokens_of(options.files, options.documents, *saved.tokenizer);
  TextScore score;
  {
    StatusLine line(false);
    score = score_text(*saved.model, tokens, options.score, [&](double share) {
      line.show([&] {
        return text("%.0f %%  %s left", 100 * share,
                    clock_time(line.seconds() * (1 - share) / share).c_str());
      });
    });
  }
  const double accuracy = static_cast<double>(score.correct) / static_cast<double>(score.tokens);
  std::cout << text(
      "loss %.4f  perplexity %.3f  bits per byte %.4f  accuracy %.2f %%  (%s tokens, %s bytes)\n",
      score.loss(), score.perplexity(), score.bits_per_byte(), 100 * accuracy,
      with_commas(score.tokens).c_str(), with_commas(score.bytes).c_str());
  if (!json) return;
  print_json({{"loss", score.loss()},
              {"perplexity", score.perplexity()},
              {"bits_per_byte", score.bits_per_byte()},
              {"accuracy", accuracy},
              {"tokens", score.tokens},
              {"bytes", score.bytes}});
}

}  // namespace kette::cli
