// Sizes that a file or a person names are held against what there can be, before memory is asked for.
#include <doctest/doctest.h>

#include <limits>

#include "data/files/atomic_file.h"
#include "data/files/safetensors.h"
#include "models/adapter_directory.h"
#include "models/model_directory.h"
#include "models/model_summary.h"
#include "tests/data/tiny_text.h"
#include "tests/support.h"

using namespace kette;
using namespace kette::testing;

namespace {

constexpr std::int64_t kHuge = std::numeric_limits<std::int64_t>::max();

TransformerConfig smaller_transformer() {
  TransformerConfig config;
  config.encoder_layers = config.decoder_layers = 1;
  config.width = 8;
  config.hidden = 16;
  config.heads = 2;
  config.vocabulary = 20;
  config.max_length = 32;
  return config;
}

GptConfig smaller_gpt() {
  GptConfig config;
  config.layers = 1;
  config.width = 8;
  config.hidden = 16;
  config.heads = 2;
  config.vocabulary = 20;
  config.context = 16;
  return config;
}

template <class Model, class Config>
void save(const std::filesystem::path& folder, const Config& config) {
  Model model(config);
  model.materialize(1);
  std::filesystem::create_directories(folder);
  write_file_atomically(folder / "config.json", to_json(config));
  save_parameters(folder / "model.safetensors", model.parameters(), {});
}

}  // namespace

TEST_CASE("sizes far beyond any model are refused by name, and products of the largest fit") {
  const auto error_of = [](auto change) {
    TransformerConfig config = smaller_transformer();
    change(config);
    return message_of([&] { config.check(); });
  };
  CHECK(error_of([](TransformerConfig&) {}) == "");
  CHECK(error_of([](TransformerConfig& c) { c.width = 1'000'000'000; }) ==
        "width: expected at most 131072, given 1000000000");
  CHECK(error_of([](TransformerConfig& c) { c.max_length = kHuge; }) ==
        "max_length: expected at most 131072, given 9223372036854775807");
  CHECK(error_of([](TransformerConfig& c) { c.encoder_layers = 1'000'000; }) ==
        "encoder_layers: expected at most 10000, given 1000000");
  CHECK(contains(error_of([](TransformerConfig& c) { c.vocabulary = kHuge; }), "vocabulary: "));
  CHECK(contains(error_of([](TransformerConfig& c) { c.hidden = kHuge; }), "hidden: "));
  GptConfig gpt = smaller_gpt();
  gpt.context = kHuge;
  CHECK(contains(message_of([&] { gpt.check(); }), "context: expected at most 131072"));

  TransformerConfig largest = smaller_transformer();
  largest.encoder_layers = largest.decoder_layers = 10'000;
  largest.width = 131'072;
  largest.hidden = std::int64_t{1} << 20;
  largest.vocabulary = std::int64_t{1} << 24;
  CHECK_NOTHROW(largest.check());
  double expected = 0;
  for (const SummaryRow& row : summary_of(largest)) {
    expected += static_cast<double>(row.count) * static_cast<double>(row.parameters);
  }
  CHECK(static_cast<double>(16 * count_parameters(largest)) ==
        doctest::Approx(16 * expected).epsilon(1e-12));
}

TEST_CASE(
    "a config.json that asks for more than its file has is refused before the model is built") {
  const ScratchFolder folder;
  save<Transformer>(folder / "mt", smaller_transformer());
  save<Gpt>(folder / "lm", smaller_gpt());
  TransformerConfig transformer = smaller_transformer();
  transformer.decoder_layers = 10'000;
  transformer.width = 100'000;
  GptConfig gpt = smaller_gpt();
  gpt.layers = 10'000;
  CHECK(read_config_of<TransformerConfig>(folder / "mt").width == 8);
  write_file_atomically(folder / "mt" / "config.json", to_json(transformer));
  const std::string error = message_of([&] { read_config_of<TransformerConfig>(folder / "mt"); });
  CAPTURE(error);
  CHECK(contains(error, "model.safetensors: expected at least " +
                            std::to_string(count_parameters(transformer)) + " parameters"));
  CHECK(contains(error, "given " + std::to_string(count_parameters(smaller_transformer()))));

  write_file(folder / "lm" / "config.json", to_json(gpt).insert(1, "\"tokenizer\": \"byte\","));
  CHECK(contains(message_of([&] { read_config_of<GptConfig>(folder / "lm"); }),
                 "model.safetensors: expected at least"));
  // A checkpoint in the place of the folder's own parameters counts in their place.
  std::filesystem::rename(folder / "mt" / "model.safetensors", folder / "checkpoint");
  CHECK(message_of([&] { read_config_of<TransformerConfig>(folder / "mt"); }) == "");
  CHECK(contains(
      message_of([&] { read_config_of<TransformerConfig>(folder / "mt", folder / "checkpoint"); }),
      "checkpoint: expected at least"));
}

TEST_CASE("adapters of a rank that their file has no numbers for are refused") {
  const ScratchFolder folder;
  save<Transformer>(folder / "base", smaller_transformer());
  const std::string checksum =
      SafetensorsFile::open(folder / "base" / "model.safetensors").metadata().at(kChecksumKey);
  std::filesystem::create_directories(folder / "adapters");
  LoraOptions lora;
  lora.rank = 1;
  Transformer model(smaller_transformer());
  model.materialize(1);
  LoraAdapters adapters(model, lora);
  adapters.materialize(1);
  save_parameters(folder / "adapters" / "adapter.safetensors", adapters.parameters(), {});
  const auto load_with_rank = [&](std::int64_t rank) {
    lora.rank = rank;
    save_description(folder / "adapters", AdapterDescription{lora, folder / "base", checksum});
    Transformer loaded(smaller_transformer());
    loaded.allocate(DType::f32, {}, Gradients::none);
    return message_of([&] { load_values(folder / "adapters", loaded); });
  };
  CHECK(load_with_rank(1) == "");
  CHECK(contains(load_with_rank(8), "adapter.safetensors: expected at least"));
  CHECK(contains(load_with_rank(kHuge), "expected adapters of rank 8 at most"));
}
