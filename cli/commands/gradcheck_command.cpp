// `kette gradcheck`: checks the gradient of every op on every sample in f64, or of a whole model parameter
// by parameter.
#include <memory>

#include "cli/commands/commands.h"
#include "cli/gradient_checks.h"
#include "cli/page_file.h"
#include "cli/show.h"
#include "models/families.h"

namespace kette::cli {
namespace {

void run(GradcheckOptions& o) {
  use_threads(o.common);
  constexpr std::int64_t kFastDirections = 2;
  if (o.fast) o.check.directions = kFastDirections;
  if (o.list) {
    Report report{.title = "Ops", .lead = "Made by kette gradcheck --list."};
    Table ops =
        tabulated("ops", chosen_ops(o),
                  {{{.key = "op", .title = "op", .width = -26}, &OpInfo::name},
                   {{.key = "formula", .title = "formula", .width = -1}, &OpInfo::formula}});
    ops.has_titles = false;
    report.table(std::move(ops));
    show(report, o.common);
    return;
  }
  if (!o.model.empty() && !o.ops.empty())
    throw UsageError("--model: expected no ops beside it, given " + o.ops[0]);
  if (!o.model.empty() && !o.library.empty())
    throw UsageError("--model: expected no --library beside it, given " + o.library.string());
  if (!o.model.empty() && o.f32)
    throw UsageError("--f32: expected ops, given --model " + o.model +
                     " (a model is checked in f64)");
  if (o.model.empty() && !o.preset.empty())
    throw UsageError("--preset: expected --model beside it, given none");
  const Checks done = checked_gradients(o);
  show(to_report(done.all, {o.check.tolerance, o.check.adjoint_tolerance, o.check.step,
                            o.check.dtype, o.model}),
       o.common);
  if (done.has_failed) exit_with(1);
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
      group, "--page", options->common.out,
      "Where a page goes that shows every gap, and the error against the step of the differences");
  add_device_option(group, options->check.device);
  add_common_options(command, options->common);
  when_run(command, [options, &command] {
    if (options->f32) {
      options->check = options->check.in_f32();
      apply_given(command);  // a tolerance that was given stays
    }
    run(*options);
  });
}

}  // namespace

const Command gradcheck_command = {
    "gradcheck", "Check gradients by differences and by the adjoint test", add_gradcheck_options};

}  // namespace kette::cli
