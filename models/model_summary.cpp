#include "models/model_summary.h"

namespace kette {
namespace {

/// Weights and biases of a linear layer.
std::int64_t linear(std::int64_t in, std::int64_t out) { return in * out + out; }
double flops(std::int64_t in, std::int64_t out) {
  return 2.0 * static_cast<double>(in) * static_cast<double>(out);
}

/// Query-key pairs of cross-attention, or of attention without a mask.
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

}  // namespace

std::vector<SummaryRow> summarize(const TransformerConfig& c) {
  const std::int64_t w = c.width, h = c.hidden;
  const std::int64_t norm = 2 * w, attention = 4 * linear(w, w),
                     feed_forward = linear(w, h) + linear(h, w);
  const double attention_flops = flops(w, 4 * w), feed_forward_flops = 2 * flops(w, h);
  std::vector<SummaryRow> rows = {
      {"embedding = output projection", 1, c.vocabulary * w, 0, flops(w, c.vocabulary)},
      {"encoder layer: self-attention", c.encoder_layers, attention + norm, attention_flops, 0},
      {"encoder layer: feed-forward", c.encoder_layers, feed_forward + norm, feed_forward_flops, 0},
      {"decoder layer: self-attention", c.decoder_layers, attention + norm, 0, attention_flops},
      // Keys and values are made once for each source token, queries and outputs for each target
      // token.
      {"decoder layer: cross-attention", c.decoder_layers, attention + norm, flops(w, 2 * w),
       flops(w, 2 * w)},
      {"decoder layer: feed-forward", c.decoder_layers, feed_forward + norm, 0,
       feed_forward_flops}};
  if (c.output_bias) rows.push_back({"output bias", 1, c.vocabulary, 0, 0});
  if (c.norm == NormOrder::pre) rows.push_back({"final norms", 2, norm, 0, 0});
  return rows;
}

std::vector<SummaryRow> summarize(const GptConfig& c) {
  const std::int64_t w = c.width, h = c.hidden;
  const bool gated = c.feed_forward == FeedForwardKind::swiglu;
  const std::int64_t norm = c.norm == NormKind::layer ? 2 * w : w, inner = gated ? 2 * h : h;
  std::vector<SummaryRow> rows = {
      {"token embedding = output projection", 1, c.vocabulary * w, 0, flops(w, c.vocabulary)}};
  if (c.positions == Positions::learned) {
    rows.push_back({"position embedding", 1, c.context * w, 0, 0});
  }
  rows.push_back({"layer: self-attention", c.layers, 4 * linear(w, w) + norm, 0, flops(w, 4 * w)});
  rows.push_back({"layer: feed-forward", c.layers, linear(w, inner) + linear(h, w) + norm, 0,
                  flops(w, inner + h)});
  rows.push_back({"final norm", 1, norm, 0, 0});
  return rows;
}

std::int64_t count_parameters(const std::vector<SummaryRow>& rows) {
  std::int64_t total = 0;
  for (const SummaryRow& row : rows) total += row.count * row.parameters;
  return total;
}

double forward_flops(const TransformerConfig& config, const Segments& source,
                     const Segments& target) {
  double total = 0;
  for (const SummaryRow& row : summarize(config)) {
    total +=
        static_cast<double>(row.count) * (row.source_flops * static_cast<double>(source.rows()) +
                                          row.target_flops * static_cast<double>(target.rows()));
  }
  // A query and a key: their product, and the weighted value.
  const double pair = 4.0 * static_cast<double>(config.width);
  return total + pair * (static_cast<double>(config.encoder_layers) * pairs(source, source) +
                         static_cast<double>(config.decoder_layers) *
                             (causal_pairs(target) + pairs(target, source)));
}

double forward_flops(const GptConfig& config, const Segments& segments) {
  double total = 0;
  for (const SummaryRow& row : summarize(config)) {
    total +=
        static_cast<double>(row.count) * row.target_flops * static_cast<double>(segments.rows());
  }
  return total + 4.0 * static_cast<double>(config.width) * static_cast<double>(config.layers) *
                     causal_pairs(segments);
}

}  // namespace kette
