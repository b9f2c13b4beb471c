// `kette tape`: the tape of a training step, node by node: what each keeps, takes and gives on, and whether
// its gradient is right.
#include <unistd.h>

#include <iostream>
#include <map>
#include <memory>

#include "cli/commands/commands.h"
#include "cli/gradient_report.h"
#include "cli/page_file.h"
#include "cli/step_source.h"
#include "data/files/json_text.h"
#include "inspect/steps/scope_finder.h"
#include "inspect/steps/tape_listing.h"
#include "inspect/steps/tape_page.h"
#include "tensor/suggestion.h"

namespace kette::cli {
namespace {

struct TapeOptions {
  CommonOptions common;
  StepSource source;
  std::int64_t depth = 2, node = -1, check = -1, elements = 8;
  bool nodes = false, step = false;
  double tolerance = 1e-6;
  std::filesystem::path out;
  std::string command;  ///< that looks at this step
};

double milliseconds(std::int64_t nanoseconds) { return 1e-6 * static_cast<double>(nanoseconds); }

std::string check_command(const TapeOptions& o, std::int64_t number) {
  return o.command + " --check=" + std::to_string(number);
}

/// "%12", a parameter's name, or what else it is.
std::string origin_of(const TapeInput& input) {
  if (input.node >= 0) return "%" + std::to_string(input.node);
  if (!input.leaf.empty()) return input.leaf;
  return input.tensor.shape.elements() == 0 ? "none" : "constant";
}

std::string listed(const std::vector<double>& values, std::int64_t elements) {
  const auto digits = [](double value) { return text("%.5g", value); };
  return "[" + joined(values, digits) + (elements > std::ssize(values) ? ", ..." : "") + "]";
}

void print_totals(const TapeListing& tape) {
  std::int64_t kept = 0, forward = 0, backward = 0;
  for (const TapeNode& node : tape.nodes) {
    kept += node.kept_bytes;
    forward += node.forward_nanoseconds;
    backward += node.backward_nanoseconds;
  }
  std::cout << text("%zu nodes, forward %.3f ms, backward %.3f ms, %s bytes kept, loss %.6f\n",
                    tape.nodes.size(), milliseconds(forward), milliseconds(backward),
                    with_commas(kept).c_str(), tape.loss);
}

/// What nodes of one scope add up to, in the order in which scopes are met.
void print_folded(const TapeListing& tape, std::int64_t depth) {
  struct Row {
    std::string scope;
    std::int64_t nodes = 0, kept = 0, forward = 0, backward = 0;
    double least = 0, most = 0;
  };
  std::vector<Row> rows;
  std::map<std::string, std::size_t> places;
  for (const TapeNode& node : tape.nodes) {
    const std::string scope = folded(node.scope, depth);
    const auto [place, is_new] = places.try_emplace(scope, rows.size());
    const double norm = node.gradient_norm();
    if (is_new) rows.push_back({scope, 0, 0, 0, 0, norm, norm});
    Row& row = rows[place->second];
    ++row.nodes;
    row.kept += node.kept_bytes;
    row.forward += node.forward_nanoseconds;
    row.backward += node.backward_nanoseconds;
    row.least = std::min(row.least, norm);
    row.most = std::max(row.most, norm);
  }
  std::cout << text("%-40s %6s %14s %12s %12s  %s\n", "scope", "nodes", "bytes kept", "forward, ms",
                    "backward, ms", "gradient norms");
  for (const Row& row : rows) {
    std::cout << text("%-40s %6lld %14s %12.3f %12.3f  %.3g to %.3g\n",
                      row.scope.empty() ? "-" : row.scope.c_str(),
                      static_cast<long long>(row.nodes), with_commas(row.kept).c_str(),
                      milliseconds(row.forward), milliseconds(row.backward), row.least, row.most);
  }
}

void print_lines_of_nodes(const TapeListing& tape) {
  std::cout << text("%5s  %-22s %-40s %-16s %14s %12s %12s %10s\n", "node", "op", "scope", "result",
                    "bytes kept", "forward, ms", "backward, ms", "gradient");
  for (const TapeNode& node : tape.nodes) {
    std::cout << text("%%%-4lld  %-22s %-40s %-16s %14s %12.3f %12.3f %10.3g\n",
                      static_cast<long long>(node.number), node.op.c_str(), node.scope.c_str(),
                      node.outputs.back().shape.str().c_str(), with_commas(node.kept_bytes).c_str(),
                      milliseconds(node.forward_nanoseconds),
                      milliseconds(node.backward_nanoseconds), node.gradient_norm());
  }
}

void print_gradient(const char* what, const TensorNote& note, std::int64_t elements) {
  if (note.values.empty()) {
    std::cout << text("      %-13s nothing\n", what);
  } else {
    std::cout << text("      %-13s norm %-12.6g ", what, note.norm) << listed(note.values, elements)
              << "\n";
  }
}

void print_node(const TapeOptions& o, const TapeNode& node) {
  std::cout << text("%%%lld  %s", static_cast<long long>(node.number), node.op.c_str())
            << (node.scope.empty() ? "" : "  at " + node.scope)
            << (node.source.empty() ? "" : "  " + node.source) << "\n";
  if (!node.formula.empty()) std::cout << "  " << node.formula << "\n";
  std::cout << text("  forward %.3f ms, backward %.3f ms, %s bytes kept\n",
                    milliseconds(node.forward_nanoseconds), milliseconds(node.backward_nanoseconds),
                    with_commas(node.kept_bytes).c_str());
  for (std::size_t i = 0; i < node.gradients.size(); ++i) {
    const TensorInfo& output = node.outputs[i];
    std::cout << text("  output %zu  %s\n", i, output.str().c_str());
    print_gradient("gradient", node.gradients[i], output.shape.elements());
  }
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    const TapeInput& input = node.inputs[i];
    const std::int64_t elements = input.tensor.shape.elements();
    std::cout << text("  input %zu   %s  %s\n", i, origin_of(input).c_str(),
                      elements > 0 ? input.tensor.str().c_str() : "");
    if (!input.wanted) continue;
    print_gradient("before", input.before, elements);
    print_gradient("contribution", input.contribution, elements);
    print_gradient("after", input.after, elements);
  }
  std::cout << "  " << check_command(o, node.number) << "\n";
}

/// From the loss back, node by node.
void walk(const TapeOptions& o, const TapeListing& tape) {
  const bool waits = ::isatty(STDIN_FILENO) != 0;
  for (std::size_t at = tape.nodes.size(); at-- > 0;) {
    print_node(o, tape.nodes[at]);
    std::cout << "\n";
    if (!waits || at == 0) continue;
    std::cout << "Enter: the next; q: no more " << std::flush;
    std::string line;
    if (!std::getline(std::cin, line) || line.starts_with("q")) return;
  }
}

Json json_of(const TensorNote& note) { return {{"norm", note.norm}, {"values", note.values}}; }

Json json_of(const TapeOptions& o, const TapeNode& node) {
  Json inputs = Json::array(), outputs = Json::array(), gradients = Json::array();
  for (const TapeInput& input : node.inputs) {
    Json json = {{"from", origin_of(input)}, {"tensor", input.tensor.str()}};
    if (input.wanted) {
      json["before"] = json_of(input.before);
      json["contribution"] = json_of(input.contribution);
      json["after"] = json_of(input.after);
    }
    inputs.push_back(std::move(json));
  }
  for (const TensorInfo& output : node.outputs) outputs.push_back(output.str());
  for (const TensorNote& gradient : node.gradients) gradients.push_back(json_of(gradient));
  return {{"node", node.number},
          {"op", node.op},
          {"formula", node.formula},
          {"scope", node.scope},
          {"source", node.source},
          {"inputs", inputs},
          {"outputs", outputs},
          {"kept_bytes", node.kept_bytes},
          {"forward_ms", milliseconds(node.forward_nanoseconds)},
          {"backward_ms", milliseconds(node.backward_nanoseconds)},
          {"gradient_norm", node.gradient_norm()},
          {"gradients", gradients},
          {"check", check_command(o, node.number)}};
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
  const bool good = found.check.ok();
  std::cout << text("%-6s %%%lld %s%s%s of %s: ", good ? "ok" : "FAILED",
                    static_cast<long long>(o.check), found.op.c_str(),
                    found.scope.empty() ? "" : " at ", found.scope.c_str(), inputs.c_str())
            << summary_of(found.check) << "\n";
  if (o.common.json) {
    Json all = {{"node", o.check}, {"op", found.op}, {"scope", found.scope}, {"inputs", inputs}};
    all.update(check_json(found.check));
    print_json(all);
  }
  if (!good) exit_with(1);
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
  if (o.node >= 0) {
    print_node(o, tape.nodes[o.node]);
  } else if (o.step) {
    walk(o, tape);
  } else {
    o.nodes ? print_lines_of_nodes(tape) : print_folded(tape, o.depth);
  }
  print_totals(tape);
  Json json = {{"model", o.source.name()},
               {"device", tape.device},
               {"precision", o.source.compute.computed_in()},
               {"threads", threads},
               {"loss", tape.loss}};
  if (!o.out.empty()) {
    const std::string page =
        tape_page(tape, "The tape of a step of " + o.source.name(),
                  "On " + tape.device + ", in " + o.source.compute.computed_in() + ": " +
                      headline(*config) + ". Made by kette tape.",
                  [&](std::int64_t node) { return check_command(o, node); });
    write_page(o.out, page, json);
  }
  if (!o.common.json) return;
  Json nodes = Json::array();
  for (const TapeNode& node : tape.nodes) nodes.push_back(json_of(o, node));
  json["nodes"] = nodes;
  print_json(json);
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
  const Option page = add_page_option(shown, "--out", options->out,
                                      "Where the page of all nodes goes (default: none)");
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
    const std::string given = given_options(
        command, {"--check", "--config", "--depth", "--elements", "--json", "--node", "--nodes",
                  "--out", "--precision", "--step", "--threads", "--tolerance"});
    if (!given.empty()) options->command += " " + given;
    run(*options);
  });
}

}  // namespace

const Command tape_command = {"tape", "Show the tape of a training step", add_tape_options};

}  // namespace kette::cli
