#include "models/exchange/sinusoid_layout.h"

namespace kette {
namespace {

using Order = std::vector<std::int64_t>;

/// Column j becomes what column order[j] was.
void permute_columns(const Variable& matrix, const Order& order) {
  const Tensor& value = matrix.value();
  const Tensor before = value.clone();
  const auto width = static_cast<std::int64_t>(order.size());
  for (std::int64_t row = 0; row < value.elements() / width; ++row) {
    const float* from = before.data<float>() + row * width;
    float* to = value.data<float>() + row * width;
    for (const std::int64_t column : order) *to++ = from[column];
  }
}

void permute_rows(const Variable& matrix, const Order& order) {
  const Tensor& value = matrix.value();
  const Tensor before = value.clone();
  for (std::size_t row = 0; row < order.size(); ++row) {
    const auto to = static_cast<std::int64_t>(row);
    value.slice(to, to + 1).copy_from(before.slice(order[row], order[row] + 1));
  }
}

void permute_norm(const AddAndNorm& residual, const Order& order) {
  permute_columns(residual.norm.gain, order);
  permute_columns(residual.norm.bias, order);
}

/// What reads from the residual stream, and what writes to it.
void permute_sublayer(const std::vector<const Linear*>& readers, const Linear& writer,
                      const AddAndNorm& residual, const Order& order) {
  for (const Linear* reader : readers) permute_columns(reader->weight, order);
  permute_rows(writer.weight, order);
  permute_rows(writer.bias, order);
  permute_norm(residual, order);
}

void permute_block(const Block& block, const Order& order) {
  permute_sublayer({&block.self_attention.query_key_value}, block.self_attention.output,
                   block.self_attention_norm, order);
  if (const auto& cross = block.cross_attention) {
    permute_sublayer({&cross->query, &cross->key_value}, cross->output, *block.cross_attention_norm,
                     order);
  }
  permute_sublayer({&block.feed_forward->inner}, block.feed_forward->outer,
                   *block.feed_forward_norm, order);
}

}  // namespace

std::unique_ptr<Transformer> with_concatenated_sinusoids(const Transformer& model) {
  KETTE_CHECK(model.config().norm == NormOrder::post,
              "sinusoids: expected a post-norm model, given a pre-norm one");
  TransformerConfig config = model.config();
  const bool is_so = config.sinusoids == SinusoidLayout::concatenated;
  config.sinusoids = SinusoidLayout::concatenated;
  auto result = std::make_unique<Transformer>(config);
  result->allocate(DType::f32, {}, Gradients::none);
  result->parameters().values().copy_from(model.parameters().values());
  if (is_so) return result;

  const Order order = concatenated_order(config.width);
  permute_columns(result->token_embedding().table, order);
  for (const Block& block : result->encoder()) permute_block(block, order);
  for (const Block& block : result->decoder()) permute_block(block, order);
  return result;
}

}  // namespace kette
