#include "decode/ensemble.h"

#include <algorithm>

#include "autograd/ops/elementwise.h"
#include "autograd/ops/embedding.h"
#include "autograd/ops/shaping.h"
#include "tensor/kernels.h"

namespace kette {
namespace {

using Models = std::vector<std::shared_ptr<const AutoregressiveModel>>;

/// A pointer that does not own.
template <class T>
std::shared_ptr<const T> borrowed(const T& owned) {
  return {std::shared_ptr<const T>(), &owned};
}

/// [rows, width] each -> [rows, all widths].
Variable side_by_side(const std::vector<Variable>& matrices) {
  Variable joined = transpose(matrices.front());
  for (std::size_t i = 1; i < matrices.size(); ++i) {
    joined = concatenate(joined, transpose(matrices[i]));
  }
  return transpose(joined);
}

/// The mean of the biases, if any model has one.
Variable mean_bias(const Models& models) {
  Variable sum;
  for (const auto& model : models) {
    const Variable& bias = model->output().bias;
    if (!bias.value().defined()) continue;
    sum = sum.value().defined() ? sum + bias : bias;
  }
  if (!sum.value().defined()) return sum;
  return affine(sum, 1.0 / static_cast<double>(models.size()), 0);
}

std::shared_ptr<const Linear> joint_output(const Models& models) {
  if (models.size() == 1) return borrowed(models.front()->output());
  std::vector<Variable> weights;
  for (const auto& model : models) weights.emplace_back(model->output().merged_weight());
  return std::make_shared<Linear>(models.front()->output().path, side_by_side(weights),
                                  mean_bias(models));
}

/// The rows of the projection's weight for these tokens: rounded as in products, or not rounded yet.
/// Rounding them afterwards gives the same bits in both cases.
Tensor output_rows(const Ensemble& model, const Tensor& tokens) {
  const Variable& weight = model.output().weight;
  if (weight.value().defined()) return embedding(weight, tokens).value();
  const Int8Matrix& table = model.models().front()->token_embedding().rounded;
  KETTE_CHECK(table.defined() && table.values.rows() == model.vocabulary(), model.output().path,
              ": expected a projection whose rows can be taken, given one in ",
              name_of(model.output().prepacked->panels.dtype()), " that is not tied to a table");
  return rows_of(table, tokens, 1);
}

void check_alike(const AutoregressiveModel& first, const AutoregressiveModel& other) {
  KETTE_CHECK(other.vocabulary() == first.vocabulary() && other.special() == first.special(),
              "ensemble: expected models of one vocabulary, ", first.vocabulary(),
              " tokens with the same marks, given another with ", other.vocabulary());
  KETTE_CHECK(other.has_encoder() == first.has_encoder(),
              "ensemble: expected models that all have an encoder, or none, given both kinds");
}

}  // namespace

Ensemble::Ensemble(const AutoregressiveModel& model)
    : models_{borrowed(model)}, output_(borrowed(model.output())) {}

Ensemble::Ensemble(const std::vector<const AutoregressiveModel*>& models) {
  KETTE_CHECK(!models.empty(), "ensemble: expected at least one model, given none");
  for (const AutoregressiveModel* model : models) {
    check_alike(*models.front(), *model);
    models_.push_back(borrowed(*model));
  }
  output_ = joint_output(models_);
}

Ensemble Ensemble::for_decoding(const DecodingTypes& types) const {
  Ensemble ready = *this;
  for (auto& model : ready.models_) model = model->for_decoding(types);
  if (models_.size() == 1) {
    ready.output_ = borrowed(ready.models_.front()->output());
  } else {
    auto output = std::make_shared<Linear>(*output_);
    output->prepacked = output_->prepack(types.weights);
    ready.output_ = std::move(output);
  }
  return ready;
}

std::int64_t Ensemble::positions() const {
  std::int64_t fewest = models_.front()->positions();
  for (const auto& model : models_) fewest = std::min(fewest, model->positions());
  return fewest;
}

PrepackedWeight Ensemble::output_of(const std::vector<std::int32_t>& tokens) const {
  const PrepackedWeight& all = *output_->prepacked;
  const Tensor matrix = output_rows(*this, Tensor::from(tokens, device()));
  const std::vector<float> biases = all.bias.values<float>();
  std::vector<float> some;
  for (const std::int32_t token : tokens) some.push_back(biases[token]);
  return on(device(), [&](auto exec) {
    return kernels::prepack_linear(exec, matrix, Tensor::from(some, device()), all.panels.dtype());
  });
}

Variable Ensemble::combine(const std::vector<Variable>& states) const {
  if (states.size() == 1) return states.front();
  return affine(side_by_side(states), 1.0 / static_cast<double>(states.size()), 0);
}

EnsembleState::EnsembleState(const Ensemble& ensemble, Tap* tap) : ensemble_(ensemble) {
  for (const auto& model : ensemble.models()) states_.emplace_back(*model, tap);
}

void EnsembleState::add(const std::vector<RowStart>& starts) {
  for (DecoderState& state : states_) state.add(starts);
}

void EnsembleState::read(const std::vector<std::int64_t>& rows,
                         const std::vector<std::span<const std::int32_t>>& pasts) {
  for (DecoderState& state : states_) state.read(rows, pasts);
}

bool EnsembleState::reads_in_parts() const {
  return std::all_of(states_.begin(), states_.end(),
                     [](const DecoderState& state) { return state.reads_in_parts(); });
}

bool EnsembleState::can_shorten() const {
  return std::all_of(states_.begin(), states_.end(),
                     [](const DecoderState& state) { return state.can_shorten(); });
}

void EnsembleState::shorten(std::int64_t row, std::int64_t length) {
  for (DecoderState& state : states_) state.shorten(row, length);
}

Tensor EnsembleState::step(const std::vector<std::int32_t>& tokens,
                           const std::vector<std::int64_t>& rows) {
  std::vector<Variable> states;
  for (DecoderState& state : states_) states.emplace_back(state.step(tokens, rows));
  return ensemble_.combine(states).value();
}

void EnsembleState::select(const std::vector<std::int64_t>& parents) {
  for (DecoderState& state : states_) state.select(parents);
}

bool EnsembleState::begin_static_batch(const std::vector<std::int64_t>& lengths,
                                       const Tensor& positions, std::vector<StaticPlaces>& places) {
  static_batch_.clear();
  places.resize(states_.size());
  bool same = true;
  for (std::size_t i = 0; i < states_.size(); ++i) {
    same = states_[i].begin_static_batch(lengths, positions, places[i]) && same;
    static_batch_.push_back(states_[i].static_sequences(places[i]));
  }
  return same;
}

void EnsembleState::end_static_batch(const std::vector<std::int64_t>& parents,
                                     const std::vector<std::int64_t>& lengths) {
  static_batch_.clear();
  for (DecoderState& state : states_) state.end_static_batch(parents, lengths);
}

Variable EnsembleState::step_static_batch(const Tensor& tokens, Run& run) const {
  std::vector<Variable> states;
  for (std::size_t i = 0; i < static_batch_.size(); ++i) {
    states.push_back(ensemble_.models()[i]->decode(tokens, static_batch_[i], run));
  }
  return ensemble_.combine(states);
}

}  // namespace kette
