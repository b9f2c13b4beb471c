#include "inspect/steps/tape_tree.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <numeric>

#include "inspect/page/html.h"
#include "tensor/suggestion.h"

namespace kette {
namespace {

/// Nodes of a place in the model and of those within it, in the order of the tape.
struct Place {
  struct Part {
    const TapeNode* node = nullptr;  ///< null: `place`
    std::unique_ptr<Place> place;
  };
  std::string name;
  std::vector<Part> parts;
  std::int64_t nodes = 0, kept_bytes = 0, forward = 0, backward = 0;
  double squares = 0;  ///< of the gradients' norms

  /// path: where below this place the node is.
  void add(const TapeNode& node, std::string_view path) {
    ++nodes;
    kept_bytes += node.kept_bytes;
    forward += node.forward_nanoseconds;
    backward += node.backward_nanoseconds;
    squares += std::pow(node.gradient_norm(), 2);
    if (path.empty()) {
      parts.push_back({&node, nullptr});
      return;
    }
    const std::size_t end = std::min(path.find('/'), path.size());
    const std::string_view first = path.substr(0, end);
    const auto found = std::find_if(parts.begin(), parts.end(), [&](const Part& part) {
      return part.place != nullptr && part.place->name == first;
    });
    Place* place = found == parts.end() ? nullptr : found->place.get();
    if (place == nullptr) {
      place = parts.emplace_back(Part{nullptr, std::make_unique<Place>()}).place.get();
      place->name = first;
    }
    place->add(node, path.substr(std::min(end + 1, path.size())));
  }
};

std::string three_digits(double value) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.3g", value);
  return buffer;
}

std::string bytes_text(std::int64_t bytes) {
  if (bytes == 0) return "";
  const auto value = static_cast<double>(bytes);
  if (bytes < 1 << 10) return std::to_string(bytes) + " B";
  if (bytes < 1 << 20) return fixed(value / (1 << 10), 1) + " KiB";
  return fixed(value / (1 << 20), 2) + " MiB";
}

std::string time_text(std::int64_t nanoseconds) {
  return fixed(1e-6 * static_cast<double>(nanoseconds), 3);
}

std::string shape_text(const Shape& shape) { return shape.rank() == 0 ? "scalar" : shape.str(); }

std::string listed(const std::vector<double>& values, std::int64_t elements) {
  return "[" + joined(values, three_digits) +
         (elements > std::ssize(values) ? ", \xE2\x80\xA6" : "") + "]";
}

class TapeTree {
 public:
  TapeTree(const TapeListing& tape, const std::function<std::string(std::int64_t)>& check)
      : tape_(tape), check_(check), users_(tape.nodes.size()) {
    for (const TapeNode& node : tape.nodes) {
      whole_.add(node, node.scope);
      for (const TapeInput& input : node.inputs) {
        if (input.node >= 0) users_[input.node].push_back(node.number);
      }
    }
  }

  std::string str() const {
    std::string tree;
    for (const Place::Part& part : whole_.parts) tree += part_html(part, 0);
    return "<div id=\"tape\"><div class=\"line head\"><span>place or node</span>"
           "<span>result</span><span>kept</span><span>forward, ms</span><span>backward, ms</span>"
           "<span>gradient</span></div>\n" +
           tree + total() + "</div>\n";
  }

 private:
  std::string numbers(std::int64_t kept, std::int64_t forward, std::int64_t backward,
                      double gradient) const {
    return "<span>" + bytes_text(kept) + "</span><span>" + time_text(forward) + "</span><span>" +
           time_text(backward) + "</span><span>" + three_digits(gradient) + "</span>";
  }

  /// Of the step's time.
  std::string share(std::int64_t nanoseconds) const {
    const double all = static_cast<double>(whole_.forward + whole_.backward);
    return "style=\"--share:" + fixed(100 * static_cast<double>(nanoseconds) / all, 1) + "%\"";
  }

  std::string total() const {
    return "<div class=\"line total\"><span>" + std::to_string(whole_.nodes) +
           " nodes</span><span>loss " + fixed(tape_.loss, 4) + "</span>" +
           numbers(whole_.kept_bytes, whole_.forward, whole_.backward, std::sqrt(whole_.squares)) +
           "</div>\n";
  }

