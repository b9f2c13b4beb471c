// Adapters on whole models: what they change, what they leave alone, and their files.
#include <doctest/doctest.h>

#include "autograd/gradient_check.h"
#include "data/files/safetensors.h"
#include "data/tokenizers/byte_tokenizer.h"
#include "decode/generator.h"
#include "models/adapter_directory.h"
#include "models/average.h"
#include "models/gpt.h"
#include "models/lora.h"
#include "models/model_directory.h"
#include "models/transformer.h"
#include "tests/decode/decode_models.h"
#include "tests/gap.h"
#include "tests/gradients.h"
#include "tests/json_view.h"
#include "tests/random_tensor.h"
#include "tests/support.h"

using namespace kette;
using kette::testing::ScratchFolder;

namespace {

const std::vector<std::int32_t> kIds = {4, 5, 6, 3, 7, 3, 12}, kNext = {5, 6, 3, 7, 3, 12, 1},
                                kSource = {4, 9, 2, 8, 8};
const Segments kSegments = Segments::from_lengths({3, 4}),
               kSourceSegments = Segments::from_lengths({2, 3});

LoraOptions on(const std::string& names, std::int64_t rank = 2) {
  return {rank, 3, LoraOptions::parse_names(names)};
}

/// B starts at 0, which would hide everything that is wrong with A.
void randomize(const ParamStore& store, std::uint64_t seed = 5) {
  Random random(seed);
  std::vector<double> values(static_cast<std::size_t>(store.values().elements()));
  for (double& value : values) value = random.uniform(-0.3, 0.3);
  store.values().copy_from(Tensor::from(values).to(store.values().dtype()));
  store.round();
}

TransformerConfig smooth_transformer(NormOrder norm) {
  TransformerConfig config = small_transformer(norm);
  config.feed_forward = FeedForwardKind::gelu;  // without kinks
  return config;
}

Variable states(const Gpt& model, Run& run) {
  return model.decode(Tensor::from(kIds), PackedSequences(kSegments), run);
}

Variable states(const Transformer& model, Run& run) {
  const Variable memory =
      model.encode(Tensor::from(kSource), PackedSequences(kSourceSegments), run);
  return model.decode(Tensor::from(kIds), PackedSequences(kSegments, memory, kSourceSegments), run);
}

template <class Model>
std::vector<double> logits(const Model& model) {
  Run inference;
  return model.logits(states(model, inference)).value().template values<double>();
}

template <class Model>
void check_model_gradients(Model&& model) {
  const testing::OneThread one_thread;
  model.materialize(1, DType::f64, {}, Gradients::none);
  LoraAdapters adapters(model, on("all"));
  adapters.materialize(2);
  randomize(adapters.parameters());
  const auto loss = [&] {
    Run run(3, 1);
    return model.loss(states(model, run), Tensor::from(kNext), {0.1, 1.0 / 7});
  };
  const auto& leaves = adapters.parameters().leaves();
  CHECK(leaves.size() >= 8);
  testing::expect_right(check_parameter_gradients(loss, leaves, {.elements = 2}));
  testing::add_gradient_of(loss);
  for (const auto& leaf : leaves) {
    CAPTURE(leaf->name);
    CHECK(sum_of_squares(leaf->gradient) > 0);
  }
}

template <class Model>
void check_merging(Model&& model, DType dtype, double tolerance) {
  model.materialize(1, dtype, {}, Gradients::none);
  const auto before = logits(model);
  LoraAdapters adapters(model, on("all"));
  adapters.materialize(2);
  CHECK(logits(model) == before);
  randomize(adapters.parameters());
  const auto adapted = logits(model);
  const auto base = model.parameters().values().template values<double>();
  adapters.merge();
  CHECK(model.parameters().values().template values<double>() != base);
  const auto merged = logits(model);
  CHECK(largest_gap(adapted, before) > 20 * tolerance);
  CHECK(largest_gap(adapted, merged) < tolerance);
}

/// A GPT with a tokenizer in `folder`/base, and adapters for it in `folder`/adapter.
struct Folders {
  ScratchFolder folder;
  std::filesystem::path base = folder / "base", adapter = folder / "adapter";
  GptConfig config = small_gpt();

