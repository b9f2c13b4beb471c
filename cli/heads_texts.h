// What heads are studied on, and the model without the least important ones, for `kette heads`.
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
  WorkOptions work;
  std::string language;
  bool truncate = false;
  BootstrapOptions bootstrap{1000};
  std::int64_t prune = 0;
  std::filesystem::path save;
};

/// What heads are studied on.
struct HeadsText {
  std::vector<std::string> sources, targets;  ///< of a translation model
  std::vector<Batch> batches;                 ///< of a language model: windows
};
HeadsText read_text(const HeadsOptions& o, const SavedModel<AutoregressiveModel>& saved);
std::unique_ptr<HeadAblation> ablation_of(const HeadsOptions& o, const AutoregressiveModel& model,
                                          const SharedTokenizer& tokenizer, const HeadsText& given);

/// A model without the least important heads, beside the whole one.
struct Pruned {
  std::int64_t heads, parameters, parameters_whole;
  MaskedResult change;
  double metric;                  ///< of the smaller model
  double seconds, seconds_whole;  ///< for the text, the best of three
};
/// Writes it to o.save.
Pruned prune(const HeadsOptions& o, const SavedModel<AutoregressiveModel>& saved,
             const HeadsText& given, const HeadStudy& found, const HeadAblation& ablation);

}  // namespace kette::cli
