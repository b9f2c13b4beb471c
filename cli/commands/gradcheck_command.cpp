// `kette gradcheck`: every op on every sample in f64, or a whole Transformer parameter by
// parameter.
#include <iostream>
#include <memory>

#include "autograd/all_ops.h"
#include "autograd/gradient_check.h"
#include "cli/commands/commands.h"
#include "cli/common.h"
#include "cli/page_file.h"
#include "data/files/json_text.h"
#include "inspect/steps/gradient_page.h"
#include "models/families.h"
#include "models/gradient_check.h"
#include "tensor/gap.h"
#include "tensor/suggestion.h"

namespace kette::cli {
namespace {

struct GradcheckOptions {
  CommonOptions common;
  std::vector<std::string> ops;
  std::string model, preset;
  std::filesystem::path page;
  std::int64_t elements = 0;
  bool list = false;
  GradientCheckOptions check;
};

/// The lines printed so far and what they add up to.
class Report {
 public:
  explicit Report(double tolerance) : tolerance_(tolerance) {}

  void add(const std::string& name, std::int64_t samples, const GradientGap& worst) {
    const bool good = worst.gap <= tolerance_;  // false for NaN
    (good ? passed_ : failed_) += 1;
    worst_ = larger_gap(worst_, worst.gap);
    std::cout << text("%-6s %-44s %3lld %s %7lld elements  worst %.1e", good ? "ok" : "FAILED",
                      name.c_str(), static_cast<long long>(samples),
                      samples == 1 ? "sample, " : "samples,", static_cast<long long>(worst.checked),
                      worst.gap)
              << text("  at %s: expected %.9g, got %.9g\n", worst.where.c_str(), worst.expected,
                      worst.got)
              << std::flush;
    entries_.push_back({{"name", name},
                        {"passed", good},
                        {"samples", samples},
                        {"elements", worst.checked},
                        {"worst", worst.gap},
                        {"where", worst.where},
                        {"expected", worst.expected},
                        {"got", worst.got}});
    checked_.push_back({name, samples, good, worst, {}});
  }
  /// What a page shows, in the order of the lines.
  std::vector<CheckedGradient>& checked() { return checked_; }

  /// Prints the last lines; returns the exit code.
  int finish(bool json, const Json& page) const {
    std::cout << passed_ << " passed, " << failed_ << " failed, worst " << text("%.2e", worst_)
              << "\n";
    if (json) {
      Json all = {
          {"passed", passed_}, {"failed", failed_}, {"worst", worst_}, {"checks", entries_}};
      all.update(page);
      print_json(all);
    }
    return failed_ == 0 ? 0 : 1;
  }

