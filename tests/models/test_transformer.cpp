// The model against itself (gradients, leaks), against the paper (parameter counts), and against
// the textbook form: padded batches with an additive mask of minus infinity, built here from plain
// ops.
#include <doctest/doctest.h>

#include <cmath>

#include "autograd/gradient_check.h"
#include "autograd/ops/elementwise.h"
#include "autograd/ops/embedding.h"
#include "autograd/ops/matmul.h"
#include "autograd/ops/shaping.h"
#include "autograd/ops/softmax.h"
#include "models/transformer.h"
#include "tests/gradients.h"

using namespace kette;

namespace {

TransformerConfig small(NormOrder norm = NormOrder::post) {
  TransformerConfig config;
  config.encoder_layers = config.decoder_layers = 2;
  config.width = 8;
  config.hidden = 12;
  config.heads = 2;
  config.vocabulary = 11;
  config.max_length = 16;
  config.norm = norm;
  return config;
}

const std::vector<std::int32_t> kSource = {4, 5, 6, 3, 7, 3}, kTargetIn = {2, 8, 9, 2, 10, 4, 5},
                                kTargetOut = {8, 9, 3, 10, 4, 5, 3};
const Segments kSourceSegments = Segments::from_lengths({4, 2}),
               kTargetSegments = Segments::from_lengths({3, 4});

Variable states(const Transformer& model, Run& run,
                const std::vector<std::int32_t>& target_in = kTargetIn) {
  const Variable memory =
      model.encode(Tensor::from(kSource), PackedSequences(kSourceSegments), run);
  return model.decode(Tensor::from(target_in),
                      PackedSequences(kTargetSegments, memory, kSourceSegments), run);
}

std::int64_t parameters_of(TransformerConfig config) {
  return Transformer(config).parameters().elements();
}

/// One encoder layer, written as the paper's equations on a padded [2, 4] batch, head by head.
void check_against_textbook(TransformerConfig config) {
  config.encoder_layers = 1;
  config.dropout = config.attention_dropout = config.activation_dropout = 0;
  Transformer model(config);
  model.materialize(9, DType::f64);
  Run inference;
  const auto packed =
      model.encode(Tensor::from(kSource), PackedSequences(kSourceSegments), inference)
          .value()
          .values<double>();

  const Block& layer = model.encoder()[0];
  const std::vector<std::vector<std::int32_t>> padded = {{4, 5, 6, 3}, {7, 3, 0, 0}};
  const std::vector<std::int64_t> lengths = {4, 2};
  const std::int64_t width = config.width, heads = config.heads, length = 4,
                     key_width = config.key_width > 0 ? config.key_width : width / heads,
                     shares = width / heads / key_width, keys = heads * key_width;
  const bool learned = config.positions == Positions::learned;
  const Tensor table = learned ? model.parameters().find("encoder/positions/weight")->value
                               : sinusoidal_positions(length, width).to(DType::f64);
  std::size_t row = 0;
  for (std::size_t s = 0; s < 2; ++s) {
    const Segments whole = Segments::from_lengths({length});
    const Variable x = add_positions(model.token_embedding()(Tensor::from(padded[s])), table,
                                     row_positions(whole));
    const Linear& map = layer.self_attention.query_key_value;
    const Variable qkv = matmul(x, map.weight, false, true) + map.bias;
    const Variable columns = transpose(qkv);  // [2 * keys + width, length]
    std::vector<Variable> attended_shares(static_cast<std::size_t>(shares * heads));
    for (std::int64_t head = 0; head < heads; ++head) {
      // Queries, keys, and then the values of all heads, a share after the other.
      const auto part = [&](std::int64_t which) {
        const std::int64_t at = which * keys + head * key_width;
        return transpose(slice(columns, at, at + key_width));
      };
      std::vector<double> mask;
      for (std::int64_t i = 0; i < length; ++i) {
        for (std::int64_t j = 0; j < length; ++j) mask.push_back(j < lengths[s] ? 0 : -1e30);
      }
      const Variable scores =
          affine(matmul(part(0), part(1), false, true), 1 / std::sqrt(double(key_width)));
      const Variable weights = softmax(scores + Tensor::from(mask, {length, length}));
      for (std::int64_t share = 0; share < shares; ++share) {
        attended_shares[share * heads + head] = transpose(matmul(weights, part(2 + share)));
      }
    }
    Variable heads_joined = attended_shares.front();
    for (std::size_t i = 1; i < attended_shares.size(); ++i) {
      heads_joined = concatenate(heads_joined, attended_shares[i]);
    }
    const Variable projected = layer.self_attention.output(transpose(heads_joined));
    const Variable first = layer.self_attention_norm.norm(x + projected);
    const Variable inner = relu(matmul(first, layer.feed_forward->inner.weight, false, true) +
                                layer.feed_forward->inner.bias);
    const Variable second = layer.feed_forward_norm->norm(first + layer.feed_forward->outer(inner));
    const auto expected = second.value().values<double>();
    for (std::int64_t i = 0; i < lengths[s] * width; ++i, ++row) {
      CHECK(packed[row] == doctest::Approx(expected[i]).epsilon(1e-12));
    }
  }
}

}  // namespace

