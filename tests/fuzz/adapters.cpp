// adapter.json and adapter.safetensors on a model that stays as it is.
#include "data/files/safetensors.h"
#include "tests/fuzz/targets.h"
#include "tests/fuzz/tiny_models.h"
#include "tests/support.h"

namespace kette::fuzz {
namespace {

namespace fs = std::filesystem;

/// A model directory; the same bytes in every process, and so the same checksum.
const fs::path& base() {
  static const fs::path folder = [] {
    Gpt model(tiny_gpt());
    model.materialize(1);
    const auto made = scratch() / "base";
    save_description(made, tiny_gpt(), *load_tokenizer({}, "byte"));
    save_parameters(made / kModelFile, model.parameters(), {{"step", "0"}});
    return made;
  }();
  return folder;
}

std::string seed(const LoraOptions& options) {
  Gpt model(tiny_gpt());
  model.materialize(1);
  LoraAdapters adapters(model, options);
  adapters.materialize(1);
  const auto folder = scratch() / "seed";
  fs::create_directories(folder);
  const auto stored = SafetensorsFile::open(base() / kModelFile);
  save_description(folder, AdapterDescription{options, "base", stored.metadata().at(kChecksumKey)});
  save_parameters(folder / kAdapterFile, adapters.parameters(), {{"step", "8"}});
  return joined({testing::read_file(folder / "adapter.json"), header_of(folder / kAdapterFile),
                 sane_values()});
}

std::vector<std::string> seeds() {
  return {seed({2, 0, {"query", "value"}}), seed({1, 3, {"all"}}), seed({1, 0, {"key"}}) + kNan};
}

void read(std::string_view input) {
  const auto files = parts(input, 3);
  const auto file = put("adapted/adapter.json", files[0]);
  put("adapted/adapter.safetensors", safetensors(files[1], files[2]));
  Gpt model(tiny_gpt());
  model.allocate(DType::f32, {}, Gradients::none);
  load_values(file.parent_path(), model, {}, base());
  expect_finite(model.parameters());
}

}  // namespace

const Target adapters = {"adapters", seeds, read};

}  // namespace kette::fuzz
