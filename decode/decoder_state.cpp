#include "decode/decoder_state.h"

#include <algorithm>

#include "tensor/kernels.h"

namespace kette {

void DecoderState::add(const std::vector<std::span<const std::int32_t>>& sources) {
  if (sources.empty()) return;
  std::vector<std::int32_t> ids;
  std::vector<std::int64_t> lengths;
  for (const auto& source : sources) {
    ids.insert(ids.end(), source.begin(), source.end());
    ids.push_back(model_->config().special.end);
    lengths.push_back(static_cast<std::int64_t>(source.size()) + 1);
  }
  const Segments segments = Segments::from_lengths(lengths);
  KETTE_CHECK(segments.longest() <= model_->config().max_length,
              "decoder: expected sources of at most ", model_->config().max_length - 1,
              " tokens, given one of ", segments.longest() - 1);
  const Tensor memory = model_->encode(ids, segments);
  for (std::int64_t i = 0; i < segments.count(); ++i) {
    rows_.push_back({memory, segments.begin(i), segments.length(i), step_});
  }
  slots_.resize(rows_.size() * static_cast<std::size_t>(slot_stride_));
}

Tensor DecoderState::step(const std::vector<std::int32_t>& tokens) {
  KETTE_CHECK(static_cast<std::int64_t>(tokens.size()) == rows() && rows() > 0,
              "decoder: expected a token for each of ", rows(), " rows, given ", tokens.size());
  widen_slots();
  std::vector<std::int32_t> positions;
  for (std::int64_t row = 0; row < rows(); ++row) {
    const std::int64_t position = step_ - rows_[static_cast<std::size_t>(row)].first_step;
    KETTE_CHECK(position < model_->config().max_length, "decoder: expected at most ",
                model_->config().max_length, " tokens in a row, given one more");
    positions.push_back(static_cast<std::int32_t>(position));
    slots_[static_cast<std::size_t>(row * slot_stride_ + position)] =
        static_cast<std::int32_t>(row);
  }
  Run run;
  ResidualStream x(model_->embed(tokens, positions));
  const Device device = x.x.value().device();
  const auto& layers = model_->decoder();
  const std::int64_t width = model_->config().width;
  pages_.push_back(Tensor::empty({static_cast<std::int64_t>(layers.size()), rows(), 2 * width},
                                 DType::f32, device));
  ++step_;
  for (std::size_t index = 0; index < layers.size(); ++index) {
    const PackedDecoderLayer& layer = layers[index];
    const auto at = static_cast<std::int64_t>(index);
    const auto attend_to_self = [&](const Variable& in) {
      layer.key_value(in.value(), layer_of(pages_.back(), at));
      const Tensor query = layer.query(in.value());
      const Tensor heads = Tensor::empty(in.shape(), DType::f32, device);
      attend_to_past(at, query_rows(query, heads, model_->config().heads));
      return Variable(layer.output(heads));
    };
    const auto attend_to_source = [&](const Variable& in) {
      const Tensor query = layer.memory_query(in.value());
      const Tensor heads = Tensor::empty(in.shape(), DType::f32, device);
      attend_to_memory(at, query_rows(query, heads, model_->config().heads));
      return Variable(layer.memory_output(heads));
    };
    x = layer.after_self_attention(x, attend_to_self, run);
    x = layer.after_cross_attention(x, attend_to_source, run);
    x = layer.after_feed_forward(
        x, [&](const Variable& in) { return Variable(layer.feed_forward(in.value())); }, run);
  }
  return model_->finish_decoder(x);
}

void DecoderState::attend_to_past(std::int64_t layer, const QueryRows& rows) {
  CachedAttentionArgs args;
  args.rows = rows;
  args.page_stride = 2 * rows.width();
  args.slots = slots_.data();
  args.slot_stride = slot_stride_;
  for (const Tensor& page : pages_) {
    args.pages.push_back(layer_of(page, layer).data<float>());
  }
  const std::int64_t first_page = step_ - pages();
  for (const Row& row : rows_) {
    args.first_pages.push_back(row.first_step - first_page);
    args.lengths.push_back(step_ - row.first_step);
  }
  on(rows.output.device(), [&](auto exec) { kernels::cached_attention(exec, args); });
}

void DecoderState::attend_to_memory(std::int64_t layer, const QueryRows& rows) {
  MemoryAttentionArgs args;
  args.rows = rows;
  args.key_stride = 2 * rows.width();
  for (const Row& row : rows_) {
    args.keys.push_back(layer_of(row.memory, layer).data<float>() + row.begin * args.key_stride);
    args.lengths.push_back(row.length);
  }
  on(rows.output.device(), [&](auto exec) { kernels::memory_attention(exec, args); });
}

void DecoderState::select(const std::vector<std::int64_t>& parents) {
  std::vector<Row> chosen;
  std::vector<std::int32_t> slots(parents.size() * static_cast<std::size_t>(slot_stride_));
  chosen.reserve(parents.size());
  std::int64_t oldest = step_;
  for (const std::int64_t parent : parents) {
    KETTE_CHECK(parent >= 0 && parent < rows(), "decoder: expected rows below ", rows(),
                " to go on, given ", parent);
    const Row& row = rows_[static_cast<std::size_t>(parent)];
    std::copy_n(slots_.begin() + parent * slot_stride_, step_ - row.first_step,
                slots.begin() + static_cast<std::int64_t>(chosen.size()) * slot_stride_);
    oldest = std::min(oldest, row.first_step);
    chosen.push_back(row);
  }
  rows_ = std::move(chosen);
  slots_ = std::move(slots);
  while (step_ - pages() < oldest) pages_.pop_front();
}

void DecoderState::widen_slots() {
  std::int64_t longest = 0;
  for (const Row& row : rows_) longest = std::max(longest, step_ + 1 - row.first_step);
  if (longest <= slot_stride_) return;
  const std::int64_t stride = std::max<std::int64_t>(32, 2 * slot_stride_);
  std::vector<std::int32_t> slots(rows_.size() * static_cast<std::size_t>(stride));
  for (std::int64_t row = 0; row < rows(); ++row) {
    std::copy_n(slots_.begin() + row * slot_stride_, slot_stride_, slots.begin() + row * stride);
  }
  slots_ = std::move(slots);
  slot_stride_ = stride;
}

}  // namespace kette
