#include "inspect/passes/logit_attribution.h"

#include <cmath>

#include "autograd/ops/embedding.h"
#include "models/points.h"

namespace kette {
namespace {

std::vector<double> values_of(const Tensor& tensor) {
  return tensor.defined() ? tensor.values<double>() : std::vector<double>();
}

}  // namespace

bool LogitAttribution::wants(const AutoregressiveModel& model, const std::string& point) {
  if (point == embedded_point(model, Side::target)) return true;
  if (const Norm* last = model.decoder_norm(); last && point == points::sum(last->path))
    return true;
  const auto is_sum_of = [&](const std::optional<AddAndNorm>& surround) {
    return surround && point == points::sum(surround->norm.path);
  };
  for (const Block& block : model.decoder()) {
    if (point == points::heads(block.self_attention.path) || is_sum_of(block.self_attention_norm) ||
        (block.cross_attention && point == points::heads(block.cross_attention->path)) ||
        is_sum_of(block.cross_attention_norm) ||
        (block.feed_forward && point == block.feed_forward->outer.path) ||
        is_sum_of(block.feed_forward_norm)) {
      return true;
    }
  }
  return false;
}

LogitAttribution::LogitAttribution(const AutoregressiveModel& model, const Activations& activations,
                                   std::span<const std::int32_t> tokens_read)
    : width_(model.config().width), names_{"embedding", "position"} {
  const Embedding& table = model.token_embedding();
  const Tensor ids = Tensor::from(std::vector<std::int32_t>(tokens_read.begin(), tokens_read.end()))
                         .to(table.table.value().device());
  embeddings_ = values_of(table(ids).value());
  positions_ = values_of(activations[embedded_point(model, Side::target)]);
  for (std::size_t i = 0; i < positions_.size(); ++i) positions_[i] -= embeddings_[i];

  const std::vector<AttentionPart> attentions = attentions_of(model);
  const auto attention = [&](AttentionKind kind, std::int64_t layer) -> const AttentionPart& {
    return *std::find_if(attentions.begin(), attentions.end(), [&](const AttentionPart& part) {
      return part.kind == kind && part.layer == layer;
    });
  };
  const auto normed = [&](const AddAndNorm& surround) {
    if (surround.order == NormOrder::post) {
      sub_layers_.back().norm_after = frozen(surround.norm, activations);
    }
  };
  for (std::int64_t layer = 0; layer < std::ssize(model.decoder()); ++layer) {
    const Block& block = model.decoder()[layer];
    add_attention(attention(AttentionKind::decoder, layer), activations);
    normed(block.self_attention_norm);
    if (block.cross_attention) {
      add_attention(attention(AttentionKind::cross, layer), activations);
      normed(*block.cross_attention_norm);
    }
    if (!block.feed_forward) continue;
    SubLayer feed_forward;
    feed_forward.first_part = std::ssize(names_);
    feed_forward.rows = values_of(activations[block.feed_forward->outer.path]);
    names_.push_back("feed-forward " + std::to_string(layer));
    sub_layers_.push_back(std::move(feed_forward));
    normed(*block.feed_forward_norm);
  }
  names_.emplace_back("biases");
  if (const Norm* last = model.decoder_norm()) final_norm_ = frozen(*last, activations);
  output_ = model.output().weight.value();
  output_bias_ = values_of(model.output().bias.value());
}

void LogitAttribution::add_attention(const AttentionPart& part, const Activations& activations) {
  SubLayer layer;
  layer.heads = part.heads;
  layer.head_width = part.head_width;
  layer.rows = values_of(activations[points::heads(part.path)]);
  layer.matrix = values_of(part.output->merged_weight());
  layer.bias = values_of(part.output->bias.value());
  layer.first_part = std::ssize(names_);
  for (std::int64_t head = 0; head < part.heads; ++head) {
    names_.push_back(part.name() + " head " + std::to_string(head));
  }
  sub_layers_.push_back(std::move(layer));
}

LogitAttribution::FrozenNorm LogitAttribution::frozen(const Norm& norm,
                                                      const Activations& activations) const {
  FrozenNorm result{
      values_of(norm.gain.value()), values_of(norm.bias.value()), {}, norm.kind == NormKind::layer};
  const Values sums = values_of(activations[points::sum(norm.path)]);
  const auto width = static_cast<double>(width_);
  for (std::int64_t row = 0; row < std::ssize(sums) / width_; ++row) {
    const double* z = sums.data() + row * width_;
    double mean = 0, squares = 0;
    for (std::int64_t i = 0; result.centers && i < width_; ++i) mean += z[i] / width;
    for (std::int64_t i = 0; i < width_; ++i) squares += (z[i] - mean) * (z[i] - mean) / width;
    result.inverse_deviation.push_back(1 / std::sqrt(squares + norm.epsilon));
  }
  return result;
}

double LogitAttribution::back_through(const FrozenNorm& norm, std::int64_t row,
                                      Values& direction) const {
  if (norm.gain.empty()) return 0;  // the identity
  double of_bias = 0, mean = 0;
  for (std::int64_t i = 0; i < width_; ++i) {
    if (!norm.bias.empty()) of_bias += norm.bias[i] * direction[i];
    direction[i] *= norm.gain[i] * norm.inverse_deviation[row];
    mean += direction[i] / static_cast<double>(width_);
  }
  if (norm.centers) {
    for (double& value : direction) value -= mean;
  }
  return of_bias;
}

double LogitAttribution::dot(const Values& rows, std::int64_t row, const Values& direction) const {
  double sum = 0;
  for (std::int64_t i = 0; i < width_; ++i) sum += rows[row * width_ + i] * direction[i];
  return sum;
}

std::vector<double> LogitAttribution::operator()(std::int64_t row, std::int32_t token) const {
  std::vector<double> added(names_.size());
  double& biases = added.back();
  Values direction = output_.slice(token, token + 1).values<double>();
  if (!output_bias_.empty()) biases += output_bias_[token];
  if (final_norm_) biases += back_through(*final_norm_, row, direction);
  for (auto layer = sub_layers_.rbegin(); layer != sub_layers_.rend(); ++layer) {
    if (layer->norm_after) biases += back_through(*layer->norm_after, row, direction);
    if (layer->heads == 0) {
      added[layer->first_part] = dot(layer->rows, row, direction);
      continue;
    }
    if (!layer->bias.empty()) biases += dot(layer->bias, 0, direction);
    const std::int64_t inner = layer->heads * layer->head_width;
    Values of_heads(static_cast<std::size_t>(inner));  // the direction before the output map
    for (std::int64_t out = 0; out < width_; ++out) {
      for (std::int64_t in = 0; in < inner; ++in) {
        of_heads[in] += layer->matrix[out * inner + in] * direction[out];
      }
    }
    for (std::int64_t i = 0; i < inner; ++i) {
      added[layer->first_part + i / layer->head_width] +=
          layer->rows[row * inner + i] * of_heads[i];
    }
  }
  added[0] = dot(embeddings_, row, direction);
  added[1] = dot(positions_, row, direction);
  return added;
}

}  // namespace kette
