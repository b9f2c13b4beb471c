// LlamaForCausalLM and MistralForCausalLM of transformers. Both rotate element i of a head with
// element i + half, as autograd/ops/rotary.h does. An Error names what Kette lacks, such as scaled
// angles and biases.
#include "data/files/atomic_file.h"
#include "data/tokenizers/added_tokens.h"
#include "models/exchange/hugging_face_forms.h"
#include "models/exchange/hugging_face_parts.h"

namespace kette::hugging_face {
namespace {

namespace fs = std::filesystem;

constexpr const char* kModelPrefix = "model.";  // of all names but the head's

constexpr Name kLlamaNames[] = {
    {.theirs = "embed_tokens", .ours = "token_embedding", .of_vocabulary = true},
    {"layers.*.input_layernorm", "layers/*/attention_norm"},
    {"layers.*.self_attn.q_proj", "layers/*/attention/query_key_value", 0},
    {"layers.*.self_attn.k_proj", "layers/*/attention/query_key_value", 1},
    {"layers.*.self_attn.v_proj", "layers/*/attention/query_key_value", 2},
    {"layers.*.self_attn.o_proj", "layers/*/attention/output"},
    {"layers.*.post_attention_layernorm", "layers/*/feed_forward_norm"},
    {"layers.*.mlp.gate_proj", "layers/*/feed_forward/inner", 0},
    {"layers.*.mlp.up_proj", "layers/*/feed_forward/inner", 1},
    {"layers.*.mlp.down_proj", "layers/*/feed_forward/outer"},
    {"norm", "final_norm"},
    {.theirs = "lm_head", .ours = "output", .of_vocabulary = true, .is_apart = true}};

/// kv_heads: as many as heads where each has its own.
std::vector<Setting> llama_settings(GptConfig& c, std::int64_t& kv_heads) {
  return {{"num_hidden_layers", &c.layers},
          {"hidden_size", &c.width},
          {"intermediate_size", &c.hidden},
          {"num_attention_heads", &c.heads},
          {"num_key_value_heads", &kv_heads, true},
          {"head_dim", Json(c.width / c.heads)},
          {"vocab_size", &c.vocabulary},
          {"max_position_embeddings", &c.context},
          {"hidden_act", Json("silu")},
          {"rms_norm_eps", &c.norm_epsilon, true},
          // transformers 4 reads the one and transformers 5 the other
          {"rope_theta", Json(c.rotary_base)},
          {"rope_parameters", Json{{"rope_type", "default"}, {"rope_theta", c.rotary_base}}},
          {"attention_dropout", &c.attention_dropout, true},
          {"tie_word_embeddings", &c.tied_output, true}};
}

/// transformers 5 keeps what turns the heads in an entry of its own, "rope_parameters".
double rotary_base(const Settings& settings) {
  constexpr double kBase = 10000;
  if (settings.has("rope_scaling")) {
    const Settings scaling = settings.part("rope_scaling");
    const char* type = scaling.has("rope_type") ? "rope_type" : "type";
    KETTE_CHECK(
        scaling.get<std::string>(type, "") == "default", settings.origin(),
        ": expected null for \"rope_scaling\", for angles that are scaled are not among what "
        "Kette has, given another value");
  }
  const auto above = settings.get<double>("rope_theta", kBase);
  if (!settings.has("rope_parameters")) return above;
  const Settings rope = settings.part("rope_parameters");
  rope.expect<std::string>("rope_type", "default", "default");
  rope.expect("partial_rotary_factor", 1.0, 1.0);
  const auto base = rope.get<double>("rope_theta", above);
  KETTE_CHECK(base == above || !settings.has("rope_theta"), settings.origin(),
              ": expected one \"rope_theta\", given ", above, " and, in \"rope_parameters\", ",
              base);
  return base;
}

/// Of Mistral; null means that there is none, and without the key it is what its first models had.
std::int64_t window(const Settings& settings) {
  if (settings.is_null("sliding_window")) return 0;
  return settings.get<std::int64_t>("sliding_window", 4096);
}

GptConfig llama_config(const Settings& settings) {
  const bool is_mistral = settings.get<std::string>("model_type") == "mistral";
  GptConfig config;
  std::int64_t kv_heads = 0;
  config.dropout = config.attention_dropout = 0;
  config.tied_output = false;
  config.norm_epsilon = 1e-6;
  read(settings, llama_settings(config, kv_heads));
  if (!settings.has("num_key_value_heads")) kv_heads = config.heads;
  config.kv_heads = kv_heads == config.heads ? 0 : kv_heads;
  config.rotary_base = rotary_base(settings);
  config.attention_window = is_mistral ? window(settings) : 0;
  config.positions = Positions::rotary;
  config.norm_kind = NormKind::rms;
  config.feed_forward = FeedForwardKind::swiglu;
  config.biases = false;
  settings.check([&] {
    KETTE_CHECK(config.hidden > 0, "intermediate_size: expected at least 1, given ", config.hidden);
    KETTE_CHECK(kv_heads > 0, "num_key_value_heads: expected at least 1, given ", kv_heads);
    config.check();
  });

  settings.expect<std::string>("hidden_act", "silu", "silu");
  settings.expect("attention_bias", false, false);
  settings.expect("mlp_bias", false, false);
  const std::int64_t head_width = config.width / config.heads;
  settings.expect("head_dim", head_width, head_width);
  return config;
}

/// Early models carry the frequencies of their angles, which are constants.
void pass_over_frequencies(Parameters& parameters, std::int64_t layers) {
  for (std::int64_t i = 0; i < layers; ++i) {
    parameters.pass_over("layers." + std::to_string(i) + ".self_attn.rotary_emb.inv_freq");
  }
}

SavedModel<Model> read_llama(const fs::path& folder, const Settings& settings) {
  GptConfig config = llama_config(settings);
  Parameters parameters(folder, kModelPrefix);
  parameters.expect("layers." + std::to_string(config.layers - 1) + ".input_layernorm.weight");
  const bool has_tokenizer =
      fs::exists(folder / kTokenizerJson) ||
      (fs::exists(folder / "vocab.json") && fs::exists(folder / "merges.txt"));
  KETTE_CHECK(
      has_tokenizer, folder.string(),
      ": expected the vocab.json and merges.txt of a GPT-2 tokenizer, the only one that "
      "Kette reads beside such a model, or its tokenizer.json, given a folder without them");
  SharedTokenizer tokenizer = load_tokenizer(folder, "gpt2");
  config.vocabulary = parameters.expect_vocabulary(settings, config.vocabulary, *tokenizer);

  std::unique_ptr<Model> model = make_model(config, parameters);
  const Parts parts = parts_of(*model, kLlamaNames);
  read(parameters, parts);
  if (config.tied_output) check_tied_head(parameters, parts.front());
  pass_over_frequencies(parameters, config.layers);
  parameters.expect_all_read();
  return {std::move(model), std::move(tokenizer), {}};
}

void write_llama(const fs::path& folder, const SavedModel<Model>& saved) {
  auto config = dynamic_cast<const GptConfig&>(saved.model->config());
  const Tokenizer& tokenizer = *saved.tokenizer;
  KETTE_CHECK(tokenizer.kind() == "gpt2",
              "export: expected a gpt2 tokenizer, the only one that Kette writes beside a model in "
              "Llama's form, given one of the kind ",
              tokenizer.kind());
  const bool is_mistral = config.attention_window > 0;
  std::int64_t kv_heads = config.heads / config.pattern().group;
  Json settings = {{"architectures", {is_mistral ? "MistralForCausalLM" : "LlamaForCausalLM"}},
                   {"model_type", is_mistral ? "mistral" : "llama"}};
  write(llama_settings(config, kv_heads), settings);
  write_language_model(folder, std::move(settings), config, tokenizer);
  write(folder, parts_of(*saved.model, kLlamaNames, kModelPrefix));
}

std::string what_llama(const ModelConfig& config) {
  const auto* gpt = dynamic_cast<const GptConfig*>(&config);
  if (gpt == nullptr || !setting_unlike_llama(*gpt).empty()) return "";
  return (gpt->attention_window > 0 ? "Mistral, " : "Llama, ") + std::to_string(gpt->layers);
}

}  // namespace

std::string setting_unlike_llama(const GptConfig& c) {
  const std::pair<const char*, bool> settings[] = {
      {"positions", c.positions == Positions::rotary},
      {"norm_kind", c.norm_kind == NormKind::rms},
      {"feed_forward", c.feed_forward == FeedForwardKind::swiglu},
      {"hidden", c.hidden > 0},
      {"biases", !c.biases},
      {"smeared_keys", !c.smeared_keys},
      {"attention", c.attention == AttentionWeights::softmax}};
  for (const auto& [setting, is_llamas] : settings) {
    if (!is_llamas) return setting;
  }
  return "";
}

const Form llama_form = {{"llama", "mistral"}, what_llama, read_llama, write_llama};

}  // namespace kette::hugging_face