TEST_CASE("the whole model passes the gradient check, with dropout and label smoothing") {
  for (const NormOrder norm : {NormOrder::post, NormOrder::pre}) {
    Transformer model(small(norm));
    model.materialize(3, DType::f64);
    const auto loss = [&] {
      Run run(1, 1);
      return model.loss(states(model, run), Tensor::from(kTargetOut), {0.1, 1.0 / 7});
    };
    testing::expect_right(
        check_parameter_gradients(loss, model.parameters().leaves(), {.elements = 4}));
  }
}

TEST_CASE("no future token leaks: d logits_t / d input_(>t) is exactly zero") {
  Transformer model(small());
  model.materialize(3, DType::f64);
  Run inference;
  const auto logits = [&](const std::vector<std::int32_t>& target) {
    return model.logits(states(model, inference, target)).value().values<double>();
  };
  const auto before = logits(kTargetIn);
  auto changed = kTargetIn;
  changed[5] = 9;  // the third token of the second sentence (rows 3 .. 6)
  const auto after = logits(changed);
  for (std::size_t row = 0; row < 7; ++row) {
    bool same = true;
    for (std::size_t v = 0; v < 11; ++v) same = same && before[row * 11 + v] == after[row * 11 + v];
    CAPTURE(row);
    CHECK(same == (row < 5));
  }
}

TEST_CASE("sentences of a batch do not see each other") {
  Transformer model(small());
  model.materialize(3, DType::f64);
  Run inference;
  const auto together = states(model, inference).value().values<double>();
  const Segments source = Segments::from_lengths({2}), target = Segments::from_lengths({4});
  const Variable memory = model.encode(Tensor::from(std::vector<std::int32_t>{7, 3}),
                                       PackedSequences(source), inference);
  const auto alone = model
                         .decode(Tensor::from(std::vector<std::int32_t>{2, 10, 4, 5}),
                                 PackedSequences(target, memory, source), inference)
                         .value()
                         .values<double>();
  for (std::size_t i = 0; i < alone.size(); ++i)
    CHECK(alone[i] == doctest::Approx(together[3 * 8 + i]).epsilon(1e-12));
}

TEST_CASE("packed sequences equal the textbook's padded batch with an additive mask") {
  check_against_textbook(small());
  check_against_textbook(small_table_3_transformer());
}

TEST_CASE("learned positions: each stack reads its own") {
  TransformerConfig config = small();
  config.positions = Positions::learned;
  Transformer model(config);
  model.materialize(3, DType::f64);
  Run inference;
  const auto outputs = [&] {
    return std::pair(
        model.encode(Tensor::from(kSource), PackedSequences(kSourceSegments), inference)
            .value()
            .values<double>(),
        states(model, inference).value().values<double>());
  };
  const auto before = outputs();
  double* table = model.parameters().find("decoder/positions/weight")->value.data<double>();
  table[0] += 1;
  const auto after = outputs();
  CHECK(after.first == before.first);
  CHECK(after.second != before.second);
  table[4 * 8] += 1;  // no target is as long
  CHECK(outputs() == after);
}

