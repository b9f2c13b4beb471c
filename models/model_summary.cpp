#include "models/model_summary.h"

#include "models/model_config.h"

namespace kette {

std::int64_t linear_parameters(std::int64_t in, std::int64_t out, bool biased) {
  return in * out + (biased ? out : 0);
}

double linear_flops(std::int64_t in, std::int64_t out) {
  return 2.0 * static_cast<double>(in) * static_cast<double>(out);
}

double whole_attentions(const ModelConfig& config, std::int64_t first, std::int64_t count) {
  double left = 0;
  for (std::int64_t i = first; i < first + count; ++i) {
    left += static_cast<double>(config.heads_of(i).count);
  }
  return left / static_cast<double>(config.heads);
}

std::vector<SummaryRow> attention_rows(const ModelConfig& config, std::int64_t first,
                                       std::int64_t layers,
                                       const std::function<SummaryRow(std::int64_t)>& row_of) {
  std::vector<SummaryRow> rows;
  const bool alike = config.heads_left.empty();
  for (std::int64_t i = 0; i < (alike ? 1 : layers); ++i) {
    rows.push_back(row_of(config.heads_of(first + i).total_width()));
    if (alike) {
      rows.back().count = layers;
    } else {
      rows.back().part += " " + std::to_string(i);
    }
  }
  return rows;
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
  for (const SummaryRow& row : config.summary()) total += row.count * row.parameters;
  return total;
}

double forward_flops(const ModelConfig& config, const Segments& source, const Segments& target) {
  double total = 0;
  for (const SummaryRow& row : config.summary()) {
    total +=
        static_cast<double>(row.count) * (row.source_flops * static_cast<double>(source.rows()) +
                                          row.target_flops * static_cast<double>(target.rows()));
  }
  // A query and a key: their product, and the weighted value.
  return total + 4.0 * static_cast<double>(config.width) * config.attention_pairs(source, target);
}

}  // namespace kette
