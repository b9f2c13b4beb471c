#include "decode/growing_texts.h"

#include <algorithm>
#include <numeric>

#include "tensor/kernels.h"

namespace kette {
namespace {

using Ids = std::vector<std::int32_t>;

}  // namespace

GrowingTexts::GrowingTexts(const PackedGpt& model, const SamplingOptions& sampling,
                           std::int64_t texts, std::int64_t most)
    : model_(&model),
      sampling_(sampling),
      texts_(texts),
      most_(std::min(most, model.config().context)),
      cache_(0, 0, model.device()) {
  KETTE_CHECK(texts > 0, "generate: expected at least one text, given ", texts);
  drawn_ = Tensor::empty({2, texts}, DType::i32, model.device());
  logits_ = Tensor::empty({texts, model.config().vocabulary}, DType::f32, model.device());
}

void GrowingTexts::begin(const std::vector<Ids>& starts) {
  const auto given = static_cast<std::int64_t>(starts.size());
  KETTE_CHECK(given == 1 || given == texts_, "generate: expected the start of ", texts_,
              " texts or one for all, given ", given);
  const std::size_t length = starts[0].size();
  for (const Ids& start : starts) {
    KETTE_CHECK(start.size() == length && length > 0 && static_cast<std::int64_t>(length) <= most_,
                "generate: expected texts that begin with equally many tokens, 1 to ", most_,
                ", given ", start.size());
  }
  const PauseRecording pause;
  step_.reset();
  length_ = static_cast<std::int64_t>(length);
  const ResidualStream states = read_starts(starts);
  const Ids last = give_each_a_line(given == 1);
  const Tensor rows = Tensor::from(last);
  model_->project({embedding(states.x, rows), embedding(*states.update, rows), {}}, logits_);
  draw();
  ++draws_;
}

/// A line of the cache for each start; its positions are the rows.
ResidualStream GrowingTexts::read_starts(const std::vector<Ids>& starts) {
  const std::int64_t shared = starts.size() == 1 ? length_ : 0;
  const GptConfig& config = model_->config();
  cache_ =
      KvCache(config.layers, config.width, model_->device(), texts_ * (most_ - shared) + shared);
  Ids tokens;
  for (const Ids& start : starts) tokens.insert(tokens.end(), start.begin(), start.end());
  const std::vector<std::int64_t> lengths(starts.size(), length_);
  return read(Tensor::from(tokens), cache_.add_lines(Segments::from_lengths(lengths)));
}

/// With slots for all that is to come, so that steps need not be told of any. Returns the last row of
/// each text's start.
Ids GrowingTexts::give_each_a_line(bool have_one_start) {
  std::vector<std::int64_t> parents;
  Ids last;
  for (std::int64_t text = 0; text < texts_; ++text) {
    parents.push_back(have_one_start ? 0 : text);
    last.push_back(static_cast<std::int32_t>((parents.back() + 1) * length_ - 1));
  }
  cache_.select(parents);
  for (std::int64_t text = 0; text < texts_; ++text) cache_.extend(text, most_ - length_);
  Ids counters(last.size(), static_cast<std::int32_t>(length_));
  counters.resize(2 * last.size(), static_cast<std::int32_t>(draws_));
  counters_ = Tensor::from(counters, {2, texts_}, model_->device());
  Ids lines(last.size());
  std::iota(lines.begin(), lines.end(), 0);
  places_ = {cache_.uploaded_table(), Tensor::from(lines, model_->device()),
             counters_.slice(0, 1).reshaped({texts_})};
  return last;
}

void GrowingTexts::grow() {
  KETTE_CHECK(!is_full(), "generate: expected at most ", most_, " tokens, given one more");
  if (!step_) step_ = backend(model_->device()).record([this] { step(); });
  step_->replay();
  ++length_;
  ++draws_;
}

void GrowingTexts::step() {
  const PauseRecording pause;
  model_->project(read(tokens(), places_), logits_);
  on(counters_.device(), [&](auto exec) { kernels::increment(exec, counters_); });
  draw();
}

void GrowingTexts::draw() {
  sample(logits_, sampling_, counters_.slice(1, 2).reshaped({texts_}), drawn_);
}

std::unique_ptr<HostCopy> GrowingTexts::drawn() const {
  return backend(drawn_.device()).start_copy_to_host(drawn_.raw(), drawn_.bytes());
}

ResidualStream GrowingTexts::read(const Tensor& tokens, const CachePlaces& places) const {
  const GptConfig& config = model_->config();
  const Tensor& table = model_->rotary_table();
  Run run;
  ResidualStream x(model_->embed(tokens, places.positions));
  for (std::int64_t index = 0; index < config.layers; ++index) {
    const PackedGptLayer& layer = model_->layers()[static_cast<std::size_t>(index)];
    const auto attend = [&](const Variable& in) {
      Tensor fused = layer.query_key_value(in.value());
      if (table.defined()) {
        fused = rotary(fused, places.positions, table, 2 * config.width).value();
      }
      const Tensor cache = cache_.layer(index);
      write_to_cache(fused, config.width, places, cache);
      return Variable(layer.output(attend_to_cache(fused, config.heads, places, cache)));
    };
    x = layer.attention_residual(x, attend, run);
    x = layer.feed_forward_residual(
        x, [&](const Variable& in) { return Variable(layer.feed_forward(in.value())); }, run);
  }
  return x;
}

}  // namespace kette
