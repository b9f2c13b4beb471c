#include "models/gpt_config.h"

#include "nn/block.h"
#include "nn/linear_attention.h"
#include "nn/smeared_keys.h"
#include "tensor/linear_attention.h"

namespace kette {
namespace {

GptConfig gpt2(std::int64_t layers, std::int64_t width, std::int64_t heads) {
  GptConfig config;
  config.layers = layers;
  config.width = width;
  config.hidden = 4 * width;
  config.heads = heads;
  return config;
}

/// vocabulary: the characters of Tiny Shakespeare and the end-of-text token.
GptConfig characters(std::int64_t layers, std::int64_t width, std::int64_t heads,
                     std::int64_t context, double dropout) {
  GptConfig config = gpt2(layers, width, heads);
  config.vocabulary = 66;
  config.context = context;
  config.dropout = config.attention_dropout = dropout;
  return config;
}

const Presets<GptConfig>& gpt_presets() {
  static const Presets<GptConfig> presets = {{"gpt2", gpt2(12, 768, 12)},
                                             {"gpt2-medium", gpt2(24, 1024, 16)},
                                             {"gpt2-large", gpt2(36, 1280, 20)},
                                             {"gpt2-xl", gpt2(48, 1600, 25)},
                                             {"char", characters(6, 384, 6, 256, 0.2)},
                                             {"char-cpu", characters(4, 128, 4, 64, 0)}};
  return presets;
}

/// Checks settings that linear attention does not support.
void check_linear_attention(const GptConfig& c) {
  const auto check = [](bool fits, const char* setting, const char* expected, const auto& given) {
    KETTE_CHECK(fits, setting, ": expected ", expected, " beside linear attention, given ", given);
  };
  check(c.positions == Positions::learned, "positions",
        "learned ones (turns and slopes are of a softmax's scores)", enum_name(c.positions));
  check(c.attention_window == 0, "attention_window", "0 (its state forgets no token)",
        c.attention_window);
  check(c.attention_dropout == 0, "attention_dropout", "0 (there are no weights to drop)",
        c.attention_dropout);
  check(!c.smeared_keys, "smeared_keys", "none (a state keeps no key before)", "some");
}

std::vector<std::pair<std::string, std::shared_ptr<const ModelConfig>>> small_models() {
  std::vector<std::pair<std::string, std::shared_ptr<const ModelConfig>>> models;
  for (const auto& [label, config] : small_gpts()) models.emplace_back(label, config.clone());
  return models;
}

}  // namespace

GptConfig::GptConfig() { vocabulary = 50257; }

GptConfig GptConfig::preset(const std::string& name) { return find_preset(gpt_presets(), name); }

const Family& gpt_family() {
  static const Family family = {.name = "gpt",
                                .what = "language model",
                                .options = "GPT models",
                                .use = "kette generate and kette evaluate --text are for those",
                                .presets = names_of(gpt_presets()),
                                .config = preset_or_defaults<GptConfig>,
                                .small_models = small_models()};
  return family;
}

std::vector<Field> GptConfig::fields() {
  std::vector<Field> fields = StackConfig::fields();
  for (Field& field : fields) {
    if (field.key == "norm_kind") field.former_key = "norm";
    field.optional = field.optional || field.key == "norm_epsilon" || field.key == "rotary_base" ||
                     field.key == "biases";
  }
  const Field own[] = {
      {.key = "tied_output",
       .value = &tied_output,
       .option = "--tied-output",
       .help = "Logits are made with the token embedding, not with a matrix of their own",
       .optional = true},
      {.key = "smeared_keys",
       .value = &smeared_keys,
       .option = "--smeared-keys",
       .help = "Each attention key has a learned part of the one before it",
       .optional = true},
      {.key = "attention",
       .value = Field::choice(attention),
       .option = "--attention",
       .help =
           "Weights by a softmax over all keys, or linear ones, whose cost a token does not grow "
           "with the text; those go with learned positions and without attention dropout",
       .optional = true},
      {.key = "kv_heads",
       .value = &kv_heads,
       .option = "--kv-heads",
       .help =
           "Heads of keys and values, each read by several of the queries'; a divisor of --heads; "
           "0: each has its own",
       .minimum = 0,
       .optional = true},
      {.key = "attention_window",
       .value = &attention_window,
       .option = "--attention-window",
       .help = "Tokens that each token sees, itself the last; 0: all before it",
       .minimum = 0,
       .optional = true},
  };
  fields.insert(fields.end(), std::begin(own), std::end(own));
  return fields;
}

void GptConfig::check() const {
  StackConfig::check();
  KETTE_CHECK(positions != Positions::sinusoidal,
              "positions: expected learned, rotary or alibi in a language model, given sinusoidal");
  check_size("attention_window", attention_window, kMaxPositions, 0);
  check_size("kv_heads", kv_heads, heads, 0);
  KETTE_CHECK(kv_heads == 0 || heads % kv_heads == 0, "kv_heads: expected a divisor of the heads ",
              heads, ", given ", kv_heads);
  const bool shared = kv_heads > 0 && kv_heads < heads;
  KETTE_CHECK(!shared || !smeared_keys, "kv_heads: expected as many as heads, ", heads,
              ", beside smeared keys, given ", kv_heads);
  KETTE_CHECK(heads_left.empty() || (!shared && positions != Positions::alibi),
              "heads_left: expected none in a model whose heads share keys or have ALiBi's slopes, "
              "for none of those can be pruned, given ",
              heads_left.size());
  if (attention == AttentionWeights::linear) check_linear_attention(*this);
}

AttentionPattern GptConfig::pattern() const {
  AttentionPattern pattern = Mask::causal;
  pattern.group = kv_heads > 0 ? heads / kv_heads : 1;
  pattern.window = attention_window;
  pattern.alibi = positions == Positions::alibi;
  pattern.weights = attention;
  return pattern;
}

BlockConfig GptConfig::block_config() const {
  BlockConfig config = StackConfig::block_config(NormOrder::pre);
  config.pattern = pattern();
  if (smeared_keys) config.mixer = smeared_keys_mixer;
  if (attention == AttentionWeights::linear) config.mixer = linear_attention_mixer;
  return config;
}

CacheSize GptConfig::largest_cache() const {
  const std::int64_t kept = attention_window > 0 ? std::min(context, attention_window) : context,
                     head_width = width / heads;
  std::int64_t heads_kept = 0;
  for (std::int64_t i = 0; i < layers; ++i) heads_kept += heads_of(i).count / pattern().group;
  const bool is_state = attention == AttentionWeights::linear;
  const std::int64_t of_head =
      // A cache with smeared keys also stores the unmixed keys.
      is_state ? linear_weights::state_size(head_width)
               : (smeared_keys ? 3 : 2) * head_width * kept;
  return {context, heads_kept * of_head * std::int64_t{sizeof(float)}, is_state};
}

std::vector<ModelPart> GptConfig::parts() const {
  std::vector<ModelPart> parts = {
      {.name = "token embedding = output projection", .target = {"token_embedding"}},
      {.name = "output projection", .target = {"output"}},
      {.name = "position embedding", .none = {"position_embedding"}},
      {.name = "layer: self-attention",
       .target = {"layers/0/attention", "layers/0/attention_norm"},
       .count = layers,
       .first_attention = 0},
      {.name = "layer: feed-forward",
       .target = {"layers/0/feed_forward", "layers/0/feed_forward_norm"},
       .count = layers},
      {.name = "final norm", .none = {"final_norm"}}};
  if (!tied_output) parts.front() = {.name = "token embedding", .none = {"token_embedding"}};
  return parts;
}

double GptConfig::attention_pairs(const Segments&, const Segments& target) const {
  double pairs = 0;
  // A key's update of the state and a query's product with it cost as much as head_width pairs.
  if (attention == AttentionWeights::linear) {
    pairs = static_cast<double>(target.rows()) * static_cast<double>(width / heads);
    return whole_attentions(*this, 0, layers) * pairs;
  }
  for (std::int64_t i = 0; i < target.count(); ++i) {
    pairs += pattern().pairs(target.length(i), target.length(i));
  }
  return whole_attentions(*this, 0, layers) * pairs;
}

GptConfig small_gpt() {
  GptConfig config;
  config.layers = 2;
  config.width = 16;
  config.hidden = 24;
  config.heads = 2;
  config.vocabulary = 23;
  config.context = 16;
  return config;
}

GptConfig small_modern_gpt() {
  GptConfig config = small_gpt();
  config.positions = Positions::rotary;
  config.norm_kind = NormKind::rms;
  config.feed_forward = FeedForwardKind::swiglu;
  return config;
}

GptConfig small_attention_only_gpt() {
  GptConfig config = small_gpt();
  config.hidden = 0;
  config.norm_kind = NormKind::none;
  config.tied_output = config.biases = false;
  config.smeared_keys = true;
  return config;
}

GptConfig small_unbiased_gpt() {
  GptConfig config = small_gpt();
  config.positions = Positions::rotary;
  config.biases = false;
  config.smeared_keys = true;
  return config;
}

GptConfig small_grokking_gpt() {
  GptConfig config = small_gpt();
  config.norm_kind = NormKind::none;
  config.feed_forward = FeedForwardKind::relu;
  config.tied_output = config.biases = false;
  return config;
}

GptConfig small_pruned_gpt() {
  GptConfig config = small_unbiased_gpt();
  config.heads = 4;
  config.heads_left = {3, 1};
  return config;
}

GptConfig small_grouped_gpt() {
  GptConfig config = small_modern_gpt();
  config.heads = 4;
  config.kv_heads = 2;
  return config;
}

GptConfig small_windowed_gpt() {
  GptConfig config = small_gpt();
  config.width = 18;
  config.heads = 3;
  config.positions = Positions::alibi;
  config.attention_window = 3;
  return config;
}

GptConfig small_linear_gpt() {
  GptConfig config = small_gpt();
  config.attention = AttentionWeights::linear;
  config.attention_dropout = 0;
  config.heads = 4;
  config.kv_heads = 2;
  return config;
}

std::vector<std::pair<std::string, GptConfig>> small_gpts() {
  return {{"GPT-2", small_gpt()},
          {"modern", small_modern_gpt()},
          {"attention-only", small_attention_only_gpt()},
          {"unbiased", small_unbiased_gpt()},
          {"grokking", small_grokking_gpt()},
          {"pruned", small_pruned_gpt()},
          {"grouped", small_grouped_gpt()},
          {"windowed", small_windowed_gpt()},
          {"linear", small_linear_gpt()}};
}

}  // namespace kette
