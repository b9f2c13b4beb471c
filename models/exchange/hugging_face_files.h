// The files of a Hugging Face model: config.json, and parameters in model.safetensors or in the
// files that model.safetensors.index.json lists. Every value is checked. Damaged or unsuitable
// folders are an Error that names file and entry.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "data/files/safetensors.h"
#include "data/tokenizers/tokenizer.h"

namespace kette::hugging_face {

inline constexpr const char* kParameterFile = "model.safetensors";

/// A config.json, read by key.
class Settings {
 public:
  explicit Settings(const std::filesystem::path& folder);
  /// The object at a key.
  Settings part(const char* key) const;

  const std::string& origin() const { return origin_; }
  /// A null value counts as absent: both mean the default of transformers.
  bool has(const char* key) const;
  bool is_null(const char* key) const;
  /// An Error if the key is absent or its value has another type. T: bool, std::string,
  /// std::int64_t or double.
  template <class T>
  T get(const char* key) const;
  template <class T>
  T get(const char* key, T otherwise) const {
    return has(key) ? get<T>(key) : otherwise;
  }
  /// An Error unless the setting is `only`, the one value that Kette supports. otherwise: the
  /// default of transformers.
  template <class T>
  void expect(const char* key, const T& only, const T& otherwise) const;
  /// Runs checks, and prefixes their Errors with the name of the file.
  void check(const std::function<void()>& checks) const;

 private:
  Settings(std::string origin, std::shared_ptr<const nlohmann::json> json)
      : origin_(std::move(origin)), json_(std::move(json)) {}

  std::string origin_;
  std::shared_ptr<const nlohmann::json> json_;
};

/// The parameters of a folder, in one or several files.
class Parameters {
 public:
  /// prefix: removed from names that start with it.
  Parameters(const std::filesystem::path& folder, const std::string& prefix);

  const std::string& origin() const { return folder_; }
  bool contains(const std::string& name) const { return places_.contains(name); }
  /// An Error unless there is a tensor with this name.
  void expect(const std::string& name) const;
  /// An Error if all tensors together have fewer elements. Called before memory is allocated for
  /// what config.json says.
  void expect_at_least(std::int64_t elements) const;
  /// The values in f32. An Error if the tensor is missing, has another shape or no floating-point
  /// type, or a value is not finite.
  Tensor tensor(const std::string& name, const Shape& shape);
  /// The same for a tensor with one row a token: [tokens, ...] or [1, tokens]. If the model's
  /// vocabulary is larger than the tokenizer's, often as a multiple of 64, only the rows of the
  /// tokenizer's tokens are returned.
  Tensor of_vocabulary(const std::string& name, const Shape& shape);
  /// Sets the vocabulary size of config.json, `given`. Returns the tokenizer's; an Error if that is
  /// larger.
  std::int64_t expect_vocabulary(const Settings& settings, std::int64_t given,
                                 const Tokenizer& tokenizer);
  /// Ignores a tensor: a buffer, or a copy of another one.
  void pass_over(const std::string& name) { places_.erase(name); }
  /// An Error if a tensor was neither read nor passed over, as the model then has more parts.
  void expect_all_read() const;

 private:
  struct Place {
    std::size_t file;
    std::string name;
    bool is_read = false;
  };
  void add(const std::filesystem::path& file, const std::string& prefix);

  std::string folder_;
  std::int64_t vocabulary_ = 0;  // of the files
  std::vector<SafetensorsFile> files_;
  std::map<std::string, Place> places_;
};

}  // namespace kette::hugging_face
