// The settings and data that a resumed run must keep. Data are compared by content, not by path, so that
// files may move.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace kette {

struct ModelConfig;

struct RunFingerprint {
  struct Setting {
    std::string name, value;
  };
  struct Data {
    std::string role;         ///< "source", "valid_text"
    std::string fingerprint;  ///< data/files/file_fingerprint.h
    std::string path;         ///< for people

    bool is_for_validation() const { return role.starts_with("valid_"); }
  };
  std::vector<Setting> settings;
  /// The values of settings that a stored fingerprint may lack, as those of older versions do.
  std::vector<Setting> defaults;
  std::vector<Data> data;

  void add(const std::string& name, const std::string& value) { settings.push_back({name, value}); }
  void add(const std::string& name, std::int64_t value) { add(name, std::to_string(value)); }
  /// The shortest text that reads back as the same number.
  void add(const std::string& name, double value);
  /// Adds every field of a configuration (models/config_json.h), except those that the tokenizer sets.
  void add_model(const ModelConfig& config);
  /// Reads the files and adds their fingerprint. Adds nothing without files.
  void add_data(const std::string& role, const std::vector<std::filesystem::path>& files);

  /// A short hash of settings and data.
  std::string id() const;
  std::string to_json() const;
  /// Reads the text of to_json(). Throws nlohmann's exceptions for other text.
  static RunFingerprint from_json(const std::string& text);

  /// Throws an Error unless another process has the same settings and data. whose: its name.
  void check_same(const RunFingerprint& other, const std::string& whose) const;
  /// Throws an Error unless the settings equal those stored in `file`.
  void check_settings(const RunFingerprint& stored, const std::string& file) const;
  /// The data whose content differs from the stored fingerprint's.
  std::vector<Data> changed_data(const RunFingerprint& stored) const;
};

}  // namespace kette
