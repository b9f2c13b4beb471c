// The shape of a model as options: a preset, and what overrides it. The preset says which family it is
// of; one set of options serves all of them (models/families.h).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <typeinfo>
#include <vector>

#include "cli/options.h"
#include "models/families.h"

namespace kette::cli {

class ArchitectureOptions {
 public:
  ArchitectureOptions();

  const std::string& preset() const { return preset_; }
  /// Whether a preset or a field was.
  bool is_given() const;
  bool is_preset_given() const { return preset_option_->given(); }
  void apply_preset(const std::string& name);
  /// Takes the fields of this one, of the family that was chosen.
  void apply(const ModelConfig& config);
  const Family& family() const { return configs_[chosen_]->family(); }
  std::unique_ptr<ModelConfig> config() const;
  /// Whether the configuration is of that family, and not of one that builds on it.
  template <class Config>
  bool is() const {
    const ModelConfig& chosen = *configs_[chosen_];
    return typeid(chosen) == typeid(Config);
  }
  /// The configuration, if it is one.
  template <class Config>
  Config as() const {
    return dynamic_cast<const Config&>(*config());
  }

  /// Adds --preset; then_apply is told of a choice after it was applied.
  Option add_preset_option(OptionGroup& group, const std::vector<std::string>& presets,
                           const std::string& help,
                           const std::function<void(const std::string&)>& then = {});
  /// Adds options for the fields. Options are applied in the order in which they were added, so
  /// they override a --preset that was added before, wherever it stands on the command line.
  void add_field_options(CLI::App& command);
  /// Throws a UsageError if one was given that only other families have.
  void check() const;
  /// Throws a UsageError if one was given that is not what this model has, which is in `where`.
  void check_like(const ModelConfig& model, const std::filesystem::path& where) const;
  /// The names of the fields' options, of all or of those that only other families have, without dashes.
  std::vector<std::string> option_names(bool of_others) const;

 private:
  /// An option sets the field of the first family that has it.
  struct FieldOption {
    std::string name;
    std::vector<std::size_t> families;
    Option option;
  };
  /// Those with a field of that option, by their places in configs_.
  std::vector<std::size_t> families_with(const std::string& option) const;
  bool is_foreign(const FieldOption& option) const;

  std::string preset_;
  std::optional<Option> preset_option_;
  std::size_t chosen_ = 0;
  // One of each family, which options point into: the first one that has a field holds what was given.
  std::vector<std::unique_ptr<ModelConfig>> configs_;
  std::vector<FieldOption> options_;
};

}  // namespace kette::cli
