#include "cli/architecture.h"

#include <algorithm>

#include "tensor/suggestion.h"

namespace kette::cli {
namespace {

struct AddOption {
  OptionGroup& group;
  const Field& field;

  Option operator()(std::int64_t* value) const {
    return group.number(field.option, *value, at_least(static_cast<double>(field.minimum)),
                        field.help);
  }
  Option operator()(double* value) const {
    return group.number(field.option, *value, rate(), field.help);
  }
  Option operator()(bool* value) const {
    return group.flag(field.option + ",!--no-" + field.option.substr(2), *value, field.help);
  }
  template <class Other>
  Option operator()(Other*) const {
    fail(field.option, ": expected a field that options can set, given another kind");
  }
  Option operator()(const Field::Choice& choice) const {
    return group.one_of(field.option, choice.names, choice.set, choice.get, field.help);
  }
};

}  // namespace

std::string with_defaults_of(const std::string& preset) {
  return " (the defaults shown are those of " + preset + "; see --preset)";
}

ArchitectureOptions::ArchitectureOptions() {
  for (const Family* family : families()) configs_.push_back(family->config(""));
  apply_preset("tiny");
}

void ArchitectureOptions::apply_preset(const std::string& name) {
  const Family& family = family_of_preset(name);
  preset_ = name;
  for (std::size_t i = 0; i < configs_.size(); ++i) {
    if (&configs_[i]->family() == &family) chosen_ = i;
  }
  apply(*family.config(name));
}

void ArchitectureOptions::apply(const ModelConfig& config) {
  // Of other families those that an option sets for this one.
  const std::unique_ptr<ModelConfig> source = config.clone();
  for (const std::unique_ptr<ModelConfig>& each : configs_) copy_fields(*source, *each);
}

std::unique_ptr<ModelConfig> ArchitectureOptions::config() const {
  std::unique_ptr<ModelConfig> config = configs_[chosen_]->clone();
  for (std::size_t i = chosen_; i-- > 0;) copy_fields(*configs_[i], *config);
  return config;
}

Option ArchitectureOptions::add_preset_option(OptionGroup& group,
                                              const std::vector<std::string>& presets,
                                              const std::string& help,
                                              const std::function<void(const std::string&)>& then) {
  return preset_option_.emplace(
      group.choice("--preset", preset_, presets, help, [this, then](const std::string& name) {
        apply_preset(name);
        if (then) then(name);
      }));
}

bool ArchitectureOptions::is_given() const {
  return preset_option_->given() ||
         std::any_of(options_.begin(), options_.end(),
                     [](const FieldOption& option) { return option.option.given(); });
}

std::vector<std::size_t> ArchitectureOptions::families_with(const std::string& option) const {
  std::vector<std::size_t> families;
  for (std::size_t i = 0; i < configs_.size(); ++i) {
    const auto fields = configs_[i]->fields();
    const auto is_it = [&](const Field& field) { return field.option == option; };
    if (std::any_of(fields.begin(), fields.end(), is_it)) families.push_back(i);
  }
  return families;
}

void ArchitectureOptions::add_field_options(CLI::App& command) {
  // Those that all families have come first.
  for (const bool shared : {true, false}) {
    for (std::size_t i = 0; i < configs_.size(); ++i) {
      for (const Field& field : configs_[i]->fields()) {
        const std::vector<std::size_t> families = families_with(field.option);
        const bool is_here =
            families.front() == i && (families.size() == configs_.size()) == shared;
        if (field.option.empty() || !is_here) continue;
        std::vector<std::string> names;
        for (const std::size_t family : families)
          names.push_back(configs_[family]->family().options);
        // An option shows its value in the first family: that of the preset, or of another family the first one.
        const std::size_t shown = shared ? chosen_ : i;
        const std::string preset =
            shown == chosen_ ? preset_ : configs_[shown]->family().presets.front();
        OptionGroup group(command,
                          (shared ? "All models" : joined(names)) + with_defaults_of(preset));
        options_.push_back(
            {field.option, families, std::visit(AddOption{group, field}, field.value)});
      }
    }
  }
}

bool ArchitectureOptions::is_foreign(const FieldOption& option) const {
  return std::find(option.families.begin(), option.families.end(), chosen_) ==
         option.families.end();
}

void ArchitectureOptions::check() const {
  config()->check();
  for (const FieldOption& option : options_) {
    if (!is_foreign(option) || !option.option.given()) continue;
    std::vector<std::string> presets;
    for (const std::size_t family : option.families) {
      const auto& names = configs_[family]->family().presets;
      presets.insert(presets.end(), names.begin(), names.end());
    }
    throw UsageError(option.name + ": expected with one of the presets " + joined(presets) +
                     ", given with " + preset_);
  }
}

void ArchitectureOptions::check_like(const ModelConfig& model,
                                     const std::filesystem::path& where) const {
  const std::unique_ptr<ModelConfig> its = model.clone();
  const auto text_of = [](ModelConfig& config, const std::string& option) -> std::string {
    for (const Field& field : config.fields()) {
      if (field.option == option) return text_of_value(field);
    }
    return "none";
  };
  for (const FieldOption& option : options_) {
    if (!option.option.given()) continue;
    // Whatever the preset: each of its families has what was given.
    const std::string given = text_of(*configs_[option.families.front()], option.name),
                      expected = text_of(*its, option.name);
    if (given == expected && expected != "none") continue;
    throw UsageError(option.name + ": expected " + expected + ", as the model in " +
                     where.string() + " has, given " + given);
  }
}

std::vector<std::string> ArchitectureOptions::option_names(bool of_others) const {
  std::vector<std::string> names;
  for (const FieldOption& option : options_) {
    if (!of_others || is_foreign(option)) names.push_back(option.name.substr(2));
  }
  return names;
}

}  // namespace kette::cli
