// `kette tape`: shows the tape of a training step: for every node its inputs, outputs and kept memory, and
// whether its gradient is right.
#include <unistd.h>

#include <filesystem>
#include <iostream>
#include <memory>

#include "cli/commands/commands.h"
#include "cli/host.h"
#include "cli/show.h"
#include "cli/step_source.h"
#include "inspect/steps/gradient_report.h"
#include "inspect/steps/tape_report.h"

namespace kette::cli {
namespace {

struct TapeOptions {
  CommonOptions common;
  StepSource source;
  std::int64_t depth = 2, node = -1, check = -1, elements = 8;
  bool nodes = false, step = false;
  double tolerance = 1e-6;
  std::string command;  ///< that looks at this step
};

std::string check_command(const TapeOptions& o, std::int64_t number) {
  return o.command + " --check=" + std::to_string(number);
}

/// Names a path from the root by the way from here, as pages may be shown to others.
std::string without_root(const std::string& value) {
  if (!value.starts_with('/')) return value;
  return std::filesystem::path(value).lexically_proximate(std::filesystem::current_path()).string();
}

/// From the loss back, node by node.
void walk(const TapeListing& tape, const ShownTape& shown) {
  const bool waits = Host::current() == nullptr && ::isatty(STDIN_FILENO) != 0;
  for (std::size_t at = tape.nodes.size(); at-- > 0;) {
    to_stdout() << text_of(tape.nodes[at], shown) << "\n";
    if (!waits || at == 0) continue;
    to_stdout() << "Enter: the next; q: no more " << std::flush;
    std::string line;
    if (!std::getline(std::cin, line) || line.starts_with("q")) return;
  }
}

void check(const TapeOptions& o, ModelConfig& config, const Batch& batch, const TapeStep& step) {
  const auto model = o.source.make_model(config, DType::f64, /*random=*/true);
  GradientCheckOptions options;
  options.tolerance = o.tolerance;
  options.seed = o.source.batches.seed;
  options.device = o.source.compute.device;
  options.elements = o.elements;
  const NodeCheck found = check_node(*model, batch, o.check, options, step);
  std::string inputs;
  for (const TensorInfo& input : found.inputs) {
    if (input.shape.elements() > 0) inputs += (inputs.empty() ? "" : ", ") + input.shape.str();
  }
  Report report{.title = "The gradient of node %" + std::to_string(o.check),
                .lead = "Made by " + check_command(o, o.check) + "."};
  report.line(text("%-6s %%%lld %s%s%s of %s: ", verdict_of(found.check),
                   static_cast<long long>(o.check), found.op.c_str(),
                   found.scope.empty() ? "" : " at ", found.scope.c_str(), inputs.c_str()) +
              summary_of(found.check) + "\n");
  report.fact("node", o.check);
  report.fact("op", found.op);
  report.fact("scope", found.scope);
  report.fact("inputs", inputs);
  add_check(report, found.check);
  show(report, o.common);
  if (!found.check.ok()) exit_with(1);
}

void run(const TapeOptions& o) {
  const int threads = use_threads(o.common);
  o.source.compute.apply();
  o.source.check();
  const auto config = o.source.config();
  const std::vector<Batch> batches = o.source.make_batches(*config, 1);
  const TapeStep step{recipe_for(*config).step.label_smoothing, o.source.batches.seed};
  if (o.check >= 0) return check(o, *config, batches[0], step);
  const auto model = o.source.make_model(*config, o.source.compute.dtype());
  const TapeListing tape = list_tape(*model, batches[0], step);
  const auto count = std::ssize(tape.nodes);
  KETTE_CHECK(o.node < count, "--node: expected one from 0 to ", count - 1, ", given ", o.node);
  const ShownTape shown{.model = o.source.name(),
                        .precision = o.source.compute.computed_in(),
                        .headline = headline(*config),
                        .threads = threads,
                        .check = [&](std::int64_t node) { return check_command(o, node); }};
  Report above;
  if (o.node >= 0) {
    above.line(text_of(tape.nodes[o.node], shown));
  } else if (o.step) {
    walk(tape, shown);
  } else {
    above.table(o.nodes ? lines_of_nodes(tape) : folded_nodes(tape, o.depth), kText);
  }
  Report report = to_report(tape, shown, std::move(above));
  if (o.common.json) report.fact("nodes", nodes_data(tape, shown));
  show(report, o.common);
}

void add_tape_options(CLI::App& command) {
  auto options = std::make_shared<TapeOptions>();
  options->source.batches.tokens = 256;
  add_step_source(command, options->source);
  OptionGroup shown(command, "What to show");
  std::vector<Option> ways;
  ways.push_back(shown.number("--depth", options->depth, at_least(0),
                              "Fold nodes by so many parts of their scope; 0: by all of it"));
  ways.push_back(shown.flag("--nodes", options->nodes, "A line for every node"));
  ways.push_back(
      shown.number("--node", options->node, at_least(0), "One node, with its gradients"));
  ways.push_back(shown.flag("--step", options->step,
                            "Walk the backward pass node by node: Enter goes on, q ends it"));
  for (std::size_t i = 0; i < ways.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) ways[i].excludes(ways[k]);
  }
  const Option page = add_page_option(shown, options->common);
  OptionGroup checking(command, "Gradient check");
  Option check = checking
                     .number("--check", options->check, at_least(0),
                             "Check the op of this node, as it is set and on its shapes, in f64")
                     .excludes(page);
  for (const Option& way : ways) check.excludes(way);
  checking
      .number("--elements", options->elements, at_least(1), "Elements of each input, spread evenly")
      .needs(check);
  checking
      .number("--tolerance", options->tolerance, above(0),
              "Largest gap of an element that passes, of its gradient")
      .needs(check);
  add_common_options(command, options->common);
  when_run(command, [options, &command] {
    options->command = "kette tape";
    const std::string given =
        given_options(command,
                      {"--check", "--config", "--depth", "--elements", "--json", "--node",
                       "--nodes", "--out", "--precision", "--step", "--threads", "--tolerance"},
                      without_root);
    if (!given.empty()) options->command += " " + given;
    run(*options);
  });
}

}  // namespace

const Command tape_command = {"tape", "Show the tape of a training step", add_tape_options};

}  // namespace kette::cli
