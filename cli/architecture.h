// The shape of a model as options: a preset, and what overrides it. One set serves both
// architectures; the preset says which of them it is.
#pragma once

#include <string>
#include <vector>

#include "cli/options.h"
#include "models/config_json.h"

namespace kette::cli {

/// The presets of encoder-decoders; those of GPT are GptConfig::presets().
inline const std::vector<std::string> kTranslationPresets = {"tiny", "base", "big"};
std::vector<std::string> all_presets();

class ArchitectureOptions {
 public:
  ArchitectureOptions() { apply_preset("tiny"); }

  const std::string& preset() const { return preset_; }
  void apply_preset(const std::string& name);
  bool is_gpt() const { return is_gpt_; }
  TransformerConfig transformer() const;
  GptConfig gpt() const;

  /// Adds --preset; then_apply is told of a choice after it was applied.
  void add_preset_option(OptionGroup& group, const std::vector<std::string>& presets,
                         const std::string& help,
                         const std::function<void(const std::string&)>& then = {});
  /// Adds options for the fields. Options are applied in the order in which they were added, so
  /// they override a --preset that was added before, wherever it stands on the command line.
  void add_field_options(CLI::App& command);
  /// Throws a UsageError if one was given that only the other architecture has.
  void check() const;
  /// The names of the options that only the other architecture has, without dashes.
  std::vector<std::string> foreign_options() const;

 private:
  const std::vector<Option>& foreign() const { return is_gpt_ ? transformer_only_ : gpt_only_; }

  std::string preset_;
  bool is_gpt_ = false;
  /// Fields of both; the others stand in the configurations.
  struct Shared {
    std::int64_t width = 0, hidden = 0, heads = 0;
    double dropout = 0, attention_dropout = 0;
  } shared_;
  TransformerConfig transformer_;
  GptConfig gpt_;
  std::vector<Option> transformer_only_, gpt_only_;
};

}  // namespace kette::cli
