#include "models/exchange/hugging_face_files.h"

#include <cmath>
#include <set>
#include <type_traits>

#include "data/files/json_text.h"
#include "data/files/text_file.h"
#include "tensor/kernels.h"

namespace kette::hugging_face {
namespace {

namespace fs = std::filesystem;
using SortedJson = nlohmann::json;

constexpr const char* kIndex = "model.safetensors.index.json";

SortedJson read_object(const fs::path& file) {
  SortedJson json = parse_json<SortedJson>(read_text(file), file.string());
  KETTE_CHECK(json.is_object(), file.string(), ": expected a JSON object, given something else");
  return json;
}

std::set<std::string> listed_files(const fs::path& index) {
  const SortedJson json = read_object(index);
  KETTE_CHECK(json.contains("weight_map") && json["weight_map"].is_object(), index.string(),
              ": expected the key \"weight_map\" with a file for each tensor, given none");
  std::set<std::string> files;
  for (const auto& [name, file] : json["weight_map"].items()) {
    const bool is_name =
        file.is_string() && fs::path(file.get<std::string>()).filename() == file.get<std::string>();
    KETTE_CHECK(is_name, index.string(), ": expected the name of a file beside it for \"", name,
                "\", given ", file.dump());
    files.insert(file.get<std::string>());
  }
  return files;
}

constexpr double kTooLarge = 1e8;  // no size comes near, and products of two fit well

template <class T>
bool fits(const SortedJson& value) {
  if constexpr (std::is_same_v<T, bool>) return value.is_boolean();
  if constexpr (std::is_same_v<T, std::string>) return value.is_string();
  if constexpr (std::is_same_v<T, std::int64_t>) {
    return value.is_number_integer() && std::abs(value.get<double>()) < kTooLarge;
  }
  return value.is_number();
}
template <class T>
const char* kind_of() {
  if constexpr (std::is_same_v<T, bool>) return "true or false";
  if constexpr (std::is_same_v<T, std::string>) return "a text";
  if constexpr (std::is_same_v<T, std::int64_t>) return "a whole number of a size";
  return "a number";
}

}  // namespace

Settings::Settings(const fs::path& folder) : origin_((folder / "config.json").string()) {
  KETTE_CHECK(fs::is_directory(folder), folder.string(),
              ": expected a folder with a model, given no such folder");
  json_ = std::make_shared<SortedJson>(read_object(origin_));
}

bool Settings::has(const char* key) const {
  return json_->contains(key) && !json_->at(key).is_null();
}
bool Settings::is_null(const char* key) const {
  return json_->contains(key) && json_->at(key).is_null();
}

template <class T>
T Settings::get(const char* key) const {
  KETTE_CHECK(has(key), origin_, ": expected the key \"", key, "\", given none");
  const SortedJson& value = json_->at(key);
  KETTE_CHECK(fits<T>(value), origin_, ": expected ", kind_of<T>(), " for \"", key, "\", given ",
              value.dump());
  return value.get<T>();
}
template <class T>
void Settings::expect(const char* key, const T& only, const T& otherwise) const {
  const T given = get<T>(key, otherwise);
  KETTE_CHECK(given == only, origin_, ": expected ", SortedJson(only).dump(), " for \"", key,
              "\", which is all that Kette has, given ", SortedJson(given).dump());
}
template bool Settings::get(const char*) const;
template std::string Settings::get(const char*) const;
template std::int64_t Settings::get(const char*) const;
template double Settings::get(const char*) const;
template void Settings::expect(const char*, const bool&, const bool&) const;
template void Settings::expect(const char*, const std::string&, const std::string&) const;
template void Settings::expect(const char*, const std::int64_t&, const std::int64_t&) const;
template void Settings::expect(const char*, const double&, const double&) const;

Settings Settings::part(const char* key) const {
  const SortedJson& json = json_->at(key);
  KETTE_CHECK(json.is_object(), origin_, ": expected a JSON object for \"", key, "\", given ",
              json.dump());
  return {origin_, std::make_shared<SortedJson>(json)};
}

void Settings::check(const std::function<void()>& checks) const {
  try {
    checks();
  } catch (const Error& error) {
    fail(origin_, ": ", error.what());
  }
}

Parameters::Parameters(const fs::path& folder, const std::string& prefix)
    : folder_(folder.string()) {
  if (fs::exists(folder / kParameterFile)) {
    add(folder / kParameterFile, prefix);
    return;
  }
  KETTE_CHECK(fs::exists(folder / kIndex), folder_, ": expected ", kParameterFile, " or ", kIndex,
              ", given neither (save_pretrained of transformers writes them)");
  for (const std::string& file : listed_files(folder / kIndex)) add(folder / file, prefix);
}

void Parameters::add(const fs::path& file, const std::string& prefix) {
  files_.push_back(SafetensorsFile::open(file, Checksum::if_present));
  for (const std::string& name : files_.back().names()) {
    const std::string bare = name.starts_with(prefix) ? name.substr(prefix.size()) : name;
    KETTE_CHECK(places_.emplace(bare, Place{files_.size() - 1, name}).second, file.string(),
                ": expected every tensor once, given \"", name, "\" again");
  }
}

void Parameters::expect(const std::string& name) const {
  KETTE_CHECK(contains(name), folder_, ": expected a tensor \"", name, "\", given ", places_.size(),
              " others");
}

void Parameters::expect_at_least(std::int64_t elements) const {
  std::int64_t given = 0;
  for (const auto& [name, place] : places_) {
    given += files_[place.file].shape(place.name).elements();
  }
  KETTE_CHECK(given >= elements, folder_, ": expected ", elements,
              " parameters, as many as the model of config.json has, given ", given);
}

Tensor Parameters::tensor(const std::string& name, const Shape& shape) {
  expect(name);
  Place& place = places_.at(name);
  place.is_read = true;
  const SafetensorsFile& file = files_[place.file];
  const std::string& stored = place.name;
  file.expect(stored, shape);
  KETTE_CHECK(file.dtype(stored) != DType::i32, folder_, ": tensor \"", stored,
              "\": expected F32, F16, BF16 or F64, given ", file.stored_dtype(stored));
  Tensor values = file.tensor(stored).to(DType::f32);
  const auto bad = kernels::first_non_finite(CpuExec{}, values);
  KETTE_CHECK(!bad, folder_, ": tensor \"", stored, "\": expected finite values, given ",
              values.values<float>()[*bad]);
  return values;
}

Tensor Parameters::of_vocabulary(const std::string& name, const Shape& shape) {
  const bool is_row = shape.rank() == 2 && shape[0] == 1;
  const std::int64_t tokens = is_row ? shape[1] : shape[0], width = shape.elements() / tokens;
  const Shape stored = is_row              ? Shape{1, vocabulary_}
                       : shape.rank() == 1 ? Shape{vocabulary_}
                                           : Shape{vocabulary_, width};
  return tensor(name, stored).reshaped({vocabulary_, width}).slice(0, tokens).reshaped(shape);
}

std::int64_t Parameters::expect_vocabulary(const Settings& settings, std::int64_t given,
                                           const Tokenizer& tokenizer) {
  const std::int64_t pieces = tokenizer.vocabulary();
  KETTE_CHECK(pieces <= given, settings.origin(), ": expected at least ", pieces,
              ", the tokens of the tokenizer beside it, for \"vocab_size\", given ", given);
  vocabulary_ = given;
  return pieces;
}

void Parameters::expect_all_read() const {
  for (const auto& [name, place] : places_) {
    KETTE_CHECK(place.is_read, folder_, ": expected no further tensors, given \"", place.name,
                "\", which Kette's model has no place for");
  }
}

}  // namespace kette::hugging_face
