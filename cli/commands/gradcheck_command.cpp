// `kette gradcheck`: every op on every sample in f64, or a whole Transformer parameter by
// parameter.
#include <iostream>
#include <memory>

#include "autograd/all_ops.h"
#include "autograd/hessian.h"
#include "autograd/op_library.h"
#include "cli/commands/commands.h"
#include "cli/common.h"
#include "cli/gradient_report.h"
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
  std::filesystem::path library, page;
  bool list = false, fast = false, f32 = false;
  std::int64_t order = 1, repeat = 1;
  GradientCheckOptions check;

  /// What is done for each of the draws.
  template <class Check>
  void for_draws(const Check& once) const {
    for (std::int64_t i = 0; i < repeat; ++i) {
      GradientCheckOptions draw = check;
      draw.seed += static_cast<std::uint64_t>(i);
      once(draw);
    }
  }
};

/// The lines printed so far and what they add up to.
class Report {
 public:
  void add(const std::string& name, std::int64_t samples, const GradientCheck& check) {
    const char* verdict = !check.ok() ? "FAILED" : check.tells() ? "ok" : "?";
    (check.ok() ? passed_ : failed_) += 1;
    if (check.ok() && !check.tells()) ++untold_;
    differences_ = larger_gap(differences_, check.differences.gap);
    if (check.adjoint) adjoint_ = larger_gap(adjoint_, check.adjoint->gap);
    std::cout << text("%-6s %-44s %3lld %s ", verdict, name.c_str(),
                      static_cast<long long>(samples), samples == 1 ? "sample, " : "samples,")
              << summary_of(check) << "\n"
              << std::flush;
    Json entry = {{"name", name}, {"samples", samples}};
    entry.update(check_json(check));
    entries_.push_back(std::move(entry));
    checked_.push_back({name, samples, check, {}});
  }
  /// What a page shows, in the order of the lines.
  std::vector<CheckedGradient>& checked() { return checked_; }

  /// Prints the last lines; returns the exit code.
  int finish(bool json, const Json& page) const {
    std::cout << passed_ << " passed, " << failed_ << " failed, worst "
              << text("%.2e", differences_) << " by differences, " << text("%.2e", adjoint_)
              << " by the adjoint test\n";
    if (untold_ > 0)
      std::cout << untold_ << " of them (?) say nothing: noise hides all gradients\n";
    if (json) {
      Json all = {{"passed", passed_},           {"failed", failed_},   {"untold", untold_},
                  {"differences", differences_}, {"adjoint", adjoint_}, {"checks", entries_}};
      all.update(page);
      print_json(all);
    }
    return failed_ == 0 ? 0 : 1;
  }

 private:
  double differences_ = 0, adjoint_ = 0;
  std::int64_t passed_ = 0, failed_ = 0, untold_ = 0;
  Json entries_ = Json::array();
  std::vector<CheckedGradient> checked_;
};

