// What transformers answers of a language model, by tests/fixtures/make_hugging_face.py, and how ours
// does.
#pragma once

#include <numeric>

#include "decode/generator.h"
#include "models/model_directory.h"
#include "tests/models/hugging_face_folder.h"

namespace kette::testing {

/// [ids, vocabulary]
inline Tensor logits_of(const Gpt& model, const std::vector<std::int32_t>& ids) {
  Run inference;
  const Segments segments = Segments::from_lengths({static_cast<std::int64_t>(ids.size())});
  return model.logits(model.decode(Tensor::from(ids), PackedSequences(segments), inference))
      .value();
}

inline void check_logits(const Gpt& model, const Json& answers) {
  double worst = 0;
  for (const Json& expected : answers.at("logits")) {
    const Tensor logits = logits_of(model, expected.at("ids"));
    const Tensor last = logits.slice(logits.rows() - 1, logits.rows());
    worst = larger_gap(worst, largest_gap(last.values<float>(), expected.at("last")));
    const auto sums = expected.at("sum").get<std::vector<double>>();
    const auto all = logits.values<float>();
    for (std::size_t row = 0; row < sums.size(); ++row) {
      const auto first = all.begin() + static_cast<std::ptrdiff_t>(row) * logits.width();
      const double sum = std::accumulate(first, first + logits.width(), 0.0);
      CHECK(sum == doctest::Approx(sums[row]).epsilon(1e-4));
    }
  }
  MESSAGE("largest difference of a logit: " << worst);
  CHECK(worst < 1e-4);
}

inline void check_greedy_texts(const SavedModel<Gpt>& saved, const Json& answers) {
  const auto ready = saved.model->for_decoding();
  for (const Json& expected : answers.at("greedy")) {
    GenerateOptions options;
    options.temperature = 0;
    options.max_tokens = 20;
    options.end_of_text = saved.tokenizer->special().end;
    std::vector<std::int32_t> tokens = generate(*ready, expected.at("prompt"), options).front();
    if (tokens.size() < 20) tokens.push_back(options.end_of_text);
    CHECK(tokens == expected.at("tokens").get<std::vector<std::int32_t>>());
  }
}

}  // namespace kette::testing
