#include "inspect/steps/tape_graph.h"

#include <algorithm>

#include "inspect/page/html.h"
#include "inspect/report/text.h"

namespace kette {
namespace {

constexpr std::int64_t kMostShown = 4;  // elements of a value
constexpr int kBoxWidth = 168, kBoxHeight = 58, kBetweenColumns = 48, kBetweenRows = 16,
              kMargin = 8;

/// "1.5, -2"; empty for a tensor of many elements.
std::string shown(const Tensor& tensor) {
  if (!tensor.defined() || tensor.elements() > kMostShown) return "";
  std::string result;
  for (const double value : tensor.values<double>()) {
    result += (result.empty() ? "" : ", ") + text("%.4g", value);
  }
  return result;
}

std::string shape_text(const Tensor& tensor) {
  return tensor.defined() ? std::string(name_of(tensor.dtype())) + " " + tensor.shape().str() : "";
}

}  // namespace

std::size_t TapeGraph::box_of(const Variable& input, std::int64_t slot) {
  if (const auto known = by_slot_.find(slot); slot >= 0 && known != by_slot_.end()) {
    return known->second;
  }
  if (slot >= 0) by_slot_[slot] = boxes_.size();
  const std::string title = input.leaf() ? input.leaf()->name : slot >= 0 ? "watched" : "constant";
  boxes_.push_back({title, shape_text(input.value()), shown(input.value())});
  return boxes_.size() - 1;
}

void TapeGraph::recorded(const TapeEntry& entry, std::span<const Variable* const> inputs) {
  latest_.clear();
  if (&entry.tape != tape_ || ++ops_ > kMostOps) return;
  Box box{entry.node.name(), ""};
  box.is_op = true;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (!inputs[i]->value().defined()) continue;
    const std::size_t from = box_of(*inputs[i], entry.inputs[i]);
    box.inputs.push_back(from);
    box.column = std::max(box.column, boxes_[from].column + 1);
  }
  for (const std::int64_t slot : entry.outputs) {
    by_slot_[slot] = boxes_.size();
    latest_.push_back(boxes_.size());
    boxes_.push_back(box);
  }
}

void TapeGraph::after_forward(std::span<const Variable> results) {
  for (std::size_t i = 0; i < latest_.size() && i < results.size(); ++i) {
    boxes_[latest_[i]].shape = shape_text(results[i].value());
    boxes_[latest_[i]].value = shown(results[i].value());
  }
  latest_.clear();
}

void TapeGraph::before_backward(const TapeEntry& entry, std::span<const Tensor> gradients,
                                std::span<GradientSlot* const>) {
  if (&entry.tape != tape_ || !is_whole()) return;
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    const auto box = by_slot_.find(entry.outputs[i]);
    if (box != by_slot_.end()) boxes_[box->second].gradient = shown(gradients[i]);
  }
}

void TapeGraph::after_backward(const TapeEntry& entry, std::span<GradientSlot* const> inputs) {
  if (&entry.tape != tape_ || !is_whole()) return;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const auto box = by_slot_.find(entry.inputs[i]);
    if (box == by_slot_.end() || boxes_[box->second].is_op)
      continue;  // those are told their whole sum
    boxes_[box->second].gradient = shown(inputs[i]->peek());
  }
}

std::string TapeGraph::svg() const {
  if (boxes_.empty() || !is_whole()) return "";
  // Inputs stand in the column before their first reader.
  int last = 0;
  for (const Box& box : boxes_) last = std::max(last, box.column);
  std::vector<int> columns(boxes_.size(), last);
  for (std::size_t i = boxes_.size(); i-- > 0;) {
    if (boxes_[i].is_op) columns[i] = boxes_[i].column;
    for (const std::size_t from : boxes_[i].inputs) {
      if (!boxes_[from].is_op) columns[from] = std::min(columns[from], columns[i] - 1);
    }
  }
  std::vector<int> rows(boxes_.size()), filled(1);
  for (std::size_t i = 0; i < boxes_.size(); ++i) {
    filled.resize(std::max<std::size_t>(filled.size(), columns[i] + 1));
    // Beside the first of its inputs, where there is room.
    const int wanted = boxes_[i].inputs.empty() ? 0 : rows[boxes_[i].inputs.front()];
    rows[i] = std::max(filled[columns[i]], std::min(wanted, filled[columns[i]] + 1));
    filled[columns[i]] = rows[i] + 1;
  }
  const auto x_of = [&](std::size_t box) {
    return kMargin + columns[box] * (kBoxWidth + kBetweenColumns);
  };
  const auto y_of = [&](std::size_t box) {
    return kMargin + rows[box] * (kBoxHeight + kBetweenRows);
  };
  std::string edges, boxes;
  for (std::size_t i = 0; i < boxes_.size(); ++i) {
    const Box& box = boxes_[i];
    const int x = x_of(i), y = y_of(i), end = y + kBoxHeight / 2;
    for (const std::size_t from : box.inputs) {
      const int begin = x_of(from) + kBoxWidth, start = y_of(from) + kBoxHeight / 2,
                middle = (begin + x) / 2;
      edges += text("<path d='M%d %d C%d %d %d %d %d %d'/>", begin, start, middle, start, middle,
                    end, x, end);
    }
    const auto line = [&](int at, const std::string& content, const char* style) {
      if (content.empty()) return std::string();
      const std::string cut = content.size() > 27 ? content.substr(0, 26) + "…" : content;
      return text("<text x='%d' y='%d'%s>", x + 9, y + at, style) + escaped(cut) + "</text>";
    };
    boxes += "<g><title>" + escaped(box.title + " " + box.shape) + "</title>" +
             text("<rect x='%d' y='%d' width='%d' height='%d' rx='%d'%s/>", x, y, kBoxWidth,
                  kBoxHeight, box.is_op ? 14 : 3, box.is_op ? " fill-opacity='.12'" : "") +
             line(17, box.title, " font-weight='600'") +
             line(34, box.value.empty() ? box.shape : box.value, " opacity='.8'") +
             line(50, box.gradient.empty() ? "" : "∇ " + box.gradient, " fill='#0a8a5c'") + "</g>";
  }
  const int width = 2 * kMargin + static_cast<int>(filled.size()) * (kBoxWidth + kBetweenColumns) -
                    kBetweenColumns;
  const int height = 2 * kMargin +
                     *std::max_element(filled.begin(), filled.end()) * (kBoxHeight + kBetweenRows) -
                     kBetweenRows;
  return text("<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%d' viewBox='0 0 %d %d' ",
              width, height, width, height) +
         "font-family='system-ui, sans-serif' font-size='12.5' fill='currentColor' role='img' aria-label='" +
         std::to_string(ops_) +
         " ops of a tape'><g fill='none' stroke='currentColor' stroke-opacity='.45'>" + edges +
         "</g><g><style>rect{stroke:currentColor;stroke-opacity:.5}rect:not([fill-opacity]){fill-opacity:0}</style>" +
         boxes + "</g></svg>";
}

}  // namespace kette
