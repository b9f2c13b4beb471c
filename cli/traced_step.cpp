#include "cli/traced_step.h"

#include "cli/decoding.h"
#include "decode/generator.h"
#include "decode/translate_ids.h"
#include "models/model_directory.h"

namespace kette::cli {
namespace {

Subject training(const TraceOptions& o, StepRecorder& recorder) {
  const auto config = o.source.config();
  const auto batches = std::make_shared<std::vector<Batch>>(o.source.make_batches(*config, 1));
  const std::shared_ptr<Model> model = o.source.make_model(*config, o.source.compute.dtype());
  const BenchRecipe recipe = recipe_for(*config);
  const std::shared_ptr<Optimizer> optimizer =
      make_optimizer(model->parameters(), recipe.optimizer);
  recorder.name(*optimizer);
  StepOptions options = recipe.step;
  options.seed = o.source.batches.seed;
  return {"a training step of " + o.source.name(),
          [=](Tap* tap) {
            StepOptions tapped = options;
            tapped.tap = tap;
            train_step(*model, *optimizer, *batches, tapped);
          },
          {model, optimizer, batches}};
}

/// The ids of the prompt, or random ones.
std::vector<std::int32_t> ids_to_decode(const TraceOptions& o, const ModelConfig& config) {
  constexpr std::int64_t kRandom = 12;
  if (!o.prompt.empty()) {
    if (o.source.folder.empty()) {
      throw UsageError("--prompt: expected --model beside it, given none");
    }
    return load_tokenizer_of(o.source.folder, config)->encode_source(o.prompt, o.source.language);
  }
  const BenchIds bench_ids(o.source.batches.ids, SpecialTokens{}.end + 1, config.vocabulary);
  Random random(o.source.batches.seed, 1);
  std::vector<std::int32_t> ids(kRandom);
  for (auto& id : ids) id = bench_ids.draw(random);
  return ids;
}

Subject decoding(const TraceOptions& o, StepRecorder& recorder) {
  if (o.source.has_text()) {
    throw UsageError("--decode: expected --prompt beside it, given the text of a training step");
  }
  if (o.source.compute.precision != "f32") {
    throw UsageError("--precision: expected none beside --decode, which computes in f32, given " +
                     o.source.compute.precision);
  }
  const auto config = o.source.config();
  const std::unique_ptr<Model> model = o.source.make_model(*config, DType::f32);
  const auto* writer = dynamic_cast<const AutoregressiveModel*>(model.get());
  if (writer == nullptr) {
    throw UsageError("--decode: expected a model that writes text, given a " +
                     config->family().what);
  }
  const std::shared_ptr<AutoregressiveModel> ready = writer->for_decoding();
  ready->each_linear([&](Linear& map, const auto&) {
    recorder.name(map.prepacked->panels, "prepacked weights");
    recorder.name(map.prepacked->bias, "prepacked weights");
  });
  recorder.name(ready->output().prepacked->panels, "prepacked weights");
  recorder.name(ready->parameters());
  const std::vector<std::int32_t> ids = ids_to_decode(o, *config);
  if (ready->has_encoder()) {
    SearchOptions options;
    options.beam = o.beam;
    if (o.source.folder.empty())
      options.forced_length = o.max_tokens;  // what is random may never end
    options.max_length = o.max_tokens;
    return {"a translation by " + o.source.name(),
            [=](Tap* tap) { translate_ids(*ready, {ids}, options, {.tap = tap}); },
            {ready}};
  }
  GenerateOptions options;
  options.max_tokens = o.max_tokens;
  options.seed = o.source.batches.seed;
  return {std::to_string(o.max_tokens) + " tokens of " + o.source.name(),
          [=](Tap* tap) {
            GenerateOptions tapped = options;
            tapped.tap = tap;
            generate(*ready, ids, tapped);
          },
          {ready}};
}

}  // namespace

Subject subject_of(const TraceOptions& options, StepRecorder& recorder) {
  return options.decode ? decoding(options, recorder) : training(options, recorder);
}

}  // namespace kette::cli
