// Checks that the options of `kette train` fit together.
#include <algorithm>

#include "cli/config_file.h"
#include "cli/parallel_texts.h"
#include "cli/train_options.h"
#include "data/corpora/prepared_pairs.h"
#include "train/gpu_processes.h"

namespace kette::cli {

void TrainCommandOptions::share_out(Communicator& communicator) {
  train_.communicator = &communicator;
  if (!communicator.is_first()) train_.quiet = true;
  if (accumulate_->given()) return;
  train_.accumulate = std::max<std::int64_t>(train_.accumulate, communicator.processes());
  if (!train_.resume) return;
  // A run keeps what it was started with, whatever the number of processes that go on with it.
  if (const auto state = peek_training_state(train_.out / kTrainingState)) {
    for (const RunFingerprint::Setting& setting : state->fingerprint.settings) {
      if (setting.name == "accumulate") train_.accumulate = std::stoll(setting.value);
    }
  }
}

void TrainCommandOptions::take_gpu(Communicator& communicator) {
  compute_.device = own_device(communicator, compute_.device, compute_.is_numbered);
  connect_gpus(communicator, compute_.device);
}

void TrainCommandOptions::keep_peak() {
  if (!schedule_of_preset_ || lr_->given()) return;
  ScheduleOptions& schedule = train_.schedule;
  ScheduleOptions before = *schedule_of_preset_;
  if (schedule.kind == ScheduleKind::noam)
    before.warmup = schedule.warmup;  // its factor goes by it
  schedule.lr = with_kind(before, schedule.kind).lr;
}

void TrainCommandOptions::check_weights(const std::string& each, std::size_t texts) const {
  const auto check = [&](const std::string& name, const std::vector<double>& weights) {
    if (!weights.empty()) check_one_for_each(name, weights.size(), each, texts);
  };
  check("--weights", translation_.weights);
  const Stages stages(stages_);
  for (std::int64_t i = 0; i < stages.size(); ++i) {
    check("--stages \"" + stages[i].str() + "\"", stages[i].weights);
  }
}

const TextTaskOptions* TrainCommandOptions::text_task() const {
  const auto chosen =
      std::find_if(text_tasks_.begin(), text_tasks_.end(),
                   [this](const auto& task) { return task->objective() == objective_; });
  return chosen == text_tasks_.end() ? nullptr : chosen->get();
}

const PairTaskOptions* TrainCommandOptions::pair_task() const {
  const auto chosen = std::find_if(pair_tasks_.begin(), pair_tasks_.end(),
                                   [](const auto& task) { return task->is_chosen(); });
  return chosen == pair_tasks_.end() ? nullptr : chosen->get();
}

void TrainCommandOptions::check() const {
  const auto refuse = [&](const std::vector<Option>& options, const std::string& why) {
    for (const Option& option : options) {
      if (option.given()) throw UsageError(option.name() + ": " + why);
    }
  };
  const PairTaskOptions* task = is_text() ? nullptr : pair_task();
  const std::string chosen = is_text() ? "--text, which trains a language model"
                             : task    ? task->option() + ", which trains " + task->model()
                                       : "",
                    beside = "given beside " + chosen + " (leave one of them out)";
  if (chosen.empty()) {
    refuse(text_only_, "expected with --text beside it, given without");
  } else {
    refuse(translation_only_, "expected for a translation model, " + beside);
  }
  if (is_text()) refuse(pairs_only_, "expected for a translation model, " + beside);
  if (task) refuse(text_only_, "expected for a language model, " + beside);
  for (std::size_t i = 0; i < of_pair_tasks_.size(); ++i) {
    const PairTaskOptions& other = *pair_tasks_[i];
    if (&other == task) continue;
    refuse(of_pair_tasks_[i], chosen.empty()
                                  ? "expected with " + other.option() + " beside it, given without"
                                  : "expected for " + other.model() + ", " + beside);
  }
  const TextTaskOptions* objective = is_text() ? text_task() : nullptr;
  const std::unique_ptr<ModelConfig> model = architecture_.config();
  if (objective && !objective->takes(*model)) {
    throw UsageError("--preset: expected a preset of " + objective->models() +
                     " with --objective " + enum_name(objective_) + ", given " +
                     architecture_.preset());
  }
  for (const auto& other : text_tasks_) {
    if (!is_text() || other.get() == objective || !other->takes(*model)) continue;
    throw UsageError("--preset " + architecture_.preset() + ": expected --objective " +
                     enum_name(other->objective()) + " beside it, given --objective " +
                     enum_name(objective_));
  }
  if (is_text() != is_language_model()) {
    throw UsageError(
        is_text()
            ? "--preset: expected a preset of GPT with --text, given " + architecture_.preset()
            : "--preset " + architecture_.preset() + ": expected --text beside it, given none");
  }
  // Saved configurations have the defaults of these.
  if (train_.consistency.cutoff != ConsistencyOptions().cutoff &&
      train_.consistency.kind != ConsistencyKind::simcut) {
    throw UsageError("--cutoff: expected --consistency simcut beside it, given " +
                     std::string(enum_name(train_.consistency.kind)));
  }
  if (!translation_.weights.empty() && translation_.temperature != 1) {
    throw UsageError("--weights: expected weights or --temperature, given both");
  }
  if (!stages_.empty() && (!translation_.weights.empty() || translation_.temperature != 1)) {
    throw UsageError("--stages: expected stages, --weights or --temperature, given two of them");
  }
  const bool asks_for_vocabulary = translation_.vocabulary != vocabulary_of_preset_;
  if (has_folder_of_tokens()) {
    const bool makes_one = tokenizer_ == "character" || tokenizer_ == "sentencepiece";
    if (makes_one || asks_for_vocabulary) {
      throw UsageError(std::string(makes_one ? "--tokenizer" : "--vocab") +
                       ": expected none beside a folder of tokens, which has its own, given one");
    }
  }
  if (train_.from.empty() && !makes_vocabulary() && asks_for_vocabulary) {
    throw UsageError("--vocab: expected a vocabulary that is made of the text, given " +
                     (tokenizer_.empty() ? "characters (--tokenizer sentencepiece makes pieces)"
                                         : "--tokenizer " + tokenizer_));
  }
  check_best_by();
  if (record_.every != RecordOptions().every && record_.parts.empty()) {
    throw UsageError("--record-every: expected --record beside it, given none");
  }
  if (train_.lora.on != LoraOptions().on && train_.lora.rank == 0) {
    throw UsageError("--lora-on: expected --lora-rank beside it, given none");
  }
  if (!train_.from.empty() && is_text() && !tokenizer_.empty()) {
    throw UsageError("--tokenizer: expected none beside --from, which has its own, given " +
                     tokenizer_);
  }
  if (!train_.from.empty()) {
    const std::unique_ptr<ModelConfig> from = read_config(train_.from);
    architecture_.check_like(*from, train_.from);
    const std::int64_t pieces = from->source_pieces();
    if (asks_for_vocabulary && translation_.vocabulary != pieces) {
      throw UsageError("--vocab: expected " + std::to_string(pieces) + ", as the model in " +
                       train_.from.string() + " has, given " +
                       std::to_string(translation_.vocabulary));
    }
  }
  for (std::size_t i = 0; i < of_text_tasks_.size(); ++i) {
    if (text_tasks_[i].get() == text_task()) continue;
    for (const Option& option : of_text_tasks_[i]) {
      if (!option.is_changed()) continue;
      throw UsageError(option.name() + ": expected --objective " +
                       enum_name(text_tasks_[i]->objective()) + " beside it, given none");
    }
  }
  tsv_.check();
  optimizer_.check();
  architecture_.check();
}

std::vector<ParallelText> TrainCommandOptions::texts() const {
  std::vector<ParallelText> texts;
  for (const std::string& folder : prepared_folders_) {
    for (const ParallelText& text : prepared_texts(folder)) texts.push_back(text);
  }
  return texts.empty() ? parallel_texts(source_files_, target_files_, tsv_, languages_) : texts;
}

void TrainCommandOptions::check_best_by() const {
  const std::string& name = train_.best_by;
  const bool is_metric = is_by_metric(name);
  const auto refuse = [&](const std::string& expected) {
    throw UsageError("--best-by: expected " + expected + ", given " + name);
  };
  const TextTaskOptions* objective = text_task();
  if (name != kByLoss && is_text() && !(objective && objective->has_score())) {
    refuse("loss with --text, which has no score");
  }
  if (name != kByLoss && !is_text() && !translation_.validate_score) {
    refuse("loss with --no-validate-bleu");
  }
  if (is_metric && is_text()) refuse("loss or score with --text, which is not translated");
  if (const PairTaskOptions* task = pair_task(); task != nullptr && is_metric) {
    refuse("loss or score with " + task->option() + ", whose score is " + task->score());
  }
  if (is_metric && name != "bleu" && translation_.bleu_tokenize != ScoreTokenizer::v13a) {
    throw UsageError("--bleu-tokenize: expected BLEU to score by, given --best-by " + name);
  }
}

void TrainCommandOptions::check_files() const {
  if (const PairTaskOptions* task = pair_task()) return task->check_files();
  const bool is_prepared = !prepared_folders_.empty();
  if (is_prepared) {
    const std::pair<const char*, bool> of_text[] = {
        {"--src", !source_files_.empty()},
        {"--tgt", !target_files_.empty()},
        {"--tsv", !tsv_.files().empty()},
        {"--languages", !languages_.empty()},
        {"--tokenizer", !tokenizer_.empty()},
        {"--vocab", translation_.vocabulary != vocabulary_of_preset_},
        {"--max-length", translation_.max_length != TranslationTrainOptions().max_length},
        {"--max-ratio", translation_.max_ratio != 0},
        {"--join-lines", translation_.join_lines != 1}};
    for (const auto& [name, given] : of_text) {
      if (given)
        throw UsageError(
            std::string(name) +
            ": expected none beside --pairs, which were prepared with what they have, given one");
    }
  }
  const bool has_pairs = is_prepared || !tsv_.files().empty();
  const std::pair<const char*, bool> files[] = {
      {"--src", has_pairs || !source_files_.empty()},
      {"--tgt", has_pairs || !target_files_.empty()},
      {"--valid-src", !translation_.valid_source.empty()},
      {"--valid-tgt", !translation_.valid_target.empty()}};
  for (const auto& [name, given] : files) {
    if (given) continue;
    std::string others = " for a translation model, --text for a language model";
    for (const auto& task : pair_tasks_) {
      others +=
          (task == pair_tasks_.back() ? ", or " : ", ") + task->option() + " for " + task->model();
    }
    throw UsageError(
        std::string(name) +
        " is required: expected --src and --tgt (or --tsv, or --pairs), --valid-src and --valid-tgt" +
        others);
  }
}

std::string TrainCommandOptions::configuration(CLI::App& command) const {
  // A model to start from has its shape.
  std::vector<std::string> omitted = architecture_.option_names(train_.from.empty());
  for (const Option& option : foreign()) omitted.push_back(option.name().substr(2));
  for (const char* name :
       {"help", "help-all", "config", "json", "resume", "force-data", "quiet", "wait-limit"})
    omitted.push_back(name);
  return config_text(command, omitted);
}

std::vector<Option> TrainCommandOptions::foreign() const {
  std::vector<Option> options;
  const auto add = [&](const std::vector<Option>& some) {
    options.insert(options.end(), some.begin(), some.end());
  };
  if (is_text() || pair_task() != nullptr) add(translation_only_);
  if (is_text()) add(pairs_only_);
  if (!is_text()) add(text_only_);
  for (std::size_t i = 0; i < of_pair_tasks_.size(); ++i) {
    if (!pair_tasks_[i]->is_chosen()) add(of_pair_tasks_[i]);
  }
  if (!makes_vocabulary()) add(vocabulary_);
  add(optimizer_.foreign());
  return options;
}

bool TrainCommandOptions::has_folder_of_tokens() const {
  return std::any_of(text_files_.begin(), text_files_.end(),
                     [](const std::string& text) { return std::filesystem::is_directory(text); });
}

bool TrainCommandOptions::makes_vocabulary() const {
  if (!train_.from.empty() || has_folder_of_tokens()) return false;
  const TextTaskOptions* objective = text_task();
  if (is_text() && !(objective && objective->makes_pieces())) return tokenizer_ == "sentencepiece";
  return tokenizer_.empty() || (is_text() && tokenizer_ == "sentencepiece");
}

}  // namespace kette::cli
