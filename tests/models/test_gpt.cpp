// GPT against itself (gradients, leaks) and against what was published (parameter counts, initial
// values). The comparison with another implementation stands in test_hugging_face_gpt2.cpp.
#include <doctest/doctest.h>

#include <cmath>

#include "models/gpt.h"
#include "models/gradient_check.h"

using namespace kette;

namespace {

const std::vector<std::int32_t> kIds = {4, 5, 6, 3, 7, 3, 12};
const Segments kSegments = Segments::from_lengths({3, 4});

std::vector<double> logits(const Gpt& model, const std::vector<std::int32_t>& ids,
                           const Segments& segments) {
  Run inference;
  return model.logits(model.decode(Tensor::from(ids), PackedSequences(segments), inference))
      .value()
      .values<double>();
}

double deviation(const Gpt& model, const std::string& path) {
  double sum = 0, count = 0;
  for (const double value : model.parameters().find(path)->value.values<double>()) {
    sum += value * value;
    ++count;
  }
  return std::sqrt(sum / count);
}

}  // namespace

TEST_CASE("GPT: the presets have the published numbers of parameters") {
  const std::pair<const char*, std::int64_t> published[] = {{"gpt2", 124439808},
                                                            {"gpt2-medium", 354823168},
                                                            {"gpt2-large", 774030080},
                                                            {"gpt2-xl", 1557611200}};
  for (const auto& preset : published) {
    CAPTURE(preset.first);
    CHECK(Gpt(GptConfig::preset(preset.first)).parameters().elements() == preset.second);
  }
  CHECK(gpt_family().presets.size() == 6);
  CHECK_THROWS_WITH_AS(GptConfig::preset("gpt3"), doctest::Contains("char-cpu"), Error);
}

TEST_CASE("GPT: the gradient of every parameter agrees with central differences") {
  for (const bool modern : {false, true}) {
    const GptConfig config = modern ? small_modern_gpt() : small_gpt();
    const auto gaps = check_model(config, 4);
    CHECK(gaps.size() == Gpt(config).parameters().leaves().size());
    for (const auto& parameter : gaps) {
      CAPTURE(parameter.first);
      CAPTURE(parameter.second.where);
      CHECK(parameter.second.gap < 1e-6);
      CHECK(parameter.second.checked >= 4);
    }
  }
}

TEST_CASE("GPT: no future token leaks, and texts of a batch do not see each other") {
  for (const GptConfig& config : {small_gpt(), small_modern_gpt()}) {
    Gpt model(config);
    model.materialize(3, DType::f64);
    const auto width = static_cast<std::size_t>(model.config().vocabulary);
    const auto before = logits(model, kIds, kSegments);
    auto changed = kIds;
    changed[5] = 9;  // the third token of the second text
    const auto after = logits(model, changed, kSegments);
    for (std::size_t row = 0; row < kIds.size(); ++row) {
      bool same = true;
      for (std::size_t v = row * width; v < (row + 1) * width; ++v) {
        same = same && before[v] == after[v];
      }
      CAPTURE(row);
      CHECK(same == (row < 5));
    }
    const auto alone = logits(model, {3, 7, 3, 12}, Segments::from_lengths({4}));
    for (std::size_t i = 0; i < alone.size(); ++i) {
      CHECK(alone[i] == doctest::Approx(before[3 * width + i]).epsilon(1e-12));
    }
  }
}

TEST_CASE("GPT: initial weights have the deviations of GPT-2") {
  GptConfig config = GptConfig::preset("char-cpu");
  Gpt model(config);
  model.materialize(1);
  CHECK(deviation(model, "token_embedding/weight") == doctest::Approx(0.02).epsilon(0.03).scale(0));
  CHECK(deviation(model, "layers/0/attention/query_key_value/weight") ==
        doctest::Approx(0.02).epsilon(0.03).scale(0));
  const double residual = 0.02 / std::sqrt(2.0 * 4);
  for (const char* path :
       {"layers/3/attention/output/weight", "layers/3/feed_forward/outer/weight"}) {
    CHECK(deviation(model, path) == doctest::Approx(residual).epsilon(0.03).scale(0));
  }
  CHECK(deviation(model, "layers/0/feed_forward/inner/bias") == 0);
}

TEST_CASE("GPT: sizes that make no sense are refused by name") {
  GptConfig config = small_gpt();
  config.heads = 3;
  CHECK_THROWS_WITH_AS(Gpt{config}, doctest::Contains("heads: expected a divisor"), Error);
  config = small_gpt();
  config.context = 0;
  CHECK_THROWS_WITH_AS(Gpt{config}, doctest::Contains("context: expected at least 1"), Error);
  Gpt model(small_gpt());
  model.materialize(1);
  CHECK_THROWS_WITH_AS(logits(model, std::vector<std::int32_t>(17), Segments::from_lengths({17})),
                       doctest::Contains("at most 16 tokens"), Error);
}
