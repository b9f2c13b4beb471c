#include "cli/optimizer_option.h"

#include <algorithm>

namespace kette::cli {

void OptimizerOption::add(OptionGroup& group, TrainOptions& options) {
  train_ = &options;
  group.one_of(
      "--optimizer", all_names<OptimizerKind>(),
      [&options](const std::string& name) {
        change_optimizer(enum_named<OptimizerKind>(name), options.optimizer, options.schedule.lr);
      },
      [&options] { return enum_name(options.optimizer.kind); },
      "What moves the parameters; " + optimizers_in_words());
  for (const OptimizerSetting& setting : optimizer_settings()) {
    std::string name = std::string("--") + setting.name;
    std::replace(name.begin(), name.end(), '_', '-');
    settings_.push_back(group.number(name, options.optimizer.*setting.value,
                                     {setting.low, setting.with_low, setting.below}, setting.help));
  }
}

std::vector<Option> OptimizerOption::foreign() const {
  std::vector<Option> options;
  for (std::size_t i = 0; i < settings_.size(); ++i) {
    if (!optimizer_settings()[i].is_of(train_->optimizer.kind)) options.push_back(settings_[i]);
  }
  return options;
}

void OptimizerOption::check() const {
  for (const Option& option : foreign()) {
    if (!option.given()) continue;
    throw UsageError(option.name() + ": expected none beside --optimizer " +
                     enum_name(train_->optimizer.kind) +
                     ", which has no such setting, given one (leave it out)");
  }
}

}  // namespace kette::cli
