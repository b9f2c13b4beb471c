#include "cli/gradient_checks.h"

#include <algorithm>

#include "autograd/all_ops.h"
#include "autograd/hessian.h"
#include "cli/host.h"
#include "models/families.h"
#include "models/gradient_check.h"
#include "tensor/suggestion.h"

namespace kette::cli {
namespace {

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

void check_ops(const GradcheckOptions& o, Checks& done) {
  const std::vector<OpInfo> ops = chosen_ops(o);
  for (const OpInfo& op : ops) {
    GradientCheck worst;
    o.for_draws([&](const GradientCheckOptions& draw) { worst.join(check_op(op, o, draw)); });
    done.add(op.name, o.repeat * std::ssize(op.samples), worst);
  }
  if (o.common.out.empty()) return;
  for (const double step : steps_of_sweep()) {
    for (std::size_t i = 0; i < ops.size(); ++i) {
      done.all[i].by_step.push_back(
          check_op(ops[i], o, o.check.at_step_alone(step)).differences.of_largest);
    }
  }
}

/// One model, and for a page some elements of it with every step.
void check_one_model(const GradcheckOptions& o, std::int64_t elements, const std::string& label,
                     const ModelConfig& config, Checks& done) {
  constexpr std::int64_t kElementsOfSweep = 3;
  const std::size_t first = done.all.size();
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
  for (const auto& [name, check] : worst) done.add(label + name, o.repeat, check);
  if (o.common.out.empty()) return;
  for (const double step : steps_of_sweep()) {
    GradientCheckOptions few = o.check.at_step_alone(step);
    few.elements = kElementsOfSweep;
    const ParameterChecks checks = check_model(config, few, o.order);
    for (std::size_t i = 0; i < checks.size(); ++i) {
      done.all[first + i].by_step.push_back(checks[i].second.differences.of_largest);
    }
  }
}

void check_family(const GradcheckOptions& o, Checks& done) {
  constexpr std::int64_t kElementsOfPreset = 8;
  const Family& family = family_named(o.model);
  if (!o.preset.empty()) {
    if (&family_of_preset(o.preset) != &family) {
      throw UsageError("--preset: expected one of a " + family.name + ", given " + o.preset);
    }
    const std::int64_t elements = o.check.elements > 0 ? o.check.elements : kElementsOfPreset;
    return check_one_model(o, elements, "", *family.config(o.preset), done);
  }
  for (const auto& [label, config] : family.small_models) {
    check_one_model(o, o.check.elements, label + " ", *config, done);
  }
}

}  // namespace

void Checks::add(const std::string& name, std::int64_t samples, const GradientCheck& check) {
  check_interrupt();
  all.push_back({name, samples, check});
  to_stdout() << line_of(all.back()) << std::flush;
  if (!check.ok()) has_failed = true;
}

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

Checks checked_gradients(const GradcheckOptions& o) {
  Checks done;
  o.model.empty() ? check_ops(o, done) : check_family(o, done);
  return done;
}

}  // namespace kette::cli
