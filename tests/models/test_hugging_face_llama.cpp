// Llama and Mistral from and for transformers, against what transformers computes with the same files
// (tests/fixtures/make_hugging_face.py).
#include "tests/models/language_model_answers.h"

using namespace kette;
using namespace kette::testing;

TEST_CASE(
    "Hugging Face: an imported Llama has the logits of transformers, and goes on as it does") {
  const HuggingFaceFolder folder("llama");
  const SavedModel<Gpt> saved = imported<Gpt>(folder);
  const GptConfig& config = saved.model->config();
  CHECK(config.kv_heads == 2);
  CHECK(config.rotary_base == 50);
  CHECK(config.norm_epsilon == 1e-3);
  CHECK_FALSE(config.tied_output);
  check_logits(*saved.model, golden("llama_golden.json"));
  check_greedy_texts(saved, golden("llama_golden.json"));
}

TEST_CASE("Hugging Face: tokens without a piece are left out of a Llama") {
  check_padding_left_out<Gpt>("llama");
}

TEST_CASE(
    "Hugging Face: an imported Mistral has the logits of transformers, and goes on as it does") {
  const HuggingFaceFolder folder("llama");
  make_mistral(folder);
  const SavedModel<Gpt> saved = imported<Gpt>(folder);
  CHECK(saved.model->config().attention_window == 5);
  check_logits(*saved.model, golden("mistral_golden.json"));
  check_greedy_texts(saved, golden("mistral_golden.json"));
}

TEST_CASE("Hugging Face: Llama and Mistral come back from an export bit for bit, settings too") {
  const HuggingFaceFolder llama("llama"), mistral("llama");
  make_mistral(mistral);
  check_round_trip<Gpt>(llama, "Llama, 2 layers");
  check_round_trip<Gpt>(mistral, "Mistral, 2 layers");
}

TEST_CASE("Hugging Face: a Llama with a tied head, of transformers 4, with all heads its own") {
  const HuggingFaceFolder folder("llama");
  folder.change_settings([](Json& settings) {
    settings["tie_word_embeddings"] = true;
    settings.erase("rope_parameters");
    settings["rope_theta"] = 70;
    settings["rope_scaling"] = nullptr;
    settings["num_key_value_heads"] = nullptr;
  });
  folder.change_tensors([](HuggingFaceFolder::Tensors& tensors) {
    tensors.erase("lm_head.weight");
    for (const char* layer : {"0", "1"}) {
      for (const char* name : {"k_proj", "v_proj"}) {
        const std::string of = std::string("model.layers.") + layer + ".self_attn.";
        tensors[of + name + ".weight"] = tensors.at(of + "q_proj.weight");
      }
      tensors[std::string("model.layers.") + layer + ".self_attn.rotary_emb.inv_freq"] =
          Tensor::zeros({3});
    }
  });
  const SavedModel<Gpt> saved = imported<Gpt>(folder);
  CHECK(saved.model->config().tied_output);
  CHECK(saved.model->config().rotary_base == 70);
  CHECK(saved.model->config().kv_heads == 0);
}

TEST_CASE("Hugging Face: a Llama's base of the angles stands above or in an entry, but not two") {
  const HuggingFaceFolder folder("llama");
  const auto base = [&](const Json& above, const Json& in_entry) {
    folder.change_settings([&](Json& settings) {
      settings["rope_theta"] = above;
      settings["rope_parameters"] = {{"rope_type", "default"}, {"rope_theta", in_entry}};
    });
    const SavedModel<Model> saved = load_hugging_face(folder.path());
    return dynamic_cast<const Gpt&>(*saved.model).config().rotary_base;
  };
  CHECK(base(500000, nullptr) == 500000);
  CHECK(base(nullptr, 50) == 50);
  CHECK(base(50, 50) == 50);
  CHECK(base(nullptr, nullptr) == 10000);
  CHECK_THROWS_WITH_AS(base(500000, 10000),
                       doctest::Contains("expected one \"rope_theta\", given 500000 and"), Error);
}

TEST_CASE("Hugging Face: a setting of Llama that Kette lacks is an error that names it") {
  const HuggingFaceFolder folder("llama");
  const Json yarn = {{"rope_type", "yarn"}, {"rope_theta", 50.0}, {"factor", 4.0}};
  const Json partial = {{"rope_type", "default"}, {"partial_rotary_factor", 0.5}};
  const Change changes[] = {
      {"rope_scaling", {{"type", "linear"}, {"factor", 2.0}}, "expected null for \"rope_scaling\""},
      {"rope_parameters", yarn, "expected \"default\" for \"rope_type\""},
      {"rope_parameters", partial, "\"partial_rotary_factor\""},
      {"rope_parameters", 7, "expected a JSON object for \"rope_parameters\""},
      {"hidden_act", "gelu", "\"hidden_act\""},
      {"attention_bias", true, "\"attention_bias\""},
      {"mlp_bias", true, "\"mlp_bias\""},
      {"head_dim", 8, "\"head_dim\""},
      {"num_key_value_heads", 3, "config.json: kv_heads: expected a divisor of the heads 4"},
      {"num_key_value_heads", 0, "num_key_value_heads: expected at least 1"},
      {"rms_norm_eps", 2, "config.json: norm_epsilon: expected a number between 0 and 1"},
      {"num_hidden_layers", 3, "expected a tensor \"layers.2.input_layernorm.weight\""},
      {"num_hidden_layers", 1, "expected no further tensors, given \"model.layers.1."},
      {"intermediate_size", 0, "config.json: intermediate_size: expected at least 1, given 0"},
      {"intermediate_size", 27, "expected shape [27, 24], given [28, 24]"},
      {"tie_word_embeddings", true, "\"lm_head.weight\": expected the values of"},
      {"vocab_size", 359, "expected at least 360"}};
  folder.check_refused(changes);
  for (const char* key : {"rope_type", "type"}) {  // which transformers takes for none
    folder.change_settings([&](Json& settings) {
      settings["rope_scaling"] = {{key, "default"}};
      settings["vocab_size"] = 360;
    });
    CHECK(folder.import_error().empty());
  }
  std::filesystem::remove(folder.path() / "vocab.json");
  CHECK(contains(folder.import_error(),
                 "expected the vocab.json and merges.txt of a GPT-2 tokenizer"));
}
