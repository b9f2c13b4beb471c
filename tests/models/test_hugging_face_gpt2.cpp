// GPT-2 from and for transformers, against what transformers computes with the same files
// (tests/fixtures/make_hugging_face.py). That transformers reads our export is for
// tests/models/test_hugging_face_export.cpp.
#include "data/tokenizers/gpt2_tokenizer.h"
#include "tests/models/language_model_answers.h"

using namespace kette;
using namespace kette::testing;

TEST_CASE("Hugging Face: an imported GPT-2 has the logits of transformers") {
  const HuggingFaceFolder folder("gpt2");
  check_logits(*imported<Gpt>(folder).model, golden("gpt2_golden.json"));
}

TEST_CASE("Hugging Face: an imported GPT-2 goes on as generate() of transformers does") {
  const HuggingFaceFolder folder("gpt2");
  check_greedy_texts(imported<Gpt>(folder), golden("gpt2_golden.json"));
}

TEST_CASE("Hugging Face: tokens without a piece are left out of a GPT-2") {
  check_padding_left_out<Gpt>("gpt2");
}

TEST_CASE("Hugging Face: a GPT-2 with another activation comes and goes with it") {
  const HuggingFaceFolder folder("gpt2");
  folder.change_settings([](Json& settings) { settings["activation_function"] = "gelu"; });
  CHECK(imported<Gpt>(folder).model->config().feed_forward == FeedForwardKind::gelu_erf);
  const ScratchFolder scratch;
  export_hugging_face(folder.out(), scratch / "theirs");
  const Json written = Json::parse(read_file(scratch / "theirs" / "config.json"));
  CHECK(written.at("activation_function") == "gelu");
}

TEST_CASE("Hugging Face: GPT-2 comes back from an export bit for bit, tokenizer and settings too") {
  check_round_trip<Gpt>(HuggingFaceFolder("gpt2"), "GPT-2, 2 layers");
}

TEST_CASE("Hugging Face: a GPT-2 with a head of its own comes and goes with it") {
  const HuggingFaceFolder folder("gpt2");
  Tensor head;
  folder.change_tensors([&](HuggingFaceFolder::Tensors& tensors) {
    head = tensors.at("transformer.wte.weight").clone();
    head.data<float>()[5] += 1;
    tensors["lm_head.weight"] = head;
  });
  CHECK(contains(folder.import_error(), "\"tie_word_embeddings\": false"));
  Json settings = Json::parse(read_file(folder.path() / "config.json"));
  settings["tie_word_embeddings"] = false;
  write_file(folder.path() / "config.json", settings.dump());
  const SavedModel<Gpt> saved = imported<Gpt>(folder);
  CHECK_FALSE(saved.model->config().tied_output);
  CHECK(saved.model->output().weight.value().values<float>() == head.values<float>());
  const ScratchFolder scratch;
  export_hugging_face(folder.out(), scratch / "theirs");
  const auto written = Json::parse(read_file(scratch / "theirs" / "config.json"));
  CHECK(written.at("tie_word_embeddings") == false);
  const SafetensorsFile theirs = SafetensorsFile::open(scratch / "theirs" / "model.safetensors");
  CHECK(theirs.tensor("lm_head.weight").values<float>() == head.values<float>());
  import_hugging_face(scratch / "theirs", scratch / "ours");
  CHECK(load_model<Gpt>(scratch / "ours").model->parameters().values().values<float>() ==
        saved.model->parameters().values().values<float>());

  folder.change_tensors([](HuggingFaceFolder::Tensors& t) { t.erase("lm_head.weight"); });
  std::filesystem::remove_all(folder.out());
  CHECK(contains(folder.import_error(), "parameters, as many as the model of config.json has"));
}

