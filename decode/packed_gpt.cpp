#include "decode/packed_gpt.h"

#include "tensor/kernels.h"

namespace kette {

PackedGptLayer::PackedGptLayer(const GptLayer& layer)
    : attention_residual(constant(layer.attention_residual)),
      output(layer.attention.output),
      feed_forward_residual(constant(layer.feed_forward_residual)),
      feed_forward(layer.feed_forward) {
  const Linear& fused = layer.attention.query_key_value;
  const std::int64_t width = fused.weight.value().width();
  query = PackedLinear(fused, 0, width);
  key_value = PackedLinear(fused, width, 3 * width);
}

PackedGpt::PackedGpt(const Gpt& model) : model_(&model), final_norm_(constant(model.final_norm())) {
  vocabulary_.weight = pack_vocabulary(model.token_embedding().table.value(), {});
  for (const GptLayer& layer : model.layers()) layers_.emplace_back(layer);
}

Tensor PackedGpt::embed(const std::vector<std::int32_t>& ids,
                        const std::vector<std::int32_t>& positions) const {
  return kette::embed(*model_, ids, positions);
}

Tensor PackedGpt::logits(const ResidualStream& states) const {
  return vocabulary_(states.through(final_norm_)[1].value());
}

GrowingTexts::GrowingTexts(const PackedGpt& model, std::int64_t texts)
    : model_(&model), texts_(texts) {
  KETTE_CHECK(texts > 0, "generate: expected at least one text, given ", texts);
  const GptConfig& config = model.config();
  keys_values_ = Tensor::empty({config.layers, config.context, texts, 2 * config.width}, DType::f32,
                               model.device());
}

Tensor GrowingTexts::append(const std::vector<std::int32_t>& tokens) {
  const GptConfig& config = model_->config();
  const auto rows = static_cast<std::int64_t>(tokens.size());
  const std::int64_t positions = rows / texts_, width = config.width;
  KETTE_CHECK(rows > 0 && rows % texts_ == 0, "generate: expected tokens for each of ", texts_,
              " texts, given ", rows);
  KETTE_CHECK(length_ + positions <= config.context, "generate: expected at most ", config.context,
              " tokens, given ", length_ + positions);
  // A row attends to its own text up to itself; positions of all texts lie side by side.
  MemoryAttentionArgs attention;
  attention.key_stride = texts_ * 2 * width;
  std::vector<std::int32_t> row_positions;
  for (std::int64_t row = 0; row < rows; ++row) {
    row_positions.push_back(static_cast<std::int32_t>(length_ + row / texts_));
    attention.lengths.push_back(length_ + row / texts_ + 1);
  }
  attention.keys.resize(tokens.size());
  Run run;
  ResidualStream x(model_->embed(tokens, row_positions));
  const Tensor& table = model_->rotary_table();
  const Tensor turns = table.defined() ? Tensor::from(row_positions, table.device()) : Tensor();
  for (std::int64_t index = 0; index < config.layers; ++index) {
    const PackedGptLayer& layer = model_->layers()[static_cast<std::size_t>(index)];
    const auto attend = [&](const Variable& in) {
      const Tensor past = keys_values_.slice(index, index + 1);
      const Tensor present = past.view(length_ * attention.key_stride, {rows, 2 * width});
      layer.key_value(in.value(), present);
      Tensor query = layer.query(in.value());
      if (table.defined()) {
        query = rotary(query, turns, table, width).value();
        present.copy_from(rotary(present, turns, table, width).value());
      }
      const Tensor heads = Tensor::empty(in.shape(), DType::f32, query.device());
      for (std::int64_t row = 0; row < rows; ++row) {
        attention.keys[static_cast<std::size_t>(row)] =
            past.data<float>() + row % texts_ * 2 * width;
      }
      attention.rows = query_rows(query, heads, config.heads);
      on(heads.device(), [&](auto exec) { kernels::memory_attention(exec, attention); });
      return Variable(layer.output(heads));
    };
    x = layer.attention_residual(x, attend, run);
    x = layer.feed_forward_residual(
        x, [&](const Variable& in) { return Variable(layer.feed_forward(in.value())); }, run);
  }
  length_ += positions;
  const auto last = [&](const Variable& all) { return all.value().slice(rows - texts_, rows); };
  return model_->logits({last(x.x), last(*x.update), {}});
}

}  // namespace kette
