#include "models/exchange/hugging_face_llama.h"

#include "data/files/atomic_file.h"
#include "data/files/json_text.h"
#include "data/tokenizers/added_tokens.h"

namespace kette::hugging_face {
namespace {

namespace fs = std::filesystem;

constexpr const char* kModelPrefix = "model.";  // of all names but the head's

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
  config.layers = settings.get<std::int64_t>("num_hidden_layers");
  config.width = settings.get<std::int64_t>("hidden_size");
  config.hidden = settings.get<std::int64_t>("intermediate_size");
  config.heads = settings.get<std::int64_t>("num_attention_heads");
  const auto kv_heads = settings.get<std::int64_t>("num_key_value_heads", config.heads);
  config.kv_heads = kv_heads == config.heads ? 0 : kv_heads;
  config.vocabulary = settings.get<std::int64_t>("vocab_size");
  config.context = settings.get<std::int64_t>("max_position_embeddings");
  config.dropout = 0;
  config.attention_dropout = settings.get<double>("attention_dropout", 0.0);
  config.tied_output = settings.get<bool>("tie_word_embeddings", false);
  config.norm_epsilon = settings.get<double>("rms_norm_eps", 1e-6);
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

/// prefix: of all names but the head's.
Parts llama_parts(const Gpt& model, const std::string& prefix = "") {
  Parts parts = {{.name = prefix + "embed_tokens.weight",
                  .ours = model.token_embedding().table.value(),
                  .of_vocabulary = true}};
  const auto add_rows = [&parts](const std::string& name, const Linear& map, std::int64_t begin,
                                 std::int64_t count) {
    parts.push_back({name + ".weight", map.weight.value().slice(begin, begin + count)});
  };
  const GptConfig& config = model.config();
  for (std::int64_t i = 0; i < config.layers; ++i) {
    const Block& block = model.decoder()[i];
    const MultiHeadSelfAttention& attention = block.self_attention;
    const std::string name = prefix + "layers." + std::to_string(i) + ".";
    const std::int64_t width = config.width, keys = attention.key_width(), hidden = config.hidden;
    parts.push_back({name + "input_layernorm.weight", block.self_attention_norm.norm.gain.value()});
    add_rows(name + "self_attn.q_proj", attention.query_key_value, 0, width);
    add_rows(name + "self_attn.k_proj", attention.query_key_value, width, keys);
    add_rows(name + "self_attn.v_proj", attention.query_key_value, width + keys, keys);
    add_rows(name + "self_attn.o_proj", attention.output, 0, width);
    parts.push_back(
        {name + "post_attention_layernorm.weight", block.feed_forward_norm->norm.gain.value()});
    add_rows(name + "mlp.gate_proj", block.feed_forward->inner, 0, hidden);
    add_rows(name + "mlp.up_proj", block.feed_forward->inner, hidden, hidden);
    add_rows(name + "mlp.down_proj", block.feed_forward->outer, 0, width);
  }
  parts.push_back({prefix + "norm.weight", model.decoder_norm()->gain.value()});
  if (!config.tied_output) {
    parts.push_back({.name = kHead, .ours = model.output().weight.value(), .of_vocabulary = true});
  }
  return parts;
}

/// Early models carry the frequencies of their angles, which are constants.
void pass_over_frequencies(Parameters& parameters, std::int64_t layers) {
  for (std::int64_t i = 0; i < layers; ++i) {
    parameters.pass_over("layers." + std::to_string(i) + ".self_attn.rotary_emb.inv_freq");
  }
}

}  // namespace

SavedModel<Gpt> read_llama(const fs::path& folder, const Settings& settings) {
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

  auto model = std::make_unique<Gpt>(config);
  parameters.expect_at_least(model->parameters().elements());
  model->allocate(DType::f32, {}, Gradients::none);
  read(parameters, llama_parts(*model));
  if (config.tied_output) {
    check_tied_head(parameters, "embed_tokens.weight", model->token_embedding().table.value());
  }
  pass_over_frequencies(parameters, config.layers);
  parameters.expect_all_read();
  return {std::move(model), std::move(tokenizer), {}};
}

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

bool is_llama(const GptConfig& config) { return setting_unlike_llama(config).empty(); }

void write_llama(const fs::path& folder, const SavedModel<Gpt>& saved) {
  const GptConfig& config = saved.model->config();
  const Tokenizer& tokenizer = *saved.tokenizer;
  KETTE_CHECK(tokenizer.kind() == "gpt2",
              "export: expected a gpt2 tokenizer, the only one that Kette writes beside a model in "
              "Llama's form, given one of the kind ",
              tokenizer.kind());
  const std::int32_t end = tokenizer.special().end;
  const bool is_mistral = config.attention_window > 0;
  Json settings = {
      {"architectures", {is_mistral ? "MistralForCausalLM" : "LlamaForCausalLM"}},
      {"model_type", is_mistral ? "mistral" : "llama"},
      {"num_hidden_layers", config.layers},
      {"hidden_size", config.width},
      {"intermediate_size", config.hidden},
      {"num_attention_heads", config.heads},
      {"num_key_value_heads", config.heads / config.pattern().group},
      {"head_dim", config.width / config.heads},
      {"vocab_size", config.vocabulary},
      {"max_position_embeddings", config.context},
      {"hidden_act", "silu"},
      {"rms_norm_eps", config.norm_epsilon},
      // transformers 4 reads the one and transformers 5 the other
      {"rope_theta", config.rotary_base},
      {"rope_parameters", {{"rope_type", "default"}, {"rope_theta", config.rotary_base}}},
      {"attention_dropout", config.attention_dropout},
      {"tie_word_embeddings", config.tied_output},
      {"bos_token_id", end},
      {"eos_token_id", end},
      {"torch_dtype", "float32"}};
  if (is_mistral) settings["sliding_window"] = config.attention_window;
  const Json tokenizer_settings = {{"tokenizer_class", "GPT2Tokenizer"},
                                   {"model_max_length", config.context}};
  write_file_atomically(folder / "config.json", settings.dump(2) + "\n");
  write_file_atomically(folder / "tokenizer_config.json", tokenizer_settings.dump(2) + "\n");
  tokenizer.save(folder);
  write(folder, llama_parts(*saved.model, kModelPrefix));
}

}  // namespace kette::hugging_face
