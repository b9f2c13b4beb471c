#include "train/parallel_task.h"

#include <limits>

#include "train/mixture.h"
#include "train/status_line.h"

namespace kette {

void ParallelTrainOptions::check_pairs(std::size_t texts) {
  check_mixture(weights, temperature, stages, texts);
  if (!from.empty()) {
    KETTE_CHECK(
        tokenizer.empty(), tokenizer.string(),
        ": expected no tokenizer beside a model to start from, which has its own, given one");
    model = read_config_of<TransformerConfig>(from);
  }
  consistency.check(model.dropout);
}

void add_of_pairs(const ParallelTrainOptions& options, RunFingerprint& fingerprint) {
  fingerprint.add_model(options.model);
  if (!options.tokenizer.empty()) {
    fingerprint.add("tokenizer", load_tokenizer(options.tokenizer)->fingerprint());
  } else if (options.from.empty()) {
    fingerprint.add("vocab", options.vocabulary);
  }
  fingerprint.add("bpe_dropout", options.bpe_dropout);
  fingerprint.add("max_length", options.max_length);
  fingerprint.add("max_ratio", options.max_ratio);
}

void ParallelTask::begin(RunFingerprint fingerprint) {
  folder_.emplace(options(), std::move(fingerprint));
  tokenizer_ = folder_->shared_tokenizer([&] { return make_tokenizer(); });
  valid_ = read_validation(
      {.max_length = std::numeric_limits<std::int64_t>::max(), .must_fit = longest_sentence()});
  for (const auto& sentences : plan_batches(*valid_, options().batch_tokens)) {
    valid_batches_.push_back(make_batch(*valid_, sentences, tokenizer_->special()));
  }
  Communicator& communicator = *options().communicator;
  corpus_ = communicator.first_then_others("reading the text", [&] {
    StatusLine line(options().quiet || !communicator.is_first());
    return make_corpus(show_on(line, "pairs"));
  });
  sampler_.emplace(*corpus_, BatchOptions{.tokens_per_batch = options().batch_tokens,
                                          .seed = options().seed,
                                          .bpe_dropout = options().bpe_dropout,
                                          .shares = shares_of_stages(
                                              options().weights, options().temperature,
                                              options().stages, corpus_->ends_of_parts())});
  model_ = std::make_unique<Transformer>(model_config());
  start_.emplace(*model_, options());
}

TransformerConfig ParallelTask::model_config() const {
  TransformerConfig config = options().model;
  if (!options().from.empty()) return config;
  config.vocabulary = tokenizer_->vocabulary();
  config.source_vocabulary = 0;
  const PositionStream tags = tokenizer_->second_positions();
  config.count_tags = config.count_tags && tags.exists();
  config.first_tag = config.count_tags ? tags.first : 0;
  config.special = tokenizer_->special();
  return config;
}

FilterOptions ParallelTask::filters() const {
  return {.max_length = options().max_length,
          .max_ratio = options().max_ratio,
          .must_fit = longest_sentence()};
}

std::filesystem::path ParallelTask::pairs_file(std::size_t text) const {
  return options().out /
         (text == 0 ? "train.tokens" : "train-" + std::to_string(text + 1) + ".tokens");
}

double ParallelTask::validation_loss() {
  return validate(*model_, valid_batches_, *options().communicator).loss;
}

std::string ParallelTask::size_of_vocabulary() const {
  return std::to_string(model_->config().vocabulary);
}

std::string ParallelTask::report() const {
  const FilterReport& valid = valid_->report();
  return corpus_->report().text() +
         (valid.dropped() == 0 ? "" : "\nto validate on: " + valid.text()) + warnings() + "\n" +
         start_->report(options()) + ", vocabulary of " + size_of_vocabulary() + ", " +
         std::to_string(sampler_->batches_in_epoch()) + " batches an epoch";
}

void ParallelTask::save_description() const {
  kette::save_description(options().out, model_->config(), *tokenizer_);
  save_facts();
  save_base();
}

}  // namespace kette
