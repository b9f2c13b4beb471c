#include "models/config_json.h"

#include <type_traits>
#include <utility>

#include "data/files/json_text.h"
#include "data/files/text_file.h"
#include "models/adapter_directory.h"
#include "models/families.h"
#include "models/model_directory.h"
#include "models/parameter_room.h"

namespace kette {
namespace {

namespace fs = std::filesystem;

/// nlohmann would accept true as 1 and 16.5 as 16, and truncate numbers that are too large.
template <class T>
bool fits(const Json& value) {
  if constexpr (std::is_same_v<T, bool>) {
    return value.is_boolean();
  } else if constexpr (std::is_same_v<T, std::string>) {
    return value.is_string();
  } else if constexpr (std::is_same_v<T, Field::Numbers>) {
    return value.is_array() && std::all_of(value.begin(), value.end(), fits<std::int64_t>);
  } else if constexpr (std::is_floating_point_v<T>) {
    return value.is_number();
  } else {
    return value.is_number_unsigned()
               ? std::in_range<T>(value.get<std::uint64_t>())
               : value.is_number_integer() && std::in_range<T>(value.get<std::int64_t>());
  }
}

/// Reads a key with the type of `field`.
template <class T>
void read_value(const Json& json, const std::string& key, T& field, const std::string& origin) {
  KETTE_CHECK(json.contains(key), origin, ": expected the key \"", key, "\", given none");
  const Json& value = json.at(key);
  KETTE_CHECK(fits<T>(value), origin, ": expected another type of value for \"", key, "\", given ",
              value.dump());
  field = value.get<T>();
}

void read_field(const Json& json, const Field& field, const std::string& origin) {
  const std::string& key =
      json.contains(field.key) || field.former_key.empty() || !json.contains(field.former_key)
          ? field.key
          : field.former_key;
  if (field.optional && !json.contains(key)) return;
  if (const auto* choice = std::get_if<Field::Choice>(&field.value)) {
    std::string name;
    read_value(json, key, name, origin);
    try {
      choice->set(name);
    } catch (const Error& error) {
      fail(origin, ": ", key, ": ", error.what());
    }
    return;
  }
  std::visit(
      [&](const auto& value) {
        if constexpr (std::is_pointer_v<std::remove_cvref_t<decltype(value)>>) {
          read_value(json, key, *value, origin);
        }
      },
      field.value);
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
  KETTE_CHECK(fs::exists(folder / "config.json"), folder.string(),
              ": expected a model directory, given a folder without config.json");
  return read_text(folder / "config.json");
}

/// The file with all parameters of a model: the base's if there are adapters, or the given one.
fs::path whole_parameters(const fs::path& folder, const fs::path& parameters) {
  if (holds_adapters(folder)) return read_adapter_description(folder).base / kModelFile;
  return parameters.empty() ? folder / kModelFile : parameters;
}

}  // namespace

std::string to_json(const ModelConfig& config, const Tokenizer* tokenizer) {
  Json json = {{"architecture", config.family().architecture()}};
  const auto copy = config.clone();
  for (const Field& field : copy->fields()) {
    std::visit(
        [&json = json[field.key]](const auto& value) {
          if constexpr (std::is_pointer_v<std::remove_cvref_t<decltype(value)>>) {
            json = *value;
          } else {
            json = value.get();
          }
        },
        field.value);
  }
  if (tokenizer != nullptr) {
    json["tokenizer"] = tokenizer->kind();
    json["tokenizer_fingerprint"] = tokenizer->fingerprint();
  }
  return json.dump(2) + "\n";
}

std::unique_ptr<ModelConfig> model_config_from_json(const std::string& text,
                                                    const std::string& origin) {
  const Json json = parse(text, origin);
  KETTE_CHECK(
      !json.contains("architectures"), origin,
      ": expected a model directory, given one of Hugging Face (kette import makes a model directory of it)");
  std::string architecture, known;
  read_value(json, "architecture", architecture, origin);
  for (const Family* family : families()) {
    known += (known.empty() ? "" : ", ") + family->architecture();
    if (family->architecture() != architecture) continue;
    std::unique_ptr<ModelConfig> config = family->config("");
    for (const Field& field : config->fields()) read_field(json, field, origin);
    try {
      config->check();
    } catch (const Error& error) {
      fail(origin, ": ", error.what());
    }
    return config;
  }
  fail(origin, ": expected one of the architectures ", known, ", given ", architecture);
}

std::unique_ptr<ModelConfig> read_config(const fs::path& folder) {
  return model_config_from_json(read_description(folder), (folder / "config.json").string());
}

std::unique_ptr<ModelConfig> read_config_with_room(const fs::path& folder,
                                                   const fs::path& parameters) {
  std::unique_ptr<ModelConfig> config = read_config(folder);
  const fs::path file = whole_parameters(folder, parameters);
  // A missing file, or a base that has moved, is reported when the values are loaded.
  if (fs::is_regular_file(file)) {
    expect_room(file, count_parameters(*config), (folder / "config.json").string());
  }
  return config;
}

TokenizerDescription read_tokenizer_description(const fs::path& folder) {
  const std::string origin = (folder / "config.json").string();
  const Json json = parse(read_description(folder), origin);
  TokenizerDescription description;
  for (const auto& [key, value] : {std::pair{"tokenizer", &description.kind},
                                   {"tokenizer_fingerprint", &description.fingerprint}}) {
    if (json.contains(key)) read_value(json, key, *value, origin);
  }
  return description;
}

}  // namespace kette
