#include "models/exchange/hugging_face_gpt2.h"

#include "data/files/atomic_file.h"
#include "data/files/json_text.h"
#include "models/exchange/hugging_face_llama.h"

namespace kette::hugging_face {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPrefix = "transformer.";  // of GPT2LMHeadModel; GPT2Model has none

std::string layer_name(std::int64_t layer) { return "h." + std::to_string(layer); }

GptConfig gpt2_config(const Settings& settings) {
  GptConfig config;
  config.layers = settings.get<std::int64_t>("n_layer");
  config.width = settings.get<std::int64_t>("n_embd");
  config.hidden = settings.get<std::int64_t>("n_inner", 4 * config.width);
  config.heads = settings.get<std::int64_t>("n_head");
  config.vocabulary = settings.get<std::int64_t>("vocab_size");
  config.context = settings.get<std::int64_t>("n_positions");
  config.dropout = settings.get<double>("resid_pdrop", 0.1);
  config.attention_dropout = settings.get<double>("attn_pdrop", 0.1);
  config.tied_output = settings.get<bool>("tie_word_embeddings", true);
  config.norm_epsilon = settings.get<double>("layer_norm_epsilon", kNormEpsilon);
  if (settings.has("activation_function")) {  // else gelu_new
    config.feed_forward = read_activation(settings, "activation_function");
  }
  settings.check([&] {
    KETTE_CHECK(config.hidden > 0, "n_inner: expected at least 1, given ", config.hidden);
    config.check();
  });
  settings.expect("scale_attn_weights", true, true);
  settings.expect("scale_attn_by_inverse_layer_idx", false, false);
  settings.expect("add_cross_attention", false, false);
  return config;
}

/// prefix: of all names but the head's.
Parts parts_of(const Gpt& model, const std::string& prefix = "") {
  Parts parts = {{.name = prefix + "wte.weight",
                  .ours = model.token_embedding().table.value(),
                  .of_vocabulary = true},
                 {prefix + "wpe.weight", model.position_embedding()->table.value()}};
  const auto add_linear = [&parts](const std::string& name, const Linear& linear) {
    parts.push_back({name + ".weight", linear.weight.value(), true});
    parts.push_back({name + ".bias", linear.bias.value()});
  };
  for (std::int64_t i = 0; i < model.config().layers; ++i) {
    const Block& block = model.decoder()[i];
    const std::string name = prefix + layer_name(i);
    add_norm(parts, name + ".ln_1", block.self_attention_norm.norm);
    add_linear(name + ".attn.c_attn", block.self_attention.query_key_value);
    add_linear(name + ".attn.c_proj", block.self_attention.output);
    add_norm(parts, name + ".ln_2", block.feed_forward_norm->norm);
    add_linear(name + ".mlp.c_fc", block.feed_forward->inner);
    add_linear(name + ".mlp.c_proj", block.feed_forward->outer);
  }
  add_norm(parts, prefix + "ln_f", *model.decoder_norm());
  if (!model.config().tied_output) {
    parts.push_back({.name = kHead, .ours = model.output().weight.value(), .of_vocabulary = true});
  }
  return parts;
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

}  // namespace

SavedModel<Gpt> read_gpt2(const fs::path& folder, const Settings& settings) {
  GptConfig config = gpt2_config(settings);
  Parameters parameters(folder, kPrefix);
  parameters.expect(layer_name(config.layers - 1) + ".ln_1.weight");
  SharedTokenizer tokenizer = load_tokenizer(folder, "gpt2");
  config.vocabulary = parameters.expect_vocabulary(settings, config.vocabulary, *tokenizer);

  auto model = std::make_unique<Gpt>(config);
  parameters.expect_at_least(model->parameters().elements());
  model->allocate(DType::f32, {}, Gradients::none);
  read(parameters, parts_of(*model));
  if (config.tied_output) {
    check_tied_head(parameters, "wte.weight", model->token_embedding().table.value());
  }
  pass_over_masks(parameters, config.layers);
  parameters.expect_all_read();
  return {std::move(model), std::move(tokenizer), {}};
}

void write_gpt2(const fs::path& folder, const SavedModel<Gpt>& saved) {
  const GptConfig& config = saved.model->config();
  const Tokenizer& tokenizer = *saved.tokenizer;
  check_form(config);
  KETTE_CHECK(tokenizer.kind() == "gpt2",
              "export: expected a gpt2 tokenizer, which is all that GPT2Tokenizer reads, given one "
              "of the kind ",
              tokenizer.kind());
  const std::int32_t end = tokenizer.special().end;
  const Json settings = {{"architectures", {"GPT2LMHeadModel"}},
                         {"model_type", "gpt2"},
                         {"n_layer", config.layers},
                         {"n_embd", config.width},
                         {"n_inner", config.hidden},
                         {"n_head", config.heads},
                         {"vocab_size", config.vocabulary},
                         {"n_positions", config.context},
                         {"activation_function", name_of_activation(config.feed_forward)},
                         {"layer_norm_epsilon", config.norm_epsilon},
                         {"resid_pdrop", config.dropout},
                         {"embd_pdrop", config.dropout},
                         {"attn_pdrop", config.attention_dropout},
                         {"tie_word_embeddings", config.tied_output},
                         {"bos_token_id", end},
                         {"eos_token_id", end},
                         {"torch_dtype", "float32"}};
  const Json tokenizer_settings = {{"tokenizer_class", "GPT2Tokenizer"},
                                   {"model_max_length", config.context}};
  write_file_atomically(folder / "config.json", settings.dump(2) + "\n");
  write_file_atomically(folder / "tokenizer_config.json", tokenizer_settings.dump(2) + "\n");
  tokenizer.save(folder);
  write(folder, parts_of(*saved.model, kPrefix));
}

}  // namespace kette::hugging_face
