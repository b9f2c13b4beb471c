// BertForMaskedLM of transformers. The other parts of BertForPreTraining are ignored.
#include "data/files/atomic_file.h"
#include "data/files/text_file.h"
#include "data/tokenizers/added_tokens.h"
#include "models/bert_config.h"
#include "models/exchange/hugging_face_forms.h"
#include "models/exchange/hugging_face_parts.h"

namespace kette::hugging_face {
namespace {

namespace fs = std::filesystem;

constexpr const char* kBertPrefix = "bert.";  // of BertForMaskedLM; BertModel has none
constexpr const char* kDecoder = "cls.predictions.decoder.weight";
constexpr const char* kDecoderBias = "cls.predictions.decoder.bias";

constexpr Name kBertNames[] = {
    {.theirs = "embeddings.word_embeddings", .ours = "token_embedding", .of_vocabulary = true},
    {"embeddings.position_embeddings", "position_embedding"},
    {"embeddings.token_type_embeddings", "segment_embedding"},
    {"embeddings.LayerNorm", "embedding_norm"},
    {"encoder.layer.*.attention.self.query", "layers/*/self_attention/query_key_value", 0},
    {"encoder.layer.*.attention.self.key", "layers/*/self_attention/query_key_value", 1},
    {"encoder.layer.*.attention.self.value", "layers/*/self_attention/query_key_value", 2},
    {"encoder.layer.*.attention.output.dense", "layers/*/self_attention/output"},
    {"encoder.layer.*.attention.output.LayerNorm", "layers/*/self_attention_norm"},
    {"encoder.layer.*.intermediate.dense", "layers/*/feed_forward/inner"},
    {"encoder.layer.*.output.dense", "layers/*/feed_forward/outer"},
    {"encoder.layer.*.output.LayerNorm", "layers/*/feed_forward_norm"},
    {.theirs = "cls.predictions.transform.dense", .ours = "head/map", .is_apart = true},
    {.theirs = "cls.predictions.transform.LayerNorm", .ours = "head/norm", .is_apart = true},
    {.theirs = "cls.predictions.bias",
     .ours = "output/bias",
     .of_vocabulary = true,
     .is_apart = true}};

std::vector<Setting> bert_settings(BertConfig& c) {
  return {{"num_hidden_layers", &c.layers},
          {"hidden_size", &c.width},
          {"intermediate_size", &c.hidden},
          {"num_attention_heads", &c.heads},
          {"vocab_size", &c.vocabulary},
          {"max_position_embeddings", &c.context},
          {"type_vocab_size", &c.segments, true},
          {"hidden_act", &c.feed_forward},
          {"layer_norm_eps", &c.norm_epsilon, true},
          {"hidden_dropout_prob", &c.dropout, true},
          {"attention_probs_dropout_prob", &c.attention_dropout, true}};
}

BertConfig bert_config(const Settings& settings) {
  BertConfig config;
  config.segments = 2;
  config.dropout = config.attention_dropout = 0.1;
  read(settings, bert_settings(config));
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

/// Copies of what is there, and parts of models for other tasks, which have nothing to do with what this
/// one says.
void pass_over_others(Parameters& parameters, const Model& model) {
  const auto check_copy = [&](const char* name, const Tensor& ours) {
    if (!parameters.contains(name)) return;
    KETTE_CHECK(
        parameters.of_vocabulary(name, ours.shape()).values<float>() == ours.values<float>(),
        parameters.origin(), ": tensor \"", name,
        "\": expected the values that it is tied to, given others");
  };
  check_copy(kDecoder, model.parameters().find("token_embedding/weight")->value);
  check_copy(kDecoderBias, model.parameters().find("output/bias")->value);
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

SavedModel<Model> read_bert(const fs::path& folder, const Settings& settings) {
  BertConfig config = bert_config(settings);
  Parameters parameters(folder, kBertPrefix);
  KETTE_CHECK(
      fs::exists(folder / "vocab.txt") || fs::exists(folder / kTokenizerJson), folder.string(),
      ": expected the vocab.txt or tokenizer.json of BERT's tokenizer, given a folder with neither");
  SharedTokenizer tokenizer = load_tokenizer(folder, "wordpiece");
  config.vocabulary = parameters.expect_vocabulary(settings, config.vocabulary, *tokenizer);

  std::unique_ptr<Model> model = make_model(config, parameters);
  // What Google's own checkpoints call the two vectors of a layer norm, and transformers did.
  const bool is_old = parameters.contains("embeddings.LayerNorm.gamma");
  read(parameters,
       parts_of(*model, kBertNames, "", is_old ? NormNames{".gamma", ".beta"} : NormNames{}));
  pass_over_others(parameters, *model);
  parameters.expect_all_read();
  return {std::move(model), std::move(tokenizer), {}};
}

void write_bert(const fs::path& folder, const SavedModel<Model>& saved) {
  auto config = dynamic_cast<const BertConfig&>(saved.model->config());
  const Tokenizer& tokenizer = *saved.tokenizer;
  check_bert_form(config);
  KETTE_CHECK(
      tokenizer.kind() == "wordpiece",
      "export: expected a wordpiece tokenizer, which is all that BertTokenizer reads, given "
      "one of the kind ",
      tokenizer.kind());
  Json settings = {{"architectures", {"BertForMaskedLM"}}, {"model_type", "bert"}};
  write(bert_settings(config), settings);
  settings.update({{"position_embedding_type", "absolute"},
                   {"tie_word_embeddings", true},
                   {"pad_token_id", std::max(0, tokenizer.special().pad)},
                   {"torch_dtype", "float32"}});
  write_file_atomically(folder / "config.json", settings.dump(2) + "\n");
  tokenizer.save(folder);
  const fs::path file = folder / "tokenizer_config.json";
  Json of_tokenizer = parse_json<Json>(read_text(file), file.string());
  of_tokenizer["model_max_length"] = config.context;
  write_file_atomically(file, of_tokenizer.dump(2) + "\n");
  write(folder, parts_of(*saved.model, kBertNames, kBertPrefix));
}

std::string what_bert(const ModelConfig& config) {
  const auto* bert = dynamic_cast<const BertConfig*>(&config);
  return bert == nullptr ? "" : "BERT, " + std::to_string(bert->layers);
}

}  // namespace

const Form bert_form = {{"bert"}, what_bert, read_bert, write_bert};

}  // namespace kette::hugging_face