 private:
  double tolerance_, worst_ = 0;
  std::int64_t passed_ = 0, failed_ = 0;
  Json entries_ = Json::array();
  std::vector<CheckedGradient> checked_;
};

std::vector<OpInfo> chosen_ops(const std::vector<std::string>& names) {
  std::vector<OpInfo> all = all_ops(), chosen;
  if (names.empty()) return all;
  std::vector<std::string> known;
  for (const OpInfo& op : all) known.push_back(op.name);
  for (const std::string& name : names) {
    const auto found = std::find(known.begin(), known.end(), name);
    if (found == known.end()) {
      throw UsageError("unknown op " + name + did_you_mean(name, known) +
                       "; kette gradcheck --list lists them all");
    }
    chosen.push_back(all[found - known.begin()]);
  }
  return chosen;
}

GradientGap check_op(const OpInfo& op, std::int64_t elements, const GradientCheckOptions& options) {
  GradientGap worst;
  for (const Sample& sample : op.samples) {
    GradientGap gap = check_gradients(sample.call, sample.inputs, options, elements);
    if (!sample.label.empty()) gap.where = sample.label + ", " + gap.where;
    worst.join(gap);
  }
  return worst;
}

void check_ops(const GradcheckOptions& o, Report& report) {
  const std::vector<OpInfo> ops = chosen_ops(o.ops);
  for (const OpInfo& op : ops) {
    report.add(op.name, static_cast<std::int64_t>(op.samples.size()),
               check_op(op, o.elements, o.check));
  }
  if (o.page.empty()) return;
  for (const double step : steps_of_sweep()) {
    for (std::size_t i = 0; i < ops.size(); ++i) {
      report.checked()[i].by_step.push_back(
          check_op(ops[i], o.elements, o.check.at_step_alone(step)).gap);
    }
  }
}

/// One model, and for a page some elements of it with every step.
void check_one_model(const GradcheckOptions& o, const std::string& label, const ModelConfig& config,
                     std::int64_t elements, Report& report) {
  constexpr std::int64_t kElementsOfSweep = 3;
  const std::size_t first = report.checked().size();
  for (const auto& [name, gap] : check_model(config, elements, o.check)) {
    report.add(label + name, 1, gap);
  }
  if (o.page.empty()) return;
  for (const double step : steps_of_sweep()) {
    const ParameterGaps gaps = check_model(config, kElementsOfSweep, o.check.at_step_alone(step));
    for (std::size_t i = 0; i < gaps.size(); ++i) {
      report.checked()[first + i].by_step.push_back(gaps[i].second.gap);
    }
  }
}

/// A small model whole, in its variants; of a preset a few elements of each parameter, which takes a
/// minute and not a week.
void check_family(const GradcheckOptions& o, Report& report) {
  constexpr std::int64_t kElementsOfPreset = 8;
  const std::int64_t elements = o.elements > 0     ? o.elements
                                : o.preset.empty() ? 0
                                                   : kElementsOfPreset;
  const Family& family = family_named(o.model);
  if (!o.preset.empty()) {
    if (&family_of_preset(o.preset) != &family) {
      throw UsageError("--preset: expected one of a " + family.name + ", given " + o.preset);
    }
    return check_one_model(o, "", *family.config(o.preset), elements, report);
  }
  for (const auto& [label, config] : family.small_models) {
    check_one_model(o, label + " ", *config, elements, report);
  }
}

void run(const GradcheckOptions& o) {
  use_threads(o.common);
  if (o.list) {
    Json list = Json::array();
    for (const OpInfo& op : chosen_ops(o.ops)) {
      std::cout << text("%-26s %s\n", op.name.c_str(), op.formula.c_str());
      list.push_back({{"op", op.name}, {"formula", op.formula}});
    }
    if (o.common.json) print_json({{"ops", list}});
    return;
  }
  if (!o.model.empty() && !o.ops.empty())
    throw UsageError("--model: expected no ops beside it, given " + o.ops[0]);
  if (o.model.empty() && !o.preset.empty())
    throw UsageError("--preset: expected --model beside it, given none");
  Report report(o.check.tolerance);
  if (o.model.empty()) {
    check_ops(o, report);
  } else {
    check_family(o, report);
  }
  Json of_page = Json::object();
  if (!o.page.empty()) {
    const std::string page =
        gradient_page(report.checked(), {o.check.tolerance, o.check.step, o.model});
    write_page(o.page, page, of_page);
  }
  if (const int code = report.finish(o.common.json, of_page); code != 0) exit_with(code);
}

}  // namespace

void add_gradcheck_options(CLI::App& command) {
  auto options = std::make_shared<GradcheckOptions>();
  // The inputs are so small that several threads would only wait for each other.
  options->common.threads = 1;
  OptionGroup group(command, "Gradient check");
  group.list("OP", options->ops, "Ops to check (default: all of them)", "");
  group.flag("--list", options->list, "List the ops with their formulas, and stop");
  group.choice("--model", options->model, family_names(),
               "Check a whole model, parameter by parameter");
  group.choice("--preset", options->preset, all_presets(),
               "Of this size (default: a small one in its variants)");
  group.number(
      "--elements", options->elements, at_least(1),
      "Elements of each input or parameter, spread evenly (default: all; with --preset: 8)");
  group.number("--tolerance", options->check.tolerance, above(0), "Largest gap that passes");
  group.number("--seed", options->check.seed, "Of the random inputs");
  add_page_option(
      group, "--page", options->page,
      "Where a page goes that shows every gap, and the error against the step of the differences");
  add_device_option(group, options->check.device);
  add_common_options(command, options->common);
  when_run(command, [options] { run(*options); });
}

}  // namespace kette::cli