TEST_CASE("Hugging Face: names without prefix, masks, a second head and several files are read") {
  const HuggingFaceFolder folder("gpt2");
  const auto expected = imported<Gpt>(folder).model->parameters().values().values<float>();
  std::filesystem::remove_all(folder.out());
  HuggingFaceFolder::Tensors first, second;
  for (const auto& [name, tensor] : folder.read_tensors()) {
    const std::string bare = name.substr(std::string("transformer.").size());
    (bare.starts_with("h.1.") ? second : first)[bare] = tensor;
  }
  second["lm_head.weight"] = first.at("wte.weight");
  second["h.1.attn.bias"] = Tensor::zeros({1, 1, 32, 32});
  first["h.0.attn.masked_bias"] = Tensor::full({}, -1e4);
  Json index;
  const auto write = [&](const std::string& name, const HuggingFaceFolder::Tensors& tensors) {
    write_safetensors(folder.path() / name, {tensors.begin(), tensors.end()});
    for (const auto& entry : tensors) index["weight_map"][entry.first] = name;
  };
  write("model-00001-of-00002.safetensors", first);
  write("model-00002-of-00002.safetensors", second);
  write_file(folder.path() / "model.safetensors.index.json", index.dump());
  std::filesystem::remove(folder.path() / "model.safetensors");
  CHECK(imported<Gpt>(folder).model->parameters().values().values<float>() == expected);

  index["weight_map"]["wte.weight"] = "../../secret";
  write_file(folder.path() / "model.safetensors.index.json", index.dump());
  std::filesystem::remove_all(folder.out());
  CHECK(contains(folder.import_error(), "expected the name of a file beside it"));
}

