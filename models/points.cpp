#include "models/points.h"

namespace kette {
namespace {

class Listing final : public Tap {
 public:
  bool wants(const std::string&) const override { return true; }
  Variable at(const std::string& point, const Variable& value) override {
    points.push_back({point, value.shape()});
    return value;
  }

  std::vector<Point> points;
};

}  // namespace

std::vector<Point> points_of(const Model& model, std::int64_t source_tokens,
                             std::int64_t target_tokens) {
  Batch batch;
  batch.source.resize(static_cast<std::size_t>(source_tokens));
  batch.source_segments = Segments::from_lengths({source_tokens});
  batch.target_in.resize(static_cast<std::size_t>(target_tokens));
  batch.target_segments = Segments::from_lengths({target_tokens});
  Listing listing;
  Run run(&listing);
  model.logits(batch, run);
  return std::move(listing.points);
}

std::string embedded_point(const AutoregressiveModel& model, Side side) {
  if (!model.has_encoder()) return points::embedded("");
  return points::embedded(side == Side::source ? points::kEncoder : points::kDecoder);
}

}  // namespace kette
