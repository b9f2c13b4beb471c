#include "models/config_json.h"

#include <type_traits>
#include <utility>

#include "data/files/json_text.h"
#include "data/files/text_file.h"
#include "models/adapter_directory.h"
#include "models/model_directory.h"
#include "models/model_summary.h"
#include "models/parameter_room.h"

namespace kette {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

constexpr const char* kTransformer = "kette-transformer";
constexpr const char* kGpt = "kette-gpt";

/// The names of an enumeration's values.
template <class Enum>
using Names = std::vector<std::pair<Enum, const char*>>;

const Names<NormOrder> kNormOrders = {{NormOrder::post, "post"}, {NormOrder::pre, "pre"}};
const Names<FeedForwardKind> kFeedForwardKinds = {{FeedForwardKind::relu, "relu"},
                                                  {FeedForwardKind::gelu, "gelu"},
                                                  {FeedForwardKind::silu, "silu"},
                                                  {FeedForwardKind::swiglu, "swiglu"}};
const Names<SinusoidLayout> kSinusoidLayouts = {{SinusoidLayout::interleaved, "interleaved"},
                                                {SinusoidLayout::concatenated, "concatenated"}};
const Names<NormKind> kNormKinds = {{NormKind::layer, "layer"}, {NormKind::rms, "rms"}};
const Names<Positions> kPositions = {{Positions::learned, "learned"},
                                     {Positions::rotary, "rotary"}};

/// Calls visit(key, field) or visit(key, field, names) for each field: one list for both
/// directions. visit.added: for keys that older files lack, whose fields keep their defaults then.
template <class Config, class Visitor>
void visit_fields(Config& c, const Visitor& visit) requires
    std::same_as<std::remove_const_t<Config>, TransformerConfig> {
  visit("encoder_layers", c.encoder_layers);
  visit("decoder_layers", c.decoder_layers);
  visit("width", c.width);
  visit("hidden", c.hidden);
  visit("heads", c.heads);
  visit("vocabulary", c.vocabulary);
  visit("max_length", c.max_length);
  visit("dropout", c.dropout);
  visit("attention_dropout", c.attention_dropout);
  visit("activation_dropout", c.activation_dropout);
  visit("norm", c.norm, kNormOrders);
  visit("activation", c.feed_forward, kFeedForwardKinds);
  visit.added("sinusoids", c.sinusoids, kSinusoidLayouts);
  visit.added("output_bias", c.output_bias);
  visit.added("pad", c.special.pad);
  visit.added("unknown", c.special.unknown);
  visit.added("begin", c.special.begin);
  visit.added("end", c.special.end);
}

template <class Config, class Visitor>
void visit_fields(
    Config& c, const Visitor& visit) requires std::same_as<std::remove_const_t<Config>, GptConfig> {
  visit("layers", c.layers);
  visit("width", c.width);
  visit("hidden", c.hidden);
  visit("heads", c.heads);
  visit("vocabulary", c.vocabulary);
  visit("context", c.context);
  visit("dropout", c.dropout);
  visit("attention_dropout", c.attention_dropout);
  visit("positions", c.positions, kPositions);
  visit("norm", c.norm, kNormKinds);
  visit("feed_forward", c.feed_forward, kFeedForwardKinds);
}

struct Writer {
  Json& json;
  template <class T>
  void operator()(const char* key, const T& field) const {
    json[key] = field;
  }
  template <class Enum>
  void operator()(const char* key, const Enum& field, const Names<Enum>& names) const {
    for (const auto& [value, name] : names) {
      if (value == field) json[key] = name;
    }
  }
  template <class... Arguments>
  void added(const char* key, const Arguments&... arguments) const {
    (*this)(key, arguments...);
  }
};

/// nlohmann would take true for 1 and 16.5 for 16, and cut a number that is too large.
template <class T>
bool fits(const Json& value) {
  if constexpr (std::is_same_v<T, bool>) {
    return value.is_boolean();
  } else if constexpr (std::is_same_v<T, std::string>) {
    return value.is_string();
  } else if constexpr (std::is_floating_point_v<T>) {
    return value.is_number();
  } else {
    return value.is_number_unsigned()
               ? std::in_range<T>(value.get<std::uint64_t>())
               : value.is_number_integer() && std::in_range<T>(value.get<std::int64_t>());
  }
}

struct Reader {
  const Json& json;
  const std::string& origin;

