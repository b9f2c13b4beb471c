// What must stay for a resumed run to be the same run: its settings, by name, and its data, by
// content and not by path. Data that moved are the same data.
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
  /// What a setting is where a fingerprint lacks it, as those of older versions may.
  std::vector<Setting> defaults;
  std::vector<Data> data;

  void add(const std::string& name, const std::string& value) { settings.push_back({name, value}); }
  void add(const std::string& name, std::int64_t value) { add(name, std::to_string(value)); }
  /// The shortest text that reads back as the same number.
  void add(const std::string& name, double value);
  /// Every field of a configuration (models/config_json.h), but for those that the tokenizer
  /// decides.
  void add_model(const ModelConfig& config);
  /// Reads the files. No files, no data.
  void add_data(const std::string& role, const std::vector<std::filesystem::path>& files);

  /// Short; of runs with the same settings and data the same.
  std::string id() const;
  std::string to_json() const;
  /// Throws nlohmann's exceptions unless the text is that of to_json().
  static RunFingerprint from_json(const std::string& text);

  /// Throws unless these are the settings and data that another process has.
  void check_same(const RunFingerprint& other, const std::string& whose) const;
  /// Throws unless these are the settings of the fingerprint that `file` was written with.
  void check_settings(const RunFingerprint& stored, const std::string& file) const;
  /// Those whose content is not what it was.
  std::vector<Data> changed_data(const RunFingerprint& stored) const;
};

}  // namespace kette
