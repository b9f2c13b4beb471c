#include "models/model_summary.h"

#include <algorithm>
#include <map>
#include <memory>

#include "models/model.h"

namespace kette {
namespace {

bool lies_at(const std::string& path, const std::string& name) {
  return name.starts_with(path) && (name.size() == path.size() || name[path.size()] == '/');
}

/// A model of one layer whose attentions have `heads` heads, without values.
class OneLayer {
 public:
  OneLayer(const ModelConfig& config, std::int64_t heads) {
    const std::unique_ptr<ModelConfig> small = config.clone();
    small->keep_one_layer();
    if (!small->heads_left.empty()) small->heads_left.assign(small->attentions(), heads);
    model_ = small->make_model();
    model_->each_linear([&](const Linear& map, const auto&) {
      std::int64_t rows = 0;
      for (const RowCopies& copies : map.copies) rows += copies.rows * copies.times;
      if (rows > 0) rows_[map.weight.leaf().get()] = rows;
    });
  }

  SummaryRow row_of(const ModelPart& part) const {
    SummaryRow row{part.name, part.count};
    row.source_flops = add(part.source, row.parameters);
    row.target_flops = add(part.target, row.parameters);
    add(part.none, row.parameters);
    return row;
  }

 private:
  /// The FLOPs a token of the parameters at these paths. Adds their number to `parameters`.
  double add(const std::vector<std::string>& paths, std::int64_t& parameters) const {
    double flops = 0;
    const ParamStore& store = model_->parameters();
    for (const auto& leaf : store.leaves()) {
      const Shape& shape = store.shape_of(*leaf);
      const bool is_there = std::any_of(paths.begin(), paths.end(), [&](const std::string& path) {
        return lies_at(path, leaf->name);
      });
      if (!is_there) continue;
      parameters += shape.elements();
      if (shape.rank() < 2) continue;
      const auto copied = rows_.find(leaf.get());
      const std::int64_t rows = copied == rows_.end() ? shape[0] : copied->second;
      flops += 2.0 * static_cast<double>(rows) * static_cast<double>(shape[1]);
    }
    return flops;
  }

  std::unique_ptr<Model> model_;
  std::map<const Leaf*, std::int64_t> rows_;  // of maps some of whose rows come several times
};

}  // namespace

std::vector<SummaryRow> summary_of(const ModelConfig& config) {
  const OneLayer whole(config, config.heads);
  std::vector<SummaryRow> rows;
  for (const ModelPart& part : config.parts()) {
    if (part.first_attention >= 0 && !config.heads_left.empty()) {
      for (std::int64_t i = 0; i < part.count; ++i) {
        rows.push_back(
            OneLayer(config, config.heads_of(part.first_attention + i).count).row_of(part));
        rows.back().part += " " + std::to_string(i);
        rows.back().count = 1;
      }
      continue;
    }
    SummaryRow row = whole.row_of(part);
    if (row.parameters > 0) rows.push_back(std::move(row));
  }
  return rows;
}

double whole_attentions(const ModelConfig& config, std::int64_t first, std::int64_t count) {
  double left = 0;
  for (std::int64_t i = first; i < first + count; ++i) {
    left += static_cast<double>(config.heads_of(i).count);
  }
  return left / static_cast<double>(config.heads);
}

double pairs(const Segments& queries, const Segments& keys) {
  double sum = 0;
  for (std::int64_t i = 0; i < queries.count(); ++i) {
    sum += static_cast<double>(queries.length(i)) * static_cast<double>(keys.length(i));
  }
  return sum;
}

double causal_pairs(const Segments& segments) {
  double sum = 0;
  for (std::int64_t i = 0; i < segments.count(); ++i) {
    const double length = static_cast<double>(segments.length(i));
    sum += length * (length + 1) / 2;
  }
  return sum;
}

std::int64_t count_parameters(const ModelConfig& config) {
  std::int64_t total = 0;
  for (const SummaryRow& row : summary_of(config)) total += row.count * row.parameters;
  return total;
}

double forward_flops(const ModelConfig& config, const Segments& source, const Segments& target) {
  double total = 0;
  for (const SummaryRow& row : summary_of(config)) {
    total +=
        static_cast<double>(row.count) * (row.source_flops * static_cast<double>(source.rows()) +
                                          row.target_flops * static_cast<double>(target.rows()));
  }
  // The cost of a pair: the product of query and key, and the weighted value.
  return total + 4.0 * static_cast<double>(config.width) * config.attention_pairs(source, target);
}

}  // namespace kette