TEST_CASE("Hugging Face: a setting of GPT-2 that Kette lacks is an error that names it") {
  const HuggingFaceFolder folder("gpt2");
  const Change changes[] = {
      {"activation_function", "gelu_fast", "\"activation_function\", given gelu_fast"},
      {"layer_norm_epsilon", 1, "config.json: norm_epsilon: expected a number between 0 and 1"},
      {"scale_attn_weights", false, "\"scale_attn_weights\""},
      {"scale_attn_by_inverse_layer_idx", true, "\"scale_attn_by_inverse_layer_idx\""},
      {"add_cross_attention", true, "\"add_cross_attention\""},
      {"model_type", "bloom", "\"model_type\", given bloom"},
      {"model_type", 7, "expected a text for \"model_type\", given 7"},
      {"model_type", nullptr, "expected the key \"model_type\""},
      {"n_layer", nullptr, "expected the key \"n_layer\""},
      {"n_layer", 0, "config.json: layers: expected at least 1"},
      {"n_layer", 3, "expected a tensor \"h.2.ln_1.weight\""},
      {"n_layer", 90000000, "layers: expected at most 10000, given 90000000"},
      {"n_layer", 10000, "expected a tensor \"h.9999.ln_1.weight\""},
      {"n_layer", 1, "expected no further tensors, given \"transformer.h.1."},
      {"n_head", 5, "config.json: heads: expected a divisor"},
      {"n_embd", 1e300, "expected a whole number"},
      {"n_embd", 131070, "parameters, as many as the model of config.json has"},
      {"n_embd", 36, "parameters, as many as the model of config.json has"},
      {"n_inner", 0, "config.json: n_inner: expected at least 1, given 0"},
      {"n_inner", 39, "expected shape [24, 39], given [24, 40]"},
      {"n_positions", "32", "expected a whole number"},
      {"vocab_size", 359, "expected at least 360"},
      {"vocab_size", 16777216, "expected shape [16777216, 24], given [360, 24]"},
      {"resid_pdrop", 1.5, "config.json: dropout: expected a rate"}};
  folder.check_refused(changes);
  write_file(folder.path() / "config.json", "[1, 2");
  CHECK(contains(folder.import_error(), "config.json: expected a JSON object"));
  write_file(folder.path() / "config.json", "{\"n_layer\": " + std::string(200'000, '['));
  CHECK(contains(folder.import_error(), "config.json: expected JSON that nests"));
}

TEST_CASE("Hugging Face: damaged parameters and vocabularies of GPT-2 are errors") {
  using Tensors = HuggingFaceFolder::Tensors;
  const std::string weight = "transformer.h.0.mlp.c_fc.weight";
  const std::pair<std::function<void(Tensors&)>, const char*> changes[] = {
      {[&](Tensors& t) { t.erase(weight), t["more"] = Tensor::zeros({9999}); },
       "expected a tensor \"h.0.mlp.c_fc.weight\""},
      {[&](Tensors& t) {
         t[weight] = Tensor::zeros({40, 24});
       },
       "expected shape [24, 40]"},
      {[&](Tensors& t) {
         t[weight] = Tensor::zeros({24, 40}, DType::i32);
       },
       "expected F32, F16, BF16 or F64, given I32"},
      {[](Tensors& t) {
         t["lm_head.weight"] = Tensor::zeros({360, 24});
       },
       "\"lm_head.weight\": expected the values of \"wte.weight\""},
      {[](Tensors& t) {
         t["score.weight"] = Tensor::zeros({2, 24});
       },
       "expected no further tensors, given \"score.weight\""},
      {[](Tensors& t) { t["wte.weight"] = t["transformer.wte.weight"]; },
       "expected every tensor once"}};
  for (const auto& [change, message] : changes) {
    const HuggingFaceFolder folder("gpt2");
    folder.change_tensors(change);
    const std::string error = folder.import_error();
    CAPTURE(error);
    CHECK(contains(error, message));
  }
  const HuggingFaceFolder folder("gpt2");
  const std::string file = (folder.path() / "model.safetensors").string(), whole = read_file(file);
  std::string overlapping = whole;
  const std::size_t at = overlapping.find("\"data_offsets\":[") + 16;
  overlapping[at] = overlapping[at] == '0' ? '2' : '0';
  for (const std::string& bytes :
       {whole.substr(0, 5), whole.substr(0, 500), "\xff\xff\xff\xff\xff\xff\xff\x7f" + whole,
        whole.substr(0, whole.size() - 1), overlapping}) {
    write_file(file, bytes);
    CHECK(folder.import_error().starts_with(file + ": "));
  }
  std::filesystem::remove(file);
  CHECK(contains(folder.import_error(), "or model.safetensors.index.json, given neither"));
  std::filesystem::remove(folder.path() / "merges.txt");
  write_file(file, whole);
  CHECK(contains(folder.import_error(), "merges.txt"));
}

TEST_CASE(
    "Hugging Face: only a language model in GPT-2's form and with its tokenizer is exported") {
  GptConfig config;
  config.layers = 1;
  config.width = config.hidden = 8;
  config.heads = 2;
  config.vocabulary = 360;
  const auto gpt2 = Gpt2Tokenizer::load(kHuggingFace / "gpt2");
  const std::pair<const char*, void (*)(GptConfig&)> changes[] = {
      {"positions", [](GptConfig& c) { c.positions = Positions::rotary; }},
      {"norm_kind", [](GptConfig& c) { c.norm_kind = NormKind::rms; }},
      {"norm_kind", [](GptConfig& c) { c.norm_kind = NormKind::none; }},
      {"feed_forward", [](GptConfig& c) { c.feed_forward = FeedForwardKind::swiglu; }},
      {"hidden", [](GptConfig& c) { c.hidden = 0; }},
      {"biases", [](GptConfig& c) { c.biases = false; }},
      {"smeared_keys", [](GptConfig& c) { c.smeared_keys = true; }},
      {"kv_heads", [](GptConfig& c) { c.kv_heads = 1; }},
      {"attention_window", [](GptConfig& c) { c.attention_window = 5; }},
      {"biases",  // and not its positions, which are Llama's
       [](GptConfig& c) {
         c.positions = Positions::rotary;
         c.norm_kind = NormKind::rms;
         c.feed_forward = FeedForwardKind::swiglu;
       }},
      {"attention", [](GptConfig& c) {
         c.attention = AttentionWeights::linear;
         c.attention_dropout = 0;
       }}};
  for (const auto& [setting, change] : changes) {
    GptConfig other = config;
    change(other);
    const std::string error = export_error(other, *gpt2);
    CHECK(error.starts_with("export: expected a model in GPT-2's form"));
    CHECK(error.ends_with(std::string("given one with another ") + setting));
  }
  CHECK(contains(export_error(config, *load_tokenizer({}, "byte")), "expected a gpt2 tokenizer"));
  CHECK(export_error(config, *gpt2).empty());
}
