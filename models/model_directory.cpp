#include "models/model_directory.h"

#include <nlohmann/json.hpp>

#include "data/atomic_file.h"
#include "data/safetensors.h"
#include "data/text_file.h"

namespace kette {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

constexpr const char* kArchitecture = "kette-transformer";

const char* name_of(NormOrder order) { return order == NormOrder::post ? "post" : "pre"; }
const char* name_of(Activation activation) {
  switch (activation) {
    case Activation::relu:
      return "relu";
    case Activation::gelu:
      return "gelu";
    case Activation::silu:
      return "silu";
    case Activation::none:
      break;
  }
  return "none";
}

template <class T>
T read_key(const Json& json, const char* key, const std::string& origin) {
  KETTE_CHECK(json.contains(key), origin, ": expected the key \"", key, "\", given none");
  try {
    return json.at(key).get<T>();
  } catch (const nlohmann::json::exception&) {
    fail(origin, ": expected another type of value for \"", key, "\", given ", json.at(key).dump());
  }
}

}  // namespace

std::string to_json(const TransformerConfig& c) {
  const Json json = {{"architecture", kArchitecture},
                     {"encoder_layers", c.encoder_layers},
                     {"decoder_layers", c.decoder_layers},
                     {"width", c.width},
                     {"hidden", c.hidden},
                     {"heads", c.heads},
                     {"vocabulary", c.vocabulary},
                     {"max_length", c.max_length},
                     {"dropout", c.dropout},
                     {"attention_dropout", c.attention_dropout},
                     {"activation_dropout", c.activation_dropout},
                     {"norm", name_of(c.norm)},
                     {"activation", name_of(c.activation)}};
  return json.dump(2) + "\n";
}

TransformerConfig transformer_config_from_json(const std::string& text, const std::string& origin) {
  const Json json = Json::parse(text, nullptr, false);
  KETTE_CHECK(json.is_object(), origin, ": expected a JSON object, given something else");
  KETTE_CHECK(read_key<std::string>(json, "architecture", origin) == kArchitecture, origin,
              ": expected the architecture ", kArchitecture, ", given ",
              json["architecture"].dump());
  TransformerConfig c;
  c.encoder_layers = read_key<std::int64_t>(json, "encoder_layers", origin);
  c.decoder_layers = read_key<std::int64_t>(json, "decoder_layers", origin);
  c.width = read_key<std::int64_t>(json, "width", origin);
  c.hidden = read_key<std::int64_t>(json, "hidden", origin);
  c.heads = read_key<std::int64_t>(json, "heads", origin);
  c.vocabulary = read_key<std::int64_t>(json, "vocabulary", origin);
  c.max_length = read_key<std::int64_t>(json, "max_length", origin);
  c.dropout = read_key<double>(json, "dropout", origin);
  c.attention_dropout = read_key<double>(json, "attention_dropout", origin);
  c.activation_dropout = read_key<double>(json, "activation_dropout", origin);
  const auto norm = read_key<std::string>(json, "norm", origin);
  KETTE_CHECK(norm == "post" || norm == "pre", origin, ": expected norm post or pre, given ", norm);
  c.norm = norm == "post" ? NormOrder::post : NormOrder::pre;
  const auto activation = read_key<std::string>(json, "activation", origin);
  bool known = false;
  for (const Activation candidate : {Activation::relu, Activation::gelu, Activation::silu}) {
    if (activation != name_of(candidate)) continue;
    c.activation = candidate;
    known = true;
  }
  KETTE_CHECK(known, origin, ": expected the activation relu, gelu or silu, given ", activation);
  c.check();
  return c;
}

void save_parameters(const fs::path& file, const ParamStore& parameters, const Metadata& metadata) {
  std::vector<std::pair<std::string, Tensor>> tensors;
  for (const auto& leaf : parameters.leaves())
    tensors.emplace_back(leaf->name, parameters.value_of(*leaf));
  write_safetensors(file, tensors, metadata, Checksum::crc32);
}

Metadata load_parameters(const fs::path& file, ParamStore& parameters) {
  const SafetensorsFile stored = SafetensorsFile::open(file, Checksum::crc32);
  for (const auto& leaf : parameters.leaves()) stored.expect(leaf->name, leaf->value.shape());
  KETTE_CHECK(stored.names().size() == parameters.leaves().size(), file.string(), ": expected ",
              parameters.leaves().size(), " parameters, given ", stored.names().size(),
              "; it belongs to a model of another architecture");
  for (const auto& leaf : parameters.leaves()) {
    const Tensor value = parameters.value_of(*leaf);
    value.copy_from(stored.tensor(leaf->name).to(value.dtype()).to(value.device()));
  }
  parameters.round();
  return stored.metadata();
}

void save_model(const fs::path& folder, const Transformer& model, const Tokenizer& tokenizer,
                const Metadata& metadata) {
  std::error_code error;
  fs::create_directories(folder, error);
  KETTE_CHECK(!error, folder.string(), ": expected a folder that can be written, given ",
              error.message());
  write_file_atomically(folder / "config.json", to_json(model.config()));
  write_file_atomically(folder / "tokenizer.model", tokenizer.bytes());
  save_parameters(folder / "model.safetensors", model.parameters(), metadata);
}

TranslationModel load_model(const fs::path& folder, const fs::path& parameters, Device device) {
  KETTE_CHECK(fs::is_directory(folder), folder.string(),
              ": expected a model directory, given no such folder");
  const fs::path config_file = folder / "config.json";
  std::string config_text;
  const TextLines lines = read_lines(config_file);
  for (const std::string_view line : lines.views()) config_text += line;
  const TransformerConfig config = transformer_config_from_json(config_text, config_file.string());
  Tokenizer tokenizer = Tokenizer::load(folder / "tokenizer.model");
  KETTE_CHECK(tokenizer.vocab_size() <= config.vocabulary, folder.string(),
              ": expected a tokenizer of at most ", config.vocabulary, " pieces, given ",
              tokenizer.vocab_size());
  auto transformer = std::make_unique<Transformer>(config);
  transformer->materialize(0, DType::f32, device);
  Metadata metadata = load_parameters(
      parameters.empty() ? folder / "model.safetensors" : parameters, transformer->parameters());
  return {std::move(transformer), std::move(tokenizer), std::move(metadata)};
}

}  // namespace kette
