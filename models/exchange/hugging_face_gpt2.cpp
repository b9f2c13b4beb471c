// GPT2LMHeadModel of transformers. Its linear maps are stored as [in, out]. Other differences from
// models/gpt.h are settings; an Error unless they have the values of GPT-2.
#include "data/files/atomic_file.h"
#include "models/exchange/hugging_face_forms.h"
#include "models/exchange/hugging_face_parts.h"

namespace kette::hugging_face {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPrefix = "transformer.";  // of GPT2LMHeadModel; GPT2Model has none

constexpr Name kGpt2Names[] = {
    {.theirs = "wte", .ours = "token_embedding", .of_vocabulary = true},
    {"wpe", "position_embedding"},
    {"h.*.ln_1", "layers/*/attention_norm"},
    {.theirs = "h.*.attn.c_attn", .ours = "layers/*/attention/query_key_value", .transposed = true},
    {.theirs = "h.*.attn.c_proj", .ours = "layers/*/attention/output", .transposed = true},
    {"h.*.ln_2", "layers/*/feed_forward_norm"},
    {.theirs = "h.*.mlp.c_fc", .ours = "layers/*/feed_forward/inner", .transposed = true},
    {.theirs = "h.*.mlp.c_proj", .ours = "layers/*/feed_forward/outer", .transposed = true},
    {"ln_f", "final_norm"},
    {.theirs = "lm_head", .ours = "output", .of_vocabulary = true, .is_apart = true}};

std::vector<Setting> gpt2_settings(GptConfig& c) {
  return {{"n_layer", &c.layers},
          {"n_embd", &c.width},
          {"n_inner", &c.hidden, true},
          {"n_head", &c.heads},
          {"vocab_size", &c.vocabulary},
          {"n_positions", &c.context},
          {"activation_function", &c.feed_forward, true},
          {"layer_norm_epsilon", &c.norm_epsilon, true},
          {"resid_pdrop", &c.dropout, true},
          {"embd_pdrop", Json(c.dropout)},
          {"attn_pdrop", &c.attention_dropout, true},
          {"tie_word_embeddings", &c.tied_output, true}};
}

std::string layer_name(std::int64_t layer) { return "h." + std::to_string(layer); }

GptConfig gpt2_config(const Settings& settings) {
  GptConfig config;
  config.dropout = config.attention_dropout = 0.1;
  read(settings, gpt2_settings(config));
  if (!settings.has("n_inner")) config.hidden = 4 * config.width;
  settings.check([&] {
    KETTE_CHECK(config.hidden > 0, "n_inner: expected at least 1, given ", config.hidden);
    config.check();
  });
  settings.expect("scale_attn_weights", true, true);
  settings.expect("scale_attn_by_inverse_layer_idx", false, false);
  settings.expect("add_cross_attention", false, false);
  return config;
}

/// Early models carry their causal masks, which are constants.
void pass_over_masks(Parameters& parameters, std::int64_t layers) {
  for (std::int64_t i = 0; i < layers; ++i) {
    parameters.pass_over(layer_name(i) + ".attn.bias");
    parameters.pass_over(layer_name(i) + ".attn.masked_bias");
  }
}

/// GPT2LMHeadModel has these parts in one form only.
void check_form(const GptConfig& config) {
  const std::pair<const char*, bool> settings[] = {
      {"positions", config.positions == Positions::learned},
      {"norm_kind", config.norm_kind == NormKind::layer},
      {"feed_forward", *name_of_activation(config.feed_forward) != '\0'},
      {"hidden", config.hidden > 0},
      {"biases", config.biases},
      {"smeared_keys", !config.smeared_keys},
      {"kv_heads", config.pattern().group == 1},
      {"attention_window", config.attention_window == 0},
      {"attention", config.attention == AttentionWeights::softmax}};
  for (const auto& [setting, is_gpt2] : settings) {
    // With Llama's positions and norms it was meant to be in that form.
    const bool is_near_llama =
        config.positions == Positions::rotary && config.norm_kind == NormKind::rms;
    const std::string other = is_near_llama ? setting_unlike_llama(config) : setting;
    KETTE_CHECK(
        is_gpt2,
        "export: expected a model in GPT-2's form (learned positions, layer norm, "
        "feed-forward layers without a gate, biases, keys that are neither smeared nor shared, no window, a softmax), "
        "which is all that "
        "GPT2LMHeadModel has, or in Llama's (rotary positions, root mean square norms, swiglu, "
        "no biases), given one with another ",
        other);
  }
}

SavedModel<Model> read_gpt2(const fs::path& folder, const Settings& settings) {
  GptConfig config = gpt2_config(settings);
  Parameters parameters(folder, kPrefix);
  parameters.expect(layer_name(config.layers - 1) + ".ln_1.weight");
  SharedTokenizer tokenizer = load_tokenizer(folder, "gpt2");
  config.vocabulary = parameters.expect_vocabulary(settings, config.vocabulary, *tokenizer);

  std::unique_ptr<Model> model = make_model(config, parameters);
  const Parts parts = parts_of(*model, kGpt2Names);
  read(parameters, parts);
  if (config.tied_output) check_tied_head(parameters, parts.front());
  pass_over_masks(parameters, config.layers);
  parameters.expect_all_read();
  return {std::move(model), std::move(tokenizer), {}};
}

void write_gpt2(const fs::path& folder, const SavedModel<Model>& saved) {
  auto config = dynamic_cast<const GptConfig&>(saved.model->config());
  const Tokenizer& tokenizer = *saved.tokenizer;
  check_form(config);
  KETTE_CHECK(tokenizer.kind() == "gpt2",
              "export: expected a gpt2 tokenizer, which is all that GPT2Tokenizer reads, given one "
              "of the kind ",
              tokenizer.kind());
  Json settings = {{"architectures", {"GPT2LMHeadModel"}}, {"model_type", "gpt2"}};
  write(gpt2_settings(config), settings);
  write_language_model(folder, std::move(settings), config, tokenizer);
  write(folder, parts_of(*saved.model, kGpt2Names, kPrefix));
}

std::string what_gpt2(const ModelConfig& config) {
  const auto* gpt = dynamic_cast<const GptConfig*>(&config);
  if (gpt == nullptr || setting_unlike_llama(*gpt).empty()) return "";
  return "GPT-2, " + std::to_string(gpt->layers);
}

}  // namespace

void write_language_model(const fs::path& folder, Json settings, const GptConfig& config,
                          const Tokenizer& tokenizer) {
  const std::int32_t end = tokenizer.special().end;
  settings.update({{"bos_token_id", end}, {"eos_token_id", end}, {"torch_dtype", "float32"}});
  if (config.attention_window > 0) settings["sliding_window"] = config.attention_window;
  const Json tokenizer_settings = {{"tokenizer_class", "GPT2Tokenizer"},
                                   {"model_max_length", config.context}};
  write_file_atomically(folder / "config.json", settings.dump(2) + "\n");
  write_file_atomically(folder / "tokenizer_config.json", tokenizer_settings.dump(2) + "\n");
  tokenizer.save(folder);
}

const Form gpt2_form = {{"gpt2"}, what_gpt2, read_gpt2, write_gpt2};

}  // namespace kette::hugging_face