TEST_CASE("the loss is of the same logits, with a bias and without") {
  for (const bool with_bias : {false, true}) {
    CAPTURE(with_bias);
    TransformerConfig config = small();
    config.output_bias = with_bias;
    Transformer model(config);
    model.materialize(3, DType::f64);
    if (with_bias) {
      double* bias = model.output().bias.value().data<double>();
      for (int v = 0; v < 11; ++v) bias[v] = 0.2 * v - 1;
    }
    Run run;
    const Variable x = states(model, run);
    const std::vector<double> logits = model.logits(x).value().values<double>();
    double expected = 0;
    for (std::size_t row = 0; row < kTargetOut.size(); ++row) {
      double sum = 0;
      for (std::size_t v = 0; v < 11; ++v) sum += std::exp(logits[row * 11 + v]);
      expected += std::log(sum) - logits[row * 11 + static_cast<std::size_t>(kTargetOut[row])];
    }
    CHECK(model.loss(x, Tensor::from(kTargetOut), {}).value().item() ==
          doctest::Approx(expected).epsilon(1e-9));
  }
}

TEST_CASE("parameter counts agree with Table 3 of the paper") {
  // Vaswani et al. 2017, Table 3: totals within 3 %, differences between rows exact to the paper's
  // rounding.
  const auto millions = [](std::int64_t count) { return double(count) / 1e6; };
  TransformerConfig base = TransformerConfig::preset("base");
  CHECK(millions(parameters_of(base)) == doctest::Approx(65).epsilon(0.03));
  CHECK(millions(parameters_of(TransformerConfig::preset("big"))) ==
        doctest::Approx(213).epsilon(0.01));
  base.vocabulary = 41000;  // the size that Table 3's base rows imply
  const double base_count = millions(parameters_of(base));
  CHECK(std::round(base_count) == 65);
  const auto with = [&](auto change) {
    TransformerConfig config = base;
    change(config);
    return std::round(millions(parameters_of(config)));
  };
  CHECK(with([](auto& c) { c.encoder_layers = c.decoder_layers = 2; }) == 36);
  CHECK(with([](auto& c) { c.encoder_layers = c.decoder_layers = 4; }) == 50);
  CHECK(with([](auto& c) { c.encoder_layers = c.decoder_layers = 8; }) == 80);
  CHECK(with([](auto& c) { c.width = 256; }) == 28);
  CHECK(with([](auto& c) { c.width = 1024; }) == 168);
  CHECK(with([](auto& c) { c.hidden = 1024; }) == 53);
  CHECK(with([](auto& c) { c.hidden = 4096; }) == 90);
  for (const std::int64_t heads : {1, 4, 16, 32}) {
    CHECK(with([=](auto& c) { c.heads = heads; }) == 65);
  }
  CHECK(with([](auto& c) { c.key_width = 16; }) == 58);
  CHECK(with([](auto& c) { c.key_width = 32; }) == 60);
}

TEST_CASE("settings that make no sense are refused") {
  const auto with = [](auto change) {
    TransformerConfig config = small();
    change(config);
    return config;
  };
  CHECK_THROWS_AS(Transformer(with([](auto& c) { c.heads = 3; })), Error);
  CHECK_THROWS_AS(Transformer(with([](auto& c) { c.encoder_layers = 0; })), Error);
  CHECK_THROWS_AS(Transformer(with([](auto& c) { c.dropout = 1; })), Error);
  CHECK_THROWS_AS(TransformerConfig::preset("huge"), Error);
  CHECK_THROWS_WITH(
      Transformer(with([](auto& c) { c.positions = Positions::rotary; })),
      "positions: expected sinusoidal or learned in a translation model, given rotary");
  CHECK_THROWS_WITH(Transformer(with([](auto& c) { c.key_width = 3; })),
                    "key_width: expected a divisor of the width of a head's values, 4, given 3");
  CHECK_THROWS_WITH(Transformer(with([](auto& c) { c.key_width = 8; })),
                    "key_width: expected at most 4, given 8");
  CHECK_THROWS_WITH(
      Transformer(with([](auto& c) { c.key_width = 2, c.heads_left = {1, 1, 1, 1, 1, 1}; })),
      "heads_left: expected none in a model with a key_width, given 6");
  Transformer model(small());
  model.materialize(1);
  Run inference;
  const std::vector<std::int32_t> long_source(17, 4);
  CHECK_THROWS_AS(model.encode(Tensor::from(long_source),
                               PackedSequences(Segments::from_lengths({17})), inference),
                  Error);
}
