// The options of `kette train`: all fields of the training options, and presets.
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

  /// Whether it learns from text, not from pairs.
  bool is_text() const { return !text_files_.empty(); }
  const CommonOptions& common() const { return common_; }
  const ComputeOptions& compute() const { return compute_; }
  bool is_quiet() const { return train_.quiet; }
  bool wants_page() const { return page_; }
  /// What a TrainingRecorder records; may be nothing.
  const RecordOptions& record() const { return record_; }
  /// Chooses size and recipe of a new translation model by its texts and time (train/fitted_recipe.h), unless a preset
  /// was given. All processes choose by the speed of the first. Returns the choice, for people; "" if there was none.
  std::string fit(CLI::App& command, Communicator& communicator, int threads);
  /// Sets the processes, and the number of batches per step if it was not given. Call it after fit().
  void share_out(Communicator& communicator);
  /// Chooses the GPU of this process. Call it after all other choices.
  void take_gpu(Communicator& communicator);
  /// Throws a UsageError unless the options that were given fit together.
  TextTrainOptions text(CLI::App& command) const;
  TranslationTrainOptions translation(CLI::App& command) const;
  /// The run of the chosen task.
  TrainRun run_of(CLI::App& command) const;

 private:
  /// The chosen task of texts or of pairs. Null for next-token prediction and translation.
  const TextTaskOptions* text_task() const;
  const PairTaskOptions* pair_task() const;
  /// By the preset, not by the data.
  bool is_language_model() const { return !architecture_.is<TransformerConfig>(); }
  /// Sets the options of all tasks that learn from texts.
  void set_text(CLI::App& command, TextOptions& options) const;
  void apply_recipe(const std::string& preset);
  /// Gives another schedule than the preset's the same peak. Call it after all options are read, for noam's factor goes
  /// by width and warm-up.
  void keep_peak();
  void add_data_options(CLI::App& command);
  void add_translation_options(CLI::App& command);
  void add_text_options(CLI::App& command);
  void add_adapter_options(CLI::App& command);
  void add_duration_options(CLI::App& command);
  void add_optimisation_options(CLI::App& command);
  void add_checkpoint_options(CLI::App& command);
  void add_watching_options(CLI::App& command);
  void check() const;
  /// Checks that all files of pairs, or of another task's data, were given.
  void check_files() const;
  void check_best_by() const;
  /// Whether --text includes a folder of token ids.
  bool has_folder_of_tokens() const;
  /// Whether a new tokenizer has a vocabulary of pieces or words.
  bool makes_vocabulary() const;
  /// Sets the options of all tasks that learn from pairs.
  void set_pairs(CLI::App& command, ParallelTrainOptions& options) const;
  /// Checks that weights, also of each stage, are as many as the texts. each: the option that gives a text.
  void check_weights(const std::string& each, std::size_t texts) const;
  std::vector<ParallelText> texts() const;
  TrainOptions shared(CLI::App& command) const;
  /// All options with their values, as TOML.
  std::string configuration(CLI::App& command) const;
  /// The options that do not apply to the kind of data.
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
  std::optional<ScheduleOptions> schedule_of_preset_;  // where --schedule was given
  std::optional<Option> accumulate_, lr_;
  std::vector<Option> translation_only_, pairs_only_, text_only_, vocabulary_;
  std::vector<std::vector<Option>> of_text_tasks_, of_pair_tasks_;  // own options, by task
};

}  // namespace kette::cli
