#include "cli/step_source.h"

#include <algorithm>

#include "cli/common.h"
#include "cli/decoding.h"
#include "cli/shipped_models.h"
#include "data/files/text_file.h"
#include "models/gpt.h"
#include "models/model_directory.h"

namespace kette::cli {
namespace {

/// Windows of a text as long as the model sees, from its beginning.
Batch text_batch(const StepSource& o, const GptConfig& config) {
  TextSource file(o.text, kWholeText);
  std::vector<std::int32_t> ids = load_tokenizer_of(o.folder, config)->encode(read_all(file));
  const std::int64_t rows = std::min(o.batches.tokens, std::ssize(ids) - 1);
  KETTE_CHECK(rows > 0, o.text.string(), ": expected a text of at least two tokens, given ",
              ids.size());
  std::vector<std::int64_t> lengths;
  for (std::int64_t row = 0; row < rows; row += config.context) {
    lengths.push_back(std::min(config.context, rows - row));
  }
  Batch batch;
  batch.target_in.assign(ids.begin(), ids.begin() + rows);
  batch.target_out.assign(ids.begin() + 1, ids.begin() + 1 + rows);
  batch.target_segments = Segments::from_lengths(lengths);
  batch.sentence_ids.resize(lengths.size());
  return batch;
}

}  // namespace

std::string StepSource::name() const {
  return folder.empty() ? architecture.preset() : name_of_folder(folder);
}

void StepSource::check(bool has_prompt) const {
  if (batches.source.empty() != batches.target.empty()) {
    throw UsageError("--src, --tgt: expected both or neither, given one");
  }
  if (has_text() && folder.empty()) {
    throw UsageError("--src, --tgt, --text: expected --model beside them, given none");
  }
  if (!text.empty() && !batches.source.empty()) {
    throw UsageError("--text: expected it alone or --src and --tgt, given both");
  }
  if (!language.empty() && batches.source.empty() && !has_prompt) {
    throw UsageError("--to: expected sentences to translate beside it, given none");
  }
  if (folder.empty()) {
    architecture.check();
  } else {
    architecture.check_like(*read_config(folder), folder);
  }
}

std::unique_ptr<ModelConfig> StepSource::config() const {
  return folder.empty() ? architecture.config() : read_config_with_room(folder);
}

std::vector<Batch> StepSource::make_batches(ModelConfig& config, std::int64_t count) const {
  const auto* gpt = dynamic_cast<const GptConfig*>(&config);
  if (!text.empty()) {
    if (gpt == nullptr) {
      throw UsageError("--text: expected a language model, given a " + config.family().what);
    }
    return std::vector<Batch>(static_cast<std::size_t>(count), text_batch(*this, *gpt));
  }
  if (batches.source.empty()) return batches_for(config, batches, count);
  if (dynamic_cast<const TransformerConfig*>(&config) == nullptr) {
    throw UsageError("--src: expected a translation model, given a " + config.family().what);
  }
  const auto corpus = ParallelCorpus::load({batches.source, batches.target, language},
                                           load_tokenizer_of(folder, config), {});
  return batches_of(corpus, batches, count);
}

std::unique_ptr<Model> StepSource::make_model(const ModelConfig& config, DType dtype,
                                              bool random) const {
  std::unique_ptr<Model> model = config.make_model();
  if (folder.empty() || random) {
    model->materialize(batches.seed, dtype, compute.device);
  } else {
    model->allocate(dtype, compute.device, Gradients::kept);
    load_values(folder, *model);
  }
  return model;
}

void add_step_source(CLI::App& command, StepSource& source) {
  OptionGroup model(command, "Model");
  const Option preset = source.architecture.add_preset_option(model, all_presets(), "Its size");
  model.path("--model", source.folder, "A trained model, in the place of a preset", "DIR")
      .changed_by(model_folder)
      .excludes(preset);
  add_compute_options(model, source.compute);
  source.architecture.add_field_options(command);
  OptionGroup data(command, "Batches (default: random ones)");
  data.path("--src", source.batches.source, "Source sentences, for a trained model");
  data.path("--tgt", source.batches.target, "Their translations");
  add_language_option(data, source.language);
  data.path("--text", source.text, "A text, for a trained language model");
  data.number("--tokens", source.batches.tokens, at_least(1),
              "Tokens of a batch, of the larger side");
  add_ids_option(data, source.batches.ids);
  data.number("--seed", source.batches.seed, "Of batches, initial values and dropout");
}

}  // namespace kette::cli
