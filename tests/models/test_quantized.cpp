// Model directories in fewer bits: the same decoding as by rounding when a model is loaded, a quarter of
// the bytes, and no way on for what was rounded or is damaged.
#include <doctest/doctest.h>

#include <functional>

#include "data/files/safetensors.h"
#include "data/tokenizers/byte_tokenizer.h"
#include "decode/generator.h"
#include "models/average.h"
#include "models/quantized.h"
#include "tests/data/tiny_text.h"
#include "tests/decode/decode_models.h"
#include "tests/support.h"
#include "train/text_task.h"

using namespace kette;
using namespace kette::testing;

namespace {

namespace fs = std::filesystem;

using Tensors = std::vector<std::pair<std::string, Tensor>>;

/// A GPT in `folder`/whole, and what quantize_model() makes of it in `folder`/int8.
struct Folders {
  ScratchFolder folder;
  fs::path whole = folder / "whole", int8 = folder / "int8";

  explicit Folders(bool tied = true) {
    GptConfig config;
    config.layers = 2;
    config.width = 64;
    config.hidden = 132;
    config.heads = 4;
    config.context = 24;
    config.vocabulary = ByteTokenizer().vocabulary();
    config.tied_output = tied;
    Gpt model(config);
    model.materialize(1);
    vary_vectors<float>(model.parameters(), 2);
    save_description(whole, config, ByteTokenizer());
    save_parameters(whole / kModelFile, model.parameters(), {{"step", "7"}});
    quantize_model(whole, int8, DType::int8);
  }

  /// Writes int8's file anew, with its tensors changed.
  void change(const std::function<void(Tensors&)>& change) const {
    const SafetensorsFile stored = SafetensorsFile::open(int8 / kModelFile);
    Tensors tensors;
    for (const std::string& name : stored.names()) {
      const Shape shape = stored.shape(name);
      tensors.emplace_back(
          name, stored.stored_dtype(name) == "I8"
                    ? Tensor::from(stored.elements<std::int8_t>(name, 0, shape.elements()), shape)
                    : stored.tensor(name));
    }
    change(tensors);
    write_safetensors(int8 / kModelFile, tensors, stored.metadata(), Checksum::crc32);
  }
};

std::vector<Ids> generated(const fs::path& folder, std::optional<DType> weights = {}) {
  const SavedModel<Gpt> saved = load_model<Gpt>(folder);
  GenerateOptions options;
  options.max_tokens = 20;
  options.texts = 2;
  options.seed = 5;
  return generate(*saved.model->for_decoding(weights.value_or(saved.weights)), {5, 6, 7}, options);
}

const Tensor& named(const Tensors& tensors, const std::string& name) {
  for (const auto& [known, tensor] : tensors) {
    if (known == name) return tensor;
  }
  FAIL("no tensor " << name);
  return tensors.front().second;
}

constexpr const char* kMatrix = "layers/0/feed_forward/inner/weight";

}  // namespace

TEST_CASE("quantized: a directory writes what its model does when rounded in memory") {
  const OneThread one;
  for (const bool tied : {true, false}) {
    CAPTURE(tied);
    const Folders f(tied);
    CHECK(load_model<Gpt>(f.int8).weights == DType::int8);
    CHECK(load_model<Gpt>(f.whole).weights == DType::f32);
    CHECK(generated(f.int8) == generated(f.whole, DType::int8));
    const fs::path half = f.folder / "bf16";
    quantize_model(f.whole, half, DType::bf16);
    CHECK(load_model<Gpt>(half).weights == DType::bf16);
    CHECK(generated(half) == generated(f.whole, DType::bf16));
    const auto bytes = [](const fs::path& model) {
      return static_cast<double>(fs::file_size(model / kModelFile));
    };
    CHECK(bytes(f.int8) < 0.35 * bytes(f.whole));
    CHECK(bytes(half) < 0.6 * bytes(f.whole));
    CHECK(load_model<Gpt>(f.int8).metadata.at("step") == "7");
  }
}

TEST_CASE("quantized: what is saved of such a model again is whole, and says so") {
  const Folders f;
  const SavedModel<Gpt> saved = load_model<Gpt>(f.int8);
  const fs::path again = f.folder / "again";
  save_description(again, saved.model->config(), *saved.tokenizer);
  save_parameters(again / kModelFile, saved.model->parameters(), saved.metadata);
  CHECK(load_model<Gpt>(again).weights == DType::f32);
  CHECK(generated(again, DType::int8) == generated(f.int8));
}

TEST_CASE("quantized: not to be trained, averaged or quantized again") {
  const Folders f;
  const std::string wanted = "expected weights in f32 to ";
  TextTrainOptions options;
  options.from = f.int8;
  Gpt model(load_model<Gpt>(f.int8).model->config());
  CHECK_THROWS_WITH_AS(StartingPoint(model, options), doctest::Contains((wanted + "train").c_str()),
                       Error);
  CHECK_THROWS_WITH_AS(average_checkpoints({f.int8 / kModelFile}, f.folder / "mean"),
                       doctest::Contains((wanted + "average").c_str()), Error);
  CHECK_THROWS_WITH_AS(quantize_model(f.int8, f.folder / "twice", DType::bf16),
                       doctest::Contains((wanted + "quantize").c_str()), Error);
  CHECK_FALSE(fs::exists(f.folder / "mean"));
  CHECK_FALSE(fs::exists(f.folder / "twice"));
}

TEST_CASE("quantized: what is missing or makes no sense in such a file is named") {
  const std::string scale = std::string(kMatrix) + "/scale";
  const auto refused = [&](const std::function<void(Tensors&)>& change) {
    const Folders f;
    f.change(change);
    return message_of([&] { load_model<Gpt>(f.int8); });
  };
  CHECK(refused([](Tensors&) {}) == "");
  CHECK(contains(refused([&](Tensors& tensors) {
                   std::erase_if(tensors, [&](const auto& entry) { return entry.first == scale; });
                 }),
                 "expected a tensor \"" + scale + "\""));
  CHECK(contains(refused([&](Tensors& tensors) {
                   for (auto& [name, tensor] : tensors) {
                     if (name == scale) tensor = tensor.slice(1, tensor.rows());
                   }
                 }),
                 "\"" + scale + "\": expected shape [132]"));
  for (const float bad : {NAN, INFINITY, -1.0f}) {
    CHECK(contains(refused([&](Tensors& tensors) { named(tensors, scale).data<float>()[3] = bad; }),
                   "\"" + scale + "\": expected finite scales of at least 0"));
  }
  CHECK(contains(
      refused([&](Tensors& tensors) { named(tensors, kMatrix).data<std::int8_t>()[3] = -128; }),
      "from -127 to 127"));
  CHECK(
      contains(refused([&](Tensors& tensors) { tensors.emplace_back("more", Tensor::zeros({2})); }),
               "belongs to a model of another architecture"));
}

TEST_CASE("quantized: an unknown kind of weights is an error that names the file") {
  CHECK(weights_of({}, "F") == DType::f32);
  CHECK_THROWS_WITH_AS(weights_of({{"weights", "int3"}}, "F"),
                       doctest::Contains("F: expected weights in bf16 or int8, given int3"), Error);
}
