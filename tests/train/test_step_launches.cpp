// How many kernels a training step launches on a GPU, and how often the host waits for one: counted on
// the emulator, for the layers of the presets. Each layer adds the same number, so one and two layers
// tell of all.
#include "models/gpt.h"
#include "models/transformer.h"
#include "tests/devices.h"
#include "tests/emulated.h"
#include "train/adam.h"
#include "train/train_step.h"

using namespace kette;

namespace {

/// More than the blocks that sums over rows are cut into.
constexpr std::int64_t kLength = 33, kSentences = 8;

Batch sentences(std::int64_t vocabulary) {
  TokenLists source, target;
  std::vector<std::int64_t> all;
  Random random(2);
  for (std::int64_t i = 0; i < kSentences; ++i) {
    std::vector<std::int32_t> ids;
    for (std::int64_t j = 0; j < kLength; ++j) {
      ids.push_back(static_cast<std::int32_t>(4 + random.below(vocabulary - 4)));
    }
    source.add(ids);
    target.add(ids);
    all.push_back(i);
  }
  return make_batch(PairLists(source, target), all, SpecialTokens{});
}

struct StepCounts {
  std::int64_t launches = 0, host_waits = 0;
};

/// Of the second step, in bf16, with the gradients clipped.
template <class Model, class Config>
StepCounts count_step(emulator::Emulator& emulator, const Config& config) {
  Model model(config);
  model.materialize(1, DType::bf16, {DeviceKind::cuda, 0});
  Adam adam(model.parameters(), {});
  const Batch batch = sentences(config.vocabulary);
  const auto step = [&] { train_step(model, adam, {&batch, 1}, {1e-3, 0.1, 1, 1}); };
  step();
  const emulator::Counts counts = emulator.counted(step);
  return {static_cast<std::int64_t>(counts.launches), static_cast<std::int64_t>(counts.host_waits)};
}

/// with_layers(n): what a step of n layers counts.
template <class WithLayers>
StepCounts extrapolated(std::int64_t layers, const WithLayers& with_layers) {
  const StepCounts one = with_layers(1), two = with_layers(2);
  CHECK(one.host_waits == two.host_waits);
  return {one.launches + (layers - 1) * (two.launches - one.launches), one.host_waits};
}

/// The width is small, and of whole packs; the vocabulary is one that is padded.
template <class Config>
Config narrow(Config config) {
  config.width = 32;
  config.hidden = 32;
  config.heads = 2;
  config.vocabulary = 1030;
  return config;
}

StepCounts count_gpt2(emulator::Emulator& emulator, double dropout) {
  GptConfig config = narrow(GptConfig::preset("gpt2"));
  config.dropout = config.attention_dropout = dropout;
  config.context = 2 * kLength;
  return extrapolated(config.layers, [&](std::int64_t layers) {
    config.layers = layers;
    return count_step<Gpt>(emulator, config);
  });
}

StepCounts count_transformer(emulator::Emulator& emulator, const char* preset) {
  TransformerConfig config = narrow(TransformerConfig::preset(preset));
  return extrapolated(config.encoder_layers, [&](std::int64_t layers) {
    config.encoder_layers = config.decoder_layers = layers;
    return count_step<Transformer>(emulator, config);
  });
}

}  // namespace

TEST_CASE("CUDA emulator: launches and waits of a training step") {
  emulator::Emulator* emulator = emulator::find();
  if (emulator == nullptr) return skip_emulator();
  const auto check = [](const char* model, const StepCounts& counts, std::int64_t most) {
    MESSAGE(std::string(model) << ": " << counts.launches << " launches, " << counts.host_waits
                               << " waits");
    CHECK(counts.launches <= most);
    CHECK(counts.host_waits <= 1);  // for the loss, which the trainer asks for a step later
  };
  check("gpt2", count_gpt2(*emulator, 0.1), 371);
  check("gpt2 without dropout", count_gpt2(*emulator, 0), 336);
  check("base", count_transformer(*emulator, "base"), 420);
  check("tiny", count_transformer(*emulator, "tiny"), 288);
}
