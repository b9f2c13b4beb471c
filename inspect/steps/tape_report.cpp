#include "inspect/steps/tape_report.h"

#include <algorithm>
#include <map>

#include "data/files/json_text.h"
#include "inspect/page/assets.h"
#include "inspect/page/html.h"
#include "inspect/report/text.h"
#include "inspect/steps/scope_finder.h"
#include "inspect/steps/tape_tree.h"
#include "tensor/suggestion.h"

namespace kette {
namespace {

double in_milliseconds(std::int64_t nanoseconds) { return 1e-6 * static_cast<double>(nanoseconds); }

/// "%12", a parameter's name, or what else it is.
std::string origin_of(const TapeInput& input) {
  if (input.node >= 0) return "%" + std::to_string(input.node);
  if (!input.leaf.empty()) return input.leaf;
  return input.tensor.shape.elements() == 0 ? "none" : "constant";
}

std::string first_values(const std::vector<double>& values, std::int64_t elements) {
  const auto digits = [](double value) { return text("%.5g", value); };
  return "[" + joined(values, digits) + (elements > std::ssize(values) ? ", ..." : "") + "]";
}

std::string gradient_text(const char* what, const TensorNote& note, std::int64_t elements) {
  return text("      %-13s ", what) +
         (note.values.empty()
              ? std::string("nothing")
              : text("norm %-12.6g ", note.norm) + first_values(note.values, elements)) +
         "\n";
}

Json json_of(const TensorNote& note) { return {{"norm", note.norm}, {"values", note.values}}; }

Json json_of(const TapeNode& node, const ShownTape& shown) {
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
          {"forward_ms", in_milliseconds(node.forward_nanoseconds)},
          {"backward_ms", in_milliseconds(node.backward_nanoseconds)},
          {"gradient_norm", node.gradient_norm()},
          {"gradients", gradients},
          {"check", shown.check(node.number)}};
}

/// Nodes of one scope, together.
struct Folded {
  std::string scope;
  std::int64_t nodes = 0, kept = 0, forward = 0, backward = 0;
  double least = 0, most = 0;  ///< of the gradients' norms

  void add(const TapeNode& node) {
    const double norm = node.gradient_norm();
    least = nodes == 0 ? norm : std::min(least, norm);
    most = nodes == 0 ? norm : std::max(most, norm);
    ++nodes;
    kept += node.kept_bytes;
    forward += node.forward_nanoseconds;
    backward += node.backward_nanoseconds;
  }
};

}  // namespace

Table folded_nodes(const TapeListing& tape, std::int64_t depth) {
  std::vector<Folded> rows;
  std::map<std::string, std::size_t> places;
  for (const TapeNode& node : tape.nodes) {
    const std::string scope = folded(node.scope, depth);
    const auto [place, is_new] = places.try_emplace(scope, rows.size());
    if (is_new) rows.push_back({scope.empty() ? "-" : scope});
    rows[place->second].add(node);
  }
  return tabulated("", rows,
                   {{{.title = "scope", .width = -40}, &Folded::scope},
                    {{.title = "nodes", .digits = whole(), .width = 6}, &Folded::nodes},
                    {{.title = "bytes kept", .digits = grouped(), .width = 14}, &Folded::kept},
                    {{.title = "forward, ms", .digits = decimals(3), .width = 12},
                     [](const Folded& row) { return in_milliseconds(row.forward); }},
                    {{.title = "backward, ms", .digits = decimals(3), .width = 12},
                     [](const Folded& row) { return in_milliseconds(row.backward); }},
                    {{.title = "gradient norms", .width = -1, .gap = 2},
                     [](const Folded& row) { return text("%.3g to %.3g", row.least, row.most); }}});
}

Table lines_of_nodes(const TapeListing& tape) {
  return tabulated(
      "", tape.nodes,
      {{{.title = " node", .width = -5},
        [](const TapeNode& node) { return "%" + std::to_string(node.number); }},
       {{.title = "op", .width = -22, .gap = 2}, &TapeNode::op},
       {{.title = "scope", .width = -40}, &TapeNode::scope},
       {{.title = "result", .width = -16},
        [](const TapeNode& node) { return node.outputs.back().shape.str(); }},
       {{.title = "bytes kept", .digits = grouped(), .width = 14}, &TapeNode::kept_bytes},
       {{.title = "forward, ms", .digits = decimals(3), .width = 12},
        [](const TapeNode& node) { return in_milliseconds(node.forward_nanoseconds); }},
       {{.title = "backward, ms", .digits = decimals(3), .width = 12},
        [](const TapeNode& node) { return in_milliseconds(node.backward_nanoseconds); }},
       {{.title = "gradient", .digits = significant(3), .width = 10}, &TapeNode::gradient_norm}});
}

