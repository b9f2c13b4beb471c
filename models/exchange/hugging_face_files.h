// The files of a model as Hugging Face's transformers keeps it: config.json, and the parameters in
// model.safetensors or in several files that model.safetensors.index.json lists. Every reader
// checks what it is given, so that a damaged or unfit folder is an Error that names file and entry.
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

/// A config.json, key by key.
class Settings {
 public:
  explicit Settings(const std::filesystem::path& folder);
  /// An entry that has keys of its own.
  Settings part(const char* key) const;

  const std::string& origin() const { return origin_; }
  /// Absent and null are the same: both stand for the default of transformers.
  bool has(const char* key) const;
  bool is_null(const char* key) const;
  /// A key that is absent is an Error, and so is a value of another type. T: bool, std::string, std::int64_t or double.
  template <class T>
  T get(const char* key) const;
  template <class T>
  T get(const char* key, T otherwise) const {
    return has(key) ? get<T>(key) : otherwise;
  }
  /// For a setting that Kette has in one form only; `otherwise` is the default of transformers.
  template <class T>
  void expect(const char* key, const T& only, const T& otherwise) const;
  /// Puts the name of the file before the Errors of a check of what was read from it.
  void check(const std::function<void()>& checks) const;

 private:
  Settings(std::string origin, std::shared_ptr<const nlohmann::json> json)
      : origin_(std::move(origin)), json_(std::move(json)) {}

  std::string origin_;
  std::shared_ptr<const nlohmann::json> json_;
};

/// The parameters of a folder, from however many files.
class Parameters {
 public:
  /// prefix: taken off the names that start with it.
  Parameters(const std::filesystem::path& folder, const std::string& prefix);

  const std::string& origin() const { return folder_; }
  bool contains(const std::string& name) const { return places_.contains(name); }
  void expect(const std::string& name) const;
  /// Throws if all tensors together have fewer elements: before memory is asked for on the word of a
  /// config.json alone.
  void expect_at_least(std::int64_t elements) const;
  /// In f32. A tensor that is missing, has another shape, or no floating-point type is an Error.
  Tensor tensor(const std::string& name, const Shape& shape);
  /// Likewise one with a row for each token, [tokens, ...] or [1, tokens]. Of a vocabulary that is larger than the
  /// tokenizer's, often to be a multiple of 64, only rows of tokens that have a piece are wanted.
  Tensor of_vocabulary(const std::string& name, const Shape& shape);
  /// The size of the vocabulary in config.json and the tokenizer's. Gives the latter.
  std::int64_t expect_vocabulary(const Settings& settings, std::int64_t given,
                                 const Tokenizer& tokenizer);
  /// Not wanted: buffers, and copies of what is there already.
  void pass_over(const std::string& name) { places_.erase(name); }
  /// Throws if anything is left that was neither read nor passed over: the model has more parts.
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
