#include "train/text_task.h"

#include "train/mixture.h"

namespace kette {
namespace {

TextTrainOptions prepared(TextTrainOptions options) {
  options.check();
  check_mixture(options.weights, options.temperature, options.stages, options.text.size());
  if (!options.from.empty()) options.model = read_config_of<GptConfig>(options.from);
  options.model.check();
  options.consistency.check(options.model.dropout);
  windows_per_batch(options, options.model.context);
  return options;
}

}  // namespace

TextTask::TextTask(TextTrainOptions options)
    : options_(prepared(std::move(options))),
      folder_(options_, fingerprint_of(options_)),
      corpus_(options_.communicator->first_then_others(
          "reading the text", [&] { return TextCorpus(options_, folder_); })) {
  if (options_.from.empty()) options_.model.vocabulary = corpus_.tokenizer()->vocabulary();
  const std::int64_t context = options_.model.context,
                     windows = windows_per_batch(options_, context);
  sampler_.emplace(corpus_.train(),
                   WindowOptions{context, windows, options_.seed, corpus_.shares()});
  const std::vector<SlidingWindow> plan = plan_sliding(corpus_.valid().size(), context, context);
  const auto step = static_cast<std::size_t>(windows);
  for (std::size_t first = 0; first < plan.size(); first += step) {
    const auto count = std::min(step, plan.size() - first);
    valid_batches_.push_back(
        make_sliding_batch(corpus_.valid(), std::span(plan).subspan(first, count)).batch);
  }
  model_ = std::make_unique<Gpt>(options_.model);
  start_.emplace(*model_, options_);
}

double TextTask::validation_loss() {
  return validate(start_->model(), valid_batches_, *options_.communicator).loss;
}

std::string TextTask::report() const {
  return corpus_.report() + "\n" + start_->report(options_) + ", " +
         std::to_string(sampler_->batches_in_epoch()) + " batches an epoch";
}

void TextTask::save_description() const {
  kette::save_description(options_.out, options_.model, *corpus_.tokenizer());
  save_base();
}

}  // namespace kette