std::string text_of(const TapeNode& node, const ShownTape& shown) {
  std::string all = text("%%%lld  %s", static_cast<long long>(node.number), node.op.c_str()) +
                    (node.scope.empty() ? "" : "  at " + node.scope) +
                    (node.source.empty() ? "" : "  " + node.source) + "\n";
  if (!node.formula.empty()) all += "  " + node.formula + "\n";
  all += text("  forward %.3f ms, backward %.3f ms, %s bytes kept\n",
              in_milliseconds(node.forward_nanoseconds), in_milliseconds(node.backward_nanoseconds),
              with_commas(node.kept_bytes).c_str());
  for (std::size_t i = 0; i < node.gradients.size(); ++i) {
    const TensorInfo& output = node.outputs[i];
    all += text("  output %zu  %s\n", i, output.str().c_str()) +
           gradient_text("gradient", node.gradients[i], output.shape.elements());
  }
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    const TapeInput& input = node.inputs[i];
    const std::int64_t elements = input.tensor.shape.elements();
    all += text("  input %zu   %s  %s\n", i, origin_of(input).c_str(),
                elements > 0 ? input.tensor.str().c_str() : "");
    if (!input.wanted) continue;
    all += gradient_text("before", input.before, elements) +
           gradient_text("contribution", input.contribution, elements) +
           gradient_text("after", input.after, elements);
  }
  return all + "  " + shown.check(node.number) + "\n";
}

Data nodes_data(const TapeListing& tape, const ShownTape& shown) {
  Json nodes = Json::array();
  for (const TapeNode& node : tape.nodes) nodes.push_back(json_of(node, shown));
  return nested(std::move(nodes));
}

Report to_report(const TapeListing& tape, const ShownTape& shown, Report before) {
  Report report = std::move(before);
  report.title = "The tape of a step of " + shown.model;
  report.about = "On " + tape.device + ", in " + shown.precision + ": " + shown.headline +
                 ". Made by kette tape.";
  Folded all;
  for (const TapeNode& node : tape.nodes) all.add(node);
  report.lead = text(
      "%zu nodes made the loss %.4f in %.1f ms, from the top of the list down, and its gradients in %.1f ms, "
      "from the bottom up; open a place for its nodes, a node for its tensors.",
      tape.nodes.size(), tape.loss, in_milliseconds(all.forward), in_milliseconds(all.backward));
  report.line(text("%zu nodes, forward %.3f ms, backward %.3f ms, %s bytes kept, loss %.6f\n",
                   tape.nodes.size(), in_milliseconds(all.forward), in_milliseconds(all.backward),
                   with_commas(all.kept).c_str(), tape.loss));
  report.fact("model", shown.model);
  report.fact("device", tape.device);
  report.fact("precision", shown.precision);
  report.fact("threads", shown.threads);
  report.fact("loss", tape.loss);
  report.page_file();
  report.section("Nodes");
  report.note(
      "In the order of the tape: forward runs down, backward up. Numbers are links; bars are shares of the step's "
      "time. Gradient: the L2 norm of the gradients of what the nodes gave. Kept: what lives until backward comes by, whoever keeps it.");
  report.drawing([&tape, check = shown.check](Page& page) {
    page.script(assets::tape_js);
    return tape_tree(tape, check);
  });
  Curve norms{"gradient of what the node gave", {}, {}};
  for (const TapeNode& node : tape.nodes) {
    norms.x.push_back(static_cast<double>(node.number));
    norms.y.push_back(node.gradient_norm());
  }
  report.section("Gradients along the tape");
  report.charts({{.title = "L2 norms, node by node",
                  .x_title = "node; backward runs to the left",
                  .y_title = "",
                  .curves = {std::move(norms)},
                  .log_y = true}});
  return report;
}

}  // namespace kette
