// Options for the shape of a model: a preset, and fields that override it. The preset chooses the family of
// models. One set of options serves all families (models/families.h).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <typeinfo>
#include <vector>

#include "cli/options.h"
#include "models/families.h"

namespace kette::cli {

/// " (the defaults shown are those of tiny; see --preset)": ends the title of options that a preset has values for.
std::string with_defaults_of(const std::string& preset);

class ArchitectureOptions {
 public:
  ArchitectureOptions();

  const std::string& preset() const { return preset_; }
  /// Whether a preset or a field was given.
  bool is_given() const;
  bool is_preset_given() const { return preset_option_->given(); }
  void apply_preset(const std::string& name);
  /// Copies the fields of a configuration of the chosen family.
  void apply(const ModelConfig& config);
  const Family& family() const { return configs_[chosen_]->family(); }
  std::unique_ptr<ModelConfig> config() const;
  /// Whether the configuration is exactly of this type, not of a derived one.
  template <class Config>
  bool is() const {
    const ModelConfig& chosen = *configs_[chosen_];
    return typeid(chosen) == typeid(Config);
  }
  /// The configuration, which must be of this type or a derived one.
  template <class Config>
  Config as() const {
    return dynamic_cast<const Config&>(*config());
  }

  /// Adds --preset. then: called with the name after the preset was applied.
  Option add_preset_option(OptionGroup& group, const std::vector<std::string>& presets,
                           const std::string& help,
                           const std::function<void(const std::string&)>& then = {});
  /// Adds options for the fields. Options are applied in the order in which they are added. So they override a
  /// --preset that was added before, wherever it is on the command line.
  void add_field_options(CLI::App& command);
  /// Throws a UsageError if an option was given that the chosen family does not have.
  void check() const;
  /// Throws a UsageError if an option was given that differs from this model. where: the model's folder.
  void check_like(const ModelConfig& model, const std::filesystem::path& where) const;
  /// The names of the fields' options, without dashes. of_others: only those that the chosen family does not have.
  std::vector<std::string> option_names(bool of_others) const;

 private:
  /// An option sets the field in the first family that has it.
  struct FieldOption {
    std::string name;
    std::vector<std::size_t> families;
    Option option;
  };
  /// The families with a field for the option, as indices of configs_.
  std::vector<std::size_t> families_with(const std::string& option) const;
  bool is_foreign(const FieldOption& option) const;

  std::string preset_;
  std::optional<Option> preset_option_;
  std::size_t chosen_ = 0;
  // One per family. Options point into them: the first family that has a field holds the given value.
  std::vector<std::unique_ptr<ModelConfig>> configs_;
  std::vector<FieldOption> options_;
};

}  // namespace kette::cli
