#include <doctest/doctest.h>

#include <tuple>

#include "decode/decoder_state.h"
#include "decode/predictions.h"
#include "tests/decode/decode_models.h"
#include "tests/gap.h"

using namespace kette;
using namespace kette::testing;

namespace {

/// The largest gap between the state's log-probabilities after `inputs` and those of a full pass
/// over them.
double worst_gap(const Transformer& model, const AutoregressiveModel& ready, const Tensor& states,
                 std::int64_t row, const Ids& source, const Ids& inputs) {
  const auto vocabulary = model.config().vocabulary;
  const std::vector<float> full = full_log_probabilities(model, source, inputs);
  const float* expected = full.data() + (static_cast<std::int64_t>(inputs.size()) - 1) * vocabulary;
  double worst = 0;
  const Tensor one = states.slice(row, row + 1);
  const Predictions all = predict(ready.output(), one, vocabulary, {}, Tensor::from(Ids{0}));
  for (std::size_t i = 0; i < all.tokens.size(); ++i) {
    worst = larger_gap(worst, std::abs(double(all.values[i]) - double(expected[all.tokens[i]])));
  }
  return worst;
}

/// With the end mark that the encoder reads.
std::vector<Ids> ended(std::vector<Ids> sources) {
  for (Ids& source : sources) source.push_back(3);
  return sources;
}
RowStart start_of(const Ids& source) { return {source, {}}; }

}  // namespace

TEST_CASE("decoding step by step equals the full pass, while rows branch, end and join") {
  const OneThread quick;
  for (const auto& [norm, cache, tolerance] : {std::tuple{NormOrder::post, DType::f32, 1e-5},
                                               {NormOrder::pre, DType::f32, 1e-5},
                                               {NormOrder::post, DType::bf16, 2e-2},
                                               {NormOrder::pre, DType::bf16, 2e-2}}) {
    const auto model = random_model(small_config(norm));
    const auto ready = model->for_decoding({DType::f32, cache});
    const std::vector<Ids> sources = random_sentences(4, model->config().vocabulary),
                           encoded = ended(sources);
    DecoderState state(*ready);
    state.add({start_of(encoded[0]), start_of(encoded[1])});
    std::vector<Ids> inputs(2);
    std::vector<std::size_t> source_of{0, 1};
    Random random(5, 5);
    for (int step = 0; step < 45; ++step) {
      Ids tokens;
      for (Ids& input : inputs) {
        input.push_back(input.empty() ? 2 : static_cast<std::int32_t>(random.below(600)));
        tokens.push_back(input.back());
      }
      const Tensor states = state.step(tokens);
      if (step < 8 || step % 9 == 0) {
        for (std::size_t row = 0; row < inputs.size(); ++row) {
          REQUIRE(worst_gap(*model, *ready, states, static_cast<std::int64_t>(row),
                            sources[source_of[row]], inputs[row]) < tolerance);
        }
      }
      std::vector<std::int64_t> parents;
      std::vector<Ids> next;
      std::vector<std::size_t> next_source;
      for (int row = 0; row < 1 + step % 5; ++row) {
        parents.push_back(random.below(static_cast<std::int64_t>(inputs.size())));
        next.push_back(inputs[parents.back()]);
        next_source.push_back(source_of[parents.back()]);
      }
      state.select(parents);
      inputs = std::move(next);
      source_of = std::move(next_source);
      if (step == 6 || step == 20) {
        const std::size_t added = step == 6 ? 2 : 3;
        state.add({start_of(encoded[added])});
        inputs.emplace_back();
        source_of.push_back(added);
      }
    }
  }
}

TEST_CASE("rows may all end, and others begin") {
  const OneThread quick;
  const auto model = random_model(small_config());
  const auto ready = model->for_decoding();
  const std::vector<Ids> sources = ended(random_sentences(2, 600));
  DecoderState state(*ready);
  state.add({start_of(sources[0])});
  for (int i = 0; i < 3; ++i) state.step({4});
  state.select({});
  CHECK(state.rows() == 0);
  CHECK_THROWS_WITH(state.step({}), "decoder: expected a token for each of 0 rows, given 0");
  state.add({start_of(sources[1])});
  DecoderState anew(*ready);
  anew.add({start_of(sources[1])});
  CHECK(state.step({2}).values<float>() == anew.step({2}).values<float>());
}

TEST_CASE("the model's positions are a limit, for sources and for outputs") {
  TransformerConfig config = small_config();
  config.max_length = 6;
  const auto model = random_model(config);
  const auto ready = model->for_decoding();
  const Ids most(6, 9), more(7, 9);
  DecoderState state(*ready);
  state.add({start_of(most)});
  for (int i = 0; i < 6; ++i) state.step({4});
  CHECK_THROWS_WITH(state.step({4}), "decoder: expected at most 6 tokens in a row, given one more");
  CHECK_THROWS_WITH(DecoderState(*ready).add({start_of(more)}),
                    "encoder: expected sequences of at most 6 tokens, given one of 7");
}
