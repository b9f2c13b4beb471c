#include "train/masked_task.h"

#include "data/corpora/purpose.h"
#include "tensor/splitmix.h"
#include "train/mixture.h"

namespace kette {
namespace {

constexpr std::uint64_t kValidationSalt = 0;

MaskedTrainOptions ready(MaskedTrainOptions options) {
  options.check();
  check_mixture(options.weights, options.temperature, options.stages, options.text.size());
  KETTE_CHECK(options.consistency.kind == ConsistencyKind::none,
              "consistency: expected none beside masks, given ",
              enum_name(options.consistency.kind));
  if (!options.from.empty()) options.model = read_config_of<BertConfig>(options.from);
  options.model.check();
  windows_per_batch(options, options.model.context);
  return options;
}

}  // namespace

RunFingerprint fingerprint_of(const MaskedTrainOptions& options) {
  RunFingerprint fingerprint = fingerprint_of(options, options.model);
  fingerprint.add("mask_share", options.masking.share);
  fingerprint.add("whole_words", std::string(options.masking.whole_words ? "yes" : "no"));
  return fingerprint;
}

MaskedTask::MaskedTask(MaskedTrainOptions options)
    : options_(ready(std::move(options))),
      folder_(options_, fingerprint_of(options_)),
      corpus_(options_.communicator->first_then_others(
          "reading the text", [&] { return TextCorpus(options_, folder_, true); })),
      masking_(*corpus_.tokenizer(), options_.masking) {
  if (options_.from.empty()) options_.model.vocabulary = corpus_.tokenizer()->vocabulary();
  const std::int64_t context = options_.model.context,
                     windows = windows_per_batch(options_, context);
  sampler_.emplace(corpus_.train(), masking_,
                   WindowOptions{context, windows, options_.seed, corpus_.shares()});
  for (std::int64_t begin = 0; begin < corpus_.valid().size();) {
    Batch batch;
    for (std::int64_t i = 0; i < windows && begin < corpus_.valid().size(); ++i) {
      const std::int64_t length =
          std::min(context - Masking::kMarks, corpus_.valid().size() - begin);
      masking_.add(corpus_.valid().copy(begin, length),
                   hash_of(Purpose::masks, kValidationSalt, begin), batch);
      batch.sentence_ids.push_back(begin);
      begin += length;
    }
    valid_batches_.push_back(std::move(batch));
  }
  model_ = std::make_unique<Bert>(options_.model);
  start_.emplace(*model_, options_);
}

double MaskedTask::validation_loss() {
  const Validation found = validate(start_->model(), valid_batches_, *options_.communicator);
  accuracy_ = found.accuracy;
  return found.loss;
}

std::optional<Score> MaskedTask::validation_score() {
  return Score{"valid_accuracy", "masked accuracy", accuracy_};
}

std::string MaskedTask::report() const {
  return corpus_.report() + "\n" + start_->report(options_) + ", " +
         std::to_string(sampler_->batches_in_epoch()) + " batches an epoch, masks over " +
         (options_.masking.whole_words ? "whole words" : "single tokens");
}

void MaskedTask::save_description() const {
  kette::save_description(options_.out, options_.model, *corpus_.tokenizer());
  save_base();
}

}  // namespace kette