  Folders() {
    config.vocabulary = ByteTokenizer().vocabulary();
    Gpt model(config);
    model.materialize(1, DType::f32, {}, Gradients::none);
    save_description(base, config, ByteTokenizer());
    save_parameters(base / kModelFile, model.parameters(), {});
    LoraAdapters adapters(model, on("query,outer"));
    adapters.materialize(2);
    randomize(adapters.parameters());
    expected = logits(model);
    save_description(adapter, config, ByteTokenizer());
    save_description(adapter, AdapterDescription{adapters.options(), base, checksum()});
    save_parameters(adapter / kAdapterFile, adapters.parameters(), {{"step", "7"}});
  }
  std::string checksum() const {
    return SafetensorsFile::open(base / kModelFile).metadata().at(kChecksumKey);
  }
  void change_description(const std::string& key, const testing::JsonView& value) const {
    const auto json = testing::JsonView::parse(testing::read_file(adapter / "adapter.json"));
    testing::write_file(adapter / "adapter.json", json.with(key, value).dump());
  }

  std::vector<double> expected;  ///< logits with the adapters beside the weights
};

void check_close(const std::vector<double>& got, const std::vector<double>& expected) {
  CHECK(largest_gap(got, expected) < 1e-5);
}

}  // namespace

TEST_CASE("lora: gradients through a whole model agree with central differences") {
  for (const auto& [label, config] : small_gpts()) {
    if (config.feed_forward != FeedForwardKind::relu) check_model_gradients(Gpt(config));
  }
  check_model_gradients(Transformer(smooth_transformer(NormOrder::pre)));
  check_model_gradients(Transformer(smooth_transformer(NormOrder::post)));
}

TEST_CASE("lora: new adapters change no bit; merged ones compute what they computed beside W") {
  for (const auto& [label, config] : small_gpts()) check_merging(Gpt(config), DType::f32, 1e-5);
  check_merging(Transformer(small_transformer(NormOrder::pre)), DType::f32, 1e-5);
  check_merging(Transformer(small_transformer(NormOrder::post)), DType::f32, 1e-5);
  check_merging(Gpt(small_gpt()), DType::f64, 1e-12);
}

TEST_CASE("lora: a name stands for its rows of every layer, in fused projections, too") {
  const auto shapes = [](auto&& model, const std::string& names) {
    model.allocate(DType::f32, {}, Gradients::none);
    const LoraAdapters adapters(model, on(names, 3));
    return adapters.parameters().leaves().size();
  };
  CHECK(shapes(Gpt(small_gpt()), "output") == 2 * 2);
  CHECK(shapes(Gpt(small_gpt()), "all") == 2 * 2 * 4);
  // query, key and value are one map of self-attention, two of cross-attention.
  CHECK(shapes(Transformer(small_transformer(NormOrder::pre)), "query,value") == 2 * 2 * (1 + 3));
  CHECK(shapes(Transformer(small_transformer(NormOrder::pre)), "query") == 2 * 2 * (1 + 2));

  Gpt model(small_modern_gpt());
  model.materialize(1);
  LoraAdapters adapters(model, on("value,inner,query", 3));
  adapters.materialize(1);
  const Block& layer = model.decoder()[1];
  const LoraAdapter& fused = *layer.self_attention.query_key_value.adapter;
  REQUIRE(fused.blocks.size() == 2);
  CHECK(fused.blocks[1].begin == 32);
  CHECK(fused.blocks[1].end == 48);
  CHECK(fused.down.leaf()->name == "layers/1/attention/query_key_value/lora_down");
  CHECK(fused.down.shape() == Shape{6, 16});
  CHECK(fused.up.leaf()->name == "layers/1/attention/query_key_value/lora_up");
  CHECK(fused.up.shape() == Shape{32, 3});
  CHECK(fused.scale == doctest::Approx(1));
  CHECK(layer.feed_forward->inner.adapter->blocks.size() == 2);  // the two maps of SwiGLU
  CHECK(layer.feed_forward->inner.adapter->up.shape() == Shape{48, 3});
  CHECK_FALSE(layer.feed_forward->outer.adapter);
  CHECK(LoraOptions{4}.scale() == 2);
}