  template <class T>
  void operator()(const char* key, T& field) const {
    KETTE_CHECK(json.contains(key), origin, ": expected the key \"", key, "\", given none");
    const Json& value = json.at(key);
    KETTE_CHECK(fits<T>(value), origin, ": expected another type of value for \"", key,
                "\", given ", value.dump());
    field = value.get<T>();
  }
  template <class Enum>
  void operator()(const char* key, Enum& field, const Names<Enum>& names) const {
    std::string text, known;
    (*this)(key, text);
    for (const auto& [value, name] : names) {
      if (text == name) return void(field = value);
      known += std::string(known.empty() ? "" : ", ") + name;
    }
    fail(origin, ": expected one of ", known, " for \"", key, "\", given ", text);
  }
  template <class Field, class... Arguments>
  void added(const char* key, Field& field, const Arguments&... arguments) const {
    if (json.contains(key)) (*this)(key, field, arguments...);
  }
};

template <class Config>
Json written(const Config& config, const char* architecture) {
  Json json = {{"architecture", architecture}};
  visit_fields(config, Writer{json});
  return json;
}

template <class Config>
Config read(const Json& json, const std::string& origin) {
  Config config;
  visit_fields(config, Reader{json, origin});
  try {
    config.check();
  } catch (const Error& error) {
    fail(origin, ": ", error.what());
  }
  return config;
}

Json parse(const std::string& text, const std::string& origin) {
  Json json = parse_json<Json>(text, origin);
  KETTE_CHECK(json.is_object(), origin, ": expected a JSON object, given something else");
  return json;
}

/// The text of a model directory's config.json.
std::string read_description(const fs::path& folder) {
  KETTE_CHECK(fs::is_directory(folder), folder.string(),
              ": expected a model directory, given no such folder");
  return read_text(folder / "config.json");
}

/// The file of all parameters of a model: that of the base, where there are adapters; or the one it
/// is given in its place.
fs::path whole_parameters(const fs::path& folder, const fs::path& parameters) {
  if (holds_adapters(folder)) return read_adapter_description(folder).base / kModelFile;
  return parameters.empty() ? folder / kModelFile : parameters;
}

/// Such a file may be missing, and adapters' base may have moved: whoever loads it says so.
template <class Config>
Config with_room(const Config& config, const fs::path& folder, const fs::path& parameters) {
  const fs::path file = whole_parameters(folder, parameters);
  if (fs::is_regular_file(file)) {
    expect_room(file, count_parameters(config), (folder / "config.json").string());
  }
  return config;
}

}  // namespace

std::string to_json(const TransformerConfig& config) {
  return written(config, kTransformer).dump(2) + "\n";
}

std::string to_json(const GptConfig& config, const Tokenizer* tokenizer) {
  Json json = written(config, kGpt);
  if (tokenizer != nullptr) {
    json["tokenizer"] = tokenizer->kind();
    json["tokenizer_fingerprint"] = tokenizer->fingerprint();
  }
  return json.dump(2) + "\n";
}

ModelConfig model_config_from_json(const std::string& text, const std::string& origin) {
  const Json json = parse(text, origin);
  std::string architecture;
  Reader{json, origin}("architecture", architecture);
  if (architecture == kTransformer) return read<TransformerConfig>(json, origin);
  if (architecture == kGpt) return read<GptConfig>(json, origin);
  fail(origin, ": expected the architecture ", kTransformer, " or ", kGpt, ", given ",
       architecture);
}

ModelConfig read_config(const fs::path& folder) {
  return model_config_from_json(read_description(folder), (folder / "config.json").string());
}

TransformerConfig read_transformer_config(const fs::path& folder, const fs::path& parameters) {
  const ModelConfig config = read_config(folder);
  const auto* transformer = std::get_if<TransformerConfig>(&config);
  KETTE_CHECK(transformer != nullptr, folder.string(),
              ": expected a translation model, given a language model; kette generate and kette "
              "evaluate --text are for those");
  return with_room(*transformer, folder, parameters);
}

GptDescription read_gpt_description(const fs::path& folder, const fs::path& parameters) {
  const std::string text = read_description(folder), origin = (folder / "config.json").string();
  const ModelConfig config = model_config_from_json(text, origin);
  const auto* gpt = std::get_if<GptConfig>(&config);
  KETTE_CHECK(gpt != nullptr, folder.string(),
              ": expected a language model, given a translation model; kette translate and kette "
              "evaluate --src are for those");
  GptDescription description{with_room(*gpt, folder, parameters), "", ""};
  const Json json = parse(text, origin);
  const Reader reader{json, origin};
  reader("tokenizer", description.tokenizer);
  reader.added("tokenizer_fingerprint", description.tokenizer_fingerprint);
  return description;
}

}  // namespace kette