/// Kette's, or a library's.
std::vector<OpInfo> chosen_ops(const GradcheckOptions& o) {
  const std::vector<std::string>& names = o.ops;
  std::vector<OpInfo> all = o.library.empty() ? all_ops() : load_op_library(o.library), chosen;
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

/// Whatever it throws is its fault.
GradientCheck check_sample(const Sample& sample, std::int64_t order,
                           const GradientCheckOptions& options) {
  try {
    return order == 1 ? check_gradients(sample.call, sample.inputs, options)
                      : check_second_order(sample.call, sample.inputs, options);
  } catch (const std::exception& error) {
    GradientCheck check;
    check.fault = error.what();
    return check;
  }
}

/// On all its samples, which places are named by.
GradientCheck check_op(const OpInfo& op, const GradcheckOptions& o,
                       const GradientCheckOptions& options) {
  GradientCheck worst;
  for (const Sample& sample : op.samples) {
    GradientCheck check = check_sample(sample, o.order, options);
    const std::string label = sample.label.empty() ? "" : sample.label + ", ";
    check.differences.where.insert(0, label);
    if (check.adjoint) check.adjoint->where.insert(0, label);
    if (!check.fault.empty()) check.fault.insert(0, label);
    worst.join(check);
  }
  return worst;
}

void check_ops(const GradcheckOptions& o, Report& report) {
  const std::vector<OpInfo> ops = chosen_ops(o);
  for (const OpInfo& op : ops) {
    GradientCheck worst;
    o.for_draws([&](const GradientCheckOptions& draw) { worst.join(check_op(op, o, draw)); });
    report.add(op.name, o.repeat * std::ssize(op.samples), worst);
  }
  if (o.page.empty()) return;
  for (const double step : steps_of_sweep()) {
    for (std::size_t i = 0; i < ops.size(); ++i) {
      report.checked()[i].by_step.push_back(
          check_op(ops[i], o, o.check.at_step_alone(step)).differences.of_largest);
    }
  }
}

/// One model, and for a page some elements of it with every step.
void check_one_model(const GradcheckOptions& o, std::int64_t elements, const std::string& label,
                     const ModelConfig& config, Report& report) {
  constexpr std::int64_t kElementsOfSweep = 3;
  const std::size_t first = report.checked().size();
  ParameterChecks worst;
  o.for_draws([&](GradientCheckOptions draw) {
    draw.elements = elements;
    const ParameterChecks checks = check_model(config, draw, o.order);
    if (worst.empty()) worst.resize(checks.size());
    for (std::size_t i = 0; i < checks.size(); ++i) {
      worst[i].first = checks[i].first;
      worst[i].second.join(checks[i].second);
    }
  });
  for (const auto& [name, check] : worst) report.add(label + name, o.repeat, check);
  if (o.page.empty()) return;
  for (const double step : steps_of_sweep()) {
    GradientCheckOptions few = o.check.at_step_alone(step);
    few.elements = kElementsOfSweep;
    const ParameterChecks checks = check_model(config, few, o.order);
    for (std::size_t i = 0; i < checks.size(); ++i) {
      report.checked()[first + i].by_step.push_back(checks[i].second.differences.of_largest);
    }
  }
}

/// A small model whole, in its variants; of a preset a few elements of each parameter, which takes a
/// minute and not a week.
void check_family(const GradcheckOptions& o, Report& report) {
  constexpr std::int64_t kElementsOfPreset = 8;
  const Family& family = family_named(o.model);
  if (!o.preset.empty()) {
    if (&family_of_preset(o.preset) != &family) {
      throw UsageError("--preset: expected one of a " + family.name + ", given " + o.preset);
    }
    const std::int64_t elements = o.check.elements > 0 ? o.check.elements : kElementsOfPreset;
    return check_one_model(o, elements, "", *family.config(o.preset), report);
  }
  for (const auto& [label, config] : family.small_models) {
    check_one_model(o, o.check.elements, label + " ", *config, report);
  }
}

void run(GradcheckOptions& o) {
  use_threads(o.common);
  constexpr std::int64_t kFastDirections = 2;
  if (o.fast) o.check.directions = kFastDirections;
  if (o.f32) o.check = o.check.in_f32();
  if (o.list) {
    Json list = Json::array();
    for (const OpInfo& op : chosen_ops(o)) {
      std::cout << text("%-26s %s\n", op.name.c_str(), op.formula.c_str());
      list.push_back({{"op", op.name}, {"formula", op.formula}});
    }
    if (o.common.json) print_json({{"ops", list}});
    return;
  }
  if (!o.model.empty() && !o.ops.empty())
    throw UsageError("--model: expected no ops beside it, given " + o.ops[0]);
  if (!o.model.empty() && !o.library.empty())
    throw UsageError("--model: expected no --library beside it, given " + o.library.string());
  if (o.model.empty() && !o.preset.empty())
    throw UsageError("--preset: expected --model beside it, given none");
  Report report;
  if (o.model.empty()) {
    check_ops(o, report);
  } else {
    check_family(o, report);
  }
  Json of_page = Json::object();
  if (!o.page.empty()) {
    const std::string page = gradient_page(
        report.checked(), {o.check.tolerance, o.check.adjoint_tolerance, o.check.step, o.model});
    write_page(o.page, page, of_page);
  }
  if (const int code = report.finish(o.common.json, of_page); code != 0) exit_with(code);
}

void add_gradcheck_options(CLI::App& command) {
  auto options = std::make_shared<GradcheckOptions>();
  // The inputs are so small that several threads would only wait for each other.
  options->common.threads = 1;
  OptionGroup group(command, "Gradient check");
  group.list("OP", options->ops, "Ops to check (default: all of them)", "");
  group.flag("--list", options->list, "List the ops with their formulas, and stop");
  group.path("--library", options->library,
             "Check the ops that a shared object lists (autograd/op_library.h), not Kette's");
  group.choice("--model", options->model, family_names(),
               "Check a whole model, parameter by parameter");
  group.choice("--preset", options->preset, all_presets(),
               "Of this size (default: a small one in its variants)");
  group.number(
      "--elements", options->check.elements, at_least(1),
      "Elements of each input or parameter, spread evenly (default: all; with --preset: 8)");
  group.number("--tolerance", options->check.tolerance, above(0),
               "Largest gap of an element that passes, of its gradient");
  group.flag("--fast", options->fast,
             "Move each input or parameter along two random directions, not element by element");
  group.flag("--f32", options->f32,
             "Check in f32, with the step and the tolerance that it allows: ops of f32 alone");
  group.custom(
      "--order",
      [options](const std::string& text) {
        KETTE_CHECK(text == "1" || text == "2", "expected 1 or 2, given ", text);
        options->order = text == "1" ? 1 : 2;
      },
      [options] { return std::to_string(options->order); },
      "Of the derivatives; 2: products of the Hessian with random directions", "1|2");
  group.number("--seed", options->check.seed, "Of the random inputs");
  group.number("--repeat", options->repeat, at_least(1),
               "With so many draws of the inputs, of this seed and the ones after it");
  add_page_option(
      group, "--page", options->page,
      "Where a page goes that shows every gap, and the error against the step of the differences");
  add_device_option(group, options->check.device);
  add_common_options(command, options->common);
  when_run(command, [options] { run(*options); });
}

}  // namespace

const Command gradcheck_command = {
    "gradcheck", "Check gradients against central differences in f64", add_gradcheck_options};

}  // namespace kette::cli
