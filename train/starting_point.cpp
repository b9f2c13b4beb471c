#include "train/starting_point.h"

#include "data/files/safetensors.h"
#include "models/adapter_directory.h"
#include "models/quantized.h"

namespace kette {

StartingPoint::StartingPoint(Model& model, const TrainOptions& options) : model_(model) {
  if (options.from.empty()) {
    model.materialize(options.seed, options.precision, options.device);
    return;
  }
  const bool adapts = options.lora.rank > 0;
  KETTE_CHECK(!adapts || !holds_adapters(options.from), options.from.string(),
              ": expected a model to put adapters on, given one that is made of adapters itself; "
              "kette merge makes a plain one of it");
  model.allocate(options.precision, options.device, adapts ? Gradients::none : Gradients::kept);
  const Metadata metadata = load_values(options.from, model);
  expect_whole_weights(metadata, options.from, "train");
  checksum_ = checksum_of(metadata, kette::parameter_file(options.from));
  if (!adapts) return;
  adapters_.emplace(model, options.lora);
  adapters_->materialize(options.seed);
}

std::string StartingPoint::parameter_file() const { return adapters_ ? kAdapterFile : kModelFile; }

void StartingPoint::save_description(const TrainOptions& options) const {
  if (!adapters_) return;
  kette::save_description(options.out,
                          AdapterDescription{adapters_->options(), options.from, checksum_});
}

std::string StartingPoint::report(const TrainOptions& options) const {
  const std::string all = std::to_string(model_.parameters().elements()) + " parameters";
  if (options.from.empty()) return all;
  const std::string from = all + " of " + options.from.string();
  if (!adapters_) return "fine-tuning " + from;
  return "adapters of " + std::to_string(adapters_->parameters().elements()) + " parameters on " +
         from;
}

}  // namespace kette