TEST_CASE("lora: options that make no sense are refused by name") {
  CHECK(LoraOptions::parse_names("query,value") == std::vector<std::string>{"query", "value"});
  CHECK_THROWS_WITH_AS(LoraOptions::parse_names("query,vaule"),
                       doctest::Contains("given \"vaule\" (did you mean value?)"), Error);
  CHECK_THROWS_AS(LoraOptions::parse_names(""), Error);
  CHECK_THROWS_AS(LoraOptions::parse_names("query,"), Error);
  Gpt model(small_gpt());
  CHECK_THROWS_WITH_AS(LoraAdapters(model, on("all")), doctest::Contains("with values"), Error);
  model.materialize(1);
  CHECK_THROWS_WITH_AS(LoraAdapters(model, on("all", 0)), doctest::Contains("rank"), Error);
  CHECK_THROWS_WITH_AS(LoraAdapters(model, on("all", 17)), doctest::Contains("rank 16 at most"),
                       Error);
  CHECK_THROWS_WITH_AS(LoraAdapters(model, {2, -1}), doctest::Contains("alpha"), Error);
  GptConfig config = small_gpt();  // 16 wide
  config.kv_heads = 1;
  Gpt few_keys(config);
  few_keys.materialize(1);
  CHECK_THROWS_WITH_AS(LoraAdapters(few_keys, on("query,key", 16)), doctest::Contains("on its key"),
                       Error);
  Gpt fresh(config);
  fresh.materialize(1);
  CHECK_NOTHROW(LoraAdapters(fresh, on("query,inner", 16)));  // what has no adapter has no limit
  CHECK_THROWS_WITH_AS(LoraAdapters(model, {2, 1, {}}), doctest::Contains("names"), Error);
  Gpt attention_only(small_attention_only_gpt());
  attention_only.materialize(1);
  CHECK_NOTHROW(LoraAdapters(attention_only, on("query,inner")));
  Gpt another(small_attention_only_gpt());
  another.materialize(1);
  CHECK_THROWS_WITH_AS(LoraAdapters(another, on("inner,outer")),
                       "lora: expected names of maps that the model has, given inner, outer for a "
                       "model without feed-forward layers",
                       Error);
  const LoraAdapters first(model, on("outer"));
  CHECK_THROWS_WITH_AS(LoraAdapters(model, on("outer")), doctest::Contains("without adapters"),
                       Error);
}

TEST_CASE("lora: decoding packs weights with their adapters in them") {
  Gpt model(small_gpt());
  model.materialize(1, DType::f32, {}, Gradients::none);
  LoraAdapters adapters(model, on("all"));
  adapters.materialize(2);
  randomize(adapters.parameters());
  GenerateOptions options;
  options.temperature = 0;
  options.max_tokens = 12;
  const auto beside = generate(*model.for_decoding(), {4, 5}, options);
  adapters.merge();
  CHECK(generate(*model.for_decoding(), {4, 5}, options) == beside);
}

TEST_CASE("lora: adapters whose product is not finite are refused") {
  Gpt model(small_gpt());
  model.materialize(1);
  LoraAdapters adapters(model, on("query"));
  adapters.materialize(1);
  for (const auto& leaf : adapters.parameters().leaves()) {
    leaf->value.copy_from(Tensor::full(leaf->value.shape(), 1e30, leaf->value.dtype()));
  }
  CHECK_THROWS_WITH_AS(adapters.merge(),
                       doctest::Contains("lora: expected adapters that give finite"), Error);
}

TEST_CASE("lora: a directory of adapters loads as a model, and merges into a plain one") {
  const Folders f;
  const SavedModel<Gpt> loaded = load_model<Gpt>(f.adapter);
  check_close(logits(*loaded.model), f.expected);
  CHECK(loaded.metadata.at("step") == "7");
  const SafetensorsFile stored = SafetensorsFile::open(f.adapter / kAdapterFile);
  for (const std::string& name : stored.names()) {
    CHECK(testing::contains(name, "/lora_"));
  }
  merge_adapters(f.adapter, f.folder / "merged");
  const SavedModel<Gpt> merged = load_model<Gpt>(f.folder / "merged");
  CHECK(logits(*merged.model) == logits(*loaded.model));
  CHECK_THROWS_WITH_AS(merge_adapters(f.adapter, f.base), doctest::Contains("not there yet"),
                       Error);
  CHECK_THROWS_WITH_AS(merge_adapters(f.base, f.folder / "more"), doctest::Contains("adapter.json"),
                       Error);

  std::filesystem::rename(f.base, f.folder / "moved");
  CHECK_THROWS_WITH_AS(load_model<Gpt>(f.adapter), doctest::Contains("kette merge --base"), Error);
  merge_adapters(f.adapter, f.folder / "again", f.folder / "moved");
  check_close(logits(*load_model<Gpt>(f.folder / "again").model), f.expected);
}

