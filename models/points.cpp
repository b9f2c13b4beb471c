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

std::vector<Point> points_of(const AutoregressiveModel& model, std::int64_t source_tokens,
                             std::int64_t target_tokens) {
  Listing listing;
  Run run(&listing);
  const auto ids = [](std::int64_t count) { return Tensor::zeros({count}, DType::i32); };
  const Segments source = Segments::from_lengths({source_tokens}),
                 target = Segments::from_lengths({target_tokens});
  PackedSequences sequences(target);
  if (model.has_encoder()) {
    sequences = PackedSequences(
        target, model.encode(ids(source_tokens), PackedSequences(source), run), source);
  }
  model.logits(model.decode(ids(target_tokens), sequences, run), run);
  return std::move(listing.points);
}

}  // namespace kette
