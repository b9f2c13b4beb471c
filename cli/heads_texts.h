// The texts on which `kette heads` studies a model, and pruning of the least important heads.
#pragma once

#include <memory>

#include "cli/common.h"
#include "cli/decoding.h"
#include "inspect/heads/head_pruning.h"
#include "inspect/heads/head_study.h"

namespace kette::cli {

struct HeadsOptions {
  CommonOptions common;
  ModelOptions model;
  std::filesystem::path source, target;
  std::vector<std::string> text;
  std::int64_t context = 0, windows = 64, batch_tokens = 4096;
  SearchOptions search;
  ScoreTokenizer bleu_tokenize = BleuOptions().tokenizer;
  WorkOptions work;
  std::string language;
  bool truncate = false;
  BootstrapOptions bootstrap{1000};
  std::int64_t prune = 0;
  std::filesystem::path save;
};

struct HeadsText {
  std::vector<std::string> sources, targets;  ///< for a translation model
  std::vector<Batch> batches;                 ///< for a language model: windows
};
HeadsText read_text(const HeadsOptions& o, const SavedModel<AutoregressiveModel>& saved);
std::unique_ptr<HeadAblation> ablation_of(const HeadsOptions& o, const AutoregressiveModel& model,
                                          const SharedTokenizer& tokenizer, const HeadsText& given);

/// A pruned model compared with the whole one.
struct Pruned {
  std::int64_t heads, parameters, parameters_whole;
  MaskedResult change;
  double metric;                  ///< of the pruned model
  double seconds, seconds_whole;  ///< for the text, the best of three
};
/// Removes the least important heads. Saves the model to o.save.
Pruned prune(const HeadsOptions& o, const SavedModel<AutoregressiveModel>& saved,
             const HeadsText& given, const HeadStudy& found, const HeadAblation& ablation);

}  // namespace kette::cli
