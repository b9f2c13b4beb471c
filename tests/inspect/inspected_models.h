// Small models with random weights of every kind that there is to look into.
#pragma once

#include <memory>
#include <vector>

#include "inspect/activations.h"
#include "models/gpt.h"
#include "models/transformer.h"
#include "tests/decode/decode_models.h"

namespace kette::testing {

inline std::vector<std::unique_ptr<AutoregressiveModel>> inspected_models(
    DType dtype = DType::f32) {
  std::vector<std::unique_ptr<AutoregressiveModel>> models;
  models.push_back(std::make_unique<Transformer>(small_config(NormOrder::post)));
  models.push_back(std::make_unique<Transformer>(small_config(NormOrder::pre)));
  TransformerConfig marian = small_config();
  marian.output_bias = true;
  marian.feed_forward = FeedForwardKind::silu;
  models.push_back(std::make_unique<Transformer>(marian));
  TransformerConfig pruned = small_config();
  pruned.heads = 4;
  pruned.heads_left = {1, 4, 3, 2, 4, 2, 1, 3};
  models.push_back(std::make_unique<Transformer>(pruned));
  for (const auto& [label, config] : gpt_family().small_models) {
    models.push_back(std::make_unique<Gpt>(dynamic_cast<const GptConfig&>(*config)));
  }
  for (const auto& model : models) {
    model->materialize(3, dtype);
    if (dtype == DType::f32) vary_vectors<float>(model->parameters(), 5);
    if (dtype == DType::f64) vary_vectors<double>(model->parameters(), 5);
  }
  return models;
}

inline const Ids kRead = {9, 4, 12, 5, 10}, kWritten = {8, 11, 4, 7, 6, 13};

/// A pass over a text, recorded whole; gives the logits.
inline Tensor recorded(const AutoregressiveModel& model, Activations& activations) {
  const Batch batch = one_sentence(model, kRead, kWritten);
  Run run(&activations);
  return model.logits(batch, run).value();
}

}  // namespace kette::testing
