// The options of `kette train`: every field of the training options, and presets of them.
#pragma once

#include <string>
#include <vector>

#include "cli/architecture.h"
#include "cli/common.h"
#include "cli/optimizer_option.h"
#include "cli/parallel_texts.h"
#include "cli/train_tasks.h"
#include "inspect/training/training_recorder.h"
#include "train/text_task.h"
#include "train/translation_task.h"

namespace kette::cli {

class TrainCommandOptions {
 public:
  explicit TrainCommandOptions(CLI::App& command);

  /// A language model from text, or a translation model from pairs.
  bool is_text() const { return !text_files_.empty(); }
  const CommonOptions& common() const { return common_; }
  const ComputeOptions& compute() const { return compute_; }
  bool is_quiet() const { return train_.quiet; }
  bool wants_page() const { return page_; }
  /// What is recorded of the model while it is trained, if anything.
  const RecordOptions& record() const { return record_; }
  /// Fits the size and the recipe of a new translation model to its texts and its time, unless a preset says them. What
  /// was chosen, for people; nothing where nothing was.
  std::string fit(CLI::App& command, int threads);
  /// Processes that train together: how many batches a step has, where that was not said.
  void share_out(Communicator& communicator);
  /// Which GPU is whose, once all else is chosen.
  void take_gpu(Communicator& communicator);
  /// Throws a UsageError unless the options that were given fit together.
  TextTrainOptions text(CLI::App& command) const;
  TranslationTrainOptions translation(CLI::App& command) const;
  /// Of whichever task they choose.
  TrainRun run_of(CLI::App& command) const;

 private:
  /// The task of texts that is chosen, or of pairs, unless that is the next token, or translation: null.
  const TextTaskOptions* text_task() const;
  const PairTaskOptions* pair_task() const;
  /// The preset, not the data.
  bool is_language_model() const { return !architecture_.is<TransformerConfig>(); }
  /// Of all that learn from texts.
  void set_text(CLI::App& command, TextOptions& options) const;
  void apply_recipe(const std::string& preset);
  void add_data_options(CLI::App& command);
  void add_translation_options(CLI::App& command);
  void add_text_options(CLI::App& command);
  void add_adapter_options(CLI::App& command);
  void add_duration_options(CLI::App& command);
  void add_optimisation_options(CLI::App& command);
  void add_checkpoint_options(CLI::App& command);
  void add_watching_options(CLI::App& command);
  void check() const;
  /// That there are all files of pairs, or of what there is instead.
  void check_files() const;
  void check_best_by() const;
  /// Among --text.
  bool has_folder_of_tokens() const;
  /// Of pieces, or of words.
  bool makes_vocabulary() const;
  /// Of all that learn from pairs.
  void set_pairs(CLI::App& command, ParallelTrainOptions& options) const;
  /// That there are as many weights, in each stage, too, as texts; each: what one is given by.
  void check_weights(const std::string& each, std::size_t texts) const;
  std::vector<ParallelText> texts() const;
  TrainOptions shared(CLI::App& command) const;
  /// What was given, and the defaults of everything else.
  std::string configuration(CLI::App& command) const;
  /// What the data are not for.
  std::vector<Option> foreign() const;

  CommonOptions common_;
  ComputeOptions compute_;
  ArchitectureOptions architecture_;
  TextObjective objective_ = TextObjective::next;
  std::string tokenizer_;
  bool page_ = false;
  RecordOptions record_;
  std::vector<std::string> text_files_, valid_text_files_;
  std::vector<std::string> source_files_, target_files_, languages_, prepared_folders_, stages_;
  TsvOptions tsv_;
  TrainOptions train_;
  OptimizerOption optimizer_;
  TranslationTrainOptions translation_;
  TextTrainOptions text_;
  std::vector<std::unique_ptr<TextTaskOptions>> text_tasks_ = text_tasks();
  std::vector<std::unique_ptr<PairTaskOptions>> pair_tasks_ = pair_tasks();
  std::int64_t vocabulary_of_preset_ = 0;
  std::optional<Option> accumulate_;
  std::vector<Option> translation_only_, pairs_only_, text_only_, vocabulary_;
  std::vector<std::vector<Option>> of_text_tasks_, of_pair_tasks_;  // what each has of its own
};

}  // namespace kette::cli
