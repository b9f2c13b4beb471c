#include "inspect/activations.h"

#include <numeric>

#include "models/points.h"

namespace kette {

const Tensor& Activations::operator[](const std::string& point) const {
  const auto found = values_.find(point);
  KETTE_CHECK(
      found != values_.end(), point,
      ": expected a point that the recorded pass came by, given another (kette info --points "
      "lists a model's)");
  return found->second;
}

Batch one_sentence(const AutoregressiveModel& model, std::span<const std::int32_t> source,
                   std::span<const std::int32_t> target) {
  const SpecialTokens special = model.special();
  Batch batch;
  batch.target_in.assign(target.begin(), target.end());
  batch.target_out = batch.target_in;
  if (model.has_encoder()) {
    batch.source.assign(source.begin(), source.end());
    batch.source.push_back(special.end);
    batch.source_segments = Segments::from_lengths({std::ssize(batch.source)});
    batch.target_in.insert(batch.target_in.begin(), special.begin);
    batch.target_out.push_back(special.end);
  } else {
    batch.target_out.erase(batch.target_out.begin());
    batch.target_out.push_back(batch.target_in.front());
  }
  batch.target_segments = Segments::from_lengths({std::ssize(batch.target_in)});
  return batch;
}

Batch whole_text(std::span<const std::int32_t> ids) {
  Batch batch;
  batch.source.assign(ids.begin(), ids.end());
  batch.target_out = batch.source;
  batch.target_in.resize(ids.size());
  std::iota(batch.target_in.begin(), batch.target_in.end(), 0);
  batch.source_segments = batch.target_segments = Segments::from_lengths({std::ssize(ids)});
  return batch;
}

namespace {

/// The last norm of a block.
const Norm& last_norm(const Block& block) {
  if (block.feed_forward_norm) return block.feed_forward_norm->norm;
  return block.cross_attention_norm ? block.cross_attention_norm->norm
                                    : block.self_attention_norm.norm;
}

}  // namespace

std::string level_point(const AutoregressiveModel& model, Side side, std::int64_t level) {
  const bool encoder = side == Side::source;
  const std::vector<Block>& blocks = encoder ? model.encoder() : model.decoder();
  const auto levels = std::ssize(blocks);
  KETTE_CHECK(level >= 0 && level <= levels, "level_point: expected a level of 0 to ", levels,
              ", given ", level);
  const Norm* last = encoder ? model.encoder_norm() : model.decoder_norm();
  const bool is_post_norm = blocks.front().self_attention_norm.order == NormOrder::post;
  if (is_post_norm && level > 0) return last_norm(blocks[level - 1]).path;
  if (level < levels && !is_post_norm) {
    return points::sum(blocks[level].self_attention_norm.norm.path);
  }
  if (level == levels) return points::sum(last->path);
  return embedded_point(model, side);
}

}  // namespace kette
