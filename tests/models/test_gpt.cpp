// GPT against itself (gradients, leaks) and against what was published (parameter counts, initial
// values). The comparison with another implementation stands in test_hugging_face_gpt2.cpp.
#include <doctest/doctest.h>

#include <cmath>
#include <set>

#include "autograd/ops/elementwise.h"
#include "models/gpt.h"
#include "models/gradient_check.h"
#include "tests/gradients.h"
#include "tests/random_tensor.h"

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

TEST_CASE("GPT: the gradient of every parameter is right") {
  for (const auto& [label, config] : small_gpts()) {
    const ParameterChecks checks = check_model(config, {.elements = 4});
    Gpt model(config);
    model.allocate(DType::f64, {}, Gradients::none);
    CHECK(checks.size() == model.parameters().leaves().size());
    testing::expect_right(checks);
  }
}

TEST_CASE("GPT: smears have a gradient where attention tells keys apart") {
  for (const GptConfig& config : {small_attention_only_gpt(), small_unbiased_gpt()}) {
    Gpt model(config);
    model.materialize(3, DType::f64);
    std::vector<std::shared_ptr<Leaf>> smears;
    for (const auto& leaf : model.parameters().leaves()) {
      // With the small weights that it starts with, all keys weigh nearly the same.
      if (leaf->value.shape().rank() == 2) leaf->value.copy_from(affine(leaf->value, 20).value());
      if (leaf->name.ends_with("/smear")) smears.push_back(leaf);
    }
    REQUIRE(smears.size() == 2);
    const auto loss = [&] {
      Run run;
      const Variable states = model.decode(Tensor::from(kIds), PackedSequences(kSegments), run);
      return model.loss(states, Tensor::from(kIds), {0.1, 1.0 / 7});
    };
    testing::expect_right(check_parameter_gradients(loss, smears, {.elements = 2}));
    testing::add_gradient_of(loss);
    for (const auto& leaf : smears) CHECK(sum_of_squares(leaf->gradient) > 1e-8);
  }
}

TEST_CASE("GPT: no future token leaks, and texts of a batch do not see each other") {
  for (const auto& [label, config] : small_gpts()) {
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

TEST_CASE("GPT: settings leave out what they say, and nothing else") {
  using Names = std::set<std::string>;
  const auto names = [](const GptConfig& config) {
    const Gpt model(config);
    Names all;
    for (const auto& leaf : model.parameters().leaves()) all.insert(leaf->name);
    return all;
  };
  GptConfig config = small_gpt();
  config.layers = 1;
  const Names whole = names(config);
  CHECK(whole.size() == 16);
  const auto without = [&](const std::string& part) {
    Names left = whole;
    std::erase_if(left, [&](const std::string& name) { return name.find(part) != name.npos; });
    CHECK(left.size() < whole.size());
    return left;
  };
  const auto with = [&](const std::string& name) {
    Names more = whole;
    more.insert(name);
    return more;
  };
  GptConfig other = config;
  other.hidden = 0;
  CHECK(names(other) == without("feed_forward"));
  other = config;
  other.norm_kind = NormKind::none;
  CHECK(names(other) == without("norm/"));
  other = config;
  other.biases = false;
  CHECK(names(other) == without("/bias"));
  other = config;
  other.tied_output = false;
  CHECK(names(other) == with("output/weight"));
  other = config;
  other.smeared_keys = true;
  CHECK(names(other) == with("layers/0/attention/smear"));
  Gpt smeared(other);
  smeared.materialize(1);
  CHECK(smeared.parameters().find("layers/0/attention/smear")->value.values<float>() ==
        std::vector<float>(2, 0));
}

TEST_CASE("GPT: with a norm that is none, attention reads the residual stream itself") {
  Gpt model(small_attention_only_gpt());
  model.materialize(3, DType::f64);
  const Block& first = model.decoder()[0];
  Run run;
  const Variable x = affine(Tensor::full({4, 16}, 0.25, DType::f64), 2);
  const auto [sum, normed] = ResidualStream(x).through(first.self_attention_norm.norm, run);
  CHECK(sum.is(x));
  CHECK(normed.is(x));
  const auto [both, of_both] =
      ResidualStream(x, x, {}).through(first.self_attention_norm.norm, run);
  CHECK(both.value().values<double>() == std::vector<double>(64, 1.0));
  CHECK(of_both.is(both));
}

TEST_CASE("GPT: sizes that make no sense are refused by name") {
  GptConfig config = small_gpt();
  config.heads = 3;
  CHECK_THROWS_WITH_AS(Gpt{config}, doctest::Contains("heads: expected a divisor"), Error);
  config = small_gpt();
  config.context = 0;
  CHECK_THROWS_WITH_AS(Gpt{config}, doctest::Contains("context: expected at least 1"), Error);
  config = small_gpt();
  config.hidden = -1;
  CHECK_THROWS_WITH_AS(Gpt{config}, doctest::Contains("hidden: expected at least 0, given -1"),
                       Error);
  Gpt model(small_gpt());
  model.materialize(1);
  CHECK_THROWS_WITH_AS(logits(model, std::vector<std::int32_t>(17), Segments::from_lengths({17})),
                       doctest::Contains("at most 16 tokens"), Error);
}
