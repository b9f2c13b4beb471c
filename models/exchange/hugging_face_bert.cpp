#include "models/exchange/hugging_face_bert.h"

#include "data/files/atomic_file.h"
#include "data/files/json_text.h"
#include "data/tokenizers/added_tokens.h"
#include "models/exchange/hugging_face_parts.h"

namespace kette::hugging_face {
namespace {

namespace fs = std::filesystem;

constexpr const char* kBertPrefix = "bert.";  // of BertForMaskedLM; BertModel has none
constexpr const char* kDecoder = "cls.predictions.decoder.weight";
constexpr const char* kOutputBias = "cls.predictions.bias";
constexpr const char* kDecoderBias = "cls.predictions.decoder.bias";

BertConfig bert_config(const Settings& settings) {
  BertConfig config;
  config.layers = settings.get<std::int64_t>("num_hidden_layers");
  config.width = settings.get<std::int64_t>("hidden_size");
  config.hidden = settings.get<std::int64_t>("intermediate_size");
  config.heads = settings.get<std::int64_t>("num_attention_heads");
  config.vocabulary = settings.get<std::int64_t>("vocab_size");
  config.context = settings.get<std::int64_t>("max_position_embeddings");
  config.segments = settings.get<std::int64_t>("type_vocab_size", 2);
  config.norm_epsilon = settings.get<double>("layer_norm_eps", config.norm_epsilon);
  config.dropout = settings.get<double>("hidden_dropout_prob", 0.1);
  config.attention_dropout = settings.get<double>("attention_probs_dropout_prob", 0.1);
  config.feed_forward = read_activation(settings, "hidden_act");
  settings.check([&] {
    KETTE_CHECK(config.segments > 0, "type_vocab_size: expected at least 1, given ",
                config.segments);
    config.check();
  });
  settings.expect<std::string>("position_embedding_type", "absolute", "absolute");
  settings.expect("tie_word_embeddings", true, true);
  settings.expect("is_decoder", false, false);
  settings.expect("add_cross_attention", false, false);
  return config;
}

/// What Google's own checkpoints call the two vectors of a layer norm, and transformers did.
struct NormNames {
  const char* gain = ".weight";
  const char* bias = ".bias";
};

/// prefix: of all names but the head's.
Parts bert_parts(const Bert& model, const std::string& prefix = "", const NormNames& names = {}) {
  const std::string embeddings = prefix + "embeddings.", head = "cls.predictions.transform.";
  Parts parts = {{.name = embeddings + "word_embeddings.weight",
                  .ours = model.encoder().token_embedding.table.value(),
                  .of_vocabulary = true},
                 {embeddings + "position_embeddings.weight",
                  model.encoder().position_embedding->table.value()},
                 {embeddings + "token_type_embeddings.weight",
                  model.encoder().segment_embedding->table.value()}};
  const auto add_layer_norm = [&](const std::string& name, const Norm& norm) {
    parts.push_back({name + "LayerNorm" + names.gain, norm.gain.value()});
    parts.push_back({name + "LayerNorm" + names.bias, norm.bias.value()});
  };
  add_layer_norm(embeddings, model.encoder().embedding_norm);
  const std::int64_t width = model.config().width, hidden = model.config().hidden;
  for (std::int64_t i = 0; i < model.config().layers; ++i) {
    const Block& block = model.encoder().blocks[i];
    const std::string name = prefix + "encoder.layer." + std::to_string(i) + ".";
    const Linear& query_key_value = block.self_attention.query_key_value;
    std::int64_t row = 0;
    for (const char* part : {"query", "key", "value"}) {
      add_linear(parts, name + "attention.self." + part, query_key_value, row, row + width);
      row += width;
    }
    add_linear(parts, name + "attention.output.dense", block.self_attention.output, 0, width);
    add_layer_norm(name + "attention.output.", block.self_attention_norm.norm);
    add_linear(parts, name + "intermediate.dense", block.feed_forward->inner, 0, hidden);
    add_linear(parts, name + "output.dense", block.feed_forward->outer, 0, width);
    add_layer_norm(name + "output.", block.feed_forward_norm->norm);
  }
  add_linear(parts, head + "dense", model.head_map(), 0, width);
  add_layer_norm(head, model.head_norm());
  parts.push_back(
      {.name = kOutputBias, .ours = model.output().bias.value(), .of_vocabulary = true});
  return parts;
}

/// Copies of what is there, and parts of models for other tasks, which have nothing to do with what this
/// one says.
void pass_over_others(Parameters& parameters, const Bert& model) {
  const auto check_copy = [&](const char* name, const Tensor& ours) {
    if (!parameters.contains(name)) return;
    KETTE_CHECK(
        parameters.of_vocabulary(name, ours.shape()).values<float>() == ours.values<float>(),
        parameters.origin(), ": tensor \"", name,
        "\": expected the values that it is tied to, given others");
  };
  check_copy(kDecoder, model.encoder().token_embedding.table.value());
  check_copy(kDecoderBias, model.output().bias.value());
  for (const char* name : {"embeddings.position_ids", "pooler.dense.weight", "pooler.dense.bias",
                           "cls.seq_relationship.weight", "cls.seq_relationship.bias"}) {
    parameters.pass_over(name);
  }
}

/// BertForMaskedLM has these parts in one form only.
void check_bert_form(const BertConfig& config) {
  const std::pair<const char*, bool> settings[] = {
      {"segments", config.segments > 0},
      {"positions", config.positions == Positions::learned},
      {"norm", config.norm == NormOrder::post},
      {"norm_kind", config.norm_kind == NormKind::layer},
      {"feed_forward", *name_of_activation(config.feed_forward) != '\0'},
      {"biases", config.biases}};
  for (const auto& [setting, is_bert] : settings) {
    KETTE_CHECK(is_bert,
                "export: expected a model in BERT's form (segments, learned positions, layer norms "
                "after the sub-layers, biases, no gate), which is all that BertForMaskedLM has, "
                "given one with another ",
                setting);
  }
}

}  // namespace

SavedModel<Bert> read_bert(const fs::path& folder, const Settings& settings) {
  BertConfig config = bert_config(settings);
  Parameters parameters(folder, kBertPrefix);
  KETTE_CHECK(
      fs::exists(folder / "vocab.txt") || fs::exists(folder / kTokenizerJson), folder.string(),
      ": expected the vocab.txt or tokenizer.json of BERT's tokenizer, given a folder with neither");
  SharedTokenizer tokenizer = load_tokenizer(folder, "wordpiece");
  config.vocabulary = parameters.expect_vocabulary(settings, config.vocabulary, *tokenizer);

  auto model = std::make_unique<Bert>(config);
  parameters.expect_at_least(model->parameters().elements());
  model->allocate(DType::f32, {}, Gradients::none);
  const bool is_old = parameters.contains("embeddings.LayerNorm.gamma");
  read(parameters, bert_parts(*model, "", is_old ? NormNames{".gamma", ".beta"} : NormNames{}));
  pass_over_others(parameters, *model);
  parameters.expect_all_read();
  return {std::move(model), std::move(tokenizer), {}};
}

void write_bert(const fs::path& folder, const SavedModel<Bert>& saved) {
  const BertConfig& config = saved.model->config();
  const Tokenizer& tokenizer = *saved.tokenizer;
  check_bert_form(config);
  KETTE_CHECK(
      tokenizer.kind() == "wordpiece",
      "export: expected a wordpiece tokenizer, which is all that BertTokenizer reads, given "
      "one of the kind ",
      tokenizer.kind());
  const Json settings = {{"architectures", {"BertForMaskedLM"}},
                         {"model_type", "bert"},
                         {"num_hidden_layers", config.layers},
                         {"hidden_size", config.width},
                         {"intermediate_size", config.hidden},
                         {"num_attention_heads", config.heads},
                         {"vocab_size", config.vocabulary},
                         {"max_position_embeddings", config.context},
                         {"type_vocab_size", config.segments},
                         {"hidden_act", name_of_activation(config.feed_forward)},
                         {"layer_norm_eps", config.norm_epsilon},
                         {"hidden_dropout_prob", config.dropout},
                         {"attention_probs_dropout_prob", config.attention_dropout},
                         {"position_embedding_type", "absolute"},
                         {"tie_word_embeddings", true},
                         {"pad_token_id", std::max(0, tokenizer.special().pad)},
                         {"torch_dtype", "float32"}};
  write_file_atomically(folder / "config.json", settings.dump(2) + "\n");
  tokenizer.save(folder);
  write(folder, bert_parts(*saved.model, kBertPrefix));
}

}  // namespace kette::hugging_face