TEST_CASE("lora: adapters of another run, which may sit on another base, are refused") {
  const Folders one, other;
  const auto of_run = [](const Folders& f, const char* run) {
    const std::filesystem::path file = f.folder / "checkpoint.safetensors";
    const SafetensorsFile stored = SafetensorsFile::open(f.adapter / kAdapterFile);
    std::vector<std::pair<std::string, Tensor>> tensors;
    for (const std::string& name : stored.names()) tensors.emplace_back(name, stored.tensor(name));
    write_safetensors(file, tensors, run ? Metadata{{kRunKey, run}} : Metadata{}, Checksum::crc32);
    return file;
  };
  std::filesystem::copy_file(of_run(one, "aaaa1111"), one.adapter / kAdapterFile,
                             std::filesystem::copy_options::overwrite_existing);
  check_close(logits(*load_model<Gpt>(one.adapter, of_run(one, "aaaa1111")).model), one.expected);
  CHECK_THROWS_WITH_AS(load_model<Gpt>(one.adapter, of_run(other, "bbbb2222")),
                       doctest::Contains("expected adapters of the run of"), Error);
  CHECK_THROWS_WITH_AS(load_model<Gpt>(one.adapter, of_run(other, nullptr)),
                       doctest::Contains("given those of another one, unknown"), Error);
  const std::vector<std::filesystem::path> both = {of_run(one, "aaaa1111"),
                                                   of_run(other, "bbbb2222")};
  const std::filesystem::path mean = one.folder / "mean";
  CHECK_THROWS_WITH_AS(average_checkpoints(both, mean), doctest::Contains("of the run"), Error);
  CHECK_THROWS_WITH_AS(average_checkpoints(both, mean, true),
                       doctest::Contains("expected whole models to average those of any run"),
                       Error);
  CHECK_FALSE(std::filesystem::exists(mean));
}

TEST_CASE("lora: another base, other adapters and damaged files are refused") {
  const Folders f;
  const std::string description = testing::read_file(f.adapter / "adapter.json");
  f.change_description("rank", 3);
  CHECK_THROWS_WITH_AS(load_model<Gpt>(f.adapter),
                       doctest::Contains("adapter.json asks for, given 288"), Error);
  f.change_description("rank", 1);
  CHECK_THROWS_WITH_AS(load_model<Gpt>(f.adapter), doctest::Contains("expected shape [1, 16]"),
                       Error);
  for (const auto& change : std::vector<std::pair<std::string, testing::JsonView>>{
           {"rank", 2.5},
           {"rank", "two"},
           {"rank", -1},
           {"alpha", testing::JsonView()},
           {"on", std::vector<std::string>{"quiery"}},
           {"on", 3},
           {"base", 1},
           {"base_crc32", false}}) {
    CAPTURE(change.first);
    testing::write_file(f.adapter / "adapter.json", description);
    f.change_description(change.first, change.second);
    CHECK_THROWS_WITH_AS(load_model<Gpt>(f.adapter), doctest::Contains("adapter.json"), Error);
  }
  for (const std::string& text : {std::string(), std::string("[]"), description.substr(0, 40)}) {
    testing::write_file(f.adapter / "adapter.json", text);
    CHECK_THROWS_WITH_AS(load_model<Gpt>(f.adapter), doctest::Contains("adapter.json"), Error);
  }
  testing::write_file(f.adapter / "adapter.json", description);
  Gpt other(f.config);
  other.materialize(9);
  save_parameters(f.base / kModelFile, other.parameters(), {});
  CHECK_THROWS_WITH_AS(load_model<Gpt>(f.adapter), doctest::Contains("it is another one"), Error);
  f.change_description("base_crc32", f.checksum());
  CHECK_NOTHROW(load_model<Gpt>(f.adapter));
  testing::write_file(f.adapter / kAdapterFile, "damaged");
  CHECK_THROWS_AS(load_model<Gpt>(f.adapter), Error);
}
