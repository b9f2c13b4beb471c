// What a run has left: the mean of its last checkpoints, and what a model is worth by another way than that of training.
#pragma once

#include "data/files/text_file.h"
#include "decode/scorer.h"
#include "models/average.h"
#include "models/model_directory.h"
#include "train/translation_task.h"

namespace kette::testing {

/// Of the last checkpoints, whether it became the model or was worse than the best of them.
inline std::filesystem::path mean_in(const std::filesystem::path& out) {
  const std::filesystem::path model = out / kModelFile;
  return is_average(model) ? model : out / kCheckpointFolder / "average.safetensors";
}

/// The loss of the validation text: the mean of the negative log-probabilities that scoring gives its tokens.
inline double loss_by_scoring(const SavedModel<Transformer>& saved,
                              const TranslationTrainOptions& options) {
  const TextLines source = read_lines(options.valid_source),
                  target = read_lines(options.valid_target);
  double sum = 0, tokens = 0;
  for (const SentenceScore& score :
       score_ids(*saved.model->for_decoding(), saved.tokenizer->encode_all(source.views()),
                 saved.tokenizer->encode_all(target.views(), Side::target))) {
    sum += score.log_probability;
    tokens += static_cast<double>(score.tokens());
  }
  return -sum / tokens;
}

}  // namespace kette::testing
