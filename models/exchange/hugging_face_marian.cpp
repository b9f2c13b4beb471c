// MarianMTModel of transformers. Its sinusoids are sines before cosines, its logits have a bias,
// and its decoder starts with the padding token. The rest is models/transformer.h. A model with
// interleaved sinusoids is converted before export (models/exchange/sinusoid_layout.h). A joint
// tokenizer is written as both of MarianTokenizer's.
#include <algorithm>

#include "data/files/atomic_file.h"
#include "data/tokenizers/vocabulary_json.h"
#include "models/exchange/hugging_face_forms.h"
#include "models/exchange/hugging_face_parts.h"
#include "models/exchange/sinusoid_layout.h"

namespace kette::hugging_face {
namespace {

namespace fs = std::filesystem;

constexpr const char* kEmbedding = "model.shared.weight";
/// The same table again, where a file holds it more than once.
constexpr const char* kCopies[] = {kEmbedding, "model.encoder.embed_tokens.weight",
                                   "model.decoder.embed_tokens.weight", "lm_head.weight"};
constexpr const char* kPositions[] = {"model.encoder.embed_positions.weight",
                                      "model.decoder.embed_positions.weight"};
constexpr const char* kSource = "source.spm";
constexpr const char* kTarget = "target.spm";
constexpr const char* kBias = "final_logits_bias";
/// Sinusoids in bfloat16 are this near to themselves.
constexpr double kRounding = 1.0 / 128;

constexpr Name kMarianNames[] = {
    {.theirs = "model.shared", .ours = "shared_embedding", .of_vocabulary = true},
    {.theirs = kBias, .ours = "output/bias", .of_vocabulary = true},
    {"model.encoder.layers.*.self_attn.q_proj", "encoder/*/self_attention/query_key_value", 0},
    {"model.encoder.layers.*.self_attn.k_proj", "encoder/*/self_attention/query_key_value", 1},
    {"model.encoder.layers.*.self_attn.v_proj", "encoder/*/self_attention/query_key_value", 2},
    {"model.encoder.layers.*.self_attn.out_proj", "encoder/*/self_attention/output"},
    {"model.encoder.layers.*.self_attn_layer_norm", "encoder/*/self_attention_norm"},
    {"model.encoder.layers.*.fc1", "encoder/*/feed_forward/inner"},
    {"model.encoder.layers.*.fc2", "encoder/*/feed_forward/outer"},
    {"model.encoder.layers.*.final_layer_norm", "encoder/*/feed_forward_norm"},
    {"model.decoder.layers.*.self_attn.q_proj", "decoder/*/self_attention/query_key_value", 0},
    {"model.decoder.layers.*.self_attn.k_proj", "decoder/*/self_attention/query_key_value", 1},
    {"model.decoder.layers.*.self_attn.v_proj", "decoder/*/self_attention/query_key_value", 2},
    {"model.decoder.layers.*.self_attn.out_proj", "decoder/*/self_attention/output"},
    {"model.decoder.layers.*.self_attn_layer_norm", "decoder/*/self_attention_norm"},
    {"model.decoder.layers.*.fc1", "decoder/*/feed_forward/inner"},
    {"model.decoder.layers.*.fc2", "decoder/*/feed_forward/outer"},
    {"model.decoder.layers.*.final_layer_norm", "decoder/*/feed_forward_norm"},
    {"model.decoder.layers.*.encoder_attn.q_proj", "decoder/*/cross_attention/query"},
    {"model.decoder.layers.*.encoder_attn.k_proj", "decoder/*/cross_attention/key_value", 0},
    {"model.decoder.layers.*.encoder_attn.v_proj", "decoder/*/cross_attention/key_value", 1},
    {"model.decoder.layers.*.encoder_attn.out_proj", "decoder/*/cross_attention/output"},
    {"model.decoder.layers.*.encoder_attn_layer_norm", "decoder/*/cross_attention_norm"}};

std::vector<Setting> marian_settings(TransformerConfig& c) {
  return {{"encoder_layers", &c.encoder_layers},
          {"decoder_layers", &c.decoder_layers},
          {"d_model", &c.width},
          {"encoder_ffn_dim", &c.hidden},
          {"decoder_ffn_dim", Json(c.hidden)},
          {"encoder_attention_heads", &c.heads},
          {"decoder_attention_heads", Json(c.heads)},
          {"vocab_size", &c.vocabulary},
          {"decoder_vocab_size", Json(c.vocabulary)},
          {"max_position_embeddings", &c.max_length},
          {"activation_function", &c.feed_forward},
          {"dropout", &c.dropout, true},
          {"attention_dropout", &c.attention_dropout, true},
          {"activation_dropout", &c.activation_dropout, true}};
}

TransformerConfig marian_config(const Settings& settings) {
  TransformerConfig config;
  config.dropout = 0.1;
  config.attention_dropout = config.activation_dropout = 0;
  read(settings, marian_settings(config));
  config.sinusoids = SinusoidLayout::concatenated;
  settings.check([&] { config.check(); });

  settings.expect("decoder_ffn_dim", config.hidden, config.hidden);
  settings.expect("decoder_attention_heads", config.heads, config.heads);
  settings.expect("decoder_vocab_size", config.vocabulary, config.vocabulary);
  settings.expect("scale_embedding", true, false);
  settings.expect("share_encoder_decoder_embeddings", true, true);
  settings.expect("tie_word_embeddings", true, true);
  // Settings of its relatives, which transformers passes over here.
  settings.expect("normalize_before", false, false);
  settings.expect("normalize_embedding", false, false);
  settings.expect("add_final_layer_norm", false, false);
  settings.expect("static_position_embeddings", true, true);
  return config;
}

/// How MarianTokenizer writes what Kette's vocabularies have as "<2de>": ">>de<<".
std::string marian_tag(const std::string& language) { return ">>" + language + "<<"; }

Parts marian_parts(Model& model) {
  Parts parts = parts_of(model, kMarianNames);
  for (Part& part : parts) {
    if (part.name == kBias) part.ours = part.ours.reshaped({1, part.ours.elements()});
  }
  return parts;
}

/// A file may name the embedding by any of its names, but all must hold the same table.
void read_embedding(Parameters& parameters, Part& embedding) {
  for (const char* name : kCopies) {
    if (parameters.contains(name)) embedding.name = name;
  }
  const auto table =
      parameters.of_vocabulary(embedding.name, embedding.ours.shape()).values<float>();
  for (const char* name : kCopies) {
    if (!parameters.contains(name)) continue;
    KETTE_CHECK(parameters.of_vocabulary(name, embedding.ours.shape()).values<float>() == table,
                parameters.origin(), ": tensor \"", name, "\": expected the values of \"",
                embedding.name, "\", given others (the embeddings are not shared)");
  }
}

/// Positions that a file holds must be the sinusoids they are made of here.
void check_positions(Parameters& parameters, const TransformerConfig& config) {
  const Tensor expected =
      sinusoidal_positions(config.max_length, config.width, SinusoidLayout::concatenated);
  const auto ours = expected.values<float>();
  for (const char* name : kPositions) {
    if (!parameters.contains(name)) continue;
    const auto theirs = parameters.tensor(name, expected.shape()).values<float>();
    for (std::size_t i = 0; i < ours.size(); ++i) {
      KETTE_CHECK(std::abs(ours[i] - theirs[i]) <= kRounding, parameters.origin(), ": tensor \"",
                  name, "\": expected sinusoids, ", ours[i], " at element ", i, ", given ",
                  theirs[i], " (Kette's model has no learned positions)");
    }
  }
}

void expect_special(const Settings& settings, const SpecialTokens& special) {
  const auto expect = [&](const char* key, std::int64_t of_tokenizer) {
    const auto given = settings.get<std::int64_t>(key, of_tokenizer);
    KETTE_CHECK(given == of_tokenizer, settings.origin(), ": expected ", of_tokenizer,
                ", as vocab.json beside it says, for \"", key, "\", given ", given);
  };
  expect("pad_token_id", special.pad);
  expect("eos_token_id", special.end);
  expect("decoder_start_token_id", special.begin);
}

/// By id, as vocab.json has them.
std::vector<std::string> written_pieces(const Tokenizer& joint) {
  std::vector<std::string> pieces;
  for (std::int32_t id = 0; id < joint.vocabulary(); ++id) pieces.push_back(joint.piece(id));
  for (const std::string& language : joint.languages()) {
    pieces[static_cast<std::size_t>(*joint.tag_of(language))] = marian_tag(language);
  }
  return pieces;
}

/// A decoder of Marian's starts with the padding. One that does not is ours, and so is its tokenizer:
/// a joint model, which is both source.spm and target.spm.
SharedTokenizer read_tokenizer(const fs::path& folder, const Settings& settings) {
  SharedTokenizer marian = load_tokenizer(folder, "marian");
  const std::int64_t begin = marian->special().begin;
  if (settings.get<std::int64_t>("decoder_start_token_id", begin) == begin) return marian;
  SharedTokenizer joint = load_tokenizer(folder / kSource);
  bool is_same = joint->vocabulary() == marian->vocabulary() &&
                 joint->files() == load_tokenizer(folder / kTarget)->files();
  const std::vector<std::string> written = written_pieces(*joint);
  for (std::int32_t id = 0; is_same && id < joint->vocabulary(); ++id) {
    is_same = written[static_cast<std::size_t>(id)] == marian->piece(id);
  }
  KETTE_CHECK(is_same, settings.origin(), ": expected ", begin,
              ", the padding, for \"decoder_start_token_id\", or the pieces of source.spm in both "
              "target.spm and vocab.json, given neither");
  return joint;
}

/// Writes vocab.json by the pieces of a joint model, and the model as both. No text is cut into a tag, which stands in no
/// spelling of theirs in the model: MarianTokenizer takes it off the text first.
void write_tokenizer(const fs::path& folder, const Tokenizer& tokenizer) {
  if (tokenizer.kind() == "marian") return tokenizer.save(folder);
  const std::vector<std::string> pieces = written_pieces(tokenizer);
  for (const std::string& language : tokenizer.languages()) {
    KETTE_CHECK(std::count(pieces.begin(), pieces.end(), marian_tag(language)) == 1,
                "export: expected no piece ", marian_tag(language),
                ", which is how MarianTokenizer asks for the language ", language, ", given one");
  }
  write_file_atomically(folder / "vocab.json", vocabulary_json(pieces));
  for (const auto& [name, model] : tokenizer.files()) {
    write_file_atomically(folder / kSource, model);
    write_file_atomically(folder / kTarget, model);
  }
}

void write_settings(const fs::path& folder, TransformerConfig c) {
  const SpecialTokens special = c.special;
  Json settings = {
      {"architectures", {"MarianMTModel"}}, {"model_type", "marian"}, {"is_encoder_decoder", true}};
  write(marian_settings(c), settings);
  settings.update({{"scale_embedding", true},
                   {"share_encoder_decoder_embeddings", true},
                   {"tie_word_embeddings", true},
                   {"pad_token_id", special.pad},
                   {"bos_token_id", special.begin},
                   {"eos_token_id", special.end},
                   {"decoder_start_token_id", special.begin},
                   {"forced_eos_token_id", special.end},
                   {"torch_dtype", "float32"}});
  // What may never be chosen, here as in our search.
  Json banned = {{special.pad}};
  if (special.begin != special.pad) banned.push_back({special.begin});
  const Json generation = {{"decoder_start_token_id", special.begin},
                           {"pad_token_id", special.pad},
                           {"bos_token_id", special.begin},
                           {"eos_token_id", special.end},
                           {"forced_eos_token_id", special.end},
                           {"bad_words_ids", banned},
                           {"max_length", c.max_length}};
  const Json tokenizer = {{"tokenizer_class", "MarianTokenizer"},
                          {"model_max_length", c.max_length}};
  write_file_atomically(folder / "config.json", settings.dump(2) + "\n");
  write_file_atomically(folder / "generation_config.json", generation.dump(2) + "\n");
  write_file_atomically(folder / "tokenizer_config.json", tokenizer.dump(2) + "\n");
}

SavedModel<Model> read_marian(const fs::path& folder, const Settings& settings) {
  TransformerConfig config = marian_config(settings);
  Parameters parameters(folder, "");
  for (const auto& [stack, layers] :
       {std::pair{"encoder", config.encoder_layers}, {"decoder", config.decoder_layers}}) {
    parameters.expect("model." + std::string(stack) + ".layers." + std::to_string(layers - 1) +
                      ".fc1.weight");
  }
  SharedTokenizer tokenizer = read_tokenizer(folder, settings);
  config.vocabulary = parameters.expect_vocabulary(settings, config.vocabulary, *tokenizer);
  config.special = tokenizer->special();
  config.output_bias = parameters.contains(kBias);
  expect_special(settings, config.special);

  std::unique_ptr<Model> model = make_model(config, parameters);
  Parts parts = marian_parts(*model);
  read_embedding(parameters, parts.front());
  read(parameters, parts);
  check_positions(parameters, config);
  parameters.expect_all_read();
  return {std::move(model), std::move(tokenizer), {}};
}

void write_marian(const fs::path& folder, const SavedModel<Model>& saved) {
  const auto& config = dynamic_cast<const TransformerConfig&>(saved.model->config());
  KETTE_CHECK(
      config.source_vocabulary == 0,
      "export: expected a model with one vocabulary, which is all that MarianMTModel has here, "
      "given one with another for its sources, a parser");
  KETTE_CHECK(!config.count_tags,
              "export: expected a model without counts of tags, which MarianMTModel has none of, "
              "given one with them (a parser)");
  KETTE_CHECK(config.norm == NormOrder::post,
              "export: expected a post-norm model, which is all that MarianMTModel has, given a "
              "pre-norm one (kette train --norm post makes one)");
  KETTE_CHECK(config.positions == Positions::sinusoidal,
              "export: expected sinusoidal positions, which are all that MarianMTModel has, given "
              "learned ones (kette train --positions sinusoidal makes a model with them)");
  KETTE_CHECK(*name_of_activation(config.feed_forward) != '\0',
              "export: expected an activation that MarianMTModel has, given ",
              enum_name(config.feed_forward), ", which has a gate");
  const std::string kind = saved.tokenizer->kind();
  KETTE_CHECK(kind == "sentencepiece" || kind == "marian",
              "export: expected a sentencepiece or marian tokenizer, which are all that "
              "MarianTokenizer reads, given one of the kind ",
              kind);
  const auto transformer =
      with_concatenated_sinusoids(dynamic_cast<const Transformer&>(*saved.model));
  write_settings(folder, transformer->config());
  write_tokenizer(folder, *saved.tokenizer);
  write(folder, marian_parts(*transformer));
}

std::string what_marian(const ModelConfig& config) {
  const auto* c = dynamic_cast<const TransformerConfig*>(&config);
  if (c == nullptr) return "";
  return "Marian, " + std::to_string(c->encoder_layers) + " + " + std::to_string(c->decoder_layers);
}

std::vector<std::string> notes_on_languages(const Tokenizer& tokenizer) {
  std::vector<std::string> notes;
  for (const std::string& language : tokenizer.languages()) {
    notes.push_back("to " + language + ": transformers is asked for by \"" + marian_tag(language) +
                    " \" before a text");
  }
  return notes;
}

}  // namespace

const Form marian_form = {{"marian"}, what_marian, read_marian, write_marian, notes_on_languages};

}  // namespace kette::hugging_face