  std::string part_html(const Place::Part& part, int depth) const {
    if (part.node != nullptr) return node_html(*part.node);
    const Place& place = *part.place;
    if (place.parts.size() == 1 && place.parts[0].node != nullptr) {
      return node_html(*place.parts[0].node, "<b>" + escaped(place.name) + "</b> ");
    }
    std::string html =
        std::string("<details class=\"place\"") + (depth == 0 ? " open" : "") +
        "><summary class=\"line\" " + share(place.forward + place.backward) + "><span><b>" +
        escaped(place.name) + "</b></span><span>" + std::to_string(place.nodes) +
        (place.nodes == 1 ? " node" : " nodes") + "</span>" +
        numbers(place.kept_bytes, place.forward, place.backward, std::sqrt(place.squares)) +
        "</summary>\n";
    for (const Place::Part& inner : place.parts) html += part_html(inner, depth + 1);
    return html + "</details>\n";
  }

  static std::string link(std::int64_t node) {
    const std::string number = std::to_string(node);
    return "<a href=\"#node-" + number + "\">%" + number + "</a>";
  }

  static std::string origin(const TapeInput& input) {
    if (input.node >= 0) return link(input.node);
    if (!input.leaf.empty()) return "<code>" + escaped(input.leaf) + "</code>";
    return input.tensor.shape.elements() == 0 ? "none" : "constant";
  }

  static std::string gradient_cell(const TensorNote& gradient, std::int64_t elements) {
    if (gradient.values.empty()) return "<td class=\"number\"></td>";
    return "<td class=\"number\" title=\"" + escaped(listed(gradient.values, elements)) + "\">" +
           three_digits(gradient.norm) + "</td>";
  }

  /// What came in and what went out, with the norms of their gradients.
  std::string tensors(const TapeNode& node) const {
    std::string html =
        "<table class=\"tensors\">" + caption("Tensors of node " + std::to_string(node.number)) +
        "<thead><tr><th scope=\"col\">tensor</th><th scope=\"col\">from</th><th scope=\"col\">shape</th>"
        "<th scope=\"col\" class=\"number\">gradient that it adds</th><th scope=\"col\" class=\"number\">with "
        "others' before</th></tr></thead><tbody>";
    const auto row = [&](const std::string& what, const std::string& from, const TensorInfo& tensor,
                         const std::string& cells) {
      html += "<tr><td>" + what + "</td><td>" + from + "</td><td>" +
              (tensor.shape.elements() > 0 ? escaped(tensor.str()) : "") + "</td>" + cells +
              "</tr>";
    };
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      const TapeInput& input = node.inputs[i];
      const std::int64_t elements = input.tensor.shape.elements();
      row("input " + std::to_string(i), origin(input), input.tensor,
          input.wanted
              ? gradient_cell(input.contribution, elements) + gradient_cell(input.after, elements)
              : "<td></td><td></td>");
    }
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
      const TensorInfo& output = node.outputs[i];
      row("output " + std::to_string(i), "", output,
          (i < node.gradients.size() ? gradient_cell(node.gradients[i], output.shape.elements())
                                     : "<td></td>") +
              "<td></td>");
    }
    return "<div class=\"scroll\">" + html + "</tbody></table></div>";
  }

  /// before: its number.
  std::string node_html(const TapeNode& node, const std::string& before = "") const {
    const std::string number = std::to_string(node.number);
    std::string html = "<details class=\"node\" id=\"node-" + number +
                       "\"><summary class=\"line\" " +
                       share(node.forward_nanoseconds + node.backward_nanoseconds) + "><span>" +
                       before + "<i>%" + number + "</i> " + escaped(node.op) + "</span><span>" +
                       escaped(shape_text(node.outputs.back().shape)) + "</span>" +
                       numbers(node.kept_bytes, node.forward_nanoseconds, node.backward_nanoseconds,
                               node.gradient_norm()) +
                       "</summary>\n<div class=\"inside\">";
    if (!node.formula.empty()) {
      html += "<p class=\"formula\">" + escaped(node.formula) + "</p>";
    }
    html += "<p class=\"note\">" + escaped(node.scope);
    if (!node.source.empty()) html += " \xC2\xB7 <code>" + escaped(node.source) + "</code>";
    const std::vector<std::int64_t>& users = users_[node.number];
    for (std::size_t i = 0; i < users.size(); ++i) {
      html += (i == 0 ? " \xC2\xB7 taken by " : ", ") + link(users[i]);
    }
    return html + "</p>" + tensors(node) + "<p class=\"command\"><code>" +
           escaped(check_(node.number)) + "</code></p></div></details>\n";
  }

  const TapeListing& tape_;
  const std::function<std::string(std::int64_t)>& check_;
  Place whole_;
  std::vector<std::vector<std::int64_t>> users_;  // of what each node gives
};

}  // namespace

std::string tape_tree(const TapeListing& tape,
                      const std::function<std::string(std::int64_t)>& check) {
  return TapeTree(tape, check).str();
}

}  // namespace kette
